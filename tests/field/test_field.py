"""Failures that people reported: the cause is named first, and the fix makes the reader work."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import nz_explorer as nz
from nz_explorer.conventions import evaluate, rules
from nz_explorer.diagnosis.symptoms import symptoms
from nz_explorer.editing.trial_edits.what_if import WhatIf
from nz_explorer.engine.findings import Finding
from tests.field.case import Case, Outcome, cases
from tests.versions import OLDEST

CASES = cases()
WITH_OLD_READERS = {
    *("name_of_a_class", "unknown_codec", "codec_that_gdal_lacks", "bare_nan_in_attributes"),
    *("bare_nan_of_a_group", "levels_of_an_image", "plain_missing_value"),
    "missing_value_of_an_example",
}
"""Cases in which the oldest readers do something else than those that people reported about."""
PENDING: dict[str, str] = {}
"""Cases that cannot be diagnosed yet, and what is missing."""

FINDING = re.compile(
    r"^(?:error  |warning|info   |·      ) ([A-Z0-9-]+) +(/(?:\S| (?! ))*)", re.MULTILINE
)
READER = re.compile(r"\(([A-Z0-9-]+) at (/\S*)\)$", re.MULTILINE)
STEPS = re.compile(r"[0-9]+ steps? from NZ-1.0, which it does not declare")

pytestmark = pytest.mark.filterwarnings("ignore")  # readers warn of what is wrong with the stores


def _run(outcome: Outcome, source: Any) -> str:
    """Return what the reader says, if it fails as expected."""
    if outcome.raises is not None:
        with pytest.raises(outcome.raises, match=outcome.match or None) as caught:
            outcome.reader(source)
        return f"{caught.typename}: {caught.value}"
    found = outcome.reader(source)
    assert outcome.sees is None or outcome.sees(found)
    return ""


def _leads_to_a_symptom(message: str, rule: str) -> bool:
    """Whether somebody who pastes a message where symptoms are searched is led to a rule."""
    return any(
        symptom.may_come_from(rule)
        and any(word.lower() in message.lower() for word in symptom.words)
        for symptom in symptoms()
    )


def _told(report: nz.Report) -> list[tuple[str, str]]:
    """Return rule and path of the findings in the order in which the text tells them, without the steps to NZ-1.0.

    Last come those that are such steps and are named at the top as what keeps a reader from opening it.
    """
    sections = report.to_text().split("\n\n")
    harms = (section for section in sections if not STEPS.match(section))
    found = [(match[1], match[2]) for section in harms for match in FINDING.finditer(section)]
    return found + [(match[1], match[2]) for match in READER.finditer(sections[0])]


def _cure(case: Case, source: Any, finding: Finding) -> Any:
    if case.by_hand is not None:
        return case.by_hand(source)
    hierarchy = nz.open_store(source, mode="r+")
    evaluation = evaluate(hierarchy, values=case.values)
    evaluation.run()
    (again,) = [f for f in evaluation.findings() if f == finding]
    what_if = WhatIf(evaluation)
    what_if.apply(again, case.choice)
    nz.apply(what_if).write()
    return source


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_reported_failure(case: Case, tmp_path: Path) -> None:
    if OLDEST and case.name in WITH_OLD_READERS:
        pytest.skip("the oldest zarr and xarray do something else")
    source = case.make(tmp_path / "store")
    for outcome in case.before:
        message = _run(outcome, source)
        assert OLDEST or not message or _leads_to_a_symptom(message, case.rule), message
    if case.name in PENDING:
        return
    report = nz.check(source, values=case.values, progress=False)
    here = [f for f in report.findings if (f.rule, f.path) == (case.rule, case.path)]
    finding = next((f for f in here if all(word in f.message for word in case.words)), None)
    assert finding is not None, [f"{f.rule} {f.path}: {f.message}" for f in report.findings]
    told = _told(report)
    above = {rule for rule, _ in told[: told.index((case.rule, case.path))]}
    assert above <= {case.rule, *case.beside}
    if case.after:
        assert finding.fix is not None
        cured = _cure(case, source, finding)
        for outcome in case.after:
            _run(outcome, cured)
        left = nz.check(cured, values=case.values, progress=False).findings
        assert finding not in left


def test_the_cases_are_varied() -> None:
    assert len(CASES) >= 60
    assert len({case.project for case in CASES}) >= 10
    assert len({(case.source, case.name) for case in CASES}) == len(CASES)
    assert {case.rule for case in CASES if case.name not in PENDING} <= set(rules())


def test_nothing_is_pending() -> None:
    assert not PENDING
