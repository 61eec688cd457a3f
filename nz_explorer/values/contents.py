"""What is stored for an array, asked for by rules: which chunks there are, and the statistics of all values."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from nz_explorer.model import Array
from nz_explorer.model.fill_values import value_text
from nz_explorer.store import Cancellation, Cancelled
from nz_explorer.values.coordinates.cell_bounds import (
    BoundsFit,
    Given,
    bounds_fit,
    has_few_chunks,
    limits_fit,
)
from nz_explorer.values.masks.cell_states import ABSENT, STORAGE_FILL, UNREAD, UNREADABLE
from nz_explorer.values.masks.lost_blocks import LostBlocks, lost_blocks
from nz_explorer.values.reading.chunk import FaultKind
from nz_explorer.values.reading.chunk_presence import Presence, listed
from nz_explorer.values.reading.decoding import are_stored, error_text
from nz_explorer.values.reading.inner_chunks import look_at_index, look_at_shard
from nz_explorer.values.reading.opening import UnsupportedArray, open_for_reading
from nz_explorer.values.reading.packed_bytes import PackedBytes, look_at
from nz_explorer.values.reading.size_limits import MOST_SCANNED_CHUNKS
from nz_explorer.values.reading.stored_objects import filter_of_objects
from nz_explorer.values.reading.unpacking import CUT_OFF
from nz_explorer.values.whole_arrays.census import Census, census_of, gap_texts
from nz_explorer.values.whole_arrays.chunk_statistics import ArrayScan
from nz_explorer.values.whole_arrays.scan import scan_array
from nz_explorer.values.window import ChunkError, read_points

__all__ = [
    "Absence",
    "ArrayScan",
    "BoundsFit",
    "Census",
    "ChunkError",
    "Contents",
    "FaultKind",
    "Given",
    "PackedBytes",
    "absence",
    "bounds_fit",
    "contents",
    "filter_of_objects",
    "gap_texts",
    "has_few_chunks",
    "limits_fit",
    "look_at_shard",
]

_SCALAR_BUDGET = 2**16
"""Bytes of a chunk that are decoded for the one value in it."""
_MOST_ASKED = 64
"""Chunks of a coordinate that are asked for by their keys where the store cannot be listed."""


@dataclass(frozen=True, slots=True)
class Contents:
    """What is known of all that is stored for an array.

    Parameters
    ----------
    scan
        The monotonicity of its values; None where not all of them could be read.
    presence
        Which chunks are there; None where that could not be listed.
    problem
        Why there is no scan.
    looks
        What the first chunk that does not decode looks like, where its bytes tell.
    census
        Which chunks were written; None where the values could not be read.
    lost
        Blocks inside of chunks that seem to have been lost; None where there are none.
    bounds
        How the array fits a coordinate whose bounds it is; None where it is none, or fits.
    """

    scan: ArrayScan | None
    presence: Presence | None
    problem: str = ""
    looks: PackedBytes | None = None
    census: Census | None = None
    lost: LostBlocks | None = None
    bounds: BoundsFit | None = None


@dataclass(frozen=True, slots=True)
class Absence:
    """How many of the chunks of an array are not in the store.

    Parameters
    ----------
    absent, total
        Chunks; `absent` is None where that is not known.
    reads_as
        What absent chunks read as.
    problem
        Why it is not known.
    hidden
        Whether the value of a scalar is stored, and xarray takes it for missing; see `Array.xarray_fill`.
    """

    absent: int | None
    total: int
    reads_as: str
    problem: str = ""
    hidden: bool = False


def may_decode(error: ChunkError) -> bool:
    """Return whether other readers may decode a chunk that cannot be read, by chance, to what it never held.

    Parameters
    ----------
    error
        What was met.
    """
    return CUT_OFF in error.message


def refusal(array: Array) -> str:
    """Return why zarr-python refuses the documents of an array; nothing where it opens it.

    Parameters
    ----------
    array
        The array. Nothing is read.
    """
    from nz_explorer.store.zarr_internals import metadata_error

    try:
        open_for_reading(array)
    except UnsupportedArray as error:
        return str(error)
    # also of members that are not needed for reading here, such as an order that is none
    refused = metadata_error(array.metadata, array.zarr_format or 3)
    return "" if refused is None else error_text(refused)


def absence(array: Array, cancel: Cancellation | None = None) -> Absence:
    """Find out how many chunks of a coordinate or a scalar are not in the store.

    Parameters
    ----------
    array
        Of one dimension or none.
    cancel
        Looked at between chunks.

    Raises
    ------
    Cancelled
        If it was cancelled.
    """
    try:
        opened = open_for_reading(array)
    except UnsupportedArray as error:
        return Absence(None, 0, "", f"unsupported: {error}")
    reads_as = value_text(opened.storage_default)
    (total,) = opened.grid or (1,)
    if total > 1 and opened.shard_shape is None:
        presence = listed(array, opened, cancel=cancel)
        if presence is not None and presence.complete:
            return Absence(total - len(presence.places), total, reads_as)
    if total > _MOST_ASKED:
        return Absence(None, total, reads_as, "listing")
    try:
        if not opened.shape and _may_be_hidden(array):
            window = read_points(array, (), {}, budget=_SCALAR_BUDGET, cancel=cancel)
            state = int(window.storage_states)
            if state not in (UNREADABLE, UNREAD):  # which do not tell whether it is stored
                hidden = state == STORAGE_FILL
                return Absence(int(state == ABSENT), total, reads_as, hidden=hidden)
        chunks = [(i,) for i in range(total)] if opened.shape else [()]
        return Absence(are_stored(opened, chunks, cancel).count(False), total, reads_as)
    except Cancelled:
        raise
    except Exception as error:  # noqa: BLE001  # stores raise what they like
        return Absence(None, total, reads_as, f"unreadable: {error_text(error)}")


def _may_be_hidden(array: Array) -> bool:
    """Whether xarray takes a value for missing that is not marked as such."""
    return array.xarray_fill is not None and array.xarray_fill is not array.nz_fill


def contents(
    array: Array,
    *,
    client: Any = None,
    cancel: Cancellation | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> Contents:
    """Read all values of an array, and list its chunks.

    Parameters
    ----------
    array
        The array.
    client
        A ``dask.distributed.Client`` whose workers read; see `nz_explorer.scan`.
    cancel
        Looked at between chunks.
    progress
        Called with the number of chunks done and of all.

    Raises
    ------
    Cancelled
        If it was cancelled.
    """

    def report(found: ArrayScan) -> None:
        if progress is not None:
            progress(found.chunks_done, found.chunks_total)

    try:
        opened = open_for_reading(array)
        number = math.prod(opened.grid)
        if number > MOST_SCANNED_CHUNKS:
            return Contents(
                None, None, f"unsupported: {number:,} chunks, more than {MOST_SCANNED_CHUNKS:,}"
            )
        found = scan_array(
            array, client=client, cancel=cancel, progress=report, histogram=False, any_value=True
        )
    except UnsupportedArray as error:
        return Contents(None, None, f"unsupported: {error}")
    if found.phase != "done":
        raise Cancelled
    presence = listed(array, opened, most_folders=None, most_names=2**62, cancel=cancel)
    faulty = next((e for e in found.errors if e.fault != "store"), None)
    looks = None
    if faulty is not None:
        looks = look_at_index(opened, faulty.chunk, cancel)
        looks = looks or look_at(opened, faulty.chunk, presence, cancel)
    return Contents(
        found,
        presence,
        looks=looks,
        census=census_of(array, cancel=cancel),
        lost=lost_blocks(opened, found, cancel),
        bounds=bounds_fit(array, cancel),
    )
