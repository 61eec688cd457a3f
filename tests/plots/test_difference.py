"""One picture minus another: another index, another array."""

from __future__ import annotations

import io
import itertools
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
    group.create_array("across", data=np.ones((4, 3)), dimension_names=("x", "y"))
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
    assert [slider.minus for slider in found.sliders] == ["0"]
    bias, rms = apart.mean(), np.sqrt((apart**2).mean())
    said = f"bias {bias:.4g}, RMS {rms:.4g}, largest {abs(apart).max():.4g} K"
    assert said in found.message
    opposite = make(nz.open_store(store), "/a", {"time": 0}, against={"time": 1})
    assert f"bias {-bias:.4g}".replace("-", "−") in opposite.message
    related = np.corrcoef(stored[1][there], stored[0][there])[0, 1]
    assert f"correlation {related:.4g} (over 10 points)" in found.message
    colours = figure(found).axes[0].images[-1]
    assert colours.norm.vmin == -colours.norm.vmax
    line = look(store, against={"time": 0}, kind="line")
    np.testing.assert_allclose(line.stored, found.stored[0])


def test_another_array_is_subtracted_where_it_has_the_same_points(store: Path) -> None:
    found = look(store, against="/b")
    alone = look(store, against={"path": "/b", "show": "b"}).stored
    assert (alone.dtype, alone[0, 0]) == (np.float32, 1)
    assert found.title == "a · time 1 minus b"
    assert found.stored[0, 0] == 12**2 * 0.5 + 1 - 1
    for path, why in {
        "/small": "other points along x: 3 of 3, not 4 of 4; interpolate one of them first",
        "/across": "/across lies along x, y, and /a along y, x: choose another B",
        "/no": "no array",
    }.items():
        refused = look(store, against=path)
        assert refused.kind == "none"
        assert why in refused.message
        assert refused.sliders


@pytest.mark.parametrize(
    ("places", "why"),
    [
        ([2, 1, 0], "other coordinates along y: 2 … 0, not 0 … 2; sort one of them first"),
        ([0, 1, 3], "other coordinates along y: 0 … 3, not 0 … 2; interpolate one of them first"),
    ],
)
def test_of_other_coordinates_it_is_said_which_and_what_to_do(
    tmp_path: Path, places: list[int], why: str
) -> None:
    for name, along in [("one", [0, 1, 2]), ("two", places)]:
        group = zarr.create_group(tmp_path / "s.zarr" / name)
        group.create_array("a", data=np.ones((3, 4)), dimension_names=("y", "x"))
        group.create_array("y", data=np.array(along, "f8"), dimension_names=("y",))
    refused = make(nz.open_store(tmp_path / "s.zarr"), "/one/a", against="/two/a")
    assert refused.kind == "none"
    assert why in refused.message


def test_another_store_is_subtracted_on_the_same_sliders(store: Path, tmp_path: Path) -> None:
    other = zarr.create_group(tmp_path / "other.zarr")
    dims = ("time", "y", "x")
    for name, values in [("a", np.arange(24.0).reshape(2, 3, 4)), ("time", np.array([5, 6]))]:
        other.create_array(name, data=values, dimension_names=dims[: values.ndim])
    view = {"against": {"store": "the other"}}
    ex = nz.explore(store, path="/a")
    ex.index, ex.view = {"time": 1}, view
    with pytest.raises(ValueError, match="call ex"):
        ex.values()
    ex.compare(tmp_path / "other.zarr")
    stored = zarr.open_array(store, path="a", mode="r")[1] * 0.5 + 1
    wanted = stored - np.arange(12, 24).reshape(3, 4)
    assert ex.values().count() == 11
    np.testing.assert_allclose(ex.values(), np.ma.masked_array(wanted, ex.values().mask))
    # the other time has another name there
    assert ex.to_xarray(shown=True).attrs["long_name"] == "a minus other.zarr time 6"
    for show, first in [("a", stored[0, 0]), ("b", 12)]:
        ex.view = {"against": {"store": "the other", "show": show}}
        assert ex.values()[0, 0] == first
        assert [slider.label for slider in ex._look().sliders] == ["1"]
        assert ex._look().ranges["held"] == (12, 265.5)  # those of both
        exec(compile(ex.code("zarr"), show, "exec"), names := {})
        assert names["values"][0, 0] == first
    ex.view = view
    for using in ("zarr", "xarray", "nz_explorer"):
        names: dict[str, np.ma.MaskedArray] = {}
        exec(compile(ex.code(using), using, "exec"), names)
        np.testing.assert_allclose(names["values"].compressed(), ex.values().compressed())
    ex.close()


