"""xarray objects and netCDF files are shown as NZ would store them, without anything being written."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import dask.array
import h5py
import netCDF4
import numpy as np
import pandas as pd
import psutil
import pytest
import xarray as xr
from xarray.backends import NetCDF4DataStore
from xarray.backends.netCDF4_ import NETCDF4_PYTHON_LOCK

import nz_explorer as nz
from nz_explorer.model import Array, open_store
from nz_explorer.store import SourceError, resolve
from nz_explorer.store.datasets import dataset_store, netcdf_file, readers
from nz_explorer.store.datasets.encoding import Encoded
from nz_explorer.values.masks.cell_states import VALUE
from nz_explorer.values.reading import size_limits
from nz_explorer.values.reading.size_limits import SizeLimitExceeded
from nz_explorer.values.whole_arrays.census import census
from nz_explorer.values.window import read_window
from nz_explorer.widget.explorer import accessor
from nz_explorer.widget.requests.dimensions import table
from tests.versions import SINCE_3_2

Explore = Callable[..., nz.Explorer]


@pytest.fixture
def dataset() -> xr.Dataset:
    values = np.arange(60.0).reshape(5, 4, 3)
    values[0, 0, 0] = np.nan
    return xr.Dataset(
        {
            "a": (("time", "y", "x"), values, {"units": "K"}),
            "name": ("y", np.array(["a", "bb", "", "d"], object)),
            "n": ((), 3),
        },
        {"time": xr.date_range("2001-01-01", periods=5), "x": [1.0, 2.0, 3.0]},
        {"title": "of a test", "Conventions": "CF-1.8"},
    )


def read_back(source: Any, group: str = "/") -> Any:
    ex = nz.explore(source, path=group)
    try:
        found = ex.to_xarray().load()
    finally:
        ex.close()
    return found


def test_a_dataset_in_memory(dataset: xr.Dataset) -> None:
    report = nz.check(dataset, values="all")
    assert report.complete
    assert report.conforms["NZ-1.0"]
    assert {f.rule for f in report.findings if f.severity != "info"} == set()
    found = read_back(dataset)
    assert found.attrs["conventions"] == "NZ-1.0 CF-1.8"
    xr.testing.assert_equal(found, dataset)
    assert found.a.attrs["units"] == "K"


def test_one_that_is_computed_when_it_is_needed(dataset: xr.Dataset) -> None:
    computed = []

    def twice(block: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        computed.append(block.shape)
        return block * 2

    lazy = xr.apply_ufunc(
        twice, dataset.a.chunk(time=2), dask="parallelized", output_dtypes=[float], keep_attrs=True
    )
    array = open_store(lazy)["/a"]
    assert isinstance(array, Array)
    assert array.chunk_shape == (2, 4, 3)
    before = len(computed)  # of the type of its values xarray looks at one
    found = nz.explore(lazy, path="/a")
    found.index = {"time": 4}
    np.testing.assert_array_equal(found.values(), dataset.a[4] * 2)
    assert len(computed) - before <= 2  # the chunk, and once again the type
    found.close()


def test_a_tree_and_an_array_without_a_name(dataset: xr.Dataset) -> None:
    tree = xr.DataTree.from_dict({"/": dataset, "/g/h": dataset[["n"]]})
    assert [node.path for node in open_store(tree).walk()] == [
        "/", "/a", "/g", "/n", "/name", "/time", "/x", "/g/h", "/g/h/n",
    ]  # fmt: skip
    assert [node.path for node in open_store(dataset.x.rename(None)).walk()] == ["/", "/data", "/x"]


def test_what_was_opened_from_zarr_is_that_store(tmp_path: Path, dataset: xr.Dataset) -> None:
    dataset[["a"]].to_zarr(tmp_path / "s.zarr", consolidated=False)
    with xr.open_zarr(tmp_path / "s.zarr", consolidated=False) as ds:
        assert open_store(ds).reader.kind == "folder"
        # but not what has other dimensions
        assert open_store(ds.isel(time=0)).reader.kind == "xarray Dataset"


def test_names_that_zarr_has_not(dataset: xr.Dataset) -> None:
    with pytest.raises(nz.SourceError, match=r"xarray Dataset cannot be shown as Zarr: .*'a/b'"):
        open_store(xr.Dataset({"x": ("x", [1])}).rename(x="a/b"))


def test_a_large_one_has_chunks_of_a_few_megabytes() -> None:
    array = open_store(xr.DataArray(np.zeros((20, 512, 512)), name="a"))["/a"]
    assert isinstance(array, Array)
    assert array.chunk_shape == (2, 512, 512)


def test_the_accessor(dataset: xr.Dataset) -> None:
    assert accessor.Accessor is type(dataset.nz)
    # in the order in which imports are sorted, too
    later = "import nz_explorer, sys; assert 'xarray' not in sys.modules; import xarray; xarray.Dataset.nz"
    subprocess.run([sys.executable, "-c", later], check=True)
    assert dataset.nz.check().conforms["NZ-1.0"]
    ex = dataset.a.nz.explore()
    assert ex.hierarchy.source == "xarray DataArray a"
    ex.close()


def test_what_nobody_has_written_no_reader_refuses(dataset: xr.Dataset, tmp_path: Path) -> None:
    dataset["a"].encoding["_FillValue"] = -99.0
    report = dataset.nz.check()
    assert {one.opens for one in report.readers.values()} == {None}
    [said] = [one for one in report.findings if one.rule == "NZ-FILL-006"]
    assert said.impact == "advice"
    assert "nothing is written yet" in said.message
    written = nz.check(dataset.nz.to_zarr(tmp_path / "a.zarr"))
    assert written.readers["xarray"].blocked_by == ("NZ-FILL-006",)


def test_written_it_follows_nz_and_says_the_same(dataset: xr.Dataset, tmp_path: Path) -> None:
    dataset["cut"] = ("y", np.array([1, 2, 3, 4], "i2"), {"_FillValue": np.int16(-1)})
    tree = xr.DataTree.from_dict({"/": dataset, "/g": dataset[["a"]].drop_vars(["time", "x"])})
    for fill in ("nz", "xarray"):
        folder = tree.nz.to_zarr(tmp_path / fill, fill=fill)
        report = nz.check(folder, values="all")
        assert report.conforms["NZ-1.0"]
        xr.testing.assert_equal(read_back(folder), tree)
    with xr.open_zarr(tmp_path / "xarray", consolidated=False) as opened:
        xr.testing.assert_equal(opened.load(), dataset)
    with pytest.raises(nz.SourceError, match="exists already; nothing was written"):
        dataset.nz.to_zarr(tmp_path / "nz")


@pytest.mark.parametrize("name", ["ostia", "e1", "nemo"])
def test_real_data_are_written_as_they_are(
    netcdf_file: Callable[[str], Path], name: str, tmp_path: Path
) -> None:
    with xr.open_dataset(netcdf_file(name)) as ds:
        folder = ds.nz.to_zarr(tmp_path / "s.zarr")
        assert nz.check(folder).conforms["NZ-1.0"]
        found = read_back(folder)
        for name_, variable in ds.variables.items():
            np.testing.assert_array_equal(found[name_].values, variable.values)


def test_numbers_are_those_of_the_object_also_where_its_files_were_packed_differently(
    tmp_path: Path,
) -> None:
    parts = []
    for number, offset in enumerate((0.0, 300.0)):
        part = xr.Dataset(
            {"t": (("time", "x"), [[offset, offset + 10]], {"valid_min": np.int16(-5)})}
        )
        part["t"].encoding = {
            "dtype": "i2",
            "scale_factor": 0.001,
            "add_offset": offset,
            "_FillValue": -9,
        }
        part["n"] = ("time", [number + 1.0])
        part["n"].encoding = {"dtype": "i1", "_FillValue": -1}
        part.to_netcdf(tmp_path / f"{number}.nc")
        with xr.open_dataset(tmp_path / f"{number}.nc") as opened:
            parts.append(opened.load())
    ds = xr.concat(parts, "time")
    ds["n"][:] = [1.5, 400.0]
    encoding = {name: dict(variable.encoding) for name, variable in ds.variables.items()}
    found = read_back(ds)
    assert found["t"].values.tolist() == ds["t"].values.tolist() == [[0, 10], [300, 310]]
    assert found["n"].values.tolist() == [1.5, 400]
    assert found["t"].attrs["valid_min"] == -0.005  # of the numbers, as those are
    assert {name: variable.encoding for name, variable in ds.variables.items()} == encoding
    assert ds["t"].attrs["valid_min"] == -5


def test_coordinates_indexes_and_columns_of_pandas_are_shown(dataset: xr.Dataset) -> None:
    time = nz.explore(dataset["time"])
    assert (time.path, len(time.values())) == ("/time", 5)
    time.close()
    backwards = xr.DataArray([1, 2], {"b": [2, 1]}, "b", name="b")
    assert read_back(backwards).values.tolist() == [1, 2]
    stacked = read_back(dataset["a"].stack(point=("y", "x")))
    assert stacked.shape == (5, 12)
    bins = read_back(dataset["a"].groupby_bins("x", [0, 1.5, 4]).mean())
    assert bins["x_bins"].values.tolist() == ["(0.0, 1.5]", "(1.5, 4.0]"]
    table = pd.DataFrame(
        {
            "kind": pd.Categorical(["u", None, "v"]),
            "number": pd.array([1, None, 3], "Int64"),
            "text": ["a", None, "c"],
            "month": pd.period_range("2001-01", periods=3, freq="M"),
        }
    ).to_xarray()
    found = read_back(table)
    assert found["kind"].values.tolist() == ["u", "", "v"]
    assert found["text"].values.tolist() == ["a", "", "c"]
    assert found["month"].values.tolist() == ["2001-01", "2001-02", "2001-03"]
    np.testing.assert_array_equal(found["number"].values, [1, np.nan, 3])


def test_what_is_opened_first_is_what_was_given(dataset: xr.Dataset, tmp_path: Path) -> None:
    def path(source: Any) -> str:
        ex = nz.explore(source)
        ex.close()
        return ex.path

    other = dataset[["n"]].rename(n="m")
    tree = xr.DataTree.from_dict({"/": other, "/g/h": dataset[["n"]], "/i": dataset[["name"]]})
    assert (path(dataset), path(dataset["a"]), path(tree)) == ("/", "/a", "/")
    assert path(dataset["a"].rename(None)) == "/data"
    for file in (tmp_path / "f.zarr", tmp_path / "f.nc"):
        if file.suffix == ".zarr":
            tree.to_zarr(file, consolidated=False)
        else:
            tree.to_netcdf(file)
        options: dict[str, Any] = {"consolidated": False} if file.suffix == ".zarr" else {}
        engine = "zarr" if options else "netcdf4"
        with xr.open_dataset(file, group="g/h", engine=engine, **options) as group:
            assert path(group) == "/g/h"
            assert path(group["n"]).endswith("/n")
        with xr.open_dataset(file, engine=engine, **options) as root:
            assert path(root) == "/"


# --- files ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["ostia", "e1", "nemo"])
def test_a_netcdf_file_is_what_xarray_opens(netcdf_file: Callable[[str], Path], name: str) -> None:
    file = netcdf_file(name)
    found = read_back(file)
    with xr.open_dataset(file) as ds:
        assert set(found.variables) == set(ds.variables)
        for name_, variable in ds.variables.items():
            np.testing.assert_array_equal(found[name_].values, variable.values)
    assert nz.check(file).conforms["NZ-1.0"]


def test_groups_types_and_the_chunks_of_a_file(tmp_path: Path) -> None:
    file = tmp_path / "f.nc"
    with netCDF4.Dataset(file, "w") as ds:
        ds.createDimension("t", None)
        group = ds.createGroup("g")
        group.createDimension("x", 6)
        packed = group.createVariable("p", "i2", ("t", "x"), chunksizes=(1, 3), fill_value=-1)
        packed.scale_factor = 0.5
        packed.set_auto_maskandscale(False)
        packed[:] = np.arange(12).reshape(2, 6) - 1
        texts = group.createVariable("s", str, ("x",))
        texts[:] = np.array(list("abcdef"), object)
    hierarchy = open_store(file)
    array = hierarchy["/g/p"]
    assert isinstance(array, Array)
    assert (array.dimension_names, array.chunk_shape) == (("t", "x"), (1, 3))
    assert array.attributes == {"_FillValue": -1, "scale_factor": 0.5}
    assert census(file)["/g/p"].written == 4
    found = read_back(file, "/g")
    assert found.s.values.tolist() == list("abcdef")
    assert found.p.values[0].tolist()[1:] == [0, 0.5, 1, 1.5, 2]
    assert np.isnan(found.p.values[0, 0])


def test_what_zarr_has_no_type_for_and_dimensions_that_groups_name_alike(tmp_path: Path) -> None:
    file = tmp_path / "f.nc"
    with netCDF4.Dataset(file, "w") as ds:
        ds.createDimension("x", 2)
        pair = np.dtype([("re", "f4"), ("im", "f4")])
        pairs = ds.createVariable("pairs", ds.createCompoundType(pair, "pair_type"), ("x",))
        pairs[:] = np.array([(1, 2), (3, 4)], pair)
        odd = np.dtype([("t", "f8"), ("tag", "S1", (6,))])
        ds.createVariable("odd", ds.createCompoundType(odd, "odd_type"), ("x",))
        ragged = ds.createVariable("ragged", ds.createVLType(np.int16, "shorts"), ("x",))
        ragged[0], ragged[1] = np.array([1], "i2"), np.array([2, 3], "i2")
        clouds = ds.createEnumType(np.uint8, "clouds", {"clear": 0, "high cirrus": 3})
        ds.createVariable("cloud", clouds, ("x",))[:] = [3, 0]
        ds.createVariable("name", str, ("x",))[:] = np.array(["a", "ü"], object)
        group = ds.createGroup("g")
        group.createDimension("x", 7)
        group.createVariable("x", "f4", ("x",))[:] = np.arange(7)
    report = nz.check(file, values="all", progress=False)
    blocking = {f.path: f.rule for f in report.findings if f.impact == "blocks"}
    # what zarr calls struct since 3.2 cannot be opened with an older one
    assert blocking.pop("/pairs", None) == ("NZ-TYPE-001" if SINCE_3_2 else None)
    assert blocking == {"/odd": "Z3-DT-002", "/ragged": "Z3-DT-002"}
    hierarchy = report.evaluation.hierarchy
    arrays = {name: hierarchy[f"/{name}"] for name in ("odd", "ragged", "cloud", "name", "g/x")}
    assert {name: array.metadata["data_type"] for name, array in arrays.items()} == {
        "odd": "compound {t: float64, tag: |S1[6]}",
        "ragged": "int16(*)",
        "cloud": "uint8",
        "name": "string",
        "g/x": "float32",
    }
    assert arrays["cloud"].attributes["flag_meanings"] == "clear high_cirrus"
    assert arrays["cloud"].attributes["flag_values"] == [0, 3]
    ex = nz.explore(file, path="/pairs")
    assert ex.values(whole=True).tolist() == [(1, 2), (3, 4)]
    ex.path = "/g/x"
    assert ex.values(whole=True).tolist() == [*range(7)]
    ex.close()


def test_a_file_that_is_broken_is_an_error_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "f.nc").write_bytes(b"\x89HDF\r\n\x1a\n" + bytes(100))
    with pytest.raises(nz.SourceError, match="could not be read: h5py: "):
        open_store(tmp_path / "f.nc")


def test_an_hdf5_file_with_types_that_netcdf_lacks_is_read_as_it_is(tmp_path: Path) -> None:
    """netCDF-C takes 16-bit numbers for texts and crashes, and cuts or leaves out the others."""
    file = tmp_path / "f.h5"
    with h5py.File(file, "w") as made:
        made["half"] = np.arange(3, dtype="f2")
        made["inside/record"] = np.array([(1, b"hello"), (2, b"you")], [("i", "i4"), ("s", "S5")])
        made["opaque"] = np.array([b"abc", b"def"], "V3")
        made["date"] = np.array(["2020-01-01"], "M8[s]").astype(h5py.opaque_dtype("M8[s]"))
        made["long"] = np.arange(2, dtype="longdouble")
        made["true"] = np.array([True, False])
        made["text"] = np.array(["ä", "bc"], object)
        made["nothing"] = h5py.Empty("f4")
        made["none"] = h5py.Empty("u1")
        made["no_text"] = h5py.Empty("S5")
        made.create_dataset("packed", data=np.arange(9), chunks=(3,), compression="lzf")
    ex = nz.explore(file, path="/half")
    assert ex.hierarchy.reader.kind == "HDF5 file"
    assert ex.values().tolist() == [0, 1, 2]
    for using in ("nz_explorer", "zarr", "xarray"):
        names: dict[str, Any] = {}
        exec(ex.code(using=using), names)
        assert np.asarray(names["values"]).tolist() == [0, 1, 2]
    found = {}
    for path in ("/inside/record", "/opaque", "/long", "/true", "/text", "/packed"):
        ex.path = path
        found[path] = ex.values().tolist()
    assert found == {
        "/inside/record": [(1, b"hello"), (2, b"you")],
        "/opaque": [b"abc", b"def"],
        "/long": [0, 1],
        "/true": [1, 0],
        "/text": ["ä", "bc"],
        "/packed": [*range(9)],
    }
    for path in ("/nothing", "/none"):
        ex.path = path
        assert np.ma.getmaskarray(ex.values()).all(), "a dataset without a value is no 0"
    assert ex.hierarchy["/true"].attributes["flag_meanings"] == "FALSE TRUE"
    assert "without a value" in ex.hierarchy["/no_text"].data_type.text
    assert ex.hierarchy["/date"].kind == "array"
    ex.close()


def test_links_of_an_hdf5_file_that_lead_nowhere_or_back_are_shown_as_such(tmp_path: Path) -> None:
    """One of them is enough for netCDF-C and h5netcdf to open nothing of the file."""
    file = tmp_path / "f.h5"
    with h5py.File(tmp_path / "other.h5", "w") as other:
        other["x"] = np.arange(2)
    with h5py.File(file, "w") as made:
        made["g/x"] = np.arange(3)
        made["soft"], made["gone"] = h5py.SoftLink("/g/x"), h5py.SoftLink("/none")
        made["there"] = h5py.ExternalLink("other.h5", "/x")
        made["away"] = h5py.ExternalLink("deleted.h5", "/x")
        made["g/back"] = made["/"]
    ex = nz.explore(file, path="/soft")
    assert ex.values().tolist() == [0, 1, 2]
    ex.path = "/there"
    assert ex.values().tolist() == [0, 1]
    texts = {path: ex.hierarchy[path].data_type.text for path in ("/gone", "/away", "/g/back")}
    assert texts == {
        "/gone": "HDF5 link to /none, which cannot be opened",
        "/away": "HDF5 link to /x in deleted.h5, which cannot be opened",
        "/g/back": "HDF5 link to /",
    }
    ex.close()


def test_an_hdf5_file_does_not_have_other_folders_read(tmp_path: Path) -> None:
    """Neither by a link, nor by a link by way of another, nor for the values of a dataset."""
    file, elsewhere = tmp_path / "in" / "f.h5", tmp_path / "elsewhere.h5"
    (tmp_path / "secret").write_bytes(b"12345678")
    (file.parent / "data").mkdir(parents=True)
    (file.parent / "data" / "raw").write_bytes(np.arange(2.0).tobytes())
    with h5py.File(elsewhere, "w") as other:
        other["x"] = np.arange(2)
        other["g/x"] = np.arange(2)
    with h5py.File(file, "w") as made:
        made["link"] = h5py.ExternalLink(str(elsewhere), "/x")
        made["up"] = h5py.ExternalLink("../elsewhere.h5", "/g")
        made["by_way"] = h5py.SoftLink("/up/x")
        made.create_dataset("raw", (8,), "u1", external=[(str(tmp_path / "secret"), 0, 8)])
        made.create_dataset("beside", (2,), "f8", external=[("data/raw", 0, 16)])
        layout = h5py.VirtualLayout((2,), "i8")
        layout[:] = h5py.VirtualSource(str(elsewhere), "x", (2,))
        made.create_virtual_dataset("virtual", layout)
    ex = nz.explore(file)
    for name in ("link", "up", "by_way", "raw", "virtual"):
        node = ex.hierarchy[f"/{name}"]
        assert "not in the folder of the file" in node.data_type.text, name
    assert ex.hierarchy["/beside"].kind == "array"
    ex.close()


def test_references_of_an_hdf5_file_are_the_paths_that_they_lead_to(tmp_path: Path) -> None:
    file = tmp_path / "f.h5"
    with h5py.File(file, "w") as made:
        data = made.create_dataset("data", data=np.zeros((4, 5)))
        made.create_dataset("to", (2,), dtype=h5py.ref_dtype)[0] = data.ref
        made.create_dataset("part", (1,), dtype=h5py.regionref_dtype)[0] = data.regionref[1:3, :2]
        data.attrs["whole"] = made["to"].ref
        table = np.dtype([("of", h5py.ref_dtype), ("name", h5py.string_dtype())])
        made.create_dataset("table", (1,), table)
    ex = nz.explore(file, path="/to")
    assert ex.values().tolist() == ["/data", ""]
    assert ex.node.attributes["hdf5_type"] == "reference"
    ex.path = "/part"
    assert ex.values().tolist() == "/data[1:3, 0:2]"
    assert ex.hierarchy["/data"].attributes == {"whole": "/to"}
    of_table = ex.hierarchy["/table"].data_type.text
    assert of_table == "compound {of: HDF5 reference, name: string}"
    ex.close()


def test_names_of_the_dimensions_of_an_hdf5_file(tmp_path: Path) -> None:
    """Those of scales and labels, where they stand for one length; else netCDF-C's, which the table explains."""
    file = tmp_path / "f.h5"
    with h5py.File(file, "w") as made:
        made["half"] = np.zeros((2, 3, 3), "f2")
        made["x"] = np.arange(3.0)
        made["x"].make_scale("x")
        made["some"] = np.zeros((2, 3))
        made["some"].dims[1].attach_scale(made["x"])
        made["labelled"], made["longer"] = np.zeros(4), np.zeros(5)
        made["labelled"].dims[0].label = made["longer"].dims[0].label = "t"
        made["g/z"] = np.zeros(2)
    ex = nz.explore(file)
    arrays = {one.path: one for one in ex.hierarchy.walk() if isinstance(one, Array)}
    assert {path: one.dimension_names for path, one in arrays.items()} == {
        "/half": ("phony_dim_0", "phony_dim_1", "phony_dim_2"),
        "/labelled": ("t",),
        "/longer": ("phony_dim_4",),
        "/some": ("phony_dim_0", "x"),
        "/x": ("x",),
        "/g/z": ("phony_dim_3",),
    }
    rows, _ = table([arrays["/half"]], [arrays["/half"]], lambda _: None)
    assert "HDF5 has no name for this dimension" in rows[0].why
    ex.close()


