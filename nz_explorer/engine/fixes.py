"""Fixes as RFC 6902 patches, bundled with the consolidated entries that they would make stale."""

from __future__ import annotations

import copy
import dataclasses
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import jsonpatch
import jsonpointer

from nz_explorer.documents import pointers
from nz_explorer.model.dialects import nczarr
from nz_explorer.model.paths import below

if TYPE_CHECKING:
    from nz_explorer.model import Hierarchy, Node

Safety = Literal["safe", "unsafe", "suggest"]
Operation = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Draft:
    """A fix as a rule puts it: operations whose pointers are those of the report.

    Parameters
    ----------
    safety
        ``safe``: neither the data nor what any convention reads from them can change; ``unsafe``: something is
        read differently afterwards; ``suggest``: a person has to choose.
    operations
        RFC 6902 operations. For v2 the pointers begin with the document's name.
    note
        What else a person should know.
    document
        Key of the document, where it is not one of a node.
    node
        The node whose documents are meant, where that is not the one with the finding.
    also
        What belongs to it on other nodes.
    rewrites
        Whether it is to write the document again, as it says what it says: without a byte order mark, or other escapes.
    """

    safety: Safety
    operations: tuple[Operation, ...] = ()
    note: str | None = None
    document: str | None = None
    node: Node | None = None
    also: tuple[Draft, ...] = ()
    rewrites: bool = False


