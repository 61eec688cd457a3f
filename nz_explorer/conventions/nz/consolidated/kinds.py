"""NZ: entries of consolidated metadata: such as make an array of a group, and documents that are not to take their place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import TYPE_CHECKING, Any

from nz_explorer.conventions.nz.consolidated.lengths import others_with_it, where_split
from nz_explorer.documents import pointers
from nz_explorer.documents.json_types import json_type
from nz_explorer.engine.entry_comparison import differences
from nz_explorer.engine.findings import Fail, Place
from nz_explorer.engine.fixes import Draft, Operation, add, remove, replace
from nz_explorer.model import Array, Group
from nz_explorer.model.dialects import nczarr, nczarr_lengths
from nz_explorer.model.paths import below

if TYPE_CHECKING:
    from nz_explorer.documents import Document
    from nz_explorer.engine.entry_comparison import Pair
    from nz_explorer.model import Node

_OF_A_GROUP: Mapping[str, Mapping[str, Any]] = {
    "zarr.json": {"zarr_format": 3, "node_type": "group"},
    ".zgroup": {"zarr_format": 2},
}
"""What the document of a group says, by its name."""
NAMES = "_ARRAY_DIMENSIONS"
"""The attribute without which xarray opens no array of Zarr v2."""
_OF_LENGTHS = ("shape", "dimension_names", NAMES)
"""Members that say which dimension has which length."""
UNLESS = "unless told not to use consolidated metadata"
_READERS = {
    "zarr-python": f"shows an array in place of the group, {UNLESS}",
    "xarray": f"takes the group for an array, {UNLESS}",
}

STOPPED = dict.fromkeys(_READERS, f"raises an error at an entry that is no object, {UNLESS}")
"""What becomes of an array whose entry in ``.zmetadata`` is no object."""

_NO_ATTRIBUTES = {
    "zarr-python": f"raises ValueError or TypeError, {UNLESS} (since 3.3)",
    "xarray": f"raises TypeError, ValueError or KeyError, {UNLESS}",
}
"""What readers do with attributes of an array that are no object; with those of a group all versions of zarr-python do the same."""


def at_no_attributes(pair: Pair) -> dict[str, str] | None:
    """Return what readers do with an entry of attributes in ``.zmetadata`` that is no object; None where they pass over it.

    Parameters
    ----------
    pair : Pair
        The node as stored and as consolidated.
    """
    consolidated, path = pair.consolidated, pair.path
    entry = consolidated.entry(path, ".zattrs")
    if consolidated.key(path, ".zattrs") is None or entry is None or isinstance(entry, Mapping):
        return None
    if consolidated.key(path, ".zarray") is None:
        return dict.fromkeys(_NO_ATTRIBUTES, f"raises TypeError, {UNLESS}")
    return {does: said for does, said in _NO_ATTRIBUTES.items() if entry or does == "xarray"}


def no_attributes(pair: Pair) -> Iterator[Fail]:
    """Fail on such an entry of a node that has no document of attributes to differ from.

    Parameters
    ----------
    pair : Pair
        The node as stored and as consolidated.
    """
    stopped, pointer = at_no_attributes(pair), pair.pointer(".zattrs")
    if stopped is not None and all(document.name != ".zattrs" for document in pair.stored):
        holder = pair.consolidated.holder
        kind = json_type(pair.consolidated.entry(pair.path, ".zattrs"))
        yield Fail(
            "/.zattrs",
            f"{pair.path} has no .zattrs, and the consolidated metadata have one for it that is no object, but {kind}",
            related=("/",),
            places=(Place(pair.path, "/.zattrs"), Place("/", f"/{holder.name}{pointer}")),
            impact="blocks",
            readers=stopped,
            fix=lambda _node: Draft("unsafe", (remove(pointer),), document=holder.key),
        )


def is_taken_for_array(pair: Pair) -> bool:
    """Return whether a group has an entry of an array, which readers tell by its shape, or one at which they stop.

    Parameters
    ----------
    pair : Pair
        The node as stored and as consolidated. With entries in it, it is Z2-CM-001.
    """
    consolidated, names = pair.consolidated, {document.name for document in pair.stored}
    is_group = ".zgroup" in names and ".zarray" not in names
    if consolidated.zarr_format == 3 or not is_group or consolidated.child_names(pair.path):
        return False
    entry = consolidated.entry(pair.path, ".zarray")
    there = consolidated.key(pair.path, ".zarray") is not None
    return there and ("shape" in entry if isinstance(entry, Mapping) else True)


def taken_for_array(pair: Pair) -> Fail:
    """Return the failure of such a group.

    Parameters
    ----------
    pair : Pair
        The node as stored and as consolidated.
    """
    consolidated, pointer = pair.consolidated, pair.pointer(".zarray")
    group = next(document for document in pair.stored if document.name == ".zgroup")
    no_object = not isinstance(consolidated.entry(pair.path, ".zarray"), Mapping)
    does = "stop there" if no_object else "see an array"
    operations: list[Operation] = [remove(pointer)]
    if consolidated.key(pair.path, group.name) is None:
        operations.append(add(pair.pointer(group.name), dict(group.value)))
    return Fail(
        "",
        f"{pair.path} is a group, and the consolidated metadata have .zarray for it: readers that use them {does}",
        related=("/",),
        places=(Place(pair.path), Place("/", f"/{consolidated.holder.name}{pointer}")),
        impact="blocks",
        readers=STOPPED if no_object else _READERS,
        fix=lambda _node: Draft("unsafe", tuple(operations), document=consolidated.holder.key),
        alternatives=(
            lambda _node: Draft(
                "suggest",
                note="if it is the array that is meant, write .zarray again with what the consolidated metadata have",
            ),
        ),
    )


def copied(document: Document) -> dict[str, Any]:
    """Return what an entry has of a document.

    Parameters
    ----------
    document : Document
        One that holds an object.
    """
    return {key: value for key, value in document.value.items() if key != "consolidated_metadata"}


def copy(pair: Pair, document: Document, operation: Operation) -> Draft:
    """Return what copies a document into an entry: not one with which readers fail, who have the entry instead.

    Parameters
    ----------
    pair : Pair
        The node as stored and as consolidated.
    document : Document
        What is copied. What else of the node differs from its entry is copied with it.
    operation : Operation
        What is done to the consolidated metadata.
    """
    entry = pair.consolidated.entry(pair.path, document.name)
    if names := _names_only_in(entry, pair, document):
        return _names_written(names, pair, document, operation)
    if noted := notes_only_in(entry, document.value):
        return _notes_written(noted, pair, document)
    if why := why_not_copied(pair.node, document, entry):
        return Draft("suggest", note=why)
    beside = () if document.name == ".zattrs" else others_with_it(pair, entry)
    operations = (operation, *_other_copies(pair, document.name), *beside)
    seen = entry if isinstance(entry, Mapping) else {}
    as_before = all(document.value.get(one) == seen.get(one) for one in _OF_LENGTHS)
    split = "" if as_before else where_split(pair)
    return Draft(
        "unsafe" if split else "safe", operations, split or None, pair.consolidated.holder.key
    )


def _other_copies(pair: Pair, name: str) -> Iterator[Operation]:
    """Yield what copies the other documents of a node: with as many lengths as now and the names of before, xarray opens nothing."""
    seen = pair.consolidated.entry(pair.path, ".zarray")
    given = seen.get("shape") if isinstance(seen, Mapping) else None
    shape = pair.node.stored_shape if isinstance(pair.node, Array) else None
    if shape is None or not isinstance(given, list) or len(given) == len(shape):
        return
    for document in pair.stored:
        entry = pair.consolidated.entry(pair.path, document.name)
        if document.name == name or entry is None or not document.ok:
            continue
        if notes_only_in(entry, document.value):
            continue
        if differences(document, entry) and not why_not_copied(pair.node, document, entry):
            yield replace(pair.pointer(document.name), copied(document))


def why_not_copied(node: Node | None, document: Document, entry: Any = None) -> str:
    """Return what has to be done before a document is copied into an entry; nothing where it can be.

    Parameters
    ----------
    node : Node or None
        The node of the document.
    document : Document
        What is copied.
    entry : object, optional
        What is there now.
    """
    from nz_explorer.values.contents import refusal

    if not isinstance(node, Array):
        given = document.value
        # without its document readers do not see a group; at such an entry they stop, and see nothing at all
        needed = _OF_A_GROUP.get(document.name, {})
        ill = any(given.get(member) != value for member, value in needed.items())
        return (
            f"mend {document.key} first: zarr-python opens nothing where an entry says the same"
            if ill
            else ""
        )
    if document.name != ".zattrs":
        why, there = refusal(node), "" if entry is None else ", or write what the entry has there"
        return f"mend {document.key} first, which zarr-python refuses{there}: {why}" if why else ""
    named = isinstance(entry, Mapping) and NAMES in entry and bool(node.stored_shape)
    return (
        f"write {NAMES} into {document.key} first, as the entry has it: without it xarray opens nothing"
        if named and NAMES not in document.value
        else ""
    )


def _names_only_in(entry: Any, pair: Pair, document: Document) -> list[Any]:
    """Return the names that an entry of Zarr v3 has for the dimensions, where the document has null, or an empty text, for some."""
    if not isinstance(pair.node, Array) or document.name != "zarr.json":
        return []
    seen = entry.get("dimension_names") if isinstance(entry, Mapping) else None
    given = document.value.get("dimension_names")
    if not isinstance(seen, list) or not isinstance(given, list):
        return []
    fits = len(seen) == len(given) == pair.node.ndim
    return seen if fits and all(seen) and not all(given) else []


def _names_written(names: list[Any], pair: Pair, document: Document, operation: Operation) -> Draft:
    """Return what writes names of dimensions where they belong, and copies the rest of the document into the entry."""
    whole = {**operation["value"], "dimension_names": names}
    entry = Draft("safe", ({**operation, "value": whole},), document=pair.consolidated.holder.key)
    stale = pair.consolidated.entry(pair.path, document.name) != whole
    written = (replace("/dimension_names", names),)
    return Draft("safe", written, document=document.key, also=(entry,) if stale else ())


def notes_only_in(entry: Any, stored: Mapping[str, Any]) -> dict[str, Any]:
    """Return what netCDF-C noted that an entry of Zarr v2 alone still has, as where xarray wrote the attributes of the root again.

    Parameters
    ----------
    entry
        What the consolidated metadata have.
    stored : mapping
        What the document has.
    """
    if not isinstance(entry, Mapping):
        return {}
    lost = {key: value for key, value in entry.items() if key not in stored}
    own = {*chain.from_iterable(nczarr.KEYS.values())}
    kept = {key: value for key, value in lost.items() if key in (*own, nczarr.PROPERTIES)}
    return kept if own.intersection(kept) else {}


def _notes_written(noted: dict[str, Any], pair: Pair, document: Document) -> Draft:
    """Return what writes them where they belong: nowhere else is it known which dimensions were unlimited."""
    note = (
        f"only the consolidated metadata still have what netCDF-C noted in {document.key}: it belongs back there, with the lengths"
        " that the arrays have now; then the consolidated metadata can be written again"
    )
    now = as_long_as_now(pair, noted)
    written = tuple(add(pointers.join("", key), value) for key, value in now.items())
    return Draft("suggest", written, note, document.key)


def as_long_as_now(pair: Pair, noted: Mapping[str, Any]) -> dict[str, Any]:
    """Return attributes, of which those that netCDF-C noted of a group have dimensions as long as all arrays that have them.

    It refuses a dataset with other lengths.

    Parameters
    ----------
    pair : Pair
        The node as stored and as consolidated.
    noted : mapping
        Attributes as they were.
    """
    group = pair.node
    nodes = group.hierarchy.walk(group.path) if isinstance(group, Group) else ()
    found = nczarr_lengths.lengths_along(one for one in nodes if isinstance(one, Array))
    return {key: _with_lengths(value, below(pair.path), found) for key, value in noted.items()}


def _with_lengths(noted: Any, stem: str, found: Mapping[str, set[int]]) -> Any:
    dimensions = noted.get("dimensions") if isinstance(noted, Mapping) else None
    if not isinstance(dimensions, Mapping):
        return noted
    now = dict(dimensions)
    for name, size in dimensions.items():
        lengths = found.get(stem + name, set())
        if len(lengths) == 1:
            now[name] = nczarr_lengths.with_length(size, *lengths)
    return {**noted, "dimensions": now}
