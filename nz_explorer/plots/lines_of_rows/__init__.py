"""Several lines: numbers along one axis, a line for each index of another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from nz_explorer.model import Array
from nz_explorer.plots.axes import is_text, long_axes, plane_axes
from nz_explorer.plots.colours.categories import category_colour, category_hex
from nz_explorer.plots.drawing.legends import with_left_out
from nz_explorer.plots.drawing.parts import places_of, safe, set_ticks, sides_of, tick_program
from nz_explorer.plots.drawing.view import View
from nz_explorer.plots.kind import PictureKind
from nz_explorer.plots.line.draw import heights_program, set_heights
from nz_explorer.plots.numeric import numeric_picture
from nz_explorer.plots.picture import Axis, QuickLook
from nz_explorer.plots.source import PictureSource
from nz_explorer.text.source_code import line as code_line
from nz_explorer.text.units import with_units
from nz_explorer.values.masks.cell_states import VALUE
from nz_explorer.values.window import Window

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from nz_explorer.plots.kind import Places

MOST_LINES = 12
"""Of more rows, evenly spaced ones are drawn."""
_MOST_NAMES = 24


class LinesOfRows(PictureKind):
    """Numbers along one axis, a line for each index of another."""

    name = "lines"
    controls = ("mask", "limits", "low", "high", "scale", "decoded")
    overviews = False

    def suits(self, array: Array) -> bool:
        """Return whether an array of numbers has two axes that are longer than 1."""
        return not is_text(array) and len(long_axes(array.shape or ())) >= 2

    def axes(self, array: Array) -> tuple[int, ...]:
        """Return the axes of what a map would show: its rows become lines."""
        return plane_axes(array)

    def most_points(
        self, axes: Sequence[int], width: int, height: int, *, bounded: bool
    ) -> tuple[int, ...]:
        """Return the most lines and points of each; see `PictureKind.most_points`."""
        return (MOST_LINES if bounded else max(MOST_LINES, height), 2 * width)

    def build(
        self, source: PictureSource, window: Window, shared: dict[str, Any], most: int
    ) -> QuickLook:
        """Return the lines of what was read; see `PictureKind.build`."""
        return numeric_picture(self.name, source, window, shared)

    def draw(self, drawn: Figure, axes: Axes, look: QuickLook, view: View) -> None:
        """Draw the lines, with their coordinates beside them; see `PictureKind.draw`."""
        if look.x is None or look.y is None:
            return
        good = view.states(look) == VALUE
        rows = np.where(good, view.values(look), np.nan)
        places = places_of(look.x)
        along, across, ends = sides_of(look.x)
        for number, (row, name) in enumerate(zip(rows, row_names(look.y), strict=True)):
            label = name if number < _MOST_NAMES else None
            line = (places, row) if along == "x" else (row, places)
            axes.plot(*line, lw=1.4, color=category_colour(number), label=label)
        set_ticks(axes, look.x, along)
        set_heights(axes, across, look, view)
        axes.set(**{f"{along}lim": ends, f"{across}label": safe(with_left_out(look, view))})
        axes.grid(visible=True, lw=0.4, alpha=0.5)
        axes.spines[["top", "right"]].set_visible(False)
        drawn.legend(
            loc="outside right center",
            title=safe(look.y.label, 24),
            fontsize="small",
            frameon=False,
        )

    def program(self, look: QuickLook, view: View, values: str, places: Places) -> list[str]:
        """Return Python that draws the lines; see `PictureKind.program`."""
        if look.x is None or look.y is None:
            return [f"print({values})"]
        names = row_names(look.y)
        along, across, ends = sides_of(look.x)
        colours = [category_hex(number) for number in range(len(names))]
        return [
            *places(look.x, along),
            code_line("names = {}", names),
            code_line("colours = {}", colours),
            f"for row, name, colour in zip({values}, names, colours):",
            f"    plt.plot({'x, row' if along == 'x' else 'row, y'}, color=colour, label=name)",
            *heights_program(across, look, view),
            code_line(f"plt.{along}lim({{}}, {{}})", *ends),
            code_line("plt.legend(title={})", safe(look.y.label, 24)),
            *tick_program(look.x, along),
            code_line(f"plt.{across}label({{}})", safe(with_left_out(look, view))),
        ]


LINES_OF_ROWS = LinesOfRows()


def row_names(axis: Axis) -> list[str]:
    """Return what the lines are called: the coordinate of each with its units, else its index."""
    if axis.labels is not None:
        return [safe(label, 24) for label in axis.labels]
    if axis.coordinates is None:
        return [f"[{axis.start + axis.step * at}]" for at in range(axis.size)]
    numbers = axis.coordinates.tolist()
    return [safe(with_units(f"{number:.6g}", axis.units), 24) for number in numbers]
