"""The evaluation of a hierarchy: what others use of this package.

Nodes can be fed one by one while something else walks the hierarchy, or `Evaluation.run` does it all.
Nodes with the same documents share one result, so a store that repeats itself costs little.

Long because all that others may call stands here, with what each call takes; the work is done by the parts.
"""

from __future__ import annotations

import copy
import threading
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from nz_explorer.engine.coordinate_reader import ByteBudget, CoordinateFacts, read
from nz_explorer.engine.evaluation import schedule
from nz_explorer.engine.evaluation.asked_rules import asked_rules
from nz_explorer.engine.evaluation.budget import TIME_LIMIT, VALUE_BYTES, Budget, Progress, Values
from nz_explorer.engine.evaluation.conformance import Conformance
from nz_explorer.engine.evaluation.convention_usage import ConventionUsage
from nz_explorer.engine.evaluation.coverage import Coverage, skipped_rules
from nz_explorer.engine.evaluation.finding_index import FindingIndex, FindingKind
from nz_explorer.engine.evaluation.finding_reader import FindingReader, compared
from nz_explorer.engine.evaluation.judge import Judge, has_value_rules
from nz_explorer.engine.evaluation.records import Record, Records
from nz_explorer.engine.findings import Counts, Finding, NotEvaluated, Violation
from nz_explorer.engine.impact import Impact
from nz_explorer.engine.plan import NOTHING, RuleResults
from nz_explorer.engine.totals import Totals
from nz_explorer.model import Array, Group, Hierarchy, Node, paths
from nz_explorer.model.hierarchy import inside_arrays
from nz_explorer.store import Cancellation, Cancelled
from nz_explorer.store.cancellation import cancelled_by, time_limit
from nz_explorer.store.errors import TimeLimitExceeded

if TYPE_CHECKING:
    from nz_explorer.engine.configuration import Configuration
    from nz_explorer.engine.registry import Registry
    from nz_explorer.values.coordinates.monotonicity import Monotonicity
    from nz_explorer.values.reading.chunk_cache import ChunkCache

MOST_GHOSTS = 100_000
"""Consolidated entries without a document that are reported one by one; of more it is said that there are more."""


