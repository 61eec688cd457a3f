"""Times that cannot be decoded, or are other times than were written."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr
import zarr

from tests.field.case import fails, opens, reported, sees
from tests.field.readers import xarray
from tests.field.stores import array, group


def _series(folder: Path, values: list[float], kind: str = "i8", **attributes: str) -> Path:
    root = group(folder)
    array(root, "time", np.array(values, kind), ["time"], **attributes)
    array(root, "precip", np.arange(len(values), dtype="f4"), ["time"])
    return folder


@reported(
    "pydata/xarray#521",
    "unable to decode time units 'months since 1955-01-01 00:00:00' with the default calendar",
    finding=("CF-TIME-001", "/time", "months", "no fixed length"),
    before=fails(xarray, ValueError, "unable to decode time units"),
    after=sees(xarray, lambda ds: ds["time"].attrs["reference_date"].startswith("1955")),
)
def months_since(folder: Path) -> Path:
    return _series(folder, [0, 1, 2], "f4", units="months since 1955-01-01 00:00:00")


@reported(
    "ECMWFCode4Earth/ml_drought#26",
    "unable to decode time units 'months since 1900-01-01' with calendar 'gregorian'",
    finding=("CF-TIME-001", "/time", "months"),
    before=fails(xarray, ValueError, "months since 1900-01-01"),
    after=opens(xarray),
)
def months_of_chirps(folder: Path) -> Path:
    return _series(folder, [0, 1, 2], "f4", units="months since 1900-01-01", calendar="gregorian")


@reported(
    "podaac/l2ss-py#315",
    "Failed to decode variable 'solar_time': unable to decode time units 'seconds since 00:00:00'",
    finding=("CF-TIME-001", "/solar_time", "00:00:00", "no date"),
    before=fails(xarray, ValueError, "seconds since 00:00:00"),
    after=opens(xarray),
)
def time_of_day(folder: Path) -> Path:
    root = group(folder)
    array(root, "solar_time", [0.0, 1.0], ["sample"], units="seconds since 00:00:00")
    return folder


@reported(
    "etienneschalk/scientific-data-viewer#136",
    "unable to decode time units '(days since 2000-01-01 00:00:00)-1' of a rate",
    finding=("CF-TIME-001", "/delta", "(days since"),
    before=fails(xarray, ValueError, "unable to decode time units"),
    after=opens(xarray),
)
def rate_with_units_of_times(folder: Path) -> Path:
    array(
        group(folder),
        "delta",
        [0.5, 1.5],
        ["sample"],
        units="(days since 2000-01-01 00:00:00)-1",
    )
    return folder


@reported(
    "google-research/arco-era5#59",
    "Failed to decode variable 'valid_time': unable to decode time units 'hours since 1900-01-01 06:00:00', although cftime is installed",
    finding=("CF-TIME-003", "/valid_time", "no date"),
    before=fails(xarray, ValueError, "unable to decode time units"),
    after=opens(xarray),
)
def values_beyond_every_calendar(folder: Path) -> Path:
    root = group(folder)
    array(
        root,
        "valid_time",
        np.array([0.0, 1.0, 9.969209968386869e36]),
        ["valid_time"],
        units="hours since 1900-01-01 06:00:00",
    )
    return folder


def _repeats(ds: object) -> bool:
    times = ds["time"].values  # type: ignore[index]
    return len(set(times)) < len(times)


@reported(
    "pydata/xarray#5106",
    "to_zarr with append_dim forgets the hours of the coordinate: both steps are at 00:00",
    finding=("CF-TIME-004", "/time", "whole days", "2021-02-21"),
    before=sees(xarray, _repeats),
)
def hours_lost_on_append(folder: Path) -> Path:
    return _series(folder, [0, 0], units="days since 2021-02-21")


@reported(
    "pydata/xarray#3379",
    "Appending steps two minutes apart captures no time below the hour",
    finding=("CF-TIME-004", "/time", "whole days"),
    before=sees(xarray, _repeats),
)
def minutes_lost_on_append(folder: Path) -> Path:
    return _series(folder, [0, 0, 0], units="days since 2019-01-01 01:10:00")


@reported(
    "pydata/xarray#3942",
    "int64 is the default encoding of times; what is appended loses its hours and minutes",
    finding=("CF-TIME-004", "/time", "whole days", "2012-01-02"),
    before=sees(xarray, _repeats),
)
def integer_days(folder: Path) -> Path:
    return _series(folder, [0, 1, 1], units="days since 2012-01-01")


@reported(
    "ldeo-glaciology/xapres#13",
    "Of 11000 time stamps 127 are left when duplicates are dropped: one for each day",
    finding=("CF-TIME-004", "/time", "whole days"),
    before=sees(xarray, _repeats),
)
def one_stamp_a_day(folder: Path) -> Path:
    return _series(folder, [0, 0, 1, 1, 2, 2], units="days since 2022-01-01 10:15:00")


def _dropped(folder: Path) -> Path:
    fresh = folder.with_name("fresh.zarr")
    xarray(folder).drop_duplicates("time").drop_encoding().to_zarr(fresh, consolidated=False)
    return fresh


@reported(
    "pydata/xarray#4958",
    "The same data are appended twice without an error, though all the times are there already",
    finding=("NZ-COORD-002", "/time", "value[0] and value[3] are both 0.0, 2000-01-01"),
    before=sees(xarray, _repeats),
    after=sees(xarray, lambda ds: not _repeats(ds) and ds.sizes["time"] == 3),
    by_hand=_dropped,
    beside=("CF-TIME-004",),
)
def appended_twice(folder: Path) -> Path:
    return _series(folder, [0.0, 0.25, 0.5] * 2, "f8", units="days since 2000-01-01")


@reported(
    "bcdev/nc2zarr#41",
    "The data that are appended overlap with those that are there, and some days occur twice",
    finding=("NZ-COORD-002", "/time", "value[2] and value[4] are both 2, 2020-01-03"),
    before=sees(xarray, _repeats),
    after=sees(xarray, lambda ds: not _repeats(ds) and ds.sizes["time"] == 6),
    by_hand=_dropped,
)
def appended_with_an_overlap(folder: Path) -> Path:
    return _series(folder, [0, 1, 2, 3, 2, 3, 4, 5], units="days since 2020-01-01")


@reported(
    "pangeo-forge/pangeo-forge-recipes#465",
    "The units of the source are not kept, and the time values of the store are not unique",
    finding=("CF-TIME-004", "/time", "whole days", "1987-07-10"),
    before=sees(xarray, _repeats),
)
def units_not_kept(folder: Path) -> Path:
    return _series(folder, [0, 0, 0, 0, 1, 1, 1, 1], units="days since 1987-07-10")


@reported(
    "pydata/xarray#5473",
    "A junk slice stands at the first index: time is 140624802912264, 0, 10, 20",
    finding=("NZ-COORD-002", "/time", "value[2] = 10 after value[1] = 0"),
    before=sees(xarray, lambda ds: ds["time"].values[0] > 1e14),
)
def junk_at_the_first_index(folder: Path) -> Path:
    return _series(folder, [140624802912264, 0, 10, 20])


@reported(
    "pydata/xarray#6757",
    "Missing times become ridiculous dates after the year 6000, and the whole variable cftime objects",
    finding=("CF-FILL-002", "/obs_time", "2147483647", "6101", "cftime"),
    before=sees(xarray, lambda ds: ds["obs_time"].dtype == object),
    after=sees(xarray, lambda ds: np.isnat(ds["obs_time"].values).tolist() == [False, True, False]),
    values="all",
)
def missing_times_in_the_year_6101(folder: Path) -> Path:
    times = np.array([1, 2147483647, 3], "i4")
    array(group(folder), "obs_time", times, ["obs"], units="minutes since 2018-01-01T00:00:00")
    return folder


@reported(
    "pydata/xarray#7790",
    "Fill values in time arrays are lost: a missing time in nanoseconds, under another _FillValue",
    finding=("CF-TIME-006", "/time", "-9223372036854775808", "NaT"),
    before=sees(xarray, lambda ds: np.isnat(ds["time"].values).tolist() == [False, True]),
)
def missing_time_in_nanoseconds(folder: Path) -> Path:
    times = np.array([0, np.iinfo("i8").min], "i8")
    attributes = {"units": "nanoseconds since 2023-01-02", "_FillValue": -1}
    array(group(folder, 2), "time", times, ["time"], fill_value=None, **attributes)
    return folder


@reported(
    "zarr-developers/VirtualiZarr#352",
    "The first time step is NaT with references of VirtualiZarr, which have fill_value 0, not with those of kerchunk",
    finding=("Z2-FV-008", "/time", "1 of the 3 values", "fill_value 0"),
    before=sees(xarray, lambda ds: np.isnat(ds["time"].values).tolist() == [True, False, False]),
    after=sees(xarray, lambda ds: not np.isnat(ds["time"].values).any()),
)
def first_time_is_no_time(folder: Path) -> Path:
    root = group(folder, 2)
    array(root, "time", [0, 60, 120], ["time"], units="minutes since 1980-01-03 00:30:00")
    return folder


@reported(
    "pydata/xarray#5969",
    "to_zarr(append_dim='time') appends wrong datetimes: the units are those of the first time step, days",
    finding=("CF-TIME-004", "/time", "whole days"),
    before=sees(xarray, lambda ds: len(set(ds["time"].values.tolist())) == 2),
)
def appended_in_whole_days(folder: Path) -> Path:
    days = [0, 0, 0, 0, 1, 1, 1, 1]
    array(group(folder), "time", days, ["time"], units="days since 2000-01-01 00:35:00")
    return folder


@reported(
    "Reading-eScience-Centre/pycovjson#42",
    "unable to decode time units of a dataset in julian days",
    finding=("CF-TIME-001", "/time", "'julian days'"),
    before=fails(xarray, ValueError, "unable to decode time units"),
    after=opens(xarray),
)
def julian_days(folder: Path) -> Path:
    array(group(folder), "time", [0.0, 1.0], ["time"], units="julian days since -4712-01-01 12:00")
    return folder


@reported(
    "google-research/weatherbenchX#272",
    "Lead times in hours are int64 with recent versions of xarray, and timedelta64 with older ones",
    finding=("CF-TIME-008", "/lead_time", "hours", "2026"),
    before=sees(xarray, lambda ds: ds["lead_time"].dtype.kind == "i"),
    after=sees(xarray, lambda ds: ds["lead_time"].dtype.kind == "m"),
    kind="pull",
)
def lead_times_without_a_type(folder: Path) -> Path:
    array(group(folder), "lead_time", [0, 6, 12], ["lead_time"], units="hours")
    return folder


@reported(
    "pydata/xarray#11507",
    "open_zarr does not decode durations as the documentation of decode_timedelta says",
    finding=("CF-TIME-008", "/step", "days"),
    before=sees(xarray, lambda ds: ds["step"].dtype.kind == "i"),
    after=sees(xarray, lambda ds: ds["step"].dtype.kind == "m"),
)
def durations_that_are_not_decoded(folder: Path) -> Path:
    array(group(folder), "step", [1, 2], ["step"], units="days")
    return folder


@reported(
    "fsspec/kerchunk#115",
    "The first time is missing: with units since the first time step its value is that of fill_value",
    finding=("Z2-FV-008", "/time", "fill_value 0"),
    before=sees(xarray, lambda ds: bool(np.isnat(ds["time"].values[0]))),
    after=sees(xarray, lambda ds: not np.isnat(ds["time"].values).any()),
)
def first_of_the_references(folder: Path) -> Path:
    array(group(folder, 2), "time", [0, 1, 2], ["time"], units="days since 2000-01-01")
    return folder


@reported(
    "pydata/xarray#7354",
    "open_mfdataset of zip files, an hour each, and to_zarr: the hours are lost",
    finding=("CF-TIME-004", "/time", "whole days"),
    before=sees(xarray, lambda ds: len(set(ds["time"].values.tolist())) == 1),
)
def hours_of_zip_files(folder: Path) -> Path:
    array(group(folder, 2), "time", [0, 0], ["time"], fill_value=-1, units="days since 2022-09-01")
    return folder


@reported(
    "gjoseph92/stackstac#226",
    "KeyError: the index is unsorted or non-unique, where one time is NaT",
    finding=("NZ-COORD-002", "/time", "a missing time"),
    before=sees(xarray, lambda ds: np.isnat(ds["time"].values).tolist() == [False, True, False]),
    after=sees(xarray, lambda ds: ds.sel(time="2021-12").sizes["time"] == 2),
    by_hand=lambda folder: _again(folder, lambda ds: ds.isel(time=ds["time"].notnull())),
)
def a_time_that_is_missing(folder: Path) -> Path:
    times = np.array(["2021-12-12", "NaT", "2021-12-17"], "M8[ns]").view("i8")
    array(group(folder), "time", times, ["time"], units="nanoseconds since 1970-01-01")
    return folder


def _written_again(folder: Path) -> Path:
    zarr.open_group(folder, mode="r+")["time"][:] = np.arange(4)  # type: ignore[index]
    return folder


@reported(
    "pangeo-data/rechunker#130",
    "All times are the same after rechunking: chunks initialized 0/1",
    finding=("NZ-COORD-002", "/time", "never written", "2000-01-01"),
    before=sees(xarray, _repeats),
    after=sees(xarray, lambda ds: not _repeats(ds)),
    by_hand=_written_again,
    beside=("NZ-COORD-008",),
)
def times_never_written(folder: Path) -> Path:
    root = group(folder, 2)
    units = {"units": "hours since 2000-01-01 00:00:00", "calendar": "proleptic_gregorian"}
    array(root, "time", np.arange(4), ["time"], fill_value=None, **units)
    array(root, "t2m", np.ones(4, "f4"), ["time"], fill_value=None)
    (folder / "time" / "0").unlink()
    return folder


def _between(source: Path) -> Any:
    return xarray(source).sel(lon=slice(161.001, 162.001))


@reported(
    "pydata/xarray#7108",
    ".sel(lon=slice(...)) raises KeyError, and other variables do not",
    finding=("NZ-COORD-002", "/lon", "161.0 after", "162.0"),
    before=fails(_between, KeyError),
    after=sees(_between, lambda ds: ds["lon"].values.tolist() == [162.0]),
    by_hand=lambda folder: _again(folder, lambda ds: ds.sortby("lon")),
)
def longitudes_out_of_order(folder: Path) -> Path:
    array(group(folder), "lon", [160.0, 162.0, 161.0, 163.0], ["lon"])
    return folder


def _again(folder: Path, change: Callable[[Any], Any]) -> Path:
    """Write a dataset again, changed, beside the store."""
    written = folder.with_name("again")
    change(xarray(folder)).to_zarr(written)
    return written


@reported(
    "NVIDIA/earth2studio#512",
    "Lead times are not decoded, because their units are hour and not hours",
    finding=("CF-TIME-008", "/lead_time", "the plural alone"),
    before=sees(xarray, lambda ds: ds["lead_time"].dtype.kind == "i"),
    after=sees(xarray, lambda ds: ds["lead_time"].dtype.kind == "m"),
)
def lead_times_in_the_singular(folder: Path) -> Path:
    array(group(folder), "lead_time", [0, 6, 12], ["lead_time"], units="hour")
    return folder


@reported(
    "TUDelftGeodesy/DePSI#25",
    "A stack is appended to itself: of 200 days there are 401, and a day is there twice",
    finding=("NZ-COORD-002", "/time", "value[0] and value[3] are both 0"),
    before=sees(xarray, _repeats),
    kind="pull",
)
def days_appended_twice(folder: Path) -> Path:
    days = [0, 1, 2, 0, 1, 2, 3]
    return _series(folder, days, "i8", units="days since 2020-03-22")


def _in_milliseconds(folder: Path, dtype: str) -> Path:
    """Write a moment, and append another, in the encoding that was asked for."""
    for minute, how in ((1, {"mode": "w"}), (2, {"append_dim": "time"})):
        time = np.array([f"2001-01-01T00:0{minute}"], "datetime64[ms]")
        ds = xr.Dataset({"v": ("time", [float(minute)])}, {"time": time})
        ds["time"].encoding = {"dtype": dtype, "units": "milliseconds since 1970-01-01"}
        ds.to_zarr(folder, zarr_format=3, consolidated=False, **how)
    return folder


@reported(
    "pydata/xarray#10639",
    "The time that is appended is 1970-01-01: to_zarr does not maintain the time encoding",
    finding=("CF-TIME-001", "/time", "datetime64", "1970"),
    before=sees(xarray, lambda ds: str(ds["time"].values[1]).startswith("1970")),
    after=sees(xarray, lambda ds: str(ds["time"].values[1]).startswith("2001-01-01T00:02")),
    by_hand=lambda source: _in_milliseconds(source.with_name("again"), "int64"),
)
def times_of_two_kinds(folder: Path) -> Path:
    return _in_milliseconds(folder, "datetime64[ms]")


def _names_of_dimensions(source: Path) -> list[str]:
    """Name dimensions as GDAL did that knew no numpy.datetime64: those of a coordinate that it does not read are numbered."""
    root = zarr.open_group(source, mode="r")
    lost = {name for name, one in root.arrays() if one.dtype.kind == "M"}
    names = root["precip"].metadata.dimension_names or ()  # type: ignore[union-attr]
    return [f"dim{n}" if name in lost else str(name) for n, name in enumerate(names)]


@reported(
    "OSGeo/gdal#13912",
    "Zarr V3: dimensions are anonymous, such as DIM_dim0_INDEX, and values of the coordinate lost, where it is numpy.datetime64",
    finding=("NZ-TYPE-001", "/time", "datetime64", "numbers with units"),
    before=sees(_names_of_dimensions, lambda found: found == ["dim0"]),
    after=sees(_names_of_dimensions, lambda found: found == ["time"]),
    beside=("JSON-008",),
)
def times_that_gdal_does_not_read(folder: Path) -> Path:
    root = group(folder)
    array(root, "time", np.array(["2020-01-01", "2020-01-02"], "M8[ns]"), ["time"])
    array(root, "precip", np.arange(2, dtype="f4"), ["time"])
    return folder


@reported(
    "pydata/xarray#6259",
    "ROMS wrote the calendar gregorian_proleptic, and xarray knows proleptic_gregorian alone",
    finding=("CF-TIME-002", "/time", "gregorian_proleptic"),
    before=fails(xarray, ValueError, "unable to decode time units"),
    after=opens(xarray),
)
def words_of_a_calendar_exchanged(folder: Path) -> Path:
    return _series(folder, [0, 1], units="days since 2006-01-01", calendar="gregorian_proleptic")


@reported(
    "pangeo-data/pangeo-datastore#106",
    "Floats of a model: Unable to parse date string 'beginning of run'",
    finding=("CF-TIME-001", "/time", "beginning of run"),
    before=fails(xarray, ValueError, "unable to decode time units"),
    after=opens(xarray),
    kind="pull",
)
def since_the_beginning_of_a_run(folder: Path) -> Path:
    return _series(folder, [0, 1], units="days since beginning of run")


@reported(
    "Parcels-code/Parcels#2180",
    "unable to decode time units 'seconds since 2019-05-30T12:00:00.000000000', though they look as ever",
    finding=("CF-TIME-009", "/time", "1.5592176e+18", "no date"),
    before=fails(xarray, ValueError, "unable to decode time units"),
    values="all",
)
def nanoseconds_called_seconds(folder: Path) -> Path:
    since = "seconds since 2019-05-30T12:00:00.000000000"
    array(group(folder), "time", np.array([[1.5592176e18]]), ["trajectory", "obs"], units=since)
    return folder


@reported(
    "openclimatefix-archives/Satip#29",
    "xarray corrupts datetimes out of the box when something is appended along time to an existing Zarr",
    finding=("CF-TIME-004", "/time", "whole days", "2021-11-10"),
    before=sees(xarray, _repeats),
)
def satellite_images_of_a_day(folder: Path) -> Path:
    return _series(folder, [0, 0, 0], units="days since 2021-11-10")


@reported(
    "pydata/xarray#5939",
    "Unable to decode time units 'months since 1850-01-01' with calendar 'gregorian'",
    finding=("CF-TIME-001", "/time", "months", "no fixed length"),
    before=fails(xarray, ValueError, "months since 1850-01-01"),
    after=opens(xarray),
)
def months_of_a_model(folder: Path) -> Path:
    return _series(folder, [0, 1, 2], "f4", units="months since 1850-01-01", calendar="gregorian")


@reported(
    "pydata/xarray#330",
    "unable to decode time units 'foobar since 123' with the default calendar",
    finding=("CF-TIME-001", "/time", "foobar since 123"),
    before=fails(xarray, ValueError, "foobar since 123"),
    kind="pull",
)
def units_that_there_are_not(folder: Path) -> Path:
    return _series(folder, [0, 1, 2], units="foobar since 123")
