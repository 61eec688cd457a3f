"""What ``nz-explorer fix`` does, apart from reading its options."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from nz_explorer.model import Hierarchy, open_store
from nz_explorer.model.printable import printable
from nz_explorer.rules import catalogue
from nz_explorer.rules.apply import Fixed, Proposal, fix_all
from nz_explorer.rules.configuration import find
from nz_explorer.rules.engine import Evaluation
from nz_explorer.rules.findings import Finding
from nz_explorer.rules.what_if import WhatIf
from nz_explorer.rules.wording import plural
from nz_explorer.store import Reader, SourceError, resolve
from nz_explorer.store.writing import COMMAND, Interrupted, WriteError, writer_for

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
        """Print a list of findings, if there are any."""
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
        If the store could not be written to; the text says what it holds.
    """
    configuration = find(Path.cwd())
    chosen = catalogue.select(
        list(select) or configuration.select, list(ignore) or configuration.ignore
    )
    hierarchy = opened(source, console, may_write=confirm is not None)
    families = {info.family for info in catalogue.rules().values()}
    evaluation = Evaluation(
        hierarchy,
        conventions,
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
    _tell(console, what_if, fixed, wanted)
    if not what_if.edits:
        console.echo(
            "nothing can be fixed without a person's choice" if before else "nothing to fix"
        )
        return _counts(before)
    left = offer(what_if, proposal, console, confirm)
    return _counts(before if left is None else filter(wanted, left))


def offer(
    what_if: WhatIf,
    proposal: Proposal | None,
    console: Console,
    confirm: Callable[[str], bool] | None,
) -> list[Finding] | None:
    """Write edits if a person says so.

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


def opened(source: str, console: Console, *, may_write: bool) -> Hierarchy:
    """Open a store to be fixed, after seeing to a fix that was interrupted.

    Raises
    ------
    SourceError
        If there is no hierarchy, or its root cannot be read.
    WriteError
        If an interrupted fix cannot be seen to.
    """
    hierarchy = open_store(source, mode="r+" if may_write else "r")
    _settle(hierarchy.reader, console, may_write=may_write)
    hierarchy.refresh("/")
    if hierarchy.root.state == "unreadable":
        raise SourceError(hierarchy.root.problem or f"{hierarchy.source} could not be read")
    return hierarchy


def _settle(reader: Reader, console: Console, *, may_write: bool) -> None:
    """See to a fix that was interrupted: what it has left is no state to start from."""
    try:
        writer = writer_for(reader)
    except WriteError:
        if may_write:
            raise
        return  # nothing can have been interrupted where nothing can be written
    if not writer.pending():
        return
    if not may_write or writer.needs_consent:
        raise Interrupted(
            f"an earlier fix of {reader.label} was interrupted, or is under way: if no one is writing, run {COMMAND} {reader.label}"
        )
    recovery = writer.recover()
    if recovery is not None:
        console.echo(recovery.message)


def _tell(
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
