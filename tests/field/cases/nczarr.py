"""Datasets of netCDF-C that other programs read or have changed."""

from __future__ import annotations

from pathlib import Path

from tests.field.case import fails, opens, reported
from tests.field.readers import netcdf_c, xarray
from tests.field.stores import put, without


def _written(folder: Path) -> Path:
    import netCDF4

    with netCDF4.Dataset(f"{folder.as_uri()}#mode=nczarr,file", "w") as dataset:
        dataset.createDimension("dim2", 3)
        dataset.createVariable("var1", "i4", ("dim2",))[:] = [1, 2, 3]
    return folder


@reported(
    "pydata/xarray#7572",
    "KeyError: _ARRAY_DIMENSIONS is missing, and the NCZarr metadata are not found: their names have changed",
    finding=("NCZ-XR-001", "/var1", "_ARRAY_DIMENSIONS"),
    before=(fails(xarray, KeyError, "_ARRAY_DIMENSIONS"), opens(netcdf_c)),
    after=(opens(xarray), opens(netcdf_c)),
)
def names_that_only_netcdf_c_finds(folder: Path) -> Path:
    without(_written(folder) / "var1" / ".zattrs", "_ARRAY_DIMENSIONS")
    return folder


@reported(
    "Unidata/netcdf-c#2647",
    "The names of dimensions are lost in mode nczarr,noxarray: they are _zdim_9 and _zdim_10",
    finding=("NCZ-VAR-006", "/var1", "metadata"),
    before=fails(netcdf_c, OSError),
    after=opens(netcdf_c),
)
def notes_on_an_array_are_lost(folder: Path) -> Path:
    without(_written(folder) / "var1" / ".zattrs", "_nczarr_array")
    return folder


@reported(
    "Unidata/netcdf-c#3214",
    "ncdump of the simplest dataset that xarray writes: NetCDF: NCZarr error",
    finding=("Z2-OGC-004", "/z", '"<U1"'),
    before=fails(netcdf_c, OSError, "NCZarr error"),
)
def texts_of_xarray(folder: Path) -> Path:
    import xarray as xr

    coordinates = {"x": [10, 20], "z": ("x", ["a", "b"])}
    data = {"foo": ("x", [1.0, 2.0])}
    xr.Dataset(data, coordinates).to_zarr(folder, zarr_format=2, consolidated=False)
    return folder


@reported(
    "Unidata/netcdf-c#2485",
    "ncdump: Assertion failed: (NCJlength(jdimrefs) == rank), for a dataset that ncgen wrote",
    finding=("NCZ-VAR-001", "/var1", "do not fit the shape"),  # of which netCDF-C 4.10 dies
)
def fewer_dimensions_than_the_shape(folder: Path) -> Path:
    put(_written(folder) / "var1" / ".zattrs", [], "_nczarr_array", "dimension_references")
    return folder
