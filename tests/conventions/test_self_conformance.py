"""What NZ-1.0 asks of readers (NZ-RDR-001 to 013), asked of nz_explorer itself."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zarr

import nz_explorer as nz
from nz_explorer.conventions.nz.identifier import declares_nz
from nz_explorer.engine.fixes import find_entry
from nz_explorer.model import Array, Group, dimension_table
from nz_explorer.model.data_type import NZ_TYPES
from nz_explorer.values.masks.masked import masked
from tests.corpus.cases import contents, write


def _array(folder: Path, values: Any, attributes: dict[str, Any], **options: Any) -> Array:
    """Write one array with zarr-python and return it as it is read here."""
    group = zarr.open_group(folder, mode="w", attributes={"conventions": "NZ-1.0"})
    array = group.create_array(
        "a",
        shape=values.shape,
        dtype=values.dtype,
        dimension_names=[f"d{i}" for i in range(values.ndim)],
        attributes=attributes,
        **options,
    )
    array[...] = values
    found = nz.open_store(folder)["/a"]
    assert isinstance(found, Array)
    return found


@pytest.mark.parametrize("identifier", ["NZ-1.0", "nz-1.0", "Nz-1.0"])
def test_rdr_001_case_does_not_matter(identifier: str) -> None:
    assert declares_nz({"conventions": f"CF-1.12 {identifier}"})
    assert not declares_nz({"conventions": f"{identifier}1"})


def test_rdr_002_the_older_spelling_declares_as_well() -> None:
    assert declares_nz({"Conventions": "CF-1.12, NZ-1.0"})


@pytest.mark.parametrize("name", NZ_TYPES)
def test_rdr_003_and_004_the_thirteen_types(name: str, tmp_path: Path) -> None:
    values = np.array([0, 1, 0, 1]).astype(name)
    fill: Any = True if name == "bool" else [1, 0] if name.startswith("complex") else 1
    array = _array(tmp_path / "s.zarr", values, {"_FillValue": fill})
    assert array.data_type.nz
    found = masked(array)
    np.testing.assert_array_equal(found.data, values)
    np.testing.assert_array_equal(np.ma.getmaskarray(found), [False, True, False, True])


def test_rdr_005_fill_value_of_the_storage_masks_nothing(tmp_path: Path) -> None:
    values = np.array([0.0, np.nan, -9999.0], "float32")
    array = _array(tmp_path / "s.zarr", values, {"_FillValue": -9999.0}, fill_value=0)
    assert np.ma.getmaskarray(masked(array)).tolist() == [False, False, True]
    array = _array(tmp_path / "t.zarr", values, {"_FillValue": "NaN"}, fill_value=-9999)
    assert np.ma.getmaskarray(masked(array)).tolist() == [False, True, False]


def test_rdr_006_names_belong_to_their_group(tmp_path: Path) -> None:
    documents = contents({"base": "plain"})
    below = json.loads(documents["x/zarr.json"])
    below["shape"] = [7]
    documents["g/zarr.json"] = b'{"zarr_format": 3, "node_type": "group"}'
    documents["g/b/zarr.json"] = json.dumps(below).encode()
    hierarchy = nz.open_store(write(documents, tmp_path))
    list(hierarchy.walk())
    lengths = {}
    for path in ("/", "/g"):
        group = hierarchy[path]
        assert isinstance(group, Group)
        table = {dimension.name: dimension for dimension in dimension_table(group.arrays)}
        lengths[path] = list(table["x"].lengths)
    assert lengths == {"/": [3], "/g": [7]}
    found = nz.check(tmp_path, progress=False).findings
    assert not [finding for finding in found if finding.rule == "NZ-DIM-010"]


def test_rdr_007_scalars_are_read(tmp_path: Path) -> None:
    array = _array(tmp_path / "s.zarr", np.array(7.5), {"_FillValue": 8.0})
    found = masked(array)
    assert found.shape == ()
    assert float(found) == 7.5


def test_rdr_008_consolidated_metadata_are_preferred_and_named(tmp_path: Path) -> None:
    hierarchy = nz.open_store(write(contents({"base": "consolidated"}), tmp_path))
    assert hierarchy.metadata_source == "consolidated"
    assert find_entry(hierarchy, "/a", "zarr.json") is not None


def test_rdr_009_shards_are_read(tmp_path: Path) -> None:
    values = np.arange(16, dtype="int32").reshape(4, 4)
    array = _array(tmp_path / "s.zarr", values, {}, chunks=(2, 2), shards=(4, 4))
    np.testing.assert_array_equal(masked(array).data, values)


def test_rdr_010_packed_values_are_compared_as_stored(tmp_path: Path) -> None:
    values = np.array([1, -1, 3], "int16")
    attributes = {"_FillValue": -1, "scale_factor": 0.5, "add_offset": 10.0}
    array = _array(tmp_path / "s.zarr", values, attributes)
    assert np.ma.getmaskarray(masked(array)).tolist() == [False, True, False]


def test_rdr_011_undeclared_data_are_checked_and_say_so(tmp_path: Path) -> None:
    documents = contents({"base": "plain"})
    documents["zarr.json"] = b'{"zarr_format": 3, "node_type": "group", "attributes": {}}'
    array = json.loads(documents["a/zarr.json"])
    array["dimension_names"] = ["y", None]
    documents["a/zarr.json"] = json.dumps(array).encode()
    found = nz.check(write(documents, tmp_path), progress=False).findings
    assert [(f.rule, f.tags) for f in found if f.path == "/a"] == [("NZ-DIM-004", ("undeclared",))]


def test_rdr_012_version_2_is_judged_by_analogy(tmp_path: Path) -> None:
    report = nz.check(write(contents({"base": "v2"}), tmp_path), progress=False)
    assert report.zarr_format == 2
    assert report.conforms["NZ-1.0"] is None
    assert report.findings == []


def test_rdr_013_numbers_take_the_type_of_the_array(tmp_path: Path) -> None:
    array = _array(tmp_path / "s.zarr", np.array([1.0, 0.1], "float32"), {"_FillValue": 0.1})
    assert np.ma.getmaskarray(masked(array)).tolist() == [False, True]
