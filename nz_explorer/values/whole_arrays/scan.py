"""All values of an array, chunk by chunk: statistics in bounded memory, here or on a cluster."""

from __future__ import annotations

import itertools
import math
import os
import pickle
import time
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import Any

from nz_explorer.model import Array
from nz_explorer.model.attribute_types import PACKING
from nz_explorer.model.signedness import meant_type
from nz_explorer.store import Cancellation, Cancelled
from nz_explorer.store.cancellation import hand_over
from nz_explorer.values.cf_decoding import valid_range
from nz_explorer.values.masks.cell_states import ABSENT
from nz_explorer.values.reading.chunk_cache import MEBIBYTE
from nz_explorer.values.reading.chunk_grid import ChunkGrid, Coordinates
from nz_explorer.values.reading.chunk_presence import known_presence
from nz_explorer.values.reading.chunks import read_together
from nz_explorer.values.reading.opening import OpenArray, open_for_reading
from nz_explorer.values.reading.unpacking import room_used_again
from nz_explorer.values.reading.written_chunks import LISTED_FROM, LISTED_FROM_AFAR
from nz_explorer.values.whole_arrays.arrays_below import node_of, of_each
from nz_explorer.values.whole_arrays.chunk_statistics import (
    ArrayScan,
    Found,
    Phase,
    Task,
    scan_chunk,
)

_BATCH_BYTES = 8 * MEBIBYTE
_MOST_IN_BATCH = 64
_MOST_ROWS = 250_000
_PROGRESS_SECONDS = 0.1
_PROGRESS_SHARE = 0.04
"""The largest share of the time that progress reports may take."""
Progress = Callable[[ArrayScan], object]


def scan(
    target: Any,
    client: Any = None,
    *,
    progress: Progress | None = None,
    cancel: Cancellation | None = None,
    resume: ArrayScan | None = None,
    threads: int | None = None,
    histogram: bool = True,
) -> ArrayScan | dict[str, ArrayScan]:
    """Go through all values of an array, or of all arrays of a group or a store.

    Parameters
    ----------
    target
        An array or a group of a hierarchy, or whatever `open_store` takes, such as a path or a
        zarr array.
    client
        A ``dask.distributed.Client``: the chunks are read by its workers, with the same result.
    progress
        Called now and then with what has been found so far.
    cancel
        Looked at between chunks; what was found until then is returned.
    resume
        What was returned when the same array was cancelled, to go on with.
    threads
        How many chunks are read at once here.
    histogram
        Whether to make one, which takes about as long as all else.

    Returns
    -------
    ArrayScan or dict of str to ArrayScan
        For an array; for a group by path, without the arrays that zarr cannot read.

    Raises
    ------
    UnsupportedArray
        If `target` is an array that zarr cannot read.
    SourceError
        If there is no Zarr hierarchy.
    TypeError
        If `client` is none of Dask.
    """
    if client is not None and not hasattr(client, "submit"):
        raise TypeError(
            f"client is {client!r}, not a client of dask.distributed; of a store an array is open_store(…)[path]"
        )
    node = node_of(target)
    options: dict[str, Any] = {"client": client, "progress": progress, "cancel": cancel}
    options |= {"threads": threads, "histogram": histogram}
    if isinstance(node, Array):
        return scan_array(node, resume=resume, **options)
    return of_each(
        node, partial(scan_array, **options), lambda: cancel is not None and cancel.cancelled
    )


def scan_array(
    array: Array,
    *,
    client: Any = None,
    progress: Progress | None = None,
    cancel: Cancellation | None = None,
    resume: ArrayScan | None = None,
    threads: int | None = None,
    histogram: bool = True,
    any_value: bool = False,
) -> ArrayScan:
    """Go through all values of one array; see `scan`.

    Parameters
    ----------
    array
        The array.
    client
        A ``distributed.Client``: chunks are then read where it runs.
    progress
        Called now and then with what was found so far.
    cancel
        Looked at between batches of chunks.
    resume
        A result with phase ``cancelled``: what it has is not read again.
    threads
        How many read at the same time; by default fewer for a local store than for a remote one.
    histogram
        Whether values are counted in bins.
    any_value
        Whether values that only CF masks count as well: those outside of the valid range, and ``missing_value``.

    Returns
    -------
    ArrayScan
        With phase ``cancelled`` if it was cancelled.
    """
    began = time.monotonic() - (0.0 if resume is None else resume.seconds)
    opened = open_for_reading(array)
    packed = any(name in array.attributes for name in PACKING)
    valid = (None, None) if any_value else valid_range(array)
    marks = () if any_value else array.missing_values
    fills = array.fill, array.storage_fill
    task = Task(opened.plain, *fills, histogram, packed, meant_type(array), valid, marks)
    total = math.prod(opened.grid)
    found = Found() if resume is None else resume.found.copy()
    rows = total <= _MOST_ROWS

    def result(phase: Phase) -> ArrayScan:
        kept = rows and phase != "running"
        return found.result(array.path, phase, total, time.monotonic() - began, rows=kept)

    due = time.monotonic() + _PROGRESS_SECONDS
    batches = itertools.islice(_batches(task.grid, opened.chunk_bytes), found.batches, None)
    if total:
        stored = _stored_objects(opened, total, cancel)
        if client is not None:
            parts = _on_cluster(client, task, batches, stored, cancel)
        else:
            local = array.hierarchy.reader.local
            count = threads or (min(8, (os.cpu_count() or 1) + 1) if local else 16)
            parts = _on_threads(task, batches, stored, count, cancel)
        for part in parts:
            found.add(part, rows=rows)
            if progress is not None and (now := time.monotonic()) >= due:
                progress(result("running"))
                reported = time.monotonic()
                due = reported + max(_PROGRESS_SECONDS, (reported - now) / _PROGRESS_SHARE)
    done = result("done" if found.chunks == total else "cancelled")
    if progress is not None:
        progress(done)
    return done


