"""Values at pinned points along one dimension, for the browser and as xarray has them."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from nz_explorer.model import Array
from nz_explorer.store import Cancellation
from nz_explorer.widget import picture_messages, protocol
from nz_explorer.widget.requests.answer import Answer, BadRequest, answers
from nz_explorer.widget.requests.csv_text import cell, csv_rows, places
from nz_explorer.widget.requests.export import MEDIA_TYPES, looking, safe_name
from nz_explorer.widget.requests.netcdf_bytes import netcdf_file
from nz_explorer.widget.requests.nodes import array_at
from nz_explorer.widget.session_view import ALL_POINTS, SessionView

if TYPE_CHECKING:
    import xarray

    from nz_explorer.plots import QuickLook
    from nz_explorer.plots.lines.collect import Lines
    from nz_explorer.plots.shown_values import Reading


@answers("series")
def series(session: SessionView, params: protocol.SeriesParams, cancel: Cancellation) -> Answer:
    """Return the values of an array at pinned points along a dimension."""
    array = array_at(session, params.path)
    try:
        found = along(
            session,
            array,
            params.dimension,
            params.pins,
            params.index,
            params.view,
            params.width,
            cancel,
        )
    except KeyError as error:
        raise BadRequest(str(error.args[0])) from error
    from nz_explorer.plots.shown_values import Reading

    reading = Reading.of(params.view)
    # Under another mask than _FillValue there may be some.
    none = reading.mask == "nz" and all(look.low is None for look in found.looks)
    if found.looks and not found.message and none:
        where = "this point" if len(found.looks) == 1 else "these points"
        note = f"no value along {params.dimension}: all are missing at {where}"
        found = replace(found, message=note)
    return picture_messages.lines(array.path, found, reading)


def along(
    session: SessionView,
    array: Array,
    dimension: str,
    pins: Sequence[Mapping[str, int]],
    index: Mapping[str, int],
    view: Mapping[str, Any],
    width: int | None = None,
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
    view : mapping
        How the picture is drawn: which dimensions are reduced, unless a pin names them, what is subtracted, unless
        it stands at one place along the dimension, and which part of complex numbers is shown.
    width : int, optional
        How many pixels there are; None for every element, however many bytes that takes.
    cancel : Cancellation, optional
        Set when it is no longer wanted.

    Raises
    ------
    KeyError
        If the array has no such dimension.
    """
    from nz_explorer.plots import Against
    from nz_explorer.plots import series as series_of

    points = {dimension}.union(*pins)
    shown = looking(view)
    reduce = {name: how for name, how in shown.get("reduce", {}).items() if name not in points}
    against = Against.of(shown.get("against"))
    fixed = against is not None and dimension in against.index
    alone = against is None or fixed or against.show in ("a", "both")

    def look(at: Mapping[str, int]) -> QuickLook:
        return session.quicklook(
            array,
            at,
            width=ALL_POINTS if width is None else width,
            everything=width is None,
            kind="line",
            x=dimension,
            part=shown.get("part"),
            reduce=reduce,
            against=None if alone else shown["against"],
            cancel=cancel,
        )

    found = series_of(array, dimension, pins, index, look)
    if fixed and found.looks and not found.message:
        note = f"of A: B stands at one place along {dimension}"
        found = replace(found, message=note)
    return found


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
    found = along(session, array, dimension, pins, index, view, cancel=cancel)
    values = as_xarray(array, found, pins, view)
    if form == "nc":
        return netcdf_file(values)
    units = values.attrs.get("units")
    rows = [[cell(dimension), *(cell(look.name) for look in found.looks)]]
    if units:
        rows.append(["", *[cell(units)] * len(found.looks)])
    for place, row in zip(places(found.x), values.values.T.tolist(), strict=True):
        rows.append([place, *("" if math.isnan(value) else value for value in row)])
    return csv_rows(rows).encode()


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
        are those of the dimension, along ``pin`` the ones that the points are pinned at, and those that they share.

    Raises
    ------
    ValueError
        If no point is pinned, or there are no numbers.
    """
    import xarray as xr

    from nz_explorer.plots.shown_values import Reading, shown_values
    from nz_explorer.values.to_xarray import to_xarray

    if not found.looks:
        raise ValueError(found.message or "no point is pinned")
    if found.message:  # of many pins only some are read
        warnings.warn(found.message, stacklevel=3)
    reading = Reading.of(view)
    size = found.x.size
    values = np.full((len(found.looks), size), np.nan)
    for row, look in zip(values, found.looks, strict=True):
        # of complex numbers a line has a part
        one = replace(reading, part=reading.part or look.part)
        row[:] = np.ma.filled(np.ma.asarray(shown_values(look, one), np.float64), np.nan)
    source: Any = to_xarray(array)
    return xr.DataArray(
        values,
        dims=("pin", found.dimension),
        coords=_coordinates(source, found, {name for pin in pins for name in pin}),
        name=array.name or None,
        attrs=_attributes(array, source, found.looks[0], reading),
    )


def _coordinates(source: Any, found: Lines, pinned: set[str]) -> dict[str, Any]:
    """Return the coordinates along lines, those that points are pinned at, and those that all have in common."""
    import xarray as xr

    at: dict[str, Any] = {}
    for slider in found.looks[0].sliders:
        if slider.method is None:
            indices = [
                one.index
                for look in found.looks
                for one in look.sliders
                if one.dimension == slider.dimension
            ]
            along = slider.dimension in pinned
            at[slider.dimension] = xr.DataArray(indices, dims="pin") if along else indices[0]
    known = {
        name: one.isel({key: at[key] for key in one.dims if key in at}, drop=True).variable
        for name, one in source.coords.items()
        if one.dims == (found.dimension,) or set(one.dims) <= at.keys()
    }
    indices_of = {name: one for name, one in at.items() if name not in source.coords}
    return {**{name: xr.as_variable(one) for name, one in indices_of.items()}, **known}


def _attributes(array: Array, source: Any, look: QuickLook, reading: Reading) -> dict[str, Any]:
    """Return what describes the values of a line."""
    given = {**array.attributes, **source.attrs}  # of times xarray keeps the units elsewhere
    names = ["long_name", "standard_name"] if look.minus is None else []
    stored = look.packing is not None and not (reading.decoded or look.derived)
    if not stored and (look.reduction is None or look.reduction.method != "any"):
        names.append("units")
    found = {name: given[name] for name in names if name in given}
    if look.minus is not None:
        found["long_name"] = f"{array.name} {look.aside[0]}"
    if look.reduction is not None:
        over = [array.dimension_label(axis) for axis in look.reduction.axes]
        how = " ".join([*(f"{name}:" for name in over), look.reduction.text])
        found["cell_methods"] = " ".join(filter(None, [given.get("cell_methods"), how]))
    return found
