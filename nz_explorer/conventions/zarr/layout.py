"""TREE: documents of nodes that are lost, or are there under other names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from nz_explorer.conventions.zarr.tree import DOCUMENTS_V2, NO_ENTRY
from nz_explorer.documents.json_text import json_text
from nz_explorer.engine.findings import Fail, Undecided
from nz_explorer.engine.fixes import Draft, add
from nz_explorer.engine.registry import rule
from nz_explorer.model.hierarchy import CHUNK_OF_V2, renamed_document, without_array
from nz_explorer.model.paths import below
from nz_explorer.store import Listing, ReadError
from nz_explorer.text.phrases import listed

if TYPE_CHECKING:
    from nz_explorer.model import Array, Group, Inside, Node

MOST_LOOKED_INTO = 20
"""Folders without a document that are looked into."""


@rule("TREE-013", "TREE-014", "TREE-015", on="members")
def names_in_group(group: Group) -> Iterator[Fail | Undecided]:
    """Fail on what a group, or a folder that would be a node, holds under names that make it no document or node."""
    if group.hierarchy.metadata_source != "documents":
        for rule_id in ("TREE-013", "TREE-014", "TREE-015"):
            yield Undecided("listing", rule_id)
        return
    yield from _with_backslash(group, group.other_names)
    yield from _renamed(group, "", group.other_names)
    own = {document.name for document in group.documents}
    yield from _folders_like_documents(group, "", set(group.other_names) - own)
    others = [name for name in group.other_names if _may_be_node(name) and name not in own]
    unknown = sorted(others)[:MOST_LOOKED_INTO]
    stem = below(group.path)[1:]
    answers = group.hierarchy.reader.list_many([stem + name for name in unknown], limit=100)
    yield from _chunks_in_group(group, dict(zip(unknown, answers, strict=True)))
    for name, answer in zip(unknown, answers, strict=True):
        if isinstance(answer, ReadError):
            for rule_id in ("TREE-013", "TREE-014"):
                yield Undecided(f"unreadable: {answer.detail}", rule_id)
        else:
            yield from _renamed(group, f"{name}/", answer.names)
            yield from _folders_like_documents(group, f"{name}/", answer.names)
            known = {renamed_document(one) or one for one in answer.names}
            alone = known.isdisjoint((".zgroup", ".zarray"))
            if alone and {"meta", "attrs"} <= set(answer.names):
                yield Fail(
                    "",
                    f"folder {stem}{name} holds meta and attrs, as an array of Zarr v1, of 2016, does: readers look"
                    " for .zarray and .zattrs, and see no array there",
                    rule="TREE-013",
                    **_UNSEEN,
                    fix=_migrated,
                )
            if ".zattrs" in answer.names and alone and group.hierarchy.zarr_format == 2:
                yield Fail(
                    "",
                    f"folder {stem}{name} has attributes in .zattrs, but neither .zgroup nor .zarray: readers see no node there",
                    rule="TREE-014",
                    **_in_consolidated(group, f"/{stem}{name}"),
                    fix=partial(_make_group, f"/{stem}{name}", answer.names),
                )
            elif (
                alone
                and group.hierarchy.zarr_format == 2
                and _holds_only_chunks(group, stem + name, answer)
            ):
                some = listed(map(json_text, sorted(answer.names)[:3]))
                yield Fail(
                    "",
                    f"folder {stem}{name} holds what is named like chunks ({some}), but no .zarray: readers see no array there",
                    rule="TREE-014",
                    fix=_without_metadata,
                )


def _in_consolidated(group: Group, path: str) -> dict[str, Any]:
    """Return what readers do that find attributes in .zmetadata, and look there for their node in vain."""
    consolidated = group.hierarchy.consolidated
    if consolidated is None or consolidated.zarr_format != 2:
        return {}
    has = {name for name in DOCUMENTS_V2 if consolidated.entry(path, name) is not None}
    if has == {".zattrs"}:
        return {"impact": "blocks", "readers": NO_ENTRY}
    return {"readers": {"netCDF-C": "does not see the node"}} if has else {}


def _holds_only_chunks(group: Group, folder: str, listing: Listing) -> bool:
    """Whether all that is in a folder are files that are named like chunks."""
    names = listing.names
    if not names or not all(map(CHUNK_OF_V2.fullmatch, names)):
        return False
    if listing.files or listing.folders:
        return listing.files.issuperset(names)
    # remote stores do not show what is a file: nothing lies below one
    below_some = group.hierarchy.reader.list_many([f"{folder}/{one}" for one in names[:3]], limit=1)
    return all(isinstance(one, Listing) and not one.names for one in below_some)


def _chunks_in_group(group: Group, inside: Mapping[str, Listing | ReadError]) -> Iterator[Fail]:
    """Fail on files that are named like chunks, of an array whose .zarray a .zgroup may have replaced."""
    named = [
        name
        for name, answer in inside.items()
        if CHUNK_OF_V2.fullmatch(name) and not isinstance(answer, ReadError) and not answer.names
    ]
    is_array = "shape" in group.metadata  # Z2-GRP-002
    if not named or is_array or group.hierarchy.zarr_format != 2:
        return
    here = group.hierarchy.reader.list_many([group.path[1:]], limit=1000)[0]
    found = [] if isinstance(here, ReadError) else [one for one in named if one not in here.folders]
    if found:
        lost = "takes it for a group, and sees no array there"
        yield Fail(
            "",
            f"{without_array(found, f'in {group.path}')}, and without it no reader sees an array there",
            rule="TREE-014",
            readers=dict.fromkeys(_ALL, lost),
            fix=_without_metadata,
        )


def _without_metadata(_node: Node) -> Draft:
    return Draft(
        "suggest", note="write the .zarray of the array again, or delete what is left of it"
    )


def _migrated(_node: Node) -> Draft:
    return Draft(
        "suggest", note="zarr.storage.migrate_1to2 of zarr-python 2 makes it an array of Zarr v2"
    )


def _with_backslash(node: Node, held: Iterable[str]) -> Iterator[Fail]:
    """Fail on names with a backslash, which the keys of no store have."""
    names = sorted(name for name in held if "\\" in name)
    if not names:
        return
    readers = None
    if node.kind == "array":
        readers = dict.fromkeys(_ALL, "does not find it, and returns the fill value for a chunk")
    elif node.hierarchy.zarr_format == 2:
        here = node.hierarchy.reader.list_many([node.path[1:]], limit=1000)[0]
        if not isinstance(here, ReadError) and here.folders.issuperset(names):
            unseen = dict.fromkeys(_ALL[:2], "does not see the node")
            readers = unseen | {"netCDF-C": "shows the node, by the name with the backslash"}
    shown = [json_text(name).replace("\\\\", "\\") for name in names[:3]]
    some = listed(shown) + (f" and {len(names) - 3:,} more" if len(names) > 3 else "")
    has, it = ("has", "it") if len(names) == 1 else ("have", "them")
    right = names[0].replace("\\", "/")
    packed = node.hierarchy.reader.kind == "zip file"
    how = "unzip it, move" if packed else "move"
    ending = ", the others likewise" * (len(names) > 1) + ", and zip it again" * packed
    yield Fail(
        "",
        f"{some} in {node.path} {has} a backslash in the name: Zarr separates names by /, so readers do not see {it}",
        rule="TREE-015",
        readers=readers,
        fix=lambda _node: Draft(
            "suggest",
            note=f"{how} {names[0]} to {right}{ending}",
        ),
    )


@rule("TREE-013", "TREE-015", on="inside")
def names_in_array(array: Array, inside: Inside) -> Iterator[Fail]:
    """Fail on the same in an array: its attributes, and its chunks."""
    for fail in _with_backslash(array, inside.other_names):
        yield replace(fail, readers=_NO_CHUNK)
    yield from _renamed(array, "", inside.other_names)
    own = {document.name for document in array.documents}
    yield from _folders_like_documents(array, "", set(inside.other_names) - own)


def _make_group(path: str, names: Iterable[str], node: Node) -> Draft:
    """Make a folder with attributes a group, in the consolidated metadata too: nodes that these lack stay hidden."""
    if any(name[0].isdecimal() for name in names):
        return Draft("suggest", note="it holds chunks: write the .zarray of the array again")
    note = "if it is to be a group; an array needs its .zarray"
    group = {"zarr_format": 2}
    copies: tuple[Draft, ...] = ()
    consolidated = node.hierarchy.consolidated
    if consolidated is not None and consolidated.zarr_format == 2:
        attributes = _content(f"{path[1:]}/.zattrs", node)
        there = {".zgroup": group} | ({} if attributes is None else {".zattrs": attributes})
        entries = tuple(
            add(consolidated.pointer(path, name), value)
            for name, value in there.items()
            if consolidated.entry(path, name) != value
        )
        copies = (Draft("safe", entries, document=consolidated.holder.key),) if entries else ()
    key = f"{path[1:]}/.zgroup"
    return Draft("suggest", (add("", group),), note, document=key, also=copies)


def _may_be_node(name: str) -> bool:
    odd = name.startswith((".", "__")) or "\\" in name
    return not odd and renamed_document(name) is None


def _renamed(node: Node, folder: str, names: Iterable[str]) -> Iterator[Fail]:
    held = set(names)
    for name in sorted(held):
        right = renamed_document(name)
        key = f"{below(node.path)[1:]}{folder}"
        if right == "zarr.json" and node.hierarchy.zarr_format == 2:  # a .zarr may be any document
            content = _content(f"{key}{name}", node) or {}
            if content.get("zarr_format") == 2:
                right = ".zarray" if "shape" in content else ".zgroup"
        if right is not None and right not in held:
            yield Fail(
                "",
                f"{key}{name} is most likely {right} under another name, so readers do not see what it says",
                **_harm(node, folder, right),
                fix=partial(_copied, f"{key}{name}", f"{key}{right}"),
            )


def _folders_like_documents(node: Node, folder: str, names: Iterable[str]) -> Iterator[Fail]:
    """Fail on folders that are called like documents of Zarr v2: they are listed, and there is nothing to read."""
    if node.hierarchy.zarr_format != 2:  # there one in v3 is a node, of which Z3-NAME-003 tells
        return
    reader = node.hierarchy.reader
    for name in sorted(DOCUMENTS_V2.intersection(names)):
        key = f"{below(node.path)[1:]}{folder}{name}"
        document, listing = reader.get_many([key])[0], reader.list_many([key], limit=1)[0]
        if document is None and not isinstance(listing, ReadError):
            inner = f"{key}/{name}"
            lies_in = _content(inner, node) is not None
            yield Fail(
                "",
                f"{key} is a folder and no document, so readers do not see what should be in it",
                rule="TREE-013",
                **_harm(node, folder, name),
                fix=partial(_not_a_folder, key, inner if lies_in else None),
            )


def _not_a_folder(key: str, inner: str | None, _node: Node) -> Draft:
    where = f"{inner} is the document" if inner else "write the document again"
    return Draft("suggest", note=f"{where}: put it in place of the folder, as {key}")


_ALL = ("zarr-python", "xarray", "netCDF-C")
_NO_CHUNK = dict.fromkeys(_ALL, "returns the fill value for a chunk of such a name")
_UNSEEN: dict[str, Any] = {
    "impact": "values",
    "readers": dict.fromkeys(_ALL, "does not see the group or array"),
}


def _harm(node: Node, folder: str, right: str) -> dict[str, Any]:
    """Return what it means to lose a document that is not the one that makes a node."""
    if right == ".zmetadata":
        return {"readers": {}}
    if right != ".zattrs":
        return {} if node.path == "/" and not folder else _UNSEEN
    if node.kind == "array" and not folder:
        lost = "finds no names of dimensions, and opens nothing of the group"
        return {"readers": {"xarray": lost}}
    return {"impact": "values", "readers": dict.fromkeys(_ALL, "does not see the attributes")}


def _copied(found: str, right: str, node: Node) -> Draft | None:
    """Write what the document says under its right name."""
    content = _content(found, node)
    if content is None:
        return Draft("suggest", note=f"rename {found} to {right}")
    lacking = [name for name in _NEEDED.get(right.rpartition("/")[2], ()) if name not in content]
    if lacking:  # readers refuse a group for that, and do without what is not there
        return Draft("suggest", note=f"rename {found} to {right}, once it has {listed(lacking)}")
    return Draft("suggest", (add("", content),), f"{found} can be deleted then", document=right)


_NEEDED = {"zarr.json": ("node_type",), ".zarray": ("shape", "chunks", "dtype")}
"""Without them a document is no metadata."""


def _content(key: str, node: Node) -> dict[str, Any] | None:
    """Return the object that a key of the store holds; None where it cannot be read or is none."""
    import msgspec

    try:
        data = node.hierarchy.reader.get(key)
        content = None if data is None else msgspec.json.decode(data)
    except (ReadError, msgspec.DecodeError):
        return None
    return content if isinstance(content, dict) else None
