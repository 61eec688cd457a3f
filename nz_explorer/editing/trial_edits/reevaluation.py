"""Evaluating again what an edit touches."""

from __future__ import annotations

from itertools import chain
from typing import Any

from nz_explorer.editing.trial_edits.edited_documents import path_of
from nz_explorer.engine.evaluation import Evaluation, has_value_rules
from nz_explorer.model import Array, Consolidated, Group, Hierarchy, Node
from nz_explorer.model.dialects import multiscales, nczarr
from nz_explorer.model.paths import above, all_above, below


def visit_around(evaluation: Evaluation, path: str) -> None:
    """Evaluate a node and all beside and above it, as far as that was not done.

    Parameters
    ----------
    evaluation : Evaluation
        Of the hierarchy that the node is in.
    path : str
        The node.
    """
    docs = evaluation.hierarchy.stored if evaluation.on_documents else evaluation.hierarchy
    docs.get(path)
    for place in all_above(path):
        if path in evaluation:
            break
        path = place
        group = docs.node_if_loaded(path)
        if isinstance(group, Group) and group.child_names is not None:
            for node in (group, *(group.children or ())):
                if node.path not in evaluation:
                    evaluation.add_node(node)
            evaluation.group_complete(group)


class Reevaluation:
    """Nodes that were read again, and what has to be evaluated because of that."""

    def __init__(self, evaluation: Evaluation) -> None:
        self.evaluation = evaluation
        self.hierarchy = evaluation.hierarchy
        self.docs = evaluation.hierarchy.stored
        self.nodes: dict[str, bool] = {}
        """Nodes to evaluate, and whether their values mean something else now."""
        self.members: set[str] = set()
        """Groups whose members are to be compared again."""
        self.subtrees: set[str] = set()
        """Nodes to visit with all below them."""
        self.arrays: set[str] = set()
        """Arrays to look inside of."""
        self.edited: set[str] = set()
        """Nodes of which a document is another one."""
        self._looked_for: set[str] = set()
        """Arrays that came, went, or have other dimensions: others look for them."""
        self._beside: set[str] = set()
        """Groups in which arrays have other attributes: rules on the values of coordinates look there."""
        self.entries = False
        """Whether consolidated entries, or the nodes that they describe, came or went."""

    def reread(self, paths: set[str]) -> bool:
        """Read nodes again and note what depends on them; return False if the hierarchy is another one now."""
        on_documents = self.evaluation.on_documents
        self.edited = paths
        if self.hierarchy.root.state == "missing":  # it is there because of what is below it
            paths = {"/", *paths}
        if "/" in paths and not self._reread_root(on_documents):
            return False
        for path in sorted(paths - {"/"}):
            if on_documents:
                self._reread(path)
            else:
                self.docs.reread(path)  # which nobody has evaluated
        self._note_looking()
        return True

    def note_listed(self, key: str, *, exists: bool) -> None:
        """Let the group that a document lies in know whether it is listed there.

        Parameters
        ----------
        key : str
            Of the document.
        exists : bool
            Whether it is there.
        """
        group = self.docs.node_if_loaded(path_of(key))
        if isinstance(group, Group) and group.child_names is not None:
            name = key.rpartition("/")[2]
            names = set(group.other_names) - {name}
            if exists:
                names.add(name)
            group.other_names = tuple(sorted(names))

    def _reread_root(self, on_documents: bool) -> bool:
        hierarchy = self.hierarchy
        before, old = _nature(hierarchy), hierarchy.consolidated
        noted, handed = _noted(hierarchy.root), _handed_down(hierarchy.root)
        shared = _shared(hierarchy.root)
        hierarchy.reread("/")
        if _nature(hierarchy) != before or not on_documents:
            return False
        self.nodes["/"] = True
        self.members.add("/")
        if noted != _noted(hierarchy.root):
            self._note_nodes_below("/")
        if handed != _handed_down(hierarchy.root):
            self._note_arrays_in("/")
        if shared != _shared(hierarchy.root):
            self._note_beside("/")
        if old is not None and hierarchy.consolidated is not None:
            self._compare_entries(old, hierarchy.consolidated)
        return True

    def _compare_entries(self, old: Consolidated, new: Consolidated) -> None:
        """Find the nodes whose consolidated copy is another one."""
        for path in new.changed_since(old) - {"/"}:
            self.entries = True
            self.members.add(above(path))  # the lengths of dimensions are compared in the entries
            if self.docs.node_if_loaded(path) is not None:
                self.nodes.setdefault(path, False)

    def _reread(self, path: str) -> None:
        docs, group = self.docs, above(path)
        if self._is_hidden(path):
            return
        before = docs.node_if_loaded(path)
        after = docs.reread(path) if docs.get(group) is not None else None
        self.members.add(group)
        if _seen_beside(before) != _seen_beside(after):
            self._note_beside(group)  # a grid mapping is that of arrays in groups below, too
        if _shared(before) != _shared(after):
            self._note_beside(path)
        beside = docs.node_if_loaded(group)
        name = path.rpartition("/")[2]
        if isinstance(beside, Group) and any(
            one.attributes.get("bounds") == name or "cs" in one.attributes for one in beside.arrays
        ):
            self._beside.add(group)  # coordinates are compared with their bounds
        if (
            before is None
            or after is None
            or (before.kind, before.state) != (after.kind, after.state)
        ):
            self.entries = True
            self.subtrees.add(path)
            self._reread_missing(group)
            self._looked_for.add(path)
            return
        self.nodes[path] = _values_key(before) != _values_key(after)
        if isinstance(after, Group):
            self.members.add(path)
            if _noted(before) != _noted(after):
                self._note_nodes_below(path)
            if _handed_down(before) != _handed_down(after):
                self._note_arrays_in(path)
        elif _axes(before) != _axes(after):
            self._looked_for.add(path)

    def _note_beside(self, path: str) -> None:
        """Note a group and those below it, as the coordinates in them are compared with what has changed."""
        inside = below(path)
        self._beside |= {p for p in self.evaluation.groups if p == path or p.startswith(inside)}

    def _reread_missing(self, path: str) -> None:
        """Read groups without documents again: they are there only because of what is below them."""
        top = None
        for place in (path, *all_above(path)):
            node = self.docs.node_if_loaded(place)
            if place != "/" and (node is None or node.state == "missing"):
                top = place
        if top is not None:
            self.docs.reread(top)
            self.subtrees.add(top)
            self.members.add(above(top))

    def _is_hidden(self, path: str) -> bool:
        """Whether a node lies below something that is no group, where only rules on arrays look."""
        for place in all_above(path):
            node = self.docs.node_if_loaded(place)
            if node is not None and not isinstance(node, Group):
                self.arrays.add(place)
                return True
        return False

    def _note_looking(self) -> None:
        """Note the groups that look for arrays which, or whose dimensions, are others now: by their names, or by paths."""
        for place in {above(path) for path in self._looked_for}:
            self._note_groups_below(place)
        ends = {f"/{path.rpartition('/')[2]}" for path in self._looked_for}
        for place in self.evaluation.groups if ends else ():
            group = self.docs.node_if_loaded(place)
            if isinstance(group, Group) and (
                "zarr_link" in group.attributes or any(_mentions(one, ends) for one in group.arrays)
            ):
                self.members.add(place)

    def _note_groups_below(self, path: str) -> None:
        """Note all groups below one."""
        group = self.docs.node_if_loaded(path)
        for child in group.groups if isinstance(group, Group) else ():
            if child.child_names is not None:
                self.members.add(child.path)
                self._note_groups_below(child.path)

    def _note_nodes_below(self, path: str) -> None:
        """Note all groups below one, and what netCDF-C noted below it, which it may get to by now or no longer."""
        self._note_groups_below(path)
        places = [path, *(one for one in self.members if one.startswith(below(path)))]
        for group in map(self.docs.node_if_loaded, places):
            for node in (group.children or ()) if isinstance(group, Group) else ():
                if nczarr.find(node, "array" if isinstance(node, Array) else "group"):
                    self.nodes.setdefault(node.path, False)

    def _note_arrays_in(self, path: str) -> None:
        """Note the arrays in a group and in those below it, which may be levels of a pyramid that it is or was."""
        group = self.docs.node_if_loaded(path)
        for array in group.arrays if isinstance(group, Group) else ():
            self.nodes.setdefault(array.path, False)
            self._beside.add(path)  # coordinates are compared with what the group says
        for child in group.groups if isinstance(group, Group) else ():
            if child.child_names is not None:
                self._note_arrays_in(child.path)

    def _is_below(self, path: str) -> bool:
        """Whether a node lies below one that is visited anyway."""
        return any(path.startswith(f"{other}/") for other in self.subtrees)

    def _note_pyramids(self) -> None:
        """Note the groups of which the rules look two levels down, or all the way up; pyramids name levels anywhere below them."""
        self.members |= {above(path) for path in self.members}
        for place in {place for path in self.edited for place in all_above(path)} - self.subtrees:
            group = self.docs.node_if_loaded(place)
            if group is not None and "multiscales" in group.attributes:
                self.nodes.setdefault(place, False)
        if "geozarr" in self.evaluation.conventions:
            self.members |= self.evaluation.groups

    def evaluate(self) -> None:
        """Evaluate what was noted."""
        evaluation, docs = self.evaluation, self.docs
        self.subtrees = {path for path in self.subtrees if not self._is_below(path)}
        for path in self.subtrees:
            evaluation.forget(path)
        visited = [
            node
            for path in sorted(self.subtrees)
            if docs.node_if_loaded(path) is not None
            for node in docs.walk(path)
        ]
        for path in evaluation.referring:
            self.nodes.setdefault(path, False)
        self._note_pyramids()
        again = {path: node for path in self.nodes if (node := docs.node_if_loaded(path))}
        # Of Zarr v2 the documents say how chunks are named, and what those that are missing hold. Of either version,
        # documents that come, change or go may be those of the other one.
        self.arrays |= {
            path
            for path, node in again.items()
            if isinstance(node, Array) and (node.zarr_format == 2 or path in self.edited)
        }
        for node in visited:
            evaluation.add_node(node)
        for path, node in again.items():
            evaluation.add_again(node, values=self.nodes[path])
        groups = {path for path in self.members if path in evaluation}
        groups |= {node.path for node in visited}
        for path in groups:
            group = docs.node_if_loaded(path)
            if isinstance(group, Group) and group.child_names is not None:
                evaluation.group_complete(group)
        beside = [docs.node_if_loaded(path) for path in self._beside]
        coordinates = [g.coordinates.values() for g in beside if isinstance(g, Group)]
        changed = [n for p, n in again.items() if self.nodes[p]]
        for node in dict.fromkeys((*visited, *changed, *chain.from_iterable(coordinates))):
            if isinstance(node, Array) and has_value_rules(node):
                evaluation.value_rules(node)
        looked_into = (*visited, *map(docs.node_if_loaded, self.arrays))
        evaluation.listing_rules([array for array in looked_into if isinstance(array, Array)])
        if self.entries:
            evaluation.consolidated_complete()
        evaluation.renew_totals()


