"""Z3: what Zarr v3.1 asks of the members of an array: type, grid, keys, fill value, codecs."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from nz_explorer.conventions.zarr3.fill_values import declared_missing
from nz_explorer.conventions.zarr3.nodes import (
    MOST_ELEMENTS,
    UNREAD,
    V3,
    are_integers_or_booleans,
    empty_chunks,
    is_integer,
    left_out,
    may_be_ignored,
    missing,
    set_to,
    shown,
    whole_numbers,
)
from nz_explorer.conventions.zarr3.registered_extensions import (
    CHUNK_KEYS,
    PROPOSED_CHUNK_KEYS,
    UNREGISTERED_TYPES,
    URI_NAME,
)
from nz_explorer.conventions.zarr_versions import in_versions
from nz_explorer.documents import pointers
from nz_explorer.documents.json_text import json_text
from nz_explorer.engine.findings import Fail, FixMaker, Undecided
from nz_explorer.engine.fixes import Draft, add, move, remove, replace
from nz_explorer.engine.registry import rule
from nz_explorer.model import Array, codec_name, configuration_of
from nz_explorer.model.data_type import parse_v2, parse_v3
from nz_explorer.text.phrases import listed, plural

if TYPE_CHECKING:
    from nz_explorer.model import Node

COMMON = ("zarr_format", "node_type", "attributes")
GROUP_MEMBERS = frozenset((*COMMON, "consolidated_metadata"))
ARRAY_MEMBERS = frozenset(
    (
        *COMMON,
        "shape",
        "data_type",
        "chunk_grid",
        "chunk_key_encoding",
        "fill_value",
        "codecs",
        "storage_transformers",
        "dimension_names",
    )
)


V2_MEMBERS = ("dtype", "chunks", "compressor", "filters", "order", "dimension_separator")
"""Members of an array's document that Zarr v3 has under other names, or not at all."""
_DATES = re.compile(
    r"[<>|=]?(?P<kind>datetime64|timedelta64|M8|m8)\[(?P<step>\d*)(?P<unit>[a-zA-Zμ]+)\]"
)
"""How NumPy spells its dates and lengths of time."""
_LOOKED_UP_FIRST = ("data_type", "fill_value")
"""What zarr-python asks for before it looks whether there are members that it does not know."""
MANDATORY = ("shape", "data_type", "chunk_grid", "chunk_key_encoding", "fill_value", "codecs")
_OF_ARRAYS = frozenset({"shape", "data_type", "chunk_grid"})
"""Members that tell an array, whatever it says that it is."""
_SIMILAR = 0.8
"""How similar an unknown member must be to a missing one to be taken for a misspelling."""


@rule("Z3-DOC-004", on="node", formats=V3)
def unknown_member(node: Node) -> Iterator[Fail]:
    """Fail on members that readers must understand and cannot."""
    known = ARRAY_MEMBERS if node.kind == "array" else GROUP_MEMBERS
    if node.kind == "group" and node.metadata.keys() >= _OF_ARRAYS:
        yield Fail(
            "/node_type",
            'node_type is "group", but the document is that of an array: it has shape, data_type and chunk_grid,'
            " so readers must not open the group",
            readers=None if "zarr_format" in node.metadata else {},
            fix=lambda _node: Draft("unsafe", (replace("/node_type", "array"),)),
        )
        return
    for member, value in node.metadata.items():
        if member in known or may_be_ignored(value):
            continue
        pointer = pointers.join("", member)
        meant = _meant(member, node)
        hint = f"; did you mean {meant}?" if meant else _belongs(member, value)
        of_arrays = node.kind == "group" and member in ARRAY_MEMBERS
        why = "a member of arrays only" if of_arrays else "not a member of Zarr v3"
        yield Fail(
            pointer,
            f"{json_text(member)} is {why}, so readers must not open this node{hint}",
            # of a group without zarr_format zarr-python takes what it knows
            readers={} if node.kind == "group" and "zarr_format" not in node.metadata else None,
            # Z3-DOC-007 has the fix for what Zarr v2 called so
            fix=None
            if node.kind == "array" and member in V2_MEMBERS
            else _respelled(member, meant)
            if meant
            else _into_attributes(member, pointer),
        )


