"""What the bytes of a chunk look like that the codecs of its array do not take."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any, Literal

import numcodecs  # type: ignore[import-untyped]

from nz_explorer.model import codec_name
from nz_explorer.store import Cancellation, ReadError
from nz_explorer.text.file_kinds import START, kind_of
from nz_explorer.text.phrases import plural
from nz_explorer.values.reading import size_limits, unpacking
from nz_explorer.values.reading.opening import OpenArray

if TYPE_CHECKING:
    from nz_explorer.values.reading.chunk_presence import Presence

_HEADS: tuple[tuple[bytes, str], ...] = (
    (b"\x28\xb5\x2f\xfd", "zstd"),
    (b"\x1f\x8b", "gzip"),
    (b"\x78\x01", "zlib"),
    (b"\x78\x5e", "zlib"),
    (b"\x78\x9c", "zlib"),
    (b"\x78\xda", "zlib"),
    (b"BZh", "bz2"),
    (b"\xfd7zXZ\x00", "lzma"),
    (b"\x02\x01", "blosc"),
)
"""How packed bytes begin; of blosc the versions of its format and of its codec."""
_NUMBERS = re.compile(r"\d+")
_READABLE = b"<v"
"""How texts begin that are found in place of a chunk: pages, errors, pointers of Git LFS."""
_V3 = {
    "zstd": {"name": "zstd", "configuration": {"level": 0, "checksum": False}},
    "gzip": {"name": "gzip", "configuration": {"level": 5}},
    "zlib": {"name": "numcodecs.zlib", "configuration": {"level": 1}},
    "bz2": {"name": "numcodecs.bz2", "configuration": {"level": 1}},
    "lzma": {"name": "numcodecs.lzma", "configuration": {}},
}
_V2: dict[str, dict[str, Any]] = {
    "zstd": {"id": "zstd", "level": 0},
    "gzip": {"id": "gzip", "level": 5},
    "zlib": {"id": "zlib", "level": 1},
    "bz2": {"id": "bz2", "level": 1},
    "lzma": {"id": "lzma"},
    "blosc": {"id": "blosc", "cname": "lz4", "clevel": 5, "shuffle": 1, "blocksize": 0},
}
_PACKS_NOTHING = ("bytes", "endian", "transpose")
"""Codecs that change the order of bytes, and not how many they are."""


@dataclass(frozen=True, slots=True)
class PackedBytes:
    """What bytes look like.

    Parameters
    ----------
    name
        What they were packed with; empty where they are something else.
    text
        What they look like, as a clause.
    codec
        What the metadata would have to say: the ``compressor`` of Zarr v2, the ``codecs`` of Zarr v3. Only where
        unpacking them gives as many bytes as the values have.
    why
        By what that is known; empty where it is not.
    of
        What of the metadata `codec` is: the shape of chunks, where their bytes tell that.
    """

    name: str
    text: str
    codec: Any = None
    why: str = ""
    of: Literal["codecs", "chunk shape"] = "codecs"


def look_at(
    opened: OpenArray, key: str, presence: Presence | None, cancel: Cancellation | None = None
) -> PackedBytes | None:
    """Return what a chunk that does not decode looks like, None where its bytes tell nothing.

    Parameters
    ----------
    opened
        The array.
    key
        Of the chunk, relative to the store of zarr.
    presence
        Which chunks there are: their number tells their shape. None where that is not known.
    cancel
        Withdraws the request.
    """
    reader = opened.array.hierarchy.reader
    prefix = f"{reader.prefix}/" if reader.prefix else ""
    try:
        data = reader.get(key.removeprefix(prefix), cancel, max_bytes=size_limits.LEAST_STAGE_BYTES)
    except ReadError:
        return None
    if data is None:
        return None
    name = next((name for head, name in _HEADS if data.startswith(head)), None)
    looks = _by_content(opened, data, name)
    if presence is None or (looks is not None and looks.why):
        return looks
    return _by_grid(opened, data, name, presence) or looks


def _by_content(opened: OpenArray, data: bytes, name: str | None) -> PackedBytes | None:
    """Return what the bytes themselves tell; `name` is what they begin like."""
    if not data:
        return PackedBytes("", "it is empty")
    kind = kind_of(data[:START]) if data[:1] in _READABLE else None
    if kind is not None:
        return PackedBytes("", f"it is {kind.name}, not the data")
    if not any(data[:4096]) and not any(data):
        return PackedBytes("", f"all of its {len(data):,} bytes are zero")
    whole = math.prod(opened.object_shape) * (opened.array.data_type.itemsize or 0)
    if name is None or _packs(opened, name):
        return _by_size(opened, len(data), whole)
    size = _unpacked_size(name, data, opened)
    if size is None:
        return _by_size(opened, len(data), whole)  # two bytes are soon alike
    text = f"its bytes look like {name}"
    if not whole or size != whole or opened.edges or opened.shard_edges:
        return PackedBytes(name, text)
    return _unpacked(
        opened,
        name,
        text,
        f"one chunk was unpacked with {name}, and has the size of its values then",
    )


def _by_grid(
    opened: OpenArray, data: bytes, name: str | None, presence: Presence
) -> PackedBytes | None:
    """Return the shape of chunks by their number and the size of one, None where it is that of the metadata."""
    array, itemsize = opened.array, opened.array.data_type.itemsize
    if (
        not (array.shape and itemsize and presence.complete)
        or opened.edges
        or opened.shard_shape is not None
        or array.metadata.get("filters")
        or (
            array.zarr_format == 3
            and [codec_name(codec) for codec in array.codecs[:1]] != ["bytes"]
        )
    ):
        return None
    outside = (tuple(map(int, _NUMBERS.findall(name))) for name in presence.outside)
    places = [*map(tuple, presence.places.tolist()), *outside]
    numbers = [
        max((place[n] for place in places if n < len(place)), default=0) + 1
        for n in range(len(array.shape))
    ]
    shape = [
        max(1, -(-length // number)) for length, number in zip(array.shape, numbers, strict=True)
    ]
    if tuple(shape) == opened.object_shape:
        return None
    size = _unpacked_size(name, data, opened) if name else len(data)
    if size != math.prod(shape) * itemsize:
        return None
    text = f"it has {plural(math.prod(shape), 'value')}, as many as chunks of shape {shape}"
    why = "by the number of chunks, and the size of one of them"
    return PackedBytes("", text, shape, why, "chunk shape")


def _by_size(opened: OpenArray, size: int, whole: int) -> PackedBytes | None:
    """Return what the number of bytes tells of a chunk; `whole` is how many its values take."""
    array, shape = opened.array, opened.object_shape
    if not whole or opened.edges or opened.shard_edges or opened.shard_shape is not None:
        return None
    if size == whole:
        if all(codec_name(codec) in _PACKS_NOTHING for codec in array.codecs):
            return None  # it has the size that it must have: what is wrong is in the values
        # of Zarr v2 the compressor may be null, and filters be left
        filtered = array.zarr_format == 2 and array.metadata.get("compressor") is None
        lacking = "its filters were not applied" if filtered else "it is not compressed"
        text = f"it has {whole:,} bytes, as many as its values take: {lacking}"
        return _unpacked(opened, "", text, "one chunk has just the size of its values")
    ends = [
        (inside, length)
        for length, inside in zip(
            shape, (n % c for n, c in zip(array.shape or (), shape, strict=True)), strict=True
        )
    ]
    parts = {
        math.prod(part)
        for part in product(*((length, inside) if inside else (length,) for inside, length in ends))
    }
    itemsize, elements = array.data_type.itemsize or 1, math.prod(shape)
    if size % itemsize == 0 and size // itemsize in parts - {elements}:
        return PackedBytes(
            "",
            f"the part of a chunk that is inside of the array takes just as many bytes, {size:,}: chunks at the end of"
            " a dimension have to be stored whole",
        )
    other, rest = divmod(size, elements)
    if not rest and other in (1, 2, 4, 8, 16):
        return PackedBytes(
            "",
            f"{size:,} bytes are {elements:,} values of {plural(other, 'byte')}, but one of {array.data_type.text} takes {itemsize}:"
            " the data type may be another one",
        )
    return None


def _packs(opened: OpenArray, name: str) -> bool:
    """Whether the metadata already say so."""
    return any(
        isinstance(codec, dict)
        and str(codec.get("name", codec.get("id", ""))).removeprefix("numcodecs.") == name
        for codec in opened.array.codecs
    )


def _unpacked_size(name: str, data: bytes, opened: OpenArray) -> int | None:
    """Return how many bytes the data are, unpacked; None where they do not unpack."""
    limit = opened.chunk_bytes + size_limits.SLACK
    codec = numcodecs.get_codec({"id": name})
    try:
        made = unpacking.unpack(codec, data, limit)
        if made is None:
            unpacking.check_size(unpacking.stated_size(codec, data, limit), limit)
            made = codec.decode(data)
        return len(memoryview(made).cast("B"))
    except Exception:  # noqa: BLE001  # codecs raise what they like
        return None


def _unpacked(opened: OpenArray, name: str, text: str, why: str) -> PackedBytes:
    """Return what chunks are that are packed with nothing but that, or with nothing at all, with what says so."""
    array = opened.array
    if array.zarr_format == 2:
        # filters are undone after the compressor: what they make of the bytes is not known
        known = not array.metadata.get("filters") and (not name or name in _V2)
        return PackedBytes(name, text, _V2.get(name), why if known else "")
    kept = [codec for codec in array.codecs if codec_name(codec) in _PACKS_NOTHING]
    if (
        opened.shard_shape is not None
        or "bytes" not in map(codec_name, kept)
        or (name and name not in _V3)
    ):
        return PackedBytes(name, text)
    return PackedBytes(name, text, [*kept, _V3[name]] if name else kept, why)
