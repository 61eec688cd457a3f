"""A hierarchy, read as far as someone has looked.

Opening reads the documents of the root, expanding a group lists it and reads its children. Where the
root has consolidated metadata the nodes come from there (NZ-1.0, Consolidated Metadata: readers prefer
it), and `Hierarchy.stored` is the same store seen through the stored documents.
"""

from __future__ import annotations

import copy
import re
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle
from typing import Any, Literal

from nz_explorer.model import nczarr
from nz_explorer.model.consolidated import Consolidated, find
from nz_explorer.model.document import Document
from nz_explorer.model.json_text import json_text
from nz_explorer.model.node import Array, Group, Node, build_node
from nz_explorer.model.paths import above, below
from nz_explorer.store import Cancellation, Reader, ReadError, SourceError, resolve
from nz_explorer.store.reader import Listing, is_safe

V3_NAMES = ("zarr.json",)
V2_NAMES = (".zarray", ".zgroup", ".zattrs")
NCZARR_NAMES = (".nczarray", ".nczgroup", ".nczattrs", ".nczvar", ".nczattr")
ROOT_NAMES = (*V3_NAMES, *V2_NAMES, ".zmetadata", ".nczarr", ".nczgroup")

MAX_DEPTH = 256
"""Levels of groups; a symbolic link to a folder above would otherwise never end."""
PROBE_DEPTH = 6
PROBE_FOLDERS = 100
"""How far a folder without documents is searched for nodes below it."""
LOCAL_BATCH = 64
REMOTE_BATCH = 2048

_CHUNK_NAME = re.compile(r"c(\.\d+)*|\d+(\.\d+)*")


