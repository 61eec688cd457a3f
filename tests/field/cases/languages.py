"""What Python writes, and programs in Java, JavaScript, Julia, R and C do not read; and the other way round."""

from __future__ import annotations

import json
from pathlib import Path

import numcodecs
import numpy as np
import zarr

from tests.field.case import fails, opens, reported, sees
from tests.field.readers import netcdf_c, xarray, zarr_python
from tests.field.stores import array, group, put

PAIR = np.dtype([("foo", "<i4"), ("bar", "<f4")])


def _records(folder: Path, name: str) -> Path:
    records = group(folder, 2).create_array(
        name, shape=(3,), dtype=PAIR, compressors=None, attributes={"_ARRAY_DIMENSIONS": ["x"]}
    )
    records[:] = np.ones(3, PAIR)
    return folder


@reported(
    "pydata/xarray#10591",
    "TypeError: Failed to decode variable 'metadata': unhashable type: 'writeable void-scalar'",
    finding=("Z2-OGC-004", "/metadata", "struct"),
    before=fails(xarray, TypeError, "unhashable type"),
)
def fill_value_of_a_structured_type(folder: Path) -> Path:
    return _records(folder, "metadata")


@reported(
    "Huber-group-EMBL/Rarr#81",
    "An array of records that anndata wrote, with a field for each group of cells, is not read in R",
    finding=("Z2-OGC-004", "/logfoldchanges", "struct"),
    before=opens(zarr_python),
)
def records_in_r(folder: Path) -> Path:
    return _records(folder, "logfoldchanges")


@reported(
    "zarr-developers/zarr-python#3132",
    "Texts that zarr-python 3 wrote in Zarr v2 cannot be read with zarr-python 2: TypeError",
    finding=("Z2-DT-001", "/strings", '"<U2"', "any length"),
    before=fails(zarr_python, Exception, ""),
    after=sees(zarr_python, lambda found: found["strings"].tolist() == ["ab", "cd"]),
)
def texts_of_two_kinds(folder: Path) -> Path:
    array(group(folder, 2), "strings", np.array(["ab", "cd"]), ["n"], fill_value=None)
    put(folder / "strings" / ".zarray", [{"id": "vlen-utf8"}], "filters")
    encoded = numcodecs.VLenUTF8().encode(np.array(["ab", "cd"], object))
    (folder / "strings" / "0").write_bytes(encoded)
    return folder


@reported(
    "Unidata/netcdf-java#1534",
    'netCDF-Java takes the number in the types "S" and "U" for a size in bytes, and reads ">U2" wrongly',
    finding=("Z2-OGC-004", "/z", '">U2"'),
    before=(opens(zarr_python), fails(netcdf_c, OSError, "NCZarr error")),
)
def texts_in_java(folder: Path) -> Path:
    array(group(folder, 2), "z", np.array(["ab", "cd"], ">U2"), ["n"], fill_value=None)
    return folder


@reported(
    "pydata/xarray#2265",
    "Times are stored as datetime64[ns] when they are written with zarr, and as numbers when xarray writes them",
    finding=("Z2-OGC-004", "/JULD_LOCATION", "<M8[ns]"),
    before=(opens(xarray), fails(netcdf_c, OSError, "NCZarr error")),
    beside=("JSON-008",),
)
def times_as_numpy_has_them(folder: Path) -> Path:
    times = np.array(["2008-07-29T20:20:58", "2008-07-30"], "M8[ns]")
    made = group(folder, 2).create_array(
        "JULD_LOCATION",
        shape=times.shape,
        dtype=times.dtype,
        attributes={"_ARRAY_DIMENSIONS": ["n"]},
    )
    made[:] = times
    return folder


@reported(
    "JuliaIO/Zarr.jl#214",
    "No Zarr data type found that matches {'name': '<b1', 'object_codec_id': None}, for booleans that Julia wrote",
    finding=("Z2-DT-001", "/mask", '"<b1"', '"|b1"'),
    after=opens(zarr_python),
)
def booleans_of_julia(folder: Path) -> Path:
    array(group(folder, 2), "mask", np.ones((2, 2), bool), ["y", "x"], fill_value=None)
    put(folder / "mask" / ".zarray", "<b1", "dtype")
    return folder


