"""All values of an array, chunk by chunk: statistics in bounded memory, here or on a cluster."""

from __future__ import annotations

import itertools
import math
import os
import pickle
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal

import numpy as np

from nz_explorer.model import Array, Group, Hierarchy, Node, open_store
from nz_explorer.model.fill import FillValue, matches
from nz_explorer.store import Cancellation, Cancelled
from nz_explorer.store.cancellation import hand_over
from nz_explorer.values.cache import MEBIBYTE, Chunk
from nz_explorer.values.chunks import read_together
from nz_explorer.values.decoding import FaultKind
from nz_explorer.values.histograms import BinaryHistogram, Histogram, bin_exponent
from nz_explorer.values.opening import (
    ChunkGrid,
    Coordinates,
    UnsupportedArray,
    open_for_reading,
)
from nz_explorer.values.states import (
    ABSENT,
    CODES,
    FILL,
    INF,
    NAN,
    NEG_INF,
    STORAGE_FILL,
    UNREADABLE,
    VALUE,
    classify,
)
from nz_explorer.values.window import ChunkError, chunk_error, native

Phase = Literal["done", "cancelled", "running"]
Numbers = np.ndarray[Any, Any]

_BATCH_BYTES = 8 * MEBIBYTE
_MOST_IN_BATCH = 64
_ROWS, _ROW = 16, 2**13
"""Values summed up at once. Rows of that length are too short for the threads of BLAS to be called,
which would stand in the way of ours."""
_MOST_ERRORS = 20
_MOST_ROWS = 250_000
_PROGRESS_SECONDS = 0.1


