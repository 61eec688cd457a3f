"""However numbers leave the explorer they are the same: in Python, for xarray, in files, in programs, in the browser."""

from __future__ import annotations

import csv
import io
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest
import xarray as xr
import zarr

import nz_explorer as nz
from nz_explorer.plots.drawing.mask import masked_states
from nz_explorer.values.masks.cell_states import VALUE
from nz_explorer.widget.picture_messages import picture
from nz_explorer.widget.protocol import PictureParams

Explore = Callable[..., nz.Explorer]


@pytest.fixture
def explore(tmp_path: Path) -> Iterator[Explore]:
    """Return what explores an array of given values."""
    opened = []

    def one(values: Any, dtype: Any = None, **attributes: Any) -> nz.Explorer:
        values = np.asarray(values)
        group = zarr.create_group(tmp_path / f"{len(opened)}.zarr")
        names = ("y", "x")[2 - values.ndim :]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of types that are no part of the specification
            array = group.create_array(
                "v", shape=values.shape, dtype=dtype or values.dtype, dimension_names=names
            )
            array[...] = values
            array.attrs.update(attributes)
            opened.append(nz.explore(tmp_path / f"{len(opened)}.zarr", path="/v"))
        return opened[-1]

    yield one
    for ex in opened:
        ex.close()


def table(ex: nz.Explorer, tmp_path: Path) -> list[list[str]]:
    """Return the rows of a table as any reader of such files has them."""
    text = ex.export(tmp_path / "a.csv").read_bytes().decode()
    return list(csv.reader(io.StringIO(text, newline="")))


TEXTS = ["a,b", 'q"q', "new\nline", "cr\rcr", "ü€", ""]


@pytest.mark.filterwarnings("ignore::zarr.errors.UnstableSpecificationWarning")
@pytest.mark.parametrize(
    ("values", "cells"),
    [
        (np.array([0.1, 1e20, np.nan, -np.inf], "f4"), ["0.1", "1e+20", "nan", "-inf"]),
        (np.array([0.1, -2.5], "f2"), ["0.1", "-2.5"]),
        (np.array([0.1 + 0.2], "f8"), ["0.30000000000000004"]),
        (np.array([0.1 + 2j], "c8"), ["(0.1+2j)"]),
        (np.array([2**63 - 1, -(2**63)], "i8"), ["9223372036854775807", "-9223372036854775808"]),
        (np.array([2**64 - 1], "u8"), ["18446744073709551615"]),
        (np.array([True, False]), ["True", "False"]),
        (np.array(TEXTS), TEXTS),
        (np.array([text.encode() for text in TEXTS] + [b"\xff"]), [*TEXTS, "b'\\xff'"]),
        (np.array([90, "NaT"], "m8[s]"), ["90", ""]),
        (np.array([90, "NaT"], "M8[s]"), ["1970-01-01T00:01:30", ""]),
        (np.datetime64("2001-02-03", "s"), ["2001-02-03T00:00:00"]),
        (np.array([(1, 0.5)], [("a", "i4"), ("b", "f8")]), ["(1, 0.5)"]),
        (np.zeros((0, 3)), []),
    ],
    ids=lambda one: str(one.dtype) if hasattr(one, "dtype") else "",
)
def test_cells_of_a_table_are_values_in_all_their_digits(
    explore: Explore, tmp_path: Path, values: Any, cells: list[str]
) -> None:
    head, *rows = table(explore(values), tmp_path)
    assert [row[-1] for row in rows] == cells
    assert head[-1] == ("v (s)" if values.dtype.kind == "m" else "v")


def test_texts_of_any_length_are_what_a_table_has(explore: Explore, tmp_path: Path) -> None:
    ex = explore([*TEXTS, "gone"], str, _FillValue="gone")
    assert [row[1] for row in table(ex, tmp_path)[1:]] == [*TEXTS, ""]


