"""What tests need of the versions of zarr and xarray; the oldest allowed ones do some things otherwise."""

from __future__ import annotations

import pytest
import xarray
import zarr
from packaging.version import Version

OLDEST = Version(zarr.__version__) < Version("3.1.3")
"""Before it zarr has none of numcodecs' codecs for Zarr v3, loses chunks of some shards, and fails on a bare NaN."""
SINCE_3_2 = Version(zarr.__version__) >= Version("3.2")
"""Since then zarr knows the data type struct, and the codec scale_offset."""
SINCE_3_3 = Version(zarr.__version__) >= Version("3.3")
"""Since then zarr looks at attributes of arrays, and asks for an order of bytes."""
SINCE_3_4 = Version(zarr.__version__) >= Version("3.4")
"""Since then zarr looks at shards inside of shards, and tells 3 from 3.0 and 1 from true."""
SINCE_3_4_1 = Version(zarr.__version__) >= Version("3.4.1")
"""Since then zarr has fields that may be ignored in groups, dates of no unit, and looks at the index of shards."""
OLD_XARRAY = Version(xarray.__version__) < Version("2025.8")

not_with_the_oldest = pytest.mark.skipif(
    OLDEST, reason="zarr before 3.1.3 reads or writes this otherwise"
)
