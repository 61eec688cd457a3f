"""NCZ: types for attributes that have none, as netCDF-C would guess them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nz_explorer.conventions.zarr2.netcdf.attributes import INTEGERS
from nz_explorer.engine.fixes import Draft, add, set_attribute
from nz_explorer.model import Array
from nz_explorer.model.dialects import nczarr, netcdf_numbers
from nz_explorer.model.dialects.nczarr_types import SPELLED

if TYPE_CHECKING:
    from nz_explorer.model import Node
    from nz_explorer.model.dialects.nczarr import Place

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
    if key == "_FillValue" and isinstance(node, Array) and node.data_type.name in SPELLED:
        fits = netcdf_numbers.numbers(value, node.data_type.name) is not None
        return SPELLED[node.data_type.name] if fits else None
    items: list[Any] = value if isinstance(value, list) else [value]
    if any(isinstance(one, bool) for one in items):
        return None
    if not any(isinstance(one, int | float) for one in items):
        return ">S1"
    has_point = any(isinstance(one, float) for one in items)
    # text and JSON begin a list that is kept as text; a number in front makes all of them numbers
    for name in () if has_point else INTEGERS:
        if netcdf_numbers.numbers(value, name) is not None:
            return SPELLED[name]
    if netcdf_numbers.numbers(value, "float64") is not None:
        return "<f8"
    return None if isinstance(items[0], int | float) else ">S1"
