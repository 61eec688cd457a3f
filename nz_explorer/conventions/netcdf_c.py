"""How grave it is what netCDF-C alone makes of a dataset that the texts allow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from nz_explorer.model.dialects import nczarr

if TYPE_CHECKING:
    from nz_explorer.model import Node


def impact_of_netcdf(node: Node) -> Literal["advice"] | None:
    """Return how grave it is what netCDF-C alone makes of what the texts allow: see `nz_explorer.diagnosis.impact`.

    Parameters
    ----------
    node
        What it stops at, or takes for something else. In a dataset of netCDF-C the catalogue's impact counts.
    """
    own = any(nczarr.find(node, part) is not None for part in ("group", "array", "attr"))
    return None if own else "advice"
