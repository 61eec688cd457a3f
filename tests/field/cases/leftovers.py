"""What is left of an earlier state: copies of metadata, chunks of another shape, groups that are not listed."""

from __future__ import annotations

from pathlib import Path

import numcodecs
import numpy as np
import zarr

from tests.field.case import fails, opens, reported, sees
from tests.field.readers import xarray, zarr_python
from tests.field.stores import array, group, put


@reported(
    "xcube-dev/xcube#194",
    "ValueError: cannot reshape array of size 107 into shape (54,), with consolidated=True",
    finding=("NZ-CONS-002", "/time", "5 instead of 10"),
    before=(fails(xarray, ValueError, "cannot reshape array"), fails(zarr_python, ValueError, "")),
    after=(opens(xarray), opens(zarr_python)),
)
def consolidated_before_the_chunks_were(folder: Path) -> Path:
    time = np.arange(10)
    array(group(folder, 2), "time", time, ["time"], chunks=[5], fill_value=None)
    zarr.consolidate_metadata(folder)
    (folder / "time" / "1").unlink()
    (folder / "time" / "0").write_bytes(time.tobytes())
    put(folder / "time" / ".zarray", [10], "chunks")
    return folder


@reported(
    "earth-mover/icechunk#962",
    "Metadata were consolidated at the root by mistake, and new groups are invisible",
    finding=("NZ-CONS-003", "/new", "missing from the consolidated metadata"),
    before=sees(zarr_python, lambda found: "new" not in found),
    after=sees(zarr_python, lambda found: "new" in found),
)
def groups_after_consolidation(folder: Path) -> Path:
    group(folder).create_group("old")
    zarr.consolidate_metadata(folder)
    zarr.open_group(folder / "new", mode="w")
    return folder


@reported(
    "ukaea/fair-mast#202",
    "ValueError: cannot reshape array of size 60425 into shape (3,30213), after data were ingested again",
    finding=("Z2-CHUNK-004", "/voltage", "size 17", "(3,9)"),
    before=fails(xarray, ValueError, "cannot reshape array"),
    values="all",
)
def chunks_of_another_ingestion(folder: Path) -> Path:
    made = group(folder, 2).create_array(
        "voltage",
        shape=(3, 9),
        dtype="f4",
        compressors=numcodecs.Blosc(),
        fill_value=None,
        attributes={"_ARRAY_DIMENSIONS": ["channel", "time"]},
    )
    made[:] = 1
    (folder / "voltage" / "0.0").write_bytes(numcodecs.Blosc().encode(np.ones(17, "f4")))
    return folder


@reported(
    "zarr-developers/zarr-python#769",
    'dimension_separator is "/" in .zarray, and the chunks are not nested: 0.0.0',
    finding=("Z2-ARR-010", "/test", 'named with "."'),
    before=sees(zarr_python, lambda found: not found["test"].any()),
    after=sees(zarr_python, lambda found: found["test"].all()),
)
def separator_without_folders(folder: Path) -> Path:
    array(group(folder, 2), "test", np.ones((4, 4)), ["y", "x"], chunks=[2, 2], fill_value=None)
    put(folder / "test" / ".zarray", "/", "dimension_separator")
    return folder


@reported(
    "zarr-developers/zarr-python#303",
    "An exception where an array has a length of 0, and so have its chunks",
    finding=("Z2-ARR-006", "/V3", "must be at least 1"),
    after=opens(zarr_python),
)
def chunks_of_an_empty_array(folder: Path) -> Path:
    array(group(folder, 2), "V3", np.ones(3, "i4"), ["x"], fill_value=None)
    (folder / "V3" / "0").unlink()
    put(folder / "V3" / ".zarray", [0], "shape")
    put(folder / "V3" / ".zarray", [0], "chunks")
    return folder


@reported(
    "fideus-labs/ngff-zarr#346",
    "GroupNotFoundError: No group found in store at path '', after the image was downloaded",
    finding=("TREE-001", "/", "there are nodes below it"),
    before=fails(zarr_python, Exception, "found in store"),
)
def root_that_was_not_downloaded(folder: Path) -> Path:
    root = group(folder)
    array(root, "image", np.ones((2, 2), "u1"), ["y", "x"])
    (folder / "zarr.json").unlink()
    return folder


@reported(
    "glencoesoftware/bioformats2raw#312",
    "Blank planes: in Zarr v2 the fill value is null, and what chunks hold that are not written is not said",
    finding=("Z2-FV-005", "/image", "fill_value is null"),
    before=opens(zarr_python),
    kind="pull",
)
def blank_planes_of_no_value(folder: Path) -> Path:
    array(group(folder, 2), "image", np.ones((2, 2), "u1"), ["y", "x"], fill_value=None)
    (folder / "image" / "0.0").unlink()
    return folder
