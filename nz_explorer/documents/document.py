"""One metadata document, decoded when it is asked what it says."""

from __future__ import annotations

from typing import Any, Literal

import msgspec
import orjson

from nz_explorer.documents import positions
from nz_explorer.documents.decoding import (
    decode_outside_entries,
    indexed_entries,
    problems_of_entries,
)
from nz_explorer.documents.json_types import has_infinity
from nz_explorer.documents.outline import Outline
from nz_explorer.documents.positions import Scan, ScanError, Span, scan
from nz_explorer.documents.problems import DocumentProblem
from nz_explorer.documents.tolerant import text_of
from nz_explorer.store import ReadError

Origin = Literal["stored", "consolidated"]

PACKED_FROM = 16 * 1024
"""Bytes from which on a document that is released is kept compressed, such as that of a group with metadata of its own nodes."""


class _Packed(bytes):
    """The bytes of a document, compressed."""


def _packed(raw: bytes) -> _Packed:
    """Compress with LZ4: a tenth of the time that zlib takes, and JSON repeats itself enough for it."""
    from numcodecs import lz4  # type: ignore[import-untyped]  # most stores have no such document

    return _Packed(lz4.compress(raw, 1))


def _unpacked(packed: _Packed) -> bytes:
    from numcodecs import lz4

    return bytes(lz4.decompress(packed))


class _Text(msgspec.Struct, gc=False, eq=False):
    """What a document is given, in this order; more can be given by name."""

    name: str
    key: str
    _raw: bytes | msgspec.Raw | None


class Document(
    _Text, gc=False, eq=False, kw_only=True
):  # part of no cycle, so nothing for the collector
    """A metadata document of a node.

    Parameters
    ----------
    name : str
        ``zarr.json``, ``.zgroup``, ``.zarray``, ``.zattrs`` or ``.zmetadata``.
    key : str
        Its key in the store.
    raw : bytes or msgspec.Raw, optional
        Its bytes; None where it is absent or could not be read.
    error : ReadError, optional
        Why it could not be read.
    origin : str
        ``stored``, or ``consolidated`` where the bytes come from consolidated metadata.
    """

    error: ReadError | None = None
    origin: Origin = "stored"
    _value: Any = msgspec.UNSET
    _problems: tuple[DocumentProblem, ...] | None = None
    _scan: Scan | None = None
    _outline: Outline | None = None
    _attributes: dict[str, Any] | msgspec.UnsetType = msgspec.UNSET
    _same: Document | None = None

    @property
    def raw(self) -> bytes | None:
        """The bytes, None where there are none."""
        raw = self._raw  # looked at once: another thread may release the document meanwhile
        if self._outline is not None and type(raw) is bytes:
            return self._outline.text(raw)
        if type(raw) is _Packed:
            return _unpacked(raw)
        return None if raw is None else bytes(raw)

    @property
    def has_bytes(self) -> bool:
        """Whether it is there and was read."""
        return self._raw is not None

    @property
    def value(self) -> Any:
        """The content of the document; None where it cannot be decoded."""
        if self._value is msgspec.UNSET:
            self._decode()
        return self._value

    @property
    def ok(self) -> bool:
        """Whether it holds an object."""
        return isinstance(self.value, dict)

    @property
    def problems(self) -> tuple[DocumentProblem, ...]:
        """What is wrong with the text."""
        if self._problems is None:
            value = self.value
            if self._problems is None:  # so far nobody has looked into the entries
                self._problems = problems_of_entries(value, self.raw or b"", self.key)
        return self._problems

    @property
    def text(self) -> str:
        """The text, with replacement characters where it is not UTF-8."""
        return text_of(self.raw or b"")[0]

    @property
    def structure_key(self) -> bytes | None:
        """The content of a ``zarr.json`` apart from its attributes, as a text that is equal where that is.

        None where it is of no use: the document has problems, or holds other ones.
        """
        value = self.value
        if self._problems or self._raw is None or "consolidated_metadata" in value:
            return None
        if type(value.get("attributes")) is dict:
            value = {**value, "attributes": {}}
        try:
            text = orjson.dumps(value)
        except TypeError:  # an integer beyond 64 bits, or half of a character
            return None
        # orjson writes infinity as null, and 1e400 is infinity
        return None if b"null" in text and has_infinity(value) else text

    def has_outline(self, outline: Outline, attributes: dict[str, Any] | None) -> None:
        """Note what a document without problems says around its attributes, so that these alone need be decoded.

        Parameters
        ----------
        outline : Outline
            What stands around them.
        attributes : dict or None
            The attributes, where they have been decoded just now.
        """
        self._problems = ()
        if type(self._raw) is bytes and self._outline is None:
            # The text around them is kept once; consolidated entries are part of another document.
            self._raw = outline.inside(self._raw)
        self._outline = outline
        if attributes is not None:
            self._attributes = attributes

    @property
    def attributes(self) -> Any:
        """The member of this name in a ``zarr.json``, for which not all of it need be decoded; None where there is none."""
        if self._attributes is not msgspec.UNSET:
            return self._attributes
        if self._same is not None:
            return self._same.attributes
        if self._outline is not None and self._value is msgspec.UNSET:
            raw = self._raw
            inside = raw if type(raw) is bytes else self._outline.inside(bytes(raw or b""))
            found = self._attributes = orjson.loads(inside)
            return found
        value = self.value
        return value.get("attributes") if isinstance(value, dict) else None

    def equals(self, other: Document) -> None:
        """Share the content of a document that is equal to the letter and has no problems."""
        self._problems = ()
        self._same = other
        if type(self._raw) is bytes and type(other._raw) is bytes:
            self._raw, self._outline = other._raw, other._outline

    @property
    def is_long(self) -> bool:
        """Whether `release` compresses its bytes: they are many, and no other document has the same ones."""
        raw = self._raw
        return type(raw) is bytes and len(raw) >= PACKED_FROM and self._same is None

    def release(self) -> None:
        """Forget the decoded value; it is decoded again when asked for."""
        raw = self._raw
        if raw is not None:
            self._value = self._attributes = msgspec.UNSET
            self._scan = None
            # `is_long`, written out: this is done for each document of a walk, more than once
            if type(raw) is bytes and len(raw) >= PACKED_FROM and self._same is None:
                self._raw = _packed(self.raw or b"")

    def scan(self) -> Scan | None:
        """Return the places of its values, None where it is no JSON or too long to walk."""
        if self._scan is None and self._raw is not None:
            text = self.text
            if len(text) <= positions.SCAN_LIMIT:
                try:
                    self._scan = scan(text)
                except ScanError:
                    return None
        return self._scan

    def span(self, pointer: str) -> Span | None:
        """Return the position of the value at a pointer."""
        places = self.scan()
        return places.span(pointer) if places else None

    def token(self, pointer: str) -> str | None:
        """Return the value at a pointer as it is spelled."""
        places = self.scan()
        return places.token(pointer) if places else None

    def _decode(self) -> None:
        if self.error is not None:
            self._value = None
            self._problems = (
                DocumentProblem("io", str(self.error), detail={"reason": self.error.reason}),
            )
        elif self._raw is None:
            self._value, self._problems = None, ()
        elif self._same is not None:
            self._value = self._same.value
        elif self._outline is not None:
            self._value = self._outline.filled(self.attributes)
        else:
            self._value, problems = decode_outside_entries(self.raw or b"", self.key)
            if self.origin == "consolidated":  # which is a problem of the text that holds the entry
                problems = tuple(one for one in problems if one.kind != "duplicate")
            if problems or indexed_entries(self._value) is None:
                self._problems = problems
