"""Plurals, articles and lists of names, as messages and the screen have them."""

from __future__ import annotations

import re
from collections.abc import Iterable

SHOWN = 5
"""How many names a message lists before it says how many more there are."""

_IRREGULAR = {
    "axis": "axes",
    "child": "children",
    "index": "indices",
    "is": "are",
    "matrix": "matrices",
    "this": "these",
    "vertex": "vertices",
}
_SIBILANT = re.compile(r"(?:s|x|z|ch|sh)$")
_CONSONANT_Y = re.compile(r"[^aeiou]y$")
_FIRST_WORD = re.compile(r"[^\W_]+")
_DIGITS = re.compile(r"[0-9]+")
_LETTERS = re.compile(r"[^\W\d_]+")
_AN_WHEN_SPELLED = frozenset("AEFHILMNORSX")
"""Letters whose names begin with a vowel: an S, an X."""
_READ_AS_WORDS = frozenset({"FIFO", "NASA", "NUG", "RAM", "ROM", "SARIF", "SHA"})
"""Capitals that nobody spells, and that begin with one of those letters."""
_SILENT_H = re.compile(r"(?:hour|honest|honou?r|heir)")
_LIKE_YOU = re.compile(r"(?:uint|uni(?!n|m)|use|usual|util|utf|uri|url|uuid|eu|one(?![a-z])|once)")
"""Words that begin with a vowel and not with its sound."""


def listed(names: Iterable[str]) -> str:
    """Return some names for a message.

    Parameters
    ----------
    names : iterable of str
        The names; the first `SHOWN` are listed.
    """
    names = list(names)
    shown = ", ".join(names[:SHOWN])
    return shown if len(names) <= SHOWN else f"{shown} and {len(names) - SHOWN} more"


def noun(number: int, word: str) -> str:
    """Return a noun, or a verb, in the form that goes with a number.

    Parameters
    ----------
    number : int
        How many there are.
    word : str
        The singular; of several words the last one is put in the plural.

    Returns
    -------
    str
        ``node`` for 1, ``nodes`` for any other number.
    """
    if number == 1:
        return word
    head, space, last = word.rpartition(" ")
    if last in _IRREGULAR:
        last = _IRREGULAR[last]
    elif _CONSONANT_Y.search(last):
        last = f"{last[:-1]}ies"
    else:
        last += "es" if _SIBILANT.search(last) else "s"
    return f"{head}{space}{last}"


def plural(number: int, word: str) -> str:
    """Return a number with its noun.

    Parameters
    ----------
    number : int
        How many there are.
    word : str
        The noun in the singular.

    Returns
    -------
    str
        ``1 node``, ``0 nodes``, ``1,024 nodes``.
    """
    return f"{number:,} {noun(number, word)}"


def every(number: int, word: str) -> str:
    """Return all of a number of things.

    Parameters
    ----------
    number : int
        How many there are, at least one.
    word : str
        The noun in the singular.

    Returns
    -------
    str
        ``the only node`` for 1, else ``all 3 nodes``.
    """
    return f"the only {word}" if number == 1 else f"all {plural(number, word)}"


def capitalized(phrase: str) -> str:
    """Return a phrase as the beginning of a sentence.

    Parameters
    ----------
    phrase : str
        Any text; unlike `str.capitalize` this leaves all but its first character as it is.

    Returns
    -------
    str
    """
    return phrase[:1].upper() + phrase[1:]


def article(phrase: str) -> str:
    """Return a phrase with its indefinite article, by how the first word is pronounced.

    Parameters
    ----------
    phrase : str
        Such as the name of a data type or a class.

    Returns
    -------
    str
        ``an int16``, ``a uint8``, ``an S3 store``, ``a group``.
    """
    return f"{'an' if _begins_with_vowel(phrase) else 'a'} {phrase}"


def _begins_with_vowel(phrase: str) -> bool:
    found = _FIRST_WORD.search(phrase)
    if found is None:
        return False
    word = found[0]
    digits = _DIGITS.match(word)
    if digits is not None:
        number = digits[0]
        return number[0] == "8" or (number[:2] in ("11", "18") and len(number) % 3 == 2)
    letters = _LETTERS.match(word)
    run = word if letters is None else letters[0]
    if run not in _READ_AS_WORDS and (run.isupper() or len(run) == 1):
        return run[0].upper() in _AN_WHEN_SPELLED
    lower = run.lower()
    if _SILENT_H.match(lower) or lower.startswith(("xarray", "fsspec", "xr")):
        return True
    return lower[0] in "aeiou" and _LIKE_YOU.match(lower) is None
