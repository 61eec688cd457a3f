"""xarray objects and netCDF files are shown as NZ would store them, without anything being written."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr

import nz_explorer as nz
from nz_explorer.model import Array, open_store
from nz_explorer.store import SourceError

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


@pytest.mark.parametrize("name", ["a/b", "..", ""])
def test_names_that_zarr_has_not_are_refused_when_writing(tmp_path: Path, name: str) -> None:
    named = xr.Dataset({name: ("x", [1.0])})
    with pytest.raises(SourceError, match=r"name.*; nothing was written"):
        named.nz.to_zarr(tmp_path / "out.zarr")
    assert not (tmp_path / "out.zarr").exists()
