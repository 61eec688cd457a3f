"""NCZ: NCZarr metadata that have been lost since netCDF-C wrote them, made again from the arrays."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from nz_explorer.conventions.nczarr.added_arrays import is_readable
from nz_explorer.conventions.nczarr.old_names import VERSION
from nz_explorer.conventions.nczarr.superblock import (
    AS_PURE,
    noted_below,
    unreadable,
    unused,
)
from nz_explorer.conventions.zarr3.nodes import NCZARR_ERROR
from nz_explorer.documents.json_text import json_text
from nz_explorer.engine.findings import Fail, Undecided
from nz_explorer.engine.fixes import Draft, Operation, add, move, replace, set_attribute
from nz_explorer.engine.registry import rule
from nz_explorer.model import Array, Group, paths
from nz_explorer.model.dialects import nczarr
from nz_explorer.model.dialects.nczarr_lists import is_reached
from nz_explorer.text.phrases import listed

if TYPE_CHECKING:
    from nz_explorer.model import Node


@rule("NCZ-SB-001", on="members", formats=(2,))
def superblock_of_members(root: Group) -> Iterator[Fail | Undecided]:
    """Require a superblock where the root has lost all NCZarr metadata, and what is in it has some."""
    noted = noted_below(root) if root.is_root else []
    if not noted:
        return
    first = noted[0].path
    have = f"{first} has" if len(noted) == 1 else f"{len(noted)} nodes, such as {first}, have"
    is_upper = any(
        place.is_upper
        for child in noted
        for place in nczarr.places(child, "array" if isinstance(child, Array) else "group")
    )
    yield unreadable(root) or Fail(
        root.attribute_pointer("_nczarr_superblock"),
        f"there is no NCZarr superblock, although {have} NCZarr metadata: {AS_PURE}",
        severity="warning",  # of all that is noted below it nothing is read
        related=(first,),
        fix=None if is_upper else _root_metadata,
    )


@rule("NCZ-SB-002", "NCZ-VAR-006", "NCZ-ERA-002", on="members", formats=(2,))
def metadata_are_there(group: Group) -> Iterator[Fail | Undecided]:
    """Require NCZarr metadata of each group of a netCDF-C dataset, and of each array that these list."""
    superblock = nczarr.find(group.hierarchy.root, "superblock")
    if superblock is not None and (superblock.era == "objects" or superblock.is_upper):
        yield from _were_there(group, superblock.era)
    if superblock is None or not superblock.read or not nczarr.counts(group.hierarchy):
        return
    era = superblock.era
    yield from _unseen_from_below(group)
    if not nczarr.is_read(group, "group") and (unknown := unreadable(group)):
        yield unknown
        return
    if not nczarr.is_read(group, "group"):
        held = [child.name for child in group.children or ()]
        if held:
            # Of a group without .zattrs netCDF-C lists the folder, and wants the dimensions that this had declared.
            listed_anyway = group.document(".zattrs") is None
            lost = _lost_dimensions(group)
            if listed_anyway and not lost:
                if group.state != "missing":
                    yield _listed_in_their_place(group, era)
                return
            if group.state == "missing":
                yield _no_group(group, lost)
                return
            does = f"opens the dataset without an error and does not see {listed(map(json_text, held))}"
            if listed_anyway:
                does = f"crashes, because {listed(lost)} cannot be found"
            yield Fail(
                _pointer(group, "_nczarr_group", era),
                f"the superblock has the form that netCDF-C reads, but the metadata of {group.path} are {_where(group, 'group')}: netCDF-C {does}",
                severity="warning",
                impact="blocks" if listed_anyway else None,
                readers={"netCDF-C": "crashes the process (4.10)"} if listed_anyway else None,
                fix=lambda node: _group_metadata(node, era),
            )
        elif group.state != "missing":
            yield Fail(
                _pointer(group, "_nczarr_group", era),
                f"netCDF-C's metadata of {group.path} are {_where(group, 'group')}; without them the group is empty to it, as it is here",
                severity="info",
                impact="convention",
                readers={},
                fix=lambda node: _group_metadata(node, era),
            )
        return
    reached = is_reached(group)
    for found in _noted_and_read(group, era):
        yield found if reached or isinstance(found, Undecided) else unused(found)


def _listed_in_their_place(group: Group, era: nczarr.Era) -> Fail:
    """Return that netCDF-C lists a folder for want of .zattrs: what it finds there needs NCZarr metadata all the same."""
    bare = [array.path for array in group.arrays if not nczarr.is_read(array, "array")]
    said = f"{group.path} has no .zattrs, and so none of netCDF-C's metadata"
    is_refused = False
    if is_reached(group):
        is_refused = bool(bare)
        why = f"opens nothing, because {listed(bare)} {'has' if len(bare) == 1 else 'have'} none"
        said += f"; it lists the folder in their place, and {why if bare else 'sees the same'}"
    return Fail(
        _pointer(group, "_nczarr_group", era),
        said,
        severity="warning" if is_refused else None,
        impact="blocks" if is_refused else "convention",
        readers=NCZARR_ERROR if is_refused else {},
        fix=lambda node: _group_metadata(node, era),
    )


def _noted_and_read(group: Group, era: nczarr.Era) -> Iterator[Fail | Undecided]:
    """Require that netCDF-C reads what is noted of a group, and of each array that it lists."""
    notes = nczarr.group_notes(group)
    if group.document(".zattrs") is None and notes and notes.dimensions:
        yield _not_looked_at(group)
    names = (notes.arrays if notes is not None else None) or ()
    for array in group.arrays:
        if array.name not in names:
            continue
        if nczarr.is_read(array, "array"):
            if array.document(".zattrs") is None:
                yield Fail(
                    "/.zattrs",
                    f"{array.path} has no .zattrs, without which netCDF-C 4.10 does not look at what its .zarray notes for it",
                    severity="warning",
                    impact="blocks",
                    readers=NCZARR_ERROR,
                    path=array.path,
                    rule="NCZ-ERA-002",
                    fix=partial(_with_attributes, array.path),
                )
        elif unknown := unreadable(array):
            yield Undecided(unknown.reason, "NCZ-VAR-006")
        else:
            yield Fail(
                _pointer(array, "_nczarr_array", era),
                f"{group.path} lists {json_text(array.name)}, and netCDF-C's metadata of it are {_where(array, 'array')}",
                severity="warning",
                path=array.path,
                rule="NCZ-VAR-006",
                fix=lambda node, path=array.path: _array_metadata(node, path, era),  # type: ignore[misc]  # bound now
            )


def _lost_dimensions(group: Group) -> list[str]:
    """Return the references to dimensions of a group by the arrays in it; those below are `_unseen_from_below`."""
    references = (name for array in group.arrays for name in array.dimension_references or ())
    return sorted({name for name in references if _home(name) == group.path})


def _home(reference: str) -> str:
    """Return the path of the group that a reference to a dimension names."""
    return reference.rpartition("/")[0] or "/"


def _unseen_from_below(group: Group) -> Iterator[Fail]:
    """Yield arrays that have dimensions of a group above whose metadata netCDF-C does not look at."""
    for array in group.arrays if is_reached(group) else ():
        for path in dict.fromkeys(map(_home, array.dimension_references or ())):
            home = group.hierarchy.node_if_loaded(path)
            if path == group.path or not isinstance(home, Group):
                continue
            lacks = ".zgroup" if home.state == "missing" else ".zattrs"
            if not group.path.startswith(paths.below(path)) or home.document(lacks) is not None:
                continue
            lost = [one for one in array.dimension_references or () if _home(one) == path]
            place = nczarr.find_object(array, "array")
            is_noted = lacks == ".zattrs" and nczarr.group_notes(home) is not None
            yield Fail(
                "" if place is None else place.at(place.member("dimension_references")[0]),
                f"{path} has no {lacks}, without which netCDF-C 4.10 does not look at what is noted for it: it crashes,"
                f" because {listed(dict.fromkeys(lost))} cannot be found",
                severity="warning",
                impact="blocks",
                readers={"netCDF-C": "crashes the process (4.10)"},
                path=array.path,
                rule="NCZ-ERA-002",
                related=(path,),
                # else it is to be made again (NCZ-SB-002, TREE-002)
                fix=partial(_with_attributes, path) if is_noted else None,
            )


def _not_looked_at(group: Group) -> Fail:
    """Return that netCDF-C passes over the notes in .zgroup: it lists the folder, and has none of the dimensions."""
    lost = _lost_dimensions(group)
    why = f"{group.path} has no .zattrs, without which netCDF-C 4.10 does not look at what its .zgroup notes for it"
    return Fail(
        "/.zattrs",
        f"{why}: it crashes, because {listed(lost)} cannot be found"
        if lost
        else f"{why}; it lists the folder in their place, and does not see dimensions that are declared here",
        severity="warning" if lost else None,
        impact="blocks" if lost else "convention",
        readers={"netCDF-C": "crashes the process (4.10)"} if lost else {},
        rule="NCZ-ERA-002",
        fix=partial(_with_attributes, group.path),
    )


def _with_attributes(path: str, node: Node) -> Draft | None:
    """Give a node an empty document of attributes."""
    here = node.hierarchy.node_if_loaded(path)
    return None if here is None else Draft("safe", (add("/.zattrs", {}),), node=here)


def _were_there(group: Group, era: nczarr.Era) -> Iterator[Fail]:
    """Require what netCDF-C up to 4.9.0 wrote of each group and array, and what nothing reads today."""
    if nczarr.find(group, "group") is None:
        if group.state != "missing":
            yield _none_of(group, ".nczgroup", "_NCZARR_GROUP", era, "NCZ-SB-002")
        return
    notes = nczarr.group_notes(group)
    names = (notes.arrays if notes is not None else None) or ()
    for array in group.arrays:
        if array.name in names and nczarr.find(array, "array") is None:
            yield _none_of(array, ".nczvar", "_NCZARR_ARRAY", era, "NCZ-VAR-006")


def _none_of(node: Node, document: str, key: str, era: nczarr.Era, rule_id: str) -> Fail:
    in_objects = era == "objects"
    version, name = ("4.8.0", document) if in_objects else ("4.8.1 to 4.9.0", key)
    return Fail(
        f"/{document}" if in_objects else _pointer(node, key, era),
        f"the superblock is that of netCDF-C {version}, which needs {name} of {node.path}, and there is none",
        path=node.path,
        rule=rule_id,
        severity="info",
        impact="convention",
        readers={},
    )


def _no_group(group: Group, lost: list[str]) -> Fail:
    """Return that netCDF-C does not read the metadata of a group without .zgroup, which TREE-002 adds."""
    return Fail(
        "",
        f"{group.path} has no .zgroup, so netCDF-C does not read its metadata: it crashes, because"
        f" {listed(lost)} cannot be found",
        severity="warning",
        impact="blocks",
        readers={"netCDF-C": "crashes the process (4.10)"},
    )


@rule("NCZ-VAR-007", on="array", formats=(2,), needs=("shape",))
def scalar_is_marked(array: Array) -> Iterator[Fail]:
    """Note a scalar that only storage tells, as it did up to 4.9."""
    place = nczarr.find_object(array, "array")
    if place is None or not place.read or array.stored_shape == ():
        return  # an array without dimensions is passed over, whatever is noted of it (Z2-OGC-010)
    references = place.member("dimension_references")[1]
    if "scalar" not in place.value and place.is_scalar and references == []:
        pointer = place.at("scalar")
        yield Fail(
            pointer,
            'only storage "scalar" says that this array is a scalar, and netCDF-C 4.10 looks for a member scalar',
            # of an array of another shape netCDF-C would show one value, or none
            fix=(lambda _node: Draft("safe", (add(pointer, 1),)))
            if array.stored_shape == (1,)
            else None,
        )


def _where(node: Node, part: nczarr.Part) -> str:
    """Return where metadata are that netCDF-C does not find, for a message."""
    unread = next(nczarr.places(node, part), None)
    if unread is None:
        return "lost"
    return f"in {unread.pointer.rpartition('/')[2]}, which it does not read (4.10)"


def _renamed(node: Node, part: nczarr.Part, era: nczarr.Era) -> Draft | None:
    """Return metadata under their name of today, where only that is wrong."""
    unread = next(nczarr.places(node, part), None)
    if unread is None or unread.era != era:
        return None
    to = _pointer(node, nczarr.KEYS[part][0], era)
    return Draft("suggest", (move(unread.pointer, to),), node=node)


def _kept(node: Node, part: nczarr.Part) -> Draft | None:
    """Return where metadata still are that a document has lost: of those made again the consolidated ones would be overwritten."""
    consolidated = node.hierarchy.consolidated
    entry = None if consolidated is None else consolidated.entry(node.path, ".zattrs")
    if not isinstance(entry, Mapping) or nczarr.KEYS[part][0] not in entry:
        return None
    by = "NZ-CONS-006" if node.is_root else "NZ-CONS-002"
    return Draft("suggest", note=f".zmetadata still has them: {by} writes them back")


def _pointer(node: Node, name: str, era: nczarr.Era) -> str:
    return node.attribute_pointer(name) if era == "attributes" else node.pointer(name)


def _put(node: Node, name: str, value: Any, era: nczarr.Era) -> tuple[Operation, ...]:
    if era == "attributes":
        return set_attribute(node, name, value)
    return (add(node.pointer(name), value),)


def _own_names(array: Array, path: str) -> list[str] | None:
    """Return the names of an array's dimensions that belong to its group; None where they are not known."""
    references = array.dimension_references
    if references is not None:
        stem = path.rstrip("/") + "/"
        return [
            r.rpartition("/")[2] if r.rpartition("/")[0] + "/" == stem else "" for r in references
        ]
    names = array.dimension_names
    return None if names is None or not all(names) else [str(name) for name in names]