def test_h5py_reads_files_of_netcdf_as_netcdf_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "f.nc"
    with netCDF4.Dataset(file, "w") as ds:
        ds.createDimension("t", None)
        ds.createDimension("n", 4)
        ds.createDimension("x", 2)
        ds.createVariable("t", "f8", ("t",))[:] = [1, 2, 3]
        ds.createVariable("x", "S1", ("x", "n"))
        ds.createVariable("n", "i4", ("x",))
        ds.createVariable("level", "f4", ())
        group = ds.createGroup("g")
        group.createVariable("data", "f4", ("t", "x"), fill_value=-1)[:] = np.ones((3, 2))
        clouds = group.createEnumType(np.uint8, "clouds", {"clear": 0, "high cirrus": 3})
        group.createVariable("cloud", clouds, ("x",))[:] = [3, 0]
    documents = []
    for known in ("netCDF4", "h5py"):
        monkeypatch.setattr(readers, "find_spec", lambda name, known=known: name == known or None)
        hierarchy = open_store(file)
        documents.append({one.path: one.metadata for one in hierarchy.walk()})
        hierarchy.close()
    assert documents[0] == documents[1]


@pytest.mark.parametrize(("writer", "opens"), [("h5py", False), ("netCDF", True)])
def test_without_h5py_files_of_other_writers_are_not_given_to_netcdf(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, writer: str, opens: bool
) -> None:
    file = tmp_path / "f.h5"
    if writer == "h5py":
        with h5py.File(file, "w") as made:
            made["half"] = np.arange(3, dtype="f2")
    else:
        xr.Dataset({"half": ("x", np.array(["a", "b"], object))}).to_netcdf(file, engine="netcdf4")
    monkeypatch.setattr(readers, "find_spec", lambda name: None if name == "h5py" else name)
    if opens:
        hierarchy = open_store(file)
        assert hierarchy["/half"].data_type.kind == "string"
        hierarchy.close()
    else:
        with pytest.raises(SourceError, match=r"netCDF-C crashes at some .* pip install h5py"):
            open_store(file)


