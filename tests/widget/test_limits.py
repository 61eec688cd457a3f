"""Limits hold while a slider moves, and each array has its own view."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import traitlets
import zarr

import nz_explorer as nz
from nz_explorer.widget.explorer import Explorer
from tests.widget.conftest import Browse


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A warming climate in a packed array and in one of another name."""
    group = zarr.create_group(tmp_path / "s.zarr")
    steps = np.arange(4).reshape(4, 1, 1) * 100 + np.arange(6).reshape(1, 2, 3)
    for name in ("warm", "other"):
        array = group.create_array(
            name, data=steps.astype("i2") + 1, chunks=(1, 2, 3), dimension_names=("time", "y", "x")
        )
        array.attrs.update({"scale_factor": 0.5, "add_offset": 10.0})
    return tmp_path / "s.zarr"


@pytest.fixture
def ex(store: Path) -> Iterator[Explorer]:
    explorer = nz.explore(store, path="/warm")
    yield explorer
    explorer.close()


def ends(ex: Explorer, **options: Any) -> tuple[float, float]:
    found: tuple[float, float] = ex.figure(**options).axes[0].images[0].get_clim()
    return found


def test_limits_hold_while_stepping_and_figure_and_code_agree(ex: Explorer) -> None:
    assert ends(ex) == (10.5, 13)
    ex.index = {"time": 3}
    assert ends(ex) == (10.5, 13)
    for package in ("zarr", "xarray"):
        assert "vmin=10.5, vmax=13.0" in ex.code(package)
    assert "'low': 10.5, 'high': 13.0" in ex.code("nz_explorer")
    ex.view = {"limits": "frame"}
    assert ends(ex) == (160.5, 163)
    assert "vmin=160.5, vmax=163.0" in ex.code("zarr")
    ex.view = {"limits": "whole"}
    assert ends(ex) == (10.5, 163)
    ex.view = {"limits": "whole", "high": 50}
    assert ends(ex) == (10.5, 50)
    assert ends(ex, limits="frame") == (160.5, 50)[::-1]


def test_code_states_limits_as_people_write_them(tmp_path: Path) -> None:
    group = zarr.create_group(tmp_path / "s.zarr")
    array = group.create_array("wind", data=np.array([[-1297, 7846], [0, 0]], "i2"))
    array.attrs["scale_factor"] = 0.01
    other = group.create_array("near", data=1 + np.array([[1e-14, 2e-14]] * 2))
    for path, wanted in (
        ("/wind", "vmin=-12.97, vmax=78.46"),
        ("/near", f"vmin={other[0, 0]}, vmax={other[0, 1]}"),  # which 12 digits do not tell apart
    ):
        ex = nz.explore(tmp_path / "s.zarr", path=path)
        ex.view = {"kind": "map", "colormap": "viridis"}
        assert wanted in ex.code("zarr")
        ex.close()


def test_a_mean_over_more_dimensions_has_limits_of_its_own(tmp_path: Path) -> None:
    values = np.arange(120.0).reshape(2, 3, 4, 5) ** 2
    group = zarr.create_group(tmp_path / "s.zarr")
    group.create_array("wind", data=values, dimension_names=("month", "level", "lat", "lon"))
    ex = nz.explore(tmp_path / "s.zarr", path="/wind")
    for reduced in ({"month": "mean"}, {"month": "mean", "lat": "mean"}):
        ex.view = {"x": "lon", "y": "level", "reduce": reduced}
        mean = values.mean((0, 2)) if "lat" in reduced else values.mean(0)[:, 0]
        assert ends(ex) == pytest.approx((mean.min(), mean.max()))
    ex.close()


def test_slices_of_one_value_each_get_limits_together_until_one_has_several(tmp_path: Path) -> None:
    days = np.repeat([30.5, 400.0, 700.0, 0.0], 6).reshape(4, 2, 3)
    days[3] = np.arange(6).reshape(2, 3)
    group = zarr.create_group(tmp_path / "s.zarr")
    group.create_array("days", data=days, chunks=(1, 2, 3), dimension_names=("time", "y", "x"))
    ex = nz.explore(tmp_path / "s.zarr", path="/days")
    for day, wanted in (
        (1, (30.5, 400)),
        (2, (30.5, 700)),
        (0, (30.5, 700)),
        (3, (0, 5)),
        (2, (0, 5)),
    ):
        ends(ex)
        ex.index = {"time": day}
        assert ends(ex) == wanted
    ex.close()


def test_limits_of_a_part_hold_until_the_whole_is_shown(ex: Explorer) -> None:
    ex.view = {"window": {"x": [0, 2]}}
    assert ends(ex) == (10.5, 12.5)
    ex.index = {"time": 3}
    assert ends(ex) == (10.5, 12.5)
    ex.view = {}
    assert ends(ex) == (160.5, 163)
    ex.view, ex.index = {"window": {"x": [0, 2]}}, {"time": 0}
    assert ends(ex) == (160.5, 163)


