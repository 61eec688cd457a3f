"""The engine: counts, order of feeding, budgets, what was not evaluated, conformance."""

from __future__ import annotations

import gc
import json
import shutil
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zarr

import nz_explorer as nz
from nz_explorer.conventions import evaluate, registry
from nz_explorer.editing.trial_edits.what_if import WhatIf
from nz_explorer.engine.evaluation import Budget, Evaluation, has_value_rules
from nz_explorer.engine.evaluation.budget import VALUE_BYTES
from nz_explorer.engine.evaluation.records import tree_order
from nz_explorer.engine.findings import Fail
from nz_explorer.engine.plan import Plan
from nz_explorer.model import Array, Group, open_store
from nz_explorer.model.dialects import nczarr
from nz_explorer.store import Cancellation
from nz_explorer.values.contents import contents as contents_of
from tests.corpus.cases import CASES, FaultyStore, contents, source, write
from tests.engine.conftest import Replace

CONSOLIDATED = [
    case for case in CASES if case["rule"] in registry().ids_on("entry") and "undecided" not in case
]


def _store(name: str, folder: Path) -> Path:
    return write(contents(next(case for case in CASES if case["name"] == name)), folder)


def _keys(evaluation: Evaluation) -> set[tuple[str, str, str]]:
    return {(finding.rule, finding.path, finding.pointer) for finding in evaluation.findings()}


def test_counts_are_rolled_up(broken_store: Path) -> None:
    evaluation = evaluate(open_store(broken_store))
    evaluation.run()
    findings = evaluation.findings()
    for path in (
        "/",
        "/forecast",
        "/forecast/ozone",
        "/stations",
        "/ocean/sea_surface_temperature",
    ):
        below = [f for f in findings if path in ("/", f.path) or f.path.startswith(path + "/")]
        counts = evaluation.counts(path)
        assert (counts.error, counts.warning, counts.info) == tuple(
            sum(f.severity == severity for f in below) for severity in ("error", "warning", "info")
        )
        assert counts.complete
        assert [f.rule for f in evaluation.findings(path)] == [f.rule for f in below]


def test_nodes_can_be_fed_one_by_one(broken_store: Path) -> None:
    whole = evaluate(open_store(broken_store))
    whole.run()
    hierarchy = open_store(broken_store)
    evaluation = evaluate(hierarchy)
    assert not evaluation.counts("/").complete
    for seen in (hierarchy, hierarchy.stored):  # first what the reader sees, then what is stored
        nodes = list(seen.walk())
        for node in nodes:
            evaluation.add_node(node)
        for node in nodes:
            if isinstance(node, Group):
                evaluation.group_complete(node)
    evaluation.consolidated_complete()
    for node in hierarchy.stored.walk():
        if isinstance(node, Array):
            evaluation.listing_rules([node])
            if has_value_rules(node):
                evaluation.value_rules(node)
    assert _keys(evaluation) - {("NZ-BASE-001", "/", "")} == _keys(whole) - {
        ("NZ-BASE-001", "/", "")
    }
    assert evaluation.counts("/") == whole.counts("/")


def test_forgetting_and_feeding_again_changes_nothing(broken_store: Path) -> None:
    hierarchy = open_store(broken_store, consolidated=False)
    evaluation = evaluate(hierarchy)
    evaluation.run()
    before, counts = _keys(evaluation), evaluation.counts("/")
    evaluation.forget("/forecast")
    assert evaluation.counts("/forecast").total == 0
    assert not evaluation.counts("/").complete
    evaluation.run()
    assert _keys(evaluation) == before
    assert evaluation.counts("/") == counts
    evaluation.forget("/")
    assert evaluation.findings() == []
    evaluation.run()
    assert _keys(evaluation) == before


def test_not_evaluated_is_never_silent(broken_store: Path) -> None:
    evaluation = evaluate(open_store(broken_store), values="none")
    evaluation.run()
    entries = evaluation.not_evaluated()
    assert len(entries) == evaluation.not_evaluated_total
    assert ("NZ-COORD-002", "/analysis/lon", "cost") in {
        (e.rule, e.path, e.reason) for e in entries
    }
    assert all(
        entry.path == "/stations/radiation"
        for entry in evaluation.not_evaluated("/stations/radiation")
    )


