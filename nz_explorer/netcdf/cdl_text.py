"""How CDL spells names, strings and numbers: character for character as ncdump does."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np

SUFFIXES = {
    "int8": "b",
    "uint8": "UB",
    "int16": "s",
    "uint16": "US",
    "int32": "",
    "uint32": "U",
    "int64": "LL",
    "uint64": "ULL",
    "float32": "f",
    "float64": "",
}
"""How ncdump marks the type of an attribute's numbers."""
KEYWORDS = frozenset(("variables", "dimensions", "data", "group", "types"))
"""Words of CDL; after a variable of such a name comes a blank."""

_SPECIAL = frozenset(" !\"#$&'()*,:;<=>?[]\\^`{|}~/")
_ESCAPES = {
    "\b": "\\b",
    "\f": "\\f",
    "\n": "\\n",
    "\r": "\\r",
    "\t": "\\t",
    "\v": "\\v",
    "\\": "\\\\",
    "'": "\\'",
    '"': '\\"',
}
_ZEROS = re.compile(r"(?<=\.)([0-9]*?)0+(?=e|$)")


def name(text: str) -> str:
    """Return a name as CDL writes it: special characters behind a backslash."""
    escaped = "".join(
        f"\\%{ord(char):02x}" if _is_control(char) else f"\\{char}" if char in _SPECIAL else char
        for char in text
    )
    return f"\\{escaped}" if text[:1].isascii() and text[:1].isdigit() else escaped


def owner(text: str) -> str:
    """Return a variable's name as it is before the colon of an attribute."""
    return f"{name(text)} " if text in KEYWORDS else name(text)


def quote(text: str) -> str:
    """Return a string as CDL writes it."""
    escaped = (
        _ESCAPES.get(char) or (f"\\{ord(char):03o}" if _is_control(char) else char)
        for char in text.rstrip("\0")
    )
    return f'"{"".join(escaped)}"'


def quote_plainly(text: str) -> str:
    """Return JSON as ncdump writes it in a special attribute: only quotes are escaped."""
    return '"' + text.replace('"', '\\"') + '"'


def number(value: Any, type_name: str) -> str:
    """Return a number as ncdump prints it: ``-9999.f``, ``5s``, ``NaNf``.

    Parameters
    ----------
    value
        The number, a Python or numpy scalar.
    type_name
        Its type, named as in Zarr v3.
    """
    suffix = SUFFIXES.get(type_name, "")
    if isinstance(value, bool | np.bool_):
        return f"{int(value)}UB"
    if isinstance(value, float | np.floating) or type_name in ("float32", "float64"):
        return _floating(float(value), type_name) + suffix
    return f"{value}{suffix}"


def _floating(value: float, type_name: str) -> str:
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "-Infinity" if value < 0 else "Infinity"
    digits = 7 if type_name == "float32" else 15
    return _ZEROS.sub(r"\1", f"{value:#.{digits}g}")


def _is_control(char: str) -> bool:
    return char < " " or char == "\x7f"
