"""Nodes read from their documents, and what lies where there are none."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import cycle
from typing import TYPE_CHECKING

from nz_explorer.documents.document import Document
from nz_explorer.model.array import Array
from nz_explorer.model.group import Group
from nz_explorer.model.hierarchy.names import (
    V2_NAMES,
    V3_NAMES,
    is_below_document,
    is_document,
)
from nz_explorer.model.node import Node
from nz_explorer.model.node_of_documents import build_node
from nz_explorer.model.paths import below
from nz_explorer.store import Cancellation, ReadError
from nz_explorer.store.reader import Listing

if TYPE_CHECKING:
    from nz_explorer.model.hierarchy.hierarchy import Hierarchy

PROBE_DEPTH = 6
PROBE_FOLDERS = 100
"""How far a folder without documents is searched for nodes below it."""
PROBED_AT_ONCE = 64
"""Folders without documents that are searched in one batch."""

_CHUNK_NAME = re.compile(r"c(\.\d+)*|\d+(\.\d+)*")
_MOST_FOLDERS = 20
"""Folders named like chunks, where chunks are files, that are looked into."""


@dataclass(frozen=True, slots=True)
class Inside:
    """What lies in an array's folder.

    Attributes
    ----------
    nodes : list of str
        Paths of nodes, where none may be.
    chunk_names : tuple of str
        Names that look like chunks, or folders of chunks.
    other_names : tuple of str
        Names that are neither nodes nor look like chunks; those of documents are among them.
    complete : bool
        False where there are more names than were looked at.
    folders, files : frozenset of str
        Which of the names are folders and nothing else, and which are files, where the store shows it.
    """

    nodes: list[str]
    chunk_names: tuple[str, ...]
    other_names: tuple[str, ...]
    complete: bool
    folders: frozenset[str] = field(default=frozenset(), compare=False)
    files: frozenset[str] = field(default=frozenset(), compare=False)


def read_documents(
    hierarchy: Hierarchy, paths: Sequence[str], names: Sequence[str], cancel: Cancellation | None
) -> list[list[Document]]:
    """Read documents of the same names at several paths, in one batch.

    Parameters
    ----------
    hierarchy : Hierarchy
        Whose store is read.
    paths : sequence of str
        Paths of nodes, or of what may be one.
    names : sequence of str
        Names of documents, such as ``zarr.json``.
    cancel : Cancellation, optional
        Ends the reading early.

    Returns
    -------
    list of list of Document
        For each path one document for each name; a document that does not exist has no bytes, one
        that could not be read has an error.
    """
    keys = _keys(paths, names)
    return _documents(names, keys, hierarchy.reader.get_many(keys, cancel))


def _read_and_list(
    hierarchy: Hierarchy, paths: Sequence[str], names: Sequence[str], cancel: Cancellation | None
) -> tuple[list[list[Document]], list[Listing | ReadError]]:
    """Read documents of the same names at several paths, and list what is below, in one batch."""
    keys = _keys(paths, names)
    answers, listings = hierarchy.reader.get_and_list(
        keys, [path[1:] for path in paths], cancel, PROBE_FOLDERS
    )
    return _documents(names, keys, answers), listings


def read_nodes(
    hierarchy: Hierarchy,
    paths: Sequence[str],
    cancel: Cancellation | None,
    listed: dict[str, Listing | ReadError] | None = None,
) -> list[Node | None]:
    """Read the nodes at some paths; None where there are no documents.

    The documents of the hierarchy's own format are asked for first, those of the other one where
    there are none – but not below a name that is a document's.

    Parameters
    ----------
    hierarchy : Hierarchy
        Whose nodes they become; what it remembers stays as it is.
    paths : sequence of str
        Absolute, normalised paths.
    cancel : Cancellation, optional
        Ends the reading early.
    listed : dict, optional
        If given, paths without documents of the own format are listed in the same batch, and the listings are added to it.

    Returns
    -------
    list of Node or None
        For each path its node.
    """
    generation = hierarchy.generation
    own: tuple[str, ...] = (
        V3_NAMES if hierarchy.zarr_format == 3 else (*V2_NAMES, *hierarchy.side_names)
    )
    other: tuple[str, ...] = V2_NAMES if hierarchy.zarr_format == 3 else V3_NAMES
    if hierarchy.zarr_format is None:
        own, other = (*V3_NAMES, *V2_NAMES, *hierarchy.side_names), ()
    nodes = (
        _nodes_of_one_document(hierarchy, paths, cancel)
        if own == V3_NAMES
        else [
            build_node(hierarchy, path, documents)
            for path, documents in zip(
                paths, read_documents(hierarchy, paths, own, cancel), strict=True
            )
        ]
    )
    absent = (
        [i for i, node in enumerate(nodes) if node is None and not is_below_document(paths[i])]
        if None in nodes
        else []
    )
    if absent and other:
        unknown = [paths[i] for i in absent]
        if listed is None:
            again = read_documents(hierarchy, unknown, other, cancel)
        else:
            again, listings = _read_and_list(hierarchy, unknown, other, cancel)
            listed.update(zip(unknown, listings, strict=True))
        for i, documents in zip(absent, again, strict=True):
            nodes[i] = build_node(hierarchy, paths[i], documents)
    for node in nodes:
        if node is not None:
            node.generation = generation
    return nodes


def _nodes_of_one_document(
    hierarchy: Hierarchy, paths: Sequence[str], cancel: Cancellation | None
) -> list[Node | None]:
    """Read the nodes of Zarr v3 at some paths; most are like others, and made without a look at the whole document."""
    (name,) = V3_NAMES
    keys = _keys(paths, V3_NAMES)
    like = hierarchy.templates.like
    nodes = []
    for path, key, answer in zip(paths, keys, hierarchy.reader.get_many(keys, cancel), strict=True):
        node = None
        if type(answer) is bytes:
            node = like(path, document := Document(name, key, answer), answer)
            if node is None:
                node = build_node(hierarchy, path, (document,))
        elif answer is not None:
            node = build_node(hierarchy, path, _documents(V3_NAMES, (key,), (answer,))[0])
        nodes.append(node)
    return nodes


def holding_nodes(
    hierarchy: Hierarchy,
    held: Mapping[str, Sequence[str]],
    cancel: Cancellation | None,
    formats: set[int] | None = None,
) -> set[str]:
    """Return the paths somewhere below which there is a node.

    Parameters
    ----------
    hierarchy : Hierarchy
        The hierarchy.
    held : mapping
        The keys directly below each path, which has no documents itself; the first `PROBE_FOLDERS`
        are searched, `PROBE_DEPTH` levels deep.
    cancel : Cancellation or None
        Set where nobody waits for it any more.
    formats : set of int, optional
        If given, the Zarr formats of the nodes that were met are added to it.
    """
    holding: set[str] = set()
    level = [
        (path, key)
        for path, keys in held.items()
        for key in keys[:PROBE_FOLDERS]
        if _may_be_node(key)
    ]
    for _ in range(PROBE_DEPTH):
        if not level:
            break
        names = (*V3_NAMES, ".zgroup", ".zarray")
        # what lies below is asked for at once, also in vain: to wait for an answer is what takes long
        all_documents, listings = _read_and_list(
            hierarchy, [f"/{key}" for _, key in level], names, cancel
        )
        for (path, _), documents in zip(level, all_documents, strict=True):
            names_there = [document.name for document in documents if document.has_bytes]
            if names_there:
                holding.add(path)
            if formats is not None:
                formats.update(3 if name in V3_NAMES else 2 for name in names_there)
        next_level: dict[str, list[tuple[str, str]]] = {}
        for (path, key), listing in zip(level, listings, strict=True):
            if path not in holding and not isinstance(listing, ReadError):
                keys = next_level.setdefault(path, [])
                keys.extend((path, f"{key}/{name}") for name in listing.names if _may_be_node(name))
        level = [one for keys in next_level.values() for one in keys[:PROBE_FOLDERS]]
    return holding


def _may_be_node(key: str) -> bool:
    """Whether a key is that of no document, of which only ``zarr.json`` may be the name of a node."""
    name = key.rpartition("/")[2]
    return not is_document(name) or name in V3_NAMES


def nodes_without_documents(
    hierarchy: Hierarchy,
    paths: Sequence[str],
    cancel: Cancellation | None,
    listed: Mapping[str, Listing | ReadError] | None = None,
) -> dict[str, Node]:
    """Return the nodes at paths without documents: groups that only have nodes below them.

    A path that cannot be listed gets an unreadable node.

    Parameters
    ----------
    hierarchy : Hierarchy
        Whose nodes they become.
    paths : sequence of str
        Absolute, normalised paths that have no documents.
    cancel : Cancellation, optional
        Ends the search early.
    listed : mapping, optional
        Listings by path, as `read_nodes` collects them; those paths are not listed again.

    Returns
    -------
    dict of str to Node
        By path; paths with nothing below them are left out.
    """
    generation = hierarchy.generation
    found: dict[str, Node] = {}
    known = dict(listed or {})
    for begin in range(0, len(paths), PROBED_AT_ONCE):
        batch = paths[begin : begin + PROBED_AT_ONCE]
        held: dict[str, list[str]] = {}
        unlisted = [path for path in batch if path not in known]
        listings = hierarchy.reader.list_many(
            [path[1:] for path in unlisted], cancel, PROBE_FOLDERS
        )
        known.update(zip(unlisted, listings, strict=True))
        for path in batch:
            listing = known[path]
            if isinstance(listing, ReadError):
                problem = f"it could not be listed: {listing.detail}"
                found[path] = Node(hierarchy, path, (), state="unreadable", problem=problem)
            elif listing.names:
                held[path] = [f"{path[1:]}/{name}" for name in listing.names]
        for path in holding_nodes(hierarchy, held, cancel):
            problem = "there is no metadata document here, so readers do not see the nodes below"
            found[path] = Group(hierarchy, path, (), state="missing", problem=problem)
    for node in found.values():
        node.generation = generation
    return found


def inside_arrays(
    hierarchy: Hierarchy,
    arrays: Sequence[Array],
    limit: int = 2000,
    cancel: Cancellation | None = None,
) -> list[Inside | ReadError | None]:
    """Return what lies in the folders of arrays.

    Parameters
    ----------
    hierarchy : Hierarchy
        The hierarchy that they are in.
    arrays : sequence of Array
        The arrays to list.
    limit : int
        How many names to look at in each; arrays may have millions of chunks.
    cancel : Cancellation, optional
        Set where nobody waits for it any more.

    Returns
    -------
    list of Inside, ReadError or None
        For each array; None where the store cannot be listed.
    """
    if not hierarchy.reader.listable:
        return [None] * len(arrays)
    listings = hierarchy.reader.list_many([a.path.strip("/") for a in arrays], cancel, limit=limit)
    found: list[Inside | ReadError | None] = []
    # Most arrays hold nothing but their documents and chunks: those with one listing share what it means.
    shared: dict[int, Inside] = {}
    for array, listing in zip(arrays, listings, strict=True):
        if isinstance(listing, ReadError):
            found.append(listing)
            continue
        inside = shared.get(id(listing))
        if inside is None:
            inside, looked_below = _inside(hierarchy, array, listing, cancel)
            if not looked_below:
                shared[id(listing)] = inside
        found.append(inside)
    return found


def _inside(
    hierarchy: Hierarchy, array: Array, listing: Listing, cancel: Cancellation | None
) -> tuple[Inside, bool]:
    """Return what a listing of an array's folder means, and whether it was asked what lies below that very array."""
    chunks = tuple([name for name in listing.names if _CHUNK_NAME.fullmatch(name)])
    names = [name for name in listing.names if not _CHUNK_NAME.fullmatch(name)]
    stem = below(array.path)
    paths = [stem + name for name in names if not is_document(name) and "\\" not in name]
    if array.zarr_format == 2 and "c" in chunks:  # the folder of chunks in v3, and a usual name
        paths.append(stem + "c")
    if array.zarr_format == 2 and not _has_folders_of_chunks(array):
        # none of its chunks is a folder: what is one may be a node, whatever its name looks like
        folders = [name for name in chunks if name in listing.folders and name != "c"]
        paths += [stem + name for name in folders[:_MOST_FOLDERS]]
    nodes = list(_nodes_among(hierarchy, paths, listing.files, cancel))
    if nodes:
        known = {path[len(stem) :].partition("/")[0] for path in nodes}
        names = [name for name in names if name not in known]
        chunks = tuple([name for name in chunks if name not in known])
    inside = Inside(nodes, chunks, tuple(names), listing.complete, listing.folders, listing.files)
    return inside, bool(paths)


