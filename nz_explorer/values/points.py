"""The points of an axis that a picture has room for, and the chunks that are read for them within a byte budget."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from nz_explorer.store import Cancellation
from nz_explorer.values.reading.chunk_cache import ChunkCache
from nz_explorer.values.reading.chunk_grid import Coordinates
from nz_explorer.values.reading.chunk_presence import Places
from nz_explorer.values.reading.chunks import BETWEEN_LOOKS
from nz_explorer.values.reading.decoding import are_stored
from nz_explorer.values.reading.opening import OpenArray
from nz_explorer.values.reading.size_limits import MOST_UNASKED_CHUNKS
from nz_explorer.values.reading.written_chunks import (
    LISTED_FROM,
    LISTED_FROM_AFAR,
    written_chunks,
)

MOST_CHUNKS = MOST_UNASKED_CHUNKS
"""With a budget, however small the chunks are: asking a store for each takes longer than decoding it."""
_TILES_FROM = 1 / 8
"""The share of the chunks from which on reading some of them whole shows more than points do."""
PROBED, MOST_BLIND = 32, 192
"""Of a store behind a network that does not tell which chunks there are: chunks that are asked for first, and how many
are read where hardly one of those was written. Thousands of requests for what is not there show nothing."""


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


def inside(index: int, length: int) -> int:
    """Return an index that lies in a dimension: negative ones count from its end.

    Parameters
    ----------
    index
        Any integer; beyond an end of the dimension it is moved to the end.
    length
        Of the dimension.
    """
    return max(0, min(index + length if index < 0 else index, length - 1))


@dataclass(frozen=True, slots=True)
class Plan:
    """What is read for the points of a picture.

    Parameters
    ----------
    points
        The points, fewer than asked for where the budget has no room for them.
    chunks
        The chunks that hold them, as far as the budget goes.
    fresh
        Those of them that the cache does not hold.
    chunks_total
        Chunks that the slice touches.
    left_out
        Where it is known which chunks of the slice were written, those of them that hold points and are not
        read: all other chunks are absent, and nobody asks for them. None where it is not known.
    written
        How many chunks of the slice were written, where that is known.
    sparse
        Whether only some were asked for because hardly one of those that were asked first was written.
    """

    points: tuple[Points, ...]
    chunks: list[Coordinates]
    fresh: frozenset[Coordinates]
    chunks_total: int
    left_out: tuple[Coordinates, ...] | None = None
    written: int = 0
    sparse: bool = False


def plan_reading(
    opened: OpenArray,
    points: tuple[Points, ...],
    fixed: Mapping[int, int],
    budget: int | None,
    cache: ChunkCache | None,
    cancel: Cancellation | None = None,
) -> Plan:
    """Return what is read for points: all their chunks, or as many, or for as many points, as the budget has room for.

    Parameters
    ----------
    opened
        The array.
    points
        Along each axis shown.
    fixed
        The index at which each other axis is fixed.
    budget
        The most bytes to decode, and then no more than `MOST_CHUNKS` chunks; None for no limit.
    cache
        Where decoded chunks are kept; they cost nothing.
    cancel
        Looked at between requests.

    Raises
    ------
    Cancelled
        If it was cancelled.
    """
    axes = [part.axis for part in points]
    total = math.prod(chunks_across(opened, part) for part in points)
    touched = [_touched(opened, part) for part in points]
    affordable = total if budget is None else min(budget // max(1, opened.chunk_bytes), MOST_CHUNKS)
    number = math.prod(map(len, touched))
    every: list[Coordinates] = []
    sparse = False
    fresh: frozenset[Coordinates] = frozenset()
    # beyond that, listing the chunks takes longer than reading the affordable ones
    if number <= max(affordable, 100_000):
        every = _chunks(opened, axes, fixed, touched)
        fresh = _not_kept(opened, every, cache, cancel)
    if (len(fresh) if every else number) > (LISTED_FROM if opened.local else LISTED_FROM_AFAR):
        ranges = {part.axis: (part.low, part.end) for part in points}
        ranges |= {axis: (at, at + 1) for axis, at in fixed.items()}
        parts = {
            axis: (first := opened.number(axis, a), first + opened.across(axis, a, b))
            for axis, (a, b) in ranges.items()
        }
        written = written_chunks(opened, parts, cancel)
        if written is not None:
            return _of_written(opened, points, fixed, touched, written, affordable, total, cache)
        if budget is not None and not opened.local:
            probe = _chunks(opened, axes, fixed, _fewer(opened, points, touched, PROBED)[0])
            if sparse := sum(are_stored(opened, probe, cancel)) <= 1:
                affordable = min(affordable, MOST_BLIND)
    if every and len(fresh) <= affordable:
        return Plan(points, every, fresh, total)
    if affordable < 1:
        kept = [chunk for chunk in every if chunk not in fresh]
        return Plan(points, kept, frozenset(), total)
    chosen, fewer = _fewer(opened, points, touched, affordable)
    wanted = _chunks(opened, axes, fixed, chosen)
    if fewer is points and every:
        wanted = _fill_up(wanted, every, fresh, affordable)
    return Plan(fewer, wanted, _not_kept(opened, wanted, cache), total, sparse=sparse)


def _of_written(  # what `plan_reading` knows
    opened: OpenArray,
    points: tuple[Points, ...],
    fixed: Mapping[int, int],
    touched: list[list[int]],
    written: Places,
    affordable: int,
    total: int,
    cache: ChunkCache | None,
) -> Plan:
    """Return what is read where it is known which chunks there are: no others."""
    axes = [part.axis for part in points]
    there = _among(written, axes, touched)
    fresh = _not_kept(opened, there, cache)
    if len(fresh) <= affordable:
        return Plan(points, there, fresh, total, (), len(written))
    if affordable < 1:
        kept = [chunk for chunk in there if chunk not in fresh]
        return Plan(points, kept, frozenset(), total, tuple(fresh), len(written))
    if _TILES_FROM * len(there) <= affordable and 2 * len(there) <= math.prod(map(len, touched)):
        fewer = points  # a grid over the slice would miss most of what there is
        spaced = [there[(2 * i + 1) * len(there) // (2 * affordable)] for i in range(affordable)]
        wanted = set(_fill_up(spaced, there, fresh, affordable))
    else:
        chosen, fewer = _fewer(opened, points, touched, affordable)
        if fewer is not points:
            # not only of the chosen ones: of what is left out it is known that it is there
            there = _among(written, axes, [_touched(opened, part) for part in fewer])
        wanted = set(_chunks(opened, axes, fixed, chosen)).intersection(there)
        if fewer is points:
            wanted = set(_fill_up(sorted(wanted), there, fresh, affordable))
    left_out = tuple(chunk for chunk in there if chunk not in wanted)
    chunks = sorted(wanted)
    fresh = _not_kept(opened, chunks, cache)
    return Plan(fewer, chunks, fresh, total, left_out, len(written))


def _among(
    written: Places, axes: Sequence[int], touched: Sequence[Sequence[int]]
) -> list[Coordinates]:
    """Return the written chunks that points lie in."""
    keep = np.ones(len(written), np.bool_)
    for axis, chunks in zip(axes, touched, strict=True):
        keep &= np.isin(written[:, axis], chunks)
    return list(map(tuple, written[keep].tolist()))


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
    """Spread points over an axis, or a part of it; the gaps at its two ends are alike.

    Parameters
    ----------
    axis
        Number of the axis.
    length
        Of the dimension.
    most
        The most points.
    low, high
        The part of the dimension, as first index and the one after the last; all of it by default.
    """
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


def chunks_across(opened: OpenArray, points: Points) -> int:
    """Return how many chunks the part of an axis has that points stand for.

    Parameters
    ----------
    opened
        The array.
    points
        Along one axis.
    """
    return opened.across(points.axis, points.low, points.end)


def _touched(opened: OpenArray, points: Points) -> list[int]:
    chunk = opened.chunk_shape[points.axis]
    if points.step < chunk and points.size and opened.edges is None:
        first, last = (
            points.start // chunk,
            (points.start + points.step * (points.size - 1)) // chunk,
        )
        return list(range(first, last + 1))
    found: list[int] = np.unique(opened.number(points.axis, points.indices)).tolist()
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
                by_axis[axis] if axis in by_axis else (opened.number(axis, fixed[axis]),)
                for axis in range(len(opened.shape))
            )
        )
    )


def _not_kept(
    opened: OpenArray,
    chunks: list[Coordinates],
    cache: ChunkCache | None,
    cancel: Cancellation | None = None,
) -> frozenset[Coordinates]:
    found: set[Coordinates] = set()
    for begin in range(0, len(chunks), BETWEEN_LOOKS):
        if cancel is not None:
            cancel.check()
        some = chunks[begin : begin + BETWEEN_LOOKS]
        found.update(
            some if cache is None else [c for c in some if not cache.holds(opened.version, c)]
        )
    return frozenset(found)


def _fewer(
    opened: OpenArray,
    points: tuple[Points, ...],
    touched: list[list[int]],
    affordable: int,
) -> tuple[list[list[int]], tuple[Points, ...]]:
    """Choose chunks that the budget has room for."""
    numbers = [len(part) for part in touched]
    counts = _share(numbers, affordable)
    many = [part.step < opened.chunk_shape[part.axis] for part in points]
    whole = all(many) and math.prod(counts) >= _TILES_FROM * math.prod(numbers)
    if not whole and not all(many):
        # along one axis a chunk has many points, along another a single one: those are left out, where that suffices
        kept = math.prod(number for number, of in zip(numbers, many, strict=True) if of)
        if 2 * kept <= affordable:
            few = _share(
                [1 if of else n for n, of in zip(numbers, many, strict=True)], affordable // kept
            )
            counts = [n if of else one for n, one, of in zip(numbers, few, many, strict=True)]
    chosen: list[list[int]] = []
    fewer: list[Points] = []
    for part, chunks, count, of in zip(points, touched, counts, many, strict=True):
        if count == len(chunks):
            chosen.append(chunks)
            fewer.append(part)
        elif whole or (of and not all(many)):
            chosen.append([chunks[(2 * i + 1) * len(chunks) // (2 * count)] for i in range(count)])
            fewer.append(part)
        else:  # a point in every chunk that is read
            fewer.append(spread(part.axis, part.length, count, part.low, part.high))
            chosen.append(_touched(opened, fewer[-1]))
    same = all(one is part for one, part in zip(fewer, points, strict=True))
    return chosen, points if same else tuple(fewer)


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
