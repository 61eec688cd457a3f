"""One finding explained, and what nobody has looked at."""

from __future__ import annotations

import json
from collections.abc import Sequence

from nz_explorer.diagnosis import explain
from nz_explorer.engine.findings import Finding
from nz_explorer.engine.fixes import Fix
from nz_explorer.text.phrases import capitalized
from nz_explorer.values.reading.size_limits import bytes_text
from nz_explorer.widget import protocol, text
from nz_explorer.widget.panels import blocks
from nz_explorer.widget.panels.blocks import Blocks, Words
from nz_explorer.widget.panels.registry import CannotDo, Context, Outcome, action, page
from nz_explorer.widget.requests import findings

SAFETY = {
    "safe": blocks.chip("safe", "good", "It changes nothing but what the rule is about."),
    "unsafe": blocks.chip("may change meaning", "warning", "Look at what it does to the values."),
    "suggest": blocks.chip(
        "a suggestion", "warning", "Only someone who knows the data can decide."
    ),
}

STARRED = "in the text of the convention, which does not label it as normative"
"""What the star of a level such as ``MUST*`` stands for."""


MAX_CARDS = 3
"""Other nodes of which the lines are shown."""
MAX_RELATED = 50


def finding_of(context: Context) -> Finding:
    """Return the finding that the parameters name.

    Raises
    ------
    CannotDo
        If there is no such finding any more.
    """
    rule, pointer, message = (context.text(name) for name in ("rule", "pointer", "message"))
    for finding in context.session.evaluation.findings(context.path, below=False):
        shown = (finding.message, text.on_screen(finding.message))
        if (finding.rule, finding.pointer) == (rule, pointer) and message in shown:
            return finding
    raise CannotDo(f"{rule} at {context.path} is gone")


@page("finding")
def finding_page(context: Context) -> Blocks:
    """Say what is wrong, what readers do, the ways out, and where it is."""
    finding = finding_of(context)
    rule, fix = finding.info, finding.fix
    starred = f" {rule.level}: {STARRED}." if rule.level.endswith("*") else ""
    said: list[protocol.Span | str] = [rule.statement]
    if starred:
        said.append(blocks.quiet(starred))
    found: Blocks = [blocks.paragraph(said), blocks.paragraph(blocks.quiet(rule.rationale))]
    if readers := _readers(context, finding):
        found += [blocks.heading("What readers do"), blocks.definitions(readers)]
    if ways := finding.fixes:
        found.append(blocks.heading("Ways out"))
        for number, way in enumerate(ways):
            found += _way_out(finding, way, number)
    found += _where(context, finding, fix)
    if context.session.history is not None:
        search = blocks.action("Which version brought it?", "find version", rule=finding.rule)
        found.append(blocks.actions(search))
    examples: list[Blocks] = []
    bad, good = rule.example_titles
    if rule.bad_example:
        examples.append(_example(bad, "error", rule.bad_example))
    if rule.good_example:
        examples.append(_example(good, "good", rule.good_example))
    if examples:
        found.append(blocks.section("Examples of the rule", [blocks.columns(*examples)]))
    return found


def _readers(context: Context, finding: Finding) -> list[tuple[Words, Words]]:
    """Return what readers are known to do, and what those did that were tried."""
    found: dict[str, Words] = dict(finding.readers)
    for trial in context.session.trials.done:
        for failure in trial.failures:
            if finding in explain(failure, trial.reader, context.session.base):
                tried = f" – tried at {failure.path}"
                found[trial.reader] = [blocks.code(failure.message), blocks.quiet(tried)]
                break
    return [(blocks.strong(name), does) for name, does in found.items()]


def _example(title: str, tone: protocol.Tone, text: str) -> Blocks:
    return [blocks.listed_code(text, "json", title, [blocks.chip(title, tone)])]


def _way_out(finding: Finding, fix: Fix, number: int) -> Blocks:
    """Return the fix in words, what it may cost, and the button that tries it."""
    does = findings.in_words(fix)
    note = fix.note or ""
    if not does:
        does, note = [capitalized(note)], ""
    said: protocol.Text = [*does, " ", SAFETY[fix.safety]]
    if note:
        said += [" ", blocks.quiet(note)]
    if fix.also:
        copies = ", ".join(dict.fromkeys(change.document for change in fix.also))
        said.append(blocks.quiet(f"{'; t' if note else ' T'}he copy in {copies} changes with it"))
    return [blocks.paragraph(said), *_try_it(finding, fix, number)]


def _where(context: Context, finding: Finding, fix: Fix | None) -> Blocks:
    """Show every line concerned, with what the fix changes there."""
    node = context.session.hierarchy.stored.peek(finding.path)
    document, pointer = (None, "") if node is None else node.locate(finding.pointer)
    cards: list[protocol.Block] = []
    changes = False
    if fix is not None and fix.patch:
        changed, after = findings.patched(fix, node)
        same = changed is not None and document is not None and changed.key == document.key
        if after is not None:
            lit = pointer if same else None
            lines = findings.excerpt(fix.document, changed, lit, after)
            cards.append(_card(finding, fix.document, lines))
            changes = True
            if same:
                document = None
        elif fix.can_be_applied:
            patch = "\n".join(json.dumps(dict(step), ensure_ascii=False) for step in fix.patch)
            title: Words = [blocks.code(fix.document), blocks.quiet(" as a patch")]
            cards.append(blocks.listed_code(patch, "json", f"Fix of {finding.rule}", title))
    if document is not None:
        lines = findings.excerpt(document.key, document, pointer, None)
        cards.insert(0, _card(finding, document.key, lines))
    others = list(finding.related)
    beside = (_card_of(context, finding, path) for path in others[:MAX_CARDS])
    cards += [card for card in beside if card is not None]
    heading = "Where, and what changes" if changes else "Where"
    where: Blocks = [blocks.columns(*([card] for card in cards))] if cards else []
    if others:
        where.insert(0, blocks.paragraph(["With ", *blocks.links(others, MAX_RELATED)]))
    if not any(isinstance(card, protocol.CodeBlock) and card.lines for card in cards):
        where.insert(0, blocks.paragraph(["At ", blocks.link(finding.path)]))
    return [blocks.heading(heading), *where]


