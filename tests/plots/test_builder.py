import json
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import zarr

from nz_explorer.model import NodeNotFound, open_store
from nz_explorer.plots import figure, make, missing, thumbnail
from nz_explorer.plots.colours.categories import category_colour
from nz_explorer.plots.drawing.view import View
from nz_explorer.plots.registry import kind_of
from nz_explorer.store import Cancellation, Cancelled
from nz_explorer.values.masks.cell_states import ABSENT, CODES, FILL, UNREADABLE, VALUE
from nz_explorer.values.reading.chunk_cache import ChunkCache


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


@pytest.mark.parametrize(
    ("asked", "shown"),
    [
        ({"x": "time"}, ("lat", "time")),
        ({"y": "time"}, ("time", "lon")),
        ({"x": "lat"}, ("lon", "lat")),  # they trade places
        ({"x": "time", "y": "lon"}, ("lon", "time")),
        ({"x": "lat", "y": "lat"}, ("lon", "lat")),
        ({"x": "nonsense"}, ("lat", "lon")),
    ],
)
def test_any_dimension_along_either_axis(grid, asked, shown):
    found = look(grid, "/temperature", {"time": 1, "lat": 1, "lon": 2}, **asked)
    assert (found.y.label, found.x.label) == shown
    stored = grid["temperature"][:]
    fixed = {"time": 1, "lat": 1, "lon": 2}
    names = ["time", "lat", "lon"]
    part = stored[tuple(slice(None) if name in shown else fixed[name] for name in names)]
    left = [name for name in names if name in shown]
    np.testing.assert_array_equal(found.values, part if left == list(shown) else part.T)
    assert {slider.dimension for slider in found.sliders} == set(names) - set(shown)


def test_a_time_series(grid):
    found = look(grid, "/temperature", {"lat": 2, "lon": 3}, kind="line", x="time")
    assert found.values.tolist() == [11, 23]
    assert found.x.labels == ["2001-01-01", "2001-02-01"]
    assert [slider.label for slider in found.sliders] == ["40", "30"]


def test_an_image_keeps_its_axes(group):
    group.create_array("photo", data=np.zeros((4, 5, 3), "u1"), dimension_names=("y", "x", "band"))
    found = look(group, "/photo", x="y")
    assert (found.kind, found.x.label) == ("image", "x")
    assert look(group, "/photo", x="y", kind="map").x.label == "y"


@pytest.mark.parametrize(
    ("attributes", "down"),
    [({"positive": "down"}, True), ({"units": "hPa"}, True), ({"positive": "up"}, False), ({}, False),
     ({"units": "hPa", "positive": "up"}, False)],
)  # fmt: skip
def test_depths_and_pressures_point_down(group, attributes, down):
    group.create_array("section", data=np.eye(3), dimension_names=("depth", "x"))
    depth = group.create_array("depth", data=np.array([0.0, 10, 50]), dimension_names=("depth",))
    depth.attrs.update(attributes)
    found = look(group, "/section")
    assert found.y.downwards == down
    small = thumbnail(found, 3, 3)  # the first row is at the top: the surface
    assert (small[0, 0] == 255) == down
    bottom, top = figure(found).axes[0].get_ylim()
    assert (bottom > top) == down


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
    assert len(found.text.splitlines()) == 1000
    assert "1000 of 1000000 elements are shown" in found.message


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


def test_packed_values_stay_as_stored_and_the_formula_goes_with_them(group):
    array = group.create_array("a", data=np.array([1, 2], "i2"))
    array.attrs.update({"scale_factor": 0.5, "add_offset": -3.0, "units": "m"})
    found = look(group, "/a")
    assert found.values.tolist() == [1, 2]
    assert found.units is None
    assert (found.packing.scale, found.packing.offset) == (0.5, -3)
    assert (found.packing.text, found.packing.units) == ("stored × 0.5 − 3", "m")
    assert "values from -2.5 to -2 m" in found.label
    array = group.create_array("s", data=np.array(4, "i2"))
    array.attrs.update({"scale_factor": 0.5, "units": "m"})
    assert look(group, "/s").text == "2 m (stored 4)"


def test_a_corrupt_chunk_is_a_hole_in_the_picture(grid):
    (grid.store.root / "temperature/c/0/1/0").write_bytes(b"?")
    found = look(grid, "/temperature")
    assert found.kind == "map"
    assert (found.cell_states == UNREADABLE).sum() == 2
    assert np.isnan(found.values[found.cell_states == UNREADABLE]).all()
    assert found.errors[0].chunk.endswith("temperature/c/0/1/0")
    assert found.message is None  # the errors say it


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


