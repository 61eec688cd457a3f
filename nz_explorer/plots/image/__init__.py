"""An image: red, green and blue, or with opacity, over two axes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from nz_explorer.model import Array
from nz_explorer.plots.axes import image_axes, is_text
from nz_explorer.plots.drawing.pixels import Image, area
from nz_explorer.plots.drawing.view import View
from nz_explorer.plots.image.build import build_image, colour_range
from nz_explorer.plots.image.draw import draw_image
from nz_explorer.plots.kind import PictureKind
from nz_explorer.plots.picture import QuickLook
from nz_explorer.plots.source import PictureSource
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
        """Return whether an array has an axis of three or four colours."""
        return not is_text(array) and image_axes(array) is not None

    def axes(self, array: Array) -> tuple[int, ...]:
        """Return the axes of rows, columns and colours."""
        return image_axes(array) or ()

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
            return [f"plt.imshow({values})"]
        low, high = shown
        return [f"plt.imshow(np.clip(({values} - {low!r}) / {high - low or 1.0!r}, 0, 1))"]


IMAGE = ImageKind()
