"""The sample dataset, which keeps every rule of NZ-1.0."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt

from nz_explorer.lab.demo_data.documents import (
    Json,
    Writer,
    consolidate,
    empty_folder,
    read_document,
    write_document,
)
from nz_explorer.lab.demo_data.fields import (
    GRID_CENTRE,
    SEED,
    Floats,
    Weather,
    from_rotated,
    is_land,
    neighbours,
    single,
)

LAND_FILL = -9999.0


def write_sample(folder: str | Path) -> Path:
    """Write the sample dataset.

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
    write_hierarchy(root)
    consolidate(root)
    return root


def write_hierarchy(root: Path) -> None:
    """Write all nodes of the sample, without consolidated metadata."""
    writer = Writer(root)
    writer.group(
        "",
        conventions="NZ-1.0 CF-1.12",
        title="Sample weather archive",
        summary="A forecast, an analysis, an ocean model and stations; computed, not observed.",
        institution="nz_explorer",
        source="nz_explorer.lab.demo_data",
    )
    _write_forecast(writer)
    _write_analysis(writer)
    _write_ocean(writer)
    _write_stations(writer)
    for document in root.rglob("zarr.json"):
        _complete_scalar(document)


def _complete_scalar(document: Path) -> None:
    """Give a scalar array the empty list of names that zarr-python cannot write."""
    meta = read_document(document)
    if meta["node_type"] == "array" and not meta["shape"]:
        meta["dimension_names"] = []
        write_document(document, meta)


def _write_time(writer: Writer, group: str, hours: npt.NDArray[np.int64], since: str) -> None:
    writer.array(
        f"{group}/time",
        ["time"],
        hours,
        standard_name="time",
        axis="T",
        units=f"hours since {since}",
        calendar="proleptic_gregorian",
    )


def _write_horizontal(writer: Writer, group: str, lat: Floats, lon: Floats) -> None:
    writer.array(
        f"{group}/lat", ["lat"], lat, standard_name="latitude", axis="Y", units="degrees_north"
    )
    writer.array(
        f"{group}/lon", ["lon"], lon, standard_name="longitude", axis="X", units="degrees_east"
    )


