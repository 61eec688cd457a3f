"""GZ: multiscales of the GeoZarr draft (section 8.2). Those of other conventions are not judged here."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from nz_explorer.conventions.geozarr.attributes import says_the_same
from nz_explorer.conventions.geozarr.inline_sets import inline_set
from nz_explorer.conventions.geozarr.tile_matrix_sets import (
    KNOWN_SETS,
    as_integer,
    inline_as_text,
    listed_matrices,
    matrices_by_id,
    matrix_of_level,
    name_of_set,
    pointer_of_matrix,
)
from nz_explorer.documents.json_text import json_text
from nz_explorer.documents.json_types import json_type
from nz_explorer.engine.findings import Fail, RuleOutput
from nz_explorer.engine.fixes import Draft, add, move, replace
from nz_explorer.engine.registry import rule
from nz_explorer.model import Array, Group
from nz_explorer.model.dialects import crs
from nz_explorer.model.dialects.multiscales import family, member
from nz_explorer.text.phrases import listed

if TYPE_CHECKING:
    from nz_explorer.engine.findings import FixMaker

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
AUTHORITIES = ("EPSG", "ESRI", "IAU", "IGNF")
"""Those whose codes are reference systems. What looks like a code of others may be a URI."""
LIMITS = (
    ("min_tile_row", "max_tile_row", "matrixHeight"),
    ("min_tile_col", "max_tile_col", "matrixWidth"),
)
"""Limits of a level as in Listing 9, and the size of the tile matrix that they are within."""
_OF_THE_EOPF = "tile_matrix_limits"
"""What programs of the EOPF call the limits, and look for."""
OGC_LIMITS = {
    "min_tile_row": "minTileRow",
    "max_tile_row": "maxTileRow",
    "min_tile_col": "minTileCol",
    "max_tile_col": "maxTileCol",
}
"""How the OGC spells them, which the text sets aside."""


def has_tiles(attributes: Mapping[str, Any]) -> bool:
    """Whether multiscales have a form of the draft: that of another convention may be there beside it.

    Parameters
    ----------
    attributes : mapping
        Those of a node.
    """
    whose = family(attributes)
    beside = whose == "multiscales" and "tile_matrix_set" in attributes["multiscales"]
    return whose == "GeoZarr" or beside


def _claims(group: Group) -> bool:
    """Whether a group has multiscales that are the draft's, or nobody else's."""
    if "multiscales" not in group.attributes or "ome" in group.attributes:
        return False
    given = group.attributes["multiscales"]
    if isinstance(given, list):  # a list of OME-NGFF says where its datasets are
        return not any(isinstance(one, Mapping) and "datasets" in one for one in given)
    return family(group.attributes) is None or has_tiles(group.attributes)


@rule(
    "GZ-MS-007",
    on="array",
    needs=("attributes",),
    when=lambda array: has_tiles(array.attributes),
)
def on_an_array(array: Array) -> RuleOutput:
    """Note multiscales of an array, which has no levels."""
    yield Fail(
        array.attribute_pointer("multiscales"),
        "multiscales belongs to the group that holds the levels, and means nothing on an array",
    )


def _nearly_multiscales(group: Group) -> str | None:
    """Return the attribute that is nearly called multiscales and has its members, where there is none of that name."""
    if "multiscales" in group.attributes:
        return None
    for name in group.attributes:
        if re.sub(r"[\s_-]", "", name).lower() not in ("multiscales", "multiscale"):
            continue
        given = group.attributes[name]
        if isinstance(given, Mapping) and (
            "tile_matrix_set" in given or _spelled_otherwise("tile_matrix_set", given) is not None
        ):
            return name
    return None


@rule(
    "GZ-MS-007",
    on="group",
    needs=("attributes",),
    when=lambda group: _nearly_multiscales(group) is not None,
)
def under_its_name(group: Group) -> RuleOutput:
    """Require multiscales to be called that: under another name readers do not find it, nor do the rules of levels."""
    name = _nearly_multiscales(group)
    if name is None:
        return
    wrong, right = (group.attribute_pointer(one) for one in (name, "multiscales"))
    yield Fail(
        wrong,
        f"{json_text(name)} should be spelled multiscales: under this name the levels of the group are not found",
        fix=lambda _node: Draft("unsafe", (move(wrong, right),)),
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
            why = (
                f"{name} of multiscales is null" if name in given else f"multiscales has no {name}"
            )
            if (other := _spelled_otherwise(name, given)) is not None:
                why += f"; it has {other} instead"
            yield Fail(f"{pointer}/{name}", why, rule="GZ-MS-008")
    matrices = given.get("tile_matrix_set")
    if isinstance(matrices, str):
        if (inline := inline_as_text(matrices)) is not None:
            at = f"{pointer}/tile_matrix_set"
            yield Fail(
                at,
                "tile_matrix_set is a JSON object written as text; the object itself belongs there",
                fix=(lambda _node: Draft("unsafe", (replace(at, inline),)))
                if says_the_same(matrices)
                else None,
                rule="GZ-MS-009",
            )
        elif (code := crs.code(matrices)) is not None and _has_registered(code):
            of_it = [name for name, one in KNOWN_SETS.items() if code in one.codes[:1]]
            yield Fail(
                f"{pointer}/tile_matrix_set",
                f"tile_matrix_set {json_text(matrices)} is a reference system, and no tile matrix set",
                fix=_suggest(f"{pointer}/tile_matrix_set", of_it),
                rule="GZ-MS-009",
            )
        elif matrices not in KNOWN_SETS and ":" not in matrices:
            close = difflib.get_close_matches(matrices, KNOWN_SETS, 1)
            yield Fail(
                f"{pointer}/tile_matrix_set",
                f"tile_matrix_set {json_text(matrices)} is not known",
                fix=_suggest(f"{pointer}/tile_matrix_set", close),
                rule="GZ-MS-009",
            )
        elif (near := _nearly_registered(matrices)) is not None:
            yield Fail(
                f"{pointer}/tile_matrix_set",
                f"tile_matrix_set leads to {json_text(near[0])} in the register of the OGC, where the set is called"
                f" {json_text(near[1])}",
                fix=_suggest(
                    f"{pointer}/tile_matrix_set", [matrices.removesuffix(near[0]) + near[1]]
                ),
                rule="GZ-MS-009",
            )
    elif matrices is not None and not listed_matrices(given)[1]:
        at, listing = f"{pointer}/tile_matrix_set", member(matrices, "tileMatrices")
        yield Fail(
            at if listing != [] else f"{at}/tileMatrices",
            "tileMatrices of tile_matrix_set is empty: it lists no level"
            if listing == []
            else f"tile_matrix_set must be a name, a URI or an object with tileMatrices, a list; got {json_text(matrices)}",
            # which of the three it is may be chosen; that it is one of them is demanded
            rule="GZ-MS-009" if isinstance(matrices, Mapping) else "GZ-MS-008",
        )
    yield from inline_set(given, pointer)
    yield from _method(given, pointer)
    yield from _limits(group, given)


def _spelled_otherwise(name: str, given: Mapping[str, Any]) -> str | None:
    """Return the member that has the name of another one in CamelCase, as the OGC spells its own."""
    plain = name.replace("_", "")
    others = (one for one in given if one != name and one.replace("_", "").lower() == plain)
    return next(others, None)


def _has_registered(code: str) -> bool:
    """Whether the authority of a code is one of reference systems; of the OGC's only those are."""
    authority, _, own = code.partition(":")
    return authority in AUTHORITIES or (authority == "OGC" and own.startswith("CRS"))