@pytest.mark.parametrize(
    ("values", "limits", "gone"),
    [
        (np.array([0.1, 0.7, 0.8], "f2"), [0.1, 0.7], [False, False, True]),
        (np.array([0.1, 0.7, 0.8], "f4"), [0.1, 0.7], [False, False, True]),
        (np.array([1, 6e4], "f2"), [0, 1e9], [False, False]),
        (np.array([2**63 - 1, 2**63 - 2], "i8"), [0, 2**63 - 2], [True, False]),
        (np.array([2**64 - 1, 2**64 - 2], "u8"), [0, 2**64 - 2], [True, False]),
        (np.array([0, 200], "u1"), [-5, 2**70], [False, False]),
    ],
    ids=lambda one: str(one.dtype) if hasattr(one, "dtype") else "",
)
def test_limits_of_a_valid_range_are_values_of_the_array(
    explore: Explore, values: Any, limits: list[float], gone: list[bool]
) -> None:
    ex = explore(values, valid_range=limits)
    assert np.ma.getmaskarray(ex.values()).tolist() == gone
    names: dict[str, Any] = {}
    exec(ex.code().partition("plt.")[0], names)
    assert np.ma.getmaskarray(names["values"]).tolist() == gone
    look, _ = picture(ex._look())
    if values.dtype.kind == "f":  # the browser, too, has these very numbers
        low, high = (look.valid_low, np.inf if look.valid_high is None else look.valid_high)
        assert (~((values >= low) & (values <= high))).tolist() == gone


LARGEST = 2**63 - 1


@pytest.mark.parametrize(
    ("values", "attributes"),
    [
        (np.array([LARGEST, 2**53 + 1, 7], "i8"), {"_FillValue": 7}),
        (np.array([LARGEST, 2**53 + 1, LARGEST - 2], "i8"), {"_FillValue": LARGEST}),
        (np.array([2**64 - 1, 2**53 + 1, 7], "u8"), {"_FillValue": 2**64 - 1}),
        (np.array([1, 2, 3], "i2"), {"valid_max": 2}),
        (np.array([1, 2, 3], "i4"), {"missing_value": 3}),
        (np.array([1, 2, 3], "f4"), {"missing_value": 3.0}),
        (np.array([1, 2, 1e20], "f4"), {"missing_value": 1e20, "_FillValue": 1e20}),
        (np.array([1, 2, 3], "f4"), {"missing_value": 3.0, "_FillValue": 2.0}),
        (np.array([-1, -2, 3], "i1"), {"_Unsigned": "true", "_FillValue": -1}),
        (np.array([-1, -2, 3], "i1"), {"_Unsigned": "true", "valid_range": [0, -2]}),
        (np.array([1, 2, 3], "i2"), {"scale_factor": 0.5, "missing_value": 3}),
        (np.array([1, 2, LARGEST], "i8"), {"scale_factor": 0.5, "_FillValue": LARGEST}),
        (np.array([1, 2, 3], "i4"), {"units": "days", "_FillValue": 3}),
    ],
    ids=str,
)
def test_netcdf_has_the_very_values_and_gaps(
    explore: Explore, tmp_path: Path, values: Any, attributes: dict[str, Any]
) -> None:
    netcdf = pytest.importorskip("netCDF4")
    ex = explore(values, **attributes)
    wanted = ex.values()
    with netcdf.Dataset(ex.export(tmp_path / "a.nc")) as file:
        found = np.ma.masked_invalid(file["v"][:])
    gone = np.ma.getmaskarray(wanted)
    assert np.ma.getmaskarray(found).tolist() == gone.tolist()
    assert found.data[~gone].tolist() == wanted.data[~gone].tolist()


@pytest.mark.parametrize("kind", ["M8[ns]", "m8[ns]"])
def test_times_beside_missing_ones_keep_their_nanoseconds(
    explore: Explore, tmp_path: Path, kind: str
) -> None:
    ex = explore(np.array([2**60 + 1, "NaT", 1], kind))
    with xr.open_dataset(ex.export(tmp_path / "a.nc"), decode_timedelta=True) as found:
        np.testing.assert_array_equal(found["v"], ex.values().data)


