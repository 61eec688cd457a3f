"""What a fix leaves is read as before, or the fix says who no longer reads it."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import pytest
import xarray
import zarr

from nz_explorer.conventions import evaluate
from nz_explorer.editing.apply import apply, fix_all
from nz_explorer.editing.trial_edits.what_if import WhatIf
from nz_explorer.engine.fixes import Fix
from nz_explorer.model import open_store
from tests.corpus.cases import contents, write


def changed(
    base: str, folder: Path, documents: dict[str, dict[str, Any]], *, entries: bool
) -> WhatIf:
    """Write a store, with entries of what it was before members changed, and evaluate it."""
    write(contents({"base": base}), folder)
    if entries:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            zarr.consolidate_metadata(str(folder))
    for key, members in documents.items():
        file = folder / key
        document = json.loads(file.read_text()) if file.exists() else {}
        attributes = document.get("attributes", {}) | members.get("attributes", {})
        document |= {**members, **({"attributes": attributes} if attributes else {})}
        file.parent.mkdir(exist_ok=True)
        file.write_text(
            json.dumps({k: v for k, v in document.items() if v is not ...}, default=str)
        )
    evaluation = evaluate(open_store(folder, mode="r+"))
    evaluation.run()
    return WhatIf(evaluation)


def fix_of(what_if: WhatIf, rule: str, path: str) -> Fix:
    fix = next(f for f in what_if.base.findings() if (f.rule, f.path) == (rule, path)).fix
    assert fix is not None
    return fix


@pytest.mark.parametrize(
    ("base", "key", "members", "told"),
    [
        (
            "plain",
            "a/zarr.json",
            {"attributes": {"units": "seconds since 00:00:00"}},
            "(CF-TIME-001)",
        ),
        ("plain", "a/zarr.json", {"attributes": {"_FillValue": -1.0}}, "(NZ-FILL-006)"),
        ("v2", "a/.zattrs", {"_ARRAY_DIMENSIONS": "yx"}, "(Z2-OGC-003)"),
    ],
)
def test_an_entry_does_not_take_over_what_readers_fail_with(
    tmp_path: Path, base: str, key: str, members: dict[str, Any], told: str
) -> None:
    what_if = changed(base, tmp_path, {key: members}, entries=True)
    fix = fix_of(what_if, "NZ-CONS-002", "/a")
    assert fix.safety == "unsafe"
    assert "then xarray " in (fix.note or "")
    assert told in (fix.note or "")
    fix_all(what_if, lambda finding: finding.rule.startswith("NZ-CONS"))
    assert what_if.edits == []
    xarray.open_zarr(tmp_path).close()


def test_an_entry_of_what_is_well_is_made_as_before(tmp_path: Path) -> None:
    what_if = changed(
        "plain", tmp_path, {"a/zarr.json": {"attributes": {"units": "K"}}}, entries=True
    )
    assert fix_of(what_if, "NZ-CONS-002", "/a").safety == "safe"


def test_a_group_of_another_format_gets_no_entry(tmp_path: Path) -> None:
    what_if = changed("v2", tmp_path, {"g/.zgroup": {"zarr_format": 3}}, entries=True)
    fix = fix_of(what_if, "NZ-CONS-003", "/g")
    assert not fix.can_be_applied
    assert "mend g/.zgroup first" in (fix.note or "")


@pytest.mark.parametrize("rule", ["Z3-DOC-003", "Z3-DOC-004"])
def test_a_misspelt_member_gets_its_name(tmp_path: Path, rule: str) -> None:
    file = {"fill_value": ..., "fillvalue": 0}
    what_if = changed("plain", tmp_path, {"a/zarr.json": file}, entries=False)
    what_if.try_fix(fix_of(what_if, rule, "/a"))
    apply(what_if).write()
    assert sorted(zarr.open_group(tmp_path, mode="r").array_keys()) == ["a", "x"]
    assert "Z3-DOC" not in {f.rule[:6] for f in what_if.base.findings()}


def test_keys_under_names_of_zarr_v3_get_theirs_together(tmp_path: Path) -> None:
    members = {"dtype": ..., "data_type": "<f4", "chunks": ..., "chunk_shape": [2, 3]}
    what_if = changed("v2", tmp_path, {"a/.zarray": members}, entries=False)
    what_if.try_fix(fix_of(what_if, "Z2-ARR-003", "/a"))
    apply(what_if).write()
    assert zarr.open_array(tmp_path, path="a", mode="r").dtype == "float32"


@pytest.mark.parametrize("attributes", [{"fill_value": -1.0}, {"nz": {"_FillValue": -1.0}}])
def test_who_no_longer_opens_the_group_is_said(tmp_path: Path, attributes: dict[str, Any]) -> None:
    what_if = changed("plain", tmp_path, {"a/zarr.json": {"attributes": attributes}}, entries=False)
    assert "xarray (up to 2026.9) cannot" in (fix_of(what_if, "NZ-PROP-002", "/a").note or "")


def test_times_as_numbers_have_no_encoding_of_characters(tmp_path: Path) -> None:
    times = {"name": "numpy.datetime64", "configuration": {"unit": "ns", "scale_factor": 1}}
    members = {"data_type": times, "attributes": {"_Encoding": "utf-8"}}
    what_if = changed("plain", tmp_path, {"x/zarr.json": members}, entries=False)
    fix = fix_of(what_if, "NZ-TYPE-001", "/x")
    assert {"op": "remove", "path": "/attributes/_Encoding"} in fix.patch


@pytest.mark.parametrize(
    ("document", "can_be_applied"), [({}, False), ({"zarr_format": 3, "node_type": "group"}, True)]
)
def test_only_metadata_get_the_name_of_metadata(
    tmp_path: Path, document: dict[str, Any], can_be_applied: bool
) -> None:
    what_if = changed("plain", tmp_path, {"b/zarr.json.txt": document}, entries=False)
    assert fix_of(what_if, "TREE-013", "/").can_be_applied is can_be_applied


def test_an_array_that_readers_do_not_see_is_not_shown_to_those_that_fail_with_it(
    tmp_path: Path,
) -> None:
    what_if = changed("plain", tmp_path, {}, entries=True)
    array = json.loads((tmp_path / "x" / "zarr.json").read_text())
    (tmp_path / "t").mkdir()
    array["attributes"] = {"units": "months since 1955-01-01", "calendar": "standard"}
    (tmp_path / "t" / "zarr.json").write_text(json.dumps(array))
    what_if = WhatIf(evaluate(open_store(tmp_path, mode="r+")))
    what_if.base.run()
    fix = fix_of(what_if, "NZ-CONS-003", "/t")
    assert (fix.safety, "(CF-TIME-001)" in (fix.note or "")) == ("unsafe", True)


def test_documents_of_one_array_are_copied_together(tmp_path: Path) -> None:
    changed_to = {
        "a/.zarray": {"shape": [4], "chunks": [4]},
        "a/.zattrs": {"_ARRAY_DIMENSIONS": ["n"]},
    }
    what_if = changed("v2", tmp_path, changed_to, entries=True)
    fix = fix_of(what_if, "NZ-CONS-002", "/a")
    assert {one["path"] for one in fix.patch} == {"/metadata/a~1.zarray", "/metadata/a~1.zattrs"}
    what_if.try_fix(fix)
    apply(what_if).write()
    with xarray.open_zarr(tmp_path) as dataset:
        assert dataset["a"].dims == ("n",)
