"""GZ: the chunks of a level are the tiles of its tile matrix (GeoZarr draft, sections 8.2.1 and 8.2.4)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nz_explorer.conventions.geozarr.rules import mapping_names
from nz_explorer.conventions.geozarr.tile_matrix_sets import TILE
from nz_explorer.conventions.nz.array_types import chunk_lengths
from nz_explorer.engine.findings import Fail, RuleOutput
from nz_explorer.model import Array
from nz_explorer.model.dialects import crs
from nz_explorer.model.dialects.multiscales import member
from nz_explorer.text.phrases import listed


def spatial_axes(array: Array, beside: Mapping[str, Array]) -> tuple[int, int] | None:
    """Return the axes that run north and east, by dimension names or by their coordinates.

    Parameters
    ----------
    array : Array
        Some array of a level.
    beside : mapping
        All arrays of the level, by name.
    """
    if (axes := crs.spatial_axes(array)) is not None:
        return axes
    words = [
        {str(beside[name].attributes.get(key)).lower() for key in ("axis", "standard_name")}
        if name is not None and name in beside
        else set()
        for name in array.dimension_names or ()
    ]
    y = next((i for i, names in enumerate(words) if names & crs.Y_NAMES), None)
    x = next((i for i, names in enumerate(words) if names & crs.X_NAMES), None)
    return None if y is None or x is None else (y, x)


def chunks_are_tiles(
    beside: Mapping[str, Array], tile: tuple[int, int] | None, matrix: Mapping[str, Any] | None
) -> RuleOutput:
    """Judge the chunks of the arrays of a level: those along X and Y are the tiles of its tile matrix.

    Parameters
    ----------
    beside : mapping
        The arrays of the level, by name.
    tile : tuple of int, optional
        The height and the width of the tiles, where they are known.
    matrix : mapping, optional
        The tile matrix, as far as it is known.
    """
    spatial = {name: spatial_axes(array, beside) for name, array in beside.items()}
    identified = any(axes is not None for axes in spatial.values())
    for name, array in beside.items():
        # where other arrays have X and Y, bounds of a coordinate or a table of bands need none
        if spatial[name] is not None or not identified or mapping_names(array):
            yield from _chunks(array, spatial[name], tile, matrix)


def _chunks(
    array: Array,
    axes: tuple[int, int] | None,
    tile: tuple[int, int] | None,
    matrix: Mapping[str, Any] | None,
) -> RuleOutput:
    shape, edges = array.shape or (), array.chunk_edges
    # of a rectilinear grid the lengths that repeat, None along an axis where they differ
    chunk = array.chunk_shape if edges is None else tuple(map(_repeated, edges))
    if len(shape) < 2 or chunk is None:
        return
    if axes is None:
        if array.dimension_names is None:
            return  # GZ-DIM-001, Z2-OGC-002 or Z2-OGC-003
        shown = ", ".join(name or "(no name)" for name in array.dimension_names)
        yield Fail(
            "",
            f"nothing tells which of the dimensions {shown} are X and Y",
            path=array.path,
            rule="GZ-MS-013",
        )
        return
    pointer = _pointer_of_chunks(array)
    names = array.dimension_names or ()
    along = {axis: length for axis in axes if (length := chunk[axis]) is not None}
    if edges is not None and len(along) < len(axes):
        first = next(axis for axis in axes if axis not in along)
        lengths = listed(map(str, dict.fromkeys(edges[first])))
        wanted = (
            "256 × 256 or 512 × 512 is recommended"
            if tile is None
            else f"tiles are {tile[0]} high and {tile[1]} wide"
        )
        yield Fail(
            pointer,
            f"chunks are {lengths} long along {names[first]}, and {wanted}",
            path=array.path,
            rule="GZ-MS-006" if tile is None else "GZ-MS-012",
        )
        return
    tiles = dict(zip(axes, tile or (None, None), strict=True))
    whole = [
        axis
        for axis in axes
        if along[axis] >= shape[axis] > 2 * TILE and along[axis] != tiles[axis]  # a tile of the set
    ]
    if whole:
        yield Fail(
            pointer,
            f"{array.path} is one chunk along {' and '.join(names[axis] or '' for axis in whole)}",
            path=array.path,
            rule="GZ-MS-005",
        )
    own = [along[axis] for axis in axes]
    if tile is not None:
        # a rectilinear grid ends with the array, and its last chunk with it
        wrong = (
            length != wanted and not (edges is not None and shape[axis] <= length < wanted)
            for axis, length, wanted in zip(axes, own, tile, strict=True)
            if axis not in whole  # said already
        )
        if any(wrong):
            yield Fail(
                pointer,
                _sizes(own, tile, [names[axis] or "" for axis in axes], axes[0] < axes[1]),
                path=array.path,
                rule="GZ-MS-012",
            )
            return
        yield from _as_many(array, along, matrix)
    if not any(
        all(along[axis] == size or shape[axis] <= TILE for axis in axes if axis not in whole)
        for size in (TILE, 2 * TILE)
    ):
        yield Fail(
            pointer,
            f"chunks are {own[0]} × {own[1]}; 256 × 256 or 512 × 512 is recommended",
            path=array.path,
            rule="GZ-MS-006",
        )


def _repeated(lengths: tuple[int, ...]) -> int | None:
    """Return how long all chunks along a dimension are, but for a shorter one at its end; None where they differ otherwise."""
    first = lengths[0] if lengths else 0
    alike = all(length == first for length in lengths[:-1]) and lengths[-1:] <= (first,)
    return first if alike else None


def _sizes(own: list[int], tile: tuple[int, int], names: list[str], in_order: bool) -> str:
    """Say the sizes of chunks and tiles; which is which, where one could take them for each other."""
    if in_order and own[0] == own[1] and tile[0] == tile[1]:
        return f"chunks are {own[0]} × {own[1]}, tiles {tile[0]} × {tile[1]}"
    return (
        f"chunks are {own[0]} long along {names[0]} and {own[1]} along {names[1]},"
        f" tiles {tile[0]} high and {tile[1]} wide"
    )


def _pointer_of_chunks(array: Array) -> str:
    """Return the pointer to the lengths of chunks; in shards to those of the inner ones."""
    codecs = array.metadata.get("codecs")
    for i, codec in enumerate(codecs if isinstance(codecs, list) else ()):
        if member(codec, "name") == "sharding_indexed":
            return array.pointer("codecs", i, "configuration", "chunk_shape")
    if array.chunk_edges is not None:
        return array.pointer("chunk_grid", "configuration", "chunk_shapes")
    return chunk_lengths(array)


def _as_many(
    array: Array, along: Mapping[int, int], matrix: Mapping[str, Any] | None
) -> RuleOutput:
    """Compare the number of chunks with that of the tiles; less may be a part of the grid."""
    shape = array.shape or ()
    tiles = [member(matrix, size) for size in ("matrixHeight", "matrixWidth")]
    chunks = [-(-shape[axis] // length) if length else 0 for axis, length in along.items()]
    if any(type(most) is int and number > most for number, most in zip(chunks, tiles, strict=True)):
        yield Fail(
            _pointer_of_chunks(array),
            f"{chunks[0]} × {chunks[1]} chunks, and {tiles[0]} × {tiles[1]} tiles: each chunk must be a tile",
            path=array.path,
            rule="GZ-MS-012",
        )
