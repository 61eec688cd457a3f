"""NCZ: the dimensions that groups declare, by their full names, which begin where the dataset begins."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nz_explorer.conventions.nczarr.superblock import start_of_dataset, unreadable
from nz_explorer.engine.findings import Undecided
from nz_explorer.model import Group, paths
from nz_explorer.model.dialects import nczarr

if TYPE_CHECKING:
    from nz_explorer.model import Array, Node


def full_name(array: Node, path: str, name: str) -> str:
    """Return what an array calls a dimension in its references.

    Parameters
    ----------
    array : Node
        The array.
    path : str
        The group that declares the dimension.
    name : str
        Its name there.
    """
    start = start_of_dataset(array)
    inside = path if start == "/" else path.removeprefix(start)
    return f"{paths.below(inside or '/')}{name}"


def declared(
    array: Array, reference: str
) -> tuple[Node, nczarr.DeclaredDimension] | Undecided | None:
    """Return the dimension that a reference leads to, with the group that declares it.

    Parameters
    ----------
    array : Array
        The array that has the reference.
    reference : str
        Full name of the dimension.
    """
    path, _, name = reference.rpartition("/")
    found = _declared_in(array, path or "/", name)
    start = start_of_dataset(array) if found is None else "/"
    return found if start == "/" else _declared_in(array, f"{start}{path}", name)


def _declared_in(
    array: Array, path: str, name: str
) -> tuple[Node, nczarr.DeclaredDimension] | Undecided | None:
    group = array.hierarchy.get(path)
    place = None if group is None else nczarr.find(group, "group")
    if not isinstance(group, Group):
        return None
    if place is None and (unknown := unreadable(group)):
        return unknown
    if place is None:
        is_lost = nczarr.find(array.hierarchy.root, "superblock") is not None
        return Undecided("dependency: NCZ-SB-002") if is_lost else None
    notes = nczarr.group_notes(group)
    known = None if notes is None else notes.dimension(name)
    if known is not None:
        return group, known
    given = place.member("dimensions")[1]
    malformed = given is not None and (not isinstance(given, dict) or name in given)
    return Undecided("dependency: NCZ-GRP-001") if malformed or notes is None else None
