"""Grids as zarr-conventions/spatial describes them: two dimensions, their lengths, a transform and a box."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any, TypeGuard

from nz_explorer.conventions.zarr3.nodes import numbers_of, set_to, shown
from nz_explorer.engine.findings import Fail
from nz_explorer.model import Array, Node
from nz_explorer.model.array import lengths as as_lengths
from nz_explorer.model.dialects import crs
from nz_explorer.model.dialects.cs import numbers
from nz_explorer.model.dialects.transforms import oblong

PREFIX = "spatial:"
DIMENSIONS, SHAPE = "spatial:dimensions", "spatial:shape"
TRANSFORM, BOX = "spatial:transform", "spatial:bbox"
REGISTRATION = "spatial:registration"
TYPE = "spatial:transform_type"
FURTHEST_X, FURTHEST_Y = 541.0, 91.0
"""Beyond these no numbers are longitudes or latitudes in degrees."""
SOUTHERN = 1e7
"""The northing of the equator in a zone of UTM of the south."""
CLOSE = 0.05
"""By what part of a cell the edges of a grid may differ that is described twice."""


def are_two(names: Any) -> TypeGuard[list[str]]:
    """Whether dimensions are two names, which is ZCF-SCHEMA-001 where they are not.

    Parameters
    ----------
    names : object
        What ``spatial:dimensions`` has.
    """
    texts = isinstance(names, list) and all(isinstance(name, str) for name in names)
    return texts and len(names) == 2


def are_lengths(given: Any) -> TypeGuard[list[int]]:
    """Whether a shape is one, which is ZCF-SCHEMA-001 where it is not.

    Parameters
    ----------
    given : object
        What ``spatial:shape`` has.
    """
    found = as_lengths(given)  # integers as JSON Schema has them, such as 100.0
    return found is not None and len(found) == 2 and 0 not in found


def exchanged(names: list[str]) -> bool:
    """Whether the first of two dimensions, which is to be that of y, is by its name that of x.

    Parameters
    ----------
    names : list of str
        Two dimensions.
    """
    first, second = names
    return crs.runs_east(first) and bool(second) and not crs.runs_east(second)


def y_and_x_instead(array: Array, names: list[str]) -> list[str] | None:
    """Return the dimensions of y and x of an array, by their names, where two that are not both of them are named for these.

    None where the array has not one of each, or not those that are named.

    Parameters
    ----------
    array : Array
        Some array.
    names : list of str
        Two dimensions.
    """
    dims = [name or "" for name in array.dimension_names or ()]
    found = [name for runs in (crs.runs_north, crs.runs_east) for name in dims if runs(name)]
    if len(found) != 2 or {*found} == {*names} or not {*names} <= {*dims}:
        return None
    return found if crs.runs_north(found[0]) and crs.runs_east(found[1]) else None


def names_meant(array: Array, names: list[str]) -> list[str] | None:
    """Return the dimensions of an array that are meant by two names, of which it has not both; None where that is not clear.

    They are its y and its x by their names, or are called the same but for capitals.

    Parameters
    ----------
    array : Array
        Some array.
    names : list of str
        Two names.
    """
    dims = [name for name in array.dimension_names or () if name]
    by_role = [[one for one in dims if runs(one)] for runs in (crs.runs_north, crs.runs_east)]
    alike = [[one for one in dims if one.lower() == name.strip().lower()] for name in names]
    for found in (by_role, alike):
        if [len(one) for one in found] == [1, 1] and found[0] != found[1]:
            return [found[0][0], found[1][0]]
    return None


def lengths_of(array: Array, names: list[str]) -> list[int] | None:
    """Return how long dimensions of an array are, None where it has not all of them, or where its y and x are others.

    Parameters
    ----------
    array : Array
        Some array.
    names : list of str
        Names of dimensions.
    """
    dims, shape = array.dimension_names or (), array.shape or ()
    if (
        len(dims) != len(shape)
        or not {*names} <= {*dims}
        or y_and_x_instead(array, names) is not None
    ):
        return None
    return [shape[dims.index(name)] for name in names]


def in_force(node: Node) -> Mapping[str, Any]:
    """Return the attributes that count for a node: of an array also those of its group that it has not.

    Parameters
    ----------
    node : Node
        A group or an array.
    """
    above = node.parent if isinstance(node, Array) else None
    parent = node.hierarchy.node_if_loaded(above) if above else None
    if parent is None:
        return node.attributes
    given = parent.attributes
    # each level of a pyramid has a transform of its own, which the pyramid may say
    apart = TRANSFORM if "multiscales" in given else None
    return {n: given[n] for n in given if n.startswith(PREFIX) and n != apart} | dict(
        node.attributes
    )


def numbers_in(given: Any, count: int) -> list[float] | None:
    """Return a list of so many numbers, None where it is none, or has integers that no float can hold.

    Parameters
    ----------
    given : object
        Any JSON value.
    count : int
        How many numbers there are to be.
    """
    return numbers_of(given) if numbers(given, count) is not None else None


def is_affine(given: Mapping[str, Any]) -> bool:
    """Whether a transform is one of six factors, which it is where nothing else is said.

    Parameters
    ----------
    given : Mapping
        Attributes.
    """
    return bool(given.get(TYPE, "affine") == "affine")


def degrees_beyond(given: Mapping[str, Any]) -> tuple[str, str] | None:
    """Return what of a box, or else of the origin of a transform, no longitude or latitude is, and the system in degrees.

    Parameters
    ----------
    given : Mapping
        Attributes of spatial: and of proj: that count for a node.
    """
    system = _in_degrees(given)
    box, transform = numbers_in(given.get(BOX), 4), numbers_in(given.get(TRANSFORM), 6)
    if box is not None:
        name, x, y = BOX, box[::2], box[1::2]
    elif transform is not None and is_affine(given):
        name, x, y = TRANSFORM, transform[2:3], transform[5:6]
    else:
        return None
    # longitudes may go on to 360 and beyond the antimeridian, and the outer cells half a cell over the poles
    beyond = any(abs(one) > FURTHEST_X for one in x) or any(abs(one) > FURTHEST_Y for one in y)
    return (name, system) if system is not None and beyond else None


def _in_degrees(given: Mapping[str, Any]) -> str | None:
    """Return how a system of longitudes and latitudes is named, None where it is another one or not known."""
    code, text, parts = (given.get(f"proj:{name}") for name in ("code", "wkt2", "projjson"))
    if isinstance(code, str):
        return code if code.strip().upper() in crs.GEOGRAPHIC else None
    if isinstance(text, str):
        begins = text.lstrip().upper().startswith(("GEOGCRS", "GEOGRAPHICCRS"))
        return "a geographic system" if begins and '"degree"' in text.lower() else None
    if isinstance(parts, Mapping) and parts.get("type") == "GeographicCRS":
        return "a geographic system" if '"unit": "degree"' in json.dumps(parts) else None
    return None


def is_exchanged(box: list[float]) -> bool:
    """Whether a minimum of a box is above its maximum.

    Parameters
    ----------
    box : list of float
        xmin, ymin, xmax and ymax.
    """
    return box[0] > box[2] or box[1] > box[3]


def box_of(transform: list[float], shape: list[int], *, nodes: bool) -> list[float]:
    """Return the box of a grid, which may be rotated.

    Parameters
    ----------
    transform : list of float
        The six factors.
    shape : list of int
        The number of rows and of columns.
    nodes : bool
        Whether the box goes through the middle of the outer cells.
    """
    a, b, c, d, e, f = transform
    # no array is longer, and no float holds every integer of JSON
    rows, columns = (min(length, 2**63) - nodes for length in shape)
    corners = [(i, j) for i in (0, columns) for j in (0, rows)]
    x, y = ([p * i + q * j + r for i, j in corners] for p, q, r in ((a, b, c), (d, e, f)))
    return [min(x), min(y), max(x), max(y)]


def apart(box: list[float], other: list[float], transform: list[float]) -> list[float]:
    """Return how many cells two boxes are apart on each side, infinitely many where cells have no size.

    Parameters
    ----------
    box, other : list of float
        xmin, ymin, xmax and ymax.
    transform : list of float
        The six factors.
    """
    a, b, _, d, e, _ = map(abs, transform)
    return [
        abs(one - another) / step if step else math.inf
        for one, another, step in zip(box, other, (a + b, d + e) * 2, strict=True)
    ]


def is_box_of(box: list[float], transform: list[float], shape: list[int], *, nodes: bool) -> bool:
    """Whether a box is that of a grid, but for a small part of a cell.

    Parameters
    ----------
    box : list of float
        xmin, ymin, xmax and ymax.
    transform : list of float
        The six factors.
    shape : list of int
        The number of rows and of columns.
    nodes : bool
        Whether the box goes through the middle of the outer cells.
    """
    return max(apart(box, box_of(transform, shape, nodes=nodes), transform)) <= CLOSE


def exchanged_origin(given: list[float]) -> list[float]:
    """Return a transform with the two numbers of its origin exchanged.

    Parameters
    ----------
    given : list of float
        The six factors.
    """
    a, b, c, d, e, f = given
    return [a, b, f, d, e, c]


def exchanged_axes(given: list[float]) -> list[float] | None:
    """Return a transform with all that is for x exchanged with what is for y, where it runs west and north; None of any other.

    Parameters
    ----------
    given : list of float
        The six factors.
    """
    a, b, c, d, e, f = given
    return [e, d, f, b, a, c] if a < 0 < e else None


def beside_the_map(
    given: list[float], shape: list[int], system: Mapping[str, Any]
) -> tuple[list[float] | None, str] | None:
    """Return the transform that is meant by one whose grid is beside the map of its system, and what is odd about it; None where no other is on it.

    No transform where it is rather the system that is another one, as the same place has another northing in a zone of the north,
    or the cells that are too large.

    Parameters
    ----------
    given : list of float
        The six factors.
    shape : list of int
        The number of rows and of columns.
    system : Mapping
        Attributes of proj:.
    """
    known = _map_of(system)
    if known is None:
        return None
    name, *ends = known
    box = box_of(given, shape, nodes=False)
    a, b, c, d, e, f = given
    corner = [max(box[::2], key=abs), max(box[1::2], key=abs)]
    beyond = known[1][1] == FURTHEST_X and (
        abs(corner[0]) > FURTHEST_X + abs(a) + abs(b)
        or abs(corner[1]) > FURTHEST_Y + abs(d) + abs(e)
    )
    if not beyond and all(
        2 * first <= low + high <= 2 * last
        for low, high, (first, last) in zip(box[:2], box[2:], ends, strict=True)
    ):
        return None  # its middle is on the map
    for right, how in (
        (exchanged_axes(given), "with the numbers of x and y exchanged"),
        (exchanged_origin(given), "with the third and sixth number exchanged"),
        (
            [a, b, c, d, -e, f],
            f"with {shown(-e)} as the fifth, which is negative where rows go south",
        ),
    ):
        if right is not None and _is_on_the_map(right, shape, system):
            return right, f"by which the grid is beside the map of {name}, and on it {how}"
    north = name.replace("EPSG:327", "EPSG:326")
    if north != name and _is_on_the_map([a, b, c, d, e, f + SOUTHERN], shape, system):
        return None, (
            f"by which the grid is beside the map of {name}, where the northing of the equator is {SOUTHERN:,.0f}: those of"
            f" {north} are negative south of it"
        )
    if beyond:
        return (
            None,
            f"by which the grid goes to {shown(corner)}, beyond all longitudes and latitudes of {name}",
        )
    return None


def degrees_in_metres(
    given: list[float], shape: list[int], system: Mapping[str, Any]
) -> str | None:
    """Return why a transform is in degrees, or in radians, where its reference system is one of metres; None where it is not.

    A grid of cells of less than a metre would be within some hundred metres of a place that is nowhere near a map: the origin of
    EPSG:3857 is in the sea, and that of a zone of UTM far beside it.

    Parameters
    ----------
    given : list of float
        The six factors.
    shape : list of int
        The number of rows and of columns.
    system : Mapping
        Attributes of proj:.
    """
    a, b, _, d, e, _ = map(abs, given)
    cell = max(a + b, d + e)
    why = box_in_other_units(box_of(given, shape, nodes=False), system) if cell < 1 else None
    return None if why is None else f"{why}: readers place cells of {cell:.4g} m beside its origin"


def box_in_other_units(box: list[float], system: Mapping[str, Any]) -> str | None:
    """Return in what a box is, where its reference system is one of metres; None where it may be in these.

    Parameters
    ----------
    box : list of float
        xmin, ymin, xmax and ymax.
    system : Mapping
        Attributes of proj:.
    """
    x, y = max(map(abs, box[::2])), max(map(abs, box[1::2]))
    if crs.is_geostationary(system) and max(x, y) < 1:
        return (
            "which has numbers of scan angles in radians, and the reference system, a geostationary one, is in metres, which they are"
            " times the height of the satellite"
        )
    code = next((code for _, code in crs.codes(system)), None)
    if code is None or not crs.is_in_metres(code) or x > FURTHEST_X or y > FURTHEST_Y:
        return None
    if min(x, y) <= 1:
        return None
    return f"which has numbers of longitudes and latitudes, and the reference system, {code}, is in metres"


def origin_meant(given: list[float], shape: Any, system: Mapping[str, Any]) -> list[float] | None:
    """Return a transform, whose origin is no longitude and latitude, with the two exchanged, or all of x and y; None where it is not on the map then.

    Parameters
    ----------
    given : list of float
        The six factors.
    shape : object
        The number of rows and of columns, where they are known.
    system : Mapping
        Attributes of proj:.
    """
    for right in filter(None, (exchanged_axes(given), exchanged_origin(given))):
        if (
            _is_on_the_map(right, shape, system)
            if are_lengths(shape)
            else degrees_beyond({**system, BOX: None, TRANSFORM: right}) is None
        ):
            return right
    return None


def _is_on_the_map(given: list[float], shape: list[int], system: Mapping[str, Any]) -> bool:
    """Whether a grid is on the map of its system, but for half a cell; False where that map is not known.

    Parameters
    ----------
    given : list of float
        The six factors.
    shape : list of int
        The number of rows and of columns.
    system : Mapping
        Attributes of proj:.
    """
    known = _map_of(system)
    if known is None:
        return False
    _, *ends = known
    a, b, _, d, e, _ = map(abs, given)
    box = box_of(given, shape, nodes=False)
    return all(
        abs(one - (first + last) / 2) <= (last - first) / 2 * 1.01 + step / 2
        for one, (first, last), step in zip(box, ends * 2, (a + b, d + e) * 2, strict=True)
    )


def _map_of(
    system: Mapping[str, Any],
) -> tuple[str, tuple[float, float], tuple[float, float]] | None:
    """Return how a system is named, and from where to where its map goes in x and y; None where that is not known."""
    code = next((code for _, code in crs.codes(system)), None)
    if code is not None and (ends := crs.map_in_metres(code)) is not None:
        return code, *ends
    degrees = _in_degrees(system)
    return None if degrees is None else (degrees, (-FURTHEST_X, FURTHEST_X), (-90.0, 90.0))


def odd_transform(given: list[float], pointer: str, whose: str = "") -> Fail | None:
    """Report a transform in the order of GDAL, and one that gives cells no area.

    Parameters
    ----------
    given : list of float
        The six factors.
    pointer : str
        Where they are.
    whose : str
        What is said of them in the message, such as ``" of level 1"``.
    """
    a, b, c, d, e, f = given
    if _is_of_gdal(given):
        right = [b, c, a, e, f, d]
        return Fail(
            pointer,
            f"{TRANSFORM}{whose} is {shown(given)}, which is in the order of GDAL; that of the convention is {shown(right)}:"
            " readers place the grid elsewhere",
            fix=set_to(pointer, right, "suggest"),
        )
    if a * e == b * d:
        return Fail(
            pointer,
            f"{TRANSFORM}{whose} is {shown(given)}, by which all cells are on one line: no map can be made of it",
        )
    return None


def _is_of_gdal(given: list[float]) -> bool:
    """Whether a transform is in the order of GDAL: with 0, as a rotation, where the convention has an offset.

    A grid that is turned by 90 degrees has these as well, and so has one of GDAL whose first cell is at 0: the more
    cells look like squares, the likelier the reading.
    """
    a, b, c, d, e, f = given
    if not b or not f or c or e:
        return False
    return bool(a) or not d or oblong(b, f) < oblong(b, d)
