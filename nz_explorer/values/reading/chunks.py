"""Chunks read one by one, so that a corrupt one does not spoil the others."""

from __future__ import annotations

import os
import queue
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache
from itertools import chain, islice, pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from nz_explorer.store import Cancellation, Cancelled
from nz_explorer.store.cancellation import hand_over
from nz_explorer.values.reading.chunk import Chunk, Fault
from nz_explorer.values.reading.chunk_cache import MEBIBYTE, ChunkCache
from nz_explorer.values.reading.chunk_grid import ChunkGrid, Coordinates
from nz_explorer.values.reading.decoding import Decoded, decode
from nz_explorer.values.reading.opening import OpenArray

Progress = Callable[[int, int], object]
Box = npt.NDArray[np.int64]
"""Coordinates of chunks, one in a row."""

PARTIAL_SECONDS = 0.15
"""Pause between two looks at what is there so far."""

_LOCAL_THREADS = 4
_REMOTE_THREADS = 16
_TASKS_AHEAD = 64
"""How many reads wait for a thread: who stops a million of them does not wait until all are lined up."""
BETWEEN_LOOKS = 10_000
"""Chunks that are arranged between two looks at whether they are still wanted."""
_MOST_TOGETHER = 64
_BYTES_TOGETHER = 2 * MEBIBYTE
_MOST_UNSEEN = 2
"""How many times its own bytes a chunk may keep in memory, such as those beyond the array's end."""


def read_chunks(
    opened: OpenArray,
    wanted: Sequence[Coordinates],
    *,
    cache: ChunkCache | None = None,
    cancel: Cancellation | None = None,
    progress: Progress | None = None,
    partial: Callable[[dict[Coordinates, Chunk]], object] | None = None,
) -> dict[Coordinates, Chunk]:
    """Read chunks of an array, those nearest to the middle of what is wanted first.

    Parameters
    ----------
    opened
        The array.
    wanted
        Coordinates in the grid of chunks (of inner chunks where the array is sharded).
    cache
        Where decoded chunks are looked for, and kept.
    cancel
        Looked at before each read.
    progress
        Called with the number of chunks done and of all, from any thread.
    partial
        Called with the chunks that are there so far, from any thread, yet never by two at once nor
        more often than people see.

    Returns
    -------
    dict
        Every chunk that was wanted. One that could not be read has a `fault`; nothing is raised for it.

    Raises
    ------
    Cancelled
        If it was cancelled. Requests that are under way are withdrawn; local reads end by themselves, and are kept.
    """
    found: dict[Coordinates, Chunk] = {}
    missing: Sequence[Coordinates] = wanted
    if cache is not None:
        missing = []
        for number, chunk in enumerate(wanted):
            if number % BETWEEN_LOOKS == 0:
                _look(cancel)
            kept = cache.get(opened.version, chunk)
            if kept is None:
                missing.append(chunk)
            else:
                found[chunk] = kept
    tasks = _nearest_first(_tasks(opened, missing, cancel))
    lock = threading.Lock()
    shown = _Throttle(partial)

    def work(task: Box) -> None:
        _look(cancel)
        chunks = read_together(opened, [tuple(chunk) for chunk in task.tolist()], cancel)
        with lock:
            found.update(chunks)
            done = len(found)
            so_far = dict(found) if done < len(wanted) and shown.due() else None
        if cache is not None:
            for coordinates, chunk in chunks.items():
                cache.put(opened.version, coordinates, chunk)
        if progress is not None:
            progress(done, len(wanted))
        if so_far is not None and not (cancel is not None and cancel.cancelled):
            shown.show(so_far)

    local = opened.array.hierarchy.reader.local
    if not local and opened.shard_shape is None:
        tasks = _gathered(tasks, _most_together(opened))
    _run(work, tasks, _LOCAL_THREADS if local else _REMOTE_THREADS, cancel)
    return found


