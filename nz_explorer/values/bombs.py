"""Chunks that would unpack to far more than the chunk they are: refused before they are unpacked.

A few kilobytes can stand for gigabytes. What a chunk must hold is known from the metadata; most codecs say in a header
how much they will make, and those that do not are unpacked up to the limit and no further.
"""

from __future__ import annotations

import bz2
import lzma
import math
import zlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

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
_ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"


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
    limit = max(LEAST, MOST_TIMES * count * itemsize)
    outermost = next(_names_from_outside(pipeline), "")
    size = unpacked_size(outermost, stored, limit)
    if size > limit:
        raise Bomb(f"the chunk would unpack to {size} bytes or more, where {limit} are the limit")
    if any("vlen" in name for name in _names_from_outside(pipeline)):
        await _refuse_texts(pipeline, spec, stored, count)


def unpacked_size(codec: str, stored: Buffer, limit: int) -> int:
    """Return how many bytes a codec will make, or any number above the limit; 0 where that is not known."""
    head = stored[:HEAD].to_bytes()
    if "blosc" in codec:
        return int.from_bytes(head[4:8], "little")
    if "lz4" in codec:
        return int.from_bytes(head[:4], "little")
    if "zstd" in codec:
        return _zstd_size(head)
    if ("gzip" in codec or "zlib" in codec) and len(stored) * DEFLATE_RATIO > limit:
        return _made(zlib.decompressobj(zlib.MAX_WBITS | 32), stored.to_bytes(), limit)
    if "bz2" in codec:
        return _made(bz2.BZ2Decompressor(), stored.to_bytes(), limit)
    if "lzma" in codec:
        return _made(lzma.LZMADecompressor(), stored.to_bytes(), limit)
    return 0


def _made(decompressor: Any, data: bytes, limit: int) -> int:
    """Unpack up to a limit, in steps that take little memory."""
    made = 0
    try:
        made += len(decompressor.decompress(data, MEBIBYTE))
        while made <= limit and not decompressor.eof:
            rest = getattr(decompressor, "unconsumed_tail", b"")
            step = len(decompressor.decompress(rest, MEBIBYTE))
            if not step:
                break
            made += step
    except (zlib.error, lzma.LZMAError, OSError, EOFError):
        return 0  # the codec says what is wrong with it
    return made


def _zstd_size(data: bytes) -> int:
    """Return what the first frame says that it holds (RFC 8878, 3.1.1.1)."""
    if data[:4] != _ZSTD_MAGIC or len(data) < 5:
        return 0
    descriptor = data[4]
    single, flag = descriptor & 0x20, descriptor >> 6
    width = (1 if single else 0, 2, 4, 8)[flag]
    begin = 5 + (0 if single else 1) + (0, 1, 2, 4)[descriptor & 3]
    size = int.from_bytes(data[begin : begin + width], "little")
    return size + 256 if width == 2 else size


def _names_from_outside(pipeline: Any) -> Iterator[str]:
    """Yield the names of the codecs that unpack a chunk, in the order in which they do it."""
    for codec in reversed(getattr(pipeline, "bytes_bytes_codecs", ())):
        yield _name(codec)
    last = getattr(pipeline, "array_bytes_codec", None)
    for codec in (getattr(last, "compressor", None), *(getattr(last, "filters", None) or ())[::-1]):
        if codec is not None:  # of Zarr v2
            yield _name(codec)
    yield _name(last)


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
