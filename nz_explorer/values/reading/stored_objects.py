"""By which filter the objects of a Zarr v2 array were stored, where its metadata have lost it."""

from __future__ import annotations

import json
from typing import Any
from weakref import WeakKeyDictionary

import numcodecs  # type: ignore[import-untyped]

from nz_explorer.model import Array, Hierarchy
from nz_explorer.model.paths import below
from nz_explorer.store import Cancellation, ReadError
from nz_explorer.values.reading import size_limits, unpacking
from nz_explorer.values.reading.inner_chunks import MOST_ARRAYS

_ASKED: WeakKeyDictionary[Hierarchy, dict[tuple[str, int], dict[str, Any] | None]] = (
    WeakKeyDictionary()
)
"""What was found, for as long as the hierarchy lives."""
_LENGTH = 4
"""Bytes of each number in the form of numcodecs: how many elements there are, and how long each is."""


def filter_of_objects(array: Array, cancel: Cancellation | None = None) -> dict[str, Any] | None:
    """Return the filter that takes the first chunk of an array apart.

    Parameters
    ----------
    array
        Of Zarr v2, with data type ``|O`` and without filters.
    cancel
        Withdraws the request.

    Returns
    -------
    dict or None
        As ``filters`` has it; None where none is known that does, and where `MOST_ARRAYS` were asked for.
    """
    asked = _ASKED.setdefault(array.hierarchy, {})
    place = (array.path, array.generation)
    if place not in asked and len(asked) < MOST_ARRAYS:
        asked[place] = _ask(array, cancel)
    return asked.get(place)


def _ask(array: Array, cancel: Cancellation | None) -> dict[str, Any] | None:
    chunks, separator = array.metadata.get("chunks"), array.metadata.get("dimension_separator", ".")
    if not isinstance(chunks, list) or separator not in (".", "/"):
        return None
    key = separator.join(["0"] * len(chunks)) or "0"
    try:
        data = array.hierarchy.reader.get(
            below(array.path)[1:] + key, cancel, max_bytes=size_limits.LEAST_STAGE_BYTES
        )
    except ReadError:
        return None
    stored = None if data is None else _unpacked(data, array.metadata.get("compressor"))
    if stored is None:
        return None
    elements = _elements(stored)
    if elements is not None:
        return {"id": "vlen-utf8" if all(map(_is_text, elements)) else "vlen-bytes"}
    return {"id": "json2"} if _is_json(stored) else None


def _unpacked(data: bytes, compressor: Any) -> bytes | None:
    if compressor is None:
        return data
    try:
        codec = numcodecs.get_codec(dict(compressor))
        made = unpacking.unpack(codec, data, size_limits.LEAST_STAGE_BYTES)
        if made is None:
            size = unpacking.stated_size(codec, data, size_limits.LEAST_STAGE_BYTES)
            unpacking.check_size(size, size_limits.LEAST_STAGE_BYTES)
            made = codec.decode(data)
        return bytes(memoryview(made).cast("B"))
    except Exception:  # noqa: BLE001  # codecs raise what they like
        return None


def _elements(stored: bytes) -> list[bytes] | None:
    """Return the elements of a chunk of texts or byte strings of any length."""
    count, place = int.from_bytes(stored[:_LENGTH], "little"), _LENGTH
    if not 0 < count * _LENGTH <= len(stored):
        return None
    found = []
    for _ in range(count):
        start = place + _LENGTH
        place = start + int.from_bytes(stored[place:start], "little")
        if place > len(stored):
            return None
        found.append(stored[start:place])
    return found if place == len(stored) else None


def _is_text(element: bytes) -> bool:
    try:
        element.decode()
    except UnicodeDecodeError:
        return False
    return True


def _is_json(stored: bytes) -> bool:
    """Whether it is the list of elements, data type and shape that the codec ``json2`` writes."""
    try:
        found = json.loads(stored)
    except (ValueError, RecursionError):
        return False
    return isinstance(found, list) and found[-2:-1] == ["|O"] and isinstance(found[-1], list)
