"""Fixes are written: all documents of a bundle or none, and only after two confirmations.

The hierarchy must have been opened with ``mode="r+"``, and `apply` only shows what would be written:

>>> h = nz.open_store("data.zarr", mode="r+")
>>> proposal = nz.apply(what_if)  # prints as a diff
>>> proposal.write()
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from nz_explorer.conventions import evaluate, registry
from nz_explorer.diagnosis.impact import harms
from nz_explorer.editing.diffs import Diff, diff_of
from nz_explorer.editing.trial_edits.edited_documents import CannotEdit, path_of
from nz_explorer.editing.trial_edits.what_if import WhatIf
from nz_explorer.engine.evaluation import Evaluation, Values
from nz_explorer.engine.findings import Finding
from nz_explorer.engine.fixes import Fix, Safety
from nz_explorer.model import Hierarchy
from nz_explorer.model.hierarchy import normalise
from nz_explorer.model.paths import all_above
from nz_explorer.store import ReadError
from nz_explorer.store.writing import Edit, Recovery, WriteError, Writer, writer_for
from nz_explorer.text.phrases import plural
from nz_explorer.text.preformatted import preformatted

ROUNDS = 12
"""How often findings are looked for again after fixes; each round can bring others to light."""


@dataclass(frozen=True)
class Applied:
    """What came of writing.

    Attributes
    ----------
    documents : tuple of str
        The keys that were written.
    gone, new, left : list of Finding
        Findings that are cured, that came up, and all that there are now.
    """

    documents: tuple[str, ...]
    gone: list[Finding]
    new: list[Finding]
    left: list[Finding]

    def __repr__(self) -> str:
        return (
            f"<Applied: {plural(len(self.documents), 'document')} written, {plural(len(self.gone), 'finding')} gone,"
            f" {len(self.new)} new, {len(self.left)} left>"
        )


class Proposal:
    """What would be written. It shows as a diff; `write` writes it.

    Parameters
    ----------
    what_if : WhatIf
        The edits that were tried.

    Raises
    ------
    WriteError
        If the hierarchy was opened read-only, or its store cannot be written to.
    """

    def __init__(self, what_if: WhatIf) -> None:
        hierarchy = what_if.base.hierarchy
        if hierarchy.mode != "r+":
            raise WriteError(
                f'{hierarchy.source} was opened read-only: open it with mode="r+" to write fixes'
            )
        self._writer: Writer = writer_for(hierarchy.reader)
        self._what_if = what_if
        self.edits: list[Edit] = what_if.edits

    def diff(self) -> Diff:
        """Return what would be written, as a unified diff for each document."""
        return diff_of(self.edits)

    def __repr__(self) -> str:
        if not self.edits:
            return "<Proposal: nothing to write>"
        return f"{self.diff()}\n\nNothing has been written yet: .write() does."

    def _repr_html_(self) -> str:
        return preformatted(repr(self), "print(proposal)")

    def write(self) -> Applied:
        """Write the documents, read the hierarchy again, and evaluate it again.

        Returns
        -------
        Applied
            What came of it.

        Raises
        ------
        WriteError
            If they were not written: an earlier fix was interrupted, a document was changed in the store since it
            was read, or the store failed. The message describes the state of the store.
        """
        self._writer.write(self.edits)
        before = self._what_if.evaluation_before
        self._read_back()
        self._what_if.refresh(self.edits)
        after = self._what_if.base
        gone, new = before.compared_with(after)
        keys = tuple(edit.key for edit in self.edits)
        return Applied(keys, gone, new, after.findings())

    def recover(self) -> Recovery | None:
        """Complete, or take back, an earlier fix that was interrupted, for which `write` refuses.

        Read the hierarchy again afterwards: the edits here may belong to what was in between.

        Returns
        -------
        Recovery or None
            What became of it; None where none was interrupted.

        Raises
        ------
        WriteError
            If it cannot be, or the store has a journal that no fix has written; then nothing was touched.
        """
        return self._writer.recover()

    def _read_back(self) -> None:
        """Read what was written: a store that answers yes may still have kept the old version."""
        reader = self._what_if.base.hierarchy.reader
        answers = reader.get_many([edit.key for edit in self.edits])
        for edit, answer in zip(self.edits, answers, strict=True):
            if isinstance(answer, ReadError):
                raise WriteError(
                    f"everything was written, but {edit.key} could not be read back: {answer.detail}",
                    "new",
                )
            if answer != edit.after:
                raise WriteError(
                    f"{edit.key} is not what was just written: someone else has changed it since",
                    "mixed",
                )


def apply(
    changes: WhatIf | Iterable[Finding | Fix], hierarchy: Hierarchy | Evaluation | None = None
) -> Proposal:
    """Propose to write edits or fixes; nothing is written before `Proposal.write` is called.

    Parameters
    ----------
    changes : WhatIf, or iterable of Finding or Fix
        What was tried, or what to fix. A finding that the fix of one before has cured is passed over.
    hierarchy : Hierarchy or Evaluation, optional
        Where findings and fixes belong, opened with ``mode="r+"``. A `WhatIf` knows it. A hierarchy is checked
        again, with all values read where the findings do not show otherwise; `Report.evaluation` is not.

    Returns
    -------
    Proposal
        Shows as a diff.

    Raises
    ------
    CannotEdit
        If a fix does not fit.
    WriteError
        If the hierarchy was opened read-only, or its store cannot be written to.
    TypeError
        If `hierarchy` is missing where the changes do not determine it.
    """
    if isinstance(changes, WhatIf):
        return Proposal(changes)
    if hierarchy is None:
        raise TypeError("hierarchy= is missing: the findings do not determine it")
    changes = list(changes)
    if isinstance(hierarchy, Hierarchy):
        hierarchy = _showing([one for one in changes if isinstance(one, Finding)], hierarchy)
    what_if = WhatIf(hierarchy)
    cured: set[tuple[str, str, str, str]] | None = None  # while no edit is made
    for change in changes:
        if isinstance(change, Fix):
            what_if.try_fix(change)
        else:
            try:
                what_if.apply(change)
            except CannotEdit:
                if cured is None:
                    cured = {one.said for one in what_if.gone}
                if change.said not in cured:
                    raise
                continue
        cured = None
    return Proposal(what_if)


def _showing(findings: list[Finding], hierarchy: Hierarchy) -> Evaluation:
    """Return an evaluation that has the findings, which may come of a check with other options than the usual ones.

    It is asked for as little as shows them: what takes reading the values of all arrays comes last.
    """
    rules = registry().rules
    families = {rules[one.rule].family for one in findings if one.rule in rules}
    named = [
        key for key, one in registry().askable.items() if not families.isdisjoint(one.families)
    ]
    evaluation = evaluate(hierarchy)
    evaluation.run()
    usual, alone = ["auto", *named], named or ["auto"]
    # Alone because rules of other conventions may say the same, and then only one of them does.
    options: tuple[tuple[list[str], Values], ...] = (
        (usual, "coordinates"),
        (alone, "coordinates"),
        (usual, "all"),
        (alone, "all"),
    )
    for conventions, values in options:
        if _seen(findings, evaluation) == len(findings):
            break
        other = evaluate(hierarchy, conventions, values=values)
        other.run()
        if _seen(findings, other) > _seen(findings, evaluation):
            evaluation = other
    return evaluation


def _seen(findings: list[Finding], evaluation: Evaluation) -> int:
    known = {finding.said for finding in evaluation.findings()}
    return sum(finding.said in known for finding in findings)


# --- all at once ----------------------------------------------------------------------------------


@dataclass
class Fixed:
    """Which fixes were tried.

    Attributes
    ----------
    done : list of Finding
        Findings whose fix has cured them.
    failed : list of (Finding, str)
        Findings whose fix does not fit or does not help, and why.
    """

    done: list[Finding] = field(default_factory=list)
    failed: list[tuple[Finding, str]] = field(default_factory=list)

    def in_words(self) -> str:
        """Return how many findings were fixed, how many were not, and why the first of these was not."""
        said = f"{plural(len(self.done), 'finding')} fixed in memory"
        if not self.failed:
            return said
        finding, why = self.failed[0]
        left = plural(len(self.failed), "fix")
        return f"{said}; {left} not kept: {finding.rule} at {finding.path}, because {why}"


def fix_all(
    what_if: WhatIf, wanted: Callable[[Finding], bool] = lambda _: True, *, unsafe: bool = False
) -> Fixed:
    """Try all fixes that need no person to choose.

    Fixes of different places are tried together, those of one place one after the other, because each is made
    for the document as the one before has left it. A fix after which its finding is still there is taken back, and
    so is one after which a reader stops at a node that it has read before.

    Parameters
    ----------
    what_if : WhatIf
        Where they are tried.
    wanted : callable
        Tells of a finding whether it is to be fixed.
    unsafe : bool
        Also those after which readers see something else.
    """
    allowed: tuple[Safety, ...] = ("safe", "unsafe") if unsafe else ("safe",)
    result = Fixed()
    tried: set[tuple[str, ...]] = set()
    hurt: dict[tuple[str, ...], tuple[Finding, str]] = {}
    for _ in range(ROUNDS * len(allowed)):
        batch: list[Finding] = []
        taken: set[tuple[str, str]] = set()
        for finding in what_if.evaluation.findings():
            fact = _fact(finding)
            if fact in tried or not wanted(finding):
                continue
            fix = finding.fix
            if fix is None or fix.safety not in allowed or not fix.can_be_applied:
                continue
            places = _places(fix)
            if not places & taken:
                taken |= places
                tried.add(fact)
                batch.append(finding)
        if not batch:
            break
        done = len(result.done)
        hurt.update(
            (_fact(finding), (finding, why)) for finding, why in _try(what_if, batch, result)
        )
        if len(result.done) > done:  # with what was mended, these may do no harm
            tried -= hurt.keys()
            hurt.clear()
    result.failed += hurt.values()
    return result


def _fact(finding: Finding) -> tuple[str, ...]:
    """Return what a finding says: one rule may say several things of one place, such as that two conventions are not declared."""
    return finding.rule, finding.path, finding.pointer, finding.message


def _places(fix: Fix) -> set[tuple[str, str]]:
    """Return what a fix changes: documents, and of consolidated ones only the entry."""
    places = set()
    for change in fix.changes:
        pointers = [str(o[key]) for o in change.patch for key in ("path", "from") if key in o]
        for pointer in pointers or [""]:
            parts = pointer.split("/")
            if change.document == ".zmetadata":
                entry = parts[2:3]
            else:
                entry = parts[3:4] if parts[1:3] == ["consolidated_metadata", "metadata"] else []
            places.add((change.document, "".join(entry)))
    return places


def _try(what_if: WhatIf, batch: list[Finding], result: Fixed) -> Iterator[tuple[Finding, str]]:
    """Try fixes together, or one by one where that does not cure them all.

    Yields
    ------
    Finding and str
        Of which the fix was taken back because a reader stops then, and what it does.
    """
    paths = {finding.path for finding in batch}
    paths |= {path for one in batch if one.fix is not None for path in _paths(one.fix)}
    before = _stopped(what_if, paths)
    hurt = ""
    try:
        what_if.apply_all(batch)
    except CannotEdit as error:
        if len(batch) == 1:
            result.failed.append((batch[0], str(error)))
            return
    else:
        left = [f for f in batch if f in what_if.evaluation.findings(f.path, below=False)]
        hurt = _newly_stopped(what_if, before)
        if not left and not hurt:
            result.done += batch
            return
        what_if.undo()
        if len(batch) == 1:
            if left:
                result.failed.append((batch[0], "it does not cure the finding"))
            else:
                yield batch[0], hurt
            return
    for finding in batch:
        yield from _try(what_if, [finding], result)


def _paths(fix: Fix) -> Iterator[str]:
    """Yield the nodes that a fix changes."""
    for document, entry in _places(fix):
        node = path_of(document)
        yield node
        if entry:
            inner = path_of(entry) if document.endswith(".zmetadata") else f"/{entry}"
            yield normalise(f"{node}{inner}")


def _stopped(what_if: WhatIf, paths: Iterable[str]) -> dict[str, dict[str, Finding]]:
    """Return by node, and by reader, why it stops there or at a group that the node is in."""
    stops: dict[str, dict[str, Finding]] = {}
    for node in {one for path in paths for one in _from_the_root(path)}:
        stops[node] = {
            reader: finding
            for finding in what_if.evaluation.findings(node, below=False)
            for _, how, reader in harms(finding)
            if how == "blocks"
        }
    return {
        path: {reader: why for node in _from_the_root(path) for reader, why in stops[node].items()}
        for path in paths
    }


def _from_the_root(path: str) -> list[str]:
    """Return the groups that a node is in, and the node."""
    return [*[*all_above(path)][::-1], path]


def _newly_stopped(what_if: WhatIf, before: dict[str, dict[str, Finding]]) -> str:
    """Return at what a reader stops that has read it before, and nothing if there is no such reader."""
    for path, now in _stopped(what_if, before).items():
        for reader, finding in now.items():
            if reader not in before[path]:
                where = f"{finding.rule}, {finding.message}"
                return f"{reader} would then stop at {finding.path} ({where})"
    return ""
