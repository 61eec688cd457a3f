"""Which of the dates along an axis are written beneath it: where a year, a month, a day or an hour begins."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

MOST = 40
"""More ticks than this stand beside no picture."""

Tick = tuple[int, str]
"""The number of a point, and what is written there."""

_ISO = re.compile(r"(-?\d{4,})(?:-(\d\d)(?:-(\d\d)(?:[T ](\d\d)(?::(\d\d))?)?)?)?")
_ROUNDS = {
    5: (1, 5, 10, 15, 30),
    4: (1, 3, 6, 12),
    3: (1, 2, 5, 10, 15),
    2: (1, 2, 3, 6),
    1: (1, 2, 5, 10, 20, 50, 100, 200, 500),
}
"""By what is looked at (1 years … 5 minutes), of how many of them one has a tick."""


def date_ticks(labels: Sequence[str]) -> list[list[Tick]]:
    """Return ways to label dates, the finest first: the first that has room is the one to take.

    Parameters
    ----------
    labels
        The dates of the points, as ISO 8601 writes them, down to the minute at most.

    Returns
    -------
    list of list
        Numbers of points and their texts, two at least; nothing where a label is no date.
    """
    return [list(ticks) for ticks in _found(tuple(labels))]


@lru_cache(maxsize=32)
def _found(labels: tuple[str, ...]) -> tuple[tuple[Tick, ...], ...]:
    matches = [_ISO.match(label) for label in labels]
    dates = [match.groups() for match in matches if match]
    if len(dates) < len(labels):
        return ()
    return tuple(ticks for level in _ROUNDS for ticks in _at_level(dates, level))


def _at_level(dates: list[tuple[str | None, ...]], level: int) -> Iterator[tuple[Tick, ...]]:
    starts = [
        at for at, date in enumerate(dates) if at == 0 or date[:level] != dates[at - 1][:level]
    ]
    based = 1 if level in (2, 3) else 0
    parts = {at: int(dates[at][level - 1] or based) for at in starts}
    for every in _ROUNDS[level]:
        chosen = [
            at
            for at, part in parts.items()
            # no tick on the 31st just before the 1st
            if (part - based) % every == 0
            and not (level == 3 and every > 1 and part > 30 - every / 2)  # days
        ]
        if 2 <= len(chosen) <= MOST:  # one alone says nothing of the scale
            before = [None, *chosen]
            yield tuple(
                (at, _text(dates[at], None if last is None else dates[last], level))
                for last, at in zip(before, chosen, strict=False)
            )


def _text(date: tuple[str | None, ...], before: tuple[str | None, ...] | None, level: int) -> str:
    """Return as much of a date as is not said by the tick before it."""
    year, month, day, hour, minute = date
    new_year = before is None or before[0] != year
    if level == 1:
        return str(year)
    if level == 2:  # months
        return f"{year}-{month}"
    whole = f"{year}-{month}-{day}" if new_year else f"{month}-{day}"
    if level == 3:  # days
        return whole
    clock = f"{hour or '00'}:{minute or '00'}"
    return f"{whole} {clock}" if new_year or before is None or before[1:3] != date[1:3] else clock
