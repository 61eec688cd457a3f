"""CS: whether the limits of cells, which are in an array, lie around their coordinates."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, islice
from typing import TYPE_CHECKING

from nz_explorer.documents.json_text import json_text
from nz_explorer.engine.findings import Fail, RuleOutput, Undecided
from nz_explorer.engine.registry import rule
from nz_explorer.model import Array, Group
from nz_explorer.model.dialects.cs import (
    LOOKED_AT,
    Axis,
    CoordinateSet,
    coordinate_system,
    numbers,
)
from nz_explorer.text.units import known_unit

if TYPE_CHECKING:
    from nz_explorer.values.contents import BoundsFit, Contents, Given
    from nz_explorer.values.coordinates.monotonicity import Monotonicity

MOST_OUTSIDE = 0.5
"""Where fewer of the coordinates are outside of their cells, they may be meant so."""


def is_named_as_in_cf(bounds: Array, name: str | None) -> bool:
    """Whether the first dimension of limits, and not the second one, has the name of that of the coordinates.

    Parameters
    ----------
    bounds : Array
        The limits.
    name : str or None
        The dimension of the coordinates.
    """
    names = bounds.dimension_names or ()
    return names[:1] == (name,) and name not in names[1:]


def fits(shape: tuple[int, ...], length: int | None) -> bool:
    """Whether bounds of a shape are limits of so many cells, of any number where None is given.

    Parameters
    ----------
    shape : tuple of int
        The shape.
    length : int or None
        How many cells there are.
    """
    return len(shape) == 2 and shape[0] == 2 and length in (None, shape[1])


def _arrays_beside(array: Array) -> list[Array]:
    """Return the arrays of the same group that have cs."""
    group = array.hierarchy.get(array.parent or "/")
    return group.with_attribute("cs") if isinstance(group, Group) else []


def _described(arrays: Iterable[Array]) -> Iterator[tuple[Axis, CoordinateSet]]:
    """Yield the coordinates of arrays that have boundaries."""
    for system in filter(None, map(coordinate_system, arrays)):
        for axis in system.axes:
            yield from ((axis, one) for one in axis.sets if "boundaries" in one.given)


def _limits(array: Array) -> tuple[Array, CoordinateSet] | None:
    """Return the limits that cs of an array in the same group has beside these coordinates, in the shape that it wants."""
    beside = _arrays_beside(array)
    # coordinates are mostly called like their dimension, and the first array that has them will do
    beside.sort(key=lambda one: array.name not in (one.dimension_names or ()))
    found = ((one.bounds(), one) for _, one in _described(beside) if one.external() is array)
    limits, one = next((pair for pair in found if pair[0] is not None), (None, None))
    if limits is None or one is None or not array.shape:
        return None
    turned = is_named_as_in_cf(limits, (array.dimension_names or (None,))[0])
    return (limits, one) if fits(limits.shape or (), array.shape[0]) and not turned else None


@rule("CS-BND-004", on="values", formats=(3,), when=lambda array, _: bool(_arrays_beside(array)))
def limits_lie_around(array: Array, found: Monotonicity) -> RuleOutput:
    """Warn of limits that lie elsewhere than the coordinates, which are read anyway."""
    described = _limits(array)
    if described is not None and found.result == "unreadable":
        yield Undecided(f"unreadable: {found.note}" if found.note else "unreadable")
    elif described is not None:
        yield from _judge(*described, array)


@rule(
    "CS-BND-004", on="contents", formats=(3,), when=lambda array, _: fits(array.shape or (), None)
)
def limits_lie_around_others(array: Array, contents: Contents) -> RuleOutput:
    """Warn of the same with coordinates that are in the metadata, or in another group than what they are for."""
    looked_at = islice(array.hierarchy.walk(), LOOKED_AT)
    elsewhere = (one for one in looked_at if isinstance(one, Array) and "cs" in one.attributes)
    # in a large store the first nodes are not all: those that use limits are mostly beside them
    users = chain(_arrays_beside(array), elsewhere)
    for axis, one in _described(users):
        if one.bounds() is not array or is_named_as_in_cf(array, axis.name):
            continue
        held = one.external()
        if held is not None and _limits(held) is not None:
            return  # which has been judged with its values
        if (coordinate := held or _given(axis, one)) is not None:
            if contents.scan is None:
                yield Undecided(contents.problem)
            else:
                yield from _judge(array, one, coordinate)
        return


def _given(axis: Axis, one: CoordinateSet) -> Given | None:
    """Return coordinates that are in the metadata; None where they are no numbers."""
    from nz_explorer.values.contents import Given

    called, units = f"axis {json_text(axis.name)}", one.cf_attributes.get("units")
    listed = one.values if isinstance(one.values, list) else []
    if one.kind == "regular" and (pair := numbers(listed, 2)) is not None:
        return Given(called, pair[:1], pair[1], units=units)
    if one.kind == "explicit" and (values := numbers(listed, len(listed))) is not None:
        return Given(called, tuple(values), units=units)
    return None


def _judge(limits: Array, one: CoordinateSet, coordinate: Array | Given) -> RuleOutput:
    from nz_explorer.values.contents import has_few_chunks, limits_fit

    if not has_few_chunks(limits):
        yield Undecided("budget")
        return
    # longitudes, whose units do not tell in cs
    turns = one.direction in ("east", "west") and known_unit(one.unit) == "degree"
    fit = limits_fit(limits, coordinate, turns=turns)
    if fit is not None and (why := _misfit(fit)) is not None:
        end = coordinate if isinstance(coordinate, Array) else one.home
        yield Fail("", path=limits.path, message=why, related=(end.path,), severity="warning")


def _misfit(fit: BoundsFit) -> str | None:
    cell = f"{fit.low:.10g} and {fit.high:.10g}"
    if fit.exchanged:
        return (
            f"the first row has the upper limits of {fit.coordinate}, and the second one the lower, such as"
            f" {cell} of {fit.value:.10g}; the lower ones come first"
        )
    if not (fit.turned or fit.outside > fit.cells * MOST_OUTSIDE):
        return None
    why = (
        "from the last to the first all of them are: one of the two was turned round"
        if fit.turned
        else "they may belong to another grid, or pairs of limits were written one after the other, and not as two rows"
    )
    return (
        f"{fit.outside:,} of {fit.cells:,} values of {fit.coordinate} are not within their limits, such as"
        f" value[{fit.index}] = {fit.value:.10g}, whose limits are {cell}; {why}"
    )
