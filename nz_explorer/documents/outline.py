"""What documents of one kind share: all of a ``zarr.json`` but its attributes, decoded and looked at once.

In a store of 100,000 arrays there are few kinds of arrays, even where no two documents are equal: what differs
are the attributes. A text that equals another one around them needs only its attributes decoded, a tenth of it.
"""

from __future__ import annotations

from typing import Any

import msgspec
import orjson

from nz_explorer.documents.decoding import decode_plainly
from nz_explorer.documents.split_off import around_attributes


class Outline(msgspec.Struct, gc=False):
    """The content of documents that are equal around their attributes.

    Parameters
    ----------
    around : dict
        The members; what stands for the attributes is of no meaning.
    before, after : int
        How many bytes stand before and behind the attributes.
    """

    around: dict[str, Any]
    before: int
    after: int

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
        return cls(around, len(before), len(after))

    def filled(self, attributes: dict[str, Any]) -> dict[str, Any]:
        """Return the content of a document with these attributes; what is around them is shared, not copied."""
        value = self.around.copy()
        value["attributes"] = attributes
        return value

    def attributes(self, raw: bytes) -> dict[str, Any]:
        """Return the attributes of a document with this outline, which was looked at before.

        Parameters
        ----------
        raw : bytes
            Its text.
        """
        found: dict[str, Any] = orjson.loads(raw[self.before : len(raw) - self.after])
        return found


def attributes_of(inside: bytes) -> dict[str, Any] | None:
    """Return attributes that are a plain object, None where a closer look is needed."""
    return decode_plainly(inside)
