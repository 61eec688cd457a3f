"""The results of each node, and everything that is counted from them."""

from __future__ import annotations

import copy
import dataclasses
from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING

import msgspec

from nz_explorer.engine.evaluation.counts import FindingCounts, OpenWork
from nz_explorer.engine.findings import Violation
from nz_explorer.engine.impact import HARMS, impact_of
from nz_explorer.engine.plan import RuleResults, breaks, broken_by, count

if TYPE_CHECKING:
    from nz_explorer.engine.configuration import Configuration
    from nz_explorer.model import Node
    from nz_explorer.model.node import Kind, State

PARTS = ("documents", "name", "entry", "members", "values", "contents", "inside", "totals")
"""The parts of the results on a node, in the order in which findings are listed."""


MOST_CHANGED = 1000
"""Nodes with other findings up to which it is noted which they are; while a store is walked there are soon more."""
MOST_RESULTS = 10_000
"""Results of which something is remembered beside what is counted; most stores have a few."""


Held = RuleResults | tuple[Violation, ...]
"""Violations as they are shown, or the results that they can be had of: see `Records.seen_as`."""

_Spread = dict[tuple[str, int], dict[str, tuple[Violation, ...]]]


class Record(msgspec.Struct, gc=False):
    """What is known of one node; the results of each part of it stand under the name of the part.

    It is part of no cycle, and there is one for each node: the garbage collector need not look at them.

    Parameters
    ----------
    kind, state : str
        Those of the node.
    stored : bool
        Whether the node is the stored one, not that of consolidated metadata.
    zarr_format : int or None
        The version of its documents.
    ghost : bool
        Whether only the consolidated metadata know of it.
    size : int
        Decoded bytes of all values, where it is an array.
    separate_chunks : int
        Chunks that are objects of their own, where it is an array.
    documents, name, entry, members, values, contents, inside, totals : RuleResults, optional
        The results of each part, once there are any.
    whole : RuleResults, optional
        Those on the documents with what `contents` says as well and explains, where they do.
    """

    kind: Kind
    state: State
    stored: bool
    zarr_format: int | None
    ghost: bool = False
    size: int = 0
    separate_chunks: int = 0
    documents: RuleResults | None = None
    name: RuleResults | None = None
    entry: RuleResults | None = None
    members: RuleResults | None = None
    values: RuleResults | None = None
    contents: RuleResults | None = None
    inside: RuleResults | None = None
    totals: RuleResults | None = None
    whole: RuleResults | None = None

    @classmethod
    def of(cls, node: Node) -> Record:
        """Return the record of a node of which nothing is known yet."""
        stored = node.hierarchy.metadata_source == "documents"
        return cls(node.kind, node.state, stored, node.zarr_format)

    @property
    def parts(self) -> dict[str, RuleResults]:
        """The results that were given, by part."""
        return {part: given for part in PARTS if (given := getattr(self, part)) is not None}

    def take_over(self, other: Record) -> None:
        """Have the results of an earlier record of the same node."""
        for part in (*PARTS, "whole"):
            setattr(self, part, getattr(other, part))

    def copy(self) -> Record:
        """Return the same with results of its own."""
        return copy.copy(self)


