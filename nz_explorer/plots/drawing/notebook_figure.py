"""A figure that notebooks show, whether or not they have imported pyplot."""

from __future__ import annotations

import io

from matplotlib.axes import Axes
from matplotlib.backend_bases import RendererBase
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text

from nz_explorer.plots.drawing.parts import SLICE_GAP

_GAP = 1.05
"""Titles need this much of their width, or those on the left and on the right read as one."""


class NotebookFigure(Figure):
    """A figure that pyplot does not know, and that IPython shows all the same.

    IPython learns how to show figures when pyplot is imported, which nothing here does. What is written beside
    axes is broken into lines or put above, where it would be cut off or written over: names come from a store, and
    may be as long as they like.
    """

    def __init__(self, width: float, height: float) -> None:
        super().__init__(figsize=(width, height), layout="constrained")
        FigureCanvasAgg(self)

    def draw(self, renderer: RendererBase) -> None:
        """Draw everything, and before it make room for what is written."""
        for axes in self.axes:
            axes.xaxis.label.set_wrap(True)
            axes.yaxis.label.set_wrap(True)
            _fit_titles(axes)
        engine = self.get_layout_engine()
        if engine is not None and any(axes.get_aspect() != "auto" for axes in self.axes):
            # a map takes less than its room, which leaves titles none the first time
            engine.execute(self)
        super().draw(renderer)

    def _repr_png_(self) -> bytes:
        file = io.BytesIO()
        self.savefig(file, format="png")
        return file.getvalue()


def _fit_titles(axes: Axes) -> None:
    """Break the title on the right into lines, and write that on the left above it, where a line has no room."""
    left, right = axes._left_title, axes._right_title  # type: ignore[attr-defined]  # noqa: SLF001  # no other way to them
    left.set_text(left.get_text().rstrip("\n"))
    if _width(left) + _width(right) <= axes.get_window_extent().width:
        return
    figure = axes.get_figure(root=True)
    if figure is not None and (engine := figure.get_layout_engine()) is not None:
        engine.execute(figure)  # only now it is known how wide the axes become
    room = axes.get_window_extent().width
    if right.get_text() and _width(left) + _width(right) > room:
        parts = right.get_text().replace("\n", SLICE_GAP).split(SLICE_GAP)
        lines = [parts[0]]
        for part in parts[1:]:
            right.set_text(lines[-1] + SLICE_GAP + part)
            if _width(right) <= room:
                lines[-1] = right.get_text()
            else:
                lines.append(part)
        right.set_text("\n".join(lines))
        left.set_text(left.get_text() + "\n" * len(lines))


def _width(text: Text) -> float:
    """Return how wide a title is with the gap that it needs, in pixels."""
    return text.get_window_extent().width * _GAP
