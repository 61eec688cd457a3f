"""TREE: the hierarchy as a whole, whatever its format."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from nz_explorer.conventions.zarr.documents import place
from nz_explorer.documents.json_text import json_text
from nz_explorer.engine.findings import Fail, Undecided
from nz_explorer.engine.fixes import Draft, add
from nz_explorer.engine.registry import rule
from nz_explorer.model import Array, Group, configuration_of
from nz_explorer.model.dialects import nczarr
from nz_explorer.model.hierarchy import OTHER_FORMATS, in_other_format, is_document
from nz_explorer.model.paths import below
from nz_explorer.store import ReadError
from nz_explorer.text.phrases import listed

if TYPE_CHECKING:
    from nz_explorer.documents import Document
    from nz_explorer.model import Inside, Node


_DAMAGED: Any = {
    "severity": "error",
    "impact": "blocks",
    "readers": {
        "zarr-python": "raises BadZipFile where a zip file is damaged",
        "xarray": "raises BadZipFile, such as for a bad magic number or CRC-32",
    },
    "fix": lambda _node: Draft("suggest", note="write it again from what it was made of"),
}
"""What is to be said of a document of which something else is stored."""


@rule("TREE-007", on="document", when=lambda _node, document: document.error is not None)
def unreadable(node: Node, document: Document) -> Iterator[Fail | Undecided]:
    """Note a document that the store did not hand over: nothing is known about it."""
    error = document.error
    if error is None:
        return
    yield Undecided(f"unreadable: {error.detail}")
    found = Fail(
        place(node, document), f"could not read {document.key}: {error.detail}", readers={}
    )
    if error.reason == "denied" and _is_consolidated(node, document):
        yield replace(found, message=f"{found.message}; {_THERE}", **_KEPT_FROM_READERS)
        return
    # a request that was refused may be granted the next time
    yield replace(found, **_DAMAGED) if error.reason == "corrupt" else found


_THERE = "the consolidated metadata list it, so it is there: readers that go by them may show the fill value for chunks that they are not given"
_KEPT_FROM_READERS: Any = {
    "severity": "warning",
    "impact": "values",
    "readers": {},
    "fix": lambda _node: Draft("suggest", note="allow reading it, or read with credentials"),
}


def _is_consolidated(node: Node, document: Document) -> bool:
    """Whether the consolidated metadata have a copy of a document."""
    consolidated = node.hierarchy.consolidated
    return consolidated is not None and consolidated.entry(node.path, document.name) is not None


_ARRAY_ALONE_IN_V2 = {
    "xarray": "raises GroupNotFoundError: it opens groups only, not an array at the root",
    "netCDF-C": "opens it as a dataset without variables",
}


@rule("TREE-008", on="root")
def root_is_array(node: Node) -> Iterator[Fail]:
    """Note a hierarchy that is a single array, and no group as well, of which Z2-GRP-003 tells."""
    if isinstance(node, Array) and node.document(".zgroup") is None:
        group = node.hierarchy.reader.packaging.group_above
        note = "put the array into a group, which also has room for what is declared for the whole dataset"
        if group:
            note = f"it is in a group: open {group}, and take the array by its name from there"
        yield Fail(
            node.pointer("node_type") if node.zarr_format == 3 else "",
            "the root is an array, not a group: programs that open groups fail, and there is no root group to declare conventions on",
            readers=_ARRAY_ALONE_IN_V2 if node.zarr_format == 2 else None,
            fix=lambda _node: Draft("suggest", note=note),
        )


_NO_ROOT = dict.fromkeys(("zarr-python", "xarray"), "raises GroupNotFoundError")
"""What readers in Python do, where it is not what the rule's entry says."""


def _has_no_document(group: Group) -> bool:
    return group.state == "missing" and group.hierarchy.metadata_source == "documents"


