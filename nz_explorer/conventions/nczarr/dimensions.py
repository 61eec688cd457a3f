"""NCZ: what groups declare, and the dimensions that arrays refer to."""

from __future__ import annotations

import dataclasses
import re
from collections import Counter
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

from nz_explorer.conventions.zarr3.nodes import shown
from nz_explorer.documents.json_text import json_text
from nz_explorer.documents.json_types import json_type
from nz_explorer.engine.findings import Fail, Undecided
from nz_explorer.engine.fixes import Draft, add, replace, set_attribute
from nz_explorer.engine.registry import rule
from nz_explorer.model import Array, Group, paths
from nz_explorer.model.dialects import nczarr, nczarr_lengths, netcdf_names
from nz_explorer.text.phrases import article, listed

if TYPE_CHECKING:
    from nz_explorer.engine.impact import Impact
    from nz_explorer.model import Node
    from nz_explorer.model.dialects.nczarr import Place
from nz_explorer.conventions.nczarr.superblock import V2, is_reached, read_today, unread, unused

HARMLESS: tuple[Impact, str] = ("convention", "")
"""What a list does that netCDF-C does not mind, or of its first version, which nothing reads any more."""
_LEGAL_NAMES = (
    "names begin with a letter, a digit or _, do not end with a blank, and have at most 256 bytes"
)
_FULL_NAME = re.compile(r"(/[^/]+)+")
_ARTIFICIAL = re.compile(r"(\.zdim|_zdim|_Anonymous_Dim)_[0-9]+")


def _no_object(place: nczarr.Place) -> Fail | Undecided:
    said = f"netCDF-C's metadata of this node must be an object, got {json_type(place.value)}"
    return unread(place) or read_today(place, Fail(place.pointer, said))


@rule("NCZ-GRP-001", on="group")
def declared_dimensions(group: Group) -> Iterator[Fail | Undecided]:
    """Require each declared dimension to have a length."""
    place = nczarr.find(group, "group")
    if place is None:
        return
    if not isinstance(place.value, dict):
        yield _no_object(place)
        return
    for found in _dimensions(group, place):
        yield read_today(place, found)


def _dimensions(group: Group, place: Place) -> Iterator[Fail]:
    name, given = place.member("dimensions")
    if given is not None and not isinstance(
        given, dict | (list if group.zarr_format == 3 else dict)
    ):
        yield Fail(
            place.at(name),
            f"{name} must map names to lengths, got {json_type(given)} {shown(given)}",
        )
    elif isinstance(given, dict):
        for dimension, entry in given.items():
            if "/" in dimension or not dimension:
                yield Fail(
                    place.at(name, dimension),
                    f"{json_text(dimension)} is no name of a dimension: references to it could not be told from paths",
                )
            elif not netcdf_names.is_legal(dimension):
                yield Fail(
                    place.at(name, dimension),
                    f"{json_text(dimension)} is no name to netCDF-C: {_LEGAL_NAMES}",
                )
            elif nczarr_lengths.length_of(entry) is None:
                understood = nczarr_lengths.is_understood(entry)
                yield Fail(
                    place.at(name, dimension),
                    f"dimension {json_text(dimension)} must have a length, or an object with size and"
                    f" unlimited, got {shown(entry)}",
                    impact=HARMLESS[0] if understood else None,
                    readers={} if understood else None,
                )
            elif isinstance(entry, dict):
                note = entry.get("unlimited", 0)
                if isinstance(note, bool) or note not in (0, 1):
                    yield _odd_note(place.at(name, dimension, "unlimited"), dimension, note)


def _odd_note(pointer: str, dimension: str, given: Any) -> Fail:
    """Return that a dimension is not noted as unlimited by 0 or 1, and what netCDF-C makes of it."""
    found = nczarr_lengths.is_unlimited(given)
    meant = given not in (False, "0", "", None)
    lost = "; netCDF-C takes it for one that is not unlimited" if meant and found is False else ""
    return Fail(
        pointer,
        f"unlimited of dimension {json_text(dimension)} must be 1 or 0, got {shown(given)}{lost}",
        impact="blocks" if found is None else HARMLESS[0],
        readers={"netCDF-C": "crashes the process (4.10)"} if found is None else {},
        fix=lambda _node: Draft("suggest", (replace(pointer, int(meant)),)),
    )


