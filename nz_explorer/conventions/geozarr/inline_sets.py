"""GZ: tile matrix sets that are given inline are such as the OGC's standard describes (GeoZarr draft, section 8.2.3)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from nz_explorer.conventions.geozarr.tile_matrix_sets import (
    as_integer,
    code_of_set,
    exchanged_origin,
    is_positive,
    listed_matrices,
    metres_of_unit,
    wrong_size,
    x_is_first,
)
from nz_explorer.documents.json_text import json_text
from nz_explorer.engine.findings import Fail, RuleOutput
from nz_explorer.engine.fixes import Draft, replace
from nz_explorer.model.dialects import crs
from nz_explorer.model.dialects.cs import numbers
from nz_explorer.model.dialects.multiscales import identifier, level_name, member
from nz_explorer.text.phrases import listed

if TYPE_CHECKING:
    from nz_explorer.engine.findings import FixMaker

REQUIRED = ("scaleDenominator", "cellSize", "pointOfOrigin", "matrixWidth", "matrixHeight")
"""What a tile matrix must have besides its id and the size of its tiles."""
CORNERS = ("topLeft", "bottomLeft")
"""Where the OGC's standard lets tiles be counted from."""
PIXEL = 0.00028
"""How large a pixel of the OGC's standard is, in metres: a scale is how much larger a cell is."""
OLDER = {"pointOfOrigin": "topLeftCorner"}
"""Names in the first version of the OGC's standard."""


def inline_set(given: Any, pointer: str) -> RuleOutput:
    """Require an inline set to be one of the OGC's standard: its tile matrices have ids of their own, tiles of a size, and a place.

    Parameters
    ----------
    given
        The value of multiscales.
    pointer : str
        Its pointer.
    """
    at, matrices = listed_matrices(given)
    if lacking := _lacking(given.get("tile_matrix_set"), matrices):
        why = f"tile_matrix_set has no valid {listed(lacking)}, which the OGC's standard requires"
        yield Fail(f"{pointer}/tile_matrix_set", why, rule="GZ-MS-009")
    seen: set[str] = set()
    for i, one in enumerate(matrices):
        own, here = identifier(one), f"{pointer}/tile_matrix_set/{at}/{i}"
        name = level_name(own)
        if not isinstance(own, str):
            got = json_text(own) if own is not None else "nothing"
            why = f"the id of tile matrix {i} must be a text, the name of the group of its level; got {got}"
            fix = _as_text(here, one, name) if name not in seen else None
            yield Fail(f"{here}/{_member_of_id(one)}", why, fix=fix, rule="GZ-MS-009")
        if name is None:
            continue
        if name in seen:
            why = f"two tile matrices have the id {json_text(name)}"
            yield Fail(f"{here}/{_member_of_id(one)}", why, rule="GZ-MS-009")
        elif (size := wrong_size(one)) is not None:
            why = f"tile matrix {json_text(name)} must have tileWidth and tileHeight, as integers above 0"
            yield Fail(f"{here}/{size}", why, rule="GZ-MS-009")
        corner = member(one, "cornerOfOrigin")
        if corner is not None and corner not in CORNERS:
            why = f"cornerOfOrigin of tile matrix {json_text(name)} must be {' or '.join(CORNERS)}, got {json_text(corner)}"
            yield Fail(f"{here}/cornerOfOrigin", why, rule="GZ-MS-009")
        seen.add(name)
    yield from _sizes_of_cells(given, matrices, f"{pointer}/tile_matrix_set/{at}")
    yield from _origins(given, matrices, f"{pointer}/tile_matrix_set/{at}")


def _origins(given: Any, matrices: list[Any], pointer: str) -> RuleOutput:
    """Report origins that are on the map only with their numbers exchanged: they are in the order of the axes of the system."""
    found = {
        f"{pointer}/{i}/{'pointOfOrigin' if 'pointOfOrigin' in one else 'topLeftCorner'}": right
        for i, one in enumerate(matrices)
        if (right := exchanged_origin(given, one)) is not None
    }
    if found:
        at, right = next(iter(found.items()))
        first = "X" if x_is_first(given) else "Y"
        yield Fail(
            at,
            f"{at.rpartition('/')[2]} is {json_text(right[::-1])}, beside the map of {code_of_set(given)}, whose first axis is that of"
            f" {first}: {json_text(right)} is on it",
            fix=lambda _node: Draft(
                "suggest", tuple(replace(one, value) for one, value in found.items())
            ),
            rule="GZ-MS-009",
        )


