"""Values that are not what was stored: zeros that go missing, fill values that do not, packing."""

from __future__ import annotations

from base64 import b64encode
from pathlib import Path
from struct import pack

import numpy as np

from tests.field.case import fails, opens, reported, sees
from tests.field.readers import xarray, zarr_python
from tests.field.stores import array, group, put


@reported(
    "pydata/xarray#4930",
    "xr.open_zarr converts 0 to nan",
    finding=("Z2-FV-007", "/foo__a", "all 3 values"),
    before=sees(xarray, lambda ds: bool(np.isnan(ds["foo__a"].values).all())),
    after=sees(xarray, lambda ds: bool((ds["foo__a"].values == 0).all())),
    values="all",
)
def zeros_become_nan(folder: Path) -> Path:
    array(group(folder, 2), "foo__a", np.zeros(3), ["x"], fill_value=0.0)
    return folder


@reported(
    "pydata/xarray#5475",
    "The default fill_value of zarr-python is 0, and so 0 is shown as missing: [nan, 1, 2, 3, 4]",
    finding=("Z2-FV-007", "/arr", "0"),
    before=sees(xarray, lambda ds: bool(np.isnan(ds["arr"].values[0]))),
    after=sees(xarray, lambda ds: ds["arr"].values.tolist() == [0, 1, 2, 3, 4]),
    values="all",
    beside=("Z2-FV-006",),
)
def default_fill_value(folder: Path) -> Path:
    array(group(folder, 2), "arr", np.arange(5, dtype="i4"), ["phony_dim_0"], fill_value=0)
    return folder


@reported(
    "ai2cm/fv3gfs-wrapper#85",
    "A small but meaningful number of NaNs in the surface geopotential, because the arrays were made with fill_value 0",
    finding=("Z2-FV-007", "/phis", "1 of the 4 values"),
    before=sees(xarray, lambda ds: int(np.isnan(ds["phis"].values).sum()) == 1),
    after=sees(xarray, lambda ds: not np.isnan(ds["phis"].values).any()),
    values="all",
    kind="pull",
)
def zeros_of_the_geopotential(folder: Path) -> Path:
    array(group(folder, 2), "phis", np.array([[5.0, 0.0], [7.0, 9.0]]), ["y", "x"], fill_value=0.0)
    return folder


@reported(
    "pydata/xarray#11332",
    "TypeError: Failed to decode fill_value: expected str or bytes for dtype float32, got float",
    finding=("NZ-FILL-006", "/data", "xarray"),
    before=(fails(xarray, TypeError, "fill_value"), opens(zarr_python)),
    after=opens(xarray),
)
def plain_missing_value(folder: Path) -> Path:
    array(group(folder), "data", np.array([1, 2, 3], "f4"), ["x"], _FillValue=0.0)
    return folder


@reported(
    "earth-mover/icechunk#819",
    "AssertionError in FillValueCoder.decode when the example notebook opens the repository",
    finding=("NZ-FILL-006", "/sst", "base64"),
    before=fails(xarray, TypeError, "fill_value"),
    after=sees(xarray, lambda ds: bool(np.isnan(ds["sst"].values[1]))),
)
def missing_value_of_an_example(folder: Path) -> Path:
    array(group(folder), "sst", np.array([280.5, -999.0]), ["time"], _FillValue=-999.0)
    return folder


@reported(
    "zarr-developers/VirtualiZarr#628",
    "_FillValue = -1 of an int8 variable: neither the number nor the text nor base64 opens",
    finding=("NZ-FILL-002", "/DQF", "_FillValue"),
    before=fails(xarray, (TypeError, ValueError), ""),
    after=sees(xarray, lambda ds: bool(np.isnan(ds["DQF"].values[1]))),
    beside=("NZ-FILL-005",),
)
def base64_for_an_integer(folder: Path) -> Path:
    text = b64encode(pack("<q", -1)).decode()
    array(group(folder), "DQF", np.array([0, -1], "i1"), ["x"], _FillValue=text)
    return folder


@reported(
    "zarr-developers/VirtualiZarr#343",
    "The fill value is lost: -9999.9 is shown instead of nan once the data are in Zarr v3",
    finding=("CF-FILL-001", "/foo", "-9999.9", "data"),
    before=sees(xarray, lambda ds: ds["foo"].values[0] < -9999),
    after=sees(xarray, lambda ds: bool(np.isnan(ds["foo"].values[0]))),
)
def fill_value_without_attribute(folder: Path) -> Path:
    array(
        group(folder), "foo", np.array([-9999.9, 2, 3], "f4"), ["dim_0"], fill_value=-9999.900390625
    )
    return folder


