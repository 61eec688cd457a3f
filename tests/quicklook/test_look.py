import json
import warnings

import numpy as np
import pytest
import zarr

from nz_explorer.model import NodeNotFound, open_store
from nz_explorer.quicklook import make, thumbnail
from nz_explorer.store import Cancellation, Cancelled
from nz_explorer.values.cache import ChunkCache
from nz_explorer.values.states import ABSENT, CODES, FILL, UNREADABLE, VALUE


@pytest.fixture
def group(tmp_path):
    return zarr.open_group(tmp_path / "store.zarr", mode="w")


@pytest.fixture
def grid(group):
    """A field over time, latitude (from north to south) and longitude."""
    values = np.arange(2 * 3 * 4, dtype="f4").reshape(2, 3, 4)
    values[:, 0, 0] = -999
    temperature = group.create_array(
        "temperature", data=values, chunks=(1, 2, 2), dimension_names=("time", "lat", "lon")
    )
    temperature.attrs.update({"_FillValue": -999.0, "units": "K", "long_name": "Air temperature"})
    for name, numbers, units in [
        ("time", [0, 31], "days since 2001-01-01"),
        ("lat", [60.0, 50.0, 40.0], "degrees_north"),
        ("lon", [0.0, 10.0, 20.0, 30.0], "degrees_east"),
    ]:
        array = group.create_array(name, data=np.array(numbers), dimension_names=(name,))
        array.attrs["units"] = units
    return group


def look(group, path, index=None, **options):
    return make(open_store(group.store), path, index, **options)


def edit(group, name, **members):
    file = group.store.root / name / "zarr.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | members))


def test_a_map(grid):
    found = look(grid, "/temperature", {"time": 1})
    assert found.kind == "map"
    assert found.values_type == "float32"
    assert found.values.shape == (3, 4)
    assert found.values[1].tolist() == [16, 17, 18, 19]
    assert found.values[0, 0] == -999  # as stored; the states mask it
    assert (found.cell_states == FILL).sum() == 1
    assert (found.low, found.high) == (13, 23)
    assert (found.y.label, found.y.kind, found.y.decreasing) == ("lat", "number", True)
    assert found.y.units == "degrees_north"
    assert found.x.coordinates.tolist() == [0, 10, 20, 30]
    (slider,) = found.sliders
    assert (slider.dimension, slider.index, slider.label) == ("time", 1, "2001-02-01")
    assert found.title == "temperature · time 2001-02-01"
    assert found.label == (
        "map of /temperature over lat (60 to 40 degrees_north) and lon (0 to 30 degrees_east) "
        "at time 2001-02-01; values from 13 to 23 K; 8.33 % _FillValue"
    )
    assert [(count.state, count.count) for count in found.states] == [("value", 11), ("fill", 1)]
    assert all(CODES[count.state] == count.code for count in found.states)
    assert found.fill == "-999.0"
    assert found.read.complete


def test_the_index_is_kept_inside_and_other_names_do_not_matter(grid):
    assert look(grid, "/temperature", {"time": 9, "nonsense": 3}).sliders[0].index == 1
    assert look(grid, "/temperature", {"time": -1}).sliders[0].index == 1
    assert look(grid, "/temperature").sliders[0].index == 0


def test_a_line(grid):
    found = look(grid, "/lat")
    assert (found.kind, found.y) == ("line", None)
    assert found.x.kind == "index"  # a coordinate over itself would be a diagonal
    assert found.values.tolist() == [60, 50, 40]


def test_dimensions_of_length_one_are_no_picture(group):
    group.create_array("a", data=np.arange(5.0).reshape(5, 1, 1))
    found = look(group, "/a")
    assert (found.kind, found.x.label, found.x.size) == ("line", "dim_0", 5)
    assert [slider.dimension for slider in found.sliders] == ["dim_1", "dim_2"]
    group.create_array("b", data=np.array([[7.0]]))
    assert (look(group, "/b").kind, look(group, "/b").text) == ("scalar", "7.0")


