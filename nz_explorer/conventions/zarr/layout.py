"""TREE: how a store is packed and uploaded: zip files, files that do not belong there, documents under other names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from posixpath import normpath
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from urllib.request import url2pathname

from nz_explorer.conventions.zarr.tree import DOCUMENTS_V2
from nz_explorer.documents.json_text import json_text
from nz_explorer.engine.findings import Fail, Undecided
from nz_explorer.engine.fixes import Draft, add
from nz_explorer.engine.registry import rule
from nz_explorer.model.hierarchy import CHUNK_OF_V2, is_left_behind, renamed_document, without_array
from nz_explorer.model.paths import below
from nz_explorer.store import Listing, ReadError
from nz_explorer.text.phrases import listed
from nz_explorer.text.source_code import shell_command

if TYPE_CHECKING:
    from nz_explorer.model import Array, Group, Inside, Node

MOST_LOOKED_INTO = 20
"""Folders without a document that are looked into."""


@rule("TREE-009", on="root")
def top_folder(node: Node) -> Iterator[Fail]:
    """Fail on a zip file in which everything is in one folder: readers look for the root at the top."""
    top = node.hierarchy.reader.packaging.top_folder
    if top:
        reader = node.hierarchy.reader
        parts = urlsplit(reader.url or "")
        file = url2pathname(parts.path) if parts.scheme == "file" else reader.label
        command = f"cd {shell_command(top)} && zip -0 -r ../right.zip ."
        by_netcdf = node.zarr_format == 2 and node.kind != "array"
        # what is packed may as well be a dataset of one array that lacks the document of its root
        lone = node.kind == "array" and node.zarr_format is not None
        root = "zarr.json" if node.zarr_format == 3 else ".zgroup"
        or_group = (
            f"; or, if {json_text(top)} is the only array of a dataset, add the {root} of its root group at the top"
            if lone
            else ""
        )
        yield Fail(
            "",
            f"everything in this zip file is in the top folder {json_text(top)}, and readers look for the root"
            f" document at the top{', all but netCDF-C, which writes zip files like this one' if by_netcdf else ''}",
            fix=lambda _node: Draft(
                "suggest",
                note=f"zip it again from inside the folder: unzip {shell_command(file)}; {command}{or_group}"
                + ("; keep this one for netCDF-C, which needs the folder" if by_netcdf else ""),
            ),
        )


@rule("TREE-010", on="root")
def repeated_names(node: Node) -> Iterator[Fail]:
    """Warn of a zip file that holds a name more than once: which of them is read is up to the reader."""
    repeated = node.hierarchy.reader.packaging.repeated
    if repeated:
        some = listed(f"{json_text(name)} {times} times" for name, times in repeated.items())
        yield Fail(
            "",
            f"this zip file holds {some}; Python reads the last of them, other programs may read the first",
            fix=lambda _node: Draft(
                "suggest", note="unzip it into a folder, which keeps the last of each, and zip that"
            ),
        )


_BAD_PARTS = ("", ".", "..")
"""Parts that the path of a key cannot have."""
_OF_NODES = ("zarr.json", ".zgroup", ".zarray")
"""Documents that make a node."""
_LISTED = {
    True: "raises ValueError: The path is invalid because it contains '.' or '..' segments",
    False: "raises RecursionError",
}
"""What becomes of a group in whose listing there is such a part, by whether it has a dot."""


@rule("TREE-016", on="root")
def names_that_are_no_keys(node: Node) -> Iterator[Fail]:
    """Fail on a zip file with names that have parts which no key has, such as a leading slash; TREE-015 has backslashes."""
    odd = [name for name in node.hierarchy.reader.packaging.odd_names if "\\" not in name]
    if odd:
        some = listed([json_text(name) for name in odd[:3]])
        more = " and more" if len(odd) > 3 else ""
        raised = sorted({_LISTED[part != ""] for part in _listed_parts(node, odd)})
        lost = not raised and _hides_nodes(node, odd)
        does = (
            "does not see the node" if lost else f"{', or '.join(raised)}, when it lists the group"
        )
        readers = dict.fromkeys(("zarr-python", "xarray"), does)
        yield Fail(
            "",
            f"names in this zip file cannot be keys of a store: {some}{more}; they have to be relative, with slashes, and no"
            " part of them may be empty, . or ..",
            impact=None if raised else "values" if lost else "convention",
            readers=readers if raised or lost else {},
            fix=lambda _node: Draft(
                "suggest",
                note="unzip it (unzip and 7-Zip repair such names), and zip it again from inside the folder",
            ),
        )


def _listed_parts(node: Node, names: Iterable[str]) -> Iterator[str]:
    """Yield the parts that readers meet when they list groups, which they do where no consolidated metadata tell what is there."""
    places = set()
    for name in names:
        parts = name.removesuffix("/").split("/")
        at = next(i for i, part in enumerate(parts) if part in _BAD_PARTS)
        places.add(("/" + "/".join(parts[:at]), parts[at]))
    if node.hierarchy.consolidated is None:
        for path, part in sorted(places):
            here = node if path == "/" else node.hierarchy.get(path)
            if here is not None and here.kind == "group":
                yield part


def _hides_nodes(node: Node, names: Iterable[str]) -> bool:
    """Whether one of the names would be the document of a node that is not in the store otherwise."""
    if node.hierarchy.consolidated is not None:
        return False
    keys = (normpath(name).lstrip("/").rpartition("/") for name in names)
    return any(
        document in _OF_NODES and node.hierarchy.get(f"/{path}") is None
        for path, _, document in keys
    )


@rule("TREE-020", on="root")
def targets_are_there(node: Node) -> Iterator[Fail]:
    """Fail on references to local files that are not there."""
    gone = node.hierarchy.reader.packaging.missing_targets
    if gone:
        which = "one file, which is" if len(gone) == 1 else f"{len(gone):,} files, which are"
        note = "put back what was moved, or make the references anew from where it is now"
        yield Fail(
            "",
            f"the references lead to {which} not there: {listed(gone[:3])}{' and more' if len(gone) > 3 else ''}",
            fix=lambda _node: Draft("suggest", note=note),
        )


@rule("TREE-017", on="root")
def missing_keys_are_told(node: Node) -> Iterator[Fail]:
    """Warn of a server that says "forbidden" where it should say that there is nothing."""
    denied = node.hierarchy.denied
    main = node.main_document
    if denied and main is not None and main.has_bytes:
        names = [document.name for document in denied]
        some = (
            listed(names[:3])
            if len(names) < 4
            else f"{', '.join(names[:2])} and {len(names) - 2} more"
        )
        yield Fail(
            "",
            f"access to {some} is denied; most likely nothing is there: a server that does not let its keys be listed"
            " denies access to what does not exist",
            fix=lambda _node: Draft(
                "suggest",
                note="allow listing (on S3 the permission s3:ListBucket): what does not exist is then answered by 404",
            ),
        )


@rule("TREE-011", on="root")
def folder_called_zip(node: Node) -> Iterator[Fail]:
    """Note a folder that is called like a zip file: who goes by the name cannot open it."""
    if node.hierarchy.reader.packaging.folder_called_zip:
        yield Fail(
            "",
            "this is a folder whose name ends in .zip: whoever goes by the name takes it for a zip file, and cannot open it",
            fix=lambda _node: Draft(
                "suggest",
                note="rename the folder, or write to zarr.storage.ZipStore to have a zip file",
            ),
        )


# --- files that do not belong there ---------------------------------------------------------------


@rule("TREE-012", on="members")
def left_behind_in_group(group: Group) -> Iterator[Fail | Undecided]:
    """Note files that a desktop has put into a group."""
    if group.hierarchy.metadata_source != "documents":
        yield Undecided("listing")
        return
    yield from _left_behind(group, group.other_names)


@rule("TREE-012", on="inside")
def left_behind_in_array(array: Array, inside: Inside) -> Iterator[Fail | Undecided]:
    """Note them beside chunks, too."""
    found = list(_left_behind(array, inside.other_names))
    if not found and not inside.complete:
        yield Undecided("listing")
    yield from found


def _left_behind(node: Node, names: Iterable[str]) -> Iterator[Fail]:
    found = [name for name in names if is_left_behind(name)]
    if not found:
        return
    one = len(found) == 1
    are, of, each = ("is a file", "belongs", "it") if one else ("are files", "belong", "each")
    it, parts = (
        ("it", "a group, an array or a chunk") if one else ("them", "groups, arrays or chunks")
    )
    some = listed(map(json_text, found))
    system = "macOS" if any(name[:1] in "._" for name in found) else "Windows"
    yield Fail(
        "",
        f"{some} in {node.path} {are} of {system} and {of} to no store: zarr-python warns of {each}, and programs"
        f" that go through the folder themselves take {it} for {parts}",
        fix=_sweep,
    )


def _sweep(node: Node) -> Draft:
    where = shell_command(node.hierarchy.source)
    files = (".DS_Store", "Thumbs.db", "desktop.ini")
    if node.hierarchy.reader.kind == "zip file":  # of which find sees nothing
        patterns = shell_command("*__MACOSX/*", "._*", "*/._*", *(f"*{name}" for name in files))
        command = f"zip -d {where} {patterns}"
    else:  # the folder that macOS adds to zip files goes as a whole
        names = " -o ".join(f"-iname {name}" for name in ("__MACOSX", *files))
        command = f"find {where} '(' -name '._*' -o {names} ')' -prune -exec rm -r {{}} +"
    return Draft("suggest", note=f"delete them: {command}")


# --- documents under other names ------------------------------------------------------------------


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
    yield from _with_backslash(array, inside.other_names)
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
