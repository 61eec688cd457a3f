"""Hostile input, made by choices: of hypothesis in the tests, of atheris in `fuzz`.

Each case opens what was made and looks at all of it. It ends well or in an error that speaks of the source;
any other exception is a mistake of ours.
"""

from __future__ import annotations

import copy
import functools
import io
import json
import queue
import re
import threading
import zipfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol, TypeVar
from unittest import mock

import numpy as np

import nz_explorer as nz
from nz_explorer.conventions import evaluate
from nz_explorer.documents import decoding
from nz_explorer.model import Array, Node, NodeNotFound, open_store
from nz_explorer.netcdf import cdl
from nz_explorer.plots import make
from nz_explorer.report import tree_text
from nz_explorer.report.formats import render
from nz_explorer.store import Listing, Reader, ReadError, SourceError
from nz_explorer.store.reader import check_key
from nz_explorer.store.resolve import DOCUMENTS
from nz_explorer.testing.corpus.cases import cases, contents
from nz_explorer.text.printable import encodable, for_terminal
from nz_explorer.widget import protocol
from nz_explorer.widget.panels.registry import PAGES
from nz_explorer.widget.session import Session

T = TypeVar("T")

EXPECTED = (SourceError, ReadError, NodeNotFound)
"""Errors that speak of the source."""

FORMS = ("text", "markdown", "html", "sarif")

GROUP: dict[str, Any] = {
    "zarr_format": 3,
    "node_type": "group",
    "attributes": {
        "zarr_conventions": [{"name": "NZ-1.0", "uuid": "x", "spec_url": "https://e.org/s"}],
        "title": "a",
    },
}
ARRAY: dict[str, Any] = {
    "zarr_format": 3,
    "node_type": "array",
    "shape": [4, 6],
    "data_type": "float32",
    "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2, 3]}},
    "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
    "fill_value": "NaN",
    "codecs": [
        {"name": "bytes", "configuration": {"endian": "little"}},
        {"name": "zstd", "configuration": {"level": 0, "checksum": False}},
    ],
    "attributes": {
        "_FillValue": -9999.0,
        "units": "days since 2000-01-01",
        "scale_factor": 0.1,
        "valid_range": [0, 1],
        "flag_values": [1, 2],
        "flag_meanings": "a b",
        "grid_mapping": "crs",
        "coordinates": "y x",
    },
    "dimension_names": ["y", "x"],
}
COORDINATE: dict[str, Any] = {
    **ARRAY,
    "shape": [6],
    "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [6]}},
    "dimension_names": ["x"],
    "attributes": {"units": "m", "standard_name": "longitude"},
}
V2_ARRAY: dict[str, Any] = {
    "zarr_format": 2,
    "shape": [4, 6],
    "chunks": [2, 3],
    "dtype": "<f4",
    "compressor": {"id": "zlib", "level": 1},
    "fill_value": None,
    "order": "C",
    "filters": [{"id": "shuffle", "elementsize": 4}],
    "dimension_separator": ".",
}
V2_ATTRIBUTES: dict[str, Any] = {
    "_ARRAY_DIMENSIONS": ["y", "x"],
    "_nczarr_array": {"dimension_references": ["/y", "/x"], "storage": "chunked"},
    "_nczarr_attr": {"types": {"units": "<f4"}},
    "units": "m",
    "_FillValue": -1,
}
V2_GROUP_ATTRIBUTES: dict[str, Any] = {
    "_nczarr_superblock": {"version": "2.0.0"},
    "_nczarr_group": {"dimensions": {"y": 4, "x": 6}, "arrays": ["a"], "groups": ["g"]},
}

V3: dict[str, Any] = {
    "zarr.json": {
        **GROUP,
        "consolidated_metadata": {
            "kind": "inline",
            "must_understand": False,
            "metadata": {"a": ARRAY, "x": COORDINATE, "g": GROUP, "g/b": ARRAY},
        },
    },
    "a/zarr.json": ARRAY,
    "x/zarr.json": COORDINATE,
    "g/zarr.json": GROUP,
    "g/b/zarr.json": ARRAY,
}
V2: dict[str, Any] = {
    ".zgroup": {"zarr_format": 2},
    ".zattrs": V2_GROUP_ATTRIBUTES,
    "a/.zarray": V2_ARRAY,
    "a/.zattrs": V2_ATTRIBUTES,
    "g/.zgroup": {"zarr_format": 2},
    ".zmetadata": {
        "zarr_consolidated_format": 1,
        "metadata": {
            ".zgroup": {"zarr_format": 2},
            ".zattrs": V2_GROUP_ATTRIBUTES,
            "a/.zarray": V2_ARRAY,
            "a/.zattrs": V2_ATTRIBUTES,
        },
    },
}

