"""Z2: what Zarr v2 asks of the documents of groups and arrays, apart from types and fill values."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from difflib import get_close_matches
from functools import partial
from typing import TYPE_CHECKING, Any

from nz_explorer.conventions.netcdf_c import impact_of_netcdf
from nz_explorer.conventions.zarr2.codecs import unidentified
from nz_explorer.conventions.zarr3.nodes import (
    CRASHES,
    EMPTY,
    NCZARR_ERROR,
    REFUSED,
    is_integer,
    set_to,
    shown,
    wrong_format,
    wrong_lengths,
)
from nz_explorer.documents import pointers
from nz_explorer.documents.json_text import json_text
from nz_explorer.engine.findings import Fail, FixMaker
from nz_explorer.engine.fixes import Draft, add, move, remove, set_attribute
from nz_explorer.engine.registry import rule
from nz_explorer.model import Array
from nz_explorer.model.dialects import nczarr

if TYPE_CHECKING:
    from nz_explorer.engine.impact import Impact
    from nz_explorer.model import Group, Node

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
                fix=_add_null(member) if member in NULLABLE else None,
                readers=readers,
                impact="values" if shown or member in UNSEEN_WITHOUT else None,
                stops=others if shown else ("netCDF-C",) if member in UNSEEN_WITHOUT else (),
                hidden_from=tuple(_NOT_SEEN) if member in UNSEEN_WITHOUT and seems_v2 else (),
            )


def _add_null(member: str) -> FixMaker:
    pointer = f"/.zarray/{member}"
    if member == "filters":
        return lambda _node: Draft("safe", (add(pointer, None),))
    note = "null says that chunks which were not written have no value of their own"
    return lambda _node: Draft("suggest", (add(pointer, None),), note)


@rule("Z2-ARR-003", on="array", formats=V2)
def extra_members(array: Array) -> Iterator[Fail]:
    """Require that there are no unknown members."""
    words = "other keys MUST NOT be present (so OGC 21-050r1; today's text: SHOULD NOT)"
    yield from _extra(array, ARRAY_MEMBERS, words)


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
    "zarr-python": "does not take it for a group, and raises GroupNotFoundError or AssertionError",
    "xarray": "cannot open the group",
}


def _extra(node: Node, known: frozenset[str], words: str) -> Iterator[Fail]:
    document = node.main_document
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
        elif meant := _meant(member, known - node.metadata.keys()):
            right = pointers.join(f"/{document.name}", meant)
            yield Fail(
                pointer,
                f"{document.name} has the key {json_text(member)}, which readers ignore; did you mean {meant}?",
                fix=lambda _node, old=pointer, new=right: Draft(  # type: ignore[misc]  # bound now
                    "suggest", (move(old, new),), "look at the values then"
                ),
            )
        else:
            yield Fail(
                pointer,
                f"{document.name} has the key {json_text(member)}, and {words}{_whose(member)}",
                **_harm_of_key(node, member),
                fix=partial(_without, member, pointer),
            )


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


@rule("Z2-ARR-004", on="array", formats=V2)
def zarr_format(array: Array) -> Iterator[Fail]:
    """Require the member that identifies the specification of the document."""
    if "zarr_format" in array.metadata:  # else Z2-ARR-002
        given = array.metadata["zarr_format"]
        netcdf = _crash_at(given)
        if (
            isinstance(given, bool)
            or (is_integer(given) and given != 2)
            or _is_text_of_another(given)
        ):
            netcdf = NCZARR_ERROR
        for fail in wrong_format(array, 2):
            yield _hurts(fail, netcdf)


def _crash_at(given: Any) -> Mapping[str, str]:
    """Return what netCDF-C does with what is neither a text nor a number; nothing for others."""
    return CRASHES if given is None or isinstance(given, list | dict) else {}


NOT_FOUND = dict.fromkeys(
    ("zarr-python", "xarray"),
    "raises GroupNotFoundError for the root, unless told not to use consolidated metadata",
)
"""What becomes of a store with a consolidated entry that has no format."""
INVALID_ENTRY = dict.fromkeys(
    ("zarr-python", "xarray"),
    "raises MetadataValidationError for the root, unless told not to use consolidated metadata",
)
"""What becomes of a store with a consolidated entry of a group that has another format."""
_EMPTY = {"zarr-python": "finds nothing in it", "xarray": "does not show what is in it"}
"""What becomes of a group that is not said to be one of Zarr v2, unless the consolidated metadata list what is in it."""
_ALONE = dict.fromkeys(("xarray", "netCDF-C"), "shows the group without the array")
_GROUP_AT_ROOT: dict[str, Any] = {"impact": "values", "readers": _ALONE}
_TWO = re.compile(r"\s*\+?0*2(?!\d)")
"""How a text begins of which C reads the number 2."""


def _is_text_of_another(given: Any) -> bool:
    """Whether netCDF-C reads another number than 2; of 2.5 it reads 2."""
    return isinstance(given, str | float) and not _TWO.match(str(given))


def _refusal_of_root(group: Group) -> Mapping[str, str]:
    """Return what netCDF-C does with the format of a group, of which it looks at that of the root alone."""
    given = group.metadata.get("zarr_format")
    if group.path != "/":
        return {}
    if isinstance(given, bool) or (is_integer(given) and given != 2):
        return NCZARR_ERROR
    if nczarr.is_read(group, "superblock"):  # what else there is it does not need in its own
        return NCZARR_ERROR if _is_text_of_another(given) else {}
    if isinstance(given, str):
        return NCZARR_ERROR if given != "2" else {}
    return NCZARR_ERROR if type(given) is float else _crash_at(given)


def _hurts(fail: Fail, netcdf: Mapping[str, str]) -> Fail:
    """Add what netCDF-C does with a wrong format."""
    if not netcdf:
        return fail
    others = REFUSED if fail.readers is None else fail.readers
    # where others see an empty group, it alone refuses the dataset
    empty = fail.impact == "values"
    return replace(
        fail,
        readers={**others, **netcdf},
        impact="values" if empty else "blocks",
        stops=tuple(netcdf) if empty else (),
    )


def _as_consolidated(group: Group, fail: Fail) -> Fail:
    """Add what becomes of a group of another format where zarr-python goes by consolidated metadata, of which the root is not looked at."""
    if group.hierarchy.consolidated is None or fail.readers != EMPTY:
        return fail
    if group.path == "/":
        return replace(fail, impact="convention", readers={})
    return replace(fail, impact="blocks", readers=INVALID_ENTRY)


@rule("Z2-ARR-005", on="array", formats=V2, provides="shape")
def shape(array: Array) -> Iterator[Fail]:
    """Require a list of non-negative lengths."""
    yield from wrong_lengths(array, "shape")


def _is_codec(given: Any) -> bool:
    return isinstance(given, dict) and isinstance(given.get("id"), str)


@rule("Z2-ARR-007", on="array", formats=V2)
def compressor(array: Array) -> Iterator[Fail]:
    """Require null, or a codec with its id."""
    given = array.metadata.get("compressor")
    if given is not None and not _is_codec(given):
        said = 'compressor must be null or an object with an "id"'
        yield unidentified("/.zarray/compressor", given, said)


@rule("Z2-ARR-008", on="array", formats=V2)
def filters(array: Array) -> Iterator[Fail]:
    """Require null, or a list of codecs with their ids."""
    given = array.metadata.get("filters")
    if given is not None and not isinstance(given, list):
        said = f"filters must be null or a list, got {shown(given)}"
        readers = {"netCDF-C": "refuses the dataset: Filter error"} if given in ({}, "") else None
        yield Fail("/.zarray/filters", said, readers=readers)
        return
    if given == []:
        yield Fail(
            "/.zarray/filters",
            "filters is an empty list, which is valid; netCDF-C up to 4.10 crashes on it, but not on null",
            severity="info",
            impact=impact_of_netcdf(array),
            readers={"netCDF-C": "crashes the process (4.10)"},
            fix=set_to("/.zarray/filters", None),
        )
    for i, codec in enumerate(given or ()):
        if not _is_codec(codec):
            yield unidentified(
                f"/.zarray/filters/{i}", codec, f'filter {i} must be an object with an "id"'
            )


@rule("Z2-ARR-009", on="array", formats=V2)
def order(array: Array) -> Iterator[Fail]:
    """Require C or F; column-major order is valid, but not read everywhere."""
    given = array.metadata.get("order", "C")
    if given == "F":
        # where one length of chunks at most is more than 1, both orders are the same
        if (array.ndim or 0) > 1 and sum(length > 1 for length in array.chunk_shape or (2, 2)) > 1:
            yield Fail(
                "/.zarray/order",
                'order "F" is valid, but netCDF-C up to 4.10 returns such data in the wrong order',
                severity="info",
            )
    elif given != "C":
        meant = "C" if given is None else given.upper() if given in ("c", "f") else None
        yield Fail(
            "/.zarray/order",
            f'order must be "C" or "F", got {shown(given)}',
            impact="blocks",
            readers={
                "zarr-python": "raises ValueError: Expected one of ('C', 'F')",
                "xarray": "cannot open the group",
                **_crash_at(given),
            },
            fix=set_to("/.zarray/order", meant, "safe" if given else "suggest") if meant else None,
        )


@rule("Z2-GRP-002", on="group", formats=V2)
def group_members(group: Group) -> Iterator[Fail]:
    """Require a group's document to have zarr_format and nothing else."""
    main = group.main_document
    if main is None or main.name != ".zgroup":
        return
    if "zarr_format" not in group.metadata:
        consolidated = group.hierarchy.consolidated
        if group.path == "/":
            found = _no_format(_EMPTY if consolidated is None else {})
            yield _hurts(found, _refusal_of_root(group))
        elif consolidated is not None:  # else the harm depends on what is in it
            entry = consolidated.entry(group.path, ".zgroup")
            lost = isinstance(entry, Mapping) and "zarr_format" not in entry
            if lost or consolidated.child_names(group.path):
                yield _no_format(NOT_FOUND if lost else _EMPTY)
            else:
                yield _no_format({})
    else:
        for fail in wrong_format(group, 2):
            yield _hurts(_as_consolidated(group, fail), _refusal_of_root(group))
    known = {"zarr_format"}
    if main.origin == "consolidated":  # zarr-python puts an empty one into each consolidated entry
        known.add("consolidated_metadata")
    if group.metadata.keys() >= set(MANDATORY):
        yield _document_of_an_array(group)
    else:
        yield from _extra(group, frozenset(known), "other keys MUST NOT be present")


