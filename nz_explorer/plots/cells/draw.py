"""A map of cells drawn by matplotlib: pixel by pixel, as the browser draws it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from nz_explorer.plots.drawing.aspect import aspect_of_coordinates
from nz_explorer.plots.drawing.cells import draw_cells, patch_area
from nz_explorer.plots.drawing.legends import present
from nz_explorer.plots.drawing.parts import named, safe
from nz_explorer.plots.earth.draw import draw_earth
from nz_explorer.plots.map.draw import colours_of, explain
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
    draw_earth(axes, look, view, curved=True)
    axes.set_xlabel(safe(named(grid.x_label, grid.x_units)))
    axes.set_ylabel(safe(named(grid.y_label, grid.y_units)))
    axes.set_xlim(west, east)
    axes.set_ylim(south, north)
    if aspect_of_coordinates(grid) is not None:
        axes.set_aspect("equal")
    explain(drawn, axes, look, view, picture, colours, states)
