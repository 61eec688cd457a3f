"""Integers are shown with the sign that `_Unsigned` says, everywhere the same."""

from __future__ import annotations

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pytest
import xarray as xr
import zarr

import nz_explorer as nz

STORED = np.array([[0, 100, -1], [-200, -32768, 7]], "i2")
MEANT = np.array([[0, 100, np.nan], [65336, 32768, 7]])


@pytest.fixture
def store(tmp_path: Path) -> Path:
    group = zarr.create_group(tmp_path / "s.zarr")
    packed = {"_FillValue": -1, "_Unsigned": "true", "scale_factor": 0.5, "add_offset": 1.0}
    for name, stored, attributes in (
        ("radiance", STORED, {**packed, "valid_range": [0, -100]}),
        ("big", STORED.astype(">i2"), packed),
        (
            "flag",
            np.array([[0, -2], [-2, 0]], "i1"),
            {"_Unsigned": "true", "flag_values": [0, -2], "flag_meanings": "good bad"},
        ),
        ("signed", np.array([1, 250], "u1"), {"_Unsigned": "false"}),
    ):
        dims = ["y", "x"][: stored.ndim] if name != "signed" else ["n"]
        if name == "flag":
            dims = ["a", "b"]
        made = group.create_array(
            name, shape=stored.shape, dtype=stored.dtype, dimension_names=dims
        )
        made[...] = stored
        made.attrs.update(attributes)
    return tmp_path / "s.zarr"


@pytest.mark.parametrize("name", ["radiance", "big"])
def test_values_programs_and_statistics_are_those_of_xarray(store: Path, name: str) -> None:
    ex = nz.explore(store, path=f"/{name}")
    wanted = MEANT * 0.5 + 1
    with xr.open_zarr(store, consolidated=False) as ds:
        np.testing.assert_array_equal(ds[name], wanted)
    np.testing.assert_array_equal(ex.values().filled(np.nan), wanted)
    np.testing.assert_array_equal(ex.to_xarray(shown=True), wanted)
    np.testing.assert_array_equal(ex.to_xarray(), wanted)
    with plt.rc_context({"backend": "agg"}):
        for using in ("zarr", "xarray", "nz_explorer"):
            names: dict[str, object] = {}
            exec(ex.code(using), names)
            np.testing.assert_array_equal(np.ma.filled(names["values"], np.nan), wanted)
        plt.close("all")
    ex.view = {"reduce": {"y": "max"}}
    np.testing.assert_array_equal(ex.values(), np.nanmax(wanted, axis=0))
    found = nz.scan(ex.node)
    assert (found.minimum, found.maximum, found.states["fill"]) == (0, 65336, 1)
    ex.close()


def test_an_exported_file_holds_what_is_shown(store: Path, tmp_path: Path) -> None:
    ex = nz.explore(store, path="/radiance")
    with xr.open_dataset(ex.export(tmp_path / "a.nc")) as ds:
        np.testing.assert_array_equal(ds["radiance"], MEANT * 0.5 + 1)
    ex.close()


def test_flags_and_the_other_way_round(store: Path) -> None:
    ex = nz.explore(store, path="/flag")
    assert ex.values().tolist() == [[0, 254], [254, 0]]
    labels = [text.get_text() for text in ex.figure().findobj(plt.Text)]
    assert {"good", "bad"} <= set(labels)
    ex.path = "/signed"
    assert ex.values().tolist() == [1, -6]
    ex.close()
