"""NCZ: types for attributes that have none, as netCDF-C would guess them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nz_explorer.conventions.zarr2.netcdf.attributes import INTEGERS
from nz_explorer.engine.fixes import Draft, add, set_attribute
from nz_explorer.model import Array
from nz_explorer.model.dialects import nczarr, netcdf_numbers

if TYPE_CHECKING:
    from nz_explorer.model import Node
    from nz_explorer.model.dialects.nczarr import Place

_SPELLED = {"int": "<i", "uint": "<u", "float": "<f"}
NOTE = "these are guesses: the program that wrote the attributes may have meant other types"


def with_type(place: Place, key: str, node: Node) -> Draft | None:
    """Give an attribute the type that its value has.

    Parameters
    ----------
    place : Place
        The types of the other attributes.
    key : str
        Name of the attribute.
    node : Node
        What has it.
    """
    found = _type_of(node, key)
    if found is None or place.era != "attributes" or place.is_upper:
        return None
    return Draft("suggest", (add(place.at("types", key), found),), NOTE)


def with_types(own: list[str], node: Node) -> Draft | None:
    """Give all attributes of a node types, and what netCDF-C itself notes there.

    Parameters
    ----------
    own : list of str
        Names of the other attributes.
    node : Node
        What has them.
    """
    found = {key: _type_of(node, key) for key in own}
    if None in found.values():
        return None
    notes = [key for keys in nczarr.KEYS.values() for key in keys[:1] if key in node.attributes]
    types = {**found, **dict.fromkeys((*notes, "_nczarr_attr"), "|J0")}
    return Draft("suggest", set_attribute(node, "_nczarr_attr", {"types": types}), NOTE)


def _type_of(node: Node, key: str) -> str | None:
    """Return the type of an attribute; None where none fits all of its values, or true and false, which have none."""
    value = node.attributes[key]
    if key == "_FillValue" and isinstance(node, Array):
        data_type = node.data_type
        letter = _SPELLED.get(data_type.kind)
        if letter is not None:
            fits = netcdf_numbers.numbers(value, data_type.name) is not None
            return f"{letter}{data_type.itemsize}" if fits else None
    items: list[Any] = value if isinstance(value, list) else [value]
    if any(isinstance(one, bool) for one in items):
        return None
    if not any(isinstance(one, int | float) for one in items):
        return ">S1"
    # text and JSON begin a list that is kept as text; a number in front makes all of them numbers
    for name in INTEGERS:
        if netcdf_numbers.numbers(value, name) is not None and not _has_point(items):
            return f"<{name[0]}{int(name.lstrip('uint')) // 8}"
    if netcdf_numbers.numbers(value, "float64") is not None:
        return "<f8"
    return None if isinstance(items[0], int | float) else ">S1"


def _has_point(items: list[Any]) -> bool:
    return any(isinstance(one, float) for one in items)
