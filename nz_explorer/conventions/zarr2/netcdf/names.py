"""Z2: names that netCDF-C cannot take, or passes over."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from nz_explorer.conventions.netcdf_c import impact_of_netcdf
from nz_explorer.conventions.zarr3.nodes import CRASHES, set_to
from nz_explorer.documents.json_text import json_text
from nz_explorer.engine.findings import Fail
from nz_explorer.engine.fixes import Draft, move
from nz_explorer.engine.registry import rule
from nz_explorer.model import Group
from nz_explorer.model.dialects import nczarr, netcdf_names

if TYPE_CHECKING:
    from nz_explorer.model import Array, Node

_REFUSED = re.compile(r"[\x00-\x2d:-@\[-^`{-\x7f]|.*([\x00-\x1f\x7f]|\s$)", re.DOTALL)
"""Names that begin with a character of ASCII other than a letter, a digit and underscore, have a control character, or end
with a blank. Those that begin with a dot are passed over."""


@rule("Z2-OGC-014", on="members", formats=(2,))
def names_are_taken_by_netcdf(group: Group) -> Iterator[Fail]:
    """Note names of groups that netCDF-C refuses, and of all that its own metadata list.

    Names of arrays that it finds by itself, and of dimensions in _ARRAY_DIMENSIONS it takes as they are.
    """
    names = _listed(group)
    for child in group.children or ():
        if names is not None:
            refused = child.name in names and not netcdf_names.is_legal(child.name)
        else:
            refused = isinstance(child, Group) and _REFUSED.match(child.name) is not None
        if refused:
            yield Fail(
                "",
                f"netCDF-C refuses the {child.kind} name {json_text(child.name)}, and with it the whole dataset",
                path=child.path,
                impact=impact_of_netcdf(group),
                fix=_renamed,
            )
        elif names is not None and child.name in names and not _is_found(child):
            yield Fail(
                "",
                f"{_looks_for(child.name)}, and refuses the dataset",
                path=child.path,
                readers={"netCDF-C": "refuses the dataset: invalid argument"},
                fix=_renamed,
            )


def _is_found(child: Node) -> bool:
    """Whether netCDF-C finds an array that is listed by its name; groups are Z2-OGC-010."""
    return isinstance(child, Group) or child.name == netcdf_names.in_its_form(child.name)


def _looks_for(name: str) -> str:
    """Say by which name netCDF-C looks for a node."""
    right = _spelled(netcdf_names.in_its_form(name))
    return f"netCDF-C looks for {_spelled(name)} by {right}, which Unicode takes for the same"


def _spelled(name: str) -> str:
    """Return a name with its characters and, because two forms look alike, with their numbers."""
    return f"{json_text(name)} ({name.encode('ascii', 'backslashreplace').decode()})"


@rule("Z2-OGC-014", on="array", formats=(2,), needs=("shape",))
def references_are_found_by_netcdf(array: Array) -> Iterator[Fail]:
    """Note references to dimensions that netCDF-C does not find: it has their names in one form of Unicode."""
    place = nczarr.find_object(array, "array")
    if place is None or not place.read or "scalar" in place.value:
        return
    member, given = place.member("dimension_references")
    for axis, reference in enumerate(nczarr.names(given) or ()):
        path, _, name = reference.rpartition("/")
        right = f"{path}/{netcdf_names.in_its_form(name)}"
        # of a group whose name it does not find it sees no array
        if name != netcdf_names.in_its_form(name) and path == netcdf_names.in_its_form(path):
            yield Fail(
                place.at(member, axis),
                f"netCDF-C has the dimension {_spelled(right)}, and does not find it by {_spelled(reference)}",
                readers=CRASHES,
                fix=set_to(place.at(member, axis), right, "suggest"),
            )


MAX_ATTRIBUTE = 255
"""The length of the longest name of an attribute, in bytes."""


@rule("Z2-OGC-014", on="node", formats=(2,), needs=("attributes",))
def attributes_are_found_by_netcdf(node: Node) -> Iterator[Fail]:
    """Note names of attributes that netCDF-C lists, and by which it does not find them."""
    for name in node.attributes:
        size, right = len(name.encode(errors="replace")), netcdf_names.in_its_form(name)
        if name == right and 0 < size <= MAX_ATTRIBUTE:
            continue
        said = "is empty"
        if name:
            said = f"has {size:,} bytes, and netCDF-C has space for {MAX_ATTRIBUTE}"
        if name != right:
            said = f"is {_spelled(name)}, and netCDF-C looks for {_spelled(right)}"
        renamed = name != right and right not in node.attributes
        yield Fail(
            node.attribute_pointer(name),
            f"the name of an attribute {said}: it lists the attribute and does not find it",
            impact=impact_of_netcdf(node),
            readers={
                "netCDF-C": "cannot read the attribute; ncdump stops there, and Python's netCDF4 raises AttributeError"
            },
            fix=partial(_attribute_renamed, name, right) if renamed else _renamed,
        )


def _attribute_renamed(name: str, right: str, node: Node) -> Draft:
    """Give an attribute its name in the form that netCDF-C has, and its type, too."""
    operations = [move(node.attribute_pointer(name), node.attribute_pointer(right))]
    place = nczarr.find_object(node, "attr")
    types = None if place is None else place.member("types")[1]
    if place is not None and isinstance(types, dict) and name in types and right not in types:
        operations.append(move(place.at("types", name), place.at("types", right)))
    return Draft("suggest", tuple(operations))


@rule("Z2-OGC-010", on="members", formats=(2,))
def names_are_seen_by_netcdf(group: Group) -> Iterator[Fail]:
    """Note what netCDF-C passes over: names with a dot in front, as hidden files have, and what is in groups that it looks for elsewhere."""
    names = _listed(group) or ()
    for child in group.children or ():
        right = netcdf_names.in_its_form(child.name)
        if isinstance(child, Group) and child.name != right and group.hierarchy.children(child):
            yield Fail(
                "",
                f"{_looks_for(child.name)}, and finds nothing there",
                path=child.path,
                impact=impact_of_netcdf(group),
                readers={"netCDF-C": "shows an empty group"},
                fix=_renamed,
            )
        if child.name.startswith(".") and child.name not in names:
            yield Fail(
                "",
                f"netCDF-C up to 4.10 does not show what has a name with a dot in front, such as {json_text(child.name)}",
                path=child.path,
                impact=impact_of_netcdf(group),
                fix=_renamed,
            )


def _listed(group: Group) -> frozenset[str] | None:
    """Return the names that netCDF-C's own metadata list; None where it looks at what is there."""
    if not nczarr.is_read(group, "group"):
        return None
    notes = nczarr.group_notes(group)
    return frozenset((notes.children or ()) if notes is not None else ())


def _renamed(_node: Node) -> Draft:
    return Draft(
        "unsafe",
        note="rename it; programs and attributes that use the old name no longer find it",
    )
