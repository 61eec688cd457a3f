"""How like texts are: the words that they share, the rarer the more (TF-IDF, by the cosine)."""

from __future__ import annotations

import math
import re
import tomllib
from collections import Counter
from collections.abc import Iterable
from functools import cache
from pathlib import Path

SYNONYMS = Path(__file__).parent / "synonyms.toml"
_WORD = re.compile(r"[a-z_]{3,}|-?\d{2,}")
_ENDINGS = ("ing", "ed", "es", "s")
_SHORTEST_STEM = 4
_COMMON = frozenset(
    re.findall(
        r"\w+",
        "the and that are not for with has have its from but where when which was were been this those these them they"
        " their there than then all any one two since because after before into out only also does did can cannot will"
        " would may found find error keyerror valueerror typeerror",
    )
)
"""Words that say nothing of what a text is about."""


def words_of(text: str) -> frozenset[str]:
    """Return the words of a text that tell what it is about, without their endings.

    Parameters
    ----------
    text : str
        Any text.
    """
    plain = _phrases().sub(lambda found: _joined()[found[0]], text.casefold())
    found = [word for word in _WORD.findall(plain) if word not in _COMMON]
    return frozenset(_meant(_stem(word)) for word in found)


def _meant(stem: str) -> str:
    return _synonyms().get(stem, stem)


@cache
def _lines() -> list[list[str]]:
    """Return words that are used for the same, each line with the one that stands for all of it first."""
    lines: list[list[str]] = tomllib.loads(SYNONYMS.read_text("utf-8"))["words"]
    return lines


@cache
def _synonyms() -> dict[str, str]:
    return {_stem(word): _stem(line[0]) for line in _lines() for word in line if " " not in word}


@cache
def _joined() -> dict[str, str]:
    return {phrase: line[0] for line in _lines() for phrase in line if " " in phrase}


@cache
def _phrases() -> re.Pattern[str]:
    longest_first = sorted(_joined(), key=len, reverse=True)
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, longest_first))})\b")


def _stem(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST_STEM:
            return word[: -len(ending)]
    return word


class Likeness:
    """Compares texts with each other by words that are rare among some.

    Parameters
    ----------
    texts : iterable of frozenset of str
        Words of the texts among which that is.
    """

    def __init__(self, texts: Iterable[frozenset[str]]) -> None:
        known = list(texts)
        counted = Counter(word for words in known for word in words)
        self._total = len(known)
        self._weights = {word: math.log(self._total / (1 + n)) ** 2 for word, n in counted.items()}

    def of(self, one: frozenset[str], other: frozenset[str]) -> float:
        """Return how like two texts are, from 0 to 1.

        Parameters
        ----------
        one, other : frozenset of str
            Their words.
        """
        shared = self._weight(one & other)
        return shared / math.sqrt(self._weight(one) * self._weight(other)) if shared else 0.0

    def _weight(self, words: frozenset[str]) -> float:
        unknown = math.log(max(2, self._total)) ** 2  # that none of the texts has
        return sum(self._weights.get(word, unknown) for word in words)
