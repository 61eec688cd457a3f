"""Where along its sliders a picture could be drawn from what has been read already."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from typing import TYPE_CHECKING

from nz_explorer.values.reading.opening import open_for_reading

if TYPE_CHECKING:
    from nz_explorer.model import Array
    from nz_explorer.plots.picture import QuickLook, Slider
    from nz_explorer.values.reading.chunk_cache import ChunkCache
    from nz_explorer.values.reading.chunk_grid import ChunkGrid

MOST_CHUNKS = 20_000
"""The most chunks of a picture, and along a slider, for which cached indices are reported."""
LOOKED_UP = 12
"""Of so many chunks of a picture is looked up whether they are kept at another index, too."""


def with_cached(look: QuickLook, array: Array, cache: ChunkCache) -> QuickLook:
    """Return a picture whose sliders know which of their indices are in the cache.

    An index counts as cached where those chunks are kept that this picture took from the cache, or put there, at its
    own index: of a picture that leaves chunks out the same ones may be missing elsewhere. Of many chunks a few are
    looked up, from all over the picture.

    Parameters
    ----------
    look
        A picture of the array.
    array
        Whose chunks are looked for.
    cache
        Where decoded chunks are kept.

    Returns
    -------
    QuickLook
        The same picture for overviews and for very many chunks.
    """
    if look.overview or look.derived or not look.sliders or array.shape is None:
        return look
    opened = open_for_reading(array, cache)
    if opened.shape != array.shape or 0 in opened.chunk_shape:
        return look
    grid = [range(count) for count in opened.grid]
    shown = _chunks_of(look, array, opened, grid)
    if math.prod(len(part) for part in shown) > MOST_CHUNKS:
        return look
    held = [key for key in itertools.product(*shown) if cache.holds(opened.version, key)]
    held = held[:: -(-len(held) // LOOKED_UP) or 1]

    def along(slider: Slider) -> Slider:
        axis = slider.axis
        if not held or len(grid[axis]) > MOST_CHUNKS:
            return slider
        there = [
            number
            for number in grid[axis]
            if all(cache.holds(opened.version, (*k[:axis], number, *k[axis + 1 :])) for k in held)
        ]
        return replace(slider, cached=_runs(there, opened, axis))

    return replace(look, sliders=tuple(along(slider) for slider in look.sliders))


def _chunks_of(look: QuickLook, array: Array, opened: ChunkGrid, grid: list[range]) -> list[range]:
    """Return which chunks a picture lies in, along each dimension."""
    shown = list(grid)
    names = [array.dimension_label(axis) for axis in range(len(grid))]
    for axis in (look.x, look.y):
        if axis is not None and axis.label in names:
            at = names.index(axis.label)
            last = axis.start + axis.step * (axis.size - 1)
            shown[at] = range(opened.number(at, axis.start), opened.number(at, last) + 1)
    for slider in look.sliders:
        at = opened.number(slider.axis, slider.index)
        shown[slider.axis] = range(at, at + 1)
    return shown


def _runs(numbers: list[int], opened: ChunkGrid, axis: int) -> tuple[tuple[int, int], ...]:
    """Return the indices in chunks of a dimension, those of neighbours as one run."""
    runs: list[tuple[int, int]] = []
    for number in numbers:
        first = opened.begin(axis, number)
        end = min(opened.shape[axis], opened.begin(axis, number + 1))
        if runs and runs[-1][1] == first:
            first = runs.pop()[0]
        runs.append((first, end))
    return tuple(runs)
