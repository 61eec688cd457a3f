"""Chunks that would unpack to far more than the chunk they are: refused before they are unpacked.

A few kilobytes can stand for gigabytes. What a chunk must hold is known from the metadata; most codecs say in a header
how much they will make, and those that do not are unpacked up to the limit and no further. Where one codec packs what
another one has packed, each is looked at before it unpacks.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import math
import zlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from zarr.core.array_spec import ArraySpec
    from zarr.core.buffer import Buffer

MEBIBYTE = 2**20
LEAST = 64 * MEBIBYTE
"""What any chunk may take, whatever its metadata say."""
MOST_TIMES = 16
"""How many times the bytes that its metadata ask for a chunk may take."""
HEAD = 32
"""Bytes in which codecs say how much they will make."""
DEFLATE_RATIO = 1032
"""How many times its own size a deflated text can be at most."""
SLACK = MEBIBYTE
"""What a chunk may unpack to beyond what it must: a codec then says better what is wrong with it."""
_PACKERS = ("blosc", "lz4", "zstd", "gzip", "zlib", "bz2", "lzma")
_ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
_ZSTD_BLOCK = 2**17
"""The most that a block of a zstd frame can hold."""
_ZSTD_BLOCKS = 100_000
"""Blocks that are counted; zstd itself finds out faster about more."""
_UNKNOWN = 2**63


class Bomb(ValueError):
    """A chunk that was not unpacked; the text says why."""


async def refuse(pipeline: Any, spec: ArraySpec, itemsize: int, stored: Buffer) -> None:
    """Refuse a chunk that would unpack to far more than it should.

    Parameters
    ----------
    pipeline
        The codecs.
    spec
        What the chunk is, decoded.
    itemsize
        Bytes of an element, decoded.
    stored
        The chunk as it is stored.

    Raises
    ------
    Bomb
        If it would.
    """
    count = math.prod(spec.shape)
    most = max(LEAST, MOST_TIMES * count * itemsize)
    codecs = [codec for codec in _from_outside(pipeline) if codec is not None]
    data: Any = stored
    for number, codec in enumerate(codecs):
        if _is_packer(codec):
            exact = _exact_size(pipeline, codecs[number + 1 :], spec, count * itemsize)
            limit = most if exact is None else exact + SLACK
            size = unpacked_size(codec, data, limit, most)
            if size > limit:
                raise Bomb(
                    f"the chunk would unpack to {size} bytes or more, where {limit} are the limit"
                )
        if not any(map(_is_packer, codecs[number + 1 :])):
            break  # what is further inside makes no more of it
        data = await _unpacked(codec, data, spec)
    if any("vlen" in _name(codec) for codec in codecs):
        await _refuse_texts(pipeline, spec, stored, count)


def _exact_size(pipeline: Any, inside: list[Any], spec: ArraySpec, size: int) -> int | None:
    """Return how many bytes codecs make of a chunk, None where that depends on its values."""
    for codec in (*getattr(pipeline, "array_array_codecs", ()), *reversed(inside)):
        if type(codec).__name__ == "V2Codec":
            continue  # its parts are looked at one by one
        if not getattr(codec, "is_fixed_size", False):
            return None
        size = codec.compute_encoded_size(size, spec)
    return size


async def _unpacked(codec: Any, data: Any, spec: ArraySpec) -> Any:
    """Return what one codec makes, which was found to be no bomb."""
    if hasattr(codec, "compute_encoded_size"):
        (data,) = await codec.decode([(data, spec)])
        return data
    return spec.prototype.buffer.from_bytes(bytes(codec.decode(data.to_bytes())))  # of Zarr v2


def unpacked_size(codec: Any, stored: Any, limit: int, most: int) -> int:
    """Return how many bytes a codec will make, or any number above the limit; 0 where that is not known.

    Parameters
    ----------
    codec
        The codec.
    stored
        What it unpacks.
    limit
        The most that it may make.
    most
        The same for codecs of which that is only known after unpacking: a limit that ordinary chunks are so
        far below that they need not be unpacked twice.
    """
    name = _name(codec)
    head = stored[:HEAD].to_bytes()
    if "blosc" in name:
        return int.from_bytes(head[4:8], "little")
    if "lz4" in name:
        return int.from_bytes(head[:4], "little")
    if "zstd" in name:
        return _zstd_size(stored.to_bytes(), limit)
    own = getattr(codec, "_codec", codec)  # of numcodecs, inside of a codec of Zarr v3
    data = stored.to_bytes()
    if ("gzip" in name or "zlib" in name) and len(data) * DEFLATE_RATIO <= most:
        return 0
    try:
        if "gzip" in name:
            size = _made(gzip.GzipFile(fileobj=io.BytesIO(data)), most)
        elif "bz2" in name:
            size = _made(bz2.BZ2File(io.BytesIO(data)), most)
        elif "lzma" in name:
            style, filters = getattr(own, "format", 0), getattr(own, "filters", None)
            with lzma.LZMAFile(io.BytesIO(data), format=style, filters=filters) as file:
                size = _made(file, most)
        else:
            size = _inflated(data, most)
    except (zlib.error, lzma.LZMAError, OSError, EOFError, ValueError):
        return 0  # the codec says what is wrong with it
    return size if size > most else 0


def _made(file: Any, limit: int) -> int:
    """Unpack up to a limit, in steps that take little memory; all parts, where there are several."""
    made = 0
    while made <= limit and (step := len(file.read(MEBIBYTE))):
        made += step
    return made


def _inflated(data: bytes, limit: int) -> int:
    decompressor, made = zlib.decompressobj(zlib.MAX_WBITS | 32), 0
    while made <= limit and not decompressor.eof and data:
        made += len(decompressor.decompress(data, MEBIBYTE))
        data = decompressor.unconsumed_tail
    return made


def _zstd_size(data: bytes, limit: int) -> int:
    """Return what all frames say that they hold, if all do; else a number above the limit if they hold more.

    One that does not say it makes numcodecs unpack all of them as far as they go. What they hold at most is
    known from the heads of their blocks (RFC 8878, 3.1.1), which is enough for those that were written as streams.
    """
    stated, most, known = 0, 0, True
    for size, at_most in _zstd_frames(data):
        # numcodecs takes 0 for a size that is not stated
        known = known and bool(size)
        stated, most = stated + (size or 0), most + at_most
        if not known and most > limit:
            return limit + 1 if _zstd_exceeds(data, limit) else 0
    return stated if known else 0


def _zstd_exceeds(data: bytes, limit: int) -> bool:
    from numcodecs import zstd  # type: ignore[import-untyped]

    try:
        zstd.decompress(data, np.empty(limit, np.uint8))  # memory is taken as it is written to
    except (RuntimeError, ValueError) as error:
        return "too small" in str(
            error
        )  # else it is shorter, or the codec says what is wrong with it
    return False


def _zstd_frames(data: bytes) -> Iterator[tuple[int | None, int]]:
    """Yield of each frame how many bytes it says that it holds, and how many it can hold at most."""
    at = blocks = 0
    while at + 6 <= len(data):
        magic, descriptor = data[at : at + 4], data[at + 4]
        blocks += 1
        if magic[1:] == b"\x2a\x4d\x18" and magic[0] >> 4 == 5 and blocks <= _ZSTD_BLOCKS:
            at += 8 + int.from_bytes(data[at + 4 : at + 8], "little")
            yield None, 0  # to be skipped
            continue
        if magic != _ZSTD_MAGIC:
            yield None, _UNKNOWN  # of an older version of the format, or none
            return
        single, flag = descriptor & 0x20, descriptor >> 6
        width = (1 if single else 0, 2, 4, 8)[flag]
        at += 5 + (0 if single else 1) + (0, 1, 2, 4)[descriptor & 3]
        size = int.from_bytes(data[at : at + width], "little") if width else None
        if size is not None and width == 2:
            size += 256
        at += width
        most, last = 0, False
        while not last:
            blocks += 1
            if at + 3 > len(data) or blocks > _ZSTD_BLOCKS:
                yield None, _UNKNOWN
                return
            head = int.from_bytes(data[at : at + 3], "little")
            last, kind, length = bool(head & 1), head >> 1 & 3, head >> 3
            at += 3 + (1 if kind == 1 else length)
            most += _ZSTD_BLOCK if kind > 1 else length
        yield size, most
        at += 4 if descriptor & 4 else 0


def _is_packer(codec: Any) -> bool:
    return any(name in _name(codec) for name in _PACKERS)


def _from_outside(pipeline: Any) -> Iterator[Any]:
    """Yield the codecs that unpack a chunk, in the order in which they do it; None for those of Zarr v2 left out."""
    yield from reversed(getattr(pipeline, "bytes_bytes_codecs", ()))
    last = getattr(pipeline, "array_bytes_codec", None)
    yield getattr(last, "compressor", None)
    yield from (getattr(last, "filters", None) or ())[::-1]
    yield last


def _name(codec: Any) -> str:
    return type(codec).__name__.lower()


async def _refuse_texts(pipeline: Any, spec: ArraySpec, stored: Buffer, count: int) -> None:
    """Refuse texts whose number, which is made room for at once, is not that of the chunk's elements."""
    data: Any = stored
    for codec in reversed(getattr(pipeline, "bytes_bytes_codecs", ())):
        (data,) = await codec.decode([(data, spec)])
    head = data.to_bytes()
    compressor = getattr(pipeline.array_bytes_codec, "compressor", None)
    if compressor is not None:
        head = bytes(compressor.decode(head))
    number = int.from_bytes(head[:4], "little")
    if number > count:
        raise Bomb(f"the chunk says that it holds {number} elements, where {count} are expected")
