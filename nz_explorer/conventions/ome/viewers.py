"""OME: what the format allows, and common viewers do not show (OME-NGFF 0.4 and 0.5, section multiscales)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from nz_explorer.conventions.ome.images import (
    axes_of,
    held,
    images_of,
    is_image,
    level_arrays,
    levels_in,
)
from nz_explorer.conventions.zarr3.nodes import is_number, numbers_of
from nz_explorer.documents.json_text import json_text
from nz_explorer.engine.findings import Fail, FixMaker
from nz_explorer.engine.fixes import Draft, remove, replace
from nz_explorer.engine.registry import rule
from nz_explorer.model import Array, Group, Node
from nz_explorer.text.phrases import listed

NOT_SHOWN = frozenset(("int64", "float16", "float64", "bool", "complex64", "complex128"))
"""Data types of numbers that Neuroglancer does not show; Viv and WEBKNOSSOS show fewer still."""


@rule("OME-IMG-013", on="members", when=is_image)
def data_type_is_shown(group: Group) -> Iterator[Fail]:
    """Note data types that viewers in browsers do not show."""
    for image, pointer in images_of(group):
        for _, _, array in level_arrays(group, image, pointer):
            if (name := array.data_type.name) in NOT_SHOWN:
                yield Fail(
                    array.pointer("data_type" if array.zarr_format == 3 else "dtype"),
                    f"the values of {array.path} are {name}: Neuroglancer and other viewers in browsers do not show images of"
                    " this type",
                    path=array.path,
                    fix=_of_another_type,
                )
            break  # levels are of one type


def _of_another_type(_node: Node) -> Draft:
    return Draft("suggest", note="write the levels again as float32, or labels as uint32")


@rule("OME-IMG-014", on="group", needs=("attributes",), when=is_image)
def one_image_is_shown(group: Group) -> Iterator[Fail]:
    """Note further images in a group: viewers show the first."""
    places = [pointer for _, pointer in images_of(group)]
    if len(places) > 1:
        yield Fail(
            places[1],
            f"multiscales lists {len(places)} images: viewers such as napari, vizarr and Neuroglancer show the first, and no other",
            fix=lambda _node: Draft("suggest", note="put each image into a group of its own"),
        )


@rule("OME-IMG-015", on="group", needs=("attributes",), when=is_image)
def levels_tell_their_size(group: Group) -> Iterator[Fail]:
    """Note sizes of pixels that only the transformation for all levels tells."""
    for image, pointer in images_of(group):
        shared = image.get("coordinateTransformations")
        step = shared[0] if isinstance(shared, list) and len(shared) == 1 else None
        scale = _scale(step)
        if scale is not None and any(number != 1 for number in scale):
            place = f"{pointer}/coordinateTransformations"
            yield Fail(
                f"{place}/0/scale",
                f"the scale {json_text(scale)} is told for all levels together: napari-ome-zarr looks at the levels alone, and"
                " shows other sizes",
                fix=_multiplied(image, pointer, scale),
            )


def _scale(step: Any) -> list[float] | None:
    return numbers_of(step.get("scale")) if isinstance(step, Mapping) else None


def _multiplied(image: Mapping[str, Any], pointer: str, shared: list[float]) -> FixMaker | None:
    """Return the fix that gives each level the scale for all of them, where each has one and nothing else."""
    operations = []
    for level, place in levels_in(image, pointer):
        steps = level.get("coordinateTransformations")
        scale = _scale(steps[0] if isinstance(steps, list) and len(steps) == 1 else None)
        if scale is None or len(scale) != len(shared):
            return None
        product = [one * other for one, other in zip(scale, shared, strict=True)]
        operations.append(replace(f"{place}/coordinateTransformations/0/scale", product))
    operations.append(remove(f"{pointer}/coordinateTransformations"))
    return lambda _node: Draft("suggest", tuple(operations))


def _holds_no_image(group: Group) -> bool:
    given = held(group)[0]
    return group.path == "/" and given.keys().isdisjoint(("multiscales", "plate", "well"))


@rule("OME-IMG-016", on="members", when=_holds_no_image)
def image_is_at_the_root(group: Group) -> Iterator[Fail]:
    """Note images one level below the root, where not every reader looks for them."""
    inside = [child for child in group.groups if is_image(child)]
    if inside:
        names = listed([json_text(child.name) for child in inside[:5]])
        more = f" and {len(inside) - 5} more" if len(inside) > 5 else ""
        is_, it = ("the image is", "it") if len(inside) == 1 else ("images are", "one of them")
        yield Fail(
            "",
            f"{is_} in {names}{more}, not at the root: readers that do not know the layout of bioformats2raw find none,"
            f" and are to be given {it}",
            related=tuple(child.path for child in inside[:5]),
            fix=lambda _node: Draft(
                "suggest",
                note=f"give such readers the address of the image, which ends in {inside[0].path}",
            ),
        )


def _shows_values(group: Group) -> bool:
    """Whether a group is an image of what was measured, and not one of labels."""
    return is_image(group) and "image-label" not in held(group)[0]


@rule("OME-IMG-017", on="members", when=_shows_values)
def bytes_have_no_sign(group: Group) -> Iterator[Fail]:
    """Note images of signed bytes: most are of unsigned ones, written by a program whose bytes have a sign."""
    for image, pointer in images_of(group):
        for _, _, array in level_arrays(group, image, pointer):
            if array.data_type.name == "int8":
                member = "data_type" if array.zarr_format == 3 else "dtype"
                yield Fail(
                    array.pointer(member),
                    f"the values of {array.path} are int8, as hardly any image is: where those above 127 were meant, readers"
                    " show negative ones",
                    path=array.path,
                    fix=_as_unsigned(array, member),
                )


def _as_unsigned(array: Array, member: str) -> FixMaker | None:
    fill = array.metadata.get("fill_value")
    if is_number(fill) and fill < 0:
        return None  # which is no value of uint8
    right = "uint8" if array.zarr_format == 3 else "|u1"
    note = "if bright pixels are negative now: the stored bytes are the same"
    operation = replace(array.pointer(member), right)
    return lambda _node: Draft("unsafe", (operation,), note, node=array)


@rule("OME-IMG-018", on="members", when=_shows_values)
def levels_have_all_planes(group: Group) -> Iterator[Fail]:
    """Note levels with fewer planes along z than the first."""
    for image, pointer in images_of(group):
        names = [
            axis.get("name") if isinstance(axis, Mapping) else axis for axis in axes_of(image) or []
        ]
        levels = [array for _, _, array in level_arrays(group, image, pointer)]
        shapes = [array.shape for array in levels if array.shape and len(array.shape) == len(names)]
        if "z" not in names or len(shapes) != len(levels):
            continue
        counts = [shape[names.index("z")] for shape in shapes]
        if min(counts, default=0) != max(counts, default=0):
            yield Fail(
                f"{pointer}/datasets",
                f"levels have {listed([str(count) for count in counts])} planes along z: viewers such as vizarr and Avivator"
                " look for as many in each as in the first, and show no others",
                fix=lambda _node: Draft(
                    "suggest",
                    note="for such viewers write levels that are smaller along y and x alone",
                ),
            )
