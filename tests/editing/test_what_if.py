"""What if: edits on an overlay say what a check of the edited store would say, and write nothing."""

from __future__ import annotations

import json
import re
import shutil
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import jsonpatch
import numpy as np
import pytest
import zarr
from hypothesis import given, settings
from hypothesis import strategies as st

import nz_explorer as nz
from nz_explorer.conventions import evaluate
from nz_explorer.editing.trial_edits.edited_documents import CannotEdit
from nz_explorer.editing.trial_edits.what_if import WhatIf
from nz_explorer.engine.evaluation import Evaluation
from nz_explorer.model import NodeNotFound, open_store
from tests.conftest import digest
from tests.corpus.cases import CASES, FaultyStore, contents, write

V3 = contents({"base": "plain"})


def evaluated(source: Any, **options: Any) -> Evaluation:
    evaluation = evaluate(open_store(source), **options)
    evaluation.run()
    return evaluation


def store(documents: dict[str, bytes]) -> FaultyStore:
    return FaultyStore(documents, [], listable=True)


def picture(evaluation: Evaluation) -> dict[str, Any]:
    """Everything that an evaluation says."""
    return {
        "findings": sorted(
            re.sub(r"memory://\d+", "", repr(f)) + str(f.tags) for f in evaluation.findings()
        ),
        "counts": evaluation.counts("/"),
        "nodes": evaluation.nodes,
        "not evaluated": sorted(map(repr, evaluation.not_evaluated())),
        "conforms": evaluation.conforms,
        "complete": evaluation.complete,
        "tallies": evaluation.tallies(),
    }


# --- edits --------------------------------------------------------------------------------------


def test_set_remove_undo_reset() -> None:
    base = evaluated(store(V3))
    before = picture(base)
    what_if = WhatIf(base)
    assert what_if.diff() == {}
    assert (what_if.gone, what_if.new) == ([], [])
    what_if.set("/a", "/dimension_names/0", "x").set("/a", "/attributes/deep/er", [1])
    assert what_if.hierarchy["/a"].dimension_names == ("x", "x")  # type: ignore[attr-defined]
    assert what_if.hierarchy["/a"].attributes["deep"] == {"er": [1]}
    assert "NZ-DIM-010" in {f.rule for f in what_if.new}
    assert list(what_if.diff()) == ["a/zarr.json"]
    assert '+  "dimension_names": ["x", "x"],\n' in str(what_if.diff())
    what_if.remove("/a", "/dimension_names")
    assert "NZ-DIM-001" in {f.rule for f in what_if.new}
    what_if.undo()
    assert "NZ-DIM-010" in {f.rule for f in what_if.new}
    what_if.undo().undo()
    assert picture(what_if.evaluation) == before
    assert what_if.edits == []
    with pytest.raises(CannotEdit, match="nothing to undo"):
        what_if.undo()
    what_if.set("/", "/attributes/conventions", "NZ-1.0 CF-1.12")
    what_if.reset()
    assert what_if.edits == []
    assert picture(base) == before


def test_set_makes_what_is_missing() -> None:
    documents = dict(V3)
    root = json.loads(documents["zarr.json"])
    root.pop("attributes", None)
    documents["zarr.json"] = json.dumps(root).encode()
    what_if = WhatIf(evaluated(store(documents)))
    what_if.set("/", "/attributes/list", []).set("/", "/attributes/list/-", float("nan"))
    assert what_if.hierarchy.root.attributes == {"list": ["NaN"]}
    what_if.set("/a", "/attributes/x~1y", 1)
    assert what_if.hierarchy["/a"].attributes["x/y"] == 1


