"""CS: what a coordinate reference system says of itself: its name, identifiers, axes and directions."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterable, Mapping
from typing import Any

from nz_explorer.conventions.cs.axes import (
    axes_of_type,
    fitting_type,
    marked_letters,
    retyped,
)
from nz_explorer.conventions.cs.axis_coordinates import coordinates, is_text
from nz_explorer.conventions.cs.directions import (
    directions,
    is_physical,
    marked_unlike_its_name,
    told_abbreviation,
)
from nz_explorer.conventions.cs.forms import identifier, judge_attributes, judge_name
from nz_explorer.conventions.cs.members import misplaced
from nz_explorer.conventions.cs.parametric import parametric
from nz_explorer.conventions.cs.positions.systems import unlike_axes, unlike_units
from nz_explorer.conventions.cs.times.time_objects import TEXTS, has_time
from nz_explorer.conventions.zarr3.nodes import set_to, shown
from nz_explorer.conventions.zcf import known_conventions
from nz_explorer.conventions.zcf.declarations import declared_here
from nz_explorer.documents.json_text import json_text
from nz_explorer.engine.findings import Fail, FixMaker, RuleOutput
from nz_explorer.engine.fixes import Draft, Operation, add, remove, replace
from nz_explorer.model import Array, Group
from nz_explorer.model.dialects.cs import (
    ABBREVIATIONS,
    Axis,
    Crs,
    is_cs,
    is_shared,
    is_system,
)
from nz_explorer.model.dialects.ref import is_reference

SCHEMA_NAME = re.compile(r"[a-zA-Z][a-zA-Z0-9_]*")


def uses_cs(array: Array) -> bool:
    """Whether an array has a coordinate set of the cs convention."""
    attributes = array.attributes
    return is_cs(attributes.get("cs")) or (
        "cs" in attributes and known_conventions.CS in declared_here(array)
    )


def keeps_crs(group: Group) -> bool:
    """Whether a group keeps systems that arrays share."""
    attributes = group.attributes
    given = attributes.get("crs")
    return (
        is_shared(given)
        or is_system(given)
        or ("crs" in attributes and known_conventions.CS in declared_here(group))
    )


OF_CRS = (
    "CS-NAME-001",
    "CS-ATT-001",
    "CS-ATT-002",
    "CS-ID-004",
    "CS-AX-001",
    "CS-AX-002",
    "CS-AX-003",
    "CS-AX-004",
    "CS-AX-005",
    "CS-AX-006",
    "CS-AX-007",
    "CS-AX-008",
    "CS-CO-001",
    "CS-CO-002",
    "CS-CO-003",
    "CS-CO-004",
    "CS-TIME-001",
    "CS-TIME-002",
    "CS-TIME-003",
    "CS-TIME-004",
    "CS-VAL-001",
    "CS-VAL-002",
    "CS-VAL-003",
    "CS-VAL-004",
    "CS-VAL-005",
    "CS-VAL-006",
    "CS-VAL-007",
    "CS-BND-001",
    "CS-BND-002",
    "CS-BND-003",
    "CS-BND-004",
    "CS-GEO-001",
    "CS-PAR-001",
    "CS-PAR-002",
    "CS-PAR-003",
    "CS-REV-001",
    "CS-REV-002",
    "CS-REV-003",
    "CS-REG-001",
    "CS-REG-002",
    "CS-CF-001",
    "REF-001",
    "REF-002",
    "REF-003",
    "REF-004",
    "REF-005",
    "REF-008",
)
"""Rules on the contents of a node, whether that is an array or a group."""


TYPES = ("compound", "planar", "vertical", "temporal", "undefined")
"""What a system may be, as the schema has it since August 2026; the texts before have no type."""


def have_no_direction(axes: Iterable[Axis]) -> bool:
    """Whether no set of coordinates has a direction, as in r1, where axes have one.

    Parameters
    ----------
    axes : iterable of Axis
        The axes.
    """
    return all("direction" not in one.given for axis in axes for one in axis.sets)


def of_crs(crs: Crs, beside: Iterable[Axis] = (), *, first: bool = True) -> RuleOutput:
    """Judge a reference system by itself.

    Parameters
    ----------
    crs : Crs
        The reference system.
    beside : iterable of Axis
        Axes of others that belong to the same array.
    first : bool
        Whether what else the node describes may be of r1, in which sets of coordinates have no direction.
    """
    beside = list(beside)
    if isinstance(crs.given, Mapping):
        if "type" not in crs.given:  # the text that has a type has no name, so that one is free
            yield from judge_name(crs.pointer("name"), crs.given)
        description = crs.given.get("description", "")
        if not isinstance(description, str):
            yield Fail(
                crs.pointer("description"),
                f"description must be a text, got {json_text(description)}",
                rule="CS-ATT-001",
            )
        if "id" in crs.given:
            yield from identifier(crs.pointer("id"), crs.given["id"])
            yield from unlike_axes(crs.pointer("id"), crs.given["id"], marked_letters(crs))
            yield from unlike_units(crs.pointer("id"), crs.given["id"], (crs,))
        if "type" in crs.given and crs.given["type"] not in TYPES:
            small, marked = str(crs.given["type"]).strip().lower(), marked_letters(crs)
            yield Fail(
                crs.pointer("type"),
                f"type must be one of {', '.join(TYPES)}, got {shown(crs.given['type'])}"
                + (", as geozarr for R writes it" if crs.given["type"] == "unknown" else ""),
                severity="warning" if crs.given["type"] == "unknown" else None,
                fix=set_to(
                    crs.pointer("type"),
                    small if small in TYPES else fitting_type(marked),
                    "suggest",
                )
                if small in TYPES or marked or small == "unknown"
                else None,
                rule="CS-REV-003",
            )
        else:
            yield from axes_of_type(crs, beside)
        if "axes" in crs.given and is_reference(crs.given.get("ref")):
            yield Fail(
                crs.pointer("ref"),
                "reference: this reference system has its own axes, and a reference to another: it is one or the other;"
                " the axes count, and the reader of the author of cs does not look where the reference leads",
                severity="warning",
                rule="REF-001",
            )
    if isinstance(crs.given, Mapping) and isinstance(crs.given.get("axes"), list) and crs.axes:
        yield Fail(
            crs.pointer("axes"),
            "axes are a list, as the text had them until r2; its schema, and the reader of its author, want an object by name",
            rule="CS-REV-002",
        )
    # In r1 an axis has the direction; in the others its sets of coordinates have one each.
    at_axes = isinstance(crs.given, Mapping) and isinstance(crs.given.get("axes"), list)
    at_axes = at_axes and first and have_no_direction((*beside, *crs.axes))
    # Where arrays hold the coordinates of each element, the axes need none.
    located = isinstance(crs.given, Mapping) and "geolocation" in crs.given
    if (right := _by_key(crs)) is not None:
        name = json_text(next(iter(right)))
        yield Fail(
            crs.pointer("axes"),
            f"axes are a list, and each is below its name, such as {name}, as in an object by name",
            fix=lambda _node: Draft("suggest", (replace(crs.pointer("axes"), right),)),
            rule="CS-AX-001",
        )
        return
    for axis in crs.axes:
        others = [*beside, *(one for one in crs.axes if one is not axis)]
        taken = {one.abbreviation for one in others if is_physical(one)}
        yield from _axis(crs, axis, taken, located=located)
        yield from marked_unlike_its_name(axis, others)
        yield from misplaced(axis)
        yield from directions(axis, at_axis=at_axes or "direction" in axis.given)


_OWN = ("name", "abbreviation", "coordinates", "attributes")
"""What an axis has by the text."""


def _by_key(crs: Crs) -> dict[str, Any] | None:
    """Return the axes by name of a list that holds each below its name; None where that is not so."""
    given = crs.given.get("axes") if isinstance(crs.given, Mapping) else None
    if not isinstance(given, list):
        return None
    alone = [one for one in given if isinstance(one, Mapping) and len(one) == 1]
    named = {name: axis for one in alone for name, axis in one.items() if name not in _OWN}
    right = all(isinstance(axis, Mapping) for axis in named.values())
    return named if right and named and len(named) == len(given) else None


def _axis(crs: Crs, axis: Axis, taken: Container[str], *, located: bool) -> RuleOutput:
    shown = json_text(axis.name)
    if axis.name is None:
        given = axis.given.get("name")
        which = f"axis {axis.place[-1]}"
        bad = f"the name of {which} must be a string, got {json_text(given)}"
        message = f"{which} has no name" if given is None else bad
        yield Fail(axis.pointer("name"), message, rule="CS-AX-001")
    elif axis.given.get("name", axis.name) != axis.name:
        yield Fail(
            axis.pointer("name"),
            f"this axis is {shown} by its key and {json_text(axis.given['name'])} by its name; readers go by one of them, here by the key",
            severity="warning",
            rule="CS-AX-001",
        )
    yield from _abbreviation(crs, axis, taken)
    given, pointer = axis.given.get("coordinates"), axis.pointer("coordinates")
    if "coordinates" not in axis.given:
        yield from _without_coordinates(axis, located=located)
    elif not isinstance(given, list) or not given or len(axis.sets) != len(given):
        yield Fail(
            pointer,
            f"coordinates of {shown} must be a list of objects, got {json_text(given)}",
            fix=_wrap(pointer, given) if isinstance(given, dict) and "values" in given else None,
            readers=_without_list(axis, given),
            rule="CS-CO-002",
        )
    yield from judge_attributes(axis.pointer("attributes"), axis.given)
    yield from _set_names(axis)
    for one in axis.sets:
        yield from judge_attributes(one.pointer("attributes"), one.given)
        if isinstance(limits := one.given.get("boundaries"), Mapping):
            yield from judge_attributes(one.pointer("boundaries", "attributes"), limits)
        yield from coordinates(axis, one)
        yield from parametric(axis, one)


def _without_list(axis: Axis, given: Any) -> dict[str, str] | None:
    """Return what the author's reader does with coordinates that are no list of objects, None where it finds none and is silent."""
    if not isinstance(axis.place[-1], str):
        return None  # it passes over axes in a list
    if isinstance(given, bool | int | float):
        return {"xarray-zarr-xgroup": "gives the array without coordinates, and warns"}
    if axis.sets:
        return {"xarray-zarr-xgroup": "passes over what is no object, and does not say so"}
    return None


