"""What came of a trial, as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from nz_explorer.readers.trial import Trial
from nz_explorer.readers.why import explain
from nz_explorer.rules.engine import Evaluation

TROUBLE = ("fails", "crashed", "timed out")
"""States in which a reader did not read everything."""


def summary(trial: Trial) -> str:
    """Return what came of it in a sentence."""
    if trial.state == "reads":
        return f"opens all {trial.read} nodes"
    if trial.state == "fails":
        return f"opens {trial.read} nodes, fails at {len({f.path for f in trial.failures})}"
    where = f" at {trial.at}" if trial.at is not None else ""
    return f"{trial.state}{where}: {trial.message}"


def lines(trial: Trial, evaluation: Evaluation) -> Iterator[str]:
    """Yield what a reader made of a store, for a terminal."""
    version = f" {trial.version}" if trial.version else ""
    yield f"{trial.reader}{version}: {summary(trial)}"
    for failure in trial.failures:
        yield f"  {failure.path}: {failure.message}"
        for finding in explain(failure, trial.reader, evaluation):
            yield f"    most likely {finding.rule} at {finding.path}: {finding.message}"


def to_dict(trial: Trial, evaluation: Evaluation) -> dict[str, Any]:
    """Return the same as JSON has it."""
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
                "rules": [
                    {"rule": finding.rule, "path": finding.path}
                    for finding in explain(failure, trial.reader, evaluation)
                ],
            }
            for failure in trial.failures
        ],
    }
