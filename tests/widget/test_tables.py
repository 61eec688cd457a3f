"""The arrays of a group that share a dimension: as a table, and two of them as a scatter."""

from __future__ import annotations

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
    column("lat", np.linspace(-90, 90, 20_001), units="degrees_north")
    temp = np.full(15_000, 4.0)
    temp[7] = MISSING
    column("temp", temp, _FillValue=MISSING, scale_factor=2.0, units="K")
    return tmp_path / "tables.zarr"


def test_a_dataframe_is_one_table_with_its_categories(browse: Browse, store: Path) -> None:
    browser = browse(store)
    found = browser.ask("table", path="/obs")
    assert [one["name"] for one in found["columns"]] == ["name", "n", "kind"]
    assert found["dimension"] == "3 rows"
    kind = found["columns"][2]
    assert kind["cells"] == ["T cell", "missing", "B cell"]
    assert kind["states"] == "010"
    assert not kind["numeric"]


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
    why = "1,668 have no number: _FillValue, chunk not in the store"
    assert found["note"] == f"4,999 of 20,001 rows are drawn; 1 in 3 is read; {why}"
    assert np.isnan(x[-1])
    assert np.isnan(y[-1])
    assert y[0] == 8.0  # unpacked


@pytest.mark.parametrize(
    ("path", "view"),
    [
        ("/obs", {"kind": "table"}),
        ("/stations", {"kind": "scatter", "x": "lat", "y": "temp"}),
        ("/stations", {"kind": "scatter", "x": "lat", "y": "station", "color": "temp"}),
        ("/stations", {"kind": "scatter", "x": "lat", "y": "temp", "color": "temp"}),
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
    program = ex.code().replace("plt.show()", "") + f"\nvalues.dump({str(tmp_path / 'v')!r})"
    subprocess.run(
        [sys.executable, "-c", "import matplotlib; matplotlib.use('agg')\n" + program], check=True
    )
    found = np.load(tmp_path / "v", allow_pickle=True)
    for name in values.dtype.names or ():
        np.testing.assert_array_equal(
            np.ma.getmaskarray(found[name]), np.ma.getmaskarray(values[name])
        )
        assert found[name].compressed().tolist() == values[name].compressed().tolist()
    axes = ex.figure().axes[0]
    if view["kind"] == "scatter":
        drawn = np.isfinite(np.asarray(axes.collections[0].get_offsets(), float)).all(1).sum()
        assert f"{drawn:,} of 20,001 rows" in axes.get_title(loc="left")
    ex.close()


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