def test_the_browser_gets_what_limits_are_taken_from(browse: Browse, store: Path) -> None:
    browser = browse(store)
    first = browser.ask("picture", path="/warm")
    assert first["ranges"] == {"held": [1, 6], "robust": [1, 6]}
    assert (first["colormap"], first["signed"]) == ("viridis", False)
    browser.session.scans.finish(browser.session.hierarchy["/warm"], 1 << 20)
    later = browser.ask("picture", path="/warm", index={"time": 3})
    assert later["ranges"] == {"held": [1, 6], "whole": [1, 306], "robust": [301, 306]}
    assert browser.ask("picture", path="/warm", x="time", y="x")["ranges"]["held"] == [1, 303]
    found = browser.ask("colormaps", others=["jet", "no such"])
    assert found["names"][-1] == "jet"
    assert "RdBu_r" in found["diverging"]


def test_the_code_in_the_browser_has_the_limits_that_hold(browse: Browse, store: Path) -> None:
    browser = browse(store)
    browser.ask("picture", path="/warm")
    browser.ask("picture", path="/warm", index={"time": 3})
    page = browser.ask("page", name="code", path="/warm", params={"index": {"time": 3}})
    assert "vmin=10.5, vmax=13.0" in str(page)


def test_the_whole_array_is_not_gone_through_unasked(ex: Explorer, monkeypatch: Any) -> None:
    monkeypatch.setattr(ex, "_budget", 1)
    ex.view = {"limits": "whole"}
    with pytest.warns(UserWarning, match="limits of the whole array are not known"):
        assert ends(ex) == (10.5, 13)


def test_each_array_has_its_own_view(ex: Explorer) -> None:
    ex.view = {"mask": "raw", "colormap": "magma", "low": 1, "window": {"x": [0, 2]}}
    ex.path = "/other"
    assert ex.view == {"mask": "raw"}
    ex.view = {"colormap": "gray"}
    ex.path = "/warm"
    assert ex.view == {"colormap": "magma", "low": 1, "window": {"x": [0, 2]}}
    ex.path = "/other"
    assert ex.view == {"colormap": "gray"}


@pytest.mark.parametrize(
    ("view", "message"),
    [
        ({"colormap": "magmaa"}, "no colormap 'magmaa' in matplotlib; did you mean 'magma'"),
        ({"limits": "all"}, "limits is one of held, frame, whole, robust"),
        ({"scale": "ln"}, "scale is one of linear, log, symlog"),
        ({"levels": 1}, "levels must be 2 to 64"),
        ({"low": float("nan")}, "low must be a finite number"),
    ],
)
def test_what_there_is_not_is_an_error(ex: Explorer, view: dict[str, Any], message: str) -> None:
    with pytest.raises(traitlets.TraitError, match=message):
        ex.view = view
    assert ex.view == {}


# --- the pictures along a dimension ---------------------------------------------------------------


def test_an_animation_has_a_picture_for_each_index_and_the_same_limits(
    ex: Explorer, tmp_path: Path
) -> None:
    from PIL import Image

    ex.view = {"limits": "whole"}
    film = ex.animate("time", fps=4, width=3, height=2)
    film.save(tmp_path / "warm.gif")
    with Image.open(tmp_path / "warm.gif") as image:
        assert (image.n_frames, image.size) == (4, (300, 200))
        assert image.info["duration"] == 250
    assert film._fig.axes[0].images[0].get_clim() == (10.5, 163)  # type: ignore[attr-defined]
    with pytest.raises(KeyError, match=r"'x' is no dimension beside .*; those are time"):
        ex.animate("x")
    ex.view = {"reduce": {"time": "mean"}}
    with pytest.raises(KeyError, match="not reduced; those are none"):
        ex.animate("time")


def test_the_browser_gets_an_animation_with_progress(browse: Browse, store: Path) -> None:
    browser = browse(store)
    asked = {"path": "/warm", "dimension": "time", "index": {"time": 2}}
    found = browser.ask("animate", **asked, format="gif")
    assert (found["name"], found["media_type"]) == ("warm.gif", "image/gif")
    assert bytes(browser.buffers[0][:6]) == b"GIF89a"
    frames = [one["frames"] for one in browser.events if one["event"] == "frames"]
    assert frames == [[1, 4], [2, 4], [3, 4], [4, 4]]


def test_an_animation_can_be_cancelled_and_takes_ffmpeg_for_a_film(
    browse: Browse, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    browser = browse(store)
    session = browser.session

    def cancel_after_one(done: int, of: int) -> None:
        session.receive({"kind": "cancel", "id": browser.number})

    monkeypatch.setattr(session, "send_frames", cancel_after_one)
    asked = {"path": "/warm", "dimension": "time"}
    assert browser.refused("animate", **asked, format="gif")["code"] == "cancelled"
    monkeypatch.setattr("shutil.which", lambda name: None)
    why = browser.refused("animate", **asked, format="mp4")
    assert "takes ffmpeg" in why["message"]
