"""Half of a surrogate pair, which JSON can have and UTF-8 cannot, in names and texts that conventions read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import nz_explorer as nz
from nz_explorer.conventions.zcf.known_conventions import MULTISCALES, PROJ, SPATIAL

HALF = "\ud800"
ATTRIBUTES: dict[str, dict[str, Any]] = {
    "declarations": {
        "zarr_conventions": [
            {"uuid": HALF, "name": HALF, HALF: 1},
            {"schema_url": f"https://{HALF}", "name": "x"},
            {"spec_url": HALF},
        ],
        "proj:code": HALF,
    },
    "levels": {
        "zarr_conventions": [dict(one.entry) for one in (MULTISCALES, SPATIAL, PROJ)],
        "spatial:dimensions": [HALF, "x"],
        "proj:wkt2": HALF,
        "multiscales": {
            "layout": [
                {"asset": HALF, "derived_from": HALF, "transform": {HALF: 1}},
                {"asset": f"a/{HALF}"},
            ]
        },
    },
    "tiles": {
        "Conventions": HALF,
        "GeoTransform": HALF,
        "multiscales": {
            "tile_matrix_set": {
                "crs": HALF,
                "uri": f"http://{HALF}",
                "tileMatrices": [{"id": HALF}, {"id": f"{HALF}/b"}],
            },
            "resampling_method": HALF,
            "tile_matrix_set_limits": {HALF: {}},
        },
    },
}


def _checked(attributes: dict[str, Any], folder: Path) -> nz.Report:
    root = {"zarr_format": 3, "node_type": "group", "attributes": attributes}
    (folder / "zarr.json").write_text(json.dumps(root))
    return nz.check(folder, conventions=["geozarr", "zcf", "nz", "cs"], progress=False)


@pytest.mark.parametrize("name", ATTRIBUTES)
def test_no_rule_stumbles_over_it(name: str, tmp_path: Path) -> None:
    report = _checked(ATTRIBUTES[name], tmp_path)
    assert [one for one in report.not_evaluated if "internal error" in one.reason] == []
    assert report.findings


def test_it_is_no_name_of_an_attribute_in_geozarr(tmp_path: Path) -> None:
    found = _checked({"Conventions": "CF-1.10", HALF: 1, "\U0001f600": 2}, tmp_path).findings
    told = [finding.pointer for finding in found if finding.rule == "GZ-ATT-003"]
    assert told == [f"/attributes/{HALF}"]
