"""How much the values of a store may take: every limit of reading and decoding, and the one that is shared.

A store is written by strangers, and a few bytes of metadata can ask for any amount of memory. What exceeds a limit
is not read; the error names the limit and the size requested.
"""

from __future__ import annotations

import asyncio
import math
import os
import sys
import threading
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from contextvars import ContextVar
from dataclasses import dataclass

MEBIBYTE = 2**20
MOST_CHUNK_BYTES = 1024 * MEBIBYTE
"""Bytes of a chunk, decoded."""
MOST_ELEMENT_BYTES = 16 * MEBIBYTE
"""Bytes of one element."""
MOST_INNER_CHUNKS = 2**20
"""Chunks in one shard: its index is read whole."""
LEAST_STAGE_BYTES = 64 * MEBIBYTE
"""What a codec may make, however small the chunk, where its size depends on the values."""
MOST_TIMES = 16
"""How many times the bytes of the decoded chunk a codec may make there."""
SLACK = MEBIBYTE
"""What a codec may make beyond the size that is known: then the codec's own error describes better what is wrong with the chunk."""
MOST_DECODING_BYTES = 512 * MEBIBYTE
"""Bytes of all chunks that are decoded at the same time, in this process; a larger chunk is decoded alone."""
MOST_UNASKED_CHUNKS = 10_000
"""Chunks of one array that are read although nobody asked for its values, such as those of a coordinate."""
MOST_UNASKED_BYTES = 256 * MEBIBYTE
"""Bytes of one array that are decoded although nobody asked for its values."""
MOST_SCANNED_CHUNKS = 10_000_000
"""Chunks of one array that a check of all values reads; more take hours, whatever is in them."""
MOST_SELECTED_CHUNKS = 200_000
"""Chunks of one selection, such as ``ex.array[:]``."""
MOST_SLICE_CHUNKS = 2_000_000
"""Chunks of one slice that is read whole, such as ``ex.values(whole=True)``: even their list takes memory."""
_TIMES_OF_SLICE = 3
"""How many times its own bytes a slice takes while it is read: in chunks, assembled with its states, and masked."""
_VARIABLE_ITEM = 64
"""Bytes that an element of variable length is taken to have."""


class SizeLimitExceeded(ValueError):
    """Something takes more than a limit; the message names the limit and the size requested."""


