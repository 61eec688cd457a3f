"""A histogram drawn by matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from nz_explorer.plots.drawing.legends import INK, quantity
from nz_explorer.plots.drawing.parts import (
    safe,
)
from nz_explorer.plots.drawing.view import View
from nz_explorer.plots.picture import Numbers, QuickLook

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def draw_histogram(axes: Axes, look: QuickLook, view: View) -> None:
    """Draw how often values occur, as steps.

    Parameters
    ----------
    axes
        Where to draw.
    look
        With `histogram`.
    view
        How it is to be drawn.
    """
    if look.histogram is None:
        return
    counts, edges = look.histogram.counts, look.histogram.edges
    if view.decoded and look.packing is not None:
        edges = look.packing.decode(edges)
    axes.stairs(counts, edges, fill=True, color=INK)
    most = highest(counts)
    if view.scale == "log":  # a single one is to be seen, and none is no height
        axes.set_yscale("function", functions=(np.log1p, np.expm1))
        axes.set_yticks(powers(most))
    axes.set_ylim(0, most)
    axes.set_xlim(float(edges.min()), float(edges.max()))
    axes.set_xlabel(safe(quantity(look, view)))
    axes.set_ylabel(f"number of {look.histogram.of.removeprefix('the ')}")
    axes.spines[["top", "right"]].set_visible(False)


def highest(counts: Numbers) -> float:
    """Return the height of the tallest bar that there is room for."""
    return max(1.0, float(counts.max()))


def powers(most: float) -> list[float]:
    """Return the powers of ten up to a height."""
    return [10.0**power for power in range(int(np.floor(np.log10(most))) + 1)]
