"""Where the few chunks are that an almost empty array holds, so that a person sees them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from nz_explorer.store import Cancellation
from nz_explorer.text.phrases import noun, plural
from nz_explorer.values.masks.cell_states import ABSENT, UNREAD
from nz_explorer.values.reading.chunk_grid import Coordinates
from nz_explorer.values.reading.chunk_presence import Places, whole_presence
from nz_explorer.values.reading.decoding import reads_indices
from nz_explorer.values.reading.opening import OpenArray
from nz_explorer.values.reading.written_chunks import (
    inside_parts,
    shard_contents,
    sorted_places,
    written_chunks,
)
from nz_explorer.values.window import Window

_SPARSE = 1 / 200
"""The share of points that show something, below which nobody finds them."""
_SHARDS = 16
"""Shards whose contents are looked at where there are too many for all."""


@dataclass(frozen=True, slots=True)
class NonemptyRegion:
    """A part of an array in which there is something.

    Parameters
    ----------
    index
        Index by axis, of the axes that were free.
    parts
        Part of each axis shown, as first index and the one after the last; empty for all of it.
    text
        What was found, in a sentence.
    """

    index: dict[int, int]
    parts: dict[int, tuple[int, int]]
    text: str


def shows_nearly_nothing(window: Window) -> bool:
    """Return whether most of what was looked at is not in the store, and hardly anything is."""
    states = window.states
    empty, unread = (int(np.count_nonzero(states == state)) for state in (ABSENT, UNREAD))
    shown = states.size - empty - unread
    return empty > 0 and shown < _SPARSE * states.size


def locate(
    opened: OpenArray,
    axes: Sequence[int],
    given: Mapping[int, int],
    budget: int,
    cancel: Cancellation | None = None,
) -> NonemptyRegion | None:
    """Find a part of an array in which there is something.

    Parameters
    ----------
    opened
        The array.
    axes
        Axes shown.
    given
        Index by axis, of the other axes, where it must not be changed.
    budget
        The most bytes to decode. What surrounds a chunk is shown where there is room for it.
    cancel
        Looked at between requests.

    Returns
    -------
    NonemptyRegion or None
        None where a short listing does not show it, or there is nothing.

    Raises
    ------
    Cancelled
        If it was cancelled.
    """
    written = None if opened.edges is not None else _written(opened, given, cancel)
    if written is None:
        return None
    sizes, counts = written.sizes, written.counts
    found = _at(written.places, given, sizes)
    if not len(found):
        return None
    fixed = [axis for axis in range(len(sizes)) if axis not in axes]
    same = (found[:, fixed] == found[0, fixed]).all(axis=1)
    slice_of = found[same]
    chosen: Coordinates = tuple(slice_of[len(slice_of) // 2].tolist())
    index = {axis: chosen[axis] * sizes[axis] for axis in fixed if axis not in given}
    parts: dict[int, tuple[int, int]] = {}
    if len(slice_of) < _SPARSE * math.prod(counts[axis] for axis in axes):
        around = 1 if 3 ** len(axes) * math.prod(sizes) * opened.itemsize <= budget else 0
        for axis in axes:
            low, high = chosen[axis] - around, chosen[axis] + around + 1
            parts[axis] = (max(0, low) * sizes[axis], min(high * sizes[axis], opened.shape[axis]))
    return NonemptyRegion(index, parts, written.text(opened, chosen, part=bool(parts)))


@dataclass(frozen=True, slots=True)
class _Written:
    """What is known to be stored: objects, or inner chunks of shards."""

    places: Places
    inner: bool
    sizes: tuple[int, ...]
    counts: tuple[int, ...]
    complete: bool

    def text(self, opened: OpenArray, chosen: Coordinates, *, part: bool) -> str:
        """Return what was found, in a sentence."""
        what = "chunk" if self.inner or opened.shard_shape is None else "shard"
        where = f"the part {'at' if part else 'with'} {self.name(opened, chosen)}"
        if not self.complete:
            return f"nothing is written where the array begins; shown is {where}"
        number = len(self.places)
        some = ""
        if not self.inner:
            first = [self.name(opened, tuple(place)) for place in self.places[:3].tolist()]
            some = f" ({', '.join(first)}{' …' if number > 3 else ''})"
        total = plural(math.prod(self.counts), what)
        return (
            f"only {number:,} of {total} {noun(number, 'is')} in the store{some}: shown is {where}"
        )

    def name(self, opened: OpenArray, place: Coordinates) -> str:
        """Return what a chunk is called: its key, or where it is in the array."""
        if not self.inner:
            return str(opened.zarr.metadata.encode_chunk_key(place))
        shard = opened.zarr.metadata.encode_chunk_key(opened.stored_in(place))
        return f"chunk {list(place)} of shard {shard}"


def _written(
    opened: OpenArray, given: Mapping[int, int], cancel: Cancellation | None
) -> _Written | None:
    """Return what is stored: of a sharded array the inner chunks, of some shards where there are many."""
    presence = whole_presence(opened, cancel)
    if presence is None:
        return None
    shape, grid = opened.object_shape, opened.object_grid
    objects = _Written(presence.places, False, shape, grid, presence.complete)
    if opened.shard_shape is None or not reads_indices(opened):
        return objects
    every = written_chunks(opened, {}, cancel)
    if every is not None:
        return _Written(every, True, opened.chunk_shape, opened.grid, True)
    if opened.shard_edges is not None:
        return None
    shards = _at(presence.places, given, shape)
    some = shards[:: max(1, -(-len(shards) // _SHARDS))]
    contents = shard_contents(opened, list(map(tuple, some.tolist())), cancel)
    chunks = [one.chunks for one in contents]
    if not chunks:
        return objects
    return _Written(
        sorted_places(np.concatenate(chunks)), True, opened.chunk_shape, opened.grid, False
    )


def _at(places: Places, given: Mapping[int, int], sizes: Sequence[int]) -> Places:
    return inside_parts(
        places, {axis: (at // sizes[axis], at // sizes[axis] + 1) for axis, at in given.items()}
    )
