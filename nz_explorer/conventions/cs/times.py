"""CS: the time object of coordinates: its unit, its epoch and its calendar."""

from __future__ import annotations

import re
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any

from nz_explorer.conventions.cs.members import calendar_beside, from_axis
from nz_explorer.documents.json_text import json_text
from nz_explorer.engine.findings import Fail, RuleOutput
from nz_explorer.engine.fixes import Draft, add, move, remove, replace
from nz_explorer.model.calendars import (
    ALIASES,
    CALENDARS,
    DECODED,
    OTHER_DATE,
    has_day,
    is_date,
    kind_of_date,
)
from nz_explorer.model.dialects.cs import Axis, CoordinateSet, time_units
from nz_explorer.text.phrases import listed

_TIME_UNIT = re.compile(
    r"([yzafpnuµμmcdkMG]|(?:yocto|zepto|atto|femto|pico|nano|micro|milli|centi|deci|kilo|mega|giga)-?)?"
    r"(s|sec|secs|second|seconds)|min|mins|minutes?|h|hrs?|hours?|d|days?|weeks?|months?|"
    r"([kMGT]|(?:kilo|mega|giga|tera)-?)?(y|yrs?|years?)"
)
_DECODED = re.compile(
    r"M?s|secs?|(?:nano|micro|milli)?seconds?|ms|mins?|minutes?|h|hrs?|hours?|d|days?|weeks?|months?"
)
"""Units that xarray decodes, as it did when it was asked for each; weeks and months are judged anyway."""
_EPOCH = re.compile(
    r"([+-]?)(\d{1,6})-(\d{1,2})(?:-(\d{1,2}))?(?:[Tt ]+(\d{1,2})(?::(\d{2})(?:[.,]\d+|:(\d{2}(?:[.,]\d+)?))?)?)?\s*"
    r"([Zz]|UTC|(?(4)([+-])(\d{1,2})(?::?(\d{2}))?|(?!)))?",  # of 01-02-1850 the end is no zone
    re.ASCII,
)
_ISO = re.compile(
    r"(\d{4}|[+-]\d{4,6})-\d\d-\d\d(T\d\d(:\d\d([.,]\d+|:\d\d([.,]\d+)?)?)?(Z|[+-]\d\d(:\d\d)?)?)?",
    re.ASCII,
)
_SINCE = re.compile(r"\bsince\b")

Calendars = tuple[str, ...]
"""Those that an epoch may be of; none where the one that is given is not known."""
_EACH = {
    "xarray": "takes what the array says",
    "xarray-zarr-xgroup": "takes what cs says where the array is in another group, else that of the two that it comes to last",
}
_USUAL = ("standard", "proleptic_gregorian")
"""What applications take where no calendar is given, by the text."""
_NOT_DECODED = {
    "xarray-zarr-xgroup": "raises ValueError: unable to decode time units, unless it is told not to decode them"
}

TEXTS = ", but its coordinates are texts: times are numbers, counted from an epoch; texts may be a second set beside them"


