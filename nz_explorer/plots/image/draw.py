"""An image in colours drawn by matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nz_explorer.plots.drawing.cells import patch_area, upwards
from nz_explorer.plots.drawing.legends import legend, present
from nz_explorer.plots.drawing.parts import (
    edges_of,
    set_ticks,
)
from nz_explorer.plots.drawing.view import View
from nz_explorer.plots.earth.draw import draw_earth
from nz_explorer.plots.picture import QuickLook

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def draw_image(axes: Axes, look: QuickLook, view: View) -> None:
    """Draw colours, and hatched areas where there are none.

    Parameters
    ----------
    axes
        Where to draw.
    look
        With `image` and two axes.
    view
        How it is to be drawn.
    """
    if look.x is None or look.y is None or look.image is None:
        return
    states = view.states(look)
    x, y = edges_of(look.x), edges_of(look.y)
    for code in present(states):
        patch_area(axes, states == code, x, y, view.pattern(code))
    extent = (float(x[0]), float(x[-1]), float(y[0]), float(y[-1]))
    axes.imshow(look.image, origin="lower", extent=extent, aspect="equal", interpolation="nearest")
    draw_earth(axes, look, view)
    set_ticks(axes, look.x, "x")
    set_ticks(axes, look.y, "y")
    axes.set_xlim(min(x[0], x[-1]), max(x[0], x[-1]))
    axes.set_ylim(*upwards(look.y, y))
    legend(axes, states)
