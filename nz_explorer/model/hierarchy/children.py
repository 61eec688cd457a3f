"""The nodes directly in groups, from the stored documents or the consolidated metadata."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from nz_explorer.documents.json_text import json_text
from nz_explorer.model.dialects import multiscales, nczarr
from nz_explorer.model.group import Group
from nz_explorer.model.hierarchy.names import is_below_document, is_document
from nz_explorer.model.hierarchy.node_reader import nodes_without_documents, read_nodes
from nz_explorer.model.node import Node
from nz_explorer.model.node_of_documents import build_node
from nz_explorer.model.paths import below
from nz_explorer.store import Cancellation, ReadError
from nz_explorer.store.reader import Listing, is_safe

if TYPE_CHECKING:
    from nz_explorer.model.consolidated import Consolidated
    from nz_explorer.model.hierarchy.hierarchy import Hierarchy

MAX_DEPTH = 256
"""Levels of groups; a symbolic link to a folder above would otherwise never end."""
DECODED_AT_ONCE = 10_000
"""Nodes of a group whose documents stay decoded when it is read; those of the others are decoded when asked for."""
READ_AT_ONCE = 64
"""Nodes whose documents are read at once from a disk, where nothing is waited for: the memory, and the processor's cache, that
the long ones take are those of the ones before. 10,000 of 56 kB take 0.3 s, a thousand at a time 0.55 s."""
MADE_AT_ONCE = 1000
"""Nodes that are made before it is asked again whether someone has cancelled."""


@dataclass(slots=True)
class Listed:
    """The names in a group, some of which may be nodes."""

    names: tuple[str, ...] = ()
    problem: str | None = None
    unlisted: bool = False
    other_names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Loaded:
    """The nodes of a group that were read.

    Attributes
    ----------
    group : Group
        The group.
    listed : Listed
        The names in it.
    children : list of Node
        Its nodes.
    generation : int
        The generation since which they were read.
    """

    group: Group
    listed: Listed
    children: list[Node]
    generation: int


def load(
    hierarchy: Hierarchy, groups: Sequence[Group], cancel: Cancellation | None
) -> Iterator[Loaded]:
    """Yield the nodes of groups, which the hierarchy does not have yet.

    Parameters
    ----------
    hierarchy : Hierarchy
        Whose groups they are.
    groups : sequence of Group
        The groups; the stored documents of all their nodes are read in few batches.
    cancel : Cancellation or None
        Stops it.
    """
    if hierarchy.metadata_source == "consolidated":
        for group in groups:
            yield from _load_consolidated(hierarchy, group, cancel)
    else:
        yield from _load_stored(hierarchy, groups, cancel)


def _load_consolidated(
    hierarchy: Hierarchy, group: Group, cancel: Cancellation | None
) -> Iterator[Loaded]:
    consolidated = hierarchy.consolidated
    if consolidated is None:
        return
    names = consolidated.child_names(group.path)
    generation = hierarchy.root.generation
    nodes: list[Node] = []
    stem = below(group.path)
    like, only_document = hierarchy.templates.like, consolidated.only_document
    for number, name in enumerate(names):
        if cancel is not None and number % MADE_AT_ONCE == 0:
            cancel.check()
        path = stem + name
        only = only_document(path)
        node = None if only is None else like(path, *only)
        if node is None:
            node = _node_of_entry(hierarchy, consolidated, path)
        node.generation = generation
        if number >= DECODED_AT_ONCE:
            node.release()
        nodes.append(node)
    yield Loaded(group, Listed(), nodes, generation)


def _node_of_entry(hierarchy: Hierarchy, consolidated: Consolidated, path: str) -> Node:
    """Return the node of a consolidated entry, or of a group that is named only by entries below it."""
    node = build_node(hierarchy, path, consolidated.documents(path))
    if node is not None:
        return node
    holds = bool(consolidated.child_names(path))
    return (Group if holds else Node)(
        hierarchy,
        path,
        consolidated.documents(path),
        state="missing",
        problem="the consolidated metadata has no entry for this group, only for nodes below it"
        if holds
        else "its consolidated entry describes no node",
    )


def made_again(hierarchy: Hierarchy, path: str) -> Node | None:
    """Return the node of a consolidated entry anew, after a walk has let go of it; None where there is no entry.

    Parameters
    ----------
    hierarchy : Hierarchy
        Whose node it is.
    path : str
        Its path.
    """
    consolidated = hierarchy.consolidated
    if consolidated is None or path not in consolidated:
        return None
    node = _node_of_entry(hierarchy, consolidated, path)
    node.generation = hierarchy.root.generation
    return node


def _load_stored(
    hierarchy: Hierarchy, groups: Sequence[Group], cancel: Cancellation | None
) -> Iterator[Loaded]:
    generation = hierarchy.generation
    listed = _list(hierarchy, groups, cancel)
    paths: list[str] = []
    ends: list[int] = []
    for group, one in zip(groups, listed, strict=True):
        stem = below(group.path)
        paths += [stem + name for name in one.names]
        ends.append(len(paths))
    # On a disk most names that are no nodes are known by their listing, and asking costs next to nothing.
    seen: dict[str, Listing | ReadError] | None = (
        {} if hierarchy.reader.listable and not hierarchy.reader.local else None
    )
    nodes: list[Node | None] = []
    local = hierarchy.reader.local
    at_once = min(READ_AT_ONCE, DECODED_AT_ONCE) if local else DECODED_AT_ONCE
    for begin in range(0, len(paths), at_once):
        some = read_nodes(hierarchy, paths[begin : begin + at_once], cancel, seen)
        for read in filter(None, some):
            if begin >= DECODED_AT_ONCE or read.is_long:
                read.release()
        nodes += some
    others: dict[str, Node] = {}
    if None in nodes and hierarchy.reader.listable:
        absent = [
            path
            for path, node in zip(paths, nodes, strict=True)
            if node is None and not is_below_document(path)
        ]
        others = nodes_without_documents(hierarchy, absent, cancel, seen)
    begin = 0
    for group, one, end in zip(groups, listed, ends, strict=True):
        children = [
            child
            for path, node in zip(paths[begin:end], nodes[begin:end], strict=True)
            if (child := node or others.get(path)) is not None
        ]
        if len(children) < end - begin and hierarchy.reader.listable:
            known = {child.path for child in children}
            one.other_names += tuple(
                path.rpartition("/")[2]
                for path in paths[begin:end]
                if path not in known and not is_below_document(path)
            )
        begin = end
        yield Loaded(group, one, children, generation)


def _list(
    hierarchy: Hierarchy, groups: Sequence[Group], cancel: Cancellation | None
) -> list[Listed]:
    """Return the names that may be nodes, for each group."""
    if not hierarchy.reader.listable:
        return [_named(hierarchy, group) for group in groups]
    listings = hierarchy.reader.list_many([group.path.strip("/") for group in groups], cancel)
    return [
        _sorted_out(hierarchy, group, listing)
        for group, listing in zip(groups, listings, strict=True)
    ]


def _sorted_out(hierarchy: Hierarchy, group: Group, listing: Listing | ReadError) -> Listed:
    """Separate the names that may be nodes from others."""
    if isinstance(listing, ReadError):
        problem = f"its nodes could not be listed: {listing.detail}"
        return Listed(problem=problem, unlisted=True)
    if group.path.count("/") >= MAX_DEPTH:
        problem = f"nodes more than {MAX_DEPTH} levels deep are not read"
        return Listed(problem=problem, unlisted=True)
    names = listing.names
    documents = tuple([name for name in names if is_document(name)])
    together = "/".join(names)
    unsafe = (
        []
        if together.count("/") < len(names) and is_safe(together)  # as nearly always
        else [name for name in names if not is_safe(name) or "/" in name]
    )
    odd = [name for name in unsafe if "\\" in name]
    unsafe_names = _not_read(odd) if odd else None
    # A file has nothing below it, so there can be no node at its name.
    taken = {*documents, *unsafe}
    files = listing.files - taken
    strays = [name for name in names if name in files] if files else []
    others = (*documents, *unsafe, *strays)
    if not others:
        return Listed(names)
    known = set(others)
    nodes = [name for name in names if name not in known]
    if "zarr.json" in documents and _may_nest(hierarchy, group):
        nodes.append("zarr.json")
    return Listed(tuple(nodes), unsafe_names, bool(odd), others)


def _may_nest(hierarchy: Hierarchy, group: Group) -> bool:
    """Whether there can be a node called zarr.json in a group: not where that is a file on a disk."""
    return hierarchy.zarr_format == 3 and (
        hierarchy.reader.kind != "folder" or group.state == "missing"
    )


def _named(hierarchy: Hierarchy, group: Group) -> Listed:
    """Return the names of nodes in a group of a store that cannot be listed, as far as anything names them."""
    cannot = f"a store over {hierarchy.reader.kind} cannot be listed"
    if hierarchy.consolidated is not None:
        return Listed(hierarchy.consolidated.child_names(group.path), cannot)
    notes = nczarr.group_notes(group)
    noted = None if notes is None else notes.children
    named = tuple(sorted(filter(is_safe, multiscales.named_children(group))))
    if noted is None and named and group.path.count("/") < MAX_DEPTH:
        return Listed(named, f"{cannot}: shown are the nodes that the metadata of images name")
    if noted is None:
        return Listed(
            problem=f"{cannot} and this one has no consolidated metadata: its nodes can be opened by path only"
        )
    if group.path.count("/") >= MAX_DEPTH:
        return Listed(problem=f"nodes more than {MAX_DEPTH} levels deep are not read")
    return Listed(tuple(sorted(noted)), f"{cannot}: shown are the nodes that netCDF-C noted")


def _not_read(names: list[str]) -> str:
    others = f" (and {len(names) - 1} more)" if len(names) > 1 else ""
    return f"{json_text(names[0])}{others} is not read: a backslash in a name may lead out of the store"
