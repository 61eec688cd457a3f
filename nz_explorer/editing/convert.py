"""What ``nz-explorer convert-metadata`` does, apart from reading its options.

The metadata of NZ-1.0 are derived from metadata of another dialect. They are the fixes of a few
rules, so they are tried, shown and written as all fixes are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import jsonpatch
import orjson

from nz_explorer.conventions import evaluate
from nz_explorer.conventions.nz import NZ
from nz_explorer.documents.decoding import decode
from nz_explorer.editing.apply import Proposal, fix_all
from nz_explorer.editing.fix import Console, offer, opened
from nz_explorer.editing.trial_edits.what_if import WhatIf
from nz_explorer.engine.findings import Finding
from nz_explorer.store import SourceError
from nz_explorer.store.writing import Edit

SAID = (
    "Z3-DIM-001",
    "NZ-DIM-001",
    "NZ-DIM-004",
    "NZ-DIM-005",
    "NZ-SCAL-001",
    "NZ-SCAL-002",
    "NZ-DECL-002",
)
"""Rules whose fixes are safe if the metadata already contain what NZ requires: dimension names, conventions."""
PSEUDO_SCALAR = "NZ-SCAL-002"
DECLARATION = "NZ-DECL-001"
SCHEMA = "nz-explorer/changes/1"


def converted(what_if: WhatIf) -> list[Finding]:
    """Try the metadata of NZ-1.0 on a hierarchy, without writing anything.

    NZ-1.0 is declared only if no error is left: a declaration is a promise.

    Parameters
    ----------
    what_if : WhatIf
        Where they are tried.

    Returns
    -------
    list of Finding
        The errors that are left, which only a person can decide.
    """
    fix_all(what_if, lambda finding: finding.rule in SAID)
    if not [f for f in _errors(what_if.evaluation.findings()) if f.rule != DECLARATION]:
        fix_all(what_if, lambda finding: finding.rule == DECLARATION)
    return _errors(what_if.evaluation.findings())


def _errors(findings: Iterable[Finding]) -> list[Finding]:
    """Return the errors without their sum."""
    return [
        finding
        for finding in findings
        if finding.severity == "error" and finding.rule != NZ.summary_rule
    ]


def convert(
    source: str,
    console: Console,
    *,
    confirm: Callable[[str], bool] | None = None,
    output: Path | None = None,
) -> bool:
    """Show the metadata of NZ-1.0 that a Zarr v3 store lacks, and write them.

    Parameters
    ----------
    source : str
        The store.
    console : Console
        Where to print.
    confirm : callable, optional
        Asks a person whether to write. Without it nothing is written.
    output : Path, optional
        A file for the changes, which are then not written to the store.

    Returns
    -------
    bool
        Whether the store, as it is left, conforms to NZ-1.0 as far as metadata go; of the store as it would be, where
        only changes were asked for.

    Raises
    ------
    SourceError
        If there is no hierarchy, or not one of Zarr v3.
    WriteError
        If the store could not be written to; the message describes the state of the store.
    """
    may_write = confirm is not None and output is None
    hierarchy = opened(source, may_write=may_write)
    if hierarchy.zarr_format != 3:
        raise SourceError(
            f"{source} is Zarr v{hierarchy.zarr_format}: NZ-1.0 is written for Zarr v3, so its data have to be converted first"
        )
    evaluation = evaluate(hierarchy, "nz", values="none")
    evaluation.run()
    what_if = WhatIf(evaluation)
    left = converted(what_if)
    proposal = Proposal(what_if) if may_write else None
    console.diff(str(what_if.diff()))
    if others := [finding for finding in left if finding.rule != DECLARATION]:
        console.findings("to be decided before NZ-1.0 can be declared", others)
    if whole := [f for f in what_if.evaluation.findings() if f.rule == PSEUDO_SCALAR]:
        console.findings("left as it is, because values would have to be written", whole)
    if output is not None:
        output.write_bytes(orjson.dumps(bundle(source, what_if.edits), option=orjson.OPT_INDENT_2))
        console.echo(f"\nnothing was written to the store; the changes are in {output}")
        return not left
    if not what_if.edits:
        console.echo("nothing can be converted" if left else "nothing to convert")
        return not left
    after = offer(what_if, proposal, console, confirm)
    if after is None:
        return not left if confirm is None else not _errors(evaluation.findings())
    return not _errors(after)


def bundle(source: str, edits: Iterable[Edit]) -> dict[str, Any]:
    """Return edits as RFC 6902 patches on documents.

    Parameters
    ----------
    source : str
        The store that they are for.
    edits : iterable of Edit
        Documents before and after.
    """
    changes = []
    for edit in edits:
        before, after = (
            decode(raw, edit.key)[0] if raw is not None else None
            for raw in (edit.before, edit.after)
        )
        patch = jsonpatch.make_patch(before, after).patch
        changes.append({"document": edit.key, "patch": patch})
    return {"schema": SCHEMA, "source": source, "changes": changes}
