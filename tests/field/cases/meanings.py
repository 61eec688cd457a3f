"""Attributes and names that do not say what they should: flags, limits, times, names of coordinates."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tests.field.case import fails, opens, reported, sees
from tests.field.readers import netcdf_c, xarray, zarr_python
from tests.field.stores import array, group


@reported(
    "ioos/compliance-checker#1209",
    'flag_values is a string, "0U 1U", and the checker crashes',
    finding=("CF-FLAG-001", "/A4O_flag_bright", '"0U 1U"', "is a text"),
    before=sees(xarray, lambda ds: isinstance(ds["A4O_flag_bright"].flag_values, str)),
    after=sees(xarray, lambda ds: list(ds["A4O_flag_bright"].flag_values) == [0, 1]),
    kind="pull",
)
def flags_as_cdl_writes_them(folder: Path) -> Path:
    flags = {"flag_values": "0U 1U", "flag_meanings": "dark bright"}
    values = np.array([0, 1], "i1")
    array(group(folder, 2), "A4O_flag_bright", values, ["x"], fill_value=None, **flags)
    return folder


@reported(
    "cedadev/cf-checker#38",
    'One checker accepts flag_values = "0 1 2", a text, for a variable of shorts, and the other does not',
    finding=("CF-FLAG-001", "/basin", '"0 1 2"', "is a text"),
    before=sees(xarray, lambda ds: ds["basin"].flag_values == "0 1 2"),
    after=sees(xarray, lambda ds: list(ds["basin"].flag_values) == [0, 1, 2]),
)
def flags_as_a_text(folder: Path) -> Path:
    flags = {"flag_values": "0 1 2", "flag_meanings": "global_land southern_ocean atlantic_ocean"}
    array(group(folder), "basin", np.array([0, 1, 2], "i2"), ["x"], **flags)
    return folder


@reported(
    "pytroll/satpy#3474",
    "All of the land surface temperature is NaN: the valid range is not in the units of the values that are stored",
    finding=("CF-RANGE-001", "/LST", "outside the valid range from 213 to 343"),
    before=(
        sees(netcdf_c, lambda found: bool(found["LST"].mask.all())),
        sees(xarray, lambda ds: float(ds["LST"].max()) == 310),
    ),
    values="all",
    kind="pull",
)
def valid_range_of_unpacked_values(folder: Path) -> Path:
    packed = np.array([[14000, 15000], [14500, 15500]], "u2")
    packing = {"scale_factor": 0.02, "add_offset": 0.0, "valid_range": [213.0, 343.0]}
    array(group(folder, 2), "LST", packed, ["y", "x"], fill_value=None, **packing)
    return folder


@reported(
    "PCMDI/cmor#184",
    'The units of time are "days since ?", and the axis is not recognised',
    finding=("CF-TIME-001", "/time", "days since ?"),
    before=fails(xarray, ValueError, "decode time units"),
    after=opens(xarray),
)
def days_since_nobody_knows(folder: Path) -> Path:
    units = {"units": "days since ?", "calendar": "julian", "standard_name": "time"}
    array(group(folder, 2), "time", np.arange(3.0), ["time"], fill_value=None, **units)
    return folder


@reported(
    "pydata/xarray#7145",
    "The error for times that cannot be decoded, 1e36 days, does not say which variable it is",
    finding=("CF-TIME-009", "/invalid_times", "1e+36"),
    before=fails(xarray, Exception, ""),
    after=opens(xarray),
    values="all",
)
def which_times_are_none(folder: Path) -> Path:
    root = group(folder, 2)
    units = {"units": "days since 0001-01-01", "calendar": "noleap"}
    array(root, "valid_times", np.array([0.0, 1.0]), ["a"], fill_value=None, **units)
    array(root, "invalid_times", np.array([0.0, 1e36]), ["b"], fill_value=None, **units)
    return folder


@reported(
    "pydata/xarray#1680",
    "Coordinates are variables after the dataset was saved and opened again",
    finding=("NZ-NAME-002", "/Plate well", "coordinates cannot name it"),
    before=sees(xarray, lambda ds: {"Plate well", "cell"} & set(ds.data_vars) == {"Plate well"}),
)
def coordinates_with_a_blank(folder: Path) -> Path:
    import warnings

    import xarray as xr

    coordinates = {"cell": [1, 2], "Plate well": ("cell", [1.0, 2.0])}
    dataset = xr.Dataset({"counts": ("cell", [3.0, 4.0])}, coordinates)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        dataset.to_zarr(folder, zarr_format=2, consolidated=False)
    return folder


@reported(
    "hdmf-dev/hdmf-zarr#219",
    "A name with a colon cannot be written on Windows",
    finding=("NZ-NAME-002", "/a:b", '":"'),
    before=opens(zarr_python),
)
def a_colon_in_a_name(folder: Path) -> Path:
    array(group(folder).create_group("a:b"), "v", np.ones(2), ["x"])
    return folder


@reported(
    "sgkit-dev/sgkit#62",
    "MissingDimensionsError: 'alleles' has more than 1-dimension and the same name as one of its dimensions",
    finding=("NZ-COORD-005", "/variant/alleles", '"alleles"'),
    before=opens(zarr_python),
)
def alleles_along_alleles(folder: Path) -> Path:
    variant = group(folder).create_group("variant")
    array(variant, "alleles", np.ones((2, 2), "i1"), ["variants", "alleles"])
    return folder


@reported(
    "csaybar/ESA-zar-zip-decision#5",
    "GDAL shows the metadata, and not that they name a reference system: grid_mapping=spatial_ref",
    finding=("CF-REF-001", "/b03", '"spatial_ref"'),
    before=sees(xarray, lambda ds: "spatial_ref" not in ds.variables),
)
def a_grid_mapping_that_is_not_there(folder: Path) -> Path:
    root = group(folder, 2)
    reference = {"grid_mapping": "spatial_ref", "proj:epsg": 32636}
    array(root, "b03", np.ones((2, 2), "u2"), ["y", "x"], fill_value=None, **reference)
    array(root, "y", np.array([4600010.0, 4599990.0]), ["y"], fill_value=None)
    array(root, "x", np.array([300010.0, 300030.0]), ["x"], fill_value=None)
    return folder
