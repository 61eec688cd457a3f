"""The dimension table with the coordinates' values in it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from nz_explorer.model import Array, Dimension, dimension_table
from nz_explorer.values.coordinates import Monotonicity

MAX_NAMED = 20
MAX_ROWS = 500

Values = Callable[[Array], "Monotonicity | None"]


@dataclass(frozen=True, slots=True)
class LengthUse:
    """The arrays that give a dimension one length: paths, at most twenty of them."""

    length: int
    arrays: list[str]
    total: int


@dataclass(slots=True)
class DimensionRow:
    """One dimension of a group, as its arrays show it.

    Attributes
    ----------
    coordinate : str or None
        Path of the array that is, or may be, the dimension coordinate.
    why : str
        Why it is or is not one, in a sentence.
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
    if not whole:
        dimensions += [d for d in dimension_table(own) if not d.name]
        order = {
            name: i
            for array in own
            for i, name in reversed(list(enumerate(array.dimension_names or ())))
        }
        dimensions.sort(key=lambda d: order.get(d.name, d.uses[0].axis))
    rows = [_row(dimension, values) for dimension in dimensions[:MAX_ROWS]]
    uses = [
        list(dict.fromkeys(use.array.path for use in dimension.uses))[:MAX_NAMED]
        for dimension in dimensions[:MAX_ROWS]
    ]
    return rows, uses


def _row(dimension: Dimension, values: Values) -> DimensionRow:
    lengths = [
        LengthUse(length, [array.path for array in arrays[:MAX_NAMED]], len(arrays))
        for length, arrays in dimension.lengths.items()
    ]
    row = DimensionRow(
        name=dimension.name,
        lengths=lengths,
        conflict=dimension.conflict,
    )
    if dimension.name is None:
        axis = dimension.uses[0].axis
        row.why = f"axis {axis} of {dimension.uses[0].array.name} has no name, so nothing can be its coordinate"
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
    else:
        row.why = f"there is no array called {dimension.name} in the group; none is required"
    return row


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
    if found.verdict in ("increasing", "decreasing", "trivial"):
        row.coordinate_state = "yes"
        if found.verdict == "increasing":
            row.direction = "increasing"
        elif found.verdict == "decreasing":
            row.direction = "decreasing"
    elif found.verdict in ("not", "missing"):
        row.coordinate_state = "no"
    else:
        row.coordinate_state = "candidate"
    row.first = None if found.first is None else str(found.first)
    row.last = None if found.last is None else str(found.last)
    row.step = None if found.step is None else str(found.step)
