"""Which rule stands behind what a reader says."""

from __future__ import annotations

import re

from nz_explorer.readers.trial import Failure
from nz_explorer.rules.engine import Evaluation
from nz_explorer.rules.findings import Finding

HARMLESS = ("does not mind", "does not look")
MAX_FINDINGS = 3
COMMON = frozenset(
    [
        "array",
        "arrays",
        "cannot",
        "error",
        "errors",
        "expected",
        "found",
        "from",
        "group",
        "have",
        "into",
        "node",
        "path",
        "raises",
        "store",
        "that",
        "the",
        "this",
        "type",
        "value",
        "with",
        "zarr",
    ]
)
"""Words that say nothing of what went wrong."""


def explain(failure: Failure, reader: str, evaluation: Evaluation) -> list[Finding]:
    """Return the findings that most likely explain a failure, the likeliest first.

    Parameters
    ----------
    failure : Failure
        A node, and what the reader said of it.
    reader : str
        Its name.
    evaluation : Evaluation
        What the rules say.

    Returns
    -------
    list of Finding
        At most three: of the node, and of the nodes directly in it, because readers open groups whole. Such a
        finding counts where it has words of the message, or where the catalogue says that the reader minds it.
    """
    said = _words(failure.message)
    inside = sorted(
        path
        for path in evaluation.failing(lambda _hit: True)
        if path != "/" and (path.rpartition("/")[0] or "/") == failure.path
    )
    found = [
        finding
        for path in (failure.path, *inside)
        for finding in evaluation.findings(path, below=False)
    ]
    scored: list[tuple[int, Finding]] = []
    others: list[Finding] = []
    for finding in dict.fromkeys(found):
        own = finding.path == failure.path
        says = _says(finding, reader)
        common = len(said & _words(f"{finding.message} {finding.pointer} {finding.path} {says}"))
        minds = bool(says) and not says.startswith(HARMLESS)
        plain = reader == "plain NZ" or not finding.rule.startswith("NZ-")
        if common or (own and finding.severity == "error" and (minds or plain)):
            scored.append((common + 2 * minds + own, finding))
        elif minds:
            others.append(finding)
    if not scored:
        return others[:MAX_FINDINGS]
    best = max(score for score, _ in scored)
    likely = [(score, finding) for score, finding in scored if score >= best - 1]
    likely.sort(key=lambda one: -one[0])
    return [finding for _, finding in likely[:MAX_FINDINGS]]


def _says(finding: Finding, reader: str) -> str:
    """Return what the catalogue says that a reader does."""
    return " ".join(says for name, says in finding.info.readers.items() if name.startswith(reader))


def _words(text: str) -> set[str]:
    return set(re.findall(r"[a-z]{4,}", text.lower().replace("_", ""))) - COMMON
