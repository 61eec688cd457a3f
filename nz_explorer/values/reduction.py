"""Dimensions reduced to a number: mean, least, greatest, deviation of what is there, read a slab at a time."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from nz_explorer.model import Array
from nz_explorer.store import Cancellation
from nz_explorer.values.cf_decoding import Packing, valid_range
from nz_explorer.values.masks.cell_states import (
    ABSENT,
    FILL,
    INVALID,
    MISSING_VALUE,
    UNREAD,
    VALUE,
    States,
    classify,
    within,
)
from nz_explorer.values.points import Points
from nz_explorer.values.reading.chunk_cache import ChunkCache
from nz_explorer.values.reading.opening import OpenArray, open_for_reading
from nz_explorer.values.reading.size_limits import bytes_text
from nz_explorer.values.window import ChunkError, ReadFacts, Window, read_points

Method = Literal["mean", "min", "max", "std", "any"]
METHODS: tuple[Method, ...] = ("mean", "min", "max", "std", "any")
"""``any`` is 1 where any value is not zero, else 0."""
_MOST_AT_ONCE = 2**22
_Doubles = np.ndarray[Any, np.dtype[np.float64]]


@dataclass(frozen=True, slots=True, eq=False)
class Reduction:
    """What is made of the values along some dimensions.

    Parameters
    ----------
    method
        The same for all of them.
    axes
        Numbers of the dimensions; that of latitudes last, where they are weights.
    latitudes
        In degrees, one for each index of the last of `axes`: values count as the area that they stand for. None
        where all count alike.
    """

    method: Method
    axes: tuple[int, ...]
    latitudes: _Doubles | None = None

    @property
    def text(self) -> str:
        """What it is called, such as ``area-weighted mean``."""
        return f"area-weighted {self.method}" if self.latitudes is not None else self.method

    def weights(self) -> _Doubles | None:
        """Return how much values count along the last of the axes."""
        if self.latitudes is None:
            return None
        found: _Doubles = np.cos(np.radians(self.latitudes))
        return np.maximum(found, 0)


class TooMuch(Exception):
    """Reducing takes more than the byte budget: attribute `facts` says how much."""

    def __init__(self, message: str, facts: ReadFacts) -> None:
        super().__init__(message)
        self.facts = facts


class _Sums:
    """What is known of the values seen so far, for each point."""

    def __init__(self, shape: tuple[int, ...], method: Method) -> None:
        self.method = method
        self.states = np.zeros(shape, np.uint8)
        self.count = np.zeros(shape)
        start = {"min": np.inf, "max": -np.inf}.get(method, 0.0)
        self.result = np.full(shape, start)
        self.squares = np.zeros(shape)

    def add(self, values: _Doubles, valid: Any, states: States, weights: _Doubles) -> None:
        """Take in values of shape (points, values along what is reduced)."""
        self.states = np.maximum(self.states, states.max(axis=-1))
        if self.method in ("min", "max"):
            join = np.minimum if self.method == "min" else np.maximum
            fill = np.inf if self.method == "min" else -np.inf
            self.result = join(self.result, join.reduce(np.where(valid, values, fill), axis=-1))
            self.count += valid.sum(axis=-1)
            return
        values = np.where(valid, values, 0.0)
        if self.method == "any":
            self.result = np.maximum(self.result, (values != 0).any(axis=-1))
            self.count += valid.sum(axis=-1)
            return
        weight = np.where(valid, weights, 0.0)
        count = weight.sum(axis=-1)
        with np.errstate(invalid="ignore", divide="ignore"):
            mean = np.where(count > 0, (weight * values).sum(axis=-1) / count, 0.0)
            apart = weight * (values - mean[..., None]) ** 2
            total = self.count + count
            part = np.where(total > 0, count / total, 0.0)
        delta = mean - self.result
        self.squares += apart.sum(axis=-1) + delta**2 * self.count * part
        self.result = self.result + delta * part
        self.count = total

    def done(self) -> tuple[_Doubles, States]:
        """Return the numbers, and what each point is."""
        there = self.count > 0
        result = self.result
        if self.method == "std":
            with np.errstate(invalid="ignore", divide="ignore"):
                result = np.sqrt(self.squares / self.count)
        hindered = np.where(self.states == VALUE, INVALID, self.states)
        states = np.where(there, VALUE, hindered).astype(np.uint8)
        return np.where(there, result, np.nan), states


def reduction_of(array: Array, names: Sequence[str], reduce: Mapping[str, str]) -> Reduction | None:
    """Return what is made of which dimensions; None where there is none of these, or no number.

    Parameters
    ----------
    array
        The array.
    names
        Of its dimensions.
    reduce
        One of `METHODS` by the name of a dimension.

    Raises
    ------
    ValueError
        If it is none of these, or not the same for all.
    """
    axes = tuple(axis for axis, name in enumerate(names) if name in reduce)
    if not axes or array.data_type.kind not in ("int", "uint", "float", "bool"):
        return None
    methods = {reduce[names[axis]] for axis in axes}
    method = methods.pop()
    if methods or method not in METHODS:
        raise ValueError(f"dimensions are reduced by one of {', '.join(METHODS)}, all by the same")
    return Reduction(method, axes)


def reduced_window(
    array: Array,
    points: Sequence[Points],
    index: Mapping[int, int],
    reduction: Reduction,
    packing: Packing | None,
    *,
    budget: int | None = None,
    cache: ChunkCache | None = None,
    cancel: Cancellation | None = None,
) -> Window:
    """Return the values of an array with some of its dimensions reduced to a number.

    Parameters
    ----------
    array
        The array.
    points
        The points along each axis that stays.
    index
        The index at which each other axis is fixed.
    reduction
        What is made of which dimensions.
    packing
        How values are unpacked before.
    budget
        The most bytes to decode; None for no limit.
    cache
        Where decoded chunks are kept.
    cancel
        Looked at between chunks.

    Returns
    -------
    Window
        float64: missing values, NaN, infinities and values outside of the valid range do not count. What has no value
        at all is what most hinders it, such as missing or unreadable.

    Raises
    ------
    TooMuch
        If it takes more than the budget: a part would give other numbers.
    UnsupportedArray
        If zarr cannot read the array at all.
    Cancelled
        If it was cancelled.
    """
    opened = open_for_reading(array, cache)
    grid = opened.grid
    touched = [len(np.unique(opened.number(part.axis, part.indices))) for part in points]
    chunks = math.prod(touched) * math.prod(grid[axis] for axis in reduction.axes)
    whole = chunks * opened.chunk_bytes
    if budget is not None and whole > budget:
        note = f"the {reduction.text} decodes {bytes_text(whole)}, more than the budget of {bytes_text(budget)}"
        raise TooMuch(note, ReadFacts(0, whole, 0, chunks, False, False, note))
    sums = _Sums(tuple(part.size for part in points), reduction.method)
    weights = reduction.weights()
    window, decoded, errors = None, 0, dict[str, ChunkError]()
    default = np.asarray(opened.storage_default)
    # to NZ they are data as all others
    absent = int(classify(default, array.fill, None, array.missing_values)[0])
    hidden = absent in (FILL, MISSING_VALUE)
    for slab in _slabs(opened, points, reduction.axes):
        window = read_points(
            array, [*points, *slab], index, cache=cache, cancel=cancel, budget=None
        )
        values, valid = _numbers(array, window, packing, hidden)
        states = window.states
        if not hidden:
            states = np.where(states == ABSENT, absent, states).astype(np.uint8)
        last = slab[-1]
        weight = (
            np.ones(last.size) if weights is None else weights[last.start : last.start + last.size]
        )
        shape = (*sums.count.shape, -1)
        sums.add(
            values.reshape(shape),
            valid.reshape(shape),
            states.reshape(shape),
            np.broadcast_to(weight, states.shape).reshape(shape),
        )
        decoded += window.facts.decoded_bytes
        errors |= {error.chunk: error for error in window.errors}
    numbers, states = sums.done()
    if window is None:
        states[...] = UNREAD
    decimated = any(part.step > 1 for part in points)
    note = f"the {reduction.text} of all {chunks:,} chunks, {bytes_text(decoded)} decoded"
    facts = ReadFacts(decoded, whole, chunks, chunks, decimated, True, note)
    fixed = {axis: at for axis, at in index.items() if axis not in reduction.axes}
    shown = {part.axis for part in points}
    fixed = {axis: at for axis, at in fixed.items() if axis not in shown}
    return Window(numbers, states, states, tuple(points), fixed, facts, tuple(errors.values()))


def _slabs(
    opened: OpenArray, points: Sequence[Points], axes: Sequence[int]
) -> Iterator[list[Points]]:
    """Yield parts of the dimensions that are reduced, whole chunks where memory has room for them."""
    room = max(1, _MOST_AT_ONCE // max(1, math.prod(part.size for part in points)))
    parts: list[list[Points]] = []
    for axis in axes:
        length = opened.shape[axis]
        size = max(1, min(opened.chunk_shape[axis] or 1, room))
        room = max(1, room // size)
        parts.append(
            [
                Points(
                    axis,
                    start,
                    1,
                    min(size, length - start),
                    length,
                    start,
                    min(start + size, length),
                )
                for start in range(0, length, size)
            ]
        )
    for slab in itertools.product(*parts):
        yield list(slab)


def _numbers(
    array: Array, window: Window, packing: Packing | None, hidden: bool
) -> tuple[_Doubles, np.ndarray[Any, np.dtype[np.bool_]]]:
    """Return decoded values, and which of them count."""
    stored = window.values
    valid = window.states == VALUE
    if not hidden:
        valid |= window.states == ABSENT
    valid &= within(stored, *valid_range(array))
    if stored.dtype.kind == "c":
        values: _Doubles = np.abs(stored).astype(np.float64)
    else:
        values = stored.astype(np.float64) if packing is None else packing.decode(stored)
    return values, valid & np.isfinite(values)


def with_latitudes(reduction: Reduction, latitudes: Mapping[int, _Doubles]) -> Reduction:
    """Return a reduction that weighs values by area, where it is a mean along a dimension of latitudes.

    Parameters
    ----------
    reduction
        What is made of which dimensions.
    latitudes
        By axis, in degrees.
    """
    found = next((axis for axis in reduction.axes if axis in latitudes), None)
    if found is None or reduction.method not in ("mean", "std"):
        return reduction
    others = tuple(axis for axis in reduction.axes if axis != found)
    return replace(reduction, axes=(*others, found), latitudes=latitudes[found])
