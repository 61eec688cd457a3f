"""The report: what each convention says, and its files."""

from __future__ import annotations

import re

from nz_explorer.report.conformance_summary import errors_beyond
from nz_explorer.report.formats import MARKS, nodes, render, summary, verdict
from nz_explorer.report.report import Report
from nz_explorer.widget import protocol
from nz_explorer.widget.panels import blocks
from nz_explorer.widget.panels.blocks import Blocks
from nz_explorer.widget.panels.registry import CannotDo, Context, Outcome, action, page

FORMATS = {
    "html": ("HTML page", "text/html", "html"),
    "json": ("JSON", "application/json", "json"),
    "markdown": ("Markdown", "text/markdown", "md"),
    "sarif": ("SARIF", "application/sarif+json", "sarif"),
}
TONES: dict[bool | None, protocol.Tone] = {True: "good", False: "error", None: "warning"}


def verdict_chip(holds: bool | None, errors_beyond: int) -> protocol.Span:
    """Return whether a convention is kept, as it is shown.

    Parameters
    ----------
    holds : bool or None
        Whether it is kept; None where that is not decided.
    errors_beyond : int
        Errors of which its text does not speak.
    """
    tone = "warning" if errors_beyond else TONES[holds]
    return blocks.chip(f"{MARKS[holds]} {verdict(holds, errors_beyond)}", tone)


@page("report")
def report_page(context: Context) -> Blocks:
    """Say whether each convention is kept, and offer the report as a file."""
    report = Report(context.session.evaluation)
    beyond = errors_beyond(report.evaluation, report.findings)
    results = [
        blocks.row(name, verdict_chip(holds, beyond[name]))
        for name, holds in report.conforms.items()
    ]
    buttons = [
        blocks.action(label, "download report", format=form)
        for form, (label, _, _) in FORMATS.items()
    ]
    edited = "With the edits that were tried; the store itself is another."
    return [
        *([blocks.paragraph(edited, "warning")] if context.session.shows_edits else []),
        blocks.paragraph(
            [blocks.strong(report.source), f": {nodes(report)}. {summary(report.by_impact)}."]
        ),
        blocks.table("Conventions", ["Convention", "Result"], results),
        blocks.heading("Save the report as"),
        blocks.actions(*buttons),
        blocks.paragraph(
            [
                blocks.quiet("The whole hierarchy, as "),
                blocks.code("nz-explorer check"),
                blocks.quiet(" writes it."),
            ]
        ),
    ]


@action("download report")
def download(context: Context) -> Outcome:
    """Write the report in one of its formats.

    Raises
    ------
    CannotDo
        If there is no such format.
    """
    form = context.text("format")
    if form not in FORMATS:
        raise CannotDo(f"a report is written as {', '.join(FORMATS)}, not as {form}")
    report = Report(context.session.evaluation)
    _, media_type, ending = FORMATS[form]
    stem = re.sub(r"[^\w.-]+", "-", report.source.rstrip("/").rsplit("/", 1)[-1]) or "report"
    content = render([report], form).encode("utf-8", "replace")
    return Outcome(f"Saved {stem}.{ending}", file=(f"{stem}.{ending}", media_type, content))
