"""NCZ: values of attributes, and the types that netCDF-C noted for them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from nz_explorer.conventions.zarr3.nodes import NCZARR_ERROR, shown
from nz_explorer.documents.json_text import json_text
from nz_explorer.engine.findings import Fail
from nz_explorer.engine.fixes import Draft, remove, replace
from nz_explorer.engine.registry import rule
from nz_explorer.model import Array
from nz_explorer.model.dialects import nczarr, netcdf_numbers
from nz_explorer.text.phrases import article, listed

if TYPE_CHECKING:
    from nz_explorer.engine.impact import Impact
    from nz_explorer.model import Node
from nz_explorer.conventions.nczarr.attributes import types_noted
from nz_explorer.conventions.nczarr.superblock import read_today
from nz_explorer.conventions.nczarr.text_as_json import no_text, shortened, stops_as_text


@rule("NCZ-ATT-003", on="node", needs=("attributes",))
def values_of_their_types(node: Node) -> Iterator[Fail]:
    """Require values that fit the given types."""
    found = types_noted(node)
    if found is None:
        return
    for key, meaning, value in _as_typed(node):
        if meaning == "char" and stops_as_text(node, value):
            yield read_today(node, found[0], no_text(node, key))
        elif meaning == "char" and type(value) in (bool, int, float):
            yield from shortened(node, key, found[0])
        elif not _is_of(value, meaning):
            impact, does = _harm(value, meaning, masks=key == "_FillValue")
            unfit = Fail(
                node.attribute_pointer(key),
                f"{key} = {shown(node.attributes[key])} is not {article(meaning)}",
                impact=impact,
                readers={"netCDF-C": does} if does else None,
            )
            yield read_today(node, found[0], unfit)
        elif "int" in meaning and _is_refused(value, meaning):
            yield read_today(node, found[0], _no_integer(node, key, value, meaning))
        elif key == "_FillValue" and isinstance(node, Array) and not _same_type(node, meaning):
            yield Fail(
                found[0].at("types", key),
                f"the type of _FillValue is {meaning}, that of the array {node.data_type.text}",
            )


def values_are_taken(node: Node) -> bool:
    """Whether netCDF-C converts the attributes of a node to the types that are noted for them.

    Parameters
    ----------
    node : Node
        The node.
    """
    for key, meaning, value in _as_typed(node):
        if not _is_of(value, meaning):
            if _harm(value, meaning, masks=key == "_FillValue")[0] == "blocks":
                return False
        elif "int" in meaning and _is_refused(value, meaning):
            return False
    return True


def _as_typed(node: Node) -> Iterator[tuple[str, str, Any]]:
    """Yield the attributes that have a type, with that type, and with numbers as netCDF-C reads them."""
    for key, meaning in nczarr.attribute_types(node).items():
        if key in node.attributes and not nczarr.is_hidden(key):
            words = meaning in ("char", "json", "string")
            value = node.attributes[key] if words else netcdf_numbers.as_numbers(node, key)
            yield key, meaning, value


@rule(
    "NCZ-ATT-003",
    on="root",
    formats=(2,),
    needs=("attributes",),
    when=lambda root: nczarr.PROPERTIES in root.attributes,
)
def properties_are_text(root: Node) -> Iterator[Fail]:
    """Require text where netCDF-C notes which of its versions wrote the dataset."""
    given = root.attributes[nczarr.PROPERTIES]
    if not isinstance(given, str):
        yield Fail(
            root.attribute_pointer(nczarr.PROPERTIES),
            f"{nczarr.PROPERTIES} = {shown(given)} is no text",
            impact="blocks",
            readers=NCZARR_ERROR,
            fix=_without_properties,
        )


def _without_properties(node: Node) -> Draft:
    """Take the note away, and its type, which would be one of nothing."""
    operations = [remove(node.attribute_pointer(nczarr.PROPERTIES))]
    found = types_noted(node)
    if found is not None and nczarr.PROPERTIES in found[1]:
        operations.append(remove(found[0].at("types", nczarr.PROPERTIES)))
    return Draft("suggest", tuple(operations))


def _is_refused(value: Any, meaning: str) -> bool:
    """Whether netCDF-C makes no integers of numbers."""
    items = value if isinstance(value, list) else [value]
    return not all(netcdf_numbers.is_taken(one, meaning) for one in items)


def _no_integer(node: Node, key: str, value: Any, meaning: str) -> Fail:
    """Return that netCDF-C minds the decimal point of an integer, as in 255.0."""
    pointer, whole = node.attribute_pointer(key), netcdf_numbers.numbers(value, meaning) or []
    return Fail(
        pointer,
        f"{key} = {shown(node.attributes[key])} is {article(meaning)}, and netCDF-C 4.10 takes no number with a decimal"
        f" point for one above {127 if meaning == 'uint8' else 2**63 - 1}",
        severity="info",
        impact="blocks",
        readers={"netCDF-C": _NOT_REPRESENTABLE},
        fix=lambda _node: Draft(
            "suggest", (replace(pointer, whole if isinstance(value, list) else whole[0]),)
        ),
    )


_NOT_REPRESENTABLE = "cannot open the dataset: numeric conversion not representable"
_LARGEST_FLOAT32 = 3.4028235677973366e38
"""The first number that float32 rounds to infinity."""


def _harm(value: Any, meaning: str, *, masks: bool) -> tuple[Impact | None, str]:
    """Return the impact of a value that does not fit its type, and what netCDF-C 4.10 makes of it."""
    items = value if isinstance(value, list) else [value]
    if masks and len(items) == 1 and isinstance(items[0], bool):
        return "values", f"takes it for {int(items[0])}, which is missing then"
    if not all(isinstance(one, str | int | float) for one in items):
        return None, ""  # anything else is text to netCDF-C, whatever its type
    if meaning == "string":
        return "blocks", "cannot open the dataset: invalid argument"
    whole = "int" in meaning
    numbers = [one for one in items if not isinstance(one, str)]
    endless = any(isinstance(one, float) and not math.isfinite(one) for one in items)
    if (whole and endless) or len(numbers) < len(items):
        return "blocks", "crashes the process, or cannot open the dataset"
    if whole and not all(netcdf_numbers.is_taken(one, meaning) for one in numbers):
        return "blocks", _NOT_REPRESENTABLE
    if whole and any(abs(one) >= 2**63 for one in numbers):  # and what is taken all the same
        return "values", f"reads {2**64 - 1 if meaning == 'uint64' else -(2**63)}"
    if whole and any(isinstance(one, float) for one in numbers):
        return "values", "drops the fractions"
    if meaning == "float32" and any(abs(one) > _LARGEST_FLOAT32 for one in items):
        return "values", "reads infinity"
    return None, ""


def _is_of(value: Any, meaning: str) -> bool:
    if meaning == "string":
        items = value if isinstance(value, list) else [value]
        return all(isinstance(item, str) for item in items)
    # Text that is JSON is written as JSON, so characters may be anything.
    return meaning in ("char", "json") or netcdf_numbers.numbers(value, meaning) is not None


def _same_type(array: Array, meaning: str) -> bool:
    data_type = array.data_type
    if data_type.kind in ("bytes", "string"):
        return meaning in ("char", "string")
    return data_type.kind == "unknown" or data_type.name == meaning


@rule("NCZ-ATT-004", on="node", needs=("attributes",))
def named_numbers(node: Node) -> Iterator[Fail]:
    """Note texts that are numbers according to their type."""
    for key, meaning in nczarr.attribute_types(node).items():
        value = node.attributes.get(key)
        items = value if isinstance(value, list) else [value]
        words = [
            item
            for item in items
            if isinstance(item, str) and netcdf_numbers.QUOTED_NUMBER.fullmatch(item)
        ]
        if meaning.startswith("float") and words:
            names = [json_text(word) for word in dict.fromkeys(words)]
            are = "is a number" if len(names) == 1 else "are numbers"
            yield Fail(
                node.attribute_pointer(key),
                f"{listed(names)} in {key} {are}, because its type is {meaning}",
            )
