"""GZ: whether the cells of a level are where the tiles of its tile matrix are (section 8.2.4), by its coordinates."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from nz_explorer.conventions.geozarr.multiscales import has_tiles
from nz_explorer.conventions.geozarr.tile_matrix_sets import (
    KNOWN_SETS,
    TILE,
    UTM,
    code_of_set,
    ends_of,
    exchanged_origin,
    is_positive,
    matrices_by_id,
    name_of_set,
    tile_of,
    x_is_first,
)
from nz_explorer.documents.json_text import json_text
from nz_explorer.engine.findings import Fail
from nz_explorer.engine.registry import rule
from nz_explorer.model import Array, Group
from nz_explorer.model.attribute_types import unpacked_number
from nz_explorer.model.dialects import crs
from nz_explorer.model.dialects.cs import numbers
from nz_explorer.model.dialects.multiscales import member

if TYPE_CHECKING:
    from nz_explorer.values.coordinates.monotonicity import Monotonicity

_POLAR = 16440759.350252
_TRANSVERSE = 20003931.4586255
_GRIDS: dict[str, tuple[float, float, float]] = {
    "EuropeanETRS89_LAEAQuad": (2e6, 5.5e6, 4.5e6 / TILE),
    "LINZAntarticaMapTilegrid": (-918457.73, 6918457.73, 114688.0),
    "NZTM2000Quad": (-3260586.7284, 10438190.1652, 39135.75848201011),
    "UPSAntarcticWGS84Quad": (2e6 - _POLAR, 2e6 + _POLAR, 2 * _POLAR / TILE),
    "UPSArcticWGS84Quad": (2e6 - _POLAR, 2e6 + _POLAR, 2 * _POLAR / TILE),
    "WGS1984Quad": (-180.0, 90.0, 180 / TILE),
    "WebMercatorQuad": (-crs.MERCATOR, crs.MERCATOR, 2 * crs.MERCATOR / TILE),
    "WorldCRS84Quad": (-180.0, 90.0, 180 / TILE),
    "WorldMercatorWGS84Quad": (-crs.MERCATOR, crs.MERCATOR, 2 * crs.MERCATOR / TILE),
    **dict.fromkeys(UTM, (5e5 - _TRANSVERSE / 2, _TRANSVERSE, _TRANSVERSE / TILE)),
}
"""Of sets that are known by name: where tiles begin along X and Y, and the size of cells at the first level; each level halves it."""
_DEGREES = ("EPSG:4326", "OGC:CRS84")
_IN_DEGREES = re.compile("deg(ree)?s?(_?(north|east|[ne]))?", re.IGNORECASE)
_IN_METRES = re.compile("m|met(er|re)s?", re.IGNORECASE)
_ASIDE = 0.6
"""How many cells a level may be beside the grid: coordinates of corners are half a cell off those of middles."""


_ROUNDED = 2.0**-23
"""By what part of itself a number may be off that was a float32."""


def _axis(array: Array) -> int | None:
    """Return 0 of a coordinate along X, 1 along Y, None of any other."""
    words = {array.name.lower()}
    words |= {str(array.attributes.get(key)).lower() for key in ("axis", "standard_name")}
    return 0 if words & crs.X_NAMES else 1 if words & crs.Y_NAMES else None


@dataclass(frozen=True, slots=True)
class _Tiles:
    """Where the tiles of a level are.

    Attributes
    ----------
    origins : list of tuple of float
        Where they may begin along X and Y: two places where it is not known which number of an origin is for X.
    cell : float
        The size of their cells.
    size : tuple of int
        Their width and height.
    ends : list of tuple of tuple of float
        How far they go along X and along Y from each of these places; empty where that is not known.
    """

    origins: list[tuple[float, ...]]
    cell: float
    size: tuple[int, int] = (TILE, TILE)
    ends: Sequence[tuple[tuple[float, float], ...]] = ()


@rule("GZ-MS-017", on="values", when=lambda array, _: _axis(array) is not None)
def level_on_the_tile_grid(array: Array, found: Monotonicity) -> Iterator[Fail]:
    """Compare the spacing of a coordinate of a level with the cells of its tile matrix, and where it begins with its tiles."""
    axis, length = _axis(array), (array.shape or (0,))[0]
    first, last = (unpacked_number(array.attributes, end) for end in (found.first, found.last))
    level = array.hierarchy.node_if_loaded(array.parent or "/")
    if axis is None or level is None or length < 2 or not _are_numbers(first, last):
        return
    grid = _grid(array, level)
    if grid is None or first == last:
        return
    cell, origins = grid.cell, grid.origins
    step, tile = (last - first) / (length - 1), grid.size[axis]
    name = json_text(level.name)
    if abs(abs(step) - cell) > cell / 100:
        yield Fail(
            "",
            f"the cells of {array.path} are {abs(step):.6g} long, and those of tile matrix {name} {cell:.6g}: no chunk of this"
            " level is a tile of it",
        )
        return
    begin = first - step / 2
    beside = []
    for origin in origins:
        after = (begin - origin[axis]) / cell
        rest = after % tile if step > 0 else -after % tile
        beside.append(
            0 if length <= tile and rest + length <= tile + _ASIDE else min(rest, tile - rest)
        )
    if min(beside) > _ASIDE + abs(begin) * _ROUNDED / cell:
        beyond = f"{min(beside):.4g}"
        cells = "1 cell" if beyond == "1" else f"{beyond} cells"
        where = (
            f"{cells} from the nearest edge of a tile of {name}, the first of which begins at {origins[0][axis]:.10g}"
            if len(origins) == 1
            else f"no edge of a tile of {name}, whichever number of pointOfOrigin is that of this axis"
        )
        yield Fail(
            "",
            f"{array.path} begins at {begin:.10g}, which is {where}: its chunks do not begin where tiles do",
        )
        return
    low, high = sorted((begin, begin + step * length))
    reached = list(dict.fromkeys(ends[axis] for ends in grid.ends))
    if reached and all(start < stop and (low >= stop or high <= start) for start, stop in reached):
        tiles = " or ".join(f"from {start:.10g} to {stop:.10g}" for start, stop in reached)
        yield Fail(
            "",
            f"{array.path} goes from {low:.10g} to {high:.10g}, and the tiles of {name} {tiles}: none of them is there",
        )


def _are_numbers(*values: Any) -> bool:
    return all(isinstance(one, int | float) and not isinstance(one, bool) for one in values)


def _grid(array: Array, level: Any) -> _Tiles | None:
    """Return where the tiles of a level are, None where the coordinate is in other units, or the tile matrix is not known."""
    above = array.hierarchy.node_if_loaded(level.parent or "/") if level.path != "/" else None
    if not isinstance(above, Group) or not has_tiles(above.attributes):
        return None
    given = above.attributes["multiscales"]
    called, units = name_of_set(given), str(array.attributes.get("units", ""))
    if called in _GRIDS:
        if not KNOWN_SETS[called].has(level.name) or not _same_units(
            units, KNOWN_SETS[called].codes[0]
        ):
            return None
        x, y, cell = _GRIDS[called]
        halved = int(level.name) - KNOWN_SETS[called].levels[0]
        return _Tiles([(x, y)], cell / 2**halved)
    matrix, code = matrices_by_id(given).get(level.name), code_of_set(given)
    tile, cell = tile_of(matrix), member(matrix, "cellSize")
    origin = numbers(member(matrix, "pointOfOrigin"), 2)
    if tile is None or origin is None or not is_positive(cell) or not _same_units(units, code):
        return None
    first, size = x_is_first(given), (tile[1], tile[0])
    if first is None or exchanged_origin(given, matrix) is not None:  # which is GZ-MS-009
        origins = [origin, origin[::-1]]
    else:
        origins = [origin if first else origin[::-1]]
    ends = [tuple(ends_of(matrix, one)) for one in origins]
    if code in _DEGREES:  # a longitude may be written with 360 more
        ends = [((-math.inf, math.inf), along_y) for _, along_y in ends]
    return _Tiles(origins, cell, size, ends)


def _same_units(units: str, code: str | None) -> bool:
    """Whether a coordinate is in the units of a reference system; of one in degrees only the usual codes are known."""
    wanted = _IN_DEGREES if code in _DEGREES else _IN_METRES
    return code is not None and wanted.fullmatch(units) is not None
