"""Maps of cells: each pixel shows the cell that lies there, whatever the order of the cells."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest
import zarr
from hypothesis import given, settings
from hypothesis import strategies as st

import nz_explorer as nz
from nz_explorer.model import open_store
from nz_explorer.plots import QuickLook, make, thumbnail
from nz_explorer.plots.cells.nearest import nearest_cells
from nz_explorer.values.coordinates.curvilinear import Curvilinear
from nz_explorer.widget.picture_messages import picture

CELLS, TIMES = 3072, 3
EARTH = (-180.0, 180.0, -90.0, 90.0)


def _spiral(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Longitudes and latitudes of points that are evenly spread over the Earth, in no order."""
    numbers = np.random.default_rng(1).permutation(count) + 0.5
    latitudes = np.degrees(np.arcsin(1 - 2 * numbers / count))
    return (180 * (1 + 5**0.5) * numbers) % 360 - 180, latitudes


def _apart(lon: Any, lat: Any, others: Any, their: Any) -> np.ndarray:
    """Degrees between places on the Earth."""
    a, b, c, d = map(np.radians, (lon, lat, others, their))
    cosine = np.sin(b) * np.sin(d) + np.cos(b) * np.cos(d) * np.cos(a - c)
    return np.degrees(np.arccos(np.clip(cosine, -1, 1)))


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("cells") / "s.zarr"
    group = zarr.create_group(path)

    def add(name: str, values: np.ndarray, dims: str, **attributes: Any) -> None:
        fill = np.nan if values.dtype.kind == "f" else -1
        made = group.create_array(
            name,
            shape=values.shape,
            dtype=values.dtype,
            dimension_names=dims.split(),
            fill_value=fill,
        )
        made[...] = values
        made.attrs.update(attributes)

    lon, lat = _spiral(CELLS)
    add("clon", np.radians(lon), "cell", standard_name="longitude", units="radian")
    add("clat", np.radians(lat), "cell", standard_name="latitude", units="radian")
    add("time", np.arange(TIMES), "time", units="days since 2020-01-01")
    where = {"coordinates": "clat clon"}
    add("t", np.arange(TIMES)[:, None] + lat.astype("f4"), "time cell", units="K", **where)
    add("n", np.arange(CELLS), "cell", **where)
    add(
        "kinds", np.arange(CELLS) % 3, "cell", flag_values=[0, 1, 2], flag_meanings="a b c", **where
    )
    add("lon", lon[:20], "station", units="degrees_east")
    add("lat", lat[:20], "station", units="degrees_north")
    add("level", np.ones((20, TIMES), "f4"), "station time", coordinates="lon lat")
    add("at", np.arange(CELLS), "at", units="seconds since 2020-01-01")
    add("track_lon", np.linspace(0, 10, CELLS), "at", units="degrees_east")
    add("track_lat", np.linspace(0, 10, CELLS), "at", units="degrees_north")
    add("far", np.ones(CELLS, "f4"), "at", coordinates="track_lon track_lat")
    return path


def _look(store: Path, path: str, **options: Any) -> QuickLook:
    return make(open_store(store), path, **options)


def _at(look: QuickLook, lon: float, lat: float) -> int:
    """The cell that the map shows at a place."""
    assert look.curvilinear is not None
    cells = look.curvilinear.nearest
    assert cells is not None
    west, east, south, north = look.curvilinear.limits
    column = int((lon - west) / (east - west) * cells.shape[1])
    row = int((north - lat) / (north - south) * cells.shape[0])
    return int(cells[row, column])


def test_each_place_shows_the_nearest_cell(store: Path) -> None:
    look = _look(store, "/n")
    assert look.kind == "cells"
    assert look.curvilinear is not None
    assert look.curvilinear.x_units == "degrees_east"
    assert look.curvilinear.limits == EARTH
    lon, lat = _spiral(CELLS)
    rng = np.random.default_rng(2)
    wrong = []
    for _ in range(300):
        place = rng.uniform(-179, 179), rng.uniform(-85, 85)
        far = _apart(*place, lon, lat)
        shown = _at(look, *place)
        assert shown >= 0
        # the middle of a pixel is up to a quarter of a degree away from its corner
        wrong.append(far[shown] > far.min() + 0.5)
    assert np.mean(wrong) < 0.02


