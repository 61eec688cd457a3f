"""A bounded look at an array: a slice of it, at the points that a picture has room for."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from nz_explorer.model import Array
from nz_explorer.store import Cancellation
from nz_explorer.values.cache import MEBIBYTE, Chunk, ChunkCache
from nz_explorer.values.chunks import Progress, read_chunks
from nz_explorer.values.decoding import FaultKind
from nz_explorer.values.opening import ChunkGrid, Coordinates, OpenArray, open_for_reading
from nz_explorer.values.states import ABSENT, UNREAD, UNREADABLE, States, classify

Partial = Callable[["Window"], object]

DEFAULT_BUDGET = 64 * MEBIBYTE
MOST_CHUNKS = 10_000
"""With a budget, however small the chunks are: asking a store for each takes longer than decoding it."""
_MOST_ERRORS = 20
_TILES_FROM = 1 / 8
"""The share of the chunks from which on reading some of them whole shows more than points do."""


@dataclass(frozen=True, slots=True)
class Points:
    """The points of an axis that a window holds, evenly spaced.

    Parameters
    ----------
    axis
        Number of the array's axis.
    start, step, size
        The array indices are ``start + step * i`` for ``i`` in ``range(size)``.
    length
        Length of the dimension.
    low, high
        The part of the dimension that the points stand for, as first index and the one after the
        last; `high` is None for the end.
    """

    axis: int
    start: int
    step: int
    size: int
    length: int
    low: int = 0
    high: int | None = None

    @property
    def indices(self) -> np.ndarray[Any, np.dtype[np.int64]]:
        """The array indices, int64."""
        return self.start + self.step * np.arange(self.size, dtype=np.int64)

    @property
    def end(self) -> int:
        """The index after the last of the part that the points stand for."""
        return self.length if self.high is None else self.high


@dataclass(frozen=True, slots=True)
class ReadFacts:
    """What a window cost.

    Parameters
    ----------
    decoded_bytes
        Bytes decoded for it; chunks found in the cache cost none.
    whole_bytes
        What decoding the whole slice takes.
    chunks_read
        Chunks looked at, wherever they were found.
    chunks_total
        Chunks that the slice touches.
    decimated
        Whether there are elements of the slice that are not among the points.
    complete
        Whether every point was read.
    note
        The same in a sentence.
    """

    decoded_bytes: int
    whole_bytes: int
    chunks_read: int
    chunks_total: int
    decimated: bool
    complete: bool
    note: str


@dataclass(frozen=True, slots=True)
class ChunkError:
    """A chunk that could not be read.

    Parameters
    ----------
    chunk
        Its key in the store.
    message
        What the store or the codec said.
    fault
        What kind of reason that is; see `Fault`.
    """

    chunk: str
    message: str
    fault: FaultKind = "codec"


@dataclass(frozen=True, slots=True, eq=False)
class Window:
    """Values of an array at evenly spaced points of up to two axes, and what each of them is.

    Parameters
    ----------
    values
        Stored values in native byte order; the shape follows `axes`. Zero where there was nothing
        to read, which `states` says.
    states
        uint8 of the same shape: the cell states under NZ.
    storage_states
        The same if the storage fill value were the mask.
    axes
        The points along each axis shown.
    index
        The index at which each other axis is fixed.
    facts
        What it cost.
    errors
        The first chunks that could not be read.
    """

    values: np.ndarray[Any, Any]
    states: States
    storage_states: States
    axes: tuple[Points, ...]
    index: dict[int, int]
    facts: ReadFacts
    errors: tuple[ChunkError, ...]


def read_window(  # noqa: PLR0913  # each is a choice of the caller
    array: Array,
    axes: Sequence[int],
    index: Mapping[int, int],
    most_points: Sequence[int],
    *,
    parts: Mapping[int, tuple[int, int]] | None = None,
    budget: int | None = DEFAULT_BUDGET,
    cache: ChunkCache | None = None,
    cancel: Cancellation | None = None,
    progress: Progress | None = None,
    partial: Partial | None = None,
) -> Window:
    """Read a slice of an array at no more points than asked for, within a byte budget.

    A chunk is always decoded whole. Where the chunks of the slice take more than the budget,
    either evenly spaced chunks are read and the points of the others are ``UNREAD``, or, where
    that would leave nearly everything unread, fewer points are read all over the slice.

    Parameters
    ----------
    array
        The array.
    axes
        Axes to show, in the order of the result.
    index
        Index by axis for all other axes; negative ones count from the end, those beyond an end are
        moved to it, and 0 is taken where there is none.
    most_points
        The most points along each of `axes`.
    parts
        Part of an axis to show, as first index and the one after the last; all of it by default.
    budget
        The most bytes to decode, and then no more than `MOST_CHUNKS` chunks; None for no limit.
        Chunks in the cache cost nothing.
    cache
        Where decoded chunks are kept.
    cancel
        Looked at between chunks.
    progress
        Called with the number of chunks done and of all.
    partial
        Called now and then, from any thread, with what is there so far.

    Returns
    -------
    Window

    Raises
    ------
    UnsupportedArray
        If zarr cannot read the array at all.
    Cancelled
        If it was cancelled.
    """
    opened = open_for_reading(array, cache)
    parts = parts or {}
    points = [
        spread(axis, opened.shape[axis], most, *parts.get(axis, ()))
        for axis, most in zip(axes, most_points, strict=True)
    ]
    return read_points(
        array,
        points,
        index,
        budget=budget,
        cache=cache,
        cancel=cancel,
        progress=progress,
        partial=partial,
    )


def read_points(
    array: Array,
    points: Sequence[Points],
    index: Mapping[int, int],
    *,
    budget: int | None = DEFAULT_BUDGET,
    cache: ChunkCache | None = None,
    cancel: Cancellation | None = None,
    progress: Progress | None = None,
    partial: Partial | None = None,
) -> Window:
    """Read a slice of an array at given points, or at fewer where they take more than the budget.

    Parameters
    ----------
    points
        The points along each axis to show, in the order of the result.
    array, index, budget, cache, cancel, progress, partial
        As for `read_window`.

    Returns
    -------
    Window

    Raises
    ------
    UnsupportedArray
        If zarr cannot read the array at all.
    Cancelled
        If it was cancelled.
    """
    opened = open_for_reading(array, cache)
    shown = {part.axis for part in points}
    fixed = {
        axis: inside(index.get(axis, 0), length)
        for axis, length in enumerate(opened.shape)
        if axis not in shown
    }
    plan = _plan(opened, tuple(points), fixed, budget, cache)

    def show(so_far: dict[Coordinates, Chunk]) -> None:
        if partial is not None:
            partial(_assemble(opened, plan, fixed, so_far))

    chunks = read_chunks(
        opened,
        plan.chunks,
        cache=cache,
        cancel=cancel,
        progress=progress,
        partial=None if partial is None else show,
    )
    return _assemble(opened, plan, fixed, chunks)


def inside(index: int, length: int) -> int:
    """Return an index that lies in a dimension: negative ones count from its end."""
    return max(0, min(index + length if index < 0 else index, length - 1))


# --- what to read ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Plan:
    points: tuple[Points, ...]
    chunks: list[Coordinates]
    fresh: frozenset[Coordinates]
    """Those of them that the cache does not hold."""
    chunks_total: int


def _plan(
    opened: OpenArray,
    points: tuple[Points, ...],
    fixed: Mapping[int, int],
    budget: int | None,
    cache: ChunkCache | None,
) -> _Plan:
    axes = [part.axis for part in points]
    total = math.prod(_chunks_across(opened, part) for part in points)
    touched = [_touched(opened, part) for part in points]
    affordable = total if budget is None else min(budget // max(1, opened.chunk_bytes), MOST_CHUNKS)
    every: list[Coordinates] = []
    # beyond that, listing the chunks takes longer than reading the affordable ones
    if math.prod(map(len, touched)) <= max(affordable, 100_000):
        every = _chunks(opened, axes, fixed, touched)
        fresh = _not_kept(opened, every, cache)
        if len(fresh) <= affordable:
            return _Plan(points, every, fresh, total)
    if affordable < 1:
        kept = [chunk for chunk in every if chunk not in fresh]
        return _Plan(points, kept, frozenset(), total)
    chosen, fewer = _fewer(opened, points, touched, affordable)
    wanted = _chunks(opened, axes, fixed, chosen)
    if fewer is points and every:
        wanted = _fill_up(wanted, every, fresh, affordable)
    return _Plan(fewer, wanted, _not_kept(opened, wanted, cache), total)


def _fill_up(
    wanted: list[Coordinates],
    every: list[Coordinates],
    fresh: frozenset[Coordinates],
    affordable: int,
) -> list[Coordinates]:
    """Add the chunks that cost nothing, and, where room is left, those nearest to the middle.

    So each time that the same slice is asked for, more of it is there.
    """
    chosen = set(wanted)
    room = affordable - len(chosen & fresh)
    middle = np.mean([every[0], every[-1]], axis=0)
    rest = sorted(fresh - chosen, key=lambda chunk: float(np.abs(chunk - middle).max()))
    chosen.update(rest[:room])
    return [chunk for chunk in every if chunk in chosen or chunk not in fresh]


def spread(axis: int, length: int, most: int, low: int = 0, high: int | None = None) -> Points:
    """Spread points over an axis, or a part of it; the gaps at its two ends are alike."""
    if high is not None:
        low = max(0, min(low, length - 1))
        high = max(low + 1, min(high, length))
    if (low, high) == (0, length):
        high = None
    count = (length if high is None else high) - low
    step = max(1, -(-count // max(1, most)))
    size = -(-count // step)
    start = low + (count - 1 - (size - 1) * step) // 2 if size else low
    return Points(axis, start, step, size, length, low, high)


def _chunks_across(opened: OpenArray, points: Points) -> int:
    size = opened.chunk_shape[points.axis]
    return -(-points.end // size) - points.low // size


def _touched(opened: OpenArray, points: Points) -> list[int]:
    chunk = opened.chunk_shape[points.axis]
    if points.step < chunk and points.size:
        first, last = (
            points.start // chunk,
            (points.start + points.step * (points.size - 1)) // chunk,
        )
        return list(range(first, last + 1))
    found: list[int] = np.unique(points.indices // chunk).tolist()
    return found


def _chunks(
    opened: OpenArray,
    axes: Sequence[int],
    fixed: Mapping[int, int],
    chosen: Sequence[Sequence[int]],
) -> list[Coordinates]:
    if 0 in opened.shape:
        return []
    by_axis = dict(zip(axes, chosen, strict=True))
    return list(
        itertools.product(
            *(
                by_axis[axis] if axis in by_axis else (fixed[axis] // size,)
                for axis, size in enumerate(opened.chunk_shape)
            )
        )
    )


def _not_kept(
    opened: OpenArray, chunks: list[Coordinates], cache: ChunkCache | None
) -> frozenset[Coordinates]:
    if cache is None:
        return frozenset(chunks)
    return frozenset(chunk for chunk in chunks if not cache.holds(opened.version, chunk))


def _fewer(
    opened: OpenArray,
    points: tuple[Points, ...],
    touched: list[list[int]],
    affordable: int,
) -> tuple[list[list[int]], tuple[Points, ...]]:
    """Choose chunks that the budget has room for."""
    counts = _share([len(part) for part in touched], affordable)
    tiles = math.prod(counts) >= _TILES_FROM * math.prod(map(len, touched))
    if tiles and all(part.step < opened.chunk_shape[part.axis] for part in points):
        chosen = [
            [part[(2 * i + 1) * len(part) // (2 * count)] for i in range(count)]
            for part, count in zip(touched, counts, strict=True)
        ]
        return chosen, points
    # no point per chunk is left out: a point in every chunk that is read
    sparse = tuple(
        part if count == len(chunks) else spread(part.axis, part.length, count, part.low, part.high)
        for part, chunks, count in zip(points, touched, counts, strict=True)
    )
    return [_touched(opened, part) for part in sparse], sparse


def _share(counts: list[int], affordable: int) -> list[int]:
    """Reduce counts, in like measure, until their product is affordable."""
    if math.prod(counts) <= affordable:
        return counts
    share = (affordable / math.prod(counts)) ** (1 / len(counts))
    chosen = [max(1, min(count, int(count * share))) for count in counts]
    while True:  # what rounding down left over
        order = sorted(range(len(counts)), key=lambda i: chosen[i] / counts[i])
        for i in order:
            more = math.prod(chosen) // chosen[i] * (chosen[i] + 1)
            if chosen[i] < counts[i] and more <= affordable:
                chosen[i] += 1
                break
        else:
            break
    while math.prod(chosen) > affordable:
        largest = max(range(len(chosen)), key=chosen.__getitem__)
        chosen[largest] = max(1, affordable * chosen[largest] // math.prod(chosen))
    return chosen


# --- what was read ---------------------------------------------------------------------------


def _assemble(
    opened: OpenArray, plan: _Plan, fixed: dict[int, int], chunks: dict[Coordinates, Chunk]
) -> Window:
    shape = tuple(part.size for part in plan.points)
    values = np.zeros(shape, _result_type(opened, chunks))
    states = np.full(shape, UNREAD, np.uint8)
    storage_states = states.copy()
    errors: list[ChunkError] = []
    places: list[dict[int, tuple[slice, slice]]] = [_places(opened, part) for part in plan.points]
    for coordinates, chunk in chunks.items():
        target = tuple(
            place[coordinates[part.axis]][0]
            for part, place in zip(plan.points, places, strict=True)
        )
        if chunk.values is None:
            states[target] = storage_states[target] = UNREADABLE
            if len(errors) < _MOST_ERRORS:
                errors.append(chunk_error(opened, coordinates, chunk))
            continue
        picked = _pick(opened, plan.points, fixed, coordinates, chunk.values, places)
        values[target] = picked
        if chunk.state == "absent":
            states[target] = storage_states[target] = ABSENT
        else:
            states[target], storage_states[target] = classify(
                picked, opened.array.fill, opened.array.storage_fill
            )
    facts = _facts(opened, plan, chunks, states)
    return Window(values, states, storage_states, plan.points, fixed, facts, tuple(errors))


def chunk_error(grid: ChunkGrid, coordinates: Coordinates, chunk: Chunk) -> ChunkError:
    """Return what is wrong with a chunk that is unreadable."""
    assert chunk.fault is not None  # noqa: S101  # only those that are readable have none
    return ChunkError(grid.key(coordinates), chunk.fault.text, chunk.fault.kind)


def _result_type(opened: OpenArray, chunks: dict[Coordinates, Chunk]) -> np.dtype[Any]:
    for chunk in chunks.values():
        if chunk.values is not None:
            return native(chunk.values.dtype)
    dtype = opened.array.data_type.numpy
    return np.dtype(object) if dtype is None else native(dtype)


def native(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return a numpy type with the byte order of this machine."""
    if dtype.kind == "T":  # which has none, and numpy raises
        return dtype
    swapped: np.dtype[Any] = dtype.newbyteorder("=")
    return swapped