class Evaluation:
    """The results of rules on a hierarchy, as far as its nodes have been fed.

    All methods may be called from any thread. Reading is cheap at any time: counts are kept for each
    node and everything above it.

    Parameters
    ----------
    hierarchy : Hierarchy
        What is evaluated.
    registry : Registry
        The conventions that are known; `nz_explorer.conventions.evaluate` has those that are installed.
    conventions : str or iterable of str
        ``auto``, or some of their keys.
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

    def __init__(  # noqa: PLR0913  # each is a choice of the caller's
        self,
        hierarchy: Hierarchy,
        registry: Registry,
        conventions: str | Iterable[str] = "auto",
        *,
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
        self.registry = registry
        self.rules = registry.rules
        """All rules that are known, by id."""
        self.conventions = registry.choose(conventions, hierarchy, select)
        asked = asked_rules(
            registry, self.conventions, select, tuple(ignore), hierarchy.zarr_format
        )
        self.wanted = asked.wanted
        self.untold = asked.untold
        """Readers of which nothing can be predicted: rules that tell what they refuse are not evaluated."""
        self._content_rules = asked.of_contents
        self._comparisons = asked.of_entries
        self.cache: ChunkCache | None = None
        """Where decoded chunks are looked for, and kept; None keeps none."""
        self._lock = threading.RLock()
        self._clear()

    def _clear(self) -> None:
        """Begin with nothing evaluated."""
        self._coverage = Coverage(
            self.wanted,
            skipped_rules(self.registry, self.hierarchy, self.wanted, self.values, self.budget),
        )
        self._judge = Judge(self.registry, self._coverage)
        self._records = Records(self.configuration)
        self._usage = ConventionUsage(self.registry)
        self._conformance = Conformance(
            self.hierarchy,
            self.registry,
            self.conventions,
            self._records,
            self._coverage,
            self._usage,
        )
        self._reader = FindingReader(self.hierarchy, self._records, self._conformance)
        self._monotonicity: dict[str, Monotonicity] = {}
        self.byte_budget = ByteBudget(self.budget.max_bytes)
        """What is left of the bytes of values that may be read."""
        self._content_budget: ByteBudget | None = None
        """The same where somebody has wanted all values later; what coordinates may take stays as it is."""
        self._left_contents = False
        """Whether not all of these could be read."""
        self._wants_contents = self.values == "all"
        self._totalled = False
        """Whether the rules on the store as a whole were evaluated."""
        self._unfinished: str | None = None
        """Why the walk before that did not visit all nodes."""
        if self.hierarchy.metadata_source == "consolidated" and self.compares:
            self._records.work.set("/", "stored", True)

    @property
    def complete(self) -> bool:
        """Whether the whole hierarchy has been visited and read, and nothing was cut short."""
        return self._coverage.complete

    @complete.setter
    def complete(self, is_complete: bool) -> None:
        """Set whether the whole hierarchy has been visited and read."""
        self._coverage.complete = is_complete

    @property
    def compares(self) -> bool:
        """Whether consolidated entries are compared with the documents that they are copies of."""
        return self.hierarchy.consolidated is not None and not self._comparisons.issubset(
            # where the budget was spent on the way some were compared
            rule
            for rule, reason in self._coverage.skipped.items()
            if reason != "budget"
        )

    @property
    def not_compared(self) -> bool:
        """Whether consolidated entries are not compared because there are more than the budget allows."""
        return bool(self._coverage.not_compared)

    def compare(self) -> None:
        """Have consolidated entries compared with the stored documents, however many they are, by the next `run`."""
        with self._lock:
            if not self.not_compared:
                return
            self.budget = replace(self.budget, max_comparisons=None)
            for rule_id in self._coverage.not_compared:
                del self._coverage.skipped[rule_id]
            self._judge = Judge(self.registry, self._coverage)
            self.complete = False
            self._records.work.set("/", "stored", True)

    @property
    def values_left_out(self) -> bool:
        """Whether there are rules on all values that wait for somebody who wants these read."""
        return any(self._coverage.skipped.get(rule) == "cost" for rule in self._content_rules)

    @property
    def contents_size(self) -> int:
        """How many bytes the values of the arrays that are known take when they are decoded."""
        with self._lock:
            return sum(record.size for record in self._records.nodes.values())

    @property
    def reads_contents(self) -> bool:
        """Whether all values are being read, or will be, because somebody has wanted them later."""
        return self._wants_contents and self.values != "all"

    def read_contents(self, max_bytes: int | None = None) -> None:
        """Have all values read by the next `run` that is not cut short.

        Parameters
        ----------
        max_bytes : int, optional
            Decoded bytes that may be read, by default `contents_size`. What arrays that are found later take beyond
            that is left out.
        """
        with self._lock:
            for rule_id in self._content_rules:
                self._coverage.skipped.pop(rule_id, None)
            self._judge = Judge(self.registry, self._coverage)
            most = self.contents_size if max_bytes is None else max_bytes
            self._content_budget = ByteBudget(most)
            self._left_contents = False
            self.complete = False
            self._wants_contents = True

    def leave_contents(self) -> None:
        """Have no more values read; what was found stays, and they can be wanted again."""
        with self._lock:
            if self.reads_contents:
                self._wants_contents = False
                self._leave_contents_out()

    def _leave_contents_out(self) -> None:
        left = self._content_rules & self.registry.ids_that_read_all()
        self._coverage.leave_out(left, "cost")
        self._judge = Judge(self.registry, self._coverage)

    @property
    def out_of_time(self) -> bool:
        """Whether the last `run` was ended because it took longer than the budget allows."""
        return self._coverage.out_of_time

    # --- feeding ----------------------------------------------------------------------------

    def add_node(self, node: Node) -> None:
        """Evaluate the rules on a node's own documents and name; see `add_nodes`."""
        self.add_nodes((node,))

    def add_nodes(self, nodes: Sequence[Node]) -> None:
        """Evaluate the rules on the own documents and names of nodes.

        A node of `Hierarchy.stored` replaces the same node as the consolidated metadata have it, and is
        compared with it.

        Parameters
        ----------
        nodes : sequence of Node
            The nodes; nobody else can feed or read meanwhile, so there should not be thousands.
        """
        judge, compares = self._judge, self.compares
        judged = []
        for node in nodes:
            hierarchy = node.hierarchy
            stored, copies = hierarchy.metadata_source == "documents", hierarchy.consolidated
            entry = (
                judge.entry(node.path, node, copies, node.hierarchy)
                if compares and stored and copies is not None
                else None
            )
            documents = judge.documents(node)
            if entry is not None and copies is not None:
                documents, entry = judge.with_entry(node, copies, documents, entry)
            judged.append((node, stored, documents, judge.name(node), entry))
        with self._lock:
            for one in judged:
                self._put_node(*one)

    def _put_node(
        self,
        node: Node,
        stored: bool,
        documents: RuleResults,
        name: RuleResults,
        entry: RuleResults | None,
    ) -> None:
        """Note the results on a node, unless more is known or it is another one by now."""
        path, records, unseen = node.path, self._records, self._coverage.unseen
        known = records.nodes.get(path)
        if (known is not None and known.stored and not stored) or not self._counts_still(node):
            return
        if node.state == "unreadable":
            unseen.add(path)
        elif unseen:
            unseen.discard(path)
        if path == "/":
            self._conformance.note_root(node.attributes)
        self._usage.note(node, known is None)
        array = node if isinstance(node, Array) else None
        size, chunks = (0, 0) if array is None else (array.decoded_bytes, array.separate_chunks)
        record = Record(
            node.kind, node.state, stored, node.zarr_format, False, size, chunks,
            documents, name, entry,
        )  # fmt: skip
        if known is None:
            records.add(path, record)
        else:
            record.take_over(known)
            records.note(path, record)
            records.put(path, record, "documents", documents)
            records.put(path, record, "name", name)
            if entry is not None or record.entry is not None:
                records.put(path, record, "entry", entry or NOTHING)
        if array is None:
            if isinstance(node, Group) and record.members is None:
                records.work.set(path, "members", True)
        elif record.values is None and has_value_rules(array):
            if self.values != "none" and self.budget.allows("V"):
                records.work.set(path, "values", True)
            else:
                left_out = self._judge.values_left_out(array, "cost")
                records.put(path, record, "values", left_out)

    def group_complete(self, group: Group) -> None:
        """Evaluate the rules on a group and its children, which must have been read."""
        members = self._judge.members(group)
        with self._lock:
            if not self._counts_still(group):
                return
            if group.unlisted:
                self._coverage.unseen.add(group.path)
            record = self._records.nodes.get(group.path)
            if record is None:
                return
            if record.stored and group.hierarchy.metadata_source == "consolidated":
                return
            self._records.put(group.path, record, "members", members)
            self._records.work.set(group.path, "members", False)

    def value_rules(self, array: Array, cancel: Cancellation | None = None) -> Monotonicity | None:
        """Read an array named like its dimension, and evaluate the rules on its values.

        Of a scalar it is asked only whether it is stored.

        Parameters
        ----------
        array : Array
            The array.
        cancel : Cancellation, optional
            Stops it between chunks.

        Returns
        -------
        Monotonicity or None
            What its values say, None where the budget is spent or values are not wanted.

        Raises
        ------
        Cancelled
            If it was cancelled.
        """
        if self.values == "none" or not self.budget.allows("V"):
            return self.add_values(array, None, "cost")
        found = read(
            array,
            self.byte_budget,
            chunks=self.asks_for_chunks(array),
            cache=self.cache,
            cancel=cancel,
        )
        return self.add_values(array, found, cancel=cancel)

    def asks_for_chunks(self, array: Array) -> bool:
        """Whether it is asked which chunks of an array are stored."""
        return self._judge.asks_for_chunks(array)

    def add_values(
        self,
        array: Array,
        found: CoordinateFacts | None,
        reason: str = "budget",
        *,
        cancel: Cancellation | None = None,
    ) -> Monotonicity | None:
        """Evaluate the rules on the values of an array that were read.

        A coordinate that is damaged is looked at chunk by chunk, because xarray reads it when it opens the group.

        Parameters
        ----------
        array : Array
            The array.
        found : CoordinateFacts or None
            What was read of it; None where it was not.
        reason : str
            The reason for which it was not.
        cancel : Cancellation, optional
            Ends a look at a damaged coordinate early.

        Returns
        -------
        Monotonicity or None
            What its values say.
        """
        monotonic = None if found is None else found.monotonic
        results = (
            self._judge.values_left_out(array, reason)
            if found is None
            else self._judge.values(array, found)
        )
        with self._lock:
            if not self._counts_still(array):
                return monotonic
            if monotonic is not None:
                self._monotonicity[array.path] = monotonic
            record = self._records.nodes.get(array.path)
            if record is not None:
                self._records.put(array.path, record, "values", results)
                self._records.work.set(array.path, "values", False)
        damaged = monotonic is not None and monotonic.fault in ("codec", "size")
        if damaged and not self._wants_contents:  # where all contents are read, these are, too
            self.content_rules(array, cancel, costly=True)
        return monotonic

    def content_rules(
        self,
        array: Array,
        cancel: Cancellation | None = None,
        progress: Callable[[int, int], object] | None = None,
        *,
        costly: bool = False,
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
        costly : bool
            Whether rules that are left out of other arrays because they read too much are evaluated.

        Raises
        ------
        Cancelled
            If it was cancelled.
        """
        plan = self._judge.plan("contents", array.zarr_format, costly=costly)
        if not plan.rules:
            return
        size = array.decoded_bytes
        budget = self._content_budget or self.byte_budget
        if budget.left < size:
            results = plan.undecided("budget")
            self._left_contents = self._content_budget is not None
            size = 0
        else:
            from nz_explorer.values.contents import contents

            try:
                found = contents(array, client=self.client, cancel=cancel, progress=progress)
            except Cancelled:
                raise
            except Exception as error:  # noqa: BLE001  # named in the report; one array must not take down the others
                results = plan.undecided(f"internal error: {type(error).__name__}: {error}")
            else:
                results = plan.run(array, found)
        with self._lock:
            budget.use(size)
            self._put_on(array, "contents", results)

    def lists_arrays(self, zarr_format: int | None) -> bool:
        """Whether there are rules on what lies in the folders of arrays of a version of Zarr."""
        return bool(self._judge.plan("inside", zarr_format).rules)

    def listing_rules(self, arrays: Sequence[Array], cancel: Cancellation | None = None) -> None:
        """List the folders of arrays, and evaluate the rules on what is there.

        Parameters
        ----------
        arrays : sequence of Array
            The arrays.
        cancel : Cancellation, optional
            Stops it.

        Raises
        ------
        Cancelled
            If it was cancelled.
        """
        arrays = [array for array in arrays if self.lists_arrays(array.zarr_format)]
        found = inside_arrays(self.hierarchy, arrays, cancel=cancel) if arrays else []
        given = [self._judge.inside(*one) for one in zip(arrays, found, strict=True)]
        with self._lock:
            for array, results in zip(arrays, given, strict=True):
                self._put_on(array, "inside", results)

    def _put_on(self, array: Array, part: str, results: RuleResults) -> None:
        """Note results on an array, unless it is not there or is another one by now."""
        record = self._records.nodes.get(array.path)
        if record is not None and self._counts_still(array):
            self._records.put(array.path, record, part, results)

    def consolidated_complete(
        self, cancel: Cancellation | None = None, progress: Progress | None = None
    ) -> bool:
        """Look for consolidated entries without a document, once all stored nodes have been fed.

        Parameters
        ----------
        cancel : Cancellation, optional
            Stops it.
        progress : callable, optional
            Called with the number of entries.

        Returns
        -------
        bool
            Whether all were looked at: of those without a document `MOST_GHOSTS` are.
        """
        stored = self.hierarchy.stored
        consolidated = self.hierarchy.consolidated
        records = self._records
        if consolidated is not None and self.compares:
            with self._lock:
                ghosts = [path for path, record in records.nodes.items() if record.ghost]
                self.drop(path for path in ghosts if path not in consolidated)
            found, results = 0, NOTHING
            for number, path in enumerate(consolidated.paths):
                if number % 500 == 0:
                    if cancel is not None:
                        cancel.check()
                    if progress is not None:
                        progress("entries", number, len(consolidated))
                record = records.nodes.get(path)
                if record is not None and record.stored:
                    continue
                found += 1
                if found > MOST_GHOSTS:
                    with self._lock:
                        self._coverage.leave_out({v.rule.id for v in results.violations}, "budget")
                        records.work.set("/", "stored", False)
                    return False
                results = self._judge.without_document(stored, path, consolidated)
                node = self.hierarchy.node_if_loaded(path) or stored.root
                with self._lock:
                    if record is None:
                        record = Record.of(node)
                        records.note(path, record)
                    record.ghost = True
                    # The one finding is that the node is not there.
                    for part in record.parts:
                        records.put(path, record, part, NOTHING)
                        records.work.set(path, part, False)
                    records.put(path, record, "entry", results)
        with self._lock:
            records.work.set("/", "stored", False)
        return True

    def add_totals(self, unfinished: str | None = None) -> None:
        """Evaluate the rules on the store as a whole, once all nodes have been fed.

        Parameters
        ----------
        unfinished : str, optional
            Why not all of them were.
        """
        with self._lock:
            root = self._records.nodes.get("/")
            if root is None:
                return
            self._totalled = True
            self._unfinished = unfinished
            counted = {
                path: record.separate_chunks
                for path, record in self._records.nodes.items()
                if record.separate_chunks and not record.ghost
            }
            why = unfinished or ("unreadable" if self._coverage.unseen else None)
            results = self._judge.plan("totals", root.zarr_format).run(Totals(counted, why))
            self._records.put("/", root, "totals", results)

    def renew_totals(self) -> None:
        """Evaluate the rules on the store as a whole again, if they were, because nodes have changed."""
        if self._totalled:
            self.add_totals(self._unfinished)

    def _counts_still(self, node: Node) -> bool:
        """Whether a node was neither read again nor edited since, and is none of another hierarchy.

        What was under way then does not hold for the node as it is by now.
        """
        reader = self.hierarchy.reader
        return node.hierarchy.reader is reader and (
            node.generation >= reader.generations.newest
            or reader.generations.counts(node.path, node.generation)
        )

    def forget(self, path: str) -> None:
        """Forget the results on a node and all below it, because it was read again."""
        with self._lock:
            if path == "/":
                self._clear()
                return
            stem = paths.below(path)
            self.drop([p for p in self._records.nodes if p == path or p.startswith(stem)])
            group = paths.above(path)
            if (record := self._records.nodes.get(group)) is not None:
                self._records.put(group, record, "members", None)
                self._records.work.set(group, "members", True)
            self.complete = False

    def drop(self, gone: Iterable[str]) -> None:
        """Forget nodes that are not there any more."""
        with self._lock:
            for path in gone:
                self._records.drop(path)
                self._coverage.unseen.discard(path)
                self._forget_values(path)
                self._usage.forget(path)

    def _forget_values(self, path: str) -> None:
        """Forget what the values of an array say, and that reading them took something."""
        known = self._monotonicity.pop(path, None)
        if known is not None:
            self.byte_budget.use(-known.bytes_read)

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
            coverage, records = self._coverage.copy(), self._records.copy()
            usage = self._usage.copy()
            conformance = self._conformance.fork(hierarchy, records, coverage, usage)
            vars(twin).update(
                hierarchy=hierarchy,
                byte_budget=self.byte_budget.copy(),
                _content_budget=self._content_budget and self._content_budget.copy(),
                _lock=threading.RLock(),
                _coverage=coverage,
                _records=records,
                _usage=usage,
                _conformance=conformance,
                _judge=self._judge.copy(coverage),
                _reader=self._reader.fork(hierarchy, records, conformance),
                _monotonicity=self._monotonicity.copy(),
            )
            return twin

    def compared_with(self, later: Evaluation) -> tuple[list[Finding], list[Finding]]:
        """Return the findings that a fork does not have any more, and those that only it has.

        A finding of which only the message is another one, because a number in it is, is in neither list.
        """
        with self._lock, later._lock:
            places = {*self._records.places, *later._records.places}
            return compared(self._reader, later._reader, places)

    def add_again(self, node: Node, *, values: bool) -> None:
        """Evaluate the rules on a node again, because its documents are others now.

        Parameters
        ----------
        node : Node
            The node as it is now.
        values : bool
            Whether what its values say is to be forgotten as well.
        """
        path = node.path
        with self._lock:
            record = self._records.nodes.get(path)
            if values and record is not None and record.values is not None:
                self._records.put(path, record, "values", None)
                if record.contents is not None:
                    stale = self._judge.plan("contents", record.zarr_format).undecided("cost")
                    # damaged coordinates alone had any where others are not read
                    left = None if self.values_left_out else stale
                    self._records.put(path, record, "contents", left)
                self._forget_values(path)
        self.add_node(node)

    # --- all at once ------------------------------------------------------------------------

    def run(
        self,
        cancel: Cancellation | None = None,
        progress: Progress | None = None,
        *,
        keep_nodes: bool = True,
    ) -> None:
        """Visit the whole hierarchy and evaluate everything that was asked for.

        Parameters
        ----------
        cancel : Cancellation, optional
            Stops it; the evaluation then stays incomplete.
        progress : callable, optional
            Called with what is going on.
        keep_nodes : bool
            Whether nodes that can be had again without a request stay in memory, as they should where they are shown.
        """
        report = progress or (lambda _what, _done, _total: None)
        self._coverage.out_of_time = False
        # planned before the budget can run out: what is found of a part of the store is reported then, too
        self._judge.plan("totals", self.hierarchy.zarr_format)
        try:
            values = "all" if self._wants_contents else self.values
            seconds = self.budget.seconds(self.hierarchy, values)
            with (
                time_limit(seconds, cancel) as limited,
                cancelled_by(limited),
                schedule.reading_ahead(self, limited),
            ):
                finished = schedule.visit(self, limited, report, keep=keep_nodes)
                self.add_totals(None if finished else "budget")
                schedule.read_values(self, limited, report)
                schedule.list_arrays(self, limited, report)
                if self._wants_contents:
                    schedule.read_contents(self, limited, report)
                    with self._lock:
                        self._wants_contents = self.values == "all"
                        if self._left_contents:
                            self._leave_contents_out()
        except TimeLimitExceeded:
            with self._lock:
                self._coverage.out_of_time = True
                self.complete = False
                if not self._totalled:
                    self.add_totals(TIME_LIMIT)
            return
        except Cancelled:
            return
        with self._lock:
            self.complete = finished and not self._coverage.unseen

    def waiting(self, part: str) -> list[str]:
        """Return the sorted paths of the nodes of which a part is still to be evaluated."""
        return self._records.work.waiting(part)

    def known_paths(self) -> list[str]:
        """Return the paths of the nodes that were evaluated, those without a document among them."""
        return list(self._records.nodes)

    def recorded(self, kind: str, formats: Collection[int | None]) -> list[str]:
        """Return the paths of the nodes that were evaluated, of one kind and some versions of Zarr.

        Parameters
        ----------
        kind : str
            ``array``, ``group`` or ``unknown``.
        formats : collection of int or None
            The versions.
        """
        if self._records.formats.isdisjoint(formats):
            return []
        return [
            path
            for path, record in tuple(self._records.nodes.items())
            if record.zarr_format in formats and record.kind == kind
        ]

    def cut_short(self) -> None:
        """Note that rules were not evaluated everywhere because the budget was spent."""
        with self._lock:
            self._coverage.cut_short()

    # --- reading ----------------------------------------------------------------------------

    def __contains__(self, path: str) -> bool:
        return path in self._records.nodes

    @property
    def visited(self) -> list[str]:
        """Paths of all nodes that were evaluated, in the order of the visit."""
        with self._lock:
            return [path for path, record in self._records.nodes.items() if not record.ghost]

    @property
    def groups(self) -> set[str]:
        """Paths of all groups that were evaluated."""
        return {path for path, record in self._records.nodes.items() if record.kind == "group"}

    @property
    def referring(self) -> set[str]:
        """Paths of nodes whose results depend on what other nodes say."""
        return self._usage.nodes

    @property
    def on_documents(self) -> bool:
        """Whether the nodes that are evaluated are the stored ones, not those of consolidated metadata."""
        return self.hierarchy.metadata_source == "documents" or self.compares

    def counts(self, path: str = "/") -> Counts:
        """Return how many findings there are at a node and below it."""
        with self._lock:
            error, warning, info = self._records.counts.at(path)
            if path == "/" and self._conformance.summed_errors():
                error += 1
            done = path in self._records.nodes and not self._records.work.at(path)
            return Counts(error, warning, info, done)

    def findings(self, path: str = "/", below: bool = True) -> list[Finding]:
        """Return the findings at a node, and below it, parents before children.

        Parameters
        ----------
        path : str
            Where the node is.
        below : bool
            Whether those of the nodes below are wanted as well.
        """
        with self._lock:
            return self._reader.findings(path, below)

    def page(
        self,
        path: str,
        below: bool,
        arrange: Callable[[dict[FindingKind, int]], Iterable[Collection[FindingKind]]],
        offset: int,
        limit: int,
    ) -> list[Finding]:
        """Return a few of the findings at a node, and below it; no others are made.

        Parameters
        ----------
        path : str
            Where the node is.
        below : bool
            Whether those of the nodes below are wanted as well.
        arrange : callable
            Gets the number of findings of each kind, and returns groups of kinds: findings of the first come
            first, and within each of them they stay in the order of the tree.
        offset, limit : int
            Where the page begins, and how many it has at most.
        """
        with self._lock:  # nothing may change meanwhile
            index = self._reader.index(path, below)
            placed = index.page(arrange(index.counts), offset, limit)
            return [self._reader.finding(one) for one in placed]

    def finding_index(self) -> tuple[FindingIndex, list[Finding]]:
        """Return which kinds of findings there are where, and the first of each sort; no others are made.

        Returns
        -------
        tuple of FindingIndex and list of Finding
            Both as they are now; only the counts of the index stay right when something changes.
        """
        with self._lock:
            index = self._reader.index("/", below=True)
            return index, [self._reader.finding(one) for one in index.samples]

    def impact(self, violation: Violation) -> Impact:
        """Return what a violation means for the people who read this dataset."""
        return self._conformance.impact(violation)

    def failing(self, meant: Callable[[Violation], bool]) -> set[str]:
        """Return the paths of all nodes that have a violation of a kind, without making the findings."""
        with self._lock:
            return self._reader.failing(meant)

    def not_evaluated(self, path: str = "/", below: bool = True) -> list[NotEvaluated]:
        """Return the rules that were not decided at a node, and below it, with the reason for each.

        Parameters
        ----------
        path : str
            Where the node is.
        below : bool
            Whether those of the nodes below are wanted as well.
        """
        with self._lock:
            return self._reader.not_evaluated(path, below)

    @property
    def not_evaluated_total(self) -> int:
        """How many entries `not_evaluated` has for the whole hierarchy, without making them."""
        with self._lock:
            return len(self._conformance.not_evaluated()) + self._records.undecided.total()

    def monotonicity(self, path: str) -> Monotonicity | None:
        """Return what the values of an array say, if they were read."""
        return self._monotonicity.get(path)

    def locate(self, finding: Finding) -> tuple[str | None, int | None]:
        """Return the key of the document that a finding is about, and the line in it, if known."""
        return self._reader.locate(finding)

    def node(self, path: str) -> Node | None:
        """Return a node as it was evaluated, if it is loaded."""
        return self._reader.node(path)

    @property
    def declared(self) -> bool | None:
        """Whether the root declares NZ-1.0; None before it was evaluated."""
        return self._conformance.declared

    @property
    def nodes(self) -> dict[str, int]:
        """How many groups, arrays and unreadable nodes were visited."""
        with self._lock:
            kinds = Counter(
                "unreadable"
                if record.kind == "unknown" or record.state == "unreadable"
                else record.kind
                for record in self._records.nodes.values()
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
            return self._conformance.by_convention()

    def tallies(self) -> dict[str, Counter[str]]:
        """Return for each rule how often each verdict was given."""
        with self._lock:
            return self._conformance.tallies()
