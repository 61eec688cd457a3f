"""CS: the epoch of a time object, an instant of ISO 8601."""

from __future__ import annotations

import re
from typing import Any

from nz_explorer.documents.json_text import json_text
from nz_explorer.engine.findings import Fail, RuleOutput
from nz_explorer.engine.fixes import Draft, replace
from nz_explorer.model.calendars import OTHER_DATE, has_day, is_date, kind_of_date

EPOCH = re.compile(
    r"([+-]?)(\d{1,6})-(\d{1,2})(?:-(\d{1,2}))?(?:[Tt ]+(\d{1,2})(?::(\d{2})(?:[.,]\d+|:(\d{2}(?:[.,]\d+)?))?)?)?\s*"
    r"([Zz]|UTC|(?(4)([+-])(\d{1,2})(?::?(\d{2}))?|(?!)))?",  # of 01-02-1850 the end is no zone
    re.ASCII,
)
_ISO = re.compile(
    r"(\d{4}|[+-]\d{4,6})-\d\d-\d\d(T\d\d(:\d\d([.,]\d+|:\d\d([.,]\d+)?)?)?(Z|[+-]\d\d(:\d\d)?)?)?",
    re.ASCII,
)
Calendars = tuple[str, ...]
"""Those that an epoch may be of; none where the one that is given is not known."""


def judge_epoch(given: Any, at: str, calendars: Calendars) -> RuleOutput:
    """Judge the epoch in a member of its own.

    Parameters
    ----------
    given : object
        What is given.
    at : str
        RFC 6901 pointer to it.
    calendars : tuple of str
        Those that it may be of.
    """
    text = given.strip() if isinstance(given, str) else ""
    match = EPOCH.fullmatch(text)
    if match is None and (days := OTHER_DATE.fullmatch(text)):
        yield by_other_days(text, days, at)
    elif match is None and re.fullmatch(r"\s*(?=0*[1-9])[0-9]{1,6}\s*", str(given)):
        year = f"{str(given).strip():0>4}"
        first = f"{'+' if len(year) > 4 else ''}{year}-01-01"
        yield Fail(
            at,
            f"epoch {json_text(given)} is a year; an instant such as {first} is meant"
            if isinstance(given, str)
            else f"epoch must be a text with a date of ISO 8601, got {json_text(given)}",
            severity="warning" if isinstance(given, str) else None,
            fix=lambda _node: Draft("suggest", (replace(at, first),)),
            rule="CS-TIME-002",
        )
    elif match is None:
        yield Fail(
            at,
            f"epoch {'should' if text else 'must'} be a date of ISO 8601, such as 1850-01-01, got {json_text(given)}",
            severity="warning" if text else None,  # of its form the text says should
            rule="CS-TIME-002",
        )
    else:
        yield from judge_instant(match, at, calendars)
        if not _ISO.fullmatch(given) and not _is_of_no_clock(match):
            right = iso(match)
            wanted = f"should be a date or an instant of ISO 8601, here {right}"
            yield Fail(
                at,
                f"epoch {json_text(given)} {f'is a month; an instant such as {right} is meant' if match[4] is None else wanted}",
                severity="warning",
                fix=lambda _node: Draft("safe", (replace(at, right),)),
                rule="CS-TIME-002",
            )


def by_other_days(epoch: str, days: re.Match[str], at: str) -> Fail:
    """Return what is said of a date by weeks or by days of the year, or without hyphens.

    Parameters
    ----------
    epoch : str
        The epoch.
    days : re.Match
        What `OTHER_DATE` finds in it.
    at : str
        RFC 6901 pointer to it.
    """
    if not is_date(epoch.strip(), days):
        return Fail(
            at, f"{epoch.strip()} is no date of the calendar of ISO 8601", rule="CS-TIME-004"
        )
    return Fail(
        at,
        f"epoch {json_text(epoch.strip())} is a date of ISO 8601 {kind_of_date(days)}, which few readers take: "
        "write year, month and day, such as 1850-01-01",
        severity="warning",
        rule="CS-TIME-002",
    )


