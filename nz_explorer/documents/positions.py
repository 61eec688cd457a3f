"""Where in a JSON text each value is, and how its numbers are spelled.

The decoders used elsewhere give values only. To light up a line, to name a repeated key or to tell
``-9999.0`` from ``-9999`` the text itself has to be walked; that is done only where it is asked for.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass, field

from nz_explorer.documents.pointers import join

SCAN_LIMIT = 4 * 1024 * 1024
"""Characters up to which a document is walked for positions; that takes about a second."""
MAX_DEPTH = 200
MAX_POINTERS = 64 * 2**20
"""Characters of all pointers together: below a key of a megabyte each pointer is as long."""

_SPACE = re.compile(r"[ \t\n\r]*")
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?")
_WORD = re.compile(r'[^\s\[\]{},:"]+')
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)

BARE_TOKENS = ("NaN", "Infinity", "-Infinity")
LITERALS = ("true", "false", "null")
_TOKEN = re.compile(rf"{_STRING.pattern}|{_WORD.pattern}", re.DOTALL)
_ALMOST = re.compile(
    r"[+-]?(?:0x[0-9a-f]+|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?|nan|inf|infinity)|true|false",
    re.IGNORECASE,
)
"""What C reads as a number or a truth value, and JSON does not."""


class ScanError(Exception):
    """The text stops being JSON at an offset."""

    def __init__(self, message: str, offset: int) -> None:
        super().__init__(message)
        self.offset = offset


@dataclass(frozen=True, slots=True)
class Span:
    """A value's place: lines from 1, both inclusive; offsets in characters, the end exclusive."""

    first_line: int
    last_line: int
    start: int
    end: int


@dataclass
class Scan:
    """The places of all values of a text."""

    text: str
    places: dict[str, tuple[int, int]] = field(default_factory=dict)
    """Pointer to offsets of the value; of a repeated key, the last one."""
    keys: dict[str, int] = field(default_factory=dict)
    """Pointer to the offset at which the key of a member begins."""
    repeated: dict[str, int] = field(default_factory=dict)
    """Pointer of a member to how often its key occurs, where that is more than once."""
    bare: dict[str, str] = field(default_factory=dict)
    """Pointer to the token, for each value that is no JSON but what Python writes."""
    length: int = 0
    """Characters of all pointers."""
    _line_starts: list[int] = field(default_factory=list)

    def line(self, offset: int) -> int:
        """Return the line of an offset, from 1."""
        if not self._line_starts:
            self._line_starts = [0, *(m.end() for m in re.finditer("\n", self.text))]
        return bisect_right(self._line_starts, offset)

    def span(self, pointer: str) -> Span | None:
        """Return the place of a member with its key, of an item, or of the whole text ("")."""
        place = self.places.get(pointer)
        if place is None:
            return None
        start = self.keys.get(pointer, place[0])
        return Span(self.line(start), self.line(max(start, place[1] - 1)), start, place[1])

    def token(self, pointer: str) -> str | None:
        """Return a value as it is spelled in the text."""
        place = self.places.get(pointer)
        return None if place is None else self.text[place[0] : place[1]]


def scan(text: str) -> Scan:
    """Walk a JSON text, also with bare tokens such as NaN, and with control characters in strings.

    Raises
    ------
    ScanError
        Where it is not JSON, nested deeper than `MAX_DEPTH`, or its pointers are longer than `MAX_POINTERS`.
    """
    result = Scan(text)
    end = _space(text, _value(result, text, _space(text, 0), "", 0))
    if end != len(text):
        raise ScanError("text after the end of the document", end)
    return result


def is_word(text: str) -> bool:
    """Whether a text without quotes is a value: of JSON, or one that Python writes."""
    return text in LITERALS or text in BARE_TOKENS or _NUMBER.fullmatch(text) is not None


def with_quotes(text: str, mark: str) -> str:
    """Return a JSON text with quotes, and a mark after the first of them, around what is almost a number.

    netCDF-C writes text that C reads as a number without quotes: ``01``, ``+5``, ``.5``, ``0x10``, ``nan``.

    Parameters
    ----------
    text : str
        The document.
    mark : str
        What tells such texts from others.
    """

    def quoted(match: re.Match[str]) -> str:
        token = match[0]
        almost = not is_word(token) and _ALMOST.fullmatch(token)
        return f'"{mark}{token}"' if almost else token

    return _TOKEN.sub(quoted, text)


def _space(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at


def _value(result: Scan, text: str, at: int, pointer: str, depth: int) -> int:
    if depth > MAX_DEPTH:
        raise ScanError(f"nested deeper than {MAX_DEPTH} levels", at)
    result.length += len(pointer)
    if result.length > MAX_POINTERS:
        raise ScanError(f"its pointers have more than {MAX_POINTERS:,} characters", at)
    first = text[at : at + 1]
    if first == "{":
        names: set[str] = set()
        end = _sequence(text, at, "}", lambda i, _: _member(result, text, i, pointer, depth, names))
    elif first == "[":
        end = _sequence(
            text, at, "]", lambda i, n: _value(result, text, i, join(pointer, n), depth + 1)
        )
    elif first == '"':
        end = _string(text, at)
    elif (match := _WORD.match(text, at)) and (is_word(match[0]) or _ALMOST.fullmatch(match[0])):
        if match[0] in BARE_TOKENS:
            result.bare[pointer] = match[0]
        end = match.end()
    else:
        raise ScanError("expected a value", at)
    result.places[pointer] = (at, end)
    return end


def _sequence(text: str, at: int, close: str, item: Callable[[int, int], int]) -> int:
    at = _space(text, at + 1)
    if text[at : at + 1] == close:
        return at + 1
    number = 0
    while True:
        at = _space(text, item(at, number))
        number += 1
        mark = text[at : at + 1]
        if mark == close:
            return at + 1
        if mark != ",":
            raise ScanError(f"expected ',' or '{close}'", at)
        at = _space(text, at + 1)


def _member(  # of a recursion
    result: Scan, text: str, at: int, pointer: str, depth: int, names: set[str]
) -> int:
    end = _string(text, at)
    try:
        name = json.loads(text[at:end], strict=False)
    except ValueError as error:  # an escape that JSON does not have
        raise ScanError(f"the key is not a string: {error}", at) from error
    place = join(pointer, name)
    colon = _space(text, end)
    if text[colon : colon + 1] != ":":
        raise ScanError("expected ':'", colon)
    if name in names:  # of this object; its place may be that of a member of another one
        result.repeated[place] = result.repeated.get(place, 1) + 1
    names.add(name)
    result.keys[place] = at
    return _value(result, text, _space(text, colon + 1), place, depth + 1)


def _string(text: str, at: int) -> int:
    match = _STRING.match(text, at)
    if match is None:
        raise ScanError("expected a string", at)
    return match.end()
