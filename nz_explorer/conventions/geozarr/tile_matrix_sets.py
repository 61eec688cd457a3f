"""Tile matrix sets as the GeoZarr draft refers to them: those that are known by name, and those that are given inline."""

from __future__ import annotations

import json
import math
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from nz_explorer.model.dialects import crs
from nz_explorer.model.dialects.cs import numbers
from nz_explorer.model.dialects.multiscales import identifier, level_name, member

TILE = 256
_LEVEL = re.compile("0|-?[1-9][0-9]*")
"""How tile matrices of the known sets are called."""


@dataclass(frozen=True, slots=True)
class TileMatrixSet:
    """A tile matrix set that is known by name.

    Attributes
    ----------
    codes : tuple of str
        Its reference system; more than one where systems differ only in the order of their axes.
    levels : range
        The numbers that its tile matrices have as ids.
    sizes : tuple of tuple of int
        Height and width of the tile matrices, in tiles, from the first on; after the last they double. None where they
        do not.
    tile : int or None
        The height and width of the tiles; None where they are not all alike.
    """

    codes: tuple[str, ...]
    levels: range
    sizes: tuple[tuple[int, int], ...] = ((1, 1),)
    tile: int | None = TILE

    def has(self, level: str) -> bool:
        """Whether a level has the id of a tile matrix of this set."""
        return len(level) < 4 and _LEVEL.fullmatch(level) is not None and int(level) in self.levels

    def size(self, level: str) -> tuple[int, int] | None:
        """Return the height and the width of a tile matrix in tiles, None where they are not known."""
        if not self.has(level) or not self.sizes:
            return None
        number = int(level) - self.levels[0]
        height, width = self.sizes[min(number, len(self.sizes) - 1)]
        more: int = 2 ** max(0, number - len(self.sizes) + 1)
        return height * more, width * more


_DEGREES = {
    "EPSG:4326": (False, (-180.0, 180.0), (-90.0, 90.0)),
    "OGC:CRS84": (True, (-180.0, 180.0), (-90.0, 90.0)),
}
"""Of systems in degrees that sets usually have: whether the axis of X is first, and from where to where X and Y go."""
_CANADIAN = (
    (5, 5), (8, 8), (14, 13), (22, 21), (38, 36), (66, 62), (110, 103), (188, 177), (329, 309), (548, 515),
    (938, 882), (1563, 1470), (2626, 2469), (4528, 4257), (7723, 7262), (13130, 12344), (21882, 20574),
    (37512, 35269), (65646, 61720), (109409, 102866), (187558, 176341), (328227, 308596), (547044, 514327),
    (937790, 881703), (1562983, 1469505), (2625811, 2468768),
)  # fmt: skip
_LINZ = (
    (1, 1), (1, 1), (2, 2), (4, 4), (7, 7), (13, 13), (26, 26), (52, 52), (104, 104), (207, 207), (413, 413),
    (826, 826), (1652, 1652), (3303, 3303),
)  # fmt: skip
UTM = {
    f"UTM{zone:02}WGS84Quad": TileMatrixSet((f"EPSG:326{zone:02}",), range(1, 25), ((2, 1),))
    for zone in range(1, 61)
}
KNOWN_SETS: dict[str, TileMatrixSet] = {
    "CanadianNAD83_LCC": TileMatrixSet(("EPSG:3978",), range(26), _CANADIAN),
    "EuropeanETRS89_LAEAQuad": TileMatrixSet(("EPSG:3035",), range(16)),
    "LINZAntarticaMapTilegrid": TileMatrixSet(("EPSG:5482",), range(14), _LINZ),
    "NZTM2000Quad": TileMatrixSet(("EPSG:2193",), range(22)),
    "UPSAntarcticWGS84Quad": TileMatrixSet(("EPSG:5042",), range(25)),
    "UPSArcticWGS84Quad": TileMatrixSet(("EPSG:5041",), range(25)),
    "WGS1984Quad": TileMatrixSet(("EPSG:4326", "OGC:CRS84"), range(24), ((1, 2),)),
    "WebMercatorQuad": TileMatrixSet(("EPSG:3857",), range(25)),
    "WorldCRS84Quad": TileMatrixSet(("OGC:CRS84", "EPSG:4326"), range(24), ((1, 2),)),
    "WorldMercatorWGS84Quad": TileMatrixSet(("EPSG:3395",), range(25)),
    **UTM,
    # after those that are rather meant where a reference system is given in place of a set
    "CDB1GlobalGrid": TileMatrixSet(("EPSG:4326", "OGC:CRS84"), range(-10, 22), (), None),
    "GNOSISGlobalGrid": TileMatrixSet(("EPSG:4326", "OGC:CRS84"), range(29), ((2, 4),)),
}
"""By name, as the OGC registers them (opengeospatial/2D-Tile-Matrix-Set 7cee2f8), with those of LINZ as morecantile has them."""


