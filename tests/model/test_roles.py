"""Roles, dimension tables and attribute types."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest
import zarr

from nz_explorer.conventions import rules
from nz_explorer.model import (
    Array,
    Group,
    classify,
    dimension_table,
    nz_type,
    open_store,
    references,
)


@dataclass(frozen=True)
class Values:
    result: str
    note: str = "because"
    first: float | None = None
    last: float | None = None


def arrays(store: Path, group: str) -> dict[str, Array]:
    hierarchy = open_store(store)
    node = hierarchy[group]
    hierarchy.children(node)
    assert isinstance(node, Group)
    return {array.name: array for array in node.arrays}


@pytest.mark.parametrize(
    ("result", "role", "answers", "direction"),
    [
        (None, "candidate", (True, None, None), None),
        ("increasing", "coordinate", (True, True, True), "increasing"),
        ("decreasing", "coordinate", (True, True, True), "decreasing"),
        ("trivial", "coordinate", (True, True, True), None),
        ("not", "data", (True, None, False), None),
        ("missing", "data", (True, False, None), None),
        ("unordered", "candidate", (None, None, None), None),
        ("unreadable", "candidate", (True, None, None), None),
    ],
)
def test_a_coordinate_is_one_by_its_values(
    sample_store: Path,
    result: str | None,
    role: str,
    answers: tuple[bool | None, ...],
    direction: str | None,
) -> None:
    lat = arrays(sample_store, "/forecast")["lat"]
    result = classify(lat, Values(result) if result else None)
    assert (result.role, result.direction) == (role, direction)
    assert tuple(test.passed for test in result.tests)[:5] == (True, True, *answers)


def test_each_test_says_what_it_was_answered_from_and_which_rule_asks(sample_store: Path) -> None:
    forecast = arrays(sample_store, "/forecast")
    rising = classify(forecast["lat"], Values("increasing", "4 values", -90.0, 90.0))
    assert "shape [73]" in rising.tests[0].detail
    assert "it is called lat, its dimension is called lat" in rising.tests[1].detail
    assert rising.tests[4].detail == "4 values, from -90.0 to 90.0"
    broken = classify(forecast["lat"], Values("not", "value[3] = 1.0 after value[2] = 2.0"))
    assert (broken.tests[4].detail, broken.tests[4].rule) == (
        "value[3] = 1.0 after value[2] = 2.0",
        "NZ-COORD-002",
    )
    data = classify(forecast["u_wind"])
    assert [test.passed for test in data.tests] == [False, False, None, None, None, False]
    assert all(test.rule in rules() for r in (rising, broken, data) for test in r.tests)


def test_scalars_auxiliary_coordinates_and_data(sample_store: Path) -> None:
    ocean = arrays(sample_store, "/ocean")
    named = references(ocean.values())
    roles = {name: classify(array, None, named.get(name, ())).role for name, array in ocean.items()}
    assert roles["latitude"] == roles["longitude"] == "auxiliary"
    assert roles["sea_surface_temperature"] == "data"
    assert classify(arrays(sample_store, "/forecast")["height"]).role == "scalar"


def test_arrays_that_reference_systems_of_cs_refer_to_are_auxiliary(tmp_path: Path) -> None:
    """Also those of a system that the group keeps; what another store or an attribute has is no array of the group."""
    axis = {
        "coordinates": [
            {
                "values": {"external": {"ref": {"node": "../level"}}},
                "boundaries": {"external": {"ref": {"node": "../level_bounds"}}},
            }
        ]
    }
    geolocation = {
        "geodetic": {
            "x": {"ref": {"node": "lon2"}},
            "y": {"ref": {"node": "x", "uri": "https://e.org/lat2"}},
        }
    }
    store = zarr.open_group(
        tmp_path, mode="w", attributes={"crs": {"p": {"axes": {}, "geolocation": geolocation}}}
    )
    data = store.create_array("data", shape=(3,), dtype="f4", dimension_names=["z"])
    data.attrs["cs"] = {
        "crs": [{"axes": {"z": axis}}, {"ref": {"node": "..", "attribute": "/attributes/crs/p"}}]
    }
    for name in ("level", "level_bounds", "lon2", "lat2"):
        store.create_array(name, shape=(3,), dtype="f4", dimension_names=["z"])
    children = arrays(tmp_path, "/")
    group = next(iter(children.values())).hierarchy["/"]
    assert isinstance(group, Group)
    named = references(children.values(), group)
    roles = {name: classify(array, None, named.get(name, ())) for name, array in children.items()}
    assert {name: result.role for name, result in roles.items()} == {
        "data": "data",
        "lat2": "data",
        "level": "auxiliary",
        "level_bounds": "auxiliary",
        "lon2": "auxiliary",
    }
    assert roles["level"].tests[-1].test == "another array names it (cs)"
    assert roles["level"].tests[-1].detail == "cs of data"


def test_the_dimension_table_names_conflicts_and_candidates(broken_store: Path) -> None:
    table = {d.name: d for d in dimension_table(arrays(broken_store, "/forecast").values())}
    assert table["lat"].conflict
    assert set(table["lat"].lengths) == {72, 73}
    assert table["lon"].candidate is not None
    assert table["lon"].candidate.name == "lon"
    assert not table["lon"].conflict
    assert table["layer"].conflict  # within one array


@pytest.mark.parametrize(
    ("value", "name"),
    [
        ("text", "string"),
        (True, "bool"),
        (1, "int64"),
        (1.5, "float64"),
        (None, "null"),
        ({}, "object"),
        ([], "empty array"),
        ([1, 2], "int64[]"),
        ([1, 2.5], "float64[]"),
        (["a"], "string[]"),
        ([True, 1], "mixed array"),
        ([1, "a"], "mixed array"),
        ([None, 1], "mixed array"),
        ([[1]], "array of arrays"),
        ([True], "array of booleans"),
        ([{}], "array of objects"),
    ],
)
def test_attribute_types(value: object, name: str) -> None:
    assert nz_type(value).name == name


def test_an_integer_beyond_int64_is_noted() -> None:
    assert nz_type(2**63).note
    assert nz_type(2**63 - 1).note is None
