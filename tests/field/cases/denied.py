"""Servers that refuse documents, and those that list nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import zarr

from nz_explorer.model import Hierarchy
from nz_explorer.store.resolve import resolve
from tests.corpus.cases import FaultyStore
from tests.field.case import fails, reported
from tests.field.readers import zarr_python
from tests.field.stores import array, group


def _refusing(folder: Path, *refused: str) -> Any:
    """Return a store of what is in a folder that denies access to some of its keys."""
    files = (file for file in folder.rglob("*") if file.is_file())
    documents = {file.relative_to(folder).as_posix(): file.read_bytes() for file in files}
    keys = [*documents, ".zgroup", ".zarray", ".zattrs", ".zmetadata"]
    return FaultyStore(documents, [key for key in keys if key.startswith(refused)], listable=False)


@reported(
    "zarr-developers/zarr-python#1504",
    "A group that is restricted on a bucket reads as an array of zeros, and no error is raised",
    finding=("TREE-007", "/28412", "denied", "fill value"),
    before=fails(zarr_python, PermissionError),
    beside=("TREE-017", "Z2-OGC-002"),
)
def a_group_that_is_restricted(folder: Path) -> Any:
    root = group(folder, 2)
    for name in ("28412", "28415"):
        array(root.create_group(name), "data", np.arange(1.0, 5), ["time"], fill_value=None)
    zarr.consolidate_metadata(folder)
    return _refusing(folder, "28412/")


@reported(
    "zarr-developers/zarr-python#3617",
    "403 for chunks that do not exist, where the user may not list: zarr-python fails with PermissionError",
    finding=("TREE-017", "/", "denied"),
)
def a_bucket_that_may_not_be_listed(folder: Path) -> Any:
    root = group(folder)
    array(root, "v", np.arange(4.0), ["x"], chunks=[2], fill_value=np.nan)
    zarr.consolidate_metadata(folder)
    return _refusing(folder, ".z")


@reported(
    "zarr-developers/zarr-python#1568",
    "FSStore does not see the array of a group behind https: there are no items, and the array opens by its path",
    finding=("NZ-CONS-001", "/", "no consolidated metadata"),
)
def a_server_that_lists_nothing(folder: Path) -> Any:
    array(group(folder), "image", np.ones((4, 4), "u2"), ["y", "x"])
    reader = resolve(folder)
    reader.object_storage = True
    return Hierarchy(reader)
