"""ZCF: attributes of conventions are declared on the node that has them, in the words that their schemas prescribe."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from nz_explorer.conventions.zarr3.nodes import set_to
from nz_explorer.conventions.zcf import known_conventions
from nz_explorer.conventions.zcf.declarations import (
    IDENTIFIERS,
    MEMBERS,
    declare,
    declared_here,
    declares,
    entries,
    levels,
    pointer_to,
)
from nz_explorer.conventions.zcf.identities import named_like
from nz_explorer.documents.json_text import json_text
from nz_explorer.engine.findings import Fail
from nz_explorer.engine.fixes import Draft, add, move, set_attribute
from nz_explorer.engine.registry import rule
from nz_explorer.model import Array, Group
from nz_explorer.model.dialects.crs import described_code, is_in_metres, spatial_axes
from nz_explorer.text.phrases import listed

if TYPE_CHECKING:
    from nz_explorer.conventions.zcf.known_conventions import Convention
    from nz_explorer.model import Node

OF_STAC = frozenset(
    f"proj:{name}" for name in ("epsg", "bbox", "shape", "transform", "geometry", "centroid")
)
"""Attributes of STAC's extension for projections, and not of the convention that was made of it."""


@rule(
    "ZCF-DECL-001",
    on="node",
    formats=(3,),
    needs=("attributes", "conventions list"),
)
def uses_are_declared(node: Node) -> Iterator[Fail]:
    """Require a declaration on each node that has attributes of a convention."""
    meant = [name for name in node.attributes if _is_meant_to_declare(node, name)]
    for name in meant:
        yield _misspelt(node, name)
    if not (known_conventions.FRAMEWORK & node.attributes.keys()):
        return
    # what a list declares that is called something else comes with its right name
    declared = declared_here(node) | {
        known_conventions.identify(entry)
        for name in meant
        for entry in node.attributes[name]
        if isinstance(entry, dict)
    }
    prefixes = set()
    for _, entry in entries(node):
        if not any(member in entry for member in IDENTIFIERS):
            declared |= set(named_like(entry)[:1])  # what is wrong with that entry is ZCF-DECL-003
        elif known_conventions.identify(entry) is None:
            # names are not unique: attributes with the prefix of a convention that is not known here may be that one's
            prefixes.add(str(entry.get("name")).rstrip(":"))
        declared |= set(known_conventions.mentioned(entry))  # that they are at odds is ZCF-DECL-003
    for known, names in known_conventions.used(node.attributes).items():
        if known not in declared and names[0].partition(":")[0] not in prefixes:
            belong = "belongs" if len(names) == 1 else "belong"
            others = (
                _as_others_have_them(node, known)
                if "zarr_conventions" not in node.attributes
                else None
            )
            wrong = _first_error(known, node.attributes)
            yield Fail(
                node.attribute_pointer(names[0]),
                f"{', '.join(names)} {belong} to the {known.name} convention, which this node does not declare"
                + (
                    f"; {others}, which asks for no declaration"
                    if others is not None
                    else f"; declared, this would be wrong: {wrong}"
                    if wrong is not None
                    else ""
                ),
                severity="info" if others is not None else None,
                fix=declare(known, wrong=wrong is not None),
                covers=("CS-REG-006", *(("CS-GEO-002",) if wrong is not None else ()))
                if known is known_conventions.GEOLOCATION
                else (),
            )
            declared.add(known)
    for place, level in levels(node):
        for known, names in known_conventions.used(level).items():
            if known not in declared and names[0].partition(":")[0] not in prefixes:
                wrong = _first_error(known, level)
                yield Fail(
                    node.attribute_pointer(*place, names[0]),
                    f"{names[0]} belongs to the {known.name} convention, which this node does not declare"
                    + (f"; declared, this would be wrong: {wrong}" if wrong is not None else ""),
                    fix=declare(known, wrong=wrong is not None),
                )
                declared.add(known)


