"""Dimensions reduced to a number, against numpy and xarray on the same values."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zarr

import nz_explorer as nz
from nz_explorer.plots import make
from nz_explorer.plots.captions import caption_of
from nz_explorer.plots.picture import QuickLook


@pytest.fixture
def grid(tmp_path: Path) -> Path:
    rng = np.random.default_rng(1)
    values = rng.integers(-500, 500, (6, 10, 8)).astype("i2")
    values[:, 2, 3] = values[1, :, 5] = -999
    group = zarr.create_group(tmp_path / "s.zarr")
    packed = {"_FillValue": -999, "scale_factor": -0.1, "add_offset": 20.0, "units": "K"}
    dims = ("time", "lat", "lon")
    group.create_array("t", data=values, chunks=(4, 3, 8), dimension_names=dims, attributes=packed)
    lat = group.create_array("lat", data=np.linspace(-80, 80, 10), dimension_names=("lat",))
    lat.attrs["units"] = "degrees_north"
    plain = values.astype("f4")
    plain[0, 0, 0], plain[0, 0, 1] = np.nan, np.inf
    group.create_array("plain", data=plain, chunks=(4, 3, 8), dimension_names=dims)
    return tmp_path / "s.zarr"


def look(path: Path, array: str, **options: Any) -> QuickLook:
    return make(nz.open_store(path), array, **options)


def decoded(path: Path) -> Any:
    stored = zarr.open_array(path, path="t", mode="r")[:]
    return np.ma.masked_array(stored * -0.1 + 20.0, stored == -999)


@pytest.mark.parametrize("method", ["mean", "min", "max", "std"])
def test_what_is_left_out_does_not_count(grid: Path, method: str) -> None:
    found = look(grid, "/t", reduce={"time": method})
    expected = getattr(decoded(grid), method)(axis=0)
    assert (found.kind, found.packing, found.units) == ("map", None, "K")
    np.testing.assert_allclose(found.stored[~expected.mask], expected.compressed())
    assert np.array_equal(found.cell_states != 0, np.ma.getmaskarray(expected))
    assert found.title == f"t · {method} over time"
    assert [(one.method, one.length) for one in found.sliders] == [(method, 6)]
    plain = look(grid, "/plain", reduce={"time": method, "lat": method})
    values = zarr.open_array(grid, path="plain", mode="r")[:].astype(float)
    weights = np.cos(np.radians(np.linspace(-80, 80, 10)))
    infinite = ~np.isfinite(values)
    finite = np.ma.masked_array(np.where(infinite, 0, values), infinite)
    weighted = np.broadcast_to(weights[:, None], values.shape)
    mean = np.ma.average(finite, axis=(0, 1), weights=weighted)
    spread = np.ma.average((finite - mean) ** 2, axis=(0, 1), weights=weighted)
    wanted = {
        "mean": mean,
        "std": np.sqrt(spread),
        "min": finite.min(axis=(0, 1)),
        "max": finite.max(axis=(0, 1)),
    }[method]
    assert plain.kind == "line"
    np.testing.assert_allclose(plain.stored, wanted)


def test_a_mean_along_latitudes_is_weighted_by_area_and_says_so(grid: Path) -> None:
    found = look(grid, "/t", reduce={"lat": "mean"}, x="lon", y="time")
    assert "area-weighted mean over lat" in found.title
    weights = np.cos(np.radians(np.linspace(-80, 80, 10)))[:, None] * np.ones((6, 1, 8))
    expected = np.ma.average(decoded(grid), axis=1, weights=weights)
    np.testing.assert_allclose(found.stored[~np.ma.getmaskarray(expected)], expected.compressed())
    both = look(grid, "/t", reduce={"time": "mean", "lat": "mean"})
    assert both.title.endswith("mean over time · area-weighted mean over lat")
    # the least of all latitudes is what it is anywhere
    assert "area" not in look(grid, "/t", reduce={"lat": "min"}).title


def test_dimensions_that_are_reduced_alike_are_named_together(grid: Path) -> None:
    two = look(grid, "/t", reduce={"time": "max", "lat": "max"})
    assert two.title == "t · max over time and lat"
    assert caption_of(two) == "max over time and lat"
    ex = nz.explore(grid, path="/t")
    ex.view = {"reduce": {"time": "mean", "lon": "mean"}}
    assert ex.figure().axes[0].get_title(loc="right") == "mean over time and lon"
    assert "mean over time and lon" in ex.code()
    ex.close()


def test_more_than_the_budget_is_asked_for_first(grid: Path) -> None:
    asked = look(grid, "/t", reduce={"time": "max"}, budget=1000)
    assert asked.kind == "none"
    assert "more than the budget of" in asked.message
    assert (asked.read.whole_bytes, asked.read.decoded_bytes) == (8 * 192, 0)
    assert [one.method for one in asked.sliders] == ["max"]
    read = look(grid, "/t", reduce={"time": "max"}, budget=1000, everything=True)
    assert read.kind == "map"
    fixed = look(grid, "/t")
    assert [one.whole_bytes for one in fixed.sliders] == [8 * 192]


def test_ways_that_there_are_not(grid: Path) -> None:
    with pytest.raises(ValueError, match="all by the same"):
        look(grid, "/t", reduce={"time": "mean", "lat": "max"})
    with pytest.raises(ValueError, match="one of mean"):
        look(grid, "/t", reduce={"time": "median"})
    # what the array does not have changes nothing
    assert look(grid, "/t", reduce={"depth": "mean"}).reduction is None


def test_everything_says_the_same(grid: Path) -> None:
    ex = nz.explore(grid, path="/t")
    ex.view = {"reduce": {"time": "mean"}}
    expected = decoded(grid).mean(axis=0)
    np.testing.assert_allclose(ex.values().filled(-1), expected.filled(-1))
    found: Any = ex.to_xarray(shown=True)
    assert found.dims == ("lat", "lon")
    assert found.attrs["cell_methods"] == "time: mean"
    np.testing.assert_allclose(found.values, expected.filled(np.nan))
    assert ex.selection == {"time": slice(None), "lat": slice(0, 10, 1), "lon": slice(0, 8, 1)}
    assert "mean over time" in ex.figure().axes[0].get_title(loc="right")
    ex.close()