_REGISTERED = re.compile(r"https?://www\.opengis\.net/def/tilematrixset/OGC/[^/]+/([^/]+)")


def _nearly_registered(uri: str) -> tuple[str, str] | None:
    """Return what a URI of the register of the OGC names, and the set that is meant by it; None where it is right or unknown."""
    found = _REGISTERED.fullmatch(uri)
    if found is None or found[1] in KNOWN_SETS:
        return None
    alike = {name.lower(): name for name in KNOWN_SETS}
    near = difflib.get_close_matches(found[1].lower(), alike, 1, 0.8)
    return (found[1], alike[near[0]]) if near else None


def _suggest(pointer: str, near: list[str]) -> FixMaker | None:
    return (lambda _node: Draft("suggest", (replace(pointer, near[0]),))) if near else None


def _method(given: Mapping[str, Any], pointer: str) -> RuleOutput:
    method = given.get("resampling_method")
    if method is not None and method not in METHODS:
        word = method.lower() if isinstance(method, str) else ""
        near = difflib.get_close_matches(OTHER_NAMES.get(word, word), METHODS, 1)
        yield Fail(
            f"{pointer}/resampling_method",
            f"{json_text(method)} is not a resampling method",
            fix=_suggest(f"{pointer}/resampling_method", near),
            rule="GZ-MS-015",
        )
    layout = given.get("layout")
    levels = [
        (pointer_of_matrix(pointer, given, name), name, matrix)
        for name, matrix in matrices_by_id(given).items()
    ] + [
        (f"{pointer}/layout/{index}", one.get("asset", str(index)), one)
        for index, one in enumerate(layout if isinstance(layout, list) else ())
        if isinstance(one, Mapping)  # multiscales lets levels differ, the draft does not
    ]
    for at, name, level in levels:
        own = level.get("resampling_method", method)
        method = own if method is None else method  # that there is none is GZ-MS-008
        if own != method:
            yield Fail(
                f"{at}/resampling_method",
                f"level {json_text(name)} uses {json_text(own)}, all of them should use {json_text(method)}",
                rule="GZ-MS-016",
            )