@rule("TREE-001", on="members")
def root_document(group: Group) -> Iterator[Fail]:
    """Fail where there is no metadata document at the root."""
    if _has_no_document(group) and group.path == "/" and group.hierarchy.consolidated is None:
        names = [child.path.lstrip("/") for child in group.children or ()]
        top = group.hierarchy.reader.packaging.top_folder
        inside = f", in whose top folder {json_text(top)} everything is" if top else ""
        yield Fail(
            "",
            f"no Zarr hierarchy at {group.hierarchy.source}{inside} (looked for zarr.json, .zgroup, .zarray and .zmetadata);"
            f" there are nodes below it: {listed(names)}",
            related=tuple(f"/{name}" for name in names),
            readers=_without_root(group),
            fix=_create_root,
        )


def _without_root(group: Group) -> dict[str, str] | None:
    """Return what readers do where netCDF-C noted more: of a root without .zgroup it does not look at the dimensions."""
    if not nczarr.counts(group.hierarchy) or not nczarr.is_read(group, "superblock"):
        return None
    notes = nczarr.group_notes(group)
    if any(not nczarr.is_read(array, "array") for array in group.arrays):
        return _NO_ROOT | {"netCDF-C": "refuses the dataset: NCZarr error"}
    if notes is not None and notes.dimensions:
        return _NO_ROOT | {"netCDF-C": "crashes the process (4.10)"}
    return None  # it opens that


@rule("TREE-002", on="members")
def group_document(group: Group) -> Iterator[Fail]:
    """Fail on a group without a document: readers turn back here."""
    if _has_no_document(group) and (group.path != "/" or group.hierarchy.consolidated is not None):
        children = group.children or []
        what = "the node" if len(children) == 1 else f"the {len(children)} nodes"
        hidden = f"{what} in it ({listed(child.name for child in children)})" if children else "it"
        needed = _is_needed(group)
        nothing = "; as the consolidated metadata list what is in it, and not itself, zarr-python opens nothing at all"
        yield Fail(
            "",
            f"{group.path} has no metadata document: readers do not see {hidden}{nothing if needed else ''}",
            related=tuple(child.path for child in children),
            # zarr-python looks for the documents of the root before it opens the consolidated metadata
            impact="blocks" if group.path == "/" or needed else None,
            readers=_NO_ROOT if group.path == "/" else NO_ENTRY if needed else _not_shown(group),
            # On a disk a node of the document's name (Z3-NAME-003) leaves no room for the document.
            fix=None if any(child.name == "zarr.json" for child in children) else _create_group,
        )


NO_ENTRY = dict.fromkeys(
    ("zarr-python", "xarray"),
    "raises GroupNotFoundError for the root, unless told not to use consolidated metadata",
)


def _not_shown(group: Group) -> dict[str, str] | None:
    """Return what readers do without the document of a group, where it is not what the rule's entry says: netCDF-C reads v2."""
    hierarchy = group.hierarchy
    if hierarchy.zarr_format != 2 or nczarr.is_marked(hierarchy.root):
        return None
    not_shown = "does not show the subtree"
    return {
        "zarr-python": "skips the subtree with a warning",
        "xarray": not_shown,
        "netCDF-C": not_shown,
    }


def _is_needed(group: Group) -> bool:
    """Whether zarr-python looks for the group in .zmetadata, which have nodes in it, in vain."""
    consolidated = group.hierarchy.consolidated
    return (
        consolidated is not None
        and consolidated.zarr_format == 2
        and group.path != "/"
        and consolidated.entry(group.path, ".zgroup") is None
        and bool(consolidated.child_names(group.path))
    )


def _create_root(node: Node) -> Draft:
    draft = _create_group(node)
    note = draft.note or "or open the nodes below one by one"
    if node.hierarchy.reader.packaging.top_folder:  # TREE-009
        note = f"then zip it again from inside the folder, as readers look for the root at the top; {note}"
    return replace(draft, safety="suggest", note=note)


