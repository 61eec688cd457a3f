"""The sample dataset: a scientist's store that keeps NZ-1.0, and a sibling that breaks it.

`write_sample` writes a small weather archive in Zarr v3 – a global forecast, a regional analysis,
an ocean model on a curvilinear grid and a few stations – that keeps every rule of NZ-1.0.
`write_broken` writes the same archive after a bad week: each entry of `BROKEN_RULES` is one
deliberate violation, with the rules that a checker should name there.

Everything is computed, nothing is downloaded, and two runs write the same bytes.
"""

from __future__ import annotations

import base64
import hashlib
import json
import shutil
import struct
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import zarr

__all__ = ["BROKEN_RULES", "Violation", "broken", "sample", "write_broken", "write_sample"]

Floats = npt.NDArray[np.float64]
Json = dict[str, Any]

SEED = 20260101
LAND_FILL = -9999.0
GRID_CENTRE = (42.0, -35.0)
"""Latitude and longitude of the point where the ocean's rotated grid has its origin."""


@dataclass(frozen=True, slots=True)
class Violation:
    """One deliberate violation of the broken sample.

    Parameters
    ----------
    path
        The node at which it shows.
    rules
        Ids of the rules that a checker should report at that node.
    what
        What was done, in a sentence.
    """

    path: str
    rules: tuple[str, ...]
    what: str


def sample() -> Path:
    """Return the sample dataset, written to the user's cache the first time.

    Returns
    -------
    Path
        The folder of the store.
    """
    return _cached("sample.zarr", write_sample)


def broken() -> Path:
    """Return the broken sibling of the sample, written to the user's cache the first time.

    Returns
    -------
    Path
        The folder of the store.
    """
    return _cached("broken.zarr", write_broken)


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
    root = _empty(folder)
    _write_hierarchy(root)
    _consolidate(root)
    return root


