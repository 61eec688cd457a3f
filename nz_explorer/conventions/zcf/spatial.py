"""zarr-conventions/spatial: what it says of a grid fits the arrays."""

from __future__ import annotations

import math
from collections.abc import Container, Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeGuard

from nz_explorer.conventions.zarr3.nodes import numbers_of, set_to, shown
from nz_explorer.conventions.zcf import known_conventions
from nz_explorer.conventions.zcf.declarations import declared_here, levels
from nz_explorer.engine.findings import Fail
from nz_explorer.engine.fixes import Draft, set_attribute
from nz_explorer.engine.registry import rule
from nz_explorer.model import Array, Group
from nz_explorer.model.array import lengths as as_lengths
from nz_explorer.model.dialects import crs
from nz_explorer.model.dialects.cs import numbers
from nz_explorer.model.paths import below
from nz_explorer.text.phrases import listed

if TYPE_CHECKING:
    from nz_explorer.engine.findings import Severity
    from nz_explorer.model import Node

PREFIX = "spatial:"
DIMENSIONS, SHAPE = "spatial:dimensions", "spatial:shape"
TRANSFORM, BOX = "spatial:transform", "spatial:bbox"
REGISTRATION = "spatial:registration"
_CLOSE = 0.05
"""By what part of a cell the edges of a grid may differ that is described twice."""


@rule("ZCF-SPATIAL-001", on="members", when=lambda group: DIMENSIONS in group.attributes)
def grid_fits_the_arrays(group: Group) -> Iterator[Fail]:
    """Warn of x before y, and of lengths that no array has. Arrays may have the two in any order."""
    names = group.attributes[DIMENSIONS]
    if not _are_two(names):
        return  # ZCF-SCHEMA-001
    if names[0] == names[1]:
        yield _one_twice(group, names[0])
        return
    if _exchanged(names):
        yield _in_other_order(group, names)
        return
    found = {
        array.path: (dims, array.shape)
        for array in group.arrays
        if {*names} <= {*(dims := array.dimension_names or ())}
        and array.shape is not None
        and len(array.shape) == len(dims)
    }
    if not found:
        return
    given = group.attributes.get(SHAPE)
    lengths = {
        path: [shape[dims.index(name)] for name in names] for path, (dims, shape) in found.items()
    }
    if not _are_lengths(given):
        return
    misfits = [path for path, has in lengths.items() if has != given]
    fits = len(misfits) < len(lengths)
    if fits:  # what a group says is not about arrays with properties of their own, nor of each level of a pyramid
        misfits = [] if "multiscales" in group.attributes else _without_their_own(group, {*misfits})
    if misfits:
        path, has = misfits[0], lengths[misfits[0]]
        yield Fail(
            group.attribute_pointer(SHAPE),
            f"{SHAPE} is {shown(given)}, and {path} has {shown(has)}",
            related=(path,),
            fix=None if fits else lambda node: Draft("suggest", set_attribute(node, SHAPE, has)),
        )


def _without_their_own(group: Group, paths: Container[str]) -> list[str]:
    """Return those of some arrays that have no properties of spatial:."""
    return [
        array.path
        for array in group.arrays
        if array.path in paths and not any(name.startswith(PREFIX) for name in array.attributes)
    ]


def _are_two(names: Any) -> TypeGuard[list[str]]:
    texts = isinstance(names, list) and all(isinstance(name, str) for name in names)
    return texts and len(names) == 2


def _are_lengths(given: Any) -> TypeGuard[list[int]]:
    """Whether a shape is one, which is ZCF-SCHEMA-001 where it is not."""
    found = as_lengths(given)  # integers as JSON Schema has them, such as 100.0
    return found is not None and len(found) == 2 and 0 not in found


def _one_twice(node: Node, name: str) -> Fail:
    return Fail(
        node.attribute_pointer(DIMENSIONS),
        f"{DIMENSIONS} names {shown(name)} twice: the first is to be the dimension of y, the second that of x",
        rule="ZCF-SPATIAL-001",
    )


def _exchanged(names: list[str]) -> bool:
    """Whether the first of two dimensions, which is to be that of y, is by its name that of x."""
    first, second = (name.lower() for name in names)
    return first in crs.X_NAMES and second not in crs.X_NAMES | {""} and first != second


def _in_other_order(node: Node, names: list[str]) -> Fail:
    return Fail(
        node.attribute_pointer(DIMENSIONS),
        f"{DIMENSIONS} is {shown(names)}, and the first is to be the dimension of y, here {shown(names[1])}: readers that go"
        " by it take rows for columns",
        fix=_turned,
        rule="ZCF-SPATIAL-001",
    )


