"""What other software makes of the store."""

from __future__ import annotations

from collections.abc import Sequence

from nz_explorer.diagnosis import READERS, Failure, FirstValue, Trial, explain, first_values
from nz_explorer.diagnosis.probes import PROBES
from nz_explorer.diagnosis.trial import SECONDS
from nz_explorer.diagnosis.trial_report import summary, unexplained
from nz_explorer.text.phrases import listed
from nz_explorer.widget import protocol, text
from nz_explorer.widget.panels import blocks
from nz_explorer.widget.panels.blocks import Blocks
from nz_explorer.widget.panels.registry import Context, Outcome, action, page

TONES: dict[str, protocol.Tone] = {
    "reads": "good",
    "not installed": "info",
    "not tried": "info",
    "cancelled": "info",
}
MAX_FAILURES = 100
MAX_VALUES = 50


@page("readers")
def readers_page(context: Context) -> Blocks:
    """Show the result of each reader, and the rule that explains each failure."""
    trials = context.session.trials
    done = {trial.reader: trial for trial in trials.done}
    steps = context.session.what_if.steps
    predicted = {one.reader: one for one in context.session.tree.impacts.readers()}
    rows = [
        _row(name, done.get(name), trials.trying == name, predicted.get(name)) for name in READERS
    ]
    if trials.trying is None:
        where = "the whole store" if context.path == "/" else f"this {context.node.kind}"
        edits = f" with {text.counted(steps, 'edit')}" if steps else ""
        label = f"Try {'again ' if done else ''}on {where}{edits}"
        buttons = blocks.actions(blocks.action(label, "try readers", title=context.path))
    else:
        buttons = blocks.actions(blocks.action("Stop", "stop readers"))
    found: Blocks = [
        blocks.paragraph(
            "Each runs in a process of its own, without your credentials, and is ended after"
            f" {SECONDS:.0f} seconds. {_what_is_opened(steps)}"
        ),
        buttons,
        blocks.table(
            _label(trials.path, trials.steps) if done else "Readers",
            ["Reader", "Result", "What it does"],
            rows,
        ),
    ]
    for trial in trials.done:
        if trial.failures:
            found.append(_failures(context, trial))
    if table := _first_values(trials.done):
        found.append(table)
    return found


def _what_is_opened(steps: int) -> str:
    if not steps:
        return "The store is opened as it is stored."
    return f"The store is opened with {text.counted(steps, 'edit')}, in a temporary copy: nothing is written to it."


def _label(path: str, steps: int) -> str:
    return (
        f"Readers of {path} with {text.counted(steps, 'edit')}" if steps else f"Readers of {path}"
    )


def _first_values(trials: Sequence[Trial]) -> protocol.Block | None:
    """Return what the first value of each array is to each reader; where these differ first."""
    found = first_values.rows(trials)
    if not found:
        return None
    readers = [trial.reader for trial in trials if trial.values]
    apart = sum(bool(row.disagreement) for row in found)
    rows = []
    for row in sorted(found, key=lambda row: not row.disagreement)[:MAX_VALUES]:
        cells = [_value(row.values.get(reader)) for reader in readers]
        told: protocol.Text = [blocks.chip("differs", "error"), f" {row.disagreement}"]
        rows.append(
            blocks.row(
                blocks.link(row.path), *cells, told if row.disagreement else blocks.quiet("–")
            )
        )
    table = blocks.table("First values", ["Array", *readers, "Agreement"], rows)
    title = f"The first value of each array: readers {'differ' if apart else 'agree'}"
    return blocks.section(title, [table], opened=bool(apart))


def _value(value: FirstValue | None) -> protocol.Text | protocol.Span:
    return blocks.quiet("–") if value is None else [blocks.code(value.shown or "–")]


def _row(
    name: str, trial: Trial | None, trying: bool, predicted: protocol.Forecast | None
) -> protocol.TableRow:
    what = blocks.quiet(PROBES[name].does)
    if trial is None:
        expected = "" if trying else _prediction(predicted)
        state = f"trying…{expected}" if trying else f"not tried yet{expected}"
        return blocks.row(name, blocks.quiet(state), what)
    tone = TONES.get(trial.state, "error")
    result: protocol.Text = [blocks.chip(trial.state, tone), f" {summary(trial)}"]
    if trial.seconds >= 1:
        result.append(blocks.quiet(f" ({trial.seconds:.0f} s)"))
    return blocks.row([name, " ", blocks.quiet(trial.version or "")], result, what)


def _prediction(predicted: protocol.Forecast | None) -> str:
    if predicted is None or predicted.opens is None:
        return ""
    if not predicted.opens:
        return f"; predicted to fail because of {listed(predicted.blocked_by)}"
    if predicted.misled_by:
        return f"; predicted to open it and to be misled by {listed(predicted.misled_by)}"
    return "; predicted to open it"


def _failures(context: Context, trial: Trial) -> protocol.Block:
    rows = [_failure(context, trial.reader, failure) for failure in trial.failures[:MAX_FAILURES]]
    label = f"Failures of {trial.reader}"
    table = blocks.table(label, ["Node", "Message", "Most likely cause"], rows)
    return blocks.section(f"{label}: {len(trial.failures)}", [table], opened=True)


def _failure(context: Context, reader: str, failure: Failure) -> protocol.TableRow:
    causes: protocol.Text = []
    session = context.session
    evaluation = session.what_if.evaluation if session.trials.steps else session.base
    for finding in explain(failure, reader, evaluation):
        where = "" if finding.path == failure.path else f" {finding.path}"
        causes += [
            blocks.link(
                finding.path, f"{finding.rule}{where}", pointer=finding.pointer, rule=finding.rule
            ),
            " ",
        ]
    return blocks.row(
        blocks.link(failure.path),
        blocks.code(failure.message),
        causes or [blocks.quiet(unexplained(failure, evaluation))],
    )


@action("try readers")
def try_readers(context: Context) -> Outcome:
    """Let all readers open the store, in the background."""
    what_if = context.session.what_if
    edited = what_if.hierarchy if what_if.steps else None
    context.session.trials.start(context.node.path, edited, what_if.steps)
    return Outcome()


@action("stop readers")
def stop_readers(context: Context) -> Outcome:
    """End what is being tried."""
    context.session.trials.stop()
    return Outcome()
