"""zarr-conventions/spatial: the levels of a pyramid are where it says, and their cells as large as it says."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from nz_explorer.conventions.zarr3.nodes import set_to, shown
from nz_explorer.conventions.zcf import known_conventions
from nz_explorer.conventions.zcf.declarations import declared_here, levels
from nz_explorer.conventions.zcf.grids import (
    BOX,
    CLOSE,
    DIMENSIONS,
    PROJ,
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
    is_exchanged,
    lengths_of,
    numbers_in,
    odd_transform,
)
from nz_explorer.conventions.zcf.spatial import none_has_them, not_y_and_x
from nz_explorer.engine.findings import Fail
from nz_explorer.engine.registry import rule
from nz_explorer.model import Array, Group, Node
from nz_explorer.model.dialects import crs
from nz_explorer.model.paths import below
from nz_explorer.text.phrases import plural


def _is_pyramid(group: Group) -> bool:
    return "multiscales" in group.attributes


@rule(
    "ZCF-SPATIAL-001",
    on="group",
    needs=("attributes",),
    when=_is_pyramid,
)
def levels_are_where_they_say(group: Group) -> Iterator[Fail]:
    """Warn of levels of a pyramid whose lengths no array there has, or that are not in the box of the pyramid."""
    for place, given in islice(levels(group), known_conventions.MOST_LEVELS):
        level = _with_lengths(group, given)
        shape, transform = level.get(SHAPE), numbers_in(level.get(TRANSFORM), 6)
        if not is_affine({**group.attributes, **level}):
            transform = None
        at, whose = group.attribute_pointer(*place, TRANSFORM), f" of level {place[-1]}"
        if transform is not None and (odd := odd_transform(transform, at, whose)) is not None:
            yield odd
            continue
        if not are_lengths(shape):
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
        yield from _box_is_its_own(group, level, place)
        if transform is None:
            continue
        yield from _otherwise_there(group, level, place)
        if (own := _outside_of_box(group, level)) is not None:
            by = (
                f"{TRANSFORM} and {SHAPE} of level {place[-1]}"
                if SHAPE in given
                else f"{TRANSFORM} of level {place[-1]} and the lengths of its arrays, {shown(shape)},"
            )
            others = _one_is_inside(group)  # then it is this level that is wrong
            yield Fail(
                at if others else group.attribute_pointer(BOX),
                f"{BOX} is {shown(group.attributes[BOX])}"
                + (", as another level has it" if others else "")
                + f", and {by} give {shown(own)}",
            )
            return


@rule(
    "ZCF-SPATIAL-001",
    on="group",
    needs=("attributes",),
    when=lambda group: _is_pyramid(group) and DIMENSIONS in group.attributes,
)
def levels_have_the_dimensions(group: Group) -> Iterator[Fail]:
    """Warn of dimensions of a pyramid that the arrays of none of its levels have."""
    names = group.attributes[DIMENSIONS]
    if not are_two(names) or names[0] == names[1]:
        return  # which is reported for itself
    arrays: list[Array] = []
    for _, level in islice(levels(group), known_conventions.MOST_LEVELS):
        node = _node_of(group, level.get("asset"))
        if node is None or DIMENSIONS in node.attributes:
            return  # it may be the one that has them
        found = node.hierarchy.children(node) if isinstance(node, Group) else [node]
        if any(isinstance(one, Group) for one in found):
            return
        arrays += [one for one in found if isinstance(one, Array)]
    if (misnamed := not_y_and_x(group, arrays)) is not None:
        yield misnamed
    elif not exchanged(names):  # which is reported for itself
        yield from none_has_them(group, arrays)


def _node_of(group: Group, asset: Any) -> Node | None:
    """Return what the path of a level leads to."""
    return group.hierarchy.get(below(group.path) + asset) if isinstance(asset, str) else None


def _outside_of_box(group: Group, level: Mapping[str, Any]) -> list[float] | None:
    """Return the box of a level that is not that of the pyramid; None where it is, or one of them is not known."""
    box = numbers_in(group.attributes.get(BOX), 4)
    transform, shape = numbers_in(level.get(TRANSFORM), 6), level.get(SHAPE)
    if box is None or is_exchanged(box) or transform is None or not are_lengths(shape):
        return None  # what is wrong with a box by itself is reported for itself
    own = box_of(transform, shape, nodes=group.attributes.get(REGISTRATION) == "node")
    # the last cells of a coarser level may reach further than those that they were made of
    return own if max(apart(box, own, transform)) > 1 else None


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
    if TRANSFORM not in level and (placed := next(_placed_themselves(group, level), None)):
        holder, whose, transform = in_force(placed[0]), f" of {placed[0].path}", placed[1]
    if transform is None or not is_affine(holder) or odd_transform(transform, "") is not None:
        return
    right = box_of(transform, level[SHAPE], nodes=holder.get(REGISTRATION) == "node")
    off = sorted(apart(box, right, transform))
    # the last cells of a coarser level may reach over what they were made of
    reaches_over = "derived_from" in level and off[1] <= CLOSE and off[3] < 1
    if off[3] > CLOSE and not reaches_over and all(map(math.isfinite, right)):
        yield Fail(
            at,
            f"{said}, and {TRANSFORM}{whose} and the lengths of the level, {shown(level[SHAPE])}, give {shown(right)}",
            fix=set_to(at, right, "suggest"),
        )


def _one_is_inside(group: Group) -> bool:
    """Whether the box of a pyramid is that of one of its levels."""
    placed = (
        _with_lengths(group, level)
        for _, level in islice(levels(group), known_conventions.MOST_LEVELS)
        if numbers_in(level.get(TRANSFORM), 6) is not None
    )
    return any(
        are_lengths(level.get(SHAPE)) and _outside_of_box(group, level) is None for level in placed
    )


def _otherwise_there(
    group: Group, level: Mapping[str, Any], place: tuple[str | int, ...]
) -> Iterator[Fail]:
    """Warn of a level that is at one place by the pyramid, and at another by its own attributes, or those of all its arrays."""
    given, places = numbers_in(level[TRANSFORM], 6), list(_placed_themselves(group, level))
    registered = {**group.attributes, **level}.get(REGISTRATION, "pixel")
    if given is None or any(
        in_force(node).get(REGISTRATION, "pixel") != registered
        or odd_transform(own, "") is not None
        or not is_affine(in_force(node))
        for node, own in places
    ):
        return
    box, *others = (
        box_of(one, level[SHAPE], nodes=False) for one in (given, *(own for _, own in places))
    )
    if others and all(max(apart(box, other, given)) > CLOSE for other in others):
        node, own = places[0]
        yield Fail(
            group.attribute_pointer(*place, TRANSFORM),
            f"{TRANSFORM} of level {place[-1]} is {shown(given)}, and {node.path} has {shown(own)}:"
            " where a reader places the level depends on which of them it goes by",
            related=(node.path,),
        )


def _placed_themselves(
    group: Group, level: Mapping[str, Any]
) -> Iterator[tuple[Node, list[float]]]:
    """Yield the transform that a level has itself, or else those of its arrays that are as long as it is."""
    node = _node_of(group, level.get("asset"))
    if node is None or node is group:
        return
    own = numbers_in(node.attributes.get(TRANSFORM), 6)
    if own is not None:
        yield node, own
        return
    there = _lengths_there(group, level.get("asset")) if isinstance(node, Group) else {}
    for child in node.hierarchy.children(node) if there else ():
        own = numbers_in(child.attributes.get(TRANSFORM), 6)
        if own is not None and there.get(child.path) == level[SHAPE]:
            yield child, own


def _with_lengths(group: Group, level: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a level with a shape: its own, or that which its arrays have, where they have one."""
    if SHAPE in level:
        return level
    found = {tuple(one) for one in _lengths_there(group, level.get("asset")).values()}
    return {**level, SHAPE: [*found.pop()]} if len(found) == 1 else level