def test_v2_pointers_begin_with_the_document() -> None:
    what_if = WhatIf(evaluated(store(contents({"base": "v2"}))))
    what_if.set("/a", "/.zattrs/units", "K")
    assert what_if.hierarchy["/a"].attributes["units"] == "K"
    what_if.set("/a", "/.zarray/fill_value", 7)
    assert [edit.key for edit in what_if.edits] == ["a/.zarray", "a/.zattrs"]
    with pytest.raises(CannotEdit, match="does not begin with a document"):
        what_if.set("/a", "/units", "K")
    documents = {k: v for k, v in contents({"base": "v2"}).items() if not k.endswith(".zattrs")}
    what_if = WhatIf(evaluated(store(documents)))
    what_if.set("/a", "/.zattrs/units", "K")
    assert what_if.edits[0].before is None
    assert json.loads(what_if.edits[0].after or b"") == {"units": "K"}
    what_if.undo()
    assert what_if.edits == []


def test_edits_that_cannot_be_made(tmp_path: Path) -> None:
    what_if = WhatIf(evaluated(write({**V3, "b/zarr.json": b'{"zarr_format"'}, tmp_path)))
    before = picture(what_if.evaluation)
    for edit, why in (
        (lambda: what_if.remove("/a", "/nothing"), "nothing at /nothing"),
        (lambda: what_if.set("/a", "/shape/x", 1), "nothing at /shape/x"),
        (lambda: what_if.set("/a", "shape/0", 1), "a pointer begins with a slash: /shape/0"),
        (lambda: what_if.set("/a", "K", "/attributes/units"), "slash: /attributes/units, and the"),
        (lambda: what_if.set(what_if.hierarchy["/a"], "/shape/0", 1), "a path is a text"),  # type: ignore[arg-type]
        (lambda: what_if.set("/attributes/units", "/a", "K"), "comes first, then the pointer"),
        (lambda: what_if.set("/a", "/zarr_format/x", 1), "neither an object"),
        (lambda: what_if.set("/a", "/attributes/x", {1, 2}), "not JSON"),
        (lambda: what_if.set("/b", "/x", 1), "ends too early"),
        (lambda: what_if.edit("a/c/0", "x"), "no metadata document"),
        (lambda: what_if.edit("../zarr.json", "x"), "unsafe part"),
    ):
        with pytest.raises(CannotEdit, match=why):
            edit()
    with pytest.raises(NodeNotFound):
        what_if.set("/nowhere", "/x", 1)
    assert what_if.edits == []
    assert picture(what_if.evaluation) == before


def test_nothing_may_be_left() -> None:
    what_if = WhatIf(evaluated(store({"zarr.json": V3["zarr.json"]})))
    before = picture(what_if.evaluation)
    with pytest.raises(CannotEdit):
        what_if.edit("zarr.json", None)
    assert picture(what_if.evaluation) == before


def test_nothing_is_written(broken_copy: Path) -> None:
    before = digest(broken_copy)
    what_if = WhatIf(evaluated(broken_copy))
    for finding in what_if.base.findings():
        try:
            what_if.apply(finding)
        except CannotEdit:
            continue
    what_if.edit("zarr.json", b"{").undo().consolidate().diff()
    assert what_if.edits
    assert digest(broken_copy) == before


def test_tokens_survive(tmp_path: Path) -> None:
    text = (
        '{"zarr_format": 3, "node_type": "group",\n "odd": [1e20, -9999.0, 0.10000000000000001,'
        ' 123456789012345678901234567890],\n "attributes": {"Conventions": "NZ-1.0", "z": 1, "a": 2}}\n'
    )
    what_if = WhatIf(evaluated(write({**V3, "zarr.json": text.encode()}, tmp_path)))
    what_if.set("/", "/attributes/title", "T")
    assert what_if.edits[0].after == text.replace('"a": 2', '"a": 2, "title": "T"').encode()


# --- fixes --------------------------------------------------------------------------------------


