"""The findings of an evaluation, put together from the results when someone asks for them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from nz_explorer.engine.evaluation.finding_index import FindingIndex, PlacedViolation
from nz_explorer.engine.evaluation.records import PARTS, Records, in_tree_order, tree_order
from nz_explorer.engine.findings import Finding, FixMaker, NotEvaluated, Violation
from nz_explorer.engine.fixes import Draft, Fix, finish
from nz_explorer.model import Hierarchy, Node, paths
from nz_explorer.store import Cancelled

if TYPE_CHECKING:
    from nz_explorer.engine.evaluation.conformance import Conformance


class FindingReader:
    """Makes findings of violations.

    Not safe to use from several threads; `Evaluation` has a lock.

    Parameters
    ----------
    hierarchy : Hierarchy
        What is evaluated.
    records : Records
        The results of its nodes.
    conformance : Conformance
        What follows from all of them together.
    """

    def __init__(self, hierarchy: Hierarchy, records: Records, conformance: Conformance) -> None:
        self._hierarchy = hierarchy
        self._records = records
        self._conformance = conformance
        self._known: tuple[tuple[object, ...], int, FindingIndex] | None = None
        """What was asked for last, and after how many changes: pages of it are asked for one after the other."""

    def findings(self, path: str, below: bool) -> list[Finding]:
        """Return the findings at a node, and below it, parents before children.

        Parameters
        ----------
        path : str
            The node.
        below : bool
            Whether the nodes below it are included.
        """
        summary = self._summary(path)
        found = [] if summary is None else [self._finding(summary, "/", "/")]
        found += [
            self._finding(violation, place, owner)
            for place in self._places(path, below)
            for (owner, _), violations in self._records.parts_at(place)
            for violation in violations
        ]
        return found

    def finding(self, placed: PlacedViolation) -> Finding:
        """Return the finding that a violation makes where it is."""
        return self._finding(*placed)

    def index(self, path: str, below: bool) -> FindingIndex:
        """Return which kinds of findings there are at a node, and below it; good until something changes.

        Parameters
        ----------
        path : str
            The node.
        below : bool
            Whether the nodes below it are included.
        """
        state = (self._conformance.declared, path, below)
        changes, changed = self._records.changes, self._records.changed
        if self._known is not None and self._known[0] == state and changed is not None:
            _, when, index = self._known
            if when == changes:
                return index
            stem = paths.below(path)
            within = {p for p in changed if p == path or (below and p.startswith(stem))}
            index = index.after(within | ({"/"} & {path}), self._summary(path))
        else:
            self._known = None  # not two of them at a time
            places = self._places(path, below)
            index = FindingIndex(self._records, self._conformance, places, self._summary(path))
        self._known = state, changes, index
        self._records.changed = set()
        return index

    def _summary(self, path: str) -> Violation | None:
        return self._conformance.summary() if path == "/" else None

    def fork(
        self, hierarchy: Hierarchy, records: Records, conformance: Conformance
    ) -> FindingReader:
        """Return the same for copies of what it is made from.

        Parameters
        ----------
        hierarchy : Hierarchy
            The copy of the hierarchy.
        records : Records
            The copy of the results.
        conformance : Conformance
            The copy of what follows from all of them together.
        """
        twin = FindingReader(hierarchy, records, conformance)
        if self._known is not None:
            asked, changes, index = self._known
            twin._known = asked, changes, index.moved_to(records, conformance)
        return twin

    def _places(self, path: str, below: bool) -> list[str]:
        """Return the nodes that findings sit on: a node, and those below it."""
        known = self._records.places
        if not below:
            return [path] if path in known else []
        stem = paths.below(path)
        return in_tree_order(p for p in known if p == path or p.startswith(stem))

    def failing(self, meant: Callable[[Violation], bool]) -> set[str]:
        """Return the paths of all nodes that have a violation of a kind, without making the findings."""
        found: set[str] = set()
        for owner, record in self._records.nodes.items():
            for part in PARTS:
                results = getattr(record, part)
                if results is not None and results.violations:
                    shown = self._records.by_place(owner, results)
                    found.update(
                        p for p, violations in shown.items() if any(map(meant, violations))
                    )
        if (summary := self._conformance.summary()) is not None and meant(summary):
            found.add("/")
        return found

    def not_evaluated(self, path: str, below: bool) -> list[NotEvaluated]:
        """Return the rules that were not decided at a node, and below it, with the reason for each.

        Parameters
        ----------
        path : str
            The node.
        below : bool
            Whether the nodes below it are included.
        """
        found = self._conformance.not_evaluated() if path == "/" else []
        if not self._records.undecided.total():
            return found
        stem = paths.below(path)
        for place, record in self._records.nodes.items():
            if place == path or (below and place.startswith(stem)):
                for results in record.parts.values():
                    found.extend(
                        NotEvaluated(rule_id, place, reason)
                        for rule_id, reason in results.undecided
                    )
        return found

    def node(self, path: str) -> Node | None:
        """Return a node as it was evaluated."""
        return self._home(path).node_if_loaded(path)

    def _home(self, path: str) -> Hierarchy:
        """Return the hierarchy in which a node was evaluated: that of its documents, or of consolidated ones."""
        record = self._records.nodes.get(path)
        return self._hierarchy.stored if record is not None and record.stored else self._hierarchy

    def locate(self, finding: Finding) -> tuple[str | None, int | None]:
        """Return the key of the document that a finding is about, and the line in it, if known."""
        node = self.node(finding.path)
        if node is None:
            return None, None
        document, pointer = node.locate(finding.pointer)
        if document is None:
            return None, None
        if not document.ok:
            return document.key, next(
                (p.line for p in document.problems if p.line is not None), None
            )
        span = document.span(pointer)
        return document.key, None if span is None else span.first_line

    def differs_at(self, place: str, other: FindingReader) -> bool:
        """Whether another evaluation has other violations at a node.

        Parameters
        ----------
        place : str
            Path of the node.
        other : FindingReader
            The other evaluation.
        """
        return self._records.parts_at(place) != other._records.parts_at(place)  # of the same class

    def _finding(self, violation: Violation, place: str, owner: str) -> Finding:
        tags = self._conformance.tags(violation, owner)
        impact = self._conformance.impact(violation)
        return Finding(violation, place, tags, impact, partial(self._fixes, violation, owner))

    def _fixes(self, violation: Violation, owner: str) -> list[Fix]:
        fail = violation.fail
        if fail.fix is None:
            return []
        # one that was let go is read again: with the root in its place the fix would be of another document
        node = self.node(owner) or self._home(owner).get(owner) or self._hierarchy.root
        fixes = (_fix(make, node) for make in (fail.fix, *fail.alternatives))
        return [fix for fix in fixes if fix is not None]


def _fix(make: FixMaker, node: Node) -> Fix | None:
    try:
        draft = make(node)
        return None if draft is None else finish(draft, node)
    except Cancelled:
        raise
    except Exception as error:  # noqa: BLE001  # named in the finding; one fix must not take the report down
        why = f"internal error: {type(error).__name__}: {error}"
        return finish(Draft("suggest", note=f"no fix could be worked out ({why})"), node)


def compared(
    before: FindingReader, after: FindingReader, places: set[str]
) -> tuple[list[Finding], list[Finding]]:
    """Return the findings that there are not any more, and those that are new.

    A finding of which only the message is another one, because a number in it is, is in neither list.

    Parameters
    ----------
    before, after : FindingReader
        Of an evaluation and a later fork of it.
    places : set of str
        Paths of the nodes that findings sit on in either.

    Returns
    -------
    tuple of list of Finding
        Both in the order of the tree.
    """
    differing = {place for place in places if before.differs_at(place, after)} | {"/"}
    was, is_now = (
        Counter(f for place in differing for f in reader.findings(place, below=False))
        for reader in (before, after)
    )
    gone, new = list((was - is_now).elements()), list((is_now - was).elements())
    same = Counter(map(_fact, gone)) & Counter(map(_fact, new))
    return _without(gone, same), _without(new, same)


def found_again(finding: Finding, before: list[Finding], after: list[Finding]) -> Finding | None:
    """Return what a finding is after an edit, which may have changed a value in its message; None where it is gone.

    Parameters
    ----------
    finding : Finding
        One of `before` or of `after`.
    before, after : list of Finding
        Those of its node.
    """
    for now in after:
        if now.said == finding.said:
            return now
    was = {known.said for known in before}
    reworded = [f for f in after if _fact(f) == _fact(finding) and f.said not in was]
    return reworded[0] if finding.said in was and len(reworded) == 1 else None


def _fact(finding: Finding) -> tuple[str, str, str]:
    return finding.rule, finding.path, finding.pointer


def _without(findings: list[Finding], same: Counter[tuple[str, str, str]]) -> list[Finding]:
    """Return findings in the order of the tree, without as many of each fact as are given."""
    left = Counter(same)
    kept = []
    for finding in sorted(findings, key=lambda f: (tree_order(f.path), f.rule, f.pointer)):
        if left[_fact(finding)] > 0:
            left[_fact(finding)] -= 1
        else:
            kept.append(finding)
    return kept
