"""What ``nz-explorer fix`` does, apart from reading its options."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from nz_explorer.conventions import evaluate, registry
from nz_explorer.editing.apply import Fixed, Proposal, fix_all
from nz_explorer.editing.trial_edits.what_if import WhatIf
from nz_explorer.engine.configuration import find
from nz_explorer.engine.findings import Finding
from nz_explorer.model import Hierarchy, open_store
from nz_explorer.store import Reader, SourceError, resolve
from nz_explorer.store.writing import COMMAND, Interrupted, WriteError, writer_for
from nz_explorer.text.phrases import plural
from nz_explorer.text.printable import printable
from nz_explorer.text.source_code import shell_command

MOST = 50
"""Findings of a list that are printed."""
LINE = 1000
STYLES = {"+": "\x1b[32m", "-": "\x1b[31m", "@": "\x1b[36m"}


@dataclass(frozen=True)
class Console:
    """Where lines go.

    Parameters
    ----------
    echo : callable
        Prints a line.
    color : bool
        Whether to colour diffs.
    """

    echo: Callable[[str], object]
    color: bool = False

    def diff(self, text: str) -> None:
        """Print a diff."""
        for line in text.splitlines():
            shown = printable(line, LINE)
            style = STYLES.get(line[:1]) if self.color else None
            self.echo(shown if style is None else f"{style}{shown}\x1b[0m")

    def findings(self, title: str, findings: Sequence[Finding], why: Sequence[str] = ()) -> None:
        """Print a list of findings, if there are any.

        Parameters
        ----------
        title : str
            What the list is called.
        findings : sequence of Finding
            The findings.
        why : sequence of str, optional
            For each finding the reason why it is listed.
        """
        if not findings:
            return
        self.echo(f"\n{title}:")
        for number, finding in enumerate(findings[:MOST]):
            place = printable(f"{finding.path} {finding.pointer}".strip(), LINE)
            reason = f" ({printable(why[number], LINE)})" if why else ""
            text = printable(finding.message, LINE)
            self.echo(f"  {finding.severity:7} {finding.rule} {place}: {text}{reason}")
        if len(findings) > MOST:
            self.echo(f"  … and {len(findings) - MOST} more")


def recover(source: str, console: Console) -> None:
    """Complete, or take back, a fix that was interrupted.

    Parameters
    ----------
    source : str
        The store.
    console : Console
        Where to print.

    Raises
    ------
    SourceError
        If there is nothing at the source.
    WriteError
        If the store can be neither completed nor restored.
    """
    reader = resolve(source)
    try:
        recovery = writer_for(reader).recover()
    finally:
        reader.close()
    console.echo("no fix was interrupted" if recovery is None else recovery.message)


def fix(
    source: str,
    console: Console,
    *,
    select: Iterable[str] = (),
    ignore: Iterable[str] = (),
    unsafe: bool = False,
    conventions: str = "auto",
    confirm: Callable[[str], bool] | None = None,
) -> Counter[str]:
    """Show what can be fixed, and write it.

    Parameters
    ----------
    source : str
        The store.
    console : Console
        Where to print.
    select, ignore : iterable of str
        Rules to fix, by id or prefix. All rules are evaluated, so that new findings are noticed.
    unsafe : bool
        Also apply fixes after which readers see something else.
    conventions : str
        As for `check`.
    confirm : callable, optional
        Asks a person whether to write. Without it nothing is written.

    Returns
    -------
    Counter
        How many findings of each severity there are in the store as it is left, of the selected rules.

    Raises
    ------
    SourceError
        If there is no hierarchy.
    ValueError
        If a rule or convention is not known.
    WriteError
        If the store could not be written to; the message describes the state of the store.
    """
    configuration = find(Path.cwd(), registry().rules)
    named = list(select) or configuration.select
    chosen = registry().select(named, list(ignore) or configuration.ignore)
    hierarchy = opened(source, may_write=confirm is not None)
    families = {info.family for info in registry().rules.values()}
    evaluation = evaluate(
        hierarchy,
        # naming all families must not ask for a convention that is evaluated only where it is named
        registry().choose(conventions, hierarchy, tuple(named)),
        select=[*families, *(rule_id for rule_id, wanted in chosen.items() if wanted)],
        configuration=configuration,
    )
    evaluation.run()
    what_if = WhatIf(evaluation)

    def wanted(finding: Finding) -> bool:
        return chosen[finding.rule]

    before = [finding for finding in evaluation.findings() if wanted(finding)]
    fixed = fix_all(what_if, wanted, unsafe=unsafe)
    proposal = Proposal(what_if) if confirm is not None else None
    console.diff(str(what_if.diff()))
    _print_summary(console, what_if, fixed, wanted)
    if not what_if.edits:
        console.echo("every fix needs a person's decision" if before else "nothing to fix")
        return _counts(before)
    left = offer(what_if, proposal, console, confirm)
    return _counts(before if left is None else filter(wanted, left))


def offer(
    what_if: WhatIf,
    proposal: Proposal | None,
    console: Console,
    confirm: Callable[[str], bool] | None,
) -> list[Finding] | None:
    """Write edits after confirmation.

    Parameters
    ----------
    what_if : WhatIf
        The edits.
    proposal : Proposal or None
        Writes them; None where nothing may be written.
    console : Console
        Where to print.
    confirm : callable or None
        Asks the person.

    Returns
    -------
    list of Finding or None
        What is left in the store; None where nothing was written.
    """
    documents = plural(len(what_if.edits), "document")
    if proposal is None or confirm is None:
        console.echo(f"\nnothing was written; {documents} would be")
        return None
    if not confirm(f"\nWrite {documents}?"):
        console.echo("nothing was written")
        return None
    applied = proposal.write()
    console.echo(f"{documents} written and read back")
    return applied.left


def opened(source: str, *, may_write: bool) -> Hierarchy:
    """Open a store to be fixed.

    Parameters
    ----------
    source : str
        The store.
    may_write : bool
        Whether it is opened in mode ``r+``.

    Raises
    ------
    SourceError
        If there is no hierarchy, or its root cannot be read.
    WriteError
        If it cannot be written to, or an earlier fix was interrupted.
    """
    hierarchy = open_store(source, mode="r+" if may_write else "r")
    _refuse_interrupted(hierarchy.reader, may_write=may_write)
    hierarchy.refresh("/")
    if hierarchy.root.state == "unreadable":
        raise SourceError(hierarchy.root.problem or f"{hierarchy.source} could not be read")
    return hierarchy


def _refuse_interrupted(reader: Reader, *, may_write: bool) -> None:
    """Refuse a store in which a fix was interrupted: what that has left is no state to start from."""
    try:
        writer = writer_for(reader)
    except WriteError:
        if may_write:
            raise
        return  # nothing can have been interrupted where nothing can be written
    if writer.pending():
        command = shell_command(*shlex.split(COMMAND), reader.label)
        raise Interrupted(
            f"an earlier fix of {reader.label} was interrupted, or is under way: nothing was written; if no one is"
            f" writing, and you trust the store, run {command}"
        )


def _print_summary(
    console: Console, what_if: WhatIf, fixed: Fixed, wanted: Callable[[Finding], bool]
) -> None:
    """Print which findings go, which stay and which come."""
    gone, new = what_if.gone, what_if.new
    left = [f for f in what_if.evaluation.findings() if wanted(f) and f not in new]
    console.findings("gone", gone)
    console.findings("new", new)
    console.findings("left", left)
    failed = [finding for finding, _ in fixed.failed]
    console.findings("left although there is a fix", failed, [why for _, why in fixed.failed])


def _counts(findings: Iterable[Finding]) -> Counter[str]:
    return Counter(finding.severity for finding in findings)