def _as_others_have_them(node: Node, known: Convention) -> str | None:
    """Return by what attributes of these names are of another text, where they are."""
    if known is known_conventions.PROJ:
        of_stac = (name for name in node.attributes if name in OF_STAC)
        return next((f"beside {name} it is that of STAC" for name in of_stac), None)
    listed = [level for _, level in levels(node)] if known is known_conventions.MULTISCALES else []
    if listed and all("id" in level and "asset" not in level for level in listed):
        return "with an id of each level, and no asset, it is that of the GeoZarr draft"
    return None


def _is_meant_to_declare(node: Node, name: str) -> bool:
    """Whether an attribute lists conventions as zarr_conventions does, and is called nearly that."""
    plain = re.sub(r"[\s_-]", "", name).lower().rstrip("s")
    if name == "zarr_conventions" or plain != "zarrconvention":
        return (
            False  # before its value is read: what is read tells arrays apart that are judged once
        )
    value = node.attributes[name]
    return isinstance(value, list) and any(
        isinstance(entry, dict) and not entry.keys().isdisjoint(MEMBERS) for entry in value
    )


def _misspelt(node: Node, name: str) -> Fail:
    wrong, right = (node.attribute_pointer(one) for one in (name, "zarr_conventions"))
    there = "zarr_conventions" in node.attributes
    return Fail(
        wrong,
        f"{json_text(name)} should be spelled zarr_conventions: readers look for that alone, and find "
        + ("what that declares" if there else "nothing declared"),
        severity="warning" if there else None,
        fix=None if there else lambda _node: Draft("suggest", (move(wrong, right),)),
    )


def _first_error(known: Convention, attributes: Mapping[str, Any]) -> str | None:
    """Return what is wrong with properties of a convention that is not declared, None where they are right."""
    if known is known_conventions.PROJ:  # whose text allows null
        attributes = {name: value for name, value in attributes.items() if value is not None}
        if known.keys.isdisjoint(attributes):
            return None
    return next((why for _, why in known_conventions.property_errors(known, attributes)), None)


_PRESCRIBED = (known_conventions.MULTISCALES, known_conventions.PROJ, known_conventions.SPATIAL)
"""Conventions whose schemas look for an entry with one description, in all versions of them."""


@rule("ZCF-DECL-006", on="node", needs=("attributes", "conventions list"), when=declares)
def description_fits(node: Node) -> Iterator[Fail]:
    """Note a description of somebody's own: the text of the framework allows it, and the schema does not find the entry."""
    declared = [(i, entry, known_conventions.identify(entry)) for i, entry in entries(node)]
    # one entry that fits is enough
    found = {known for _, entry, known in declared if known and _describes(known, entry)}
    for i, entry, known in declared:
        given = entry.get("description")
        if known not in _PRESCRIBED or known in found or not isinstance(given, str):
            continue
        if known_conventions.at_odds(entry):
            continue  # which is ZCF-DECL-003
        pointer, right = pointer_to(node, i, "description"), known.entry["description"]
        yield Fail(
            pointer,
            f"the description of entry {i} is {json_text(given)}, and the schema of {known.name} takes {json_text(right)} alone:"
            " by it this entry does not declare the convention",
            severity="info",
            fix=set_to(pointer, right, "suggest"),
        )


def _describes(known: Convention, entry: Mapping[str, Any]) -> bool:
    """Whether an entry has the description of its convention, or none, which may be left out."""
    right = known.entry.get("description")
    return bool(entry.get("description", right) == right)


@rule("ZCF-DECL-013", on="members")
def children_declare(group: Group) -> Iterator[Fail]:
    """Note nodes that seem to count on what the group above declares: declarations are not inherited.

    That a node of v3 uses a convention known here without declaring it is ZCF-DECL-001.
    """
    for _, entry in entries(group):
        name = known_conventions.identity(entry)
        for child in group.children or () if name is not None else ():
            if any(known_conventions.identity(own) == name for _, own in entries(child)):
                continue
            attribute = _use(child, entry)
            if attribute is not None:
                yield Fail(
                    child.attribute_pointer(attribute),
                    f"{child.path} does not declare {entry.get('name', name)} itself; the declaration of"
                    f" {group.path} does not apply to it",
                    related=(group.path,),
                    path=child.path,
                    fix=_declare_below(child.path, entry),
                )


