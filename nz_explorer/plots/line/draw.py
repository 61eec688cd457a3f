"""A line drawn by matplotlib."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np

from nz_explorer.plots.colours.ranges import threshold
from nz_explorer.plots.drawing.dates import date_ticks_of
from nz_explorer.plots.drawing.legends import (
    INK,
    MOST_CATEGORIES,
    legend,
    present,
    with_left_out,
)
from nz_explorer.plots.drawing.parts import (
    ROUND,
    edges_of,
    places_of,
    safe,
    set_ticks,
    sides_of,
)
from nz_explorer.plots.drawing.view import PATTERNS, View
from nz_explorer.plots.picture import QuickLook
from nz_explorer.text.source_code import arguments
from nz_explorer.text.source_code import line as code_line
from nz_explorer.values.masks.cell_states import (
    VALUE,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes


_STRIP = 0.03
"""Height of the strip below a line that shows which points are missing, as a part of the height."""


def draw_line(axes: Axes, look: QuickLook, view: View) -> None:
    """Draw values along an axis, with a strip beside it that shows which points are missing.

    Along depth or pressure they are a profile, from the top down.

    Parameters
    ----------
    axes
        Where to draw.
    look
        With `values` and an axis.
    view
        How it is to be drawn.
    """
    if look.x is None or look.values is None:
        return
    states = view.states(look)
    places = places_of(look.x)
    along, across, ends = sides_of(look.x)
    upright = along == "y"
    good = states == VALUE
    numbers = view.values(look)
    values = np.where(good, numbers, np.nan)
    alone = good & ~(np.roll(good, 1) | np.roll(good, -1)) if good.size > 2 else good
    line = (values, places) if upright else (places, values)
    axes.plot(*line, lw=1.4, color=INK, marker="o" if good.sum() <= 60 else "", ms=3)
    if alone.any():  # a point between gaps has no line to be seen by
        axes.plot(*(one[alone] for one in line), "o", ms=3, color=INK)
    set_heights(axes, across, look, view)
    edges = edges_of(look.x)
    for code in present(states):
        for start, stop in _runs(states == code):
            paper, ink, hatch = PATTERNS[code]
            run = float(edges[start]), float(edges[stop])
            mark: Any = axes.axhspan if upright else axes.axvspan
            strip = {f"{across}max": _STRIP}
            mark(*run, fc=ink, alpha=0.12, lw=0, zorder=0.5)
            mark(*run, **strip, fc=paper, ec=ink, hatch=hatch, lw=0, zorder=0.6)
    axes.set(**{f"{along}lim": ends})
    axes.grid(visible=True, lw=0.4, alpha=0.5)
    axes.spines[["top", "right"]].set_visible(False)
    set_ticks(axes, look.x, along)
    if look.categories:
        few = look.categories[:MOST_CATEGORIES]
        named = axes.set_xticks if upright else axes.set_yticks
        named([c.value for c in few], [safe(c.label, 24) for c in few])
    elif look.dates:
        named = axes.set_xticks if upright else axes.set_yticks
        there = axes.get_xticks() if upright else axes.get_yticks()
        named(*date_ticks_of(look, there, view.heights(look)))
    axes.set(**{f"{across}label": safe(with_left_out(look, view))})
    legend(axes, states)


def set_heights(axes: Axes, across: str, look: QuickLook, view: View) -> None:
    """Set the limits and the scale of the axis of values.

    Parameters
    ----------
    axes
        Where a line is drawn.
    across
        That axis, ``"x"`` or ``"y"``.
    look, view
        What is drawn, and how.
    """
    from matplotlib.ticker import MaxNLocator

    low, high = view.heights(look)
    # first, or matplotlib looks for limits of its own, and warns where nothing is positive
    axes.set(**{f"{across}lim": (low, high)})
    set_scale = axes.set_xscale if across == "x" else axes.set_yscale
    if view.scale == "symlog":
        set_scale("symlog", linthresh=threshold(low, high))
    elif view.scale == "log":
        set_scale("log")
    elif re.match(r"u?int\d", look.data_type or "") and look.packing is None and not look.derived:
        ticks = MaxNLocator("auto", integer=True, steps=ROUND)  # there is nothing half-way
        (axes.xaxis if across == "x" else axes.yaxis).set_major_locator(ticks)


def heights_program(across: str, look: QuickLook, view: View) -> list[str]:
    """Return Python that does what `set_heights` does.

    Parameters
    ----------
    across
        The axis of the values: ``x`` where a profile is upright, else ``y``.
    look
        The picture.
    view
        How it is drawn.
    """
    low, high = view.heights(look)
    lines = [code_line(f"plt.{across}lim({{}}, {{}})", low, high)]
    if view.scale != "linear":
        near_zero = threshold(low, high) if view.scale == "symlog" else None
        lines.append(f"plt.{across}scale({arguments(repr(view.scale), linthresh=near_zero)})")
    return lines


def _runs(where: np.ndarray[Any, Any], most: int = 500) -> list[tuple[int, int]]:
    """Return where something is true, as starts and stops."""
    steps = np.flatnonzero(np.diff(np.concatenate([[False], where, [False]])))
    return list(zip(steps[::2].tolist(), steps[1::2].tolist(), strict=True))[:most]
