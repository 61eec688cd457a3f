"""What the values of a picture have in common: categories and how often they occur."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from nz_explorer.model import Array
from nz_explorer.model.dialects.images import image_level, label_colours
from nz_explorer.plots.colours.categories import category_hex
from nz_explorer.values.categorical import categorical
from nz_explorer.values.cf_decoding import flags
from nz_explorer.values.coordinates.axes import number_attribute, text_attribute
from nz_explorer.values.masks.cell_states import VALUE, States
from nz_explorer.values.reading.chunk_cache import ChunkCache
from nz_explorer.values.whole_arrays.histograms import Histogram

MOST_CATEGORIES = 64
_MOST_OBJECTS = 4096
"""Of more objects in an image the numbers are drawn as such."""
_CLEAR = "#00000000"
_FEW = 8
_BINS = 64


@dataclass(frozen=True, slots=True)
class Category:
    """A value that stands for something; the fields are those of the protocol."""

    value: float
    label: str
    color: str | None = None
    """As ``#rrggbbaa``, where the metadata or the value decide; else its place among the categories does."""


ANY = (Category(0, "none"), Category(1, "any"))
"""What a dimension is reduced to by ``any``."""


def categories(
    array: Array,
    values: np.ndarray[Any, Any],
    states: States,
    cache: ChunkCache | None = None,
) -> tuple[Category, ...]:
    """Return what values stand for, where they are categories.

    Parameters
    ----------
    array
        The array, whose attributes may define them.
    values, states
        Stored values and their cell states.
    cache
        Where decoded chunks are kept: a categorical column has its texts in another array.

    Returns
    -------
    tuple of Category
        Empty where the values are numbers. Flags of CF are all there, and what else was found
        among the values; integers without flags are categories where they are few on a map, and
        the numbers of objects in an image of labels also where they are more.
    """
    if values.dtype.kind == "b":
        return (Category(0, "false"), Category(1, "true"))
    if values.dtype.kind not in "iu":
        return ()
    meanings = flags(array) or categorical(array, cache)
    if meanings is None and (values.ndim < 2 or _is_quantity(array)):
        return ()
    # on a large map a part of it shows whether there are few
    valid = values[states == VALUE]
    if not valid.size and meanings is None:
        return ()
    level = image_level(array) if meanings is None else None
    labels = None if level is None else level.label
    most = _FEW if labels is None else _MOST_OBJECTS
    if meanings is None and len(np.unique(valid[:: max(1, valid.size // 4096)])) > most:
        return ()
    found = set(np.unique(valid).tolist())
    if meanings is None:
        if labels is not None and len(found) <= most:
            return tuple(_objects(sorted(found), label_colours(labels)))
        few = len(found) <= most and 4 * len(found) <= values.size
        return tuple(Category(v, str(v)) for v in sorted(found)) if few else ()
    found.update(meanings.values or meanings.masks or ())
    if len(found) > MOST_CATEGORIES:
        return ()
    return tuple(Category(value, meanings.label(value)) for value in sorted(found))


def _objects(numbers: Iterable[int], colours: Mapping[int, str]) -> Iterator[Category]:
    """Yield the objects of an image of labels; what has the number 0 lies between them and hides nothing.

    Each has a colour by its number, which it keeps in other slices.
    """
    for number in numbers:
        text, colour = (
            (str(number), object_colour(number)) if number else ("background (0)", _CLEAR)
        )
        yield Category(number, text, colours.get(number, colour))


def object_colour(number: int) -> str:
    """Return the colour of an object of an image of labels that has none of its own, as ``#rrggbbaa``.

    Parameters
    ----------
    number : int
        Its value.
    """
    return f"{category_hex(number)}ff"


def _is_quantity(array: Array) -> bool:
    units = text_attribute(array, "units")
    packed = any(
        number_attribute(array, name) is not None for name in ("scale_factor", "add_offset")
    )
    return packed or units not in (None, "1", "none", "None")


def histogram(values: np.ndarray[Any, Any], states: States) -> Histogram | None:
    """Count the values that are not masked.

    Parameters
    ----------
    values
        Numbers.
    states
        Their cell states.

    Returns
    -------
    Histogram or None
        Between the lowest and the highest; None where there is no value.
    """
    valid = values[states == VALUE].astype(np.float64)
    if not valid.size:
        return None
    low, high = float(valid.min()), float(valid.max())
    if low == high or not np.isfinite(high - low):
        half = max(0.5, 1e-6 * abs(low))
        low, high = low - half, high + half
        if not np.isfinite(high - low):
            return None
    edges = np.linspace(low, high, _BINS + 1)
    if high - low < _BINS and bool((valid == np.rint(valid)).all()):
        # a bar for each integer; others would make a comb
        edges = np.arange(np.rint(low) - 0.5, np.rint(high) + 1)
    counts, edges = np.histogram(valid, edges)
    return Histogram(edges.astype(np.float64), counts.astype(np.float64))