@pytest.mark.parametrize("package", ["h5py", "netCDF4"])
def test_a_file_is_open_only_while_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, package: str
) -> None:
    """libhdf5 crashes where a file with texts is open twice and closed once: the user may have it open, too."""
    monkeypatch.setattr(readers, "find_spec", lambda name: name if name == package else None)
    file = tmp_path / "f.nc"
    for value in (1.0, 2.0):  # written again while an explorer has it
        xr.Dataset({"a": ("x", [value, 0.0])}).to_netcdf(file, engine="netcdf4")
        ex = nz.explore(file, path="/a")
        assert ex.values().tolist() == [value, 0]
        assert str(file) not in [one.path for one in psutil.Process().open_files()]


def test_no_other_thread_is_in_netcdf_while_names_and_attributes_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """netCDF-C is not safe for threads, and xarray has its lock only while it opens files and reads values."""
    monkeypatch.setattr(readers, "find_spec", lambda name: name if name == "netCDF4" else None)
    free = []

    class Store(NetCDF4DataStore):
        def get_attrs(self) -> Any:
            free.append(NETCDF4_PYTHON_LOCK.acquire(False))
            if free[-1]:
                NETCDF4_PYTHON_LOCK.release()
            return super().get_attrs()

    monkeypatch.setattr(netcdf_file, "NetCDF4DataStore", Store)
    xr.Dataset({"a": ("x", [1.0])}, attrs={"b": 1}).to_netcdf(tmp_path / "f.nc", engine="netcdf4")
    open_store(tmp_path / "f.nc").close()
    assert free
    assert not any(free)
    assert NETCDF4_PYTHON_LOCK.acquire(False)
    NETCDF4_PYTHON_LOCK.release()


