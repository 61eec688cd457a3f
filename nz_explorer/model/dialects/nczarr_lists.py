"""What netCDF-C gets to by the lists of its own metadata."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nz_explorer.model import paths
from nz_explorer.model.dialects import nczarr, netcdf_names

if TYPE_CHECKING:
    from nz_explorer.model.node import Node


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
            if here.rpartition("/")[2] not in (netcdf_names.names_read(listed) or ()):
                return False
        here, is_array = path, False
    return True