def test_the_date_line_and_the_poles_have_no_gaps(store: Path) -> None:
    look = _look(store, "/n")
    assert look.curvilinear is not None
    cells = look.curvilinear.nearest
    assert cells is not None
    assert (cells[:, [0, -1]] >= 0).all()
    assert (cells[[3, -4]] >= 0).mean() > 0.95


def test_what_no_cell_covers_stays_empty() -> None:
    lon, lat = np.meshgrid(np.arange(0.0, 20), np.arange(0.0, 10))
    land = (lon > 7) & (lon < 13) & (lat > 3) & (lat < 7)
    places = [one[~land].astype(np.float32) for one in (lon, lat)]
    grid = Curvilinear("x", "y", *places, "m", "m", limits=(-0.5, 19.5, -0.5, 9.5))
    cells = nearest_cells(grid, 200, 100)
    assert cells[45, 105] == -1
    assert cells[50, 55] >= 0
    assert (cells[:20] >= 0).all()


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.tuples(st.floats(-400, 400), st.floats(-90, 90)), min_size=1, max_size=40),
    st.integers(1, 40),
    st.integers(1, 40),
    st.booleans(),
)
def test_whatever_the_places_cells_are_those_there_are(
    places: list[tuple[float, float]], width: int, height: int, dots: bool
) -> None:
    x, y = (np.array(one, np.float32) for one in zip(*places, strict=True))
    grid = Curvilinear("lon", "lat", x, y, "degrees_east", "degrees_north", EARTH)
    cells = nearest_cells(grid, width, height, dots=dots)
    assert cells.shape == (height, width)
    assert cells.min() >= -1
    assert cells.max() < len(places)


def test_a_place_that_is_missing_has_no_cell() -> None:
    x, y = np.array([0, np.nan, 5], np.float32), np.array([0, 1, 5], np.float32)
    grid = Curvilinear("x", "y", x, y, limits=(-1, 6, -1, 6))
    assert set(np.unique(nearest_cells(grid, 50, 50))) <= {-1, 0, 2}


def test_many_cells_are_a_map_first_and_stations_and_tracks_are_not(store: Path) -> None:
    assert _look(store, "/t").kinds[:2] == ("cells", "map")
    assert _look(store, "/level").kind == "map"
    assert "cells" in _look(store, "/level").kinds
    assert _look(store, "/far").kind == "line"
    assert _look(store, "/clat").kind == "line"
    look = _look(store, "/level", kind="cells")
    assert look.curvilinear is not None
    assert look.curvilinear.nearest is not None
    assert 0 < (look.curvilinear.nearest >= 0).mean() < 0.02  # dots


def test_a_part_of_the_map_is_drawn_larger(store: Path) -> None:
    look = _look(store, "/n", window={"clon": [170.0, 200.0], "clat": [-10.0, 10.0]})
    assert look.curvilinear is not None
    assert look.curvilinear.limits == (170.0, 200.0, -10.0, 10.0)
    lon, lat = _spiral(CELLS)
    assert look.x is not None
    for place in ((179.0, 3.0), (-179.0, -3.0)):
        shown = look.x.start + look.x.step * _at(look, place[0] % 360, place[1])
        assert _apart(*place, lon[shown], lat[shown]) <= _apart(*place, lon, lat).min() + 0.2


def test_slices_means_and_differences_are_those_of_the_cells(store: Path) -> None:
    lat = _spiral(CELLS)[1].astype(np.float32)
    np.testing.assert_allclose(_look(store, "/t", index={"time": 2}).values, lat + 2)
    np.testing.assert_allclose(_look(store, "/t", reduce={"time": "mean"}).values, lat + 1, 1e-5)
    apart = _look(store, "/t", index={"time": 2}, against={"time": 0})
    assert apart.kind == "cells"
    np.testing.assert_allclose(apart.values, np.full(CELLS, 2), atol=1e-4)


def test_no_difference_is_made_of_cells_that_lie_elsewhere(store: Path, tmp_path: Path) -> None:
    group = zarr.open_group(zarr.storage.LocalStore(store), mode="r")
    copy = zarr.create_group(tmp_path / "c.zarr")
    for name in ("clon", "clat", "n"):
        made = copy.create_array(
            name, shape=(CELLS,), dtype=group[name].dtype, dimension_names=["cell"]
        )
        made[...] = group[name][...][::-1]
        made.attrs.update(group[name].attrs)
    other = open_store(tmp_path / "c.zarr")
    look = make(open_store(store), "/n", against={"path": "/n", "store": "c"}, other=other)
    assert look.kind == "none"
    assert "other values of clon" in (look.message or "")


