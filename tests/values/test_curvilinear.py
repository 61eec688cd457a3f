"""Coordinates of a map's points that change along other dimensions too, as WRF writes them, or that the group names."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
import zarr

import nz_explorer as nz

DIMS = ("Time", "south_north", "west_east")
ROWS, COLUMNS = np.mgrid[0:6, 0:8]


@pytest.fixture
def wrf(tmp_path):
    """Return a function that explores an array on latitudes and longitudes at each of two times; they may move."""

    def explore(moves=0.0, coordinates="XLONG XLAT XTIME", of_group=None):
        group = zarr.open_group(tmp_path / "s.zarr", mode="w", zarr_format=3)
        at = np.array([0, moves])[:, None, None]
        for name, plane, units in [
            ("XLAT", 40 + ROWS * 0.5 + COLUMNS * 0.1, "degree_north"),
            ("XLONG", COLUMNS * 0.7 - ROWS * 0.1 - 20, "degree_east"),
        ]:
            made = group.create_array(
                name, data=(plane + at).astype("f4"), dimension_names=DIMS, chunks=(1, 6, 8)
            )
            made.attrs["units"] = units
        field = group.create_array(
            "T2", data=np.arange(96.0).reshape(2, 6, 8), dimension_names=DIMS, chunks=(1, 6, 8)
        )
        if coordinates:
            field.attrs["coordinates"] = coordinates
        if of_group:
            group.attrs["coordinates"] = of_group
        ex = nz.explore(tmp_path / "s.zarr", path="/T2")
        ex.index = {"Time": 1}
        return ex

    return explore


@pytest.mark.parametrize("moves", [0.0, 2.5])
def test_a_map_lies_where_its_points_are_at_its_time(wrf, moves):
    ex = wrf(moves)
    found = ex._look().curvilinear
    assert found is not None
    assert (found.x_label, found.y_label) == ("XLONG", "XLAT")
    np.testing.assert_allclose(found.y, 40 + ROWS * 0.5 + COLUMNS * 0.1 + moves, rtol=1e-6)
    ex.view = {"window": {"XLAT": [40 + moves, 41 + moves], "XLONG": [-30, 30]}}
    assert ex.values().shape[0] < 6


@pytest.mark.parametrize("using", ["zarr", "xarray"])
def test_the_program_reads_them_at_that_time(wrf, using):
    program = wrf(2.5).code(using=using)
    names = {}
    exec(compile(program, "program", "exec"), names)
    # the corner of the first cell, half a cell before its middle
    np.testing.assert_allclose(np.asarray(names["y"])[0, 0], 42.5 - 0.3, rtol=1e-6)
    assert "XLAT" in program
    plt.close("all")


@pytest.mark.parametrize(("moves", "there"), [(0.0, True), (2.5, False)])
def test_over_several_times_they_serve_where_they_do_not_move(wrf, moves, there):
    ex = wrf(moves)
    ex.view = {"reduce": {"Time": "mean"}}
    assert (ex._look().curvilinear is not None) == there


def test_a_section_along_time_is_no_map_of_them(wrf):
    ex = wrf(2.5)
    ex.view = {"y": "Time", "x": "west_east"}
    assert ex._look().curvilinear is None


def test_the_group_may_name_them_as_xarray_writes_it(wrf):
    assert wrf(coordinates=None)._look().curvilinear is None
    assert wrf(coordinates=None, of_group="XLAT XLONG T2")._look().curvilinear is not None
