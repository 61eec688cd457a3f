"""A figure that notebooks show, whether or not they have imported pyplot."""

from __future__ import annotations

import io

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure


class NotebookFigure(Figure):
    """A figure that pyplot does not know, and that IPython shows all the same.

    IPython learns how to show figures when pyplot is imported, which nothing here does.
    """

    def __init__(self, width: float, height: float) -> None:
        super().__init__(figsize=(width, height), layout="constrained")
        FigureCanvasAgg(self)

    def _repr_png_(self) -> bytes:
        file = io.BytesIO()
        self.savefig(file, format="png")
        return file.getvalue()
