"""The sample dataset is what it says it is."""

from __future__ import annotations

import filecmp
import json
from pathlib import Path

import numpy as np
import pytest
import xarray as xr
import zarr

import nz_explorer as nz
from nz_explorer.lab import demo_data


def documents(root: Path) -> dict[str, dict[str, object]]:
    return {
        file.parent.relative_to(root).as_posix(): json.loads(file.read_text("utf-8"))
        for file in root.rglob("zarr.json")
    }


def same(a: filecmp.dircmp[str]) -> bool:
    return not (a.left_only or a.right_only or a.diff_files) and all(map(same, a.subdirs.values()))


def test_two_runs_write_the_same_bytes(sample_store: Path, tmp_path: Path) -> None:
    assert same(filecmp.dircmp(sample_store, demo_data.write_sample(tmp_path / "again")))


def test_a_folder_with_something_in_it_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("years of work")
    with pytest.raises(FileExistsError, match="not an empty folder"):
        demo_data.write_sample(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def test_the_consolidated_metadata_repeats_the_documents(sample_store: Path) -> None:
    stored = documents(sample_store)
    consolidated = stored.pop(".")["consolidated_metadata"]
    assert consolidated == {"kind": "inline", "must_understand": False, "metadata": stored}


def test_every_array_names_its_dimensions(sample_store: Path) -> None:
    arrays = [node for node in documents(sample_store).values() if node["node_type"] == "array"]
    assert len(arrays) > 30
    for node in arrays:
        names, shape = node["dimension_names"], node["shape"]
        assert isinstance(names, list)
        assert isinstance(shape, list)
        assert len(names) == len(shape)
        assert all(names)


def test_it_has_what_the_explorer_should_show(sample_store: Path) -> None:
    root = zarr.open_group(sample_store, mode="r")
    assert {str(array.dtype) for _, array in root["analysis"].arrays()} >= {
        "bool", "complex64", "int8", "uint8", "int16", "int64", "float64",
    }  # fmt: skip
    lat = np.asarray(root["forecast/lat"][:])
    assert (np.diff(lat) < 0).all()
    sst = root["ocean/sea_surface_temperature"]
    assert sst.fill_value == 0
    assert sst.attrs["_FillValue"] == -9999.0
    assert 0.2 < (np.asarray(sst[0]) == -9999.0).mean() < 0.7
    assert root["forecast/temperature"].shards is not None
    rain = root["forecast/precipitation"]
    assert 0 < rain.nchunks_initialized < rain.nchunks
    assert root["ocean/latitude"].ndim == 2
    assert root["stations/station_name"][0] == "Reykjavík"


def test_the_broken_rules_are_told_apart(broken_store: Path) -> None:
    assert len({(item.path, item.rules) for item in demo_data.BROKEN_RULES}) == len(
        demo_data.BROKEN_RULES
    )
    kinds = {rule for item in demo_data.BROKEN_RULES for rule in item.rules}
    assert len(kinds) == len(demo_data.BROKEN_RULES), "each violation shows another rule"
    gone = {"/ocean/ice"}
    for item in demo_data.BROKEN_RULES:
        assert (broken_store / item.path.lstrip("/")).is_dir() == (item.path not in gone)


def test_the_cache_is_written_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platformdirs.user_cache_path", lambda *_, **__: tmp_path / "cache")
    first = demo_data.sample()
    before = (first / "zarr.json").stat().st_mtime_ns
    assert demo_data.sample() == first
    assert (first / "zarr.json").stat().st_mtime_ns == before
    assert sorted(path.name for path in first.parent.iterdir()) == ["sample.zarr"]


def test_every_reader_opens_the_sea_and_its_flaws_are_those_that_the_notebook_tells(
    tmp_path: Path,
) -> None:
    folder = demo_data.write_sea(tmp_path / "sea.zarr")
    report = nz.check(folder)
    assert report.conforms == {"NZ-1.0": True, "Zarr v3": True}
    assert report.readers["xarray"].opens
    with xr.open_zarr(folder) as opened:
        sst, months = opened.sea_surface_temperature, opened.months
        years = opened.time.dt.year.values.tolist()
        assert years == list(range(1982, 2025))
        assert [y for y, one in zip(years, sst, strict=True) if one.isnull().all()] == [2003]
        assert (months == 3).any(("lat", "lon")).sum() == 15
        always = sst.where(months[0] == 12).mean(("lat", "lon"))
        assert always[-10:].mean() - always[:10].mean() == pytest.approx(0.76, abs=0.02)
