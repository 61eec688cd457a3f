"""A map drawn by matplotlib, on straight axes or on two-dimensional coordinates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from nz_explorer.plots.drawing.aspect import aspect_of_axes, aspect_of_coordinates
from nz_explorer.plots.drawing.cells import draw_cells, patch_area, upwards
from nz_explorer.plots.drawing.dates import date_ticks_of
from nz_explorer.plots.drawing.legends import MOST_CATEGORIES, legend, present, with_left_out
from nz_explorer.plots.drawing.parts import (
    edges_of,
    named,
    safe,
    set_ticks,
)
from nz_explorer.plots.drawing.pixels import category_colours, category_numbers
from nz_explorer.plots.drawing.view import Pattern, View
from nz_explorer.plots.earth.draw import draw_earth
from nz_explorer.plots.map.mesh import mesh
from nz_explorer.plots.picture import Numbers, QuickLook
from nz_explorer.values.masks.cell_states import (
    VALUE,
    States,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.patches import Patch, PathPatch
    from matplotlib.transforms import Bbox

    from nz_explorer.values.coordinates.curvilinear import Curvilinear


def draw_map(drawn: Figure, axes: Axes, look: QuickLook, view: View) -> None:
    """Draw values in colours on straight axes.

    Parameters
    ----------
    drawn
        The figure, for the colour bar.
    axes
        Where to draw.
    look
        With `values` and two axes.
    view
        How it is to be drawn.

    Raises
    ------
    ValueError
        If matplotlib knows no such colormap.
    """
    if look.x is None or look.y is None or look.values is None:
        return
    states = view.states(look)
    values = view.values(look)
    x, y = edges_of(look.x), edges_of(look.y)
    for code in present(states):
        patch_area(axes, states == code, x, y, view.pattern(code))
    colours = colours_of(look, view, values, states)
    shown = np.ma.masked_array(colours.values, mask=states != VALUE)
    picture = draw_cells(
        axes, shown, x, y, cmap=colours.colormap, norm=colours.norm, alpha=colours.alpha
    )
    draw_earth(axes, look, view)
    set_ticks(axes, look.x, "x")
    set_ticks(axes, look.y, "y")
    axes.set_xlim(min(x[0], x[-1]), max(x[0], x[-1]))
    axes.set_ylim(*upwards(look.y, y))
    if aspect_of_axes(look.x, look.y) is not None:
        axes.set_aspect("equal")
    explain(drawn, axes, look, view, picture, colours, states)


@dataclass(frozen=True, slots=True)
class ColoursOf:
    """How the values of a map are coloured."""

    values: Any
    colormap: Any
    norm: Any
    alpha: float | None
    extend: str = "neither"


def colours_of(look: QuickLook, view: View, values: Numbers, states: States) -> ColoursOf:
    """Return how the values of a map are coloured.

    Parameters
    ----------
    look, view
        The map, and how it is drawn.
    values, states
        What is drawn, and its cell states under the mask that was chosen.
    """
    from matplotlib.colors import BoundaryNorm, ListedColormap

    if look.categories:
        shades = category_colours(look)
        # an alpha of the mesh would take the place of theirs
        shades[:, 3] *= view.alpha or 1
        table = ListedColormap(shades)
        norm: Any = BoundaryNorm(np.arange(table.N + 1) - 0.5, table.N)
        return ColoursOf(category_numbers(look), table, norm, None)
    norm = view.norm(look)
    extend = _extend(values[states == VALUE], norm.vmin, norm.vmax)
    return ColoursOf(values, view.colours(look), norm, view.alpha, extend)


@dataclass(frozen=True, slots=True)
class _Beside:
    """Where a colour bar is drawn: right beside its map, which of all its room may take only the middle."""

    map: Axes

    def __call__(self, bar: Any, _: Any) -> Bbox:
        """Return the place of the bar in the figure; matplotlib asks for it whenever it draws."""
        own, room = bar.get_position(original=True), self.map.get_position(original=True)
        self.map.apply_aspect()
        drawn = self.map.get_position()
        right = drawn.x1 - room.x1
        place: Bbox = own.from_extents(own.x0 + right, drawn.y0, own.x1 + right, drawn.y1)
        return place


def explain(
    drawn: Figure,
    axes: Axes,
    look: QuickLook,
    view: View,
    picture: Any,
    colours: ColoursOf,
    states: States,
) -> None:
    """Add what the colours of a map mean: a colour bar or the names of categories, and the states.

    Parameters
    ----------
    drawn, axes
        The figure, and where the map is in it.
    look, view
        The map, and how it is drawn.
    picture
        What matplotlib made of the values.
    colours, states
        How they are coloured, and their cell states.
    """
    from matplotlib.colorbar import make_axes
    from matplotlib.patches import Patch

    patches: list[Patch] = []
    if look.categories:
        patches = [
            Patch(fc=shade, label=safe(category.label, 40))
            for category, shade in zip(
                look.categories[:MOST_CATEGORIES], category_colours(look), strict=False
            )
        ]
    elif (states == VALUE).any():
        room, given = make_axes(axes, pad=0.02, aspect=30)
        room.set_axes_locator(_Beside(axes))
        bar = drawn.colorbar(picture, cax=room, extend=colours.extend, **given)
        bar.set_label(safe(with_left_out(look, view)))
        if look.dates and look.values is not None:
            ticks, labels = date_ticks_of(look, bar.get_ticks(), view.span(look))
            bar.set_ticks(ticks, labels=labels)
        bar.outline.set_linewidth(0.5)  # type: ignore[operator, unused-ignore]
    legend(axes, states, patches)


def _outlined(
    x: np.ndarray[Any, Any],
    y: np.ndarray[Any, Any],
    where: np.ndarray[Any, Any],
    pattern: Pattern,
) -> PathPatch:
    """Return the cells of a state as one path, which alone can be hatched; a mesh cannot."""
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    paper, ink, hatch = pattern
    corners = np.stack([x, y], axis=-1)
    round_about = (corners[:-1, :-1], corners[:-1, 1:], corners[1:, 1:], corners[1:, :-1])
    # the first corner once more, which closes a cell
    outlines = np.stack([corner[where] for corner in (*round_about, round_about[0])], axis=1)
    codes = np.full(outlines.shape[:2], Path.LINETO, Path.code_type)
    codes[:, 0], codes[:, -1] = Path.MOVETO, Path.CLOSEPOLY
    path = Path(outlines.reshape(-1, 2), codes.reshape(-1))
    return PathPatch(path, fc=paper, ec=ink, hatch=hatch, lw=0, rasterized=True)


def draw_curvilinear(drawn: Figure, axes: Axes, look: QuickLook, view: View) -> None:
    """Draw a map on its two-dimensional coordinates.

    Parameters
    ----------
    drawn
        The figure, for the colour bar.
    axes
        Where to draw.
    look
        With `values` and `curvilinear`.
    view
        How it is to be drawn.

    Raises
    ------
    ValueError
        If matplotlib knows no such colormap.
    """
    cells = None if look.curvilinear is None else mesh(look.curvilinear, view.window)
    if look.curvilinear is None or cells is None:
        return

    grid = look.curvilinear
    states = view.states(look)
    colours = colours_of(look, view, view.values(look), states)
    for turn in cells.turns:
        for code in present(states):
            where = (states == code) & cells.whole
            if where.any():
                outlined = _outlined(cells.x + turn, cells.y, where, view.pattern(code))
                # add_patch goes through every edge for limits, which are set below
                axes.add_artist(outlined)
        shown = np.ma.masked_array(colours.values, mask=(states != VALUE) | ~cells.whole)
        picture = axes.pcolormesh(
            cells.x + turn,
            cells.y,
            shown,
            cmap=colours.colormap,
            norm=colours.norm,
            alpha=colours.alpha,
            rasterized=True,
        )
    lay_out(axes, look, view, grid, (*cells.x_limits, *cells.y_limits))
    explain(drawn, axes, look, view, picture, colours, states)


def lay_out(
    axes: Axes,
    look: QuickLook,
    view: View,
    grid: Curvilinear,
    limits: tuple[float, float, float, float],
) -> None:
    """Draw coastlines and a graticule over a map on coordinates of its points, name its axes and set their limits.

    Parameters
    ----------
    axes
        Where the map is drawn.
    look, view
        The map, and how it is drawn.
    grid
        The coordinates.
    limits
        The lowest and highest x, the lowest and highest y.
    """
    draw_earth(axes, look, view, curved=True)
    axes.set_xlabel(safe(named(grid.x_label, grid.x_units)))
    axes.set_ylabel(safe(named(grid.y_label, grid.y_units)))
    axes.set_xlim(*limits[:2])
    axes.set_ylim(*limits[2:])
    if aspect_of_coordinates(grid) is not None:
        axes.set_aspect("equal")


def _extend(values: Any, low: float | None, high: float | None) -> str:
    below, above = bool((values < low).any()), bool((values > high).any())
    return {(True, True): "both", (True, False): "min", (False, True): "max"}.get(
        (below, above), "neither"
    )
