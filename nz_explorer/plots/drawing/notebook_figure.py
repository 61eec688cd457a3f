"""A figure that notebooks show, whether or not they have imported pyplot."""

from __future__ import annotations

import io

from matplotlib.axes import Axes
from matplotlib.backend_bases import RendererBase
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.layout_engine import PlaceHolderLayoutEngine
from matplotlib.text import Text

from nz_explorer.plots.drawing.parts import SLICE_GAP

_GAP = 1.05
"""Titles need this much of their width, or those on the left and on the right read as one."""
_SMALLEST = 5.0
"""Letters of a title, in points."""
_MOST_TRIES = 3
"""Layouts, until all titles have room."""


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
        engine = self.get_layout_engine()
        # to be saved it is drawn twice, the second time in the layout of the first, when nothing may grow any more
        if engine is not None and not isinstance(engine, PlaceHolderLayoutEngine):
            for axes in self.axes:
                axes.xaxis.label.set_wrap(True)
                axes.yaxis.label.set_wrap(True)
                _shorten(axes, self.bbox.width)
            # lines above a map take of its height, and so of its width
            for _ in range(_MOST_TRIES):
                engine.execute(self)  # only now it is known how wide the axes become
                for axes in self.axes:
                    axes.apply_aspect()
                changed = [_fit_titles(axes) for axes in self.axes]
                if not any(changed):
                    break
            if any(changed) or any(axes.get_aspect() != "auto" for axes in self.axes):
                engine.execute(self)
            for axes in self.axes:
                _keep_inside(axes, self.bbox.width)
        super().draw(renderer)

    def _repr_png_(self) -> bytes:
        file = io.BytesIO()
        self.savefig(file, format="png")
        return file.getvalue()


def _fit_titles(axes: Axes) -> bool:
    """Break the title on the right into lines, and write that on the left above it, where a line has no room.

    Returns
    -------
    bool
        Whether a title changed.
    """
    left, right = axes._left_title, axes._right_title  # type: ignore[attr-defined]  # noqa: SLF001  # no other way to them
    before = (left.get_text(), right.get_text())
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
        left.set_text(left.get_text().rstrip("\n") + "\n" * len(lines))
    return (left.get_text(), right.get_text()) != before


def _shorten(axes: Axes, most: float) -> None:
    """Write the title on the left in a single line, in smaller letters where the figure has no room for it."""
    left = axes._left_title  # type: ignore[attr-defined]  # noqa: SLF001  # no other way to it
    left.set_text(left.get_text().rstrip("\n"))
    size = left.get_fontsize()
    while _width(left) > most and left.get_fontsize() > _SMALLEST:  # no multiple: pixels are few
        left.set_fontsize(left.get_fontsize() - 0.5)
        left.set_linespacing(1.2 * size / left.get_fontsize())  # as high as the lines on the right


def _keep_inside(axes: Axes, most: float) -> None:
    """Move the title on the left to where it ends within the figure."""
    axes.apply_aspect()
    left = axes._left_title  # type: ignore[attr-defined]  # noqa: SLF001  # no other way to it
    beyond = axes.bbox.x0 + _width(left) - most
    left.set_x(-min(max(beyond, 0), axes.bbox.x0) / axes.bbox.width)


def _width(text: Text) -> float:
    """Return how wide a title is with the gap that it needs, in pixels."""
    return text.get_window_extent().width * _GAP
