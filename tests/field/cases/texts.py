"""Texts that were cut off or emptied, and types that not every reader has for them."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tests.field.case import fails, opens, reported, sees
from tests.field.readers import netcdf_c, xarray, zarr_python
from tests.field.stores import array, group, put


@reported(
    "pydata/xarray#9037",
    "Texts of a coordinate are truncated when rasters that were concatenated are saved: bands have one name",
    finding=("NZ-COORD-002", "/band", "both 'ban'", "cut off"),
    before=sees(xarray, lambda ds: list(ds["band"].values) == ["nir", "ban", "ban"]),
)
def names_of_bands_that_are_cut_off(folder: Path) -> Path:
    root = group(folder, 2)
    array(root, "band", np.array(["nir", "ban", "ban"]), ["band"], fill_value="")
    array(root, "raster", np.ones((3, 2)), ["band", "x"], fill_value=None)
    return folder


@reported(
    "pydata/xarray#10487",
    "What was opened and written to the same store again has lost its texts: they are ['' '' '']",
    finding=("Z3-CHUNK-004", "/col2", "not written"),
    before=sees(xarray, lambda ds: set(ds["col2"].values) == {""}),
    values="all",
    beside=("NZ-TYPE-002",),
)
def texts_that_were_emptied(folder: Path) -> Path:
    array(group(folder), "col2", np.array(["aa", "be", "cefe"]), ["mydim"], fill_value="")
    (folder / "col2" / "c" / "0").unlink()
    return folder


@reported(
    "zarr-developers/pydantic-zarr#34",
    "AttributeError: 'int' object has no attribute 'tolist', for an array of texts whose fill_value is 0",
    finding=("Z2-FV-004", "/names", "no text", "zarr-python 2"),
    after=opens(zarr_python),
    beside=("Z2-FV-006",),
)
def texts_that_are_filled_with_zero(folder: Path) -> Path:
    array(group(folder, 2), "names", np.array(["a", "b"], object), ["x"], fill_value="")
    put(folder / "names" / ".zarray", 0, "fill_value")
    return folder


@reported(
    "zarr-developers/zarr-python#3102",
    "TypeError: data type '|T16' not understood, for an array of NumPy's variable-length strings",
    finding=("Z2-DT-001", "/names", "|T16", "StringDType"),
    before=fails(zarr_python, ValueError, "No Zarr data type found"),
    after=sees(zarr_python, lambda found: list(found["names"]) == ["a", "b"]),
)
def texts_of_numpy_2(folder: Path) -> Path:
    array(group(folder, 2), "names", np.array(["a", "b"], object), ["x"], fill_value="")
    put(folder / "names" / ".zarray", "|T16", "dtype")
    return folder


@reported(
    "Unidata/netcdf-c#2465",
    "The dataset breaks when it is opened with netCDF4, as some variables hold texts; they could be ignored",
    finding=("Z2-OGC-004", "/url", "no texts"),
    before=fails(netcdf_c, OSError, "NCZarr error"),
    beside=("Z2-FV-006", "Z2-DT-001"),
)
def addresses_beside_the_data(folder: Path) -> Path:
    root = group(folder, 2)
    array(root, "precip", np.ones((2, 2), "f4"), ["time", "lat"], fill_value=None)
    array(root, "url", np.array(["http://a", "http://b"], object), ["time"], fill_value="")
    return folder


@reported(
    "xarray-contrib/xarray-simlab#133",
    "The _FillValue of texts is the empty text, which netCDF does not take, as zarr has a fill_value for them",
    finding=("Z2-FV-006", "/names", 'fill_value is ""'),
    before=sees(xarray, lambda ds: ds["names"].encoding["_FillValue"] == ""),
    after=sees(xarray, lambda ds: "_FillValue" not in ds["names"].encoding),
)
def texts_with_an_empty_mark(folder: Path) -> Path:
    array(group(folder, 2), "names", np.array(["a", "b"]), ["x"], fill_value="")
    return folder
