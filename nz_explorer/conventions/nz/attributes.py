"""NZ: attribute values have a type that netCDF knows (NZ-1.0, Attribute Value Types)."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from nz_explorer.documents.json_text import json_text
from nz_explorer.documents.json_types import json_type
from nz_explorer.engine.findings import Fail
from nz_explorer.engine.fixes import Draft, remove
from nz_explorer.engine.registry import rule
from nz_explorer.model.attribute_types import array_kinds
from nz_explorer.model.dialects import nczarr

if TYPE_CHECKING:
    from nz_explorer.model import Node

ELSEWHERE = frozenset({"_FillValue", "_ARRAY_DIMENSIONS"})
"""Attributes whose values other rules judge: a complex ``_FillValue`` may be ``["NaN", -1]``."""
DECLARATIONS = frozenset({"conventions", "Conventions", "zarr_conventions"})
"""Attributes whose type has rules of its own."""
NAMES_OF_NUMBERS = frozenset({"NaN", "Infinity", "-Infinity"})

PLURALS = {"array": "lists", "null": "null"}
"""What JSON calls some types, and what a list of several of them has."""


@rule("NZ-ATTR-001", on="node", needs=("attributes",))
def homogeneous(node: Node) -> Iterator[Fail]:
    """Require one type in a list of values. Integers and floats are both numbers, true and false are not."""
    for name, value in node.odd_attributes:
        if type(value) is not list or len(value) < 2 or name in ELSEWHERE:
            continue
        if len(set(map(type, value))) == 1:  # the usual case, decided quickly
            continue
        kinds = array_kinds(value)
        if len(kinds) < 2:
            continue
        first = next(i for i, item in enumerate(value) if json_type(item) != kinds[0])
        plurals = [PLURALS.get(kind, f"{kind}s") for kind in kinds]
        mixed = " and ".join([", ".join(plurals[:-1]), plurals[-1]])
        message = f"attribute {json_text(name)}: the list mixes {mixed} (first at index {first}: {json_text(value[first])})"
        texts = [item for item in value if isinstance(item, str)]
        if set(kinds) == {"string", "number"} and all(item in NAMES_OF_NUMBERS for item in texts):
            message += f'; JSON has no {texts[0]}, so "{texts[0]}" is a string'
        yield Fail(node.attribute_pointer(name), message, fix=_one_type)


def _one_type(_node: Node) -> Draft:
    return Draft(
        "suggest", note="write all values as numbers, or all as strings, or use two attributes"
    )


INT64 = 2**63
FLOAT32_MAX = float(np.finfo(np.float32).max)
LARGEST = 64 * 1024
CONVENTIONS_OF_OBJECTS = frozenset({"zarr_conventions", "multiscales"})
"""Attributes that their conventions define as lists of objects."""
WELL_KNOWN = (
    6356752.314245179,
    6356752.314140356,
    298.257223563,
    298.257222101,
    9.969209968386869e36,
)
"""Numbers that everybody knows: of the ellipsoids of WGS 84 and GRS 80, and the fill value of netCDF."""
PUBLISHED = (6356752.31414, 298.2572221)
"""What the definition of the products of GOES-R has for GRS 80, in all its files."""


def _judged(node: Node) -> Iterator[tuple[str, object]]:
    for name, value in node.odd_attributes:
        if name not in ELSEWHERE and name not in DECLARATIONS:
            yield name, value


@rule("NZ-ATTR-002", on="node", needs=("attributes",))
def no_null(node: Node) -> Iterator[Fail]:
    """Note null, which no type of netCDF has. In a list of other values it is NZ-ATTR-001."""
    for name, value in _judged(node):
        if value is None or (isinstance(value, list) and value and all(v is None for v in value)):
            what = "null" if value is None else "a list of null"
            pointer = node.attribute_pointer(name)
            # netCDF-C reads these itself: what it makes of null there is said by the rules of NCZ
            is_own = nczarr.is_hidden(name) or name == nczarr.PROPERTIES
            yield Fail(
                pointer,
                f"attribute {json_text(name)} is {what}; NZ has no type for it",
                readers={"xarray": "returns None"} if is_own else None,
                fix=lambda _node, pointer=pointer: Draft("unsafe", (remove(pointer),)),  # type: ignore[misc]  # bound now
            )


@rule("NZ-ATTR-003", on="node", needs=("attributes",))
def no_booleans(node: Node) -> Iterator[Fail]:
    """Note lists of true and false."""
    for name, value in _judged(node):
        if isinstance(value, list) and value and all(isinstance(item, bool) for item in value):
            yield Fail(
                node.attribute_pointer(name),
                f"attribute {json_text(name)} is a list of true and false; NZ has no type for it",
            )


@rule("NZ-ATTR-004", on="node", needs=("attributes",))
def no_lists_of_lists(node: Node) -> Iterator[Fail]:
    """Note lists of lists: attributes of netCDF have one dimension."""
    for name, value in _judged(node):
        if isinstance(value, list) and value and all(isinstance(item, list) for item in value):
            yield Fail(
                node.attribute_pointer(name),
                f"attribute {json_text(name)} is a list of lists; NZ has no type for it",
            )


@rule("NZ-ATTR-005", on="node", needs=("attributes",))
def no_lists_of_objects(node: Node) -> Iterator[Fail]:
    """Note lists of objects that no convention defines."""
    for name, value in _judged(node):
        if (
            isinstance(value, list)
            and value
            and name not in CONVENTIONS_OF_OBJECTS
            and all(isinstance(item, dict) for item in value)
        ):
            yield Fail(
                node.attribute_pointer(name), f"attribute {json_text(name)} is an array of objects"
            )


@rule("NZ-ATTR-006", on="node", needs=("attributes",))
def fits_int64(node: Node) -> Iterator[Fail]:
    """Note integers beyond int64, which is the type that integers become."""
    for name, value in _judged(node):
        for item in value if isinstance(value, list) else (value,):
            if type(item) is int and not -INT64 <= item < INT64:
                yield Fail(
                    node.attribute_pointer(name),
                    f"attribute {json_text(name)}: {json_text(item)} does not fit into int64",
                )
                break


def _floats(node: Node) -> Iterator[tuple[str, float]]:
    for name, value in node.attributes.items():
        for item in value if isinstance(value, list) else (value,):
            if type(item) is float:
                yield name, item


@rule("NZ-ATTR-007", on="node", needs=("attributes",))
def all_digits(node: Node) -> Iterator[Fail]:
    """Suspect numbers that begin like a well-known one and then stop. A short number alone proves nothing."""
    for name, value in _floats(node):
        for known in WELL_KNOWN:
            if _cut_short(value, known):
                yield Fail(
                    node.attribute_pointer(name),
                    f"attribute {json_text(name)}: {value!r} looks like {known!r} with fewer digits",
                )
                break


def _cut_short(value: float, known: float) -> bool:
    """Whether a number is what six or more, but not all, digits of another are, rounded or cut off."""
    text = repr(value)
    digits = len(text.split("e")[0].lstrip("-0.").replace(".", ""))
    if digits < 6 or text.endswith(".0") or value == known or value in PUBLISHED:
        return False
    return value == float(f"{known:.{digits - 1}e}") or repr(known).startswith(text)


@rule("NZ-ATTR-008", on="node", needs=("attributes",))
def not_widened(node: Node) -> Iterator[Fail]:
    """Note numbers that were float32 and got the digits of float64."""
    for name, value in _floats(node):
        if not math.isfinite(value) or abs(value) > FLOAT32_MAX:
            continue
        short = str(np.float32(value))
        digits = sum(map(str.isdigit, repr(value).split("e")[0].lstrip("-0.")))
        if float(np.float32(value)) == value and digits > 12 and float(short) != value:
            yield Fail(
                node.attribute_pointer(name),
                f"attribute {json_text(name)}: {value!r} is a widened float32 ({short})",
            )


@rule("NZ-ATTR-009", on="node", needs=("attributes",))
def not_large(node: Node) -> Iterator[Fail]:
    """Note attributes that every reader has to load before it sees the first name."""
    for name, value in node.attributes.items():
        if not isinstance(value, str | list | dict):
            continue
        size = len(json.dumps(value))
        if size > LARGEST:
            yield Fail(
                node.attribute_pointer(name), f"attribute {json_text(name)} is {size // 1024} KiB"
            )