def _places(opened: OpenArray, points: Points) -> dict[int, tuple[slice, slice]]:
    """Return by chunk along an axis: which points lie in it, and where they are inside it."""
    size = opened.chunk_shape[points.axis]
    number = points.indices // size
    places = {}
    starts = np.flatnonzero(np.diff(number, prepend=-1))
    ends = [*starts[1:].tolist(), points.size][: len(starts)]  # no points, no ends
    for start, end in zip(starts.tolist(), ends, strict=True):
        first = points.start + points.step * start
        chunk = first // size
        inside = first - chunk * size
        last = inside + points.step * (end - start - 1)
        places[chunk] = (slice(start, end), slice(inside, last + 1, points.step))
    return places


def _pick(
    opened: OpenArray,
    points: tuple[Points, ...],
    fixed: dict[int, int],
    coordinates: Coordinates,
    values: np.ndarray[Any, Any],
    places: list[dict[int, tuple[slice, slice]]],
) -> np.ndarray[Any, Any]:
    selection: list[Any] = [
        0 if axis not in fixed else fixed[axis] - coordinates[axis] * size
        for axis, size in enumerate(opened.chunk_shape)
    ]
    for part, place in zip(points, places, strict=True):
        selection[part.axis] = place[coordinates[part.axis]][1]
    picked = np.asarray(values[tuple(selection)])
    order = [part.axis for part in points]
    return picked if order == sorted(order) else picked.transpose(np.argsort(np.argsort(order)))


