import io
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import zarr
from IPython.core.formatters import DisplayFormatter

from nz_explorer.model import open_store
from nz_explorer.plots import colormap_tables, figure, lines, lines_figure, make
from nz_explorer.plots.drawing.view import PATTERNS
from nz_explorer.plots.map.mesh import mesh
from nz_explorer.values.coordinates.curvilinear import Curvilinear
from nz_explorer.values.masks.cell_states import FILL, TITLES


@pytest.fixture
def looks(tmp_path):
    """Quick looks of a small field with every state, and of its coordinate."""
    group = zarr.open_group(tmp_path / "store.zarr", mode="w")
    values = np.arange(48.0).reshape(6, 8)
    values[0, 0], values[0, 1], values[0, 2], values[0, 3] = -9, np.nan, np.inf, -np.inf
    values[1, 0] = 0
    values[4:, 4:] = 0
    field = group.create_array(
        "field", data=values, chunks=(2, 4), dimension_names=("y", "x"), fill_value=0.0
    )
    field.attrs.update({"_FillValue": -9.0, "units": "m$s", "long_name": "a $ name"})
    y = group.create_array("y", data=np.arange(0, 60, 10), dimension_names=("y",))
    y.attrs["units"] = "days since 2001-01-01"
    (tmp_path / "store.zarr/field/c/2/0").write_bytes(b"?")
    hierarchy = open_store(tmp_path / "store.zarr")

    def give(path, **options):
        return make(hierarchy, path, **options)

    return give


def drawn(picture):
    file = io.BytesIO()
    picture.savefig(file, format="png")
    assert file.getvalue().startswith(b"\x89PNG")
    return picture


def legend(picture):
    return [text.get_text().split("  ")[0] for found in picture.legends for text in found.texts]


def test_the_colour_bar_of_times_has_dates(tmp_path):
    group = zarr.open_group(tmp_path / "store.zarr", mode="w")
    times = np.array([[0, 31, -1], [366, 400, 500]], "i4")
    made = group.create_array("t", data=times, dimension_names=("y", "x"))
    made.attrs.update({"_FillValue": -1, "units": "days since 2000-01-01", "calendar": "standard"})
    bar = drawn(figure(make(open_store(tmp_path / "store.zarr"), "/t"))).axes[1]
    labels = [text.get_text() for text in bar.get_yticklabels()]
    assert labels[0] == "2000-01-01"
    assert labels[-1] == "2001-05-15"
    assert "" not in labels


def test_a_map_says_what_every_cell_is(looks):
    picture = drawn(figure(looks("/field")))
    assert legend(picture) == [TITLES[code] for code in (1, 2, 3, 4, 5, 6)]
    axes = picture.axes[0]
    assert axes.get_xlabel() == "x (index)"
    assert axes.get_title(loc="left") == "/field"
    assert picture.axes[1].get_ylabel() == r"a \$ name (m\$s)"


@pytest.mark.parametrize(
    ("mask", "present", "gone"), [("storage", 7, 1), ("raw", 2, 1), ("nz", 1, 7)]
)
def test_the_mask_that_was_chosen(looks, mask, present, gone):
    words = legend(drawn(figure(looks("/field"), mask=mask)))
    assert TITLES[present] in words
    assert TITLES[gone] not in words


def test_raw_shows_a_fill_value_as_the_number_it_is(looks):
    picture = figure(looks("/field"), mask="raw")
    assert picture.axes[0].images[-1].norm.vmin == -9
    assert figure(looks("/field")).axes[0].images[-1].norm.vmin == 0


def test_coordinates_grow_upwards_and_rows_downwards(looks):
    look = looks("/field")
    assert look.y.kind == "time"
    bottom, top = figure(look).axes[0].get_ylim()
    assert bottom < top
    plain = replace(
        look, y=replace(look.y, kind="index", coordinates=None, labels=None, downwards=True)
    )
    bottom, top = figure(plain).axes[0].get_ylim()
    assert (bottom, top) == (5.5, -0.5)
    falling = replace(
        look, y=replace(look.y, coordinates=look.y.coordinates[::-1].copy(), decreasing=True)
    )
    bottom, top = figure(falling).axes[0].get_ylim()
    assert bottom < top