def test_fixes_of_the_sample(broken_copy: Path) -> None:
    what_if = WhatIf(evaluated(broken_copy))
    tried = 0
    for finding in what_if.base.findings():
        fix = finding.fix
        if fix is None or fix.safety != "safe" or not (fix.patch or finding.rule == "JSON-005"):
            continue
        if finding not in what_if.evaluation.findings(finding.path, below=False):
            continue
        tried += 1
        what_if.apply(finding)
        assert finding not in what_if.evaluation.findings(finding.path, below=False)
        assert finding in what_if.gone
    assert tried > 5
    assert picture(what_if.evaluation) == picture(evaluated(_written(what_if, broken_copy)))


def _written(what_if: WhatIf, folder: Path) -> Path:
    """Write the edits, plainly."""
    for edit in what_if.edits:
        file = folder / edit.key
        if edit.after is None:
            file.unlink()
        else:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(edit.after)
    return folder


def test_a_fix_comes_with_its_consolidated_entry(broken_copy: Path) -> None:
    what_if = WhatIf(evaluated(broken_copy))
    finding = next(
        f
        for f in what_if.base.findings()
        if f.fix is not None and f.fix.also and f.fix.safety == "safe"
    )
    what_if.apply(finding)
    assert {edit.key for edit in what_if.edits} == {
        finding.fix.document,  # type: ignore[union-attr]
        "zarr.json",
    }
    assert not [f for f in what_if.new if f.rule.startswith("NZ-CONS")]
    with pytest.raises(CannotEdit, match="gone already"):
        what_if.apply(finding)


def test_advice_is_not_applied() -> None:
    what_if = WhatIf(
        evaluated(store({**V3, "zarr.json": b'{"zarr_format":3,"node_type":"group","a":1,"a":2}'}))
    )
    finding = next(f for f in what_if.base.findings() if f.rule == "JSON-004")
    with pytest.raises(CannotEdit, match="advice"):
        what_if.apply(finding)
    finding = next(f for f in what_if.base.findings() if f.rule == "NZ-BASE-001")
    with pytest.raises(CannotEdit, match="no fix"):
        what_if.apply(finding)


def test_a_byte_order_mark_is_taken_off() -> None:
    what_if = WhatIf(evaluated(store({**V3, "a/zarr.json": b"\xef\xbb\xbf" + V3["a/zarr.json"]})))
    (finding,) = [f for f in what_if.base.findings() if f.rule == "JSON-005"]
    what_if.apply(finding)
    assert what_if.edits[0].after == V3["a/zarr.json"]
    assert {f.rule for f in what_if.gone} >= {"JSON-005"}
    what_if.undo()
    assert finding.fix is not None
    what_if.try_fix(finding.fix)  # which does not know of which finding it is
    assert what_if.edits[0].after == V3["a/zarr.json"]


def test_consolidating_again(broken_copy: Path) -> None:
    what_if = WhatIf(evaluated(broken_copy))
    rules = ("NZ-CONS-002", "NZ-CONS-003", "NZ-CONS-004")
    assert {f.rule for f in what_if.base.findings()} >= set(rules)
    what_if.consolidate()
    assert [edit.key for edit in what_if.edits] == ["zarr.json"]
    assert not [f for f in what_if.evaluation.findings() if f.rule in rules]
    assert picture(what_if.evaluation) == picture(evaluated(_written(what_if, broken_copy)))
    with pytest.raises(CannotEdit, match="no consolidated metadata"):
        WhatIf(evaluated(store(V3))).consolidate()


def test_entries_are_spelled_like_their_documents(tmp_path: Path) -> None:
    array = json.loads(V3["a/zarr.json"])
    text = json.dumps(array).replace('"fill_value": 0', '"fill_value": 0.0')
    assert "0.0" in text
    root = json.loads(V3["zarr.json"])
    root["consolidated_metadata"] = {
        "kind": "inline",
        "must_understand": False,
        "metadata": {"a": {**array, "shape": [9]}, "x": json.loads(V3["x/zarr.json"])},
    }
    documents = {
        **V3,
        "zarr.json": json.dumps(root, indent=2).encode(),
        "a/zarr.json": text.encode(),
    }
    what_if = WhatIf(evaluated(write(documents, tmp_path)))
    (finding,) = [f for f in what_if.base.findings() if f.rule == "NZ-CONS-002"]
    what_if.apply(finding)
    assert b'"fill_value": 0.0' in (what_if.edits[0].after or b"")


