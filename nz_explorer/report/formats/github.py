"""Reports as annotations that GitHub Actions shows beside the files: https://docs.github.com/actions, workflow commands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nz_explorer.diagnosis.impact import in_sections
from nz_explorer.report.fix_words import sentence
from nz_explorer.report.formats import reader_lines
from nz_explorer.report.formats.place import place
from nz_explorer.text.printable import printable

if TYPE_CHECKING:
    from nz_explorer.engine.findings import Finding
    from nz_explorer.engine.impact import Impact
    from nz_explorer.report.report import Report

MESSAGE_LIMIT = 1000
LEVELS: dict[Impact, str] = {
    "blocks": "error",
    "values": "error",
    "convention": "warning",
    "distance": "notice",
    "advice": "notice",
}


def report_github(report: Report) -> str:
    """Return a report as workflow commands, a line for each finding, the gravest first."""
    lines = [
        f"{line.reader}: {printable(line.text, MESSAGE_LIMIT)}"
        for line in reader_lines(report, report.findings)
    ]
    for _, _, found in in_sections(report.findings):
        lines += (_annotation(report, finding) for finding in found)
    return "\n".join(lines) + "\n"


def _annotation(report: Report, finding: Finding) -> str:
    document, line = report.locate(finding)
    given = {"file": place(report, document)}
    if line is not None:
        given["line"] = str(line)
    given["title"] = f"{finding.rule} {finding.path}"
    told = ",".join(f"{name}={_property(value)}" for name, value in given.items())
    said = [finding.message, *(f"{name} {does}" for name, does in finding.readers.items())]
    if (fix := finding.fix) is not None:
        said.append(f"→ {sentence(fix)}")
    message = "\n".join(printable(text, MESSAGE_LIMIT) for text in said)
    return f"::{LEVELS[finding.impact]} {told}::{_escaped(message)}"


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _escaped(printable(text, MESSAGE_LIMIT)).replace(":", "%3A").replace(",", "%2C")