def test_a_small_image_has_its_colours(group):
    colours = np.arange(4 * 6 * 3, dtype="u1").reshape(4, 6, 3)
    array = group.create_array("i", data=colours, dimension_names=("y", "x", "band"))
    array.attrs["_FillValue"] = 255
    array[0, 0] = 255
    image = thumbnail(look(group, "/i"), 3, 2)
    assert image.shape == (2, 3, 4)
    np.testing.assert_array_equal(image[..., :3], colours[1::2, 1::2])
    assert (image[..., 3] == 255).all()
    assert thumbnail(look(group, "/i"), 6, 4)[0, 0, 3] == 0  # missing, so nothing is painted
    group.create_array("y", data=np.arange(4.0), dimension_names=("y",))
    np.testing.assert_array_equal(thumbnail(look(group, "/i"), 6, 4)[0, :, :3], colours[3])


def test_a_small_map_of_categories_has_their_colours(group):
    array = group.create_array("a", data=np.array([[1, 2, 9], [4, 1, 1]], "i1"), fill_value=1)
    array.attrs.update(
        {"flag_values": [1, 2], "flag_meanings": "land sea", "_FillValue": 4, "units": "1"}
    )
    found = look(group, "/a")
    image = thumbnail(found, 3, 2)
    assert image.shape == (2, 3, 4)
    assert image[..., 3].tolist() == [[255, 255, 255], [0, 255, 255]]
    colours = [[round(255 * part) for part in category_colour(number)] for number in range(2)]
    assert image[0, :2, :3].tolist() == colours


def test_a_small_line(group):
    group.create_array("a", data=np.array([0.0, 1.0, np.nan, 1.0, 1.0]))
    image = thumbnail(look(group, "/a"), 100, 11)
    assert image.shape == (11, 5)
    assert image[10, 0] == 1
    assert (image[:, 1] == 255).all()  # it climbs from the bottom to the top
    assert not image[:, 2].any()
    assert np.flatnonzero(image[:, 4]).tolist() == [0]


@pytest.mark.parametrize("scale", [0.5, -0.5])
def test_small_pictures_are_of_unpacked_values(group, scale):
    meant = np.array([[-4.0, 0, 2], [6, 8, 8]])
    array = group.create_array("a", data=((meant - 2) / scale).astype("i2"))
    array.attrs.update({"scale_factor": scale, "add_offset": 2.0})
    expected = np.rint(1 + 254 * (meant + 8) / 16)  # about zero
    np.testing.assert_array_equal(thumbnail(look(group, "/a"), 3, 2), expected)
    line = group.create_array("l", data=(np.arange(5) / scale).astype("i2"))
    line.attrs["scale_factor"] = scale
    image = thumbnail(look(group, "/l"), 100, 11)
    assert image[10, 0] == 1  # it rises from the bottom
    assert image[0, 4]


def test_nothing_small_of_what_is_no_picture(group):
    group.create_array("s", data=np.array(1.0))
    assert thumbnail(look(group, "/s")) is None
    group.create_array("n", data=np.full((4, 4), np.nan))
    assert thumbnail(look(group, "/n")) is None  # an empty picture says nothing
    assert missing(look(group, "/n")) == ["100 % NaN"]
    group.create_array("e", shape=(4, 4), chunks=(2, 4), dtype="f4")
    assert missing(look(group, "/e")) == ["no chunk of it is in the store"]
    group.create_array("c", data=np.full((4, 4), 1e308))
    assert (thumbnail(look(group, "/c")) == 128).all()
    group.create_array("w", data=np.array([[-1.7e308, 1.7e308]]))
    assert thumbnail(look(group, "/w")).size == 2 * 100


# --- kinds and what belongs to them ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("part", "expected", "units"),
    [
        (None, [5, 2], "V"),
        ("magnitude", [5, 2], "V"),
        ("real", [3, 0], "V"),
        ("imaginary", [4, -2], "V"),
        ("phase", [np.angle(3 + 4j), -np.pi / 2], "rad"),
    ],
)
def test_parts_of_complex_numbers(group, part, expected, units):
    array = group.create_array("a", data=np.array([3 + 4j, -2j, complex(-9, np.nan)]))
    array.attrs.update({"_FillValue": [-9.0, "NaN"], "units": "V"})
    found = look(group, "/a", part=part)
    np.testing.assert_allclose(found.values[:2], expected)
    assert found.cell_states.tolist() == [VALUE, VALUE, FILL]
    assert (found.part, found.units) == (part or "magnitude", units)
    assert found.parts == ("magnitude", "phase", "real", "imaginary")


