"""Fixes of what a pyramid names: they write the path that is meant, and leave nothing to find."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonpatch import apply_patch

import nz_explorer as nz
from nz_explorer.conventions.zcf import known_conventions

_TRANSFORM = {"scale": [1.0, 1.0]}


def _written(place: Path, attributes: dict[str, Any]) -> list[nz.Finding]:
    """Write a root with a group called 0, and return what is found of the conventions of Zarr."""
    for path, given in (("", attributes), ("0", {})):
        (place / path).mkdir(exist_ok=True)
        document = {"zarr_format": 3, "node_type": "group", "attributes": given}
        (place / path / "zarr.json").write_text(json.dumps(document))
    return list(nz.check(place, conventions="zcf", progress=False).findings)


@pytest.mark.parametrize(
    ("level", "right"),
    [
        ({"asset": "/0"}, {"asset": "0"}),
        ({"asset": "0/"}, {"asset": "0"}),
        ({"asset": 0}, {"asset": "0"}),
        ({"asset": "0", "derived_from": None}, {"asset": "0"}),
        ({"id": "L0", "path": "0"}, {"id": "L0", "path": "0", "asset": "0"}),
        ({"id": "0"}, {"id": "0", "asset": "0"}),
        (
            {"asset": "0", "derived_from": ".", "factors": [2, 2]},
            {"asset": "0", "derived_from": ".", "factors": [2, 2], "transform": {"scale": [2, 2]}},
        ),
    ],
)
def test_a_level_gets_the_path_that_is_meant(
    level: dict[str, Any], right: dict[str, Any], tmp_path: Path
) -> None:
    declared = [dict(known_conventions.MULTISCALES.entry)]
    attributes = {"zarr_conventions": declared, "multiscales": {"layout": [level]}}
    (finding,) = _written(tmp_path, attributes)
    assert finding.fix is not None
    root = json.loads((tmp_path / "zarr.json").read_text())
    fixed = apply_patch(root, [dict(one) for one in finding.fix.patch])["attributes"]

    assert fixed["multiscales"]["layout"] == [right]
    assert _written(tmp_path, fixed) == []


def test_the_path_of_another_level_is_not_written(tmp_path: Path) -> None:
    declared = [dict(known_conventions.MULTISCALES.entry)]
    attributes = {
        "zarr_conventions": declared,
        "multiscales": {"layout": [{"asset": "0"}, {"asset": 0}]},
    }
    (finding,) = _written(tmp_path, attributes)
    assert finding.fix is None


def test_a_path_that_leads_nowhere_is_not_written(tmp_path: Path) -> None:
    declared = [dict(known_conventions.MULTISCALES.entry)]
    layout = [{"asset": "/1", "transform": _TRANSFORM}]
    attributes = {"zarr_conventions": declared, "multiscales": {"layout": layout}}
    (finding,) = _written(tmp_path, attributes)
    assert finding.fix is None


@pytest.mark.parametrize(("code", "safety"), [("EPSG:4326", "safe"), (4326, "suggest")])
def test_declaring_what_is_wrong_is_a_choice(code: Any, safety: str, tmp_path: Path) -> None:
    (finding,) = _written(tmp_path, {"proj:code": code})
    assert finding.rule == "ZCF-DECL-001"
    assert finding.fix is not None
    assert finding.fix.safety == safety
    assert ("would be wrong" in finding.message) == (safety == "suggest")


def test_a_path_is_put_right_wherever_the_layout_has_it(tmp_path: Path) -> None:
    declared = [dict(known_conventions.MULTISCALES.entry)]
    layout = [
        {"asset": "00", "transform": _TRANSFORM},
        {"asset": ".", "derived_from": "00", "transform": _TRANSFORM},
    ]
    attributes = {"zarr_conventions": declared, "multiscales": {"layout": layout}}
    (finding,) = _written(tmp_path, attributes)
    assert finding.fix is not None
    root = json.loads((tmp_path / "zarr.json").read_text())
    fixed = apply_patch(root, [dict(one) for one in finding.fix.patch])["attributes"]

    assert [one["asset"] for one in fixed["multiscales"]["layout"]] == ["0", "."]
    assert fixed["multiscales"]["layout"][1]["derived_from"] == "0"
    assert _written(tmp_path, fixed) == []


@pytest.mark.parametrize(
    ("crs", "cell", "scale", "right"),
    [
        ("EPSG/0/3857", 78271.516964, 295829355.45, 279541132.0),
        ("OGC/1.3/CRS84", 0.703125, 2511.160714, 279541132.0),  # as if degrees were metres
        ("OGC/1.3/CRS84", 78271.516964, 279541132.0, None),  # the system is another one
        ("EPSG/0/3857", 0.703125, 279541132.0, None),
    ],
)
def test_scales_are_left_where_the_cells_agree_in_the_unit_of_another_system(
    crs: str, cell: float, scale: float, right: float | None, tmp_path: Path
) -> None:
    matrix = {"id": "0", "tileWidth": 256, "tileHeight": 256, "matrixWidth": 2, "matrixHeight": 1}
    sizes = {"cellSize": cell, "scaleDenominator": scale, "pointOfOrigin": [-180, 90]}
    inline = {
        "crs": f"http://www.opengis.net/def/crs/{crs}",
        "tileMatrices": [{**matrix, **sizes}],
    }
    _written(tmp_path, {"multiscales": {"tile_matrix_set": inline, "resampling_method": "average"}})
    found = nz.check(tmp_path, conventions="geozarr", select=["GZ-MS-009"], progress=False).findings
    (finding,) = [one for one in found if one.pointer.endswith("/scaleDenominator")]
    fix = finding.fix
    values = None if fix is None else [one["value"] for one in fix.patch]
    assert values == (None if right is None else [pytest.approx(right, rel=1e-6)])


@pytest.mark.parametrize(("asset", "offered"), [("0", False), ("1", True)])
def test_the_shape_of_a_level_is_left_where_its_path_is_that_of_another(
    asset: str, offered: bool, tmp_path: Path
) -> None:
    declared = (known_conventions.MULTISCALES, known_conventions.SPATIAL)
    layout = [
        {"asset": "0", "spatial:shape": [8, 8]},
        {"asset": asset, "spatial:shape": [4, 4]},
    ]
    _written(
        tmp_path,
        {
            "zarr_conventions": [dict(one.entry) for one in declared],
            "multiscales": {"layout": layout},
            "spatial:dimensions": ["y", "x"],
        },
    )
    for path in ("0", "1"):
        (tmp_path / path / "a").mkdir(parents=True)
        document = {
            "zarr_format": 3,
            "node_type": "array",
            "shape": [8, 8],
            "data_type": "uint8",
            "dimension_names": ["y", "x"],
            "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [8, 8]}},
            "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
            "fill_value": 0,
            "codecs": [{"name": "bytes"}],
        }
        (tmp_path / path / "a" / "zarr.json").write_text(json.dumps(document))
    (tmp_path / "1" / "zarr.json").write_text((tmp_path / "0" / "zarr.json").read_text())
    found = nz.check(tmp_path, conventions="zcf", progress=False).findings
    (finding,) = [one for one in found if one.pointer.endswith("/layout/1/spatial:shape")]
    assert (finding.fix is not None) == offered


@pytest.mark.parametrize(
    ("given", "right"),
    [
        ("https://example.org/my set.json", "https://example.org/my%20set.json"),
        # what is encoded is part of the address, and these are not
        (" https://example.org/set.json\n", "https://example.org/set.json"),
        ("C:\\data\\set.json", None),
    ],
)
def test_only_what_is_part_of_an_address_is_encoded(
    given: str, right: str | None, tmp_path: Path
) -> None:
    multiscales = {"tile_matrix_set": given, "resampling_method": "average"}
    _written(tmp_path, {"multiscales": multiscales})
    select = ["GZ-URI-001"]
    (finding,) = nz.check(tmp_path, conventions="geozarr", select=select, progress=False).findings
    values = None if finding.fix is None else [one["value"] for one in finding.fix.patch]
    assert values == (None if right is None else [right])
