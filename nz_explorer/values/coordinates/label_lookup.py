"""The index of a dimension at a label of its coordinate: a number, a date, a name."""

from __future__ import annotations

import datetime as dt
import re
from typing import Any

import numpy as np

from nz_explorer.model import Array
from nz_explorer.text.units import hemispheres, units_text
from nz_explorer.values.coordinates.axes import (
    AxisCoordinates,
    axis_coordinates,
    meaning,
    number_text,
)
from nz_explorer.values.coordinates.dimension_coordinate import COORDINATE_BUDGET, find_coordinate
from nz_explorer.values.coordinates.times import MONTHS, is_time, time_labels
from nz_explorer.values.points import Points
from nz_explorer.values.reading.chunk_cache import ChunkCache
from nz_explorer.values.reading.opening import UnsupportedArray
from nz_explorer.values.window import known_values, read_points

_ISO = re.compile(
    r"(-?\d{1,6})-(\d{1,2})(?:-(\d{1,2})(?:[T ](\d{1,2}):(\d{2})(?::(\d{2})(?:\.(\d+))?)?)?)?Z?"
)

_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")
_NAMED = re.compile(r"(?:(\d{1,2}) +)?([A-Za-z]{3,9})\.? +(\d{1,4})(?:,? +(\d{1,2}:.+))?")
_SLASHES = re.compile(r"^(\d{4})/(\d{1,2})/(\d{1,2})(?!\d)")
_METRES = ("m", "metre", "meter")
_ALIKE_UNITS = (_METRES, ("hpa", "mb", "mbar", "millibar"), ("k", "kelvin"))
"""Names of the same unit, in the singular."""


def nearest(
    array: Array, axis: int, value: Any, *, exact: bool = False, cache: ChunkCache | None = None
) -> tuple[int, str | None]:
    """Return the index at which the coordinate of a dimension has a value, or the nearest one.

    Parameters
    ----------
    array
        Whose dimension it is.
    axis
        Number of the dimension.
    value
        A number; for times a text such as ``2001-07-03``, a date, or a number in the units of the
        coordinate; for lengths of time also a text such as ``12h`` or a timedelta; for names a text.
    exact
        Whether the value must be there exactly.
    cache
        Where decoded chunks are kept.

    Returns
    -------
    index : int
        Where it is.
    taken : str or None
        The value there where it is another than the wanted one.

    Raises
    ------
    KeyError
        If there is no such value: none that is equal, or the nearest lies more than a step beyond
        the ends.
    ValueError
        If the dimension has no coordinate to go by.
    TypeError
        If the value cannot be compared with the coordinate.
    """
    length, name = (array.shape or ())[axis], array.dimension_label(axis)
    found = axis_coordinates(array, Points(axis, 0, 1, length, length), cache=cache)
    if found.kind == "time" and isinstance(value, str):
        value = _as_iso(value.strip())
    if found.labels is not None and isinstance(value, str):
        text = value.strip().replace("T", " ")
        for index, label in enumerate(found.labels):
            if label == text or (found.kind == "time" and _begins(label, text)):
                return index, None
    if found.coordinates is None and found.labels is None:
        dated = _among_unordered(array, axis, value, cache)
        if dated is not None:
            return dated, None
    if found.kind == "category":
        raise KeyError(f"{name} has no {value!r}; it has {_some(found.labels or [])}")
    if found.coordinates is None:
        raise ValueError(f"{name} cannot be chosen by value: {found.why}; set ex.index instead")
    number = _number(array, axis, found, value)
    numbers = found.coordinates
    index = int(np.abs(numbers - number).argmin())
    near = float(numbers[index])
    step = float(np.abs(np.diff(numbers)).max()) if length > 1 else 0.0
    beyond = not numbers.min() - step <= number <= numbers.max() + step
    close = np.isclose(near, number, rtol=1e-6, atol=1e-9)
    if (exact and not close) or (beyond and length > 1):
        ends = f"{_shown(found, 0)} … {_shown(found, -1)}"
        raise KeyError(
            f"{name} has no {value!r}: it runs {ends}; the nearest is {_shown(found, index)}"
        )
    return index, None if close else _shown(found, index)


