"""Reports and rule pages for a terminal."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Iterable
from itertools import groupby
from typing import TYPE_CHECKING

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from nz_explorer.model.printable import printable
from nz_explorer.rules.formats import (
    FIXES,
    MARKS,
    MEANING,
    UNDECLARED,
    declared_in,
    nodes,
    summary,
    undecided,
    used_by,
)
from nz_explorer.rules.wording import plural

if TYPE_CHECKING:
    from nz_explorer.rules.catalogue import RuleInfo
    from nz_explorer.rules.findings import Finding
    from nz_explorer.rules.report import Report
    from nz_explorer.rules.standing import Overview

STYLES = {"error": "bold red", "warning": "yellow", "info": "cyan"}
CONFORMS = {True: "green", False: "bold red", None: "yellow"}
MESSAGE_LIMIT = 1000


def console(*, color: bool, width: int | None = None) -> Console:
    """Return a console that writes to a text of its own."""
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
        Findings of one rule that are shown; how many more there are is said.
    """
    out = console(color=color, width=width)
    title = f"{printable(report.source)} · Zarr v{report.zarr_format or '?'} · {nodes(report)}"
    out.print(Text(title, style="bold"), soft_wrap=width is None)
    verdicts = Text()
    for name, conforms in report.conforms.items():
        verdicts.append(f"{name} {MARKS[conforms]}   ", style=CONFORMS[conforms])
    verdicts.append(summary(report))
    out.print(verdicts, soft_wrap=width is None)
    if report.declared is False:
        out.print(Text(UNDECLARED, style="dim"))
    shown: Counter[str] = Counter()
    for path, found in groupby(report.findings, key=lambda finding: finding.path):
        here = []
        for finding in found:
            shown[finding.rule] += 1
            if limit is None or shown[finding.rule] <= limit:
                here.append(finding)
        if here:
            out.print()
            out.print(Text(printable(path, MESSAGE_LIMIT), style="bold"), soft_wrap=width is None)
        for finding in here:
            _print(out, finding, width)
    hidden = {rule: n - limit for rule, n in shown.items() if limit is not None and n > limit}
    if hidden:
        out.print()
        more = ", ".join(f"{number} of {rule}" for rule, number in hidden.items())
        out.print(Text(f"not shown: {more} (all of them: --format json)", style="dim"))
    _undecided(out, report, width)
    return written(out)


def _print(out: Console, finding: Finding, width: int | None) -> None:
    """Print a finding: in one line where that may be long, else with its text in a column."""
    head = (
        Text(f"  {finding.severity:<8}", style=STYLES[finding.severity]),
        Text(f"{finding.rule:<12} ", style="bold"),
    )
    if width is None:
        out.print(Text.assemble(*head, _message(finding)), soft_wrap=True)
        return
    row = Table.grid()
    row.add_column(no_wrap=True)
    row.add_column(no_wrap=True)
    row.add_column(overflow="fold")
    row.add_row(*head, _message(finding))
    out.print(row)


def _message(finding: Finding) -> Text:
    line = Text(printable(finding.message, MESSAGE_LIMIT))
    notes = [printable(finding.pointer, MESSAGE_LIMIT)] if finding.pointer else []
    if finding.hit.fail.fix is not None and (fix := finding.fix) is not None and fix.patch:
        notes.append(FIXES[fix.safety])
    notes.extend(tag for tag in finding.tags if tag != "undeclared")  # said once, at the top
    if notes:
        line.append(f"  [{', '.join(notes)}]", style="dim")
    return line


def _undecided(out: Console, report: Report, width: int | None) -> None:
    entries = undecided(report.not_evaluated)
    if not entries:
        return
    out.print()
    out.print(Text("not evaluated", style="bold"))
    for reason, rules, paths in entries:
        where = printable(paths[0]) if len(paths) == 1 else plural(len(paths), "node")
        line = Text(f"{printable(reason)}: {rules} ({where})")
        out.print(Padding(line, (0, 0, 0, 2)) if width else Text("  ") + line, soft_wrap=not width)


def rule_text(rule: RuleInfo, *, color: bool = False, width: int | None = 100) -> str:
    """Return the page of a rule."""
    out = console(color=color, width=width)
    out.print(Text(f"{rule.id}  {rule.title}", style="bold"))
    facts = f"{rule.source} · {rule.level} · {rule.severity} · scope {rule.scope} · cost {rule.cost} · fix {rule.fix}"
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
        ("Breaks it", rule.bad_example),
        ("Keeps it", rule.good_example),
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
    """Return a table of rules."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("rule", "level", "severity", "cost", "status", "what it says"):
        table.add_column(heading, no_wrap=heading != "what it says")
    for rule in rules:
        status = rule.status if not rule.reason else f"{rule.status}: {rule.reason}"
        table.add_row(rule.id, rule.level, rule.severity, rule.cost, status, rule.title)
    out = console(color=color, width=width or 200)
    out.print(table)
    return written(out)


def standing_text(overview: Overview) -> str:
    """Return which conventions are declared, used and kept, and what NZ-1.0 lacks, as lines of text."""
    lines = []
    for one in overview.standings:
        versions = f" {', '.join(one.versions)}" if one.versions else ""
        lines.append(f"{MARKS[one.conforms]} {one.name}{versions}: {MEANING[one.conforms]}")
        lines.append(f"    declared: {declared_in(one)}")
        lines.append(f"    seen by:  {used_by(one)}")
        lines += [f"    {path}: {message}" for path, message in one.problems]
    for path, levels in overview.pyramids.items():
        lines.append(f"pyramid {path}: {plural(len(levels), 'level')}")
        for level in levels:
            shapes = (f"{n} {' × '.join(map(str, shape))}" for n, shape in level.arrays.items())
            lines.append(f"    {level.name or '.'}: {', '.join(shapes)}")
    lines.append("")
    if overview.why_not is not None:
        lines.append(overview.why_not)
    if overview.steps:
        lines.append("to keep NZ-1.0:")
    for step in overview.steps:
        count = len(step.findings)
        safe = "safe fix" if step.is_safe else f"{len(step.safe)} of {count} safe"
        lines.append(f"  [ ] {step.rule} {step.title}: {plural(count, 'finding')}, {safe}")
    if not overview.steps and overview.why_not is None:
        lines.append("nothing separates it from NZ-1.0")
    if overview.undecided:
        lines.append(f"{plural(overview.undecided, 'check')} could not be made: there may be more")
    if overview.looked_at < overview.nodes:
        lines.append(f"looked at {overview.looked_at} of {overview.nodes} nodes")
    return "\n".join(printable(line, 1000) for line in lines) + "\n"
