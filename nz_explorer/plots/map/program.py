"""Python that draws a map."""

from __future__ import annotations

from collections.abc import Callable

from nz_explorer.plots.drawing.view import View
from nz_explorer.plots.picture import Axis, QuickLook
from nz_explorer.text.source_code import arguments, line
from nz_explorer.values.masks.cell_states import VALUE


def map_program(
    look: QuickLook, view: View, values: str, places: Callable[[Axis, str], list[str]]
) -> list[str]:
    """Return lines that draw a map with the colours and limits in force; see `PictureKind.program`.

    Parameters
    ----------
    look
        The map.
    view
        How it is drawn.
    values
        An expression for what is drawn.
    places
        Returns the lines that bind where the points of an axis lie.
    """
    if look.x is None or look.y is None or look.values is None:
        return [f"print({values})"]
    lines = [*places(look.x, "x"), *places(look.y, "y")]
    given = arguments("x", "y", values)
    if not look.categories:
        low, high = view.limits(view.values(look)[view.states(look) == VALUE])
        given = arguments("x", "y", values, cmap=view.colormap)
        if view.log:
            lines.append("from matplotlib.colors import LogNorm")
            given += line(", norm=LogNorm({}, {}, clip=True)", low, high)
        else:
            given += line(", vmin={}, vmax={}", low, high)
    lines += [f"plt.pcolormesh({given})", "plt.colorbar()"]
    if look.y.kind not in ("number", "time") or look.y.downwards:
        lines.append("plt.gca().invert_yaxis()")
    return lines
