"""OME: units of axes, and whether the scales of levels fit the lengths of their arrays (OME-NGFF 0.4 and 0.5)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from operator import gt
from typing import Any

from nz_explorer.conventions.ome.images import axes_of, images_of, is_image, left_out, level_arrays
from nz_explorer.documents.json_text import json_text
from nz_explorer.engine.findings import Fail
from nz_explorer.engine.registry import rule
from nz_explorer.model import Group

SAME = 0.01
"""By how much the scales of levels that are equally long may differ, for they are often rounded."""
ROUGHLY = 1.5
"""By what factor a scale may miss what the lengths say: some writers round lengths, others fill up the last chunk."""


@rule("OME-IMG-011", on="group", needs=("attributes",), when=is_image)
def units_are_texts(group: Group) -> Iterator[Fail]:
    """Require units of axes to be texts; what is not known is left out."""
    for image, pointer in images_of(group):
        for n, axis in enumerate(axes_of(image) or []):
            unit = axis.get("unit", "") if isinstance(axis, Mapping) else ""
            if not isinstance(unit, str):
                place = f"{pointer}/axes/{n}/unit"
                yield Fail(
                    place,
                    f"the unit of axis {json_text(axis.get('name'))} must be a text such as micrometer, or be left out,"
                    f" got {json_text(unit)}: viewers that check it, such as Neuroglancer, show nothing",
                    fix=left_out(place),
                )


@rule("OME-IMG-012", on="members", when=is_image)
def scales_fit_lengths(group: Group) -> Iterator[Fail]:
    """Require a pixel of a level to be as many times larger as there are fewer of them."""
    for image, pointer in images_of(group):
        axes = axes_of(image) or []
        first: tuple[list[Any], tuple[int, ...]] | None = None
        for level, place, array in level_arrays(group, image, pointer):
            scale, shape = _scale(level), array.shape or ()
            if scale is None or not len(scale) == len(shape) == len(axes):
                continue
            if first is None:
                first = scale, shape
                continue
            if any(map(gt, shape, first[1])):
                break  # which is not their order
            wrong = [
                n
                for n in range(len(axes))
                if not _fits(scale[n], first[0][n], shape[n], first[1][n])
            ]
            if wrong:
                n = wrong[0]
                name = axes[n].get("name") if isinstance(axes[n], Mapping) else axes[n]
                yield Fail(
                    f"{place}/coordinateTransformations/0/scale/{n}",
                    f"the scale of axis {json_text(name)} is {json_text(first[0][n])} for {first[1][n]} pixels at the first level,"
                    f" and {json_text(scale[n])} for {shape[n]} at {array.path}: the two levels are not equally large",
                    related=(array.path,),
                )
                break  # the others are mostly made in the same way


def _scale(level: Mapping[str, Any]) -> list[Any] | None:
    """Return the scale of a level, where it is the first step and numbers throughout."""
    steps = level.get("coordinateTransformations")
    step = steps[0] if isinstance(steps, list) and steps else None
    scale = step.get("scale") if isinstance(step, Mapping) else None
    if not isinstance(scale, list):
        return None
    numbers = all(isinstance(n, int | float) and not isinstance(n, bool) and n for n in scale)
    return scale if numbers else None


def _fits(scale: float, first: float, length: int, longest: int) -> bool:
    """Whether the scale of an axis is that of the first level times how many fewer pixels there are."""
    ratio = scale / first
    if length == longest:
        return abs(ratio - 1) <= SAME
    if length < 1:
        return True
    fewest, most = longest / (length + 1), longest / max(length - 1, 0.5)
    return fewest / ROUGHLY <= ratio <= most * ROUGHLY
