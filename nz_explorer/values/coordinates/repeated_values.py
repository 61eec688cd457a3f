"""Values that a coordinate has twice."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from nz_explorer.values.masks.cell_states import VALUE
from nz_explorer.values.points import Points
from nz_explorer.values.reading.opening import UnsupportedArray
from nz_explorer.values.window import read_points

if TYPE_CHECKING:
    from nz_explorer.model import Array
    from nz_explorer.values.coordinates.monotonicity import Monotonicity

MOST = 65_536
"""Values that are looked at beyond those that the order was found out from."""


def first_repeated(array: Array, found: Monotonicity) -> tuple[int, int, Any] | None:
    """Return the first value of a coordinate that stood before, with the index of both.

    Parameters
    ----------
    array
        Of one dimension.
    found
        What its values say: where the order breaks at two equal neighbours, nothing needs to be read.

    Returns
    -------
    tuple or None
        Index, index of the value before, and the value; None where there is no such value among the first `MOST`,
        or they cannot be read.
    """
    if found.index is not None and found.before == found.after:
        return found.index, found.index - 1, found.after
    length = min((array.shape or (0,))[0], MOST)
    if length < 2 or array.data_type.kind not in ("int", "uint", "float"):
        return None
    try:
        window = read_points(array, [Points(0, 0, 1, length, (array.shape or (0,))[0])], {})
    except UnsupportedArray:
        return None
    there = np.flatnonzero(window.states == VALUE)
    values = np.asarray(window.values)[there]
    _, first, where = np.unique(values, return_index=True, return_inverse=True)
    repeated = np.flatnonzero(first[where] != np.arange(len(values)))
    if not len(repeated):
        return None
    index = int(repeated[0])
    return int(there[index]), int(there[first[where[index]]]), values[index].item()
