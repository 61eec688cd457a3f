"""TREE: groups that are one element to those who wrote them, such as the tables of anndata, and have lost a part.

So are links of HDMF, which NWB is stored with: they are attributes, and Zarr knows nothing of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from nz_explorer.documents.json_text import json_text
from nz_explorer.documents.json_types import is_one_of
from nz_explorer.engine.findings import Fail, Undecided
from nz_explorer.engine.fixes import Draft, replace, set_attribute
from nz_explorer.engine.registry import rule
from nz_explorer.model import Group
from nz_explorer.model.paths import below
from nz_explorer.text.phrases import listed

if TYPE_CHECKING:
    from nz_explorer.engine.findings import FixMaker
    from nz_explorer.model import Node

PARTS = {
    "categorical": ("codes", "categories"),
    "csr_matrix": ("data", "indices", "indptr"),
    "csc_matrix": ("data", "indices", "indptr"),
    "nullable-integer": ("values", "mask"),
    "nullable-boolean": ("values", "mask"),
    "nullable-string-array": ("values", "mask"),
}
"""Members that an element of anndata has, by its ``encoding-type`` (the on-disk format of anndata)."""
ELEMENTS = ("ngff:shapes", "ngff:points")
"""What SpatialData calls groups of its own, whose ``spatialdata_attrs`` tell how to read them."""
IN_ARRAYS = ("coords", "Index")
"""Members of shapes of its version 0.1; since 0.2 they are in a file, shapes.parquet."""
NEWER = {"nullable-string-array": "0.11", "null": "0.12"}
"""The versions of anndata with which encodings came that viewers and older programs often meet and do not know."""
_STOP_AT_NULL = {
    "anndata": "before 0.12 raises IORegistryError: No read method registered for IOSpec(encoding_type='null')"
}
_NO_TABLE = {"anndata": "raises KeyError, and reads nothing of the table"}
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
            readers=_NO_TABLE,
            fix=lambda _node: Draft("suggest", note="upload or write again what is missing"),
        )


@rule(
    "TREE-021", on="node", when=lambda node: is_one_of(node.attributes.get("encoding-type"), NEWER)
)
def elements_are_known_to_older_readers(node: Node) -> Iterator[Fail]:
    """Note elements of anndata that readers of older files stop at."""
    kind = node.attributes["encoding-type"]
    yield Fail(
        node.attribute_pointer("encoding-type"),
        f"{node.path} is a {kind}, which anndata reads since {NEWER[kind]}: older ones, and viewers such as Vitessce and cellxgene,"
        " stop at it",
        readers=_STOP_AT_NULL if kind == "null" else None,
        fix=lambda _node: Draft(
            "suggest",
            note="write the table again with plain strings, and without what is None, for such readers",
        ),
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
            readers={"anndata": "does not read it as a table"},
            fix=_as_table,
        )


def _as_table(node: Node) -> Draft:
    kind = set_attribute(node, "encoding-type", "anndata")
    return Draft("suggest", (*kind, *set_attribute(node, "encoding-version", "0.1.0")))


@rule(
    "TREE-018",
    on="members",
    when=lambda group: is_one_of(group.attributes.get("encoding-type"), ELEMENTS),
)
def shapes_can_be_read(group: Group) -> Iterator[Fail | Undecided]:
    """Require what SpatialData needs of shapes and points: in which version they are, and the arrays of the oldest."""
    kind = group.attributes["encoding-type"]
    about = group.attributes.get("spatialdata_attrs")
    pointer = group.attribute_pointer("spatialdata_attrs")
    if not isinstance(about, Mapping) or "version" not in about:
        what = "spatialdata_attrs" if about is None else "version in spatialdata_attrs"
        yield Fail(
            pointer,
            f"{group.path} is an element of SpatialData ({kind}) without {what}: read_zarr raises KeyError",
            readers={"spatialdata": "raises KeyError in read_zarr"},
            fix=lambda _node: Draft(
                "suggest", note="write it again with the version of spatialdata that reads it"
            ),
        )
    elif kind == "ngff:shapes" and about["version"] == "0.1":
        if group.children is None:
            yield Undecided("listing")
            return
        there = {child.name for child in group.children}
        lost = [name for name in IN_ARRAYS if name not in there]
        if lost:
            some = listed([json_text(name) for name in lost])
            yield Fail(
                pointer,
                f"{group.path} are shapes of SpatialData 0.1, which are in arrays, and lack {some}: read_zarr raises KeyError",
                readers={"spatialdata": "raises KeyError in read_zarr"},
                fix=_in_a_table(group),
            )


def _in_a_table(group: Group) -> FixMaker:
    changed = {**group.attributes["spatialdata_attrs"], "version": "0.2"}
    return lambda node: Draft(
        "suggest",
        set_attribute(node, "spatialdata_attrs", changed),
        "if there is a file shapes.parquet, as since version 0.2; else upload the arrays again",
    )


@rule(
    "TREE-019",
    on="members",
    when=lambda group: isinstance(group.attributes.get("zarr_link"), list),
)
def links_lead_somewhere(group: Group) -> Iterator[Fail]:
    """Require links of HDMF to lead to a node of the store, or to a store that can be found from it."""
    for n, link in enumerate(group.attributes["zarr_link"]):
        source, path, name = (
            link.get(member) if isinstance(link, Mapping) else None
            for member in ("source", "path", "name")
        )
        pointer = group.attribute_pointer("zarr_link", n)
        if not isinstance(source, str) or not isinstance(path, str):
            continue
        if source in (".", ""):
            if not _is_there(group, path):
                yield Fail(
                    f"{pointer}/path",
                    f"link {json_text(name)} of {group.path} leads to {path}, and there is no such node: hdmf-zarr raises KeyError",
                    fix=_where_it_is(group, f"{pointer}/path", path),
                )
        elif source.startswith("/") or ":\\" in source:
            yield Fail(
                f"{pointer}/source",
                f"link {json_text(name)} of {group.path} leads to another store by its absolute path, {source}: where the store"
                " was copied, hdmf-zarr finds a bad link",
                severity="info",
                fix=_with_data,
            )


def _with_data(_node: Node) -> Draft:
    note = 'export it again with write_args={"link_data": False}, so that the data are copied'
    return Draft("suggest", note=note)


def _is_there(group: Group, path: str) -> bool:
    """Whether a path leads to a node, be it by way of other links."""
    at = ""
    for part in path.strip("/").split("/"):
        node, at = group.hierarchy.get(at or "/"), f"{at}/{part}"
        links = node.attributes.get("zarr_link") if node is not None else None
        if any(link.get("name") == part for link in _objects(links)):
            return True
        if group.hierarchy.get(at) is None:
            return False
    return True


def _objects(given: Any) -> list[Mapping[str, Any]]:
    return [one for one in given if isinstance(one, Mapping)] if isinstance(given, list) else []


def _where_it_is(group: Group, pointer: str, path: str) -> FixMaker | None:
    """Return the fix that leads to the one node of that name near the group, where there is one."""
    name, parent = path.rpartition("/")[2], group.hierarchy.get(group.parent or "/")
    siblings = parent.children if isinstance(parent, Group) else None
    places = [below(child.path) + name for child in (*(group.children or ()), *(siblings or ()))]
    near = [place for place in places if group.hierarchy.get(place) is not None]
    if len(near) != 1:
        return None
    note = "which has the name that the link ends with; check that it is meant"
    return lambda _node: Draft("suggest", (replace(pointer, near[0]),), note)
