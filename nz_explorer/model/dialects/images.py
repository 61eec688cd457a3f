"""Images of OME-NGFF: what the group of an image says of the arrays that are its levels.

Source: OME-NGFF 0.4 (attributes of the group) and 0.5 (the same below ``ome``), ``multiscales``, ``omero`` and
``image-label``. See https://ngff.openmicroscopy.org/0.5/.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nz_explorer.model.array import Array

_HIGHEST = 3
"""How many groups above an array are asked for ``multiscales``."""


@dataclass(frozen=True, slots=True)
class ImageLevel:
    """What the group of an image says of the array of a level.

    Parameters
    ----------
    path
        Of the group.
    names
        Of the axes; as many as the array has dimensions.
    types
        ``space``, ``time``, ``channel`` or another text; None where an axis has none.
    units
        Of the axes; None where an axis has none.
    scale, translation
        Where an element lies: its index times the scale, plus the translation.
    reduction
        By axis, how much longer the elements are than those of the first level.
    omero
        How the image is meant to be shown: channels, their windows, and the default plane.
    is_label
        Whether values are numbers of objects.
    """

    path: str
    names: tuple[str, ...]
    types: tuple[str | None, ...]
    units: tuple[str | None, ...]
    scale: tuple[float, ...]
    translation: tuple[float, ...]
    reduction: tuple[float, ...]
    omero: Mapping[str, Any]
    is_label: bool


def image_level(array: Array) -> ImageLevel | None:
    """Return what the group of an image says of an array, None where the array is no level of one.

    Parameters
    ----------
    array
        The array. Groups above it that were not read yet are not asked.
    """
    path, shape = array.parent, array.shape or ()
    for _ in range(_HIGHEST if shape else 0):
        group = None if path is None else array.hierarchy.node_if_loaded(path)
        if group is None:
            return None
        name = array.path.removeprefix("/" if group.path == "/" else group.path + "/")
        found = _level(group.path, group.attributes, name, len(shape))
        if found is not None:
            return found
        path = group.parent
    return None


def _level(path: str, attributes: Mapping[str, Any], name: str, rank: int) -> ImageLevel | None:
    given = attributes.get("ome")
    held = given if isinstance(given, Mapping) else attributes
    for scales in images(attributes):
        datasets = scales.get("datasets") if isinstance(scales, Mapping) else None
        listed = datasets if isinstance(datasets, list) else []
        levels = [one for one in listed if isinstance(one, Mapping)]
        level = next((one for one in levels if _path(one) == name), None)
        names = None if level is None else _names(scales, rank)
        if level is None or names is None:
            continue
        axes = scales["axes"]
        scale, translation = _places(level, scales, rank)
        first, _ = _places(levels[0], scales, rank)
        omero = held.get("omero")
        return ImageLevel(
            path,
            tuple(names),
            tuple(_text(axis, "type") for axis in axes),
            tuple(_text(axis, "unit") for axis in axes),
            scale,
            translation,
            tuple(one / base for one, base in zip(scale, first, strict=True)),
            omero if isinstance(omero, Mapping) else {},
            "image-label" in held,
        )
    return None


def images(attributes: Mapping[str, Any]) -> list[Any]:
    """Return the descriptions of images among the attributes of a group."""
    ome = attributes.get("ome")
    below = ome.get("multiscales") if isinstance(ome, Mapping) else None
    given = attributes.get("multiscales", below)
    return given if isinstance(given, list) else []


def axis_names(attributes: Mapping[str, Any], rank: int) -> list[str] | None:
    """Return the names of the axes that OME-NGFF gives the arrays of an image; None where it does not.

    Parameters
    ----------
    attributes : mapping
        Of the group of the image.
    rank : int
        How many dimensions an array has.
    """
    for scales in images(attributes):
        names = _names(scales, rank)
        if names is not None:
            return names
    return None


def _names(scales: Any, rank: int) -> list[str] | None:
    axes = scales.get("axes") if isinstance(scales, Mapping) else None
    # as objects since 0.4, as names before
    names = [_text(axis, "name") or axis for axis in axes] if isinstance(axes, list) else []
    fitting = len(names) == rank and all(isinstance(name, str) and name for name in names)
    return names if fitting else None


def _places(
    level: Mapping[str, Any], scales: Mapping[str, Any], rank: int
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return scale and translation of a level: its own transformations, and then those of all levels."""
    scale, translation = [1.0] * rank, [0.0] * rank
    for held in (level, scales):
        steps = held.get("coordinateTransformations")
        for step in steps if isinstance(steps, list) else ():
            kind = _text(step, "type")
            numbers = _numbers(step.get(kind), rank) if kind in ("scale", "translation") else None
            if numbers is None:
                continue
            if kind == "translation":
                translation = [a + b for a, b in zip(translation, numbers, strict=True)]
            elif 0.0 not in numbers:
                scale = [a * b for a, b in zip(scale, numbers, strict=True)]
                translation = [a * b for a, b in zip(translation, numbers, strict=True)]
    return tuple(scale), tuple(translation)


def _numbers(given: Any, rank: int) -> list[float] | None:
    if not isinstance(given, list) or len(given) != rank:
        return None
    sound = all(type(one) in (int, float) and abs(one) < 1e300 for one in given)
    return [float(one) for one in given] if sound else None


def _path(level: Mapping[str, Any]) -> str | None:
    path = _text(level, "path")
    return None if path is None else path.strip("/")


def _text(value: Any, name: str) -> str | None:
    text = value.get(name) if isinstance(value, Mapping) else None
    return text if isinstance(text, str) and text else None
