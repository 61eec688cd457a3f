"""Chunks that would unpack to far more than they should: refused before they are unpacked, or cut where they exceed it.

A few kilobytes can decompress to gigabytes. What a chunk must hold is known from the metadata; blosc, lz4 and zstd say in a
header how much they will make; the others are unpacked up to the limit and no further.
"""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import math
import threading
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from nz_explorer.text.phrases import plural
from nz_explorer.values.reading.size_limits import SizeLimitExceeded, bytes_text

HEAD = 32
"""Bytes in which codecs declare the size of their output."""
_ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
_ZSTD_BLOCK = 2**17
"""The most that a block of a zstd frame can hold."""
_ZSTD_BLOCKS = 100_000
"""Blocks that are counted; zstd itself finds out faster about more."""
_UNKNOWN = 2**63
CUT_OFF = "the chunk is cut off"
"""What is said of a chunk that numcodecs may decode all the same, to what is in memory by chance."""
_BLOSC_VERSION = 2
"""The newest version of its format that blosc reads; a chunk begins with it."""
_BLOSC_HEADER = 16
"""Bytes before what blosc has packed, of which the last four are its size with them."""


class UnpackedSizeExceeded(SizeLimitExceeded):
    """A chunk that was not unpacked; the message gives the reason."""


def codec_name(codec: Any) -> str:
    """Return what a codec object of zarr or numcodecs is, in lower case: the name of its class."""
    return type(codec).__name__.lower()


def check_size(size: int, limit: int) -> None:
    """Refuse the output of a codec, or the size that it declares.

    Parameters
    ----------
    size, limit
        Bytes.

    Raises
    ------
    UnpackedSizeExceeded
        If it is above the limit.
    """
    if size > limit:
        raise UnpackedSizeExceeded(
            f"the chunk would unpack to {size:,} bytes or more, where {limit:,} are the limit"
        )


class _Room(threading.local):
    """Memory of a thread that chunks are unpacked into, one after the other."""

    def __init__(self) -> None:
        self.parts: list[np.ndarray[Any, np.dtype[np.uint8]]] = []
        self.taken = 0
        self.active = False


_room = _Room()
MOST_ROOM = 32 * 2**20
"""Bytes of a chunk above which its memory is not used again."""


@contextmanager
def room_used_again() -> Iterator[None]:
    """Have what this thread unpacks put where it has put something before.

    The operating system clears memory before it hands it out, which takes as long as a fifth of the unpacking. Nothing
    that is unpacked in a block may be kept beyond it: the next one writes over it.
    """
    _room.taken, _room.active = 0, True
    try:
        yield
    finally:
        _room.active = False


def _take_room(size: int) -> np.ndarray[Any, np.dtype[np.uint8]]:
    parts, at = _room.parts, _room.taken
    if at == len(parts):
        parts.append(np.empty(size, np.uint8))
    elif len(parts[at]) < size:
        parts[at] = np.empty(size, np.uint8)
    _room.taken += 1
    return parts[at][:size]


def unpack_again(codec: Any, packed: Any, size: int) -> Any:
    """Unpack a chunk of one frame of zstd into memory that was used before, where the thread has some.

    Parameters
    ----------
    codec
        The codec of zarr.
    packed
        What it unpacks, as bytes.
    size
        The size that is declared.

    Returns
    -------
    array or None
        None where it has to be unpacked as usual, also to find out what is wrong with it.
    """
    if (
        not _room.active
        or not 0 < size <= MOST_ROOM
        or codec_name(codec) not in ("zstd", "zstdcodec")
    ):
        return None
    if [one for one, _ in _zstd_frames(memoryview(packed))] != [size]:
        return None
    from numcodecs import zstd  # type: ignore[import-untyped]

    made = _take_room(size)
    try:
        zstd.decompress(packed, made)
    except (RuntimeError, ValueError):
        return None
    return made


def stated_size(codec: Any, packed: Any, limit: int) -> int:
    """Return how many bytes a codec declares, or any number above the limit; 0 where it declares none.

    Parameters
    ----------
    codec
        The codec.
    packed
        What it unpacks, as bytes.
    limit
        The most that it may make.

    Raises
    ------
    ValueError
        If blosc says that there are more bytes than there are: numcodecs would read on in memory that is not the chunk's.
    """
    name = codec_name(codec)
    if "blosc" in name:
        _check_whole(packed)
        return int.from_bytes(packed[4:8], "little")
    if "lz4" in name:
        return int.from_bytes(packed[:4], "little")
    if "zstd" in name:
        return _zstd_size(memoryview(packed), limit)
    return 0


