"""Coordinates of single points: latitude and longitude of an ocean model's grid, in two dimensions, or of the cells of an unstructured one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import numpy as np

from nz_explorer.model import Array
from nz_explorer.model.dialects.cs import coordinate_system
from nz_explorer.model.dialects.multiscales import member
from nz_explorer.model.named_array import named_array
from nz_explorer.store import Cancellation
from nz_explorer.text.units import hemispheres
from nz_explorer.values.coordinates.axes import text_attribute, unpacked
from nz_explorer.values.coordinates.dimension_coordinate import COORDINATE_BUDGET
from nz_explorer.values.coordinates.healpix import healpix
from nz_explorer.values.coordinates.named import named_coordinates
from nz_explorer.values.points import Points, spread
from nz_explorer.values.reading.chunk_cache import ChunkCache
from nz_explorer.values.reading.opening import UnsupportedArray
from nz_explorer.values.window import known_values, read_points

_RADIANS = ("radian", "radians", "rad")
_Degrees = np.ndarray[Any, np.dtype[np.float32]]
_WORDS = {
    "x": ("longitude", "projection_x_coordinate", "x"),
    "y": ("latitude", "projection_y_coordinate", "y"),
}
_PAIRS = (("lon", "lat"), ("longitude", "latitude"))
_OF_MPAS = {"nCells": "Cell", "nVertices": "Vertex", "nEdges": "Edge"}
_NAMES = {"x": ("lon", "x"), "y": ("lat", "y")}


@dataclass(frozen=True, slots=True, eq=False)
class Curvilinear:
    """Where each point of a map lies; the fields are those of the protocol.

    Parameters
    ----------
    x_label, y_label
        Names of the arrays.
    x, y
        float32, of the shape of the map, (y, x), or one for each cell of an unstructured grid; NaN where a coordinate
        is missing.
    x_units, y_units
        As the arrays give them; degrees in place of radians.
    limits
        What a map of them spans: its lowest and highest x, its lowest and highest y.
    nearest
        int32 of shape (rows, columns), from the north-west: the cell of an unstructured grid that lies at each pixel of a
        map within these limits, -1 where there is none. None of two-dimensional coordinates.
    """

    x_label: str
    y_label: str
    x: _Degrees
    y: _Degrees
    x_units: str | None = None
    y_units: str | None = None
    limits: tuple[float, float, float, float] = (0.0, 1.0, 0.0, 1.0)
    nearest: np.ndarray[Any, np.dtype[np.int32]] | None = None

    @property
    def circle(self) -> float:
        """The length of the circle that x runs on: 360 of longitudes, else 0."""
        units, name = (self.x_units or "").lower(), self.x_label.lower()
        return 360.0 if units.startswith("degree") or name.startswith("lon") else 0.0

    def inside(self, box: Mapping[str, Sequence[float]]) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """Return which points lie between the lowest and the highest values that a box gives by name."""
        found: np.ndarray[Any, np.dtype[np.bool_]] = np.isfinite(self.x) & np.isfinite(self.y)
        sides = ((self.x_label, self.x, self.circle), (self.y_label, self.y, 0.0))
        for label, values, circle in sides:
            if label not in box:
                continue
            low, high = box[label]
            beyond = values - low
            found &= (beyond % circle if circle else beyond) <= high - low
            if not circle:
                found &= beyond >= 0
        return found


def find_curvilinear(
    array: Array, axes: Sequence[int], cancel: Cancellation | None = None
) -> tuple[Array, Array] | None:
    """Find the two arrays that hold the coordinates of a map's points, going by metadata.

    Parameters
    ----------
    array
        The array shown; its ``coordinates`` attribute names them.
    axes
        The two axes of the map, or that of the cells of an unstructured grid.
    cancel
        To give up reading metadata.

    Returns
    -------
    tuple of Array or None
        That of x, such as longitude, and that of y.

    Notes
    -----
    Sources: CF-1.11, 5.2 Two-Dimensional Latitude, Longitude, Coordinate Variables, and 5.3 Reduced Horizontal Grid and
    9 Discrete Sampling Geometries for those of one dimension; ``geolocation`` in cs. WRF writes both for each time as well.
    """
    names, shape = array.dimension_names, array.shape
    if names is None or shape is None or len(axes) not in (1, 2):
        return None
    wanted = {(names[axis], shape[axis]) for axis in axes}
    if len(wanted) != len(axes) or any(name is None for name, _ in wanted):
        return None
    others = set(zip(names, shape, strict=False)) - wanted
    found: dict[str, Array] = {}
    candidates = chain(geolocations(array, cancel), _listed(array, cancel))
    if len(axes) == 1 and "coordinates" not in array.attributes:
        candidates = chain(candidates, _by_name(array, names[axes[0]], cancel))
    for direction, node in candidates:
        dims = list(zip(node.dimension_names or (), node.shape or (), strict=False))
        inner = len(dims) - len(axes)
        if set(dims[inner:]) == wanted and others.issuperset(dims[:inner]):
            found.setdefault(direction, node)
    return (found["x"], found["y"]) if len(found) == 2 else None


def cell_axis(array: Array, cancel: Cancellation | None = None) -> int | None:
    """Return the dimension along which an array has the cells of an unstructured grid, or stations.

    Parameters
    ----------
    array
        The array; its ``coordinates`` name an array for either direction, both along this dimension alone, or its cells are
        those of HEALPix.
    cancel
        To give up reading metadata.

    Returns
    -------
    int or None
        None where there is no such dimension longer than 1, and of an array that is such a coordinate itself.

    Notes
    -----
    Source: CF-1.11, 5.3 Reduced Horizontal Grid, and 9 Discrete Sampling Geometries.
    """
    for axis, size in enumerate(array.shape or ()):
        if size < 2:
            continue
        found = find_curvilinear(array, [axis], cancel)
        if found is not None and array.path not in (found[0].path, found[1].path):
            return axis
        cells = healpix(array, axis, cancel) if found is None else None
        if cells is not None and (cells.numbers is None or cells.numbers.path != array.path):
            return axis
    return None


def _listed(array: Array, cancel: Cancellation | None) -> Iterator[tuple[str, Array]]:
    """Yield the arrays that CF's ``coordinates`` lists, with their directions."""
    for node in named_coordinates(array, cancel):
        if node.ndim and node.path != array.path:
            direction = _direction(node)
            if direction is not None:
                yield direction, node