def _lengths_there(group: Group, asset: Any) -> dict[str, list[int]]:
    """Return the lengths of y and x by array that a level has, or is; none where that is not told."""
    node = _node_of(group, asset)
    if node is None:
        return {}
    children = node.hierarchy.children(node) if isinstance(node, Group) else [node]
    found = {}
    for array in children:
        names = array.attributes.get(DIMENSIONS) or node.attributes.get(DIMENSIONS)
        names = names or group.attributes.get(DIMENSIONS)
        if isinstance(array, Array) and are_two(names) and not exchanged(names):
            lengths = lengths_of(array, names)
            if lengths is not None:
                found[array.path] = lengths
    return found


@rule(
    "ZCF-SPATIAL-001",
    on="group",
    needs=("attributes",),
    when=_is_pyramid,
)
def cells_are_as_large_as_scales_say(group: Group) -> Iterator[Fail]:
    """Warn of levels whose cells are not those of their source times the scale.

    The text says neither which way a scale works nor, by its examples, whether it counts from the source or from the
    first level, nor which of its numbers is for x: whatever fits is taken.
    """
    found = {
        level["asset"]: (place, level, cells) for place, level, cells in _levels_with_cells(group)
    }
    for place, level, cells in found.values():
        inner, source = level.get("transform"), level.get("derived_from")
        given = inner.get("scale") if isinstance(inner, Mapping) else None
        scale = numbers_in(given, 2)
        if scale is None or 0 in scale or not isinstance(source, str) or source not in found:
            continue
        others = (found[source][2], next(iter(found.values()))[2])
        if any(_fits(cells, other, scale) for other in others):
            continue
        if _outside_of_box(group, _with_lengths(group, level)) is None or not _one_is_inside(group):
            yield Fail(
                group.attribute_pointer(*place, "transform", "scale"),
                f"scale of level {place[-1]} is {shown(given)}, and by {TRANSFORM} its cells are"
                f" {_times(cells, others[0])} times as large as those of {shown(source)}",
            )


