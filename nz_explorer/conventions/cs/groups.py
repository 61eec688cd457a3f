"""CS: groups that keep reference systems for arrays."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from itertools import chain, product
from typing import Any

from nz_explorer.conventions.cs.axes import once
from nz_explorer.conventions.cs.declared import one_revision, registered
from nz_explorer.conventions.cs.forms import keyed, not_by_name
from nz_explorer.conventions.cs.lengths import lengths_by_themselves
from nz_explorer.conventions.cs.members import as_meant, near_members
from nz_explorer.conventions.cs.paths import (
    end_as_read,
    inner_pointer,
    is_for_others,
    node_nearly_so,
    path_from_all,
    with_path,
)
from nz_explorer.conventions.cs.positions.geolocation import geolocation_by_itself
from nz_explorer.conventions.cs.systems import OF_CRS, have_no_direction, keeps_crs, of_crs
from nz_explorer.conventions.zcf import known_conventions
from nz_explorer.conventions.zcf.declarations import declared_here
from nz_explorer.documents.json_text import json_text
from nz_explorer.engine.findings import Fail, RuleOutput
from nz_explorer.engine.fixes import Draft
from nz_explorer.engine.registry import rule
from nz_explorer.model import Array, Group, Node
from nz_explorer.model.dialects.cs import (
    Axis,
    CoordinateSystem,
    Crs,
    is_by_name,
    is_cs,
    is_system,
    shared_systems,
)
from nz_explorer.model.dialects.ref import Reference, is_reference, joined


def _has_cs(group: Group) -> bool:
    attributes = group.attributes
    return is_cs(attributes.get("cs")) or (
        "cs" in attributes and known_conventions.CS in declared_here(group)
    )


@rule(
    "CS-GRP-001",
    "CS-GRP-002",
    *OF_CRS,
    on="group",
    formats=(3,),
    needs=("attributes",),
    when=keeps_crs,
)
def shared(group: Group) -> RuleOutput:
    """Judge the reference systems that a group keeps for arrays."""
    given = group.attributes["crs"]
    if is_system(given):
        pointer, name = group.attribute_pointer("crs"), given.get("name")
        right = {name if isinstance(name, str) and name else "crs": given}
        yield Fail(
            pointer,
            f"crs is itself a reference system, and must be an object of them by name, such as {{{json_text(next(iter(right)))}: …}}",
            fix=lambda _node: keyed(group, right, {"": next(iter(right))}),
        )
        return
    if not isinstance(given, dict) or not given:
        yield not_by_name(group, given)
        return
    systems = shared_systems(group)
    noted = chain.from_iterable(near_members(crs) for _, crs in systems)
    yield from as_meant(noted, _shared(group, systems))


def _shared(group: Group, systems: list[tuple[str, Crs]]) -> RuleOutput:
    first = have_no_direction(chain.from_iterable(crs.axes for _, crs in systems))
    for key, crs in systems:
        if crs.problem is not None:
            problem = crs.problem
            if is_reference(crs.given):
                problem = "it is a reference, and groups hold the systems themselves; only arrays refer to them"
            yield Fail(crs.pointer(*crs.at), f"crs/{key}: {problem}", rule="CS-GRP-002")
        yield from of_crs(crs, first=first)
        yield from once((crs,), Axis.pointer, of_group=True)
        yield from lengths_by_themselves(crs)
        yield from geolocation_by_itself(crs)
    found = [crs for _, crs in systems]
    yield from registered(group, found, "crs")
    yield from one_revision(group, found, "crs")


@rule("CS-GRP-003", on="group", formats=(3,), needs=("attributes",), when=_has_cs)
def set_on_group(group: Group) -> RuleOutput:
    """Note a coordinate set of something that has no dimensions."""
    yield Fail(
        group.attribute_pointer("cs"),
        "cs belongs to arrays, and means nothing on a group; what arrays share goes into crs",
    )


def shared_references(system: CoordinateSystem) -> RuleOutput:
    """Judge paths in systems that groups keep, each of which begins at the array that refers to the system.

    Parameters
    ----------
    system : CoordinateSystem
        That of an array.
    """
    for i, crs in enumerate(system.crs):
        if crs.is_shared and crs.problem is None:
            yield from _from_array(
                system.array, system.array.attribute_pointer("cs", "crs", i), crs
            )


def _from_array(array: Array, entry: str, crs: Crs) -> RuleOutput:
    """Note paths of a shared system that lead to nothing, or to something else, from where they begin for an array."""
    by_name = is_by_name(crs.given)  # lists nobody reads
    base = array.path if by_name else array.parent or "/"
    found = [(at, crs.follow(given)) for at, given in _within(crs)]
    for at, reference in found:
        if not is_for_others(crs.home, reference, at):
            continue  # the group is told
        yield Fail(
            entry,
            f"{json_text(reference.path)} in {crs.home.path} begins at the array that refers to it, and does not lead to a node from"
            f" {array.path}",
            readers={} if array.hierarchy.get(end_as_read(base, reference.path or "")) else None,
            fix=partial(_nearly_so, array, crs, at, reference),
            rule="REF-002",
        )
        break
    if lost := [(at, one) for at, one in found if _is_lost(base, one)]:
        reference = lost[0][1]
        meant, end = reference.targets[0].node.path, end_as_read(base, reference.path or "")
        # the text since systems have a type has paths relative to the array, that of ref to the node
        typed, who = "type" in crs.given, "the reader of the author of cs begins"
        who = "the text and the reader of its author begin" if typed else who
        before = "the group of this array, where the text began before August 2026"
        begins = f"this array, where {who}" if by_name else before
        there = "another node" if array.hierarchy.get(end) is not None else "nothing"
        leads = f"to {end}, where {there} is"
        if found_all_the_same := end == meant:
            leads = "above the root, where that reader takes it from the root"
        yield Fail(
            entry,
            f"{json_text(reference.path)} in {crs.home.path} leads to {meant}; from {begins}, it leads {leads}",
            related=(meant,),
            severity="warning" if typed else None,
            readers={} if found_all_the_same else None,
            fix=partial(_from_where_it_is_read, array, crs, lost),
            rule="REF-008",
        )


def _nearly_so(array: Array, crs: Crs, at: str, reference: Reference, _node: Node) -> Draft | None:
    """Return the fix of a path of a shared system that leads nowhere from an array: to what is there and nearly so."""
    path = reference.path or ""
    near = node_nearly_so(array, path, crs.home) or node_nearly_so(crs.home, path)
    if near is None:
        return None
    beside = posixpath.relpath(near, array.path)
    right = path_from_all(crs.home, reference, at, near, beside, array)
    if right is None:
        return None
    return Draft(
        "suggest", (with_path(reference, inner_pointer(reference, at), right),), node=crs.home
    )


def _is_lost(base: str, reference: Reference) -> bool:
    """Whether a path of a shared system leads to something else, to nothing or above the root, from where readers begin."""
    path = reference.path
    if path is None or path.startswith("/") or reference.strayed == "root":
        return False
    if all(isinstance(target.node, Group) for target in reference.targets):
        return False  # of one that leads nowhere, or to a group, that is told
    return joined(base, path) not in {target.node.path for target in reference.targets}


def _from_where_it_is_read(
    array: Array, crs: Crs, lost: Iterable[tuple[str, Reference]], _node: Node
) -> Draft | None:
    """Return the fix of paths in a system that a group keeps, None where none leads to the same from all arrays that refer to it."""
    operations = []
    for at, reference in lost:
        target = reference.targets[0].node.path
        right = path_from_all(crs.home, reference, at, target, None, array)
        if right is not None:
            operations.append(with_path(reference, inner_pointer(reference, at), right))
    return Draft("suggest", tuple(operations), node=crs.home) if operations else None


def _within(crs: Crs) -> Iterator[tuple[str, Any]]:
    """Yield the references of a reference system, with their pointers: of values, boundaries and terms, and of positions."""
    for one in (one for axis in crs.axes for one in axis.sets):
        formula = one.given.get("parametric")
        terms = formula.get("terms") if isinstance(formula, Mapping) else None
        held: dict[tuple[str, ...], Any] = {
            (name,): one.given.get(name) for name in ("values", "boundaries")
        }
        if isinstance(terms, Mapping):
            held |= {("parametric", "terms", name): term for name, term in terms.items()}
        for place, each in held.items():
            if isinstance(each, Mapping) and "external" in each:
                yield one.pointer(*place, "external"), each["external"]
    given = crs.given.get("geolocation") if isinstance(crs.given, Mapping) else None
    for kind, direction in product(("geodetic", "planar"), ("x", "y")):
        pair = given.get(kind) if isinstance(given, Mapping) else None
        if isinstance(pair, Mapping) and direction in pair:
            yield crs.pointer("geolocation", kind, direction), pair[direction]
