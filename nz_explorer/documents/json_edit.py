"""Changes a JSON text by a patch (RFC 6902), and leaves every other character as it is.

Decoding a document and encoding it again loses what matters to some reader: ``-9999.0`` or ``1e20`` as they
were spelled, a seventeenth digit, the order of keys, the indentation. So a patch is applied to a tree of
pieces of the text. A piece is taken apart only where a pointer leads through it; the others are put back
letter by letter. That also makes a change to a consolidated document of many megabytes cheap: its entries
are separated once, and stay text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import jsonpointer

from nz_explorer.documents.decoding import decode
from nz_explorer.documents.json_layout import Style, Verbatim, without_escapes
from nz_explorer.documents.json_pieces import Container, PatchError, Piece, as_text, blanks_at

Operation = Mapping[str, Any]
_INDEX = re.compile(r"0|[1-9][0-9]*")

UNPATCHABLE = frozenset({"utf8", "syntax", "truncated", "empty", "limit", "io"})
"""Problems of a document that leave no text to patch."""


class JsonText:
    """A JSON text that can be patched.

    Parameters
    ----------
    text : str
        The text. It must be JSON, or what Python's decoder takes for JSON.
    """

    def __init__(self, text: str) -> None:
        body = text.strip(" \t\r\n")
        self._lead = blanks_at(text, 0)
        self._root: str | Container = body
        self._trail = text[len(self._lead) + len(body) :]
        self._style = Style.of(text)

    @classmethod
    def of(cls, raw: bytes, key: str) -> JsonText:
        """Make it from the bytes of a document; a byte order mark is left out.

        Parameters
        ----------
        raw : bytes
            The bytes of the document.
        key : str
            Its key, for messages.

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
        return f"{self._lead}{as_text(self._root)}{self._trail}"

    def write_out(self) -> None:
        r"""Write characters themselves in place of escapes such as ``\u00e9``."""
        self._root = without_escapes(as_text(self._root))

    def token(self, pointer: str) -> str | None:
        """Return the value at a pointer as it is spelled, None where there is none."""
        try:
            return as_text(self._find(_parts(pointer)))
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
                known = Piece("", self._style.encode(last), self._style.colon, "", "")
                self._insert(container, len(container.pieces), known, indent)
                container.name(known)
        elif exists:
            known = container.pieces[_index(last, len(container.pieces) - 1, parts)]
        else:
            length = len(container.pieces)
            known = Piece("", "", "", "", "")
            position = length if last == "-" else _index(last, length, parts)
            self._insert(container, position, known, indent)
        known.value = self._style.lay_out(text, _indent(known, indent))

    def _insert(self, container: Container, at: int, piece: Piece, indent: str) -> None:
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
        return as_text(piece.value)

    def _transfer(self, origin: Sequence[str], parts: Sequence[str], *, keep: bool) -> None:
        if keep:
            self._put(parts, as_text(self._find(origin)), exists=False)
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
        if not _equal(json.loads(as_text(self._find(parts))), json.loads(text)):
            raise PatchError(f"{_pointer(parts) or 'the document'} has another value by now")

    # --- looking up -------------------------------------------------------------------------

    def _find(self, parts: Sequence[str]) -> str | Container:
        if not parts:
            return self._root
        container, _ = self._container(parts)
        if container.is_object:
            return self._member(container, parts[-1], parts).value
        return container.pieces[_index(parts[-1], len(container.pieces) - 1, parts)].value

    def _container(self, parts: Sequence[str]) -> tuple[Container, str]:
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
    def _member(container: Container, name: str, parts: Sequence[str]) -> Piece:
        if name in container.repeated:
            where = _pointer(parts)
            raise PatchError(f"{where} occurs more than once: which one is meant is not known")
        if name not in container.names:
            raise _missing(parts)
        return container.names[name]


def _apart(value: str | Container, parts: Sequence[str], below: Sequence[str] = ()) -> Container:
    """Return a container, taken apart as far as a pointer leads through it."""
    if isinstance(value, Container):
        return value
    if value[:1] not in ("{", "["):
        raise PatchError(f"{_pointer(parts) or 'the document'} is neither an object nor a list")
    return Container(value, 0, below)


def _indent(piece: Piece, above: str) -> str:
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
