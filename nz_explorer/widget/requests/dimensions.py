"""The dimension table with the coordinates' values in it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from nz_explorer.model import Array, Dimension, dimension_table, paths
from nz_explorer.values.coordinates.dimension_coordinate import find_coordinate
from nz_explorer.values.coordinates.image_axes import described_coordinates, image_coordinates
from nz_explorer.values.coordinates.metadata_coordinates import MetadataCoordinates
from nz_explorer.values.coordinates.monotonicity import Monotonicity
from nz_explorer.values.coordinates.times import time_labels

MAX_ROWS = 500

Values = Callable[[Array], "Monotonicity | None"]


@dataclass(frozen=True, slots=True)
class LengthUse:
    """The paths of the arrays that give a dimension one length."""

    length: int
    arrays: list[str]


@dataclass(slots=True)
class DimensionRow:
    """One dimension of a group, as its arrays show it.

    Attributes
    ----------
    coordinate : str or None
        Path of the array that is, or may be, the dimension coordinate.
    why : str
        Why it is or is not one, in a sentence.
    auxiliary : list of str
        Paths of the auxiliary coordinates of CF that lie along it.
    """

    name: str | None
    lengths: list[LengthUse]
    conflict: bool
    coordinate: str | None = None
    coordinate_state: Literal["yes", "no", "candidate", "none"] = "none"
    why: str = ""
    first: str | None = None
    last: str | None = None
    step: str | None = None
    direction: Literal["increasing", "decreasing"] | None = None
    units: str | None = None
    unlimited: bool = False
    auxiliary: list[str] = field(default_factory=list)


def table(
    arrays: list[Array], own: list[Array], values: Values
) -> tuple[list[DimensionRow], list[list[str]]]:
    """Return the rows of a dimension table, and who uses each dimension.

    Parameters
    ----------
    arrays : list of Array
        All arrays of the group.
    own : list of Array
        Those whose dimensions are wanted.
    values : callable
        Gives what is known of the values of a coordinate.
    """
    wanted = {dimension.name for dimension in dimension_table(own) if dimension.name}
    whole = own == arrays
    dimensions = [d for d in dimension_table(arrays) if whole or d.name in wanted]
    meant, others, outside = _described(own)
    if not whole:
        dimensions += [d for d in dimension_table(own) if not d.name]
        order = {
            name: i
            for array in own
            for i, name in reversed(list(enumerate(array.dimension_names or ())))
        }
        dimensions.sort(key=lambda d: order.get(d.name, d.uses[0].axis))
    rows = [
        _row(dimension, values, meant.get(dimension.name or ""))
        for dimension in dimensions[:MAX_ROWS]
    ]
    auxiliary = _auxiliary(arrays, own)
    for row in rows:
        row.auxiliary += [
            one.path
            for one in auxiliary
            if row.name in (one.dimension_names or ()) and one.path != row.coordinate
        ]
        for one in others.get(row.name or "", ()):
            held = one.ends() if one.array is None else f"in {one.array.path}"
            row.why += f"; also {one.label}: {held}"
    uses = [
        list(dict.fromkeys(use.array.path for use in dimension.uses))
        for dimension in dimensions[:MAX_ROWS]
    ]
    for one, users in outside:
        rows.append(_outside(one, values))
        uses.append(users)
    return rows, uses


def _auxiliary(arrays: list[Array], own: list[Array]) -> list[Array]:
    """Return the arrays of a group that ``coordinates`` of some of them names (CF-1.11, 5 Coordinate Systems)."""
    listed = {one for array in own if isinstance(one := array.attributes.get("coordinates"), str)}
    names = {name for one in listed for name in one.split()}
    return [array for array in arrays if array.name in names]


def _described(
    arrays: list[Array],
) -> tuple[
    dict[str, MetadataCoordinates],
    dict[str, list[MetadataCoordinates]],
    list[tuple[MetadataCoordinates, list[str]]],
]:
    """Return coordinates from metadata: by dimension, further sets of them, and of axes that are none, with their users."""
    dimensions: dict[str, MetadataCoordinates] = {}
    others: dict[str, list[MetadataCoordinates]] = {}
    outside: dict[tuple[str, str], tuple[MetadataCoordinates, list[str]]] = {}
    for array in arrays:
        for one in described_coordinates(array):
            if one.axis is None:
                key = (one.name, f"{one.explicit}{one.regular}{one.path}")
                outside.setdefault(key, (one, []))[1].append(array.path)
            elif one.label is None:
                dimensions.setdefault(one.name, one)
            elif all(one.label != known.label for known in others.get(one.name, ())):
                others.setdefault(one.name, []).append(one)
    return dimensions, others, list(outside.values())


def _outside(one: MetadataCoordinates, values: Values) -> DimensionRow:
    """Return the row of an axis of one value that is no dimension of any array."""
    row = DimensionRow(
        name=one.name,
        lengths=[LengthUse(1, [])],
        conflict=False,
        coordinate=None,
        coordinate_state="none",
        why="",
    )
    _describe_metadata_coordinates(row, one, values)
    row.why = f"one value, outside of the shape; {row.why}"
    return row


def _describe_metadata_coordinates(
    row: DimensionRow, one: MetadataCoordinates, values: Values
) -> None:
    if one.array is not None:
        _describe(row, one.array, values(one.array))
    else:
        row.coordinate, row.coordinate_state = one.path, "yes"
        if one.length:
            ends = one.at(np.array([0, one.length - 1]))
            row.first, row.last = (_text(value) for value in ends.tolist())
        if one.regular is not None and one.length > 1:
            row.step = _text(float(one.regular[1]))
            row.direction = "increasing" if one.regular[1] > 0 else "decreasing"
    units, calendar = one.attributes.get("units"), one.attributes.get("calendar")
    if isinstance(units, str):
        row.units = f"{units} ({calendar})" if isinstance(calendar, str) else units
    told = f"{one.source}: {one.details}" if one.details else one.source
    if one.set_name:
        told = f"{one.set_name}, {told}"
    row.why = told if not row.why or one.array is None else f"{row.why}; {told}"


def _row(
    dimension: Dimension, values: Values, meant: MetadataCoordinates | None = None
) -> DimensionRow:
    lengths = [
        LengthUse(length, [array.path for array in arrays])
        for length, arrays in dimension.lengths.items()
    ]
    row = DimensionRow(
        name=dimension.name,
        lengths=lengths,
        conflict=dimension.conflict,
        unlimited=dimension.unlimited,
    )
    if dimension.name is None:
        array, axis = dimension.uses[0].array, dimension.uses[0].axis
        why = f"axis {axis} of {array.name} has no name, so nothing can be its coordinate"
        of_image = image_coordinates(array, axis)
        if of_image is not None:
            _describe_metadata_coordinates(row, of_image, values)
            row.coordinate_state = "no"
            why = f"to NZ {why}; {of_image.name}, {row.why}"
        row.why = why
    elif meant is not None:
        _describe_metadata_coordinates(row, meant, values)
    elif dimension.candidate is not None:
        _describe(row, dimension.candidate, values(dimension.candidate))
    elif dimension.namesake is not None:
        array = dimension.namesake
        row.coordinate, row.coordinate_state = array.path, "no"
        names = ", ".join("(no name)" if n is None else n for n in array.dimension_names or ())
        shown = f"({names})" if array.dimension_names is not None else "no named dimensions"
        row.why = (
            f"{array.name} has {shown}; a coordinate has {dimension.name} as its only dimension"
        )
    elif (reference := _of_another_group(dimension)) is not None:
        _describe_reference(row, dimension.uses[0].array, reference, values)
    elif (above := find_coordinate(dimension.uses[0].array, dimension.uses[0].axis)[0]) is not None:
        _describe(row, above, values(above))
        row.coordinate_state = "no"
        row.why = (
            f"shown with {above.path}, which xarray's DataTree inherits from the group above; to NZ a coordinate is in"
            " the array's own group"
        )
    else:
        row.why = f"there is no array called {dimension.name} in the group; none is required"
        if dimension.name.startswith("phony_dim_"):
            row.why = "HDF5 has no name for this dimension; netCDF calls such dimensions phony_dim_0, phony_dim_1 and so on"
    return row


def _of_another_group(dimension: Dimension) -> str | None:
    """Return the full name of a dimension that netCDF-C notes for another group than that of the array."""
    use = dimension.uses[0]
    references = use.array.dimension_references
    if not references:
        return None
    reference = references[use.axis]
    return reference if paths.above(reference) != (use.array.parent or "/") else None


def _describe_reference(row: DimensionRow, array: Array, reference: str, values: Values) -> None:
    """Say where a dimension of another group is declared, and which array there is named after it."""
    home = paths.above(reference)
    there = array.hierarchy.node_if_loaded(reference)
    told = f"it is {reference}, declared by {home}"
    if not isinstance(there, Array) or not there.named_like_dimension:
        row.why = f"{told}; no array is named after it there"
        return
    _describe(row, there, values(there))
    row.coordinate_state = "no"
    row.why = f"{told}; netCDF takes {there.path} for its coordinate, to NZ a coordinate is in the array's own group"


def _describe(row: DimensionRow, array: Array, found: Monotonicity | None) -> None:
    row.coordinate = array.path
    units = array.attributes.get("units")
    row.units = units if isinstance(units, str) else None
    if found is None:
        row.coordinate_state, row.why = (
            "candidate",
            "named like its only dimension; its values have not been read yet",
        )
        return
    row.why = found.note
    if found.result in ("increasing", "decreasing", "trivial"):
        row.coordinate_state = "yes"
        if found.result == "increasing":
            row.direction = "increasing"
        elif found.result == "decreasing":
            row.direction = "decreasing"
    elif found.result in ("not", "missing"):
        row.coordinate_state = "no"
    else:
        row.coordinate_state = "candidate"
    ends = [end for end in (found.first, found.last) if end is not None]
    dates = time_labels(np.asarray(ends), array.attributes) if ends else None
    texts = [_text(end) for end in ends] if dates is None else dates
    row.first, row.last = (texts[0], texts[-1]) if texts else (None, None)
    row.step = None if found.step is None else _text(found.step)


def _text(value: Any) -> str:
    """Return a value in as many digits as distinguish it from its neighbours."""
    return f"{value:.7g}" if isinstance(value, float) else str(value)