@pytest.mark.parametrize("last", [True, False])
@pytest.mark.parametrize("bands", [3, 4])
def test_images(group, last, bands):
    values = np.random.default_rng(1).integers(0, 255, (5, 6, bands), np.uint8)
    values[1, 2] = 255
    values[3, 4, 0] = 255  # one colour of three is a value like any other
    data, names = (values, ("y", "x", "band"))
    if not last:
        data, names = np.moveaxis(values, 2, 0), ("band", "y", "x")
    array = group.create_array("a", data=data, dimension_names=names)
    array.attrs["_FillValue"] = 255
    found = look(group, "/a")
    assert (found.kind, found.kinds[:2]) == ("image", ("image", "map"))
    assert (found.y.label, found.x.label) == ("y", "x")
    assert found.image.shape == (5, 6, 4)
    whole = np.ones((5, 6), bool)
    whole[1, 2] = False
    np.testing.assert_array_equal(found.cell_states == FILL, ~whole)
    np.testing.assert_array_equal(found.image[whole][:, :bands], values[whole])
    assert (found.image[1, 2] == 0).all()
    if bands == 3:
        assert (found.image[whole][:, 3] == 255).all()
    as_map = look(group, "/a", {"band": 1}, kind="map")
    np.testing.assert_array_equal(as_map.values, values[..., 1])
    assert [slider.dimension for slider in as_map.sliders] == ["band"]


def test_what_is_no_image(group):
    group.create_array("a", data=np.zeros((4, 5, 3), "u1"), dimension_names=("y", "x", "time"))
    group.create_array("b", data=np.zeros((4, 5, 3), "f4"), dimension_names=("y", "x", "band"))
    group.create_array("c", data=np.zeros((4, 5, 2), "u1"), dimension_names=("y", "x", "band"))
    group.create_array("d", data=np.zeros((4, 5, 3), "i2"), dimension_names=("y", "x", "component"))
    group.create_array("e", data=np.zeros((4, 5, 3), "u2"))
    group.create_array("f", data=np.zeros((4, 5, 3), "c8"), dimension_names=("y", "x", "channel"))
    for name, attributes in (("g", {"units": "K"}), ("h", {"scale_factor": 0.1})):
        array = group.create_array(
            name, data=np.ones((4, 5, 3), "u2"), dimension_names=("y", "x", "rgb")
        )
        array.attrs.update(attributes)
    assert {look(group, f"/{name}").kind for name in "abcdefgh"} == {"map"}
    bands = look(group, "/b")  # as colours only if someone wants them so
    assert [slider.dimension for slider in bands.sliders] == ["band"]
    assert bands.kinds == ("map", "line", "lines", "histogram", "table", "image")
    assert look(group, "/b", kind="image").kind == "image"
    assert look(group, "/a", kind="image").kind == "map"


@pytest.mark.parametrize(
    ("values", "shown", "said"),
    [
        (np.array([0, 0.5, 1], "f4"), [0, 128, 255], None),
        (np.array([0.25, np.nan, 1], "f8"), [64, None, 255], None),
        (np.array([-1, 0, 3], "f8"), [0, 64, 255], "colours reach from -1 to 3"),
        (np.array([0, 7, 255], "i4"), [0, 7, 255], None),
        (np.array([1000, 2000, 5000], "u2"), [0, 64, 255], "colours reach from 1000 to 5000"),
        (np.array([-9, -9, -9], "i2"), [0, 0, 0], "colours reach from -9 to -9"),
    ],
)
@pytest.mark.parametrize("last", [True, False])
def test_images_of_other_numbers(group, values, shown, said, last):
    data = np.broadcast_to(values, (5, 3)).repeat(3).reshape(5, 3, 3)
    names = ("y", "x", "channel")
    if not last:
        data, names = np.moveaxis(data, 2, 0), ("channel", "y", "x")
    group.create_array("a", data=np.ascontiguousarray(data), dimension_names=names)
    found = look(group, "/a")
    assert (found.kind, found.kinds[:2], found.message) == ("image", ("image", "map"), said)
    colours = [[0] * 4 if grey is None else [grey] * 3 + [255] for grey in shown]
    assert found.image[2].tolist() == colours


@pytest.mark.parametrize("last", [True, False])
def test_floats_without_names_are_colours_if_they_are_shares(group, last):
    shares = np.linspace(0, 1, 2 * 9 * 10 * 3, dtype="f4").reshape(2, 9, 10, 3)
    if not last:
        shares = np.ascontiguousarray(np.moveaxis(shares, 3, 1))
    for name, values in (("a", shares), ("b", shares * 2 - 1), ("c", shares[:, :5, :5, :5] * 1)):
        group.create_array(name, data=values)
    found = look(group, "/a", {"dim_0": 1})
    assert (found.kind, found.image.shape) == ("image", (9, 10, 4))
    assert [slider.dimension for slider in found.sliders] == ["dim_0"]
    assert look(group, "/a", kind="map").kind == "map"
    # centred, as a network wants it: colours if someone wants them
    assert look(group, "/b").kind == "map"
    assert look(group, "/b", kind="image").kind == "image"
    assert "image" not in look(group, "/c").kinds


