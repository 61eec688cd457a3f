"""CF: whether programs for maps find the coordinates of a map and its reference system, and take them for a grid.

CF allows most of it (CF-1.11, 4.1, 4.2 and 5.6): it is what rioxarray, GDAL and what is built on them need.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from nz_explorer.conventions.cf.geographic import geographic
from nz_explorer.conventions.cf.orientation import has_reference_system
from nz_explorer.conventions.cf.unreferenced import MAPPING
from nz_explorer.documents.json_text import json_text
from nz_explorer.documents.json_types import is_one_of
from nz_explorer.engine.findings import Fail, FixMaker
from nz_explorer.engine.fixes import Draft, set_attribute
from nz_explorer.engine.registry import rule
from nz_explorer.model import Array, Group, Node
from nz_explorer.model.attribute_types import unpacked_number
from nz_explorer.model.dialects.crs import (
    X_NAMES,
    Y_NAMES,
    code,
    described_code,
    without_number,
)
from nz_explorer.model.dialects.multiscales import levels, tile_size
from nz_explorer.model.paths import all_above

if TYPE_CHECKING:
    from nz_explorer.values.coordinates.monotonicity import Monotonicity

_PROJECTED = ("projection_y_coordinate", "projection_x_coordinate")
_GEOGRAPHIC = ("latitude", "longitude")
_UNREAD = ("crs", "epsg", "EPSG", "srs", "proj4", "proj:epsg")
"""Attributes, and names of scalars, that people keep a reference system in, and that no reader looks at."""
_DEGREES = {
    **dict.fromkeys(("lat", "latitude"), "degrees_north"),
    **dict.fromkeys(("lon", "longitude"), "degrees_east"),
}
"""Units by the names that latitudes and longitudes have."""
_KNOWN = ({"x", "y"}, {"longitude", "latitude"})
"""Names of dimensions that rioxarray knows without any attribute."""
_POLE, _CLOSE = 90, 0.01
EASTERNMOST = 180.5
"""How far east longitudes may go: those of the last cell may be beyond 180."""
UNEVEN = 0.01
"""By what part of their mean spacings of a grid may differ; coordinates are often rounded."""


def _maps(group: Group) -> Iterator[tuple[Array, Array, list[Array]]]:
    """Yield the coordinates of the last two dimensions of arrays, y and x, and those arrays."""
    there = group.coordinates
    for (names, _), arrays in group.layouts.items():
        if names is not None and len(names) > 1 and names[-2] in there and names[-1] in there:
            yield there[names[-2]], there[names[-1]], arrays


@rule("CF-REF-006", on="members")
def reference_system_is_told(group: Group) -> Iterator[Fail]:
    """Note maps of a projection that nothing names, or that is named where readers do not look."""
    if group.with_attribute("grid_mapping", *MAPPING):
        return  # CF-REF-001 and CF-REF-004
    for y, x, arrays in _maps(group):
        holders = [arrays[0], group, *_loaded_above(group)]
        if any(one in arrays for one in group.with_attribute("_CRS")):
            return  # GDAL knows it
        above = next((node for node in holders[1:] if "_CRS" in node.attributes), None)
        if above is not None:
            yield Fail(
                "",
                f"{above.path} has _CRS, which GDAL reads from arrays alone: it finds no reference system for {arrays[0].path}",
                path=arrays[0].path,
                related=(above.path, *(array.path for array in arrays[1:6])),
                readers={"GDAL": "finds no reference system"},
                fix=_on_arrays(above.attributes["_CRS"], arrays),
            )
            return
        projected = tuple(one.attributes.get("standard_name") for one in (y, x)) == _PROJECTED
        told = next((named for node in holders if (named := described_code(node))), None)
        place, named = _unread(group, holders)
        if told is not None:
            said = f"{told} is told by attributes of proj: alone: many readers of maps, such as GDAL before 3.13, look for grid_mapping"
        elif named:
            whole = f"EPSG:{named}" if named.isdecimal() else named
            told = None if without_number(whole) else code(whole) or whole
            said = f"{place} says {json_text(named)}, where readers of maps do not look: they look for grid_mapping"
        elif projected:
            said = f"{y.path} and {x.path} are coordinates of a projection, and nothing says of which: readers of maps look for grid_mapping"
        else:
            continue
        yield Fail(
            "",
            f"{said}, and find no reference system",
            path=arrays[0].path,
            related=(y.path, x.path, *(array.path for array in arrays[1:6])),
            fix=_written(told),
        )
        return


def _loaded_above(group: Group) -> Iterator[Node]:
    for path in all_above(group.path):
        node = group.hierarchy.node_if_loaded(path)
        if node is not None:
            yield node


def _unread(group: Group, holders: list[Node]) -> tuple[str, str]:
    """Return where a reference system is told that no reader finds, and what is said there; empty texts where none is."""
    for node in holders:
        attributes = node.attributes
        for name in _UNREAD:
            given = attributes.get(name)
            if isinstance(given, str | int) and not isinstance(given, bool) and str(given):
                return f"{json_text(name)} in the attributes of {node.path}", str(given)
    for (_, shape), arrays in group.layouts.items():
        for array in arrays if shape == () else ():
            if array.name in _UNREAD:
                return array.path, array.name
    return "", ""


def _written(named: str | None) -> FixMaker:
    system = named or "EPSG:…"
    note = f'with rioxarray: ds = ds.rio.write_crs("{system}"), and write ds again'
    return lambda _node: Draft("suggest", note=note)


def _on_arrays(given: Any, arrays: list[Array]) -> FixMaker:
    first, *others = (
        Draft("suggest", set_attribute(array, "_CRS", given), node=array) for array in arrays
    )
    return lambda _node: replace(first, also=tuple(others))


@rule("CF-MAP-003", on="values", when=lambda array, _: geographic(array) != "")
def degrees_of_the_globe(array: Array, found: Monotonicity) -> Iterator[Fail]:
    """Note longitudes beyond 180, and cells beyond the poles, beside a reference system, for which programs for maps look."""
    both = [unpacked_number(array.attributes, end) for end in (found.first, found.last)]
    ends = [end for end in both if isinstance(end, int | float)]
    if geographic(array) == "NS":
        length = (array.shape or (0,))[0]
        even = found.step is not None and len(ends) == len(both) and length > 1
        step = abs(ends[1] - ends[0]) / (length - 1) if even else 0
        edge = max(map(abs, ends), default=0) + step / 2
        if _POLE + step * _CLOSE < edge <= _POLE + step and has_reference_system(array):
            yield Fail(
                "",
                f"the cells of {array.path} end at {edge:g} degrees, beyond the poles: programs for tiles refuse such bounds",
                readers={"rio-tiler": "raises InvalidGeographicBounds"},
                fix=lambda _node: Draft(
                    "suggest",
                    note=f"leave the rows at the poles out: ds.isel({array.name}=(abs(ds.{array.name}) < 90).values), for such programs",
                ),
            )
    elif ends and max(ends) > EASTERNMOST and has_reference_system(array):
        name = array.name
        yield Fail(
            "",
            f"{array.path} goes to {max(ends):g} degrees: programs for maps count from −180 to 180, and find what is beyond"
            " outside of the map",
            fix=lambda _node: Draft(
                "suggest",
                note=f'with xarray: ds.assign_coords({name}=(ds.{name} + 180) % 360 - 180).sortby("{name}")',
            ),
        )


@rule("CF-MAP-004", on="members")
def coordinates_are_recognised(group: Group) -> Iterator[Fail]:
    """Note maps with a reference system whose coordinates do not say that they are those of a map."""
    systems = {array.name: array for array in group.with_attribute(*MAPPING)}
    for y, x, arrays in _maps(group) if systems else ():
        named = next(
            (a for a in arrays if is_one_of(a.attributes.get("grid_mapping"), systems)), None
        )
        if named is None or (_says_what(y, 0) and _says_what(x, 1)):
            continue
        system = systems[named.attributes["grid_mapping"]]
        names = f"{json_text(y.name)} and {json_text(x.name)}"
        readers = None
        if {y.name, x.name} not in _KNOWN:
            said = f"rioxarray does not take the dimensions {names} for those of a map"
        elif system.attributes.get("grid_mapping_name") == "latitude_longitude" and y.name == "y":
            said = f"the reference system is one of latitude and longitude, and readers that follow CF do not take {names} for them"
        elif {
            "units"
        } <= y.attributes.keys() & x.attributes.keys():  # described, and not as CF does
            said = f"the reference system is a projection, and readers that follow CF do not take {names} for its coordinates"
            readers = {"cf-xarray": "finds no coordinates X and Y"}
        else:
            continue
        yield Fail(
            "",
            f"{said}: their coordinates have neither a standard name nor an axis, nor units of degrees",
            path=named.path,
            related=(y.path, x.path),
            readers=readers,
            fix=_names_given(y, x, system),
        )


def _says_what(array: Array, place: int) -> bool:
    """Whether a coordinate says that it is y (0), or x (1), of a map."""
    attributes = array.attributes
    return (
        attributes.get("axis") == "YX"[place]
        or attributes.get("standard_name") == _PROJECTED[place]
        or geographic(array) == ("NS", "EW")[place]
    )


def _names_given(y: Array, x: Array, system: Array) -> FixMaker:
    geographic = system.attributes.get("grid_mapping_name") == "latitude_longitude"
    first, second = _GEOGRAPHIC if geographic else _PROJECTED
    note = f"give {y.path} the standard_name {first}, and {x.path} {second}"
    if geographic:
        note += ", with the units degrees_north and degrees_east"
    return lambda _node: Draft("suggest", note=note)


def _is_of_tiles(group: Group) -> bool:
    return "multiscales" in group.attributes and tile_size(group.attributes) is not None


@rule("CF-MAP-007", on="members", when=_is_of_tiles)
def tiles_can_be_drawn(group: Group) -> Iterator[Fail]:
    """Note levels of a pyramid for maps in browsers that do not cover the world, or have values of 64 bits."""
    size = tile_size(group.attributes) or 1
    for number, level in enumerate(levels(group)):
        wanted = size * 2**number
        for name, shape in level.arrays.items():
            path = f"{level.path}/{name}"
            array = group.hierarchy.get(path)
            if isinstance(array, Array) and array.data_type.name in ("int64", "uint64"):
                short = array.data_type.name.replace("64", "32")
                yield Fail(
                    array.pointer("data_type" if array.zarr_format == 3 else "dtype"),
                    f"{path} is {array.data_type.name}, which zarr-js does not read, and carbonplan/maps with it",
                    path=path,
                    fix=_written_as(short),
                )
            if len(shape) > 1 and shape[-2:] != (wanted, wanted):
                yield Fail(
                    group.attribute_pointer("multiscales"),
                    f"{path} has {shape[-2]} × {shape[-1]} pixels, and level {level.name} of a map of the world in tiles of"
                    f" {size} has {wanted} × {wanted}: carbonplan/maps draws it in another place, or not at all",
                    related=(path,),
                    fix=_covers_the_world,
                )
                break


def _written_as(name: str) -> FixMaker:
    return lambda _node: Draft("suggest", note=f"write it as {name}, where its values fit")


def _covers_the_world(_node: Node) -> Draft:
    return Draft(
        "suggest",
        note="write the levels with pyramid_reproject of ndpyramid, which puts missing values around the data",
    )


def _is_bare(array: Array) -> bool:
    """Whether a coordinate has the name of a latitude or longitude, and nothing else that tells it."""
    return (
        array.name.lower() in _DEGREES
        and array.data_type.kind in ("int", "uint", "float")
        and array.attributes.keys().isdisjoint(("units", "standard_name", "axis"))
    )


@rule("CF-MAP-006", on="members")
def degrees_are_told(group: Group) -> Iterator[Fail]:
    """Note latitudes and longitudes that are known by their names alone."""
    for array in group.coordinates.values():
        if _is_bare(array):
            yield Fail(
                array.attribute_pointer("units"),
                f"{array.path} has neither units nor a standard name: programs that find latitude and longitude as CF has it do"
                " not find it",
                path=array.path,
                fix=_in_degrees(array),
            )


def _in_degrees(array: Array) -> FixMaker:
    # units alone say which of the two it is; a standard name is an attribute of CF, which is then to be declared
    operations = set_attribute(array, "units", _DEGREES[array.name.lower()])
    return lambda _node: Draft("suggest", operations, "if it is in degrees", node=array)


def is_of_a_map(array: Array, _: Any) -> bool:
    """Whether a coordinate is one of a map by its name, or says so.

    Parameters
    ----------
    array : Array
        The coordinate.
    _
        What is known of its values.
    """
    name = array.name.lower()
    return name in X_NAMES | Y_NAMES or _says_what(array, 0) or _says_what(array, 1)


@rule("CF-MAP-005", on="values", when=is_of_a_map)
def grid_is_even(array: Array, found: Monotonicity) -> Iterator[Fail]:
    """Note rows and columns of a map that are not evenly spaced, beside a reference system."""
    if found.spread is not None and found.spread > UNEVEN and has_reference_system(array):
        yield Fail(
            "",
            f"{array.path} is not evenly spaced, by {found.spread:.0%} of its spacing: GDAL gives no geotransform then, and"
            " rioxarray one of the mean spacing, which puts cells in the wrong place",
            fix=lambda _node: Draft(
                "suggest",
                note="interpolate the data to an even grid, where they are given to such programs",
            ),
        )
