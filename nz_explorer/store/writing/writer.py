"""What every writer of documents does, and how it fails."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

State = Literal["old", "new", "mixed"]


@dataclass(frozen=True, slots=True)
class Edit:
    """A document before and after; None where there is none."""

    key: str
    before: bytes | None
    after: bytes | None


class WriteError(Exception):
    """Documents were not written.

    Parameters
    ----------
    message : str
        Why, and what the store holds now, in one or two sentences.
    state : {"old", "mixed"}
        ``old``: the store is as it was; ``mixed``: it could not be restored, and the journal is kept.
    """

    def __init__(self, message: str, state: State = "old") -> None:
        super().__init__(message)
        self.state = state


class Interrupted(WriteError):
    """An earlier bundle was interrupted, or is being written by someone else."""


@dataclass(frozen=True, slots=True)
class Recovery:
    """What became of a bundle that was interrupted.

    Attributes
    ----------
    state : {"old", "new"}
        Which documents the store holds now.
    keys : tuple of str
        The documents of the bundle.
    """

    state: State
    keys: tuple[str, ...] = ()

    @property
    def message(self) -> str:
        """What happened, in a sentence."""
        if self.state == "new":
            return "an earlier fix was interrupted after it had written everything: the store is the new one"
        if not self.keys:
            return "an earlier fix was interrupted before it changed anything: the store is the old one"
        return (
            "an earlier fix was interrupted while it was writing: the store was put back to the old one"
            f" ({', '.join(self.keys)})"
        )


class Writer(ABC):
    """Writes documents into one store."""

    @abstractmethod
    def pending(self) -> bool:
        """Whether there is a journal."""

    @abstractmethod
    def recover(self) -> Recovery | None:
        """Restore, or complete, what was interrupted; None where nothing was.

        To be called only when a person has asked for it: the journal may be a stranger's, or belong to someone who
        is writing right now.

        Raises
        ------
        WriteError
            If it cannot be, or the journal is not one that was written here; then nothing was touched.
        """

    @abstractmethod
    def write(self, edits: Sequence[Edit]) -> None:
        """Write a bundle of documents: all of them or none.

        Raises
        ------
        Interrupted
            If there is a journal; see `recover`.
        WriteError
            If they were not written.
        """
