"""What the first value of each array is to each reader, and where they do not agree."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from nz_explorer.diagnosis.trial import FirstValue, Trial
from nz_explorer.text.phrases import listed

MISSING = frozenset(["missing", "NaN", "NaT"])
TOLERANCE = 1e-6
"""Relative: some libraries give a float32 as the float64 next to it."""


@dataclass(frozen=True, slots=True)
class Row:
    """An array, and its first value to each reader that read it.

    Attributes
    ----------
    path : str
        The array.
    values : dict of str to FirstValue
        By reader.
    disagreement : str
        Where readers differ, in a sentence; empty where they agree.
    """

    path: str
    values: dict[str, FirstValue]
    disagreement: str = ""


def rows(trials: Sequence[Trial]) -> list[Row]:
    """Return the first values of all arrays that were read.

    Parameters
    ----------
    trials : sequence of Trial
        What came of trying readers on one store.
    """
    found: dict[str, dict[str, FirstValue]] = {}
    for trial in trials:
        for path, value in trial.values.items():
            found.setdefault(path, {})[trial.reader] = value
    return [
        Row(path, values, "; ".join((*_stored(values), *_masked(values))))
        for path, values in sorted(found.items())
    ]


def _stored(values: dict[str, FirstValue]) -> Iterator[str]:
    """Yield where readers see different numbers in what is stored."""
    by_text: dict[str, list[str]] = {}
    for reader, value in values.items():
        if value.raw is None:
            continue
        known = next((text for text in by_text if same(text, value.raw)), value.raw)
        by_text.setdefault(known, []).append(reader)
    if len(by_text) > 1:
        most = Counter({text: len(readers) for text, readers in by_text.items()}).most_common()
        told = (f"{text} to {listed(by_text[text])}" for text, _ in most)
        yield f"the first stored value is {', '.join(told)}"


def _masked(values: dict[str, FirstValue]) -> Iterator[str]:
    """Yield which readers show a value as missing that NZ-1.0 reads, or the other way round."""
    wanted = values.get("plain NZ")
    if wanted is None or wanted.shown is None:
        return
    missing = wanted.shown in MISSING
    others: Iterable[tuple[str, FirstValue]] = (
        (reader, value)
        for reader, value in values.items()
        if value.shown is not None and value.raw is not None and value.shown != value.raw
    )
    for reader, value in others:
        if (value.shown in MISSING) is not missing:
            told = f"{reader} shows {value.raw} as {'missing' if not missing else value.shown}"
            yield f"{told}, NZ-1.0 reads it as {'missing' if missing else wanted.raw}"


def same(one: str, other: str) -> bool:
    """Whether two texts mean the same value.

    Parameters
    ----------
    one, other : str
        Values as readers in several languages write them.
    """
    if one == other:
        return True
    one, other = (text.removeprefix("b").strip("'\"") for text in (one, other))
    if one.lower() == other.lower():
        return True
    try:
        left, right = float(one), float(other)
    except ValueError:
        return False
    return math.isclose(left, right, rel_tol=TOLERANCE) or (math.isnan(left) and math.isnan(right))