@pytest.mark.parametrize("last", ["NaT", "1970-01-01"])
def test_times_of_any_year_are_written(explore: Explore, tmp_path: Path, last: str) -> None:
    netcdf = pytest.importorskip("netCDF4")
    times = np.array(["12110-05-23T00:00:01", "0001-01-01", last], "M8[s]")
    with netcdf.Dataset(explore(times).export(tmp_path / "a.nc")) as file:
        assert file["v"].units == "seconds since 1970-01-01"
        found = np.ma.masked_invalid(file["v"][:])
    assert found[:2].tolist() == times[:2].astype(int).tolist()
    assert bool(np.ma.getmaskarray(found)[2]) == (last == "NaT")


@pytest.mark.parametrize("calendar", ["standard", "360_day"])
@pytest.mark.parametrize("kind", ["i4", "f8"])
def test_dates_that_a_view_does_not_mask_are_dates(
    explore: Explore, tmp_path: Path, calendar: str, kind: str
) -> None:
    """Others than those of `_FillValue` are masked in xarray's own."""
    dated = {"units": "days since 2001-01-01", "calendar": calendar}
    ex = explore(np.array([0, -30, 3], kind), **dated, _FillValue=-30)
    ex.view = {"mask": "storage"}  # 0
    shown = ex.to_xarray(shown=True)
    assert shown.isnull().values.tolist() == [True, False, False]
    last = {"standard": "2000-12-02", "360_day": "2000-12-01"}[calendar]
    assert str(shown.values[1])[:10] == last
    with xr.open_dataset(ex.export(tmp_path / "a.nc"), decode_times=False) as found:
        assert found["v"].isnull().values.tolist() == [True, False, False]
        there = xr.decode_cf(found.isel(x=[1, 2]))["v"]
    assert [str(one)[:10] for one in there.values] == [last, "2001-01-04"]


@pytest.mark.parametrize(("fill", "masked"), [(3.0, True), (np.nan, False)])
def test_what_was_never_written_is_reduced_as_the_values_that_it_reads_as(
    tmp_path: Path, fill: float, masked: bool
) -> None:
    """Outside of the valid range they are no values, as written ones."""
    group = zarr.create_group(tmp_path / "s.zarr")
    array = group.create_array(
        "v", shape=(4, 4), chunks=(2, 2), dtype="f4", fill_value=fill, dimension_names=("y", "x")
    )
    array[:, :2] = 1
    array.attrs["valid_max"] = 2
    ex = nz.explore(tmp_path / "s.zarr", path="/v")
    try:
        ex.view = {"reduce": {"y": "mean"}}
        found, names = ex.values(), dict[str, Any]()
        exec(ex.code().partition("plt.")[0], names)
        for one in (found, names["values"]):
            assert np.ma.getmaskarray(one).tolist() == [False, False, masked, masked]
            assert np.isnan(one.data[2:]).all() or masked
    finally:
        ex.close()


def test_integers_that_float64_does_not_have_are_told(explore: Explore, tmp_path: Path) -> None:
    gone = np.array([2**53 + 1, 7], "i8")
    ex = explore(gone, _FillValue=7)
    assert "nearest float64" in (ex._look().message or "")
    for ask in (lambda: ex.to_xarray(shown=True), lambda: ex.export(tmp_path / "a.npy")):
        with pytest.warns(UserWarning, match="1 integer beyond"):
            ask()
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # none where all are there
        assert np.load(explore(gone).export(tmp_path / "b.npy")).tolist() == gone.tolist()
        few = explore(np.array([2**53 - 2, 7], "i8"), _FillValue=7)
        assert few.to_xarray(shown=True).values[0] == 2**53 - 2
        assert few._look().message is None
        ex.export(tmp_path / "a.nc")