MARKUP = '<img src=x onerror="alert(1)"><script>alert(2)</script>'
NAMES = (
    "..",
    ".",
    "",
    "../../etc/passwd",
    "/etc/passwd",
    "a/../../b",
    "C:\\windows",
    "con",
    "\x1b[31mred\x1b[0m\x07",
    "\u202egnp.exe",
    "\u2066x\u2069",
    "=cmd|' /C calc'!A0",
    "@SUM(1)",
    MARKUP,
    "javascript:alert(1)",
    "__proto__",
    "constructor",
    "zarr.json",
    "c",
    "\ud800",
    "\x00",
    "a" * 5000,
    "é",
    "e\u0301",
)
VALUES: tuple[Any, ...] = (
    None,
    True,
    0,
    -1,
    1,
    2**31,
    2**53 + 1,
    2**63,
    2**64,
    10**30,
    10**400,
    1e308,
    -0.0,
    "",
    "NaN",
    "Infinity",
    "0x7fc00000",
    "pickle",
    "<f8",
    "|O",
    ">i8",
    "<M8[ns]",
    "|V999999999",
    "<U999999999",
    "float64",
    "string",
    "int2",
    {"name": "numpy.datetime64", "configuration": {"unit": "as", "scale_factor": 2**31}},
    {"name": "pickle"},
    {"id": "pickle"},
    {"name": "gzip", "configuration": {"level": 99}},
    {"name": "sharding_indexed", "configuration": {"chunk_shape": [1, 1], "codecs": []}},
    {"name": "transpose", "configuration": {"order": [9, 9]}},
    {"name": "struct", "configuration": {"fields": [["a", "int8"], ["a", "float64"]]}},
    [],
    {},
    [[]],
    [None],
    [0],
    [-1],
    [2**40, 2**40],
    [1] * 64,
    ["x", "x"],
    [1.5, "2", None, {}],
    *NAMES,
)


class Choices(Protocol):
    """Where the choices come from."""

    def integer(self, low: int, high: int) -> int:
        """Return an integer, both ends included."""

    def data(self, most: int) -> bytes:
        """Return some bytes."""


def pick(choices: Choices, among: Sequence[T]) -> T:
    return among[choices.integer(0, len(among) - 1)]


# --- making -------------------------------------------------------------------------------------


def places(value: Any) -> list[tuple[Any, Any]]:
    """Return every container with every key of it."""
    found: list[tuple[Any, Any]] = []
    if isinstance(value, dict):
        items: Any = list(value.items())
    elif isinstance(value, list):
        items = list(enumerate(value))
    else:
        return found
    for key, inner in items:
        found.append((value, key))
        found += places(inner)
    return found


def changed(choices: Choices, document: Any) -> Any:
    """Return a document with a few hostile changes."""
    document = copy.deepcopy(document)
    for _ in range(choices.integer(1, 4)):
        inside = places(document)
        if not inside:
            return document
        holder, key = pick(choices, inside)
        what = choices.integer(0, 4)
        if what == 0:
            del holder[key]
        elif what == 1 and isinstance(holder, dict):
            holder[pick(choices, NAMES)] = holder.pop(key)
        elif what == 2:
            holder[key] = copy.deepcopy(
                holder[pick(choices, [k for h, k in inside if h is holder])]
            )
        else:
            holder[key] = copy.deepcopy(pick(choices, VALUES))
    return document


