"""Where documents lie: zip files, lost documents, files that do not belong there."""

from __future__ import annotations

import shutil
import zipfile
from pathlib import Path

import numpy as np
import zarr
from zarr.errors import ContainsArrayError, GroupNotFoundError

from nz_explorer.testing.corpus.cases import refer
from tests.field.case import fails, opens, reported, sees
from tests.field.readers import netcdf_c, xarray, zarr_python
from tests.field.stores import array, group, zipped


def _sample(folder: Path, zarr_format: int = 3) -> Path:
    root = group(folder, zarr_format)
    array(root, "lat", [10.0, 20.0, 30.0], ["lat"], fill_value=None if zarr_format == 2 else 0)
    return folder


def _unpacked(file: Path) -> Path:
    """Pack a zip file anew from within its top folder."""
    inside = file.parent / "inside"
    with zipfile.ZipFile(file) as archive:
        archive.extractall(inside)
    (top,) = inside.iterdir()
    return zipped(top, file.parent / "right.zip")


@reported(
    "zarr-developers/zarr-python#756",
    "GroupNotFoundError for a zip file made with `zip -r0 foo.zarr.zip foo.zarr`",
    finding=("TREE-009", "/", "foo.zarr", "top folder"),
    before=(fails(zarr_python, GroupNotFoundError), fails(xarray, FileNotFoundError)),
    after=(opens(zarr_python), opens(xarray)),
    by_hand=_unpacked,
)
def zip_with_the_outer_folder(folder: Path) -> Path:
    return zipped(_sample(folder / "foo.zarr"), folder / "foo.zarr.zip", "foo.zarr/")


@reported(
    "vitessce/vitessce#2223",
    "Zipped stores open only where one has changed into the folder before zipping it",
    finding=("TREE-009", "/", "cells.zarr", "top folder"),
    before=fails(zarr_python, GroupNotFoundError),
    after=opens(zarr_python),
    by_hand=_unpacked,
)
def zip_for_a_viewer(folder: Path) -> Path:
    return zipped(_sample(folder / "cells.zarr", 2), folder / "cells.zarr.zip", "cells.zarr/")


def _damaged(file: Path, key: str, value: bytes, *, header: bool) -> Path:
    """Write over a member of a zip file: over its header, or over what it holds."""
    with zipfile.ZipFile(file) as archive:
        member = archive.getinfo(key)
    data = bytearray(file.read_bytes())
    at = member.header_offset if header else data.index(key.encode()) + len(key)
    data[at : at + len(value)] = value
    file.write_bytes(data)
    return file


@reported(
    "zarr-developers/zarr-python#3516",
    "Writing Dask arrays to a ZipStore gives a corrupt file: BadZipFile: Bad magic number for file header",
    finding=("TREE-007", "/lat", "damaged", "tasks of Dask"),
    before=(
        fails(zarr_python, zipfile.BadZipFile, "Bad magic number"),
        fails(xarray, zipfile.BadZipFile),
    ),
)
def zip_with_two_writers(folder: Path) -> Path:
    file = zipped(_sample(folder / "s"), folder / "s.zip")
    return _damaged(file, "lat/zarr.json", b"PK\x01\x02", header=True)


@reported(
    "pydata/xarray#3815",
    "BadZipFile: Bad CRC-32 for file 'hello/0' when a ZipStore is read again",
    finding=("Z3-CHUNK-003", "/lat", "damaged", "CRC"),
    before=fails(zarr_python, zipfile.BadZipFile, "Bad CRC-32"),
    values="all",
)
def zip_with_a_false_checksum(folder: Path) -> Path:
    file = zipped(_sample(folder / "s"), folder / "s.zip")
    return _damaged(file, "lat/c/0", b"\x7f", header=False)


def _once(file: Path) -> Path:
    """Pack a zip file anew with the last entry of each name."""
    with zipfile.ZipFile(file) as archive, zipfile.ZipFile(file.parent / "n.zip", "w") as fresh:
        for name in dict.fromkeys(archive.namelist()):
            fresh.writestr(name, archive.read(name))
    return file.parent / "n.zip"


def _twice(folder: Path, key: str, change: dict[str, object]) -> Path:
    file = zipped(_sample(folder / "s"), folder / "s.zip")
    content = (folder / "s" / key).read_bytes()
    with zipfile.ZipFile(file, "a") as archive:
        archive.writestr(key, content.replace(b'"attributes": {}', b'"attributes": {"run": 2}'))
    return file


