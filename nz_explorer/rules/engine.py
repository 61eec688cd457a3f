"""The engine: verdicts node by node, counted for every group above, and what was not evaluated.

Nodes can be fed one by one while something else walks the hierarchy, or `Evaluation.run` does it all.
Nodes with the same documents share one verdict, so a store that repeats itself costs little.
"""

from __future__ import annotations

import copy
import math
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from nz_explorer.model import Array, Group, Hierarchy, Inside, Node, is_candidate, nczarr, paths
from nz_explorer.model.collector import seldom_collected
from nz_explorer.rules import catalogue
from nz_explorer.rules.catalogue import COSTS, Cost, RuleInfo, rules
from nz_explorer.rules.compare import Pair
from nz_explorer.rules.declaration import declares_nz
from nz_explorer.rules.findings import Counts, Fail, Finding, Hit, NotEvaluated
from nz_explorer.rules.fixes import Fix, finish
from nz_explorer.rules.plan import MEMO_ENTRIES, NOTHING, Plan, Verdicts, count, joined
from nz_explorer.rules.reading import Allowance, Found, read, read_many
from nz_explorer.rules.registry import On, ids_on
from nz_explorer.rules.wording import plural
from nz_explorer.store import Cancellation, Cancelled, ReadError, url_modes

if TYPE_CHECKING:
    from nz_explorer.rules.configuration import Configuration
    from nz_explorer.values.cache import ChunkCache
    from nz_explorer.values.coordinates import Monotonicity

Values = Literal["none", "coordinates", "all"]
Progress = Callable[[str, int, int | None], None]
"""Called with what is being done, how much of it is done, and how much there is, if known."""

CONVENTIONS = {
    "nz": "NZ-1.0",
    "zarr3": "Zarr v3",
    "zarr2": "Zarr v2",
    "zcf": "Zarr conventions framework",
    "geozarr": "GeoZarr",
    "cs": "cs",
    "nczarr": "NCZarr",
}
"""The conventions that can be asked for, and their names in reports."""
FAMILIES = {
    "nz": ("NZ", "JSON", "TREE", "Z3", "Z2", "ZCF"),
    "zarr3": ("Z3", "JSON", "TREE"),
    "zarr2": ("Z2", "JSON", "TREE"),
    "zcf": ("ZCF", "JSON"),
    "geozarr": ("GZ", "JSON"),
    "cs": ("CS", "REF", "JSON"),
    "nczarr": ("NCZ", "JSON"),
}
"""The families of rules of each convention: its own first, then what it stands on."""
WHERE_USED = {"cs": ("cs", "crs")}
"""Conventions that are evaluated where a node has one of these attributes; elsewhere nothing is said of them."""

BASE = "NZ-BASE-001"
BASE_FAMILIES = ("JSON", "TREE", "Z3")
"""The rule that sums up the others on which NZ-1.0 stands, those of valid Zarr, and their families."""
PARTS = ("documents", "name", "entry", "members", "values", "contents", "inside")
"""The parts of the verdicts on a node, in the order in which findings are told."""
NEEDS_LISTING = ("TREE-002", "Z3-NAME-003", "NZ-CONS-003")
"""Rules that need listings, beside those on what is inside of arrays."""
VALUE_BYTES = 256 * 1024 * 1024
"""Decoded bytes of coordinates that are read unless a budget says otherwise."""
LISTED_AT_ONCE = 256
"""Arrays that are looked into between two looks at whether someone has cancelled."""


@dataclass(frozen=True, slots=True)
class Budget:
    """How much an evaluation may read. What it leaves out is reported as not evaluated.

    Attributes
    ----------
    max_cost : str
        The dearest class of rules to evaluate; see `nz_explorer.rules.catalogue.COSTS`.
    max_nodes : int or None
        Nodes to visit.
    max_bytes : int or None
        Decoded bytes of values to read; None for no limit.
    max_requests : int or None
        Requests to the store. A batch that has begun is finished.
    """

    max_cost: Cost = "V"
    max_nodes: int | None = None
    max_bytes: int | None = VALUE_BYTES
    max_requests: int | None = None

    def allows(self, cost: Cost) -> bool:
        """Whether rules of a cost class may be evaluated."""
        return COSTS.index(cost) <= COSTS.index(self.max_cost)


class _Record:
    """What is known of one node; the verdicts on each part of it stand under the name of the part."""

    __slots__ = (*PARTS, "ghost", "kind", "state", "stored", "zarr_format")

    def __init__(self, node: Node) -> None:
        self.kind = node.kind
        self.state = node.state
        self.stored = node.hierarchy.metadata_source == "documents"
        self.zarr_format = node.zarr_format
        self.ghost = False
        """Whether only the consolidated metadata know of it."""
        self.documents: Verdicts | None = None
        self.name: Verdicts | None = None
        self.entry: Verdicts | None = None
        self.members: Verdicts | None = None
        self.values: Verdicts | None = None
        self.contents: Verdicts | None = None
        self.inside: Verdicts | None = None

    @property
    def parts(self) -> dict[str, Verdicts]:
        """The verdicts that were given, by part."""
        return {part: given for part in PARTS if (given := getattr(self, part)) is not None}

    def take_over(self, other: _Record) -> None:
        """Have the verdicts of an earlier record of the same node."""
        for part in PARTS:
            setattr(self, part, getattr(other, part))

    def copy(self) -> _Record:
        """Return the same with verdicts of its own."""
        twin = _Record.__new__(_Record)
        for name in _Record.__slots__:
            setattr(twin, name, getattr(self, name))
        return twin


