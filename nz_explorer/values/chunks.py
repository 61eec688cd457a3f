"""Chunks read one by one, so that a corrupt one does not spoil the others."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from nz_explorer.model.fill import FillValue, matches
from nz_explorer.store import Cancellation
from nz_explorer.values.cache import MEBIBYTE, Chunk, ChunkCache
from nz_explorer.values.opening import Coordinates, OpenArray

Progress = Callable[[int, int], object]

_LOCAL_THREADS = 4
_REMOTE_THREADS = 16
_MOST_TOGETHER = 64
_BYTES_TOGETHER = 2 * MEBIBYTE


def read_chunks(
    opened: OpenArray,
    wanted: Sequence[Coordinates],
    *,
    cache: ChunkCache | None = None,
    cancel: Cancellation | None = None,
    progress: Progress | None = None,
) -> dict[Coordinates, Chunk]:
    """Read chunks of an array.

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

    Returns
    -------
    dict
        Every chunk that was wanted. One that could not be read says so; nothing is raised for it.

    Raises
    ------
    Cancelled
        If it was cancelled.
    """
    found: dict[Coordinates, Chunk] = {}
    for chunk in wanted:
        kept = None if cache is None else cache.get(opened.version, chunk)
        if kept is not None:
            found[chunk] = kept
    tasks = _tasks(opened, [chunk for chunk in wanted if chunk not in found])
    lock = threading.Lock()

    def work(task: list[Coordinates]) -> None:
        if cancel is not None:
            cancel.check()
        chunks = _read_together(opened, task, cancel)
        with lock:
            found.update(chunks)
            done = len(found)
        if cache is not None:
            for coordinates, chunk in chunks.items():
                cache.put(opened.version, coordinates, chunk)
        if progress is not None:
            progress(done, len(wanted))

    _run(work, tasks, _LOCAL_THREADS if opened.array.hierarchy.reader.local else _REMOTE_THREADS)
    return found


def chunk_exists(opened: OpenArray, chunk: Coordinates) -> bool:
    """Tell whether the store holds the object of a chunk.

    Parameters
    ----------
    opened
        The array.
    chunk
        Coordinates of the chunk. Of an inner chunk the shard is looked for.

    Returns
    -------
    bool

    Raises
    ------
    Exception
        Whatever the store raises where it cannot tell.
    """
    from zarr.core.sync import sync

    return sync(opened.zarr.store_path.store.exists(opened.key(chunk)))


def _run(
    work: Callable[[list[Coordinates]], None], tasks: list[list[Coordinates]], threads: int
) -> None:
    if len(tasks) <= 1:
        for task in tasks:
            work(task)
        return
    with ThreadPoolExecutor(min(threads, len(tasks)), "nz-chunks") as pool:
        futures = [pool.submit(work, task) for task in tasks]
        try:
            for future in futures:
                future.result()
        except BaseException:
            for future in futures:
                future.cancel()
            raise


def _tasks(opened: OpenArray, chunks: list[Coordinates]) -> list[list[Coordinates]]:
    """Split chunks into boxes that are read at once.

    The inner chunks of a shard share requests; of small chunks, what zarr does around each
    reading costs more than the reading.
    """
    most = max(1, min(_MOST_TOGETHER, _BYTES_TOGETHER // max(1, opened.chunk_bytes)))
    if opened.shard_shape is None:
        return list(_boxes(chunks, most))
    groups: dict[Coordinates, list[Coordinates]] = {}
    for chunk in chunks:
        groups.setdefault(opened.stored_in(chunk), []).append(chunk)
    return [box for group in groups.values() for box in _boxes(group, len(group))]


def _boxes(chunks: list[Coordinates], most: int) -> Iterator[list[Coordinates]]:
    if not chunks or len(chunks) == 1:
        yield from ([chunks] if chunks else [])
        return
    grid = np.asarray(chunks)
    low, high = grid.min(axis=0), grid.max(axis=0)
    if len(chunks) <= most and int(np.prod(high - low + 1)) == len(chunks):
        yield chunks
        return
    axis = int((high - low).argmax())
    middle = (int(low[axis]) + int(high[axis]) + 1) // 2
    yield from _boxes([chunk for chunk in chunks if chunk[axis] < middle], most)
    yield from _boxes([chunk for chunk in chunks if chunk[axis] >= middle], most)


def _read_together(
    opened: OpenArray, chunks: list[Coordinates], cancel: Cancellation | None
) -> dict[Coordinates, Chunk]:
    """Read the chunks of a box at once; where that fails, one by one."""
    if len(chunks) > 1:
        try:
            return _split(opened, chunks)
        except Exception:  # noqa: BLE001, S110  # one of them is at fault: find out which
            pass
    found = {}
    for chunk in chunks:
        if cancel is not None:
            cancel.check()
        found[chunk] = _read_one(opened, chunk)
    return found


def _split(opened: OpenArray, chunks: list[Coordinates]) -> dict[Coordinates, Chunk]:
    # of the chunks of a box, the least and the greatest are its corners
    first, last = opened.region(min(chunks)), opened.region(max(chunks))
    box = tuple(slice(a.start, b.stop) for a, b in zip(first, last, strict=True))
    values = _select(opened, box)
    found = {}
    for chunk in chunks:
        region = opened.region(chunk)
        inside = tuple(
            slice(part.start - start.start, part.stop - start.start)
            for part, start in zip(region, box, strict=True)
        )
        # a copy, so that one kept chunk does not keep the whole box
        found[chunk] = _as_chunk(opened, chunk, values[inside].copy())
    return found


def _read_one(opened: OpenArray, chunk: Coordinates) -> Chunk:
    try:
        return _as_chunk(opened, chunk, _select(opened, opened.region(chunk)))
    except Exception as error:  # noqa: BLE001  # codecs raise what they like
        return Chunk("unreadable", None, error_text(error))


def error_text(error: BaseException) -> str:
    """Return what an exception of a store or a codec says, in a line."""
    text = " ".join(str(error).split())[:400]
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _select(opened: OpenArray, region: tuple[slice, ...]) -> np.ndarray[Any, Any]:
    return np.asarray(opened.zarr.get_basic_selection(region or ()))


def _as_chunk(opened: OpenArray, chunk: Coordinates, values: np.ndarray[Any, Any]) -> Chunk:
    """Tell a chunk that was never written from one that holds nothing but the fill value."""
    if _all_default(opened, values) and not chunk_exists(opened, chunk):
        # one value, seen at every place: an empty part of a large array costs nothing
        first = values.reshape(-1)[:1].copy()
        return Chunk("absent", np.broadcast_to(first.reshape(()), values.shape))
    return Chunk("present", values)


def _all_default(opened: OpenArray, values: np.ndarray[Any, Any]) -> bool:
    default = FillValue(opened.storage_default, "literal", (), None, "")
    flat = values.reshape(-1)
    return bool(flat.size and matches(flat[:1], default).all() and matches(flat, default).all())
