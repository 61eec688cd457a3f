"""Z2: which members the documents of groups and arrays have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from functools import partial
from typing import Any

from nz_explorer.conventions.zarr2.codecs import in_form_of_v2
from nz_explorer.conventions.zarr3.nodes import CRASHES, NCZARR_ERROR, is_integer
from nz_explorer.documents import pointers
from nz_explorer.documents.json_text import json_text
from nz_explorer.engine.findings import Fail, FixMaker
from nz_explorer.engine.fixes import Draft, Safety, add, move, remove, set_attribute
from nz_explorer.engine.registry import rule
from nz_explorer.model import Array, Node
from nz_explorer.model.dialects import nczarr

V2 = (2,)
MANDATORY = (
    "zarr_format",
    "shape",
    "chunks",
    "dtype",
    "compressor",
    "fill_value",
    "order",
    "filters",
)
NULLABLE = ("filters", "fill_value")
_NOT_SEEN = {
    "zarr-python": "does not see the array, or raises an error when it is opened by its path",
    "xarray": "opens the group without the array",
}
READERS_WITHOUT: dict[str, dict[str, str]] = {
    "compressor": {},
    "filters": {},
    "zarr_format": _NOT_SEEN | CRASHES,
    "shape": _NOT_SEEN | NCZARR_ERROR,
    "dtype": _NOT_SEEN | NCZARR_ERROR,
    "chunks": {
        "zarr-python": "raises an error when it opens the array",
        "xarray": "raises an error, and opens nothing of the group",
        "netCDF-C": "fails when it reads the values, or shows wrong ones: it takes the lengths from memory that nobody has set",
    },
    "order": {
        "zarr-python": "raises an error when it opens the array",
        "xarray": "raises an error, and opens nothing of the group",
        **CRASHES,
    },
}
"""What readers do without a member, where that is not what the rule's entry says."""
UNSEEN_WITHOUT = ("zarr_format", "shape", "dtype")
"""Members without which zarr-python and xarray see no array."""
ARRAY_MEMBERS = frozenset((*MANDATORY, "dimension_separator"))
ALIKE = 0.8
"""How alike a key and a member that is not there must be for the one to be a misspelling of the other, from 0 to 1."""
NCZARR = frozenset(key for keys in nczarr.KEYS.values() for key in keys)
"""The members that netCDF-C up to 4.9.2 put into these documents."""
_HOMES = {
    ".zgroup": (*nczarr.KEYS["superblock"], *nczarr.KEYS["group"]),
    ".zarray": nczarr.KEYS["array"],
    ".zattrs": nczarr.KEYS["attr"],
}
"""Into which of the documents it put them."""


@rule("Z2-ARR-002", on="array", formats=V2)
def mandatory_members(array: Array) -> Iterator[Fail]:
    """Require the members of .zarray, none of which has a default."""
    seems_v2 = array.metadata.get("zarr_format", 2) == 2  # at which zarr-python looks first
    known = array.metadata.keys()
    misspelt = {_meant(member, ARRAY_MEMBERS - known) for member in known - ARRAY_MEMBERS}
    for member in MANDATORY:
        if member not in array.metadata:
            readers = READERS_WITHOUT.get(member)
            if member == "chunks" and readers is not None and nczarr.is_scalar(array):
                readers = {name: readers[name] for name in readers if name != "netCDF-C"}
            # of one dimension netCDF-C finds some length in that memory, of more it fails
            misread = member == "chunks" and "netCDF-C" in (readers or {})
            shown = misread and len(array.stored_shape or ()) == 1
            if readers and misread and not shown:
                readers = {**readers, "netCDF-C": f"refuses the dataset, {readers['netCDF-C']}"}
            others = tuple(name for name in readers or () if name != "netCDF-C")
            yield Fail(
                f"/.zarray/{member}",
                f"{member} is missing from .zarray",
                # null would take the place of what Z2-ARR-003 moves there
                fix=None if member in misspelt else _added(member, array),
                readers=readers,
                impact="values" if shown or member in UNSEEN_WITHOUT else None,
                stops=others if shown else ("netCDF-C",) if member in UNSEEN_WITHOUT else (),
                hidden_from=tuple(_NOT_SEEN) if member in UNSEEN_WITHOUT and seems_v2 else (),
            )


