"""What other software makes of the store."""

from __future__ import annotations

from nz_explorer.readers import READERS, Failure, Trial, explain
from nz_explorer.readers.trial import SECONDS
from nz_explorer.readers.words import summary
from nz_explorer.widget import blocks, protocol
from nz_explorer.widget.blocks import Blocks
from nz_explorer.widget.pages.registry import Context, Outcome, action, page

ABOUT = {
    "zarr-python": "opens every node and reads one element of each array",
    "xarray": "opens every group; one array that it refuses keeps it from all of the group",
    "netCDF-C": "opens the store through netCDF4-python",
    "plain NZ": "reads as NZ-1.0 says and no more: strict JSON, named dimensions, a fill value of the data type",
}
TONES: dict[str, protocol.Tone] = {
    "reads": "good",
    "not installed": "info",
    "not tried": "info",
    "cancelled": "info",
}
MAX_FAILURES = 100


@page("readers")
def readers_page(context: Context) -> Blocks:
    """Say what each reader made of the store, and which rule stands behind each failure."""
    trials = context.session.trials
    done = {trial.reader: trial for trial in trials.done}
    rows = [_row(name, done.get(name), trials.trying == name) for name in READERS]
    if trials.trying is None:
        where = "the whole store" if context.path == "/" else context.path
        label = f"Try {'again ' if done else ''}on {where}"
        buttons = blocks.actions(blocks.action(label, "try readers"))
    else:
        buttons = blocks.actions(blocks.action("Stop", "stop readers"))
    found: Blocks = [
        blocks.paragraph(
            "Each runs in a process of its own, without your credentials, and is ended after"
            f" {SECONDS:.0f} seconds. The store is opened as it is stored, without edits."
        ),
        buttons,
        blocks.table(
            f"Readers of {trials.path}" if done else "Readers",
            ["Reader", "Result", "What it does"],
            rows,
        ),
    ]
    for trial in trials.done:
        if trial.failures:
            found.append(_failures(context, trial))
    return found


def _row(name: str, trial: Trial | None, trying: bool) -> protocol.TableRow:
    what = blocks.quiet(ABOUT[name])
    if trial is None:
        return blocks.row(name, blocks.quiet("trying…" if trying else "not tried yet"), what)
    tone = TONES.get(trial.state, "error")
    result: protocol.Text = [blocks.chip(trial.state, tone), f" {summary(trial)}"]
    if trial.seconds >= 1:
        result.append(blocks.quiet(f" ({trial.seconds:.0f} s)"))
    return blocks.row([name, " ", blocks.quiet(trial.version or "")], result, what)


def _failures(context: Context, trial: Trial) -> protocol.Block:
    rows = [_failure(context, trial.reader, failure) for failure in trial.failures[:MAX_FAILURES]]
    label = f"Failures of {trial.reader}"
    table = blocks.table(label, ["Node", "What it says", "Most likely because of"], rows)
    return blocks.section(f"{label}: {len(trial.failures)}", [table], opened=True)


def _failure(context: Context, reader: str, failure: Failure) -> protocol.TableRow:
    causes: protocol.Text = []
    for finding in explain(failure, reader, context.session.base):
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
        causes or [blocks.quiet("no rule says why")],
    )


@action("try readers")
def try_readers(context: Context) -> Outcome:
    """Let all readers open the store, in the background."""
    context.session.trials.start(context.node.path)
    return Outcome()


@action("stop readers")
def stop_readers(context: Context) -> Outcome:
    """End what is being tried."""
    context.session.trials.stop()
    return Outcome()
