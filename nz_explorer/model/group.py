"""Groups: nodes with others in them."""

from __future__ import annotations

from posixpath import join, normpath
from typing import TYPE_CHECKING, Self

from nz_explorer.documents.document import Document
from nz_explorer.model.array import Array
from nz_explorer.model.node import Node, State

if TYPE_CHECKING:
    from nz_explorer.model.hierarchy import Hierarchy

Layouts = dict[tuple[tuple[str | None, ...] | None, tuple[int, ...] | None], list[Array]]
"""Arrays by the names of their dimensions and their shape."""


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
        "_by_kind",
        "_layouts",
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
        self._by_kind: tuple[object, list[Array], list[Group]] = (None, [], [])
        self._layouts: tuple[object, Layouts] = (None, {})
        self.listing_problem: str | None = None
        self.unlisted = False
        self.other_names: tuple[str, ...] = ()

    def clone_structure(self, path: str, document: Document, text: bytes | None = None) -> Self:
        """Return the group of another document with the same structure."""
        twin = super().clone_structure(path, document, text)
        twin.child_names = twin.known_children = twin.listing_problem = None
        twin._by_kind = (None, [], [])  # noqa: SLF001
        twin._layouts = (None, {})  # noqa: SLF001
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
        self._by_kind = (None, [], [])
        self._layouts = (None, {})

    @property
    def children(self) -> list[Node] | None:
        """The nodes directly in it, None before it was listed."""
        return self.hierarchy.loaded_children(self)

    @property
    def arrays(self) -> list[Array]:
        """The arrays directly in it, as far as they are loaded."""
        return list(self._sorted()[1])

    @property
    def groups(self) -> list[Group]:
        """The groups directly in it, as far as they are loaded."""
        return list(self._sorted()[2])

    @property
    def layouts(self) -> Layouts:
        """The arrays directly in it by the names and lengths of their dimensions, which many arrays share."""
        known, arrays, _ = self._sorted()
        found = self._layouts
        if known is None or found[0] is not known:
            layouts: Layouts = {}
            for array in arrays:
                layout = (array.dimension_names, array.shape)
                if (alike := layouts.get(layout)) is None:
                    layouts[layout] = [array]
                else:
                    alike.append(array)
            found = self._layouts = (known, layouts)
        return found[1]

    def array_at(self, path: str) -> Array | None:
        """Return the array that a path leads to from here (CF-1.11, 2.7 Groups), None where there is none."""
        found = self.hierarchy.get(normpath(join(self.path, path)))
        return found if isinstance(found, Array) else None

    def _sorted(self) -> tuple[object, list[Array], list[Group]]:
        """Return what is loaded of the children, for whichever state of them, by kind: rules ask again and again."""
        if self.children is None or (known := self.known_children) is None:
            return None, [], []
        found = self._by_kind
        if found[0] is not known:
            arrays = [child for child in known[1] if isinstance(child, Array)]
            groups = [child for child in known[1] if isinstance(child, Group)]
            found = self._by_kind = (known, arrays, groups)
        return found
