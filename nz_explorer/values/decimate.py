"""Long lines made short without losing their spikes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from nz_explorer.values.masks.cell_states import VALUE, States
from nz_explorer.values.points import Points


def extremes(
    values: np.ndarray[Any, Any], states: States, points: Points, most: int
) -> tuple[np.ndarray[Any, np.dtype[np.intp]], Points]:
    """Choose the lowest and the highest value of each of equal parts of a line.

    Parameters
    ----------
    values
        Numbers, one after the other.
    states
        Their cell states; only values are compared.
    points
        Their positions; every element, so that the step is 1.
    most
        The most points to return.

    Returns
    -------
    chosen : ndarray
        Positions in `values`, in ascending order. Where a part holds no value, its
        first element.
    points : Points
        Where they are drawn, evenly spaced: within their part of the line, not further off.
    """
    count = len(values)
    if count <= most or most < 2:
        return np.arange(count), points
    step = -(-count // (most // 2 * 2))
    width = 2 * step
    parts = max(1, count // width)
    good = states == VALUE
    low = _positions(np.where(good, values, np.inf), parts, width, np.argmin)
    high = _positions(np.where(good, values, -np.inf), parts, width, np.argmax)
    chosen = np.stack([np.minimum(low, high), np.maximum(low, high)], axis=1).reshape(-1)
    start = points.start + (step - 1) // 2
    return chosen, replace(points, start=start, step=step, size=2 * parts)


def _positions(
    values: np.ndarray[Any, Any], parts: int, width: int, choose: Any
) -> np.ndarray[Any, np.dtype[np.intp]]:
    whole = values[: parts * width].reshape(parts, width)
    found = np.arange(parts) * width + choose(whole, axis=1)
    # what is left over belongs to the last part
    last = (parts - 1) * width
    found[-1] = last + choose(values[last:])
    return np.asarray(found, np.intp)
