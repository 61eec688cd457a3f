"""TREE: groups that are one element to those who wrote them, such as the tables of anndata, and have lost a part."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from nz_explorer.documents.json_text import json_text
from nz_explorer.engine.findings import Fail, Undecided
from nz_explorer.engine.fixes import Draft, set_attribute
from nz_explorer.engine.registry import rule
from nz_explorer.text.phrases import listed

if TYPE_CHECKING:
    from nz_explorer.model import Group, Node

PARTS = {
    "categorical": ("codes", "categories"),
    "csr_matrix": ("data", "indices", "indptr"),
    "csc_matrix": ("data", "indices", "indptr"),
    "nullable-integer": ("values", "mask"),
    "nullable-boolean": ("values", "mask"),
    "nullable-string-array": ("values", "mask"),
}
"""Members that an element of anndata has, by its ``encoding-type`` (the on-disk format of anndata)."""
TABLE = "ngff:regions_table"
"""What SpatialData calls a group that is an anndata table."""


def _wanted(group: Group) -> tuple[str, ...]:
    """Return the members that a group has to have, as it says what it is."""
    kind = group.attributes.get("encoding-type")
    if kind != "dataframe":
        return PARTS.get(kind, ()) if isinstance(kind, str) else ()
    columns, index = (group.attributes.get(name) for name in ("column-order", "_index"))
    names = [index, *columns] if isinstance(columns, list) else [index]
    return tuple(name for name in names if isinstance(name, str))


@rule("TREE-018", on="members", when=lambda group: "encoding-type" in group.attributes)
def elements_are_complete(group: Group) -> Iterator[Fail | Undecided]:
    """Require the parts that an element of anndata is made of."""
    wanted = _wanted(group)
    if not wanted:
        return
    if group.children is None:
        yield Undecided("listing")
        return
    there = {child.name for child in group.children}
    lost = [name for name in wanted if name not in there]
    if lost:
        kind = group.attributes["encoding-type"]
        some = listed([json_text(name) for name in lost[:5]])
        more = f" and {len(lost) - 5} more" if len(lost) > 5 else ""
        yield Fail(
            group.attribute_pointer("encoding-type"),
            f"{group.path} is a {kind} of anndata, and lacks {some}{more}: anndata raises KeyError",
            fix=lambda _node: Draft("suggest", note="upload or write again what is missing"),
        )


@rule(
    "TREE-018",
    on="group",
    needs=("attributes",),
    when=lambda group: group.attributes.get("spatialdata-encoding-type") == TABLE,
)
def tables_are_anndata(group: Group) -> Iterator[Fail]:
    """Require a table of SpatialData to say that it is one of anndata, too."""
    if "encoding-type" not in group.attributes:
        yield Fail(
            group.attribute_pointer("encoding-type"),
            f"{group.path} is a table of SpatialData, and has no encoding-type: anndata does not read it as a table",
            fix=_as_table,
        )


def _as_table(node: Node) -> Draft:
    kind = set_attribute(node, "encoding-type", "anndata")
    return Draft("suggest", (*kind, *set_attribute(node, "encoding-version", "0.1.0")))