def _limits(group: Group, given: Mapping[str, Any]) -> RuleOutput:
    if "tile_matrix_set_limits" not in given:
        other = _spelled_otherwise("tile_matrix_set_limits", given)
        if other is None and _OF_THE_EOPF in given:
            other = _OF_THE_EOPF
        if other is not None:
            wrong, right = (
                group.attribute_pointer("multiscales", name)
                for name in (other, "tile_matrix_set_limits")
            )
            yield Fail(
                wrong,
                f"multiscales has {other}, and the text has tile_matrix_set_limits: under this name the limits are not found",
                # for the programs that look for the other name it stays
                fix=lambda _node: Draft(
                    "suggest",
                    (add(right, given[other]),) if other == _OF_THE_EOPF else (move(wrong, right),),
                ),
                severity="info",  # the member may be left out
                rule="GZ-MS-014",
            )
        return
    limits, matrices = given["tile_matrix_set_limits"], matrices_by_id(given)
    called = name_of_set(given)
    at = ("multiscales", "tile_matrix_set_limits")
    if not isinstance(limits, Mapping):
        yield Fail(
            group.attribute_pointer(*at),
            f"tile_matrix_set_limits must be an object by level, got {json_type(limits)}",
            rule="GZ-MS-014",
        )
        return
    for name, one in limits.items():
        where, why = wrong_limits(one, matrix_of_level(matrices, called, name))
        known = called in KNOWN_SETS and KNOWN_SETS[called].has(name)
        if not why and (matrices or called in KNOWN_SETS) and name not in matrices and not known:
            why = "there is no such level in the set"
        if why:
            yield Fail(
                group.attribute_pointer(*at, name, *where),
                f"limits of level {json_text(name)}: {why}",
                rule="GZ-MS-014",
            )
        elif others := [(old, new) for new, old in OGC_LIMITS.items() if old in one]:
            old, new = others[0]
            yield Fail(
                group.attribute_pointer(*at, name, old),
                f"limits of level {json_text(name)}: {old} is the spelling of the OGC, the text has {new}",
                severity="info",
                rule="GZ-MS-014",
            )


def wrong_limits(given: Any, matrix: Mapping[str, Any] | None) -> tuple[tuple[str, ...], str]:
    """Return which member of the limits of a level is wrong, where it is one, and why; nothing where none is.

    Parameters
    ----------
    given
        The limits of the level.
    matrix : mapping, optional
        The tile matrix of the level, as far as it is known.
    """
    if not isinstance(given, Mapping):
        return (
            (),
            f"they must be an object with {listed(name for one in LIMITS for name in one[:2])}",
        )
    for low, high, size in LIMITS:
        keys = [name if name in given else OGC_LIMITS[name] for name in (low, high)]
        first, last = (as_integer(given.get(key)) for key in keys)
        if type(first) is not int or type(last) is not int:
            one_wrong = [
                key for key in keys if key in given and type(as_integer(given[key])) is not int
            ]
            where = one_wrong[:1] if all(key in given for key in keys) else []
            return tuple(where), f"{low} and {high} must both be there, and be integers"
        if first < 0:
            return (keys[0],), f"{low} is {first}, and tiles are counted from 0"
        if first > last:
            return (keys[1],), f"{low} {first} is above {high} {last}"
        count = matrix.get(size) if matrix is not None else None
        if type(count) is int and last >= count:
            why = f"{high} is {last}, and {size} is {count}: counted from 0, the last tile is {count - 1}"
            return (keys[1],), why
    return (), ""
