"""What readers do with fill values of Zarr v2 that do not fit the type."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

import numpy as np

from nz_explorer.conventions.times_as_numbers import TIMES
from nz_explorer.conventions.zarr3.nodes import CRASHES, NCZARR_ERROR, TYPE_ERROR
from nz_explorer.documents.json_text import json_text
from nz_explorer.model.dialects import nczarr, netcdf_numbers
from nz_explorer.model.fill_values.spelling import value_text

if TYPE_CHECKING:
    from nz_explorer.model import Array
    from nz_explorer.model.data_type import DataType
    from nz_explorer.model.fill_values import FillProblem


def is_number_as_text(given: Any, kind: str) -> bool:
    """Whether zarr-python makes a number of a text all the same, for a kind of data type.

    Parameters
    ----------
    given
        The value.
    kind
        Of the data type, as `DataType.kind` has it.
    """
    if not isinstance(given, str) or kind not in ("int", "uint", "float"):
        return False
    try:
        int(given) if kind in ("int", "uint") else float(given)
    except ValueError:
        return False
    return True


def is_beyond(given: Any, data_type: DataType) -> bool:
    """Whether a text is an integer that the type does not hold.

    Parameters
    ----------
    given
        The value.
    data_type
        The type.
    """
    if data_type.kind not in ("int", "uint") or not is_number_as_text(given, data_type.kind):
        return False
    limits = np.iinfo(data_type.name)
    return not limits.min <= int(given) <= limits.max


TEXT_BEYOND = {**TYPE_ERROR, "zarr-python": "raises OverflowError", **CRASHES}
"""What readers do with such a text."""
TURNED = {
    "zarr-python": "takes the text for true, and fills chunks that are not stored with it",
    "xarray": "takes the text for true, fills chunks that are not stored with it, and shows each true as missing",
}


def readers_of(given: Any, data_type: DataType, problem: FillProblem) -> dict[str, str]:
    """Return what readers do with a value that does not fit the type; none, where they make one of it.

    Parameters
    ----------
    given
        The value.
    data_type
        The type.
    problem
        Why it does not fit.
    """
    kind = data_type.kind
    numbers = kind in ("int", "uint", "float")
    if kind in TIMES and isinstance(given, bool):
        return {}
    if kind in ("float", "complex") and problem.kind == "range":  # which Python rounds to infinity
        return {**TYPE_ERROR, "zarr-python": "raises OverflowError"} if _is_too_long(given) else {}
    if kind == "bool" or (kind == "string" and problem.kind == "range"):
        return {}  # which Python makes of anything, or cuts
    if numbers and (isinstance(given, bool) or problem.suggestion == given):
        # true is 1 to them, false is 0, and 1.0 is 1, but not 255.0 to netCDF-C
        return _of_netcdf(given, data_type)
    if is_number_as_text(given, kind):
        return CRASHES
    error = "OverflowError" if problem.kind == "range" else "TypeError"
    readers = {**TYPE_ERROR, "zarr-python": f"raises {error}"}
    if not numbers:
        return {**readers, **NCZARR_ERROR}  # it has no such types
    if isinstance(given, str):
        return {**readers, **CRASHES}
    return {**readers, **_of_netcdf(given, data_type)}


def _of_netcdf(given: Any, data_type: DataType) -> dict[str, str]:
    """Return that netCDF-C refuses a number for a type of integers, where it does not make another of it."""
    whole = data_type.kind in ("int", "uint") and isinstance(given, int | float)
    if not whole or netcdf_numbers.is_taken(given, data_type.name):
        return {}
    return {"netCDF-C": "refuses the dataset: numeric conversion not representable"}


def _is_too_long(given: Any) -> bool:
    """Whether there is an integer of so many digits that Python makes no float of it."""
    parts = given if isinstance(given, list) else [given]
    return any(isinstance(one, int) and abs(one) >= 2**1024 for one in parts)


def masked_by(given: Any, kind: str) -> dict[str, str]:
    """Return what xarray does with a value that it takes for another, of the type: it masks by that.

    Parameters
    ----------
    given
        The value.
    kind
        Of the data type, as `DataType.kind` has it.
    """
    if kind == "bool":  # Python makes one of anything
        taken = json_text(bool(given))
    elif kind in ("int", "uint", "float") and (
        isinstance(given, bool) or is_number_as_text(given, kind)
    ):
        taken = value_text(np.float64(given)) if kind == "float" else str(int(given))
    else:
        return {}
    return {"xarray": f"takes it for {taken}, and shows each {taken} as missing"}


OTHERS_OF_BASE64 = {"zarr-python": "raises an error", "xarray": "cannot open the group"}
INVALID_ARGUMENT = {"netCDF-C": "refuses the dataset: invalid argument"}
_CRASHES_WHERE_IT_FILLS = {
    "netCDF-C": "crashes the process when it reads a chunk that is not stored (4.10)"
}
"""What it does with null, a list or an object in place of bytes, which it passes over when it opens the dataset."""


def readers_of_base64(array: Array, given: Any) -> dict[str, str] | None:
    """Return what readers do with a text that is not one element in base64: zarr-python passes over other characters.

    Parameters
    ----------
    array
        The array.
    given
        Its fill value.
    """
    try:
        decoded = base64.b64decode(given)
    except (TypeError, ValueError):
        if array.data_type.kind != "bytes":
            return None
        # netCDF-C passes over all that is no number where texts are stored, and over everything for characters
        if _is_char(array):
            return OTHERS_OF_BASE64
        listed = given if isinstance(given, list) else [given]
        if any(isinstance(one, bool | int | float) for one in listed):
            return OTHERS_OF_BASE64 | INVALID_ARGUMENT
        is_passed_over = all(isinstance(one, str) for one in listed)
        return OTHERS_OF_BASE64 if is_passed_over else OTHERS_OF_BASE64 | _CRASHES_WHERE_IT_FILLS
    if array.data_type.kind == "bytes":  # NumPy cuts, or adds zeros
        return {}
    taken = array.data_type.kind == "raw" or _is_taken_for_struct(array, decoded)
    if not taken:
        return None
    empty = array.data_type.kind == "struct" and not decoded  # before 3.4.1 it is 0 to zarr-python
    refused = {"zarr-python": "raises IndexError (since 3.4.1)"} if empty else {}
    return {"xarray": "cannot open the group", **refused, **NCZARR_ERROR}


def _is_char(array: Array) -> bool:
    """Whether netCDF-C takes bytes for characters, which it does only where it reads its own metadata."""
    hierarchy = array.hierarchy
    is_own = nczarr.counts(hierarchy) and nczarr.is_read(hierarchy.root, "superblock")
    return is_own and array.metadata.get("dtype") == ">S1"


def _is_taken_for_struct(array: Array, decoded: bytes) -> bool:
    """Whether NumPy makes a value of a struct of bytes, as zarr-python asks it to; to it no bytes are one."""
    struct = array.data_type.numpy
    try:
        return struct is not None and bool(np.array([decoded]).view(struct).size)
    except ValueError:
        return False
