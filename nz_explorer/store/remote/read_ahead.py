"""Answers to requests that are known to come, asked for side by side instead of level by level."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from nz_explorer.store.reader import Listing, is_safe

NOT_KNOWN: Final = object()


class ReadAhead:
    """What a store has answered before it was needed.

    Parameters
    ----------
    generation : int
        The generation in which it was asked; later ones ask again.
    answers : mapping
        Answers by request.
    everything : Listing, optional
        All keys of the store, if they came in one listing.
    """

    def __init__(
        self, generation: int, answers: Mapping[Any, Any], everything: Listing | None
    ) -> None:
        self._generation = generation
        self._answers = answers
        self._names: dict[str, set[str]] | None = None
        if everything is not None and is_safe("/".join(everything.names)):
            self._names = {}
            for key in everything.names:
                folder = key
                while folder:
                    folder, _, name = folder.rpartition("/")
                    self._names.setdefault(folder, set()).add(name)

    def answer(self, generation: int, what: tuple[Any, ...]) -> Any:
        """Return the answer to a request, `NOT_KNOWN` where the store has to be asked.

        Parameters
        ----------
        generation : int
            The generation in which it is asked.
        what : tuple
            The request, as `RemoteReader` has it.
        """
        if generation != self._generation:
            return NOT_KNOWN
        if what in self._answers:
            return self._answers[what]
        if self._names is None or not is_safe(what[1] or "root"):
            return NOT_KNOWN
        if what[0] == "list":
            names, limit = self._names.get(what[1], set()), what[2]
            return (
                Listing(tuple(sorted(names))) if limit is None or len(names) <= limit else NOT_KNOWN
            )
        nothing_there = what[0] == "get" and what[1].rpartition("/")[0] not in self._names
        return None if nothing_there else NOT_KNOWN