def _meant(member: str, node: Node) -> str | None:
    """Return the member that is lacking and most likely meant by one that Zarr does not know."""
    known = ARRAY_MEMBERS if node.kind == "array" else GROUP_MEMBERS
    absent = [name for name in known if name not in node.metadata]
    found = [] if member in known else get_close_matches(member, absent, 1, _SIMILAR)
    return found[0] if found else None


def _respelled(member: str, right: str) -> FixMaker:
    """Return the fix that calls a member what it is meant to be, with the value that it has."""
    operation = move(pointers.join("", member), f"/{right}")
    return lambda _node: Draft("suggest", (operation,))


def _belongs(member: str, value: Any) -> str:
    """Say where attributes belong, of what may be one."""
    if member in ARRAY_MEMBERS or member in V2_MEMBERS or isinstance(value, dict):
        return ""
    return '; as an attribute it belongs in "attributes"'


def _into_attributes(member: str, pointer: str) -> Any:
    def fix(node: Node) -> Draft:
        if "attributes" not in node.metadata:
            moved = {member: node.metadata[member]}
            return Draft("unsafe", (remove(pointer), add("/attributes", moved)))
        if isinstance(node.metadata.get("attributes"), dict) and member not in node.attributes:
            return Draft("unsafe", (move(pointer, node.attribute_pointer(member)),))
        return Draft("unsafe", (remove(pointer),))

    return fix


def _fill_value(node: Node) -> Draft | None:
    """Return the fix that adds what the array declares as missing, else what zarr-python would have written."""
    if (declared := declared_missing(node)) is not None:
        return declared
    numpy = node.data_type.numpy if isinstance(node, Array) else None
    usual = None if numpy is None else _USUAL.get(numpy.kind)
    if usual is None:
        return None
    return Draft("suggest", (add("/fill_value", usual),), "chunks that were not written read so")


_USUAL: Mapping[str, Any] = {
    "b": False,
    "i": 0,
    "u": 0,
    "f": 0.0,
    "c": [0.0, 0.0],
    "T": "",
    "O": "",
}
"""Fill values that zarr-python writes unless it is told another one, by NumPy's kind of data type."""
_MISSING: Mapping[str, FixMaker] = {
    "fill_value": _fill_value,
    "chunk_key_encoding": lambda _node: Draft(
        "suggest",
        (add("/chunk_key_encoding", {"name": "default", "configuration": {"separator": "/"}}),),
        "if the keys of chunks are like c/0/0",
    ),
}


@rule("Z3-DOC-003", on="array", formats=V3)
def mandatory_members(array: Array) -> Iterator[Fail]:
    """Require the members that are needed to read an array."""
    refused = any(
        name not in ARRAY_MEMBERS and not may_be_ignored(value)
        for name, value in array.metadata.items()
    )
    for member in MANDATORY:
        if member not in array.metadata:
            misspelt = [name for name in array.metadata if _meant(name, array) == member]
            found = Fail(
                f"/{member}",
                f"{member} is missing",
                fix=_respelled(misspelt[0], member) if misspelt else _MISSING.get(member),
            )
            told = refused and member not in _LOOKED_UP_FIRST  # by Z3-DOC-004
            yield dataclasses.replace(found, **({"readers": {}} if told else left_out(array)))


@rule("Z3-DT-001", on="array", formats=V3, provides="data type")
def data_type_form(array: Array) -> Iterator[Fail | Undecided]:
    """Require a name, or an object with one."""
    yield from missing(array, "data_type")
    if "data_type" in array.metadata and array.data_type.status == "malformed":
        given = array.metadata["data_type"]
        name = given.get("name") if isinstance(given, dict) else None
        plain = parse_v3(name) if isinstance(name, str) else None
        if plain is None or plain.status != "core" or not isinstance(given, dict):
            yield Fail("/data_type", f"not a valid data type: {array.data_type.text}")
            return
        settings = given.get("configuration")
        what = (
            f"{name} has no setting {listed(map(json_text, settings))}"
            if isinstance(settings, dict)
            else f"the configuration of {name} is {shown(settings)}, and a configuration is an object"
        )
        yield Fail(
            "/data_type",
            f"{what}: core types are given by their name alone",
            fix=set_to("/data_type", name, "suggest"),
        )


