"""Pyramids and plates of OME-Zarr, and maps of ndpyramid."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import zarr

from tests.field.case import fails, opens, reported, sees
from tests.field.readers import xarray, zarr_python
from tests.field.stores import array, group, put, without

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


def _described(folder: Path, *levels: str, **more: object) -> Path:
    """Write an image of OME-Zarr 0.4 whose metadata list some of its three levels."""
    steps = [
        {"path": level, "coordinateTransformations": [{"type": "scale", "scale": [2.0**n] * 2}]}
        for n, level in enumerate(levels)
    ]
    scales = [{"version": "0.4", "axes": AXES, "datasets": steps, **more}]
    root = group(folder, 2, multiscales=scales)
    for level, size in (("0", 8), ("1", 4), ("2", 2)):
        made = root.create_array(
            level,
            shape=(size, size),
            chunks=(size, size),
            dtype="u1",
            compressors=None,
            fill_value=0,
            chunk_key_encoding={"name": "v2", "separator": "/"},
        )
        made[:] = 7
    return folder


def _scales(source: Path) -> dict[str, list[float]]:
    """Read the scales of the levels of an image, as viewers do that check what they read."""
    (image,) = zarr.open_group(source, mode="r").attrs["multiscales"]
    if image.get("coordinateTransformations") == []:
        raise ValueError("coordinateTransformations: [] should be non-empty")
    return {
        level["path"]: level["coordinateTransformations"][0]["scale"] for level in image["datasets"]
    }


@reported(
    "fmi-faim/faim-ipa#30",
    "napari loads the full resolution only: datasets does not list the lower ones",
    finding=("OME-IMG-010", "/", '"1", "2"', "not listed"),
    beside=("Z2-OGC-002", "NZ-NAME-001"),
    before=sees(_scales, lambda found: list(found) == ["0"]),
    after=sees(_scales, lambda found: found == {"0": [1, 1], "1": [2, 2], "2": [4, 4]}),
)
def lower_levels_not_listed(folder: Path) -> Path:
    return _described(folder, "0")


@reported(
    "fideus-labs/ngff-zarr#49",
    "An empty list of coordinateTransformations of the image does not pass the schema",
    finding=("OME-IMG-006", "/", "empty list"),
    before=fails(_scales, ValueError, "should be non-empty"),
    after=opens(_scales),
)
def empty_transformations(folder: Path) -> Path:
    return _described(folder, "0", "1", "2", coordinateTransformations=[])


def _labels(source: Path) -> list[str]:
    """Open the label images of an image, as SpatialData does."""
    held = zarr.open_group(source, mode="r")["labels"]
    attributes = held.attrs.get("ome", held.attrs)
    if "ome" in held.attrs and "version" not in attributes:
        raise ValueError("version: Field required")
    for name in attributes["labels"]:
        if held[name]["0"].dtype.kind not in "iu":
            raise TypeError(f"{name}: data type must be an integer")
    return list(attributes["labels"])


def _with_labels(folder: Path, listed: list[str], stored: list[str], dtype: str = "|u1") -> Path:
    labels = zarr.open_group(_described(folder, "0", "1", "2"), mode="r+").create_group("labels")
    labels.attrs["labels"] = listed
    for name in stored:
        _described(folder / "labels" / name, "0", "1", "2")
        for level in "012":
            put(folder / "labels" / name / level / ".zarray", dtype, "dtype")
        zarr.open_group(folder / "labels" / name, mode="r+").attrs["image-label"] = {}
    return folder


@reported(
    "scverse/spatialdata#457",
    "labels/.zattrs refers to a label that is not there, and nothing can be read",
    finding=("OME-LABEL-001", "/labels", '"cells"', "no such group"),
    before=fails(_labels, KeyError, "cells"),
    after=sees(_labels, lambda found: found == ["nuclei"]),
)
def label_that_is_not_there(folder: Path) -> Path:
    return _with_labels(folder, ["nuclei", "cells"], ["nuclei"])


@reported(
    "ome-zarr-models/ome-zarr-models-py#473",
    "Since labels are checked, a dataset whose labels are of a float type is refused",
    finding=("OME-LABEL-002", "/labels/cells/0", "float32"),
    before=fails(_labels, TypeError, "data type must be an integer"),
)
def labels_with_fractions(folder: Path) -> Path:
    return _with_labels(folder, ["cells"], ["cells"], "<f4")


@reported(
    "ome/ome-ngff-validator#66",
    'The labels group has no version below "ome", and the validator does not see it',
    finding=("OME-VER-002", "/labels", "no version"),
    before=fails(_labels, ValueError, "version"),
    after=sees(_labels, lambda found: found == []),
)
def labels_without_a_version(folder: Path) -> Path:
    group(folder).create_group("labels", attributes={"ome": {"labels": []}})
    return folder


def _wells(source: Path) -> list[tuple[int, int]]:
    """Open the wells of a plate, and return where they are."""
    root = zarr.open_group(source, mode="r")
    wells = root.attrs["plate"]["wells"]
    assert all(root[well["path"]].attrs["well"] for well in wells)
    return [(well["rowIndex"], well["columnIndex"]) for well in wells]


def _plate(folder: Path, *wells: dict[str, object]) -> Path:
    names = {"rows": [{"name": "A"}, {"name": "B"}], "columns": [{"name": "1"}, {"name": "2"}]}
    plate = {"version": "0.4", **names, "wells": list(wells)}
    well = group(folder, 2, plate=plate).create_group("B").create_group("2")
    well.attrs["well"] = {"version": "0.4", "images": [{"path": "0"}]}
    _described(folder / "B" / "2" / "0", "0", "1", "2")
    return folder


@reported(
    "fractal-analytics-platform/fractal-tasks-core#78",
    "The validator refuses the plate: wells must have rowIndex and columnIndex",
    finding=("OME-PLATE-001", "/", "rowIndex"),
    before=fails(_wells, KeyError, "rowIndex"),
    after=sees(_wells, lambda found: found == [(1, 1)]),
)
def wells_without_a_place(folder: Path) -> Path:
    return _plate(folder, {"path": "B/2"})


@reported(
    "ome/ome-zarr-py#96",
    "A plate with missing wells cannot be read",
    finding=("OME-PLATE-002", "/", '"A"'),
    before=fails(_wells, KeyError, "A/1"),
    after=sees(_wells, lambda found: found == [(1, 1)]),
)
def wells_that_are_not_there(folder: Path) -> Path:
    return _plate(
        folder,
        {"path": "A/1", "rowIndex": 0, "columnIndex": 0},
        {"path": "B/2", "rowIndex": 1, "columnIndex": 1},
    )


def _units(source: Path) -> list[str]:
    """Read the units of an image as Neuroglancer does, which takes what has no version for no image."""
    (image,) = zarr.open_group(source, mode="r").attrs["multiscales"]
    if "version" not in image:
        raise ValueError("Neither .zarray metadata nor OME multiscale metadata found")
    for axis in image["axes"]:
        if (unit := axis.get("unit", "")) in (None, "pixel", "µm"):
            raise ValueError(f'Error parsing "axes" property: Unsupported unit: "{unit}"')
    return [axis.get("unit", "") for axis in image["axes"]]


@reported(
    "fideus-labs/ngff-zarr#22",
    'Neuroglancer: Error parsing "unit" property: Unsupported unit: null',
    finding=("OME-IMG-011", "/", '"y"', "null"),
    before=fails(_units, ValueError, "Unsupported unit"),
    after=sees(_units, lambda found: found == ["", "micrometer"]),
)
def unit_that_is_null(folder: Path) -> Path:
    axes = [{**AXES[0], "unit": None}, {**AXES[1], "unit": "micrometer"}]
    return _described(folder, "0", "1", "2", axes=axes)


@reported(
    "neuroscales/nifti-zarr#12",
    "Neuroglancer: Neither .zarray metadata nor OME multiscale metadata found",
    finding=("OME-VER-002", "/", "no version", "Neuroglancer"),
    beside=("Z2-OGC-002", "NZ-NAME-001"),
    before=fails(_units, ValueError, "OME multiscale metadata"),
    after=opens(_units),
)
def image_without_a_version(folder: Path) -> Path:
    _described(folder, "0", "1", "2")
    without(folder / ".zattrs", "multiscales", 0, "version")
    return folder


@reported(
    "fideus-labs/ngff-zarr#133",
    "The scale of time is 60 at the first level, and 1.0 at the second, which has as many steps",
    finding=("OME-IMG-012", "/", '"t"', "60"),
    before=opens(zarr_python),
)
def scale_that_changes(folder: Path) -> Path:
    names = ["t", "y", "x"]
    scales = [[60.0, 0.35, 0.35], [1.0, 0.7, 0.7]]
    steps = [[{"type": "scale", "scale": scale}] for scale in scales]
    axes = [{"name": name, "type": "time" if name == "t" else "space"} for name in names]
    datasets = [{"path": str(n), "coordinateTransformations": step} for n, step in enumerate(steps)]
    image = {"version": "0.5", "multiscales": [{"axes": axes, "datasets": datasets}]}
    root = group(folder, ome=image)
    array(root, "0", np.ones((2, 8, 8), "uint8"), names)
    array(root, "1", np.ones((2, 4, 4), "uint8"), names)
    return folder


@reported(
    "glencoesoftware/bioformats2raw#288",
    'Neuroglancer: Error parsing "unit" property: Unsupported unit: "pixel"',
    finding=("OME-IMG-011", "/", '"y"', '"pixel"'),
    before=fails(_units, ValueError, "Unsupported unit"),
    after=sees(_units, lambda found: found == ["", "micrometer"]),
)
def unit_that_is_pixel(folder: Path) -> Path:
    axes = [{**AXES[0], "unit": "pixel"}, {**AXES[1], "unit": "micrometer"}]
    return _described(folder, "0", "1", "2", axes=axes)


@reported(
    "ome/ome-ngff-validator#52",
    "An image whose unit is µm, in place of micrometer, does not show in Neuroglancer",
    finding=("OME-IMG-011", "/", '"y"', '"µm"'),
    before=fails(_units, ValueError, "Unsupported unit"),
    after=sees(_units, lambda found: found == ["micrometer", "micrometer"]),
)
def unit_that_is_abbreviated(folder: Path) -> Path:
    axes = [{**AXES[0], "unit": "µm"}, {**AXES[1], "unit": "micrometer"}]
    return _described(folder, "0", "1", "2", axes=axes)


@reported(
    "ome/ngff#156",
    "WEBKNOSSOS reads no voxel size: the axes have units, and not unit",
    finding=("OME-IMG-011", "/", '"y"', "units"),
    before=sees(_units, lambda found: found == ["", "micrometer"]),
    after=sees(_units, lambda found: found == ["micrometer", "micrometer"]),
)
def unit_called_units(folder: Path) -> Path:
    axes = [{**AXES[0], "units": "micrometer"}, {**AXES[1], "unit": "micrometer"}]
    return _described(folder, "0", "1", "2", axes=axes)


@reported(
    "copick/copick#105",
    "The voxel size of a tomogram is read wrong: units are in the transformations, not in the axes",
    finding=("OME-IMG-011", "/", '"angstrom"', "transformation"),
    before=sees(_units, lambda found: found == ["", ""]),
    after=sees(_units, lambda found: found == ["angstrom", "angstrom"]),
    beside=("Z2-OGC-002",),  # of the levels that are not listed
    kind="pull",
)
def unit_in_a_transformation(folder: Path) -> Path:
    step = {"type": "scale", "scale": [7.84, 7.84], "unit": "angstrom"}
    datasets = [{"path": "0", "coordinateTransformations": [step]}]
    return _described(folder, "0", "1", "2", datasets=datasets)


def _checked_scales(source: Path) -> list[list[float]]:
    """Read the scales of levels as viewers do that check them."""
    (image,) = zarr.open_group(source, mode="r").attrs["multiscales"]
    found = [level["coordinateTransformations"][0]["scale"] for level in image["datasets"]]
    if not all(isinstance(number, float) and number for scale in found for number in scale):
        raise ValueError('Error parsing "coordinateTransformations" property')
    return found


@reported(
    "glencoesoftware/bioformats2raw#280",
    "bioformats2raw writes 0 for the scale of time, and Neuroglancer does not show the image",
    finding=("OME-IMG-006", "/", '"y"', "0.0"),
    before=fails(_checked_scales, ValueError, "Error parsing"),
    after=sees(_checked_scales, lambda found: found == [[1.0, 0.5]]),
    beside=("Z2-OGC-002",),  # of the levels that are not listed
)
def scale_of_zero(folder: Path) -> Path:
    datasets = [
        {"path": "0", "coordinateTransformations": [{"type": "scale", "scale": [0.0, 0.5]}]}
    ]
    return _described(folder, "0", "1", "2", datasets=datasets)


@reported(
    "mobie/mobie-utils-python#135",
    "Pixel sizes given as texts: each level has 8, 88, 8888, and viewers place them anywhere",
    finding=("OME-IMG-006", "/", '"y"', '"8"'),
    before=fails(_checked_scales, ValueError, "Error parsing"),
    after=sees(_checked_scales, lambda found: found == [[8.0, 8.0]]),
    beside=("Z2-OGC-002",),  # of the levels that are not listed
)
def scale_of_text(folder: Path) -> Path:
    datasets = [
        {"path": "0", "coordinateTransformations": [{"type": "scale", "scale": ["8", 8.0]}]}
    ]
    return _described(folder, "0", "1", "2", datasets=datasets)


@reported(
    "saalfeldlab/n5-ij#128",
    "BigDataViewer centres on the place of the image, and draws its pixels elsewhere: the first level alone is moved",
    finding=("OME-IMG-012", "/", '"x"', "624"),
    before=opens(zarr_python),
    beside=("Z2-OGC-002",),
)
def level_that_is_moved(folder: Path) -> Path:
    moved = {"type": "translation", "translation": [0.0, 624.0]}
    steps = [[{"type": "scale", "scale": [2.0**n] * 2}] for n in range(2)]
    datasets = [{"path": str(n), "coordinateTransformations": step} for n, step in enumerate(steps)]
    steps[0].append(moved)
    return _described(folder, "0", "1", "2", datasets=datasets)


def _types(source: Path) -> list[str]:
    """Read the data types of levels as Neuroglancer does."""
    root = zarr.open_group(source, mode="r")
    found = [str(array.dtype) for _, array in root.arrays()]
    if "float64" in found:
        raise ValueError('Error parsing "dtype" property: Unsupported numpy data type: "<f8"')
    return found


@reported(
    "chanzuckerberg/cryoet-data-portal#182",
    'Neuroglancer: Error parsing "dtype" property: Unsupported numpy data type: "<f8"',
    finding=("OME-IMG-013", "/0", "float64", "Neuroglancer"),
    before=fails(_types, ValueError, "Unsupported numpy data type"),
    beside=("Z2-OGC-002", "NZ-NAME-001", "OME-IMG-009"),
)
def image_of_float64(folder: Path) -> Path:
    steps = [{"path": "0", "coordinateTransformations": [{"type": "scale", "scale": [1.0] * 2}]}]
    root = group(folder, 2, multiscales=[{"version": "0.4", "axes": AXES, "datasets": steps}])
    array(root, "0", np.ones((4, 4)), None)
    return folder


@reported(
    "ome/ngff#325",
    "Could not determine the pattern of a plate: paths of wells have the column before the row",
    finding=("OME-PLATE-001", "/", '"1/A"', "indices"),
    before=opens(zarr_python),
)
def well_by_column_and_row(folder: Path) -> Path:
    return _plate(folder, {"path": "1/A", "rowIndex": 0, "columnIndex": 0})


@reported(
    "fractal-analytics-platform/fractal-client#112",
    "napari passes over the scale that all levels share: it has a number less than there are axes",
    finding=("OME-IMG-006", "/", "1 number for 2 axes"),
    before=opens(zarr_python),
    beside=("NZ-DIM-001",),
)
def shared_scale_of_too_few_numbers(folder: Path) -> Path:
    return _described(
        folder, "0", "1", "2", coordinateTransformations=[{"type": "scale", "scale": [0.1625]}]
    )


def _levels(source: Path) -> list[int]:
    """Read the sums of levels."""
    root = zarr.open_group(source, mode="r")
    return [int(np.asarray(array[...]).sum()) for _, array in sorted(root.arrays())]


@reported(
    "ome/napari-ome-zarr#66",
    "Everything is shown black: dimension_separator is misspelt in .zarray",
    finding=("Z2-ARR-003", "/0", "dimension_seperator", "did you mean dimension_separator"),
    before=sees(_levels, lambda found: found[0] == 0),
    after=sees(_levels, lambda found: found[0] == 7 * 64),
    beside=("OME-IMG-009", "Z2-ARR-010"),
)
def separator_that_is_misspelt(folder: Path) -> Path:
    _described(folder, "0", "1", "2")
    file = folder / "0" / ".zarray"
    file.write_text(file.read_text().replace("dimension_separator", "dimension_seperator"))
    return folder


@reported(
    "google/neuroglancer#1093",
    "Failed to auto-detect data source: multiple formats detected",
    finding=("TREE-004", "/", "info", "precomputed"),
    before=opens(zarr_python),
)
def metadata_of_another_format(folder: Path) -> Path:
    _described(folder, "0", "1", "2")
    (folder / "info").write_text('{"@type": "neuroglancer_multiscale_volume"}')
    return folder


def _image_of(source: Path) -> int:
    """Open the image of a store as ngff-zarr does: at the address that was given."""
    return len(zarr.open_group(source, mode="r").attrs["multiscales"])


@reported(
    "fideus-labs/ngff-zarr#347",
    "What bioformats2raw wrote is not an image: 'multiscales' key is missing, because it is in 0",
    finding=("OME-IMG-016", "/", '"0"', "bioformats2raw"),
    before=fails(_image_of, KeyError, "multiscales"),
    beside=("Z2-OGC-002",),
)
def image_that_is_in_0(folder: Path) -> Path:
    group(folder, 2, **{"bioformats2raw.layout": 3})
    _described(folder / "0", "0", "1", "2")
    return folder


@reported(
    "scverse/spatialdata#1136",
    "The image is refused: attributes/ome/omero/channels/label must be a string",
    finding=("OME-IMG-007", "/", "label", "must be a text"),
    before=opens(zarr_python),
    beside=("Z2-OGC-002",),
)
def channel_whose_label_is_a_number(folder: Path) -> Path:
    window = {"min": 0, "max": 255, "start": 0, "end": 255}
    channels = [{"label": 0, "color": "FFFFFF", "window": window}]
    zarr.open_group(_described(folder, "0", "1", "2"), mode="r+").attrs["omero"] = {
        "channels": channels
    }
    return folder
