"""What is taken back into Python is what is shown: window, part, mask; and all of it when asked for."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import xarray as xr
import zarr

import nz_explorer as nz
from nz_explorer.widget.requests.netcdf_bytes import netcdf_file

RNG = np.random.default_rng(3)
COMPLEX = RNG.normal(size=(3, 20, 30)) + 1j * RNG.normal(size=(3, 20, 30))
FIELD = RNG.normal(size=(20, 30)).astype("f4")
FIELD[2, 3], FIELD[4, 5], FIELD[6, 7] = 0, -9, np.nan
LONG = np.arange(90_000.0).reshape(30_000, 3)


@pytest.fixture
def ex(tmp_path: Path) -> Iterator[nz.Explorer]:
    group = zarr.open_group(tmp_path / "s.zarr", mode="w")
    group.create_array("c", data=COMPLEX, chunks=(1, 10, 10), dimension_names=("t", "y", "x"))
    group.create_array(
        "f",
        data=FIELD,
        dimension_names=("y", "x"),
        attributes={"_FillValue": -9.0},
        fill_value=0,
    )
    group.create_array("long", data=LONG, dimension_names=("n", "m"))
    found = nz.explore(tmp_path / "s.zarr", path="/c")
    yield found
    found.close()


def test_window_and_part(ex: nz.Explorer, tmp_path: Path) -> None:
    ex.view = {"window": {"y": [2, 10], "x": [3, 9]}, "part": "phase", "colormap": "magma"}
    want = np.angle(COMPLEX[0, 2:10, 3:9])
    np.testing.assert_allclose(ex.values(), want, rtol=1e-6)
    np.testing.assert_allclose(np.load(ex.export(tmp_path / "a.npy")), want, rtol=1e-6)
    (image,) = ex.figure().axes[0].get_images()
    np.testing.assert_allclose(np.flipud(image.get_array())[::-1], want, rtol=1e-6)
    assert image.get_cmap().name == "magma"
    with xr.open_dataset(ex.export(tmp_path / "a.nc")) as found:
        np.testing.assert_allclose(found["c_phase"], want)
    ex.view = {"window": {"y": [2, 10], "x": [3, 9]}}
    np.testing.assert_array_equal(ex.values(), COMPLEX[0, 2:10, 3:9])
    with xr.open_dataset(ex.export(tmp_path / "b.nc")) as found:
        np.testing.assert_array_equal(
            found["c_real"] + 1j * found["c_imaginary"], COMPLEX[0, 2:10, 3:9]
        )


@pytest.mark.parametrize(
    ("mask", "missing"),
    [("nz", [(4, 5)]), ("storage", [(2, 3)]), ("raw", []), ("differences", [(4, 5)])],
)
def test_mask(ex: nz.Explorer, tmp_path: Path, mask: str, missing: list[tuple[int, int]]) -> None:
    ex.path = "/f"
    ex.view = {"mask": mask}
    found = np.ma.getmaskarray(ex.values())
    assert list(zip(*map(np.ndarray.tolist, np.nonzero(found)), strict=True)) == missing
    stored = np.load(ex.export(tmp_path / "a.npy"))
    assert np.isnan(stored).sum() == len(missing) + 1  # and the NaN that is a value
    assert ex.figure().axes


def test_long_files_are_whole_when_asked_for(ex: nz.Explorer, tmp_path: Path) -> None:
    ex.path = "/long"
    with pytest.warns(UserWarning, match="long.npy has 1 in 60 x 1 elements; whole=True"):
        ex.export(tmp_path / "long.npy")
    np.testing.assert_array_equal(np.load(tmp_path / "long.npy"), ex.values())
    np.testing.assert_array_equal(np.load(ex.export(tmp_path / "long.npy", whole=True)), LONG)
    with xr.open_dataset(ex.export(tmp_path / "long.nc", whole=True)) as found:
        np.testing.assert_array_equal(found["long"], LONG)


def test_netcdf_takes_names_and_gaps_that_it_does_not_have(tmp_path: Path) -> None:
    group = zarr.create_group(tmp_path / "s.zarr")
    array = group.create_array(
        " packed",
        data=np.array([1, 2, 99], "i2"),
        dimension_names=("a/b",),
        attributes={"scale_factor": 0.5, "valid_max": 50, "a/b": 1, "a_b": 2, "\x07": 3, "": 4},
    )
    assert "_FillValue" not in array.attrs
    ex = nz.explore(tmp_path / "s.zarr", path="/ packed")
    with xr.open_dataset(ex.export(tmp_path / "a.nc")) as found:
        [variable] = found.data_vars.values()
        assert (variable.name, variable.dims) == ("_ packed", ("a_b",))
        assert {name: variable.attrs[name] for name in ("a_b", "a_b_", "_", "__")} == {
            "a_b": 1,
            "a_b_": 2,
            "_": 3,
            "__": 4,
        }
        np.testing.assert_array_equal(variable, ex.to_xarray(shown=True))
        np.testing.assert_array_equal(variable, [0.5, 1, np.nan])
    ex.close()


def test_netcdf_is_written_of_what_xarray_reads_and_does_not_write(tmp_path: Path) -> None:
    group = zarr.create_group(tmp_path / "s.zarr")
    months = {"units": "months since 1955-01-01", "calendar": "360_day"}
    group.create_array("time", data=np.arange(3.0), dimension_names=("time",), attributes=months)
    group.create_array(
        "v",
        data=np.array([1, 2, 99], "f2"),
        dimension_names=("time",),
        attributes={
            "coordinates": ["time"],  # xarray would split it
            "DIMENSION_LIST": [[1], [2]],
            "CLASS": "DIMENSION_SCALE",  # as kerchunk keeps them of HDF5
            "most": 2**70,
            "mixed": ["a", 1],
            "n" * 300: "name",
        },
    )
    ex = nz.explore(tmp_path / "s.zarr", path="/v")
    with xr.open_dataset(ex.export(tmp_path / "a.nc")) as found:
        np.testing.assert_array_equal(found["v"], [1, 2, 99])
        assert [str(one)[:10] for one in found["time"].values] == [
            "1955-01-01",
            "1955-02-01",
            "1955-03-01",
        ]
        assert list(found["v"].attrs) == ["n" * 200]
    ex.close()


@pytest.mark.parametrize(("stored", "unsigned"), [("u1", "false"), ("i1", "true")])
@pytest.mark.parametrize("fill", [{}, {"_FillValue": 7}, {"scale_factor": 0.5}])
def test_netcdf_keeps_which_integers_are_meant(
    tmp_path: Path, stored: str, unsigned: str, fill: dict[str, float]
) -> None:
    group = zarr.create_group(tmp_path / "s.zarr")
    values = np.array([191, 245, 23, 7], "u1").view(stored)
    group.create_array(
        "a", data=values, dimension_names=("x",), attributes={"_Unsigned": unsigned, **fill}
    )
    ex = nz.explore(tmp_path / "s.zarr", path="/a")
    with xr.open_dataset(ex.export(tmp_path / "a.nc")) as found:
        want = np.ma.filled(np.ma.asarray(ex.values(), float), np.nan)
        np.testing.assert_array_equal(np.asarray(found["a"], float), want)
    ex.close()


def test_a_saved_page_holds_the_answers_and_asks_no_one(sample_store: Path, tmp_path: Path) -> None:
    ex = nz.explore(sample_store, path="/ocean/sea_surface_temperature")
    try:
        page = ex.save(tmp_path / "page.html", pictures=["/ocean/salinity"]).read_text("utf-8")
    finally:
        ex.close()
    answers = re.search(r'<script type="application/json" id="nz-answers">(.*?)</script>', page)
    assert answers is not None
    saved = json.loads(answers[1])
    asked = [(one["method"], one["params"].get("path")) for one in saved["answers"]]
    assert ("picture", "/ocean/sea_surface_temperature") in asked
    assert ("picture", "/ocean/salinity") in asked
    assert ("netcdf", "/stations/station_name") in asked
    assert all("error" not in one for one in saved["answers"])
    assert not re.search(r'(src|href)="(?!data:)', page.replace(answers[0], ""))
    assert "Groups and arrays" in page  # the static page, for where no script runs


@pytest.mark.parametrize("kind", ["table", "scatter", "lines"])
def test_a_saved_page_holds_what_a_group_showed(
    sample_store: Path, tmp_path: Path, kind: str
) -> None:
    ex = nz.explore(sample_store, path="/stations")
    try:
        ex.view = {"kind": kind, "colormap": "magma"}
        page = ex.save(tmp_path / "page.html").read_text("utf-8")
    finally:
        ex.close()
    answers = re.search(r'<script type="application/json" id="nz-answers">(.*?)</script>', page)
    assert answers is not None
    asked = [one for one in json.loads(answers[1])["answers"] if one["method"] == kind]
    assert [one["params"]["path"] for one in asked] == ["/stations"]
    assert "error" not in asked[0]
    plain = page[: answers.start()]
    assert ("Table of /stations" in plain) == (kind == "table")
    assert ("data:image/png" in plain) == (kind != "table")
    assert ("/stations as a scatter" in plain) == (kind == "scatter")
    assert ("the lines of /stations" in plain) == (kind == "lines")


def test_a_saved_page_holds_the_view_of_an_array(sample_store: Path, tmp_path: Path) -> None:
    ex = nz.explore(sample_store, path="/ocean/sea_surface_temperature")
    try:
        ex.index, ex.pins = {"rlat": 40}, [{"rlat": 30, "rlon": 12}]
        ex.view = {"x": "rlon", "y": "time", "kind": "table"}
        page = ex.save(tmp_path / "page.html").read_text("utf-8")
        shown = f"{ex.values().compressed()[0]:.6g}"
    finally:
        ex.close()
    answers = re.search(r'<script type="application/json" id="nz-answers">(.*?)</script>', page)
    assert answers is not None
    saved = json.loads(answers[1])["answers"]
    pictures = [one for one in saved if one["method"] == "picture"]
    assert [one["params"].get("kind") for one in pictures] == [None, "table"]  # as at first, too
    assert pictures[1]["result"]["y"]["label"] == "time"
    assert {one["params"]["dimension"] for one in saved if one["method"] == "series"} == {
        *("time", "rlat", "rlon")
    }
    assert f"<td>{shown}</td>" in page[: answers.start()]


def test_times_are_dates_in_a_table_as_on_the_screen(tmp_path: Path) -> None:
    group = zarr.open_group(tmp_path / "t.zarr", mode="w")
    stored = np.array([[0, 6], [-9, 30]], "i4")
    group.create_array(
        "issued",
        data=stored,
        dimension_names=("y", "x"),
        attributes={"units": "hours since 2000-02-28", "calendar": "noleap", "_FillValue": -9},
    )
    ex = nz.explore(tmp_path / "t.zarr", path="/issued")
    try:
        table = ex.export(tmp_path / "a.csv").read_text().splitlines()
        assert table[1:] == ["0,2000-02-28 00:00,2000-02-28 06:00", "1,,2000-03-01 06:00"]
        # numbers are numbers for who asks for them, and where they are no dates
        packed = ex.export(tmp_path / "b.csv", packed=True).read_text().splitlines()
        assert packed[1:] == ["0,0,6", "1,,30"]
        ex.view = {"reduce": {"y": "std"}}
        assert ex.export(tmp_path / "c.csv").read_text().splitlines()[1:] == ["0,0.0", "1,12.0"]
    finally:
        ex.close()


@pytest.mark.parametrize("calendar", ["standard", "noleap", "360_day"])
@pytest.mark.parametrize("gap", ["_FillValue", "NaN"])
def test_times_of_which_some_are_missing_are_handed_out(
    tmp_path: Path, calendar: str, gap: str
) -> None:
    """xarray makes the date that is counted from of them, or an error, and cannot write them."""
    whole = gap == "_FillValue"
    stored = np.array([0, -9 if whole else np.nan, 3], "i4" if whole else "f8")
    dated = {"units": "days since 2001-02-26", "calendar": calendar}
    zarr.create_group(tmp_path / "t.zarr").create_array(
        "issued",
        data=stored,
        dimension_names=("y",),
        attributes={**dated, "_FillValue": -9} if whole else dated,
    )
    ex = nz.explore(tmp_path / "t.zarr", path="/issued")
    try:
        shown = ex.to_xarray(shown=True)
        assert shown.isnull().values.tolist() == [False, True, False]
        last = {"standard": "2001-03-01", "noleap": "2001-03-01", "360_day": "2001-02-29"}[calendar]
        assert str(shown.values[2])[:10] == last
        with xr.open_dataset(ex.export(tmp_path / "a.nc"), decode_times=False) as found:
            np.testing.assert_array_equal(found["issued"], [0, np.nan, 3])
            assert found["issued"].units.startswith("days since 2001-02-26")
            assert "_FillValue" in found["issued"].encoding
    finally:
        ex.close()


def test_what_is_outside_the_valid_range_makes_no_limits_and_no_statistics(tmp_path: Path) -> None:
    packed = np.arange(40, dtype="i2").reshape(5, 8)
    packed[0, 0], packed[1, 1] = 30_000, -20_000
    zarr.create_group(tmp_path / "v.zarr").create_array(
        "v",
        data=packed,
        dimension_names=("y", "x"),
        attributes={"valid_range": [0, 1000], "scale_factor": 0.1, "add_offset": 5.0},
    )
    ex = nz.explore(tmp_path / "v.zarr", path="/v")
    try:
        assert (ex.values().min(), ex.values().max()) == pytest.approx((5.1, 8.9))
        for limits in ("held", "frame", "robust"):
            ex.view = {"limits": limits}
            low, high = ex.figure().axes[1].get_ylim()  # the colour bar
            assert 5.0 < low < high < 9.0, limits
        found = nz.scan(tmp_path / "v.zarr")["/v"]
        assert (found.count, found.states["invalid"]) == (38, 2)
        assert (found.minimum, found.maximum) == (1, 39)
        assert found.histogram is not None
        assert found.histogram.counts.sum() == 38
    finally:
        ex.close()


@pytest.mark.filterwarnings("ignore:The data type")
def test_netcdf_has_a_variable_for_each_member_of_structures(tmp_path: Path) -> None:
    members = [("n", "i4"), ("at", [("x", "f8"), ("y", "f4")]), ("name", "S3")]
    rows = np.array([(1, (2.5, -1), b"ab"), (3, (4.5, 0), b"c")], members)
    group = zarr.open_group(tmp_path / "s.zarr", mode="w")
    group.create_array("rows", data=rows, dimension_names=("row",))
    ex = nz.explore(tmp_path / "s.zarr", path="/rows")
    with xr.open_dataset(ex.export(tmp_path / "a.nc")) as found:
        assert set(found.data_vars) == {"rows_n", "rows_at_x", "rows_at_y", "rows_name"}
        assert found["rows_n"].dims == ("row",)
        assert found["rows_n"].values.tolist() == [1, 3]
        assert found["rows_at_x"].values.tolist() == [2.5, 4.5]
        assert found["rows_at_y"].values.tolist() == [-1, 0]
        assert found["rows_name"].values.tolist() == [b"ab", b"c"]
    ex.close()


def test_netcdf_has_members_that_are_arrays_and_masked(tmp_path: Path) -> None:
    rows = np.array([(1, [1, 2, 3]), (2, [4, 5, 6])], [("n", "i4"), ("rgb", "f4", (3,))])
    masked = np.ma.masked_array(rows, [(True, False), (False, True)])
    file = tmp_path / "a.nc"
    file.write_bytes(netcdf_file(xr.DataArray(rows, dims="row", name="v"), masked))
    with xr.open_dataset(file) as found:
        np.testing.assert_array_equal(found["v_n"], [np.nan, 2])
        np.testing.assert_array_equal(found["v_rgb"], [[1, 2, 3], [np.nan] * 3])
