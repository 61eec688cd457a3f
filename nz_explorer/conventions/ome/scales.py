"""OME: sizes of pixels: units of axes, and scales of levels, which fit the lengths of their arrays (OME-NGFF 0.4 and 0.5)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from operator import gt
from typing import Any

from nz_explorer.conventions.ome.images import (
    BY_NAPARI,
    axes_of,
    images_of,
    is_image,
    level_arrays,
    levels_in,
    version_of,
)
from nz_explorer.conventions.zarr3.nodes import is_finite, is_number, numbers_of, set_to
from nz_explorer.documents.json_text import json_text
from nz_explorer.documents.json_types import json_type
from nz_explorer.engine.findings import Fail, FixMaker
from nz_explorer.engine.fixes import Draft, add, move, remove, replace
from nz_explorer.engine.registry import rule
from nz_explorer.model import Group
from nz_explorer.text.phrases import listed, plural

# fmt: off
_PREFIXES = (
    "yocto", "zepto", "atto", "femto", "pico", "nano", "micro", "milli", "centi", "deci",
    "hecto", "kilo", "mega", "giga", "tera", "peta", "exa", "zetta", "yotta",
)
# fmt: on
UNITS = {
    "space": (
        "micrometer",
        "meter",
        *(f"{prefix}meter" for prefix in _PREFIXES),
        *("angstrom", "foot", "inch", "mile", "parsec", "yard"),
    ),
    "time": (
        "second",
        *(f"{prefix}second" for prefix in _PREFIXES),
        *("minute", "hour", "day"),
    ),
}
"""Units of axes by their type, those of OME-NGFF 0.4 and 0.5, the usual one first."""
UNSUPPORTED = 'Error parsing "axes" property: Error parsing "unit" property: Unsupported unit'
"""What Neuroglancer says of a unit that it does not know."""
_KNOWN_AS = {
    **dict.fromkeys(
        ("µm", "μm", "um", "micron", "microns", "micrometers", "micrometre"), "micrometer"
    ),
    **dict.fromkeys(("nm", "nanometers", "nanometre"), "nanometer"),
    **dict.fromkeys(("mm", "millimeters", "millimetre"), "millimeter"),
    "cm": "centimeter",
    "m": "meter",
    "meters": "meter",
    "metre": "meter",
    "pm": "picometer",
    **dict.fromkeys(("Å", "Å", "A", "angstroms", "Angstrom", "Ångström"), "angstrom"),
    **dict.fromkeys(("s", "sec", "seconds"), "second"),
    "ms": "millisecond",
    "milliseconds": "millisecond",
    "us": "microsecond",
    "µs": "microsecond",
    "min": "minute",
    "minutes": "minute",
    "h": "hour",
    "hours": "hour",
    "days": "day",
}
"""What units of the format are called by others."""
_NO_UNITS = frozenset(
    ("", "pixel", "pixels", "px", "voxel", "none", "null", "unknown", "arbitrary")
)
"""What says that there is no unit, in lower case."""
FAR = 1.5
"""By how many of its pixels a level may begin elsewhere than the first: half of one where their centres are told."""
SAME = 0.01
"""By how much the scales of levels that are equally long may differ, for they are often rounded."""
ROUGHLY = 1.5
"""By what factor a scale may miss what the lengths say: some writers round lengths, others fill up the last chunk."""


_OF_ANOTHER_LENGTH = {
    "iohub": "raises ValueError when it is asked for the scale, or when it opens the image RuntimeError: Length of scale"
    " transformation does not match data dimension",
    **BY_NAPARI,
}


@rule("OME-IMG-006", on="group", needs=("attributes",), when=is_image)
def levels_are_placed(group: Group) -> Iterator[Fail]:
    """Require one scale for each level, with a number for each axis, and then perhaps a translation."""
    for image, pointer in images_of(group):
        axes = axes_of(image)
        if image.get("coordinateTransformations") == []:
            place = f"{pointer}/coordinateTransformations"
            yield Fail(
                place,
                "coordinateTransformations of the image is an empty list: it lists what all levels share, and may be left out,"
                " not empty",
                severity="warning",
                fix=_left_out(place),
            )
        if axes is None or not any(isinstance(axis, Mapping) for axis in axes):
            continue  # 0.3 has axes as names, and no scales
        yield from _shared(image, pointer, axes)
        bare = []
        for n, (level, place) in enumerate(levels_in(image, pointer)):
            steps = level.get("coordinateTransformations")
            where = f"{place}/coordinateTransformations"
            if not isinstance(steps, list) or not steps:
                bare.append((n, where))
                continue
            kinds = [
                step.get("type") if isinstance(step, Mapping) else json_type(step) for step in steps
            ]
            if kinds[:1] != ["scale"] or kinds[1:] not in ([], ["translation"]):
                got = listed([str(kind) for kind in kinds]) or "nothing"
                yield Fail(
                    where,
                    f"level {n} needs one scale, and may have a translation after it; got {got}",
                )
                continue
            for i, step in enumerate(steps):
                yield from _numbers_of(step, f"{where}/{i}/{step['type']}", n, axes)
        if bare and version_of(group) >= "0.4":
            which = listed([str(n) for n, _ in bare])
            yield Fail(
                bare[0][1],
                f"{'level' if len(bare) == 1 else 'levels'} {which} {'has' if len(bare) == 1 else 'have'} no scale:"
                " some viewers show the image and know no sizes, others refuse it",
                severity="info",
                impact="advice",
                readers=BY_NAPARI,
            )


def _shared(image: Mapping[str, Any], pointer: str, axes: list[Any]) -> Iterator[Fail]:
    """Require a number for each axis in what all levels share."""
    steps = image.get("coordinateTransformations")
    for i, step in enumerate(steps if isinstance(steps, list) else []):
        kind = step.get("type") if isinstance(step, Mapping) else None
        numbers = step.get(kind) if kind in ("scale", "translation") else None
        if isinstance(numbers, list) and len(numbers) != len(axes):
            yield Fail(
                f"{pointer}/coordinateTransformations/{i}/{kind}",
                f"the {kind} of the image has {plural(len(numbers), 'number')} for {plural(len(axes), 'axis')}",
                readers=_OF_ANOTHER_LENGTH,
            )


def _numbers_of(
    step: Mapping[str, Any], pointer: str, level: int, axes: list[Any]
) -> Iterator[Fail]:
    """Require a number for each axis in a step that places a level; what is multiplied is not 0."""
    kind = step["type"]
    numbers = step.get(kind)
    if not isinstance(numbers, list):
        return  # it may be in an array that a path leads to
    if len(numbers) != len(axes):
        yield Fail(
            pointer,
            f"the {kind} of level {level} has {plural(len(numbers), 'number')} for {plural(len(axes), 'axis')}",
            readers=_OF_ANOTHER_LENGTH,
        )
        return
    for place, (number, axis) in enumerate(zip(numbers, axes, strict=True)):
        if is_number(number) and (number or kind != "scale"):
            continue
        must = "not be 0" if is_number(number) else "be a number"
        yield Fail(
            f"{pointer}/{place}",
            f"the {kind} of axis {json_text(_name(axis))} at level {level} must {must}, got {json_text(number)}: viewers cannot place the level",
            severity="warning" if is_number(number) else None,
            fix=_as_numbers(pointer, numbers, place),
        )
        return  # the others are mostly made in the same way


def _as_numbers(pointer: str, numbers: list[Any], place: int) -> FixMaker | None:
    """Return the fix that makes numbers of texts, or the length of one step of nothing."""
    if numbers[place] == 0:
        note = "1 is the usual scale of an axis without steps"
        return set_to(f"{pointer}/{place}", 1.0, "suggest", note)
    read = {n: _number_in(one) for n, one in enumerate(numbers) if isinstance(one, str)}
    if not read.get(place) or None in read.values():
        return None
    patch = tuple(replace(f"{pointer}/{n}", number) for n, number in read.items())
    note = "at all levels; the scales of smaller ones are multiples of the first"
    return lambda _node: Draft("suggest", patch, note)


def _number_in(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _left_out(pointer: str) -> FixMaker:
    """Return the fix that takes a member away."""
    return lambda _node: Draft("safe", (remove(pointer),))


@rule("OME-IMG-011", on="group", needs=("attributes",), when=is_image)
def units_are_known(group: Group) -> Iterator[Fail]:
    """Require units of axes to be those of the format, where viewers look for them; what is not known is left out."""
    for image, pointer in images_of(group):
        for n, axis in enumerate(axes_of(image) or []):
            if isinstance(axis, Mapping):
                yield from _unit(axis, f"{pointer}/axes/{n}")
        yield from _misplaced(image, pointer)
        yield from _without_units(image, pointer)


def _unit(axis: Mapping[str, Any], place: str) -> Iterator[Fail]:
    name, kind = json_text(axis.get("name")), axis.get("type")
    if "unit" not in axis:
        if isinstance(axis.get("units"), str):
            yield Fail(
                f"{place}/units",
                f"axis {name} has units, and the format calls it unit: viewers do not look there, and show no sizes",
                impact="convention",
                readers={},
                fix=lambda _node: Draft("safe", (move(f"{place}/units", f"{place}/unit"),)),
            )
        return
    unit = axis["unit"]
    if not isinstance(unit, str):
        wrong = "must be a text such as micrometer, or be left out, got"
    elif isinstance(kind, str) and kind in UNITS and unit not in UNITS[kind]:
        wrong = f"must be one of OME-Zarr, such as {UNITS[kind][0]}, or be left out where there is none, got"
    else:
        return
    known = _KNOWN_AS.get(unit.strip()) if isinstance(unit, str) else None
    is_none = not isinstance(unit, str) or unit.strip().lower() in _NO_UNITS
    place = f"{place}/unit"
    yield Fail(
        place,
        f"the unit of axis {name} {wrong} {json_text(unit)}: viewers that check it, such as Neuroglancer, show nothing",
        impact="convention",
        readers={"Neuroglancer": f"raises an error: {UNSUPPORTED}: {json_text(unit)}"},
        fix=set_to(place, known)
        if known
        else _left_out(place)
        if is_none
        else _nearest(place, unit, UNITS[str(kind)]),
    )


def _nearest(place: str, unit: str, units: tuple[str, ...]) -> FixMaker:
    """Return the fix for a unit that the format does not have: the one that is spelled nearly so, or none."""
    near = get_close_matches(unit.strip().lower(), units, 1, 0.8)
    if near:
        return set_to(place, near[0], "suggest")
    note = "then the axis has no unit; if the format has this unit by another name, write that one"
    return lambda _node: Draft("unsafe", (remove(place),), note)


def _without_units(image: Mapping[str, Any], pointer: str) -> Iterator[Fail]:
    """Note pixels whose size is told, and not in which unit."""
    axes = [axis if isinstance(axis, Mapping) else {} for axis in axes_of(image) or []]
    spaces = [n for n, axis in enumerate(axes) if axis.get("type") == "space"]
    first = next(levels_in(image, pointer), None)
    scale = None if first is None else scale_of(first[0])
    if not spaces or scale is None or len(scale) != len(axes):
        return
    if all(scale[n] == 1 for n in spaces) or any(
        "unit" in axes[n] or "units" in axes[n] for n in spaces
    ):
        return
    sizes = listed([json_text(scale[n]) for n in spaces])
    yield Fail(
        f"{pointer}/axes",
        f"pixels are {sizes} large, and no axis of space has a unit: viewers give sizes in pixels, or in units of their own",
        severity="info",
        readers={},
        fix=_micrometers(pointer, spaces),
    )


def _micrometers(pointer: str, spaces: list[int]) -> FixMaker:
    """Return the fix that gives axes of space the unit in which most microscopes tell sizes."""
    operations = tuple(add(f"{pointer}/axes/{n}/unit", "micrometer") for n in spaces)
    note = "if the sizes are in micrometers, as most are; else write the unit that they are in"
    return lambda _node: Draft("suggest", operations, note)


def _misplaced(image: Mapping[str, Any], pointer: str) -> Iterator[Fail]:
    """Fail where a unit is with the numbers of a level."""
    for level, place in levels_in(image, pointer):
        steps = level.get("coordinateTransformations")
        for n, step in enumerate(steps if isinstance(steps, list) else []):
            if isinstance(step, Mapping) and isinstance(unit := step.get("unit"), str):
                yield Fail(
                    f"{place}/coordinateTransformations/{n}/unit",
                    f"the unit {json_text(unit)} is in a transformation, and the format has it in axes: viewers do not look"
                    " here, and show no sizes",
                    impact="convention",
                    readers={},
                    fix=_to_axes(image, pointer, unit),
                )
                return


def _to_axes(image: Mapping[str, Any], pointer: str, unit: str) -> FixMaker:
    """Return the fix that gives axes of space the unit of transformations."""
    name = _KNOWN_AS.get(unit.strip(), unit)
    operations = [
        add(f"{pointer}/axes/{n}/unit", name)
        for n, axis in enumerate(axes_of(image) or [])
        if isinstance(axis, Mapping) and axis.get("type") == "space" and "unit" not in axis
    ]
    for level, place in levels_in(image, pointer):
        steps = level.get("coordinateTransformations")
        operations += [
            remove(f"{place}/coordinateTransformations/{n}/unit")
            for n, step in enumerate(steps if isinstance(steps, list) else [])
            if isinstance(step, Mapping) and "unit" in step
        ]
    return lambda _node: Draft("suggest", tuple(operations))


@rule("OME-IMG-012", on="members", when=is_image)
def scales_fit_lengths(group: Group) -> Iterator[Fail]:
    """Require a pixel of a level to be as many times larger as there are fewer of them."""
    for image, pointer in images_of(group):
        axes = axes_of(image) or []
        first: tuple[list[Any], tuple[int, ...]] | None = None
        start: list[Any] | None = None
        for level, place, array in level_arrays(group, image, pointer):
            scale, shape = scale_of(level), array.shape or ()
            if scale is None or not len(scale) == len(shape) == len(axes):
                continue
            if first is None:
                first, start = (scale, shape), _translation(level, len(axes))
                continue
            if any(map(gt, shape, first[1])):
                break  # which is not their order
            wrong = [
                n
                for n in range(len(axes))
                if not _fits(scale[n], first[0][n], shape[n], first[1][n])
            ]
            if wrong:
                n, name = wrong[0], _name(axes[wrong[0]])
                yield Fail(
                    f"{place}/coordinateTransformations/0/scale/{n}",
                    f"the scale of axis {json_text(name)} is {json_text(first[0][n])} for {first[1][n]} pixels at the first level,"
                    f" and {json_text(scale[n])} for {shape[n]} at {array.path}: the two levels are not equally large",
                    related=(array.path,),
                )
                break  # the others are mostly made in the same way
            begin = _translation(level, len(axes))
            if start is None or begin is None:
                continue
            apart = [n for n in range(len(axes)) if abs(begin[n] - start[n]) > FAR * abs(scale[n])]
            if apart:
                n, name = apart[0], _name(axes[apart[0]])
                yield Fail(
                    f"{place}/coordinateTransformations",
                    f"axis {json_text(name)} begins at {json_text(start[n])} at the first level, and at {json_text(begin[n])} at"
                    f" {array.path}: viewers draw the two levels in different places",
                    related=(array.path,),
                )
                break


def _name(axis: Any) -> Any:
    return axis.get("name") if isinstance(axis, Mapping) else axis


def _translation(level: Mapping[str, Any], rank: int) -> list[Any] | None:
    """Return where a level begins, which is at 0 if nothing says otherwise; None where that is not clear."""
    steps = level.get("coordinateTransformations")
    steps = steps if isinstance(steps, list) else []
    if len(steps) < 2:
        return [0] * rank
    given = numbers_of(steps[1].get("translation")) if isinstance(steps[1], Mapping) else None
    return given if given is not None and len(steps) == 2 and len(given) == rank else None


def scale_of(level: Mapping[str, Any]) -> list[Any] | None:
    """Return the scale of a level, where it is the first step and numbers throughout.

    Parameters
    ----------
    level : mapping
        The level.
    """
    steps = level.get("coordinateTransformations")
    step = steps[0] if isinstance(steps, list) and steps else None
    scale = numbers_of(step.get("scale")) if isinstance(step, Mapping) else None
    return scale if scale is not None and all(scale) and all(map(is_finite, scale)) else None


def _fits(scale: float, first: float, length: int, longest: int) -> bool:
    """Whether the scale of an axis is that of the first level times how many fewer pixels there are."""
    ratio = scale / first
    if length == longest:
        return abs(ratio - 1) <= SAME
    if length < 1:
        return True
    fewest, most = longest / (length + 1), longest / max(length - 1, 0.5)
    return fewest / ROUGHLY <= ratio <= most * ROUGHLY
