"""Marks for missing values that mark too much, or nothing."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tests.field.case import fails, opens, reported, sees
from tests.field.readers import xarray
from tests.field.stores import array, group, put


@reported(
    "xarray-contrib/xarray-simlab#172",
    "0 values are set to nan in the output: the first step is shown as [nan 1. 2. 3.]",
    finding=("Z2-FV-007", "/foo__a", "1 of the 4 values"),
    before=sees(xarray, lambda ds: np.isnan(ds["foo__a"].values).tolist() == [True] + [False] * 3),
    after=sees(xarray, lambda ds: ds["foo__a"].values.tolist() == [0, 1, 2, 3]),
    values="all",
)
def first_step_of_a_model(folder: Path) -> Path:
    array(group(folder, 2), "foo__a", np.arange(4.0), ["clock"], fill_value=0.0)
    return folder


@reported(
    "xarray-contrib/xarray-simlab#162",
    "Zeros of variables that are no scalars are converted to NaN",
    finding=("Z2-FV-007", "/grid__state", "3 of the 4 values"),
    before=sees(xarray, lambda ds: int(np.isnan(ds["grid__state"].values).sum()) == 3),
    after=sees(xarray, lambda ds: ds["grid__state"].values.tolist() == [[0, 0], [0, 5]]),
    values="all",
)
def zeros_that_are_no_scalars(folder: Path) -> Path:
    values = np.array([[0, 0], [0, 5]], "i8")
    array(group(folder, 2), "grid__state", values, ["y", "x"], fill_value=0)
    return folder


@reported(
    "ai2cm/fv3net#223",
    "Zeros of the model itself are cast to NaN in the output of one step",
    finding=("Z2-FV-007", "/total_precipitation", "2 of the 3 values"),
    before=sees(xarray, lambda ds: int(np.isnan(ds["total_precipitation"].values).sum()) == 2),
    after=sees(xarray, lambda ds: not np.isnan(ds["total_precipitation"].values).any()),
    values="all",
    kind="pull",
)
def zeros_of_a_model(folder: Path) -> Path:
    values = np.array([0.0, 0.25, 0.0], "f4")
    array(group(folder, 2), "total_precipitation", values, ["x"], fill_value=0.0)
    return folder


@reported(
    "zarr-developers/VirtualiZarr#339",
    "Where coordinates are inlined in the references, the first depth is nan",
    finding=("Z2-FV-008", "/depth", "1 of the 3 values"),
    before=sees(xarray, lambda ds: bool(np.isnan(ds["depth"].values[0]))),
    after=sees(xarray, lambda ds: ds["depth"].values.tolist() == [0, 50, 100]),
)
def depth_of_zero(folder: Path) -> Path:
    root = group(folder, 2)
    array(root, "depth", np.array([0.0, 50.0, 100.0]), ["depth"], fill_value=0.0)
    array(root, "temperature", np.array([15.0, 14.0, 13.0]), ["depth"], fill_value=None)
    return folder


@reported(
    "JuliaDataCubes/YAXArrays.jl#114",
    "Saving a matrix of booleans converts the values that are true to missing ones",
    finding=("Z2-FV-007", "/layer", "2 of the 4 values", "true"),
    before=sees(xarray, lambda ds: np.isnan(ds["layer"].values[0].astype("f8")).all()),
    after=sees(xarray, lambda ds: ds["layer"].values.tolist() == [[True, True], [False, False]]),
    values="all",
)
def true_is_missing(folder: Path) -> Path:
    values = np.array([[True, True], [False, False]])
    array(group(folder, 2), "layer", values, ["Dim_1", "Dim_2"], fill_value=True)
    return folder


@reported(
    "fsspec/kerchunk#385",
    "The _FillValue of a classic netCDF file does not end up in the references, and 1e+37 is read in its place",
    finding=("CF-FILL-002", "/Jel", "1e+37"),
    before=sees(xarray, lambda ds: float(ds["Jel"].values[1]) > 9e36),
    after=sees(xarray, lambda ds: np.isnan(ds["Jel"].values).tolist() == [False, True]),
    values="all",
)
def mark_of_a_classic_file(folder: Path) -> Path:
    array(group(folder, 2), "Jel", np.array([1.0, 1e37], "f4"), ["x"], fill_value=None)
    return folder


@reported(
    "zarr-developers/VirtualiZarr#989",
    "TypeError: Failed to decode fill_value: expected str or bytes for dtype float64, got float",
    finding=("NZ-FILL-006", "/quantity", "-9999.0"),
    before=fails(xarray, TypeError, "Failed to decode fill_value"),
    after=opens(xarray),
)
def mark_that_is_a_number(folder: Path) -> Path:
    array(group(folder), "quantity", np.array([1.0, 2.0]), ["x"], _FillValue=-9999.0)
    return folder


@reported(
    "pangeo-data/rechunker#55",
    "NaN of the source are 1e37 after the data were rechunked",
    finding=("CF-FILL-002", "/zeta", "1e+37"),
    before=sees(xarray, lambda ds: float(ds["zeta"].max()) > 9e36),
    after=sees(xarray, lambda ds: int(np.isnan(ds["zeta"]).sum()) == 2),
    values="all",
)
def marks_after_rechunking(folder: Path) -> Path:
    heights = np.array([[0.5, 0.25, 1e37], [0.5, 1e37, 0.75]], "f4")
    array(group(folder, 2), "zeta", heights, ["time", "x"], fill_value=None)
    return folder


@reported(
    "cgentemann/cloud_science#18",
    "Points over land should be missing, and in the second store all of them are a flag value, -32768",
    finding=("CF-FILL-002", "/sst", "-32768"),
    before=sees(xarray, lambda ds: float(ds["sst"].min()) < 270),
    after=sees(xarray, lambda ds: int(np.isnan(ds["sst"]).sum()) == 2),
    values="all",
)
def land_in_a_second_store(folder: Path) -> Path:
    packed = np.array([[1990, 2010, -32768], [1980, -32768, 2004]], "i2")
    scale = {"scale_factor": 0.001, "add_offset": 298.15}
    array(group(folder, 2), "sst", packed, ["lat", "lon"], fill_value=None, **scale)
    return folder


@reported(
    "zarr-developers/zarr-python#3447",
    "TypeError: Invalid type: 0.0. Expected an integer. – legacy images have the fill_value 0.0 for uint8",
    finding=("Z2-FV-004", "/s0", "0.0", "uint8"),
    after=opens(xarray),
    beside=("Z2-FV-006",),
)
def zero_with_a_point(folder: Path) -> Path:
    array(group(folder, 2), "s0", np.ones((2, 2), "u1"), ["y", "x"])
    put(folder / "s0" / ".zarray", 0.0, "fill_value")
    return folder
