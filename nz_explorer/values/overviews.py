"""Smaller copies of an array, as ``multiscales`` names them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from nz_explorer.model import Array, Group
from nz_explorer.model.dialects.multiscales import level_names
from nz_explorer.store import Cancellation
from nz_explorer.values.points import Points, spread

_MOST_LEVELS = 64
_HIGHEST = 3
"""How many groups above an array are asked for ``multiscales``."""


@dataclass(frozen=True, slots=True)
class Overview:
    """A smaller copy of an array.

    Parameters
    ----------
    array
        The copy.
    factors
        By axis, how many elements of the array one of the copy stands for.
    """

    array: Array
    factors: tuple[int, ...]

    def index(self, axis: int, index: int) -> int:
        """Return where an element of the array is in the copy.

        Parameters
        ----------
        axis
            Number of the axis.
        index
            In the array.
        """
        return min(index // self.factors[axis], (self.array.shape or ())[axis] - 1)

    def in_array(self, points: Points, length: int) -> Points:
        """Return the elements of the array that points of the copy lie in the middle of.

        Parameters
        ----------
        points
            In the overview.
        length
            Of the dimension in the array.
        """
        factor = self.factors[points.axis]
        step = points.step * factor
        start = min(
            points.start * factor + (factor - 1) // 2, max(0, length - 1 - step * (points.size - 1))
        )
        high = None if points.high is None else min(length, points.high * factor)
        return replace(
            points, start=start, step=step, length=length, low=points.low * factor, high=high
        )

    def part(self, axis: int, low: int, high: int) -> tuple[int, int]:
        """Return where a part of an axis of the array is in the copy.

        Parameters
        ----------
        axis
            Number of the axis.
        low, high
            In the array, as first index and the one after the last.
        """
        factor = self.factors[axis]
        return low // factor, -(-high // factor)


def overview(
    array: Array,
    axes: Sequence[int],
    most_points: Sequence[int],
    parts: Mapping[int, tuple[int, int]],
    cancel: Cancellation | None = None,
) -> Overview | None:
    """Choose the smallest copy of an array that still has a value for every pixel.

    Parameters
    ----------
    array
        The array.
    axes
        Axes that are shown.
    most_points
        Pixels along each of them.
    parts
        Part of an axis that is shown, as first index and the one after the last.
    cancel
        To give up reading metadata.

    Returns
    -------
    Overview or None
        None where there is no copy, or none that is both smaller and large enough.

    Notes
    -----
    Sources: GeoZarr draft 8.2 (``tile_matrix_set``); zarr-conventions/multiscales (``layout``);
    OME-NGFF 0.4 and 0.5 (a list of ``datasets``).
    """
    shape = array.shape or ()
    steps = {
        axis: spread(axis, shape[axis], most, *parts.get(axis, ())).step
        for axis, most in zip(axes, most_points, strict=True)
    }
    if max(steps.values(), default=1) < 2:
        return None
    best: Overview | None = None
    for level in _levels(array, cancel):
        factors = _factors(shape, level.shape or ())
        if factors is None or max(factors) < 2 or level.data_type.text != array.data_type.text:
            continue
        if any(factor > steps.get(axis, 1) for axis, factor in enumerate(factors)):
            continue
        if best is None or sum(factors) > sum(best.factors):
            best = Overview(level, factors)
    return best


def _factors(shape: tuple[int, ...], smaller: tuple[int, ...]) -> tuple[int, ...] | None:
    """Return by axis how many times smaller a copy is, None where that is no whole number."""
    if len(shape) != len(smaller) or 0 in smaller:
        return None
    factors = []
    for length, size in zip(shape, smaller, strict=True):
        factor = round(length / size)
        # one element more or less: the last may stand for fewer, or be left out
        if factor < 1 or size not in (length // factor, -(-length // factor)):
            return None
        factors.append(factor)
    return tuple(factors)


def _levels(array: Array, cancel: Cancellation | None) -> Iterator[Array]:
    """Yield the levels of the pyramid that an array is part of, without the array itself."""
    path = array.parent
    for _ in range(_HIGHEST):
        if path is None:
            return
        group = array.hierarchy.get(path, cancel)
        if not isinstance(group, Group):
            return
        base = "" if path == "/" else path
        found = [
            level
            for name in level_names(group.attributes)[:_MOST_LEVELS]
            if (level := _level(array, f"{base}/{name}" if name else path, cancel)) is not None
        ]
        if any(level.path == array.path for level in found):
            yield from (level for level in found if level.path != array.path)
            return
        path = group.parent


def _level(array: Array, path: str, cancel: Cancellation | None) -> Array | None:
    """Return the array of a level, which is the level itself or of the same name in it."""
    node = array.hierarchy.get(path, cancel)
    if isinstance(node, Group):
        node = array.hierarchy.get(f"{'' if path == '/' else path}/{array.name}", cancel)
    return node if isinstance(node, Array) else None