class NodeNotFound(KeyError):
    """There is no node at a path, or none can be there."""

    def __init__(self, path: str, why: str | None = None) -> None:
        super().__init__(path)
        self.path = path
        self.why = why

    def __str__(self) -> str:
        return f"there is no node at {self.path}" + (f": {self.why}" if self.why else "")


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
    """

    nodes: list[str]
    chunk_names: tuple[str, ...]
    other_names: tuple[str, ...]
    complete: bool


def normalise(path: str) -> str:
    """Return a path with one leading slash and no trailing one (Zarr v2, Logical storage paths).

    Raises
    ------
    NodeNotFound
        If a part of it is ``.`` or ``..``, which no store may follow.
    """
    parts = [part for part in path.replace("\\", "/").split("/") if part]
    for part in parts:
        if part in (".", ".."):
            raise NodeNotFound(path, f"a path cannot contain {part!r}")
    return "/" + "/".join(parts)


def _why_not_read(names: list[str]) -> str:
    others = f" (and {len(names) - 1} more)" if len(names) > 1 else ""
    return f"{json_text(names[0])}{others} is not read: a backslash in a name may lead out of the store"


class Hierarchy:
    """The nodes of a store.

    Parameters
    ----------
    reader : Reader
        Where the bytes come from.
    use_consolidated : bool
        Whether to take nodes from consolidated metadata where there is some.
    documents : dict of str to Document, optional
        The documents of the root by name, where they have been read already.

    Raises
    ------
    SourceError
        If there is no Zarr hierarchy, or its root cannot be read.
    """

    def __init__(
        self,
        reader: Reader,
        *,
        use_consolidated: bool = True,
        mode: Literal["r", "r+"] = "r",
        cancel: Cancellation | None = None,
        documents: dict[str, Document] | None = None,
    ) -> None:
        self.reader = reader
        self.source = reader.label
        self.mode = mode
        self._lock = threading.RLock()
        self._nodes: dict[str, Node] = {}
        self._loading: dict[str, threading.Lock] = {}
        self.models: dict[bytes, Node] = {}
        """Nodes by what their documents say apart from attributes; others are made like them."""
        self.texts: dict[bytes, Node] = {}
        """Nodes by their documents; those with an equal one need not be decoded."""
        self._stored: Hierarchy | None = None
        self._use_consolidated = use_consolidated
        self._read_root(cancel, documents)

    # --- the root ---------------------------------------------------------------------------

    def _read_root(
        self,
        cancel: Cancellation | None,
        documents: dict[str, Document] | None = None,
        consolidated: Consolidated | None = None,
    ) -> dict[str, Document]:
        """Read the root, unless its documents are given; return them."""
        if documents is None:
            documents = {d.name: d for d in self._read_documents(["/"], ROOT_NAMES, cancel)[0]}
        self._root_documents = documents
        side = documents[".nczarr"].has_bytes or documents[".nczgroup"].has_bytes
        self.side_names = NCZARR_NAMES if side else ()
        """Side documents that netCDF-C 4.8.0 wrote, to be read where it did."""
        found = find(documents, consolidated)
        self.consolidated: Consolidated | None = found
        """The consolidated metadata, whether it is used or not."""
        self.metadata_source: Literal["documents", "consolidated"] = (
            "consolidated" if found is not None and self._use_consolidated else "documents"
        )
        if unread := [name for name in self.side_names if name not in documents]:
            documents.update((d.name, d) for d in self._read_documents(["/"], unread, cancel)[0])
        root = build_node(self, "/", documents.values())
        if root is None:
            root = self._root_without_document(documents, cancel)
        self.root = root
        self.zarr_format = root.zarr_format or (found.zarr_format if found is not None else None)
        self._nodes["/"] = root
        return documents

    def _root_without_document(
        self, documents: dict[str, Document], cancel: Cancellation | None
    ) -> Node:
        side = tuple(d for d in documents.values() if d.has_bytes)
        if self.consolidated is not None:
            return Group(
                self,
                "/",
                side,
                state="missing",
                problem="the root has no document beside its consolidated metadata",
            )
        listing: Any = self.reader.list_many([""], cancel)[0] if self.reader.listable else None
        names = () if listing is None or isinstance(listing, ReadError) else listing.names
        if names and self._holding({"/": names}, cancel):
            return Group(
                self,
                "/",
                side,
                state="missing",
                problem="the root has no metadata document, though there are nodes below it",
            )
        where = self.source
        if isinstance(listing, ReadError):
            raise SourceError(f"{where} could not be read: {listing.detail}")
        looked = "zarr.json, .zgroup, .zarray and .zmetadata"
        if self.reader.listable and not names:
            raise SourceError(f"{where} is empty: there is no Zarr hierarchy (looked for {looked})")
        raise SourceError(f"there is no Zarr hierarchy at {where} (looked for {looked})")

    # --- reading ----------------------------------------------------------------------------

    def _read_documents(
        self, paths: Sequence[str], names: Sequence[str], cancel: Cancellation | None
    ) -> list[list[Document]]:
        """Read documents of the same names at several paths, in one batch."""
        keys = _keys(paths, names)
        return _documents(names, keys, self.reader.get_many(keys, cancel))

    def _look_into(
        self, paths: Sequence[str], names: Sequence[str], cancel: Cancellation | None
    ) -> tuple[list[list[Document]], list[Listing | ReadError]]:
        """Read documents of the same names at several paths, and list what is below, in one batch."""
        keys = _keys(paths, names)
        answers, listings = self.reader.look_many(
            keys, [path[1:] for path in paths], cancel, PROBE_FOLDERS
        )
        return _documents(names, keys, answers), listings

    def _read_nodes(
        self,
        paths: Sequence[str],
        cancel: Cancellation | None,
        listed: dict[str, Listing | ReadError] | None = None,
    ) -> list[Node | None]:
        """Read the nodes at some paths; None where there are no documents.

        The documents of the hierarchy's own format are asked for first, those of the other one where
        there are none – but not below a name that is a document's. With them is asked what lies there,
        if `listed` is given; that is where it is noted.
        """
        own: tuple[str, ...] = V3_NAMES if self.zarr_format == 3 else (*V2_NAMES, *self.side_names)
        other: tuple[str, ...] = V2_NAMES if self.zarr_format == 3 else V3_NAMES
        if self.zarr_format is None:
            own, other = (*V3_NAMES, *V2_NAMES, *self.side_names), ()
        nodes = [
            build_node(self, path, documents)
            for path, documents in zip(paths, self._read_documents(paths, own, cancel), strict=True)
        ]
        absent = [
            i for i, node in enumerate(nodes) if node is None and not _is_below_document(paths[i])
        ]
        if absent and other:
            unknown = [paths[i] for i in absent]
            if listed is None:
                again = self._read_documents(unknown, other, cancel)
            else:
                again, listings = self._look_into(unknown, other, cancel)
                listed.update(zip(unknown, listings, strict=True))
            for i, documents in zip(absent, again, strict=True):
                nodes[i] = build_node(self, paths[i], documents)
        return nodes

    def _holding(self, held: Mapping[str, Sequence[str]], cancel: Cancellation | None) -> set[str]:
        """Return the paths somewhere below which there is a node.

        Parameters
        ----------
        held : mapping
            The keys directly below each path, which has no documents itself.
        """
        holding: set[str] = set()
        level = [(path, key) for path, keys in held.items() for key in keys[:PROBE_FOLDERS]]
        for _ in range(PROBE_DEPTH):
            if not level:
                break
            names = (*V3_NAMES, ".zgroup", ".zarray")
            # what lies below is asked for at once, also in vain: to wait for an answer is what takes long
            all_documents, listings = self._look_into(
                [f"/{key}" for _, key in level], names, cancel
            )
            for (path, _), documents in zip(level, all_documents, strict=True):
                if any(document.has_bytes for document in documents):
                    holding.add(path)
            next_level: dict[str, list[tuple[str, str]]] = {}
            for (path, key), listing in zip(level, listings, strict=True):
                if path not in holding and not isinstance(listing, ReadError):
                    keys = next_level.setdefault(path, [])
                    keys.extend((path, f"{key}/{name}") for name in listing.names)
            level = [one for keys in next_level.values() for one in keys[:PROBE_FOLDERS]]
        return holding

    # --- children ---------------------------------------------------------------------------

    def children(self, path: str | Node, cancel: Cancellation | None = None) -> list[Node]:
        """Return the nodes directly in a group, reading them if that was not done yet.

        Raises
        ------
        NodeNotFound
            If there is no node at the path.
        """
        node = path if isinstance(path, Node) else self[path]
        if not isinstance(node, Group):
            return []
        with self._load_lock(node.path):
            if node.child_names is None:
                self._load_children([node], cancel)
        return self.loaded_children(node) or []

    def loaded_children(self, group: Group) -> list[Node] | None:
        """Return the nodes directly in a group as far as they were read; None before that."""
        names = group.child_names
        if names is None:
            return None
        known = group.known_children
        if known is None or known[0] is not names:
            nodes, stem = self._nodes, below(group.path)
            # Whenever one of the nodes becomes another one, the names are noted anew.
            known = group.known_children = (names, [nodes[stem + name] for name in names])
        return list(known[1])

    def _load_lock(self, path: str) -> threading.Lock:
        with self._lock:
            return self._loading.setdefault(path, threading.Lock())

    def _load_children(self, groups: Sequence[Group], cancel: Cancellation | None) -> None:
        if self.metadata_source == "consolidated":
            for group in groups:
                self._load_consolidated(group)
        else:
            self._load_stored(groups, cancel)

    def _load_consolidated(self, group: Group) -> None:
        consolidated = self.consolidated
        if consolidated is None:
            return
        names = consolidated.child_names(group.path)
        nodes: list[Node] = []
        stem = below(group.path)
        for name in names:
            path = stem + name
            node = build_node(self, path, consolidated.documents(path))
            if node is None:
                holds = bool(consolidated.child_names(path))
                node = (Group if holds else Node)(
                    self,
                    path,
                    consolidated.documents(path),
                    state="missing",
                    problem="the consolidated metadata has no entry for this group, only for nodes below it"
                    if holds
                    else "its consolidated entry describes no node",
                )
            nodes.append(node)
        self._accept(group, nodes)

    def _load_stored(self, groups: Sequence[Group], cancel: Cancellation | None) -> None:
        names = self._list(groups, cancel)
        paths: list[str] = []
        owners: list[int] = []
        for i, (group, listed) in enumerate(zip(groups, names, strict=True)):
            stem = below(group.path)
            paths.extend(stem + name for name in listed)
            owners.extend([i] * len(listed))
        # On a disk most names that are no nodes are known by their listing, and asking costs next to nothing.
        seen: dict[str, Listing | ReadError] | None = (
            {} if self.reader.listable and not self.reader.local else None
        )
        nodes = self._read_nodes(paths, cancel, seen) if paths else []
        found: list[list[Node]] = [[] for _ in groups]
        absent = [
            path
            for path, node in zip(paths, nodes, strict=True)
            if node is None and not _is_below_document(path)
        ]
        others = self._without_documents(absent, cancel, seen) if self.reader.listable else {}
        for i, path, node in zip(owners, paths, nodes, strict=True):
            child = node or others.get(path)
            if child is not None:
                found[i].append(child)
            elif self.reader.listable and not _is_below_document(path):
                groups[i].other_names += (path.rpartition("/")[2],)
        for group, children in zip(groups, found, strict=True):
            self._accept(group, children)

    def _list(self, groups: Sequence[Group], cancel: Cancellation | None) -> list[tuple[str, ...]]:
        """Names that may be nodes, for each group."""
        if not self.reader.listable:
            return [self._named(group) for group in groups]
        listings = self.reader.list_many([group.path.strip("/") for group in groups], cancel)
        names: list[tuple[str, ...]] = []
        for group, listing in zip(groups, listings, strict=True):
            if isinstance(listing, ReadError):
                group.listing_problem = f"its nodes could not be listed: {listing.detail}"
                group.unlisted = True
                names.append(())
            elif group.path.count("/") >= MAX_DEPTH:
                group.listing_problem = f"nodes more than {MAX_DEPTH} levels deep are not read"
                group.unlisted = True
                names.append(())
            else:
                documents = tuple(filter(is_document, listing.names))
                unsafe = [name for name in listing.names if not is_safe(name) or "/" in name]
                odd = [name for name in unsafe if "\\" in name]
                group.listing_problem = _why_not_read(odd) if odd else None
                group.unlisted = bool(odd)
                group.other_names = (*documents, *unsafe)
                if not group.other_names:
                    names.append(listing.names)
                    continue
                others = set(group.other_names)
                nodes = [name for name in listing.names if name not in others]
                if "zarr.json" in documents and self._may_nest(group):
                    nodes.append("zarr.json")
                names.append(tuple(nodes))
        return names

    def _may_nest(self, group: Group) -> bool:
        """Whether there can be a node called zarr.json in a group: not where that is a file on a disk."""
        return self.zarr_format == 3 and (self.reader.kind != "folder" or group.state == "missing")

    def _named(self, group: Group) -> tuple[str, ...]:
        """Names of nodes in a group of a store that cannot be listed, as far as anything names them."""
        cannot = f"a store over {self.reader.kind} cannot be listed"
        if self.consolidated is not None:
            group.listing_problem = cannot
            return self.consolidated.child_names(group.path)
        notes = nczarr.group_notes(group)
        noted = None if notes is None else notes.children
        if noted is None:
            group.listing_problem = f"{cannot} and this one has no consolidated metadata: its nodes can be opened by path only"
            return ()
        if group.path.count("/") >= MAX_DEPTH:
            group.listing_problem = f"nodes more than {MAX_DEPTH} levels deep are not read"
            return ()
        group.listing_problem = f"{cannot}: shown are the nodes that netCDF-C noted"
        return tuple(sorted(noted))

    def _without_documents(
        self,
        paths: Sequence[str],
        cancel: Cancellation | None,
        listed: Mapping[str, Listing | ReadError] | None = None,
    ) -> dict[str, Node]:
        """Return what stands at paths without documents: groups that only have nodes below them.

        Where that cannot be known there is a node that says so. Paths that were listed already are not listed again.
        """
        found: dict[str, Node] = {}
        known = dict(listed or {})
        for begin in range(0, len(paths), LOCAL_BATCH):
            batch = paths[begin : begin + LOCAL_BATCH]
            held: dict[str, list[str]] = {}
            unlisted = [path for path in batch if path not in known]
            listings = self.reader.list_many([path[1:] for path in unlisted], cancel, PROBE_FOLDERS)
            known.update(zip(unlisted, listings, strict=True))
            for path in batch:
                listing = known[path]
                if isinstance(listing, ReadError):
                    problem = f"it could not be listed: {listing.detail}"
                    found[path] = Node(self, path, (), state="unreadable", problem=problem)
                elif listing.names:
                    held[path] = [f"{path[1:]}/{name}" for name in listing.names]
            for path in self._holding(held, cancel):
                problem = (
                    "there is no metadata document here, so readers do not see the nodes below"
                )
                found[path] = Group(self, path, (), state="missing", problem=problem)
        return found

    def _accept(self, group: Group, children: Sequence[Node]) -> None:
        with self._lock:
            for child in children:
                self._nodes.setdefault(child.path, child)
            group.child_names = tuple(child.name for child in children)

    # --- looking up -------------------------------------------------------------------------

    def __getitem__(self, path: str) -> Node:
        """Return the node at a path, reading what is needed on the way.

        Raises
        ------
        NodeNotFound
            If there is none.
        """
        path = normalise(path)
        node = self.get(path)
        if node is None:
            raise NodeNotFound(path)
        return node

    def __contains__(self, path: object) -> bool:
        return isinstance(path, str) and self.get(path) is not None

    def get(self, path: str, cancel: Cancellation | None = None) -> Node | None:
        """Return the node at a path, None if there is none."""
        try:
            path = normalise(path)
        except NodeNotFound:
            return None
        if (known := self._nodes.get(path)) is not None:
            return known
        node = self.root
        for name in path[1:].split("/"):
            if not isinstance(node, Group):
                return None
            self.children(node, cancel)
            wanted = below(node.path) + name
            child = self._nodes.get(wanted) or self._by_path_only(wanted, node, cancel)
            if child is None:
                return None
            node = child
        return node

    def _by_path_only(self, path: str, group: Group, cancel: Cancellation | None) -> Node | None:
        """Read a node that no listing names: in a store that cannot be listed."""
        if group.listing_problem is None or self.metadata_source == "consolidated":
            return None
        (node,) = self._read_nodes([path], cancel)
        if node is None or node.state == "unreadable":
            return node
        with self._lock:
            self._replace(path, node)
        return node

    def node_if_loaded(self, path: str) -> Node | None:
        """Return the node at a path if it was read already."""
        return self._nodes.get(path)

    def peek(self, path: str) -> Node | None:
        """Return the node at a path without listing the groups above it; None if there is none."""
        path = normalise(path)
        known = self._nodes.get(path)
        if known is not None or self.metadata_source == "consolidated":
            return known or self.get(path)
        return self._read_nodes([path], None)[0]

    @property
    def known_paths(self) -> list[str]:
        """Paths of all nodes known so far, read or only named by the consolidated metadata."""
        if self.metadata_source == "consolidated" and self.consolidated is not None:
            return list(dict.fromkeys(("/", *self.consolidated.paths)))
        with self._lock:
            return list(self._nodes)

    @property
    def loaded(self) -> int:
        """Number of nodes read so far."""
        return len(self._nodes)

    @property
    def nodes_total(self) -> int | None:
        """Number of nodes, None where only a walk can tell."""
        if self.metadata_source == "consolidated" and self.consolidated is not None:
            return len(self.consolidated) + (0 if "/" in self.consolidated else 1)
        return None

    def walk(self, path: str = "/", cancel: Cancellation | None = None) -> Iterator[Node]:
        """Yield a node and all below it, level by level, reading what is not read yet.

        A group is yielded before its children are read. A whole level is asked for in few large
        batches, so that a slow store is waited for once per level and not once per node.
        """
        for _, nodes in self.walk_groups(path, cancel):
            yield from nodes

    def walk_groups(
        self, path: str = "/", cancel: Cancellation | None = None
    ) -> Iterator[tuple[Group | None, list[Node]]]:
        """Yield the same nodes by the group that they are in; the first one, in no group, comes alone."""
        start = self[path]
        yield None, [start]
        level: list[Group] = [start] if isinstance(start, Group) else []
        size = LOCAL_BATCH if self.reader.local else REMOTE_BATCH
        while level:
            next_level: list[Group] = []
            for begin in range(0, len(level), size):
                batch = level[begin : begin + size]
                if cancel is not None:
                    cancel.check()
                pending = [group for group in batch if group.child_names is None]
                if pending:
                    self._load_children(pending, cancel)
                for group in batch:
                    children = self.loaded_children(group) or []
                    yield group, children
                    next_level.extend(child for child in children if isinstance(child, Group))
            level = next_level

    def inside_arrays(
        self, arrays: Sequence[Array], limit: int = 2000, cancel: Cancellation | None = None
    ) -> list[Inside | ReadError | None]:
        """Return what lies in the folders of arrays.

        Parameters
        ----------
        arrays : sequence of Array
            Where to look.
        limit : int
            How many names to look at in each; arrays may have millions of chunks.

        Returns
        -------
        list of Inside, ReadError or None
            For each array; None where the store cannot be listed.
        """
        if not self.reader.listable:
            return [None] * len(arrays)
        listings = self.reader.list_many([a.path.strip("/") for a in arrays], cancel, limit=limit)
        return [
            listing if isinstance(listing, ReadError) else self._inside(array, listing, cancel)
            for array, listing in zip(arrays, listings, strict=True)
        ]

    def _inside(self, array: Array, listing: Listing, cancel: Cancellation | None) -> Inside:
        chunks = tuple([name for name in listing.names if _CHUNK_NAME.fullmatch(name)])
        names = [name for name in listing.names if not _CHUNK_NAME.fullmatch(name)]
        stem = below(array.path)
        paths = [stem + name for name in names if not is_document(name)]
        nodes = [node.path for node in self._read_nodes(paths, cancel) if node] if paths else []
        if nodes:
            known = {path.rpartition("/")[2] for path in nodes}
            names = [name for name in names if name not in known]
        return Inside(nodes, chunks, tuple(names), listing.complete)

    def in_other_format(self, node: Node) -> Node | None:
        """Return what the documents of the other format say of a node; None where there are none."""
        names = V2_NAMES if node.zarr_format == 3 else V3_NAMES
        return build_node(self, node.path, self._read_documents([node.path], names, None)[0])

    # --- other views ------------------------------------------------------------------------

    @property
    def stored(self) -> Hierarchy:
        """The same store seen through its documents only."""
        if self.metadata_source == "documents":
            return self
        with self._lock:
            if self._stored is None:
                self._stored = Hierarchy(
                    self.reader,
                    use_consolidated=False,
                    mode=self.mode,
                    documents=self._root_documents,
                )
            return self._stored

    def refresh(self, path: str = "/", cancel: Cancellation | None = None) -> Node:
        """Read a node again and forget all below it.

        Raises
        ------
        NodeNotFound
            If it is gone.
        SourceError
            If the root is gone.
        """
        path = normalise(path)
        if path == "/" or self.metadata_source == "consolidated":
            # Consolidated nodes are part of the root's document.
            self._refresh_root(cancel)
            return self[path]
        node = self._read_again(path, cancel)
        with self._lock:
            self._stored = None
            self._forget_below(path)
            self._replace(path, node)
        if node is None:
            raise NodeNotFound(path)
        return node

    def _read_again(self, path: str, cancel: Cancellation | None) -> Node | None:
        """Read the documents of a node below the root, or find that only what is below makes it one."""
        (node,) = self._read_nodes([path], cancel)
        if node is None and self.reader.listable:
            node = self._without_documents([path], cancel).get(path)
        return node

    def _replace(self, path: str, node: Node | None) -> None:
        """Have another node at a path below the root, or none, and its group name it or not."""
        group = self._nodes.get(above(path))
        if isinstance(group, Group) and group.child_names is not None:
            names = {*group.child_names} - {path.rpartition("/")[2]}
            group.child_names = tuple(sorted(names if node is None else {*names, node.name}))
        if node is not None:
            self._nodes[path] = node
        else:
            self._nodes.pop(path, None)

    def _forget_below(self, path: str) -> None:
        stem = below(path)
        for known in [p for p in self._nodes if p.startswith(stem) and p != path]:
            del self._nodes[known]

    def _refresh_root(self, cancel: Cancellation | None) -> None:
        documents = {d.name: d for d in self._read_documents(["/"], ROOT_NAMES, cancel)[0]}
        with self._lock:
            before = dict(vars(self))
            self._stored, self._nodes = None, {}
            try:
                self._read_root(cancel, documents)
            except BaseException:
                vars(self).update(before)  # what was known stays, until something is known again
                raise

    def fork(self, reader: Reader) -> Hierarchy:
        """Return a copy that knows what was read so far, and reads the rest through another reader.

        Nodes that come from consolidated metadata are made anew when they are asked for: they cost no request.
        """
        with self._lock:
            twin = copy.copy(self)
            known = {"/": self.root} if self.metadata_source == "consolidated" else self._nodes
            nodes = {path: node.moved_to(twin) for path, node in known.items()}
            root = nodes["/"]
            if self.metadata_source == "consolidated" and isinstance(root, Group):
                root.child_names = None
            vars(twin).update(
                reader=reader,
                mode="r",
                root=root,
                _nodes=nodes,
                _lock=threading.RLock(),
                _loading={},
                models={},
                texts={},
                _stored=None if self._stored is None else self._stored.fork(reader),
            )
            return twin

    def reread(self, path: str) -> Node | None:
        """Read the documents of one node again, and keep what is known of the nodes below it.

        If it is no group any more the nodes below are forgotten, and those of consolidated metadata when the root
        is read again. The root is read again in `stored`, too.

        Returns
        -------
        Node or None
            None where it is gone.

        Raises
        ------
        SourceError
            If the root is gone.
        """
        path = normalise(path)
        with self._lock:
            before = self._nodes.get(path)
        if path == "/":
            with self._lock:
                self._reread_root(before, self._read_root(None, None, self.consolidated))
                return self.root
        node = self._read_again(path, None)
        with self._lock:
            self._replace(path, node)
            self._take_over(before, node)
        return node

    def _reread_root(self, before: Node | None, documents: dict[str, Document]) -> None:
        if self.metadata_source == "consolidated":
            self._nodes = {"/": self.root}
        else:
            self._take_over(before, self.root)
        if self._stored is not None:  # which need not decode them again
            self._stored._reread_shared(  # noqa: SLF001  # of the same class
                documents, self.consolidated
            )

    def _reread_shared(
        self, documents: dict[str, Document], consolidated: Consolidated | None
    ) -> None:
        with self._lock:
            before = self.root
            self._reread_root(before, self._read_root(None, dict(documents), consolidated))

    def _take_over(self, before: Node | None, node: Node | None) -> None:
        """Keep the nodes below a group that was read again, or forget them."""
        if isinstance(before, Group) and isinstance(node, Group):
            node.child_names, node.listing_problem = before.child_names, before.listing_problem
            node.unlisted = before.unlisted
            node.other_names = before.other_names
        elif before is not None:
            self._forget_below(before.path)

    def close(self) -> None:
        """Let go of the store."""
        self.reader.close()


def _keys(paths: Sequence[str], names: Sequence[str]) -> list[str]:
    stems = [below(path)[1:] for path in paths]
    return [stem + name for stem in stems for name in names]


def _documents(
    names: Sequence[str], keys: Sequence[str], answers: Sequence[bytes | ReadError | None]
) -> list[list[Document]]:
    """Return documents by the paths that they were read at."""
    documents = [
        Document(name, key, None, error=answer)
        if isinstance(answer, ReadError)
        else Document(name, key, answer)
        for name, key, answer in zip(cycle(names), keys, answers, strict=False)
    ]
    return [documents[i : i + len(names)] for i in range(0, len(documents), len(names))]


def is_document(name: str) -> bool:
    """Whether a name is that of a metadata document, of any format or dialect."""
    return name == "zarr.json" or name.startswith((".z", ".ncz"))


def _is_below_document(path: str) -> bool:
    return path.endswith("/zarr.json")


def open_store(
    source: Any,
    *,
    storage_options: dict[str, Any] | None = None,
    mode: Literal["r", "r+"] = "r",
    consolidated: bool = True,
) -> Hierarchy:
    """Open a hierarchy without a widget.

    Parameters
    ----------
    source
        What `nz_explorer.store.resolve` takes.
    storage_options : dict, optional
        For remote sources.
    mode : {"r", "r+"}
        ``r+`` allows fixes to be written, when asked for.
    consolidated : bool
        Whether to take nodes from consolidated metadata where there is some.

    Raises
    ------
    SourceError
        If there is no Zarr hierarchy, or its root cannot be read.
    """
    return Hierarchy(
        resolve(source, storage_options=storage_options), use_consolidated=consolidated, mode=mode
    )
