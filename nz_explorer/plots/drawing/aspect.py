"""How much wider than high a picture should be, where its axes measure the same thing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from nz_explorer.plots.drawing.parts import is_by_number
from nz_explorer.text.units import hemispheres

if TYPE_CHECKING:
    from nz_explorer.plots.picture import Axis
    from nz_explorer.values.coordinates.curvilinear import Curvilinear

_PLANE = ("projection_x_coordinate", "projection_y_coordinate", "x", "y", "easting", "northing")
"""Names of coordinates that are lengths, also without units."""
_MOST, _MOST_OF_INDICES = 5.0, 4.0
"""Thinner strips are stretched: better seen than true."""


def aspect_of_axes(x: Axis | None, y: Axis | None) -> float | None:
    """Return it for straight axes; None where the picture may have any shape.

    Parameters
    ----------
    x, y
        The axes.
    """
    if x is None or y is None:
        return None
    if x.kind == y.kind == "index":
        return _within(x.size * x.step, y.size * y.step, _MOST_OF_INDICES)
    if x.kind != "number" or y.kind != "number" or is_by_number(x) or is_by_number(y):
        return None
    plane = all(_plain(axis.title or "") or _plain(axis.label) for axis in (x, y))
    if _family(x.units) != _family(y.units) or not (x.units or plane):
        return None
    return _within(_span(x), _span(y), _MOST)


def aspect_of_coordinates(grid: Curvilinear) -> float | None:
    """Return it for a map on two-dimensional coordinates.

    Parameters
    ----------
    grid
        The coordinates.
    """
    if not grid.x_units or _family(grid.x_units) != _family(grid.y_units):
        return None
    west, east, south, north = grid.limits
    return _within(east - west, north - south, _MOST)


def _family(units: str | None) -> str:
    return (
        "degrees"
        if hemispheres(units) or (units or "").lower() in ("degree", "degrees")
        else units or ""
    )


def _plain(name: str) -> bool:
    return name.lower() in _PLANE


def _span(axis: Axis) -> float:
    assert axis.coordinates is not None  # noqa: S101  # numbers have coordinates
    return float(np.ptp(axis.coordinates))


def _within(wide: float, high: float, most: float) -> float | None:
    return wide / high if 0 < high <= wide * most <= high * most**2 else None
