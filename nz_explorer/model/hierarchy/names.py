"""Paths of nodes, and the names of their metadata documents."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from difflib import get_close_matches
from urllib.parse import unquote

from nz_explorer.documents.json_text import json_text
from nz_explorer.text.phrases import listed

V3_NAMES = ("zarr.json",)
V2_NAMES = (".zarray", ".zgroup", ".zattrs")
NCZARR_NAMES = (".nczarr", ".nczarray", ".nczgroup", ".nczattrs", ".nczvar", ".nczattr")
CHUNK_OF_V2 = re.compile(r"\d+(\.\d+)*")
"""Names of the chunks of an array of Zarr v2, whose keys have no other separator than a period in one name."""
ROOT_NAMES = (*V3_NAMES, *V2_NAMES, ".zmetadata", ".nczarr", ".nczgroup")


class NodeNotFound(KeyError):
    """There is no node at a path, or none can be there."""

    def __init__(self, path: str, reason: str | None = None) -> None:
        super().__init__(path)
        self.path = path
        self.reason = reason

    def __str__(self) -> str:
        return f"there is no node at {self.path}" + (f": {self.reason}" if self.reason else "")


def without_array(names: Sequence[str], where: str) -> str:
    """Return that some names are those of chunks, with no array of Zarr v2 around them.

    Parameters
    ----------
    names : sequence of str
        The names, at least one.
    where : str
        Where they are, in words.
    """
    are = "is named like a chunk" if len(names) == 1 else "are named like chunks"
    some = f"{listed(map(json_text, names[:3]))}{' and more' if len(names) > 3 else ''}"
    return f"{some} {where} {are}, but there is no .zarray"


def normalise(path: str) -> str:
    """Return a path with one leading slash and no trailing one (Zarr v2, Logical storage paths).

    Raises
    ------
    NodeNotFound
        If a part of it is ``.`` or ``..``, which no store may follow.
    """
    parts = [part for part in path.replace("\\", "/").split("/") if part]
    for part in parts:
        if part in (".", ".."):
            raise NodeNotFound(path, f"a path cannot contain {part!r}")
    return "/" + "/".join(parts)


def is_document(name: str) -> bool:
    """Whether a name is that of a metadata document, of any format or dialect."""
    return name == "zarr.json" or name.startswith((".z", ".ncz"))


def is_below_document(path: str) -> bool:
    """Whether a path ends in the name of a document, where no other node can be."""
    return path.endswith("/zarr.json")


_LEFT_BEHIND = frozenset((".ds_store", "__macosx", "thumbs.db", "desktop.ini"))
_COPIED = re.compile(
    r" ?\((\d+|[^()]*conflicted copy[^()]*)\)|^copy of |^kopie von | - copy|\.sync-conflict-[\w-]+"
)
_INTERRUPTED = re.compile(r"\.[\da-f]{32}\.partial$")
"""What zarr-python puts in place of an ending, or behind it, until all is written."""
_ENDINGS = (".txt", ".json", ".bak", ".gz", ".tmp", ".part", ".partial")
_RIGHT_OF_V2 = (*V2_NAMES, ".zmetadata")
_RIGHT_NAMES = {name.strip("."): name for name in (*V3_NAMES, *_RIGHT_OF_V2)}

OTHER_FORMATS = {"info": "Neuroglancer's precomputed format", "attributes.json": "N5"}
"""Files by which programs that know several formats tell others."""


def format_of_others(names: Collection[str]) -> str | None:
    """Return what a folder holds in place of a hierarchy, with an article; None where its names do not tell.

    Parameters
    ----------
    names : collection of str
        The names in it.
    """
    if {"meta", "attrs"} <= set(names):
        return "an array of Zarr v1, of 2016: zarr.storage.migrate_1to2 of zarr-python 2 makes it one of Zarr v2"
    if "__schema" in names:
        return "an array of TileDB, which is no Zarr"
    found = next((other for name, other in OTHER_FORMATS.items() if name in names), None)
    return None if found is None else f"data in {found}, which is no Zarr"


def is_left_behind(name: str) -> bool:
    """Whether a name is that of a file which a desktop puts beside others, such as ``._zarr.json`` of macOS."""
    return name.startswith("._") or name.lower() in _LEFT_BEHIND


def renamed_document(name: str) -> str | None:
    """Return the name of the metadata document that a name was most likely made from, or meant to be.

    Parameters
    ----------
    name : str
        A name that is none of a document, such as ``zgroup``, ``zarr.json.txt``, ``%2Ezattrs``, ``zarr (1).json`` or
        ``.zattributes``.
    """
    if is_left_behind(name) or name in (*V3_NAMES, *V2_NAMES, ".zmetadata"):
        return None
    plain = _COPIED.sub("", unquote(name).lower()).strip("._ ")
    plain = _INTERRUPTED.sub("", plain)
    plain = {"zattr": "zattrs", "zarr": "zarr.json"}.get(plain, plain) if plain != name else plain
    for ending in ("", *_ENDINGS):
        known = _RIGHT_NAMES.get(plain.removesuffix(ending).strip("."))
        if known is not None and plain.endswith(ending):
            return known
    if not name.startswith(".z") or not name[1:].isalpha():
        return None  # of a lock or a checksum nothing else than its ending tells
    # what else begins so is a slip of the pen, such as .zattributes: Zarr v2 has no other names with these letters
    close = get_close_matches(plain, [right.strip(".") for right in _RIGHT_OF_V2], n=1, cutoff=0.7)
    return f".{close[0]}" if close else None