def _added(member: str, array: Array) -> FixMaker | None:
    """Add what nearly every program writes: null, or C, which is the same as F in chunks with one length of more than 1."""
    pointer = f"/.zarray/{member}"
    if member == "order":
        lengths = array.chunk_shape
        same = lengths is not None and sum(length > 1 for length in lengths) < 2
        safety: Safety = "safe" if same else "suggest"
        return lambda _node: Draft(safety, (add(pointer, "C"),))
    if member not in NULLABLE:
        return None
    if member == "filters":
        return lambda _node: Draft("safe", (add(pointer, None),))
    note = "null says that chunks which were not written have no value of their own"
    return lambda _node: Draft("suggest", (add(pointer, None),), note)


@rule("Z2-ARR-003", on="array", formats=V2)
def extra_members(array: Array) -> Iterator[Fail]:
    """Require that there are no unknown members."""
    words = "other keys MUST NOT be present (so OGC 21-050r1; today's text: SHOULD NOT)"
    yield from other_keys(array, ARRAY_MEMBERS, words)


def _harm_of_key(node: Node, member: str) -> dict[str, Any]:
    """Return what is to be said of a key that zarr-python looks at in .zgroup, though it is not of Zarr v2."""
    if isinstance(node, Array):
        return {}
    if member == "shape" and not node.is_root:
        does = "takes the group for an array, and raises KeyError or TypeError where it is opened by its path"
        return {"impact": "blocks", "readers": {"zarr-python": does}}
    if member == "node_type" and node.metadata[member] not in ("group", None):
        return {"impact": "blocks", "readers": _NO_GROUP}
    if member == "consolidated_metadata" and (given := node.metadata[member]):
        inline = isinstance(given, dict) and given.get("kind") == "inline"
        if not inline or not isinstance(given.get("metadata"), dict):
            does = "cannot open the group"
            return {"impact": "blocks", "readers": {"zarr-python": does, "xarray": does}}
        does = "sees of the group what this member lists, and nothing else"
        # zarr-python, where it comes from above, does not ask it
        opened = {"zarr-python": does} if node.is_root else {}
        return {"impact": "blocks", "readers": {**opened, "xarray": does}}
    return {}


_NO_GROUP = {
    "zarr-python": "does not take it for a group, and raises GroupNotFoundError, ContainsArrayError or AssertionError",
    "xarray": "cannot open the group",
}


def other_keys(node: Node, known: frozenset[str], words: str) -> Iterator[Fail]:
    """Return the keys of a document that the specification does not have.

    Parameters
    ----------
    node : Node
        The group or array.
    known : frozenset of str
        The keys that it may have.
    words : str
        What the text says of others.
    """
    document = node.main_document
    of_v1 = _compressor_of_v1(node)
    # with one of them right and others missing, zarr-python refuses the group, which it does not before
    misspelt = {
        member: meant
        for member in node.metadata.keys() - known - NCZARR
        if not (of_v1 and member in _OF_V1)
        and (meant := _meant(member, known - node.metadata.keys()))
    }
    for member in node.metadata:
        if member in known or document is None:
            continue
        pointer = pointers.join(f"/{document.name}", member)
        if member in NCZARR:
            home = next(home for home, keys in _HOMES.items() if member in keys)
            here = "here" if home == document.name else f"into {home}"
            yield Fail(
                pointer,
                f"{document.name} has {json_text(member)}, which netCDF-C up to 4.9.2 wrote {here}",
                severity="info",
            )
        elif of_v1 and member in _OF_V1:
            yield Fail(
                pointer,
                f"{document.name} has the key {json_text(member)}, which is one of Zarr v1 and which readers ignore: Zarr v2 has compressor",
                fix=lambda _node: of_v1,
            )
        elif meant := misspelt.get(member):
            yield Fail(
                pointer,
                f"{document.name} has the key {json_text(member)}, which readers ignore; did you mean {meant}?",
                fix=partial(_named_right, {member: meant} | misspelt, document.name),
            )
        else:
            yield Fail(
                pointer,
                f"{document.name} has the key {json_text(member)}, and {words}{_whose(member)}",
                **_harm_of_key(node, member),
                fix=partial(_without, member, pointer),
            )


