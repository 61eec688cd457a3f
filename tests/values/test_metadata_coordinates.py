"""Coordinates that metadata describe: the examples of the cs convention's README, and what else it offers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr
import zarr

import nz_explorer as nz
from nz_explorer.model import Array
from nz_explorer.model.dialects.multiscales import levels
from nz_explorer.values.coordinates.axes import axis_coordinates
from nz_explorer.values.coordinates.curvilinear import find_curvilinear
from nz_explorer.values.coordinates.label_lookup import nearest
from nz_explorer.values.coordinates.metadata_coordinates import metadata_coordinates
from nz_explorer.values.points import Points
from nz_explorer.values.to_xarray import LeftOut, to_xarray
from nz_explorer.widget.requests.dimensions import table

CMO = [
    {
        "schema_url": f"https://raw.githubusercontent.com/R-CF/zarr_convention_{name}/main/schema.json",
        "name": name,
    }
    for name in ("cs", "ref")
]
LON = {
    "name": "lon",
    "abbreviation": "X",
    "direction": "east",
    "coordinates": [
        {
            "unit": "degrees",
            "values": {"regular": [0.625, 1.25]},
            "boundaries": {"regular": [-0.625, 0.625]},
        }
    ],
}
LAT = {
    "name": "lat",
    "abbreviation": "Y",
    "direction": "north",
    "coordinates": [
        {
            "unit": "degrees",
            "values": {"regular": [-89.5, 1]},
            "boundaries": {"regular": [-0.5, 0.5]},
        }
    ],
}
HEIGHT = {
    "name": "height",
    "abbreviation": "Z",
    "direction": "up",
    "coordinates": [{"unit": "meter", "values": {"explicit": [2]}}],
}


def _time(
    values: dict[str, Any], reference: str = "days since 1850-01-01", **more: Any
) -> dict[str, Any]:
    calendar = more.pop("calendar", "noleap")
    one = {"time": {"reference": reference, "calendar": calendar}, "values": values, **more}
    return {"name": "time", "abbreviation": "T", "direction": "future", "coordinates": [one]}


def _write(
    group: zarr.Group, name: str, shape: tuple[int, ...], names: list[str], crs: list[Any]
) -> None:
    group.create_array(
        name,
        shape=shape,
        chunks=tuple(max(1, n // 4) for n in shape),
        dtype="f4",
        dimension_names=names,
        attributes={"zarr_conventions": CMO, "cs": {"crs": crs}},
    )


def _array(folder: Path, path: str) -> Array:
    found = nz.open_store(folder)[path]
    assert isinstance(found, Array)
    return found


def _along(array: Array, axis: int) -> Any:
    length = (array.shape or ())[axis]
    return axis_coordinates(array, Points(axis, 0, 1, length, length))


@pytest.fixture
def daily(tmp_path: Path) -> Path:
    """Daily data of a climate model: all coordinates in the metadata, the height outside of the shape."""
    group = zarr.open_group(tmp_path, mode="w")
    time = _time({"regular": [27895.5, 1]}, boundaries={"regular": [-0.5, 0.5]})
    crs = [
        {"name": "WGS84", "axes": [LON, LAT], "id": {"proj:code": "EPSG:4326"}},
        {"axes": [time]},
        {"axes": [HEIGHT]},
    ]
    _write(group, "tasmin", (8605, 180, 288), ["time", "lat", "lon"], crs)
    return tmp_path


def test_daily_data_of_a_climate_model(daily: Path) -> None:
    array = _array(daily, "/tasmin")
    time, lat, lon = (_along(array, axis) for axis in range(3))
    assert (time.kind, time.labels[0], time.labels[-1]) == (
        "time",
        "1926-06-05 12:00",
        "1949-12-31 12:00",
    )
    assert (lat.coordinates[0], lat.coordinates[-1], lat.units) == (-89.5, 89.5, "degrees")
    assert (lon.coordinates[0], lon.coordinates[-1]) == (0.625, 359.375)
    days = ("1930-02-28", "1930-03-01", "1930-03-1", "1930-02-28 12:00")
    last, first, again, noon = (nearest(array, 0, day)[0] for day in days)
    assert last == first - 1
    assert again - noon in (0, 1)
    (height,) = [one for one in metadata_coordinates(array) if one.axis is None]
    assert (height.name, height.explicit, height.attributes) == ("height", [2], {"units": "meter"})


def test_the_code_of_a_combination_goes_before_those_of_its_parts(daily: Path) -> None:
    array = zarr.open_group(daily, mode="r+")["tasmin"]
    given = dict(array.attrs)["cs"]
    array.attrs["cs"] = {**given, "id": {"proj:code": "EPSG:9518"}}
    shown = {one.name: one.details for one in metadata_coordinates(_array(daily, "/tasmin"))}
    assert shown["lat"] == "axis Y, north, cells from −0.5 to +0.5, in WGS84 of EPSG:9518"
    assert shown["height"] == "axis Z, up, in EPSG:9518"


def test_a_number_without_a_unit_has_none_behind_it(tmp_path: Path) -> None:
    group = zarr.open_group(tmp_path, mode="w")
    row = {"name": "y", "coordinates": [{"unit": "1", "values": {"regular": [0, 1]}}]}
    _write(group, "a", (4,), ["y"], [{"axes": [row]}])
    (found,) = metadata_coordinates(_array(tmp_path, "/a"))
    assert found.ends() == "0 … 3"


def test_they_are_in_xarray(daily: Path) -> None:
    found = to_xarray(nz.open_store(daily)["/tasmin"])
    assert isinstance(found, xr.DataArray)
    assert found.dims == ("time", "lat", "lon")
    assert found.indexes["time"][0].isoformat() == "1926-06-05T12:00:00"
    assert found.indexes["time"].calendar == "noleap"  # type: ignore[attr-defined]
    assert float(found.coords["height"]) == 2
    assert found.coords["height"].dims == ()
    dataset = to_xarray(nz.open_store(daily).root)
    assert isinstance(dataset, xr.Dataset)
    np.testing.assert_allclose(dataset["lon_bnds"][0], [0, 1.25])
    np.testing.assert_allclose(dataset["lat_bnds"][-1], [89, 90])
    assert float(found.sel(lat=10.2, lon=20, method="nearest").coords["lat"]) == 10.5


def test_they_are_in_the_table_of_dimensions(daily: Path) -> None:
    array = _array(daily, "/tasmin")
    rows, uses = table([array], [array], lambda _array: None)
    assert [(row.name, row.first, row.last, row.step) for row in rows] == [
        ("time", "27895.5", "36499.5", "1"),
        ("lat", "-89.5", "89.5", "1"),
        ("lon", "0.625", "359.375", "1.25"),
        ("height", "2", "2", None),
    ]
    assert rows[0].units == "days since 1850-01-01 (noleap)"
    assert "outside of the shape" in rows[3].why
    assert "axis Z, up" in rows[3].why
    assert uses[3] == ["/tasmin"]


def test_monthly_data_with_times_in_an_array(tmp_path: Path) -> None:
    group = zarr.open_group(tmp_path, mode="w")
    middle = np.array([15.5, 45.0, 74.5])
    group.create_array("time", data=middle, dimension_names=["time"])
    bounds = np.array([[0.0, 31, 59], [31, 59, 90]])
    group.create_array("time_bnds", data=bounds, dimension_names=["edge", "time"])
    time = _time({"external": {"node": "time"}}, boundaries={"external": {"node": "time_bnds"}})
    _write(
        group, "ts", (3, 180, 288), ["time", "lat", "lon"], [{"axes": [LON, LAT]}, {"axes": [time]}]
    )
    array = _array(tmp_path, "/ts")
    along = _along(array, 0)
    assert along.labels == ["1850-01-16 12:00", "1850-02-15 00:00", "1850-03-16 12:00"]
    assert along.path == "/time"
    found = to_xarray(array)
    assert found.indexes["time"].calendar == "noleap"  # type: ignore[union-attr]
    dataset = to_xarray(nz.open_store(tmp_path).root)
    assert dataset["time_bnds"].shape in ((3, 2), (2, 3))  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("node", "path"),
    [("../time", "/g/time"), ("../../time", "/time"), ("time", "/g/time"), ("/time", "/time")],
)
def test_a_path_begins_at_the_array_that_refers(node: str, path: str, tmp_path: Path) -> None:
    root = zarr.open_group(tmp_path, mode="w")
    group = root.create_group("g")
    root.create_array("time", data=np.array([0.0, 1]), dimension_names=["time"])
    group.create_array("time", data=np.array([10.0, 11]), dimension_names=["time"])
    time = _time({"external": {"ref": {"node": node}}})
    _write(
        group, "ts", (2, 180, 288), ["time", "lat", "lon"], [{"axes": [LON, LAT]}, {"axes": [time]}]
    )
    assert _along(_array(tmp_path, "/g/ts"), 0).path == path


def test_systems_shared_by_the_arrays_of_a_group(tmp_path: Path) -> None:
    root = zarr.open_group(tmp_path, mode="w")
    lon = {**LON, "coordinates": [{"unit": "degrees", "values": {"regular": [-179.75, 0.5]}}]}
    lat = {**LAT, "coordinates": [{"unit": "degrees", "values": {"regular": [-89.75, 0.5]}}]}
    time = _time({"external": {"node": "time"}}, "days since 1900-01-01", calendar="standard")
    shared = {"WGS84": {"axes": [lon, lat]}, "standard_calendar": {"axes": [time]}}
    group = root.create_group("cru", attributes={"zarr_conventions": CMO, "crs": shared})
    group.create_array("time", data=np.array([380, 410]), dimension_names=["time"])
    references = [
        {"node": "..", "attribute": f"/attributes/crs/{key}"}
        for key in ("WGS84", "standard_calendar")
    ]
    for name in ("tmp", "stn"):
        _write(group, name, (2, 360, 720), ["time", "lat", "lon"], references)
    for path in ("/cru/tmp", "/cru/stn"):
        array = _array(tmp_path, path)
        assert _along(array, 0).labels == ["1901-01-16", "1901-02-15"]
        assert _along(array, 1).coordinates[-1] == 89.75
        assert _along(array, 2).coordinates[0] == -179.75


def test_a_shared_system_is_followed_from_each_array_that_refers_to_it(tmp_path: Path) -> None:
    when = {"time": {"unit": "day", "epoch": "1900-01-01", "calendar": "standard"}}
    values = {"external": {"ref": {"node": "../time"}}}
    axis = {
        "abbreviation": "T",
        "coordinates": [{"direction": "future", "values": values, **when}],
    }
    shared = {"calendar": {"type": "temporal", "axes": {"time": axis}}}
    root = zarr.open_group(tmp_path, mode="w", attributes={"zarr_conventions": CMO, "crs": shared})
    reference = {"ref": {"node": "../..", "attribute": "/attributes/crs/calendar"}}
    for name, day in {"g": 0, "h": 31}.items():
        group = root.create_group(name)
        group.create_array("time", data=np.array([day, day + 1]), dimension_names=["time"])
        _write(group, "ts", (2,), ["time"], [reference])
    assert _along(_array(tmp_path, "/g/ts"), 0).labels == ["1900-01-01", "1900-01-02"]
    assert _along(_array(tmp_path, "/h/ts"), 0).labels == ["1900-02-01", "1900-02-02"]


def test_regions_with_names_and_a_time_of_length_one(tmp_path: Path) -> None:
    group = zarr.open_group(tmp_path, mode="w")
    regions = ["Anglian", "Argyll", "Clyde"]
    region = {
        "name": "geo_region",
        "coordinates": [
            {"values": {"explicit": regions}},
            {
                "name": "code",
                "values": {"explicit": [7, 1, 3]},
                "unit": "1",
                "direction": "unspecified",
            },
        ],
    }
    time = _time(
        {"explicit": [1678608]},
        "hours since 1800-01-01",
        calendar="standard",
        boundaries={"regular": [-4344, 258624]},
    )
    _write(group, "sun", (1, 3), ["time", "geo_region"], [{"axes": [region]}, {"axes": [time]}])
    array = _array(tmp_path, "/sun")
    along = _along(array, 1)
    assert (along.kind, along.labels) == ("category", regions)
    assert _along(array, 0).labels == ["1991-07-01"]
    found = to_xarray(array)
    assert found.sel(geo_region="Clyde").shape == (1,)  # type: ignore[union-attr]
    assert found.coords["geo_region_code"].values.tolist() == [7, 1, 3]  # type: ignore[union-attr]


def test_a_rotated_grid_with_geolocation(tmp_path: Path) -> None:
    group = zarr.open_group(tmp_path, mode="w")
    lat, lon = np.meshgrid([50.0, 51], [5.0, 6, 7], indexing="ij")
    for name, values in (("lat", lat + 0.1 * lon), ("lon", lon - 0.1 * lat)):
        group.create_array(name, data=values, dimension_names=["rlat", "rlon"])
    axes = [
        {
            **axis,
            "name": name,
            "coordinates": [{"unit": "degrees", "values": {"regular": [-2, 0.11]}}],
        }
        for axis, name in ((LON, "rlon"), (LAT, "rlat"))
    ]
    geodetic = {"x": {"node": "lon"}, "y": {"node": "lat"}, "crs": {"proj:code": "EPSG:4326"}}
    crs = [{"axes": axes, "geolocation": {"geodetic": geodetic}}]
    _write(group, "pr", (2, 3), ["rlat", "rlon"], crs)
    array = _array(tmp_path, "/pr")
    assert _along(array, 1).coordinates.tolist() == pytest.approx([-2, -1.89, -1.78])
    found = find_curvilinear(array, (0, 1))
    assert found is not None
    assert [node.path for node in found] == ["/lon", "/lat"]


def test_a_later_revision_says_the_same(daily: Path, tmp_path: Path) -> None:
    file = daily / "tasmin" / "zarr.json"
    document = json.loads(file.read_text())
    for crs in document["attributes"]["cs"]["crs"]:
        axes = {}
        for axis in crs["axes"]:
            direction, name = axis.pop("direction"), axis.pop("name")
            for one in axis["coordinates"]:
                one["direction"] = direction
                if "time" in one:
                    one["time"] = {"unit": "d", "epoch": "1850-01-01", "calendar": "noleap"}
            axes[name] = axis
        crs["axes"] = axes
    first = to_xarray(nz.open_store(daily)["/tasmin"])
    file.write_text(json.dumps(document))
    later = to_xarray(nz.open_store(daily)["/tasmin"])
    xr.testing.assert_identical(
        first.coords.to_dataset().drop_vars("time_bnds", errors="ignore").drop_attrs(),
        later.coords.to_dataset().drop_vars("time_bnds", errors="ignore").drop_attrs(),
    )


@pytest.mark.parametrize(
    "crs",
    [
        [{"node": "nowhere", "attribute": "/attributes/crs/a"}],
        [{"node": "a", "attribute": "/attributes/cs/crs/0"}],
        [{"axes": [{"name": "x", "coordinates": [{"values": {"explicit": [1]}}]}]}],
        [{"axes": [{"name": "x", "coordinates": [{"values": {"external": {"node": "/a"}}}]}]}],
        [{"axes": 3}],
        "x",
        [None, {"axes": {"x": None}}],
    ],
)
def test_what_is_wrong_hides_nothing(crs: Any, tmp_path: Path) -> None:
    group = zarr.open_group(tmp_path, mode="w")
    _write(group, "a", (2, 3), ["y", "x"], crs)
    array = _array(tmp_path, "/a")
    assert [one for one in metadata_coordinates(array) if one.axis is not None] == []
    assert _along(array, 1).kind == "index"
    assert to_xarray(array).shape == (2, 3)


# --- grids with an origin and a spacing ---------------------------------------------------------


@pytest.mark.parametrize("given", ["300000 10 0 4500000 0 -10", [300000, 10, 0, 4500000, 0, -10]])
def test_geotransform_of_a_grid_mapping(given: Any, tmp_path: Path) -> None:
    group = zarr.open_group(tmp_path, mode="w")
    mapping = {"spatial_ref": 'PROJCRS["x",ID["EPSG",32633]]', "GeoTransform": given}
    group.create_array("crs", shape=(), dtype="i4", attributes=mapping)
    attributes = {"grid_mapping": "crs"}
    group.create_array(
        "b", shape=(2, 3), dtype="u1", dimension_names=["y", "x"], attributes=attributes
    )
    array = _array(tmp_path, "/b")
    assert _along(array, 0).coordinates.tolist() == [4499995, 4499985]
    assert _along(array, 1).coordinates.tolist() == [300005, 300015, 300025]
    assert _along(array, 1).path == "/crs"
    found = to_xarray(array)
    assert float(found.sel(x=300016, y=4499990, method="nearest").x) == 300015  # type: ignore[union-attr]


@pytest.mark.parametrize(("registration", "first"), [("pixel", 5.0), ("node", 0.0)])
def test_transform_of_the_spatial_convention(
    registration: str, first: float, tmp_path: Path
) -> None:
    group = zarr.open_group(tmp_path, mode="w")
    attributes = {
        "spatial:dimensions": ["r", "c"],
        "spatial:transform": [10, 0, 0, 0, -10, 100],
        "spatial:registration": registration,
    }
    group.create_group("g", attributes=attributes).create_array(
        "b", shape=(2, 3), dtype="u1", dimension_names=["r", "c"]
    )
    array = _array(tmp_path, "/g/b")
    assert _along(array, 1).coordinates.tolist() == [first, first + 10, first + 20]
    assert _along(array, 0).coordinates.tolist() == [100 - first, 90 - first]


@pytest.mark.parametrize(
    ("handed", "middles"),
    [
        ({"spatial:registration": "node"}, [0, 10, 20]),
        ({"spatial:registration": "pixel"}, [5, 15, 25]),
        ({"spatial:transform_type": "rpc"}, None),
    ],
)
def test_an_array_has_the_registration_of_its_group(
    handed: dict[str, str], middles: list[float] | None, tmp_path: Path
) -> None:
    attributes = {"spatial:dimensions": ["r", "c"], **handed}
    zarr.open_group(tmp_path, mode="w", attributes=attributes).create_array(
        "b",
        shape=(2, 3),
        dtype="u1",
        dimension_names=["r", "c"],
        attributes={"spatial:transform": [10, 0, 0, 0, -10, 100]},
    )
    found = _along(_array(tmp_path, "/b"), 1).coordinates
    assert (None if found is None else found.tolist()) == middles


def test_levels_of_a_pyramid_have_transforms_of_their_own(tmp_path: Path) -> None:
    levels = [
        {"asset": "whole"},
        {"asset": "half", "derived_from": "whole", "spatial:transform": [20, 0, 0, 0, -20, 100]},
        {"asset": "third", "derived_from": "whole"},
    ]
    attributes = {
        "spatial:dimensions": ["r", "c"],
        "spatial:transform": [10, 0, 0, 0, -10, 100],
        "multiscales": {"layout": levels},
    }
    group = zarr.open_group(tmp_path, mode="w", attributes=attributes)
    for name in ("whole", "half", "third"):
        group.create_array(name, shape=(2, 2), dtype="u1", dimension_names=["r", "c"])
    assert _along(_array(tmp_path, "/whole"), 1).coordinates.tolist() == [5, 15]
    assert _along(_array(tmp_path, "/half"), 1).coordinates.tolist() == [10, 30]
    assert _along(_array(tmp_path, "/third"), 1).coordinates is None


@pytest.mark.parametrize("given", [["r"], [["r"], ["c"]], ["r", None], "rc"])
def test_dimensions_that_are_no_names_are_passed_over(given: Any, tmp_path: Path) -> None:
    attributes = {"spatial:dimensions": given, "spatial:transform": [10, 0, 0, 0, -10, 100]}
    zarr.open_group(tmp_path, mode="w").create_array(
        "b", shape=(2, 3), dtype="u1", dimension_names=["r", "c"], attributes=attributes
    )
    assert _along(_array(tmp_path, "/b"), 1).coordinates is None


def test_an_array_of_coordinates_goes_before_a_transform(tmp_path: Path) -> None:
    attributes = {"spatial:transform": [10, 0, 0, 0, -10, 100]}
    group = zarr.open_group(tmp_path, mode="w", attributes=attributes)
    group.create_array("x", data=np.array([1.0, 2, 4]), dimension_names=["x"])
    group.create_array("b", shape=(2, 3), dtype="u1", dimension_names=["y", "x"])
    array = _array(tmp_path, "/b")
    assert _along(array, 1).coordinates.tolist() == [1, 2, 4]
    assert _along(array, 0).coordinates.tolist() == [95, 85]


def test_a_dimension_of_a_group_above(tmp_path: Path) -> None:
    """GeoZarr draft 8.1.2: a name with a slash is that of the nearest group above with such a dimension."""
    root = zarr.open_group(tmp_path, mode="w")
    root.create_array("x", data=np.array([1.0, 2, 4]), dimension_names=["x"])
    group = root.create_group("g")
    group.create_array("x", data=np.array([1.0, 2]), dimension_names=["x"])
    group.create_group("h").create_array(
        "b", shape=(2, 3), dtype="u1", dimension_names=["/y", "/x"]
    )
    array = _array(tmp_path, "/g/h/b")
    assert _along(array, 1).path == "/x"
    assert _along(array, 1).coordinates.tolist() == [1, 2, 4]
    assert "no group above has an array y" in _along(array, 0).why


@pytest.mark.parametrize(
    "given",
    [
        {"tile_matrix_set": {"tileMatrices": [{"id": "0"}, {"id": "1"}, {"id": "9"}]}},
        {"layout": [{"asset": "0"}, {"asset": "1", "derived_from": "0"}, {"asset": "9"}]},
    ],
)
def test_the_levels_of_a_pyramid(given: dict[str, Any], tmp_path: Path) -> None:
    group = zarr.open_group(tmp_path, mode="w", attributes={"multiscales": given})
    for name, length in (("0", 8), ("1", 4)):
        group.create_group(name).create_array("b", shape=(length, length), dtype="u1")
    found = levels(nz.open_store(tmp_path).root)  # type: ignore[arg-type]
    assert [(level.name, level.path, level.arrays) for level in found] == [
        ("0", "/0", {"b": (8, 8)}),
        ("1", "/1", {"b": (4, 4)}),
    ]


def test_coordinates_of_any_length_are_left_out_and_said(tmp_path: Path) -> None:
    group = zarr.open_group(tmp_path, mode="w")
    row = {"name": "y", "coordinates": [{"unit": "m", "values": {"regular": [0, 1]}}]}
    _write(group, "a", (2**40,), ["y"], [{"axes": [row]}])
    with pytest.warns(LeftOut, match=r"/a is left out: it has 8\S* TiB, more than the limit of"):
        beside = to_xarray(nz.open_store(tmp_path).root)
    for found in (beside, to_xarray(_array(tmp_path, "/a"))):
        assert found.sizes == {"y": 2**40}
        assert "y" not in found.coords


def test_a_coordinate_without_a_name_is_no_mistake(tmp_path: Path) -> None:
    group = zarr.open_group(tmp_path, mode="w")
    row = {"coordinates": [{"unit": "m", "values": {"regular": [0, 1]}}]}
    _write(group, "a", (4,), ["y"], [{"axes": [row]}])
    assert [one.name for one in metadata_coordinates(_array(tmp_path, "/a"))] == [""]
    assert to_xarray(_array(tmp_path, "/a")).sizes == {"y": 4}
