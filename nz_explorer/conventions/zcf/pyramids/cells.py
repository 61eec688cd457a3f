"""zarr-conventions/spatial: the levels of a pyramid have the grid that it says, and their cells are as large as it says."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from itertools import islice, product
from typing import Any

from nz_explorer.conventions.zarr3.nodes import set_to, shown
from nz_explorer.conventions.zcf import known_conventions
from nz_explorer.conventions.zcf.boxes import by_the_box, through_the_middle
from nz_explorer.conventions.zcf.declarations import declared_here, levels
from nz_explorer.conventions.zcf.grids import (
    BOX,
    CLOSE,
    DIMENSIONS,
    REGISTRATION,
    SHAPE,
    TRANSFORM,
    apart,
    are_lengths,
    are_two,
    box_of,
    exchanged,
    in_force,
    is_affine,
    is_box_of,
    is_exchanged,
    numbers_in,
    odd_transform,
)
from nz_explorer.conventions.zcf.pyramids.grids import (
    REACHES,
    has_nodes,
    is_pyramid,
    lengths_there,
    levels_with_cells,
    node_of,
    of_y_and_x,
    one_is_inside,
    outside_of_box,
    placed_elsewhere,
    placed_themselves,
    with_lengths,
    with_transform,
)
from nz_explorer.conventions.zcf.spatial import (
    none_has_them,
    none_says_them,
    not_y_and_x,
    set_property,
)
from nz_explorer.engine.findings import Fail
from nz_explorer.engine.registry import rule
from nz_explorer.model import Array, Group, Node
from nz_explorer.text.phrases import plural


@rule(
    "ZCF-SPATIAL-001",
    on="group",
    needs=("attributes",),
    when=is_pyramid,
)
def levels_are_where_they_say(group: Group) -> Iterator[Fail]:
    """Warn of levels of a pyramid whose lengths no array there has, or that are not in the box of the pyramid."""
    inside = BOX in group.attributes and one_is_inside(group)
    listed = [*islice(levels(group), known_conventions.MOST_LEVELS)]
    assets = [given.get("asset") for _, given in listed]
    for place, given in listed:
        holder, placed = with_transform(group, given)
        level = with_lengths(group, placed)
        shape, transform = level.get(SHAPE), numbers_in(level.get(TRANSFORM), 6)
        if not is_affine({**group.attributes, **level}):
            transform = None
        at, whose = group.attribute_pointer(*place, TRANSFORM), f" of level {place[-1]}"
        if transform is not None and (odd := odd_transform(transform, at, whose)) is not None:
            if holder is group:  # or reported at the level itself
                yield odd
            continue
        if not are_lengths(shape):
            continue
        found = lengths_there(group, level.get("asset"))
        if found and shape not in found.values():
            path, has = next(iter(found.items()))
            pointer = group.attribute_pointer(*place, SHAPE)
            twice = assets.count(level.get("asset")) > 1  # then it is the asset that is wrong
            yield Fail(
                pointer,
                f"{SHAPE} of level {place[-1]} is {shown(shape)}, and {path} has {shown(has)}",
                related=(path,),
                fix=None if twice else set_to(pointer, [*has], "suggest"),
            )
            continue
        yield from _box_is_its_own(group, with_lengths(group, given), place)
        if transform is None:
            continue
        if (elsewhere := placed_elsewhere(group, level)) is not None:
            node, own = elsewhere
            yield Fail(
                at,
                f"{TRANSFORM} of level {place[-1]} is {shown(transform)}, and {node.path} has {shown(own)}:"
                " where a reader places the level depends on which of them it goes by",
                related=(node.path,),
            )
        elif (box := outside_of_box(group, level)) is not None:
            yield Fail(
                group.attribute_pointer(BOX)
                if not inside  # otherwise it is this level that is wrong
                else at
                if holder is group
                else holder.attribute_pointer(TRANSFORM),
                f"{BOX} is {shown(group.attributes[BOX])}"
                + (", as another level has it" if inside else "")
                + f", and {_by(place, given, shape)} give {shown(box)}",
                path=holder.path if inside else group.path,
            )
            return
        elif not inside and (fail := _box_of_none(group, place, given, level, holder)):
            yield fail
            return


def _by(place: tuple[str | int, ...], given: Mapping[str, Any], shape: list[int]) -> str:
    if SHAPE in given:
        return f"{TRANSFORM} and {SHAPE} of level {place[-1]}"
    return f"{TRANSFORM} of level {place[-1]} and the lengths of its arrays, {shown(shape)},"


def _box_of_none(
    group: Group,
    place: tuple[str | int, ...],
    given: Mapping[str, Any],
    level: Mapping[str, Any],
    holder: Node,
) -> Fail | None:
    """Warn of a box that no level of a pyramid has, though each is less than a cell beside it, as one through the middle of outer cells."""
    box = numbers_in(group.attributes.get(BOX), 4)
    if box is None or is_exchanged(box) or {TRANSFORM, SHAPE} <= group.attributes.keys():
        return None  # reported for itself
    transform, shape, nodes = level[TRANSFORM], level[SHAPE], has_nodes(group, level)
    right = box_of(transform, shape, nodes=nodes)
    if (meant := by_the_box(transform, box, shape, nodes=nodes)) is not None:
        pointer = holder.attribute_pointer(*(place if holder is group else ()), TRANSFORM)
        return Fail(
            pointer,
            f"{TRANSFORM} of level {place[-1]} is {shown(transform)}, {meant[1]}",
            fix=set_to(pointer, meant[0], "suggest") if holder is group else None,
            path=holder.path,
        )
    why = "" if nodes else through_the_middle(box, right, transform)
    fixes = [set_property(BOX, right)]
    if is_box_of(box, transform, shape, nodes=not nodes):
        other = "pixel" if nodes else "node"
        why = f"; it is that of the same grid with {REGISTRATION} {shown(other)}"
        fixes = [set_property(REGISTRATION, other), *fixes]
    return Fail(
        group.attribute_pointer(BOX),
        f"{BOX} is {shown(group.attributes[BOX])}, and {_by(place, given, shape)} give {shown(right)}{why}",
        fix=fixes[0],
        alternatives=(*fixes[1:],),
    )


@rule(
    "ZCF-SPATIAL-001",
    on="group",
    needs=("attributes",),
    when=lambda group: is_pyramid(group) and DIMENSIONS in group.attributes,
)
def levels_have_the_dimensions(group: Group) -> Iterator[Fail]:
    """Warn of dimensions of a pyramid that the arrays of a level do not have."""
    names = group.attributes[DIMENSIONS]
    if not are_two(names) or names[0] == names[1]:
        return  # which is reported for itself
    arrays = _of_levels(group)
    if (misnamed := not_y_and_x(group, arrays)) is not None:
        if not_y_and_x(group, group.arrays) is None:  # or reported for the arrays of the group
            yield misnamed
    elif not exchanged(names):  # which is reported for itself
        if (fail := next(none_has_them(group, arrays), None)) is not None:
            yield fail
            return
        for place, level in islice(levels(group), known_conventions.MOST_LEVELS):
            found = _of_level(group, level) or ()
            if (fail := next(none_has_them(group, found, place[-1]), None)) is not None:
                yield fail
                return


@rule(
    "ZCF-SPATIAL-001",
    on="group",
    needs=("attributes",),
    when=lambda group: is_pyramid(group) and SHAPE in group.attributes,
)
def one_level_has_the_shape(group: Group) -> Iterator[Fail]:
    """Warn of lengths of a pyramid that none of its levels has, where those of all levels are known."""
    given = group.attributes[SHAPE]
    found = [
        lengths_there(group, level.get("asset"))
        for _, level in islice(levels(group), known_conventions.MOST_LEVELS)
    ]
    there = {path: has for one in found for path, has in one.items()}
    if DIMENSIONS in group.attributes and any(array.path in there for array in group.arrays):
        return  # reported for the arrays of the group
    if not found or not all(found) or not are_lengths(given) or given in there.values():
        return
    path, has = next(iter(there.items()))
    pointer = group.attribute_pointer(SHAPE)
    right = given[::-1] if given[::-1] in there.values() else has
    yield Fail(
        pointer,
        f"{SHAPE} is {shown(given)}, which no level of this pyramid has: {path} has {shown(has)}",
        related=(path,),
        fix=set_to(pointer, [*right], "suggest"),
    )


@rule(
    "ZCF-SPATIAL-002",
    on="group",
    needs=("attributes", "conventions list"),
    when=lambda group: is_pyramid(group) and DIMENSIONS not in group.attributes,
)
def placed_levels_have_dimensions(group: Group) -> Iterator[Fail]:
    """Warn of levels with a transform of which nothing says which dimensions are y and x."""
    if any(TRANSFORM in level for _, level in levels(group)) or TRANSFORM in group.attributes:
        yield from none_says_them(group, _of_levels(group))


def _of_levels(group: Group) -> list[Array]:
    """Return the arrays of the levels of a pyramid; none where a level may have dimensions that it says itself."""
    arrays: list[Array] = []
    for _, level in islice(levels(group), known_conventions.MOST_LEVELS):
        found = _of_level(group, level)
        if found is None:
            return []
        arrays += found
    return arrays


def _of_level(group: Group, level: Mapping[str, Any]) -> list[Array] | None:
    """Return the arrays of a level; None where it may have dimensions that it says itself."""
    node = node_of(group, level.get("asset"))
    if node is None or DIMENSIONS in node.attributes:
        return None
    found = node.hierarchy.children(node) if isinstance(node, Group) else [node]
    if any(isinstance(one, Group) for one in found):
        return None
    return [one for one in found if isinstance(one, Array)]


def _box_is_its_own(
    group: Group, level: Mapping[str, Any], place: tuple[str | int, ...]
) -> Iterator[Fail]:
    """Warn of a box in the layout that is not that of the level, by its transform there or else by its own."""
    box = numbers_in(level.get(BOX), 4)
    if box is None:
        return
    at, said = group.attribute_pointer(*place, BOX), f"{BOX} of level {place[-1]} is {shown(box)}"
    if is_exchanged(box):
        yield Fail(at, f"{said}, and is to be the minima of x and y, and then the maxima")
        return
    holder: Mapping[str, Any] = {**group.attributes, **level}
    whose, transform = "", numbers_in(level.get(TRANSFORM), 6)
    if TRANSFORM not in level and (placed := next(placed_themselves(group, level), None)):
        holder, whose, transform = in_force(placed[0]), f" of {placed[0].path}", placed[1]
    if transform is None or not is_affine(holder) or odd_transform(transform, "") is not None:
        return
    nodes = holder.get(REGISTRATION) == "node"
    right, other = (box_of(transform, level[SHAPE], nodes=one) for one in (nodes, not nodes))
    off = sorted(apart(box, right, transform))
    # the last cells of a coarser level may reach over what they were made of
    reaches_over = "derived_from" in level and off[1] <= CLOSE and off[3] < REACHES
    if off[3] > CLOSE and not reaches_over and all(map(math.isfinite, right)):
        is_right = max(apart(box, other, transform)) <= CLOSE or by_the_box(
            transform, box, level[SHAPE], nodes=nodes
        )
        yield Fail(
            at,
            f"{said}, and {TRANSFORM}{whose} and the lengths of the level, {shown(level[SHAPE])}, give {shown(right)}",
            fix=None if is_right else set_to(at, right, "suggest"),  # another thing is wrong then
        )


@rule(
    "ZCF-SPATIAL-001",
    on="group",
    needs=("attributes",),
    when=is_pyramid,
)
def cells_are_as_large_as_scales_say(group: Group) -> Iterator[Fail]:
    """Warn of levels whose cells are not those of their source times the scale.

    Neither text says whether a scale counts from the source or, as in examples, from the first level, nor which of its
    numbers is for x: whatever fits is taken. Of more than two numbers, those of y and x are known by the axes of arrays.
    """
    found = {
        level["asset"]: (place, level, cells) for place, level, cells, _ in levels_with_cells(group)
    }
    told = set()
    inside = BOX in group.attributes and one_is_inside(group)
    for place, level, cells in found.values():
        inner, source = level.get("transform"), level.get("derived_from")
        given = inner.get("scale") if isinstance(inner, Mapping) else None
        scale = numbers_in(given, len(given)) if isinstance(given, list) else None
        if not scale or 0 in scale or not isinstance(source, str) or source not in found:
            continue
        if source == level["asset"]:
            continue  # which is reported
        others = (found[source][2], next(iter(found.values()))[2])
        pairs = of_y_and_x(group, level, scale, 1)
        if (
            not pairs
            or any(_fits(cells, *both) for both in product(others, pairs))
            or source in told
        ):
            continue  # what was made of a level whose cells are wrong differs from it
        inverse = [1 / factor for factor in scale]
        if any(_fits(cells, others[0], pair) for pair in of_y_and_x(group, level, inverse, 1)):
            pointer = group.attribute_pointer(*place, "transform", "scale")
            yield Fail(
                pointer,
                f"scale of level {place[-1]} is {shown(given)}, and its cells are {_times(cells, others[0])} times as large as"
                f" those of {shown(source)}: by the text of spatial a scale of 2 is that of cells twice as large",
                fix=set_to(pointer, inverse, "suggest"),
            )
            continue  # with cells that are right
        told.add(level["asset"])
        if outside_of_box(group, with_lengths(group, level)) is None or not inside:
            yield Fail(
                group.attribute_pointer(*place, "transform", "scale"),
                f"scale of level {place[-1]} is {shown(given)}, and by {TRANSFORM} its cells are"
                f" {_times(cells, others[0])} times as large as those of {shown(source)}",
            )


@rule(
    "ZCF-SPATIAL-001",
    on="group",
    needs=("attributes", "conventions list"),
    when=is_pyramid,
)
def levels_say_where_they_are(group: Group) -> Iterator[Fail]:
    """Warn of a pyramid whose levels have no transform, however it is spelled: it is recommended where spatial: and multiscales come together."""
    declared = declared_here(group)
    if TRANSFORM in group.attributes or not {
        known_conventions.SPATIAL,
        known_conventions.MULTISCALES,
    } <= {*declared}:
        return
    lacking = [
        (place, level)
        for place, level in islice(levels(group), known_conventions.MOST_LEVELS)
        if is_affine({**group.attributes, **level})
        and not _is_placed(group, level)
        and known_conventions.letters(TRANSFORM) not in map(known_conventions.letters, level)
    ]
    if lacking:
        place, _ = lacking[0]
        others = (
            f", nor do {plural(len(lacking) - 1, 'other level')}"
            if lacking[2:]
            else ", nor does another level"
            if lacking[1:]
            else ""
        )
        yield Fail(
            group.attribute_pointer(*place, TRANSFORM),
            f"level {place[-1]} has no {TRANSFORM}{others}: it is highly recommended at each level, as otherwise readers have to work"
            " it out from the scale",
            impact="advice",
        )


def _is_placed(group: Group, level: Mapping[str, Any]) -> bool:
    """Whether a level has a transform: in the pyramid, or at its group or one of its arrays; also where it is not there."""
    inside = level.get("transform")
    if TRANSFORM in level or (isinstance(inside, Mapping) and TRANSFORM in inside):
        return True  # which is reported, where it is at the wrong place
    asset = level.get("asset")
    node = node_of(group, asset)
    if node is None or TRANSFORM in in_force(node):
        return True
    inner = node.hierarchy.children(node) if isinstance(node, Group) else []
    return any(TRANSFORM in one.attributes for one in inner)


def _fits(cells: tuple[float, float], other: tuple[float, float], scale: list[float]) -> bool:
    """Whether cells are those of another level times the scale, within what rounding makes of odd lengths."""
    ratios = [one / another for one, another in zip(cells, other, strict=True)]
    return any(
        all(
            abs(ratio / abs(factor) - 1) <= CLOSE
            for ratio, factor in zip(ratios, factors, strict=True)
        )
        for factors in (scale, scale[::-1])
    )


def _times(cells: tuple[float, float], other: tuple[float, float]) -> str:
    """Return how much larger cells are, such as "4", or "4 and 2" where that differs along x and y."""
    return " and ".join(dict.fromkeys(f"{a / b:.4g}" for a, b in zip(cells, other, strict=True)))
