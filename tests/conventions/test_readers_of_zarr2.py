"""What is said of readers depends on what stands in a member of .zarray, and is what they do."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import netCDF4
import numpy as np
import pytest
import xarray
import zarr
from packaging.version import Version

import nz_explorer as nz
from nz_explorer.engine.findings import Finding
from tests.versions import SINCE_3_3, SINCE_3_4

_ARRAY = {
    "zarr_format": 2, "shape": [2], "chunks": [2], "dtype": "<f4", "compressor": None, "filters": None,
    "fill_value": 0.0, "order": "C",
}  # fmt: skip
_READ = """
import netCDF4, sys
try:
    dataset = netCDF4.Dataset(f"file://{sys.argv[1]}#mode=zarr,file")
except OSError as error:
    print(error)
else:
    dataset["a"][...]
    print("read")
"""


def _finding(
    folder: Path, rule: str, changes: dict[str, Any], names: Any = ("n",), **how: Any
) -> Finding:
    (folder / "a").mkdir()
    (folder / ".zgroup").write_text('{"zarr_format": 2}', "utf-8")
    (folder / "a" / ".zarray").write_text(json.dumps(_ARRAY | changes), "utf-8")
    (folder / "a" / ".zattrs").write_text(json.dumps({"_ARRAY_DIMENSIONS": names}), "utf-8")
    (finding,) = nz.check(folder, select=[rule], progress=False, **how).findings
    return finding


def _netcdf_c(folder: Path) -> str:
    """Return the error, "read", or nothing where the process ended."""
    command = [sys.executable, "-c", _READ, str(folder)]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()


@pytest.mark.parametrize("names", [None, 5, True])
def test_names_that_are_not_a_list(tmp_path: Path, names: Any) -> None:
    finding = _finding(tmp_path, "Z2-OGC-003", {}, names)
    assert finding.readers["xarray"] == "raises TypeError and cannot open the group"
    with pytest.raises(TypeError):
        xarray.open_zarr(tmp_path, zarr_format=2, chunks=None, consolidated=False)


@pytest.mark.parametrize("given", ["zlib", 5, [{"id": "zlib", "level": 1}]])
def test_a_compressor_that_is_no_object(tmp_path: Path, given: Any) -> None:
    finding = _finding(tmp_path, "Z2-ARR-007", {"compressor": given})
    assert finding.readers["zarr-python"] == "raises ValueError: Invalid compressor"
    with pytest.raises(ValueError, match="Invalid compressor"):
        zarr.open_array(tmp_path, path="a", mode="r", zarr_format=2)
    assert "Filter error" in _netcdf_c(tmp_path)


@pytest.mark.parametrize("member", ["shape", "chunks"])
@pytest.mark.parametrize(
    ("given", "error"),
    [
        ([None], "internal library error"),
        ([[2]], "internal library error"),
        ([{}], "internal library error"),
        (["2"], "NCZarr error"),
        ([2.0], "NCZarr error"),
    ],
)
def test_lengths_that_are_no_numbers(tmp_path: Path, member: str, given: Any, error: str) -> None:
    rule = {"shape": "Z2-ARR-005", "chunks": "Z2-ARR-006"}[member]
    finding = _finding(tmp_path, rule, {member: given})
    assert finding.readers["netCDF-C"] == f"refuses the dataset: {error}"
    assert finding.readers["zarr-python"] == "raises TypeError"
    assert error in _netcdf_c(tmp_path)
    with pytest.raises(TypeError):
        zarr.open_array(tmp_path, path="a", mode="r", zarr_format=2)


@pytest.mark.parametrize("given", [{}, {"a": 1}, [None], [{}], [[]], ["NaN", 0.0], ["x"], []])
def test_fill_values_of_bytes_that_are_no_text(tmp_path: Path, given: Any) -> None:
    finding = _finding(tmp_path, "Z2-FV-002", {"dtype": "|S4", "fill_value": given})
    said = finding.readers.get("netCDF-C", "")
    unfilled = _netcdf_c(tmp_path)
    (tmp_path / "a" / "0").write_bytes(b"abcdefgh")
    filled = _netcdf_c(tmp_path)
    if "crashes" in said:
        assert (unfilled, filled) == ("", "read")
        assert "a chunk that is not stored" in said
    elif said:
        assert "Invalid argument" in filled
    else:
        assert (unfilled, filled) == ("read", "read")


def test_a_format_that_is_a_fraction(tmp_path: Path) -> None:
    finding = _finding(tmp_path, "Z2-ARR-004", {"zarr_format": 2.0})
    assert finding.readers["zarr-python"] == "raises ValueError (since 3.4)"
    if SINCE_3_4:
        with pytest.raises(ValueError, match="zarr_format"):
            zarr.open_group(tmp_path, mode="r", zarr_format=2)["a"]
    else:
        zarr.open_group(tmp_path, mode="r", zarr_format=2)["a"]


@pytest.mark.parametrize("node", ["a", "."])
def test_attributes_that_are_null(tmp_path: Path, node: str) -> None:
    (tmp_path / ".zgroup").write_text('{"zarr_format": 2}', "utf-8")
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / ".zarray").write_text(json.dumps(_ARRAY), "utf-8")
    (tmp_path / node / ".zattrs").write_text("null", "utf-8")
    (finding,) = nz.check(tmp_path, select=["Z2-ATT-001"], progress=False).findings
    assert finding.readers["zarr-python"] == "raises TypeError: Expected a JSON object (since 3.3)"
    if SINCE_3_3:
        with pytest.raises(TypeError, match="JSON object"):
            zarr.open_group(tmp_path, mode="r", zarr_format=2)["a"]
    else:
        zarr.open_group(tmp_path, mode="r", zarr_format=2)["a"]


@pytest.mark.parametrize(
    ("dtype", "fill", "turned"),
    [
        (">i4", -9, -134217729),
        (">f4", 1.5, None),
        (">u2", 7, 1792),
        (">i2", -1, -1),
        ("<i4", -9, -9),
    ],
)
def test_chunks_of_big_endian_arrays_that_are_not_stored(
    tmp_path: Path, dtype: str, fill: float, turned: int | None
) -> None:
    finding = _finding(tmp_path, "Z2-CHUNK-005", {"dtype": dtype, "fill_value": fill}, values="all")
    with netCDF4.Dataset(f"file://{tmp_path}#mode=zarr,file") as dataset:
        dataset.set_auto_mask(False)
        shown = dataset["a"][0].item()
    said = finding.readers.get("netCDF-C", "")
    assert said.startswith(f"returns {shown} there") == (turned != fill)
    assert turned in (None, shown)


@pytest.mark.parametrize(
    ("dtype", "named", "safety"),
    [
        ([["", "<i2"], ["b", "|u1"]], [["f0", "<i2"], ["b", "|u1"]], "safe"),
        ([["b", [["", "<i2"], ["q", "|u1"]]]], [["b", [["f0", "<i2"], ["q", "|u1"]]]], "safe"),
        ([["f1", "<i2"], ["", "|u1"]], [["f1", "<i2"], ["f1_", "|u1"]], "suggest"),
    ],
)
def test_fields_without_names(tmp_path: Path, dtype: Any, named: Any, safety: str) -> None:
    finding = _finding(tmp_path, "Z2-DT-003", {"dtype": dtype, "fill_value": None})
    assert finding.fix is not None
    assert finding.fix.safety == safety
    assert finding.fix.patch[0]["value"] == named
    said = finding.readers.get("zarr-python", "raises ValueError (before 0)")
    before = re.search(r"\(before (.+)\)", said)
    if before is None or Version(zarr.__version__) < Version(before[1]):
        with pytest.raises((ValueError, TypeError)):
            zarr.open_array(tmp_path, path="a", mode="r", zarr_format=2)[...]
    else:
        zarr.open_array(tmp_path, path="a", mode="r", zarr_format=2)[...]


@pytest.mark.parametrize("key", ["0:0", "0_0", "c.0.0", "chunk0.0", "part-0.0"])
def test_chunks_that_no_reader_finds(tmp_path: Path, key: str) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / key).write_bytes(np.ones((1, 2), "<f4").tobytes())
    metadata = _ARRAY | {"shape": [1, 2], "chunks": [1, 2], "fill_value": 7.0}
    (tmp_path / "a" / ".zarray").write_text(json.dumps(metadata), "utf-8")
    (tmp_path / ".zgroup").write_text('{"zarr_format": 2}', "utf-8")
    (finding,) = nz.check(tmp_path, select=["Z2-CHUNK-001"], progress=False).findings
    assert finding.severity == "warning"
    array = zarr.open_array(tmp_path, path="a", mode="r", zarr_format=2)
    assert np.asarray(array[...]).tolist() == [[7.0, 7.0]]


@pytest.mark.parametrize(
    ("names", "refused"),
    [(["t", "q"], True), (["q", "t"], True), (["q", "r"], False), (["u", "q"], False)],
)
def test_a_name_too_many_that_another_array_has(
    tmp_path: Path, names: list[str], refused: bool
) -> None:
    """netCDF-C makes dimensions of all the names, of any length where there is none."""
    for name, length in (("t", 5), ("u", 2)):
        (tmp_path / name).mkdir()
        metadata = _ARRAY | {"shape": [length], "chunks": [length]}
        (tmp_path / name / ".zarray").write_text(json.dumps(metadata), "utf-8")
        (tmp_path / name / ".zattrs").write_text(json.dumps({"_ARRAY_DIMENSIONS": [name]}), "utf-8")
    finding = _finding(tmp_path, "Z2-OGC-003", {}, names)
    said = finding.readers.get("netCDF-C")
    assert said == ("refuses the dataset: Invalid dimension size" if refused else None)
    assert ("Invalid dimension size" in _netcdf_c(tmp_path)) == refused


@pytest.mark.parametrize(
    ("dtype", "fill"),
    [("<f8", 9.969209968386869e36), ("<i4", -5), ("<i4", 0), ("<i4", None), ("<M8[s]", 0)],
)
def test_what_xarray_shows_of_a_scalar_that_was_never_written(
    dtype: str, fill: Any, tmp_path: Path
) -> None:
    changes = {"shape": [], "chunks": [], "dtype": dtype, "fill_value": fill}
    found = _finding(tmp_path, "NZ-SCAL-003", changes, ())
    value = xarray.open_zarr(tmp_path, consolidated=False)["a"]
    assert found.message.endswith(", which xarray shows as missing") == bool(value.isnull())
