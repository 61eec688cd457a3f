"""GZ: multiscales of the GeoZarr draft (section 8.2). Those of other conventions are not judged here."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from typing import Any

from nz_explorer.documents.json_text import json_text
from nz_explorer.documents.json_types import json_type
from nz_explorer.engine.findings import Fail, RuleOutput, Undecided
from nz_explorer.engine.fixes import Draft, replace
from nz_explorer.engine.registry import rule
from nz_explorer.model import Array, Group
from nz_explorer.model.dialects import crs
from nz_explorer.model.dialects.multiscales import family, level_names, member
from nz_explorer.text.phrases import listed

METHODS = (
    "nearest",
    "average",
    "bilinear",
    "cubic",
    "cubic_spline",
    "lanczos",
    "mode",
    "max",
    "min",
    "med",
    "sum",
    "q1",
    "q3",
    "rms",
    "gauss",
)
OTHER_NAMES = {"mean": "average", "median": "med", "maximum": "max", "minimum": "min"}
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
_NUMBER = re.compile(r"-?\d+")
"""How tile matrices of these sets are called."""
TILE = 256
LIMITS = (
    ("min_tile_row", "max_tile_row", "matrixHeight"),
    ("min_tile_col", "max_tile_col", "matrixWidth"),
)
"""Limits of a level as in Listing 9, and the size of the tile matrix that they are within."""
OGC_LIMITS = {
    "min_tile_row": "minTileRow",
    "max_tile_row": "maxTileRow",
    "min_tile_col": "minTileCol",
    "max_tile_col": "maxTileCol",
}
"""How the OGC spells them, which the text sets aside."""


def _claims(group: Group) -> bool:
    """Whether a group has multiscales that are the draft's, or nobody else's."""
    if "multiscales" not in group.attributes or "ome" in group.attributes:
        return False
    given = group.attributes["multiscales"]
    if isinstance(given, list):  # a list of OME-NGFF says where its datasets are
        return not any(isinstance(one, Mapping) and "datasets" in one for one in given)
    return family(group.attributes) in ("GeoZarr", None)


@rule(
    "GZ-MS-007",
    on="array",
    needs=("attributes",),
    when=lambda array: family(array.attributes) == "GeoZarr",
)
def on_an_array(array: Array) -> RuleOutput:
    """Note multiscales of an array, which has no levels."""
    yield Fail(
        array.attribute_pointer("multiscales"),
        "multiscales belongs to the group that holds the levels, and means nothing on an array",
    )


@rule(
    "GZ-MS-007",
    "GZ-MS-008",
    "GZ-MS-009",
    "GZ-MS-014",
    "GZ-MS-015",
    "GZ-MS-016",
    on="group",
    needs=("attributes",),
    when=_claims,
)
def metadata(group: Group) -> RuleOutput:
    """Judge the contents of multiscales."""
    given, pointer = group.attributes["multiscales"], group.attribute_pointer("multiscales")
    if not isinstance(given, Mapping):
        yield Fail(pointer, f"multiscales must be an object, got {json_type(given)}")
        return
    for name in ("tile_matrix_set", "resampling_method"):
        if given.get(name) is None:
            yield Fail(f"{pointer}/{name}", f"multiscales has no {name}", rule="GZ-MS-008")
    matrices = given.get("tile_matrix_set")
    if isinstance(matrices, str):
        if matrices not in KNOWN_SETS and ":" not in matrices:
            near = difflib.get_close_matches(matrices, KNOWN_SETS, 1)
            yield Fail(
                f"{pointer}/tile_matrix_set",
                f"tile_matrix_set {json_text(matrices)} is not known",
                fix=_suggest(f"{pointer}/tile_matrix_set", near),
                rule="GZ-MS-009",
            )
    elif matrices is not None and not _matrices(given):
        yield Fail(
            f"{pointer}/tile_matrix_set",
            "tile_matrix_set must be a name, a URI or an object with tileMatrices",
            rule="GZ-MS-009",
        )
    yield from _method(given, pointer)
    yield from _limits(given, pointer)


def _suggest(pointer: str, near: list[str]) -> Any:
    return (lambda _node: Draft("suggest", (replace(pointer, near[0]),))) if near else None


def _matrices(given: Any) -> dict[str, Mapping[str, Any]]:
    """Return the tile matrices of an inline set, by id; of both versions of the standard."""
    inline = member(given, "tile_matrix_set")
    listing = member(inline, "tileMatrices") or member(inline, "tileMatrix")
    found = {}
    for one in listing if isinstance(listing, list) else ():
        identifier = member(one, "id") or member(one, "identifier")
        if isinstance(identifier, str):
            found[identifier] = one
    return found


def _method(given: Mapping[str, Any], pointer: str) -> RuleOutput:
    method = given.get("resampling_method")
    if method is not None and method not in METHODS:
        word = str(method).lower()
        near = difflib.get_close_matches(OTHER_NAMES.get(word, word), METHODS, 1)
        yield Fail(
            f"{pointer}/resampling_method",
            f"{json_text(method)} is not a resampling method",
            fix=_suggest(f"{pointer}/resampling_method", near),
            rule="GZ-MS-015",
        )
    for name, matrix in _matrices(given).items():
        own = matrix.get("resampling_method", method)
        if own != method:
            yield Fail(
                f"{pointer}/tile_matrix_set",
                f"level {json_text(name)} uses {json_text(own)}, all of them should use {json_text(method)}",
                rule="GZ-MS-016",
            )


def _limits(given: Mapping[str, Any], pointer: str) -> RuleOutput:
    limits, matrices = given.get("tile_matrix_set_limits"), _matrices(given)
    if limits is None:
        return
    at = f"{pointer}/tile_matrix_set_limits"
    if not isinstance(limits, Mapping):
        yield Fail(
            at,
            f"tile_matrix_set_limits must be an object by level, got {json_type(limits)}",
            rule="GZ-MS-014",
        )
        return
    for name, one in limits.items():
        why = _wrong_limits(one, matrices.get(name))
        if why is None and matrices and name not in matrices:
            why = "there is no such level in the set"
        if why is not None:
            yield Fail(at, f"limits of level {json_text(name)}: {why}", rule="GZ-MS-014")
        elif others := [(old, new) for new, old in OGC_LIMITS.items() if old in one]:
            yield Fail(
                at,
                f"limits of level {json_text(name)}: {others[0][0]} is the spelling of the OGC, the text has {others[0][1]}",
                severity="info",
                rule="GZ-MS-014",
            )


def _wrong_limits(given: Any, matrix: Mapping[str, Any] | None) -> str | None:
    if not isinstance(given, Mapping):
        return f"they must be an object with {listed(name for one in LIMITS for name in one[:2])}"
    for low, high, size in LIMITS:
        first, last = (given.get(name, given.get(OGC_LIMITS[name])) for name in (low, high))
        if type(first) is not int or type(last) is not int:
            return f"{low} and {high} must both be there, and be integers"
        if first < 0:
            return f"{low} is {first}, and tiles are counted from 0"
        if first > last:
            return f"{low} {first} is above {high} {last}"
        count = matrix.get(size) if matrix is not None else None
        if type(count) is int and last >= count:
            return f"{high} is {last}, and {size} is {count}: counted from 0, the last tile is {count - 1}"
    return None


# --- levels --------------------------------------------------------------------------------------

OF_LEVELS = (
    "GZ-MS-001",
    "GZ-MS-002",
    "GZ-MS-003",
    "GZ-MS-004",
    "GZ-MS-005",
    "GZ-MS-006",
    "GZ-MS-010",
    "GZ-MS-011",
    "GZ-MS-012",
    "GZ-MS-013",
    "GZ-MS-016",
)


@rule(*OF_LEVELS, on="members")
def levels(group: Group) -> RuleOutput:
    """Judge the levels that multiscales names: whether they are there, and what is in them."""
    given = group.attributes.get("multiscales")
    inline, set_name = _matrices(given), member(given, "tile_matrix_set")
    if family(group.attributes) != "GeoZarr" or not (inline or isinstance(set_name, str)):
        return  # GZ-MS-009
    pointer = group.attribute_pointer("multiscales", "tile_matrix_set")
    there = {level.name: level for level in group.groups}
    wanted = list(inline) or [name for name in level_names(group.attributes) if name in there]
    for name in wanted:
        if "/" in name or name in (".", ".."):
            yield Fail(
                pointer, f"level {json_text(name)} is outside {group.path}", rule="GZ-MS-002"
            )
        elif name not in there:
            yield Fail(pointer, f"level {json_text(name)} has no child group")
    called = re.split("[/:]", str(set_name))[-1]
    known = called in KNOWN_SETS
    if not wanted and (
        known or not there
    ):  # of a set elsewhere nobody knows what its levels are called
        yield Fail(pointer, f"no child group of {group.path} is a level of {json_text(set_name)}")
    for name, undescribed in there.items():
        if name not in inline if inline else known and not _NUMBER.fullmatch(name):
            yield Fail(
                "",
                f"group {json_text(name)} is not a level of the tile matrix set",
                severity="info" if inline else None,
                path=undescribed.path,
                rule="GZ-MS-010",
            )
    found = [there[name] for name in wanted if name in there]
    arrays = {level.name: _arrays(level) for level in found}
    yield from _same_arrays(found, arrays)
    for level in found:
        for array in arrays[level.name].values():
            matrix = inline.get(level.name)
            tiled = known and called not in VARIABLE_TILES
            tile = (TILE, TILE) if tiled else _tile(matrix)
            yield from _chunks(array, arrays[level.name], tile)
    yield from _own_methods(given, found)
    yield from _same_crs(given, pointer, arrays, KNOWN_SETS.get(called, ()))


def _own_methods(given: Any, found: list[Group]) -> RuleOutput:
    """Compare the resampling methods that groups of levels give themselves."""
    method = member(given, "resampling_method")
    for level in found:
        for keys in (("resampling_method",), ("multiscales", "resampling_method")):
            own: Any = level.attributes
            for key in keys:
                own = member(own, key)
            if own is not None and own != method:
                yield Fail(
                    level.attribute_pointer(*keys),
                    f"level {json_text(level.name)} uses {json_text(own)}, all of them should use {json_text(method)}",
                    path=level.path,
                    rule="GZ-MS-016",
                )


def _tile(matrix: Mapping[str, Any] | None) -> tuple[int, int] | None:
    """Return the height and the width of the tiles of a tile matrix, None where it does not give them."""
    height, width = (member(matrix, name) for name in ("tileHeight", "tileWidth"))
    return (height, width) if type(height) is int and type(width) is int else None


def _arrays(level: Group) -> dict[str, Array]:
    children = level.hierarchy.children(level)
    return {child.name: child for child in children if isinstance(child, Array)}


def _same_arrays(found: list[Group], arrays: dict[str, dict[str, Array]]) -> RuleOutput:
    everything = {name: array for level in arrays.values() for name, array in level.items()}
    for level in found:
        own = arrays[level.name]
        if lacking := [name for name in everything if name not in own]:
            yield Fail(
                "",
                f"level {json_text(level.name)} has no {listed(map(json_text, lacking))}, unlike other levels",
                path=level.path,
                rule="GZ-MS-003",
            )
        for name, array in own.items():
            for field in ("data types", "dimension names", "units"):
                first = everything[name]
                if _field(array, field) != _field(first, field):
                    yield Fail(
                        "",
                        f"{array.path} and {first.path} have different {field}",
                        related=(first.path,),
                        path=array.path,
                        rule="GZ-MS-004",
                    )


def _field(array: Array, field: str) -> Any:
    if field == "units":
        return array.attributes.get("units")
    return array.data_type.name if field == "data types" else array.dimension_names


def _spatial_axes(array: Array, beside: Mapping[str, Array]) -> tuple[int, int] | None:
    """Return the axes that run north and east, by dimension names or by their coordinates."""
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


def _chunks(array: Array, beside: Mapping[str, Array], tile: tuple[int, int] | None) -> RuleOutput:
    shape, chunk = array.shape or (), array.chunk_shape
    if len(shape) < 2 or chunk is None:
        return
    axes = _spatial_axes(array, beside)
    if axes is None:
        shown = ", ".join(name or "(no name)" for name in array.dimension_names or ())
        yield Fail("", f"cannot identify X and Y in {shown}", path=array.path, rule="GZ-MS-013")
        return
    pointer = array.pointer("chunks" if array.zarr_format == 2 else "chunk_grid")
    names = array.dimension_names or ()
    for axis in axes:
        if chunk[axis] >= shape[axis] > 2 * TILE:
            yield Fail(
                pointer,
                f"{array.path} is one chunk along {names[axis]}",
                path=array.path,
                rule="GZ-MS-005",
            )
    own = [chunk[axis] for axis in axes]
    if tile is not None:
        wrong = (
            length != wanted and not shape[axis] <= length < wanted  # less than a tile is no tile
            for axis, length, wanted in zip(axes, own, tile, strict=True)
        )
        if any(wrong):
            yield Fail(
                pointer,
                f"chunks are {own[0]} × {own[1]}, tiles {tile[0]} × {tile[1]}",
                path=array.path,
                rule="GZ-MS-012",
            )
    elif any(chunk[axis] not in (TILE, 2 * TILE) and shape[axis] > TILE for axis in axes):
        yield Fail(
            pointer,
            f"chunks are {own[0]} × {own[1]}; 256 or 512 is recommended",
            path=array.path,
            rule="GZ-MS-006",
        )


def _same_crs(
    given: Any, pointer: str, arrays: dict[str, dict[str, Array]], theirs: tuple[str, ...]
) -> RuleOutput:
    """Compare the system of the tile matrix set with that of the data."""
    inline = member(given, "tile_matrix_set")
    named = member(inline, "crs") or member(inline, "supportedCRS")
    if named is None and not theirs:
        return
    if named is not None:
        code = crs.code(member(named, "uri") or named)
        theirs = () if code is None else (code,)
    for level in arrays.values():
        for array in level.values():
            mapping = array.attributes.get("grid_mapping")
            target = level.get(mapping) if isinstance(mapping, str) else None
            own = crs.described_code(target) if target is not None else None
            if not theirs or (target is not None and own is None):
                yield Undecided("unsupported: a reference system that names no code", "GZ-MS-011")
                return
            if own is not None and own not in theirs:
                yield Fail(
                    pointer,
                    f"the tile matrix set uses {theirs[0]}, {array.path} uses {own}",
                    related=(array.path,),
                    rule="GZ-MS-011",
                )
                return