def _nature(hierarchy: Hierarchy) -> tuple[Any, ...]:
    """Return what makes a hierarchy another one if it changes."""
    return (
        hierarchy.root.kind,
        hierarchy.root.state,
        hierarchy.zarr_format,
        hierarchy.metadata_source,
        hierarchy.side_names,
        _dialects(hierarchy.root),
        hierarchy.consolidated is None,
    )


def _dialects(root: Node) -> frozenset[tuple[str, str, bool]]:
    """Return what netCDF-C noted on the root, and where: other nodes are compared with that."""
    parts: tuple[nczarr.Part, ...] = ("superblock", "group", "array")
    return frozenset(
        (part, place.era, place.read) for part in parts for place in nczarr.places(root, part)
    )


def _noted(node: Node) -> Any:
    """Return what groups below are compared with: what netCDF-C noted of dimensions, as it reads it, and the wells of a plate."""
    given = node.attributes.get("ome", node.attributes)
    plate = given.get("plate") if isinstance(given, dict) else None
    place = nczarr.find(node, "group")
    escapes = place is not None and any(b"\\u" in (one.raw or b"") for one in node.documents)
    # beside its keys netCDF-C asks for .zattrs; where it lost all, the root tells that there was something
    marked = place is not None or nczarr.find(node.hierarchy.root, "superblock") is not None
    looked_at = marked and node.document(".zattrs") is not None
    begins = nczarr.find(node, "superblock") is not None  # a dataset of its own
    return repr(plate), None if place is None else repr(place.value), escapes, looked_at, begins


