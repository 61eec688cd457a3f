"""The coastline that comes with the package: Natural Earth, 1 : 110 million; see README.md in this folder."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

Line = np.ndarray[Any, np.dtype[np.float64]]
"""Lines one after the other: shape (points, 2), a row of NaN after each."""

FILE = Path(__file__).with_name("coastline.npy")
HUNDREDTHS = 100
END = -(2**15)


@lru_cache(maxsize=1)
def coastline() -> Line:
    """Return the coastline of the Earth in degrees east and north; neighbours are never a circle apart."""
    stored = np.load(FILE)
    degrees: Line = stored / HUNDREDTHS
    degrees[stored[:, 0] == END] = np.nan
    return degrees
