"""Pictures, lines, scans and files over the protocol, and the same in Python."""

from __future__ import annotations

import io
import math
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import zarr

import nz_explorer as nz
from nz_explorer.values.reading import chunks
from nz_explorer.widget.background import prefetch
from nz_explorer.widget.explorer import Explorer
from tests.widget.conftest import Browse, Browser


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A field over time, latitude and longitude, packed; and what goes with it."""
    group = zarr.open_group(tmp_path / "store.zarr", mode="w")
    values = np.arange(4 * 30 * 40, dtype="i2").reshape(4, 30, 40)
    values[:, 0, 0] = -1
    field = group.create_array(
        "t", data=values, chunks=(1, 10, 10), dimension_names=("time", "lat", "lon")
    )
    field.attrs.update(
        {"_FillValue": -1, "scale_factor": 0.1, "add_offset": 5.0, "units": "K", "valid_max": 4000}
    )
    for name, numbers, units in [
        ("time", [0, 1, 2, 3], "days since 2001-07-01"),
        ("lat", np.linspace(80, -65, 30), "degrees_north"),
        ("lon", np.arange(40.0), "degrees_east"),
    ]:
        one = group.create_array(name, data=np.array(numbers), dimension_names=(name,))
        one.attrs["units"] = units
    for name in ("a", "b"):
        group.create_array(name, data=np.arange(4.0) * len(name), dimension_names=("time",))
    group.create_array("z", data=np.array([1 + 1j, 2j]), dimension_names=("n",))
    return tmp_path / "store.zarr"


@pytest.fixture
def browser(folder: Path) -> Iterator[Browser]:
    opened = Browser(folder)
    yield opened
    opened.session.close()


@pytest.fixture
def ex(folder: Path) -> Iterator[Explorer]:
    opened = nz.explore(folder, path="/t")
    yield opened
    opened.close()


def test_a_picture_says_all_that_belongs_to_it(browser: Browser) -> None:
    found = browser.ask("picture", path="/t", window={"lat": [10, 20]})
    assert found["name"] == "t"
    assert found["kinds"][:5] == ["map", "line", "lines", "histogram", "table"]
    assert (found["y"]["start"], found["y"]["size"], found["y"]["chunk"]) == (10, 10, 10)
    assert found["packing"] == {
        "scale": 0.1,
        "offset": 5.0,
        "units": "K",
        "text": "stored × 0.1 + 5",
    }
    assert (found["valid_low"], found["valid_high"]) == (None, 4000)
    found = browser.ask("picture", path="/t", kind="histogram")
    counts = np.frombuffer(browser.buffers[found["histogram"]["counts_buffer"]])
    edges = np.frombuffer(browser.buffers[found["histogram"]["edges_buffer"]])
    assert counts.sum() == 30 * 40 - 1
    assert len(edges) == len(counts) + 1
    assert browser.ask("picture", path="/z", part="phase")["part"] == "phase"
    assert browser.refused("picture", path="/z", part="x")["code"] == "bad_request"


def test_units_of_axes_are_written_as_those_of_values(browse: Browse, tmp_path: Path) -> None:
    """Also at the sliders and on two-dimensional coordinates: as the figure has them."""
    group = zarr.create_group(tmp_path / "u.zarr")
    for name, units in (("temp", "degree_C"), ("speed", "m s-1"), ("lat", "degrees_north")):
        group.create_array(name, data=np.arange(2.0), dimension_names=[name]).attrs["units"] = units
    data = np.arange(8.0).reshape(2, 2, 2)
    group.create_array("a", data=data, dimension_names=["temp", "speed", "lat"])
    browser = browse(tmp_path / "u.zarr")
    found = browser.ask("picture", path="/a", index={"temp": 1})
    assert (found["y"]["units"], found["x"]["units"]) == ("°N", "m s⁻¹")
    assert [slider["label"] for slider in found["sliders"]] == ["1 °C"]


def test_pictures_come_in_parts(browser: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chunks, "PARTIAL_SECONDS", 0)
    monkeypatch.setattr(chunks, "_MOST_TOGETHER", 1)
    browser.ask("picture", path="/t")
    assert browser.partials
    for message, buffers in browser.partials:
        assert message["id"] == browser.number
        states = np.frombuffer(buffers[message["result"]["states_buffer"]], "u1")
        assert (states == 8).any()


def test_a_newer_picture_stops_the_older_at_once(
    browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = chunks.read_together
    begun, end = threading.Event(), threading.Event()

    def slow(*arguments: object) -> object:
        begun.set()
        end.wait(60)
        return real(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(chunks, "read_together", slow)
    monkeypatch.setattr(chunks, "_MOST_TOGETHER", 1)
    first = browser.send("picture", path="/t")
    assert begun.wait(60)
    browser.session.receive({"kind": "cancel", "id": first})
    try:
        message, _ = browser.answer()  # while what was begun still reads
    finally:
        end.set()
    assert message["error"]["code"] == "cancelled"


def test_the_value_at_a_pin_leaves_the_picture_alone(
    browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = chunks.read_together
    begun, end = threading.Event(), threading.Event()

    def slow(*arguments: object) -> object:
        begun.set()
        end.wait(60)
        return real(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(chunks, "read_together", slow)
    monkeypatch.setattr(chunks, "_MOST_TOGETHER", 1)
    browser.send("picture", path="/t")
    assert begun.wait(60)
    cell = {"lat": [3, 4], "lon": [5, 6]}
    browser.send("picture", path="/t", index={"lat": 3, "lon": 5}, window=cell, width=1, height=1)
    end.set()
    answers = [browser.answer()[0] for _ in range(2)]
    assert [one["ok"] for one in answers] == [True, True], answers


def test_the_next_slice_is_read_ahead(browser: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prefetch, "IDLE_SECONDS", 0)
    browser.ask("picture", path="/t", index={"time": 0})
    browser.ask("picture", path="/t", index={"time": 1})
    browser.session.prefetch._pool.submit(int).result(60)  # its turn comes after the reading
    found = browser.ask("picture", path="/t", index={"time": 2})
    assert found["read"]["decoded_bytes"] == 0


def test_what_is_played_is_read_in_front_of_the_slider(browser: Browser) -> None:
    def step_to(lat: int) -> int:
        found = browser.ask("picture", path="/t", x="lon", y="time", index={"lat": lat})
        return int(found["read"]["decoded_bytes"])

    assert [step_to(lat) > 0 for lat in (0, 5, 10)] == [True, False, True]
    browser.session.prefetch._together.shutdown(wait=True)
    assert step_to(20) == 0


ENDS_WHILE_READING_AHEAD = """
import sys, threading
from nz_explorer.model import open_store
from nz_explorer.conventions import evaluate
from nz_explorer.engine.evaluation import Evaluation
from nz_explorer.values.reading import chunks
from nz_explorer.widget.session import Session

