"""What the index of a shard tells where the metadata cannot be right: its inner chunks, and where it lies itself."""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np
from numcodecs.checksum32 import CRC32C  # type: ignore[import-untyped]
from zarr.abc.store import RangeByteRequest, Store, SuffixByteRequest
from zarr.buffer import default_buffer_prototype

from nz_explorer.documents import Document
from nz_explorer.model import Hierarchy, codec_name
from nz_explorer.store import Cancelled
from nz_explorer.values.reading import size_limits
from nz_explorer.values.reading.chunk_presence import listed
from nz_explorer.values.reading.decoding import wait_for
from nz_explorer.values.reading.opening import open_for_reading
from nz_explorer.values.reading.packed_bytes import PackedBytes

if TYPE_CHECKING:
    from nz_explorer.model import Array
    from nz_explorer.store import Cancellation
    from nz_explorer.values.reading.opening import OpenArray

_ENTRY = 16
"""Bytes of an index for each inner chunk: where it begins, and how long it is."""
_CHECKSUM = 4
_NOWHERE = 2**64 - 1
"""Stands for both numbers of an inner chunk that is not stored."""
MOST_ARRAYS = 16
"""Arrays of a hierarchy of which a shard is asked for: who wants to know more of them than that is told how."""
_ASKED: WeakKeyDictionary[Hierarchy, dict[tuple[str, int], PackedBytes | None]] = (
    WeakKeyDictionary()
)
"""What was found, by path and generation."""


def look_at_shard(array: Array, cancel: Cancellation | None = None) -> PackedBytes | None:
    """Return what a shard says of its inner chunks, where these do not divide it along one dimension.

    Parameters
    ----------
    array
        The array, which zarr cannot open.
    cancel
        Stops it.

    Returns
    -------
    PackedBytes or None
        With the codecs by which the checksum of the index fits; None where there is no shard, where it has no checksum,
        where none fits, and where `MOST_ARRAYS` were asked for.
    """
    possible = dict(_candidates(array))
    if not possible:
        return None
    asked = _ASKED.setdefault(array.hierarchy, {})
    place = (array.path, array.generation)
    if place not in asked:
        if len(asked) >= MOST_ARRAYS:
            return None
        asked[place] = _ask(array, possible, cancel)
    return asked[place]


def _ask(
    array: Array, possible: Mapping[int, list[Any]], cancel: Cancellation | None
) -> PackedBytes | None:
    at_start = array.codecs[0]["configuration"].get("index_location") == "start"
    most = _ENTRY * max(possible) + _CHECKSUM
    part = RangeByteRequest(0, most) if at_start else SuffixByteRequest(most)
    try:
        # all of them have the same shards, in the same place
        opened = open_for_reading(_with_codecs(array, next(iter(possible.values()))))
        presence = listed(array, opened, cancel=cancel)
        if presence is None or not len(presence.places):
            return None
        key = opened.object_key(tuple(presence.places[0].tolist()))
        stored = opened.zarr.store_path.store.get(key, default_buffer_prototype(), part)
        found = wait_for(stored, local=array.hierarchy.reader.local, cancel=cancel)
    except Cancelled:
        raise
    except Exception:  # noqa: BLE001  # stores raise what they like; then nothing is known of a shard
        return None
    index = b"" if found is None else found.to_bytes()
    for count, codecs in possible.items():
        size = _ENTRY * count + _CHECKSUM
        if len(index) < size:
            continue
        try:
            CRC32C().decode(index[:size] if at_start else index[-size:])
        except RuntimeError:
            continue
        inner = codecs[0]["configuration"]["chunk_shape"]
        text = f"by the index of a shard it has {count} inner chunks, each of shape {inner}"
        return PackedBytes("sharding_indexed", text, codecs)
    return None