@reported(
    "zarr-developers/zarr-python#3580",
    "After resizing an array in a ZipStore the file holds zarr.json many times; desktop tools show the oldest one",
    finding=("TREE-010", "/", "lat/zarr.json", "2 times"),
    before=sees(zarr_python, lambda found: len(found) == 1),
    after=opens(zarr_python),
    by_hand=_once,
)
def zip_with_a_document_twice(folder: Path) -> Path:
    return _twice(folder, "lat/zarr.json", {})


@reported(
    "scverse/anndata#1971",
    "UserWarning: Duplicate name: '.zattrs' while an AnnData object is written to a zip file",
    finding=("TREE-010", "/", "zarr.json", "2 times"),
    before=opens(zarr_python),
    after=opens(zarr_python),
    by_hand=_once,
)
def zip_with_duplicate_names(folder: Path) -> Path:
    return _twice(folder, "zarr.json", {})


def _renamed(folder: Path) -> Path:
    return folder.rename(folder.with_name(folder.name.removesuffix(".zip")))


@reported(
    "pydata/xarray#10827",
    "to_zarr('x.zarr.zip') makes a folder of that name where a zip file was expected",
    finding=("TREE-011", "/", ".zip", "folder"),
    before=fails(
        lambda path: zarr.open_group(zarr.storage.ZipStore(path, mode="r"), mode="r"), OSError
    ),
    after=opens(xarray),
    by_hand=_renamed,
)
def folder_called_zip(folder: Path) -> Path:
    return _sample(folder / "in_2024_01.zarr.zip")


def _swept(folder: Path) -> Path:
    for file in [*folder.rglob("._*"), *folder.rglob(".DS_Store")]:
        file.unlink()
    return folder


@reported(
    "scverse/spatialdata#1013",
    "A store on an external disk of a Mac cannot be read: there are ._ files in it",
    finding=("TREE-012", "/", "._lat", "macOS"),
    before=sees(lambda path: {p.name for p in path.iterdir()}, lambda names: "._lat" in names),
    after=opens(zarr_python),
    by_hand=_swept,
)
def files_of_the_finder(folder: Path) -> Path:
    _sample(folder)
    for name in ("._lat", ".DS_Store", "lat/._zarr.json"):
        (folder / name).write_bytes(b"\0\5\x16\7\0\2")
    return folder


@reported(
    "ScrollPrize/villa#1758",
    "The .zarr path that the name advertises cannot be opened as a group, though the groups inside are valid",
    finding=("TREE-001", "/", "horizontal", "vertical"),
    before=fails(zarr_python, FileNotFoundError),
    after=opens(zarr_python),
)
def no_document_at_the_root(folder: Path) -> Path:
    for name in ("horizontal", "vertical"):
        _sample(folder / name, 2)
    return folder


@reported(
    "zarr-developers/zarr-python#304",
    "ValueError: group not found at path '' – the upload with ./* had left out the hidden files",
    finding=("TREE-001", "/", "lat"),
    before=fails(zarr_python, FileNotFoundError),
    after=sees(zarr_python, lambda found: "lat" in found),
)
def hidden_files_not_uploaded(folder: Path) -> Path:
    _sample(folder, 2)
    (folder / ".zgroup").unlink()
    (folder / ".zattrs").unlink(missing_ok=True)
    return folder


@reported(
    "ome/ome2024-ngff-challenge#95",
    "The rows of a plate have no zarr.json, so zarr-python does not see them as groups",
    finding=("TREE-002", "/B", "no metadata document", "3"),
    before=sees(zarr_python, lambda found: "B/3/0" not in found),
    after=sees(zarr_python, lambda found: "B/3/0" in found),
)
def rows_without_documents(folder: Path) -> Path:
    group(folder)
    group(folder / "B" / "3")
    array(zarr.open_group(folder / "B" / "3"), "0", np.ones((2, 2), "u1"), ["y", "x"])
    return folder


def _put_into_a_group(folder: Path) -> Path:
    root = folder.with_name("group.zarr")
    group(root, 2 if (folder / ".zarray").exists() else 3)
    shutil.copytree(folder, root / "data")
    return root


@reported(
    "zarr-developers/zarr-python#598",
    "ValueError: path '' contains an array – after an array was synced to a bucket and opened as a group",
    finding=("TREE-008", "/", "array"),
    before=(fails(xarray, (ContainsArrayError, FileNotFoundError)), opens(zarr_python)),
    after=opens(xarray),
    by_hand=_put_into_a_group,
)
def array_at_the_root(folder: Path) -> Path:
    made = zarr.create_array(
        folder, shape=(3,), dtype="f4", dimension_names=["x"], compressors=None
    )
    made[:] = 1
    return folder


