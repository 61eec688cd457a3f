"""Very small pictures, in which every cell can be distinguished from its neighbours."""

from __future__ import annotations

import io
from typing import Any

import numpy as np

Cells = np.ndarray[Any, np.dtype[np.bool_]]

WIDTH = 240
"""Pixels that a picture is about as wide as."""
MISSING = (200, 200, 200), (150, 150, 150)
"""The stripes of a missing cell."""
MARK = (214, 39, 40), (255, 255, 255)
"""A cell that is marked, and the cross in it."""


def cells(
    values: np.ndarray[Any, Any],
    missing: Cells,
    marked: Cells,
    limits: tuple[float, float],
    *,
    upwards: bool = False,
) -> bytes:
    """Draw cells as a PNG: coloured by value, striped where missing, crossed where marked.

    Parameters
    ----------
    values
        Numbers, of one or two dimensions.
    missing, marked
        Of the same shape. A cell that is both is striped, with a frame.
    limits
        The values of the first and the last colour.
    upwards
        Whether the first row is at the bottom.

    Returns
    -------
    bytes
        The file.
    """
    from matplotlib import colormaps
    from matplotlib.image import imsave

    grid = np.atleast_2d(values)
    low, high = limits
    with np.errstate(invalid="ignore", over="ignore"):
        part = (grid.astype(np.float64) - low) / (high - low or 1)
    colours = colormaps["viridis"](np.clip(part, 0, 1), bytes=True)[..., :3]
    size = max(4, WIDTH // grid.shape[1])
    if values.ndim == 1:
        colours = np.asarray(colours)
    height = size if values.ndim > 1 else max(size, 24)
    image = colours.repeat(height, 0).repeat(size, 1)
    y, x = np.indices(image.shape[:2])
    for stripe, colour in enumerate(MISSING):
        stripes = (x + y) // 2 % 2 == stripe
        image[_large(missing, height, size) & stripes] = colour
    at_y, at_x = y % height, x % size
    edge = (at_x == 0) | (at_y == 0)
    cross = (at_x == at_y * size // height) | (at_x == size - 1 - at_y * size // height)
    large = _large(marked, height, size)
    image[large & edge] = MARK[0]
    image[large & cross] = MARK[0]
    file = io.BytesIO()
    imsave(file, np.ascontiguousarray(image[::-1] if upwards else image), format="png")
    return file.getvalue()


def _large(cells: Cells, height: int, width: int) -> Cells:
    return np.atleast_2d(cells).repeat(height, 0).repeat(width, 1)
