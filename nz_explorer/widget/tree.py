"""Nodes as rows of the tree."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Any

from nz_explorer.engine.evaluation import Evaluation
from nz_explorer.model import Array, Group, Node, RoleResult, classify, references
from nz_explorer.model.dialects.images import image_level
from nz_explorer.model.dialects.multiscales import level_names
from nz_explorer.model.roles import RoleTest
from nz_explorer.store import Cancellation
from nz_explorer.values.coordinates.axes import units_label
from nz_explorer.widget import protocol, text
from nz_explorer.widget.impacts import Impacts

MAX_INSIDE = 4
"""How many arrays of a group are named on its card."""
UNSEEN = "it is not in the consolidated metadata: readers that use that do not see it"


class Tree:
    """The hierarchy as the widget shows it, with roles and counts.

    Beside the nodes of the hierarchy it has those that only the stored documents know, where the
    consolidated metadata lacks them.
    """

    def __init__(self, evaluation: Evaluation) -> None:
        self.evaluation = evaluation
        self.hierarchy = evaluation.hierarchy
        self.impacts = Impacts(evaluation)
        self._named_by: dict[
            str, tuple[tuple[str, ...] | None, dict[str, list[tuple[str, str]]]]
        ] = {}
        """By group: the names that it had, and who names whom there."""

    def node(self, path: str) -> Node:
        """Return a node; raise `NodeNotFound` if there is none."""
        node = self.hierarchy.get(path)
        if node is None and (stored := self._stored_node(path)) is not None:
            return stored
        return self.hierarchy[path] if node is None else node

    def children(self, group: Node) -> list[Node]:
        """Return the nodes in a group, groups first, each sorted by name."""
        children = list(group.hierarchy.children(group))
        if group.hierarchy.metadata_source == "consolidated":
            known = {child.path for child in children}
            stored = self.hierarchy.stored.node_if_loaded(group.path)
            if isinstance(stored, Group):
                children.extend(c for c in stored.children or () if c.path not in known)
        return sorted(children, key=lambda child: (child.kind != "group", child.name))

    def arrays(self, group: Group, cancel: Cancellation | None = None) -> list[Array]:
        """Return the arrays in a group, sorted by name; the group is read if that was not done yet.

        Parameters
        ----------
        group : Group
            The group.
        cancel : Cancellation, optional
            Ends the reading early.
        """
        group.hierarchy.children(group, cancel)
        return [child for child in self.children(group) if isinstance(child, Array)]

    def _stored_node(self, path: str) -> Node | None:
        if self.hierarchy.metadata_source == "documents":
            return None
        return self.hierarchy.stored.node_if_loaded(path)

    def role(self, array: Array) -> RoleResult:
        """Return what an array is for; one that `multiscales` names as a smaller copy of another is an overview of it."""
        found = classify(
            array,
            self.evaluation.monotonicity(array.path),
            self._references(array).get(array.name, ()),
        )
        whole = self.copied(array) if found.role == "data" else None
        if whole is None:
            return found
        test = RoleTest("multiscales names it as a smaller copy", True, whole, "NZ-AUX-001")
        return replace(found, role="overview", tests=(*found.tests, test))

    def copied(self, array: Array) -> str | None:
        """Return the name of the array that one is a smaller copy of, a lower level of its group's pyramid."""
        group = None if array.parent is None else array.hierarchy.node_if_loaded(array.parent)
        first, *others = (group and level_names(group.attributes)) or [""]
        return first if array.name in others else None

    def _references(self, array: Array) -> dict[str, list[tuple[str, str]]]:
        parent = array.parent
        group = None if parent is None else array.hierarchy.node_if_loaded(parent)
        if not isinstance(group, Group):
            return {}
        known = self._named_by.get(group.path)
        # whenever one of the nodes becomes another one, the names are noted anew
        if known is None or known[0] is not group.child_names:
            known = (group.child_names, references(group.arrays, group))
            self._named_by[group.path] = known
        return known[1]

    def row(self, node: Node) -> protocol.NodeRow:
        """Return the row of a node."""
        counts = self.evaluation.counts(node.path)
        details: dict[str, Any] = {}
        if isinstance(node, Array):
            role = self.role(node)
            level = image_level(node) if node.dimension_names is None else None
            names = node.dimension_names if level is None else level.names
            details = {
                "has_children": False,
                "shape": None if node.shape is None else list(node.shape),
                "data_type": node.data_type.text,
                "dimension_names": None if names is None else list(names),
                "role": role.role,
                "direction": role.direction,
                "units": units_label(node),
            }
        elif isinstance(node, Group):
            details = {"has_children": None if node.child_names is None else bool(node.child_names)}
        else:
            details = {"has_children": False}
        state: protocol.NodeState = node.state
        problem = node.problem
        if node.hierarchy is not self.hierarchy:
            state, problem = ("missing", UNSEEN) if state == "ok" else (state, problem)
        return protocol.NodeRow(
            path=node.path,
            name=node.name or "/",
            kind=node.kind,
            state=state,
            problem=problem,
            counts=protocol.Counts(counts.error, counts.warning, counts.info, counts.complete),
            impacts=self.impacts.at(node.path),
            label=text.label(node),
            **details,
        )

    def card(self, group: Group) -> protocol.GroupCard:
        """Return a group in a group, with what is known of its content: nothing is read for it."""
        row = self.row(group)
        inside = self._at_hand(group)
        if inside is None:
            return protocol.GroupCard(row)
        if not inside:  # nobody knows that it is empty where it cannot be listed
            row.problem = row.problem or group.listing_problem
        return protocol.GroupCard(
            row,
            groups=sum(child.kind == "group" for child in inside),
            arrays=sum(isinstance(child, Array) for child in inside),
            inside=[self.row(array) for array in self._first_inside(group)[:MAX_INSIDE]],
        )

    def _first_inside(self, group: Group, levels: int = 3) -> list[Array]:
        """Return the arrays in a group; where it has only groups, the first ones in these."""
        inside = self._at_hand(group) or ()
        arrays = self.data_first([child for child in inside if isinstance(child, Array)])
        if not arrays and levels:
            for child in [child for child in inside if isinstance(child, Group)][:MAX_INSIDE]:
                arrays += self._first_inside(child, levels - 1)
            arrays = self.data_first(arrays)
        return arrays

    def _at_hand(self, group: Group) -> Collection[Node] | None:
        """Return what is in a group, None where it would have to be read."""
        if group.hierarchy.metadata_source == "consolidated":
            group.hierarchy.children(group)
        return group.children

    def data_first(self, arrays: list[Array]) -> list[Array]:
        """Return arrays with those that hold data before those that describe them."""
        return sorted(arrays, key=lambda array: self.role(array).role != "data")
