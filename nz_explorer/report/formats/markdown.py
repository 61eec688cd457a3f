"""Reports as Markdown, for issues and pull requests."""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING

from nz_explorer.diagnosis.impact import by_impact, in_sections
from nz_explorer.report.fix_words import sentence as fix_sentence
from nz_explorer.report.formats import (
    HEADINGS,
    REFUSED,
    conformity,
    first_of_each_rule,
    nodes,
    reader_lines,
    summary,
    undecided,
)
from nz_explorer.text.printable import printable

if TYPE_CHECKING:
    from nz_explorer.engine.findings import Finding
    from nz_explorer.report.report import Report

MOST_OF_A_RULE = 100
"""Findings of a rule that are listed for one impact: what is written for pull requests has to fit there."""

_SPECIAL = re.compile(r"([\\`*_{}\[\]()#+!|~@])")


def _escaped(text: str) -> str:
    """Return a text from a store so that Markdown, and the HTML in it, shows it as it is."""
    return _SPECIAL.sub(r"\\\1", html.escape(printable(text, 1000), quote=False))


def _code(text: str) -> str:
    shown = printable(text, 1000).replace("|", "\\|")
    runs = re.findall("`+", shown)
    if not runs:
        return f"`{shown}`"
    fence = "`" * (max(map(len, runs)) + 1)
    return f"{fence} {shown} {fence}"


def report_markdown(report: Report) -> str:
    """Return a report as Markdown."""
    findings = report.findings
    found = by_impact(findings)
    lines = [
        f"## {_escaped(report.source)}",
        "",
        *(f"- **{line.reader}** {_escaped(line.text)}" for line in reader_lines(report, findings)),
        "",
        f"Zarr v{report.zarr_format or '?'} · {nodes(report)}",
        "",
    ]
    lines += [f"- {sentence}" for sentence, _ in conformity(report, findings)]
    lines += ["", summary(found), ""]
    for impact, refused, those in in_sections(findings):
        lines += [f"### {impact}: {REFUSED if refused else HEADINGS[impact]}", ""]
        lines += ["| rule | severity | node | place | finding | fix |", "|---|---|---|---|---|---|"]
        shown, left = first_of_each_rule(those, MOST_OF_A_RULE)
        lines += map(_row, shown)
        lines += ["", *left, *([""] if left else [])]
    left_out = undecided(report)
    if left_out:
        lines += [f"- {_escaped(sentence)}" for sentence in left_out]
        lines.append("")
    return "\n".join(lines)


def _row(finding: Finding) -> str:
    place = _code(finding.pointer) if finding.pointer else ""
    does = "".join(f" – {name} {what}" for name, what in finding.readers.items())
    fix = finding.fix
    return (
        f"| {finding.rule} | {finding.severity} | {_code(finding.path)} | {place}"
        f" | {_escaped(finding.message + does)} | {'' if fix is None else _escaped('→ ' + fix_sentence(fix))} |"
    )
