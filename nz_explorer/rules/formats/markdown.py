"""Reports as Markdown, for issues and pull requests."""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING

from nz_explorer.model.printable import printable
from nz_explorer.rules.formats import MARKS, MEANING, nodes, summary, undecided

if TYPE_CHECKING:
    from nz_explorer.rules.report import Report

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
    lines = [
        f"## {_escaped(report.source)}",
        "",
        f"Zarr v{report.zarr_format or '?'} · {nodes(report)}",
        "",
    ]
    lines += [
        f"- {MARKS[value]} {name}: {MEANING[value]}" for name, value in report.conforms.items()
    ]
    lines += ["", summary(report), ""]
    findings = report.findings
    if findings:
        lines += ["| severity | rule | node | place | finding |", "|---|---|---|---|---|"]
        lines += [
            f"| {f.severity} | {f.rule} | {_code(f.path)} | {_code(f.pointer) if f.pointer else ''} | {_escaped(f.message)} |"
            for f in findings
        ]
        lines.append("")
    entries = undecided(report.not_evaluated)
    if entries:
        lines += ["Not evaluated:", ""]
        lines += [
            f"- {_escaped(reason)}: {rules} ({_code(paths[0]) if len(paths) == 1 else f'{len(paths)} nodes'})"
            for reason, rules, paths in entries
        ]
        lines.append("")
    return "\n".join(lines)