def _create_group(node: Node) -> Draft:
    zarr_format = node.hierarchy.zarr_format or next(
        (child.zarr_format for child in getattr(node, "children", None) or () if child.zarr_format),
        3,
    )
    if zarr_format == 2 and ".zgroup" in getattr(node, "other_names", ()):  # TREE-013
        return Draft("suggest", note="put a document in place of the folder .zgroup")
    if zarr_format == 2:
        return _created(node, ".zgroup", {"zarr_format": 2})
    document = {"zarr_format": 3, "node_type": "group"}
    consolidated = node.hierarchy.consolidated
    copied = None if consolidated is None else consolidated.entry(node.path)
    if node.path != "/" and isinstance(copied, dict) and copied.items() >= document.items():
        # what readers of consolidated metadata see of it already, such as its attributes
        document = {key: value for key, value in copied.items() if key != "consolidated_metadata"}
    return _created(node, "zarr.json", document)


def _created(node: Node, name: str, document: dict[str, Any]) -> Draft:
    """Return the draft of a new document, with the consolidated copies without which it and what is in it stay hidden."""
    consolidated = node.hierarchy.consolidated
    copies: tuple[Draft, ...] = ()
    same = consolidated is not None and consolidated.zarr_format == (2 if name == ".zgroup" else 3)
    if consolidated is not None and same:
        there = [(node.path, name, document)]
        there += [
            (child.path, one.name, _without_copies(one.value))
            for child in getattr(node, "children", None) or ()
            for one in child.documents
            if one.name in _COPIED[consolidated.zarr_format] and isinstance(one.value, dict)
        ]
        entries = tuple(
            add(consolidated.pointer(path, called), value)
            for path, called, value in there
            if consolidated.entry(path, called) is None
        )
        copies = (Draft("safe", entries, document=consolidated.holder.key),) if entries else ()
    key = below(node.path)[1:] + name
    return Draft("safe", (add("", document),), document=key, also=copies)


_COPIED = {2: (".zarray", ".zgroup", ".zattrs"), 3: ("zarr.json",)}
"""The documents that consolidated metadata hold copies of, by the version of Zarr."""


def _without_copies(document: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in document.items() if name != "consolidated_metadata"}


@rule("TREE-003", on="inside")
def node_inside_array(array: Array, inside: Inside) -> Iterator[Fail | Undecided]:
    """Fail on documents below an array, where only chunks may be."""
    if not inside.nodes and not inside.complete:
        yield Undecided("listing")
    for path in inside.nodes:
        yield inside_of(array, path)


def inside_of(array: Array, path: str) -> Fail:
    """Return that a node is below an array.

    Parameters
    ----------
    array : Array
        The array.
    path : str
        Path of the node.
    """
    is_group = array.document(".zgroup") is not None  # Z2-GRP-003
    seen = "which some readers take for a group" if is_group else "where no reader looks for nodes"
    return Fail(
        "",
        f"{path} is inside the array {array.path}, {seen}",
        related=(array.path,),
        path=path,
        rule="TREE-003",
        fix=lambda _node: Draft("suggest", note="move it next to the array"),
    )


_SEEN_BY_NONE = {
    "zarr-python": "does not list the node",
    "xarray": "does not show the node",
    "netCDF-C": "does not show the node",
}
"""Of Zarr v3 below v2, which netCDF-C reads."""


_OF_V3_DOCUMENTS = ("Z3-DOC-001", "Z3-DOC-002", "Z3-DOC-003", "Z3-DOC-004", "Z3-DOC-007")
"""What members a document of Zarr v3 has."""