@reported(
    "fsspec/kerchunk#437",
    "Missing values are unexpectedly filled in the kerchunked version: land is 1e37, which the netCDF library masks",
    finding=("CF-FILL-002", "/temp_sur", "1e+37"),
    before=sees(xarray, lambda ds: ds["temp_sur"].values.max() > 9e36),
    after=sees(xarray, lambda ds: bool(np.isnan(ds["temp_sur"].values[0, 1]))),
    values="all",
)
def land_of_an_ocean_model(folder: Path) -> Path:
    values = np.array([[11.5, 1e37], [12.25, 13.5]], "f4")
    array(group(folder, 2), "temp_sur", values, ["eta_rho", "xi_rho"], fill_value=None)
    return folder


@reported(
    "pydata/xarray#2374",
    "Data flagged with netCDF's default 9.96921e+36 are not masked unless _FillValue is written",
    finding=("CF-FILL-002", "/var1", "9.96921e+36"),
    before=sees(xarray, lambda ds: ds["var1"].values[2] > 9e36),
    after=sees(xarray, lambda ds: bool(np.isnan(ds["var1"].values[2]))),
    values="all",
)
def default_of_netcdf(folder: Path) -> Path:
    array(group(folder), "var1", np.array([0.0, 1.0, 9.969209968386869e36]), ["x"])
    return folder


@reported(
    "pydata/xarray#7723",
    "The default fill value is not masked when it is read: everything that was not written is 9.97e36",
    finding=("CF-FILL-001", "/test", "9.96921e+36"),
    before=sees(xarray, lambda ds: bool((ds["test"].values > 9e36).all())),
    after=sees(xarray, lambda ds: bool(np.isnan(ds["test"].values).all())),
)
def everything_is_997e36(folder: Path) -> Path:
    group(folder).create_array(
        "test",
        shape=(4,),
        chunks=(2,),
        dtype="f4",
        fill_value=9.969209968386869e36,
        dimension_names=["x"],
    )
    return folder


@reported(
    "JuliaGeo/NCDatasets.jl#163",
    "ncdump shows _, xarray shows -32767 for values that the provider meant to be masked",
    finding=("CF-FILL-001", "/latitude", "-32767"),
    before=sees(xarray, lambda ds: ds["latitude"].values.min() == -32767),
    after=sees(xarray, lambda ds: bool(np.isnan(ds["latitude"].values[0]))),
)
def default_of_shorts(folder: Path) -> Path:
    array(group(folder), "latitude", np.array([-32767, 5], "i2"), ["row"], fill_value=-32767)
    return folder


@reported(
    "pydata/xarray#8359",
    "valid_min, valid_max and valid_range do not mask anything",
    finding=("CF-RANGE-001", "/ssm", "-9999", "valid range"),
    before=sees(xarray, lambda ds: ds["ssm"].values.min() == -9999),
    after=sees(xarray, lambda ds: bool(np.isnan(ds["ssm"].values[0]))),
    values="all",
)
def outside_the_valid_range(folder: Path) -> Path:
    array(group(folder), "ssm", np.array([-9999, 3, 50], "i2"), ["x"], valid_min=0, valid_max=100)
    return folder


@reported(
    "Unidata/netcdf4-python#670",
    "Values outside valid_min and valid_max that differ from _FillValue are not masked everywhere",
    finding=("CF-RANGE-001", "/azi_angle_trip", "valid range"),
    before=sees(xarray, lambda ds: np.nanmin(ds["azi_angle_trip"].values) < -180),
    values="all",
)
def angles_out_of_range(folder: Path) -> Path:
    array(
        group(folder),
        "azi_angle_trip",
        np.array([-32767, -30000, 18000], "i2"),
        ["x"],
        _FillValue=-32767,
        valid_min=-18000,
        valid_max=18000,
        scale_factor=0.01,
    )
    return folder


