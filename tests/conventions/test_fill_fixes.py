"""Fill values for which readers open nothing, and fixes with which they do."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr
import zarr

import nz_explorer as nz
from nz_explorer.conventions import evaluate
from nz_explorer.editing.trial_edits.what_if import WhatIf

SINCE = "raises IndexError since 3.4.1"

TEXT = np.dtypes.StringDType()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("dtype", "given", "rule", "shown"),
    [
        (TEXT, "M2", "NZ-FILL-006", ["nan", "S2"]),
        ("<U2", "M2", "NZ-FILL-006", ["nan", "S2"]),
        ("S2", "M2", "NZ-FILL-006", ["b'M2'", "b'S2'"]),
        (TEXT, -1, "NZ-FILL-002", ["M2", "S2"]),
        ("S2", None, "NZ-FILL-004", ["b'M2'", "b'S2'"]),
    ],
)
def test_xarray_opens_the_group_afterwards(
    tmp_path: Path, dtype: Any, given: Any, rule: str, shown: list[str]
) -> None:
    zarr.open_group(tmp_path, mode="w").create_array(
        "x",
        data=np.array(["M2", "S2"], dtype),
        dimension_names=["n"],
        attributes={"_FillValue": given},
    )
    with pytest.raises(ValueError, match="Unsupported dtype"):
        xr.open_zarr(tmp_path, consolidated=False)
    evaluation = evaluate(nz.open_store(tmp_path, mode="r+"))
    evaluation.run()
    (finding,) = [one for one in evaluation.findings() if one.rule == rule]
    assert finding.impact == "blocks"
    edits = WhatIf(evaluation)
    edits.apply(finding)
    nz.apply(edits).write()
    with xr.open_zarr(tmp_path, consolidated=False, chunks=None) as ds:
        assert [str(value) for value in ds["x"].values] == shown
    assert not nz.check(tmp_path, progress=False).by_impact["blocks"]


@pytest.mark.parametrize(
    ("zarr_format", "given", "rule", "meant"),
    [
        (2, "AAAAAAA4j8A=", "Z2-FV-004", -999.0),
        (3, "AAAAAAA4j8A=", "Z3-FV-004", -999.0),
        (3, "AAAAAAAA+H8=", "Z3-FV-004", np.nan),
        (2, "0x7ff8000000000000", "Z2-FV-004", np.nan),
        (2, "0x3ff0000000000000", "Z2-FV-004", 1.0),
    ],
)
def test_a_float_in_the_spelling_of_another_place_is_told_as_a_number(
    tmp_path: Path, zarr_format: Any, given: str, rule: str, meant: float
) -> None:
    root = zarr.open_group(tmp_path, mode="w", zarr_format=zarr_format)
    root.create_array("a", data=np.ones(2))
    document = tmp_path / "a" / (".zarray" if zarr_format == 2 else "zarr.json")
    document.write_text(json.dumps(json.loads(document.read_text()) | {"fill_value": given}))
    evaluation = evaluate(nz.open_store(tmp_path, mode="r+"))
    evaluation.run()
    (finding,) = [one for one in evaluation.findings() if one.rule == rule]
    edits = WhatIf(evaluation)
    edits.apply(finding)
    nz.apply(edits).write()
    np.testing.assert_equal(zarr.open_array(tmp_path / "a").fill_value, meant)


def test_values_that_are_scaled_twice_are_left_to_the_codec(tmp_path: Path) -> None:
    root = zarr.open_group(tmp_path, mode="w", zarr_format=3)
    root.create_array("a", data=np.ones(2), dimension_names=["x"], attributes={"scale_factor": 2.0})
    document = tmp_path / "a" / "zarr.json"
    given = json.loads(document.read_text())
    codec = {"name": "scale_offset", "configuration": {"offset": 0, "scale": 2}}
    given["codecs"] = [codec, *given["codecs"]]
    document.write_text(json.dumps(given))
    (finding,) = [
        one for one in nz.check(tmp_path, progress=False).findings if one.rule == "NZ-PACK-002"
    ]
    assert finding.fix is not None
    assert [one["path"] for one in finding.fix.patch] == ["/attributes/scale_factor"]


@pytest.mark.parametrize(
    ("given", "safety"), [("false", "suggest"), ("true", "safe"), (0, "safe"), (1, "safe")]
)
def test_a_fix_of_a_boolean_that_changes_what_readers_show_is_not_safe(
    given: Any, safety: str, tmp_path: Path
) -> None:
    zarr.create_array(tmp_path / "a", shape=[2], dtype="bool", fill_value=False)
    place = tmp_path / "a" / "zarr.json"
    document = json.loads(place.read_text())
    place.write_text(json.dumps(document | {"fill_value": given}))
    before = zarr.open_array(tmp_path / "a", mode="r")[0]

    checked = nz.check(tmp_path / "a", select=["Z3-FV-002"], progress=False)
    (fix,) = [finding.fix for finding in checked.findings]
    assert fix is not None
    place.write_text(json.dumps(document | {"fill_value": fix.patch[0]["value"]}))
    changed = bool(zarr.open_array(tmp_path / "a", mode="r")[0] != before)

    assert fix.safety == safety
    assert changed == (safety != "safe")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("dtype", "given"),
    [
        ([["r", "|u1"], ["g", "<i2"]], "AQEB\n"),
        ([["r", "|u1"], ["g", "<i2"]], "AQEBAQ=="),
        ([["r", "|u1"], ["g", "<i2"]], ""),
        ([["r", "|u1"]], ""),
        ([["r", "|u1"]], "_w=="),
    ],
)
def test_what_zarr_python_makes_of_base64_that_is_not_that_of_a_struct(
    tmp_path: Path, dtype: Any, given: str
) -> None:
    metadata = {"zarr_format": 2, "shape": [2], "chunks": [2], "dtype": dtype, "order": "C"}
    metadata |= {"compressor": None, "filters": None, "fill_value": given}
    (tmp_path / ".zarray").write_text(json.dumps(metadata))
    (found,) = [f for f in nz.check(tmp_path, progress=False).findings if f.rule == "Z2-FV-002"]
    try:
        zarr.open_array(tmp_path, mode="r", zarr_format=2)
    except (ValueError, IndexError) as error:
        said = ["raises an error"]
        if isinstance(error, IndexError):
            said.append("raises IndexError (since 3.4.1)")
        assert found.readers["zarr-python"] in said
    else:
        assert found.readers.get("zarr-python", "(since 3.4.1)").endswith("(since 3.4.1)")


@pytest.mark.filterwarnings("ignore")
def test_strings_get_their_mark_in_base64(tmp_path: Path) -> None:
    """Text in its place would be Z2-FV-002, and no fill value to zarr-python."""
    strings = zarr.create_array(tmp_path, shape=(2,), chunks=(2,), dtype="S4", zarr_format=2)
    strings[:] = np.array([b"ab", b"-"])
    strings.attrs.update({"_ARRAY_DIMENSIONS": ["x"], "_FillValue": "-"})
    (found,) = nz.check(tmp_path, select=["Z2-FV-006"], progress=False).findings
    nz.apply([found], nz.open_store(tmp_path, mode="r+")).write()
    given = json.loads((tmp_path / ".zarray").read_text())
    (tmp_path / ".zarray").write_text(json.dumps({**given, "shape": [9]}))  # more than was written
    assert zarr.open_array(tmp_path, mode="r")[:].tolist()[2:] == [b"-"] * 7
    assert not nz.check(tmp_path, select=["Z2-FV"], progress=False).findings


@pytest.mark.parametrize(("stored", "left"), [(-1, None), (None, None), (0, 0)])
def test_a_coordinate_of_v2_without_a_mark_is_not_masked_by_its_fill_value_either(
    tmp_path: Path, stored: int | None, left: int | None
) -> None:
    zarr.create_array(
        tmp_path / "x",
        data=np.array([1, 2, -1], "i4"),
        zarr_format=2,
        fill_value=stored,
        attributes={"_ARRAY_DIMENSIONS": ["x"], "_FillValue": -1},
    )
    zarr.open_group(tmp_path, mode="a", zarr_format=2)
    hierarchy = nz.open_store(tmp_path, mode="r+")
    found = nz.check(hierarchy, select=["NZ-FILL-012"], conventions=["nz"], progress=False).findings
    nz.apply(found, hierarchy).write()
    assert json.loads((tmp_path / "x" / ".zarray").read_text())["fill_value"] == left
    values = xr.open_zarr(tmp_path, consolidated=False, zarr_format=2)["x"].values
    assert list(values) == [1, 2, -1]


def test_texts_with_zero_as_fill_value_are_not_masked_where_they_are_empty(tmp_path: Path) -> None:
    texts = np.array(["a", "", "0"], TEXT)
    group = zarr.open_group(tmp_path, mode="w", zarr_format=2)
    named = {"_ARRAY_DIMENSIONS": ["n"]}
    group.create_array("a", data=texts, fill_value="", attributes=named)
    document = tmp_path / "a" / ".zarray"
    document.write_text(json.dumps({**json.loads(document.read_text()), "fill_value": 0}))
    hierarchy = nz.open_store(tmp_path, mode="r+")
    found = nz.check(hierarchy, select=["Z2-FV-004"], progress=False).findings
    nz.apply(found, hierarchy).write()
    assert nz.check(tmp_path, select=["Z2-FV"], progress=False).findings == []
    values = xr.open_zarr(tmp_path, consolidated=False, zarr_format=2)["a"].values
    assert list(values) == ["a", "", "0"]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("given", [5, [1, 2], [1, 2, 3], ["NaN", 0]])
def test_what_xarray_raises_for_a_complex_value_is_said(tmp_path: Path, given: Any) -> None:
    zarr.open_group(tmp_path, mode="w").create_array(
        "c",
        data=np.zeros(3, "complex64"),
        dimension_names=["n"],
        attributes={"_FillValue": given},
    )
    with pytest.raises((TypeError, ValueError)) as raised:
        xr.open_zarr(tmp_path, consolidated=False)
    said = [
        one.readers.get("xarray", "")
        for one in nz.check(tmp_path, progress=False).findings
        if one.rule in ("NZ-FILL-004", "NZ-FILL-006")
    ]
    assert said
    for one in said:
        kind, _, text = one.removeprefix("raises ").partition(": ")
        assert kind == type(raised.value).__name__
        assert str(raised.value).startswith(text.removesuffix(", and cannot open the group"))


@pytest.mark.parametrize("given", [{}, {"fill_value": None}])
@pytest.mark.parametrize(
    ("dtype", "declared", "written"),
    [
        ("float32", -9999.0, -9999.0),
        ("float64", "NaN", "NaN"),
        ("int16", -1, -1),
        ("int16", 70_000, 0),  # it is no value of the type
    ],
)
def test_what_is_declared_as_missing_becomes_the_fill_value_that_is_not_there(
    given: dict[str, Any], dtype: str, declared: Any, written: Any
) -> None:
    array = {
        "zarr_format": 3,
        "node_type": "array",
        "shape": [3],
        "data_type": dtype,
        "dimension_names": ["n"],
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [3]}},
        "chunk_key_encoding": {"name": "default"},
        "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}],
        "attributes": {"_FillValue": declared},
        **given,
    }
    report = nz.check({"zarr.json": json.dumps(array).encode()}, progress=False)
    (fix,) = (one.fix for one in report.findings if one.rule in ("Z3-DOC-003", "Z3-FV-001"))
    assert fix is not None
    assert [one["value"] for one in fix.patch] == [written]
