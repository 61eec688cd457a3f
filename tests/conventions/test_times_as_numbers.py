"""Times of NumPy's data types become numbers in units, and stay the same times, without a change of any chunk."""

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

RULES = {2: "Z2-OGC-004", 3: "NZ-TYPE-001"}


def _written(folder: Path, zarr_format: Any, values: Any, fill: Any) -> Path:
    names: dict[str, Any] = {"dimension_names": ["t"]}
    if zarr_format == 2:
        names = {"attributes": {"_ARRAY_DIMENSIONS": ["t"]}}
    root = zarr.open_group(folder, mode="w", zarr_format=zarr_format)
    root.create_array("x", data=values, fill_value=fill, **names)
    zarr.consolidate_metadata(folder, zarr_format=zarr_format)
    return folder


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("zarr_format", [2, 3])
@pytest.mark.parametrize("fill", ["NaT", 0, None])
@pytest.mark.parametrize("kind", ["M8[ns]", "M8[s]", "M8[D]", "m8[ns]", "m8[s]"])
def test_times_are_the_same_afterwards(
    tmp_path: Path, zarr_format: int, kind: str, fill: Any
) -> None:
    values = np.array([18262, 0, 18263]).astype(kind)
    if fill == "NaT":
        values[1] = "NaT"
    given = None if fill is None else np.array(fill, kind)[()]
    store = _written(tmp_path / "store", zarr_format, values, given)
    stored = next(store.glob("x/0" if zarr_format == 2 else "x/c/0")).read_bytes()
    evaluation = evaluate(nz.open_store(store, mode="r+"))
    evaluation.run()
    (finding,) = [one for one in evaluation.findings() if one.rule == RULES[zarr_format]]
    edits = WhatIf(evaluation)
    edits.apply(finding)
    nz.apply(edits).write()
    assert next(store.glob("x/0" if zarr_format == 2 else "x/c/0")).read_bytes() == stored
    with xr.open_zarr(store, chunks=None, decode_timedelta=True) as ds:
        shown = ds["x"].values
    assert shown.dtype.kind == values.dtype.kind
    np.testing.assert_array_equal(shown.astype(kind), values)
    assert RULES[zarr_format] not in {f.rule for f in nz.check(store, progress=False).findings}


@pytest.mark.filterwarnings("ignore")
def test_times_that_no_patch_can_tell_otherwise_are_to_be_written_again(tmp_path: Path) -> None:
    store = _written(tmp_path / "store", 3, np.array([1, 2]).astype("M8[10s]"), None)
    report = nz.check(store, progress=False)
    (finding,) = [one for one in report.findings if one.rule == "NZ-TYPE-001"]
    assert finding.fix is not None
    assert not finding.fix.patch
    assert 'astype("datetime64[s]")' in str(finding.fix.note)


@pytest.mark.filterwarnings("ignore")
def test_a_fill_value_that_is_no_time_is_none_afterwards(tmp_path: Path) -> None:
    store = _written(tmp_path / "store", 3, np.array([1, 2], "M8[s]"), None)
    document = json.loads((store / "x/zarr.json").read_text())
    (store / "x/zarr.json").write_text(json.dumps(document | {"fill_value": "2000-01-01"}))
    (store / "zarr.json").write_text(json.dumps({"zarr_format": 3, "node_type": "group"}))
    found = nz.check(store, select=["NZ-TYPE-001"], progress=False).findings
    (fix,) = [one.fix for one in found if one.fix is not None]
    changed = {one["path"]: one.get("value") for one in fix.patch}
    assert changed["/fill_value"] == -(2**63)


@pytest.mark.parametrize("mark", [None, "NaT", -(2**63)])
def test_what_is_no_time_stays_missing(tmp_path: Path, mark: Any) -> None:
    """It is a number like any other afterwards, and only _FillValue tells that it is none."""
    root = zarr.open_group(tmp_path, mode="w")
    attributes = {} if mark is None else {"_FillValue": mark}
    values = np.array(["2020-01-01", "NaT"], "M8[s]")
    root.create_array("x", data=values, dimension_names=["t"], attributes=attributes)
    found = nz.check(tmp_path, select=["NZ-TYPE-001"], progress=False).findings
    nz.apply(found, nz.open_store(tmp_path, mode="r+")).write()
    assert zarr.open_group(tmp_path, mode="r")["x"].attrs["_FillValue"] == -(2**63)
    assert not nz.check(tmp_path, conventions="nz", select=["NZ-FILL"], progress=False).findings


@pytest.mark.filterwarnings("ignore")
def test_bounds_of_a_coordinate_get_no_mark_that_the_coordinate_has_not(tmp_path: Path) -> None:
    root = zarr.open_group(tmp_path, mode="w")
    zero = np.datetime64(0, "s")
    bounds: dict[str, Any] = {"attributes": {"bounds": "t_bnds"}, "dimension_names": ["t"]}
    root.create_array("t", data=np.array([1, 3], "M8[s]"), fill_value=zero, **bounds)
    cells = np.array([[0, 2], [2, 4]], "M8[s]")
    root.create_array("t_bnds", data=cells, fill_value=zero, dimension_names=["t", "n"])
    evaluation = evaluate(nz.open_store(tmp_path, mode="r+"))
    evaluation.run()
    edits = WhatIf(evaluation)
    for finding in [one for one in evaluation.findings() if one.rule == "NZ-TYPE-001"]:
        edits.apply(finding)
    nz.apply(edits).write()
    found = [one.rule for one in nz.check(tmp_path, progress=False).findings]
    assert not {"NZ-TYPE-001", "NZ-FILL-007"} & {*found}
    with xr.open_zarr(tmp_path, consolidated=False, chunks=None) as ds:
        np.testing.assert_array_equal(ds["t_bnds"].values.astype("M8[s]"), cells)
