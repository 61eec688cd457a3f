"""Fixes of what netCDF-C noted, judged by netCDF-C itself."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import zarr

import nz_explorer as nz
from nz_explorer.conventions import evaluate
from nz_explorer.editing.apply import apply, fix_all
from nz_explorer.model import open_store

PROGRAM = Path(__file__).parent / "stores.py"


def what_if(store: Path) -> Any:
    evaluation = evaluate(open_store(store, mode="r+"))
    evaluation.run()
    return nz.WhatIf(evaluation)


def is_read_by_netcdf_c(store: Path, folder: Path) -> bool:
    url = f"{store.as_uri()}#mode=nczarr,file"
    words = [sys.executable, str(PROGRAM), "copy", url, str(folder / "copy.nc")]
    return subprocess.run(words, capture_output=True, timeout=60).returncode == 0  # noqa: PLW1510


def fixed(store: Path) -> list[str]:
    attempt = what_if(store)
    done = fix_all(attempt, lambda finding: finding.rule == "NCZ-GRP-002").done
    if done:
        apply(attempt).write()
    return [finding.path for finding in done]


def test_netcdf_c_reads_a_dataset_again_whose_list_was_mended(
    netcdf_c: Path, tmp_path: Path
) -> None:
    store = Path(shutil.copytree(netcdf_c / "everything", tmp_path / "store"))
    shutil.rmtree(store / "g1" / "pos")
    assert not is_read_by_netcdf_c(store, tmp_path)
    assert fixed(store) == ["/g1"]
    assert is_read_by_netcdf_c(store, tmp_path)


def test_an_added_array_is_listed_and_gets_the_note_that_netcdf_c_looks_for(
    netcdf_c: Path, tmp_path: Path
) -> None:
    store = Path(shutil.copytree(netcdf_c / "everything", tmp_path / "store"))
    group = zarr.open_group(store / "g1", mode="r+")
    group.create_array("added", data=np.arange(4), attributes={"_ARRAY_DIMENSIONS": ["lon"]})
    assert fixed(store) == []  # listed alone, netCDF-C would refuse the whole dataset by it
    attempt = what_if(store)
    (finding,) = [f for f in attempt.base.findings() if f.rule == "NCZ-GRP-002"]
    assert finding.related == ("/g1/added",)
    assert finding.fix is not None
    assert finding.fix.safety == "suggest"
    apply(attempt.apply(finding)).write()
    notes = [json.loads((store / "g1" / at / ".zattrs").read_text()) for at in (".", "added")]
    assert notes[0]["_nczarr_group"]["arrays"] == ["pos", "r", "added"]
    assert notes[1]["_nczarr_array"]["dimension_references"] == ["/g1/lon"]
    assert is_read_by_netcdf_c(store, tmp_path)


def _lose(file: Path, member: str) -> None:
    attributes = json.loads(file.read_text("utf-8"))
    del attributes[member]
    file.write_text(json.dumps(attributes), "utf-8")


def _mend(store: Path, rule: str) -> None:
    attempt = what_if(store)
    for finding in [f for f in attempt.base.findings() if f.rule == rule]:
        attempt.apply(finding)
    apply(attempt).write()


def test_lost_metadata_are_made_again_from_the_arrays(tmp_path: Path) -> None:
    import netCDF4

    store = tmp_path / "store"
    url = f"{store.as_uri()}#mode=nczarr,file"
    with netCDF4.Dataset(url, "w") as dataset:
        dataset.createDimension("x", 3)
        dataset.createVariable("a", "i4", ("x",))[:] = [1, 2, 3]
    _lose(store / ".zattrs", "_nczarr_group")
    with netCDF4.Dataset(url) as dataset:  # it opens, and is empty
        assert not dataset.variables
    _mend(store, "NCZ-SB-002")
    with netCDF4.Dataset(url) as dataset:
        assert dataset["a"][:].tolist() == [1, 2, 3]
        assert dataset["a"].dimensions == ("x",)
    _lose(store / "a" / ".zattrs", "_nczarr_array")
    assert not is_read_by_netcdf_c(store, tmp_path)
    _mend(store, "NCZ-VAR-006")
    assert is_read_by_netcdf_c(store, tmp_path)
