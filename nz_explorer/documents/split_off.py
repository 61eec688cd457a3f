"""The attributes of a ``zarr.json``, split off the rest of its text, which most documents of a store share.

To find them takes a decoder, and half of the time that a small document takes in all. Where the text around them was
met before, two comparisons will do: what stands between the same texts, and is an object, is the attributes.
"""

from __future__ import annotations

from typing import Any, Generic, TypeVar

import msgspec
import orjson

_KEY = b'"attributes"'
MOST_BYTES = 64 * 1024
"""Documents above it are decoded as a whole."""
MOST_ATTRIBUTES = 2000
"""Bytes of attributes above which they are, too. In fewer nothing nests too deep for a decoder."""
MOST_AROUND = 10_000
"""Texts around attributes that are known; most stores have a few."""

HOLE = "\0"
"""Stands for the attributes where the rest of a document is decoded without them; `HELD` is its text."""
HELD = b'"\\u0000"'

T = TypeVar("T")


class _Holder(msgspec.Struct):
    attributes: msgspec.Raw


_HOLDER = msgspec.json.Decoder(_Holder)


def split(raw: bytes, most: int = MOST_BYTES) -> tuple[bytes, bytes] | None:
    """Return the text around the attributes, with a zero byte in their place, and their own text.

    Parameters
    ----------
    raw : bytes
        The text of a ``zarr.json``.
    most : int
        Bytes above which nothing is split off.

    Returns
    -------
    tuple of bytes or None
        None where they are not found at one look. Where they are, the text is that around, with these in the place of
        the zero byte, which no JSON text holds; whether they are what they seem is found out by `Outline.of`.
    """
    at = raw.find(_KEY)
    if at < 0 or len(raw) > most:
        return None
    try:
        inside = bytes(_HOLDER.decode(raw).attributes)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    begin = raw.find(b"{", at + len(_KEY))
    end = begin + len(inside)
    if len(inside) > MOST_ATTRIBUTES or raw[begin:end] != inside:
        return None
    return raw[:begin] + b"\0" + raw[end:], inside


def around_attributes(text: bytes) -> dict[str, Any] | None:
    """Return what a document says around its attributes, for which there stands `HOLE`.

    Parameters
    ----------
    text : bytes
        The first of what `split` returns for it. No key may occur twice in an object.

    Returns
    -------
    dict or None
        None where it was not the attributes of the document that were found.
    """
    before, _, after = text.partition(b"\0")
    try:
        around = orjson.loads(before + HELD + after)
    except orjson.JSONDecodeError:
        return None
    # The document has no key twice, so what stands here stands nowhere else.
    return around if type(around) is dict and around.get("attributes") == HOLE else None


class Surroundings(Generic[T]):
    """What is known of documents by the text around their attributes."""

    def __init__(self) -> None:
        self._known: dict[bytes, tuple[tuple[bytes, T], ...]] = {}
        """Text before the attributes → those behind them, the longest one first."""
        self._left = MOST_AROUND

    def add(self, text: bytes, known: T) -> bool:
        """Note what is known, unless something is known already or there is too much; return whether it was noted.

        Parameters
        ----------
        text : bytes
            The first of what `split` returns for a document, in which `around_attributes` has found these.
        known
            What is to be found for documents with this text.
        """
        before, _, after = text.partition(b"\0")
        given = self._known.get(before, ())
        if self._left <= 0 or any(after == other for other, _ in given):
            return False
        self._left -= 1
        # Threads add and find at the same time: what they see never changes, and what two add at once, one may lose.
        self._known[before] = tuple(sorted([*given, (after, known)], key=lambda one: -len(one[0])))
        return True

    def find(self, raw: bytes) -> tuple[T, bytes] | None:
        """Return what is known of a document, and the text of its attributes if it is that of an object.

        Parameters
        ----------
        raw : bytes
            The text of a ``zarr.json``.
        """
        begin = raw.find(b"{", raw.find(_KEY) + len(_KEY))
        for after, known in self._known.get(raw[:begin], ()):
            if raw.endswith(after):
                inside = raw[begin : len(raw) - len(after)]
                return (known, inside) if len(inside) <= MOST_ATTRIBUTES else None
        return None
