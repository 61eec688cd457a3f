"""How much an evaluation may read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from nz_explorer.engine.catalogue import COSTS, Cost

if TYPE_CHECKING:
    from nz_explorer.model import Hierarchy

Values = Literal["none", "coordinates", "all"]
Progress = Callable[[str, int, int | None], None]
"""Called with what is being done, how much of it is done, and how much there is, if known."""

NOT_COMPARED = "not compared"
"""The reason for which rules on consolidated entries were not evaluated: each takes a request, and there are many."""
TIME_LIMIT = "time limit"
"""The reason for which rules were not evaluated everywhere: it took too long."""
WAIT_SECONDS = 900.0
"""How long a check of a store behind a network takes at most unless a budget says otherwise."""
VALUE_BYTES = 256 * 1024 * 1024
"""Decoded bytes of coordinates that are read unless a budget says otherwise."""


@dataclass(frozen=True, slots=True)
class Budget:
    """How much an evaluation may read. What it leaves out is reported as not evaluated.

    Attributes
    ----------
    max_cost : str
        The dearest class of rules to evaluate; see `nz_explorer.engine.catalogue.COSTS`.
    max_nodes : int or None
        Nodes to visit.
    max_bytes : int or None
        Decoded bytes of values to read; None for no limit.
    max_requests : int or None
        Requests to the store. A batch that has begun is finished.
    max_comparisons : int or None
        Nodes with consolidated metadata up to which their entries are compared with the stored documents, where
        each document takes a request; None for no limit, 0 to compare none.
    max_seconds : float or None
        How long it may take; by default the deadline of the store, `WAIT_SECONDS` where a network is waited for and not all values are read,
        else as long as it takes.
    """

    max_cost: Cost = "V"
    max_nodes: int | None = None
    max_bytes: int | None = VALUE_BYTES
    max_requests: int | None = None
    max_comparisons: int | None = None
    max_seconds: float | None = None

    def allows(self, cost: Cost) -> bool:
        """Whether rules of a cost class may be evaluated."""
        return COSTS.index(cost) <= COSTS.index(self.max_cost)

    def compares(self, hierarchy: Hierarchy) -> bool:
        """Whether consolidated entries may be compared with the stored documents, as many as there are.

        Parameters
        ----------
        hierarchy : Hierarchy
            What is evaluated.
        """
        if self.max_comparisons is None or hierarchy.reader.local:
            return True
        return len(hierarchy.consolidated or ()) <= self.max_comparisons

    def seconds(self, hierarchy: Hierarchy, values: Values) -> float | None:
        """Return how long an evaluation may take, None for as long as it takes.

        Parameters
        ----------
        hierarchy : Hierarchy
            What is evaluated.
        values : {"none", "coordinates", "all"}
            Which values are read.
        """
        if self.max_seconds is not None:
            return self.max_seconds
        if hierarchy.reader.deadline is not None:
            return hierarchy.reader.deadline
        return None if hierarchy.reader.local or values == "all" else WAIT_SECONDS

    @property
    def is_bounded(self) -> bool:
        """Whether a visit may have to end before all nodes were visited."""
        return self.max_nodes is not None or self.max_requests is not None

    def is_spent(self, nodes: int, requests: int) -> bool:
        """Whether no further node may be visited.

        Parameters
        ----------
        nodes : int
            Nodes that were visited.
        requests : int
            Requests that this took.
        """
        return (self.max_nodes is not None and nodes >= self.max_nodes) or (
            self.max_requests is not None and nodes > 0 and requests > self.max_requests
        )
