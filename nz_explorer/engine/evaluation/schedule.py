"""In which order a whole hierarchy is visited and read."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import AbstractContextManager, closing, nullcontext
from functools import partial
from typing import TYPE_CHECKING, Protocol

from nz_explorer.engine.coordinate_reader import ByteBudget, CoordinateFacts, read_many
from nz_explorer.model import Array, Group, Hierarchy, Node
from nz_explorer.model.paths import below

if TYPE_CHECKING:
    from nz_explorer.engine.evaluation.budget import Budget, Progress
    from nz_explorer.store import Cancellation
    from nz_explorer.values.reading.chunk_cache import ChunkCache

LISTED_AT_ONCE = 256
"""Arrays whose folders are listed before it is asked again whether someone has cancelled."""


ADDED_AT_ONCE = 256
"""Nodes that are evaluated before anybody else has a turn."""
REPORTED = 500
"""Nodes between two reports of the progress."""


class Evaluator(Protocol):
    """What is fed with the nodes that are visited, and what it says of them; `Evaluation` is one."""

    @property
    def hierarchy(self) -> Hierarchy:
        """What is evaluated."""

    @property
    def budget(self) -> Budget:
        """How much may be read."""

    @property
    def byte_budget(self) -> ByteBudget:
        """What is left of the bytes that may be read."""

    @property
    def cache(self) -> ChunkCache | None:
        """Where decoded chunks are kept."""

    @property
    def compares(self) -> bool:
        """Whether consolidated entries are compared with documents."""

    def add_nodes(self, nodes: Sequence[Node]) -> None:
        """Evaluate the documents of nodes.

        Parameters
        ----------
        nodes : sequence of Node
            The nodes.
        """

    def group_complete(self, group: Group) -> None:
        """Evaluate a group with its children."""

    def consolidated_complete(
        self, cancel: Cancellation | None = None, progress: Progress | None = None
    ) -> bool:
        """Look for consolidated entries without a document; return whether all were looked at.

        Parameters
        ----------
        cancel : Cancellation, optional
            Stops it.
        progress : callable, optional
            Called with the number of entries.
        """

    def value_rules(self, array: Array, cancel: Cancellation | None = None) -> object:
        """Read a coordinate and evaluate its values.

        Parameters
        ----------
        array : Array
            The coordinate.
        cancel : Cancellation, optional
            Ends the reading early.
        """

    def add_values(
        self, array: Array, found: CoordinateFacts | None, *, cancel: Cancellation | None = None
    ) -> object:
        """Evaluate the values of a coordinate that was read; None where the budget did not allow it.

        Parameters
        ----------
        array : Array
            The coordinate.
        found : CoordinateFacts or None
            What was read.
        cancel : Cancellation, optional
            Ends a look at a damaged coordinate early.
        """

    def listing_rules(self, arrays: Sequence[Array], cancel: Cancellation | None = None) -> None:
        """List the folders of arrays and evaluate what is there.

        Parameters
        ----------
        arrays : sequence of Array
            The arrays.
        cancel : Cancellation, optional
            Ends the reading early.
        """

    def content_rules(
        self,
        array: Array,
        cancel: Cancellation | None = None,
        progress: Callable[[int, int], object] | None = None,
    ) -> None:
        """Read all values of an array and evaluate them.

        Parameters
        ----------
        array : Array
            The array.
        cancel : Cancellation, optional
            Ends the reading early.
        progress : callable, optional
            Called with the number of chunks read, and of all.
        """

    def asks_for_chunks(self, array: Array) -> bool:
        """Whether it is asked which chunks of an array are stored."""

    def lists_arrays(self, zarr_format: int | None) -> bool:
        """Whether there are rules on the folders of arrays of a version of Zarr."""

    def waiting(self, part: str) -> list[str]:
        """Paths of nodes of which a part is still to be evaluated."""

    def known_paths(self) -> list[str]:
        """Paths of the nodes that are known."""

    def recorded(self, kind: str, formats: Collection[int | None]) -> list[str]:
        """Return the paths of the nodes that are known, of one kind and some versions of Zarr.

        Parameters
        ----------
        kind : str
            ``array``, ``group`` or ``unknown``.
        formats : collection of int or None
            The versions.
        """

    def node(self, path: str) -> Node | None:
        """Return a node as it was evaluated."""

    def drop(self, gone: Iterable[str]) -> None:
        """Forget nodes that are not there any more."""

    def cut_short(self) -> None:
        """Note that the budget was spent before all nodes were visited."""


def visit(
    evaluator: Evaluator, cancel: Cancellation | None, report: Progress, *, keep: bool
) -> bool:
    """Walk the stored documents where they may be read, else the consolidated ones.

    Parameters
    ----------
    evaluator : Evaluator
        What is fed with the nodes.
    cancel : Cancellation or None
        Stops it.
    report : callable
        Called with the number of nodes.
    keep : bool
        Whether nodes that can be had again without a request stay in memory.

    Returns
    -------
    bool
        Whether all nodes were visited; False where the budget was spent before.

    Raises
    ------
    Cancelled
        If it was cancelled.
    """
    compares = evaluator.compares
    hierarchy = evaluator.hierarchy.stored if compares else evaluator.hierarchy
    reader, budget = hierarchy.reader, evaluator.budget
    before = reader.counters.requests
    total = evaluator.hierarchy.nodes_total
    gone = set(evaluator.known_paths())
    number, at_once = 0, 1 if budget.is_bounded else ADDED_AT_ONCE
    for group, nodes in hierarchy.walk_groups(cancel=cancel, keep=keep):
        # those of a few nodes stay decoded until the group is evaluated with them
        many = len(nodes) > ADDED_AT_ONCE
        for begin in range(0, len(nodes), at_once):
            if budget.is_bounded and budget.is_spent(number, reader.counters.requests - before):
                evaluator.cut_short()
                return False
            some = nodes[begin : begin + at_once]
            evaluator.add_nodes(some)
            gone.difference_update([node.path for node in some])
            if many:
                _release(some, hierarchy)
            if number // REPORTED != (number + len(some)) // REPORTED or not number:
                report("nodes", number, total)
            number += len(some)
            if cancel is not None:
                cancel.check()
        if group is not None:
            evaluator.group_complete(group)
            _release((group,), hierarchy)
        if keep or hierarchy.metadata_source == "documents":  # else most are gone in a moment
            _release(nodes, hierarchy)
    known = len(evaluator.known_paths())
    report("nodes", known, known)
    evaluator.drop(gone)
    return evaluator.consolidated_complete(cancel, report) if compares else True


def reading_ahead(
    evaluator: Evaluator, cancel: Cancellation | None
) -> AbstractContextManager[None]:
    """Have ready what `visit` and `list_arrays` ask for level by level, as far as it is known beforehand.

    Parameters
    ----------
    evaluator : Evaluator
        What is fed.
    cancel : Cancellation or None
        Stops it.
    """
    hierarchy = evaluator.hierarchy
    if hierarchy.reader.local or evaluator.budget.is_bounded:
        return nullcontext()
    names = ("zarr.json",) if hierarchy.zarr_format == 3 else (".zarray", ".zgroup", ".zattrs")
    keys: list[str] = []
    if evaluator.compares and hierarchy.consolidated is not None:
        known = hierarchy.stored.node_if_loaded
        paths = [path for path in hierarchy.consolidated.paths if known(path) is None]
        keys = [below(path)[1:] + name for path in paths for name in names]
    read = hierarchy.metadata_source == "documents"
    return hierarchy.reader.reading_ahead(keys, names if read else (), cancel)


def _release(nodes: Iterable[Node], hierarchy: Hierarchy) -> None:
    """Have nodes forget their decoded documents; the root stays, of which many rules ask something."""
    for node in nodes:
        if node is not hierarchy.root:
            node.release()


def read_values(evaluator: Evaluator, cancel: Cancellation | None, report: Progress) -> None:
    """Read the coordinates whose values are still to be evaluated.

    Parameters
    ----------
    evaluator : Evaluator
        What is given the values.
    cancel : Cancellation or None
        Stops it.
    report : callable
        Called with the number of coordinates.

    Raises
    ------
    Cancelled
        If it was cancelled.
    """
    waiting = evaluator.waiting("values")
    arrays = (array for path in waiting if isinstance(array := evaluator.node(path), Array))
    if evaluator.hierarchy.reader.local:
        # nothing is waited for there, and threads would only get into each other's way
        for number, array in enumerate(arrays):
            report("coordinates", number, len(waiting))
            evaluator.value_rules(array, cancel)
        return
    found = read_many(
        arrays,
        evaluator.byte_budget,
        chunks=evaluator.asks_for_chunks,
        cache=evaluator.cache,
        cancel=cancel,
    )
    with closing(found):
        report("coordinates", 0, len(waiting))
        for number, one in enumerate(found, 1):
            evaluator.add_values(*one, cancel=cancel)
            report("coordinates", number, len(waiting))


def list_arrays(evaluator: Evaluator, cancel: Cancellation | None, report: Progress) -> None:
    """List the folders of all arrays that there are rules on.

    Parameters
    ----------
    evaluator : Evaluator
        What lists them and evaluates what is there.
    cancel : Cancellation or None
        Stops it.
    report : callable
        Called with the number of arrays.

    Raises
    ------
    Cancelled
        If it was cancelled.
    """
    formats = {number for number in (2, 3) if evaluator.lists_arrays(number)}
    if not formats:
        return
    arrays = [
        node
        for path in evaluator.recorded("array", formats)
        if isinstance(node := evaluator.node(path), Array)
    ]
    for begin in range(0, len(arrays), LISTED_AT_ONCE):
        report("listings", begin, len(arrays))
        some = arrays[begin : begin + LISTED_AT_ONCE]
        evaluator.listing_rules(some, cancel)
        _release(some, evaluator.hierarchy)


def read_contents(evaluator: Evaluator, cancel: Cancellation | None, report: Progress) -> None:
    """Read all values of all arrays.

    Parameters
    ----------
    evaluator : Evaluator
        What reads and evaluates them.
    cancel : Cancellation or None
        Stops it.
    report : callable
        Called with the path of each array and the number of its chunks.

    Raises
    ------
    Cancelled
        If it was cancelled.
    """
    for path in evaluator.known_paths():
        array = evaluator.node(path)
        if isinstance(array, Array):
            evaluator.content_rules(array, cancel, partial(report, path))
