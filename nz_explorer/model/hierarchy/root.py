"""The root of a hierarchy, and what its documents declare for all of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from nz_explorer.documents.document import Document
from nz_explorer.documents.json_text import json_text
from nz_explorer.model.consolidated import Consolidated, find
from nz_explorer.model.group import Group
from nz_explorer.model.hierarchy.names import (
    CHUNK_OF_V2,
    NCZARR_NAMES,
    ROOT_NAMES,
    V2_NAMES,
    format_of_others,
    renamed_document,
    without_array,
)
from nz_explorer.model.hierarchy.node_reader import holding_nodes, read_documents
from nz_explorer.model.node import Node
from nz_explorer.model.node_of_documents import build_node
from nz_explorer.store import Cancellation, ReadError, SourceError
from nz_explorer.text.phrases import listed

if TYPE_CHECKING:
    from nz_explorer.model.hierarchy.hierarchy import Hierarchy
    from nz_explorer.store import Listing


@dataclass(frozen=True, slots=True)
class Root:
    """The root node with what its documents declare for the whole hierarchy.

    Attributes
    ----------
    documents : dict of str to Document
        By name, also those that do not exist.
    side_names : tuple of str
        Names of NCZarr's documents that nodes of this hierarchy may have; empty without NCZarr.
    consolidated : Consolidated or None
        The consolidated metadata, if there are any.
    metadata_source : str
        Where the nodes are read from.
    node : Node
        The root.
    zarr_format : int or None
        The Zarr format of the hierarchy, as far as the root, the consolidated metadata or, without either,
        the nodes below tell it.
    """

    documents: dict[str, Document]
    side_names: tuple[str, ...]
    consolidated: Consolidated | None
    metadata_source: Literal["documents", "consolidated"]
    node: Node
    zarr_format: int | None


def read_root(
    hierarchy: Hierarchy,
    cancel: Cancellation | None,
    documents: dict[str, Document] | None = None,
    consolidated: Consolidated | None = None,
    *,
    use_consolidated: bool,
) -> Root:
    """Read the root, unless its documents are given; the hierarchy is not changed.

    Parameters
    ----------
    hierarchy : Hierarchy
        Whose root it becomes.
    cancel : Cancellation, optional
        Ends the reading early.
    documents : dict of str to Document, optional
        The documents of the root by name, if they were read already.
    consolidated : Consolidated, optional
        Consolidated metadata that were parsed from the same document already.
    use_consolidated : bool
        Whether nodes are read from consolidated metadata where there are any.

    Returns
    -------
    Root
        The root; without a document of its own it has the state ``missing``.

    Raises
    ------
    SourceError
        If there is no Zarr hierarchy, or the store cannot be listed to find out.
    """
    generation = hierarchy.generation
    if documents is None:
        documents = {d.name: d for d in read_documents(hierarchy, ["/"], ROOT_NAMES, cancel)[0]}
    side = documents[".nczarr"].has_bytes or documents[".nczgroup"].has_bytes
    side_names = NCZARR_NAMES if side else ()
    found = find(documents, consolidated)
    source: Literal["documents", "consolidated"] = (
        "consolidated" if found is not None and use_consolidated else "documents"
    )
    if unread := [name for name in side_names if name not in documents]:
        more = {d.name: d for d in read_documents(hierarchy, ["/"], unread, cancel)[0]}
        documents = {**documents, **more}
    root = build_node(hierarchy, "/", documents.values())
    below: set[int] = set()
    if root is None:
        root = _root_without_document(hierarchy, documents, found, cancel, below)
    elif found is None and root.zarr_format == 3 and root.metadata.get("zarr_format") == 2:
        _look_below(hierarchy, cancel, below)
    root.generation = generation
    zarr_format = root.zarr_format or (None if found is None else found.zarr_format)
    if below == {2}:
        zarr_format = 2  # else v2 without its .zgroup would be judged as v3, which it never was
    return Root(documents, side_names, found, source, root, zarr_format)


def _look_below(hierarchy: Hierarchy, cancel: Cancellation | None, formats: set[int]) -> None:
    """Find the formats of the nodes below a root of which zarr.json says that it is v2."""
    if hierarchy.reader.listable:
        (listing,) = hierarchy.reader.list_many([""], cancel)
        if not isinstance(listing, ReadError):
            holding_nodes(hierarchy, {"/": listing.names}, cancel, formats)


def _root_without_document(
    hierarchy: Hierarchy,
    documents: dict[str, Document],
    consolidated: Consolidated | None,
    cancel: Cancellation | None,
    formats: set[int],
) -> Node:
    side = tuple(d for d in documents.values() if d.has_bytes)
    if consolidated is not None:
        return Group(
            hierarchy,
            "/",
            side,
            state="missing",
            problem="the root has no document beside its consolidated metadata",
        )
    listing: Any = (
        hierarchy.reader.list_many([""], cancel)[0] if hierarchy.reader.listable else None
    )
    names = () if listing is None or isinstance(listing, ReadError) else listing.names
    if names and holding_nodes(hierarchy, {"/": names}, cancel, formats):
        return Group(
            hierarchy,
            "/",
            side,
            state="missing",
            problem="the root has no metadata document, though there are nodes below it",
        )
    where = hierarchy.source
    if isinstance(listing, ReadError):
        raise SourceError(f"{where} could not be read: {listing.detail}")
    looked = "zarr.json, .zgroup, .zarray and .zmetadata"
    if hierarchy.reader.listable and not {*names} - {".", ".."}:
        if odd := hierarchy.reader.packaging.odd_names:
            zipped = hierarchy.reader.kind == "zip file"
            raise SourceError(
                f"{where}: the names in {'this zip file' if zipped else 'these references'} cannot be keys of a store, such as"
                f" {json_text(odd[0])}: they have to be relative, such as zarr.json"
                + ("; unzip it, and zip it again from inside the folder" if zipped else "")
            )
        raise SourceError(f"{where} is empty: there is no Zarr hierarchy (looked for {looked})")
    if folders := [
        name
        for name in names
        if name in V2_NAMES and not (documents[name].has_bytes or documents[name].error)
    ]:
        are = "is a folder" if len(folders) == 1 else "are folders"
        raise SourceError(
            f"there is no Zarr hierarchy at {where}: {listed(folders)} there {are}, and no document"
        )
    renamed = [f"{name} should be {right}" for name in names if (right := renamed_document(name))]
    if renamed:
        raise SourceError(
            f"there is no Zarr hierarchy at {where}, but its documents seem to have lost their names: {listed(renamed)}"
        )
    if "snapshots" in names and {"refs", "repo"} & set(names):
        raise SourceError(
            f'{where} is an Icechunk repository: name a version, such as storage_options={{"branch": "main"}}'
        )
    if (other := format_of_others(names)) is not None:
        raise SourceError(f"there is no Zarr hierarchy at {where}: it seems to be {other}")
    inside = hierarchy.reader.packaging.lies_in
    if not inside and listing is not None and (chunks := _named_like_chunks(listing)):
        raise SourceError(
            f"there is no Zarr hierarchy at {where}: {without_array(chunks, 'there')}"
        )
    raise SourceError(f"there is no Zarr hierarchy at {where} (looked for {looked}){inside}")


def _named_like_chunks(listing: Listing) -> list[str]:
    """Return the names of files that the chunks of an array of Zarr v2 have; a folder 2024 is none."""
    named = [
        one for one in listing.names if CHUNK_OF_V2.fullmatch(one) and one not in listing.folders
    ]
    # not every store tells what is a file
    return [one for one in named if one in listing.files or "." in one]
