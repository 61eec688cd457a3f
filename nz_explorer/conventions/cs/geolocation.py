"""CS: the arrays that hold where each element is, for grids whose axes do not say it.

They are named by ``geolocation``, in a reference system of cs or, by the geolocation convention alone, in the attributes
of an array or a group.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from itertools import product
from typing import Any

from nz_explorer.conventions.cs.axis_coordinates import has_no_numbers, is_keyed
from nz_explorer.conventions.cs.declared import SYSTEMS, companions, undeclared
from nz_explorer.conventions.cs.forms import HELD, KINDS, identifier, systems_of_positions
from nz_explorer.conventions.cs.lengths import turned
from nz_explorer.conventions.cs.members import misspelt_in_geolocation, not_of_geolocation
from nz_explorer.conventions.cs.references import judge_reference, without_ref
from nz_explorer.conventions.zcf import known_conventions
from nz_explorer.conventions.zcf.declarations import declared_here, entries, pointer_to
from nz_explorer.documents.json_text import json_text
from nz_explorer.documents.pointers import join
from nz_explorer.engine.findings import Fail, RuleOutput, Undecided
from nz_explorer.engine.fixes import Draft, plain, replace
from nz_explorer.engine.registry import rule
from nz_explorer.model import Array, Node
from nz_explorer.model.dialects.cs import CoordinateSystem, Crs
from nz_explorer.model.dialects.ref import Reference, resolve
from nz_explorer.text.units import hemispheres

DIRECTIONS = ("x", "y")
_Follow = Callable[[Any], Reference]
"""Returns where a reference leads."""

_CALLED = re.compile(
    r"(?<![^_])[a-z]?(?:(lon(?:g|gitude)?s?|easting|x)|lat(?:itude)?s?|northing|y)(?![^_])",
    re.IGNORECASE,
)
"""Words in the names of arrays that have longitudes or eastings, the group, or latitudes or northings, such as in nav_lat."""

_METRES = ("m", "metre", "metres", "meter", "meters", "km")
"""Units that no longitude or latitude has."""
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
                wrong += _shape(reference, _expected(system, crs, reference), place)
            if not crs.is_shared:
                yield from wrong
                continue
            kept = partial(resolve, home=crs.home)
            there = [kept(given[kind][direction]) for direction in DIRECTIONS]
            if not any(one.targets or one.uri for one in there):
                yield from _positions_in(crs, kind, at)  # which the group cannot be told
            if len(wrong) == len(DIRECTIONS) and not _differ(kept, given[kind]):
                yield _both(*wrong)
            elif len(wrong) == len(DIRECTIONS) or not _differ(kept, given[kind]):
                yield from wrong[:1]  # of one that differs from the other the group is told


def geolocation_by_itself(crs: Crs) -> RuleOutput:
    """Judge the geolocation of a shared reference system, whatever array refers to it."""
    if not isinstance(crs.given, Mapping) or "geolocation" not in crs.given:
        return
    yield from _positions(crs, None)
    for kind in KINDS if _malformed(crs.given["geolocation"]) is None else ():
        if kind in crs.given["geolocation"] and (
            shapes := _differ(crs.follow, crs.given["geolocation"][kind])
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


def _differ(follow: _Follow, pair: Mapping[str, Any]) -> list[list[int]]:
    """Return the shapes of the arrays with x and y, where they are not the same."""
    held = (follow(pair[direction]).array for direction in DIRECTIONS)
    shapes = [list(one.shape) for one in held if one is not None and one.shape is not None]
    return shapes if len(shapes) == 2 and shapes[0] != shapes[1] else []


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
    yield from _in_both(crs.follow, given, entry, at)
    if entry is None:
        yield from systems_of_positions(at, given)
        yield from not_of_geolocation(at, given)


def _positions_in(crs: Crs, kind: str, entry: str | None) -> RuleOutput:
    """Judge what is in the arrays of positions."""
    pair, at = crs.given["geolocation"][kind], crs.pointer("geolocation", kind)
    for direction in DIRECTIONS:
        yield from _are_positions(crs.follow(pair[direction]), entry or join(at, direction))
    yield from _swapped(crs.follow, pair, kind, entry, at)


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
            yield from _are_positions(reference, place)
            wrong += _shape(reference, _lengths(node, reference) or turned(node, reference), place)
        yield from wrong or _unlike(follow, given[kind], kind, join(at, kind, "y"))
        yield from _swapped(follow, given[kind], kind, None, join(at, kind))
    yield from _in_both(follow, given, None, at)
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
    i = next(
        i
        for i, one in entries(node)
        if known_conventions.identify(one) is known_conventions.GEOLOCATION
    )
    yield Fail(
        pointer_to(node, i),
        "geolocation is declared, and this node has no attribute geolocation: no arrays with positions are named",
        severity="info",
        rule="CS-GEO-001",
    )


def _unlike(follow: _Follow, pair: Mapping[str, Any], kind: str, at: str) -> RuleOutput:
    """Judge whether x and y are there for the same elements."""
    if shapes := _differ(follow, pair):
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


def _are_positions(reference: Reference, at: str) -> RuleOutput:
    """Judge whether a reference leads to an array, and that to numbers."""
    found = reference.array
    if not reference.targets:
        return  # reported by judge_reference
    if found is None:
        what = f"{reference.targets[0]} is not an array"
        needed = "positions are the values of arrays"
    elif has_no_numbers(found):
        what, needed = f"{found.path} has {found.data_type.text}", "positions are real numbers"
    else:
        return
    yield Fail(
        at,
        f"{what}; {needed}",
        related=(reference.targets[0].node.path,),
        rule="CS-GEO-001",
    )


def _swapped(
    follow: _Follow, pair: Mapping[str, Any], kind: str, entry: str | None, at: str
) -> RuleOutput:
    """Judge whether x names an array that says of itself that it has what y should name, or the other way round."""
    found = {direction: follow(pair[direction]) for direction in DIRECTIONS}
    names = {direction: _named(reference) for direction, reference in found.items()}
    arrays = {one: array for one, reference in found.items() if (array := reference.array)}
    wrong = [one for one, array in arrays.items() if _runs(array) not in (None, one)]
    called = not any(map(_runs, arrays.values())) and [*map(_called, found.values())] == ["y", "x"]
    wrong = list(DIRECTIONS) if called else wrong
    if not wrong:
        yield from _unfit(arrays, names, kind, entry, at)
        return
    wanted = {
        "geodetic": "x is longitude, and y latitude",
        "planar": "x is easting, and y northing",
    }[kind]
    named = " and ".join(f"{one} names {names[one]}" for one in wrong)
    own = "their names" if called else "their own units or standard names"
    right = (
        replace(join(at, "x"), plain(pair["y"])),
        replace(join(at, "y"), plain(pair["x"])),
    )
    yield Fail(
        entry or join(at, wrong[0]),
        f"{named}, by its own units or standard name the other one: {wanted}"
        if len(wrong) == 1
        else f"{named}, by {own} the other way round: {wanted}",
        related=tuple(arrays[one].path for one in wrong if one in arrays),
        severity="warning" if called else None,
        fix=(lambda _node: Draft("suggest", right)) if entry is None and len(wrong) == 2 else None,
        rule="CS-GEO-001",
    )


def _unfit(
    arrays: Mapping[str, Array],
    names: Mapping[str, str | None],
    kind: str,
    entry: str | None,
    at: str,
) -> Iterator[Fail]:
    """Judge whether x and y are two arrays, and whether they say of themselves that they are in the other system."""
    if names["x"] is not None and names["x"] == names["y"]:
        yield Fail(
            entry or join(at, "y"),
            f"x and y of {kind} both name {names['y']}, and one array cannot have {HELD[kind]}",
            related=tuple(arrays[one].path for one in ("y",) if one in arrays),
            rule="CS-GEO-001",
        )
        return
    other = "planar" if kind == "geodetic" else "geodetic"
    wrong = {name: array.path for name, array in arrays.items() if _says(array) == other}
    if wrong:
        named = " and ".join(f"{name} names {path}" for name, path in wrong.items())
        own = (
            "its own units or standard name"
            if len(wrong) == 1
            else "their own units or standard names"
        )
        yield Fail(
            entry or join(at, next(iter(wrong))),
            f"{named}, by {own} {HELD[other]}; {kind} positions are {HELD[kind]}",
            related=tuple(wrong.values()),
            severity="warning",
            rule="CS-GEO-001",
        )


def _in_both(
    follow: _Follow, given: Mapping[str, Any], entry: str | None, at: str
) -> Iterator[Fail]:
    """Judge whether positions in both systems are in arrays of their own; of those that say what they have that is told."""
    if not all(kind in given for kind in KINDS):
        return
    geodetic, planar = (
        {
            name: reference.array
            for one in DIRECTIONS
            if (name := _named(reference := follow(given[kind][one])))
        }
        for kind in KINDS
    )
    both = {name: geodetic[name] for name in sorted(geodetic.keys() & planar.keys())}
    arrays = list(filter(None, both.values()))
    if both and not any(map(_says, arrays)):
        yield Fail(
            entry or join(at, "planar"),
            f"geodetic and planar both name {' and '.join(both)}, and no array has positions in both systems",
            related=tuple(array.path for array in arrays),
            rule="CS-GEO-001",
        )


def _named(reference: Reference) -> str | None:
    """Return which array a reference names, of another store by what it says alone; None where there is none."""
    if reference.uri and reference.path:
        return f"{reference.path} of {reference.uri}"
    return None if reference.array is None else reference.array.path


def _says(array: Array) -> str | None:
    """Return in which of the two systems the values of an array are, as it says itself; None where it does not."""
    name, units = array.attributes.get("standard_name"), array.attributes.get("units")
    if name in ("longitude", "latitude") or hemispheres(units):
        return "geodetic"
    metres = isinstance(units, str) and units in _METRES
    planar = metres or name in ("projection_x_coordinate", "projection_y_coordinate")
    return "planar" if planar else None


def _runs(array: Array) -> str | None:
    """Return which of x and y the values of an array are, as it says itself; None where it does not."""
    name = array.attributes.get("standard_name")
    sides = hemispheres(array.attributes.get("units"))
    for direction, side, names in (
        ("x", "EW", ("longitude", "projection_x_coordinate")),
        ("y", "NS", ("latitude", "projection_y_coordinate")),
    ):
        if sides == side or name in names:
            return direction
    return None


def _called(reference: Reference) -> str | None:
    """Return which of x and y the values of an array are by its name; None where that does not tell."""
    path = (reference.path or "") if reference.uri else getattr(reference.array, "path", "")
    found = {"x" if word else "y" for word in _CALLED.findall(path.rpartition("/")[2])}
    return found.pop() if len(found) == 1 else None


def _shape(reference: Reference, expected: list[list[int]] | None, at: str) -> Iterator[Fail]:
    """Judge whether a reference leads to an array of one of the expected shapes, of any where None is expected."""
    found = reference.array
    if found is None or found.shape is None or expected is None or list(found.shape) in expected:
        return
    yield Fail(
        at,
        f"{found.path} has shape {list(found.shape)}; the positions of this array need the shape {expected[0]}",
        related=(found.path,),
        rule="CS-GEO-001",
    )
