"""JSON Pointers (RFC 6901) as text."""

from __future__ import annotations


def join(base: str, *parts: str | int) -> str:
    """Append reference tokens to a pointer, escaping ``~`` and ``/``."""
    return base + "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in parts)


def split(pointer: str) -> list[str]:
    """Return the reference tokens of a pointer; none for the whole document."""
    return [token.replace("~1", "/").replace("~0", "~") for token in pointer.split("/")[1:]]
