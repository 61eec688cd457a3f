"""The parts of complex numbers that a picture can show."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np

Part = Literal["real", "imaginary", "magnitude", "phase"]

PART_OF: dict[Part, Callable[[Any], Any]] = {
    "magnitude": np.abs,
    "phase": np.angle,
    "real": np.real,
    "imaginary": np.imag,
}
PARTS: tuple[Part, ...] = tuple(PART_OF)
"""Parts of complex numbers; the first is the default."""
