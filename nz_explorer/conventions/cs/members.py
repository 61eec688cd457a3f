"""CS: members of objects whose names are nearly those of the text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from typing import Any

from nz_explorer.documents.json_text import json_text
from nz_explorer.documents.pointers import join
from nz_explorer.engine.findings import Fail, FixMaker, RuleOutput
from nz_explorer.engine.fixes import Draft, add, move
from nz_explorer.model.dialects.cs import Axis, Crs
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
_CLOSE = 0.75


def near_members(crs: Crs) -> RuleOutput:
    """Note members of a reference system, and of what is in it, that are nearly called like ones which are not there.

    Parameters
    ----------
    crs : Crs
        The reference system.
    """
    if is_reference(crs.given):
        return
    for pointer, given, known in _objects(crs):
        yield from near(pointer, given, known)
    for axis in crs.axes:
        yield from _misplaced(axis)


def _misplaced(axis: Axis) -> RuleOutput:
    """Note members of an axis that are read in its coordinates only; that these lack one of the others is reported as such."""
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


def near(pointer: str, given: Mapping[str, Any], known: tuple[str, ...]) -> RuleOutput:
    """Note members of an object that are nearly called like ones which are not there.

    Parameters
    ----------
    pointer : str
        RFC 6901 pointer to the object.
    given : mapping
        The object.
    known : tuple of str
        What the text has in it.
    """
    free = [name for name in known if name not in given]
    for name in given:
        if name in known:
            continue
        right = next(iter(get_close_matches(name.lower(), free, 1, _CLOSE)), None)
        if right is not None:
            yield Fail(
                join(pointer, name),
                f"{json_text(name)} is no member that readers look for; did you mean {right}?",
                fix=_call_it(join(pointer, name), join(pointer, right)),
                rule="CS-ATT-002",
            )


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