def most_selected_bytes() -> int:
    """Return the most bytes that one selection may have: half of the memory of this machine."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
    except (AttributeError, ValueError, OSError):  # not known on Windows
        return 4 * 1024 * MEBIBYTE


def bytes_text(count: float) -> str:
    """Return a number of bytes as people write it.

    Parameters
    ----------
    count
        The number.

    Returns
    -------
    str
        Such as ``12.5 MiB``.
    """
    if count > sys.float_info.max:  # a shape may have any integers
        return "over 10^308 bytes"
    units = ("bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB")
    power = min(max(0, int(count).bit_length() - 1) // 10, len(units) - 1)
    size = count / 1024**power
    shown = f"{size:.3g}" if power and size < 999.5 else f"{size:.0f}"
    return f"{shown} {units[power]}"


def decoded_bytes(shape: tuple[int, ...], itemsize: int | None) -> int:
    """Return how many bytes so many decoded elements take; a guess where elements vary (None).

    Parameters
    ----------
    shape
        Of what is decoded.
    itemsize
        Bytes of an element; None where elements vary in size.
    """
    return math.prod(shape) * (itemsize or _VARIABLE_ITEM)


def check_chunk(size: int) -> None:
    """Refuse a chunk that takes too much memory to decode.

    Raises
    ------
    SizeLimitExceeded
        If `size`, in bytes, is above `MOST_CHUNK_BYTES`.
    """
    if size > MOST_CHUNK_BYTES:
        raise SizeLimitExceeded(
            f"the chunk has {bytes_text(size)} decoded, more than the limit of "
            f"{bytes_text(MOST_CHUNK_BYTES)} for a chunk"
        )


def check_unasked(chunks: int, chunk_bytes: int) -> None:
    """Refuse to read an array whose values nobody asked for, where that takes long or much memory.

    Parameters
    ----------
    chunks
        How many chunks would be read.
    chunk_bytes
        Bytes of one of them, decoded.

    Raises
    ------
    SizeLimitExceeded
        If there are too many, or they take too much.
    """
    if chunks > MOST_UNASKED_CHUNKS:
        raise SizeLimitExceeded(
            f"it has {chunks:,} chunks, more than the limit of {MOST_UNASKED_CHUNKS:,} for an array "
            "that is read along with another"
        )
    if chunks * chunk_bytes > MOST_UNASKED_BYTES:
        raise SizeLimitExceeded(
            f"it has {bytes_text(chunks * chunk_bytes)}, more than the limit of "
            f"{bytes_text(MOST_UNASKED_BYTES)} for an array that is read along with another"
        )


def check_selection(size: int, chunks: int) -> None:
    """Refuse a selection that does not fit into memory, or that takes too many requests.

    Parameters
    ----------
    size
        Bytes of the result.
    chunks
        How many chunks it touches.

    Raises
    ------
    SizeLimitExceeded
        If it is too large.
    """
    most = most_selected_bytes()
    if size > most:
        raise SizeLimitExceeded(
            f"the selection has {bytes_text(size)}, more than the limit of {bytes_text(most)} "
            "(half of this machine's memory): select less of it"
        )
    if chunks > MOST_SELECTED_CHUNKS:
        raise SizeLimitExceeded(
            f"the selection touches {chunks:,} chunks, more than the limit of "
            f"{MOST_SELECTED_CHUNKS:,}: select less of it"
        )


def check_slice(size: int, chunks: int) -> None:
    """Refuse a slice that is to be read whole, chunk by chunk, if it does not fit into memory.

    Parameters
    ----------
    size
        Bytes of its values.
    chunks
        How many chunks it touches.

    Raises
    ------
    SizeLimitExceeded
        If it is too large.
    """
    most = most_selected_bytes()
    if _TIMES_OF_SLICE * size > most:
        raise SizeLimitExceeded(
            f"the slice has {bytes_text(size)} and takes {_TIMES_OF_SLICE} times as much to read, more than the "
            f"limit of {bytes_text(most)} (half of this machine's memory): select less of it"
        )
    if chunks > MOST_SLICE_CHUNKS:
        raise SizeLimitExceeded(
            f"the slice touches {chunks:,} chunks, more than the limit of {MOST_SLICE_CHUNKS:,}: select less of it"
        )


def stage_limit(exact: int | None, decoded: int) -> int:
    """Return the most bytes that a codec may make of a chunk.

    Parameters
    ----------
    exact
        What it must make; None where that depends on the values.
    decoded
        Bytes of the decoded chunk.
    """
    if exact is not None:
        return exact + SLACK
    return min(max(LEAST_STAGE_BYTES, MOST_TIMES * decoded), MOST_CHUNK_BYTES + SLACK)


def packed_limit(unpacked: int) -> int:
    """Return the most bytes that may be stored for what unpacks to at most `unpacked`: no codec doubles it."""
    return 2 * unpacked + SLACK


# --- memory that is shared ---------------------------------------------------------------------


@dataclass(slots=True, eq=False)
class _Waiting:
    need: int
    granted: asyncio.Future[None]
    loop: asyncio.AbstractEventLoop

    def wake(self) -> None:
        if not self.granted.done():
            self.granted.set_result(None)


class DecodingMemory:
    """Memory for chunks that are decoded at the same time, whatever threads and event loops do it.

    Parameters
    ----------
    most
        Bytes. What needs more than that waits until it is alone.
    """

    def __init__(self, most: int) -> None:
        self._most = self._free = most
        self._lock = threading.Lock()
        self._waiting: deque[_Waiting] = deque()

    @asynccontextmanager
    async def reserved(self, need: int) -> AsyncIterator[None]:
        """Wait for some bytes, and hold them; what runs inside of it holds nothing of its own."""
        if _reserved.get():  # such as the chunks of a shard, which is held whole
            yield
            return
        need = min(need, self._most)
        await self._take(need)
        token = _reserved.set(True)
        try:
            yield
        finally:
            _reserved.reset(token)
            self._give_back(need)

    async def _take(self, need: int) -> None:
        with self._lock:
            if need <= self._free and not self._waiting:
                self._free -= need
                return
            loop = asyncio.get_running_loop()
            mine = _Waiting(need, loop.create_future(), loop)
            self._waiting.append(mine)
        try:
            await mine.granted
        except asyncio.CancelledError:
            with self._lock:
                waits = mine in self._waiting
                if waits:
                    self._waiting.remove(mine)
            self._give_back(0 if waits else need)
            raise

    def _give_back(self, count: int) -> None:
        with self._lock:
            self._free += count
            while self._waiting and self._waiting[0].need <= self._free:
                first = self._waiting.popleft()
                try:
                    first.loop.call_soon_threadsafe(first.wake)
                except RuntimeError:  # its loop was closed: nobody waits there
                    continue
                self._free -= first.need


_reserved: ContextVar[bool] = ContextVar("reserved", default=False)
decoding_memory = DecodingMemory(MOST_DECODING_BYTES)