def _among_unordered(array: Array, axis: int, value: Any, cache: ChunkCache | None) -> int | None:
    """Return the first index of a date among times that are in no order, such as repeated ones; None where it is not there."""
    times, _ = find_coordinate(array, axis)
    if times is None or not isinstance(value, str) or not is_time(times.attributes):
        return None
    length = (array.shape or ())[axis]
    along = Points(0, 0, 1, length, length)
    try:
        window = read_points(times, [along], {}, budget=COORDINATE_BUDGET, cache=cache)
    except UnsupportedArray:
        return None
    if window.axes != (along,):
        return None
    text = _as_iso(value.strip()).replace("T", " ")
    (there,) = np.nonzero(known_values(times, window))
    labels = time_labels(window.values[there], times.attributes) or []
    dates = zip(there.tolist(), labels, strict=False)
    return next((index for index, label in dates if _begins(label, text)), None)


def _as_iso(text: str) -> str:
    """Return a date with the name of its month, as above pictures, or with slashes after its year, as ISO 8601 has it."""
    if named := _NAMED.fullmatch(text):
        day, name, year, clock = named.groups()
        months = [at for at, month in enumerate(MONTHS, 1) if month.startswith(name.capitalize())]
        if len(months) == 1:
            date = f"{int(year):04d}-{months[0]:02d}" + (f"-{int(day):02d}" if day else "")
            return f"{date} {clock}" if clock and day else date
    return _SLASHES.sub(r"\1-\2-\3", text)


def _begins(label: str, text: str) -> bool:
    """Return whether a date begins with a text: 2001-01-1 is the first day, and does not begin 2001-01-10."""
    return label.startswith(text) and not label[len(text) : len(text) + 1].isdigit()


def index_of_text(array: Array, axis: int, text: str, *, cache: ChunkCache | None = None) -> int:
    """Return the index that a person means by a text.

    Parameters
    ----------
    array
        Whose dimension it is.
    axis
        Number of the dimension.
    text
        A value of the coordinate as it is shown, with or without its units; the index itself, also in brackets, such
        as ``[12]``, which is the only way where the dimension has no coordinate.
    cache
        Where decoded chunks are kept.

    Returns
    -------
    int

    Raises
    ------
    KeyError
        If there is no such value or index.
    ValueError
        If it is no value of the coordinate.
    TypeError
        If it cannot be compared with the coordinate.
    """
    length, name = (array.shape or ())[axis], array.dimension_label(axis)
    bracketed = re.fullmatch(r"\[\s*(-?\d+)\s*\]", text.strip())
    found = axis_coordinates(array, Points(axis, 0, 1, length, length), cache=cache)
    if bracketed or (found.coordinates is None and found.labels is None):
        digits = bracketed[1] if bracketed else text.strip()
        dated = None if digits.isdigit() else _among_unordered(array, axis, digits, cache)
        if dated is not None:
            return dated
        if re.fullmatch(r"-?\d+", digits) is None:
            raise ValueError(f"{name} has no coordinate: write an index, 0 to {length - 1}")
        index = int(digits)
        if not -length <= index < length:
            raise KeyError(f"{name} has no index {index}: it runs 0 … {length - 1}")
        return index % length
    value: Any = text
    number = re.match(r"\s*([-+\u2212]?[\d.]+(?:[eE][-+]?\d+)?)", text)
    rest = text[number.end() :].strip() if number else ""
    # with other units, such as days where hours are counted, the number alone would be another value
    if found.kind == "number" and number and _are_units(rest, found.units):
        value = float(number[1].replace("\u2212", "-"))
        value = _degrees(value, rest, name, found)
    return nearest(array, axis, value, cache=cache)[0]


def _are_units(text: str, units: str | None) -> bool:
    """Whether what stands after a number are the units of a coordinate, or nothing; of degrees it is a side of the earth."""
    if not text or hemispheres(units) or units_text(text) == units:
        return True
    given, own = (one.lower().removesuffix("s") for one in (text, units or ""))
    return given == own or any(given in alike and own in alike for alike in _ALIKE_UNITS)