@rule(
    "ZCF-SPATIAL-001",
    on="group",
    needs=("attributes",),
    when=_is_pyramid,
)
def levels_begin_at_one_place(group: Group) -> Iterator[Fail]:
    """Warn of levels that begin elsewhere than their source, and have no translation that would say so.

    With the registration of nodes they do so rightly: the middle of a larger first cell is elsewhere.
    """
    found = {
        level["asset"]: (place, level, cells)
        for place, level, cells in _levels_with_cells(group)
        if {**group.attributes, **level}.get(REGISTRATION, "pixel") == "pixel"
    }
    for place, level, cells in found.values():
        inner, source = level.get("transform"), level.get("derived_from")
        moved = inner.get("translation", [0]) if isinstance(inner, Mapping) else None
        if not isinstance(source, str) or source not in found or not isinstance(moved, list):
            continue
        if _outside_of_box(group, _with_lengths(group, level)) is not None:
            continue  # which says the same
        _, other, others = found[source]
        own, there = (level[TRANSFORM][2::3], other[TRANSFORM][2::3])
        if all(one == 0 for one in moved) and math.dist(own, there) > CLOSE * min(*cells, *others):
            yield Fail(
                group.attribute_pointer(*place, TRANSFORM),
                f"by {TRANSFORM} level {place[-1]} begins at {shown(own)} and {shown(source)}, of which it is derived,"
                f" at {shown(there)}: that is the same place where its translation is 0 or left out",
            )