_OF_COORDINATES = ("unit", "time", "values", "parametric", "boundaries")


def _without_coordinates(axis: Axis, *, located: bool) -> RuleOutput:
    """Judge an axis that has none, which is ordinal unless it is in space or time."""
    shown, pointer = json_text(axis.name), axis.pointer("coordinates")
    hints = [member for member in _OF_COORDINATES if member in axis.given]
    if hints == ["boundaries"] and not is_physical(axis):
        yield Fail(
            axis.pointer("boundaries"),
            f"the ordinal axis {shown} has boundaries, which are for coordinates that are numbers",
            fix=lambda _node: Draft("unsafe", (remove(axis.pointer("boundaries")),)),
            rule="CS-BND-002",
        )
    elif hints:
        keyed = isinstance(axis.place[-1], str)
        inner = (*hints, "direction") if keyed and "direction" in axis.given else hints
        right: dict[str, Any] = {k: v for k, v in axis.given.items() if k not in inner}
        right["coordinates"] = [{member: axis.given[member] for member in inner}]
        yield Fail(
            pointer,
            f"axis {shown} has {hints[0]}, which belongs in coordinates, but no coordinates",
            fix=(lambda _node: Draft("suggest", (replace(axis.pointer(), right),)))
            if "values" in inner  # coordinates without them would be as wrong
            else None,
            rule="CS-CO-001",
        )
    elif is_physical(axis) and not located:
        yield Fail(
            pointer,
            f"axis {shown} is marked {axis.abbreviation}, so it is in space or time and needs coordinates",
            rule="CS-CO-001",
        )


