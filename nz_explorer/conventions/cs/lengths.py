"""CS: whether axes have as many values, and limits of cells, as their dimensions are long."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise, product

from nz_explorer.conventions.cs.axis_coordinates import has_no_numbers, is_keyed, of_one_type
from nz_explorer.conventions.cs.limits import fits, is_named_as_in_cf
from nz_explorer.conventions.cs.parametric import of_levels, terms_without_levels
from nz_explorer.documents.json_text import json_text
from nz_explorer.engine.findings import Fail, FixMaker, RuleOutput, Undecided
from nz_explorer.engine.fixes import Draft
from nz_explorer.engine.fixes import replace as write
from nz_explorer.model import Array, Group, Node
from nz_explorer.model.dialects.cs import (
    Axis,
    CoordinateSet,
    CoordinateSystem,
    Crs,
    numbers,
)
from nz_explorer.model.dialects.ref import Target
from nz_explorer.text.phrases import listed, plural
from nz_explorer.text.units import known_unit


def lengths(system: CoordinateSystem) -> RuleOutput:
    """Judge whether values are as many as the dimension is long.

    Parameters
    ----------
    system : CoordinateSystem
        That of an array.
    """
    array = system.array
    of_dimensions = zip(system.dimensions, array.shape or (), strict=False)
    found = [(axis, length) for axis, length in of_dimensions if axis is not None]
    for axis in system.extra:
        own = axis.length()
        found.append((axis, 1 if own is None else own))  # that it is not 1 is CS-ARR-005
    shared = {id(axis) for crs in system.crs if crs.is_shared for axis in crs.axes}
    for axis, length in found:
        for one in axis.sets:
            yield from _other_terms(array, axis, one, partial(_at, system, axis, one))
        needs = _Needs(length, "this array needs", _as_long(array, length))
        for one, judge in product(axis.sets, (_values, _on_earth, _bounds, _terms)):
            wrong = [*judge(axis, one, needs, partial(_at, system, axis, one))]
            if wrong and id(axis) in shared and _is_told(axis, one, judge):
                continue
            # limits and terms of values that are too many or too few, and as many as these, are told with them
            own = _number(one) if judge is not _values else length
            if own in (None, length) or [*judge(axis, one, _Needs(own, ""), one.pointer)]:
                yield from wrong


def lengths_by_themselves(crs: Crs) -> RuleOutput:
    """Judge the arrays that a shared reference system has its values and limits in, whatever array refers to it.

    Parameters
    ----------
    crs : Crs
        One that a group keeps.
    """
    for axis in crs.axes:
        for one, judge in product(axis.sets, (_values, _on_earth, _bounds, _terms)):
            yield from judge(axis, one, _own_needs(axis), one.pointer)


@dataclass(frozen=True, slots=True)
class _Needs:
    """How many coordinates there have to be.

    Attributes
    ----------
    length : int or None
        How many; None where that depends on the array.
    who : str
        What needs so many, in words.
    fix : callable or None
        Makes the fix of an array with another number of them.
    """

    length: int | None
    who: str
    fix: FixMaker | None = None


def _own_needs(axis: Axis) -> _Needs:
    """Return what the first set of coordinates that says how many they are needs of the others, and of its limits."""
    known = (number for one in axis.sets if (number := _number(one)) is not None)
    return _Needs(next(known, None), "its axis needs")


def _number(one: CoordinateSet) -> int | None:
    """Return how many coordinates a set has itself; None where that depends on the array, or is not known."""
    if one.kind == "explicit" and of_one_type(one.values):
        return len(one.values)
    held = one.external()
    shape = () if held is None or held.shape is None else held.shape
    return shape[0] if len(shape) == 1 else None


_Judge = Callable[[Axis, CoordinateSet, _Needs, Callable[..., str]], RuleOutput]


def _is_told(axis: Axis, one: CoordinateSet, judge: _Judge) -> bool:
    """Whether the group that keeps an axis is told what is wrong with a set of its coordinates."""
    # there it is not known which array refers to it
    sets = {id(each): replace(each, base=axis.home) for each in axis.sets}
    kept = replace(axis, base=axis.home, sets=tuple(sets.values()))
    found = judge(kept, sets[id(one)], _own_needs(kept), one.pointer)
    return any(isinstance(each, Fail) for each in found)


def place(system: CoordinateSystem, axis: Axis, *members: str | int) -> str:
    """Return where something of an axis is; the entry of the array that leads there, if that is in another node.

    Parameters
    ----------
    system : CoordinateSystem
        That of an array.
    axis : Axis
        One of its axes.
    *members : str or int
        What leads from the axis to it.
    """
    array = system.array
    if axis.home is array:
        return axis.pointer(*members)
    entries = (i for i, crs in enumerate(system.crs) if any(axis is own for own in crs.axes))
    return array.attribute_pointer("cs", "crs", next(entries))


_NO_COORDINATES = ("bool", "complex")


def _at(system: CoordinateSystem, axis: Axis, one: CoordinateSet, *members: str) -> str:
    """Return where something of coordinates is, or the entry that leads there."""
    return one.pointer(*members) if one.home is system.array else place(system, axis)


def _values(axis: Axis, one: CoordinateSet, needs: _Needs, at: Callable[..., str]) -> RuleOutput:
    shown = json_text(axis.name)
    if (
        one.kind == "explicit"
        and of_one_type(one.values)
        and needs.length not in (None, len(one.values))
    ):
        yield Fail(
            at("values", "explicit"),
            f"axis {shown} has {plural(len(one.values), 'value')}, {needs.who} {needs.length}",
            rule="CS-VAL-005",
        )
    if one.kind != "external":
        return
    held = one.external()
    pointer = at("values", "external")
    if held is None:
        yield from _no_array(
            one,
            one.values,
            Fail(
                pointer,
                f"{one.follow(one.values).no_array}, which should have the values of {shown}, is not an array",
                fix=needs.fix,
                rule="CS-VAL-004",
            ),
        )
    elif held.data_type.known and held.data_type.kind in _NO_COORDINATES:
        yield Fail(
            pointer,
            f"{held.path}, which should have the values of {shown}, has {held.data_type.text}: coordinates are real numbers or texts",
            related=(held.path,),
            severity="warning",
            rule="CS-VAL-004",
        )
    elif held.shape is None:
        yield Undecided("dependency: Z3-SHAPE-001", "CS-VAL-004")
    elif len(held.shape) != 1 or needs.length not in (None, held.shape[0]):
        yield Fail(
            pointer,
            _wrong_length(held, needs),
            related=(held.path,),
            fix=needs.fix,
            rule="CS-VAL-004",
        )


_ANGLES = {"Y": ("north",), "X": ("east", "west")}
"""Axes that in degrees are latitudes and longitudes, and the directions in which they run; to the south they are colatitudes."""
_POLE, _ROUND, _HALO = 90.0, 360.0, 10
"""Degrees to the poles and round the Earth, and how many cells a grid may have twice."""
_ROUNDED = 1e-4
"""Degrees by which float32, and what is written with few digits, may be off."""


def _on_earth(axis: Axis, one: CoordinateSet, needs: _Needs, at: Callable[..., str]) -> RuleOutput:
    """Warn of a first value and an increment that lead beyond the poles, or round the Earth again; of a list, beyond the poles."""
    pair, count = numbers(one.values, 2) if one.kind == "regular" else None, needs.length or 0
    letter = axis.abbreviation if isinstance(axis.abbreviation, str) else ""
    known = one.direction in _ANGLES.get(letter, ())
    if not known or known_unit(one.unit) != "degree":
        return
    if one.kind == "explicit" and letter == "Y" and isinstance(one.values, list):
        yield from _between_poles(numbers(one.values, len(one.values)), at)
    first, increment = pair or (0.0, 0.0)
    if pair is None or _lies_on_earth(letter, first, increment, count):
        return
    steps = count - 1
    what, where = {
        "Y": ("latitudes", "beyond the poles"),
        "X": ("longitudes", "more than once round the Earth"),
    }[letter]
    to = round(first + steps * increment, 6)
    message = f"regular {json_text(one.values)} makes {count:,} {what} from {first:g} to {to:,.10g}, {where}"
    right, between = None, round((increment - first) / steps, 10)
    if _lies_on_earth(letter, first, -increment, count):
        right = -increment
        sign = "below" if right < 0 else "above"
        message += f": they run the other way, so the increment is {sign} 0"
    elif between and round(between, 5) == between and abs(increment) <= _ROUND:
        right = between
        message += "; the second number is the increment, and not the last value"
    pointer = one.pointer("values", "regular", 1)
    yield Fail(
        at("values", "regular"),
        message,
        severity="warning",
        fix=None
        if right is None
        else lambda _node: Draft("suggest", (write(pointer, right),), node=one.home),
        rule="CS-VAL-002",
    )


def _between_poles(values: tuple[float, ...] | None, at: Callable[..., str]) -> RuleOutput:
    """Warn of latitudes in a list of which one is beyond a pole by more than half a cell, unless as many rows are beyond both."""
    if not values:
        return
    ordered = sorted(values)
    cell = min((b - a for a, b in pairwise(ordered) if b > a), default=0.0)
    farthest = max(values, key=abs)
    both = abs(ordered[0] + ordered[-1]) <= cell / 10 and abs(farthest) - _POLE <= _HALO / 2 * cell
    if abs(farthest) - _POLE > max(cell / 2, _ROUNDED) and not both:
        yield Fail(
            at("values", "explicit"),
            f"explicit values have the latitude {farthest:g}, which is beyond the poles: longitudes and latitudes may be exchanged,"
            " or the unit may be another one",
            severity="warning",
            rule="CS-VAL-005",
        )


def _lies_on_earth(letter: str, first: float, increment: float, count: int) -> bool:
    """Whether regular values in degrees lie between the poles, or go round the Earth once; float32 and a few cells apart.

    Models have rows beyond both poles, as many at each, and columns once more.
    """
    steps, cell = max(count - 1, 0), abs(increment)
    if letter == "X":
        return steps * cell <= _ROUND + _HALO * cell
    ends = (first, first + steps * increment)
    beyond = max(map(abs, ends)) - _POLE
    both = abs(sum(ends)) <= cell / 10 and steps * cell <= 2 * _POLE + _HALO * cell
    return steps == 0 or beyond <= cell / 10 or both


def _bounds(axis: Axis, one: CoordinateSet, needs: _Needs, at: Callable[..., str]) -> RuleOutput:
    shown = json_text(axis.name)
    bounds, given = one.bounds(), one.given.get("boundaries")
    outside = given.get("external") if isinstance(given, Mapping) else None
    if outside is None:
        return
    pointer = at("boundaries", "external")
    if bounds is None:
        message = f"bounds of {shown} are not in an array"
        yield from _no_array(one, outside, Fail(pointer, message, rule="CS-BND-004"))
    elif bounds.shape is None:
        yield Undecided("dependency: Z3-SHAPE-001", "CS-BND-004")
    elif has_no_numbers(bounds):
        yield Fail(
            pointer,
            f"bounds of {shown} in {bounds.path} are {bounds.data_type.text}; limits of cells are real numbers",
            related=(bounds.path,),
            rule="CS-BND-004",
        )
    elif not fits(bounds.shape, needs.length):
        turned = fits(bounds.shape[::-1], needs.length)
        hint = (
            "; that is the layout of CF, which the stores of the author of cs have and his reader takes"
            if turned
            else ""
        )
        length = "as many as there are coordinates" if needs.length is None else needs.length
        yield Fail(
            pointer,
            f"bounds of {shown} in {bounds.path} have shape {list(bounds.shape)}, expected [2, {length}]{hint}",
            related=(bounds.path,),
            severity="warning" if turned else None,
            rule="CS-BND-004",
        )
    elif bounds.shape == (2, 2) and is_named_as_in_cf(bounds, axis.name):
        yield Fail(
            pointer,
            f"bounds of {shown} in {bounds.path} have the dimensions {listed(map(json_text, bounds.dimension_names or ()))}: the first"
            " is that of the coordinates, as in CF and in the stores of the author of cs; by the text it is that of the limits, and"
            " both being 2 long, only the names tell",
            related=(bounds.path,),
            severity="warning",
            rule="CS-BND-004",
        )


def _terms(axis: Axis, one: CoordinateSet, needs: _Needs, at: Callable[..., str]) -> RuleOutput:
    """Judge whether the terms of a formula that have a value for each level have as many as there are levels."""
    shown = json_text(axis.name)
    for name, given in of_levels(one).items() if needs.length is not None else ():
        values = given.get("explicit") if isinstance(given, Mapping) else None
        outside = given.get("external") if isinstance(given, Mapping) else None
        held = None if outside is None else one.follow(outside).array
        if isinstance(values, list) and of_one_type(values) and len(values) != needs.length:
            yield Fail(
                at("parametric", "terms", name, "explicit"),
                f"the term {json_text(name)} of {shown} has {plural(len(values), 'value')}, {needs.who} {needs.length}",
                rule="CS-VAL-005",
            )
        elif (
            held is not None
            and held is not one.external()  # of which _values tells
            and held.shape not in (None, (needs.length,))
            and not (held.shape == () and needs.length == 1)
        ):
            yield Fail(
                at("parametric", "terms", name, "external"),
                _wrong_length(held, needs),
                related=(held.path,),
                fix=needs.fix,
                rule="CS-VAL-004",
            )


def _other_terms(
    array: Array, axis: Axis, one: CoordinateSet, at: Callable[..., str]
) -> RuleOutput:
    """Warn of terms without levels that are of other lengths along dimensions which they share with their array by name."""
    lengths = dict(zip(array.dimension_names or (), array.shape or (), strict=False))
    for name, given in terms_without_levels(one).items():
        outside = given.get("external") if isinstance(given, Mapping) else None
        held = None if outside is None else one.follow(outside).array
        if held is None:
            continue
        for dimension, length in zip(held.dimension_names or (), held.shape or (), strict=False):
            if dimension is not None and lengths.get(dimension, length) != length:
                yield Fail(
                    at("parametric", "terms", name, "external"),
                    f"{held.path}, the term {json_text(name)}, has {plural(length, 'value')} along {json_text(dimension)}, and this array"
                    f" has {lengths[dimension]}: the formula cannot combine the two",
                    related=(held.path,),
                    severity="warning",
                    readers={
                        "xarray-zarr-xgroup": "raises ValueError: conflicting sizes for dimension"
                    }
                    if is_keyed(axis)
                    else None,
                    rule="CS-VAL-004",
                )
                break


def _no_array(one: CoordinateSet, given: object, fail: Fail) -> RuleOutput:
    """Report a reference that leads to no array, where it is known what it leads to."""
    reference = one.follow(given)
    rule_id = str(fail.rule)
    target = next(iter(reference.targets), None)
    if target is not None and _is_known(target):
        broken = not target.pointer and target.node.state == "malformed"
        yield Undecided("dependency: Z3-DOC-002", rule_id) if broken else fail
    elif reference.targets:
        yield Undecided("unreadable", rule_id)
    elif reference.kind == "node":
        yield Undecided("dependency: REF-002", rule_id)
    elif reference.no_array is not None:
        yield fail


def _is_known(target: Target) -> bool:
    """Whether it is known what kind of node a reference leads to, as its document could be read."""
    return bool(target.pointer) or isinstance(target.node, Array | Group)


def _as_long(array: Array, length: int) -> FixMaker:
    """Return the fix that says which arrays could hold the values."""

    def fix(_node: Node) -> Draft:
        group = array.hierarchy.node_if_loaded(array.parent or "/")
        beside = group.arrays if isinstance(group, Group) else []
        # what has a coordinate set is data, not coordinates, such as the array itself
        held = [other for other in beside if "cs" not in other.attributes]
        fitting = [other.name for other in held if other.shape == (length,)]
        wanted = f"name an array of one dimension with {plural(length, 'value')}"
        return Draft("suggest", note=f"{wanted}: {listed(fitting)}" if fitting else wanted)

    return fix


def _wrong_length(held: Array, needs: _Needs) -> str:
    if held.shape is not None and len(held.shape) == 1:
        return f"{held.path} has {plural(held.shape[0], 'value')}, {needs.who} {needs.length}"
    needed = "one dimension" if needs.length is None else f"[{needs.length}]"
    return f"{held.path} has shape {list(held.shape or ())}, {needs.who} {needed}"