@rule(
    "ZCF-SPATIAL-002",
    "ZCF-SPATIAL-001",
    on="array",
    needs=("attributes", "shape", "names"),
    when=lambda array: (
        (array.zarr_format == 3 and any(name.startswith(PREFIX) for name in array.attributes))
        or known_conventions.SPATIAL in declared_here(array)
    ),
)
def dimensions_of_an_array(array: Array) -> Iterator[Fail]:
    """Require the dimensions of an array that has attributes of spatial:, of its own or of its group, to be dimensions of it."""
    at, names = array.attribute_pointer(DIMENSIONS), array.attributes.get(DIMENSIONS)
    # the text speaks of Zarr v3: of v2, which it does not name, as much as can be is asked for
    v2 = array.zarr_format == 2
    where = "_ARRAY_DIMENSIONS" if v2 else "dimension_names"
    milder: Severity | None = "warning" if v2 else None
    holder: Node = array
    if DIMENSIONS not in array.attributes:
        parent = array.hierarchy.node_if_loaded(array.parent) if array.parent else None
        if parent is None or DIMENSIONS not in parent.attributes:
            yield Fail(
                at,
                f"neither this array nor its group has {DIMENSIONS}, which says which dimensions are y and x",
                severity=milder,
            )
            return
        holder, names = parent, parent.attributes[DIMENSIONS]
    own = holder is array
    whose = "" if own else f" of {holder.path}"
    if not _are_two(names):
        return  # ZCF-SCHEMA-001
    if names[0] == names[1]:
        if own:  # that of a group is reported there
            yield _one_twice(array, names[0])
        return
    if array.dimension_names is None:
        yield Fail(
            array.attribute_pointer(where) if v2 else array.pointer(where),
            f"{DIMENSIONS}{whose} is {shown(names)}, and the array has no {where}, where readers look for these",
            related=() if own else (holder.path,),
            severity=milder,
        )
        return
    missing = [name for name in names if name not in array.dimension_names]
    there = listed(map(shown, array.dimension_names))
    if missing:
        yield Fail(
            at,
            f"{DIMENSIONS}{whose} has {listed(map(shown, missing))}, and"
            + (
                f" the dimensions of the array are {there}"
                if there
                else " the array has no dimensions"
            ),
            related=() if own else (holder.path,),
            severity=milder,
        )
        return
    if _exchanged(names):
        if own:
            yield _in_other_order(array, names)
        return
    given, lengths = array.attributes.get(SHAPE), _lengths(array, names)
    if _are_lengths(given) and given != lengths:
        yield Fail(
            array.attribute_pointer(SHAPE),
            f"{SHAPE} is {shown(given)}, and the array has {shown(lengths)}",
            fix=lambda node: Draft("suggest", set_attribute(node, SHAPE, lengths)),
            rule="ZCF-SPATIAL-001",
        )


def _lengths(array: Array, names: list[str]) -> list[int] | None:
    """Return how long dimensions of an array are, None where it has not all of them."""
    dims, shape = array.dimension_names or (), array.shape or ()
    if len(dims) != len(shape) or not {*names} <= {*dims}:
        return None
    return [shape[dims.index(name)] for name in names]


@rule(
    "ZCF-SPATIAL-001",
    on="array",
    needs=("attributes",),
    when=lambda array: not {TRANSFORM, BOX}.isdisjoint(array.attributes),
)
def grid_is_one(array: Array) -> Iterator[Fail]:
    """Warn of a transform in the order of GDAL, and of a box that is not that of the transform and the shape."""
    yield from _grid_is_one(array)


@rule(
    "ZCF-SPATIAL-001",
    on="members",
    when=lambda group: not {TRANSFORM, BOX}.isdisjoint(group.attributes),
)
def grid_of_a_group_is_one(group: Group) -> Iterator[Fail]:
    """Warn of the same in what a group says for its arrays."""
    yield from _grid_is_one(group)


def _grid_is_one(node: Node) -> Iterator[Fail]:
    told, at = False, node.attribute_pointer(BOX)
    for fail in _transform_and_box(node):
        told = told or fail.pointer == at
        yield fail
    box = _numbers(node.attributes.get(BOX), 4)
    if box is None or told or not _is_exchanged(box):
        return
    x, y = sorted(box[::2]), sorted(box[1::2])
    across = box[1] <= box[3]  # then x may go across the antimeridian, with another end
    yield Fail(
        at,
        f"{BOX} is {shown(box)}, and is to be the minima of x and y, and then the maxima",
        fix=None
        if across
        else lambda node: Draft("suggest", set_attribute(node, BOX, [x[0], y[0], x[1], y[1]])),
    )


