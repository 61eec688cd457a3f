"""CS: what an array of times says of itself, or attributes of coordinates say of times, beside the time object of cs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nz_explorer.conventions.cs.times.epochs import EPOCH, clock, date_of
from nz_explorer.conventions.cs.times.units import TIME_UNIT
from nz_explorer.conventions.times_as_numbers import units_of_times
from nz_explorer.documents.json_text import json_text
from nz_explorer.engine.findings import Fail, RuleOutput
from nz_explorer.engine.fixes import Draft, remove
from nz_explorer.model import Array
from nz_explorer.model.calendars import ALIASES
from nz_explorer.model.dialects.cs import CoordinateSet, time_units

_EACH = {
    "xarray": "takes what the array says",
    "xarray-zarr-xgroup": "takes what cs says where the array is in another group, else that of the two that it comes to last",
}

_SHORT = {
    "ms": "milliseconds",
    "us": "microseconds",
    "µs": "microseconds",
    "μs": "microseconds",
    "ns": "nanoseconds",
}
_OF_DATES = ("day", "hour", "minute", "second", "millisecond", "microsecond", "nanosecond")
"""Units of data types that hold dates; of other spellings of theirs nothing is said."""
_OF_CLOCKS = ("standard", "gregorian", "proleptic_gregorian", "utc", "tai")
"""Calendars of dates such as these data types hold, of times for which clocks are used."""

_OF_LIMITS = {"xarray": "takes what the array says"}

_OF_CF = ("units", "calendar")
"""What CF has of times among their attributes."""
_GREGORIAN = (1582, 10, 15)
"""The day from which on dates of standard are those of proleptic_gregorian."""


def told_otherwise(one: CoordinateSet, given: Mapping[str, Any], pointer: str) -> RuleOutput:
    """Note an array whose own attributes or data type count its times from elsewhere, or in another calendar.

    Parameters
    ----------
    one : CoordinateSet
        The coordinates.
    given : mapping
        Their time object.
    pointer : str
        RFC 6901 pointer to it.
    """
    units = time_units(given)
    yield from _in_attributes(one, units, given.get("calendar"))
    for held, readers in ((one.external(), _EACH), (one.bounds(), _OF_LIMITS)):
        if held is not None and units is not None:
            yield from _in_array(held, units, given.get("calendar"), pointer, readers)


def _in_array(
    held: Array, units: str, calendar: Any, pointer: str, readers: Mapping[str, str]
) -> RuleOutput:
    """Note an array of times, or of the limits of their cells, that counts them otherwise than the time object."""
    if numbers := units_of_times(held.data_type):
        yield from _by_type(held, numbers, units, calendar, pointer, readers)
        return
    own = held.attributes.get("units")
    if not isinstance(own, str) or " since " not in own:
        return
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
        readers=readers,
        rule="CS-CF-001",
    )


def _in_attributes(one: CoordinateSet, units: str | None, calendar: Any) -> RuleOutput:
    """Note coordinates whose attributes have other units of time, or another calendar, than their time object."""
    own = one.given.get("attributes")
    if units is None or not isinstance(own, Mapping) or own.keys().isdisjoint(_OF_CF):
        return
    said = own.get("units", units)
    beside = own.get("calendar", calendar) if calendar is not None else None
    mine, theirs = _counted(units, calendar), None
    if isinstance(said, str) and " since " in said:
        theirs = _counted(said, beside)
        if mine is None or theirs is None:
            return
    if mine == theirs:
        return
    there = [name for name in _OF_CF if name in own]
    shown = ", ".join(f"{name} {json_text(own[name])}" for name in there)
    yield Fail(
        one.pointer("attributes", there[0]),
        f"the attributes of these coordinates have {shown}, and their time object says"
        f" {json_text(units if calendar is None else f'{units}, {calendar}')}, which is where the text has it",
        severity="warning",
        readers={"xarray-zarr-xgroup": "takes what the attributes say"},
        fix=lambda _node: Draft(
            "suggest", tuple(remove(one.pointer("attributes", name)) for name in there)
        ),
        rule="CS-CF-001",
    )


def _by_type(
    held: Array,
    told: str,
    units: str,
    calendar: Any,
    pointer: str,
    readers: Mapping[str, str],
) -> RuleOutput:
    """Note an array of dates or durations whose numbers are others than those of the time object."""
    mine = _counted(units, calendar)
    if mine is None or mine[0] not in _OF_DATES:
        return
    dates = " since " in told
    other = dates and isinstance(calendar, str) and calendar.lower() not in _OF_CLOCKS
    same = mine == _counted(told, calendar) if dates else f"{mine[0]}s" == told
    if same and not other:
        return
    by = ", in the calendar proleptic_gregorian" if dates else ""
    yield Fail(
        pointer,
        f"{held.path} is {held.data_type.text}, by which its numbers are {told}{by}, and cs says"
        f" {json_text(units if calendar is None else f'{units}, {calendar}')}: readers that know the data type go by it",
        related=(held.path,),
        severity="warning",
        readers=dict.fromkeys(readers, "takes what the data type says"),
        rule="CS-CF-001",
    )


def _counted(units: str, calendar: Any) -> tuple[Any, ...] | None:
    """Return what times are counted in, from when and in which calendar; None where that is not understood."""
    unit, _, epoch = units.partition(" since ")
    match = EPOCH.fullmatch(epoch.strip())
    strange = calendar is not None and not isinstance(calendar, str)  # CS-TIME-002, CF-TIME-002
    if match is None or strange or TIME_UNIT.fullmatch(unit := unit.strip().lower()) is None:
        return None
    small = "" if calendar is None else calendar.lower()
    usual = ALIASES.get(small, small)
    if usual == "proleptic_gregorian" and date_of(match) >= _GREGORIAN:
        usual = "standard"  # as xarray writes it beside times that cs calls standard
    word = (time_units({"unit": unit, "epoch": "0"}) or "").partition(" ")[0]
    singular = _SHORT.get(word, word).removesuffix("s")
    ahead = int(match[10] or 0) * 60 + int(match[11] or 0)  # 0 of UTC, however it is written
    return singular, date_of(match), clock(match), -ahead if match[9] == "-" else ahead, usual
