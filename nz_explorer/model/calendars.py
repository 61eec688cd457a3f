"""The calendars that CF names, for what reads times and what judges them.

Source: CF-1.11, 4.4.2 Calendar.
"""

from __future__ import annotations

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
