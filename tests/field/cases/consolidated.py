"""Consolidated metadata that are not what is stored any more."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import zarr

from tests.field.case import reported, sees
from tests.field.readers import xarray, zarr_python
from tests.field.stores import array, group


def _consolidated(folder: Path) -> None:
    zarr.consolidate_metadata(folder)


@reported(
    "hdmf-dev/hdmf-zarr#182",
    "What is appended to a file that was opened by its consolidated metadata is not found afterwards",
    finding=("NZ-CONS-003", "/acquisition", "consolidated"),
    before=sees(zarr_python, lambda found: "acquisition" not in found),
    after=sees(zarr_python, lambda found: "acquisition" in found),
)
def appended_array_is_not_listed(folder: Path) -> Path:
    root = group(folder)
    array(root, "a", [1, 2], ["x"])
    _consolidated(folder)
    array(zarr.open_group(folder, use_consolidated=False), "acquisition", [1, 2], ["x"])
    return folder


@reported(
    "fideus-labs/ngff-zarr#737",
    "Appending without consolidating again leaves stale consolidated metadata",
    finding=("NZ-CONS-002", "/a", "consolidated", "3", "2"),
    before=sees(xarray, lambda ds: ds.sizes["x"] == 2),
    after=sees(xarray, lambda ds: ds.sizes["x"] == 3),
    kind="pull",
)
def appended_rows_do_not_show(folder: Path) -> Path:
    array(group(folder), "a", [1, 2], ["x"], chunks=(1,))
    _consolidated(folder)
    zarr.open_group(folder, use_consolidated=False)["a"].append(np.array([3]))
    return folder


@reported(
    "ai2cm/fv3net#1179",
    "The data set is empty with consolidated=True, and whole with consolidated=False",
    finding=("NZ-CONS-003", "/fine_res", "consolidated"),
    before=sees(xarray, lambda ds: not ds.variables),
    after=sees(xarray, lambda ds: "fine_res" in ds),
)
def consolidated_to_nothing(folder: Path) -> Path:
    group(folder, 2)
    zarr.consolidate_metadata(folder, zarr_format=2)
    array(
        zarr.open_group(folder, use_consolidated=False),
        "fine_res",
        np.ones(2),
        ["x"],
        fill_value=None,
    )
    return folder


@reported(
    "zarr-developers/zarr-python#2921",
    "A group in the store has consolidated metadata of its own, so that children made later are never found",
    finding=("Z3-CM-004", "/foo", "consolidated", "/foo/bar"),
    before=sees(lambda path: zarr_python(path / "foo"), lambda found: "bar" not in found),
    after=sees(lambda path: zarr_python(path / "foo"), lambda found: "bar" in found),
)
def old_copy_in_a_group(folder: Path) -> Path:
    root = group(folder)
    root.create_group("foo")
    zarr.consolidate_metadata(folder, path="foo")
    array(zarr.open_group(folder / "foo", use_consolidated=False), "bar", [1.0], ["x"])
    return folder


@reported(
    "zarr-developers/zarr-python#2830",
    "Groups that were written after the root are not listed by members()",
    finding=("NZ-CONS-003", "/Group1", "missing from the consolidated metadata"),
    before=sees(zarr_python, lambda found: set(found) == {"a"}),
    after=sees(zarr_python, lambda found: "Group1" in found),
)
def groups_written_later(folder: Path) -> Path:
    array(group(folder), "a", [1, 2], ["x"])
    zarr.consolidate_metadata(folder)
    zarr.open_group(folder, mode="r+", use_consolidated=False).create_group("Group1")
    return folder


@reported(
    "pydata/xarray#5878",
    "After to_zarr(append_dim=...) the array is 6 long in .zarray, and 3 long when it is opened",
    finding=("NZ-CONS-002", "/temperature", "3 instead of 6"),
    before=sees(xarray, lambda ds: ds["temperature"].size == 3),
    after=sees(xarray, lambda ds: ds["temperature"].size == 6),
)
def appended_part_not_seen(folder: Path) -> Path:
    made = group(folder, 2).create_array(
        "temperature",
        shape=(3,),
        chunks=(3,),
        dtype="i8",
        fill_value=None,
        attributes={"_ARRAY_DIMENSIONS": ["time"]},
    )
    made[:] = [1, 2, 3]
    zarr.consolidate_metadata(folder)
    made = zarr.open_array(folder / "temperature", mode="r+")
    made.append(np.array([4, 5, 6]))
    return folder


@reported(
    "dynamical-org/reformatters#1074",
    "An array was renamed by a move, and the consolidated metadata in the root still list the old name",
    finding=("NZ-CONS-003", "/cape_surface", "missing from the consolidated metadata"),
    before=sees(xarray, lambda ds: "cape_surface" not in ds),
    after=sees(xarray, lambda ds: "cape_surface" in ds),
    kind="pull",
)
def array_that_was_moved(folder: Path) -> Path:
    root = group(folder)
    array(root, "cape_atmosphere", np.ones(3), ["step"])
    zarr.consolidate_metadata(folder)
    (folder / "cape_atmosphere").rename(folder / "cape_surface")
    return folder
