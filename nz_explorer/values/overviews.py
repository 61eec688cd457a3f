"""Smaller copies of an array, as ``multiscales`` names them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from nz_explorer.model import Array, Group
from nz_explorer.store import Cancellation
from nz_explorer.values.window import Points, spread

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
        """Return where an element of the array is in the copy."""
        return min(index // self.factors[axis], (self.array.shape or ())[axis] - 1)

    def in_array(self, points: Points, length: int) -> Points:
        """Return the elements of the array that points of the copy lie in the middle of."""
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
        """Return where a part of an axis of the array is in the copy."""
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
            for name in _level_names(group.attributes)[:_MOST_LEVELS]
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


def _level_names(attributes: Mapping[str, Any]) -> list[str]:
    """Return the paths of levels below the group that names them."""
    given = attributes.get("multiscales")
    ome = attributes.get("ome")
    if given is None and isinstance(ome, Mapping):
        given = ome.get("multiscales")
    names: list[Any] = []
    if isinstance(given, list):
        for scales in given:
            datasets = scales.get("datasets") if isinstance(scales, Mapping) else None
            names += (
                [_member(one, "path") for one in datasets] if isinstance(datasets, list) else []
            )
    elif isinstance(given, Mapping) and isinstance(given.get("layout"), list):
        names = [_member(one, "asset") for one in given["layout"]]
    elif isinstance(given, Mapping):
        names = _tile_matrices(given)
    clean = [name.strip("/") for name in names if isinstance(name, str) and ".." not in name]
    return list(dict.fromkeys("" if name == "." else name for name in clean))


def _tile_matrices(given: Mapping[str, Any]) -> list[Any]:
    matrix_set, limits = given.get("tile_matrix_set"), given.get("tile_matrix_set_limits")
    names: list[Any] = list(limits) if isinstance(limits, Mapping) else []
    if isinstance(matrix_set, Mapping):
        matrices = matrix_set.get("tileMatrices", matrix_set.get("tileMatrix"))
        if isinstance(matrices, list):
            names += [_member(one, "id") or _member(one, "identifier") for one in matrices]
    elif isinstance(matrix_set, str) and not names:
        # of a set that is known by name, the levels are called by number
        names = [str(number) for number in range(31)]
    return names


def _member(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, Mapping) else None
