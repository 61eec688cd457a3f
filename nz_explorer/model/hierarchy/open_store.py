"""Opening a hierarchy from whatever names a store."""

from __future__ import annotations

from typing import Any, Literal

from nz_explorer.model.hierarchy.hierarchy import Hierarchy
from nz_explorer.store import resolve


def open_store(
    source: Any,
    *,
    storage_options: dict[str, Any] | None = None,
    mode: Literal["r", "r+"] = "r",
    consolidated: bool = True,
) -> Hierarchy:
    """Open a hierarchy without a widget.

    Parameters
    ----------
    source
        What `nz_explorer.store.resolve` takes.
    storage_options : dict, optional
        For remote sources.
    mode : {"r", "r+"}
        ``r+`` allows fixes to be written, when asked for.
    consolidated : bool
        Whether to take nodes from consolidated metadata where there is some.

    Raises
    ------
    SourceError
        If there is no Zarr hierarchy, or its root cannot be read.
    """
    return Hierarchy(
        resolve(source, storage_options=storage_options), use_consolidated=consolidated, mode=mode
    )
