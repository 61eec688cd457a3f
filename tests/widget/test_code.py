"""One truth: what the picture shows, `Explorer.values`, files and programs give is the same."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import matplotlib.pyplot as plt
import numpy as np
import pytest
import xarray as xr
import zarr

import nz_explorer as nz
from nz_explorer.widget.explorer import Explorer
from nz_explorer.widget.picture_messages import picture

VIEWS: list[tuple[str, dict[str, int], dict[str, Any]]] = [
    ("/t", {"time": 1}, {}),
    ("/t", {"time": 1}, {"cf": False}),
    ("/t", {"time": 1}, {"mask": "raw", "graticule": True}),
    ("/t", {"time": 1}, {"mask": "storage"}),
    ("/t", {"time": 1}, {"window": {"lat": [3, 9], "lon": [2, 11]}, "colormap": "magma"}),
    ("/t", {"time": 1}, {"low": 1.0, "high": 4.0, "scale": "log"}),
    ("/t", {"lat": 2}, {"x": "time", "y": "lon"}),
    ("/t", {"time": 1}, {"x": "lat", "y": "lon"}),
    ("/t", {"time": 2}, {"kind": "histogram"}),
    ("/t", {"time": 2}, {"kind": "histogram", "scale": "log"}),
    ("/t", {"time": 0, "lat": 3}, {"kind": "line"}),
    ("/t", {"lat": 3}, {"kind": "lines", "x": "time", "y": "lon"}),
    ("/t", {"time": 1}, {"kind": "lines", "low": -5.0, "window": {"lat": [2, 9]}}),
    ("/t", {"time": 2}, {"kind": "lines", "against": {"time": 0}}),
    ("/t", {"time": 1}, {"kind": "lines", "scale": "symlog"}),
    ("/column", {}, {"kind": "lines", "x": "depth", "y": "time", "scale": "log", "low": 1.0}),
    ("/column", {"time": 2}, {"kind": "line", "x": "depth"}),
    ("/column", {"time": 2}, {"kind": "line", "scale": "log", "low": 1.0}),
    ("/depth", {}, {"window": {"depth": [1, 4]}}),
    ("/lat", {}, {}),
    ("/series", {}, {}),
    ("/series", {}, {"window": {"step": [100, 400]}}),
    ("/sparse", {}, {}),
    ("/nan", {}, {}),
    ("/height", {}, {}),
    ("/names", {}, {}),
    ("/wave", {}, {}),
    ("/wave", {}, {"part": "phase"}),
    ("/flags", {}, {}),
    ("/truth", {}, {}),
    ("/t", {"time": 1}, {"window": {"lat": [3, 4]}}),
    ("/picture", {}, {}),
    ("/picture", {}, {"window": {"band": [1, 2], "w": [2, 7]}}),
    ("/bare/a", {}, {}),
    ("/bare/holes", {}, {}),
    ("/when", {}, {}),
    ("/sst", {}, {}),
    ("/sst", {}, {"coordinates": False}),
    ("/sst", {}, {"graticule": True, "coastlines": False}),
    ("/sst", {}, {"reduce": {"i": "min", "j": "min"}, "y": "i"}),
    ("/months", {"run": 1}, {"reduce": {"month": "mean"}}),
    ("/months", {"month": 1}, {"reduce": {"run": "max"}, "y": "i", "x": "j"}),
    ("/t", {}, {"reduce": {"time": "mean"}}),
    ("/t", {"time": 2}, {"against": {"time": 0}}),
    ("/t", {"lat": 2}, {"against": {"path": "/u"}, "x": "time", "y": "lon"}),
    ("/t", {"time": 2}, {"against": {"time": 0, "show": "both"}}),
    ("/t", {"time": 2}, {"against": {"time": 0, "show": "both"}, "kind": "table"}),
    ("/t", {"time": 1}, {"against": {"time": 3}, "reduce": {"lat": "mean"}}),
    ("/t", {}, {"reduce": {"time": "max"}, "mask": "raw", "window": {"lon": [2, 11]}}),
    ("/t", {"time": 1}, {"reduce": {"lat": "mean"}, "x": "lon", "y": "time"}),
    ("/t", {}, {"reduce": {"lat": "std"}}),
    ("/t", {}, {"reduce": {"lat": "mean", "lon": "mean"}}),
    ("/t", {}, {"reduce": {"lon": "std", "time": "std"}}),
    ("/t", {}, {"reduce": {"time": "any"}, "kind": "table"}),
    ("/t", {}, {"reduce": {"time": "min", "lat": "min", "lon": "min"}}),
    ("/gaps", {}, {"reduce": {"lat": "mean"}}),
    ("/gaps", {}, {"reduce": {"lat": "max"}}),
    ("/stamps", {}, {}),
    ("/nothing", {}, {}),
    ("/sst", {}, {"window": {"nav_lon": [172.0, 185.0], "nav_lat": [20.0, 40.0]}}),
]
"""Path, index and view."""
RUNNER = """
import pickle, sys, warnings
import matplotlib as mpl
mpl.use("agg")
import matplotlib.pyplot as plt
import numpy as np
found = []
for text in pickle.load(open(sys.argv[1], "rb")):
    names = {}
    plt.close("all")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", category=Warning, module="(zarr|xarray|numcodecs)")
        exec(compile(text, "program", "exec"), names)
        if plt.get_fignums():
            plt.gcf().canvas.draw()
    values = names["values"]
    drawn = None
    if plt.get_fignums() and plt.gcf().axes:
        axes = plt.gcf().axes[0]
        meshes = [one for one in axes.collections if hasattr(one, "get_cmap")]
        drawn = {
            "x": axes.get_xlim(),
            "y": axes.get_ylim(),
            "scale": (axes.get_yscale(), axes.get_aspect()),
            "colours": [(one.get_cmap().name, one.get_clim()) for one in meshes],
            "earth": [one.get_xydata() for one in axes.lines if meshes and one.get_xydata().size],
            "labels": [axes.get_xlabel(), axes.get_ylabel()],
            "title": axes.get_title(loc="left").split("\\n")[0],
            "bar": [one.get_ylabel() for one in plt.gcf().axes[1:]],
        }
    data = np.ma.getdata(values)
    data = data.astype(object) if data.dtype.kind in "TU" else data
    found.append((np.array(data), np.array(np.ma.getmaskarray(values)), drawn))
    if "ex" in names:
        names["ex"].close()
