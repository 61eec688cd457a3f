"""Unstructured grids: arrays whose cells lie along one dimension, each with a latitude and a longitude of its own."""

from __future__ import annotations

from nz_explorer.model import Array
from nz_explorer.store import Cancellation
from nz_explorer.values.coordinates.curvilinear import find_curvilinear
from nz_explorer.values.coordinates.healpix import healpix


def cell_axis(array: Array, cancel: Cancellation | None = None) -> int | None:
    """Return the dimension along which an array has the cells of an unstructured grid, or stations.

    Parameters
    ----------
    array
        The array; its ``coordinates`` name an array for either direction, both along this dimension alone, or its cells are
        those of HEALPix.
    cancel
        To give up reading metadata.

    Returns
    -------
    int or None
        None where there is no such dimension longer than 1, and of an array that is such a coordinate itself.

    Notes
    -----
    Source: CF-1.11, 5.3 Reduced Horizontal Grid, and 9 Discrete Sampling Geometries.
    """
    for axis, size in enumerate(array.shape or ()):
        if size < 2:
            continue
        found = find_curvilinear(array, [axis], cancel)
        if found is not None and array.path not in (found[0].path, found[1].path):
            return axis
        cells = healpix(array, axis, cancel) if found is None else None
        if cells is not None and (cells.numbers is None or cells.numbers.path != array.path):
            return axis
    return None
