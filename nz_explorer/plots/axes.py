"""Which axes of an array a picture can show, by its shape, its data type and the names of its dimensions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nz_explorer.model import Array
from nz_explorer.text.units import PRESSURES, units_text
from nz_explorer.values.cf_decoding import packing
from nz_explorer.values.coordinates.axes import meaning, units_label

_TEXT_KINDS = ("string", "bytes", "raw", "struct")
_BANDS = {
    "band", "bands", "c", "ch", "channel", "channels", "color", "colour", "colors", "colours",
    "component", "components", "rgb", "rgba", "sample", "samples",
}  # fmt: skip

_COLOURS = {
    "channel", "channels", "color", "colour", "colors", "colours", "rgb", "rgba",
}  # fmt: skip
_BANDS_OF_NUMBERS = {
    "i": _COLOURS | {"band", "bands"},
    "u": _COLOURS | {"band", "bands"},
    "f": _COLOURS,
}
"""Names of what are colours where values are no bytes: bands of floats, and components, are more often quantities."""
_PERHAPS = {**_BANDS_OF_NUMBERS, "f": _COLOURS | {"band", "bands"}}
"""Names of what may be colours, if someone wants to see them so."""
_LEAST_OF_IMAGE = 8
"""Rows and columns of what may be an image although it is neither of bytes nor has names."""


class Squeezed:
    """An array as a kind of picture sees it when some of its dimensions are reduced to a number.

    Parameters
    ----------
    array
        The array.
    axes
        Numbers of those dimensions.
    """

    def __init__(self, array: Array, axes: Sequence[int]) -> None:
        self._array = array
        self.shape = tuple(
            1 if axis in axes else size for axis, size in enumerate(array.shape or ())
        )

    def __getattr__(self, name: str) -> Any:
        return getattr(self._array, name)


def is_text(array: Array) -> bool:
    """Return whether the values of an array are no numbers."""
    return array.data_type.kind in _TEXT_KINDS or array.data_type.numpy is None


def image_axes(array: Array, *, perhaps: bool = False) -> tuple[int, int, int] | None:
    """Return the axes of rows, columns and colours of an array that is an image, else None.

    Parameters
    ----------
    array
        The array.
    perhaps
        Whether it is enough that it may be one, such as three bands of floats.
    """
    shape, numpy_type = array.shape or (), array.data_type.numpy
    last = len(shape) - 1
    if numpy_type is None or last < 2:
        return None
    of_bytes = numpy_type == "u1"
    names = (
        _BANDS
        if of_bytes
        else (_PERHAPS if perhaps else _BANDS_OF_NUMBERS).get(numpy_type.kind, set())
    )
    if not names or (not of_bytes and (units_label(array) or packing(array) is not None)):
        return None
    for band, y, x in ((last, last - 2, last - 1), (last - 2, last - 1, last)):
        name = array.dimension_label(band)
        large = min(shape[y], shape[x]) >= _LEAST_OF_IMAGE
        unnamed = name == f"dim_{band}" and (of_bytes or (perhaps and large))
        like_bands = name.lower() in names or unnamed
        if like_bands and shape[band] in (3, 4) and shape[y] > 1 and shape[x] > 1:
            return y, x, band
    return None


def plane_axes(array: Array) -> tuple[int, ...]:
    """Return the two axes of a plane: rows and columns of what may be an image, else the last two longer than 1."""
    colours = image_axes(array, perhaps=True)
    return long_axes(array.shape or ())[-2:] if colours is None else colours[:2]


def uprightness(array: Array, axis: int) -> int:
    """Return how surely a dimension runs up and down on paper: 2 for a vertical one, 1 for latitude, 0 for others.

    Parameters
    ----------
    array
        Whose dimension it is.
    axis
        Number of the dimension.
    """
    attributes, _ = meaning(array, axis)
    units = str(attributes.get("units", ""))
    if "positive" in attributes or attributes.get("axis") == "Z" or units in PRESSURES:
        return 2
    return int(units_text(units) == "°N")


def long_axes(shape: Sequence[int]) -> tuple[int, ...]:
    """Return the axes longer than 1: what is 240 × 1 × 1 is a line."""
    return tuple(axis for axis, size in enumerate(shape) if size > 1)


def with_chosen(
    array: Array, axes: tuple[int, ...], x: str | None, y: str | None
) -> tuple[int, ...]:
    """Return the axes of a picture, with the dimensions that someone wants to see along x and y.

    Parameters
    ----------
    array
        The array.
    axes
        The usual ones: rows and columns, or the only one.
    x, y
        Names of dimensions, as `Array.dimension_label` gives them; a name that the array does not have changes
        nothing. Where only one is given, the other axis stays what it is, or trades places with it.

    Returns
    -------
    tuple of int
        As many as in `axes`, without repeats.
    """
    names = [array.dimension_label(axis) for axis in range(array.ndim or 0)]
    wanted_x = names.index(x) if x in names else None
    wanted_y = names.index(y) if y in names else None
    if len(axes) == 1:
        return axes if wanted_x is None else (wanted_x,)
    if len(axes) != 2:
        return axes
    if wanted_x is not None and wanted_x == wanted_y:
        wanted_y = None
    rows, columns = axes
    if wanted_x is None:
        wanted_x = rows if wanted_y == columns else columns
    if wanted_y is None:
        wanted_y = columns if wanted_x == rows else rows
    return wanted_y, wanted_x