@rule("Z3-DT-001", on="array", formats=V3, needs=("data type",))
def core_type_form(array: Array) -> Iterator[Fail]:
    """Warn of an object where a core type has its name alone, and note one that zarr-python does not read."""
    given = array.metadata.get("data_type")
    if isinstance(given, dict) and array.data_type.status == "core":
        yield Fail(
            "/data_type",
            f"data_type {shown(given)}: core types are given by their name alone",
            severity="warning",
            fix=set_to("/data_type", array.data_type.name)
            if not given.keys() - {"name", "configuration"}
            else None,
        )
    elif _is_bare_object(given) and array.data_type.kind in ("string", "bytes"):
        yield Fail(
            "/data_type",
            f"data_type {shown(given)} is the same as its name alone to the specification, and zarr-python reads only that",
            severity="info",
            impact="blocks",
            fix=set_to("/data_type", array.data_type.name),
        )


def _is_bare_object(given: Any) -> bool:
    """Whether an extension is an object that has nothing but a name, for which the name is a short form."""
    settings = given.get("configuration", {}) if isinstance(given, dict) else None
    return settings == {} and not given.keys() - {"name", "configuration"}


@rule("Z3-DT-002", on="array", formats=V3, needs=("data type",), provides="data type")
def data_type_known(array: Array) -> Iterator[Fail]:
    """Require a data type that others can look up."""
    given = array.metadata.get("data_type")
    if array.data_type.status != "unknown" or URI_NAME.fullmatch(array.data_type.name):
        return
    meant = parse_v2(given)
    if meant.status != "core" and isinstance(given, str):
        meant = parse_v3(given.strip().lower())
    known = meant.status in ("core", "registered")
    hint = f"; did you mean {meant.name}?" if known else ""
    yield Fail(
        "/data_type",
        f"{shown(given)} is not a registered data type; few readers can open the array{hint}",
        fix=set_to("/data_type", meant.name, "suggest", _byte_order(given))
        if meant.status == "core"
        else _dates_of_numpy(given),
    )


def _byte_order(given: Any) -> str | None:
    """Return where Zarr v3 has the byte order that a type string of NumPy begins with."""
    if not isinstance(given, str) or not given.startswith(">"):
        return None
    return 'the byte order is the endian of the codec bytes: it must be "big" if the values are stored so'


@rule("Z3-DT-002", on="array", formats=V3, needs=("data type",))
def types_of_fields_known(array: Array) -> Iterator[Fail]:
    """Require the same of each field of a structured type."""
    if array.data_type.kind == "struct":
        yield from _unknown_fields(array.metadata.get("data_type"), "/data_type")


_OF_ZARR_PYTHON = ("null_terminated_bytes", "raw_bytes", "variable_length_bytes")
"""What it writes, and reads, with a warning that the type has no specification."""


@rule("Z3-DT-002", on="array", formats=V3, needs=("data type",))
def written_before_registered(array: Array) -> Iterator[Fail]:
    """Require registration of types that programs write; what else is asked of these is known, and looked at."""
    name = array.data_type.name
    if name in UNREGISTERED_TYPES:
        yield _not_registered("/data_type", json_text(name), name)


def _not_registered(pointer: str, what: str, name: str) -> Fail:
    """Return that a type is not registered which programs write all the same."""
    known = name in _OF_ZARR_PYTHON
    like = "; registered is bytes" if name == "variable_length_bytes" else ""
    return Fail(
        pointer,
        f"{what} is not a registered data type; zarr-python writes and reads it, and other readers may not open the array{like}"
        if known
        else f"{what} is not a registered data type; few readers can open the array",
        impact="convention" if known else None,
        readers={} if known else None,
    )


