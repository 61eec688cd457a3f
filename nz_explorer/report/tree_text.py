"""A hierarchy as a tree of text lines."""

from __future__ import annotations

from collections.abc import Iterator

from nz_explorer.model import Array, Group, Hierarchy, Node
from nz_explorer.text.printable import printable


def lines(hierarchy: Hierarchy, depth: int | None = None) -> Iterator[str]:
    """Yield the lines of a tree, each node with its type and shape.

    Parameters
    ----------
    hierarchy : Hierarchy
        What to print; it is read as far as the depth asks for.
    depth : int, optional
        Levels of groups below the root, all by default.
    """
    yield f"{printable(hierarchy.source)}{_described(hierarchy.root)}"
    yield from _below(hierarchy, hierarchy.root, "", depth)


def _below(hierarchy: Hierarchy, node: Node, stem: str, depth: int | None) -> Iterator[str]:
    if depth == 0 or not isinstance(node, Group):
        return
    children = hierarchy.children(node)
    for i, child in enumerate(children):
        last = i == len(children) - 1
        yield f"{stem}{'└── ' if last else '├── '}{printable(child.name)}{_described(child)}"
        deeper = None if depth is None else depth - 1
        yield from _below(hierarchy, child, stem + ("    " if last else "│   "), deeper)
    if node.listing_problem is not None:
        yield f"{stem}└── ({printable(node.listing_problem)})"


def _described(node: Node) -> str:
    text = ""
    if isinstance(node, Array) and node.shape is not None:
        names = node.dimension_names
        axes = (
            f"{printable((names[axis] if names else None) or '?')} {length}"
            for axis, length in enumerate(node.shape)
        )
        text = f"  {printable(node.data_type.text)} ({', '.join(axes)})"
    return text + (f"  ! {printable(node.problem)}" if node.problem else "")
