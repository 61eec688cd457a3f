"""A histogram: how often the values of a slice occur."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from nz_explorer.model import Array
from nz_explorer.plots.axes import is_text, long_axes, plane_axes
from nz_explorer.plots.drawing.legends import quantity
from nz_explorer.plots.drawing.parts import safe
from nz_explorer.plots.drawing.view import View
from nz_explorer.plots.histogram.draw import draw_histogram, highest, powers
from nz_explorer.plots.kind import PictureKind
from nz_explorer.plots.numeric import numeric_picture
from nz_explorer.plots.picture import QuickLook
from nz_explorer.plots.source import PictureSource
from nz_explorer.plots.summaries import histogram
from nz_explorer.text.source_code import line
from nz_explorer.values.window import Window

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from nz_explorer.plots.kind import Places


class HistogramKind(PictureKind):
    """How often the values of a slice occur."""

    name = "histogram"
    controls = ("scale", "decoded")
    every_element = True

    def suits(self, array: Array) -> bool:
        """Return whether an array of numbers has an axis that is longer than 1."""
        return not is_text(array) and bool(long_axes(array.shape or ()))

    def axes(self, array: Array) -> tuple[int, ...]:
        """Return the axes of what a map would show; the only one of a line."""
        return plane_axes(array)

    def build(
        self, source: PictureSource, window: Window, shared: dict[str, Any], most: int
    ) -> QuickLook:
        """Return the histogram of what was read; see `PictureKind.build`."""
        look = numeric_picture(self.name, source, window, shared)
        if look.values is None or look.cell_states is None:
            return look
        return replace(look, histogram=histogram(look.values, look.cell_states))

    def can_draw(self, look: QuickLook) -> bool:
        """Return whether there are values to count."""
        return look.histogram is not None

    def draw(self, drawn: Figure, axes: Axes, look: QuickLook, view: View) -> None:
        """Draw the histogram; see `PictureKind.draw`."""
        draw_histogram(axes, look, view)

    def program(self, look: QuickLook, view: View, values: str, places: Places) -> list[str]:
        """Return Python that draws the histogram; see `PictureKind.program`."""
        if look.histogram is None:
            return [f"print({values})"]
        edges = look.histogram.edges
        if view.decoded and look.packing is not None:
            edges = look.packing.decode(edges)
        bins = line("np.linspace({}, {}, {})", float(edges.min()), float(edges.max()), len(edges))
        counted = f"number of {look.histogram.of.removeprefix('the ')}"
        most = highest(look.histogram.counts)
        log = [
            "plt.yscale('function', functions=(np.log1p, np.expm1))",
            line("plt.yticks({})", powers(most)),
        ]
        return [
            f"plt.hist(np.ravel({values}.astype(float).filled(np.nan)), bins={bins})",
            "plt.margins(x=0)",
            *(log if view.scale == "log" else []),
            line("plt.ylim(0, {})", most),
            line("plt.xlabel({})", safe(quantity(look, view))),
            line("plt.ylabel({})", counted),
        ]


HISTOGRAM = HistogramKind()