def test_sixteen_bits_are_stretched_without_what_is_missing(group):
    data = np.full((4, 4, 3), 1000, "u2")
    data[0], data[1] = 65535, 3000
    array = group.create_array("a", data=data, dimension_names=("y", "x", "rgb"))
    array.attrs["_FillValue"] = 65535
    found = look(group, "/a")
    assert found.message == "colours reach from 1000 to 3000"
    assert found.image[:, 0].tolist() == [[0] * 4, [255] * 4, [0, 0, 0, 255], [0, 0, 0, 255]]
    drawn, *_ = kind_of(found).program(found, View(), "values", lambda *_: [])
    assert drawn.startswith("plt.imshow(np.clip((values - 1000.0) / 2000.0, 0, 1), ")


def test_a_line_of_a_map(grid):
    found = look(grid, "/temperature", {"time": 1, "lat": 2}, kind="line")
    assert found.kind == "line"
    assert found.values.tolist() == [20, 21, 22, 23]
    assert [s.dimension for s in found.sliders] == ["time", "lat"]


def test_a_histogram_counts_what_is_not_masked(grid):
    found = look(grid, "/temperature", {"time": 1}, kind="histogram")
    assert found.kind == "histogram"
    assert found.histogram.edges.tolist() == np.arange(12.5, 24).tolist()
    assert found.histogram.counts.tolist() == [1] * 11
    values = np.random.default_rng(3).normal(size=1000)
    grid.create_array("a", data=values)
    counted = look(grid, "/a", kind="histogram").histogram
    want, edges = np.histogram(values, 64)
    np.testing.assert_array_equal(counted.counts, want)
    np.testing.assert_allclose(counted.edges, edges)
    grid.create_array("n", data=np.full(5, np.nan))
    assert look(grid, "/n", kind="histogram").histogram is None


def test_flags_are_categories(group):
    array = group.create_array("a", data=np.array([[1, 2, 9], [4, 1, 1]], "i1"))
    array.attrs.update({"flag_values": [1, 2, 4], "flag_meanings": "land sea ice"})
    labels = {c.value: c.label for c in look(group, "/a").categories}
    assert labels == {1: "land", 2: "sea", 4: "ice", 9: "9"}
    array.attrs.update({"flag_meanings": "land sea"})  # the numbers do not agree
    assert {c.label for c in look(group, "/a").categories} <= {"1", "2", "4", "9"}


def test_flags_that_are_bits(group):
    array = group.create_array("a", data=np.array([0, 1, 2, 3, 7], "u1"))
    array.attrs.update({"flag_masks": [1, 2, 4], "flag_meanings": "cloud rain hail"})
    labels = {c.value: c.label for c in look(group, "/a").categories}
    assert labels == {
        0: "0",
        1: "cloud",
        2: "rain",
        3: "cloud + rain",
        4: "hail",
        7: "cloud + rain + hail",
    }
    array = group.create_array("b", data=np.array([0, 1, 2, 5, 6], "u1"))
    array.attrs.update(
        {
            "flag_masks": [3, 3, 4],
            "flag_values": [1, 2, 4],
            "flag_meanings": "low high valid",
        }
    )
    labels = {c.value: c.label for c in look(group, "/b").categories}
    assert labels == {
        0: "0",
        1: "low",
        2: "high",
        4: "valid",
        5: "low + valid",
        6: "high + valid",
    }


def test_few_integers_and_bools_are_categories(group):
    group.create_array("few", data=np.arange(40, dtype="i2").reshape(5, 8) % 3)
    assert [c.label for c in look(group, "/few").categories] == ["0", "1", "2"]
    group.create_array("many", data=np.arange(40, dtype="i2").reshape(5, 8))
    assert look(group, "/many").categories == ()
    group.create_array("line", data=np.arange(40) % 3)
    assert look(group, "/line").categories == ()
    metres = group.create_array("metres", data=np.arange(40).reshape(5, 8) % 3)
    metres.attrs["units"] = "m"
    assert look(group, "/metres").categories == ()
    group.create_array("bool", data=np.array([True, False]))
    assert [c.label for c in look(group, "/bool").categories] == ["false", "true"]


@pytest.mark.parametrize(
    ("attributes", "expected"),
    [
        ({"valid_range": [-5, 5]}, (-5, 5)),
        ({"valid_min": -5}, (-5, None)),
        ({"valid_max": 5}, (None, 5)),
        ({"valid_range": [1]}, (None, None)),
        ({"valid_range": [-5, 5], "scale_factor": 0.5}, (-5, 5)),
        ({"valid_range": [-2.5, 2.5], "scale_factor": 0.5, "add_offset": 1}, (-7, 3)),
        ({"valid_range": [-2.5, 2.5], "scale_factor": -0.5}, (-5, 5)),
    ],
)
def test_the_valid_range_is_in_stored_values(group, attributes, expected):
    array = group.create_array("a", data=np.arange(-9, 9, dtype="i2"))
    array.attrs.update(attributes)
    found = look(group, "/a")
    assert (found.valid_low, found.valid_high) == expected
    assert (found.cell_states == VALUE).all()  # CF's display is for the eye only