@rule(
    "ZCF-SPATIAL-001",
    on="group",
    needs=("attributes", "conventions list"),
    when=_is_pyramid,
)
def levels_say_where_they_are(group: Group) -> Iterator[Fail]:
    """Warn of a pyramid whose levels have no transform, which is recommended where spatial: and multiscales come together."""
    declared = declared_here(group)
    if TRANSFORM in group.attributes or not {
        known_conventions.SPATIAL,
        known_conventions.MULTISCALES,
    } <= {*declared}:
        return
    lacking = [
        (place, level)
        for place, level in islice(levels(group), known_conventions.MOST_LEVELS)
        if is_affine({**group.attributes, **level}) and not _is_placed(group, level)
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


_LON_LAT = frozenset({"EPSG:4326", "OGC:CRS84", "OGC:84"})
"""One system, but for the order of axes, which arrays name."""


@rule(
    "ZCF-SPATIAL-001",
    on="group",
    needs=("attributes",),
    when=_is_pyramid,
)
def levels_are_in_one_system(group: Group) -> Iterator[Fail]:
    """Warn of the group of a level that is in another reference system than the pyramid says for all its levels.

    Where it says none, a level is in that of the level it is derived from: by scale and translation there is no way
    from one system to another. Arrays in a level may have one of their own.
    """
    whole = _system(group)
    found: dict[Any, tuple[Node, tuple[str, str], Any]] = {}
    for _, level in islice(levels(group), known_conventions.MOST_LEVELS):
        node = _node_of(group, asset := level.get("asset"))
        if node is None or node is group or (whole is not None and isinstance(node, Array)):
            continue
        if (own := _system(node)) is not None:
            found[asset] = node, own, level.get("derived_from")
    for node, own, source in found.values():
        other: Node = group
        if whole is not None:
            theirs, why = whole, ", which is for all levels,"
        elif isinstance(source, str) and source in found:
            other, theirs, _ = found[source]
            why = ", of which it is derived by a scale,"
        else:
            continue
        if own[1] != theirs[1] and not {own[1], theirs[1]} <= _LON_LAT:
            yield Fail(
                node.attribute_pointer(own[0]),
                f"{own[0]} of {node.path} is that of {own[1]}, and {theirs[0]} of {other.path}{why} that of {theirs[1]}",
                path=node.path,
                related=(other.path,),
            )


def _system(node: Node) -> tuple[str, str] | None:
    """Return the attribute of proj: by which a node says its reference system, and the code of that; None where no code is there."""
    found = ((name, crs.code(node.attributes.get(name))) for name in PROJ)
    return next(((name, code) for name, code in found if code is not None), None)


def _is_placed(group: Group, level: Mapping[str, Any]) -> bool:
    """Whether a level has a transform: in the pyramid, or at its group or one of its arrays; also where it is not there."""
    inside = level.get("transform")
    if TRANSFORM in level or (isinstance(inside, Mapping) and TRANSFORM in inside):
        return True  # which is reported, where it is at the wrong place
    asset = level.get("asset")
    node = _node_of(group, asset)
    if node is None or TRANSFORM in node.attributes:
        return True
    inner = node.hierarchy.children(node) if isinstance(node, Group) else []
    return any(TRANSFORM in one.attributes for one in inner)


def _levels_with_cells(
    group: Group,
) -> Iterator[tuple[tuple[str | int, ...], Mapping[str, Any], tuple[float, float]]]:
    """Yield the levels that have a path and a transform that can be used: where they are listed, and how large their cells are."""
    for place, level in islice(levels(group), known_conventions.MOST_LEVELS):
        if (
            isinstance(level.get("asset"), str)
            and TRANSFORM in level
            and (cells := _cells({**group.attributes, **level})) is not None
        ):
            yield place, level, cells


def _cells(level: Mapping[str, Any]) -> tuple[float, float] | None:
    """Return how large the cells of a level are along x and y, None where that is not said or wrong by itself."""
    given = numbers_in(level.get(TRANSFORM), 6)
    if given is None or not is_affine(level) or odd_transform(given, "") is not None:
        return None
    a, b, _, d, e, _ = given
    return math.hypot(a, d), math.hypot(b, e)


def _fits(cells: tuple[float, float], other: tuple[float, float], scale: list[float]) -> bool:
    """Whether cells are those of another level times the scale, or divided by it, within what rounding makes of odd lengths."""
    ratios = [one / another for one, another in zip(cells, other, strict=True)]
    return any(
        all(
            abs(ratio / abs(factor) - 1) <= CLOSE
            for ratio, factor in zip(ratios, factors, strict=True)
        )
        for one in (scale, scale[::-1])
        for factors in (one, [1 / factor for factor in one])
    )


def _times(cells: tuple[float, float], other: tuple[float, float]) -> str:
    """Return how much larger cells are, such as "4", or "4 and 2" where that differs along x and y."""
    return " and ".join(dict.fromkeys(f"{a / b:.4g}" for a, b in zip(cells, other, strict=True)))
