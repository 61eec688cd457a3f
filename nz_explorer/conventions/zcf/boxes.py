"""zarr-conventions/spatial: the transform, the shape and the box of a node are there, and describe one grid."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any

from nz_explorer.conventions.zarr3.nodes import shown
from nz_explorer.conventions.zcf import known_conventions
from nz_explorer.conventions.zcf.declarations import declared_here, levels
from nz_explorer.conventions.zcf.grids import (
    BOX,
    CLOSE,
    DIMENSIONS,
    PREFIX,
    REGISTRATION,
    SHAPE,
    TRANSFORM,
    TYPE,
    apart,
    are_lengths,
    are_two,
    beside_the_map,
    box_in_other_units,
    box_of,
    degrees_beyond,
    degrees_in_metres,
    exchanged,
    exchanged_axes,
    exchanged_origin,
    in_force,
    is_affine,
    is_box_of,
    is_exchanged,
    lengths_of,
    numbers_in,
    odd_transform,
    origin_meant,
)
from nz_explorer.conventions.zcf.pyramids.grids import one_is_inside
from nz_explorer.conventions.zcf.spatial import arrays_meant, may_be_exchanged, set_property, turned
from nz_explorer.engine.findings import Fail
from nz_explorer.engine.fixes import Draft, set_attribute
from nz_explorer.engine.registry import rule
from nz_explorer.model import Array, Group
from nz_explorer.model.dialects.transforms import transforms
from nz_explorer.model.named_array import named_array
from nz_explorer.model.paths import all_above, below
from nz_explorer.text.units import hemispheres

if TYPE_CHECKING:
    from nz_explorer.engine.findings import FixMaker
    from nz_explorer.model import Node


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
    own = node.attributes
    if not {TRANSFORM, BOX}.isdisjoint(own) and (odd := degrees_beyond(_with_system(node))):
        name, system = odd
        yield Fail(
            node.attribute_pointer(name),
            f"{name} is {shown(own[name])}, and the reference system, {system}, is one of longitudes and latitudes in degrees:"
            " there are no such longitudes or latitudes",
            fix=_origin_exchanged(node) if name == TRANSFORM else None,
        )
        return
    told, at = False, node.attribute_pointer(BOX)
    for fail in _transform_and_box(node):
        told = told or fail.pointer == at
        yield fail
    box = numbers_in(node.attributes.get(BOX), 4)
    if box is None or told:
        return
    if not is_exchanged(box):
        # with a transform, and in a pyramid, it is compared with that
        alone = {TRANSFORM, "multiscales"}.isdisjoint(in_force(node))
        units = box_in_other_units(box, _with_system(node)) if alone else None
        if units is not None:
            yield Fail(at, f"{BOX} is {shown(box)}, {units}")
        return
    x, y = sorted(box[::2]), sorted(box[1::2])
    across = box[1] <= box[3]  # then x may go across the antimeridian, with another end
    yield Fail(
        at,
        f"{BOX} is {shown(box)}, and is to be the minima of x and y, and then the maxima",
        fix=None if across else set_property(BOX, [x[0], y[0], x[1], y[1]]),
    )


def _origin_exchanged(node: Node) -> FixMaker | None:
    """Return the fix that exchanges the numbers of an origin, where these are a latitude and a longitude then."""
    given, names = numbers_in(node.attributes[TRANSFORM], 6) or [], in_force(node).get(DIMENSIONS)
    found = [lengths_of(array, names) for array in arrays_meant(node)] if are_two(names) else []
    shape = node.attributes.get(SHAPE, next(filter(None, found), None))
    right = origin_meant(given, shape, _with_system(node))
    if right is None:
        return None
    return lambda node: Draft(
        "suggest", set_attribute(node, TRANSFORM, right), "if they are exchanged"
    )


def _with_system(node: Node) -> dict[str, Any]:
    """Return the attributes of spatial: that a node has itself, and its reference system, which its group may have."""
    above = node.parent if isinstance(node, Array) else None
    parent = node.hierarchy.node_if_loaded(above) if above else None
    system = {} if parent is None else parent.attributes
    if any(name.startswith("proj:") for name in node.attributes):
        system = {}  # that of the group does not count then
    return {name: system[name] for name in system if name.startswith("proj:")} | dict(
        node.attributes
    )


def _transform_and_box(node: Node) -> Iterator[Fail]:
    whole, own = in_force(node), TRANSFORM in node.attributes
    given = numbers_in(whole.get(TRANSFORM), 6)
    if given is None or not is_affine(whole):
        return  # ZCF-SCHEMA-001, or of a kind whose numbers mean something else
    if (odd := odd_transform(given, node.attribute_pointer(TRANSFORM))) is not None:
        if own:  # that of a group is reported there
            yield odd
        return
    # the box of a group may be around arrays that are elsewhere
    box, shape = numbers_in(node.attributes.get(BOX), 4), node.attributes.get(SHAPE)
    names = whole.get(DIMENSIONS)
    by = f"{TRANSFORM}{'' if own else f' of {node.parent}'} and {SHAPE}"
    if are_two(names):
        order = names[::-1] if exchanged(names) else names
        found = [lengths for array in arrays_meant(node) if (lengths := lengths_of(array, order))]
        if shape is None and found and (isinstance(node, Array) or _has_one_grid(node, found)):
            whose = "the array" if isinstance(node, Array) else "the arrays"
            shape, by = (
                found[0],
                f"{by.removesuffix(SHAPE)}the lengths of {whose}, {shown(found[0])},",
            )
        elif found and shape not in found:
            return  # the shape is wrong, which is reported
    if not are_lengths(shape):
        return
    told = [] if box is None else list(_box_is_that_of(node, given, shape, by))
    yield from told
    system = _with_system(node)
    if told or not own:
        return
    if (odd_system := degrees_in_metres(given, shape, system)) is not None:
        at = node.attribute_pointer(TRANSFORM)
        yield Fail(at, f"{TRANSFORM} is {shown(node.attributes[TRANSFORM])}, {odd_system}")
    if (meant := beside_the_map(given, shape, system)) is None:
        return
    right, why = meant
    if box is None or right is None:
        yield _of_another_transform(node, right, why)
        return
    fits = box_of(right, shape, nodes=whole.get(REGISTRATION) == "node")
    both = set_property(TRANSFORM, right), set_property(BOX, fits)
    yield replace(_of_another_transform(node, right, why), fix=_joined(*both))


def _box_is_that_of(node: Node, given: list[float], shape: list[int], by: str) -> Iterator[Fail]:
    """Compare the box of a node with a transform and a shape, which are its own or not."""
    box, nodes = numbers_in(node.attributes[BOX], 4), in_force(node).get(REGISTRATION) == "node"
    right = box_of(given, shape, nodes=nodes)
    if box is None or not all(map(math.isfinite, right)):
        return  # numbers so large are no map
    off = apart(box, right, given)
    if max(off) <= CLOSE:
        return
    if TRANSFORM in node.attributes and (turned_back := exchanged_axes(given)) is not None:
        exchanged_box = [box[1], box[0], box[3], box[2]]
        if is_box_of(exchanged_box, turned_back, shape, nodes=nodes):
            why = f"whose numbers of x and y are exchanged, as those of {BOX} are: those of x are first"
            both = set_property(TRANSFORM, turned_back), set_property(BOX, exchanged_box)
            yield replace(_of_another_transform(node, turned_back, why), fix=_joined(*both))
            return
    if TRANSFORM in node.attributes and (meant := by_the_box(given, box, shape, nodes=nodes)):
        yield _of_another_transform(node, *meant)
        return
    why = f' with {REGISTRATION} "node"' if nodes else ""
    if not nodes:
        why = through_the_middle(box, right, given)
    on_earth = degrees_beyond({**_with_system(node), BOX: right}) is None
    fixes: tuple[FixMaker, ...] = (set_property(BOX, right),) if on_earth else ()
    if is_box_of(box, given, shape, nodes=not nodes):
        other = "pixel" if nodes else "node"
        why += f"; it is that of the same grid with {REGISTRATION} {shown(other)}"
        fixes = set_property(REGISTRATION, other), *fixes
    elif _is_of_the_other_order(node, box, given, shape, nodes=nodes):
        why += f"; it is that of the same grid with the two names of {DIMENSIONS} exchanged"
        fixes = turned, *fixes
    elif all(map(math.isclose, sorted(box), sorted(right))):
        why += "; these are the same numbers in another order"
    elif TRANSFORM in node.attributes and (
        other_grid := _by_another_transform(given, box, shape, nodes)
    ):
        why += f"; it is that {other_grid[1]}"
        fixes = *fixes, set_property(TRANSFORM, other_grid[0])
        fixes = fixes[::-1] if _a_layout_has(node, other_grid[0]) else fixes
    if max(off) > 1 and isinstance(node, Group) and one_is_inside(node):
        fixes = ()  # levels are in this box: another thing is wrong
    yield Fail(
        node.attribute_pointer(BOX),
        f"{BOX} is {shown(box)}, and {by} give {shown(right)}{why}",
        fix=next(iter(fixes), None),
        alternatives=fixes[1:],
    )


def _is_of_the_other_order(
    node: Node, box: list[float], given: list[float], shape: list[int], *, nodes: bool
) -> bool:
    """Whether a box is that of a grid whose y is the second of two dimensions, and of these no name tells which is y."""
    names = node.attributes.get(DIMENSIONS)
    return (
        are_two(names)
        and shape[0] != shape[1]
        and may_be_exchanged(names)
        and is_box_of(box, given, shape[::-1], nodes=nodes)
    )


def _by_another_transform(
    given: list[float], box: list[float], shape: list[int], nodes: bool
) -> tuple[list[float], str] | None:
    """Return the transform by which a box is filled by the same cells from another corner, or by larger ones from the same; None if none.

    A grid that was cut out or made coarser may have kept the transform of before, as well as the box of before.
    """
    a, b, c, d, e, f = given
    rows, columns = (length - nodes for length in shape)
    if b or d or not rows or not columns or is_exchanged(box):
        return None
    corner = [box[0] if a > 0 else box[2], box[3] if e < 0 else box[1]]
    right = [a, b, corner[0], d, e, corner[1]]
    if is_box_of(box, right, shape, nodes=nodes):
        return right, f"of the same cells from {shown(corner)} on"
    width, height = (box[2] - box[0]) / columns, (box[3] - box[1]) / rows
    right = [math.copysign(width, a), b, c, d, math.copysign(height, e), f]
    larger = width / abs(a)
    alike = math.isclose(larger, height / abs(e), rel_tol=0.01)
    if not alike or not is_box_of(box, right, shape, nodes=nodes):
        return None
    return right, f"of cells {larger:.4g} times as large"


def _a_layout_has(node: Node, transform: list[float]) -> bool:
    """Whether the layout of a pyramid places the level that a node is, or is in, by a transform."""
    for path in all_above(node.path):
        group = node.hierarchy.node_if_loaded(path)
        for _, level in (
            () if group is None else islice(levels(group), known_conventions.MOST_LEVELS)
        ):
            there = numbers_in(level.get(TRANSFORM), 6)
            at = f"{below(path)}{level.get('asset')}"
            if there is not None and at in (node.path, node.parent):
                return all(map(math.isclose, there, transform))
    return False


def _of_another_transform(node: Node, right: list[float] | None, why: str) -> Fail:
    return Fail(
        node.attribute_pointer(TRANSFORM),
        f"{TRANSFORM} is {shown(node.attributes[TRANSFORM])}, {why}",
        fix=None if right is None else set_property(TRANSFORM, right),
    )


def _joined(*fixes: FixMaker) -> FixMaker:
    """Return the fix that does what several do to one node."""

    def fix(node: Node) -> Draft:
        drafts = [draft for one in fixes if (draft := one(node)) is not None]
        return Draft("suggest", tuple(step for draft in drafts for step in draft.operations))

    return fix


def _has_one_grid(node: Node, lengths: list[list[int]]) -> bool:
    """Whether all arrays are on the grid of their group, which is about no others: then its box is around them."""
    return (
        isinstance(node, Group)
        and not node.groups
        and "multiscales" not in node.attributes
        and all(one == lengths[0] for one in lengths)
        and not any(name.startswith(PREFIX) for array in node.arrays for name in array.attributes)
    )


def through_the_middle(box: list[float], right: list[float], transform: list[float]) -> str:
    """Return what is odd about a box of the middles of the outer cells, nothing of any other.

    Parameters
    ----------
    box, right : list of float
        The box that is given, and that of the cells.
    transform : list of float
        The six factors.
    """
    half = all(abs(part - 0.5) <= CLOSE for part in apart(box, right, transform))
    smaller = all(map(operator.gt, box[:2], right[:2])) and all(
        map(operator.lt, box[2:], right[2:])
    )
    if not half or not smaller:
        return ""
    return ": the box runs through the middle of the outer cells, which should be inside"


def by_the_box(
    given: list[float], box: list[float], shape: list[int], *, nodes: bool
) -> tuple[list[float], str] | None:
    """Return the transform that is meant by one which a box contradicts, and what is odd about it; None where no other fits.

    Parameters
    ----------
    given : list of float
        The six factors.
    box : list of float
        xmin, ymin, xmax and ymax, which are to be right.
    shape : list of int
        The number of rows and of columns.
    nodes : bool
        Whether the box goes through the middle of the outer cells.
    """
    for right, why in _meant(given, box, nodes=nodes):
        if is_box_of(box, right, shape, nodes=nodes):
            return right, why
    return None


def _meant(
    given: list[float], box: list[float], *, nodes: bool
) -> Iterator[tuple[list[float], str]]:
    """Yield transforms that may be meant, and what is odd about the one that is given then."""
    a, b, c, d, e, f = given
    if (right := exchanged_axes(given)) is not None:
        yield right, f"whose numbers of x and y are exchanged by {BOX}: those of x are first"
    why = f"whose third and sixth number are exchanged by {BOX}: the first of them is that of x"
    yield exchanged_origin(given), why
    if e > 0:
        why = f"by which the rows go north from {shown(f)}, and by {BOX} they go south: the fifth number is negative then"
        yield [a, b, c, d, -e, f], why
    elif abs(f - box[1]) <= CLOSE * abs(e):
        why = f"by which the rows go south from {shown(f)}, where {BOX} ends: the sixth number is to be the northernmost"
        yield [a, b, c, d, e, box[3]], why
    if not nodes:
        corner = [c - (a + b) / 2, f - (d + e) / 2]
        why = f"which begins in the middle of the first cell, and by {BOX} its corner is at {shown(corner)}"
        yield [a, b, corner[0], d, e, corner[1]], f"{why}: cells are drawn half a cell aside"


@rule(
    "ZCF-SCHEMA-001",
    on="array",
    needs=("attributes", "conventions list"),
    when=lambda array: is_affine(array.attributes) and TRANSFORM not in array.attributes,
)
def affine_by_a_transform(array: Array) -> Iterator[Fail]:
    """Warn of an array that nothing places: it has no transform, nor coordinates; levels have theirs in the pyramid."""
    if known_conventions.SPATIAL not in declared_here(array) or _in_a_pyramid(array):
        return
    group = array.hierarchy.node_if_loaded(array.parent or "/")
    given = (group.attributes if group is not None else {}) | array.attributes
    if TRANSFORM in given or not is_affine(given):
        return
    said = TYPE in array.attributes
    if said or not _has_coordinates(array, given.get(DIMENSIONS)):
        yield _not_placed(array, array, "this array nor its group", said=said)


@rule("ZCF-SCHEMA-001", on="members", when=lambda group: DIMENSIONS in group.attributes)
def affine_by_a_transform_for_its_arrays(group: Group) -> Iterator[Fail]:
    """Warn of the same of arrays that a group describes, which have no properties of their own."""
    given, names = group.attributes, group.attributes[DIMENSIONS]
    grids = [array for array in group.arrays if (array.ndim or 0) > 1]
    if (
        known_conventions.SPATIAL not in declared_here(group)
        or "multiscales" in given
        or any("transform" in name.lower() for name in given if name != TYPE)  # or spelled so
        or not is_affine(given)
        or not are_two(names)
        or _in_a_pyramid(group)
        or any(
            known_conventions.SPATIAL in declared_here(array)
            or any(name.startswith(PREFIX) for name in array.attributes)
            for array in grids
        )
    ):
        return
    said = TYPE in given
    if not said and any(_is_of_a_swath(array) for array in grids):
        return
    for array in grids:
        if {*names} <= {*(array.dimension_names or ())} and (
            said or not _has_coordinates(array, names)
        ):
            yield _not_placed(group, array, f"this group nor {array.path}", said=said)
            return


def _is_of_a_swath(array: Array) -> bool:
    """Whether an array has a latitude, or a longitude, for each cell of a grid."""
    named = array.attributes.get("standard_name") in ("latitude", "longitude")
    return named or bool(hemispheres(array.attributes.get("units")))


def _not_placed(node: Node, array: Array, which: str, *, said: bool) -> Fail:
    """Report an array that has no transform, with the one by which it fills its box, if it has a box."""
    given = in_force(array)
    why = (
        f'{TYPE} is "affine", and neither {which} has the {TRANSFORM} that it requires'
        if said
        else f"neither {which} has {TRANSFORM}, which the text requires unless {TYPE} names another kind"
    )
    names, box = given.get(DIMENSIONS), numbers_in(given.get(BOX), 4)
    lengths = lengths_of(array, names) if are_two(names) else None
    right = None if box is None or lengths is None else _filling(box, lengths, given)
    fix = None if right is None else set_property(TRANSFORM, right)
    if right is not None:
        why += f"; it is {shown(right)} where the cells fill {BOX} and rows go south"
    elif not said:
        why += "; there are no coordinates either"
        if next(transforms(array), None) is None:  # GDAL's GeoTransform
            why += ", so that nothing tells where the grid is"
    return Fail(
        node.attribute_pointer(TRANSFORM),
        f"spatial: {why}",
        severity="warning",
        readers={},
        related=() if array is node else (array.path,),
        fix=fix,
    )


def _filling(box: list[float], lengths: list[int], given: Mapping[str, Any]) -> list[float] | None:
    """Return the transform of cells that fill a box, whose rows go south; None of a box that is none."""
    rows, columns = (min(one, 2**63) - (given.get(REGISTRATION) == "node") for one in lengths)
    if rows < 1 or columns < 1:
        return None
    width, height = (box[2] - box[0]) / columns, (box[3] - box[1]) / rows
    usable = 0 < width < math.inf and 0 < height < math.inf
    return [width, 0.0, box[0], 0.0, -height, box[3]] if usable else None


def _in_a_pyramid(node: Node) -> bool:
    """Whether a group above has levels, which are placed there; also where that is not known."""
    above = (node.hierarchy.node_if_loaded(path) for path in all_above(node.path))
    return any(one is None or "multiscales" in one.attributes for one in above)


def _has_coordinates(array: Array, dimensions: Any) -> bool:
    """Whether an array has coordinates, which the text allows instead.

    Also where its two dimensions are not known, or the transform has another spelling: that is reported, and once.
    """
    known = are_two(dimensions) and {*dimensions} <= {*(array.dimension_names or ())}
    names = {known_conventions.letters(name) for name in array.attributes}
    if not known or names & {"coordinates", known_conventions.letters(TRANSFORM)}:
        return True
    return any(named_array(array, name) is not None for name in dimensions)
