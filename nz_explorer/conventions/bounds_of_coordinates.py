"""Arrays that belong to a coordinate, and have a value everywhere as it has."""

from __future__ import annotations

from nz_explorer.model import Array, Group, is_candidate
from nz_explorer.model.dialects.cs import coordinate_system
from nz_explorer.model.paths import below


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
    return isinstance(group, Group) and array.path in group.of_children(_bounds_in)


def _bounds_in(group: Group) -> frozenset[str]:
    """Return the paths of the bounds of coordinates that arrays in a group name."""
    stem = below(group.path)
    paths = {
        f"{stem}{name}"
        for one in group.with_attribute("bounds", "climatology")
        if is_candidate(one)
        for name in (one.attributes.get("bounds"), one.attributes.get("climatology"))
    }
    systems = filter(None, map(coordinate_system, group.with_attribute("cs")))
    sets = (one for system in systems for axis in system.axes for one in axis.sets)
    paths.update(limits.path for one in sets if (limits := one.bounds()) is not None)
    return frozenset(paths)
