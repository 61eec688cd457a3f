"""Coordinates of groups above serve the arrays below them, as xarray's DataTree inherits them and CF looks for them."""

import warnings

import numpy as np
import pytest
import xarray
import zarr

import nz_explorer as nz
from nz_explorer.model.dialects.crs import grid_mappings

TIMES = np.array(["2000-01-01", "2000-01-02"], "M8[ns]")


@pytest.fixture
def tree(tmp_path):
    root = xarray.Dataset(
        coords={"time": TIMES, "lat": ("lat", [10.0, 20, 40], {"units": "degrees_north"})}
    )
    below = xarray.Dataset(
        {"t": (("time", "lat", "lon"), np.arange(24.0).reshape(2, 3, 4))},
        coords={"lon": ("lon", [0.0, 1, 2, 3], {"units": "degrees_east"})},
    )
    made = xarray.DataTree.from_dict({"/": root, "/a/b": below})
    made.to_zarr(tmp_path / "t.zarr", consolidated=False)
    return tmp_path / "t.zarr", made


@pytest.fixture(params=["a store", "a tree in memory"])
def explorer(request, tree):
    store, made = tree
    ex = nz.explore(store if request.param == "a store" else made, path="/a/b/t")
    yield ex
    ex.close()


def test_what_a_tree_inherits_is_shown_chosen_by_and_handed_out(explorer):
    explorer.sel(time="2000-01-02")
    assert explorer.index["time"] == 1
    look = explorer._look()
    assert [slider.label for slider in look.sliders] == ["2000-01-02"]
    assert look.y.coordinates.tolist() == [10, 20, 40]
    for handed in (explorer.to_xarray(), explorer.to_xarray(shown=True)):
        assert handed["lat"].values.tolist() == [10, 20, 40]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        explorer.path = "/a/b"
        assert set(explorer.to_xarray().coords) == {"time", "lat", "lon"}


def test_the_nearest_that_is_as_long_is_taken_and_one_beside_the_array_goes_first(tmp_path):
    root = zarr.create_group(tmp_path / "s.zarr", zarr_format=3)
    near = root.create_group("a")
    for group, values in ((root, [1.0, 2, 3]), (near, [4.0, 5])):
        group.create_array("x", data=np.array(values), dimension_names=("x",))
    below = near.create_group("b")
    for name, length in (("of_near", 2), ("of_root", 3), ("of_none", 4)):
        below.create_array(name, data=np.ones(length), dimension_names=("x",))

    def coordinates(name):
        found = nz.explore(tmp_path / "s.zarr", path=f"/a/b/{name}")._look().x.coordinates
        return None if found is None else found.tolist()

    assert coordinates("of_near") == [4, 5]
    assert coordinates("of_root") == [1, 2, 3]
    assert coordinates("of_none") is None
    below.create_array("x", data=np.array([7.0, 8]), dimension_names=("x",))
    assert coordinates("of_near") == [7, 8]
    assert coordinates("of_root") is None  # of what stands beside it nothing else is hidden


@pytest.mark.parametrize("named", ["height", "/height", "../height"])
def test_coordinates_may_name_what_is_above(tmp_path, named):
    root = zarr.create_group(tmp_path / "s.zarr", zarr_format=3)
    height = root.create_array("height", data=np.array(2.0))
    height.attrs["units"] = "m"
    field = root.create_group("a").create_array("t", data=np.ones((2, 2)))
    field.attrs["coordinates"] = named
    assert nz.explore(tmp_path / "s.zarr", path="/a/t")._look().aside == ("height 2 m",)


@pytest.mark.parametrize("named", ["crs", "/crs", "../crs", "/a/../crs: x y"])
def test_grid_mappings_too(tmp_path, named):
    root = zarr.create_group(tmp_path / "s.zarr", zarr_format=3)
    root.create_array("crs", data=np.array(0)).attrs["grid_mapping_name"] = "latitude_longitude"
    field = root.create_group("a").create_array("t", data=np.ones((2, 2)))
    field.attrs["grid_mapping"] = named
    array = nz.explore(tmp_path / "s.zarr", path="/a/t").node
    assert [node.path for node in grid_mappings(array, None)] == ["/crs", "/a/t"]
