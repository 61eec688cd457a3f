"""Changes a JSON text where a patch says (RFC 6902), and leaves every other character as it is.

Decoding a document and encoding it again loses what matters to some reader: ``-9999.0`` or ``1e20`` as they
were spelled, a seventeenth digit, the order of keys, the indentation. So a patch is applied to a tree of
pieces of the text. A piece is taken apart only where a pointer leads through it; the others are put back
letter by letter. That also makes a change to a consolidated document of many megabytes cheap: its entries
are told apart once, and stay text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import jsonpointer

from nz_explorer.model.document import decode

Operation = Mapping[str, Any]

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
_INDEX = re.compile(r"0|[1-9][0-9]*")

UNPATCHABLE = frozenset({"utf8", "syntax", "truncated", "empty", "limit", "io"})
"""Problems of a document that leave no text to patch."""


class PatchError(ValueError):
    """A patch does not fit the document; the text says why in a sentence."""


@dataclass(frozen=True, slots=True)
class Verbatim:
    """A value given as JSON text, whose tokens are to be kept as they are spelled."""

    text: str


@dataclass(eq=False, slots=True)
class _Piece:
    """A member of an object, or an item of a list (without key), and the space around it."""

    lead: str
    key: str
    colon: str
    value: str | _Container
    trail: str


class _Container:
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
        self.pieces: list[_Piece] = []
        self.names: dict[str, _Piece] = {}
        """Members by name; of a repeated name, the last."""
        self.repeated: set[str] = set()
        self.inner = ""
        """What an empty container has between its brackets."""
        self.end = self._split(text, at + 1, parts)

    def _split(self, text: str, at: int, parts: Sequence[str]) -> int:
        while True:
            lead = _space(text, at)
            at += len(lead)
            if text[at : at + 1] in ("}", "]") and not self.pieces:
                self.inner = lead
                return at + 1
            key = colon = ""
            if self.is_object:
                key = _matched(_TEXT, text, at)
                colon = _matched(_COLON, text, at + len(key))
                at += len(key) + len(colon)
            value: str | _Container
            if parts and key and text[at : at + 1] in ("{", "[") and _name(key) == parts[0]:
                value = _Container(text, at, parts[1:])
                end = value.end
            else:
                end = _end(text, at)
                value = text[at:end]
            trail = _space(text, end)
            piece = _Piece(lead, key, colon, value, trail)
            self.pieces.append(piece)
            if self.is_object:
                self.name(piece)
            at = end + len(trail) + 1
            if text[at - 1 : at] != ",":
                return at

    def name(self, piece: _Piece) -> None:
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
            parts += (opening, piece.lead, piece.key, piece.colon, _as_text(piece.value))
            parts.append(piece.trail)
            opening = ","
        parts.append(closing)
        return "".join(parts)


def _name(key: str) -> Any:
    return key[1:-1] if "\\" not in key else json.loads(key, strict=False)


def _as_text(value: str | _Container) -> str:
    return value if isinstance(value, str) else value.text()


def _space(text: str, at: int) -> str:
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


@dataclass(frozen=True, slots=True)
class _Style:
    """How a text is laid out, so that what is added looks like what is there.

    Attributes
    ----------
    unit : str or None
        One step of indentation, None where everything stands on one line.
    newline, comma, colon : str
        As they are spelled, with the space after them.
    short_lists : bool
        Whether lists of numbers and strings stand on one line though the rest does not.
    ascii : bool
        Whether other characters are escaped.
    """

    unit: str | None
    newline: str
    comma: str
    colon: str
    short_lists: bool
    ascii: bool

    @classmethod
    def of(cls, text: str) -> _Style:
        """Look at a text. A guess that fails costs beauty only."""
        first = re.match(r"\s*[\[{][ \t]*(\r?\n)[\r\n]*([ \t]*)", text)
        unit = first[2] if first is not None and first[2] else None
        colon = re.search(r'":([ \t]*)', text)
        comma = re.search(r'["\]}\w],([ \t]*)(?=["\[{\w-])', text[:65536])
        return cls(
            unit,
            first[1] if first is not None else "\n",
            "," + (" " if comma is None and unit is not None else comma[1] if comma else " "),
            ":" + (" " if colon is None else colon[1]),
            unit is not None and re.search(r"\[[ \t]*[^\s\]{[]", text[:65536]) is not None,
            text.isascii(),
        )

    def encode(self, value: Any) -> str:
        """Return a value as text on one line.

        Raises
        ------
        PatchError
            If it is no JSON value.
        """
        if isinstance(value, Verbatim):
            return value.text
        try:
            text = json.dumps(value, ensure_ascii=self.ascii, allow_nan=False)
            text.encode()
        except UnicodeEncodeError:  # half of a surrogate pair: only as an escape can it be stored
            return json.dumps(value, allow_nan=False)
        except (TypeError, ValueError, RecursionError) as error:
            raise PatchError(f"the value is not JSON: {error}") from error
        return text

    def lay_out(self, text: str, indent: str) -> str:
        """Return a value's text as it stands at an indentation, its tokens as they are."""
        if text[0] not in "{[":
            return text
        container = _Container(text)
        values = [_as_text(piece.value) for piece in container.pieces]
        keys = [piece.key and piece.key + self.colon for piece in container.pieces]
        opening, closing = "{}" if container.is_object else "[]"
        short = self.short_lists and not any(value[0] in "{[" for value in values)
        if not values or self.unit is None or (short and not container.is_object):
            inside = [k + self.lay_out(v, indent) for k, v in zip(keys, values, strict=True)]
            return f"{opening}{self.comma.join(inside)}{closing}"
        deeper = indent + self.unit
        inside = [k + self.lay_out(v, deeper) for k, v in zip(keys, values, strict=True)]
        between = f",{self.newline}{deeper}"
        return (
            f"{opening}{self.newline}{deeper}{between.join(inside)}{self.newline}{indent}{closing}"
        )