def test_scalars(group):
    array = group.create_array("a", data=np.array(1.5))
    array.attrs["units"] = "m"
    found = look(group, "/a")
    assert (found.kind, found.text, found.units) == ("scalar", "1.5", "m")
    assert found.label == "value of /a; 1.5 m"
    array = group.create_array("t", data=np.array(31))
    array.attrs["units"] = "days since 2001-01-01"
    assert look(group, "/t").text == "2001-02-01 (31)"
    array = group.create_array("m", data=np.array(-9))
    array.attrs["_FillValue"] = -9
    assert look(group, "/m").label.endswith("state: _FillValue")


def test_texts(group):
    array = group.create_array("names", shape=(3,), dtype="string", chunks=(2,))
    array[:] = np.array(["Oslo", "Bern\nBerne", "n/a"], dtype=object)
    array.attrs["_FillValue"] = "n/a"
    found = look(group, "/names")
    assert found.kind == "text"
    assert found.text == "0  Oslo\n1  Bern Berne\n2  n/a (_FillValue)"
    assert found.values is None
    group.create_array("many", shape=(5, 10**6), dtype="string", chunks=(1, 10**6), fill_value="x")
    found = look(group, "/many", {"dim_0": 2})
    assert len(found.text.splitlines()) == 200
    assert "200 of 1000000 elements are shown" in found.message


@pytest.mark.parametrize(
    ("values", "expected", "values_type", "word"),
    [
        (np.array([True, False]), [1, 0], "float32", None),
        (np.array([3 + 4j, 0]), [5, 0], "float64", "magnitude"),
        (np.array([3 + 4j, 0], "c8"), [5, 0], "float32", "magnitude"),
        (np.array([2**53, 1]), [2**53, 1], "float64", None),
        (np.array([5, 1], "i2"), [5, 1], "float32", None),
        (np.array([1, "NaT"], "M8[D]"), [1, np.nan], "float64", "D since 1970"),
    ],
)
def test_numbers_of_other_types(group, values, expected, values_type, word):
    if values.dtype.kind == "M":
        values = values.astype("M8[D]")
    group.create_array("a", data=values)
    found = look(group, "/a")
    np.testing.assert_array_equal(found.values, expected)
    assert found.values_type == values_type
    assert (found.message is None) if word is None else (word in found.message)


def test_packed_values_are_shown_as_stored_and_said_to_be(group):
    array = group.create_array("a", data=np.array([1, 2], "i2"))
    array.attrs.update({"scale_factor": 0.5, "add_offset": -3.0, "units": "m"})
    found = look(group, "/a")
    assert found.values.tolist() == [1, 2]
    assert found.units is None
    assert found.message.endswith("the unpacked value in m is stored × 0.5 − 3")


def test_a_corrupt_chunk_is_a_hole_in_the_picture(grid):
    (grid.store.root / "temperature/c/0/1/0").write_bytes(b"?")
    found = look(grid, "/temperature")
    assert found.kind == "map"
    assert (found.cell_states == UNREADABLE).sum() == 2
    assert np.isnan(found.values[found.cell_states == UNREADABLE]).all()
    assert found.errors[0].chunk.endswith("temperature/c/0/1/0")
    assert "could not be read" in found.message


@pytest.mark.parametrize(
    ("members", "word"),
    [
        ({"data_type": "int7"}, "data type"),
        ({"codecs": [{"name": "rot13"}]}, "rot13"),
        ({"shape": "large"}, "shape"),
        ({"shape": [0, 3, 4]}, "length of time is 0"),
        ({"shape": []}, "chunk grid"),
        ({"chunk_key_encoding": 3}, "zarr cannot read"),
        ({"fill_value": {}, "dimension_names": 3, "attributes": {"_FillValue": []}}, None),
        ({"attributes": {"units": 3, "_FillValue": "x", "scale_factor": "y"}}, None),
    ],
)
def test_bad_documents_never_raise(grid, members, word):
    edit(grid, "temperature", **members)
    found = look(grid, "/temperature")
    if word is None:
        assert found.kind == "map"
    else:
        assert found.kind == "none"
        assert word in found.message
        assert found.values is None