def test_times_are_told_as_dates(group):
    array = group.create_array("t", data=np.array([0.0, 31.0, 9.9e36, np.nan]))
    array.attrs.update({"units": "days since 2001-01-01", "_FillValue": 9.9e36})
    assert look(group, "/t").dates == ("2001-01-01", "2001-02-01", "", "")
    dates = np.array([["2001-01-01", "NaT"], ["2001-01-02", "2001-01-03"]], "M8[s]")
    group.create_array("d", data=dates)
    assert look(group, "/d").dates == ("2001-01-01", "", "2001-01-02", "2001-01-03")
    group.create_array("n", data=np.arange(3.0))
    assert look(group, "/n").dates == ()


def test_bytes_that_are_no_text(group):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # zarr-python warns of its own data type
        group.create_array("b", data=np.array([b"abc", b"\xff"]))
    assert look(group, "/b").text == "0  abc\n1  b'\\xff'"


def test_tables_of_texts(group):
    array = group.create_array("t", shape=(2, 3), dtype="string")
    array[:] = np.array([["a", "bb", "c"], ["dddd", "e", "f"]], dtype=object)
    found = look(group, "/t")
    assert found.text == "0  a     bb  c\n1  dddd  e   f"
    assert found.kinds == ("text",)
    assert (found.y.size, found.x.size) == (2, 3)


def test_spikes_of_long_lines_are_not_lost(group):
    values = np.full(100_000, 0.25, "f4")
    values[[12_345, 54_321]] = [1, -1]
    values[70_000] = 1e20
    array = group.create_array("a", data=values, chunks=(1000,))
    array.attrs["_FillValue"] = 1e20
    found = look(group, "/a", width=300)
    assert found.x.size == found.values.size <= 600
    good = found.values[found.cell_states == VALUE]
    assert (good.max(), good.min()) == (1, -1)
    places = found.x.start + found.x.step * np.arange(found.x.size)
    assert abs(places[found.values == 1][0] - 12_345) < 2 * found.x.step
    assert places[-1] < 100_000
    assert "the lowest and the highest are shown" in found.message
    # counted over all
    assert {c.state: c.count for c in found.states} == {"value": 99_999, "fill": 1}


@pytest.mark.parametrize(("chunks", "shown"), [((500, 2), 1000), ((4, 2), 334)])
def test_of_a_small_slice_in_few_chunks_nothing_is_left_out(group, chunks, shown):
    group.create_array("a", data=np.ones((500, 2)), chunks=chunks)
    found = look(group, "/a", width=200, height=200)
    assert found.values.size == shown
    assert [one.count for one in found.states] == [shown]


def test_the_chunk_grid_goes_with_the_axes(grid):
    found = look(grid, "/temperature")
    assert (found.y.chunk, found.x.chunk) == (2, 2)


# --- zoom and overviews ---------------------------------------------------------------------------


def test_zooming_in_reads_the_finer_window(group):
    values = np.arange(1000 * 900, dtype="i4").reshape(1000, 900)
    group.create_array("a", data=values, chunks=(100, 100), dimension_names=("y", "x"))
    found = look(group, "/a", width=90, height=100)
    assert (found.y.step, found.x.step) == (10, 10)
    found = look(group, "/a", width=90, height=100, window={"y": [250, 300], "x": [5, 95]})
    assert (found.y.step, found.x.step) == (1, 1)
    np.testing.assert_array_equal(found.values, values[250:300, 5:95])
    assert found.read.chunks_total == 1
    assert found.read.chunks_read == 1


def test_a_window_is_kept_inside(grid):
    found = look(grid, "/temperature", window={"lat": [-4, 2], "lon": [3, 99], "time": [0, 1]})
    assert found.values.shape == (2, 1)
    assert look(grid, "/temperature", window={"lat": [2, 1], "lon": [1]}).values.shape == (3, 4)
    assert look(grid, "/temperature", window={"lat": [77, 99]}).values.shape == (1, 4)