def _unknown_fields(given: Any, pointer: str) -> Iterator[Fail]:
    fields = configuration_of(given).get("fields")
    for i, field in enumerate(fields if isinstance(fields, list) else ()):
        member: str | int = "data_type" if isinstance(field, dict) else 1
        name = field.get("name") if isinstance(field, dict) else field[0]
        inner, at = field[member], f"{pointer}/configuration/fields/{i}/{member}"
        found = parse_v3(inner)
        if found.status == "unknown":
            yield Fail(
                at,
                f"field {json_text(name)} has the type {shown(inner)}, which is not registered; few readers can open the array",
            )
        elif found.name in UNREGISTERED_TYPES:
            what = f"{json_text(found.name)}, the type of field {json_text(name)},"
            yield _not_registered(at, what, found.name)
        elif found.kind == "struct":
            yield from _unknown_fields(inner, at)


def _dates_of_numpy(given: Any) -> FixMaker | None:
    """Return the fix that spells dates of NumPy as they are registered."""
    found = _DATES.fullmatch(given) if isinstance(given, str) else None
    if found is None:
        return None
    name = "numpy.datetime64" if found["kind"] in ("datetime64", "M8") else "numpy.timedelta64"
    configuration = {"unit": found["unit"], "scale_factor": int(found["step"] or 1)}
    return set_to("/data_type", {"name": name, "configuration": configuration}, "suggest")


@rule("Z3-GRID-001", on="array", formats=V3, provides="chunk shape")
def grid_shape(array: Array) -> Iterator[Fail | Undecided]:
    """Require the chunk shape of a regular grid."""
    yield from missing(array, "chunk_grid")
    grid = array.metadata.get("chunk_grid", {})
    if not isinstance(grid, dict):
        yield Fail("/chunk_grid", f"chunk_grid must be an object, got {shown(grid)}")
    elif grid.get("name") == "regular":
        given = configuration_of(grid).get("chunk_shape")
        if not isinstance(given, list) or not all(map(is_integer, given)):
            got = "" if given is None else f", got {shown(given)}"
            yield Fail(
                "/chunk_grid/configuration/chunk_shape",
                f"a regular chunk grid needs configuration.chunk_shape, a list of integers{got}",
                readers=_of_chunk_shape(array, given),
                fix=None
                if (meant := whole_numbers(given)) is None or 0 in meant
                else set_to("/chunk_grid/configuration/chunk_shape", meant),
            )
        elif max(given, default=0) > MOST_ELEMENTS:
            yield Fail(
                "/chunk_grid/configuration/chunk_shape",
                f"chunk_shape is {shown(given)}, and 2**63 - 1 is the most that readers count to",
                severity="warning",
                readers=dict.fromkeys(
                    ("zarr-python", "xarray"),
                    "raises ValueError when a chunk that is stored is read",
                ),
            )


def _of_chunk_shape(array: Array, given: Any) -> dict[str, str] | None:
    """Return what readers do with a chunk shape that is no list of integers, where the rule's entry does not say it."""
    if isinstance(given, list) and are_integers_or_booleans(given):
        return {} if all(given) else UNREAD  # false is 0 in Python
    if is_integer(given) and given > 0 and array.ndim == 1:  # before, it is a list of one
        return in_versions("since 3.2", "raises TypeError")
    return None


def _chunk_shape(array: Array) -> list[int]:
    grid = array.metadata.get("chunk_grid")
    regular = isinstance(grid, dict) and grid.get("name") == "regular"
    return list(grid["configuration"]["chunk_shape"]) if regular and isinstance(grid, dict) else []


def _is_regular(array: Array) -> bool:
    grid = array.metadata.get("chunk_grid")
    return isinstance(grid, dict) and grid.get("name") == "regular"


@rule("Z3-GRID-002", on="array", formats=V3, needs=("shape", "chunk shape"))
def grid_rank(array: Array) -> Iterator[Fail]:
    """Require one chunk length per dimension."""
    if (
        _is_regular(array)
        and array.shape is not None
        and len(_chunk_shape(array)) != len(array.shape)
    ):
        yield Fail(
            "/chunk_grid/configuration/chunk_shape",
            f"chunk_shape has {plural(len(_chunk_shape(array)), 'entry')} for {plural(len(array.shape), 'dimension')}",
            fix=chunk_of_scalar(array),
        )