def time_object(axis: Axis, one: CoordinateSet, text: bool | None) -> RuleOutput:
    """Judge the time object of a set of coordinates, or that there is none.

    Parameters
    ----------
    axis : Axis
        The axis.
    one : CoordinateSet
        One of its sets.
    text : bool or None
        Whether its values are texts; None if that is not known.
    """
    pointer, shown = one.pointer("time"), json_text(axis.name)
    given = one.given.get("time")
    if given is None:
        yield from _without(axis, one, text)
        return
    if axis.abbreviation in ("X", "Y", "Z"):  # that there is none, or no such one, is CS-AX-003
        yield Fail(
            pointer,
            f"axis {shown} has a time object, which is allowed only with the abbreviation T",
            rule="CS-TIME-001",
        )
        return  # it goes, whatever is in it
    hint, said = calendar_beside(axis, one)
    if isinstance(given, Mapping) and isinstance(units := given.get("units"), str):
        if "unit" in given and "epoch" in given:
            yield Fail(
                f"{pointer}/units",
                f"units {json_text(units)}, as CF has them, are beside unit and epoch, by which readers of cs go",
                severity="warning",
                fix=lambda _node: Draft("suggest", (remove(f"{pointer}/units"),)),
                rule="CS-TIME-002",
            )
            given = {name: value for name, value in given.items() if name != "units"}
        elif "unit" not in given and not _SINCE.search(units):
            yield Fail(
                f"{pointer}/units",
                f"time has units, {json_text(units)}, and readers look for unit",
                fix=lambda _node: Draft("suggest", (move(f"{pointer}/units", f"{pointer}/unit"),)),
                rule="CS-TIME-002",
            )
            return
    if not isinstance(given, Mapping) or isinstance(given.get("units"), str):
        members = given if isinstance(given, Mapping) else {}
        units = members.get("units", given)
        yield Fail(
            pointer,
            f"time has the units {json_text(units)}, as CF has them: here they are unit and epoch"
            if members
            else f"time must be an object with unit and epoch, got {json_text(given)}",
            fix=lambda _node: _in_two_members(pointer, units, {**said, **members}),
            rule="CS-TIME-002",
        )
        return
    reference = given.get("reference")
    if (
        isinstance(reference, str)
        and _EPOCH.fullmatch(reference.strip())
        and "unit" in given
        and "epoch" not in given
    ):
        yield Fail(
            f"{pointer}/reference",
            f"time has a unit and {json_text(reference)} as reference, and readers look for epoch",
            fix=lambda _node: Draft("suggest", (move(f"{pointer}/reference", f"{pointer}/epoch"),)),
            rule="CS-TIME-002",
        )
        return
    if "reference" in given and ("unit" in given or "epoch" in given):
        yield Fail(
            f"{pointer}/reference",
            "time has both reference and unit or epoch, which belong to different revisions",
            severity="warning",
            rule="CS-TIME-002",
        )
    keyed = isinstance(axis.place[-1], str)  # as in revisions that have no reference any more
    calendar = given.get("calendar")
    known = isinstance(calendar, str) and calendar.lower() in CALENDARS
    if not known:
        text = "calendar" not in given or isinstance(calendar, str)
        what = f"{json_text(calendar)} is not known" if text else "must be a text"
        yield Fail(
            f"{pointer}/calendar",
            f"calendar {what if 'calendar' in given else f'is missing{hint}'}{'' if text else f', got {json_text(calendar)}'}",
            severity=None if text else "error",
            readers=_NOT_DECODED if keyed and calendar is not None else None,
            fix=lambda _node: _calendar(given, f"{pointer}/calendar", said),
            rule="CS-TIME-003" if text else "CS-TIME-002",  # one is recommended; a text is its type
        )
    meant: Calendars = (str(calendar).lower(),) if known else ()
    if calendar is None:
        meant = _USUAL
    yield from _members({**said, **given}, pointer, meant, keyed=keyed)
    yield from _told_otherwise(one, given, pointer)


def _without(axis: Axis, one: CoordinateSet, text: bool | None) -> RuleOutput:
    """Note times without a time object."""
    labels = text and any("time" in other.given for other in axis.sets)  # of times beside them
    if axis.abbreviation != "T" or labels:
        return
    pointer, shown, unit = one.pointer("time"), json_text(axis.name), one.given.get("unit")
    of_time = isinstance(unit, str) and _TIME_UNIT.match(unit.strip()) is not None
    hint = f", which its unit {json_text(unit)} belongs in" if of_time else ""
    own = "time" in axis.given
    yield Fail(
        pointer,
        f"the coordinates of axis {shown} have no time object; that of the axis belongs in them"
        if own
        else f"axis {shown} has no time object{hint}{TEXTS if text else ''}",
        fix=lambda _node: from_axis(axis, "time", pointer) if own else _from_unit(axis, one),
        rule="CS-TIME-001",
    )


def _told_otherwise(one: CoordinateSet, given: Mapping[str, Any], pointer: str) -> RuleOutput:
    """Note an array whose own attributes count its times from elsewhere, or in another calendar."""
    held, units = one.external(), time_units(given)
    own = None if held is None else held.attributes.get("units")
    if held is None or units is None or not isinstance(own, str) or " since " not in own:
        return
    calendar = given.get("calendar")
    beside = held.attributes.get("calendar", "standard") if calendar is not None else None
    mine, theirs = _counted(units, calendar), _counted(own, beside)
    if mine is None or theirs is None or mine == theirs:
        return
    shown = own if beside is None else f"{own}, {beside}"
    yield Fail(
        pointer,
        f"{held.path} has {json_text(shown)} as its own units of time, and cs says"
        f" {json_text(units if beside is None else f'{units}, {calendar}')}: each is what some readers take",
        related=(held.path,),
        severity="warning",
        readers=_EACH,
        rule="CS-CF-001",
    )


