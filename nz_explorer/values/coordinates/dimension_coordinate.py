"""Which array holds the coordinates of a dimension."""

from __future__ import annotations

from nz_explorer.model import Array, is_candidate
from nz_explorer.store import Cancellation
from nz_explorer.text.phrases import plural
from nz_explorer.values.coordinates.monotonicity import check_monotonic
from nz_explorer.values.coordinates.named import named_coordinates
from nz_explorer.values.coordinates.times import is_time
from nz_explorer.values.reading.chunk_cache import MEBIBYTE, ChunkCache

COORDINATE_BUDGET = 16 * MEBIBYTE
_IN_ORDER = ("int", "uint", "float", "datetime")
"""Kinds of data types whose values may be places along an axis."""


def find_coordinate(
    array: Array, axis: int, cancel: Cancellation | None = None
) -> tuple[Array | None, str]:
    """Find the array that holds the coordinates of a dimension, going by metadata.

    Parameters
    ----------
    array
        Whose dimension it is.
    axis
        Number of the dimension.
    cancel
        To give up reading metadata.

    Returns
    -------
    tuple
        The array, named like the dimension and as long, of the same group, or else of the nearest group above that
        has one; or None and why.

    Notes
    -----
    Source: NZ-1.0, Dimension Coordinate Array, for those of the same group. Groups above are asked as CF-1.11,
    2.7 Groups, has it, and as xarray's DataTree inherits coordinates.
    See https://github.com/zarr-conventions/nz/blob/v1/README.md.
    """
    names, shape = array.dimension_names, array.shape or ()
    name = None if names is None else names[axis]
    if not name or "/" in name[1:]:
        return None, "the dimension has no name"
    if name.startswith("/"):
        return _of_ancestor(array, name[1:], shape[axis], cancel)
    if array.name == name:
        return None, "it is the coordinate itself"
    group = array.parent or "/"
    node = array.hierarchy.get(f"{'' if group == '/' else group}/{name}", cancel)
    if not isinstance(node, Array):
        found = None if group == "/" else _of_ancestor(array, name, shape[axis], cancel)[0]
        return found, "" if found is not None else f"there is no array {name} beside it"
    if not is_candidate(node):
        return None, f"{node.path} is not one-dimensional along {name}"
    if node.shape != (shape[axis],):
        return (
            None,
            f"{node.path} has {plural(node.shape[0] if node.shape else 0, 'value')}, not {shape[axis]}",
        )
    return node, ""


def _of_ancestor(
    array: Array, name: str, length: int, cancel: Cancellation | None
) -> tuple[Array | None, str]:
    """Return the coordinate of a dimension of a group above (GeoZarr draft 8.1.2: the nearest that fits)."""
    path = array.parent
    while path is not None:
        node = array.hierarchy.get(f"{'' if path == '/' else path}/{name}", cancel)
        if isinstance(node, Array) and is_candidate(node) and node.shape == (length,):
            return node, ""
        path = None if path == "/" else path.rpartition("/")[0] or "/"
    return None, f"no group above has an array {name} of {plural(length, 'value')}"


def coordinate_of(
    array: Array,
    axis: int,
    *,
    cache: ChunkCache | None = None,
    cancel: Cancellation | None = None,
) -> tuple[Array | None, str]:
    """Return the array that says where the points of a dimension lie, or None and why.

    Parameters
    ----------
    array
        Whose dimension it is.
    axis
        Number of the dimension.
    cache
        Where decoded chunks are kept.
    cancel
        Looked at between chunks.

    Returns
    -------
    tuple
        What is named like the dimension; see `find_coordinate`. Else the only auxiliary coordinate of CF along that
        dimension alone, or the only time among several, if it is strictly monotonic.

    Notes
    -----
    Source: CF-1.11, 5 Coordinate Systems (the attribute ``coordinates``).
    """
    found, why = find_coordinate(array, axis, cancel)
    names = array.dimension_names
    name = None if names is None else names[axis]
    if found is not None or name is None or array.name == name:
        return found, why
    along = [
        node
        for node in named_coordinates(array, cancel)
        if node.dimension_names == (name,)
        and node.shape == (array.shape or ())[axis : axis + 1]
        and node.data_type.kind in _IN_ORDER
    ]
    if len(along) > 1:  # of a track latitudes alone are no places
        along = [n for n in along if n.data_type.kind == "datetime" or is_time(n.attributes)]
    if len(along) != 1:
        return None, why
    (only,) = along
    order = check_monotonic(only, budget=COORDINATE_BUDGET, cancel=cancel, cache=cache)
    return (only, "") if order.strict else (None, why)