def write_broken(folder: str | Path) -> Path:
    """Write the sample dataset and break it in the ways that `BROKEN_RULES` lists.

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
    root = _empty(folder)
    _write_hierarchy(root)
    _break_metadata(root)
    _consolidate(root)
    _break_after_consolidation(root)
    return root


def _empty(folder: str | Path) -> Path:
    root = Path(folder)
    if root.exists() and (not root.is_dir() or any(root.iterdir())):
        raise FileExistsError(f"{root} is not an empty folder")
    root.mkdir(parents=True, exist_ok=True)
    return root


def _cached(name: str, write: Callable[[Path], Path]) -> Path:
    """Write a dataset once per version of this module; a half-written one is never seen."""
    from platformdirs import user_cache_path

    version = hashlib.sha256(Path(__file__).read_bytes()).hexdigest()[:12]
    folder = user_cache_path("nz_explorer", appauthor=False) / f"sample-{version}"
    target = folder / name
    if not target.is_dir():
        folder.mkdir(parents=True, exist_ok=True)
        scratch = Path(tempfile.mkdtemp(dir=folder))
        try:
            write(scratch / name)
            try:
                (scratch / name).rename(target)
            except OSError:
                # Another process was faster; its bytes are the same.
                if not target.is_dir():
                    raise
        finally:
            shutil.rmtree(scratch, ignore_errors=True)
    return target


# --- fields that look like nature ---------------------------------------------------------------

# Outlines of the continents, coarse to a few degrees: (longitude, latitude) corners.
_CONTINENTS: tuple[tuple[tuple[float, float], ...], ...] = (
    # North America
    ((-168, 66), (-156, 71), (-128, 70), (-95, 69), (-82, 73), (-64, 66), (-78, 62), (-92, 58), (-80, 52),
     (-78, 62), (-65, 59), (-56, 52), (-66, 46), (-70, 42), (-76, 36), (-81, 31), (-80, 25), (-84, 30), (-97, 27),
     (-95, 18), (-88, 21), (-83, 14), (-78, 8), (-86, 12), (-95, 16), (-106, 22), (-113, 30), (-118, 33),
     (-124, 41), (-124, 48), (-135, 58), (-150, 60), (-162, 55), (-158, 58), (-165, 62)),
    # Greenland
    ((-55, 82), (-30, 83), (-20, 76), (-24, 70), (-42, 60), (-52, 66), (-60, 76), (-70, 78)),
    # South America
    ((-78, 8), (-72, 12), (-60, 9), (-50, 1), (-35, -6), (-39, -16), (-48, -27), (-57, -36), (-65, -43),
     (-68, -54), (-74, -50), (-72, -35), (-70, -19), (-81, -5)),
    # Africa
    ((-17, 15), (-10, 30), (-6, 35), (10, 37), (20, 31), (32, 31), (37, 22), (43, 12), (51, 12), (40, -4),
     (40, -16), (33, -26), (26, -34), (18, -34), (12, -17), (9, 2), (-8, 4)),
    # Europe and Asia
    ((-10, 36), (-9, 44), (-2, 44), (-5, 48), (5, 52), (9, 57), (12, 54), (21, 55), (24, 60), (22, 65),
     (17, 61), (11, 56), (5, 60), (14, 68), (26, 71), (42, 66), (60, 69), (70, 73), (105, 77), (140, 73),
     (180, 69), (180, 65), (163, 60), (157, 51), (156, 58), (142, 59), (135, 54), (141, 52), (131, 43), (128, 36),
     (122, 39), (121, 30), (110, 20), (107, 10), (100, 14), (104, 2), (98, 9), (92, 21), (80, 15),
     (77, 8), (72, 20), (60, 25), (56, 26), (48, 30), (58, 22), (45, 13), (35, 28), (36, 36), (27, 37),
     (23, 37), (18, 40), (13, 45), (16, 38), (9, 44), (3, 42), (-1, 37)),
    # Great Britain, Ireland, Iceland, Japan, Madagascar
    ((-5, 50), (1, 51), (0, 54), (-3, 58), (-6, 57), (-3, 54)),
    ((-10, 52), (-6, 52), (-6, 55), (-9, 54)),
    ((-24, 65), (-14, 65), (-18, 63), (-23, 64)),
    ((130, 32), (136, 34), (141, 36), (142, 43), (145, 44), (141, 45), (139, 38), (132, 35)),
    ((44, -25), (47, -25), (50, -15), (44, -17)),
    # New Guinea, Borneo, Sumatra, Australia, New Zealand, Antarctica
    ((131, -1), (141, -3), (150, -10), (138, -8)),
    ((109, 1), (117, 7), (118, 1), (114, -4)),
    ((95, 5), (104, -2), (106, -6), (98, 2)),
    ((114, -22), (122, -18), (130, -12), (136, -12), (140, -17), (142, -11), (153, -26), (150, -37), (140, -38),
     (131, -31), (115, -34)),
    ((167, -46), (172, -34), (178, -38), (171, -46)),
    ((-180, -90), (-180, -78), (-150, -77), (-100, -73), (-60, -64), (-62, -75), (-30, -78), (0, -70), (50, -67),
     (110, -66), (160, -70), (170, -78), (180, -78), (180, -90)),
)  # fmt: skip


def _is_land(lat: Floats, lon: Floats) -> npt.NDArray[np.bool_]:
    """Whether points lie on one of the continents (even-odd rule)."""
    lon = (lon + 180) % 360 - 180
    land = np.zeros(np.broadcast(lat, lon).shape, dtype=bool)
    for outline in _CONTINENTS:
        inside = np.zeros_like(land)
        for (x0, y0), (x1, y1) in zip(outline, outline[1:] + outline[:1], strict=True):
            if y0 == y1:
                continue
            crosses = (y0 > lat) != (y1 > lat)
            inside ^= crosses & (lon < (x1 - x0) * (lat - y0) / (y1 - y0) + x0)
        land |= inside
    return land


class _Weather:
    """A smooth, moving field made of a few travelling waves."""

    def __init__(self, seed: int, waves: int = 14) -> None:
        rng = np.random.default_rng(seed)
        self._zonal = rng.integers(1, 9, waves)
        self._meridional = rng.uniform(0.5, 4.0, waves)
        self._phase = rng.uniform(0, 2 * np.pi, waves)
        self._speed = rng.uniform(0.05, 0.5, waves)
        self._size = rng.normal(0, 1, waves) / np.sqrt(self._zonal)

    def __call__(self, lat: Floats, lon: Floats, days: float) -> Floats:
        x, y = np.radians(lon), np.radians(lat)
        field = np.zeros(np.broadcast(x, y).shape)
        for zonal, meridional, phase, speed, size in zip(
            self._zonal, self._meridional, self._phase, self._speed, self._size, strict=True
        ):
            travel = phase - zonal * speed * days
            field += size * np.cos(zonal * x + travel) * np.cos(2 * meridional * y + phase)
        return field * np.cos(y)


def _single(values: npt.ArrayLike, steps_per_unit: int = 64) -> npt.NDArray[np.float32]:
    """Round to a fraction of the unit, as instruments do; it also makes the chunks small."""
    return np.asarray(np.round(np.asarray(values) * steps_per_unit) / steps_per_unit, np.float32)


# --- writing ------------------------------------------------------------------------------------


class _Writer:
    """Writes groups and arrays with zarr-python."""

    def __init__(self, root: Path) -> None:
        self._store = zarr.storage.LocalStore(root)

    def group(self, path: str, **attributes: Any) -> None:
        """Write a group."""
        zarr.create_group(self._store, path=path, attributes=attributes, zarr_format=3)

    def array(
        self,
        path: str,
        dims: Sequence[str],
        values: npt.ArrayLike,
        *,
        chunks: tuple[int, ...] | None = None,
        shards: tuple[int, ...] | None = None,
        fill_value: Any = None,
        **attributes: Any,
    ) -> None:
        """Write an array with its values."""
        data = np.asarray(values)
        text = data.dtype.kind in "UOT"
        array = zarr.create_array(
            self._store,
            name=path,
            shape=data.shape,
            dtype=str if text else data.dtype,
            chunks=chunks or data.shape,
            shards=shards,
            fill_value=fill_value,
            dimension_names=list(dims),
            attributes=attributes,
            zarr_format=3,
        )
        array[...] = data.astype(object) if text else data


def _write_hierarchy(root: Path) -> None:
    writer = _Writer(root)
    writer.group(
        "",
        conventions="NZ-1.0 CF-1.12",
        title="Sample weather archive",
        summary="A forecast, an analysis, an ocean model and stations; computed, not observed.",
        institution="nz_explorer",
        source="nz_explorer.demo",
    )
    _write_forecast(writer)
    _write_analysis(writer)
    _write_ocean(writer)
    _write_stations(writer)
    for document in root.rglob("zarr.json"):
        _complete_scalar(document)


def _complete_scalar(document: Path) -> None:
    """Give a scalar array the empty list of names that zarr-python cannot write."""
    meta = _read(document)
    if meta["node_type"] == "array" and not meta["shape"]:
        meta["dimension_names"] = []
        _write(document, meta)


def _write_time(writer: _Writer, group: str, hours: npt.NDArray[np.int64], since: str) -> None:
    writer.array(
        f"{group}/time",
        ["time"],
        hours,
        standard_name="time",
        axis="T",
        units=f"hours since {since}",
        calendar="proleptic_gregorian",
    )


def _write_horizontal(writer: _Writer, group: str, lat: Floats, lon: Floats) -> None:
    writer.array(
        f"{group}/lat", ["lat"], lat, standard_name="latitude", axis="Y", units="degrees_north"
    )
    writer.array(
        f"{group}/lon", ["lon"], lon, standard_name="longitude", axis="X", units="degrees_east"
    )


def _write_forecast(writer: _Writer) -> None:
    """Write a global forecast: latitude falls, a vertical level, a scalar height."""
    group = "forecast"
    hours = np.arange(0, 120, 6, dtype=np.int64)
    level = np.array([1000.0, 850.0, 500.0, 250.0])
    lat = np.linspace(90, -90, 73)
    lon = np.arange(0, 360, 2.5)
    y, x = lat[:, None], lon[None, :]
    land = _is_land(y, x)
    warmth, flow, rain = _Weather(SEED), _Weather(SEED + 1), _Weather(SEED + 2, waves=24)

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
        _single(temperature),
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
        _single(screen),
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
            _single(values),
            chunks=(5, 73, 144),
            fill_value=np.nan,
            standard_name=standard_name,
            units="m s-1",
        )
    # The last day is still running: its chunks hold nothing but the storage fill value, and
    # zarr-python does not write such chunks. _FillValue says that they are missing.
    dry = _single(precipitation, 32)
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


def _write_analysis(writer: _Writer) -> None:
    """Write a regional analysis: latitude rises, packed integers, flags, a mask, a spectrum."""
    group = "analysis"
    hours = np.arange(0, 48, 6, dtype=np.int64)
    lat = np.arange(33.0, 73.5, 0.5)
    lon = np.arange(-15.0, 45.5, 0.5)
    y, x = lat[:, None], lon[None, :]
    land = _is_land(y, x)
    pressure_waves, cloud_waves = _Weather(SEED + 3), _Weather(SEED + 4, waves=30)
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


def _write_ocean(writer: _Writer) -> None:
    """Write an ocean model of the North Atlantic on a rotated grid, land masked."""
    group = "ocean"
    days = np.array([15, 45, 74, 105, 135, 166, 196, 227, 258, 288, 319, 349], np.int64)
    edges = np.array([0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365], np.int64)
    depth = np.array([0.5, 10.0, 30.0, 75.0, 150.0, 400.0, 1000.0, 2500.0])
    rlat, rlon = np.linspace(-33, 30, 96), np.linspace(-48, 46, 140)
    lat, lon = _from_rotated(rlat[:, None], rlon[None, :])
    land = _is_land(lat, lon)
    eddies = _Weather(SEED + 5, waves=40)
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
        _single(lat, 1024),
        standard_name="latitude",
        units="degrees_north",
    )
    writer.array(
        f"{group}/longitude",
        grid,
        _single(lon, 1024),
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
        _single(sst),
        chunks=(1, 96, 140),
        standard_name="sea_surface_temperature",
        units="degree_Celsius",
        **masked,
    )
    # The sea floor rises towards the coast, so deeper levels are masked more widely.
    shore = land.astype(float)
    for _ in range(12):
        shore = np.maximum(shore, 0.82 * _neighbours(shore))
    floor = 4500 * np.clip(1 - 1.05 * shore, 0, 1) ** 0.7
    column = (
        35.2 + 1.4 * np.cos(np.radians(2.2 * (lat - 25))) + 0.15 * eddies(2.5 * lat, 4 * lon, 0)
    )
    salinity = np.stack([column - 0.9 * (1 - np.exp(-d / 600)) for d in depth])
    salinity[(depth[:, None, None] > floor[None]) | land[None]] = LAND_FILL
    writer.array(
        f"{group}/salinity",
        ["depth", *grid],
        _single(salinity, 256),
        chunks=(2, 48, 70),
        standard_name="sea_water_practical_salinity",
        units="1",
        **masked,
    )


def _from_rotated(rlat: Floats, rlon: Floats) -> tuple[Floats, Floats]:
    """Latitude and longitude of points given on the sphere whose pole was moved."""
    v, u = np.radians(rlat), np.radians(rlon)
    tilt = np.radians(GRID_CENTRE[0])
    a, b, c = np.cos(v) * np.cos(u), np.cos(v) * np.sin(u), np.sin(v) + 0 * u
    lat = np.degrees(np.arcsin(np.clip(np.sin(tilt) * a + np.cos(tilt) * c, -1, 1)))
    lon = np.degrees(np.arctan2(b, np.cos(tilt) * a - np.sin(tilt) * c)) + GRID_CENTRE[1]
    return lat, lon


def _neighbours(field: Floats) -> Floats:
    padded = np.pad(field, 1, mode="edge")
    rows = np.maximum(padded[:-2, 1:-1], padded[2:, 1:-1])
    columns = np.maximum(padded[1:-1, :-2], padded[1:-1, 2:])
    return np.maximum(rows, columns)


def _write_stations(writer: _Writer) -> None:
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
    values = _single(mean + 4.5 * swing + drift, 16)
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


# --- documents ----------------------------------------------------------------------------------


def _read(document: Path) -> Json:
    meta: Json = json.loads(document.read_text("utf-8"))
    return meta


def _write(document: Path, meta: Json) -> None:
    document.write_text(
        json.dumps(meta, indent=2, ensure_ascii=False) + "\n", "utf-8", newline="\n"
    )


def _consolidate(root: Path) -> None:
    """Consolidate as zarr-python does, but from the documents as they are."""
    entries = {
        document.parent.relative_to(root).as_posix(): _read(document)
        for document in sorted(root.rglob("zarr.json"))
        if document.parent != root
    }
    meta = _read(root / "zarr.json")
    meta["consolidated_metadata"] = {
        "kind": "inline",
        "must_understand": False,
        "metadata": entries,
    }
    _write(root / "zarr.json", meta)


def _edit(root: Path, path: str, change: Callable[[Json], None]) -> None:
    document = root / path / "zarr.json"
    meta = _read(document)
    change(meta)
    _write(document, meta)


# --- breaking -----------------------------------------------------------------------------------

BROKEN_RULES: tuple[Violation, ...] = (
    Violation("/", ("NZ-DECL-001",), 'The root declares "NZ-1.01", which is not NZ-1.0.'),
    Violation(
        "/forecast",
        ("NZ-DIM-010",),
        "In /forecast, lat has 73 values for most arrays and 72 for /forecast/humidity.",
    ),
    Violation("/forecast/gusts", ("NZ-DIM-001",), "dimension_names is missing."),
    Violation("/forecast/dew_point", ("NZ-DIM-004",), "A dimension is called null."),
    Violation("/forecast/ozone", ("NZ-DIM-005",), "A dimension has an empty name."),
    Violation("/forecast/albedo", ("Z3-DIM-001",), "Three names for two dimensions."),
    Violation("/forecast/covariance", ("NZ-DIM-008",), "One name for both axes of a square."),
    Violation("/forecast/mixing", ("NZ-DIM-011",), "One name for axes of two lengths."),
    Violation("/forecast/height", ("NZ-SCAL-001",), "A scalar without dimension_names."),
    Violation("/analysis/lon", ("NZ-COORD-002",), "A longitude that goes back once."),
    Violation("/analysis/lat", ("NZ-COORD-003",), "A latitude with NaN in it."),
    Violation("/analysis/surface_pressure", ("NZ-FILL-003",), "_FillValue -99999 on int16."),
    Violation("/analysis/cloud_type", ("NZ-FILL-002",), '_FillValue "missing" on uint8.'),
    Violation("/analysis/quality", ("NZ-FILL-004",), "_FillValue is a list."),
    Violation(
        "/ocean/salinity",
        ("NZ-FILL-005",),
        "_FillValue in the base64 form that xarray writes.",
    ),
    Violation("/ocean/depth", ("NZ-ATTR-001",), "An attribute mixes numbers and text."),
    Violation("/stations/2m_humidity", ("NZ-NAME-001",), "A name that begins with a digit."),
    Violation("/stations/wind speed", ("NZ-NAME-002",), "A name with a blank."),
    Violation("/stations/altitude", ("NZ-NAME-003",), "An attribute name with a slash."),
    Violation("/stations/lat", ("NZ-NAME-004",), '"units" and "Units" in one node.'),
    Violation("/stations/air_temperature", ("JSON-003",), "A bare NaN where JSON has none."),
    Violation("/stations/lon", ("JSON-004",), "One key twice."),
    Violation("/stations/time", ("JSON-005",), "A byte order mark."),
    Violation("/stations/radiation", ("JSON-002",), "A document cut off by a lost connection."),
    Violation("/analysis/snow", ("Z3-CODEC-012",), "A codec that nobody has registered."),
    Violation("/analysis/soil", ("Z3-SHAPE-001",), "A negative length."),
    Violation("/analysis/fog", ("Z3-DOC-003",), "No data type."),
    Violation("/archive", ("TREE-002",), "A folder of arrays that has no group document."),
    Violation(
        "/ocean/sea_surface_temperature/anomaly",
        ("TREE-003",),
        "An array inside an array.",
    ),
    Violation(
        "/forecast/u_wind",
        ("NZ-CONS-002",),
        "The units changed after the metadata was consolidated.",
    ),
    Violation("/ocean/currents", ("NZ-CONS-003",), "Added after consolidation."),
    Violation("/ocean/ice", ("NZ-CONS-004",), "Deleted after consolidation."),
)
"""What `write_broken` breaks, and the rules that should say so at that node."""


def _break_metadata(root: Path) -> None:
    """Break rules in ways that consolidation carries along."""
    writer = _Writer(root)

    def set_root(meta: Json) -> None:
        meta["attributes"]["conventions"] = "NZ-1.01 CF-1.12"
        meta["attributes"]["title"] = "Sample weather archive, broken on purpose"

    _edit(root, "", set_root)
    _break_dimensions(root, writer)
    _break_coordinates(root)
    _break_attributes(root)

    for name in ("2m_humidity", "wind speed", "radiation"):
        writer.array(f"stations/{name}", ["station"], np.linspace(0, 1, 8, dtype=np.float32))
    small = np.zeros((4, 3), np.float32) + 1
    for name in ("snow", "soil", "fog"):
        writer.array(f"analysis/{name}", ["row", "column"], small)
    _edit(
        root,
        "analysis/snow",
        lambda meta: meta["codecs"].append({"name": "wavelet9", "configuration": {"order": 4}}),
    )
    _edit(root, "analysis/soil", lambda meta: meta.update(shape=[4, -3]))
    _edit(root, "analysis/fog", lambda meta: meta.pop("data_type"))
    writer.array("ocean/ice", ["rlat", "rlon"], np.zeros((96, 140), np.float32), units="1")


def _break_dimensions(root: Path, writer: _Writer) -> None:
    ones = np.ones
    for name, dims, shape in (
        ("humidity", ["lat", "lon"], (72, 144)),
        ("gusts", ["lat", "lon"], (73, 144)),
        ("dew_point", ["lat", "lon"], (73, 144)),
        ("ozone", ["lat", "lon"], (73, 144)),
        ("albedo", ["lat", "lon"], (73, 144)),
        ("covariance", ["mode", "mode"], (5, 5)),
        ("mixing", ["layer", "layer"], (4, 5)),
    ):
        writer.array(f"forecast/{name}", dims, ones(shape, np.float32), units="1")

    def set_names(names: Any) -> Callable[[Json], None]:
        return lambda meta: meta.update(dimension_names=names)

    _edit(root, "forecast/gusts", lambda meta: meta.pop("dimension_names"))
    _edit(root, "forecast/dew_point", set_names(["lat", None]))
    _edit(root, "forecast/ozone", set_names(["lat", ""]))
    _edit(root, "forecast/albedo", set_names(["time", "lat", "lon"]))
    _edit(root, "forecast/height", lambda meta: meta.pop("dimension_names"))


def _break_coordinates(root: Path) -> None:
    lon = zarr.open_array(root / "analysis" / "lon", mode="r+")
    values = np.asarray(lon[:])
    values[40] = values[38]
    lon[:] = values
    lat = zarr.open_array(root / "analysis" / "lat", mode="r+")
    lat[17] = np.nan


def _break_attributes(root: Path) -> None:
    def set_attributes(path: str, **attributes: Any) -> None:
        _edit(root, path, lambda meta: meta["attributes"].update(attributes))

    set_attributes("analysis/surface_pressure", _FillValue=-99999)
    set_attributes("analysis/cloud_type", _FillValue="missing")
    set_attributes("analysis/quality", _FillValue=[-1, -2])
    # xarray writes a float _FillValue as base64 of the little-endian double.
    dialect = base64.b64encode(struct.pack("<d", LAND_FILL)).decode("ascii")
    set_attributes("ocean/salinity", _FillValue=dialect)
    set_attributes("ocean/depth", valid_range=[0, "unknown"])
    set_attributes("stations/altitude", **{"geo/datum": "EGM96"})
    set_attributes("stations/lat", Units="deg")


def _break_after_consolidation(root: Path) -> None:
    """Change documents behind the back of the consolidated metadata."""
    writer = _Writer(root)
    _edit(root, "forecast/u_wind", lambda meta: meta["attributes"].update(units="knots"))
    writer.array("ocean/currents", ["rlat", "rlon"], np.ones((96, 140), np.float32), units="m s-1")
    shutil.rmtree(root / "ocean" / "ice")

    writer.array("archive/monthly_mean", ["month"], np.arange(12, dtype=np.float32))
    (root / "archive" / "zarr.json").unlink(missing_ok=True)
    writer.array("anomaly", ["y", "x"], np.ones((3, 4), np.float32))
    (root / "anomaly").rename(root / "ocean" / "sea_surface_temperature" / "anomaly")

    def rewrite(path: str, change: Callable[[str], str], encoding: str = "utf-8") -> None:
        document = root / path / "zarr.json"
        document.write_text(change(document.read_text("utf-8")), encoding, newline="\n")

    rewrite("stations/radiation", lambda text: text[: int(len(text) * 0.6)])
    rewrite("stations/time", str, encoding="utf-8-sig")
    rewrite(
        "stations/lon", lambda text: text.replace('"units":', '"units": "degrees", "units":', 1)
    )
    rewrite(
        "stations/air_temperature",
        lambda text: text.replace('"_FillValue": "NaN"', '"_FillValue": NaN'),
    )
