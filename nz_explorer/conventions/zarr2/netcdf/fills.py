"""What netCDF-C shows where a chunk is not stored."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from nz_explorer.model import Array

_READ = ("i2", "i4", "i8", "u2", "u4", "u8", "f4", "f8")
"""Types of more than one byte that netCDF-C reads."""


def turned_fill(array: Array) -> str | None:
    """Return what netCDF-C up to 4.10 shows in place of the fill value, None where it shows that.

    It keeps the fill value in the order of the machine, and turns what it takes for the bytes of a big-endian chunk.

    Parameters
    ----------
    array : Array
        An array of Zarr v2.
    """
    dtype, fill = array.data_type.numpy, array.storage_fill
    if dtype is None or dtype.str[:1] != ">" or dtype.str[1:] not in _READ:
        return None
    if fill is None or not fill.usable:
        return None
    stored = np.asarray(fill.value).astype(dtype.newbyteorder("<"))
    turned = stored.byteswap()
    return None if turned.tobytes() == stored.tobytes() else str(turned.item())


def shown_where_missing(array: Array, otherwise: str, where: str) -> str:
    """Return what netCDF-C does where chunks of an array are not found.

    Parameters
    ----------
    array : Array
        An array of Zarr v2.
    otherwise : str
        What it does where it shows the fill value.
    where : str
        Where it shows something else.
    """
    turned = turned_fill(array)
    if turned is None:
        return otherwise
    return f"returns {turned} {where}, the fill value with its bytes turned around (4.10)"
