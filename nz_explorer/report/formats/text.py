"""Reports and rule pages for a terminal."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table
from rich.text import Text

from nz_explorer.conventions.nz import NZ
from nz_explorer.diagnosis.impact import (
    HARMS,
    QUIET,
    affected,
    by_impact,
    in_sections,
    order_of,
    refusals,
    steps,
)
from nz_explorer.engine.impact import HARMLESS
from nz_explorer.report.fix_words import sentence
from nz_explorer.report.formats import (
    HEADINGS,
    MARKS,
    REFUSED,
    conformity,
    declared_in,
    nodes,
    reader_lines,
    summary,
    undecided,
    used_by,
    verdict,
)
from nz_explorer.text.phrases import article, plural
from nz_explorer.text.printable import printable

if TYPE_CHECKING:
    from nz_explorer.engine.catalogue import RuleInfo
    from nz_explorer.engine.findings import Finding
    from nz_explorer.engine.impact import Impact
    from nz_explorer.report.conformance_summary import ConformanceSummary
    from nz_explorer.report.report import Report

STYLES = {"error": "bold red", "warning": "yellow", "info": "cyan"}
IMPACT_STYLES: dict[Impact, str] = {
    "blocks": "bold red",
    "values": "bold magenta",
    "convention": "bold yellow",
    "distance": "bold",
    "advice": "bold",
}
READERS = {"blocks": "bold red", "values": "bold magenta", "": "green", "unknown": "dim"}
CONFORMS = {True: "green", False: "bold red", None: "yellow"}
MESSAGE_LIMIT = 1000
NEEDS = {
    "S": "the address",
    "J": "the text of a document",
    "M": "the metadata of a node",
    "G": "the metadata of a group",
    "T": "the metadata of the whole tree",
    "L": "listings",
    "K": "which chunks there are",
    "V": "values",
    "N": "the network",
}
"""What is read to decide a rule, by its cost."""
FIXES = {
    "none": "no fix",
    "safe": "safe fix",
    "unsafe": "fix that changes what readers see",
    "suggest": "suggested fix",
}
SCOPES = {
    "CMO": "consolidated metadata",
    "root": "the root",
    "store": "the store",
    "tree": "the tree",
}
"""What rules are about, where that is no kind of node or part of one."""


def console(*, color: bool, width: int | None = None) -> Console:
    """Return a console that writes to a text of its own.

    Parameters
    ----------
    color : bool
        Whether ANSI escape sequences give colours.
    width : int, optional
        Columns; by default lines are not wrapped.
    """
    return Console(
        file=io.StringIO(),
        record=True,
        force_terminal=color,
        no_color=not color,
        color_system="standard" if color else None,
        width=width or 10_000,
        highlight=False,
        emoji=False,
        markup=False,
    )


def written(console: Console) -> str:
    """Return what was written to a console, without blanks at the ends of lines."""
    lines = console.export_text(styles=not console.no_color).splitlines()
    return "\n".join(line.rstrip() for line in lines) + "\n"


def report_text(
    report: Report, *, color: bool = False, width: int | None = None, limit: int | None = 10
) -> str:
    """Return a report as text.

    Parameters
    ----------
    report : Report
        What to print.
    color : bool
        Whether to use a terminal's colours.
    width : int, optional
        Columns to wrap at; not wrapped without.
    limit : int or None
        Findings of one rule that are shown; the number of others is added.
    """
    out = console(color=color, width=width)
    findings = report.findings
    found = by_impact(findings)
    title = f"{printable(report.source)} · Zarr v{report.zarr_format or '?'} · {nodes(report)}"
    out.print(Text(title, style="bold"), soft_wrap=width is None)
    for line in reader_lines(report, findings):
        _row(
            out,
            width,
            Text(f"{line.reader:<11} ", style=READERS[line.tone]),
            Text(printable(line.text, MESSAGE_LIMIT)),
        )
    results = Text()
    for result, conforms in conformity(report, findings):
        results.append(f"{result}   ", style=CONFORMS[conforms])
    results.append(summary(found))
    out.print(results, soft_wrap=width is None)
    for impact, refused, those in in_sections(findings):
        out.print()
        out.print(_heading(report, impact, refused, findings), soft_wrap=width is None)
        # of what does no harm, one finding of each rule is shown
        shown = 1 if impact in QUIET else limit
        _section(out, impact, those, width, shown if limit is not None else None)
    left_out = undecided(report)
    if left_out:
        out.print()
        for sentence in left_out:
            out.print(Text(printable(sentence, MESSAGE_LIMIT), style="dim"), soft_wrap=not width)
    return written(out)


def _heading(report: Report, impact: Impact, refused: bool, findings: Sequence[Finding]) -> Text:
    if impact == "distance" and report.declared is False:
        ahead = steps(findings, zarr_format=report.zarr_format)
        above = sum(any(f.impact != "distance" for f in those) for those in ahead.values())
        told = f"{plural(len(ahead), 'step')} from {NZ.name}, which it does not declare"
        return Text(f"{told} ({above} of them above)" if above else told, style="bold")
    meaning = REFUSED if refused else HEADINGS[impact]
    return Text(f"{impact}: {meaning}", style=IMPACT_STYLES[impact])


def _section(
    out: Console, impact: Impact, findings: Sequence[Finding], width: int | None, limit: int | None
) -> None:
    """Print the findings of one impact, rule by rule, the gravest first."""
    by_rule: dict[tuple[bool, int, bool, str], list[Finding]] = {}
    for finding in findings:
        key = order_of(finding.rule, finding.severity, impact)
        by_rule.setdefault(key, []).append(finding)
    for key in sorted(by_rule):
        those = by_rule[key]
        shown = those if limit is None else those[:limit]
        for finding in shown:
            _print(out, impact, finding, width)
        if (more := len(those) - len(shown)) > 0:
            line = f"  {plural(more, 'more finding')} of {key[-1]}"
            out.print(Text(f"{line} (--format json has all of them)", style="dim"))


def _print(out: Console, impact: Impact, finding: Finding, width: int | None) -> None:
    """Print a finding, what readers do with it, and its fix."""
    level = "" if impact in QUIET else finding.severity
    _row(
        out,
        width,
        Text(f"{level:<8}" if level else "·       ", style=STYLES.get(level, "dim")),
        Text(f"{finding.rule:<12} ", style="bold"),
        _message(finding),
    )
    for reader in affected(finding.violation) if impact in HARMS else refusals(finding):
        if does := finding.readers.get(reader):
            text = Text(f"        {reader} {printable(does, MESSAGE_LIMIT)}", style="dim")
            out.print(text, soft_wrap=width is None)
    # only what is shown is made: a fix may take work
    for fix in finding.fixes:
        arrow = Text(f"→ {printable(sentence(fix), MESSAGE_LIMIT)}", style="green")
        out.print(arrow, soft_wrap=width is None)


def _row(out: Console, width: int | None, *cells: Text) -> None:
    """Print cells: in one line where that may be long, else with the last in a column."""
    if width is None:
        out.print(Text.assemble(*cells), soft_wrap=True)
        return
    row = Table.grid()
    for _ in cells[:-1]:
        row.add_column(no_wrap=True)
    row.add_column(overflow="fold")
    row.add_row(*cells)
    out.print(row)


def _message(finding: Finding) -> Text:
    line = Text(f"{printable(finding.path, MESSAGE_LIMIT)}  ", style="bold")
    line.append(printable(finding.message, MESSAGE_LIMIT), style="not bold")
    notes = [printable(finding.pointer, MESSAGE_LIMIT)] if finding.pointer else []
    notes.extend(tag for tag in finding.tags if tag != "undeclared")  # stated once, at the top
    if notes:
        line.append(f"  [{', '.join(notes)}]", style="dim not bold")
    return line


def rule_text(rule: RuleInfo, *, color: bool = False, width: int | None = 100) -> str:
    """Return the page of a rule.

    Parameters
    ----------
    rule : RuleInfo
        The rule.
    color : bool, optional
        Whether ANSI escape sequences give colours.
    width : int, optional
        Columns; None to leave lines unwrapped.
    """
    out = console(color=color, width=width)
    out.print(Text(f"{rule.id}  {rule.title}", style="bold"))
    words = rule.level if rule.level.lower() == rule.severity else f"{rule.level} · {rule.severity}"
    scope = SCOPES.get(rule.scope) or article(rule.scope)
    facts = (
        f"{rule.source} · {words} · about {scope} · needs {NEEDS[rule.cost]} · {FIXES[rule.fix]}"
    )
    out.print(Text(facts, style="dim"))
    if rule.status != "working" or rule.reason:
        out.print(
            Text(
                f"status: {rule.status}" + (f", {rule.reason}" if rule.reason else ""),
                style="yellow",
            )
        )
    sections = [
        ("", rule.statement),
        ("Why", rule.rationale),
        ("What is noticed", "; ".join(rule.noticed)),
        *zip(rule.example_titles, (rule.bad_example, rule.good_example), strict=True),
        (
            "What readers do",
            "\n".join(f"{reader}: {what}" for reader, what in rule.readers.items()),
        ),
        ("See also", ", ".join(rule.see_also)),
    ]
    for heading, body in sections:
        if body:
            out.print()
            if heading:
                out.print(Text(heading, style="bold"))
            out.print(Text(body))
    return written(out)


def rules_text(rules: Iterable[RuleInfo], *, color: bool = False, width: int | None = None) -> str:
    """Return a table of rules.

    Parameters
    ----------
    rules : iterable of RuleInfo
        The rules.
    color : bool, optional
        Whether ANSI escape sequences give colours.
    width : int, optional
        Columns; by default lines are not wrapped.
    """
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("rule", "level", "severity", "cost", "status", "statement"):
        table.add_column(heading, no_wrap=heading != "statement")
    for rule in rules:
        status = rule.status if not rule.reason else f"{rule.status}: {rule.reason}"
        table.add_row(rule.id, rule.level, rule.severity, rule.cost, status, rule.title)
    out = console(color=color, width=width or 200)
    out.print(table)
    return written(out)


def causes_text(rules: Iterable[RuleInfo], *, color: bool = False, width: int | None = None) -> str:
    """Return rules that may be why a reader fails, with what readers do where they are broken.

    Parameters
    ----------
    rules : iterable of RuleInfo
        The rules, the likeliest first.
    color : bool, optional
        Whether ANSI escape sequences give colours.
    width : int, optional
        Columns; by default lines are not wrapped.
    """
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column(no_wrap=True, style="bold")
    table.add_column()
    for rule in rules:
        does = "; ".join(
            f"{reader} {what}"
            for reader, what in rule.readers.items()
            if not what.startswith(HARMLESS)
        )
        table.add_row(rule.id, rule.title)
        if does:
            table.add_row("", Text(does, "dim"))
    out = console(color=color, width=width or 200)
    out.print(table)
    return written(out)


def conformance_text(conformance_summary: ConformanceSummary) -> str:
    """Return which conventions are declared, used and kept, and what NZ-1.0 lacks, as lines of text."""
    lines = []
    for one in conformance_summary.conventions:
        versions = f" {', '.join(one.versions)}" if one.versions else ""
        lines.append(
            f"{MARKS[one.conforms]} {one.name}{versions}: {verdict(one.conforms, one.errors_beyond)}"
        )
        lines.append(f"    declared: {declared_in(one)}")
        lines.append(f"    seen by:  {used_by(one)}")
        lines += [f"    {path}: {message}" for path, message in one.problems]
    for path, levels in conformance_summary.pyramids.items():
        lines.append(f"pyramid {path}: {plural(len(levels), 'level')}")
        for level in levels:
            shapes = (f"{n} {' × '.join(map(str, shape))}" for n, shape in level.arrays.items())
            lines.append(f"    {level.name or '.'}: {', '.join(shapes)}")
    lines.append("")
    if conformance_summary.why_not is not None:
        lines.append(conformance_summary.why_not)
    if conformance_summary.steps:
        lines.append("to keep NZ-1.0:")
    for step in conformance_summary.steps:
        count = len(step.findings)
        safe = "safe fix" if step.is_safe else f"{len(step.safe)} of {count} safe"
        lines.append(f"  [ ] {step.rule} {step.title}: {plural(count, 'finding')}, {safe}")
    if not conformance_summary.steps and conformance_summary.why_not is None:
        lines.append("nothing separates it from NZ-1.0")
    if conformance_summary.undecided:
        lines.append(
            f"{plural(conformance_summary.undecided, 'check')} could not be made: there may be more"
        )
    if conformance_summary.looked_at < conformance_summary.nodes:
        lines.append(
            f"looked at {conformance_summary.looked_at} of {plural(conformance_summary.nodes, 'node')}"
        )
    return "\n".join(printable(line, 1000) for line in lines) + "\n"
