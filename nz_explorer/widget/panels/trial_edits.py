"""Edits that are tried: what they change, taking them back, and saving them."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import TYPE_CHECKING

from nz_explorer.conventions import registry
from nz_explorer.documents.decoding import decode
from nz_explorer.editing.apply import apply, fix_all
from nz_explorer.editing.trial_edits.what_if import WhatIf
from nz_explorer.engine.findings import SEVERITIES, Finding
from nz_explorer.model import Array, Hierarchy, Node, NodeNotFound
from nz_explorer.widget import protocol, text
from nz_explorer.widget.impacts import Impacts
from nz_explorer.widget.panels import blocks
from nz_explorer.widget.panels.blocks import Blocks
from nz_explorer.widget.panels.findings import finding_of
from nz_explorer.widget.panels.registry import CannotDo, Context, Outcome, action, page

if TYPE_CHECKING:
    from nz_explorer.widget.session_view import SessionView

MAX_LISTED = 100
MAX_DIFFS = 30
NO_JSON = ("syntax", "empty", "truncated", "utf8", "not-object", "limit")
TONES: dict[str, protocol.Tone] = {"error": "error", "warning": "warning", "info": "info"}
READ_ONLY = 'The store was opened read-only; nz.explore(…, mode="r+") allows saving.'


@page("edits")
def bar(context: Context) -> Blocks:
    """Say which readers open it then, and offer what only some edits ask for."""
    session = context.session
    said: Blocks = []
    if session.what_if.edits and (then := _then(session)):
        said.append(blocks.paragraph(["then ", *then]))
    if any(finding.rule in registry().ids_on("entry") for finding in session.what_if.new):
        title = "The edited documents and their consolidated copies differ now"
        update = blocks.action("Update the consolidated copy", "consolidate", title=title)
        said.append(blocks.actions(update))
    return said


def _then(session: SessionView) -> list[str | protocol.Span]:
    """Return whether readers open the edited store that do not open it as it is stored, or open only that."""
    before, after = (
        {one.reader: one for one in Impacts(evaluation).readers()}
        for evaluation in (session.base, session.what_if.evaluation)
    )
    found: list[str | protocol.Span] = []
    for reader, one in after.items():
        if one.blocked_by:
            title = f"predicted: {', '.join(one.blocked_by)}"
            found += [blocks.chip(f"{reader} ✗", "error", title), " "]
        elif before[reader].blocked_by:
            title = "predicted from the rules; the readers in the header can be tried on the edits"
            found += [blocks.chip(f"{reader} ✓", "good", title), " "]
    return found


@page("changes")
def changes(context: Context) -> Blocks:
    """Show what the edits change: findings, the picture, the documents."""
    session = context.session
    what_if = session.what_if
    edits = what_if.edits
    said: Blocks = [blocks.paragraph(session.outcome, "good")] if session.outcome else []
    if not edits:
        return [*said, *_invitation()]
    gone, new = what_if.gone, what_if.new
    return [
        *said,
        blocks.paragraph(
            [
                f"{text.counted(len(edits), 'document')} changed in memory: ",
                blocks.chip(f"{text.counted(len(gone), 'finding')} gone", "good"),
                " ",
                blocks.chip(f"{len(new)} new", _worst(new)),
            ]
        ),
        *_findings("Gone", gone, opened=len(gone) <= 10),  # what a screen holds
        *_findings("New", new, opened=True),
        *_pictures(context, [edit.key for edit in edits]),
        *_diffs(what_if),
        *_read_only(session),
    ]


@page("saving")
def saving(context: Context) -> Blocks:
    """Say which documents saving writes, and where, with the button that does it."""
    session = context.session
    keys = [edit.key for edit in session.what_if.edits]
    if (note := _read_only(session)) or not keys:
        return note
    source = session.base.hierarchy.source
    return [
        blocks.paragraph(f"This writes to {source}. All of these documents are written, or none:"),
        blocks.listing(([blocks.code(key)] for key in keys), "Documents to write"),
        blocks.actions(
            blocks.action(f"Write {text.counted(len(keys), 'document')}", "save", documents=keys)
        ),
    ]


def _read_only(session: SessionView) -> Blocks:
    if session.base.hierarchy.mode == "r+":
        return []
    return [blocks.paragraph([blocks.quiet(READ_ONLY)])]


def _worst(found: Sequence[Finding]) -> protocol.Tone:
    there = {finding.severity for finding in found}
    return next((TONES[severity] for severity in SEVERITIES if severity in there), "good")


def _invitation() -> Blocks:
    return [
        blocks.paragraph(
            "No edits are tried. Open a finding and try its fix, or edit a document in the Metadata tab: both"
            " change a copy in memory, and everything here is checked and drawn anew. Nothing is written."
        ),
        blocks.actions(
            blocks.action(
                "Try all safe fixes",
                "try safe",
                title="Those that need nobody to choose, and change the meaning of nothing",
            )
        ),
    ]


def _findings(title: str, found: Sequence[Finding], *, opened: bool) -> Blocks:
    if not found:
        return []
    rows = [
        blocks.row(
            blocks.chip(finding.rule, TONES[finding.severity], finding.info.title),
            blocks.link(finding.path, pointer=finding.pointer, rule=finding.rule),
            text.on_screen(finding.message),
        )
        for finding in found[:MAX_LISTED]
    ]
    inside: Blocks = [blocks.table(f"{title} findings", ["Rule", "Node", "What"], rows)]
    if len(found) > MAX_LISTED:
        inside.append(blocks.paragraph([blocks.quiet(f"and {len(found) - MAX_LISTED} more")]))
    return [blocks.section(f"{title}: {len(found)}", inside, opened=opened)]


def _pictures(context: Context, keys: Sequence[str]) -> Blocks:
    """Show the selected array, or the first that was edited, before and after."""
    session = context.session
    paths = [context.path, *(f"/{key.rpartition('/')[0]}" for key in keys)]
    for path in dict.fromkeys(paths):
        before, after = (
            _node(hierarchy, path)
            for hierarchy in (session.base.hierarchy, session.what_if.hierarchy)
        )
        if not isinstance(before, Array) and not isinstance(after, Array):
            continue
        return [
            blocks.heading(["The picture of ", blocks.link(path, panel="plot")]),
            blocks.columns(
                [_picture(context, before, "Before")], [_picture(context, after, "After")]
            ),
        ]
    return []


def _node(hierarchy: Hierarchy, path: str) -> Node | None:
    try:
        return hierarchy[path]
    except NodeNotFound:
        return None


def _picture(context: Context, node: Node | None, when: str) -> protocol.Block:
    from nz_explorer.plots import figure, is_drawn

    if not isinstance(node, Array):
        why = "there is no such node" if node is None else node.problem or "it is no array"
        return blocks.paragraph([f"{when}: ", blocks.quiet(why)])
    look = context.session.quicklook(
        node, context.index, width=640, height=420, cancel=context.cancel
    )
    if not is_drawn(look):
        said = look.text or text.on_screen(look.message or look.label)
        return blocks.paragraph([f"{when}: ", said])
    content = io.BytesIO()
    figure(look, width=4.6, height=3.2).savefig(content, format="png", dpi=140)
    return blocks.png(content.getvalue(), f"{when}: {text.on_screen(look.label)}")


def _diffs(what_if: WhatIf) -> Blocks:
    diff = what_if.diff()
    shown: Blocks = [
        blocks.listed_code(text, "diff", f"Changes of {key}", [blocks.code(key)])
        for key, text in list(diff.items())[:MAX_DIFFS]
    ]
    if len(diff) > MAX_DIFFS:
        more = text.counted(len(diff) - MAX_DIFFS, "more document")
        shown.append(blocks.paragraph([blocks.quiet(f"and {more}")]))
    return [
        blocks.section(f"Difference: {text.counted(len(diff), 'document')}", shown, opened=True)
    ]


# --- what the buttons do ------------------------------------------------------------------------


@action("try")
def try_fix(context: Context) -> Outcome:
    """Try the fix of a finding."""
    way = context.params.get("way", 0)
    context.session.what_if.apply(finding_of(context), way if isinstance(way, int) else 0)
    context.session.show_edits(True)
    return Outcome(panel="changes")


@action("try safe")
def try_safe(context: Context) -> Outcome:
    """Try all fixes that need nobody to choose."""
    done = fix_all(context.session.what_if)
    context.session.show_edits(True)
    context.session.show_outcome(f"{done.in_words()}.")
    return Outcome()


@action("edit")
def edit(context: Context) -> Outcome:
    """Give a document another text, if that is JSON.

    Raises
    ------
    CannotDo
        If the text is not JSON.
    CannotEdit
        If the edit cannot be made.
    """
    key, text = context.text("key"), context.text("text")
    _, problems = decode(text.encode("utf-8", "replace"), key)
    broken = next((p for p in problems if p.kind in NO_JSON), None)
    if broken is not None:
        raise CannotDo(f"Not JSON, so not tried: {broken.message}")
    context.session.what_if.edit(key, text, amend=context.params.get("amend") is True)
    context.session.show_edits(True)
    return Outcome()


@action("consolidate")
def consolidate(context: Context) -> Outcome:
    """Bring the consolidated metadata up to date."""
    context.session.what_if.consolidate()
    return Outcome()


@action("undo")
def undo(context: Context) -> Outcome:
    """Take back the last edit."""
    context.session.what_if.undo()
    return Outcome()


@action("reset")
def reset(context: Context) -> Outcome:
    """Take back all edits."""
    context.session.what_if.reset()
    return Outcome()


@action("show edits")
def show_edits(context: Context) -> Outcome:
    """Show the hierarchy with the edits, or as it is stored."""
    context.session.show_edits(context.params.get("shown") is True)
    return Outcome()


@action("save")
def save(context: Context) -> Outcome:
    """Write the edits to the store: the documents that were confirmed, and no others.

    Raises
    ------
    CannotDo
        If the edits have changed since they were confirmed.
    WriteError
        If they could not be written; the message describes the state of the store.
    """
    session = context.session
    if context.params.get("documents") != [edit.key for edit in session.what_if.edits]:
        raise CannotDo("the edits have changed since they were confirmed; review them again")
    applied = apply(session.what_if).write()
    session.show_outcome(
        f"{text.counted(len(applied.documents), 'document')} written: {', '.join(applied.documents)}."
        f" {text.counted(len(applied.gone), 'finding')} gone, {len(applied.new)} new, {len(applied.left)} left."
    )
    return Outcome(panel="changes")
