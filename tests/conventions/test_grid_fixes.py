"""Fixes of what spatial: says of a grid: they change what is wrong, not what is right, and leave nothing to find."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonpatch import apply_patch

import nz_explorer as nz
from nz_explorer.conventions.zcf import known_conventions

_WORLD = [1, 0, -180, 0, -1, 90]
_BOX = [-180, -90, 180, 90]


def _written(
    place: Path, shape: list[int], attributes: dict[str, Any], dimensions: list[str] | None = None
) -> list[nz.Finding]:
    """Write an array, of y and x by default, and return what is found of the conventions of Zarr."""
    document = {
        "zarr_format": 3,
        "node_type": "array",
        "shape": shape,
        "data_type": "float32",
        "dimension_names": dimensions or ["y", "x"],
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": shape}},
        "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
        "fill_value": 0,
        "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}],
        "attributes": attributes,
    }
    (place / "zarr.json").write_text(json.dumps(document))
    return list(nz.check(place, conventions="zcf", progress=False).findings)


@pytest.mark.parametrize(
    ("shape", "given", "right"),
    [
        ([181, 361], {}, {"spatial:registration": "node"}),
        ([180, 360], {"spatial:registration": "node"}, {"spatial:registration": "pixel"}),
        (
            [180, 360],
            {"spatial:transform": [1, 0, 90, 0, -1, -180]},
            {"spatial:transform": _WORLD},
        ),
        (
            [180, 360],
            {"spatial:transform": [-1, 0, 90, 0, 1, -180]},
            {"spatial:transform": _WORLD},
        ),
        (
            [180, 360],
            {"spatial:transform": [-1, 0, 90, 0, 1, -180], "spatial:bbox": [-90, -180, 90, 180]},
            {"spatial:transform": _WORLD, "spatial:bbox": _BOX},
        ),
        ([180, 360], {"spatial:bbox": [-90, -180, 90, 180]}, {"spatial:bbox": _BOX}),
        ([180, 360], {"spatial:dimensions": ["Y", "X"]}, {"spatial:dimensions": ["y", "x"]}),
        ([180, 360], {"spatial:dimensions": ["lat", "lon"]}, {"spatial:dimensions": ["y", "x"]}),
        ([180, 360], {"spatial:transform": [*_WORLD, 0, 0, 1]}, {"spatial:transform": _WORLD}),
        (
            [180, 360],
            {"spatial:registration": "PixelIsArea"},
            {"spatial:registration": "pixel"},
        ),
    ],
)
def test_the_one_thing_that_does_not_fit_is_changed(
    shape: list[int], given: dict[str, Any], right: dict[str, Any], tmp_path: Path
) -> None:
    attributes = {
        "zarr_conventions": [dict(known_conventions.SPATIAL.entry)],
        "spatial:dimensions": ["y", "x"],
        "spatial:transform": _WORLD,
        "spatial:bbox": _BOX,
    }
    (finding,) = _written(tmp_path, shape, attributes | given)
    assert finding.fix is not None
    document = json.loads((tmp_path / "zarr.json").read_text())
    fixed = apply_patch(document, [dict(one) for one in finding.fix.patch])["attributes"]

    assert fixed == attributes | right
    assert _written(tmp_path, shape, fixed) == []


@pytest.mark.parametrize("box", [[3, 7, 20, 24], [20, 3, 24, 7]])
def test_of_a_square_only_the_box_in_another_order_is_changed(
    box: list[int], tmp_path: Path
) -> None:
    attributes = {
        "zarr_conventions": [dict(known_conventions.SPATIAL.entry)],
        "spatial:dimensions": ["y", "x"],
        "spatial:transform": [1, 0, 3, 0, -1, 24],
        "spatial:bbox": box,
    }
    (finding,) = _written(tmp_path, [4, 4], attributes)
    (fix,) = finding.fixes  # the transform is right

    assert "in another order" in finding.message
    assert [one["value"] for one in fix.patch] == [[3, 20, 7, 24]]


@pytest.mark.parametrize(
    ("given", "right"),
    [
        ([1, 0, 90, 0, -1, -180], _WORLD),
        ([-1, 0, 90, 0, 1, -180], _WORLD),
        ([1, 0, -180, 0, 1, 90], _WORLD),
        ([1, 0, 0, 0, -1, 180], None),  # exchanged it would go from 180 to 540, and from 0 to -180
    ],
)
def test_a_grid_is_put_on_the_map_where_there_is_a_way(
    given: list[float], right: list[float] | None, tmp_path: Path
) -> None:
    attributes = {
        "zarr_conventions": [
            dict(one.entry) for one in (known_conventions.SPATIAL, known_conventions.PROJ)
        ],
        "proj:code": "EPSG:4326",
        "spatial:dimensions": ["y", "x"],
        "spatial:transform": given,
    }
    (finding,) = _written(tmp_path, [180, 360], attributes)
    fix = finding.fix
    assert (None if fix is None else [one["value"] for one in fix.patch]) == (right and [right])


def test_lengths_that_no_array_contradicts_are_left_where_dimensions_are_exchanged(
    tmp_path: Path,
) -> None:
    attributes = {
        "zarr_conventions": [dict(known_conventions.SPATIAL.entry)],
        "spatial:dimensions": ["x", "y"],
        "spatial:shape": [180, 360],
    }
    document = {"zarr_format": 3, "node_type": "group", "attributes": attributes}
    (tmp_path / "zarr.json").write_text(json.dumps(document))
    (finding,) = nz.check(tmp_path, conventions="zcf", progress=False).findings
    assert finding.fix is not None
    assert [one["value"] for one in finding.fix.patch] == [["y", "x"]]


@pytest.mark.parametrize(("box", "fixed"), [([0, 10, 500, 40], True), ([0, 10, 50, 40], False)])
def test_a_box_of_a_level_that_is_that_of_nodes_is_left(
    box: list[int], fixed: bool, tmp_path: Path
) -> None:
    _written(tmp_path, [4, 6], {})
    (tmp_path / "0").mkdir()
    (tmp_path / "zarr.json").rename(tmp_path / "0" / "zarr.json")
    level = {"asset": "0", "spatial:transform": [10, 0, 0, 0, -10, 40], "spatial:bbox": box}
    entries = [known_conventions.SPATIAL.entry, known_conventions.MULTISCALES.entry]
    attributes = {
        "zarr_conventions": [dict(one) for one in entries],
        "spatial:dimensions": ["y", "x"],
        "multiscales": {"layout": [level]},
    }
    document = {"zarr_format": 3, "node_type": "group", "attributes": attributes}
    (tmp_path / "zarr.json").write_text(json.dumps(document))
    (finding,) = nz.check(tmp_path, conventions="zcf", progress=False).findings
    assert finding.pointer == "/attributes/multiscales/layout/0/spatial:bbox"
    assert (finding.fix is not None) is fixed


@pytest.mark.parametrize(
    ("given", "first", "second"),
    [
        # nothing tells which of the two is wrong
        ({"spatial:transform": [0.5, 0, -180, 0, -0.5, 90]}, "spatial:bbox", "spatial:transform"),
        ({"spatial:transform": [1, 0, -170, 0, -1, 80]}, "spatial:bbox", "spatial:transform"),
        (
            {"spatial:shape": [360, 180], "spatial:bbox": None},
            "spatial:shape",
            "spatial:dimensions",
        ),
        # the box tells
        ({"spatial:dimensions": ["i", "j"]}, "spatial:dimensions", "spatial:shape"),
        (
            {"spatial:dimensions": ["i", "j"], "spatial:shape": None},
            "spatial:dimensions",
            "spatial:bbox",
        ),
        ({"spatial:shape": [360, 180]}, "spatial:shape", None),
    ],
)
def test_where_two_things_may_be_wrong_both_can_be_changed(
    given: dict[str, Any], first: str, second: str | None, tmp_path: Path
) -> None:
    attributes = {
        "zarr_conventions": [dict(known_conventions.SPATIAL.entry)],
        "spatial:dimensions": ["j", "i"],
        "spatial:shape": [180, 360],
        "spatial:transform": _WORLD,
        "spatial:bbox": _BOX,
        **given,
    }
    whole = {name: value for name, value in attributes.items() if value is not None}
    (finding,) = _written(tmp_path, [180, 360], whole, ["j", "i"])
    changed = [fix.patch[0]["path"].removeprefix("/attributes/") for fix in finding.fixes]

    assert changed == [name for name in (first, second) if name is not None]


@pytest.mark.parametrize(
    ("transform", "changed"),
    [
        ([1000, 0, -180, 0, -1000, 90], ["spatial:transform"]),
        ([0, 1, -180, -1, 0, 90], []),
    ],
)
def test_no_box_is_written_that_is_beyond_the_earth(
    transform: list[float], changed: list[str], tmp_path: Path
) -> None:
    attributes = {
        "zarr_conventions": [
            dict(one.entry) for one in (known_conventions.PROJ, known_conventions.SPATIAL)
        ],
        "proj:code": "EPSG:4326",
        "spatial:dimensions": ["y", "x"],
        "spatial:transform": transform,
        "spatial:bbox": _BOX,
    }
    (finding,) = _written(tmp_path, [180, 360], attributes)
    assert finding.pointer == "/attributes/spatial:bbox"
    assert [fix.patch[0]["path"].removeprefix("/attributes/") for fix in finding.fixes] == changed


def test_a_level_gets_the_transform_that_its_layout_has(tmp_path: Path) -> None:
    spatial = {"spatial:dimensions": ["y", "x"], "spatial:bbox": _BOX}
    declared = {"zarr_conventions": [dict(known_conventions.SPATIAL.entry)]}
    multiscales = dict(known_conventions.MULTISCALES.entry)
    layout = [{"asset": "0", "spatial:transform": [2, 0, -180, 0, -2, 90]}]
    group = {
        "zarr_conventions": [*declared["zarr_conventions"], multiscales],
        "multiscales": {"layout": layout},
        **spatial,
    }
    (tmp_path / "0").mkdir()
    stale = {**declared, **spatial, "spatial:transform": _WORLD}
    _written(tmp_path / "0", [90, 180], stale)
    document = {"zarr_format": 3, "node_type": "group", "attributes": group}
    (tmp_path / "zarr.json").write_text(json.dumps(document))
    found = nz.check(tmp_path, conventions="zcf", progress=False).findings
    fixes = [one.fix for one in found if one.pointer == "/attributes/spatial:bbox"]

    assert [fix.patch[0]["value"] for fix in fixes if fix is not None] == [[2, 0, -180, 0, -2, 90]]


def test_a_box_is_put_on_the_map_with_its_transform(tmp_path: Path) -> None:
    attributes = {
        "zarr_conventions": [
            dict(known.entry) for known in (known_conventions.PROJ, known_conventions.SPATIAL)
        ],
        "proj:code": "EPSG:32610",
        "spatial:dimensions": ["y", "x"],
        "spatial:transform": [30, 0, 4200000, 0, -30, 600000],
        "spatial:bbox": [4200000, 599400, 4200900, 600000],
    }
    (finding,) = _written(tmp_path, [20, 30], attributes)
    assert finding.fix is not None
    document = json.loads((tmp_path / "zarr.json").read_text())
    fixed = apply_patch(document, [dict(one) for one in finding.fix.patch])["attributes"]

    assert fixed["spatial:transform"] == [30, 0, 600000, 0, -30, 4200000]
    assert fixed["spatial:bbox"] == [600000, 4199400, 600900, 4200000]
    assert _written(tmp_path, [20, 30], fixed) == []
