"""How a JSON text is laid out, so that what is added looks like what is there."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from nz_explorer.documents.json_pieces import Container, PatchError, as_text


@dataclass(frozen=True, slots=True)
class Verbatim:
    """A value given as JSON text, whose tokens are to be kept as they are spelled."""

    text: str


@dataclass(frozen=True, slots=True)
class Style:
    """How a text is laid out, so that what is added looks like what is there.

    Attributes
    ----------
    unit : str or None
        One step of indentation, None where everything is on one line.
    newline, comma, colon : str
        As they are spelled, with the space after them.
    short_lists : bool
        Whether lists of numbers and strings are on one line though the rest is not.
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
    def of(cls, text: str) -> Style:
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
            "\\u" in text and text.isascii(),
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
        """Return a value's text at an indentation, with unchanged tokens.

        Parameters
        ----------
        text : str
            The value on one line.
        indent : str
            The indentation of the line on which it begins.
        """
        if text[0] not in "{[":
            return text
        container = Container(text)
        values = [as_text(piece.value) for piece in container.pieces]
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


_ESCAPE = re.compile(
    r"\\(?:(u[Dd][89ABab][0-9A-Fa-f]{2}\\u[Dd][C-Fc-f][0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4})|.)"
)


def without_escapes(text: str) -> str:
    r"""Return a JSON text with characters themselves in place of escapes such as ``\u00e9``, as far as JSON has them.

    Parameters
    ----------
    text : str
        The text.
    """

    def character(match: re.Match[str]) -> str:
        if match[1] is None:
            return match[0]
        meant = json.loads(f'"{match[0]}"')
        return json.dumps(meant, ensure_ascii="\ud800" <= meant <= "\udfff")[1:-1]

    return _ESCAPE.sub(character, text)


def indented(text: str) -> str:
    """Return a JSON text with a line for each member, its tokens as they are spelled."""
    return Style("  ", "\n", ", ", ": ", True, True).lay_out(text.strip("\ufeff \t\r\n"), "")


def new_text(value: Any, like: str | None = None) -> str:
    """Return the text of a document that is not there yet.

    Parameters
    ----------
    value
        Its content; a JSON value or a `Verbatim`.
    like : str, optional
        The text of another document, whose layout it takes.
    """
    style = Style.of(like if like is not None else '{\n  "a": 1}')
    return style.lay_out(style.encode(value), "")
