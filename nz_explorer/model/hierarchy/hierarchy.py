"""A hierarchy, read as far as someone has asked for it.

Opening reads the documents of the root, expanding a group lists it and reads its children. Nodes come from
consolidated metadata where the root has some (NZ-1.0 prefers it); `Hierarchy.stored` has the stored documents.

Where there are very many nodes, Python's garbage collector looks at all that are kept again and again, which took a
sixth of the time of a check: so a check lets go of nodes that cost no request to have again (`let_go`).

Long because all that shares the lock over what is known stands here; what reads, lists and makes nodes does not.
"""

from __future__ import annotations

import copy
import threading
import time
import weakref
from collections.abc import Iterator, MutableMapping, Sequence
from typing import Any, Literal

from nz_explorer.documents.document import Document
from nz_explorer.model.array import Array
from nz_explorer.model.consolidated import Consolidated
from nz_explorer.model.group import Group
from nz_explorer.model.hierarchy.children import Loaded, load, made_again
from nz_explorer.model.hierarchy.names import NodeNotFound, normalise
from nz_explorer.model.hierarchy.node_reader import nodes_without_documents, read_nodes
from nz_explorer.model.hierarchy.root import Root, read_root
from nz_explorer.model.node import Node
from nz_explorer.model.node_of_documents import is_denied
from nz_explorer.model.paths import above, below
from nz_explorer.model.templates import Templates
from nz_explorer.store import Cancellation, Reader, url_modes

LOCAL_BATCH = 64
REMOTE_BATCH = 2048
"""Groups whose nodes are read at once in a walk."""

_NO_ANSWER = ("connection", "timeout", "server", "redirect", "denied")
"""What leaves open whether there is a document of the name that was asked for."""
_MOST_NOT_THERE = 10_000
_NOT_THERE_SECONDS = 30.0
"""A picture asks at each step for the same coordinates, which may be in each of the groups above."""