def test_limits_logarithm_and_colours(looks):
    look = looks("/field")
    picture = drawn(figure(look, low=10, high=20, scale="log", colormap="magma", grid=True))
    image = picture.axes[0].images[-1]
    assert (image.norm.vmin, image.norm.vmax) == (10, 20)
    assert type(image.norm).__name__ == "LogNorm"
    assert image.get_cmap().name == "magma"
    with pytest.raises(ValueError, match="no colormap"):
        figure(look, colormap="nonsense")
    drawn(figure(look, low=20, high=10, colormap=""))


def test_an_uneven_grid_is_drawn_cell_by_cell(looks):
    look = looks("/field")
    uneven = np.array([0.0, 1, 3, 7, 8, 20])
    picture = drawn(figure(replace(look, y=replace(look.y, kind="number", coordinates=uneven))))
    assert picture.axes[0].get_ylim() == (-0.5, 26)
    extreme = np.array([0.0, 1e-9, 3, 7, 8, 20])
    axis = replace(look.y, kind="number", coordinates=extreme, labels=None)
    picture = drawn(figure(replace(look, y=axis)))
    assert [text.get_text() for text in picture.axes[0].get_yticklabels()][-1] == "20"


def test_a_line(looks):
    look = looks("/y")
    picture = drawn(figure(look))
    assert picture.axes[0].lines[0].get_ydata().tolist() == look.values.tolist()
    drawn(figure(look, scale="log", low=1))
    gaps = replace(look, cell_states=np.array([0, 1, 0, 1, 1, 0], np.uint8))
    picture = drawn(figure(gaps))
    assert len(picture.axes[0].patches) == 4  # to each gap a shade and a strip below
    assert np.isnan(picture.axes[0].lines[0].get_ydata()[[1, 3, 4]]).all()
    nothing = replace(look, cell_states=np.full(6, 5, np.uint8), low=None, high=None)
    drawn(figure(nothing))


def test_what_is_no_picture_is_written(tmp_path):
    group = zarr.open_group(tmp_path / "s.zarr", mode="w")
    group.create_array("scalar", data=np.array(1.5))
    names = group.create_array("text", shape=(2,), dtype="string")
    names[:] = np.array(["$x_{", "\x00b"], dtype=object)
    group.create_array("empty", shape=(0,), dtype="f4", chunks=(1,))
    hierarchy = open_store(tmp_path / "s.zarr")
    for name, words in [("scalar", "1.5"), ("text", r"0  \$x_{"), ("empty", "holds no values")]:
        picture = drawn(figure(make(hierarchy, f"/{name}")))
        assert words in picture.axes[0].texts[0].get_text()


def test_one_value_has_colours_too(tmp_path):
    group = zarr.open_group(tmp_path / "s.zarr", mode="w")
    rows = [[0.0], [5.0], [-1e300], [1e-300], [1e308], [-1.7e308, 1.7e308], [1e-308, 1e308]]
    for number, row in enumerate(rows):
        values = np.array([row * 3] * 3)
        group.create_array(f"a{number}", data=values, fill_value=77.0)
        look = make(open_store(tmp_path / "s.zarr"), f"/a{number}")
        drawn(figure(look))
        drawn(figure(look, scale="log"))


def test_pyplot_is_not_used(looks, monkeypatch):
    monkeypatch.delitem(sys.modules, "matplotlib.pyplot", raising=False)  # others may have used it
    figure(looks("/field"))
    assert "matplotlib.pyplot" not in sys.modules


def test_colormaps():
    import matplotlib as mpl

    names, tables = colormap_tables()
    assert names[0] == "viridis"
    assert tables.shape == (len(names), 256, 3)
    assert tables.dtype == np.uint8
    for name, table in zip(names, tables, strict=True):
        expected = mpl.colormaps[name](np.linspace(0, 1, 256))[:, :3]
        assert np.abs(table / 255 - expected).max() < 0.01


# --- kinds beside maps and lines ------------------------------------------------------------------


def rendered(drawn):
    canvas = drawn.canvas
    canvas.draw()
    return np.asarray(canvas.buffer_rgba()).copy()


