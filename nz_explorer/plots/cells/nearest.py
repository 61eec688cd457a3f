"""Which cell of an unstructured grid lies at each pixel of a map."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from nz_explorer.values.coordinates.curvilinear import Curvilinear

Cells = np.ndarray[Any, np.dtype[np.int32]]
Limits = tuple[float, float, float, float]
_Floats = np.ndarray[Any, np.dtype[np.float32]]

_MARGIN = 8
"""A map is made an eighth larger on each side, so that cells whose middles lie just outside reach into it."""
_REACH = 1.5
"""How far a cell reaches, in distances to the neighbour that is nearest: 0.6 are enough for hexagons, 1 for triangles."""
_FAR = 3.0
"""How much further than others a cell may reach: one that has no neighbours is not half of a map."""
_LEAST, _DOT = 1.5, 7.0
"""Pixels from the middle of a cell to its edge, at least; and of a dot."""


def nearest_cells(grid: Curvilinear, width: int, height: int, *, dots: bool = False) -> Cells:
    """Return the cell at each pixel of a map; -1 where none is as near as cells are to each other.

    Parameters
    ----------
    grid
        Places of cells, in one dimension, and the limits of the map.
    width, height
        Pixels of the map.
    dots
        Whether cells are single places, such as those of stations, and no parts of an area.

    Returns
    -------
    ndarray
        int32 of shape (height, width), from the north-west.
    """
    places = (grid.x.astype(np.float32).tobytes(), grid.y.astype(np.float32).tobytes())
    return _nearest(*places, grid.circle, grid.limits, width, height, dots)


@lru_cache(maxsize=4)
def _nearest(
    x_of: bytes,
    y_of: bytes,
    circle: float,
    limits: Limits,
    width: int,
    height: int,
    dots: bool,
) -> Cells:
    """Return it; stepping through slices asks again and again."""
    west, east, south, north = limits
    wide, high = (east - west) / width, (north - south) / height
    beside, above = -(-width // _MARGIN), -(-height // _MARGIN)
    columns, rows = width + 2 * beside, height + 2 * above
    x, y, cell = _around(
        np.frombuffer(x_of, np.float32), np.frombuffer(y_of, np.float32), circle, limits
    )
    # in pixels of the larger map, their middles at whole numbers
    x, y = (x - west) / wide + beside - 0.5, (north - y) / high + above - 0.5
    with np.errstate(invalid="ignore"):
        here = (x > -0.5) & (x < columns - 0.5) & (y > -0.5) & (y < rows - 0.5)
    x, y, cell = x[here], y[here], cell[here]
    if not cell.size:
        return np.full((height, width), -1, np.int32)
    across = np.full(rows, wide)
    if circle and not dots:
        # a degree of longitude is shorter than one of latitude
        latitudes = north - (np.arange(rows) - above + 0.5) * high
        across *= np.maximum(np.cos(np.radians(np.clip(latitudes, -90, 90))), 0.01)
    pixels = _Map(x.astype(np.float32), y.astype(np.float32), across.astype(np.float32), high)
    nearest, distance = pixels.flooded(columns)
    reach = np.zeros(cell.size, np.float32) if dots else pixels.reach(nearest)
    least = (_DOT if dots else _LEAST) * max(high, float(across.min()))
    near = distance <= np.maximum(reach[nearest], least) ** 2
    found = np.where(near & (nearest >= 0), cell[nearest], np.int32(-1))
    return np.ascontiguousarray(found[above : above + height, beside : beside + width])


def _around(
    x: _Floats, y: _Floats, circle: float, limits: Limits
) -> tuple[_Floats, _Floats, Cells]:
    """Return places and numbers of cells; of longitudes wherever they lie near the map."""
    cell = np.arange(x.size, dtype=np.int32)
    if not circle:
        return x, y, cell
    west, east = limits[:2]
    x = (x - west) % circle + west
    turns = (-1, 0, 1) if east - west > circle / 3 else (0,)
    return (
        np.concatenate([x + turn * circle for turn in turns]),
        np.tile(y, len(turns)),
        np.tile(cell, len(turns)),
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Map:
    """Places of cells in pixels, and how far pixels are from each other: across, by row, and down."""

    x: _Floats
    y: _Floats
    across: _Floats
    high: float

    def flooded(self, columns: int) -> tuple[Cells, _Floats]:
        """Return the nearest cell at each pixel, and the square of the distance to it.

        Pixels ask pixels around them for the cells that these have, from far to near.

        Notes
        -----
        Source: Rong and Tan 2006, Jump flooding in GPU with applications to Voronoi diagram and distance transform.
        """
        rows = self.across.size
        nearest = np.full((rows, columns), -1, np.int32)
        at = np.rint(self.y).astype(np.intp), np.rint(self.x).astype(np.intp)
        nearest[at] = np.arange(self.x.size, dtype=np.int32)
        everywhere = slice(0, rows), slice(0, columns)
        best = self._squares(nearest, everywhere)
        apart = np.sqrt(nearest.size / self.x.size)
        ways: list[tuple[int, tuple[int, ...]]]
        ways = [(step, (-step, 0, step)) for step in _steps(min(max(rows, columns), 4 * apart))]
        if self.across.min() < self.across.max():
            # near a pole a cell lies along many pixels of a row
            ways += [(step, (0,)) for step in _steps(columns)]
        for step, downs in ways:
            before = nearest.copy()
            for down, right in product(downs, (-step, 0, step)):
                if not (down or right) or abs(down) >= rows or abs(right) >= columns:
                    continue
                to = _part(-down, rows), _part(-right, columns)
                other = before[_part(down, rows), _part(right, columns)]
                squares = self._squares(other, to)
                nearer = squares < best[to]
                best[to][nearer] = squares[nearer]
                nearest[to][nearer] = other[nearer]
        return nearest, best

    def reach(self, nearest: Cells) -> _Floats:
        """Return how far cells reach, going by their nearest neighbours."""
        apart = np.full(self.x.size, np.inf, np.float32)
        # where they are, and not where they meet, which may be at a pole
        own = self.across[np.rint(self.y).astype(np.intp)]
        for one, other in ((nearest[:, :-1], nearest[:, 1:]), (nearest[:-1], nearest[1:])):
            border = (one != other) & (one >= 0) & (other >= 0)
            a, b = one[border], other[border]
            scale = (own[a] + own[b]) / 2
            far = np.hypot((self.x[a] - self.x[b]) * scale, (self.y[a] - self.y[b]) * self.high)
            for end in (a, b):
                np.minimum.at(apart, end, far.astype(np.float32))
        known = np.isfinite(apart)
        usual = np.float32(np.median(apart[known]) if known.any() else 0)
        found: _Floats = np.float32(_REACH) * np.minimum(
            np.where(known, apart, usual), np.float32(_FAR) * usual
        )
        return found

    def _squares(self, cells: Cells, at: tuple[slice, slice]) -> _Floats:
        """Return the squares of the distances from pixels to cells, infinite where there is none."""
        rows = np.arange(at[0].start, at[0].stop, dtype=np.float32)[:, None]
        columns = np.arange(at[1].start, at[1].stop, dtype=np.float32)
        right = (self.x[cells] - columns) * self.across[at[0], None]
        down = (self.y[cells] - rows) * np.float32(self.high)
        found: _Floats = right**2 + down**2
        found[cells < 0] = np.inf
        return found


def _steps(most: float) -> list[int]:
    """Return the powers of 2 below a number, the largest first."""
    return [1 << power for power in range(max(1, math.ceil(math.log2(most))))][::-1]


def _part(by: int, size: int) -> slice:
    return slice(max(0, by), size + min(0, by))