def _document_of_an_array(group: Group) -> Fail:
    """Return that a .zgroup has all that a .zarray has to have."""
    empty = "shows an empty group"
    readers = dict.fromkeys(("zarr-python", "xarray", "netCDF-C"), empty)
    unnamed = "_ARRAY_DIMENSIONS" not in group.attributes
    if not group.is_root:  # of what is in a group zarr-python goes by the members
        readers["zarr-python"] = "lists an array, and finds none at its path"
        del readers["xarray"]
        if unnamed:
            readers["xarray"] = "raises an error, and opens nothing of the group above"
    return Fail(
        "/.zgroup/shape",
        ".zgroup has all the keys of a .zarray, which in a group MUST NOT be present: most likely it is one under another name",
        impact="values",
        readers=readers,
        stops=("xarray",) if unnamed and not group.is_root else (),
        fix=lambda _node: Draft("suggest", note="rename .zgroup to .zarray, if it is an array"),
    )


def _no_format(readers: Mapping[str, str]) -> Fail:
    impact: Impact = "blocks" if readers is NOT_FOUND else "values" if readers else "convention"
    return Fail(
        "/.zgroup/zarr_format",
        "zarr_format is missing from .zgroup",
        impact=impact,
        readers=readers,
        fix=lambda _node: Draft("safe", (add("/.zgroup/zarr_format", 2),)),
    )


