"""CS: members of objects whose names are nearly those of the text."""

from __future__ import annotations

import dataclasses
from collections.abc import Container, Iterable, Iterator, Mapping
from difflib import get_close_matches
from typing import Any

from nz_explorer.documents.json_text import json_text
from nz_explorer.documents.pointers import join
from nz_explorer.engine.findings import Fail, FixMaker, RuleOutput
from nz_explorer.engine.fixes import Draft, add, move, remove
from nz_explorer.model.calendars import CALENDARS
from nz_explorer.model.dialects.cs import Axis, CoordinateSet, Crs
from nz_explorer.model.dialects.ref import is_reference

OF_SET = ("name", "crs", "id", "attributes")
_OF_CRS = ("name", "type", "description", "axes", "id", "geolocation")
_OF_AXIS = ("name", "abbreviation", "direction", "coordinates", "attributes")
_OF_COORDINATES = (
    "name", "direction", "unit", "time", "values", "boundaries", "parametric", "attributes",
)  # fmt: skip
_OPTIONAL = ("boundaries", "parametric")
_INSIDE = {
    "time": ("unit", "epoch", "calendar", "reference", "units"),
    "values": ("regular", "external", "explicit"),
    "boundaries": ("regular", "external", "attributes"),
    "parametric": ("formula", "terms"),
}
"""The members that each object may have, in any revision; units of a time are CS-TIME-002."""
_OF_UCUM = ("unit", "version")
"""What uom has of a unit, which is "1" by default."""
_CLOSE = 0.75


_MISSED: dict[str, tuple[str, ...]] = {
    "CS-VAL-001": _INSIDE["values"],
    "CS-BND-001": _INSIDE["boundaries"],
    "CS-ARR-002": ("axes",),
    "CS-GRP-002": ("axes",),
    "CS-ID-002": ("id",),
}
"""Rules that report a missing member at the object that lacks it."""


def near_members(crs: Crs) -> Iterator[tuple[str, Fail]]:
    """Note members of a reference system, and of what is in it, that are nearly called like ones which are not there.

    Parameters
    ----------
    crs : Crs
        The reference system.

    Yields
    ------
    str
        RFC 6901 pointer to the member that is meant.
    Fail
        The note.
    """
    if not is_reference(crs.given):
        for pointer, given, known in _objects(crs):
            yield from near(pointer, given, known)


def as_meant(noted: Iterable[tuple[str, Fail]], found: RuleOutput) -> RuleOutput:
    """Join notes of members with nearly the right name with what is said of the members that are missing therefore.

    Parameters
    ----------
    noted : iterable of str and Fail
        The notes, with pointers to the members that are meant.
    found : iterable
        What is wrong with the same objects.
    """
    notes, told = dict(noted), set()
    for one in found:
        if isinstance(one, Fail) and (meant := _missed(one, notes)) is not None:
            told.add(meant)
            note = notes[meant]
            yield dataclasses.replace(one, message=f"{one.message}; {note.message}", fix=note.fix)
        else:
            yield one
    yield from (note for place, note in notes.items() if place not in told)


def _missed(fail: Fail, notes: Container[str]) -> str | None:
    """Return where the member is meant to be that a failure says is missing, None where there is none of nearly that name."""
    places = (fail.pointer, *(join(fail.pointer, one) for one in _MISSED.get(str(fail.rule), ())))
    return next((place for place in places if place in notes), None)


def _in_values(axis: Axis) -> RuleOutput:
    """Note boundaries that are inside values, where readers look for them beside these."""
    for one in axis.sets:
        inner = one.given.get("values")
        if isinstance(inner, Mapping) and "boundaries" in inner and "boundaries" not in one.given:
            wrong = one.pointer("values", "boundaries")
            yield Fail(
                wrong,
                "boundaries are inside values, and readers look for them beside these",
                fix=_call_it(wrong, one.pointer("boundaries")),
                rule="CS-ATT-002",
            )


