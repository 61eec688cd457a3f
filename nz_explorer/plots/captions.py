"""Titles, labels and texts of pictures."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from nz_explorer.model import Array
from nz_explorer.model.fill_values import value_text
from nz_explorer.text.phrases import plural
from nz_explorer.text.units import with_units
from nz_explorer.values.coordinates.axes import number_text
from nz_explorer.values.coordinates.times import MONTHS
from nz_explorer.values.masks.cell_states import (
    ABSENT,
    STORAGE_FILL,
    TITLES,
    UNREADABLE,
    VALUE,
    States,
)
from nz_explorer.values.points import Points

if TYPE_CHECKING:
    from nz_explorer.plots.kind import PictureKind
    from nz_explorer.plots.picture import Axis, QuickLook, Slider
    from nz_explorer.values.window import Window

_LONGEST_TEXT = 200
_DATE = re.compile(r"(\d{4})-(0[1-9]|1[0-2])-(\d\d)(?:[ T](\d\d:\d\d(?::\d\d)?))?")


def title_of(array: Array, sliders: Sequence[Slider]) -> str:
    """Return the name of an array and of the slice of it, such as ``temp · time 2001-07-03``.

    Parameters
    ----------
    array
        The array.
    sliders
        The dimensions that are fixed at an index.
    """
    return " · ".join([array.name or array.path, *slice_texts(sliders)])


def slice_texts(
    sliders: Sequence[Slider], place: Callable[[Slider], str] | None = None
) -> list[str]:
    """Return where dimensions are fixed, such as ``level 850 hPa``, or how they are reduced: ``mean over time and lon``.

    Parameters
    ----------
    sliders
        The dimensions.
    place
        What is said of one that is fixed; its name and value if not given.
    """
    over: dict[str, list[str]] = {}
    for slider in sliders:
        if slider.method is not None:
            over.setdefault(slider.label, []).append(slider.dimension)
    texts = []
    for slider in sliders:
        if slider.method is None:
            texts.append((place or _named)(slider))
        elif (names := over.pop(slider.label, None)) is not None:
            *others, last = names
            listed = f"{', '.join(others)} and {last}" if others else last
            texts.append(f"{slider.label} over {listed}")
    return texts


def _named(slider: Slider) -> str:
    return f"{slider.dimension} {place_text(slider)}".strip()


def place_text(slider: Slider) -> str:
    """Return the value at which a dimension is fixed, such as ``850 hPa`` or ``60° S``."""
    return with_units(slider.label, slider.units)


def caption_of(look: QuickLook) -> str:
    """Return where a picture lies, for those who see its name above it: ``16 August 2024, 5 m``.

    Parameters
    ----------
    look
        The picture.

    Returns
    -------
    str
        Its dimensions where there is only one such picture; its name where there are none.
    """
    sliders = look.sliders
    if look.minus is not None and look.minus.beside == "b":
        sliders = tuple(
            one if one.minus is None else replace(one, label=one.minus, units=None, index=-1)
            for one in sliders
        )
    along = " × ".join(axis.label for axis in (look.y, look.x) if axis is not None)
    found = ", ".join(slice_texts(sliders, _place) if sliders else look.aside)
    return found or along or look.path.rpartition("/")[2]


def _place(slider: Slider) -> str:
    """Return where a dimension is fixed; its name stands before what says little without."""
    name, label, units = slider.dimension, slider.label, slider.units or ""
    if (found := _DATE.fullmatch(label)) is not None:
        year, month, day, clock = found.groups()
        date = f"{int(day)} {MONTHS[int(month) - 1]} {year}"
        return date if clock in (None, "00:00") else f"{date}, {clock}"
    if units:
        return f"{name} {place_text(slider)}" if units.startswith("degree") else place_text(slider)
    if label == str(slider.index):
        return f"{name} [{label}]"
    return f"{name} {label}" if label[:1] in "-0123456789" else label


def describe(look: QuickLook, kind: PictureKind) -> str:
    """Return a picture in a sentence, for those who cannot see it.

    Parameters
    ----------
    look
        The picture; its own label is not used.
    kind
        Its kind.

    Returns
    -------
    str
        What it is, which slice, its range, and how much of it is missing.
    """
    parts = [f"{kind.noun or kind.name} of {look.path}"]
    if kind.drawn and look.x is not None:
        along = [_axis_text(axis) for axis in (look.y, look.x) if axis is not None]
        parts[0] += f" over {' and '.join(along)}"
    if look.sliders:
        parts[0] += f" at {', '.join(slice_texts(look.sliders))}"
    parts += kind.values_text(look)
    if kind.numeric:
        parts += missing(look)
    return "; ".join(parts)


def missing(look: QuickLook) -> list[str]:
    """Return how much of a picture is of which state, such as ``25 % _FillValue``."""
    # storage_fill is another way to look at points that are counted already
    counts = [count for count in look.states if count.state != "storage_fill"]
    total = sum(count.count for count in counts)
    if total > 1 and [count.code for count in counts if count.count] == [ABSENT]:
        return ["no chunk of it is in the store"]
    return [
        f"{f'{100 * count.count / total:.3g} %' if total > 1 else 'state:'} {TITLES[count.code]}"
        for count in counts
        if count.code != VALUE and total
    ]


def value_span(look: QuickLook) -> str:
    """Return from where to where the values of a picture go, with their units, or that there are none."""
    if look.low is None or look.high is None:
        return "no value that is not missing"
    return _span(look, look.low, look.high)


def _span(look: QuickLook, low: float, high: float) -> str:
    units = look.units
    if look.packing is not None:
        low, high = sorted(float(look.packing.decode(limit)) for limit in (low, high))
        units = look.packing.units
    what = f"{look.part} " if look.part not in (None, "magnitude") else ""
    span = f"{what}values from {low:.6g} to {high:.6g}"
    return f"{span} {units}" if units else span


def _axis_text(axis: Axis) -> str:
    ends: tuple[str, str] | None = None
    if axis.labels:
        ends = (axis.labels[0], axis.labels[-1])
    elif axis.coordinates is not None and axis.size:
        ends = (number_text(float(axis.coordinates[0])), number_text(float(axis.coordinates[-1])))
    if ends is None:
        return f"{axis.label} ({axis.length:,})"
    return f"{axis.label} ({ends[0]} to {ends[1]}{f' {axis.units}' if axis.units else ''})"


def text_of(values: np.ndarray[Any, Any], states: States, points: Sequence[Points]) -> str:
    """Return values that are no numbers as text, a row a line.

    Parameters
    ----------
    values
        Of shape (n,), (n, m) or ().
    states
        Their cell states; what is missing is called so.
    points
        Their positions; empty for a single value.

    Returns
    -------
    str
    """
    texts = [
        _element(value, int(state))
        for value, state in zip(values.reshape(-1), states.reshape(-1), strict=True)
    ]
    if not points:
        return texts[0]
    digits = len(str(points[0].length - 1))
    numbers = points[0].indices.tolist()
    columns = points[1].size if len(points) == 2 else 1
    rows = [texts[start : start + columns] for start in range(0, len(texts), columns)]
    widths = [max(len(row[i]) for row in rows) for i in range(columns)]
    return "\n".join(
        f"{n:>{digits}}  {'  '.join(f'{t:<{w}}' for t, w in zip(row, widths, strict=True))}".rstrip()
        for n, row in zip(numbers, rows, strict=True)
    )


def _element(value: Any, state: int) -> str:
    if state == UNREADABLE:
        return f"({TITLES[state]})"
    if isinstance(value, bytes):
        text = text_of_bytes(value)
    else:
        text = str(value) if isinstance(value, str) else value_text(value)
    text = " ".join(text.splitlines())
    text = text if len(text) <= _LONGEST_TEXT else f"{text[: _LONGEST_TEXT - 1]}…"
    return text if state == VALUE else f"{text} ({TITLES[state]})"


def text_of_bytes(value: bytes) -> str:
    """Return bytes as the text that they most likely are."""
    try:
        text = value.rstrip(b"\0").decode()
    except UnicodeDecodeError:
        return repr(bytes(value))  # NumPy spells its own type
    return text if text.isprintable() else repr(bytes(value))


def hidden_by_xarray(array: Array, window: Window) -> int:
    """Return how many stored values of a picture xarray takes for missing although they are not.

    Parameters
    ----------
    array
        The array; see `Array.xarray_fill`.
    window
        What was read.
    """
    other = array.xarray_fill
    if other is None or other is array.fill or array.dimension_names is None:
        return 0
    return int(((window.storage_states == STORAGE_FILL) & (window.states == VALUE)).sum())


def hidden_text(array: Array, window: Window) -> str | None:
    """Return what xarray hides of a picture, in a sentence; None where it hides nothing.

    Parameters
    ----------
    array
        The array.
    window
        What was read.
    """
    number = hidden_by_xarray(array, window)
    if not number or array.storage_fill is None:
        return None
    return (
        f"xarray shows {number:,} of these {plural(window.states.size, 'value')} as missing: they equal the "
        f"fill_value {array.storage_fill.text}, which marks nothing"
    )
