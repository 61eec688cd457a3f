"""CS: groups that keep reference systems for arrays."""

from __future__ import annotations

from itertools import chain

from nz_explorer.conventions.cs.axes import once
from nz_explorer.conventions.cs.declared import one_revision, registered
from nz_explorer.conventions.cs.forms import not_by_name
from nz_explorer.conventions.cs.geolocation import geolocation_by_itself
from nz_explorer.conventions.cs.lengths import lengths_by_themselves
from nz_explorer.conventions.cs.members import as_meant, near_members
from nz_explorer.conventions.cs.systems import OF_CRS, have_no_direction, keeps_crs, of_crs
from nz_explorer.conventions.zcf import known_conventions
from nz_explorer.conventions.zcf.declarations import declared_here
from nz_explorer.documents.json_text import json_text
from nz_explorer.engine.findings import Fail, RuleOutput
from nz_explorer.engine.fixes import Draft, replace
from nz_explorer.engine.registry import rule
from nz_explorer.model import Group
from nz_explorer.model.dialects.cs import Axis, Crs, is_cs, is_system, shared_systems
from nz_explorer.model.dialects.ref import is_reference


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
            fix=lambda _node: Draft("suggest", (replace(pointer, right),)),
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