@reported(
    "pydata/xarray#4784",
    "UFuncTypeError for a GeoTIFF saved as Zarr: scale_factor and add_offset are strings",
    finding=("CF-PACK-001", "/band", "scale_factor", "not a number"),
    before=fails(xarray, TypeError, "ufunc"),
    after=sees(xarray, lambda ds: ds["band"].values.tolist() == [0.5, 1.0]),
)
def scale_of_a_geotiff(folder: Path) -> Path:
    array(group(folder), "band", np.array([1, 2], "i2"), ["x"], scale_factor="0.5")
    return folder


@reported(
    "fsspec/kerchunk#211",
    "scale_factor and add_offset of netCDF-3 files are strings in the references",
    finding=("CF-PACK-001", "/t2m", "add_offset", "not a number"),
    before=fails(xarray, TypeError, "ufunc"),
    after=sees(xarray, lambda ds: ds["t2m"].values.tolist() == [273.5, 274.0]),
)
def offset_of_references(folder: Path) -> Path:
    root = group(folder, 2)
    array(
        root,
        "t2m",
        np.array([1, 2], "i2"),
        ["x"],
        fill_value=None,
        scale_factor=0.5,
        add_offset="273",
    )
    return folder


@reported(
    "pydata/xarray#4631",
    "decode_cf fails where scale_factor is a list; of length 1 it was mended, of more it is refused",
    finding=("CF-PACK-001", "/foo", "scale_factor", "[0.01, 0.02]"),
    before=fails(xarray, ValueError, "size 1"),
    after=sees(xarray, lambda ds: ds["foo"].attrs["unused_scale_factor"] == [0.01, 0.02]),
)
def scale_is_a_list(folder: Path) -> Path:
    array(group(folder), "foo", np.array([0, 1], "i2"), ["x"], scale_factor=[0.01, 0.02])
    return folder


@reported(
    "pydata/xarray#5739",
    "Values are wrong after files with different packing were joined and saved: they run over the end of int16",
    finding=("CF-PACK-004", "/t2m", "int16", "other end"),
    before=sees(xarray, lambda ds: float(ds["t2m"].max() - ds["t2m"].min()) < 66),
    values="all",
)
def packing_overflows(folder: Path) -> Path:
    kelvin = np.linspace(-40, 40, 40)[:, None] + np.linspace(0, 2, 30)
    packed = np.round(kelvin / 0.001).astype("i8").astype("i2")
    array(group(folder), "t2m", packed, ["y", "x"], scale_factor=0.001, units="degC")
    return folder


@reported(
    "zarr-developers/zarr-python#703",
    "xr.open_zarr shows NaN where zarr has 0",
    finding=("Z2-FV-007", "/foo__a", "all 5 values"),
    values="all",
    before=sees(xarray, lambda ds: bool(np.isnan(ds["foo__a"].values).all())),
    after=sees(xarray, lambda ds: not ds["foo__a"].values.any()),
)
def zeros_of_a_simulation(folder: Path) -> Path:
    array(group(folder, 2), "foo__a", np.zeros(5), ["x"])
    return folder


@reported(
    "zarr-developers/VirtualiZarr#369",
    "The mean of the virtual dataset is wrong, since its fill value is lost",
    finding=("CF-FILL-001", "/sst", "-32768", "no _FillValue"),
    before=sees(xarray, lambda ds: float(ds["sst"].min()) < 270),
    after=sees(xarray, lambda ds: float(ds["sst"].min()) > 290),
    kind="pull",
)
def mean_with_the_fill_value(folder: Path) -> Path:
    packing = {"scale_factor": 0.001, "add_offset": 298.15}
    stored = np.array([-32768, 5, 6], "i2")
    array(group(folder), "sst", stored, ["x"], fill_value=-32768, **packing)
    return folder


@reported(
    "zarr-developers/VirtualiZarr#485",
    "The example notebook ends with AssertionError in FillValueCoder.decode",
    finding=("NZ-FILL-006", "/sst", "expects base64", "-999.0"),
    before=fails(xarray, TypeError, "expected str or bytes"),
    after=sees(xarray, lambda ds: ds["sst"].values.tolist() == [1.0, 2.0]),
)
def number_of_a_notebook(folder: Path) -> Path:
    array(group(folder), "sst", np.array([1.0, 2.0], "f4"), ["x"], _FillValue=-999.0)
    return folder


