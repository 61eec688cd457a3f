"""Decoded chunks, kept so that the next slice of the same chunk reads nothing."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

if TYPE_CHECKING:
    from nz_explorer.values.decoding import Fault
    from nz_explorer.values.opening import OpenArray

MEBIBYTE = 2**20
_MOST_ARRAYS = 512
_LEAST_ENTRY = 256  # what an entry costs beside its values

ChunkState = Literal["present", "absent", "unreadable"]


@dataclass(frozen=True, slots=True)
class Chunk:
    """A chunk as it was found.

    Parameters
    ----------
    state
        ``absent`` where the store has no such key; its values are then the storage fill value.
    values
        The decoded values inside the array's shape; None where it is unreadable.
    fault
        Why it is unreadable.
    """

    state: ChunkState
    values: np.ndarray[Any, Any] | None
    fault: Fault | None = None

    @property
    def error(self) -> str | None:
        """Why it is unreadable, in a sentence."""
        return None if self.fault is None else self.fault.text

    @property
    def nbytes(self) -> int:
        """What it costs to keep; an absent chunk is one value repeated."""
        if self.values is None:
            return _LEAST_ENTRY
        owner = self.values.base
        size = owner.nbytes if isinstance(owner, np.ndarray) else self.values.nbytes
        return _LEAST_ENTRY + size * (4 if self.values.dtype.hasobject else 1)


class ChunkCache:
    """Least recently used chunks up to a number of bytes, and the arrays that were opened.

    Safe to use from several threads. Unreadable chunks are not kept, so that looking again asks
    the store again.

    Parameters
    ----------
    limit
        The most bytes of decoded values to keep.
    """

    def __init__(self, limit: int = 256 * MEBIBYTE) -> None:
        self.limit = limit
        self.used = 0
        self.hits = 0
        self.misses = 0
        self._lock = threading.RLock()
        self._chunks: OrderedDict[tuple[int, Hashable], Chunk] = OrderedDict()
        self._arrays: OrderedDict[tuple[int, str], OpenArray] = OrderedDict()

    def opened(self, key: tuple[int, str]) -> OpenArray | None:
        """Return the array opened under a key, None where there is none."""
        with self._lock:
            found = self._arrays.get(key)
            if found is not None:
                self._arrays.move_to_end(key)
            return found

    def keep_opened(self, key: tuple[int, str], array: OpenArray) -> None:
        """Keep an opened array; the chunks of the one that it replaces are dropped."""
        with self._lock:
            replaced = self._arrays.pop(key, None)
            self._arrays[key] = array
            if replaced is not None:
                self._drop(replaced.version)
            while len(self._arrays) > _MOST_ARRAYS:
                self._drop(self._arrays.popitem(last=False)[1].version)

    def get(self, version: int, coordinates: Hashable) -> Chunk | None:
        """Return a chunk of an opened array, None where it is not kept."""
        with self._lock:
            found = self._chunks.get((version, coordinates))
            if found is None:
                self.misses += 1
                return None
            self.hits += 1
            self._chunks.move_to_end((version, coordinates))
            return found

    def holds(self, version: int, coordinates: Hashable) -> bool:
        """Tell whether a chunk is kept, without counting that as use."""
        with self._lock:
            return (version, coordinates) in self._chunks

    def put(self, version: int, coordinates: Hashable, chunk: Chunk) -> None:
        """Keep a chunk, and let go of others where that takes too much."""
        if chunk.state == "unreadable" or chunk.nbytes > self.limit:
            return
        with self._lock:
            replaced = self._chunks.pop((version, coordinates), None)
            if replaced is not None:
                self.used -= replaced.nbytes
            self._chunks[version, coordinates] = chunk
            self.used += chunk.nbytes
            while self.used > self.limit:
                self.used -= self._chunks.popitem(last=False)[1].nbytes

    def forget(self, path: str = "/") -> None:
        """Forget the chunks of an array, or of all arrays below a group."""
        below = "/" if path == "/" else f"{path}/"
        with self._lock:
            for key in [k for k in self._arrays if k[1] == path or k[1].startswith(below)]:
                self._drop(self._arrays.pop(key).version)

    def _drop(self, version: int) -> None:
        for key in [key for key in self._chunks if key[0] == version]:
            self.used -= self._chunks.pop(key).nbytes
