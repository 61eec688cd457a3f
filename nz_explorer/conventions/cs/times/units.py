"""CS: the unit of a time object, and units of CF that have the epoch in them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from nz_explorer.conventions.cs.times.calendars import fitting_calendar
from nz_explorer.conventions.cs.times.epochs import EPOCH, Calendars, iso
from nz_explorer.documents.json_text import json_text
from nz_explorer.engine.findings import Fail, RuleOutput
from nz_explorer.engine.fixes import Draft, replace

TIME_UNIT = re.compile(
    r"([yzafpnuµμmcdkMG]|(?:yocto|zepto|atto|femto|pico|nano|micro|milli|centi|deci|kilo|mega|giga)-?)?"
    r"(s|sec|secs|second|seconds)|min|mins|minutes?|h|hrs?|hours?|d|days?|weeks?|months?|"
    r"([kMGT]|(?:kilo|mega|giga|tera)-?)?(y|yrs?|years?)"
)
_DECODED = re.compile(
    r"M?s|secs?|(?:nano|micro|milli)?seconds?|ms|mins?|minutes?|h|hrs?|hours?|d|days?|weeks?|months?"
)
"""Units that xarray decodes, as it did when it was asked for each; weeks and months are judged anyway."""
NOT_DECODED = {
    "xarray-zarr-xgroup": "raises ValueError: unable to decode time units, unless it is told not to decode them"
}


def judge_unit(
    unit: str, at: str, calendars: Calendars, *, keyed: bool, dates: bool = False
) -> RuleOutput:
    """Judge a unit of time that readers know; in the earliest revisions it was any that CF has.

    Parameters
    ----------
    unit : str
        The unit.
    at : str
        RFC 6901 pointer to it.
    calendars : tuple of str
        Those that it may be of.
    keyed : bool
        Whether axes are by name there.
    dates : bool
        Whether the data type is one of dates, which readers do not decode.
    """
    which = (given := unit.strip()).removesuffix("s")
    why = {
        "week": "the units of time of cs are second, minute, hour, day and year; write weeks in days",
        "month": "months differ in length, so cs recommends another unit, such as days",
    }.get(which)
    if unread := keyed and not dates and _DECODED.fullmatch(given) is None:
        why = f"{json_text(unit)} is a unit of cs, and none in which xarray decodes times"
    if why is not None:
        # months are decoded in the calendar in which all are of one length
        decoded = not keyed or (which == "month" and calendars == ("360_day",))
        yield Fail(
            at,
            why,
            severity="info" if unread else "error" if keyed and which == "week" else "warning",
            readers={} if decoded else NOT_DECODED,
            rule="CS-TIME-002",
        )


def right_unit(given: Mapping[str, Any], pointer: str) -> Draft | None:
    """Return the fix of a unit with capitals, or with the epoch in it; None where it is not that.

    Parameters
    ----------
    given : mapping
        The time object.
    pointer : str
        RFC 6901 pointer to it.
    """
    unit = given.get("unit")
    small = unit.strip().lower() if isinstance(unit, str) else ""
    if small != "m" and TIME_UNIT.fullmatch(small):  # M may be the month
        # Ms may be a million seconds, as well as the start of a month is MS
        changed = (replace(f"{pointer}/unit", small),)
        unsure = small in ("ms", "gs", "my", "gy")
        return Draft("suggest", changed) if unsure else Draft("safe", changed)
    rest = {name: value for name, value in given.items() if name != "unit"}
    return in_two_members(pointer, unit, rest)


def in_two_members(pointer: str, units: Any, members: Mapping[str, Any]) -> Draft | None:
    """Return the fix that writes units such as CF has them as a unit and an epoch; None where they are not.

    Parameters
    ----------
    pointer : str
        RFC 6901 pointer to the time object.
    units : object
        The units.
    members : mapping
        What else is in the time object.
    """
    unit, since, epoch = units.partition(" since ") if isinstance(units, str) else ("", "", "")
    match = EPOCH.fullmatch(epoch.strip())
    if not since or match is None or TIME_UNIT.fullmatch(unit.strip()) is None:
        return None
    rest = {name: value for name, value in members.items() if name != "units"}
    right = {"unit": unit.strip(), "epoch": iso(match), **rest}
    if right["epoch"] not in (iso(match), epoch.strip()):
        return None  # of two epochs nobody knows which is meant
    note = None
    if "calendar" not in right:
        calendar, note = fitting_calendar(match)
        if calendar is not None:
            right["calendar"] = calendar
        if calendar == "standard":
            note = "the calendar is standard in CF, unless one is named"
    return Draft("suggest", (replace(pointer, right),), note)
