"""What labels the axes of a picture: coordinate values, dates, names, or bare indices."""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from nz_explorer.model import Array
from nz_explorer.model.attribute_types import PACKING
from nz_explorer.model.dialects import nczarr
from nz_explorer.model.dialects.images import image_level
from nz_explorer.store import Cancellation
from nz_explorer.text.units import PRESSURES, units_text
from nz_explorer.values.coordinates.dimension_coordinate import (
    COORDINATE_BUDGET,
    coordinate_of,
    find_coordinate,
)
from nz_explorer.values.coordinates.image_axes import image_coordinates
from nz_explorer.values.coordinates.metadata_coordinates import (
    MetadataCoordinates,
    metadata_coordinates,
)
from nz_explorer.values.coordinates.monotonicity import check_monotonic
from nz_explorer.values.coordinates.named import named_coordinates
from nz_explorer.values.coordinates.times import is_time, time_labels
from nz_explorer.values.points import Points
from nz_explorer.values.reading.chunk_cache import ChunkCache
from nz_explorer.values.reading.opening import UnsupportedArray
from nz_explorer.values.reading.size_limits import MOST_UNASKED_BYTES
from nz_explorer.values.window import known_values, read_points

Kind = Literal["index", "number", "time", "category"]

_LONGEST_LABEL = 60
_MOST_POINTS, _MOST_AXES = 4096, 16
"""Labels are kept of axes of no more points, and of as many axes of an array."""


@dataclass(frozen=True, slots=True, eq=False)
class AxisCoordinates:
    """Coordinates of points along an axis.

    Parameters
    ----------
    kind
        ``index`` where the dimension has no coordinate that can be used.
    coordinates
        float64, one per point; None for ``index`` and ``category``.
    labels
        A text per point, for ``time`` and ``category``.
    units
        As the coordinate array gives them; None for times, which have labels.
    decreasing
        Whether coordinates fall with the index.
    downwards
        Whether larger values lie further down: depths, pressures, and rows without coordinates.
    title
        ``long_name`` or ``standard_name`` of the coordinate array.
    path
        Of the coordinate array.
    why
        Why there is none, in a sentence.
    """

    kind: Kind = "index"
    coordinates: np.ndarray[Any, np.dtype[np.float64]] | None = None
    labels: list[str] | None = None
    units: str | None = None
    decreasing: bool = False
    downwards: bool = True
    title: str | None = None
    path: str | None = None
    why: str | None = None


def axis_coordinates(
    array: Array,
    points: Points,
    *,
    cache: ChunkCache | None = None,
    cancel: Cancellation | None = None,
) -> AxisCoordinates:
    """Return the labels of an axis of a picture.

    Parameters
    ----------
    array
        The array shown.
    points
        The points of the axis that are shown.
    cache
        Where decoded chunks are kept.
    cancel
        Looked at between chunks.

    Returns
    -------
    AxisCoordinates
        Numbers only where the array found is strictly monotonic, so that it really is a dimension
        coordinate; names also where they are in no order. Nothing is raised for bad data.

    Raises
    ------
    Cancelled
        If it was cancelled.
    """
    meant = next(iter(metadata_coordinates(array, points.axis, cancel)), None)
    if meant is not None and meant.array is None:
        return _described(meant, points)
    found, why = (
        coordinate_of(array, points.axis, cache=cache, cancel=cancel)
        if meant is None
        else (meant.array, "")
    )
    if found is None:
        of_image = image_coordinates(array, points.axis)
        # rows of an image lie below each other, whatever their places
        return (
            AxisCoordinates(why=why)
            if of_image is None
            else replace(_described(of_image, points), downwards=True)
        )
    # What metadata say of coordinates is not kept with the array that they name.
    opened = None if cache is None or meant is not None else cache.opened(found)
    if opened is None:
        return _read(found, points, meant, cache, cancel)
    # While a slice is stepped through, all axes but one stay as they are.
    known: OrderedDict[Points, AxisCoordinates] = opened.known.setdefault("labels", OrderedDict())
    labels = known.pop(points, None) or _read(found, points, meant, cache, cancel)
    if points.size <= _MOST_POINTS and labels.path is not None:
        known[points] = labels
        if len(known) > _MOST_AXES:
            known.popitem(last=False)
    return labels