def test_budgets_are_kept_and_told(sample_store: Path) -> None:
    for budget, reason in (
        (Budget(max_nodes=3), "budget"),
        (Budget(max_requests=1), "budget"),
        (Budget(max_cost="M"), "cost"),
    ):
        report = nz.check(sample_store, budget=budget, progress=False)
        assert report.conforms["NZ-1.0"] is None
        assert reason in {entry.reason for entry in report.not_evaluated}
    assert (
        sum(nz.check(sample_store, budget=Budget(max_nodes=3), progress=False).nodes.values()) == 3
    )
    report = nz.check(sample_store, budget=Budget(max_bytes=1), progress=False)
    assert {e.reason for e in report.not_evaluated if e.rule == "NZ-COORD-002"} == {"budget"}
    # what a coordinate is, is a definition and no requirement
    assert report.conforms["NZ-1.0"] is True


def test_cancelling_leaves_it_incomplete(sample_store: Path) -> None:
    cancel = Cancellation()
    evaluation = evaluate(open_store(sample_store))
    evaluation.run(cancel, lambda _what, _done, _total: cancel.cancel())
    assert not evaluation.complete
    assert evaluation.conforms["NZ-1.0"] is None


def test_conformance(tmp_path: Path) -> None:
    good = write(contents({"base": "plain"}), tmp_path / "good")
    assert nz.check(good, progress=False).conforms == {"NZ-1.0": True, "Zarr v3": True}
    assert nz.check(good, "nz", progress=False).conforms == {"NZ-1.0": True}
    assert nz.check(good, "zarr3", progress=False).conforms == {"Zarr v3": True}
    assert nz.check(good, ["cs", "nz"], progress=False).conforms == {"NZ-1.0": True}
    assert nz.check(good, ignore=["NZ-DIM-004"], progress=False).conforms["NZ-1.0"] is None
    assert nz.check(good, select=["NZ-NAME"], progress=False).conforms == {
        "NZ-1.0": None,
        "Zarr v3": None,
    }
    lone = _store("TREE-008: a single array", tmp_path / "array")
    assert nz.check(lone, progress=False).conforms == {"NZ-1.0": None, "Zarr v3": True}
    bad = _store("Z3-DOC-003: lacks codecs", tmp_path / "bad")
    assert nz.check(bad, progress=False).conforms == {"NZ-1.0": False, "Zarr v3": False}


def test_a_refused_document_leaves_conformance_open(tmp_path: Path) -> None:
    case = next(case for case in CASES if case["name"] == "TREE-007: a refused request")
    report = nz.check(source(case, tmp_path), progress=False)
    assert report.conforms == {"NZ-1.0": None, "Zarr v3": None}
    assert report.nodes["unreadable"] == 1


def test_a_refused_root_is_no_report() -> None:
    store = FaultyStore(contents({"base": "plain"}), ["zarr.json"], listable=True)
    with pytest.raises(nz.SourceError):
        nz.check(store, progress=False)


def test_findings_of_undeclared_datasets_are_marked(tmp_path: Path) -> None:
    folder = _store("NZ-DECL-001: no attribute", tmp_path)
    documents = contents({"base": "plain"})
    write({"2m/zarr.json": documents["a/zarr.json"]}, folder)
    tags = {f.rule: f.tags for f in nz.check(folder, progress=False).findings}
    assert tags == {"NZ-DECL-001": (), "NZ-NAME-001": ("undeclared",)}


def test_a_rule_that_crashes_is_told(tmp_path: Path, replace_rule: Replace) -> None:
    def crash(_array: Any) -> Any:
        raise RuntimeError("boom")

    replace_rule("NZ-DIM-004", crash)
    report = nz.check(write(contents({"base": "plain"}), tmp_path), progress=False)
    told = {(e.rule, e.path, e.reason) for e in report.not_evaluated if e.reason != "cost"}
    assert told == {
        ("NZ-DIM-004", path, "internal error: RuntimeError: boom") for path in ("/a", "/x")
    }
    assert report.conforms["NZ-1.0"] is None


