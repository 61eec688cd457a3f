"""The values at pinned points along one dimension: time series, profiles."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from nz_explorer.model import Array
from nz_explorer.plots.line import LINE
from nz_explorer.plots.lines.collect import MOST_LINES, Lines
from nz_explorer.plots.picture import Axis, QuickLook
from nz_explorer.text.phrases import listed, noun


def series(
    array: Array,
    dimension: str,
    pins: Sequence[Mapping[str, int]],
    index: Mapping[str, int],
    look: Callable[[Mapping[str, int]], QuickLook],
) -> Lines:
    """Look at an array along one dimension, at each of some points.

    Parameters
    ----------
    array
        The array.
    dimension
        Name of the dimension, as `Array.dimension_label` gives it.
    pins
        The points: an index by dimension.
    index
        The index of dimensions that a pin does not name.
    look
        Makes the line along the dimension at an index.

    Returns
    -------
    Lines
        A line for each pin, named by the coordinates that it is pinned at; not for those along dimensions that the
        array does not have, unless it has no other than that one.

    Raises
    ------
    KeyError
        If the array has no such dimension.
    """
    names = [array.dimension_label(axis) for axis in range(array.ndim or 0)]
    if dimension not in names:
        known = ", ".join(names) or "none"
        raise KeyError(f"{array.path} has no dimension {dimension!r}; it has {known}")
    looks: dict[int, QuickLook] = {}
    there = {at: pin for at, pin in enumerate(pins) if not _is_elsewhere(pin, names)}
    notes = [_elsewhere(array, pins, there)] if len(there) < len(pins) else []
    for at, pin in list(there.items())[:MOST_LINES]:
        found = look({**index, **pin})
        if found.kind != LINE.name or found.x is None:
            why = f"{dimension} is no longer than 1" if found.kind == "scalar" else ""
            notes = [found.message or why or f"{array.path} holds no numbers"]
            continue
        looks[at] = replace(found, name=_place(found, pin))
    if len(there) > MOST_LINES:
        notes.append(f"the first {MOST_LINES} pins of {len(there)} are drawn")
    x = next((one.x for one in looks.values()), None)
    return Lines(
        dimension,
        tuple(names),
        x or Axis(dimension, "index", 0, 1, 0, 0),
        tuple(looks.values()),
        "; ".join(notes) or None,
        tuple(looks),
    )


def _is_elsewhere(pin: Mapping[str, int], names: Sequence[str]) -> bool:
    """Return whether a point is pinned along dimensions that an array does not have; of one dimension all is there."""
    return bool(pin) and len(names) > 1 and pin.keys().isdisjoint(names)


def _elsewhere(
    array: Array, pins: Sequence[Mapping[str, int]], there: Mapping[int, Mapping[str, int]]
) -> str:
    """Return which pins are left out, and why."""
    gone = [at for at in range(len(pins)) if at not in there]
    along = listed(dict.fromkeys(name for at in gone for name in pins[at]))
    numbers = listed(str(at + 1) for at in gone)
    which = (
        "points are pinned"
        if not there
        else f"{noun(len(gone), 'pin')} {numbers} {noun(len(gone), 'is')}"
    )
    return f"{which} along {along}, which {array.path} does not have"


def _place(look: QuickLook, pin: Mapping[str, int]) -> str:
    """Return where a point is pinned, such as ``lat 40, lon 30``."""
    return ", ".join(
        f"{slider.dimension} {slider.label}" for slider in look.sliders if slider.dimension in pin
    )
