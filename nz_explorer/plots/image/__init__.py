"""An image: red, green and blue, or with opacity, over two axes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from nz_explorer.model import Array
from nz_explorer.plots.axes import image_axes, is_text
from nz_explorer.plots.drawing.cells import upwards
from nz_explorer.plots.drawing.parts import edges_of, tick_program
from nz_explorer.plots.drawing.pixels import Image, area
from nz_explorer.plots.drawing.view import View
from nz_explorer.plots.image.build import build_image, colour_range
from nz_explorer.plots.image.draw import draw_image
from nz_explorer.plots.kind import PictureKind
from nz_explorer.plots.picture import QuickLook
from nz_explorer.plots.source import PictureSource
from nz_explorer.text.source_code import line
from nz_explorer.values.masks.cell_states import VALUE
from nz_explorer.values.window import Window

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from nz_explorer.plots.kind import Places


class ImageKind(PictureKind):
    """Colours over two axes."""

    name = "image"
    controls = ("mask", "coastlines", "graticule")
    any_axes = False
    reduces = False

    def suits(self, array: Array) -> bool:
        """Return whether an array has an axis of what may be three or four colours."""
        return not is_text(array) and image_axes(array, perhaps=True) is not None

    def is_usual(self, array: Array) -> bool:
        """Return whether these are colours beyond doubt; bands of floats are rather shown one by one."""
        return image_axes(array) is not None

    def is_told_by_values(self, array: Array) -> bool:
        """Return whether these are floats without names, which are colours if they are shares of one."""
        dtype, found = array.data_type.numpy, image_axes(array, perhaps=True)
        if dtype is None or dtype.kind != "f" or found is None:
            return False
        return array.dimension_label(found[2]) == f"dim_{found[2]}"

    def suits_values(self, window: Window) -> bool:
        """Return whether all values are from 0 to 1."""
        values = window.values[window.states == VALUE]
        return bool(values.size and (values >= 0).all() and (values <= 1).all() and values.any())

    def axes(self, array: Array) -> tuple[int, ...]:
        """Return the axes of rows, columns and colours."""
        return image_axes(array, perhaps=True) or ()

    def build(
        self, source: PictureSource, window: Window, shared: dict[str, Any], most: int
    ) -> QuickLook:
        """Return the image of what was read; see `PictureKind.build`."""
        return build_image(source, window, shared)

    def values_text(self, look: QuickLook) -> list[str]:
        """Return nothing: colours have no range."""
        return []

    def can_draw(self, look: QuickLook) -> bool:
        """Return whether there are colours."""
        return look.image is not None

    def draw(self, drawn: Figure, axes: Axes, look: QuickLook, view: View) -> None:
        """Draw the image; see `PictureKind.draw`."""
        draw_image(axes, look, view)

    def thumbnail(self, look: QuickLook, width: int, height: int) -> Image | None:
        """Return the image as a small image; see `PictureKind.thumbnail`."""
        return None if look.image is None else area(look.image, look, width, height)

    def program(self, look: QuickLook, view: View, values: str, places: Places) -> list[str]:
        """Return Python that draws the image; see `PictureKind.program`."""
        shown = None
        if look.stored is not None and look.stored_states is not None:
            shown = colour_range(look.stored, look.stored_states[0])
        if look.stored is None or look.stored.dtype == np.uint8 or shown is None:
            return _shown(look, values)
        low, high = shown
        return _shown(look, f"np.clip(({values} - {low!r}) / {high - low or 1.0!r}, 0, 1)")


def _shown(look: QuickLook, values: str) -> list[str]:
    """Return lines that draw colours where they lie."""
    if look.x is None or look.y is None:
        return [f"plt.imshow({values})"]
    x, y = edges_of(look.x), edges_of(look.y)
    extent = line("extent={}", [float(end) for end in (x[0], x[-1], y[0], y[-1])])
    return [
        f"plt.imshow({values}, origin='lower', {extent}, interpolation='nearest')",
        line("plt.xlim({}, {})", float(x.min()), float(x.max())),
        line("plt.ylim({}, {})", *map(float, upwards(look.y, y))),
        *tick_program(look.x, "x"),
        *tick_program(look.y, "y"),
    ]


IMAGE = ImageKind()