def _root_metadata(root: Node) -> Draft | None:
    """Return all that the root has lost, and what arrays in it lack that were added since."""
    of_arrays = [place for child in noted_below(root) for place in nczarr.places(child, "array")]
    era = of_arrays[0].era if of_arrays else "attributes"
    return _group_metadata(root, era, {"_nczarr_superblock": {"version": VERSION}})


def _group_metadata(
    node: Node, era: nczarr.Era, superblock: Mapping[str, Any] = MappingProxyType({})
) -> Draft | None:
    """Return the metadata of a group: the dimensions of its arrays, and what is in it; those of the root with a superblock."""
    if not isinstance(node, Group):
        return None
    if (renamed := _renamed(node, "group", era) or _kept(node, "group")) is not None:
        return renamed
    lengths: dict[str, int] = {}
    for array in node.hierarchy.walk(node.path):
        if not isinstance(array, Array) or (
            array.parent != node.path and not array.dimension_references
        ):
            continue  # of groups below it is only known what arrays refer to
        for name, length in zip(
            _own_names(array, node.path) or (), array.shape or (), strict=False
        ):
            if name and lengths.setdefault(name, length) != length:
                return Draft(
                    "suggest",
                    note=f"{json_text(name)} has several lengths; rename one of them first",
                )
    late = era != "attributes"
    value = {
        nczarr.MEMBERS["dimensions"][late]: lengths,
        nczarr.MEMBERS["arrays"][late]: [one.name for one in node.arrays if is_readable(one)],
        "groups": [group.name for group in node.groups],
    }
    note = "made from the shapes and names of the arrays; which dimensions were unlimited is not known any more"
    also: list[Draft] = []
    lost: list[str] = []
    for array in filter(is_readable, node.arrays):
        if nczarr.find(array, "array") is None:
            made = _noted_again(array, node.path, lengths, era)
            lost.extend([] if made else [array.path])
            also.extend(filter(None, [made]))
        elif not superblock and not nczarr.is_read(array, "array"):
            lost.append(array.path)
    if lost:
        note += (
            f"; then those of {listed(lost)}, without which netCDF-C opens nothing (NCZ-VAR-006)"
        )
    noted = {**superblock, "_nczarr_group": value}
    if era == "attributes" and not node.attributes:  # which have types, too
        noted["_nczarr_attr"] = {"types": dict.fromkeys((*noted, "_nczarr_attr"), "|J0")}
        has_one = node.attributes_document is not None
        put = (replace if has_one else add)(node.attribute_pointer(), noted)
        return Draft("suggest", (put,), note, also=tuple(also))
    operations = (one for name in noted for one in _put(node, name, noted[name], era))
    return Draft("suggest", tuple(operations), note, also=tuple(also))


