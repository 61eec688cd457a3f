"""Auxiliary coordinates: of a slice, scalars and those over dimensions that are fixed; of its points, the others."""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from nz_explorer.model import Array
from nz_explorer.store import Cancellation
from nz_explorer.text.units import with_units
from nz_explorer.values.coordinates.axes import (
    number_text,
    text_attribute,
    unpacked,
)
from nz_explorer.values.coordinates.curvilinear import geolocations, nowhere
from nz_explorer.values.coordinates.dimension_coordinate import (
    COORDINATE_BUDGET,
    coordinate_of,
)
from nz_explorer.values.coordinates.monotonicity import check_monotonic
from nz_explorer.values.coordinates.named import named_coordinates
from nz_explorer.values.coordinates.times import is_time, time_labels
from nz_explorer.values.points import Points
from nz_explorer.values.reading.chunk_cache import ChunkCache
from nz_explorer.values.reading.opening import UnsupportedArray
from nz_explorer.values.window import known_values, read_points

_MOST = 6
_LONGEST = 60
_MOST_TEXTS = 1 << 15
"""Of the points of a picture; there are more points only where a coordinate changes along both of its axes."""


@dataclass(frozen=True, slots=True, eq=False)
class PointCoordinate:
    """An auxiliary coordinate of the points of a picture.

    Parameters
    ----------
    label
        Name of the array.
    down, across
        Whether it changes along y and along x of the picture.
    units
        As the array gives them; None of what has texts.
    values
        float32 or float64, one per point of y and x, of y, or of x, in this order; NaN where it is missing. None of
        what has texts.
    texts
        Dates or names in the same order, empty where one is missing.
    """

    label: str
    down: bool
    across: bool
    units: str | None = None
    values: np.ndarray[Any, Any] | None = None
    texts: tuple[str, ...] = ()


def auxiliary_labels(
    array: Array,
    fixed: Mapping[int, int],
    *,
    cache: ChunkCache | None = None,
    cancel: Cancellation | None = None,
) -> list[str]:
    """Return what else is known of where a slice lies, such as ``height 2 m`` or ``valid_time 2020-01-01 12:00``.

    Parameters
    ----------
    array
        Whose ``coordinates`` name them.
    fixed
        By axis the index at which it is fixed.
    cache
        Where decoded chunks are kept.
    cancel
        Looked at between chunks.

    Notes
    -----
    Source: CF-1.11, 5 Coordinate Systems, and 5.7 Scalar Coordinate Variables.
    """
    names = array.dimension_names or ()
    at = {name: fixed[axis] for axis, name in enumerate(names) if name and axis in fixed}
    found: list[tuple[bool, str]] = []
    ordered, unordered = _of_dimensions(array, cache, cancel)
    said = {node.path for axis, node in ordered.items() if axis in fixed}
    for node in (*_listed(array, cancel), *unordered):
        dims = node.dimension_names or ()
        if not set(dims) <= at.keys() or node.path in said:
            continue
        points = _at(node, at)
        text = _text(node, points, cache, cancel) if len(points) == len(dims) else None
        if text is not None and len(found) < _MOST:
            found.append((not dims, f"{node.name} {text}"))
    # first what another index changes: there may be no room for all
    return [text for _, text in sorted(found, key=lambda one: one[0])]


def point_coordinates(
    array: Array,
    drawn: Sequence[Points],
    fixed: Mapping[int, int],
    *,
    without: Collection[str] = (),
    budget: int | None = COORDINATE_BUDGET,
    cache: ChunkCache | None = None,
    cancel: Cancellation | None = None,
) -> tuple[PointCoordinate, ...]:
    """Return the auxiliary coordinates that change along an axis of a picture.

    Parameters
    ----------
    array
        Whose ``coordinates`` name them, or whose coordinate system does.
    drawn
        The points along y and x, or along the only axis.
    fixed
        By axis the index at which it is fixed.
    without
        Names of arrays that are not asked for.
    budget
        The most bytes to decode for each.
    cache
        Where decoded chunks are kept.
    cancel
        Looked at between chunks.

    Returns
    -------
    tuple of PointCoordinate
        Without what could not be read at these points, and without dimension coordinates, which axes have themselves.

    Raises
    ------
    Cancelled
        If it was cancelled.

    Notes
    -----
    Source: CF-1.11, 5 Coordinate Systems; ``geolocation`` in cs.
    """
    names, shape = array.dimension_names or (), array.shape or ()
    along = {
        (names[points.axis], shape[points.axis]): points
        for points in drawn
        if points.axis < len(names) and names[points.axis]
    }
    at = {name: fixed[axis] for axis, name in enumerate(names) if name and axis in fixed}
    found: list[PointCoordinate] = []
    ordered, unordered = _of_dimensions(array, cache, cancel)
    said = {ordered[one.axis].path for one in drawn if one.axis in ordered}
    for node in (*_listed(array, cancel, geolocated=True), *unordered):
        dims = list(zip(node.dimension_names or (), node.shape or (), strict=False))
        own = [points for dim, points in along.items() if dim in dims]
        others = [dim for dim, _ in dims if dim not in {names[points.axis] for points in own}]
        itself = [node.name] == [dim for dim, _ in dims] or node.path in said
        if (
            not own
            or (itself and node not in unordered)
            or node.name in without
            or not set(others) <= at.keys()
            or len(set(dims)) != len(dims)
        ):
            continue
        places = [replace(one, axis=dims.index((names[one.axis], one.length))) for one in own]
        there = [one for one in _at(node, at) if one.axis not in {two.axis for two in places}]
        if len(there) == len(others) and len(found) < _MOST:
            ends = [drawn[0] in own, drawn[-1] in own]
            made = _of_points(node, [*places, *there], budget, cache, cancel)
            if made is not None:
                down = len(drawn) > 1 and ends[0]
                found.append(replace(made, down=down, across=ends[1]))
    return tuple(found)


