"""Lines that are clipped, repeated and broken; rows of NaN part them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nz_explorer.plots.earth.coastline import Line

Box = tuple[float, float, float, float]


def joined(lines: Sequence[Line]) -> Line:
    """Return lines as one, a row of NaN after each."""
    gap = np.full((1, 2), np.nan)
    return np.concatenate([part for line in lines for part in (line, gap)] or [gap])


def turned(line: Line, limits: Box) -> Line:
    """Return lines of degrees as often as a map repeats longitudes, or has them turned.

    Parameters
    ----------
    line
        Longitudes from -180 to 180, and latitudes.
    limits
        What the map spans: west, east, south, north.
    """
    first, last = int(np.ceil((limits[0] - 180) / 360)), int(np.floor((limits[1] + 180) / 360))
    return np.concatenate(
        [line + np.array([360.0 * turn, 0.0]) for turn in range(first, last + 1)] or [line[:0]]
    )


def clipped(line: Line, limits: Box) -> Line:
    """Return lines without the segments that lie beyond a box; they may begin and end outside of it.

    Parameters
    ----------
    line
        The lines.
    limits
        Lowest and highest x, lowest and highest y.
    """
    if len(line) < 2:
        return line[:0]
    before, after = line[:-1], line[1:]
    low, high = np.array(limits).reshape(2, 2).T
    with np.errstate(invalid="ignore"):
        # a comparison with NaN is false
        crosses = (np.minimum(before, after) <= high) & (np.maximum(before, after) >= low)
    kept = crosses.all(axis=1)
    shown = np.zeros(len(line), np.bool_)
    shown[:-1] |= kept
    shown[1:] |= kept
    # one row of NaN after each run
    ends = shown & ~np.append(shown[1:], False)
    found = np.where(shown[:, None], line, np.nan)
    rows = shown | np.insert(ends[:-1], 0, False)
    return np.asarray(found[rows], np.float64)


def broken(line: Line, longest: float) -> Line:
    """Return lines broken where they jump from one side of a projection to the other.

    Parameters
    ----------
    line
        The lines.
    longest
        The length from which on a segment is a jump.
    """
    with np.errstate(invalid="ignore"):
        far = np.abs(np.diff(line, axis=0)).max(axis=1, initial=0) > longest
    return np.insert(line, np.nonzero(far)[0] + 1, np.nan, axis=0)
