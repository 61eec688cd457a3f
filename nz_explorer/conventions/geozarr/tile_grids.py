"""GZ: whether the cells of a level are where the tiles of its tile matrix are (section 8.2.4), by its coordinates."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from nz_explorer.conventions.geozarr.multiscales import has_tiles
from nz_explorer.conventions.geozarr.tile_matrix_sets import (
    KNOWN_SETS,
    TILE,
    UTM,
    is_positive,
    matrices_by_id,
    name_of_set,
    tile_of,
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

_MERCATOR = 20037508.342789244
_POLAR = 16440759.350252
_TRANSVERSE = 20003931.4586255
_GRIDS: dict[str, tuple[float, float, float]] = {
    "EuropeanETRS89_LAEAQuad": (2e6, 5.5e6, 4.5e6 / TILE),
    "LINZAntarticaMapTilegrid": (-918457.73, 6918457.73, 114688.0),
    "NZTM2000Quad": (-3260586.7284, 10438190.1652, 39135.75848201011),
    "UPSAntarcticWGS84Quad": (2e6 - _POLAR, 2e6 + _POLAR, 2 * _POLAR / TILE),
    "UPSArcticWGS84Quad": (2e6 - _POLAR, 2e6 + _POLAR, 2 * _POLAR / TILE),
    "WGS1984Quad": (-180.0, 90.0, 180 / TILE),
    "WebMercatorQuad": (-_MERCATOR, _MERCATOR, 2 * _MERCATOR / TILE),
    "WorldCRS84Quad": (-180.0, 90.0, 180 / TILE),
    "WorldMercatorWGS84Quad": (-_MERCATOR, _MERCATOR, 2 * _MERCATOR / TILE),
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
    origins, cell, tiles = grid
    step, tile = (last - first) / (length - 1), tiles[1 - axis]
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
    for origin in {origins[axis], *(() if len(origins) < 3 else (origins[1 - axis],))}:
        after = (begin - origin) / cell
        rest = after % tile if step > 0 else -after % tile
        beside.append(
            0 if length <= tile and rest + length <= tile + _ASIDE else min(rest, tile - rest)
        )
    if min(beside) > _ASIDE + abs(begin) * _ROUNDED / cell:
        yield Fail(
            "",
            f"{array.path} begins at {begin:.10g}, which is {min(beside):.4g} cells from the nearest edge of a tile of {name}: its"
            " chunks do not begin where tiles do",
        )


def _are_numbers(*values: Any) -> bool:
    return all(isinstance(one, int | float) and not isinstance(one, bool) for one in values)


def _grid(array: Array, level: Any) -> tuple[tuple[float, ...], float, tuple[int, int]] | None:
    """Return where the tiles of a level begin, the size of its cells, and the height and width of its tiles.

    Of an inline set it is not known which number of the origin is for X: there are three then, the last of which says so.
    None where the coordinate is in other units, or the tile matrix is not known.
    """
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
        return (x, y), cell / 2**halved, (TILE, TILE)
    matrix = matrices_by_id(given).get(level.name)
    tiles, inline = tile_of(matrix), member(given, "tile_matrix_set")
    origin, cell = numbers(member(matrix, "pointOfOrigin"), 2), member(matrix, "cellSize")
    system = member(inline, "crs") or member(inline, "supportedCRS")
    code = crs.code(member(system, "uri") or member(system, "wkt") or system)
    if tiles is None or origin is None or not is_positive(cell):
        return None
    return ((*origin, 0.0), cell, tiles) if _same_units(units, code) else None


def _same_units(units: str, code: str | None) -> bool:
    """Whether a coordinate is in the units of a reference system; of one in degrees only the usual codes are known."""
    wanted = _IN_DEGREES if code in _DEGREES else _IN_METRES
    return code is not None and wanted.fullmatch(units) is not None