def _write_forecast(writer: Writer) -> None:
    """Write a global forecast: latitude falls, a vertical level, a scalar height."""
    group = "forecast"
    hours = np.arange(0, 120, 6, dtype=np.int64)
    level = np.array([1000.0, 850.0, 500.0, 250.0])
    lat = np.linspace(90, -90, 73)
    lon = np.arange(0, 360, 2.5)
    y, x = lat[:, None], lon[None, :]
    land = is_land(y, x)
    warmth, flow, rain = Weather(SEED), Weather(SEED + 1), Weather(SEED + 2, waves=24)

    writer.group(group, title="Global forecast, 2.5 degrees", history="started 2026-01-01T00:00Z")
    _write_time(writer, group, hours, "2026-01-01 00:00:00")
    _write_horizontal(writer, group, lat, lon)
    writer.array(
        f"{group}/level",
        ["level"],
        level,
        standard_name="air_pressure",
        axis="Z",
        units="hPa",
        positive="down",
    )
    writer.array(f"{group}/height", [], 2.0, standard_name="height", units="m", positive="up")
    writer.array(
        f"{group}/reference_time",
        [],
        np.int64(0),
        fill_value=-1,
        standard_name="forecast_reference_time",
        units="hours since 2026-01-01 00:00:00",
        calendar="proleptic_gregorian",
    )

    surface = 301 - 48 * np.sin(np.radians(np.abs(y) * 0.97)) ** 2 + np.where(land, -4.0, 1.0)
    shape = (hours.size, lat.size, lon.size)
    temperature = np.empty((hours.size, level.size, lat.size, lon.size))
    screen, u_wind, v_wind, precipitation = (np.empty(shape) for _ in range(4))
    for step, hour in enumerate(hours):
        days = hour / 24
        wave, jet, wet = warmth(y, x, days), flow(y, x, days), rain(y, x, days)
        daily = np.where(land, 5.0, 0.5) * np.cos(np.radians(x + 15 * hour - 210))
        screen[step] = surface + 3.5 * wave + daily * np.cos(np.radians(y))
        for k, pressure in enumerate(level):
            lapse = 62 * (1 - (pressure / 1000) ** 0.19) / (1 - 0.25**0.19)
            temperature[step, k] = surface - lapse + 3.5 * wave * pressure / 1000
        u_wind[step] = 13 * np.tanh((np.abs(y) - 28) / 10) * np.cos(np.radians(y)) + 5 * jet
        v_wind[step] = 5 * np.gradient(jet, axis=1) * 8
        precipitation[step] = np.clip(wet - 1.1, 0, None) * 4 * np.cos(np.radians(y)) ** 0.5

    field = ["time", "lat", "lon"]
    writer.array(
        f"{group}/temperature",
        ["time", "level", "lat", "lon"],
        single(temperature),
        chunks=(1, 1, 73, 144),
        shards=(10, 4, 73, 144),
        fill_value=np.nan,
        standard_name="air_temperature",
        long_name="Temperature on pressure levels",
        units="K",
    )
    writer.array(
        f"{group}/screen_temperature",
        field,
        single(screen),
        chunks=(4, 73, 144),
        fill_value=np.nan,
        standard_name="air_temperature",
        long_name="Temperature at screen height",
        units="K",
        coordinates="height reference_time",
    )
    for name, values, standard_name in (
        ("u_wind", u_wind, "eastward_wind"),
        ("v_wind", v_wind, "northward_wind"),
    ):
        writer.array(
            f"{group}/{name}",
            field,
            single(values),
            chunks=(5, 73, 144),
            fill_value=np.nan,
            standard_name=standard_name,
            units="m s-1",
        )
    # The last day is still running: its chunks hold nothing but the storage fill value, and
    # zarr-python does not write such chunks. _FillValue marks them as missing.
    dry = single(precipitation, 32)
    dry[-4:] = np.nan
    writer.array(
        f"{group}/precipitation",
        field,
        dry,
        chunks=(4, 37, 72),
        fill_value=np.nan,
        _FillValue="NaN",
        standard_name="lwe_precipitation_rate",
        units="mm h-1",
        comment="The last four steps have not been written yet.",
    )


def _write_analysis(writer: Writer) -> None:
    """Write a regional analysis: latitude rises, packed integers, flags, a mask, a spectrum."""
    group = "analysis"
    hours = np.arange(0, 48, 6, dtype=np.int64)
    lat = np.arange(33.0, 73.5, 0.5)
    lon = np.arange(-15.0, 45.5, 0.5)
    y, x = lat[:, None], lon[None, :]
    land = is_land(y, x)
    pressure_waves, cloud_waves = Weather(SEED + 3), Weather(SEED + 4, waves=30)
    field = ["time", "lat", "lon"]

    writer.group(group, title="Analysis of Europe, 0.5 degrees")
    _write_time(writer, group, hours, "2025-12-30 00:00:00")
    _write_horizontal(writer, group, lat, lon)
    writer.array(
        f"{group}/land",
        ["lat", "lon"],
        land,
        standard_name="land_binary_mask",
        long_name="Land",
    )

    pressure = np.stack([1013 + 14 * pressure_waves(y, 3 * x, h / 24) for h in hours])
    packed = np.round((pressure - 1000) / 0.01).astype(np.int16)
    packed[:, ~land & (y > 70)] = -32768
    writer.array(
        f"{group}/surface_pressure",
        field,
        packed,
        chunks=(1, 81, 121),
        fill_value=0,
        _FillValue=-32768,
        scale_factor=0.01,
        add_offset=1000.0,
        standard_name="surface_air_pressure",
        units="hPa",
        ancillary_variables="quality",
    )
    cloud = np.stack([cloud_waves(y, 4 * x, h / 24) for h in hours])
    kind = np.digitize(cloud, [-0.8, 0.0, 0.8, 1.6]).astype(np.uint8)
    writer.array(
        f"{group}/cloud_type",
        field,
        kind,
        chunks=(4, 81, 121),
        fill_value=255,
        _FillValue=255,
        long_name="Cloud type",
        flag_values=[0, 1, 2, 3, 4],
        flag_meanings="clear high middle low fog",
    )
    quality = np.where(land, 0, 1).astype(np.int8) + np.zeros((hours.size, 1, 1), np.int8)
    quality[pressure > 1030] = 3
    quality[:, :2] = quality[:, -2:] = -1
    writer.array(
        f"{group}/quality",
        field,
        quality,
        chunks=(8, 81, 121),
        fill_value=-1,
        _FillValue=-1,
        standard_name="quality_flag",
        flag_values=[0, 1, 3],
        flag_meanings="good interpolated suspect",
    )
    waves = np.arange(0, 61, dtype=np.int16)
    spectrum = np.fft.rfft(pressure.mean(axis=1), axis=1)[:, : waves.size].astype(np.complex64)
    writer.array(
        f"{group}/wavenumber",
        ["wavenumber"],
        waves,
        long_name="Zonal wavenumber",
        units="1",
    )
    writer.array(
        f"{group}/pressure_spectrum",
        ["time", "wavenumber"],
        spectrum,
        long_name="Spectrum of the surface pressure along longitude",
        units="hPa",
    )


