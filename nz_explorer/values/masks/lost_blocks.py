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
    from nz_explorer.values.chunk_statistics import ArrayScan
    from nz_explorer.values.reading.chunk_grid import Coordinates
    from nz_explorer.values.reading.opening import OpenArray

MOST_READ = 8
"""Chunks that are read again to see where in them values are missing."""
MOST_BYTES = 2**27
"""A chunk that takes more is not read again."""
FEWEST_CHUNKS = 3
MOST_WITH_GAPS = 0.5
"""Where more of the chunks have gaps, as those of measurements do, nothing tells what was lost."""
FEWEST_ACROSS = 8
"""Values across a block, fewer of which may be missing side by side by chance."""


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
    """

    first: LostBlock
    chunks: int


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
    sizes = [
        math.prod(part.stop - part.start for part in opened.region(tuple(c)))
        for c in rows["chunk"].tolist()
    ]
    there = rows["state"] == 0
    gaps = there & ((rows["count"] < np.asarray(sizes)) | _may_hold(rows, opened.storage_default))
    number = int(gaps.sum())
    if not 0 < number <= min(MOST_READ, len(rows) * MOST_WITH_GAPS):
        return None
    full = {tuple(chunk) for chunk in rows["chunk"][there & ~gaps].tolist()}
    wanted = [tuple(chunk) for chunk in rows["chunk"][gaps].tolist()]
    found = []
    for place in wanted:
        values = read_chunks(opened, [place], cancel=cancel)[place].values
        if values is None:
            return None
        missing = values == opened.storage_default
        if values.dtype.kind == "f":
            missing |= np.isnan(values)
        if array.fill is not None and array.fill.usable:
            missing |= matches(values, array.fill)
        block = _block(opened, place, np.asarray(missing), full)
        if block is None:
            return None
        found.append(block)
    return LostBlocks(found[0], number)


def _may_hold(rows: np.ndarray[Any, Any], value: Any) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Return which chunks may hold a value among others."""
    number = float(value)
    return np.asarray((rows["minimum"] <= number) & (number <= rows["maximum"]), np.bool_)


def _block(
    opened: OpenArray,
    place: Coordinates,
    missing: np.ndarray[Any, np.dtype[np.bool_]],
    full: set[Coordinates],
) -> LostBlock | None:
    """Return where values are missing in a chunk if it is a block from edge to edge, and chunks beside it are full there."""
    for axis in range(missing.ndim):
        others = tuple(i for i in range(missing.ndim) if i != axis)
        whole, some = (np.atleast_1d(f(missing, axis=others)) for f in (np.all, np.any))
        across = missing.size // max(1, missing.shape[axis])
        if (whole != some).any() or whole.all() or not whole.any() or across < FEWEST_ACROSS:
            continue
        if not any(one[axis] == place[axis] for one in full):
            continue
        start = opened.region(place)[axis].start
        first = int(whole.argmax())
        run = whole[first:]
        length = int((~run).argmax()) if not run.all() else len(run)
        return LostBlock(opened.key(place), axis, start + first, start + first + length)
    return None
