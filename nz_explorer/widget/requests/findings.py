"""Findings as the browser shows them: pages of a list, and where each is."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Mapping, Sequence
from typing import Any

from nz_explorer.conventions import rules
from nz_explorer.diagnosis.impact import IMPACTS, order_of
from nz_explorer.diagnosis.symptoms import symptoms
from nz_explorer.documents import Document
from nz_explorer.documents.json_edit import JsonText
from nz_explorer.documents.json_layout import new_text
from nz_explorer.documents.json_pieces import PatchError
from nz_explorer.editing.diffs import LONG_LINE, unified
from nz_explorer.engine.evaluation import Evaluation, FindingKind
from nz_explorer.engine.findings import SEVERITIES, Severity
from nz_explorer.engine.fixes import Fix
from nz_explorer.engine.impact import Impact
from nz_explorer.model import Node
from nz_explorer.report.fix_words import words
from nz_explorer.store import Cancellation
from nz_explorer.text.phrases import capitalized
from nz_explorer.widget import protocol
from nz_explorer.widget.impacts import impacts_of
from nz_explorer.widget.requests import documents
from nz_explorer.widget.requests.answer import MAX_PAGE, Answer, BadRequest, answers
from nz_explorer.widget.session_view import SessionView
from nz_explorer.widget.text import on_screen

MAX_DIFF_BYTES = 256 * 1024
MOST_LINES = 40
"""Lines of an excerpt."""
MOST_LIT = 12
"""Of a longer value only the beginning is in an excerpt."""
HUNK = re.compile(r"@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@")

Line = tuple[protocol.CodeLine, str]


@answers("findings")
def answer(session: SessionView, params: protocol.FindingsParams, cancel: Cancellation) -> Answer:
    """Return a page of the findings of a node."""
    node = session.tree.node(params.path)
    return page(session.evaluation, params, node.path), ()


def page(
    evaluation: Evaluation, params: protocol.FindingsParams, path: str
) -> protocol.FindingsResult:
    """Return a page of findings. Only those on it are made, and nothing is sorted but their kinds.

    Parameters
    ----------
    evaluation : Evaluation
        The evaluation of the hierarchy.
    params : protocol.FindingsParams
        Which findings, in which order, from which one on.
    path : str
        The node.

    Raises
    ------
    BadRequest
        If there is no such page.
    """
    if params.offset < 0 or params.limit < 1:
        raise BadRequest("offset must not be negative and limit must be at least 1")
    symptom = next((one for one in symptoms() if one.key == params.symptom), None)
    severities: Counter[Severity] = Counter()
    impacts: Counter[Impact] = Counter()
    broken: Counter[str] = Counter()
    wanted: dict[FindingKind, int] = {}
    aside: set[str] = set()
    groups: list[protocol.FindingGroup] = []

    def arrange(counts: dict[FindingKind, int]) -> list[list[FindingKind]]:
        for (rule, severity, meant), count in counts.items():
            severities[severity] += count
            impacts[meant] += count
            broken[rule] += count
            if not params.impacts or meant in params.impacts:
                wanted[rule, severity, meant] = count
        if symptom is not None:
            aside.update(rule for rule in broken if not symptom.may_come_from(rule))
        if params.order != "node":
            ordered, headings = _grouped(wanted, by_rule=params.order == "rule", aside=aside)
            groups.extend(headings)
            return [[kind] for kind in ordered]
        return [[kind for kind in wanted if (kind[0] in aside) is last] for last in (False, True)]

    shown = evaluation.page(path, params.below, arrange, params.offset, min(params.limit, MAX_PAGE))
    named = {finding.rule for finding in shown}
    if params.order == "rule":
        named.update(group.key for group in groups if group.key != "other")
    return protocol.FindingsResult(
        path=path,
        below=params.below,
        offset=params.offset,
        total=sum(wanted.values()),
        counts=protocol.Counts(
            severities["error"],
            severities["warning"],
            severities["info"],
            evaluation.counts(path).complete,
        ),
        impacts=impacts_of(impacts),
        findings=[
            protocol.Finding(
                f.rule, f.level, f.severity, f.impact, f.path, f.pointer, on_screen(f.message)
            )
            for f in shown
        ],
        rules={
            rule: protocol.RuleInfo(rules()[rule].title, str(rules()[rule].source))
            for rule in sorted(named)
        },
        groups=groups,
        not_evaluated=evaluation.not_evaluated_total
        if path == "/" and params.below
        else len(evaluation.not_evaluated(path, below=params.below)),
        symptoms=_symptoms(broken),
        causes=None
        if symptom is None
        else sum(count for kind, count in wanted.items() if kind[0] not in aside),
    )


def _symptoms(broken: Counter[str]) -> list[protocol.Symptom]:
    """Return what people may have come with: first what the broken rules cause."""
    found = [
        protocol.Symptom(
            one.key,
            one.text,
            list(one.words),
            sum(count for rule, count in broken.items() if one.may_come_from(rule)),
        )
        for one in symptoms()
    ]
    return sorted(found, key=lambda one: not one.count)


def _grouped(
    counts: Mapping[FindingKind, int], *, by_rule: bool, aside: Container[str]
) -> tuple[list[FindingKind], list[protocol.FindingGroup]]:
    """Return kinds of findings, the gravest first, and the headings above them.

    What is set aside comes last, under one heading.
    """
    gravest: dict[str, int] = {}
    for rule, _, meant in counts:
        rank = IMPACTS.index(meant)
        gravest[rule] = min(rank, gravest.get(rule, rank))

    def place(kind: FindingKind) -> tuple[Any, ...]:
        rule, severity, meant = kind
        if by_rule:
            return rule in aside, gravest[rule], rule, SEVERITIES.index(severity)
        return rule in aside, IMPACTS.index(meant), *order_of(rule, severity, meant)

    ordered = sorted(counts, key=place)
    groups: dict[str, protocol.FindingGroup] = {}
    name: str
    tone: Impact
    for kind in ordered:
        rule, _, meant = kind
        if rule in aside:
            name, tone = "other", "advice"
        else:
            name = rule if by_rule else meant
            tone = IMPACTS[gravest[rule]] if by_rule else meant
        group = groups.setdefault(name, protocol.FindingGroup(name, tone, 0))
        group.count += counts[kind]
    return ordered, list(groups.values())


# --- where a finding is, and what its fix changes ------------------------------------------------


def patched(fix: Fix, node: Node | None) -> tuple[Document | None, str | None]:
    """Return the document that a fix changes, and its text after that; None where that cannot be shown.

    Parameters
    ----------
    fix : Fix
        The fix.
    node : Node or None
        The node whose document it changes.

    Returns
    -------
    tuple of Document or None and str or None
        The document, None if the fix creates it, and the text after the fix.
    """
    document = next((d for d in (node.documents if node else ()) if d.key == fix.document), None)
    if not fix.patch or (document is not None and len(document.raw or b"") > MAX_DIFF_BYTES):
        return document, None
    try:
        if document is not None:
            text = JsonText.of(document.raw or b"", document.key)
            text.apply(dict(operation) for operation in fix.patch)
            return document, text.text
        first, *others = fix.patch
        if first.get("op") != "add" or first.get("path") != "":
            return None, None
        text = JsonText(new_text(first["value"]))
        text.apply(others)
    except PatchError:
        return document, None
    return None, text.text


def excerpt(
    key: str, document: Document | None, pointer: str | None, after: str | None
) -> list[Line]:
    """Return the lines of a document that a finding is about, and those that its fix changes.

    Parameters
    ----------
    key : str
        Of the document.
    document : Document, optional
        The document, unless the fix creates it.
    pointer : str, optional
        The place in the document that is lit.
    after : str, optional
        The text that it becomes.
    """
    before = "" if document is None else documents.readable(document)
    long = any(len(line) > LONG_LINE for line in before.splitlines())
    if long and (in_lines := documents.in_lines(before)) != before:
        before = in_lines
        if document is not None:
            document = Document(document.name, document.key, before.encode())
        after = None if after is None else documents.in_lines(after)
    lines = before.splitlines()
    found: list[list[Line]] = []
    if after is not None:
        raw = None if document is None else before.encode()
        found = _hunks(unified(key, raw, after.encode()))
    if document is not None and pointer is not None and lines:
        first, last = documents.line_span(document, pointer)
        last = min(last, first + MOST_LIT - 1, len(lines))
        found = _light(found, lines, first, last)
    shown: list[Line] = []
    for hunk in found:
        if shown:
            shown.append((protocol.CodeLine(None), "…"))
        shown += hunk
    if len(shown) > MOST_LINES:
        shown = [*shown[:MOST_LINES], (protocol.CodeLine(None), "…")]
    return shown


def _hunks(diff: str) -> list[list[Line]]:
    """Return a unified diff as numbered lines, with one line of context on either side."""
    found: list[list[Line]] = []
    old = new = 0
    for text in diff.splitlines()[2:]:
        if match := HUNK.match(text):
            old, new = int(match[1]), int(match[2])
            found.append([])
            continue
        kind, rest = text[:1], text[1:]
        if kind == "+":
            found[-1].append((protocol.CodeLine(new, "add"), rest))
        elif kind == "-":
            found[-1].append((protocol.CodeLine(old, "remove"), rest))
        else:
            found[-1].append((protocol.CodeLine(old), rest))
        old += kind != "+"
        new += kind != "-"
    return [_trimmed(hunk) for hunk in found]


def _trimmed(hunk: list[Line]) -> list[Line]:
    changed = [at for at, (line, _) in enumerate(hunk) if line.kind]
    return hunk[max(0, changed[0] - 1) : changed[-1] + 2] if changed else hunk


def _light(
    hunks: list[list[Line]], lines: Sequence[str], first: int, last: int
) -> list[list[Line]]:
    """Light up lines in the hunks that have them, and put what they lack beside these."""
    there = set()
    for hunk in hunks:
        for line, _ in hunk:
            if line.kind in ("", "remove") and line.number is not None:
                there.add(line.number)
                if first <= line.number <= last and not line.kind:
                    line.kind = "lit"
    if there.issuperset(range(first, last + 1)):
        return hunks
    alone: list[Line] = [
        (protocol.CodeLine(number, "lit" if first <= number <= last else ""), lines[number - 1])
        for number in range(max(1, first - 1), min(len(lines), last + 1) + 1)
        if number not in there
    ]
    return sorted([*hunks, alone], key=lambda hunk: hunk[0][0].number or 0)


def in_words(fix: Fix) -> list[str | protocol.Span]:
    """Return what a fix does to its document, in a sentence."""
    done: list[str | protocol.Span] = [
        part if isinstance(part, str) else protocol.Span(part.text, "code", title=part.title)
        for part in words(fix)
    ]
    if done and isinstance(done[0], str):
        done[0] = capitalized(done[0])
    return done
