"""The arrays that the attribute ``coordinates`` of CF names: of an array, and, as xarray writes it, of its group."""

from __future__ import annotations

from collections.abc import Iterator

from nz_explorer.model import Array
from nz_explorer.model.named_array import named_array
from nz_explorer.store import Cancellation


def named_coordinates(
    array: Array, cancel: Cancellation | None = None, *, most: int | None = None
) -> Iterator[Array]:
    """Yield them, as far as they are there; of those that the group names only what lies along dimensions of the array.

    Parameters
    ----------
    array
        Whose attribute it is, or whose group's.
    cancel
        To give up reading metadata.
    most
        How many names are looked at; all by default.

    Notes
    -----
    Source: CF-1.11, 5 Coordinate Systems.
    See https://cfconventions.org/Data/cf-conventions/cf-conventions-1.11/cf-conventions.html.
    """
    group = None if array.parent is None else array.hierarchy.get(array.parent, cancel)
    own, shared = (
        listed.split() if isinstance(listed, str) else []
        for listed in (
            array.attributes.get("coordinates"),
            None if group is None else group.attributes.get("coordinates"),
        )
    )
    names = dict.fromkeys([*own, *shared])
    dims = set(array.dimension_names or ())
    for name in list(names)[:most]:
        node = named_array(array, name, cancel)
        if node is None:
            continue
        if name in own or (node.path != array.path and dims.issuperset(node.dimension_names or ())):
            yield node