# --- the same as a check of the edited store ----------------------------------------------------

BASES = [
    contents(case)
    for case in CASES
    if not case.get("unreadable") and case.get("listable", True) and len(contents(case)) < 30
]
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 9)
    | st.sampled_from(["x", "a", "NaN", "float32", ""]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["x", "units", "name"]), inner, max_size=2)
    ),
    max_leaves=5,
)
POINTERS = st.sampled_from(
    [
        "/attributes/conventions",
        "/attributes/_FillValue",
        "/attributes/units",
        "/dimension_names",
        "/dimension_names/0",
        "/shape",
        "/shape/0",
        "/data_type",
        "/node_type",
        "/fill_value",
        "/zarr_format",
        "/consolidated_metadata",
        "/.zattrs/_ARRAY_DIMENSIONS",
        "/.zattrs/units",
        "/.zarray/shape",
        "/.zgroup/zarr_format",
    ]
)


def _act(data: st.DataObject, what_if: WhatIf, keys: list[str]) -> str:
    """Do something to the overlay; return what."""
    action = data.draw(st.sampled_from(["set", "set", "remove", "edit", "swap", "apply", "undo"]))
    key = data.draw(st.sampled_from(keys))
    path = "/" + key.rpartition("/")[0]
    try:
        if action == "set":
            what_if.set(path, data.draw(POINTERS), data.draw(JSON))
        elif action == "remove":
            what_if.remove(path, data.draw(POINTERS))
        elif action == "edit":
            text = data.draw(st.sampled_from([None, b"{", b"null", b"{}"]))
            what_if.edit(key, text)
        elif action == "swap":
            other = data.draw(st.sampled_from(keys))
            name = data.draw(
                st.sampled_from([key, f"{path[1:]}/n/zarr.json".lstrip("/"), "p/q/zarr.json"])
            )
            what_if.edit(name, what_if._edited().current(other))
        elif action == "apply":
            fixes = [f for f in what_if.evaluation.findings() if f.fix is not None]
            if fixes:
                what_if.apply(data.draw(st.sampled_from(fixes)))
        else:
            what_if.undo()
    except (CannotEdit, NodeNotFound):
        return f"{action} refused"
    return action


def test_a_document_of_the_other_format_beside_an_array() -> None:
    def told(evaluation: Evaluation) -> list[str]:
        return [f.message for f in evaluation.findings() if f.rule == "TREE-004"]

    array = V3["a/zarr.json"]
    what_if = WhatIf(evaluated(store({"zarr.json": array})))
    for key, text in ((".zattrs", b"{}"), (".zarray", b"{"), (".zgroup", b"{"), (".zarray", None)):
        what_if.edit(key, text)
        now = {edit.key: edit.after for edit in what_if.edits if edit.after is not None}
        again = evaluated(store({"zarr.json": array, **now}))
        assert told(what_if.evaluation) == told(again) != []
        assert picture(what_if.evaluation) == picture(again)
    assert "zarr.json and .zattrs, .zgroup" in told(what_if.evaluation)[0]


def test_an_array_that_goes_is_missed_by_groups_below(tmp_path: Path) -> None:
    root = zarr.open_group(tmp_path / "maps.zarr", mode="w")
    root.create_array("crs", shape=(), dtype="i4")
    group = root.create_group("g")
    names = {"grid_mapping": "crs"}
    group.create_array("a", shape=(2,), dtype="f4", dimension_names=["x"], attributes=names)
    base = evaluate(open_store(tmp_path / "maps.zarr"))
    base.run()
    what_if = WhatIf(base).edit("crs/zarr.json", None)
    found = what_if.evaluation.findings()
    told = [finding.message for finding in found if finding.path == "/g/a"]
    assert told == ['grid_mapping names "crs", which is no array of /g']


