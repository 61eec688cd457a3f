"""Fixes of OME rules: the finding is gone, nothing else is found, and all else that is described stays as it was."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import nz_explorer as nz
from nz_explorer.conventions import evaluate
from nz_explorer.editing.trial_edits.what_if import WhatIf

AXES = [{"name": name, "type": "space", "unit": "micrometer"} for name in "yx"]


def _image(axes: list[dict[str, str]] = AXES, scale: float = 0.5, **more: Any) -> dict[str, Any]:
    step = {"type": "scale", "scale": [scale, scale]}
    levels = [{"path": "0", "coordinateTransformations": [step]}]
    return {"multiscales": [{"version": "0.4", "axes": axes, "datasets": levels}], **more}


def _channels(*channels: dict[str, Any]) -> dict[str, Any]:
    return _image(omero={"channels": list(channels)})


def _plate(rows: list[str], columns: list[str], *wells: tuple[Any, ...]) -> dict[str, Any]:
    plate = {
        "version": "0.4",
        "rows": [{"name": name} for name in rows],
        "columns": [{"name": name} for name in columns],
        "wells": [
            {
                member: value
                for member, value in zip(("path", "rowIndex", "columnIndex"), well, strict=True)
                if value is not None
            }
            for well in wells
        ],
    }
    return {"plate": plate}


WINDOW = {"min": 0, "max": 65535, "start": 0, "end": 65535}
WHITE = {"color": "FFFFFF", "window": WINDOW}
WELLS = ("A/1", 0, 0), ("B/2", 1, 1)
CASES = {
    "a channel without a color": (
        "OME-IMG-007",
        "suggest",
        _channels({"window": WINDOW}),
        _channels(WHITE),
    ),
    "two channels without a color": (
        "OME-IMG-007",
        "suggest",
        _channels({"color": "00FFFF", "window": WINDOW}, {"color": 255, "window": WINDOW}),
        _channels({"color": "00FFFF", "window": WINDOW}, {"color": "00FF00", "window": WINDOW}),
    ),
    "a channel without a window": (
        "OME-IMG-007",
        "suggest",
        _channels({"color": "FFFFFF"}),
        _channels(WHITE),
    ),
    "a window with limits alone": (
        "OME-IMG-007",
        "suggest",
        _channels({"color": "FFFFFF", "window": {"min": 5, "max": 9}}),
        _channels({"color": "FFFFFF", "window": {"min": 5, "max": 9, "start": 5, "end": 9}}),
    ),
    "a window without limits": (
        "OME-IMG-007",
        "suggest",
        _channels({"color": "FFFFFF", "window": {"start": 5, "end": 9}}),
        _channels({"color": "FFFFFF", "window": {"min": 5, "max": 9, "start": 5, "end": 9}}),
    ),
    "sizes without a unit": (
        "OME-IMG-011",
        "suggest",
        _image([{"name": name, "type": "space"} for name in "yx"]),
        _image(),
    ),
    "a unit that is misspelled": (
        "OME-IMG-011",
        "suggest",
        _image([AXES[0], {"name": "x", "type": "space", "unit": "micormeter"}]),
        _image(),
    ),
    "a unit that the format does not have": (
        "OME-IMG-011",
        "unsafe",
        _image([AXES[0], {"name": "x", "type": "space", "unit": "furlong"}]),
        _image([AXES[0], {"name": "x", "type": "space"}]),
    ),
    "a plate without rows": (
        "OME-PLATE-001",
        "suggest",
        _plate([], ["1", "2"], *WELLS),
        _plate(["A", "B"], ["1", "2"], *WELLS),
    ),
    "a plate without columns, whose wells tell their order": (
        "OME-PLATE-001",
        "suggest",
        _plate(["A"], [], ("A/1", 0, 1), ("A/2", 0, 0)),
        _plate(["A"], ["2", "1"], ("A/1", 0, 1), ("A/2", 0, 0)),
    ),
    "a plate without columns, whose wells do not": (
        "OME-PLATE-001",
        "suggest",
        _plate(["A"], [], ("A/10", 0, None), ("A/2", 0, None)),
        _plate(["A"], ["2", "10"], ("A/10", 0, 1), ("A/2", 0, 0)),
    ),
    "a row listed twice": (
        "OME-PLATE-001",
        "suggest",
        _plate(["A", "A", "B"], ["1", "2"], ("A/1", 1, 0), ("B/2", 2, 1)),
        _plate(["A", "B"], ["1", "2"], *WELLS),
    ),
    "a well without a path": (
        "OME-PLATE-001",
        "safe",
        _plate(["A", "B"], ["1", "2"], WELLS[0], (None, 1, 1)),
        _plate(["A", "B"], ["1", "2"], *WELLS),
    ),
}


def _store(folder: Path, attributes: dict[str, Any]) -> Path:
    (folder / "0").mkdir(parents=True)
    (folder / ".zgroup").write_text('{"zarr_format": 2}')
    (folder / ".zattrs").write_text(json.dumps(attributes))
    array = {
        "zarr_format": 2,
        "shape": [4, 4],
        "chunks": [4, 4],
        "dtype": "<u2",
        "fill_value": 0,
        "order": "C",
        "compressor": None,
        "filters": None,
        "dimension_separator": "/",
    }
    (folder / "0" / ".zarray").write_text(json.dumps(array))
    return folder


def _found(source: Path, rule: str) -> list[nz.Finding]:
    report = nz.check(source, select=[rule], progress=False)
    return [finding for finding in report.findings if finding.rule == rule]


@pytest.mark.parametrize("name", CASES)
def test_a_fix_cures_it_and_leaves_the_rest(name: str, tmp_path: Path) -> None:
    rule, safety, given, right = CASES[name]
    source = _store(tmp_path / "image.zarr", given)
    evaluation = evaluate(nz.open_store(source, mode="r+"), select=[rule])
    evaluation.run()
    finding = next(finding for finding in evaluation.findings() if finding.rule == rule)
    assert finding.fix is not None
    assert finding.fix.safety == safety
    nz.apply(WhatIf(evaluation).apply(finding)).write()
    assert json.loads((source / ".zattrs").read_text()) == right
    assert _found(source, rule) == []


def test_floats_have_no_range_to_show(tmp_path: Path) -> None:
    source = _store(tmp_path / "image.zarr", _channels({"color": "FFFFFF"}))
    document = source / "0" / ".zarray"
    document.write_text(document.read_text().replace("<u2", "<f4"))
    (finding,) = _found(source, "OME-IMG-007")
    assert finding.fix is not None
    assert finding.fix.patch == ()
    assert "least and the greatest value" in str(finding.fix.note)


@pytest.mark.parametrize(
    "plate",
    [_plate([], ["1"], ("A", 0, 0)), _plate(["A", "A"], ["1"], ("B/1", 0, 0))],
    ids=["a path of one name", "a well in no row"],
)
def test_what_no_name_tells_is_not_fixed(plate: dict[str, Any], tmp_path: Path) -> None:
    found = _found(_store(tmp_path / "plate.zarr", plate), "OME-PLATE-001")
    assert found[0].fix is None
