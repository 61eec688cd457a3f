"""Text from strangers, made safe for a terminal and a line of text."""

from __future__ import annotations

from typing import Any


def printable(text: str, limit: int = 200) -> str:
    """Return a text with control, bidirectional and other invisible characters spelled out.

    Parameters
    ----------
    text : str
        A name or value from a store. Escape sequences in it could otherwise move a terminal's cursor, and
        bidirectional controls could make a name look like another.
    limit : int
        Characters kept.
    """
    return _spelled_out(text if len(text) <= limit else text[: limit - 1] + "…")


def for_terminal(text: str) -> str:
    """Return a text with all but its line ends and tabs safe for a terminal; see `printable`."""
    if text.isprintable():
        return text
    return _spelled_out(text, keep="\n\t")


def _spelled_out(text: str, keep: str = "") -> str:
    return "".join(
        char
        if char.isprintable() or char in keep
        else f"\\x{ord(char):02x}"
        if ord(char) < 256
        else f"\\u{ord(char):04x}"
        for char in text
    )


def encodable(text: str) -> str:
    """Return a text that UTF-8 can hold: halves of surrogate pairs are spelled out.

    They come from escapes in JSON, and from names of files that are no UTF-8.
    """
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def all_encodable(value: Any) -> Any:
    """Return a value of dictionaries, lists and texts with `encodable` texts and keys."""
    if isinstance(value, str):
        return encodable(value)
    if isinstance(value, dict):
        return {all_encodable(key): all_encodable(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [all_encodable(inner) for inner in value]
    return value
