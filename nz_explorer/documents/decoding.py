"""Decoding of metadata documents, tolerantly: whatever its bytes are, there is an answer.

A well-formed document takes the fast path (orjson). One that orjson refuses, or that may repeat a key,
is decoded again with Python's own decoder, which accepts what Python programs write, and what is wrong
with it is reported as problems with line and column.

Of large documents the consolidated entries are indexed, and decoded one by one when they are asked for. Half of the
time of that goes into msgspec's pass over the text and into reading it; the rest is counting colons, twice, to
see that no key is repeated, and the index by path (`model.consolidated`).
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

import msgspec
import numpy as np
import orjson

from nz_explorer.documents import pointers, positions
from nz_explorer.documents.problems import DocumentProblem
from nz_explorer.documents.split_off import Surroundings, around_attributes, split
from nz_explorer.documents.tolerant import (
    BLOCK,
    OTHER_ENCODINGS,
    decode_tolerantly,
    is_utf8,
)
from nz_explorer.store.cancellation import check_cancelled

LAZY_BYTES = 16 * 1024
"""Documents above this have their consolidated entries indexed instead of decoded: 100 of them in a fifth of the time."""
MAX_BYTES, MAX_VALUES = 64 * 2**20, 2_000_000
"""The most that is decoded of a document. Up to 90 bytes of memory for each value and key make 250 MiB."""
MAX_BYTES_OF_HOLDER, MAX_VALUES_OF_HOLDER = 160 * 2**20, 10_000_000
"""The same where consolidated metadata cannot be indexed, for example because of a bare NaN: 110,000 nodes."""
MAX_ENTRIES = 1_000_000
"""Consolidated entries that are indexed; each takes some 200 bytes."""
MOST_SHARED = 4000
"""Different texts of entries up to which equal ones are looked for."""
MAX_PROBLEMS = 100
"""Problems of entries that are looked for."""
FEW_MEMBERS = 4_000_000
"""Up to so many members in the whole document its entries need not be distinguished from their contents."""

BLOCK_COUNTED = 256 * 1024
"""Bytes that are compared at once, so that what comes of it stays in the processor's cache."""

FEW_BYTES = 4096
"""Bytes below which `bytes` has counted something before NumPy has begun."""

_INDENT = orjson.OPT_INDENT_2
_ESCAPED_COLON = re.compile(rb"\\u003[aA]")
_LONG_NUMBER = re.compile(rb"[0-9]{19}")
_PLAIN = re.compile(rb'true|false|null|"[ !#-\[\]-~]*"|-?(0|[1-9][0-9]{0,14})')
"""Values of which there is nothing to be said."""
_EXPONENT = orjson.dumps(1e30)[1:-2]
"""What stands before the exponents of large numbers that orjson writes: ``e+``, or ``e`` in older versions."""


class Entries(Mapping[str, Any]):
    """The entries of a large consolidated document: found by key, decoded when asked for."""

    def __init__(self, raw: dict[str, msgspec.Raw]) -> None:
        self.raw: Mapping[str, bytes | msgspec.Raw] = _shared(raw)
        """By key, the text. Most stores have few different ones, each of which is one `bytes`: it is hashed once."""

    def __getitem__(self, key: str) -> Any:
        return _decode_part(self.raw[key])[0]

    def __contains__(self, key: object) -> bool:
        return key in self.raw  # without decoding it

    def __iter__(self) -> Iterator[str]:
        return iter(self.raw)

    def __len__(self) -> int:
        return len(self.raw)


def _shared(texts: dict[str, Any]) -> dict[str, bytes | msgspec.Raw]:
    """Have equal texts be the same object, unless there are too many different ones."""
    known: dict[bytes, bytes] = {}
    names = iter(texts)
    while len(known) < MOST_SHARED and (some := list(islice(names, _AT_ONCE))):
        check_cancelled()
        for name in some:
            text = bytes(texts[name])
            texts[name] = known.setdefault(text, text)
    return texts


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
    value, problems = decode_outside_entries(raw, key)
    return value, problems or problems_of_entries(value, raw, key)


def decode_outside_entries(raw: bytes, key: str = "") -> tuple[Any, tuple[DocumentProblem, ...]]:
    """Decode a document as `decode` does, but leave consolidated entries that are indexed alone.

    Parameters
    ----------
    raw : bytes
        Its bytes.
    key : str
        Its key, for the messages.
    """
    # attributes of Zarr v2 are a document of their own, and what they call metadata is nothing but an attribute
    holds_entries = len(raw) > LAZY_BYTES and not key.endswith(".zattrs")
    if holds_entries and (value := _decode_lazily(raw)) is not None:
        return value, ()
    return _decode_whole(raw, key)


