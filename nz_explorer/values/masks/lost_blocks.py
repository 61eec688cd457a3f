"""Blocks of the fill value inside of chunks of an otherwise full array: what writers at one chunk took from each other.

Processes that each write a part of the same chunk read it, change their part, and write all of it: whoever is last puts the
fill value back where another one has written. What is left is a block from edge to edge of a chunk, whose neighbours have
values at the same place, which no gap in a source does.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from nz_explorer.model.fill_values import matches
from nz_explorer.values.reading.chunks import read_chunks

if TYPE_CHECKING:
    from nz_explorer.store import Cancellation
    from nz_explorer.values.reading.chunk_grid import Coordinates
    from nz_explorer.values.reading.opening import OpenArray
    from nz_explorer.values.whole_arrays.chunk_statistics import ArrayScan

MOST_READ = 8
"""Chunks that are read again to see where in them values are missing."""
MOST_TRIED = 3
"""Chunks that are compared with those beside them: one that holds no value tells nothing."""
MOST_BYTES = 2**27
"""A chunk that takes more is not read again."""
FEWEST_CHUNKS = 3
MOST_WITH_GAPS = 0.5
"""Where more of the chunks have gaps, as those of measurements do, nothing tells what was lost."""
FEWEST_ACROSS = 8
"""Values across a block, fewer of which may be missing side by side by chance."""


Flags = np.ndarray[Any, np.dtype[np.bool_]]


@dataclass(frozen=True, slots=True)
class LostBlock:
    """A block of a chunk that holds nothing but the fill value.

    Parameters
    ----------
    key
        The key of the chunk.
    axis
        The axis along which the block ends before the chunk does.
    start, stop
        Its first index in the array along that axis, and the one after its last.
    """

    key: str
    axis: int
    start: int
    stop: int


@dataclass(frozen=True, slots=True)
class LostBlocks:
    """What was found in an array.

    Parameters
    ----------
    first
        The first block.
    chunks
        How many chunks have gaps.
    alone
        Whether nothing else is missing in the array. Otherwise there are such blocks in many chunks, and other ones in
        chunks beside each other.
    """

    first: LostBlock
    chunks: int
    alone: bool


def lost_blocks(
    opened: OpenArray, scan: ArrayScan, cancel: Cancellation | None = None
) -> LostBlocks | None:
    """Return the blocks that were lost in chunks of an array; None where there are none, or where gaps are usual in it.

    Parameters
    ----------
    opened
        The array.
    scan
        The statistics of its values.
    cancel
        Looked at between chunks.
    """
    rows, array = scan.chunks, opened.array
    if rows is None or scan.faults or len(rows) < FEWEST_CHUNKS or len(opened.shape) < 2:
        return None
    if array.data_type.kind not in ("int", "uint", "float") or opened.chunk_bytes > MOST_BYTES:
        return None
    there = rows["state"] == 0
    gaps = there & _may_hold(rows, opened.storage_default)
    if scan.count + scan.states.get("absent", 0) < math.prod(opened.shape):
        gaps |= there & (rows["count"] < _sizes(opened, rows["chunk"]))
    number = int(gaps.sum())
    if not number:
        return None
    full = {tuple(chunk) for chunk in rows["chunk"][there & ~gaps].tolist()}
    wanted = [tuple(chunk) for chunk in rows["chunk"][gaps].tolist()]
    if number <= min(MOST_READ, len(rows) * MOST_WITH_GAPS):
        blocks = [_block(opened, place, _missing(opened, place, cancel), full) for place in wanted]
        first = blocks[0]
        return None if first is None or None in blocks else LostBlocks(first, number, alone=True)
    return _in_many(opened, wanted, number, cancel)


def _in_many(
    opened: OpenArray, wanted: list[Coordinates], number: int, cancel: Cancellation | None
) -> LostBlocks | None:
    """Look whether chunks beside each other lack whole steps along one axis, and not the same ones."""
    for place in wanted[:MOST_TRIED]:
        missing = _missing(opened, place, cancel)
        for axis in range(len(opened.shape)):
            steps = _steps(missing, axis)
            if steps is None or steps.all():
                continue
            beside = [one for one in wanted if one[axis] == place[axis] and one != place]
            others = [_steps(_missing(opened, one, cancel), axis) for one in beside[:MOST_READ]]
            if any(one is None for one in others):
                return None
            if any(one is not None and (one != steps).any() for one in others):
                return LostBlocks(_at(opened, place, axis, steps), number, alone=False)
    return None


def _missing(opened: OpenArray, place: Coordinates, cancel: Cancellation | None) -> Flags | None:
    """Return which values of a chunk are missing, None where it cannot be read."""
    values = read_chunks(opened, [place], cancel=cancel)[place].values
    if values is None:
        return None
    missing = values == opened.storage_default
    if values.dtype.kind == "f":
        missing |= np.isnan(values)
    fill = opened.array.fill
    if fill is not None and fill.usable:
        missing |= matches(values, fill)
    return np.asarray(missing, np.bool_)


def _sizes(opened: OpenArray, places: np.ndarray[Any, Any]) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Return how many values chunks have within the array."""
    sizes = np.ones(len(places), np.int64)
    for axis, length in enumerate(opened.shape):
        ends = [min(opened.begin(axis, i), length) for i in range(opened.grid[axis] + 1)]
        sizes *= np.diff(ends)[places[:, axis]]
    return sizes


def _may_hold(rows: np.ndarray[Any, Any], value: Any) -> Flags:
    """Return which chunks may hold a value among others."""
    number = float(value)
    return np.asarray((rows["minimum"] <= number) & (number <= rows["maximum"]), np.bool_)


def _steps(missing: Flags | None, axis: int) -> Flags | None:
    """Return which steps along an axis are missing as a whole, None where a part of one is, or where they are short."""
    if missing is None or missing.size < FEWEST_ACROSS * missing.shape[axis]:
        return None
    others = tuple(i for i in range(missing.ndim) if i != axis)
    whole, some = (np.atleast_1d(f(missing, axis=others)) for f in (np.all, np.any))
    return None if (whole != some).any() else np.asarray(whole, np.bool_)


def _at(opened: OpenArray, place: Coordinates, axis: int, steps: Flags) -> LostBlock:
    """Return the first run of steps as a block."""
    first = int(steps.argmax())
    run = steps[first:]
    length = len(run) if run.all() else int((~run).argmax())
    start = opened.region(place)[axis].start + first
    return LostBlock(opened.key(place), axis, start, start + length)


def _block(
    opened: OpenArray, place: Coordinates, missing: Flags | None, full: set[Coordinates]
) -> LostBlock | None:
    """Return where values are missing in a chunk if it is a block from edge to edge, and a chunk beside it is full there."""
    for axis in range(len(opened.shape)):
        steps = _steps(missing, axis)
        if steps is None or steps.all() or not steps.any():
            continue
        if any(one[axis] == place[axis] for one in full):
            return _at(opened, place, axis, steps)
    return None