def _candidates(array: Array) -> Iterator[tuple[int, list[Any]]]:
    """Yield in how many inner chunks a shard may be divided, and the codecs that say so."""
    codec = array.codecs[0] if len(array.codecs) == 1 else None
    if not isinstance(codec, dict) or codec.get("name") != "sharding_indexed":
        return
    configuration, shard = codec.get("configuration"), array.grid_shape or ()
    if not isinstance(configuration, dict):
        return
    inner, index = configuration.get("chunk_shape"), configuration.get("index_codecs")
    names = [one.get("name") for one in index or () if isinstance(one, dict)]
    if (
        not isinstance(inner, list)
        or len(inner) != len(shard)
        or not all(type(size) is int and size > 0 for size in inner)
        or names != ["bytes", "crc32c"]
    ):
        return
    odd = [axis for axis, size in enumerate(inner) if shard[axis] % size]
    if len(odd) != 1:
        return  # the number of chunks does not tell how many there are along each of several dimensions
    (axis,) = odd
    others = math.prod(shard[n] // size for n, size in enumerate(inner) if n != axis)
    for parts in range(1, shard[axis] + 1):
        if shard[axis] % parts or parts * others > size_limits.MOST_INNER_CHUNKS:
            continue
        shape = [*inner[:axis], shard[axis] // parts, *inner[axis + 1 :]]
        yield parts * others, [{**codec, "configuration": {**configuration, "chunk_shape": shape}}]


def look_at_index(
    opened: OpenArray, key: str, cancel: Cancellation | None = None
) -> PackedBytes | None:
    """Return where the index of a shard is, where it is not as the metadata say.

    Parameters
    ----------
    opened
        The array.
    key
        Of the shard, relative to the store of zarr.
    cancel
        Stops it.

    Returns
    -------
    PackedBytes or None
        With the codecs by which the index refers to what is in the shard; None where those of the metadata do.
    """
    codecs = list(opened.array.codecs)
    names = [codec_name(codec) for codec in codecs]
    if opened.edges is not None or "sharding_indexed" not in names:
        return None
    at = names.index("sharding_indexed")
    held = codecs[at]["configuration"]
    inner = held["chunk_shape"]
    shards = zip(opened.object_shape, inner, strict=True)
    size = _ENTRY * math.prod(-(-shard // part) for shard, part in shards)
    try:
        told = _ends(opened.zarr.store_path.store, key, size + _CHECKSUM)
        local = opened.array.hierarchy.reader.local
        whole, ends = wait_for(told, local=local, cancel=cancel)
    except Cancelled:
        raise
    except Exception:  # noqa: BLE001  # stores raise what they like; then nothing is known of the shard
        return None
    said_at = "start" if held.get("index_location") == "start" else "end"
    given = held.get("index_codecs")  # zarr-python does without, and so do we
    said = [codec_name(one) for one in given] if isinstance(given, list) else ["bytes", "crc32c"]
    for location in sorted(ends, key=lambda end: end != said_at):
        for checked in sorted((True, False), key=lambda checked: checked != ("crc32c" in said)):
            if not _fits(
                ends[location], whole, size, at_start=location == "start", checked=checked
            ):
                continue
            index = ["bytes", "crc32c"] if checked else ["bytes"]
            if location == said_at and index == said and at == len(codecs) - 1:
                return None
            little = {"name": "bytes", "configuration": {"endian": "little"}}
            configuration = {
                **held,
                "index_codecs": [little, {"name": "crc32c"}] if checked else [little],
                "index_location": location,
            }
            text = f"the index of the shard is at its {location}, {'with' if checked else 'without'} a checksum"
            if at < len(codecs) - 1:
                text += ", and nothing was done to the shard as a whole"
            return PackedBytes(
                "",
                text,
                [*codecs[:at], {**codecs[at], "configuration": configuration}],
                "by the index of one shard, which refers to what is inside of it then",
            )
    return None


async def _ends(store: Store, key: str, most: int) -> tuple[int, dict[str, bytes]]:
    """Return the size of an object, and its first and last bytes."""
    parts = (RangeByteRequest(0, most), SuffixByteRequest(most))
    asked = (store.get(key, default_buffer_prototype(), part) for part in parts)
    size, found = await asyncio.gather(store.getsize(key), asyncio.gather(*asked))
    first, last = (b"" if part is None else part.to_bytes() for part in found)
    return size, {"start": first, "end": last}


def _fits(part: bytes, whole: int, size: int, *, at_start: bool, checked: bool) -> bool:
    """Whether the first or last bytes of a shard are an index that refers to what is inside of it."""
    length = size + _CHECKSUM * checked
    if len(part) < length:
        return False
    index = part[:length] if at_start else part[-length:]
    if checked:
        try:
            CRC32C().decode(index)
        except RuntimeError:
            return False
    entries = np.frombuffer(index[:size], "<u8").reshape(-1, 2)
    there = entries[(entries != _NOWHERE).any(axis=1)]
    starts, lengths = there.T
    first, last = (length, whole) if at_start else (0, whole - length)
    return bool(
        there.size
        and (lengths > 0).all()
        and (lengths <= whole).all()
        and (starts >= first).all()
        and (starts <= last - lengths).all()
    )


def _with_codecs(array: Array, codecs: list[Any]) -> Array:
    """Return an array as it would be with other codecs."""
    (document,) = array.documents
    raw = json.dumps({**array.metadata, "codecs": codecs}).encode()
    return array.clone_structure(array.path, Document(document.name, document.key, raw))
