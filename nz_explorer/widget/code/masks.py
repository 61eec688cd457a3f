"""Python that finds missing values among stored ones."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from nz_explorer.documents.json_text import json_text
from nz_explorer.model import Array
from nz_explorer.model.fill_values import FillValue
from nz_explorer.model.signedness import meant_type
from nz_explorer.plots.picture import QuickLook
from nz_explorer.plots.shown_values import Reading
from nz_explorer.text.source_code import line, noted
from nz_explorer.values.categorical import missing_code
from nz_explorer.values.cf_decoding import valid_range

SCALARS = {
    name: name
    for name in (
        "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
        "float16", "float32", "float64", "complex64", "complex128",
    )
} | {"bool": "bool_"}  # fmt: skip
"""Types of numpy that are written by their names."""


def part_text(part: int | slice) -> str:
    """Return an index, or a slice, as Python has it."""
    if not isinstance(part, slice):
        return str(int(part))
    step = "" if part.step in (None, 1) else f":{int(part.step)}"
    return f"{int(part.start)}:{int(part.stop)}{step}"


def missing_lines(array: Array, fill: FillValue | None, reading: Reading) -> Iterator[str]:
    """Yield the lines that say where ``stored`` is missing, and give it the sign that it is meant to have.

    Parameters
    ----------
    array : Array
        The array.
    fill : FillValue, optional
        The fill value that the reading masks by.
    reading : Reading
        What is made of stored values.
    """
    yield _missing_line(array, fill, reading)
    code = missing_code(array)
    if code is not None and reading.mask != "raw":
        yield noted(f"missing |= stored == {code}", "a category that is missing")
    if reading.decoded and reading.mask != "raw":
        for mark in array.missing_values:
            yield noted(f"missing |= {_is_missing(array, mark.value)}", "missing_value")
    meant = meant_type(array)
    if meant is not None:
        yield noted(f"stored = stored.astype(np.{meant.name})", "as _Unsigned says")


def _missing_line(array: Array, fill: FillValue | None, reading: Reading) -> str:
    nothing = "missing = np.zeros(np.shape(stored), bool)"
    if reading.mask == "raw":
        return noted(nothing, "nothing is masked, as the view has it")
    what = (
        "storage fill_value" if reading.mask == "storage" else (array.fill_source or "_FillValue")
    )
    if fill is None:
        return noted(nothing, f"no {what}")
    if fill.value is None:
        return noted(nothing, f"{what} {json_text(fill.given)} is no value of this type")
    note = what if fill.dialect != "base64" else f"{what}, from xarray's base64"
    return noted(f"missing = np.asarray({_is_missing(array, fill.value)})", note)


def _is_missing(array: Array, fill: Any) -> str:
    """Return an expression that is true where ``stored`` is a fill value."""
    kind, name = array.data_type.kind, array.data_type.name
    if kind in ("string", "bytes"):
        return line("stored == {}", fill)
    if isinstance(fill, np.datetime64 | np.timedelta64):
        if np.isnat(fill):
            return "np.isnat(stored)"
        return line("stored == np.array({}, {})", int(fill.astype(np.int64)), fill.dtype.str)
    if kind in ("float", "complex") and _is_nan(fill):
        return "np.isnan(stored)"
    if name in SCALARS:
        return line(f"stored == np.{SCALARS[name]}({{}})", fill)
    return line("stored == np.frombuffer({}, stored.dtype)[0]", np.asarray(fill).tobytes())


def _is_nan(value: Any) -> bool:
    return bool(value != value)  # noqa: PLR0124 - true of NaN alone, also of complex ones


def range_lines(array: Array) -> Iterator[str]:
    """Yield the line that masks ``stored`` outside of the valid range; none where there is none."""
    own = array.data_type.numpy if array.data_type.kind == "float" else None
    inside = [  # 0.1, which is meant as the nearest float32
        line(f"(stored {sign} {{}})", limit if own is None else float(str(own.type(limit))))
        for sign, limit in zip((">=", "<="), valid_range(array), strict=True)
        if limit is not None
    ]
    if not inside:
        return
    finite = "np.isfinite(stored) & " if array.data_type.kind == "float" else ""
    yield noted(f"missing |= {finite}~({' & '.join(inside)})", "the valid range")


def turned(look: QuickLook | None) -> str:
    """Return what brings axes into the order of a picture.

    Parameters
    ----------
    look
        The picture.
    """
    source = None if look is None else look.source
    order = () if source is None else source.order
    if list(order) == sorted(order):
        return ""
    if len(order) == 2:
        return ".T"
    return f".transpose({', '.join(str(sorted(order).index(axis)) for axis in order)})"
