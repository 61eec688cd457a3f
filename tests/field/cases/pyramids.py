"""Pyramids and plates of OME-Zarr, and maps of ndpyramid."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tests.field.case import fails, opens, reported
from tests.field.readers import xarray, zarr_python
from tests.field.stores import array, group

AXES = [{"name": name, "type": "space"} for name in "yx"]


def _image(folder: Path, zarr_format: int, dims: list[str] | None) -> Path:
    datasets = [{"path": "0"}, {"path": "1"}]
    scales = [{"version": "0.4", "axes": AXES, "datasets": datasets}]
    attributes = (
        {"multiscales": scales}
        if zarr_format == 2
        else {"ome": {"version": "0.5", "multiscales": scales}}
    )
    root = group(folder, zarr_format, **attributes)
    for level, size in (("0", 8), ("1", 4)):
        array(root, level, np.ones((size, size), "u1"), dims)
    return folder


@reported(
    "pydata/xarray#8590",
    "conflicting sizes for a multiscale OME-Zarr image: its levels have different lengths",
    finding=("NZ-DIM-010", "/", "levels", "0", "1"),
    before=(fails(xarray, ValueError, "conflicting sizes"), opens(zarr_python)),
    beside=("OME-IMG-006",),
)
def levels_of_an_image(folder: Path) -> Path:
    return _image(folder, 3, ["y", "x"])


@reported(
    "Unidata/netcdf-c#2474",
    "NetCDF: NCZarr error for OME-Zarr images: the names of dimensions are used with several lengths",
    finding=("NZ-DIM-010", "/", "levels"),
    before=fails(xarray, ValueError, "conflicting sizes"),
    beside=("Z2-FV-006", "OME-IMG-006", "OME-IMG-009"),
)
def levels_with_names_in_v2(folder: Path) -> Path:
    return _image(folder, 2, ["y", "x"])
