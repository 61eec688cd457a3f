"""CF: whether a transform places a grid where its coordinates do, for programs for maps that go by one of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from nz_explorer.conventions.cf.maps.grids import UNEVEN, is_of_a_map
from nz_explorer.documents.json_text import json_text
from nz_explorer.engine.findings import Fail, FixMaker
from nz_explorer.engine.fixes import Draft, set_attribute
from nz_explorer.engine.registry import rule
from nz_explorer.model import Array, Group, Node
from nz_explorer.model.attribute_types import unpacked_number
from nz_explorer.model.dialects.crs import described_code, is_in_metres
from nz_explorer.model.dialects.transforms import (
    Transform,
    level_above,
    of_affine,
    transforms,
)
from nz_explorer.model.paths import all_above

if TYPE_CHECKING:
    from nz_explorer.values.coordinates.monotonicity import Monotonicity

_ASIDE = 0.3
"""By what part of a cell a coordinate may be beside its transform: steps are often rounded, and a half is a real shift."""
_SHIFTED = 0.2
"""By what part of a cell it may be where it is the same at both ends."""
_PLACES = {
    ("GeoTransform", "x"): (0, 1),
    ("GeoTransform", "y"): (3, 5),
    ("spatial:transform", "x"): (2, 0),
    ("spatial:transform", "y"): (5, 4),
}
"""Where the numbers of an axis are, origin and step: GDAL's order is x, dx, 0, y, 0, dy, that of Affine dx, 0, x, 0, dy, y."""
_SAME_UNITS = re.compile(r"(m|met(er|re)s?|deg(ree)?s?(_?(north|east|[NE]))?)?", re.IGNORECASE)
"""Units of coordinates that are those of a transform as well."""
_KILOMETRES = re.compile(r"km|kilomet(er|re)s?", re.IGNORECASE)


@rule("CF-MAP-008", on="values", when=is_of_a_map)
def transform_fits_coordinates(array: Array, found: Monotonicity) -> Iterator[Fail]:
    """Note a transform that places rows or columns elsewhere than their coordinate, as slicing leaves it behind."""
    length = (array.shape or (0,))[0]
    first, last = (unpacked_number(array.attributes, end) for end in (found.first, found.last))
    units = array.attributes.get("units", "")
    if (
        not isinstance(first, int | float)
        or not isinstance(last, int | float)
        or not isinstance(units, str)
        or (_SAME_UNITS.fullmatch(units) is None and _KILOMETRES.fullmatch(units) is None)
    ):
        return
    metres = ""
    if _KILOMETRES.fullmatch(units):
        first, last, metres = first * 1000, last * 1000, " m"
    for alike in _placed(array):
        given, axis = alike[0]
        if metres and not _is_in_metres(given, array):
            continue
        middle, step = given.y if axis == "y" else given.x
        right = (last - first) / (length - 1) if length > 1 else step
        ends = (first - middle, last - middle - step * (length - 1))
        # rounded steps add up from one end to the other: what is the same at both ends is a shift, and every second
        # coordinate of a finer grid is a quarter of a cell beside the middles of the cells of a level
        most = _SHIFTED if abs(ends[0] - ends[1]) <= UNEVEN * abs(step) else _ASIDE
        if not step or max(map(abs, ends)) <= most * abs(step):
            continue
        if length < 2 or abs(right - step) <= UNEVEN * abs(step):
            said = f"has the middle of its first cell at {middle:.10g}, and {array.path} at {first:.10g}{metres}"
            does = {"rioxarray": "takes the origin from the coordinate"}
        else:
            said = f"has a step of {step:.10g}, and {array.path} one of {right:.10g}{metres}"
            does = {
                "rioxarray": "takes the step from GeoTransform, and the origin from the coordinate"
            }
        more = f" (and of {len(alike) - 1} more)" if alike[1:] else ""
        if _in_a_layout(array, given):
            more = ", in the layout,"
        yield Fail(
            "",
            f"{given.attribute} of {given.path}{more} {said}: readers that go by it place the map elsewhere than those that go"
            " by coordinates",
            related=tuple(one.path for one, _ in alike),
            readers=does if _is_text(array, given) else {},
            fix=_transforms_of([one for one, _ in alike], axis, first, right),
        )


@rule(
    "CF-MAP-008",
    on="array",
    needs=("attributes",),
    when=lambda array: "GeoTransform" in array.attributes,
)
def transform_in_order(array: Array) -> Iterator[Fail]:
    """Warn of a GeoTransform with its numbers in the order of Affine, as Python writes a transform that it takes for a list."""
    right = of_affine(array.attributes["GeoTransform"])
    if right is not None:
        yield Fail(
            array.attribute_pointer("GeoTransform"),
            f"GeoTransform is {json_text(array.attributes['GeoTransform'])}, which is in the order of Affine; that of GDAL is"
            f" {json_text(right)}: readers that go by it place the grid elsewhere",
            severity="warning",
            readers={},
            fix=lambda node: Draft("suggest", set_attribute(node, "GeoTransform", right)),
        )