class Records:
    """The records of all nodes. Whatever is counted changes with each result that is put here.

    Not safe to use from several threads; `Evaluation` has a lock.

    Parameters
    ----------
    configuration : Configuration, optional
        Other severities, and findings that are not wanted at some paths.

    Attributes
    ----------
    nodes : dict of str to Record
        The records by path, in the order of the visit.
    formats : set of int or None
        The versions of Zarr of all nodes that were met.
    counts : FindingCounts
        Findings at each node and below it.
    work : OpenWork
        What is still to be evaluated.
    changes : int
        Grows whenever findings or undecided rules change.
    changed : set of str or None
        The nodes at which findings have changed since somebody has emptied it; None where these are too many.
    """

    def __init__(self, configuration: Configuration | None) -> None:
        self._configuration = configuration
        self._advisory: frozenset[str] = frozenset()
        """Families of rules that a dataset has not promised to keep, and that are written for another format."""
        self.nodes: dict[str, Record] = {}
        self.formats: set[int | None] = set()
        self.counts = FindingCounts()
        self.work = OpenWork()
        self._failed: Counter[str] = Counter()
        self._told: Counter[str] = Counter()
        self._undecided: Counter[str] = Counter()
        self._times: dict[int, tuple[RuleResults, list[int]]] = {}
        """How often results were given that are not counted yet; many nodes share theirs."""
        self._seen: dict[int, tuple[RuleResults, tuple[Violation, ...], tuple[int, int, int]]] = {}
        """Results that sit on the node itself, with their violations as a dataset's promises have them shown."""
        self.changes = 0
        self.changed: set[str] | None = None
        self._from: dict[str, dict[tuple[str, str], None]] = {}
        """Node that findings sit on → other nodes, and the parts of them, that they come from."""

    def copy(self) -> Records:
        """Return the same records, which change independently."""
        twin = copy.copy(self)
        vars(twin).update(
            nodes={path: record.copy() for path, record in self.nodes.items()},
            formats=self.formats.copy(),
            counts=self.counts.copy(),
            work=self.work.copy(),
            _failed=self.failed.copy(),
            _told=self.told.copy(),
            _undecided=self.undecided.copy(),
            _times={},
            _seen=self._seen.copy(),
            changed=None if self.changed is None else self.changed.copy(),
            _from={path: dict(sources) for path, sources in self._from.items()},
        )
        return twin

    @property
    def failed(self) -> Counter[str]:
        """For each rule, how often it was broken; whatever the configuration says."""
        self._count()
        return self._failed

    @property
    def told(self) -> Counter[str]:
        """For each rule, how often it was broken where only the failure of another one says so."""
        self._count()
        return self._told

    @property
    def undecided(self) -> Counter[str]:
        """For each rule, how often it could not be decided."""
        self._count()
        return self._undecided

    def _count(self) -> None:
        for results, (times,) in self._times.values():
            for rule_id, _ in results.undecided:
                self._undecided[rule_id] += times
            for rule_id in results.told:
                self._told[rule_id] += times
            for violation in results.violations:
                self._failed[violation.rule.id] += times if breaks(violation) else 0
        self._times.clear()

    @property
    def places(self) -> dict[str, int]:
        """The paths of the nodes that findings sit on."""
        return self.counts.parts

    def put(self, owner: str, record: Record, part: str, results: RuleResults | None) -> None:
        """Replace the results of one part of a node, and all counts with them.

        Parameters
        ----------
        owner : str
            Path of the node.
        record : Record
            Its record.
        part : str
            One of `PARTS`.
        results : RuleResults or None
            None where they are not known any more.
        """
        if part == "documents":
            record.whole = None
        self._replace(owner, record, part, results)
        if part in ("documents", "contents") and record.documents is not None:
            whole = record.whole or record.documents
            left = _uncovered(whole, record.contents)
            record.whole = None if left is whole else whole
            self._replace(owner, record, "documents", left)
        if part in ("contents", "inside"):
            self._replace(owner, record, "inside", _left_open(record.inside, record.contents))

    def _replace(self, owner: str, record: Record, part: str, results: RuleResults | None) -> None:
        old = getattr(record, part)
        setattr(record, part, results)
        if old is results:
            return
        if old is not None and not old.clean:
            self._account(owner, part, old, -1)
        if results is not None and not results.clean:
            self._account(owner, part, results, 1)

    def note(self, path: str, record: Record) -> None:
        """Have the record of a node; its results are counted as they are put.

        Parameters
        ----------
        path : str
            Path of the node.
        record : Record
            Its record.
        """
        self.nodes[path] = record
        self.formats.add(record.zarr_format)

    def add(self, owner: str, record: Record) -> None:
        """Take in a node of which nothing was known, with the results that its record has.

        Parameters
        ----------
        owner : str
            Path of the node.
        record : Record
            Its record, with results on its documents, its name and perhaps its entry.
        """
        self.note(owner, record)
        if (results := record.documents) is not None and not results.clean:
            self._account(owner, "documents", results, 1)
        if (results := record.name) is not None and not results.clean:
            self._account(owner, "name", results, 1)
        if (results := record.entry) is not None and not results.clean:
            self._account(owner, "entry", results, 1)

    def take_as_advice(self, families: frozenset[str]) -> None:
        """Have what some families of rules find reported as information, unless a reader is affected.

        Parameters
        ----------
        families : frozenset of str
            Prefixes of the ids of the rules; those of an earlier call are no longer meant.
        """
        if families == self._advisory:
            return
        self.changed = None
        given = [
            (owner, part, results)
            for owner, record in self.nodes.items()
            for part, results in record.parts.items()
        ]
        for owner, part, results in given:
            self._account(owner, part, results, -1)
        self._advisory = families
        self._seen.clear()
        for owner, part, results in given:
            self._account(owner, part, results, 1)

    def drop(self, path: str) -> None:
        """Forget one node."""
        record = self.nodes.pop(path)
        for part in PARTS:
            self.put(path, record, part, None)
            self.work.set(path, part, False)

    def _account(self, owner: str, part: str, results: RuleResults, sign: int) -> None:
        self.changes += 1
        known = self._times.get(id(results))
        if known is not None:
            known[1][0] += sign
        else:
            if len(self._times) >= MOST_RESULTS:
                self._count()
            self._times[id(results)] = (results, [sign])
        if results.local and self._configuration is None:
            violations, counts = (
                self._shown_of(results) if self._advisory else (results.violations, results.counts)
            )
            if violations:
                self.counts.add(owner, counts, sign)
                if self.changed is not None:
                    self._change(self.changed, owner)
            return
        for place, violations in self.by_place(owner, results).items():
            self.counts.add(place, count(violations), sign)
            if self.changed is not None:
                self._change(self.changed, place)
            if place != owner:
                sources = self._from.setdefault(place, {})
                if sign > 0:
                    sources[owner, part] = None
                else:
                    del sources[owner, part]

    def _change(self, changed: set[str], place: str) -> None:
        changed.add(place)
        if len(changed) > MOST_CHANGED:
            self.changed = None

    def _shown_of(self, results: RuleResults) -> tuple[tuple[Violation, ...], tuple[int, int, int]]:
        """Return violations that sit on the node itself as they are shown wherever that is, and their number."""
        if not self._advisory:
            return results.violations, results.counts
        known = self._seen.get(id(results))
        if known is None:
            violations = tuple(filter(None, (self._shown(v, "") for v in results.violations)))
            if len(self._seen) >= MOST_RESULTS:
                self._seen.clear()
            known = self._seen[id(results)] = (results, violations, count(violations))
        return known[1:]

    def by_place(self, owner: str, results: RuleResults) -> dict[str, tuple[Violation, ...]]:
        """Return violations by the node that they sit on, as the configuration wants to see them.

        Parameters
        ----------
        owner : str
            Path of the node that was evaluated.
        results : RuleResults
            The results of one part of it.
        """
        if results.local and self._configuration is None:
            violations, _ = self._shown_of(results)
            return {owner: violations} if violations else {}
        places: dict[str, tuple[Violation, ...]] = {}
        for violation in results.violations:
            place = violation.fail.path or owner
            shown = self._shown(violation, place)
            if shown is not None:
                places[place] = (*places.get(place, ()), shown)
        return places

    def _shown(self, violation: Violation, place: str) -> Violation | None:
        if (
            violation.rule.family in self._advisory
            and violation.severity != "info"
            and impact_of(violation, undeclared=True) not in HARMS
        ):
            violation = Violation(violation.rule, violation.fail, "info")
        if self._configuration is None:
            return violation
        return _configured(violation, place, self._configuration)

    def seen_as(self, results: RuleResults) -> tuple[Violation, ...]:
        """Return violations that sit on the node itself as they are shown, where there is no configuration."""
        return self._shown_of(results)[0]

    def held_at(self, places: Iterable[str]) -> tuple[list[str], list[str], list[Held]]:
        """Return what `parts_at` has for nodes, side by side, and nothing made of it that can be made later.

        Parameters
        ----------
        places : iterable of str
            Paths of the nodes.

        Returns
        -------
        tuple of list
            For each part at each node: the node, the node that was evaluated, and what was found by it.
        """
        nodes = self.nodes
        at: list[str] = []
        owners: list[str] = []
        found: list[Held] = []
        spread: _Spread = {}
        for place in places:
            if self._from.get(place):
                given = [
                    (owner, getattr(nodes[owner], part)) for owner, part in self._sources(place)
                ]
            elif (one := nodes.get(place)) is not None:
                # written out, because this is done for each node that has findings
                own = (
                    one.documents, one.name, one.entry, one.members,
                    one.values, one.contents, one.inside, one.totals,
                )  # fmt: skip
                given = [(place, results) for results in own if results is not None]
            else:
                continue
            for owner, results in given:
                if results is not None and results.violations:
                    held = self._held(place, owner, results, spread)
                    if held:
                        at.append(place)
                        owners.append(owner)
                        found.append(held)
        return at, owners, found

    def _held(self, place: str, owner: str, results: RuleResults, spread: _Spread) -> Held:
        if results.local:
            if self._configuration is None:
                return results if self._advisory else results.violations
            return self.by_place(owner, results).get(place, ())
        key = (owner, id(results))
        if key not in spread:  # a group may say something of each of its children
            spread[key] = self.by_place(owner, results)
        return spread[key].get(place, ())

    def _sources(self, place: str) -> list[tuple[str, str]]:
        """Return what findings at a node may come from: nodes, and the parts of them, in the order of the findings."""
        sources = [(place, part) for part in PARTS] if place in self.nodes else []
        if others := self._from.get(place):
            sources = sorted([*sources, *others], key=lambda one: (one[0], PARTS.index(one[1])))
        return sources

    def parts_at(self, place: str) -> list[tuple[tuple[str, str], tuple[Violation, ...]]]:
        """Return the violations at a node, in an order that does not depend on when it was evaluated.

        Returns
        -------
        list of ((str, str), tuple of Violation)
            The path and the part of the node that was evaluated, and what was found by it.
        """
        found = []
        for owner, part in self._sources(place):
            results = getattr(self.nodes[owner], part)
            if results is not None and results.violations:
                violations = self.by_place(owner, results).get(place)
                if violations:
                    found.append(((owner, part), violations))
        return found