def _by_name(
    array: Array, dimension: str | None, cancel: Cancellation | None
) -> Iterator[tuple[str, Array]]:
    """Yield the longitude and the latitude beside an array that names none, as CAM-SE, FESOM and MPAS write them."""
    ending = _OF_MPAS.get(dimension or "")
    for pair in _PAIRS if ending is None else [(f"lon{ending}", f"lat{ending}")]:
        found = [named_array(array, name, cancel) for name in pair]
        if None not in found:
            yield from zip("xy", (one for one in found if one is not None), strict=True)
            return


def geolocations(array: Array, cancel: Cancellation | None) -> Iterator[tuple[str, Array]]:
    """Yield the arrays that cs names as geodetic coordinates of each point, with their directions.

    Parameters
    ----------
    array
        The array shown.
    cancel
        To give up reading metadata.
    """
    system = coordinate_system(array, cancel) if "cs" in array.attributes else None
    for crs in () if system is None else system.crs:
        given = member(member(crs.given, "geolocation"), "geodetic")
        for direction in ("x", "y"):
            for target in crs.follow(member(given, direction), cancel).targets:
                if isinstance(target.node, Array) and target.node.ndim in (1, 2):
                    yield direction, target.node


def _direction(array: Array) -> str | None:
    if sides := hemispheres(text_attribute(array, "units")):
        return {"EW": "x", "NS": "y"}[sides]
    attributes = [text_attribute(array, name) or "" for name in ("standard_name", "axis")]
    for direction, words in _WORDS.items():
        if any(text.lower() in words for text in attributes):
            return direction
    name = array.name.lower().removeprefix("nav_").removeprefix("grid_")
    for direction, starts in _NAMES.items():
        if name.startswith(starts):
            return direction
    return None


