"""The Zarr node that a path on a disk lies in: whoever asks for too much of a path means it, or something in it."""

from __future__ import annotations

import json
from difflib import get_close_matches
from itertools import islice
from pathlib import Path
from typing import NamedTuple

MOST_LEVELS = 8
"""Folders above a path that are looked at."""
_MOST_BYTES = 2**20
_MOST_NAMES = 1000
_ALIKE = 0.6


class NodeAbove(NamedTuple):
    """A node on a disk.

    Attributes
    ----------
    kind : str
        ``group`` or ``array``.
    folder : Path
        Where it is.
    """

    kind: str
    folder: Path


def node_above(path: Path) -> NodeAbove | None:
    """Return the nearest folder above a path that holds a metadata document; None where there is none, or it cannot be read.

    Parameters
    ----------
    path : Path
        An absolute path, of which not all need exist.
    """
    try:
        for folder in path.parents[:MOST_LEVELS]:
            if (folder / ".zarray").is_file():
                return NodeAbove("array", folder)
            if (folder / ".zgroup").is_file():
                return NodeAbove("group", folder)
            document = folder / "zarr.json"
            if document.is_file() and document.stat().st_size <= _MOST_BYTES:
                found = json.loads(document.read_bytes())
                is_array = isinstance(found, dict) and found.get("node_type") == "array"
                return NodeAbove("array" if is_array else "group", folder)
    except (OSError, ValueError, RecursionError):
        return None
    return None


def nearby(path: Path) -> str:
    """Return how far a path leads that leads to nothing, and where it may be meant to lead, as the end of a sentence.

    Parameters
    ----------
    path : Path
        An absolute path.
    """
    if said := hint(path):
        return said
    missing = path
    while not missing.parent.exists():
        missing = missing.parent
    meant = _meant(missing.parent, missing.name)
    return f"{'' if missing == path else f'; there is no {missing}'}{meant}"


def _meant(folder: Path, wanted: str) -> str:
    """Return a question for what lies in a folder and has a name like that."""
    try:
        names = [entry.name for entry in islice(folder.iterdir(), _MOST_NAMES)]
    except OSError:
        return ""
    close = get_close_matches(wanted, names, 1, _ALIKE)
    return f": did you mean {folder / close[0]}?" if close and close[0] != wanted else ""


def hint(path: Path) -> str:
    """Return what is there instead of a path that leads to no node, as the end of a sentence.

    Parameters
    ----------
    path : Path
        An absolute path.
    """
    above = node_above(path)
    if above is None:
        return ""
    if above.kind == "array":
        return f"; it is inside of the array {above.folder}, whose chunks are no nodes"
    wanted = path.relative_to(above.folder).parts[0]
    meant = _meant(above.folder, wanted)
    return f"; {above.folder} is a Zarr group, and has no node of this name{meant}"
