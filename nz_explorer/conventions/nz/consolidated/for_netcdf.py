"""What netCDF-C 4.10 makes of consolidated metadata that are not up to date, which it uses in one mode only."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from nz_explorer.model import Array
from nz_explorer.model.dialects import nczarr, nczarr_lengths
from nz_explorer.model.paths import above, below

if TYPE_CHECKING:
    from nz_explorer.engine.entry_comparison import Pair
    from nz_explorer.model import Consolidated, Hierarchy

NETCDF_C = "netCDF-C"
NOT_SHOWN = "does not show the node"
GHOST = "shows the node, full of fill values"
OUTDATED = "uses the outdated entry without a warning"
REFUSED = "refuses the dataset: Unknown Error"
"""What it does with a document that it does not understand as consolidated metadata, and with an empty one."""
_INVALID = "refuses the dataset: invalid argument"
_ERROR = "refuses the dataset: NCZarr error"
_STOPS = ("refuses", "crashes")


def is_used(hierarchy: Hierarchy) -> bool:
    """Whether netCDF-C is told to use consolidated metadata, without which it looks at the documents alone.

    Parameters
    ----------
    hierarchy : Hierarchy
        The dataset, opened by its address.
    """
    return "consolidated" in hierarchy.modes and hierarchy.metadata_source == "documents"


def stops(does: str) -> bool:
    """Whether netCDF-C does not open the dataset.

    Parameters
    ----------
    does : str
        What it does.
    """
    return does.startswith(_STOPS)


def of_entry(pair: Pair, name: str, entry: Any) -> str:
    """Return what netCDF-C does with an entry that differs from the document; nothing where it does not mind.

    Parameters
    ----------
    pair : Pair
        The node, which has the document.
    name : str
        Name of the document.
    entry
        What the consolidated metadata have; None where they have nothing.
    """
    consolidated, path = pair.consolidated, pair.path
    noted, is_array = _is_noted(pair), isinstance(pair.node, Array)
    there = consolidated.key(path, name) is not None
    if not consolidated.paths:
        return REFUSED
    if there and not isinstance(entry, Mapping):
        if name == ".zgroup":
            return _ERROR if path == "/" else ""
        return _INVALID
    if name == ".zgroup" and path == "/":
        return OUTDATED if there else "crashes the process (4.10)" if noted else ""
    if not there and name == ".zarray":
        return of_missing(pair)
    if name == ".zarray" and noted and not _is_listed(consolidated, path):
        return NOT_SHOWN
    if name != ".zarray" and noted and (problem := _notes_lost(pair, name, entry, is_array)):
        return problem
    if not there and name == ".zgroup":
        return NOT_SHOWN
    if noted and name == ".zattrs" and (problem := _dimensions_lost(consolidated, path)):
        return problem
    concerned = [path] if is_array else consolidated.paths if noted else []
    if any(one.startswith(path) and _misfits(consolidated, one, noted=noted) for one in concerned):
        return "refuses the dataset: invalid dimension size"
    return OUTDATED


def of_missing(pair: Pair) -> str:
    """Return what netCDF-C does with a node that has no entry.

    Parameters
    ----------
    pair : Pair
        The node.
    """
    consolidated, path = pair.consolidated, pair.path
    if not consolidated.paths:
        return REFUSED
    if not _is_noted(pair) or not _is_listed(consolidated, path):
        return NOT_SHOWN
    if isinstance(pair.node, Array):
        return _INVALID
    return _without_notes(pair)


def of_ghost(pair: Pair) -> str:
    """Return what netCDF-C does with an entry of a node that is not there; nothing where it does not get to it.

    Parameters
    ----------
    pair : Pair
        The node.
    """
    consolidated, path, noted = pair.consolidated, pair.path, _is_noted(pair)
    is_array = consolidated.key(path, ".zarray") is not None
    if noted and not _is_listed(consolidated, path):
        return ""
    if not is_array:
        return "shows an empty group" if consolidated.key(path, ".zgroup") is not None else ""
    if noted and _note(consolidated, path, "array") is None:
        return _ERROR
    if _misfits(consolidated, path, noted=noted):
        return "refuses the dataset: invalid dimension size"
    return GHOST


def _is_noted(pair: Pair) -> bool:
    """Whether netCDF-C goes by its own metadata, as the entries have them."""
    return nczarr.counts(pair.hierarchy) and _has_superblock(pair.consolidated)


def _has_superblock(consolidated: Consolidated) -> bool:
    return _note(consolidated, "/", "superblock") is not None


def _note(consolidated: Consolidated, path: str, part: nczarr.Part) -> Any:
    """Return a part of what netCDF-C noted of a node in its entries."""
    key = nczarr.KEYS[part][0]
    for name in (".zattrs", ".zgroup", ".zarray"):
        entry = consolidated.entry(path, name)
        if isinstance(entry, Mapping) and key in entry:
            return entry[key]
    return None


def _member(note: Any, name: str) -> Any:
    if not isinstance(note, Mapping):
        return None
    return next((note[spelled] for spelled in nczarr.MEMBERS[name] if spelled in note), None)


def _is_listed(consolidated: Consolidated, path: str) -> bool:
    """Whether the entries of the group that a node is in, and of those above it, lead netCDF-C to the node."""
    group = above(path)
    if group != "/" and not _is_listed(consolidated, group):
        return False
    note = _note(consolidated, group, "group")
    name = path.rpartition("/")[2]
    return any(name in (nczarr.names(_member(note, kind)) or ()) for kind in ("arrays", "groups"))


def _notes_lost(pair: Pair, name: str, entry: Any, is_array: bool) -> str:  # of the node
    """Return what comes of netCDF-C's own metadata that an entry lacks, or that lead nowhere."""
    consolidated, path = pair.consolidated, pair.path
    if path != "/" and not _is_listed(consolidated, path):
        return NOT_SHOWN
    if is_array:
        lost = _note(consolidated, path, "array") is None
        return _ERROR if lost else ""
    if name == ".zgroup" or entry is None or _note(consolidated, path, "group") is None:
        return "" if name == ".zgroup" and entry is not None else _without_notes(pair)
    arrays = nczarr.names(_member(_note(consolidated, path, "group"), "arrays")) or ()
    lacks = any(consolidated.key(below(path) + one, ".zarray") is None for one in arrays)
    return _INVALID if lacks else ""


