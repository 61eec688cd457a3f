"""The arrays that the attribute ``coordinates`` of CF names: of an array, and, as xarray writes it, of its group."""

from __future__ import annotations

from collections.abc import Iterator

from nz_explorer.model import Array
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
        node = _nearest(array, name, cancel)
        if node is None:
            continue
        if name in own or (node.path != array.path and dims.issuperset(node.dimension_names or ())):
            yield node


def _nearest(array: Array, name: str, cancel: Cancellation | None) -> Array | None:
    """Return the array of a name in the group of an array, or in the nearest above (CF-1.11, 2.7 Groups)."""
    group = None if "/" in name else array.parent
    while group is not None:
        node = array.hierarchy.get(f"{'' if group == '/' else group}/{name}", cancel)
        if isinstance(node, Array):
            return node
        group = None if group == "/" else group.rpartition("/")[0] or "/"
    return None