@pytest.fixture
def kinds(tmp_path):
    """A store with an array for each kind of picture."""
    group = zarr.open_group(tmp_path / "kinds.zarr", mode="w")
    rng = np.random.default_rng(0)
    group.create_array(
        "image", data=rng.integers(0, 255, (6, 8, 3), np.uint8), dimension_names=("y", "x", "band")
    )
    flags = group.create_array("flags", data=np.arange(48, dtype="i1").reshape(6, 8) % 3)
    flags.attrs.update({"flag_values": [0, 1, 2], "flag_meanings": "land sea $ice$"})
    packed = group.create_array("packed", data=np.arange(48, dtype="i2").reshape(6, 8))
    packed.attrs.update({"scale_factor": 0.5, "valid_max": 40, "units": "m"})
    y, x = np.mgrid[0:20, 0:30]
    field = group.create_array("field", data=np.hypot(x, y), dimension_names=("j", "i"))
    field.attrs["coordinates"] = "lat lon"
    # across the date line, with a hole
    lon = ((170 + x + 0.2 * y + 180) % 360 - 180).astype("f4")
    lat = (y - 0.2 * x).astype("f4")
    lat[0, 0] = np.nan
    for name, values, units in [("lon", lon, "degrees_east"), ("lat", lat, "degrees_north")]:
        one = group.create_array(name, data=values, dimension_names=("j", "i"))
        one.attrs["units"] = units
    return open_store(tmp_path / "kinds.zarr")


def test_images_are_drawn_in_their_colours(kinds):
    look = make(kinds, "/image")
    (picture,) = figure(look).axes[0].images
    np.testing.assert_array_equal(picture.get_array(), look.image)


def test_categories_are_named_in_the_legend(kinds):
    drawn = figure(make(kinds, "/flags"))
    texts = [text.get_text() for text in drawn.legends[0].get_texts()]
    assert texts == ["land", "sea", r"\$ice\$"]
    assert len(drawn.axes) == 1  # no colour bar
    rendered(drawn)


def test_packing_and_the_valid_range_can_be_switched_off(kinds):
    look = make(kinds, "/packed")
    picture = figure(look).axes[0].images[-1].get_array()
    assert picture.max() == 20
    assert picture.mask.sum() == 7
    picture = figure(look, decoded=False).axes[0].images[-1].get_array()
    assert picture.max() == 47
    assert not np.ma.getmaskarray(picture).any()


def test_where_the_two_masks_differ(tmp_path):
    group = zarr.open_group(tmp_path / "m.zarr", mode="w")
    values = np.arange(12.0).reshape(3, 4)
    array = group.create_array("a", data=values, fill_value=3.0)
    array.attrs["_FillValue"] = 7.0
    drawn = figure(make(open_store(tmp_path / "m.zarr"), "/a"), mask="differences")
    texts = " ".join(text.get_text() for text in drawn.legends[0].get_texts())
    assert "NZ only  8.33 %" in texts
    assert "storage fill_value only  8.33 %" in texts


def test_maps_on_two_dimensional_coordinates(kinds):
    from matplotlib.collections import QuadMesh

    look = make(kinds, "/field")
    flat = figure(look, curvilinear=False)
    drawn = figure(look)
    (mesh,) = [c for c in drawn.axes[0].collections if isinstance(c, QuadMesh)]
    corners = mesh.get_coordinates()
    assert corners.shape == (21, 31, 2)
    # no cell reaches across the map, although longitudes jump from 180 to -180
    assert np.abs(np.diff(corners[1:, 1:, 0], axis=1)).max() < 5
    middle = corners[5:7, 5:7].mean(axis=(0, 1))
    np.testing.assert_allclose(middle % 360, [(170 + 5 + 1), 5 - 1], atol=1e-4)
    assert drawn.axes[0].get_xlabel() == "lon (°E)"
    assert np.ma.getmaskarray(mesh.get_array()).sum() == 1
    assert not np.array_equal(rendered(flat), rendered(drawn))