def _sizes_of_cells(given: Any, matrices: list[Any], pointer: str) -> RuleOutput:
    """Compare the two ways to say how large cells are: one is the other in the units of the one reference system."""
    sizes = {
        i: (identifier(one), size, scale)
        for i, one in enumerate(matrices)
        if _is_valid("cellSize", size := member(one, "cellSize"))
        and _is_valid("scaleDenominator", scale := member(one, "scaleDenominator"))
    }
    ratios = {i: size / scale for i, (_, size, scale) in sizes.items()}
    begin = next(iter(sizes), 0)
    others = [i for i in sizes if not math.isclose(ratios[i], ratios[begin], rel_tol=0.01)]
    for i in others:
        told = (f"{ratios[one]:.4g} in {json_text(sizes[one][0])}" for one in (begin, i))
        yield Fail(
            f"{pointer}/{i}/cellSize",
            f"cellSize divided by scaleDenominator is {' and '.join(told)}: it is the same in all tile matrices of a set",
            rule="GZ-MS-009",
        )
    unit = metres_of_unit(given)
    if not sizes or others or unit is None:
        return
    wanted = PIXEL / unit
    if math.isclose(ratios[begin], wanted, rel_tol=0.01):
        return
    at, (_, cell, scale) = f"{pointer}/{begin}/scaleDenominator", sizes[begin]
    if (other := _other_unit(unit, ratios[begin], matrices)) is not None:
        own = "degrees" if other == "metres" else "metres"
        yield Fail(
            at,
            f"scaleDenominator is {scale:.10g}, that of cells of {cell:.10g} {other}, and {code_of_set(given)} is in {own}: both are of"
            " another reference system",
            rule="GZ-MS-009",
        )
    else:
        right = {i: size / wanted for i, (_, size, _) in sizes.items()}
        yield Fail(
            at,
            f"scaleDenominator is {scale:.10g}, and that of cells of {cell:.10g} in {code_of_set(given)}"
            f" {right[begin]:.10g}: the OGC's standard counts pixels of 0.28 mm",
            fix=lambda _node: Draft(
                "suggest",
                tuple(replace(f"{pointer}/{i}/scaleDenominator", one) for i, one in right.items()),
            ),
            rule="GZ-MS-009",
        )


def _other_unit(unit: float, ratio: float, matrices: list[Any]) -> str | None:
    """Return the unit in which sizes of cells and scales agree where it is not that of the reference system; None where they do not.

    Scales of degrees are often made as if these were metres: then the system is right, and a matrix no wider than the world.
    """
    if unit == 1.0:
        return "degrees" if math.isclose(ratio, PIXEL / crs.DEGREE, rel_tol=0.01) else None
    sizes = (
        [member(one, name) for name in ("cellSize", "tileWidth", "matrixWidth")] for one in matrices
    )
    widths = (math.prod(map(float, one)) for one in sizes if all(map(is_positive, one)))
    beyond = max(widths, default=0) > 2 * 360
    return "metres" if beyond and math.isclose(ratio, PIXEL, rel_tol=0.01) else None


def _lacking(inline: Any, matrices: list[Any]) -> list[str]:
    """Return the members that a set, or one of its tile matrices, must have and has not, in either version of the standard.

    Not ids and sizes of tiles, which are told where they are missing.
    """
    if not matrices:
        return []  # there is no set
    found = [one for one in matrices if isinstance(one, Mapping)]
    systems = map(inline.get, ("crs", "supportedCRS"))
    lacking = [] if any(map(_is_system, systems)) else ["crs"]
    for name in REQUIRED:
        older = OLDER.get(name, name)
        if any(
            not _is_valid(name, one.get(name, one.get(older)))
            and not (name == "cellSize" and "identifier" in one)  # which the older has not
            for one in found
        ):
            lacking.append(name)
    return lacking


def _is_system(given: Any) -> bool:
    """Whether a member is a reference system in a form of the standard, or PROJJSON in place of one.

    The standard has a URI, alone or as `uri`, PROJJSON as `wkt`, and an object as `referenceSystem`; well-known text is
    understood as well.
    """
    if not isinstance(given, Mapping):
        return isinstance(given, str) and crs.names_a_system(given)
    uri, wkt = given.get("uri"), given.get("wkt")
    return (
        (isinstance(uri, str) and crs.names_a_system(uri))
        or (isinstance(wkt, str) and crs.names_a_system(wkt))
        or (isinstance(wkt, Mapping) and isinstance(wkt.get("name"), str))
        or isinstance(given.get("referenceSystem"), Mapping)
        or isinstance(given.get("name"), str)
    )


def _is_valid(name: str, value: Any) -> bool:
    """Whether a member of a tile matrix is what the standard says: integers, a point, or numbers above 0."""
    if name in ("matrixWidth", "matrixHeight"):
        return type(as_integer(value)) is int and is_positive(value)
    if name == "pointOfOrigin":
        return numbers(value, 2) is not None
    return is_positive(value)


def _as_text(pointer: str, matrix: Any, name: str | None) -> FixMaker | None:
    if name is None:
        return None
    at = f"{pointer}/{_member_of_id(matrix)}"
    return lambda _node: Draft("suggest", (replace(at, name),))


def _member_of_id(matrix: Any) -> str:
    """Return the member that has the id of a tile matrix, in either version of the standard."""
    older = isinstance(matrix, Mapping) and matrix.get("id") is None and "identifier" in matrix
    return "identifier" if older else "id"
