"""What readers make of _ARRAY_DIMENSIONS that are not one name for each dimension."""

from __future__ import annotations

from typing import Any

from nz_explorer.conventions.zarr3.nodes import CRASHES
from nz_explorer.model import Array, Group
from nz_explorer.model.dialects.nczarr import find_object

XARRAY = {"xarray": "raises ValueError and cannot open the group"}
_NO_SPACE = {"netCDF-C": "writes beyond the space for names, and may crash the process (4.10)"}


def readers_of_names(array: Array, given: Any) -> dict[str, str]:
    """Return what readers do: xarray takes what has as many items as there are dimensions, and a letter for one.

    netCDF-C takes each item for a text, and where it names the dimensions by them reads beyond a list that is too short,
    but for an empty one. It counts the names and the values of an object.

    Parameters
    ----------
    array : Array
        An array of Zarr v2.
    given
        Its _ARRAY_DIMENSIONS, which are not one name for each dimension.
    """
    rank = len(array.stored_shape or ())
    if isinstance(given, dict) and given and rank and not _has_others(array):
        fitting = rank in (1, 2) if len(given) == 1 else rank == 2 * len(given)
        return ({} if len(given) == rank else XARRAY) | ({} if fitting else CRASHES)
    named = isinstance(given, list) and not _has_others(array)
    no_text = isinstance(given, list) and any(
        name is None or isinstance(name, list | dict) for name in given
    )
    too_short = named and 0 < len(given) < rank
    # what is one too many has any length
    twice = named and any(name in given[:place] for place, name in enumerate(given[rank:], rank))
    if named and not twice and len(given) > rank:
        beside = lengths_beside(array)
        lengths = zip(given, array.stored_shape or (), strict=False)
        twice = any(beside.get(str(name), length) != length for name, length in lengths)
        twice = twice or any(name in beside for name in map(str, given[rank:]))
    # it has space for an odd number of them, and for three at least
    no_space = named and rank > 0 and len(given) > max(3, rank | 1)
    crashes = CRASHES if no_text or too_short else _NO_SPACE if no_space else {}
    if twice and not crashes:
        crashes = {"netCDF-C": "refuses the dataset: Invalid dimension size"}
    if isinstance(given, str) and rank != 1:
        return XARRAY
    if isinstance(given, list) and any(isinstance(name, list | dict) for name in given):
        unhashable = "raises TypeError: unhashable type, and cannot open the group"
        return {"xarray": unhashable, **crashes}
    if isinstance(given, list | str | dict) and len(given) == rank:
        return crashes
    if not isinstance(given, list | str | dict):
        return {"xarray": "raises TypeError and cannot open the group", **crashes}
    return {**XARRAY, **crashes}


def _has_others(array: Array) -> bool:
    """Whether netCDF-C finds dimensions in metadata of its own, or is told to have none, and does not look at these names."""
    modes = {*array.hierarchy.modes}
    place = None if {"zarr", "xarray"} & modes else find_object(array, "array")
    if "noxarray" in modes:
        return True
    if place is None or not place.read:
        return False
    given = place.member("dimension_references")[1]
    if "scalar" in place.value:
        return True
    return isinstance(given, list) and len(given) == len(array.stored_shape or ())


def lengths_beside(array: Array) -> dict[str, int]:
    """Return the lengths that other arrays of the group give the dimensions that they name.

    Parameters
    ----------
    array : Array
        The array.
    """
    group = None if array.parent is None else array.hierarchy.node_if_loaded(array.parent)
    layouts = group.layouts if isinstance(group, Group) else {}
    return {
        name: length
        for (names, lengths), arrays in layouts.items()
        if arrays != [array]
        for name, length in zip(names or (), lengths or (), strict=False)
        if name
    }
