"""A map: numbers in colours over two axes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from nz_explorer.model import Array
from nz_explorer.plots.axes import is_text, long_axes, plane_axes, uprightness
from nz_explorer.plots.drawing.pixels import Image, area, levels, shades
from nz_explorer.plots.drawing.view import View
from nz_explorer.plots.earth.overlay import on_coordinates
from nz_explorer.plots.kind import PictureKind
from nz_explorer.plots.map.draw import draw_curvilinear, draw_map
from nz_explorer.plots.map.mesh import limits_of
from nz_explorer.plots.map.program import map_program
from nz_explorer.plots.numeric import numeric_picture
from nz_explorer.plots.picture import QuickLook
from nz_explorer.plots.source import PictureSource
from nz_explorer.values.window import Window

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from nz_explorer.plots.kind import Places


class Map(PictureKind):
    """Numbers in colours over two axes."""

    name = "map"
    controls = (
        *("mask", "colormap", "reverse", "limits", "low", "high", "scale", "levels"),
        *("decoded", "curvilinear", "window", "coastlines", "graticule"),
    )

    def suits(self, array: Array) -> bool:
        """Return whether an array of numbers has two axes that are longer than 1."""
        return not is_text(array) and len(long_axes(array.shape or ())) >= 2

    def axes(self, array: Array) -> tuple[int, ...]:
        """Return the axes of rows and columns; those that run up and down are rows, also where the array has them last."""
        rows, columns = plane_axes(array)
        if uprightness(array, columns) > uprightness(array, rows):
            return columns, rows
        return rows, columns

    def build(
        self, source: PictureSource, window: Window, shared: dict[str, Any], most: int
    ) -> QuickLook:
        """Return the map of what was read; see `PictureKind.build`."""
        look = numeric_picture(self.name, source, window, shared)
        grid = source.curvilinear(window)
        if grid is None:
            return replace(look, earth=source.earth(look.x, look.y))
        grid = replace(grid, limits=limits_of(grid, source.window))
        return replace(look, curvilinear=grid, earth=on_coordinates(grid))

    def draw(self, drawn: Figure, axes: Axes, look: QuickLook, view: View) -> None:
        """Draw the map; see `PictureKind.draw`."""
        if view.curvilinear and look.curvilinear is not None:
            draw_curvilinear(drawn, axes, look, view)
        else:
            draw_map(drawn, axes, look, view)

    def program(self, look: QuickLook, view: View, values: str, places: Places) -> list[str]:
        """Return Python that draws the map; see `PictureKind.program`."""
        return map_program(look, view, values, places)

    def thumbnail(self, look: QuickLook, width: int, height: int) -> Image | None:
        """Return the map as a small image; see `PictureKind.thumbnail`."""
        if look.values is None or look.low is None:
            return None
        return area(shades(look) if look.categories else levels(look), look, width, height)


MAP = Map()
