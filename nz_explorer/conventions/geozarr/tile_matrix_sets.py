"""Tile matrix sets as the GeoZarr draft refers to them: those that are known by name, and those that are given inline."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from nz_explorer.model.dialects.multiscales import identifier, level_name, member

KNOWN_SETS: dict[str, tuple[str, ...]] = {
    "CDB1GlobalGrid": (),
    "CanadianNAD83_LCC": ("EPSG:3978",),
    "EuropeanETRS89_LAEAQuad": ("EPSG:3035",),
    "GNOSISGlobalGrid": (),
    "LINZAntarticaMapTilegrid": ("EPSG:5482",),
    "NZTM2000Quad": ("EPSG:2193",),
    "UPSAntarcticWGS84Quad": ("EPSG:5042",),
    "UPSArcticWGS84Quad": ("EPSG:5041",),
    "UTM31WGS84Quad": ("EPSG:32631",),
    "WGS1984Quad": ("EPSG:4326", "OGC:CRS84"),
    "WebMercatorQuad": ("EPSG:3857",),
    "WorldCRS84Quad": ("OGC:CRS84", "EPSG:4326"),
    "WorldMercatorWGS84Quad": ("EPSG:3395",),
}
"""Tile matrix sets that are known by name (OGC Two Dimensional Tile Matrix Set), and their reference systems, where
they matter here; those of latitude and longitude on WGS 84 differ only in the order of their axes."""
VARIABLE_TILES = ("CDB1GlobalGrid",)
"""Those of them whose tiles are not all of 256 × 256."""
LEVEL = re.compile("-?(0|[1-9][0-9]*)")
"""How tile matrices of the known sets are called."""
QUADS = {
    "WebMercatorQuad": 1,
    "WorldMercatorWGS84Quad": 1,
    "WGS1984Quad": 2,
    "WorldCRS84Quad": 2,
}
"""Those that double with each level, from one tile in height, and the tiles in width of their level 0."""
TILE = 256


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
    return {name: one for name, one in identified if name is not None}


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
    if called in QUADS and level.isdecimal() and len(level) < 3:
        height = 2 ** int(level)
        return {"matrixHeight": height, "matrixWidth": QUADS[called] * height}
    return matrices.get(level)


def tile_of(matrix: Mapping[str, Any] | None) -> tuple[int, int] | None:
    """Return the height and the width of the tiles of a tile matrix, None where it does not give them.

    Parameters
    ----------
    matrix : mapping, optional
        A tile matrix.
    """
    height, width = (member(matrix, name) for name in ("tileHeight", "tileWidth"))
    if type(height) is not int or type(width) is not int or min(height, width) < 1:
        return None
    return height, width