def test_what_does_not_fit_the_fill_value_is_said(grid):
    edit(grid, "temperature", attributes={"_FillValue": "x"})
    assert look(grid, "/temperature").fill == '"x" (not usable): "x" is a string, not a number'


def test_paths_that_are_no_array(grid):
    assert "not an array" in look(grid, "/").message
    with pytest.raises(NodeNotFound):
        look(grid, "/nothing")


def test_a_chunk_beyond_the_budget(grid):
    found = look(grid, "/temperature", budget=3)
    assert found.kind == "none"
    assert "more than the budget" in found.message
    assert look(grid, "/temperature", budget=3, everything=True).kind == "map"


def test_no_more_points_than_pixels(group):
    group.create_array("a", shape=(1000, 3000), dtype="i1", chunks=(100, 100), fill_value=1)
    found = look(group, "/a", width=80, height=50)
    assert found.values.shape == (50, 79)
    assert (found.y.step, found.x.step) == (20, 38)
    assert (found.cell_states == ABSENT).all()
    assert found.read.decimated
    assert found.low is None


def test_the_next_slice_is_drawn_from_memory(grid):
    hierarchy, cache = open_store(grid.store), ChunkCache()
    make(hierarchy, "/temperature", {"time": 0}, cache=cache)
    misses = cache.misses
    found = make(hierarchy, "/temperature", {"time": 0}, cache=cache)
    assert cache.misses == misses
    assert found.read.decoded_bytes == 0


def test_cancelled(grid):
    cancel = Cancellation()
    cancel.cancel()
    with pytest.raises(Cancelled):
        look(grid, "/temperature", cancel=cancel)


@pytest.mark.parametrize("name", ["ostia", "e1", "nemo", "eraint"])
@pytest.mark.parametrize("zarr_format", [2, 3])
def test_every_array_of_the_real_data(zarr_from_netcdf, netcdf_file, name, zarr_format):
    import xarray

    hierarchy = open_store(zarr_from_netcdf(name, zarr_format, literal=False))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what xarray thinks of the files
        original = xarray.open_dataset(netcdf_file(name), decode_times=False)
    for array in hierarchy.children("/"):
        found = make(hierarchy, array, {})
        assert found.kind in ("line", "map", "scalar")
        if found.kind == "map" and not found.read.decimated:
            want = original[array.name]
            want = want.isel(dict.fromkeys(want.dims[:-2], 0)).values
            np.testing.assert_array_equal(found.cell_states != VALUE, np.isnan(want))


# --- small pictures -----------------------------------------------------------------------------


def test_a_small_map_lies_as_the_large_one(grid):
    image = thumbnail(look(grid, "/temperature"), 40, 20)
    assert image.shape == (3, 4)
    assert image.dtype == np.uint8
    assert image[0, 0] == 0  # missing, in the north-west: latitudes fall with the index
    assert image[2, 3] == 255
    assert image[0, 1] == 1
    grid["lat"][:] = [40.0, 50.0, 60.0]
    image = thumbnail(look(grid, "/temperature"), 40, 20)
    assert image[2, 0] == 0
    del grid["lat"]
    assert thumbnail(look(grid, "/temperature"), 40, 20)[0, 0] == 0


def test_a_small_line(group):
    group.create_array("a", data=np.array([0.0, 1.0, np.nan, 1.0, 1.0]))
    image = thumbnail(look(group, "/a"), 100, 11)
    assert image.shape == (11, 5)
    assert image[10, 0] == 1
    assert (image[:, 1] == 255).all()  # it climbs from the bottom to the top
    assert not image[:, 2].any()
    assert np.flatnonzero(image[:, 4]).tolist() == [0]


def test_nothing_small_of_what_is_no_picture(group):
    group.create_array("s", data=np.array(1.0))
    assert thumbnail(look(group, "/s")) is None
    group.create_array("n", data=np.full((4, 4), np.nan))
    assert not thumbnail(look(group, "/n")).any()
    group.create_array("c", data=np.full((4, 4), 1e308))
    assert (thumbnail(look(group, "/c")) == 128).all()
    group.create_array("w", data=np.array([[-1.7e308, 1.7e308]]))
    assert thumbnail(look(group, "/w")).size == 2 * 100
