"""Nodes that were made before, so that others are made like them: most documents of a store are like many others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson

from nz_explorer.documents.outline import Outline, attributes_of
from nz_explorer.documents.split_off import Surroundings, split

if TYPE_CHECKING:
    from nz_explorer.documents.document import Document
    from nz_explorer.model.node import Node

MOST = 10_000
"""Nodes of each kind that are remembered; most stores have a few."""
MOST_BYTES = 16 * 2**20
"""Bytes of their documents."""
MOST_BYTES_OF_ONE = 16 * 1024
"""Bytes of a document up to which others with the same text are looked for: to hash a long text takes longer than to read it."""
MOST_LONG = 8
"""Longer documents that are remembered: each new one is compared with all of them, a microsecond for 10 kB that are equal."""
MOST_BYTES_OF_LONG = 2**20
"""Bytes of one of these."""


class Templates:
    """What is remembered of the nodes of a hierarchy while others are made.

    Three ways lead to a node that is like a new one, each taken where the one before leads nowhere: its document is
    equal to the letter; it is equal to the letter around the attributes, and there is nothing wrong with these; it
    says the same around them. Only the last one takes to decode the whole document.
    """

    def __init__(self) -> None:
        self._texts: dict[bytes, Node] = {}
        """By document."""
        self._outlines: Surroundings[tuple[Outline, Node]] = Surroundings()
        """By what stands around the attributes."""
        self._structures: dict[bytes, Node] = {}
        """By what is said around them."""
        self._long: Surroundings[tuple[Outline, Node]] = Surroundings()
        """The same of groups with the consolidated metadata of what is below, which take long to decode."""
        self._left_long = MOST_LONG
        self._left = MOST_BYTES

    def like(self, path: str, document: Document, raw: bytes) -> Node | None:
        """Return a node that is made without decoding the whole document, None where that has to be done.

        Parameters
        ----------
        path : str
            Its absolute path.
        document : Document
            Its ``zarr.json``.
        raw : bytes
            The text of that.
        """
        if len(raw) > MOST_BYTES_OF_ONE:
            return self._around(self._long, path, document, raw)
        same = self._texts.get(raw)
        if same is not None:
            document.equals(same.documents[0])
            return same.clone_structure(path, document, same.text)
        made = self._around(self._outlines, path, document, raw)
        if made is not None:
            self._remember_text(made, raw)
        return made

    def _around(
        self,
        outlines: Surroundings[tuple[Outline, Node]],
        path: str,
        document: Document,
        raw: bytes,
    ) -> Node | None:
        """Return a node like one whose document is equal to the letter around the attributes; None where there is none."""
        if (found := outlines.find(raw)) is None:
            return None
        (outline, model), inside = found
        attributes = attributes_of(inside)
        if attributes is None:
            return None
        document.has_outline(outline, attributes)
        return model.clone_structure(path, document)

    def remember_long(self, node: Node, raw: bytes) -> None:
        """Have others made like a group that holds metadata of other nodes, so that nothing else is shared with it.

        Parameters
        ----------
        node : Node
            The group, of one document.
        raw : bytes
            That document.
        """
        if not self._left_long or not MOST_BYTES_OF_ONE < len(raw) <= MOST_BYTES_OF_LONG:
            return
        self._left_long -= 1
        document = node.documents[0]
        if document.problems or (parts := split(raw, MOST_BYTES_OF_LONG)) is None:
            return
        outline = Outline.of_long(parts[0])
        if outline is not None and self._long.add(parts[0], (outline, node)):
            document.has_outline(outline, None)

    def of_structure(self, structure_key: bytes) -> Node | None:
        """Return a node whose document says the same apart from the attributes."""
        return self._structures.get(structure_key)

    def remember(self, node: Node, raw: bytes, structure_key: bytes) -> None:
        """Have others made like a node.

        Parameters
        ----------
        node : Node
            The node, of one document.
        raw : bytes
            That document.
        structure_key : bytes
            What it says around the attributes; nodes of which that is known have no problems.
        """
        if structure_key not in self._structures:
            if not self._has_room(self._structures, structure_key):
                return
            node.structure_key = structure_key
            self._structures[structure_key] = node
        if len(raw) > MOST_BYTES_OF_ONE:
            return
        parts = split(raw)
        if parts is not None and self._left >= len(parts[0]):
            outline = Outline.of(parts[0])
            # What was decoded with a closer look may say something else when it is decoded plainly.
            if outline is not None and orjson.dumps(outline.filled({})) == structure_key:
                if self._outlines.add(parts[0], (outline, node)):
                    self._left -= len(parts[0])
                if attributes_of(parts[1]) is not None:
                    node.documents[0].has_outline(outline, None)
        self._remember_text(node, raw)

    def _remember_text(self, node: Node, raw: bytes) -> None:
        if self._has_room(self._texts, raw):
            node.text = raw
            self._texts[raw] = node

    def _has_room(self, known: dict[bytes, Any], key: bytes) -> bool:
        """Whether one more may be remembered; if so it is counted."""
        if len(known) >= MOST or self._left < len(key):
            return False
        self._left -= len(key)
        return True
