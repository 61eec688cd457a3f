"""Which state of a store something was read in: as it is stored, read again, or edited."""

from __future__ import annotations

import itertools
import threading

_numbers = itertools.count(1)


class Generations:
    """The generations of a store, and since which of them what is known of each node counts.

    A generation is a number that no other state of any store has; a later one is greater. It begins when a store is
    opened, read again or edited. Whatever is remembered of a store has the generation that it was read in as part of
    its key, or is compared with `counts` before it is accepted; so an answer that was under way while the store was
    read again cannot bring back what was there before.

    Safe to use from several threads.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.now = next(_numbers)
        """The generation of what is read from now on."""
        self.newest = 0
        """The latest one in which anything was superseded: what was read in it or later counts."""
        self._nodes: dict[str, int] = {}
        self._trees: dict[str, int] = {}

    def begin(self) -> int:
        """Begin a generation, and return it."""
        with self._lock:
            self.now = next(_numbers)
            return self.now

    def counts(self, path: str, generation: int) -> bool:
        """Whether what was read of a node in a generation has not been superseded since.

        Parameters
        ----------
        path : str
            Absolute path of the node.
        generation : int
            What was `now` before it was read.
        """
        if generation >= self.newest:  # as nearly always
            return True
        with self._lock:
            return self._counts(path, generation)

    def _counts(self, path: str, generation: int) -> bool:
        if generation < max(self._nodes.get(path, 0), self._trees.get("/", 0)):
            return False
        while path and path != "/":
            if generation < self._trees.get(path, 0):
                return False
            path = path.rpartition("/")[0]
        return True

    def supersede(self, path: str, generation: int, *, below: bool = True) -> bool:
        """Have nothing count any more that was read of a node before a generation.

        Parameters
        ----------
        path : str
            Absolute path of the node.
        generation : int
            In which it was read anew.
        below : bool
            Whether that is so for all below it, too.

        Returns
        -------
        bool
            False where it was read anew in a later generation already: then this one does not count itself.
        """
        with self._lock:
            if not self._counts(path, generation):
                return False
            if path == "/" and below:  # which implies the same for all that is older
                self._nodes = {p: n for p, n in self._nodes.items() if n > generation}
                self._trees = {p: n for p, n in self._trees.items() if n > generation}
            (self._trees if below else self._nodes)[path] = generation
            self.newest = max(self.newest, generation)
            return True