def _read(
    found: Array,
    points: Points,
    meant: MetadataCoordinates | None,
    cache: ChunkCache | None,
    cancel: Cancellation | None,
) -> AxisCoordinates:
    """Return the labels that an array holds for some points of an axis."""
    text = found.data_type.kind == "string"
    if not text:
        monotonic = check_monotonic(found, budget=COORDINATE_BUDGET, cancel=cancel, cache=cache)
        if monotonic.strict is not True and monotonic.result != "budget":
            return AxisCoordinates(why=f"{found.path} is not its coordinate: {monotonic.note}")
    try:
        along = replace(points, axis=0)
        window = read_points(
            found, [along], {}, budget=COORDINATE_BUDGET, cache=cache, cancel=cancel
        )
    except UnsupportedArray as error:
        return AxisCoordinates(why=str(error))
    if window.axes[0] != along or not known_values(found, window).all():
        return AxisCoordinates(why=f"{found.path} could not be read at all of the points shown")
    if text:
        labels = [str(value)[:_LONGEST_LABEL] for value in window.values.tolist()]
        return AxisCoordinates("category", labels=labels, title=_title(found), path=found.path)
    made = _numeric(found.path, _attributes(found, meant), unpacked(found, window.values))
    return made if made.title else replace(made, title=_title(found))


def _described(meant: MetadataCoordinates, points: Points) -> AxisCoordinates:
    if points.size * 8 > MOST_UNASKED_BYTES:
        return AxisCoordinates(why=f"{meant.path} describes {points.size:,} values, too many")
    values = meant.at(points.indices)
    if values.dtype.kind == "U":
        labels = [str(value)[:_LONGEST_LABEL] for value in values.tolist()]
        return AxisCoordinates("category", labels=labels, path=meant.path)
    return _numeric(meant.path, meant.attributes, values)


def _numeric(
    path: str, attributes: Mapping[str, Any], values: np.ndarray[Any, Any]
) -> AxisCoordinates:
    if values.dtype.kind not in "iufmM":
        return AxisCoordinates(why=f"{path} holds no numbers")
    ticks = values.astype("i8") if values.dtype.kind in "mM" else values
    numbers: np.ndarray[Any, np.dtype[np.float64]] = ticks.astype(np.float64)
    numbers.flags.writeable = False  # many pictures may share them
    steps = np.diff(numbers)
    if not (np.all(steps > 0) or np.all(steps < 0)):
        return AxisCoordinates(why=f"{path} is not strictly monotonic at the points shown")
    labels = time_labels(values, attributes)
    units = _text(attributes, "units")
    return AxisCoordinates(
        kind="number" if labels is None else "time",
        coordinates=numbers,
        labels=labels,
        units=None if labels is not None or units == "1" else units,
        decreasing=bool(steps.size and steps[0] < 0),
        downwards=_points_down(attributes),
        title=_title_in(attributes),
        path=path,
    )


def _points_down(attributes: Mapping[str, Any]) -> bool:
    """Return whether a vertical coordinate grows downwards (CF-1.11, 4.3 Vertical Coordinate)."""
    positive = _text(attributes, "positive")
    if positive is not None:
        return positive.lower() == "down"
    return _text(attributes, "units") in PRESSURES


