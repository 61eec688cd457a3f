"""Reports as SARIF 2.1.0, which code hosts show beside the files."""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from nz_explorer.conventions import rules
from nz_explorer.report.formats.place import place
from nz_explorer.text.printable import encodable, printable

if TYPE_CHECKING:
    from nz_explorer.engine.findings import Finding
    from nz_explorer.engine.impact import Impact
    from nz_explorer.report.report import Report

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
MAX_MESSAGE = 10_000
LEVELS = {"error": "error", "warning": "warning", "info": "note"}
IMPACTS: dict[Impact, str] = {
    "blocks": "error",
    "values": "error",
    "distance": "note",
    "advice": "note",
}
"""Levels of findings that go by what they mean; those that break a convention have that of their severity."""


def report_sarif(reports: Sequence[Report]) -> dict[str, Any]:
    """Return reports as a SARIF log with one run for each.

    As code scanning of GitHub demands it: each result has a place, each run a category of its own.
    """
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [_run(report) for report in reports]}


def _run(report: Report) -> dict[str, Any]:
    tallies = report.tallies
    ids = list(tallies)
    index = {rule_id: i for i, rule_id in enumerate(ids)}
    results = [_result(report, finding, index[finding.rule]) for finding in report.findings]
    return {
        "tool": {
            "driver": {
                "name": "nz-explorer",
                "version": _version(),
                "rules": [_rule(rule_id) for rule_id in ids],
            }
        },
        "automationDetails": {"id": f"nz-explorer/{encodable(report.source)}/"},
        "properties": {
            "source": report.source,
            "conforms": report.conforms,
            "readers": {name: one.to_dict() for name, one in report.readers.items()},
            "complete": report.complete,
            "verdicts": {rule_id: dict(tally) for rule_id, tally in tallies.items()},
        },
        "columnKind": "unicodeCodePoints",
        "results": results,
    }


def _version() -> str:
    try:
        return version("nz_explorer")
    except PackageNotFoundError:  # used from a checkout that is not installed
        return "0"


def _rule(rule_id: str) -> dict[str, Any]:
    rule = rules()[rule_id]
    described: dict[str, Any] = {
        "id": rule.id,
        "name": "".join(word.capitalize() for word in rule.slug.replace("/", "-").split("-")),
        "shortDescription": {"text": rule.title},
        "defaultConfiguration": {"level": LEVELS[rule.severity]},
        "properties": {"level": rule.level, "source": str(rule.source)},
    }
    if rule.statement:
        described["fullDescription"] = {"text": rule.statement}
    if rule.rationale:
        described["help"] = {"text": rule.rationale}
    return described


def _result(report: Report, finding: Finding, index: int) -> dict[str, Any]:
    document, line = report.locate(finding)
    physical: dict[str, Any] = {"artifactLocation": {"uri": _uri(place(report, document))}}
    if line is not None:
        physical["region"] = {"startLine": line}
    location = {
        "physicalLocation": physical,
        "logicalLocations": [
            {"fullyQualifiedName": finding.path + finding.pointer, "kind": "object"}
        ],
    }
    result: dict[str, Any] = {
        "ruleId": finding.rule,
        "ruleIndex": index,
        "kind": "fail",
        "level": IMPACTS.get(finding.impact, LEVELS[finding.severity]),
        "message": {"text": _plain(finding.message)},
        "locations": [location],
    }
    result["properties"] = {"impact": finding.impact, "severity": finding.severity}
    if finding.readers:
        result["properties"]["readers"] = dict(finding.readers)
    if fixes := _fixes(finding):
        result["properties"]["fixes"] = fixes
    if finding.related:
        result["relatedLocations"] = [
            {"logicalLocations": [{"fullyQualifiedName": path, "kind": "object"}]}
            for path in finding.related
        ]
    return result


def _uri(where: str) -> str:
    scheme, separator, rest = where.rpartition("://")
    if where.startswith("/"):
        scheme, separator = "file", "://"
    return scheme + separator + quote(encodable(rest), safe="/")


def _plain(text: str) -> str:
    """Return a text of a message that has no link: SARIF makes one of ``[text](address)``."""
    shown = printable(text, MAX_MESSAGE)
    return re.sub(r"([\\\[\]])", r"\\\1", shown) if "](" in shown else shown


def _fixes(finding: Finding) -> list[dict[str, Any]]:
    """Return the fix of a finding as our JSON report has it.

    SARIF's own ``fixes`` replace stretches of text, which a patch on JSON values does not know; a
    property bag has the same content without claiming what a text editor would do.
    """
    fix = finding.fix
    return [] if fix is None else [fix.to_dict()]
