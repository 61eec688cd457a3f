"""Hierarchies of very many documents that differ in little, made of the conformance corpus."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from nz_explorer.model import Hierarchy, Node, open_store
from nz_explorer.model.templates import Templates
from tests.corpus.cases import CASES, contents

DOCUMENTS = ("zarr.json", ".zarray", ".zgroup", ".zattrs", ".nczarr", ".nczgroup", ".nczarray")
ROOTS = {
    3: {"zarr.json": b'{"zarr_format": 3, "node_type": "group"}'},
    2: {".zgroup": b'{"zarr_format": 2}', ".zattrs": b'{"_nczarr_superblock": {"version": "2"}}'},
}
TOKENS = (
    *(
        "0",
        "0.0",
        "-0.0",
        "-0",
        "1",
        "1.0",
        "1e0",
        "true",
        "false",
        "null",
        "2.5",
        "-9999.0",
        "-9999",
    ),
    *("1e400", "-1e400", "NaN", "Infinity", "9007199254740993", "9223372036854775808", "1e16"),
    *(
        "18446744073709551616",
        "10000000000000000",
        '""',
        '"NaN"',
        '"a.b"',
        '"x"',
        '"\\ud800"',
        '"\\u003a"',
    ),
    *(
        "[]",
        "[null]",
        "[1, 1.0]",
        "[true]",
        "[[1]]",
        "{}",
        '{"_FillValue": 1}',
        '"NZ-1.0"',
        '"CF-1.8"',
    ),
)
"""Values as JSON spells them, many of which only just differ."""

Json = Any
Subtree = dict[str, bytes]
"""Keys and documents below some group."""


def subtrees() -> list[Subtree]:
    """Return the documents of each case of the corpus."""
    found = [
        {k: raw for k, raw in contents(case).items() if k.rpartition("/")[2] in DOCUMENTS}
        for case in CASES
    ]
    return [documents for documents in found if documents]


def _places(value: Json, place: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    yield place
    inner: Iterable[tuple[str | int, Json]] = ()
    if isinstance(value, dict):
        inner = value.items()
    elif isinstance(value, list):
        inner = enumerate(value)
    for key, item in inner:
        yield from _places(item, (*place, key))


def _spelled(value: Json) -> str:
    """Write JSON in which texts that begin with @ are tokens to be written as they are."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(k)}: {_spelled(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_spelled, value)) + "]"
    return value[1:] if isinstance(value, str) and value.startswith("@") else json.dumps(value)


def _attributes() -> list[tuple[str, Json]]:
    found: dict[str, tuple[str, Json]] = {}
    for documents in subtrees():
        for raw in documents.values():
            try:
                value = json.loads(raw)
            except (ValueError, RecursionError):
                continue
            held = value.get("attributes", value) if isinstance(value, dict) else None
            if isinstance(held, dict):
                found.update((f"{k}{v!r}", (k, v)) for k, v in held.items())
    return list(found.values())


ATTRIBUTES = _attributes()
"""Names and values that attributes and members have anywhere in the corpus."""


def twin(raw: bytes, choice: random.Random) -> bytes:
    """Return a document that differs in one place: a value, its spelling, a member, or the order of members."""
    try:
        value = json.loads(raw)
    except (ValueError, RecursionError):
        return raw
    places = [place for place in _places(value) if place]
    if not places:
        return raw
    *way, last = choice.choice(places)
    holder = value
    for key in way:
        holder = holder[key]
    match choice.randrange(8):
        case 0 if isinstance(holder, dict):
            holder.pop(last, None)
        case 1 if isinstance(holder, dict):
            holder[last] = holder.pop(last, None)  # at the end now
        case 2 | 3:
            if isinstance(value, dict):
                inner = value.get("attributes")
                held = inner if isinstance(inner, dict) else value
                name, given = choice.choice(ATTRIBUTES)
                held[name] = given
        case _:
            holder[last] = f"@{choice.choice(TOKENS)}"  # type: ignore[index]
    return _spelled(value).encode()


