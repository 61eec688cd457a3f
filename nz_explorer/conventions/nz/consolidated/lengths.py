"""NZ: lengths of dimensions as the consolidated metadata of the root have them, by which xarray goes in every group."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from nz_explorer.documents import pointers
from nz_explorer.documents.json_text import json_text
from nz_explorer.engine.fixes import Operation, replace
from nz_explorer.model import Array, Group
from nz_explorer.model.paths import below
from nz_explorer.text.phrases import listed

if TYPE_CHECKING:
    from nz_explorer.engine.entry_comparison import Pair
    from nz_explorer.model import Consolidated

MOST_SIBLINGS = 1000
"""Arrays of a group whose entries are looked at: with more of them the documents alone are."""

MOST_TOGETHER = 100
"""Arrays of a group of which one fix changes the entries."""

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


def others_with_it(pair: Pair, entry: Any) -> Iterator[Operation]:
    """Yield what gives other entries the shapes of their documents, where an array gets another length of a dimension of theirs.

    With the old length in them, as after an append, xarray would open nothing of the group any more.

    Parameters
    ----------
    pair : Pair
        The array that gets another entry.
    entry
        What the consolidated metadata have of it now, if anything.
    """
    node, consolidated = pair.node, pair.consolidated
    if not isinstance(node, Array) or node.parent is None:
        return
    names, shape = node.dimension_names or (), node.shape or ()
    before = entry.get("shape") if isinstance(entry, Mapping) else [None] * len(shape)
    if not isinstance(before, list) or len(before) != len(shape):
        return
    changed = {
        name for name, now, seen in zip(names, shape, before, strict=False) if name and now != seen
    }
    group = node.hierarchy.node_if_loaded(node.parent)
    if not changed or not isinstance(group, Group) or len(group.arrays) > MOST_TOGETHER:
        return
    document = "zarr.json" if consolidated.zarr_format == 3 else ".zarray"
    for other in group.arrays:
        if other.path == node.path or changed.isdisjoint(other.dimension_names or ()):
            continue
        held, right = consolidated.entry(other.path, document), [*(other.stored_shape or ())]
        seen = held.get("shape") if isinstance(held, Mapping) else None
        if isinstance(seen, list) and len(seen) == len(right) and seen != right:
            yield replace(pointers.join(consolidated.pointer(other.path, document), "shape"), right)


def where_split(pair: Pair) -> str:
    """Return what becomes of a group where the document of an array is copied; nothing where its entries agree as before.

    Parameters
    ----------
    pair : Pair
        The array that gets another entry.
    """
    node = pair.node
    group = (
        None if node is None or node.parent is None else node.hierarchy.node_if_loaded(node.parent)
    )
    if not isinstance(node, Array) or not isinstance(group, Group):
        return ""
    own = dict(zip(node.dimension_names or (), node.shape or (), strict=False))
    if not own or len(group.arrays) > MOST_TOGETHER:
        return ""
    others = (one for one in group.arrays if one is not node and one.path in pair.consolidated)
    split = {
        name
        for other in others
        for name, length in zip(other.dimension_names or (), other.shape or (), strict=False)
        if name and own.get(name, length) != length
    }
    now = lengths(group) if split else None
    if now is None or not any(len(now.get(str(name), ())) == 1 for name in split):
        return ""
    return "then xarray raises ValueError and cannot open the group: mend that first (NZ-DIM-010)"
