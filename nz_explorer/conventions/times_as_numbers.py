"""Times of NumPy's own data types: what keeps xarray from them, and how to tell them as CF does, as numbers in units."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from nz_explorer.conventions.bounds_of_coordinates import is_of_a_coordinate
from nz_explorer.engine.fixes import Draft, remove, replace, set_attribute
from nz_explorer.model import Array, is_candidate

if TYPE_CHECKING:
    from nz_explorer.engine.findings import FixMaker
    from nz_explorer.model import Node
    from nz_explorer.model.data_type import DataType

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
REFUSED = {
    "xarray": "raises ValueError: units containing a multiplier are not supported, at load(), compute() or min(), and for a coordinate when it opens the group"
}
"""What becomes of times that are counted in multiples of a unit."""


def in_multiples(data_type: DataType) -> bool:
    """Return whether a data type counts multiples of a unit of time, such as ``datetime64[10ms]``.

    Parameters
    ----------
    data_type : DataType
        The data type.
    """
    return _counted(data_type)[1] > 1


def _counted(data_type: DataType) -> tuple[str, int]:
    """Return the unit of times and how many of it are counted; nothing of what holds no times."""
    if data_type.numpy is None or data_type.kind not in TIMES:
        return "", 0
    return np.datetime_data(data_type.numpy)


def units_of_times(data_type: DataType) -> str | None:
    """Return what the numbers of dates or durations are, in the words of CF; None of other values, and of multiples of a unit.

    Parameters
    ----------
    data_type : DataType
        The data type.
    """
    unit, count = _counted(data_type)
    word = _UNITS.get(unit) if count == 1 else None
    return word if word is None or data_type.kind != "datetime" else f"{word} since 1970-01-01"


def as_numbers(node: Node) -> Draft:
    """Return the fix that makes int64 of times: what is stored are such numbers, counted from 1970. No chunk changes.

    Parameters
    ----------
    node : Node
        The array.
    """
    if isinstance(node, Array) and in_multiples(node.data_type):
        single = f"{node.data_type.kind}64[{_counted(node.data_type)[0]}]"
        steps = f'zarr.open_array(store, path="{node.path[1:]}")[...].astype("{single}")'
        return Draft("suggest", note=f"written again in single units, xarray opens it: {steps}")
    if not isinstance(node, Array) or (unit := _unit(node)) is None:
        where = "store" if node.parent in ("/", None) else f"store, group={node.parent!r}"
        steps = f"xr.open_zarr({where}).drop_encoding().to_zarr(NEW_STORE)"
        return Draft("suggest", note=f"xarray writes times as numbers with units: {steps}")
    is_date = node.data_type.kind == "datetime"
    fill = node.metadata.get("fill_value")
    fill = NOT_A_TIME if fill == "NaT" else fill
    if node.zarr_format == 3:
        told: list[Any] = [replace("/data_type", "int64")]
        if "fill_value" in node.metadata and type(node.metadata["fill_value"]) is not int:
            # also for what is no time, which int64 has not
            told += [replace("/fill_value", NOT_A_TIME)]
    else:
        # without an order numbers have that of most
        order = ">" if str(node.metadata["dtype"]).startswith(">") else "<"
        # xarray takes fill_value for the mark of missing values; 0 is a moment
        fill = NOT_A_TIME if fill == NOT_A_TIME else None
        told = [replace("/.zarray/dtype", f"{order}i8"), replace("/.zarray/fill_value", fill)]
    mark = node.attributes.get("_FillValue")
    # what is no time is a number like any other then, unless it is marked; a coordinate has none, nor have its bounds
    whole = is_candidate(node) or is_of_a_coordinate(node)
    if mark == "NaT" or (mark is None and node.zarr_format == 3 and not whole):
        told += set_attribute(node, "_FillValue", NOT_A_TIME)
    # xarray looks at it in numbers, and raises AttributeError; times it leaves alone
    told += [remove(node.attribute_pointer("_Encoding"))] if "_Encoding" in node.attributes else []
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
    if "units" in array.attributes:
        return None
    if array.metadata.get("filters"):  # some are told the data type
        return None
    unit, count = _counted(array.data_type)
    return _UNITS.get(unit) if count == 1 else None


def declare_missing(values: list[Any], otherwise: str) -> FixMaker:
    """Return the fix for times that are no dates: one value may stand for missing ones, several are of other units.

    Parameters
    ----------
    values : list
        The values that are no dates, one at least.
    otherwise : str
        What is the case where the one value does not stand for a missing time.
    """
    if values[1:]:
        note = f"the units are not those of the values: {values[1]} is no date either"
        return lambda _node: Draft("suggest", note=note)
    note = f"if this value stands for a missing time; {otherwise}"
    return lambda node: Draft("suggest", set_attribute(node, "missing_value", values[0]), note)
