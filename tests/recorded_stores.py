"""The stores whose messages the front end's tests play back, see ``record_messages.py``."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import zarr

FILL = -9999.0
DEGREES = {
    "lat": ("degrees_north", 90 - 20.0 * np.arange(10)),
    "lon": ("degrees_east", 20.0 * np.arange(18)),
}
HOSTILE = (
    '<img src=x onerror="globalThis.hacked=1">',
    "evil\u202etxt.exe",
    "line\nbreak\u0007",
    "long_" * 50,
    "مرحبا 2020",
    "z\u0335\u0321a\u0337l\u0334g\u0335o",
    "__proto__",
    "constructor",
    "🌍 earth & <b>co<b>",
)
"""Names that strangers might give."""


def add(
    group: zarr.Group,
    name: str,
    values: Any,
    dimensions: tuple[str | None, ...],
    *,
    chunks: tuple[int, ...] | None = None,
    fill: float | str | None = None,
    **attributes: Any,
) -> zarr.Array[Any]:
    """Write an array; ``_FillValue`` where one is given."""
    values = np.asarray(values)
    array = group.create_array(
        name,
        shape=values.shape,
        dtype="string" if values.dtype.kind == "U" else values.dtype,
        chunks=chunks or values.shape or "auto",
        dimension_names=dimensions if any(one is not None for one in dimensions) else None,
        attributes=attributes if fill is None else {**attributes, "_FillValue": fill},
        config={"write_empty_chunks": True},
    )
    array[...] = values
    return array


def waves(x: Any, y: Any, t: Any) -> Any:
    """Return smooth noise that is the same every time."""
    return (
        np.sin(x * 3.1 + t * 0.35) * np.cos(y * 2.3 - t * 0.2)
        + 0.45 * np.sin(x * 9.7 - y * 5.1 + t * 0.5)
        + 0.2 * np.cos(x * 23 + y * 17)
    )


def write_small(folder: Path) -> Path:
    """Write a forecast on a coarse grid, with each state of a cell somewhere and two conflicts."""
    root = zarr.open_group(folder, mode="w")
    root.attrs.update(
        conventions="NZ-1.0",
        title="A sample of a reanalysis",
        history="2026-10-02 made for the tests",
    )
    _write_forecast(root.create_group("forecast", attributes={"institution": "nowhere"}), folder)
    analysis = root.create_group("analysis")
    add(analysis, "x", np.arange(4.0), ("x",))
    add(analysis, "y", np.arange(5.0) ** 2, ("x",))
    add(analysis, "area", np.arange(4.0) * 7, ("x",))
    images = root.create_group("images")
    j, i = np.mgrid[:24, :32]
    add(images, "photo", np.uint8(128 + 50 * waves(i / 8, j / 8, 2)), (None, None), chunks=(8, 8))
    add(images, "tiny", np.arange(54, dtype="i4").reshape(6, 9), ("row", "column"), chunks=(3, 3))
    (folder / "images" / "tiny" / "c" / "0" / "1").unlink()
    root.create_group("empty")
    return folder


def _write_forecast(group: zarr.Group, folder: Path) -> None:
    step, level = np.arange(240), np.array([1000.0, 850, 500, 250, 100])
    add(group, "time", step * 6, ("time",), units="hours since 2020-01-01", standard_name="time")
    add(
        group,
        "level",
        level,
        ("level",),
        units="hPa",
        standard_name="air_pressure",
        positive="down",
    )
    for name, (units, values) in DEGREES.items():
        standard_name = {"lat": "latitude", "lon": "longitude"}[name]
        add(group, name, values, (name,), units=units, standard_name=standard_name)
    t, j, i = np.meshgrid(step, np.arange(10), np.arange(18), indexing="ij")
    north = np.abs(j - 4.5) / 4.5
    sheet = 288 - 34 * north**2 + 5 * waves(i / 3, j / 3, t)
    add(
        group,
        "temp",
        np.float32(sheet[:, None] - 14.0 * np.arange(5)[:, None, None]),
        ("time", "level", "lat", "lon"),
        chunks=(60, 1, 10, 18),
        fill=FILL,
        units="K",
        long_name="air temperature",
        valid_range=[150, 350],
    )
    sea = 301 - 28 * north**2 + 2 * waves(i / 3, j / 3, t)
    sea[:, 2:4, 3:8] = FILL
    sea[:, 7, 1], sea[:, 7, 2], sea[:, 7, 3] = math.nan, math.inf, -math.inf
    add(
        group,
        "sst",
        np.float32(sea),
        ("time", "lat", "lon"),
        chunks=(60, 5, 9),
        fill=FILL,
        units="K",
        long_name="sea surface temperature",
    )
    # Of the half in the south-east the first chunks were never written, the last two are spoilt.
    for at in range(4):
        chunk = folder / "forecast" / "sst" / "c" / str(at) / "1" / "1"
        if at < 2:
            chunk.unlink()
        else:
            chunk.write_bytes(b"no zstd frame")
    rain = np.float32(np.maximum(0, np.exp(2.4 * waves(i / 3, j / 3, t) - 1.5) - 0.3))
    add(group, "precip", rain, ("time", "lat", "lon"), chunks=(60, 5, 9), units="mm h-1")
    mean = np.float32(284 + 4 * np.sin(step / 18) + np.sin(step / 2.2))
    mean[61:78], mean[[120, 122]] = FILL, math.nan
    add(group, "mean_temp", mean, ("time",), fill=FILL, units="K")
    add(group, "reference_time", np.int64(0), (), units="hours since 2020-01-01")
    names = ["Zürich", "Reykjavík", "München", "القاهرة", "東京", "São Paulo"]
    add(group, "station", np.array(names), ("station",))


def write_kinds(folder: Path) -> Path:
    """Write arrays that are drawn in other ways than as maps and lines of plain numbers."""
    root = zarr.open_group(folder, mode="w")
    group = root.create_group("k")
    j, i = np.mgrid[:10, :16]
    yx: dict[str, Any] = {"dimensions": ("y", "x"), "chunks": (5, 4)}
    packed = np.int16(j * 16 + i)
    packed[0, :3] = -9999
    scaling = {"scale_factor": 0.01, "add_offset": 273.15, "units": "K", "valid_range": [0, 139]}
    add(group, "packed", packed, fill=-9999, **yx, **scaling)
    flags = np.uint8((i + j) // 5 % 4)
    flags[4:6, 6:9] = 255
    meanings = {"flag_values": [0, 1, 2], "flag_meanings": "clear low_cloud <b>fog</b>"}
    add(group, "flags", flags, fill=255, **yx, **meanings)
    add(group, "complex", np.complex64(np.exp(1j * i / 3) * (1 + j)), **yx, units="Pa")
    (folder / "k" / "packed" / "c" / "1" / "3").write_bytes(b"no zstd frame")
    colour = np.stack([i * 16, j * 24, np.full_like(i, 90)], axis=-1).astype("u1")
    add(group, "photo", colour, ("y", "x", "band"), chunks=(5, 4, 3))
    curved = np.float32(waves(i / 3, j / 3, 1))
    curved[3:5, 5:7] = FILL
    where = {"lon": 150.0 + i + 0.4 * j, "lat": -20.0 + j + 1.5 * np.sin(i / 4)}
    for (name, values), units in zip(where.items(), ("degrees_east", "degrees_north"), strict=True):
        add(group, name, np.float32(values), ("y", "x"), units=units)
    add(group, "curved", curved, fill=FILL, **yx, units="degC", coordinates="lat lon")
    for name, units, gap in (
        ("speed", "m s-1", 20),
        ("gust", "m s-1", 44),
        ("pressure", "hPa", 70),
    ):
        step = np.arange(90)
        values = (1000 if units == "hPa" else 8) + 3 * np.sin(step / 9 + gap) + 9 * (step == 33)
        values[gap : gap + 6], values[gap + 7] = FILL, math.nan
        add(group, name, np.float32(values), ("step",), fill=FILL, units=units)
    names = np.array(["Oslo", "", "<b>Tromsø</b>", "?"])
    add(group, "names", names, ("station",), fill="?")
    return folder


def write_wide(folder: Path) -> Path:
    """Write a group with some arrays that are alike; tests make a hundred thousand of them."""
    root = zarr.open_group(folder, mode="w")
    first = root.create_group("first")
    add(first, "a", np.arange(30.0), ("x",))
    many = root.create_group("many")
    for at in range(3):
        add(many, f"var_{at:06}", np.float32(np.outer(range(6), range(8)) + at), ("y", "x"))
    root.create_group("zlast")
    return folder


def write_hostile(folder: Path) -> Path:
    """Write arrays with the names, units and attributes of a stranger who means harm."""

    def document(name: str, content: Mapping[str, Any]) -> None:
        place = folder / name
        place.mkdir(parents=True)
        text = json.dumps({"zarr_format": 3, **content}, ensure_ascii=False)
        (place / "zarr.json").write_text(text, encoding="utf-8")

    document("", {"node_type": "group", "attributes": {}})
    for name in HOSTILE:
        attributes = {name: name, "units": name, "long_name": name}
        document(
            name,
            {
                "node_type": "array",
                "shape": [3, 4],
                "data_type": "uint8",
                "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [3, 4]}},
                "chunk_key_encoding": {"name": "default"},
                "fill_value": 0,
                "codecs": [{"name": "bytes"}],
                "attributes": attributes,
                "dimension_names": [name, name],
            },
        )
        chunk = folder / name / "c" / "0" / "0"
        chunk.parent.mkdir(parents=True)
        chunk.write_bytes(bytes(range(12)))
    return folder