def judge_instant(match: re.Match[str], at: str, calendars: Calendars) -> RuleOutput:
    """Judge whether an instant exists.

    Parameters
    ----------
    match : re.Match
        What `EPOCH` finds in the epoch.
    at : str
        RFC 6901 pointer to it.
    calendars : tuple of str
        Those that it may be of.
    """
    hour, minute, second = clock(match)
    if int(match[10] or 0) > 23 or int(match[11] or 0) > 59:
        yield Fail(
            at,
            f"the time zone of {match[0]} does not exist: it is {match[8]} from UTC",
            rule="CS-TIME-004",
        )
        return
    if _is_of_no_clock(match):
        refused = None
        if (hour, minute, second) == (24, 0, 0):
            refused = (
                "is the end of a day; many readers refuse the hour 24: write 00:00 of the next day"
            )
        elif _is_leap_second(match):
            refused = (
                "is a leap second; many readers refuse the second 60: write the minute after it"
            )
        yield Fail(
            at,
            f"{match[0]} {refused}"
            if refused
            else f"the time of {match[0]} does not exist: hours go up to 23, minutes and seconds to 59",
            severity="warning" if refused else None,
            rule="CS-TIME-004",
        )
        return
    if not calendars or any(has_date(calendar, match) for calendar in calendars):
        return
    year, month, day = date_of(match)
    if year == 0 and has_day(calendars[0], 4, month, day):  # ISO 8601 has one
        yield Fail(
            at,
            f"many readers know no year 0 in the calendar {calendars[0]}, where year 1 follows year -1, so {match[0]}"
            " does not exist for them",
            severity="warning",
            rule="CS-TIME-004",
        )
        return
    yield Fail(
        at,
        f"{match[0]} does not exist in the calendar {' or '.join(calendars)}",
        rule="CS-TIME-004",
    )


def clock(match: re.Match[str]) -> tuple[int, int, int]:
    """Return hours, minutes and seconds of an instant.

    Parameters
    ----------
    match : re.Match
        What `EPOCH` finds in the epoch.
    """
    hour, minute, second = (
        int(float(part.replace(",", "."))) if part else 0 for part in match.groups()[4:7]
    )
    return hour, minute, second


def _is_of_no_clock(match: re.Match[str]) -> bool:
    """Whether the time or its zone does not exist, or is the end of a day or a leap second."""
    hour, minute, second = clock(match)
    zone = int(match[10] or 0) > 23 or int(match[11] or 0) > 59
    return zone or hour > 23 or minute > 59 or second > 59


def _is_leap_second(match: re.Match[str]) -> bool:
    """Whether a time is the second 60 of the last minute of a day of UTC, which is what it is of if it has no zone."""
    hour, minute, second = clock(match)
    ahead = int(match[10] or 0) * 60 + int(match[11] or 0)
    of_utc = 60 * hour + minute - (-ahead if match[9] == "-" else ahead)
    return second == 60 and hour < 24 and minute < 60 and of_utc % 1440 == 1439


def date_of(match: re.Match[str]) -> tuple[int, int, int]:
    """Return the year, month and day of an epoch.

    Parameters
    ----------
    match : re.Match
        What `EPOCH` finds in the epoch.
    """
    year, month, day = (int(part) if part else 1 for part in match.groups()[1:4])
    return -year if match[1] == "-" else year, month, day


def has_date(calendar: str, match: re.Match[str]) -> bool:
    """Whether a calendar has the day of an epoch.

    Parameters
    ----------
    calendar : str
        One that has a name.
    match : re.Match
        What `EPOCH` finds in the epoch.
    """
    return has_day(calendar, *date_of(match))


def iso(given: re.Match[str]) -> str:
    """Return an epoch as ISO 8601 writes it.

    Parameters
    ----------
    given : re.Match
        What `EPOCH` finds in it.
    """
    sign, year, month, day, hour, minute, second, zone, side, hours, minutes = given.groups()
    sign = sign or ("+" if len(year) > 4 else "")  # which ISO 8601 wants for more than four digits
    date = f"{sign}{year:0>4}-{month:0>2}-{day or 1:0>2}"
    if hour is None and zone is None:
        return date
    offset = f"{side}{hours:0>2}:{minutes or 0:0>2}" if side else "Z" if zone else ""
    return f"{date}T{hour or 0:0>2}:{minute or 0:0>2}:{second or 0:0>2}{offset}"
