"""Coastlines and graticules over maps: where they lie, and when there are none."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr

from nz_explorer.model import open_store
from nz_explorer.plots import QuickLook, figure, make
from nz_explorer.plots.drawing.aspect import aspect_of_axes, aspect_of_coordinates
from nz_explorer.plots.earth.coastline import coastline

STEREOGRAPHIC = {
    "grid_mapping_name": "polar_stereographic",
    "straight_vertical_longitude_from_pole": -45.0,
    "latitude_of_projection_origin": 90.0,
    "standard_parallel": 70.0,
    "false_easting": 0.0,
    "false_northing": 0.0,
}
EAST, NORTH = {"units": "degrees_east"}, {"units": "degrees_north"}


def looked_at(folder: Path, coordinates: dict[str, Any], **options: Any) -> QuickLook:
    """Store a map with the given coordinates, and look at it."""
    dims = [name for name, (dim, *_) in coordinates.items() if name == dim]
    shape = [len(coordinates[name][1]) for name in dims]
    given = {name: xr.Variable(*one) for name, one in coordinates.items()}
    values = np.arange(np.prod(shape), dtype="f4").reshape(shape)
    attributes, mapping = options.pop("attributes", {}), options.pop("mapping", STEREOGRAPHIC)
    dataset = xr.Dataset({"a": (dims, values, attributes)}, given)
    if "grid_mapping" in attributes:
        dataset["crs"] = ((), 0, mapping)
    dataset.to_zarr(folder / "s.zarr", zarr_format=3, consolidated=False)
    return make(open_store(folder / "s.zarr"), "/a", **options)


def lines(look: QuickLook, name: str = "coastlines") -> Any:
    """Return lines that are laid over a map."""
    assert look.earth is not None
    return getattr(look.earth, name)


def near(found: Any, place: tuple[float, float]) -> float:
    """Return how near lines come to a place."""
    return float(np.nanmin(np.hypot(*(found - place).T)))


@pytest.mark.parametrize("first", [-180, 0, 100, 540])
def test_coastlines_follow_longitudes_however_they_are_counted(tmp_path: Path, first: int) -> None:
    lon, lat = first + np.arange(0.5, 360), np.arange(89.5, -90, -1)
    look = looked_at(tmp_path, {"lat": ("lat", lat, NORTH), "lon": ("lon", lon, EAST)})
    # Gibraltar, and the Cape of Good Hope, in points of axes of one degree
    for east, north in [(-5.6, 36.0), (18.4, -34.1)]:
        assert near(lines(look), ((east - first) % 360, 90 - north)) < 0.7
    assert aspect_of_axes(look.x, look.y) == pytest.approx(359 / 179)


def test_what_is_drawn_larger_has_its_own_part_of_the_coastline(tmp_path: Path) -> None:
    lon, lat = np.arange(0.5, 360), np.arange(-89.5, 90)
    coordinates = {"lat": ("lat", lat, NORTH), "lon": ("lon", lon, EAST)}
    window = {"lon": [0, 20], "lat": [40, 60]}
    look = looked_at(tmp_path, coordinates, window=window)
    assert near(lines(look), (18.4, -34.1 + 90 - 40)) < 0.7
    assert len(lines(look)) < len(coastline()) / 10


def test_coastlines_lie_where_they_are_among_uneven_coordinates(tmp_path: Path) -> None:
    lat = np.array([0.0, 5, 10, 37, 39, 41, 50, 60, 80])
    look = looked_at(
        tmp_path, {"lat": ("lat", lat, NORTH), "lon": ("lon", np.arange(-30.0, 31), EAST)}
    )
    drawn = figure(look).axes[0].lines[0].get_xydata()
    assert near(drawn, (-5.6, 36.0)) < 0.7


def test_two_dimensional_coordinates_have_coastlines_in_degrees(tmp_path: Path) -> None:
    lon, lat = np.meshgrid(np.arange(150.0, 211), np.arange(-60.0, -19))
    coordinates = {
        "y": ("y", np.arange(41)),
        "x": ("x", np.arange(61)),
        "nav_lon": (("y", "x"), (lon + 180) % 360 - 180, EAST),
        "nav_lat": (("y", "x"), lat, NORTH),
    }
    look = looked_at(tmp_path, coordinates)
    assert near(lines(look), (172.7, -34.4)) < 1  # the north of New Zealand
    assert look.curvilinear is not None
    assert look.curvilinear.limits == pytest.approx((149.5, 210.5, -60.5, -19.5))
    assert aspect_of_coordinates(look.curvilinear) == pytest.approx(61 / 41)
    drawn = figure(look, graticule=True).axes[0]
    assert len(drawn.lines) == 2
    assert not figure(look, coastlines=False).axes[0].lines


def test_degrees_that_were_never_written_are_no_places(tmp_path: Path) -> None:
    empty = np.full((4, 5), 9.969209968386869e36)
    coordinates = {
        "y": ("y", np.arange(4)),
        "x": ("x", np.arange(5)),
        "lon": (("y", "x"), empty, EAST),
        "lat": (("y", "x"), np.where(empty > 0, empty, 0), NORTH),
    }
    assert looked_at(tmp_path, coordinates).curvilinear is None


def grid(kilometres: bool = False) -> dict[str, Any]:
    """Return the coordinates of a stereographic grid around the North Pole."""
    units, scale = ("km", 1) if kilometres else ("m", 1000)
    along = np.arange(-3000, 3001, 100.0) * scale
    return {
        name: (name, along, {"units": units, "standard_name": f"projection_{name}_coordinate"})
        for name in ("y", "x")
    }


@pytest.mark.parametrize("kilometres", [False, True])
def test_projected_grids_have_coastlines_and_degrees(tmp_path: Path, kilometres: bool) -> None:
    look = looked_at(tmp_path, grid(kilometres), attributes={"grid_mapping": "crs"})
    earth = look.earth
    assert earth is not None
    # Cape Morris Jesup, the north of Greenland: 83.6° N 33.4° W, 701 km from the pole
    turn = np.radians(-33.4 + 45)
    place = 30.5 + 7.01 * np.sin(turn), 30.5 - 7.01 * np.cos(turn)
    assert near(earth.coastlines, place) < 0.5
    assert earth.places is not None
    np.testing.assert_allclose(earth.places[:, 32, 32], (0, 0, 1), atol=1e-6)  # the pole
    assert {"80° N", "60° W"} <= {text for _, _, text in earth.labels}
    # of 61 columns: texts begin where the border leaves them room
    assert all(1 < x < 49 for x, _, _ in earth.labels)
    assert aspect_of_axes(look.x, look.y) == 1
    assert len(figure(look, graticule=True).axes[0].texts) == len(earth.labels)


def test_a_rotated_pole_has_the_degrees_of_the_earth_not_its_own(tmp_path: Path) -> None:
    mapping = {
        "grid_mapping_name": "rotated_latitude_longitude",
        "grid_north_pole_latitude": 37.5,
        "grid_north_pole_longitude": 177.5,
    }
    along = np.linspace(-2, 2, 17)
    look = looked_at(
        tmp_path,
        {
            "rlat": ("rlat", along, {"units": "degrees", "standard_name": "grid_latitude"}),
            "rlon": ("rlon", 360 + along, {"units": "degrees", "standard_name": "grid_longitude"}),
        },
        attributes={"grid_mapping": "crs"},
        mapping=mapping,
    )
    assert look.earth is not None
    assert look.earth.places is not None
    x, y, z = look.earth.places[:, 32, 32]
    # The middle of such a grid is 90 degrees from its pole: England
    assert np.degrees([np.arctan2(y, x), np.arcsin(z)]) == pytest.approx((-2.5, 52.5), abs=1e-3)
    assert look.earth.coastlines is not None


def test_without_pyproj_a_sentence_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from nz_explorer.values.coordinates import projections

    monkeypatch.setitem(sys.modules, "pyproj", None)
    projections._made.cache_clear()
    try:
        look = looked_at(tmp_path, grid(), attributes={"grid_mapping": "crs"})
    finally:
        projections._made.cache_clear()
    assert look.earth is not None
    assert look.earth.coastlines is None
    assert look.earth.why is not None
    assert "pip install" in look.earth.why


@pytest.mark.parametrize(
    "coordinates",
    [
        {"depth": ("depth", [5.0, 10, 20], {"units": "m"}), "lat": ("lat", [1.0, 2, 3], NORTH)},
        {"lat": ("lat", [1.0, 2, 1.5], NORTH), "lon": ("lon", [1.0, 2, 3], EAST)},
        {"y": ("y", [1.0, 2, 3], {"units": "m"}), "x": ("x", [1.0, 2, 3], {"units": "m"})},
    ],
    ids=["a section", "latitudes up and down", "metres of nothing known"],
)
def test_where_degrees_are_not_known_there_are_none(
    tmp_path: Path, coordinates: dict[str, Any]
) -> None:
    assert looked_at(tmp_path, coordinates).earth is None
