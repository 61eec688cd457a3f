"""The arrays that the attribute ``coordinates`` of CF names."""

from __future__ import annotations

from collections.abc import Iterator

from nz_explorer.model import Array
from nz_explorer.store import Cancellation


def named_coordinates(
    array: Array, cancel: Cancellation | None = None, *, most: int | None = None
) -> Iterator[Array]:
    """Yield them, as far as they are there.

    Parameters
    ----------
    array
        Whose attribute it is.
    cancel
        To give up reading metadata.
    most
        How many names are looked at; all by default.

    Notes
    -----
    Source: CF-1.11, 5 Coordinate Systems.
    See https://cfconventions.org/Data/cf-conventions/cf-conventions-1.11/cf-conventions.html.
    """
    listed = array.attributes.get("coordinates")
    group = "" if array.parent in {None, "/"} else array.parent
    for name in listed.split()[:most] if isinstance(listed, str) else ():
        node = None if "/" in name else array.hierarchy.get(f"{group}/{name}", cancel)
        if isinstance(node, Array):
            yield node
