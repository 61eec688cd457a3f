"""Whether a dataset keeps cs: also what is of another type than the tables of its text have decides it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import nz_explorer as nz
from tests.conventions.cs_documents import ARRAY, CS, REF

SET: dict[str, Any] = {
    "direction": "future",
    "time": {"unit": "day", "epoch": "1850-01-01", "calendar": "noleap"},
    "values": {"regular": [0, 1]},
}


def _system(**of_set: Any) -> dict[str, Any]:
    axis = {"abbreviation": "T", "coordinates": [{**SET, **of_set}]}
    return {"type": "temporal", "axes": {"time": axis}}


def _time(**members: Any) -> dict[str, Any]:
    return {**SET["time"], **members}


@pytest.mark.parametrize(
    ("crs", "kept"),
    [
        ([_system()], True),
        ([_system(values={"explicit": [0, 1, 5]})], True),
        ([_system(time=_time(calendar="that of a novel"))], True),
        ([], False),
        (["WGS84"], False),
        ([{"type": "temporal"}], False),
        ([{"ref": {"node": ".."}}], False),
        ([_system(values={"explicit": "0 1 2"})], False),
        ([_system(values={"explicit": [[0, 1, 2]]})], False),
        ([_system(values={"explicit": [0, 1]})], False),
        ([_system(time=_time(calendar=360))], False),
        ([{"type": "planar", "axes": {"time": {"abbreviation": ["T"]}}}], False),
    ],
)
def test_the_verdict_of_cs(crs: list[Any], kept: bool, tmp_path: Path) -> None:
    of_array = {"zarr_conventions": [CS, REF], "cs": {"crs": crs}}
    group = {"zarr_format": 3, "node_type": "group", "attributes": {}}
    for path, document in {"": group, "a": {**ARRAY, "attributes": of_array}}.items():
        (tmp_path / path).mkdir(exist_ok=True)
        (tmp_path / path / "zarr.json").write_text(json.dumps(document))
    report = nz.check(tmp_path, conventions="cs", progress=False)
    assert report.conforms == {"cs": kept}
    assert not [one for one in report.not_evaluated if one.reason.startswith("internal error")]


GEOLOCATION = {
    "uuid": "bb9ee930-8c60-4c47-ad6b-8daa558987ed",
    "name": "geolocation",
    "schema_url": "https://raw.githubusercontent.com/R-CF/zarr_convention_geolocation/main/schema.json",
}


@pytest.mark.parametrize(
    ("attributes", "others", "told_by"),
    [
        ({"zarr_conventions": {"cs": CS}}, {}, "ZCF-DECL-002"),
        ({"zarr_conventions": "cs"}, {}, "ZCF-DECL-002"),
        (
            {
                "zarr_conventions": [CS, REF, GEOLOCATION],
                "geolocation": {"geodetic": {"x": {"node": "../a"}}},
            },
            {},
            "ZCF-SCHEMA-001",
        ),
        ({"geolocation": {"geodetic": {"x": {"node": "../a"}}}}, {}, "ZCF-DECL-001"),
        ({}, {"dimension_names": None}, "NZ-DIM-001"),
    ],
)
@pytest.mark.parametrize("conventions", ["cs", "auto"])
def test_what_another_rule_says_as_well_breaks_cs_all_the_same(
    attributes: dict[str, Any],
    others: dict[str, Any],
    told_by: str,
    conventions: str,
    tmp_path: Path,
) -> None:
    of_array = {"zarr_conventions": [CS, REF], "cs": {"crs": [_system()]}, **attributes}
    array = {**ARRAY, "attributes": of_array, **others}
    group = {"zarr_format": 3, "node_type": "group", "attributes": {}}
    for path, document in {"": group, "a": array}.items():
        (tmp_path / path).mkdir(exist_ok=True)
        kept = {name: value for name, value in document.items() if value is not None}
        (tmp_path / path / "zarr.json").write_text(json.dumps(kept))
    report = nz.check(tmp_path, conventions=conventions, progress=False)
    assert report.conforms["cs"] is False
    found = {one.rule for one in report.findings}
    assert (told_by in found) is (conventions == "auto")
    of_cs = {"CS-REG-001", "CS-REG-006", "CS-GEO-002", "CS-ARR-003"}
    assert bool(found & of_cs) is (conventions == "cs")