@pytest.mark.filterwarnings("ignore::zarr.errors.UnstableSpecificationWarning")
@pytest.mark.parametrize("kind", ["T", "U", "S"])
def test_missing_texts_are_missing_everywhere(explore: Explore, tmp_path: Path, kind: str) -> None:
    texts = np.array(["a", "gone"], "U" if kind == "T" else kind)
    fill = "Z29uZQ==" if kind == "S" else "gone"  # bytes are written in base64
    ex = explore(texts, str if kind == "T" else None, _FillValue=fill)
    assert np.ma.getmaskarray(ex.values()).tolist() == [False, True]
    assert ex.to_xarray(shown=True).isnull().values.tolist() == [False, True]
    assert np.load(ex.export(tmp_path / "a.npy")).astype(str).tolist() == ["a", ""]
    assert [row[1] for row in table(ex, tmp_path)[1:]] == ["a", ""]
    with xr.open_dataset(ex.export(tmp_path / "a.nc")) as found:
        assert found["v"].astype(str).values.tolist() == ["a", ""]
    for using in ("zarr", "xarray"):  # which reads no _FillValue of texts
        names: dict[str, Any] = {}
        exec(ex.code(using=using), names)
        assert np.ma.getmaskarray(names["values"]).tolist() == [False, True]
        if "ex" in names:
            names["ex"].close()


def test_an_array_with_a_dimension_twice_is_read_by_all_programs(tmp_path: Path) -> None:
    group = zarr.create_group(tmp_path / "s.zarr")
    group.create_array("v", data=np.arange(16.0).reshape(4, 4), dimension_names=("r", "r"))
    ex = nz.explore(tmp_path / "s.zarr", path="/v")
    ex.view = {"window": {"dim_1": [1, 3]}}
    for using in ("zarr", "xarray"):
        names: dict[str, Any] = {}
        exec(ex.code(using=using), names)
        assert np.array_equal(names["values"], ex.values())
        if "ex" in names:
            names["ex"].close()
    ex.close()
    plt.close("all")


def run(ex: nz.Explorer, using: Any) -> np.ma.MaskedArray[Any, Any]:
    """Return what a program binds as `values`."""
    names: dict[str, Any] = {}
    exec(compile(ex.code(using=using), "program", "exec"), names)
    plt.close("all")
    if "ex" in names:
        names["ex"].close()
    found: np.ma.MaskedArray[Any, Any] = names["values"]
    return found


@pytest.mark.parametrize("show", [None, "b"])
def test_a_difference_of_missing_times_is_none(explore: Explore, show: str | None) -> None:
    ex = explore(np.array([[1, 5], ["NaT", 7]], "m8[s]"))
    ex.view = {"kind": "line", "against": {"y": 1, **({"show": show} if show else {})}}
    wanted = [np.nan, 7.0 if show else -2.0]
    for found in (ex.values(), run(ex, "zarr")):
        np.testing.assert_array_equal(found.data, wanted)


def test_parts_of_complex_numbers_are_numbers_where_the_others_are_not(explore: Explore) -> None:
    ex = explore(np.array([complex(np.nan, 1), complex(np.inf, 2), 3 + 4j]))
    for part, wanted in (("imaginary", [1, 2, 4]), ("real", [np.nan, np.inf, 3])):
        ex.view = {"part": part}
        look = ex._look()
        assert look.values is not None
        assert look.cell_states is not None
        np.testing.assert_array_equal(ex.values(), wanted)
        np.testing.assert_array_equal(look.values, wanted)
        assert (look.cell_states == VALUE).tolist() == np.isfinite(wanted).tolist()
        assert {one.state for one in look.states} == (
            {"value"} if part == "imaginary" else {"value", "nan", "inf"}
        )


def test_a_reduced_picture_is_masked_as_its_values_whatever_the_view_masks(
    explore: Explore,
) -> None:
    ex = explore(np.array([[-1, 2], [-1, 4]], "i4"), _FillValue=-1)
    ex.view = {"reduce": {"y": "mean"}, "mask": "raw"}
    assert np.ma.getmaskarray(ex.values()).tolist() == [True, False]
    assert (masked_states(ex._look(), "raw", decoded=True) == VALUE).tolist() == [False, True]


def test_programs_read_what_netcdf_c_has_noted_in_a_zip_file() -> None:
    """To xarray dimensions are there only in folders."""
    for name, path in (("nczarr-1.0.0-keys", "/lat"), ("nczarr-2.0.0-attributes", "/g1/pos")):
        ex = nz.explore(Path(__file__).parents[1] / "data" / "nczarr" / f"{name}.zip", path=path)
        np.testing.assert_array_equal(run(ex, "xarray"), ex.values())
        ex.close()


