"""A cell that is run again comes back to where its explorer was."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import zarr

import nz_explorer as nz
from nz_explorer.widget.explorer import last_place
from tests.widget.test_lifetimes import until

SST = "/ocean/sea_surface_temperature"


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("platformdirs.user_state_path", lambda *_, **__: tmp_path / "state")
    monkeypatch.setattr(last_place, "running_cell", lambda: "a.ipynb\ncell")
    return tmp_path / "state" / "places"


def files(state: Path) -> list[dict[str, object]]:
    return [json.loads(file.read_text("utf-8")) for file in state.glob("*.json")]


def test_place_index_view_pins_and_bookmarks_come_back(state: Path, sample_store: Path) -> None:
    ex = nz.explore(sample_store)
    assert ex.path == "/"
    ex.path, ex.index, ex.bookmarks = SST, {"time": 7}, [SST]
    ex.view = {"colormap": "viridis"}
    ex.pins = [{"rlat": 3, "rlon": 4}]
    until(lambda: [one["pins"] for one in files(state)] == [[{"rlat": 3, "rlon": 4}]])
    ex.close()
    again = nz.explore(sample_store)
    assert (again.path, again.index, again.bookmarks) == (SST, {"time": 7}, [SST])
    assert again.view["colormap"] == "viridis"
    assert again.pins == [{"rlat": 3, "rlon": 4}]
    again.close()
    other = nz.explore(sample_store, path="/forecast")
    assert other.path == "/forecast"  # what was asked for is another place
    other.close()


def test_what_is_no_longer_there_is_left_out(state: Path, sample_store: Path) -> None:
    ex = nz.explore(sample_store)
    ex.path = SST
    until(lambda: len(files(state)) == 1)
    ex.close()
    for file in state.glob("*.json"):
        file.write_text('{"path": "/gone", "index": {"time": 3}, "view": 5}', "utf-8")
    again = nz.explore(sample_store)
    assert (again.path, again.index) == ("/", {"time": 3})
    again.close()


def test_outside_of_notebooks_nothing_is_kept() -> None:
    assert last_place.running_cell() is None


def test_limits_that_a_slow_store_knows_late_come_back(state: Path, sample_store: Path) -> None:
    ex = nz.explore(sample_store)
    ex.path = SST
    until(lambda: [one["path"] for one in files(state)] == [SST])
    assert files(state)[0]["limits"] == []
    ex.figure()  # only now the values have come
    until(lambda: files(state)[0]["limits"] == json.loads(json.dumps(ex.held_limits)) != [])
    ex.close()


@pytest.mark.parametrize(("offset", "stays"), [(0, True), (1000, False)])
def test_held_limits_come_back_unless_the_values_are_others(
    state: Path, tmp_path: Path, offset: int, stays: bool
) -> None:
    steps = np.arange(4).reshape(4, 1, 1) * 100 + np.arange(6).reshape(1, 2, 3)
    group = zarr.create_group(tmp_path / "s.zarr")
    array = group.create_array("warm", data=steps, dimension_names=("time", "y", "x"))
    ex = nz.explore(tmp_path / "s.zarr", path="/warm")
    ex.figure()
    ex.index = {"time": 3}
    held = ex.figure().axes[0].images[0].get_clim()
    assert held == (0, 5)
    ex.pins = [{"y": 0, "x": 1}]
    until(lambda: [one["pins"] for one in files(state)] == [ex.pins])
    ex.close()
    array[...] = steps + offset
    again = nz.explore(tmp_path / "s.zarr", path="/warm")
    assert again.index == {"time": 3}
    assert (again.figure().axes[0].images[0].get_clim() == held) is stays
    again.close()