def _handed_down(node: Node) -> str:
    """Return what a group says for the arrays in it, or in its levels, that do not say it themselves, as proj: and spatial: have it."""
    given = node.attributes
    names = [name for name in given if name.startswith(("proj:", "spatial:"))]
    levels = multiscales.level_names(given) if "multiscales" in given else None
    return repr(({name: given[name] for name in names}, levels))


def _mentions(array: Array, ends: set[str]) -> bool:
    """Whether an attribute of an array has a path with one of these ends, of whatever start."""
    texts = [text for text in array.attributes.values() if isinstance(text, str) and "/" in text]
    return any(end in text for text in texts for end in ends)


def _axes(node: Node) -> Any:
    return (node.shape, node.dimension_names) if isinstance(node, Array) else None


def _seen_beside(node: Node | None) -> Any:
    """Return what the verdicts on the values of coordinates beside an array depend on: of a grid mapping on all it says."""
    if not isinstance(node, Array):
        return None
    whole = node.attributes if node.shape == () else node.attributes.get("grid_mapping")
    placed = [
        node.attributes[name] for name in sorted(node.attributes) if name.startswith("spatial:")
    ]
    # a transform of a group places the coordinates of the dimensions that its arrays have
    return frozenset(node.attributes), repr((whole, placed, _axes(node)))


def _shared(node: Node | None) -> Any:
    """Return the reference systems of cs that a group keeps, whose limits the values of coordinates are compared with."""
    return repr(node.attributes.get("crs")) if isinstance(node, Group) else None


def _values_key(node: Node) -> Any:
    """Return what the verdicts on an array's values depend on: rules on them may ask for any attribute."""
    if not isinstance(node, Array):
        return None
    return has_value_rules(node), repr(node.metadata), repr(node.attributes)
