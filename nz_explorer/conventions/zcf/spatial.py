"""zarr-conventions/spatial: what it says of a grid fits the arrays."""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from nz_explorer.conventions.zarr3.nodes import shown
from nz_explorer.conventions.zcf import known_conventions
from nz_explorer.conventions.zcf.declarations import declared_here
from nz_explorer.conventions.zcf.grids import (
    BOX,
    CLOSE,
    DIMENSIONS,
    PREFIX,
    REGISTRATION,
    SHAPE,
    TRANSFORM,
    apart,
    are_lengths,
    are_two,
    beside_the_map,
    box_of,
    by_the_box,
    degrees_beyond,
    exchanged,
    in_force,
    is_affine,
    is_exchanged,
    lengths_of,
    names_meant,
    numbers_in,
    odd_transform,
    origin_meant,
    y_and_x_instead,
)
from nz_explorer.conventions.zcf.grids_of_levels import one_is_inside
from nz_explorer.engine.findings import Fail
from nz_explorer.engine.fixes import Draft, set_attribute
from nz_explorer.engine.registry import rule
from nz_explorer.model import Array, Group
from nz_explorer.model.dialects import multiscales
from nz_explorer.model.paths import all_above, below
from nz_explorer.text.phrases import listed

if TYPE_CHECKING:
    from nz_explorer.engine.findings import FixMaker, Severity
    from nz_explorer.model import Node


@rule("ZCF-SPATIAL-001", on="members", when=lambda group: DIMENSIONS in group.attributes)
def grid_fits_the_arrays(group: Group) -> Iterator[Fail]:
    """Warn of x before y, and of lengths that no array has. Arrays may have the two in any order."""
    names = group.attributes[DIMENSIONS]
    if not are_two(names):
        return  # ZCF-SCHEMA-001
    if names[0] == names[1]:
        yield _one_twice(group, names[0])
        return
    if (misnamed := not_y_and_x(group, group.arrays)) is not None:
        yield misnamed
        return
    if exchanged(names):
        yield _in_other_order(group, names)
        return
    lengths = {
        array.path: has for array in group.arrays if (has := lengths_of(array, names)) is not None
    }
    if not lengths:
        # levels of a pyramid are looked at for themselves, and other arrays may be in groups of their own
        if "multiscales" not in group.attributes and not group.groups:
            yield from none_has_them(group, group.arrays)
        return
    given = group.attributes.get(SHAPE)
    if not are_lengths(given):
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
            fix=None if fits else _set(SHAPE, has),
        )


def none_has_them(group: Group, arrays: Iterable[Array]) -> Iterator[Fail]:
    """Warn of dimensions of a group that none of its arrays has; nothing where no array could have them.

    Parameters
    ----------
    group : Group
        With the two names of the dimensions.
    arrays : iterable of Array
        Those that these are a default for.
    """
    if known_conventions.SPATIAL not in declared_here(group):
        return  # which is reported; without that these may be anybody's
    names = group.attributes[DIMENSIONS]
    grids = [array for array in arrays if (array.ndim or 0) > 1]
    if not grids or any(
        any(name.startswith(PREFIX) for name in array.attributes)  # judged for itself
        or known_conventions.SPATIAL in declared_here(array)
        or {*names} <= {*(array.dimension_names or ())}
        for array in grids
    ):
        return
    first = grids[0]
    has = (
        f"the dimensions of {first.path} are {listed(map(shown, first.dimension_names))}"
        if first.dimension_names is not None
        else f"{first.path} has no names of dimensions"
    )
    yield Fail(
        group.attribute_pointer(DIMENSIONS),
        f"{DIMENSIONS} is {shown(names)}, and no array that it is for has both: {has}",
        related=(first.path,),
        fix=_names_of(names_meant(array, names) for array in grids),
        rule="ZCF-SPATIAL-001",
    )


@rule(
    "ZCF-SPATIAL-002",
    on="members",
    when=lambda group: (
        TRANSFORM in group.attributes and {DIMENSIONS, "multiscales"}.isdisjoint(group.attributes)
    ),
)
def placed_arrays_have_dimensions(group: Group) -> Iterator[Fail]:
    """Warn of a transform for arrays of which nothing says which dimensions are y and x."""
    yield from none_says_them(group, group.arrays)