def as_integer(given: Any) -> Any:
    """Return a number without a fraction as an integer, which it is in JSON Schema; anything else as it is.

    Parameters
    ----------
    given
        A member of a tile matrix, or of limits.
    """
    return int(given) if isinstance(given, float) and given.is_integer() else given


def listed_matrices(given: Any) -> tuple[str, list[Any]]:
    """Return the tile matrices of an inline set as they are listed, and the name of the list.

    Parameters
    ----------
    given
        The value of multiscales.
    """
    inline = member(given, "tile_matrix_set")
    name = "tileMatrices" if member(inline, "tileMatrices") else "tileMatrix"
    listing = member(inline, name)
    return name, listing if isinstance(listing, list) else []


def matrices_by_id(given: Any) -> dict[str, Mapping[str, Any]]:
    """Return the tile matrices of an inline set, by id; of both versions of the standard.

    Parameters
    ----------
    given
        The value of multiscales.
    """
    identified = ((level_name(identifier(one)), one) for one in listed_matrices(given)[1])
    return {
        name: {key: as_integer(value) for key, value in one.items()}
        for name, one in identified
        if name is not None
    }


def pointer_of_matrix(pointer: str, given: Any, level: str) -> str:
    """Return the pointer to the tile matrix of a level; to the set where it does not list it.

    Parameters
    ----------
    pointer : str
        That of multiscales.
    given
        The value of multiscales.
    level : str
        The level.
    """
    name, listing = listed_matrices(given)
    ids = [level_name(identifier(one)) for one in listing]
    there = f"{pointer}/tile_matrix_set"
    # the last one of that id is the one that `matrices_by_id` has
    return f"{there}/{name}/{len(ids) - 1 - ids[::-1].index(level)}" if level in ids else there


def name_of_set(given: Any) -> str:
    """Return what a tile matrix set that is a name or a URI is called; "" for others.

    Parameters
    ----------
    given
        The value of multiscales.
    """
    named = member(given, "tile_matrix_set")
    if not isinstance(named, str):
        return ""
    return re.split("[/:]", named.rstrip("/"))[-1].removesuffix(".json")


def inline_as_text(text: str) -> dict[str, Any] | None:
    """Return the object that a text is the JSON of, None where it is none.

    Parameters
    ----------
    text : str
        What is given as tile matrix set.
    """
    if not text.lstrip().startswith("{"):
        return None
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def matrix_of_level(
    matrices: Mapping[str, Mapping[str, Any]], called: str, level: str
) -> Mapping[str, Any] | None:
    """Return the tile matrix of a level, as far as it is known.

    Parameters
    ----------
    matrices : mapping
        The tile matrices that are given inline, by id.
    called : str
        What the set is called.
    level : str
        The level.
    """
    size = KNOWN_SETS[called].size(level) if called in KNOWN_SETS else None
    return (
        matrices.get(level) if size is None else {"matrixHeight": size[0], "matrixWidth": size[1]}
    )


def tile_of(matrix: Mapping[str, Any] | None) -> tuple[int, int] | None:
    """Return the height and the width of the tiles of a tile matrix, None where it does not give them.

    Parameters
    ----------
    matrix : mapping, optional
        A tile matrix.
    """
    if matrix is None or wrong_size(matrix) is not None:
        return None
    return as_integer(matrix["tileHeight"]), as_integer(matrix["tileWidth"])


def wrong_size(matrix: Any) -> str | None:
    """Return the first of the sizes of tiles that a tile matrix has not, as an integer above 0; None where it has both.

    Parameters
    ----------
    matrix
        A tile matrix.
    """
    sizes = ((name, as_integer(member(matrix, name))) for name in ("tileWidth", "tileHeight"))
    return next(
        (name for name, size in sizes if type(size) is not int or not is_positive(size)), None
    )