def _is_in_metres(given: Transform, array: Array) -> bool:
    """Whether a transform of spatial: is to be in metres, by the reference system of what has it or of its group."""
    if given.attribute != "spatial:transform":
        return False
    nodes = (array.hierarchy.node_if_loaded(path) for path in (given.path, array.parent or "/"))
    codes = (described_code(node) for node in nodes if node is not None)
    return is_in_metres(next(filter(None, codes), ""))


def _in_a_layout(array: Array, given: Transform) -> bool:
    """Whether it is a pyramid above the group of a coordinate that has the transform, for the group as a level."""
    return given.path in all_above(array.parent or "/")


def _is_text(array: Array, given: Transform) -> bool:
    """Whether a transform is a GeoTransform that rioxarray reads; CF-ATTR-001 says what it makes of others."""
    holder = array.hierarchy.node_if_loaded(given.path)
    if holder is None or given.attribute != "GeoTransform":
        return False
    return isinstance(holder.attributes[given.attribute], str)


def _placed(array: Array) -> list[list[tuple[Transform, str]]]:
    """Return the transforms by which a coordinate is placed once more, and along which axis; those that say the same together."""
    group = array.hierarchy.node_if_loaded(array.parent or "/")
    if not isinstance(group, Group):
        return []
    handed = "spatial:transform" in group.attributes or level_above(group)[0] is not None
    if not handed and not group.with_attribute("GeoTransform", "spatial:transform"):
        return []
    found: dict[tuple[str, str], tuple[Transform, str]] = {}
    for (names, _), arrays in group.layouts.items():
        if names is None or len(names) < 2 or array.name not in names:
            continue
        place, seen = names.index(array.name), set()
        for one in arrays:
            named = one.attributes.get("grid_mapping")
            own = "spatial:transform" in one.attributes
            if not (own or handed or named is not None):
                continue
            if str(named) in seen and not own and "GeoTransform" not in one.attributes:
                continue  # it has what an array before has
            seen.add(str(named))
            for given in transforms(one):
                # what a pyramid says of its levels is ZCF-SPATIAL-001
                if given is None or (
                    given.path == group.path and "multiscales" in group.attributes
                ):
                    continue
                if place in given.axes:
                    axis = "yx"[given.axes.index(place)]
                    found.setdefault((given.attribute, given.path), (given, axis))
    alike: dict[tuple[str, str, tuple[float, float]], list[tuple[Transform, str]]] = {}
    for given, axis in found.values():
        numbers = given.y if axis == "y" else given.x
        alike.setdefault((given.attribute, axis, numbers), []).append((given, axis))
    return list(alike.values())


def _transforms_of(given: list[Transform], axis: str, first: float, step: float) -> FixMaker:
    """Return the fix of several transforms that say the same."""
    fixes = [_transform_of(one, axis, first, step) for one in given]

    def fix(node: Node) -> Draft | None:
        drafts = [draft for one in fixes if (draft := one(node)) is not None]
        return replace(drafts[0], also=(*drafts[0].also, *drafts[1:])) if drafts else None

    return fix


def _transform_of(given: Transform, axis: str, first: float, step: float) -> FixMaker:
    """Return the fix that has the numbers of one axis as the coordinate has them."""
    offset, scale = _PLACES[given.attribute, axis]
    middle, old = given.y if axis == "y" else given.x

    def fix(node: Node) -> Draft | None:
        holder = node.hierarchy.node_if_loaded(given.path)
        whole = None if holder is None else holder.attributes.get(given.attribute)
        told: Any = whole.split() if isinstance(whole, str) else whole
        if holder is None or "multiscales" in holder.attributes:
            return Draft("suggest", note="correct spatial:transform of the level in the layout")
        if not isinstance(told, list) or len(told) != 6:
            return None
        note = (
            f"if the coordinate is right; without {given.attribute} readers go by the coordinates"
        )
        if "spatial:bbox" in holder.attributes:  # which says the same as the transform
            return Draft("suggest", note=note, node=holder)
        numbers: list[Any] = [*told]
        half = round(2 * (middle - float(numbers[offset])) / old) / 2  # of cells, or none of nodes
        numbers[offset], numbers[scale] = first - half * step, step
        right: Any = " ".join(map(str, numbers)) if isinstance(whole, str) else numbers
        return Draft("suggest", set_attribute(holder, given.attribute, right), note, node=holder)

    return fix