def _counted(units: str, calendar: Any) -> tuple[Any, ...] | None:
    """Return what times are counted in, from when and in which calendar; None where that is not understood."""
    unit, _, epoch = units.partition(" since ")
    match = _EPOCH.fullmatch(epoch.strip())
    strange = calendar is not None and not isinstance(calendar, str)  # CS-TIME-002, CF-TIME-002
    if match is None or strange or _TIME_UNIT.fullmatch(unit := unit.strip().lower()) is None:
        return None
    small = "" if calendar is None else calendar.lower()
    usual = ALIASES.get(small, small)
    singular = (time_units({"unit": unit, "epoch": "0"}) or "").partition(" ")[0].removesuffix("s")
    return singular, _date(match), _clock(match), (match[8] or "Z").upper(), usual


def _from_unit(axis: Axis, one: CoordinateSet) -> Draft | None:
    """Return the fix that makes a time object of units such as CF has them; None where there are none."""
    said = calendar_beside(axis, one)[1]
    draft = _in_two_members(one.pointer("time"), one.given.get("unit"), said)
    if draft is None:
        return None
    (whole,) = draft.operations
    right = add(one.pointer("time"), whole["value"])
    return Draft("suggest", (remove(one.pointer("unit")), right))


def _in_two_members(pointer: str, units: Any, members: Mapping[str, Any]) -> Draft | None:
    """Return the fix that writes units such as CF has them as a unit and an epoch; None where they are not."""
    unit, since, epoch = units.partition(" since ") if isinstance(units, str) else ("", "", "")
    match = _EPOCH.fullmatch(epoch.strip())
    if not since or match is None or _TIME_UNIT.fullmatch(unit.strip()) is None:
        return None
    rest = {name: value for name, value in members.items() if name != "units"}
    right = {"unit": unit.strip(), "epoch": _iso(match), **rest}
    if right["epoch"] not in (_iso(match), epoch.strip()):
        return None  # of two epochs nobody knows which is meant
    note = None
    if "calendar" not in right:
        calendar, note = _fitting(match)
        if calendar is not None:
            right["calendar"] = calendar
        if calendar == "standard":
            note = "the calendar is standard in CF, unless one is named"
    return Draft("suggest", (replace(pointer, right),), note)


def _fitting(epoch: re.Match[str] | None) -> tuple[str | None, str]:
    """Return a calendar for times without one, None where it cannot be told from their epoch; and why it is that."""
    usual = [one for one in _USUAL if epoch is None or _has_date(one, epoch)]
    named = [one for one in DECODED if one not in ALIASES]
    having = usual or [one for one in named if epoch is not None and _has_date(one, epoch)]
    if epoch is None or not having or usual:  # one that no calendar has is told of by itself
        right = (having or _USUAL)[0]
        return right, f"{right} is usual; a climate model may have another one"
    if len(having) > 1:
        return None, f"{epoch[0]} exists in {listed(having)}: write the one that is meant"
    return having[0], f"of the calendars that have names, only {having[0]} has {epoch[0]}"


def _calendar(given: Mapping[str, Any], pointer: str, said: Mapping[str, str]) -> Draft:
    """Return the fix of a calendar that is missing, unless it is said beside the time object, or not known."""
    wrong = given.get("calendar")
    if wrong is None and said:
        write = replace if "calendar" in given else add
        return Draft("suggest", (write(pointer, said["calendar"]),))
    if wrong is None:
        epoch = (time_units(given) or "").partition(" since ")[2]
        right, why = _fitting(_EPOCH.fullmatch(epoch.strip()))
        write = replace if "calendar" in given else add
        return Draft("suggest", () if right is None else (write(pointer, right),), why)
    alone = wrong[0] if isinstance(wrong, list) and len(wrong) == 1 else wrong
    close = get_close_matches(alone.strip().lower(), CALENDARS, 1) if isinstance(alone, str) else []
    operations = (replace(pointer, close[0]),) if close else ()
    return Draft("suggest", operations, None if close else f"write one of {', '.join(CALENDARS)}")


