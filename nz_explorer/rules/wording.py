"""Lists and numbers as messages have them."""

from __future__ import annotations

from collections.abc import Iterable

SHOWN = 5
"""How many names a message lists before it says how many more there are."""


def listed(names: Iterable[str]) -> str:
    """Return some names for a message."""
    names = list(names)
    shown = ", ".join(names[:SHOWN])
    return shown if len(names) <= SHOWN else f"{shown} and {len(names) - SHOWN} more"


def plural(number: int, word: str) -> str:
    """Return a number with its noun."""
    return f"{number} {word}" if number == 1 else f"{number} {word}s"