def test_a_file_can_be_written_again_once_it_is_closed(tmp_path: Path) -> None:
    file = tmp_path / "f.nc"
    for value in (1.0, 2.0):
        xr.Dataset({"a": ("x", [value])}).to_netcdf(file, engine="netcdf4")
        ex = nz.explore(file, path="/a")
        lazily = ex.to_xarray()
        assert float(ex.values()) == value
        ex.close()
    assert lazily.values.tolist() == [2.0]


def test_programs_of_what_is_no_zarr_store(
    netcdf_file: Callable[[str], Path], dataset: xr.Dataset
) -> None:
    for source, path, given in (
        (netcdf_file("ostia"), "/surface_temperature", {}),
        (dataset, "/a", {"ds": dataset}),
    ):
        ex = nz.explore(source, path=path)
        for using in ("nz_explorer", "zarr", "xarray"):
            names: dict[str, Any] = dict(given)
            exec(ex.code(using=using), names)
            if using != "xarray" or "values" in names:
                np.testing.assert_array_equal(
                    np.ma.filled(names["values"], 0), ex.values().filled(0)
                )
            if "ex" in names:
                names["ex"].close()
        ex.close()


@pytest.fixture
def large_chunk(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Nothing of more than 1,000 bytes is decoded, and nobody asks for the values of it."""
    monkeypatch.setattr(size_limits, "MOST_CHUNK_BYTES", 1000)
    values = Encoded.values

    def small(self: Encoded, region: tuple[slice, ...]) -> np.ndarray[Any, Any]:
        assert self.computed_bytes(region) <= 1000
        return values(self, region)

    monkeypatch.setattr(Encoded, "values", small)
    return monkeypatch


def sources(folder: Path) -> dict[str, Any]:
    """Return what has one chunk of 1,600 bytes, and an array that is small."""
    values = np.zeros((10, 20))
    lazy = dask.array.from_array(values, chunks=(10, 20))
    with netCDF4.Dataset(folder / "a.nc", "w") as file:
        for name, length in (("y", 10), ("x", 20)):
            file.createDimension(name, length)
        file.createVariable("a", "f8", ("y", "x"), zlib=True, chunksizes=(10, 20))[:] = values
        file.createVariable("small", "f8", ("x",))[:] = 1.0
    small = xr.DataArray(np.ones(20), dims="x")
    return {
        "computed": xr.Dataset({"a": (("y", "x"), lazy), "small": small}),
        "file": folder / "a.nc",
    }


@pytest.mark.parametrize("kind", ["computed", "file"])
def test_a_chunk_that_is_too_large_is_neither_read_nor_computed(
    kind: str, tmp_path: Path, large_chunk: pytest.MonkeyPatch
) -> None:
    source = sources(tmp_path)[kind]
    says = "the chunk has 1.56 KiB decoded, more than the limit of 1000 bytes for a chunk"
    report = nz.check(source, values="all", progress=False)
    assert {one.reason for one in report.not_evaluated if one.path == "/a"} == {f"unreadable: {says}"}  # fmt: skip
    ex = nz.explore(source, path="/a")
    for read in (lambda: ex.array[:], lambda: ex.array[3, 4], lambda: ex.to_xarray().load()):
        with pytest.raises(SizeLimitExceeded, match=r"1\.56 KiB decoded"):
            read()
    assert ex.values(whole=True).mask.all()
    ex.path = "/small"
    assert (ex.values() == 1).all()
    ex.close()


def test_what_dask_would_compute_for_a_chunk_counts(
    tmp_path: Path, large_chunk: pytest.MonkeyPatch
) -> None:
    """Where the first chunk is smaller than the others, those are computed for chunks of its size."""
    large_chunk.setattr(dataset_store, "MAX_OBJECT_BYTES", 1000)
    lazy = dask.array.from_array(np.ones(240), chunks=((20, 220),))
    source = xr.Dataset({"a": ("x", lazy)})
    found = nz.open_store(source)["/a"]
    window = read_window(found, (0,), {}, (240,))  # type: ignore[arg-type]
    assert (window.states == VALUE).sum() == 20
    assert len(window.errors) == 11
    assert "Dask computes 1,760 bytes for it; the limit is 1,000" in window.errors[0].message


def test_a_slice_that_does_not_fit_is_not_read(
    dataset: xr.Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    ex = nz.explore(dataset, path="/a")
    assert ex.values(whole=True).shape == (4, 3)
    monkeypatch.setattr(size_limits, "most_selected_bytes", lambda: 3 * 96 - 1)
    with pytest.raises(SizeLimitExceeded, match="the slice has 96 bytes and takes 3 times as much"):  # fmt: skip
        ex.values(whole=True)
    monkeypatch.undo()
    monkeypatch.setattr(size_limits, "MOST_SLICE_CHUNKS", 0)
    with pytest.raises(SizeLimitExceeded, match="the slice touches 1 chunks"):
        ex.values(whole=True)
    ex.close()


@pytest.mark.parametrize("name", ["a/b", "..", ""])
def test_nothing_is_written_under_names_that_zarr_has_not(tmp_path: Path, name: str) -> None:
    named = xr.Dataset({name: ("x", [1.0])})
    with pytest.raises(SourceError, match=r"name.*; nothing was written"):
        named.nz.to_zarr(tmp_path / "out.zarr")
    assert not (tmp_path / "out.zarr").exists()


def test_a_dataset_that_was_changed_is_shown_as_it_is_now(tmp_path: Path) -> None:
    file = tmp_path / "a.zarr"
    made = xr.Dataset({"t": (("y", "x"), np.arange(6.0).reshape(2, 3))}, {"x": [1, 2, 3]})
    made.to_zarr(file, zarr_format=2)
    for chunks in (None, {}):
        opened = xr.open_dataset(file, engine="zarr", chunks=chunks)
        assert resolve(opened).kind == "folder"
        for changed in (
            opened.assign(t=opened.t + 1),
            opened.isel(x=slice(0, 2)),
            opened.isel(x=slice(None, None, -1)),
            opened.assign_coords(x=opened.x + 1),
            opened.load(),
        ):
            assert resolve(changed).kind.startswith("xarray")
