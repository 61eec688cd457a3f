"""Which netCDF type an attribute has, and its values as CDL writes them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from nz_explorer.model.dialects.nczarr import text_of
from nz_explorer.model.dialects.netcdf_json import json_text
from nz_explorer.model.dialects.netcdf_numbers import as_numbers, numbers
from nz_explorer.netcdf import cdl_text

if TYPE_CHECKING:
    from nz_explorer.model import Node
    from nz_explorer.model.fill_values import FillValue

NO_TYPE = "JSON: netCDF has no such type"
_INTEGERS = (
    ("int32", -(2**31), 2**31 - 1),
    ("uint32", 0, 2**32 - 1),
    ("int64", -(2**63), 2**63 - 2),
    ("uint64", 0, 2**64 - 1),
)
"""Types of integers whose type is not noted; the first that holds them all is taken. The greatest int64 is
netCDF-C's first uint64."""


@dataclass(frozen=True, slots=True)
class CdlValue:
    """The value of an attribute.

    Attributes
    ----------
    type : str
        ``char``, ``string``, or a number's type as Zarr v3 names it.
    text : str
        As CDL writes it.
    note : str
        What CDL cannot express.
    """

    type: str
    text: str
    note: str = ""


def attribute_value(
    node: Node, key: str, noted: str | None = None, limit: int | None = None
) -> CdlValue:
    """Return an attribute as CDL writes it.

    Parameters
    ----------
    node : Node
        Its node.
    key : str
        Its name.
    noted : str, optional
        Its type, where netCDF-C noted one that is known: see `nz_explorer.model.dialects.nczarr.attribute_type`.
    limit : int, optional
        Values that are written out.
    """
    value = node.attributes[key]
    if noted is not None:
        found = _as_noted(node, key, value, noted, limit)
        if found is not None:
            return found
    guess = _inferred if node.zarr_format == 2 else _of_nz
    found = guess(node, key, limit)
    if noted is None:
        return found
    return CdlValue(found.type, found.text, f"is no {noted}, though that is noted as its type")


def fill_text(fill: FillValue, type_name: str) -> CdlValue | None:
    """Return a fill value in the type of its array.

    Parameters
    ----------
    fill
        The fill value.
    type_name
        Of the CDL type of its variable.
    """
    value = fill.value
    if value is None:
        return CdlValue("char", cdl_text.quote(json_text(fill.given)), "cannot be decoded")
    if isinstance(value, bytes):
        value = value.decode("latin-1")
    if isinstance(value, str):
        return CdlValue("char" if type_name == "char" else "string", cdl_text.quote(value))
    if isinstance(value, complex):
        return CdlValue("char", cdl_text.quote(str(value)))
    return CdlValue(type_name, cdl_text.number(value, type_name))


def _as_noted(node: Node, key: str, value: Any, noted: str, limit: int | None) -> CdlValue | None:
    """Return a value in the type that netCDF-C noted; None where it is none of that type."""
    if noted in ("char", "json"):
        return CdlValue("char", cdl_text.quote(text_of(node, key)))
    if noted == "string":
        items = value if isinstance(value, list) else [value]
        words = [item if isinstance(item, str) else json_text(item) for item in items]
        return _list("string", list(map(cdl_text.quote, words)), limit)
    found = numbers(as_numbers(node, key), noted)
    if found is not None and noted.startswith("float") and 0 in found:
        found = list(_signed(node, key, found))
    return None if found is None else _numbers(noted, found, limit)


def _signed(node: Node, key: str, found: list[Any]) -> Iterator[float]:
    """Yield numbers with the sign of zeros, which netCDF-C writes as -0 and JSON decoders take for integers."""
    document, pointer = node.locate(node.attribute_pointer(key))
    listed = isinstance(node.attributes[key], list)
    for i, number in enumerate(found):
        token = None
        if number == 0 and document is not None:
            token = document.token(f"{pointer}/{i}" if listed else pointer)
        yield -0.0 if token is not None and token.startswith("-") else number


def _inferred(node: Node, key: str, limit: int | None) -> CdlValue:
    """Return a value in the type that netCDF-C infers, where it noted none."""
    value = node.attributes[key]
    items = value if isinstance(value, list) else [value]
    first = items[0] if items else None
    if isinstance(value, str) or value == []:
        return CdlValue("char", cdl_text.quote(value or ""))
    if all(isinstance(item, bool) for item in items):
        return _numbers("uint8", [int(item) for item in items], limit)
    integers = [item for item in items if type(item) is int]
    if len(integers) == len(items):
        for name, least, greatest in _INTEGERS:
            if least <= min(integers) and max(integers) <= greatest:
                return _numbers(name, integers, limit)
    if isinstance(first, int | float) and (found := numbers(items, "float64")) is not None:
        return _numbers("float64", found, limit)
    return CdlValue("char", cdl_text.quote(_cut(text_of(node, key), limit)))


def _of_nz(node: Node, key: str, limit: int | None) -> CdlValue:
    """Return a value in the type that NZ-1.0 gives it (Attribute Data Types)."""
    value = node.attributes[key]
    items = value if isinstance(value, list) else [value]
    kinds = {type(item) for item in items}
    if items and kinds <= {int}:
        return _numbers("int64", items, limit)
    if items and kinds <= {int, float}:
        return _numbers("float64", [float(item) for item in items], limit)
    if items and kinds <= {str}:
        words = list(map(cdl_text.quote, items))
        return _list("string" if len(words) > 1 else "char", words, limit)
    return CdlValue("char", cdl_text.quote(_cut(text_of(node, key), limit)), NO_TYPE)


def _numbers(type_name: str, items: list[Any], limit: int | None) -> CdlValue:
    return _list(type_name, [cdl_text.number(item, type_name) for item in items], limit)


def _list(type_name: str, words: list[str], limit: int | None) -> CdlValue:
    more = "and more" if limit is not None and len(words) > limit else ""
    return CdlValue(type_name, ", ".join(words[:limit]) or '""', more)


def _cut(text: str, limit: int | None) -> str:
    """Return text shortened to about as much as that many values take."""
    return text if limit is None else text[: 20 * limit]