def _card_of(context: Context, finding: Finding, path: str) -> protocol.Block | None:
    """Return the lines of another node that a finding is about, where these are at the same place."""
    node = context.session.hierarchy.stored.peek(path)
    document, pointer = (None, "") if node is None else node.locate(finding.pointer)
    if document is None or not pointer or document.span(pointer) is None:
        return None
    return _card(
        finding, document.key, findings.excerpt(document.key, document, pointer, None), path
    )


def _card(
    finding: Finding, key: str, lines: Sequence[findings.Line], path: str | None = None
) -> protocol.Block:
    to = blocks.link(path or finding.path, key, pointer=finding.pointer, rule=finding.rule)
    return protocol.CodeBlock(
        "\n".join(text for _, text in lines),
        "json",
        f"Lines of {key}",
        [to],
        numbers=True,
        lines=[line for line, _ in lines],
    )


def _try_it(finding: Finding, fix: Fix, number: int) -> Blocks:
    """Return the button that tries a fix, unless that is only advice."""
    if not fix.can_be_applied:
        return []
    button = blocks.action(
        "Try it",
        "try",
        title="In memory: nothing is written",
        rule=finding.rule,
        pointer=finding.pointer,
        message=finding.message,
        way=number,
    )
    return [blocks.actions(button)]


@page("open questions")
def open_questions(context: Context) -> Blocks:
    """Say what the absence of findings means here, and list what could not be decided."""
    below = context.params.get("below") is True
    evaluation, path = context.session.evaluation, context.node.path
    undecided = evaluation.not_evaluated(path, below=below)
    found: Blocks = []
    left_out = [*_not_read(context), *_not_compared(context)]
    counts = evaluation.counts(path)
    if not (counts.total if below else evaluation.findings(path, below=False)):
        found.append(_nothing(counts.complete, len(undecided), whole=not left_out))
    found += left_out
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
        f"Not evaluated: {text.number(len(undecided))} ",
        blocks.quiet("– absence of findings is not conformance"),
    ]
    inside = blocks.table("Not evaluated", ["Rule", "Reason", "Nodes"], rows)
    return [*found, blocks.section(title, [inside])]


def _not_read(context: Context) -> Blocks:
    """Offer to read all values, where nobody did because that may take long."""
    evaluation = context.session.base
    if evaluation.reads_contents:
        stop = blocks.action("Stop", "stop reading", title="What was found until then stays")
        return [blocks.paragraph("All values are being read."), blocks.actions(stop)]
    if not evaluation.values_left_out:
        return []
    size = evaluation.contents_size
    said = "The chunks of data variables were not all read: what is wrong with their values is not known."
    read = blocks.action(
        f"Read all values ({bytes_text(size)})",
        "read contents",
        title=f"Of all arrays, in the background: at most {bytes_text(size)}, decoded; it can be stopped",
        size=size,
    )
    return [blocks.paragraph(said, "info"), blocks.actions(read)]


def _not_compared(context: Context) -> Blocks:
    """Offer to compare consolidated entries where nobody did, because there are many."""
    evaluation = context.session.base
    if not evaluation.not_compared:
        return []
    entries = text.counted(len(evaluation.hierarchy.consolidated or ()), "node")
    said = f"The consolidated metadata of {entries} were not compared with the stored documents: each takes a request."
    compare = blocks.action("Compare", "compare", title="In the background; it can be stopped")
    return [blocks.paragraph(said, "info"), blocks.actions(compare)]


@action("compare")
def compare(context: Context) -> Outcome:
    """Compare the consolidated metadata with the stored documents, however many there are."""
    context.session.compare()
    return Outcome()


@action("read contents")
def read_contents(context: Context) -> Outcome:
    """Read all values of all arrays, as much as the button says, and evaluate the rules on them."""
    size = context.params.get("size")
    context.session.read_contents(size if type(size) is int and size >= 0 else None)
    return Outcome()


@action("stop reading")
def stop_reading(context: Context) -> Outcome:
    """Read no more values."""
    context.session.leave_contents()
    return Outcome()


def _nothing(complete: bool, undecided: int, *, whole: bool) -> protocol.Block:
    if not complete:
        return blocks.paragraph("No findings so far; rules are still being evaluated.", "info")
    if whole and not undecided:
        said: Words = [
            blocks.strong("No findings."),
            " Every rule that applies here was evaluated.",
        ]
        return blocks.paragraph(said, "good")
    not_done = f" {text.counted(undecided, 'check')} could not be evaluated." if undecided else ""
    warning = (
        f"{not_done} The absence of findings is not conformance:"
        " what was not looked at may still break a rule."
    )
    return blocks.paragraph([blocks.strong("No findings."), warning], "info")
