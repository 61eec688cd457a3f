"""Attributes that name arrays which are not there, or that are lost, and elements that have lost a part."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tests.field.case import fails, opens, reported, sees
from tests.field.readers import xarray, zarr_python
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


def _without_grid_mapping(folder: Path, name: str) -> Path:
    root = group(folder)
    for axis, values in (("y", [2.0, 1.0, 0.0]), ("x", [0.0, 1.0, 2.0])):
        array(root, axis, values, [axis])
    array(root, name, np.ones((3, 3)), ["y", "x"])
    array(root, "spatial_ref", np.int64(0), [], crs_wkt='GEOGCS["WGS 84"]')
    return folder


@reported(
    "pydata/xarray#6288",
    "After to_zarr and open_zarr da.rio.crs is None",
    finding=("CF-REF-004", "/spatial_ref", "no array names it", "rioxarray"),
    before=sees(xarray, lambda ds: "grid_mapping" not in ds["var"].attrs),
    after=sees(xarray, lambda ds: ds["var"].attrs["grid_mapping"] == "spatial_ref"),
)
def reference_system_not_preserved(folder: Path) -> Path:
    return _without_grid_mapping(folder, "var")


@reported(
    "cmosig/sentle#58",
    "The crs attribute is not picked up by rioxarray (ds.rio.crs)",
    finding=("CF-REF-004", "/spatial_ref", "no array names it"),
    before=sees(xarray, lambda ds: "grid_mapping" not in ds["sentle"].attrs),
    after=sees(xarray, lambda ds: ds["sentle"].attrs["grid_mapping"] == "spatial_ref"),
)
def reference_system_not_picked_up(folder: Path) -> Path:
    return _without_grid_mapping(folder, "sentle")


@reported(
    "zarr-developers/VirtualiZarr#574",
    "Almost all coordinates are data variables after the dataset was written to Icechunk",
    finding=("CF-REF-005", "/lat", "/lon", "no array names them"),
    before=sees(xarray, lambda ds: not ds.coords),
    after=sees(xarray, lambda ds: set(ds.coords) == {"lat", "lon"}),
)
def coordinates_that_became_data(folder: Path) -> Path:
    root = group(folder)
    array(root, "lat", np.ones((2, 2)), ["y", "x"], units="degrees_north")
    array(root, "lon", np.ones((2, 2)), ["y", "x"], units="degrees_east")
    array(root, "t", np.ones((2, 2)), ["y", "x"])
    array(root, "u", np.ones((1, 2, 2)), ["z", "y", "x"])
    return folder


def _columns(source: Path) -> list[str]:
    """Read the columns of a table, as anndata does."""
    import zarr

    obs = zarr.open_group(source, mode="r")["obs"]
    return [str(obs[name].name) for name in obs.attrs["column-order"]]


@reported(
    "scverse/anndata#621",
    "KeyError: object 'Geistlinger_Tumor_stage' doesn't exist, which is a column of obs",
    finding=("TREE-018", "/obs", '"Geistlinger_Tumor_stage"', "anndata"),
    before=fails(_columns, KeyError, "Geistlinger"),
)
def column_that_is_not_there(folder: Path) -> Path:
    table = {"encoding-type": "dataframe", "_index": "index"}
    obs = group(folder).create_group("obs", attributes=table)
    obs.attrs["column-order"] = ["stage", "Geistlinger_Tumor_stage"]
    for name in ("index", "stage"):
        array(obs, name, np.array([0, 1], "i1"), ["cell"])
    return folder


def _is_table(source: Path) -> bool:
    """Find out what an element is as anndata does."""
    import zarr

    return bool(zarr.open_group(source, mode="r")["tables/t"].attrs["encoding-type"] == "anndata")


@reported(
    "scverse/spatialdata#1183",
    "Tables have lost encoding-type and encoding-version, and anndata.io.read_elem does not know them",
    finding=("TREE-018", "/tables/t", "encoding-type"),
    before=fails(_is_table, KeyError, "encoding-type"),
    after=opens(_is_table),
)
def table_without_its_type(folder: Path) -> Path:
    tables = group(folder).create_group("tables")
    tables.create_group("t", attributes={"spatialdata-encoding-type": "ngff:regions_table"})
    return folder


def _linked(folder: Path, source: str, path: str) -> Path:
    root = group(folder, 2, neurodata_type="NWBFile")
    link = {"name": "rois", "source": source, "path": path}
    root.create_group("ophys").create_group("dff").attrs["zarr_link"] = [link]
    array(root["ophys"].create_group("corrected"), "rois", [1, 2], ["i"], fill_value=None)
    return folder


@reported(
    "hdmf-dev/hdmf-zarr#304",
    "KeyError for a link that was written with the path /rois, where no such array is",
    finding=("TREE-019", "/ophys/dff", '"rois"', "/rois"),
    before=opens(zarr_python),
    after=sees(zarr_python, lambda found: "ophys/corrected/rois" in found),
)
def link_to_nowhere(folder: Path) -> Path:
    return _linked(folder, ".", "/rois")


@reported(
    "hdmf-dev/hdmf-zarr#44",
    "A bad link after the file was downloaded: it has the path of the machine that wrote it",
    finding=("TREE-019", "/ophys/dff", "absolute path", "/data/raw.nwb.zarr"),
    before=opens(zarr_python),
    beside=("NZ-DECL-001",),
)
def link_to_another_machine(folder: Path) -> Path:
    return _linked(folder, "/data/raw.nwb.zarr", "/general/electrodes")


def _shapes(folder: Path, **attributes: object) -> Path:
    root = group(folder, 2)
    root.create_group("shapes").create_group("cells").attrs.update(
        {"encoding-type": "ngff:shapes", "axes": ["x", "y"], **attributes}
    )
    return folder


@reported(
    "scverse/spatialdata#484",
    "KeyError in read_zarr: the metadata of the shapes have no spatialdata_attrs",
    finding=("TREE-018", "/shapes/cells", "without spatialdata_attrs"),
    before=opens(zarr_python),
)
def shapes_without_version(folder: Path) -> Path:
    return _shapes(folder)


@reported(
    "scverse/spatialdata#684",
    "sd.read_zarr gives KeyError: 'coords'",
    finding=("TREE-018", "/shapes/cells", '"coords"'),
    before=opens(zarr_python),
    after=opens(zarr_python),
)
def shapes_without_coords(folder: Path) -> Path:
    return _shapes(folder, spatialdata_attrs={"version": "0.1", "geos": {"name": "POINT"}})


@reported(
    "pydata/xarray#6085",
    "The coordinates of a variable in an inner group are missing: they are in the group above",
    finding=("CF-REF-001", "/DETAILED/amf", "/latitude", "each group by itself"),
    before=(
        opens(xarray),
        sees(lambda path: xarray(path / "DETAILED"), lambda ds: "latitude" not in ds.variables),
    ),
)
def coordinates_in_the_group_above(folder: Path) -> Path:
    root = group(folder)
    array(root, "latitude", np.ones((2, 2)), ["y", "x"], units="degrees_north")
    inner = group(folder / "DETAILED")
    array(inner, "amf", np.ones((2, 2)), ["y", "x"], coordinates="latitude")
    return folder


def _index(source: Path) -> list[str]:
    """Read the index of a table, as viewers do that know arrays of strings alone."""
    import zarr

    var = zarr.open_group(source, mode="r")["var"]
    index = var[str(var.attrs["_index"])]
    if not isinstance(index, zarr.Array):
        raise TypeError("Expected a zarr array at var/_index, but found a group.")
    return [str(name) for name in index[:]]


@reported(
    "vitessce/vitessce#2585",
    "Expected a zarr array at tables/dense_table/var/_index, but found a group",
    finding=("TREE-021", "/var/_index", "nullable-string-array", "Vitessce"),
    before=(fails(_index, TypeError, "found a group"), opens(zarr_python)),
)
def index_of_nullable_strings(folder: Path) -> Path:
    table = {"encoding-type": "dataframe", "_index": "_index", "column-order": []}
    var = group(folder).create_group("var", attributes=table)
    kind = {"encoding-type": "nullable-string-array", "encoding-version": "0.1.0"}
    index = var.create_group("_index", attributes=kind)
    for name, values in (("values", [1, 2]), ("mask", [0, 0])):
        array(index, name, np.array(values, "i1"), ["gene"])
    return folder


@reported(
    "NCAR/wrf-python#11",
    "getvar fails, as variables name the coordinate XTIME, which is not in the file",
    finding=("CF-REF-001", "/T2", '"XTIME"', "no array"),
    before=sees(xarray, lambda ds: "XTIME" not in ds["T2"].coords),
    after=sees(xarray, lambda ds: set(ds["T2"].coords) == {"XLAT", "XLONG"}),
)
def time_that_was_removed(folder: Path) -> Path:
    root, dims = group(folder, 2), ["Time", "south_north", "west_east"]
    places = np.linspace(40, 41, 6).reshape(1, 2, 3)
    for name, units in (("XLAT", "degree_north"), ("XLONG", "degree_east")):
        array(root, name, places, dims, units=units, fill_value=None)
    values = np.ones((1, 2, 3), "f4")
    array(root, "T2", values, dims, coordinates="XLONG XLAT XTIME", fill_value=None)
    return folder


@reported(
    "NOAA-PMEL/Ferret#1996",
    "Latitude and longitude are variables that are not associated to the temperature, and are read as numbers",
    finding=("CF-REF-005", "/latitude", "/longitude", "no array names them"),
    before=sees(xarray, lambda ds: not set(ds["tos"].coords)),
    after=sees(xarray, lambda ds: set(ds["tos"].coords) == {"latitude", "longitude"}),
)
def places_that_nothing_names(folder: Path) -> Path:
    root, dims = group(folder, 2), ["j", "i"]
    for name, units in (("latitude", "degrees_north"), ("longitude", "degrees_east")):
        places = np.linspace(0, 1, 6).reshape(2, 3)
        array(root, name, places, dims, units=units, standard_name=name, fill_value=None)
    array(root, "tos", np.ones((2, 3)), dims, units="degC", fill_value=None)
    return folder


@reported(
    "BioVisionCenter/ngio#151",
    "No read method registered for IOSpec(encoding_type='null'): an older anndata reads the table, and stops at raw",
    finding=("TREE-021", "/raw", "null", "0.12"),
    before=opens(zarr_python),
)
def raw_that_is_null(folder: Path) -> Path:
    root = group(folder, **{"encoding-type": "anndata", "encoding-version": "0.1.0"})
    kind = {"encoding-type": "null", "encoding-version": "0.1.0"}
    root.create_array("raw", shape=(), dtype="f8", attributes=kind)[...] = 0
    return folder
