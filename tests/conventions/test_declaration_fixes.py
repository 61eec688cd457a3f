"""Fixes of the declaration: what they leave names the same conventions everywhere, and none is lost."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonpatch import apply_patch

import nz_explorer as nz


def _findings(place: Path, attributes: dict[str, Any]) -> dict[str, nz.Finding]:
    root = {"zarr_format": 3, "node_type": "group", "attributes": attributes}
    (place / "zarr.json").write_text(json.dumps(root))
    return {finding.rule: finding for finding in nz.check(place, progress=False).findings}


@pytest.mark.parametrize(
    ("rule", "given", "right"),
    [
        ("NZ-DECL-001", {"CONVENTIONS": "CF-1.12 nz-1.0"}, {"conventions": "NZ-1.0 CF-1.12"}),
        ("NZ-DECL-001", {"convention": "NZ-1.0"}, {"conventions": "NZ-1.0"}),
        ("NZ-DECL-001", {"conventions": "NZ 1.0"}, {"conventions": "NZ-1.0"}),
        ("NZ-DECL-001", {"conventions": "NZ\u20101.0 CF-1.12"}, {"conventions": "NZ-1.0 CF-1.12"}),
        ("NZ-DECL-001", {"conventions": "NZ\u22121.0"}, {"conventions": "NZ-1.0"}),
        ("NZ-DECL-001", {"conventions": "CF-1.12 NZ-1.0.0"}, {"conventions": "NZ-1.0 CF-1.12"}),
        ("NZ-DECL-001", {"conventions": "['CF-1.12']"}, {"conventions": "NZ-1.0 CF-1.12"}),
        (
            "NZ-DECL-001",
            {"conventions": '["NZ-1.0", "CF-1.12"]'},
            {"conventions": "NZ-1.0 CF-1.12"},
        ),
        ("NZ-DECL-003", {"conventions": "NZ-1.0 'CF-1.12'"}, {"conventions": "NZ-1.0 CF-1.12"}),
        (
            "NZ-DECL-001",
            {"Conventions": "NZ-1.0-proposed"},
            {"Conventions": "NZ-1.0", "conventions": "NZ-1.0"},
        ),
        (
            "NZ-DECL-001",
            {"CONVENTIONS": "mine"},
            {"CONVENTIONS": "mine", "conventions": "NZ-1.0"},
        ),
        (
            "NZ-DOM-001",
            {"conventions": "NZ-1.0", "Conventions": "CF-1.12"},
            {"conventions": "NZ-1.0 CF-1.12", "Conventions": "NZ-1.0 CF-1.12"},
        ),
        (
            "NZ-DOM-001",
            {"conventions": "NZ-1.0", "Conventions": "nz-1.0 CF-1.12"},
            {"conventions": "NZ-1.0 CF-1.12", "Conventions": "nz-1.0 CF-1.12"},
        ),
    ],
)
def test_a_fixed_declaration_agrees_with_itself(
    rule: str, given: dict[str, str], right: dict[str, str], tmp_path: Path
) -> None:
    before = _findings(tmp_path, given)
    fix = before[rule].fix
    assert fix is not None
    root = json.loads((tmp_path / "zarr.json").read_text())
    fixed = apply_patch(root, [dict(one) for one in fix.patch])["attributes"]

    assert fixed == right
    beside_it = {"NZ-NAME-004"} if "CONVENTIONS" in right else set()  # another attribute of its own
    assert set(_findings(tmp_path, fixed)) - set(before) == beside_it


def test_a_declaration_above_the_attributes_is_moved_where_there_are_none(tmp_path: Path) -> None:
    root = {"zarr_format": 3, "node_type": "group", "conventions": "NZ-1.0"}
    (tmp_path / "zarr.json").write_text(json.dumps(root))
    (found,) = (
        one for one in nz.check(tmp_path, progress=False).findings if one.rule == "Z3-DOC-004"
    )
    assert found.fix is not None
    fixed = apply_patch(root, [dict(one) for one in found.fix.patch])
    assert fixed["attributes"] == {"conventions": "NZ-1.0"}
    assert "conventions" not in fixed


@pytest.mark.parametrize(
    ("given", "dropped"),
    [
        ("Argo reference table 2", False), ("see CF-1.8, chapter 3", False), ("made with tool-3", False),
        ("CF-1.8", True), ("CF-1.8, ACDD-1.3", True), ("ACDD COARDS", True), ("cf-1.8 MyLab", True),
    ],
)  # fmt: skip
def test_what_is_no_declaration_is_not_dropped_below_the_root(
    given: str, dropped: bool, tmp_path: Path
) -> None:
    group = {"zarr_format": 3, "node_type": "group", "attributes": {"conventions": given}}
    (tmp_path / "g").mkdir()
    (tmp_path / "g" / "zarr.json").write_text(json.dumps(group))
    fix = _findings(tmp_path, {"conventions": "NZ-1.0"})["NZ-DECL-010"].fix
    assert fix is not None
    assert [one["op"] for one in fix.patch] == ["remove"] * dropped
