"""Small pictures: one byte a pixel, or four of an image in colours."""

from __future__ import annotations

from nz_explorer.plots.drawing.pixels import Image
from nz_explorer.plots.picture import QuickLook
from nz_explorer.plots.registry import kind_of


def thumbnail(look: QuickLook, width: int = 160, height: int = 100) -> Image | None:
    """Draw a picture as a small image.

    Parameters
    ----------
    look
        A map, a line or an image.
    width, height
        The most pixels.

    Returns
    -------
    ndarray of uint8 or None
        Rows from top to bottom; 0 is missing, 1 to 255 run from the lowest to the highest value. Of an
        image, and of categories, the colours and their opacity, along a third dimension. Coordinates grow upwards and to
        the right as in the large picture. None where `look` is of another kind or has no value.
    """
    kind = kind_of(look)
    return None if kind is None or look.x is None else kind.thumbnail(look, width, height)
