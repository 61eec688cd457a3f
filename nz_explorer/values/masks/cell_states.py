"""Cell states: what every point of a picture is, so that missing is never mistaken for a value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from nz_explorer.model.fill_values import FillValue, matches

VALUE = 0
FILL = 1
"""Equal to ``_FillValue``."""
NAN = 2
INF = 3
NEG_INF = 4
ABSENT = 5
"""In a chunk that the store does not hold."""
UNREADABLE = 6
"""In a chunk that could not be read or decoded."""
STORAGE_FILL = 7
"""Equal to the storage ``fill_value``, where that is looked at as the mask."""
UNREAD = 8
"""In a chunk that was left out to keep to the budget, or has not arrived yet."""
INVALID = 9
"""Outside CF's valid range, where that is looked at."""
MISSING_VALUE = 10
"""Equal to CF's ``missing_value``, where that is looked at."""

CODES: dict[str, int] = {
    "value": VALUE,
    "fill": FILL,
    "nan": NAN,
    "inf": INF,
    "neg_inf": NEG_INF,
    "absent": ABSENT,
    "unreadable": UNREADABLE,
    "storage_fill": STORAGE_FILL,
    "unread": UNREAD,
    "invalid": INVALID,
    "missing_value": MISSING_VALUE,
}
"""Names of the states, as the protocol writes them, and their codes."""

TITLES: dict[int, str] = {
    VALUE: "value",
    FILL: "_FillValue",
    NAN: "NaN",
    INF: "+∞",
    NEG_INF: "−∞",
    ABSENT: "chunk not in the store",
    UNREADABLE: "chunk unreadable",
    STORAGE_FILL: "storage fill_value",
    UNREAD: "not read",
    INVALID: "outside the valid range",
    MISSING_VALUE: "missing_value",
}
"""What a legend calls them."""

States = np.ndarray[Any, np.dtype[np.uint8]]


def within(
    values: np.ndarray[Any, Any], low: float | None, high: float | None
) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Return which values lie in CF's valid range.

    Parameters
    ----------
    values
        Stored values, of any shape.
    low, high
        The range, ends included; None where it has no end.
    """
    inside = np.ones(values.shape, np.bool_)
    if low is not None:
        inside &= values >= low
    if high is not None:
        inside &= values <= high
    return inside


def in_valid_range(
    values: np.ndarray[Any, Any], states: States, low: float | None, high: float | None
) -> States:
    """Return states in which values outside of CF's valid range are ``INVALID``.

    Parameters
    ----------
    values
        Stored values, of any shape.
    states
        Their cell states, of the same shape.
    low, high
        The range, ends included; None where it has no end.
    """
    if low is None and high is None:
        return states
    outside = (states == VALUE) & ~within(values, low, high)
    return np.where(outside, INVALID, states).astype(np.uint8)


def equal_to_any(
    values: np.ndarray[Any, Any], marks: Sequence[FillValue]
) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Return which values equal one of the marks of CF's ``missing_value``.

    Parameters
    ----------
    values
        Stored values, of any shape.
    marks
        See `nz_explorer.model.Array.missing_values`.
    """
    found = np.zeros(values.shape, np.bool_)
    for mark in marks:
        found |= matches(values, mark)
    return found


def classify(
    values: np.ndarray[Any, Any],
    fill: FillValue | None,
    storage_fill: FillValue | None,
    marks: Sequence[FillValue] = (),
) -> tuple[States, States]:
    """Return the states of values that were read.

    Parameters
    ----------
    values
        Stored values, of any shape and type.
    fill
        The decoded ``_FillValue``; None where there is none.
    storage_fill
        The decoded storage ``fill_value``; None where there is none.
    marks
        Those of CF's ``missing_value``, beside either.

    Returns
    -------
    tuple of ndarray of uint8
        The states under NZ, and those if the storage fill value were the mask; of the shape of
        `values`. A NaN that is the ``_FillValue`` is ``FILL``; what equals both marks is, too.

    Notes
    -----
    Source: NZ-1.0, The _FillValue Attribute ("When both are present and differ, `_FillValue` governs").
    See https://github.com/zarr-conventions/nz/blob/v1/README.md.
    """
    plain = np.zeros(values.shape, np.uint8)
    if values.dtype.kind in "fc":
        with np.errstate(invalid="ignore"):
            odd = ~np.isfinite(values)
            if odd.any():
                plain[np.isnan(values)] = NAN
                infinite = odd & (plain == VALUE)
                real = values.real if values.dtype.kind == "c" else values
                plain[infinite] = np.where(real[infinite] == -np.inf, NEG_INF, INF)
    elif values.dtype.kind in "mM":
        plain[np.isnat(values)] = NAN
    if marks:
        plain[equal_to_any(values, marks) & (plain == VALUE)] = MISSING_VALUE
    return _with(plain, values, fill, FILL), _with(plain, values, storage_fill, STORAGE_FILL)


def _with(plain: States, values: np.ndarray[Any, Any], fill: FillValue | None, code: int) -> States:
    states = plain.copy()
    if fill is not None and fill.usable:
        states[matches(values, fill)] = code
    return states
