"""Python that draws a map of cells."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from nz_explorer.plots.map.program import (
    bar_program,
    colour_program,
    layout_program,
    numbered_program,
)
from nz_explorer.plots.picture import QuickLook
from nz_explorer.text.source_code import comment, line

if TYPE_CHECKING:
    from nz_explorer.plots.drawing.view import View
    from nz_explorer.plots.kind import Places

_AREA = 60_000
"""Square points that all dots together take, on a map of the usual size."""


def cells_program(look: QuickLook, view: View, values: str, places: Places) -> list[str]:
    """Return lines that draw each cell as a dot, with the colours and limits in force; see `PictureKind.program`.

    Parameters
    ----------
    look
        The map.
    view
        How it is drawn.
    values
        An expression for what is drawn.
    places
        Returns the lines that bind where the cells lie.
    """
    grid = look.curvilinear
    if grid is None or look.values is None:
        return [f"print({values})"]
    lines = [*places(grid, "x"), *places(grid, "y")]
    if len(lines) < 2:
        return [
            comment("ex.figure() draws the map: where its cells lie is not read here"),
            f"print({values})",
        ]
    west, east, south, north = grid.limits
    if grid.circle:
        lines.append(line("x = (x - {}) % {} + {}", west, grid.circle, west))
    if look.categories:
        counted, values = numbered_program(look, values)
        lines += counted
    imported, colours = colour_program(look, view)
    here = int(grid.inside({grid.x_label: (west, east), grid.y_label: (south, north)}).sum())
    size = float(f"{np.clip(_AREA / max(1, here), 0.5, 40):.2g}")
    return [
        *lines,
        *imported,
        f"plt.scatter(x, y, c={values}, {colours}, s={size}, linewidths=0)",
        *bar_program(look, view),
        *layout_program(look, view, grid, grid.limits),
    ]