chunks._MOST_TOGETHER = 1
seen = [threading.Event() for _ in range(2)]
session = Session(
    evaluate(open_store(sys.argv[1])), lambda message, _: seen[message["id"]].set(), budget=2**26
)
for number, event in enumerate(seen):
    params = {"path": "/t", "index": {"time": number}}
    session.receive({"kind": "request", "id": number, "method": "picture", "params": params})
    assert event.wait(60)
"""


def test_what_is_read_ahead_when_python_ends_is_given_up_quietly(folder: Path) -> None:
    command = [sys.executable, "-c", ENDS_WHILE_READING_AHEAD, str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")


def test_lines_of_a_group(browser: Browser) -> None:
    found = browser.ask("lines", path="/")
    assert (found["dimension"], found["dimensions"]) == ("time", ["time", "n"])
    assert [line["path"] for line in found["lines"]] == ["/a", "/b"]
    assert found["x"]["labels"][0] == "2001-07-01"
    values = np.frombuffer(browser.buffers[found["lines"][1]["values_buffer"]])
    assert values.tolist() == [0, 1, 2, 3]
    assert [x["path"] for x in browser.ask("lines", path="/", dimension="n")["lines"]] == ["/z"]
    assert browser.refused("lines", path="/t")["code"] == "bad_request"


def test_the_extremes_of_times_are_dates(browse: Browse, tmp_path: Path) -> None:
    root = zarr.open_group(tmp_path / "store.zarr", mode="w")
    made = root.create_array("t", data=np.array([0, 31, 62], "i4"), dimension_names=["x"])
    made.attrs["units"] = "days since 2001-01-01"
    browser = browse(tmp_path / "store.zarr")
    array = browser.session.hierarchy["/t"]
    assert browser.session.scans.finish(array, 10**6)
    found = browser.ask("scan", path="/t", action="status")
    assert found["dates"] == ["2001-01-01", "2001-03-04", "2001-02-01", "25.3114 days"]


def test_scans(browser: Browser) -> None:
    nothing = browser.ask("scan", path="/t", action="status")
    assert nothing["phase"] == "none"
    array = browser.session.hierarchy["/t"]
    chunks = [-(-n // c) for n, c in zip(array.shape, array.chunk_shape, strict=True)]
    assert nothing["chunks_total"] == math.prod(chunks)
    size = math.prod(array.chunk_shape) * array.data_type.numpy.itemsize
    assert nothing["whole_bytes"] == math.prod(chunks) * size
    browser.ask("scan", path="/t", action="start")
    deadline = time.monotonic() + 20
    while (found := browser.ask("scan", path="/t", action="status"))["phase"] == "running":
        assert time.monotonic() < deadline
        time.sleep(0.02)
    # as far as the valid range goes
    assert (found["phase"], found["count"], found["maximum"]) == (
        "done",
        3997,
        4000,
    )
    counts = np.frombuffer(browser.buffers[found["histogram"]["counts_buffer"]])
    assert counts.sum() == 3997
    assert [event["scan"]["phase"] for event in browser.events if event["event"] == "scan"][
        -1
    ] == "done"
    assert browser.ask("scan", path="/t", action="cancel")["phase"] == "done"
    assert browser.refused("scan", path="/", action="start")["code"] == "bad_request"


@pytest.mark.parametrize("form", ["png", "svg", "npy", "csv", "nc"])
def test_exports(browser: Browser, form: str, tmp_path: Path) -> None:
    found = browser.ask("export", path="/t", format=form, index={"time": 2}, view={"cf": False})
    assert found["name"] == f"t_time-2001-07-03.{form}"
    data = bytes(browser.buffers[found["file_buffer"]])
    expected = zarr.open_group(browser.session.hierarchy.source, mode="r")["t"][2].astype(float)
    expected[0, 0] = np.nan
    if form == "png":
        assert data.startswith(b"\x89PNG")
    elif form == "svg":
        assert b"<svg" in data
    elif form == "npy":
        np.testing.assert_array_equal(np.load(io.BytesIO(data)), expected)
    elif form == "csv":
        rows = data.decode().splitlines()
        assert rows[0].startswith("lat \\ lon,0,1,2")
        assert rows[1].startswith("80,,2401,")
        assert len(rows) == 31
    else:
        import xarray

        file = tmp_path / "slice.nc"
        file.write_bytes(data)
        with xarray.open_dataset(file) as opened:
            np.testing.assert_allclose(opened["t"].values, expected * 0.1 + 5, rtol=1e-6)
            assert str(opened["time"].values)[:10] == "2001-07-03"


def test_what_cannot_be_exported_is_refused(browser: Browser) -> None:
    assert browser.refused("export", path="/", format="png")["code"] == "bad_request"
    bad = {"colormap": "no such"}
    assert browser.refused("export", path="/t", format="png", view=bad)["code"] == "bad_request"


# --- in Python ------------------------------------------------------------------------------------


def test_dimensions_are_fixed_by_value(ex: Explorer) -> None:
    import datetime as dt

    import cftime

    with pytest.warns(UserWarning, match=r"lat has no 52.1: the nearest is 50 degrees_north"):
        assert ex.sel(time="2001-07-03", lat=52.1) is ex
    assert ex.index == {"time": 2, "lat": 6}
    for value in (
        dt.date(2001, 7, 4),
        np.datetime64("2001-07-04"),
        cftime.DatetimeGregorian(2001, 7, 4),
        "2001-07-03 20:00",
        3,
    ):
        assert ex.sel(time=value, exact=False).index["time"] == 3
    ex.sel({"lat": 80}, exact=True)
    assert ex.index["lat"] == 0


@pytest.mark.parametrize(
    ("choice", "error", "words"),
    [
        ({"depth": 3}, KeyError, "no dimension 'depth'; it has time, lat, lon"),
        ({"lat": 95}, KeyError, "80 degrees_north … -65 degrees_north"),
        ({"time": "2003-01-01"}, KeyError, "2001-07-01 … 2001-07-04"),
        ({"time": "yesterday"}, TypeError, "write it as"),
        ({"lat": "north"}, TypeError, "is a number"),
    ],
)
def test_values_that_are_not_there(ex: Explorer, choice: dict, error: type, words: str) -> None:
    with pytest.raises(error, match=words):
        ex.sel(choice)
    with pytest.raises(KeyError, match="the nearest is 50 degrees_north"):
        ex.sel(lat=52.1, exact=True)


def test_a_dimension_without_a_coordinate_has_no_values(ex: Explorer) -> None:
    ex.path = "/z"
    with pytest.raises(ValueError, match="there is no array n beside it"):
        ex.sel(n=3)


def test_the_values_shown_and_the_whole_slice(ex: Explorer) -> None:
    stored = ex.array[1]
    ex.index = {"time": 1}
    ex.view = {"window": {"lat": [0, 10]}}
    shown = ex.values(packed=True)
    np.testing.assert_array_equal(shown.data, stored[:10])
    assert shown.mask.sum() == 1
    assert shown.dtype == stored.dtype
    np.testing.assert_allclose(ex.values().compressed(), shown.compressed() * 0.1 + 5)
    assert ex.selection == {"time": 1, "lat": slice(0, 10, 1), "lon": slice(0, 40, 1)}
    assert ex.to_xarray().isel(ex.selection).shape == (10, 40)
    ex.view = {}
    np.testing.assert_array_equal(ex.values(whole=True, packed=True).data, stored)


def test_more_than_there_are_pixels(tmp_path: Path) -> None:
    values = np.arange(3_000_000, dtype="i4").reshape(1000, 3000)
    zarr.create_array(tmp_path / "a.zarr", data=values, chunks=(100, 500))
    ex = nz.explore(tmp_path / "a.zarr")
    try:
        assert ex.values().shape == (500, 750)
        rows, columns = ex.selection.values()
        np.testing.assert_array_equal(ex.values().data, values[rows, columns])
        np.testing.assert_array_equal(ex.values(whole=True).data, values)
    finally:
        ex.close()


def test_files_are_written_by_their_ending(ex: Explorer, tmp_path: Path) -> None:
    assert ex.export(tmp_path / "a.csv").read_text().startswith("lat \\ lon")
    with pytest.raises(ValueError, match="use png, svg, npy, csv, nc"):
        ex.export(tmp_path / "a.tiff")


def test_the_figure_follows_the_view(ex: Explorer) -> None:
    assert ex.figure().axes[1].get_ylabel() == "t (K)"
    ex.view = {"cf": False}
    assert ex.figure().axes[1].get_ylabel() == "t (as stored)"
    assert ex.figure(decoded=True).axes[1].get_ylabel() == "t (K)"
    ex.view = {"kind": "histogram"}
    assert ex.figure().axes[0].get_ylabel() == "number of points shown"


@pytest.mark.parametrize("dtype", ["<i8", ">i8", "<u8"])
def test_integers_that_floats_do_not_hold_come_as_they_are(tmp_path: Path, dtype: str) -> None:
    last = -(2**63) if dtype[1] == "i" else 2**64 - 1
    values = np.array([[2**53 + 1, 2**63 - 1], [5, last]], dtype)
    zarr.create_array(tmp_path / "a.zarr", data=values, dimension_names=("y", "x"))
    opened = Browser(tmp_path / "a.zarr")
    opened.send("picture", path="/")
    answer, buffers = opened.answer()
    found = answer["result"]
    nearest = np.frombuffer(buffers[found["values_buffer"]], "f8")
    rest = np.frombuffer(buffers[found["rest_buffer"]], "f4")
    sent = [int(one) + int(more) for one, more in zip(nearest, rest, strict=True)]
    assert sent == values.ravel().tolist()
    assert found["message"] == "integers beyond 2**53 are drawn as the nearest float64"
    table = opened.ask("picture", path="/", kind="table")
    assert table["message"] is None
    assert table["rest_buffer"] is not None
    opened.session.close()
