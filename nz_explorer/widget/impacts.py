"""How many findings of which impact there are, by node: for the header and the shapes in the tree."""

from __future__ import annotations

import threading
import time
from collections import Counter

from nz_explorer.diagnosis.hints import doubts, hints
from nz_explorer.diagnosis.impact import (
    IMPACTS,
    Harm,
    forecasts,
    harms,
    is_step,
)
from nz_explorer.engine.evaluation import Evaluation
from nz_explorer.engine.evaluation.finding_index import FindingIndex
from nz_explorer.engine.impact import Impact
from nz_explorer.widget import protocol

SHARE = 20
"""Counting again waits for this many times what counting took: the walk goes on meanwhile."""


def impacts_of(found: Counter[Impact]) -> protocol.Impacts:
    """Return counts by impact as the browser gets them."""
    return protocol.Impacts(*(found[impact] for impact in IMPACTS))


class Impacts:
    """Counts by impact of an evaluation, taken from its index of findings when somebody asks; no finding is made.

    The engine counts by severity as it goes; impacts are looked at by people only, so the index is made for them,
    and not again before enough time has passed.
    """

    def __init__(self, evaluation: Evaluation) -> None:
        self._evaluation = evaluation
        self._lock = threading.Lock()
        self._state: object = None
        self._next = 0.0
        self._index: FindingIndex | None = None
        self._harms: dict[Harm, None] = {}
        self._steps: frozenset[str] = frozenset()

    def at(self, path: str) -> protocol.Impacts:
        """Return the counts of a node and everything below it."""
        with self._lock:
            self._refresh()
            found: Counter[Impact] = Counter()
            for (_, _, impact), number in (
                self._index.counts_below(path).items() if self._index is not None else ()
            ):
                found[impact] += number
            return impacts_of(found)

    def steps(self) -> int:
        """Return how many rules keep the store from NZ-1.0, where it does not declare that."""
        with self._lock:
            self._refresh()
            return len(self._steps)

    def readers(self) -> list[protocol.Forecast]:
        """Return what readers will make of the store."""
        with self._lock:
            self._refresh()
            found = tuple(self._harms)
        return [
            protocol.Forecast(
                one.reader, one.opens, list(one.blocked_by), list(one.misled_by), one.reason
            )
            for one in forecasts(
                found,
                complete=self._evaluation.complete,
                untold=self._evaluation.untold,
                unwritten=self._evaluation.hierarchy.reader.unwritten,
                unknown=doubts(self._evaluation),
                known=hints(self._evaluation),
            )
        ]

    def _refresh(self) -> None:
        evaluation = self._evaluation
        counts = evaluation.counts("/")
        state = (counts, evaluation.declared)
        if state == self._state or (time.monotonic() < self._next and not counts.complete):
            return
        began = time.monotonic()
        index, samples = evaluation.finding_index()
        hurt: dict[Harm, None] = {}
        steps = set()
        zarr_format = evaluation.hierarchy.zarr_format
        for finding in samples:
            hurt.update(dict.fromkeys(harms(finding)))
            if not evaluation.declared and is_step(finding, zarr_format=zarr_format):
                steps.add(finding.rule)
        self._index, self._harms, self._steps = index, hurt, frozenset(steps)
        self._state = state
        now = time.monotonic()
        self._next = now + SHARE * (now - began)
