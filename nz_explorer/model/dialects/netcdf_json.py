"""JSON as netCDF-C takes it, which asks less of it than the standard does, and as it writes it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from nz_explorer.documents import pointers
from nz_explorer.documents.decoding import decode
from nz_explorer.documents.positions import SCAN_LIMIT

_BLANKS = bytes((*range(0x21), *range(0x80, 0x100)))
"""What is passed over at the end of a text: bytes of other characters than ASCII's are negative in C."""
_TOKEN = re.compile(
    rb"(?P<gap>[\x01-\x20\x7f-\xff]+|\\[bfnrt]?)"
    rb'|(?P<word>[A-Za-z0-9_$+.-]+|"(?:[^"\\]|\\[\s\S])*")'
    rb"|(?P<mark>[{}\[\]:,])",
)
_CLOSING = {b"{": b"}", b"[": b"]"}


def is_object(raw: bytes) -> bool:
    """Whether netCDF-C 4.10 takes a document for an object: with words without quotes, or a comma after the last entry.

    A longer one than this is worth is said not to be taken.

    Parameters
    ----------
    raw : bytes
        The document.
    """
    text = raw.partition(b"\0")[0].rstrip(_BLANKS)
    opened: list[bytes] = []
    position, wanted = 0, "value"
    filled = False  # whether the value that was wanted last is there
    while position < len(text) <= SCAN_LIMIT:
        match = _TOKEN.match(text, position)
        if match is None or (not opened and wanted != "value"):
            return False
        position = match.end()
        if match["gap"] is not None:
            continue
        token, word = match[0], match["word"]
        if wanted == "value" and token in _CLOSING.values():
            filled, wanted = False, "end"
        if wanted == "key" and token == b"}":
            wanted = "end"
        if wanted == "key" and word is not None and word.lower() != b"null":
            wanted = "colon"
        elif wanted == "colon" and token == b":":
            wanted = "value"
        elif wanted == "value" and token in _CLOSING and (opened or token == b"{"):
            opened.append(token)
            wanted = "key" if token == b"{" else "value"
        elif wanted == "value" and word is not None and opened:
            filled, wanted = True, "end"
        elif wanted == "end" and opened and token == _CLOSING[opened[-1]]:
            opened.pop()
            filled = True
        elif wanted == "end" and token == b"," and (filled or opened[-1] == b"{"):
            wanted = "key" if opened[-1] == b"{" else "value"
        else:
            return False
    return 0 < len(text) <= SCAN_LIMIT and not opened


def json_text(
    value: Any, spelled: Callable[[str], str | None] | None = None, pointer: str = ""
) -> str:
    """Return JSON as netCDF-C writes it: blanks after the commas of objects, none in lists.

    Parameters
    ----------
    value
        What is written.
    spelled : callable, optional
        Gives the number at a pointer as it is spelled in a document.
    pointer : str
        Where the value is in that document.
    """
    if isinstance(value, dict):
        members = (
            f"{json_text(key)}: {json_text(item, spelled, pointers.join(pointer, key))}"
            for key, item in value.items()
        )
        return f"{{{', '.join(members)}}}"
    if isinstance(value, list):
        items = (json_text(item, spelled, f"{pointer}/{i}") for i, item in enumerate(value))
        return f"[{','.join(items)}]"
    number = isinstance(value, int | float) and spelled is not None and spelled(pointer)
    return number or json.dumps(value, ensure_ascii=False)


_ESCAPE = re.compile(rb"\\(?:u(?=[0-9A-Fa-f]{4})|[\s\S])")


def as_read(raw: bytes) -> Any:
    r"""Return what netCDF-C up to 4.10 makes of a document that writes characters as ``\u00e9``: it drops the backslash.

    Parameters
    ----------
    raw : bytes
        The document.

    Returns
    -------
    object
        None where it holds no such escape, or is no JSON.
    """
    if b"\\u" not in raw:
        return None
    if b"\\\\" in raw:
        read = _ESCAPE.sub(lambda match: b"u" if match[0] == b"\\u" else match[0], raw)
    else:
        read = raw.replace(b"\\u", b"u")  # much faster, and nearly always enough
    return decode(read)[0] if read != raw else None
