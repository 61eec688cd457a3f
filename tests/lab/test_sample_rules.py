"""The sample keeps NZ-1.0, and each violation of its broken sibling is reported where it is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import nz_explorer as nz
from nz_explorer.conventions import registry
from nz_explorer.lab.demo_data import BROKEN_RULES, Violation


@pytest.fixture(scope="module")
def broken_report(broken_store: Path) -> Any:
    return nz.check(broken_store, values="coordinates", progress=False)


def test_the_sample_keeps_every_rule(sample_store: Path) -> None:
    report = nz.check(sample_store, values="coordinates", progress=False)
    assert [finding for finding in report.findings if finding.severity != "info"] == []
    assert report.conforms["NZ-1.0"] is True


@pytest.mark.parametrize("violation", BROKEN_RULES, ids=lambda item: item.rules[0])
def test_a_violation_is_found_where_it_is(broken_report: Any, violation: Violation) -> None:
    built = {one for function in registry().functions for one in function.ids}
    later = set(violation.rules) - built
    if later:
        pytest.skip(f"not built yet: {', '.join(later)}")
    found = {finding.rule for finding in broken_report.findings if finding.path == violation.path}
    assert set(violation.rules) <= found


def test_nothing_else_is_an_error(broken_report: Any) -> None:
    below = tuple(f"{item.path.rstrip('/')}/" for item in BROKEN_RULES if item.path != "/")
    expected = {item.path for item in BROKEN_RULES}
    elsewhere = {
        (finding.rule, finding.path)
        for finding in broken_report.findings
        if finding.severity == "error"
        and not (finding.path in expected or finding.path.startswith(below))
    }
    assert elsewhere == set()


def test_the_broken_store_does_not_conform(broken_report: Any) -> None:
    assert broken_report.conforms["NZ-1.0"] is False