def _decode_part(raw: bytes | msgspec.Raw) -> tuple[Any, tuple[DocumentProblem, ...]]:
    """Decode a value of a document, in which nothing is indexed."""
    text = bytes(raw)
    return (orjson.loads(text), ()) if _PLAIN.fullmatch(text) else _decode_whole(text, "")


def _decode_whole(raw: bytes, key: str) -> tuple[Any, tuple[DocumentProblem, ...]]:
    """Decode a document with everything in it, unless that is too much."""
    if len(raw) > LAZY_BYTES and (problem := _too_much(raw, key)) is not None:
        return None, (problem,)
    if (plain := decode_plainly(raw)) is not None:
        return plain, ()
    return decode_tolerantly(raw, key)


def decode_plainly(raw: bytes) -> dict[str, Any] | None:
    """Decode an object that has nothing wrong with it; None where that takes a closer look.

    Parameters
    ----------
    raw : bytes
        A text. Decoded again by orjson alone it gives the same.
    """
    try:
        value = orjson.loads(raw)
        again = orjson.dumps(value, option=_INDENT if raw.startswith(b'{\n  "') else 0)
    except (orjson.JSONDecodeError, orjson.JSONEncodeError):  # nested deeper than it can write
        return None
    if type(value) is not dict:
        return None
    # Written again as zarr-python writes it, it usually is the same text: then nothing was dropped.
    if again == raw:
        return value
    # Else: every member has a key followed by a colon, and strings that hold one hold it in both texts,
    # so an equal count proves that no key was dropped, unless one of these is written as an escape. And orjson
    # rounds integers beyond 64 bits to floats without a word; written again those have an exponent.
    if (
        raw.count(b":") != again.count(b":")
        or (b"\\u" in raw and _ESCAPED_COLON.search(raw))
        or (_EXPONENT in again and _LONG_NUMBER.search(raw))
    ):
        return None
    return value


def indexed_entries(value: Any) -> tuple[str, Entries] | None:
    """Return the pointer to the consolidated entries of a document, and these; None where none are indexed."""
    for pointer in ("/consolidated_metadata/metadata", "/metadata"):
        held = value
        for name in pointers.split(pointer):
            held = held.get(name) if isinstance(held, dict) else None
        if isinstance(held, Entries):
            return pointer, held
    return None


def problems_of_entries(value: Any, raw: bytes, key: str = "") -> tuple[DocumentProblem, ...]:
    """Return what is wrong with the text of consolidated entries that are indexed: keys that they repeat.

    Parameters
    ----------
    value
        What `decode_outside_entries` has returned.
    raw : bytes
        The bytes of the document.
    key : str
        Its key, for the messages.
    """
    if (indexed := indexed_entries(value)) is None:
        return ()
    pointer, entries = indexed
    found: list[DocumentProblem] = []
    for name in _questionable(entries.raw):
        for problem in _decode_part(entries.raw[name])[1]:
            if problem.kind == "duplicate" and len(raw) <= positions.SCAN_LIMIT:
                return decode_tolerantly(raw, key)[1]  # with lines
            if problem.kind in ("duplicate", "limit"):
                found.append(_inside(pointers.join(pointer, name), problem))
        if len(found) >= MAX_PROBLEMS:
            break
    return tuple(found)


def _inside(entry: str, problem: DocumentProblem) -> DocumentProblem:
    """Return a problem of an entry as one of the document that the entry is in."""
    pointer = entry + problem.pointer
    message = problem.message.removeprefix(problem.pointer or "the document")
    return DocumentProblem(problem.kind, pointer + message, pointer, detail=problem.detail)