def _was_scalar(array: Array) -> bool:
    """Whether an array was a scalar: older metadata say so, or it has the dimension that netCDF-C gives to scalars."""
    if array.stored_shape != (1,):
        return False
    notes = nczarr.array_notes(array)
    if notes is not None:
        return notes.scalar and not notes.references
    return array.attributes.get("_ARRAY_DIMENSIONS") == [nczarr.SCALAR_DIMENSION]


def _array_metadata(node: Node, path: str, era: nczarr.Era) -> Draft | None:
    """Return the metadata of an array: the dimensions that its group declares under its names."""
    array = node.hierarchy.node_if_loaded(path)
    notes = nczarr.group_notes(node)
    if not isinstance(array, Array) or notes is None:
        return None
    if (renamed := _renamed(array, "array", era) or _kept(array, "array")) is not None:
        return renamed
    return _noted_again(array, node.path, notes.dimensions, era) or Draft(
        "suggest", note=f"name the dimensions of {path}, and declare them in the group"
    )


def _noted_again(
    array: Array, group: str, declared: Container[str], era: nczarr.Era
) -> Draft | None:
    """Return the metadata of an array in a group, by its names for dimensions; None where the group does not declare them."""
    references = nczarr.MEMBERS["dimension_references"][era != "attributes"]
    if _was_scalar(array):
        scalar = {references: [], "scalar": 1, "storage": "chunked"}
        return Draft("suggest", _put(array, "_nczarr_array", scalar, era), node=array)
    names = _own_names(array, group)
    if names is None or any(name not in declared for name in names):
        return None
    stem = group.rstrip("/")
    value = {references: [f"{stem}/{name}" for name in names], "storage": "chunked"}
    return Draft("suggest", _put(array, "_nczarr_array", value, era), node=array)
