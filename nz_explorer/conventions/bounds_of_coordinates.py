"""Arrays that belong to a coordinate, and have a value everywhere as it has."""

from __future__ import annotations

from nz_explorer.model import Array, Group, is_candidate


def is_of_a_coordinate(array: Array) -> bool:
    """Whether an array holds the bounds of a coordinate, or its climatology.

    Parameters
    ----------
    array : Array
        The array.
    """
    group = array.hierarchy.get(array.parent or "/")
    named = group.with_attribute("bounds", "climatology") if isinstance(group, Group) else ()
    return any(
        array.name in (one.attributes.get("bounds"), one.attributes.get("climatology"))
        for one in named
        if is_candidate(one)
    )