def garbled(choices: Choices, text: bytes) -> bytes:
    """Return bytes with some of them changed, doubled or lost."""
    data = bytearray(text)
    for _ in range(choices.integer(0, 3)):
        at = choices.integer(0, len(data))
        what = choices.integer(0, 4)
        if what == 0:
            del data[at:]
        elif what == 1:
            data[at:at] = choices.data(8)
        elif what == 2:
            data[at:at] = data[at : at + choices.integer(0, 200)]
        elif what == 3:
            del data[at : at + choices.integer(1, 8)]
        else:
            token = (
                b"NaN",
                b"-Infinity",
                b"\xff",
                b"\xef\xbb\xbf",
                b"[[" * 40,
                b"1e999",
                b"\\ud800",
            )
            data[at:at] = pick(choices, token)
    return bytes(data)


def store_of(choices: Choices) -> dict[str, bytes]:
    """Return the documents of a store, some of them hostile."""
    base = pick(choices, (V3, V2))
    store = {key: json.dumps(document).encode() for key, document in base.items()}
    for _ in range(choices.integer(1, 3)):
        key = pick(choices, list(base))
        text = json.dumps(changed(choices, base[key])).encode("utf-8", "surrogatepass")
        store[key] = garbled(choices, text) if choices.integer(0, 3) == 0 else text
    if choices.integer(0, 5) == 0:
        store.pop(pick(choices, list(store)))
    return store


@functools.cache
def corpus() -> tuple[list[dict[str, bytes]], dict[Any, list[Any]]]:
    """Return the stores of the conformance corpus, and what their documents say, by the name of the member."""
    stores = [contents(case) for case in cases() if case.get("listable", True)]
    said: dict[Any, list[Any]] = {}
    for store in stores:
        for key in documents_in(store):
            for holder, member in places(parsed(store[key])):
                if isinstance(member, str):
                    said.setdefault(member, []).append(holder[member])
    return stores, said


def documents_in(store: dict[str, bytes]) -> list[str]:
    """Return the keys of documents that are JSON."""
    return [key for key, raw in store.items() if key.split("/")[-1] in DOCUMENTS and parsed(raw)]


def parsed(raw: bytes) -> Any:
    """Return what a document says, None if it is no JSON."""
    try:
        return json.loads(raw)
    except (ValueError, RecursionError):
        return None


def spliced(choices: Choices, document: Any) -> Any:
    """Return a document some of whose members say what others of that name do, or what no member should."""
    _, said = corpus()
    document = copy.deepcopy(document)
    for _ in range(choices.integer(1, 3)):
        inside = places(document)
        if not inside:
            break
        holder, key = pick(choices, inside)
        what = choices.integer(0, 3)
        if what == 0 and isinstance(holder, dict):
            key = pick(choices, list(said))
        holder[key] = copy.deepcopy(
            pick(choices, said[key] if key in said and what < 3 else VALUES)
        )
    return document


# --- looking ------------------------------------------------------------------------------------


class Memory(Reader):
    """Reads what is in memory, without the event loop that takes most of the time elsewhere."""

    def __init__(self, data: dict[str, bytes]) -> None:
        super().__init__("memory", "memory")
        self.data = data

    def get_many(self, keys: Sequence[str], cancel: Any = None, **limits: Any) -> list[Any]:
        answers: list[Any] = []
        for key in keys:
            try:
                check_key(key)
                answers.append(self.data.get(key))
            except ReadError as error:
                answers.append(error)
        return answers

    def list_many(
        self, prefixes: Sequence[str], cancel: Any = None, limit: Any = None
    ) -> list[Any]:
        stems = [f"{prefix}/" if prefix else "" for prefix in prefixes]
        return [
            Listing(
                tuple(
                    sorted(
                        {
                            key[len(stem) :].split("/")[0]
                            for key in self.data
                            if key.startswith(stem)
                        }
                    )
                )
            )
            for stem in stems
        ]

    def open_zarr_store(self) -> Any:
        from zarr.core.buffer import default_buffer_prototype
        from zarr.storage import MemoryStore

        make = default_buffer_prototype().buffer.from_bytes
        return MemoryStore({key: make(data) for key, data in self.data.items()})


