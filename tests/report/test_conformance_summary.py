"""Which conventions a store declares, uses and keeps, and what NZ-1.0 still lacks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zarr
import zarr_cm

import nz_explorer as nz
from nz_explorer.report.conformance_summary import ConformanceSummary, ConventionSummary
from tests.corpus.cases import CASES, contents, write

CS = next(case for case in CASES if case["name"] == "CS-ARR-001: near miss: an object")


def _overview(folder: Path) -> ConformanceSummary:
    return nz.check(folder, progress=False).conformance


def _named(found: ConformanceSummary, name: str) -> ConventionSummary:
    return next(one for one in found.conventions if one.name == name)


def test_a_store_that_keeps_nz(tmp_path: Path) -> None:
    found = _overview(write(contents({"base": "plain"}), tmp_path))
    conformance = _named(found, "NZ-1.0")
    assert (list(conformance.declared), list(conformance.versions)) == (
        ["conventions of /"],
        ["1.0"],
    )
    assert conformance.conforms is True
    assert _named(found, "Zarr v3").conforms is True
    assert found.steps == []
    assert [one.name for one in found.conventions] == ["NZ-1.0", "Zarr v3"]


def test_what_is_seen_in_a_store_that_is_consolidated(tmp_path: Path) -> None:
    levels = {"multiscales": [{"axes": ["y", "x"], "datasets": [{"path": "s0/im"}]}]}
    root = zarr.open_group(tmp_path, mode="w", zarr_format=2)
    image = root.create_group("image", attributes=levels)
    image.create_array("s0/im", data=np.zeros((2, 2)), attributes={"units": "K"})
    root.create_group("labels", attributes={"ome": {"labels": ["cells"]}})
    zarr.consolidate_metadata(tmp_path)
    report = nz.check(tmp_path, progress=False)
    assert list(_named(report.conformance, "OME-Zarr").paths) == ["/image", "/labels"]
    assert list(report.conformance.pyramids) == ["/image"]
    (unnamed,) = (one for one in report.findings if one.rule == "Z2-OGC-002")
    assert unnamed.fix is not None
    assert unnamed.fix.note is None
    assert unnamed.fix.to_dict()["patch"][-1]["value"] == ["y", "x"]


def test_what_is_declared_and_what_is_seen(tmp_path: Path) -> None:
    attributes = {"Conventions": "CF-1.10, ACDD-1.3"}
    root = zarr.open_group(tmp_path, mode="w", attributes=attributes)
    root.create_array("a", data=np.zeros(2), attributes={"standard_name": "height", "_CRS": {}})
    root.create_array("b", data=np.zeros(2), attributes={"_ARRAY_DIMENSIONS": ["x"]})
    entry = {**zarr_cm.proj.CMO}
    root.create_array(
        "c", data=np.zeros(2), attributes={"zarr_conventions": [entry], "proj:code": "EPSG:4326"}
    )
    root.create_array("d", data=np.zeros(2), attributes={"proj:code": 4326})
    found = _overview(tmp_path)
    cf = _named(found, "CF")
    assert (list(cf.declared), list(cf.versions)) == (["Conventions of /"], ["1.10"])
    assert list(cf.paths) == ["/a"]
    assert cf.uses == {"attribute standard_name": 1}
    assert _named(found, "ACDD").versions == {"1.3": None}
    assert list(_named(found, "xarray").paths) == ["/b"]
    assert list(_named(found, "GDAL").paths) == ["/a"]
    proj = _named(found, "proj")
    assert list(proj.declared) == ["zarr_conventions of /c"]
    assert proj.uses == {"proj:code": 2}
    assert proj.conforms is False
    assert [path for path, _ in proj.problems] == ["/d"]
    assert _named(found, "NZ-1.0").conforms is False


def test_cs_with_its_revision_and_verdict(tmp_path: Path) -> None:
    found = _overview(write(contents(CS), tmp_path))
    conformance = _named(found, "cs")
    (declared, seen), conforms = conformance.versions, conformance.conforms
    assert (declared, seen[:2], conforms) == ("v1", "r2", True)
    assert "sets of coordinates have a direction" in seen
    assert "the newest is r4" in seen
    assert list(conformance.paths) == ["/b"]


def test_the_newest_revision_of_cs_is_named_once(tmp_path: Path) -> None:
    name = "REF-002: near miss: a path of cs that begins at the array"
    case = next(case for case in CASES if case["name"] == name)
    (seen,) = _named(_overview(write(contents(case), tmp_path)), "cs").versions
    assert seen.startswith("r4")
    assert "newest" not in seen


def test_arrays_of_coordinates_are_references(tmp_path: Path) -> None:
    case = next(case for case in CASES if case["name"] == "CS-VAL-004: near miss: as long")
    found = _overview(write(contents(case), tmp_path))
    assert _named(found, "ref").uses == {"references of cs": 1}
    assert _named(found, "ref").conforms is True


@pytest.mark.parametrize(
    ("name", "cs", "ref"),
    [
        ("REF-001: array, of an earlier form of ref", False, False),
        ("REF-005: a name with a capital", False, False),
        ("REF-002: a character written as in a URI", False, False),
        ("REF-002: two nodes", True, None),
        ("CS-AX-007: capitals", False, "unused"),
    ],
)
def test_a_broken_reference_breaks_what_uses_it(
    name: str, cs: bool | None, ref: bool | str | None, tmp_path: Path
) -> None:
    case = next(case for case in CASES if case["name"] == name)
    found = _overview(write(contents(case), tmp_path))
    assert _named(found, "cs").conforms is cs
    if ref != "unused":
        assert _named(found, "ref").conforms is ref


def test_the_list_of_what_to_do(tmp_path: Path) -> None:
    root = zarr.open_group(tmp_path, mode="w")
    root.create_array("s", data=np.array(1.0))
    root.create_array("t", data=np.zeros((2, 3)), attributes={"_ARRAY_DIMENSIONS": ["y", "x"]})
    root.create_array("u", data=np.zeros((4, 5)))
    found = _overview(tmp_path)
    steps = {step.rule: (len(step.findings), len(step.safe)) for step in found.steps}
    assert steps == {"NZ-DECL-001": (1, 1), "NZ-SCAL-001": (1, 1), "NZ-DIM-001": (2, 1)}
    assert found.steps[-1].rule == "NZ-DIM-001"  # what needs a person comes last


def test_zarr_v2_can_only_follow_by_analogy(tmp_path: Path) -> None:
    found = _overview(write(contents({"base": "v2"}), tmp_path))
    assert found.why_not is not None
    assert "by analogy" in found.why_not
    assert _named(found, "Zarr v2").conforms is True


@pytest.mark.parametrize("layout", [True, False])
def test_the_levels_of_pyramids(layout: bool, tmp_path: Path) -> None:
    given: dict[str, Any] = {"layout": [{"asset": "0"}, {"asset": "1"}]}
    if not layout:
        given = {"tile_matrix_set": {"tileMatrices": [{"id": "0"}, {"id": "1"}]}}
    root = zarr.open_group(tmp_path, mode="w", attributes={"multiscales": given})
    for name, length in (("0", 8), ("1", 4)):
        root.create_group(name).create_array("b", shape=(length, length), dtype="u1")
    found = _overview(tmp_path)
    assert [level.arrays for level in found.pyramids["/"]] == [{"b": (8, 8)}, {"b": (4, 4)}]
    assert _named(found, "multiscales" if layout else "GeoZarr").uses


def test_it_is_json_and_text(sample_store: Path, broken_store: Path, capsys: Any) -> None:
    from nz_explorer.cli import main

    for source in (sample_store, broken_store):
        for form in ("json", "text"):
            with pytest.raises(SystemExit) as end:
                main.main(["conventions", str(source), "--format", form], "nz-explorer")
            assert not end.value.code
            out = capsys.readouterr().out
            if form == "json":
                assert json.loads(out)["schema"] == "nz-explorer/conventions/1"
            else:
                assert "NZ-1.0" in out
