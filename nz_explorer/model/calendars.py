"""The calendars that CF names, and dates of ISO 8601 that few readers take, for what reads times and what judges them.

Source: CF-1.11, 4.4.2 Calendar.
"""

from __future__ import annotations

import datetime as dt
import re

DECODED = (
    "standard",
    "gregorian",
    "proleptic_gregorian",
    "julian",
    "noleap",
    "365_day",
    "all_leap",
    "366_day",
    "360_day",
)
"""Those that cftime decodes."""

CALENDARS = (*DECODED, "utc", "tai", "none")
"""Those that have a name in CF; others are defined by the lengths of their months."""

ALIASES = {"gregorian": "standard", "365_day": "noleap", "366_day": "all_leap"}
"""Names of calendars that have another one."""

_AS_CFTIME = {"utc": "standard", "tai": "standard", "none": "all_leap"}
"""How cftime checks dates of calendars that it does not know; in perpetual time each date of a year is one."""

_WITHOUT_YEAR_0 = ("standard", "gregorian", "julian")
"""Calendars that step from the year before Christ to the one after, as CF and cftime have them."""


def has_day(calendar: str, year: int, month: int, day: int) -> bool:
    """Whether a calendar has a day.

    Parameters
    ----------
    calendar : str
        One of those that have a name.
    year, month, day : int
        The day; years before Christ are negative.
    """
    import cftime  # type: ignore[import-untyped, unused-ignore]

    if year == 0 and calendar in _WITHOUT_YEAR_0:
        return False
    positive = year if year > 0 else year % 4 + 4  # of year 0 and before cftime warns
    try:
        cftime.datetime(positive, month, day, calendar=_AS_CFTIME.get(calendar, calendar))
    except ValueError:
        return False
    return True


OTHER_DATE = re.compile(
    r"\d{4}(?:(?P<basic>(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01]))|(?P<week>-?W\d\d(?:-?[1-7])?)|-?(?P<day>\d{3}))(?:T.*)?",
    re.ASCII,
)
"""A date by weeks, by days of the year or without hyphens."""


def is_date(text: str, found: re.Match[str]) -> bool:
    """Whether a date by weeks, by days of the year or without hyphens is one; that of the calendar of ISO 8601.

    Parameters
    ----------
    text : str
        The date.
    found : re.Match
        What `OTHER_DATE` finds in it.
    """
    date = text.partition("T")[0]
    year = int(date[:4])
    if found["day"]:
        leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
        return 1 <= int(found["day"]) <= 365 + leap
    try:
        dt.date.fromisoformat(date)
    except ValueError:
        return year == 0  # which datetime does not have
    return True


def kind_of_date(found: re.Match[str]) -> str:
    """Return how a date of ISO 8601 is written that is not year, month and day with hyphens.

    Parameters
    ----------
    found : re.Match
        What `OTHER_DATE` finds in it.
    """
    if found["week"]:
        return "by weeks"
    return "by days of the year" if found["day"] else "without hyphens"
