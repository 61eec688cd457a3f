"""Where the chunks of an array are: in it, and in the store."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import zarr

Coordinates = tuple[int, ...]
Edges = tuple[np.ndarray[Any, np.dtype[np.int64]], ...]
MOST_BORDERS = 1000
"""Of chunks that differ in length; more are not drawn."""


@dataclass(frozen=True, slots=True, eq=False)
class ChunkGrid:
    """The chunks of an array, and what it takes to read them.

    Parameters
    ----------
    zarr
        The array of zarr-python.
    shape
        Lengths of its dimensions.
    chunk_shape
        Lengths of what is decoded at once (of inner chunks where it is sharded).
    shard_shape
        Lengths of a shard, None where it is not sharded.
    storage_default
        What absent chunks hold.
    local
        Whether the store answers at once.
    edges
        Where chunks begin along each dimension, and where the last one ends, of a rectilinear grid; None for a regular
        one. `chunk_shape` is then that of the largest.
    shard_edges
        The same of shards that differ in length, counted in the chunks inside of them, which are all alike; None where
        shards are alike, or there are none. `shard_shape` is then that of the largest.
    """

    zarr: zarr.Array[Any]
    shape: tuple[int, ...]
    chunk_shape: tuple[int, ...]
    shard_shape: tuple[int, ...] | None
    storage_default: Any
    local: bool
    edges: Edges | None
    shard_edges: Edges | None

    @property
    def grid(self) -> tuple[int, ...]:
        """Number of chunks along each axis."""
        if self.edges is not None:
            return tuple(len(along) - 1 for along in self.edges)
        return _covering(self.shape, self.chunk_shape)

    @property
    def borders(self) -> tuple[int | list[int], ...]:
        """How long chunks are along each axis; where they differ at which indices they begin, 0 where these are many."""
        if self.edges is None:
            return self.chunk_shape
        return tuple(
            n
            if len(set(np.diff(along).tolist())) < 2
            else along[1:-1].tolist()
            if len(along) <= MOST_BORDERS
            else 0
            for along, n in zip(self.edges, self.chunk_shape, strict=True)
        )

    def number(self, axis: int, index: Any) -> Any:
        """Return in which chunk along an axis an index lies; of an array of them, the number of each.

        Parameters
        ----------
        axis
            The axis.
        index
            An index, or an array of indices.
        """
        if self.edges is None:
            return index // self.chunk_shape[axis]
        return _between(self.edges[axis], index)

    def begin(self, axis: int, number: int) -> int:
        """Return the first index of a chunk along an axis; of the number behind the last, one that is behind its end.

        Parameters
        ----------
        axis
            The axis.
        number
            Of the chunk along it.
        """
        if self.edges is None:
            return number * self.chunk_shape[axis]
        return int(self.edges[axis][number])

    def across(self, axis: int, low: int, end: int) -> int:
        """Return how many chunks along an axis a part of it touches, from its first index to the one after its last.

        Parameters
        ----------
        axis
            The axis.
        low, end
            The part.
        """
        if self.edges is None:
            size = self.chunk_shape[axis]
            return -(-end // size) - low // size
        return int(self.number(axis, max(low, end - 1))) + 1 - int(self.number(axis, low))

    def stored_shape(self, chunk: Coordinates) -> tuple[int, ...]:
        """Return the shape in which an object is stored, which may reach beyond the end of the array."""
        if self.edges is None:
            return self.object_shape
        return tuple(
            self.begin(axis, number + 1) - self.begin(axis, number)
            for axis, number in enumerate(chunk)
        )

    @property
    def object_shape(self) -> tuple[int, ...]:
        """Lengths of what the store holds as one object: a shard, or a chunk where there are no shards."""
        return self.shard_shape or self.chunk_shape

    @property
    def object_grid(self) -> tuple[int, ...]:
        """Number of such objects along each axis."""
        if self.shard_edges is not None:
            return tuple(len(along) - 1 for along in self.shard_edges)
        return self.grid if self.shard_shape is None else _covering(self.shape, self.shard_shape)

    def object_number(self, axis: int, number: Any) -> Any:
        """Return which object along an axis holds a chunk; of an array of them, the number of each.

        Parameters
        ----------
        axis
            The axis.
        number
            Of a chunk along it, or an array of numbers.
        """
        if self.shard_edges is not None:
            return _between(self.shard_edges[axis], number)
        if self.shard_shape is None:
            return number
        return number * self.chunk_shape[axis] // self.shard_shape[axis]

    def first_inside(self, axis: int, number: Any) -> Any:
        """Return the number of the first chunk in an object along an axis; of an array of them, of each.

        Parameters
        ----------
        axis
            The axis.
        number
            Of an object along it, which may be the one behind the last, or an array of numbers.
        """
        if self.shard_edges is not None:
            found = self.shard_edges[axis][number]
            return found if isinstance(number, np.ndarray) else int(found)
        return number * (self.object_shape[axis] // self.chunk_shape[axis])

    @property
    def most_inside(self) -> int:
        """How many chunks an object has room for; the largest one, where they differ."""
        sizes = zip(self.object_shape, self.chunk_shape, strict=True)
        return math.prod(whole // part for whole, part in sizes)

    def first_chunk(self, place: Coordinates) -> Coordinates:
        """Return the coordinates of the first chunk in an object."""
        return tuple(self.first_inside(axis, number) for axis, number in enumerate(place))

    def counts_inside(self, place: Coordinates) -> Coordinates:
        """Return how many chunks an object has room for, along each axis."""
        return tuple(
            self.first_inside(axis, number + 1) - self.first_inside(axis, number)
            for axis, number in enumerate(place)
        )

    def region(self, chunk: Coordinates) -> tuple[slice, ...]:
        """Return the region of a chunk in the array, clipped to its shape."""
        return tuple(
            slice(self.begin(axis, i), min(self.begin(axis, i + 1), length))
            for axis, (i, length) in enumerate(zip(chunk, self.shape, strict=True))
        )

    def stored_in(self, chunk: Coordinates) -> Coordinates:
        """Return the coordinates of the object that holds a chunk: its own, or its shard's."""
        if self.shard_shape is None:
            return chunk
        return tuple(self.object_number(axis, number) for axis, number in enumerate(chunk))

    def key(self, chunk: Coordinates) -> str:
        """Return the key of the object that holds a chunk, relative to the store of zarr."""
        return self.object_key(self.stored_in(chunk))

    def object_key(self, place: Coordinates) -> str:
        """Return the key of an object, relative to the store of zarr."""
        name = self.zarr.metadata.encode_chunk_key(place)
        return "/".join(part for part in (self.zarr.store_path.path, name) if part)


def _covering(shape: tuple[int, ...], part: tuple[int, ...]) -> tuple[int, ...]:
    """Return how many parts cover a shape, along each axis."""
    return tuple(-(-length // size) for length, size in zip(shape, part, strict=True))


def _between(edges: Any, number: Any) -> Any:
    """Return between which two edges a number lies; of an array of them, the place of each."""
    found = np.searchsorted(edges, number, side="right") - 1
    return found if isinstance(number, np.ndarray) else int(found)
