"""The arrays of a group that share a dimension: as a table, and two of them as a scatter."""

from __future__ import annotations

import inspect
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zarr

import nz_explorer as nz
from tests.widget.conftest import Browse

MISSING = -999.0


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A dataframe as anndata writes it, and stations with a missing value and a chunk that was never written."""
    root = zarr.open_group(tmp_path / "tables.zarr", mode="w")
    frame = root.create_group(
        "obs",
        attributes={"encoding-type": "dataframe", "_index": "name", "column-order": ["n", "kind"]},
    )
    frame.create_array("n", data=np.array([5, 7, 9], "i4"))
    name = frame.create_array("name", shape=(3,), dtype=str)
    name[:] = np.array(["a", "=b", "c"], object)
    kind = frame.create_group("kind", attributes={"encoding-type": "categorical"})
    kind.create_array("codes", data=np.array([1, -1, 0], "i1"))
    words = kind.create_array("categories", shape=(2,), dtype=str)
    words[:] = np.array(["B cell", "T cell"], object)
    # an integer with a mask, and categories as anndata wrote them before 0.8
    count = frame.create_group("count", attributes={"encoding-type": "nullable-integer"})
    count.create_array("values", data=np.array([3, 1, 4], "i8"))
    count.create_array("mask", data=np.array([False, True, False]))
    grade = frame.create_array("grade", data=np.array([1, 0, -1], "i1"))
    grade.attrs["categories"] = "__categories/grade"
    older = frame.create_array("__categories/grade", shape=(2,), dtype=str)
    older[:] = np.array(["low", "high"], object)
    stations = root.create_group("stations")

    def column(name: str, values: Any, **attributes: Any) -> zarr.Array[Any]:
        found = stations.create_array(
            name,
            shape=(20_001,),
            chunks=(5_000,),
            dtype="f8",
            fill_value=MISSING,
            dimension_names=["station"],
            attributes=attributes,
        )
        found[: len(values)] = values
        return found

    column("station", np.arange(20_001.0))
    column("when", np.linspace(0, 800, 20_001), units="days since 2001-03-04")
    column("lat", np.linspace(-90, 90, 20_001), units="degrees_north")
    temp = np.full(15_000, 4.0)
    temp[7] = MISSING
    column("temp", temp, _FillValue=MISSING, scale_factor=2.0, units="K")
    return tmp_path / "tables.zarr"


def test_a_dataframe_is_shown_as_a_table_by_default(browse: Browse, store: Path) -> None:
    """In the browser, in Python and on the saved page alike; small pictures of its columns can be chosen."""
    browser = browse(store)
    assert browser.ask("node", path="/obs")["default_kind"] == "table"
    assert browser.ask("node", path="/stations")["default_kind"] == "pictures"
    ex = nz.explore(store, path="/obs")
    assert ex.values()["kind"].tolist() == ["T cell", None, "B cell"]
    assert "T cell" in str(ex._repr_mimebundle_())
    for using in ("zarr", "nz_explorer"):
        exec(ex.code(using), names := {})
        assert names["values"]["kind"].tolist() == ["T cell", None, "B cell"]
    ex.view = {"kind": "pictures"}
    with pytest.raises(TypeError, match="no array"):
        ex.values()
    ex.close()


def test_a_dataframe_is_one_table_with_its_categories(browse: Browse, store: Path) -> None:
    browser = browse(store)
    found = browser.ask("table", path="/obs")
    assert [one["name"] for one in found["columns"]] == ["name", "n", "kind", "count", "grade"]
    assert found["dimension"] == "3 rows"
    kind = found["columns"][2]
    assert kind["cells"] == ["T cell", "missing", "B cell"]
    assert kind["states"] == "010"
    assert [one["cells"] for one in found["columns"][3:]] == [
        ["3", "missing", "4"],
        ["high", "low", "missing"],
    ]


def test_a_dynamic_table_of_nwb_is_a_table_of_its_rows(browse: Browse, tmp_path: Path) -> None:
    root = zarr.open_group(tmp_path / "units.zarr", mode="w", zarr_format=2)
    units = root.create_group(
        "units",
        attributes={"neurodata_type": "Units", "colnames": ["quality", "spike_times", "depth"]},
    )
    for name, data in {
        "depth": np.array([10.5, 12.0]),
        "id": np.array([7, 8]),
        "quality": np.array(["good", "noise"], "U5"),
        "spike_times": np.linspace(0, 1, 9),
        "spike_times_index": np.array([4, 9], "u4"),
        "waveform": np.linspace(0, 1, 9),
        "waveform_index": np.array([4, 9], "u4"),
        "waveform_index_index": np.linspace(0, 1, 9),
    }.items():
        units.create_array(name, data=data)
    browser = browse(tmp_path / "units.zarr")
    assert browser.ask("node", path="/units")["default_kind"] == "table"
    found = browser.ask("table", path="/units")
    names = ["id", "quality", "depth", "spike_times_index", "waveform_index"]
    assert [one["name"] for one in found["columns"]] == names
    assert found["columns"][1]["cells"] == ["good", "noise"]
    assert found["message"] == "any number of values for a row: spike_times"


def test_rows_are_read_by_windows_with_their_states(browse: Browse, store: Path) -> None:
    found = browse(store).ask("table", path="/stations", offset=14_998, limit=4)
    by_name = {one["name"]: one for one in found["columns"]}
    assert found["columns"][0]["name"] == "station"  # the coordinate of the dimension
    assert by_name["station"]["cells"] == ["14998.0", "14999.0", "15000.0", "15001.0"]
    assert by_name["temp"]["cells"] == ["8.0", "8.0", *["chunk not in the store"] * 2]
    assert by_name["temp"]["states"] == "0055"
    assert by_name["temp"]["label"] == "temp (K)"
    assert found["length"] == 20_001


def test_a_scatter_says_how_many_rows_it_has(browse: Browse, store: Path) -> None:
    browser = browse(store)
    found = browser.ask("scatter", path="/stations", view={"x": "lat", "y": "temp"})
    x, y = (np.frombuffer(browser.buffers[at]) for at in found["points_buffers"])
    assert (found["start"], found["step"], x.size) == (1, 3, 6_667)
    why = "1\u202f668 have no value: _FillValue, chunk not in the store"
    assert found["note"] == f"4\u202f999 of 20\u202f001 rows are drawn; 1 in 3 is read; {why}"
    assert np.isnan(x[-1])
    assert np.isnan(y[-1])
    assert y[0] == 8.0  # unpacked


@pytest.mark.parametrize(
    ("path", "view"),
    [
        ("/obs", {"kind": "table"}),
        ("/obs", {"kind": "scatter", "x": "grade", "y": "count", "color": "kind"}),
        ("/stations", {"kind": "scatter", "x": "when", "y": "temp", "scale": "log", "low": 5}),
        ("/stations", {"kind": "scatter", "x": "lat", "y": "when", "window": {"lat": [-10, 20]}}),
        ("/stations", {"kind": "scatter", "x": "lat", "y": "temp"}),
        ("/stations", {"kind": "scatter", "x": "lat", "y": "station", "color": "temp"}),
        (
            "/stations",
            {"kind": "scatter", "x": "when", "y": "temp", "color": "lat", "scale": "log"},
        ),
    ],
)
def test_values_files_and_code_say_the_same(
    store: Path, tmp_path: Path, path: str, view: dict[str, str]
) -> None:
    ex = nz.explore(store, path=path)
    ex.view = view
    values = ex.values()
    rows = ex.export(tmp_path / "rows.csv").read_text().splitlines()
    assert rows[0].split(",") == list(values.dtype.names or ())
    assert len(rows) == 1 + values.size
    dumped, drawn = tmp_path / "v", tmp_path / "axes.json"
    axes = ex.figure().axes[0]
    program = ex.code().replace("plt.show()", "") + f"\nvalues.dump({str(dumped)!r})"
    if view["kind"] == "scatter":
        program += f"\nimport json\nfrom typing import Any\n{inspect.getsource(_seen)}\n"
        program += f"json.dump(_seen(plt.gca()), open({str(drawn)!r}, 'w'))"
    subprocess.run(
        [sys.executable, "-c", "import matplotlib; matplotlib.use('agg')\n" + program], check=True
    )
    found = np.load(dumped, allow_pickle=True)
    for name in values.dtype.names or ():
        np.testing.assert_array_equal(
            np.ma.getmaskarray(found[name]), np.ma.getmaskarray(values[name])
        )
        assert found[name].compressed().tolist() == values[name].compressed().tolist()
    if view["kind"] == "scatter":
        points = np.isfinite(np.asarray(axes.collections[0].get_offsets(), float)).all(1).sum()
        assert f"{points:,} of " in axes.get_title(loc="left")
        assert json.loads(drawn.read_text()) == _seen(axes)
    ex.close()


def _seen(axes: Any) -> Any:
    points = axes.collections[0]
    coloured = points.get_array()  # numbers; not of points without a place
    return [
        None if coloured is None else int(np.ma.masked_invalid(coloured).count()),
        [*axes.get_xlim(), *axes.get_ylim()],
        [axes.get_xlabel(), axes.get_ylabel(), axes.get_xscale(), axes.get_yscale()],
        [label.get_text() for label in [*axes.get_xticklabels(), *axes.get_yticklabels()]],
    ]


def test_dates_and_words_along_the_axes_of_a_scatter(browse: Browse, store: Path) -> None:
    browser = browse(store)
    found = browser.ask("scatter", path="/stations", view={"x": "when", "y": "lat"})
    when = found["axes"][0]
    labels = [one["label"] for one in when["ticks"]]
    assert labels == ["2001-07", "2002-01", "2002-07", "2003-01"]
    january = when["ticks"][1]["value"]
    assert january == pytest.approx(303, abs=2)  # days from the 4th of March to the 1st of January
    assert when["texts"][0].startswith("2001-03-04")
    found = browser.ask("scatter", path="/obs", view={"x": "grade", "y": "name"})
    grade, name = found["axes"]
    assert grade["words"] == ["low", "high"]  # in the order of the categories
    assert [(one["value"], one["label"]) for one in name["ticks"]] == [(0, "'=b"[1:]), (1, "a")]
    assert (grade["low"], grade["high"]) == (-0.5, 1.5)


def test_the_limits_and_the_scale_of_a_scatter(browse: Browse, store: Path) -> None:
    browser = browse(store)
    view = {"x": "lat", "y": "temp", "low": 9, "window": {"lat": [0, 90]}}
    found = browser.ask("scatter", path="/stations", view=view)
    assert found["axes"][0]["low"] == 0
    assert found["axes"][1]["low"] == 9
    assert "are beyond the limits" in found["note"]
    # of colours where there are some that are numbers
    view = {"x": "lat", "y": "station", "color": "temp", "low": 2, "high": 20, "scale": "log"}
    found = browser.ask("scatter", path="/stations", view=view)
    assert [one["scale"] for one in found["axes"]] == ["linear", "linear", "log"]
    assert (found["axes"][2]["low"], found["axes"][2]["high"]) == (2, 20)


def test_a_category_that_is_missing_is_masked(store: Path, tmp_path: Path) -> None:
    ex = nz.explore(store, path="/obs/kind/codes")
    assert ex.values().tolist() == [1, None, 0]
    ex.path = "/obs"
    ex.view = {"kind": "table"}
    assert ex.values()["kind"].tolist() == ["T cell", None, "B cell"]
    assert "'=b" in ex.export(tmp_path / "t.csv").read_text()  # no formula for a spreadsheet
    ex.close()


def test_a_group_that_is_no_table_has_the_code_of_a_group(store: Path) -> None:
    ex = nz.explore(store, path="/obs/kind")
    ex.view = {"kind": "scatter"}
    assert "print(group.tree())" in ex.code()
    with pytest.raises(TypeError, match="/obs/kind is no array"):
        ex.values()
    ex.close()


def test_the_small_picture_of_texts_is_the_first_of_them(browse: Browse, tmp_path: Path) -> None:
    words = zarr.open_group(tmp_path, mode="w").create_array("name", shape=(90,), dtype=str)
    words[:] = np.array([f"cell {n}" for n in range(90)], object)
    (small,) = browse(tmp_path).ask("thumbnails", paths=["/name"], width=160, height=100)[
        "thumbnails"
    ]
    assert small["label"].split()[:6] == ["0", "cell", "0", "·", "1", "cell"]
    assert small["label"].count("·") == 5
