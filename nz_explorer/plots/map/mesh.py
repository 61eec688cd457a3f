"""Where the cells of a curvilinear grid lie, for matplotlib: as the browser has them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from nz_explorer.values.coordinates.curvilinear import Curvilinear

_Doubles = np.ndarray[Any, np.dtype[np.float64]]

_GAP = 30
"""Degrees without a point that are no mere distance between neighbours."""
WIDEST = 120
"""A cell that spans more degrees lies around a pole or on a seam, and is left out."""


@dataclass(frozen=True, slots=True, eq=False)
class Mesh:
    """Cells between corners.

    Parameters
    ----------
    x, y
        Their corners, one more along both axes than there are cells.
    whole
        Which cells have a place.
    x_limits, y_limits
        What a map of them spans.
    turns
        What is to be added to `x` for each copy of the cells that the span shows: a grid around the
        globe shows its beginning again at its end.
    """

    x: _Doubles
    y: _Doubles
    whole: np.ndarray[Any, np.dtype[np.bool_]]
    x_limits: tuple[float, float]
    y_limits: tuple[float, float]
    turns: tuple[float, ...] = (0.0,)


def mesh(grid: Curvilinear, box: Mapping[str, Any] | None = None) -> Mesh | None:
    """Return the cells around the points of a grid; None where no point has a place.

    Parameters
    ----------
    grid
        The points.
    box
        By name of a coordinate its lowest and highest value: the cells are cut there.
    """
    x, y = grid.x.astype(np.float64), grid.y.astype(np.float64)
    whole = np.isfinite(x) & np.isfinite(y)
    if not whole.any():
        return None
    circle = grid.circle
    limits = limits_of(grid, box)
    x_limits, y_limits = limits[:2], limits[2:]
    if circle:
        # neighbours differ by less than half a circle, whatever side of the date line they are on
        x = np.degrees(np.unwrap(np.unwrap(np.radians(np.where(whole, x, 0)), axis=1), axis=0))
    x, y = (_corners(np.where(whole, c, np.mean(c[whole]))) for c in (x, y))
    if not circle:
        return Mesh(x, y, whole, x_limits, y_limits)
    sides = [x[:-1, :-1], x[1:, :-1], x[:-1, 1:], x[1:, 1:]]
    whole &= np.max(sides, axis=0) - np.min(sides, axis=0) < WIDEST
    first = int(np.ceil((x_limits[0] - x.max()) / circle))
    last = int(np.floor((x_limits[1] - x.min()) / circle))
    turns = tuple(circle * turn for turn in range(first, last + 1))
    return Mesh(x, y, whole, x_limits, y_limits, turns)


def limits_of(
    grid: Curvilinear, box: Mapping[str, Any] | None = None
) -> tuple[float, float, float, float]:
    """Return what a map spans: its lowest and highest x, its lowest and highest y.

    Parameters
    ----------
    grid
        Its points, some of which have a place.
    box
        By name of a coordinate its lowest and highest value: the map is cut there.
    """
    there = np.isfinite(grid.x) & np.isfinite(grid.y)
    x, y = grid.x[there].astype(np.float64), grid.y[there].astype(np.float64)
    if grid.circle:
        cut = _cut(x)
        x = (x - cut) % grid.circle + cut
    count = round(math.sqrt(grid.x.size))  # of cells in no order
    rows, columns = grid.x.shape if grid.x.ndim > 1 else (count, count)
    return (
        *_cut_at(box, grid.x_label, _limits(x, columns, grid.circle)),
        *_cut_at(box, grid.y_label, _limits(y, rows)),
    )


def _cut_at(
    box: Mapping[str, Any] | None, label: str, span: tuple[float, float]
) -> tuple[float, float]:
    """Return the limits that a box gives; those of the points where all of them lie inside."""
    low, high = (box or {}).get(label, span)
    return span if low <= span[0] and span[1] <= high else (float(low), float(high))


def _cut(places: _Doubles) -> float:
    """Return where the circle of longitudes is cut: in its widest gap, else at -180 or 0."""
    taken = np.zeros(360, np.bool_)
    taken[np.floor(places).astype(np.int64) % 360] = True
    best, widest, run = (-180 if places.min() < 0 else 0), _GAP, 0
    for degree in range(720):
        run = 0 if taken[degree % 360] else run + 1
        if widest < run < 360:
            widest, best = run, (degree + 1) % 360
    return float(best - 360 if best >= 180 and widest > _GAP else best)


def _limits(places: _Doubles, count: int, circle: float = 0.0) -> tuple[float, float]:
    """Return the span of points, with room for the outer half of the outermost."""
    low, high = float(places.min()), float(places.max())
    half = (high - low) / (2 * max(1, count - 1))
    if circle:
        half = max(0.0, min(half, (circle - high + low) / 2))
    half = half or 0.5
    return low - half, high + half


def _corners(middles: _Doubles) -> _Doubles:
    """Return the corners half-way between the middles of cells."""
    for axis in (0, 1):
        ends = [(0, 0), (0, 0)]
        ends[axis] = (1, 1)
        wide = (
            np.pad(middles, ends, mode="reflect", reflect_type="odd")
            if middles.shape[axis] > 1
            else (np.concatenate([middles - 1, middles, middles + 1], axis=axis))
        )
        low, high = (
            np.split(wide, [wide.shape[axis] - 1], axis=axis)[0],
            np.split(wide, [1], axis=axis)[1],
        )
        middles = (low + high) / 2
    return middles
