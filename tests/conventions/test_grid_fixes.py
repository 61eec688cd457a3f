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


def _written(place: Path, shape: list[int], attributes: dict[str, Any]) -> list[nz.Finding]:
    """Write an array of y and x, and return what is found of the conventions of Zarr."""
    document = {
        "zarr_format": 3,
        "node_type": "array",
        "shape": shape,
        "data_type": "float32",
        "dimension_names": ["y", "x"],
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
        ([180, 360], {"spatial:bbox": [-90, -180, 90, 180]}, {"spatial:bbox": _BOX}),
        ([180, 360], {"spatial:dimensions": ["Y", "X"]}, {"spatial:dimensions": ["y", "x"]}),
        ([180, 360], {"spatial:dimensions": ["lat", "lon"]}, {"spatial:dimensions": ["y", "x"]}),
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


@pytest.mark.parametrize(
    ("given", "right"),
    [
        ([1, 0, 90, 0, -1, -180], _WORLD),
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
