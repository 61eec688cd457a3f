"""A map of cells drawn by matplotlib: pixel by pixel, as the browser draws it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from nz_explorer.plots.drawing.cells import draw_cells, patch_area
from nz_explorer.plots.drawing.legends import present
from nz_explorer.plots.map.draw import colours_of, explain, lay_out
from nz_explorer.plots.picture import QuickLook
from nz_explorer.values.masks.cell_states import VALUE

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from nz_explorer.plots.drawing.view import View


def draw_unstructured(drawn: Figure, axes: Axes, look: QuickLook, view: View) -> None:
    """Draw a map of cells.

    Parameters
    ----------
    drawn
        The figure, for the colour bar.
    axes
        Where to draw.
    look
        With `values` and `curvilinear`, which knows the cell at each pixel.
    view
        How it is to be drawn.

    Raises
    ------
    ValueError
        If matplotlib knows no such colormap.
    """
    grid = look.curvilinear
    if grid is None or grid.nearest is None:
        return
    cells = grid.nearest[::-1]
    there = cells >= 0
    west, east, south, north = grid.limits
    x = np.linspace(west, east, cells.shape[1] + 1)
    y = np.linspace(south, north, cells.shape[0] + 1)
    states = view.states(look)
    at_pixels = states[cells]
    for code in present(states):
        patch_area(axes, there & (at_pixels == code), x, y, view.pattern(code))
    colours = colours_of(look, view, view.values(look), states)
    shown = np.ma.masked_array(colours.values[cells], mask=~there | (at_pixels != VALUE))
    picture = draw_cells(
        axes, shown, x, y, cmap=colours.colormap, norm=colours.norm, alpha=colours.alpha
    )
    lay_out(axes, look, view, grid, grid.limits)
    explain(drawn, axes, look, view, picture, colours, states)
