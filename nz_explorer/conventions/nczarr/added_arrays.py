"""NCZ: arrays that other programs have added to a dataset of netCDF-C: what it needs to know to show them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from nz_explorer.conventions.zarr2.netcdf.attributes import are_taken
from nz_explorer.engine.fixes import Draft, Operation, add, set_attribute
from nz_explorer.model import paths
from nz_explorer.model.dialects import nczarr, netcdf_names

if TYPE_CHECKING:
    from nz_explorer.model import Array, Group
    from nz_explorer.model.dialects.nczarr import Place
from nz_explorer.conventions.nczarr.attribute_values import values_are_taken
from nz_explorer.conventions.nczarr.attributes import has_type, types_are_taken
from nz_explorer.conventions.nczarr.declared_dimensions import full_name


@dataclass
class Noted:
    """What makes netCDF-C see arrays that it has not written.

    Attributes
    ----------
    arrays : list of str
        Names of the arrays that it can show then.
    drafts : list of Draft
        What is to be noted of each.
    declared : dict
        The dimensions that their group has to declare for them, with their lengths.
    """

    arrays: list[str] = field(default_factory=list)
    drafts: list[Draft] = field(default_factory=list)
    declared: dict[str, int] = field(default_factory=dict)

    def declarations(self, place: Place) -> tuple[Operation, ...]:
        """Return what declares the dimensions in the metadata of the group."""
        member, given = place.member("dimensions")
        if given is None and self.declared:
            return (add(place.at(member), self.declared),)
        return tuple(add(place.at(member, name), size) for name, size in self.declared.items())


def is_readable(array: Array) -> bool:
    """Whether nothing of an array is known to stop netCDF-C, which without it opens the dataset.

    Parameters
    ----------
    array : Array
        The array.
    """
    place = nczarr.find(array, "array")
    if not _is_plain(array.name) or not (place is None or isinstance(place.value, dict)):
        return False
    attributes = are_taken(array) and types_are_taken(array) and values_are_taken(array)
    return attributes and has_type(array)


def _is_plain(name: str) -> bool:
    """Whether netCDF-C takes a name as it is."""
    return netcdf_names.is_legal(name) and name == netcdf_names.in_its_form(name)


def noted(group: Group, place: Place, arrays: Iterable[Array]) -> Noted:
    """Return what is to be noted of arrays that have names for their dimensions; the others are left out.

    A name means the dimension of that length that the group declares, or a group above it, and else a new one.

    Parameters
    ----------
    group : Group
        The group that the arrays are in.
    place : Place
        Its metadata.
    arrays : iterable of Array
        The arrays, which have no metadata of netCDF-C.
    """
    found = Noted()
    given = place.member("dimensions")[1]
    if place.era != "attributes" or place.is_upper or not isinstance(given, dict | None):
        return found
    for array in arrays:
        names, shape = array.dimension_names, array.stored_shape
        if not names or shape is None or len(names) != len(shape) or not is_readable(array):
            continue
        references: list[str] = []
        new: dict[str, int] = {}
        for name, length in zip(names, shape, strict=True):
            known = {**found.declared, **new}
            if name is None or not _is_plain(name):
                break
            where = _declared(group, name, length)
            if where is None and (
                name in (given or {}) or known.setdefault(name, length) != length
            ):
                break
            if where is None:
                new[name] = length
            references.append(full_name(array, where or group.path, name))
        if len(references) == len(shape):
            value = {"dimension_references": references, "storage": "chunked"}
            found.arrays.append(array.name)
            found.declared.update(new)
            found.drafts.append(
                Draft("suggest", set_attribute(array, "_nczarr_array", value), node=array)
            )
    return found


def _declared(group: Group, name: str, length: int) -> str | None:
    """Return the path of the nearest group that declares a dimension of a name, if it has the length."""
    for path in (group.path, *paths.all_above(group.path)):
        here = group.hierarchy.get(path)
        notes = None if here is None else nczarr.group_notes(here)
        known = None if notes is None else notes.dimension(name)
        if known is not None:
            return path if known.size == length else None
    return None
