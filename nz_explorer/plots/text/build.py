"""Values that are no numbers, as text, of what was read."""

from __future__ import annotations

import math
from typing import Any

from nz_explorer.plots.captions import text_of
from nz_explorer.plots.picture import QuickLook
from nz_explorer.plots.source import PictureSource
from nz_explorer.values.window import Window


def build_text(source: PictureSource, window: Window, shared: dict[str, Any]) -> QuickLook:
    """Return values that are no numbers as text, a row a line.

    Parameters
    ----------
    source
        The array, and what can be read beside its values.
    window
        Values of shape (y, x), (x,) or () and their cell states.
    shared
        Fields of `QuickLook` that all kinds have.
    """
    text = text_of(window.values, window.states, window.axes)
    message = None
    if any(points.size < points.length for points in window.axes):
        shown, all_of_them = (
            math.prod(sizes)
            for sizes in zip(*((points.size, points.length) for points in window.axes), strict=True)
        )
        message = f"{shown} of {all_of_them} elements are shown"
    axes = [source.axis(points) for points in window.axes]
    return QuickLook(
        "text",
        label="",
        text=text,
        message=message,
        x=axes[-1] if axes else None,
        y=axes[0] if len(axes) == 2 else None,
        **shared,
    )