def none_says_them(group: Group, arrays: Iterable[Array]) -> Iterator[Fail]:
    """Warn of arrays without dimensions of their own that a transform of a group is for.

    Arrays that declare the convention are judged for themselves, and where one says its dimensions the others may be
    something else.

    Parameters
    ----------
    group : Group
        With a transform, but no dimensions.
    arrays : iterable of Array
        Those that the transform is for.
    """
    grids = [array for array in arrays if (array.ndim or 0) > 1]
    if (
        not grids
        or known_conventions.SPATIAL not in declared_here(group)
        or any(
            known_conventions.SPATIAL in declared_here(array)
            or any(name.startswith(PREFIX) for name in array.attributes)
            or any(DIMENSIONS in one.attributes for one in _groups_of(array))
            for array in grids
        )
    ):
        return
    yield Fail(
        group.attribute_pointer(DIMENSIONS),
        f"neither this group nor {grids[0].path} has {DIMENSIONS}, which says along which dimensions {TRANSFORM} goes",
        severity="warning",
        related=(grids[0].path,),
        fix=_names_of(names_meant(array, ["y", "x"]) for array in grids),
    )


def _names_of(meant: Iterable[list[str] | None]) -> FixMaker | None:
    """Return the fix that names the dimensions which are meant, where they are the same in all arrays."""
    first, *others = meant
    if first is None or any(one != first for one in others):
        return None
    return _set(DIMENSIONS, first)


def not_y_and_x(node: Node, arrays: Iterable[Array]) -> Fail | None:
    """Warn of dimensions that are not both y and x, where all the arrays that have them have a y and an x as well.

    Parameters
    ----------
    node : Node
        With the two names of the dimensions.
    arrays : iterable of Array
        Those that these are for.
    """
    names = node.attributes[DIMENSIONS]
    have = [array for array in arrays if {*names} <= {*(array.dimension_names or ())}]
    found = [y_and_x_instead(array, names) for array in have]
    right = found[0] if found and None not in found else None
    if right is None:
        return None
    return Fail(
        node.attribute_pointer(DIMENSIONS),
        f"{DIMENSIONS} is {shown(names)}, and the dimensions of y and x of {have[0].path} are {listed(map(shown, right))}",
        related=() if have[0] is node else (have[0].path,),
        fix=_set(DIMENSIONS, right),
        rule="ZCF-SPATIAL-001",
    )


def _without_their_own(group: Group, paths: Container[str]) -> list[str]:
    """Return those of some arrays that have no properties of spatial:."""
    return [
        array.path
        for array in group.arrays
        if array.path in paths and not any(name.startswith(PREFIX) for name in array.attributes)
    ]


def _one_twice(node: Node, name: str) -> Fail:
    return Fail(
        node.attribute_pointer(DIMENSIONS),
        f"{DIMENSIONS} names {shown(name)} twice: the first is to be the dimension of y, the second that of x",
        rule="ZCF-SPATIAL-001",
    )


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
        given_above = next((one for one in _groups_of(array) if DIMENSIONS in one.attributes), None)
        if given_above is None:
            yield Fail(
                at,
                f"neither this array nor its group has {DIMENSIONS}, which says which dimensions are y and x",
                severity=milder,
            )
            return
        holder, names = given_above, given_above.attributes[DIMENSIONS]
    own = holder is array
    whose = "" if own else f" of {holder.path}"
    if not are_two(names):
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
            fix=_names_of([names_meant(array, names)]) if own else None,
            severity=milder,
        )
        return
    misnamed = not_y_and_x(array, [array]) if own else None
    if misnamed is not None:
        yield misnamed
        return
    if exchanged(names):
        if own:
            yield _in_other_order(array, names)
        return
    given, lengths = array.attributes.get(SHAPE), lengths_of(array, names)
    if are_lengths(given) and lengths is not None and given != lengths:
        yield Fail(
            array.attribute_pointer(SHAPE),
            f"{SHAPE} is {shown(given)}, and the array has {shown(lengths)}",
            fix=_set(SHAPE, lengths),
            rule="ZCF-SPATIAL-001",
        )


def _groups_of(array: Array) -> Iterator[Node]:
    """Yield the group of an array, and the pyramids in one of whose levels it is: what they say is a default for it."""
    for path in all_above(array.path):
        node = array.hierarchy.node_if_loaded(path)
        if node is None:
            continue
        inside = f"{array.path.removeprefix(below(path))}/"
        levels = multiscales.level_names(node.attributes)
        if path == array.parent or any(inside.startswith(f"{name}/") for name in levels if name):
            yield node


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
    if box is None or told or not is_exchanged(box):
        return
    x, y = sorted(box[::2]), sorted(box[1::2])
    across = box[1] <= box[3]  # then x may go across the antimeridian, with another end
    yield Fail(
        at,
        f"{BOX} is {shown(box)}, and is to be the minima of x and y, and then the maxima",
        fix=None if across else _set(BOX, [x[0], y[0], x[1], y[1]]),
    )


