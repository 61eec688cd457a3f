"""Where the rows of a column lie along an axis of a scatter: numbers, dates and words."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from nz_explorer.plots.colours.ranges import Range, Scale
from nz_explorer.plots.columns.collect import Cells, Column
from nz_explorer.plots.drawing.parts import named
from nz_explorer.values.cf_decoding import packing
from nz_explorer.values.coordinates.axes import text_attribute
from nz_explorer.values.coordinates.date_ticks import date_ticks
from nz_explorer.values.coordinates.times import time_labels

MOST_TICKS = 8
"""Dates and words that are written along an axis."""
LONGEST_WORD = 14
"""Letters of one that stands along an axis."""
_LETTERS = 90
"""So many have room beside each other."""
_FINE = 600
"""So many dates along an axis are looked through for those where a year, a month or a day begins."""
Doubles = np.ndarray[Any, np.dtype[np.float64]]
Tick = tuple[float, str]


@dataclass(frozen=True, slots=True, eq=False)
class Along:
    """Where the rows of a column lie along an axis, or in a colormap.

    Parameters
    ----------
    cells
        The column.
    label
        What stands along the axis.
    places
        Where each row lies; NaN where it has no place.
    words
        What whole numbers from 0 stand for, of texts, categories and truth values.
    texts
        Of words and dates what each row is called; empty for numbers.
    ticks
        Of words and dates what is written where; empty for numbers.
    span
        From where to where the axis goes.
    scale
        Of the axis.
    """

    cells: Cells
    label: str
    places: Doubles
    words: tuple[str, ...]
    texts: tuple[str, ...]
    ticks: tuple[Tick, ...] = ()
    span: Range = (0.0, 1.0)
    scale: Scale = "linear"


def label(column: Column) -> str:
    """Return what stands along an axis: what it is called, and in which units.

    Parameters
    ----------
    column
        The column.
    """
    found = packing(column.array)
    units = text_attribute(column.array, "units") if found is None else found.units
    return named(column.title or column.name, units)


def placed(cells: Cells) -> Along:
    """Return where the rows of a column lie: dates and numbers by their value, all else in the order of its words.

    Parameters
    ----------
    cells
        What was read.
    """
    column, values = cells.column, cells.values
    gone = np.ma.getmaskarray(values)
    name = label(column)
    kind = values.dtype.kind
    if column.numeric and kind in "iuf" and not cells.dates:
        return Along(cells, name, _doubles(values, gone), (), ())
    if column.numeric and kind == "c":
        return Along(cells, f"|{name}|", _doubles(np.abs(values), gone), (), ())
    if column.numeric and (kind in "mM" or cells.dates):
        numbers = values.astype(np.int64) if kind in "mM" else values
        if kind in "mM":
            gone = gone | np.isnat(values.data)
        texts = cells.dates or tuple(map(str, values.data.tolist())) if kind != "m" else ()
        title = column.title or column.name
        unit = np.datetime_data(values.dtype)[0] if kind == "m" else None
        return Along(cells, named(title, unit), _doubles(numbers, gone), (), texts)
    texts = tuple(map(str, values.data.tolist()))
    there = {text for text, missing in zip(texts, gone, strict=True) if not missing}
    order = cells.words or sorted(there)
    words = tuple(word for word in order if word in there)
    number = {word: at for at, word in enumerate(words)}
    at = [math.nan if missing else number[text] for text, missing in zip(texts, gone, strict=True)]
    return Along(cells, name, np.array(at, np.float64), words, texts)


def _doubles(values: np.ndarray[Any, Any], gone: np.ndarray[Any, Any]) -> Doubles:
    found: Doubles = np.asarray(values.data).astype(np.float64)
    found[gone | ~np.isfinite(found)] = np.nan
    return found


def limits(view: Mapping[str, Any], column: Column, *, of_values: bool) -> tuple[float | None, ...]:
    """Return the two limits that a view sets for a column, None where it sets none.

    Parameters
    ----------
    view
        With a ``window`` by the name of the column, and ``low`` and ``high`` of the values.
    column
        The column.
    of_values
        Whether ``low`` and ``high`` are meant for it.
    """
    part = (view.get("window") or {}).get(column.name)
    low, high = (None, None)
    if isinstance(part, list | tuple) and len(part) == 2:
        low, high = sorted(float(end) for end in part)
    if of_values:
        low = low if view.get("low") is None else float(view["low"])
        high = high if view.get("high") is None else float(view["high"])
    return (high, low) if low is not None and high is not None and low > high else (low, high)


def outside(along: Along, ends: tuple[float | None, ...], scale: Scale) -> np.ndarray[Any, Any]:
    """Return which rows lie beyond the limits of an axis, or have no logarithm.

    Parameters
    ----------
    along
        The axis.
    ends
        From `limits`.
    scale
        Of the axis.
    """
    low, high = ends
    found = np.zeros(along.places.size, np.bool_)
    if scale == "log":
        found |= along.places <= 0
    if low is not None:
        found |= along.places < low
    if high is not None:
        found |= along.places > high
    return found


def span(
    along: Along, places: Doubles, ends: tuple[float | None, ...], scale: Scale, *, air: bool
) -> Range:
    """Return from where to where an axis goes.

    Parameters
    ----------
    along
        The axis.
    places
        Where the rows lie that are drawn.
    ends
        From `limits`.
    scale
        Of the axis.
    air
        Whether points stay off its ends.
    """
    there = places[np.isfinite(places)]
    low, high = (0.0, 1.0) if not there.size else (float(there.min()), float(there.max()))
    below, above = (
        each if each is not None else end for each, end in zip(ends, (low, high), strict=True)
    )
    if scale == "log":
        above = above if above > 0 else 1.0
        below = below if below > 0 else above / 1000
    width = above - below
    if scale == "log" and (air or not width):
        first, last = below / (1.15 if width else 2), above * (1.15 if width else 2)
    elif along.words:
        first, last = below - 0.5, above + 0.5
    elif not width:
        first, last = below - (abs(below) * 0.1 or 1.0), above + (abs(above) * 0.1 or 1.0)
    else:
        first, last = (below - 0.05 * width, above + 0.05 * width) if air else (below, above)
    if width and ends[0] is not None:
        first = ends[0]
    if width and ends[1] is not None:
        last = ends[1]
    return first, last


def ticks(along: Along, ends: Range, *, across: bool) -> tuple[Tick, ...]:
    """Return what is written along an axis of words or dates; nothing for numbers.

    Parameters
    ----------
    along
        The axis.
    ends
        From where to where it goes.
    across
        Whether the words stand beside each other.
    """
    low, high = ends
    if along.words:
        inside = range(max(0, math.ceil(low)), min(len(along.words) - 1, math.floor(high)) + 1)
        widest = max((min(len(along.words[at]), LONGEST_WORD) for at in inside), default=1)
        most = max(2, _LETTERS // (widest + 2)) if across else 2 * MOST_TICKS
        step = max(1, math.ceil(len(inside) / most))
        return tuple((float(at), along.words[at]) for at in inside[::step])
    if not along.texts or not high > low:
        return ()
    numbers: np.ndarray[Any, Any] = np.linspace(low, high, _FINE)
    if along.cells.values.dtype.kind == "M":
        numbers = numbers.astype(np.int64).astype(along.cells.values.dtype)
    dates = time_labels(numbers, along.cells.column.array.attributes) or []
    for found in date_ticks(dates):
        # where the axis begins, no year and no month does
        begun = [(at, text) for at, text in found if at]
        if 0 < len(begun) <= MOST_TICKS:
            at, text = begun[0]
            # the others say what is new in them
            begun[0] = (
                at,
                dates[at][:16]
                if ":" in text
                else dates[at][: max(10 * ("-" in text and len(text) != 7), len(text))],
            )
            return tuple((float(low + (high - low) * at / (_FINE - 1)), text) for at, text in begun)
    return ()
