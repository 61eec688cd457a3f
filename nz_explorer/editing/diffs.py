"""Unified diffs of metadata documents, also of large ones and of those on one line."""

from __future__ import annotations

import difflib
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from nz_explorer.documents.json_layout import indented
from nz_explorer.documents.json_pieces import PatchError

if TYPE_CHECKING:
    from nz_explorer.store.writing import Edit

CONTEXT = 3
LONG_LINE = 160
"""Characters from which on a line is broken up for showing it."""
MANY_LINES = 2000
"""Lines from which on the diff is taken between lines that occur once: difflib's time grows with the square."""

_HUNK = re.compile(r"@@ -(\d+)(,\d+)? \+(\d+)(,\d+)? @@")


class Diff(Mapping[str, str]):
    """What changes, as a unified diff for each document.

    It is a mapping from the key of a document to its diff; ``str()`` gives all of them.

    Parameters
    ----------
    diffs : mapping
        The diffs by key.
    """

    def __init__(self, diffs: Mapping[str, str]) -> None:
        self._diffs = dict(diffs)

    def __getitem__(self, key: str) -> str:
        return self._diffs[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._diffs)

    def __len__(self) -> int:
        return len(self._diffs)

    def __str__(self) -> str:
        return "\n".join(self._diffs.values())

    def __repr__(self) -> str:
        return str(self) or "<Diff: no changes>"


def diff_of(edits: Iterable[Edit]) -> Diff:
    """Return what edits change."""
    return Diff({edit.key: unified(edit.key, edit.before, edit.after) for edit in edits})


def unified(key: str, before: bytes | None, after: bytes | None) -> str:
    """Return the unified diff of a document.

    Parameters
    ----------
    key : str
        Its key in the store.
    before, after : bytes or None
        Its bytes; None where there is no such document.
    """
    old, new = _text(before), _text(after)
    if any(len(line) > LONG_LINE for line in (*old.splitlines(), *new.splitlines())):
        old, new = _broken_up(old, new)
    a, b = old.splitlines(), new.splitlines()
    head = [f"--- {key if before is not None else '/dev/null'}"]
    head.append(f"+++ {key if after is not None else '/dev/null'}")
    body: list[str] = []
    for i1, i2, j1, j2 in _islands(a, b):
        lines = difflib.unified_diff(a[i1:i2], b[j1:j2], n=CONTEXT, lineterm="")
        body.extend(_moved(line, i1, j1) for line in list(lines)[2:])
    return "\n".join([*head, *body])


def _text(data: bytes | None) -> str:
    return "" if data is None else data.decode("utf-8", errors="replace")


def _broken_up(old: str, new: str) -> tuple[str, str]:
    """Return texts with a line for each member, unless their difference is only in white space."""
    try:
        a, b = (indented(text) if text else "" for text in (old, new))
    except PatchError:  # no JSON
        return old, new
    return (a, b) if a != b else (old, new)


def _moved(line: str, i: int, j: int) -> str:
    """Return a line of a partial diff as it is in the whole one."""
    match = _HUNK.match(line)
    if match is None:
        return line
    return f"@@ -{int(match[1]) + i}{match[2] or ''} +{int(match[3]) + j}{match[4] or ''} @@"


def _islands(a: Sequence[str], b: Sequence[str]) -> list[tuple[int, int, int, int]]:
    """Return the parts that hold all differences, with some context around them."""
    if len(a) + len(b) < MANY_LINES:
        return [(0, len(a), 0, len(b))]
    islands: list[list[int]] = []
    i = j = 0
    for x, y in [*_anchors(a, b), (len(a), len(b))]:
        if a[i:x] != b[j:y]:
            island = [max(0, i - CONTEXT), x + CONTEXT, max(0, j - CONTEXT), y + CONTEXT]
            if islands and island[0] <= islands[-1][1]:
                islands[-1][1], islands[-1][3] = island[1], island[3]
            else:
                islands.append(island)
        i, j = x + 1, y + 1
    return [(i1, i2, j1, j2) for i1, i2, j1, j2 in islands]


def _anchors(a: Sequence[str], b: Sequence[str]) -> list[tuple[int, int]]:
    """Return pairs of equal lines that occur once in both, in an order that both agree with."""
    once_a, once_b = Counter(a), Counter(b)
    places = {line: j for j, line in enumerate(b) if once_b[line] == 1}
    pairs = [(i, places[line]) for i, line in enumerate(a) if once_a[line] == 1 and line in places]
    # The longest sequence in which the second members grow, too (patience sorting).
    tops: list[int] = []
    ends: list[int] = []
    before: list[int] = []
    for number, (_, j) in enumerate(pairs):
        pile = bisect_left(tops, j)
        before.append(ends[pile - 1] if pile else -1)
        tops[pile : pile + 1] = [j]
        ends[pile : pile + 1] = [number]
    chain: list[tuple[int, int]] = []
    number = ends[-1] if ends else -1
    while number >= 0:
        chain.append(pairs[number])
        number = before[number]
    return chain[::-1]