def _stored_objects(
    opened: OpenArray, total: int, cancel: Cancellation | None
) -> frozenset[Coordinates] | None:
    """Return which chunks, or shards, the store holds; None where asking for each costs less, or no listing tells."""
    if total < (LISTED_FROM if opened.local else LISTED_FROM_AFAR):
        return None
    try:
        presence = known_presence(opened, {}, cancel)
    except Cancelled:
        return None  # nothing will be read either
    return None if presence is None else frozenset(presence.stored)


def _batches(grid: ChunkGrid, chunk_bytes: int) -> Iterator[list[Coordinates]]:
    """Yield runs of chunks that are read at once, always the same ones in the same order."""
    counts = grid.grid
    most = max(1, min(_MOST_IN_BATCH, _BATCH_BYTES // max(1, chunk_bytes)))
    if grid.shard_shape is not None:
        for shard in _each([range(n) for n in grid.object_grid]):
            inside = zip(grid.first_chunk(shard), grid.counts_inside(shard), counts, strict=True)
            yield from _runs([range(i, min(i + n, end)) for i, n, end in inside], most)
        return
    yield from _runs([range(n) for n in counts], most)


def _each(ranges: list[range]) -> Iterator[Coordinates]:
    """Yield what `itertools.product` does, which first makes a tuple of each range: there may be billions of chunks."""
    if not ranges:
        yield ()
        return
    for first in ranges[0]:
        for rest in _each(ranges[1:]):
            yield (first, *rest)


def _runs(ranges: list[range], most: int) -> Iterator[list[Coordinates]]:
    """Yield the chunks of a box in runs along the last axis that has several."""
    axis = max((i for i, part in enumerate(ranges) if len(part) > 1), default=None)
    if axis is None:
        yield [tuple(part[0] for part in ranges)]
        return
    for before in _each(ranges[:axis]):
        after = tuple(part[0] for part in ranges[axis + 1 :])
        for start in range(0, len(ranges[axis]), most):
            yield [(*before, i, *after) for i in ranges[axis][start : start + most]]


def _on_threads(
    task: Task,
    batches: Iterator[list[Coordinates]],
    stored: frozenset[Coordinates] | None,
    threads: int,
    cancel: Cancellation | None,
) -> Iterator[Found]:
    pool = ThreadPoolExecutor(threads, "nz-scan")
    work = partial(hand_over, pool, _scan_batch, task)
    try:
        yield from _in_turn(_unless_absent(task.grid, stored, work), batches, 2 * threads, cancel)
    except Cancelled:
        return  # Python ends
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _on_cluster(
    client: Any,
    task: Task,
    batches: Iterator[list[Coordinates]],
    stored: frozenset[Coordinates] | None,
    cancel: Cancellation | None,
) -> Iterator[Found]:
    try:
        pickle.dumps(task)
    except Exception as error:
        raise TypeError(f"this store cannot be sent to a cluster: {error}") from error
    most = 4 * max(1, sum(client.nthreads().values()))
    submitted: deque[Any] = deque(maxlen=most)

    def submit(batch: list[Coordinates]) -> Any:
        submitted.append(client.submit(_scan_batch, task, batch, pure=False))
        return submitted[-1]

    try:
        yield from _in_turn(_unless_absent(task.grid, stored, submit), batches, most, cancel)
    finally:
        if unfinished := [future for future in submitted if not future.done()]:
            client.cancel(unfinished)


def _unless_absent(
    grid: ChunkGrid,
    stored: frozenset[Coordinates] | None,
    work: Callable[[list[Coordinates]], Any],
) -> Callable[[list[Coordinates]], Any]:
    """Return what does the work on a batch, or knows without reading that none of its chunks was written."""
    if stored is None:
        return work

    def known(batch: list[Coordinates]) -> Any:
        if any(grid.stored_in(chunk) in stored for chunk in batch):
            return work(batch)
        answer: Future[Found] = Future()
        answer.set_result(_all_absent(grid, batch))
        return answer

    return known


def _all_absent(grid: ChunkGrid, chunks: list[Coordinates]) -> Found:
    # a run of chunks along one axis is a box
    first, last = grid.region(chunks[0]), grid.region(chunks[-1])
    size = math.prod(end.stop - begin.start for begin, end in zip(first, last, strict=True))
    found = Found(batches=1, chunks=len(chunks), states={ABSENT: size})
    one = Found(states={ABSENT: 1})
    found.rows = [one.row(chunk) for chunk in chunks]
    return found


def _in_turn(
    work: Callable[[list[Coordinates]], Any],
    batches: Iterator[list[Coordinates]],
    most: int,
    cancel: Cancellation | None,
) -> Iterator[Found]:
    """Yield what was found in batches, in their order; only a few are on the way at a time."""
    waiting: deque[Any] = deque()
    for batch in batches:
        if cancel is not None and cancel.cancelled:
            return
        waiting.append(work(batch))
        if len(waiting) >= most:
            yield waiting.popleft().result()
    while waiting and not (cancel is not None and cancel.cancelled):
        yield waiting.popleft().result()


def _scan_batch(task: Task, chunks: list[Coordinates]) -> Found:
    found = Found(batches=1)
    with room_used_again():  # nothing but numbers is kept
        read = read_together(task.grid, chunks, None)
        for coordinates in chunks:
            one = scan_chunk(task, coordinates, read.pop(coordinates))
            found.join(one)
            found.rows.append(one.row(coordinates))
    return found
