"""What a set of references says: for each key its bytes, or the part of a file that holds them."""

from __future__ import annotations

import base64
import binascii
import bisect
import io
import json
import math
import threading
from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import msgspec

from nz_explorer.store.errors import ReadError, SourceError

DOCUMENTS = ("zarr.json", ".zgroup", ".zarray", ".zattrs", ".zmetadata")
KEPT_RECORDS = 16
"""Parquet files whose references are kept; kerchunk writes 10,000 into each."""
MOST_RECORD = 5_000_000
"""References that one Parquet file may hold."""
MOST_RECORDS = 100_000
"""Parquet files that are looked through for the references of one array."""


@dataclass(frozen=True, slots=True)
class Target:
    """A part of a file.

    Attributes
    ----------
    url : str
        The file, as the references name it.
    start : int
        Its first byte.
    length : int, optional
        How many bytes; all of the file by default.
    """

    url: str
    start: int = 0
    length: int | None = None

    def __str__(self) -> str:
        if self.length is None:
            return self.url
        return f"{self.url}, bytes {self.start:,} to {self.start + self.length:,}"


class ReferenceSet(ABC):
    """Keys, and where the bytes of each are."""

    @abstractmethod
    def find(self, key: str) -> bytes | Target | None:
        """Return the bytes of a key or where they are; None where there is no such key.

        Raises
        ------
        ReadError
            If what is said of it is no reference.
        """

    @abstractmethod
    def below(self, prefix: str) -> Iterator[str]:
        """Yield all keys that begin with a prefix, in order."""

    @abstractmethod
    def names(self, folder: str) -> Iterator[str]:
        """Yield the names directly below a folder."""

    @abstractmethod
    def spelled_out(self) -> Collection[str]:
        """Return the keys that somebody wrote: all but those that follow from the shape of an array."""


class JsonReferences(ReferenceSet):
    """Those of a JSON file, of which each is decoded when it is asked for.

    Parameters
    ----------
    content : bytes or mapping
        The file, or what it holds.
    label : str
        The source as the user knows it.

    Raises
    ------
    SourceError
        If it holds no references.
    """

    def __init__(self, content: bytes | Mapping[str, Any], label: str) -> None:
        given = _decoded(content, label)
        refs = given
        templates: dict[str, Any] = {}
        if "version" in given:
            whole = {key: _plain(value) for key, value in given.items() if key != "refs"}
            refs = _object(given.get("refs"), f"{label}: its references")
            if whole.get("gen"):
                raise SourceError(
                    f"{label}: its references are computed from templates (gen), which is not done here; write them out"
                    " with kerchunk first"
                )
            templates = whole.get("templates") or {}
        node_type = _plain(given.get("node_type"))
        if node_type in ("group", "array") and "zarr_format" in given:
            raise SourceError(
                f"{label} is the document of one {node_type}, but not where a store has it: put it into a folder"
                " of its own as zarr.json and open the folder"
            )
        if not any(key.rsplit("/", 1)[-1] in DOCUMENTS for key in refs):
            raise SourceError(
                f"{label} is a JSON file, but neither references of kerchunk or VirtualiZarr nor a Zarr document: it"
                " names no .zgroup, .zarray or zarr.json"
            )
        self._refs = refs
        self._templates = {
            str(name): text for name, text in templates.items() if isinstance(text, str)
        }
        self._sorted: list[str] | None = None

    def find(self, key: str) -> bytes | Target | None:
        """Return the bytes of a key or where they are; see `ReferenceSet.find`."""
        if key not in self._refs:
            return None
        value = _plain(self._refs[key])
        match value:
            case str():
                return _inlined(key, value)
            case bytes():
                return value
            case dict():
                return msgspec.json.encode(value)
            case [str(url)]:
                return Target(self._spelled(url))
            case [str(url), int(start), int(length)] if start >= 0 and length >= 0:
                return Target(self._spelled(url), start, length)
        raise ReadError(key, "corrupt", "what the references say of it is no reference")

    def _spelled(self, url: str) -> str:
        for name, text in self._templates.items() if "{{" in url else ():
            url = url.replace("{{" + name + "}}", text).replace("{{ " + name + " }}", text)
        return url

    def below(self, prefix: str) -> Iterator[str]:
        """Yield all keys that begin with a prefix, in order."""
        keys = self._in_order()
        for at in range(bisect.bisect_left(keys, prefix), len(keys)):
            if not keys[at].startswith(prefix):
                return
            yield keys[at]

    def names(self, folder: str) -> Iterator[str]:
        """Yield the names directly below a folder."""
        stem = f"{folder}/" if folder else ""
        keys = self._in_order()
        at = bisect.bisect_left(keys, stem)
        while at < len(keys) and keys[at].startswith(stem):
            name, mark, _ = keys[at][len(stem) :].partition("/")
            yield name
            # what is below it lies between its name with "/" and with the next character
            at = bisect.bisect_left(keys, f"{stem}{name}0", at) if mark else at + 1

    def spelled_out(self) -> Collection[str]:
        """Return the keys that somebody wrote."""
        return self._refs.keys()

    def _in_order(self) -> list[str]:
        if self._sorted is None:
            self._sorted = sorted(self._refs)
        return self._sorted


