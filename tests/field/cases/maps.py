"""Maps that programs show upside down, or refuse."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import xarray as xr

from tests.field.case import opens, reported, sees
from tests.field.readers import xarray
from tests.field.stores import array, edit, group


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


@reported(
    "hytest-org/hytest#145",
    "x and y have a misspelled standard_name, and software that needs the projection does not find them",
    finding=("CF-ATTR-003", "/x", "projection_x_coordinate"),
    before=sees(xarray, lambda ds: ds["x"].attrs["standard_name"] == "projecton_x_coordinate"),
    after=sees(xarray, lambda ds: ds["x"].attrs["standard_name"] == "projection_x_coordinate"),
)
def misspelled_standard_name(folder: Path) -> Path:
    store = _map(folder, [2500.0, 0.0])
    edit(
        store / "x" / "zarr.json",
        lambda given: given["attributes"].update(standard_name="projecton_x_coordinate"),
    )
    return store


@reported(
    "mercator-ocean/copernicus-marine-toolbox#32",
    "Depths go from 0 to 4000 and have positive: up",
    finding=("CF-ATTR-003", "/depth", 'positive "up" contradicts the standard name depth'),
    before=sees(xarray, lambda ds: ds["depth"].attrs["positive"] == "up"),
    after=sees(xarray, lambda ds: ds["depth"].attrs["positive"] == "down"),
    kind="pull",
)
def depths_that_grow_upwards(folder: Path) -> Path:
    root = group(folder)
    meaning = {"standard_name": "depth", "units": "m", "positive": "up", "axis": "Z"}
    array(root, "depth", [0.5, 10.0, 4000.0], ["depth"], **meaning)
    array(root, "thetao", [20.0, 18.0, 2.0], ["depth"], units="degrees_C")
    return folder


@reported(
    "carbonplan/zarr-layer#88",
    "A map is drawn as diagonal streaks: spatial:dimensions has the dimensions in another order than the array",
    finding=("ZCF-SPATIAL-001", "/", "take rows for columns"),
    before=sees(xarray, lambda ds: ds.attrs["spatial:dimensions"] == ["x", "y"]),
    after=sees(
        xarray,
        lambda ds: ds.attrs["spatial:shape"] == [ds.sizes[d] for d in ("y", "x")],
    ),
)
def rows_taken_for_columns(folder: Path) -> Path:
    store = _map(folder, [2500.0, 0.0])
    grid = {"spatial:dimensions": ["x", "y"], "spatial:shape": [3, 2]}
    edit(store / "zarr.json", lambda given: given["attributes"].update(grid))
    return store


@reported(
    "EOPF-Sample-Service/GDAL-ZARR-EOPF#186",
    "The GeoTransform has pixels of no size: x and y have two dimensions and hold -1000000 and -5000000 everywhere",
    finding=("CF-COORD-004", "/x", "all 6 values are -1000000"),
    before=sees(xarray, lambda ds: ds["x"].min() == ds["x"].max()),
    values="all",
)
def coordinates_of_one_value(folder: Path) -> Path:
    root = group(folder)
    for name, value in (("x", -1e6), ("y", -5e6)):
        array(root, name, np.full((2, 3), value), ["rows", "columns"], units="m")
    array(root, "lst", np.ones((2, 3)), ["rows", "columns"], units="K")
    return folder
