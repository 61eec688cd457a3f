"""Z2: chunks for which netCDF-C needs more memory than there is."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from nz_explorer.conventions.netcdf_c import impact_of_netcdf
from nz_explorer.conventions.zarr2.members import V2
from nz_explorer.engine.findings import Fail
from nz_explorer.engine.registry import rule

if TYPE_CHECKING:
    from nz_explorer.model import Array

LARGE = 2**31
"""Bytes of a chunk above which it is noted."""
NOWHERE = 2**47
"""Bytes that no computer has: the processors of today do not count further."""
LARGEST = 2**64
"""Bytes from which netCDF-C does not open a dataset."""


@rule("Z2-OGC-015", on="array", formats=V2, needs=("shape", "chunk shape", "data type"))
def chunks_fit_into_memory(array: Array) -> Iterator[Fail]:
    """Note chunks that netCDF-C cannot hold in memory, also where none is stored."""
    size = math.prod(array.chunk_shape or ()) * (array.data_type.itemsize or 1)
    if size >= LARGEST:
        yield Fail(
            "/.zarray/chunks",
            f"a chunk has {size:,} bytes, and netCDF-C refuses a dataset with chunks of 2⁶⁴ bytes and more",
            impact=impact_of_netcdf(array),
            readers={"netCDF-C": "refuses the dataset: invalid argument"},
        )
    elif size > LARGE:
        said = f"a chunk has {size / 2**30:,.1f} GiB; netCDF-C needs memory for a whole one to read a single value, also where none is stored"
        fails = size >= NOWHERE
        yield Fail(
            "/.zarray/chunks",
            said,
            impact=impact_of_netcdf(array) if fails else None,
            readers=None if fails else {},
        )
