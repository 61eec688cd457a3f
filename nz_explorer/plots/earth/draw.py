"""Coastlines and a graticule drawn by matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from nz_explorer.plots.drawing.parts import edges_of, places_of
from nz_explorer.plots.drawing.view import View
from nz_explorer.plots.earth.overlay import Box, box_of
from nz_explorer.plots.picture import Axis, QuickLook
from nz_explorer.text.source_code import comment, noted

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_INK = "#222222"
_LINES = {
    "graticule": f"lw=0.5, color={_INK!r}, alpha=0.5",
    "coastlines": f"lw=0.8, color={_INK!r}",
}


def draw_earth(axes: Axes, look: QuickLook, view: View, *, curved: bool = False) -> None:
    """Draw coastlines and a graticule over a map, as far as the view wants them.

    Parameters
    ----------
    axes
        Where the map is drawn; their limits are set afterwards.
    look
        The map.
    view
        How it is drawn.
    curved
        Whether it is drawn on its two-dimensional coordinates.
    """
    earth, x, y = look.earth, look.x, look.y
    if earth is None or curved != (look.curvilinear is not None):
        return

    def places(line: Any) -> Any:
        if curved or x is None or y is None:
            return line.T
        return _places(line[:, 0], x), _places(line[:, 1], y)

    if view.graticule and earth.graticule is not None:
        axes.plot(*places(earth.graticule), lw=0.5, color=_INK, alpha=0.5)
        labels = np.array([label[:2] for label in earth.labels]).reshape(-1, 2)
        for at_x, at_y, (_, _, text) in zip(*places(labels), earth.labels, strict=True):
            axes.text(at_x, at_y, text, fontsize="x-small", clip_on=True)
    if view.coastlines and earth.coastlines is not None:
        axes.plot(*places(earth.coastlines), lw=0.8, color=_INK)


def _places(points: Any, axis: Axis) -> Any:
    """Return where points of an axis lie in a figure; beyond its ends, too."""
    edges, places = edges_of(axis), places_of(axis)
    at = np.clip(np.nan_to_num(np.floor(points)), 0, axis.size - 1).astype(np.intp)
    # a coordinate is not in the middle of its cell where the ones beside it are not as far away
    part = 2 * (points - at) - 1
    return places[at] + np.abs(part) * (edges[at + (part > 0)] - places[at])


def earth_program(look: QuickLook, view: View, limits: Box | None = None) -> list[str]:
    """Return lines that draw coastlines and a graticule over what pyplot shows, as far as the view wants them.

    Parameters
    ----------
    look
        The map.
    view
        How it is drawn.
    limits
        Of a map on its two-dimensional coordinates.
    """
    drawn = {name: getattr(look.earth, name, None) for name in _LINES if getattr(view, name)}
    wanted = [name for name, lines in drawn.items() if lines is not None and lines.size]
    if not wanted:
        return []
    turned, held = "", []
    if limits is None:
        found = None if look.x is None or look.y is None else box_of(look.x, look.y)
        if found is None:
            return [comment(f"ex.figure() draws {' and '.join(wanted)}, too")]
        limits, swapped = found
        turned = "[:, ::-1]" if swapped else ""
        held = [noted("plt.axis(plt.axis())", "lines go on beyond the map")]
    box = ", ".join(f"{limit:.10g}" for limit in limits)
    return [
        f"from nz_explorer.plots.earth import {', '.join(sorted(wanted))}",
        *held,
        *(f"plt.plot(*{name}(({box})){turned}.T, {_LINES[name]})" for name in wanted),
    ]
