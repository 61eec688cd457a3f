"""Coordinates of a dimension that has another name: auxiliary ones of CF, where they alone say where its points lie."""

import numpy as np
import pytest
import zarr

import nz_explorer as nz


@pytest.fixture
def explored(tmp_path):
    """Return a function that explores a field over obs, nlat and nlon with 1-D coordinates of other names."""

    def explore(**others):
        group = zarr.create_group(tmp_path / "s.zarr", zarr_format=3, overwrite=True)
        known = {
            "latitude": ("nlat", np.linspace(-60, 60, 13), "degrees_north"),
            "longitude": ("nlon", np.linspace(-170, 170, 18), "degrees_east"),
            "when": ("obs", np.arange(3) * 10, "days since 2000-01-01"),
            **others,
        }
        for name, (dimension, values, units) in known.items():
            made = group.create_array(name, data=np.array(values), dimension_names=(dimension,))
            made.attrs["units"] = units
        field = group.create_array(
            "v", data=np.arange(702.0).reshape(3, 13, 18), dimension_names=("obs", "nlat", "nlon")
        )
        field.attrs["coordinates"] = " ".join(known)
        ex = nz.explore(tmp_path / "s.zarr", path="/v")
        ex.index = {"obs": 1}
        return ex

    return explore


def test_they_are_those_of_axes_and_sliders(explored):
    ex = explored()
    look = ex._look()
    assert look.x.coordinates[:2].tolist() == [-170, -150]
    assert look.x.title == "longitude"
    assert not look.y.downwards  # north is up
    assert look.earth is not None
    assert [slider.label for slider in look.sliders] == ["2000-01-11"]
    assert look.aside == ()
    assert look.point_coordinates() == ()


def test_values_are_chosen_by_them(explored):
    ex = explored()
    ex.sel(obs="2000-01-21", nlat=30)
    assert (ex.index["obs"], ex.index["nlat"]) == (2, 9)
    assert ex.to_xarray(shown=True)["latitude"].dims == ("nlat",)


def test_of_a_track_latitudes_alone_are_no_places_but_its_time_is(explored):
    ex = explored(
        lat=("obs", [1.0, 2, 3], "degrees_north"), lon=("obs", [3.0, 1, 2], "degrees_east")
    )
    ex.view = {"kind": "line", "x": "obs"}
    look = ex._look()
    assert look.x.kind == "time"
    assert {one.label for one in look.point_coordinates()} == {"lat", "lon"}
    ex = explored(
        when=("obs", [0, 0, 1], "days since 2000-01-01"), lat=("obs", [1.0, 2, 3], "degrees_north")
    )
    ex.view = {"kind": "line", "x": "obs"}
    assert ex._look().x.kind == "index"


def test_one_that_is_named_like_the_dimension_goes_first(explored):
    look = explored(nlat=("nlat", np.arange(13) * 2.0, "m"))._look()
    assert look.y.coordinates[:2].tolist() == [0, 2]
    assert [one.label for one in look.point_coordinates()] == ["latitude"]
