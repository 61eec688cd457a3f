"""One picture minus another: another index, another array."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import zarr

import nz_explorer as nz
from nz_explorer.plots import figure, make
from nz_explorer.plots.picture import QuickLook
from nz_explorer.values.masks.cell_states import FILL


@pytest.fixture
def store(tmp_path: Path) -> Path:
    group = zarr.create_group(tmp_path / "s.zarr")
    values = np.arange(24, dtype="i2").reshape(2, 3, 4) ** 2
    values[0, 1, 1] = values[1, 2, 2] = -9
    packed = {"_FillValue": -9, "scale_factor": 0.5, "add_offset": 1.0, "units": "K"}
    dims = ("time", "y", "x")
    group.create_array("a", data=values, dimension_names=dims, attributes=packed)
    group.create_array("b", data=np.ones((2, 3, 4), "f4"), dimension_names=dims)
    group.create_array("small", data=np.ones((3, 3)), dimension_names=("y", "x"))
    return tmp_path / "s.zarr"


def look(store: Path, **options: object) -> QuickLook:
    return make(nz.open_store(store), "/a", {"time": 1}, **options)  # type: ignore[arg-type]


def test_another_index_is_subtracted_with_statistics_about_zero(store: Path) -> None:
    found = look(store, against={"time": 0})
    stored = zarr.open_array(store, path="a", mode="r")[:] * 0.5
    there = np.ones((3, 4), bool)
    there[1, 1] = there[2, 2] = False
    apart = (stored[1] - stored[0])[there]
    np.testing.assert_allclose(found.stored[there], apart)
    assert (found.cell_states[~there] == FILL).all()
    assert (found.packing, found.units, found.colours.signed) == (None, "K", True)
    assert found.title == "a · time 1 minus time 0"
    bias, rms = apart.mean(), np.sqrt((apart**2).mean())
    said = f"bias {bias:.4g}, RMS {rms:.4g}, largest {abs(apart).max():.4g} K (of 10 points shown)"
    assert said in found.message
    colours = figure(found).axes[0].images[-1]
    assert colours.norm.vmin == -colours.norm.vmax
    line = look(store, against={"time": 0}, kind="line")
    np.testing.assert_allclose(line.stored, found.stored[0])


def test_another_array_is_subtracted_where_it_has_the_same_points(store: Path) -> None:
    found = look(store, against="/b")
    assert found.title == "a · time 1 minus b"
    assert found.stored[0, 0] == 12**2 * 0.5 + 1 - 1
    for path, why in {
        "/small": "other points along x: 3 of 3, not 4 of 4",
        "/no": "no array",
    }.items():
        refused = look(store, against=path)
        assert refused.kind == "none"
        assert why in refused.message
        assert refused.sliders


def test_the_explorer_says_the_same(store: Path) -> None:
    ex = nz.explore(store, path="/a")
    ex.index, ex.view = {"time": 1}, {"against": {"time": 0}}
    values = ex.values()
    assert values.count() == 10
    shown = ex.to_xarray(shown=True)
    np.testing.assert_allclose(shown.values, values.filled(np.nan))
    assert shown.attrs["long_name"] == "a minus time 0"
    ex.close()