def test_missing_cells_are_hatched_on_two_dimensional_coordinates(tmp_path):
    group = zarr.open_group(tmp_path / "s.zarr", mode="w")
    lat, lon = np.meshgrid(np.linspace(0, 9, 10), np.linspace(0, 19, 20), indexing="ij")
    values = lat + lon
    values[3, 4] = values[8, 8] = -9
    named = {"_FillValue": -9.0, "coordinates": "lat lon"}
    group.create_array("a", data=values, dimension_names=("y", "x"), attributes=named)
    for name, place, units in (("lat", lat, "degrees_north"), ("lon", lon, "degrees_east")):
        group.create_array(
            name, data=place, dimension_names=("y", "x"), attributes={"units": units}
        )
    drawn = figure(make(open_store(tmp_path / "s.zarr"), "/a"), curvilinear=True)
    (missing,) = drawn.axes[0].patches
    assert missing.get_hatch() == PATTERNS[FILL][2]
    cells = missing.get_path().vertices.reshape(-1, 5, 2)
    assert sorted(cells[:, :4].mean(axis=1).round().tolist()) == [[4, 3], [8, 8]]


def test_missing_cells_are_drawn_without_a_visit_to_each(tmp_path, monkeypatch):
    """Matplotlib finds the extent of a path edge by edge in Python: seconds for an ocean model's land."""
    from matplotlib.path import Path

    visited = []
    edges = Path.iter_bezier

    def counted(path, *args, **kwargs):
        visited.append(len(path))
        return edges(path, *args, **kwargs)

    monkeypatch.setattr(Path, "iter_bezier", counted)
    group = zarr.create_group(tmp_path / "s.zarr")
    y, x = np.mgrid[0:30, 0:40].astype("f8")
    for name, values in (("a", np.where(x > y, -9.0, x)), ("lat", y + x / 10), ("lon", x - y / 10)):
        made = group.create_array(
            name, shape=(30, 40), dtype="f8", dimension_names=("y", "x"), fill_value=0.0
        )
        made[:] = values
    group["a"].attrs.update({"coordinates": "lat lon", "_FillValue": -9.0})
    for name, units in (("lat", "degrees_north"), ("lon", "degrees_east")):
        group[name].attrs["units"] = units
    drawn = figure(make(open_store(tmp_path / "s.zarr"), "/a"), curvilinear=True)
    assert drawn.axes[0].patches[0].get_hatch() == PATTERNS[FILL][2]
    assert sum(visited) < (x > y).sum()


def test_histograms_are_bars(kinds):
    drawn = figure(make(kinds, "/packed", kind="histogram"))
    (bars,) = drawn.axes[0].patches
    assert bars.get_data().values.sum() == 48
    assert bars.get_data().edges[-1] == 23.75


def test_arrays_of_one_dimension_together(tmp_path):
    group = zarr.open_group(tmp_path / "s.zarr", mode="w")
    for name, units, values in (
        ("a", "m", [1, 2, -9]),
        ("b", "m", [5, 3, 4]),
        ("c", "K", [7, 7, 7]),
    ):
        array = group.create_array(name, data=np.array(values, "f8"), dimension_names=("t",))
        array.attrs.update({"units": units, "_FillValue": -9.0})
    h = open_store(tmp_path / "s.zarr")
    found = lines([h["/a"], h["/b"]], lambda array: make(h, array, kind="line"))
    one, other = drawn(lines_figure(found)).axes[0].lines
    assert one.get_ydata()[:2].tolist() == [1, 2]
    assert np.isnan(one.get_ydata()[2])
    assert other.get_ydata().tolist() == [5, 3, 4]
    # other units have nothing to do with each other's heights
    found = lines([h["/a"], h["/c"]], lambda array: make(h, array, kind="line"))
    one, other = drawn(lines_figure(found)).axes[0].lines
    assert one.get_ydata()[:2].tolist() == [0, 1]
    assert other.get_ydata().tolist() == [0.5] * 3
    drawn(lines_figure(lines([], lambda array: make(h, array))))


