"""Fields that look like nature: continents, travelling waves, a rotated grid."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

SEED = 20260101
GRID_CENTRE = (42.0, -35.0)
"""Latitude and longitude of the point where the ocean's rotated grid has its origin."""

# Outlines of the continents, coarse to a few degrees: (longitude, latitude) corners.
_CONTINENTS: tuple[tuple[tuple[float, float], ...], ...] = (
    # North America
    ((-168, 66), (-156, 71), (-128, 70), (-95, 69), (-82, 73), (-64, 66), (-78, 62), (-92, 58), (-80, 52),
     (-78, 62), (-65, 59), (-56, 52), (-66, 46), (-70, 42), (-76, 36), (-81, 31), (-80, 25), (-84, 30), (-97, 27),
     (-95, 18), (-88, 21), (-83, 14), (-78, 8), (-86, 12), (-95, 16), (-106, 22), (-113, 30), (-118, 33),
     (-124, 41), (-124, 48), (-135, 58), (-150, 60), (-162, 55), (-158, 58), (-165, 62)),
    # Greenland
    ((-55, 82), (-30, 83), (-20, 76), (-24, 70), (-42, 60), (-52, 66), (-60, 76), (-70, 78)),
    # South America
    ((-78, 8), (-72, 12), (-60, 9), (-50, 1), (-35, -6), (-39, -16), (-48, -27), (-57, -36), (-65, -43),
     (-68, -54), (-74, -50), (-72, -35), (-70, -19), (-81, -5)),
    # Africa
    ((-17, 15), (-10, 30), (-6, 35), (10, 37), (20, 31), (32, 31), (37, 22), (43, 12), (51, 12), (40, -4),
     (40, -16), (33, -26), (26, -34), (18, -34), (12, -17), (9, 2), (-8, 4)),
    # Europe and Asia
    ((-10, 36), (-9, 44), (-2, 44), (-5, 48), (5, 52), (9, 57), (12, 54), (21, 55), (24, 60), (22, 65),
     (17, 61), (11, 56), (5, 60), (14, 68), (26, 71), (42, 66), (60, 69), (70, 73), (105, 77), (140, 73),
     (180, 69), (180, 65), (163, 60), (157, 51), (156, 58), (142, 59), (135, 54), (141, 52), (131, 43), (128, 36),
     (122, 39), (121, 30), (110, 20), (107, 10), (100, 14), (104, 2), (98, 9), (92, 21), (80, 15),
     (77, 8), (72, 20), (60, 25), (56, 26), (48, 30), (58, 22), (45, 13), (35, 28), (36, 36), (27, 37),
     (23, 37), (18, 40), (13, 45), (16, 38), (9, 44), (3, 42), (-1, 37)),
    # Great Britain, Ireland, Iceland, Japan, Madagascar
    ((-5, 50), (1, 51), (0, 54), (-3, 58), (-6, 57), (-3, 54)),
    ((-10, 52), (-6, 52), (-6, 55), (-9, 54)),
    ((-24, 65), (-14, 65), (-18, 63), (-23, 64)),
    ((130, 32), (136, 34), (141, 36), (142, 43), (145, 44), (141, 45), (139, 38), (132, 35)),
    ((44, -25), (47, -25), (50, -15), (44, -17)),
    # New Guinea, Borneo, Sumatra, Australia, New Zealand, Antarctica
    ((131, -1), (141, -3), (150, -10), (138, -8)),
    ((109, 1), (117, 7), (118, 1), (114, -4)),
    ((95, 5), (104, -2), (106, -6), (98, 2)),
    ((114, -22), (122, -18), (130, -12), (136, -12), (140, -17), (142, -11), (153, -26), (150, -37), (140, -38),
     (131, -31), (115, -34)),
    ((167, -46), (172, -34), (178, -38), (171, -46)),
    ((-180, -90), (-180, -78), (-150, -77), (-100, -73), (-60, -64), (-62, -75), (-30, -78), (0, -70), (50, -67),
     (110, -66), (160, -70), (170, -78), (180, -78), (180, -90)),
)  # fmt: skip


def is_land(lat: Floats, lon: Floats) -> npt.NDArray[np.bool_]:
    """Whether points lie on one of the continents (even-odd rule).

    Parameters
    ----------
    lat, lon : numpy.ndarray
        Degrees.
    """
    lon = (lon + 180) % 360 - 180
    land = np.zeros(np.broadcast(lat, lon).shape, dtype=bool)
    for outline in _CONTINENTS:
        inside = np.zeros_like(land)
        for (x0, y0), (x1, y1) in zip(outline, outline[1:] + outline[:1], strict=True):
            if y0 == y1:
                continue
            crosses = (y0 > lat) != (y1 > lat)
            inside ^= crosses & (lon < (x1 - x0) * (lat - y0) / (y1 - y0) + x0)
        land |= inside
    return land


class Weather:
    """A smooth, moving field made of a few travelling waves."""

    def __init__(self, seed: int, waves: int = 14) -> None:
        rng = np.random.default_rng(seed)
        self._zonal = rng.integers(1, 9, waves)
        self._meridional = rng.uniform(0.5, 4.0, waves)
        self._phase = rng.uniform(0, 2 * np.pi, waves)
        self._speed = rng.uniform(0.05, 0.5, waves)
        self._size = rng.normal(0, 1, waves) / np.sqrt(self._zonal)

    def __call__(self, lat: Floats, lon: Floats, days: float) -> Floats:
        """Return the field at points, so many days after the first."""
        x, y = np.radians(lon), np.radians(lat)
        field = np.zeros(np.broadcast(x, y).shape)
        for zonal, meridional, phase, speed, size in zip(
            self._zonal, self._meridional, self._phase, self._speed, self._size, strict=True
        ):
            travel = phase - zonal * speed * days
            field += size * np.cos(zonal * x + travel) * np.cos(2 * meridional * y + phase)
        return field * np.cos(y)


def single(values: npt.ArrayLike, steps_per_unit: int = 64) -> npt.NDArray[np.float32]:
    """Round to a fraction of the unit, as instruments do; it also makes the chunks small.

    Parameters
    ----------
    values
        Numbers.
    steps_per_unit : int
        How many values there are from one unit to the next.
    """
    return np.asarray(np.round(np.asarray(values) * steps_per_unit) / steps_per_unit, np.float32)


def from_rotated(rlat: Floats, rlon: Floats) -> tuple[Floats, Floats]:
    """Return latitude and longitude of points given on the sphere whose pole was moved.

    Parameters
    ----------
    rlat, rlon : numpy.ndarray
        Degrees on that sphere.
    """
    v, u = np.radians(rlat), np.radians(rlon)
    tilt = np.radians(GRID_CENTRE[0])
    a, b, c = np.cos(v) * np.cos(u), np.cos(v) * np.sin(u), np.sin(v) + 0 * u
    lat = np.degrees(np.arcsin(np.clip(np.sin(tilt) * a + np.cos(tilt) * c, -1, 1)))
    lon = np.degrees(np.arctan2(b, np.cos(tilt) * a - np.sin(tilt) * c)) + GRID_CENTRE[1]
    return lat, lon


def neighbours(field: Floats) -> Floats:
    """Return the largest of the four neighbours of each point."""
    padded = np.pad(field, 1, mode="edge")
    rows = np.maximum(padded[:-2, 1:-1], padded[2:, 1:-1])
    columns = np.maximum(padded[1:-1, :-2], padded[1:-1, 2:])
    return np.maximum(rows, columns)
