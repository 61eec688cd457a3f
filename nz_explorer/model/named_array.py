"""The array that an attribute of another one names."""

from __future__ import annotations

from posixpath import join, normpath
from typing import TYPE_CHECKING

from nz_explorer.model.array import Array
from nz_explorer.model.paths import above, all_above, below
from nz_explorer.store import Cancellation

if TYPE_CHECKING:
    from nz_explorer.model.hierarchy import Hierarchy


def named_array(array: Array, name: str, cancel: Cancellation | None = None) -> Array | None:
    """Return the array that an attribute of an array names, None where there is none.

    Parameters
    ----------
    array : Array
        Which has the attribute, such as ``coordinates`` or ``grid_mapping``.
    name : str
        A name, or a path; see `named_in`.
    cancel : Cancellation, optional
        Stops reading metadata.
    """
    if array.path == "/":  # an array that is a store has no group
        return None
    return named_in(array.hierarchy, above(array.path), name, cancel)


def named_in(
    hierarchy: Hierarchy, group: str, name: str, cancel: Cancellation | None = None
) -> Array | None:
    """Return the array that a name leads to from a group, None where there is none.

    Parameters
    ----------
    hierarchy : Hierarchy
        Where it is looked for.
    group : str
        Path of the group.
    name : str
        A name, which is looked for in the group and in those above, the nearest first; or a path, from the group or from
        the root.
    cancel : Cancellation, optional
        Stops reading metadata.

    Notes
    -----
    Source: CF-1.11, 2.7 Groups.
    See https://cfconventions.org/Data/cf-conventions/cf-conventions-1.11/cf-conventions.html.
    """
    places = [below(one) + name for one in (group, *all_above(group))]
    if "/" in name:
        places = [normpath(join(group, name))]
    found = (hierarchy.get(place, cancel) for place in places)
    return next((node for node in found if isinstance(node, Array)), None)