pickle.dump(found, open(sys.argv[2], "wb"))
"""


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with packed, sparse, complex, textual and odd arrays, and a group that xarray refuses."""
    folder = tmp_path_factory.mktemp("code") / "s.zarr"
    group = zarr.create_group(folder)
    rng = np.random.default_rng(0)

    def put(name: str, values: Any, dims: tuple[str, ...] | None, **options: Any) -> zarr.Array:
        values = np.asarray(values)
        attributes = options.pop("attributes", {})
        dtype = str if values.dtype.kind == "U" else values.dtype
        made = group.create_array(
            name, shape=values.shape, dtype=dtype, dimension_names=dims, **options
        )
        made[...] = values
        made.attrs.update(attributes)
        return made

    put("column", np.where(rng.random((24, 5)) < 0.1, np.nan, 7.5), ("time", "depth"))
    put(
        "depth",
        [0.0, 5.0, 20.0, 100.0, 300.0],
        ("depth",),
        attributes={"positive": "down", "units": "m"},
    )

    packed = rng.integers(-100, 400, (4, 12, 15)).astype("i2")
    packed[:, 2, 3] = -999
    packed[:, 4, 4] = 0
    put(
        "t",
        packed,
        ("time", "lat", "lon"),
        chunks=(2, 5, 7),
        fill_value=0,
        attributes={
            "_FillValue": -999,
            "scale_factor": -0.01,
            "add_offset": 1.5,
            "units": "K",
            "valid_range": [-90, 350],
        },
    )
    put("lat", np.linspace(60, 5, 12, dtype="f4"), ("lat",), attributes={"units": "degrees_north"})
    put("lon", np.arange(15.0), ("lon",))
    put("time", np.arange(4), ("time",), attributes={"units": "days since 2000-01-01"})
    put("u", packed.astype("f4") / 7, ("time", "lat", "lon"), attributes={"missing_value": 3.0})
    put("when", np.arange(4), ("time",), attributes={"units": "hours since 2000-01-01"})
    put("series", rng.normal(size=50_000).astype("f4"), ("step",), chunks=(5000,))
    sparse = group.create_array(
        "sparse", shape=(40, 40), chunks=(10, 10), dtype="f4", dimension_names=("y", "x")
    )
    sparse[5:25, 5:25] = 2.5
    put("nan", np.array([[1.0, np.nan, 3], [np.inf, -1, 2]]), ("a", "b"))
    gaps = rng.normal(size=(12, 4))
    gaps[:, 1], gaps[:, 2], gaps[3, 0] = np.nan, -9, -9
    put("gaps", gaps, ("lat", "column"), attributes={"_FillValue": -9.0})
    put("stamps", np.array(["2001-01-01", "NaT", "2003-05-06"], "M8[ns]"), ("r",))
    put("nothing", np.zeros((0, 3), "f4"), ("never", "c"))
    put("height", np.float64(2.5), ())
    put("names", np.array(["one", "two", ""]), ("c",))
    put("wave", (np.arange(12) * (1 + 2j)).reshape(3, 4), ("d", "e"))
    put("flags", np.array([[0, 1], [2, 1]], "i1"), ("f", "g"), attributes={"_FillValue": 2})
    put("truth", np.arange(12).reshape(3, 4) % 3 == 0, ("f2", "g2"))
    put("picture", rng.integers(0, 255, (8, 9, 3)).astype("u1"), ("v", "w", "band"))
    put("bare/a", np.arange(6.0).reshape(2, 3), None, attributes={"_FillValue": 4.0})
    put("bare/holes", np.arange(8.0).reshape(2, 4), None, chunks=(1, 4), compressors=None)
    j, i = np.mgrid[0:20, 0:30]
    put("sst", j + i / 2, ("j", "i"), attributes={"coordinates": "nav_lat nav_lon"})
    lon, lat = ((160 + i + j / 4 + 180) % 360 - 180).astype("f4"), (10 + 2 * j).astype("f4")
    months = j + i / 2 + np.arange(6.0).reshape(2, 3, 1, 1)
    located = {"coordinates": "nav_lat nav_lon"}
    put("months", months, ("run", "month", "j", "i"), attributes=located)
    put("nav_lon", lon, ("j", "i"), attributes={"units": "degrees_east"})
    put("nav_lat", lat, ("j", "i"), attributes={"units": "degrees_north"})
    chunk = folder / "bare" / "holes" / "c" / "1" / "0"
    chunk.write_bytes(chunk.read_bytes()[:9])
    return folder


