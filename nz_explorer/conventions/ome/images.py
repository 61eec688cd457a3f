"""OME: images, their levels, and how their axes are described (OME-NGFF 0.4 and 0.5, section multiscales).

Images of 0.6 and later, with coordinate systems, are judged by their levels alone, those before 0.4 by their axes' names.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

from nz_explorer.conventions.zarr3.nodes import is_number, set_to
from nz_explorer.documents.json_text import json_text
from nz_explorer.documents.json_types import json_type
from nz_explorer.engine.findings import Fail, FixMaker, Undecided
from nz_explorer.engine.fixes import Draft, add, move, replace
from nz_explorer.engine.registry import rule
from nz_explorer.model import Array, Group, Node
from nz_explorer.model.dialects.images import ome
from nz_explorer.model.dialects.multiscales import family, level_name, level_names, member
from nz_explorer.model.paths import below
from nz_explorer.text.phrases import listed, plural

MOST_LEVELS = 64
BY_NAPARI = {"napari-ome-zarr": "since 0.11 raises ValidationError"}
"""What becomes of an image whose metadata its model does not take."""
_OF_IMAGES = frozenset(("axes", "coordinateTransformations", "name", "version"))
"""What OME-NGFF says of an image, of which each of its versions wants one at least."""
_VERSIONED = ("ome", "multiscales", "plate", "well", "image-label")
"""Attributes that have a version, or hold members that do."""


def held(group: Node) -> tuple[Mapping[str, Any], str]:
    """Return the metadata of OME-NGFF in the attributes of a group, and a pointer to them: below ``ome`` since 0.5."""
    attributes = group.attributes
    inside = attributes.get("ome")
    if isinstance(inside, Mapping):
        return inside, group.attribute_pointer("ome")
    return attributes, group.attribute_pointer()


def is_image(group: Group) -> bool:
    """Return whether a group describes images by OME-NGFF.

    Parameters
    ----------
    group : Group
        Any group.
    """
    attributes = group.attributes
    if "multiscales" not in attributes and "ome" not in attributes:
        return False
    if "zarr_conventions" in attributes and "ome" not in attributes:
        return False  # those of zarr-conventions/multiscales
    given = held(group)[0].get("multiscales")
    listed_datasets = isinstance(given, Mapping) and "datasets" in given
    if given is None or not (family(attributes) == "OME-NGFF" or listed_datasets):
        return False
    return "ome" in attributes or not _has_groups_for_levels(group)


def _has_groups_for_levels(group: Group) -> bool:
    """Whether only the word is shared with OME-NGFF: none of its members, and each level is a group of arrays."""
    images = [image for image, _ in images_of(group)]
    if not images or any(not _OF_IMAGES.isdisjoint(image) for image in images):
        return False
    found = [
        group.hierarchy.get(below(group.path) + name)
        for name in level_names(group.attributes)
        if name
    ]
    there = [node for node in found if node is not None]
    return bool(there) and all(isinstance(node, Group) for node in there)


def images_of(group: Group) -> Iterator[tuple[Mapping[str, Any], str]]:
    """Yield the images that a group describes, those that are objects, with pointers to them.

    Parameters
    ----------
    group : Group
        Any group.
    """
    given, pointer = held(group)
    scales = given.get("multiscales")
    for n, image in enumerate(scales if isinstance(scales, list) else []):
        if isinstance(image, Mapping):
            yield image, f"{pointer}/multiscales/{n}"


def levels_in(image: Mapping[str, Any], pointer: str) -> Iterator[tuple[Mapping[str, Any], str]]:
    """Yield what an image says of its levels, with pointers to it.

    Parameters
    ----------
    image : mapping
        The image.
    pointer : str
        Where it is described.
    """
    datasets = image.get("datasets")
    for n, level in enumerate(datasets[:MOST_LEVELS] if isinstance(datasets, list) else []):
        if isinstance(level, Mapping):
            yield level, f"{pointer}/datasets/{n}"


def level_arrays(
    group: Group, image: Mapping[str, Any], pointer: str
) -> Iterator[tuple[Mapping[str, Any], str, Array]]:
    """Yield the levels of an image whose arrays are there, with pointers to them.

    Parameters
    ----------
    group : Group
        The group that describes the image.
    image : mapping
        The image.
    pointer : str
        Where it is described.
    """
    for level, place in levels_in(image, pointer):
        path = level.get("path")
        if isinstance(path, str) and ".." not in path:
            node = group.hierarchy.get(below(group.path) + path.strip("/"))
            if isinstance(node, Array):
                yield level, place, node


def levels_of(group: Group) -> Iterator[Array]:
    """Yield the arrays that are levels of the images of a group.

    Parameters
    ----------
    group : Group
        A group that describes images.
    """
    for image, pointer in images_of(group):
        for _, _, array in level_arrays(group, image, pointer):
            yield array


def axes_of(image: Mapping[str, Any]) -> list[Any] | None:
    """Return the axes of an image, where it has a list of them, as until 0.5.

    Parameters
    ----------
    image : mapping
        The image.
    """
    axes = image.get("axes")
    return axes if isinstance(axes, list) and "coordinateSystems" not in image else None


@rule("OME-IMG-001", on="group", needs=("attributes",), when=is_image)
def lists_levels(group: Group) -> Iterator[Fail]:
    """Require a list of images, each with a list of levels that have paths."""
    given, pointer = held(group)
    scales, pointer = given["multiscales"], f"{pointer}/multiscales"
    if not isinstance(scales, list) or not scales:
        got = json_type(scales) if scales != [] else "an empty one"
        wrapped = isinstance(scales, Mapping)
        yield Fail(
            pointer,
            f"multiscales must be a list of images, got {got}",
            fix=(lambda _node: Draft("safe", (replace(pointer, [scales]),))) if wrapped else None,
        )
        return
    for n, image in enumerate(scales):
        if not isinstance(image, Mapping):
            yield Fail(f"{pointer}/{n}", f"an image must be an object, got {json_type(image)}")
            continue
        datasets = image.get("datasets")
        if not isinstance(datasets, list) or not datasets:
            got = "nothing" if datasets is None else json_text(datasets)
            yield Fail(f"{pointer}/{n}/datasets", f"datasets must list the levels, got {got}")
            continue
        for i, level in enumerate(datasets[:MOST_LEVELS]):
            path = level.get("path") if isinstance(level, Mapping) else None
            place, name = f"{pointer}/{n}/datasets/{i}", level_name(path)
            if path is None:
                yield Fail(place, f"level {i} has no path")
            elif not isinstance(path, str):
                why = f"the path of level {i} must be a text, got {json_text(path)}"
                fix = set_to(f"{place}/path", name, "suggest") if name is not None else None
                yield Fail(place, why, fix=fix)


@rule(
    *("OME-IMG-002", "OME-IMG-003", "OME-IMG-005", "OME-IMG-008", "OME-IMG-009"),
    on="members",
    when=is_image,
)
def levels_are_there(group: Group) -> Iterator[Fail | Undecided]:
    """Require an array for each level, with as many dimensions and channels as are described, and the largest first."""
    for image, pointer in images_of(group):
        axes = axes_of(image)
        found: list[Array] = []
        for level, place in levels_in(image, pointer):
            path = level.get("path")
            if not isinstance(path, str) or ".." in path:
                continue
            node = group.hierarchy.get(below(group.path) + path.strip("/"))
            if isinstance(node, Array):
                found.append(node)
            elif node is None:
                yield Fail(
                    f"{place}/path",
                    f"level {json_text(path)} is listed, and there is no such array",
                )
            else:
                yield Fail(f"{place}/path", f"level {json_text(path)} is a group, not an array")
        if found:
            yield from _rank(found[0], axes, pointer)
            yield from _channels(group, found[0], axes)
            if "0.2" <= version_of(group) <= "0.4":
                yield from _folders(found)
        for first, then in pairwise(found):
            if math.prod(first.shape or ()) < math.prod(then.shape or ()):
                yield Fail(
                    f"{pointer}/datasets",
                    f"the levels must go from the largest to the smallest: {first.path} comes before {then.path}, which is larger",
                    related=(first.path, then.path),
                    rule="OME-IMG-005",
                )
                break


def _rank(array: Array, axes: list[Any] | None, pointer: str) -> Iterator[Fail]:
    if axes is not None and array.shape is not None and len(axes) != len(array.shape):
        dimensions = plural(len(array.shape), "dimension")
        yield Fail(
            f"{pointer}/axes",
            f"{plural(len(axes), 'axis')} for {array.path}, which has {dimensions}",
            related=(array.path,),
            rule="OME-IMG-003",
        )


def _channels(group: Group, array: Array, axes: list[Any] | None) -> Iterator[Fail]:
    """Compare how many channels are described with how many there are."""
    given, pointer = held(group)
    channels = described(given)
    names = [axis.get("type") if isinstance(axis, Mapping) else axis for axis in axes or []]
    place = next((n for n, name in enumerate(names) if name in ("channel", "c")), None)
    if channels is None or place is None or len(names) != len(array.shape or ()):
        return
    length = (array.shape or ())[place]
    if channels and len(channels) != length:
        yield Fail(
            f"{pointer}/omero/channels",
            f"{plural(len(channels), 'channel')} {'is' if len(channels) == 1 else 'are'} described, and {array.path} has {length}:"
            " viewers that give each channel its own colors stop",
            related=(array.path,),
            rule="OME-IMG-008",
        )


def described(given: Mapping[str, Any]) -> list[Any] | None:
    """Return the channels that metadata of OME-NGFF describe.

    Parameters
    ----------
    given : mapping
        The metadata of a group.
    """
    omero = given.get("omero")
    channels = omero.get("channels") if isinstance(omero, Mapping) else None
    return channels if isinstance(channels, list) else None


def _folders(levels: list[Array]) -> Iterator[Fail]:
    """Require chunks in folders, as the text draws them since 0.2."""
    flat = [
        array
        for array in levels
        if array.zarr_format == 2
        and len(array.shape or ()) > 1
        and array.metadata.get("dimension_separator", ".") == "."
    ]
    if flat:
        yield Fail(
            flat[0].pointer("dimension_separator"),
            f"the chunks of {flat[0].path} have keys such as {'.'.join('0' * len(flat[0].shape or ()))}; those of OME-Zarr are"
            " in folders: readers that look for them there find nothing and show zeros",
            path=flat[0].path,
            fix=_in_folders,
            rule="OME-IMG-009",
        )


def _in_folders(_node: Node) -> Draft:
    return Draft(
        "suggest",
        note='write the levels again with dimension_separator "/", or rename the chunks (0.0.0 to 0/0/0) and set it in .zarray',
    )


def version_of(group: Group) -> str:
    """Return the version of the format that a group names, empty where it names none.

    Parameters
    ----------
    group : Group
        A group that describes images.
    """
    known = ome(group.attributes)
    return (known.version if known else None) or ""


@rule("OME-IMG-010", on="members", when=is_image)
def all_levels_are_listed(group: Group) -> Iterator[Fail]:
    """Note arrays beside the levels that are smaller ones of the same image."""
    images = list(images_of(group))
    levels = list(levels_of(group))
    if len(images) != 1 or not levels or levels[0].shape is None:
        return
    listed_ones = images[0][0]["datasets"]
    if not all(isinstance(member(one, "path"), str) for one in listed_ones):
        return  # OME-IMG-001: any of them may be meant
    first, known = levels[0], {level.path for level in levels}
    others = [
        array
        for array in group.arrays
        if array.path not in known and first.parent == group.path and _is_smaller(array, first)
    ]
    if others:
        names = listed([json_text(array.name) for array in others[:5]])
        more = f" and {len(others) - 5} more" if len(others) > 5 else ""
        is_, it = ("is", "it") if len(others) == 1 else ("are", "them")
        yield Fail(
            f"{images[0][1]}/datasets",
            f"{names}{more} {is_} stored like smaller levels of {first.path}, and not listed in datasets: viewers do not use {it}",
            related=tuple(array.path for array in others[:5]),
            fix=_listed_too(images[0][0], f"{images[0][1]}/datasets/-", first, others),
        )


def _listed_too(
    image: Mapping[str, Any], pointer: str, first: Array, others: list[Array]
) -> FixMaker:
    """Return the fix that lists levels, from the largest to the smallest, with scales that their lengths give."""
    steps = next(levels_in(image, ""))[0].get("coordinateTransformations")
    given = steps[0] if isinstance(steps, list) and steps else None
    scale = given.get("scale") if isinstance(given, Mapping) else None
    ordered = sorted(others, key=lambda array: -math.prod(array.shape or ()))
    entries: list[dict[str, Any]] = [{"path": array.name} for array in ordered]
    if (
        isinstance(scale, list)
        and len(scale) == len(first.shape or ())
        and all(map(is_number, scale))
    ):
        for entry, array in zip(entries, ordered, strict=True):
            lengths = zip(first.shape or (), array.shape or (), strict=True)
            longer = [largest / max(length, 1) for largest, length in lengths]
            larger = [step * ratio for step, ratio in zip(scale, longer, strict=True)]
            entry["coordinateTransformations"] = [{"type": "scale", "scale": larger}]
    note = "if they are levels of this image; the scales follow from the lengths: check them"
    return lambda _node: Draft("suggest", tuple(add(pointer, entry) for entry in entries), note)


def _is_smaller(array: Array, level: Array) -> bool:
    """Whether an array may be a smaller level of an image: of its type, and nowhere longer."""
    shape, largest = array.shape, level.shape or ()
    if shape is None or len(shape) != len(largest) or array.data_type.name != level.data_type.name:
        return False
    return math.prod(shape) < math.prod(largest) and all(
        length <= most for length, most in zip(shape, largest, strict=True)
    )


@rule("OME-VER-001", on="group", needs=("attributes",), formats=(3,), when=is_image)
def metadata_in_their_place(group: Group) -> Iterator[Fail]:
    """Require the metadata below ``ome`` in Zarr v3."""
    placed = any(
        "coordinateTransformations" in level
        for image, pointer in images_of(group)
        for level, _ in levels_in(image, pointer)
    )
    if isinstance(group.attributes.get("ome"), Mapping) or not placed:
        return
    yield Fail(
        group.attribute_pointer("multiscales"),
        'the metadata of OME-Zarr 0.5, which is the first on Zarr v3, are below "ome"; not every reader looks for them at the top',
        fix=_below_ome,
    )


def _has_version(group: Group) -> bool:
    attributes = group.attributes
    if attributes.keys().isdisjoint(_VERSIONED):
        return False
    return ome(attributes) is not None


@rule("OME-VER-002", on="group", needs=("attributes",), when=_has_version)
def version_is_text(group: Group) -> Iterator[Fail]:
    """Require the version of the format to be a text."""
    given, pointer = held(group)
    # an attribute version beside older metadata may be anybody's
    own = [(given, pointer)] if isinstance(group.attributes.get("ome"), Mapping) else []
    places: list[tuple[Any, str]] = [*own, *images_of(group)]
    places += [(given.get(name), f"{pointer}/{name}") for name in _VERSIONED[1:]]
    if own and "version" not in given:
        yield Fail(
            f"{pointer}/version",
            'the metadata below "ome" have no version: readers that check it refuse the group',
            fix=lambda _node: Draft("suggest", (add(f"{pointer}/version", "0.5"),)),
        )
    if group.zarr_format == 2 and not version_of(group):
        for image, place in images_of(group):
            if any(isinstance(axis, Mapping) for axis in axes_of(image) or []):
                yield Fail(
                    f"{place}/version",
                    "the image has no version: some viewers, Neuroglancer among them, then do not take it for one",
                    severity="info",
                    impact="advice",
                    fix=_with_version(f"{place}/version"),
                )
    for about, place in places:
        version = about.get("version", "") if isinstance(about, Mapping) else ""
        if isinstance(version, str):
            continue
        fix = None
        if not isinstance(version, bool) and isinstance(version, int | float):
            fix = set_to(f"{place}/version", str(version))
        told = f'version must be a text such as "0.5", got {json_text(version)}'
        yield Fail(f"{place}/version", told, fix=fix)


def _with_version(pointer: str) -> FixMaker:
    note = "axes with names and types are those of 0.4, the last version on Zarr v2"
    return lambda _node: Draft("suggest", (add(pointer, "0.4"),), note)


def _below_ome(node: Node) -> Draft:
    members = [name for name in ("multiscales", "omero", "image-label") if name in node.attributes]
    version = {"version": "0.5"}
    return Draft(
        "suggest",
        (
            {"op": "add", "path": node.attribute_pointer("ome"), "value": version},
            *(
                move(node.attribute_pointer(name), node.attribute_pointer("ome", name))
                for name in members
            ),
        ),
    )