def _write_ocean(writer: Writer) -> None:
    """Write an ocean model of the North Atlantic on a rotated grid, land masked."""
    group = "ocean"
    days = np.array([15, 45, 74, 105, 135, 166, 196, 227, 258, 288, 319, 349], np.int64)
    edges = np.array([0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365], np.int64)
    depth = np.array([0.5, 10.0, 30.0, 75.0, 150.0, 400.0, 1000.0, 2500.0])
    rlat, rlon = np.linspace(-33, 30, 96), np.linspace(-48, 46, 140)
    lat, lon = from_rotated(rlat[:, None], rlon[None, :])
    land = is_land(lat, lon)
    eddies = Weather(SEED + 5, waves=40)
    grid = ["rlat", "rlon"]

    writer.group(group, title="Ocean model of the North Atlantic, rotated grid")
    writer.array(
        f"{group}/time",
        ["time"],
        days,
        standard_name="time",
        axis="T",
        units="days since 2025-01-01",
        calendar="standard",
        bounds="time_bounds",
    )
    writer.array(f"{group}/time_bounds", ["time", "bnds"], np.stack([edges[:-1], edges[1:]], 1))
    writer.array(
        f"{group}/depth",
        ["depth"],
        depth,
        standard_name="depth",
        axis="Z",
        units="m",
        positive="down",
    )
    for name, values, axis, standard_name in (
        ("rlat", rlat, "Y", "grid_latitude"),
        ("rlon", rlon, "X", "grid_longitude"),
    ):
        writer.array(
            f"{group}/{name}",
            [name],
            values,
            standard_name=standard_name,
            axis=axis,
            units="degrees",
        )
    writer.array(
        f"{group}/rotated_pole",
        [],
        np.int32(0),
        fill_value=-1,
        grid_mapping_name="rotated_latitude_longitude",
        grid_north_pole_latitude=90 - GRID_CENTRE[0],
        grid_north_pole_longitude=180 + GRID_CENTRE[1],
    )
    writer.array(
        f"{group}/latitude",
        grid,
        single(lat, 1024),
        standard_name="latitude",
        units="degrees_north",
    )
    writer.array(
        f"{group}/longitude",
        grid,
        single(lon, 1024),
        standard_name="longitude",
        units="degrees_east",
    )
    basic = (
        28
        - 30 * np.sin(np.radians(np.abs(lat))) ** 1.6
        + 3.5 * np.exp(-(((lat - 42 - lon / 9) / 9) ** 2))
    )
    sst = np.stack(
        [
            np.clip(
                basic
                - 2.5 * np.cos(2 * np.pi * (d - 45) / 365)
                + eddies(2.5 * lat, 4 * lon, d / 9),
                -1.8,
                None,
            )
            for d in days
        ]
    )
    sst[:, land] = LAND_FILL
    masked: Json = {
        "fill_value": 0.0,
        "_FillValue": LAND_FILL,
        "coordinates": "latitude longitude",
        "grid_mapping": "rotated_pole",
    }
    writer.array(
        f"{group}/sea_surface_temperature",
        ["time", *grid],
        single(sst),
        chunks=(1, 96, 140),
        standard_name="sea_surface_temperature",
        units="degree_Celsius",
        **masked,
    )
    # The sea floor rises towards the coast, so deeper levels are masked more widely.
    shore = land.astype(float)
    for _ in range(12):
        shore = np.maximum(shore, 0.82 * neighbours(shore))
    floor = 4500 * np.clip(1 - 1.05 * shore, 0, 1) ** 0.7
    column = (
        35.2 + 1.4 * np.cos(np.radians(2.2 * (lat - 25))) + 0.15 * eddies(2.5 * lat, 4 * lon, 0)
    )
    salinity = np.stack([column - 0.9 * (1 - np.exp(-d / 600)) for d in depth])
    salinity[(depth[:, None, None] > floor[None]) | land[None]] = LAND_FILL
    writer.array(
        f"{group}/salinity",
        ["depth", *grid],
        single(salinity, 256),
        chunks=(2, 48, 70),
        standard_name="sea_water_practical_salinity",
        units="1",
        **masked,
    )