@rule("Z2-GRP-002", on="members", formats=V2)
def group_below_has_a_format(group: Group) -> Iterator[Fail]:
    """Require the format of a group below the root, which zarr-python and xarray find empty without it."""
    main = group.main_document
    if group.path == "/" or main is None or main.name != ".zgroup" or not main.ok:
        return
    if "zarr_format" not in group.metadata and group.hierarchy.consolidated is None:
        yield _no_format(_EMPTY if group.children else {})


@rule("Z2-GRP-003", on="array", formats=V2)
def not_a_group_too(array: Array) -> Iterator[Fail]:
    """Warn of a path that is both an array and a group, which a root is opened as."""
    if array.document(".zgroup") is not None:
        yield Fail(
            "",
            f"{array.path} has both .zarray and .zgroup: readers take it for an array, others may show a group",
            **_GROUP_AT_ROOT if array.is_root else {},
            fix=lambda _node: Draft("suggest", note="delete .zgroup, or .zarray if it is a group"),
        )


@rule("Z2-KEY-001", on="name", formats=V2)
def ascii_name(name: str) -> Iterator[Fail]:
    """Require names of ASCII characters, of which keys consist."""
    if not name.isascii():
        yield Fail(
            "",
            f"name {json_text(name)} is not ASCII, as keys of a Zarr v2 store are",
            fix=lambda _node: Draft(
                "unsafe",
                note="rename it; programs and attributes that use the old name no longer find it",
            ),
        )
