"""Findings and open work, counted for each node and all groups above it."""

from __future__ import annotations

import copy
from collections import Counter

from nz_explorer.model import paths

_NONE = (0, 0, 0)


class FindingCounts:
    """How many findings of each severity there are at a node and below it.

    Adding is cheap: what was added is counted when someone asks, and groups above are brought up to date once for
    all nodes of a group. Not safe to use from several threads; `Evaluation` has a lock.
    """

    def __init__(self) -> None:
        self._parts: dict[str, int] = {}
        self._counts: dict[str, tuple[int, int, int]] = {}
        """Findings of each severity at a node and below, except for those that are still to rise."""
        # Side by side, because the garbage collector looks at each tuple that is kept.
        self._places: list[str] = []
        self._found: list[tuple[int, int, int]] = []
        self._signs: list[int] = []
        """What was added where and is not counted yet, and whether it was taken away instead."""

    def copy(self) -> FindingCounts:
        """Return the same counts, which change independently."""
        twin = copy.copy(self)
        vars(twin).update({name: counts.copy() for name, counts in vars(self).items()})
        return twin

    @property
    def parts(self) -> dict[str, int]:
        """For each node that findings sit on, from how many parts of results they come."""
        self._count()
        return self._parts

    def add(self, place: str, found: tuple[int, int, int], sign: int) -> None:
        """Add findings at a node to the counts of it and all above, or take them away.

        Parameters
        ----------
        place : str
            Path of the node that they sit on.
        found : tuple of int
            Errors, warnings and notes in one part of the results.
        sign : {1, -1}
            Whether they are added or taken away.
        """
        self._places.append(place)
        self._found.append(found)
        self._signs.append(sign)

    def at(self, path: str) -> tuple[int, int, int]:
        """Return how many errors, warnings and notes there are at a node and below it."""
        self._count()
        return self._counts.get(path, _NONE)

    def _count(self) -> None:
        if not self._places:
            return
        parts, counts = self._parts, self._counts
        rising: dict[str, tuple[int, int, int]] = {}
        group, errors, warnings, notes = "", 0, 0, 0
        for place, one, sign in zip(self._places, self._found, self._signs, strict=True):
            number = parts[place] = parts.get(place, 0) + sign
            if not number:
                del parts[place]
            found = one if sign > 0 else (-one[0], -one[1], -one[2])
            before = counts.get(place)
            counts[place] = (
                found
                if before is None
                else (before[0] + found[0], before[1] + found[1], before[2] + found[2])
            )
            if place == "/":
                continue
            above = place.rpartition("/")[0]
            if above != group:  # most come after others of their group
                _add(rising, group, (errors, warnings, notes))
                group, errors, warnings, notes = above, 0, 0, 0
            errors, warnings, notes = errors + found[0], warnings + found[1], notes + found[2]
        _add(rising, group, (errors, warnings, notes))
        for added in (self._places, self._found, self._signs):
            added.clear()
        for group, one in rising.items():
            for place in (group or "/", *(paths.all_above(group) if group else ())):
                _add(counts, place, one)


def _add(counts: dict[str, tuple[int, int, int]], place: str, found: tuple[int, int, int]) -> None:
    before = counts.get(place)
    counts[place] = (
        found
        if before is None
        else (before[0] + found[0], before[1] + found[1], before[2] + found[2])
    )


class OpenWork:
    """What is still to be evaluated, and how much of that there is at a node and below it."""

    def __init__(self) -> None:
        self._open: set[tuple[str, str]] = set()
        self._pending: Counter[str] = Counter()

    def copy(self) -> OpenWork:
        """Return the same work, which changes independently."""
        twin = copy.copy(self)
        vars(twin).update(_open=self._open.copy(), _pending=self._pending.copy())
        return twin

    def set(self, path: str, part: str, is_open: bool) -> None:
        """Note whether a part of the results on a node is still to be evaluated.

        Parameters
        ----------
        path : str
            The node.
        part : str
            The part of its results.
        is_open : bool
            Whether it is still to be evaluated.
        """
        if ((path, part) in self._open) == is_open:
            return
        (self._open.add if is_open else self._open.discard)((path, part))
        for place in (path, *paths.all_above(path)):
            self._pending[place] += 1 if is_open else -1

    def at(self, path: str) -> int:
        """Return how many parts are open at a node and below it."""
        return self._pending[path]

    def waiting(self, part: str) -> list[str]:
        """Return the sorted paths of the nodes of which a part is open."""
        return [path for path, one in sorted(self._open) if one == part]