def meaning(array: Array, axis: int) -> tuple[Mapping[str, Any], np.dtype[Any] | None]:
    """Return the attributes that describe the coordinates of a dimension.

    Parameters
    ----------
    array
        Whose dimension it is.
    axis
        Number of the dimension.

    Returns
    -------
    tuple
        Attributes such as ``units`` and ``calendar``, and the type of the array that holds them, if there is one.
    """
    meant = next(iter(metadata_coordinates(array, axis)), None)
    held = coordinate_of(array, axis)[0] if meant is None else meant.array
    attributes = {**(held.attributes if held is not None else {})}
    return {**attributes, **(meant.attributes if meant is not None else {})}, (
        None if held is None else held.data_type.numpy
    )


def coordinate_label(
    array: Array,
    axis: int,
    index: int,
    *,
    cache: ChunkCache | None = None,
    cancel: Cancellation | None = None,
) -> tuple[str, str | None]:
    """Return the coordinate at an index of a dimension, as text.

    Parameters
    ----------
    array
        Whose dimension it is.
    axis, index
        The dimension, and the index in it.
    cache
        Where decoded chunks are kept.
    cancel
        Looked at between chunks.

    Returns
    -------
    tuple of str
        The text, such as ``2001-07-03``, and its units; the index itself where there is no
        coordinate. If that is not a time, but an auxiliary coordinate of CF is, or times that are in no order, both,
        such as ``0 (2013-05-22)``.

    Raises
    ------
    Cancelled
        If it was cancelled.
    """
    length = (array.shape or ())[axis]
    found = axis_coordinates(array, Points(axis, index, 1, 1, length), cache=cache, cancel=cancel)
    if found.labels:
        return found.labels[0], found.units
    text, units = str(index), None
    if found.coordinates is not None:
        number, units = float(found.coordinates[0]), found.units
        degrees = units is not None and units.startswith("degree")
        text = number_text(_computed_degrees(number) if degrees else number)
    time = None if units else _auxiliary_time(array, axis, index, cache, cancel)
    return (f"{text} ({time})" if time else text), units


def _computed_degrees(number: float) -> float:
    """Return degrees without what arithmetic has left: 7.6e-06 was a zero, and -4.999988 in float32 was -5.

    A metre is what degrees are good for; those of float32 are as good as two.
    """
    if abs(number) < 1e-5:
        return 0.0
    meant = round(number, 3)
    is_near = float(np.float32(number)) == number and abs(number - meant) < 2e-5
    return meant if is_near else number


def _auxiliary_time(
    array: Array,
    axis: int,
    index: int,
    cache: ChunkCache | None,
    cancel: Cancellation | None,
) -> str | None:
    """Return the time at an index as an auxiliary coordinate, or one out of order, has it; None where there is none.

    Source: CF-1.11, 5 Coordinate Systems (the attribute ``coordinates``).
    See https://cfconventions.org/Data/cf-conventions/cf-conventions-1.11/cf-conventions.html.
    """
    names = array.dimension_names
    if names is None or names[axis] is None:
        return None
    own, _ = find_coordinate(array, axis, cancel)
    for node in (*([] if own is None else [own]), *named_coordinates(array, cancel)):
        if node.dimension_names != (names[axis],):
            continue
        if node.shape != ((array.shape or ())[axis],) or not is_time(node.attributes):
            continue
        try:
            window = read_points(
                node, [Points(0, index, 1, 1, node.shape[0])], {}, cache=cache, cancel=cancel
            )
        except UnsupportedArray:
            continue
        labels = time_labels(window.values, node.attributes)
        if labels and known_values(node, window).all():
            return labels[0]
    return None


def number_text(number: float, *, exact: bool = False) -> str:
    """Return a coordinate as people write it: ``0.1``, whatever float32 makes of it.

    Parameters
    ----------
    number
        The number.
    exact
        Whether all digits are wanted, unless they are as many as float32 makes.

    Returns
    -------
    str
    """
    if not np.isfinite(number):
        return str(number)
    if abs(number) < 1e15 and number == int(number):
        return str(int(number))
    narrow, whole = np.float32(number) if abs(number) < 1e38 else np.float32(np.inf), repr(number)
    text = str(narrow) if float(narrow) == number else f"{number:.12g}"
    longer = "e" in text and "e" not in whole  # 1234567.25
    return whole if longer or (exact and len(whole) <= 16) else text