@reported(
    "Unidata/netcdf4-python#936",
    "The whole variable is missing: its valid_range is not that of the packed values",
    finding=("CF-RANGE-001", "/kx", "1 to 1000"),
    values="all",
    before=sees(xarray, lambda ds: ds["kx"].values.tolist() == [68.0, 168.0]),
)
def valid_range_of_what_is_unpacked(folder: Path) -> Path:
    made = {"add_offset": 32768, "valid_range": [1, 1000]}
    stored = np.array([-32700, -32600], "i2")
    array(group(folder, 2), "kx", stored, ["x"], fill_value=None, **made)
    return folder


def _becomes_float(folder: Path, name: str, dtype: str, fill_value: int) -> Path:
    stored = np.array([0, 1, 2], dtype)
    array(group(folder, 2), name, stored, ["dim1"], fill_value=fill_value)
    return folder


@reported(
    "pydata/xarray#7292",
    "An int8 array with a fill_value is float32 when it is opened with xarray",
    finding=("Z2-FV-009", "/array", "-1", "int8", "float32"),
    values="all",
    before=sees(xarray, lambda ds: ds["array"].dtype == "f4"),
    after=sees(xarray, lambda ds: ds["array"].dtype == "i1"),
)
def integers_that_become_floats(folder: Path) -> Path:
    return _becomes_float(folder, "array", "i1", -1)


@reported(
    "sgkit-dev/sgkit#960",
    "A dataset cannot be opened when its arrays have a fill_value: genotypes must be integers",
    finding=("Z2-FV-009", "/call_genotype", "int8", "float32"),
    values="all",
    before=sees(xarray, lambda ds: ds["call_genotype"].dtype.kind == "f"),
    after=sees(xarray, lambda ds: ds["call_genotype"].dtype.kind == "i"),
)
def genotypes_that_become_floats(folder: Path) -> Path:
    return _becomes_float(folder, "call_genotype", "i1", -2)


@reported(
    "fsspec/kerchunk#429",
    "A single int32 becomes float64 in the references; its fill_value is -2147483647",
    finding=("Z2-FV-009", "/spherical", "int32", "float64"),
    values="all",
    before=sees(xarray, lambda ds: ds["spherical"].dtype == "f8"),
    after=sees(xarray, lambda ds: ds["spherical"].dtype == "i4"),
    beside=("Z2-OGC-010",),
)
def single_integer_that_becomes_a_float(folder: Path) -> Path:
    array(group(folder, 2), "spherical", np.int32(1), [], fill_value=-2147483647)
    put(folder / "spherical" / ".zattrs", [], "_ARRAY_DIMENSIONS")
    return folder


@reported(
    "eumetsat/firecube#49",
    "The fill value 65535 is not masked when xarray reads the counts",
    finding=("CF-FILL-001", "/counts", "65535"),
    before=sees(xarray, lambda ds: ds["counts"].values.max() == 65535),
    after=sees(xarray, lambda ds: bool(np.isnan(ds["counts"].values[1]))),
)
def largest_of_counts(folder: Path) -> Path:
    array(group(folder), "counts", np.array([5, 65535], "u2"), ["x"], fill_value=65535)
    return folder


@reported(
    "fsspec/kerchunk#177",
    "A scalar of 0.0 comes into the dataset as NaN where the fill value is 0.0, too",
    finding=("Z2-FV-008", "/hc", "0.0"),
    before=sees(xarray, lambda ds: bool(np.isnan(ds["hc"].values))),
    after=sees(xarray, lambda ds: float(ds["hc"].values) == 0.0),
)
def scalar_of_zero(folder: Path) -> Path:
    array(group(folder, 2), "hc", np.float64(0.0), [], fill_value=0.0)
    return folder


@reported(
    "openclimatefix-archives/Satip#174",
    "The coordinates of each time step are saved as variables of their own, and are NaN",
    finding=("CF-COORD-004", "/x_geostationary", "all 6 values", "missing"),
    before=sees(xarray, lambda ds: bool(np.isnan(ds["x_geostationary"]).all())),
    values="all",
)
def coordinates_that_were_never_filled(folder: Path) -> Path:
    root = group(folder, 2)
    array(root, "data", np.ones((2, 3), "f4"), ["time", "x"], coordinates="x_geostationary")
    array(root, "x_geostationary", np.full((2, 3), np.nan), ["time", "x"], fill_value=np.nan)
    return folder