def is_positive(given: Any) -> bool:
    """Return whether a value is a number above 0, and none so large that no float holds it.

    Parameters
    ----------
    given
        A member of a tile matrix.
    """
    number = isinstance(given, int | float) and not isinstance(given, bool)
    return number and 0 < given <= sys.float_info.max


def code_of_set(given: Any) -> str | None:
    """Return the code of the reference system of an inline set, None where it names none.

    Parameters
    ----------
    given
        The value of multiscales.
    """
    inline = member(given, "tile_matrix_set")
    system = member(inline, "crs") or member(inline, "supportedCRS")
    return crs.code(member(system, "uri") or member(system, "wkt") or system)


def _world(code: str | None) -> tuple[bool, tuple[float, float], tuple[float, float]] | None:
    """Return whether the axis of X is the first of a system, and how far its map goes; None where that is not known."""
    metres = crs.map_in_metres(code)
    return (True, *metres) if metres is not None else _DEGREES.get(str(code))


def metres_of_unit(given: Any) -> float | None:
    """Return how many metres a unit of the reference system of an inline set is, along the equator; None where that is not known.

    Parameters
    ----------
    given
        The value of multiscales.
    """
    code = code_of_set(given)
    if crs.map_in_metres(code) is not None:
        return 1.0
    return crs.DEGREE if code in _DEGREES else None


def x_is_first(given: Any) -> bool | None:
    """Return whether the first number of an origin is that of X, by the axes of the reference system; None where it is not certain.

    Parameters
    ----------
    given
        The value of multiscales, with an inline set.
    """
    inline = member(given, "tile_matrix_set")
    system = member(inline, "crs") or member(inline, "supportedCRS")
    named = member(system, "uri") or system
    world = _world(code_of_set(given))
    if not isinstance(named, str) or "[" in named or world is None:
        return None  # well-known text may have axes in an order of its own
    axes = member(inline, "orderedAxes")
    first = str(axes[0]).lower() if isinstance(axes, list) and axes else ""
    other = crs.Y_NAMES | {"n"} if world[0] else crs.X_NAMES | {"e"}
    return None if first in other else world[0]


def exchanged_origin(given: Any, matrix: Any) -> list[Any] | None:
    """Return the origin of a tile matrix that is beside the world, and is not with its numbers exchanged; None of any other.

    Parameters
    ----------
    given
        The value of multiscales, with an inline set.
    matrix
        One of its tile matrices.
    """
    at = member(matrix, "pointOfOrigin") or member(matrix, "topLeftCorner")
    first, world = x_is_first(given), _world(code_of_set(given))
    if first is None or world is None or numbers(at, 2) is None:
        return None
    whole = world[1:]
    x, y = at if first else at[::-1]
    least = min(end - begin for begin, end in whole) / 1e6
    there, exchanged = (
        [
            ((low - begin) / (end - begin), (high - begin) / (end - begin))
            for (low, high), (begin, end) in zip(ends_of(matrix, one, least), whole, strict=True)
        ]
        for one in ((x, y), (y, x))
    )
    beside = any(low >= 1 or high <= 0 for low, high in there)
    within = all(low >= -0.005 and high <= 1.005 for low, high in exchanged)
    return [*at[::-1]] if beside and within else None


def ends_of(
    matrix: Any, origin: tuple[float, ...], least: float = 0.0
) -> Iterator[tuple[float, float]]:
    """Yield where the tiles of a tile matrix begin and end, along X and along Y.

    Parameters
    ----------
    matrix
        A tile matrix.
    origin : tuple of float
        Its origin, X before Y.
    least : float
        How far they go at least, where the sizes of the matrix are not known, as those without cellSize are.
    """
    cell = member(matrix, "cellSize")
    for begin, name in zip(origin, ("Width", "Height"), strict=True):
        sizes = [cell, member(matrix, f"tile{name}"), member(matrix, f"matrix{name}")]
        length = math.prod(map(float, sizes)) if all(map(is_positive, sizes)) else least
        down = name == "Height" and member(matrix, "cornerOfOrigin") != "bottomLeft"
        yield (begin - length, begin) if down else (begin, begin + length)