@reported(
    "saalfeldlab/n5-zarr#4",
    "ValueError: codec not available: None, for what n5-zarr wrote without compression",
    finding=("Z2-ARR-007", "/test", '"id"', '"raw"'),
    before=fails(xarray, Exception, "codec not available"),
    kind="pull",
)
def raw_compression_of_n5(folder: Path) -> Path:
    array(group(folder, 2), "test", np.ones((2, 2), "u2"), ["y", "x"], fill_value=None)
    put(folder / "test" / ".zarray", {"type": "raw"}, "compressor")
    return folder


@reported(
    "JuliaIO/Zarr.jl#285",
    "Zarr.jl skips an array: it does not support the codec numcodecs.blosc",
    finding=("Z3-CODEC-012", "/sterodynamic", "numcodecs.blosc"),
    before=opens(zarr_python),
)
def blosc_of_numcodecs(folder: Path) -> Path:
    from numcodecs.zarr3 import Blosc

    made = group(folder).create_array(
        "sterodynamic", shape=(4,), dtype="f4", compressors=[Blosc()], dimension_names=["x"]
    )
    made[:] = 1
    return folder


@reported(
    "manzt/zarrita.js#415",
    "zarrita.js 0.7 has no bitround for Zarr v2, which 0.6 had",
    finding=("Z2-CODEC-002", "/t2m", "bitround"),
    before=opens(zarr_python),
)
def bitround_in_javascript(folder: Path) -> Path:
    array(group(folder, 2), "t2m", np.ones((2, 2), "f4"), ["y", "x"], fill_value=None)
    put(folder / "t2m" / ".zarray", [{"id": "bitround", "keepbits": 10}], "filters")
    return folder


@reported(
    "source-cooperative/metadata-catalog#138",
    "UnknownCodecError: 'blosc2', before anything of the metadata is looked at",
    finding=("Z2-CODEC-001", "/dust", "blosc2"),
    before=fails(xarray, Exception, "blosc2"),
)
def blosc_2_of_a_catalog(folder: Path) -> Path:
    array(group(folder, 2), "dust", np.ones((2, 2), "f4"), ["y", "x"], fill_value=None)
    put(folder / "dust" / ".zarray", {"id": "blosc2", "clevel": 5}, "compressor")
    return folder


def _refuses_nan(path: Path) -> object:
    """Read .zmetadata as JavaScript does."""

    def refuse(token: str) -> object:
        raise ValueError(f"Unexpected token {token}")

    return json.loads((path / ".zmetadata").read_text("utf-8"), parse_constant=refuse)


@reported(
    "zarr-developers/zarr-python#2990",
    "Consolidated metadata hold NaN, where the array's own document has a text",
    finding=("JSON-003", "/", ".zmetadata", "NaN"),
    before=(fails(_refuses_nan, ValueError, "NaN"), opens(zarr_python)),
    after=(opens(_refuses_nan), opens(zarr_python)),
)
def nan_when_it_is_consolidated(folder: Path) -> Path:
    array(group(folder, 2), "time", np.arange(3.0), ["time"], fill_value=np.nan)
    zarr.consolidate_metadata(folder)
    document = folder / ".zmetadata"
    document.write_text(document.read_text("utf-8").replace('"NaN"', "NaN"), "utf-8")
    return folder


@reported(
    "zarr-developers/VirtualiZarr#342",
    "Coordinates of a GPM-IMERG file are lost, and its dimension is called Grid/time",
    finding=("NZ-DIM-007", "/Grid/precipitation", '"Grid/time"', "slash"),
    before=(opens(zarr_python), fails(netcdf_c, OSError, "")),
)
def dimensions_with_the_name_of_their_group(folder: Path) -> Path:
    grid = group(folder, 2).create_group("Grid")
    values = np.ones((1, 2), "f4")
    array(grid, "precipitation", values, ["Grid/time", "Grid/lat"], fill_value=None)
    return folder


@reported(
    "Unidata/netcdf-c#1151",
    "ncdump: invalid argument, because the variable is an integer, and its _FillValue a float",
    finding=("NZ-FILL-003", "/Or", "1e+35", "int32"),
    before=(opens(xarray), fails(netcdf_c, Exception, "")),
    after=(opens(xarray), opens(netcdf_c)),
)
def a_float_marks_integers(folder: Path) -> Path:
    values = np.arange(3, dtype="i4")
    array(group(folder, 2), "Or", values, ["x"], fill_value=None, _FillValue=1e35)
    return folder
