"""NZ: lengths of dimensions as the consolidated metadata of the root have them, by which xarray goes in every group."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from nz_explorer.documents import pointers
from nz_explorer.documents.json_text import json_text
from nz_explorer.model.paths import below
from nz_explorer.text.phrases import listed

if TYPE_CHECKING:
    from nz_explorer.model import Consolidated, Group

MOST_SIBLINGS = 1000
"""Arrays of a group whose entries are looked at: with more of them the documents alone are."""

Lengths = dict[str, dict[int, list[tuple[str, str]]]]
"""Name of a dimension → length → name of an array and pointer to that length in the document of the root."""


def lengths(group: Group) -> Lengths | None:
    """Return the lengths of the dimensions of the arrays in a group by the consolidated metadata of the root.

    Parameters
    ----------
    group : Group
        The group.

    Returns
    -------
    dict or None
        None where readers do not see other documents than those that are judged anyway.
    """
    consolidated = group.hierarchy.consolidated
    if consolidated is None or group.hierarchy.metadata_source != "documents":
        return None
    children = consolidated.child_names(group.path)
    if len(children) > MOST_SIBLINGS:
        return None
    found: Lengths = {}
    for child in children:
        for name, length, pointer in _axes(consolidated, below(group.path) + child):
            found.setdefault(name, {}).setdefault(length, []).append((child, pointer))
    return found


def _axes(consolidated: Consolidated, path: str) -> Iterator[tuple[str, int, str]]:
    """Yield name, length and place of each dimension of an array that has an entry."""
    document = "zarr.json" if consolidated.zarr_format == 3 else ".zarray"
    entry = consolidated.entry(path, document)
    if not isinstance(entry, Mapping) or entry.get("node_type", "array") != "array":
        return
    named: Any = entry if document == "zarr.json" else consolidated.entry(path, ".zattrs")
    member = "dimension_names" if document == "zarr.json" else "_ARRAY_DIMENSIONS"
    names = named.get(member) if isinstance(named, Mapping) else None
    shape = entry.get("shape")
    if not isinstance(names, list) or not isinstance(shape, list) or len(names) != len(shape):
        return
    if not all(type(length) is int and length >= 0 for length in shape):
        return  # readers stop at it before they compare lengths
    where = f"/{consolidated.holder.name}" if document == ".zarray" else ""
    for axis, (name, length) in enumerate(zip(names, shape, strict=True)):
        if isinstance(name, str) and name:
            at = pointers.join(consolidated.pointer(path, document), "shape", axis)
            yield name, length, where + at


def conflicts(found: Lengths) -> Iterator[tuple[str, str, str]]:
    """Yield each dimension with several lengths, these in words, and the place of the length that fewest arrays have.

    Parameters
    ----------
    found : dict
        What `lengths` has returned.
    """
    for name, by_length in found.items():
        if len({array for uses in by_length.values() for array, _ in uses}) < 2:
            continue
        if len(by_length) > 1:
            said = " and ".join(
                f"{length} long in {listed(dict.fromkeys(array for array, _ in by_length[length]))}"
                for length in sorted(by_length)
            )
            odd = min(by_length.values(), key=len)
            yield name, f"dimension {json_text(name)[1:-1]} is {said}", odd[-1][1]
