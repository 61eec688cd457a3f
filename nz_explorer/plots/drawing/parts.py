"""What figures are made of: axes, and names of things."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from nz_explorer.plots.picture import Axis, Numbers
from nz_explorer.text.source_code import line
from nz_explorer.text.units import units_text
from nz_explorer.values.coordinates.date_ticks import Tick, date_ticks

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_UNEVEN = 20
"""A grid whose widest cell is so many times its narrowest is drawn by number."""
_MOST_TICKS = 6
_MANY_DIGITS = 1e5
"""Such numbers, as of metres of a projection, need twice the room along x."""
SLICE_GAP = "   "
"""Between the dimensions in a title."""
_LONGEST = 90
ROUND = (1, 2, 2.5, 5, 10)
"""Between ticks, times a power of ten."""
_QUARTERS = (1, 1.5, 3, 4.5, 6, 9, 10)
"""Those of a large part of a circle in degrees, such as 30 and 45."""


def is_by_number(axis: Axis) -> bool:
    """Return whether the points of an axis are too uneven to be drawn where they lie."""
    if axis.coordinates is None:
        return True
    steps = np.abs(np.diff(axis.coordinates))
    return bool(steps.size and not steps.max() <= _UNEVEN * steps.min())


def places_of(axis: Axis) -> Numbers:
    """Return where the points of an axis lie."""
    if axis.coordinates is not None and axis.kind in ("number", "time"):
        if not is_by_number(axis):
            return axis.coordinates
        # by number, yet in the direction in which coordinates grow
        order = np.arange(axis.size, dtype=np.float64)
        return order[::-1].copy() if axis.decreasing else order
    if axis.kind == "index":
        return axis.start + axis.step * np.arange(axis.size, dtype=np.float64)
    return np.arange(axis.size, dtype=np.float64)


def edges_of(axis: Axis) -> Numbers:
    """Return the boundaries of the cells of an axis, half-way between its points."""
    places = places_of(axis)
    if len(places) == 1:
        half = 0.5 * axis.step if axis.kind == "index" else max(0.5, 0.01 * abs(places[0]))
        return np.array([places[0] - half, places[0] + half])
    middle = (places[:-1] + places[1:]) / 2
    edges: Numbers = np.concatenate(
        [[2 * places[0] - middle[0]], middle, [2 * places[-1] - middle[-1]]]
    )
    return edges


def is_even(edges: Numbers) -> bool:
    """Return whether all cells are as wide, as far as can be seen."""
    steps = np.diff(edges)
    return bool(np.all(np.abs(steps - steps.mean()) <= 0.01 * abs(steps.mean())))


Side = Literal["x", "y"]


def sides_of(axis: Axis) -> tuple[Side, Side, tuple[float, float]]:
    """Return along which side lines run and which one values have, and from where to where.

    Along depth or pressure they run from the top down.

    Parameters
    ----------
    axis
        Along which they have values.
    """
    edges = edges_of(axis)
    low, high = float(edges.min()), float(edges.max())
    return ("y", "x", (high, low)) if axis.upright else ("x", "y", (low, high))


def set_ticks(axes: Axes, axis: Axis, which: Literal["x", "y"]) -> None:
    """Give an axis of a figure the ticks and the title of an axis of a picture.

    Parameters
    ----------
    axes
        Those of the figure.
    axis
        The axis of the picture.
    which
        Which of the two axes of the figure.
    """
    from matplotlib.ticker import MaxNLocator

    target = axes.xaxis if which == "x" else axes.yaxis
    ticks = _named_ticks(axis, which)
    if ticks is not None:
        target.set_ticks(*ticks)
    else:
        long = which == "x" and np.abs(axes.dataLim.intervalx).max() >= _MANY_DIGITS
        # two maps on a figure have less room each
        box = axes.figure.bbox
        room = (box.width if which == "x" else 1.6 * box.height) / axes.figure.dpi
        most = min(4 if long else 8, max(2, int(room)))
        round_about = units_text(axis.units or "") in ("°", "°N", "°E")
        steps = _QUARTERS if round_about and float(np.ptp(places_of(axis))) > 60 else ROUND
        target.set_major_locator(MaxNLocator(most, integer=axis.kind == "index", steps=steps))
        axes.ticklabel_format(axis=which, useOffset=False, style="plain")
    target.set_label_text(safe(_axis_title(axis)))


def tick_program(axis: Axis, which: Literal["x", "y"]) -> list[str]:
    """Return lines that give an axis of pyplot what `set_ticks` gives one of a figure.

    Parameters
    ----------
    axis
        The axis of the picture.
    which
        Which of the two axes.
    """
    ticks = _named_ticks(axis, which)
    lines = [] if ticks is None else [line(f"plt.{which}ticks({{}}, {{}})", *ticks)]
    return [*lines, line(f"plt.{which}label({{}})", safe(_axis_title(axis)))]


def _named_ticks(axis: Axis, which: Literal["x", "y"]) -> tuple[list[float], list[str]] | None:
    """Return what is written where, of dates and names, and of numbers that lie elsewhere than their values."""
    places = places_of(axis)
    by_number = axis.kind == "number" and axis.coordinates is not places
    if axis.labels is None and not by_number:
        return None
    ticks = _ticks(axis, _MOST_TICKS if which == "x" else 2 * _MOST_TICKS)
    at = [number for number, _ in ticks]
    return places[at].tolist(), [safe(text, 24) for _, text in ticks]


def _ticks(axis: Axis, most: int) -> list[Tick]:
    """Return what is written at which points: where dates begin, else evenly."""
    if axis.kind == "time" and axis.labels is not None:
        for ticks in date_ticks(axis.labels):
            if len(ticks) <= most:
                return ticks
    chosen = np.unique(np.linspace(0, axis.size - 1, min(most, axis.size)).round().astype(int))
    texts = axis.labels
    if texts is None:
        assert axis.coordinates is not None  # noqa: S101  # numbers have coordinates
        texts = [f"{value:.6g}" for value in axis.coordinates]
    return [(int(at), texts[at]) for at in chosen]


def _axis_title(axis: Axis) -> str:
    name = axis.title or axis.label
    if axis.kind == "index":
        return f"{name} (index)"
    return named(name, axis.units)


def named(name: str, units: str | None) -> str:
    """Return a name with its units, if it has any; a name that is too long is cut off before them.

    Parameters
    ----------
    name
        The name.
    units
        As the array has them; None or an empty text for none.
    """
    after = f" ({units_text(units)})" if units else ""
    return f"{shortened(name, max(_LONGEST - len(after), 1))}{after}"


def safe(text: str, longest: int = _LONGEST) -> str:
    """Return a text from a store as matplotlib can draw it: it takes ``$`` for mathematics.

    Parameters
    ----------
    text
        Anything.
    longest
        The most characters; the rest is cut off.
    """
    clean = "".join(c if c.isprintable() else " " for c in text[: longest + 1])
    return shortened(clean, longest).replace("$", r"\$")


def shortened(text: str, longest: int) -> str:
    """Return a text that is no longer than a number of characters; what is cut off is marked.

    Parameters
    ----------
    text
        Anything.
    longest
        The most characters.
    """
    return text if len(text) <= longest else f"{text[: longest - 1]}…"
