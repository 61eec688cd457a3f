"""What JSON calls the types of values."""

from __future__ import annotations

import math
from collections.abc import Mapping
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


def has_infinity(value: Any) -> bool:
    """Whether a JSON value holds a float that is not finite, which some encoders write as null."""
    if isinstance(value, dict):
        return any(map(has_infinity, value.values()))
    if isinstance(value, list):
        return any(map(has_infinity, value))
    return type(value) is float and not math.isfinite(value)
