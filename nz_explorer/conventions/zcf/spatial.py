"""zarr-conventions/spatial: what it says of a grid fits the arrays."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from nz_explorer.conventions.zarr3.nodes import numbers_of, shown
from nz_explorer.engine.findings import Fail
from nz_explorer.engine.fixes import Draft, set_attribute
from nz_explorer.engine.registry import rule

if TYPE_CHECKING:
    from nz_explorer.model import Group, Node

DIMENSIONS, SHAPE = "spatial:dimensions", "spatial:shape"
TRANSFORM, BOX = "spatial:transform", "spatial:bbox"
_CLOSE = 0.05
"""By what part of a cell the edges of a grid may differ that is described twice."""


@rule("ZCF-SPATIAL-001", on="members", when=lambda group: DIMENSIONS in group.attributes)
def grid_fits_the_arrays(group: Group) -> Iterator[Fail]:
    """Warn of dimensions in another order than the arrays have, and of lengths that no array has."""
    names = group.attributes[DIMENSIONS]
    texts = isinstance(names, list) and all(isinstance(name, str) for name in names)
    if not texts or len(names) != 2 or names[0] == names[1]:
        return  # ZCF-SCHEMA-001
    found = {
        array.path: (dims, array.shape)
        for array in group.arrays
        if {*names} <= {*(dims := array.dimension_names or ())}
        and array.shape is not None
        and len(array.shape) == len(dims)
    }
    if not found:
        return
    there = [[one for one in dims if one in names] for dims, _ in found.values()]
    if names not in there and names[::-1] in there:
        path = list(found)[there.index(names[::-1])]
        yield Fail(
            group.attribute_pointer(DIMENSIONS),
            f"{DIMENSIONS} is {shown(names)}, and {path} has them in the order {shown(names[::-1])}: readers that go by it"
            " take rows for columns",
            related=(path,),
            fix=_turned,
        )
        return
    given = group.attributes.get(SHAPE)
    lengths = [[shape[dims.index(name)] for name in names] for dims, shape in found.values()]
    if isinstance(given, list) and len(given) == 2 and given not in lengths:
        path, has = next(iter(found)), lengths[0]
        yield Fail(
            group.attribute_pointer(SHAPE),
            f"{SHAPE} is {shown(given)}, and {path} has {shown(has)}",
            related=(path,),
            fix=lambda node: Draft("suggest", set_attribute(node, SHAPE, has)),
        )


@rule(
    "ZCF-SPATIAL-001",
    on="group",
    needs=("attributes",),
    when=lambda group: TRANSFORM in group.attributes,
)
def grid_is_one(group: Group) -> Iterator[Fail]:
    """Warn of a transform in the order of GDAL, and of a box that is not that of the transform and the shape."""
    given = _numbers(group.attributes[TRANSFORM], 6)
    if given is None:
        return  # ZCF-SCHEMA-001
    a, b, c, d, e, f = given
    if b and d and f and not e and not c:
        right = [b, c, a, e, f, d]
        yield Fail(
            group.attribute_pointer(TRANSFORM),
            f"{TRANSFORM} is {shown(given)}, which is in the order of GDAL; that of the convention is {shown(right)}: readers"
            " place the grid elsewhere",
            fix=lambda node: Draft("suggest", set_attribute(node, TRANSFORM, right)),
        )
        return
    box, shape = _numbers(group.attributes.get(BOX), 4), _numbers(group.attributes.get(SHAPE), 2)
    if b or d or not a or not e or box is None or shape is None:
        return
    nodes = group.attributes.get("spatial:registration") == "node"
    rows, columns = (length - nodes for length in shape)
    edges = [*sorted((c, c + a * columns)), *sorted((f, f + e * rows))]
    right = [edges[0], edges[2], edges[1], edges[3]]
    off = [
        abs(one - other) / abs(step)
        for one, other, step in zip(box, right, [a, e] * 2, strict=True)
    ]
    if max(off) > _CLOSE:
        half = not nodes and all(abs(part - 0.5) <= _CLOSE for part in off)
        why = (
            ": it goes through the middle of the outer cells, and they are to be in it"
            if half
            else ""
        )
        yield Fail(
            group.attribute_pointer(BOX),
            f"{BOX} is {shown(box)}, and {TRANSFORM} and {SHAPE} give {shown(right)}{why}",
            fix=lambda node: Draft("suggest", set_attribute(node, BOX, right)),
        )


def _numbers(given: Any, count: int) -> list[float] | None:
    found = numbers_of(given)
    return found if found is not None and len(found) == count else None


def _turned(node: Node) -> Draft:
    """Put the dimensions in the order of the arrays, and the lengths with them."""
    attributes = node.attributes
    operations: list[Any] = [*set_attribute(node, DIMENSIONS, attributes[DIMENSIONS][::-1])]
    if isinstance(shape := attributes.get(SHAPE), list) and len(shape) == 2:
        operations += set_attribute(node, SHAPE, shape[::-1])
    return Draft("suggest", tuple(operations), "look at the map then")
