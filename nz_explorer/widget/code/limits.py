"""The limits of a picture that a program states."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nz_explorer.plots.drawing.view import View
from nz_explorer.plots.picture import QuickLook
from nz_explorer.plots.registry import kind_of
from nz_explorer.values.coordinates.axes import number_text
from nz_explorer.widget.requests.export import drawing


def in_force(view: Mapping[str, Any], look: QuickLook | None) -> dict[str, Any]:
    """Return a view with the limits and the colormap that an explorer opened anew would choose afresh.

    Parameters
    ----------
    view : mapping
        How a picture is drawn; see `Explorer.view`.
    look : QuickLook, optional
        The picture.
    """
    kind = None if look is None else kind_of(look)
    if look is None or kind is None or look.values is None or "limits" not in kind.controls:
        return dict(view)
    drawn, flat = View.of(drawing(view), kind.controls), "colormap" in kind.controls
    if flat and look.categories:
        return dict(view)
    low, high = drawn.span(look) if flat else drawn.heights(look)
    colours = {"colormap": drawn.colormap or look.colours.colormap} if flat else {}
    # -12.97, not the -12.969999999999999 that scale and offset make of it
    ends = [float(number_text(end, exact=True)) for end in (low, high)]
    if ends[0] < ends[1]:
        low, high = ends
    return {**view, **colours, "low": low, "high": high}