def test_along_another_dimension_it_is_a_line(store: Path) -> None:
    look = _look(store, "/t", x="time", index={"cell": 5})
    assert look.kind == "line"
    assert look.values is not None
    assert look.values.shape == (TIMES,)


@pytest.fixture
def ex(store: Path) -> Iterator[nz.Explorer]:
    explorer = nz.explore(store, path="/t")
    yield explorer
    explorer.close()
    plt.close("all")


@pytest.mark.parametrize("path", ["/t", "/n", "/kinds"])
@pytest.mark.parametrize("using", ["zarr", "xarray"])
def test_a_program_draws_the_same_values_at_the_same_places(
    ex: nz.Explorer, path: str, using: Any
) -> None:
    ex.path = path
    names: dict[str, Any] = {}
    exec(compile(ex.code(using), "program", "exec"), names)
    np.testing.assert_array_equal(names["values"], ex.values())
    lon, lat = _spiral(CELLS)
    np.testing.assert_allclose((names["x"] - lon + 180) % 360, 180, atol=1e-3)
    np.testing.assert_allclose(names["y"], lat, atol=1e-3)
    assert plt.gca().get_xlim() == (-180, 180)


def test_a_figure_has_each_value_where_its_cell_is(ex: nz.Explorer) -> None:
    ex.path = "/n"
    axes = ex.figure(coastlines=False).axes[0]
    (image,) = axes.images
    shown = image.get_array()
    assert shown is not None
    lon, lat = _spiral(CELLS)
    rows, columns = shown.shape
    for cell in range(0, CELLS, 97):
        if abs(lat[cell]) < 80:
            row, column = int((lat[cell] + 90) / 180 * rows), int((lon[cell] + 180) / 360 * columns)
            assert shown[row, column] == cell
    assert axes.get_xlabel() == "clon (°E)"


def test_messages_and_small_pictures_have_the_cells(store: Path) -> None:
    look = _look(store, "/t")
    message, buffers = picture(look)
    assert message.curvilinear is not None
    assert message.curvilinear.nearest_buffer is not None
    cells = np.frombuffer(buffers[message.curvilinear.nearest_buffer], np.int32)
    assert cells.size % message.curvilinear.columns == 0
    assert set(np.unique(cells)) <= set(range(-1, CELLS))
    assert message.curvilinear.turn == 360
    assert [one.label for one in message.point_coordinates][:2] == ["clat", "clon"]
    small = thumbnail(look, 90, 45)
    assert small is not None
    assert small.shape == (45, 90)
    assert small[3].mean() > small[-4].mean()  # it is warmer in the north


@pytest.mark.parametrize(
    ("dimension", "names"),
    [
        ("ncol", ("lon", "lat")),
        ("nod2", ("longitude", "latitude")),
        ("nCells", ("lonCell", "latCell")),
        ("nEdges", ("lonEdge", "latEdge")),
    ],
)
def test_cells_of_models_that_name_no_coordinates(
    tmp_path: Path, dimension: str, names: tuple[str, str]
) -> None:
    group = zarr.create_group(tmp_path / "s.zarr")
    lon, lat = _spiral(1000)
    for name, values in zip((*names, "t"), (lon, lat, lat), strict=True):
        made = group.create_array(name, shape=(1000,), dtype="f8", dimension_names=[dimension])
        made[...] = values
    look = _look(tmp_path / "s.zarr", "/t")
    assert look.kind == "cells"
    assert look.curvilinear is not None
    np.testing.assert_allclose(look.curvilinear.y, lat, rtol=1e-5)
    assert {_look(tmp_path / "s.zarr", f"/{name}").kind for name in names} == {"line"}


def test_latitudes_and_longitudes_of_a_map_are_no_cells(tmp_path: Path) -> None:
    group = zarr.create_group(tmp_path / "s.zarr")
    for name, dims in (("lat", ["lat"]), ("lon", ["lon"]), ("t", ["lat", "lon"])):
        group.create_array(name, shape=(600,) * len(dims), dtype="f4", dimension_names=dims)
    assert "cells" not in _look(tmp_path / "s.zarr", "/t").kinds