_OF_ARRAYS = {
    known_conventions.PROJ: known_conventions.PROJ.keys,
    known_conventions.SPATIAL: frozenset(("spatial:dimensions", "spatial:transform")),
}
"""Attributes that a group has for the arrays directly in it; a box may as well describe all that is below."""


@rule(
    "ZCF-SCHEMA-001",
    on="members",
    when=lambda group: any(name.startswith(("proj:", "spatial:")) for name in group.attributes),
)
def arrays_of_a_group_have_them(group: Group) -> Iterator[Fail]:
    """Note proj: and spatial: on a group without arrays, where those in groups below seem to count on it: they do not inherit it."""
    declared, given = declared_here(group), group.attributes
    names = [
        name
        for known, keys in _OF_ARRAYS.items()
        for name in given
        if name in keys and given[name] is not None and known in declared
    ]
    if not names or "multiscales" in given or any(array.ndim for array in group.arrays):
        return
    in_metres = is_in_metres(described_code(group) or "")
    below = [child.path for child in group.groups if _lacks(child, names, in_metres=in_metres)]
    if below:
        few = [*below[:3], f"{len(below) - 3} more"] if len(below) > 4 else below
        yield Fail(
            group.attribute_pointer(names[0]),
            f"{listed(names)} of {group.path} {'is' if len(names) == 1 else 'are'} for arrays directly in it, and there are none:"
            f" those in {listed(few)} do not inherit {'it' if len(names) == 1 else 'them'}",
            severity="info",
            readers={},
            related=tuple(below),
            fix=lambda _node: Draft(
                "suggest",
                note=f"give {listed(names)} to the groups that have the arrays, and declare there what belongs to them",
            ),
        )


def _lacks(group: Group, names: list[str], *, in_metres: bool) -> bool:
    """Whether a group has maps that nothing else tells of, and neither it nor its arrays have attributes of the same convention."""
    prefixes = tuple({f"{name.partition(':')[0]}:" for name in names})
    nodes = [group, *group.hierarchy.children(group)]
    if any(name.startswith(prefixes) for node in nodes for name in node.attributes):
        return False
    arrays = [node for node in nodes if isinstance(node, Array)]
    return any(_counts_on(array, group, prefixes, in_metres=in_metres) for array in arrays)


def _counts_on(array: Array, group: Group, prefixes: tuple[str, ...], *, in_metres: bool) -> bool:
    """Whether an array is a map by its dimensions, and has no reference system, or no coordinates, of cs or of CF."""
    if (array.ndim or 0) < 2 or "cs" in array.attributes:
        return False
    names, axes = array.dimension_names or (), spatial_axes(array)
    if axes is None and any(names):
        return False  # a table, or values by angle and band
    along = [group.coordinates.get(str(names[axis])) for axis in axes or ()]
    placed = bool(along) and None not in along
    units = [one.attributes.get("units") for one in along if one is not None]
    if in_metres and any(str(unit).startswith("degree") for unit in units):
        return False  # it is of another system
    has = {"proj:": "grid_mapping" in array.attributes, "spatial:": placed}
    return any(not has[prefix] for prefix in prefixes)


def _use(node: Node, entry: dict[str, Any]) -> str | None:
    """Return the first attribute of a convention on a node, by what is known of it or by its prefix."""
    known, name = known_conventions.identify(entry), entry.get("name")
    if known is not None and node.zarr_format == 3:
        return None
    if known is not None:
        return next(iter(known_conventions.used(node.attributes).get(known, ())), None)
    if not isinstance(name, str) or not name.rstrip(":"):
        return None
    prefix = name.rstrip(":")
    return next((a for a in node.attributes if a == prefix or a.startswith(f"{prefix}:")), None)


def _declare_below(path: str, entry: dict[str, Any]) -> Any:
    def fix(node: Node) -> Draft | None:
        child = node.hierarchy.node_if_loaded(path)
        if child is None:
            return None
        declared = child.attributes.get("zarr_conventions")
        if declared is None:
            operations = set_attribute(child, "zarr_conventions", [dict(entry)])
        elif isinstance(declared, list):
            operations = (add(pointer_to(child, "-"), dict(entry)),)
        else:
            return None
        return Draft("safe", operations, node=child)

    return fix
