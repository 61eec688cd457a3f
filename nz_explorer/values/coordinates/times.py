"""Times as CF writes them, as text that people read."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

import numpy as np

from nz_explorer.model.attribute_types import unpacked_number
from nz_explorer.model.calendars import CALENDARS, DECODED

_SINCE = " since "
_MEANT = re.compile(
    r"\W*(?P<unit>[a-z]+)[\s_(]*(since|after|from)[\s_(]*(?P<moment>[^)]*\d{4}[^)]*)\)?\s*",
    re.IGNORECASE,
)
"""Units of times that somebody has spelled in their own way."""
MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
_NANOSECONDS = frozenset(("nanosecond", "nanoseconds", "nanosec", "nanosecs", "ns"))
_SECONDS = {
    "day": 86400,
    "d": 86400,
    "hour": 3600,
    "hr": 3600,
    "h": 3600,
    "minute": 60,
    "min": 60,
}
"""How many seconds the coarser units have."""


def is_time(attributes: Mapping[str, Any]) -> bool:
    """Return whether attributes declare values to be times since a moment.

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
    See https://cfconventions.org/Data/cf-conventions/cf-conventions-1.11/cf-conventions.html.
    """
    units = attributes.get("units")
    return isinstance(units, str) and _SINCE.strip() in units


def meant_units(units: str) -> str | None:
    """Return how CF spells units of times that are spelled in another way; None where nothing of the kind is seen.

    Parameters
    ----------
    units
        Such as ``days_since 2000-01-01`` or ``Hours After 2000-01-01``.
    """
    found = _MEANT.fullmatch(units)
    if found is None:
        return None
    meant = f"{found['unit'].lower()}{_SINCE}{found['moment'].strip()}"
    return meant if meant != units and time_problem({"units": meant}) is None else None


@dataclass(frozen=True, slots=True)
class TimeProblem:
    """Why times cannot be decoded.

    Attributes
    ----------
    attribute : str
        ``units`` or ``calendar``.
    why : str
        What is wrong with it, as the end of a sentence.
    suggestion : str or None
        What was most likely meant.
    by_xarray : bool
        Whether xarray decodes them all the same.
    """

    attribute: str
    why: str
    suggestion: str | None = None
    by_xarray: bool = False


_SHORT_DATE = re.compile(r"(\d{4})(?:-(\d\d?)|(\d\d)(\d\d)(?:T(\d\d)(\d\d)?(\d\d)?)?)?")
"""Dates of ISO 8601 without hyphens, or without a day: UDUNITS and NumPy know them, cftime does not."""
_BY_NUMPY = ("standard", "gregorian", "proleptic_gregorian")


def _in_full(moment: str) -> str | None:
    """Return a date with year, month and day that is given shorter; None where it is none."""
    found = _SHORT_DATE.fullmatch(moment)
    if found is None:
        return None
    year, month, packed, day, *clock = found.groups()
    text = f"{year}-{int(month or packed or 1):02}-{int(day or 1):02}"
    return f"{text} {':'.join(part or '00' for part in clock)}" if clock[0] else text


def time_problem(attributes: Mapping[str, Any]) -> TimeProblem | None:
    """Return why times with some attributes cannot be decoded; None where they can, or are no times.

    Parameters
    ----------
    attributes
        Attributes of the array.

    Returns
    -------
    TimeProblem or None

    Notes
    -----
    Source: CF-1.11, 4.4 Time Coordinate, as cftime and xarray decode it.
    See https://cfconventions.org/Data/cf-conventions/cf-conventions-1.11/cf-conventions.html.
    """
    if not is_time(attributes):
        return None
    given = attributes.get("calendar")
    if given is None:  # null, too, is none for readers
        given = "standard"
    calendar = given.lower() if isinstance(given, str) else ""
    if calendar not in DECODED:
        if calendar in CALENDARS:
            return TimeProblem("calendar", "is a calendar of CF that readers do not decode")
        return TimeProblem("calendar", "is not a known calendar", _meant_calendar(calendar))
    import cftime  # type: ignore[import-untyped, unused-ignore]

    units = str(attributes["units"])
    if _SINCE not in units:
        return TimeProblem("units", "since has to be a word of its own", meant_units(units))
    unit, _, moment = units.partition(_SINCE)
    try:
        cftime.num2date(0, f"days{_SINCE}{moment}", calendar, only_use_cftime_datetimes=True)
    except (ValueError, OverflowError, TypeError):
        full = _in_full(moment.strip())
        if full is not None:
            meant = f"{unit.strip()}{_SINCE}{full}"
            if time_problem({**attributes, "units": meant}) is None:
                why = f"{moment.strip()!r} is short for {full}, which cftime does not read"
                return TimeProblem("units", why, meant, by_xarray=calendar in _BY_NUMPY)
        return TimeProblem("units", f"{moment.strip()!r} is no date of the calendar {calendar}")
    if unit.strip().lower() in _NANOSECONDS:
        return None
    try:
        cftime.num2date(0, attributes["units"], calendar, only_use_cftime_datetimes=True)
    except (ValueError, OverflowError, TypeError):
        uneven = unit.strip().startswith(("month", "year"))
        lengths = " have no fixed length, and CF advises against them" if uneven else ""
        return TimeProblem("units", f"{unit.strip()!r}{lengths or ' is no unit that is known'}")
    return None


def _meant_calendar(given: str) -> str | None:
    """Return the calendar with the same words in another order, else the one that is spelled most alike."""
    words = sorted(re.split(r"[\W_]+", given))
    same = [calendar for calendar in DECODED if sorted(calendar.split("_")) == words]
    return next(iter(same or get_close_matches(given, DECODED, 1)), None)


def seconds_in_unit(attributes: Mapping[str, Any]) -> int:
    """Return how many seconds the unit of times has: 1 also where it has less, or is not known.

    Parameters
    ----------
    attributes
        Attributes of the array.
    """
    unit = str(attributes.get("units", "")).partition(_SINCE)[0].strip().lower()
    return _SECONDS.get(unit, _SECONDS.get(unit.removesuffix("s"), 1))


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
        return None if np.datetime_data(values.dtype)[0] == "generic" else _of_datetime64(values)
    if attributes is None or not is_time(attributes) or values.dtype.kind not in "iuf":
        return None
    import cftime

    numbers = np.ma.masked_invalid(
        values.astype(np.float64) if values.dtype.kind == "f" else values
    )
    given = attributes.get("calendar", "standard")
    calendar = given if isinstance(given, str) else "standard"
    units = attributes["units"]
    unit, _, moment = units.partition(_SINCE)
    if unit.strip().lower() in _NANOSECONDS and calendar.lower() in _BY_NUMPY:
        # NumPy's own unit, which xarray writes; cftime has none finer than microseconds
        numbers, units = numbers // np.int64(1000), f"microseconds{_SINCE}{moment}"
    try:
        dates = cftime.num2date(
            numbers,
            units,
            calendar,
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


def date_of(attributes: Mapping[str, Any], value: Any) -> str | None:
    """Return a stored value as a date, in text; None where it is none, or where no times are stored.

    Parameters
    ----------
    attributes
        Those of the array, which say what its values count.
    value
        A stored value.
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    labels = time_labels(np.asarray([unpacked_number(attributes, value)]), attributes)
    return labels[0] if labels else None
