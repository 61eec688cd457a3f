"""CS: whether axes have as many values, and limits of cells, as their dimensions are long."""

from __future__ import annotations

from collections.abc import Mapping

from nz_explorer.conventions.cs.axis_coordinates import of_one_type
from nz_explorer.documents.json_text import json_text
from nz_explorer.engine.findings import Fail, FixMaker, RuleOutput, Undecided
from nz_explorer.engine.fixes import Draft
from nz_explorer.model import Array, Group, Node
from nz_explorer.model.dialects.cs import Axis, CoordinateSet, CoordinateSystem
from nz_explorer.model.dialects.ref import Target, resolve
from nz_explorer.text.phrases import listed, plural


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
    # one that is not of length 1 is CS-ARR-005
    found.extend((axis, axis.length() or 1) for axis in system.extra)
    for axis, length in found:
        for one in axis.sets:
            yield from _values(system, axis, one, length)
            yield from _bounds(system, axis, one, length)


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


def _values(system: CoordinateSystem, axis: Axis, one: CoordinateSet, length: int) -> RuleOutput:
    shown, array = json_text(axis.name), system.array
    extra = axis.name not in (system.names or ())
    if (
        one.kind == "explicit"
        and of_one_type(one.values)
        and len(one.values) != length
        and not (extra and len(one.values) == axis.length())  # which is CS-ARR-005
    ):
        yield Fail(
            _at(system, axis, one, "values", "explicit"),
            f"axis {shown} has {plural(len(one.values), 'value')}, this array needs {length}",
            rule="CS-VAL-005",
        )
    if one.kind != "external":
        return
    held = one.external()
    pointer = _at(system, axis, one, "values", "external")
    if held is None:
        yield from _no_array(
            one,
            one.values,
            Fail(
                pointer,
                f"{_target(one, one.values)}, which should have the values of {shown}, is not an array",
                fix=_as_long(array, length),
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
    elif held.shape != (length,):
        yield Fail(
            pointer,
            _wrong_length(held, length),
            related=(held.path,),
            fix=_as_long(array, length),
            rule="CS-VAL-004",
        )


def _bounds(system: CoordinateSystem, axis: Axis, one: CoordinateSet, length: int) -> RuleOutput:
    shown = json_text(axis.name)
    bounds, given = one.bounds(), one.given.get("boundaries")
    outside = given.get("external") if isinstance(given, Mapping) else None
    if outside is None:
        return
    pointer = _at(system, axis, one, "boundaries", "external")
    if bounds is None:
        message = f"bounds of {shown} are not in an array"
        yield from _no_array(one, outside, Fail(pointer, message, rule="CS-BND-004"))
    elif bounds.shape is None:
        yield Undecided("dependency: Z3-SHAPE-001", "CS-BND-004")
    elif bounds.data_type.known and bounds.data_type.kind in ("string", "bytes"):
        yield Fail(
            pointer,
            f"bounds of {shown} in {bounds.path} are texts; limits of cells are numbers",
            related=(bounds.path,),
            rule="CS-BND-004",
        )
    elif bounds.shape != (2, length):
        turned = bounds.shape == (length, 2)
        hint = (
            "; that is the layout of CF, which the stores of the author of cs have and his reader takes"
            if turned
            else ""
        )
        yield Fail(
            pointer,
            f"bounds of {shown} in {bounds.path} have shape {list(bounds.shape)}, expected [2, {length}]{hint}",
            related=(bounds.path,),
            severity="warning" if turned else None,
            rule="CS-BND-004",
        )


def _no_array(one: CoordinateSet, given: object, fail: Fail) -> RuleOutput:
    """Report a reference that leads to no array, where it is known what it leads to."""
    reference = resolve(given, one.home)
    rule_id = str(fail.rule)
    target = next(iter(reference.targets), None)
    if target is not None and _is_known(target):
        broken = not target.pointer and target.node.state == "malformed"
        yield Undecided("dependency: Z3-DOC-002", rule_id) if broken else fail
    elif reference.targets:
        yield Undecided("unreadable", rule_id)
    elif reference.kind == "node":
        yield Undecided("dependency: REF-002", rule_id)


def _target(one: CoordinateSet, given: object) -> str:
    return next(map(str, resolve(given, one.home).targets), "")


def _is_known(target: Target) -> bool:
    """Whether it is known what kind of node a reference leads to, as its document could be read."""
    return bool(target.pointer) or isinstance(target.node, Array | Group)


def _as_long(array: Array, length: int) -> FixMaker:
    """Return the fix that says which arrays could hold the values."""

    def fix(_node: Node) -> Draft:
        group = array.hierarchy.node_if_loaded(array.parent or "/")
        beside = group.arrays if isinstance(group, Group) else []
        fitting = [other.name for other in beside if other.shape == (length,)]
        wanted = f"name an array of one dimension with {plural(length, 'value')}"
        return Draft("suggest", note=f"{wanted}: {listed(fitting)}" if fitting else wanted)

    return fix


def _wrong_length(held: Array, length: int) -> str:
    if held.shape is not None and len(held.shape) == 1:
        return f"array {held.name} is {held.shape[0]} long in {held.parent or '/'}, this array needs {length}"
    return f"{held.path} has shape {list(held.shape or ())}, this array needs [{length}]"