def pyramid(group, form):
    values = np.add.outer(np.arange(800.0), np.arange(400.0))
    names = ("0", "1", "2")
    for level, name in enumerate(names):
        part = values[:: 2**level, :: 2**level]
        if form == "ome":
            group.create_array(name, data=part, chunks=(50, 50), dimension_names=("y", "x"))
            continue
        below = group.create_group(name)
        below.create_array("a", data=part, chunks=(50, 50), dimension_names=("y", "x"))
        below.create_array(
            "x", data=np.arange(400.0)[:: 2**level] * 10, dimension_names=("x",)
        ).attrs["units"] = "m"
    given = {
        "ome": {
            "ome": {"version": "0.5", "multiscales": [{"datasets": [{"path": n} for n in names]}]}
        },
        "layout": {"multiscales": {"layout": [{"asset": n} for n in names]}},
        "geozarr": {
            "multiscales": {
                "resampling_method": "nearest",
                "tile_matrix_set": {"tileMatrices": [{"id": n} for n in names]},
            }
        },
        "known set": {
            "multiscales": {"resampling_method": "nearest", "tile_matrix_set": "WebMercatorQuad"}
        },
    }
    group.attrs.update(given[form])
    return ("/0", "/1", "/2") if form == "ome" else ("/0/a", "/1/a", "/2/a")


@pytest.mark.parametrize("form", ["ome", "layout", "geozarr", "known set"])
def test_overviews_are_read_where_they_suffice(group, form):
    full, half, quarter = pyramid(group, form)
    found = look(group, full, width=100, height=200)
    assert f"overview {quarter} " in found.overview
    assert found.values.shape == (200, 100)
    assert (found.y.step, found.x.step, found.y.length) == (4, 4, 800)
    # what is shown at a point is the value there, give or take the size of a cell
    exact = np.add.outer(found.y.start + 4.0 * np.arange(200), found.x.start + 4.0 * np.arange(100))
    assert np.abs(found.values - exact).max() <= 4
    if form != "ome":
        assert found.x.coordinates[1] == 40
    found = look(group, full, width=400, height=300)
    assert half not in (found.overview or "") or found.overview is None  # 400 columns are there
    assert look(group, full, width=200, height=400).overview.startswith(f"the overview {half} ")
    zoomed = look(group, full, width=100, height=100, window={"y": [400, 500], "x": [0, 100]})
    assert zoomed.overview is None
    assert zoomed.values[0, 0] == 400
    zoomed = look(group, full, width=50, height=50, window={"y": [400, 500], "x": [200, 300]})
    assert half in zoomed.overview
    assert zoomed.values[0, 0] == 600
    assert (zoomed.y.start, zoomed.x.start) == (400, 200)
    assert look(group, full, width=100, height=200, everything=True).overview is None


def test_a_broken_pyramid_does_no_harm(group):
    full, *_ = pyramid(group, "layout")
    edit(group, "2/a", codecs=[{"name": "rot13"}])
    assert look(group, full, width=100, height=200).kind == "map"
    for bad in (3, [3], {"layout": 3}, {"layout": [3, {"asset": "../.."}]}, {"tile_matrix_set": 4}):
        group.attrs["multiscales"] = bad
        assert look(group, full, width=100, height=200).overview is None


# --- what is there so far -------------------------------------------------------------------------


def test_pictures_fill_in_from_the_middle(group, monkeypatch):
    from nz_explorer.values.reading import chunks

    monkeypatch.setattr(chunks, "PARTIAL_SECONDS", 0)
    # one thread: with several, a partial picture is left out while another is made
    pool = ThreadPoolExecutor(1, initializer=chunks._reads)
    monkeypatch.setattr(chunks, "_local_pool", lambda: pool)
    monkeypatch.setattr(chunks, "_MOST_TOGETHER", 1)
    group.create_array("a", data=np.ones((50, 50)), chunks=(10, 10))
    seen = []
    last = look(group, "/a", partial=seen.append)
    pool.shutdown()
    assert len(seen) == 24
    first = seen[0].cell_states == VALUE
    assert first.sum() == 100
    assert first[20:30, 20:30].all()
    shares = [int((one.cell_states == VALUE).sum()) for one in seen]
    assert shares == list(range(100, 2500, 100))
    corners = [(0, 0), (0, 49), (49, 0), (49, 49)]
    assert not any(seen[19].cell_states[at] == VALUE for at in corners)
    assert (last.cell_states == VALUE).all()


def test_a_table_has_every_value(group):
    values = np.arange(30_000.0).reshape(100, 300)
    values[2, 3] = -9
    group.create_array("v", data=values, attributes={"_FillValue": -9.0})
    found = look(group, "/v", kind="table", width=10, height=10)
    assert found.kind == "table"
    np.testing.assert_array_equal(found.values, values)
    assert found.cell_states[2, 3] == FILL
    (text,) = figure(found).axes[0].texts
    first, *rows = text.get_text().splitlines()
    assert first.split()[-1] == "6"
    assert rows[2].split()[:5] == ["2", "600", "601", "602", "_FillValue"]
    assert len(rows) == 25
    along = look(group, "/v", kind="table", x="dim_0")
    assert along.values.shape == (300, 100)


