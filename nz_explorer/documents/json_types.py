"""What JSON calls the types of values."""

from __future__ import annotations

import math
from collections.abc import Container, Mapping
from typing import Any

JSON_TYPES = {
    dict: "object",
    list: "array",
    str: "string",
    bool: "boolean",
    int: "number",
    float: "number",
    type(None): "null",
}


def json_type(value: Any) -> str:
    """Return what JSON calls the type of a decoded value."""
    return "object" if isinstance(value, Mapping) else JSON_TYPES.get(type(value), "value")


def is_one_of(value: Any, texts: Container[str]) -> bool:
    """Whether a JSON value is one of some texts; objects and arrays cannot even be asked for in a set of them.

    Parameters
    ----------
    value : Any
        The decoded value.
    texts : container of str
        The texts.
    """
    return isinstance(value, str) and value in texts


def has_infinity(value: Any) -> bool:
    """Whether a JSON value holds a float that is not finite, which some encoders write as null."""
    if isinstance(value, dict):
        return any(map(has_infinity, value.values()))
    if isinstance(value, list):
        return any(map(has_infinity, value))
    return type(value) is float and not math.isfinite(value)
