"""Which kinds of picture an array can have, and which of its axes they show."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np

from nz_explorer.model import Array

Kind = Literal["line", "map", "image", "histogram", "scalar", "text", "none"]
Choice = Literal["auto", "line", "map", "image", "histogram"]
Part = Literal["real", "imaginary", "magnitude", "phase"]

PART_OF: dict[Part, Callable[[Any], Any]] = {
    "magnitude": np.abs,
    "phase": np.angle,
    "real": np.real,
    "imaginary": np.imag,
}
PARTS: tuple[Part, ...] = tuple(PART_OF)
"""Parts of complex numbers; the first is the default."""

_TEXT_KINDS = ("string", "bytes", "raw", "struct")
_MOST_COLUMNS = 20
_BANDS = {
    "band", "bands", "c", "ch", "channel", "channels", "color", "colour", "colors", "colours",
    "component", "components", "rgb", "rgba", "sample", "samples",
}  # fmt: skip


def is_text(array: Array) -> bool:
    """Tell whether the values of an array are no numbers."""
    return array.data_type.kind in _TEXT_KINDS or array.data_type.numpy is None


def image_axes(array: Array) -> tuple[int, int, int] | None:
    """Return the axes of rows, columns and colours of an array that is an image, else None."""
    shape, numpy_type = array.shape or (), array.data_type.numpy
    if numpy_type is None or numpy_type.kind != "u" or numpy_type.itemsize != 1:
        return None
    last = len(shape) - 1
    if last < 2:
        return None
    for band, y, x in ((last, last - 2, last - 1), (last - 2, last - 1, last)):
        name = array.dimension_label(band)
        like_bands = name.lower() in _BANDS or name == f"dim_{band}"
        if like_bands and shape[band] in (3, 4) and shape[y] > 1 and shape[x] > 1:
            return y, x, band
    return None


def kinds_of(array: Array) -> tuple[Kind, ...]:
    """Return the kinds of picture that an array can have, the usual one first."""
    if is_text(array):
        return ("text",)
    long = sum(size > 1 for size in array.shape or ())
    kinds: tuple[Kind, ...] = (("scalar",), ("line", "histogram"), ("map", "line", "histogram"))[
        min(long, 2)
    ]
    return ("image", *kinds) if image_axes(array) is not None else kinds


def axes_of(array: Array, kind: Kind) -> tuple[int, ...]:
    """Return the axes that a kind of picture shows, in the order of its points."""
    shape: Sequence[int] = array.shape or ()
    if kind == "text":
        axes = _long(shape)[-2:]
        wide = len(axes) == 2 and shape[axes[1]] > _MOST_COLUMNS
        return axes[-1:] if wide else axes
    colours = image_axes(array)
    if colours is not None and kind != "line":
        return colours if kind == "image" else colours[:2]
    return _long(shape)[-1:] if kind == "line" else _long(shape)[-2:]


def _long(shape: Sequence[int]) -> tuple[int, ...]:
    """Return the axes longer than 1: what is 240 × 1 × 1 is a line."""
    return tuple(axis for axis, size in enumerate(shape) if size > 1)