def test_scalar_coordinates_and_those_of_fixed_dimensions_are_said(tmp_path):
    group = zarr.open_group(tmp_path / "s.zarr")
    field = group.create_array(
        "t", data=np.ones((2, 3, 4, 5)), dimension_names=("a", "b", "y", "x")
    )
    field.attrs["coordinates"] = "height lead south valid y nowhere"
    for name, values, dims, attributes in [
        ("valid", np.arange(6).reshape(2, 3), ("a", "b"), {"units": "days since 2001-01-01"}),
        ("height", np.array(2), (), {"units": "m"}),
        # zarr-python does not write a chunk that holds nothing but the fill value
        ("lead", np.array(0), (), {"units": "hours"}),
        ("south", np.array(-78.5), (), {"units": "degrees_north"}),
        ("y", np.arange(4), ("y",), {}),
    ]:
        group.create_array(name, data=values, dimension_names=dims).attrs.update(attributes)
    dated = group.create_array("a", data=np.arange(2), dimension_names=("a",))
    dated.attrs["units"] = "days since 2001-01-02"  # its digits are none that the height repeats
    look = make(open_store(tmp_path / "s.zarr"), "/t", {"a": 1, "b": 2})
    assert look.aside == ("valid 2001-01-06", "height 2 m", "lead 0 hours", "south 78.5° S")
    assert "height 2 m" in figure(look).axes[0].get_title(loc="right")
    # what a dimension is reduced to lies at no place of it
    assert make(open_store(tmp_path / "s.zarr"), "/t", reduce={"a": "mean"}).aside == (
        "height 2 m",
        "lead 0 hours",
        "south 78.5° S",
    )


@pytest.mark.parametrize(
    ("dimensions", "rows", "columns"),
    [
        (("time", "depth"), "depth", "time"),
        (("time", "lat"), "lat", "time"),
        (("lon", "lat"), "lat", "lon"),
        (("lat", "depth"), "depth", "lat"),
        (("depth", "lat"), "depth", "lat"),
        (("time", "lon"), "time", "lon"),
    ],
)
def test_heights_and_latitudes_run_up_and_down(tmp_path, dimensions, rows, columns):
    group = zarr.open_group(tmp_path)
    described = {
        "depth": {"positive": "down", "units": "m"},
        "lat": {"units": "degrees_north"},
        "lon": {"units": "degrees_east"},
        "time": {"units": "days since 2001-01-01"},
    }
    for name in dimensions:
        group.create_array(name, data=np.arange(4.0), dimension_names=(name,)).attrs.update(
            described[name]
        )
    values = np.arange(16.0).reshape(4, 4)
    group.create_array("v", data=values, dimension_names=dimensions)
    look = make(open_store(tmp_path), "/v")
    assert (look.y.label, look.x.label) == (rows, columns)
    np.testing.assert_array_equal(look.values, values if rows == dimensions[0] else values.T)


# --- curvilinear ----------------------------------------------------------------------------------


@pytest.fixture
def ocean(group):
    y, x = np.mgrid[0:30, 0:40]
    lon, lat = (x * 3 + y - 60).astype("f4"), (y * 2 - x * 0.5).astype("f4")
    array = group.create_array("sst", data=(lon + lat), chunks=(10, 10), dimension_names=("j", "i"))
    array.attrs["coordinates"] = "nav_lat nav_lon depth"
    for name, values, units in [
        ("nav_lon", lon, "degrees_east"),
        ("nav_lat", lat, "degrees_north"),
    ]:
        one = group.create_array(name, data=values, dimension_names=("j", "i"))
        one.attrs["units"] = units
    return group


def test_two_dimensional_coordinates(ocean):
    found = look(ocean, "/sst").curvilinear
    assert (found.x_label, found.y_label) == ("nav_lon", "nav_lat")
    np.testing.assert_array_equal(found.x, ocean["nav_lon"][:])
    assert found.x_units == "degrees_east"
    found = look(ocean, "/sst", width=10, height=10)
    assert found.curvilinear.x.shape == found.values.shape
    np.testing.assert_array_equal(found.curvilinear.x + found.curvilinear.y, found.values)
    # without them the rows still lead north
    upwards = figure(found_at := look(ocean, "/sst"), curvilinear=False).axes[0].get_ylim()
    assert upwards[0] < upwards[1]
    assert not found_at.y.downwards
    ocean["sst"].attrs["coordinates"] = "nav_lat"
    assert look(ocean, "/sst").y.downwards
    assert look(ocean, "/sst").curvilinear is None