def _is_exchanged(box: list[float]) -> bool:
    """Whether a minimum of a box is above its maximum."""
    return box[0] > box[2] or box[1] > box[3]


def _transform_and_box(node: Node) -> Iterator[Fail]:
    whole, own = _in_force(node), TRANSFORM in node.attributes
    given = _numbers(whole.get(TRANSFORM), 6)
    if given is None or not _is_affine(whole):
        return  # ZCF-SCHEMA-001, or of a kind whose numbers mean something else
    if (odd := _odd(given, node.attribute_pointer(TRANSFORM))) is not None:
        if own:  # that of a group is reported there
            yield odd
        return
    a, b, c, d, e, f = given
    # the box of a group may be around arrays that are elsewhere
    box, shape = _numbers(node.attributes.get(BOX), 4), node.attributes.get(SHAPE)
    names = whole.get(DIMENSIONS)
    by = f"{TRANSFORM}{'' if own else f' of {node.parent}'} and {SHAPE}"
    if _are_two(names):
        order = names[::-1] if _exchanged(names) else names
        found = [lengths for array in _arrays(node) if (lengths := _lengths(array, order))]
        if shape is None and isinstance(node, Array) and found:
            shape, by = (
                found[0],
                f"{by.removesuffix(SHAPE)}the lengths of the array, {shown(found[0])},",
            )
        elif found and shape not in found:
            return  # the shape is wrong, which is reported
    if box is None or not _are_lengths(shape):
        return
    nodes = whole.get(REGISTRATION) == "node"
    right = _box_of(given, shape, nodes=nodes)
    off = _apart(box, right, given)
    if max(off) > _CLOSE:
        half = not nodes and all(abs(part - 0.5) <= _CLOSE for part in off)
        begins = [c - (a + b) / 2, f - (d + e) / 2]
        moved = _box_of([a, b, begins[0], d, e, begins[1]], shape, nodes=nodes)
        if own and half and max(_apart(box, moved, given)) <= _CLOSE:
            edges = [a, b, begins[0], d, e, begins[1]]
            yield Fail(
                node.attribute_pointer(TRANSFORM),
                f"{TRANSFORM} is {shown(given)}, which begins in the middle of the first cell, and by {BOX} its corner is at"
                f" {shown(begins)}: cells are drawn half a cell aside",
                fix=lambda node: Draft("suggest", set_attribute(node, TRANSFORM, edges)),
            )
            return
        why = f' with {REGISTRATION} "node"' if nodes else ""
        if half:
            why = ": it goes through the middle of the outer cells, and they are to be in it"
        yield Fail(
            node.attribute_pointer(BOX),
            f"{BOX} is {shown(box)}, and {by} give {shown(right)}{why}",
            fix=lambda node: Draft("suggest", set_attribute(node, BOX, right)),
        )


def _odd(given: list[float], pointer: str, whose: str = "") -> Fail | None:
    """Report a transform in the order of GDAL, and one that gives cells no area."""
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
    return bool(a) or not d or _oblong(b, f) < _oblong(b, d)


def _oblong(width: float, height: float) -> float:
    return abs(math.log(abs(width)) - math.log(abs(height)))


def _is_affine(given: Mapping[str, Any]) -> bool:
    """Whether a transform is one of six factors, which it is where nothing else is said."""
    return bool(given.get("spatial:transform_type", "affine") == "affine")


def _box_of(transform: list[float], shape: list[int], *, nodes: bool) -> list[float]:
    """Return the box of a grid, which may be rotated."""
    a, b, c, d, e, f = transform
    rows, columns = (length - nodes for length in shape)
    corners = [(i, j) for i in (0, columns) for j in (0, rows)]
    x, y = ([p * i + q * j + r for i, j in corners] for p, q, r in ((a, b, c), (d, e, f)))
    return [min(x), min(y), max(x), max(y)]


def _apart(box: list[float], other: list[float], transform: list[float]) -> list[float]:
    """Return how many cells two boxes are apart on each side."""
    a, b, _, d, e, _ = map(abs, transform)
    return [
        abs(one - another) / step
        for one, another, step in zip(box, other, (a + b, d + e) * 2, strict=True)
    ]


