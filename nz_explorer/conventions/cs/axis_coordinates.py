"""CS: what the coordinates of an axis say of themselves: units, times, values and boundaries."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import pairwise, product
from typing import Any

from nz_explorer.conventions.cs.members import from_axis
from nz_explorer.conventions.cs.references import judge_reference, without_ref
from nz_explorer.conventions.cs.times.time_objects import time_object
from nz_explorer.conventions.times_as_numbers import units_of_times
from nz_explorer.conventions.zcf import known_conventions
from nz_explorer.documents.json_text import json_text
from nz_explorer.documents.json_types import json_type
from nz_explorer.engine.findings import Fail, FixMaker, RuleOutput
from nz_explorer.engine.fixes import Draft, remove, replace
from nz_explorer.model import Array, Node
from nz_explorer.model.dialects.cs import ABBREVIATIONS, Axis, CoordinateSet, numbers
from nz_explorer.model.dialects.ref import is_reference, resolve
from nz_explorer.model.paths import below
from nz_explorer.text.phrases import plural
from nz_explorer.text.units import hemispheres, known_unit

KINDS = ("regular", "external", "explicit")
"""The ways in which values are given."""

MOST_EXPLICIT = 25
"""The most values that may be in the metadata."""

_CF_DEGREES = re.compile(r"degrees?_?(north|east|N|E)")

_ALONG = {
    **dict.fromkeys(("east", "west"), "EW"),
    **dict.fromkeys(("north", "south"), "NS"),
    **dict.fromkeys(("up", "down"), "Z"),
    **dict.fromkeys(("future", "past"), "T"),
}


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


def is_text_of(axis: Axis, one: CoordinateSet) -> bool | None:
    """Whether coordinates of an axis are strings, also where the values are out of reach, such as in another store.

    Parameters
    ----------
    axis : Axis
        The axis.
    one : CoordinateSet
        One of its sets.

    Returns
    -------
    bool or None
        None if that is not known.
    """
    text = is_text(one)
    if text is not None:
        return text
    # only numbers have a unit or times, and of an axis in space or time, which no texts are, one set has to have them
    told = any(one.given.get(member) is not None for member in ("unit", "time"))
    alone = one.external() is None and axis.abbreviation in ABBREVIATIONS and len(axis.sets) == 1
    return False if one.kind == "external" and (told or alone) else None


def has_texts(axis: Axis) -> bool:
    """Whether all coordinates of an axis are strings."""
    return bool(axis.sets) and all(map(is_text, axis.sets))


def has_no_numbers(array: Array) -> bool:
    """Whether the values of an array are known to be no real numbers."""
    kind = array.data_type
    return kind.known and kind.kind in ("bool", "complex", "string", "bytes")


def coordinates(axis: Axis, one: CoordinateSet) -> RuleOutput:
    """Judge a set of coordinates of an axis.

    Parameters
    ----------
    axis : Axis
        The axis.
    one : CoordinateSet
        One of its sets.
    """
    text = is_text_of(axis, one)
    yield from _unit(axis, one, text)
    yield from _told_otherwise(one)
    yield from time_object(axis, one, text)
    yield from _values(axis, one)
    yield from _boundaries(axis, one, text)


def _told_otherwise(one: CoordinateSet) -> RuleOutput:
    """Note an array of values or limits, or attributes, with another unit than cs gives the values, or another direction.

    Of times `time_object` does it.
    """
    held, usual = one.external(), {"down": "down", "up": "up"}
    own = one.given.get("attributes")
    places: list[tuple[str, Mapping[str, Any], tuple[str, ...]]] = [
        (f"{array.path} has", array.attributes, (array.path,))
        for array in filter(None, (held, one.bounds()))
    ]
    told = None if held is None else units_of_times(held.data_type)
    if held is not None and told is not None:
        by_type = f"{held.path}, by its data type {held.data_type.text}, has"
        places.append((by_type, {"units": told}, (held.path,)))
    if isinstance(own, Mapping) and "time" not in one.given:
        # which the reader of the author of cs takes
        places.append(("the attributes of these coordinates have", own, ()))
    for (has, said, paths), (member, given, name, known) in product(
        places,
        (
            ("unit", one.unit, "units", known_unit),
            ("direction", one.direction, "positive", lambda said: usual.get(str(said).lower())),
            ("direction", one.direction, "units", _along),
        ),
    ):
        mine, theirs = known(given), known(said.get(name))
        if mine is not None and theirs is not None and mine != theirs:
            itself, whose = (" itself", "its values") if paths else ("", "them")
            yield Fail(
                one.pointer(member),
                f"{has} {name} {json_text(said[name])}{itself}, and cs gives {whose} the {member} {json_text(given)}:"
                " each is what some readers take",
                related=paths,
                severity="warning",
                rule="CS-CF-001",
            )


def _along(said: Any) -> str | None:
    """Return what coordinates run along by their direction, or the units of their array; None where that does not tell."""
    if isinstance(said, str) and " since " in said:
        return "T"
    return hemispheres(said) or _ALONG.get(said if isinstance(said, str) else "")


def _is_temporal(axis: Axis, one: CoordinateSet) -> bool:
    return axis.abbreviation == "T" or "time" in one.given


def _unit(axis: Axis, one: CoordinateSet, text: bool | None) -> RuleOutput:
    pointer, shown = one.pointer("unit"), json_text(axis.name)
    given = one.given.get("unit")
    if given is None:
        if text is False and not _is_temporal(axis, one):
            own = axis.given.get("unit")  # which readers look for in the coordinates only
            hint = "" if own is None else f"; that of the axis, {json_text(own)}, belongs in them"
            yield Fail(
                pointer,
                f"the numeric coordinates of axis {shown} have no unit{hint}",
                fix=lambda _node: (
                    from_axis(axis, "unit", pointer)
                    if own
                    else Draft("suggest", note='write the unit, such as "degrees" or "m"')
                ),
                rule="CS-CO-004",
            )
    elif text and axis.abbreviation in ("X", "Y", "Z") and all(map(is_text, axis.sets)):
        return  # which is CS-AX-003
    elif text or (axis.abbreviation == "T" and "time" in one.given):
        what = "texts" if text else "times, whose unit is in the time object"
        yield Fail(pointer, f"a unit is not allowed for {what} (axis {shown})", rule="CS-CO-004")
    elif not _names_unit(given):
        yield Fail(
            pointer,
            f"the unit of axis {shown} must be a text or an object of the uom convention, got {json_text(given)}; "
            'that of numbers without a dimension is "1"',
            rule="CS-CO-004",
        )
    elif isinstance(given, Mapping) and (why := _odd_unit(given)) is not None:
        yield Fail(pointer, f"the unit of axis {shown}: {why}", rule="CS-CO-004")
    elif isinstance(given, str) and _CF_DEGREES.fullmatch(given):
        yield Fail(
            pointer,
            f'{given} of CF is not a unit here, as the direction is given separately; use "degrees"',
            severity="warning",
            fix=lambda _node: Draft("safe", (replace(pointer, "degrees"),)),
            rule="CS-CO-004",
        )


def _values(axis: Axis, one: CoordinateSet) -> RuleOutput:
    shown, given, pointer = json_text(axis.name), one.given.get("values"), one.pointer("values")
    if "values" in axis.given and "values" not in one.given:
        yield Fail(
            pointer,
            f"the coordinates of axis {shown} have no values; those of the axis belong in them",
            fix=lambda _node: from_axis(axis, "values", pointer),
            rule="CS-VAL-001",
        )
        return
    yield from values_object(
        shown, one.home, given, pointer, keyed=is_keyed(axis), length=_length(axis, one.home)
    )
    if one.kind == "explicit" and of_one_type(one.values):
        yield from _list_of_coordinates(shown, one.values, f"{pointer}/explicit")


def is_keyed(axis: Axis) -> bool:
    """Whether an axis is one of an object by name, as since revision r3."""
    return isinstance(axis.place[-1], str)


def _length(axis: Axis, home: Node) -> int | None:
    """Return how long the dimension of an axis is, 1 of one that is none; None where that depends on the array."""
    if not isinstance(home, Array) or home.shape is None or home.dimension_names is None:
        return None
    return dict(zip(home.dimension_names, home.shape, strict=False)).get(axis.name, 1)


def values_object(
    shown: str, home: Node, given: Any, pointer: str, *, keyed: bool, length: int | None = None
) -> RuleOutput:
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
    keyed : bool
        Whether axes are an object by name there.
    length : int or None
        How many values there have to be, where that is known.
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
            fix=_in_one_way(pointer, given, length),
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
            yield Fail(
                f"{at}/1",
                "the increment is 0, so all coordinates would be the same",
                rule="CS-VAL-003",
            )
    elif kind == "external":
        yield from judge_reference(home, resolve(values, home), at)
        yield from without_ref(at, values, keyed=keyed)
    elif not of_one_type(values):
        yield Fail(
            at,
            f"explicit values of {shown} must be a list of numbers or a list of texts, got {json_text(values)}",
            rule="CS-VAL-005",
        )
    elif (beyond := next((v for v in values if not _is_finite(v)), None)) is not None:
        yield Fail(
            at,
            f"explicit values of {shown} must be finite, got {json_text(beyond)}",
            rule="CS-VAL-005",
        )


def _names_unit(given: Any) -> bool:
    """Whether a unit is a text, or an object of the uom convention; in one the unit of UCUM is "1" by default."""
    if isinstance(given, Mapping):
        inner = given.get("uom", given)
        ucum = inner.get("ucum") if isinstance(inner, Mapping) else None
        given = ucum.get("unit") if isinstance(ucum, Mapping) else ""
        if given is None:
            return True
    return isinstance(given, str) and bool(given.strip())


def _odd_unit(given: Mapping[str, Any]) -> str | None:
    """Return what else is wrong with an object of the uom convention, as zarr-cm says it."""
    inner = given.get("uom", given)
    return known_conventions.property_error(known_conventions.UOM, {"uom": inner})


def _in_one_way(pointer: str, given: Any, length: int | None) -> FixMaker | None:
    """Return the fix that gives a list, a number or a reference by the way that is meant."""
    right: dict[str, Any] | None = None
    if numbers(given, 2) is not None:
        note = "write them as regular, [first, increment], or as explicit, whichever they are"
        return lambda _node: Draft("suggest", note=note)
    if isinstance(given, list) and given and of_one_type(given):
        right = {"explicit": given}
    elif isinstance(given, int | float) and not isinstance(given, bool):
        right = {"explicit": [given]}
    elif _names_node(given):
        right = {"external": {"ref": given.get("ref", given)}}
    explicit = None if right is None else right.get("explicit")
    if right is None or (explicit is not None and length not in (None, len(explicit))):
        return None
    return lambda _node: Draft("suggest", (replace(pointer, right),))


def _in_one_way_of_bounds(pointer: str, given: Any) -> FixMaker | None:
    """Return the fix that gives two numbers or a reference by the way that is meant."""
    right: dict[str, Any] | None = None
    if numbers(given, 2) is not None:
        right = {"regular": given}
    elif _names_node(given):
        right = {"external": {"ref": given.get("ref", given)}}
    if right is None:
        return None
    return lambda _node: Draft("suggest", (replace(pointer, right),))


def _names_node(given: Any) -> bool:
    """Whether a value is a reference to a node, and not to something in its document, which no array is."""
    inner = given.get("ref", given) if is_reference(given) else None
    return isinstance(inner, Mapping) and "node" in inner and "attribute" not in inner


def _is_finite(given: Any) -> bool:
    """Whether a coordinate is a text, or a number that float64 can hold."""
    return isinstance(given, str) or numbers([given], 1) is not None


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
            f"{plural(len(given), 'explicit value')}; an external array is better for so many",
            rule="CS-VAL-006",
        )
    if not given or isinstance(given[0], str) or not all(map(_is_finite, given)):
        return
    pairs = list(pairwise(given))
    rising, falling = all(a < b for a, b in pairs), all(a > b for a, b in pairs)
    if pairs and not rising and not falling:
        equal = next((i for i, (a, b) in enumerate(pairs) if a == b), None)
        why = (
            f"values of {shown} are not monotonic"
            if equal is None
            else f"value[{equal}] and value[{equal + 1}] of {shown} are both {json_text(given[equal])}"
        )
        yield Fail(at, why, rule="CS-VAL-007")


def _boundaries(axis: Axis, one: CoordinateSet, text: bool | None) -> RuleOutput:
    pointer = one.pointer("boundaries")
    if "boundaries" not in one.given:
        yield from _cells_of_cf(one, pointer)
        return
    given = one.given["boundaries"]
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
            fix=_in_one_way_of_bounds(pointer, given),
            rule="CS-BND-001",
        )
        return
    if there == ["external"]:
        reference = resolve(given["external"], one.home)
        yield from judge_reference(one.home, reference, f"{pointer}/external")
        yield from without_ref(f"{pointer}/external", given["external"], keyed=is_keyed(axis))
    elif numbers(given["regular"], 2) is None:
        yield Fail(
            f"{pointer}/regular",
            f"regular must be two finite numbers, [lower, upper], got {json_text(given['regular'])}",
            rule="CS-BND-003",
        )
    else:
        yield from _extents(one, given["regular"], f"{pointer}/regular")


def _cells_of_cf(one: CoordinateSet, pointer: str) -> RuleOutput:
    """Note an array of values that has bounds by CF: its coordinates stand for cells, of which cs says nothing."""
    held = one.external()
    name = None if held is None else held.attributes.get("bounds")
    if held is None or not isinstance(name, str) or not name or "/" in name:
        return
    limits = held.hierarchy.node_if_loaded(below(held.parent or "/") + name)
    if isinstance(limits, Array):  # CF-REF tells of a name that is that of nothing
        yield Fail(
            pointer,
            f"{held.path} itself has bounds, {limits.path}, so that its values stand for cells; cs gives them no boundaries,"
            " which makes points of them",
            related=(held.path, limits.path),
            severity="warning",
            rule="CS-BND-001",
        )


def _extents(one: CoordinateSet, extents: list[Any], at: str) -> RuleOutput:
    """Warn of extents that make cells of no length, or such as their coordinates are not in."""
    lower, upper = extents
    shown = f"both extents are added to the coordinate, so cells of {json_text(extents)}"
    if lower >= upper:
        what = "equal" if lower == upper else "in the wrong order"
        right = [-upper, upper] if lower == upper > 0 else [upper, lower]
        message = f"{shown} are empty: they are {what}"
    elif lower > 0 or upper < 0:
        given = one.values[0] if isinstance(one.values, list) and one.values else None
        first = numbers([given], 1) or (0.0,)
        right = [round(limit - first[0], 10) for limit in extents]
        message = f"{shown} do not have the coordinate in them"
        if right[0] <= 0 <= right[1]:
            message += "; they are the limits of the first cell themselves"
    else:
        return
    is_right = right[0] <= 0 <= right[1] and right[0] < right[1]
    yield Fail(
        at,
        message,
        severity="warning",
        fix=(lambda _node: Draft("suggest", (replace(at, right),))) if is_right else None,
        rule="CS-BND-003",
    )
