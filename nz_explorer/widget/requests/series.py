"""Values at pinned points along one dimension, for the browser and as xarray has them."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from nz_explorer.model import Array
from nz_explorer.store import Cancellation
from nz_explorer.widget import picture_messages, protocol
from nz_explorer.widget.requests.answer import Answer, BadRequest, answers
from nz_explorer.widget.requests.export import MEDIA_TYPES, cell, netcdf_file, places, safe_name
from nz_explorer.widget.requests.nodes import array_at
from nz_explorer.widget.session_view import ALL_POINTS, SessionView

if TYPE_CHECKING:
    import xarray

    from nz_explorer.plots import QuickLook
    from nz_explorer.plots.lines.collect import Lines


@answers("series")
def series(session: SessionView, params: protocol.SeriesParams, cancel: Cancellation) -> Answer:
    """Return the values of an array at pinned points along a dimension."""
    array = array_at(session, params.path)
    try:
        found = along(
            session, array, params.dimension, params.pins, params.index, params.width, cancel
        )
    except KeyError as error:
        raise BadRequest(str(error.args[0])) from error
    return picture_messages.lines(array.path, found)


def along(
    session: SessionView,
    array: Array,
    dimension: str,
    pins: Sequence[Mapping[str, int]],
    index: Mapping[str, int],
    width: int | None,
    cancel: Cancellation | None = None,
) -> Lines:
    """Return the values of an array along a dimension, at each of some points.

    Parameters
    ----------
    session : SessionView
        What is open.
    array : Array
        The array.
    dimension : str
        Along which the values are.
    pins : sequence of mapping
        The points: an index by dimension.
    index : mapping of str to int
        The index of dimensions that a pin does not name.
    width : int or None
        How many pixels there are; None for every element, however many bytes that takes.
    cancel : Cancellation, optional
        Set when it is no longer wanted.

    Raises
    ------
    KeyError
        If the array has no such dimension.
    """
    from nz_explorer.plots import series as series_of

    def look(at: Mapping[str, int]) -> QuickLook:
        return session.quicklook(
            array,
            at,
            width=ALL_POINTS if width is None else width,
            everything=width is None,
            kind="line",
            x=dimension,
            cancel=cancel,
        )

    return series_of(array, dimension, pins, index, look)


@answers("series_file")
def series_file(
    session: SessionView, params: protocol.SeriesFileParams, cancel: Cancellation
) -> Answer:
    """Return the values of an array at pinned points along a dimension, as a file."""
    array = array_at(session, params.path)
    try:
        data = written(
            session,
            array,
            params.dimension,
            params.pins,
            params.index,
            params.view,
            params.format,
            cancel,
        )
    except (KeyError, ValueError, ImportError) as error:
        raise BadRequest(str(error.args[0])) from error
    name = f"{array.name or 'values'}_along_{params.dimension}.{params.format}"
    return protocol.ExportResult(safe_name(name), MEDIA_TYPES[params.format], 0), [data]


def written(
    session: SessionView,
    array: Array,
    dimension: str,
    pins: Sequence[Mapping[str, int]],
    index: Mapping[str, int],
    view: Mapping[str, Any],
    form: str,
    cancel: Cancellation | None = None,
) -> bytes:
    """Return the values of an array at pinned points along a dimension as the bytes of a file.

    Parameters
    ----------
    session : SessionView
        What is open.
    array : Array
        The array.
    dimension, pins, index
        See `along`; every element is read.
    view : mapping
        How the picture is drawn: what counts as missing, and whether values are decoded.
    form : {"csv", "nc"}
        What file: a table with a row for each element and a column for each point, or netCDF.
    cancel : Cancellation, optional
        Set when it is no longer wanted.

    Raises
    ------
    KeyError
        If the array has no such dimension.
    ValueError
        If there is nothing to be written.
    """
    found = along(session, array, dimension, pins, index, None, cancel)
    if not found.looks:
        raise ValueError(found.message or "no point is pinned")
    values = as_xarray(array, found, pins, view)
    if form == "nc":
        return netcdf_file(values)
    target = io.StringIO()
    writer = csv.writer(target, lineterminator="\n")
    units = values.attrs.get("units")
    writer.writerow([cell(dimension), *(cell(look.name) for look in found.looks)])
    if units:
        writer.writerow(["", *[cell(units)] * len(found.looks)])
    for place, row in zip(places(found.x), values.values.T.tolist(), strict=True):
        writer.writerow([place, *("" if math.isnan(value) else value for value in row)])
    return target.getvalue().encode()


def as_xarray(
    array: Array, found: Lines, pins: Sequence[Mapping[str, int]], view: Mapping[str, Any]
) -> xarray.DataArray:
    """Return lines at pinned points as xarray has them.

    Parameters
    ----------
    array
        The array.
    found
        A line of all elements for each pin.
    pins
        The points.
    view
        How the picture is drawn: what counts as missing, and whether values are decoded.

    Returns
    -------
    DataArray
        float64, of dimensions ``pin`` and the dimension of the lines; NaN where a value is missing. Coordinates
        are those of the dimension, and along ``pin`` the ones that the points are pinned at.
    """
    import xarray as xr

    from nz_explorer.plots.shown_values import Reading, shown_values
    from nz_explorer.values.to_xarray import to_xarray

    reading = Reading.of(view)
    size = found.x.size
    values = np.full((len(found.looks), size), np.nan)
    for row, look in zip(values, found.looks, strict=True):
        row[:] = np.ma.filled(np.ma.asarray(shown_values(look, reading), np.float64), np.nan)
    source: Any = to_xarray(array)
    coordinates: dict[str, Any] = {}
    if found.dimension in source.coords:
        coordinates[found.dimension] = source.coords[found.dimension].variable
    for name in {name: None for pin in pins for name in pin}:
        if name in source.coords and name != found.dimension:
            at = [pin.get(name, 0) for pin in pins[: len(found.looks)]]
            coordinates[name] = ("pin", source.coords[name].values[at])
    attributes = {
        key: source.attrs[key]
        for key in ("long_name", "standard_name", "units")
        if key in source.attrs
    }
    return xr.DataArray(
        values,
        dims=("pin", found.dimension),
        coords=coordinates,
        name=array.name or None,
        attrs=attributes,
    )
