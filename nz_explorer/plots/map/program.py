"""Python that draws a map."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from nz_explorer.plots.colours.ranges import Scale, threshold
from nz_explorer.plots.drawing.view import View
from nz_explorer.plots.earth.draw import earth_program
from nz_explorer.plots.map.mesh import Mesh, mesh
from nz_explorer.plots.picture import QuickLook
from nz_explorer.text.source_code import arguments, line, noted
from nz_explorer.values.coordinates.curvilinear import Curvilinear

if TYPE_CHECKING:
    from nz_explorer.plots.kind import Places


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
    if grid is not None and cells is not None and curved:
        prepared, values = _cells(grid, cells, values)
        lines += prepared
    else:
        lines = [*places(look.x, "x"), *places(look.y, "y")]
    x = "x + turn" if curved else "x"
    given = arguments(x, "y", values)
    if not look.categories:
        imported, colours = _colours(look, view)
        lines += imported
        given += f", {colours}"
    if curved and cells is not None:
        lines += [
            line("for turn in {}:", [*cells.turns]),
            f"    plt.pcolormesh({given})",
            "plt.colorbar()",
            *earth_program(look, view, (*cells.x_limits, *cells.y_limits)),
            line("plt.axis({})", [*cells.x_limits, *cells.y_limits]),
        ]
        return lines
    lines += [f"plt.pcolormesh({given})", "plt.colorbar()"]
    if look.curvilinear is None:
        lines += earth_program(look, view)
    if look.y.downwards:
        lines.append("plt.gca().invert_yaxis()")
    return lines


def _cells(grid: Curvilinear, cells: Mesh, values: str) -> tuple[list[str], str]:
    """Return lines that make two-dimensional coordinates fit for matplotlib, and what is drawn on them."""
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
    seam = not bool(cells.whole[there].all())
    if seam:
        wide = "wide = sum(np.abs(np.gradient(x, axis=axis)) for axis in (0, 1)) > 60"
        lines.append(noted(wide, "around a pole, and on a seam"))
    gone = [*([] if there.all() else ["~there"]), *(["wide"] if seam else [])]
    if gone:
        values = f"np.ma.masked_where({' | '.join(gone)}, {values})"
    return lines, values


def _colours(look: QuickLook, view: View) -> tuple[list[str], str]:
    """Return lines that import what is needed, and arguments for the colours and limits in force."""
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