def _check_whole(packed: Any) -> None:
    """Refuse a chunk of blosc that is cut off, and one that is none."""
    if (first := int.from_bytes(packed[:1], "little")) > _BLOSC_VERSION:  # which blosc refuses
        raise ValueError(
            f"error during blosc decompression: the first byte is {first}, and of what blosc makes it is {_BLOSC_VERSION}"
        )
    whole = int.from_bytes(packed[12:_BLOSC_HEADER], "little")
    if len(packed) < max(whole, _BLOSC_HEADER):
        missing = f"{len(packed):,} of {plural(whole, 'byte')}"
        has = missing if len(packed) >= _BLOSC_HEADER else plural(len(packed), "byte")
        raise ValueError(f"error during blosc decompression: {CUT_OFF}, it has {has}")


def unpack(codec: Any, packed: bytes, limit: int) -> bytes | None:
    """Unpack what gzip, zlib, bz2 or lzma has packed, up to a limit.

    Parameters
    ----------
    codec
        The codec, of zarr or of numcodecs.
    packed
        What it unpacks.
    limit
        The most bytes that it may make.

    Returns
    -------
    bytes or None
        None for any other codec.

    Raises
    ------
    UnpackedSizeExceeded
        If there is more.
    Exception
        Whatever is raised for what was not packed by this codec.
    """
    name = codec_name(codec)
    if "gzip" in name:
        made = gzip.GzipFile(fileobj=io.BytesIO(packed)).read(limit + 1)
    elif "zlib" in name:
        made = _inflated(packed, limit + 1)
    elif "bz2" in name:
        made = bz2.BZ2File(io.BytesIO(packed)).read(limit + 1)
    elif "lzma" in name:
        style, filters = getattr(codec, "format", 0), getattr(codec, "filters", None)
        with lzma.LZMAFile(io.BytesIO(packed), format=style, filters=filters) as file:
            made = file.read(limit + 1)
    else:
        return None
    check_size(len(made), limit)
    return made


def _inflated(packed: bytes, most: int) -> bytes:
    decompressor = zlib.decompressobj()
    made = decompressor.decompress(packed, most)
    if len(made) < most and not decompressor.eof:
        raise zlib.error("incomplete or truncated stream")
    return made


def check_elements(codec: Any, packed: Any, count: int, limit: int) -> None:
    """Refuse elements that would be made room for at once, where there are too many or they are too wide.

    Parameters
    ----------
    codec
        A codec of zarr or numcodecs that makes elements of bytes, or of other elements.
    packed
        What it decodes, as bytes; None where that are elements.
    count
        How many elements there should be.
    limit
        The most bytes that they may take.

    Raises
    ------
    UnpackedSizeExceeded
        If they are wider.
    ValueError
        If there are more.
    """
    name = codec_name(codec)
    number, width = 0, _widest(codec)
    if "vlen" in name and packed is not None:
        number = int.from_bytes(packed[:4], "little")
    elif name in ("json", "msgpack") and packed is not None:
        number, wide = _declared_at_the_end(name, packed)
        width = max(width, wide)
    if number > count:
        raise ValueError(  # no limit lets it be read: no more than these have a place
            f"the chunk declares {plural(number, 'element')}, where {count:,} are expected"
        )
    if width * count > limit:
        raise UnpackedSizeExceeded(
            f"the codec {name} makes elements of {width:,} bytes, {bytes_text(width * count)} in all, "
            f"where {bytes_text(limit)} are the limit"
        )


def _widest(codec: Any) -> int:
    """Return the bytes of the widest element that the configuration of a numcodecs codec asks for."""
    width = 0
    for name in ("decode_dtype", "encode_dtype", "dtype", "astype"):
        given = getattr(codec, name, None)
        if isinstance(given, np.dtype):
            width = max(width, given.itemsize)
    return width


def _declared_at_the_end(name: str, packed: Any) -> tuple[int, int]:
    """Return the number and the width of the elements that json2 and msgpack2 allocate: those declared last."""
    try:
        if name == "json":
            items = json.loads(bytes(packed))
        else:
            import msgpack  # type: ignore[import-not-found, import-untyped, unused-ignore]

            items = msgpack.unpackb(bytes(packed))
        return math.prod(items[-1]), np.dtype(items[-2]).itemsize
    except (ValueError, TypeError, IndexError, KeyError):
        return 0, 0  # the codec reports what is wrong with it


def _zstd_size(data: memoryview, limit: int) -> int:
    """Return the declared size of all frames, if all declare one; else a number above the limit if they hold more.

    If one declares none, numcodecs unpacks all of them as far as they go. What they hold at most is
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


def _zstd_exceeds(data: memoryview, limit: int) -> bool:
    from numcodecs import zstd

    try:
        zstd.decompress(data, np.empty(limit, np.uint8))  # memory is taken as it is written to
    except (RuntimeError, ValueError) as error:
        # else it is shorter, or the codec reports what is wrong with it
        return "too small" in str(error)
    return False


def _zstd_frames(data: memoryview) -> Iterator[tuple[int | None, int]]:
    """Yield of each frame how many bytes it declares, and how many it can hold at most."""
    at = blocks = 0
    while at + 6 <= len(data):
        magic, descriptor = bytes(data[at : at + 4]), data[at + 4]
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
