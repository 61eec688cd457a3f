"""What is said that the reader of the author of cs does, as it did when it was run (at d11a136) on stores like these."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import nz_explorer as nz
from tests.conventions.cs_documents import ARRAY, CS, REF

READER = "xarray-zarr-xgroup"


def _system(values: Any, **time: str) -> dict[str, Any]:
    of_times = {"unit": "day", "epoch": "1850-01-01", "calendar": "360_day", **time}
    coordinates = {"direction": "future", "time": of_times, "values": values}
    return {
        "type": "temporal",
        "axes": {"time": {"abbreviation": "T", "coordinates": [coordinates]}},
    }


def _at(node: str, **more: str) -> dict[str, Any]:
    return {"ref": {"node": node, **more}}


def _with(coordinates: Any) -> dict[str, Any]:
    return {"type": "temporal", "axes": {"time": {"abbreviation": "T", "coordinates": coordinates}}}


REGULAR: dict[str, Any] = {"regular": [0, 1]}
SETS = _system(REGULAR)["axes"]["time"]["coordinates"]
SHARED = {"attribute": "/attributes/crs/t"}


@pytest.mark.parametrize(
    ("rule", "declared", "crs", "lost"),
    [
        ("CS-REG-001", [REF], _system(REGULAR), "gives the array without coordinates"),
        ("CS-REG-001", [{"name": "cs"}], _system(REGULAR), None),
        ("CS-TIME-002", [CS], _system(REGULAR, unit="month"), None),
        ("CS-TIME-002", [CS], _system(REGULAR, unit="week"), "raises ValueError"),
        ("CS-CO-002", [CS], _with(5), "gives the array without coordinates, and warns"),
        ("CS-CO-002", [CS], _with(SETS[0]), "gives the dimension without coordinates"),
        ("CS-CO-002", [CS], _with([*SETS, "t"]), "passes over what is no object"),
        ("REF-002", [CS, REF], _system({"external": _at("../tiem")}), "gives the array without"),
        ("REF-002", [CS, REF], _at("../../..", **SHARED), None),
        ("REF-002", [CS, REF], _at("../../h", **SHARED), "gives the array without the coordinates"),
        ("REF-008", [CS, REF], _at("..", attribute="/attributes/crs/of_group"), "begins elsewhere"),
    ],
)
def test_what_is_predicted_is_what_it_does(
    rule: str, declared: list[Any], crs: dict[str, Any], lost: str | None, tmp_path: Path
) -> None:
    group = {"zarr_format": 3, "node_type": "group"}
    shared = {"t": _system(REGULAR), "of_group": _system({"external": _at("time")})}
    documents = {
        "": {**group, "attributes": {"zarr_conventions": [CS, REF], "crs": shared}},
        "g": {**group, "attributes": {"zarr_conventions": [CS, REF], "crs": shared}},
        "time": ARRAY,
        "g/time": ARRAY,
        "g/a": {**ARRAY, "attributes": {"zarr_conventions": declared, "cs": {"crs": [crs]}}},
    }
    for path, document in documents.items():
        (tmp_path / path).mkdir(parents=True, exist_ok=True)
        (tmp_path / path / "zarr.json").write_text(json.dumps(document))
    findings = nz.check(tmp_path, conventions="cs", progress=False).to_dict()["findings"]
    (found,) = (one for one in findings if (one["rule"], one["path"]) == (rule, "/g/a"))
    told = (found["readers"] or {}).get(READER)
    assert told is None if lost is None else str(told).startswith(lost)
