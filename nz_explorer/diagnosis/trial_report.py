"""What came of trials, as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from nz_explorer.diagnosis import first_values
from nz_explorer.diagnosis.attribution import explain
from nz_explorer.diagnosis.trial import Failure, Trial
from nz_explorer.engine.evaluation import Evaluation
from nz_explorer.text.phrases import every, plural

TROUBLE = ("fails", "refused", "crashed", "timed out")
"""States in which a reader did not read everything."""
UNEXPLAINED = "no rule explains this"
MOST_ROWS = 50
"""Arrays whose first values are shown; those that readers do not agree on come first."""


def summary(trial: Trial) -> str:
    """Return what came of it in a sentence."""
    if trial.state == "reads":
        return f"opens {every(trial.read, 'node')}"
    if trial.state == "fails":
        return (
            f"opens {plural(trial.read, 'node')}, fails at {len({f.path for f in trial.failures})}"
        )
    where = f" at {trial.at}" if trial.at is not None else ""
    return f"{trial.state}{where}: {trial.message}"


def unexplained(failure: Failure, evaluation: Evaluation) -> str:
    """Return what is said of a failure that no rule explains.

    Parameters
    ----------
    failure : Failure
        A node, and the reader's message.
    evaluation : Evaluation
        The results of the rules.
    """
    of_values = failure.during.startswith("reading") or "decode time" in failure.message
    if of_values and evaluation.values != "all":
        return f"{UNEXPLAINED}; only chunks of coordinates were looked at: nz-explorer check --values all looks at all"
    return UNEXPLAINED


def lines(trial: Trial, evaluation: Evaluation) -> Iterator[str]:
    """Yield what a reader made of a store, for a terminal.

    Parameters
    ----------
    trial : Trial
        What came of trying the reader.
    evaluation : Evaluation
        The results of the rules, which explain its failures.
    """
    version = f" {trial.version}" if trial.version else ""
    yield f"{trial.reader}{version}: {summary(trial)}"
    for failure in trial.failures:
        during = f" ({failure.during})" if failure.during.startswith("reading") else ""
        yield f"  {failure.path}: {failure.message}{during}"
        causes = explain(failure, trial.reader, evaluation)
        for finding in causes:
            yield f"    most likely {finding.rule} at {finding.path}: {finding.message}"
        if not causes:
            yield f"    {unexplained(failure, evaluation)}"


def table(trials: Sequence[Trial]) -> Iterator[str]:
    """Yield what the first value of each array is to each reader, for a terminal.

    Parameters
    ----------
    trials : sequence of Trial
        What came of trying readers on one store.
    """
    found = first_values.rows(trials)
    if not found:
        return
    readers = [trial.reader for trial in trials if trial.values]
    shown = sorted(found, key=lambda row: not row.disagreement)[:MOST_ROWS]
    cells = [["first value", *readers]]
    for row in shown:
        values = (row.values.get(reader) for reader in readers)
        cells.append([row.path, *("–" if v is None else v.shown or "–" for v in values)])
    widths = [max(len(line[at]) for line in cells) for at in range(len(cells[0]))]
    yield ""
    for line in cells:
        yield "  ".join(
            text.ljust(width) for text, width in zip(line, widths, strict=True)
        ).rstrip()
    if len(found) > len(shown):
        yield f"and {plural(len(found) - len(shown), 'more array')}"
    for row in found:
        if row.disagreement:
            yield f"readers disagree at {row.path}: {row.disagreement}"


def to_dict(trial: Trial, evaluation: Evaluation) -> dict[str, Any]:
    """Return the same as JSON has it.

    Parameters
    ----------
    trial : Trial
        What came of trying the reader.
    evaluation : Evaluation
        The results of the rules, which explain its failures.
    """
    return {
        "reader": trial.reader,
        "version": trial.version,
        "state": trial.state,
        "read": trial.read,
        "at": trial.at,
        "message": trial.message,
        "seconds": round(trial.seconds, 3),
        "failures": [
            {
                "path": failure.path,
                "message": failure.message,
                "kind": list(failure.kind),
                "during": failure.during,
                "rules": [
                    {"rule": finding.rule, "path": finding.path}
                    for finding in explain(failure, trial.reader, evaluation)
                ],
            }
            for failure in trial.failures
        ],
        "values": {
            path: {"raw": value.raw, "shown": value.shown} for path, value in trial.values.items()
        },
    }