@rule("NCZ-GRP-001", on="members")
def lists_of_names(group: Group) -> Iterator[Fail]:
    """Require arrays and groups to be lists of names; what it means otherwise depends on what is there."""
    place = nczarr.find(group, "group")
    if place is None or not isinstance(place.value, dict):
        return
    for found in _lists(group, place):
        yield read_today(place, found)


def _lists(group: Group, place: Place) -> Iterator[Fail]:
    for kind in ("arrays", "groups"):
        member, given = place.member(kind)
        if given is None or _is_names(given):
            continue
        impact, does = _harm(group, kind, given)
        yield Fail(
            place.at(member),
            f"{member} must be a list of names, got {shown(given)}",
            impact=impact,
            readers={"netCDF-C": does} if does else {},
        )


def _is_names(given: Any) -> bool:
    return nczarr.names(given) is not None


@rule("NCZ-MODEL-002", on="group", formats=V2)
def unlimited_too_early(group: Group) -> Iterator[Fail]:
    """Note an unlimited dimension from before netCDF-C had them in Zarr."""
    notes = nczarr.group_notes(group)
    if notes is None or notes.place.era != "objects":
        return
    for dimension in notes.dimensions.values():
        if dimension.unlimited:
            yield Fail(
                dimension.pointer,
                f"dimension {json_text(dimension.name)} is unlimited, which netCDF-C 4.8.0 did not support in Zarr",
            )


@rule("NCZ-GRP-002", on="members")
def contents(group: Group) -> Iterator[Fail]:
    """Require the lists of a group to match its contents: netCDF-C sees nothing else."""
    place = nczarr.find(group, "group")
    if place is None or not isinstance(place.value, dict):
        return
    for kind in ("arrays", "groups"):
        member, names = place.member(kind)
        if names is None:
            member, names = nczarr.MEMBERS[kind][place.era != "attributes"], []
        if not _is_names(names):
            continue  # NCZ-GRP-001
        there = _names_there(group, kind, names)
        held, noted = set(there), set(names)
        missing = [name for name in names if name not in held]
        unseen = [name for name in there if name not in noted]
        twice = [name for name, times in Counter(names).items() if times > 1]
        if not missing and not unseen and not twice:
            continue
        facts = []
        if twice:
            facts.append(f"lists {listed(map(json_text, twice))} more than once")
        if missing:
            facts.append(f"lists {listed(_as_it_is(group, name) for name in missing)}")
        if unseen:
            which = "netCDF-C 4.8.0" if place.era == "objects" else "netCDF-C"
            facts.append(
                f"does not list {listed(map(json_text, unseen))}, so {which} does not see "
                f"{'it' if len(unseen) == 1 else 'them'}"
            )
        impact, does = _harm(group, kind, names) if place.read and is_reached(group) else HARMLESS
        stem = paths.below(group.path)
        yield Fail(
            place.at(member),
            f"{member} {' and '.join(facts)}",
            impact=impact,
            readers={"netCDF-C": does} if does else {},
            related=tuple(stem + name for name in unseen),
            fix=partial(_rewrite_list, kind, member),
        )


def _as_it_is(group: Group, name: str) -> str:
    """Say what a name stands for that is not one of the nodes that the list is about."""
    other = next((child for child in group.children or () if child.name == name), None)
    if other is None or other.state == "missing":
        return f"{json_text(name)}, which is not in the store"
    return f"{json_text(name)}, which is {article(other.kind)}"


