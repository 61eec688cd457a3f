"""Levels of pyramids as zarr-conventions/spatial describes them in a layout: their lengths, their boxes and their cells."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from nz_explorer.conventions.zcf import known_conventions
from nz_explorer.conventions.zcf.declarations import levels
from nz_explorer.conventions.zcf.grids import (
    BOX,
    CLOSE,
    DIMENSIONS,
    REGISTRATION,
    SHAPE,
    TRANSFORM,
    TYPE,
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
from nz_explorer.model import Array, Group, Node
from nz_explorer.model.paths import below

REACHES = 0.995
"""By what part of a cell a level reaches over its box at most: by a whole one it does where nodes are taken for cells."""


def is_pyramid(group: Group) -> bool:
    """Whether a group has multiscales.

    Parameters
    ----------
    group : Group
        Some group.
    """
    return "multiscales" in group.attributes


def node_of(group: Group, asset: Any) -> Node | None:
    """Return what the path of a level leads to.

    Parameters
    ----------
    group : Group
        With a pyramid.
    asset : object
        The path of a level.
    """
    return group.hierarchy.get(below(group.path) + asset) if isinstance(asset, str) else None


def lengths_there(group: Group, asset: Any) -> dict[str, list[int]]:
    """Return the lengths of y and x by array that a level has, or is; none where that is not told.

    Parameters
    ----------
    group : Group
        With a pyramid.
    asset : object
        The path of a level.
    """
    found = ((array, lengths_of(array, names)) for array, names in with_dimensions(group, asset))
    return {array.path: lengths for array, lengths in found if lengths is not None}


def with_dimensions(group: Group, asset: Any) -> Iterator[tuple[Array, list[str]]]:
    """Yield the arrays that a level has, or is, with the names of their dimensions of y and x, where these are told.

    Parameters
    ----------
    group : Group
        With a pyramid.
    asset : object
        The path of a level.
    """
    node = node_of(group, asset)
    children = node.hierarchy.children(node) if isinstance(node, Group) else [node]
    for array in children:
        if isinstance(array, Array):
            holders = (array, node, group)
            given = (one.attributes.get(DIMENSIONS) for one in holders if one is not None)
            names = next(filter(None, given), None)
            if are_two(names) and not exchanged(names):
                yield array, names


def of_y_and_x(
    group: Group, level: Mapping[str, Any], given: list[float], neutral: float
) -> list[list[float]]:
    """Return which two numbers of a list by axis may be those of y and x; none where that is not told.

    Of two numbers it is these; arrays with more axes have more. They may count from the last axis as well, but not where
    they say by this that nothing changes.

    Parameters
    ----------
    group : Group
        With a pyramid.
    level : Mapping
        One of its levels, with a path.
    given : list of float
        Its scale or translation.
    neutral : float
        The number that changes nothing.
    """
    if len(given) == 2:
        return [given]
    pairs = []
    for array, names in with_dimensions(group, level["asset"]):
        axes = array.dimension_names or ()
        if len(axes) == len(given) and {*names} <= {*axes}:
            first, last = (
                [one[axes.index(name)] for name in names] for one in (given, given[::-1])
            )
            pairs += [first] if last == [neutral, neutral] else [first, last]
    return pairs


def with_lengths(group: Group, level: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a level with a shape: its own, or that which its arrays have, where they have one.

    Parameters
    ----------
    group : Group
        With a pyramid.
    level : Mapping
        One of its levels, as the layout has it.
    """
    if SHAPE in level:
        return level
    found = {tuple(one) for one in lengths_there(group, level.get("asset")).values()}
    return {**level, SHAPE: [*found.pop()]} if len(found) == 1 else level


def outside_of_box(group: Group, level: Mapping[str, Any]) -> list[float] | None:
    """Return the box of a level that is not that of the pyramid; None where it is, or one of them is not known.

    Parameters
    ----------
    group : Group
        With a pyramid.
    level : Mapping
        One of its levels, as the layout has it.
    """
    box = numbers_in(group.attributes.get(BOX), 4)
    transform, shape = numbers_in(level.get(TRANSFORM), 6), level.get(SHAPE)
    if box is None or is_exchanged(box) or transform is None or not are_lengths(shape):
        return None  # what is wrong with a box by itself is reported for itself
    own = box_of(transform, shape, nodes=has_nodes(group, level))
    # the last cells of a coarser level may reach further than those that they were made of
    if max(apart(box, own, transform)) <= 2 - REACHES or _is_cut_out(level, own, box):
        return None
    return own


def _is_cut_out(level: Mapping[str, Any], own: list[float], box: list[float]) -> bool:
    """Whether a level has a translation, which the text has for cropped extents, and is a part of the box of its pyramid."""
    inner = level.get("transform")
    moved = inner.get("translation") if isinstance(inner, Mapping) else None
    inside = all(low <= one for low, one in zip(box[:2], own[:2], strict=True)) and all(
        one <= high for one, high in zip(own[2:], box[2:], strict=True)
    )
    return inside and isinstance(moved, list) and any(moved)


