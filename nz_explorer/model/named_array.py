"""The array that an attribute of another one names."""

from __future__ import annotations

from posixpath import join, normpath

from nz_explorer.model.array import Array
from nz_explorer.model.paths import all_above, below
from nz_explorer.store import Cancellation


def named_array(array: Array, name: str, cancel: Cancellation | None = None) -> Array | None:
    """Return the array that an attribute of an array names, None where there is none.

    Parameters
    ----------
    array : Array
        Which has the attribute, such as ``coordinates`` or ``grid_mapping``.
    name : str
        A name, which is looked for in the group of the array and in those above, the nearest first; or a path, from the
        group or from the root.
    cancel : Cancellation, optional
        Stops reading metadata.

    Notes
    -----
    Source: CF-1.11, 2.7 Groups.
    See https://cfconventions.org/Data/cf-conventions/cf-conventions-1.11/cf-conventions.html.
    """
    groups = list(all_above(array.path))
    places = [below(group) + name for group in groups]
    if "/" in name:
        places = [normpath(join(group, name)) for group in groups[:1]]
    for place in places:
        node = array.hierarchy.get(place, cancel)
        if isinstance(node, Array):
            return node
    return None