@dataclass(frozen=True, slots=True)
class Change:
    """A patch on one document."""

    document: str
    patch: tuple[Operation, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return what the JSON report holds."""
        return {"document": self.document, "patch": [dict(operation) for operation in self.patch]}


@dataclass(frozen=True, slots=True)
class Fix:
    """What would cure a finding.

    Attributes
    ----------
    safety : str
        ``safe``, ``unsafe`` or ``suggest``.
    document : str
        Key of the document to change.
    patch : tuple of dict
        RFC 6902 operations on it.
    note : str or None
        What else a person should know.
    also : tuple of Change
        Changes that belong to it: the consolidated copy of the same document.
    rewrites : bool
        Whether it is to write the document again, which no patch does: a byte order mark and escapes of characters are no
        part of what the JSON says.
    """

    safety: Safety
    document: str
    patch: tuple[Operation, ...]
    note: str | None = None
    also: tuple[Change, ...] = ()
    rewrites: bool = False

    @property
    def changes(self) -> tuple[Change, ...]:
        """All its patches, each with the document that it changes."""
        return (Change(self.document, self.patch), *self.also)

    @property
    def can_be_applied(self) -> bool:
        """Whether it can be applied, and is not only advice."""
        return self.rewrites or any(change.patch for change in self.changes)

    def to_dict(self) -> dict[str, Any]:
        """Return what the JSON report holds."""
        result: dict[str, Any] = {
            "safety": self.safety,
            "document": self.document,
            "patch": [dict(operation) for operation in self.patch],
        }
        if self.note is not None:
            result["note"] = self.note
        if self.also:
            result["also"] = [change.to_dict() for change in self.also]
        return result


def add(pointer: str, value: Any) -> Operation:
    """Return the operation that adds a value.

    Parameters
    ----------
    pointer : str
        RFC 6901 pointer to where the value will be.
    value : object
        A JSON value.
    """
    return {"op": "add", "path": pointer, "value": plain(value)}


def replace(pointer: str, value: Any) -> Operation:
    """Return the operation that replaces a value.

    Parameters
    ----------
    pointer : str
        RFC 6901 pointer to the value.
    value : object
        The JSON value that takes its place.
    """
    return {"op": "replace", "path": pointer, "value": plain(value)}


def remove(pointer: str) -> Operation:
    """Return the operation that removes a value."""
    return {"op": "remove", "path": pointer}


def move(origin: str, pointer: str) -> Operation:
    """Return the operation that renames a member.

    Parameters
    ----------
    origin : str
        RFC 6901 pointer to the member.
    pointer : str
        Where it will be.
    """
    return {"op": "move", "from": origin, "path": pointer}


def set_attribute(node: Node, name: str, value: Any) -> tuple[Operation, ...]:
    """Return the operations that give a node an attribute, also where it has none yet.

    Parameters
    ----------
    node : Node
        The node.
    name : str
        Name of the attribute.
    value : object
        A JSON value.
    """
    pointer = node.attribute_pointer(name)
    holder = node.attributes_document
    if holder is None or (
        node.zarr_format == 3 and not isinstance(node.metadata.get("attributes"), dict)
    ):
        return (add(node.attribute_pointer(), {name: value}),)
    return ((replace if name in node.attributes else add)(pointer, value),)


def plain(value: Any) -> Any:
    """Return a JSON value with NaN and infinities by their names, as JSON has no numbers for them."""
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value


def finish(draft: Draft, node: Node) -> Fix:
    """Turn a rule's draft into patches on documents.

    Parameters
    ----------
    draft : Draft
        What the rule proposes.
    node : Node
        The node whose documents it speaks of.

    Returns
    -------
    Fix
        With the consolidated entries that would be stale otherwise.
    """
    if draft.also:
        parts = [finish(part, node) for part in (dataclasses.replace(draft, also=()), *draft.also)]
        others = [change for part in parts for change in part.changes][1:]
        return dataclasses.replace(parts[0], also=tuple(others))
    if draft.document is not None:
        return Fix(
            draft.safety, draft.document, draft.operations, draft.note, rewrites=draft.rewrites
        )
    node = draft.node or node
    stem = below(node.path)[1:]
    changes: dict[str, list[Operation]] = {}
    operations = _made_once(
        (*draft.operations, *_types_alike(draft.operations, node)), node.attribute_pointer()
    )
    if (new := _keep_attributes(operations, node)) is not None:
        # what a note says of attributes that are made is not so of those that are kept
        note = "; ".join(filter(None, (draft.note if new else None, _KEPT)))
        draft = dataclasses.replace(draft, safety="suggest", note=note)
    for operation in operations:
        name, inner = _split(node, operation)
        changes.setdefault(name, []).append(inner)
    if not changes:
        main = node.main_document
        changes[main.name if main is not None else "zarr.json"] = []
    done = [Change(stem + name, tuple(operations)) for name, operations in changes.items()]
    entries = [
        entry
        for name, operations in changes.items()
        if (entry := _entry_change(node, name, operations)) is not None
    ]
    first, *others = [*done, *entries]
    return Fix(draft.safety, first.document, first.patch, draft.note, tuple(others), draft.rewrites)


_STRINGS = "|S128"
"""The type that netCDF-C notes of a list of texts, of whatever length."""


def _types_alike(operations: tuple[Operation, ...], node: Node) -> Iterator[Operation]:
    """Yield what keeps the types that netCDF-C notes of attributes in step with these, unless the rule does."""
    place = nczarr.find(node, "attr") if node.zarr_format == 2 else None
    types = place.member("types")[1] if place is not None and place.read else None
    if place is None or not isinstance(types, dict):
        return
    if any(operation["path"].startswith(place.pointer) for operation in operations):
        return
    typed = {node.attribute_pointer(name): name for name in types}
    for operation in operations:
        does, pointer = operation["op"], operation["path"]
        *holder, name = pointers.split(pointer) or [""]
        is_attribute = pointers.join("", *holder) == node.attribute_pointer()
        here = place.at("types", name)
        if does == "move" and operation["from"] in typed:
            old = place.at("types", typed[operation["from"]])
            yield move(old, here) if is_attribute else remove(old)
        elif does == "remove" and pointer in typed:
            yield remove(here)
        elif does == "replace" and pointer in typed:
            late = _type_of(name, operation["value"], node)
            becomes_list = late == _STRINGS and isinstance(node.attributes.get(name), str)
            if late is not None and (becomes_list or _is_of_text(late) != _is_of_text(types[name])):
                yield replace(here, late)
        elif does == "add" and is_attribute and pointer not in typed:
            late = _type_of(name, operation["value"], node)
            if late is not None and not nczarr.is_hidden(name):
                yield add(here, late)


def _type_of(name: str, value: Any, node: Node) -> str | None:
    """Return the type that netCDF-C notes of texts, numbers and JSON; None for all else, whose type it guesses."""
    dtype = node.metadata.get("dtype")
    if name == "_FillValue" and isinstance(dtype, str):
        return dtype
    if isinstance(value, str):
        return None if value in ("NaN", "Infinity", "-Infinity") else ">S1"
    values = value if isinstance(value, list) else [value]
    kinds = {type(one) for one in values}
    if kinds == {str}:
        return _STRINGS
    if kinds & {dict, list}:
        return ">S1"
    if kinds == {int}:
        return "<i4" if all(-(2**31) <= one < 2**31 for one in values) else "<i8"
    return "<f8" if float in kinds and kinds <= {int, float} else None


def _is_of_text(spelled: Any) -> bool:
    return isinstance(spelled, str) and ("S" in spelled or "J" in spelled)


def _made_once(operations: tuple[Operation, ...], holder: str) -> list[Operation]:
    """Return the operations with the object of attributes made once, where several make it.

    A node that has none gets it with its first attribute; the next one would take its place.
    """
    result: list[Operation] = []
    made: Operation | None = None
    for operation in operations:
        makes = operation["op"] == "add" and operation["path"] == holder
        if makes and made is not None:
            made["value"] = {**made["value"], **operation["value"]}
            continue
        result.append(dict(operation))
        if makes:
            made = result[-1]
    return result


_KEPT = "with the attributes that the consolidated metadata still have"


def _keep_attributes(operations: list[Operation], node: Node) -> set[str] | None:
    """Give a .zattrs that is made what only its entry still has, which would be lost with it.

    Return the names of what the entry does not have; None where nothing is kept.
    """
    if node.zarr_format != 2 or node.document(".zattrs") is not None:
        return None
    found = find_entry(node.hierarchy, node.path, ".zattrs")
    entry = None if found is None else found[-1]
    if not isinstance(entry, dict) or not entry:
        return None
    kept = {name: plain(value) for name, value in entry.items() if value is not None}
    made = [one for one in operations if (one["op"], one["path"]) == ("add", "/.zattrs")]
    new = {name for operation in made for name in operation["value"]} - set(kept)
    for operation in made:
        operation["value"] = {**kept, **operation["value"], **kept}  # in the order of the entry
    return new if made else None


def _split(node: Node, operation: Operation) -> tuple[str, Operation]:
    """Return the document that an operation is on, and the operation with pointers inside it."""
    if node.zarr_format != 2:
        return "zarr.json", operation
    inner = dict(operation)
    name = ""
    for key in ("path", "from"):
        if key in inner:
            name, slash, rest = inner[key].removeprefix("/").partition("/")
            inner[key] = slash + rest  # a member without a name is not the whole document
    return name, inner


def _entry_change(node: Node, name: str, operations: list[Operation]) -> Change | None:
    """Return the same change for the consolidated copy of a document, if there is one."""
    found = find_entry(node.hierarchy, node.path, name)
    if found is None or not operations:
        return None
    document, pointer, entry = found
    own = node.document(name)
    before = own.value if own is not None and own.ok else {}
    try:
        after = jsonpatch.apply_patch(copy.deepcopy(before), operations)
        patched = jsonpatch.apply_patch(copy.deepcopy(entry), operations)
    except (jsonpatch.JsonPatchException, jsonpointer.JsonPointerException):
        patched = after = None
    if after is None:
        return None
    after = {key: value for key, value in after.items() if key != "consolidated_metadata"}
    if entry is None:
        return Change(document, (add(pointer, after),))
    if patched != after:  # the entry is stale already: it takes the whole document
        return Change(document, (replace(pointer, after),))
    return Change(
        document,
        tuple(
            {
                **operation,
                **{key: pointer + operation[key] for key in ("path", "from") if key in operation},
            }
            for operation in operations
        ),
    )


def find_entry(hierarchy: Hierarchy, path: str, name: str) -> tuple[str, str, Any] | None:
    """Return where the consolidated copy of a document is, and the copy.

    Parameters
    ----------
    hierarchy : Hierarchy
        Where the node belongs.
    path : str
        The node.
    name : str
        The document, such as ``zarr.json``.

    Returns
    -------
    tuple or None
        Key of the consolidated document, pointer in it, and the entry; None where the store has no
        consolidated metadata or the node has no entry there.
    """
    consolidated = hierarchy.consolidated
    if consolidated is None or path not in consolidated:
        return None
    if consolidated.zarr_format == 3 and (name != "zarr.json" or path == "/"):
        return None
    pointer = consolidated.pointer(path, name)
    return consolidated.holder.key, pointer, consolidated.entry(path, name)
