"""CS: arrays with their coordinate sets."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from itertools import chain
from typing import Any

from nz_explorer.conventions.cs.axes import once
from nz_explorer.conventions.cs.axis_coordinates import is_keyed
from nz_explorer.conventions.cs.declared import one_revision, registered
from nz_explorer.conventions.cs.forms import (
    has_systems,
    identifier,
    into_set,
    judge_attributes,
    judge_name,
    not_a_set,
    not_an_entry,
    shared_by,
)
from nz_explorer.conventions.cs.groups import shared_references
from nz_explorer.conventions.cs.lengths import lengths, place
from nz_explorer.conventions.cs.members import (
    OF_SET,
    as_meant,
    in_the_set,
    near,
    near_members,
)
from nz_explorer.conventions.cs.positions.geolocation import geolocation
from nz_explorer.conventions.cs.positions.systems import is_of_image, unlike_units
from nz_explorer.conventions.cs.references import judge_reference, without_ref
from nz_explorer.conventions.cs.systems import (
    OF_CRS,
    SCHEMA_NAME,
    of_crs,
    uses_cs,
)
from nz_explorer.conventions.suggested_names import add_names, suggested_names
from nz_explorer.documents.json_text import json_text
from nz_explorer.engine.findings import Fail, FixMaker, RuleOutput, Undecided
from nz_explorer.engine.fixes import Draft, move, remove, replace
from nz_explorer.engine.registry import rule
from nz_explorer.model import Array, Node
from nz_explorer.model.dialects.cs import (
    ABBREVIATIONS,
    Axis,
    CoordinateSystem,
    Crs,
    coordinate_system,
)
from nz_explorer.model.dialects.ref import Reference, Target
from nz_explorer.text.phrases import listed, plural


@rule("CS-ARR-009", on="array", formats=(3,), needs=("attributes",), when=has_systems)
def systems_on_array(array: Array) -> RuleOutput:
    """Note shared reference systems where nothing can share them."""
    yield Fail(
        array.attribute_pointer("crs"),
        "crs belongs to groups; an array has its reference systems in the list crs of cs",
        fix=into_set,
    )


OF_ARRAY = (
    "CS-ARR-002",
    "CS-ARR-003",
    "CS-ARR-004",
    "CS-ARR-005",
    "CS-ARR-008",
    "CS-ID-001",
    "CS-ID-002",
    "CS-ID-003",
    "REF-006",
    "REF-007",
)


OF_SHAPE = ("CS-ARR-003", "CS-ARR-004", "CS-ARR-005", "CS-VAL-004", "CS-BND-004", "CS-GEO-001")
"""Rules that compare with the lengths of the array."""


@rule(
    "CS-ARR-001",
    *OF_ARRAY,
    *OF_CRS,
    on="array",
    formats=(3,),
    needs=("attributes", "names"),
    when=uses_cs,
)
def coordinate_set(array: Array) -> RuleOutput:
    """Judge the coordinate system of an array, put together from all its reference systems."""
    system = coordinate_system(array)
    given = array.attributes["cs"]
    if system is None or not isinstance(given, dict) or not isinstance(given.get("crs"), list):
        yield not_a_set(array, given)
        return
    if not given["crs"]:
        yield Fail(
            array.attribute_pointer("cs", "crs"),
            "cs has no reference system, as crs is empty",
            rule="CS-ARR-002",
        )
        return
    noted = [*near(array.attribute_pointer("cs"), given, OF_SET)]
    for crs in system.crs:
        noted += near_members(crs) if crs.home is array else ()
    yield from as_meant(noted, _coordinate_set(array, system, given))


def _coordinate_set(array: Array, system: CoordinateSystem, given: dict[str, Any]) -> RuleOutput:
    yield from judge_name(array.attribute_pointer("cs", "name"), given)
    yield from judge_attributes(array.attribute_pointer("cs", "attributes"), given)
    if "id" in given:
        yield from identifier(array.attribute_pointer("cs", "id"), given["id"])
        yield from unlike_units(array.attribute_pointer("cs", "id"), given["id"], system.crs)
    own = [crs for crs in system.crs if crs.home is array]
    yield from in_the_set(array.attribute_pointer("cs"), given, own)
    for i, crs in enumerate(system.crs):
        yield from _entry(system, i, crs)
        if crs.home is array:
            yield from of_crs(crs, chain.from_iterable(o.axes for o in system.crs if o is not crs))
    yield from shared_references(system)
    yield from registered(array, system.crs, "cs")
    yield from one_revision(array, system.crs, "cs")
    yield from _identifiers(system)
    yield from once(system.crs, partial(place, system))
    if array.shape is None:
        yield from (Undecided("dependency: Z3-SHAPE-001", one) for one in OF_SHAPE)
        return
    if system.names is None:
        yield Fail(
            array.pointer("dimension_names"),
            "this array has no dimension_names, so no axis can be matched with a dimension",
            fix=_names_of_axes,
            rule="CS-ARR-003",
        )
    if (missing := _missing(system)) is None:
        yield from _composition(system)
    else:
        for rule_id in ("CS-ARR-004", "CS-ARR-005"):
            yield Undecided(f"dependency: {missing}", rule_id)
    yield from lengths(system)
    yield from geolocation(system)
    yield from _described_twice(system)


def _entry(system: CoordinateSystem, i: int, crs: Crs) -> RuleOutput:
    """Judge an entry of the list: a reference system, or a reference to one."""
    array = system.array
    pointer = array.attribute_pointer("cs", "crs", i)
    if crs.cycle:
        yield Fail(
            pointer, f"{crs.problem}, so no reader gets to a reference system", rule="REF-007"
        )
        return
    if crs.reference is not None:
        yield from judge_reference(array, crs.reference, pointer, wanted=crs.problem is None)
        given = crs.reference.given
        lost = "the coordinates of this system"
        yield from without_ref(pointer, given, keyed=any(map(is_keyed, crs.axes)), lost=lost)
        if isinstance(given, Mapping) and "ref" in given and len(given) > 1:
            beside = ", ".join(json_text(name) for name in given if name != "ref")
            yield Fail(
                pointer,
                f"reference: with {beside} beside ref the reader of the author of cs takes it for a reference system without axes",
                severity="warning",
                readers={
                    "xarray-zarr-xgroup": "gives the array without the coordinates of this system"
                },
                rule="REF-001",
            )
        if crs.reference.targets and crs.problem is not None:
            target = crs.reference.targets[0]
            others = [one.reference.attribute for one in system.crs if one.reference is not None]
            yield Fail(
                pointer,
                _wrong_target(crs.reference, target, crs.problem),
                related=(target.node.path,),
                fix=shared_by(
                    array, crs.reference, target, pointer, [one for one in others if one]
                ),
                rule="REF-006",
            )
        elif crs.reference.kind == "uri" and not crs.reference.attribute:
            yield Fail(
                pointer,
                "the reference names no attribute, so it leads to a node of another store, which is no reference system",
                rule="REF-006",
            )
    elif crs.problem is not None:
        yield not_an_entry(array, i, crs)


def _wrong_target(reference: Reference, target: Target, problem: str) -> str:
    if reference.attribute is None:
        return f"the reference names no attribute, so it leads to node {target.node.path}, which is no reference system"
    if not reference.attribute:
        return f'the attribute "" means the whole document of {target.node.path}, which is no reference system'
    return f"{target} is not a reference system: {problem}"


def _identifiers(system: CoordinateSystem) -> RuleOutput:
    array, composite = system.array, "id" in system.given
    physical = [
        (i, crs)
        for i, crs in enumerate(system.crs)
        if any(axis.abbreviation in ABBREVIATIONS for axis in crs.axes)
    ]
    known = [crs for _, crs in physical if not is_of_image(crs)]  # of which there may be a code
    if len(known) > 1 and not composite:
        alone = not any(isinstance(crs.given, Mapping) and "id" in crs.given for crs in known)
        yield Fail(
            array.attribute_pointer("cs", "id"),
            f"{len(known)} reference systems in space and time, but no id for their combination"
            f"{', and none of them has one' if alone else ''}",
            covers=("CS-ID-002",) if alone else (),  # that id will do for all of them
            rule="CS-ID-001",
        )
    for i, crs in physical:
        has_id = isinstance(crs.given, Mapping) and "id" in crs.given
        pointer = array.attribute_pointer("cs", "crs", i)
        planar = any(axis.abbreviation in ("X", "Y") for axis in crs.axes) and not is_of_image(crs)
        # Of a grid that arrays locate the text expects none: it is typically not known.
        located = isinstance(crs.given, Mapping) and "geolocation" in crs.given
        if planar and not has_id and not composite and not located:
            which = f"crs[{i}]" if crs.name is None else json_text(crs.name)
            yield Fail(pointer, f"reference system {which} has no id", rule="CS-ID-002")
        elif has_id and composite:
            at = crs.pointer("id")
            yield Fail(
                at if crs.home is array else pointer,
                "the id of a reference system is overridden by cs.id",
                fix=(lambda _node, at=at: Draft("unsafe", (remove(at),)))  # type: ignore[misc]  # bound now
                if crs.home is array
                else None,
                rule="CS-ID-003",
            )


def _missing(system: CoordinateSystem) -> str | None:
    """Return the rule that must hold before axes can be matched with dimensions."""
    if any(crs.problem is not None for crs in system.crs):
        return "CS-ARR-002"
    if any(axis.name is None for axis in system.axes):
        return "CS-AX-001"
    return "CS-ARR-003" if system.names is None else None


def _composition(system: CoordinateSystem) -> RuleOutput:
    """Judge whether axes and dimensions fit together."""
    array, names = system.array, system.names or ()
    pointer = array.attribute_pointer("cs", "crs")
    meant = _misnamed(system)
    for number, (name, axis) in enumerate(zip(names, system.dimensions, strict=True)):
        if axis is None:
            which = number if name is None else json_text(name)
            why = "has no name, and so no axis" if name is None else "has no axis"
            axes = meant.get(number, [])
            many = "axes" if len(axes) > 1 else "axis"
            called = listed(json_text(one.name) for one in axes)
            other = f", and {many} {called} no dimension" if axes else ""
            yield Fail(
                pointer,
                f"dimension {which} {why} in cs{other}",
                fix=_named(array, axes[0], name, number) if len(axes) == 1 else None,
                rule="CS-ARR-004",
            )
        again = name in names[:number]
        if name is not None and (again or not SCHEMA_NAME.fullmatch(name)):
            why = (
                "in which each name occurs once"
                if again
                else "in which names begin with a letter, a to z, and have letters, digits and underscores"
            )
            yield Fail(
                f"/dimension_names/{number}",
                f"dimension {json_text(name)} is not accepted by the schema of cs, {why}",
                rule="CS-ARR-008",
            )
    located = [
        axis
        for crs in system.crs
        if isinstance(crs.given, Mapping) and "geolocation" in crs.given
        for axis in crs.axes
    ]
    for axis in system.extra:
        length = axis.length()
        if any(axis is one for axes in meant.values() for one in axes):
            continue  # it goes with a dimension that has none
        if length is None and not _is_formed(axis, located=any(axis is one for one in located)):
            yield Undecided("dependency: CS-CO-002", "CS-ARR-005")
        elif length != 1:
            has = (
                "does not say how many values it has, as an explicit value would"
                if length is None
                else f"has {plural(length, 'value')}"
            )
            yield Fail(
                place(system, axis),
                f"axis {json_text(axis.name)} is not a dimension of the array and {has}; such an axis must have exactly one value",
                severity="warning" if length is None else None,
                rule="CS-ARR-005",
            )


def _misnamed(system: CoordinateSystem) -> dict[int, list[Axis]]:
    """Return the axes that may be meant for each dimension without one, where there are as many and their lengths fit."""
    lacking = {
        number: length
        for number, (axis, length) in enumerate(
            zip(system.dimensions, system.array.shape or (), strict=False)
        )
        if axis is None
    }
    over = [axis for axis in system.extra if axis.length() != 1]
    found = {
        number: [axis for axis in over if axis.length() in (None, length)]
        for number, length in lacking.items()
    }
    fitting = {id(axis) for axes in found.values() for axis in axes}
    if len(lacking) != len(over) or not all(found.values()) or len(fitting) < len(over):
        return {}
    return found


def _named(array: Array, axis: Axis, name: str | None, number: int) -> FixMaker | None:
    """Return the fix that calls an axis as its dimension is called, where it is described at the array, or the other way round."""
    if name is None:
        right = replace(f"/dimension_names/{number}", axis.name)
        return lambda _node: Draft("suggest", (right,))
    if axis.home is not array:
        return None
    operation = replace(axis.pointer("name"), name)
    if is_keyed(axis):
        *above, _ = axis.place
        operation = move(axis.pointer(), array.attribute_pointer(*above, name))
    return lambda _node: Draft("suggest", (operation,))


def _is_formed(axis: Axis, *, located: bool) -> bool:
    """Whether an axis that does not say its length has coordinates, or may have none: what is wrong with others is reported."""
    if "coordinates" not in axis.given:
        return located or axis.abbreviation not in ABBREVIATIONS
    return any(one.kind == "regular" for one in axis.sets)


def _names_of_axes(node: Node) -> Draft | None:
    """Name the dimensions as the axes are; names that no axis has would be as wrong as none."""
    draft = add_names(node)
    system = coordinate_system(node) if isinstance(node, Array) else None
    if draft is None or system is None or node.zarr_format == 2:
        return draft
    called = [axis.name for axis in system.axes if axis.name is not None and axis.length() != 1]
    names, _ = suggested_names(system.array)
    if not called or {*names} <= {axis.name for axis in system.axes}:
        return draft
    return Draft(
        "suggest", note=f"name each dimension as its axis is: {listed(map(json_text, called))}"
    )


def _described_twice(system: CoordinateSystem) -> RuleOutput:
    array = system.array
    for axis in system.extra:
        if axis.name is None or "/" in axis.name:
            continue
        stem = "" if array.parent in (None, "/") else array.parent
        beside = array.hierarchy.node_if_loaded(f"{stem}/{axis.name}")
        meant = any(one.external() is beside for one in axis.sets)  # which is CS-VAL-004
        if isinstance(beside, Array) and beside.ndim == 0 and not meant:
            yield Fail(
                array.attribute_pointer("cs", "crs"),
                f"{json_text(axis.name)} is described twice: as an axis of cs and as the scalar {beside.path}",
                related=(beside.path,),
                rule="CS-CF-001",
            )
