"""A slice as a file: a picture, or its values."""

from __future__ import annotations

import io
import os
import re
import warnings
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, cast

import numpy as np

from nz_explorer.model import Array
from nz_explorer.model.attribute_types import PACKING
from nz_explorer.plots.shown_values import Reading, shown_values
from nz_explorer.store import Cancellation
from nz_explorer.store.cancellation import hand_over
from nz_explorer.text.phrases import plural
from nz_explorer.values.reading.opening import open_for_reading
from nz_explorer.widget import protocol
from nz_explorer.widget.requests import tables
from nz_explorer.widget.requests.answer import Answer, BadRequest, answers
from nz_explorer.widget.requests.csv_text import csv_text
from nz_explorer.widget.requests.netcdf_bytes import LIMITS, holds_dates, netcdf_file
from nz_explorer.widget.requests.nodes import array_at
from nz_explorer.widget.session_view import ALL_POINTS, SessionView

if TYPE_CHECKING:
    import xarray

    from nz_explorer.plots import Axis, QuickLook

Format = Literal["png", "svg", "npy", "csv", "nc"]

MEDIA_TYPES: dict[str, str] = {
    "png": "image/png",
    "svg": "image/svg+xml",
    "npy": "application/octet-stream",
    "csv": "text/csv",
    "nc": "application/x-netcdf",
}


@answers("export")
def answer(session: SessionView, params: protocol.ExportParams, cancel: Cancellation) -> Answer:
    """Return what is shown of an array as a file."""
    from nz_explorer.values import UnsupportedArray

    columns = tables.shown(session, session.tree.node(params.path), params.view)
    if columns is not None:
        try:
            data = columns.file(params.format)
        except ValueError as error:
            raise BadRequest(str(error)) from error
        name = safe_name(f"{columns.group.name or 'table'}_{params.view['kind']}.{params.format}")
        return protocol.ExportResult(name, MEDIA_TYPES[params.format], 0), [data]
    array = array_at(session, params.path)
    try:
        given = session, array, params.format, params.index, params.view, cancel
        width, height = params.width, params.height
        look, data = slice_file(*given, whole=params.whole, width=width, height=height)
    except (ValueError, TypeError, ImportError, UnsupportedArray) as error:
        raise BadRequest(str(error)) from error
    name = file_name(look, params.format)
    return protocol.ExportResult(name, MEDIA_TYPES[params.format], 0), [data]


def slice_file(  # noqa: PLR0913  # each is a choice of the caller
    session: SessionView,
    array: Array,
    form: Format,
    index: Mapping[str, int],
    view: Mapping[str, Any],
    cancel: Cancellation | None = None,
    *,
    whole: bool = False,
    packed: bool = False,
    width: int = 800,
    height: int = 500,
) -> tuple[QuickLook, bytes]:
    """Return what is shown of an array, and the bytes of a file of it.

    Pictures are drawn as they are shown. Files of numbers hold what `Explorer.values` returns: of a map as many points
    as the picture has, of a line every element, unless the whole is asked for.

    Parameters
    ----------
    session : SessionView
        The open hierarchy.
    array : Array
        What is shown.
    form : {"png", "svg", "npy", "csv", "nc"}
        What file.
    index : mapping of str to int
        At which index dimensions are fixed.
    view : mapping
        How it is drawn.
    cancel : Cancellation, optional
        Set when the file is no longer wanted.
    whole : bool
        Whether every element is wanted, however many bytes that takes.
    packed : bool
        Whether numbers are wanted as they are stored, neither unpacked nor masked by ``missing_value`` or a valid range.
    width, height : int
        How many points the picture has room for.

    Returns
    -------
    tuple of QuickLook and bytes
        The slice, and the file.
    """
    from nz_explorer.plots.shown_values import Reading

    options = looking(view)
    size = (1600, 1000) if form in ("png", "svg") else (width, height)
    if form not in ("png", "svg"):
        options["thin"] = False
        if whole:
            size = (ALL_POINTS, ALL_POINTS)
            options["everything"] = True
    look = session.quicklook(array, index, width=size[0], height=size[1], cancel=cancel, **options)
    look = session.limits.known(array, look)
    reading = Reading.of(view, packed=packed)
    if form == "nc" and not packed and look.packing:  # who opens it unpacks, as its attributes say
        reading = replace(reading, decoded=True)
    dates = array.attributes if reading.decoded and not look.derived else {}
    if form in ("png", "svg"):
        return look, picture_file(look, form, view)
    values = readable(look, array, reading)
    if form == "nc":
        return look, netcdf_file(shown_xarray(look, array, reading), values)
    if form == "npy":
        target = io.BytesIO()
        warn_of_rounding(values)
        np.save(target, plain(values), allow_pickle=False)
        return look, target.getvalue()
    return look, csv_text(look, values, dates).encode()


