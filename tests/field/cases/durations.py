"""Numbers in units of time that are taken for durations, and times in units that have no fixed length."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tests.field.case import fails, opens, reported, sees
from tests.field.readers import xarray
from tests.field.stores import array, group


@reported(
    "pydata/xarray#2085",
    "units = 'days' leads to timedelta64 for a data variable, the number of consecutive dry days",
    finding=("CF-TIME-008", "/cdd", "counts days", "timedelta64"),
    after=sees(xarray, lambda ds: ds["cdd"].attrs["units"] == "day"),
)
def days_without_rain(folder: Path) -> Path:
    values = np.array([0.5, 1.0, 7.0])
    array(group(folder, 2), "cdd", values, ["x"], units="days", fill_value=None)
    return folder


@reported(
    "Ouranosinc/xclim#2341",
    "An index of cold spells changes from float to timedelta when it is saved to Zarr or netCDF",
    finding=("CF-TIME-008", "/csdi_6", "counts days"),
    after=sees(xarray, lambda ds: ds["csdi_6"].dtype.kind == "f"),
)
def days_of_cold(folder: Path) -> Path:
    values = np.array([[0.0, 6.0, 12.0]], "f4")
    array(group(folder), "csdi_6", values, ["lat", "time"], units="days", fill_value=np.nan)
    return folder


@reported(
    "pysat/pysat#823",
    "Universal time in hours is stored as a timedelta64, in nanoseconds; local time in hrs is not",
    finding=("CF-TIME-008", "/ut", "counts hours"),
    after=sees(xarray, lambda ds: ds["ut"].values.tolist() == [0.0, 0.5, 1.0]),
    choice=1,
)
def hours_of_the_day(folder: Path) -> Path:
    root, hours = group(folder, 2), np.array([0.0, 0.5, 1.0])
    array(root, "ut", hours, ["ut"], units="hours", fill_value=None)
    array(root, "slt", hours, ["ut"], units="hrs", fill_value=None)
    return folder


@reported(
    "PCMDI/input4MIPs_CVs#123",
    "Land use does not load with xarray, because its time is in years since and not in days since",
    finding=("CF-TIME-001", "/time", "years", "no fixed length"),
    before=fails(xarray, ValueError, "unable to decode time units 'years since 0850"),
    after=opens(xarray),
)
def years_since(folder: Path) -> Path:
    root = group(folder, 2)
    units = "years since 0850-01-01 0:0:0"
    times = np.array([0.0, 1.0])
    array(root, "time", times, ["time"], units=units, calendar="noleap", fill_value=None)
    array(root, "primf", np.ones(2, "f4"), ["time"], fill_value=None)
    return folder


@reported(
    "fsspec/kerchunk#343",
    "OverflowError: time values outside range of 64 bit signed integers, after references were combined",
    finding=("CF-TIME-003", "/ocean_time", "1e+37", "no date"),
    before=fails(xarray, ValueError, "unable to decode time units"),
    after=opens(xarray),
)
def times_of_a_fill_value(folder: Path) -> Path:
    root = group(folder, 2)
    times = np.array([0.0, 3600.0, 1e37])
    units = "seconds since 2000-01-01"
    array(root, "ocean_time", times, ["ocean_time"], units=units, fill_value=None)
    return folder