def _wrap(pointer: str, given: Any) -> FixMaker:
    return lambda _node: Draft("unsafe", (replace(pointer, [given]),))


def _abbreviation(crs: Crs, axis: Axis, taken: Container[str]) -> RuleOutput:
    given = axis.abbreviation
    pointer = axis.pointer("abbreviation")
    listed = axis.given.get("coordinates")
    whole = isinstance(listed, list) and len(listed) == len(axis.sets)  # else CS-CO-002
    text = whole and bool(axis.sets) and all(is_text(one) for one in axis.sets)
    if "abbreviation" in axis.given and given not in ABBREVIATIONS:
        yield Fail(
            pointer,
            f"axis {json_text(axis.name)}: abbreviation {json_text(given)} is not X, Y, Z or T"
            + ("; an axis of another kind has none" if given in ("", None) else ""),
            fix=lambda _node: _right_abbreviation(axis, taken, text=text),
            rule="CS-AX-003",
        )
    elif given == "T" and text:
        if has_time(axis):  # else CS-TIME-001
            yield Fail(
                pointer,
                f"axis {json_text(axis.name)} has a time object{TEXTS}",
                severity="warning",
                fix=(lambda _node: Draft("suggest", right))
                if (right := _as_numbers(axis))
                else None,
                rule="CS-AX-003",
            )
    elif given is not None and text:
        units, directions = (
            [one.pointer(member) for one in axis.sets if member in one.given]
            for member in ("unit", "direction")
        )
        also = " and its unit" if units else ""  # CS-CO-004 by itself
        labels = tuple(map(remove, [pointer, *units, *directions]))
        right = (units and _as_numbers(axis)) or labels
        yield Fail(
            pointer,
            f"axis {json_text(axis.name)} has text coordinates, so it is not in space or time,"
            f" and its abbreviation {json_text(given)}{also} must be omitted, unless numbers are meant",
            severity=None if units else "warning",
            fix=lambda _node: Draft("suggest", right),
            rule="CS-AX-003",
        )
    elif given is None and has_time(axis):
        other = ", and another axis is T already, of which there may be one" if "T" in taken else ""
        yield Fail(
            pointer,
            f"axis {json_text(axis.name)} has a time object, and no abbreviation, which has to be T{other}",
            fix=None
            if other
            else lambda _node: Draft("suggest", (add(pointer, "T"), *retyped(crs, "T"))),
            rule="CS-AX-003",
        )
    elif (
        given is None
        and not text
        # one without coordinates is ordinal, such as the columns of a picture, whether or not arrays hold where these are
        and axis.given.get("coordinates") is not None
        and (meant := told_abbreviation(axis)) is not None
        and meant[1] not in taken  # of which there may be one only
    ):
        what, letter = meant
        yield Fail(
            pointer,
            f"axis {json_text(axis.name)} has no abbreviation; judging by its {what} it is {letter}"
            + (
                f", but the type of its reference system is {json_text(crs.given['type'])}"
                if retyped(crs, letter)
                else ""
            ),
            severity="warning",
            # as T it would lack its time, and only who wrote it knows the epoch
            fix=(lambda _node: Draft("suggest", note=_TIMED))
            if letter == "T"
            else lambda _node: Draft("suggest", (add(pointer, letter), *retyped(crs, letter))),
            rule="CS-AX-003",
        )


