"""Groups: nodes with others in them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self, TypeVar

from nz_explorer.documents.document import Document
from nz_explorer.model.array import Array
from nz_explorer.model.node import Node, State

if TYPE_CHECKING:
    from nz_explorer.model.hierarchy import Hierarchy

T = TypeVar("T")

Layouts = dict[tuple[tuple[str | None, ...] | None, tuple[int, ...] | None], list[Array]]
"""Arrays by the names of their dimensions and their shape."""


class _Members:
    """What rules ask again and again of the nodes in a group, which is found out once."""

    def __init__(self, children: Sequence[Node] = ()) -> None:
        self.arrays = [child for child in children if isinstance(child, Array)]
        self.groups = [child for child in children if isinstance(child, Group)]
        self.found: dict[Callable[[Group], Any], Any] = {}

    @cached_property
    def layouts(self) -> Layouts:
        layouts: Layouts = {}
        for array in self.arrays:
            layout = (array.dimension_names, array.shape)
            if (alike := layouts.get(layout)) is None:
                layouts[layout] = [array]
            else:
                alike.append(array)
        return layouts

    @cached_property
    def coordinates(self) -> dict[str, Array]:
        return {array.name: array for array in self.arrays if array.named_like_dimension}

    @cached_property
    def by_attribute(self) -> dict[str, list[Array]]:
        found: dict[str, list[Array]] = {}
        for array in self.arrays:
            for name in array.attributes:
                if (holders := found.get(name)) is None:
                    found[name] = [array]
                else:
                    holders.append(array)
            array.release()  # of a group with 300,000 arrays not all can stay decoded
        return found


_NOBODY = _Members()


class Group(Node):
    """A group.

    Attributes
    ----------
    child_names : tuple of str or None
        Names of the nodes in it, None before it was listed.
    listing_problem : str or None
        Why its nodes could not (all) be found.
    unlisted : bool
        Whether that is a failure: there may be nodes that were not seen.
    known_children : tuple or None
        The names, and the nodes of these names once someone has asked for them.
    other_names : tuple of str
        Names that the store lists in it and that are no nodes: documents, and what does not belong there.
    """

    __slots__ = (
        "_members",
        "child_names",
        "known_children",
        "listing_problem",
        "other_names",
        "unlisted",
    )
    kind = "group"

    def __init__(
        self,
        hierarchy: Hierarchy,
        path: str,
        documents: tuple[Document, ...],
        *,
        state: State = "ok",
        problem: str | None = None,
    ) -> None:
        super().__init__(hierarchy, path, documents, state=state, problem=problem)
        self.child_names: tuple[str, ...] | None = None
        self.known_children: tuple[tuple[str, ...], list[Node]] | None = None
        self._members: tuple[object, _Members] = (None, _NOBODY)
        self.listing_problem: str | None = None
        self.unlisted = False
        self.other_names: tuple[str, ...] = ()

    def clone_structure(self, path: str, document: Document, text: bytes | None = None) -> Self:
        """Return the group of another document with the same structure."""
        twin = super().clone_structure(path, document, text)
        twin.child_names = twin.known_children = twin.listing_problem = None
        twin._members = (None, _NOBODY)  # noqa: SLF001
        twin.unlisted = False
        twin.other_names = ()
        return twin

    def moved_to(self, hierarchy: Hierarchy) -> Self:
        """Return the same group in a copy of its hierarchy."""
        twin = super().moved_to(hierarchy)
        twin.forget_children()
        return twin

    def forget_children(self) -> None:
        """Let go of the nodes in it; they are found again when asked for."""
        self.known_children = None
        self._members = (None, _NOBODY)

    @property
    def children(self) -> list[Node] | None:
        """The nodes directly in it, None before it was listed."""
        return self.hierarchy.loaded_children(self)

    @property
    def arrays(self) -> list[Array]:
        """The arrays directly in it, as far as they are loaded."""
        return list(self._loaded().arrays)

    @property
    def groups(self) -> list[Group]:
        """The groups directly in it, as far as they are loaded."""
        return list(self._loaded().groups)

    @property
    def layouts(self) -> Layouts:
        """The arrays directly in it by the names and lengths of their dimensions, which many arrays share."""
        return self._loaded().layouts

    @property
    def coordinates(self) -> dict[str, Array]:
        """The arrays directly in it that are dimension coordinates if only their values allow it, by name."""
        return self._loaded().coordinates

    def with_attribute(self, *names: str) -> list[Array]:
        """Return the arrays directly in it that have one of some attributes.

        Parameters
        ----------
        *names : str
            Names of the attributes.

        Returns
        -------
        list of Array
            Each once, in the order in which they are in the group for one name.
        """
        holders = self._loaded().by_attribute
        if len(names) == 1:
            return list(holders.get(names[0], ()))
        found = {array.path: array for name in names for array in holders.get(name, ())}
        return list(found.values())

    def of_children(self, find: Callable[[Group], T]) -> T:
        """Return what is found out about the children, which is remembered while they are the same.

        Parameters
        ----------
        find : callable
            Finds it out, from the group; a function of a module, as what it finds is kept for it.
        """
        members = self._loaded()
        if members is _NOBODY:
            return find(self)
        if find not in members.found:
            members.found[find] = find(self)
        found: T = members.found[find]
        return found

    def _loaded(self) -> _Members:
        """Return what is loaded of the children, for whichever state of them."""
        if self.children is None or (known := self.known_children) is None:
            return _NOBODY
        found = self._members
        if found[0] is not known:
            found = self._members = (known, _Members(known[1]))
        return found[1]
