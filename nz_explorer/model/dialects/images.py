"""Images of OME-NGFF: what the group of an image says of the arrays that are its levels.

Source: OME-NGFF 0.4 (attributes of the group), 0.5 (the same below ``ome``) and 0.6, where axes are those of named
``coordinateSystems`` that transformations lead to; ``multiscales``, ``omero`` and ``image-label``.
See https://ngff.openmicroscopy.org/0.5/ and https://github.com/ome/ngff-spec.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nz_explorer.model.array import Array

_HIGHEST = 3
"""How many groups above an array are asked for ``multiscales``."""
_DEEPEST = 4
"""How far sequences of transformations are gone into that are in others."""
_CHANNELS = 4
"""Of a colour: red, green, blue and opacity."""


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
        Where an element lies: its index times the scale, plus the translation. Where other transformations place it, such
        as a rotation, these are 1 and 0, and there are no units.
    reduction
        By axis, how much longer the elements are than those of the first level.
    omero
        How the image is meant to be shown: channels, their windows, and the default plane.
    label
        What ``image-label`` says of an image whose values are numbers of objects; None of other images.
    name
        Of the image, with the number of a level below the first; None where it has none, or only that of the root.
    """

    path: str
    names: tuple[str, ...]
    types: tuple[str | None, ...]
    units: tuple[str | None, ...]
    scale: tuple[float, ...]
    translation: tuple[float, ...]
    reduction: tuple[float, ...]
    omero: Mapping[str, Any]
    label: Mapping[str, Any] | None
    name: str | None


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


def _called(name: str | None, number: int) -> str | None:
    if name is None or not name.strip("/"):
        return None
    return f"{name}, level {number}" if number else name


def _level(path: str, attributes: Mapping[str, Any], name: str, rank: int) -> ImageLevel | None:
    given = attributes.get("ome")
    held = given if isinstance(given, Mapping) else attributes
    for scales in images(attributes):
        datasets = scales.get("datasets") if isinstance(scales, Mapping) else None
        listed = datasets if isinstance(datasets, list) else []
        levels = [one for one in listed if isinstance(one, Mapping)]
        level = next((one for one in levels if _path(one) == name), None)
        axes = None if level is None else _axes(scales, level)
        names = _names(axes, rank)
        if level is None or names is None or not isinstance(axes, list):
            continue
        placed = _places(level, scales, rank)
        scale, translation = placed or ((1.0,) * rank, (0.0,) * rank)
        first, _ = _places(levels[0], scales, rank) or ((1.0,) * rank, ())
        return ImageLevel(
            path,
            tuple(names),
            tuple(_text(axis, "type") for axis in axes),
            tuple(None if placed is None else _text(axis, "unit") for axis in axes),
            scale,
            translation,
            tuple(one / base for one, base in zip(scale, first, strict=True)),
            _mapping(held.get("omero")),
            _mapping(held["image-label"]) if "image-label" in held else None,
            _called(_text(scales, "name"), levels.index(level)),
        )
    return None


def label_colours(label: Mapping[str, Any]) -> dict[int, str]:
    """Return the colours that ``image-label`` gives to numbers of objects, as ``#rrggbbaa``; what is malformed is left out.

    Parameters
    ----------
    label
        What it says.
    """
    given = label.get("colors")
    found = {}
    for one in given if isinstance(given, list) else ():
        value, rgba = _mapping(one).get("label-value"), _mapping(one).get("rgba")
        if type(value) is not int or not isinstance(rgba, list) or len(rgba) != _CHANNELS:
            continue
        if all(type(part) is int and 0 <= part <= 255 for part in rgba):
            found[value] = f"#{bytes(rgba).hex()}"
    return found


def _mapping(given: Any) -> Mapping[str, Any]:
    return given if isinstance(given, Mapping) else {}


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
        names = _names(_axes(scales), rank)
        if names is not None:
            return names
    return None


@dataclass(frozen=True, slots=True)
class Ome:
    """What a group is to OME-Zarr.

    Parameters
    ----------
    version
        As it is given, such as ``0.5``; None where it is not.
    kind
        ``image``, ``labels``, ``plate``, ``well``, ``scene``, ``collection`` of images, or ``metadata``.
    axes
        Of the first image: names with units.
    name
        Of the first image or of the plate, if it has one.
    """

    version: str | None
    kind: str
    axes: tuple[str, ...]
    name: str | None


_KINDS = {
    "image-label": "label image",
    "multiscales": "image",
    "plate": "plate",
    "well": "well",
    "labels": "list of labels",
    "scene": "scene",
    "series": "collection of images",
    "bioformats2raw.layout": "collection of images",
}
"""By the member that makes a group be one, the most telling first."""


