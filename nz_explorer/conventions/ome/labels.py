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
from nz_explorer.documents.json_text import json_text
from nz_explorer.engine.findings import Fail, Undecided
from nz_explorer.engine.fixes import Draft, add, remove
from nz_explorer.engine.registry import rule
from nz_explorer.model import Group, Node
from nz_explorer.model.paths import below


def _lists_labels(group: Group) -> bool:
    """Whether a group is the one below an image that lists its labels."""
    attributes = group.attributes
    if group.name != "labels" or ("labels" not in attributes and "ome" not in attributes):
        return False
    return isinstance(held(group)[0].get("labels"), list)


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
