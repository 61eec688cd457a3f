"""A node: what its documents say of it – also where they are wrong."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

from nz_explorer.documents import pointers
from nz_explorer.documents.document import Document
from nz_explorer.model import paths

if TYPE_CHECKING:
    from nz_explorer.model.hierarchy import Hierarchy


Kind = Literal["group", "array", "unknown"]
State = Literal["ok", "missing", "malformed", "unreadable"]
ZarrFormat = Literal[2, 3]

MAIN_DOCUMENTS = ("zarr.json", ".zarray", ".zgroup")
"""The documents that make a path a node, the one that counts first."""
_PLAIN = frozenset((str, float, bool))
_EXACT = 2**53
"""Integers below it are exact in readers that have no others than float64, such as JavaScript."""


class Node:
    """A path of the hierarchy that has metadata documents, or at which some were expected.

    Attributes
    ----------
    path : str
        Absolute path, ``/`` for the root.
    name : str
        The last part of the path, empty for the root.
    kind : str
        ``group``, ``array``, or ``unknown`` where the documents do not say.
    state : str
        ``ok``; ``missing``: there is no document though there are nodes below;
        ``malformed``: the document cannot be understood; ``unreadable``: the store failed.
    problem : str or None
        What is wrong, in a sentence.
    zarr_format : int or None
        2 or 3, by the documents that were found.
    documents : tuple of Document
        All that were found, the one that counts first.
    generation : int
        In which the store was when they were read; see `nz_explorer.store.generation`.
    structure_key : bytes or None
        Equal for nodes whose documents differ in nothing but attributes; None where that is not known.
    text : bytes or None
        The same object for nodes whose documents are equal to the letter; None where that is not known.
    """

    __slots__ = (
        "_main",
        "documents",
        "generation",
        "hierarchy",
        "name",
        "path",
        "problem",
        "state",
        "structure_key",
        "text",
        "zarr_format",
    )
    kind: ClassVar[Kind] = "unknown"

    def __init__(
        self,
        hierarchy: Hierarchy,
        path: str,
        documents: tuple[Document, ...],
        *,
        state: State = "ok",
        problem: str | None = None,
    ) -> None:
        self.hierarchy = hierarchy
        self.path = path
        self.name = path.rpartition("/")[2]
        self.documents = documents
        self.state = state
        self.problem = problem
        self.generation = 0
        self.structure_key: bytes | None = None
        self.text: bytes | None = None
        main = documents[0] if documents else None
        self._main = main if main is not None and main.name in MAIN_DOCUMENTS else None
        self.zarr_format: ZarrFormat | None = (
            None if self._main is None else 3 if self._main.name == "zarr.json" else 2
        )

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.path} {self.state}>"

    @property
    def parent(self) -> str | None:
        """The path of the group above, None for the root."""
        return None if self.path == "/" else paths.above(self.path)

    @property
    def is_root(self) -> bool:
        """Whether it is the root of the hierarchy."""
        return self.path == "/"

    @property
    def main_document(self) -> Document | None:
        """The document that makes it a node: ``zarr.json``, ``.zarray`` or ``.zgroup``."""
        return self._main

    def document(self, name: str) -> Document | None:
        """Return a document by name, None where there is none."""
        return next((document for document in self.documents if document.name == name), None)

    @property
    def metadata(self) -> dict[str, Any]:
        """The decoded main document, empty where it is unusable."""
        value = None if self._main is None else self._main.value
        return value if isinstance(value, dict) else {}

    @property
    def attributes_document(self) -> Document | None:
        """The document that holds the attributes."""
        return self._main if self.zarr_format == 3 else self.document(".zattrs")

    @property
    def attributes(self) -> dict[str, Any]:
        """The user's attributes, empty where there are none or they are no object.

        Not to be changed: nodes that say the same may share them. Edits are made with `what_if`.
        """
        if self.zarr_format == 3:
            value = None if self._main is None else self._main.attributes
        else:
            document = self.document(".zattrs")
            value = None if document is None else document.value
        return value if isinstance(value, dict) else {}

    @property
    def attribute_types(self) -> dict[str, type]:
        """The type of each attribute, which rules ask for where its value does not matter: most values differ from node to node."""
        return {name: type(value) for name, value in self.attributes.items()}

    @property
    def odd_attributes(self) -> list[tuple[str, Any]]:
        """Attributes that are no plain value: neither text, nor true or false, nor a number that all readers hold."""
        return odd(self.attributes)

    def unreadable(self) -> str:
        """Return why there is nothing to be had of a node that is neither a group nor an array, in a sentence."""
        why = self.problem or "its documents do not say what it is"
        return f"{self.path} is neither a group nor an array: {why}"

    def pointer(self, *members: str | int) -> str:
        """Return the pointer to a member of the main document, as reports write it."""
        base = "" if self.zarr_format != 2 or self._main is None else f"/{self._main.name}"
        return pointers.join(base, *members)

    def attribute_pointer(self, *members: str | int) -> str:
        """Return the pointer to an attribute, as reports write it."""
        return pointers.join("/.zattrs" if self.zarr_format == 2 else "/attributes", *members)

    def locate(self, pointer: str) -> tuple[Document | None, str]:
        """Return the document that a report's pointer speaks of, and the pointer inside it."""
        if self.zarr_format == 2:
            name, slash, rest = pointer.removeprefix("/").partition("/")
            if (document := self.document(name)) is not None:
                return document, slash + rest
        return self._main, pointer

    def clone_structure(self, path: str, document: Document, text: bytes | None = None) -> Self:
        """Return the node of another document with the same structure.

        Parameters
        ----------
        path : str
            Absolute path of the new node.
        document : Document
            Its document.
        text : bytes, optional
            Its attribute of this name.
        """
        # Member by member, which is faster than through three constructors.
        twin = type(self).__new__(type(self))
        twin.hierarchy = self.hierarchy
        twin.path = path
        twin.name = path.rpartition("/")[2]
        twin.documents = (document,)
        twin.state = self.state
        twin.problem = self.problem
        twin.generation = 0
        twin.structure_key = self.structure_key
        twin.text = text
        twin.zarr_format = self.zarr_format
        twin._main = document  # noqa: SLF001  # of the same class
        return twin

    def moved_to(self, hierarchy: Hierarchy) -> Self:
        """Return the same node in a copy of its hierarchy."""
        twin = copy.copy(self)
        twin.hierarchy = hierarchy
        return twin

    @property
    def is_long(self) -> bool:
        """Whether a document takes much less memory after `release`, such as one with consolidated metadata."""
        for document in self.documents:  # noqa: SIM110  # `any` takes five times as long, for each node of a walk
            if document.is_long:
                return True
        return False

    def release(self) -> None:
        """Forget decoded documents; they are decoded again when asked for."""
        for document in self.documents:
            document.release()


def odd(attributes: dict[str, Any]) -> list[tuple[str, Any]]:
    """Return attributes that are neither text, nor true or false, nor a number that all readers hold exactly."""
    if _PLAIN.issuperset(map(type, attributes.values())):  # most are, which is decided quickly
        return []
    return [
        (name, value)
        for name, value in attributes.items()
        if type(value) not in _PLAIN and not (type(value) is int and -_EXACT < value < _EXACT)
    ]