def _harm(group: Group, kind: str, given: Any) -> tuple[Impact, str]:
    """Return the impact of what stands in place of a list that matches, and what netCDF-C does."""
    names = netcdf_names.names_read(given)
    if names is None:
        return "blocks", "cannot open the dataset: name contains illegal characters"
    there = _names_there(group, kind, names)
    missing, unseen = set(names) - set(there), set(there) - set(names)
    # A listed group of which nothing is there is empty to it; of one that holds something it reads on.
    left = {child.name for child in group.children or () if child.state == "missing"}
    if missing and (kind == "arrays" or left & missing):
        return "blocks", "cannot open the dataset, or crashes"
    if kind == "groups" and _has_dimensions_twice(group, names):
        return "blocks", "has the group twice, and Python's netCDF4 raises an AttributeError"
    if unseen:
        return "values", "does not see what is not listed"
    return HARMLESS


def _has_dimensions_twice(group: Group, names: list[str]) -> bool:
    """Whether a group that is listed twice declares dimensions, or holds groups: netCDF4 mistakes one for the other."""
    twice = {name for name, times in Counter(names).items() if times > 1}
    notes = [nczarr.group_notes(child) for child in group.groups if child.name in twice]
    return any(one.dimensions or one.groups for one in notes if one is not None)


def _names_there(group: Group, kind: str, noted: list[str]) -> list[str]:
    """Return the names of the arrays or groups in a group, those that are noted first and in their order."""
    wanted = Array if kind == "arrays" else Group
    names = [
        child.name
        for child in group.children or ()
        if isinstance(child, wanted) and child.state != "missing"
    ]
    unclear = [child.name for child in group.children or () if child.kind == "unknown"]
    names += [name for name in unclear if name in noted]
    known, first = set(names), set(noted)
    return [*(name for name in noted if name in known), *(n for n in names if n not in first)]


def _rewrite_list(kind: str, member: str, node: Node) -> Draft | None:
    """Name what is there – but what has no notes of its own netCDF-C does not open, nor all the rest."""
    place = nczarr.find(node, "group")
    if place is None or not isinstance(place.value, dict) or not isinstance(node, Group):
        return None
    given = place.value.get(member)
    before = list(nczarr.names(given) or ())
    part: nczarr.Part = "array" if kind == "arrays" else "group"
    noted = {child.name for child in node.children or () if nczarr.find(child, part)}
    there = list(dict.fromkeys(_names_there(node, kind, before)))
    names = [name for name in there if name in before or name in noted]
    operation = (replace if member in place.value else add)(place.at(member), names)
    operations = () if names == before else (operation,)
    if left := [name for name in there if name not in names]:
        note = f"netCDF-C cannot open a dataset that lists {listed(map(json_text, left))} without NCZarr metadata"
        return Draft("suggest", operations, note)
    return Draft("safe", operations)


def _with_slash(name: str) -> str:
    return f"/{name.removeprefix('/')}"


def _references(array: Array) -> tuple[Place, str, Any] | None:
    """Return where the dimension references of an array are, under which name, and the references."""
    place = nczarr.find(array, "array")
    if place is None or not isinstance(place.value, dict):
        return None
    return (place, *place.member("dimension_references"))


@rule("NCZ-VAR-001", on="array", needs=("shape",))
def references_fit(array: Array) -> Iterator[Fail | Undecided]:
    """Require one full name of a dimension for each length of the shape."""
    place = nczarr.find(array, "array")
    if place is None:
        return
    if not isinstance(place.value, dict):
        yield _no_object(place)
        return
    member, given = place.member("dimension_references")
    stored = list(array.stored_shape or ())
    names = _is_names(given)
    if not names or not all(map(_FULL_NAME.fullmatch, given)):
        readers = None
        if names and len(given) == len(stored):
            # netCDF-C looks names without the first slash up as well, or with one at the end
            known = all(_FULL_NAME.fullmatch(_with_slash(name).removesuffix("/")) for name in given)
            readers = {} if known else {"netCDF-C": "cannot open the dataset"}
        if "scalar" in place.value:  # of which netCDF-C does not look at them
            readers = {}
        found = Fail(
            place.at(member),
            f"dimension references must be a list of full names such as /lat, got {shown(given)}",
            impact="convention" if readers == {} else None,
            readers=readers,
        )
        yield read_today(place, found)
    elif array.shape is not None and len(given) != len(array.shape) and not place.is_scalar:
        yield Fail(
            place.at(member),
            f"dimension references {shown(given)} do not fit the shape {stored}",
            readers={} if place.era == "objects" else None,  # which netCDF-C no longer reads
        )


