"""What the limits of colour are taken from, where nobody has typed them."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from nz_explorer.values.masks.cell_states import VALUE, States

Range = tuple[float, float]
Limits = Literal["frame", "held", "whole", "robust"]
LIMITS: tuple[Limits, ...] = ("held", "frame", "whole", "robust")
"""Held from the first slice that was shown, the slice itself, the whole array, or without its extremes."""
Scale = Literal["linear", "log", "symlog"]
SCALES: tuple[Scale, ...] = ("linear", "log", "symlog")
_SAMPLE = 50_000
"""As many values suffice to leave out the lowest and the highest of a hundred, …"""
_ENOUGH = 10_000
"""… and fewer than these do not, where there are more."""


def robust(values: np.ndarray[Any, Any], states: States) -> Range | None:
    """Return the range of values without their lowest and highest 2 %; None where there is none.

    Parameters
    ----------
    values
        Numbers.
    states
        Their cell states.
    """
    step = max(1, values.size // _SAMPLE)
    shown = values.reshape(-1)[::step][states.reshape(-1)[::step] == VALUE]
    if step > 1 and shown.size < _ENOUGH:  # most of it is missing
        shown = values[states == VALUE]
    if not shown.size:
        return None
    low, high = np.percentile(shown, (2, 98), method="nearest")
    return float(low), float(high)


def threshold(low: float, high: float) -> float:
    """Return up to which value a symmetric logarithm between two limits is linear.

    Parameters
    ----------
    low, high
        The limits.
    """
    return max(abs(low), abs(high)) / 1000 or 1.0
