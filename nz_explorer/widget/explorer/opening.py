"""Opening a store in the explorer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from nz_explorer.conventions import evaluate
from nz_explorer.engine.evaluation import Budget, Evaluation
from nz_explorer.model import open_store
from nz_explorer.widget.explorer.explorer import Explorer
from nz_explorer.widget.explorer.last_place import keep_place
from nz_explorer.widget.explorer.synced_widget import DEFAULT_BUDGET

COMPARED_UNASKED = 500
"""Nodes of a remote store whose consolidated metadata are compared with the stored documents without being asked to."""


def explore(
    source: Any,
    *,
    path: str = "/",
    conventions: str | Sequence[str] = "auto",
    mode: Literal["r", "r+"] = "r",
    storage_options: Mapping[str, Any] | None = None,
    budget: int | None = None,
) -> Explorer:
    """Open a Zarr hierarchy in the explorer.

    Parameters
    ----------
    source
        A path, zip file, URL, NCZarr URL, zarr store, group or array, fsspec mapping or Icechunk session; an xarray
        object (the Zarr store that it was opened from, else itself as NZ would store it), or a netCDF file.
    path : str
        The node to select first.
    conventions : str or sequence of str
        Conventions to check, by default those the store shows.
    mode : {"r", "r+"}
        ``r+`` allows fixes to be written, when asked for.
    storage_options : mapping, optional
        For remote sources, with the names of fsspec or of obstore.
    budget : int, optional
        Decoded bytes that one picture may take, 64 MiB by default.

    Raises
    ------
    SourceError
        If there is no Zarr hierarchy, or its root cannot be read.
    NodeNotFound
        If there is no node at `path`.
    """
    given = dict(storage_options) if storage_options else None

    def opened() -> Evaluation:
        hierarchy = open_store(source, storage_options=given, mode=mode)
        unasked = Budget(max_comparisons=COMPARED_UNASKED)
        return evaluate(hierarchy, conventions=conventions, budget=unasked)

    explorer = Explorer(
        opened(), reopen=opened, path=path, budget=DEFAULT_BUDGET if budget is None else budget
    )
    keep_place(explorer, f"{explorer.hierarchy.source}\n{path}")
    return explorer