def _in_coordinates(axis: Axis) -> RuleOutput:
    """Note a formula and its terms that are beside the values, where readers look for them in parametric."""
    for one in axis.sets:
        inner = {name: one.given[name] for name in _INSIDE["parametric"] if name in one.given}
        if inner and "parametric" not in one.given:
            first, right = next(iter(inner)), add(one.pointer("parametric"), inner)
            gone = [remove(one.pointer(name)) for name in inner]
            draft = Draft("suggest", (right, *gone))
            yield Fail(
                one.pointer(first),
                f"{' and '.join(inner)} {'is' if len(inner) == 1 else 'are'} beside values, and readers look inside parametric",
                fix=(lambda _node, draft=draft: draft) if len(inner) == 2 else None,  # type: ignore[misc]  # bound now
                rule="CS-ATT-002",
            )


def misplaced(axis: Axis) -> RuleOutput:
    """Note members of an axis that are read in its coordinates only; that these lack one of the others is reported as such."""
    yield from _in_values(axis)
    yield from _in_coordinates(axis)
    for name in _OF_COORDINATES[2:-1]:
        lacking = [one for one in axis.sets if name not in one.given]
        if name in axis.given and axis.sets and (name in _OPTIONAL or not lacking):
            wrong, alone = axis.pointer(name), len(axis.sets) == 1 and bool(lacking)
            yield Fail(
                wrong,
                f"{name} is at the axis, and readers look for it in its coordinates",
                fix=_call_it(wrong, axis.sets[0].pointer(name)) if alone else None,
                rule="CS-ATT-002",
            )


def in_the_set(pointer: str, given: Mapping[str, Any], own: Iterable[Crs]) -> RuleOutput:
    """Note geolocation that is beside the list of reference systems, where readers look for it in one of them.

    Parameters
    ----------
    pointer : str
        RFC 6901 pointer to the coordinate set.
    given : mapping
        The coordinate set.
    own : iterable of Crs
        The reference systems that are described in it.
    """
    if "geolocation" not in given:
        return
    wrong = join(pointer, "geolocation")
    on_maps = [
        crs
        for crs in own
        if isinstance(crs.given, Mapping)
        and "geolocation" not in crs.given
        and any(axis.abbreviation in ("X", "Y") for axis in crs.axes)
    ]
    yield Fail(
        wrong,
        "geolocation is beside the reference systems, and readers look for it in that of X and Y",
        fix=_call_it(wrong, on_maps[0].pointer("geolocation")) if len(on_maps) == 1 else None,
        rule="CS-ATT-002",
    )


def near(
    pointer: str, given: Mapping[str, Any], known: tuple[str, ...]
) -> Iterator[tuple[str, Fail]]:
    """Note members of an object that are nearly called like ones which are not there.

    Parameters
    ----------
    pointer : str
        RFC 6901 pointer to the object.
    given : mapping
        The object.
    known : tuple of str
        What the text has in it.

    Yields
    ------
    str
        RFC 6901 pointer to the member that is meant.
    Fail
        The note.
    """
    free = [name for name in known if name not in given]
    for name in given:
        if name in known:
            continue
        right = next(iter(get_close_matches(name.lower(), free, 1, _CLOSE)), None)
        if right is not None:
            wrong, meant = join(pointer, name), join(pointer, right)
            message = f"{json_text(name)} is no member that readers look for; did you mean {right}?"
            yield meant, Fail(wrong, message, fix=_call_it(wrong, meant), rule="CS-ATT-002")


_OF_GEOLOCATION = ("geodetic", "planar")
_OF_POSITIONS = ("x", "y", "crs", "id")
"""The last one is in examples of the text only."""


def not_of_geolocation(at: str, given: Mapping[str, Any]) -> RuleOutput:
    """Judge the names of members: the schema of geolocation allows no others.

    Parameters
    ----------
    at : str
        RFC 6901 pointer to the object of the geolocation convention.
    given : mapping
        The object.
    """
    has = "geolocation has geodetic and planar"
    others = [(at, name, has) for name in given if name not in _OF_GEOLOCATION]
    for kind in _OF_GEOLOCATION:
        has, place = f"{kind} has x, y and crs", join(at, kind)
        others += [(place, one, has) for one in given.get(kind, {}) if one not in _OF_POSITIONS]
    for place, name, has in others:
        wrong = join(place, name)
        found = Fail(wrong, f"{json_text(name)} is not allowed here: {has}", rule="CS-GEO-001")
        yield misspelt_in_geolocation(found, at, given, wrong)


