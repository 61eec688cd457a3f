"""Which nodes use the conventions that are evaluated only where they are used."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nz_explorer.engine.registry import Registry
    from nz_explorer.model import Node


class ConventionUsage:
    """The nodes that use a convention which is evaluated where a node has one of some attributes.

    Parameters
    ----------
    registry : Registry
        The conventions that are known.
    """

    def __init__(self, registry: Registry) -> None:
        self._where_used = {
            one.key: one.used_where for one in registry.askable.values() if one.used_where
        }
        self._refers_by = frozenset(n for one in registry.askable.values() for n in one.refers_by)
        used = (name for names in self._where_used.values() for name in names)
        self._names = self._refers_by.union(used)
        self._suggested_by = {
            one.key: one.suggested_by for one in registry.askable.values() if one.suggested_by
        }
        self._users: dict[tuple[str, str], None] = {}
        """Convention and path of the nodes that use it."""
        self._referring: set[str] = set()
        """Paths of nodes that refer to others without using one."""
        self._suggested: dict[tuple[str, str], None] = {}
        """Convention and path of the nodes that suggest to ask for it."""
        self._plain: set[bytes] = set()
        """Documents that use none of them."""

    def copy(self) -> ConventionUsage:
        """Return the same, which changes independently."""
        twin = copy.copy(self)
        vars(twin).update(
            _users=self._users.copy(),
            _referring=self._referring.copy(),
            _suggested=self._suggested.copy(),
            _plain=self._plain.copy(),
        )
        return twin

    def note(self, node: Node, is_new: bool) -> None:
        """Note what a node uses; less is to be done for one that was not known before.

        Parameters
        ----------
        node : Node
            The node.
        is_new : bool
            Whether the node was not known before.
        """
        if is_new and node.text is not None and node.text in self._plain:
            return
        attributes = node.attributes
        plain = self._names.isdisjoint(attributes)  # as nearly always
        if not (plain and is_new):
            self._note_uses(node.path, attributes)
        for convention, suggests in self._suggested_by.items():
            if suggests(attributes):
                self._suggested[convention, node.path] = None
                plain = False
            elif not is_new:
                self._suggested.pop((convention, node.path), None)
        if plain and node.text is not None:
            self._plain.add(node.text)

    def _note_uses(self, path: str, attributes: dict[str, Any]) -> None:
        for convention, names in self._where_used.items():
            if attributes.keys().isdisjoint(names):
                self._users.pop((convention, path), None)
            else:
                self._users[convention, path] = None
        if self._refers_by.isdisjoint(attributes):
            self._referring.discard(path)
        else:
            self._referring.add(path)

    def forget(self, path: str) -> None:
        """Forget one node."""
        for convention in self._where_used:
            self._users.pop((convention, path), None)
        for convention in self._suggested_by:
            self._suggested.pop((convention, path), None)
        self._referring.discard(path)

    @property
    def suggested(self) -> dict[str, str]:
        """Keys of the conventions that some nodes suggest to ask for, and the first of the nodes."""
        return dict(reversed(self._suggested))

    @property
    def unused(self) -> set[str]:
        """Keys of the conventions that are evaluated only where they are used, and are used nowhere."""
        return self._where_used.keys() - {key for key, _ in self._users}

    @property
    def nodes(self) -> set[str]:
        """Paths of the nodes that use one of them, or refer to other nodes."""
        return {path for _, path in self._users} | self._referring
