"""Which values equal a fill value."""

from __future__ import annotations

from typing import Any

import numpy as np

from nz_explorer.model.fill_values.fill_value import FillValue

BoolArray = np.ndarray[Any, np.dtype[np.bool_]]


def matches(  # one return per family of types
    values: np.ndarray[Any, Any], fill: FillValue
) -> BoolArray:
    """Tell which values are equal to a fill value, as NZ means it.

    Parameters
    ----------
    values
        Values of any shape, of the data type that `fill` was decoded for.
    fill
        The fill value; one that is not usable matches nothing.

    Returns
    -------
    ndarray of bool
        Of the shape of `values`. NaN matches every NaN, whatever its bits; NaT every NaT; of a
        complex number each part by itself.

    Notes
    -----
    Source: NZ-1.0, The _FillValue Attribute ("values equal to it are missing").
    See https://github.com/zarr-conventions/nz/blob/v1/README.md.
    """
    values = np.asarray(values)
    wanted = fill.value
    if wanted is None or not values.size:
        return np.zeros(values.shape, dtype=np.bool_)
    if isinstance(wanted, str | bytes):
        return _matches_text(values, wanted)
    if isinstance(wanted, np.void):
        return _matches_void(values, wanted)
    if values.dtype.kind not in "biufcmM":
        return np.zeros(values.shape, np.bool_)
    if values.dtype.kind in "mM" or wanted.dtype.kind in "mM":
        if values.dtype.kind != wanted.dtype.kind:
            return np.zeros(values.shape, np.bool_)
        return np.asarray(np.isnat(values) if np.isnat(wanted) else values == wanted)
    if wanted.dtype.kind == "c" and (np.isnan(wanted.real) or np.isnan(wanted.imag)):
        parts = ((values.real, wanted.real), (values.imag, wanted.imag))
        both: BoolArray = np.logical_and(*(_matches_part(*part) for part in parts))
        return both
    return _matches_part(values, wanted)


def _matches_part(values: np.ndarray[Any, Any], wanted: Any) -> BoolArray:
    return np.asarray(np.isnan(values) if wanted != wanted else values == wanted)  # noqa: PLR0124


def _matches_text(values: np.ndarray[Any, Any], wanted: str | bytes) -> BoolArray:
    kind = values.dtype.kind
    if kind == "O":
        return np.fromiter((item == wanted for item in values.flat), np.bool_, values.size).reshape(
            values.shape
        )
    if isinstance(wanted, str) and kind in "UT":
        # numpy drops trailing NULs of fixed-length strings when it hands them out
        if kind == "T":  # as a text of Python it would be one of fixed length
            return np.asarray(values == np.asarray(wanted, values.dtype))
        return np.asarray(values == wanted.rstrip("\0"))
    if isinstance(wanted, bytes) and kind == "S":
        return np.asarray(values == wanted.rstrip(b"\0"))
    return np.zeros(values.shape, np.bool_)


def _matches_void(values: np.ndarray[Any, Any], wanted: np.void) -> BoolArray:
    size = values.dtype.itemsize
    if values.dtype.kind != "V" or size != wanted.dtype.itemsize or not size:
        return np.zeros(values.shape, np.bool_)
    raw = np.ascontiguousarray(values).reshape(-1).view(np.uint8).reshape(-1, size)
    bits = np.frombuffer(wanted.tobytes(), np.uint8)
    return np.asarray((raw == bits).all(axis=1).reshape(values.shape))


def same_value(a: FillValue, b: FillValue) -> bool:
    """Whether two decoded values are the same missing value: one that matches the other.

    Parameters
    ----------
    a
        A decoded fill value.
    b
        The one that it is compared with.
    """
    if all(isinstance(one.value, np.number | np.datetime64 | np.timedelta64) for one in (a, b)):
        return bool(matches(b.value, a))
    if isinstance(a.value, bytes) and isinstance(b.value, bytes):
        return a.value.rstrip(b"\0") == b.value.rstrip(b"\0")  # as NumPy fills strings up
    return bool(a.value == b.value)


def is_zero(value: Any) -> bool:
    """Return whether a fill value is what programs write where nobody has chosen one: zero, False, an empty text.

    Parameters
    ----------
    value
        As decoded.
    """
    if isinstance(value, str):
        return not value.strip("\0")
    if isinstance(value, bytes):
        return not value.strip(b"\0")
    if isinstance(value, np.void):
        return not any(value.tobytes())
    if isinstance(value, np.datetime64 | np.timedelta64):
        return not any(value.tobytes())
    return bool(value == 0)
