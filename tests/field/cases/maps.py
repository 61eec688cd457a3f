"""Maps that programs show upside down, or refuse."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr
import zarr

from tests.field.case import fails, opens, reported, sees
from tests.field.readers import xarray
from tests.field.stores import array, edit, group


def _map(folder: Path, y: list[float], order: str = "yx") -> Path:
    root = group(folder)
    crs = {
        "grid_mapping_name": "lambert_conformal_conic",
        "standard_parallel": [63.3, 63.3],
        "latitude_of_projection_origin": 63.3,
        "longitude_of_central_meridian": 15.0,
    }
    meaning = {"y": "projection_y_coordinate", "x": "projection_x_coordinate"}
    for name, values in (("y", y), ("x", [0.0, 2500.0, 5000.0])):
        array(root, name, values, [name], standard_name=meaning[name], units="m")
    array(root, "crs", np.int32(0), [], **crs)
    shape = [{"y": len(y), "x": 3}[name] for name in order]
    values = np.arange(6.0).reshape(shape)
    array(root, "air", values, list(order), grid_mapping="crs")
    return folder


def _again(store: Path, change: str) -> Path:
    """Write a store again as the finding advises."""
    with xr.open_zarr(store, consolidated=False) as ds:
        loaded = ds.load().drop_encoding()
    changed = (
        loaded.sortby("y", ascending=False) if change == "sort" else loaded.transpose(..., "y", "x")
    )
    other = store.with_name(store.name + "-again")
    changed.to_zarr(other, consolidated=False)
    return other


@reported(
    "pydata/xarray#8742",
    "The y axis is reversed after to_zarr(): gdalbuildvrt does not support positive NS resolution",
    finding=("CF-MAP-002", "/y", "southernmost"),
    before=sees(xarray, lambda ds: ds["y"].values[0] < ds["y"].values[1]),
    after=sees(xarray, lambda ds: ds["y"].values[0] > ds["y"].values[1]),
    by_hand=lambda store: _again(store, "sort"),
)
def rows_from_the_south(folder: Path) -> Path:
    return _map(folder, [0.0, 2500.0])


@reported(
    "OSGeo/gdal#11041",
    "The y axis is reversed in stores of xarray and gdalmdimtranslate, and not in those of gdal_translate",
    finding=("CF-MAP-002", "/y", "southernmost"),
    before=sees(xarray, lambda ds: ds["y"].values[0] < ds["y"].values[1]),
    after=sees(xarray, lambda ds: ds["y"].values[0] > ds["y"].values[1]),
    by_hand=lambda store: _again(store, "sort"),
)
def rows_of_gdalmdimtranslate(folder: Path) -> Path:
    return _map(folder, [-1333767.875, -1331267.875])


@reported(
    "developmentseed/titiler-multidim#8",
    "A public dataset has the order time, lon, lat, and cannot be reprojected: the order must be lat, lon",
    finding=("CF-MAP-001", "/air", '"x" before "y"'),
    before=opens(xarray),
    after=sees(xarray, lambda ds: ds["air"].dims == ("y", "x")),
    by_hand=lambda store: _again(store, "transpose"),
)
def columns_before_rows(folder: Path) -> Path:
    return _map(folder, [2500.0, 0.0], "xy")


@reported(
    "hytest-org/hytest#145",
    "x and y have a misspelled standard_name, and software that needs the projection does not find them",
    finding=("CF-ATTR-003", "/x", "projection_x_coordinate"),
    before=sees(xarray, lambda ds: ds["x"].attrs["standard_name"] == "projecton_x_coordinate"),
    after=sees(xarray, lambda ds: ds["x"].attrs["standard_name"] == "projection_x_coordinate"),
)
def misspelled_standard_name(folder: Path) -> Path:
    store = _map(folder, [2500.0, 0.0])
    edit(
        store / "x" / "zarr.json",
        lambda given: given["attributes"].update(standard_name="projecton_x_coordinate"),
    )
    return store


@reported(
    "mercator-ocean/copernicus-marine-toolbox#32",
    "Depths go from 0 to 4000 and have positive: up",
    finding=("CF-ATTR-003", "/depth", 'positive "up" contradicts the standard name depth'),
    before=sees(xarray, lambda ds: ds["depth"].attrs["positive"] == "up"),
    after=sees(xarray, lambda ds: ds["depth"].attrs["positive"] == "down"),
    kind="pull",
)
def depths_that_grow_upwards(folder: Path) -> Path:
    root = group(folder)
    meaning = {"standard_name": "depth", "units": "m", "positive": "up", "axis": "Z"}
    array(root, "depth", [0.5, 10.0, 4000.0], ["depth"], **meaning)
    array(root, "thetao", [20.0, 18.0, 2.0], ["depth"], units="degrees_C")
    return folder


@reported(
    "carbonplan/zarr-layer#88",
    "A map is drawn as diagonal streaks: spatial:dimensions has the dimensions in another order than the array",
    finding=("ZCF-SPATIAL-001", "/", "take rows for columns"),
    before=sees(xarray, lambda ds: ds.attrs["spatial:dimensions"] == ["x", "y"]),
    after=sees(
        xarray,
        lambda ds: ds.attrs["spatial:shape"] == [ds.sizes[d] for d in ("y", "x")],
    ),
)
def rows_taken_for_columns(folder: Path) -> Path:
    store = _map(folder, [2500.0, 0.0])
    grid = {"spatial:dimensions": ["x", "y"], "spatial:shape": [3, 2]}
    edit(store / "zarr.json", lambda given: given["attributes"].update(grid))
    return store


@reported(
    "EOPF-Sample-Service/GDAL-ZARR-EOPF#186",
    "The GeoTransform has pixels of no size: x and y have two dimensions and hold -1000000 and -5000000 everywhere",
    finding=("CF-COORD-004", "/x", "all 6 values are -1000000"),
    before=sees(xarray, lambda ds: ds["x"].min() == ds["x"].max()),
    values="all",
)
def coordinates_of_one_value(folder: Path) -> Path:
    root = group(folder)
    for name, value in (("x", -1e6), ("y", -5e6)):
        array(root, name, np.full((2, 3), value), ["rows", "columns"], units="m")
    array(root, "lst", np.ones((2, 3)), ["rows", "columns"], units="K")
    return folder


def _grid(
    folder: Path,
    x: list[float],
    names: str = "yx",
    units: bool = True,
    y: tuple[float, ...] = (50.0, 49.5),
    **attributes: str,
) -> Path:
    """Write a map with a reference system of latitude and longitude."""
    root = group(folder)
    meaning = [("latitude", "degrees_north"), ("longitude", "degrees_east")]
    for name, values, (standard_name, unit) in zip(names, (y, x), meaning, strict=True):
        about = {"standard_name": standard_name, "units": unit} if units else {}
        array(root, name, values, [name], **about)
    array(root, "spatial_ref", np.int32(0), [], grid_mapping_name="latitude_longitude")
    attributes = {"grid_mapping": "spatial_ref", **attributes}
    array(root, "air", np.ones((len(y), len(x))), list(names), **attributes)
    return folder


def _around_greenwich(store: Path) -> Path:
    with xr.open_zarr(store, consolidated=False) as ds:
        loaded = ds.load().drop_encoding()
    other = store.with_name(store.name + "-again")
    changed = loaded.assign_coords(x=(loaded.x + 180) % 360 - 180).sortby("x")
    changed.to_zarr(other, consolidated=False)
    return other


@reported(
    "cogeotiff/rio-tiler#718",
    "TileOutsideBounds: tiles of a dataset from 200 to 330 degrees East are said to be out of bounds",
    finding=("CF-MAP-003", "/x", "330", "180"),
    before=sees(xarray, lambda ds: float(ds["x"].max()) == 330),
    after=sees(xarray, lambda ds: float(ds["x"].max()) < 0),
    by_hand=_around_greenwich,
)
def longitudes_beyond_180(folder: Path) -> Path:
    return _grid(folder, [200.0, 265.0, 330.0])


@reported(
    "xcube-dev/xcube#706",
    "xcube finds no grid mapping: the reference system is geographic, and its coordinates are called x and y",
    finding=("CF-MAP-004", "/air", '"y" and "x"'),
    before=opens(xarray),
)
def degrees_called_x_and_y(folder: Path) -> Path:
    return _grid(folder, [10.0, 10.5, 11.0], units=False)


@reported(
    "corteva/rioxarray#510",
    "MissingSpatialDimensionError: x dimension (x) not found",
    finding=("CF-MAP-004", "/air", '"r" and "c"', "rioxarray"),
    before=opens(xarray),
)
def names_that_rioxarray_does_not_know(folder: Path) -> Path:
    return _grid(folder, [10.0, 10.5, 11.0], "rc", units=False)


@reported(
    "opengeos/GeoLibre#2452",
    "ArcGIS Zarr currently requires regularly spaced spatial coordinates",
    finding=("CF-MAP-005", "/x", "evenly spaced"),
    before=opens(xarray),
    kind="pull",
)
def columns_that_grow_wider(folder: Path) -> Path:
    return _grid(folder, [10.0, 10.5, 11.5])


def _without_a_system(folder: Path, **attributes: str) -> Path:
    root = group(folder, **attributes)
    meaning = {"y": "projection_y_coordinate", "x": "projection_x_coordinate"}
    for name, values in (("y", [4500015.0, 4499985.0]), ("x", [600015.0, 600045.0, 600075.0])):
        array(root, name, values, [name], standard_name=meaning[name], units="m")
    array(root, "b02", np.ones((2, 3)), ["y", "x"])
    return folder


@reported(
    "EOPF-Explorer/data-model#46",
    "TiTiler takes EPSG:4326 where ds.rio.crs is None, and metres of UTM for degrees: Invalid bounds",
    finding=("CF-REF-006", "/b02", "projection"),
    before=sees(xarray, lambda ds: "grid_mapping" not in ds["b02"].encoding),
    kind="pull",
)
def metres_of_no_projection(folder: Path) -> Path:
    return _without_a_system(folder)


@reported(
    "xcube-dev/xcube#944",
    "ValueError: cannot find any grid mapping in dataset, although crs says epsg:32654",
    finding=("CF-REF-006", "/b02", '"epsg:32654"'),
    before=sees(xarray, lambda ds: ds.attrs["crs"] == "epsg:32654"),
)
def system_in_an_attribute_of_the_group(folder: Path) -> Path:
    return _without_a_system(folder, crs="epsg:32654")


def _sides(source: Path) -> str:
    """Look for the latitude as a server does that goes by units."""
    return str(xarray(source)["lat"].attrs["units"])


@reported(
    "geopython/pygeoapi#1538",
    "KeyError: 'units': the coordinates lon and lat have no units, and their properties cannot be told",
    finding=("CF-MAP-006", "/lat", "neither units nor a standard name"),
    before=fails(_sides, KeyError, "units"),
    after=sees(_sides, lambda units: units == "degrees_north"),
)
def coordinates_without_units(folder: Path) -> Path:
    root = group(folder)
    for name, values in (("lat", [0.0, 1.0]), ("lon", [5.0, 6.0])):
        array(root, name, values, [name])
    array(root, "tas", np.ones((2, 2)), ["lat", "lon"])
    return folder


def _tiled(folder: Path, *sides: int, dtype: str = "i4") -> Path:
    """Write a pyramid as ndpyramid does, with months beside the maps."""
    steps = [{"path": str(n), "pixels_per_tile": 4, "crs": "EPSG:3857"} for n in range(len(sides))]
    root = group(folder, 2, multiscales=[{"datasets": steps, "type": "reduce"}])
    for n, side in enumerate(sides):
        level = root.create_group(str(n))
        array(level, "month", np.arange(1, 3, dtype=dtype), ["month"], fill_value=None)
        array(level, "tavg", np.ones((2, side, side)), ["month", "y", "x"], fill_value=np.nan)
    return folder


def _in_a_browser(source: Path) -> None:
    """Open a pyramid as carbonplan/maps does: its tiles by the number of the level, its arrays with zarr-js."""
    root = zarr.open_group(source, mode="r")
    for n in range(2):
        assert root[f"{n}/tavg"].shape[-1] == 4 * 2**n, "the map is not drawn"  # type: ignore[union-attr]
        if root[f"{n}/month"].dtype.itemsize == 8:  # type: ignore[union-attr]
            raise TypeError("Dtype not supported: <i8")


@reported(
    "carbonplan/maps#54",
    "The dataset of a country does not load: the extent of the input must be global",
    finding=("CF-MAP-007", "/", "6 × 6 pixels", "8 × 8"),
    after=opens(_in_a_browser),
    by_hand=lambda source: _tiled(source.with_name("again"), 4, 8),
)
def tiles_of_a_country(folder: Path) -> Path:
    return _tiled(folder, 4, 6)


@reported(
    "carbonplan/ndpyramid#87",
    "Coordinates must be int32: the zarr-js client does not support the dtype <i8",
    finding=("CF-MAP-007", "/0/month", "int64", "zarr-js"),
    before=fails(_in_a_browser, TypeError, "not supported"),
    after=opens(_in_a_browser),
    by_hand=lambda source: _tiled(source.with_name("again"), 4, 8),
)
def months_of_64_bits(folder: Path) -> Path:
    return _tiled(folder, 4, 8, dtype="i8")


@reported(
    "corteva/rioxarray#739",
    "rio.transform() is not the transform that was written: its step is, and its origin is that of the coordinates",
    finding=("CF-MAP-008", "/x", "step of 5", "0.5"),
    before=opens(xarray),
    after=sees(xarray, lambda ds: "0.5" in ds["spatial_ref"].attrs["GeoTransform"].split()),
)
def transform_of_another_grid(folder: Path) -> Path:
    store = _grid(folder, [10.0, 10.5, 11.0])
    given = {"GeoTransform": "100.5 5.0 0.0 50.25 0.0 -0.5"}
    edit(store / "spatial_ref" / "zarr.json", lambda made: made["attributes"].update(given))
    return store


def _without_poles(store: Path) -> Path:
    with xr.open_zarr(store, consolidated=False) as ds:
        loaded = ds.load().drop_encoding()
    other = store.with_name(store.name + "-again")
    loaded.isel(y=(abs(loaded.y) < 90).values).to_zarr(other, consolidated=False)
    return other


@reported(
    "corteva/rioxarray#645",
    "Bounds go to -90.25 and -180.3125, and latitudes from -90 to 90",
    finding=("CF-MAP-003", "/y", "105 degrees", "poles"),
    before=sees(xarray, lambda ds: float(ds["y"].max()) == 90),
    after=sees(xarray, lambda ds: ds["y"].values.tolist() == [60, 30, 0, -30, -60]),
    by_hand=_without_poles,
)
def cells_beyond_the_poles(folder: Path) -> Path:
    return _grid(folder, [-120.0, 0.0, 120.0], y=(90.0, 60.0, 30.0, 0.0, -30.0, -60.0, -90.0))


@reported(
    "hytest-org/hytest#144",
    "x and y lack standard_name and long_name: software that needs the projection will have problems",
    finding=("CF-MAP-004", "/T2", '"y" and "x"', "a projection"),
    before=sees(xarray, lambda ds: "standard_name" not in ds["x"].attrs),
)
def coordinates_of_a_projection_without_names(folder: Path) -> Path:
    root = group(folder)
    for name, values in (("y", [4000.0, 0.0]), ("x", [0.0, 4000.0, 8000.0])):
        array(root, name, values, [name], units="m")
    array(root, "crs", np.int32(0), [], grid_mapping_name="lambert_conformal_conic")
    array(root, "T2", np.ones((2, 3)), ["y", "x"], grid_mapping="crs")
    return folder


@reported(
    "xpublish-community/xpublish#175",
    "Coordinates of two dimensions, lat_rho and lon_rho, are lost: no array names them",
    finding=("CF-REF-005", "/lat_rho", "coordinates"),
    before=sees(xarray, lambda ds: "lat_rho" in ds.data_vars),
    after=sees(xarray, lambda ds: {"lat_rho", "lon_rho"} <= set(ds.coords)),
)
def coordinates_that_nothing_names(folder: Path) -> Path:
    root = group(folder)
    meaning = {"lat_rho": ("latitude", "degree_north"), "lon_rho": ("longitude", "degree_east")}
    for name, (standard_name, units) in meaning.items():
        given = {"standard_name": standard_name, "units": units}
        array(root, name, np.arange(6.0).reshape(2, 3), ["eta_rho", "xi_rho"], **given)
    array(root, "temp", np.ones((2, 3)), ["eta_rho", "xi_rho"], units="Celsius")
    return folder


def _crs_of_gdal(source: Path) -> Any:
    """Return the reference system as GDAL looks for it: by a member of the object _CRS."""
    given = zarr.open_group(source, mode="r")["band"].attrs.get("_CRS")
    return next((given[key] for key in ("url", "wkt", "projjson") if key in given), None)


@reported(
    "zarr-developers/geozarr-spec#36",
    "_CRS is not picked up: GDAL looks for a key url, wkt or projjson in it, and its value is the WKT itself",
    finding=("Z2-OGC-007", "/band", "_CRS must be an object", "wkt"),
    before=sees(_crs_of_gdal, lambda found: found is None),
    beside=("Z2-OGC-002",),
)
def wkt_without_its_key(folder: Path) -> Path:
    values = np.array([[1.0, 2.0], [3.0, 4.0]])
    array(group(folder, 2), "band", values, ["y", "x"], fill_value=None, _CRS=WKT_OF_UTM)
    return folder


WKT_OF_UTM = 'PROJCS["WGS 84 / UTM zone 10N",GEOGCS["WGS 84"]]'


@reported(
    "developmentseed/titiler#1193",
    "Coordinates are encoded from 0 to 360 instead of -180 to 180, and the origin is at Greenwich, not at the dateline",
    finding=("CF-MAP-003", "/x", "180"),
    before=sees(xarray, lambda ds: float(ds["x"].max()) > 180),
    after=sees(xarray, lambda ds: float(ds["x"].min()) < 0),
    by_hand=_around_greenwich,
)
def origin_at_greenwich(folder: Path) -> Path:
    return _grid(folder, [0.0, 90.0, 180.0, 270.0])


@reported(
    "zarr-developers/VirtualiZarr#189",
    "Coordinates of more than one dimension are returned as data variables: lon_rho and lat_rho of ROMS",
    finding=("CF-REF-005", "/lat_rho", "no array names them in coordinates"),
    before=sees(xarray, lambda ds: "lat_rho" in ds.data_vars),
)
def grid_of_roms(folder: Path) -> Path:
    root = group(folder)
    dims = ["eta_rho", "xi_rho"]
    for name, values, unit in (
        ("lon_rho", [[1.0, 2.0], [1.0, 2.0]], "degree_east"),
        ("lat_rho", [[1.0, 1.0], [2.0, 2.0]], "degree_north"),
    ):
        array(root, name, values, dims, units=unit)
    array(root, "zeta", np.ones((2, 2)), dims)
    return folder


@reported(
    "nasa-jpl/its_live_production#3",
    "The data cube copies the mapping of its first granule, so that GeoTransform has the wrong origin",
    finding=("CF-MAP-008", "/x", "GeoTransform of /mapping", "400060"),
    after=opens(xarray),
    beside=("Z2-OGC-010", "Z2-FV-006", "Z2-FV-009"),
)
def mapping_of_the_first_granule(folder: Path) -> Path:
    root = group(folder, 2)
    for name, values in (("x", [450060.0, 450180.0]), ("y", [4449940.0, 4449820.0])):
        said = {"standard_name": f"projection_{name}_coordinate", "units": "m"}
        array(root, name, values, [name], fill_value=None, **said)
    transform = "400000 120 0 4500000 0 -120"
    array(root, "mapping", np.int8(0), [], fill_value=None, GeoTransform=transform, crs_wkt="…")
    speed = np.ones((2, 2), "f4")
    array(root, "v", speed, ["y", "x"], grid_mapping="mapping", fill_value=np.nan)
    return folder


@reported(
    "developmentseed/titiler-cmr#34",
    "XarrayReader produces upside down images for some datasets with the xarray backend",
    finding=("CF-MAP-002", "/lat", "north"),
)
def granule_from_the_south(folder: Path) -> Path:
    root = group(folder)
    array(root, "lat", [-10.0, 0.0, 10.0], ["lat"], units="degrees_north", fill_value=-1.0)
    array(root, "lon", [0.0, 10.0], ["lon"], units="degrees_east", fill_value=-1.0)
    array(root, "spatial_ref", np.int64(0), [], grid_mapping_name="latitude_longitude")
    rain = np.ones((3, 2), "f4")
    array(root, "rain", rain, ["lat", "lon"], grid_mapping="spatial_ref", fill_value=np.nan)
    return folder


@reported(
    "pydata/xarray#2250",
    "ValueError for NaN coordinate values when a map is plotted: grids have none where data are not collected",
    finding=("CF-COORD-004", "/gridlon_0", "2 of the 6 values", "pcolormesh"),
    before=sees(xarray, lambda ds: bool(np.isnan(ds["gridlon_0"]).any())),
    values="all",
)
def places_that_are_missing(folder: Path) -> Path:
    root = group(folder)
    lon = np.array([[np.nan, np.nan, 202.0], [200.0, 201.0, 202.0]])
    array(root, "gridlon_0", lon, ["y", "x"], units="degrees_east", fill_value=np.nan)
    humidity = np.ones((2, 3), "f4")
    array(root, "RH", humidity, ["y", "x"], coordinates="gridlon_0", fill_value=np.nan)
    return folder
