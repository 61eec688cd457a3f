"""The one-dimensional arrays of a group drawn together by matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from nz_explorer.plots.colours.categories import category_colour
from nz_explorer.plots.drawing.canvas import empty, lock
from nz_explorer.plots.drawing.parts import edges_of, named, places_of, safe, set_ticks
from nz_explorer.plots.drawing.view import Doubles, View
from nz_explorer.plots.picture import QuickLook
from nz_explorer.values.masks.cell_states import (
    VALUE,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from nz_explorer.plots.lines.collect import Lines


_AIR = 0.05
"""Room above and below a line, as a part of its height."""


def lines_figure(found: Lines, *, width: float = 8.0, height: float = 5.0) -> Figure:
    """Draw the one-dimensional arrays of a group together.

    Parameters
    ----------
    found
        From `lines`.
    width, height
        In inches.

    Returns
    -------
    matplotlib.figure.Figure
        Arrays in different units each have a scale of their own, from their lowest to their highest.
    """
    with lock:
        drawn, axes = empty(width, height)
        edges = edges_of(found.x) if found.x.size else np.array([0.0, 1.0])
        units = [look.packing.units if look.packing else look.units for look in found.looks]
        together = len(set(units)) <= 1
        for number, (look, unit) in enumerate(zip(found.looks, units, strict=True)):
            name = safe(named(look.name or look.path.rsplit("/", 1)[-1], unit), 40)
            values = _lone_line(look, scaled=not together)
            colour = category_colour(number)
            axes.plot(places_of(found.x), values, lw=1.4, color=colour, label=name)
        axes.margins(y=_AIR)
        axes.set_xlim(min(edges[0], edges[-1]), max(edges[0], edges[-1]))
        axes.grid(visible=True, lw=0.4, alpha=0.5)
        set_ticks(axes, found.x, "x")
        if together:
            axes.set_ylabel(safe(units[0] or "" if units else ""))
        else:
            axes.set_yticks([])
        if found.message:
            axes.set_title(safe(found.message), loc="left", fontsize="medium")
        if found.looks:
            drawn.legend(loc="outside lower left", ncols=4, fontsize="small", frameon=False)
        return drawn


def _lone_line(look: QuickLook, *, scaled: bool) -> Doubles:
    """Return the decoded values of a line, NaN where it is broken; from 0 to 1 where `scaled`."""
    view = View()
    good = view.states(look) == VALUE
    values = np.where(good, view.values(look).astype(np.float64), np.nan)
    if not scaled or not good.any():
        return values
    low, high = values[good].min(), values[good].max()
    return np.where(good, 0.5, np.nan) if low == high else (values - low) / (high - low)
