"""NZ: consolidated metadata agree with the documents (NZ-1.0, Consolidated Metadata)."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from nz_explorer.conventions.nz.consolidated import for_netcdf
from nz_explorer.conventions.nz.consolidated.kinds import (
    NAMES,
    STOPPED,
    UNLESS,
    as_long_as_now,
    at_no_attributes,
    copied,
    copy,
    is_taken_for_array,
    no_attributes,
    notes_only_in,
    taken_for_array,
    why_not_copied,
)
from nz_explorer.conventions.nz.consolidated.lengths import others_with_it, where_split
from nz_explorer.conventions.nz.consolidated.words import is_bare_token, shown
from nz_explorer.conventions.zarr2.members import ARRAY_MEMBERS, NCZARR
from nz_explorer.documents import pointers
from nz_explorer.documents.json_text import json_text
from nz_explorer.engine.entry_comparison import ABSENT, Difference, Pair, differences
from nz_explorer.engine.findings import Fail, FixMaker, Place, Undecided
from nz_explorer.engine.fixes import Draft, Operation, add, remove, replace
from nz_explorer.engine.registry import rule
from nz_explorer.model import Array
from nz_explorer.model.paths import all_above, below
from nz_explorer.text.phrases import listed

if TYPE_CHECKING:
    from nz_explorer.documents import Document
    from nz_explorer.engine.impact import Impact
    from nz_explorer.model import Consolidated, Node


def _is_stored(pair: Pair) -> bool:
    return pair.node is not None and pair.node.state != "missing"


def _unusable(documents: Iterable[Document]) -> Iterator[Undecided]:
    """Report the documents that cannot be compared."""
    for document in documents:
        if document.error is not None:
            yield Undecided("dependency: TREE-007")
        elif not document.ok:
            yield Undecided(
                "dependency: JSON-006" if document.value is not None else "dependency: JSON-002"
            )


@rule(
    "NZ-CONS-002", on="entry", when=lambda pair: _is_stored(pair) and pair.path in pair.consolidated
)
def entry_is_current(pair: Pair) -> Iterator[Fail | Undecided]:
    """Require an entry to mean the same as the document. The root of v3 is its own entry."""
    if pair.path == "/":
        return
    undecided = list(_unusable(pair.stored))
    if undecided:
        yield undecided[0]
        return
    is_array = is_taken_for_array(pair)
    if is_array:
        yield taken_for_array(pair)
    for document in pair.stored:
        if is_array and document.name == ".zgroup":
            continue
        entry = pair.consolidated.entry(pair.path, document.name)
        found = differences(document, entry)
        if found and pair.consolidated.why_no_node(pair.path) is not None:
            yield Undecided("dependency: Z3-CM-002")
        elif found and all(is_bare_token(difference) for difference in found):
            yield Undecided("dependency: JSON-003")
        elif found:
            yield _stale(pair, document, found, entry)
    yield from _attributes_alone(pair)
    yield from no_attributes(pair)


def _attributes_alone(pair: Pair) -> Iterator[Fail]:
    """Fail on attributes of Zarr v2 that only the entry has, as there is no .zattrs."""
    name = ".zattrs"
    entry = pair.consolidated.entry(pair.path, name)
    if pair.consolidated.zarr_format == 3 or not isinstance(entry, Mapping) or not entry:
        return
    if any(document.name == name for document in pair.stored):
        return
    holder, pointer = pair.consolidated.holder, pair.pointer(name)
    key = f"{below(pair.path)[1:]}{name}"
    fixes: list[FixMaker] = [
        lambda _node: Draft("suggest", (add("", as_long_as_now(pair, entry)),), document=key)
    ]
    needed = isinstance(pair.node, Array) and pair.node.stored_shape and NAMES in entry
    if not needed and not notes_only_in(entry, {}):
        # xarray opens no array of which it finds no names of dimensions; netCDF-C's notes are nowhere else
        fixes.insert(0, lambda _node: Draft("unsafe", (remove(pointer),), document=holder.key))
    yield Fail(
        f"/{name}",
        f"{pair.path} has no .zattrs, and the consolidated metadata have attributes for it:"
        f" {listed(map(json_text, entry))}",
        related=("/",),
        places=(Place(pair.path, f"/{name}"), Place("/", f"/{holder.name}{pointer}")),
        fix=fixes[0],
        alternatives=tuple(fixes[1:]),
    )


def _stale(pair: Pair, document: Document, found: list[Difference], entry: Any) -> Fail:
    v2 = document.name != "zarr.json"
    places = [(f"/{document.name}" if v2 else "") + difference.pointer for difference in found]
    first, holder = found[0], pair.consolidated.holder
    stops = _stopped_by(pair, document.name, entry)
    harmless = not stops and document.name == ".zarray" and all(map(_means_the_same, found))
    taken = document.name == ".zarray" and _is_taken_for_group(pair, entry)
    seen = f"readers that use them see {shown(first.consolidated)} instead of {shown(first.stored)}"
    found_here = Fail(
        places[0],
        f"the consolidated metadata of {pair.path} differ from {document.key} at {listed(places)};"
        f" {'zarr-python and xarray make the same of both' if harmless else seen}",
        related=("/",),
        places=(
            Place(pair.path, places[0]),
            Place(
                "/", (f"/{holder.name}" if v2 else "") + pair.pointer(document.name) + first.pointer
            ),
        ),
        impact="blocks" if stops else "convention" if harmless else None,
        readers={} if harmless else stops or (_GROUP if taken else None),
        fix=_rewrite_entry(pair, document.name, "add" if entry is None else "replace"),
    )
    if harmless or not _netcdf_looks(pair):
        return found_here
    usual = (
        {} if pair.path == "/" else _USUAL
    )  # where others mind little: only attributes are there
    return _with_netcdf(found_here, usual, for_netcdf.of_entry(pair, document.name, entry))


_USUAL = dict.fromkeys(("zarr-python", "xarray"), for_netcdf.OUTDATED)
_USUAL_WITHOUT = dict.fromkeys(("zarr-python", "xarray"), for_netcdf.NOT_SHOWN)
_USUAL_GHOST = dict.fromkeys(("zarr-python", "xarray"), for_netcdf.GHOST)
"""What readers do as the catalogue has it."""


def _netcdf_looks(pair: Pair) -> bool:
    """Whether netCDF-C uses the entries in the mode of the address."""
    return pair.consolidated.zarr_format == 2 and for_netcdf.is_used(pair.hierarchy)


def _with_netcdf(found: Fail, usual: Mapping[str, str], does: str) -> Fail:
    """Return a failure with what netCDF-C does, which may stop at what others read otherwise."""
    if not does:
        return found
    others = usual if found.readers is None else found.readers
    stopped: tuple[str, ...] = (for_netcdf.NETCDF_C,) if for_netcdf.stops(does) else ()
    impact: Impact = "blocks" if stopped and not others else "values"
    if found.impact == "blocks":  # to the others, and perhaps to netCDF-C
        impact, stopped = ("blocks", ()) if stopped else ("values", tuple(others))
    readers = {**others, for_netcdf.NETCDF_C: does}
    return dataclasses.replace(found, impact=impact, stops=stopped, readers=readers)


_NOTHING: dict[str, tuple[Any, ...]] = {
    "filters": (None, [], ABSENT),
    "compressor": (None, ABSENT),
    "dimension_separator": (".", ABSENT),
}
"""Members of .zarray with what is the same to zarr-python."""


def _means_the_same(difference: Difference) -> bool:
    """Whether zarr-python makes the same of a difference in .zarray."""
    member, *inside = pointers.split(difference.pointer)
    if inside or member not in ARRAY_MEMBERS:
        return member not in ARRAY_MEMBERS and member not in NCZARR
    same = _NOTHING.get(member, ())
    return difference.stored in same and difference.consolidated in same


def _stopped_by(pair: Pair, name: str, entry: Any) -> dict[str, str] | None:
    """Return what readers do with an entry of an array in ``.zmetadata`` that is no object, or names no dimensions."""
    if name == ".zattrs" and (stopped := at_no_attributes(pair)) is not None:
        return stopped
    if name == ".zattrs" and _loses_names(pair, entry):
        return {"xarray": f"raises KeyError: _ARRAY_DIMENSIONS, {UNLESS}"}
    if pair.path != "/" and name != ".zattrs" and _is_no_node(pair.consolidated, pair.path):
        return _NOT_FOUND
    there = pair.consolidated.key(pair.path, name) is not None
    return STOPPED if there and name == ".zarray" and not isinstance(entry, Mapping) else None


_GROUP = {
    "zarr-python": f"shows a group in place of the array, {UNLESS}",
    "xarray": f"does not show the array, {UNLESS}",
}


def _is_taken_for_group(pair: Pair, entry: Any) -> bool:
    """Whether an entry for an array has a format and no shape, by which zarr-python tells arrays from groups."""
    described = isinstance(entry, Mapping) and "zarr_format" in entry and "shape" not in entry
    return described and isinstance(pair.node, Array)


_NOT_FOUND = dict.fromkeys(
    ("zarr-python", "xarray"), f"raises GroupNotFoundError for the root, {UNLESS}"
)


def _is_no_node(consolidated: Consolidated, path: str) -> bool:
    """Whether .zmetadata have no entry with a format for what they list; zarr-python then opens nothing at all."""
    if consolidated.zarr_format == 3:
        return False
    entries = [consolidated.entry(path, name) for name in (".zarray", ".zgroup")]
    return not any(
        entry is not None and (not isinstance(entry, Mapping) or "zarr_format" in entry)
        for entry in entries
    )


def _loses_names(pair: Pair, entry: Any) -> bool:
    """Whether an array has dimensions that only its own attributes name."""
    array = pair.node
    named = isinstance(array, Array) and bool(array.stored_shape) and NAMES in array.attributes
    return named and not (isinstance(entry, Mapping) and NAMES in entry)


def _rewrite_entry(pair: Pair, name: str, how: str) -> FixMaker:
    def fix(_node: Node) -> Draft | None:
        document = None if pair.node is None else pair.node.document(name)
        if document is None or not document.ok:
            return None
        write = replace if how == "replace" else add
        return copy(pair, document, write(pair.pointer(name), copied(document)))

    return fix


@rule("NZ-CONS-003", on="entry", when=_is_stored)
def node_has_entry(pair: Pair) -> Iterator[Fail | Undecided]:
    """Require an entry for each node: without one readers of consolidated metadata do not see it."""
    if pair.path == "/" or pair.path in pair.consolidated:
        return
    if pair.node is not None and not any(document.ok for document in pair.stored):
        yield from _unusable(pair.stored)
        return
    if _is_cut_off(pair):
        yield Undecided("dependency: TREE-002")
        return
    # zarr-python looks for the groups of the entries that it has of Zarr v2
    needed = pair.consolidated.zarr_format == 2 and bool(pair.consolidated.child_names(pair.path))
    missing = Fail(
        "",
        f"{pair.path} is missing from the consolidated metadata, so readers do not see it",
        related=("/",),
        impact="blocks" if needed else None,
        readers=_NOT_FOUND if needed else None,
        fix=_add_entry(pair),
    )
    looks = _netcdf_looks(pair)
    yield _with_netcdf(missing, _USUAL_WITHOUT, for_netcdf.of_missing(pair)) if looks else missing


def _is_cut_off(pair: Pair) -> bool:
    """Whether a group above has no document, so that what consolidates the metadata cannot get here."""
    if pair.node is None:
        return False
    groups = map(pair.node.hierarchy.node_if_loaded, all_above(pair.path))
    return any(group.state == "missing" and group.path != "/" for group in groups if group)


def _add_entry(pair: Pair) -> FixMaker:
    def fix(_node: Node) -> Draft:
        operations: list[Operation] = []
        for missing in (*pair.groups_without_entry, pair):
            documents = [document for document in missing.stored if document.ok]
            if not documents:
                note = f"mend {missing.path} first: zarr-python opens nothing where an entry is there and its group's is not"
                return Draft("suggest", note=note)
            # readers that stop at an entry see nothing of the rest either
            if notes := list(filter(None, (why_not_copied(missing.node, d) for d in documents))):
                return Draft("suggest", note=notes[0])
            operations += [add(missing.pointer(each.name), copied(each)) for each in documents]
        operations += others_with_it(pair, None)
        split, key = where_split(pair), pair.consolidated.holder.key
        return Draft("unsafe" if split else "safe", tuple(operations), split or None, key)

    return fix


@rule("NZ-CONS-004", on="entry", when=lambda pair: not _is_stored(pair))
def entry_has_node(pair: Pair) -> Iterator[Fail | Undecided]:
    """Fail on an entry without a document: it shows readers a node that is not there."""
    if pair.path == "/" or pair.path not in pair.consolidated:
        return
    if pair.path.endswith("/zarr.json"):
        yield Undecided("dependency: Z3-CM-002")
        return
    if unread := pair.unread_above:
        yield next(_unusable(unread.documents), Undecided("dependency: TREE-007"))
        return
    consolidated, path = pair.consolidated, pair.path
    # Of Zarr v3 that is Z3-CM-002.
    stops = any(
        (one == path or one not in consolidated) and _is_no_node(consolidated, one)
        for one in (path, *all_above(path))
        if one != "/"
    )
    # nodes lie below it: without the entry readers would not find these, and TREE-002 writes the document
    is_implicit = pair.node is not None
    what = "has no document of its own" if is_implicit else "does not exist"
    # its document may well be there, and is none of a node: TREE-003
    if (array := consolidated.array_above(path)) is not None and not is_implicit:
        if consolidated.zarr_format == 3:
            yield Undecided("dependency: Z3-CM-002")
            return
        what = f"lies inside the array {array}, where no reader looks for nodes"
    ghost = Fail(
        "",
        f"the consolidated metadata list {pair.path}, which {what}",
        related=("/",),
        impact="blocks" if stops else None,
        readers=_NOT_FOUND if stops else None,
        fix=None
        if is_implicit
        else lambda _node: Draft(
            "safe",
            tuple(  # what is below goes, too: zarr-python opens nothing where the group of an entry has none
                remove(consolidated.pointer(one, document.name))
                for one in consolidated.at_and_below(path)
                for document in consolidated.documents(one)
            ),
            document=consolidated.holder.key,
        ),
    )
    looks = not is_implicit and _netcdf_looks(pair)
    yield _with_netcdf(ghost, _USUAL_GHOST, for_netcdf.of_ghost(pair)) if looks else ghost


@rule(
    "NZ-CONS-006", on="entry", formats=(2,), when=lambda pair: _is_stored(pair) and pair.path == "/"
)
def root_entry_is_current(pair: Pair) -> Iterator[Fail | Undecided]:
    """Note entries of the root itself, which only .zmetadata has, that differ from its documents."""
    for document in pair.stored:
        if not document.ok:
            continue
        entry = pair.consolidated.entry("/", document.name)
        found = differences(document, entry)
        if found:
            yield _stale(pair, document, found, entry)
    yield from _attributes_alone(pair)
