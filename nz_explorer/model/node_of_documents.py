"""Which node some documents describe."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from nz_explorer.documents.document import Document
from nz_explorer.documents.problems import DocumentProblem
from nz_explorer.model.array import Array, lengths
from nz_explorer.model.dialects import nczarr
from nz_explorer.model.group import Group
from nz_explorer.model.node import MAIN_DOCUMENTS, Node
from nz_explorer.store import ReadError
from nz_explorer.text.phrases import article

if TYPE_CHECKING:
    from nz_explorer.model.hierarchy import Hierarchy


SIDE_DOCUMENTS = frozenset(name for names in nczarr.SIDE_NAMES.values() for name in names)
"""Documents that netCDF-C 4.8.0 wrote beside those of Zarr."""


def build_node(hierarchy: Hierarchy, path: str, documents: Iterable[Document]) -> Node | None:
    """Make the node that some documents describe.

    Parameters
    ----------
    hierarchy : Hierarchy
        Where it belongs.
    path : str
        Its absolute path.
    documents : iterable of Document
        What was found there; those that are absent have neither bytes nor error.

    Returns
    -------
    Node or None
        None where there is no document that makes a node.
    """
    found = tuple([d for d in documents if d.error is not None or d.has_bytes])
    if len(found) == 1 and found[0].name == "zarr.json":
        return _node_of_structure(hierarchy, path, found[0])
    return _node_of_documents(hierarchy, path, found)


def is_denied(document: Document) -> bool:
    """Return whether a server refused to say what a document is, or that there is none.

    Parameters
    ----------
    document : Document
        What was asked for.
    """
    return document.error is not None and document.error.reason == "denied"


def _node_of_structure(hierarchy: Hierarchy, path: str, document: Document) -> Node | None:
    """Make a node like another one whose document says the same, apart from the attributes."""
    raw, templates = document.raw, hierarchy.templates
    if raw is None:
        return _node_of_documents(hierarchy, path, (document,))
    if (made := templates.like(path, document, raw)) is not None:
        return made
    structure_key = document.structure_key
    if structure_key is None:
        node = _node_of_documents(hierarchy, path, (document,))
        if isinstance(node, Group) and node.state == "ok":
            templates.remember_long(node, raw)
        return node
    model = templates.of_structure(structure_key)
    made = (
        _node_of_documents(hierarchy, path, (document,))
        if model is None
        else model.clone_structure(path, document)
    )
    if made is not None:
        templates.remember(made, raw, structure_key)
    return made


def _without_denied(
    path: str, found: tuple[Document, ...]
) -> tuple[Document | None, tuple[Document, ...]]:
    """Return the document that makes a node, and all that belong to it.

    A server may deny what does not exist. Where one document was read, the denied ones of the other kinds of nodes
    are taken for that; attributes may be there, and stay, as do the notes of netCDF-C, which are asked for only
    below a root that has them.
    """
    of_nodes = [d for name in MAIN_DOCUMENTS for d in found if d.name == name]
    main = next((d for d in of_nodes if not is_denied(d)), of_nodes[0] if of_nodes else None)
    if main is None or not main.has_bytes:
        return main, found
    kept = set(SIDE_DOCUMENTS) if path != "/" else set()
    if main.name != "zarr.json":
        kept.add(".zattrs")
    return main, tuple(d for d in found if not is_denied(d) or d.name in kept)


def _node_of_documents(hierarchy: Hierarchy, path: str, found: tuple[Document, ...]) -> Node | None:
    main, found = _without_denied(path, found)
    if main is None:
        return None
    ordered = (main, *(d for d in found if d is not main))
    if main.error is not None:
        return Node(hierarchy, path, ordered, state="unreadable", problem=str(main.error))
    value = main.value
    if not isinstance(value, dict):
        return Node(hierarchy, path, ordered, state="malformed", problem=_why(main.problems, main))
    if main.name != "zarr.json":
        make = Array if main.name == ".zarray" else Group
        required: tuple[str, ...] = ("shape", "dtype") if make is Array else ()
    else:
        node_type = value.get("node_type")
        looks_like_array = "shape" in value or "data_type" in value or "chunk_grid" in value
        make = (
            Array if node_type == "array" or (node_type != "group" and looks_like_array) else Group
        )
        required = ("shape", "data_type", "codecs") if make is Array else ()
        if node_type not in ("array", "group"):
            given = "is missing" if node_type is None else f"is {node_type!r}"
            return make(
                hierarchy,
                path,
                ordered,
                state="malformed",
                problem=f"node_type {given}; taken for {article(make.kind)}",
            )
    lacking = [member for member in required if member not in value]
    if lacking:
        return make(
            hierarchy,
            path,
            ordered,
            state="malformed",
            problem=f"its metadata lacks {', '.join(lacking)}",
        )
    shape: Any = value.get("shape")
    if make is Array and (lengths(shape) is None or any(isinstance(one, bool) for one in shape)):
        return make(
            hierarchy,
            path,
            ordered,
            state="malformed",
            problem="shape is not a list of non-negative integers",
        )
    for document in ordered[1:]:
        if document.name in SIDE_DOCUMENTS:
            continue  # what netCDF-C noted beside it takes nothing from the array
        if isinstance(document.error, ReadError):
            return make(hierarchy, path, ordered, state="unreadable", problem=str(document.error))
        if document.name == ".zattrs" and not document.ok:
            return make(
                hierarchy,
                path,
                ordered,
                state="malformed",
                problem=_why(document.problems, document),
            )
    return make(hierarchy, path, ordered)


def _why(problems: tuple[DocumentProblem, ...], document: Document) -> str:
    for problem in problems:
        if problem.kind in ("syntax", "truncated", "empty", "limit", "not-object"):
            return problem.message
    return problems[0].message if problems else f"{document.key} cannot be understood"
