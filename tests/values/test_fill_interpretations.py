"""One array interpreted in four ways; xarray's is what xarray gives to everyone."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import numpy as np
import pytest
import xarray
import zarr

from nz_explorer.model import Array, open_store
from nz_explorer.plots.cell_grid import cells
from nz_explorer.values.masks import fill_interpretations as module
from nz_explorer.values.masks.fill_interpretations import readings


def array_of(store: Path, path: str) -> Array:
    node = open_store(store)[path]
    assert isinstance(node, Array)
    return node


def test_four_readings_of_packed_integers(sample_store: Path) -> None:
    """The storage fill value is 0, which stands for 1000 hPa; _FillValue is -32768."""
    found = readings(array_of(sample_store, "/analysis/surface_pressure"), {"time": 3}, (500, 500))
    stored = np.asarray(zarr.open_array(sample_store / "analysis" / "surface_pressure")[3])
    np.testing.assert_array_equal(found.stored.values, stored)
    assert not found.stored.missing.any()
    np.testing.assert_array_equal(found.nz.missing, stored == -32768)
    np.testing.assert_array_equal(found.storage.missing, stored == 0)
    with xarray.open_zarr(sample_store, group="analysis") as dataset:
        theirs = dataset["surface_pressure"].isel(time=3)
        np.testing.assert_array_equal(found.xarray.missing, theirs.isnull())
        np.testing.assert_array_equal(found.xarray.values, theirs)
    np.testing.assert_array_equal(found.differs(found.stored), stored == -32768)
    np.testing.assert_array_equal(found.differs(found.storage), (stored == -32768) | (stored == 0))


def test_thinned_and_fixed_like_the_window(sample_store: Path) -> None:
    found = readings(array_of(sample_store, "/analysis/cloud_type"), {"time": 5}, (20, 30))
    assert [points.step for points in found.window.axes] == [5, 5]
    y, x = (slice(p.start, None, p.step) for p in found.window.axes)
    stored = np.asarray(zarr.open_array(sample_store / "analysis" / "cloud_type")[5, y, x])
    np.testing.assert_array_equal(found.stored.values, stored)
    np.testing.assert_array_equal(found.xarray.values, stored)


def test_a_stored_nan_is_missing_to_xarray_and_not_to_nz(tmp_path: Path) -> None:
    values = np.array([[1.0, np.nan, 3.0], [4.0, 0.0, 6.0]])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        dataset = xarray.Dataset({"t": (("y", "x"), values, {"units": "K"})})
        dataset.to_zarr(tmp_path / "d.zarr", zarr_format=3, encoding={"t": {"_FillValue": None}})
    found = readings(array_of(tmp_path / "d.zarr", "/t"), {}, (10, 10))
    assert not found.nz.missing.any()
    np.testing.assert_array_equal(found.xarray.missing, np.isnan(values))
    assert found.differs(found.xarray).sum() == 1


def test_xarray_says_in_its_own_words_why_it_cannot(sample_store: Path) -> None:
    """A _FillValue of floats as NZ wants it keeps it from opening the whole group."""
    # xarray 2025.7 has no words for it, only an assertion
    with pytest.raises(
        (TypeError, AssertionError), match=r"^Failed to decode fill_value|^$"
    ) as theirs:
        xarray.open_zarr(sample_store, group="ocean")
    found = readings(array_of(sample_store, "/ocean/rotated_pole"), {}, (4, 4))
    assert str(theirs.value) in found.xarray.problem
    assert found.xarray.values is None
    assert found.stored.values == 0


def test_a_root_array_and_too_much_data_are_not_given_to_xarray(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    zarr.create_array(tmp_path / "root.zarr", shape=(3,), dtype="i4", dimension_names=["x"])
    assert (
        "not in one" in readings(array_of(tmp_path / "root.zarr", "/"), {}, (4, 4)).xarray.problem
    )
    group = zarr.create_group(tmp_path / "large.zarr")
    large = group.create_array("a", shape=(60, 60), chunks=(6, 6), dtype="f8", fill_value=0)
    large[...] = np.arange(3600.0).reshape(60, 60)
    document = tmp_path / "large.zarr" / "a" / "zarr.json"
    meta = json.loads(document.read_text("utf-8"))
    document.write_text(json.dumps({**meta, "dimension_names": ["y", "x"]}), "utf-8")
    monkeypatch.setattr(module, "BUDGET", 10 * 6 * 6 * 8)
    found = readings(array_of(tmp_path / "large.zarr", "/a"), {}, (12, 12))
    assert [(p.low, p.end, p.step) for p in found.window.axes] == [(24, 36, 1), (24, 36, 1)]
    np.testing.assert_array_equal(found.xarray.values, large[24:36, 24:36])
    monkeypatch.setattr(module, "BUDGET", 100)
    found = readings(array_of(tmp_path / "large.zarr", "/a"), {}, (12, 12))
    assert "too long" in found.xarray.problem


def test_xarray_is_not_asked_to_open_thousands_of_neighbours(
    sample_store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    array = array_of(sample_store, "/analysis/quality")
    array.hierarchy.children(array.hierarchy["/analysis"])
    monkeypatch.setattr(module, "MOST_BESIDE", 8)
    assert "all 9 nodes of the group" in readings(array, {}, (4, 4)).xarray.problem
    monkeypatch.setattr(module, "MOST_BESIDE", 9)
    assert readings(array, {}, (4, 4)).xarray.problem == ""


def test_cells_are_striped_where_missing_and_marked_where_they_differ() -> None:
    from io import BytesIO

    from matplotlib.image import imread

    values = np.arange(6.0).reshape(2, 3)
    missing = np.array([[True, False, False], [False, False, False]])
    marked = np.array([[False, False, False], [False, False, True]])
    image = imread(BytesIO(cells(values, missing, marked, (0, 5))), format="png")[..., :3]
    size = image.shape[0] // 2
    assert image.shape[1] == 3 * size

    def colours(row: int, column: int) -> set[tuple[float, ...]]:
        part = image[row * size : (row + 1) * size, column * size : (column + 1) * size]
        return {tuple(colour) for colour in part.reshape(-1, 3).tolist()}

    assert len(colours(0, 0)) == 2
    assert all(r == g == b for r, g, b in colours(0, 0))
    assert len(colours(0, 1)) == 1
    assert len(colours(1, 2)) == 2
    turned = imread(BytesIO(cells(values, missing, marked, (0, 5), upwards=True)), format="png")
    np.testing.assert_array_equal(turned[..., :3], image[::-1])


def test_a_scalar_of_netcdf_c_has_no_axis_to_xarray_either(tmp_path: Path) -> None:
    import netCDF4

    place = tmp_path / "n.zarr"
    with netCDF4.Dataset(f"{place.as_uri()}#mode=nczarr,file", "w") as dataset:
        dataset.createVariable("s", "i4", ())[...] = 5
    found = readings(array_of(place, "/s"), {}, (10, 10))
    assert not found.xarray.problem
    assert [one.missing.shape for one in found.all] == [()] * 4
    assert not found.differs(found.xarray).any()
    np.testing.assert_array_equal(found.xarray.values, 5)
