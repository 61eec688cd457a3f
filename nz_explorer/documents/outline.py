"""What documents of one kind share: all of a ``zarr.json`` but its attributes, decoded and looked at once.

In a store of 100,000 arrays there are few kinds of arrays, even where no two documents are equal: what differs
are the attributes. A text that equals another one around them needs only its attributes decoded, a tenth of it.
"""

from __future__ import annotations

from typing import Any

import msgspec

from nz_explorer.documents.decoding import decode_outside_entries, decode_plainly
from nz_explorer.documents.split_off import HELD, HOLE, around_attributes


class Outline(msgspec.Struct, gc=False):
    """The content of documents that are equal around their attributes.

    Parameters
    ----------
    around : dict
        The members; what stands for the attributes is of no meaning.
    before, after : bytes
        The text before and behind the attributes.
    """

    around: dict[str, Any]
    before: bytes
    after: bytes

    @classmethod
    def of(cls, text: bytes) -> Outline | None:
        """Return the outline of a document that is known to be plain; see `decode_plainly`.

        Parameters
        ----------
        text : bytes
            The first of what `split_off.split` returns for it.

        Returns
        -------
        Outline or None
            None where it was not the attributes of the document that were found.
        """
        around = around_attributes(text)
        if around is None:
            return None
        before, _, after = text.partition(b"\0")
        return cls(around, before, after)

    @classmethod
    def of_long(cls, text: bytes) -> Outline | None:
        """Return the outline of a document without problems whose consolidated entries are indexed; see `of`."""
        before, _, after = text.partition(b"\0")
        around, problems = decode_outside_entries(before + HELD + after)
        if problems or type(around) is not dict or around.get("attributes") != HOLE:
            return None
        return cls(around, before, after)

    def filled(self, attributes: dict[str, Any]) -> dict[str, Any]:
        """Return the content of a document with these attributes; what is around them is shared, not copied."""
        value = self.around.copy()
        value["attributes"] = attributes
        return value

    def inside(self, raw: bytes) -> bytes:
        """Return the text of the attributes of a document with this outline.

        Parameters
        ----------
        raw : bytes
            Its text.
        """
        return raw[len(self.before) : len(raw) - len(self.after)]

    def text(self, inside: bytes) -> bytes:
        """Return the text of the document with this outline whose attributes have a text."""
        return self.before + inside + self.after


def attributes_of(inside: bytes) -> dict[str, Any] | None:
    """Return attributes that are a plain object, None where a closer look is needed."""
    return decode_plainly(inside)