LEVEL = 5
HEALPIX: dict[str, dict[str, Any]] = {
    "of CF": {
        "grid_mapping_name": "healpix",
        "refinement_level": LEVEL,
        "indexing_scheme": "nested",
    },
    "of easygems": {
        "grid_mapping_name": "healpix",
        "healpix_nside": 2**LEVEL,
        "healpix_order": "ring",
    },
}


def _healpix(path: Path, mapping: dict[str, Any], count: int = 12 * 4**LEVEL) -> Path:
    group = zarr.create_group(path, overwrite=True)
    group.create_array("crs", shape=(), dtype="i1", dimension_names=[]).attrs.update(mapping)
    made = group.create_array("n", shape=(count,), dtype="i4", dimension_names=["cell"])
    made[...] = np.arange(count)
    made.attrs["grid_mapping"] = "crs"
    return path


@pytest.mark.parametrize("name", HEALPIX)
def test_healpix_cells_lie_where_their_numbers_say(tmp_path: Path, name: str) -> None:
    look = _look(_healpix(tmp_path / "s.zarr", HEALPIX[name]), "/n")
    assert look.kind == "cells"
    assert look.curvilinear is not None
    assert look.curvilinear.limits[:2] == (0, 360)
    # the first cell of either order: the southernmost of the first of 12 parts, or the one at the north pole
    south = {"of CF": (45.0, 0.0), "of easygems": (45.0, 90.0)}[name]
    (first_lon, first_lat) = look.curvilinear.x[0], look.curvilinear.y[0]
    assert _apart(*south, first_lon, first_lat) < 2
    assert _at(look, float(first_lon), float(first_lat)) == 0
    assert look.curvilinear.nearest is not None
    assert (look.curvilinear.nearest >= 0).mean() > 0.999
    ex = nz.explore(tmp_path / "s.zarr", path="/n")
    for using in ("zarr", "xarray"):
        names: dict[str, Any] = {}
        exec(compile(ex.code(using), "program", "exec"), names)
        np.testing.assert_allclose(names["x"], look.curvilinear.x, atol=1e-4)
        np.testing.assert_allclose(names["y"], look.curvilinear.y, atol=1e-4)
    ex.close()
    plt.close("all")


def test_healpix_cells_of_a_region_have_their_numbers_beside_them(tmp_path: Path) -> None:
    group = zarr.create_group(tmp_path / "s.zarr")
    numbers = np.arange(600, 1400)
    ids = group.create_array("cell_ids", shape=(800,), dtype="u8", dimension_names=["cells"])
    ids[...] = numbers
    ids.attrs.update(grid_name="healpix", level=LEVEL, indexing_scheme="nested")
    made = group.create_array("t", shape=(800,), dtype="i4", dimension_names=["cells"])
    made[...] = numbers
    made.attrs["coordinates"] = "cell_ids"
    look = _look(tmp_path / "s.zarr", "/t")
    whole = _look(_healpix(tmp_path / "w.zarr", HEALPIX["of CF"]), "/n")
    assert look.kind == "cells"
    assert look.curvilinear is not None
    assert whole.curvilinear is not None
    np.testing.assert_array_equal(look.curvilinear.x, whole.curvilinear.x[numbers])
    assert _look(tmp_path / "s.zarr", "/cell_ids").kind == "line"


@pytest.mark.parametrize(
    "change",
    [
        {"refinement_level": 4},
        {"refinement_level": "5"},
        {"refinement_level": 99},
        {"indexing_scheme": "spiral"},
        {"indexing_scheme": None},
        {"grid_mapping_name": ["healpix"]},
    ],
)
def test_what_does_not_say_where_cells_lie_is_a_line(
    tmp_path: Path, change: dict[str, Any]
) -> None:
    assert _look(_healpix(tmp_path / "s.zarr", HEALPIX["of CF"] | change), "/n").kind == "line"


def test_without_the_package_it_says_what_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("nz_explorer.plots.cells", "nz_explorer.values.coordinates.healpix"):
        monkeypatch.setattr(f"{module}.find_spec", lambda _name: None)
    look = _look(_healpix(tmp_path / "s.zarr", HEALPIX["of CF"]), "/n")
    assert look.kind == "line"
    assert "nz_explorer[maps]" in (look.message or "")