_NONE = (0, 0, 0)


def _add(counts: dict[str, tuple[int, int, int]], place: str, found: tuple[int, int, int]) -> None:
    before = counts.get(place)
    counts[place] = (
        found
        if before is None
        else (before[0] + found[0], before[1] + found[1], before[2] + found[2])
    )


def has_value_rules(array: Array) -> bool:
    """Whether there are rules on what is stored for an array even if not all values are read."""
    return is_candidate(array) or array.shape == ()


class Evaluation:
    """Verdicts on a hierarchy, as far as its nodes have been fed.

    All methods may be called from any thread. Reading is cheap at any time: counts are kept for each
    node and everything above it.

    Parameters
    ----------
    hierarchy : Hierarchy
        What is evaluated.
    conventions : str or iterable of str
        ``auto``, or some of `CONVENTIONS`.
    select, ignore : iterable of str
        Ids of rules, or prefixes of them; the longest prefix decides.
    values : {"none", "coordinates", "all"}
        Which values may be read.
    budget : Budget, optional
        How much may be read.
    configuration : Configuration, optional
        Other severities, and findings that are not wanted at some paths. Whether a convention is kept
        does not depend on them.
    client : dask.distributed.Client, optional
        Where all values are read, if they are wanted; here by default.

    Raises
    ------
    ValueError
        If a convention or a rule is not known.
    """

    def __init__(
        self,
        hierarchy: Hierarchy,
        conventions: str | Iterable[str] = "auto",
        select: Iterable[str] = (),
        ignore: Iterable[str] = (),
        values: Values = "coordinates",
        budget: Budget | None = None,
        configuration: Configuration | None = None,
        client: Any = None,
    ) -> None:
        if values not in ("none", "coordinates", "all"):
            raise ValueError(f"values must be none, coordinates or all, not {values!r}")
        self.hierarchy = hierarchy
        self.values = values
        # whoever wants all values wants them however many they are
        self.budget = budget or Budget(max_bytes=None if values == "all" else VALUE_BYTES)
        self.configuration = configuration
        self.client = client
        select = tuple(select)
        self.conventions = _conventions(conventions, hierarchy, select)
        families = {family for name in self.conventions for family in FAMILIES[name]}
        chosen = catalogue.select(select, ignore)
        wanted = {
            info.id
            for info in rules().values()
            if info.family in families and info.works and chosen[info.id]
        }
        self.wanted = frozenset(
            rule_id for rule_id in wanted if wanted.isdisjoint(rules()[rule_id].yields_to)
        )
        self._comparisons = self.wanted & ids_on("entry", hierarchy.zarr_format)
        self.cache: ChunkCache | None = None
        """Where decoded chunks are looked for, and kept; None keeps none."""
        self.complete = False
        """Whether the whole hierarchy has been visited and read, and nothing was cut short."""
        self._lock = threading.RLock()
        self._clear()

    def _clear(self) -> None:
        self._unseen: set[str] = set()
        """Nodes that could not be read or listed: there may be more in them and below them."""
        self._records: dict[str, _Record] = {}
        self._at: dict[str, int] = {}
        """Node that findings sit on → how many parts they come from."""
        self._from: dict[str, dict[tuple[str, str], None]] = {}
        """Node that findings sit on → other nodes, and the parts of them, that they come from."""
        self._counts: dict[str, tuple[int, int, int]] = {}
        """Findings of each severity at a node and below, except for those that are still to rise."""
        self._rising: dict[str, tuple[int, int, int]] = {}
        """Findings in a group that are not counted in it and above yet."""
        self._failed: Counter[str] = Counter()
        self._undecided: Counter[str] = Counter()
        self._open: set[tuple[str, str]] = set()
        """What is still to be done: node and part."""
        self._pending: Counter[str] = Counter()
        """How much of that there is at a node and below."""
        self._plans: dict[tuple[str, int | None], Plan] = {}
        self._names: dict[tuple[str, int | None], Verdicts] = {}
        self._left_out: dict[tuple[tuple[Plan, ...], str], Verdicts] = {}
        self._agreed: Verdicts | None = None
        """What is said of every node whose consolidated entries are those of its documents."""
        self._monotonicity: dict[str, Monotonicity] = {}
        self._allowance = Allowance(self.budget.max_bytes)
        self._skipped: dict[str, str] = {}
        """Rules that were evaluated nowhere, or not everywhere, for a reason that concerns the store."""
        self._base: Hit | None = None
        self._base_stale = True
        self._declared: bool | None = None
        self._users: dict[tuple[str, str], None] = {}
        """Convention and path of the nodes that use one of `WHERE_USED`."""
        self._plain: set[bytes] = set()
        """Documents that use none of them."""
        self._note_what_cannot_be_done()

    def _note_what_cannot_be_done(self) -> None:
        consolidated = self.hierarchy.consolidated is not None
        of_contents, of_entries = ids_on("contents"), ids_on("entry")
        # What the documents alone say is found without a listing, too.
        listed = (ids_on("inside") - ids_on("array")).union(NEEDS_LISTING)
        for rule_id in self.wanted:
            info = rules()[rule_id]
            if rule_id in of_entries and not consolidated:
                continue  # there is nothing to compare
            if info.family == "Z2" and self.hierarchy.zarr_format == 3:
                continue  # there is nothing that it could be about
            left_out = rule_id in of_contents and self.values != "all"
            if left_out or not self.budget.allows(info.cost):
                self._skipped[rule_id] = "cost"
            elif rule_id in listed and not self.hierarchy.reader.listable:
                self._skipped[rule_id] = "listing"
        if self.hierarchy.metadata_source == "consolidated" and self._compares():
            self._set_open("/", "stored", True)

    def _compares(self) -> bool:
        return self.hierarchy.consolidated is not None and not self._comparisons.issubset(
            self._skipped
        )

    # --- feeding ----------------------------------------------------------------------------

    def add_node(self, node: Node) -> None:
        """Evaluate the rules on a node's own documents and name.

        A node of `Hierarchy.stored` replaces the same node as the consolidated metadata have it, and is
        compared with it.
        """
        path = node.path
        known = self._records.get(path)
        record = _Record(node)
        if known is not None and known.stored and not record.stored:
            return
        verdicts = self._of_documents(node)
        name = NOTHING if path == "/" else self._of_name(node)
        pair = (
            self._of_pair(Pair(path, node, node.hierarchy.consolidated))
            if record.stored and node.hierarchy.consolidated is not None and self._compares()
            else NOTHING
        )
        with self._lock:
            if known is not None:
                record.take_over(known)
            self._records[path] = record
            (self._unseen.add if node.state == "unreadable" else self._unseen.discard)(path)
            if path == "/":
                self._declared = declares_nz(node.attributes)
            self._note_use(node, known is None)
            self._put(path, record, "documents", verdicts)
            self._put(path, record, "name", name)
            if pair is not NOTHING or record.entry is not None:
                self._put(path, record, "entry", pair)
            if isinstance(node, Group) and record.members is None:
                self._set_open(path, "members", True)
            if isinstance(node, Array) and has_value_rules(node) and record.values is None:
                if self.values != "none" and self.budget.allows("V"):
                    self._set_open(path, "values", True)
                else:
                    self._put(path, record, "values", self._values_left_out(node, "cost"))

    def group_complete(self, group: Group) -> None:
        """Evaluate the rules on a group and its children, which must have been read."""
        plan = self._plan("members", group.zarr_format)
        children = group.children
        if children is None or (group.listing_problem is not None and not children):
            verdicts = plan.undecided(
                f"unreadable: {group.listing_problem}" if group.unlisted else "listing"
            )
        else:
            verdicts = plan.run(group)
        with self._lock:
            if group.unlisted:
                self._unseen.add(group.path)
            record = self._records.get(group.path)
            if record is None:
                return
            if record.stored and group.hierarchy.metadata_source == "consolidated":
                return
            self._put(group.path, record, "members", verdicts)
            self._set_open(group.path, "members", False)

    def value_rules(self, array: Array, cancel: Cancellation | None = None) -> Monotonicity | None:
        """Read an array named like its dimension, and evaluate the rules on its values.

        Of a scalar it is asked only whether it is stored.

        Returns
        -------
        Monotonicity or None
            What its values say, None where the budget is spent or values are not wanted.
        """
        if self.values == "none" or not self.budget.allows("V"):
            return self._judge_values(array, None, "cost")
        found = read(
            array,
            self._allowance,
            chunks=self._asks_for_chunks(array),
            cache=self.cache,
            cancel=cancel,
        )
        return self._judge_values(array, found)

    def _asks_for_chunks(self, array: Array) -> bool:
        return bool(self._plan("chunks", array.zarr_format).rules)

    def _judge_values(
        self, array: Array, found: Found | None, reason: str = "budget"
    ) -> Monotonicity | None:
        """Evaluate the rules on what was found; where that is nothing, say for which reason."""
        monotonic: Monotonicity | None = None
        if found is None:
            verdicts = self._values_left_out(array, reason)
        else:
            verdicts, monotonic = NOTHING, found.monotonic
            if found.absence is not None:
                verdicts = self._plan("chunks", array.zarr_format).run(array, found.absence)
            if monotonic is not None:
                plan = self._plan("values", array.zarr_format)
                verdicts = joined(plan.run(array, monotonic), verdicts)
        with self._lock:
            if monotonic is not None:
                self._monotonicity[array.path] = monotonic
            record = self._records.get(array.path)
            if record is not None:
                self._put(array.path, record, "values", verdicts)
                self._set_open(array.path, "values", False)
        return monotonic

    def _values_left_out(self, array: Array, reason: str) -> Verdicts:
        """Return that the rules on the values of a coordinate or a scalar were not evaluated."""
        kinds: tuple[On, ...] = ("chunks",) if array.shape == () else ("values", "chunks")
        plans = tuple(self._plan(kind, array.zarr_format) for kind in kinds)
        known = self._left_out.get((plans, reason))
        if known is None:
            known = joined(*(plan.undecided(reason) for plan in plans))
            self._left_out[plans, reason] = known
        return known

    def content_rules(
        self,
        array: Array,
        cancel: Cancellation | None = None,
        progress: Callable[[int, int], object] | None = None,
    ) -> None:
        """Read all values of an array, and evaluate the rules on them.

        Parameters
        ----------
        array : Array
            The array.
        cancel : Cancellation, optional
            Stops it between chunks.
        progress : callable, optional
            Called with the number of chunks done and of all.

        Raises
        ------
        Cancelled
            If it was cancelled.
        """
        plan = self._plan("contents", array.zarr_format)
        if not plan.rules:
            return
        size = math.prod(array.shape or ()) * (array.data_type.itemsize or 1)
        if self._allowance.left < size:
            verdicts = plan.undecided("budget")
        else:
            from nz_explorer.values.contents import contents

            found = contents(array, client=self.client, cancel=cancel, progress=progress)
            verdicts = plan.run(array, found)
        with self._lock:
            self._allowance.use(size)
            if (record := self._records.get(array.path)) is not None:
                self._put(array.path, record, "contents", verdicts)

    def listing_rules(self, arrays: Sequence[Array], cancel: Cancellation | None = None) -> None:
        """Look into the folders of arrays, and evaluate the rules on what is there."""
        arrays = [array for array in arrays if self._plan("inside", array.zarr_format).rules]
        found = self.hierarchy.inside_arrays(arrays, cancel=cancel) if arrays else []
        given = [self._of_inside(*one) for one in zip(arrays, found, strict=True)]
        with self._lock:
            for array, verdicts in zip(arrays, given, strict=True):
                if (record := self._records.get(array.path)) is not None:
                    self._put(array.path, record, "inside", verdicts)

    def consolidated_complete(self) -> None:
        """Look for consolidated entries without a document, once all stored nodes have been fed."""
        stored = self.hierarchy.stored
        consolidated = self.hierarchy.consolidated
        if consolidated is not None and self._compares():
            with self._lock:
                ghosts = [path for path, record in self._records.items() if record.ghost]
                for path in ghosts:
                    if path not in consolidated:
                        self._drop(path)
            for path in consolidated.paths:
                record = self._records.get(path)
                if record is not None and record.stored:
                    continue
                verdicts = self._of_pair(Pair(path, None, consolidated))
                node = self.hierarchy.node_if_loaded(path) or stored.root
                with self._lock:
                    if record is None:
                        record = self._records[path] = _Record(node)
                    record.ghost = True
                    # The one finding is that the node is not there.
                    for part in record.parts:
                        self._put(path, record, part, NOTHING)
                        self._set_open(path, part, False)
                    self._put(path, record, "entry", verdicts)
        with self._lock:
            self._set_open("/", "stored", False)

    def forget(self, path: str) -> None:
        """Forget the verdicts on a node and all below it, because it was read again."""
        with self._lock:
            if path == "/":
                self._clear()
                self.complete = False
                return
            stem = paths.below(path)
            for gone in [p for p in self._records if p == path or p.startswith(stem)]:
                self._drop(gone)
            group = paths.above(path)
            if (record := self._records.get(group)) is not None:
                self._put(group, record, "members", None)
                self._set_open(group, "members", True)
            self.complete = False

    def _drop(self, path: str) -> None:
        """Forget one node."""
        record = self._records.pop(path)
        self._unseen.discard(path)
        for part in PARTS:
            self._put(path, record, part, None)
            self._set_open(path, part, False)
        self._monotonicity.pop(path, None)
        for convention in WHERE_USED:
            self._users.pop((convention, path), None)

    def _note_use(self, node: Node, is_new: bool) -> None:
        """Note whether a node uses one of `WHERE_USED`."""
        if is_new and node.text is not None and node.text in self._plain:
            return
        attributes, plain = node.attributes, True
        for convention, names in WHERE_USED.items():
            if not attributes.keys().isdisjoint(names):
                self._users[convention, node.path] = None
                plain = False
            elif not is_new:
                self._users.pop((convention, node.path), None)
        if plain and node.text is not None:
            self._plain.add(node.text)

    # --- after a change ---------------------------------------------------------------------

    def fork(self, hierarchy: Hierarchy) -> Evaluation:
        """Return an evaluation of its own that knows what this one knows.

        Parameters
        ----------
        hierarchy : Hierarchy
            A copy of the hierarchy that was evaluated; see `Hierarchy.fork`.
        """
        with self._lock:
            twin = copy.copy(self)
            vars(twin).update(
                {k: v.copy() for k, v in vars(self).items() if isinstance(v, (dict, set))},
                hierarchy=hierarchy,
                _lock=threading.RLock(),
                _allowance=self._allowance.copy(),
                _records={path: record.copy() for path, record in self._records.items()},
                _from={path: dict(sources) for path, sources in self._from.items()},
            )
            return twin

    def __contains__(self, path: str) -> bool:
        return path in self._records

    @property
    def visited(self) -> list[str]:
        """Paths of all nodes that were evaluated, in the order of the visit."""
        with self._lock:
            return [path for path, record in self._records.items() if not record.ghost]

    @property
    def groups(self) -> set[str]:
        """Paths of all groups that were evaluated."""
        return {path for path, record in self._records.items() if record.kind == "group"}

    @property
    def referring(self) -> set[str]:
        """Paths of nodes of which the verdict depends on what other nodes say."""
        return {path for _, path in self._users}

    @property
    def on_documents(self) -> bool:
        """Whether the nodes that are evaluated are the stored ones, not those of consolidated metadata."""
        return self.hierarchy.metadata_source == "documents" or self._compares()

    def compared_with(self, later: Evaluation) -> tuple[list[Finding], list[Finding]]:
        """Return the findings that a fork does not have any more, and those that only it has.

        A finding of which only the message is another one, because a number in it is, is in neither list.
        """
        with self._lock, later._lock:
            places = [p for p in {*self._at, *later._at} if self._parts_at(p) != later._parts_at(p)]
            before, after = (
                Counter(
                    f for place in {*places, "/"} for f in evaluation.findings(place, below=False)
                )
                for evaluation in (self, later)
            )
        gone, new = list((before - after).elements()), list((after - before).elements())
        same = Counter(map(_fact, gone)) & Counter(map(_fact, new))
        return _without(gone, same), _without(new, same)

    def add_again(self, node: Node, *, values: bool) -> None:
        """Evaluate the rules on a node again, because its documents are others now.

        Parameters
        ----------
        node : Node
            The node as it is now.
        values : bool
            Whether what its values say is to be forgotten as well.
        """
        with self._lock:
            record = self._records.get(node.path)
            if values and record is not None and record.values is not None:
                self._put(node.path, record, "values", None)
                if record.contents is not None:
                    stale = self._plan("contents", record.zarr_format).undecided("cost")
                    self._put(node.path, record, "contents", stale)
                known = self._monotonicity.pop(node.path, None)
                if known is not None:
                    self._allowance.use(-known.bytes_read)
        self.add_node(node)

    def run(self, cancel: Cancellation | None = None, progress: Progress | None = None) -> None:
        """Visit the whole hierarchy and evaluate everything that was asked for.

        Parameters
        ----------
        cancel : Cancellation, optional
            Stops it; the evaluation then stays incomplete.
        progress : callable, optional
            Told what is going on.
        """
        tell = progress or (lambda _what, _done, _total: None)
        try:
            with seldom_collected():
                finished = self._visit(cancel, tell)
                self._read_values(cancel, tell)
                self._look_inside(cancel, tell)
            if self.values == "all":
                self._read_contents(cancel, tell)
        except Cancelled:
            return
        with self._lock:
            self.complete = finished and not self._unseen

    def _visit(self, cancel: Cancellation | None, tell: Progress) -> bool:
        """Walk the stored documents where they may be read, else the consolidated ones."""
        compares = self._compares()
        hierarchy = self.hierarchy.stored if compares else self.hierarchy
        reader, budget = hierarchy.reader, self.budget
        before = reader.counters.requests
        bounded = budget.max_nodes is not None or budget.max_requests is not None
        total = self.hierarchy.nodes_total
        gone = set(self._records)
        number = 0
        for group, nodes in hierarchy.walk_groups(cancel=cancel):
            for node in nodes:
                if bounded and self._is_spent(number, reader.counters.requests - before):
                    self._cut_short()
                    return False
                self.add_node(node)
                gone.discard(node.path)
                if node is not hierarchy.root:
                    node.release()
                if number % 500 == 0:
                    tell("nodes", number, total)
                number += 1
            if group is not None:
                self.group_complete(group)
                for node in nodes:
                    node.release()
        tell("nodes", len(self._records), len(self._records))
        with self._lock:
            for path in gone:
                self._drop(path)
        if compares:
            self.consolidated_complete()
        return True

    def _is_spent(self, nodes: int, requests: int) -> bool:
        budget = self.budget
        return (budget.max_nodes is not None and nodes >= budget.max_nodes) or (
            budget.max_requests is not None and nodes > 0 and requests > budget.max_requests
        )

    def _cut_short(self) -> None:
        """Note that rules were not evaluated everywhere because the budget was spent."""
        with self._lock:
            for rule_id in self.wanted:
                self._skipped.setdefault(rule_id, "budget")

    def _read_values(self, cancel: Cancellation | None, tell: Progress) -> None:
        waiting = [path for path, part in sorted(self._open) if part == "values"]
        arrays = (array for path in waiting if isinstance(array := self._node(path), Array))
        if self.hierarchy.reader.local:
            # nothing is waited for there, and threads would only get into each other's way
            for number, array in enumerate(arrays):
                tell("coordinates", number, len(waiting))
                self.value_rules(array, cancel)
            return
        found = read_many(
            arrays, self._allowance, chunks=self._asks_for_chunks, cache=self.cache, cancel=cancel
        )
        with closing(found):
            tell("coordinates", 0, len(waiting))
            for number, one in enumerate(found, 1):
                self._judge_values(*one)
                tell("coordinates", number, len(waiting))

    def _read_contents(self, cancel: Cancellation | None, tell: Progress) -> None:
        for path in tuple(self._records):
            array = self._node(path)
            if isinstance(array, Array):
                self.content_rules(array, cancel, partial(tell, path))

    def _look_inside(self, cancel: Cancellation | None, tell: Progress) -> None:
        formats = {number for number in (2, 3) if self._plan("inside", number).rules}
        arrays = [
            node
            for path, record in tuple(self._records.items())
            if record.kind == "array"
            and record.zarr_format in formats
            and isinstance(node := self._node(path), Array)
        ]
        for begin in range(0, len(arrays), LISTED_AT_ONCE):
            tell("listings", begin, len(arrays))
            self.listing_rules(arrays[begin : begin + LISTED_AT_ONCE], cancel)

    # --- evaluating -------------------------------------------------------------------------

    def _plan(self, what: str, zarr_format: int | None) -> Plan:
        plan = self._plans.get((what, zarr_format))
        if plan is None:
            subjects: dict[str, tuple[On, ...]] = {
                "group": ("document", "node", "group"),
                "array": ("document", "node", "array"),
                "unknown": ("document", "node", "array", "group"),
                "root group": ("document", "node", "group", "root"),
                "root array": ("document", "node", "array", "root"),
                "root unknown": ("document", "node", "array", "group", "root"),
            }
            fallback: On = what  # type: ignore[assignment]  # the other subjects are called like their plan
            plan = Plan(
                subjects.get(what, (fallback,)), zarr_format, self.wanted - set(self._skipped)
            )
            self._plans[what, zarr_format] = plan
        return plan

    def _of_documents(self, node: Node) -> Verdicts:
        if node.path == "/":
            return self._plan(f"root {node.kind}", node.zarr_format).run_node(node)
        if node.state == "missing" or not node.documents:
            return NOTHING
        return self._plan(node.kind, node.zarr_format).run_node(node)

    def _of_name(self, node: Node) -> Verdicts:
        key = (node.name, node.zarr_format)
        known = self._names.get(key)
        if known is None:
            known = self._plan("name", node.zarr_format).run(node.name)
            if len(self._names) < MEMO_ENTRIES:
                self._names[key] = known
        return known

    def _of_inside(self, array: Array, inside: Inside | ReadError | None) -> Verdicts:
        plan = self._plan("inside", array.zarr_format)
        if inside is None:
            return plan.undecided("listing")
        if isinstance(inside, ReadError):
            return plan.undecided(f"unreadable: {inside.detail}")
        usual = array.zarr_format == 3 and _is_usual(array, inside)
        return plan.passed if usual else plan.run(array, inside)

    def _of_pair(self, pair: Pair) -> Verdicts:
        plan = self._plan("entry", pair.consolidated.zarr_format)
        if pair.path == "/" or not pair.agrees:
            return plan.run(pair)
        if self._agreed is None:
            self._agreed = plan.run(pair)
        return self._agreed

    def _put(self, owner: str, record: _Record, part: str, verdicts: Verdicts | None) -> None:
        """Replace what one part of the rules says of a node, and all counts with it."""
        old = getattr(record, part)
        setattr(record, part, verdicts)
        if old is verdicts:
            return
        if old is not None and not old.clean:
            self._account(owner, part, old, -1)
        if verdicts is not None and not verdicts.clean:
            self._account(owner, part, verdicts, 1)

    def _account(self, owner: str, part: str, verdicts: Verdicts, sign: int) -> None:
        self._base_stale = True
        for rule_id, _ in verdicts.undecided:
            self._undecided[rule_id] += sign
        for hit in verdicts.hits:
            self._failed[hit.rule.id] += sign if _breaks(hit) else 0
        if self.configuration is None and verdicts.local:
            if verdicts.hits:
                self._count(owner, verdicts.counts, sign)
            return
        for place, hits in self._shown(owner, verdicts).items():
            self._count(place, count(hits), sign)
            if place != owner:
                sources = self._from.setdefault(place, {})
                if sign > 0:
                    sources[owner, part] = None
                else:
                    del sources[owner, part]

    def _count(self, place: str, found: tuple[int, int, int], sign: int) -> None:
        """Add findings at a node to the counts of it and all above, or take them away."""
        parts = self._at.get(place, 0) + sign
        if parts:
            self._at[place] = parts
        else:
            del self._at[place]
        if sign < 0:
            found = (-found[0], -found[1], -found[2])
        _add(self._counts, place, found)
        if place != "/":
            _add(self._rising, paths.above(place), found)

    def _rise(self) -> None:
        """Add what was counted to the groups above: once for all nodes of a group, when someone asks."""
        for group, found in self._rising.items():
            for path in (group, *paths.all_above(group)):
                _add(self._counts, path, found)
        self._rising.clear()

    def _shown(self, owner: str, verdicts: Verdicts) -> dict[str, tuple[Hit, ...]]:
        """Return failures by the node that they sit on, as the configuration wants to see them."""
        if self.configuration is None and verdicts.local:
            return {owner: verdicts.hits} if verdicts.hits else {}
        places: dict[str, tuple[Hit, ...]] = {}
        for hit in verdicts.hits:
            place = hit.fail.path or owner
            shown = (
                hit if self.configuration is None else _configured(hit, place, self.configuration)
            )
            if shown is not None:
                places[place] = (*places.get(place, ()), shown)
        return places

    def _parts_at(self, place: str) -> list[tuple[tuple[str, str], tuple[Hit, ...]]]:
        """Return what was found at a node, in an order that does not depend on when it was evaluated."""
        if place not in self._at:
            return []
        record = self._records.get(place)
        sources = [] if record is None else [(place, part) for part in PARTS]
        if others := self._from.get(place):
            sources = sorted([*sources, *others], key=lambda one: (one[0], PARTS.index(one[1])))
        found = []
        for owner, part in sources:
            verdicts = getattr(self._records[owner], part)
            if verdicts is not None and verdicts.hits:
                hits = self._shown(owner, verdicts).get(place)
                if hits:
                    found.append(((owner, part), hits))
        return found

    def _set_open(self, path: str, part: str, is_open: bool) -> None:
        if ((path, part) in self._open) == is_open:
            return
        (self._open.add if is_open else self._open.discard)((path, part))
        for place in (path, *paths.all_above(path)):
            self._pending[place] += 1 if is_open else -1

    # --- reading ----------------------------------------------------------------------------

    def counts(self, path: str = "/") -> Counts:
        """Return how many findings there are at a node and below it."""
        with self._lock:
            self._rise()
            error, warning, info = self._counts.get(path, _NONE)
            if path == "/" and self._base_errors():
                error += 1
            done = path in self._records and not self._pending[path]
            return Counts(error, warning, info, done)

    def findings(self, path: str = "/", below: bool = True) -> list[Finding]:
        """Return the findings at a node, and below it, parents before children."""
        with self._lock:
            stem = paths.below(path)
            places = [path] if path in self._at else []
            if below:
                places += [p for p in self._at if p.startswith(stem) and p != path]
                places.sort(key=_tree_order)
            found = [
                self._finding(hit, place, owner)
                for place in places
                for (owner, _), hits in self._parts_at(place)
                for hit in hits
            ]
            if path == "/" and (base := self._base_hit()) is not None:
                found.insert(0, self._finding(base, "/", "/"))
            return found

    def failing(self, meant: Callable[[Hit], bool]) -> set[str]:
        """Return the paths of all nodes that have a failure of a kind, without making the findings."""
        with self._lock:
            found: set[str] = set()
            for owner, record in self._records.items():
                for part in PARTS:
                    verdicts = getattr(record, part)
                    if verdicts is not None and verdicts.hits:
                        shown = self._shown(owner, verdicts)
                        found.update(p for p, hits in shown.items() if any(map(meant, hits)))
            if (base := self._base_hit()) is not None and meant(base):
                found.add("/")
            return found

    def not_evaluated(self, path: str = "/", below: bool = True) -> list[NotEvaluated]:
        """Return the rules that were not decided at a node, and below it, and why."""
        with self._lock:
            found = self._not_evaluated_in_store() if path == "/" else []
            if not self._undecided.total():
                return found
            stem = paths.below(path)
            for place, record in self._records.items():
                if place == path or (below and place.startswith(stem)):
                    for verdicts in record.parts.values():
                        found.extend(
                            NotEvaluated(rule_id, place, why) for rule_id, why in verdicts.undecided
                        )
            return found

    def _not_evaluated_in_store(self) -> list[NotEvaluated]:
        found = [NotEvaluated(rule_id, "/", why) for rule_id, why in sorted(self._skipped.items())]
        found += [
            NotEvaluated(FAMILIES[name][0], "/", "no rules yet")
            for name in self.conventions
            if not any(info.works for info in rules().values() if info.family == FAMILIES[name][0])
        ]
        if BASE in self.wanted and self._base_hit() is None and (why := self._base_unknown()):
            found.append(NotEvaluated(BASE, "/", why))
        return found

    @property
    def not_evaluated_total(self) -> int:
        """How many entries `not_evaluated` has for the whole hierarchy, without making them."""
        with self._lock:
            return len(self._not_evaluated_in_store()) + self._undecided.total()

    def monotonicity(self, path: str) -> Monotonicity | None:
        """Return what the values of an array say, if they were read."""
        return self._monotonicity.get(path)

    def locate(self, finding: Finding) -> tuple[str | None, int | None]:
        """Return the key of the document that a finding is about, and the line in it, if known."""
        node = self._node(finding.path)
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

    @property
    def declared(self) -> bool | None:
        """Whether the root declares NZ-1.0; None before it was looked at."""
        return self._declared

    @property
    def nodes(self) -> dict[str, int]:
        """How many groups, arrays and unreadable nodes were visited."""
        with self._lock:
            kinds = Counter(
                "unreadable"
                if record.kind == "unknown" or record.state == "unreadable"
                else record.kind
                for record in self._records.values()
                if not record.ghost
            )
        return {
            "groups": kinds["group"],
            "arrays": kinds["array"],
            "unreadable": kinds["unreadable"],
        }

    @property
    def conforms(self) -> dict[str, bool | None]:
        """Whether the dataset keeps each convention; None where that is not known."""
        with self._lock:
            self._base_hit()
            unused = WHERE_USED.keys() - {name for name, _ in self._users}
            return {
                CONVENTIONS[name]: self._conforms(name)
                for name in self.conventions
                if name not in unused
            }

    def tallies(self) -> dict[str, Counter[str]]:
        """Return for each rule how often each verdict was given."""
        with self._lock:
            shared = Counter(
                id(v) for record in self._records.values() for v in record.parts.values()
            )
            known = {id(v): v for record in self._records.values() for v in record.parts.values()}
            result: dict[str, Counter[str]] = {
                rule_id: Counter() for rule_id in sorted(self.wanted)
            }
            for key, times in shared.items():
                verdicts = known[key]
                failed = {hit.rule.id for hit in verdicts.hits}
                undecided = {rule_id for rule_id, _ in verdicts.undecided}
                for rule_id in {*verdicts.rules, *failed, *undecided}:
                    verdict = (
                        "fail"
                        if rule_id in failed
                        else "not_evaluated"
                        if rule_id in undecided
                        else "not_applicable"
                        if rule_id in verdicts.absent
                        else "pass"
                    )
                    result[rule_id][verdict] += times
            for rule_id in self._skipped:
                result[rule_id]["not_evaluated"] += 1
            if BASE in self.wanted:
                base = (
                    "fail"
                    if self._base_hit()
                    else "not_evaluated"
                    if self._base_unknown()
                    else "pass"
                )
                result[BASE][base] += 1
            return result

    # --- what follows from the verdicts -----------------------------------------------------

    def _conforms(self, name: str) -> bool | None:
        family = FAMILIES[name][0]
        own = [
            info
            for info in rules().values()
            if info.family == family and info.required and info.works
        ]
        if name == "zarr3":
            own += [info for info in rules().values() if _is_base(info) and info.family != "Z3"]
        if name == "zarr2":
            own += [
                info
                for info in rules().values()
                if _is_base(info) and info.family in ("JSON", "TREE")
            ]
        zarr_format = {"nz": 3, "zarr3": 3, "zarr2": 2}.get(name)
        if zarr_format is not None and self.hierarchy.zarr_format not in (zarr_format, None):
            # NZ-1.0 defines no profile for v2: such a dataset may follow its advice, but cannot conform.
            return None if name == "nz" else False
        if any(self._failed[info.id] for info in own) or (
            BASE in (i.id for i in own) and self._base
        ):
            return False
        known = self.complete and bool(own) and all(self._decided(info.id) for info in own)
        if name == "nz" and known:
            known = isinstance(self.hierarchy.root, Group) and not self._base_unknown()
        return True if known else None

    def _base_hit(self) -> Hit | None:
        """Return the sum of all errors of plain Zarr, None where there are none."""
        if self._base_stale:
            self._base_stale = False
            self._base = self._make_base()
        return self._base

    def _base_errors(self) -> int:
        """Return how many errors of plain Zarr there are."""
        if BASE not in self.wanted or self.hierarchy.zarr_format == 2:
            return 0
        return sum(number for rule_id, number in self._failed.items() if _is_base(rules()[rule_id]))

    def _make_base(self) -> Hit | None:
        count = self._base_errors()
        if not count:
            return None
        first = next(
            (
                (place, hit)
                for place in sorted(self._at, key=_tree_order)
                for _, hits in self._parts_at(place)
                for hit in hits
                if _is_base(hit.rule) and (hit.fail.severity or "error") == "error"
            ),
            None,
        )
        message = f"not a valid Zarr v3 hierarchy: {plural(count, 'error')}"
        if first is None:  # the configuration hides them all
            return Hit(rules()[BASE], Fail("", message), "error")
        place, hit = first
        message += f", first {hit.rule.id} at {place}"
        return Hit(rules()[BASE], Fail("", message, related=(place,)), "error")

    def _base_unknown(self) -> str | None:
        """Return why it is not known whether the hierarchy is valid Zarr."""
        if self.hierarchy.zarr_format == 2:
            return None
        for info in rules().values():
            if _is_base(info) and not self._decided(info.id):
                return f"dependency: {info.id}"
        return None if self.complete else "unreadable" if self._unseen else "budget"

    def _decided(self, rule_id: str) -> bool:
        """Whether a rule was evaluated wherever it applies, as far as the hierarchy was visited."""
        return (
            rule_id in self.wanted and rule_id not in self._skipped and not self._undecided[rule_id]
        )

    def _finding(self, hit: Hit, place: str, owner: str) -> Finding:
        tags: list[str] = []
        if hit.rule.family == "NZ":
            record = self._records.get(owner)
            if not self._declared and not hit.rule.id.startswith(("NZ-DECL", "NZ-BASE")):
                tags.append("undeclared")
            if record is not None and record.zarr_format == 2:
                tags.append("v2-analogue")
        return Finding(hit, place, tuple(tags), partial(self._fix, hit, owner))

    def _fix(self, hit: Hit, owner: str) -> Fix | None:
        if hit.fail.fix is None:
            return None
        node = self._node(owner) or self.hierarchy.root
        draft = hit.fail.fix(node)
        return None if draft is None else finish(draft, node)

    def _node(self, path: str) -> Node | None:
        """Return a node as it was evaluated."""
        record = self._records.get(path)
        hierarchy = (
            self.hierarchy.stored if record is not None and record.stored else self.hierarchy
        )
        return hierarchy.node_if_loaded(path)