def chunk_of_scalar(array: Array) -> FixMaker | None:
    """Return the fix that gives a scalar the chunk of one, where that given has one value as well.

    Parameters
    ----------
    array : Array
        An array on a regular grid.
    """
    if array.shape != () or any(length != 1 for length in _chunk_shape(array)):
        return None
    note = "the chunk of a scalar is called c; one that was written as c/0 is to be renamed so"
    return lambda _node: Draft(
        "suggest", (replace("/chunk_grid/configuration/chunk_shape", []),), note
    )


@rule("Z3-GRID-003", on="array", formats=V3, needs=("chunk shape",))
def grid_positive(array: Array) -> Iterator[Fail]:
    """Require chunks with at least one element."""
    yield from empty_chunks(array, _chunk_shape(array), "/chunk_grid/configuration/chunk_shape")


@rule("Z3-KEY-001", on="array", formats=V3)
def chunk_keys(array: Array) -> Iterator[Fail]:
    """Require a chunk key encoding that readers know. A configuration that is not an object is Z3-EXT-002."""
    given = array.metadata.get("chunk_key_encoding", "default")
    name = given.get("name") if isinstance(given, dict) else given
    separator = configuration_of(given).get("separator", "/")
    if isinstance(name, str) and name in PROPOSED_CHUNK_KEYS:
        yield Fail(
            "/chunk_key_encoding",
            f"chunk key encoding {name} is proposed, and not registered: few readers know it",
        )
    elif isinstance(given, dict) and name is None:
        yield Fail("/chunk_key_encoding", 'chunk_key_encoding has no name, such as "default"')
    elif not isinstance(name, str) or not (name in CHUNK_KEYS or URI_NAME.fullmatch(name)):
        yield Fail("/chunk_key_encoding", f"chunk key encoding {shown(given)} is not registered")
    elif name in CHUNK_KEYS and separator not in ("/", "."):
        yield Fail(
            "/chunk_key_encoding/configuration/separator",
            f'the separator of chunk keys must be "/" or ".", got {shown(separator)}',
        )


@rule("Z3-CODEC-001", on="array", formats=V3, provides="codecs")
def codecs_list(array: Array) -> Iterator[Fail | Undecided]:
    """Require at least one codec."""
    yield from missing(array, "codecs")
    given = array.metadata.get("codecs", ["absent"])
    if not isinstance(given, list) or not given:
        plain = given == [] and array.data_type.kind in ("int", "uint", "float")
        yield Fail(
            "/codecs",
            f"codecs must be a list with at least one codec, got {shown(given)}",
            fix=_bytes_alone if plain else None,
        )


def _bytes_alone(_node: Node) -> Draft:
    codec = {"name": "bytes", "configuration": {"endian": "little"}}
    note = "so zarrita writes chunks where it is given no codec; add the compressor if they are compressed"
    return Draft("suggest", (replace("/codecs", [codec]),), note)


_WITH_CODECS = frozenset({"sharding_indexed", "n5_default", "conditional"})
"""Codecs that have codecs among their settings."""


def all_codecs(codecs: list[Any], pointer: str, depth: int = 0) -> Iterator[tuple[str, Any]]:
    """Yield the codecs of a chain with those inside of others, each with its pointer.

    Parameters
    ----------
    codecs : list
        The chain, as the document has it.
    pointer : str
        RFC 6901 pointer to the chain.
    depth : int, optional
        How many codecs it is in already.
    """
    for i, codec in enumerate(codecs):
        yield f"{pointer}/{i}", codec
        configuration = configuration_of(codec)
        if configuration and codec_name(codec) in _WITH_CODECS and depth < 8:
            for member in ("codecs", "index_codecs"):
                inner = configuration.get(member)
                if isinstance(inner, list):
                    yield from all_codecs(inner, f"{pointer}/{i}/configuration/{member}", depth + 1)
