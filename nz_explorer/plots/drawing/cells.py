"""The cells of a picture over two axes: values in colours, and hatched areas of other states."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from nz_explorer.plots.drawing.parts import (
    is_even,
)
from nz_explorer.plots.drawing.view import Pattern
from nz_explorer.plots.picture import Axis, Numbers

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def upwards(axis: Axis, edges: Numbers) -> tuple[float, float]:
    """Return the limits of a vertical axis, the lower one first.

    Parameters
    ----------
    axis
        What stands along it.
    edges
        Boundaries of its cells.
    """
    bottom, top = float(min(edges[0], edges[-1])), float(max(edges[0], edges[-1]))
    return (top, bottom) if axis.downwards else (bottom, top)


def draw_cells(axes: Axes, values: Any, x: Numbers, y: Numbers, **options: Any) -> Any:
    """Draw cells between edges: as an image where they are even, which is much faster.

    Parameters
    ----------
    axes
        Where to draw.
    values
        Masked array of shape (y, x), or colours of shape (y, x, 4).
    x, y
        float64 boundaries of the cells, one more than there are cells.
    **options
        As matplotlib takes them: colormap, norm, alpha.
    """
    if is_even(x) and is_even(y):
        extent = (float(x[0]), float(x[-1]), float(y[0]), float(y[-1]))
        return axes.imshow(
            values,
            origin="lower",
            extent=extent,
            aspect="auto",
            interpolation="nearest",
            **options,
        )
    return axes.pcolormesh(x, y, values, rasterized=True, **options)


def patch_area(
    axes: Axes, where: np.ndarray[Any, Any], x: Numbers, y: Numbers, pattern: Pattern
) -> None:
    """Fill the cells of a state with its colour and hatching.

    Parameters
    ----------
    axes
        Where to draw.
    where
        Bools of shape (y, x).
    x, y
        float64 boundaries of the cells, one more than there are cells.
    pattern
        Paper, ink and hatch.
    """
    from matplotlib.colors import ListedColormap

    paper, ink, hatch = pattern
    draw_cells(axes, np.ma.masked_equal(where, 0), x, y, cmap=ListedColormap([paper]))
    # A contour follows the middles of cells: give it two to a cell and a border, so that it
    # follows their edges.
    fine = np.repeat(np.repeat(np.pad(where, 1), 2, axis=0), 2, axis=1)[1:-1, 1:-1].astype("u1")
    if fine.size > 4_000_000:  # hatching a large picture takes longer than drawing it
        return
    area = axes.contourf(
        _contour_places(x), _contour_places(y), fine, levels=[0.5, 1.5], colors="none"
    )
    area.set_hatch(hatch)
    area.set_edgecolor(ink)
    area.set_linewidth(0)


def _contour_places(edges: Numbers) -> Numbers:
    """Return two places just inside each cell, and one just outside at both ends."""
    widths = np.diff(edges)
    inner = np.stack([edges[:-1] + 1e-3 * widths, edges[1:] - 1e-3 * widths], axis=1).reshape(-1)
    places: Numbers = np.concatenate(
        [[edges[0] - 1e-3 * widths[0]], inner, [edges[-1] + 1e-3 * widths[-1]]]
    )
    return places
