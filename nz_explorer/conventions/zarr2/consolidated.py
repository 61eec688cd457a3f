"""Z2: what zarr-python asks of .zmetadata."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from nz_explorer.conventions.zarr2.members import V2
from nz_explorer.conventions.zarr2.nodes import NOT_FOUND
from nz_explorer.conventions.zarr3.nodes import MISSING, is_integer, shown
from nz_explorer.documents import pointers
from nz_explorer.documents.json_text import json_text
from nz_explorer.documents.json_types import json_type
from nz_explorer.engine.findings import Fail
from nz_explorer.engine.fixes import Draft, remove
from nz_explorer.engine.registry import rule
from nz_explorer.text.phrases import listed, plural

if TYPE_CHECKING:
    from nz_explorer.model import Node
    from nz_explorer.model.consolidated import Consolidated


def _has_consolidated(node: Node) -> bool:
    return node.document(".zmetadata") is not None


def _dotted(key: str) -> str | None:
    """Return the part of a key that leads somewhere else."""
    return next((part for part in key.split("/") if part in (".", "..")), None)


_REFUSED = {"netCDF-C": "refuses the dataset: Unknown Error"}
"""What netCDF-C 4.10 does in the mode in which it uses .zmetadata."""
_STOPPED = dict.fromkeys(
    ("zarr-python", "xarray"), "raises an error unless told not to use consolidated metadata"
)
"""What others do, as the catalogue has it."""


@rule("Z2-CM-001", on="root", formats=V2, when=_has_consolidated)
def consolidated_form(node: Node) -> Iterator[Fail]:
    """Require a map from keys of documents to documents, of the version that is known."""
    document = node.document(".zmetadata")
    if document is None or not document.ok:
        return  # a finding on its text
    version = document.value.get("zarr_consolidated_format", MISSING)
    netcdf = _REFUSED if "consolidated" in node.hierarchy.modes else {}
    if not (is_integer(version) and version == 1):
        yield Fail(
            "/.zmetadata/zarr_consolidated_format",
            f".zmetadata: zarr_consolidated_format must be 1, got {shown(version)}",
            impact="blocks" if netcdf else None,
            readers=netcdf,
            fix=_set_version if version is MISSING or version in ("1", 1.0) else None,
        )
    entries = document.value.get("metadata", MISSING)
    if node.hierarchy.consolidated is None:
        yield Fail(
            "/.zmetadata/metadata",
            f".zmetadata: metadata must be an object, got {'nothing' if entries is MISSING else json_type(entries)}",
            readers={**_STOPPED, **netcdf} if netcdf else None,
            fix=lambda _node: Draft("suggest", note="consolidate the metadata again"),
        )
        return
    for key, why in node.hierarchy.consolidated.rejected.items():
        if _dotted(key) is None:
            yield Fail(
                pointers.join("/.zmetadata/metadata", key),
                f".zmetadata: the entry {json_text(key)} belongs to no node: {why}",
                fix=_drop_entry(key),
            )
    yield from _below_arrays(node.hierarchy.consolidated)
    slashed = [
        key for key in entries if key.startswith("/") or key.rpartition("/")[0].endswith("/")
    ]
    slashed = [key for key in slashed if key not in node.hierarchy.consolidated.rejected]
    if slashed:
        root_too = "/.zgroup" in slashed and all(key.startswith("/") for key in entries)
        has = "has a slash" if len(slashed) == 1 else "have slashes"
        yield Fail(
            pointers.join("/.zmetadata/metadata", slashed[0]),
            f".zmetadata: {plural(len(slashed), 'key')} of entries {has} too many, such as {json_text(slashed[0])}; keys of a"
            " store do not begin with one, nor have two in a row, so readers find none of these nodes",
            severity="error",
            impact="values" if root_too else "blocks",
            readers={
                "zarr-python": "shows a node without a name instead",
                "xarray": "does not see the arrays",
            }
            if root_too
            else NOT_FOUND,
            fix=lambda _node: Draft("suggest", note="consolidate the metadata again"),
        )


def _below_arrays(consolidated: Consolidated) -> Iterator[Fail]:
    """Fail on entries of nodes that are in an array, which zarr-python looks for in a group."""
    for path in consolidated.paths:
        key, names = consolidated.key(path, ".zarray"), consolidated.child_names(path)
        if key is not None and (names or path == "/"):
            why = (
                f"there are entries of {listed(map(json_text, names[:3]))} in it"
                if names
                else "it is the root, in which they are looked for"
            )
            yield Fail(
                pointers.join("/.zmetadata/metadata", key),
                f".zmetadata: the entry {json_text(key)} is of an array, which holds no nodes, and {why}",
                fix=lambda _node: Draft("suggest", note="consolidate the metadata again"),
            )


def _set_version(node: Node) -> Draft:
    document = node.document(".zmetadata")
    there = document is not None and "zarr_consolidated_format" in document.value
    operation = {"op": "replace" if there else "add", "path": "/zarr_consolidated_format"}
    return Draft("safe", ({**operation, "value": 1},), document=".zmetadata")


def _drop_entry(key: str) -> Any:
    pointer = pointers.join("/metadata", key)
    return lambda _node: Draft("safe", (remove(pointer),), document=".zmetadata")


@rule("Z2-PATH-002", on="root", formats=V2, when=_has_consolidated)
def no_relative_parts(node: Node) -> Iterator[Fail]:
    """Fail on entries whose paths have parts that would lead out of their place."""
    consolidated = node.hierarchy.consolidated
    for key in () if consolidated is None else consolidated.rejected:
        if (part := _dotted(key)) is not None:
            yield Fail(
                pointers.join("/.zmetadata/metadata", key),
                f"the path {json_text(key)} contains {json_text(part)}; readers must reject it",
                fix=_drop_entry(key),
            )
