"""Opening a store in the explorer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any, Literal

from nz_explorer.conventions import evaluate
from nz_explorer.engine.evaluation import Budget, Evaluation
from nz_explorer.model import Array, Hierarchy, open_store
from nz_explorer.store.datasets.readers import is_xarray, name_of
from nz_explorer.widget.explorer.explorer import Explorer
from nz_explorer.widget.explorer.last_place import keep_place
from nz_explorer.widget.explorer.synced_widget import DEFAULT_BUDGET

COMPARED_UNASKED = 500
"""Nodes of a remote store whose consolidated metadata are compared with the stored documents without being asked to."""
_MOST_LOOKED_AT = 2_000
"""Nodes among which an xarray object is searched for."""


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
        The node to select first. Of a DataArray, and of what xarray has opened from a group, it is that array or group
        if none is given.
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

    evaluation = opened()
    if path == "/" and is_xarray(source):
        path = _place(evaluation.hierarchy, source)
    explorer = Explorer(
        evaluation, reopen=opened, path=path, budget=DEFAULT_BUDGET if budget is None else budget
    )
    keep_place(explorer, f"{explorer.hierarchy.source}\n{path}")
    return explorer


def _place(hierarchy: Hierarchy, source: Any) -> str:
    """Return the path of what an xarray object is in the store that is shown; that of the root where it is not told."""
    single = not hasattr(source, "data_vars")
    cheap = hierarchy.reader.local or hierarchy.metadata_source == "consolidated"
    if hasattr(source, "subtree") or not cheap:
        return "/"
    variables = {name_of(source): source} if single else source.data_vars
    shapes = {str(name): tuple(one.shape) for name, one in variables.items()}
    nodes = list(islice(hierarchy.walk(), _MOST_LOOKED_AT))
    held: dict[str, dict[str, Any]] = {}
    for node in nodes:
        if isinstance(node, Array):
            held.setdefault(node.parent or "/", {})[node.name] = node.shape
    places = [path for path, arrays in held.items() if shapes.items() <= arrays.items()]
    if len(places) != 1 or len(nodes) == _MOST_LOOKED_AT:
        return "/"
    return "/".join([places[0].rstrip("/"), *shapes]) if single else places[0]