def look_at(source: Any, *, values: bool = False, render_as: Sequence[str] = ()) -> None:
    """Open a source and do with it all that the command line and the widget do."""
    try:
        hierarchy = open_store(source)
        evaluation = evaluate(hierarchy, values="coordinates" if values else "none")
        evaluation.run()
        mistakes = [one for one in evaluation.not_evaluated() if "internal error" in one.reason]
        assert not mistakes, mistakes
        report = nz.Report(evaluation)
        json.dumps(report.to_dict(), allow_nan=False)
        for form in render_as:
            check_text(render([report], form), form)
        for line in tree_text.lines(hierarchy, None):
            check_text(line)
        for node in hierarchy.walk():
            for cdl_line in cdl(node):
                check_text(for_terminal(cdl_line.text))
                encodable(cdl_line.text).encode()
            if values and isinstance(node, Array):
                make(hierarchy, node, {}, width=64, height=64, budget=1 << 20)
    except EXPECTED:
        return


def check_text(text: str, form: str = "text") -> None:
    """Look for what would act on a terminal, or run in a browser."""
    text.encode()
    if form == "text":
        acting = [c for c in text if c not in "\n\t" and not c.isprintable()]
        assert not acting, f"{acting[0]!r} in {text[:2000]!r}"
    if form == "markdown":  # in code nothing is read as HTML
        text = re.sub(r"(`+).+?\1", "", text)
    if form in ("html", "markdown"):
        assert "<img src=x" not in text
        assert "<script>alert" not in text


# --- cases --------------------------------------------------------------------------------------


def documents(choices: Choices) -> None:
    """Metadata documents with members that are wrong, huge, doubled, missing or no JSON."""
    forms = FORMS if choices.integer(0, 15) == 0 else ()
    look_at(Memory(store_of(choices)), render_as=forms)


def splice(choices: Choices) -> dict[str, bytes]:
    """Return a store of the conformance corpus that took over members of others."""
    stores, _ = corpus()
    store = dict(pick(choices, stores))
    known = documents_in(store)
    for _ in range(choices.integer(1, 3) if known else 0):
        key = pick(choices, known)
        text = json.dumps(spliced(choices, parsed(store[key])))
        store[key] = text.encode("utf-8", "surrogatepass")
    return store


def splices(choices: Choices) -> None:
    """Stores of the conformance corpus that took over members of one another; their values are read, too."""
    look_at(Memory(splice(choices)), values=True)


def talks(choices: Choices) -> None:
    """The same stores in an explorer, where each node is selected and everything there is clicked."""
    heard: queue.Queue[dict[str, Any]] = queue.Queue()

    def take(message: dict[str, Any], _buffers: Any) -> None:
        if message["kind"] == "reply":
            heard.put(message)

    session = Session(evaluate(open_store(Memory(splice(choices)))), take, budget=1 << 20)
    try:
        session.start()
        nodes = list(session.evaluation.hierarchy.walk())
        for node in nodes[:8]:
            for method, params in clicks(choices, node):
                session.receive({"kind": "request", "id": 1, "method": method, "params": params})
                answer = heard.get(timeout=20)
                assert answer["ok"] or answer["error"]["code"] != "internal", (
                    method,
                    params,
                    answer,
                )
    finally:
        session.close()


def clicks(choices: Choices, node: Node) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the requests that a person's clicks on a node send, with the views that its dimensions allow."""
    here = {"path": node.path}
    yield "node", here
    yield "document", here
    yield "netcdf", here
    yield "findings", {**here, "below": True}
    yield "thumbnails", {"paths": [node.path]}
    for page in sorted(PAGES.keys() - {"readers"}):  # which runs other programs
        yield "page", {**here, "name": page}
    if not isinstance(node, Array):
        yield "table", here
        yield "scatter", here
        return
    axes = [node.dimension_label(axis) for axis in range(node.ndim or 0)] or ["dim_0"]
    view: dict[str, Any] = {}
    for name in ("x", "y"):
        if choices.integer(0, 2) == 0:
            view[name] = pick(choices, axes)
    if choices.integer(0, 2) == 0:
        view["reduce"] = {pick(choices, axes): pick(choices, ("mean", "min", "max", "std", "any"))}
    if choices.integer(0, 4) == 0:
        view["against"] = {pick(choices, axes): 0}
    index = {pick(choices, axes): choices.integer(-1, 3)}
    yield "picture", {**here, "width": 64, "height": 64}
    yield "picture", {**here, **view, "index": index}
    yield "lines", here
    yield "table", {**here, "view": view}
    if (node.size_bytes or 0) > 64 << 20:
        return  # what is asked for is given, in as much memory as that takes
    yield "scan", {**here, "action": "start"}
    for form in ("png", "svg", "npy", "csv", "nc"):
        yield "export", {**here, "format": form, "view": view, "index": index}
    along = pick(choices, axes)
    yield (
        "locate",
        {**here, "dimension": along, "value": pick(choices, ("0", "2000-01-01", "next month"))},
    )
    yield "complete", {**here, "dimension": along, "value": "2"}
    yield "series", {**here, "dimension": along, "pins": [dict.fromkeys(axes, 0)]}
    yield "series_file", {**here, "dimension": along, "pins": [{}], "format": "nc"}


