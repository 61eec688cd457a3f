"""Text from strangers, made safe for a terminal and a line of text."""

from __future__ import annotations


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
    shown = text if len(text) <= limit else text[: limit - 1] + "…"
    return "".join(
        char
        if char.isprintable()
        else f"\\x{ord(char):02x}"
        if ord(char) < 256
        else f"\\u{ord(char):04x}"
        for char in shown
    )