def unpacked(array: Array, values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return values with ``scale_factor`` and ``add_offset`` applied, where an array has them.

    Parameters
    ----------
    array
        Whose attributes describe how its values are packed.
    values
        Stored values.

    Returns
    -------
    ndarray
        float64 where there was something to apply, else `values`.

    Notes
    -----
    Source: CF-1.11, 8.1 Packed Data.
    See https://cfconventions.org/Data/cf-conventions/cf-conventions-1.11/cf-conventions.html.
    """
    scale = number_attribute(array, "scale_factor")
    offset = number_attribute(array, "add_offset")
    if (scale is None and offset is None) or values.dtype.kind not in "iuf":
        return values
    if unusable_packing(array):
        return values
    return values.astype(np.float64) * (1.0 if scale is None else scale) + (offset or 0.0)


def unusable_packing(array: Array) -> str | None:
    """Return which of ``scale_factor`` and ``add_offset`` is no number; None where there is no such.

    Parameters
    ----------
    array
        The array.

    Returns
    -------
    str or None
        Name of the attribute. An attribute that is null is not there, as for xarray.
    """
    for name in PACKING:
        if array.attributes.get(name) is not None and number_attribute(array, name) is None:
            return name
    return None


def number_attribute(array: Array, name: str) -> float | None:
    """Return an attribute that is a number, also one written as a list of one.

    Parameters
    ----------
    array
        The array.
    name
        Of the attribute.
    """
    value = array.attributes.get(name)
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    return (
        as_float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
    )


def as_float(number: float) -> float:
    """Return a number of JSON as float; infinite where float has no room for it, as for one with an exponent."""
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def text_attribute(array: Array, *names: str) -> str | None:
    """Return the first of some attributes that is a text with something in it."""
    for name in names:
        value = array.attributes.get(name)
        if isinstance(value, int | float) and nczarr.attribute_types(array).get(name) == "char":
            value = nczarr.text_of(array, name)  # such as the unit 1
        if isinstance(value, str) and value.strip():
            return value.strip()[:200]
    return None


def long_name(array: Array) -> str | None:
    """Return what the values of an array are called: its long name, its standard name in words, or that of its image."""
    name = text_attribute(array, "long_name")
    if name is None and (standard := text_attribute(array, "standard_name")) is not None:
        name = standard.replace("_", " ")
    if name is None and (level := image_level(array)) is not None:
        name = level.name
    return None if name is None else " ".join(name.split())


def units_label(array: Array) -> str | None:
    """Return the units beside the values of an array, as people write them; a bare 1 (CF 3.1: dimensionless) says nothing there."""
    units = text_attribute(array, "units")
    return None if units is None or units == "1" else units_text(units)


def _text(attributes: Mapping[str, Any], *names: str) -> str | None:
    for name in names:
        value = attributes.get(name)
        if isinstance(value, str) and value.strip():
            return value.strip()[:200]
    return None


def _attributes(array: Array, meant: MetadataCoordinates | None) -> dict[str, Any]:
    """Return attributes of an array that holds coordinates, with those defined elsewhere."""
    texts = {name: text_attribute(array, name) for name in ("units", "long_name", "standard_name")}
    own = {**array.attributes, **{name: text for name, text in texts.items() if text is not None}}
    return own if meant is None else {**own, **meant.attributes}


def _title(array: Array) -> str | None:
    """Return what a dimension is called by its coordinate: its long name, or its own where the dimension has another."""
    own = None if array.dimension_names == (array.name,) else array.name
    return _title_in(array.attributes) or own


def _title_in(attributes: Mapping[str, Any]) -> str | None:
    if is_time(attributes):
        return _text(attributes, "long_name")
    return _text(attributes, "long_name", "standard_name")
