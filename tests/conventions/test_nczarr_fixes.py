"""Fixes of what netCDF-C notes: what they leave is what netCDF-C reads."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import netCDF4
import pytest
import xarray as xr
from jsonpatch import apply_patch

import nz_explorer as nz
from nz_explorer.conventions import evaluate

NOTED = {"dimension_references": ["/g/x"], "storage": "chunked"}


def _store(
    folder: Path, noted: Mapping[str, Any], shape: tuple[int, ...] = (3,), **root: Any
) -> Path:
    """Write an array in a group that declares its dimension, as netCDF-C does."""
    array = {"zarr_format": 2, "shape": shape, "chunks": shape, "dtype": "<f4", "order": "C"}
    groups = {"dimensions": {}, "arrays": [], "groups": ["g"]}
    documents = {
        ".zgroup": {"zarr_format": 2},
        ".zattrs": {
            "_nczarr_superblock": {"version": "2.0.0"},
            "_nczarr_group": groups,
            "_nczarr_attr": {"types": dict.fromkeys(root, ">S1")},
            **root,
        },
        "g/.zgroup": {"zarr_format": 2},
        "g/.zattrs": {"_nczarr_group": {"dimensions": {"x": 3}, "arrays": ["a"], "groups": []}},
        "g/a/.zarray": {**array, "compressor": None, "fill_value": None, "filters": None},
        "g/a/.zattrs": {"_ARRAY_DIMENSIONS": ["x"], "_nczarr_array": noted},
    }
    for key, document in documents.items():
        (folder / key).parent.mkdir(parents=True, exist_ok=True)
        (folder / key).write_text(json.dumps(document), "utf-8")
    return folder


def _fix(store: Path, rule: str) -> nz.Fix | None:
    (found,) = nz.check(store, select=[rule], progress=False).findings
    return found.fix


def _apply(store: Path, fix: nz.Fix | None) -> None:
    assert fix is not None
    for change in fix.changes:
        document = store / change.document
        patched = apply_patch(json.loads(document.read_text("utf-8")), change.patch)
        document.write_text(json.dumps(patched), "utf-8")


def _change(document: Path, part: str = "", **members: Any) -> None:
    """Give members of a document, or of an object in it, other values."""
    given = json.loads(document.read_text("utf-8"))
    (given[part] if part else given).update(members)
    document.write_text(json.dumps(given), "utf-8")


@pytest.mark.parametrize("wrong", ["/g/X", "/x", "/h/x"])
def test_a_reference_leads_to_the_dimension_of_that_name_in_sight(
    wrong: str, tmp_path: Path
) -> None:
    store = _store(tmp_path, {**NOTED, "dimension_references": [wrong]})
    _apply(store, _fix(store, "NCZ-VAR-002"))
    noted = json.loads((store / "g/a/.zattrs").read_text("utf-8"))["_nczarr_array"]
    assert noted == NOTED


@pytest.mark.parametrize("wrong", [["g/x"], ["x"], "/g/x", "x", ["/g/x/"]])
def test_a_reference_becomes_the_full_name_of_the_dimension_in_sight(
    wrong: Any, tmp_path: Path
) -> None:
    store = _store(tmp_path, {**NOTED, "dimension_references": wrong})
    _apply(store, _fix(store, "NCZ-VAR-001"))
    noted = json.loads((store / "g/a/.zattrs").read_text("utf-8"))["_nczarr_array"]
    assert noted == NOTED
    assert not nz.check(store, select=["NCZ-VAR"], progress=False).findings


@pytest.mark.parametrize("wrong", [["y"], ["h/x"], ["x", "x"], "x x", [], [3], None])
def test_no_reference_is_made_up_where_no_dimension_fits(wrong: Any, tmp_path: Path) -> None:
    store = _store(tmp_path, {**NOTED, "dimension_references": wrong})
    _change(store / "g/a/.zattrs", _ARRAY_DIMENSIONS=["k"])
    found = nz.check(store, select=["NCZ-VAR-001"], progress=False).findings
    assert [one.fix for one in found] == [None]


def test_no_reference_is_made_to_a_dimension_of_another_length(tmp_path: Path) -> None:
    store = _store(tmp_path, {**NOTED, "dimension_references": ["x"]}, (4,))
    assert _fix(store, "NCZ-VAR-001") is None


def test_a_dimension_is_not_declared_where_netcdf_does_not_look(tmp_path: Path) -> None:
    store = _store(tmp_path, {**NOTED, "dimension_references": ["/h/k"]})
    (store / "h").mkdir()
    (store / "h/.zgroup").write_text('{"zarr_format": 2}', "utf-8")
    (store / "h/.zattrs").write_text(
        '{"_nczarr_group": {"dimensions": {}, "arrays": [], "groups": []}}', "utf-8"
    )
    assert _fix(store, "NCZ-VAR-002") is None


@pytest.mark.parametrize(("shape", "offered"), [((1,), True), ((3,), False)])
def test_only_what_has_the_shape_of_a_scalar_is_marked_as_one(
    shape: tuple[int, ...], offered: bool, tmp_path: Path
) -> None:
    store = _store(tmp_path, {"dimension_references": [], "storage": "scalar"}, shape)
    assert (_fix(store, "NCZ-VAR-007") is not None) is offered


def test_the_type_of_a_note_goes_with_it(tmp_path: Path) -> None:
    store = _store(tmp_path, NOTED, _NCProperties=2)
    _apply(store, _fix(store, "NCZ-ATT-003"))
    left = nz.check(store, select=["NCZ-ATT"], progress=False).findings
    assert [finding.message for finding in left if finding.path == "/"] == []


@pytest.mark.parametrize(("lengths", "left"), [((4, 3), 3), ((4, 4), 4), ((4,), 4)])
def test_a_dimension_keeps_the_length_that_other_arrays_have(
    lengths: tuple[int, ...], left: int, tmp_path: Path
) -> None:
    store = _store(tmp_path, NOTED, (lengths[0],))
    for number, length in enumerate(lengths[1:]):
        other = _store(tmp_path / "other", NOTED, (length,)) / "g/a"
        other.rename(store / f"g/b{number}")
    found = nz.check(store, select=["NCZ-VAR-002"], progress=False).findings[0]
    assert found.path == "/g/a"
    assert found.fix is not None
    if left == 3:
        assert found.fix.note is not None
        assert found.fix.note.startswith("/g/b0 has the declared length")
    _apply(store, found.fix)
    group = json.loads((store / "g/.zattrs").read_text("utf-8"))["_nczarr_group"]
    assert group["dimensions"] == {"x": left}


def _group(store: Path, path: str, **changed: Any) -> None:
    document = store / path / ".zattrs"
    attributes = json.loads(document.read_text("utf-8"))
    attributes["_nczarr_group"].update(changed)
    document.write_text(json.dumps(attributes), "utf-8")


def test_an_array_is_not_listed_before_its_dimension_is_declared(tmp_path: Path) -> None:
    store = _store(tmp_path, NOTED)
    _group(store, "g", dimensions={}, arrays=[])
    fix = _fix(store, "NCZ-GRP-002")
    assert fix is not None
    assert fix.patch == ()  # netCDF-C opens the dataset, and would crash
    assert fix.note is not None
    assert fix.note.startswith("declare /g/x first")
    _apply(store, _fix(store, "NCZ-VAR-002"))
    _apply(store, _fix(store, "NCZ-GRP-002"))
    assert nz.check(store, progress=False).readers["netCDF-C"].opens


def test_a_group_is_not_listed_while_its_arrays_refer_to_another_one(tmp_path: Path) -> None:
    store = _store(tmp_path, NOTED)
    (store / "g").rename(store / "copy")
    _group(store, "", groups=[])
    fix = _fix(store, "NCZ-GRP-002")
    assert fix is not None
    assert fix.patch == ()


def test_no_dimension_is_declared_that_netcdf_refuses(tmp_path: Path) -> None:
    store = _store(tmp_path, {**NOTED, "dimension_references": ["/g/q "]})
    assert _fix(store, "NCZ-VAR-002") is None


def test_names_do_not_follow_references_that_lead_nowhere(tmp_path: Path) -> None:
    store = _store(tmp_path, {**NOTED, "dimension_references": ["/g/q"]})
    fix = _fix(store, "NCZ-VAR-003")
    assert fix is not None
    assert fix.patch == ()


def test_arrays_below_are_compared_again_with_a_dimension_that_is_declared(tmp_path: Path) -> None:
    store = _store(tmp_path, {**NOTED, "dimension_references": ["/q"]})
    what_if = nz.WhatIf(nz.check(store, progress=False).evaluation)
    (finding,) = (f for f in what_if.base.findings() if f.rule == "NCZ-VAR-002")
    what_if.apply(finding)
    assert finding in what_if.gone


def test_a_reference_begins_where_its_dataset_begins(tmp_path: Path) -> None:
    """In a folder of datasets netCDF-C opens each by itself."""
    store = _store(tmp_path / "d", {**NOTED, "dimension_references": ["/g/X"]})
    (tmp_path / ".zgroup").write_text('{"zarr_format": 2}', "utf-8")
    (found,) = nz.check(
        tmp_path, conventions="nczarr", select=["NCZ-VAR-002"], progress=False
    ).findings
    assert found.path == "/d/g/a"
    assert found.fix is not None
    assert [one["value"] for one in found.fix.patch] == ["/g/x"]
    nz.apply([found], nz.open_store(tmp_path, mode="r+")).write()
    with netCDF4.Dataset(f"{store.as_uri()}#mode=nczarr,file") as opened:
        assert opened["g/a"].dimensions == ("x",)


def _in_upper_case(document: Path) -> None:
    given = json.loads(document.read_text("utf-8"))
    late = {key.upper() if key.startswith("_nczarr") else key: given[key] for key in given}
    document.write_text(json.dumps(late), "utf-8")


def test_all_names_in_upper_case_become_those_of_today_at_once(tmp_path: Path) -> None:
    """With the superblock alone netCDF-C would see nothing of the dataset, or refuse it."""
    store = _store(tmp_path, NOTED)
    before = {path: json.loads(path.read_text("utf-8")) for path in store.rglob(".zattrs")}
    for document in before:
        _in_upper_case(document)
    _apply(store, _fix(store, "NCZ-ERA-002"))
    assert {path: json.loads(path.read_text("utf-8")) for path in store.rglob(".zattrs")} == before


@pytest.mark.parametrize("attributes", [None, {}])
def test_lost_notes_of_an_empty_group_come_with_their_types(
    attributes: dict[str, Any] | None, tmp_path: Path
) -> None:
    store = _store(tmp_path, NOTED)
    root = json.loads((store / ".zattrs").read_text("utf-8"))
    root["_nczarr_group"]["groups"].append("e")
    (store / ".zattrs").write_text(json.dumps(root), "utf-8")
    (store / "e").mkdir()
    (store / "e/.zgroup").write_text('{"zarr_format": 2}', "utf-8")
    if attributes is not None:
        (store / "e/.zattrs").write_text(json.dumps(attributes), "utf-8")
    (found,) = nz.check(store, select=["NCZ-SB-002"], progress=False).findings
    assert found.fix is not None
    nz.apply([found], nz.open_store(store, mode="r+")).write()
    left = nz.check(store, select=["NCZ"], progress=False).findings
    assert [one.rule for one in left if one.path == "/e"] == []


def test_characters_do_not_become_strings_unasked(tmp_path: Path) -> None:
    """In a dataset with a superblock netCDF-C takes >S1 for characters, and |S1 for strings."""
    store = _store(tmp_path, NOTED)
    document = store / "g/a/.zarray"
    given = json.loads(document.read_text("utf-8"))
    for dtype, safety in ((">S1", "suggest"), ("<S1", "safe"), (">S2", "safe")):
        document.write_text(json.dumps({**given, "dtype": dtype}), "utf-8")
        fix = _fix(store, "Z2-DT-001")
        assert fix is not None
        assert fix.safety == safety
    (store / ".zattrs").write_text("{}", "utf-8")
    document.write_text(json.dumps({**given, "dtype": ">S1"}), "utf-8")
    # a superblock that was lost can be added again; without what is noted of the array it is none of netCDF-C's
    for attributes, safety in ((None, "suggest"), ({"_ARRAY_DIMENSIONS": ["x"]}, "safe")):
        if attributes is not None:
            (store / "g/a/.zattrs").write_text(json.dumps(attributes), "utf-8")
        fix = _fix(store, "Z2-DT-001")
        assert fix is not None
        assert fix.safety == safety


@pytest.mark.parametrize("given", ["3", 3.0, {"size": "three", "unlimited": 0}, None])
def test_a_dimension_gets_the_length_of_the_arrays(given: Any, tmp_path: Path) -> None:
    store = _store(tmp_path, NOTED)
    document = store / "g" / ".zattrs"
    root = json.loads(document.read_text("utf-8"))
    root["_nczarr_group"]["dimensions"]["x"] = given
    document.write_text(json.dumps(root), "utf-8")
    _apply(store, _fix(store, "NCZ-GRP-001"))
    assert nz.check(store, select=["NCZ-GRP-001", "NCZ-VAR-002"], progress=False).findings == []
    left = json.loads(document.read_text("utf-8"))["_nczarr_group"]["dimensions"]["x"]
    assert left == ({**given, "size": 3} if isinstance(given, dict) else 3)


def test_what_only_netcdf_c_finds_stays_in_the_list(tmp_path: Path) -> None:
    """On Linux it opens an array with a backslash in its name, which TREE-015 moves."""
    store = _store(tmp_path, NOTED)
    (store / "g" / "a").rename(store / "g" / "a\\b")
    document = store / "g" / ".zattrs"
    document.write_text(document.read_text("utf-8").replace('["a"]', '["a\\\\b", "gone"]'), "utf-8")
    fix = _fix(store, "NCZ-GRP-002")
    assert fix is not None
    assert [one["value"] for change in fix.changes for one in change.patch] == [["a\\b"]]


def test_a_name_of_two_lengths_stays_that_of_its_coordinate(tmp_path: Path) -> None:
    array = {"zarr_format": 2, "dtype": "<f4", "order": "C", "compressor": None}
    lengths = {"a": [2, 2], "b": [2], "n": [4]}
    documents: dict[str, Any] = {".zgroup": {"zarr_format": 2}}
    for name, shape in lengths.items():
        more = {"shape": shape, "chunks": shape, "fill_value": None, "filters": None}
        documents[f"{name}/.zarray"] = array | more
        documents[f"{name}/.zattrs"] = {"_ARRAY_DIMENSIONS": ["n"] * len(shape)}
    for key, document in documents.items():
        (tmp_path / key).parent.mkdir(exist_ok=True)
        (tmp_path / key).write_text(json.dumps(document), "utf-8")
    (found,) = nz.check(tmp_path, "nczarr", select=["NCZ-DIM-003"], progress=False).findings
    _apply(tmp_path, found.fix)
    names = {
        name: json.loads((tmp_path / name / ".zattrs").read_text("utf-8"))["_ARRAY_DIMENSIONS"]
        for name in lengths
    }
    assert names == {"a": ["n_2", "n_2"], "b": ["n_2"], "n": ["n"]}


def test_a_group_that_is_looked_at_again_gives_its_dimensions_to_arrays_below(
    tmp_path: Path,
) -> None:
    """netCDF-C 4.9.2 wrote no .zattrs of a group without attributes, and 4.10 crashes at what is below."""
    array = {"zarr_format": 2, "shape": [3], "chunks": [3], "dtype": "<f4", "order": "C"}
    array |= {"compressor": None, "fill_value": None, "filters": None}
    superblock = {"_nczarr_superblock": {"version": "2.0.0"}}
    lists: dict[str, Any] = {"dims": {}, "vars": [], "groups": []}
    documents = {
        ".zgroup": {"_nczarr_group": {**lists, "groups": ["g"]}, **superblock},
        ".zattrs": {},
        "g/.zgroup": {"_nczarr_group": {**lists, "dims": {"x": 3}, "groups": ["h"]}},
        "g/h/.zgroup": {"_nczarr_group": {**lists, "vars": ["a"]}},
        "g/h/.zattrs": {},
        "g/h/a/.zarray": {**array, "_nczarr_array": {"dimrefs": ["/g/x"]}},
        "g/h/a/.zattrs": {"_ARRAY_DIMENSIONS": ["x"]},
    }
    for key, document in documents.items():
        whole = {"zarr_format": 2, **document} if key.endswith(".zgroup") else document
        (tmp_path / key).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / key).write_text(json.dumps(whole), "utf-8")
    evaluation = evaluate(nz.open_store(tmp_path, mode="r+"))
    evaluation.run()
    attempt = nz.WhatIf(evaluation)
    found = [one for one in attempt.base.findings() if one.rule == "NCZ-ERA-002"]
    assert [one.path for one in found] == ["/g", "/g/h/a"]
    attempt.apply(found[1])
    assert [one for one in attempt.evaluation.findings() if one.rule == "NCZ-ERA-002"] == []


def test_a_group_is_not_listed_before_it_has_metadata(tmp_path: Path) -> None:
    store = _store(tmp_path, NOTED)
    (store / "added").mkdir()
    (store / "added/.zgroup").write_text('{"zarr_format": 2}', "utf-8")
    (store / "added/.zattrs").write_text("{}", "utf-8")
    fix = _fix(store, "NCZ-GRP-002")
    assert fix is not None
    assert fix.note is not None
    assert fix.note.startswith('make the NCZarr metadata of "added" first')
    _apply(store, _fix(store, "NCZ-SB-002"))
    _apply(store, _fix(store, "NCZ-GRP-002"))
    found = nz.check(store, select=["NCZ-GRP-002", "NCZ-SB-002"], progress=False).findings
    assert [str(finding) for finding in found] == []


def test_a_group_is_not_listed_before_the_arrays_in_it_have_metadata(tmp_path: Path) -> None:
    store = _store(tmp_path, NOTED)
    root = json.loads((store / ".zattrs").read_text("utf-8"))
    root["_nczarr_group"]["groups"] = []
    (store / ".zattrs").write_text(json.dumps(root), "utf-8")
    (store / "g/a/.zattrs").write_text('{"_ARRAY_DIMENSIONS": ["x"]}', "utf-8")
    fix = _fix(store, "NCZ-GRP-002")
    assert fix is not None
    assert fix.patch == ()
    assert (fix.note or "").startswith("make the NCZarr metadata of /g/a first")
    _apply(store, _fix(store, "NCZ-VAR-006"))
    _apply(store, _fix(store, "NCZ-GRP-002"))
    with netCDF4.Dataset(f"{store.as_uri()}#mode=nczarr,file") as found:
        assert found["g/a"].dimensions == ("x",)


@pytest.mark.parametrize(
    ("rule", "attribute", "spelled", "left"),
    [
        ("NZ-ATTR-002", None, ">S1", {}),
        ("NZ-NAME-003", 1, "<i4", {"a_b": "<i4"}),
        ("CF-ATTR-001", "12", ">S1", {"valid_max": "<f8"}),
    ],
)
def test_the_type_of_an_attribute_goes_with_what_other_rules_change(
    rule: str, attribute: Any, spelled: str, left: dict[str, str], tmp_path: Path
) -> None:
    name = {"NZ-NAME-003": "a/b", "CF-ATTR-001": "valid_max"}.get(rule, "comment")
    store = _store(tmp_path, NOTED)
    document = store / "g/a/.zattrs"
    attributes = json.loads(document.read_text("utf-8"))
    attributes.setdefault("_nczarr_attr", {"types": {}})["types"][name] = spelled
    document.write_text(json.dumps({**attributes, name: attribute}), "utf-8")
    _apply(store, _fix(store, rule))
    types = json.loads(document.read_text("utf-8"))["_nczarr_attr"]["types"]
    before = {key: one for key, one in attributes["_nczarr_attr"]["types"].items() if key != name}
    assert types == before | left


@pytest.mark.parametrize("name", ["_nczarr_array", "_nczarr_attr", "comment"])
def test_only_null_of_a_user_is_text_to_netcdf_c(name: str, tmp_path: Path) -> None:
    store = _store(tmp_path, NOTED)
    _change(store / "g/a/.zattrs", **{name: None})
    (found,) = nz.check(store, select=["NZ-ATTR-002"], progress=False).findings
    assert ("netCDF-C" in found.readers) is (name == "comment")


def test_a_text_that_a_fix_adds_has_a_type(tmp_path: Path) -> None:
    store = _store(tmp_path, NOTED)
    document = store / ".zattrs"
    attributes = json.loads(document.read_text("utf-8"))
    document.write_text(json.dumps({**attributes, "_nczarr_attr": {"types": {}}}), "utf-8")
    _apply(store, _fix(store, "NZ-DECL-001"))
    after = json.loads(document.read_text("utf-8"))
    assert after["_nczarr_attr"]["types"]["conventions"] == ">S1"


@pytest.mark.parametrize("names", [["x", "y"], None])
@pytest.mark.parametrize("rule", ["NCZ-VAR-002", "NCZ-VAR-003"])
def test_references_in_the_wrong_order_are_put_in_order(
    rule: str, names: list[str] | None, tmp_path: Path
) -> None:
    """By the names of xarray where they are there, else by the lengths; no dimension is made longer."""
    store = _store(tmp_path, {**NOTED, "dimension_references": ["/g/y", "/g/x"]}, (3, 4))
    group, array = store / "g/.zattrs", store / "g/a/.zattrs"
    noted = json.loads(group.read_text("utf-8"))
    noted["_nczarr_group"]["dimensions"] = {"x": 3, "y": 4}
    group.write_text(json.dumps(noted), "utf-8")
    attributes = json.loads(array.read_text("utf-8"))
    if names is None:
        del attributes["_ARRAY_DIMENSIONS"]
    else:
        attributes["_ARRAY_DIMENSIONS"] = names
    array.write_text(json.dumps(attributes), "utf-8")
    if names is None and rule == "NCZ-VAR-003":
        assert not nz.check(store, select=[rule], progress=False).findings
        return
    found = nz.check(store, select=[rule], progress=False).findings
    _apply(store, found[0].fix)
    right = json.loads(array.read_text("utf-8"))["_nczarr_array"]["dimension_references"]
    assert right == ["/g/x", "/g/y"]
    assert json.loads(group.read_text("utf-8")) == noted
    assert not nz.check(store, select=[rule], progress=False).findings


def test_a_type_without_its_attribute_is_taken_away(tmp_path: Path) -> None:
    store = _store(tmp_path, NOTED, title="a title")
    root = json.loads((store / ".zattrs").read_text("utf-8"))
    del root["title"]
    (store / ".zattrs").write_text(json.dumps(root), "utf-8")
    found = nz.check(store, select=["NCZ-ATT-001"], progress=False).findings
    (left,) = [one for one in found if "not an attribute here" in one.message]
    _apply(store, left.fix)
    assert json.loads((store / ".zattrs").read_text("utf-8"))["_nczarr_attr"] == {"types": {}}


@pytest.mark.parametrize(
    ("given", "does"),
    [
        (["/g/x"], "crashes the process (4.10)"),
        (["/g/y"], "refuses the dataset: invalid dimension size"),
        (["/g/none"], "crashes the process (4.10)"),
    ],
)
def test_too_few_references_stop_netcdf_c_at_the_first_of_another_length(
    given: list[str], does: str, tmp_path: Path
) -> None:
    store = _store(tmp_path, {"dimension_references": given, "storage": "chunked"}, (3, 4))
    group = store / "g/.zattrs"
    noted = json.loads(group.read_text("utf-8"))
    noted["_nczarr_group"]["dimensions"] = {"x": 3, "y": 4}
    group.write_text(json.dumps(noted), "utf-8")
    (found,) = nz.check(store, select=["NCZ-VAR-001"], progress=False).findings
    assert found.readers["netCDF-C"] == does


def _declare(folder: Path, **dimensions: int) -> None:
    """Make a group declare dimensions, besides those that it has."""
    folder.mkdir(exist_ok=True)
    if not (folder / ".zgroup").exists():
        (folder / ".zgroup").write_text('{"zarr_format": 2}', "utf-8")
        notes: dict[str, Any] = {"dimensions": {}, "arrays": [], "groups": []}
        (folder / ".zattrs").write_text(json.dumps({"_nczarr_group": notes}), "utf-8")
    noted = json.loads((folder / ".zattrs").read_text("utf-8"))
    noted["_nczarr_group"]["dimensions"].update(dimensions)
    (folder / ".zattrs").write_text(json.dumps(noted), "utf-8")


def test_a_copied_array_refers_to_the_dimension_of_its_new_group(tmp_path: Path) -> None:
    store = _store(tmp_path, {**NOTED, "dimension_references": ["/h/x"]})
    _declare(store / "h", x=3)
    (found,) = nz.check(store, select=["NCZ-VAR-002"], progress=False).findings
    assert "unless it has read that group before" in found.readers["netCDF-C"]
    _apply(store, found.fix)
    assert json.loads((store / "g/a/.zattrs").read_text("utf-8"))["_nczarr_array"] == NOTED


def test_a_reference_of_another_length_leads_to_the_nearer_dimension_of_that_name(
    tmp_path: Path,
) -> None:
    store = _store(tmp_path, {**NOTED, "dimension_references": ["/x"]})
    _declare(store, x=5)
    _apply(store, _fix(store, "NCZ-VAR-002"))
    assert json.loads((store / "g/a/.zattrs").read_text("utf-8"))["_nczarr_array"] == NOTED


def test_what_is_out_of_sight_is_not_put_in_order(tmp_path: Path) -> None:
    store = _store(tmp_path, {**NOTED, "dimension_references": ["/h/y"]})
    _declare(store / "h", y=3)
    fix = _fix(store, "NCZ-VAR-003")
    assert fix is not None
    assert fix.note is not None
    assert not fix.patch


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (
            {"types": {}},
            'attribute "_FillValue" has no type, which NCZarr has of every attribute: netCDF-C takes that of the array',
        ),
        (None, "netCDF-C takes that of the array for _FillValue"),
    ],
)
def test_a_fill_value_without_a_type_has_that_of_the_array(
    given: dict[str, Any] | None, said: str, tmp_path: Path
) -> None:
    store = _store(tmp_path, NOTED)
    types = {} if given is None else {"_nczarr_attr": given}
    _change(store / "g/a/.zattrs", _FillValue=-999, **types)
    found = nz.check(store, select=["NCZ-ATT-001"], progress=False).findings
    assert [one.message.endswith(said) for one in found if one.path == "/g/a"] == [True]


@pytest.mark.parametrize(("shape", "refuses"), [((3,), False), ((3, 4), True)])
def test_without_chunks_netcdf_c_may_refuse_what_has_several_dimensions(
    shape: tuple[int, ...], refuses: bool, tmp_path: Path
) -> None:
    store = _store(tmp_path, NOTED, shape)
    document = store / "g/a/.zarray"
    array = json.loads(document.read_text("utf-8"))
    del array["chunks"]
    document.write_text(json.dumps(array), "utf-8")
    (found,) = nz.check(store, select=["Z2-ARR-002"], progress=False).findings
    assert found.readers["netCDF-C"].startswith("refuses the dataset, fails") is refuses


@pytest.mark.parametrize(
    "given", [None, [], ["/g/x"], ["/g/x", "/g/y", "/g/x"], "x", {"x": 3, "y": 4}, "none"]
)
def test_references_that_do_not_fit_are_those_of_the_names_of_xarray(
    given: Any, tmp_path: Path
) -> None:
    noted = {"dimension_references": given, "storage": "chunked"}
    if given == "none":
        del noted["dimension_references"]
    store = _store(tmp_path, noted, (3, 4))
    _change(store / "g/.zattrs", "_nczarr_group", dimensions={"x": 3, "y": 4})
    array = store / "g/a/.zattrs"
    _change(array, _ARRAY_DIMENSIONS=["x", "y"])
    _apply(store, _fix(store, "NCZ-VAR-001"))
    found = json.loads(array.read_text("utf-8"))["_nczarr_array"]["dimension_references"]
    assert found == ["/g/x", "/g/y"]


@pytest.mark.parametrize("names", [["x", "z"], ["x"], ["x", "/g/y"], ["y", "x"]])
def test_references_are_not_guessed_where_no_dimension_has_the_name_and_the_length(
    names: list[str], tmp_path: Path
) -> None:
    store = _store(tmp_path, {"storage": "chunked"}, (3, 4))
    _change(store / "g/.zattrs", "_nczarr_group", dimensions={"x": 3, "y": 4})
    _change(store / "g/a/.zattrs", _ARRAY_DIMENSIONS=names)
    assert _fix(store, "NCZ-VAR-001") is None


def test_references_are_not_guessed_where_two_groups_have_the_dimension(tmp_path: Path) -> None:
    store = _store(tmp_path, {"storage": "chunked"})
    _change(store / ".zattrs", "_nczarr_group", dimensions={"x": 3})
    assert _fix(store, "NCZ-VAR-001") is None


@pytest.mark.parametrize(
    ("rule", "key", "where"),
    [
        ("NCZ-GRP-001", "_nczarr_group", ".zattrs"),
        ("NCZ-SB-001", "_nczarr_superblock", ".zattrs"),
        ("NCZ-ATT-001", "_nczarr_attr", ".zattrs"),
        ("NCZ-VAR-001", "_nczarr_array", "g/a/.zattrs"),
    ],
)
def test_an_object_that_was_written_as_a_text_is_written_as_one(
    rule: str, key: str, where: str, tmp_path: Path
) -> None:
    store = _store(tmp_path, NOTED)
    right = json.loads((store / where).read_text("utf-8"))
    _change(store / where, **{key: json.dumps(right[key])})
    found = nz.check(store, select=[rule], progress=False).findings
    _apply(store, next(one for one in found if one.pointer == f"/.zattrs/{key}").fix)
    assert json.loads((store / where).read_text("utf-8")) == right
    _change(store / where, **{key: "no object"})
    found = nz.check(store, select=[rule], progress=False).findings
    fix = next(one for one in found if one.pointer == f"/.zattrs/{key}").fix
    assert (fix is not None) is (key == "_nczarr_superblock")  # which always says the same


@pytest.mark.parametrize(
    ("scalar", "references", "declared", "after"),
    [
        (1, ["/_scalar_"], {}, {"dimension_references": [], "scalar": 1}),
        (1, ["/_scalar_"], {"_scalar_": 1}, {"dimension_references": [], "scalar": 1}),
        (1, ["/lost"], {}, {"dimension_references": [], "scalar": 1}),
        (1, ["/one"], {"one": 1}, None),
        (0, ["/one"], {"one": 1}, {"dimension_references": ["/one"]}),
        (0, ["/lost"], {}, None),
    ],
)
def test_a_scalar_loses_its_dimension_or_an_array_the_mark(
    scalar: int,
    references: list[str],
    declared: Mapping[str, int],
    after: Mapping[str, Any] | None,
    tmp_path: Path,
) -> None:
    noted = {"dimension_references": references, "scalar": scalar}
    store = _store(tmp_path, noted, (1,))
    _change(store / ".zattrs", "_nczarr_group", dimensions=declared)
    fix = _fix(store, "NCZ-VAR-005")
    if after is None:
        assert fix is None
    else:
        _apply(store, fix)
        array = json.loads((store / "g/a/.zattrs").read_text("utf-8"))
        assert array["_nczarr_array"] == after


def test_no_dimension_is_declared_for_a_scalar(tmp_path: Path) -> None:
    store = _store(tmp_path, {"dimension_references": ["/_scalar_"], "scalar": 1}, (1,))
    assert _fix(store, "NCZ-VAR-002") is None


@pytest.mark.parametrize(
    ("value", "spelled"), [(["a", "bc"], "|S128"), ([{"a": 1}], ">S1"), ({"a": 1}, ">S1")]
)
def test_lists_of_texts_and_objects_that_a_fix_adds_have_a_type(
    value: Any, spelled: str, tmp_path: Path
) -> None:
    from nz_explorer.engine.fixes import Draft, finish, set_attribute

    root = evaluate(nz.open_store(_store(tmp_path, NOTED, title="a title"))).hierarchy.root
    for name in ("new", "title"):
        (change,) = finish(Draft("suggest", set_attribute(root, name, value)), root).changes
        types = apply_patch(dict(root.attributes), change.patch)["_nczarr_attr"]["types"]
        assert types == {"title": ">S1", name: spelled}


def test_netcdf_c_has_no_space_for_many_names_too_many(tmp_path: Path) -> None:
    for shape, crashes in (((3, 4), False), ((3, 4, 5), True)):
        store = _store(tmp_path, NOTED, shape)
        _change(store / "g/a/.zattrs", _ARRAY_DIMENSIONS=[*"abcd"[: len(shape) + 1]])
        address = f"file://{store}#mode=zarr,file"
        (found,) = nz.check(address, select=["Z2-OGC-003"], progress=False).findings
        assert ("netCDF-C" in found.readers) == crashes


def test_names_of_xarray_in_the_wrong_order_are_put_in_order(tmp_path: Path) -> None:
    """Where netCDF-C goes by them, and only one order has the lengths of the other arrays."""
    store = _store(tmp_path, NOTED, (3, 4))
    _change(store / "g/a/.zattrs", _ARRAY_DIMENSIONS=["y", "x"])
    for name, length in (("x", 3), ("y", 4)):
        (store / "g" / name).mkdir()
        array = json.loads((store / "g/a/.zarray").read_text("utf-8"))
        array |= {"shape": [length], "chunks": [length]}
        (store / "g" / name / ".zarray").write_text(json.dumps(array), "utf-8")
        (store / "g" / name / ".zattrs").write_text(f'{{"_ARRAY_DIMENSIONS": ["{name}"]}}', "utf-8")
    address = f"file://{store}#mode=zarr,file"
    found = nz.check(address, select=["NCZ-DIM-003"], progress=False).findings
    assert len(found) == 2
    _apply(store, found[0].fix)
    attributes = json.loads((store / "g/a/.zattrs").read_text("utf-8"))
    assert attributes["_ARRAY_DIMENSIONS"] == ["x", "y"]
    assert not nz.check(address, select=["NCZ-DIM-003"], progress=False).findings


def test_a_dataset_of_4_9_0_gets_the_names_and_types_of_today(tmp_path: Path) -> None:
    """What netCDF-C 4.9.0 wrote; 4.9.1 and 4.9.2 do not read its types of characters."""
    array = {"zarr_format": 2, "order": "C", "compressor": None, "filters": None}
    documents: dict[str, Any] = {
        ".zgroup": {
            "zarr_format": 2,
            "_NCZARR_SUPERBLOCK": {"version": "2.0.0"},
            "_NCZARR_GROUP": {"dims": {"x": 3}, "vars": ["v", "crs"], "groups": ["g"]},
        },
        ".zattrs": {"title": "t", "_NCZARR_ATTR": {"types": {"title": "<U1"}}},
        "v/.zarray": {
            **array,
            "shape": [3],
            "chunks": [3],
            "dtype": "<U1",
            "fill_value": "",
            "_NCZARR_ARRAY": {"dimrefs": ["/x"], "storage": "chunked"},
        },
        "v/.zattrs": {"_ARRAY_DIMENSIONS": ["x"], "_NCZARR_ATTR": {}},
        "crs/.zarray": {
            **array,
            "shape": [1],
            "chunks": [1],
            "dtype": "<i4",
            "fill_value": 0,
            "_NCZARR_ARRAY": {"dimrefs": [], "storage": "scalar"},
        },
        "crs/.zattrs": {"_ARRAY_DIMENSIONS": ["_scalar_"], "_NCZARR_ATTR": {}},
        "g/.zgroup": {
            "zarr_format": 2,
            "_NCZARR_GROUP": {"dims": {}, "vars": ["only"], "groups": []},
        },
        "g/only/.zarray": {
            **array,
            "shape": [3],
            "chunks": [3],
            "dtype": "<f4",
            "fill_value": 0,
            "_NCZARR_ARRAY": {"dimrefs": ["/x"], "storage": "chunked"},
        },
    }
    for key, document in documents.items():
        (tmp_path / key).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / key).write_text(json.dumps(document), "utf-8")
    (tmp_path / "v/0").write_bytes(b"abc")
    fix = _fix(tmp_path, "NCZ-ERA-002")
    assert fix is not None
    for change in fix.changes:
        file = tmp_path / change.document
        given = json.loads(file.read_text("utf-8")) if file.exists() else None
        file.write_text(json.dumps(apply_patch(given, change.patch)), "utf-8")
    left = nz.check(tmp_path, select=["NCZ"], progress=False)
    assert {one.rule for one in left.findings} <= {"NCZ-ERA-001", "NCZ-DIM-002"}
    with netCDF4.Dataset(f"{tmp_path.as_uri()}#mode=nczarr,file") as found:
        assert found.title == "t"
        assert [found["v"].dimensions, found["crs"].dimensions] == [("x",), ()]
        assert b"".join(found["v"][:].tolist()) == b"abc"
        assert found["g/only"].dimensions == ("x",)
    # before the fix it opened by the key in upper case
    with xr.open_dataset(tmp_path, engine="zarr", group="g", consolidated=False) as group:
        assert group["only"].dims == ("x",)


@pytest.mark.parametrize(
    ("given", "named"),
    [('["x"]', ["x"]), ("x", ["x"]), ("5", ["5"]), ("", ["dim_0"]), ('["x", "y"]', ["dim_0"])],
)
def test_a_text_becomes_the_list_that_it_is(given: str, named: list[str], tmp_path: Path) -> None:
    store = _store(tmp_path, NOTED)
    (store / "g/a/.zattrs").write_text(json.dumps({"_ARRAY_DIMENSIONS": given}), "utf-8")
    (store / ".zattrs").unlink()
    (store / "g/.zattrs").unlink()
    _apply(store, _fix(store, "Z2-OGC-003"))
    attributes = json.loads((store / "g/a/.zattrs").read_text("utf-8"))
    assert attributes["_ARRAY_DIMENSIONS"] == named


@pytest.mark.parametrize("left", [{}, {"title": "written by xarray"}])
def test_what_the_root_has_lost_is_said_once_and_made_again(
    left: dict[str, str], tmp_path: Path
) -> None:
    store = tmp_path / "s.zarr"
    address = f"{store.as_uri()}#mode=nczarr,file"
    with netCDF4.Dataset(address, "w") as dataset:
        dataset.createDimension("x", 3)
        dataset.createVariable("a", "f8", ("x",))[:] = [1, 2, 3]
        dataset.createVariable("s", "f8", ())[...] = 4
        dataset.createDimension("y", 2)  # which only a group below uses
        dataset.createGroup("g").createVariable("c", "f8", ("y", "x"))[:] = 5
    # as xarray leaves it, which writes the root's attributes again, and adds a variable without any of netCDF-C
    (store / ".zattrs").write_text(json.dumps(left))
    shutil.copytree(store / "a", store / "b")
    (store / "b" / ".zattrs").write_text('{"_ARRAY_DIMENSIONS": ["x"]}')
    found = nz.check(store, conventions=["nczarr"], select=["NCZ"], progress=False).findings
    (lost,) = (one for one in found if one.severity == "warning")
    assert (lost.rule, lost.path) == ("NCZ-SB-001", "/")
    _apply(store, lost.fix)
    after = nz.check(store, conventions=["nczarr"], select=["NCZ"], progress=False).findings
    assert [one for one in after if one.severity == "warning"] == []
    with netCDF4.Dataset(address) as dataset:
        assert {name: variable.shape for name, variable in dataset.variables.items()} == {
            "a": (3,),
            "b": (3,),
            "s": (),
        }
        assert dataset["g/c"].dimensions == ("y", "x")
        assert {name: dataset.getncattr(name) for name in left} == left


def test_a_group_that_holds_datasets_has_lost_nothing(tmp_path: Path) -> None:
    (tmp_path / ".zgroup").write_text('{"zarr_format": 2}')
    for name in "ab":
        with netCDF4.Dataset(f"{(tmp_path / name).as_uri()}#mode=nczarr,file", "w") as dataset:
            dataset.createDimension("x", 3)
            dataset.createVariable("x", "f8", ("x",))[:] = [1, 2, 3]
    found = nz.check(tmp_path, conventions=["nczarr"], select=["NCZ"], progress=False).findings
    assert {one.severity for one in found} == {"info"}


@pytest.mark.parametrize("given", [[], {}, {"version": "two"}, {"version": True}, None])
def test_a_superblock_is_written_as_netcdf_c_has_it(given: Any, tmp_path: Path) -> None:
    store = _store(tmp_path / "s.zarr", NOTED)
    _change(store / ".zattrs", _nczarr_superblock=given)
    _apply(store, _fix(store, "NCZ-SB-001"))
    assert json.loads((store / ".zattrs").read_text())["_nczarr_superblock"] == {"version": "2.0.0"}
    with netCDF4.Dataset(f"{store.as_uri()}#mode=nczarr,file") as dataset:
        assert dataset["g/a"].shape == (3,)


def test_a_superblock_that_is_missing_is_added(tmp_path: Path) -> None:
    store = _store(tmp_path / "s.zarr", NOTED)
    attributes = json.loads((store / ".zattrs").read_text())
    del attributes["_nczarr_superblock"]
    (store / ".zattrs").write_text(json.dumps(attributes))
    _apply(store, _fix(store, "NCZ-SB-001"))
    assert json.loads((store / ".zattrs").read_text())["_nczarr_superblock"] == {"version": "2.0.0"}


def test_a_group_copied_out_of_its_dataset_gets_a_superblock_once_its_references_lead_somewhere(
    tmp_path: Path,
) -> None:
    store = tmp_path / "g.zarr"
    shutil.copytree(_store(tmp_path / "s.zarr", NOTED) / "g", store)
    address = f"{store.as_uri()}#mode=nczarr,file"
    with netCDF4.Dataset(address) as dataset:  # by what xarray reads, too
        assert dataset["a"].dimensions == ("x",)
    advice = _fix(store, "NCZ-SB-001")
    assert advice is not None
    assert (advice.can_be_applied, "/g/x" in (advice.note or "")) == (False, True)
    _apply(store, _fix(store, "NCZ-VAR-002"))
    _apply(store, _fix(store, "NCZ-SB-001"))
    with netCDF4.Dataset(address) as dataset:
        assert dataset["a"].dimensions == ("x",)


def test_what_a_group_has_lost_is_made_again_with_what_its_new_arrays_lack(tmp_path: Path) -> None:
    store = _store(tmp_path / "s.zarr", NOTED)
    (store / "g" / ".zattrs").write_text("{}")  # as xarray leaves it, too
    shutil.copytree(store / "g" / "a", store / "g" / "b")
    (store / "g" / "b" / ".zattrs").write_text('{"_ARRAY_DIMENSIONS": ["x"]}')
    _apply(store, _fix(store, "NCZ-SB-002"))
    with netCDF4.Dataset(f"{store.as_uri()}#mode=nczarr,file") as dataset:
        assert [*dataset["g"].variables] == ["a", "b"]


def _add(store: Path, name: str, attributes: Mapping[str, Any], **changed: Any) -> None:
    """Add an array to the group beside the one that is there, as programs other than netCDF-C do."""
    shutil.copytree(store / "g" / "a", store / "g" / name)
    (store / "g" / name / ".zattrs").write_text(json.dumps(attributes))
    _change(store / "g" / name / ".zarray", **changed)


def test_an_added_array_is_listed_with_the_dimensions_that_xarray_names(tmp_path: Path) -> None:
    store = _store(tmp_path / "s.zarr", NOTED)
    _add(store, "b", {"_ARRAY_DIMENSIONS": ["y", "x"]}, shape=[2, 3], chunks=[2, 3])
    _apply(store, _fix(store, "NCZ-GRP-002"))
    with netCDF4.Dataset(f"{store.as_uri()}#mode=nczarr,file") as dataset:
        assert dataset["g/b"].dimensions == ("y", "x")
        assert dataset["g/b"].shape == (2, 3)


@pytest.mark.parametrize(
    ("attributes", "changed"),
    [
        ({"_ARRAY_DIMENSIONS": ["x"]}, {"dtype": "|b1"}),
        ({"_ARRAY_DIMENSIONS": ["x"]}, {"shape": [4], "chunks": [4]}),
        ({"_ARRAY_DIMENSIONS": ["x"], "flags": []}, {}),
        ({"_ARRAY_DIMENSIONS": ["x"], "_FillValue": 255.0}, {"dtype": "|u1"}),
        ({"_nczarr_array": NOTED}, {"dtype": "<M8[s]"}),
        ({"_nczarr_array": None, "_ARRAY_DIMENSIONS": ["x"]}, {}),
        ({"_nczarr_array": NOTED, "_nczarr_attr": []}, {}),
        ({"_nczarr_array": NOTED, "_nczarr_attr": {"types": {"u": "char"}}, "u": "m"}, {}),
        ({"_nczarr_array": NOTED, "_nczarr_attr": {"types": {"n": "<i2"}}, "n": 70000}, {}),
        ({"_nczarr_array": NOTED, "_nczarr_attr": {"types": {"n": "|u1"}}, "n": 255.0}, {}),
        ({}, {}),
    ],
)
def test_an_array_that_would_stop_netcdf_c_is_not_listed(
    attributes: Mapping[str, Any], changed: Mapping[str, Any], tmp_path: Path
) -> None:
    store = _store(tmp_path / "s.zarr", NOTED)
    _add(store, "b", attributes, **changed)
    fix = _fix(store, "NCZ-GRP-002")
    assert fix is not None
    assert fix.patch == ()
    assert 'lists "b"' in (fix.note or "")
    assert nz.check(store, progress=False).readers["netCDF-C"].opens
    with netCDF4.Dataset(f"{store.as_uri()}#mode=nczarr,file") as dataset:
        assert [*dataset["g"].variables] == ["a"]


ATTRIBUTES = {
    "units": "m",
    "count": 5,
    "large": 2**40,
    "scale": 0.5,
    "range": [-1, 2**31],
    "offsets": [1, 2.5],
    "words": ["a", "b"],
    "settings": {"a": 1},
    "flags": [],
    "nothing": None,
    "_FillValue": -9999,
}
"""Attributes as other programs than netCDF-C write them, without types; of some it cannot guess one."""


@pytest.mark.parametrize("noted", [None, {}, {"types": {}}])
def test_attributes_without_types_get_those_that_hold_their_values(
    noted: dict[str, Any] | None, tmp_path: Path
) -> None:
    store = _store(tmp_path / "s.zarr", NOTED)
    attributes = {**ATTRIBUTES, **({} if noted is None else {"_nczarr_attr": noted})}
    _change(store / "g" / "a" / ".zattrs", **attributes)
    hierarchy = nz.open_store(store, mode="r+")
    found = nz.check(hierarchy, select=["NCZ-ATT-001"], progress=False).findings
    here = [one for one in found if one.path == "/g/a"]
    assert len(here) == (1 if noted is None else len(ATTRIBUTES))
    nz.apply(here, hierarchy).write()
    left = nz.check(store, select=["NCZ-ATT"], progress=False)
    assert [one.rule for one in left.findings if one.path == "/g/a"] == []
    with netCDF4.Dataset(f"{store.as_uri()}#mode=nczarr,file") as dataset:
        array = dataset["g/a"]
        assert array.getncattr("count").dtype == "i4"
        assert array.getncattr("range").tolist() == [-1, 2**31]
        assert array.getncattr("offsets").tolist() == [1, 2.5]
        assert array.getncattr("_FillValue").dtype == "f4"
        assert array.getncattr("words") == '["a","b"]'


def test_true_and_false_have_no_type(tmp_path: Path) -> None:
    store = _store(tmp_path / "s.zarr", NOTED)
    _change(store / "g" / "a" / ".zattrs", valid=True, _nczarr_attr={"types": {}})
    (found,) = (
        one
        for one in nz.check(store, select=["NCZ-ATT-001"], progress=False).findings
        if one.path == "/g/a"
    )
    assert found.fix is None


def test_a_group_is_not_listed_with_an_array_that_would_stop_netcdf_c(tmp_path: Path) -> None:
    store = _store(tmp_path / "s.zarr", NOTED)
    _group(store, "", groups=[])
    _change(store / "g" / "a" / ".zarray", dtype="|b1")
    fix = _fix(store, "NCZ-GRP-002")
    assert fix is not None
    assert fix.patch == ()
    assert (fix.note or "").startswith("see first to /g/a")


def test_an_array_that_would_stop_netcdf_c_is_left_out_of_new_notes(tmp_path: Path) -> None:
    store = _store(tmp_path / "s.zarr", NOTED)
    _add(store, "b", {"_ARRAY_DIMENSIONS": ["x"]}, dtype="|b1")
    (store / "g" / ".zattrs").write_text("{}")
    _apply(store, _fix(store, "NCZ-SB-002"))
    with netCDF4.Dataset(f"{store.as_uri()}#mode=nczarr,file") as dataset:
        assert [*dataset["g"].variables] == ["a"]
