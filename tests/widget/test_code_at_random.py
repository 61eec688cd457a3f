"""Programs of views that nobody has thought of: what they bind and draw is what the explorer gives."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest
import xarray as xr
import zarr
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import nz_explorer as nz

CASES = 12
"""Views of one run, each with three programs; every run has others."""
PLACES = {"t": ("time", "lat", "lon"), "sst": ("time", "j", "i"), "column": ("time", "depth")}
DIMENSIONS = {**PLACES, "picture": (), "codes": ("y", "x"), "raw": ("time", "y", "x")}


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[Any, dict[str, Any]]]:
    """The same data as a store, as an xarray object and as a netCDF file, and a second format."""
    folder = tmp_path_factory.mktemp("random")
    group = zarr.create_group(folder / "3.zarr")
    old = zarr.create_group(folder / "2.zarr", zarr_format=2)
    rng = np.random.default_rng(5)

    def put(name: str, values: Any, dims: tuple[str, ...], **attributes: Any) -> None:
        values = np.asarray(values)
        size = tuple(max(1, length // 2) for length in values.shape)
        for parent, options in ((group, {"dimension_names": dims}), (old, {})):
            made = parent.create_array(
                name, shape=values.shape, dtype=values.dtype, chunks=size, fill_value=0, **options
            )
            made[...] = values
            named = {} if parent is group else {"_ARRAY_DIMENSIONS": [*dims]}
            made.attrs.update({**named, **attributes})

    packed = rng.integers(-99, 400, (4, 6, 8)).astype("i2")
    packed[:, 2, 3] = -999
    put("t", packed, PLACES["t"], _FillValue=-999, scale_factor=-0.1, add_offset=1.5, units="K")
    put("u", packed / np.float32(3), PLACES["t"], valid_range=[-20, 120])
    put("time", np.arange(4), ("time",), units="days since 2000-01-01")
    put("lat", np.linspace(60, 5, 6), ("lat",), units="degrees_north")
    put("lon", np.arange(8.0), ("lon",), units="degrees_east")
    j, i = np.mgrid[0:5, 0:7]
    put("sst", rng.normal(size=(4, 5, 7)), PLACES["sst"], coordinates="nav_lat nav_lon")
    put("nav_lon", 170.0 + 3 * i + j, ("j", "i"), units="degrees_east")
    put("nav_lat", 10.0 + 2 * j + i / 4, ("j", "i"), units="degrees_north")
    column = rng.normal(size=(4, 5))
    column[1, 2] = np.nan
    put("column", column, PLACES["column"], standard_name="sea_water_temperature")
    put("depth", [0.0, 5.0, 20.0, 100.0, 300.0], ("depth",), positive="down", units="m")
    put("picture", rng.integers(0, 255, (8, 9, 3)).astype("u1"), ("v", "w", "band"))
    put("codes", rng.integers(0, 4, (5, 6)).astype("i1"), DIMENSIONS["codes"], _FillValue=3)
    put("raw", rng.integers(0, 60_000, (4, 5, 6)).astype("u2"), DIMENSIONS["raw"])
    with xr.open_zarr(folder / "2.zarr", consolidated=False, mask_and_scale=False) as opened:
        opened.to_netcdf(folder / "4.nc")
    ds = xr.open_dataset(folder / "4.nc").load()
    ds.close()
    return [
        (folder / "3.zarr", {}),
        (folder / "2.zarr", {}),
        (folder / "4.nc", {}),
        (ds, {"ds": ds}),
    ]


@st.composite
def views(draw: st.DrawFn) -> tuple[str, dict[str, int], dict[str, Any]]:
    """Return the name of an array, an index and a view."""
    name = draw(st.sampled_from([*DIMENSIONS]))
    dims = list(DIMENSIONS[name])
    lengths = dict(zip(("time", "lat", "lon", "j", "i", "depth"), (4, 6, 8, 5, 7, 5), strict=True))
    lengths |= {"y": 5, "x": 6}
    view: dict[str, Any] = {}

    def perhaps(key: str, strategy: st.SearchStrategy[Any]) -> None:
        if draw(st.integers(0, 3)) == 0:
            view[key] = draw(strategy)

    index = {one: draw(st.integers(0, lengths[one] - 1)) for one in dims}
    perhaps("mask", st.sampled_from(["raw", "storage"]))
    perhaps("cf", st.just(False))
    perhaps("reverse", st.just(True))
    perhaps("colormap", st.sampled_from(["magma", "RdBu", "viridis"]))
    perhaps("limits", st.sampled_from(["frame", "held", "whole", "robust"]))
    perhaps("scale", st.sampled_from(["log", "symlog"]))
    perhaps("levels", st.integers(2, 9))
    perhaps("coordinates", st.just(False))
    perhaps("graticule", st.just(True))
    perhaps("coastlines", st.just(False))
    perhaps("kind", st.sampled_from(["line", "lines", "map", "histogram", "table"]))
    perhaps("low", st.floats(-20, 1).map(lambda one: round(one, 2)))
    perhaps("high", st.floats(2, 60).map(lambda one: round(one, 2)))
    if dims:
        perhaps("x", st.sampled_from(dims))
        perhaps("y", st.sampled_from(dims))
        perhaps("reduce", st.sampled_from(dims).flatmap(reduction))
        one = draw(st.sampled_from(dims))
        perhaps("window", st.integers(0, lengths[one] - 2).map(lambda at: {one: [at, at + 2]}))
        perhaps("against", st.sampled_from([{dims[0]: 1}, {dims[0]: 0, "show": "b"}]))
    return name, index, view


def reduction(name: str) -> st.SearchStrategy[dict[str, str]]:
    return st.sampled_from(["mean", "min", "max", "std", "any"]).map(lambda how: {name: how})


def look_of(figure: Any) -> dict[str, Any]:
    axes = figure.axes[0]
    # of an image in colours the colormap is matplotlib's own, and one of a single colour marks what is missing
    coloured = [
        one
        for one in (*axes.collections, *axes.images)
        if one.get_array() is not None and one.get_array().ndim < 3 and one.get_cmap().N > 1
    ]
    return {
        "x": axes.get_xlim(),
        "y": axes.get_ylim(),
        "scale": (axes.get_xscale(), axes.get_yscale(), axes.get_aspect()),
        "labels": (axes.get_xlabel(), axes.get_ylabel()),
        "title": axes.get_title(loc="left").split("\n")[0].strip(),
        "colours": [
            (one.get_cmap().name, one.get_cmap().N, one.norm.vmin, one.norm.vmax)
            for one in coloured[:1]
        ],
    }


@pytest.fixture(autouse=True)
def no_figures() -> Iterator[None]:
    with plt.rc_context({"backend": "agg"}):
        yield
    plt.close("all")


def same(found: Any, wanted: Any) -> bool:
    """Return whether two looks agree, numbers to a thousandth of what is seen."""
    if isinstance(wanted, float):
        return bool(np.isclose(found, wanted, rtol=1e-6, atol=1e-9))
    if isinstance(wanted, tuple | list):
        return len(found) == len(wanted) and all(map(same, found, wanted))
    return bool(found == wanted)


@settings(
    max_examples=CASES,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(given_view=views(), which=st.integers(0, 3))
def test_programs_bind_and_draw_what_is_shown(
    stores: list[tuple[Any, dict[str, Any]]], given_view: Any, which: int
) -> None:
    source, names = stores[which]
    name, index, view = given_view
    ex = nz.explore(source, path=f"/{name}")
    try:
        ex.index, ex.view = index, view
        compare(ex, names)
    finally:
        ex.close()
        plt.close("all")


def compare(ex: nz.Explorer, names: dict[str, Any]) -> None:
    values = ex.values()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of a logarithm, which both have
        wanted = look_of(ex.figure())
        shown = ex.to_xarray(shown=True)
    assert shown.shape == values.shape
    for using in ("zarr", "xarray", "nz_explorer"):
        text = ex.code(using)
        here = dict(names)
        plt.close("all")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec(compile(text, "program", "exec"), here)
        found = here["values"]
        assert np.array_equal(np.ma.getmaskarray(found), np.ma.getmaskarray(values)), text
        there = ~np.ma.getmaskarray(values)
        np.testing.assert_allclose(
            np.ma.getdata(found)[there].astype(float),
            np.ma.getdata(values)[there].astype(float),
            rtol=1e-12,
            err_msg=text,
        )
        if "ex" in here:
            here["ex"].close()
        if plt.get_fignums():
            drawn = look_of(plt.gcf())
            wrong = {
                key: (drawn[key], wanted[key])
                for key in wanted
                if not same(drawn[key], wanted[key])
            }
            assert not wrong, f"{wrong}\n{text}"
