"""A line drawn by matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from nz_explorer.plots.colours.ranges import threshold
from nz_explorer.plots.drawing.legends import (
    INK,
    MOST_CATEGORIES,
    legend,
    present,
    with_left_out,
)
from nz_explorer.plots.drawing.parts import (
    edges_of,
    places_of,
    safe,
    set_ticks,
)
from nz_explorer.plots.drawing.view import PATTERNS, View
from nz_explorer.plots.picture import QuickLook
from nz_explorer.values.masks.cell_states import (
    VALUE,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes


_STRIP = 0.03
"""Height of the strip below a line that shows which points are missing, as a part of the height."""


def draw_line(axes: Axes, look: QuickLook, view: View) -> None:
    """Draw values along an axis, with a strip below that shows which points are missing.

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
    x = places_of(look.x)
    good = states == VALUE
    numbers = view.values(look)
    values = np.where(good, numbers, np.nan)
    alone = good & ~(np.roll(good, 1) | np.roll(good, -1)) if good.size > 2 else good
    axes.plot(x, values, lw=1.4, color=INK, marker="o" if good.sum() <= 60 else "", ms=3)
    if alone.any():  # a point between gaps has no line to be seen by
        axes.plot(x[alone], values[alone], "o", ms=3, color=INK)
    low, high = view.heights(look)
    # first, or matplotlib looks for limits of its own, and warns where nothing is positive
    axes.set_ylim(low, high)
    if view.scale == "symlog":
        axes.set_yscale("symlog", linthresh=threshold(low, high))
    elif view.scale == "log":
        axes.set_yscale("log")
    edges = edges_of(look.x)
    for code in present(states):
        for start, stop in _runs(states == code):
            paper, ink, hatch = PATTERNS[code]
            ends = float(edges[start]), float(edges[stop])
            axes.axvspan(*ends, fc=ink, alpha=0.12, lw=0, zorder=0.5)
            axes.axvspan(*ends, ymax=_STRIP, fc=paper, ec=ink, hatch=hatch, lw=0, zorder=0.6)
    axes.set_xlim(min(edges[0], edges[-1]), max(edges[0], edges[-1]))
    axes.grid(visible=True, lw=0.4, alpha=0.5)
    axes.spines[["top", "right"]].set_visible(False)
    set_ticks(axes, look.x, "x")
    if look.categories:
        few = look.categories[:MOST_CATEGORIES]
        axes.set_yticks([c.value for c in few], [safe(c.label, 24) for c in few])
    axes.set_ylabel(safe(with_left_out(look, view)))
    legend(axes, states)


def _runs(where: np.ndarray[Any, Any], most: int = 500) -> list[tuple[int, int]]:
    """Return where something is true, as starts and stops."""
    steps = np.flatnonzero(np.diff(np.concatenate([[False], where, [False]])))
    return list(zip(steps[::2].tolist(), steps[1::2].tolist(), strict=True))[:most]