def _origin_exchanged(node: Node) -> FixMaker | None:
    """Return the fix that exchanges the numbers of an origin, where these are a latitude and a longitude then."""
    given, names = numbers_in(node.attributes[TRANSFORM], 6) or [], in_force(node).get(DIMENSIONS)
    found = [lengths_of(array, names) for array in _arrays(node)] if are_two(names) else []
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
        found = [lengths for array in _arrays(node) if (lengths := lengths_of(array, order))]
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
    if box is not None:
        yield from _box_is_that_of(node, given, shape, by)
    elif own and (meant := beside_the_map(given, shape, _with_system(node))) is not None:
        yield _of_another_transform(node, *meant)


def _box_is_that_of(node: Node, given: list[float], shape: list[int], by: str) -> Iterator[Fail]:
    """Compare the box of a node with a transform and a shape, which are its own or not."""
    box, nodes = numbers_in(node.attributes[BOX], 4), in_force(node).get(REGISTRATION) == "node"
    right = box_of(given, shape, nodes=nodes)
    if box is None or not all(map(math.isfinite, right)):
        return  # numbers so large are no map
    off = apart(box, right, given)
    if max(off) <= CLOSE:
        return
    if TRANSFORM in node.attributes and (meant := by_the_box(given, box, shape, nodes=nodes)):
        yield _of_another_transform(node, *meant)
        return
    why = f' with {REGISTRATION} "node"' if nodes else ""
    if not nodes and all(abs(part - 0.5) <= CLOSE for part in off):
        why = ": the box runs through the middle of the outer cells, which should be inside"
    fixes: tuple[FixMaker, ...] = (_set(BOX, right),)
    if max(apart(box, box_of(given, shape, nodes=not nodes), given)) <= CLOSE:
        other = "pixel" if nodes else "node"
        why += f"; it is that of the same grid with {REGISTRATION} {shown(other)}"
        fixes = _set(REGISTRATION, other), *fixes
    if max(off) > 1 and isinstance(node, Group) and one_is_inside(node):
        fixes = ()  # levels are in this box: another thing is wrong
    yield Fail(
        node.attribute_pointer(BOX),
        f"{BOX} is {shown(box)}, and {by} give {shown(right)}{why}",
        fix=next(iter(fixes), None),
        alternatives=fixes[1:],
    )


def _set(name: str, right: Any) -> FixMaker:
    return lambda node: Draft("suggest", set_attribute(node, name, right))


def _of_another_transform(node: Node, right: list[float], why: str) -> Fail:
    return Fail(
        node.attribute_pointer(TRANSFORM),
        f"{TRANSFORM} is {shown(node.attributes[TRANSFORM])}, {why}",
        fix=_set(TRANSFORM, right),
    )


def _arrays(node: Node) -> list[Array]:
    """Return the arrays that attributes of a node are about: itself, or those in the group."""
    return [node] if isinstance(node, Array) else node.arrays if isinstance(node, Group) else []


def _has_one_grid(node: Node, lengths: list[list[int]]) -> bool:
    """Whether all arrays are on the grid of their group, which is about no others: then its box is around them."""
    return (
        isinstance(node, Group)
        and not node.groups
        and "multiscales" not in node.attributes
        and all(one == lengths[0] for one in lengths)
        and not any(name.startswith(PREFIX) for array in node.arrays for name in array.attributes)
    )


def _turned(node: Node) -> Draft:
    """Put the dimensions in the order of the arrays, and the lengths with them where these are in the same order."""
    right = node.attributes[DIMENSIONS][::-1]
    operations: list[Any] = [*set_attribute(node, DIMENSIONS, right)]
    shape = node.attributes.get(SHAPE)
    found = [has for array in _arrays(node) if (has := lengths_of(array, right)) is not None]
    if are_lengths(shape) and shape not in found and shape[::-1] in found:
        operations += set_attribute(node, SHAPE, shape[::-1])
    return Draft("suggest", tuple(operations), "look at the map then")
