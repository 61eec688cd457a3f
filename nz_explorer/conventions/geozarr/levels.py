"""GZ: the levels of multiscales of the GeoZarr draft (section 8.2), and what is in them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from typing import Any

from nz_explorer.conventions.geozarr.level_chunks import chunks_are_tiles, spatial_axes
from nz_explorer.conventions.geozarr.multiscales import LIMITS, has_tiles, wrong_limits
from nz_explorer.conventions.geozarr.rules import mapping_names
from nz_explorer.conventions.geozarr.tile_matrix_sets import (
    KNOWN_SETS,
    as_integer,
    matrices_by_id,
    matrix_of_level,
    name_of_set,
    pointer_of_matrix,
    tile_of,
)
from nz_explorer.documents.json_text import json_text
from nz_explorer.engine.findings import Fail, RuleOutput, Undecided
from nz_explorer.engine.registry import rule
from nz_explorer.model import Array, Group
from nz_explorer.model.dialects import crs
from nz_explorer.model.dialects.multiscales import level_names, member
from nz_explorer.model.named_array import named_array
from nz_explorer.text.phrases import listed, plural

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
    "GZ-MS-014",
    "GZ-MS-016",
)


@rule(*OF_LEVELS, on="members")
def levels(group: Group) -> RuleOutput:
    """Judge the levels that multiscales names: whether they are there, and what is in them."""
    given = group.attributes.get("multiscales")
    inline, set_name = matrices_by_id(given), member(given, "tile_matrix_set")
    if not has_tiles(group.attributes) or not (inline or isinstance(set_name, str)):
        return  # GZ-MS-009
    whole = group.attribute_pointer("multiscales")
    pointer = f"{whole}/tile_matrix_set"
    there = {level.name: level for level in group.groups}
    arrays_there = {array.name for array in group.arrays}
    called = name_of_set(given)
    known = KNOWN_SETS.get(called)
    wanted = list(inline) or (
        list(filter(known.has, there)) if known is not None else _of_a_set_elsewhere(group, there)
    )
    absent: list[str] = []
    for name in wanted:
        at = pointer_of_matrix(whole, given, name)
        if "/" in name or name in (".", ".."):
            why = f"level {json_text(name)} is by its id no group that is directly in {group.path}"
            yield Fail(at, why, rule="GZ-MS-002")
        elif name not in there and name not in arrays_there:
            absent.append(name)
    flat = {
        one.name: one
        for one in group.arrays
        if one.name in inline or (known is not None and known.has(one.name))
    }
    for name, one in flat.items():
        yield Fail("", f"level {json_text(name)} is an array, and must be a group", path=one.path)
    if not (wanted or there or flat):  # groups under other names are reported one by one
        yield Fail(pointer, f"no child group of {group.path} is a level of {json_text(set_name)}")
    found = [there[name] for name in wanted if name in there]
    arrays = {level.name: _arrays(level) for level in found}
    shown = {name for level in arrays.values() for name in level}
    undescribed = [
        one
        for name, one in there.items()
        if (name not in inline if inline else known is not None and not known.has(name))
    ]
    is_level = inline.__contains__ if inline or known is None else known.has
    inside = _levels_inside(found, is_level, shown)
    yield from _not_directly(group, inside.values())
    absent = [name for name in absent if name not in inside]
    # with the variables of the levels it is one under a wrong name, else something beside them
    misnamed = {one.name for one in undescribed if not shown or not shown.isdisjoint(_arrays(one))}
    renamed = len(misnamed) == len(absent)  # then a level under a wrong name is one fact, told once
    for name in () if renamed else absent:
        yield Fail(
            pointer_of_matrix(whole, given, name), f"level {json_text(name)} has no child group"
        )
    for other in undescribed:
        meant = other.name in misnamed
        lacking = f", and {listed(map(json_text, absent))} {'has' if len(absent) == 1 else 'have'} no group"
        yield Fail(
            "",
            f"group {json_text(other.name)} is not a level of the tile matrix set"
            + (lacking if meant and renamed else ""),
            severity=None if meant else "info",
            path=other.path,
            rule="GZ-MS-010",
        )
    yield from _same_arrays(found, arrays)
    for level in found:
        matrix = inline.get(level.name)
        tile = (known.tile,) * 2 if known is not None and known.tile else tile_of(matrix)
        sized = matrix_of_level(inline, called, level.name)
        yield from chunks_are_tiles(arrays[level.name], tile, sized)
        yield from _limits(group, level.name, arrays[level.name], tile, sized)
    yield from _own_methods(given, found, arrays)
    limits = member(given, "tile_matrix_set_limits")
    for name in limits if isinstance(limits, Mapping) and not inline else ():
        if name not in there and name not in flat and (known is None or known.has(name)):
            yield Fail(
                group.attribute_pointer("multiscales", "tile_matrix_set_limits", name),
                f"limits of level {json_text(name)}: {group.path} has no group of this level",
                rule="GZ-MS-014",
            )
    yield from _same_crs(given, pointer, arrays, known.codes if known is not None else ())


def _of_a_set_elsewhere(group: Group, there: Mapping[str, Group]) -> list[str]:
    """Return the levels of a set whose tile matrices nothing here lists: groups that are called by number, else those with variables of others."""
    numbered = [name for name in level_names(group.attributes) if name in there]
    if numbered or len(there) == 1:
        return numbered or list(there)
    variables = {name: {*_arrays(one)} for name, one in there.items()}
    often = Counter(name for own in variables.values() for name in own)
    return [name for name, own in variables.items() if any(often[one] > 1 for one in own)]


def _limits(
    group: Group,
    level: str,
    beside: Mapping[str, Array],
    tile: tuple[int, int] | None,
    matrix: Mapping[str, Any] | None,
) -> RuleOutput:
    """Note limits of a level that cover more tiles than there are in any of its arrays."""
    at = ("multiscales", "tile_matrix_set_limits", level)
    given = member(member(group.attributes["multiscales"], at[1]), level)
    if wrong_limits(given, matrix)[1]:
        return  # which is said already
    found = [
        [-(-shape[axis] // length) for axis, length in zip(axes, tile, strict=True)]
        for array in beside.values()
        if (axes := spatial_axes(array, beside)) is not None
        and (shape := array.shape) is not None
        and tile is not None
    ]
    for (low, high, _), there in zip(LIMITS, zip(*found, strict=True), strict=False):
        first, last = (as_integer(member(given, own)) for own in (low, high))
        if type(first) is not int or type(last) is not int:
            continue  # in the spelling of the OGC, which is said already
        if last - first >= max(there):
            yield Fail(
                group.attribute_pointer(*at),
                f"limits of level {json_text(level)}: {low} {first} to {high} {last} are {plural(last - first + 1, 'tile')},"
                f" and its arrays have {max(there)}",
                rule="GZ-MS-014",
            )
            return


def _own_methods(
    given: Any, found: list[Group], arrays: Mapping[str, Mapping[str, Array]]
) -> RuleOutput:
    """Compare the resampling methods that groups of levels, and arrays in them, give themselves."""
    method = member(given, "resampling_method")
    places: list[tuple[Group | Array, tuple[str, ...]]] = []
    for level in found:
        places += [
            (level, keys) for keys in (("resampling_method",), ("multiscales", "resampling_method"))
        ]
        places += [(array, ("resampling_method",)) for array in arrays[level.name].values()]
    for node, keys in places:
        own: Any = node.attributes
        for key in keys:
            own = member(own, key)
        method = own if method is None else method  # that there is none is GZ-MS-008
        if own is not None and own != method:
            who = f"level {json_text(node.name)}" if isinstance(node, Group) else node.path
            yield Fail(
                node.attribute_pointer(*keys),
                f"{who} uses {json_text(own)}, all of them should use {json_text(method)}",
                path=node.path,
                rule="GZ-MS-016",
            )


def _arrays(level: Group) -> dict[str, Array]:
    children = level.hierarchy.children(level)
    return {child.name: child for child in children if isinstance(child, Array)}


def _levels_inside(
    found: list[Group], is_level: Callable[[str], bool], variables: Container[str]
) -> dict[str, Group]:
    """Return groups in levels that are levels as well, by name: they are called like one, and have variables of the levels.

    Those of a level that is itself a pyramid are levels of that one.
    """
    return {
        one.name: one
        for level in found
        if "multiscales" not in level.attributes
        for one in level.hierarchy.children(level)
        if isinstance(one, Group)
        and is_level(one.name)
        and any(map(variables.__contains__, _arrays(one)))
    }


def _not_directly(group: Group, inside: Iterable[Group]) -> Iterator[Fail]:
    for one in inside:
        yield Fail(
            "",
            f"level {json_text(one.name)} is inside {one.parent}: all levels are directly in {group.path}",
            path=one.path,
            rule="GZ-MS-002",
        )


def _has_members(level: Group) -> bool:
    return next(iter(level.hierarchy.children(level)), None) is not None


def _same_arrays(found: list[Group], arrays: dict[str, dict[str, Array]]) -> RuleOutput:
    everything: dict[str, Array] = {}
    if found and not any(map(_has_members, found)):
        yield Fail("", "no level has any variable", rule="GZ-MS-003")
    for (
        level
    ) in found:  # the first level that has an array is the one that others are compared with
        everything = arrays[level.name] | everything
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
            first = everything[name]
            yield from _same_lengths(array, first, own)
            if _has_mapping(array) != _has_mapping(first):  # their names may differ
                with_it, without = (array, first) if _has_mapping(array) else (first, array)
                yield Fail(
                    array.attribute_pointer("grid_mapping"),
                    f"{with_it.path} has a grid mapping, {without.path} has none",
                    related=(first.path,),
                    path=array.path,
                    rule="GZ-MS-004",
                )
            for (field, own_value, pointer), (_, other, _) in zip(
                _fields(array), _fields(first), strict=True
            ):
                if own_value != other and not (
                    field == "dimension names" and None in (own_value, other)
                ):  # that it has none is reported
                    yield Fail(
                        pointer,
                        f"{array.path} and {first.path} have different {field}: {_named(own_value)} and {_named(other)}",
                        related=(first.path,),
                        path=array.path,
                        rule="GZ-MS-004",
                    )


def _has_mapping(array: Array) -> bool:
    """Whether an array has a grid mapping; also one that is no text, which is GZ-CRS-001."""
    given = array.attributes.get("grid_mapping")
    return bool(mapping_names(array)) or not (given is None or isinstance(given, str))


def _same_lengths(array: Array, first: Array, beside: Mapping[str, Array]) -> RuleOutput:
    """Compare two levels of an array along the dimensions other than X and Y, which are the same in all of a pyramid."""
    spatial = spatial_axes(array, beside)
    names, shape, other = array.dimension_names, array.shape, first.shape
    if spatial is None or names is None or shape is None or other is None:
        return
    if names != first.dimension_names or len(other) != len(shape):
        return  # which is said already
    for axis, name in enumerate(names):
        if axis not in spatial and shape[axis] != other[axis]:
            yield Fail(
                array.pointer("shape", axis),
                f"{json_text(name)} is {shape[axis]} long in {array.path} and {other[axis]} in {first.path}:"
                " levels differ along Y and X alone",
                related=(first.path,),
                path=array.path,
                rule="GZ-MS-004",
            )


def _fields(array: Array) -> Iterator[tuple[str, Any, str]]:
    """Yield what has to be the same in all levels: in words, of an array, and where it is."""
    v2 = array.zarr_format == 2
    names = array.dimension_names
    at_names = array.attribute_pointer("_ARRAY_DIMENSIONS")
    yield "data types", array.data_type.name, array.pointer("dtype" if v2 else "data_type")
    yield (
        "dimension names",
        None if names is None else list(names),
        at_names if v2 else array.pointer("dimension_names"),
    )
    yield "units", array.attributes.get("units"), array.attribute_pointer("units")


def _named(given: Any) -> str:
    return "none" if given is None else json_text(given)


def _own_codes(array: Array) -> list[str | None]:
    """Return the codes of the grid mappings of an array, those that are there; None of one that names no code."""
    found = (named_array(array, name) for name in mapping_names(array))
    return [crs.described_code(target) for target in found if target is not None]


def _also(code: str | None) -> tuple[str, ...]:
    """Return a code, and those of the same system with axes in another order."""
    same = next((one.codes for one in KNOWN_SETS.values() if code in one.codes), ())
    return () if code is None else (code, *same)


def _same_crs(
    given: Any, pointer: str, arrays: dict[str, dict[str, Array]], theirs: tuple[str, ...]
) -> RuleOutput:
    """Compare the system of the tile matrix set with that of the data, and tell the first that differs."""
    inline = member(given, "tile_matrix_set")
    key = next((key for key in ("crs", "supportedCRS") if member(inline, key) is not None), None)
    every = [array for level in arrays.values() for array in level.values()]
    if key is not None:
        named = member(inline, key)
        code = crs.code(member(named, "uri") or member(named, "wkt") or named)
        theirs, pointer = _also(code), f"{pointer}/{key}"
    unknown = key is not None and not theirs and bool(every)
    user = "the tile matrix set"
    for array in every:
        codes = _own_codes(array)
        own = [code for code in codes if code is not None]
        unknown = unknown or (bool(codes) and not own)
        if own and not theirs:  # where the set does not tell, its one system is that of the first
            user, theirs = array.path, tuple(other for code in own for other in _also(code))
        if own and set(own).isdisjoint(theirs):
            yield Fail(
                pointer,
                f"{user} uses {theirs[0]}, {array.path} uses {own[0]}"
                + ("" if user == "the tile matrix set" else ": a tile matrix set has one system"),
                related=(array.path,),
                rule="GZ-MS-011",
            )
            return
    if unknown:
        yield Undecided("unsupported: a reference system that names no code", "GZ-MS-011")
