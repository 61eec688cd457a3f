"""Values of a store in text that is run: Python source and shell commands.

All code that is shown, saved or printed for somebody to run is written through this module. A value
becomes a literal or a word, or a note at the end of a line, and cannot leave it.
"""

from __future__ import annotations

import ast
import math
import shlex
from collections.abc import Iterable, Mapping
from typing import Any

from nz_explorer.text.phrases import article
from nz_explorer.text.printable import for_terminal, printable

MAX_NOTE = 400
"""Characters of a text from a store that a comment has."""


def literal(value: Any) -> str:
    """Return a Python expression of a value.

    Parameters
    ----------
    value : Any
        A text, bytes, number, bool or None, or a list, tuple or dictionary of those. Numbers of numpy count as
        those of Python.

    Returns
    -------
    str
        One line of printable characters. ``ast.literal_eval`` returns the value again, but for numbers that
        Python has no literal of: NaN and infinities are calls of ``float`` or ``complex``.

    Raises
    ------
    TypeError
        If the value is of another type.
    """
    if hasattr(value, "dtype") and hasattr(value, "item"):
        value = value.item()
    match value:
        case None | bool():
            return repr(value)
        case str():
            # not the text's own __repr__, which a subclass may have changed
            return str.__repr__(value)
        case bytes():
            return bytes.__repr__(value)
        case int():
            return int.__repr__(value)
        case float():
            shown = float.__repr__(value)
            return shown if math.isfinite(value) else f"float({shown!r})"
        case complex():
            # the repr of -0.0 - 1j and others evaluates to something else
            return f"complex({literal(value.real)}, {literal(value.imag)})"
        case list():
            return f"[{', '.join(map(literal, value))}]"
        case tuple():
            inner = ", ".join(map(literal, value))
            return f"({inner},)" if len(value) == 1 else f"({inner})"
        case Mapping():
            return f"{{{', '.join(f'{literal(k)}: {literal(v)}' for k, v in value.items())}}}"
    raise TypeError(f"there is no literal of {article(type(value).__name__)}")


def line(template: str, *values: Any) -> str:
    """Return a piece of Python with values in it.

    Parameters
    ----------
    template : str
        Our own text, in which each ``{}`` stands for a value, as in ``str.format``. Nothing of a store may be in it,
        nor anything that was made here.
    *values
        What is put there, as literals.
    """
    return template.format(*map(literal, values))


def noted(code: str, note: str) -> str:
    """Return a line of Python with a comment at its end, which may have text of a store.

    Parameters
    ----------
    code : str
        The line.
    note : str
        The comment; none if it is empty.
    """
    return f"{code}  {comment(note)}" if note else code


def arguments(*values: str, **named: Any) -> str:
    """Return the text between the parentheses of a call.

    Parameters
    ----------
    *values : str
        Expressions of our own, or made by `line`.
    **named
        Values, written as literals; those that are None are left out.
    """
    options = [f"{name}={literal(value)}" for name, value in named.items() if value is not None]
    return ", ".join((*values, *options))


def comment(text: str) -> str:
    """Return a comment of one line, with line breaks, control and bidirectional characters spelled out."""
    return f"# {printable(text, MAX_NOTE)}"


def program(lines: Iterable[str]) -> str:
    """Return lines as a program.

    Raises
    ------
    ValueError
        If it is not Python, or a line is more than one: then something was written past `literal` and `comment`.
    """
    written = list(lines)
    if any(len(one.splitlines()) > 1 for one in written):
        raise ValueError("a line of Python source has a line break in it")
    text = "\n".join(written)
    try:
        ast.parse(text)
    except SyntaxError as error:
        raise ValueError(f"what was written is not Python: {error}") from error
    return text


def shell_command(*words: str) -> str:
    """Return a command for a POSIX shell, each word quoted where that is needed.

    Parameters
    ----------
    *words : str
        The program and its arguments. Characters that could act on a terminal are spelled out, so that such a
        word is another than it was; all others come out of ``shlex.split`` as they went in.
    """
    return shlex.join(
        for_terminal(word).replace("\n", "\\x0a").replace("\t", "\\x09") for word in words
    )