def test_threads_that_write_and_read_netcdf_files_at_once_do_not_end_the_process(
    tmp_path: Path,
) -> None:
    program = (
        "import sys, pathlib, numpy as np, xarray as xr\n"
        "from concurrent.futures import ThreadPoolExecutor\n"
        "from nz_explorer.store.datasets.netcdf_file import groups_of_file\n"
        "from nz_explorer.widget.requests.netcdf_bytes import netcdf_file\n"
        "a = xr.DataArray(np.ones((9, 9)), dims=('y', 'x'), name='v', attrs={'units': 'K'})\n"
        "file = pathlib.Path(sys.argv[1])\n"
        "file.write_bytes(netcdf_file(a))\n"
        "def write_or_read(number):\n"
        "    if number % 2:\n"
        "        return netcdf_file(a)\n"
        "    groups, _, reading = groups_of_file(file)\n"
        "    with reading():\n"
        "        return groups['/'].v.values\n"
        "with ThreadPoolExecutor(6) as pool:\n"
        "    print(len(list(pool.map(write_or_read, range(300)))))\n"
    )
    command = [sys.executable, "-c", program, str(tmp_path / "a.nc")]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "300\n"), done.stderr


@pytest.mark.parametrize("scale", [{}, {"scale_factor": 0.5}])
def test_times_are_numbers_where_these_are_wanted(
    explore: Explore, tmp_path: Path, scale: dict[str, float]
) -> None:
    units = "days since 2000-01-01"
    ex = explore(np.array([-9, 1, 2], "i2"), _FillValue=-9, units=units, **scale)
    assert ex.to_xarray(shown=True).dtype.kind == "M"
    ex.view = {"decoded": False}
    assert ex.values().tolist() == [None, 1, 2]
    shown = ex.to_xarray(shown=True)
    np.testing.assert_array_equal(shown, [np.nan, 1, 2])
    assert shown.attrs["units"] == units
    with xr.open_dataset(ex.export(tmp_path / "a.nc"), engine="netcdf4") as read:
        hours = np.array([24, 48]) * scale.get("scale_factor", 1)
        dates = np.datetime64("2000-01-01T00") + hours.astype("m8[h]")
        assert (read.v.values[1:] == dates).all()
        assert np.isnat(read.v.values[0])


def test_a_missing_number_of_days_is_missing_in_a_netcdf_file(
    explore: Explore, tmp_path: Path
) -> None:
    ex = explore(np.array([-9, 1, 2], "i2"), _FillValue=-9, units="days")
    with xr.open_dataset(ex.export(tmp_path / "a.nc"), engine="netcdf4") as read:
        np.testing.assert_array_equal(read.v, [np.nan, 1, 2])


def test_what_the_browser_has_read_whole_is_whole_everywhere(tmp_path: Path) -> None:
    values = np.random.default_rng(0).normal(size=(300, 400))
    group = zarr.create_group(tmp_path / "a.zarr")
    group.create_array("v", data=values, chunks=(50, 50), dimension_names=("y", "x"))
    ex = nz.explore(tmp_path / "a.zarr", path="/v", budget=200_000)
    assert np.ma.getmaskarray(ex.values()).any()  # not read

    for everything in (True, False):  # as the browser asks, then a page that is saved
        ex._session.answer("picture", PictureParams("/v", everything=everything))
    ex._session.forget_values()
    np.testing.assert_array_equal(ex.values(), values)
    np.testing.assert_array_equal(ex.to_xarray(shown=True), values)
    np.testing.assert_array_equal(np.load(ex.export(tmp_path / "a.npy")), values)
    for using in ("zarr", "xarray", "nz_explorer"):
        np.testing.assert_array_equal(run(ex, using), values)
    # of another part, and of what was stopped, as much as the budget allows
    ex._session.forget_values()
    ex.view = {"window": {"x": [0, 390]}}
    assert np.ma.getmaskarray(ex.values()).any()
    ex.view = {}
    ex._session.whole_slice.show(ex.node, {}, {}, whole=False)
    ex._session.forget_values()
    assert np.ma.getmaskarray(ex.values()).any()
    ex.close()
