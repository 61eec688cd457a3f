"""CF: times can be decoded, and hold what was written (CF-1.11, 4.4 Time Coordinate)."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from nz_explorer.conventions.nz.coordinates import keep_one
from nz_explorer.conventions.times_as_numbers import declare_missing
from nz_explorer.conventions.zarr3.nodes import is_finite, shown
from nz_explorer.documents.json_text import json_text
from nz_explorer.engine.findings import Fail, FixMaker, Undecided
from nz_explorer.engine.fixes import Draft, remove, set_attribute
from nz_explorer.engine.registry import rule
from nz_explorer.model.attribute_types import DURATIONS, unpacked_number
from nz_explorer.model.calendars import ALIASES, CALENDARS
from nz_explorer.model.calendars import DECODED as DECODED_CALENDARS
from nz_explorer.text.phrases import article

if TYPE_CHECKING:
    from nz_explorer.model import Array, Node
    from nz_explorer.values.coordinates.monotonicity import Monotonicity

DECODED = ("int", "uint", "float")
"""Kinds of data types that hold times since a moment."""
COARSE = {86400: "day", 3600: "hour", 60: "minute"}
NOT_A_TIME = -(2**63)
"""What NumPy stores for a time that is missing."""
NONE_MISSING = "a coordinate should have none"
_WITH_NANOSECONDS = frozenset({"standard", "gregorian", "proleptic_gregorian"})
"""Calendars that xarray decodes with NumPy, where it can."""
_COUNTED_BY_CFTIME = ("noleap", "365_day", "all_leap", "366_day", "360_day", "julian")
"""Calendars for which xarray gives values of any type to cftime; no set, in which a list cannot be looked for."""
_WRITTEN = ("int", "uint", "float", "string")
_DATE = re.compile(r"(1[5-9]|2[0-4])\d\d-(\d\d)-(\d\d)(?![\d-])")
_IN_BRACKETS = re.compile(r"\(\s*([A-Za-z]+?)s?\s+since\s[^()]*\)")
"""The unit of times inside of that of a rate, such as (days since 2000-01-01)-1."""
_JULIAN = re.compile(r"(julian[ _](days?|dates?)|jd)", re.IGNORECASE)
"""Days since noon of the first of January in the year -4712."""
_WRITTEN_OUT = re.compile(r"%Y|yyyy", re.IGNORECASE)
"""How units say that times are written out as numbers, such as 20000131."""


def is_time(array: Array) -> bool:
    """Return whether xarray takes the values of an array for times since a moment.

    Parameters
    ----------
    array : Array
        The array.
    """
    units = array.attributes.get("units")
    return isinstance(units, str) and "since" in units and array.data_type.kind in DECODED


def _are_no_numbers(array: Array) -> bool:
    units = array.attributes.get("units")
    kinds = ("string", "bytes", "bool", "complex")
    return isinstance(units, str) and "since" in units and array.data_type.kind in kinds


@rule("CF-TIME-001", on="array", needs=("attributes", "data type"), when=_are_no_numbers)
def times_are_numbers(array: Array) -> Iterator[Fail]:
    """Require numbers where units say that they are counted from a date."""
    units = array.attributes["units"]
    calendar = array.attributes.get("calendar")
    # cftime counts them all the same
    counted = calendar in _COUNTED_BY_CFTIME and array.data_type.kind != "string"
    yield Fail(
        array.attribute_pointer("units"),
        f"units {shown(units)} make readers take these {array.data_type.name} values for times, and they are no numbers",
        impact="values" if counted else None,
        readers={"xarray": "shows dates that cftime makes of them, or raises ValueError"}
        if counted
        else None,
        fix=lambda node: Draft(
            "suggest",
            (remove(node.attribute_pointer("units")),),
            "if dates are stored as texts, they need no units",
        ),
    )


def _are_times_already(array: Array) -> bool:
    units = array.attributes.get("units")
    return isinstance(units, str) and "since" in units and array.data_type.kind == "datetime"


@rule("CF-TIME-001", on="array", needs=("attributes", "data type"), when=_are_times_already)
def times_are_told_once(array: Array) -> Iterator[Fail]:
    """Warn of units beside a data type that is one of times: nothing tells which of them the next writer goes by."""
    units = array.attributes["units"]
    yield Fail(
        array.attribute_pointer("units"),
        f"the data type {array.data_type.name} and the units {shown(units)} both say what these times are:"
        " xarray appends times as numbers in these units, and these read as times of 1970",
        severity="warning",
        impact="convention",
        readers={},
        fix=lambda _node: Draft(
            "suggest",
            note=f"look at the times that were appended; write them again as int64 in {json_text(units)}:"
            ' the encoding dtype="int64" at the first to_zarr',
        ),
    )


def _has_other_units(array: Array) -> bool:
    units = array.attributes.get("units", "")
    return isinstance(units, str) and "since" not in units and array.data_type.kind in DECODED


@rule(
    "CF-TIME-001",
    "CF-TIME-002",
    on="array",
    needs=("attributes", "data type"),
    provides="time units",
    when=is_time,
)
def decodable_units(array: Array) -> Iterator[Fail]:
    """Require a unit of fixed length, a date to count from, and a calendar that has it."""
    from nz_explorer.values.cf_decoding import time_problem

    problem = time_problem(array.attributes)
    if problem is None:
        return
    given = array.attributes.get(problem.attribute)
    if problem.attribute == "calendar":
        yield Fail(
            array.attribute_pointer("calendar"),
            f"the calendar {shown(given)} {problem.why}, so these times cannot be decoded",
            # CF lists some that no reader knows: that is not the dataset's fault
            severity="warning" if str(given).lower() in CALENDARS else None,
            fix=None if problem.suggestion is None else _set_calendar(problem.suggestion),
            rule="CF-TIME-002",
        )
    elif problem.by_xarray:
        yield Fail(
            array.attribute_pointer("units"),
            f"times in {shown(given)} are decoded by some programs only: {problem.why}",
            severity="warning",
            impact="convention",
            readers={"cftime": "raises an error"},
            fix=_set_units(str(problem.suggestion)),
        )
    elif isinstance(given, str) and (rate := _IN_BRACKETS.sub(r"\1", given)) != given:
        if _IN_BRACKETS.fullmatch(given.strip()):
            rate = given.strip("() ")
        yield Fail(
            array.attribute_pointer("units"),
            f"units {shown(given)} have a date in them, so readers take the values for times, and cannot decode them",
            fix=_set_units(rate),
        )
    else:
        yield Fail(
            array.attribute_pointer("units"),
            f"times in {shown(given)} cannot be decoded: {problem.why}",
            fix=_in_its_calendar if problem.suggestion is None else _set_units(problem.suggestion),
        )


@rule("CF-TIME-005", on="array", needs=("attributes", "data type"), when=_has_other_units)
def seen_as_times(array: Array) -> Iterator[Fail]:
    """Warn of units that are meant to be those of times, and are not read so: there is no "since" in them."""
    from nz_explorer.values.cf_decoding import meant_units

    units = array.attributes.get("units", "")
    meant = meant_units(units)
    if meant is not None:
        # readers know the word in lower case only
        spelled = "since" in units.lower()
        why = "do not write the word since in lower case" if spelled else "lack the word since"
        fix = _set_units(meant)
    elif _WRITTEN_OUT.search(units):
        why, fix = "say that dates are written out as numbers", _count_instead
    elif _JULIAN.fullmatch(units.strip()):
        why, fix = "do not say since when in CF's way", _from_julian_days
    else:
        yield from _calendar_of_no_times(array, units)
        return
    yield Fail(
        array.attribute_pointer("units"),
        f"units {shown(units)} {why}, so readers show numbers, not dates",
        fix=fix,
    )


def _calendar_of_no_times(array: Array, units: str) -> Iterator[Fail]:
    """Warn of a coordinate with a calendar that has units of something else, or none."""
    calendar = array.attributes.get("calendar")
    # the units of bounds, and of what else is no coordinate, may stand elsewhere
    if not isinstance(calendar, str) or array.dimension_names != (array.name,):
        return
    if units not in DURATIONS:
        what = f"units {shown(units)} are not those of times" if units else "there are no units"
        yield Fail(
            array.attribute_pointer("units" if units else "calendar"),
            f"the calendar is {shown(calendar)}, but {what}, so readers show numbers, not dates",
            fix=_count_from_a_date,
        )


def _count_from_a_date(_node: Node) -> Draft:
    return Draft(
        "suggest",
        note="write the units that the numbers count in, such as days since 2000-01-01; they are not in the store",
    )


def _from_julian_days(_node: Node) -> Draft:
    return Draft(
        "suggest",
        note="write the times again, counted from a date, such as days since 1970-01-01: values - 2440587.5",
    )


@rule("CF-TIME-007", on="values", when=lambda array, _: _may_hold_dates(array))
def dates_are_counted(array: Array, found: Monotonicity) -> Iterator[Fail]:
    """Note a coordinate whose values are dates for people, as text or as numbers such as 20200131."""
    ends = (unpacked_number(array.attributes, end) for end in (found.first, found.last))
    if not all(map(_is_written_date, ends)):
        return
    kind = "text" if isinstance(found.first, str) else "numbers"
    yield Fail(
        array.attribute_pointer("units"),
        f"{array.path} holds dates that are written out as {kind}, such as {shown(found.first)}: readers show them as"
        f" {'text' if kind == 'text' else 'mere numbers'}, and sel, resample and groupby know no time",
        fix=_count_instead if kind == "numbers" else _count_texts,
    )


def _may_hold_dates(array: Array) -> bool:
    units = array.attributes.get("units")
    return not (isinstance(units, str) and "since" in units) and array.data_type.kind in _WRITTEN


def _is_written_date(value: Any) -> bool:
    """Whether a value is a date of the years 1500 to 2499 as text, or as a number such as 20200131."""
    text = value if isinstance(value, str) else ""
    if is_finite(value) and float(value).is_integer():
        text = f"{int(value):08d}"
        text = f"{text[:4]}-{text[4:6]}-{text[6:]}"
    found = _DATE.match(text)
    return found is not None and int(found[2]) in range(1, 13) and int(found[3]) in range(1, 32)


def _count_texts(_node: Node) -> Draft:
    return Draft(
        "suggest",
        note="write the times again, counted from a date: to_zarr does so for times that are datetime64, as"
        " ds.assign_coords(time=pandas.to_datetime(ds.time)) makes them",
    )


def _set_units(meant: str) -> FixMaker:
    return lambda node: Draft("suggest", set_attribute(node, "units", meant))


def _count_instead(_node: Node) -> Draft:
    return Draft(
        "suggest",
        note="write the times again, counted from a date, such as days since 1970-01-01:"
        ' pandas.to_datetime(values.astype(int).astype(str), format="%Y%m%d")',
    )


def _set_calendar(right: str) -> FixMaker:
    return lambda node: Draft("suggest", set_attribute(node, "calendar", right))


def _in_its_calendar(node: Node) -> Draft | None:
    """Name the only calendar that has the date, such as 30 February; where there is none such, leave the times undecoded."""
    from nz_explorer.values.cf_decoding import time_problem

    _, _, moment = str(node.attributes.get("units")).partition(" since ")
    days = {**node.attributes, "units": f"days since {moment}"}
    named = [one for one in DECODED_CALENDARS if one not in ALIASES]
    having = [one for one in named if time_problem({**days, "calendar": one}) is None]
    told = node.attributes.get("calendar") is not None
    if told or len(having) != 1 or time_problem(days) is None:
        return _not_decoded(node)
    why = f"of the calendars that have names, only {having[0]} has {moment.strip()}"
    return Draft("suggest", set_attribute(node, "calendar", having[0]), why)


def _not_decoded(node: Node) -> Draft | None:
    units = node.attributes.get("units")
    if not isinstance(units, str):
        return None
    unit, _, moment = (part.strip() for part in units.partition(" since "))
    operations = set_attribute(node, "units", unit)
    if "reference_date" not in node.attributes:
        operations += set_attribute(node, "reference_date", moment)
    return Draft(
        "suggest",
        operations,
        "xarray then opens the group and shows the numbers as they are; to have dates, open it with"
        " decode_times=False, compute them, and write them again in days or seconds",
    )


@rule("CF-TIME-003", "CF-TIME-006", on="values", when=lambda array, _: is_time(array))
def times_in_range(array: Array, found: Monotonicity) -> Iterator[Fail | Undecided]:
    """Require values that are dates: xarray decodes the first and the last when it opens a group."""
    from nz_explorer.values.cf_decoding import date_of, time_problem

    if time_problem(array.attributes) is not None:
        yield Undecided("dependency: CF-TIME-001")
        return
    if found.result == "unreadable":
        yield Undecided(f"unreadable: {found.note}" if found.note else "unreadable")
        return
    marks = [array.attributes.get(name) for name in ("_FillValue", "missing_value")]
    undated: list[Any] = []
    for value in (found.first, found.before, found.after, found.last):
        if not is_finite(value) or value in marks:
            continue
        if value == NOT_A_TIME and is_read_as_missing(array):
            marks.append(value)
            yield Fail(
                array.attribute_pointer("missing_value"),
                f"the value {value} is how NumPy stores a missing time (NaT), and no attribute says that it is missing",
                fix=declare_missing([value], NONE_MISSING),
                rule="CF-TIME-006",
            )
            continue
        if date_of(array.attributes, value) is None and value not in undated:
            undated.append(value)
    if undated:
        yield Fail(
            array.attribute_pointer("units"),
            f"the value {undated[0]} in {json_text(array.attributes['units'])} is no date",
            fix=declare_missing(undated, NONE_MISSING),
        )


def is_read_as_missing(array: Array) -> bool:
    """Return whether xarray decodes times with NumPy, which knows its own mark for missing ones, and not with cftime.

    Parameters
    ----------
    array : Array
        Times since a moment.
    """
    from nz_explorer.values.cf_decoding import date_of

    calendar = array.attributes.get("calendar", "standard")
    year = (date_of(array.attributes, 0) or "0")[:4]
    return (
        array.data_type.name == "int64"
        and str(calendar).lower() in _WITH_NANOSECONDS
        and "1678" <= year <= "2262"
    )


@rule("CF-TIME-004", "CF-COORD-001", on="values")
def values_occur_once(array: Array, found: Monotonicity) -> Iterator[Fail | Undecided]:
    """Require each value of a dimension coordinate once, and say where whole days are why it is not so."""
    if found.result == "unreadable":
        yield Undecided(f"unreadable: {found.note}" if found.note else "unreadable")
        return
    if found.result != "not" or "never written" in found.note:
        return
    if found.repeated is None:
        return
    from nz_explorer.values.cf_decoding import date_of

    index, before, value, series = found.repeated
    date = date_of(array.attributes, value) if is_time(array) else None
    what = f"value[{index}] = {shown(value)} is also value[{before}]" + (
        f": {date}" if date else ""
    )
    appended_twice = before == 0 and 1 < index <= math.prod(array.shape or ()) / 2
    # a chunk of a single element is not written where it is the fill value
    unwritten = array.chunk_shape == (1,) and array.metadata.get("fill_value") == value
    # a row of values that comes back was appended once more, and is not what is left of finer times
    unit = None if appended_twice or series or unwritten else _coarse_unit(array)
    if unit is not None:
        yield Fail(
            array.attribute_pointer("units"),
            f"{array.path} holds whole {unit}s, and {what}; what is less than {article(unit)} was cut off, or a row "
            "was written twice, so it is not a dimension coordinate",
            fix=_finer_units,
            covers=("NZ-COORD-002",),
        )
    else:
        yield Fail("", f"{array.path} has a value twice: {what}", fix=keep_one, rule="CF-COORD-001")


def _coarse_unit(array: Array) -> str | None:
    """Return the unit of times that are whole days, hours or minutes, in the singular."""
    from nz_explorer.values.cf_decoding import seconds_in_unit

    if not is_time(array) or array.data_type.kind == "float":
        return None
    return COARSE.get(seconds_in_unit(array.attributes))


def _finer_units(node: Node) -> Draft:
    return Draft(
        "suggest",
        note="what was cut off is lost here; write the times again in units that can hold them, such as "
        f'encoding={{"{node.name}": {{"units": "seconds since 1970-01-01"}}}} at the first to_zarr; where the rows'
        f" are the same, keep one: ds.drop_duplicates({node.name!r})",
    )