_NUMBER = re.compile(r"-?\d{1,15}(\.\d{1,15})?", re.ASCII)


def _as_numbers(axis: Axis) -> tuple[Operation, ...]:
    """Return the operations that write numbers which are written as texts as numbers; none where another text is among them."""
    found = []
    for one in axis.sets:
        texts: Any = one.values if one.kind == "explicit" else None
        if not isinstance(texts, list) or not all(
            isinstance(text, str) and _NUMBER.fullmatch(text) for text in texts
        ):
            return ()
        right = [float(text) if "." in text else int(text) for text in texts]
        found.append(replace(one.pointer("values", "explicit"), right))
    return tuple(found)


_TIMED = "if it is time, give its coordinates a time object with unit and epoch, and the axis the abbreviation T"


def _right_abbreviation(axis: Axis, taken: Container[str], *, text: bool) -> Draft | None:
    """Return the fix of an abbreviation that there is not, None where nothing tells which is meant."""
    given, pointer = axis.abbreviation, axis.pointer("abbreviation")
    of_time = has_time(axis)
    _, meant = (
        ("", "T") if of_time else ("", None) if text else told_abbreviation(axis) or ("", None)
    )
    letter = given.strip().upper() if isinstance(given, str) else None
    likely = [one for one in (letter, meant) if one in ABBREVIATIONS and one not in taken]
    if not likely:
        return Draft("suggest", (remove(pointer),)) if given == "" else None
    sure = likely[0] == letter and meant in (None, letter)
    return Draft("safe" if sure else "suggest", (replace(pointer, likely[0 if sure else -1]),))


_WORDS = {2: "two", 3: "three", 4: "four"}


def _set_names(axis: Axis) -> RuleOutput:
    for one in axis.sets:
        given = one.given.get("name", "")
        if not isinstance(given, str):
            yield Fail(
                one.pointer("name"),
                f"the name of a coordinate set must be a text, got {json_text(given)}",
                rule="CS-CO-003",
            )
    names = Counter(one.name for one in axis.sets)
    for name, count in names.items():
        if count > 1:
            called = "have no name" if name is None else f"are named {name}"
            yield Fail(
                axis.pointer("coordinates"),
                f"{_WORDS.get(count, count)} coordinate sets of {axis.name} {called}",
                severity="info" if name is None else None,
                rule="CS-CO-003",
            )
