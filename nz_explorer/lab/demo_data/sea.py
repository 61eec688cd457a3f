"""A small sea that warms: the data of the first notebook, written as NZ-1.0 wants and as xarray reads it."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt

from nz_explorer.lab.demo_data.documents import Writer, consolidate, empty_folder
from nz_explorer.lab.demo_data.fields import SEED, Floats, Weather
from nz_explorer.plots.earth import coastlines

FIRST_YEAR, YEARS = 1982, 43
ONSET = 1994
"""Until this year nothing changes; from then on the sea warms."""
RATE = 0.045
"""Kelvin per year, where it warms most."""
LOST = 2003
"""The year of which no chunk was written."""
SPARSE_UNTIL = 1996
"""Until this year the north-west was observed in summer only."""
_FILL = -32768


def write_sea(folder: str | Path) -> Path:
    """Write the annual means of a sea, which xarray opens as well as NZ readers do.

    Parameters
    ----------
    folder
        Where the root of the store goes; it must be empty or not exist.

    Returns
    -------
    Path
        The folder.

    Raises
    ------
    FileExistsError
        If there is something in the folder.
    """
    root = empty_folder(folder)
    writer = Writer(root)
    lat, lon = np.arange(50.5, 62.1, 0.25), np.arange(-4.0, 12.1, 0.25)
    y, x = lat[:, None], lon[None, :]
    years = FIRST_YEAR + np.arange(YEARS)
    weather, eddies = Weather(SEED + 7), Weather(SEED + 8, waves=30)

    land = _is_land(y, x)
    pattern = 0.4 + 0.6 * np.exp(-(((y - 54) / 4) ** 2 + ((x - 7) / 6) ** 2))
    sparse = (y > 58) & (x < 1)
    months = np.full((YEARS, lat.size, lon.size), 12, np.int8)
    months[(years <= SPARSE_UNTIL)[:, None, None] & sparse] = 3
    warm = np.clip(years - ONSET, 0, None)[:, None, None] * RATE * pattern
    noise = np.stack(
        [0.15 * weather(y, x, 9.0 * n) + 0.12 * eddies(3 * y, 4 * x, 5.0 * n) for n in range(YEARS)]
    )
    # a mean of three summer months is no mean of a year
    sst = 11.2 - 0.35 * (y - 54) + warm + noise + np.where(months == 3, 2.6, 0.0)
    packed = np.round((sst - 10) / 0.01).astype(np.int16)
    packed[:, land] = _FILL
    packed[years == LOST] = _FILL
    months[:, land] = -1
    months[years == LOST] = -1

    writer.group(
        "",
        conventions="NZ-1.0 CF-1.12",
        title="A warming sea",
        summary="Annual means of the surface temperature of a sea, computed, not observed.",
        institution="nz_explorer",
        source="nz_explorer.lab.demo_data",
    )
    since = (years - FIRST_YEAR).astype("i8") * 365 + np.cumsum((years - 1) % 4 == 0) + 181
    writer.array(
        "time",
        ["time"],
        since,
        standard_name="time",
        axis="T",
        units=f"days since {FIRST_YEAR}-01-01",
        calendar="proleptic_gregorian",
    )
    writer.array("lat", ["lat"], lat, standard_name="latitude", axis="Y", units="degrees_north")
    writer.array("lon", ["lon"], lon, standard_name="longitude", axis="X", units="degrees_east")
    # A year is a chunk, and zarr-python does not write what is nothing but fill values.
    writer.array(
        "sea_surface_temperature",
        ["time", "lat", "lon"],
        packed,
        chunks=(1, lat.size, lon.size),
        fill_value=_FILL,
        _FillValue=_FILL,
        scale_factor=0.01,
        add_offset=10.0,
        standard_name="sea_surface_temperature",
        long_name="Sea surface temperature",
        units="degree_Celsius",
        cell_methods="time: mean",
        ancillary_variables="months",
    )
    writer.array(
        "months",
        ["time", "lat", "lon"],
        months,
        chunks=(1, lat.size, lon.size),
        fill_value=-1,
        _FillValue=-1,
        long_name="Months with observations in the annual mean",
        units="1",
    )
    consolidate(root)
    return root


def _is_land(lat: Floats, lon: Floats) -> npt.NDArray[np.bool_]:
    """Whether points have an odd number of coastlines to the north of them."""
    line = coastlines((-180.0, 180.0, -90.0, 90.0))
    land = np.zeros(np.broadcast(lat, lon).shape, bool)
    for (x0, y0), (x1, y1) in pairwise(line):
        if np.isnan(x0 + x1) or max(x0, x1) < lon.min() or min(x0, x1) > lon.max() or x0 == x1:
            continue
        crossed = (x0 > lon) != (x1 > lon)
        land ^= crossed & (y0 + (lon - x0) * (y1 - y0) / (x1 - x0) > lat)
    return land