@reported(
    "dhis2/open-climate-service#103",
    "Pixels without data are drawn opaque: they hold _FillValue, and the viewer masks fill_value, which is NaN",
    finding=("NZ-FILL-007", "/tg", "viewers that know fill_value alone draw -999.0"),
    before=sees(zarr_python, lambda root: root["tg"][0, 0] == -999.0),
    kind="pull",
    beside=("NZ-FILL-006",),
)
def mark_that_a_viewer_does_not_know(folder: Path) -> Path:
    values = np.array([[-999.0, 280.0]], "f4")
    array(group(folder), "tg", values, ["y", "x"], fill_value=np.nan, _FillValue=-999.0)
    return folder


@reported(
    "silvxlabs/quicfire-tools#88",
    "The first of the coordinates is NaN, and xarray makes floats of integers",
    finding=("Z2-FV-008", "/x", "1 of the 5 values", "fill_value 0"),
    before=sees(xarray, lambda ds: bool(np.isnan(ds["x"].values[0]))),
    after=sees(xarray, lambda ds: ds["x"].values.tolist() == [0, 1, 2, 3, 4]),
)
def cells_from_zero(folder: Path) -> Path:
    array(group(folder, 2), "x", np.arange(5), ["x"], fill_value=0)
    return folder


@reported(
    "openclimatefix-archives/Satip#47",
    "Cloud masks are read as floats when they should be int8",
    finding=("Z2-FV-006", "/cloudmask", "fill_value is 0"),
    before=sees(xarray, lambda ds: ds["cloudmask"].dtype.kind == "f"),
    after=sees(xarray, lambda ds: ds["cloudmask"].dtype == "i1"),
)
def cloud_mask_as_floats(folder: Path) -> Path:
    return _becomes_float(folder, "cloudmask", "i1", 0)


@reported(
    "EOPF-Explorer/data-model#171",
    "The fill_value -9999 is not masked: there is no _FillValue at the array",
    finding=("CF-FILL-001", "/data", "-9999.0"),
    before=sees(xarray, lambda ds: ds["data"].values.min() == -9999),
    after=sees(xarray, lambda ds: float(ds["data"].min()) == 1),
)
def nodata_of_a_band(folder: Path) -> Path:
    array(group(folder), "data", np.array([-9999, 1, 2], "f4"), ["x"], fill_value=-9999.0)
    return folder


@reported(
    "zarr-developers/VirtualiZarr#670",
    "The filter FixedScaleOffset is applied before _FillValue, which then matches nothing",
    finding=("CF-PACK-003", "/ssh", "2147483647", "214748"),
    before=sees(xarray, lambda ds: float(ds["ssh"].max()) > 1000),
    after=sees(xarray, lambda ds: float(ds["ssh"].max()) < 1),
)
def filled_before_it_is_scaled(folder: Path) -> Path:
    array(group(folder, 2), "ssh", np.zeros(3), ["x"], fill_value=None, _FillValue=2147483647)
    scaled = {
        "id": "fixedscaleoffset",
        "scale": 10000,
        "offset": 0,
        "dtype": "<f8",
        "astype": "<i4",
    }
    put(folder / "ssh" / ".zarray", [scaled], "filters")
    (folder / "ssh" / "0").write_bytes(np.array([1, 2147483647, 3], "<i4").tobytes())
    return folder


@reported(
    "pydata/xarray#4552",
    "UFuncTypeError: _FillValue, scale_factor and add_offset of HDF-EOS are texts",
    finding=("CF-PACK-001", "/B10", '"0.0001"', "not a number"),
    before=fails(xarray, Exception),
    beside=("NZ-FILL-002",),
)
def numbers_that_are_texts(folder: Path) -> Path:
    given = {"_FillValue": "-1000", "scale_factor": "0.0001", "add_offset": "0.0"}
    array(group(folder), "B10", np.array([1, 2, -1000], "i2"), ["x"], **given)
    return folder


@reported(
    "pydata/xarray#1452",
    "Names of tides are read as float64, not as text: _FillValue is -1",
    finding=("NZ-FILL-002", "/tidenames", "not a byte string"),
    before=fails(xarray, ValueError, "Unsupported dtype"),
    after=sees(xarray, lambda ds: ds["tidenames"].values.tolist() == [b"M2", b"S2"]),
)
def number_for_missing_names(folder: Path) -> Path:
    array(group(folder), "tidenames", [b"M2", b"S2"], ["n"], fill_value=b"", _FillValue=-1)
    return folder