def _is_usual(array: Array, inside: Inside) -> bool:
    """Whether there is nothing in an array's folder but its documents and chunks."""
    own = tuple([document.name for document in array.documents])
    return inside.complete and not inside.nodes and inside.other_names == own


def _fact(finding: Finding) -> tuple[str, str, str]:
    return finding.rule, finding.path, finding.pointer


def _without(findings: list[Finding], same: Counter[tuple[str, str, str]]) -> list[Finding]:
    """Return findings in the order of the tree, without as many of each fact as are given."""
    left = Counter(same)
    kept = []
    for finding in sorted(findings, key=lambda f: (_tree_order(f.path), f.rule, f.pointer)):
        if left[_fact(finding)] > 0:
            left[_fact(finding)] -= 1
        else:
            kept.append(finding)
    return kept


def _configured(hit: Hit, place: str, configuration: Configuration) -> Hit | None:
    """Return a failure as a project wants to see it, None where it does not."""
    if configuration.ignores(hit.rule.id, place):
        return None
    severity = configuration.severity_of(hit.rule.id)
    if severity is None or severity == hit.severity:
        return hit
    return Hit(hit.rule, hit.fail, severity)


def _breaks(hit: Hit) -> bool:
    """Whether a failure breaks its rule; what is told at a milder severity is a note on what the rule allows."""
    return hit.severity == "error" or hit.rule.severity != "error"


def _tree_order(path: str) -> list[str]:
    return [] if path == "/" else path.split("/")


def _is_base(info: RuleInfo) -> bool:
    """Whether a rule decides if a hierarchy is valid Zarr."""
    return info.required and info.works and info.family in BASE_FAMILIES


def _conventions(
    given: str | Iterable[str], hierarchy: Hierarchy, select: Iterable[str]
) -> tuple[str, ...]:
    """Return the conventions to evaluate, NZ first."""
    names = [name.strip() for name in (given.split(",") if isinstance(given, str) else given)]
    unknown = [name for name in names if name not in CONVENTIONS and name != "auto"]
    if unknown or not names:
        raise ValueError(
            f"unknown convention {', '.join(map(repr, unknown))}; known are auto, {', '.join(CONVENTIONS)}"
        )
    if "auto" in names:
        names += ["nz", "zarr2" if hierarchy.zarr_format == 2 else "zarr3", *WHERE_USED]
        if nczarr.is_marked(hierarchy.root) or url_modes(hierarchy.source):
            names.append("nczarr")
        if any(prefix.strip().upper().partition("-")[0] == "GZ" for prefix in select):
            names.append("geozarr")  # which nobody is told of unasked
    return tuple(name for name in CONVENTIONS if name in names)
