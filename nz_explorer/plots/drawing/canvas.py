"""Empty figures that pyplot does not know, and the lock under which all of them are drawn."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


lock = threading.RLock()  # fonts and text layout of matplotlib are shared


def empty(width: float, height: float) -> tuple[Figure, Axes]:
    """Return a figure that pyplot does not know, and its axes.

    Parameters
    ----------
    width, height
        In inches.
    """
    from nz_explorer.plots.drawing.notebook_figure import NotebookFigure

    drawn = NotebookFigure(width, height)
    return drawn, drawn.add_subplot()
