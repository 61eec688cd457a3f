"""What is laid over a map: coastlines and a graticule, in the coordinates of its axes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from nz_explorer.plots.earth.coastline import Line, coastline
from nz_explorer.plots.earth.lines import broken, clipped, joined, turned
from nz_explorer.text.units import hemispheres
from nz_explorer.values.coordinates.projections import Projection

if TYPE_CHECKING:
    from nz_explorer.plots.picture import Axis
    from nz_explorer.values.coordinates.curvilinear import Curvilinear

Floats = np.ndarray[Any, np.dtype[np.float32]]
Box = tuple[float, float, float, float]

_STEPS = (0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 45)
_LINES = 5
"""About so many lines of the graticule cross a map each way."""
_PLACES = 65
"""Rows and columns of the places of a projected map that are known in degrees: with cubics between them a full disc is
right to a hundredth of a degree but for a narrow rim."""


@dataclass(frozen=True, slots=True, eq=False)
class Overlay:
    """Coastlines and a graticule, and what a projected map means in degrees.

    Parameters
    ----------
    coastlines, graticule
        float32 of shape (points, 2), x and y, a row of NaN after each line: in degrees on two-dimensional coordinates;
        else in points of the axes, where the first point reaches from 0 to 1.
    labels
        Of the lines of the graticule where it is not that of the axes: x, y and a text.
    places
        float32 of shape (3, rows, columns): the directions from the middle of the Earth to points of a projected map,
        spread evenly from its first to its last.
    why
        Why there are no coastlines on a map that is projected, in a sentence.
    """

    coastlines: Floats | None = None
    graticule: Floats | None = None
    labels: tuple[tuple[float, float, str], ...] = ()
    places: Floats | None = None
    why: str | None = None


def on_coordinates(grid: Curvilinear) -> Overlay | None:
    """Return what is laid over a map that is drawn on two-dimensional longitudes and latitudes; None on others."""
    if not grid.circle or _kind(grid.y_label, grid.y_units) != "lat":
        return None
    return Overlay(_small(coastlines(grid.limits)), _small(graticule(grid.limits)))


def coastlines(limits: Box) -> Line:
    """Return the coastlines between some limits: degrees east and north, a row of NaN after each line.

    Parameters
    ----------
    limits : tuple of float
        West, east, south and north; longitudes may go on beyond 180 and 360.

    Returns
    -------
    numpy.ndarray
        Of shape (points, 2).
    """
    return clipped(turned(coastline(), limits), limits)


def box_of(x: Axis, y: Axis) -> tuple[Box, bool] | None:
    """Return the limits of a map whose coordinates are longitudes and latitudes just as they stand.

    Parameters
    ----------
    x, y
        Its axes.

    Returns
    -------
    tuple of tuple and bool, or None
        West, east, south and north, and whether longitudes lie along y. None where neither is known.
    """
    along, names = (
        [_monotonic(axis) for axis in (x, y)],
        [_kind(axis.label, axis.units) for axis in (x, y)],
    )
    if along[0] is None or along[1] is None or {*names} != {"lon", "lat"}:
        return None
    if any(not np.array_equal(a, axis.coordinates) for a, axis in zip(along, (x, y), strict=True)):  # type: ignore[arg-type]
        return None
    ends = [_ends(one) for one in along if one is not None]
    swapped = names[0] == "lat"
    east, north = reversed(ends) if swapped else ends
    return (*east, *north), swapped


def on_axes(x: Axis, y: Axis, projected: Callable[[], Projection | str | None]) -> Overlay | None:
    """Return what is laid over a map on straight axes; None where nothing is known of degrees.

    Parameters
    ----------
    x, y
        Its axes.
    projected
        Returns how the grid is projected; asked where the axes are no longitudes and latitudes.
    """
    along = [_monotonic(axis) for axis in (x, y)]
    if along[0] is None or along[1] is None:
        return None
    names = [_kind(axis.label, axis.units) for axis in (x, y)]
    if "lon" in names and "lat" in names:
        return _straight(along[0].tobytes(), along[1].tobytes(), names[0] == "lat")
    if any(axis.units is None and axis.kind != "number" for axis in (x, y)):
        return None
    found = projected()
    if found is None or isinstance(found, str):
        return None if found is None else Overlay(why=found)
    return _projected(found, along[0].tobytes(), along[1].tobytes())


@lru_cache(maxsize=8)
def _straight(columns_of: bytes, rows_of: bytes, swapped: bool) -> Overlay:
    """Return what is laid over a map, going by the longitudes and latitudes of its columns and rows."""
    order = -1 if swapped else 1
    east, north = [np.frombuffer(columns_of), np.frombuffer(rows_of)][::order]
    limits = (*_ends(east), *_ends(north))
    lines = (coastlines(limits), graticule(limits))
    coasts, degrees = [
        np.stack([_position(line[:, 0], east), _position(line[:, 1], north)][::order], axis=1)
        for line in lines
    ]
    return Overlay(_small(coasts), _small(degrees))


@lru_cache(maxsize=8)
def _projected(found: Projection, columns_of: bytes, rows_of: bytes) -> Overlay:
    """Return what is laid over a projected map, going by the coordinates of its columns and rows."""
    x, y = np.frombuffer(columns_of), np.frombuffer(rows_of)
    limits = (*_ends(x), *_ends(y))
    rows, columns = (_spread(axis) for axis in (y, x))
    east, north = found.degrees(*np.meshgrid(columns, rows))
    known = np.isfinite(east) & np.isfinite(north)
    directions = np.full((3, *known.shape), np.nan)
    if known.any():
        lon, lat = np.radians(east[known]), np.radians(north[known])
        directions[:, known] = np.cos(lat) * np.cos(lon), np.cos(lat) * np.sin(lon), np.sin(lat)
    coasts = _at(_drawn(found, coastline(), limits), x, y)
    if not known.any():
        return Overlay(_small(coasts), places=_small(directions))
    meridians, parallels = _lines_over(east[known], north[known])
    drawn = [
        (_at(_drawn(found, line, limits), x, y), text) for line, text in (*meridians, *parallels)
    ]
    labels = tuple(label for line, text in drawn for label in _label(line, text, len(x), len(y)))
    return Overlay(
        _small(coasts), _small(joined([line for line, _ in drawn])), labels, _small(directions)
    )


def _drawn(found: Projection, line: Line, limits: Box) -> Line:
    """Return lines of degrees on a projected grid, as far as they can be seen there."""
    x, y = found.project(line[:, 0], line[:, 1])
    places = np.stack([x, y], axis=1)
    places[~np.isfinite(places).all(axis=1)] = np.nan
    most = 0.5 * max(limits[1] - limits[0], limits[3] - limits[2])
    return clipped(broken(places, most), limits)


def _at(line: Line, x: Line, y: Line) -> Line:
    return np.stack([_position(line[:, 0], x), _position(line[:, 1], y)], axis=1)


# --- the graticule ------------------------------------------------------------------------------


def _step(span: float) -> float:
    return next((step for step in _STEPS if span / step <= _LINES + 2), 60.0)


def _multiples(low: float, high: float) -> np.ndarray[Any, np.dtype[np.float64]]:
    step = _step(high - low)
    return np.arange(np.ceil(low / step), np.floor(high / step) + 1) * step


def graticule(limits: Box) -> Line:
    """Return meridians and parallels between some limits, straight lines in degrees; see `coastlines`."""
    west, east, south, north = limits
    lines = [np.array([(at, south), (at, north)]) for at in _multiples(west, east)]
    lines += [
        np.array([(west, at), (east, at)]) for at in _multiples(max(-90, south), min(90, north))
    ]
    return joined(lines)


def _lines_over(east: Line, north: Line) -> tuple[list[tuple[Line, str]], list[tuple[Line, str]]]:
    """Return the meridians and parallels that cross some places, with their names."""
    low, high = float(north.min()), float(north.max())
    # longitudes counted from the middle of the widest gap between them
    turns = np.sort(east % 360)
    gaps = np.diff(turns, append=turns[0] + 360)
    start = turns[(int(gaps.argmax()) + 1) % len(turns)]
    span = 360 - float(gaps.max())
    around = span > 300
    spread = _step(360 if around else span)
    first = np.ceil(start / spread) * spread
    longitudes = (
        np.arange(0, 360, spread) if around else np.arange(first, start + span + 1e-9, spread)
    )
    top = max(abs(low), abs(high)) > 80
    far = np.linspace(-90 if low < -80 else low - 5, 90 if high > 80 else high + 5, 181)
    round_about = (
        np.linspace(0, 360, 361) if around or top else np.linspace(start - 5, start + span + 5, 181)
    )
    meridians = [
        (np.stack([np.full_like(far, at), far], axis=1), _text(at, "EW")) for at in longitudes
    ]
    parallels = [
        (np.stack([round_about, np.full_like(round_about, at)], axis=1), _text(at, "NS"))
        for at in _multiples(low, high)
        if abs(at) < 90
    ]
    return meridians, parallels


def _text(degrees: float, sides: str) -> str:
    turned = (degrees + 180) % 360 - 180 if sides == "EW" else degrees
    side = "" if turned in (0, -180) else f" {sides[int(turned < 0)]}"
    return f"{abs(round(turned, 6)):g}°{side}"


def _label(line: Line, text: str, nx: int, ny: int) -> list[tuple[float, float, str]]:
    """Return where a line is named: inside of the map, near where it enters."""
    # the text goes on to the right of its place, where the border of the map would cut it
    low, high = np.array([nx, ny]) * 0.03, np.array([nx, ny]) * (0.8, 0.97)
    with np.errstate(invalid="ignore"):
        inside = ((line > low) & (line < high)).all(axis=1)
    if not inside.any():
        return []
    x, y = line[int(inside.argmax())]
    return [(float(x), float(y), text)]


# --- axes ---------------------------------------------------------------------------------------


def _kind(label: str, units: str | None) -> str | None:
    """Return whether a coordinate is a latitude or a longitude; by its name only where its units do not say."""
    if sides := hemispheres(units):
        return {"NS": "lat", "EW": "lon"}[sides]
    if (units or "degree").lower() not in ("degree", "degrees"):
        return None
    name = label.lower().removeprefix("nav_")
    return next((kind for kind in ("lat", "lon") if name.startswith(kind)), None)


def _monotonic(axis: Axis) -> Line | None:
    """Return the coordinates of an axis, None where they do not grow or fall all along."""
    found = axis.coordinates
    if axis.kind != "number" or found is None or found.size < 2 or not np.isfinite(found).all():
        return None
    if _kind(axis.label, axis.units) == "lon":
        found = np.unwrap(found, period=360)
    return None if _backwards(found) else found


def _backwards(found: Line) -> bool:
    steps = np.diff(found)
    return not ((steps > 0).all() or (steps < 0).all())


def _ends(found: Line) -> tuple[float, float]:
    """Return the outer edges of the cells of an axis, the lower one first."""
    first, last = (3 * found[0] - found[1]) / 2, (3 * found[-1] - found[-2]) / 2
    return float(min(first, last)), float(max(first, last))


def _spread(found: Line) -> Line:
    return np.interp(np.linspace(0, found.size - 1, _PLACES), np.arange(found.size), found)


def _position(values: Line, found: Line) -> Line:
    """Return where coordinates lie along an axis, in points: 0.5 is the middle of the first; beyond its ends, too."""
    places = np.arange(found.size) + 0.5
    if found[0] > found[-1]:
        found, places = found[::-1], places[::-1]
    at: Line = np.interp(values, found, places)
    way = 1 if places[0] < places[-1] else -1
    below, above = values < found[0], values > found[-1]
    at[below] += way * (values[below] - found[0]) / (found[1] - found[0])
    at[above] += way * (values[above] - found[-1]) / (found[-1] - found[-2])
    at[np.isnan(values)] = np.nan
    return at


def _small(values: Sequence[Any] | Line) -> Floats:
    return np.asarray(values, np.float32)
