"""NZ: attribute values have a type that netCDF knows (NZ-1.0, Attribute Types)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from nz_explorer.model.attributes import array_kinds
from nz_explorer.model.document import json_type
from nz_explorer.model.json_text import json_text
from nz_explorer.rules.findings import Fail
from nz_explorer.rules.fixes import Draft
from nz_explorer.rules.registry import rule

if TYPE_CHECKING:
    from nz_explorer.model import Node

ELSEWHERE = frozenset({"_FillValue", "_ARRAY_DIMENSIONS"})
"""Attributes whose values other rules judge: a complex ``_FillValue`` may be ``["NaN", -1]``."""
NAMES_OF_NUMBERS = frozenset({"NaN", "Infinity", "-Infinity"})


@rule("NZ-ATTR-001", on="node", needs=("attributes",), reads="attribute lists")
def homogeneous(node: Node) -> Iterator[Fail]:
    """Want one type in a list of values. Integers and floats are both numbers, true and false are not."""
    for name, value in node.attributes.items():
        if type(value) is not list or len(value) < 2 or name in ELSEWHERE:
            continue
        if len(set(map(type, value))) == 1:  # the usual case, told quickly
            continue
        kinds = array_kinds(value)
        if len(kinds) < 2:
            continue
        first = next(i for i, item in enumerate(value) if json_type(item) != kinds[0])
        mixed = " and ".join([", ".join(kinds[:-1]), kinds[-1]])
        message = f"attribute {json_text(name)}: array mixes {mixed} (first at index {first}: {json_text(value[first])})"
        if set(kinds) == {"string", "number"} and all(
            item in NAMES_OF_NUMBERS for item in value if isinstance(item, str)
        ):
            message += '; JSON has no NaN, and "NaN" is a string'
        yield Fail(node.attribute_pointer(name), message, fix=_one_type)


def _one_type(_node: Node) -> Draft:
    return Draft(
        "suggest", note="write all values as numbers or all as strings, or use two attributes"
    )
