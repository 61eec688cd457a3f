"""zarr-conventions/spatial: what it says of a grid fits the arrays."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from nz_explorer.conventions.zarr3.nodes import shown
from nz_explorer.conventions.zcf import known_conventions
from nz_explorer.conventions.zcf.declarations import declared_here
from nz_explorer.conventions.zcf.grids import (
    BOX,
    DIMENSIONS,
    PREFIX,
    REGISTRATION,
    SHAPE,
    TRANSFORM,
    are_lengths,
    are_two,
    exchanged,
    in_force,
    is_box_of,
    lengths_of,
    names_meant,
    numbers_in,
    y_and_x_instead,
)
from nz_explorer.engine.findings import Fail
from nz_explorer.engine.fixes import Draft, set_attribute
from nz_explorer.engine.registry import rule
from nz_explorer.model import Array, Group
from nz_explorer.model.dialects import crs, multiscales
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
        fixes = [] if fits else _lengths_or_order(group, has)
        yield Fail(
            group.attribute_pointer(SHAPE),
            f"{SHAPE} is {shown(given)}, and {path} has {shown(has)}",
            related=(path,),
            fix=next(iter(fixes), None),
            alternatives=(*fixes[1:],),
        )


def none_has_them(
    group: Group, arrays: Iterable[Array], level: str | int | None = None
) -> Iterator[Fail]:
    """Warn of dimensions of a group that none of its arrays has; nothing where no array could have them.

    Parameters
    ----------
    group : Group
        With the two names of the dimensions.
    arrays : iterable of Array
        Those that these are a default for.
    level : str or int, optional
        The one level of a pyramid that the arrays are of, where those of others have the two.
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
        f"{DIMENSIONS} is {shown(names)}, and no array {'that it is for' if level is None else f'of level {level}'} has both: {has}",
        related=(first.path,),
        fix=_names_of(names_meant(array, names) for array in grids) if level is None else None,
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
    return set_property(DIMENSIONS, first)


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
        fix=set_property(DIMENSIONS, right),
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
        fix=turned,
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
        fix, *others = _lengths_or_order(array, lengths)
        yield Fail(
            array.attribute_pointer(SHAPE),
            f"{SHAPE} is {shown(given)}, and the array has {shown(lengths)}",
            fix=fix,
            alternatives=(*others,),
            rule="ZCF-SPATIAL-001",
        )


def may_be_exchanged(names: list[str]) -> bool:
    """Whether two dimensions may as well be in the other order, as neither is by its name where it is to be.

    Parameters
    ----------
    names : list of str
        Two dimensions.
    """
    return not crs.runs_north(names[0]) and not crs.runs_east(names[1])


def _lengths_or_order(node: Node, has: list[int]) -> list[FixMaker]:
    """Return the fixes for a shape that is not that of the arrays: another shape, and where names leave it open the order of dimensions."""
    own, fixes = node.attributes, [set_property(SHAPE, has)]
    names, given = in_force(node)[DIMENSIONS], own[SHAPE]
    if given != has[::-1] or DIMENSIONS not in own or not may_be_exchanged(names):
        return fixes
    box, transform = numbers_in(own.get(BOX), 4), numbers_in(own.get(TRANSFORM), 6)
    nodes = in_force(node).get(REGISTRATION) == "node"
    if box is None or transform is None:
        return [*fixes, turned]
    if is_box_of(box, transform, has, nodes=nodes):
        return fixes
    boxed = is_box_of(box, transform, given, nodes=nodes)
    return [turned, *fixes] if boxed else [*fixes, turned]


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


def set_property(name: str, right: Any) -> FixMaker:
    """Return the fix that gives an attribute of a node another value, for a person to choose.

    Parameters
    ----------
    name : str
        The attribute.
    right : object
        What it is to be.
    """
    return lambda node: Draft("suggest", set_attribute(node, name, right))


def arrays_meant(node: Node) -> list[Array]:
    """Return the arrays that attributes of a node are about: itself, or those in the group.

    Parameters
    ----------
    node : Node
        A group or an array.
    """
    return [node] if isinstance(node, Array) else node.arrays if isinstance(node, Group) else []


def turned(node: Node) -> Draft:
    """Put the dimensions in the order of the arrays, and the lengths with them where these are in the same order.

    Parameters
    ----------
    node : Node
        With the two names of the dimensions.
    """
    right = node.attributes[DIMENSIONS][::-1]
    operations: list[Any] = [*set_attribute(node, DIMENSIONS, right)]
    shape = node.attributes.get(SHAPE)
    found = [has for array in arrays_meant(node) if (has := lengths_of(array, right)) is not None]
    if are_lengths(shape) and shape not in found and shape[::-1] in found:
        operations += set_attribute(node, SHAPE, shape[::-1])
    return Draft("suggest", tuple(operations), "look at the map then")
