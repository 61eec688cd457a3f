"""Which chunks were written, inner chunks of shards included: from listings and the indices of shards alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from nz_explorer.store import Cancellation
from nz_explorer.values.reading.chunk import NOT_WRITTEN, Fault
from nz_explorer.values.reading.chunk_grid import ChunkGrid, Coordinates
from nz_explorer.values.reading.chunk_presence import Part, Places, known_presence
from nz_explorer.values.reading.decoding import Index, reads_indices, shard_indices
from nz_explorer.values.reading.opening import OpenArray

LISTED_FROM, LISTED_FROM_AFAR = 32, 200
"""Chunks from which on a listing costs less than asking for each."""
MOST_INDICES, MOST_INDICES_AFAR = 1024, 64
"""Indices of shards that are read for a picture."""
MOST_ENTRIES = 4_000_000
"""Inner chunks that these indices may be of."""
_AT_ONCE = 64
_LARGEST = np.uint64(2**62)
"""Bytes of a shard that there cannot be."""
_MOST_KEPT = 4096


@dataclass(frozen=True, slots=True)
class ShardContents:
    """The index of a shard.

    Parameters
    ----------
    shard
        Its coordinates, in the grid of shards.
    chunks
        Coordinates of the inner chunks that were written, a row for each.
    stored
        Whether the store holds the shard.
    fault
        Why its index cannot be read; every inner chunk then counts as written, for there may be values.
    overlap
        Whether some bytes belong to two inner chunks, and are not the whole of both.
    """

    shard: Coordinates
    chunks: Places
    stored: bool = True
    fault: Fault | None = None
    overlap: bool = False


def shard_contents(
    grid: ChunkGrid, shards: Sequence[Coordinates], cancel: Cancellation | None = None
) -> Iterator[ShardContents]:
    """Yield what is in shards, reading many indices at once.

    Parameters
    ----------
    grid
        The array; see `nz_explorer.values.reading.decoding.reads_indices`.
    shards
        Coordinates of shards that the store holds.
    cancel
        Looked at between requests.

    Raises
    ------
    Cancelled
        If it was cancelled.
    """
    for start in range(0, len(shards), _AT_ONCE):
        if cancel is not None:
            cancel.check()
        batch = shards[start : start + _AT_ONCE]
        for shard, index in zip(batch, shard_indices(grid, batch, cancel), strict=True):
            fault = index if isinstance(index, Fault) else None
            chunks = _inside(grid, shard, index)
            overlap = isinstance(index, np.ndarray) and _overlaps(index)
            yield ShardContents(shard, chunks, index is not None, fault, overlap)


def _overlaps(index: Index) -> bool:
    """Whether inner chunks share a part of their bytes; all of them they may, where equal ones were stored once."""
    entries = index.reshape(-1, 2)
    # what no shard can be as large as is no place in it, and is found where the chunk is read
    there = np.unique(entries[(entries < _LARGEST).all(axis=1) & (entries[:, 1] > 0)], axis=0)
    starts, ends = there[:, 0], there.sum(axis=1, dtype=np.uint64)
    return bool((starts[1:] < np.maximum.accumulate(ends)[:-1]).any())


def _inside(grid: ChunkGrid, shard: Coordinates, index: Index | Fault | None) -> Places:
    """Return the inner chunks of a shard that were written and that the shape has a place for."""
    counts, first = grid.counts_inside(shard), grid.first_chunk(shard)
    if isinstance(index, Fault):
        local = np.argwhere(np.ones(counts, np.bool_))
    elif index is None:  # gone since it was listed
        local = np.empty((0, len(counts)), np.int64)
    else:
        # the two entries of a chunk that was not written are alike
        local = np.argwhere((index[..., 0] != NOT_WRITTEN) | (index[..., 1] != NOT_WRITTEN))
    places: Places = local + np.array(first, np.int64)
    if all(i + n <= size for i, n, size in zip(first, counts, grid.grid, strict=True)):
        return places
    within: Places = places[(places < grid.grid).all(axis=1)]
    return within


def written_chunks(
    opened: OpenArray, parts: Mapping[int, Part], cancel: Cancellation | None = None
) -> Places | None:
    """Return which chunks of a part of an array were written, where that is cheap to know.

    Parameters
    ----------
    opened
        The array.
    parts
        By axis which chunks are looked for, as the first and the one after the last.
    cancel
        Looked at between requests.

    Returns
    -------
    ndarray or None
        Coordinates of chunks, a row for each, sorted; None where bounded listings are not enough.

    Raises
    ------
    Cancelled
        If it was cancelled.
    """
    objects = {
        axis: (opened.object_number(axis, a), opened.object_number(axis, max(a, b - 1)) + 1)
        for axis, (a, b) in parts.items()
    }
    if opened.shard_shape is not None and not reads_indices(opened):
        return None
    presence = known_presence(opened, objects, cancel)
    if presence is None:
        return None
    places = inside_parts(presence.places, objects)
    if opened.shard_shape is None:
        return places
    most = MOST_INDICES if opened.local else MOST_INDICES_AFAR
    if len(places) > most or len(places) * opened.most_inside > MOST_ENTRIES:
        return None
    kept: dict[Coordinates, Places] = opened.known.setdefault("written", {})
    shards = [tuple(place) for place in places.tolist()]
    for found in shard_contents(opened, [one for one in shards if one not in kept], cancel):
        if len(kept) < _MOST_KEPT:
            kept[found.shard] = found.chunks
    if any(one not in kept for one in shards):
        return None
    chunks = [np.empty((0, len(opened.shape)), np.int64), *(kept[one] for one in shards)]
    return sorted_places(inside_parts(np.concatenate(chunks), parts))


def inside_parts(places: Places, parts: Mapping[int, Part]) -> Places:
    """Return those of some places that lie in a part of the grid.

    Parameters
    ----------
    places
        Coordinates, a row for each.
    parts
        By axis the first and the one after the last; all by default.
    """
    keep = np.ones(len(places), np.bool_)
    for axis, (first, end) in parts.items():
        keep &= (places[:, axis] >= first) & (places[:, axis] < end)
    return places[keep]


def sorted_places(places: Places) -> Places:
    """Return places in the order of their coordinates."""
    return places[np.lexsort(places.T[::-1])] if len(places) else places