def test_a_fix_that_crashes_is_told_and_takes_nothing_down(
    tmp_path: Path, replace_rule: Replace
) -> None:
    def crash(_node: Any) -> Any:
        raise RuntimeError("boom")

    def fails(_array: Any) -> Any:
        yield Fail("/dimension_names/0", "no name", fix=crash)

    replace_rule("NZ-DIM-004", fails)
    report = nz.check(write(contents({"base": "plain"}), tmp_path), progress=False)
    found = [one for one in report.findings if one.rule == "NZ-DIM-004"]
    assert [one.path for one in found] == ["/a", "/x"]
    fix = found[0].fix
    assert fix is not None
    assert fix.patch == ()
    assert fix.note == "no fix could be worked out (internal error: RuntimeError: boom)"
    assert report.to_dict()["findings"]


def test_verdicts_are_shared_only_by_equal_documents() -> None:
    plan = Plan(
        registry(), ["node", "array"], 3, frozenset({"Z3-SHAPE-001", "NZ-ATTR-001", "NZ-FILL-002"})
    )
    documents = contents({"base": "plain"})

    def verdict(old: bytes, new: bytes) -> list[str]:
        store = FaultyStore(
            {**documents, "a/zarr.json": documents["a/zarr.json"].replace(old, new)}, [], True
        )
        return [
            violation.rule.id for violation in plan.run_node(open_store(store)["/a"]).violations
        ]

    for old, new, expected in (
        (b"", b"", []),
        (b"[2, 3]", b"[2.0, 3]", ["Z3-SHAPE-001"]),
        (b"[2, 3]", b"[2, true]", ["Z3-SHAPE-001"]),
        (b'"attributes": {}', b'"attributes": {"_FillValue": 1}', []),
        (b'"attributes": {}', b'"attributes": {"_FillValue": true}', ["NZ-FILL-002"]),
        (b'"attributes": {}', b'"attributes": {"a": [1, true]}', ["NZ-ATTR-001"]),
        (b"", b"", []),
    ):
        assert verdict(old, new) == expected


@pytest.mark.parametrize("name", nczarr.KEYS["array"])
def test_what_netcdf_c_noted_of_a_shape_tells_arrays_apart(name: str) -> None:
    metadata = {"zarr_format": 2, "shape": [1], "chunks": [1], "dtype": "<i4", "order": "C"}
    documents = {".zgroup": b'{"zarr_format": 2}'}
    for path, notes in (("a", {"scalar": True}), ("b", {})):
        documents[f"{path}/.zarray"] = json.dumps(metadata).encode()
        documents[f"{path}/.zattrs"] = json.dumps({name: notes}).encode()
    hierarchy = open_store(FaultyStore(documents, [], True))
    a, b = hierarchy["/a"], hierarchy["/b"]
    assert isinstance(a, Array)
    assert isinstance(b, Array)
    assert (a.shape, b.shape) == ((), (1,))


def test_what_documents_say_is_found_in_a_store_that_cannot_be_listed() -> None:
    """Z2-ARR-010 looks at the names of chunks as well, which nobody can tell there."""
    array = {"zarr_format": 2, "shape": [1], "chunks": [1], "dtype": "<i4", "order": "C"}
    array |= {"dimension_separator": "-", "compressor": None, "filters": None, "fill_value": 0}
    store = FaultyStore({".zarray": json.dumps(array).encode()}, [], listable=False)
    report = nz.check(store, progress=False)
    assert "Z2-ARR-010" in {finding.rule for finding in report.findings}


