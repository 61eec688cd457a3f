"""NZ: consolidated metadata of Zarr v2 that make an array of a group, as either kind has a document of its own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from nz_explorer.engine.findings import Fail, Place
from nz_explorer.engine.fixes import Draft, Operation, add, remove

if TYPE_CHECKING:
    from nz_explorer.engine.entry_comparison import Pair

UNLESS = "unless told not to use consolidated metadata"
_READERS = {
    "zarr-python": f"shows an array in place of the group, {UNLESS}",
    "xarray": f"takes the group for an array, {UNLESS}",
}

_STOPPED = dict.fromkeys(_READERS, f"raises an error at an entry that is no object, {UNLESS}")


def is_taken_for_array(pair: Pair) -> bool:
    """Return whether a group has an entry of an array, which readers tell by its shape, or one at which they stop.

    Parameters
    ----------
    pair : Pair
        The node as stored and as consolidated. With entries in it, it is Z2-CM-001.
    """
    consolidated, names = pair.consolidated, {document.name for document in pair.stored}
    is_group = ".zgroup" in names and ".zarray" not in names
    if consolidated.zarr_format == 3 or not is_group or consolidated.child_names(pair.path):
        return False
    entry = consolidated.entry(pair.path, ".zarray")
    there = consolidated.key(pair.path, ".zarray") is not None
    return there and ("shape" in entry if isinstance(entry, Mapping) else True)


def taken_for_array(pair: Pair) -> Fail:
    """Return the failure of such a group.

    Parameters
    ----------
    pair : Pair
        The node as stored and as consolidated.
    """
    consolidated, pointer = pair.consolidated, pair.pointer(".zarray")
    group = next(document for document in pair.stored if document.name == ".zgroup")
    no_object = not isinstance(consolidated.entry(pair.path, ".zarray"), Mapping)
    does = "stop there" if no_object else "see an array"
    operations: list[Operation] = [remove(pointer)]
    if consolidated.key(pair.path, group.name) is None:
        operations.append(add(pair.pointer(group.name), dict(group.value)))
    return Fail(
        "",
        f"{pair.path} is a group, and the consolidated metadata have .zarray for it: readers that use them {does}",
        related=("/",),
        places=(Place(pair.path), Place("/", f"/{consolidated.holder.name}{pointer}")),
        impact="blocks",
        readers=_STOPPED if no_object else _READERS,
        fix=lambda _node: Draft("unsafe", tuple(operations), document=consolidated.holder.key),
        alternatives=(
            lambda _node: Draft(
                "suggest",
                note="if it is the array that is meant, write .zarray again with what the consolidated metadata have",
            ),
        ),
    )