class _Throttle:
    """Lets a callback through once in a while."""

    def __init__(self, callback: Callable[[dict[Coordinates, Chunk]], object] | None) -> None:
        self._callback = callback
        self._busy = threading.Lock()
        self._last = time.monotonic()

    def due(self) -> bool:
        """Return whether it is time again."""
        return (
            self._callback is not None
            and not self._busy.locked()
            and time.monotonic() - self._last >= PARTIAL_SECONDS
        )

    def show(self, chunks: dict[Coordinates, Chunk]) -> None:
        """Call back, unless another thread is at it."""
        if self._callback is None or not self._busy.acquire(blocking=False):
            return
        try:
            self._callback(chunks)
        finally:
            self._last = time.monotonic()
            self._busy.release()


def _nearest_first(tasks: list[Box]) -> list[Box]:
    """Sort boxes of chunks by how far they are from the middle of all."""
    if len(tasks) < 3 or not tasks[0].size:
        return tasks
    chunks = np.concatenate(tasks)
    sizes = np.asarray([len(task) for task in tasks])
    centres = np.add.reduceat(chunks, np.cumsum(sizes) - sizes, axis=0) / sizes[:, np.newaxis]
    middle = (chunks.min(axis=0) + chunks.max(axis=0)) / 2
    order = np.argsort(((centres - middle) ** 2).sum(axis=1), kind="stable")
    return [tasks[i] for i in order.tolist()]


