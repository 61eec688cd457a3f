"""Documents that are not what JSON, or Zarr, wants them to be."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from tests.field.case import fails, opens, reported, sees
from tests.field.readers import xarray, zarr_python
from tests.field.stores import array, group, put, without
from tests.versions import SINCE_3_4


def _strict(path: Path) -> dict[str, object]:
    """Read all documents as JavaScript, Julia and C++ do."""

    def refuse(token: str) -> object:
        raise ValueError(f"Unexpected token {token}")

    names = (".zattrs", ".zarray", "zarr.json")
    return {
        str(file): json.loads(file.read_text("utf-8"), parse_constant=refuse)
        for file in path.rglob("*")
        if file.name in names
    }


@reported(
    "esa-esdl/esdl-core#75",
    "The Julia API cannot read the cube: there is a bare NaN in .zattrs",
    finding=("JSON-003", "/Rg", "NaN"),
    before=(fails(_strict, ValueError, "NaN"), opens(xarray)),
    after=opens(_strict),
)
def bare_nan_in_attributes(folder: Path) -> Path:
    array(
        group(folder, 2),
        "Rg",
        np.ones(2, "f4"),
        ["time"],
        fill_value=None,
        esa_cci_path=float("nan"),
    )
    return folder


@reported(
    "zarr-developers/zarr-python#412",
    "NaN in user attributes is written as it is, which is not JSON",
    finding=("JSON-003", "/", "NaN"),
    before=fails(_strict, ValueError, "NaN"),
    after=opens(_strict),
)
def bare_nan_of_a_group(folder: Path) -> Path:
    group(folder, 2, att1=float("nan"))
    return folder


@reported(
    "EOPF-Explorer/data-model#67",
    'zarr.json holds "fill_value": NaN, which JavaScript refuses',
    finding=("JSON-003", "/b02", "NaN"),
    before=fails(_strict, ValueError, "NaN"),
    after=opens(_strict),
)
def bare_nan_as_fill_value(folder: Path) -> Path:
    array(group(folder), "b02", np.ones(2, "f4"), ["x"])
    put(folder / "b02" / "zarr.json", float("nan"), "fill_value")
    return folder


@reported(
    "zarr-developers/VirtualiZarr#715",
    "An attribute of a NISAR product is inf: Out of range float values are not JSON compliant",
    finding=("JSON-003", "/HHHH", "Infinity"),
    before=fails(_strict, ValueError, "Infinity"),
    after=opens(_strict),
)
def bare_infinity_in_attributes(folder: Path) -> Path:
    array(group(folder), "HHHH", np.ones((2, 2), "f4"), ["y", "x"], max_value=float("inf"))
    return folder


def _cut(file: Path, at: int) -> None:
    file.write_text(file.read_text("utf-8")[:at], "utf-8")


@reported(
    "MannLabs/scPortrait#300",
    "JSONDecodeError after the disk was full while the project was written",
    finding=("JSON-002", "/", "zarr.json"),
    before=fails(zarr_python, ValueError, ""),
)
def document_cut_short(folder: Path) -> Path:
    array(group(folder), "a", [1.0], ["x"])
    _cut(folder / "zarr.json", 20)
    return folder


@reported(
    "zarr-developers/zarr-python#2729",
    "JSONDecodeError in one process while another one writes the array",
    finding=("JSON-002", "/text_data", "zarr.json", "empty"),
    before=fails(zarr_python, ValueError, ""),
)
def empty_document(folder: Path) -> Path:
    array(group(folder), "text_data", [1.0], ["x"])
    _cut(folder / "text_data" / "zarr.json", 0)
    return folder


def _cut_behind_the_end(folder: Path) -> Path:
    file = folder / "zarr.json"
    text = file.read_text("utf-8")
    file.write_text(text[: text.index('ers"}')], "utf-8")
    return folder


@reported(
    "acquire-project/acquire-zarr#139",
    "JSONDecodeError: Extra data – the end of an older, longer document is still there",
    finding=("JSON-002", "/", "zarr.json"),
    before=fails(zarr_python, ValueError, "Extra data"),
    after=opens(zarr_python),
    by_hand=_cut_behind_the_end,
)
def rest_of_an_older_document(folder: Path) -> Path:
    group(folder)
    file = folder / "zarr.json"
    file.write_text(file.read_text("utf-8") + 'ers"}\n', "utf-8")
    return folder


@reported(
    "Unidata/netcdf-c#2059",
    "KeyError: 'fill_value' – nccopy wrote .zarray without it",
    finding=("Z2-ARR-002", "/dset1", "fill_value"),
    before=fails(zarr_python, Exception, ""),
    after=opens(zarr_python),
)
def fill_value_not_written(folder: Path) -> Path:
    array(group(folder, 2), "dset1", np.ones((3, 3), ">i4"), ["y", "x"])
    without(folder / "dset1" / ".zarray", "fill_value")
    return folder


@reported(
    "JuliaIO/Zarr.jl#146",
    "MethodError: Cannot convert Nothing to UInt8 – fill_value is null, and chunks are missing",
    finding=("Z2-FV-005", "/cea", "missing"),
    before=sees(zarr_python, lambda found: found["cea"].shape == (4,)),
)
def null_as_fill_value(folder: Path) -> Path:
    array(group(folder, 2), "cea", np.ones(4, "u1"), ["x"], chunks=(2,), fill_value=None)
    (folder / "cea" / "1").unlink()
    return folder


@reported(
    "scverse/anndata#2576",
    "read_zarr fails where two columns differ only by case",
    finding=("NZ-NAME-004", "/obs", "case"),
    before=sees(zarr_python, lambda found: {"obs/Leiden", "obs/leiden"} <= set(found)),
)
def columns_that_differ_by_case(folder: Path) -> Path:
    obs = group(folder).create_group("obs")
    array(obs, "Leiden", [1, 2], ["cell"])
    array(obs, "leiden", [3, 4], ["cell"])
    return folder


def _of_v2(folder: Path, name: str, values: object, **members: object) -> Path:
    """Write an array of Zarr v2, and then other members into its document."""
    made = np.asarray(values)
    group(folder, 2).create_array(
        name,
        shape=made.shape,
        chunks=[max(1, length) for length in made.shape],
        dtype=made.dtype,
        compressors=None,
        fill_value=None,
        attributes={"_ARRAY_DIMENSIONS": ["y", "x"][-made.ndim :]},
    )[...] = made
    for member, value in members.items():
        put(folder / name / ".zarray", value, member)
    return folder


@reported(
    "zarr-developers/zarr-python#3622",
    "Opening an array of dtype >u1 fails",
    finding=("Z2-DT-001", "/0", '">u1"', '"|u1"'),
    before=opens(zarr_python)
    if SINCE_3_4
    else fails(zarr_python, ValueError, "No Zarr data type found"),
    after=sees(zarr_python, lambda found: found["0"].tolist() == [[1, 2]]),
)
def one_byte_with_an_order(folder: Path) -> Path:
    return _of_v2(folder, "0", np.array([[1, 2]], "u1"), dtype=">u1")


@reported(
    "zarr-developers/VirtualiZarr#201",
    "MetadataError: could not convert object to NumPy datetime",
    finding=("Z2-FV-004", "/time", '"NaN"', '"NaT"'),
    before=fails(zarr_python, TypeError, "Invalid type: NaN"),
    after=sees(zarr_python, lambda found: found["time"].view("i8").tolist() == [1, 2]),
)
def nan_in_place_of_nat(folder: Path) -> Path:
    return _of_v2(folder, "time", np.array([1, 2], "i8"), dtype="<M8[ns]", fill_value="NaN")


@reported(
    "fsspec/kerchunk#138",
    "ValueError: could not convert string to float: ''",
    finding=("Z2-FV-004", "/depth", '""', "not a number"),
    before=fails(xarray, TypeError, "Invalid type"),
    after=sees(xarray, lambda ds: ds["depth"].values.tolist() == [0.0, 1.0]),
)
def empty_text_for_no_fill_value(folder: Path) -> Path:
    return _of_v2(folder, "depth", [0.0, 1.0], fill_value="")


@reported(
    "google/tensorstore#79",
    "Expected integer in the range [0, 255], but received: 0.0",
    finding=("Z2-FV-004", "/s0", "0.0", "uint8"),
    before=opens(zarr_python),
    after=opens(zarr_python),
)
def zero_with_a_fraction(folder: Path) -> Path:
    _of_v2(folder, "s0", np.array([[1, 2]], "u1"), fill_value=0.0)
    put(folder / "s0" / ".zattrs", 0, "_FillValue")
    return folder


@reported(
    "google/tensorstore#107",
    'Error parsing object member "fill_value": Invalid floating-point value: "0"',
    finding=("Z2-FV-004", "/0", '"0" is a string'),
    before=opens(zarr_python),
    after=opens(zarr_python),
)
def quoted_number(folder: Path) -> Path:
    return _of_v2(folder, "0", [[1.0, 2.0]], fill_value="0")


@reported(
    "saalfeldlab/n5-zarr#39",
    "fill_value is a string and should be a number; neuroglancer does not read it",
    finding=("Z2-FV-004", "/s0", '"0" is a string'),
    after=opens(zarr_python),
)
def quoted_integer(folder: Path) -> Path:
    return _of_v2(folder, "s0", np.array([[1, 2]], "u1"), fill_value="0")


@reported(
    "Huber-group-EMBL/Rarr#98",
    'An array of R has "shape": 2 and "chunks": 1',
    finding=("Z2-ARR-005", "/strings", "list"),
    before=opens(zarr_python),
    after=sees(zarr_python, lambda found: found["strings"].tolist() == [5, 6]),
)
def length_in_place_of_a_shape(folder: Path) -> Path:
    return _of_v2(folder, "strings", np.array([5, 6], "u1"), shape=2)


@reported(
    "ome/ome-ngff-validator#51",
    "chunks and shape have different lengths, and the validator does not see it",
    finding=("Z2-ARR-006", "/0", "2 positive integers", "got 3"),
    before=fails(zarr_python, ValueError, "must have the same length"),
)
def a_chunk_length_too_many(folder: Path) -> Path:
    return _of_v2(folder, "0", np.array([[1, 2]], "u1"), chunks=[1, 1, 2])


@reported(
    "zarr-developers/zarr-python#3513",
    "Data that were written as bytes before 3.1 cannot be opened",
    finding=("Z3-FV-007", "/doc", "list of bytes", "base64"),
    before=fails(zarr_python, TypeError, "Invalid type"),
    after=sees(zarr_python, lambda found: found["doc"].item() == b"abc"),
)
def bytes_of_an_early_v3(folder: Path) -> Path:
    made = group(folder).create_array(
        "doc", shape=(1,), chunks=(1,), dtype="variable_length_bytes", dimension_names=["x"]
    )
    made[:] = np.array([b"abc"], object)
    put(folder / "doc" / "zarr.json", "bytes", "data_type")
    put(folder / "doc" / "zarr.json", [], "fill_value")
    return folder


@reported(
    "zarr-developers/zarr-python#2205",
    "zarr accepts -1 as the fill value of uint32",
    finding=("Z3-FV-003", "/foo", "-1 is outside uint32"),
    before=fails(zarr_python, OverflowError, "out of bounds"),
    after=sees(zarr_python, lambda found: found["foo"].tolist() == [1, 2]),
)
def negative_fill_value(folder: Path) -> Path:
    array(group(folder), "foo", np.array([1, 2], "u4"), ["x"])
    put(folder / "foo" / "zarr.json", -1, "fill_value")
    return folder


@reported(
    "manzt/zarrita.js#352",
    "fill_value NaN is written as null, and missing chunks read as 0",
    finding=("Z3-FV-001", "/test", "null"),
    before=fails(zarr_python, TypeError, "Invalid type: None"),
    after=sees(zarr_python, lambda found: np.isnan(found["test"]).tolist() == [False, True]),
)
def null_in_place_of_nan(folder: Path) -> Path:
    array(group(folder), "test", np.array([1.0, 2.0], "f4"), ["x"], chunks=(1,))
    put(folder / "test" / "zarr.json", None, "fill_value")
    (folder / "test" / "c" / "1").unlink()
    return folder


@reported(
    "constantinpape/z5#148",
    "With NaN as fill value the document has null",
    finding=("Z2-FV-005", "/test", "null", "undefined"),
    before=sees(zarr_python, lambda found: found["test"].tolist() == [1.0, 0.0]),
    after=sees(zarr_python, lambda found: np.isnan(found["test"]).tolist() == [False, True]),
)
def null_of_a_library_of_cpp(folder: Path) -> Path:
    _of_v2(folder, "test", np.array([1.0], "f4"), shape=[2])
    return folder


@reported(
    "zarr-developers/geozarr-spec#10",
    "UnicodeDecodeError when the attributes of a store of gdal_translate are read",
    finding=("JSON-001", "/Band1", "not UTF-8"),
    before=fails(zarr_python, UnicodeDecodeError),
    after=opens(zarr_python),
    by_hand=lambda folder: _again_as_utf8(folder / "Band1" / ".zattrs"),
)
def attributes_in_latin_1(folder: Path) -> Path:
    _of_v2(folder, "Band1", np.array([[1, 2]], "u1"))
    text = json.dumps({"_ARRAY_DIMENSIONS": ["Y", "X"], "name": "München"}, ensure_ascii=False)
    (folder / "Band1" / ".zattrs").write_bytes(text.encode("latin-1"))
    return folder


def _again_as_utf8(document: Path) -> Path:
    document.write_text(document.read_text("latin-1"), "utf-8")
    return document.parents[1]


@reported(
    "scverse/spatialdata#237",
    "len(nodes) = 0, expected 1: unable to read the NGFF file; some images have an empty .zattrs",
    finding=("JSON-002", "/images/b", "empty"),
    before=fails(zarr_python, json.JSONDecodeError),
    after=opens(zarr_python),
    by_hand=lambda folder: _deleted(folder, "images/b/.zattrs"),
)
def empty_attributes_of_an_image(folder: Path) -> Path:
    images = group(folder, 2).create_group("images")
    images.create_group("b")
    (folder / "images" / "b" / ".zattrs").write_text("")
    return folder


def _deleted(folder: Path, key: str) -> Path:
    (folder / key).unlink()
    return folder


@reported(
    "scalableminds/zarrita#11",
    "The fill_value of a bool array is 0, and must be true or false",
    finding=("Z3-FV-002", "/mask", "0 is a number"),
    before=opens(zarr_python),
    after=opens(zarr_python),
)
def number_for_a_truth_value(folder: Path) -> Path:
    array(group(folder), "mask", np.array([True, False]), ["x"], fill_value=False)
    put(folder / "mask" / "zarr.json", 0, "fill_value")
    return folder


@reported(
    "zarr-developers/zarr-python#1981",
    "OverflowError: -999999999 out of bounds for uint8, since NumPy 2",
    finding=("Z2-FV-004", "/0", "-999999999 is outside uint8"),
    before=fails(zarr_python, OverflowError, "out of bounds"),
    after=sees(zarr_python, lambda found: found["0"].tolist() == [[1, 2]]),
)
def no_data_of_a_tiff(folder: Path) -> Path:
    return _of_v2(folder, "0", np.array([[1, 2]], "u1"), fill_value=-999999999)


@reported(
    "JuliaIO/Zarr.jl#165",
    "The fill value of unsigned integers is negative in references to netCDF files",
    finding=("Z2-FV-004", "/sea_ice", "-128 is outside uint8"),
    before=fails(zarr_python, OverflowError, "out of bounds"),
    after=sees(zarr_python, lambda found: found["sea_ice"].tolist() == [[1, 2]]),
    kind="pull",
)
def negative_for_unsigned(folder: Path) -> Path:
    return _of_v2(folder, "sea_ice", np.array([[1, 2]], "u1"), fill_value=-128)


@reported(
    "zarr-developers/zarr-python#3711",
    "An array with chunks of length 0 can be made, and not be read: ZeroDivisionError",
    finding=("Z3-GRID-003", "/a", "dimension 1 is 0"),
    before=fails(zarr_python, (ZeroDivisionError, ValueError)),
)
def chunks_of_no_length(folder: Path) -> Path:
    array(group(folder), "a", np.ones((1, 2)), ["y", "x"])
    put(folder / "a" / "zarr.json", [1, 0], "chunk_grid", "configuration", "chunk_shape")
    return folder


@reported(
    "zarr-developers/zarr-python#972",
    "ZeroDivisionError on append to an array that was made with the shape (0, 2)",
    finding=("Z2-ARR-006", "/asdf", "dimension 0 is 0"),
    before=opens(zarr_python),
    after=sees(zarr_python, lambda found: found["asdf"].shape == (0, 2)),
)
def chunks_of_an_empty_array(folder: Path) -> Path:
    return _of_v2(folder, "asdf", np.zeros((0, 2)), chunks=[0, 2])


@reported(
    "pydata/xarray#4822",
    "AttributeError when coordinates is ['x y'], as h5netcdf gives it",
    finding=("CF-REF-003", "/t", "not a text"),
    before=fails(xarray, AttributeError, "split"),
    after=sees(xarray, lambda ds: set(ds.coords) == {"x", "y"}),
)
def coordinates_in_a_list(folder: Path) -> Path:
    root = group(folder)
    array(root, "t", np.ones((2, 2)), ["j", "i"], coordinates=["x y"])
    for name in "xy":
        array(root, name, np.ones((2, 2)), ["j", "i"])
    return folder


@reported(
    "Unidata/netcdf-c#2008",
    "netCDF-C 4.8.0 writes the fill_value as an array: [-32767]",
    finding=("Z2-FV-003", "/test", "[-32767]"),
    before=fails(xarray, (TypeError, ValueError)),
    after=opens(xarray),
)
def fill_value_in_a_list(folder: Path) -> Path:
    return _of_v2(folder, "test", np.array([1, 2], "i4"), fill_value=[-32767])


@reported(
    "earth-mover/icechunk#367",
    "Invalid data_type: '>f8', as references of Zarr v2 have it, in the metadata of v3",
    finding=("Z3-DT-002", "/v", '">f8"', "float64"),
    before=fails(zarr_python, ValueError),
    after=opens(zarr_python),
)
def type_of_v2_in_v3(folder: Path) -> Path:
    array(group(folder), "v", np.ones(2), ["x"])
    put(folder / "v" / "zarr.json", ">f8", "data_type")
    return folder


@reported(
    "zarr-developers/zarr-python#2627",
    "An array of objects has no filter: nothing tells how they are encoded",
    finding=("Z2-DT-001", "/name", "without a filter"),
    before=fails(zarr_python, ValueError),
)
def objects_without_a_filter(folder: Path) -> Path:
    return _of_v2(folder, "name", np.array([1, 2], "i8"), dtype="|O", filters=None)
