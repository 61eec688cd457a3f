import warnings

import numpy as np
import pytest
import xarray
import zarr

from nz_explorer.model import open_store
from nz_explorer.values.reading.opening import UnsupportedArray
from nz_explorer.values.to_xarray import LeftOut, to_xarray


def quietly(function, *arguments, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*arguments, **options)


@pytest.mark.parametrize("name", ["ostia", "e1", "nemo", "eraint"])
@pytest.mark.parametrize("form", ["v3", "v2", "literal"])
def test_real_data_equals_the_netcdf_file(netcdf_file, zarr_from_netcdf, name, form):
    want = quietly(xarray.open_dataset, netcdf_file(name))
    path = quietly(zarr_from_netcdf, name, 2 if form == "v2" else 3, literal=form == "literal")
    hierarchy = open_store(path)
    got = to_xarray(hierarchy.root)
    xarray.testing.assert_equal(got, want)
    assert set(got.coords) == set(want.coords)
    for variable in want.variables:
        assert got[variable].dtype == want[variable].dtype
        np.testing.assert_array_equal(got[variable].isnull(), want[variable].isnull())
    if form != "literal":  # which xarray refuses
        xarray.testing.assert_identical(got, quietly(xarray.open_zarr, path, chunks=None))
    for variable in want.data_vars:
        xarray.testing.assert_equal(to_xarray(hierarchy[f"/{variable}"]), want[variable])


def test_values_are_read_when_they_are_used(store):
    store.array("a", np.arange(6.0).reshape(2, 3), dims=("y", "x"), chunks=(1, 3))
    found = to_xarray(store["a"])
    assert not found.variable._in_memory
    store.chunk("a", 1, 0).write_bytes(b"?")
    assert found.isel(y=0).values.tolist() == [0, 1, 2]
    assert found[0, [2, 0]].values.tolist() == [2, 0]


def test_stores_that_xarray_refuses(store):
    store.array("a", np.array([1, -9, 3.0], "f4"), attributes={"_FillValue": -9})
    store.array("x", np.array([1, 2, 3]), dims=("x",))
    store.array("b", np.ones((3, 2)), dims=("x", "x"))
    store.array("c", np.ones(4), dims=("x",))
    store.array("d", np.ones((2, 2)), dims=("same", "same"))
    store.array("s", np.array(5.0))
    store.edit("c", fill_value="none", attributes={"_FillValue": [1, 2]})
    with pytest.raises(Exception):  # noqa: B017, PT011
        quietly(xarray.open_zarr, store.folder, consolidated=False)
    found = to_xarray(store.open().root)
    np.testing.assert_array_equal(found["a"], [1, np.nan, 3])
    assert found["a"].dtype == np.float32
    assert found["a"].dims == ("dim_0",)
    assert found["x"].dims == ("x",)
    assert found["c"].dims == ("x_4",)
    assert len(set(found["b"].dims)) == 2
    assert len(set(found["d"].dims)) == 2
    assert found["s"].item() == 5


def test_arrays_that_cannot_be_read_are_left_out(store):
    store.array("a", np.arange(3))
    store.array("b", np.arange(3))
    store.edit("b", codecs=[{"name": "rot13"}])
    with pytest.warns(LeftOut, match="rot13"):
        found = to_xarray(store.open().root)
    assert list(found) == ["a"]
    with pytest.raises(UnsupportedArray, match="rot13"):
        to_xarray(store["b"])
    assert to_xarray(store["a"]).values.tolist() == [0, 1, 2]


def test_coordinates_that_cannot_be_read_are_left_out(store):
    store.array("a", np.arange(3))
    store.array("x", np.arange(3), dims=("x",))
    store.chunk("x", 0).write_bytes(b"?")
    with pytest.warns(LeftOut, match="/x is left out"):
        assert list(to_xarray(store.open().root).variables) == ["a"]


def test_attributes_that_are_no_cf_do_not_spoil_the_rest(store):
    store.array("a", np.array([0.0, 1.0]), dims=("t",))
    store.array("t", np.array([0, 1]), dims=("t",), attributes={"units": "days since yesterday"})
    store.array("b", np.array([1, 2]), dims=("t",), attributes={"scale_factor": "two"})
    store.array("c", np.array([1, 2]), dims=("t",), attributes={"scale_factor": 2.0})
    with pytest.warns(LeftOut) as caught:
        found = to_xarray(store.open().root)
    said = " ".join(str(warning.message) for warning in caught)
    assert "/b is not wholly decoded by xarray: scale_factor is no number" in said
    assert "not wholly decoded by xarray: /t" in said
    assert found["c"].values.tolist() == [2, 4]
    assert found["b"].values.tolist() == [1, 2]
    assert found["t"].values.tolist() == [0, 1]


def test_groups_in_groups(store):
    store.array("x", np.arange(3), dims=("x",))
    group = store.group.create_group("g", attributes={"title": "below"})
    group.create_array("x", data=np.arange(2), dimension_names=("x",))
    group.create_array("v", data=np.arange(2.0), dimension_names=("x",))
    hierarchy = store.open()
    with pytest.warns(LeftOut, match="names of dimensions"):
        tree = to_xarray(hierarchy.root)
    assert isinstance(tree, xarray.DataTree)
    assert tree["/x"].sizes == {"x": 3}
    assert tree["/g"].attrs == {"title": "below"}
    assert tree["/g/v"].values.tolist() == [0, 1]
    below = to_xarray(hierarchy["/g"])
    assert isinstance(below, xarray.Dataset)
    assert below["v"].dims == ("x",)


def test_an_array_at_the_root(tmp_path):
    import zarr

    zarr.create_array(tmp_path / "a.zarr", data=np.arange(3.0))
    found = to_xarray(open_store(tmp_path / "a.zarr").root)
    assert found.name is None
    assert found.values.tolist() == [0, 1, 2]


def test_strings_are_objects_as_from_netcdf(store):
    names = store.array("s", shape=(2,), dtype="string", dims=("s",))
    names[:] = np.array(["a", "b"], dtype=object)
    found = to_xarray(store["s"])
    assert found.values.tolist() == ["a", "b"]
    assert found.dtype == object


@pytest.mark.parametrize("name", ["v1", "v2", "attributes", "quotes", "unsigned"])
def test_stores_of_netcdf_c(nczarr_zip, name):
    hierarchy = open_store(nczarr_zip(name))
    found = to_xarray(hierarchy.root)
    for node in hierarchy.walk():
        if node.kind == "array":
            assert found[node.path.strip("/")].shape == node.shape


def test_a_missing_number_of_days_is_nan(tmp_path):
    """xarray itself (2026.9) makes -2**63 of it."""
    group = zarr.create_group(tmp_path / "s.zarr")
    marked = {"_FillValue": -9, "units": "days"}
    group.create_array("dry", data=np.array([-9, 1, 2], "i2"), dimension_names=("x",)).attrs.update(
        marked
    )
    lead = group.create_array("lead", data=np.array([6, 12], "i8"), dimension_names=("lead",))
    lead.attrs.update({"units": "hours", "dtype": "timedelta64[ns]"})
    found = to_xarray(open_store(tmp_path / "s.zarr")["/"])
    np.testing.assert_array_equal(found.dry, [np.nan, 1, 2])
    assert found.lead.dtype.kind == "m"