@pytest.mark.parametrize(
    ("first", "limits"), [(73.0, (-180, 180)), (-170.0, (-180, 180)), (10.0, (0, 360))]
)
def test_a_grid_around_the_globe_is_cut_where_the_browser_cuts_it(first, limits):
    x = np.tile(first + np.arange(0.5, 360, 2), (4, 1))
    x = np.where(x > 180, x - 360, x) if limits[0] < 0 else x % 360
    y = np.repeat(np.arange(4.0)[:, None], 180, axis=1)
    found = mesh(Curvilinear("lon", "lat", x.astype("f4"), y.astype("f4"), "degrees_east", None))
    assert found.x_limits == pytest.approx(limits, abs=1.1)
    assert found.whole.all()
    # copies of the cells cover what is shown, and no pixel twice
    shown = [
        (low, high)
        for turn in found.turns
        for low, high in zip(found.x[0, :-1] + turn, found.x[0, 1:] + turn, strict=True)
        if high > limits[0] + 1.1 and low < limits[1] - 1.1
    ]
    assert sum(high - low for low, high in shown) == pytest.approx(360, abs=4)


def test_ipython_shows_a_figure_without_pyplot(sample_store) -> None:
    hierarchy = open_store(sample_store)
    look = make(hierarchy, "/ocean/rlat", {}, width=100, height=80)
    data, _ = DisplayFormatter().format(figure(look, width=2, height=1.5))
    assert data["image/png"].startswith(b"\x89PNG")


@pytest.mark.parametrize("size", [(6, 3.2), (4, 3.2), (8, 5)])
def test_long_names_are_broken_into_lines_and_never_cut_or_written_over(size, tmp_path) -> None:
    group = zarr.open_group(tmp_path / "store.zarr", mode="w")
    field = group.create_array(
        "a_rather_long_name",
        data=np.ones((2, 2, 4, 5)),
        dimension_names=("time_of_the_forecast", "level_of_the_model", "y", "x"),
    )
    field.attrs.update(
        {"long_name": "Temperature of the sea at its surface", "units": "degree_Celsius"}
    )
    look = make(open_store(tmp_path / "store.zarr"), "/a_rather_long_name")
    picture = drawn(figure(look, width=size[0], height=size[1]))
    page = picture.bbox
    axes, bar = picture.axes
    left, right = axes._left_title, axes._right_title
    for text in (left, right, bar.yaxis.label, axes.xaxis.label):
        box = text.get_window_extent()
        assert page.x0 <= box.x0
        assert box.x1 <= page.x1
        assert page.y0 <= box.y0
        assert box.y1 <= page.y1
    first = left.get_window_extent()
    line = first.height / (1 + left.get_text().count("\n"))
    second = right.get_window_extent()
    assert first.x1 < second.x0 or first.y1 - line >= second.y1 - 1


@pytest.mark.parametrize("name", ["t", "surface_pressure", "a_name_" * 4 + "of_pressure"])
@pytest.mark.parametrize("size", [(6, 2.7), (4, 2.7), (3, 2.4)])
def test_the_title_of_a_small_map_lies_within_what_is_saved(size, name, tmp_path) -> None:
    """A map is narrower than its room, so that the titles have less than it seems before the layout."""
    group = zarr.open_group(tmp_path / "store.zarr", mode="w")
    names = ("time", "lat", "lon")
    units_of = ("days since 2000-01-01", "degrees_north", "degrees_east")
    for axis, units in zip(names, units_of, strict=True):
        group.create_array(
            axis, data=np.arange(6.0), dimension_names=(axis,), attributes={"units": units}
        )
    values = np.arange(216.0).reshape(6, 6, 6)
    group.create_array(
        name, data=values, dimension_names=names, attributes={"units": "Pa", "long_name": "p"}
    )
    picture = figure(
        make(open_store(tmp_path / "store.zarr"), f"/{name}"), width=size[0], height=size[1]
    )
    seen = []
    draw = picture.draw

    def look(renderer) -> None:
        draw(renderer)
        axes = picture.axes[0]
        boxes = [t.get_window_extent() for t in (axes._left_title, axes._right_title)]
        seen.append((boxes, picture.bbox.x1, picture.bbox.y1))

    picture.draw = look
    picture.savefig(tmp_path / "map.png", dpi=60)  # it is drawn twice
    (left, right), wide, high = seen[-1]
    line = left.height / (1 + picture.axes[0].get_title(loc="left").count("\n"))
    for box in (left, right):
        assert (box.x0 > -2, box.x1 < wide + 2, box.y1 <= high) == (True, True, True)
    assert left.x1 < right.x0 or left.y1 - line >= right.y1 - 2


