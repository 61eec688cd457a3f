"""Where the cells of a grid are, by the transforms that its metadata have."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from nz_explorer.model.array import Array
from nz_explorer.model.dialects.crs import grid_mappings, spatial_axes
from nz_explorer.model.group import Group
from nz_explorer.model.node import Node

if TYPE_CHECKING:
    from nz_explorer.store import Cancellation


@dataclass(frozen=True, slots=True)
class Transform:
    """Where the cells of a grid are that is not rotated.

    Attributes
    ----------
    axes : tuple of int
        The axes of the array that run north and east.
    x, y : tuple of float
        The middle of the first cell, and the step to the next one.
    attribute, path : str
        Where that is written.
    """

    axes: tuple[int, int]
    x: tuple[float, float]
    y: tuple[float, float]
    attribute: str
    path: str


_TRANSFORMS = ("spatial:transform", "grid_mapping", "GeoTransform")


def transform(array: Array, cancel: Cancellation | None = None) -> Transform | None:
    """Return the affine transform of an array, None where there is none that can be used.

    Parameters
    ----------
    array : Array
        The array.
    cancel : Cancellation, optional
        Stops reading metadata.

    Notes
    -----
    Sources: zarr-conventions/spatial (``spatial:transform``, on the array or the group); GDAL's ``GeoTransform``
    on the grid mapping of an array (GeoZarr draft 8.1.8).
    """
    return next(transforms(array, cancel), None)


def transforms(array: Array, cancel: Cancellation | None = None) -> Iterator[Transform | None]:
    """Yield the affine transforms of an array, of each kind of attribute one, first what goes first; None for one that is rotated.

    Parameters
    ----------
    array : Array
        The array.
    cancel : Cancellation, optional
        Stops reading metadata.
    """
    parent = array.hierarchy.node_if_loaded(array.parent) if array.parent is not None else None
    holders = [node for node in (array, parent) if node is not None]
    pyramid, level = (None, {}) if parent is None else level_above(parent)
    if pyramid is None and not any(n in one.attributes for one in holders for n in _TRANSFORMS):
        return
    said: list[Mapping[str, Any]] = [node.attributes for node in holders]
    places = [(node, said) for node in holders]
    if pyramid is not None:
        places.append((pyramid, [*said, level, pyramid.attributes]))
    for node, told in places:
        given = _of_level(node, array) if node is not array else None
        given = level["spatial:transform"] if node is pyramid else given
        given = node.attributes.get("spatial:transform") if given is None else given
        if isinstance(given, list) and (axes := _axes(array, told)) is not None:
            numbers = _six(given)
            if numbers is None:
                continue
            a, b, c, d, e, f = numbers
            if _said(told, "spatial:transform_type", "affine") != "affine":
                yield None
                break
            middle = 0.0 if _said(told, "spatial:registration", "pixel") == "node" else 0.5
            yield _unrotated(axes, (c, a, b, f, d, e), middle, "spatial:transform", node.path)
            break
    for node in grid_mappings(array, cancel):
        given = node.attributes.get("GeoTransform")
        numbers = _six(given.split() if isinstance(given, str) else given)
        if numbers is not None and (axes := spatial_axes(array)) is not None:
            yield _unrotated(axes, numbers, 0.5, "GeoTransform", node.path)
            return


def _said(told: Iterable[Mapping[str, Any]], name: str, otherwise: str) -> Any:
    """Return what an array says, or else its group."""
    return next((attributes[name] for attributes in told if name in attributes), otherwise)


def level_above(group: Node) -> tuple[Node | None, Mapping[str, Any]]:
    """Return the pyramid of which a group is a level, and its item in the layout where that has a transform; else None.

    Parameters
    ----------
    group : Node
        The group.
    """
    above = group.hierarchy.node_if_loaded(group.parent) if group.parent is not None else None
    for level in () if above is None else _levels_at(above, group.name):
        if "spatial:transform" in level:
            return above, level
    return None, {}


def _of_level(group: Node, array: Array) -> Any:
    """Return the transform that a pyramid has for an array that is one of its levels; False where it has none for one that is derived."""
    for level in _levels_at(group, array.name):
        return level.get("spatial:transform", False if "derived_from" in level else None)
    return None


def _levels_at(pyramid: Node, asset: str) -> Iterator[Mapping[str, Any]]:
    """Yield the items of a layout that are about one of the nodes directly in the group that has it."""
    given = pyramid.attributes.get("multiscales")
    layout = given.get("layout") if isinstance(given, Mapping) else None
    for level in layout if isinstance(layout, list) else ():
        if isinstance(level, Mapping) and level.get("asset") == asset:
            yield level


def _axes(array: Array, told: Iterable[Mapping[str, Any]]) -> tuple[int, int] | None:
    given, names = _said(told, "spatial:dimensions", ""), array.dimension_names or ()
    if array.shape is not None and isinstance(given, list) and len(given) == 2:
        if all(name in names for name in given):
            return names.index(given[0]), names.index(given[1])
        if any(all(name in others for name in given) for others in _beside(array)):
            return None  # it is that of others
    return spatial_axes(array)


def _beside(array: Array) -> list[Collection[str | None]]:
    """Return the names of the dimensions of the arrays of the same group, each once."""
    group = array.hierarchy.node_if_loaded(array.parent) if array.parent is not None else None
    return [names or () for names, _ in group.layouts] if isinstance(group, Group) else []


def _six(given: Any) -> tuple[float, ...] | None:
    if not isinstance(given, list) or len(given) != 6 or any(isinstance(n, bool) for n in given):
        return None
    try:
        return tuple(float(number) for number in given)
    except (TypeError, ValueError, OverflowError):  # JSON has integers of any size
        return None


def of_affine(given: Any) -> str | None:
    """Return a GeoTransform as GDAL writes it, a text, where its numbers are in the order of Affine; None of any other.

    Parameters
    ----------
    given
        Six numbers, as a list or as a text.

    Notes
    -----
    Affine has dx, 0, x, 0, dy, y, and GDAL x, dx, 0, y, 0, dy: by the latter the cells of the former are on one line, or sheared.
    A grid that is turned by 90 degrees has such numbers as well where y is 0: the more cells look like squares, the likelier the reading.
    """
    numbers = _six(given.split() if isinstance(given, str) else given)
    if numbers is None:
        return None
    dx, x_skew, x, y_skew, dy, y = numbers
    if x_skew or y_skew or not dx or not dy or (x and not y and oblong(x, dy) <= oblong(dx, dy)):
        return None
    return " ".join(map(str, (x, dx, 0.0, y, 0.0, dy)))


def oblong(width: float, height: float) -> float:
    """Return how far cells are from squares, 0 of squares.

    Parameters
    ----------
    width, height : float
        Their size, or its negative.
    """
    return abs(math.log(abs(width)) - math.log(abs(height)))


def _unrotated(
    axes: tuple[int, int], six: tuple[float, ...], middle: float, attribute: str, path: str
) -> Transform | None:
    """Return a transform of GDAL's order: x, dx along a row, dx along a column, y, dy, dy."""
    x, dx, x_skew, y, y_skew, dy = six
    if x_skew or y_skew:
        return None
    return Transform(axes, (x + middle * dx, dx), (y + middle * dy, dy), attribute, path)