def _gathered(tasks: list[Box], most: int) -> list[Box]:
    """Put small tasks together, so that what a network is asked for does not wait for one another."""
    each = min(most, -(-sum(map(len, tasks)) // _REMOTE_THREADS))
    found: list[list[Box]] = []
    room = 0
    for task in tasks:
        if len(task) > room:
            found.append([])
            room = each
        found[-1].append(task)
        room -= len(task)
    return [np.concatenate(together) for together in found]


def _run(
    work: Callable[[Box], None],
    tasks: list[Box],
    threads: int,
    cancel: Cancellation | None,
) -> None:
    local = threads == _LOCAL_THREADS
    if (len(tasks) <= 1 and (cancel is None or local)) or getattr(_here, "reads", False):
        for task in tasks:
            work(task)
        return
    pool = (
        _local_pool()
        if local
        else ThreadPoolExecutor(max(1, min(threads, len(tasks))), "nz-chunks")
    )
    ended: queue.SimpleQueue[Future[None] | None] = queue.SimpleQueue()
    forget = cancel.on_cancel(lambda: ended.put(None)) if cancel is not None else None
    ahead = iter(tasks)
    waiting: set[Future[None]] = set()

    def line_up(most: int) -> None:
        for task in islice(ahead, most):
            future = hand_over(pool, work, task)
            waiting.add(future)
            future.add_done_callback(ended.put)

    try:
        line_up(_TASKS_AHEAD)
        for _ in tasks:
            future = ended.get()
            if future is None:
                # a slow store must not hold up what is wanted now
                raise Cancelled
            waiting.discard(future)
            future.result()
            line_up(1)
    finally:
        if forget is not None:
            forget()
        for future in waiting:
            future.cancel()
        if not local:
            pool.shutdown(wait=False)


_here = threading.local()
"""Whether this thread is one of those that read; it must not wait for another of them."""


def _reads() -> None:
    _here.reads = True


@cache
def _local_pool() -> ThreadPoolExecutor:
    """Return the threads that read local chunks, for all explorers of this process.

    The C library keeps freed memory for each thread (glibc): with threads for each explorer, or each picture, the
    chunks of one after the other would add up.
    """
    return ThreadPoolExecutor(_LOCAL_THREADS, "nz-chunks", initializer=_reads)


if hasattr(os, "register_at_fork"):  # threads do not follow into a copy of the process
    os.register_at_fork(after_in_child=_local_pool.cache_clear)


def _tasks(
    opened: OpenArray, chunks: Sequence[Coordinates], cancel: Cancellation | None
) -> list[Box]:
    """Split chunks into boxes that are read at once.

    The inner chunks of a shard share requests; of small chunks, what zarr does around each
    reading costs more than the reading.
    """
    grid = _as_rows(chunks, len(opened.shape), cancel)
    most = _most_together(opened)
    if opened.shard_shape is None:
        return list(_boxes(grid, most, cancel))
    shards = np.empty_like(grid)
    for axis in range(grid.shape[1]):
        shards[:, axis] = opened.object_number(axis, grid[:, axis])
    order = np.lexsort(shards.T[::-1])
    new = np.flatnonzero((np.diff(shards[order], axis=0) != 0).any(axis=1)) + 1
    found: list[Box] = []
    for begin, end in pairwise((0, *new.tolist(), len(order))):
        found.extend(_boxes(grid[order[begin:end]], end - begin, cancel))
    return found


def _most_together(opened: OpenArray) -> int:
    return max(1, min(_MOST_TOGETHER, _BYTES_TOGETHER // max(1, opened.chunk_bytes)))


def _as_rows(
    chunks: Sequence[Coordinates], dimensions: int, cancel: Cancellation | None
) -> npt.NDArray[np.int64]:
    """Return coordinates as the rows of a table."""
    rows = np.empty((len(chunks), dimensions), np.int64)
    for begin in range(0, len(chunks), BETWEEN_LOOKS):
        _look(cancel)
        some = chunks[begin : begin + BETWEEN_LOOKS]
        flat = np.fromiter(chain.from_iterable(some), np.int64, len(some) * dimensions)
        rows[begin : begin + len(some)] = flat.reshape(len(some), dimensions)
    return rows


def _boxes(grid: Box, most: int, cancel: Cancellation | None) -> Iterator[Box]:
    _look(cancel)
    if len(grid) <= 1 or most == 1:
        yield from (grid[i : i + 1] for i in range(len(grid)))
        return
    low, high = grid.min(axis=0), grid.max(axis=0)
    if len(grid) <= most and int(np.prod(high - low + 1)) == len(grid):
        yield grid
        return
    axis = int((high - low).argmax())
    before = grid[:, axis] < (int(low[axis]) + int(high[axis]) + 1) // 2
    yield from _boxes(grid[before], most, cancel)
    yield from _boxes(grid[~before], most, cancel)


def _look(cancel: Cancellation | None) -> None:
    if cancel is not None:
        cancel.check()


def read_together(
    opened: ChunkGrid, chunks: list[Coordinates], cancel: Cancellation | None
) -> dict[Coordinates, Chunk]:
    """Read chunks at once.

    Parameters
    ----------
    opened
        The array.
    chunks
        Coordinates of chunks.
    cancel
        Looked at before, and withdraws the requests that are under way.

    Returns
    -------
    dict
        Every chunk. One that could not be read has a `fault`; nothing is raised for it.
    """
    _look(cancel)
    decoded = decode(opened, chunks, cancel)
    return {chunk: _as_chunk(opened, chunk, decoded[chunk]) for chunk in chunks}


def _as_chunk(opened: ChunkGrid, chunk: Coordinates, values: Decoded) -> Chunk:
    if isinstance(values, Fault):
        return Chunk("unreadable", None, values)
    if values is not None:
        return Chunk("present", _alone(values))
    # one value, seen at every place: an empty part of a large array costs nothing
    default = np.zeros((), opened.zarr.dtype)
    default[()] = opened.storage_default
    shape = tuple(part.stop - part.start for part in opened.region(chunk))
    return Chunk("absent", np.broadcast_to(default, shape))


def _alone(values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return values that do not keep many others in memory while they are kept."""
    owner = values.base
    shared = isinstance(owner, np.ndarray) and owner.nbytes > _MOST_UNSEEN * values.nbytes
    return values.copy() if shared else values
