"""Images that are as their format allows, or nearly, and that viewers show wrongly or not at all."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import zarr

from tests.field.case import fails, opens, reported, sees
from tests.field.readers import zarr_python
from tests.field.stores import array, edit, group, put

LIKE_BIOFORMATS = {"name": "v2", "separator": "/"}


def _image(
    parent: zarr.Group,
    *shapes: Sequence[int],
    axes: str = "yx",
    dtype: str = "u1",
    **unit: Any,
) -> None:
    """Describe an image of OME-Zarr 0.4 in a group, and write its levels."""
    levels = [
        {"type": "scale", "scale": [shapes[0][n] / shape[n] for n in range(len(axes))]}
        for shape in shapes
    ]
    parent.attrs["multiscales"] = [
        {
            "version": "0.4",
            "axes": [{"name": name, "type": "space", **unit} for name in axes],
            "datasets": [
                {"path": str(n), "coordinateTransformations": [step]}
                for n, step in enumerate(levels)
            ],
        }
    ]
    for n, shape in enumerate(shapes):
        made = parent.create_array(
            str(n),
            shape=tuple(shape),
            chunks=tuple(shape),
            dtype=dtype,
            compressors=None,
            fill_value=0,
            chunk_key_encoding=LIKE_BIOFORMATS,  # type: ignore[arg-type]
        )
        made[...] = 7


def _axes(source: Path, at: str = "") -> list[Any]:
    """Read the units of axes as Neuroglancer does: it stops at what it does not know."""
    (image,) = zarr.open_group(source / at, mode="r").attrs["multiscales"]
    units = [axis.get("unit") for axis in image["axes"]]
    for unit in units:
        if unit not in (None, "micrometer", "nanometer"):
            raise ValueError(f'Error parsing "unit" property: Unsupported unit: "{unit}"')
    return units


@reported(
    "google/neuroglancer#780",
    'Error parsing "axes" property: Error parsing "unit" property: Unsupported unit: "nm"',
    finding=("OME-IMG-011", "/", '"nm"', "Neuroglancer"),
    before=fails(_axes, ValueError, "Unsupported unit"),
    after=sees(_axes, lambda units: units == ["nanometer"] * 2),
    beside=("Z2-OGC-002",),
)
def units_that_are_short(folder: Path) -> Path:
    _image(group(folder, 2), (8, 8), unit="nanometer")
    put(folder / ".zattrs", "nm", "multiscales", 0, "axes", 1, "unit")
    return folder


def _units_of_labels(source: Path) -> list[Any]:
    return _axes(source, "labels/nuclei")


@reported(
    "scalableminds/webknossos#8544",
    "Could not extract common voxel size from layers, invalid mag: labels are in nanometer, their axes have units",
    finding=("OME-IMG-011", "/labels/nuclei", "has units", "calls it unit"),
    before=sees(_units_of_labels, lambda units: units == [None]),
    after=sees(_units_of_labels, lambda units: units == ["micrometer"]),
    beside=("Z2-OGC-002", "OME-IMG-003", "OME-IMG-004"),
)
def units_of_labels(folder: Path) -> Path:
    root = group(folder, 2)
    labels = root.create_group("labels")
    labels.attrs["labels"] = ["nuclei"]
    _image(labels.create_group("nuclei"), (8,), axes="x", dtype="u4", units="micrometer")
    put(folder / "labels" / "nuclei" / ".zattrs", {"version": "0.4"}, "image-label")
    return folder


@reported(
    "zarr-developers/zarr_implementations#45",
    "Values that should be 154, 147, 151 are read as -102, -109, -105",
    finding=("OME-IMG-017", "/0", "int8", "negative"),
    before=sees(zarr_python, lambda found: found["0"].tolist() == [[-102, -109], [-105, 109]]),
    after=sees(zarr_python, lambda found: found["0"].tolist() == [[154, 147], [151, 109]]),
    beside=("Z2-OGC-002",),
)
def bytes_with_a_sign(folder: Path) -> Path:
    root = group(folder, 2)
    _image(root, (2, 2))
    root["0"][...] = np.array([[154, 147], [151, 109]], "u1")  # type: ignore[index]
    put(folder / "0" / ".zarray", "|i1", "dtype")
    return folder


def _every_plane(source: Path) -> None:
    """Go through the planes of all levels as viewers do that count those of the first."""
    root = zarr.open_group(source, mode="r")
    (image,) = root.attrs["multiscales"]
    levels = [root[step["path"]] for step in image["datasets"]]
    for n in range(levels[0].shape[0]):
        for level, step in zip(levels, image["datasets"], strict=True):
            if n >= level.shape[0]:
                raise KeyError(f"key {step['path']}/{n}.0.0 not present")


@reported(
    "hms-dbmi/vizarr#215",
    "Error changing z-plane: the key of a chunk is not present, as levels are smaller along z, too",
    finding=("OME-IMG-018", "/", "8, 4, 2 planes along z", "vizarr"),
    before=fails(_every_plane, KeyError, "not present"),
    beside=("Z2-OGC-002",),
)
def planes_that_smaller_levels_lack(folder: Path) -> Path:
    _image(group(folder, 2), (8, 8, 8), (4, 4, 4), (2, 2, 2), axes="zyx")
    return folder


def _plate(source: Path) -> list[str]:
    """Open the image of each well as viewers do, which read the name of it in the first."""
    root = zarr.open_group(source, mode="r")
    wells = [well["path"] for well in root.attrs["plate"]["wells"]]  # type: ignore[index, call-overload]
    name = root[wells[0]].attrs["well"]["images"][0]["path"]
    return [root[f"{well}/{name}/0"].path for well in wells]


@reported(
    "hms-dbmi/vizarr#118",
    "The images of a plate are not found, as their path is not the same in each of its wells",
    finding=("OME-WELL-002", "/B/1", '"Pos_001"', 'A/1 "Pos_000"'),
    before=fails(_plate, KeyError),
    beside=("Z2-OGC-002",),
)
def wells_with_images_of_their_own(folder: Path) -> Path:
    root = group(folder, 2)
    for name, position in (("A", "Pos_000"), ("B", "Pos_001")):
        well = root.create_group(f"{name}/1")
        well.attrs["well"] = {"version": "0.4", "images": [{"path": position}]}
        _image(well.create_group(position), (8, 8))
    root.attrs["plate"] = {
        "version": "0.4",
        "columns": [{"name": "1"}],
        "rows": [{"name": "A"}, {"name": "B"}],
        "wells": [
            {"path": "A/1", "rowIndex": 0, "columnIndex": 0},
            {"path": "B/1", "rowIndex": 1, "columnIndex": 0},
        ],
    }
    return folder


def _at_the_root(source: Path) -> Any:
    """Open an image as readers do that were given its address."""
    attributes = zarr.open_group(source, mode="r").attrs
    if "multiscales" not in attributes:
        raise ValueError(f"No plugin found capable of reading {source.name!r}.")
    return attributes["multiscales"]


@reported(
    "ome/napari-ome-zarr#21",
    "ValueError: No plugin found capable of reading 'lung.zarr', which bioformats2raw wrote",
    finding=("OME-IMG-016", "/", '"0"', "bioformats2raw"),
    before=fails(_at_the_root, ValueError, "No plugin found"),
    after=opens(_at_the_root),
    by_hand=lambda source: source / "0",
    beside=("Z2-OGC-002",),
)
def lung_of_bioformats2raw(folder: Path) -> Path:
    root = group(folder, 2, **{"bioformats2raw.layout": 3})
    root.create_group("OME").attrs["series"] = ["0"]
    _image(root.create_group("0"), (8, 8))
    return folder


@reported(
    "fideus-labs/ngff-zarr#335",
    "At least one ArrayBytesCodec is required: codecs is an empty list in what was written in JavaScript",
    finding=("Z3-CODEC-001", "/0", "at least one codec"),
    before=fails(zarr_python, Exception, "ArrayBytesCodec"),
    after=sees(zarr_python, lambda found: found["0"].tolist() == [[1, 2], [3, 4]]),
    kind="pull",
)
def no_codecs_of_zarrita(folder: Path) -> Path:
    array(group(folder), "0", np.array([[1, 2], [3, 4]], "i4"), ["y", "x"])
    edit(folder / "0" / "zarr.json", lambda document: document.update(codecs=[]))
    return folder


@reported(
    "hms-dbmi/vizarr#92",
    "Error: key 1/0.0.750.0.2 not present, though the image is a legitimate one to other programs",
    finding=("OME-IMG-018", "/", "planes along z", "vizarr"),
    before=fails(_every_plane, KeyError, "not present"),
    beside=("Z2-OGC-002",),
)
def slab_that_is_smaller_along_z(folder: Path) -> Path:
    _image(group(folder, 2), (16, 8, 8), (8, 4, 4), axes="zyx")
    return folder


@reported(
    "ome/ome2024-ngff-challenge#60",
    "Group is missing multiscales specification: vizarr opens it with /0 at the end, and the validator finds nothing wrong",
    finding=("OME-IMG-016", "/", '"0"', "bioformats2raw"),
    before=fails(_at_the_root, ValueError),
    after=opens(_at_the_root),
    by_hand=lambda source: source / "0",
    beside=("Z2-OGC-002",),
)
def image_below_the_address(folder: Path) -> Path:
    root = group(folder, 2, **{"bioformats2raw.layout": 3})
    root.create_group("OME").attrs["series"] = ["0"]
    _image(root.create_group("0"), (8, 8))
    return folder


@reported(
    "fractal-analytics-platform/fractal-tasks-core#578",
    "napari: StopIteration in split_channels, where channels have a label, and neither a color nor a window",
    finding=("OME-IMG-007", "/", "color of channel 0"),
    beside=("Z2-OGC-002",),
)
def channels_without_a_color(folder: Path) -> Path:
    root = group(folder, 2)
    _image(root, (1, 8, 8), axes="cyx")
    root.attrs["omero"] = {"channels": [{"label": "1", "wavelength_id": "1"}]}
    return folder


@reported(
    "napari/napari#8814",
    "Slices are misaligned or jump, as levels of lower resolution have fewer planes along z",
    finding=("OME-IMG-018", "/", "8, 4 planes along z"),
    before=fails(_every_plane, KeyError),
    beside=("Z2-OGC-002",),
)
def fewer_planes_in_each_level(folder: Path) -> Path:
    _image(group(folder, 2), (8, 8, 8), (4, 4, 4), axes="zyx")
    return folder


@reported(
    "hms-dbmi/vizarr#265",
    'Labels are not loaded if the "omero" block is missing',
    finding=("OME-LABEL-001", "/", "no omero", "vizarr"),
    beside=("Z2-OGC-002", "OME-IMG-003", "OME-IMG-004", "OME-LABEL-002"),
)
def labels_of_an_image_without_omero(folder: Path) -> Path:
    root = group(folder, 2)
    _image(root, (8, 8))
    labels = root.create_group("labels")
    labels.attrs["labels"] = ["nuclei"]
    _image(labels.create_group("nuclei"), (8, 8), dtype="u4")
    put(folder / "labels" / "nuclei" / ".zattrs", {"version": "0.4"}, "image-label")
    return folder


@reported(
    "ome/ome-zarr-py#231",
    "ome_zarr download writes chunks with dots in their names, also of images of version 0.4",
    finding=("OME-IMG-009", "/0", "keys such as 0.0"),
    beside=("Z2-OGC-002",),
)
def chunks_that_were_downloaded(folder: Path) -> Path:
    _image(group(folder, 2), (8, 8))
    options = {"chunks": (4, 4), "zarr_format": 2, "overwrite": True}
    zarr.create_array(folder / "0", data=np.ones((8, 8), "u1"), **options)
    return folder


@reported(
    "ome/ome-zarr-py#248",
    "The names of fields and of arrays are hard-coded in the reader of plates",
    finding=("OME-WELL-002", "/A/2", '"fov3"', '"fov0"'),
    beside=("Z2-OGC-002", "NZ-DIM-001"),
)
def fields_of_other_names(folder: Path) -> Path:
    wells = [{"path": f"A/{n}", "rowIndex": 0, "columnIndex": n - 1} for n in (1, 2)]
    plate = {"version": "0.4", "rows": [{"name": "A"}], "columns": [{"name": "1"}, {"name": "2"}]}
    row = group(folder, 2, plate={**plate, "wells": wells}).create_group("A")
    for name, field in (("1", "fov0"), ("2", "fov3")):
        images = {"version": "0.4", "images": [{"path": field}]}
        well = row.create_group(name, attributes={"well": images})
        _image(well.create_group(field), (4, 4), unit="micrometer")
    return folder


@reported(
    "ome/napari-ome-zarr#73",
    "coordinateTransformations of multiscales are not supported, only those of the first dataset are read",
    finding=("OME-IMG-015", "/", "for all levels together"),
    beside=("Z2-OGC-002", "NZ-DIM-001"),
)
def one_scale_for_all_levels(folder: Path) -> Path:
    root = group(folder, 2)
    _image(root, (4, 4), (2, 2), unit="micrometer")
    scale = [{"type": "scale", "scale": [0.5, 0.5]}]
    put(folder / ".zattrs", scale, "multiscales", 0, "coordinateTransformations")
    return folder


@reported(
    "ome/napari-ome-zarr#50",
    "The output is all zeros, and the view black, for an image with the axes y and x",
    finding=("OME-IMG-009", "/0", "zeros"),
    before=sees(zarr_python, lambda found: bool((found["0"] == 7).all())),
    beside=("Z2-OGC-002", "NZ-DIM-001"),
)
def chunks_without_folders_are_black(folder: Path) -> Path:
    root = group(folder, 2)
    _image(root, (4, 4), unit="micrometer")
    (folder / "0" / "0" / "0").rename(folder / "0" / "0.0")
    (folder / "0" / "0").rmdir()
    put(folder / "0" / ".zarray", ".", "dimension_separator")
    return folder
