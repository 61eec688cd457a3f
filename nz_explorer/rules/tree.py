"""TREE: the hierarchy as a whole, whatever its format."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from nz_explorer.model import Array, Group
from nz_explorer.rules.documents import place
from nz_explorer.rules.findings import Fail, Undecided
from nz_explorer.rules.fixes import Draft, add
from nz_explorer.rules.registry import rule

if TYPE_CHECKING:
    from nz_explorer.model import Document, Node

SHOWN = 5
"""How many names a message lists before it says how many more there are."""


def listed(names: list[str]) -> str:
    """Return some names for a message."""
    shown = ", ".join(names[:SHOWN])
    return shown if len(names) <= SHOWN else f"{shown} and {len(names) - SHOWN} more"


@rule("TREE-007", on="document", when=lambda _node, document: document.error is not None)
def unreadable(node: Node, document: Document) -> Iterator[Fail | Undecided]:
    """Note a document that the store did not hand over: nothing is known about it."""
    if document.error is not None:
        yield Undecided(f"unreadable: {document.error.detail}")
        yield Fail(place(node, document), f"could not read {document.key}: {document.error.detail}")


@rule("TREE-008", on="root")
def root_is_array(node: Node) -> Iterator[Fail]:
    """Note a hierarchy that is a single array."""
    if isinstance(node, Array):
        yield Fail(
            node.pointer("node_type") if node.zarr_format == 3 else "",
            "the root is an array; NZ-1.0 is declared on a root group, which this hierarchy does not have",
            fix=lambda _node: Draft(
                "suggest", note="put the array into a group, and declare the convention there"
            ),
        )


def _has_no_document(group: Group) -> bool:
    return group.state == "missing" and group.hierarchy.metadata_source == "documents"


@rule("TREE-001", on="members")
def root_document(group: Group) -> Iterator[Fail]:
    """Fail where nothing at the root says what this is."""
    if _has_no_document(group) and group.path == "/" and group.hierarchy.consolidated is None:
        names = [child.path.lstrip("/") for child in group.children or ()]
        yield Fail(
            "",
            f"no Zarr hierarchy at {group.hierarchy.source} (looked for zarr.json, .zgroup, .zarray and .zmetadata);"
            f" there are nodes below it: {listed(names)}",
            related=tuple(f"/{name}" for name in names),
            fix=_create_group,
        )


@rule("TREE-002", on="members")
def group_document(group: Group) -> Iterator[Fail]:
    """Fail on a group without a document: readers turn back here."""
    if _has_no_document(group) and (group.path != "/" or group.hierarchy.consolidated is not None):
        children = group.children or []
        what = "node" if len(children) == 1 else "nodes"
        yield Fail(
            "",
            f"{group.path} has no metadata document: readers do not see the {len(children)} {what} in it"
            f" ({listed([child.name for child in children])})",
            related=tuple(child.path for child in children),
            fix=_create_group,
        )


def _create_group(node: Node) -> Draft:
    stem = "" if node.path == "/" else f"{node.path[1:]}/"
    below = node.hierarchy.zarr_format or next(
        (child.zarr_format for child in getattr(node, "children", None) or () if child.zarr_format),
        3,
    )
    if below == 2:
        return Draft("safe", (add("", {"zarr_format": 2}),), document=f"{stem}.zgroup")
    return Draft(
        "safe", (add("", {"zarr_format": 3, "node_type": "group"}),), document=f"{stem}zarr.json"
    )


@rule("TREE-003", on="inside")
def node_inside_array(array: Array, paths: list[str]) -> Iterator[Fail]:
    """Fail on documents below an array, where only chunks may be."""
    for path in paths:
        yield Fail(
            "",
            f"{path} lies inside the array {array.path}, where no reader looks for nodes",
            related=(array.path,),
            path=path,
            fix=lambda _node: Draft("suggest", note="move it beside the array"),
        )


@rule("TREE-005", on="node")
def one_format(node: Node) -> Iterator[Fail]:
    """Fail on a node of another version than the root: readers that follow the root do not see it."""
    root, own = node.hierarchy.zarr_format, node.zarr_format
    if own is not None and root is not None and own != root:
        yield Fail(
            "",
            f"this node is Zarr v{own} inside a v{root} hierarchy",
            fix=lambda _node: Draft("suggest", note=f"convert it to Zarr v{root}"),
        )