def curvilinear(
    array: Array,
    points: Sequence[Points],
    fixed: Mapping[int, int],
    *,
    budget: int | None = COORDINATE_BUDGET,
    cache: ChunkCache | None = None,
    cancel: Cancellation | None = None,
) -> Curvilinear | None:
    """Return the coordinates of the points of a map, two-dimensional ones or those of the cells of an unstructured grid.

    Parameters
    ----------
    array
        The array shown.
    points
        The points shown along y and along x, or along the cells.
    fixed
        By axis the index at which it is fixed. Along others, which are reduced, coordinates must not change.
    budget
        The most bytes to decode for each of the two.
    cache
        Where decoded chunks are kept.
    cancel
        Looked at between chunks.

    Returns
    -------
    Curvilinear or None
        None where there are none, or where they could not be read at these points.

    Raises
    ------
    Cancelled
        If it was cancelled.
    """
    found = find_curvilinear(array, [part.axis for part in points], cancel)
    if found is None:
        return _healpix(array, points, budget, cache, cancel) if len(points) == 1 else None
    read: list[_Degrees] = []
    for one in found:
        values = _plane(array, one, points, fixed, budget, cache, cancel)
        if values is None:
            return None
        read.append(values)
    if not all(np.isfinite(values).any() for values in read):
        return None
    x, y = found
    units = [text_attribute(one, "units") for one in found]
    for at, degrees in enumerate(("degrees_east", "degrees_north")):
        if (units[at] or "").lower() in _RADIANS:
            read[at], units[at] = np.degrees(read[at]), degrees
    return Curvilinear(x.name, y.name, read[0], read[1], units[0], units[1])


def _healpix(
    array: Array,
    points: Sequence[Points],
    budget: int | None,
    cache: ChunkCache | None,
    cancel: Cancellation | None,
) -> Curvilinear | None:
    """Return where HEALPix cells lie; None where they are none, or their numbers were not read."""
    (along,) = points
    found = healpix(array, along.axis, cancel)
    if found is None:
        return None
    numbers: np.ndarray[Any, Any] = along.start + along.step * np.arange(along.size)
    if found.numbers is not None:
        there = replace(along, axis=0)
        try:
            window = read_points(
                found.numbers, [there], {}, budget=budget, cache=cache, cancel=cancel
            )
        except UnsupportedArray:
            return None
        if window.axes != (there,) or window.values.dtype.kind not in "iu":
            return None
        numbers = np.where(known_values(found.numbers, window), window.values.astype(np.int64), -1)
    places = found.places(numbers)
    if places is None:
        return None
    return Curvilinear("longitude", "latitude", *places, "degrees_east", "degrees_north")


def _plane(
    array: Array,
    coordinate: Array,
    points: Sequence[Points],
    fixed: Mapping[int, int],
    budget: int | None,
    cache: ChunkCache | None,
    cancel: Cancellation | None,
) -> _Degrees | None:
    """Return what a coordinate holds at the points of a map, NaN where that is missing; None where it is not known."""
    names, dims = array.dimension_names or (), coordinate.dimension_names or ()
    along = [replace(p, axis=dims.index(names[p.axis])) for p in points]
    at = {dims.index(names[axis]): index for axis, index in fixed.items() if names[axis] in dims}
    drawn = {p.axis for p in along}
    reduced = [axis for axis in range(len(dims)) if axis not in drawn and axis not in at]
    ends = [at]
    if reduced:
        ends.append({**at, **{axis: (coordinate.shape or ())[axis] - 1 for axis in reduced}})
    found: _Degrees | None = None
    for place in ends:
        try:
            window = read_points(
                coordinate, along, place, budget=budget, cache=cache, cancel=cancel
            )
        except UnsupportedArray:
            return None
        if window.axes != tuple(along) or window.values.dtype.kind not in "iuf":
            return None
        values = unpacked(coordinate, window.values).astype(np.float32)
        values[~known_values(coordinate, window) | nowhere(coordinate, values)] = np.nan
        if found is not None and not np.array_equal(found, values, equal_nan=True):
            return None
        found = values
    return found


