"""What netCDF-C gets to by the lists of its own metadata."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nz_explorer.model import paths
from nz_explorer.model.dialects import nczarr, netcdf_names

if TYPE_CHECKING:
    from nz_explorer.model.node import Node


_KEPT = 64
"""Of how many lists the names are kept: those of the groups above a node, which the nodes beside it share."""
_read: dict[int, tuple[Any, frozenset[str]]] = {}


def _names(given: Any) -> frozenset[str]:
    """Return the names that netCDF-C takes from a list, which may be asked for once for each of them."""
    known = _read.get(id(given))
    if known is None or known[0] is not given:
        if len(_read) >= _KEPT:
            _read.clear()
        # with the list itself, so that no other one gets its id
        known = _read[id(given)] = (given, frozenset(netcdf_names.names_read(given) or ()))
    return known[1]


def is_reached(node: Node) -> bool:
    """Whether netCDF-C gets to a node: each group above it lists the next.

    Parameters
    ----------
    node : Node
        The node.
    """
    here, is_array = node.path, node.kind == "array"
    for path in paths.all_above(here):
        above = node.hierarchy.get(path)
        place = None if above is None else nczarr.find_object(above, "group")
        if place is not None and place.read:  # else netCDF-C looks at what is there
            listed = place.member("arrays" if is_array else "groups")[1]
            if here.rpartition("/")[2] not in _names(listed):
                return False
        here, is_array = path, False
    return True
