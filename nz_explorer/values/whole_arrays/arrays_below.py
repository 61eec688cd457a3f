"""Work that is done for an array, or for each array of a group or a store."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from nz_explorer.model import Array, Group, Hierarchy, Node, open_store
from nz_explorer.values.reading.opening import UnsupportedArray

T = TypeVar("T")


def node_of(target: Any) -> Node:
    """Return what is meant by something that a user gave.

    Parameters
    ----------
    target
        A node or a hierarchy, or whatever `open_store` takes, such as a path or a zarr array.

    Raises
    ------
    SourceError
        If there is no Zarr hierarchy.
    """
    if isinstance(target, Node):
        return target
    return (target if isinstance(target, Hierarchy) else open_store(target)).root


def of_each(
    node: Node, work: Callable[[Array], T], ended: Callable[[], bool] = lambda: False
) -> dict[str, T]:
    """Return by path what work finds for each array of a group, at any depth.

    Parameters
    ----------
    node
        The group.
    work
        What is done; an array that it raises `UnsupportedArray` for is left out, as a finding reports it.
    ended
        Asked before each array whether no more of them are wanted.

    Raises
    ------
    UnsupportedArray
        If the node is no group.
    """
    if not isinstance(node, Group):
        raise UnsupportedArray(node.unreadable())
    found: dict[str, T] = {}
    for array in node.hierarchy.walk(node.path):
        if ended():
            break
        if isinstance(array, Array):
            try:
                found[array.path] = work(array)
            except UnsupportedArray:
                continue
    return found
