"""Decoded chunks, kept so that the next slice of the same chunk reads nothing."""

from __future__ import annotations

import threading
import weakref
from collections import OrderedDict, deque
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nz_explorer.model import Array, Hierarchy
    from nz_explorer.values.reading.opening import OpenArray
from nz_explorer.values.reading.chunk import Chunk

MEBIBYTE = 2**20
_MOST_ARRAYS = 512


def _is_same(one: Array, other: Array) -> bool:
    """Whether two nodes are what was read once, with nothing changed since."""
    return one.documents is other.documents and one.generation == other.generation


class ChunkCache:
    """Least recently used chunks up to a number of bytes, and the arrays that were opened.

    It may be shared by any number of hierarchies: chunks are kept by the opening of their array, and an array
    that was read again is opened again. It keeps no hierarchy alive: opened arrays are remembered with their
    hierarchy, and their chunks are dropped when they are gone.

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
        # Not reentrant: the garbage collector may call `drop_later` on a thread that is inside.
        self._lock = threading.Lock()
        self._chunks: OrderedDict[tuple[int, Hashable], Chunk] = OrderedDict()
        self._kept: dict[int, set[Hashable]] = {}
        """The coordinates of the chunks of each opened array."""
        self._hierarchies: weakref.WeakSet[Hierarchy] = weakref.WeakSet()
        self._gone: deque[int] = deque()
        """Opened arrays that nobody has any more, and whose chunks are still here."""

    def opened(self, array: Array) -> OpenArray | None:
        """Return an array as it was opened; None where it was not, or was read again since."""
        with self._inside():
            arrays = self._arrays(array.hierarchy)
            found = arrays.get(array.path)
            # of a node that was read again the chunks may have changed, too; of one that nobody edited
            # they are the same, also in a fork
            if found is None or not _is_same(found.array, array):
                return None
            arrays.move_to_end(array.path)
            return found

    def keep_opened(self, opened: OpenArray) -> None:
        """Remember an opened array; the chunks of the one that it replaces are dropped."""
        with self._inside():
            arrays = self._arrays(opened.array.hierarchy)
            replaced = arrays.pop(opened.array.path, None)
            arrays[opened.array.path] = opened
            end = weakref.finalize(opened, _collected, weakref.ref(self), opened.version)
            end.atexit = False
            if replaced is not None:
                self._drop(replaced.version)
            while len(arrays) > _MOST_ARRAYS:
                self._drop(arrays.popitem(last=False)[1].version)

    def get(self, version: int, coordinates: Hashable) -> Chunk | None:
        """Return a chunk of an opened array, None where it is not kept.

        Parameters
        ----------
        version
            Of the array as it was opened.
        coordinates
            Of the chunk in the grid.
        """
        with self._inside():
            found = self._chunks.get((version, coordinates))
            if found is None:
                self.misses += 1
                return None
            self.hits += 1
            self._chunks.move_to_end((version, coordinates))
            return found

    def holds(self, version: int, coordinates: Hashable) -> bool:
        """Return whether a chunk is kept, without counting that as use.

        Parameters
        ----------
        version
            Of the array as it was opened.
        coordinates
            Of the chunk in the grid.
        """
        with self._inside():
            return (version, coordinates) in self._chunks

    def put(self, version: int, coordinates: Hashable, chunk: Chunk) -> None:
        """Keep a chunk, and let go of others where that takes too much.

        Parameters
        ----------
        version
            Of the array as it was opened.
        coordinates
            Of the chunk in the grid.
        chunk
            As it was read.
        """
        if chunk.state == "unreadable" or chunk.nbytes > self.limit:
            return
        with self._inside():
            self._remove(version, coordinates)
            self._chunks[version, coordinates] = chunk
            self._kept.setdefault(version, set()).add(coordinates)
            self.used += chunk.nbytes
            while self.used > self.limit:
                self._remove(*next(iter(self._chunks)))

    def forget(self, path: str = "/", hierarchy: Hierarchy | None = None) -> None:
        """Forget the chunks of an array, or of all arrays below a group.

        Parameters
        ----------
        path
            Of the array or the group.
        hierarchy
            Whose; of all hierarchies by default.
        """
        below = "/" if path == "/" else f"{path}/"
        with self._inside():
            for one in list(self._hierarchies) if hierarchy is None else [hierarchy]:
                arrays = self._arrays(one)
                for key in [key for key in arrays if key == path or key.startswith(below)]:
                    self._drop(arrays.pop(key).version)

    @property
    def hierarchies(self) -> int:
        """How many hierarchies have arrays here that are still in use."""
        with self._inside():
            return len(self._hierarchies)

    @contextmanager
    def _inside(self) -> Iterator[None]:
        with self._lock:
            self._drop_gone()
            yield

    def _arrays(self, hierarchy: Hierarchy) -> OrderedDict[str, OpenArray]:
        self._hierarchies.add(hierarchy)
        arrays: OrderedDict[str, OpenArray] = hierarchy.attached.setdefault(self, OrderedDict())
        return arrays

    def drop_later(self, version: int) -> None:
        """Drop the chunks of an opened array that nobody has any more; never waits."""
        self._gone.append(version)
        # Whoever is inside drops them, or the next who comes.
        if self._lock.acquire(blocking=False):
            try:
                self._drop_gone()
            finally:
                self._lock.release()

    def _drop_gone(self) -> None:
        while self._gone:
            self._drop(self._gone.popleft())

    def _drop(self, version: int) -> None:
        for coordinates in self._kept.pop(version, ()):
            self.used -= self._chunks.pop((version, coordinates)).nbytes

    def _remove(self, version: int, coordinates: Hashable) -> None:
        chunk = self._chunks.pop((version, coordinates), None)
        if chunk is None:
            return
        self.used -= chunk.nbytes
        kept = self._kept[version]
        kept.discard(coordinates)
        if not kept:
            del self._kept[version]


def _collected(reference: weakref.ref[ChunkCache], version: int) -> None:
    cache = reference()
    if cache is not None:
        cache.drop_later(version)


_shared = ChunkCache()


def shared_cache() -> ChunkCache:
    """Return the cache that all explorers of this process share, so that it is bounded once for all."""
    return _shared