def one_is_inside(group: Group) -> bool:
    """Whether the box of a pyramid is that of one of its levels, but for what the last cells of a level reach over or leave out.

    A small part of the cells of a coarse level may be half of the finest cells, so these are what counts.

    Parameters
    ----------
    group : Group
        With a pyramid.
    """
    box = numbers_in(group.attributes.get(BOX), 4)
    placed = (
        with_lengths(group, with_transform(group, level)[1])
        for _, level in islice(levels(group), known_conventions.MOST_LEVELS)
    )
    known = [
        (transform, box_of(transform, level[SHAPE], nodes=has_nodes(group, level)))
        for level in placed
        if (transform := numbers_in(level.get(TRANSFORM), 6)) is not None
        and are_lengths(level.get(SHAPE))
    ]
    if box is None or is_exchanged(box) or not known:
        return bool(known)  # what is wrong with a box by itself is reported for itself
    finest = min((transform for transform, _ in known), key=lambda one: abs(one[0]) + abs(one[1]))
    return any(
        sorted(apart(box, own, finest))[1] <= CLOSE and max(apart(box, own, transform)) < REACHES
        for transform, own in known
    )


def has_nodes(group: Group, level: Mapping[str, Any]) -> bool:
    """Whether the outer cells of a level have their middles on its box.

    Parameters
    ----------
    group : Group
        With a pyramid.
    level : Mapping
        One of its levels, as the layout has it.
    """
    return {**group.attributes, **level}.get(REGISTRATION) == "node"


def placed_elsewhere(group: Group, level: Mapping[str, Any]) -> tuple[Node, list[float]] | None:
    """Return the transform that a level has itself, or one of its arrays, where the pyramid places it elsewhere than all of these.

    Parameters
    ----------
    group : Group
        With a pyramid.
    level : Mapping
        One of its levels, with a shape.
    """
    given, places = numbers_in(level.get(TRANSFORM), 6), list(placed_themselves(group, level))
    registered = {**group.attributes, **level}.get(REGISTRATION, "pixel")
    if given is None or any(
        in_force(node).get(REGISTRATION, "pixel") != registered
        or odd_transform(own, "") is not None
        or not is_affine(in_force(node))
        for node, own in places
    ):
        return None
    box, *others = (
        box_of(one, level[SHAPE], nodes=False) for one in (given, *(own for _, own in places))
    )
    return (
        places[0] if others and all(max(apart(box, one, given)) > CLOSE for one in others) else None
    )


def placed_themselves(group: Group, level: Mapping[str, Any]) -> Iterator[tuple[Node, list[float]]]:
    """Yield the transform that a level has itself, or by the group that it is in, or else those of its arrays that are as long as it is.

    Parameters
    ----------
    group : Group
        With a pyramid.
    level : Mapping
        One of its levels; of one without a shape the arrays are not looked at.
    """
    node = node_of(group, level.get("asset"))
    if isinstance(node, Array) and TRANSFORM not in node.attributes and TRANSFORM in in_force(node):
        node = node.hierarchy.node_if_loaded(node.parent or "/")  # which says it for its arrays
    if node is None or node is group:
        return
    own = numbers_in(node.attributes.get(TRANSFORM), 6)
    if own is not None:
        yield node, own
        return
    there = lengths_there(group, level.get("asset")) if isinstance(node, Group) else {}
    for child in node.hierarchy.children(node) if there else ():
        own = numbers_in(child.attributes.get(TRANSFORM), 6)
        if own is not None and there.get(child.path) == level.get(SHAPE):
            yield child, own


def with_transform(group: Group, level: Mapping[str, Any]) -> tuple[Node, Mapping[str, Any]]:
    """Return a level with a transform, and the node that says it: the pyramid, or else the level itself or one of its arrays.

    Arrays of one level that are in different places give it none.

    Parameters
    ----------
    group : Group
        With a pyramid.
    level : Mapping
        One of its levels, as the layout has it.
    """
    if TRANSFORM in level:
        return group, level
    places = list(placed_themselves(group, with_lengths(group, level)))
    if not places or any(own != places[0][1] for _, own in places):
        return group, level
    node, own = places[0]
    kind = {name: one for name, one in in_force(node).items() if name in (REGISTRATION, TYPE)}
    return node, {**level, **kind, TRANSFORM: own}


def levels_with_cells(
    group: Group,
) -> Iterator[tuple[tuple[str | int, ...], Mapping[str, Any], tuple[float, float], Node]]:
    """Yield the levels that have a path and a transform that can be used: where they are listed, how large their cells are, and which node says so.

    Parameters
    ----------
    group : Group
        With a pyramid.
    """
    for place, given in islice(levels(group), known_conventions.MOST_LEVELS):
        node, level = with_transform(group, given)
        if (
            isinstance(level.get("asset"), str)
            and TRANSFORM in level
            and (cells := _cells({**group.attributes, **level})) is not None
        ):
            yield place, level, cells, node


def _cells(level: Mapping[str, Any]) -> tuple[float, float] | None:
    """Return how large the cells of a level are along x and y, None where that is not said or wrong by itself."""
    given = numbers_in(level.get(TRANSFORM), 6)
    if given is None or not is_affine(level) or odd_transform(given, "") is not None:
        return None
    a, b, _, d, e, _ = given
    return math.hypot(a, d), math.hypot(b, e)