def limits(choices: Choices) -> None:
    """The same documents where almost nothing is allowed: they are read alike, or too much is said."""
    store = store_of(choices)
    raw = store[pick(choices, list(store))]
    plain, problems = decoding.decode(raw)
    low = {
        "LAZY_BYTES": 0,
        "FEW_MEMBERS": 0,
        "BLOCK": choices.integer(1, 200),
        **{
            name: choices.integer(0, 2000)
            for name in ("MAX_BYTES", "MAX_BYTES_OF_HOLDER", "MAX_VALUES", "MAX_VALUES_OF_HOLDER")
        },
        "MAX_ENTRIES": choices.integer(0, 20),
    }
    with mock.patch.multiple(decoding, **low):
        value, found = decoding.decode(raw)
        if "limit" in [problem.kind for problem in found]:  # the whole is too much, or an entry
            assert value is None or all(problem.pointer for problem in found)
            look_at(Memory(store))
            return
    # Members of the holder may be in another order.
    assert json.dumps(whole(value), sort_keys=True) == json.dumps(plain, sort_keys=True)
    assert [(p.kind, p.pointer) for p in found] == [(p.kind, p.pointer) for p in problems]


def whole(value: Any) -> Any:
    """Return a value with its consolidated entries decoded."""
    if isinstance(value, decoding.Entries):
        return dict(value)
    return {k: whole(v) for k, v in value.items()} if isinstance(value, dict) else value


def keys(choices: Choices) -> None:
    """Names that lead elsewhere, in listings, consolidated metadata and zip files."""
    names = [pick(choices, NAMES) for _ in range(choices.integer(1, 4))]
    entries: dict[str, bytes] = {"zarr.json": json.dumps(GROUP).encode()}
    for name in names:
        entries[f"{name}/zarr.json"] = json.dumps(pick(choices, (GROUP, ARRAY))).encode()
    root = {
        **GROUP,
        "consolidated_metadata": {
            "metadata": {name: pick(choices, (GROUP, ARRAY, None)) for name in names}
        },
    }
    what = choices.integer(0, 2)
    if what == 0:
        source: Any = Memory({"zarr.json": json.dumps(root).encode("utf-8", "surrogatepass")})
    elif what == 1:
        source = Memory(entries)
    else:
        source = zip_of(choices, entries)
    look_at(source, render_as=FORMS if choices.integer(0, 15) == 0 else ())