@rule("NCZ-VAR-002", on="members")
def references_resolve(group: Group) -> Iterator[Fail | Undecided]:
    """Require each reference to lead to a dimension of that length."""
    notes = nczarr.group_notes(group)
    reached = is_reached(group)
    listed_arrays = None if notes is None else frozenset(notes.arrays or ())
    for array in group.arrays:
        references, found = array.dimension_references, _references(array)
        if references is None or found is None:
            continue
        place, member, _ = found
        if not reached or (listed_arrays is not None and array.name not in listed_arrays):
            place = dataclasses.replace(place, read=False)  # netCDF-C does not see the array
        for axis, (reference, length) in enumerate(zip(references, array.shape or (), strict=True)):
            if not _FULL_NAME.fullmatch(_with_slash(reference)):
                continue  # NCZ-VAR-001
            declared = _declared(array, reference)
            if isinstance(declared, Undecided):
                yield declared
                continue
            pointer = place.at(member, axis)
            if declared is None:
                undeclared = Fail(
                    pointer,
                    f"{reference} is not declared by any group",
                    fix=partial(_declare, array, pointer, reference, length),
                    path=array.path,
                )
                yield (
                    unused(undeclared) if "scalar" in place.value else read_today(place, undeclared)
                )
                continue
            home, dimension = declared
            if not (array.path.startswith(paths.below(home.path)) or place.is_scalar):
                yield read_today(place, _out_of_sight(array, pointer, reference, home))
                continue
            if length != dimension.size and "scalar" not in place.value:
                other = Fail(
                    pointer,
                    f"dimension {dimension.name} is {dimension.size} long in {home.path}, this array needs {length}",
                    related=(home.path,),
                    fix=partial(_set_length, dimension.name, home, length),
                    path=array.path,
                )
                yield read_today(place, other)


def _out_of_sight(array: Array, pointer: str, reference: str, home: Node) -> Fail:
    return Fail(
        pointer,
        f"{reference} is declared in {home.path}, and arrays have the dimensions of their own group and of those above it",
        related=(home.path,),
        path=array.path,
    )


def _declare(array: Array, pointer: str, reference: str, length: int, node: Node) -> Draft | None:
    """Refer to the dimension that is meant, or declare one in the group that a reference names."""
    path, _, name = reference.rpartition("/")
    for above in paths.all_above(array.path):
        group = array.hierarchy.get(above)
        notes = nczarr.group_notes(group) if isinstance(group, Group) else None
        for known in notes.dimensions.values() if notes is not None else ():
            if known.name.lower() == name.lower() and known.size == length:
                operation = replace(pointer, f"{paths.below(above)}{known.name}")
                return Draft("suggest", (operation,), node=array)
    group = array.hierarchy.get(path or "/")
    # netCDF-C looks in the group of the array and in those above it
    seen = group is not None and array.path.startswith(paths.below(group.path))
    return _set_length(name, group, length, node) if group is not None and seen else None


def _set_length(name: str, group: Node, length: int, _node: Node) -> Draft | None:
    """Give a dimension the length that an array has along it, where netCDF-C notes it today."""
    place = nczarr.find(group, "group")
    if place is None or place.era != "attributes" or group.zarr_format != 2:
        return None
    member, given = place.member("dimensions")
    if not isinstance(given, dict):
        return None
    entry = given.get(name)
    value: Any = {**entry, "size": length} if isinstance(entry, dict) else length
    document, _, pointer = place.at(member, name).removeprefix("/").partition("/")
    operation = (replace if name in given else add)(f"/{pointer}", value)
    key = f"{paths.below(group.path)[1:]}{document}"
    return Draft("suggest", (operation,), "if the array is right", document=key)


