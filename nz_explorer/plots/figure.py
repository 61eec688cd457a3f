"""A picture as a matplotlib figure: what the browser shows, for export and for Python."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nz_explorer.plots.drawing.canvas import empty, lock
from nz_explorer.plots.drawing.legends import entitle, message_lines, write
from nz_explorer.plots.drawing.mask import Mask
from nz_explorer.plots.drawing.view import View
from nz_explorer.plots.picture import QuickLook
from nz_explorer.plots.registry import kind_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def figure(  # noqa: PLR0913  # each is a choice of the caller
    look: QuickLook,
    *,
    mask: Mask = "nz",
    colormap: str | None = None,
    low: float | None = None,
    high: float | None = None,
    log: bool = False,
    decoded: bool = True,
    curvilinear: bool = True,
    width: float = 8.0,
    height: float = 5.0,
    **options: object,
) -> Figure:
    """Draw a picture with matplotlib.

    Parameters
    ----------
    look
        From `make`.
    mask
        What counts as missing: ``_FillValue`` (``nz``), the storage ``fill_value`` (``storage``),
        nothing that is a number (``raw``); or where the first two differ (``differences``).
    colormap
        A name that matplotlib knows; empty or None for the default.
    low, high
        Limits of colour or of the y axis; the range of what is shown where they are None.
    log
        Logarithmic colours or y axis; values that are not positive then take the lowest colour.
    decoded
        Apply CF's packing and valid range, where the array has them.
    curvilinear
        Draw a map on its two-dimensional coordinates, where it has them.
    width, height
        In inches.
    **options
        Controls that only the kind of the picture has; others, which a newer view may hold, are
        ignored.

    Returns
    -------
    matplotlib.figure.Figure
        With a canvas of its own; pyplot does not know it.

    Raises
    ------
    ValueError
        If matplotlib knows no such colormap.
    """
    kind = kind_of(look)
    given = {
        "mask": mask, "colormap": colormap, "low": low, "high": high, "log": log,
        "decoded": decoded, "curvilinear": curvilinear, **options,
    }  # fmt: skip
    with lock:
        drawn, axes = empty(width, height)
        if kind is not None and kind.can_draw(look):
            kind.draw(drawn, axes, look, View.of(given, kind.controls))
        else:
            text = look.text if look.text is not None else (look.message or "")
            write(axes, message_lines(text), size=11)
        entitle(axes, look)
        return drawn
