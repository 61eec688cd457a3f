"""Dates and durations that are counted in multiples of a unit, such as ``datetime64[10ms]``, which xarray refuses."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from nz_explorer.model.data_type import DataType

REFUSED = {
    "xarray": "raises ValueError: units containing a multiplier are not supported, and cannot open the group"
}


def in_multiples(data_type: DataType) -> bool:
    """Return whether a data type counts multiples of a unit of time.

    Parameters
    ----------
    data_type : DataType
        The data type.
    """
    if data_type.numpy is None or data_type.kind not in ("datetime", "timedelta"):
        return False
    return np.datetime_data(data_type.numpy)[1] > 1


def in_single_units(data_type: DataType) -> str:
    """Return the name of the type that counts the unit itself, such as ``datetime64[ms]``.

    Parameters
    ----------
    data_type : DataType
        A type of dates or durations.
    """
    unit = "s" if data_type.numpy is None else np.datetime_data(data_type.numpy)[0]
    return f"{data_type.kind}64[{unit}]"
