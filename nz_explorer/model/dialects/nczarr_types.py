"""How netCDF-C notes the types of attributes."""

from __future__ import annotations

import re
from typing import Any

_TYPE = re.compile(r"[<>|]?([iufSUJ])([0-9]+)")
_NUMBERS = {
    **{f"i{size}": f"int{8 * size}" for size in (1, 2, 4, 8)},
    **{f"u{size}": f"uint{8 * size}" for size in (1, 2, 4, 8)},
    "f4": "float32",
    "f8": "float64",
}
SPELLED = {meaning: f"<{spelled}" for spelled, meaning in _NUMBERS.items()}
"""How netCDF-C spells the types of numbers."""
TYPE_NUMBERS = {
    "1": "int8",
    "2": "char",
    "3": "int16",
    "4": "int32",
    "5": "float32",
    "6": "float64",
    "7": "uint8",
    "8": "uint16",
    "9": "uint32",
    "10": "int64",
    "11": "uint64",
}
"""Types as netCDF counts them, which netCDF-C 4.8.0 wrote into its objects."""


def attribute_type(spelled: Any, *, strings: bool = True) -> str | None:
    """Return what a type of an attribute means.

    Parameters
    ----------
    spelled
        Such as ``<f4``, ``>S1``, ``|S128`` or ``|J0``.
    strings : bool
        Whether ``|S1`` is a string of one byte, and not characters.

    Returns
    -------
    str or None
        A name of Zarr v3's for numbers, ``char``, ``string`` or ``json``; None where it means nothing.
    """
    match = _TYPE.fullmatch(spelled) if isinstance(spelled, str) else None
    if match is None:
        return None
    kind, size = match[1], int(match[2])
    if kind == "J":
        return "json" if size == 0 else None
    if kind == "U" or (kind == "S" and (spelled.startswith(">") or not strings)):
        return "char" if size == 1 else "string"
    if kind == "S":
        return "string"
    return _NUMBERS.get(f"{kind}{size}")
