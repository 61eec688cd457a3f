"""Reports as text, Markdown, HTML, SARIF and annotations of GitHub. All of them show the same findings."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from nz_explorer.conventions.nz import NZ
from nz_explorer.diagnosis.impact import READERS, harms, steps
from nz_explorer.engine.evaluation import conformance
from nz_explorer.report.conformance_summary import errors_beyond
from nz_explorer.text.phrases import plural
from nz_explorer.text.printable import encodable

if TYPE_CHECKING:
    from nz_explorer.engine.findings import Finding
    from nz_explorer.engine.impact import Impact
    from nz_explorer.report.conformance_summary import ConventionSummary
    from nz_explorer.report.report import Report

MARKS = {True: "✓", False: "✗", None: "?"}
MEANING = {True: "conforms", False: "does not conform", None: "not decided"}

FIXES = {"safe": "safe fix", "unsafe": "unsafe fix", "suggest": "suggested fix"}
SHOWN_RULES = 8
"""Rules that are named of those that were not evaluated for one reason; JSON has all of them."""
SHOWN_CAUSES = 2
"""Causes that are named of what a reader does."""
SHOWN_SPECIALISTS = 3
"""Readers of images and tables that are named."""
OF_SPECIALISTS = ("OME-", "TREE-")
"""What the ids of rules begin with that are about the formats of images and tables."""

HEADINGS: dict[Impact, str] = {
    "blocks": "a reader cannot open or read it",
    "values": "a reader gives wrong, missing or undecoded values",
    "convention": "breaks a convention that the dataset declares or uses, or the Zarr format",
    "distance": "keeps it from a convention that it does not declare",
    "advice": "worth knowing",
}
"""What each impact means."""
REFUSED = "may be why a reader fails"
"""What advice means that stands before the steps to a convention."""
COUNTED: dict[Impact, str] = {
    "blocks": "blocking",
    "values": "giving wrong values",
    "convention": "breaking a convention",
    "distance": "on the way to a convention",
    "advice": "worth knowing",
}
"""The same after a number of findings."""


@dataclass(frozen=True, slots=True)
class ReaderLine:
    """What a reader will make of a store, in words.

    Attributes
    ----------
    reader : str
        Its name.
    tone : str
        ``blocks`` or ``values``, empty where all is well, ``unknown`` where it is not known.
    text : str
        A predicate: ``opens it``.
    """

    reader: str
    tone: str
    text: str


def reader_lines(report: Report, findings: Sequence[Finding]) -> list[ReaderLine]:
    """Return what each reader will make of a store, predicted from its findings.

    Parameters
    ----------
    report : Report
        The report.
    findings : sequence of Finding
        Its findings.
    """
    causes: dict[tuple[str, str], Finding] = {}
    for finding in findings:
        for rule, _, reader in harms(finding):
            causes.setdefault((reader, rule), finding)
    lines = []
    for name, one in report.predicted(findings).items():
        blocking = [causes[name, rule] for rule in one.blocked_by]
        misleading = [causes[name, rule] for rule in one.misled_by]
        if blocking:
            lines.append(ReaderLine(name, "blocks", _because(name, blocking)))
        elif misleading:
            lines.append(ReaderLine(name, "values", f"opens it, but {_because(name, misleading)}"))
        elif one.opens is None:
            lines.append(ReaderLine(name, "unknown", f"not known: {one.reason}"))
        else:
            lines.append(
                ReaderLine(name, "", f"opens it: {one.reason}" if one.reason else "opens it")
            )
    return [*lines, *_specialists(findings)]


def _specialists(findings: Sequence[Finding]) -> list[ReaderLine]:
    """Return what readers of images and tables are known to do, which are not predicted: where all is well is not known."""
    causes: dict[str, dict[str, Finding]] = {}
    for finding in findings:
        if finding.rule.startswith(OF_SPECIALISTS):
            for reader in finding.readers:
                if reader not in READERS:
                    causes.setdefault(reader, {}).setdefault(finding.rule, finding)
    return [
        ReaderLine(reader, "unknown", _because(reader, list(found.values())))
        for reader, found in list(causes.items())[:SHOWN_SPECIALISTS]
    ]


def _because(reader: str, causes: Sequence[Finding]) -> str:
    said = []
    for finding in causes[:SHOWN_CAUSES]:
        does = finding.readers.get(reader, "cannot read it")
        said.append(f"{does} ({finding.rule} at {finding.path})")
    if len(causes) > SHOWN_CAUSES:
        said.append(f"{len(causes) - SHOWN_CAUSES} more")
    return "; ".join(said)


def render(
    reports: Sequence[Report], form: str, *, color: bool = False, width: int | None = None
) -> str:
    """Return reports in one of the formats of the command line.

    Parameters
    ----------
    reports : sequence of Report
        One or more; JSON is an object for one and an array for several.
    form : {"text", "json", "html", "markdown", "sarif", "github"}
        The format.
    color, width
        Of text.
    """
    if form == "text":
        return "\n".join(report.to_text(color=color, width=width) for report in reports)
    if form == "markdown":
        return "\n".join(report.to_markdown() for report in reports)
    if form == "html":
        from nz_explorer.report.formats.html import report_html

        return encodable(report_html(reports))
    if form == "github":
        from nz_explorer.report.formats.github import report_github

        return encodable("".join(map(report_github, reports)))
    if form == "sarif":
        from nz_explorer.report.formats.sarif import report_sarif

        return json.dumps(report_sarif(reports), indent=2) + "\n"
    found = [report.to_dict() for report in reports]
    return json.dumps(found[0] if len(found) == 1 else found, indent=2, allow_nan=False) + "\n"


def summary(found: Mapping[Impact, Sequence[Finding]]) -> str:
    """Return how many findings of each impact there are, in one line."""
    parts = [f"{len(those):,} {COUNTED[impact]}" for impact, those in found.items() if those]
    return " · ".join(parts) or "no findings"


def first_of_each_rule(findings: Sequence[Finding], most: int) -> tuple[list[Finding], list[str]]:
    """Return no more than some findings of each rule, in their order, and what is said of the others.

    A hundred thousand findings of one rule are one cause, and would be fifty megabytes of a page.

    Parameters
    ----------
    findings : sequence of Finding
        In the order in which they are shown.
    most : int
        How many of each rule are kept.
    """
    counts: Counter[str] = Counter()
    kept = []
    for finding in findings:
        counts[finding.rule] += 1
        if counts[finding.rule] <= most:
            kept.append(finding)
    left = [
        f"{plural(number - most, 'more finding')} of {rule}; the format json has all of them"
        for rule, number in counts.items()
        if number > most
    ]
    return kept, left


def conformity(report: Report, findings: Sequence[Finding]) -> list[tuple[str, bool | None]]:
    """Return for each convention a sentence on conformance, and the verdict.

    Where NZ-1.0 is not declared the sentence counts the steps to it.

    Parameters
    ----------
    report : Report
        The report.
    findings : sequence of Finding
        Its findings.
    """
    sentences: list[tuple[str, bool | None]] = []
    beyond = errors_beyond(report.evaluation, findings)
    for name, value in report.conforms.items():
        if name == NZ.name and report.declared is False and value is not True:
            ahead = len(steps(findings, zarr_format=report.zarr_format))
            sentences.append((f"{plural(ahead, 'step')} from {name} (not declared)", None))
        else:
            sentences.append((f"{name}: {verdict(value, beyond[name])}", value))
    return sentences


def verdict(holds: bool | None, errors_beyond: int) -> str:
    """Return whether a convention is kept, and how many errors there are of which its text does not speak.

    Parameters
    ----------
    holds : bool or None
        Whether it is kept; None where that is not decided.
    errors_beyond : int
        The number of those errors.
    """
    if not errors_beyond:
        return MEANING[holds]
    return (
        f"{MEANING[holds]} to the letter of its text; {plural(errors_beyond, 'error')} beyond that"
    )


def nodes(report: Report) -> str:
    """Return what was visited in one line."""
    found = report.nodes
    parts = [plural(found["groups"], "group"), plural(found["arrays"], "array")]
    if found["unreadable"]:
        parts.append(f"{found['unreadable']} unreadable")
    return ", ".join(parts)


def undecided(report: Report) -> list[str]:
    """Return what was not looked at, and what would: a sentence for each reason."""
    by_reason: dict[str, tuple[dict[str, None], dict[str, None]]] = {}
    for entry in report.not_evaluated:
        reason, colon, rest = entry.reason.partition(": ")
        told = reason if reason in _SUMMED_UP else f"{reason}{colon}{rest}"
        rules, paths = by_reason.setdefault(told, ({}, {}))
        rules[entry.rule] = None
        paths[entry.path] = None
    said = [] if report.complete else ["not everything was visited"]
    for reason, (rules, paths) in by_reason.items():
        where = next(iter(paths)) if len(paths) == 1 else plural(len(paths), "node")
        match reason:
            case "cost" if report.evaluation.values == "none":
                said.append("values and chunks were not looked at; `--values all` does")
            case "cost":
                said.append(
                    "only chunks of coordinates were looked at; `--values all` looks at all"
                )
            case "budget":
                said.append(f"the budget was spent before all was read ({_named(list(rules))})")
            case conformance.NOT_ASKED_FOR:
                for family in rules:
                    one = report.evaluation.registry.of_family(family)
                    if one is not None:
                        how = f"`--conventions auto,{one.key}`"
                        said.append(f"it looks like {one.name}, which is checked only with {how}")
            case "listing":
                hierarchy = report.evaluation.hierarchy
                why = (
                    "the store cannot be listed"
                    if not hierarchy.reader.listable
                    else "only the consolidated metadata were read"
                    if hierarchy.metadata_source == "consolidated"
                    else "not all names were listed"
                )
                said.append(f"{why}, so that some was not looked for ({_named(list(rules))})")
            case "dependency":
                count = plural(len(rules), "rule")
                said.append(
                    f"{count} can be checked only after the problems above are solved ({where})"
                )
            case _:
                said.append(f"{reason}: {_named(list(rules))} ({where})")
    return said


_SUMMED_UP = frozenset(("cost", "budget", "listing", "dependency"))


def _named(rules: list[str]) -> str:
    more = len(rules) - SHOWN_RULES
    return ", ".join(rules[:SHOWN_RULES]) + (f" and {more} more" if more > 0 else "")


def declared_in(convention: ConventionSummary) -> str:
    """Return where a convention is declared, in a few words."""
    places = list(convention.declared)
    if not places:
        return "not declared"
    more = f" and {len(places) - 1} more" if len(places) > 1 else ""
    return f"{places[0]}{more}"


def used_by(convention: ConventionSummary) -> str:
    """Return what a convention is seen by, in a few words."""
    seen = [f"{what} ({plural(count, 'node')})" for what, count in convention.uses.items()]
    return "; ".join(seen) or "–"