@rule("TREE-005", on="node")
def one_format(node: Node) -> Iterator[Fail]:
    """Fail on a node of another version than the root: readers that follow the root do not see it."""
    root, own = node.hierarchy.zarr_format, node.zarr_format
    if own is None or root is None or own == root:
        return
    renamed = _is_v2_under_another_name(node)
    if renamed and node.is_root and isinstance(node, Group):
        yield Fail(
            "",
            f"{renamed.key} has zarr_format 2: Zarr v2 has the metadata of a group in .zgroup; zarr-python goes by the number, and opens it all the same",
            impact="convention",
            readers={},
            covers=_OF_V3_DOCUMENTS,
            fix=lambda _node: Draft("suggest", note="rename zarr.json to .zgroup"),
        )
        return
    yield Fail(
        "",
        f"{renamed.key} has zarr_format 2: readers look for metadata of Zarr v2 in {_home(node)}, and see no node there"
        if renamed
        else f"this node is Zarr v{own} in a Zarr v{root} hierarchy",
        readers=_SEEN_BY_NONE if own == 3 else None,
        hidden_from=tuple(_SEEN_BY_NONE) if own == 3 else ("zarr-python", "xarray"),
        # what is a document of Zarr v2 lacks all that v3 has
        covers=_OF_V3_DOCUMENTS if renamed else (),
        fix=lambda node: Draft(
            "suggest",
            note=f"rename zarr.json to {_home(node)}"
            if _is_v2_under_another_name(node)
            else f"convert it to Zarr v{root}",
        ),
    )


def _is_v2_under_another_name(node: Node) -> Document | None:
    """Return the zarr.json of a node in which there are metadata of Zarr v2."""
    document = node.main_document
    if document is None or node.zarr_format != 3 or node.hierarchy.zarr_format != 2:
        return None
    given = node.metadata.get("zarr_format")
    return document if type(given) is int and given == 2 else None


def _home(node: Node) -> str:
    """Return where Zarr v2 has the metadata of a node."""
    return ".zarray" if "shape" in node.metadata else ".zgroup"


# --- documents of both formats, and keys of neither -----------------------------------------------

DOCUMENTS_V2 = frozenset({".zgroup", ".zarray", ".zattrs"})
MOST_COMPARED = 20
"""Nodes of a group that are looked for in the other format."""
RESERVED = "__"
"""How the names begin that Zarr keeps for extensions."""


def _is_seen_from_store(node: Node) -> bool:
    """Whether the node was found in a listing, not in consolidated metadata."""
    return node.hierarchy.metadata_source == "documents"


@rule("TREE-004", on="members")
def group_in_one_format(group: Group) -> Iterator[Fail | Undecided]:
    """Warn of a group with documents of both formats."""
    if _is_seen_from_store(group):
        yield from _in_both_formats(group, group.other_names)
    else:
        yield Undecided("listing")


@rule("TREE-004", on="inside")
def array_in_one_format(array: Array, inside: Inside) -> Iterator[Fail | Undecided]:
    """Warn of an array, too."""
    found = list(_in_both_formats(array, inside.other_names))
    if not found and not inside.complete:
        yield Undecided("listing")
    yield from found


def _in_both_formats(node: Node, names: tuple[str, ...]) -> Iterator[Fail | Undecided]:
    old = sorted(DOCUMENTS_V2.intersection(names))
    if not old or "zarr.json" not in names or _is_v2_under_another_name(node):  # TREE-005
        return
    try:
        other = in_other_format(node.hierarchy, node)
    except ReadError as error:
        yield Undecided(f"unreadable: {error.detail}")
        return
    apart = "the rest is not known" if other is None else _apart(node, other)
    said = (
        "see the same"
        if apart is None
        else f"see different things: {apart}; zarr-python uses zarr.json"
    )
    yield Fail(
        "",
        f"{node.path} is described in both formats, by zarr.json and {listed(old)}: readers of either {said}",
        severity="info" if apart is None else None,
        readers={} if apart is None else None,
        fix=lambda _node: Draft("suggest", note=_keep_one(node.path, old)),
    )


def _keep_one(path: str, old: list[str]) -> str:
    of_v2 = listed(below(path)[1:] + name for name in old)
    return (
        f"delete {of_v2} to keep what v3 says, or {below(path)[1:]}zarr.json to keep what v2 says;"
        " the same for what is below, and first move what only the other has"
    )


