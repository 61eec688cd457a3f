"""What is counted over all arrays of a hierarchy, for rules on the store as a whole."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Totals:
    """What a walk has counted; the same for the same arrays, in whatever order they were visited.

    Attributes
    ----------
    separate_chunks : mapping of str to int
        Path of each array that has chunks outside of shards, and how many there are.
    unfinished : str or None
        Why the walk did not visit all nodes, such as ``budget``; None where it did.
    """

    separate_chunks: Mapping[str, int]
    unfinished: str | None
