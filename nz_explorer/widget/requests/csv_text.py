"""Values as text in columns that are separated by commas."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from nz_explorer.model.fill_values import value_text
from nz_explorer.text.printable import encodable
from nz_explorer.values.coordinates.axes import number_text
from nz_explorer.values.coordinates.times import time_labels

if TYPE_CHECKING:
    from nz_explorer.plots import Axis, QuickLook


def csv_text(look: QuickLook, values: np.ma.MaskedArray[Any, Any], dates: Mapping[str, Any]) -> str:
    """Return the values of a picture as a table, with what stands along its axes.

    Parameters
    ----------
    look
        The picture.
    values
        Its values; masked ones are left empty.
    dates
        The attributes by which they are dates; without ``units`` they are none.

    Raises
    ------
    ValueError
        If it is an image.
    """
    name, label = look.path.rsplit("/", 1)[-1] or "value", ""
    gone, data = np.ma.getmaskarray(values), np.asarray(values.data)
    if gone.dtype.names:  # no field is masked by itself
        gone = np.asarray(gone == np.ones((), gone.dtype))
    if data.dtype.kind == "M":  # of nanoseconds, Python has no date
        gone, data = gone | np.isnat(data), np.asarray(np.datetime_as_string(data))
    elif data.dtype.kind == "m":
        gone, label = gone | np.isnat(data), f" ({np.datetime_data(data.dtype)[0]})"
        data = data.astype(np.int64)
    elif data.dtype.kind in "iuf" and (texts := time_labels(data[~gone], dates)) is not None:
        data = np.full(data.shape, "", object)
        data[~gone] = texts

    # Scalars of numpy are written with the digits that make this very float32.
    by_numpy = data.dtype.kind == "V" or data.dtype in (np.float16, np.float32, np.complex64)

    def row(at: Any) -> list[Any]:
        found = np.atleast_1d(data[at])
        cells = found if by_numpy else found.tolist()
        missing = np.atleast_1d(gone[at]).tolist()
        return ["" if no else cell(one) for one, no in zip(cells, missing, strict=True)]

    name = cell(f"{name}{label}")
    if values.size == 0:
        return csv_rows([[name]])
    if values.ndim == 0 or look.x is None:
        return csv_rows([[name], row(())])
    along = places(look.x)
    if values.ndim == 1:
        head = [cell(look.x.label), name]
        return csv_rows([head, *([place, *row(i)] for i, place in enumerate(along))])
    if values.ndim == 2 and look.y is not None:
        head = [cell(f"{look.y.label} \\ {look.x.label}"), *along]
        return csv_rows([head, *([place, *row(i)] for i, place in enumerate(places(look.y)))])
    raise ValueError("an image has no table: choose a map of one of its bands")


class _Lines(io.StringIO):
    """Takes rows that end as RFC 4180 has it, and ends them as other files here do."""

    def write(self, row: str) -> int:
        """Write a row."""
        return super().write(f"{row.removesuffix(_END)}\n")


_END = "\r\n"
"""Python up to 3.12 quotes of both characters only those that end a row."""


def csv_rows(rows: Iterable[Iterable[Any]]) -> str:
    """Return rows of cells as text that UTF-8 can hold.

    Parameters
    ----------
    rows
        Of `cell`.
    """
    target = _Lines(newline="")
    csv.writer(target, lineterminator=_END).writerows(rows)
    return encodable(target.getvalue())


def cell(value: Any) -> Any:
    """Return a value so that no spreadsheet takes a text of a stranger for a formula; bytes as the text that they are."""
    if isinstance(value, bytes):
        try:
            value = value.decode()
        except UnicodeDecodeError:
            return repr(bytes(value))
    if isinstance(value, np.void):
        return value_text(value)
    if not isinstance(value, str) or not value.startswith(("=", "+", "-", "@", "\t", "\r")):
        return value
    try:
        float(value)
    except ValueError:
        return f"'{value}"
    return value


def places(axis: Axis) -> list[str]:
    """Return what stands along an axis, as a file has it."""
    if axis.labels is not None:
        return [cell(label) for label in axis.labels]
    if axis.coordinates is not None:
        return [number_text(value, exact=True) for value in axis.coordinates.tolist()]
    return [str(axis.start + axis.step * i) for i in range(axis.size)]
