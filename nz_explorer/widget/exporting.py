"""A slice as a file: a picture, or its values."""

from __future__ import annotations

import csv
import io
import re
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from nz_explorer.values.axes import number_text
from nz_explorer.values.states import FILL, INF, NAN, NEG_INF, VALUE

if TYPE_CHECKING:
    import xarray

    from nz_explorer.quicklook import Axis, QuickLook
    from nz_explorer.quicklook.kinds import Part

Format = Literal["png", "svg", "npy", "csv", "nc"]

MEDIA_TYPES: dict[str, str] = {
    "png": "image/png",
    "svg": "image/svg+xml",
    "npy": "application/octet-stream",
    "csv": "text/csv",
    "nc": "application/x-netcdf",
}


def drawing(view: Mapping[str, Any]) -> dict[str, Any]:
    """Return how a picture is drawn, as `quicklook.figure` takes it, from the browser's view."""
    options = dict(view)
    if "cf" in options:
        options.setdefault("decoded", options.pop("cf") is not False)
    if "coordinates" in options:
        options.setdefault("curvilinear", options.pop("coordinates") is True)
    return options


def looking(view: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a picture shows, as `quicklook.make` takes it, from the browser's view."""
    options: dict[str, Any] = {}
    window = view.get("window")
    if isinstance(window, Mapping):
        options["window"] = {
            name: [int(end) for end in part]
            for name, part in window.items()
            if isinstance(part, list | tuple) and len(part) == 2
        }
    if view.get("kind") in ("line", "map", "image", "histogram"):
        options["kind"] = view["kind"]
    if view.get("part") in ("real", "imaginary", "magnitude", "phase"):
        options["part"] = view["part"]
    return options


def masked_values(look: QuickLook, view: Mapping[str, Any]) -> np.ma.MaskedArray[Any, Any]:
    """Return the values of a picture, masked where there is none.

    They are of the array's own type, unless the view names a part of complex numbers. NaN and
    infinities are values of the array, and not masked unless they are what the view masks.
    """
    values = look.values if look.part is not None and "part" in looking(view) else look.stored
    if values is None:
        raise ValueError(look.message or f"{look.path} has no picture")
    states = look.storage_states if view.get("mask") == "storage" else look.cell_states
    if states is None:  # texts
        return np.ma.masked_array(values, mask=np.ma.nomask)
    shown = [VALUE, NAN, INF, NEG_INF, *([FILL] if view.get("mask") == "raw" else [])]
    mask = ~np.isin(states, shown)
    if values.ndim > mask.ndim:
        mask = np.broadcast_to(mask[..., None], values.shape)
    return np.ma.masked_array(values, mask=mask)


def thinned(look: QuickLook) -> str:
    """Return which elements a picture has, such as ``1 in 2 x 3``; empty where it has all."""
    steps = [axis.step for axis in (look.y, look.x) if axis is not None]
    if max(steps, default=1) == 1:
        return ""
    return f"1 in {' x '.join(map(str, steps))}"


def selection(look: QuickLook) -> dict[str, int | slice]:
    """Return by dimension what a picture shows: an index, or a slice of evenly spaced points."""
    shown = {axis.label: _slice(axis) for axis in (look.y, look.x) if axis is not None}
    return {slider.dimension: slider.index for slider in look.sliders} | shown


def positions(look: QuickLook, rank: int) -> tuple[int | slice, ...]:
    """Return the same by axis, with all elements of the parts shown."""
    chosen: list[int | slice] = [slice(None)] * rank
    for slider in look.sliders:
        chosen[slider.axis] = slider.index
    shown = [axis for axis in (look.y, look.x) if axis is not None]
    free = [axis for axis in range(rank) if chosen[axis] == slice(None)]
    for axis, along in zip(free, shown, strict=False):
        part = _slice(along)
        chosen[axis] = slice(part.start, part.stop, part.step)
    return tuple(chosen)


def _slice(axis: Axis) -> slice:
    return slice(axis.start, axis.start + axis.step * (axis.size - 1) + 1, axis.step)


def file_name(look: QuickLook, form: str) -> str:
    """Return a name for a file that any file system takes."""
    slices = [f"{slider.dimension}-{slider.label}" for slider in look.sliders]
    words = "_".join([look.path.strip("/").replace("/", "_") or "values", *slices])
    if form not in ("png", "svg") and (left_out := thinned(look)):
        words = f"{words}_{left_out}"
    return f"{re.sub(r'[^A-Za-z0-9._+-]+', '-', words)[:120]}.{form}"


def export(
    look: QuickLook,
    form: Format,
    view: Mapping[str, Any],
    to_xarray: Callable[[], xarray.DataArray],
) -> bytes:
    """Return a picture, or the values that it shows, as the bytes of a file.

    Parameters
    ----------
    look
        The picture.
    form
        What file.
    view
        How it is drawn.
    to_xarray
        Returns the slice as xarray has it, for netCDF.
    """
    if form in ("png", "svg"):
        return _picture(look, form, view)
    if form == "nc":
        return _netcdf(to_xarray(), look.part if "part" in looking(view) else None)
    values = masked_values(look, view)
    if form == "npy":
        target = io.BytesIO()
        np.save(target, _plain(values), allow_pickle=False)
        return target.getvalue()
    return _csv(look, values).encode()


def _picture(look: QuickLook, form: str, view: Mapping[str, Any]) -> bytes:
    from nz_explorer.quicklook import figure

    target = io.BytesIO()
    figure(look, **drawing(view)).savefig(target, format=form, dpi=150)
    return target.getvalue()


def _plain(values: np.ma.MaskedArray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return masked values as an array whose missing values any reader knows: NaN."""
    if values.dtype.kind in "OT":
        return np.asarray(values.data, dtype=np.str_)
    if not np.ma.getmaskarray(values).any():
        return np.asarray(values.data)
    if values.dtype.kind in "mM":
        return np.where(np.ma.getmaskarray(values), np.array("NaT", values.dtype), values.data)
    if values.dtype.kind in "bui":
        return np.where(np.ma.getmaskarray(values), np.nan, values.data.astype(np.float64))
    return np.asarray(values.filled(np.nan)) if values.dtype.kind in "fc" else values.data


def _csv(look: QuickLook, values: np.ma.MaskedArray[Any, Any]) -> str:
    target = io.StringIO()
    writer = csv.writer(target, lineterminator="\n")
    name = look.path.rsplit("/", 1)[-1] or "value"
    gone = np.ma.getmaskarray(values)

    def row(at: Any) -> list[Any]:
        cells = zip(np.atleast_1d(values.data[at]).tolist(), np.atleast_1d(gone[at]), strict=True)
        return ["" if missing else _cell(value) for value, missing in cells]

    if values.ndim == 0 or look.x is None:
        writer.writerows([[_cell(name)], row(())])
    elif values.ndim == 1:
        writer.writerow([_cell(look.x.label), _cell(name)])
        places = _places(look.x)
        writer.writerows([place, *row(i)] for i, place in enumerate(places))
    elif values.ndim == 2 and look.y is not None:
        writer.writerow([_cell(f"{look.y.label} \\ {look.x.label}"), *_places(look.x)])
        writer.writerows([place, *row(i)] for i, place in enumerate(_places(look.y)))
    else:
        raise ValueError("an image has no table: choose a map of one of its bands")
    return target.getvalue()


def _cell(value: Any) -> Any:
    """Return a value so that no spreadsheet takes a text of a stranger for a formula."""
    if not isinstance(value, str) or not value.startswith(("=", "+", "-", "@", "\t", "\r")):
        return value
    try:
        float(value)
    except ValueError:
        return f"'{value}"
    return value


def _places(axis: Axis) -> list[str]:
    if axis.labels is not None:
        return [_cell(label) for label in axis.labels]
    if axis.coordinates is not None:
        return [number_text(value) for value in axis.coordinates.tolist()]
    return [str(axis.start + axis.step * i) for i in range(axis.size)]


def _parts(array: xarray.DataArray, part: Part | None) -> Mapping[str, xarray.DataArray]:
    """Return an array as netCDF can hold it, which has no complex numbers, by name."""
    name = "values" if array.name is None else str(array.name)
    if array.dtype.kind != "c":
        return {name: array}
    from nz_explorer.quicklook.kinds import PART_OF

    wanted: tuple[Part, ...] = ("real", "imaginary") if part is None else (part,)
    return {
        f"{name}_{one}": array.copy(data=PART_OF[one](array.values)).drop_encoding()
        for one in wanted
    }


def _netcdf_name(name: str, taken: set[str]) -> str:
    """Return a name that netCDF takes: no ``/`` or control character, no odd first one, no blank at the end."""
    from nz_explorer.values.to_xarray import unused

    legal = re.sub(r"[/\x00-\x1f\x7f]", "_", name).rstrip(" ")
    if not re.match(r"[A-Za-z0-9_\u0080-\U0010ffff]", legal):
        legal = f"_{legal}"
    return unused(legal, taken)


def _netcdf(array: xarray.DataArray, part: Part | None) -> bytes:
    import xarray as xr

    dataset = xr.Dataset(_parts(array, part))
    taken: set[str] = set()
    dataset = dataset.rename(
        {name: _netcdf_name(str(name), taken) for name in {*dataset.variables, *dataset.dims}}
    )
    for variable in dataset.variables.values():
        # netCDF has no attributes that are objects, null or bools
        taken = set()
        variable.attrs = {
            _netcdf_name(name, taken): value
            for name, value in variable.attrs.items()
            if isinstance(value, str | int | float | list | np.ndarray | np.generic)
            and not isinstance(value, bool)
        }
        for key in ("chunks", "preferred_chunks"):
            variable.encoding.pop(key, None)
        # Packed without a _FillValue, a NaN would be whatever a cast makes of it.
        if variable.dtype.kind == "f" and "_FillValue" not in variable.encoding:
            for key in ("dtype", "scale_factor", "add_offset"):
                variable.encoding.pop(key, None)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "slice.nc"
        dataset.to_netcdf(file)
        return file.read_bytes()
