"""Values masked by the rules of NZ, for use in Python."""

from __future__ import annotations

from types import EllipsisType
from typing import Any

import numpy as np

from nz_explorer.model import Array
from nz_explorer.model.fill_values import FillValue, matches
from nz_explorer.values.reading.opening import open_for_reading

Selection = int | slice | EllipsisType | tuple[int | slice | EllipsisType, ...]


def masked(array: Array, selection: Selection = ...) -> np.ma.MaskedArray[Any, Any]:
    """Read values of an array and mask the missing ones.

    Parameters
    ----------
    array
        The array.
    selection
        What numpy's basic indexing takes: integers, slices, an ellipsis.

    Returns
    -------
    numpy.ma.MaskedArray
        Stored values; masked where they are equal to ``_FillValue``, whatever the storage
        ``fill_value`` is. NaN is masked only where it is the ``_FillValue``.

    Raises
    ------
    UnsupportedArray
        If zarr cannot read the array.
    IndexError
        If the selection is outside the array.
    Exception
        Whatever a store or a codec raises for a chunk that cannot be read.

    Notes
    -----
    Source: NZ-1.0, The _FillValue Attribute ("values equal to it are missing", "`_FillValue` governs").
    See https://github.com/zarr-conventions/nz/blob/v1/README.md.
    """
    values = np.asarray(open_for_reading(array).zarr[selection])
    fill = array.fill
    if fill is None or not fill.usable:
        return np.ma.masked_array(values, mask=np.ma.nomask)
    found = np.ma.masked_array(values, mask=matches(values, fill))
    if values.dtype.kind in "biufc":
        found.fill_value = fill.value
    return found


def hides(fill: FillValue | None, array: Array, value: Any) -> bool:
    """Return whether a fill value marks a value as missing.

    Parameters
    ----------
    fill
        A fill value of the array; None marks nothing.
    array
        The array.
    value
        Of its data type.

    Notes
    -----
    Source: NZ-1.0, The _FillValue Attribute ("values equal to it are missing").
    See https://github.com/zarr-conventions/nz/blob/v1/README.md.
    """
    if fill is None or not fill.usable:
        return False
    dtype = array.data_type.numpy
    one = np.empty(1, object if dtype is None else dtype)
    one[0] = value
    return bool(matches(one, fill)[0])
