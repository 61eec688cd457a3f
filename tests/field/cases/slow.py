"""What opens, and takes long: coordinates and arrays in too many chunks."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import xarray as xr
import zarr

from tests.field.case import opens, reported
from tests.field.readers import xarray
from tests.field.stores import array, group


def _in_one_chunk(store: Path) -> Path:
    """Do what the finding says."""
    kept = xr.open_zarr(store, decode_cf=False, consolidated=False)[["time"]].load()
    root = zarr.open_group(store)
    del root["time"]
    encoding = {"time": {"chunks": (kept.sizes["time"],)}}
    kept.drop_encoding().to_zarr(store, mode="a", encoding=encoding, consolidated=False)
    return store


def _hourly(folder: Path, hours: int, each: int, zarr_format: int) -> Path:
    root = group(folder, zarr_format)
    units = {"units": "hours since 2001-01-01 01:00", "calendar": "standard"}
    at = np.arange(1, hours + 1)
    fill = None if zarr_format == 2 else 0
    array(root, "time", at, ["time"], chunks=[each], fill_value=fill, **units)
    return folder


@reported(
    "xcube-dev/xcube#133",
    "Opening a cube in object storage is very slow: a request for every time stamp, whose chunks have the length 1",
    finding=("NZ-COORD-011", "/time", "150 chunks"),
    before=opens(xarray),
    after=opens(xarray),
    by_hand=_in_one_chunk,
)
def time_in_chunks_of_one(folder: Path) -> Path:
    return _hourly(folder, 150, 1, 2)


@reported(
    "pangeo-forge/pangeo-forge-recipes#209",
    "Opening the consolidated store takes minutes, because time is chunked like the data",
    finding=("NZ-COORD-011", "/time", "102 chunks"),
    before=opens(xarray),
    after=opens(xarray),
    by_hand=_in_one_chunk,
)
def time_in_the_chunks_of_the_data(folder: Path) -> Path:
    return _hourly(folder, 3060, 30, 3)


@reported(
    "pydata/xarray#6036",
    "open_zarr takes too long, and all memory, where the arrays have a large number of chunks: (1, 1, 1)",
    finding=("NZ-CODEC-005", "/foo", "1,000,000 chunks"),
)
def chunks_of_one_number(folder: Path) -> Path:
    foo = group(folder, 2).create_array("foo", shape=(100,) * 3, chunks=(1, 1, 1), dtype="f4")
    foo.attrs["_ARRAY_DIMENSIONS"] = ["x", "y", "z"]
    return folder
