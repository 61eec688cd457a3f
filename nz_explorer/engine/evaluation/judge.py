"""Which rules apply to each thing that is evaluated, and their results. Equal things share a result."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING

from nz_explorer.engine.entry_comparison import Pair
from nz_explorer.engine.evaluation.entry_harms import (
    as_entry,
    in_folder,
    together,
    with_entry,
    without_document,
)
from nz_explorer.engine.evaluation.hidden_nodes import as_seen
from nz_explorer.engine.memo_keys import MEMO_ENTRIES
from nz_explorer.engine.plan import NOTHING, Plan, RuleResults, joined
from nz_explorer.model import Array, Group, Inside, Node, is_candidate
from nz_explorer.store import ReadError

if TYPE_CHECKING:
    from nz_explorer.engine.coordinate_reader import CoordinateFacts
    from nz_explorer.engine.evaluation.coverage import Coverage
    from nz_explorer.engine.registry import On, Registry
    from nz_explorer.model import Consolidated
    from nz_explorer.model.hierarchy import Hierarchy

_SUBJECTS: dict[str, tuple[On, ...]] = {
    "group": ("document", "node", "group"),
    "array": ("document", "node", "array"),
    "unknown": ("document", "node", "array", "group"),
    "root group": ("document", "node", "group", "root"),
    "root array": ("document", "node", "array", "root"),
    "root unknown": ("document", "node", "array", "group", "root"),
}
"""What the rules of a plan are about; the other plans are called like their one subject."""


def has_value_rules(array: Array) -> bool:
    """Whether there are rules on what is stored for an array even if not all values are read."""
    return is_candidate(array) or array.shape == ()


class Judge:
    """Runs the rules that apply to a node, its values, its folder or its consolidated entry.

    It reads nothing and records nothing. May be used from several threads.

    Parameters
    ----------
    registry : Registry
        The rules that are known.
    coverage : Coverage
        Which of them are to be evaluated.
    """

    def __init__(self, registry: Registry, coverage: Coverage) -> None:
        self._registry = registry
        self._coverage = coverage
        self._plans: dict[tuple[str, int | None, bool], Plan] = {}
        self._names: dict[tuple[str, int | None], RuleResults] = {}
        self._left_out: dict[tuple[tuple[Plan, ...], str], RuleResults] = {}
        self._agreed: RuleResults | None = None
        """The results for every node whose consolidated entries are those of its documents."""
        self._equal: dict[bytes, bytes] = {}
        """Documents that many nodes share, and an entry that means the same."""

    def copy(self, coverage: Coverage) -> Judge:
        """Return one that knows the same results.

        Parameters
        ----------
        coverage : Coverage
            A copy of that of this one.
        """
        twin = copy.copy(self)
        vars(twin).update(
            _coverage=coverage,
            _plans=self._plans.copy(),
            _names=self._names.copy(),
            _left_out=self._left_out.copy(),
            _equal=self._equal.copy(),
        )
        return twin

    def plan(self, subject: str, zarr_format: int | None, *, costly: bool = False) -> Plan:
        """Return the rules that apply to a subject.

        Parameters
        ----------
        subject : str
            A kind of node, the same after ``root``, or what else rules are about; see `registry.On`.
        zarr_format : int or None
            Version of the node's documents.
        costly : bool
            Whether rules are among them that are left out elsewhere because they read too much.
        """
        plan = self._plans.get((subject, zarr_format, costly))
        if plan is None:
            fallback: On = subject  # type: ignore[assignment]  # the other subjects are called like their plan
            left_out = {
                rule_id
                for rule_id, reason in self._coverage.skipped.items()
                if not (costly and reason == "cost")
            }
            asked = self._coverage.wanted - left_out
            plan = Plan(self._registry, _SUBJECTS.get(subject, (fallback,)), zarr_format, asked)
            self._plans[subject, zarr_format, costly] = plan
        return plan

    def asks_for_chunks(self, array: Array) -> bool:
        """Whether it is asked which chunks of an array are stored."""
        return bool(self.plan("chunks", array.zarr_format).rules)

    def documents(self, node: Node) -> RuleResults:
        """Return the results on a node's own documents."""
        if node.path == "/":
            return as_seen(self.plan(f"root {node.kind}", node.zarr_format).run_node(node), node)
        if node.state == "missing" or not node.documents:
            return NOTHING
        return as_seen(self.plan(node.kind, node.zarr_format).run_node(node), node)

    def name(self, node: Node) -> RuleResults:
        """Return the results on a node's name; the root has none."""
        if node.path == "/":
            return NOTHING
        key = (node.name, node.zarr_format)
        known = self._names.get(key)
        if known is None:
            known = self.plan("name", node.zarr_format).run(node.name)
            if len(self._names) < MEMO_ENTRIES:
                self._names[key] = known
        return known

    def entry(
        self,
        path: str,
        node: Node | None,
        consolidated: Consolidated,
        hierarchy: Hierarchy,
    ) -> RuleResults:
        """Return the results on a consolidated entry and the document that it is a copy of.

        Parameters
        ----------
        path : str
            Path of the node.
        node : Node or None
            The node as it is stored, None where there is no document.
        consolidated : Consolidated
            Where the entry is.
        hierarchy : Hierarchy
            The documents that are stored.
        """
        text = None if node is None else node.text
        written = None if text is None or path == "/" else consolidated.written(path)
        same = text is not None and written is not None and self._equal.get(text) == written
        if same and self._agreed is not None:  # as nearly always
            return self._agreed
        pair = Pair(path, node, consolidated, hierarchy)
        results = self.plan("entry", consolidated.zarr_format).run
        if path == "/" or not (same or pair.agrees):
            return results(pair)
        if text is not None and written is not None:
            self._equal[text] = written
        if self._agreed is None:
            self._agreed = results(pair)
        return self._agreed

    def with_entry(
        self, node: Node, consolidated: Consolidated, documents: RuleResults, entry: RuleResults
    ) -> tuple[RuleResults, RuleResults]:
        """Return the results on documents and their entry, with what readers of the entry do where it differs.

        Parameters
        ----------
        node : Node
            The node as it is stored.
        consolidated : Consolidated
            Where the entry is.
        documents, entry : RuleResults
            What `documents` and `entry` have said of it.
        """
        by_documents = node.path == "/" and "consolidated" not in node.hierarchy.modes
        if by_documents or (entry.clean and node.path not in consolidated):
            return documents, entry
        if entry.clean:
            # without its shape zarr-python takes an array of Zarr v2 for a group
            as_group = node.zarr_format == 2 and "shape" not in node.metadata
            return documents if as_group else as_entry(documents), entry
        return with_entry(node, consolidated, documents, entry, self.documents)

    def without_document(
        self, hierarchy: Hierarchy, path: str, consolidated: Consolidated
    ) -> RuleResults:
        """Return the results on a consolidated entry that belongs to no document.

        Parameters
        ----------
        hierarchy : Hierarchy
            The documents that are stored.
        path : str
            The node that the entry is for.
        consolidated : Consolidated
            Where the entry is.
        """
        results = self.entry(path, None, consolidated, hierarchy)
        return without_document(hierarchy, path, consolidated, results, self.documents)

    def members(self, group: Group) -> RuleResults:
        """Return the results on a group and its children, which must have been read."""
        plan = self.plan("members", group.zarr_format)
        children = group.children
        unknown = not children and not group.other_names
        if children is None or (group.listing_problem is not None and unknown):
            return plan.undecided(
                f"unreadable: {group.listing_problem}" if group.unlisted else "listing"
            )
        return together(group, plan.run(group))

    def values(self, array: Array, found: CoordinateFacts) -> RuleResults:
        """Return the results on the values of a coordinate, and on the chunks that are not stored.

        Parameters
        ----------
        array : Array
            The array.
        found : CoordinateFacts
            Monotonicity and stored chunks of the array, as far as they are known.
        """
        results = NOTHING
        if found.absence is not None:
            results = self.plan("chunks", array.zarr_format).run(array, found.absence)
        if found.monotonic is not None:
            plan = self.plan("values", array.zarr_format)
            results = joined(plan.run(array, found.monotonic), results)
        return results

    def values_left_out(self, array: Array, reason: str) -> RuleResults:
        """Return that the rules on the values of a coordinate or a scalar were not evaluated.

        Parameters
        ----------
        array : Array
            The array.
        reason : str
            Why they were not evaluated, such as ``budget``.
        """
        kinds: tuple[On, ...] = ("chunks",) if array.shape == () else ("values", "chunks")
        plans = tuple(self.plan(kind, array.zarr_format) for kind in kinds)
        known = self._left_out.get((plans, reason))
        if known is None:
            known = joined(*(plan.undecided(reason) for plan in plans))
            self._left_out[plans, reason] = known
        return known

    def inside(self, array: Array, inside: Inside | ReadError | None) -> RuleResults:
        """Return the results on what lies in an array's folder; None where it cannot be listed.

        Parameters
        ----------
        array : Array
            The array.
        inside : Inside, ReadError or None
            The contents of its folder, the error of the listing, or None where the store cannot be listed.
        """
        plan = self.plan("inside", array.zarr_format)
        if inside is None:
            return plan.undecided("listing")
        if isinstance(inside, ReadError):
            return plan.undecided(f"unreadable: {inside.detail}")
        usual = array.zarr_format == 3 and _is_usual(array, inside)
        return plan.passed if usual else in_folder(array, plan.run(array, inside))


_USUAL_KEYS = (
    {"name": "default", "configuration": {"separator": "/"}},
    {"name": "default"},
    "default",
)


def _is_usual(array: Array, inside: Inside) -> bool:
    """Whether there is nothing in an array's folder but its documents and chunks."""
    own = tuple([document.name for document in array.documents])
    keys = inside.chunk_names == () or (
        inside.chunk_names == ("c",)
        and array.metadata.get("chunk_key_encoding") in _USUAL_KEYS
        # the only chunk of a scalar is a file, those of others lie in a folder
        and "c" not in (inside.files if array.ndim else inside.folders)
    )
    return keys and inside.complete and not inside.nodes and inside.other_names == own
