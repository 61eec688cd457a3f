"""Whether bounds lie around the coordinate that names them, or that cs has them beside."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from nz_explorer.model import Array, Group
from nz_explorer.model.attribute_types import PACKING
from nz_explorer.text.units import hemispheres
from nz_explorer.values.reading.opening import UnsupportedArray
from nz_explorer.values.window import known_values, read_window

if TYPE_CHECKING:
    from nz_explorer.store import Cancellation

MOST_CELLS = 65_536
"""Cells of a coordinate whose bounds are compared with it."""
MOST_BYTES = 2**26
"""Bytes that are decoded of each of the two: chunks may be larger than the array."""
MOST_CHUNKS = 256
"""Chunks of bounds that are read together with their coordinate; where there are more, all values must be asked for."""
_NEAR = 1e-5
"""How far beyond its cell a value may be, as a part of the cell: float32 keeps no more."""


@dataclass(frozen=True, slots=True)
class BoundsFit:
    """How the bounds of cells and a coordinate fit together.

    Parameters
    ----------
    coordinate
        Path of the coordinate that names the bounds, or what it is called where metadata give its values.
    cells
        How many cells there are.
    outside
        How many values of the coordinate are not within their cell.
    index, value, low, high
        The first of them, and its bounds.
    turned
        Whether all are within, once the cells are taken from the last to the first.
    exchanged
        Whether all are within, and the first bound of each cell is the second one of the next; of limits as cs
        has them, whether the first is the upper one.
    """

    coordinate: str
    cells: int
    outside: int
    index: int
    value: float
    low: float
    high: float
    turned: bool
    exchanged: bool = False


@dataclass(frozen=True, slots=True)
class Given:
    """Coordinates that metadata give.

    Parameters
    ----------
    called
        What they are called in a message.
    numbers
        Their values; the first one of those that are a step apart.
    increment
        The step; None where all values are given.
    units
        What they are counted in; None where that is not known.
    """

    called: str
    numbers: tuple[float, ...]
    increment: float | None = None
    units: str | None = None


def has_few_chunks(bounds: Array) -> bool:
    """Whether bounds are read together with their coordinate.

    Parameters
    ----------
    bounds
        An array.
    """
    shape, chunks = bounds.shape or (), bounds.chunk_shape or ()
    return math.prod(-(-n // max(1, m)) for n, m in zip(shape, chunks, strict=False)) <= MOST_CHUNKS


def bounds_fit(bounds: Array, cancel: Cancellation | None = None) -> BoundsFit | None:
    """Compare bounds with their coordinate; None where they fit, where they are none, or where they cannot be compared.

    Parameters
    ----------
    bounds
        An array.
    cancel
        Looked at between chunks.
    """
    shape = bounds.shape or ()
    if len(shape) != 2 or shape[1] != 2 or not 2 <= shape[0] <= MOST_CELLS:
        return None
    coordinate = _coordinate_of(bounds)
    if coordinate is None or coordinate.shape != shape[:1] or not _comparable(bounds, coordinate):
        return None
    cells, values = _values(bounds, cancel), _values(coordinate, cancel)
    if cells is None or values is None:
        return None
    exchanged = _are_exchanged(cells)
    return _fit(coordinate.path, values, cells, turns=_turns(coordinate), exchanged=exchanged)


def limits_fit(
    limits: Array,
    coordinate: Array | Given,
    cancel: Cancellation | None = None,
    *,
    turns: bool = False,
) -> BoundsFit | None:
    """Compare limits as cs has them, the lower ones in a row and the upper ones in another, with their coordinate.

    Parameters
    ----------
    limits
        An array.
    coordinate
        Its coordinate, or what metadata give in place of one.
    cancel
        Looked at between chunks.
    turns
        Whether it is known to be a longitude; else the units of an array tell.
    """
    shape = limits.shape or ()
    if len(shape) != 2 or shape[0] != 2 or not 2 <= shape[1] <= MOST_CELLS:
        return None
    if isinstance(coordinate, Given):
        if not _is_of_units(limits, coordinate.units):
            return None
        called, values = coordinate.called, _given(coordinate, shape[1])
    elif coordinate.shape == shape[1:] and _comparable(limits, coordinate):
        turns = turns or _turns(coordinate)
        called, values = coordinate.path, _values(coordinate, cancel)
    else:
        return None
    rows = None if values is None else _values(limits, cancel)
    if rows is None or values is None or not rows.any() or not values.any():
        return None  # zeros throughout are what was never written
    exchanged = bool((rows[0] > rows[1]).all())
    return _fit(called, values, rows.T, turns=turns, exchanged=exchanged)


def _given(coordinate: Given, length: int) -> np.ndarray[Any, Any] | None:
    """Return the values of a coordinate that metadata give; None where they are not as many."""
    if coordinate.increment is not None:
        return coordinate.numbers[0] + coordinate.increment * np.arange(length, dtype=np.float64)
    return np.array(coordinate.numbers) if len(coordinate.numbers) == length else None


def _fit(
    called: str,
    values: np.ndarray[Any, Any],
    cells: np.ndarray[Any, Any],
    *,
    turns: bool,
    exchanged: bool,
) -> BoundsFit | None:
    """Return what does not fit; that the two bounds are exchanged counts only where all values are within."""
    outside = ~_within(values, cells, turns=turns)
    exchanged = exchanged and not outside.any()
    if not outside.any() and not exchanged:
        return None
    index = int(outside.argmax())
    low, high = sorted(cells[index].tolist())
    turned = bool(_within(values, cells[::-1], turns=turns).all())
    number = int(outside.sum())
    return BoundsFit(
        called,
        *(len(cells), number, index, float(values[index]), low, high),
        turned=turned,
        exchanged=exchanged,
    )


def _turns(coordinate: Array) -> bool:
    return hemispheres(coordinate.attributes.get("units")) == "EW"


def _are_exchanged(cells: np.ndarray[Any, Any]) -> bool:
    """Whether cells lie beside each other, and each begins where the next one ends."""
    first, second = cells[:, 0], cells[:, 1]
    return bool((first[:-1] == second[1:]).all() and (second[:-1] != first[1:]).all())


def _coordinate_of(bounds: Array) -> Array | None:
    group = bounds.hierarchy.get(bounds.parent or "/")
    if not isinstance(group, Group):
        return None
    named = group.with_attribute("bounds")
    return next((one for one in named if one.attributes.get("bounds") == bounds.name), None)


def _comparable(bounds: Array, coordinate: Array) -> bool:
    """Whether both are numbers that mean the same: bounds have the units of their coordinate, or none."""
    units = coordinate.attributes.get("units")
    return _is_of_units(bounds, units) and _is_of_units(coordinate, units)


def _is_of_units(array: Array, units: Any) -> bool:
    """Whether an array is one of numbers as they are, in these units or without any."""
    return (
        array.attributes.get("units", units) == units
        and array.data_type.kind in ("int", "uint", "float")
        and not any(name in array.attributes for name in PACKING)
    )


def _values(array: Array, cancel: Cancellation | None) -> np.ndarray[Any, Any] | None:
    """Return all values of an array as float64; None where some are missing or cannot be read."""
    shape = array.shape or ()
    try:
        window = read_window(array, range(len(shape)), {}, shape, budget=MOST_BYTES, cancel=cancel)
    except UnsupportedArray:
        return None
    values = window.values.astype(np.float64)
    if window.errors or not known_values(array, window).all() or not np.isfinite(values).all():
        return None
    return values


def _within(
    values: np.ndarray[Any, Any], cells: np.ndarray[Any, Any], *, turns: bool
) -> np.ndarray[Any, np.dtype[np.bool_]]:
    low, high = cells.min(axis=1), cells.max(axis=1)
    near = _NEAR * (high - low) + np.finfo(np.float32).eps * np.abs(values)
    within = (low - near <= values) & (values <= high + near)
    if turns:  # a cell may go on behind 360 or -180 degrees
        first, second = cells[:, 0], cells[:, 1]
        within |= (values - first + near) % 360 <= (second - first) % 360 + 2 * near
        within |= (values - second + near) % 360 <= (first - second) % 360 + 2 * near
    return np.asarray(within, np.bool_)
