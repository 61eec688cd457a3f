"""Python that draws a map."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from nz_explorer.plots.colours.categories import hex_of
from nz_explorer.plots.colours.ranges import Scale, threshold
from nz_explorer.plots.drawing.aspect import aspect_of_axes, aspect_of_coordinates
from nz_explorer.plots.drawing.dates import written_dates
from nz_explorer.plots.drawing.legends import MOST_CATEGORIES, with_left_out
from nz_explorer.plots.drawing.parts import edges_of, named, safe, tick_program
from nz_explorer.plots.drawing.pixels import category_colours
from nz_explorer.plots.drawing.view import View
from nz_explorer.plots.earth.draw import earth_program
from nz_explorer.plots.map.mesh import WIDEST, Mesh, mesh
from nz_explorer.plots.picture import Axis, QuickLook
from nz_explorer.plots.summaries import object_colour
from nz_explorer.text.source_code import arguments, line, noted
from nz_explorer.values.coordinates.curvilinear import Curvilinear

if TYPE_CHECKING:
    from nz_explorer.plots.kind import Places

_MOST_LISTED = 64
"""The colours of more categories are computed as `category_colour` does."""


def map_program(look: QuickLook, view: View, values: str, places: Places) -> list[str]:
    """Return lines that draw a map with the colours and limits in force; see `PictureKind.program`.

    Parameters
    ----------
    look
        The map.
    view
        How it is drawn.
    values
        An expression for what is drawn.
    places
        Returns the lines that bind where the points of an axis lie.
    """
    if look.x is None or look.y is None or look.values is None:
        return [f"print({values})"]
    grid = look.curvilinear if view.curvilinear else None
    cells = None if grid is None else mesh(grid, view.window)
    lines = [] if grid is None or cells is None else [*places(grid, "x"), *places(grid, "y")]
    curved = len(lines) == 2
    if look.categories:
        counted, values = numbered_program(look, values)
        lines += counted
    if grid is not None and cells is not None and curved:
        prepared, values = _cells(grid, cells, values)
        lines += prepared
    elif not curved:
        lines = [*places(look.x, "x"), *places(look.y, "y"), *lines]
        if 1 in (look.x.size, look.y.size):
            lines += _edges(look.x, look.y)
    imported, colours = colour_program(look, view)
    lines += imported
    given = f"{arguments('x + turn' if curved else 'x', 'y', values)}, {colours}"
    bar = bar_program(look, view)
    if grid is not None and curved and cells is not None:
        return [
            *lines,
            line("for turn in {}:", [*cells.turns]),
            f"    plt.pcolormesh({given})",
            *bar,
            *layout_program(look, view, grid, (*cells.x_limits, *cells.y_limits)),
        ]
    lines += [f"plt.pcolormesh({given})", *bar]
    if look.curvilinear is None:
        lines += earth_program(look, view)
    if look.y.downwards:
        lines.append("plt.gca().invert_yaxis()")
    lines += _equal(aspect_of_axes(look.x, look.y))
    return [*lines, *tick_program(look.x, "x"), *tick_program(look.y, "y")]


def layout_program(
    look: QuickLook, view: View, grid: Curvilinear, limits: tuple[float, float, float, float]
) -> list[str]:
    """Return lines that do for pyplot what `lay_out` does for a figure.

    Parameters
    ----------
    look, view
        The map, and how it is drawn.
    grid
        The coordinates of its points.
    limits
        The lowest and highest x, the lowest and highest y.
    """
    return [
        *earth_program(look, view, limits),
        line("plt.axis({})", [*limits]),
        *_equal(aspect_of_coordinates(grid)),
        line("plt.xlabel({})", safe(named(grid.x_label, grid.x_units))),
        line("plt.ylabel({})", safe(named(grid.y_label, grid.y_units))),
    ]


def _equal(aspect: float | None) -> list[str]:
    """Return the line that draws both axes to one scale, where they measure the same thing."""
    return [] if aspect is None else ["plt.gca().set_aspect('equal')"]


def _edges(x: Axis, y: Axis) -> list[str]:
    """Return lines that bind the edges of cells: matplotlib finds none beside a single point."""
    return [
        line(f"{name} = np.array({{}})", edges_of(axis).tolist())
        for name, axis in (("x", x), ("y", y))
    ]


def numbered_program(look: QuickLook, values: str) -> tuple[list[str], str]:
    """Return lines that number categories, and what is drawn: the number of the category, that of no other after all.

    Parameters
    ----------
    look
        The map, with categories.
    values
        An expression for its values.
    """
    numbers = [category.value for category in look.categories]
    listed = len(numbers) <= _MOST_LISTED
    return [
        line("known = np.array({})", numbers)
        if listed
        else f"known = np.unique({values}.compressed())",
        f"shown = {values}.astype(float)",
        "order = np.minimum(np.searchsorted(known, shown.filled(known[0])), len(known) - 1)",
        "shown = np.ma.masked_array(np.where(known[order] == shown.data, order, len(known)), shown.mask)",
    ], "shown"


def bar_program(look: QuickLook, view: View) -> list[str]:
    """Return lines that say what the colours mean.

    Parameters
    ----------
    look, view
        The map, and how it is drawn.
    """
    if not look.categories:
        label = safe(with_left_out(look, view))
        ticks, dates = written_dates(look, view.span(look))
        if dates:
            return [
                line("plt.colorbar(label={}, ticks={}).set_ticklabels({})", label, ticks, dates)
            ]
        return [line("plt.colorbar(label={})", label)]
    names = [safe(category.label, 40) for category in look.categories[:MOST_CATEGORIES]]
    return [line("plt.colorbar(ticks=range({})).set_ticklabels({})", len(names), names)]


def _cells(grid: Curvilinear, cells: Mesh, values: str) -> tuple[list[str], str]:
    """Return lines that bind the corners of cells on two-dimensional coordinates, and what is drawn on them."""
    lines = []
    there = np.isfinite(grid.x) & np.isfinite(grid.y)
    if not there.all():
        lines += [
            noted("there = np.isfinite(x) & np.isfinite(y)", "points that have a place"),
            "x, y = (np.where(there, one, one[there].mean()) for one in (x, y))",
        ]
    if grid.circle:
        turned = "x = np.degrees(np.unwrap(np.unwrap(np.radians(x), axis=1), axis=0))"
        lines.append(noted(turned, "neighbours stay together across the date line"))
    lines += [
        noted(
            "x, y = (np.pad(one, 1, mode='reflect', reflect_type='odd') for one in (x, y))",
            "corners lie between points",
        ),
        "corners = ((slice(-1), slice(-1)), (slice(1, None), slice(-1)), (slice(-1), slice(1, None)), (slice(1, None),) * 2)",
        "x, y = (sum(one[corner] for corner in corners) / 4 for one in (x, y))",
    ]
    seam = not bool(cells.whole[there].all())
    if seam:
        wide = f"wide = np.ptp([x[corner] for corner in corners], axis=0) >= {WIDEST}"
        lines.append(noted(wide, "around a pole, and on a seam"))
    gone = [*([] if there.all() else ["~there"]), *(["wide"] if seam else [])]
    if gone:
        values = f"np.ma.masked_where({' | '.join(gone)}, {values})"
    return lines, values


def colour_program(look: QuickLook, view: View) -> tuple[list[str], str]:
    """Return lines that import what is needed, and arguments for the colours and limits in force.

    Parameters
    ----------
    look, view
        The map, and how it is drawn.
    """
    if look.categories:
        imported = ["from matplotlib.colors import ListedColormap"]
        limits = line("vmin=-0.5, vmax={}", len(look.categories) + 0.5)
        shades = [hex_of(shade).removesuffix("ff") for shade in category_colours(look)]
        if len(look.categories) <= _MOST_LISTED:
            return imported, line("cmap=ListedColormap({}), ", shades) + limits
        given = {
            at: shades[at]
            for at, one in enumerate(look.categories)
            if one.color not in (None, object_colour(int(one.value)))
        }
        return [
            *imported,
            "import colorsys",
            "shades = [",
            "    colorsys.hls_to_rgb((210 + n * 137.5) % 360 / 360, 0.48 + (n % 3 - 1) * 0.13, 0.58)",
            "    for n in known.tolist()",
            "]",
            *[line("shades[{}] = {}", at, shade) for at, shade in given.items()],
            line("shades.append({})", shades[-1]),
        ], f"cmap=ListedColormap(shades), {limits}"
    name, (low, high) = view.colormap_name(look), view.span(look)
    return colour_arguments(name, low, high, view.scale, view.levels)


def colour_arguments(
    name: str, low: float, high: float, scale: Scale, levels: int | None = None
) -> tuple[list[str], str]:
    """Return lines that import what is needed, and arguments for colours and limits.

    Parameters
    ----------
    name
        Of the colormap.
    low, high
        The limits.
    scale
        Of the colours.
    levels
        Into how many colours the colormap is divided.
    """
    chosen = line("cmap=plt.get_cmap({}, {})", name, levels) if levels else line("cmap={}", name)
    imported = []
    if name.startswith(("cmo.", "cmc.")):
        imported.append(f"import {'cmocean' if name.startswith('cmo.') else 'cmcrameri.cm'}")
    if scale == "linear":
        return imported, chosen + line(", vmin={}, vmax={}", low, high)
    norm = line("LogNorm({}, {}, clip=True)", low, high)
    if scale == "symlog":
        norm = line("SymLogNorm({}, vmin={}, vmax={})", threshold(low, high), low, high)
    imported.append(f"from matplotlib.colors import {norm.partition('(')[0]}")
    return imported, f"{chosen}, norm={norm}"