def _declared(
    array: Array, reference: str
) -> tuple[Node, nczarr.DeclaredDimension] | Undecided | None:
    path, _, name = reference.rpartition("/")
    group = array.hierarchy.get(path or "/")
    place = None if group is None else nczarr.find(group, "group")
    if group is None:
        return None
    if place is None:
        is_lost = nczarr.find(array.hierarchy.root, "superblock") is not None
        return Undecided("dependency: NCZ-SB-002") if is_lost else None
    notes = nczarr.group_notes(group)
    if notes is not None and name in notes.dimensions:
        return group, notes.dimensions[name]
    given = place.member("dimensions")[1]
    malformed = given is not None and (not isinstance(given, dict) or name in given)
    return Undecided("dependency: NCZ-GRP-001") if malformed or notes is None else None


def _base_names(references: tuple[str, ...]) -> list[str]:
    return [reference.rpartition("/")[2] for reference in references]


@rule("NCZ-VAR-003", on="array", formats=V2, needs=("names",))
def names_agree(array: Array) -> Iterator[Fail]:
    """Require xarray's names to be those of the dimensions referred to."""
    names, references = array.attributes.get("_ARRAY_DIMENSIONS"), array.dimension_references
    if not references or not _is_names(names) or not isinstance(names, list):
        return
    called = _base_names(references)
    if names != called and all(called):
        yield Fail(
            array.attribute_pointer("_ARRAY_DIMENSIONS"),
            f"_ARRAY_DIMENSIONS {shown(names)} differs from the dimension references {shown(list(references))}",
            fix=_name_as_referred,
        )


def _name_as_referred(node: Node) -> Draft | None:
    if not isinstance(node, Array):
        return None
    references = node.dimension_references
    if references is None:
        return Draft("suggest", note="name each dimension in _ARRAY_DIMENSIONS")
    is_mark = not references and node.stored_shape != ()
    names = [nczarr.SCALAR_DIMENSION] if is_mark else _base_names(references)
    return Draft("suggest", set_attribute(node, "_ARRAY_DIMENSIONS", names))


def _names_pointer(array: Array) -> str:
    found = _references(array)
    if array.dimension_names_source == "nczarr" and found is not None:
        return found[0].at(found[1])
    if array.zarr_format == 3:
        return array.pointer("dimension_names")
    return array.attribute_pointer("_ARRAY_DIMENSIONS")


@rule("NCZ-DIM-001", on="array")
def artificial_names(array: Array) -> Iterator[Fail]:
    """Note names that consist of a dimension's length or number."""
    names = [name for name in array.dimension_names or () if name and _ARTIFICIAL.fullmatch(name)]
    if names:
        yield Fail(
            _names_pointer(array),
            f"names made up where there were none: {', '.join(names)}",
            fix=lambda _node: Draft("suggest", note="give the dimensions meaningful names"),
        )


@rule("NCZ-DIM-002", on="array")
def shared_from_above(array: Array) -> Iterator[Fail]:
    """Note dimensions of groups above, which NZ does not know: there a name belongs to one group."""
    found, references = _references(array), array.dimension_references
    if found is None or references is None:
        return
    own = array.parent or "/"
    above = [
        reference
        for reference in dict.fromkeys(references)
        if (home := paths.above(reference)) != own and own.startswith(paths.below(home))
    ]
    if above:
        yield Fail(
            found[0].at(found[1]),
            f"this array uses {', '.join(above)} of {'a group' if len(above) == 1 else 'groups'} above",
        )


def _xarray_finds_names(array: Array) -> bool:
    if "_ARRAY_DIMENSIONS" in array.attributes:
        return True
    old = array.metadata.get("_NCZARR_ARRAY")
    return isinstance(old, dict) and "dimrefs" in old


@rule("NCZ-XR-001", on="array", formats=V2, needs=("shape",))
def names_for_xarray(array: Array) -> Iterator[Fail]:
    """Note arrays whose dimensions xarray cannot name, and so does not open."""
    if array.stored_shape and not _xarray_finds_names(array):
        yield Fail(
            array.attribute_pointer("_ARRAY_DIMENSIONS"),
            f"xarray cannot find the dimensions of {array.path}: there is no _ARRAY_DIMENSIONS",
            fix=_name_as_referred,
        )
