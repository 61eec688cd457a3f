"""CF: coordinates and grid mappings that no array names, so that readers do not know what they are for (CF-1.11, 5.2 and 5.6)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from nz_explorer.conventions.zarr3.chunks import nothing_is_found, shown_by_xarray
from nz_explorer.documents.json_types import is_one_of
from nz_explorer.engine.findings import Fail, FixMaker, Undecided
from nz_explorer.engine.fixes import Draft, set_attribute
from nz_explorer.engine.registry import rule
from nz_explorer.model import Group, is_candidate
from nz_explorer.model.dialects.crs import X_NAMES, Y_NAMES
from nz_explorer.model.dialects.cs import coordinate_system
from nz_explorer.model.dialects.ref import Reference, resolve
from nz_explorer.model.fill_values import value_text
from nz_explorer.text.phrases import listed, noun
from nz_explorer.text.units import hemispheres

if TYPE_CHECKING:
    from nz_explorer.model import Array, Node
    from nz_explorer.values.contents import Contents

MAPPING = ("grid_mapping_name", "crs_wkt", "spatial_ref")
"""Attributes of an array that hold a coordinate reference system."""
_NAMING = (
    "coordinates",
    "bounds",
    "ancillary_variables",
    "cell_measures",
    "formula_terms",
    "climatology",
)
MOST_CHANGED = 50
"""Arrays that a fix gives an attribute."""


def _named(group: Group) -> set[str]:
    """Return all that arrays of a group, or the group, name as belonging to them."""
    words: set[str] = set()
    for attribute in _NAMING:
        for node in (group, *group.with_attribute(attribute)):
            given = node.attributes.get(attribute)
            if isinstance(given, str):
                words.update(word.rpartition("/")[2] for word in given.split())
    return words


_POSITIONS = frozenset(
    ["latitude", "longitude", "projection_x_coordinate", "projection_y_coordinate"]
)
"""Standard names of what says where a value is."""

_NOT_FINITE = ("NaN", "Infinity", "-Infinity")


def _is_position(array: Array, _: Contents) -> bool:
    """Whether an array is a coordinate, and not that of a dimension, which NZ-COORD-008 is about."""
    numpy, group = array.data_type.numpy, array.hierarchy.get(array.parent or "/")
    if numpy is None or numpy.kind not in "iuf" or not array.shape or is_candidate(array):
        return False
    if is_one_of(array.attributes.get("standard_name"), _POSITIONS) or _is_horizontal(array):
        return True
    beside = group.arrays if isinstance(group, Group) else []
    named = (one.attributes.get("coordinates") for one in beside)
    return any(isinstance(names, str) and array.name in names.split() for names in named)


def _is_horizontal(array: Array) -> bool:
    """Whether an array of two dimensions is a latitude, longitude, easting or northing.

    A name tells it only where the dimensions have names, too: X of anndata is a matrix without.
    """
    return len(array.shape or ()) == 2 and (
        is_one_of(array.attributes.get("standard_name"), _POSITIONS)
        or hemispheres(array.attributes.get("units")) != ""
        or (array.name.lower() in X_NAMES | Y_NAMES and any(array.dimension_names or ()))
    )


@rule("CF-COORD-004", on="contents", when=_is_position)
def coordinates_have_values(array: Array, contents: Contents) -> Iterator[Fail | Undecided]:
    """Warn of a coordinate without a single value."""
    scan = contents.scan
    if scan is None:
        yield Undecided(contents.problem)
        return
    size = math.prod(array.shape or ())
    if scan.faults or not size:
        return
    default = "" if contents.census is None else contents.census.reads_as
    default = shown_by_xarray(array, default)
    # what was not written is a value like any other, unless it reads as missing
    read = 0 if default in _NOT_FINITE else scan.states.get("absent", 0)
    # the scan takes what only CF masks for values, of which the least and the greatest are known
    marks = [one.text for one in array.missing_values if one.value in (scan.minimum, scan.maximum)]
    count = 0 if marks and scan.minimum == scan.maximum else scan.count
    missing = size - count - read
    if not count:
        if nothing_is_found(contents):
            what = "no chunk of it is written"
        elif read:
            what = f"all {missing:,} values that are written are missing"
        else:
            what = ("the only value is" if size == 1 else f"all {size:,} values are") + " missing"
        shown = f"{'NaN and ' if missing else ''}{default}"
        note = "compute the coordinate, or take its name out of coordinates"
        yield Fail(
            "",
            f"{array.path} is a coordinate, and {what}: nothing tells where the data are",
            readers={"xarray": f"shows {shown} in place of positions"} if read else None,
            fix=lambda _node: Draft("suggest", note=note),
            covers=("Z2-CHUNK-005", "Z3-CHUNK-004"),
        )
    elif not _is_horizontal(array):
        return
    elif (
        not missing
        and scan.minimum == scan.maximum
        and (not read or value_text(scan.minimum) == default)
        and min(array.shape or (0,)) > 1
    ):
        text = value_text(scan.minimum)
        yield Fail(
            "",
            f"{array.path} is a coordinate, and all {size:,} values are {text}: nothing tells where the data are",
            readers={"xarray": f"shows {text} in place of positions"},
            fix=lambda _node: Draft(
                "suggest",
                note="compute the coordinate; if this stands for missing data, declare it with _FillValue",
            ),
        )
    elif missing or marks:
        some = f"{missing:,} of the {size:,} values of {array.path} {noun(missing, 'is')} missing"
        if marks:
            also = f"; {some}" if missing else ""
            some = f"values of {array.path} are missing, as they equal missing_value {listed(marks)}{also}"
        yield Fail(
            "",
            f"{some}: matplotlib draws no pcolormesh by such a coordinate",
            severity="info",
            impact="advice",
            readers={"matplotlib": "raises ValueError: x and y cannot have non-finite values"},
            fix=lambda _node: Draft(
                "suggest",
                note="nothing need be wrong where a swath has no data; draw such a map by points, or compute the places",
            ),
        )


def _with_coordinates(group: Group) -> list[Array]:
    """Return the arrays of a group whose last two dimensions both have a coordinate."""
    there = group.coordinates.keys()
    return [
        array
        for array in group.arrays
        if len(names := array.dimension_names or ()) > 1 and {names[-1], names[-2]} <= there
    ]


@rule("CF-REF-004", on="members")
def grid_mapping_is_named(group: Group) -> Iterator[Fail]:
    """Note a coordinate reference system that no array says to be its own."""
    mappings = [one for one in group.with_attribute(*MAPPING) if one.shape in ((), (1,))]
    if len(mappings) != 1 or group.with_attribute("grid_mapping"):
        return
    (mapping,) = mappings
    users = _with_coordinates(group)
    if users:
        yield Fail(
            "",
            f"{mapping.path} holds a coordinate reference system, and no array names it in grid_mapping: readers of maps,"
            " such as rioxarray and GDAL, find none",
            path=mapping.path,
            related=tuple(array.path for array in users[:5]),
            fix=_give("grid_mapping", mapping.name, users),
        )


@rule("CF-REF-005", on="members")
def coordinates_are_named(group: Group) -> Iterator[Fail]:
    """Note latitudes and longitudes in two dimensions, or more, that neither coordinates of an array nor geolocation names."""
    latitudes, longitudes = _positions(group)
    if len(latitudes) != 1 or len(longitudes) != 1:
        return  # which of several belong to what is not clear
    (latitude,), (longitude,) = latitudes, longitudes
    named = _named(group)
    if latitude.dimension_names != longitude.dimension_names or named & {
        latitude.name,
        longitude.name,
    }:
        return
    if any(array in (latitude, longitude) for array in _located(group)):
        return
    dimensions = set(latitude.dimension_names or ())
    users = [
        array
        for array in group.arrays
        if array not in (latitude, longitude)
        and array.name not in named
        and dimensions <= set(array.dimension_names or ())
    ]
    if users:
        yield Fail(
            "",
            f"{latitude.path} and {longitude.path} are latitudes and longitudes, and no array names them in coordinates",
            path=latitude.path,
            related=(longitude.path, *(array.path for array in users[:5])),
            readers={
                "xarray": f"shows {listed([latitude.name, longitude.name])} as data variables, not as coordinates"
            },
            impact="advice",
            fix=_give("coordinates", f"{latitude.name} {longitude.name}", users),
        )


def _located(group: Group) -> Iterator[Array | None]:
    """Yield the arrays that geolocation names, by itself or in a reference system of cs: neither uses attributes of CF."""
    given: list[tuple[Callable[[Any], Reference], Any]] = [
        (partial(resolve, home=node, text="geolocation"), node.attributes["geolocation"])
        for node in (group, *group.with_attribute("geolocation"))
        if "geolocation" in node.attributes
    ]
    for array in group.with_attribute("cs"):
        system = coordinate_system(array)
        given += [
            (crs.follow, crs.given.get("geolocation"))
            for crs in (() if system is None else system.crs)
            if isinstance(crs.given, Mapping)
        ]
    for follow, kinds in given:
        for pair in kinds.values() if isinstance(kinds, Mapping) else ():
            for direction in ("x", "y") if isinstance(pair, Mapping) else ():
                if direction in pair:
                    yield follow(pair[direction]).array


def _positions(group: Group) -> tuple[list[Array], list[Array]]:
    """Return the arrays along two named dimensions, or at each time, as WRF has them, that hold latitudes, and longitudes."""
    latitudes: list[Array] = []
    longitudes: list[Array] = []
    for (names, shape), arrays in group.layouts.items():
        if names is None or len(shape or ()) not in (2, 3) or not all(names):
            continue
        for array in arrays:
            sides = hemispheres(array.attributes.get("units"))
            if sides == "NS":
                latitudes.append(array)
            elif sides == "EW":
                longitudes.append(array)
    return latitudes, longitudes


def _give(attribute: str, value: str, users: list[Array]) -> FixMaker:
    """Return the fix that gives arrays an attribute, or more names in one that is there."""

    def with_own(array: Array) -> str:
        own = array.attributes.get(attribute)
        return f"{own} {value}" if own and isinstance(own, str) else value

    def fix(_node: Node) -> Draft:
        note = (
            None
            if len(users) <= MOST_CHANGED
            else f"the first {MOST_CHANGED} of {len(users)} arrays; the others likewise"
        )
        first, *others = [
            Draft("suggest", set_attribute(array, attribute, with_own(array)), note, node=array)
            for array in users[:MOST_CHANGED]
        ]
        return (
            first
            if not others
            else Draft(first.safety, first.operations, note, node=first.node, also=tuple(others))
        )

    return fix
