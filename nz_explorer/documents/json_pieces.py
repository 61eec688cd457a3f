"""A JSON text taken apart into pieces, which are put back letter by letter."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

_STRING = r'"(?:[^"\\]++|\\.)*+"'
_FILLING = r'[^"\[\]{}]*+'
_BRACKETS = rf"{_FILLING}(?:{_STRING}{_FILLING})*+"
for _ in range(7):
    _BRACKETS = rf"{_FILLING}(?:(?:{_STRING}|[\[{{]{_BRACKETS}[\]}}]){_FILLING})*+"
_CONTAINER = re.compile(rf"[\[{{]{_BRACKETS}[\]}}]", re.DOTALL)
"""A container up to eight levels deep: regular expressions know no recursion, but are a hundred times faster
than a loop over the brackets, which is what deeper ones take."""
_STRUCTURE = re.compile(rf"{_STRING}|[\[\]{{}}]", re.DOTALL)
_TEXT = re.compile(_STRING, re.DOTALL)
_SCALAR = re.compile(r"[^\s,\]}]+")
_SPACE = re.compile(r"[ \t\r\n]*")
_COLON = re.compile(r"[ \t\r\n]*:[ \t\r\n]*")


class PatchError(ValueError):
    """A patch does not fit the document; the message gives the reason."""


@dataclass(eq=False, slots=True)
class Piece:
    """A member of an object, or an item of a list (without key), and the space around it."""

    lead: str
    key: str
    colon: str
    value: str | Container
    trail: str


class Container:
    """An object or a list, taken apart into its members or items.

    Parameters
    ----------
    text : str
        A text.
    at : int
        Where in it the container begins.
    parts : sequence of str
        Which member to take apart as well, and so on: in one go, because looking for the end of a
        consolidated document takes as long as taking it apart.
    """

    __slots__ = ("end", "inner", "is_object", "names", "pieces", "repeated")

    def __init__(self, text: str, at: int = 0, parts: Sequence[str] = ()) -> None:
        self.is_object = text[at] == "{"
        self.pieces: list[Piece] = []
        self.names: dict[str, Piece] = {}
        """Members by name; of a repeated name, the last."""
        self.repeated: set[str] = set()
        self.inner = ""
        """What an empty container has between its brackets."""
        self.end = self._split(text, at + 1, parts)

    def _split(self, text: str, at: int, parts: Sequence[str]) -> int:
        while True:
            lead = blanks_at(text, at)
            at += len(lead)
            if text[at : at + 1] in ("}", "]") and not self.pieces:
                self.inner = lead
                return at + 1
            key = colon = ""
            if self.is_object:
                key = _matched(_TEXT, text, at)
                colon = _matched(_COLON, text, at + len(key))
                at += len(key) + len(colon)
            value: str | Container
            if parts and key and text[at : at + 1] in ("{", "[") and _name(key) == parts[0]:
                value = Container(text, at, parts[1:])
                end = value.end
            else:
                end = _end(text, at)
                value = text[at:end]
            trail = blanks_at(text, end)
            piece = Piece(lead, key, colon, value, trail)
            self.pieces.append(piece)
            if self.is_object:
                self.name(piece)
            at = end + len(trail) + 1
            if text[at - 1 : at] != ",":
                return at

    def name(self, piece: Piece) -> None:
        """Make a member findable by its name."""
        name = _name(piece.key)
        if name in self.names:
            self.repeated.add(name)
        self.names[name] = piece

    def text(self) -> str:
        """Return the text again."""
        opening, closing = "{}" if self.is_object else "[]"
        if not self.pieces:
            return f"{opening}{self.inner}{closing}"
        parts: list[str] = []
        for piece in self.pieces:
            parts += (opening, piece.lead, piece.key, piece.colon, as_text(piece.value))
            parts.append(piece.trail)
            opening = ","
        parts.append(closing)
        return "".join(parts)


def _name(key: str) -> Any:
    return key[1:-1] if "\\" not in key else json.loads(key, strict=False)


def as_text(value: str | Container) -> str:
    """Return the text of a value, whether it was taken apart or not."""
    return value if isinstance(value, str) else value.text()


def blanks_at(text: str, at: int) -> str:
    """Return the blanks and line breaks at an offset.

    Parameters
    ----------
    text : str
        A JSON text.
    at : int
        The offset.
    """
    return _matched(_SPACE, text, at)


def _matched(pattern: re.Pattern[str], text: str, at: int) -> str:
    match = pattern.match(text, at)
    if match is None:
        raise PatchError(f"the text is not JSON at character {at}")
    return match[0]


def _end(text: str, at: int) -> int:
    """Return where the value that begins at an offset ends."""
    first = text[at : at + 1]
    if first not in ("{", "["):
        return at + len(_matched(_TEXT if first == '"' else _SCALAR, text, at))
    if (match := _CONTAINER.match(text, at)) is not None:
        return match.end()
    depth = 0
    for token in _STRUCTURE.finditer(text, at):
        depth += {"{": 1, "[": 1, "}": -1, "]": -1}.get(token[0], 0)
        if not depth:
            return token.end()
    raise PatchError(f"the text is not JSON: what begins at character {at} has no end")
