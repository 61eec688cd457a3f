"""Tables and matrices of anndata and NWB, in which arrays are told by their place and need no named dimensions."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nz_explorer.model.array import Array


def is_of_a_table(array: Array) -> bool:
    """Return whether an array is a part of anndata or of NWB, which have programs of their own.

    Parameters
    ----------
    array : Array
        The array.
    """
    attributes = array.attributes
    if attributes:
        return "encoding-type" in attributes or "zarr_dtype" in attributes
    # the parts of a sparse matrix have none; that is looked for last, as verdicts on them are then not shared
    group = array.hierarchy.node_if_loaded(array.parent or "/")
    return group is not None and "encoding-type" in group.attributes
