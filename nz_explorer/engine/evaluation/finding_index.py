"""Which kinds of findings there are where: what a page of them is chosen by.

A page shows a few findings of perhaps a million, so no finding is made and nothing is sorted to choose them: of each
there are two bytes for its kind, in the order of the tree, and of the nodes only which results they have.
Made anew after something has changed: 0.15 s of CPU for 100 000 nodes with a finding each, 0.3 s with ten each, and
then 6 ms a page; 2 bytes for each finding and 28 for each node.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from nz_explorer.engine.evaluation.records import tree_order
from nz_explorer.engine.findings import Severity, Violation
from nz_explorer.engine.impact import Impact
from nz_explorer.engine.plan import RuleResults

if TYPE_CHECKING:
    from nz_explorer.engine.evaluation.conformance import Conformance
    from nz_explorer.engine.evaluation.records import Held, Records

FindingKind = tuple[str, Severity, Impact]
"""A rule, how bad breaking it is there, and what it means: what findings are ordered by."""

PlacedViolation = tuple[Violation, str, str]
"""A violation, the node that it is a finding of, and the node that it was found from."""


class FindingIndex:
    """The kinds of the findings at some nodes.

    It is of use only as long as no results change, and not safe to use from several threads; `Evaluation` has a lock.

    Parameters
    ----------
    records : Records
        The results of all nodes.
    conformance : Conformance
        What the findings mean in this dataset.
    places : sequence of str
        The nodes, in the order in which their findings are listed.
    summary : Violation, optional
        A finding at the root that comes before all others.

    Attributes
    ----------
    counts : dict of FindingKind to int
        How many findings there are of each kind, in the order of the first of each.
    samples : list of PlacedViolation
        The first finding of each sort: all that differs within one are messages, places and fixes.
    """

    def __init__(
        self,
        records: Records,
        conformance: Conformance,
        places: Sequence[str],
        summary: Violation | None,
    ) -> None:
        self._records = records
        self._impact = conformance.impact
        self._numbers: dict[FindingKind, int] = {}
        self._known: dict[tuple[object, ...], int] = {}
        """Numbers of kinds by what they follow from."""
        self._at, self._owners, self._held = records.held_at(places)
        if summary is not None:
            self._at.insert(0, "/")
            self._owners.insert(0, "/")
            self._held.insert(0, (summary,))
        kinds = array("H")
        ends = array("I")
        known = self._known
        self.samples: list[PlacedViolation] = []
        for held in self._held:
            for violation in held if type(held) is tuple else self._violations(held):
                fail, rule = violation.fail, violation.rule
                mind = None if fail.readers is None else tuple(fail.readers)
                meant = (rule.id, violation.severity, fail.severity, fail.impact, mind)
                number = known.get(meant)
                if number is None:
                    number = self._number(violation, meant)
                    entry = len(ends)
                    self.samples.append((violation, self._at[entry], self._owners[entry]))
                kinds.append(number)
            ends.append(len(kinds))
        self._kinds = np.frombuffer(kinds, np.uint16)
        self._ends = np.frombuffer(ends, np.uint32)
        self.counts: dict[FindingKind, int] = self._counted(0, len(self._kinds))

    def _counted(self, begin: int, end: int) -> dict[FindingKind, int]:
        numbers = np.bincount(self._kinds[begin:end], minlength=len(self._numbers)).tolist()
        return dict(zip(self._numbers, numbers, strict=True))

    def counts_below(self, path: str) -> dict[FindingKind, int]:
        """Return how many findings of each kind there are at a node and below it, which stand together.

        Parameters
        ----------
        path : str
            Where the node is: one of those of the index, or above some of them.
        """
        wanted = tree_order(path)

        def beginning(place: str) -> list[str]:
            return tree_order(place)[: len(wanted)]

        first = bisect_left(self._at, wanted, key=beginning)
        last = bisect_right(self._at, wanted, lo=first, key=beginning)
        begin, end = (int(self._ends[entry - 1]) if entry else 0 for entry in (first, last))
        return self._counted(begin, end)

    def _violations(self, held: Held) -> tuple[Violation, ...]:
        return self._records.seen_as(held) if isinstance(held, RuleResults) else held

    def _number(self, violation: Violation, meant: tuple[object, ...]) -> int:
        kind = violation.rule.id, violation.severity, self._impact(violation)
        number = self._known[meant] = self._numbers.setdefault(kind, len(self._numbers))
        return number

    def page(
        self, groups: Iterable[Collection[FindingKind]], offset: int, limit: int
    ) -> list[PlacedViolation]:
        """Return a few findings: those of the first group of kinds in the order of the tree, then those of the next.

        Parameters
        ----------
        groups : iterable of collection of FindingKind
            The kinds that are wanted.
        offset, limit : int
            Where the page begins, and how many it has at most.
        """
        found: list[PlacedViolation] = []
        for group in groups:
            number = sum(self.counts[kind] for kind in group)
            if offset < number and limit > 0:
                chosen = np.zeros(len(self._numbers), bool)
                chosen[[self._numbers[kind] for kind in group]] = True
                positions = np.flatnonzero(chosen[self._kinds])[offset : offset + limit]
                found += [self._placed(position) for position in positions.tolist()]
                limit -= len(positions)
            offset = max(0, offset - number)
        return found

    def _placed(self, position: int) -> PlacedViolation:
        entry = int(np.searchsorted(self._ends, position, side="right"))
        within = position - (int(self._ends[entry - 1]) if entry else 0)
        violation = self._violations(self._held[entry])[within]
        return violation, self._at[entry], self._owners[entry]
