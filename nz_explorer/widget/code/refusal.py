"""Why zarr refuses an array, and why xarray refuses a group, as its metadata tell."""

from __future__ import annotations

from collections.abc import Iterable

from nz_explorer.conventions.nz.fill_values import xarray_error
from nz_explorer.model import Array, Group, Hierarchy, Node
from nz_explorer.store.reader import Reader
from nz_explorer.values.reading.decoding import error_text

_NOTED = "_NCZARR_ARRAY"
_MOST_ASKED = 50
"""Nodes of a group of which zarr is asked whether it opens them."""


def refused_by_zarr(reader: Reader, array: Node) -> str | None:
    """Return why zarr does not open an array; None where it does.

    Parameters
    ----------
    reader : Reader
        Of its store.
    array : Node
        The array.
    """
    import zarr

    where = reader.zarr_path(array.path)
    try:
        zarr.open_array(where.store, path=where.path, mode="r", zarr_format=array.zarr_format)
    except Exception as error:  # noqa: BLE001  # whatever zarr, codecs and stores raise
        return error_text(error)
    return None


def refused_by_xarray(
    reader: Reader, hierarchy: Hierarchy, group: str, name: str | None
) -> str | None:
    """Return a sentence that says why xarray does not open a group, as its metadata tell; None where it does.

    It is not asked: it reads coordinates without our limits.

    Parameters
    ----------
    reader : Reader
        Of the store.
    hierarchy : Hierarchy
        The store.
    group : str
        Path of the group.
    name : str or None
        Of the array in it that is wanted.
    """
    nodes, refused = list(hierarchy.children(group)), "xarray refuses this group"
    if name is not None and not any(one.path.rpartition("/")[2] == name for one in nodes):
        return f"{refused}: the array is not in a group"
    wanted = next((one for one in nodes if one.path.rpartition("/")[2] == name), None)
    labels = wanted.dimension_names or () if isinstance(wanted, Array) else ()
    if twice := [one for one in labels if labels.count(one) > 1]:
        return (
            f"xarray does not index a dimension that an array has twice, as {name} has {twice[0]}"
        )
    folder = reader.local and reader.kind != "zip file"
    if known := refusal(nodes, folder=folder):
        return f"{refused}: {known}"
    if reader.local and len(nodes) <= _MOST_ASKED:
        for one in nodes:
            if isinstance(one, Array) and (why := refused_by_zarr(reader, one)):
                return f"{refused}: zarr does not open {one.name}: {why}"
    return None


def refusal(nodes: Iterable[Node], *, folder: bool = True) -> str | None:
    """Return why xarray (up to 2026.9) would refuse a group, None where its metadata tell no reason.

    Parameters
    ----------
    nodes : iterable of Node
        The nodes in the group.
    folder : bool
        Whether they are in a folder: in other stores xarray does not find what netCDF-C notes of dimensions.
    """
    lengths: dict[str, tuple[int, str]] = {}
    for node in nodes:
        if not isinstance(node, Array):
            if not isinstance(node, Group):
                return node.unreadable()
            continue
        names = node.dimension_names
        if node.ndim and (names is None or None in names):
            what = "dimension_names" if node.zarr_format == 3 else "_ARRAY_DIMENSIONS"
            return f"{node.name} has no {what}"
        found = "_ARRAY_DIMENSIONS" in node.attributes or (folder and _NOTED in node.metadata)
        if node.zarr_format == 2 and not found:
            return f"{node.name} has no _ARRAY_DIMENSIONS"
        error = xarray_error(node) if "_FillValue" in node.attributes else None
        if error is not None:
            return f"it cannot decode the _FillValue of {node.name}: {error}"
        for name, length in zip(names or (), node.shape or (), strict=False):
            other, whose = lengths.setdefault(str(name), (length, node.name))
            if other != length:
                return f"{name} is {other} long in {whose} and {length} in {node.name}"
    return None
