"""A bounded look at an array: a slice of it, at the points that a picture has room for."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from nz_explorer.model import Array
from nz_explorer.model.signedness import with_meant_sign
from nz_explorer.store import Cancellation
from nz_explorer.values.masks.cell_states import (
    ABSENT,
    UNREAD,
    UNREADABLE,
    VALUE,
    States,
    classify,
)
from nz_explorer.values.points import (
    Plan,
    Points,
    chunks_across,
    inside,
    plan_reading,
    spread,
)
from nz_explorer.values.reading import size_limits
from nz_explorer.values.reading.chunk import Chunk, FaultKind
from nz_explorer.values.reading.chunk_cache import MEBIBYTE, ChunkCache
from nz_explorer.values.reading.chunk_grid import ChunkGrid, Coordinates
from nz_explorer.values.reading.chunks import Progress, read_chunks
from nz_explorer.values.reading.opening import OpenArray, open_for_reading
from nz_explorer.values.reading.size_limits import bytes_text

Partial = Callable[["Window"], object]
DEFAULT_BUDGET = 64 * MEBIBYTE
_MOST_ERRORS = 20


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
        The error message of the store or the codec.
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
        to read, as `states` shows.
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
    SizeLimitExceeded
        If there is no budget, and it takes more memory than there is.
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
    if budget is None:
        size = math.prod(part.size for part in points) * opened.itemsize
        size_limits.check_slice(size, math.prod(chunks_across(opened, part) for part in points))
    plan = plan_reading(opened, tuple(points), fixed, budget, cache, cancel)

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


def _assemble(
    opened: OpenArray, plan: Plan, fixed: dict[int, int], chunks: dict[Coordinates, Chunk]
) -> Window:
    shape = tuple(part.size for part in plan.points)
    values = np.zeros(shape, _result_type(opened, chunks, plan))
    states = np.full(shape, UNREAD, np.uint8)
    errors: list[ChunkError] = []
    places: list[dict[int, tuple[slice, slice]]] = [_places(opened, part) for part in plan.points]
    if plan.left_out is not None:
        values[...] = opened.storage_default
        states[...] = ABSENT
        for coordinates in (*plan.left_out, *plan.chunks):
            where = tuple(
                place[coordinates[part.axis]][0]
                for part, place in zip(plan.points, places, strict=True)
            )
            states[where] = UNREAD
            values[where] = np.zeros((), values.dtype)
    storage_states = states.copy()
    marks = opened.array.missing_values
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
                picked, opened.array.fill, opened.array.storage_fill, marks
            )
    facts = _facts(opened, plan, chunks, states)
    values = with_meant_sign(opened.array, values)
    return Window(values, states, storage_states, plan.points, fixed, facts, tuple(errors))


def known_values(array: Array, window: Window) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Return which numbers of a window are values, also those of chunks that were never written.

    zarr writes no chunk of mere fill values: of a coordinate that begins at 0 the first chunk may be absent.

    Parameters
    ----------
    array
        What was read.
    window
        Of it.

    Returns
    -------
    ndarray of bool
        Of the shape of the window's values.
    """
    absent = window.states == ABSENT
    found: np.ndarray[Any, np.dtype[np.bool_]] = window.states == VALUE
    if absent.any():
        own = classify(window.values, array.fill, None, array.missing_values)[0]
        found = found | (absent & (own == VALUE))
    return found


def chunk_error(grid: ChunkGrid, coordinates: Coordinates, chunk: Chunk) -> ChunkError:
    """Return which chunk could not be read, by its key in the store, and why.

    Parameters
    ----------
    grid
        The array.
    coordinates
        Of the chunk in the grid.
    chunk
        One that is unreadable.
    """
    assert chunk.fault is not None  # noqa: S101  # only those that are readable have none
    return ChunkError(grid.key(coordinates), chunk.fault.text, chunk.fault.kind)


def _result_type(opened: OpenArray, chunks: dict[Coordinates, Chunk], plan: Plan) -> np.dtype[Any]:
    if plan.left_out is not None:
        return native(opened.zarr.dtype)
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
    number = opened.number(points.axis, points.indices)
    places = {}
    starts = np.flatnonzero(np.diff(number, prepend=-1))
    ends = [*starts[1:].tolist(), points.size][: len(starts)]  # no points, no ends
    for start, end in zip(starts.tolist(), ends, strict=True):
        first = points.start + points.step * start
        chunk = int(number[start])
        inside = first - opened.begin(points.axis, chunk)
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
        0 if axis not in fixed else fixed[axis] - opened.begin(axis, coordinates[axis])
        for axis in range(len(opened.shape))
    ]
    for part, place in zip(points, places, strict=True):
        selection[part.axis] = place[coordinates[part.axis]][1]
    picked = np.asarray(values[tuple(selection)])
    order = [part.axis for part in points]
    return picked if order == sorted(order) else picked.transpose(np.argsort(np.argsort(order)))


def _facts(
    opened: OpenArray, plan: Plan, chunks: dict[Coordinates, Chunk], states: States
) -> ReadFacts:
    read, total = _looked_at(plan, chunks), plan.chunks_total
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


def _looked_at(plan: Plan, chunks: dict[Coordinates, Chunk]) -> int:
    """Return of how many chunks it is known what they hold, or that they are absent."""
    if plan.left_out is None:
        return len(chunks)
    return plan.chunks_total - (plan.written - len(chunks))


def _sentences(
    plan: Plan, chunks: dict[Coordinates, Chunk], fresh: int, decoded: int, whole: int
) -> Iterator[str]:
    read, total = _looked_at(plan, chunks), plan.chunks_total
    absent = sum(chunk.state == "absent" for chunk in chunks.values()) + read - len(chunks)
    kept = len(chunks) - fresh
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
    if plan.sparse:
        yield "the store cannot list its chunks, and hardly one is there: no more were asked for"
    steps = [part.step for part in plan.points]
    if max(steps, default=1) > 1:
        yield f"one element in {' × '.join(f'{step:,}' for step in steps)} shown"
