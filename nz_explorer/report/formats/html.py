"""Reports as one HTML page that needs nothing else: no script, no request, fit for paper."""

from __future__ import annotations

import html
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from nz_explorer.diagnosis.impact import by_impact, in_sections
from nz_explorer.report.fix_words import sentence
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
from nz_explorer.text.phrases import plural
from nz_explorer.text.printable import printable

if TYPE_CHECKING:
    from nz_explorer.engine.catalogue import RuleInfo
    from nz_explorer.engine.findings import Finding
    from nz_explorer.engine.fixes import Fix
    from nz_explorer.report.report import Report

MOST_OF_A_RULE = 500
"""Findings of a rule that are listed for one impact: a browser has to show the page."""

STYLE = """
.nz-report{font:15px/1.5 system-ui,sans-serif;color-scheme:light dark;max-width:70em}
.nz-report h2{font-size:1.3em;margin:.8em 0 .2em}.nz-report h3{font-size:1.05em;margin:1.2em 0 .3em}
.nz-report ul{list-style:none;padding:0;margin:.3em 0}.nz-report li{margin:.35em 0;padding:.15em 0 .15em .7em;border-left:4px solid #888}
.nz-report li.blocks{border-color:#b3261e}.nz-report li.values{border-color:#a3217a}.nz-report li.convention{border-color:#a15c00}
.nz-report li.good{border-color:#2e7d32}
.nz-report code,.nz-report pre{font:.87em/1.45 ui-monospace,monospace;overflow-wrap:anywhere}.nz-report pre code{font-size:1em}
.nz-report pre{background:#8881;padding:.5em;overflow-x:auto;white-space:pre-wrap}
.nz-report summary{cursor:pointer}.nz-report .quiet{opacity:.75}.nz-report dt{font-weight:600;margin-top:.5em}.nz-report dd{margin:0 0 0 1em}
@media print{.nz-report{font-size:11px;max-width:none}.nz-report li,.nz-report dd{break-inside:avoid}.nz-report h3,.nz-report dt{break-after:avoid}
.nz-report details::details-content{content-visibility:visible;block-size:auto}.nz-report summary{list-style:none}}
"""


def _text(value: str, limit: int = 2000) -> str:
    return html.escape(printable(value, limit))


def _lines(value: str, limit: int = 200) -> str:
    """Return text of several lines, each made harmless by itself."""
    lines = value.splitlines()
    return "\n".join([*map(_text, lines[:limit]), *(["…"] if len(lines) > limit else [])])


def report_html(reports: Sequence[Report]) -> str:
    """Return reports as a page.

    Parameters
    ----------
    reports : sequence of Report
        What to show.
    """
    body = "\n".join(fragment(report) for report in reports)
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>nz-explorer report</title></head>\n<body>\n{body}\n</body></html>\n"
    )


def fragment(report: Report, limit: int | None = None) -> str:
    """Return a report as a part of a page, with its style.

    Parameters
    ----------
    report : Report
        The report.
    limit : int, optional
        The most findings that are shown; all by default.
    """
    findings = report.findings
    found = by_impact(findings)
    parts = [
        f'<section class="nz-report"><style>{STYLE}</style>',
        f"<h2>{_text(report.source)}</h2>",
        "<ul>",
        *(
            f'<li class="{line.tone or "good"}"><b>{line.reader}</b> {_text(line.text)}</li>'
            for line in reader_lines(report, findings)
        ),
        "</ul>",
        f"<p>Zarr v{report.zarr_format or '?'} · {nodes(report)}<br>",
        " · ".join(f"<b>{sentence}</b>" for sentence, _ in conformity(report, findings)),
        f"<br>{html.escape(summary(found))}</p>",
    ]
    shown: list[Finding] = []
    cut = 0
    for impact, refused, those in in_sections(findings):
        meaning = REFUSED if refused else HEADINGS[impact]
        listed, left = first_of_each_rule(those, MOST_OF_A_RULE)
        here = listed if limit is None else listed[: limit - len(shown)]
        cut += len(listed) - len(here)
        if here:
            parts.append(f'<h3>{impact}: <span class="quiet">{meaning}</span></h3><ul>')
            parts.extend(map(_finding, here))
            parts.append("</ul>")
            shown += here
        parts.extend(f"<p>… and {line}</p>" for line in left)
    if cut:
        parts.append(f"<p>… and {plural(cut, 'more finding')}</p>")
    left_out = undecided(report)
    if left_out:
        parts.append('<ul class="quiet">')
        parts.extend(f"<li>{_text(line)}</li>" for line in left_out)
        parts.append("</ul>")
    broken = {finding.rule: finding.info for finding in shown}
    if broken:
        parts.append("<h3>The rules</h3><dl>")
        parts.extend(_rule(info) for info in broken.values())
        parts.append("</dl>")
    parts.append("</section>")
    return "\n".join(part for part in parts if part)


def _finding(finding: Finding) -> str:
    place = f" <code>{_text(finding.pointer)}</code>" if finding.pointer else ""
    names = [tag for tag in finding.tags if tag != "undeclared"]  # stated once, at the top
    tags = f' <span class="quiet">{html.escape(", ".join(names))}</span>' if names else ""
    does = "".join(
        f"<br><b>{html.escape(reader)}</b> {_text(what)}"
        for reader, what in finding.readers.items()
    )
    fix = finding.fix
    return (
        f'<li class="{finding.impact}"><b>{finding.rule}</b> <span class="quiet">{finding.severity}</span> '
        f"<code>{_text(finding.path)}</code>{place} {_text(finding.message)}{tags}{does}"
        f"{_fix(fix) if fix is not None else ''}</li>"
    )


def _fix(fix: Fix) -> str:
    note = f"<p>{_text(fix.note)}</p>" if fix.note else ""
    changes = [(fix.document, fix.patch), *((change.document, change.patch) for change in fix.also)]
    patches = "".join(
        f"<p><code>{_text(document)}</code></p><pre>{_lines(json.dumps(list(patch), indent=1))}</pre>"
        for document, patch in changes
        if patch
    )
    return (
        f"<details><summary>→ {_text(sentence(fix))}</summary>{note}{patches}</details>"
        if note or patches
        else ""
    )


def _rule(rule: RuleInfo) -> str:
    examples = "".join(
        f"<br>{label.lower()}: <code>{html.escape(example)}</code>"
        for label, example in zip(
            rule.example_titles, (rule.bad_example, rule.good_example), strict=True
        )
        if example
    )
    return (
        f"<dt>{rule.id} {html.escape(rule.title)}</dt>"
        f'<dd>{html.escape(rule.statement)} <span class="quiet">({html.escape(str(rule.source))}, {rule.level})</span>'
        f"<br>{html.escape(rule.rationale)}{examples}</dd>"
    )
