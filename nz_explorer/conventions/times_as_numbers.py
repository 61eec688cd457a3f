"""Times of NumPy's own data types, told as CF has them: numbers in units, which every reader knows. No chunk changes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from nz_explorer.engine.fixes import Draft, replace, set_attribute
from nz_explorer.model import Array

if TYPE_CHECKING:
    from nz_explorer.model import Node

TIMES = ("datetime", "timedelta")
"""Kinds of data types that are meant."""
_UNITS = {
    "D": "days",
    "h": "hours",
    "m": "minutes",
    "s": "seconds",
    "ms": "milliseconds",
    "us": "microseconds",
    "ns": "nanoseconds",
}
NOT_A_TIME = -(2**63)


def as_numbers(node: Node) -> Draft:
    """Return the fix that makes int64 of times: what is stored are such numbers, counted from 1970.

    Parameters
    ----------
    node : Node
        The array.
    """
    if not isinstance(node, Array) or (unit := _unit(node)) is None:
        where = "store" if node.parent in ("/", None) else f"store, group={node.parent!r}"
        steps = f"xr.open_zarr({where}).drop_encoding().to_zarr(NEW_STORE)"
        return Draft("suggest", note=f"xarray writes times as numbers with units: {steps}")
    is_date = node.data_type.kind == "datetime"
    fill = node.metadata.get("fill_value")
    fill = NOT_A_TIME if fill == "NaT" else fill
    if node.zarr_format == 3:
        told: list[Any] = [replace("/data_type", "int64")]
        told += [replace("/fill_value", fill)] if fill == NOT_A_TIME else []
    else:
        order = str(node.metadata["dtype"])[:1]
        # xarray takes fill_value for the mark of missing values; 0 is a moment
        fill = NOT_A_TIME if fill == NOT_A_TIME else None
        told = [replace("/.zarray/dtype", f"{order}i8"), replace("/.zarray/fill_value", fill)]
    told += set_attribute(node, "units", f"{unit} since 1970-01-01" if is_date else unit)
    if is_date:
        told += set_attribute(node, "calendar", "proleptic_gregorian")
    else:
        told += set_attribute(node, "dtype", "timedelta64[ns]")
    return Draft(
        "suggest", tuple(told), "the chunks stay as they are; zarr-python shows numbers afterwards"
    )


def _unit(array: Array) -> str | None:
    """Return the unit in CF's words, None where a patch cannot tell the times in another way."""
    if array.data_type.numpy is None or "units" in array.attributes:
        return None
    if array.metadata.get("filters"):  # some are told the data type
        return None
    unit, count = np.datetime_data(array.data_type.numpy)
    return _UNITS.get(unit) if count == 1 else None
