"""Symptoms: what people come with, in their words, and the rules that may be why."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from nz_explorer.engine.catalogue import has_prefix

FILE = Path(__file__).parent / "symptoms.toml"


@dataclass(frozen=True, slots=True)
class Symptom:
    """Something that people notice.

    Attributes
    ----------
    key : str
        Names it.
    text : str
        What they say, as the end of a sentence or one by itself.
    words : tuple of str
        What else they may type to find it: parts of messages, names of programs and settings.
    prefixes : tuple of str
        Rules that may be why, by id or by what their ids begin with.
    """

    key: str
    text: str
    words: tuple[str, ...]
    prefixes: tuple[str, ...]

    def may_come_from(self, rule_id: str) -> bool:
        """Return whether breaking a rule may be why.

        Parameters
        ----------
        rule_id : str
            Such as ``NZ-DIM-010``.
        """
        return any(has_prefix(rule_id, prefix) for prefix in self.prefixes)


@cache
def symptoms() -> tuple[Symptom, ...]:
    """Return all symptoms, in the order of a list to choose from."""
    entries = tomllib.loads(FILE.read_text("utf-8"))
    return tuple(
        Symptom(key, given["symptom"], tuple(given["words"]), tuple(given["rules"]))
        for key, given in entries.items()
    )


def symptoms_of(rule_ids: Iterable[str]) -> list[Symptom]:
    """Return the symptoms that some rules, all broken, may be why.

    Parameters
    ----------
    rule_ids : iterable of str
        Ids of rules.
    """
    broken = set(rule_ids)
    return [one for one in symptoms() if any(map(one.may_come_from, broken))]
