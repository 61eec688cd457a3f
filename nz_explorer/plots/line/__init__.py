"""A line: numbers along one axis."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from nz_explorer.model import Array
from nz_explorer.plots.axes import is_text, long_axes
from nz_explorer.plots.drawing.dates import written_dates
from nz_explorer.plots.drawing.legends import MOST_CATEGORIES, with_left_out
from nz_explorer.plots.drawing.parts import safe, sides_of, tick_program
from nz_explorer.plots.drawing.pixels import Image, forward, levels, line
from nz_explorer.plots.drawing.view import View
from nz_explorer.plots.kind import PictureKind
from nz_explorer.plots.line.draw import draw_line, heights_program
from nz_explorer.plots.numeric import numeric_picture
from nz_explorer.plots.picture import QuickLook
from nz_explorer.plots.source import PictureSource
from nz_explorer.text.source_code import line as code_line
from nz_explorer.values.window import Window

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from nz_explorer.plots.kind import Places


class Line(PictureKind):
    """Numbers along one axis."""

    name = "line"
    controls = ("mask", "limits", "low", "high", "scale", "decoded")
    every_element = True

    def suits(self, array: Array) -> bool:
        """Return whether an array of numbers has an axis that is longer than 1."""
        return not is_text(array) and bool(long_axes(array.shape or ()))

    def axes(self, array: Array) -> tuple[int, ...]:
        """Return the last axis that is longer than 1."""
        return long_axes(array.shape or ())[-1:]

    def build(
        self, source: PictureSource, window: Window, shared: dict[str, Any], most: int
    ) -> QuickLook:
        """Return the line of what was read; see `PictureKind.build`."""
        look = numeric_picture(self.name, source, window, shared, thin_to=most)
        return replace(look, upright=look.x is not None and look.x.upright)

    def draw(self, drawn: Figure, axes: Axes, look: QuickLook, view: View) -> None:
        """Draw the line; see `PictureKind.draw`."""
        draw_line(axes, look, view)

    def program(self, look: QuickLook, view: View, values: str, places: Places) -> list[str]:
        """Return Python that draws the line; see `PictureKind.program`."""
        if look.x is None:
            return [f"print({values})"]
        along, across, ends = sides_of(look.x)
        line = f"x, {values}" if along == "x" else f"{values}, y"
        lines = [*places(look.x, along), f"plt.plot({line})", *heights_program(across, look, view)]
        lines.append(code_line(f"plt.{along}lim({{}}, {{}})", *ends))
        if look.categories:
            few = look.categories[:MOST_CATEGORIES]
            names = [safe(one.label, 24) for one in few]
            lines.append(
                code_line(f"plt.{across}ticks({{}}, {{}})", [one.value for one in few], names)
            )
        ticks, dates = written_dates(look, view.heights(look))
        if dates:
            lines.append(code_line(f"plt.{across}ticks({{}}, {{}})", ticks, dates))
        named = code_line(f"plt.{across}label({{}})", safe(with_left_out(look, view)))
        return [*lines, *tick_program(look.x, along), named]

    def thumbnail(self, look: QuickLook, width: int, height: int) -> Image | None:
        """Return the line as a small image; see `PictureKind.thumbnail`."""
        if look.x is None or look.values is None or look.low is None:
            return None
        shades = forward(levels(look), look.x, axis=0)
        if look.upright:
            return line(shades, height, width).T[:, ::-1]
        return line(shades, width, height)


LINE = Line()
