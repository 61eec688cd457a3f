"""Maps that programs show upside down, or refuse."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import xarray as xr

from tests.field.case import opens, reported, sees
from tests.field.readers import xarray
from tests.field.stores import array, group


def _map(folder: Path, y: list[float], order: str = "yx") -> Path:
    root = group(folder)
    crs = {
        "grid_mapping_name": "lambert_conformal_conic",
        "standard_parallel": [63.3, 63.3],
        "latitude_of_projection_origin": 63.3,
        "longitude_of_central_meridian": 15.0,
    }
    meaning = {"y": "projection_y_coordinate", "x": "projection_x_coordinate"}
    for name, values in (("y", y), ("x", [0.0, 2500.0, 5000.0])):
        array(root, name, values, [name], standard_name=meaning[name], units="m")
    array(root, "crs", np.int32(0), [], **crs)
    shape = [{"y": len(y), "x": 3}[name] for name in order]
    values = np.arange(6.0).reshape(shape)
    array(root, "air", values, list(order), grid_mapping="crs")
    return folder


def _again(store: Path, change: str) -> Path:
    """Write a store again as the finding advises."""
    with xr.open_zarr(store, consolidated=False) as ds:
        loaded = ds.load().drop_encoding()
    changed = (
        loaded.sortby("y", ascending=False) if change == "sort" else loaded.transpose(..., "y", "x")
    )
    other = store.with_name(store.name + "-again")
    changed.to_zarr(other, consolidated=False)
    return other


@reported(
    "pydata/xarray#8742",
    "The y axis is reversed after to_zarr(): gdalbuildvrt does not support positive NS resolution",
    finding=("CF-MAP-002", "/y", "southernmost"),
    before=sees(xarray, lambda ds: ds["y"].values[0] < ds["y"].values[1]),
    after=sees(xarray, lambda ds: ds["y"].values[0] > ds["y"].values[1]),
    by_hand=lambda store: _again(store, "sort"),
)
def rows_from_the_south(folder: Path) -> Path:
    return _map(folder, [0.0, 2500.0])


@reported(
    "developmentseed/titiler-multidim#8",
    "A public dataset has the order time, lon, lat, and cannot be reprojected: the order must be lat, lon",
    finding=("CF-MAP-001", "/air", '"x" before "y"'),
    before=opens(xarray),
    after=sees(xarray, lambda ds: ds["air"].dims == ("y", "x")),
    by_hand=lambda store: _again(store, "transpose"),
)
def columns_before_rows(folder: Path) -> Path:
    return _map(folder, [2500.0, 0.0], "xy")
