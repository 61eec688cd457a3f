"""Reports in all formats: whole, safe to show, and saying the same."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

import nz_explorer as nz
from tests.rules.corpus import contents, write

EVIL = "x\x1b[31m<script>alert(1)</script>|`_*\u202eevil\ud800"


@pytest.fixture
def report(broken_store: Path) -> nz.Report:
    return nz.check(broken_store, progress=False)


@pytest.fixture
def evil(tmp_path: Path) -> nz.Report:
    documents = contents({"base": "plain"})
    a = json.loads(documents["a/zarr.json"])
    a["attributes"] = {EVIL: [1, EVIL], "_FillValue": EVIL}
    a["dimension_names"] = [EVIL, EVIL]
    return nz.check(
        write({**documents, "a/zarr.json": json.dumps(a).encode()}, tmp_path), progress=False
    )


def test_all_formats_hold_all_findings(report: nz.Report) -> None:
    rules = {finding.rule for finding in report.findings}
    for text in (
        report.to_text(),
        report.to_markdown(),
        report.to_html(),
        json.dumps(report.to_sarif()),
    ):
        assert rules <= set(re.findall(r"[A-Z0-9]+(?:-[A-Z0-9]+)?-\d{3}", text))
    assert len(report.to_dataframe()) == len(report.findings) == report.counts.total
    assert list(report.to_dataframe()["rule"]) == [finding.rule for finding in report.findings]


def test_text_from_a_store_cannot_act(evil: nz.Report) -> None:
    assert {"NZ-ATTR-001", "NZ-FILL-002", "NZ-DIM-011"} <= {
        finding.rule for finding in evil.findings
    }
    for text in (
        evil.to_text(),
        evil.to_text(color=True, width=100),
        evil.to_markdown(),
        evil.to_html(),
    ):
        assert "\u202e" not in text
        assert "\x1b[31m<" not in text
        text.encode("utf-8")
    assert "<script" not in evil.to_html()
    assert "<script" not in evil._repr_html_()
    code = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)")
    assert "<script" not in code.sub("", evil.to_markdown())
    assert evil.to_json().isascii()


def test_html_is_well_formed_and_needs_nothing(report: nz.Report) -> None:
    class Balance(HTMLParser):
        def __init__(self) -> None:
            super().__init__()
            self.open: list[str] = []

        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            assert tag not in ("script", "img", "link", "iframe")
            assert all(name not in ("src", "href") for name, _ in attrs)
            if tag not in ("meta", "br"):
                self.open.append(tag)

        def handle_endtag(self, tag: str) -> None:
            assert self.open.pop() == tag

    parser = Balance()
    parser.feed(report.to_html())
    assert parser.open == []


def test_text_does_not_repeat_itself_endlessly(tmp_path: Path) -> None:
    documents = contents({"base": "plain"})
    many = {f"{i}m/zarr.json": documents["a/zarr.json"] for i in range(30)}
    report = nz.check(write({**documents, **many}, tmp_path), progress=False)
    text = report.to_text()
    assert text.count("warning NZ-NAME-001") == 10
    assert "20 of NZ-NAME-001" in text
    assert report.to_text(limit=None).count("warning NZ-NAME-001") == 30


def test_sarif(report: nz.Report) -> None:
    log = report.to_sarif()
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    ids = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    kinds = {result["kind"] for result in run["results"]}
    assert kinds == {"fail", "pass", "notApplicable", "open"}
    for result in run["results"]:
        assert ids[result["ruleIndex"]] == result["ruleId"]
        assert (result["level"] != "none") == (result["kind"] == "fail")
    names = next(r for r in run["results"] if r["ruleId"] == "NZ-DIM-004" and r["kind"] == "fail")
    location = names["locations"][0]
    assert location["physicalLocation"]["artifactLocation"]["uri"] == "forecast/dew_point/zarr.json"
    assert location["physicalLocation"]["region"]["startLine"] > 1
    assert (
        location["logicalLocations"][0]["fullyQualifiedName"]
        == "/forecast/dew_point/dimension_names/1"
    )


def test_repr(report: nz.Report) -> None:
    assert "NZ-1.0: False" in repr(report)
    assert "NZ-DIM-004" in repr(next(f for f in report.findings if f.rule == "NZ-DIM-004"))
    assert report._repr_html_().startswith("<section")


RESULT = {
    "ruleId",
    "ruleIndex",
    "kind",
    "level",
    "message",
    "locations",
    "relatedLocations",
    "properties",
}
"""Members that SARIF 2.1.0 defines for a result, as far as they are used here."""


def test_sarif_has_the_structure_of_its_standard(report: nz.Report) -> None:
    """SARIF's schema is in no package of PyPI that holds it, so what we write is compared by hand."""
    log = json.loads(json.dumps(report.to_sarif(), allow_nan=False))
    assert set(log) == {"$schema", "version", "runs"}
    for run in log["runs"]:
        assert set(run) == {"tool", "properties", "columnKind", "results"}
        assert run["columnKind"] in ("utf16CodeUnits", "unicodeCodePoints")
        driver = run["tool"]["driver"]
        assert set(driver) == {"name", "version", "rules"}
        ids = [rule["id"] for rule in driver["rules"]]
        assert len(ids) == len(set(ids))
        for rule in driver["rules"]:
            assert rule["defaultConfiguration"]["level"] in ("none", "note", "warning", "error")
            assert rule["shortDescription"]["text"]
        for result in run["results"]:
            assert set(result) <= RESULT
            assert {"ruleId", "message"} <= set(result)
            assert result["kind"] in ("pass", "open", "notApplicable", "fail")
            assert result["level"] in ("none", "note", "warning", "error")
            assert result["message"]["text"]
            for location in result.get("locations", ()):
                assert set(location) == {"physicalLocation", "logicalLocations"}
                physical = location["physicalLocation"]
                assert set(physical) <= {"artifactLocation", "region"}
                assert " " not in physical["artifactLocation"]["uri"]
                if "region" in physical:
                    assert physical["region"]["startLine"] >= 1


def test_sarif_carries_fixes(report: nz.Report) -> None:
    (run,) = report.to_sarif()["runs"]
    fixed = [result for result in run["results"] if "properties" in result]
    assert fixed
    assert all(fix["document"] for result in fixed for fix in result["properties"]["fixes"])
