"""Zarr v2: every type, layout and spelling of fill values is read as zarr-python reads it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest
import zarr
from numcodecs import Zlib  # type: ignore[import-untyped]

import nz_explorer as nz
from nz_explorer.model import Array, NodeNotFound, open_store
from nz_explorer.values.coordinates.axes import axis_coordinates
from nz_explorer.values.coordinates.monotonicity import check_monotonic
from nz_explorer.values.masks.masked import masked
from nz_explorer.values.points import Points
from nz_explorer.values.to_xarray import to_xarray

RECORD = np.dtype([("t", "<f4"), ("n", ">i2"), ("code", "S2")])
VALUES: dict[str, Any] = {
    "|b1": [True, False, True, False],
    "<i2": [1, -2, 3, 4],
    ">u4": [1, 2, 2**32 - 1, 4],
    "<f2": [1.5, np.nan, np.inf, 0],
    ">f8": [1.5, np.nan, -np.inf, 0],
    "<c8": [1 + 2j, 3, -4j, 0],
    "|S3": [b"a", b"bc", b"def", b""],
    "<U4": ["a", "häß", "日本", ""],
    ">U2": ["a", "ä", "日本", ""],
    "<M8[D]": np.array(["2020-01-01", "1969-12-31", "NaT", "1970-01-01"], "<M8[D]"),
    "<m8[ms]": np.array([1, -5, "NaT", 0], "<m8[ms]"),
    "|V3": np.array([b"abc", b"\0\1\2", b"xyz", b"\0\0\0"], "V3"),
    "record": np.array([(1, 2, b"ab"), (4, 5, b""), (7, 8, b"c"), (0, 0, b"")], RECORD),
}


def _array(source: Any, path: str = "/a") -> Array:
    found = nz.open_store(source)[path]
    assert isinstance(found, Array)
    return found


@pytest.mark.parametrize(("separator", "order"), [(".", "F"), ("/", "C")])
@pytest.mark.parametrize("name", VALUES)
def test_a_type_is_read_in_every_layout(
    name: str, separator: Literal[".", "/"], order: Literal["C", "F"], tmp_path: Path
) -> None:
    dtype = RECORD if name == "record" else np.dtype(name)
    values = np.tile(np.asarray(VALUES[name], dtype), (3, 1))
    values[1] = values[1][::-1]
    group = zarr.open_group(tmp_path, mode="w", zarr_format=2)
    array = group.create_array(
        "a",
        shape=values.shape,
        chunks=(2, 3),
        dtype=dtype,
        order=order,
        chunk_key_encoding={"name": "v2", "separator": separator},
        attributes={"_ARRAY_DIMENSIONS": ["y", "x"]},
    )
    array[...] = values
    found = _array(tmp_path)
    assert found.dimension_names == ("y", "x")
    assert found.data_type.known
    np.testing.assert_array_equal(masked(found).data, array[...])
    np.testing.assert_array_equal(masked(found).data, values)


@pytest.mark.parametrize(
    ("dtype", "given", "value"),
    [
        ("<f4", "NaN", np.nan),
        ("<f4", "-Infinity", -np.inf),
        (">i2", -99, -99),
        ("|b1", True, True),
        ("|S2", "LS0=", b"--"),
        ("<U2", "--", "--"),
        ("<M8[D]", 0, np.datetime64("1970-01-01")),
        ("<M8[s]", -(2**63), np.datetime64("NaT", "s")),
        ([["t", "<f4"], ["q", "|u1"]], "AACAPwI=", (1.0, 2)),
    ],
)
def test_what_was_never_written_holds_the_fill_value_and_is_missing(
    dtype: Any, given: Any, value: Any, tmp_path: Path
) -> None:
    document = {
        "zarr_format": 2,
        "shape": [2],
        "chunks": [2],
        "dtype": dtype,
        "compressor": None,
        "filters": None,
        "fill_value": given,
        "order": "C",
    }
    (tmp_path / ".zarray").write_text(json.dumps(document))
    # xarray and netCDF-C name the dimensions; of others a fill_value says nothing about missing data
    assert not any(np.ravel(np.ma.getmaskarray(masked(_array(tmp_path, "/"))).tolist()))
    (tmp_path / ".zattrs").write_text('{"_ARRAY_DIMENSIONS": ["x"]}')
    array = _array(tmp_path, "/")
    found = masked(array)
    expected = np.array([value, value], found.dtype)
    np.testing.assert_array_equal(found.data, expected)
    marks = given != 0 and given is not True  # true is as good a value as false
    assert set(np.ravel(np.ma.getmaskarray(found).tolist())) == {marks}
    assert array.fill_source == ("fill_value" if marks else None)
    np.testing.assert_array_equal(zarr.open_array(tmp_path)[...], found.data)


@pytest.mark.filterwarnings("ignore:.*does not have a Zarr V3 specification")
@pytest.mark.parametrize("zarr_format", [2, 3])
@pytest.mark.parametrize(
    ("dtype", "given"),
    [
        ("<f4", 1e39),
        ("<f4", -1e39),
        ("<f4", True),
        ("<f8", "inf"),
        ("<f8", "1.5"),
        ("<i4", "5"),
        ("|u1", True),
        ("|b1", 1),
        ("|b1", "no"),
        ("<U3", "abcdef"),
        ("|S3", "YWJjZA=="),
        ("<M8[s]", True),
        ("<M8[s]", None),
        ("<i4", None),
    ],
)
def test_a_fill_value_of_another_type_is_read_as_zarr_reads_it(
    dtype: str, given: Any, zarr_format: Literal[2, 3], tmp_path: Path
) -> None:
    zarr.open_group(tmp_path, mode="w", zarr_format=zarr_format).create_array(
        "a", shape=(3,), chunks=(2,), dtype=dtype
    )
    document = tmp_path / "a" / (".zarray" if zarr_format == 2 else "zarr.json")
    document.write_text(json.dumps({**json.loads(document.read_text()), "fill_value": given}))
    if zarr_format == 3 and given is None:
        pytest.skip("Zarr v3 has no null there, and zarr refuses it")
    shown = nz.explore(tmp_path, path="/a").values(packed=True)
    with np.errstate(over="ignore"):
        expected = zarr.open_array(tmp_path / "a", mode="r")[...]
    assert np.ma.getdata(shown).tolist() == np.asarray(expected).tolist()


@pytest.mark.parametrize(
    ("dtype", "fill", "values"),
    [("i1", 0, [0, 1, 2]), ("bool", False, [False, True, False]), ("f4", 0.0, [0, 1, -1])],
)
def test_a_stored_zero_is_a_value_whoever_named_the_dimensions(
    dtype: str, fill: Any, values: list[Any], tmp_path: Path
) -> None:
    group = zarr.create_group(tmp_path, zarr_format=2)
    for name, dims in (("x", ["x"]), ("a", ["x"]), ("b", None)):
        array = group.create_array(name, shape=(3,), chunks=(3,), dtype=dtype, fill_value=fill)
        array[...] = values
        if dims:
            array.attrs["_ARRAY_DIMENSIONS"] = dims
    hierarchy = open_store(tmp_path)
    for name in ("a", "b", "x"):
        array = hierarchy[f"/{name}"]
        assert not np.ma.getmaskarray(masked(array)).any()
        np.testing.assert_array_equal(to_xarray(array).values, np.array(values, dtype))
    assert hierarchy["/a"].xarray_fill.value == fill


def test_a_coordinate_that_begins_with_zero_is_one(tmp_path: Path) -> None:
    group = zarr.create_group(tmp_path, zarr_format=2)
    array = group.create_array("x", shape=(3,), chunks=(3,), dtype="i4", fill_value=0)
    array[...] = [0, 1, 2]
    array.attrs["_ARRAY_DIMENSIONS"] = ["x"]
    found = check_monotonic(open_store(tmp_path)["/x"], budget=1000)
    assert (found.strict, found.hidden) == (True, 1)
    ids = [finding.rule for finding in nz.check(tmp_path, progress=False).findings]
    assert "Z2-FV-008" in ids
    assert "NZ-COORD-003" not in ids


def test_a_zip_file_and_servers_hold_the_same(
    tmp_path: Path, http_server: Callable[..., Any], s3: Any
) -> None:
    folder = tmp_path / "s.zarr"
    group = zarr.open_group(folder, mode="w", zarr_format=2)
    values = np.arange(12, dtype="<i4").reshape(3, 4)
    group.create_array(
        "g/a", data=values, chunks=(2, 2), attributes={"_ARRAY_DIMENSIONS": ["y", "x"]}
    )
    zarr.consolidate_metadata(folder, zarr_format=2)
    zipped = shutil.make_archive(str(tmp_path / "z"), "zip", folder)
    bucket = s3.upload(folder, prefix="v2.zarr")
    for source, options in (
        (folder, None),
        (zipped, None),
        (http_server(folder).url, None),
        (bucket, s3.options),
    ):
        found = nz.open_store(source, storage_options=options)["/g/a"]
        assert isinstance(found, Array)
        assert found.hierarchy.metadata_source == "consolidated"
        assert found.dimension_names == ("y", "x")
        np.testing.assert_array_equal(masked(found).data, values)


@pytest.mark.parametrize("path", ["a", "/a/", "//a", "a//", "\\a", "/g//b/..//..", "./a", "g/../a"])
def test_paths_are_normalised_and_never_lead_elsewhere(path: str, tmp_path: Path) -> None:
    """Zarr v2, Logical storage paths (Z2-PATH-001 and Z2-PATH-002, asked of nz_explorer itself)."""
    group = zarr.open_group(tmp_path, mode="w", zarr_format=2)
    group.create_array("a", data=np.zeros(1))
    group.create_array("g/b", data=np.zeros(1))
    store = nz.open_store(tmp_path)
    if "." not in path:
        assert store[path].path == "/a"
        return
    with pytest.raises(NodeNotFound, match="cannot contain"):
        store[path]
    assert path not in store


def test_a_picture_along_times_without_a_unit(tmp_path: Path) -> None:
    """NumPy has no text for them, so they are numbers."""
    group = zarr.open_group(tmp_path, mode="w", zarr_format=2)
    for name, dtype in (("t", "<i8"), ("a", "<f4")):
        array = group.create_array(name, shape=(3,), dtype=dtype, compressors=None)
        array[:] = [1, 5, 9]
        array.attrs["_ARRAY_DIMENSIONS"] = ["t"]
    document = tmp_path / "t/.zarray"
    metadata = json.loads(document.read_text())
    document.write_text(json.dumps({**metadata, "dtype": "<M8", "fill_value": None}))
    answer = check_monotonic(_array(tmp_path, "/t"), budget=1 << 20)
    assert (answer.result, answer.first, answer.last) == ("increasing", "1", "9")
    assert axis_coordinates(_array(tmp_path), Points(0, 0, 1, 3, 3)).kind == "number"


def test_a_field_with_a_shape_is_read_as_bytes(tmp_path: Path) -> None:
    whole = np.zeros(2, [("x", "<f4"), ("v", "<i2", (3,))])
    whole["x"], whole["v"] = [1, 2], [[1, 2, 3], [4, 5, 6]]
    zarr.create_group(tmp_path, zarr_format=2).create_array(
        "a", shape=(2,), chunks=(2,), dtype="f4"
    )
    document = tmp_path / "a" / ".zarray"
    dtype = [["x", "<f4"], ["v", "<i2", [3]]]
    changed = {"dtype": dtype, "compressor": None, "fill_value": None, "filters": None}
    document.write_text(json.dumps({**json.loads(document.read_text()), **changed}))
    (tmp_path / "a" / "0").write_bytes(whole.tobytes())
    shown = np.ma.getdata(nz.explore(tmp_path, path="/a").values(packed=True))
    assert shown["x"].tolist() == [1.0, 2.0]
    assert [np.frombuffer(one, "<i2").tolist() for one in shown["v"]] == whole["v"].tolist()


def test_a_codec_that_needs_a_package_is_no_damage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def decode(*_: object) -> None:
        raise ModuleNotFoundError("No module named 'eccodes'")

    group = zarr.create_group(tmp_path / "a.zarr", zarr_format=2)
    attributes = {"_ARRAY_DIMENSIONS": ["x"]}
    array = group.create_array("x", shape=(4,), dtype="<f8", compressors=Zlib(), fill_value=None)
    array.attrs.update(attributes)
    array[:] = range(4)
    monkeypatch.setattr(Zlib, "decode", decode)
    report = nz.check(tmp_path / "a.zarr", progress=False)
    assert not [one for one in report.findings if one.rule.startswith("Z2-CHUNK")]
