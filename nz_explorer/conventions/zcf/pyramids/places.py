"""zarr-conventions/spatial: the levels of a pyramid begin at one place, on the map of their reference system."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from nz_explorer.conventions.zarr3.nodes import is_finite, set_to, shown
from nz_explorer.conventions.zcf.grids import (
    CLOSE,
    REGISTRATION,
    SHAPE,
    TRANSFORM,
    are_lengths,
    beside_the_map,
    degrees_beyond,
    degrees_in_metres,
    numbers_in,
    origin_meant,
)
from nz_explorer.conventions.zcf.pyramids.grids import (
    is_pyramid,
    levels_with_cells,
    node_of,
    of_y_and_x,
    outside_of_box,
    placed_elsewhere,
    with_lengths,
)
from nz_explorer.engine.findings import Fail
from nz_explorer.engine.fixes import Draft, replace
from nz_explorer.engine.registry import rule
from nz_explorer.model import Group
from nz_explorer.model.dialects.crs import PROJ_ATTRIBUTES


@rule(
    "ZCF-SPATIAL-001",
    on="group",
    needs=("attributes",),
    when=is_pyramid,
)
def levels_begin_at_one_place(group: Group) -> Iterator[Fail]:
    """Warn of levels that begin elsewhere than their source, and have no translation that would say so, or the reverse.

    With the registration of nodes they do so rightly: the middle of a larger first cell is elsewhere.
    """
    found = {
        level["asset"]: (place, level, cells, node)
        for place, level, cells, node in levels_with_cells(group)
        if {**group.attributes, **level}.get(REGISTRATION, "pixel") == "pixel"
    }
    told = {place for place, *_ in _beside_their_map(group)}
    for place, level, cells, node in found.values():
        inner, source = level.get("transform"), level.get("derived_from")
        moved = inner.get("translation", [0]) if isinstance(inner, Mapping) else None
        if not isinstance(source, str) or source not in found or not isinstance(moved, list):
            continue
        at, other, others, _ = found[source]
        long = with_lengths(group, level)
        if outside_of_box(group, long) is not None or (
            are_lengths(long.get(SHAPE)) and placed_elsewhere(group, long) is not None
        ):
            told.add(place)
        if {place, at} & told:
            continue  # which says the same
        own, there = (level[TRANSFORM][2::3], other[TRANSFORM][2::3])
        is_aside = math.dist(own, there) > CLOSE * min(*cells, *others)
        pairs = of_y_and_x(group, level, moved, 0) if all(map(is_finite, moved)) else []
        if is_aside and (all(one == 0 for one in moved) or (pairs and not any(map(any, pairs)))):
            told.add(place)
            yield Fail(
                node.attribute_pointer(*(place if node is group else ()), TRANSFORM),
                f"by {TRANSFORM} level {place[-1]} begins at {shown(own)} and {shown(source)}, of which it is derived,"
                f" at {shown(there)}: that is the same place where its translation is 0 or left out",
                path=node.path,
            )
        elif not is_aside and pairs and all(_is_more_than_rounding(pair, *cells) for pair in pairs):
            pointer = group.attribute_pointer(*place, "transform", "translation")
            yield Fail(
                pointer,
                f"translation of level {place[-1]} is {shown(moved)}, and by {TRANSFORM} it begins where {shown(source)} does,"
                " of which it is derived: that is a translation of 0",
                fix=set_to(pointer, [0.0, 0.0], "suggest") if len(moved) == 2 else None,
            )


def _is_more_than_rounding(moved: Iterable[float], *cells: float) -> bool:
    """Whether a translation, which may be counted in cells, is more than what differences of large numbers leave of 0."""
    return max(map(abs, moved)) > CLOSE * min(1, *cells)


@rule(
    "ZCF-SPATIAL-001",
    on="group",
    needs=("attributes",),
    when=is_pyramid,
)
def levels_are_on_the_map(group: Group) -> Iterator[Fail]:
    """Warn of levels with no longitudes and latitudes in a system of these, or beside the map of EPSG:3857 or of a zone of UTM, and tell the first."""
    found = [] if degrees_beyond(group.attributes) else list(_beside_their_map(group))
    if not found:  # or reported for itself
        return
    place, given, why, right = found[0]
    changed = [(group.attribute_pointer(*there, TRANSFORM), other) for there, _, _, other in found]
    yield Fail(
        group.attribute_pointer(*place, TRANSFORM),
        f"{TRANSFORM} of level {place[-1]} is {shown(given)}, {why}",
        fix=None
        if right is None
        else lambda _node: Draft(
            "suggest", tuple(replace(at, other) for at, other in changed if other is not None)
        ),
    )


def _beside_their_map(
    group: Group,
) -> Iterator[tuple[tuple[str | int, ...], list[float], str, list[float] | None]]:
    """Yield where levels are listed that are beside the map of their system, their transform, why, and that with x and y of its origin exchanged, if it is on the map."""
    for place, level, _, node in levels_with_cells(group):
        if node is not group:
            continue  # what the level says itself is reported there
        system, given = _of_proj(group, level), numbers_in(level[TRANSFORM], 6) or []
        shape = with_lengths(group, level).get(SHAPE)
        if (beyond := degrees_beyond({**system, TRANSFORM: given})) is not None:
            why = (
                f"and the reference system, {beyond[1]}, is one of longitudes and latitudes in degrees: there are no such longitudes"
                " or latitudes"
            )
            yield place, given, why, origin_meant(given, shape, system)
        elif are_lengths(shape) and (odd := degrees_in_metres(given, shape, system)) is not None:
            yield place, given, odd, None
        elif are_lengths(shape) and (meant := beside_the_map(given, shape, system)) is not None:
            yield place, given, meant[1], meant[0]


def _of_proj(group: Group, level: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the attributes of proj: that count for a level: those of the pyramid, or else its own."""
    holders = (group, node_of(group, level.get("asset")))
    found = (
        {name: one.attributes[name] for name in PROJ_ATTRIBUTES if name in one.attributes}
        for one in holders
        if one
    )
    return next(filter(None, found), {})