@pytest.mark.parametrize("path", ["/maps/crs", "../maps/crs"])
def test_an_array_that_goes_is_missed_by_those_that_name_its_path(
    tmp_path: Path, path: str
) -> None:
    root = zarr.open_group(tmp_path / "maps.zarr", mode="w")
    root.create_group("maps").create_array("crs", shape=(), dtype="i4")
    group = root.create_group("g")
    names = {"grid_mapping": path}
    group.create_array("a", shape=(2,), dtype="f4", dimension_names=["x"], attributes=names)
    base = evaluate(open_store(tmp_path / "maps.zarr"))
    base.run()
    what_if = WhatIf(base).edit("maps/crs/zarr.json", None)
    found = what_if.evaluation.findings()
    told = [finding.message for finding in found if finding.path == "/g/a"]
    assert told == [f'grid_mapping names "{path}", which is no array']


def test_rules_on_values_are_asked_again_whichever_attribute_is_edited() -> None:
    attributes = {"units": "hours since 1900-01-01"}
    x = json.loads(V3["x/zarr.json"]) | {"data_type": "float64", "attributes": attributes}
    documents = {"zarr.json": V3["zarr.json"], "x/zarr.json": json.dumps(x).encode()}
    documents["x/c/0"] = np.array([0, 1, 9.969209968386869e36]).tobytes()
    what_if = WhatIf(evaluated(store(documents)))
    assert "CF-TIME-003" in {finding.rule for finding in what_if.evaluation.findings()}
    what_if.remove("/x", "/attributes/units")
    assert "CF-TIME-003" not in {finding.rule for finding in what_if.evaluation.findings()}


def test_an_edit_waits_for_the_one_before(monkeypatch: pytest.MonkeyPatch) -> None:
    what_if = WhatIf(evaluated(store(V3)))
    under_way, go_on, second = threading.Event(), threading.Event(), threading.Event()
    change = what_if._change

    def slow(*arguments: Any) -> WhatIf:
        if not under_way.is_set():
            under_way.set()
            assert go_on.wait(10)
        return change(*arguments)

    monkeypatch.setattr(what_if, "_change", slow)

    def edit_again() -> None:
        what_if.set("/x", "/attributes/units", "m")
        second.set()

    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(what_if.set, "/x", "/attributes/long_name", "one")
        assert under_way.wait(10)
        again = pool.submit(edit_again)
        assert not second.wait(0.2)
        go_on.set()
        first.result(10)
        again.result(10)
    assert what_if.hierarchy["/x"].attributes == {"long_name": "one", "units": "m"}
    assert what_if.steps == 2


@given(st.data())
@settings(max_examples=120, deadline=None)
def test_edits_say_what_a_check_of_the_edited_store_says(data: st.DataObject) -> None:
    documents = data.draw(st.sampled_from(BASES))
    keys = [key for key in documents if key.rsplit("/")[-1].startswith((".z", "zarr.json"))]
    consolidated = data.draw(st.booleans())
    try:
        base = evaluate(open_store(store(documents), consolidated=consolidated))
    except nz.SourceError:
        return
    if not keys:
        return
    base.run()
    before = picture(base)
    what_if = WhatIf(base)
    for _ in range(data.draw(st.integers(1, 4))):
        _act(data, what_if, keys)
        now = dict(documents)
        for edit in what_if.edits:
            now.pop(edit.key, None)
            if edit.after is not None:
                now[edit.key] = edit.after
        again = evaluate(
            open_store(store(now), consolidated=what_if._uses_consolidated()),
            conventions=base.conventions,
        )
        again.run()
        assert picture(what_if.evaluation) == picture(again)
    assert picture(base) == before
    while what_if._steps:
        what_if.undo()
    assert picture(what_if.evaluation) == before
    assert what_if.gone == what_if.new == []