@reported(
    "cgohlke/tifffile#125",
    "ContainsArrayError from xarray for a store that tifffile made of one image",
    finding=("TREE-008", "/", "array"),
    before=fails(xarray, (ContainsArrayError, FileNotFoundError)),
    after=sees(xarray, lambda ds: ds["data"].dims == ("Y", "X")),
    by_hand=_put_into_a_group,
)
def image_at_the_root(folder: Path) -> Path:
    made = zarr.create_array(
        folder, shape=(2, 2), dtype="u1", dimension_names=["Y", "X"], compressors=None
    )
    made[:] = 7
    return folder


@reported(
    "ClimateImpactLab/downscaleCMIP6#75",
    "xarray cannot read the array that rechunker made: it has to be in a group",
    finding=("TREE-008", "/", "the root is an array"),
    before=(
        fails(xarray, (GroupNotFoundError, ContainsArrayError, FileNotFoundError)),
        sees(netcdf_c, lambda found: found == {}),
    ),
    after=(
        sees(xarray, lambda ds: ds["data"].dims == ("lat", "lon")),
        sees(netcdf_c, lambda found: found["data"].shape == (2, 2)),
    ),
    by_hand=_put_into_a_group,
    kind="pull",
)
def array_of_v2_at_the_root(folder: Path) -> Path:
    attributes = {"_ARRAY_DIMENSIONS": ["lat", "lon"]}
    made = zarr.create_array(
        folder, shape=(2, 2), dtype="f8", zarr_format=2, compressors=None, attributes=attributes
    )
    made[:] = 1
    return folder


@reported(
    "ScrollPrize/villa#1700",
    "Writing with mode='a' put a group of v2 beside zarr.json; what was written does not show when the store is opened",
    finding=("TREE-004", "/", "in v2 alone: /new"),
    before=sees(zarr_python, lambda found: "new" not in found and "lat" in found),
    beside=("TREE-005",),
    kind="pull",
)
def both_formats_side_by_side(folder: Path) -> Path:
    _sample(folder)
    (folder / ".zgroup").write_text('{"zarr_format": 2}', "utf-8")
    array(zarr.open_group(folder, mode="r+", zarr_format=2), "new", [1.0], ["x"], fill_value=None)
    return folder


@reported(
    "zarr-developers/zarr-python#3114",
    "open_group of a store with an array at its root raises AssertionError",
    finding=("TREE-008", "/", "the root is an array"),
    before=fails(xarray, ContainsArrayError),
)
def array_without_a_group(folder: Path) -> Path:
    zarr.create_array(folder, shape=(4, 5), dtype="f8", dimension_names=["y", "x"])
    return folder


@reported(
    "pydata/xarray#10616",
    "Object at ._zarr.json is not recognized as a component of a Zarr hierarchy",
    finding=("TREE-012", "/t2m", "._zarr.json"),
    after=opens(xarray),
    by_hand=_swept,
)
def twins_of_documents(folder: Path) -> Path:
    array(group(folder), "t2m", [1.0, 2.0], ["x"])
    (folder / "t2m" / "._zarr.json").write_bytes(b"\x00\x05\x16\x07")
    return folder


@reported(
    "fsspec/kerchunk#147",
    "Coordinates and fields are all NaN: the files are not where the references say",
    finding=("TREE-020", "/", "not there", "era5.nc"),
)
def references_to_what_is_gone(folder: Path) -> Path:
    """Make references as kerchunk does; what reads them depends on the version of fsspec."""
    sample = _sample(folder / "s", 2)
    documents = {
        one.relative_to(sample).as_posix(): one.read_bytes() for one in sample.rglob(".z*")
    }
    return refer(documents, folder / "refs.json", {"lat/0": "era5.nc"})


@reported(
    "zarr-developers/zarr-python#2275",
    "KeyError in Group.__getitem__ for an array that was made at a path, in a store whose root is no group",
    finding=("TREE-001", "/", "there are nodes below it: foo"),
    before=fails(zarr_python, GroupNotFoundError),
    after=opens(zarr_python),
)
def array_at_a_path_alone(folder: Path) -> Path:
    zarr.create_array(folder / "foo", data=np.ones(4), zarr_format=2)
    return folder