def _without_notes(pair: Pair) -> str:
    """Return what netCDF-C does with a group whose own metadata the entries lack: it lists what they have in it."""
    consolidated, path = pair.consolidated, pair.path
    no_document = any(consolidated.key(path, name) is None for name in (".zgroup", ".zattrs"))
    stem = below(path)
    needed = any(
        str(reference).startswith(stem)
        for child in consolidated.child_names(path)
        for reference in nczarr.names(
            _member(_note(consolidated, stem + child, "array"), "dimension_references")
        )
        or ()
    )
    if no_document and needed:
        return "crashes the process (4.10)"
    return "does not see the dimensions of the group" + (
        "" if no_document else ", nor anything in it"
    )


def _dimensions_lost(consolidated: Consolidated, path: str) -> str:
    """Return what comes of lengths that are none, and of references that lead nowhere."""
    own = _member(_note(consolidated, path, "group"), "dimensions")
    if isinstance(own, Mapping):
        for length in own.values():
            if nczarr_lengths.number_read(length) is None:
                crashes = isinstance(length, Mapping) and "size" in length
                return "crashes the process (4.10)" if crashes else _ERROR
    note = _note(consolidated, path, "array")
    if not isinstance(note, Mapping) or "scalar" in note:
        return ""
    for reference in nczarr.names(_member(note, "dimension_references")) or ():
        home, _, name = reference.rpartition("/")
        there = _member(_note(consolidated, home or "/", "group"), "dimensions")
        if not isinstance(there, Mapping) or name not in there:
            return "crashes the process (4.10)"
    return ""


def _misfits(consolidated: Consolidated, path: str, *, noted: bool) -> bool:
    """Whether an entry of an array gives a dimension another length than the entries that declare it."""
    entry = consolidated.entry(path, ".zarray")
    shape = entry.get("shape") if isinstance(entry, Mapping) else None
    if not isinstance(shape, list) or (noted and not _is_listed(consolidated, path)):
        return False
    if noted:
        note = _note(consolidated, path, "array")
        if isinstance(note, Mapping) and "scalar" in note:
            return False
        references = nczarr.names(_member(note, "dimension_references")) or ()
        declared = [_declared(consolidated, reference) for reference in references]
        pairs = zip(declared, shape, strict=False)
        return any(known is not None and known != length for known, length in pairs)
    own = dict(_named(consolidated, path))
    others = (
        below(above(path)) + child
        for child in consolidated.child_names(above(path))
        if below(above(path)) + child != path
    )
    return any(
        own.get(name, length) != length
        for other in others
        for name, length in _named(consolidated, other)
    )


def _declared(consolidated: Consolidated, reference: str) -> int | None:
    path, _, name = reference.rpartition("/")
    dimensions = _member(_note(consolidated, path or "/", "group"), "dimensions")
    given = dimensions.get(name) if isinstance(dimensions, Mapping) else None
    size = given.get("size") if isinstance(given, Mapping) else given
    return size if type(size) is int else None


def _named(consolidated: Consolidated, path: str) -> Iterator[tuple[str, Any]]:
    """Yield the names that xarray's attribute gives the dimensions of an array, with their lengths."""
    entry = consolidated.entry(path, ".zarray")
    attributes = consolidated.entry(path, ".zattrs")
    shape = entry.get("shape") if isinstance(entry, Mapping) else None
    names = attributes.get("_ARRAY_DIMENSIONS") if isinstance(attributes, Mapping) else None
    if isinstance(shape, list) and isinstance(names, list):
        yield from ((str(name), length) for name, length in zip(names, shape, strict=False))