def _members(
    given: Mapping[str, Any], pointer: str, calendars: Calendars, *, keyed: bool
) -> RuleOutput:
    """Judge the unit and the epoch of a time object, in whichever members it has them."""
    reference = given.get("reference")
    if keyed and isinstance(reference, str) and not given.keys() & {"unit", "epoch"}:
        rest = {name: value for name, value in given.items() if name != "reference"}
        yield Fail(
            f"{pointer}/reference",
            f"time has the reference {json_text(reference)}, as it had while axes were a list: since then it has unit and epoch",
            readers={"xarray-zarr-xgroup": "gives the array without coordinates"},
            fix=lambda _node: _in_two_members(pointer, reference, rest),
            rule="CS-TIME-002",
        )
        return
    if "reference" in given or not (keyed or given.keys() & {"unit", "epoch"}):
        yield from _reference(given, f"{pointer}/reference", calendars)
        return
    if not given.keys() & {"unit", "epoch"}:
        yield Fail(
            f"{pointer}/unit", "the time object has neither unit nor epoch", rule="CS-TIME-002"
        )
        return
    unit = given.get("unit")
    known = isinstance(unit, str) and _TIME_UNIT.fullmatch(unit.strip()) is not None
    if not known and unit != "m":  # the minute here; in units of CF the metre
        wanted = f"unit must be second, minute, hour, day or year, got {json_text(unit)}"
        yield Fail(
            f"{pointer}/unit",
            wanted if "unit" in given else "the time object has no unit",
            fix=lambda _node: _right_unit(given, pointer),
            rule="CS-TIME-002",
        )
        if "epoch" not in given and _in_two_members(pointer, unit, {}) is not None:
            return  # it has the epoch in it
    else:
        yield from _unit(str(unit), f"{pointer}/unit", calendars, keyed=keyed)
    if "epoch" not in given:
        yield Fail(f"{pointer}/epoch", "the time object has no epoch", rule="CS-TIME-002")
    else:
        yield from _epoch(given["epoch"], f"{pointer}/epoch", calendars)


def _reference(given: Mapping[str, Any], at: str, calendars: Calendars) -> RuleOutput:
    """Judge a reference, as the earliest revisions have one."""
    unit, _, epoch = (time_units(given) or "").partition(" since ")
    match = _EPOCH.fullmatch(epoch.strip())
    right = _TIME_UNIT.fullmatch(unit.strip()) is not None
    if right and match is not None:
        yield from _instant(match, at, calendars)
        yield from _unit(unit, at, calendars, keyed=False)
    elif right and (days := OTHER_DATE.fullmatch(epoch.strip())):
        yield _by_other_days(epoch, days, at)
    else:
        got = f"got {json_text(given.get('reference'))}"
        wanted = (
            f'reference must be a unit of time and a date, such as "days since 1850-01-01", {got}'
        )
        yield Fail(
            at,
            wanted if "reference" in given else "the time object has no reference",
            rule="CS-TIME-002",
        )


def _unit(unit: str, at: str, calendars: Calendars, *, keyed: bool) -> RuleOutput:
    """Judge a unit of time that readers know; in the earliest revisions it was any that CF has."""
    which = (given := unit.strip()).removesuffix("s")
    why = {
        "week": "the units of time of cs are second, minute, hour, day and year; write weeks in days",
        "month": "months differ in length, so cs recommends another unit, such as days",
    }.get(which)
    if unread := keyed and _DECODED.fullmatch(given) is None:
        why = f"{json_text(unit)} is a unit of cs, and none in which xarray decodes times"
    if why is not None:
        # months are decoded in the calendar in which all are of one length
        decoded = not keyed or (which == "month" and calendars == ("360_day",))
        yield Fail(
            at,
            why,
            severity="info" if unread else "error" if keyed and which == "week" else "warning",
            readers={} if decoded else _NOT_DECODED,
            rule="CS-TIME-002",
        )


