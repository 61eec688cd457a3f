"""Reports as text, Markdown, HTML and SARIF. All of them show the same findings."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from nz_explorer.model.printable import encodable
from nz_explorer.rules.wording import plural

if TYPE_CHECKING:
    from nz_explorer.rules.findings import NotEvaluated
    from nz_explorer.rules.report import Report
    from nz_explorer.rules.standing import Standing

MARKS = {True: "✓", False: "✗", None: "?"}
MEANING = {True: "conforms", False: "does not conform", None: "not decided"}

FIXES = {"safe": "safe fix", "unsafe": "unsafe fix", "suggest": "suggested fix"}
SHOWN_RULES = 8
"""Rules that are named of those that were not evaluated for one reason; JSON has all of them."""

UNDECLARED = "NZ-1.0 is not declared; its rules are applied all the same"


def render(
    reports: Sequence[Report], form: str, *, color: bool = False, width: int | None = None
) -> str:
    """Return reports in one of the formats of the command line.

    Parameters
    ----------
    reports : sequence of Report
        One or more; JSON is an object for one and an array for several.
    form : {"text", "json", "html", "markdown", "sarif"}
        The format.
    color, width
        Of text.
    """
    if form == "text":
        return "\n".join(report.to_text(color=color, width=width) for report in reports)
    if form == "markdown":
        return "\n".join(report.to_markdown() for report in reports)
    if form == "html":
        from nz_explorer.rules.formats.html import report_html

        return encodable(report_html(reports))
    if form == "sarif":
        from nz_explorer.rules.formats.sarif import report_sarif

        return json.dumps(report_sarif(reports), indent=2) + "\n"
    found = [report.to_dict() for report in reports]
    return json.dumps(found[0] if len(found) == 1 else found, indent=2, allow_nan=False) + "\n"


def summary(report: Report) -> str:
    """Return the counts of a report in one line."""
    counts = report.counts
    parts = [plural(counts.error, "error"), plural(counts.warning, "warning")]
    if counts.info:
        parts.append(f"{counts.info} info")
    if report.not_evaluated_total:
        parts.append(f"{report.not_evaluated_total} not evaluated")
    if not report.complete:
        parts.append("incomplete: not everything was visited")
    return " · ".join(parts)


def nodes(report: Report) -> str:
    """Return what was visited in one line."""
    found = report.nodes
    parts = [plural(found["groups"], "group"), plural(found["arrays"], "array")]
    if found["unreadable"]:
        parts.append(f"{found['unreadable']} unreadable")
    return ", ".join(parts)


def undecided(entries: Sequence[NotEvaluated]) -> list[tuple[str, str, list[str]]]:
    """Return what was not evaluated, gathered by reason: reason, rules, paths."""
    by_reason: dict[str, tuple[dict[str, None], dict[str, None]]] = {}
    for entry in entries:
        rules, paths = by_reason.setdefault(entry.reason, ({}, {}))
        rules[entry.rule] = None
        paths[entry.path] = None
    return [
        (reason.replace("dependency: ", "depends on "), _named(list(rules)), list(paths))
        for reason, (rules, paths) in by_reason.items()
    ]


def _named(rules: list[str]) -> str:
    more = len(rules) - SHOWN_RULES
    return ", ".join(rules[:SHOWN_RULES]) + (f" and {more} more" if more > 0 else "")


def declared_in(standing: Standing) -> str:
    """Return where a convention is declared, in a few words."""
    places = list(standing.declared)
    if not places:
        return "not declared"
    more = f" and {len(places) - 1} more" if len(places) > 1 else ""
    return f"{places[0]}{more}"


def used_by(standing: Standing) -> str:
    """Return what a convention is seen by, in a few words."""
    seen = [f"{what} ({plural(count, 'node')})" for what, count in standing.uses.items()]
    return "; ".join(seen) or "–"
