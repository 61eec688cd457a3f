"""Attributes as numbers, as netCDF-C reads them from its own JSON."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from nz_explorer.model.node import Node

QUOTED_NUMBER = re.compile(r"(-?(?:nan|infinity))f?", re.IGNORECASE)
_NAMED_NUMBER = re.compile(r"([+-]?(?:nan|inf(?:inity)?))f?", re.IGNORECASE)
_BARE_NUMBER = re.compile(
    r"[+-]?(?:(?P<hex>0x[\da-f]+)|\d+|(?P<float>(?:\d+\.\d*|\.\d+)(?:e[+-]?\d+)?|\d+e[+-]?\d+))",
    re.IGNORECASE,
)
"""What netCDF-C takes for numbers, whether or not it writes them like this: with quotes, and without."""


def numbers(value: Any, type_name: str) -> list[int] | list[float] | None:
    """Return an attribute's numbers in a type; None where it is none of that type.

    Parameters
    ----------
    value
        A JSON value.
    type_name : str
        Such as ``int16`` or ``float32``.
    """
    items = value if isinstance(value, list) else [value]
    if type_name.startswith("float"):
        floats = [_float(item) for item in items]
        if None in floats or any(_is_beyond(type_name, item) for item in floats):
            return None
        return floats  # type: ignore[return-value]
    size = 2 ** int(type_name.lstrip("uint"))
    least = 0 if type_name.startswith("u") else -size // 2
    integers = [_integer(item) for item in items]
    if any(item is None or not least <= item < least + size for item in integers):
        return None
    return integers  # type: ignore[return-value]


def is_taken(item: Any, type_name: str) -> bool:
    """Whether netCDF-C 4.10 makes an integer of a number, be it another one; else it refuses the dataset.

    It cuts off a fraction by way of int64, of which a number beyond is the least, takes no float above 127 for uint8,
    and an integer that is too large for uint64 for the largest.

    Parameters
    ----------
    item : int or float
        A JSON number.
    type_name : str
        Such as ``int16``.
    """
    bits = int(type_name.lstrip("uint"))
    least, most = (
        (0, 2**bits - 1) if type_name[0] == "u" else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
    )
    if not isinstance(item, float):
        return least <= item and (item <= most or type_name == "uint64")
    whole = math.trunc(item) if abs(item) < 2**63 else -(2**63)  # so nan, too
    return least <= whole <= (127 if type_name == "uint8" else most)


def as_numbers(node: Node, key: str) -> Any:
    """Return an attribute with the numbers that netCDF-C reads where JSON has none, such as ``nan`` and ``007``.

    Parameters
    ----------
    node : Node
        The node.
    key : str
        Name of the attribute.
    """
    value = node.attributes[key]
    items = value if isinstance(value, list) else [value]
    if not any(isinstance(item, str) for item in items):
        return value
    document, pointer = node.locate(node.attribute_pointer(key))
    if document is None:
        return value
    places = [f"{pointer}/{i}" for i in range(len(items))] if items is value else [pointer]
    found = [
        _number(item, document.token(at) or '"') if isinstance(item, str) else item
        for item, at in zip(items, places, strict=True)
    ]
    return found if items is value else found[0]


def _number(text: str, token: str) -> str | int | float:
    """Return the number that netCDF-C takes a text for, which in quotes has to be nan or infinity."""
    quoted = token.startswith('"')
    if named := (QUOTED_NUMBER if quoted else _NAMED_NUMBER).fullmatch(text):
        return float(named[1])
    bare = None if quoted else _BARE_NUMBER.fullmatch(text)
    if bare is None:
        return text
    return float(text) if bare["float"] else int(text, 16 if bare["hex"] else 10)


def _float(item: Any) -> float | None:
    if isinstance(item, str):
        named = QUOTED_NUMBER.fullmatch(item)
        return None if named is None else float(named[1])
    if isinstance(item, bool) or not isinstance(item, int | float):
        return None
    try:
        return float(item)
    except OverflowError:  # JSON has integers of any size
        return None


def _is_beyond(type_name: str, item: float | None) -> bool:
    """Whether a finite number is too large for a type."""
    if item is None or not math.isfinite(item):
        return False
    with np.errstate(over="ignore"):
        return bool(np.isinf(np.array(item).astype(type_name)))


def _integer(item: Any) -> int | None:
    if isinstance(item, float) and item.is_integer():
        return int(item)
    return item if isinstance(item, int) and not isinstance(item, bool) else None