def test_a_patch_of_a_fix_means_what_jsonpatch_says(broken_copy: Path) -> None:
    base = evaluated(broken_copy)
    for finding in base.findings():
        fix = finding.fix
        if fix is None or not fix.patch:
            continue
        what_if = WhatIf(base).apply(finding)
        after = {edit.key: edit.after for edit in what_if.edits}
        for document, patch in (
            (fix.document, fix.patch),
            *((c.document, c.patch) for c in fix.also),
        ):
            file = broken_copy / document
            value = json.loads(file.read_text("utf-8-sig")) if file.exists() else None
            expected = jsonpatch.apply_patch(value, [dict(o) for o in patch])
            found = json.loads(after[document] or b"") if document in after else value
            if len({fix.document, *(c.document for c in fix.also)}) == 1 + len(fix.also):
                assert repr(found) == repr(expected) or found == expected


# --- what is not known yet ----------------------------------------------------------------------


def test_a_hierarchy_that_was_not_visited(broken_copy: Path) -> None:
    whole = evaluated(broken_copy, values="none")
    base = evaluate(open_store(broken_copy), values="none")
    what_if = WhatIf(base)
    assert base.findings() == []
    path = "/forecast/ozone"
    known = {(f.rule, f.pointer) for f in whole.findings(path, below=False)}
    what_if.set(path, "/attributes/comment", "x")
    assert {(f.rule, f.pointer) for f in what_if.evaluation.findings(path, below=False)} >= known
    assert [f for f in what_if.new if f.path == path and (f.rule, f.pointer) in known] == []


def test_the_report_and_the_repr(broken_copy: Path) -> None:
    what_if = WhatIf(evaluated(broken_copy)).set("/", "/attributes/conventions", "NZ-1.0")
    assert "NZ-DECL-001" not in {f.rule for f in what_if.report.findings}
    assert "1 document changed" in repr(what_if)
    shutil.rmtree(broken_copy)
    assert "1 document changed" in repr(what_if)


DIALECTS = [case for case in CASES if case["rule"].startswith(("Z2", "CS", "REF", "GZ"))]


@pytest.mark.parametrize("family", ["Z2", "CS", "REF", "GZ"])
def test_fixes_of_the_dialects_cure(family: str) -> None:
    """A fix that is a patch cures its finding, and a safe one brings no other error."""
    tried: set[str] = set()
    for case in DIALECTS:
        if not case["rule"].startswith(family) or "unreadable" in case:
            continue
        evaluation = evaluate(
            open_store(FaultyStore(contents(case), [], case.get("listable", True))),
            case.get("conventions", "auto"),
            select=case.get("select", ()),
        )
        evaluation.run()
        for finding in evaluation.findings():
            fix = finding.fix
            if finding.rule != case["rule"] or fix is None or not fix.can_be_applied:
                continue
            what_if = WhatIf(evaluation).apply(finding)
            assert finding not in what_if.evaluation.findings(), case["name"]
            if fix.safety == "safe":
                assert not [new for new in what_if.new if new.severity == "error"], case["name"]
            tried.add(finding.rule)
    assert len(tried) > {"Z2": 10, "CS": 8, "REF": 1, "GZ": 5}[family]


def test_writing_on_in_a_document_is_one_edit_and_each_is_told(sample_store: Path) -> None:
    told: list[int] = []
    evaluation = nz.check(sample_store, progress=False).evaluation
    what_if = nz.WhatIf(evaluation, changed=lambda: told.append(what_if.steps))
    text = (sample_store / "ocean" / "zarr.json").read_text()
    for title in ("a", "ab", "abc"):
        document = text.replace('"attributes": {', f'"attributes": {{"note": "{title}",', 1)
        what_if.edit("ocean/zarr.json", document, amend=title != "a")
    assert what_if.steps == 1
    assert what_if.hierarchy.stored["/ocean"].attributes["note"] == "abc"
    what_if.set("/forecast", "/attributes/note", "other")
    what_if.edit("ocean/zarr.json", text, amend=True)  # the last edit was of another document
    assert what_if.steps == 3
    for _ in range(3):
        what_if.undo()
    assert what_if.edits == []
    assert told == [1, 1, 1, 2, 3, 2, 1, 0]


