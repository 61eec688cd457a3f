"""A text: values that are no numbers, a row a line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from nz_explorer.model import Array
from nz_explorer.plots.axes import is_text, long_axes
from nz_explorer.plots.drawing.legends import write
from nz_explorer.plots.drawing.view import View
from nz_explorer.plots.kind import PictureKind
from nz_explorer.plots.picture import QuickLook
from nz_explorer.plots.source import PictureSource
from nz_explorer.plots.text.build import build_text
from nz_explorer.values.window import Window

_MOST_TEXTS, _MOST_LINES = 1000, 200
"""Along the only dimension, and along each of two."""
_MOST_COLUMNS = 20
_MOST_DRAWN = 30

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


class Text(PictureKind):
    """Values that are no numbers, a row a line."""

    name = "text"
    numeric = False
    drawn = False
    overviews = False

    def suits(self, array: Array) -> bool:
        """Return whether the values of an array are no numbers."""
        return is_text(array)

    def axes(self, array: Array) -> tuple[int, ...]:
        """Return the last two axes longer than 1; only the last one where a row would be too wide."""
        shape: Sequence[int] = array.shape or ()
        axes = long_axes(shape)[-2:]
        wide = len(axes) == 2 and shape[axes[1]] > _MOST_COLUMNS
        return axes[-1:] if wide else axes

    def most_points(
        self, axes: Sequence[int], width: int, height: int, *, bounded: bool
    ) -> tuple[int, ...]:
        """Return the most rows and columns; see `PictureKind.most_points`."""
        most = _MOST_LINES if len(axes) == 2 else _MOST_TEXTS
        rows = most if bounded else max(most, height)
        return (rows, _MOST_LINES) if len(axes) == 2 else (rows,)

    def build(
        self, source: PictureSource, window: Window, shared: dict[str, Any], most: int
    ) -> QuickLook:
        """Return the text of what was read; see `PictureKind.build`."""
        return build_text(source, window, shared)

    def values_text(self, look: QuickLook) -> list[str]:
        """Return nothing: texts have no range."""
        return []

    def can_draw(self, look: QuickLook) -> bool:
        """Return whether there is text."""
        return look.text is not None

    def draw(self, drawn: Figure, axes: Axes, look: QuickLook, view: View) -> None:
        """Write the text; see `PictureKind.draw`."""
        lines = (look.text or "").splitlines()[:_MOST_DRAWN]
        write(axes, lines, size=9, family="monospace")


TEXT = Text()
