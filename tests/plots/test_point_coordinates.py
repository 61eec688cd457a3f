"""Auxiliary coordinates that change along an axis of a picture."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import zarr

import nz_explorer as nz
from nz_explorer.model import open_store
from nz_explorer.plots import make
from nz_explorer.values.coordinates.label_lookup import index_of_text
from nz_explorer.values.reading.chunk_cache import ChunkCache
from nz_explorer.widget.picture_messages import picture


@pytest.fixture
def ocean(tmp_path):
    """An ocean model: 3 times, 4 depths, 5 × 6 points on curvilinear coordinates."""
    # Zarr v3 has no texts of one length.
    group = zarr.open_group(tmp_path / "ocean.zarr", mode="w", zarr_format=2)
    dims = ("time", "depth", "y", "x")
    field = group.create_array("t", data=np.ones((3, 4, 5, 6)), chunks=(1, 1, 5, 6))
    field.attrs["_ARRAY_DIMENSIONS"] = list(dims)
    field.attrs["coordinates"] = "nav_lat nav_lon valid site time height gone"
    rows, columns = np.meshgrid(np.arange(5), np.arange(6), indexing="ij")
    lat = (40.25 + rows + columns / 10).astype("f4")
    lat[2, 1] = 9.96921e36
    for name, values, over, attributes in [
        ("depth", np.array([0.0, 10, 20, 50]), ("depth",), {"positive": "down", "units": "m"}),
        ("nav_lat", lat, ("y", "x"), {"units": "degrees_north"}),
        ("nav_lon", (columns - 30.0) / 3, ("y", "x"), {"units": "degrees_east"}),
        (
            "valid",
            np.arange(12).reshape(3, 4),
            ("time", "depth"),
            {"units": "days since 2001-01-01"},
        ),
        ("site", np.array(["a", "b", "c", "d", "e", "f"]), ("x",), {}),
        ("time", np.arange(3), ("time",), {"units": "days since 2001-01-01"}),
        ("height", np.array(2.0), (), {"units": "m"}),
    ]:
        array = group.create_array(name, data=values)
        array.attrs.update({**attributes, "_ARRAY_DIMENSIONS": list(over)})
    return open_store(tmp_path / "ocean.zarr")


def shown(found):
    """By name whether it changes down and across, and its texts or numbers."""
    return {
        one.label: (one.down, one.across, list(one.texts) or one.values)
        for one in found.point_coordinates()
    }


def test_a_section_knows_where_its_points_lie(ocean):
    found = shown(make(ocean, "/t", {"time": 1, "y": 2}, x="x", y="depth"))
    assert found.keys() == {"nav_lat", "nav_lon", "valid", "site"}
    down, across, values = found["nav_lat"]
    assert (down, across) == (False, True)
    assert values.dtype == np.float32
    # netCDF's fill value of what was never written is no latitude
    expected = np.array([42.25, np.nan, 42.45, 42.55, 42.65, 42.75], "f4")
    np.testing.assert_array_equal(values, expected)
    np.testing.assert_allclose(found["nav_lon"][2], (np.arange(6) - 30) / 3)
    dates = ["2001-01-05", "2001-01-06", "2001-01-07", "2001-01-08"]
    assert found["valid"] == (True, False, dates)
    assert found["site"] == (False, True, ["a", "b", "c", "d", "e", "f"])


def test_of_a_map_on_its_coordinates_these_are_sent_once(ocean):
    message, buffers = picture(make(ocean, "/t"))
    named = {one.label: one for one in message.point_coordinates}
    assert list(named) == ["nav_lat", "nav_lon", "site"]
    assert named["nav_lat"].buffer == message.curvilinear.y_buffer
    assert named["nav_lat"].units == "°N"
    assert named["site"].buffer is None
    lat = np.frombuffer(buffers[named["nav_lat"].buffer], named["nav_lat"].type)
    assert lat.size == 30


def test_a_time_that_changes_along_both_axes(ocean):
    cache = ChunkCache()
    for _ in range(2):  # also from the cache
        found = shown(make(ocean, "/t", x="depth", y="time", cache=cache))
        down, across, texts = found["valid"]
        assert (down, across) == (True, True)
        assert texts[:5] == ["2001-01-01", "2001-01-02", "2001-01-03", "2001-01-04", "2001-01-05"]
    turned = shown(make(ocean, "/t", x="time", y="depth"))["valid"]
    assert turned[2][:4] == ["2001-01-01", "2001-01-05", "2001-01-09", "2001-01-02"]


def test_a_profile_has_them_down_its_side(ocean):
    look = make(ocean, "/t", {"time": 1}, kind="line", x="depth")
    assert look.upright
    assert not look.point_coordinates()[-1].down
    message, _ = picture(look)
    (valid,) = message.point_coordinates
    assert (valid.down, valid.across) == (True, False)
    assert valid.texts == ["2001-01-05", "2001-01-06", "2001-01-07", "2001-01-08"]


def test_a_reduced_dimension_lies_at_no_place(ocean):
    found = make(ocean, "/t", {"y": 2}, x="x", y="depth", reduce={"time": "mean"})
    assert shown(found).keys() == {"nav_lat", "nav_lon", "site"}


def test_of_a_part(ocean):
    found = make(ocean, "/t", {"y": 0}, x="x", y="depth", window={"x": [2, 6]})
    np.testing.assert_allclose(shown(found)["nav_lat"][2], 40.25 + np.arange(2, 6) / 10, rtol=1e-6)


def test_a_line_that_is_thinned(tmp_path):
    group = zarr.open_group(tmp_path / "s.zarr", mode="w")
    for name, attributes in (
        ("t", {"coordinates": "lat lon"}),
        ("lat", {"units": "degrees_north"}),
        ("lon", {"units": "degrees_east"}),
    ):
        group.create_array(
            name, data=np.arange(5000.0) / 100, dimension_names=("obs",)
        ).attrs.update(attributes)
    found = make(open_store(tmp_path / "s.zarr"), "/t", width=100, kind="line")
    assert found.x.size < 5000
    indices = found.x.start + found.x.step * np.arange(found.x.size)
    np.testing.assert_array_equal(shown(found)["lat"][2], indices / 100)


def test_they_are_not_waited_for_while_a_picture_is_being_read(ocean, monkeypatch):
    from nz_explorer.values.reading import chunks

    monkeypatch.setattr(chunks, "PARTIAL_SECONDS", 0)
    pool = ThreadPoolExecutor(1, initializer=chunks._reads)
    monkeypatch.setattr(chunks, "_local_pool", lambda: pool)
    monkeypatch.setattr(chunks, "_MOST_TOGETHER", 1)
    unfinished = []
    finished = make(ocean, "/t", {"y": 2}, x="x", y="depth", partial=unfinished.append)
    pool.shutdown()
    assert unfinished
    assert not any(picture(look, finished=False)[0].point_coordinates for look in unfinished)
    assert picture(finished)[0].point_coordinates


def test_what_would_be_a_dimension_coordinate_were_it_in_order_tells_where_points_lie(tmp_path):
    group = zarr.open_group(tmp_path / "s.zarr", mode="w", zarr_format=3)
    for name, values, units in [
        ("time", [0, 2, 2, 3], "days since 2001-01-01"),
        ("level", [1000, 850, 850], "hPa"),
        ("lon", [0, 90, 90, 30, 20], "degrees_east"),
        ("lat", [10, 20], "degrees_north"),
    ]:
        made = group.create_array(name, data=np.array(values), dimension_names=(name,))
        made.attrs["units"] = units
    group.create_array(
        "v", data=np.ones((4, 3, 2, 5)), dimension_names=("time", "level", "lat", "lon")
    )
    found = make(open_store(tmp_path / "s.zarr"), "/v", {"time": 2, "level": 1})
    assert [slider.label for slider in found.sliders] == ["2 (2001-01-03)", "1"]
    assert found.aside == ("level 850 hPa",)
    assert found.x is not None
    assert found.x.kind == "index"
    places = shown(found)
    assert places.keys() == {"lon"}
    assert places["lon"][:2] == (False, True)
    assert places["lon"][2].tolist() == [0, 90, 90, 30, 20]


def test_a_date_among_times_that_are_in_no_order_is_the_first_of_them(tmp_path):
    group = zarr.open_group(tmp_path / "s.zarr", mode="w", zarr_format=3)
    made = group.create_array("time", data=np.array([0, 2, 2, 1]), dimension_names=("time",))
    made.attrs["units"] = "days since 2001-01-01"
    group.create_array("v", data=np.ones((4, 3, 5)), dimension_names=("time", "y", "x"))
    ex = nz.explore(tmp_path / "s.zarr", path="/v")
    assert ex.sel(time="2001-01-03").index["time"] == 1
    assert ex.sel(time="2 January 2001").index["time"] == 3
    array = ex.node
    assert index_of_text(array, 0, "2001-01-03") == 1
    assert index_of_text(array, 0, "2") == 2
    with pytest.raises(ValueError, match="is not its coordinate: value"):
        ex.sel(time="2001-01-04")
