"""zarr-conventions/spatial: what it says of a grid fits the arrays."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from nz_explorer.conventions.zarr3.nodes import shown
from nz_explorer.engine.findings import Fail
from nz_explorer.engine.fixes import Draft, set_attribute
from nz_explorer.engine.registry import rule

if TYPE_CHECKING:
    from nz_explorer.model import Group, Node

DIMENSIONS, SHAPE = "spatial:dimensions", "spatial:shape"


@rule("ZCF-SPATIAL-001", on="members", when=lambda group: DIMENSIONS in group.attributes)
def grid_fits_the_arrays(group: Group) -> Iterator[Fail]:
    """Warn of dimensions in another order than the arrays have, and of lengths that no array has."""
    names = group.attributes[DIMENSIONS]
    if not isinstance(names, list) or len(names) != 2 or names[0] == names[1]:
        return  # ZCF-SCHEMA-001
    found = {
        array.path: (array.dimension_names or (), array.shape or ())
        for array in group.arrays
        if set(names) <= set(array.dimension_names or ())
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


def _turned(node: Node) -> Draft:
    """Put the dimensions in the order of the arrays, and the lengths with them."""
    attributes = node.attributes
    operations: list[Any] = [*set_attribute(node, DIMENSIONS, attributes[DIMENSIONS][::-1])]
    if isinstance(shape := attributes.get(SHAPE), list) and len(shape) == 2:
        operations += set_attribute(node, SHAPE, shape[::-1])
    return Draft("suggest", tuple(operations), "look at the map then")
