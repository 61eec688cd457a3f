"""Attributes that name arrays which are not there."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tests.field.case import reported, sees
from tests.field.readers import xarray
from tests.field.stores import array, group


def _mapped(ds: object) -> bool:
    """Whether the grid mapping of a variable is there, as rioxarray and GDAL look for it."""
    variable = ds["tas"]  # type: ignore[index]
    named = variable.attrs.get("grid_mapping") or variable.encoding.get("grid_mapping")
    return named in ds.variables  # type: ignore[attr-defined]


def _tas(folder: Path, mapping: str, **attributes: str) -> Path:
    root = group(folder)
    array(root, "tas", np.ones((2, 2), "f4"), ["y", "x"], **attributes)
    array(root, mapping, np.int32(0), [], grid_mapping_name="polar_stereographic")
    return folder


@reported(
    "OSGeo/gdal#14822",
    'GDAL finds no projection: grid_mapping says "Polar Stereographic", the variable is called stereographic',
    finding=("CF-REF-001", "/tas", "grid_mapping", "Polar"),
    before=sees(xarray, lambda ds: not _mapped(ds)),
    after=sees(xarray, _mapped),
)
def grid_mapping_by_another_name(folder: Path) -> Path:
    return _tas(folder, "stereographic", grid_mapping="Polar Stereographic")


@reported(
    "xarray-contrib/cf-xarray#458",
    "ValueError wanted for a grid_mapping variable that is missing",
    finding=("CF-REF-001", "/tas", "grid_mapping", "rotated_latitude_longitude"),
    before=sees(xarray, lambda ds: not _mapped(ds)),
    after=sees(xarray, _mapped),
    kind="pull",
)
def grid_mapping_is_missing(folder: Path) -> Path:
    return _tas(folder, "rotated_pole", grid_mapping="rotated_latitude_longitude")


@reported(
    "EOPF-Explorer/data-model#12",
    "The top level has a CRS, the other levels of the pyramid have none",
    finding=("CF-REF-001", "/1/b02", "spatial_ref"),
    before=sees(lambda path: group_has(path, "1"), lambda found: not found),
    after=sees(lambda path: xarray(path / "1"), lambda ds: "grid_mapping" not in ds["b02"].attrs),
)
def levels_without_crs(folder: Path) -> Path:
    for level in ("0", "1"):
        if level == "0":
            group(folder)
        inner = group(folder / level)
        array(inner, "b02", np.ones((2, 2), "u2"), ["y", "x"], grid_mapping="spatial_ref")
        if level == "0":
            array(inner, "spatial_ref", np.int64(0), [], crs_wkt="PROJCS[...]")
    return folder


def group_has(path: Path, level: str) -> bool:
    """Whether the level has the array that its data name."""
    return (path / level / "spatial_ref" / "zarr.json").exists()