def _degrees(number: float, rest: str, name: str, found: AxisCoordinates) -> float:
    """Return degrees as the coordinate counts them: ``60° S`` is −60, and ``90° W`` may be 270."""
    sides = hemispheres(found.units)
    if not sides:
        return number
    ahead, back = sides[0], sides[1]
    side = re.fullmatch(r"\s*°?\s*([NSEW])\s*", rest.upper())
    if side is not None:
        if side[1] not in (ahead, back):
            raise ValueError(f"{name} is counted towards {ahead} and {back}, not {side[1]}")
        number = -number if side[1] == back else number
    if ahead == "E" and found.coordinates is not None:
        turned = (first := float(found.coordinates.min())) + (number - first) % 360
        return turned if turned <= found.coordinates.max() else number
    return number


def _shown(found: AxisCoordinates, index: int) -> str:
    if found.labels:
        return found.labels[index]
    assert found.coordinates is not None  # noqa: S101  # who asks has looked
    text = number_text(float(found.coordinates[index]))
    return f"{text} {found.units}" if found.units else text


def _some(labels: list[str]) -> str:
    return ", ".join(labels[:8]) + (" …" if len(labels) > 8 else "")


def _number(array: Array, axis: int, found: AxisCoordinates, value: Any) -> float:
    """Return a value as a number in the units of a coordinate."""
    name = array.dimension_label(axis)
    number = isinstance(value, int | float | np.integer | np.floating)
    if number and not isinstance(value, bool | np.timedelta64):
        return float(value)
    attributes, numpy_type = meaning(array, axis)
    if found.kind != "time":
        return _duration(name, found.units, numpy_type, value)
    parts = _date_parts(value)
    if parts is None:
        raise TypeError(f"{name} is a time; {value!r} is none: write it as 2001-07-03 06:00")
    if numpy_type is not None and numpy_type.kind == "M":
        moment = "{:04d}-{:02d}-{:02d}T{:02d}:{:02d}:{:02d}.{:06d}".format(*parts)
        return float(np.datetime64(moment).astype(numpy_type).astype(np.int64))
    import cftime  # type: ignore[import-untyped, unused-ignore]

    calendar = attributes.get("calendar", "standard")
    calendar = calendar if isinstance(calendar, str) else "standard"
    try:
        moment = cftime.datetime(*parts, calendar=calendar)
        return float(cftime.date2num(moment, attributes["units"], calendar))
    except ValueError as error:
        raise KeyError(f"{value!r} is no date of the calendar {calendar}") from error


def _duration(name: str, units: str | None, numpy_type: np.dtype[Any] | None, value: Any) -> float:
    """Return a length of time, such as ``12h``, in the units of a coordinate."""
    import pandas as pd

    if isinstance(value, str) and _NUMBER.fullmatch(value.strip()):
        return float(value)  # in the units of the coordinate; pandas would take it for nanoseconds
    unit = "" if units in _METRES else units or ""  # pandas would take them for minutes
    if numpy_type is not None and numpy_type.kind == "m":
        unit, count = np.datetime_data(numpy_type)
        unit = unit if count == 1 else f"{count}{unit}"
    try:
        one = pd.Timedelta(f"1 {unit}" if unit[:1].isalpha() else unit or "none")
    except ValueError:
        counted = f" of {units}" if units else ""
        raise TypeError(f"{name} is a number{counted}; {value!r} is none") from None
    try:
        return float(pd.Timedelta(value) / one)
    except (ValueError, TypeError):
        what = f"{name} is a length of time in {unit}; {value!r} is none: write it as 12h"
        raise TypeError(what) from None


def _date_parts(value: Any) -> tuple[int, ...] | None:
    """Return year to microsecond of anything that is a date."""
    if isinstance(value, np.datetime64):
        value = str(value.astype("M8[us]"))
    if isinstance(value, str):
        found = _ISO.fullmatch(value.strip())
        if found is None:
            return (int(value), 1, 1, 0, 0, 0, 0) if re.fullmatch(r"-?\d{4}", value) else None
        *whole, fraction = found.groups()
        year, month, day, *rest = [int(part) if part else None for part in whole]
        micro = int((fraction or "0").ljust(6, "0")[:6])
        return (year or 0, month or 1, day or 1, *(part or 0 for part in rest), micro)
    if isinstance(value, dt.date) or hasattr(value, "timetuple"):
        names = ("year", "month", "day", "hour", "minute", "second", "microsecond")
        return tuple(int(getattr(value, name, 0)) for name in names)
    return None
