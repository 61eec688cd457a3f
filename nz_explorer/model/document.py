"""One metadata document, decoded tolerantly: whatever its bytes are, there is an answer.

A well-formed document takes the fast path (orjson). One that orjson refuses, or that may repeat a key,
is decoded again with Python's own decoder, which accepts what Python programs write, and what is wrong
with it is told as problems with line and column.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import msgspec
import orjson

from nz_explorer.model import pointers
from nz_explorer.model.scan import MAX_DEPTH, Scan, ScanError, Span, scan, with_quotes
from nz_explorer.store import ReadError

Origin = Literal["stored", "consolidated"]
ProblemKind = Literal[
    "utf8",
    "syntax",
    "bare-token",
    "duplicate",
    "bom",
    "not-object",
    "empty",
    "truncated",
    "limit",
    "io",
]

SCAN_LIMIT = 4 * 1024 * 1024
"""Characters up to which a document is walked for positions; that takes about a second."""
LAZY_BYTES = 64 * 1024
"""Documents above this have their consolidated entries indexed instead of decoded."""

_INDENT = orjson.OPT_INDENT_2
_LONG_NUMBER = re.compile(rb"[0-9]{19}")

JSON_TYPES = {
    dict: "object",
    list: "array",
    str: "string",
    bool: "boolean",
    int: "number",
    float: "number",
    type(None): "null",
}


def json_type(value: Any) -> str:
    """Return what JSON calls the type of a decoded value."""
    return "object" if isinstance(value, Mapping) else JSON_TYPES.get(type(value), "value")


@dataclass(frozen=True, slots=True)
class DocumentProblem:
    """Something wrong with the text of a document, before what it says is looked at."""

    kind: ProblemKind
    message: str
    pointer: str = ""
    line: int | None = None
    column: int | None = None
    offset: int | None = None
    detail: dict[str, Any] = field(default_factory=dict)


class Entries(Mapping[str, Any]):
    """The entries of a large consolidated document: found by key, decoded when asked for."""

    def __init__(self, raw: dict[str, msgspec.Raw]) -> None:
        self.raw = raw

    def __getitem__(self, key: str) -> Any:
        return decode(bytes(self.raw[key]))[0]

    def __iter__(self) -> Iterator[str]:
        return iter(self.raw)

    def __len__(self) -> int:
        return len(self.raw)


class Document:
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

    __slots__ = ("_problems", "_raw", "_scan", "_value", "error", "key", "name", "origin")

    def __init__(
        self,
        name: str,
        key: str,
        raw: bytes | msgspec.Raw | None,
        *,
        error: ReadError | None = None,
        origin: Origin = "stored",
    ) -> None:
        self.name = name
        self.key = key
        self.error = error
        self.origin = origin
        self._raw = raw
        self._value: Any = _UNKNOWN
        self._problems: tuple[DocumentProblem, ...] | None = None
        self._scan: Scan | None = None

    @property
    def raw(self) -> bytes | None:
        """The bytes, None where there are none."""
        return None if self._raw is None else bytes(self._raw)

    @property
    def has_bytes(self) -> bool:
        """Whether it is there and was read."""
        return self._raw is not None

    @property
    def value(self) -> Any:
        """What the document says; None where it cannot be decoded."""
        if self._value is _UNKNOWN:
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
            self._decode()
        return self._problems or ()

    @property
    def text(self) -> str:
        """The text, with replacement characters where it is not UTF-8."""
        return _text(self.raw or b"")[0]

    @property
    def outline(self) -> bytes | None:
        """What a ``zarr.json`` says apart from its attributes, as a text that is equal where that is.

        None where it is of no use: the document has problems, or holds other ones.
        """
        value = self.value
        if self._problems or self._raw is None or "consolidated_metadata" in value:
            return None
        if type(value.get("attributes")) is dict:
            value = {**value, "attributes": {}}
        try:
            return orjson.dumps(value)
        except TypeError:  # an integer beyond 64 bits
            return None

    def says_what(self, other: Document) -> None:
        """Take over what is known of a document that is equal to the letter and has no problems."""
        self._problems = other.problems

    def release(self) -> None:
        """Forget the decoded value; it is decoded again when asked for."""
        if self._raw is not None:
            self._value = _UNKNOWN
            self._scan = None

    def scan(self) -> Scan | None:
        """Return the places of its values, None where it is no JSON or too long to walk."""
        if self._scan is None and self._raw is not None:
            text = self.text
            if len(text) <= SCAN_LIMIT:
                try:
                    self._scan = scan(text)
                except ScanError:
                    return None
        return self._scan

    def span(self, pointer: str) -> Span | None:
        """Return where the value at a pointer stands."""
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
        else:
            self._value, self._problems = decode(self.raw or b"", self.key)


class _Unknown:
    """Marks a value that has not been decoded."""


_UNKNOWN = _Unknown()


def decode(raw: bytes, key: str = "") -> tuple[Any, tuple[DocumentProblem, ...]]:
    """Decode a document.

    Parameters
    ----------
    raw : bytes
        Its bytes.
    key : str
        Its key, for the messages.

    Returns
    -------
    value
        The decoded value, None if it is not even almost JSON.
    problems : tuple of DocumentProblem
        What is wrong with the text.
    """
    if len(raw) > LAZY_BYTES and (value := _decode_lazily(raw)) is not None:
        return value, ()
    try:
        value = orjson.loads(raw)
        again = orjson.dumps(value, option=_INDENT if raw.startswith(b'{\n  "') else 0)
    except (orjson.JSONDecodeError, orjson.JSONEncodeError):  # nested deeper than it can write
        return _decode_tolerantly(raw, key)
    # Written again as zarr-python writes it, it usually is the same text: then nothing was dropped.
    if again == raw and type(value) is dict:
        return value, ()
    # Else: every member has a key followed by a colon, and strings that hold one hold it in both texts,
    # so an equal count proves that no key was dropped. And orjson rounds integers beyond 64 bits to
    # floats without a word; written again those have an exponent, so there is an "e" more (or an
    # escape that held one is written out).
    if raw.count(b":") != again.count(b":") or (
        (raw.count(b"e") != again.count(b"e") or b"\\u" in raw) and _LONG_NUMBER.search(raw)
    ):
        return _decode_tolerantly(raw, key)
    if type(value) is not dict:
        return value, (_not_object(value, key),)
    return value, ()


def _decode_lazily(raw: bytes) -> dict[str, Any] | None:
    """Decode a large document except for its consolidated entries; None where it has none.

    Objects cost more than text: indexing the entries of a 61 MB document takes 0.2 s, decoding them 0.8 s or more.
    """
    try:
        if (value := _decode_usual(raw)) is not None:
            return value
        members = _raw_members(raw)
        if "consolidated_metadata" in members:  # zarr.json
            outer, holder = members, _raw_members(members.pop("consolidated_metadata"))
        elif "zarr_consolidated_format" in members:  # .zmetadata
            outer, holder = {}, members
        else:
            return None
        entries = _raw_members(holder.pop("metadata"))
    except (msgspec.DecodeError, KeyError, RecursionError):
        return None
    # Each `":` of the text ends a key seen here, or stands in a part seen here: else a key was dropped.
    parts = [*outer.values(), *holder.values(), *entries.values()]
    keys = len(parts) + 1 + (1 if outer is members else 0)
    if raw.count(b'":') != keys + sum(bytes(part).count(b'":') for part in parts):
        return None
    value, inside = _all_decoded(outer), _all_decoded(holder)
    if value is None or inside is None:
        return None
    inside["metadata"] = Entries(entries)
    return {**value, "consolidated_metadata": inside} if outer is members else inside


def _all_decoded(parts: dict[str, Any]) -> dict[str, Any] | None:
    """Decode parts of a document; None if anything is wrong with the text of one."""
    found = {name: decode(bytes(part)) for name, part in parts.items()}
    if any(p.kind != "not-object" for _, problems in found.values() for p in problems):
        return None
    return {name: value for name, (value, _) in found.items()}


class _Held(msgspec.Struct, forbid_unknown_fields=True):
    """What a group holds of other nodes."""

    kind: msgspec.Raw
    must_understand: msgspec.Raw
    metadata: dict[str, msgspec.Raw]


class _Holder(msgspec.Struct, forbid_unknown_fields=True):
    """A group with consolidated metadata, with the members that zarr-python writes."""

    zarr_format: msgspec.Raw
    node_type: msgspec.Raw
    consolidated_metadata: _Held
    attributes: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET


_SPACED = re.compile(rb'\{"[^"]*": ')


def _decode_usual(raw: bytes) -> dict[str, Any] | None:
    """Decode the same in one pass if it stands in one line with the members of a usual group; else return None."""
    try:
        found = msgspec.json.decode(raw, type=_Holder)
    except msgspec.ValidationError:
        return None
    outer = msgspec.structs.asdict(found)
    if found.attributes is msgspec.UNSET:
        del outer["attributes"]
    held = msgspec.structs.asdict(outer.pop("consolidated_metadata"))
    entries = held.pop("metadata")
    # Nothing but what was found can stand in a text of just that length: whatever was dropped, be it a
    # repeated key or only a blank, makes the text longer. Writers put a blank behind each comma and colon, or none.
    lengths = [_length(entries), _length(held, "metadata"), _length(outer, "consolidated_metadata")]
    shortest, gaps = map(sum, zip(*lengths, strict=True))
    if len(raw) != shortest + (gaps if _SPACED.match(raw) else 0):
        return None
    value, inside = _all_decoded(outer), _all_decoded(held)
    if value is None or inside is None:
        return None
    return {**value, "consolidated_metadata": {**inside, "metadata": Entries(entries)}}


def _length(members: dict[str, msgspec.Raw], *nested: str) -> tuple[int, int]:
    """Return how long an object is in one line without blanks, and how many commas and colons it has."""
    number = len(members) + len(nested)
    colons, commas = number, max(number - 1, 0)
    names = sum(map(len, members)) + sum(map(len, nested))
    shortest = names + 2 * number + sum(map(len, members.values())) + colons + commas + 2
    return shortest, colons + commas


def _raw_members(raw: bytes | msgspec.Raw) -> dict[str, msgspec.Raw]:
    return msgspec.json.decode(raw, type=dict[str, msgspec.Raw])


def _text(raw: bytes) -> tuple[str, DocumentProblem | None]:
    for mark, encoding in (
        (codecs.BOM_UTF32_LE, "UTF-32"),
        (codecs.BOM_UTF32_BE, "UTF-32"),
        (codecs.BOM_UTF16_LE, "UTF-16"),
        (codecs.BOM_UTF16_BE, "UTF-16"),
    ):
        if raw.startswith(mark):
            text = raw.decode(encoding, errors="replace")
            return text, DocumentProblem(
                "utf8", f"is not UTF-8 but {encoding}", offset=0, detail={"encoding": encoding}
            )
    if raw.startswith(codecs.BOM_UTF8):
        text, problem = _text(raw[len(codecs.BOM_UTF8) :])
        return text, problem or DocumentProblem("bom", "starts with a byte order mark", offset=0)
    try:
        return raw.decode("utf-8"), None
    except UnicodeDecodeError as error:
        return raw.decode("utf-8", errors="replace"), DocumentProblem(
            "utf8",
            f"is not UTF-8 (byte {error.start})",
            offset=error.start,
            detail={"byte": error.start},
        )


def _decode_tolerantly(raw: bytes, key: str) -> tuple[Any, tuple[DocumentProblem, ...]]:
    label = key or "the document"
    text, encoding_problem = _text(raw)
    problems: list[DocumentProblem] = []
    if encoding_problem is not None:
        problems.append(
            DocumentProblem(
                encoding_problem.kind,
                f"{label} {encoding_problem.message}",
                offset=encoding_problem.offset,
                detail=encoding_problem.detail,
            )
        )
    if not text.strip():
        problems.append(
            DocumentProblem("empty", f"{label} is empty ({len(raw)} bytes)", line=1, column=1)
        )
        return None, tuple(problems)
    repeated: list[str] = []
    bare: list[str] = []

    def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        value = dict(pairs)
        if len(value) != len(pairs):
            keys = [name for name, _ in pairs]
            repeated.extend(name for name in value if keys.count(name) > 1)
        return value

    def constant(token: str) -> float:
        bare.append(token)
        return float(token.replace("Infinity", "inf"))

    try:
        value = _load(text, label, problems, object_pairs_hook=members, parse_constant=constant)
    except json.JSONDecodeError as error:
        problems.append(_syntax(label, text, error))
        return None, tuple(problems)
    except RecursionError:
        problems.append(DocumentProblem("limit", f"{label} is nested too deeply to be read"))
        return None, tuple(problems)
    except ValueError as error:  # an integer of more digits than Python converts
        problems.append(DocumentProblem("limit", f"{label}: {error}"))
        return None, tuple(problems)
    if repeated or bare:
        problems.extend(_located(label, text, repeated, bare))
    if not isinstance(value, dict):
        problems.append(_not_object(value, label))
    return value, tuple(problems)


def _load(text: str, label: str, problems: list[DocumentProblem], **hooks: Any) -> Any:
    """Decode JSON, and add a problem where it is only what netCDF-C writes.

    That has control characters in strings, and in attributes words without quotes that are almost numbers.
    """
    try:
        return json.loads(text, **hooks)
    except json.JSONDecodeError as error:
        attributes = label.endswith(".zattrs")
        if not attributes and not error.msg.startswith("Invalid control character"):
            raise
        value = json.loads(with_quotes(text) if attributes else text, strict=False, **hooks)
        problems.append(_syntax(label, text, error))
        return value


def _located(
    label: str, text: str, repeated: list[str], bare: list[str]
) -> Iterator[DocumentProblem]:
    try:
        places = scan(text) if len(text) <= SCAN_LIMIT else None
    except ScanError:
        places = None  # nested beyond MAX_DEPTH, though Python decodes it: told without places
    if places is None:
        for token in sorted(set(bare)):
            yield DocumentProblem(
                "bare-token", f"{label}: bare {token} is not JSON", detail={"token": token}
            )
        for name in sorted(set(repeated)):
            yield DocumentProblem(
                "duplicate",
                f"{label}: key {name!r} occurs more than once",
                detail={"key": name, "count": 2},
            )
        return
    for pointer, token in places.bare.items():
        start, _ = places.places[pointer]
        line, column = _position(text, start)
        yield DocumentProblem(
            "bare-token",
            f"{pointer}: bare {token} is not JSON",
            pointer,
            line,
            column,
            start,
            {"token": token},
        )
    for pointer, count in places.repeated.items():
        start = places.keys[pointer]
        line, column = _position(text, start)
        name = pointers.split(pointer)[-1]
        yield DocumentProblem(
            "duplicate",
            f"{pointer}: key {name!r} occurs {count} times",
            pointer,
            line,
            column,
            start,
            {"key": name, "count": count},
        )


def _position(text: str, offset: int) -> tuple[int, int]:
    return text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset)


def _not_object(value: Any, key: str) -> DocumentProblem:
    kind = json_type(value)
    return DocumentProblem(
        "not-object",
        f"{key or 'the document'} holds a JSON {kind}, expected an object",
        line=1,
        detail={"json_type": kind},
    )


def _syntax(label: str, text: str, error: json.JSONDecodeError) -> DocumentProblem:
    line = text.splitlines()[error.lineno - 1] if error.lineno <= len(text.splitlines()) else ""
    start = max(0, error.colno - 41)
    excerpt = line[start : error.colno + 39].replace("\t", " ")
    caret = " " * (error.colno - 1 - start) + "^"
    truncated = not text[error.pos :].strip() or error.msg.startswith("Unterminated string")
    what = f"{error.msg.removesuffix(' at')} at line {error.lineno}, column {error.colno}"
    message = (
        f"{label} ends too early ({len(text)} characters; {what})"
        if truncated
        else f"{label} is not JSON: {what}"
    )
    return DocumentProblem(
        "truncated" if truncated else "syntax",
        message,
        line=error.lineno,
        column=error.colno,
        offset=error.pos,
        detail={"error": error.msg, "excerpt": f"{excerpt}\n{caret}"},
    )


__all__ = ["MAX_DEPTH", "Document", "DocumentProblem", "Entries", "decode", "json_type"]
