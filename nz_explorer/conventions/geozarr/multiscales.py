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
KNOWN_SETS = frozenset(
    (
        "CDB1GlobalGrid",
        "CanadianNAD83_LCC",
        "EuropeanETRS89_LAEAQuad",
        "GNOSISGlobalGrid",
        "LINZAntarticaMapTilegrid",
        "NZTM2000Quad",
        "UPSAntarcticWGS84Quad",
        "UPSArcticWGS84Quad",
        "UTM31WGS84Quad",
        "WGS1984Quad",
        "WebMercatorQuad",
        "WorldCRS84Quad",
        "WorldMercatorWGS84Quad",
    )
)
"""Tile matrix sets that are known by name (OGC Two Dimensional Tile Matrix Set)."""
_NUMBER = re.compile(r"-?\d+")
"""How tile matrices of these sets are called."""
TILE = 256
LIMITS = (("minTileRow", "maxTileRow", "matrixHeight"), ("minTileCol", "maxTileCol", "matrixWidth"))


def _claims(group: Group) -> bool:
    """Whether a group has multiscales that are the draft's, or nobody else's."""
    return family(group.attributes) == "GeoZarr" or (
        "multiscales" in group.attributes and family(group.attributes) is None
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
            at, f"limits must be an object by level, got {json_type(limits)}", rule="GZ-MS-014"
        )
        return
    for name, one in limits.items():
        why = _wrong_limits(one, matrices.get(name))
        if why is None and matrices and name not in matrices:
            why = "there is no such level in the set"
        if why is not None:
            yield Fail(at, f"limits of level {json_text(name)}: {why}", rule="GZ-MS-014")


def _wrong_limits(given: Any, matrix: Mapping[str, Any] | None) -> str | None:
    if not isinstance(given, Mapping):
        return "they are not an object"
    for low, high, size in LIMITS:
        first, last = given.get(low), given.get(high)
        if type(first) is not int or type(last) is not int:
            return f"{low} and {high} must be integers"
        if not 0 <= first <= last:
            return f"{low} {first} and {high} {last} are not a range"
        count = matrix.get(size) if matrix is not None else None
        if type(count) is int and last >= count:
            return f"{high} {last} exceeds {size} {count}"
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
            yield Fail(pointer, f"tile matrix {json_text(name)} has no group", rule="GZ-MS-010")
    known = re.split("[/:]", str(set_name))[-1] in KNOWN_SETS
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
            yield from _chunks(array, arrays[level.name], inline.get(level.name))
    yield from _same_crs(given, pointer, arrays)


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
                f"level {json_text(level.name)} has no {listed(lacking)}",
                path=level.path,
                rule="GZ-MS-003",
            )
        for name, array in own.items():
            for field in ("data type", "dimension names", "units"):
                first = everything[name]
                if _field(array, field) != _field(first, field):
                    yield Fail(
                        "",
                        f"{name}: {field} of {array.path} and {first.path} differ",
                        related=(first.path,),
                        path=array.path,
                        rule="GZ-MS-004",
                    )


def _field(array: Array, field: str) -> Any:
    if field == "units":
        return array.attributes.get("units")
    return array.data_type.name if field == "data type" else array.dimension_names


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


def _chunks(
    array: Array, beside: Mapping[str, Array], matrix: Mapping[str, Any] | None
) -> RuleOutput:
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
    tile = [member(matrix, name) for name in ("tileHeight", "tileWidth")]
    for axis in axes:
        if chunk[axis] >= shape[axis] > 2 * TILE:
            yield Fail(
                pointer,
                f"{array.path} is one chunk along {names[axis]}",
                path=array.path,
                rule="GZ-MS-005",
            )
    own = [chunk[axis] for axis in axes]
    if all(type(length) is int for length in tile):
        if own != tile:
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


def _same_crs(given: Any, pointer: str, arrays: dict[str, dict[str, Array]]) -> RuleOutput:
    """Compare the system of the tile matrix set with that of the data."""
    inline = member(given, "tile_matrix_set")
    named = member(inline, "crs") or member(inline, "supportedCRS")
    if named is None:
        return
    theirs = crs.code(member(named, "uri") or named)
    for level in arrays.values():
        for array in level.values():
            mapping = array.attributes.get("grid_mapping")
            target = level.get(mapping) if isinstance(mapping, str) else None
            own = crs.described_code(target) if target is not None else None
            if theirs is None or (target is not None and own is None):
                yield Undecided("unsupported: a reference system that names no code", "GZ-MS-011")
                return
            if own is not None and own != theirs:
                yield Fail(
                    pointer,
                    f"the tile matrix set uses {theirs}, {array.path} uses {own}",
                    related=(array.path,),
                    rule="GZ-MS-011",
                )
                return
