"""The colormaps that a picture can have, taken from matplotlib."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

NAMES: tuple[str, ...] = (
    "viridis",
    "cividis",
    "magma",
    "plasma",
    "turbo",
    "RdBu_r",
    "coolwarm",
    "BrBG",
    "PuOr",
    "Blues",
    "YlGnBu",
    "terrain",
    "gray",
    "twilight",
)
"""Sequential ones that stay readable without colour vision first, then diverging, then others."""


@cache
def colormap_tables() -> tuple[tuple[str, ...], np.ndarray[Any, np.dtype[np.uint8]]]:
    """Return the colormaps as tables.

    Returns
    -------
    names : tuple of str
        The first is the default.
    tables : ndarray of uint8, shape (len(names), 256, 3)
        Red, green and blue from low to high.
    """
    from matplotlib import colormaps

    places = np.linspace(0, 1, 256)
    tables = np.stack([colormaps[name](places, bytes=True)[:, :3] for name in NAMES])
    tables.setflags(write=False)  # everyone gets the same array
    return NAMES, tables
