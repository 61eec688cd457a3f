"""CS: the arrays that hold where each element is, for grids whose axes do not say it.

They are named by ``geolocation``, in a reference system of cs or, by the geolocation convention alone, in the attributes
of an array or a group.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from itertools import product
from typing import Any

from nz_explorer.conventions.cs.axis_coordinates import is_keyed
from nz_explorer.conventions.cs.declared import SYSTEMS, companions, undeclared
from nz_explorer.conventions.cs.forms import identifier
from nz_explorer.conventions.cs.members import misspelt_in_geolocation, not_of_geolocation
from nz_explorer.conventions.cs.positions.arrays import (
    DIRECTIONS,
    Follow,
    are_positions,
    differ,
    in_both,
    of_shape,
    swapped,
    turned,
)
from nz_explorer.conventions.cs.positions.systems import KINDS, systems_of_positions
from nz_explorer.conventions.cs.references import judge_reference, without_ref
from nz_explorer.conventions.zcf import known_conventions
from nz_explorer.conventions.zcf.declarations import declared_here, pointer_to_entry
from nz_explorer.documents.json_text import json_text
from nz_explorer.documents.pointers import join
from nz_explorer.engine.findings import Fail, RuleOutput, Undecided
from nz_explorer.engine.registry import rule
from nz_explorer.model import Array, Node
from nz_explorer.model.dialects.cs import CoordinateSystem, Crs
from nz_explorer.model.dialects.ref import Reference, resolve

_IN_REF = "as the text of cs has it, though examples of geolocation do not"


def geolocation(system: CoordinateSystem) -> RuleOutput:
    """Judge whether geolocation arrays are there, and as long as the dimensions of their reference system."""
    for i, crs in enumerate(system.crs):
        if not isinstance(crs.given, Mapping) or "geolocation" not in crs.given:
            continue
        given, at = crs.given["geolocation"], _at(system, i, crs)
        if not crs.is_shared:  # else the group that keeps it is told
            yield from _positions(crs, None if crs.home is system.array else at)
        if _malformed(given) is not None:
            continue
        for kind in (one for one in KINDS if one in given):
            wrong: list[Fail] = []
            for direction in DIRECTIONS:
                reference = crs.follow(given[kind][direction])
                place = join(at, kind, direction) if crs.home is system.array else at
                expected = _expected(system, crs, reference)
                wrong += of_shape(reference, system.array, expected, place)
            if not crs.is_shared:
                yield from wrong
                continue
            kept = partial(resolve, home=crs.home)
            there = [kept(given[kind][direction]) for direction in DIRECTIONS]
            if not any(one.targets or one.uri for one in there):
                yield from _positions_in(crs, kind, at)  # which the group cannot be told
            if len(wrong) == len(DIRECTIONS) and not differ(kept, given[kind]):
                yield _both(*wrong)
            elif len(wrong) == len(DIRECTIONS) or not differ(kept, given[kind]):
                yield from wrong[:1]  # of one that differs from the other the group is told


def geolocation_by_itself(crs: Crs) -> RuleOutput:
    """Judge the geolocation of a shared reference system, whatever array refers to it."""
    if not isinstance(crs.given, Mapping) or "geolocation" not in crs.given:
        return
    yield from _positions(crs, None)
    for kind in KINDS if _malformed(crs.given["geolocation"]) is None else ():
        if kind in crs.given["geolocation"] and (
            shapes := differ(crs.follow, crs.given["geolocation"][kind])
        ):
            yield Fail(
                crs.pointer("geolocation", kind, "y"),
                f"x and y of {kind} have the shapes {' and '.join(map(str, shapes))}; there are as many of both, in the same order",
                rule="CS-GEO-001",
            )


def _both(x: Fail, y: Fail) -> Fail:
    """Return one failure of two arrays of the same wrong shape, as an array is told of both at one place."""
    if x.related == y.related:
        return x
    message = x.message.replace(" has shape ", f" and {y.related[0]} have shape ", 1)
    return dataclasses.replace(x, message=message, related=(*x.related, *y.related))


def _positions(crs: Crs, entry: str | None) -> RuleOutput:
    """Judge what names the arrays of positions; at the entry that leads there, if that is another node."""
    given, at = crs.given["geolocation"], crs.pointer("geolocation")
    if (why := _malformed(given)) is not None:
        yield misspelt_in_geolocation(Fail(entry or at, why, rule="CS-GEO-001"), at, given)
        return
    for kind, direction in product(KINDS, DIRECTIONS):
        if kind not in given:
            continue
        place = entry or join(at, kind, direction)
        reference = crs.follow(given[kind][direction])
        yield from judge_reference(crs.home, reference, place)
        if entry is None:
            keyed = any(map(is_keyed, crs.axes))
            yield from without_ref(place, given[kind][direction], keyed=keyed, why=_IN_REF)
    for kind in KINDS:
        if kind in given:
            yield from _positions_in(crs, kind, entry)
    yield from in_both(crs.follow, given, entry, at)
    if entry is None:
        yield from systems_of_positions(at, given)
        yield from not_of_geolocation(at, given)


def _positions_in(crs: Crs, kind: str, entry: str | None) -> RuleOutput:
    """Judge what is in the arrays of positions."""
    pair, at = crs.given["geolocation"][kind], crs.pointer("geolocation", kind)
    for direction in DIRECTIONS:
        yield from are_positions(crs.follow(pair[direction]), entry or join(at, direction))
    yield from swapped(crs.follow, pair, kind, entry, at)


@rule(
    "CS-GEO-001",
    "CS-GEO-002",
    "CS-ID-004",
    "CS-REG-002",
    "CS-REG-006",
    "REF-001",
    "REF-002",
    "REF-003",
    "REF-004",
    "REF-005",
    "REF-008",
    on="node",
    formats=(3,),
    needs=("shape", "attributes", "names"),
    when=lambda node: (
        "geolocation" in node.attributes or known_conventions.GEOLOCATION in declared_here(node)
    ),
)
def geolocation_of_a_node(node: Node) -> RuleOutput:
    """Judge what the geolocation convention has by itself; rules of zarr_conventions cover CS-REG-006 and CS-GEO-002."""
    if "geolocation" not in node.attributes:
        yield from _not_there(node)
        return
    given, at = node.attributes["geolocation"], node.attribute_pointer("geolocation")
    declared = declared_here(node)
    if known_conventions.GEOLOCATION not in declared:
        if not isinstance(given, Mapping) or given.keys().isdisjoint(KINDS):
            return  # of something else that is called so, such as the name of a place
        yield undeclared(
            node, "geolocation", "geolocation", known_conventions.GEOLOCATION, "CS-REG-006"
        )
    if (why := _malformed(given)) is not None:
        yield misspelt_in_geolocation(Fail(at, why, rule="CS-GEO-002"), at, given)
        return
    yield from _form(at, given)
    for known, what in companions(given).items():
        if known not in declared:
            yield undeclared(node, "geolocation", f"{known.name} (by {what})", known, "CS-REG-002")
    follow = partial(resolve, home=node, text="geolocation")
    for kind in (one for one in KINDS if one in given):
        wrong: list[Fail | Undecided] = []
        for direction in DIRECTIONS:
            place = join(at, kind, direction)
            formed = isinstance(given[kind][direction], Mapping | str)
            if known_conventions.GEOLOCATION in declared and not formed:
                continue  # ZCF-SCHEMA-001
            reference = follow(given[kind][direction])
            yield from judge_reference(node, reference, place)
            yield from are_positions(reference, place)
            wrong += of_shape(
                reference, node, _lengths(node, reference) or turned(node, reference), place
            )
        yield from wrong or _unlike(follow, given[kind], kind, join(at, kind, "y"))
        yield from swapped(follow, given[kind], kind, None, join(at, kind))
    yield from in_both(follow, given, None, at)
    if known_conventions.GEOLOCATION not in declared or all(_of_objects(given)):
        yield from systems_of_positions(at, given)


def _form(at: str, given: Mapping[str, Any]) -> RuleOutput:
    """Judge the members of geolocation by itself, as ZCF-SCHEMA-001 does where it is asked for."""
    for found in not_of_geolocation(at, given):
        yield dataclasses.replace(found, rule="CS-GEO-002")
    for kind, direction in product(KINDS, DIRECTIONS):
        if kind in given and not isinstance(named := given[kind][direction], Mapping | str):
            yield Fail(
                join(at, kind, direction),
                f"{direction} of {kind} must be a reference to an array, got {json_text(named)}",
                rule="CS-GEO-002",
            )
    for kind, name in product(KINDS, SYSTEMS):
        if name in given.get(kind, {}) and not isinstance(system := given[kind][name], Mapping):
            for found in identifier(join(at, kind, name), system, name):
                yield dataclasses.replace(found, rule="CS-GEO-002")


def _not_there(node: Node) -> RuleOutput:
    """Note that geolocation is declared where nothing has it: it may be in cs, in crs, or in what another attribute holds."""
    held = (value for value in node.attributes.values() if isinstance(value, Mapping))
    if {name.lower() for name in node.attributes} & {"cs", "crs"} or any(
        "geolocation" in value for value in held
    ):
        return
    above = node.hierarchy.node_if_loaded(node.parent) if node.parent else None
    if above is not None and "geolocation" in above.attributes:
        return  # of the group, for its arrays as well
    yield Fail(
        pointer_to_entry(node, known_conventions.GEOLOCATION),
        "geolocation is declared, and this node has no attribute geolocation: no arrays with positions are named",
        severity="info",
        rule="CS-GEO-001",
    )


def _unlike(follow: Follow, pair: Mapping[str, Any], kind: str, at: str) -> RuleOutput:
    """Judge whether x and y are there for the same elements."""
    if shapes := differ(follow, pair):
        yield Fail(
            at,
            f"x and y of {kind} have the shapes {shapes[0]} and {shapes[1]}: both give a position of each element,"
            " so they have one shape",
            severity="warning",
            rule="CS-GEO-001",
        )


def _of_objects(given: Mapping[str, Any]) -> Iterator[bool]:
    """Yield of each system of positions that is given whether it is an object, as ZCF-SCHEMA-001 wants it."""
    for kind, name in product(KINDS, SYSTEMS):
        if name in given.get(kind, {}):
            yield isinstance(given[kind][name], Mapping)


def _at(system: CoordinateSystem, i: int, crs: Crs) -> str:
    """Return where a geolocation object is; the entry that leads there, if that is another node."""
    if crs.home is system.array:
        return crs.pointer("geolocation")
    return system.array.attribute_pointer("cs", "crs", i)


def _malformed(given: Any) -> str | None:
    """Return why an object gives no positions, None where it may."""
    if not isinstance(given, Mapping):
        return (
            f"geolocation must be an object of the geolocation convention, got {json_text(given)}"
        )
    if not any(kind in given for kind in KINDS):
        return f"geolocation must have geodetic, planar or both, got {json_text(given)}"
    for kind in KINDS:
        pair = given.get(kind)
        if kind not in given:
            continue
        if not isinstance(pair, Mapping):
            return f"{kind} must be an object with references x and y, got {json_text(pair)}"
        missing = [direction for direction in DIRECTIONS if direction not in pair]
        if missing:
            return f"{kind} has no {' and no '.join(missing)}: both name an array, x that of longitudes or eastings"
    return None


def _expected(system: CoordinateSystem, crs: Crs, reference: Reference) -> list[list[int]] | None:
    """Return the shapes that geolocation arrays may have, None where axes are not understood or no dimensions, which is CS-ARR-004.

    That of the dimensions of their reference system, or of the whole array; an example of the text has positions along
    a dimension of another reference system as well.
    """
    shape = system.array.shape or ()
    own = [
        length
        for axis, length in zip(system.dimensions, shape, strict=False)
        if axis is not None and any(axis is one for one in crs.axes)
    ]
    if len(own) < len(crs.axes) or crs.problem is not None:
        return None
    shared = _lengths(system.array, reference, [axis.name for axis in crs.axes])
    return [own, list(shape), *(shared or [])]


def _lengths(
    node: Node, reference: Reference, needed: Iterable[str | None] = ()
) -> list[list[int]] | None:
    """Return the shape of the dimensions of an array that geolocation arrays share with it by name, None where that cannot be told.

    Or where some are not among them that are needed.
    """
    found = reference.array
    if not isinstance(node, Array) or found is None:
        return None
    named = dict(zip(node.dimension_names or (), node.shape or (), strict=False))
    names = found.dimension_names or ()
    if not names or not set(names) <= named.keys() or not set(needed) <= set(names):
        return None
    return [[length for name, length in named.items() if name in names]]