def _write_stations(writer: Writer) -> None:
    """Write point observations: names as strings, gaps as NaN."""
    group = "stations"
    names = [
        "Reykjavík",
        "Hamburg",
        "Lisboa",
        "Nairobi",
        "Manaus",
        "Boulder",
        "Tokyo",
        "Alice Springs",
    ]
    lat = np.array([64.1, 53.6, 38.7, -1.3, -3.1, 40.0, 35.7, -23.7])
    lon = np.array([-21.9, 10.0, -9.1, 36.8, -60.0, -105.3, 139.8, 133.9])
    height = np.array([52, 11, 77, 1624, 67, 1655, 25, 546], np.float32)
    hours = np.arange(0, 240, dtype=np.int64)
    rng = np.random.default_rng(SEED + 6)
    mean = 300 - 42 * np.sin(np.radians(np.abs(lat))) ** 2 - 0.0065 * height
    swing = np.cos(np.radians(15 * hours[:, None] + lon[None, :] - 210))
    drift = np.cumsum(rng.normal(0, 0.25, (hours.size, lat.size)), axis=0)
    values = single(mean + 4.5 * swing + drift, 16)
    values[rng.random(values.shape) < 0.01] = np.nan
    values[100:130, 3] = np.nan

    writer.group(group, title="Hourly observations at eight stations", featureType="timeSeries")
    _write_time(writer, group, hours, "2026-01-01 00:00:00")
    writer.array(
        f"{group}/station_name",
        ["station"],
        np.array(names),
        fill_value="",
        long_name="Name of the station",
        cf_role="timeseries_id",
    )
    for name, data, standard_name, units in (
        ("lat", lat, "latitude", "degrees_north"),
        ("lon", lon, "longitude", "degrees_east"),
        ("altitude", height, "surface_altitude", "m"),
    ):
        writer.array(f"{group}/{name}", ["station"], data, standard_name=standard_name, units=units)
    writer.array(
        f"{group}/air_temperature",
        ["time", "station"],
        values,
        chunks=(120, 8),
        fill_value=0.0,
        _FillValue="NaN",
        standard_name="air_temperature",
        units="K",
        coordinates="lat lon altitude station_name",
    )
