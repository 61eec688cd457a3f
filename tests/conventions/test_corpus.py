"""Every rule finds what it should, where it should, and nothing next to it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from jsonpatch import apply_patch

import nz_explorer as nz
from nz_explorer.conventions import rules
from tests.corpus import coverage
from tests.corpus.cases import BASES, CASES, contents, source, write

WORKING = sorted(rule.id for rule in rules().values() if rule.works)
SUMMARY = "NZ-BASE-001"
ILL_FORMED = re.compile(
    r"\b1 (?:positive )?(?:arrays|bytes|characters|chunks|dimensions|entries|errors|integers|nodes|strings|values)\b"
    r"|\ba (?:int|array|object|integer|attribute|element|unlimited)|\ban (?:uint|float|string|group|bool)"
)
"""Plurals of one, and articles that do not fit the next word."""


SAFEST = ("safe", "suggest", "unsafe", "none")
"""Of fixes, from what needs no thought to none."""


def _key(finding: dict[str, Any]) -> tuple[str, ...]:
    return tuple(finding[member] for member in ("path", "rule", "pointer", "severity"))


def _check(case: dict[str, Any], folder: Path) -> nz.Report:
    return nz.check(
        source(case, folder),
        conventions=case.get("conventions", "auto"),
        values=case.get("values", "coordinates"),
        select=case.get("select", ()),
        profile=case.get("profile", ()),
        progress=False,
    )


def _fix(finding: nz.Finding) -> str:
    return "none" if finding.fix is None else finding.fix.safety


def _changes(finding: nz.Finding, documents: dict[str, bytes]) -> bool:
    """Whether the fix of a finding changes one of the documents that can be parsed; raises if it cannot be applied."""
    changes = []
    for change in () if finding.fix is None else finding.fix.changes:
        if change.document not in documents and change.patch:  # which makes it
            return True
        try:
            document = json.loads(documents.get(change.document, b""))
        except ValueError:
            continue
        changed = apply_patch(document, [dict(one) for one in change.patch])
        changes += [json.dumps(changed) != json.dumps(document)] if change.patch else []
    return any(changes) or not changes


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_case(case: dict[str, Any], tmp_path: Path) -> None:
    checked = _check(case, tmp_path)
    for finding in checked.findings:
        assert SAFEST.index(_fix(finding)) >= SAFEST.index(finding.info.fix), finding
        assert _changes(finding, contents(case)), finding
    report = checked.to_dict()
    found = [
        _key(finding)
        for finding in report["findings"]
        if finding["rule"] != SUMMARY or case["rule"] == SUMMARY
    ]
    assert sorted(found) == sorted(_key(finding) for finding in case["expect"])
    impacts = {_key(finding): finding["impact"] for finding in report["findings"]}
    told = {_key(finding): finding["impact"] for finding in case["expect"] if "impact" in finding}
    assert {key: impacts[key] for key in told} == told
    for open_question in case.get("undecided", ()):
        assert any(
            (entry["rule"], entry["path"]) == (open_question["rule"], open_question["path"])
            and entry["reason"].startswith(open_question["reason"])
            for entry in report["not_evaluated"]
        )
    messages = [finding["message"] for finding in report["findings"]]
    assert [message for message in messages if ILL_FORMED.search(message)] == []
    crashes = [entry for entry in report["not_evaluated"] if entry["reason"].startswith("internal")]
    assert crashes == []


PRINT_NONE = {
    "NCZarr": "its JSON has names to be put in, such as <dimname>",
    "NCZarr 4.8": "it has none",
    "OGC 21-050r1": "it prints what Zarr v2 prints",
}
"""Texts of which no example is here, and why not."""


def test_what_the_texts_print_keeps_them_or_the_contradiction_is_explained() -> None:
    printed = [case for case in CASES if case["name"].startswith("printed in ")]
    texts = {case["name"].removeprefix("printed in ").partition(",")[0] for case in printed}
    assert texts == coverage.texts().keys() - PRINT_NONE.keys()
    for case in printed:  # test_case compares what is found with what is expected
        against = {one["rule"] for one in case["expect"] if one["severity"] != "info"}
        assert bool(against) is bool(case.get("why")), case["name"]


@pytest.mark.parametrize("name", BASES)
def test_a_base_keeps_every_rule(name: str, tmp_path: Path) -> None:
    report = nz.check(write(contents({"base": name}), tmp_path), progress=False)
    assert report.findings == []
    assert report.conforms["NZ-1.0"] is (None if "v2" in name else True)
    assert report.complete


@pytest.mark.parametrize("rule", WORKING)
def test_a_rule_has_a_failure_and_a_near_miss(rule: str) -> None:
    cases = [case for case in CASES if case["rule"] == rule]
    fails = [any(finding["rule"] == rule for finding in case["expect"]) for case in cases]
    assert True in fails
    assert False in fails


@pytest.mark.parametrize("rule", [one for one in WORKING if rules()[one].fix != "none"])
def test_the_fix_that_a_rule_promises_is_offered(rule: str, tmp_path: Path) -> None:
    offered = set[str]()
    failures = (c for c in CASES if any(found["rule"] == rule for found in c["expect"]))
    for number, case in enumerate(failures):
        folder = tmp_path / str(number)
        folder.mkdir()
        found = _check(case, folder).findings
        offered |= {_fix(finding) for finding in found if finding.rule == rule}
        if rules()[rule].fix in offered:
            return
    pytest.fail(f"{rules()[rule].fix} is promised, and only {offered} offered")


def test_names_are_unique() -> None:
    names = [case["name"] for case in CASES]
    assert len(names) == len(set(names))
