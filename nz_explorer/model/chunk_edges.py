"""Rectilinear chunk grids: the lengths of chunks along each dimension, which need not be alike.

As zarr-extensions registers them (``chunk-grids/rectilinear``): of each dimension a length that repeats, or a list of
lengths in which ``[length, times]`` stands for several that are alike.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

RECTILINEAR = "rectilinear"
MOST_EDGES = 1_000_000
"""Chunks along a dimension that are gone into; more take longer to list than to read any of them."""

Run = tuple[int, int]
"""How long chunks are, and how many there are of that length."""


def shapes_of(grid: Any) -> Any:
    """Return ``chunk_shapes`` of a rectilinear grid as it is given, None where there is none.

    Parameters
    ----------
    grid
        The member ``chunk_grid``.
    """
    if not isinstance(grid, dict) or grid.get("name") != RECTILINEAR:
        return None
    configuration = grid.get("configuration")
    return configuration.get("chunk_shapes") if isinstance(configuration, dict) else None


def runs_of(given: Any, length: int) -> list[Run] | None:
    """Return the chunks along a dimension, None where they are not described as they have to be.

    Parameters
    ----------
    given
        Its entry in ``chunk_shapes``.
    length : int
        Of the dimension.
    """
    if _is_length(given):
        return [(given, -(-length // given))]
    if not isinstance(given, list):
        return None
    found: list[Run] = []
    for entry in given:
        if _is_length(entry):
            found.append((entry, 1))
        elif is_repeated(entry):
            found.append((entry[0], entry[1]))
        else:
            return None
    return found


def _is_length(given: Any) -> bool:
    return type(given) is int and given > 0


def is_repeated(entry: Any) -> bool:
    """Return whether an entry of a list of lengths is a length with how often it comes."""
    return isinstance(entry, list) and len(entry) == 2 and all(map(_is_length, entry))


def reach(runs: list[Run]) -> int:
    """Return how many elements chunks have together."""
    return sum(size * times for size, times in runs)


def edges_of(grid: Any, shape: tuple[int, ...]) -> tuple[tuple[int, ...], ...] | None:
    """Return the lengths of the chunks along each dimension, as far as the array has elements.

    Parameters
    ----------
    grid
        The member ``chunk_grid``.
    shape : tuple of int
        Of the array.

    Returns
    -------
    tuple or None
        None where it is no rectilinear grid, does not cover the array, or has too many chunks.
    """
    given = shapes_of(grid)
    if not isinstance(given, list) or len(given) != len(shape):
        return None
    found = []
    for one, length in zip(given, shape, strict=True):
        runs = runs_of(one, length)
        if runs is None or reach(runs) < length or sum(times for _, times in runs) > MOST_EDGES:
            return None
        found.append(tuple(_needed(runs, length)))
    return tuple(found)


def _needed(runs: list[Run], length: int) -> Iterator[int]:
    """Yield the chunks that have an element of the array; there may be others behind them."""
    begin = 0
    for size, times in runs:
        for _ in range(times):
            if begin >= length:
                return
            yield size
            begin += size
