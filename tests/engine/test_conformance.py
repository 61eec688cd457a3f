"""What follows from all results: which conventions are kept, what sums them up, tags, impacts, verdicts of each rule."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import nz_explorer as nz
from nz_explorer.engine.configuration import Configuration
from nz_explorer.engine.convention import Convention
from nz_explorer.engine.evaluation import Budget, Evaluation
from nz_explorer.engine.evaluation.budget import TIME_LIMIT
from nz_explorer.engine.evaluation.conformance import ONLY_COPIES
from nz_explorer.engine.findings import Fail, NotEvaluated, Undecided
from nz_explorer.engine.registry import Registry
from tests.engine.made import FAILS, PASSES, V2, V3, convention, function, hierarchy, info, says

Check = Callable[..., Any]


def base(check: Check = PASSES, **given: Any) -> Convention:
    """Return the convention that another one sums up."""
    described = info("B-001", **given)
    return convention(function("B-001", check=check), key="b", infos=(described,))


def summing(check: Check = PASSES, *, declared: bool = True, **given: Any) -> Convention:
    """Return the convention that sums up the other: it is kept where that is."""
    infos = (info("S-BASE-1"), info("S-1", **given), info("S-DECL-1", severity="info", level="MAY"))
    return convention(
        function("S-1", check=check, on="array"),
        function("S-DECL-1", check=PASSES if declared else FAILS, on="root"),
        key="s",
        infos=infos,
        declared_how=lambda _attributes: declared,
        declaration_rules=("S-DECL",),
        summary_rule="S-BASE-1",
        summary_families=("B",),
    )


def evaluated(*conventions: Convention, documents: Any = None, **options: Any) -> Evaluation:
    evaluation = Evaluation(hierarchy(documents or V3), Registry(conventions), **options)
    evaluation.run()
    return evaluation


def found(evaluation: Evaluation) -> list[tuple[str, str, str]]:
    return [(one.rule, one.path, one.severity) for one in evaluation.findings()]


ARRAYS = [key for key in V3 if key.endswith("/zarr.json")]


def test_a_convention_is_broken_where_the_one_it_sums_up_is() -> None:
    whole = evaluated(base(FAILS), summing())
    assert whole.conforms == {"b": False, "s": False}
    summed = [one for one in whole.findings() if one.rule == "S-BASE-1"]
    number = 1 + len(ARRAYS)
    assert [(one.path, one.related) for one in summed] == [("/", ("/",))]
    assert summed[0].message.endswith(f": {number} errors, first B-001 at /")
    assert whole.counts("/").error == number + 1
    assert whole.tallies()["S-BASE-1"] == Counter(fail=1)
    assert evaluated(base(), summing()).conforms == {"b": True, "s": True}
    assert evaluated(base(), summing()).tallies()["S-BASE-1"] == Counter({"pass": 1})


def test_what_is_milder_than_its_rule_is_summed_up_by_nothing() -> None:
    mild = evaluated(base(says(Fail("", "so", severity="info"))), summing())
    assert mild.conforms == {"b": True, "s": True}
    one_error = says(Fail("", "so", severity="info"), Fail("", "bad", path="/z", severity="error"))
    both = evaluated(base(one_error), summing())
    (summed,) = [one for one in both.findings() if one.rule == "S-BASE-1"]
    assert summed.related == ("/z",)


def test_errors_that_are_not_to_be_shown_break_it_all_the_same() -> None:
    hidden = Configuration(per_path_ignores={"/*": ("B",), "/": ("B",)})
    whole = evaluated(base(FAILS), summing(), configuration=hidden)
    assert whole.conforms == {"b": False, "s": False}
    (summed,) = whole.findings()
    assert (summed.rule, summed.related) == ("S-BASE-1", ())
    assert summed.message.endswith(f": {1 + len(ARRAYS)} errors")


def test_what_is_not_known_of_the_one_is_not_known_of_the_other() -> None:
    whole = evaluated(base(says(Undecided("listing"))), summing())
    assert whole.conforms == {"b": None, "s": None}
    assert whole.tallies()["S-BASE-1"] == Counter(not_evaluated=1)
    about = [one for one in whole.not_evaluated() if one.rule == "S-BASE-1"]
    assert [(one.path, one.reason) for one in about] == [("/", "dependency: B-001")]
    broken = evaluated(base(says(Undecided("listing"), Fail("", "so"))), summing())
    assert broken.conforms == {"b": False, "s": False}
    assert not [one for one in broken.not_evaluated() if one.rule == "S-BASE-1"]
    left_out = evaluated(base(), summing(), ignore=["B"])
    assert left_out.conforms["s"] is None


def test_a_dataset_of_v2_is_not_judged_by_what_is_said_of_v3() -> None:
    whole = evaluated(base(FAILS), summing(FAILS), documents=V2)
    assert "S-BASE-1" not in {one.rule for one in whole.findings()}
    assert whole.tallies()["S-BASE-1"] == Counter({"pass": 1})
    tags = {one.tags for one in whole.findings() if one.rule == "S-1"}
    assert tags == {("v2-analogue",)}


@pytest.mark.parametrize("declared", [True, False])
def test_findings_of_a_convention_that_is_not_declared_are_marked(declared: bool) -> None:
    whole = evaluated(base(FAILS), summing(FAILS, declared=declared))
    tags = {one.rule: one.tags for one in whole.findings()}
    assert tags["S-1"] == (() if declared else ("undeclared",))
    assert tags["B-001"] == ()
    assert tags.get("S-DECL-1") == (None if declared else ())
    impacts = {one.rule: one.impact for one in whole.findings()}
    assert impacts["S-1"] == ("convention" if declared else "distance")
    assert impacts["B-001"] == "convention"


@pytest.mark.parametrize(
    ("given", "fail", "undeclared", "declared"),
    [
        ({"impact": "values"}, {}, "values", "values"),
        ({"impact": "advice"}, {}, "distance", "advice"),
        ({"impact": "advice"}, {"severity": "info"}, "advice", "advice"),
        ({"level": "MAY", "severity": "info"}, {}, "advice", "advice"),
    ],
)
def test_what_is_required_is_a_step_towards_a_convention_that_is_not_declared(
    given: dict[str, Any], fail: dict[str, Any], undeclared: str, declared: str
) -> None:
    for is_declared, expected in ((False, undeclared), (True, declared)):
        check = says(Fail("", "so", **fail))
        whole = evaluated(base(), summing(check, declared=is_declared, **given))
        assert {one.impact for one in whole.findings() if one.rule == "S-1"} == {expected}
    other = evaluated(base(says(Fail("", "so", **fail)), **given), summing(declared=False))
    assert {one.impact for one in other.findings() if one.rule == "B-001"} == {declared}


@pytest.mark.parametrize(
    ("level", "severity", "decides", "kept"),
    [
        ("MUST", "error", "error", False),
        ("MUST", "warning", "error", True),
        ("SHOULD", "warning", "error", True),
        ("MUST", "warning", "warning", False),
        ("SHALL", "warning", "warning", False),
        ("REQUIRED", "warning", "warning", False),
        ("SHOULD", "warning", "warning", True),
        ("MUST", "error", "warning", True),
    ],
)
def test_which_rules_decide_whether_a_convention_is_kept(
    level: str, severity: str, decides: Any, kept: bool
) -> None:
    described = (info("T-001", level=level, severity=severity), info("T-002", severity=decides))
    rules = (function("T-001"), function("T-002", check=PASSES))
    made = convention(*rules, infos=described, decides=decides)
    assert evaluated(made).conforms == {"t": kept}


def test_a_convention_of_another_version_of_zarr_is_not_kept() -> None:
    for in_other_formats in (False, None):
        made = convention(
            function("T-001", check=PASSES), zarr_format=2, in_other_formats=in_other_formats
        )
        assert evaluated(made).conforms == {"t": in_other_formats}
        assert evaluated(made, documents=V2).conforms == {"t": True}


def test_a_convention_is_broken_where_what_it_demands_is_reported_by_another() -> None:
    other = convention(function("B-001", check=FAILS), key="b", infos=(info("B-001"),))
    own = function("D-001", check=PASSES), (info("D-001"),)
    alone = convention(own[0], key="d", infos=own[1])
    delegating = convention(own[0], key="d", infos=own[1], delegates=("B-001",))
    assert evaluated(other, alone).conforms == {"b": False, "d": True}
    assert evaluated(other, delegating).conforms == {"b": False, "d": False}


def test_a_convention_that_is_used_nowhere_has_no_verdict() -> None:
    kept = function("T-001", check=PASSES)
    assert evaluated(convention(kept, used_where=("nothing has it",))).conforms == {}
    assert evaluated(convention(kept, has_verdict=False)).conforms == {}
    assert evaluated(convention(kept, root="array")).conforms == {"t": None}
    assert evaluated(convention(kept, root="group")).conforms == {"t": True}


def test_after_the_time_allowed_each_rule_is_not_evaluated_once() -> None:
    listing = convention(
        function("L-001", on="contents"), key="l", infos=(info("L-001", scope="contents"),)
    )
    whole = evaluated(base(), summing(), listing, budget=Budget(max_seconds=0.0))
    assert whole.out_of_time
    assert not whole.complete
    said = Counter((one.rule, one.reason) for one in whole.not_evaluated("/", below=False))
    assert said == {
        ("B-001", TIME_LIMIT): 1,
        ("S-1", TIME_LIMIT): 1,
        ("S-DECL-1", TIME_LIMIT): 1,
        ("S-BASE-1", TIME_LIMIT): 1,
        ("L-001", "cost"): 1,
    }
    assert whole.tallies()["L-001"]["not_evaluated"] == 1


def test_a_convention_that_somebody_should_ask_for_is_named_once() -> None:
    other = convention(
        function("O-001", check=PASSES),
        key="o",
        wanted=lambda *_: False,
        suggested_by=lambda _attributes: True,
    )
    whole = evaluated(base(), other)
    assert [(one.rule, one.path) for one in whole.not_evaluated()] == [("O", "/")]
    asked = evaluated(base(), other, conventions=["b", "o"])
    assert asked.not_evaluated() == []


def test_a_convention_without_rules_is_not_evaluated() -> None:
    empty = convention(key="e")
    whole = evaluated(base(), empty)
    assert [(one.rule, one.reason) for one in whole.not_evaluated()] == [("E", "no rules yet")]
    assert whole.conforms["e"] is None


def test_verdicts_of_each_rule_are_counted() -> None:
    rules = [
        function("T-001", check=FAILS, on="array"),
        function("T-002", check=says(Undecided("listing")), on="array"),
        function("T-003", check=PASSES, on="array"),
        function("T-004", check=PASSES, on="array", when=lambda _array: False),
    ]
    tallies = evaluated(convention(*rules)).tallies()
    number = len(ARRAYS)
    assert tallies["T-001"] == {"fail": number}
    assert tallies["T-002"] == {"not_evaluated": number}
    assert tallies["T-003"] == {"pass": number}
    assert tallies["T-004"] == {"not_applicable": number}


BEHIND: dict[str, Any] = {
    ".zgroup": {"zarr_format": 2},
    "a/.zarray": {
        "zarr_format": 2, "shape": [2], "chunks": [2], "dtype": "<f4", "compressor": None,
        "fill_value": 0.0, "order": "C", "filters": None,
    },
    "a/.zattrs": {"_ARRAY_DIMENSIONS": ["x"]},
}  # fmt: skip


@pytest.mark.parametrize(
    ("stored", "options", "kept"),
    [
        ("C", {"conventions": "zarr2"}, True),
        ("X", {"conventions": "zarr2"}, False),
        ("X", {"ignore": ["NZ"]}, None),  # nothing compares the documents with their copies
        ("C", {"ignore": ["NZ"]}, None),
    ],
)
def test_consolidated_metadata_do_not_answer_for_documents(
    stored: str, options: dict[str, Any], kept: bool | None, tmp_path: Path
) -> None:
    copies = {"zarr_consolidated_format": 1, "metadata": BEHIND}
    array = BEHIND["a/.zarray"] | {"order": stored}
    (tmp_path / "a").mkdir()
    for key, document in {**BEHIND, "a/.zarray": array, ".zmetadata": copies}.items():
        (tmp_path / key).write_text(json.dumps(document))
    report = nz.check(tmp_path, progress=False, **options)
    assert report.conforms["Zarr v2"] is kept
    why = NotEvaluated("Z2", "/", ONLY_COPIES)
    assert (why in report.not_evaluated) is (kept is None)
    text = report.to_text()
    assert (ONLY_COPIES in text) is (kept is None)
    assert "cannot be listed" not in text


@pytest.mark.parametrize(
    ("key", "written", "kept"),
    [
        (".zmetadata", '{"metadata": {', True),  # the text has no such document
        (".zmetadata", "[]", True),
        ("a/.zattrs", '{"units": ', False),
    ],
)
def test_broken_consolidated_metadata_do_not_decide_on_zarr_v2(
    key: str, written: str, kept: bool, tmp_path: Path
) -> None:
    (tmp_path / "a").mkdir()
    for name, document in BEHIND.items():
        (tmp_path / name).write_text(json.dumps(document))
    (tmp_path / key).write_text(written)
    report = nz.check(tmp_path, progress=False, conventions="zarr2")
    assert report.conforms["Zarr v2"] is kept
    assert [f.severity for f in report.findings if f.rule.startswith("JSON")] == ["error"]
    assert ("to the letter of its text; 1 error beyond that" in report.to_text()) is kept


@pytest.mark.parametrize(
    ("compressor", "chunk", "kept"),
    [
        (None, bytes(8), True),
        (None, bytes(4), False),  # Z2-CHUNK-003
        ({"id": "zlib", "level": 1}, bytes(8), False),  # Z2-CHUNK-004
        ({"id": "zlib", "clevel": 1}, None, True),  # Z2-CODEC-003: settings are the codec's own
    ],
)
def test_chunks_that_were_read_decide_on_zarr_v2(
    compressor: dict[str, Any] | None, chunk: bytes | None, kept: bool, tmp_path: Path
) -> None:
    (tmp_path / "a").mkdir()
    array = {"shape": [2], "chunks": [2], "dtype": "<f4", "compressor": compressor}
    documents = BEHIND | {"a/.zarray": BEHIND["a/.zarray"] | array}
    for key, document in documents.items():
        (tmp_path / key).write_text(json.dumps(document))
    if chunk is not None:
        (tmp_path / "a/0").write_bytes(chunk)
    report = nz.check(tmp_path, progress=False, conventions="zarr2", values="all")
    assert report.conforms["Zarr v2"] is kept
    unread = nz.check(tmp_path, progress=False, conventions="zarr2", values="none")
    assert unread.conforms["Zarr v2"] is True
    beside = "conforms to the letter of its text; 1 error beyond that"
    assert (beside in report.to_text()) is any("clevel" in f.pointer for f in report.findings)
