"""What is said of zarr-cm is what it does: it raises an error for some of what is wrong, and lets the rest pass."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import zarr_cm

import nz_explorer as nz
from nz_explorer.conventions.zcf import known_conventions
from tests.corpus.cases import CASES, source

_SPATIAL = {"spatial:dimensions": ["y", "x"], "spatial:transform": [1, 0, 0, 0, -1, 4]}
_LEVEL = {"asset": "0", "transform": {"scale": [1, 1]}}
_REPOSITORY = "https://raw.githubusercontent.com/zarr-conventions/proj"
_OF_ZCF = [case for case in CASES if case["rule"].startswith("ZCF")]


@pytest.mark.parametrize(
    ("name", "attributes", "raises"),
    [
        ("spatial", _SPATIAL | {"spatial:bbox": [0, 0, 1]}, True),
        ("spatial", _SPATIAL | {"spatial:transform_type": 1}, True),
        ("spatial", _SPATIAL | {"spatial:transform_type": "Affine"}, False),
        ("spatial", _SPATIAL | {"Spatial:bbox": [0, 0, 1, 1]}, False),
        ("proj", {"proj:code": 4326}, True),
        ("proj", {}, True),
        ("proj", {"proj:wkt2": "+proj=longlat"}, False),
        ("multiscales", {"multiscales": {"layout": [{"asset": 0}]}}, True),
        ("multiscales", {"multiscales": {"layout": [_LEVEL | {"derivedFrom": "1"}]}}, False),
        ("multiscales", {"multiscales": {"layout": [_LEVEL | {"scale": [1, 1]}]}}, False),
    ],
)
def test_it_raises_where_that_is_said(
    name: str, attributes: dict[str, Any], raises: bool, tmp_path: Path
) -> None:
    known = next(one for one in known_conventions.KNOWN if one.name.rstrip(":") == name)
    whole = {"zarr_conventions": [dict(known.entry)], **attributes}
    document = {"zarr_format": 3, "node_type": "group", "attributes": whole}
    (tmp_path / "zarr.json").write_text(json.dumps(document))
    found = nz.check(tmp_path, conventions="zcf", progress=False).findings
    told = ["zarr-cm" in one.readers for one in found if one.rule == "ZCF-SCHEMA-001"]

    assert told == [raises]
    if raises:
        with pytest.raises((ValueError, TypeError)):
            zarr_cm.validate_all(whole)
    else:
        zarr_cm.validate_all(whole)


def _raises(attributes: dict[str, Any]) -> bool:
    try:
        zarr_cm.validate_all(attributes)
    except (ValueError, TypeError, KeyError):
        return True
    return False


@pytest.mark.parametrize(
    ("rule", "entry"),
    [
        ("ZCF-DECL-003", {"uuid": None, "schema_url": None, "spec_url": None}),
        ("ZCF-DECL-003", {"schema_url": f"{_REPOSITORY}s/refs/tags/v0.1/schema.json"}),
        ("ZCF-DECL-003", {"spec_url": "https://github.com/zarr-conventions/projs"}),
        ("ZCF-DECL-003", {"spec_url": 1}),
        ("ZCF-DECL-005", {"name": 1}),
        ("ZCF-DECL-005", {"name": ""}),
        ("ZCF-DECL-005", {"description": ["of proj"]}),
        ("ZCF-DECL-008", {"uuid": 1}),
        ("ZCF-DECL-008", {"uuid": known_conventions.PROJ.entry["uuid"].upper()}),
        ("ZCF-DECL-010", {"schema_url": f"{_REPOSITORY}/main/schema.json"}),
        ("ZCF-DECL-002", 1),
        ("ZCF-DECL-002", None),
    ],
)
def test_it_raises_for_entries_of_which_that_is_said(rule: str, entry: Any, tmp_path: Path) -> None:
    given = [{**known_conventions.PROJ.entry, **entry}] if isinstance(entry, dict) else entry
    whole = {"zarr_conventions": given, "proj:code": "EPSG:4326"}
    document = {"zarr_format": 3, "node_type": "group", "attributes": whole}
    (tmp_path / "zarr.json").write_text(json.dumps(document))
    found = nz.check(tmp_path, conventions="zcf", progress=False).findings

    told = ["zarr-cm" in one.readers for one in found if one.rule == rule]

    assert told == [_raises(whole)]


def test_it_raises_wherever_that_is_said(tmp_path: Path) -> None:
    wrong = []
    for i, case in enumerate(_OF_ZCF):
        there = source(case, tmp_path / str(i))
        found = nz.check(there, conventions="zcf", progress=False).findings
        for path in {one.path for one in found if "zarr-cm" in one.readers}:
            folder = tmp_path / str(i) / path.strip("/")
            if (folder / "zarr.json").exists():
                given = json.loads((folder / "zarr.json").read_text())["attributes"]
            else:
                given = json.loads((folder / ".zattrs").read_text())
            if not _raises(given):
                wrong.append((case["name"], path))

    assert not wrong
