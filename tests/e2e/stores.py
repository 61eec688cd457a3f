"""A store with an array for each kind of picture, and every state that a cell can be in."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import zarr

CHUNK = 10


def write_kinds(folder: Path) -> Path:
    """Write small arrays of every kind; each is drawn whole, so that all pixels can be compared."""
    rng = np.random.default_rng(7)
    root = zarr.create_group(folder)

    def put(path: str, values: Any, names: tuple[str, ...], **attributes: Any) -> zarr.Array[Any]:
        array = root.create_array(
            path,
            shape=np.shape(values),
            dtype=np.asarray(values).dtype,
            chunks=tuple(min(CHUNK, size) for size in np.shape(values)),
            fill_value=attributes.pop("fill_value", None),
            dimension_names=names,
            attributes=attributes,
        )
        array[...] = values
        return array

    lat, lon = np.linspace(60, 30, 31), np.linspace(-20, 40, 41)
    uneven = np.cumsum(np.linspace(1, 4, 31))
    put("lat", lat, ("lat",), units="degrees_north")
    put("lon", lon, ("lon",), units="degrees_east")
    put("depth", uneven, ("depth",), units="m")
    put("time", np.arange(90.0), ("time",), units="days since 2001-01-01")
    field = np.add.outer(np.sin(lat / 9) * 20, lon / 3) + rng.normal(size=(31, 41))
    put("map", field.astype("f4"), ("lat", "lon"), units="K")  # latitudes fall
    put("uneven", field.astype("f4"), ("depth", "lon"), units="K")
    put("image", rng.integers(0, 256, (31, 41, 3), "u1"), ("row", "column", "band"))
    put("yes", field > 5, ("lat", "lon"))
    put("flags", rng.integers(0, 4, (31, 41), "i1"), ("lat", "lon"),
        flag_values=[0, 1, 2, 3], flag_meanings="sea land ice lake")  # fmt: skip
    put("waves", np.exp(1j * field / 4).astype("c8"), ("lat", "lon"))
    put("packed", (field * 10).astype("i2"), ("lat", "lon"), scale_factor=0.1, add_offset=-3.0)

    # turned against the grid, as an ocean model's are
    j, i = np.meshgrid(np.arange(31.0), np.arange(41.0), indexing="ij")
    put("nav_lat", 30 + j * 0.9 + i * 0.3, ("y", "x"), units="degrees_north")
    put("nav_lon", -30 + i * 0.8 - j * 0.4, ("y", "x"), units="degrees_east")
    put("turned", field.astype("f4"), ("y", "x"), coordinates="nav_lat nav_lon")

    _put_cells(put, rng)
    series = np.sin(np.arange(90.0) / 7) * 4 + rng.normal(scale=0.2, size=90)
    series[20:33], series[50], series[60] = -999, np.nan, np.inf
    put("series", series, ("time",), _FillValue=-999.0, units="m")
    for number, name in enumerate(("north", "south", "west")):
        values = np.cos(np.arange(60.0) / (5 + number)) * (number + 1)
        values[25 + number : 30] = np.nan
        put(f"stations/{name}", values, ("hour",), units="m")

    states = field.astype("f4").copy()
    states[1:7, 1:7] = -999  # _FillValue
    states[1:7, 13:17] = 5  # the storage fill_value, a number like others
    states[12:16, 21:27] = np.nan
    states[17:19, 21:27] = np.inf
    states[12:19, 32:38] = -np.inf
    states[22:27, 32:38] = 1000  # outside of the valid range
    states[0:10, 20:30] = 5  # the whole chunk: not in the store
    array = put("states", states, ("lat", "lon"), fill_value=5.0, _FillValue=-999.0,
                valid_range=[-100.0, 100.0])  # fmt: skip
    assert array.nchunks_initialized < array.nchunks
    (folder / "states" / "c" / "2" / "1").write_bytes(b"no chunk")
    return folder


def _put_cells(put: Callable[..., object], rng: np.random.Generator) -> None:
    """Write an unstructured grid, its cells in no order, and none on land."""
    order = rng.permutation(1200) + 0.5
    cell_lat = np.degrees(np.arcsin(1 - order / 600))
    cell_lon = (180 * (1 + 5**0.5) * order) % 360 - 180
    sea = np.hypot(cell_lon - 20, cell_lat) > 35
    cell_lat, cell_lon = cell_lat[sea], cell_lon[sea]
    put("cell_lat", cell_lat, ("cell",), units="degrees_north")
    put("cell_lon", cell_lon, ("cell",), units="degrees_east")
    warm = np.cos(np.radians(cell_lat)) * 30
    warm[cell_lat < -60] = -999
    put("cells", warm.astype("f4"), ("cell",), coordinates="cell_lon cell_lat", units="K",
        _FillValue=-999.0)  # fmt: skip