def _questionable(entries: Mapping[str, bytes | msgspec.Raw]) -> Iterator[str]:
    """Yield the keys of entries that may repeat a key, or be too much.

    Of a thousand small entries at a time it is seen that all have as many keys decoded as they have in the text.
    What stands around attributes is the same in many, and looked at once.
    """
    names = list(entries)
    around: Surroundings[None] = Surroundings()
    sound: set[bytes] = set()
    for begin in range(0, len(names), _AT_ONCE):
        check_cancelled()
        some = names[begin : begin + _AT_ONCE]
        parts: set[bytes] = set()
        new: set[bytes] = set()
        texts = {bytes(entries[name]) for name in some} - sound
        if not texts:
            continue
        for text in texts:
            if (found := around.find(text)) is not None:
                parts.add(found[1])
            elif (split_text := split(text)) is None:
                parts.add(text)
            else:
                new.add(split_text[0])
                parts.add(split_text[1])
        parts.update(text.replace(b"\0", b"0") for text in new)
        large = any(len(part) > LAZY_BYTES for part in parts)
        if large or not _no_key_dropped(b"[" + b",".join(parts) + b"]"):
            yield from some
            continue
        if len(sound) < MOST_SHARED:
            sound |= texts
        for text in new:
            if around_attributes(text) is not None:
                around.add(text, None)


def _no_key_dropped(raw: bytes) -> bool:
    """Whether a text has as many keys as its value; see `decode_plainly`."""
    try:
        again = orjson.dumps(orjson.loads(raw))
    except (orjson.JSONDecodeError, orjson.JSONEncodeError):
        return False
    return raw.count(b":") == again.count(b":") and not _ESCAPED_COLON.search(raw)


def _too_much(raw: bytes, key: str) -> DocumentProblem | None:
    """Return what is wrong with a document that would take too much memory, None if it does not."""
    label = key or "the document"
    holds = b'"consolidated_metadata"' in raw or b'"zarr_consolidated_format"' in raw
    most_bytes = MAX_BYTES_OF_HOLDER if holds else MAX_BYTES
    if len(raw) > most_bytes:
        message = f"{label} has {len(raw):,} bytes; more than {most_bytes:,} are not decoded"
        return DocumentProblem("limit", message, detail={"bytes": len(raw)})
    most = MAX_VALUES_OF_HOLDER if holds else MAX_VALUES
    number = 1 + _values_and_keys(raw)
    if number > most and not raw.startswith(OTHER_ENCODINGS):
        number = 1 + sum(map(_values_and_keys, _structure(raw)))  # without those in texts
    if number <= most:
        return None
    message = f"{label} has {number:,} values and keys; more than {most:,} are not decoded"
    return DocumentProblem("limit", message, detail={"values": number})


_STRUCTURE = b'[]{},:"'
_NO_STRUCTURE = bytes(set(range(256)).difference(_STRUCTURE))


def _values_and_keys(raw: bytes) -> int:
    """Return how many values and keys a text has at most, but for the outermost one.

    A value stands behind a comma or a bracket, a key before a colon; an empty list counts for two.
    """
    return sum(map(raw.count, (b",", b"[", b"{", b":")))


def _structure(raw: bytes) -> Iterator[bytes]:
    """Yield the brackets, commas and colons of a JSON text that stand outside of its strings, in parts."""
    if b"\\" in raw:
        raw = raw.replace(b"\\\\", b"").replace(b'\\"', b"")
    inside = False
    for begin in range(0, len(raw), BLOCK):
        block = raw[begin : begin + BLOCK].translate(None, _NO_STRUCTURE)
        found = np.frombuffer(block, np.uint8)
        quotes = found == ord('"')
        inside_here = np.logical_xor.accumulate(quotes) ^ inside
        yield found[~(quotes | inside_here)].tobytes()
        inside = bool(inside_here[-1]) if len(inside_here) else inside


def _members_by_depth(raw: bytes, colons: int) -> list[int]:
    """Return how many members there are in the outermost object, in those in it, and in those in these."""
    if colons <= FEW_MEMBERS or raw.count(b'":') <= FEW_MEMBERS:
        return [0, 0, 0]
    members, depth = np.zeros(3, int), 0
    for part in _structure(raw):
        found = np.frombuffer(part, np.uint8)
        steps = np.isin(found, list(b"[{")).astype(np.int8) - np.isin(found, list(b"]}")).astype(
            np.int8
        )
        depths = np.cumsum(steps, dtype=np.int64) + depth
        depth = int(depths[-1]) if len(depths) else depth
        members += [
            np.count_nonzero((found == ord(":")) & (depths == level)) for level in (1, 2, 3)
        ]
    return [int(number) for number in members]


