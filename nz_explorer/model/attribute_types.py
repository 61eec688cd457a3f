"""What type an attribute has under NZ (NZ-1.0, Attribute Value Types)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from nz_explorer.documents.json_types import json_type
from nz_explorer.text.phrases import noun

INT64 = (-(2**63), 2**63 - 1)

PACKING = ("scale_factor", "add_offset")
"""Attributes that describe how values are packed (CF-1.11, 8.1 Packed Data)."""
DURATIONS = frozenset(
    ["days", "hours", "minutes", "seconds", "milliseconds", "microseconds", "nanoseconds"]
)
"""Units that xarray knows as those of durations."""
_SCALARS = {
    str: "string",
    bool: "bool",
    int: "int64",
    float: "float64",
    type(None): "null",
    dict: "object",
}


@dataclass(frozen=True, slots=True)
class AttributeType:
    """The type of an attribute.

    Attributes
    ----------
    name : str
        ``string``, ``int64``, ``float64``, ``bool``, ``int64[]`` and the like, ``array of …``, ``object``, ``null``,
        ``empty array`` or ``mixed array``.
    note : str or None
        Why NZ has no such type, where that is so.
    """

    name: str
    note: str | None = None


def array_kinds(values: list[Any]) -> list[str]:
    """Return the JSON types that occur in an array, in order of first occurrence."""
    return list(dict.fromkeys(json_type(value) for value in values))


def nz_type(value: Any) -> AttributeType:
    """Return the NZ type of an attribute value.

    Parameters
    ----------
    value
        A decoded JSON value.
    """
    if not isinstance(value, list):
        name = _SCALARS.get(type(value), "object")
        if name == "int64" and not INT64[0] <= value <= INT64[1]:
            return AttributeType("int64", "it does not fit int64")
        if name == "null":
            return AttributeType("null", "NZ has no type for null")
        return AttributeType(
            name, "metadata with a structure of its own" if name == "object" else None
        )
    if not value:
        return AttributeType("empty array", "an empty array has no type of its own")
    kinds = array_kinds(value)
    if len(kinds) > 1:
        return AttributeType(
            "mixed array", f"NZ requires one type in an array, this one mixes {' and '.join(kinds)}"
        )
    if kinds[0] == "number":
        whole = all(type(item) is int for item in value)
        return AttributeType("int64[]" if whole else "float64[]")
    if kinds[0] == "string":
        return AttributeType("string[]")
    several = noun(2, kinds[0])
    return AttributeType(f"array of {several}", f"NZ has no type for arrays of {several}")


def unpacked_number(attributes: Mapping[str, Any], value: Any) -> Any:
    """Return what readers make of a stored number: with ``scale_factor`` and ``add_offset`` applied, where they are numbers.

    Parameters
    ----------
    attributes : Mapping
        Those of the array.
    value
        A stored value; what is no number is returned as it is.
    """
    given = [attributes.get(name) for name in PACKING]
    scale, offset = (one[0] if isinstance(one, list) and len(one) == 1 else one for one in given)
    numbers = (value, 1 if scale is None else scale, 0 if offset is None else offset)
    if scale is offset is None or not all(
        isinstance(one, int | float) and not isinstance(one, bool) for one in numbers
    ):
        return value
    try:
        return float(value) * numbers[1] + numbers[2]
    except OverflowError:
        return value