def test_nodes_like_others_are_not_judged_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a large store costs depends on it."""
    judged: list[Any] = []
    judge = Plan._judge_all

    def counted(plan: Plan, node: Any) -> Any:
        judged.append(node)
        return judge(plan, node)

    monkeypatch.setattr(Plan, "_judge_all", counted)
    plain = contents({"base": "plain"})
    root, array = plain["zarr.json"], plain["a/zarr.json"]
    assert b'"attributes": {}' in array
    other = array.replace(b'"attributes": {}', b'"attributes": {"units": "m"}')
    one = {"zarr.json": root, "a/zarr.json": root}
    one |= {f"a/v{i}/zarr.json": array for i in range(100)}
    two = one | {"b/zarr.json": root} | {f"b/v{i}/zarr.json": other for i in range(100)}
    numbers = []
    for documents in (one, two):
        judged.clear()
        evaluation = evaluate(open_store(FaultyStore(documents, [], True)))
        evaluation.run()
        assert evaluation.nodes["arrays"] == len(documents) // 100 * 100
        numbers.append(len(judged))
    # The first of a kind, and the second, of which it is noted what is read: a group and arrays; as much again.
    assert numbers == [3, 6]


def test_reading_while_feeding(broken_store: Path) -> None:
    evaluation = evaluate(open_store(broken_store))
    failures: list[BaseException] = []
    done = threading.Event()

    def read() -> None:
        try:
            while not done.is_set():
                evaluation.findings()
                evaluation.counts("/forecast")
                _ = (
                    evaluation.conforms,
                    evaluation.nodes,
                    evaluation.not_evaluated(),
                    evaluation.tallies(),
                )
        except BaseException as error:  # noqa: BLE001  # told in the test's own thread
            failures.append(error)

    readers = [threading.Thread(target=read) for _ in range(3)]
    for reader in readers:
        reader.start()
    for _ in range(3):
        evaluation.run()
        evaluation.forget("/")
    evaluation.run()
    done.set()
    for reader in readers:
        reader.join()
    assert failures == []


CURABLE = ("NZ-CONS-002", "NZ-CONS-003", "NZ-CONS-004", "NZ-CONS-006")
"""Rules on entries; that there are none is cured by consolidating."""


@pytest.mark.parametrize("case", CONSOLIDATED, ids=lambda case: case["name"])
def test_a_fix_of_consolidated_metadata_cures_it(case: dict[str, Any], tmp_path: Path) -> None:
    import json

    import jsonpatch

    documents = contents(case)
    report = nz.check(source(case, tmp_path / "before"), progress=False)
    for finding in report.findings:
        if finding.rule in CURABLE:
            fix = finding.fix
            assert fix is not None
            # What only the entry has is lost with it, except names of dimensions, which are written where they belong.
            loses = any(text in finding.message for text in ("has no .zattrs", "have .zarray for"))
            written = "suggest" if fix.document not in documents else "safe"
            assert fix.safety == ("unsafe" if loses and written == "safe" else written)
            before = json.loads(documents.get(fix.document, b"null"))
            patched = jsonpatch.apply_patch(before, list(fix.patch))
            documents[fix.document] = json.dumps(patched).encode()
    after = nz.check(write(documents, tmp_path / "after"), progress=False)
    assert [f for f in after.findings if f.rule in CURABLE] == []


def test_safe_fixes_of_the_sample_cure_and_leave_nothing_stale(broken_copy: Path) -> None:
    import json

    import jsonpatch

    report = nz.check(broken_copy, progress=False)
    cured = []
    for finding in report.findings:
        fix = finding.fix
        if (
            fix is None
            or fix.safety != "safe"
            or not fix.patch
            or finding.rule.startswith("NZ-CONS")
        ):
            continue
        cured.append((finding.rule, finding.path))
        for document, patch in [
            (fix.document, fix.patch),
            *((c.document, c.patch) for c in fix.also),
        ]:
            file = broken_copy / document
            before = json.loads(file.read_text("utf-8-sig")) if file.exists() else {}
            file.write_text(json.dumps(jsonpatch.apply_patch(before, list(patch))))
    after = {(f.rule, f.path) for f in nz.check(broken_copy, progress=False).findings}
    assert {rule for rule, _ in cured} >= {"NZ-SCAL-001", "TREE-002", "JSON-003"}
    assert not after & set(cured)
    stale_before = {f.path for f in report.findings if f.rule == "NZ-CONS-002"}
    assert {path for rule, path in after if rule == "NZ-CONS-002"} <= stale_before


def test_fixes_of_netcdf_c_stores_leave_the_references_alone(tmp_path: Path) -> None:
    documents = contents({"base": "v2"})
    names = b'{"_nczarr_array": {"dimension_references": ["/x"]}}'
    array = documents["a/.zarray"].replace(b"[2, 3]", b"[4]")
    store = write({**documents, "b/.zarray": array, "b/.zattrs": names}, tmp_path)
    x = documents["a/.zarray"].replace(b"[2, 3]", b"[3]")
    write({"x/.zarray": x, "x/.zattrs": b'{"_ARRAY_DIMENSIONS": ["x"]}'}, store)
    (finding,) = [f for f in nz.check(store, progress=False).findings if f.rule == "NZ-DIM-010"]
    assert finding.fix is not None
    assert finding.fix.document == "b/.zattrs"
    assert finding.fix.patch == ({"op": "add", "path": "/_ARRAY_DIMENSIONS", "value": ["x_4"]},)


def test_what_is_gone_is_forgotten_on_the_next_visit(broken_copy: Path) -> None:
    import shutil

    hierarchy = open_store(broken_copy, consolidated=False)
    evaluation = evaluate(hierarchy)
    evaluation.run()
    assert {f.rule for f in evaluation.findings("/forecast/ozone")} == {"NZ-DIM-005"}
    shutil.rmtree(broken_copy / "forecast" / "ozone")
    hierarchy.refresh("/")
    evaluation.run()
    assert {f.rule for f in evaluation.findings("/forecast/ozone")} == {"NZ-CONS-004"}
    fresh = evaluate(open_store(broken_copy, consolidated=False))
    fresh.run()
    assert evaluation.counts("/") == fresh.counts("/")
    assert evaluation.nodes == fresh.nodes


@pytest.mark.parametrize(
    ("given", "rule", "better"),
    [
        ("NZ-1.0/CF-1.12", "NZ-DECL-001", "NZ-1.0 CF-1.12"),
        ("lab/profile\tNZ-1.0", "NZ-DECL-003", "lab/profile NZ-1.0"),
        ("nz-1.0 nz-1.01", "NZ-DECL-005", "NZ-1.0 nz-1.01"),
        ("NZ-1.5 NZ-1", "NZ-DECL-008", "NZ-1.5 NZ-1.0"),
    ],
)
def test_fixes_of_a_declaration_take_identifiers_as_a_whole(
    given: str, rule: str, better: str
) -> None:
    root = {"zarr_format": 3, "node_type": "group", "attributes": {"conventions": given}}
    report = nz.check({"zarr.json": json.dumps(root).encode()}, progress=False)
    (finding,) = [f for f in report.findings if f.rule == rule]
    assert finding.fix is not None
    assert [operation["value"] for operation in finding.fix.patch] == [better]


@pytest.mark.parametrize(
    ("entries", "safety"),
    [
        ('{"a": [NaN]}', "suggest"),  # where numbers are wanted, a text is no better
        ("[[NaN]]", "suggest"),
        ('[{"fill_value": NaN}]', "unsafe"),
    ],
)
def test_a_bare_token_in_entries_that_are_no_nodes_is_only_found(entries: str, safety: str) -> None:
    held = f'{{"kind": "inline", "must_understand": false, "metadata": {entries}}}'
    root = f'{{"zarr_format": 3, "node_type": "group", "consolidated_metadata": {held}}}'
    report = nz.check({"zarr.json": root.encode()}, progress=False)
    (found,) = [f for f in report.to_dict()["findings"] if f["rule"] == "JSON-003"]
    assert found["fix"]["safety"] == safety


def test_the_garbage_collector_of_the_process_is_left_as_it_is(sample_store: Path) -> None:
    before, during = gc.get_threshold(), set[tuple[int, int, int]]()
    evaluate(open_store(sample_store)).run(progress=lambda *_: during.add(gc.get_threshold()))
    assert during == {before} == {gc.get_threshold()}


def test_whoever_wants_all_values_wants_them_however_many_they_are(tmp_path: Path) -> None:
    hierarchy = open_store(write(contents({"base": "plain"}), tmp_path))
    budgets = {
        values: evaluate(hierarchy, values=values).budget.max_bytes  # type: ignore[arg-type]
        for values in ("none", "coordinates", "all")
    }
    assert budgets == {"none": VALUE_BYTES, "coordinates": VALUE_BYTES, "all": None}
    assert evaluate(hierarchy, values="all", budget=Budget(max_bytes=5)).budget.max_bytes == 5
    with pytest.raises(ValueError, match="none, coordinates or all, not 'some'"):
        evaluate(hierarchy, values="some")  # type: ignore[arg-type]


def test_what_is_beside_is_not_forgotten(broken_store: Path) -> None:
    evaluation = evaluate(open_store(broken_store, consolidated=False))
    evaluation.run()
    beside, found = evaluation.counts("/stations"), evaluation.findings("/stations")
    assert beside.total
    known = evaluation.known_paths()
    evaluation.forget("/forecast")
    assert evaluation.counts("/stations") == beside
    assert evaluation.findings("/stations") == found
    left = [path for path in known if not f"{path}/".startswith("/forecast/")]
    assert evaluation.known_paths() == left


def test_nodes_are_known_by_their_kind(tmp_path: Path) -> None:
    documents = contents({"base": "plain"})
    documents |= {"g/zarr.json": documents["zarr.json"], "u/zarr.json": b"{"}
    hierarchy = open_store(write(documents, tmp_path))
    evaluation = evaluate(hierarchy)
    evaluation.run()
    nodes = list(hierarchy.walk())
    assert {node.kind for node in nodes} == {"group", "array", "unknown"}
    for kind in ("group", "array", "unknown"):
        for formats in ({2}, {3}, {2, 3, None}):
            assert set(evaluation.recorded(kind, formats)) == {
                node.path for node in nodes if node.kind == kind and node.zarr_format in formats
            }
    assert set(evaluation.known_paths()) == {node.path for node in nodes}


@pytest.mark.parametrize(("select", "compares"), [((), True), (["NZ-CONS"], True), (["NZ-NAME"], False)])  # fmt: skip
def test_entries_are_compared_where_that_is_asked_for(
    broken_store: Path, select: list[str], compares: bool
) -> None:
    hierarchy = open_store(broken_store)
    evaluation = evaluate(hierarchy, select=select)
    assert evaluation.compares is compares
    before = hierarchy.reader.counters.requests
    evaluation.run()
    assert (hierarchy.reader.counters.requests > before + 10) is compares


def test_findings_of_a_dataset_that_declares_itself_are_not_marked(tmp_path: Path) -> None:
    documents = contents({"base": "plain"})
    store = write({**documents, "2m/zarr.json": documents["a/zarr.json"]}, tmp_path)
    tags = {f.rule: f.tags for f in nz.check(store, progress=False).findings}
    assert tags == {"NZ-NAME-001": ()}


def test_a_coordinate_that_is_evaluated_again_has_its_values_read_again(
    sample_store: Path,
) -> None:
    hierarchy = open_store(sample_store)
    evaluation = evaluate(hierarchy)
    evaluation.run()
    later = evaluation.fork(hierarchy)
    lat = hierarchy["/forecast/lat"]
    later.add_again(lat, values=False)
    assert later.monotonicity("/forecast/lat") is not None
    later.add_again(lat, values=True)
    assert later.monotonicity("/forecast/lat") is None
    assert evaluation.monotonicity("/forecast/lat") is not None


def test_nodes_are_counted(tmp_path: Path) -> None:
    documents = contents({"base": "plain"})
    documents |= {"g/zarr.json": documents["zarr.json"], "u/zarr.json": b"{"}
    store = FaultyStore(
        documents | {"r/zarr.json": documents["a/zarr.json"]}, ["r/zarr.json"], True
    )
    evaluation = evaluate(open_store(store))
    evaluation.run()
    assert evaluation.nodes == {"groups": 2, "arrays": 2, "unreadable": 2}


def test_what_is_stored_counts_and_not_its_consolidated_copy(broken_store: Path) -> None:
    hierarchy = open_store(broken_store)
    evaluation = evaluate(hierarchy)
    evaluation.run()
    before, nodes = _keys(evaluation), list(hierarchy.walk())
    assert any(node.documents[0].origin == "consolidated" for node in nodes if node.documents)
    for node in nodes:
        evaluation.add_node(node)
    assert _keys(evaluation) == before


@pytest.mark.parametrize("options", [{"values": "none"}, {}, {"budget": Budget(max_nodes=5)}, {"budget": Budget(max_cost="G")}, {"budget": Budget(max_requests=2)}])  # fmt: skip
@pytest.mark.parametrize("consolidated", [True, False])
def test_findings_and_what_is_not_known_stand_in_order_and_are_counted(
    options: dict[str, Any], consolidated: bool, broken_store: Path
) -> None:
    evaluation = evaluate(open_store(broken_store, consolidated=consolidated), **options)
    evaluation.run()
    assert evaluation.not_evaluated_total == len(evaluation.not_evaluated())
    found = [finding.path for finding in evaluation.findings()]
    assert found == sorted(found, key=tree_order)
    assert evaluation.counts("/").total == len(found)


@pytest.mark.parametrize(
    ("options", "reads"),
    [
        ({}, True),
        ({"values": "none"}, False),
        ({"budget": Budget(max_cost="K")}, False),
        ({"budget": Budget(max_cost="V")}, True),
        ({"budget": Budget(max_bytes=0)}, False),
    ],
)
def test_values_are_read_only_where_that_is_allowed(
    options: dict[str, Any], reads: bool, sample_store: Path
) -> None:
    hierarchy = open_store(sample_store)
    evaluation = evaluate(hierarchy, **options)
    lat = hierarchy["/forecast/lat"]
    assert isinstance(lat, Array)
    evaluation.add_node(lat)
    assert (evaluation.value_rules(lat) is not None) is reads
    assert (evaluation.monotonicity(lat.path) is not None) is reads


@pytest.mark.parametrize("max_cost", ["M", "G"])
def test_entries_are_not_compared_where_that_costs_too_much(
    broken_store: Path, max_cost: Any
) -> None:
    evaluation = evaluate(open_store(broken_store), budget=Budget(max_cost=max_cost))
    assert not evaluation.compares
    evaluation.run()
    assert evaluation.complete


@pytest.mark.parametrize("ignore", [(), ("NZ-CONS", "Z3-CM")])
@pytest.mark.parametrize("consolidated", [True, False])
def test_nothing_is_left_to_do_after_a_run(
    consolidated: bool, ignore: tuple[str, ...], broken_store: Path
) -> None:
    evaluation = evaluate(open_store(broken_store, consolidated=consolidated), ignore=ignore)
    assert evaluation.on_documents is (not consolidated or not ignore)
    evaluation.run()
    assert evaluation.counts("/").complete
    for part in ("stored", "members", "values", "inside", "contents"):
        assert evaluation.waiting(part) == []


@pytest.mark.parametrize("values", ["none", "coordinates", "all"])
def test_values_that_nobody_asked_for_can_be_read_later(values: Any, tmp_path: Path) -> None:
    store = write(contents({"base": "plain"}), tmp_path)
    evaluation = evaluate(open_store(store), values=values)
    assert evaluation.values_left_out is (values != "all")
    for _ in range(2):  # also the second time, for example after an edit
        evaluation.run()
        assert evaluation.values_left_out is (values != "all")
    evaluation.read_contents()
    assert not evaluation.values_left_out
    evaluation.run()
    assert evaluation.complete
    assert not evaluation.values_left_out


def test_values_that_are_wanted_later_take_no_more_than_was_said(tmp_path: Path) -> None:
    store = write(contents({"base": "plain"}), tmp_path)
    evaluation = evaluate(open_store(store))
    evaluation.run()
    coordinates = evaluation.byte_budget.left
    size = evaluation.contents_size
    assert size > 0
    evaluation.read_contents(size - 1)
    assert evaluation.reads_contents
    evaluation.run()
    assert evaluation.complete
    assert not evaluation.reads_contents
    assert evaluation.values_left_out  # and may be asked for again
    assert "budget" in {one.reason for one in evaluation.not_evaluated()}
    evaluation.read_contents()
    evaluation.run()
    assert not evaluation.values_left_out
    assert "budget" not in {one.reason for one in evaluation.not_evaluated()}
    assert evaluation.byte_budget.left == coordinates  # which have a bound of their own


def test_who_wanted_all_values_may_leave_them(tmp_path: Path) -> None:
    evaluation = evaluate(open_store(write(contents({"base": "plain"}), tmp_path)))
    evaluation.run()
    before = evaluation.not_evaluated()
    evaluation.read_contents()
    evaluation.leave_contents()
    evaluation.run()
    assert evaluation.complete
    assert evaluation.not_evaluated() == before
    assert evaluation.values_left_out


def test_values_are_not_left_out_where_there_are_no_rules_on_them(tmp_path: Path) -> None:
    store = write(contents({"base": "plain"}), tmp_path)
    for options in ({"select": ["NZ-COORD"], "values": "none"}, {"select": ["JSON"]}):
        assert not evaluate(open_store(store), **options).values_left_out  # type: ignore[arg-type]


def test_values_are_read_again_whenever_all_of_them_are_wanted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []
    monkeypatch.setattr(Evaluation, "content_rules", lambda _self, array, *_: read.append(array.path))  # fmt: skip
    store = write(contents({"base": "plain"}), tmp_path)
    for values, times in (("all", 2), ("coordinates", 0)):
        read.clear()
        evaluation = evaluate(open_store(store), values=values)  # type: ignore[arg-type]
        evaluation.run()
        evaluation.run()
        assert len(read) == times * len(set(read))
        assert bool(read) is bool(times)


def test_what_is_found_of_a_node_that_is_not_evaluated_is_not_kept(broken_store: Path) -> None:
    hierarchy = open_store(broken_store)
    evaluation = evaluate(hierarchy)
    arrays = [node for node in hierarchy.walk() if isinstance(node, Array)]
    evaluation.listing_rules(arrays)
    assert evaluation.findings() == []
    assert evaluation.visited == []


def _many_chunks(tmp_path: Path) -> Path:
    return _store("NZ-CODEC-003: no group has too many chunks, the store has", tmp_path)


def _few_objects(evaluation: Evaluation) -> list[str]:
    return [f.message for f in evaluation.findings() if f.rule == "NZ-CODEC-003"]


def test_what_is_counted_over_all_arrays_does_not_depend_on_their_order(tmp_path: Path) -> None:
    store = _many_chunks(tmp_path)
    walked, fed = evaluate(open_store(store)), evaluate(open_store(store))
    walked.run()
    fed.add_nodes(list(fed.hierarchy.walk())[::-1])
    assert _few_objects(fed) == []  # nobody has said that these are all
    fed.add_totals()
    assert _few_objects(fed) == _few_objects(walked) != []


@pytest.mark.parametrize(("unvisited", "found"), [(1, 1), (9, 0)])
def test_what_is_counted_over_some_arrays_says_so(
    unvisited: int, found: int, tmp_path: Path
) -> None:
    store = _many_chunks(tmp_path)
    shutil.copytree(store / "g5/v0", store / "g5/v1")
    total = sum(nz.check(store, progress=False).nodes.values())
    budget = Budget(max_nodes=total - unvisited)
    evaluation = evaluate(open_store(store), budget=budget)
    evaluation.run()
    assert not evaluation.complete
    messages = _few_objects(evaluation)
    assert len(messages) == found
    assert all("visited so far" in message for message in messages)
    left_out = {(one.rule, one.reason) for one in evaluation.not_evaluated("/", below=False)}
    assert ("NZ-CODEC-003", "budget") in left_out


def test_what_is_counted_over_all_arrays_follows_edits(tmp_path: Path) -> None:
    evaluation = evaluate(open_store(_many_chunks(tmp_path)))
    evaluation.run()
    trial = WhatIf(evaluation)
    trial.set("/g0/v0", "/shape", [1])
    assert _few_objects(trial.evaluation) == []
    assert _few_objects(evaluation)
    trial.undo()
    assert _few_objects(trial.evaluation) == _few_objects(evaluation)


@pytest.mark.parametrize("index_codecs", [None, [], "crc32c"])
def test_a_shard_without_codecs_for_its_index_is_checked(tmp_path: Path, index_codecs: Any) -> None:
    root = zarr.create_group(tmp_path / "s.zarr")
    root.create_array("a", data=np.arange(4), chunks=(1,), shards=(2,), dimension_names=["x"])
    document = tmp_path / "s.zarr" / "a" / "zarr.json"
    metadata = json.loads(document.read_text())
    metadata["codecs"][0]["configuration"].pop("index_codecs")
    if index_codecs is not None:
        metadata["codecs"][0]["configuration"]["index_codecs"] = index_codecs
    document.write_text(json.dumps(metadata))
    (tmp_path / "s.zarr" / "a" / "c" / "0").write_bytes(b"no shard")
    report = nz.check(tmp_path / "s.zarr", values="all", progress=False)
    assert "Z3-CODEC-008" in {finding.rule for finding in report.findings}


def test_an_array_whose_values_end_in_a_bug_does_not_take_down_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = zarr.create_group(tmp_path / "s.zarr")
    for name in ("a", "b"):
        root.create_array(name, data=np.full(4, 1e20), dimension_names=["x"])

    def broken(array: Any, **options: Any) -> Any:
        if array.path == "/a":
            raise KeyError("index_codecs")
        return contents_of(array, **options)

    monkeypatch.setattr("nz_explorer.values.contents.contents", broken)
    report = nz.check(tmp_path / "s.zarr", values="all", progress=False)
    assert "/b" in {finding.path for finding in report.findings if finding.rule == "CF-FILL-002"}
    reasons = {one.reason for one in report.not_evaluated if one.path == "/a"}
    assert "internal error: KeyError: 'index_codecs'" in reasons