class JsonText:
    """A JSON text that can be patched.

    Parameters
    ----------
    text : str
        The text. It must be JSON, or what Python's decoder takes for JSON.
    """

    def __init__(self, text: str) -> None:
        body = text.strip(" \t\r\n")
        self._lead = _space(text, 0)
        self._root: str | _Container = body
        self._trail = text[len(self._lead) + len(body) :]
        self._style = _Style.of(text)

    @classmethod
    def of(cls, raw: bytes, key: str) -> JsonText:
        """Make it from the bytes of a document; a byte order mark is left out.

        Raises
        ------
        PatchError
            If the bytes hold no text that could be patched.
        """
        _, problems = decode(raw, key)
        for problem in problems:
            if problem.kind in UNPATCHABLE:
                raise PatchError(f"{problem.message}; it can only be written anew")
        return cls(raw.decode("utf-8-sig"))

    @property
    def text(self) -> str:
        """The text as it is now."""
        return f"{self._lead}{_as_text(self._root)}{self._trail}"

    def token(self, pointer: str) -> str | None:
        """Return the value at a pointer as it is spelled, None where there is none."""
        try:
            return _as_text(self._find(_parts(pointer)))
        except PatchError:
            return None

    def apply(self, operations: Iterable[Operation]) -> None:
        """Apply a patch.

        Parameters
        ----------
        operations : iterable of mapping
            RFC 6902 operations. A value may be a `Verbatim`.

        Raises
        ------
        PatchError
            If it does not fit. What came before the operation that failed has been applied.
        """
        for operation in operations:
            name = operation.get("op")
            path = operation.get("path")
            if not isinstance(path, str):
                raise PatchError("an operation of the patch has no path")
            parts = _parts(path)
            if name in ("add", "replace", "test"):
                if "value" not in operation:
                    raise PatchError(f"the operation {name} at {path} has no value")
                value = operation["value"]
                if name == "test":
                    self._test(parts, value)
                else:
                    self._put(parts, self._style.encode(value), exists=name == "replace")
            elif name == "remove":
                self._remove(parts)
            elif name in ("move", "copy"):
                origin = operation.get("from")
                if not isinstance(origin, str):
                    raise PatchError(f"the operation {name} at {path} has no from")
                self._transfer(_parts(origin), parts, keep=name == "copy")
            else:
                raise PatchError(f"{name!r} is no operation of JSON Patch")

    # --- operations ---------------------------------------------------------------------------

    def _put(self, parts: Sequence[str], text: str, *, exists: bool) -> None:
        if not parts:
            self._root = self._style.lay_out(text, "")
            return
        container, indent = self._container(parts)
        last = parts[-1]
        if container.is_object:
            known = self._member(container, last, parts) if last in container.names else None
            if known is None:
                if exists:
                    raise _missing(parts)
                known = _Piece("", self._style.encode(last), self._style.colon, "", "")
                self._insert(container, len(container.pieces), known, indent)
                container.name(known)
        elif exists:
            known = container.pieces[_index(last, len(container.pieces) - 1, parts)]
        else:
            length = len(container.pieces)
            known = _Piece("", "", "", "", "")
            position = length if last == "-" else _index(last, length, parts)
            self._insert(container, position, known, indent)
        known.value = self._style.lay_out(text, _indent(known, indent))

    def _insert(self, container: _Container, at: int, piece: _Piece, indent: str) -> None:
        """Insert a piece with space around it as its neighbours have it."""
        style, pieces = self._style, container.pieces
        if not pieces:
            if style.unit is not None and (container.is_object or not style.short_lists):
                piece.lead = f"{style.newline}{indent}{style.unit}"
                piece.trail = f"{style.newline}{indent}"
            container.inner = ""
        else:
            between = pieces[1].lead if len(pieces) > 1 else pieces[0].lead
            if len(pieces) == 1 and "\n" not in between:
                between = style.comma[1:]
            if at == len(pieces):
                last = pieces[-1]
                piece.lead, piece.trail = between, last.trail
                last.trail = pieces[-2].trail if len(pieces) > 1 else ""
            elif at == 0:
                piece.lead, pieces[0].lead = pieces[0].lead, between
            else:
                piece.lead = pieces[at].lead
        pieces.insert(at, piece)

    def _remove(self, parts: Sequence[str]) -> str:
        """Remove a value and return its text."""
        if not parts:
            raise PatchError("the whole document cannot be removed by a patch")
        container, _ = self._container(parts)
        pieces = container.pieces
        if container.is_object:
            piece = self._member(container, parts[-1], parts)
            del container.names[parts[-1]]
            at = pieces.index(piece)
        else:
            at = _index(parts[-1], len(pieces) - 1, parts)
            piece = pieces[at]
        if at == len(pieces) - 1 and at > 0:
            pieces[at - 1].trail = piece.trail
        elif at == 0 and len(pieces) > 1:
            pieces[1].lead = piece.lead
        del pieces[at]
        return _as_text(piece.value)

    def _transfer(self, origin: Sequence[str], parts: Sequence[str], *, keep: bool) -> None:
        if keep:
            self._put(parts, _as_text(self._find(origin)), exists=False)
            return
        if parts == origin:
            self._find(origin)
            return
        if list(parts[: len(origin)]) == list(origin):
            raise PatchError(f"{_pointer(origin)} cannot be moved into itself")
        if origin and parts and parts[:-1] == origin[:-1]:
            container, _ = self._container(origin)
            if container.is_object and parts[-1] not in container.names:
                # A new name at the old place: the order of keys stays.
                piece = self._member(container, origin[-1], origin)
                del container.names[origin[-1]]
                piece.key = self._style.encode(parts[-1])
                container.name(piece)
                return
        self._put(parts, self._remove(origin), exists=False)

    def _test(self, parts: Sequence[str], value: Any) -> None:
        text = value.text if isinstance(value, Verbatim) else json.dumps(value)
        if not _equal(json.loads(_as_text(self._find(parts))), json.loads(text)):
            raise PatchError(f"{_pointer(parts) or 'the document'} has another value by now")

    # --- looking up -------------------------------------------------------------------------

    def _find(self, parts: Sequence[str]) -> str | _Container:
        if not parts:
            return self._root
        container, _ = self._container(parts)
        if container.is_object:
            return self._member(container, parts[-1], parts).value
        return container.pieces[_index(parts[-1], len(container.pieces) - 1, parts)].value

    def _container(self, parts: Sequence[str]) -> tuple[_Container, str]:
        """Return what holds the value at a pointer, and the indentation of its closing bracket."""
        here = self._root = _apart(self._root, (), parts[:-1])
        indent = self._lead.rpartition("\n")[2]
        for depth, part in enumerate(parts[:-1], 1):
            if here.is_object:
                piece = self._member(here, part, parts[:depth])
            else:
                piece = here.pieces[_index(part, len(here.pieces) - 1, parts[:depth])]
            indent = _indent(piece, indent)
            here = piece.value = _apart(piece.value, parts[:depth], parts[depth:-1])
        return here, indent

    @staticmethod
    def _member(container: _Container, name: str, parts: Sequence[str]) -> _Piece:
        if name in container.repeated:
            where = _pointer(parts)
            raise PatchError(f"{where} occurs more than once: which one is meant is not known")
        if name not in container.names:
            raise _missing(parts)
        return container.names[name]