class Hierarchy:
    """The nodes of a store.

    Parameters
    ----------
    reader : Reader
        Where the bytes come from.
    use_consolidated : bool
        Whether to take nodes from consolidated metadata where there is some.
    mode, cancel
        Whether fixes may be written to the store, and what ends the reading of its root early.
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
        self.source, self.modes = reader.label, url_modes(reader.label)
        self.mode = mode
        self._lock = threading.RLock()
        self._nodes: dict[str, Node] = {}
        self.templates = Templates()
        """Nodes that others are made like."""
        self.attached: MutableMapping[Any, Any] = weakref.WeakKeyDictionary()
        """What others remember about the hierarchy, for as long as both they and the hierarchy are there."""
        self._let_go: dict[str, int] = {}
        """How many nodes of some groups were read and are not kept; see `let_go`."""
        self._not_there: dict[str, float] = {}
        """Until when paths that were asked for in vain are not asked for again, where no listing tells what there is."""
        self._stored: Hierarchy | None = None
        self._use_consolidated = use_consolidated
        self._take_root(read_root(self, cancel, documents, use_consolidated=use_consolidated), {})

    @property
    def generation(self) -> int:
        """The generation of what is read from now on; see `nz_explorer.store.generation`."""
        return self.reader.generation

    # --- the root ---------------------------------------------------------------------------

    def _take_root(self, found: Root, others: dict[str, Node]) -> None:
        """Be what the documents of the root say, with these nodes below it."""
        self.source, self.modes = self.reader.label, url_modes(self.reader.label)
        self._root_documents = found.documents
        self.side_names = found.side_names
        """Side documents that netCDF-C 4.8.0 wrote, to be read where it did."""
        self.consolidated: Consolidated | None = found.consolidated
        """The consolidated metadata, whether it is used or not."""
        self.metadata_source: Literal["documents", "consolidated"] = found.metadata_source
        self.root = found.node
        self.zarr_format = found.zarr_format
        asked = found.node.documents[:1] if found.node.state == "unreadable" else ()
        if any(one.error is not None and one.error.reason in _NO_ANSWER for one in asked):
            self.zarr_format = None
        self._nodes, self._let_go = {**others, "/": found.node}, {}

    @property
    def denied(self) -> tuple[Document, ...]:
        """Documents beside that of the root of which the server says neither what they are nor that there are none."""
        return tuple(d for d in self._root_documents.values() if is_denied(d))

    # --- children ---------------------------------------------------------------------------

    def children(self, path: str | Node, cancel: Cancellation | None = None) -> list[Node]:
        """Return the nodes directly in a group, reading them if that was not done yet.

        Parameters
        ----------
        path : str or Node
            The group; anything else has no children.
        cancel : Cancellation, optional
            Ends the reading early.

        Raises
        ------
        NodeNotFound
            If there is no node at the path.
        """
        node = path if isinstance(path, Node) else self[path]
        if not isinstance(node, Group):
            return []
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
            with self._lock:
                names = group.child_names or ()
                stem, nodes = below(group.path), self._nodes
                if group.path in self._let_go and nodes.get(group.path) is group:
                    for name in names:
                        self._have_again(stem + name)
                    del self._let_go[group.path]
                children = [node for name in names if (node := nodes.get(stem + name)) is not None]
                # Whenever one of the nodes becomes another one, the names are noted anew.
                known = group.known_children = (names, children)
        return list(known[1])

    def _load_children(self, groups: Sequence[Group], cancel: Cancellation | None) -> None:
        for loaded in load(self, groups, cancel):
            self._accept(loaded)

    def _accept(self, loaded: Loaded) -> None:
        """Have the nodes of a group, which were read since a generation.

        A group that was read again meanwhile is another one by now. This one has its nodes for itself then: they
        are for whoever has asked for them, and are not found in the hierarchy.
        """
        group, listed, children = loaded.group, loaded.listed, loaded.children
        with self._lock:
            if group.child_names is not None:
                return  # someone who asked at the same time was answered before
            if self._nodes.get(group.path) is group:
                children = self._registered(group, children, loaded.generation)
            group.listing_problem, group.unlisted = listed.problem, listed.unlisted
            group.other_names = listed.other_names
            names = tuple([child.name for child in children])
            group.known_children = (names, list(children))
            group.child_names = names

    def _registered(self, group: Group, children: list[Node], generation: int) -> list[Node]:
        """Return the nodes of a group as the hierarchy has them, after those that it has not were added."""
        nodes = self._nodes
        if self.generation == generation:
            return [nodes.setdefault(child.path, child) for child in children]
        # Of what was read again meanwhile, only what was found then counts, also where that is nothing.
        counts = self.reader.generations.counts
        for child in children:
            if counts(child.path, child.generation):
                nodes.setdefault(child.path, child)
        paths = [child.path for child in children]
        new = [p for p in nodes if p != "/" and above(p) == group.path and p not in set(paths)]
        return [nodes[path] for path in (*paths, *sorted(new)) if path in nodes]

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
        """Return the node at a path, None if there is none.

        Parameters
        ----------
        path : str
            A path, such as ``/ocean/temp``; groups on the way are read where that was not done yet.
        cancel : Cancellation, optional
            Ends the reading early.
        """
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
            children = self.children(node, cancel)
            wanted = below(node.path) + name
            child = self._nodes.get(wanted)
            if child is None and self._nodes.get(node.path) is not node:
                # it was read again meanwhile; what it had is what is asked for
                child = next((one for one in children if one.path == wanted), None)
            if child is None:
                child = self._by_path_only(wanted, node, cancel)
            if child is None:
                return None
            node = child
        return node

    def _by_path_only(self, path: str, group: Group, cancel: Cancellation | None) -> Node | None:
        """Read a node that no listing names: in a store that cannot be listed."""
        if group.listing_problem is None or self.metadata_source == "consolidated":
            return None
        if time.monotonic() < self._not_there.get(path, 0.0):
            return None
        (node,) = read_nodes(self, [path], cancel)
        if node is None:
            if len(self._not_there) >= _MOST_NOT_THERE:
                self._not_there.clear()
            self._not_there[path] = time.monotonic() + _NOT_THERE_SECONDS
        if node is None or node.state == "unreadable":
            return node
        with self._lock:
            if (known := self._nodes.get(path)) is not None:
                return known
            if self.reader.generations.counts(path, node.generation):
                self._replace(path, node)
        return node

    def node_if_loaded(self, path: str) -> Node | None:
        """Return the node at a path if it was read already."""
        node = self._nodes.get(path)
        if node is None and self._let_go and above(path) in self._let_go:
            with self._lock:
                return self._have_again(path)
        return node

    def peek(self, path: str) -> Node | None:
        """Return the node at a path without listing the groups above it; None if there is none."""
        path = normalise(path)
        known = self._nodes.get(path)
        if known is not None or self.metadata_source == "consolidated":
            return known or self.get(path)
        return read_nodes(self, [path], None)[0]

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
        return len(self._nodes) + sum(tuple(self._let_go.values()))

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

        Parameters
        ----------
        path : str
            Where to begin.
        cancel : Cancellation, optional
            Ends the walk early.
        """
        for _, nodes in self.walk_groups(path, cancel):
            yield from nodes

    def let_go(self, group: Group) -> None:
        """Do not keep the arrays of a group where it costs no request to have them again: with consolidated metadata.

        Whoever asks for one of them gets another node that says the same.
        """
        known = group.known_children
        if self.metadata_source != "consolidated" or known is None:
            return
        with self._lock:
            if self._nodes.get(group.path) is not group:
                return
            arrays = [one.path for one in known[1] if isinstance(one, Array)]
            for path in arrays:
                self._nodes.pop(path, None)
            self._let_go[group.path] = len(arrays)
            group.forget_children()

    def _have_again(self, path: str) -> Node | None:
        """Return a node of a group that was let go, made anew if it is not there; None where there is none."""
        node = self._nodes.get(path)
        if node is None and (node := made_again(self, path)) is not None:
            self._nodes[path] = node
            self._let_go[above(path)] -= 1
        return node

    def walk_groups(
        self, path: str = "/", cancel: Cancellation | None = None, *, keep: bool = True
    ) -> Iterator[tuple[Group | None, list[Node]]]:
        """Yield the nodes of `walk` by the group that contains them.

        Parameters
        ----------
        path : str
            Where to begin.
        cancel : Cancellation, optional
            Ends the walk early.
        keep : bool
            Whether nodes stay in memory that nobody has asked for before; see `let_go`.

        Yields
        ------
        tuple of Group or None and list of Node
            A group and its children; the first pair is None and the node at `path`.
        """
        start = self[path]
        yield None, [start]
        level: list[Group] = [start] if isinstance(start, Group) else []
        size = LOCAL_BATCH if self.reader.local else REMOTE_BATCH
        if self.metadata_source == "consolidated":
            size = 1  # nothing is waited for, and what is not kept never piles up
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
                    next_level.extend([child for child in children if isinstance(child, Group)])
                    if not keep and group in pending:
                        self.let_go(group)
            level = next_level

    # --- other views ------------------------------------------------------------------------

    @property
    def stored(self) -> Hierarchy:
        """The same store seen through its documents only."""
        if self.metadata_source == "documents":
            return self
        while (stored := self._stored) is None:
            documents = self._root_documents
            made = Hierarchy(
                self.reader, use_consolidated=False, mode=self.mode, documents=documents
            )
            made.root.generation = self.root.generation
            with self._lock:
                if self._stored is None and self._root_documents is documents:
                    self._stored = made
        return stored

    def refresh(self, path: str = "/", cancel: Cancellation | None = None) -> Node:
        """Read a node again and forget all below it.

        Parameters
        ----------
        path : str
            The node; with consolidated metadata everything is read again.
        cancel : Cancellation, optional
            Ends the reading early.

        Raises
        ------
        NodeNotFound
            If it is gone.
        SourceError
            If the root is gone.
        """
        path = normalise(path)
        self._not_there.clear()
        generation = self.reader.renew()
        if path == "/" or self.metadata_source == "consolidated":
            # Consolidated nodes are part of the root's document.
            self._refresh_root(generation, cancel)
            return self[path]
        node = self._read_again(path, cancel)
        with self._lock:
            if self.reader.generations.supersede(path, generation):
                self._stored = None
                self._forget_below(path)
                self._replace(path, node)
            else:  # someone else has read it later, and was faster
                node = self._nodes.get(path)
        if node is None:
            raise NodeNotFound(path)
        return node

    def _read_again(self, path: str, cancel: Cancellation | None) -> Node | None:
        """Read the documents of a node below the root, or find that only what is below makes it one."""
        (node,) = read_nodes(self, [path], cancel)
        if node is None and self.reader.listable:
            node = nodes_without_documents(self, [path], cancel).get(path)
        return node

    def _replace(self, path: str, node: Node | None) -> None:
        """Have another node at a path below the root, or none, and its group name it or not."""
        group = self._nodes.get(above(path))
        if isinstance(group, Group) and group.child_names is not None:
            self.loaded_children(group)
            name = path.rpartition("/")[2]
            names, others = ({*known} - {name} for known in (group.child_names, group.other_names))
            # what is no node may still be a folder, of which rules ask what is left in it
            (others if node is None else names).add(name)
            group.child_names, group.other_names = tuple(sorted(names)), tuple(sorted(others))
        if node is not None:
            self._nodes[path] = node
        else:
            self._nodes.pop(path, None)

    def _forget_below(self, path: str) -> None:
        stem = below(path)
        for known in [p for p in self._nodes if p.startswith(stem) and p != path]:
            del self._nodes[known]

    def _refresh_root(self, generation: int, cancel: Cancellation | None) -> None:
        # What was known stays, until something is known again.
        found = read_root(self, cancel, use_consolidated=self._use_consolidated)
        with self._lock:
            if self.reader.generations.supersede("/", generation):
                self._stored = None
                self._take_root(found, {})

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
                templates=Templates(),
                attached=weakref.WeakKeyDictionary(
                    {owner: copy.copy(things) for owner, things in self.attached.items()}
                ),
                _let_go={},
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
        generation = self.generation
        if path == "/":
            self._reread_root(generation)
            return self.root
        node = self._read_again(path, None)
        with self._lock:
            if not self.reader.generations.supersede(path, generation, below=False):
                return self._nodes.get(path)
            before = self._nodes.get(path)
            self._replace(path, node)
            self._take_over(before, node)
        return node

    def _reread_root(self, generation: int) -> None:
        stored = self._stored
        found = read_root(
            self, None, None, self.consolidated, use_consolidated=self._use_consolidated
        )
        shared = None
        if stored is not None:  # which need not decode the documents again
            shared = read_root(
                stored, None, found.documents, found.consolidated, use_consolidated=False
            )
            shared.node.generation = found.node.generation
        with self._lock:
            if not self.reader.generations.supersede("/", generation, below=False):
                return
            self._become(found)
            if stored is not None and shared is not None:
                stored._become(shared)  # noqa: SLF001

    def _become(self, found: Root) -> None:
        """Have another root, and keep what is known of the nodes below it as far as they are still there."""
        with self._lock:
            before = self.root
            if found.metadata_source == "consolidated":
                self._take_root(found, {})
                return
            self._take_root(found, self._nodes)
            self._take_over(before, found.node)

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
