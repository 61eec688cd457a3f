"""A measurement beside its reference, and how two are taken in turns."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass

ROUNDS = 5


@dataclass
class Result:
    """A measurement beside its reference; `ratio` is how many times as fast we are."""

    work: str
    ours: float
    reference: str
    theirs: float | None
    ratio: float | None
    budget: str
    holds: bool


def side_by_side(
    work: str,
    ours: Callable[[], object],
    reference: str,
    theirs: Callable[[], object],
    least: float,
    *,
    rounds: int = ROUNDS,
) -> Result:
    """Take turns, so that what else the machine does hits both."""
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(rounds):
        for call, taken in zip((ours, theirs), times, strict=True):
            began = time.perf_counter()
            call()
            taken.append(time.perf_counter() - began)
    mine, other = (statistics.median(taken) for taken in times)
    ratio = other / mine
    return Result(work, mine, reference, other, ratio, f">= {least:g} x", ratio >= least)


def alone(work: str, seconds: float, budget: str, holds: bool) -> Result:
    """Return a measurement without a reference."""
    return Result(work, seconds, "-", None, None, budget, holds)
