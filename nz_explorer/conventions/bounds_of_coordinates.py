"""Arrays that belong to a coordinate, and have a value everywhere as it has."""

from __future__ import annotations

from nz_explorer.model import Array, Group, is_candidate
from nz_explorer.model.dialects.cs import coordinate_system


def is_of_a_coordinate(array: Array) -> bool:
    """Whether an array holds the bounds of a coordinate, or its climatology, by CF or by cs of an array in its group.

    Parameters
    ----------
    array : Array
        The array.
    """
    shape = array.shape or ()
    if len(shape) > 2 or 2 not in shape:
        return False  # without a look at other arrays, so that those like it share the result
    group = array.hierarchy.get(array.parent or "/")
    if not isinstance(group, Group):
        return False
    by_cf = any(
        array.name in (one.attributes.get("bounds"), one.attributes.get("climatology"))
        and is_candidate(one)
        for one in group.with_attribute("bounds", "climatology")
    )
    systems = filter(None, map(coordinate_system, group.with_attribute("cs")))
    return by_cf or any(
        one.bounds() is array for system in systems for axis in system.axes for one in axis.sets
    )