def nowhere(array: Array, values: np.ndarray[Any, Any]) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Return which degrees are none: netCDF's 9.97e36 of what was never written, where no ``_FillValue`` says so.

    Parameters
    ----------
    array
        Whose ``units`` tell whether values are degrees.
    values
        Unpacked values of any shape.

    Returns
    -------
    ndarray
        bool, of the same shape.
    """
    degrees = (text_attribute(array, "units") or "").lower().startswith("degree")
    return np.abs(values) > _MOST_DEGREES if degrees else np.zeros(values.shape, np.bool_)


_MOST_DEGREES = 1000
"""Beyond what longitudes that are counted on, time and again around the Earth, come to."""
_MOST_POINTS = 2**20
"""Points at which coordinates are compared with a box."""
_FEW = 8
"""Points along an axis by which the direction of latitudes is found."""


def parts_of_box(
    array: Array,
    axes: Sequence[int],
    box: Mapping[str, Sequence[float]],
    fixed: Mapping[int, int],
    *,
    cache: ChunkCache | None = None,
    cancel: Cancellation | None = None,
) -> dict[int, tuple[int, int]]:
    """Return the smallest part of an array that holds all points inside of a box.

    Parameters
    ----------
    array
        The array shown.
    axes
        The two axes of the map, or that of the cells.
    box
        By name of a two-dimensional coordinate its lowest and highest value.
    fixed
        See `curvilinear`.
    cache
        Where decoded chunks are kept.
    cancel
        Looked at between chunks.

    Returns
    -------
    dict
        By axis the first index and the one after the last; empty where there is nothing to go by. Where no point
        lies inside, the part around the one that is nearest to the middle.
    """
    shape = array.shape or ()
    if not axes:
        return {}
    most = round(_MOST_POINTS ** (1 / len(axes)))
    points = [spread(axis, shape[axis], most) for axis in axes]
    grid = curvilinear(array, points, fixed, cache=cache, cancel=cancel)
    if grid is None:
        return {}
    box = {
        name: pair
        for name, pair in box.items()
        if name in (grid.x_label, grid.y_label) and len(pair) == 2 and pair[0] < pair[1]
    }
    if not box:
        return {}
    inside = grid.inside(box)
    if not inside.any():
        inside = _nearest(grid, box)
    found = {}
    for at, part in enumerate(points):
        (there,) = np.nonzero(inside.any(axis=1 - at) if len(points) > 1 else inside)
        # one more on both sides: cells reach half-way to their neighbours
        first, last = int(there[0]) - 1, int(there[-1]) + 1
        found[part.axis] = (
            max(0, part.start + part.step * first),
            min(part.length, part.start + part.step * (last + 1)),
        )
    return found


def _nearest(
    grid: Curvilinear, box: Mapping[str, Sequence[float]]
) -> np.ndarray[Any, np.dtype[np.bool_]]:
    away = np.zeros(grid.x.shape, np.float64)
    sides = ((grid.x_label, grid.x, grid.circle), (grid.y_label, grid.y, 0.0))
    for label, values, circle in sides:
        if label in box:
            beyond = values.astype(np.float64) - sum(box[label]) / 2
            away += (beyond - circle * np.round(beyond / circle) if circle else beyond) ** 2
    inside = np.zeros(grid.x.shape, np.bool_)
    inside.flat[np.nanargmin(np.where(np.isfinite(grid.x + grid.y), away, np.nan))] = True
    return inside


def northwards(
    array: Array,
    axes: Sequence[int],
    fixed: Mapping[int, int],
    budget: int | None = COORDINATE_BUDGET,
    *,
    cache: ChunkCache | None = None,
    cancel: Cancellation | None = None,
) -> bool:
    """Return whether the rows of a map lead to the north, as its two-dimensional coordinates have it.

    Parameters
    ----------
    array
        The array shown.
    axes
        The two axes of the map, that of rows first.
    fixed
        See `curvilinear`.
    budget
        The most bytes to decode for each of the two.
    cache
        Where decoded chunks are kept.
    cancel
        Looked at between chunks.
    """
    if find_curvilinear(array, axes, cancel) is None:
        return False
    points = [spread(axis, (array.shape or ())[axis], _FEW) for axis in axes]
    grid = curvilinear(array, points, fixed, budget=budget, cache=cache, cancel=cancel)
    if grid is None or grid.y.shape[0] < 2:
        return False
    steps = np.diff(grid.y, axis=0)
    return bool(np.nansum(steps) > 0)
