"""Names and lengths of dimensions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import zarr

from tests.field.case import fails, opens, reported, sees
from tests.field.readers import tree, xarray, zarr_python
from tests.field.stores import array, group, without


@reported(
    "pydata/xarray#9970",
    "A store that zarr-python wrote cannot be opened with xarray; the message is cryptic",
    finding=("NZ-DIM-001", "/bar", "dimension_names"),
    before=(fails(xarray, (KeyError, ValueError)), opens(zarr_python)),
    after=opens(xarray),
)
def plain_zarr(folder: Path) -> Path:
    array(group(folder), "bar", np.ones((3, 5), "f4"))
    return folder


@reported(
    "pydata/xarray#8749",
    "KeyError: '_ARRAY_DIMENSIONS' after the attribute was taken out of one variable",
    finding=("Z2-OGC-002", "/my_xda", "_ARRAY_DIMENSIONS"),
    before=fails(xarray, KeyError, "_ARRAY_DIMENSIONS"),
    after=sees(xarray, lambda ds: ds["my_xda"].dims == ("label", "z")),
)
def attribute_removed(folder: Path) -> Path:
    root = group(folder, 2)
    array(root, "label", [1, 2], ["label"], fill_value=None)
    array(root, "z", [1, 2, 3], ["z"], fill_value=None)
    array(root, "my_xda", np.ones((2, 3)), ["label", "z"], fill_value=None)
    without(folder / "my_xda" / ".zattrs", "_ARRAY_DIMENSIONS")
    return folder


@reported(
    "xarray-contrib/datatree#280",
    "Taking _ARRAY_DIMENSIONS out of .zattrs does no harm; taking it out of .zmetadata does",
    finding=("NZ-CONS-002", "/my_xda", "consolidated", "_ARRAY_DIMENSIONS"),
    before=fails(xarray, KeyError, "_ARRAY_DIMENSIONS"),
    after=opens(xarray),
    beside=("Z2-OGC-002", "NZ-DIM-001"),
)
def attribute_removed_from_the_copy(folder: Path) -> Path:
    root = group(folder, 2)
    array(root, "my_xda", np.ones((2, 3)), ["label", "z"], fill_value=None)
    zarr.consolidate_metadata(folder, zarr_format=2)
    without(folder / ".zmetadata", "metadata", "my_xda/.zattrs", "_ARRAY_DIMENSIONS")
    return folder


@reported(
    "fsspec/kerchunk#278",
    "References made by kerchunk lack _ARRAY_DIMENSIONS on the two variables of strings",
    finding=("Z2-OGC-002", "/obs_id", "_ARRAY_DIMENSIONS"),
    before=fails(xarray, KeyError, "_ARRAY_DIMENSIONS"),
    after=sees(xarray, lambda ds: ds["obs_id"].dims == ("obs",)),
)
def references_without_names(folder: Path) -> Path:
    root = group(folder, 2)
    array(root, "obs", np.arange(3), ["obs"], fill_value=None)
    array(root, "obs_id", np.array([b"a", b"b", b"c"]), fill_value=None)
    return folder


def _two_lengths(folder: Path) -> Path:
    root = group(folder)
    array(root, "time", np.arange(4), ["time"])
    array(root, "APTMP_2maboveground", np.ones((4, 2), "f4"), ["time", "latitude"])
    array(root, "APCP_surface", np.ones((3, 2), "f4"), ["time", "latitude"])
    return folder


@reported(
    "pydata/xarray#9685",
    "conflicting sizes for dimension 'time': length 122 on one variable and 121 on another",
    finding=("NZ-DIM-010", "/", "time", "APCP_surface", "3", "4"),
    before=fails(xarray, ValueError, "conflicting sizes for dimension 'time'"),
    after=sees(xarray, lambda ds: ds.sizes["time"] == 4),
)
def lengths_of_accumulated_variables(folder: Path) -> Path:
    return _two_lengths(folder)


@reported(
    "openghg/openghg#908",
    "ValueError: conflicting sizes for dimension 'time', after hourly and high-resolution footprints were put into one store",
    finding=("NZ-DIM-010", "/", "time", "fp_HiTRes"),
    before=fails(xarray, ValueError, "conflicting sizes"),
    after=sees(xarray, lambda ds: ds["fp"].shape == ds["fp_HiTRes"].shape[:1] == (3,)),
    choice=1,  # crop the longer one
)
def lengths_of_footprints(folder: Path) -> Path:
    root = group(folder)
    array(root, "time", np.arange(3), ["time"])
    array(root, "fp", np.ones(3), ["time"])
    array(root, "fp_HiTRes", np.ones((5, 2)), ["time", "H_back"])
    return folder


@reported(
    "pydata/xarray#8383",
    "A coordinate of length 0 cannot be extended: appending succeeds, and reading fails",
    finding=("NZ-DIM-010", "/", "dimension t", "foo"),
    before=fails(xarray, ValueError, "conflicting sizes for dimension 't'"),
    after=opens(xarray),
)
def extended_null_coordinate(folder: Path) -> Path:
    root = group(folder)
    root.create_array("t", shape=(0,), chunks=(1,), dtype="i8", dimension_names=["t"])
    array(root, "foo", np.zeros(1, "i8"), ["t"])
    return folder


@reported(
    "pydata/xarray#10632",
    "A tree that was written cannot be loaded again with open_datatree: a group is not aligned with its parents",
    finding=("CF-COORD-003", "/child/x", "3 values", "/x has 2", "open_datatree"),
    before=(fails(tree, ValueError, "not aligned with its parents"), opens(xarray)),
    kind="pull",
)
def coordinate_of_another_length_below(folder: Path) -> Path:
    root = group(folder)
    array(root, "x", [1, 2], ["x"])
    array(root.create_group("child"), "x", [1, 2, 3], ["x"])
    return folder


@reported(
    "source-cooperative/metadata-catalog#145",
    "A GeoZarr store whose arrays have no dimension_names does not open; spatial:dimensions has them",
    finding=("NZ-DIM-001", "/TCI", "dimension_names"),
    before=fails(xarray, KeyError, "dimension_names"),
    after=sees(xarray, lambda ds: ds["TCI"].dims == ("y", "x")),
)
def names_in_the_convention_spatial(folder: Path) -> Path:
    root = group(folder, **{"proj:code": "EPSG:32631", "spatial:dimensions": ["y", "x"]})
    array(root, "TCI", np.ones((2, 3), "u1"))
    return folder


@reported(
    "bioio-devs/bioio-ome-zarr#124",
    "ome-zarr-models: the array in this group at '0' has no dimension_names metadata",
    finding=("NZ-DIM-001", "/0", "dimension_names"),
    before=fails(xarray, KeyError, "dimension_names"),
    after=sees(xarray, lambda ds: ds["0"].dims == ("y", "x")),
)
def names_in_the_axes_of_an_image(folder: Path) -> Path:
    axes = [{"name": "y", "type": "space"}, {"name": "x", "type": "space"}]
    datasets = [{"path": "0", "coordinateTransformations": [{"type": "scale", "scale": [4, 4]}]}]
    scales = [{"axes": axes, "datasets": datasets}]
    array(group(folder, ome={"version": "0.5", "multiscales": scales}), "0", np.ones((2, 3), "u1"))
    return folder


@reported(
    "zarr-developers/zarr-specs#348",
    "Zarr object is missing the `dimension_names` metadata which is required for xarray to determine variable dimensions",
    finding=("NZ-DIM-001", "/pr", "dimension_names"),
    before=fails(xarray, KeyError, "dimension_names"),
    after=opens(xarray),
)
def parts_that_were_written_one_by_one(folder: Path) -> Path:
    array(group(folder), "pr", np.array([1.0, 2.0]))
    return folder


def _of_both_countries(source: Path) -> Any:
    """Take the covariance with one country out of a matrix, as of any other variable."""
    found = xarray(source)["covariance"].transpose("country", ...)
    if found.ndim == len(set(found.dims)):
        return found
    raise ValueError(
        "Duplicate dimension names present: dimensions {'country'} appear more than once"
    )


@reported(
    "openghg/fluxie#119",
    "Duplicate dimension names present: dimensions {'country'} appear more than once in dims=('time', 'country', 'country')",
    finding=("NZ-DIM-008", "/covariance", '"country"', "2 axes"),
    before=fails(_of_both_countries, ValueError),
)
def covariance_of_countries(folder: Path) -> Path:
    array(group(folder), "covariance", np.eye(2), ["country", "country"])
    return folder


@reported(
    "echostack-org/echopype#1447",
    "group '/Sonar/Beam_group1' is not aligned with its parents",
    finding=("CF-COORD-003", "/Beam_group1/ping_time", "2 values", "3"),
    before=fails(tree, ValueError, "not aligned with its parents"),
    kind="pull",
)
def pings_of_a_beam(folder: Path) -> Path:
    root = group(folder)
    array(root, "ping_time", np.array([1.0, 2.0, 3.0]), ["ping_time"])
    beam = root.create_group("Beam_group1")
    array(beam, "ping_time", np.array([1.0, 2.0]), ["ping_time"])
    array(beam, "backscatter_r", np.ones(2), ["ping_time"])
    return folder


@reported(
    "pydata/xarray#10766",
    "to_zarr with append_dim breaks an existing dataset: what was appended lacks one of its variables",
    finding=("NZ-DIM-010", "/", "dimension x", "a", "b"),
    before=fails(xarray, ValueError, "conflicting sizes for dimension 'x'"),
    after=opens(xarray),
)
def appended_without_one_variable(folder: Path) -> Path:
    root = group(folder)
    array(root, "a", np.array([1, 2, 3, 4]), ["x"])
    array(root, "b", np.array([10, 20]), ["x"])
    return folder


@reported(
    "EOPF-Explorer/data-model#212",
    "The levels lie below the group of the base level, and the tree does not open: a group is not aligned with its parents",
    finding=("CF-COORD-003", "/measurements", '"rows"', "/measurements/r2", "open_datatree"),
    before=(fails(tree, ValueError, "not aligned with its parents"), opens(xarray)),
    kind="pull",
)
def levels_below_the_base_level(folder: Path) -> Path:
    layout = [{"asset": "."}, {"asset": "r2", "derived_from": ".", "transform": {"scale": [2, 2]}}]
    base = group(folder).create_group(
        "measurements", attributes={"multiscales": {"layout": layout}}
    )
    for name, units in (("latitude", "degrees_north"), ("longitude", "degrees_east")):
        places = np.linspace(0, 1, 16).reshape(4, 4)
        array(base, name, places, ["rows", "columns"], units=units, fill_value=np.nan)
    array(base, "oa01", np.ones((4, 4)), ["rows", "columns"], coordinates="latitude longitude")
    array(base.create_group("r2"), "oa01", np.ones((2, 2)), ["rows", "columns"])
    return folder


@reported(
    "NCAR/MELODIES-MONET#428",
    "The files of the native grid cannot be used: grid_xt and grid_yt are dimensions, and longitudes in two dimensions",
    finding=("NZ-COORD-005", "/grid_xt", '["grid_yt", "grid_xt"]', "not a dimension coordinate"),
    before=sees(xarray, lambda ds: "grid_xt" not in ds.indexes and ds["grid_xt"].ndim == 2),
)
def longitudes_named_like_a_dimension(folder: Path) -> Path:
    root, dims = group(folder, 2), ["grid_yt", "grid_xt"]
    for name, units in (("grid_xt", "degrees_E"), ("grid_yt", "degrees_N")):
        array(root, name, np.linspace(0, 1, 6).reshape(2, 3), dims, units=units, fill_value=None)
    array(root, "o3", np.ones((2, 3)), dims, coordinates="grid_yt grid_xt", fill_value=None)
    return folder
