"""What is said of zarr-cm is what it does: it raises an error for some of what is wrong, and lets the rest pass."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import zarr_cm

import nz_explorer as nz
from nz_explorer.conventions.zcf import known_conventions

_SPATIAL = {"spatial:dimensions": ["y", "x"], "spatial:transform": [1, 0, 0, 0, -1, 4]}
_LEVEL = {"asset": "0", "transform": {"scale": [1, 1]}}


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
