"""Roles, dimension tables and attribute types."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

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
    verdict: str
    note: str = "because"


def arrays(store: Path, group: str) -> dict[str, Array]:
    hierarchy = open_store(store)
    node = hierarchy[group]
    hierarchy.children(node)
    assert isinstance(node, Group)
    return {array.name: array for array in node.arrays}


@pytest.mark.parametrize(
    ("verdict", "role", "passed", "direction"),
    [
        (None, "candidate", None, None),
        ("increasing", "coordinate", True, "increasing"),
        ("decreasing", "coordinate", True, "decreasing"),
        ("trivial", "coordinate", True, None),
        ("not", "data", False, None),
        ("missing", "data", False, None),
        ("unordered", "candidate", None, None),
        ("unreadable", "candidate", None, None),
    ],
)
def test_a_coordinate_is_one_by_its_values(
    sample_store: Path, verdict: str | None, role: str, passed: bool | None, direction: str | None
) -> None:
    lat = arrays(sample_store, "/forecast")["lat"]
    result = classify(lat, Values(verdict) if verdict else None)
    assert (result.role, result.direction) == (role, direction)
    assert [test.passed for test in result.tests][:3] == [True, True, passed]


def test_scalars_auxiliary_coordinates_and_data(sample_store: Path) -> None:
    ocean = arrays(sample_store, "/ocean")
    named = references(ocean.values())
    roles = {name: classify(array, None, named.get(name, ())).role for name, array in ocean.items()}
    assert roles["latitude"] == roles["longitude"] == "auxiliary"
    assert roles["sea_surface_temperature"] == "data"
    assert classify(arrays(sample_store, "/forecast")["height"]).role == "scalar"


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
        (True, "boolean"),
        (1, "int64"),
        (1.5, "float64"),
        (None, "null"),
        ({}, "object"),
        ([], "empty array"),
        ([1, 2], "array of int64"),
        ([1, 2.5], "array of float64"),
        (["a"], "array of strings"),
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
