r"""Z2: characters that documents write as escapes such as ``\u00e9``, of which netCDF-C drops the backslash."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

from nz_explorer.conventions.netcdf_c import impact_of_netcdf
from nz_explorer.documents import pointers
from nz_explorer.documents.json_text import json_text
from nz_explorer.engine.findings import Fail
from nz_explorer.engine.fixes import Draft
from nz_explorer.engine.registry import rule
from nz_explorer.model import Array, Group
from nz_explorer.model.dialects import nczarr, netcdf_json
from nz_explorer.model.dialects.nczarr_types import attribute_type
from nz_explorer.text.phrases import listed

if TYPE_CHECKING:
    from nz_explorer.documents import Document
    from nz_explorer.engine.impact import Impact
    from nz_explorer.model import Node

_ANY_TEXT = ("order", "dimension_separator")
"""Members of .zarray in which netCDF-C takes any text."""
MOST = 3
"""Differences that a message names."""


@rule("Z2-OGC-016", on="members", formats=(2,))
def characters_are_no_escapes(group: Group) -> Iterator[Fail]:
    """Note documents with escapes, and what netCDF-C makes of them."""
    for node in (group, *group.arrays):
        for document in node.documents:
            if document.name not in (".zattrs", ".zarray", ".zgroup"):
                continue
            read = None if document.origin != "stored" else netcdf_json.as_read(document.raw or b"")
            if not isinstance(read, dict) or not document.ok:
                continue
            others = list(dict.fromkeys(_differences(document.value, read)))
            if not others:
                continue
            noted = _is_noted(node)
            does = _does(node, document, read) if noted or document.name == ".zarray" else ""
            harm: Impact | None = "blocks" if does else None
            told = [f"{json_text(meant)} as {json_text(found)}" for meant, found in others[:MOST]]
            told += [f"{len(others) - MOST} more"] if len(others) > MOST else []
            yield Fail(
                f"/{document.name}",
                rf"{document.name} writes characters as \u and digits: netCDF-C up to 4.10 reads {listed(told)}"
                f"{', and ' + does if does else ''}",
                path=node.path,
                impact=(impact_of_netcdf(node) or harm) if noted else "advice",
                readers={"netCDF-C": does or f"reads {told[0]}"},
                fix=None
                if any(_needs_escape(c) for one, _ in others for c in one)
                else partial(_written_anew, document.key, noted and _has_noted_names(node)),
            )
    yield from _lost_above(group)


def _needs_escape(character: str) -> bool:
    """Whether JSON has no other way to write it: control characters, and halves of pairs, which UTF-8 has no bytes for."""
    return character < " " or "\ud800" <= character <= "\udfff"


def _lost_above(group: Group) -> Iterator[Fail]:
    """Yield arrays that netCDF-C loses as only the group above, which declares their dimensions, has escapes."""
    if group.is_root or not nczarr.is_read(group.hierarchy.root, "superblock"):
        return  # as in most stores
    for array in group.arrays:
        own = nczarr.find(array, "array")
        written = None if own is None else array.document(pointers.split(own.pointer)[0])
        if own is None or not own.read or written is None or b"\\u" in (written.raw or b""):
            continue
        homes = {one.rpartition("/")[0] or "/" for one in array.dimension_references or ()}
        for path in sorted(homes - {group.path}):
            home = array.hierarchy.node_if_loaded(path)
            if home is None or not any(b"\\u" in (one.raw or b"") for one in home.documents):
                continue
            if lost := list(_lost(array)):
                does = f"crashes, because {listed(dict.fromkeys(lost))} cannot be found"
                yield Fail(
                    own.at(own.member("dimension_references")[0]),
                    rf"{path} writes the names of dimensions as \u and digits, so that netCDF-C up to 4.10 {does}",
                    path=array.path,
                    related=(path,),
                    impact="blocks",
                    readers={"netCDF-C": does},
                )
                break


def _is_noted(node: Node) -> bool:
    """Whether netCDF-C may have noted something on a node: to look for it takes longer, and most nodes have none."""
    return any(
        document.name.startswith(".ncz")
        or b"_nczarr" in (raw := document.raw or b"")
        or b"_NCZARR" in raw
        for document in node.documents
    )


def _has_noted_names(node: Node) -> bool:
    """Whether there are escapes in names by which netCDF-C finds dimensions, arrays and groups from other documents."""
    part: nczarr.Part = "array" if isinstance(node, Array) else "group"
    place = nczarr.find(node, part)
    return place is not None and any(_differences(place.value, part_as_read(node, part)))


def _written_anew(key: str, has_names: bool, _node: Node) -> Draft:
    note = "write the document again, with the characters themselves"
    if has_names:  # netCDF-C crashes where it does not find a dimension
        note += "; and with it all the others that have escapes in the same names"
    return Draft("suggest" if has_names else "safe", note=note, document=key, rewrites=True)


def _differences(value: Any, read: Any) -> Iterator[tuple[str, str]]:
    """Yield texts that netCDF-C reads otherwise, names of members among them, and how it reads them."""
    if isinstance(value, dict) and isinstance(read, dict):
        for (name, item), (other, found) in zip(value.items(), read.items(), strict=False):
            if name != other:
                yield name, other
            yield from _differences(item, found)
    elif isinstance(value, list) and isinstance(read, list):
        for item, found in zip(value, read, strict=False):
            yield from _differences(item, found)
    elif isinstance(value, str) and isinstance(read, str) and value != read:
        yield value, read


def _does(node: Node, document: Document, read: dict[str, Any]) -> str:
    """Return how netCDF-C fails for the escapes of a document; nothing where it only shows other texts."""
    if document.name == ".zarray":
        is_text = isinstance(node, Array) and node.data_type.kind == "bytes"
        taken = {*_ANY_TEXT, *nczarr.KEYS["array"], *(("fill_value",) if is_text else ())}
        same = all(key in taken or read.get(key) == value for key, value in document.value.items())
        if not same:
            return "cannot open the dataset, or crashes"
    types = part_as_read(node, "attr", document)
    spelled = types.get("types") if isinstance(types, dict) else None
    if isinstance(spelled, dict) and any(
        isinstance(one, str) and attribute_type(one) is None for one in spelled.values()
    ):
        return "cannot open the dataset"
    if isinstance(node, Group):
        notes = part_as_read(node, "group", document)
        arrays = notes.get("arrays", notes.get("vars")) if isinstance(notes, dict) else None
        there = {array.name for array in node.arrays}
        if not set(nczarr.names(arrays) or ()) <= there:
            return "cannot open the dataset, because it looks for an array of that name"
        held: list[Array] = node.arrays
    else:
        held = [node] if isinstance(node, Array) else []
    lost = [one for array in held for one in _lost(array)]
    return f"crashes, because {listed(dict.fromkeys(lost))} cannot be found" if lost else ""


def part_as_read(node: Node, part: nczarr.Part, document: Document | None = None) -> Any:
    """Return a part of what netCDF-C noted, as it reads it; None where it is in another document than the one that is given.

    Parameters
    ----------
    node : Node
        The node.
    part : Part
        Which part.
    document : Document, optional
        The only document that is to be looked at.
    """
    place = nczarr.find(node, part)
    name, *members = pointers.split(place.pointer) if place is not None else [""]
    holder = node.document(name)
    if place is None or holder is None or (document is not None and document.name != name):
        return None
    value = netcdf_json.as_read(holder.raw or b"")
    if value is None:
        return place.value
    for member in members:
        value = value.get(member) if isinstance(value, dict) else None
    return value


def _lost(array: Array) -> Iterator[str]:
    """Yield the references of an array that lead nowhere only as netCDF-C reads them, as it reads them."""
    if array.dimension_references is None:
        return  # as in most stores
    notes = part_as_read(array, "array")
    member = nczarr.MEMBERS["dimension_references"]
    references = next((notes[m] for m in member if m in notes), None) if notes else None
    for meant, reference in zip(
        array.dimension_references or (), nczarr.names(references) or (), strict=False
    ):
        group = array.hierarchy.get(meant.rpartition("/")[0] or "/")
        if group is None or nczarr.dimension(array.hierarchy, meant) is None:
            continue  # NCZ-VAR-002
        declared = part_as_read(group, "group")
        member = nczarr.MEMBERS["dimensions"]
        names: Any = next((declared[m] for m in member if m in declared), {}) if declared else {}
        if reference.rpartition("/")[2] not in names:
            yield reference