def test_rules_on_values_follow_the_attributes_of_arrays_beside() -> None:
    case = next(
        case for case in CASES if case["name"] == "CF-MAP-002: from the south, with a grid mapping"
    )
    base = evaluate(open_store(store(contents(case))))
    base.run()
    (upside_down,) = [one for one in base.findings() if one.rule == "CF-MAP-002"]
    what_if = WhatIf(base).edit("crs/zarr.json", None)
    assert upside_down not in what_if.gone  # the array still names it
    what_if.remove("/t", "/attributes/grid_mapping")
    assert upside_down in what_if.gone
    what_if.undo()
    assert upside_down not in what_if.gone


def test_a_coordinate_is_compared_with_its_bounds_again() -> None:
    name = "CF-COORD-005: the same, where only values of coordinates are read"
    case = next(case for case in CASES if case["name"] == name)
    base = evaluate(open_store(store(contents(case))))
    base.run()
    (elsewhere,) = [one for one in base.findings() if one.rule == "CF-COORD-005"]
    what_if = WhatIf(base).remove(elsewhere.path, "/shape")
    assert elsewhere in what_if.gone
    what_if.undo()
    assert elsewhere not in what_if.gone


@pytest.mark.parametrize(
    ("name", "keeper", "system"),
    [
        ("CS-BND-004: limits of other cells", "/v", "/attributes/cs/crs/0"),
        (
            "CS-BND-004: limits of other cells, in a shared reference system",
            "/",
            "/attributes/crs/cal",
        ),
    ],
)
def test_a_coordinate_is_compared_with_its_limits_of_cs_again(
    name: str, keeper: str, system: str
) -> None:
    case = next(case for case in CASES if case["name"] == name)
    base = evaluate(open_store(store(contents(case))))
    base.run()
    (elsewhere,) = [one for one in base.findings() if one.rule == "CS-BND-004"]
    for path, pointer in (
        (elsewhere.path, "/shape"),
        (keeper, f"{system}/axes/time/coordinates/0/boundaries"),
    ):
        what_if = WhatIf(base).remove(path, pointer)
        assert elsewhere in what_if.gone
        what_if.undo()
        assert elsewhere not in what_if.gone


def test_a_link_that_loses_its_array_is_found_in_another_group() -> None:
    name = "TREE-019: near miss: a link to an array"
    case = next(case for case in CASES if case["name"].startswith(name))
    what_if = WhatIf(evaluated(store(contents(case))))
    what_if.edit("a/t/zarr.json", None)
    assert "TREE-019" in [finding.rule for finding in what_if.new]


def test_a_pyramid_that_loses_a_level_is_told_so() -> None:
    layout = {"layout": [{"asset": "0/deep"}, {"asset": "1", "derived_from": "0/deep"}]}
    group: dict[str, Any] = {"zarr_format": 3, "node_type": "group", "attributes": {}}
    documents = {
        "zarr.json": group | {"attributes": {"multiscales": layout}},
        **dict.fromkeys(("0/zarr.json", "0/deep/zarr.json", "1/zarr.json"), group),
    }
    bytes_of = {key: json.dumps(one).encode() for key, one in documents.items()}
    what_if = WhatIf(evaluated(store(bytes_of), conventions=["zcf"]))
    what_if.edit("0/deep/zarr.json", None)
    assert "ZCF-MS-001" in [finding.rule for finding in what_if.new]


