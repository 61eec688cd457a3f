"""A picture as a matplotlib figure: what the browser shows, for export and for Python."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from nz_explorer.plots.colours.ranges import Limits, Scale
from nz_explorer.plots.drawing.aspect import aspect_of_axes, aspect_of_coordinates
from nz_explorer.plots.drawing.canvas import empty, lock
from nz_explorer.plots.drawing.legends import entitle, message_lines, write
from nz_explorer.plots.drawing.mask import Mask
from nz_explorer.plots.drawing.view import View
from nz_explorer.plots.picture import QuickLook
from nz_explorer.plots.registry import kind_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_WIDE = 1.6
"""From so many times as wide as high on, two maps are drawn one above the other."""
_ROOM = 1.7, 0.8
"""What axes, title and colour bar of a map take of its width and its height, in inches."""


def figure(  # noqa: PLR0913  # each is a choice of the caller
    look: QuickLook,
    *,
    mask: Mask = "nz",
    colormap: str | None = None,
    reverse: bool = False,
    limits: Limits = "held",
    low: float | None = None,
    high: float | None = None,
    scale: Scale = "linear",
    levels: int | None = None,
    decoded: bool = True,
    curvilinear: bool = True,
    coastlines: bool = True,
    graticule: bool = False,
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
        A name that matplotlib knows; empty or None for what suits the array.
    reverse
        Whether the colormap runs the other way.
    limits
        What limits of colour or of the y axis are taken from: ``held`` from the first slice that was shown,
        ``frame``, the slice itself, the ``whole`` array, where its statistics are known, or ``robust``: the slice
        without its lowest and highest 2 %. Of quantities with a sign those of colour are symmetric about zero.
    low, high
        Limits instead of those.
    scale
        Of colour or of the y axis, ``linear``, ``log`` or ``symlog``: linear near zero. In a logarithm values that
        are not positive take the lowest colour.
    levels
        Into how many colours the colormap is divided.
    decoded
        Apply CF's packing, ``missing_value`` and valid range, where the array has them.
    curvilinear
        Draw a map on its two-dimensional coordinates, where it has them.
    coastlines, graticule
        Draw them on a map whose longitudes and latitudes are known.
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
    given = {
        "mask": mask, "colormap": colormap, "reverse": reverse, "limits": limits,
        "low": low, "high": high, "scale": scale, "levels": levels, "decoded": decoded,
        "curvilinear": curvilinear, "coastlines": coastlines, "graticule": graticule, **options,
    }  # fmt: skip
    drawn, _ = empty(width, height)
    return draw_on(drawn, look, **given)


def draw_on(drawn: Figure, look: QuickLook, **options: object) -> Figure:
    """Draw a picture on a figure that has nothing on it but empty axes.

    Parameters
    ----------
    drawn
        The figure.
    look
        From `make`.
    **options
        See `figure`.

    Raises
    ------
    ValueError
        If matplotlib knows no such colormap.
    """
    kind = kind_of(look)
    with lock:
        if look.beside is not None:
            drawn.clear()
            halves = _halves(drawn, look)
            for half, one in zip(halves, (replace(look, beside=None), look.beside), strict=True):
                draw_on(half, one, **options)
            return drawn
        axes = drawn.axes[0] if drawn.axes else drawn.add_subplot()
        if kind is not None and kind.can_draw(look):
            # what it is made of was masked before
            given = {**options, "mask": "nz"} if look.derived else options
            kind.draw(drawn, axes, look, View.of(given, kind.controls))
        else:
            text = look.text if look.text is not None else (look.message or "")
            write(axes, message_lines(text), size=11)
        entitle(axes, look)
        return drawn


def _halves(drawn: Figure, look: QuickLook) -> Any:
    """Return the parts of a figure for two pictures: side by side, or wide maps one above the other."""
    grid = look.curvilinear
    aspect = aspect_of_axes(look.x, look.y) if grid is None else aspect_of_coordinates(grid)
    kind = kind_of(look)
    if kind is None or "colormap" not in kind.controls or aspect is None or aspect <= _WIDE:
        return drawn.subfigures(1, 2)
    width, height = drawn.get_size_inches()
    most = (height / 2 - _ROOM[1]) * aspect + _ROOM[0]
    margin = max(0.01, (width - most) / 2)
    parts: Any = drawn.subfigures(2, 3, width_ratios=[margin, width - 2 * margin, margin])
    return parts[:, 1]
