"""Fixes of coordinate systems: what they cure is gone afterwards, and nothing else is wrong then."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import zarr

import nz_explorer as nz
from nz_explorer.model import Array
from nz_explorer.model.dialects.cs import LOOKED_AT
from tests.conventions.cs_documents import ARRAY, CS, REF
from tests.corpus.cases import CASES, source

FIXED = {
    "CS-GEO-001: x names latitudes and y longitudes, by their units": (
        "/pr",
        ("cs", "crs", 0, "geolocation", "geodetic", "x", "ref", "node"),
        "../lon",
    ),
    "CS-GEO-001: positions of a node by themselves, the wrong way round": (
        "/pr",
        ("geolocation", "geodetic", "y", "ref", "node"),
        "../lat",
    ),
    "REF-002: the name of a term, which is nearly spelled so": (
        "/g",
        (
            *("crs", "z", "axes", "lev", "coordinates", 0, "parametric", "terms"),
            *("a", "external", "ref", "node"),
        ),
        "../hyam",
    ),
    "REF-002: of geolocation of a group, a path from the root": (
        "/g",
        ("geolocation", "geodetic", "x", "ref", "node"),
        "lon",
    ),
    "REF-002: of geolocation of a group, a path that begins at the arrays in it": (
        "/g",
        ("geolocation", "geodetic", "x", "ref", "node"),
        "lon",
    ),
    "REF-001: a list where one reference has to be, further down": (
        "/tas",
        ("ancillary", "ref", "node"),
        "../qc",
    ),
    "REF-001: several references in one list": ("/tas", ("ancillary", 1, "ref", "node"), "../n"),
    "CS-REV-001: the type is that of other axes": ("/t", ("cs", "crs", 0, "type"), "planar"),
    "CS-REV-001: a height in a planar system": ("/t", ("cs", "crs", 0, "type"), "compound"),
    "CS-AX-003: a depth in an undefined system": ("/v", ("cs", "crs", 2, "type"), "vertical"),
    "CS-REG-001: a list of names": ("/v", ("zarr_conventions", 0, "name"), "cs"),
    "CS-ARR-009: a list of references on an array": (
        "/v",
        ("cs", "crs", 0, "ref", "node"),
        "..",
    ),
    "CS-ARR-009: a whole coordinate set called crs on an array": (
        "/v",
        ("cs", "id", "proj:code"),
        "EPSG:4326",
    ),
    "CS-AX-007: numbers that geozarr for R has no direction of": (
        "/v",
        ("cs", "crs", 0, "axes", "band", "coordinates", 0, "direction"),
        "unspecified",
    ),
    "CS-REV-003: unknown, which geozarr for R writes": (
        "/cru/tmp",
        ("cs", "crs", 0, "type"),
        "planar",
    ),
    "REF-002: a path of cs that begins at the group, in systems with a type": (
        "/cru/tmp",
        ("cs", "crs", 1, "axes", "time", "coordinates", 0, "values", "external", "ref", "node"),
        "../time",
    ),
    "REF-002: a path from the root, in systems with a type": (
        "/cru/tmp",
        ("cs", "crs", 1, "axes", "time", "coordinates", 0, "values", "external", "ref", "node"),
        "../time",
    ),
    "REF-008: a path of values that begins at the group, with axes by name and no type": (
        "/g/a",
        ("cs", "crs", 0, "axes", "time", "coordinates", 0, "values", "external", "ref", "node"),
        "../time",
    ),
    "REF-002: a path from the root in a shared system, to which an array in another group refers": (
        "/g",
        ("crs", "cal", "axes", "time", "coordinates", 0, "values", "external", "ref", "node"),
        "../../g/time",
    ),
    "REF-002: a path from the root in a shared system, to which an array two groups away refers": (
        "/g",
        ("crs", "s", "axes", "time", "coordinates", 0, "values", "external", "ref", "node"),
        "../../../g/time",
    ),
    "REF-008: a path in a shared system that leads above the root from the only array that refers to it": (
        "/g",
        ("crs", "s", "axes", "time", "coordinates", 0, "values", "external", "ref", "node"),
        "../g/time",
    ),
    "REF-003: the store itself, in a shared system to which an array two groups away refers": (
        "/g",
        ("crs", "s", "axes", "time", "coordinates", 0, "values", "external", "ref"),
        {"node": "../../../g/time"},
    ),
    "REF-002: a name that is spelled nearly so, in systems with a type": (
        "/cru/tmp",
        ("cs", "crs", 1, "axes", "time", "coordinates", 0, "values", "external", "ref", "node"),
        "../time",
    ),
    "CS-TIME-004: near miss: a date of one of the calendars that may be meant where none is given": (
        "/t",
        ("cs", "crs", 1, "axes", "time", "coordinates", 0, "time", "calendar"),
        "proleptic_gregorian",
    ),
    "REF-008: paths of values and boundaries in a shared system with a type that begin at the group": (
        "/g",
        ("crs", "s", "axes", "time", "coordinates", 0, "values", "external", "ref", "node"),
        "../time",
    ),
    "REF-008: a path in a shared system with a type, lost from an array in another group": (
        "/g",
        ("crs", "s", "axes", "time", "coordinates", 0, "values", "external", "ref", "node"),
        "../../g/time",
    ),
    "REF-008: a path in a shared system with a type, lost from arrays in a group below": (
        "/g",
        ("crs", "s", "axes", "time", "coordinates", 0, "values", "external", "ref", "node"),
        "../../time",
    ),
    "REF-002: a path in a group that leads nowhere from an array in the group beside it, which refers to the system": (
        "/g",
        ("crs", "s", "axes", "time", "coordinates", 0, "values", "external", "ref", "node"),
        "../time",
    ),
    "CS-TIME-003: none beside 30 February, which only years of 360 days have": (
        "/t",
        ("cs", "crs", 0, "axes", "t", "coordinates", 0, "time", "calendar"),
        "360_day",
    ),
    "CS-AX-005: none, of pressures": (
        "/t",
        ("cs", "crs", 0, "axes", "lev", "coordinates", 0, "direction"),
        "down",
    ),
    "CS-AX-005: none, of depths": (
        "/t",
        ("cs", "crs", 0, "axes", "depth", "coordinates", 0, "direction"),
        "down",
    ),
    "CS-AX-005: none, and the coordinates have positive, as in CF": (
        "/t",
        ("cs", "crs", 0, "axes", "z", "coordinates", 0, "direction"),
        "down",
    ),
    "CS-ID-004: an address as code": (
        "/t",
        ("cs", "crs", 0, "id", "proj:code"),
        "EPSG:4326",
    ),
    "CS-TIME-003: none, and the array of the times has one, as in CF": (
        "/t",
        ("cs", "crs", 0, "axes", "t", "coordinates", 0, "time", "calendar"),
        "noleap",
    ),
    "CS-TIME-003: it is beside the time object": (
        "/t",
        ("cs", "crs", 0, "axes", "t", "coordinates", 0, "time", "calendar"),
        "noleap",
    ),
    "CS-TIME-002: units of CF, and the calendar in the attributes of the coordinates": (
        "/t",
        ("cs", "crs", 0, "axes", "t", "coordinates", 0, "time"),
        {"unit": "days", "epoch": "1949-02-01", "calendar": "noleap"},
    ),
    "REF-002: a path in the root group that begins at its arrays, spelled nearly so": (
        "/",
        ("crs", "cal", "axes", "time", "coordinates", 0, "values", "external", "ref", "node"),
        "../time",
    ),
    "CS-TIME-002: a reference where axes are by name": (
        "/a",
        ("cs", "crs", 0, "axes", "time", "coordinates", 0, "time"),
        {"unit": "days", "epoch": "1900-01-01", "calendar": "noleap"},
    ),
    "CS-PAR-003: hc of ROMS in place of depth_c": (
        "/c",
        ("cs", "crs", 0, "axes", "y", "coordinates", 0, "parametric", "terms", "depth_c"),
        {"external": {"ref": {"node": "../hc"}}},
    ),
    "CS-TIME-002: units of CF with 30 February": (
        "/t",
        ("cs", "crs", 0, "axes", "t", "coordinates", 0, "time"),
        {"unit": "days", "epoch": "1900-02-30", "calendar": "360_day"},
    ),
    "CS-AX-003: longitudes that are written as texts": (
        "/v",
        ("cs", "crs", 0, "axes", "lon", "coordinates", 0, "values"),
        {"explicit": [0.5, 1.5, 2.5, 3.5, 4]},
    ),
    "CS-AX-003: times that are written as texts": (
        "/v",
        ("cs", "crs", 1, "axes", "time", "coordinates", 0, "values"),
        {"explicit": [0, 31, 59]},
    ),
    "CS-AX-008: pressures that increase upwards": (
        "/v",
        ("cs", "crs", 0, "axes", "level", "coordinates", 0, "direction"),
        "down",
    ),
    "CS-BND-003: the limits of the first cell themselves": (
        "/v",
        ("cs", "crs", 0, "axes", "z", "coordinates", 0, "boundaries", "regular"),
        [-0.5, 0.5],
    ),
    "CS-ATT-002: a formula and its terms beside values": (
        "/ta",
        ("cs", "crs", 0, "axes", "lev", "coordinates", 0, "parametric", "formula"),
        "atmosphere_ln_pressure_coordinate",
    ),
    "CS-REV-003: projected, which is planar here": ("/v", ("cs", "crs", 0, "type"), "planar"),
    "CS-REG-003: Crs of an array, with reference systems": (
        "/v",
        ("cs", "crs", 0, "type"),
        "planar",
    ),
    "REF-001: path in place of node": ("/g/a", ("ref",), {"node": "../b"}),
    "REF-001: a path by itself, in an attribute of its own": ("/g/a", ("ref",), {"node": "../b"}),
}
"""Of cases of the corpus: the node, where something is fixed in its attributes, and what is there afterwards."""


@pytest.mark.parametrize("name", FIXED)
def test_a_fix_leaves_nothing_new(name: str, tmp_path: Path) -> None:
    (case,) = (case for case in CASES if case["name"] == name)
    folder = source(case, tmp_path / "store")
    hierarchy = nz.open_store(folder, mode="r+")
    before = nz.check(hierarchy, select=["CS", "REF"], progress=False).findings
    (wrong,) = (one for one in before if one.rule != "CS-ID-001" and one.fix is not None)
    nz.apply([wrong], hierarchy).write()
    after = nz.check(folder, select=["CS", "REF"], progress=False)
    assert {one.rule for one in after.findings} <= {"CS-ID-001"}
    path, members, wanted = FIXED[name]
    node = nz.open_store(folder).get(path)
    assert node is not None
    value = node.attributes
    for member in members:
        value = value[member]
    assert value == wanted


def test_a_path_that_is_right_for_some_of_the_arrays_only_is_not_proposed(tmp_path: Path) -> None:
    name = "REF-002: a path from the root in a shared system, to which arrays at different depths refer"
    (case,) = (case for case in CASES if case["name"] == name)
    (wrong,) = nz.check(source(case, tmp_path), select=["REF"], progress=False).findings
    assert wrong.fix is None
    assert wrong.message.endswith("no path leads there from all of them")


@pytest.mark.parametrize(
    "name",
    [
        "CS-GRP-001: one reference system without a key, to which arrays refer",
        "CS-GRP-001: a list of reference systems, to which arrays refer by number",
    ],
)
def test_arrays_follow_a_system_that_gets_a_name(name: str, tmp_path: Path) -> None:
    (case,) = (case for case in CASES if case["name"] == name)
    hierarchy = nz.open_store(source(case, tmp_path / "store"), mode="r+")
    (wrong,) = nz.check(hierarchy, select=["CS", "REF"], progress=False).findings
    nz.apply([wrong], hierarchy).write()
    assert nz.check(tmp_path / "store", select=["CS", "REF"], progress=False).findings == []


def test_data_are_not_named_as_the_coordinates_of_data(tmp_path: Path) -> None:
    for name, length in {"rain": 2, "time": 3, "hours": 2}.items():
        group = zarr.open_group(tmp_path / "s.zarr", mode="a")
        group.create_array(name, shape=(length,), dtype="f8", dimension_names=["time"])
    values = {"external": {"ref": {"node": "../time"}}}
    when = {"time": {"unit": "hour", "epoch": "2000-01-01"}, "values": values}
    axis = {"abbreviation": "T", "coordinates": [{"direction": "future", **when}]}
    group["rain"].attrs["cs"] = {"crs": [{"type": "temporal", "axes": {"time": axis}}]}
    report = nz.check(tmp_path / "s.zarr", select=["CS-VAL-004"], progress=False)
    (wrong,) = report.findings
    assert wrong.fix is not None
    assert wrong.fix.note == "name an array of one dimension with 2 values: hours"


def test_what_is_no_array_is_not_offered_as_one_of_values(tmp_path: Path) -> None:
    name = "CS-VAL-001: a reference to values in another document"
    (case,) = (case for case in CASES if case["name"] == name)
    found = nz.check(source(case, tmp_path), select=["CS-VAL"], progress=False).findings
    assert [(one.rule, one.fix) for one in found] == [("CS-VAL-001", None)]


@pytest.mark.parametrize(
    "name",
    [
        "REF-005: a name that is nearly that of a system which the array has already",
        "REF-002: the array of a term is not there, and that of another term is called nearly so",
        "REF-002: the array of a term of a shared system is not there, and that of another term is called nearly so",
        "REF-002: the values are not there, and their limits are called nearly so",
    ],
)
def test_what_something_else_refers_to_is_not_proposed(name: str, tmp_path: Path) -> None:
    (case,) = (case for case in CASES if case["name"] == name)
    (wrong,) = nz.check(source(case, tmp_path), select=["REF"], progress=False).findings
    assert wrong.fix is None


def test_a_day_a_month_and_a_year_are_no_month_with_a_zone(tmp_path: Path) -> None:
    name = "CS-TIME-002: a day, a month and a year, with hyphens"
    (case,) = (case for case in CASES if case["name"] == name)
    (wrong,) = nz.check(source(case, tmp_path), select=["CS-TIME"], progress=False).findings
    assert wrong.message.startswith("epoch should be a date of ISO 8601")
    assert wrong.fix is None  # 1 February or 2 January


def test_an_axis_is_renamed_with_its_dimension(tmp_path: Path) -> None:
    group = zarr.open_group(tmp_path / "s.zarr", mode="w", attributes={"conventions": "NZ-1.0"})
    group.create_array("rain", shape=(2,), dtype="f8", dimension_names=["member"])
    group.create_array("wind", shape=(3,), dtype="f8", dimension_names=["member"])
    group["rain"].attrs["cs"] = {"crs": [{"type": "undefined", "axes": {"member": {}}}]}
    hierarchy = nz.open_store(tmp_path / "s.zarr", mode="r+")
    (wrong,) = nz.check(hierarchy, select=["NZ-DIM-010", "CS-ARR"], progress=False).findings
    nz.apply([wrong], hierarchy).write()
    assert (
        nz.check(tmp_path / "s.zarr", select=["NZ-DIM-010", "CS-ARR"], progress=False).findings
        == []
    )
    array = nz.open_store(tmp_path / "s.zarr").get("/rain")
    assert isinstance(array, Array)
    assert array.dimension_names == ("member_2",)
    assert array.attributes["cs"]["crs"][0]["axes"] == {"member_2": {}}


def test_all_arrays_of_a_large_store_follow_a_system_that_gets_a_name(tmp_path: Path) -> None:
    refers = {"node": "../..", "attribute": "/attributes/crs/0"}
    system = {"name": "members", "type": "undefined", "axes": {"member": {}}}
    documents: dict[str, Any] = {
        "": {"attributes": {"zarr_conventions": [CS], "crs": [system]}},
        **{f"g{i}": {} for i in range(LOOKED_AT)},
        f"g{LOOKED_AT - 1}/a": {
            **ARRAY,
            "dimension_names": ["member"],
            "attributes": {"zarr_conventions": [CS, REF], "cs": {"crs": [{"ref": refers}]}},
        },
    }
    group = {"zarr_format": 3, "node_type": "group"}
    for path, document in documents.items():
        (tmp_path / path).mkdir(exist_ok=True)
        (tmp_path / path / "zarr.json").write_text(json.dumps({**group, **document}))
    hierarchy = nz.open_store(tmp_path, mode="r+")
    (wrong,) = nz.check(hierarchy, select=["CS", "REF"], progress=False).findings
    assert wrong.rule == "CS-GRP-001"
    nz.apply([wrong], hierarchy).write()
    assert nz.check(tmp_path, select=["CS", "REF"], progress=False).findings == []


def test_a_unit_that_begins_like_one_of_time_belongs_in_no_time_object(tmp_path: Path) -> None:
    (case,) = (c for c in CASES if c["name"] == "CS-TIME-001: degrees, and no times beside them")
    (wrong,) = nz.check(source(case, tmp_path), select=["CS-TIME"], progress=False).findings
    assert wrong.message == 'axis "obs" has no time object'


def test_arrays_that_use_limits_are_found_beside_them_in_a_store_of_more_nodes_than_are_looked_at(
    tmp_path: Path,
) -> None:
    name = "CS-BND-004: limits of other cells than those of regular coordinates"
    case = next(one for one in CASES if one["name"] == name)
    folder = Path(source(case, tmp_path / "store"))
    group = (folder / "zarr.json").read_text(encoding="utf-8")
    (folder / "z").mkdir()
    for node in ("v", "time_bnds"):
        (folder / node).rename(folder / "z" / node)
    for path in ["z", *(f"g{number}" for number in range(LOOKED_AT))]:
        (folder / path).mkdir(exist_ok=True)
        (folder / path / "zarr.json").write_text(group, encoding="utf-8")
    report = nz.check(folder, conventions=["cs"], select=["CS"], values="all", progress=False)
    assert [(one.rule, one.path) for one in report.findings] == [("CS-BND-004", "/z/time_bnds")]