def misspelt_in_geolocation(fail: Fail, at: str, given: Any, wrong: str | None = None) -> Fail:
    """Return what is said of an object of the geolocation convention, with the name that is meant where one is spelled nearly so.

    Parameters
    ----------
    fail : Fail
        What is said.
    at : str
        RFC 6901 pointer to the object.
    given : object
        The object.
    wrong : str, optional
        RFC 6901 pointer to the member that it is said of; without it, it is said of one that is missing.
    """
    if not isinstance(given, Mapping):
        return fail
    notes = [note for _, note in near(at, given, _OF_GEOLOCATION)]
    for kind in _OF_GEOLOCATION:
        if isinstance(pair := given.get(kind), Mapping):
            # those that have two names for one thing lack neither
            known = _OF_POSITIONS[:2] if wrong is None or "id" in pair else _OF_POSITIONS[:3]
            notes += [note for _, note in near(join(at, kind), pair, known)]
    note = next((one for one in notes if wrong in (None, one.pointer)), None)
    if note is None:
        return fail
    said = note.message if wrong is None else note.message.partition("; ")[2]
    return dataclasses.replace(fail, message=f"{fail.message}; {said}", fix=note.fix)


def _call_it(wrong: str, right: str) -> FixMaker:
    return lambda _node: Draft("suggest", (move(wrong, right),))


def from_axis(axis: Axis, member: str, pointer: str) -> Draft:
    """Return the fix that brings a member of an axis to its coordinates, where readers look for it.

    Parameters
    ----------
    axis : Axis
        The axis.
    member : str
        The member that it has.
    pointer : str
        Where it will be.
    """
    whole = add(pointer, axis.given[member])
    alone = len(axis.sets) == 1
    return Draft("suggest", (move(axis.pointer(member), pointer) if alone else whole,))


def beside(axis: Axis, one: CoordinateSet, name: str) -> Iterator[tuple[str, Any]]:
    """Yield what has an attribute of CF where stores made from it have them, in words, and the attribute.

    Parameters
    ----------
    axis : Axis
        The axis.
    one : CoordinateSet
        One of its sets.
    name : str
        Name of the attribute.
    """
    held = one.external()
    places: list[tuple[str, Any]] = [
        ("the set of coordinates", one.given),
        ("the axis", axis.given),
    ]
    places += [(what, given.get("attributes")) for what, given in places]
    places += [] if held is None else [(held.path, held.attributes)]
    for what, given in places:
        if isinstance(given, Mapping) and name in given:
            yield what, given[name]


def calendar_beside(axis: Axis, one: CoordinateSet) -> tuple[str, dict[str, str]]:
    """Return what has a calendar that belongs in the time object, in words, and the member.

    Parameters
    ----------
    axis : Axis
        The axis.
    one : CoordinateSet
        One of its sets.
    """
    for what, calendar in beside(axis, one, "calendar"):
        if isinstance(calendar, str) and calendar.lower() in CALENDARS:
            return f"; {what} has {json_text(calendar)}", {"calendar": calendar}
    return "", {}


def _objects(crs: Crs) -> Iterator[tuple[str, Mapping[str, Any], tuple[str, ...]]]:
    """Yield pointer, object and known members of all objects of a reference system."""
    if isinstance(crs.given, Mapping):
        yield crs.pointer(), crs.given, _OF_CRS
    for axis in crs.axes:
        yield axis.pointer(), axis.given, _OF_AXIS
        for one in axis.sets:
            yield one.pointer(), one.given, _OF_COORDINATES
            for name, known in _INSIDE.items():
                if isinstance(inner := one.given.get(name), Mapping):
                    yield one.pointer(name), inner, known
            given = one.given.get("unit")
            place = ("uom", "ucum") if isinstance(given, Mapping) and "uom" in given else ("ucum",)
            for name in place:
                given = given.get(name) if isinstance(given, Mapping) else None
            if isinstance(given, Mapping):
                yield one.pointer("unit", *place), given, _OF_UCUM
