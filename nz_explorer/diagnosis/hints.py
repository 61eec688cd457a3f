"""What readers make of how and where a store is kept, and what their users have to know, beside what findings say."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from nz_explorer.conventions.nczarr.modes import in_zip_file, names_a_format
from nz_explorer.conventions.netcdf_c import impact_of_netcdf
from nz_explorer.diagnosis.impact import READERS
from nz_explorer.model import Group, Node
from nz_explorer.model.dimensions import same_above, unlike_above
from nz_explorer.model.fill_values.spelling import value_text
from nz_explorer.store import url_modes
from nz_explorer.text.phrases import listed

if TYPE_CHECKING:
    from nz_explorer.engine.evaluation import Evaluation
    from nz_explorer.model import Array

PLACED = 'rioxarray finds the CRS and the place of {}, which has no coordinates, only with decode_coords="all"'
"""Of maps whose place is told by the GeoTransform of a grid mapping alone."""
IN_GROUPS = "open_zarr shows an empty dataset, because the arrays are in groups; name one with group=, or use open_datatree"
"""What users of xarray have to know of a root without arrays."""
UNLIKE = 'open_datatree raises ValueError, "not aligned with its parents": {}; open_groups opens it'
"""What they have to know of a tree whose groups do not fit the coordinates above them."""
MOST_GROUPS = 256
"""Groups that are looked at for that."""
IN_ZIP = 'given as zarr.storage.ZipStore(path, mode="r"); its path alone is taken for that of a folder, in which no group is found'
"""What users of zarr-python have to know of zip files, since zarr-python 3."""
PLUGINS = "with its plugin for {} (HDF5_PLUGIN_PATH), which the wheels of netCDF4-python have; without it, before 4.9, it shows wrong numbers"
"""What users of netCDF-C have to know of codecs that are not part of it."""
NO_FORMAT = "with nczarr or zarr after mode= in its address, as in #mode=nczarr,file; by this address it finds nothing"
"""What users of netCDF-C have to know of an address with a fragment that does not tell it that something is Zarr."""
INDIRECT = ("Icechunk", "references")
"""Stores whose keys are not those of files or objects, which netCDF-C therefore does not find."""
EMPTIED = 'with mode "r"; with "a" or "r+" netCDF4-python finds no file of the name of the address, and makes an empty store in its place'
"""What users of netCDF-C have to know of a folder that it has written, and that they may want to change (netCDF4 1.7)."""
BEHIND_QUERY = "given as a store that asks with the query; of the address alone fsspec makes …?query/zarr.json, which is nothing"
"""What users of zarr-python have to know of addresses with a query, such as those that are signed."""


def doubts(evaluation: Evaluation) -> dict[str, str]:
    """Return by reader why findings do not tell whether it opens a store.

    Parameters
    ----------
    evaluation : Evaluation
        Of which the store, how many nodes of it are known, and which coordinates could not be read are looked at.
    """
    hierarchy = evaluation.hierarchy
    kind = hierarchy.reader.kind
    found = evaluation.nodes
    if not hierarchy.reader.listable and found["groups"] == sum(found.values()) == 1:
        return dict.fromkeys(
            READERS, "the store cannot be listed, so nothing is known of what is below the root"
        )
    unknown = {}
    if kind.startswith(INDIRECT):
        unknown["netCDF-C"] = f"it cannot be given {kind}, only a copy that is plain Zarr"
    elif hierarchy.zarr_format == 3:
        unknown["netCDF-C"] = "few builds of netCDF-C read Zarr v3"
    if evaluation.complete and (unread := _unread(evaluation)):
        unknown["xarray"] = unread
    return unknown


def _walked(evaluation: Evaluation) -> Node:
    """Return the root of what was walked: where documents are compared with a copy, they are."""
    root: Node = evaluation.hierarchy.root
    if isinstance(root, Group) and root.children is None:
        return root.hierarchy.stored.root
    return root


def _unread(evaluation: Evaluation) -> str:
    """Return which coordinate could not be read, and why; xarray reads them when it opens their group."""
    root = _walked(evaluation)
    groups = deque([root] if isinstance(root, Group) else [])
    for _ in range(MOST_GROUPS):
        if not groups:
            break
        group = groups.popleft()
        groups.extend(group.groups)
        for array in group.coordinates.values():
            read = evaluation.monotonicity(array.path)
            if read is not None and read.result == "unreadable":
                return f"values of the coordinate {array.path} could not be read: {read.note}"
    return ""


def hints(evaluation: Evaluation) -> dict[str, str]:
    """Return by reader what its users have to know of how it opens a store.

    Parameters
    ----------
    evaluation : Evaluation
        Of its hierarchy, which is looked at as far as it is loaded, and of the values of its coordinates, as far as
        they were read.
    """
    if not evaluation.complete:
        return {}  # no reader is predicted to open it yet
    reader = evaluation.hierarchy.reader
    packed = [IN_ZIP] if reader.kind == "zip file" else []
    if reader.given_as:
        packed.append(f"given as {reader.given_as}")
    if reader.label.startswith("http") and "?" in reader.label:
        packed.append(BEHIND_QUERY)
    root = _walked(evaluation)
    grouped = isinstance(root, Group) and root.groups
    inside = _of_groups(root, evaluation) if isinstance(root, Group) and grouped else ""
    plugins = _plugins(root) if isinstance(root, Group) else ""
    source = evaluation.hierarchy.source
    lost = NO_FORMAT if url_modes(source) and not names_a_format(source) else ""
    zipped = in_zip_file(root)
    placed = _placed(root) if isinstance(root, Group) else ""
    own = reader.kind == "folder" and impact_of_netcdf(root) is None
    found = {
        "xarray": [*packed, *filter(None, (inside, placed))],
        "zarr-python": packed,
        "netCDF-C": [*filter(None, (lost, zipped, plugins, EMPTIED if own else ""))],
    }
    return {reader: "; ".join(texts) for reader, texts in found.items() if texts}


def _placed(root: Group) -> str:
    """Return what users of rioxarray have to know of maps that are placed by a GeoTransform that xarray does not look at."""
    there = {array.name: array for array in root.arrays}
    listed_names = {
        name
        for node in (root, *root.arrays)
        if isinstance(names := node.attributes.get("coordinates"), str)
        for name in names.split()
    }
    for array in root.arrays:
        named = array.attributes.get("grid_mapping")
        mapping = there.get(named) if isinstance(named, str) else None
        dims = (array.dimension_names or ())[-2:]
        if (
            mapping is None
            or "GeoTransform" not in mapping.attributes
            or mapping.name in listed_names
        ):
            continue
        if len(dims) == 2 and root.coordinates.keys().isdisjoint(dims):
            return PLACED.format(array.path)
    return ""


def _plugins(root: Group) -> str:
    """Return what users of netCDF-C have to know of the codecs of the arrays of a group, beside those that it has itself."""
    if root.zarr_format != 2:
        return ""
    codecs = (array.metadata.get("compressor") for array in root.arrays)
    names = [codec.get("id") for codec in codecs if isinstance(codec, dict)]
    # those that it lacks with plugins, too, are Z2-CODEC-004
    told = listed(name for name in ("blosc", "bz2", "zstd") if name in names)
    return PLUGINS.format(told) if told else ""


def _of_groups(root: Group, evaluation: Evaluation) -> str:
    """Return what users of xarray have to know of the groups below a root, as far as they are loaded."""
    groups = deque(root.groups)
    for _ in range(MOST_GROUPS):
        if not groups:
            break
        group = groups.popleft()
        groups.extend(group.groups)
        for name, length, coordinate, other in unlike_above(group):
            return UNLIKE.format(
                f"dimension {name} of {group.path} has length {length}, and {coordinate.path} has {other}"
            )
        for own, coordinate in same_above(group):
            ends, others = (_ends(evaluation, array) for array in (own, coordinate))
            if ends and others and ends != others:
                return UNLIKE.format(
                    f"{own.path} has the values {ends}, and {coordinate.path} {others}"
                )
    return "" if root.arrays else IN_GROUPS


def _ends(evaluation: Evaluation, array: Array) -> str:
    """Return the first and the last value of a coordinate in words, and of what; nothing where they were not read."""
    read = evaluation.monotonicity(array.path)
    if read is None or not read.strict or read.first is None:
        return ""
    said = [value_text(end) for end in (read.first, read.last) if end is not None]
    units = array.attributes.get("units")
    return " … ".join(said) + (f" {units}" if isinstance(units, str) else "")