def _nodes_among(
    hierarchy: Hierarchy, paths: Sequence[str], files: Container[str], cancel: Cancellation | None
) -> Iterator[str]:
    """Yield the paths of nodes among some in an array; where there is none at one, what is below it is looked at, but for chunks."""
    for _ in range(PROBE_DEPTH):
        if not paths:
            return
        folders = []
        for path, node in zip(paths, read_nodes(hierarchy, paths, cancel), strict=True):
            if node is not None:
                yield path
            elif path.rpartition("/")[2] not in files:
                folders.append(path)
        folders = folders[:_MOST_FOLDERS]
        listings = hierarchy.reader.list_many([path[1:] for path in folders], cancel, PROBE_FOLDERS)
        paths = [
            f"{folder}/{name}"
            for folder, listing in zip(folders, listings, strict=True)
            if not isinstance(listing, ReadError)
            for name in listing.names
            if name not in listing.files
            and not _CHUNK_NAME.fullmatch(name)
            and not is_document(name)
            and "\\" not in name
        ][:PROBE_FOLDERS]
        files = ()


def _has_folders_of_chunks(array: Array) -> bool:
    """Whether the chunks of an array of Zarr v2 are in folders of their own."""
    return array.metadata.get("dimension_separator") == "/" and (array.ndim or 0) > 1


def in_other_format(hierarchy: Hierarchy, node: Node) -> Node | None:
    """Return a node as the documents of the other Zarr format describe it; None where there are none.

    Parameters
    ----------
    hierarchy : Hierarchy
        Whose store is read.
    node : Node
        A node read from documents of format 3, or of format 2.
    """
    names = V2_NAMES if node.zarr_format == 3 else V3_NAMES
    generation = hierarchy.generation
    other = build_node(hierarchy, node.path, read_documents(hierarchy, [node.path], names, None)[0])
    if other is not None:
        other.generation = generation
    return other


def _keys(paths: Sequence[str], names: Sequence[str]) -> list[str]:
    stems = [below(path)[1:] for path in paths]
    return [stem + name for stem in stems for name in names]


def _documents(
    names: Sequence[str], keys: Sequence[str], answers: Sequence[bytes | ReadError | None]
) -> list[list[Document]]:
    """Return documents by the paths that they were read at."""
    documents = [
        Document(name, key, None, error=answer.remembered())
        if isinstance(answer, ReadError)
        else Document(name, key, answer)
        for name, key, answer in zip(cycle(names), keys, answers, strict=False)
    ]
    return [documents[i : i + len(names)] for i in range(0, len(documents), len(names))]
