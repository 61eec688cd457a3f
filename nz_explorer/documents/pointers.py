"""JSON Pointers (RFC 6901) as text."""

from __future__ import annotations

import re

_POINTER = re.compile(r"(?:/(?:[^/~]|~[01])*)*", re.DOTALL)


def join(base: str, *parts: str | int) -> str:
    """Append reference tokens to a pointer, escaping ``~`` and ``/``."""
    return base + "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in parts)


def is_pointer(given: str) -> bool:
    """Whether text has the form of a pointer: empty, or names that each follow a slash, with ``~`` only in ``~0`` and ``~1``."""
    return _POINTER.fullmatch(given) is not None


def split(pointer: str) -> list[str]:
    """Return the reference tokens of a pointer; none for the whole document."""
    return [token.replace("~1", "/").replace("~0", "~") for token in pointer.split("/")[1:]]
