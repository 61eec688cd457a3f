"""Programs of xarray objects and netCDF files read them with xarray itself."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import netCDF4
import numpy as np
import pytest
import xarray as xr

import nz_explorer as nz
from nz_explorer.model import Array


@pytest.fixture(autouse=True)
def no_figures() -> Iterator[None]:
    with plt.rc_context({"backend": "agg"}):
        yield
    plt.close("all")


@pytest.fixture
def dataset() -> xr.Dataset:
    rng = np.random.default_rng()
    values = rng.normal(size=(4, 5, 6)).astype("f4")
    values[0, 1, 2] = np.nan
    ds = xr.Dataset(
        {
            "t": (("time", "lat", "lon"), values, {"units": "K"}),
            "land": (("lat", "lon"), values[0] > 0),
            "name": ("lon", [*"abcdef"]),
            "n": ("time", [3, 1, 4, 1]),
        },
        {
            "time": xr.date_range("2001-01-01", periods=4),
            "lat": ("lat", np.linspace(-40.0, 40, 5), {"units": "degrees_north"}),
            "height": 2.0,
        },
    )
    ds["filled"] = ds["t"].copy()
    ds["filled"].encoding["_FillValue"] = np.float32(-99)
    return ds


def values_of(text: str, **names: Any) -> Any:
    exec(text, names)
    return names["values"]


def check_programs(ex: nz.Explorer, source: Any) -> dict[str, str]:
    """Run the program with xarray for each array, and return all."""
    found = {}
    for node in ex.hierarchy.walk():
        if isinstance(node, Array):
            ex.path = node.path
            found[node.path] = text = ex.code("xarray")
            values, expected = values_of(text, ds=source), ex.values()
            assert np.array_equal(np.ma.getmaskarray(values), np.ma.getmaskarray(expected)), text
            assert values.tolist() == expected.tolist(), text
    ex.close()
    return found


def test_a_dataset_is_read_itself(dataset: xr.Dataset) -> None:
    found = check_programs(nz.explore(dataset), dataset)
    assert "da = ds['t'][0, 0:5, 0:6]\n" in found["/t"]
    for path in ("/t", "/land", "/filled", "/height", "/n"):
        assert "xr.open" not in found[path]
        assert "nz.explore" not in found[path]
    assert "encodes it" in found["/time"]  # as numbers, which it is shown as


def test_a_data_array_and_a_tree(dataset: xr.Dataset) -> None:
    assert "da = ds[0, 0:5, 0:6]\n" in check_programs(nz.explore(dataset.t), dataset.t)["/t"]
    tree = xr.DataTree.from_dict({"/g/h": dataset})
    found = check_programs(nz.explore(tree), tree)
    assert "da = ds['g/h/t'][0, 0:5, 0:6]\n" in found["/g/h/t"]


def test_a_file_is_opened_with_xarray(tmp_path: Path) -> None:
    file = tmp_path / "f.nc"
    with netCDF4.Dataset(file, "w") as ds:
        group = ds.createGroup("g")
        group.createDimension("x", 4)
        packed = group.createVariable("p", "i2", ("x",), fill_value=-9)
        packed.scale_factor = 0.5
        packed.set_auto_maskandscale(False)
        packed[:] = [1, -9, 3, 4]
    [text] = check_programs(nz.explore(file), None).values()
    assert f"ds = xr.open_dataset({str(file)!r}, group='g', decode_cf=False)" in text
    assert "nz_explorer" not in text


def test_what_is_compared_has_a_name_of_its_own(dataset: xr.Dataset) -> None:
    other = dataset[["t"]] + 2
    ex = nz.explore(dataset, path="/t")
    ex.compare(other)
    ex.view = {"against": {"store": "xarray Dataset"}}
    for using in ("zarr", "xarray", "nz_explorer"):
        values = values_of(ex.code(using), ds=dataset, other_ds=other)
        np.testing.assert_allclose(values.compressed(), -2, rtol=1e-6)
    ex.close()


def test_joined_characters_are_shown_one_by_one(tmp_path: Path) -> None:
    file = tmp_path / "f.nc"
    with netCDF4.Dataset(file, "w") as ds:
        ds.createDimension("station", 2)
        ds.createDimension("length", 3)
        ds.createVariable("code", "S1", ("station", "length"))[:] = [[*"abc"], [*"de "]]
    ex = nz.explore(file, path="/code")
    assert ex.to_xarray().values.tolist() == [b"abc", b"de "]
    shown = ex.to_xarray(shown=True)
    assert (shown.dims, shown.values.tolist()) == (("station", "length"), ex.values().tolist())
    ex.close()