def test_a_box_of_two_dimensional_coordinates_shows_the_part_that_holds_it(ocean):
    box = {"nav_lon": [-30.0, 0.0], "nav_lat": [10.0, 30.0]}
    found = look(ocean, "/sst", window=box)
    lon, lat = found.curvilinear.x, found.curvilinear.y
    inside = found.curvilinear.inside(box)
    whole = look(ocean, "/sst").curvilinear
    assert inside.sum() == whole.inside(box).sum() > 50
    assert inside[1:-1].any(axis=1).all()
    assert found.values.size < 600
    np.testing.assert_array_equal(lon + lat, found.values)
    drawn = figure(found, window=box).axes[0]
    assert (drawn.get_xlim(), drawn.get_ylim()) == ((-30, 0), (10, 30))
    # a longitude may be counted the other way, and smaller than a cell
    shifted = {**box, "nav_lon": [330.0, 360.0]}
    assert look(ocean, "/sst", window=shifted).values.shape == found.values.shape
    tiny = look(ocean, "/sst", window={"nav_lon": [0.1, 0.2], "nav_lat": [3.1, 3.2]})
    assert tiny.values.size <= 9
    # where everything is inside, the map ends where the points do
    wide = {"nav_lon": [-170.0, 170.0], "nav_lat": [-80.0, 80.0]}
    every = figure(look(ocean, "/sst", window=wide), window=wide).axes[0].get_xlim()
    assert every == figure(look(ocean, "/sst")).axes[0].get_xlim()


def test_a_slider_says_the_time_that_an_auxiliary_coordinate_has(tmp_path):
    import zarr

    group = zarr.open_group(tmp_path / "nemo.zarr", mode="w")
    dims = ("time_counter", "y", "x")
    group.create_array(
        "tos",
        data=np.arange(24.0).reshape(2, 3, 4),
        dimension_names=dims,
        attributes={"coordinates": "time_centered nav_lat"},
    )
    group.create_array("time_counter", data=np.array([0.0, 1.0]), dimension_names=dims[:1])
    group.create_array(
        "time_centered",
        data=np.array([15.0, 45.0]),
        dimension_names=dims[:1],
        attributes={"units": "days since 2000-01-01", "calendar": "360_day"},
    )
    look = make(open_store(tmp_path / "nemo.zarr"), "/tos", {"time_counter": 1})
    assert look.sliders[0].label == "1 (2000-02-16)"


def test_codes_of_a_categorical_column_are_called_what_they_stand_for(tmp_path):
    group = zarr.create_group(tmp_path / "s.zarr")
    column = group.create_group("obs/cell_type", attributes={"encoding-type": "categorical"})
    column.create_array("codes", data=np.array([1, -1, 0, 1], "i1"))
    texts = column.create_array("categories", shape=(2,), dtype=str)
    texts[:] = np.array(["B cell", "T cell"], object)
    plain = group.create_group("obs/plain")
    plain.create_array("codes", data=np.array([1, -1, 0, 1], "i1"))
    store = open_store(tmp_path / "s.zarr")
    found = make(store, "/obs/cell_type/codes").categories
    named = {-1: "missing", 0: "B cell", 1: "T cell"}
    assert {one.value: one.label for one in found} == named
    assert make(store, "/obs/plain/codes").categories == ()


@pytest.mark.parametrize("values", [0.0, 3.0])
def test_whether_any_value_is_not_zero_has_two_classes(tmp_path, values):
    root = zarr.create_group(tmp_path / "s.zarr")
    data = np.full((4, 3, 5), values)
    root.create_array("t", data=data, dimension_names=("time", "y", "x"))
    look = make(open_store(tmp_path / "s.zarr"), "/t", reduce={"time": "any"})
    assert [(one.value, one.label) for one in look.categories] == [(0, "none"), (1, "any")]
    # a colour of its own for each, whether or not both are there
    named = [text.get_text() for legend in figure(look).legends for text in legend.get_texts()]
    assert named == ["none", "any"]


def test_what_is_outside_the_valid_range_is_no_end_of_a_thinned_line(group):
    values = np.sin(np.arange(10_000.0) / 100)
    values[::50] = 1e6
    group.create_array("a", data=values).attrs["valid_max"] = 2
    found = look(group, "/a", width=200)
    assert found.values.size < 1000
    assert found.high == pytest.approx(1, abs=1e-3)
    assert (found.values < 2).all()
    assert {one.state: one.count for one in found.states} == {"value": 9_800, "invalid": 200}


def test_what_is_outside_the_valid_range_is_missing_in_a_thumbnail(group):
    values = np.arange(16.0).reshape(4, 4)
    values[0, 0] = 1e6
    group.create_array("a", data=values).attrs["valid_max"] = 100
    image = thumbnail(look(group, "/a"))
    assert (image == 0).sum() == 1
    assert len(np.unique(image)) == 16


def test_where_all_is_outside_the_valid_range_the_mask_can_be_switched_off(group):
    group.create_array("a", data=np.arange(6.0).reshape(2, 3)).attrs["valid_min"] = 50
    assert (look(group, "/a").low, look(group, "/a").high) == (0, 5)