def _epoch(given: Any, at: str, calendars: Calendars) -> RuleOutput:
    """Judge the epoch in a member of its own."""
    text = given.strip() if isinstance(given, str) else ""
    match = _EPOCH.fullmatch(text)
    if match is None and (days := OTHER_DATE.fullmatch(text)):
        yield _by_other_days(text, days, at)
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
        yield from _instant(match, at, calendars)
        if not _ISO.fullmatch(given) and not _is_of_no_clock(match):
            iso = _iso(match)
            wanted = f"should be a date or an instant of ISO 8601, here {iso}"
            yield Fail(
                at,
                f"epoch {json_text(given)} {f'is a month; an instant such as {iso} is meant' if match[4] is None else wanted}",
                severity="warning",
                fix=lambda _node: Draft("safe", (replace(at, iso),)),
                rule="CS-TIME-002",
            )


def _by_other_days(epoch: str, days: re.Match[str], at: str) -> Fail:
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


def _clock(match: re.Match[str]) -> tuple[int, int, int]:
    """Return hours, minutes and seconds of an instant."""
    hour, minute, second = (
        int(float(part.replace(",", "."))) if part else 0 for part in match.groups()[4:7]
    )
    return hour, minute, second


def _is_of_no_clock(match: re.Match[str]) -> bool:
    """Whether the time or its zone does not exist, or is the end of a day."""
    hour, minute, second = _clock(match)
    zone = int(match[10] or 0) > 23 or int(match[11] or 0) > 59
    return zone or hour > 23 or minute > 59 or second > 60


def _instant(match: re.Match[str], at: str, calendars: Calendars) -> RuleOutput:
    """Judge whether an instant exists."""
    hour, minute, second = _clock(match)
    if int(match[10] or 0) > 23 or int(match[11] or 0) > 59:
        yield Fail(
            at,
            f"the time zone of {match[0]} does not exist: it is {match[8]} from UTC",
            rule="CS-TIME-004",
        )
        return
    if _is_of_no_clock(match):
        midnight = (hour, minute, second) == (24, 0, 0)
        yield Fail(
            at,
            f"{match[0]} is the end of a day; many readers refuse the hour 24: write 00:00 of the next day"
            if midnight
            else f"the time of {match[0]} does not exist: hours go up to 23, minutes and seconds to 59",
            severity="warning" if midnight else None,
            rule="CS-TIME-004",
        )
        return
    if not calendars or any(_has_date(calendar, match) for calendar in calendars):
        return
    year, month, day = _date(match)
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


def _date(match: re.Match[str]) -> tuple[int, int, int]:
    """Return the year, month and day of an epoch."""
    year, month, day = (int(part) if part else 1 for part in match.groups()[1:4])
    return -year if match[1] == "-" else year, month, day


def _has_date(calendar: str, match: re.Match[str]) -> bool:
    """Whether a calendar has the day of an epoch."""
    return has_day(calendar, *_date(match))


def _right_unit(given: Mapping[str, Any], pointer: str) -> Draft | None:
    """Return the fix of a unit with capitals, or with the epoch in it; None where it is not that."""
    unit = given.get("unit")
    small = unit.strip().lower() if isinstance(unit, str) else ""
    if small != "m" and _TIME_UNIT.fullmatch(small):  # M may be the month
        # Ms may be a million seconds, as well as the start of a month is MS
        changed = (replace(f"{pointer}/unit", small),)
        unsure = small in ("ms", "gs", "my", "gy")
        return Draft("suggest", changed) if unsure else Draft("safe", changed)
    rest = {name: value for name, value in given.items() if name != "unit"}
    return _in_two_members(pointer, unit, rest)


def _iso(given: re.Match[str]) -> str:
    """Return an epoch as ISO 8601 writes it."""
    sign, year, month, day, hour, minute, second, zone, side, hours, minutes = given.groups()
    sign = sign or ("+" if len(year) > 4 else "")  # which ISO 8601 wants for more than four digits
    date = f"{sign}{year:0>4}-{month:0>2}-{day or 1:0>2}"
    if hour is None and zone is None:
        return date
    offset = f"{side}{hours:0>2}:{minutes or 0:0>2}" if side else "Z" if zone else ""
    return f"{date}T{hour or 0:0>2}:{minute or 0:0>2}:{second or 0:0>2}{offset}"
