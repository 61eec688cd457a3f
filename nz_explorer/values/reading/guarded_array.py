"""Arrays of zarr that are read within the limits, whoever reads them."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING, Any, NoReturn, Self

import numpy as np
import zarr
from zarr.storage import StorePath

from nz_explorer.store import zarr_internals
from nz_explorer.store.remote.loop import wait_for
from nz_explorer.values.reading import size_limits
from nz_explorer.values.reading.chunk import Fault
from nz_explorer.values.reading.chunk_grid import ChunkGrid
from nz_explorer.values.reading.decoding import decode
from nz_explorer.values.reading.guarded_pipeline import (
    GuardedPipeline,
    along_axes,
    guarded_pipeline,
    stored_spec,
)


def open_store_path(store: Any, path: str) -> StorePath:
    """Return a path in a store that is open: some, such as a zip file, cannot be read before.

    Parameters
    ----------
    store
        A store of zarr.
    path
        Of a node in it, without a slash at its ends.
    """
    return wait_for(StorePath.open(store, path))


def open_array(path: StorePath, document: dict[str, Any]) -> GuardedArray:
    """Return the array that a metadata document describes; its values are read within the limits.

    Parameters
    ----------
    path
        Where its chunks are.
    document
        Its ``zarr.json``, or ``.zarray``, as JSON has it.

    Raises
    ------
    Exception
        Whatever zarr, its codecs and its data types raise for a document that they do not take.
    """
    array = GuardedArray.from_dict(path, document)
    stock = zarr_internals.stock_codecs(array)
    zarr_internals.decode_with(array, GuardedPipeline.from_codecs(stock))
    return array


def most_stored_bytes(array: GuardedArray) -> int:
    """Return the most bytes that one read of an array may take: of a chunk, or of a shard, as it is stored."""
    spec = stored_spec(array, array.shards or array.chunks)
    return min(guarded_pipeline(array).stages(spec).packed, size_limits.most_selected_bytes())


if TYPE_CHECKING:
    _Array = zarr.Array[Any]
else:
    _Array = zarr.Array  # not generic before zarr 3.1


class GuardedArray(_Array):
    """An array of zarr that refuses selections, and chunks, above the limits.

    Raises
    ------
    SizeLimitExceeded
        By all that reads values, for what takes more than a limit.
    """

    def get_basic_selection(self, selection: Any = ..., **options: Any) -> Any:
        """Read a selection of integers and slices; see `zarr.Array.get_basic_selection`."""
        self._check(selection)
        return super().get_basic_selection(selection, **options)

    def get_orthogonal_selection(self, selection: Any, **options: Any) -> Any:
        """Read a selection by axis; see `zarr.Array.get_orthogonal_selection`."""
        self._check(selection)
        return super().get_orthogonal_selection(selection, **options)

    def get_block_selection(self, selection: Any, **options: Any) -> Any:
        """Read whole chunks; see `zarr.Array.get_block_selection`."""
        sizes = self.shards or self.chunks
        grid = tuple(-(-n // size) for n, size in zip(self.shape, sizes, strict=True))
        counts = [count for count, _ in along_axes(selection, grid, (1,) * len(grid))]
        size = math.prod(map(int.__mul__, counts, sizes))
        inner = math.prod(-(-s // c) for s, c in zip(sizes, self.chunks, strict=True))
        size_limits.check_selection(size * self.dtype.itemsize, math.prod(counts) * inner)
        return super().get_block_selection(selection, **options)

    def _check(self, selection: Any) -> None:
        along = list(along_axes(selection, self.shape, self.chunks))
        size = math.prod(count for count, _ in along) * self.dtype.itemsize
        size_limits.check_selection(size, math.prod(chunks for _, chunks in along))


class RectilinearArray(GuardedArray):
    """An array whose chunks, or shards, differ in length: zarr has its codecs, and where each chunk begins is known here.

    zarr reads such arrays from version 3.2 on, where it is told to. Its `chunks`, or `shards`, is here that of the largest one.
    """

    grid: ChunkGrid

    @classmethod
    def of(cls, grid: ChunkGrid) -> Self:
        """Return the array of a grid.

        Parameters
        ----------
        grid
            Its array takes all chunks for as large as the largest.
        """
        made = cls(grid.zarr.async_array)
        object.__setattr__(made, "grid", grid)
        return made

    def get_basic_selection(self, selection: Any = ..., **options: Any) -> Any:
        """Read a selection of integers and slices; see `zarr.Array.get_basic_selection`."""
        self._check(selection)
        return self._selected(selection)

    def get_orthogonal_selection(self, selection: Any, **options: Any) -> Any:
        """Read a selection by axis; see `zarr.Array.get_orthogonal_selection`."""
        self._check(selection)
        return self._selected(selection)

    def get_block_selection(self, *_: Any, **__: Any) -> NoReturn:
        """Refuse.

        Raises
        ------
        NotImplementedError
            Always, as by the next two.
        """
        raise NotImplementedError(
            "of an array whose chunks or shards differ in length, integers, slices and lists by axis are read"
        )

    get_mask_selection = get_coordinate_selection = get_block_selection

    def _selected(self, selection: Any) -> Any:
        given = selection if isinstance(selection, tuple) else (selection,)
        left = len(self.shape) - sum(one is not Ellipsis for one in given)
        every: list[Any] = []
        for one in given if any(one is Ellipsis for one in given) else (*given, ...):
            every += [slice(None)] * left if one is Ellipsis else [one]
        picked = [_indices(n, one) for n, one in zip(self.shape, every, strict=True)]
        values = self._outer([np.atleast_1d(one) for one in picked])
        return values.reshape([len(one) for one in picked if one.ndim])[()]

    def _outer(self, picked: list[np.ndarray[Any, Any]]) -> np.ndarray[Any, Any]:
        """Read elements by their indices along each axis."""
        grid = self.grid
        numbers = [grid.number(axis, one) for axis, one in enumerate(picked)]
        found = np.full([len(one) for one in picked], grid.storage_default, self.dtype)
        for chunk in itertools.product(*(np.unique(one).tolist() for one in numbers)):
            values = decode(grid, [chunk])[chunk]
            if isinstance(values, Fault):
                raise ValueError(f"{grid.key(chunk)}: {values.text}")  # noqa: TRY004  # not of a type: of bytes
            if values is None:
                continue
            where = [np.flatnonzero(one == at) for one, at in zip(numbers, chunk, strict=True)]
            inside = [
                one[at] - grid.begin(axis, chunk[axis])
                for axis, (one, at) in enumerate(zip(picked, where, strict=True))
            ]
            found[np.ix_(*where)] = values[np.ix_(*inside)]
        return found


def _indices(length: int, given: Any) -> np.ndarray[Any, Any]:
    """Return the indices that are selected along an axis, whose length may be far beyond memory."""
    if isinstance(given, slice):
        return np.arange(*given.indices(length))
    if isinstance(given, int | np.integer):
        return np.asarray(range(length)[given])
    picked: np.ndarray[Any, Any] = np.arange(length)[given]
    return picked
