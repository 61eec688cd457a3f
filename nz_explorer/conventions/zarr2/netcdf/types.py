"""What netCDF-C takes for a type of data."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from nz_explorer.conventions.zarr3.nodes import NCZARR_ERROR

_BEGUN = re.compile(r"[<>|]?(?:[iu] ?0*[1248]|f ?0*[48]|S ?0*[1-9][0-9]*)(?![0-9])")
"""How a text begins of which netCDF-C reads that, and passes over the rest."""
_NO_ORDER = re.compile(r"\|?(?:[iu] ?0*1|S.*)")


_WITHOUT_LENGTH = re.compile(r"[<>|]?S ?0*")
BIG = {"netCDF-C": "opens it, and takes the values for big-endian (4.10)"}
UNSET = {"netCDF-C": "opens it, and shows what is in memory that nobody has set (4.10)"}
"""What netCDF-C does with strings without a length."""


def what_netcdf_reads(given: Any) -> Mapping[str, str]:
    """Return what netCDF-C does with a dtype that is no type string; nothing where it reads it as it is meant.

    Parameters
    ----------
    given
        The dtype.
    """
    if isinstance(given, str) and _WITHOUT_LENGTH.fullmatch(given):
        return UNSET
    begun = _BEGUN.match(given) if isinstance(given, str) else None
    if begun is None:
        return NCZARR_ERROR
    if begun[0][0] in "<>" or _NO_ORDER.fullmatch(begun[0]):
        return {}
    return BIG
