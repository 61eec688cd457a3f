"""The values at pinned points along one dimension: time series, profiles."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from nz_explorer.model import Array
from nz_explorer.plots.line import LINE
from nz_explorer.plots.lines.collect import MOST_LINES, Lines
from nz_explorer.plots.picture import Axis, QuickLook
from nz_explorer.text.phrases import listed


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
        A line for each pin, named by the coordinates that it is pinned at; none where all are pinned along dimensions
        that the array does not have, unless it has no other than that one.

    Raises
    ------
    KeyError
        If the array has no such dimension.
    """
    names = [array.dimension_label(axis) for axis in range(array.ndim or 0)]
    if dimension not in names:
        known = ", ".join(names) or "none"
        raise KeyError(f"{array.path} has no dimension {dimension!r}; it has {known}")
    looks: list[QuickLook] = []
    message = None
    pinned = dict.fromkeys(name for pin in pins for name in pin)
    if pinned and pinned.keys().isdisjoint(names) and len(names) > 1:
        message = f"points are pinned along {listed(pinned)}, which {array.path} does not have"
        pins = ()
    for pin in pins[:MOST_LINES]:
        found = look({**index, **pin})
        if found.kind != LINE.name or found.x is None:
            message = found.message or f"{array.path} holds no numbers"
            continue
        looks.append(replace(found, name=_place(found, pin)))
    if len(pins) > MOST_LINES:
        message = f"the first {MOST_LINES} pins of {len(pins)} are drawn"
    x = looks[0].x if looks else None
    return Lines(
        dimension,
        tuple(names),
        x or Axis(dimension, "index", 0, 1, 0, 0),
        tuple(looks),
        message,
    )


def _place(look: QuickLook, pin: Mapping[str, int]) -> str:
    """Return where a point is pinned, such as ``lat 40, lon 30``."""
    return ", ".join(
        f"{slider.dimension} {slider.label}" for slider in look.sliders if slider.dimension in pin
    )