def ome(attributes: Mapping[str, Any]) -> Ome | None:
    """Return what a group is to OME-Zarr, None where it is nothing.

    Parameters
    ----------
    attributes : mapping
        Of the group.
    """
    given = attributes.get("ome")
    held = given if isinstance(given, Mapping) else attributes
    kind = next((kind for member, kind in _KINDS.items() if member in held), "metadata")
    if not isinstance(given, Mapping) and not _is_older(held):
        return None
    scales = images(attributes)
    first = next((one for one in scales if isinstance(one, Mapping)), {})
    inner: Mapping[str, Any] = next(
        (held[one] for one in ("plate", "well") if isinstance(held.get(one), Mapping)), {}
    )
    version = next(filter(None, (_version(one) for one in (held, first, inner))), None)
    axes = _axes(first)
    shown = []
    for axis in axes if isinstance(axes, list) else ():
        name, unit = (
            _text(axis, "name") or (axis if isinstance(axis, str) else "?"),
            _text(axis, "unit"),
        )
        shown.append(f"{name} ({unit})" if unit else name)
    return Ome(version, kind, tuple(shown), _text(inner, "name") or _text(first, "name"))


def _version(about: Mapping[str, Any]) -> str | None:
    """Return a version as text; some writers give a number."""
    given = about.get("version")
    return str(given) if isinstance(given, float) else _text(about, "version")


def _is_older(attributes: Mapping[str, Any]) -> bool:
    """Whether attributes are those of OME-Zarr before 0.5, which had no member of its own for them."""
    scales = attributes.get("multiscales")
    listed = [one for one in scales if isinstance(one, Mapping)] if isinstance(scales, list) else []
    plate, well = attributes.get("plate"), attributes.get("well")
    return (
        any("datasets" in one for one in listed)
        or (isinstance(plate, Mapping) and "wells" in plate)
        or (isinstance(well, Mapping) and "images" in well)
        or "bioformats2raw.layout" in attributes
    )


def _axes(scales: Any, level: Mapping[str, Any] | None = None) -> Any:
    """Return the axes of an image: its own, or those of the coordinate system that a level is placed in.

    Parameters
    ----------
    scales
        The description of the image.
    level
        One of its levels; the first by default.
    """
    systems = scales.get("coordinateSystems") if isinstance(scales, Mapping) else None
    if not isinstance(systems, list):
        return scales.get("axes") if isinstance(scales, Mapping) else None
    if level is None:
        datasets = scales.get("datasets")
        level = datasets[0] if isinstance(datasets, list) and datasets else {}
    steps = level.get("coordinateTransformations") if isinstance(level, Mapping) else None
    output = steps[0].get("output") if isinstance(steps, list) and _is_object(steps[:1]) else None
    # a name since 0.6rc0 is in an object
    name = _text(output, "name") or output
    named = [one for one in systems if isinstance(one, Mapping)]
    system = next((one for one in named if one.get("name") == name), named[0] if named else {})
    return system.get("axes")


def _is_object(steps: list[Any]) -> bool:
    return bool(steps) and isinstance(steps[0], Mapping)


def _names(axes: Any, rank: int) -> list[str] | None:
    # as objects since 0.4, as names before
    names = [_text(axis, "name") or axis for axis in axes] if isinstance(axes, list) else []
    fitting = len(names) == rank and all(isinstance(name, str) and name for name in names)
    return names if fitting else None


def _places(
    level: Mapping[str, Any], scales: Mapping[str, Any], rank: int
) -> tuple[tuple[float, ...], tuple[float, ...]] | None:
    """Return scale and translation of a level: its own transformations, and then those of all levels.

    With coordinate systems those of all levels lead on to others. None where there is more than scale and translation.
    """
    scale, translation = [1.0] * rank, [0.0] * rank
    systems = "coordinateSystems" in scales
    for held in (level,) if systems else (level, scales):
        given = held.get("coordinateTransformations")
        for step in _flat(given if isinstance(given, list) else []):
            kind = _text(step, "type")
            if systems and kind not in ("identity", "scale", "translation"):
                return None
            numbers = _numbers(step.get(kind), rank) if kind in ("scale", "translation") else None
            if numbers is None:
                continue
            if kind == "translation":
                translation = [a + b for a, b in zip(translation, numbers, strict=True)]
            elif 0.0 not in numbers:
                scale = [a * b for a, b in zip(scale, numbers, strict=True)]
                translation = [a * b for a, b in zip(translation, numbers, strict=True)]
    return tuple(scale), tuple(translation)


def _flat(steps: list[Any], depth: int = 0) -> Iterator[Any]:
    """Yield transformations one by one, those of a sequence in their order."""
    for step in steps:
        inside = step.get("transformations") if _text(step, "type") == "sequence" else None
        if isinstance(inside, list) and depth < _DEEPEST:
            yield from _flat(inside, depth + 1)
        else:
            yield step


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
