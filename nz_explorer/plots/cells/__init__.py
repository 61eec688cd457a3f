"""A map of cells: numbers in colours where the cells of an unstructured grid lie, or stations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np

from nz_explorer.model import Array
from nz_explorer.plots.axes import is_text
from nz_explorer.plots.cells.draw import draw_unstructured
from nz_explorer.plots.cells.nearest import Limits, nearest_cells
from nz_explorer.plots.cells.program import cells_program
from nz_explorer.plots.drawing.aspect import aspect_of_coordinates
from nz_explorer.plots.drawing.pixels import Image, levels, shades, thinned
from nz_explorer.plots.drawing.view import View
from nz_explorer.plots.earth.overlay import on_coordinates
from nz_explorer.plots.kind import PictureKind
from nz_explorer.plots.line import LINE
from nz_explorer.plots.map.mesh import limits_of
from nz_explorer.plots.numeric import numeric_picture
from nz_explorer.plots.picture import QuickLook
from nz_explorer.plots.source import PictureSource
from nz_explorer.values.coordinates.curvilinear import cell_axis
from nz_explorer.values.coordinates.dimension_coordinate import find_coordinate
from nz_explorer.values.coordinates.healpix import NOT_INSTALLED, healpix
from nz_explorer.values.coordinates.times import is_time
from nz_explorer.values.window import Window

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from nz_explorer.plots.kind import Places
    from nz_explorer.values.coordinates.curvilinear import Curvilinear

_PIXELS = 360_000
_MANY = 500
"""Of fewer points, such as those of stations or of a section, a map is not what is looked for first."""


class Cells(PictureKind):
    """Numbers in colours where the cells of an unstructured grid lie."""

    name = "cells"
    noun = "map of cells"
    controls = (
        *("mask", "colormap", "reverse", "limits", "low", "high", "scale", "levels"),
        *("decoded", "window", "coastlines", "graticule"),
    )
    overviews = False

    def suits(self, array: Array) -> bool:
        """Return whether an array of numbers has a dimension with two coordinates, such as latitude and longitude of cells."""
        return not is_text(array) and cell_axis(array) is not None

    def is_usual(self, array: Array) -> bool:
        """Return whether there are many cells, which do not follow each other in time."""
        axis = cell_axis(array)
        if axis is None or (array.shape or ())[axis] < _MANY:
            return False
        coordinate, _ = find_coordinate(array, axis)
        return coordinate is None or not is_time(coordinate.attributes)

    def axes(self, array: Array) -> tuple[int, ...]:
        """Return the dimension of the cells."""
        axis = cell_axis(array)
        return () if axis is None else (axis,)

    def most_points(
        self, axes: Sequence[int], width: int, height: int, *, bounded: bool
    ) -> tuple[int, ...]:
        """Return the most cells: as many as there are pixels."""
        return (width * height,)

    def build(
        self, source: PictureSource, window: Window, shared: dict[str, Any], most: int
    ) -> QuickLook:
        """Return the map of what was read; a line along another dimension, and where the places of cells cannot be read.

        See `PictureKind.build`.
        """
        grid = source.curvilinear(window)
        if grid is None:
            look = LINE.build(source, window, shared, most)
            if source.axes != self.axes(source.array):
                return look
            lacks = find_spec("healpix_geo") is None and healpix(source.array, source.axes[0])
            why = NOT_INSTALLED if lacks else "where the cells lie could not be read"
            return replace(look, message=f"{look.message}; {why}" if look.message else why)
        look = numeric_picture(self.name, source, window, shared)
        grid = replace(grid, limits=_around_the_globe(grid, limits_of(grid, source.window)))
        wide = np.sqrt(_PIXELS * (aspect_of_coordinates(grid) or 2))
        dots = (source.shape or ())[window.axes[0].axis] < _MANY
        size = round(wide), round(_PIXELS / wide)
        grid = replace(grid, nearest=nearest_cells(grid, *size, dots=dots))
        return replace(look, curvilinear=grid, earth=on_coordinates(grid))

    def can_draw(self, look: QuickLook) -> bool:
        """Return whether a picture has values, and places for them."""
        return look.values is not None and look.curvilinear is not None

    def draw(self, drawn: Figure, axes: Axes, look: QuickLook, view: View) -> None:
        """Draw the map; see `PictureKind.draw`."""
        draw_unstructured(drawn, axes, look, view)

    def program(self, look: QuickLook, view: View, values: str, places: Places) -> list[str]:
        """Return Python that draws the map; see `PictureKind.program`."""
        return cells_program(look, view, values, places)

    def thumbnail(self, look: QuickLook, width: int, height: int) -> Image | None:
        """Return the map as a small image; see `PictureKind.thumbnail`."""
        if look.low is None or look.curvilinear is None:
            return None
        cells = look.curvilinear.nearest
        if cells is None:
            return None
        image = (shades(look) if look.categories else levels(look))[cells]
        image[cells < 0] = 0
        return thinned(image, width, height)


def _around_the_globe(grid: Curvilinear, limits: Limits) -> Limits:
    """Return limits that go no further than the poles; around the Earth they begin at the date line or in Greenwich."""
    west, east, south, north = limits
    if not grid.circle:
        return limits
    if east - west > grid.circle - 1:
        west = 180.0 * round(west / 180)
        east = west + grid.circle
    return west, east, max(south, -90.0), min(north, 90.0)


CELLS = Cells()