def _facts(
    opened: OpenArray, plan: _Plan, chunks: dict[Coordinates, Chunk], states: States
) -> ReadFacts:
    read, total = len(chunks), plan.chunks_total
    # looks at what is there so far have not all of the plan
    fresh = [chunk for chunk in plan.fresh if chunk in chunks]
    decoded = sum(chunks[chunk].state != "absent" for chunk in fresh) * opened.chunk_bytes
    whole = total * opened.chunk_bytes
    decimated = any(part.step > 1 for part in plan.points)
    return ReadFacts(
        decoded_bytes=decoded,
        whole_bytes=whole,
        chunks_read=read,
        chunks_total=total,
        decimated=decimated,
        complete=not bool((states == UNREAD).any()),
        note="; ".join(_sentences(plan, chunks, len(fresh), decoded, whole)),
    )


def _sentences(
    plan: _Plan, chunks: dict[Coordinates, Chunk], fresh: int, decoded: int, whole: int
) -> Iterator[str]:
    read, total = len(chunks), plan.chunks_total
    absent = sum(chunk.state == "absent" for chunk in chunks.values())
    kept = read - fresh
    if total == 1:
        what = "its one chunk"
    elif read == total:
        what = f"all {total:,} chunks"
    else:
        what = f"{read:,} of {total:,} chunks"
    if kept == read and read:
        yield f"{what} taken from memory, nothing read"
    else:
        some = f", {kept:,} of them from memory" if kept else ""
        yield f"{what} looked at{some}, {bytes_text(decoded)} decoded"
    if absent == read and read:
        yield "not in the store" if total == 1 else "none of them in the store"
    elif absent:
        yield f"{absent:,} of them not in the store"
    if read < total:
        yield f"the whole slice takes {bytes_text(whole)}"
    steps = [part.step for part in plan.points]
    if max(steps, default=1) > 1:
        yield f"one element in {' × '.join(f'{step:,}' for step in steps)} shown"


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
    units = ("bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB")
    power = min(max(0, int(count).bit_length() - 1) // 10, len(units) - 1)
    size = count / 1024**power
    shown = f"{size:.3g}" if power and size < 999.5 else f"{size:.0f}"
    return f"{shown} {units[power]}"