@pytest.fixture(scope="module")
def v2(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("code2") / "s.zarr"
    group = zarr.create_group(folder, zarr_format=2)
    for name, dims, values in (
        ("zeros", ["y", "x"], np.array([[0, 1, 2], [3, 0, 5]], "i2")),
        ("marked", ["y", "x"], np.array([[-9, 1, 2], [3, -9, 5]], "f4")),
        ("plain", None, np.array([[0, 1, 2], [3, 0, 5]], "f8")),
    ):
        fill = -9 if name == "marked" else 0
        made = group.create_array(name, shape=(2, 3), dtype=values.dtype, fill_value=fill)
        made[...] = values
        if dims:
            made.attrs["_ARRAY_DIMENSIONS"] = dims
    return folder


def shown(ex: Explorer) -> tuple[np.ndarray, np.ndarray, dict[str, Any]]:
    values = ex.values()
    axes = ex.figure().axes[0]
    meshes = [one for one in (*axes.collections, *axes.images) if hasattr(one, "get_cmap")]
    meshes = [one for one in meshes if one.get_array() is not None]
    look = {
        "x": axes.get_xlim(),
        "y": axes.get_ylim(),
        "scale": (axes.get_yscale(), axes.get_aspect()),
        "colours": [(one.get_cmap().name, one.get_clim()) for one in meshes],
        "earth": [one.get_xydata() for one in axes.lines if meshes and one.get_xydata().size],
        "labels": [axes.get_xlabel(), axes.get_ylabel()],
        "title": axes.get_title(loc="left").strip(),
        "bar": [one.get_ylabel() for one in axes.figure.axes if one is not axes],
    }
    return np.ma.getdata(values), np.ma.getmaskarray(values), look


def test_programs_bind_what_the_picture_shows(store: Path, v2: Path, tmp_path: Path) -> None:
    wanted, programs, told = [], [], []
    places = [(store, *one) for one in VIEWS]
    places += [(v2, f"/{name}", {}, {}) for name in ("zeros", "marked", "plain")]
    for source, path, index, view in places:
        ex = nz.explore(source, path=path)
        ex.index, ex.view = index, view
        expected = shown(ex)
        for using in ("zarr", "xarray", "nz_explorer"):
            programs.append(ex.code(using))
            wanted.append(expected)
            told.append((path, index, view, using))
        ex.close()
    (tmp_path / "programs").write_bytes(pickle.dumps(programs))
    subprocess.run(
        [sys.executable, "-c", RUNNER, str(tmp_path / "programs"), str(tmp_path / "found")],
        check=True,
        timeout=300,
    )
    results = pickle.loads((tmp_path / "found").read_bytes())
    assert len({len(results), len(wanted), 3 * len(places)}) == 1
    for what, program, (values, missing, look), (data, mask, drawn) in zip(
        told, programs, wanted, results, strict=True
    ):
        said = f"{what}\n{program}"
        assert np.array_equal(mask, missing), said
        there = ~missing
        if values.dtype.kind in "MOTU":
            assert np.asarray(values, object)[there].tolist() == data[there].tolist(), said
        else:
            np.testing.assert_allclose(data[there], values[there], rtol=1e-12, err_msg=said)
        if drawn is None or "holes" in what[0]:
            continue
        for along in ("x", "y"):
            seen = 1e-3 * abs(np.ptp(look[along]))  # the picture of a long line has fewer points
            np.testing.assert_allclose(drawn[along], look[along], atol=seen, err_msg=said)
        assert drawn["scale"] == look["scale"], said
        assert drawn["title"] == look["title"], said
        assert drawn["labels"] == look["labels"], said
        if "both" not in str(what[2]) and look["colours"] and look["bar"]:
            assert drawn["bar"] == look["bar"], said
        if look["colours"] and drawn["colours"]:
            (name, clim), (wanted_name, wanted_clim) = drawn["colours"][-1], look["colours"][-1]
            assert name == wanted_name, said
            for lines, wanted_lines in zip(drawn["earth"], look["earth"], strict=True):
                assert lines.shape == wanted_lines.shape, said
                np.testing.assert_allclose(lines, wanted_lines, atol=1e-3, err_msg=said)
            np.testing.assert_allclose(clim, wanted_clim, rtol=1e-6, err_msg=said)


@pytest.fixture
def packed(store: Path) -> Iterator[Explorer]:
    ex = nz.explore(store, path="/t")
    ex.index = {"time": 1}
    yield ex
    ex.close()


def test_values_are_decoded_and_masked(packed: Explorer) -> None:
    stored = packed.array[1]
    missing = (stored == -999) | (stored < -90) | (stored > 350)
    found = packed.values()
    assert np.array_equal(np.ma.getmaskarray(found), missing)
    np.testing.assert_allclose(found.data[~missing], (stored * -0.01 + 1.5)[~missing])
    raw = packed.values(packed=True)
    assert raw.dtype == np.int16
    assert np.array_equal(raw.data, stored)
    assert np.array_equal(np.ma.getmaskarray(raw), stored == -999)


def test_a_line_along_depth_runs_from_the_top_down(store: Path) -> None:
    ex = nz.explore(store, path="/column")
    ex.index, ex.view = {"time": 2}, {"kind": "line"}
    axes = ex.figure().axes[0]
    top, bottom = axes.get_ylim()[::-1]
    assert top < bottom
    assert axes.get_ylabel() == "depth (m)"
    line = axes.lines[0]
    assert np.asarray(line.get_ydata()).tolist() == [0, 1, 2, 3, 4]  # uneven depths: by number
    sent, _ = picture(ex._look())
    assert sent.x is None
    assert sent.y is not None
    assert sent.y.label == "depth"
    ex.close()


def test_files_and_xarray_say_the_same(packed: Explorer, tmp_path: Path) -> None:
    filled = packed.values().filled(np.nan)
    np.testing.assert_allclose(np.load(packed.export(tmp_path / "a.npy")), filled)
    rows = (packed.export(tmp_path / "a.csv")).read_text().splitlines()[1:]
    table = [[float(cell or "nan") for cell in row.split(",")[1:]] for row in rows]
    np.testing.assert_allclose(table, filled)
    with xr.open_dataset(packed.export(tmp_path / "a.nc")) as dataset:
        np.testing.assert_allclose(dataset["t"].values, filled, atol=0.006)
    found = packed.to_xarray(shown=True)
    np.testing.assert_allclose(found.values, filled)
    np.testing.assert_allclose(found["lat"].values, np.linspace(60, 5, 12))
    whole = packed.to_xarray()
    assert whole.shape == (4, 12, 15)


def test_a_table_has_coordinates_in_all_their_digits(tmp_path: Path) -> None:
    group = zarr.create_group(tmp_path / "s.zarr")
    easting = [523456.125, 523456.25, 1234567890.123]
    group.create_array("x", data=np.array(easting), dimension_names=["x"])
    group.create_array("y", data=np.array([0.1, 850], "f4"), dimension_names=["y"])
    group.create_array("v", data=np.eye(2, 3), dimension_names=["y", "x"])
    ex = nz.explore(tmp_path / "s.zarr", path="/v")
    rows = ex.export(tmp_path / "v.csv").read_text().splitlines()
    assert [float(place) for place in rows[0].split(",")[1:]] == easting
    assert [row.split(",")[0] for row in rows[1:]] == ["0.1", "850"]
    ex.close()


def test_what_was_never_written_is_the_same_to_all(store: Path) -> None:
    ex = nz.explore(store, path="/sparse")
    values = ex.values()
    assert not np.ma.getmaskarray(values).any()
    assert np.array_equal(values.data, ex.array[:])
    assert np.array_equal(values.data, ex.to_xarray().values)
    assert np.array_equal(values.data, ex.to_xarray(shown=True).values)
    ex.close()


def test_a_line_of_many_elements_gives_all_of_them(store: Path) -> None:
    ex = nz.explore(store, path="/series")
    assert ex.values().shape == (50_000,)
    assert np.array_equal(ex.values().data, ex.array[:])
    ex.close()


def test_a_node_that_cannot_be_read_gives_the_same_sentence(tmp_path: Path) -> None:
    group = zarr.create_group(tmp_path / "s")
    group.create_array("a", shape=(2,), dtype="f4")
    (tmp_path / "s" / "a" / "zarr.json").write_text("{oops")
    ex = nz.explore(tmp_path / "s", path="/a")
    said = set()
    for ask in (ex.values, ex.to_xarray, lambda: ex.array):
        with pytest.raises(Exception, match="neither a group nor an array") as caught:
            ask()
        said.add(str(caught.value))
    assert len(said) == 1
    texts = " ".join(" ".join(one.get_text().split()) for one in ex.figure().axes[0].texts)
    assert texts[:60] == said.pop()[:60]
    ex.close()


def test_texts_times_and_nothing_are_given_as_files_and_to_xarray(
    store: Path, tmp_path: Path
) -> None:
    rows = {}
    for path in ("/names", "/stamps", "/nothing"):
        ex = nz.explore(store, path=path)
        assert ex.to_xarray(shown=True).shape == ex.values().shape
        if path != "/nothing":
            assert np.load(ex.export(tmp_path / "a.npy")).shape == ex.values().shape
            rows[path] = ex.export(tmp_path / "a.csv").read_text().splitlines()[1:]
        ex.close()
    assert rows["/names"] == ["0,one", "1,two", "2,"]
    dates = [row[:12] for row in rows["/stamps"]]
    assert dates == ["0,2001-01-01", "1,", "2,2003-05-06"]


def test_fields_and_reduced_times_are_given_to_xarray_and_as_files(tmp_path: Path) -> None:
    group = zarr.create_group(tmp_path / "s.zarr")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # structured types are no part of the specification
        fields = group.create_array("fields", shape=(2,), dtype=[("u", "f4"), ("v", "i2")])
        fields[...] = np.array([(1, 2), (3, 4)], [("u", "f4"), ("v", "i2")])
        valid = group.create_array("valid", shape=(4, 3), dtype="i4", dimension_names=["a", "b"])
        valid[...] = np.arange(12).reshape(4, 3)
        valid.attrs["units"] = "hours since 2001-01-01"
        ex = nz.explore(tmp_path / "s.zarr", path="/fields")
        assert ex.to_xarray(shown=True).values.tolist() == [(1, 2), (3, 4)]
        assert np.load(ex.export(tmp_path / "a.npy")).tolist() == [(1, 2), (3, 4)]
    ex.path = "/valid"
    ex.view = {"reduce": {"a": "mean"}}
    found = ex.to_xarray(shown=True)
    assert found.values.tolist() == ex.values().tolist() == [4.5, 5.5, 6.5]
    assert found.attrs["units"] == "hours since 2001-01-01"
    ex.close()


def test_files_hold_dates_of_any_calendar_and_just_what_is_masked(tmp_path: Path) -> None:
    group = zarr.create_group(tmp_path / "s.zarr")
    dated = {"units": "days since 2000-01-01", "calendar": "360_day"}
    time = group.create_array("time", shape=(3,), dtype="i4", dimension_names=["time"])
    time[...] = [0, 30, 60]
    time.attrs.update({**dated, "bounds": "time_bnds"})
    bounds = group.create_array(
        "time_bnds", shape=(3, 2), dtype="i4", dimension_names=["time", "b"]
    )
    bounds[...] = [[0, 30], [30, 60], [60, 90]]
    t = group.create_array("t", shape=(3,), dtype="f4", dimension_names=["time"])
    t[...] = [1, -9, 3]
    t.attrs["_FillValue"] = -9.0
    ex = nz.explore(tmp_path / "s.zarr", path="/time")

    def written(name: str) -> xr.DataArray:
        with xr.open_dataset(ex.export(tmp_path / "a.nc")) as dataset:
            return dataset[name].load()

    assert str(written("time").values[1]) == str(ex.to_xarray(shown=True).values[1])
    assert str(written("time").values[1]) == "2000-02-01 00:00:00"
    ex.path, ex.view = "/time_bnds", {"reduce": {"time": "mean"}}
    assert {**ex.to_xarray(shown=True).attrs, **dated} == ex.to_xarray(shown=True).attrs
    ex.path, ex.view = "/t", {"mask": "raw"}
    assert written("t").values.tolist() == ex.values().tolist() == [1, -9, 3]
    ex.view = {}
    assert np.isnan(written("t").values).tolist() == [False, True, False]
    ex.close()


def test_a_coordinate_along_what_is_reduced_is_left_out(store: Path) -> None:
    ex = nz.explore(store, path="/sst")
    ex.view = {"reduce": {"j": "mean"}}
    assert not {"nav_lon", "nav_lat"} & set(ex.to_xarray(shown=True).coords)
    ex.close()


@pytest.mark.parametrize("zarr_format", [2, 3])
def test_an_array_that_cannot_be_read_gives_the_same_sentence(
    tmp_path: Path, zarr_format: Literal[2, 3]
) -> None:
    unknown: dict[str, Any] = {"zarr_format": zarr_format, "shape": [2], "fill_value": 0}
    (tmp_path / "a").mkdir()
    if zarr_format == 2:
        unknown |= {"chunks": [2], "dtype": "<f4", "order": "C", "filters": None}
        unknown |= {"compressor": {"id": "wavelet"}}
        (tmp_path / ".zgroup").write_text('{"zarr_format": 2}')
        (tmp_path / "a" / ".zarray").write_text(json.dumps(unknown))
    else:
        unknown |= {"node_type": "array", "data_type": "float32", "codecs": [{"name": "wavelet"}]}
        unknown["chunk_grid"] = {"name": "regular", "configuration": {"chunk_shape": [2]}}
        unknown["chunk_key_encoding"] = {"name": "default"}
        (tmp_path / "zarr.json").write_text('{"zarr_format": 3, "node_type": "group"}')
        (tmp_path / "a" / "zarr.json").write_text(json.dumps(unknown))
    ex = nz.explore(tmp_path, path="/a")
    why = 'zarr cannot read /a: the codec "wavelet" is not available here'
    for ask in (ex.values, ex.to_xarray, lambda: ex.array, lambda: nz.scan(ex.node)):
        with pytest.raises(Exception, match=why):
            ask()
    assert ex.figure().axes[0].texts[0].get_text() == why
    for package in ("zarr", "nz_explorer"):
        assert f"# {why}\n" in ex.code(using=package)
    ex.close()


@pytest.mark.parametrize("copied", ["", "inner"], ids=["at the root", "in the group"])
@pytest.mark.parametrize("zarr_format", [2, 3])
def test_all_agree_where_consolidated_metadata_are_stale(
    tmp_path: Path, zarr_format: Literal[2, 3], copied: str
) -> None:
    store = tmp_path / "s.zarr"
    zarr.create_group(store, zarr_format=zarr_format)
    before = xr.Dataset({"t": (("time", "x"), np.arange(12.0).reshape(4, 3))})
    before["time"] = np.arange(4.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        before.to_zarr(store, group="inner", mode="a", consolidated=False, zarr_format=zarr_format)
        zarr.consolidate_metadata(store, path=copied)
    inner = zarr.open_group(store, path="inner", mode="r+", use_consolidated=False)
    inner["t"].resize((6, 3))
    inner["time"].resize((6,))
    # The copy at the root counts; one in a group that the root does not know of is only reported.
    steps = 6 if copied else 4

    ex = nz.explore(store, path="/inner/t")
    assert ex.node.shape == ex.array.shape == (steps, 3)
    assert ex.values().shape == ex.values(whole=True).shape == (steps, 3)
    assert ex.to_xarray().shape == ex.to_xarray(shown=True).shape == (steps, 3)
    for package in ("zarr", "xarray", "nz_explorer"):
        names: dict[str, Any] = {}
        exec(ex.code(using=package), names)
        assert names["values"].shape == (steps, 3)
        if package == "nz_explorer":
            names["ex"].close()
    plt.close("all")
    ex.path = "/inner"
    assert ex.to_xarray().sizes["time"] == steps
    opened: dict[str, Any] = {}
    exec(ex.code(using="zarr"), opened)
    exec(ex.code(using="xarray"), opened)
    assert opened["group"]["t"].shape[0] == opened["ds"].sizes["time"] == steps
    ex.close()


def test_a_program_says_of_the_view_only_what_is_unusual(store: Path) -> None:
    ex = nz.explore(store, path="/t")
    ex.view = {
        "mask": "nz",
        "limits": "held",
        "grid": False,
        "decoded": True,
        "window": {},
        "x": "",
    }
    plain = ex.code(using="nz_explorer")
    assert "'colormap'" in plain
    assert not any(f"'{name}'" in plain for name in ex.view)
    ex.view = {"mask": "storage", "decoded": False}
    assert "'mask': 'storage', 'decoded': False" in ex.code(using="nz_explorer")
    ex.close()


def test_a_program_writes_dates_where_values_are_times(tmp_path: Path) -> None:
    group = zarr.create_group(tmp_path / "s.zarr")
    for name, shape in (("line", (40,)), ("map", (4, 10))):
        valid = group.create_array(name, shape=shape, dtype="i4", fill_value=-1)
        valid[...] = np.arange(40).reshape(shape)
        valid.attrs["units"] = "days since 2001-01-20"
    ex = nz.explore(tmp_path / "s.zarr", path="/line")
    for path in ("/line", "/map"):
        ex.path = path
        plt.close("all")
        exec(compile(ex.code("zarr"), "program", "exec"), {})
        plt.gcf().canvas.draw()
        axes = plt.gcf().axes[-1]  # of the colour bar, where there is one
        written = [label.get_text() for label in axes.get_yticklabels()]
        assert len(written) > 2
        assert all(text.startswith("2001-0") for text in written)
        assert "2001-02-01" in written
    plt.close("all")
    ex.close()