def _left_open(listed: RuleResults | None, read: RuleResults | None) -> RuleResults | None:
    """Return what the listing of an array tells, without the rules that it left to its chunks once they tell."""
    if listed is None or read is None:
        return listed
    told = {*read.rules} - {rule_id for rule_id, _ in read.undecided}
    left = tuple(one for one in listed.undecided if one[1] != "cost" or one[0] not in told)
    return listed if left == listed.undecided else dataclasses.replace(listed, undecided=left)


def _uncovered(documents: RuleResults, contents: RuleResults | None) -> RuleResults:
    """Return results on documents without what those on all values say as well, and explain."""
    given = () if contents is None else contents.violations
    covered = {rule for one in given for rule in one.fail.covers} if given else set()
    left_out = [one for one in documents.violations if one.rule.id in covered]
    if not left_out:
        return documents
    told = broken_by(left_out)
    return dataclasses.replace(
        documents,
        violations=tuple(one for one in documents.violations if one.rule.id not in covered),
        absent=(*documents.absent, *sorted({one.rule.id for one in left_out} - {*told})),
        told=(*documents.told, *told),
    )


def tree_order(path: str) -> list[str]:
    """Return a key by which nodes are sorted, parents before their children."""
    return [] if path == "/" else path.split("/")


def in_tree_order(places: Iterable[str]) -> list[str]:
    """Return paths sorted by `tree_order`."""
    known = list(places)
    if any("\0" in path for path in known):
        return sorted(known, key=tree_order)
    # A third of the time: no name has a character below this one. The root comes before what begins with it.
    return sorted(known, key=lambda path: "" if path == "/" else path.replace("/", "\0"))


def _configured(violation: Violation, place: str, configuration: Configuration) -> Violation | None:
    """Return a failure as a project wants to see it, None where it does not."""
    if configuration.ignores(violation.rule.id, place):
        return None
    severity = configuration.severity_of(violation.rule.id)
    if severity is None or severity == violation.severity:
        return violation
    return Violation(violation.rule, violation.fail, severity)
