"""One finding explained, and what nobody has looked at."""

from __future__ import annotations

import json

from nz_explorer.rules.findings import Finding
from nz_explorer.rules.fixes import Fix
from nz_explorer.rules.what_if import is_patch
from nz_explorer.rules.wording import plural
from nz_explorer.widget import blocks, findings, protocol, words
from nz_explorer.widget.blocks import Blocks, Words
from nz_explorer.widget.pages.registry import CannotDo, Context, page

SAFETY = {
    "safe": blocks.chip("safe", "good", "It changes nothing but what the rule is about."),
    "unsafe": blocks.chip("may change meaning", "warning", "Look at what it does to the values."),
    "suggest": blocks.chip("a suggestion", "warning", "Only who knows the data can tell."),
}

STARRED = "in the text of the convention, which does not label it as normative"
"""What the star of a level such as ``MUST*`` stands for."""


def finding_of(context: Context) -> Finding:
    """Return the finding that the parameters name."""
    wanted = tuple(context.text(name) for name in ("rule", "pointer", "message"))
    for finding in context.session.evaluation.findings(context.path, below=False):
        if (finding.rule, finding.pointer, finding.message) == wanted:
            return finding
    raise CannotDo(f"{wanted[0]} at {context.path} is gone")


@page("finding")
def finding_page(context: Context) -> Blocks:
    """Say why a rule is there, where it is broken, and what would cure it."""
    finding = finding_of(context)
    rule = finding.info
    where: protocol.Text = [blocks.link(finding.path)]
    if finding.pointer:
        place = blocks.link(
            finding.path, finding.pointer, pointer=finding.pointer, rule=finding.rule
        )
        where += [" ", place]
    starred = f" – {rule.level}: {STARRED}" if rule.level.endswith("*") else ""
    facts: list[tuple[Words, Words]] = [
        ("The convention", [rule.statement, " ", blocks.quiet(f"{rule.source}{starred}")]),
        ("Why it matters", rule.rationale),
        ("Where", where),
    ]
    if finding.related:
        facts.append(("Related", blocks.links(finding.related, 50)))
    found: Blocks = [blocks.definitions(facts)]
    examples: list[Blocks] = []
    if rule.bad_example:
        examples.append(_example("Breaks it", "error", rule.bad_example))
    if rule.good_example:
        examples.append(_example("Keeps it", "good", rule.good_example))
    if examples:
        found.append(blocks.columns(*examples))
    if (fix := finding.fix) is not None:
        found += _fix(context, finding, fix)
    return found


def _example(title: str, tone: protocol.Tone, text: str) -> Blocks:
    return [blocks.listed_code(text, "json", title, [blocks.chip(title, tone)])]


def _fix(context: Context, finding: Finding, fix: Fix) -> Blocks:
    found: Blocks = []
    if fix.note:
        found.append(blocks.paragraph(fix.note))
    node = context.session.hierarchy.stored.peek(finding.path)
    diff = findings.diff(fix, node)
    patch = "\n".join(json.dumps(dict(step), ensure_ascii=False) for step in fix.patch)
    title: Words = ["Fix ", SAFETY[fix.safety], " ", blocks.code(fix.document)]
    if not (diff or patch):  # advice only
        return [blocks.paragraph(title), *found]
    code = blocks.listed_code(
        diff or patch, "diff" if diff else "json", f"Fix of {finding.rule}", title
    )
    return [code, *found, *_try_it(finding, fix)]


def _try_it(finding: Finding, fix: Fix) -> Blocks:
    """Return the button that tries a fix, unless that is only advice."""
    if not is_patch(finding, fix):
        return []
    button = blocks.action(
        "Try it",
        "try",
        title="In memory: nothing is written",
        rule=finding.rule,
        pointer=finding.pointer,
        message=finding.message,
    )
    return [blocks.actions(button)]


@page("open questions")
def open_questions(context: Context) -> Blocks:
    """Say what the absence of findings means here, and list what could not be decided."""
    below = context.params.get("below") is True
    evaluation, path = context.session.evaluation, context.node.path
    undecided = evaluation.not_evaluated(path, below=below)
    found: Blocks = []
    counts = evaluation.counts(path)
    if not (counts.total if below else evaluation.findings(path, below=False)):
        found.append(_nothing(counts.complete, len(undecided)))
    if not undecided:
        return found
    groups: dict[tuple[str, str], list[str]] = {}
    for one in undecided:
        groups.setdefault((one.rule, one.reason), []).append(one.path)
    rows = [
        blocks.row(blocks.code(rule), reason, blocks.links(paths))
        for (rule, reason), paths in groups.items()
    ]
    title: Words = [
        f"Not evaluated: {words.number(len(undecided))} ",
        blocks.quiet("– absence of findings is not conformance"),
    ]
    inside = blocks.table("Not evaluated", ["Rule", "Reason", "Nodes"], rows)
    return [*found, blocks.section(title, [inside])]


def _nothing(complete: bool, undecided: int) -> protocol.Block:
    if not complete:
        return blocks.paragraph("No findings so far; rules are still being evaluated.", "info")
    if not undecided:
        said: Words = [
            blocks.strong("No findings."),
            " Every rule that applies here was evaluated.",
        ]
        return blocks.paragraph(said, "good")
    warning = (
        f" {plural(undecided, 'check')} could not be evaluated. The absence of findings is not conformance:"
        " what was not looked at may still break a rule."
    )
    return blocks.paragraph([blocks.strong("No findings."), warning], "info")
