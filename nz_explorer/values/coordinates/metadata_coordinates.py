"""Coordinates that are in metadata instead of an array named like the dimension.

So far those of the cs convention, and of grids whose origin and spacing are given.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from nz_explorer.model import Array
from nz_explorer.model.dialects.cs import Axis, CoordinateSet, Crs, coordinate_system, numbers
from nz_explorer.model.dialects.transforms import transform
from nz_explorer.store import Cancellation

Values = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True, slots=True, eq=False)
class MetadataCoordinates:
    """Coordinates of a dimension, or the one coordinate of an axis outside of an array's shape.

    Parameters
    ----------
    name
        Of the dimension, or of the axis.
    axis
        Number of the dimension; None for an axis outside of the shape.
    length
        How many coordinates there are.
    source
        Where they are described, in words.
    path
        Of the node that describes them; of the array that holds them where there is one.
    attributes
        Units, calendar and the like, as CF has them.
    array
        Holds the values, where they are in an array.
    regular
        The first value and the step, where values are evenly spaced.
    explicit
        The values, if they are in the metadata.
    extents
        How far a cell reaches below and above its coordinate.
    bounds
        The array with the limits of cells, of shape 2 by length.
    label
        Tells apart several sets of coordinates of one axis; the first has none.
    set_name
        What the first of several is called.
    details
        What else is described: the axis, its direction, the cells and the reference system, in words.
    """

    name: str
    axis: int | None
    length: int
    source: str
    path: str
    attributes: Mapping[str, Any] = field(default_factory=dict)
    array: Array | None = None
    regular: tuple[float, float] | None = None
    explicit: list[Any] | None = None
    extents: tuple[float, float] | None = None
    bounds: Array | None = None
    label: str | None = None
    set_name: str | None = None
    details: str = ""

    def at(self, index: Values) -> Values:
        """Return coordinates at some indices, of those that are not in an array."""
        if self.regular is not None:
            first, step = self.regular
            return np.asarray(first + step * index, np.float64)
        return np.asarray(self.explicit)[index]

    @property
    def title(self) -> str | None:
        """What is shown to tell apart several sets of coordinates of one axis, also of the first."""
        return self.label or self.set_name

    def ends(self) -> str:
        """Return the first and the last of coordinates that are not in an array, and their units."""
        if not self.length:
            return "no values"
        first, last = self.at(np.array([0, self.length - 1])).tolist()
        shown = [f"{one:g}" if isinstance(one, float) else str(one) for one in (first, last)]
        units = self.attributes.get("units")
        text = shown[0] if self.length == 1 else " … ".join(shown)
        # of a number without a unit cs says that it is 1
        return f"{text} {units}" if isinstance(units, str) and units != "1" else text

    def all_values(self) -> Values:
        """Return all coordinates that are not in an array."""
        return self.at(np.arange(self.length))


def metadata_coordinates(
    array: Array, axis: int | None = None, cancel: Cancellation | None = None
) -> list[MetadataCoordinates]:
    """Return the coordinates that metadata describe for an array.

    Parameters
    ----------
    array
        The array.
    axis
        A dimension; all dimensions, and axes outside of the shape, by default.
    cancel
        Stops following references.

    Returns
    -------
    list of MetadataCoordinates
        In the order of the dimensions, axes outside of the shape last. What cannot be understood, or does not
        fit the shape, is left out: rules report it.
    """
    system = coordinate_system(array, cancel) if "cs" in array.attributes else None
    if system is None:
        return _of_grid(array, axis, cancel)
    shape = array.shape or ()
    found: list[MetadataCoordinates] = []
    for number, one in enumerate(system.dimensions):
        if one is not None and axis in (None, number) and number < len(shape):
            found += _of_axis(one, number, shape[number], cancel)
    if axis is None:
        for one in system.extra:
            found += _of_axis(one, None, 1, cancel)
    whole = _code(system.given)
    named = {
        axis.name or "": (axis, _reference_system(crs, whole))
        for crs in system.crs
        for axis in crs.axes
    }
    return [replace(one, details=_details(one, *named[one.name])) for one in found]


def _reference_system(crs: Crs, whole: str | None) -> str:
    """Return the name and the code of a reference system, or the code of the combination that it is a part of."""
    if whole is not None:  # which overrides its own
        return whole if crs.name in (None, whole) else f"{crs.name} of {whole}"
    return " ".join(dict.fromkeys(filter(None, (crs.name, _code(crs.given)))))


def _code(given: Any) -> str | None:
    identifier = given.get("id") if isinstance(given, Mapping) else None
    code = identifier.get("proj:code") if isinstance(identifier, Mapping) else None
    return code if isinstance(code, str) else None


def _details(made: MetadataCoordinates, axis: Axis, system: str) -> str:
    sets = [one for one in axis.sets if made.label in (None, one.name)]
    direction = sets[0].direction if sets else axis.given.get("direction")
    mark = axis.abbreviation if isinstance(axis.abbreviation, str) else None
    cells = None
    if made.extents is not None:
        cells = f"cells from {made.extents[0]:+g} to {made.extents[1]:+g}".replace("-", "−")
    elif made.bounds is not None:
        cells = f"cells in {made.bounds.path}"
    parts = (mark and f"axis {mark}", direction, cells, system and f"in {system}")
    return ", ".join(part for part in parts if isinstance(part, str) and part)


def _of_axis(
    axis: Axis, number: int | None, length: int, cancel: Cancellation | None
) -> Iterator[MetadataCoordinates]:
    for i, one in enumerate(axis.sets):
        made = _of_set(axis.name or "", one, number, length, cancel)
        if made is not None:
            if i > 0:
                made = replace(made, label=one.name or str(i + 1))
            elif len(axis.sets) > 1:
                made = replace(made, set_name=one.name)
            yield made


def _of_set(
    name: str,
    one: CoordinateSet,
    number: int | None,
    length: int,
    cancel: Cancellation | None,
) -> MetadataCoordinates | None:
    values: dict[str, Any] = {}
    path = one.home.path
    if one.kind == "regular":
        values["regular"] = numbers(one.values, 2)
    elif one.kind == "explicit" and _fits(one.values, length):
        values["explicit"] = one.values
    elif one.kind == "external":
        held = one.external(cancel)
        if held is not None and held.shape == (length,):
            values["array"], path = held, held.path
    if not any(value is not None for value in values.values()):
        return None
    bounds = one.bounds(cancel)
    return MetadataCoordinates(
        name=name,
        axis=number,
        length=length,
        source=f"described by cs in {one.home.path}",
        path=path,
        attributes=one.cf_attributes,
        extents=one.extents,
        bounds=bounds if bounds is not None and bounds.shape == (2, length) else None,
        **values,
    )


def _fits(values: Any, length: int) -> bool:
    """Whether a list has as many values, all of them texts or all of them numbers."""
    if not isinstance(values, list) or len(values) != length:
        return False
    texts = [isinstance(value, str) for value in values]
    numeric = [isinstance(v, int | float) and not isinstance(v, bool) for v in values]
    return all(texts) or all(numeric)


# --- grids with an origin and a spacing ----------------------------------------------------------


def _of_grid(
    array: Array, axis: int | None, cancel: Cancellation | None
) -> list[MetadataCoordinates]:
    """Return the middles of cells where an affine transform gives them, and no array does."""
    found = transform(array, cancel)
    if found is None:
        return []
    y, x = found.axes
    first = {x: found.x, y: found.y}
    made = []
    for number, (origin, step) in first.items():
        name, length = array.dimension_label(number), (array.shape or ())[number]
        stem = "" if array.parent in (None, "/") else array.parent
        if axis not in (None, number) or step == 0:
            continue
        if isinstance(array.hierarchy.get(f"{stem}/{name}", cancel), Array):
            continue  # which is what NZ, CF and GeoZarr look at first
        made.append(
            MetadataCoordinates(
                name=name,
                axis=number,
                length=length,
                source=f"computed from {found.attribute} of {found.path}",
                path=found.path,
                regular=(origin, step),
            )
        )
    return made