def _decode_lazily(raw: bytes) -> dict[str, Any] | None:
    """Decode a large document except for its consolidated entries; None where it has none.

    Objects cost more than text: indexing the entries of a 61 MB document takes 0.2 s, decoding them 0.8 s or more.
    """
    colons = _colons(raw)
    outermost, inner, innermost = _members_by_depth(raw, colons)
    if outermost + inner > MAX_ENTRIES or not is_utf8(raw) or _has_endless_number(raw):
        return None
    try:
        # In a .zmetadata the innermost ones are those of the nodes, and not indexed.
        if innermost <= MAX_ENTRIES and (value := _decode_usual(raw, colons)) is not None:
            return value
        members = _raw_members(raw)
        if "consolidated_metadata" in members and innermost > MAX_ENTRIES:
            return None
        if "consolidated_metadata" in members:  # zarr.json
            outer, holder = members, _raw_members(members.pop("consolidated_metadata"))
        elif "zarr_consolidated_format" in members:  # .zmetadata
            outer, holder = {}, members
        else:
            return None
        entries = _raw_members(holder.pop("metadata"))
    except (msgspec.DecodeError, KeyError, RecursionError):
        return None
    nested = (members is outer) + 1  # consolidated_metadata and metadata
    if not _all_seen(raw, colons - nested, outer, holder, entries):
        return None
    value, inside = _all_decoded(outer), _all_decoded(holder)
    if value is None or inside is None:
        return None
    inside["metadata"] = Entries(entries)
    return {**value, "consolidated_metadata": inside} if outer is members else inside


def _has_endless_number(raw: bytes) -> bool:
    """Whether a number may have more digits than Python converts, of which one block at least has nothing else."""
    step = sys.int_info.default_max_str_digits // 2
    # Few blocks have a digit in some places, and only these need to be read.
    places = (0, step // 2, step - 1)
    blocks = np.frombuffer(raw, np.uint8, len(raw) // step * step).reshape(-1, step)
    digits = np.logical_and.reduce([blocks[:, place] - ord("0") < 10 for place in places])
    return any(raw[begin : begin + step].isdigit() for begin in np.flatnonzero(digits) * step)


def _colons(raw: bytes) -> int:
    """Return how many colons there are in a text; NumPy counts what occurs often three times as fast as `bytes`."""
    if len(raw) < FEW_BYTES:
        return raw.count(b":")
    found = np.frombuffer(raw, np.uint8)
    if len(found) <= BLOCK_COUNTED:
        return int(np.count_nonzero(found == ord(":")))
    blocks = range(0, len(found), BLOCK_COUNTED)
    return sum(int(np.count_nonzero(found[at : at + BLOCK_COUNTED] == ord(":"))) for at in blocks)


def _all_decoded(parts: dict[str, Any]) -> dict[str, Any] | None:
    """Decode parts of a document; None if anything is wrong with the text of one."""
    found = {name: _decode_part(part) for name, part in parts.items()}
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


def _decode_usual(raw: bytes, colons: int) -> dict[str, Any] | None:
    """Decode the same in one pass if it has the members of a usual group; else return None."""
    try:
        found = msgspec.json.decode(raw, type=_Holder)
    except msgspec.ValidationError:
        return None
    outer = msgspec.structs.asdict(found)
    if found.attributes is msgspec.UNSET:
        del outer["attributes"]
    held = msgspec.structs.asdict(outer.pop("consolidated_metadata"))
    entries = held.pop("metadata")
    if not _all_seen(raw, colons - 2, outer, held, entries):
        return None
    value, inside = _all_decoded(outer), _all_decoded(held)
    if value is None or inside is None:
        return None
    return {**value, "consolidated_metadata": {**inside, "metadata": Entries(entries)}}


_AT_ONCE = 1000


def _all_seen(raw: bytes, colons: int, *objects: dict[str, msgspec.Raw]) -> bool:
    """Whether objects hold all members of a text, of which each repeated key drops one.

    Each colon of the text ends a key, or stands in a key or a value. Where none of the keys spells a colon as an
    escape, one that is missing in the members seen is that of a member that was dropped.
    """
    seen = 0
    for members in objects:
        names, values = "".join(members), list(members.values())
        if ":" in names and _ESCAPED_COLON.search(raw):
            return False
        seen += len(members) + names.count(":")
        # Joining few at a time needs neither a copy of the whole nor a call for each.
        for begin in range(0, len(values), _AT_ONCE):
            seen += _colons(b"".join(values[begin : begin + _AT_ONCE]))
    return seen == colons


def _raw_members(raw: bytes | msgspec.Raw) -> dict[str, msgspec.Raw]:
    return msgspec.json.decode(raw, type=dict[str, msgspec.Raw])