def zip_of(choices: Choices, entries: dict[str, bytes]) -> Any:
    """Write a zip file with hostile names, perhaps a damaged one."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in entries.items():
            archive.writestr(
                name.encode("utf-8", "replace").decode().replace("\x00", "0") or "x", data
            )
    file = folder() / f"{threading.get_ident()}.zip"
    file.write_bytes(garbled(choices, target.getvalue()))
    return file


@functools.cache
def folder() -> Path:
    import tempfile

    return Path(tempfile.mkdtemp(prefix="nz-hostile-"))


CHUNKED: tuple[tuple[str, list[dict[str, Any]]], ...] = (
    ("float32", [{"name": "bytes", "configuration": {"endian": "little"}}]),
    ("int16", [{"name": "bytes", "configuration": {"endian": "big"}}, {"name": "gzip", "configuration": {"level": 1}}]),
    ("float64", [{"name": "bytes", "configuration": {"endian": "little"}}, {"name": "zstd", "configuration": {"level": 1, "checksum": True}}]),
    ("uint8", [{"name": "bytes"}, {"name": "blosc", "configuration": {"cname": "lz4", "clevel": 1, "shuffle": "noshuffle", "typesize": 1, "blocksize": 0}}]),
    ("int32", [{"name": "bytes", "configuration": {"endian": "little"}}, {"name": "crc32c"}]),
    ("string", [{"name": "vlen-utf8"}, {"name": "zstd", "configuration": {"level": 1, "checksum": False}}]),
    ("float32", [{"name": "sharding_indexed", "configuration": {
        "chunk_shape": [1, 3],
        "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}],
        "index_codecs": [{"name": "bytes", "configuration": {"endian": "little"}}, {"name": "crc32c"}],
        "index_location": "end",
    }}]),
)  # fmt: skip


@functools.cache
def chunked(which: int) -> dict[str, bytes]:
    """Return the keys of a small array as zarr writes it."""
    import zarr
    from zarr.storage import MemoryStore

    data_type, codecs = CHUNKED[which]
    fill = "" if data_type == "string" else 0
    document = {
        **ARRAY,
        "data_type": data_type,
        "codecs": codecs,
        "fill_value": fill,
        "attributes": {},
    }
    store = MemoryStore()
    values = np.arange(24).reshape(4, 6)
    from zarr.core.buffer import default_buffer_prototype

    made = default_buffer_prototype().buffer.from_bytes(json.dumps(document).encode())
    store = MemoryStore({"zarr.json": made})
    array = zarr.open_array(store, mode="r+")
    array[...] = (
        values.astype(str).astype(object) if data_type == "string" else values.astype(data_type)
    )
    return {key: buffer.to_bytes() for key, buffer in store._store_dict.items()}


def chunks(choices: Choices) -> None:
    """Chunks that are cut, garbled or not what their codecs made."""
    store = dict(chunked(choices.integer(0, len(CHUNKED) - 1)))
    for _ in range(choices.integer(1, 3)):
        key = pick(choices, [key for key in store if key != "zarr.json"])
        store[key] = (
            choices.data(64) if choices.integer(0, 5) == 0 else garbled(choices, store[key])
        )
    look_at(Memory(store), values=True)


@functools.cache
def conversation() -> tuple[Session, list[dict[str, Any]], threading.Condition]:
    """A session on a store of its own, and what it answers."""
    answers: list[dict[str, Any]] = []
    heard = threading.Condition()

    def take(message: dict[str, Any], _buffers: Any) -> None:
        with heard:
            if message["kind"] == "reply":
                answers.append(message)
            heard.notify_all()

    store = {key: json.dumps(document).encode() for key, document in V3.items()}
    session = Session(evaluate(open_store(store)), take, budget=1 << 20)
    session.start()
    session.wait(10)
    return session, answers, heard


PATHS = ("/", "/a", "/x", "/g", "/g/b", "/none", "a", "", "/../a", *NAMES)


def messages(choices: Choices) -> None:
    """Messages that do not follow the protocol, and ones that do."""
    session, answers, heard = conversation()
    method = pick(choices, (*sorted(protocol.PARAMS), "eval", ""))
    params: dict[str, Any] = {"path": pick(choices, PATHS)}
    if method == "export":
        params.pop("path")
    fields = ("path", "index", "width", "height", "offset", "limit", "paths", "query", "kind", "window", "part",
              "view", "below", "action", "everything", "form", "format", "edits", "id", "x")  # fmt: skip
    for _ in range(choices.integer(0, 3)):
        params[pick(choices, fields)] = copy.deepcopy(
            pick(choices, (*VALUES, *PATHS, {"y": 1}, {"x": -1}, 64))
        )
    content: Any = {"kind": "request", "id": 1, "method": method, "params": params}
    if choices.integer(0, 9) == 0:
        content = changed(choices, content)
    with heard:
        answers.clear()
    session.receive(content)
    if not (
        isinstance(content, dict)
        and isinstance(content.get("id"), int)
        and content.get("kind") == "request"
    ):
        return
    with heard:
        assert heard.wait_for(lambda: answers, 5), f"no answer to {content}"
        answer = answers[0]
    assert answer["ok"] or answer["error"]["code"] != "internal", (content, answer)


CASES: dict[str, Callable[[Choices], None]] = {
    "documents": documents,
    "splices": splices,
    "talks": talks,
    "limits": limits,
    "keys": keys,
    "chunks": chunks,
    "messages": messages,
}
