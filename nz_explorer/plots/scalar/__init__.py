"""A scalar: a single number, written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nz_explorer.model import Array
from nz_explorer.plots.axes import is_text, long_axes
from nz_explorer.plots.drawing.legends import message_lines, write
from nz_explorer.plots.drawing.view import View
from nz_explorer.plots.kind import PictureKind
from nz_explorer.plots.picture import QuickLook
from nz_explorer.plots.scalar.build import build_scalar
from nz_explorer.plots.source import PictureSource
from nz_explorer.values.window import Window

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


class Scalar(PictureKind):
    """A single number, written."""

    name = "scalar"
    noun = "value"
    drawn = False

    def suits(self, array: Array) -> bool:
        """Return whether an array of numbers has no axis that is longer than 1."""
        return not is_text(array) and not long_axes(array.shape or ())

    def axes(self, array: Array) -> tuple[int, ...]:
        """Return no axes."""
        return ()

    def build(
        self, source: PictureSource, window: Window, shared: dict[str, Any], most: int
    ) -> QuickLook:
        """Return the value of what was read; see `PictureKind.build`."""
        return build_scalar(source, window, shared)

    def values_text(self, look: QuickLook) -> list[str]:
        """Return the value with its units."""
        if look.text is None:
            return super().values_text(look)
        return [f"{look.text} {look.units}" if look.units else look.text]

    def draw(self, drawn: Figure, axes: Axes, look: QuickLook, view: View) -> None:
        """Write the value; see `PictureKind.draw`."""
        text = f"{look.text or look.message or ''} {look.units or ''}".strip()
        write(axes, message_lines(text), size=22)


SCALAR = Scalar()