class ParquetReferences(ReferenceSet):
    """Those of a folder of Parquet files, each of which is read when one of its references is asked for.

    Parameters
    ----------
    read : callable
        Returns the bytes of a file of the folder, None where there is none.
    label : str
        The source as the user knows it.

    Raises
    ------
    SourceError
        If it holds no references.
    """

    def __init__(self, read: Callable[[str], bytes | None], label: str) -> None:
        given = _decoded(read(".zmetadata") or b"{}", label)
        size = _plain(given.get("record_size"))
        if not isinstance(size, int) or not 0 < size <= MOST_RECORD:
            raise SourceError(
                f"{label} is no folder of references: its .zmetadata has no record_size"
            )
        self._read = read
        self._size = size
        self._documents = _object(given.get("metadata"), f"{label}: its metadata")
        self._grids: dict[str, tuple[int, ...] | None] = {}
        self._records: OrderedDict[str, list[list[Any]]] = OrderedDict()
        self._lock = threading.Lock()

    def find(self, key: str) -> bytes | Target | None:
        """Return the bytes of a key or where they are; see `ReferenceSet.find`."""
        if key in self._documents:
            return bytes(self._documents[key])
        field, _, chunk = key.rpartition("/")
        number = self._number(field, chunk)
        if number is None:
            return None
        rows = self._record(f"{field}/refs.{number // self._size}.parq")
        at = number % self._size
        if at >= len(rows[0]):
            return None
        path, start, length, raw = (column[at] for column in rows)
        if isinstance(raw, (bytes, str)):
            return raw.encode() if isinstance(raw, str) else raw
        if not isinstance(path, str):
            return None
        if not start and not length:
            return Target(path)
        if start < 0 or length < 0:
            raise ReadError(key, "corrupt", "what the references say of it is no reference")
        return Target(path, int(start), int(length))

    def _grid(self, field: str) -> tuple[int, ...] | None:
        """Return how many chunks an array has along each axis; None where there is no such array."""
        if field not in self._grids:
            raw = self._documents.get(f"{field}/.zarray")
            array = None if raw is None else _plain(raw)
            match array:
                case {"shape": list(shape), "chunks": list(chunks)} if (
                    len(shape) == len(chunks)
                    and all(type(n) is int and n >= 0 for n in shape)
                    and all(type(n) is int and n > 0 for n in chunks)
                ):
                    counts = zip(shape, chunks, strict=True)
                    self._grids[field] = tuple(-(-length // part) for length, part in counts)
                case _:
                    self._grids[field] = None
        return self._grids[field]

    def _number(self, field: str, chunk: str) -> int | None:
        """Return which reference of an array a chunk is; None if it has no such chunk."""
        grid = self._grid(field)
        if grid is None:
            return None
        if not grid:
            return 0 if chunk == "0" else None
        parts = chunk.split(".")
        if len(parts) != len(grid) or not all(p.isascii() and p.isdigit() for p in parts):
            return None
        number = 0
        for part, count in zip(parts, grid, strict=True):
            if int(part) >= count:
                return None
            number = number * count + int(part)
        return number

    def _record(self, name: str) -> list[list[Any]]:
        """Return the columns of a Parquet file."""
        with self._lock:
            if name in self._records:
                self._records.move_to_end(name)
                return self._records[name]
        data = self._read(name)
        columns: list[list[Any]] = [[], [], [], []] if data is None else _columns(name, data)
        with self._lock:
            self._records[name] = columns
            while len(self._records) > KEPT_RECORDS:
                self._records.popitem(last=False)
        return columns

    def below(self, prefix: str) -> Iterator[str]:
        """Yield all keys that begin with a prefix, in order."""
        yield from sorted(key for key in self._documents if key.startswith(prefix))
        for field in sorted(self._fields()):
            if f"{field}/".startswith(prefix) or prefix.startswith(f"{field}/"):
                yield from (key for key in self._chunks(field) if key.startswith(prefix))

    def names(self, folder: str) -> Iterator[str]:
        """Yield the names directly below a folder."""
        stem = f"{folder}/" if folder else ""
        within = (key[len(stem) :] for key in self._documents if key.startswith(stem))
        yield from sorted({rest.split("/", 1)[0] for rest in within})
        for key in self._chunks(folder):
            yield key[len(stem) :]

    def spelled_out(self) -> Collection[str]:
        """Return the keys that somebody wrote."""
        return self._documents.keys()

    def _fields(self) -> Iterator[str]:
        return (key.removesuffix("/.zarray") for key in self._documents if key.endswith("/.zarray"))

    def _chunks(self, field: str) -> Iterator[str]:
        grid = self._grid(field)
        if grid is None:
            return
        total = math.prod(grid)
        records = -(-total // self._size)
        if records > MOST_RECORDS:
            detail = f"{total:,} chunks would be in {records:,} files, more than the limit of {MOST_RECORDS:,}"
            raise ReadError(field, "too large", detail)
        for record in range(records):
            first = record * self._size
            rows = self._record(f"{field}/refs.{record}.parq")
            for number in range(first, min(first + len(rows[0]), total)):
                key = f"{field}/{_chunk_at(number, grid)}"
                if self.find(key) is not None:
                    yield key


def _chunk_at(number: int, grid: tuple[int, ...]) -> str:
    """Return the name of a chunk by its number among all of an array."""
    parts = []
    for count in reversed(grid):
        number, part = divmod(number, count)
        parts.append(str(part))
    return ".".join(reversed(parts)) or "0"


def _columns(name: str, data: bytes) -> list[list[Any]]:
    try:
        import pandas as pd

        frame = pd.read_parquet(io.BytesIO(data))
    except ImportError as error:
        detail = 'references in Parquet need pyarrow or fastparquet: pip install "nz_explorer[references]"'
        raise ReadError(name, "os", detail) from error
    except Exception as error:  # each library has errors of its own
        said = " ".join(str(error).split())[:200]
        raise ReadError(name, "corrupt", f"it is no Parquet file: {said}") from error
    nothing: list[Any] = [0] * len(frame)
    found = [
        frame[column].tolist() if column in frame else list(nothing)
        for column in ("path", "offset", "size", "raw")
    ]
    for numbers in found[1:3]:
        numbers[:] = [0 if n is None or math.isnan(n) else int(n) for n in numbers]
    return found


def _decoded(content: bytes | Mapping[str, Any], label: str) -> dict[str, Any]:
    if isinstance(content, Mapping):
        return {str(key): value for key, value in content.items()}
    try:
        return msgspec.json.decode(content, type=dict[str, msgspec.Raw])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        with suppress(ValueError, RecursionError):
            found = json.loads(content)  # takes the bare NaN that Python writes
            if isinstance(found, dict):
                return {key: msgspec.Raw(json.dumps(one).encode()) for key, one in found.items()}
        raise SourceError(f"{label} is no folder, zip file or JSON object: {error}") from error


def _object(value: Any, what: str) -> dict[str, Any]:
    if isinstance(value, msgspec.Raw):
        return _decoded(bytes(value), what)
    if isinstance(value, Mapping):
        return {str(key): one for key, one in value.items()}
    raise SourceError(f"{what} are no JSON object")


def _plain(value: Any) -> Any:
    """Return a JSON value that may not have been decoded yet."""
    if isinstance(value, msgspec.Raw):
        try:
            return msgspec.json.decode(value)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return None
    return value


def _inlined(key: str, value: str) -> bytes:
    if not value.startswith("base64:"):
        return value.encode()
    try:
        return base64.b64decode(value.removeprefix("base64:"), validate=True)
    except (binascii.Error, ValueError) as error:
        raise ReadError(key, "corrupt", f"its base64 cannot be decoded: {error}") from error