USUAL: dict[str, Any] = {
    "mask": "nz",
    "limits": "held",
    "scale": "linear",
    "kind": "auto",
    **dict.fromkeys(("decoded", "cf", "curvilinear", "coordinates", "coastlines"), True),
    **dict.fromkeys(("reverse", "grid", "log", "graticule"), False),
}
"""How a picture is drawn unless a view says otherwise."""


def unusual(view: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a view says that does not go without saying; the browser sends all of it.

    Parameters
    ----------
    view : mapping
        See `Explorer.view`.
    """
    return {
        name: value
        for name, value in view.items()
        if value not in (None, "", [], {}) and USUAL.get(name) != value
    }


def drawing(view: Mapping[str, Any]) -> dict[str, Any]:
    """Return how a picture is drawn, as `plots.figure` takes it, from the browser's view."""
    options = dict(view)
    if "cf" in options:
        options.setdefault("decoded", options.pop("cf") is not False)
    if "coordinates" in options:
        options.setdefault("curvilinear", options.pop("coordinates") is not False)
    return {**options, "window": looking(view).get("window", {})}


def looking(view: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a picture shows, as `plots.make` takes it, from the browser's view."""
    options: dict[str, Any] = {}
    window = view.get("window")
    if isinstance(window, Mapping):
        options["window"] = {
            name: [float(end) for end in part]
            for name, part in window.items()
            if isinstance(part, list | tuple) and len(part) == 2
        }
    options |= {name: view[name] for name in ("x", "y") if isinstance(view.get(name), str)}
    if isinstance(view.get("kind"), str):
        options["kind"] = view["kind"]
    reduce = view.get("reduce")
    if isinstance(reduce, Mapping):
        options["reduce"] = {name: how for name, how in reduce.items() if isinstance(how, str)}
    if isinstance(view.get("against"), str | Mapping):
        options["against"] = view["against"]
    if view.get("part") in ("real", "imaginary", "magnitude", "phase"):
        options["part"] = view["part"]
    return options


def thinned(look: QuickLook) -> str:
    """Return which elements a picture has, such as ``1 in 2 x 3``; empty where it has all."""
    steps = [axis.step for axis in (look.y, look.x) if axis is not None]
    if max(steps, default=1) == 1:
        return ""
    return f"1 in {' x '.join(map(str, steps))}"


def selection(look: QuickLook) -> dict[str, int | slice]:
    """Return by dimension what a picture shows: an index, or a slice of evenly spaced points."""
    shown = {axis.label: _slice(axis) for axis in (look.y, look.x) if axis is not None}
    fixed = {
        slider.dimension: slider.index if slider.method is None else slice(None)
        for slider in look.sliders
    }
    return fixed | shown


def readable(look: QuickLook, array: Array, reading: Reading) -> np.ma.MaskedArray[Any, Any]:
    """Return the values of a picture, as `shown_values` does.

    Parameters
    ----------
    look
        The picture.
    array
        The array.
    reading
        What is made of stored values.

    Raises
    ------
    UnsupportedArray
        If the array cannot be read.
    ValueError
        If there is no picture for another reason.
    """
    if look.stored is None:
        opened = open_for_reading(array)
        if 0 in opened.shape:
            return np.ma.masked_array(np.asarray(opened.zarr[...]))
    return shown_values(look, reading)


def shown_xarray(look: QuickLook, array: Array, reading: Reading) -> xarray.DataArray:
    """Return what a picture shows as xarray has it: the values of `shown_values`, NaN where one is missing.

    Parameters
    ----------
    look
        The picture, of all elements that it shows.
    array
        The array.
    reading
        What is made of stored values.
    """
    from nz_explorer.values.to_xarray import to_xarray

    values = readable(look, array, reading)
    whole = cast("xarray.DataArray", to_xarray(array))
    if whole.ndim < (array.ndim or 0):  # it joins characters, which are shown one by one
        characters = {array.dimension_label(whole.ndim): (array.shape or ())[-1]}
        whole = whole.expand_dims(characters, axis=-1).drop_encoding()
    source = look.source
    if source is None or source.path != array.path:  # a smaller copy has no coordinates of its own
        parts = tuple(_parts_of(look, array))
    else:
        parts = source.parts
    found = whole[parts]
    order = () if source is None else source.order
    if list(order) != sorted(order):
        found = found.transpose(*(whole.dims[axis] for axis in order))
    objects = holds_dates(found)
    times = (objects or found.dtype.kind in "mM") and values.dtype.kind not in "mM"
    if times and not look.derived:
        if reading.decoded:
            return _times(found, values, as_decoded=reading.mask == "nz")
        counted = {k: found.encoding[k] for k in ("units", "calendar") if k in found.encoding}
        found = found.drop_encoding().assign_attrs(counted)
    found = _described(found, look, reading)
    filled = plain(values)
    if values.dtype.kind in "OTUS" and np.ma.getmaskarray(values).any():
        filled = np.where(np.ma.getmaskarray(values), np.array(np.nan, object), filled)
    if look.minus is not None:
        found = found.drop_encoding().assign_attrs(long_name=look.name)
    if look.reduction is not None:
        over = [str(whole.dims[axis]) for axis in look.reduction.axes]
        how = f"{' '.join(f'{name}:' for name in over)} {look.reduction.text}"
        before = found.attrs.get("cell_methods")
        attributes = {**found.attrs, "cell_methods": f"{before} {how}" if before else how}
        # numbers, as `values` has them
        if times and look.reduction.method in ("mean", "min", "max"):
            given = {**found.encoding, **array.attributes}  # bounds have those of their parent
            attributes |= {name: given[name] for name in ("units", "calendar") if name in given}
        # A coordinate along what is reduced says nothing about the result.
        along = [name for name, one in found.coords.items() if set(over) & set(one.dims)]
        shown = found.drop_vars(along).isel(dict.fromkeys(over, 0)).drop_encoding()
        return shown.copy(deep=False, data=filled).assign_attrs(attributes)
    shown = found.copy(deep=False, data=filled)
    if reading.part is not None and look.part is not None:
        shown = shown.rename(f"{found.name}_{reading.part}")
    # Who reads a file back masks by the _FillValue that it names: it must be what is masked here.
    plainly = reading.mask != "nz" or (look.packing is not None and not reading.decoded)
    return shown.drop_encoding() if plainly else shown


def _described(found: xarray.DataArray, look: QuickLook, reading: Reading) -> xarray.DataArray:
    """Return an array without what has others mask values that are shown, or unpack them once more."""
    # Where xarray could not decode by all attributes it has left them.
    dropped = {*PACKING, "_FillValue", "missing_value", "_Unsigned"}
    unpacked = look.packing is not None and reading.mask != "nz"
    if look.derived or reading.mask == "raw" or not reading.decoded or unpacked:
        dropped |= LIMITS
    kept = found.copy(deep=False)
    kept.attrs = {name: one for name, one in found.attrs.items() if name not in dropped}
    marks = np.atleast_1d(found.encoding.get("missing_value", ()))
    if not (marks == found.encoding.get("_FillValue")).all():
        kept.encoding = {k: v for k, v in found.encoding.items() if k != "missing_value"}
    return kept


def _times(
    found: xarray.DataArray, values: np.ma.MaskedArray[Any, Any], *, as_decoded: bool
) -> xarray.DataArray:
    """Return times, None or NaT where one is missing; `as_decoded` where these are those that xarray has masked."""
    import xarray as xr

    gone = np.ma.getmaskarray(values)
    if values.dtype.kind == "f":
        gone = gone | ~np.isfinite(values.data)
    if as_decoded and found.dtype.kind in "mM":
        return found.where(~gone) if gone.any() else found
    if as_decoded and not gone.any():
        return found
    # Of what is missing xarray makes the date that is counted from, or an error.
    counted = {
        name: found.encoding[name] for name in ("units", "calendar") if name in found.encoding
    }
    there = xr.Dataset({"t": ("t", values.data[~gone], counted)})
    decoded = found if gone.all() else xr.decode_cf(there, decode_timedelta=True)["t"]
    times = decoded.dtype.kind in "mM"
    dates = np.full(gone.shape, "NaT" if times else None, decoded.dtype if times else object)
    if not gone.all():
        dates[~gone] = decoded.values
    shown = found.copy(deep=False, data=dates)
    # What they were packed into has no room for what is not masked here.
    dropped = () if as_decoded else (*PACKING, "_FillValue", "missing_value", "dtype")
    shown.encoding = {k: v for k, v in found.encoding.items() if k not in dropped}
    if not times:  # which a missing date does not tell who writes it
        shown.encoding["calendar"] = found.encoding.get("calendar", "standard")
    return shown


def _parts_of(look: QuickLook, array: Array) -> Iterator[int | slice]:
    shown = selection(look)
    for axis in range(array.ndim or 0):
        yield shown.get(array.dimension_label(axis), slice(None))


def _slice(axis: Axis) -> slice:
    return slice(axis.start, axis.start + axis.step * (axis.size - 1) + 1, axis.step)


def file_name(look: QuickLook, form: str) -> str:
    """Return a name for a file that any file system takes.

    Parameters
    ----------
    look : QuickLook
        The picture, of which path and indices become part of the name.
    form : str
        The extension, without a dot.
    """
    slices = [f"{slider.dimension}-{slider.label}" for slider in look.sliders]
    words = "_".join([look.path.strip("/").replace("/", "_") or "values", *slices])
    if form not in ("png", "svg") and (left_out := thinned(look)):
        words = f"{words}_{left_out}"
    return safe_name(f"{words[:120]}.{form}")


def safe_name(name: str) -> str:
    """Return a name for a file with nothing in it that some file system does not take."""
    return re.sub(r"[^A-Za-z0-9._+-]+", "-", name)


@cache
def _drawing_thread() -> ThreadPoolExecutor:
    """Return the thread that draws the files of all explorers of this process.

    The C library keeps freed memory for each thread (glibc), of a figure some 30 MiB: with the figures of a session
    drawn by any of its workers, that adds up to hundreds, which no `malloc_trim` gives back.
    """
    return ThreadPoolExecutor(1, "nz-draw")


if hasattr(os, "register_at_fork"):  # threads do not follow into a copy of the process
    os.register_at_fork(after_in_child=_drawing_thread.cache_clear)


def picture_file(look: QuickLook, form: str, view: Mapping[str, Any]) -> bytes:
    """Return a picture as the bytes of a file.

    Parameters
    ----------
    look
        The picture.
    form : {"png", "svg"}
        What file.
    view
        How it is drawn.
    """
    from nz_explorer.plots import figure

    def draw() -> bytes:
        target = io.BytesIO()
        figure(look, **drawing(view)).savefig(target, format=form, dpi=150)
        return target.getvalue()

    return hand_over(_drawing_thread(), draw).result()


def plain(values: np.ma.MaskedArray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return masked values as an array whose missing values any reader knows: NaN, and of texts empty ones.

    Integers beside missing ones become float64.

    Parameters
    ----------
    values
        Of any type; fields stay as they are.
    """
    kind = values.dtype.kind
    if kind == "V":  # fields have no NaN in common
        return np.asarray(values.data)
    data = values.data.astype(object).astype(np.str_) if kind in "OT" else np.asarray(values.data)
    gone = np.ma.getmaskarray(values)
    if not gone.any():
        return data
    missing = {"S": b"", "m": "NaT", "M": "NaT"}.get(kind, "" if kind in "OTU" else np.nan)
    data = data.astype(np.float64 if kind in "bui" else data.dtype)
    data[gone] = missing
    return data


def warn_of_rounding(values: np.ma.MaskedArray[Any, Any]) -> None:
    """Warn where `plain` rounds integers: float64 has not all beyond 2**53."""
    if values.dtype.kind not in "iu" or not np.ma.getmaskarray(values).any():
        return
    here = values.compressed()
    beyond = here[abs(here.astype(np.float64)) >= 2**53].tolist()
    if rounded := sum(int(float(one)) != one for one in beyond):
        warnings.warn(
            f"{plural(rounded, 'integer')} beyond 2**53 rounded: beside missing values, which are NaN, all are"
            " float64; values(), csv and nc have all digits",
            stacklevel=3,
        )
