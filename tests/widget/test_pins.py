"""Pinned points and their series: over the protocol, and the same in Python."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import traitlets
import xarray as xr
import zarr

import nz_explorer as nz
from nz_explorer.widget.explorer import Explorer
from tests.widget.conftest import Browse

PINS = [{"lat": 2, "lon": 3}, {"lat": 0, "lon": 0}]


@pytest.fixture
def packed(tmp_path: Path) -> Path:
    """A packed field over time, latitude and longitude, in chunks of two times, one value of them missing."""
    group = zarr.open_group(tmp_path / "store.zarr", mode="w")
    values = np.arange(5 * 3 * 4, dtype="i2").reshape(5, 3, 4)
    values[3, 2, 3] = -1
    field = group.create_array(
        "t", data=values, chunks=(2, 2, 2), dimension_names=("time", "lat", "lon")
    )
    field.attrs.update({"_FillValue": -1, "scale_factor": 0.1, "add_offset": 5.0, "units": "K"})
    for name, numbers, units in [
        ("time", np.arange(5), "days since 2001-07-01"),
        ("lat", np.array([60.0, 50, 40]), "degrees_north"),
        ("lon", np.arange(4.0) * 10, "degrees_east"),
    ]:
        one = group.create_array(name, data=numbers, dimension_names=(name,))
        one.attrs["units"] = units
    group.create_array("text", shape=(2,), dtype="string", dimension_names=("n",))
    return tmp_path / "store.zarr"


@pytest.fixture
def ex(packed: Path) -> Iterator[Explorer]:
    explorer = nz.explore(packed, path="/t")
    yield explorer
    explorer.close()


def test_a_point_that_a_thinned_picture_leaves_out_is_asked_for_alone(
    browse: Browse, packed: Path
) -> None:
    browser = browse(packed)
    limits = browser.ask("picture", path="/t")["ranges"]["held"]
    found = browser.ask(
        "picture", path="/t", kind="map", width=1, height=1, index={"time": 4},
        window={"lat": [1, 2], "lon": [2, 3]},
    )  # fmt: skip
    assert (found["x"]["start"], found["x"]["size"]) == (2, 1)
    assert (found["y"]["start"], found["y"]["size"]) == (1, 1)
    values = np.frombuffer(browser.buffers[found["values_buffer"]], "f4")
    assert values.tolist() == [54]  # decoded in the browser
    coordinates = browser.buffers[found["x"]["coordinates_buffer"]]
    assert np.frombuffer(coordinates, "f8").tolist() == [20]
    assert browser.ask("picture", path="/t", index={"time": 4})["ranges"]["held"] == limits


def test_a_line_for_each_pin_decoded_and_masked(browse: Browse, packed: Path) -> None:
    browser = browse(packed)
    found = browser.ask("series", path="/t", dimension="time", pins=PINS)
    assert found["x"]["labels"] == [f"2001-07-0{day}" for day in range(1, 6)]
    assert [line["label"] for line in found["lines"]] == ["lat 40, lon 30", "lat 60, lon 0"]
    assert {line["units"] for line in found["lines"]} == {"K"}
    first, second = (
        np.frombuffer(browser.buffers[line["values_buffer"]], "f8") for line in found["lines"]
    )
    np.testing.assert_allclose(second, 5 + 0.1 * np.arange(0, 60, 12))
    states = np.frombuffer(browser.buffers[found["lines"][0]["states_buffer"]], "u1")
    assert states.tolist() == [0, 0, 0, 1, 0]
    np.testing.assert_allclose(first[[0, 4]], 5 + 0.1 * np.array([11, 59]))


def test_dimensions_that_a_pin_does_not_name_stay_at_the_index(
    browse: Browse, packed: Path
) -> None:
    browser = browse(packed)
    found = browser.ask("series", path="/t", dimension="lat", pins=[{"lon": 1}], index={"time": 2})
    assert [line["label"] for line in found["lines"]] == ["lon 10"]
    values = np.frombuffer(browser.buffers[found["lines"][0]["values_buffer"]], "f8")
    np.testing.assert_allclose(values, 5 + 0.1 * np.array([25, 29, 33]))


def test_that_a_point_has_no_value_at_all_is_said(browse: Browse, packed: Path) -> None:
    zarr.open_array(packed / "t")[:, 1, 2] = -1
    land = {"lat": 1, "lon": 2}
    browser = browse(packed)
    found = browser.ask("series", path="/t", dimension="time", pins=[land])
    assert found["message"] == "no value along time: all are missing at this point"
    assert not browser.ask("series", path="/t", dimension="time", pins=[land, PINS[0]])["message"]


def test_what_has_no_series_is_said(browse: Browse, packed: Path) -> None:
    browser = browse(packed)
    error = browser.refused("series", path="/t", dimension="depth", pins=PINS)
    assert error["message"] == "/t has no dimension 'depth'; it has time, lat, lon"
    found = browser.ask("series", path="/text", dimension="n", pins=[{}])
    assert found["lines"] == []
    assert found["message"] == "/text holds no numbers"
    found = browser.ask("series", path="/t", dimension="time", pins=[{"y": 1, "x": 2}])
    assert found["lines"] == []
    assert found["message"] == "points are pinned along y, x, which /t does not have"
    mixed = [{"y": 1, "x": 2}, PINS[0], {"z": 3}, PINS[1]]
    found = browser.ask("series", path="/t", dimension="time", pins=mixed)
    assert [(one["nth"], one["label"]) for one in found["lines"]] == [
        (1, "lat 40, lon 30"),
        (3, "lat 60, lon 0"),
    ]
    assert found["message"] == "pins 1, 3 are along y, x, z, which /t does not have"
    found = browser.ask("series", path="/t", dimension="time", pins=mixed[:2])
    assert found["message"] == "pin 1 is along y, x, which /t does not have"
    assert len(browser.ask("series", path="/lat", dimension="lat", pins=[{"y": 1}])["lines"]) == 1
    many = browser.ask("series", path="/t", dimension="time", pins=PINS * 20)
    assert len(many["lines"]) == 24
    assert many["message"] == "the first 24 pins of 40 are drawn"


def test_series_in_python_are_those_of_xarray(ex: Explorer, packed: Path) -> None:
    ex.pins = PINS
    found = ex.series("time")
    points = {name: xr.DataArray([pin[name] for pin in PINS], dims="pin") for name in PINS[0]}
    with xr.open_zarr(packed, consolidated=False) as dataset:
        # xarray takes _FillValue of Zarr v3 in base64 only
        wanted = dataset["t"].isel(points).transpose("pin", "time").load()
    stored = np.isnan(found.values)
    assert stored.sum() == 1
    np.testing.assert_allclose(found.values[~stored], wanted.values[~stored])
    assert found.dims == ("pin", "time")
    assert found["lat"].values.tolist() == [40, 60]
    np.testing.assert_array_equal(found["time"].values, wanted["time"].values)
    assert found.attrs["units"] == "K"
    with pytest.raises(KeyError, match="has no dimension 'depth'"):
        ex.series("depth")


def test_series_follow_what_is_reduced_and_say_where_they_are(tmp_path: Path) -> None:
    group = zarr.open_group(tmp_path / "s.zarr", mode="w")
    values = np.arange(2 * 3 * 4 * 4, dtype="i2").reshape(2, 3, 4, 4)
    data = group.create_array("t", data=values, dimension_names=("number", "time", "j", "i"))
    data.attrs.update({"units": "K", "scale_factor": 0.5, "coordinates": "lat"})
    group.create_array("number", data=np.array([7, 9]), dimension_names=("number",))
    group.create_array("lat", data=values[0, 0] / 10, dimension_names=("j", "i"))
    ex = nz.explore(tmp_path / "s.zarr", path="/t")
    ex.pins, ex.index = [{"j": 1, "i": 2}, {"j": 3, "i": 0}], {"number": 1}
    at = np.array([1, 3]), np.array([2, 0])
    found = ex.series("time")
    np.testing.assert_allclose(found.values, values[1, :, *at] / 2)
    assert {name: one.values.tolist() for name, one in found.coords.items()} == {
        "j": [1, 3],
        "i": [2, 0],
        "number": 9,
        "lat": [0.6, 1.2],
    }
    ex.view = {"reduce": {"number": "mean"}}
    found = ex.series("time")
    np.testing.assert_allclose(found.values, values.mean(axis=0)[:, *at].T / 2)
    assert found.attrs == {"units": "K", "cell_methods": "number: mean"}
    ex.view = {"reduce": {"number": "mean", "j": "max"}}  # a pin has its own place along j
    np.testing.assert_array_equal(ex.series("time"), found)
    ex.view = {"cf": False}
    assert ex.series("time").attrs == {}
    ex.pins = []
    with pytest.raises(ValueError, match="no point is pinned"):
        ex.series("time")
    ex.close()


def test_the_series_of_a_difference_are_differences(tmp_path: Path) -> None:
    group = zarr.open_group(tmp_path / "s.zarr", mode="w")
    values = np.arange(2 * 5 * 3, dtype="f4").reshape(2, 5, 3)
    for name, stored in (("new", values**2), ("old", values)):
        array = group.create_array(name, data=stored, dimension_names=("level", "time", "i"))
        array.attrs.update({"units": "K", "long_name": name, "standard_name": "air_temperature"})
    ex = nz.explore(tmp_path / "s.zarr", path="/new")
    ex.pins, ex.index = [{"i": 2}], {"level": 1}
    ex.view = {"kind": "line", "x": "i", "against": {"path": "/old"}}
    found = ex.series("time")
    np.testing.assert_allclose(found.values[0], (values**2 - values)[1, :, 2])
    assert found.attrs == {"units": "K", "long_name": "new minus old"}
    ex.view = {"kind": "line", "x": "i", "against": {"level": 0}}
    found = ex.series("time")
    np.testing.assert_allclose(found.values[0], (values[1] ** 2 - values[0] ** 2)[:, 2])
    ex.view = {"kind": "line", "x": "i", "against": {"level": 0, "show": "b"}}
    np.testing.assert_allclose(ex.series("time").values[0], values[0, :, 2] ** 2)
    ex.view = {"kind": "line", "x": "i", "against": {"level": 0, "show": "a"}}
    np.testing.assert_allclose(ex.series("time").values[0], values[1, :, 2] ** 2)
    ex.view = {"kind": "line", "x": "i", "against": {"time": 0}}
    with pytest.warns(UserWarning, match="of A: B stands at one place along time"):
        found = ex.series("time")
    np.testing.assert_allclose(found.values[0], values[1, :, 2] ** 2)
    assert found.attrs["standard_name"] == "air_temperature"
    ex.close()


def test_series_are_written_as_a_table_and_as_netcdf(
    ex: Explorer, browse: Browse, packed: Path, tmp_path: Path
) -> None:
    ex.pins = PINS
    lines = ex.export(tmp_path / "s.csv", series="time").read_text("utf-8").splitlines()
    assert lines[:3] == [
        'time,"lat 40, lon 30","lat 60, lon 0"',
        ",K,K",
        "2001-07-01,6.1,5.0",
    ]
    assert lines[5].startswith("2001-07-04,,")  # missing
    with xr.open_dataset(ex.export(tmp_path / "s.nc", series="time")) as dataset:
        xr.testing.assert_allclose(dataset["t"], ex.series("time"))
        assert dataset["lon"].values.tolist() == [30, 0]
    with pytest.raises(ValueError, match="use csv, nc"):
        ex.export(tmp_path / "s.png", series="time")
    browser = browse(packed)
    asked = {"path": "/t", "dimension": "time", "pins": PINS, "format": "csv"}
    found = browser.ask("series_file", **asked)
    assert found["name"] == "t_along_time.csv"
    assert browser.buffers[found["file_buffer"]].decode().splitlines() == lines
    error = browser.refused("series_file", **{**asked, "pins": []})
    assert error["message"] == "no point is pinned"


def test_pins_are_points(ex: Explorer) -> None:
    assert ex.pins == []
    ex.pins = [{"lat": np.int64(1)}]
    assert ex.pins == [{"lat": 1}]
    for nonsense in ([{"lat": 1.5}], [{"lat": True}], ["lat"]):
        with pytest.raises(traitlets.TraitError):
            ex.pins = nonsense
    assert ex.pins == [{"lat": 1}]


def test_series_are_of_what_the_picture_is_of(browse: Browse, packed: Path) -> None:
    field = zarr.open_group(packed)["t"]
    field.attrs.update({"valid_max": 40})
    group = zarr.open_group(packed)
    group.create_array("c", data=np.array([3 + 4j, 1j]), dimension_names=("n",))
    browser = browse(packed)

    def line(path: str, along: str, pin: dict[str, int], **view: object) -> tuple[object, ...]:
        found = browser.ask("series", path=path, dimension=along, pins=[pin], view=view)
        (one,) = found["lines"]
        values = np.frombuffer(browser.buffers[one["values_buffer"]], "f8")
        states = np.frombuffer(browser.buffers[one["states_buffer"]], "u1")
        return values.round(6).tolist(), states.tolist(), one["units"]

    meant = [6.1, 7.3, 8.5, 4.9, 10.9]
    assert line("/t", "time", PINS[0]) == (meant, [0, 0, 0, 1, 9], "K")
    assert line("/t", "time", PINS[0], mask="raw") == (meant, [0] * 5, "K")
    assert line("/t", "time", PINS[0], mask="storage") == (meant, [0, 0, 0, 0, 9], "K")
    stored = [11, 23, 35, -1, 59]
    assert line("/t", "time", PINS[0], decoded=False) == (stored, [0, 0, 0, 1, 0], None)
    assert line("/c", "n", {})[0] == [5, 1]
    assert line("/c", "n", {}, part="imaginary")[0] == [4, 1]
    assert line("/c", "n", {}, part="real")[0] == [3, 0]