_OF_V1 = ("compression", "compression_opts")
"""What Zarr v1 had in place of a compressor: its name, and its level or an object of settings."""


def _compressor_of_v1(node: Node) -> Draft | None:
    """Return the compressor that the keys of Zarr v1 describe, None where there is one, or they describe none."""
    name, settings = (node.metadata.get(member) for member in _OF_V1)
    if "compression" not in node.metadata or "compressor" in node.metadata:
        return None
    if is_integer(settings):
        settings = {"level": settings}
    codec = in_form_of_v2({"name": name, "configuration": settings or {}})
    if codec is None and name not in (None, "none"):
        return None
    gone = (remove(pointers.join("/.zarray", one)) for one in _OF_V1 if one in node.metadata)
    return Draft("suggest", (*gone, add("/.zarray/compressor", codec)), "look at the values then")


def _named_right(meant: Mapping[str, str], document: str, _node: Node) -> Draft:
    """Give keys the names that they should have; of two for one name the first."""
    first = {new: old for old, new in reversed([*meant.items()])}
    moves = (
        move(pointers.join("", document, old), pointers.join("", document, new))
        for new, old in first.items()
    )
    return Draft("suggest", tuple(moves), "look at the values then")


def _meant(member: str, missing: frozenset[str]) -> str | None:
    """Return the key, of those that are missing, that a document has under another name."""
    alike = get_close_matches(member, missing, 1, ALIKE)
    named = _NAMED_IN_V3.get(member)
    return alike[0] if alike else named if named in missing else None


_NAMED_IN_V3 = {"data_type": "dtype", "chunk_shape": "chunks"}
"""Keys that Zarr v3 calls otherwise, where what they hold has the same form."""
_OF_V3 = frozenset(
    (
        "chunk_grid",
        "chunk_key_encoding",
        "codecs",
        "consolidated_metadata",
        "data_type",
        "dimension_names",
        "node_type",
        "storage_transformers",
    )
)
"""Members of zarr.json that are no attributes."""


def _whose(member: str) -> str:
    """Return where a key belongs, as an addition to a message."""
    if member == "consolidated_metadata":
        return ""
    if member in ARRAY_MEMBERS:
        return "; it is a key of .zarray"
    return "; it is a key of Zarr v3" if member in _OF_V3 else "; attributes belong in .zattrs"


def _without(member: str, pointer: str, node: Node) -> Draft:
    """Take a key away that readers ignore; what may be meant as attributes goes where they belong."""
    value = node.metadata[member]
    if member == "dimension_names" and isinstance(node, Array) and _are_names(value, node):
        named = set_attribute(node, "_ARRAY_DIMENSIONS", value)
        return Draft("suggest", (remove(pointer), *named), "which Zarr v2 has in _ARRAY_DIMENSIONS")
    misspelled = get_close_matches(member, ARRAY_MEMBERS, 1, ALIKE)  # of one that is there, too
    if member in _OF_V3 or member in ARRAY_MEMBERS or misspelled:
        return Draft("unsafe", (remove(pointer),))
    listed = member == "attributes" and isinstance(value, dict)
    meant = value if listed else {member: value}
    there = node.document(".zattrs")
    if there is not None and not isinstance(there.value, dict):
        return Draft("suggest", note="move it to .zattrs, once that is an object")
    held = node.attributes
    other = [name for name in meant if name in held and held[name] != meant[name]]
    if other:
        return Draft(
            "suggest", note=f".zattrs says something else of {other[0]}: keep one of them there"
        )
    new = {name: meant[name] for name in meant if name not in held}
    moved = tuple(add(node.attribute_pointer(name), one) for name, one in new.items())
    if there is None and new:
        moved = (add("/.zattrs", new),)
    note = "it goes to .zattrs, where attributes belong" if new else None
    return Draft("unsafe", (remove(pointer), *moved), note)


def _are_names(given: Any, array: Array) -> bool:
    """Whether they are the names of an array's dimensions, of which its attributes say none."""
    named = "_ARRAY_DIMENSIONS" in array.attributes or not isinstance(given, list)
    return not named and len(given) == array.ndim and all(isinstance(one, str) for one in given)
