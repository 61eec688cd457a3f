"""JSON Pointers (RFC 6901) as text."""

from __future__ import annotations


def join(base: str, *parts: str | int) -> str:
    """Append reference tokens to a pointer, escaping ``~`` and ``/``."""
    return base + "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in parts)
