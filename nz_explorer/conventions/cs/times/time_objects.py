"""CS: the time object of coordinates: its unit, its epoch and its calendar."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, TypeGuard

from nz_explorer.conventions.cs.members import calendar_beside, from_axis
from nz_explorer.conventions.cs.times.arrays_of_times import told_otherwise
from nz_explorer.conventions.cs.times.calendars import USUAL, with_calendar
from nz_explorer.conventions.cs.times.epochs import (
    EPOCH,
    Calendars,
    by_other_days,
    judge_epoch,
    judge_instant,
)
from nz_explorer.conventions.cs.times.units import (
    NOT_DECODED,
    TIME_UNIT,
    in_two_members,
    judge_unit,
    right_unit,
)
from nz_explorer.documents.json_text import json_text
from nz_explorer.engine.findings import Fail, RuleOutput
from nz_explorer.engine.fixes import Draft, add, move, remove
from nz_explorer.model.calendars import CALENDARS, DECODED, OTHER_DATE
from nz_explorer.model.dialects.cs import Axis, CoordinateSet, time_units

_SINCE = re.compile(r"\bsince\b")
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
            fix=lambda _node: in_two_members(pointer, units, {**said, **members}),
            rule="CS-TIME-002",
        )
        return
    reference = given.get("reference")
    if (
        isinstance(reference, str)
        and EPOCH.fullmatch(reference.strip())
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
    held = one.external()
    dates = held is not None and held.data_type.kind == "datetime"
    yield from _calendar(given, f"{pointer}/calendar", hint, said, keyed=keyed, dates=dates)
    calendar = given.get("calendar")
    meant: Calendars = (calendar.lower(),) if _is_known(calendar) else ()
    if calendar is None:
        meant = USUAL
    yield from _members({**said, **given}, pointer, meant, keyed=keyed, dates=dates)
    yield from told_otherwise(one, given, pointer)


def _is_known(calendar: Any) -> TypeGuard[str]:
    return isinstance(calendar, str) and calendar.lower() in CALENDARS


def _calendar(
    given: Mapping[str, Any],
    at: str,
    hint: str,
    said: Mapping[str, str],
    *,
    keyed: bool,
    dates: bool,
) -> RuleOutput:
    """Judge the calendar of a time object, and whether it is missing where none is said beside it."""
    calendar = given.get("calendar")
    if not _is_known(calendar):
        text = "calendar" not in given or isinstance(calendar, str)
        what = f"{json_text(calendar)} is not known" if text else "must be a text"
        yield Fail(
            at,
            f"calendar {what if 'calendar' in given else f'is missing{hint}'}{'' if text else f', got {json_text(calendar)}'}",
            severity=None if text else "error",
            readers=NOT_DECODED if keyed and calendar is not None else None,
            fix=lambda _node: with_calendar(given, at, said),
            rule="CS-TIME-003" if text else "CS-TIME-002",  # one is recommended; a text is its type
        )
    elif keyed and not dates and calendar.lower() not in DECODED:
        yield Fail(
            at,
            f"{json_text(calendar)} is a calendar of CF, and none in which xarray decodes times",
            severity="info",
            readers=NOT_DECODED,
            rule="CS-TIME-003",
        )


def has_time(axis: Axis) -> bool:
    """Whether coordinates of an axis have a time object.

    Parameters
    ----------
    axis : Axis
        The axis.
    """
    return any("time" in one.given for one in axis.sets)


def _without(axis: Axis, one: CoordinateSet, text: bool | None) -> RuleOutput:
    """Note times without a time object."""
    pointer, shown, unit = one.pointer("time"), json_text(axis.name), one.given.get("unit")
    counted = unit.partition(" since ")[0].strip() if isinstance(unit, str) else ""
    of_time = TIME_UNIT.fullmatch(counted) is not None
    # labels of the times beside them, or something else in a unit of its own, such as where a ship was
    is_other = text or (unit is not None and not of_time)
    # such as in another store, which is not read
    is_other = is_other or (text is None and unit is None and one.kind == "external")
    if axis.abbreviation != "T" or (is_other and has_time(axis)):
        return
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


def _from_unit(axis: Axis, one: CoordinateSet) -> Draft | None:
    """Return the fix that makes a time object of units such as CF has them; None where there are none."""
    said = calendar_beside(axis, one)[1]
    draft = in_two_members(one.pointer("time"), one.given.get("unit"), said)
    if draft is None:
        return None
    (whole,) = draft.operations
    right = add(one.pointer("time"), whole["value"])
    return Draft("suggest", (remove(one.pointer("unit")), right))


def _members(
    given: Mapping[str, Any], pointer: str, calendars: Calendars, *, keyed: bool, dates: bool
) -> RuleOutput:
    """Judge the unit and the epoch of a time object, in whichever members it has them."""
    reference = given.get("reference")
    if keyed and isinstance(reference, str) and not given.keys() & {"unit", "epoch"}:
        rest = {name: value for name, value in given.items() if name != "reference"}
        yield Fail(
            f"{pointer}/reference",
            f"time has the reference {json_text(reference)}, as it had while axes were a list: since then it has unit and epoch",
            readers={"xarray-zarr-xgroup": "gives the array without coordinates"},
            fix=lambda _node: in_two_members(pointer, reference, rest),
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
    known = isinstance(unit, str) and TIME_UNIT.fullmatch(unit.strip()) is not None
    if not known and unit != "m":  # the minute here; in units of CF the metre
        wanted = f"unit must be second, minute, hour, day or year, got {json_text(unit)}"
        yield Fail(
            f"{pointer}/unit",
            wanted if "unit" in given else "the time object has no unit",
            fix=lambda _node: right_unit(given, pointer),
            rule="CS-TIME-002",
        )
        if "epoch" not in given and in_two_members(pointer, unit, {}) is not None:
            return  # it has the epoch in it
    else:
        yield from judge_unit(str(unit), f"{pointer}/unit", calendars, keyed=keyed, dates=dates)
    if "epoch" not in given:
        yield Fail(f"{pointer}/epoch", "the time object has no epoch", rule="CS-TIME-002")
    else:
        yield from judge_epoch(given["epoch"], f"{pointer}/epoch", calendars)


def _reference(given: Mapping[str, Any], at: str, calendars: Calendars) -> RuleOutput:
    """Judge a reference, as the earliest revisions have one."""
    unit, _, epoch = (time_units(given) or "").partition(" since ")
    match = EPOCH.fullmatch(epoch.strip())
    right = TIME_UNIT.fullmatch(unit.strip()) is not None
    if right and match is not None:
        yield from judge_instant(match, at, calendars)
        yield from judge_unit(unit, at, calendars, keyed=False)
    elif right and (days := OTHER_DATE.fullmatch(epoch.strip())):
        yield by_other_days(epoch, days, at)
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
