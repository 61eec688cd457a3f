"""Times as CF writes them, as text that people read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

_SINCE = " since "


def is_time(attributes: Mapping[str, Any]) -> bool:
    """Tell whether attributes say that values are times since a moment.

    Parameters
    ----------
    attributes
        Attributes of the array.

    Returns
    -------
    bool

    Notes
    -----
    Source: CF-1.11, 4.4 Time Coordinate.
    """
    units = attributes.get("units")
    return isinstance(units, str) and _SINCE in units


def time_labels(
    values: np.ndarray[Any, Any], attributes: Mapping[str, Any] | None = None
) -> list[str] | None:
    """Return times as ISO 8601 texts, no finer than they need be.

    Parameters
    ----------
    values
        Numbers in the units of `attributes`, or values of datetime64; one-dimensional.
    attributes
        With ``units`` such as ``days since 1850-01-01``, and ``calendar``.

    Returns
    -------
    list of str or None
        Such as ``2001-07-03`` or ``2001-07-03 06:00``; all with the same parts. None where the
        units or the calendar mean nothing, or a value is out of what a calendar can hold.
    """
    if values.dtype.kind == "M":
        return _of_datetime64(values)
    if attributes is None or not is_time(attributes) or values.dtype.kind not in "iuf":
        return None
    import cftime  # type: ignore[import-untyped, unused-ignore]

    numbers = values.astype(np.float64) if values.dtype.kind == "f" else values
    calendar = attributes.get("calendar", "standard")
    try:
        dates = cftime.num2date(
            np.ma.masked_invalid(numbers),
            attributes["units"],
            calendar if isinstance(calendar, str) else "standard",
            only_use_cftime_datetimes=True,
        )
    except (ValueError, OverflowError, TypeError):
        return None  # units of no calendar, or a date that it does not have
    return _trimmed([None if date is np.ma.masked else _iso(date) for date in np.ravel(dates)])


def _iso(date: Any) -> str:
    """Spell a date in full; its own ``strftime`` leaves out leading zeros of years."""
    whole = f"{date.year:04d}-{date.month:02d}-{date.day:02d}"
    return f"{whole} {date.hour:02d}:{date.minute:02d}:{date.second:02d}.{date.microsecond:06d}"


def _of_datetime64(values: np.ndarray[Any, Any]) -> list[str]:
    missing = np.isnat(values)
    texts = np.datetime_as_string(values, unit="us", casting="unsafe").tolist()
    return _trimmed(
        [
            None if gone else text.replace("T", " ")
            for text, gone in zip(texts, missing, strict=True)
        ]
    )


def _trimmed(texts: list[str | None]) -> list[str]:
    """Cut off the parts that are zero in all."""
    present = [text for text in texts if text is not None]
    for ending in (" 00:00:00.000000", ":00.000000", ".000000"):
        if all(text.endswith(ending) for text in present):
            return ["" if text is None else text[: -len(ending)] for text in texts]
    return [text or "" for text in texts]
