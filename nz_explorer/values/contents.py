"""What is stored for an array, asked for by rules: which chunks there are, and what all values say."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from nz_explorer.model import Array
from nz_explorer.model.fill import value_text
from nz_explorer.store import Cancellation, Cancelled
from nz_explorer.values.decoding import are_stored, error_text
from nz_explorer.values.opening import UnsupportedArray, open_for_reading
from nz_explorer.values.presence import Presence, listed
from nz_explorer.values.scan import ArrayScan, scan_array

__all__ = ["Absence", "ArrayScan", "Contents", "absence", "contents"]

_MOST_ASKED = 64
"""Chunks of a coordinate that are asked for by their keys where the store cannot be listed."""


@dataclass(frozen=True, slots=True)
class Contents:
    """What is known of all that is stored for an array.

    Parameters
    ----------
    scan
        What its values say; None where they could not be read, or not all of them.
    presence
        Which chunks are there; None where that could not be listed.
    problem
        Why there is no scan.
    """

    scan: ArrayScan | None
    presence: Presence | None
    problem: str = ""


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
    """

    absent: int | None
    total: int
    reads_as: str
    problem: str = ""


def absence(array: Array, cancel: Cancellation | None = None) -> Absence:
    """Find out how many chunks of a coordinate or a scalar are not in the store.

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
        if presence is not None:
            return Absence(total - len(presence.stored), total, reads_as)
    if total > _MOST_ASKED:
        return Absence(None, total, reads_as, "listing")
    try:
        chunks = [(i,) for i in range(total)] if opened.shape else [()]
        return Absence(are_stored(opened, chunks, cancel).count(False), total, reads_as)
    except Cancelled:
        raise
    except Exception as error:  # noqa: BLE001  # stores raise what they like
        return Absence(None, total, reads_as, f"unreadable: {error_text(error)}")


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

    def tell(found: ArrayScan) -> None:
        if progress is not None:
            progress(found.chunks_done, found.chunks_total)

    try:
        opened = open_for_reading(array)
        found = scan_array(array, client=client, cancel=cancel, progress=tell, histogram=False)
    except UnsupportedArray as error:
        return Contents(None, None, f"unsupported: {error}")
    if found.phase != "done":
        raise Cancelled
    return Contents(found, listed(array, opened, cancel=cancel))
