"""NCZ: what groups declare: dimensions, and what is in them."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

from nz_explorer.conventions.nz.consolidated.for_netcdf import is_used
from nz_explorer.conventions.zarr2.netcdf.escapes import part_as_read
from nz_explorer.conventions.zarr3.nodes import shown
from nz_explorer.documents import pointers
from nz_explorer.documents.json_text import json_text
from nz_explorer.documents.json_types import json_type
from nz_explorer.engine.findings import Fail, Undecided
from nz_explorer.engine.fixes import Draft, add, remove, replace
from nz_explorer.engine.registry import rule
from nz_explorer.model import Array, Group, paths
from nz_explorer.model.dialects import nczarr, nczarr_lengths, netcdf_names
from nz_explorer.model.dialects.nczarr_lists import is_reached
from nz_explorer.text.phrases import article, listed

if TYPE_CHECKING:
    from nz_explorer.engine.impact import Impact
    from nz_explorer.model import Node
    from nz_explorer.model.dialects.nczarr import Place
from nz_explorer.conventions.nczarr.added_arrays import is_readable
from nz_explorer.conventions.nczarr.added_arrays import noted as noted_of
from nz_explorer.conventions.nczarr.superblock import V2, as_object, read_today, unread

HARMLESS: tuple[Impact, str] = ("convention", "")
"""What a list does that netCDF-C does not mind, or of its first version, which nothing reads any more."""
_LEGAL_NAMES = "names begin with a letter, a digit or _, do not end with a blank, and have no control characters and at most 256 bytes"


@rule("NCZ-GRP-001", "NCZ-VAR-001", on="node")
def metadata_are_objects(node: Node) -> Iterator[Fail | Undecided]:
    """Require an object where netCDF-C keeps what it knows of a group or an array."""
    is_array = isinstance(node, Array)
    place = nczarr.find(node, "array" if is_array else "group")
    if place is not None and not isinstance(place.value, dict):
        said = f"netCDF-C's metadata of this node must be an object, got {json_type(place.value)}"
        refused = {"netCDF-C": "cannot open the dataset: invalid argument"}
        # as grave as one that is not there, which is NCZ-SB-002 or NCZ-VAR-006
        fix = as_object(place.pointer, place.value)
        fail = read_today(node, place, Fail(place.pointer, said, readers=refused, fix=fix))
        is_used = fail.impact != HARMLESS[0]
        found = unread(place) or dataclasses.replace(fail, severity="warning" if is_used else None)
        yield dataclasses.replace(found, rule="NCZ-VAR-001" if is_array else "NCZ-GRP-001")


@rule("NCZ-GRP-001", "NCZ-VAR-001", on="node")
def metadata_are_in_place(node: Node) -> Iterator[Fail]:
    """Note metadata of groups on an array, and of arrays on a group, where they say nothing."""
    if not isinstance(node, Array | Group) or node.state == "missing":
        return
    is_array = isinstance(node, Array)
    place = nczarr.find(node, "group" if is_array else "array")
    if place is not None:
        whose = "groups" if is_array else "arrays"
        yield Fail(
            place.pointer,
            f"{place.pointer.rpartition('/')[2]} belongs to {whose}, and netCDF-C does not look at that of {article(node.kind)}",
            rule="NCZ-GRP-001" if is_array else "NCZ-VAR-001",
            severity="info",
            impact=HARMLESS[0],
            readers={},
        )


@rule("NCZ-GRP-001", on="members")
def declared_dimensions(group: Group) -> Iterator[Fail]:
    """Require each declared dimension to have a length."""
    place = nczarr.find_object(group, "group")
    if place is None:
        return
    for found in _dimensions(group, place):
        yield read_today(group, place, found)


def _dimensions(group: Group, place: Place) -> Iterator[Fail]:
    name, given = place.member("dimensions")
    is_there = isinstance(place.value, dict) and name in place.value
    if is_there and not isinstance(given, dict | (list if group.zarr_format == 3 else dict)):
        yield Fail(
            place.at(name),
            f"{name} must map names to lengths, got {'' if given is None else f'{json_type(given)} '}{shown(given)}",
        )
    elif isinstance(given, dict):
        for dimension, entry in given.items():
            if "/" in dimension or not dimension:
                yield Fail(
                    place.at(name, dimension),
                    f"{json_text(dimension)} is no name of a dimension: references to it could not be told from paths",
                )
            elif not place.read and dimension.startswith(".zdim"):
                continue  # what the text of 4.8 calls dimensions that have no name: NCZ-DIM-001
            elif not netcdf_names.is_legal(dimension):
                if not netcdf_names.is_legal(
                    _as_read(group, name, given, dimension)
                ):  # else Z2-OGC-016
                    yield Fail(
                        place.at(name, dimension),
                        f"{json_text(dimension)} is no name to netCDF-C: {_LEGAL_NAMES}",
                    )
            elif (length := nczarr_lengths.length_of(entry)) is None:
                impact, does = _reading(entry)
                yield Fail(
                    place.at(name, dimension),
                    f"dimension {json_text(dimension)} must have a length, or an object with size and"
                    f" unlimited, got {shown(entry)}",
                    impact=impact,
                    readers={"netCDF-C": does} if does else {},
                    fix=partial(_right_length, place.at(name), dimension, entry),
                )
            elif length[0] > nczarr_lengths.LONGEST:
                yield Fail(
                    place.at(name, dimension),
                    f"dimension {json_text(dimension)} is {length[0]} long, and netCDF-C counts to"
                    f" {nczarr_lengths.LONGEST}",
                    impact="values",
                    readers={"netCDF-C": f"takes it for {nczarr_lengths.LONGEST} long"},
                )
            elif isinstance(entry, dict):
                yield from _unlimited(place.at(name, dimension), dimension, entry)


def _as_read(group: Group, member: str, dimensions: dict[str, Any], name: str) -> str:
    """Return the name of a dimension as netCDF-C reads it, which drops the backslash of an escape."""
    notes = part_as_read(group, "group")
    found = notes.get(member) if isinstance(notes, dict) else None
    read: dict[str, str] = {}
    if isinstance(found, dict):
        read = dict(zip(dimensions, found, strict=False))
    return read.get(name, name)


def _reading(given: Any) -> tuple[Impact, str]:
    """Return the impact of a length that is none, and what netCDF-C makes of it; of arrays that need another NCZ-VAR-002 tells."""
    number = nczarr_lengths.number_read(given)
    if number is None:
        crashes = isinstance(given, dict) and "size" in given
        return "blocks", "crashes the process (4.10)" if crashes else "cannot open the dataset"
    return HARMLESS if number >= 0 else ("values", "cannot tell this length")


def _right_length(pointer: str, dimension: str, given: Any, node: Node) -> Draft | None:
    """Give a dimension the length that the arrays have, or that a text or a float says."""
    if not isinstance(node, Group):
        return None
    nodes = node.hierarchy.walk(node.path)
    lengths = nczarr_lengths.lengths_along(one for one in nodes if isinstance(one, Array))
    needed = lengths.get(f"{paths.below(node.path)}{dimension}", set())
    size = given.get("size") if isinstance(given, dict) else given
    said = str(size).removesuffix(".0")
    if not needed and isinstance(size, str | float) and said.isdecimal():
        needed = {int(said)}
    if len(needed) != 1:
        return None
    value = nczarr_lengths.with_length(given, *needed)
    return Draft("suggest", (replace(pointers.join(pointer, dimension), value),))


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


def _unlimited(pointer: str, dimension: str, entry: dict[str, Any]) -> Iterator[Fail]:
    """Yield that the flag of an unlimited dimension is odd, or called otherwise, such as UNLIMITED, as the text prints it."""
    note = entry.get("unlimited", 0)
    called = next((name for name in entry if "unlimited" in name.lower()), "unlimited")
    here = pointers.join(pointer, "unlimited")
    if isinstance(note, bool) or note not in (0, 1):
        yield _odd_note(here, dimension, note)
    elif "unlimited" not in entry and called in entry:
        lost = "; netCDF-C takes it for one that is not unlimited" if entry[called] else ""
        other = pointers.join(pointer, called)
        operations = (remove(other), add(here, int(bool(entry[called]))))
        yield Fail(
            other,
            f"unlimited of dimension {json_text(dimension)} is called {json_text(called)}{lost}",
            impact=HARMLESS[0],
            readers={},
            fix=lambda _node: Draft("suggest", operations),
        )


@rule("NCZ-GRP-001", on="members")
def lists_of_names(group: Group) -> Iterator[Fail]:
    """Require arrays and groups to be lists of names; what it means otherwise depends on what is there."""
    place = nczarr.find_object(group, "group")
    if place is None:
        return
    for found in _lists(group, place):
        yield read_today(group, place, found)


def _lists(group: Group, place: Place) -> Iterator[Fail]:
    for kind in ("arrays", "groups"):
        member, given = place.member(kind)
        if is_names(given) or not (isinstance(place.value, dict) and member in place.value):
            continue  # none at all is an empty one
        impact, does = _harm(group, kind, given)
        yield Fail(
            place.at(member),
            f"{member} must be a list of names, got {shown(given)}",
            impact=impact,
            readers={"netCDF-C": does} if does else {},
        )


def is_names(given: Any) -> bool:
    """Whether something is a list of names."""
    return nczarr.names(given) is not None


@rule("NCZ-MODEL-002", on="group", formats=V2)
def unlimited_too_early(group: Group) -> Iterator[Fail]:
    """Note an unlimited dimension from before netCDF-C had them in Zarr."""
    notes = nczarr.group_notes(group)
    if notes is None or notes.place.era == "attributes":
        return
    if notes.place.era == "keys" and not notes.place.is_upper:
        return
    for dimension in notes.dimensions.values():
        if dimension.unlimited:
            yield Fail(
                dimension.pointer,
                f"dimension {json_text(dimension.name)} is unlimited, which netCDF-C up to 4.9.0 did not support in Zarr",
            )


@rule("NCZ-GRP-002", on="members")
def contents(group: Group) -> Iterator[Fail]:
    """Require the lists of a group to match its contents: netCDF-C sees nothing else."""
    place = nczarr.find_object(group, "group")
    if place is None:
        return
    for kind in ("arrays", "groups"):
        member, names = place.member(kind)
        if names is None:
            names = []
        if not is_names(names):
            continue  # NCZ-GRP-001
        there = _names_there(group, kind, names)
        held, noted = set(there), set(names)
        held |= _found_by_others(group, kind)
        missing = [name for name in names if name not in held]
        unseen = [name for name in there if name not in noted]
        twice = [name for name, times in Counter(names).items() if times > 1]
        if not missing and not unseen and not twice:
            continue
        impact, does = _harm(group, kind, names) if place.read and is_reached(group) else HARMLESS
        facts = []
        if twice:
            facts.append(f"lists {listed(map(json_text, twice))} more than once")
        if missing:
            facts.append(f"lists {listed(_as_it_is(group, name) for name in missing)}")
        if unseen:
            fact = f"does not list {listed(map(json_text, unseen))}"
            # else nothing is seen, or all of it
            if impact != "blocks" and (which := _follows(place)):
                fact += f", so {which} does not see {'it' if len(unseen) == 1 else 'them'}"
            facts.append(fact)
        stem = paths.below(group.path)
        yield Fail(
            place.at(member),
            f"{member} {', and '.join(facts)}",
            impact=impact,
            readers={"netCDF-C": does} if does else {},
            related=tuple(stem + name for name in unseen),
            fix=partial(_rewrite_list, kind, member),
        )


def _follows(place: Place) -> str:
    """Return what goes by the lists of a group; nothing where they are not read for want of a superblock."""
    if place.era == "objects":
        return "netCDF-C 4.8.0"
    if place.read:
        return "netCDF-C"
    return "netCDF-C up to 4.9.0" if place.is_upper else ""


def _found_by_others(group: Group, kind: str) -> set[str]:
    """Return the names of what netCDF-C finds in a group, and others do not: with a backslash, and groups without a document."""
    found = {name for name in group.other_names if "\\" in name}  # TREE-015
    if kind == "groups":
        found |= {child.name for child in group.children or () if child.state == "missing"}
    return found  # TREE-002


def _in_entries(group: Group, names: Iterable[str]) -> set[str]:
    """Return the names of the arrays that the consolidated metadata have in a group."""
    entries, stem = group.hierarchy.consolidated, paths.below(group.path)
    if entries is None:
        return set()
    return {name for name in names if entries.key(stem + name, ".zarray") is not None}


def _as_it_is(group: Group, name: str) -> str:
    """Say what a name stands for that is not one of the nodes that the list is about."""
    if "/" in name:  # what it leads to may well be in the store
        return f"{json_text(name)}, which is a path and not a name"
    other = next((child for child in group.children or () if child.name == name), None)
    # there may be a folder, with chunks or with nothing
    if other is None or other.state == "missing":
        return f"{json_text(name)}, which has neither .zarray nor .zgroup"
    return f"{json_text(name)}, which is {article(other.kind)}"


def _harm(group: Group, kind: str, given: Any) -> tuple[Impact, str]:
    """Return the impact of what stands in place of a list that matches, and what netCDF-C does."""
    names = netcdf_names.names_read(given)
    if names is None:
        return "blocks", "cannot open the dataset: name contains illegal characters"
    there = _names_there(group, kind, names)
    missing, unseen = set(names) - set(there), set(there) - set(names)
    missing -= _found_by_others(group, kind)
    if is_used(group.hierarchy):
        missing -= _in_entries(group, missing)
    # A listed group of which nothing is there is empty to it; of one that holds something it reads on.
    if missing and kind == "arrays":
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


def _unresolved(nodes: Iterable[Node]) -> Iterator[str]:
    """Yield the references that lead nowhere of arrays, and of those in groups."""
    for node in nodes:
        if isinstance(node, Array) and not nczarr.is_scalar(node):
            yield from (reference for reference, _ in nczarr.unresolved(node))
        elif isinstance(node, Group):
            yield from _unresolved((*node.arrays, *node.groups))


def _bare(nodes: Iterable[Node]) -> Iterator[str]:
    """Yield the arrays in groups that these list, and that have no notes of their own."""
    for group in nodes:
        notes = nczarr.group_notes(group) if isinstance(group, Group) else None
        if not isinstance(group, Group) or notes is None:
            continue
        names = set(notes.arrays or ())
        for array in group.arrays:
            if array.name in names and nczarr.find(array, "array") is None:
                yield array.path
        yield from _bare(group.groups)


def _stopping(nodes: Iterable[Node]) -> Iterator[str]:
    """Yield the arrays in groups that these list, and that stop netCDF-C."""
    for group in nodes:
        notes = nczarr.group_notes(group) if isinstance(group, Group) else None
        if not isinstance(group, Group) or notes is None:
            continue
        arrays, groups = set(notes.arrays or ()), set(notes.groups or ())
        yield from (a.path for a in group.arrays if a.name in arrays and not is_readable(a))
        yield from _stopping(one for one in group.groups if one.name in groups)


def _why_not(kind: str, left: list[str], stopping: set[str]) -> str:
    """Say why arrays or groups that are there are not listed."""
    named = listed(map(json_text, left))
    if kind == "groups":
        return f"make the NCZarr metadata of {named} first: without them netCDF-C may see nothing there, or open nothing at all"
    if all(name in stopping for name in left):
        # whichever it is, another rule says it
        return f"netCDF-C cannot open a dataset that lists {named}: it does not take its name, its type, its attributes, or what is noted of them"
    return f"netCDF-C cannot open a dataset that lists {named} without NCZarr metadata"


def _to_do_first(added: list[Node]) -> str:
    """Say what is to be done before nodes are listed; nothing where netCDF-C opens the dataset with them."""
    if lost := list(dict.fromkeys(_unresolved(added))):
        said = "dimensions that are referred to and not declared"
        return f"declare {listed(lost)} first: netCDF-C crashes at {said}"
    if bare := list(_bare(added)):
        return (
            f"make the NCZarr metadata of {listed(bare)} first: without them netCDF-C opens nothing"
        )
    if stops := list(_stopping(added)):
        return f"see first to {listed(stops)}: netCDF-C would stop there, and open nothing"
    return ""


def _rewrite_list(kind: str, member: str, node: Node) -> Draft | None:
    """Name what is there – but what has no notes of its own netCDF-C does not open, nor all the rest."""
    place = nczarr.find_object(node, "group")
    if place is None or not isinstance(node, Group):
        return None
    given = place.value.get(member)
    before = list(nczarr.names(given) or ())
    part: nczarr.Part = "array" if kind == "arrays" else "group"
    noted = {child.name for child in node.children or () if nczarr.find(child, part)}
    there = list(dict.fromkeys(_names_there(node, kind, before)))
    # they are none until TREE-002 and TREE-015 are cured
    others = _found_by_others(node, kind).difference(there)
    there += [one for one in before if one in others]
    old = set(before)
    arrays = [one for one in node.arrays if kind == "arrays" and one.name not in old]
    stopping = {one.name for one in arrays if not is_readable(one)}
    made = noted_of(node, place, (one for one in arrays if one.name not in noted))
    listable = (noted - stopping) | {*old, *made.arrays}
    names = [name for name in there if name in listable]
    new = noted.intersection(names) - old
    if first := _to_do_first([one for one in node.children or () if one.name in new]):
        return Draft("suggest", note=first)
    operation = (replace if member in place.value else add)(place.at(member), names)
    operations = () if names == before else (operation, *made.declarations(place))
    also = tuple(made.drafts)
    if left := [name for name in there if name not in names]:
        note = _why_not(kind, left, stopping)
        return Draft("suggest", operations, note, also=also)
    if also:
        return Draft(
            "suggest", operations, "the dimensions are those of _ARRAY_DIMENSIONS", also=also
        )
    gone = [name for name in before if name not in names]
    # as where only .zarray was lost
    if remains := [name for name in gone if name in node.other_names]:
        note = (
            f"the folder of {listed(map(json_text, remains))} is still there: first see whether its .z{part} can be"
            " written again"
        )
        return Draft("suggest", operations, note)
    if copies := _in_entries(node, gone):
        note = f".zmetadata still has {listed(map(json_text, copies))}: first see whether its .zarray can be written again"
        return Draft("suggest", operations, note)
    return Draft("safe", operations)
