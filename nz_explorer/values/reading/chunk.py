"""A chunk as it was found: its values, or why it cannot be read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

NOT_WRITTEN = 2**64 - 1
"""What the index of a shard has, as first byte and as length, for a chunk that was not written."""

FaultKind = Literal["store", "size", "codec", "limit"]


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a chunk cannot be read.

    Parameters
    ----------
    kind
        ``store`` where it could not be fetched, ``size`` where it has not as many bytes as its
        codecs always make, ``codec`` where it cannot be decoded, ``limit`` where that would take more
        than a limit.
    text
        The error message of the store or the codec.
    """

    kind: FaultKind
    text: str


_LEAST_ENTRY = 256  # what an entry costs beside its values
ChunkState = Literal["present", "absent", "unreadable"]


@dataclass(frozen=True, slots=True)
class Chunk:
    """A chunk as it was found.

    Parameters
    ----------
    state
        ``absent`` where the store has no such key; its values are then the storage fill value.
    values
        The decoded values inside the array's shape; None where it is unreadable.
    fault
        Why it is unreadable.
    """

    state: ChunkState
    values: np.ndarray[Any, Any] | None
    fault: Fault | None = None

    @property
    def error(self) -> str | None:
        """Why it is unreadable, in a sentence."""
        return None if self.fault is None else self.fault.text

    @property
    def nbytes(self) -> int:
        """What it costs to keep; an absent chunk is one value repeated."""
        if self.values is None:
            return _LEAST_ENTRY
        owner = self.values.base
        size = owner.nbytes if isinstance(owner, np.ndarray) else self.values.nbytes
        return _LEAST_ENTRY + size * (4 if self.values.dtype.hasobject else 1)