def test_a_long_name_leaves_room_for_its_units(tmp_path):
    group = zarr.open_group(tmp_path / "store.zarr")
    name = "fully filtered concentration of sea ice " * 4
    group.create_array("t", data=np.eye(4), attributes={"long_name": name, "units": "km"})
    bar = figure(make(open_store(tmp_path / "store.zarr"), "/t")).axes[1]
    assert bar.get_ylabel().startswith("fully filtered")
    assert bar.get_ylabel().endswith("… (km)")


@pytest.mark.parametrize(("units", "wide", "true"), [("m", 3, 1), ("m", 40, 0), ("s", 3, 0)])
def test_axes_that_measure_the_same_have_one_scale(tmp_path, units, wide, true):
    group = zarr.open_group(tmp_path / "store.zarr")
    for name, size, unit in [("yc", 10, units), ("xc", 10 * wide, "m")]:
        group.create_array(
            name,
            data=25e3 * np.arange(size),
            dimension_names=[name],
            attributes={"units": unit},
        )
    group.create_array("ice", data=np.ones((10, 10 * wide)), dimension_names=["yc", "xc"])
    picture = figure(make(open_store(tmp_path / "store.zarr"), "/ice"))
    picture.savefig(tmp_path / "ice.png")
    axes, bar = picture.axes
    image, beside = axes.get_window_extent(), bar.get_window_extent()
    shape = np.ptp(axes.get_xlim()) / np.ptp(axes.get_ylim())
    assert (abs(image.width / image.height / shape - 1) < 0.01) == true
    assert np.allclose([beside.y0, beside.y1], [image.y0, image.y1])  # no higher than the map
    assert 0 < beside.x0 - image.x1 < 40
    assert axes._left_title.get_window_extent().y1 <= picture.bbox.y1


def test_ticks_are_round(tmp_path):
    group = zarr.open_group(tmp_path / "store.zarr")
    for name, data, units in [
        ("lat", np.linspace(50.5, 62, 24), "degrees_north"),
        ("lon", np.arange(0.0, 360, 10), "degrees_east"),
    ]:
        group.create_array(name, data=data, dimension_names=[name], attributes={"units": units})
    group.create_array("sst", data=np.ones((24, 36)), dimension_names=["lat", "lon"])
    group.create_array("n", data=np.array([0, 1, 3]), dimension_names=["i"])
    hierarchy = open_store(tmp_path / "store.zarr")
    map_ = figure(make(hierarchy, "/sst")).axes[0]
    assert set(np.diff(map_.get_yticks())) <= {2.0, 5.0}
    assert set(np.diff(map_.get_xticks())) <= {45.0, 60.0}
    line = figure(make(hierarchy, "/n")).axes[0]
    assert all(tick == int(tick) for tick in line.get_yticks())


def test_what_is_subtracted_is_named_after_what_it_is_subtracted_from(tmp_path):
    group = zarr.open_group(tmp_path / "store.zarr")
    values = np.arange(24.0).reshape(2, 3, 4)
    group.create_array("a", data=values, dimension_names=["time", "y", "x"])
    look = make(open_store(tmp_path / "store.zarr"), "/a", {"time": 1}, against={"time": 0})
    assert figure(look).axes[0].get_title("right") == "time 1   minus time 0"


def test_times_have_round_dates_on_the_axis_of_values(tmp_path: Path) -> None:
    group = zarr.open_group(tmp_path / "t.zarr")
    units = {"units": "hours since 2001-01-30"}
    for name, shape, dims in [("line", (48,), ("n",)), ("map", (6, 8), ("y", "x"))]:
        values = np.arange(48.0).reshape(shape) * 6
        group.create_array(name, data=values, dimension_names=dims, attributes=units)
    hierarchy = open_store(tmp_path / "t.zarr")
    line = figure(make(hierarchy, "/line")).axes[0].get_yticklabels()
    bar = figure(make(hierarchy, "/map")).axes[1].get_yticklabels()
    for labels in ([one.get_text() for one in line], [one.get_text() for one in bar]):
        assert len(labels) > 2
        assert "2001-02-01 00:00" in labels
        assert all(label.endswith(" 00:00") for label in labels)
