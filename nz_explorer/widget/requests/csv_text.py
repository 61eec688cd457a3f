"""Values as text in columns that are separated by commas."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

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
    target = io.StringIO()
    writer = csv.writer(target, lineterminator="\n")
    name = look.path.rsplit("/", 1)[-1] or "value"
    gone, data = np.ma.getmaskarray(values), values.data
    if data.dtype.kind == "M":  # of nanoseconds, Python has no date
        gone, data = gone | np.isnat(data), np.datetime_as_string(data)
    elif (texts := time_labels(data[~gone], dates)) is not None:
        data = np.full(data.shape, "", object)
        data[~gone] = texts

    def row(at: Any) -> list[Any]:
        cells = zip(np.atleast_1d(data[at]).tolist(), np.atleast_1d(gone[at]), strict=True)
        return ["" if missing else cell(value) for value, missing in cells]

    if values.ndim == 0 or look.x is None:
        writer.writerows([[cell(name)], row(())])
    elif values.ndim == 1:
        writer.writerow([cell(look.x.label), cell(name)])
        along = places(look.x)
        writer.writerows([place, *row(i)] for i, place in enumerate(along))
    elif values.ndim == 2 and look.y is not None:
        writer.writerow([cell(f"{look.y.label} \\ {look.x.label}"), *places(look.x)])
        writer.writerows([place, *row(i)] for i, place in enumerate(places(look.y)))
    else:
        raise ValueError("an image has no table: choose a map of one of its bands")
    return target.getvalue()


def cell(value: Any) -> Any:
    """Return a value so that no spreadsheet takes a text of a stranger for a formula."""
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