def _apart(node: Node, other: Node) -> str | None:
    """Return in what the descriptions of a node in both formats differ; None where they say the same."""
    names = (
        "kind",
        "attributes",
        "shape",
        "data type",
        "names of dimensions",
        "chunk shape",
        "fill value",
    )
    differ = [n for n, a, b in zip(names, _means(node), _means(other), strict=False) if a != b]
    if not differ and isinstance(node, Group):
        return _apart_below(node)
    if not differ and isinstance(node, Array) and isinstance(other, Array):
        keys = [_first_key(array) for array in (node, other)]
        if keys[0] != keys[1] and node.shape != ():
            return f"their chunks have other keys, {keys[0]} and {keys[1]}"
    return None if not differ else f"not the same {listed(differ)}"


def _apart_below(group: Group) -> str | None:
    """Return which nodes of a group only readers of one format see; None where there is none among the first ones."""
    alone: dict[int, list[str]] = {2: [], 3: []}
    for child in (group.children or ())[:MOST_COMPARED]:
        if child.zarr_format == 2 or (
            child.zarr_format == 3 and in_other_format(group.hierarchy, child) is None
        ):
            alone[child.zarr_format].append(child.path)
    found = [f"in v{version} alone: {listed(paths)}" for version, paths in alone.items() if paths]
    return ", ".join(found) or None


def _first_key(array: Array) -> str:
    """Return the key of the first chunk below an array."""
    rank = array.ndim or 0
    if array.zarr_format == 2:
        return str(array.metadata.get("dimension_separator", ".")).join("0" * max(rank, 1))
    encoding = array.metadata.get("chunk_key_encoding")
    name = encoding.get("name") if isinstance(encoding, dict) else encoding
    given = configuration_of(encoding).get("separator")
    if name == "v2":
        return str(given or ".").join("0" * max(rank, 1))
    return str(given or "/").join(["c", *"0" * rank])


def _means(node: Node) -> tuple[Any, ...]:
    """Return the metadata that both formats have."""
    attributes = {k: v for k, v in node.attributes.items() if k != "_ARRAY_DIMENSIONS"}
    if not isinstance(node, Array):
        return node.kind, attributes
    fill = node.storage_fill
    return (
        node.kind,
        attributes,
        node.shape,
        node.data_type.name,
        node.dimension_names or None,
        node.grid_shape,
        None if fill is None else str(fill.value),
    )


@rule("TREE-004", on="members")
def described_in_no_other_format(group: Group) -> Iterator[Fail]:
    """Note metadata of formats other than Zarr, where there is a listing that shows them."""
    for name in group.other_names if _is_seen_from_store(group) else ():
        if name in OTHER_FORMATS:
            yield Fail(
                "",
                f"{below(group.path)[1:]}{name} describes the same folder in {OTHER_FORMATS[name]}: programs that know both formats,"
                " such as Neuroglancer, may take it for one of that",
                severity="info",
                readers={},
                fix=lambda _node: Draft(
                    "suggest",
                    note="take the file away, or name the format in the address, as in …|zarr2:",
                ),
            )


@rule("TREE-006", on="members")
def keys_of_group(group: Group) -> Iterator[Fail | Undecided]:
    """Note keys in a group that no reader of Zarr looks for."""
    if _is_seen_from_store(group):
        yield from _strays(group, group.other_names)
    else:
        yield Undecided("listing")


@rule("TREE-006", on="inside")
def keys_of_array(array: Array, inside: Inside) -> Iterator[Fail | Undecided]:
    """Note them beside the chunks of an array, too."""
    if not inside.complete:
        yield Undecided("listing")
    yield from _strays(array, inside.other_names)


def _strays(node: Node, names: tuple[str, ...]) -> Iterator[Fail]:
    stem = below(node.path)[1:]
    for name in names:
        if not is_document(name) and not name.startswith(RESERVED):
            yield Fail("", f"{stem}{name} is not part of the hierarchy")
