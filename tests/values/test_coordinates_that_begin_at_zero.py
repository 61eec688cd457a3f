"""zarr writes no chunk of mere fill values: a coordinate that begins at 0 has a chunk that is absent, and is there all the same."""

import numpy as np
import pytest
import zarr

import nz_explorer as nz


def sliced(tmp_path, times, **attributes):
    """Return the first slice of a field over times, of which each has a chunk of its own."""
    group = zarr.create_group(tmp_path / "s.zarr", zarr_format=3, overwrite=True)
    made = group.create_array(
        "time", shape=(len(times),), chunks=(1,), dtype="i8", fill_value=0, dimension_names=["time"]
    )
    made[:] = np.array(times)
    made.attrs.update({"units": "days since 2000-01-01", **attributes})
    group.create_array("v", data=np.ones((len(times), 2, 3)), dimension_names=("time", "y", "x"))
    assert not (tmp_path / "s.zarr/time/c/0").exists()
    return nz.explore(tmp_path / "s.zarr", path="/v")


@pytest.mark.parametrize("times", [[0], [0, 1, 2]])
def test_its_first_value_is_shown_and_chosen_by(tmp_path, times):
    ex = sliced(tmp_path, times)
    assert [slider.label for slider in ex._look().sliders] == ["2000-01-01"]
    assert ex.sel(time="2000-01-01").index["time"] == 0
    ex.view = {"kind": "line", "x": "time"}
    assert ex._look().x.kind == "time"


def test_where_it_is_the_mark_of_missing_data_there_is_no_value(tmp_path):
    ex = sliced(tmp_path, [0], _FillValue=0)
    assert [slider.label for slider in ex._look().sliders] == ["0"]


def test_an_auxiliary_coordinate_too(tmp_path):
    ex = sliced(tmp_path, [0, 1])
    group = zarr.open_group(tmp_path / "s.zarr", mode="a")
    lead = group.create_array("lead", shape=(2,), chunks=(1,), dtype="f4", dimension_names=["time"])
    lead[:] = [0, 6]
    lead.attrs["units"] = "h"
    group["v"].attrs["coordinates"] = "lead"
    ex = nz.explore(tmp_path / "s.zarr", path="/v")
    assert ex._look().aside == ("lead 0 h",)
