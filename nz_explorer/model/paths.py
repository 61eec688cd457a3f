"""Absolute paths of nodes as text: ``/`` is the root."""

from __future__ import annotations

from collections.abc import Iterator


def above(path: str) -> str:
    """Return the group that a node is in; the root is in itself."""
    return path.rpartition("/")[0] or "/"


def all_above(path: str) -> Iterator[str]:
    """Yield the groups above a node, the nearest first; none for the root."""
    while path != "/":
        path = above(path)
        yield path


def below(path: str) -> str:
    """Return what the paths of all nodes below a node begin with."""
    return path if path == "/" else f"{path}/"
