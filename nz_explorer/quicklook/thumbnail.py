"""Small pictures: one byte a pixel, or four of an image in colours."""

from __future__ import annotations

from typing import Any

import numpy as np

from nz_explorer.quicklook.picture import Axis, QuickLook
from nz_explorer.values.states import VALUE

Image = np.ndarray[Any, np.dtype[np.uint8]]


def thumbnail(look: QuickLook, width: int = 160, height: int = 100) -> Image | None:
    """Draw a quick look as a small image.

    Parameters
    ----------
    look
        A map, a line or an image.
    width, height
        The most pixels.

    Returns
    -------
    ndarray of uint8 or None
        Rows from top to bottom; 0 is missing, 1 to 255 run from the lowest to the highest value. Of an
        image its colours and their opacity, along a third dimension. Coordinates grow upwards and to
        the right as in the large picture. None where `look` is of another kind or has no value.
    """
    if look.x is None:
        return None
    if look.image is not None:
        return _area(look.image, look, width, height)
    if look.values is None or look.low is None:
        return None
    levels = _levels(look)
    if look.kind == "line":
        return _line(_forward(levels, look.x, axis=0), width, height)
    return _area(levels, look, width, height) if look.kind == "map" else None


def _area(image: Image, look: QuickLook, width: int, height: int) -> Image | None:
    """Lay cells as they are drawn, and thin them out."""
    if look.x is None or look.y is None:
        return None
    image = _forward(_forward(image, look.x, axis=1), look.y, axis=0)
    if look.y.kind in ("number", "time"):
        image = image[::-1]
    rows, columns = _nearest(image.shape[0], height), _nearest(image.shape[1], width)
    return np.ascontiguousarray(image[np.ix_(rows, columns)])


def _levels(look: QuickLook) -> Image:
    assert look.values is not None  # noqa: S101  # thumbnail() has looked
    low, high = look.low, look.high
    levels = np.zeros(look.values.shape, np.uint8)
    if low is None or high is None or look.cell_states is None:
        return levels
    good = np.equal(look.cell_states, VALUE)
    # in halves, so that the span of a float64 does not overflow
    span = high / 2 - low / 2
    part = (look.values[good] / 2 - low / 2) / span if span else np.full(int(good.sum()), 0.5)
    levels[good] = np.clip(np.rint(1 + 254 * part), 1, 255).astype(np.uint8)
    return levels


def _forward(image: Image, along: Axis, *, axis: int) -> Image:
    """Put points in the order in which they are drawn."""
    backwards = along.decreasing and along.kind in ("number", "time")
    return np.flip(image, axis) if backwards else image


def _nearest(size: int, most: int) -> np.ndarray[Any, np.dtype[np.intp]]:
    shown = max(1, min(size, most))
    return ((np.arange(shown) + 0.5) * size / shown).astype(np.intp)


def _line(levels: Image, width: int, height: int) -> Image:
    """Draw a line: in each column the span from its lowest to its highest point."""
    columns = max(1, min(width, levels.size))
    image = np.zeros((max(1, height), columns), np.uint8)
    bounds = np.linspace(0, levels.size, columns + 1).astype(int)
    previous: int | None = None
    for column in range(columns):
        part = levels[bounds[column] : bounds[column + 1]]
        part = part[part > 0]
        if not part.size:
            previous = None
            continue
        # joined to the point before, so that a steep line has no gaps
        span = [int(part.min()), int(part.max()), *([] if previous is None else [previous])]
        top, bottom = (
            round((255 - level) / 254 * (image.shape[0] - 1)) for level in (max(span), min(span))
        )
        image[top : bottom + 1, column] = part.max()
        previous = int(part[-1])
    return image
