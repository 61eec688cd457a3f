"""Colours that can be trusted: which map suits what, limits and scales."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zarr
from matplotlib.colors import LogNorm, SymLogNorm

from nz_explorer.model import open_store
from nz_explorer.plots import QuickLook, colormap, colormap_tables, figure, is_diverging, make
from nz_explorer.plots.colours import colormaps, defaults
from nz_explorer.plots.colours.defaults import default_colours

CASES = [
    # name, attributes, range, colormap without cmocean, whether zero is in the middle
    ("t", {"standard_name": "sea_surface_temperature"}, (271, 303), "plasma", False),
    ("t", {"long_name": "Air temperature", "units": "degC"}, (-30, 35), "plasma", False),
    ("dt", {"long_name": "temperature anomaly"}, (0.1, 2), "RdBu_r", True),
    ("t2m_anom", {"standard_name": "air_temperature"}, (0.1, 2), "RdBu_r", True),
    ("t", {"standard_name": "air_temperature", "units": "K"}, (-6, 0.3), "RdBu_r", True),
    ("B04", {"long_name": "B04 reflectance"}, (-0.05, 0.3), "gray", False),
    ("time_bnds", {"units": "hours since 1970-01-01"}, (-9e5, 9e5), "viridis", False),
    ("u", {"standard_name": "eastward_wind"}, (1, 9), "RdBu_r", True),
    ("flux", {}, (-40, 90), "RdBu_r", True),
    ("flux", {}, (-0.1, 90), "viridis", False),
    ("wind_speed", {}, (0, 30), "viridis", False),
    ("direction", {"long_name": "wind direction"}, (0, 360), "twilight", False),
    ("elevation", {}, (-9000, 8000), "BrBG_r", True),
    ("elevation", {}, (0, 8000), "terrain", False),
    ("price", {"long_name": "device of ice-cream"}, (0, 1), "Blues", False),
    ("device", {}, (0, 1), "viridis", False),
]


@pytest.fixture
def look(tmp_path: Path) -> Callable[..., QuickLook]:
    """Makes the picture of an array of some values."""

    def made(values: Any, name: str = "a", **attributes: Any) -> QuickLook:
        group = zarr.open_group(tmp_path / f"{name}.zarr", mode="w")
        array = group.create_array(name, data=np.asarray(values), dimension_names=("y", "x"))
        array.attrs.update(attributes)
        return make(open_store(tmp_path / f"{name}.zarr"), f"/{name}")

    return made


def shown(look: QuickLook, **view: Any) -> Any:
    """The image of a figure."""
    return figure(look, **view).axes[0].images[0]


@pytest.fixture(autouse=True)
def _plain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(defaults, "installed", lambda package: False)


@pytest.mark.parametrize(("name", "attributes", "ends", "expected", "signed"), CASES)
def test_colours_by_what_is_measured(look, name, attributes, ends, expected, signed) -> None:
    made = look([[*ends], [*ends]], name, **attributes)
    assert (made.colours.colormap, made.colours.signed) == (expected, signed)
    assert is_diverging(expected) or not signed
    assert expected.removesuffix("_r") in {one.removesuffix("_r") for one in colormap_tables()[0]}


def test_cmocean_where_it_is_installed(look, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(defaults, "installed", lambda package: True)
    made = look([[1.0, 2], [2, 1]], "salinity")
    assert made.colours.colormap == "cmo.haline"
    monkeypatch.setattr(colormaps, "installed", lambda package: False)
    with pytest.raises(ValueError, match="cmocean is not installed"):
        figure(made)


def test_zero_is_in_the_middle_of_what_has_a_sign(look) -> None:
    made = look([[-3.0, 1], [0, 2]])
    assert shown(made).get_clim() == (-3, 3)
    assert shown(made).get_cmap().name == "RdBu_r"
    assert shown(made, colormap="PuOr").get_clim() == (-3, 3)
    assert shown(made, colormap="viridis").get_clim() == (-3, 2)
    assert shown(made, low=-1).get_clim() == (-1, 3)
    packed = look([[-3, 1], [0, 2]], "packed", scale_factor=-2.0, add_offset=0.0)
    assert shown(packed).get_clim() == (-6, 6)


def test_limits_without_extremes(look) -> None:
    values = np.arange(100.0).reshape(10, 10) + 1
    values[0, 0], values[-1, -1] = 0.5, 1e6
    low, high = shown(look(values), limits="robust").get_clim()
    assert (low, high) == (3, 98)


def test_levels_and_reverse_and_names(look) -> None:
    made = look([[0.0, 1], [1, 0]])
    assert shown(made, levels=5).get_cmap().N == 5
    assert shown(made, reverse=True).get_cmap().name == "viridis_r"
    assert shown(made, colormap="RdBu_r", reverse=True).get_cmap().name == "RdBu"
    with pytest.raises(
        ValueError, match="no colormap 'virids' in matplotlib; did you mean 'viridis'"
    ):
        colormap("virids")
    names, tables = colormap_tables(["jet", "no such"])
    assert names[-1] == "jet"
    assert len(tables) == len(names)


def test_scales_say_what_they_leave_out(look) -> None:
    made = look([[-10.0, 0], [1, 1000]])
    picture = figure(made, scale="log")
    assert isinstance(picture.axes[0].images[0].norm, LogNorm)
    assert picture.axes[1].get_ylabel() == "a; no logarithm of 2 values ≤ 0"
    picture = figure(made, scale="symlog")
    norm = picture.axes[0].images[0].norm
    assert isinstance(norm, SymLogNorm)
    assert norm.linthresh == 1
    assert "logarithm" not in picture.axes[1].get_ylabel()


def test_a_picture_knows_colours_without_values() -> None:
    class Nothing:
        name, attributes = "a", {}
        data_type = type("T", (), {"kind": "float"})

    assert default_colours(Nothing(), None, None).colormap == "viridis"  # type: ignore[arg-type]