@pytest.mark.parametrize("kind", ["map", "line", "table", "histogram"])
def test_both_stand_beside_each_other_in_the_same_limits(store: Path, kind: str) -> None:
    found = look(store, against={"time": 0, "show": "both"}, kind=kind)
    other = found.beside
    stored = zarr.open_array(store, path="a", mode="r")[:] * 0.5 + 1
    line = (0,) if kind == "line" else ()
    for one, at in [(found, 1), (other, 0)]:
        wanted = np.where(one.cell_states == 0, stored[at][line], np.nan)
        np.testing.assert_allclose(one.stored, wanted)
        assert (one.title, one.sliders[0].index) == (f"a · time {at}" + " · y 0" * bool(line), at)
        assert one.ranges == found.ranges
    assert (found.minus.beside, "bias" in found.message) == ("both", True)
    assert found.ranges["frame"] == (np.nanmin(other.stored), np.nanmax(found.stored))
    assert other.message is None
    drawn = figure(found)
    assert len([axes for axes in drawn.axes if axes.get_title(loc="left")]) == 2
    drawn.savefig(io.BytesIO())
    if kind == "map":
        ends = [axes.images[-1].get_clim() for axes in drawn.axes if axes.get_title(loc="left")]
        assert ends[0] == ends[1] == found.ranges["frame"]


def test_what_is_missing_was_so_before_the_difference(store: Path) -> None:
    """No mask brings anything back: the figure is that of NZ, and nothing in it falls behind."""
    found = look(store, against={"time": 0})
    assert found.derived
    plain, chosen = (figure(found, mask=mask).axes[0].images[-1] for mask in ("nz", "differences"))
    assert plain.get_alpha() == chosen.get_alpha()
    np.testing.assert_array_equal(plain.get_array().mask, chosen.get_array().mask)


def test_two_wide_maps_stand_one_above_the_other(tmp_path: Path) -> None:
    path = tmp_path / "wide.zarr"
    group = zarr.create_group(path)
    for name, numbers, units in [
        ("lat", np.linspace(-90, 90, 19), "degrees_north"),
        ("lon", np.linspace(-180, 175, 72), "degrees_east"),
    ]:
        group.create_array(name, data=numbers, dimension_names=(name,)).attrs["units"] = units
    names = ("time", "lat", "lon")
    group.create_array(
        "a", data=np.random.default_rng(0).random((2, 19, 72)), dimension_names=names
    )
    drawn = figure(look(path, against={"time": 1, "show": "both"}))
    drawn.savefig(io.BytesIO())
    maps = [axes for axes in drawn.axes if axes.get_title(loc="left")]
    first, second = (axes.get_window_extent() for axes in maps)
    assert (first.x0, first.y0 > second.y1) == (pytest.approx(second.x0), True)
    assert first.width > 0.4 * drawn.bbox.width  # a third, side by side
    for axes in maps:  # no two labels touch
        boxes = [tick.get_window_extent() for tick in axes.get_xticklabels() if tick.get_text()]
        assert all(one.x1 < other.x0 for one, other in itertools.pairwise(boxes))


def test_means_of_differences_are_weighted_by_area(store: Path) -> None:
    group = zarr.open_group(store)
    group.create_array("y", data=np.array([0.0, 60, 80]), dimension_names=("y",)).attrs["units"] = (
        "degrees_north"
    )
    found = look(store, against="/b")
    weights = np.cos(np.radians([0.0, 60, 80]))[:, None] * (found.cell_states == 0)
    bias = np.average(np.nan_to_num(found.stored), weights=weights)
    assert f"({bias:.4g} weighted by area)" in found.message


def test_the_explorer_says_the_same(store: Path) -> None:
    ex = nz.explore(store, path="/a")
    ex.index, ex.view = {"time": 1}, {"against": {"time": 0}}
    values = ex.values()
    assert values.count() == 10
    shown = ex.to_xarray(shown=True)
    np.testing.assert_allclose(shown.values, values.filled(np.nan))
    assert shown.attrs["long_name"] == "a minus time 0"
    ex.close()


def test_what_is_counted_otherwise_is_not_subtracted_unnoticed(tmp_path: Path) -> None:
    group = zarr.create_group(tmp_path / "s.zarr")
    for name, units in {
        "days": "days since 2000-01-01",
        "hours": "hours since 1990-01-01",
        "k": "K",
        "c": "degC",
    }.items():
        one = group.create_array(name, data=np.arange(12).reshape(3, 4), dimension_names=("y", "x"))
        one.attrs["units"] = units
    times = np.arange(12).reshape(3, 4).astype("M8[s]")
    group.create_array("m", data=times, dimension_names=("y", "x"))

    def made(shown: str, **against: object) -> QuickLook:
        return make(nz.open_store(tmp_path / "s.zarr"), shown, {}, against=against)

    refused = made("/days", path="/hours")
    assert (refused.kind, refused.message) == (
        "none",
        (
            "A has days since 2000-01-01 in the calendar standard, B has hours since 1990-01-01 in the calendar standard: "
            "their numbers cannot be subtracted, but xarray decodes both"
        ),
    )
    assert made("/days", path="/m").kind == "none"
    assert made("/days", path="/hours", show="both").kind == "map"
    line = make(
        nz.open_store(tmp_path / "s.zarr"), "/days", {"y": 2}, kind="line", against={"y": 0}
    )
    assert line.units == "days"
    assert line.stored.tolist() == [8, 8, 8, 8]
    apart = made("/k", path="/c")
    assert apart.message.startswith(
        "A is in K and B in °C: the numbers are taken as they are; A − B: both are equal"
    )
    same = made("/k", y=1)
    assert same.message.startswith("y of B is not fixed, as it is an axis of the picture; A and B")
