"""One array as four readers have it: what is missing depends on who is asked.

What is stored, as it is; masked by NZ; masked by the storage ``fill_value``, as many programs do; and
as xarray reads it, which is asked to.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from nz_explorer.model import Array, Group
from nz_explorer.model.fill_values import FillValue, matches
from nz_explorer.store import Cancellation
from nz_explorer.values.reading.chunk_cache import MEBIBYTE, ChunkCache
from nz_explorer.values.reading.chunks import read_chunks
from nz_explorer.values.reading.decoding import error_text
from nz_explorer.values.reading.opening import UnsupportedArray, open_for_reading
from nz_explorer.values.reading.size_limits import (
    MOST_UNASKED_CHUNKS,
    SizeLimitExceeded,
    check_unasked,
)
from nz_explorer.values.window import Window, read_window

Reader = Literal["stored", "nz", "storage", "xarray"]
Mask = np.ndarray[Any, np.dtype[np.bool_]]

BUDGET = 32 * MEBIBYTE
"""Bytes that each of the two who read – we and xarray – may decode."""
MOST_BESIDE = 1000
"""Nodes of a group that xarray is asked to open."""


@dataclass(frozen=True, slots=True, eq=False)
class FillInterpretation:
    """A window as one reader has it.

    Parameters
    ----------
    reader
        Who reads.
    missing
        Which cells of the window it takes for missing; none where it fails.
    values
        The values, of the window's shape; None where the reader fails.
    problem
        Why it fails, in its own words.
    """

    reader: Reader
    missing: Mask
    values: np.ndarray[Any, Any] | None = None
    problem: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class FillInterpretations:
    """The same window of an array, read in four ways."""

    window: Window
    stored: FillInterpretation
    nz: FillInterpretation
    storage: FillInterpretation
    xarray: FillInterpretation

    @property
    def all(self) -> tuple[FillInterpretation, ...]:
        """The four of them."""
        return self.stored, self.nz, self.storage, self.xarray

    def differs(self, reading: FillInterpretation) -> Mask:
        """Return where a reading masks what NZ does not, or the other way round."""
        differs = reading.missing != self.nz.missing
        return np.asarray(differs & (reading.values is not None), np.bool_)


def readings(
    array: Array,
    index: Mapping[str, int],
    most_points: tuple[int, int],
    *,
    cache: ChunkCache | None = None,
    cancel: Cancellation | None = None,
) -> FillInterpretations:
    """Read evenly spaced points of a slice in four ways.

    Parameters
    ----------
    array
        The array.
    index
        At which index dimensions are fixed, by label. The last two that are longer than 1 are shown.
    most_points
        The most points along the last but one, and along the last of them. Of a slice that takes more
        than `BUDGET` so many neighbouring points in its middle are read.
    cache
        Where decoded chunks are kept.
    cancel
        Looked at between chunks.

    Raises
    ------
    UnsupportedArray
        If zarr cannot read the array.

    Notes
    -----
    Source: NZ-1.0, The _FillValue Attribute.
    See https://github.com/zarr-conventions/nz/blob/v1/README.md.
    """
    shape = array.shape or ()
    axes = [axis for axis, length in enumerate(shape) if length > 1][-2:]
    most = most_points[-len(axes) :] if axes else ()
    fixed = {
        axis: index.get(array.dimension_label(axis), 0)
        for axis in range(len(shape))
        if axis not in axes
    }
    found = read_window(array, axes, fixed, most, budget=BUDGET, cache=cache, cancel=cancel)
    enough = (2 * p.size >= min(p.length, size) for p, size in zip(found.axes, most, strict=True))
    if not found.facts.complete or not all(enough):  # the budget has thinned it out
        parts = {
            axis: (start := max(0, (shape[axis] - size) // 2), min(shape[axis], start + size))
            for axis, size in zip(axes, most, strict=True)
        }
        found = read_window(
            array, axes, fixed, most, parts=parts, budget=BUDGET, cache=cache, cancel=cancel
        )
    values = found.values
    return FillInterpretations(
        found,
        FillInterpretation("stored", _none(found), values),
        FillInterpretation("nz", _equal(values, array.nz_fill), values),
        FillInterpretation("storage", _equal(values, array.storage_fill), values),
        _by_xarray(array, found, cache, cancel),
    )


def _none(window: Window) -> Mask:
    return np.zeros(window.values.shape, np.bool_)


def _equal(values: np.ndarray[Any, Any], fill: FillValue | None) -> Mask:
    if fill is None or not fill.usable:
        return np.zeros(values.shape, np.bool_)
    return np.asarray(matches(values, fill), np.bool_)


def _by_xarray(
    array: Array, window: Window, cache: ChunkCache | None, cancel: Cancellation | None
) -> FillInterpretation:
    """Ask xarray itself: open the group as everyone does, and take the same points.

    It reads without our limits. So it is given only what was read within them before; dimension coordinates
    beside the array, which it reads at once, are left out where that failed.
    """
    import xarray

    if array.parent is None:
        why = "xarray opens groups; this array is not in one"
        return FillInterpretation("xarray", _none(window), problem=why)
    sizes = array.chunk_shape or (1,) * (array.ndim or 0)
    # zarr goes through all chunks between the points, also those that hold none
    passed = math.prod((p.end - p.low) // max(1, sizes[p.axis]) + 1 for p in window.axes)
    if not window.facts.complete or passed > MOST_UNASKED_CHUNKS:
        return FillInterpretation("xarray", _none(window), problem="reading so much takes too long")
    group = array.hierarchy.get(array.parent)
    beside = len(group.child_names or ()) if isinstance(group, Group) else 0
    if beside > MOST_BESIDE:
        why = f"xarray opens all {beside:,} nodes of the group for this one, which takes too long here"
        return FillInterpretation("xarray", _none(window), problem=why)
    too_large = [error.message for error in window.errors if error.fault == "limit"]
    if not too_large and array.dimension_names == (array.name,):
        too_large = _limits_exceeded(array, cache, cancel)
    if too_large:
        return FillInterpretation(
            "xarray", _none(window), problem=f"it is not asked: {too_large[0]}"
        )
    left_out = [
        child.name
        for child in (array.hierarchy.children(group) if isinstance(group, Group) else ())
        if isinstance(child, Array)
        and child.path != array.path
        and child.dimension_names == (child.name,)
        and _limits_exceeded(child, cache, cancel)
    ]
    selection: list[int | slice] = [window.index.get(axis, 0) for axis in range(array.ndim or 0)]
    for points in window.axes:
        stop = points.start + points.step * (points.size - 1) + 1
        selection[points.axis] = slice(points.start, stop, points.step)
    where = array.hierarchy.reader.zarr_path(array.parent)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what it warns of is not what is asked here
            with xarray.open_zarr(
                where.store, group=where.path or None, chunks=None, drop_variables=left_out
            ) as dataset:
                variable = dataset.variables[array.name]
                # a scalar of netCDF-C has an axis of one element to xarray
                selection += [0] * (variable.ndim - len(selection))
                read = variable[tuple(selection)]
                values, missing = np.asarray(read.values), np.asarray(read.isnull().values)
    except Exception as error:  # noqa: BLE001  # whatever xarray, zarr, codecs and stores raise is the answer
        return FillInterpretation("xarray", _none(window), problem=error_text(error))
    return FillInterpretation("xarray", np.asarray(missing, np.bool_), values)


def _limits_exceeded(
    array: Array, cache: ChunkCache | None, cancel: Cancellation | None
) -> list[str]:
    """Read a dimension coordinate, and return which limits that exceeds, in sentences."""
    try:
        opened = open_for_reading(array, cache)
        check_unasked(math.prod(opened.grid), opened.chunk_bytes)
    except (UnsupportedArray, SizeLimitExceeded) as error:
        return [str(error)]
    wanted = [(number,) for number in range(opened.grid[0])]
    read = read_chunks(opened, wanted, cache=cache, cancel=cancel)
    faults = (chunk.fault for chunk in read.values())
    return [fault.text for fault in faults if fault is not None and fault.kind == "limit"]