def _listed(
    array: Array, cancel: Cancellation | None, *, geolocated: bool = False
) -> Iterator[Array]:
    """Yield the arrays with a shape that ``coordinates`` names, and the coordinate system of cs."""
    for node in named_coordinates(array, cancel, most=4 * _MOST):
        if node.shape is not None and len(node.dimension_names or ()) == len(node.shape):
            yield node
    for _, node in geolocations(array, cancel) if geolocated else ():
        yield node


def _of_dimensions(
    array: Array, cache: ChunkCache | None, cancel: Cancellation | None
) -> tuple[dict[int, Array], list[Array]]:
    """Return by axis the arrays that axes and sliders have as coordinates, and those that would be, were they strictly monotonic.

    The latter tell where points lie all the same.
    """
    ordered: dict[int, Array] = {}
    unordered: list[Array] = []
    for axis in range(len(array.shape or ())):
        node, _ = coordinate_of(array, axis, cache=cache, cancel=cancel)
        if node is None or node.shape is None:
            continue
        names = node.data_type.kind == "string"
        order = check_monotonic(node, budget=COORDINATE_BUDGET, cancel=cancel, cache=cache)
        if not names and order.strict is False:
            unordered.append(node)
        else:
            ordered[axis] = node
    return ordered, unordered


def _at(node: Array, at: Mapping[str, int]) -> list[Points]:
    """Return the points of the dimensions that are fixed, without those that the array is too short for."""
    found = []
    for axis, (dim, size) in enumerate(
        zip(node.dimension_names or (), node.shape or (), strict=False)
    ):
        index = None if dim is None else at.get(dim)
        if index is not None and index < size:
            found.append(Points(axis, index, 1, 1, size))
    return found


def _of_points(
    node: Array,
    points: Sequence[Points],
    budget: int | None,
    cache: ChunkCache | None,
    cancel: Cancellation | None,
) -> PointCoordinate | None:
    """Return what an array holds at some points, down and across not being known yet; None where it could not be read."""
    opened = None if cache is None else cache.opened(node)
    known: OrderedDict[tuple[Points, ...], PointCoordinate]
    known = OrderedDict() if opened is None else opened.known.setdefault("points", OrderedDict())
    # While a slice is stepped through, most stay as they are.
    found = known.pop(tuple(points), None) or _read(node, points, budget, cache, cancel)
    if found is not None and math.prod(one.size for one in points) <= _MOST_TEXTS:
        known[tuple(points)] = found
        if len(known) > _MOST:
            known.popitem(last=False)
    return found


def _read(
    node: Array,
    points: Sequence[Points],
    budget: int | None,
    cache: ChunkCache | None,
    cancel: Cancellation | None,
) -> PointCoordinate | None:
    try:
        window = read_points(node, points, {}, budget=budget, cache=cache, cancel=cancel)
    except UnsupportedArray:
        return None
    if window.axes != tuple(points):
        return None
    values, units = window.values.reshape(-1), text_attribute(node, "units")
    there = known_values(node, window).reshape(-1)
    texts: list[str] | None = None
    if values.size <= _MOST_TEXTS and there.any():
        if is_time(node.attributes) or values.dtype.kind == "M":
            texts = time_labels(values[there], node.attributes)
        elif values.dtype.kind == "S":
            texts = [bytes(one).decode("utf-8", "replace")[:_LONGEST] for one in values[there]]
        elif values.dtype.kind in "OTU":
            texts = [str(one)[:_LONGEST] for one in values[there]]
    if texts is not None:
        all_texts = np.full(values.size, "", object)
        all_texts[there] = texts
        return PointCoordinate(node.name, False, False, texts=tuple(all_texts))
    if values.dtype.kind not in "iuf":
        return None
    numbers = unpacked(node, values)
    narrow = numbers.dtype.kind == "f" and numbers.dtype.itemsize <= np.dtype(np.float32).itemsize
    kept = numbers.astype(np.float32 if narrow else np.float64)
    kept[~there | nowhere(node, kept)] = np.nan
    return PointCoordinate(
        node.name, False, False, units=None if units == "1" else units, values=kept
    )


def _text(
    node: Array, points: list[Points], cache: ChunkCache | None, cancel: Cancellation | None
) -> str | None:
    """Return what an array holds at one place; None where that is missing."""
    found = _of_points(node, points, COORDINATE_BUDGET, cache, cancel)
    if found is None or found.values is None:
        return (found.texts[0] or None) if found is not None else None
    (number,) = found.values.tolist()
    if math.isnan(number):
        return None
    text = number_text(number)
    return text if found.units is None else with_units(text, found.units)