@dataclass(frozen=True, slots=True, eq=False)
class ArrayScan:
    """What going through the values of an array has found.

    Parameters
    ----------
    path
        Of the array.
    phase
        ``done``; ``cancelled``, and then this can be gone on with; ``running`` in progress.
    chunks_done, chunks_total
        How far it is.
    count
        Valid values: neither missing nor NaN nor infinite, and in a chunk that is there.
    minimum, maximum
        Of the valid values; of complex numbers, of their magnitudes. None where there are none.
    mean, std
        Of the valid values; None where there are none, or for times.
    states
        How many elements are in each cell state, by name. ``storage_fill`` counts another way to
        look at elements that are counted already.
    histogram
        Of the valid values; None where there are none, or none was asked for.
    chunks
        A record for each chunk: ``chunk`` (coordinates), ``count``, ``minimum``, ``maximum``,
        ``mean``, ``std``, ``state`` (0; 5 where it is absent, 6 where it is unreadable). None where
        there are too many.
    errors
        The first chunks that could not be read.
    faults
        How many chunks could not be read for each kind of reason; see `Fault`.
    seconds
        How long it took.
    found
        What it takes to go on.
    """

    path: str
    phase: Phase
    chunks_done: int
    chunks_total: int
    count: int
    minimum: Any
    maximum: Any
    mean: float | None
    std: float | None
    states: dict[str, int]
    histogram: Histogram | None
    chunks: np.ndarray[Any, Any] | None
    errors: tuple[ChunkError, ...]
    faults: dict[FaultKind, int]
    seconds: float
    found: _Found = field(repr=False)


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
    """
    node = target if isinstance(target, Node) else _opened(target).root
    options: dict[str, Any] = {"client": client, "progress": progress, "cancel": cancel}
    options |= {"threads": threads, "histogram": histogram}
    if isinstance(node, Array):
        return scan_array(node, resume=resume, **options)
    if not isinstance(node, Group):
        raise TypeError(f"{node.path} is neither a group nor an array: {node.problem}")
    found = {}
    for array in node.hierarchy.walk(node.path):
        if isinstance(array, Array) and not (cancel is not None and cancel.cancelled):
            try:
                found[array.path] = scan_array(array, **options)
            except UnsupportedArray:
                continue  # the findings say so
    return found


def _opened(target: Any) -> Hierarchy:
    return target if isinstance(target, Hierarchy) else open_store(target)


def scan_array(
    array: Array,
    *,
    client: Any = None,
    progress: Progress | None = None,
    cancel: Cancellation | None = None,
    resume: ArrayScan | None = None,
    threads: int | None = None,
    histogram: bool = True,
) -> ArrayScan:
    """Go through all values of one array; see `scan`."""
    began = time.monotonic() - (0.0 if resume is None else resume.seconds)
    opened = open_for_reading(array)
    task = _Task(opened.plain, array.fill, array.storage_fill, histogram)
    total = math.prod(opened.grid)
    found = _Found() if resume is None else resume.found.copy()
    rows = total <= _MOST_ROWS

    def result(phase: Phase) -> ArrayScan:
        return found.result(array.path, phase, total, time.monotonic() - began, rows=rows)

    told = time.monotonic()
    batches = itertools.islice(_batches(task.grid, opened.chunk_bytes), found.batches, None)
    if total:
        if client is not None:
            parts = _on_cluster(client, task, batches, cancel)
        else:
            local = array.hierarchy.reader.local
            count = threads or (min(8, (os.cpu_count() or 1) + 1) if local else 16)
            parts = _on_threads(task, batches, count, cancel)
        for part in parts:
            found.add(part, rows=rows)
            if progress is not None and time.monotonic() - told >= _PROGRESS_SECONDS:
                told = time.monotonic()
                progress(result("running"))
    done = result("done" if found.chunks == total else "cancelled")
    if progress is not None:
        progress(done)
    return done


# --- where it runs ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class _Task:
    """All that is needed to look at chunks, and can be sent to another process."""

    grid: ChunkGrid
    fill: FillValue | None
    storage_fill: FillValue | None
    histogram: bool


def _batches(grid: ChunkGrid, chunk_bytes: int) -> Iterator[list[Coordinates]]:
    """Yield runs of chunks that are read at once, always the same ones in the same order."""
    counts = grid.grid
    most = max(1, min(_MOST_IN_BATCH, _BATCH_BYTES // max(1, chunk_bytes)))
    if grid.shard_shape is not None:
        ratio = [s // c for s, c in zip(grid.shard_shape, grid.chunk_shape, strict=True)]
        for shard in itertools.product(
            *(range(-(-n // r)) for n, r in zip(counts, ratio, strict=True))
        ):
            yield from _runs(
                [
                    range(i * r, min((i + 1) * r, n))
                    for i, r, n in zip(shard, ratio, counts, strict=True)
                ],
                most,
            )
        return
    yield from _runs([range(n) for n in counts], most)


def _runs(ranges: list[range], most: int) -> Iterator[list[Coordinates]]:
    """Yield the chunks of a box in runs along the last axis that has several."""
    axis = max((i for i, part in enumerate(ranges) if len(part) > 1), default=None)
    if axis is None:
        yield [tuple(part[0] for part in ranges)]
        return
    for before in itertools.product(*ranges[:axis]):
        after = tuple(part[0] for part in ranges[axis + 1 :])
        for start in range(0, len(ranges[axis]), most):
            yield [(*before, i, *after) for i in ranges[axis][start : start + most]]


def _on_threads(
    task: _Task, batches: Iterator[list[Coordinates]], threads: int, cancel: Cancellation | None
) -> Iterator[_Found]:
    pool = ThreadPoolExecutor(threads, "nz-scan")
    work = partial(hand_over, pool, _scan_batch, task)
    try:
        yield from _in_turn(work, batches, 2 * threads, deque(), cancel)
    except Cancelled:
        return  # Python ends
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _on_cluster(
    client: Any, task: _Task, batches: Iterator[list[Coordinates]], cancel: Cancellation | None
) -> Iterator[_Found]:
    try:
        pickle.dumps(task)
    except Exception as error:
        raise TypeError(f"this store cannot be sent to a cluster: {error}") from error
    most = 4 * max(1, sum(client.nthreads().values()))
    work = partial(client.submit, _scan_batch, task, pure=False)
    waiting: deque[Any] = deque()
    try:
        yield from _in_turn(work, batches, most, waiting, cancel)
    finally:
        if waiting:
            client.cancel(list(waiting))


def _in_turn(
    work: Callable[[list[Coordinates]], Any],
    batches: Iterator[list[Coordinates]],
    most: int,
    waiting: deque[Any],
    cancel: Cancellation | None,
) -> Iterator[_Found]:
    """Yield what was found in batches, in their order; only a few are on the way at a time."""
    for batch in batches:
        if cancel is not None and cancel.cancelled:
            return
        waiting.append(work(batch))
        if len(waiting) >= most:
            yield waiting.popleft().result()
    while waiting and not (cancel is not None and cancel.cancelled):
        yield waiting.popleft().result()


def _scan_batch(task: _Task, chunks: list[Coordinates]) -> _Found:
    read = read_together(task.grid, chunks, None)
    found = _Found(batches=1)
    for coordinates in chunks:
        one = _scan_chunk(task, coordinates, read.pop(coordinates))
        found.join(one)
        found.rows.append(one.row(coordinates))
    return found


# --- what is found ---------------------------------------------------------------------------


@dataclass(slots=True, eq=False)
class _Found:
    """Statistics of some chunks, which can be joined to those of others."""

    batches: int = 0
    chunks: int = 0
    count: int = 0
    minimum: Any = None
    maximum: Any = None
    mean: float = 0.0
    squares: float = 0.0
    """Sum of squared differences from the mean."""
    whole: bool = False
    states: dict[int, int] = field(default_factory=dict)
    histogram: BinaryHistogram | None = None
    errors: list[ChunkError] = field(default_factory=list)
    faults: Counter[FaultKind] = field(default_factory=Counter)
    rows: list[tuple[Any, ...]] = field(default_factory=list)
    timed: np.dtype[Any] | None = None
    """The type of times, whose ticks the numbers are."""

    def copy(self) -> _Found:
        values = {name: getattr(self, name) for name in self.__slots__}
        for name in ("states", "errors", "faults", "rows"):
            values[name] = values[name].copy()
        return _Found(**values)

    def add(self, other: _Found, *, rows: bool) -> None:
        """Join what was found in a batch."""
        self.join(other)
        self.batches += other.batches
        if rows:
            self.rows.extend(other.rows)

    def join(self, other: _Found) -> None:
        self.chunks += other.chunks
        for code, number in other.states.items():
            self.states[code] = self.states.get(code, 0) + number
        self.errors.extend(other.errors[: max(0, _MOST_ERRORS - len(self.errors))])
        self.faults.update(other.faults)
        self.timed = self.timed or other.timed
        if not other.count:
            return
        # Chan, Golub and LeVeque (1979): neither large sums nor cancellation
        count, apart = self.count + other.count, other.mean - self.mean
        self.squares += other.squares + apart * apart * self.count * (other.count / count)
        self.mean += apart * (other.count / count)
        self.count, self.whole = count, other.whole
        if self.minimum is None:
            self.minimum, self.maximum = other.minimum, other.maximum
            self.histogram = other.histogram
            return
        self.minimum = min(self.minimum, other.minimum)
        self.maximum = max(self.maximum, other.maximum)
        if self.histogram is not None and other.histogram is not None:
            exponent = bin_exponent(self.minimum, self.maximum, whole=self.whole)
            self.histogram = self.histogram.joined(other.histogram, exponent)

    def row(self, coordinates: Coordinates) -> tuple[Any, ...]:
        """Return the record of a single chunk."""
        state = next((code for code in (ABSENT, UNREADABLE) if self.states.get(code)), VALUE)
        if not self.count:
            return (coordinates, 0, np.nan, np.nan, np.nan, np.nan, state)
        std = math.sqrt(self.squares / self.count)
        return (coordinates, self.count, self.minimum, self.maximum, self.mean, std, state)

    def result(
        self, path: str, phase: Phase, total: int, seconds: float, *, rows: bool
    ) -> ArrayScan:
        """Return it as people want it; what is found later does not change the result."""
        number = self.count and self.timed is None
        records = None
        if rows:
            rank = len(self.rows[0][0]) if self.rows else 0
            records = np.array(self.rows, _row_type(rank)) if rank or self.rows else None
        return ArrayScan(
            path=path,
            phase=phase,
            chunks_done=self.chunks,
            chunks_total=total,
            count=self.count,
            minimum=self._value(self.minimum),
            maximum=self._value(self.maximum),
            mean=self.mean if number else None,
            std=math.sqrt(self.squares / self.count) if number else None,
            states={name: self.states[c] for name, c in CODES.items() if self.states.get(c)},
            histogram=None if self.histogram is None else self.histogram.plain("the whole array"),
            chunks=records,
            errors=tuple(self.errors),
            faults=dict(self.faults),
            seconds=seconds,
            found=self.copy() if phase == "cancelled" else self,
        )

    def _value(self, number: Any) -> Any:
        if number is None or self.timed is None:
            return number
        return np.int64(number).view(self.timed)


def _row_type(rank: int) -> np.dtype[Any]:
    numbers = [(name, "f8") for name in ("minimum", "maximum", "mean", "std")]
    return np.dtype([("chunk", "i8", (rank,)), ("count", "i8"), *numbers, ("state", "u1")])


def _scan_chunk(task: _Task, coordinates: Coordinates, chunk: Chunk) -> _Found:
    found = _Found(chunks=1)
    if chunk.values is None:
        region = task.grid.region(coordinates)
        size = math.prod(part.stop - part.start for part in region)
        found.states[UNREADABLE] = size
        error = chunk_error(task.grid, coordinates, chunk)
        found.errors.append(error)
        found.faults[error.fault] += 1
        return found
    if chunk.state == "absent":
        found.states[ABSENT] = chunk.values.size
        return found
    values = chunk.values.ravel("K")  # in the order of the memory, which is a view
    values = values.astype(native(values.dtype), copy=False)
    if values.dtype.kind not in "biuf":
        return _scan_others(task, values, found)
    if values.dtype.kind == "b":
        values = values.view(np.uint8)
        fill, storage = (_as_number(f) for f in (task.fill, task.storage_fill))
    else:
        fill, storage = task.fill, task.storage_fill
    low, high = values.min(), values.max()  # NaN where there is one
    odd = values.dtype.kind == "f" and not (np.isfinite(low) and np.isfinite(high))
    found.states[STORAGE_FILL] = _count_fill(values, storage, low, high, odd=odd)
    filled = _where_fill(values, fill, low, high, odd=odd)
    if odd or filled is not None:
        filled = np.zeros(values.shape, np.bool_) if filled is None else filled
        good = ~filled
        if odd:
            good &= np.isfinite(values)
            special = values[~good & ~filled]
            found.states[NAN] = int(np.isnan(special).sum())
            found.states[INF] = int((special == np.inf).sum())
            found.states[NEG_INF] = int((special == -np.inf).sum())
        found.states[FILL] = int(np.count_nonzero(filled))
        values = values[good]
        if values.size:
            low, high = values.min(), values.max()
    _summarise(found, values, low, high, histogram=task.histogram)
    return found


def _scan_others(task: _Task, values: Numbers, found: _Found) -> _Found:
    """Look at values that are no plain numbers: complex numbers, times, texts."""
    states, storage = classify(values, task.fill, task.storage_fill)
    for code in (FILL, NAN, INF, NEG_INF):
        found.states[code] = int(np.count_nonzero(states == code))
    found.states[STORAGE_FILL] = int(np.count_nonzero(storage == STORAGE_FILL))
    if values.dtype.kind not in "cmM":
        found.states[VALUE] = int(np.count_nonzero(states == VALUE))
        return found
    values = values[states == VALUE]
    if values.dtype.kind == "c":
        with np.errstate(over="ignore"):  # of two huge parts the magnitude is the largest number
            magnitudes = np.abs(values)
        values = np.minimum(magnitudes, np.finfo(magnitudes.dtype).max)
    else:
        found.timed = values.dtype
        values = values.view(np.int64)
    if values.size:
        _summarise(found, values, values.min(), values.max(), histogram=task.histogram)
    return found


def _summarise(found: _Found, values: Numbers, low: Any, high: Any, *, histogram: bool) -> None:
    found.states[VALUE] = found.count = values.size
    if not values.size:
        return
    found.minimum, found.maximum = low.item(), high.item()
    found.whole = values.dtype.kind in "iu"
    if histogram:
        found.histogram = BinaryHistogram.of(values, found.minimum, found.maximum)
    # around the middle of the range, so that no more than a few digits cancel
    middle = found.minimum / 2 + found.maximum / 2
    total, squares = _moments(values, middle)
    found.mean = middle + total / values.size
    found.squares = max(0.0, squares - total * (total / values.size))


def _moments(values: Numbers, middle: float) -> tuple[float, float]:
    """Return the sums of the differences from a number, and of their squares."""
    rows = min(_ROWS, -(-values.size // _ROW))
    apart, ones = np.empty((rows, _ROW)), np.ones((_ROW, 1))
    flat, across, along = apart.reshape(-1), apart[:, None, :], apart[:, :, None]
    starts = range(0, values.size, flat.size)
    sums = np.empty((2, len(starts), rows, 1, 1))
    with np.errstate(over="ignore", invalid="ignore"):  # squares beyond float64 are infinite
        for i, start in enumerate(starts):
            block = values[start : start + flat.size]
            part = flat[: block.size]
            np.copyto(part, block, casting="unsafe")
            np.subtract(part, middle, out=part)
            flat[block.size :] = 0.0
            np.matmul(across, ones, out=sums[0, i])
            np.matmul(across, along, out=sums[1, i])
        total, squares = sums.reshape(2, -1).sum(axis=1).tolist()
    return total, squares


def _as_number(fill: FillValue | None) -> FillValue | None:
    """Return the fill value of bools for bools seen as numbers."""
    if fill is None or not fill.usable:
        return None
    return FillValue(np.uint8(fill.value), fill.dialect, (), fill.given, fill.text)


def _where_fill(
    values: Numbers, fill: FillValue | None, low: Any, high: Any, *, odd: bool
) -> np.ndarray[Any, np.dtype[np.bool_]] | None:
    """Return where values equal a fill value, None where none does."""
    if fill is None or not fill.usable or not (odd or low <= fill.value <= high):
        return None
    found = matches(values, fill)
    return found if found.any() else None


def _count_fill(values: Numbers, fill: FillValue | None, low: Any, high: Any, *, odd: bool) -> int:
    found = _where_fill(values, fill, low, high, odd=odd)
    return 0 if found is None else int(np.count_nonzero(found))


def by_state(found: Mapping[str, int]) -> Iterator[tuple[str, int, int]]:
    """Yield names, codes and counts of the states that occur."""
    yield from ((name, CODES[name], count) for name, count in found.items() if count)