def _apart(value: str | _Container, parts: Sequence[str], below: Sequence[str] = ()) -> _Container:
    """Return a container, taken apart as far as a pointer leads through it."""
    if isinstance(value, _Container):
        return value
    if value[:1] not in ("{", "["):
        raise PatchError(f"{_pointer(parts) or 'the document'} is neither an object nor a list")
    return _Container(value, 0, below)


def _indent(piece: _Piece, above: str) -> str:
    """Return the indentation of the line on which a piece begins."""
    return piece.lead.rpartition("\n")[2] if "\n" in piece.lead else above


def _parts(pointer: str) -> list[str]:
    try:
        return list(jsonpointer.JsonPointer(pointer).parts)
    except jsonpointer.JsonPointerException as error:
        raise PatchError(f"{pointer!r} is no JSON pointer: {error}") from error


def _pointer(parts: Sequence[str]) -> str:
    return str(jsonpointer.JsonPointer.from_parts(parts).path)


def _missing(parts: Sequence[str]) -> PatchError:
    return PatchError(f"there is nothing at {_pointer(parts)}")


def _index(part: str, highest: int, parts: Sequence[str]) -> int:
    if _INDEX.fullmatch(part) is None or int(part) > highest:
        raise _missing(parts)
    return int(part)


def _equal(a: Any, b: Any) -> bool:
    """Whether two JSON values are equal; true is not 1."""
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(_equal(value, b[key]) for key, value in a.items())
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(_equal(x, y) for x, y in zip(a, b, strict=True))
    return isinstance(a, bool) == isinstance(b, bool) and bool(a == b)


def indented(text: str) -> str:
    """Return a JSON text with a line for each member, its tokens as they are spelled."""
    return _Style("  ", "\n", ", ", ": ", True, True).lay_out(text.strip("\ufeff \t\r\n"), "")


def new_text(value: Any, like: str | None = None) -> str:
    """Return the text of a document that is not there yet.

    Parameters
    ----------
    value
        What it says; a JSON value or a `Verbatim`.
    like : str, optional
        The text of another document, whose layout it takes.
    """
    style = _Style.of(like if like is not None else '{\n  "a": 1}')
    return style.lay_out(style.encode(value), "")
