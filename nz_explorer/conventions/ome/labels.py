"""OME: label images, and the list that leads to them (OME-NGFF 0.4 and 0.5, section labels)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from nz_explorer.conventions.ome.images import (
    axes_of,
    held,
    images_of,
    is_image,
    level_arrays,
    levels_of,
)
from nz_explorer.conventions.ome.scales import scale_of
from nz_explorer.documents.json_text import json_text
from nz_explorer.engine.findings import Fail, FixMaker, Undecided
from nz_explorer.engine.fixes import Draft, add, remove, set_attribute
from nz_explorer.engine.registry import rule
from nz_explorer.model import Group, Node
from nz_explorer.model.paths import below


def _lists_labels(group: Group) -> bool:
    """Whether a group is the one below an image that lists its labels."""
    return group.name == "labels" and isinstance(held(group)[0].get("labels"), list)


@rule("OME-LABEL-001", on="members", when=_lists_labels)
def labels_are_there(group: Group) -> Iterator[Fail | Undecided]:
    """Require a group for each label image in the list, and an entry for each label image that is stored."""
    given, pointer = held(group)
    names: list[Any] = given["labels"]
    pointer = f"{pointer}/labels"
    for n, name in enumerate(names):
        path = name.strip("/") if isinstance(name, str) else ""
        if not path or ".." in path or not _is_group(group, path):
            yield Fail(
                f"{pointer}/{n}",
                f"the label image {json_text(name)} is listed, and there is no such group",
                readers={
                    "napari-ome-zarr": "since 0.11 raises KeyError, and does not open the image either"
                },
                fix=_without(f"{pointer}/{n}"),
            )
    if group.children is None:
        yield Undecided("listing")
        return
    for child in group.groups:
        if is_image(child) and child.name not in names:
            yield Fail(
                pointer,
                f"the label image {json_text(child.name)} is stored, and not listed: viewers do not show it",
                related=(child.path,),
                fix=_listed_too(f"{pointer}/-", child.name),
            )


@rule("OME-LABEL-001", on="members", when=_lists_labels)
def image_is_described(group: Group) -> Iterator[Fail]:
    """Note label images of an image without omero, which one viewer then passes over."""
    image, names = image_above(group), held(group)[0]["labels"]
    shown = any(child.name in names for child in group.groups if is_image(child))
    if image is None or "omero" in held(image)[0] or not shown:
        return
    yield Fail(
        held(image)[1],
        "the image has labels and no omero: vizarr (2025) shows no labels then",
        path=image.path,
        related=(group.path,),
        severity="info",
        impact="advice",
        readers={"vizarr": "shows the image, and none of its labels (2025)"},
        fix=lambda _node: Draft(
            "suggest",
            note="describe the channels in omero: a label, a color and a window for each",
        ),
    )


def _lists_none(group: Group) -> bool:
    """Whether a group is where an image has its labels, and does not say which there are."""
    return (
        group.name == "labels" and "labels" not in held(group)[0] and image_above(group) is not None
    )


def image_above(group: Group) -> Group | None:
    """Return the image that a group belongs to, where it is directly in it and described."""
    above = group.hierarchy.node_if_loaded(group.parent or "/")
    return above if isinstance(above, Group) and is_image(above) else None


@rule("OME-LABEL-001", on="members", when=_lists_none)
def labels_are_listed(group: Group) -> Iterator[Fail]:
    """Require the list, too, where there are label images."""
    names = [child.name for child in group.groups if is_image(child)]
    if names:
        yield Fail(
            held(group)[1],
            f"there is no list of the label images, and {json_text(names[0])} is stored: viewers do not show it",
            related=tuple(f"{group.path}/{name}" for name in names[:5]),
            fix=_listed(names),
        )


def _listed(names: list[str]) -> FixMaker:
    def fix(node: Node) -> Draft:
        above = image_above(node) if isinstance(node, Group) else None
        version = held(above)[0].get("version", "0.5") if above is not None else "0.5"
        if node.zarr_format == 3 and "ome" not in node.attributes:
            return Draft(
                "suggest", set_attribute(node, "ome", {"version": version, "labels": names})
            )
        if node.zarr_format == 3:
            return Draft("suggest", (add(f"{held(node)[1]}/labels", names),))
        return Draft("suggest", set_attribute(node, "labels", names))

    return fix


def _is_group(group: Group, path: str) -> bool:
    return isinstance(group.hierarchy.get(below(group.path) + path), Group)


def _without(pointer: str) -> Any:
    note = "then the other label images can be read; or upload this one again"
    return lambda _node: Draft("suggest", (remove(pointer),), note)


def _listed_too(pointer: str, name: str) -> Any:
    return lambda _node: Draft("suggest", (add(pointer, name),))


def _is_label(group: Group) -> bool:
    return is_image(group) and _of_labels(group)


def _of_labels(group: Node) -> bool:
    above = None if group.parent is None else group.parent.rpartition("/")[2]
    return "image-label" in held(group)[0] or above == "labels"


@rule("OME-LABEL-002", on="members", when=_is_label)
def labels_are_integers(group: Group) -> Iterator[Fail]:
    """Require label images of an integer type: their values are names of objects."""
    for level in levels_of(group):
        if level.data_type.kind in ("float", "complex"):
            name = level.data_type.name
            yield Fail(
                level.pointer("data_type" if level.zarr_format == 3 else "dtype"),
                f"the values of label images are integers, and {level.path} is {name}: readers that check it refuse the image",
                path=level.path,
                fix=_as_integers,
            )


def _as_integers(_node: Node) -> Draft:
    return Draft("suggest", note="write the levels again as integers, such as uint32")


@rule("OME-LABEL-003", on="members", when=_is_label)
def labels_have_one_channel(group: Group) -> Iterator[Fail]:
    """Note label images of several channels, of which viewers show one, or none."""
    for image, pointer in images_of(group):
        axes = axes_of(image) or []
        kinds = [axis.get("type") if isinstance(axis, Mapping) else axis for axis in axes]
        place = next((n for n, kind in enumerate(kinds) if kind in ("channel", "c")), None)
        first = next((array for _, _, array in level_arrays(group, image, pointer)), None)
        if place is None or first is None or len(first.shape or ()) != len(axes):
            continue
        if (count := (first.shape or ())[place]) > 1:
            yield Fail(
                f"{pointer}/axes/{place}",
                f"the label image has {count} channels: viewers lay one label over all channels, and napari-ome-zarr stops at it",
                related=(first.path,),
                fix=lambda _node: Draft("suggest", note="write a label image for each channel"),
            )


@rule("OME-LABEL-004", on="members", when=_is_label)
def labels_fit_the_image(group: Group) -> Iterator[Fail]:
    """Require that label images end where their image does along each axis, or have one place there."""
    image = _labelled(group)
    described = None if image is None else next(images_of(image), None)
    if image is None or described is None:
        return
    for label, pointer in images_of(group):
        own, others = _extents(group, label, pointer), _extents(image, *described)
        for axis, (length, size) in own.items():
            there, other = others.get(axis, (length, size))
            # labels of coarser pixels, such as those of a smaller level, may end within a pixel of them
            if length not in (1, there) and abs(length * size - there * other) > max(size, other):
                yield Fail(
                    f"{pointer}/datasets",
                    f"the label image has {length} places along {axis}, and its image {there}: viewers lay it over the wrong"
                    " place, or show planes that the image does not have",
                    related=(image.path,),
                    fix=_fits,
                )


def _labelled(group: Group) -> Group | None:
    """Return the image that a label image in its folder of labels belongs to."""
    folder = group.hierarchy.node_if_loaded(group.parent or "/")
    return image_above(folder) if isinstance(folder, Group) and folder.name == "labels" else None


def _extents(group: Group, image: Mapping[str, Any], pointer: str) -> dict[str, tuple[int, float]]:
    """Return how many pixels the first level of an image has along axes of space and time, and how large they are.

    Nothing where the level is moved, or its pixels have no size.
    """
    axes = axes_of(image) or []
    names = [axis.get("name") if isinstance(axis, Mapping) else axis for axis in axes]
    level, _, array = next(iter(level_arrays(group, image, pointer)), ({}, "", None))
    steps, sizes = level.get("coordinateTransformations"), scale_of(level)
    if array is None or not isinstance(steps, list) or len(steps) != 1 or sizes is None:
        return {}
    if not len(names) == len(sizes) == len(array.shape or ()):
        return {}
    return {
        name: (length, abs(size))
        for name, length, size in zip(names, array.shape or (), sizes, strict=True)
        if isinstance(name, str) and name != "c"
    }


def _fits(_node: Node) -> Draft:
    return Draft(
        "suggest",
        note="write the label image with the axes of its image, without those that are one place long",
    )