@pytest.mark.parametrize(("group", "level"), [("", ""), ("deep/", ""), ("", "0/"), ("deep/", "0/")])
def test_arrays_are_judged_again_by_what_their_group_says_for_them(group: str, level: str) -> None:
    uuid = "689b58e2-cf7b-45e0-9fff-9cfc0883d6b4"
    declared = {"zarr_conventions": [{"uuid": uuid, "name": "spatial"}]}
    handed = {"spatial:dimensions": ["y", "x"], "spatial:registration": "node"}
    own = {"spatial:transform": [1, 0, 0, 0, -1, 2], "spatial:bbox": [0, 1, 2, 2]}
    metadata = {
        "zarr_format": 3,
        "node_type": "array",
        "shape": [2, 3],
        "data_type": "float32",
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2, 3]}},
        "chunk_key_encoding": {"name": "default"},
        "fill_value": 0,
        "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}],
        "dimension_names": ["y", "x"],
        "attributes": declared | own,
    }
    documents = {
        "zarr.json": {"zarr_format": 3, "node_type": "group"},
        f"{group}zarr.json": {
            "zarr_format": 3,
            "node_type": "group",
            "attributes": declared | handed | {"multiscales": {"layout": [{"asset": "0"}]}},
        },
        f"{group}0/zarr.json": {"zarr_format": 3, "node_type": "group"},
        f"{group}{level}t/zarr.json": metadata,
    }
    raw = {key: json.dumps(one).encode() for key, one in documents.items()}
    # of a pyramid only the dimensions count for arrays in its levels
    told = (
        ("spatial:dimensions", "ZCF-SPATIAL-002"),
        ("spatial:registration", "ZCF-SPATIAL-001"),
    )
    for name, rule in told[:1] if level else told:
        what_if = WhatIf(evaluated(store(raw), conventions=["zcf"]))
        what_if.remove(f"/{group.rstrip('/')}", f"/attributes/{name}")
        assert rule in [finding.rule for finding in what_if.new]


@pytest.mark.parametrize("rule", ["CF-MAP-008", "OME-PLATE-002"])
def test_fixes_of_another_node_take_the_finding_away(rule: str) -> None:
    tried = 0
    for case in CASES:
        if case["rule"] != rule or not case["expect"]:
            continue
        base = evaluated(store(contents(case)))
        for finding in base.findings():
            if finding.rule == rule and finding.fix is not None and finding.fix.patch:
                tried += 1
                assert finding in WhatIf(base).apply(finding).gone, case["name"]
    assert tried > 1


PARTS = 16
"""Of the corpus, so that workers share it."""
OFTEN = 8
"""How many times a fix is tried in a part in cases of other families of rules: some are offered for nearly every store."""


@pytest.mark.parametrize("part", range(PARTS))
def test_every_fix_of_the_corpus_says_what_a_check_says_after_it(part: int) -> None:
    """Whatever else depends on what a fix changes is judged again, in other nodes, too."""
    tried = 0
    elsewhere: Counter[str] = Counter()
    for case in CASES[part + PARTS :: 2 * PARTS]:  # test_apply takes the others
        documents = contents(case)
        if case.get("unreadable") or not case.get("listable", True) or len(documents) > 40:
            continue
        try:
            base = evaluated(store(documents))
        except nz.SourceError:
            continue
        for finding in base.findings():
            if finding.rule.split("-")[0] != case.get("rule", "").split("-")[0]:
                elsewhere[finding.rule] += 1
                if elsewhere[finding.rule] > OFTEN:
                    continue
            try:
                what_if = WhatIf(base).apply(finding)
            except CannotEdit:
                continue
            now = {**documents, **{edit.key: edit.after for edit in what_if.edits}}
            after = evaluate(
                open_store(store({key: raw for key, raw in now.items() if raw is not None})),
                conventions=base.conventions,
            )
            after.run()
            tried += 1
            assert picture(what_if.evaluation) == picture(after), (case["name"], finding.rule)
    assert tried > 25
