"""What writers left behind: blocks that they took from each other, packing of single files, bounds the other way round."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tests.field.case import reported, sees
from tests.field.readers import xarray
from tests.field.stores import array, group

KELVIN = np.linspace(0, 1, 24).reshape(2, 12)


@reported(
    "pydata/xarray#8371",
    "Regions were written with chunks that are not those of the store, and data are lost without an error",
    finding=("Z3-CHUNK-006", "/var1", "var1/c/0/1", "along a"),
    before=sees(xarray, lambda ds: int((ds["var1"] == 0).sum()) == 20),
    values="all",
)
def regions_across_chunks(folder: Path) -> Path:
    values = np.arange(1, 241).reshape(8, 30)
    values[2:4, 10:20] = 0  # what another process had just written there
    array(group(folder), "var1", values, ["a", "c"], chunks=[4, 10])
    return folder


@reported(
    "fsspec/kerchunk#212",
    "Files of ERA5 that are combined by reference all have another scale_factor and add_offset",
    finding=("CF-PACK-005", "/t2m", "of its own"),
    before=sees(xarray, lambda ds: abs(float(ds["t2m"][-1, -1]) - 310.4) > 10),
    values="all",
)
def files_that_are_packed_one_by_one(folder: Path) -> Path:
    files = [(262.37, 21.82), (281.93, 28.47)]  # the least value of each, and how far it goes
    scales = [width / 65533 for _, width in files]
    packed = np.concatenate(
        [
            np.round(KELVIN * width / scale) - 32766
            for (_, width), scale in zip(files, scales, strict=True)
        ]
    )
    array(
        group(folder),
        "t2m",
        packed.astype("i2"),
        ["time", "cell"],
        chunks=[2, 12],
        units="K",
        scale_factor=scales[0],
        add_offset=files[0][0] + 32766 * scales[0],
    )
    return folder


@reported(
    "xcube-dev/xcube#232",
    "The extent is computed wrongly from reversed bounds: latitudes go from -89.75 to 89.75, and not from pole to pole",
    finding=("CF-COORD-005", "/lat_bnds", "where those of the next cell end"),
    before=sees(xarray, lambda ds: float(ds["lat_bnds"][0, 0]) == 60),
    values="all",
)
def bounds_the_other_way_round(folder: Path) -> Path:
    latitudes = np.array([75.0, 45.0, 15.0, -15.0, -45.0, -75.0])
    root = group(folder)
    array(
        root,
        "lat",
        latitudes,
        ["lat"],
        units="degrees_north",
        standard_name="latitude",
        bounds="lat_bnds",
    )
    array(root, "lat_bnds", np.stack([latitudes - 15, latitudes + 15], 1), ["lat", "bnds"])
    return folder