@rule(
    "ZCF-SPATIAL-001",
    on="group",
    needs=("attributes",),
    when=lambda group: "multiscales" in group.attributes,
)
def levels_are_where_they_say(group: Group) -> Iterator[Fail]:
    """Warn of levels of a pyramid whose lengths no array there has, or that are not in the box of the pyramid."""
    box = _numbers(group.attributes.get(BOX), 4)
    if box is not None and _is_exchanged(box):
        box = None  # which is reported for itself
    nodes = group.attributes.get(REGISTRATION) == "node"
    for place, level in islice(levels(group), known_conventions.MOST_LEVELS):
        shape, transform = level.get(SHAPE), _numbers(level.get(TRANSFORM), 6)
        if not _is_affine({**group.attributes, **level}):
            transform = None
        at, whose = group.attribute_pointer(*place, TRANSFORM), f" of level {place[-1]}"
        if transform is not None and (odd := _odd(transform, at, whose)) is not None:
            yield odd
            continue
        if not _are_lengths(shape):
            continue
        found = _lengths_there(group, level.get("asset"))
        if found and shape not in found.values():
            path, has = next(iter(found.items()))
            pointer = group.attribute_pointer(*place, SHAPE)
            yield Fail(
                pointer,
                f"{SHAPE} of level {place[-1]} is {shown(shape)}, and {path} has {shown(has)}",
                related=(path,),
                fix=set_to(pointer, [*has], "suggest"),
            )
            continue
        if transform is None:
            continue
        yield from _otherwise_there(group, level, place)
        if box is not None:
            own = _box_of(transform, shape, nodes=nodes)
            # the last cells of a coarser level may reach further than those that they were made of
            if max(_apart(box, own, transform)) > 1:
                yield Fail(
                    group.attribute_pointer(BOX),
                    f"{BOX} is {shown(box)}, and {TRANSFORM} and {SHAPE} of level {place[-1]} give {shown(own)}",
                )
                return


def _otherwise_there(
    group: Group, level: Mapping[str, Any], place: tuple[str | int, ...]
) -> Iterator[Fail]:
    """Warn of a level that is at one place by the pyramid, and at another by its own attributes."""
    asset, given = level.get("asset"), _numbers(level[TRANSFORM], 6)
    node = group.hierarchy.get(below(group.path) + asset) if isinstance(asset, str) else None
    own = None if node is None or node is group else _numbers(node.attributes.get(TRANSFORM), 6)
    if node is None or given is None or own is None:
        return
    same = group.attributes.get(REGISTRATION, "pixel") == _in_force(node).get(REGISTRATION, "pixel")
    if not same or _odd(own, "") is not None or not _is_affine(node.attributes):
        return
    box, other = (_box_of(one, level[SHAPE], nodes=False) for one in (given, own))
    if max(_apart(box, other, given)) > _CLOSE:
        yield Fail(
            group.attribute_pointer(*place, TRANSFORM),
            f"{TRANSFORM} of level {place[-1]} is {shown(given)}, and {node.path} has {shown(own)}: readers that go by the one"
            " place it elsewhere than those that go by the other",
            related=(node.path,),
        )


def _lengths_there(group: Group, asset: Any) -> dict[str, list[int]]:
    """Return the lengths of y and x by array that a level has, or is; none where that is not told."""
    node = group.hierarchy.get(below(group.path) + asset) if isinstance(asset, str) else None
    if node is None:
        return {}
    children = node.hierarchy.children(node) if isinstance(node, Group) else [node]
    found = {}
    for array in children:
        names = array.attributes.get(DIMENSIONS) or node.attributes.get(DIMENSIONS)
        names = names or group.attributes.get(DIMENSIONS)
        if isinstance(array, Array) and _are_two(names) and not _exchanged(names):
            lengths = _lengths(array, names)
            if lengths is not None:
                found[array.path] = lengths
    return found


def _in_force(node: Node) -> Mapping[str, Any]:
    """Return the attributes that count for a node: of an array also those of its group that it has not."""
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


def _arrays(node: Node) -> list[Array]:
    """Return the arrays that attributes of a node are about: itself, or those in the group."""
    return [node] if isinstance(node, Array) else node.arrays if isinstance(node, Group) else []


def _numbers(given: Any, count: int) -> list[float] | None:
    """Return a list of so many numbers, None where it is none, or has integers that no float can hold."""
    return numbers_of(given) if numbers(given, count) is not None else None


def _turned(node: Node) -> Draft:
    """Put the dimensions in the order of the arrays, and the lengths with them where these are in the same order."""
    right = node.attributes[DIMENSIONS][::-1]
    operations: list[Any] = [*set_attribute(node, DIMENSIONS, right)]
    shape = node.attributes.get(SHAPE)
    if _are_lengths(shape) and shape not in [_lengths(array, right) for array in _arrays(node)]:
        operations += set_attribute(node, SHAPE, shape[::-1])
    return Draft("suggest", tuple(operations), "look at the map then")
