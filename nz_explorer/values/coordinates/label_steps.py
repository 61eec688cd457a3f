"""Steps along a dimension by its labels: to its ends, by months and years; and what labels begin like a text."""

from __future__ import annotations

import re
from typing import Literal

from nz_explorer.model import Array
from nz_explorer.values.coordinates.axes import AxisCoordinates, axis_coordinates
from nz_explorer.values.points import Points
from nz_explorer.values.reading.chunk_cache import ChunkCache

_STEP = re.compile(r"\s*([-+\u2212])\s*(\d*)\s*(month|year)s?\s*", re.IGNORECASE)
_DATE = re.compile(r"(-?\d+)-(\d\d)(.*)")
MONTHS: dict[str, int] = {"month": 1, "year": 12}
Along = Literal["month", "year"]


def stepped(
    array: Array, axis: int, text: str, index: int, *, cache: ChunkCache | None = None
) -> int | None:
    """Return the index to which a text leads that names no value but a way.

    Parameters
    ----------
    array
        Whose dimension it is.
    axis
        Number of the dimension.
    text
        ``first``, ``last``, or steps such as ``+1 month`` and ``-2 years``: to the nearest day of that month, or
        of the next one that the dimension has.
    index
        From where steps lead.
    cache
        Where decoded chunks are kept.

    Returns
    -------
    int or None
        None where the text is no way.

    Raises
    ------
    KeyError
        If the way leads beyond the ends.
    ValueError
        If the dimension has no dates.
    """
    length, name = (array.shape or ())[axis], array.dimension_label(axis)
    word = text.strip().lower()
    if word in ("first", "last"):
        return 0 if word == "first" else length - 1
    way = _STEP.fullmatch(text)
    if way is None:
        return None
    labels = _along(array, axis, cache).labels or []
    dates = [_DATE.fullmatch(label) for label in labels]
    if not dates or not all(dates):
        raise ValueError(f"{name} has no dates to step by")
    # months since the year 0, and the rest of the date, which has a fixed form
    places = [(12 * int(one[1]) + int(one[2]), one[3]) for one in dates if one is not None]
    month, rest = places[index]
    forward = way[1] == "+"
    target = month + (1 if forward else -1) * int(way[2] or 1) * MONTHS[way[3].lower()]
    beyond = [one for one, _ in places if (one >= target if forward else one <= target)]
    if not beyond:
        end = max(labels) if forward else min(labels)
        raise KeyError(f"{name} {'ends' if forward else 'begins'} {end}")
    there = min(beyond) if forward else max(beyond)
    found = [at for at, (one, _) in enumerate(places) if one == there]
    return min(found, key=lambda at: abs(_minutes(places[at][1]) - _minutes(rest)))


def _minutes(rest: str) -> int:
    """Return days, hours and minutes of the rest of a date as a number."""
    numbers = [int(number) for number in re.findall(r"\d+", rest)][:3]
    day, hour, minute = [*numbers, *[0] * (3 - len(numbers))]
    return (day * 24 + hour) * 60 + minute


def completions(
    array: Array, axis: int, text: str, *, most: int = 12, cache: ChunkCache | None = None
) -> list[str]:
    """Return the dates or names of a dimension that begin with a text; of numbers each is one itself.

    Parameters
    ----------
    array
        Whose dimension it is.
    axis
        Number of the dimension.
    text
        What has been typed.
    most
        How many there is room for.
    cache
        Where decoded chunks are kept.
    """
    typed = text.strip().replace("T", " ")
    labels = _along(array, axis, cache).labels or []
    return [label for label in labels if label.startswith(typed)][:most]


def _along(array: Array, axis: int, cache: ChunkCache | None) -> AxisCoordinates:
    length = (array.shape or ())[axis]
    return axis_coordinates(array, Points(axis, 0, 1, length, length), cache=cache)
