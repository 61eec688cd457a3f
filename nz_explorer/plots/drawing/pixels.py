"""Pictures as small images: one byte a pixel, or four of an image in colours."""

from __future__ import annotations

from typing import Any

import numpy as np

from nz_explorer.plots.colours.categories import category_colour
from nz_explorer.plots.picture import Axis, QuickLook
from nz_explorer.values.masks.cell_states import VALUE, in_valid_range

Image = np.ndarray[Any, np.dtype[np.uint8]]


def area(image: Image, look: QuickLook, width: int, height: int) -> Image | None:
    """Lay cells as they are drawn, and thin them out.

    Parameters
    ----------
    image
        uint8 of shape (y, x) or (y, x, 4).
    look
        The picture, for the direction of its axes.
    width, height
        The most pixels.
    """
    if look.x is None or look.y is None:
        return None
    image = forward(forward(image, look.x, axis=1), look.y, axis=0)
    if not look.y.downwards:
        image = image[::-1]
    return thinned(image, width, height)


def thinned(image: Image, width: int, height: int) -> Image:
    """Leave out rows and columns for which there is no room.

    Parameters
    ----------
    image
        uint8 of shape (y, x) or (y, x, 4).
    width, height
        The most pixels.
    """
    rows, columns = _nearest(image.shape[0], height), _nearest(image.shape[1], width)
    return np.ascontiguousarray(image[np.ix_(rows, columns)])


def levels(look: QuickLook) -> Image:
    """Return values as bytes: 0 is missing, 1 to 255 run from the lowest to the highest value, unpacked, about zero where it is the middle."""
    assert look.values is not None  # noqa: S101  # thumbnail() has looked
    low, high = look.low, look.high
    found = np.zeros(look.values.shape, np.uint8)
    if low is None or high is None or look.cell_states is None:
        return found
    if look.colours.signed and (look.y is not None or look.curvilinear is not None):
        middle = 0.0 if look.packing is None else -look.packing.offset / look.packing.scale
        most = max(abs(low - middle), abs(high - middle))
        low, high = middle - most, middle + most
    if look.packing is not None and look.packing.scale < 0:
        low, high = high, low  # the lowest number that is stored is the highest value
    states = in_valid_range(look.values, look.cell_states, look.valid_low, look.valid_high)
    good = np.equal(states, VALUE)
    # in halves, so that the span of a float64 does not overflow
    span = high / 2 - low / 2
    part = (look.values[good] / 2 - low / 2) / span if span else np.full(int(good.sum()), 0.5)
    found[good] = np.clip(np.rint(1 + 254 * part), 1, 255).astype(np.uint8)
    return found


def category_numbers(look: QuickLook) -> np.ndarray[Any, np.dtype[np.intp]]:
    """Return which category each value is, counted from 0; their number where a value is none of them."""
    numbers = np.array([category.value for category in look.categories])
    assert look.values is not None  # noqa: S101  # where there are categories there are values
    order = np.searchsorted(numbers, look.values)
    count = len(numbers)
    known = (order < count) & (numbers[np.minimum(order, count - 1)] == look.values)
    return np.where(known, order, count)


def category_colours(look: QuickLook) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Return the colours of those numbers, with their opacity: that of each category, and grey."""
    colours = [
        (*category_colour(at), 1.0)
        if one.color is None
        else tuple(part / 255 for part in bytes.fromhex(one.color[1:]))
        for at, one in enumerate(look.categories)
    ]
    return np.array([*colours, (0.5, 0.5, 0.5, 1.0)])


def shades(look: QuickLook) -> Image:
    """Return the colours of categories and their opacity, as uint8 along a last dimension; what is missing is clear."""
    table = np.rint(255 * category_colours(look)).astype(np.uint8)
    image: Image = table[category_numbers(look)]
    image[np.not_equal(look.cell_states, VALUE)] = 0  # type: ignore[arg-type]
    return image


def forward(image: Image, along: Axis, *, axis: int) -> Image:
    """Put points in the order in which they are drawn.

    Parameters
    ----------
    image
        uint8 of any shape.
    along
        What stands along the axis.
    axis
        Number of the axis.
    """
    backwards = along.decreasing and along.kind in ("number", "time")
    return np.flip(image, axis) if backwards else image


def _nearest(size: int, most: int) -> np.ndarray[Any, np.dtype[np.intp]]:
    shown = max(1, min(size, most))
    return ((np.arange(shown) + 0.5) * size / shown).astype(np.intp)


def line(levels: Image, width: int, height: int) -> Image:
    """Draw a line: in each column the span from its lowest to its highest point.

    Parameters
    ----------
    levels
        uint8 of shape (x,): 0 is missing.
    width, height
        The most columns, and the rows.

    Returns
    -------
    ndarray of uint8
        Of shape (height, columns).
    """
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