def company(given: Iterable[Subtree], root: Subtree) -> Subtree:
    """Return one store with a group for each subtree."""
    return dict(root) | {
        f"c{i}/{key}": raw for i, documents in enumerate(given) for key, raw in documents.items()
    }


def with_twins(zarr_format: int, number: int, every: int = 1, seed: int = 0) -> list[Subtree]:
    """Return the subtrees of the corpus of a format, and near twins of them, some at other places."""
    choice = random.Random(seed)
    found = [
        documents
        for documents in subtrees()
        if (zarr_format == 3) == any(key.endswith("zarr.json") for key in documents)
    ][::every]
    for documents in choice.choices(found, k=number):
        key = choice.choice(sorted(documents))
        changed = documents | {key: twin(documents[key], choice)}
        if choice.random() < 0.2:  # called like a dimension, perhaps its own; or further down
            way = choice.choice(("x/", "y/", "time/", "x/x/"))
            changed = {way + key.rpartition("/")[2]: documents[key]}
        found.append(changed)
    return found


def spellings(arrays: int) -> list[Subtree]:
    """Return arrays of the corpus with each of the `TOKENS` as fill value, stored and declared."""
    found: dict[str, Json] = {}
    for documents in subtrees():
        for key, raw in documents.items():
            try:
                value = json.loads(raw) if key.endswith("/zarr.json") else None
            except (ValueError, RecursionError):
                continue
            if isinstance(value, dict) and "codecs" in value:
                found.setdefault(str(value.get("data_type")), value)
    return [
        {"a/zarr.json": _spelled({**value, "fill_value": f"@{one}", "attributes": held}).encode()}
        for value in list(found.values())[:arrays]
        for one in TOKENS
        for held in ({}, {"_FillValue": f"@{one}"})
    ]


def _as_entries(documents: Subtree) -> dict[str, bytes]:
    """Return the documents that can be part of another one to the letter: what is JSON, perhaps with 1e400.

    Without half characters, and without colons in names beside others that are escapes: because of them a large
    document would be decoded as a small one is.
    """
    found = {}
    for key, raw in documents.items():
        if ":" in key:
            continue
        try:
            json.loads(raw.decode(), parse_constant=int)
            msgspec.json.decode(raw, type=msgspec.Raw)
        except (ValueError, RecursionError):
            continue
        if raw.count(b"[") < 50:  # deeper ones would make the whole unreadable
            found[key] = raw
    return found


def consolidated(documents: Subtree) -> Subtree:
    """Return the root of the same store with what it holds consolidated, to the letter."""
    entries = {
        key.removesuffix("/zarr.json"): raw
        for key, raw in _as_entries(documents).items()
        if key.endswith("/zarr.json")
    }
    inner = b", ".join(json.dumps(p).encode() + b": " + raw for p, raw in entries.items())
    held = b'{"kind": "inline", "must_understand": false, "metadata": {' + inner + b"}}"
    root = b'{"zarr_format": 3, "node_type": "group", "consolidated_metadata": ' + held + b"}"
    return {"zarr.json": root}


def consolidated_v2(documents: Subtree) -> Subtree:
    """Return the same of version 2."""
    inner = b", ".join(
        json.dumps(key).encode() + b": " + raw
        for key, raw in _as_entries(documents).items()
        if key.rpartition("/")[2] in (".zarray", ".zgroup", ".zattrs")
    )
    held = b'{"zarr_consolidated_format": 1, "metadata": {' + inner + b"}}"
    return {".zmetadata": held, **ROOTS[2]}


class _Forgetful(Templates):
    """Remembers nothing, so that no node is made like another one."""

    def remember(self, node: Node, raw: bytes, structure_key: bytes) -> None:
        pass

    def remember_long(self, node: Node, raw: bytes) -> None:
        pass


def opened(store: Path, *, sharing: bool = True) -> tuple[Hierarchy, list[Node]]:
    """Return a hierarchy with its nodes, the root left out; without sharing each is made by itself."""
    hierarchy = open_store(store)
    if not sharing:
        hierarchy.templates = _Forgetful()
    return hierarchy, [node for node in hierarchy.walk() if node.path != "/"]
