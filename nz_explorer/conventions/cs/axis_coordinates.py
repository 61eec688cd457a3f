"""CS: what the coordinates of an axis say of themselves: units, times, values and boundaries."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from nz_explorer.conventions.cs.references import _reference
from nz_explorer.documents.json_text import json_text
from nz_explorer.documents.json_types import json_type
from nz_explorer.engine.findings import Fail, FixMaker, RuleOutput
from nz_explorer.engine.fixes import Draft, add, remove, replace
from nz_explorer.model import Node
from nz_explorer.model.dialects.cs import (
    Axis,
    CoordinateSet,
    numbers,
    time_units,
)
from nz_explorer.model.dialects.ref import resolve

CALENDARS = frozenset(
    (
        "standard",
        "gregorian",
        "proleptic_gregorian",
        "julian",
        "noleap",
        "365_day",
        "all_leap",
        "366_day",
        "360_day",
        "utc",
        "tai",
    )
)

KINDS = ("regular", "external", "explicit")
"""The ways in which values are given."""

MOST_EXPLICIT = 25
"""The most values that may be in the metadata."""

_TIME_UNIT = re.compile(
    r"([fpnuµmkMG]|milli|micro|nano|kilo)?(s|sec|secs|second|seconds)|min|mins|minutes?|h|hrs?|hours?|d|days?|weeks?|"
    r"months?|[kM]?(y|yrs?|years?)"
)

_EPOCH = re.compile(
    r"(-?\d{1,6})-(\d{1,2})(?:-(\d{1,2}))?(?:[T ]+(\d{1,2})(?::(\d{2})(?::(\d{2})(?:\.\d+)?)?)?)?\s*(?:Z|UTC|[+-]\d{1,2}(?::?\d{2})?)?"
)

_ISO_DATE = re.compile(r"-?\d{4,6}-\d\d-\d\d(?!\d)")
_OTHER_DATE = re.compile(
    r"\d{4}(?:(?P<basic>(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01]))|(?P<week>-?W\d\d(?:-?[1-7])?)|-?(?P<day>\d{3}))(?:T.*)?"
)
_DATE = re.compile(r"^(-?)(\d+)-(\d{1,2})(?:-(\d{1,2}))?")

_CF_DEGREES = re.compile(r"degrees?_?(north|east|N|E)")


def is_text(one: CoordinateSet) -> bool | None:
    """Whether coordinates are strings; None if that is not known."""
    if one.kind == "regular":
        return False
    if one.kind == "explicit" and isinstance(one.values, list) and one.values:
        kinds = {json_type(value) for value in one.values}
        return kinds == {"string"} if kinds in ({"string"}, {"number"}) else None
    held = one.external()
    if held is None or not held.data_type.known:
        return None
    return held.data_type.kind in ("string", "bytes")


def coordinates(axis: Axis, one: CoordinateSet) -> RuleOutput:
    """Judge a set of coordinates of an axis.

    Parameters
    ----------
    axis : Axis
        The axis.
    one : CoordinateSet
        One of its sets.
    """
    text = is_text(one)
    yield from _unit(axis, one, text)
    yield from _time(axis, one, text)
    yield from _values(axis, one)
    yield from _boundaries(axis, one, text)


def _is_temporal(axis: Axis, one: CoordinateSet) -> bool:
    return axis.abbreviation == "T" or "time" in one.given


def _unit(axis: Axis, one: CoordinateSet, text: bool | None) -> RuleOutput:
    pointer, shown = one.pointer("unit"), json_text(axis.name)
    given = one.given.get("unit")
    if given is None:
        if text is False and not _is_temporal(axis, one):
            yield Fail(
                pointer, f"the numeric coordinates of axis {shown} have no unit", rule="CS-CO-004"
            )
    elif text or (axis.abbreviation == "T" and "time" in one.given):
        what = "texts" if text else "times, whose unit is in the time object"
        yield Fail(pointer, f"a unit is not allowed for {what} (axis {shown})", rule="CS-CO-004")
    elif not isinstance(given, str | Mapping) or not given or not str(given).strip():
        yield Fail(
            pointer,
            f"unit must be a string or an object of the uom convention, got {json_text(given)} (axis {shown});"
            ' that of a number without one is "1"',
            rule="CS-CO-004",
        )
    elif isinstance(given, str) and _CF_DEGREES.fullmatch(given):
        yield Fail(
            pointer,
            f'{given} of CF is not a unit here, as the direction is given separately; use "degrees"',
            severity="warning",
            fix=lambda _node: Draft("safe", (replace(pointer, "degrees"),)),
            rule="CS-CO-004",
        )


def _time(axis: Axis, one: CoordinateSet, text: bool | None) -> RuleOutput:
    pointer, shown = one.pointer("time"), json_text(axis.name)
    given = one.given.get("time")
    if given is None:
        labels = text and any("time" in other.given for other in axis.sets)  # of times beside them
        if axis.abbreviation == "T" and not labels:
            unit = one.given.get("unit")
            hint = "" if unit is None else f", which its unit {json_text(unit)} belongs in"
            yield Fail(pointer, f"axis {shown} has no time object{hint}", rule="CS-TIME-001")
        return
    if axis.abbreviation != "T":
        yield Fail(
            pointer,
            f"axis {shown} has a time object, which is allowed only with the abbreviation T",
            rule="CS-TIME-001",
        )
        if axis.abbreviation is not None:  # it goes, whatever is in it
            return
    if not isinstance(given, Mapping):
        yield Fail(pointer, f"time must be an object, got {json_type(given)}", rule="CS-TIME-002")
        return
    if "reference" in given and ("unit" in given or "epoch" in given):
        yield Fail(
            f"{pointer}/reference",
            "time has both reference and unit or epoch, which belong to different revisions",
            severity="warning",
            rule="CS-TIME-002",
        )
    calendar = given.get("calendar")
    known = isinstance(calendar, str) and calendar.lower() in CALENDARS
    if not known:
        what = "is missing" if calendar is None else f"{json_text(calendar)} is not known"
        operation = (add if calendar is None else replace)(f"{pointer}/calendar", "standard")
        yield Fail(
            f"{pointer}/calendar",
            f"calendar {what}",
            fix=lambda _node: Draft("suggest", (operation,)),
            rule="CS-TIME-003",
        )
    yield from _epoch(given, pointer, str(calendar) if known else "standard")


def _epoch(given: Mapping[str, Any], pointer: str, calendar: str) -> RuleOutput:
    units = time_units(given)
    unit, _, epoch = (units or "").partition(" since ")
    match = _EPOCH.fullmatch(epoch.strip())
    right = units is not None and _TIME_UNIT.fullmatch(unit.strip()) is not None
    member = _member_at_fault(given)
    if match is None and right and (days := _OTHER_DATE.fullmatch(epoch.strip())):
        yield Fail(
            f"{pointer}/{member}",
            f"epoch {json_text(epoch.strip())} is a date of ISO 8601 {_kind_of_date(days)}, which few readers take: "
            "write year, month and day, such as 1850-01-01",
            severity="warning",
            rule="CS-TIME-002",
        )
        return
    if match is None or not right:
        year = right and isinstance(given.get("epoch"), str) and given["epoch"].strip().isdecimal()
        yield Fail(
            f"{pointer}/{member}",
            _what_is_wrong(given, member, year=year),
            severity="warning" if year else None,
            fix=_first_of_january(f"{pointer}/epoch", given["epoch"].strip()) if year else None,
            rule="CS-TIME-002",
        )
        return
    import cftime  # type: ignore[import-untyped, unused-ignore]

    year, month, day = (int(part) if part else 1 for part in match.groups()[:3])
    hour, minute, second = (int(part) if part else 0 for part in match.groups()[3:])
    if hour > 23 or minute > 59 or second > 60:
        midnight = (hour, minute, second) == (24, 0, 0)
        yield Fail(
            f"{pointer}/{member}",
            f"{epoch.strip()} is the end of a day; many readers refuse the hour 24: write 00:00 of the next day"
            if midnight
            else f"the time of {epoch.strip()} does not exist: hours go up to 23, minutes and seconds to 59",
            severity="warning" if midnight else None,
            rule="CS-TIME-004",
        )
        return
    try:
        cftime.datetime(
            year if year > 0 else year % 4 + 4,  # of year 0 and before cftime warns
            month,
            day,
            hour,
            minute,
            min(second, 59) if second == 60 else second,  # a leap second
            calendar="standard" if calendar in ("utc", "tai") else calendar,
        )
    except ValueError:
        yield Fail(
            f"{pointer}/{member}",
            f"{epoch.strip()} does not exist in the calendar {calendar}",
            rule="CS-TIME-004",
        )
    if "epoch" in given and not _ISO_DATE.match(epoch.strip()):
        right_date = _DATE.sub(_iso, epoch.strip(), count=1)
        yield Fail(
            f"{pointer}/epoch",
            f"epoch {json_text(epoch)} should be a date of ISO 8601, such as 1850-01-01: four digits, two and two",
            severity="warning",
            fix=lambda _node: Draft("safe", (replace(f"{pointer}/epoch", right_date),)),
            rule="CS-TIME-002",
        )
    if unit.strip() in ("week", "weeks"):
        yield Fail(
            f"{pointer}/{'reference' if 'reference' in given else 'unit'}",
            "the units of time of cs are second, minute, hour, day and year; write weeks in days",
            severity="warning",
            rule="CS-TIME-002",
        )
    if unit.strip() in ("month", "months"):
        yield Fail(
            f"{pointer}/{'reference' if 'reference' in given else 'unit'}",
            "months differ in length, so cs recommends another unit, such as days",
            severity="warning",
            rule="CS-TIME-002",
        )


def _what_is_wrong(given: Mapping[str, Any], member: str, *, year: bool) -> str:
    """Return what is wrong with a time object of which nobody can count from an epoch."""
    if year:
        return f"epoch {json_text(given['epoch'])} is a year; an instant such as {given['epoch'].strip()}-01-01 is meant"
    if member == "reference":
        shown = json_text(given.get("reference"))
        wanted = 'a unit of time and a date, such as "days since 1850-01-01"'
        return (
            f"reference must be {wanted}, got {shown}"
            if "reference" in given
            else "the time object has no reference"
        )
    wanted = (
        "a date of ISO 8601, such as 1850-01-01"
        if member == "epoch"
        else "second, minute, hour, day or year"
    )
    got = f"{member} must be {wanted}, got {json_text(given.get(member))}"
    return got if member in given else f"the time object has no {member}"


def _kind_of_date(found: re.Match[str]) -> str:
    """Return how a date of ISO 8601 is written that is not year, month and day with hyphens."""
    if found["week"]:
        return "by weeks"
    return "by days of the year" if found["day"] else "without hyphens"


def _first_of_january(pointer: str, year: str) -> FixMaker:
    return lambda _node: Draft("suggest", (replace(pointer, f"{year:0>4}-01-01"),))


def _iso(date: re.Match[str]) -> str:
    """Return the date of an epoch with the digits that ISO 8601 wants."""
    sign, year, month, day = date.groups()
    return f"{sign}{year:0>4}-{month:0>2}-{day or 1:0>2}"


def _member_at_fault(given: Mapping[str, Any]) -> str:
    """Return the member of a time object that a message is about."""
    if "reference" in given or not given.keys() & {"unit", "epoch"}:
        return "reference"
    unit = given.get("unit")
    return "epoch" if isinstance(unit, str) and _TIME_UNIT.fullmatch(unit.strip()) else "unit"


def _values(axis: Axis, one: CoordinateSet) -> RuleOutput:
    shown, given, pointer = json_text(axis.name), one.given.get("values"), one.pointer("values")
    yield from values_object(shown, one.home, given, pointer)
    if one.kind == "explicit" and of_one_type(one.values):
        yield from _list_of_coordinates(shown, one.values, f"{pointer}/explicit")


def values_object(shown: str, home: Node, given: Any, pointer: str) -> RuleOutput:
    """Judge an object that gives values in one of three ways.

    Parameters
    ----------
    shown : str
        What the values are those of.
    home : Node
        The node in whose attributes the object is.
    given : object
        The object in the metadata.
    pointer : str
        Where it is.
    """
    there = [kind for kind in KINDS if isinstance(given, Mapping) and kind in given]
    if not there and (turned := _turned_round(given)) is not None:
        yield _ref_outside(f"values of {shown}", pointer, turned, "CS-VAL-001")
        return
    if len(there) != 1:
        got = " and ".join(there) if there else json_text(given) if given is not None else "nothing"
        yield Fail(
            pointer,
            f"values of {shown} must have exactly one of regular, external and explicit, got {got}",
            rule="CS-VAL-001",
        )
        return
    ((kind, values),) = ((kind, given[kind]) for kind in there)
    at = f"{pointer}/{kind}"
    if kind == "regular":
        pair = numbers(values, 2)
        if pair is None:
            yield Fail(
                at,
                f"regular must be two finite numbers, [first, increment], got {json_text(values)}",
                rule="CS-VAL-002",
            )
        elif pair[1] == 0:
            yield Fail(f"{at}/1", "the increment is 0", rule="CS-VAL-003")
    elif kind == "external":
        yield from _reference(home, resolve(values, home), at)
    elif not of_one_type(values):
        yield Fail(
            at,
            f"explicit values of {shown} must be a list of numbers or a list of texts, got {json_text(values)}",
            rule="CS-VAL-005",
        )


def _turned_round(given: Any) -> dict[str, Any] | None:
    """Return values with ``ref`` inside ``external``, None where it is not the other way round."""
    outer = given.get("ref") if isinstance(given, Mapping) else None
    inner = outer.get("external") if isinstance(outer, Mapping) and len(outer) == 1 else None
    if not isinstance(inner, Mapping):
        return None
    rest = {name: value for name, value in given.items() if name != "ref"}
    return {**rest, "external": {"ref": inner}}


def _ref_outside(shown: str, pointer: str, turned: dict[str, Any], rule_id: str) -> Fail:
    return Fail(
        pointer,
        f"{shown} have external inside ref, as in examples of the text; its tables and its schema have ref inside external",
        fix=lambda _node: Draft("suggest", (replace(pointer, turned),)),
        rule=rule_id,
    )


def of_one_type(given: Any) -> bool:
    """Whether something is a list of numbers only, or of texts only.

    Parameters
    ----------
    given : object
        What metadata have as explicit values.
    """
    kinds = {json_type(value) for value in given} if isinstance(given, list) else {"none"}
    return len(kinds) <= 1 and kinds <= {"number", "string"}


def _list_of_coordinates(shown: str, given: list[Any], at: str) -> RuleOutput:
    if len(given) > MOST_EXPLICIT:
        yield Fail(
            at,
            f"{len(given)} explicit values; an external array is better for so many",
            rule="CS-VAL-006",
        )
    plain = [value for value in given if type(value) in (int, float)]
    pairs = list(pairwise(plain))
    rising, falling = all(a < b for a, b in pairs), all(a > b for a, b in pairs)
    if pairs and not rising and not falling:
        yield Fail(at, f"values of {shown} are not monotonic", rule="CS-VAL-007")


def _boundaries(axis: Axis, one: CoordinateSet, text: bool | None) -> RuleOutput:
    given = one.given.get("boundaries")
    if given is None:
        return
    pointer = one.pointer("boundaries")
    if text:
        yield Fail(
            pointer,
            f"the text coordinates of axis {json_text(axis.name)} have boundaries",
            fix=lambda _node: Draft("unsafe", (remove(pointer),)),
            rule="CS-BND-002",
        )
        return
    there = [
        kind for kind in ("regular", "external") if isinstance(given, Mapping) and kind in given
    ]
    if not there and (turned := _turned_round(given)) is not None:
        yield _ref_outside(f"boundaries of {json_text(axis.name)}", pointer, turned, "CS-BND-001")
        return
    if len(there) != 1:
        yield Fail(
            pointer,
            f"boundaries must have exactly one of regular and external, got {' and '.join(there) or json_text(given)}",
            rule="CS-BND-001",
        )
        return
    if there == ["external"]:
        reference = resolve(given["external"], one.home)
        yield from _reference(one.home, reference, f"{pointer}/external")
    elif numbers(given["regular"], 2) is None:
        yield Fail(
            f"{pointer}/regular",
            f"regular must be two finite numbers, [lower, upper], got {json_text(given['regular'])}",
            rule="CS-BND-003",
        )
    elif given["regular"][0] >= given["regular"][1]:
        lower, upper = given["regular"]
        what = "equal" if lower == upper else "in the wrong order"
        right = [-upper, upper] if lower == upper > 0 else [upper, lower]
        yield Fail(
            f"{pointer}/regular",
            f"both extents are added to the coordinate, so cells of {json_text(given['regular'])} are empty: they are {what}",
            severity="warning",
            fix=(lambda _node: Draft("suggest", (replace(f"{pointer}/regular", right),)))
            if right[0] < right[1]
            else None,
            rule="CS-BND-003",
        )
