"""Whether a consolidated entry means the same as the stored document."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import orjson

from nz_explorer.documents import pointers
from nz_explorer.documents.json_types import has_infinity
from nz_explorer.model.data_type import parse_v2, parse_v3
from nz_explorer.model.fill_values.decoding import decode_storage_fill
from nz_explorer.model.fill_values.matching import same_value
from nz_explorer.model.fill_values.spelling import as_type
from nz_explorer.model.paths import all_above

if TYPE_CHECKING:
    from nz_explorer.documents import Document
    from nz_explorer.model import Consolidated, Hierarchy, Node
    from nz_explorer.model.data_type import DataType

ABSENT = "(absent)"
_EXTENSION_MEMBERS = ("data_type", "chunk_grid", "chunk_key_encoding")
_EXTENSION_LISTS = ("codecs", "index_codecs", "storage_transformers")
_DEFAULTS: dict[str, dict[str, Any]] = {
    "default": {"separator": "/"},
    "v2": {"separator": "."},
    "sharding_indexed": {"index_location": "end"},
    "zstd": {"checksum": False},
}
"""Settings that mean the same where they are not there."""
_ONE_BYTE = ("bool", "int8", "uint8")
_INTEGERS = re.compile(r"/(shape|chunks|chunk_grid/configuration/chunk_shape)/\d+$|^/zarr_format$")
"""Lengths, and the version of Zarr, of which readers take integers only."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A node as stored and as consolidated.

    Attributes
    ----------
    path : str
        The node.
    node : Node or None
        As stored; None where there is no document.
    consolidated : Consolidated
        Where the copy is.
    hierarchy : Hierarchy
        The documents that are stored.
    """

    path: str
    node: Node | None
    consolidated: Consolidated
    hierarchy: Hierarchy

    @property
    def unread_above(self) -> Node | None:
        """A node above whose document could not be read, so that nobody has looked what is below it; None without one."""
        above = map(self.hierarchy.node_if_loaded, all_above(self.path))
        return next(
            (n for n in above if n and (n.state == "unreadable" or n.kind == "unknown")), None
        )

    @property
    def stored(self) -> list[Document]:
        """The stored documents that consolidated metadata copy."""
        if self.node is None:
            return []
        names = (
            ("zarr.json",)
            if self.consolidated.zarr_format == 3
            else (".zarray", ".zgroup", ".zattrs")
        )
        return [document for document in self.node.documents if document.name in names]

    @property
    def agrees(self) -> bool:
        """Whether each stored document has an entry that is equal to the letter, which nearly all have."""
        stored = self.stored
        return bool(stored) and all(
            not document.problems
            and _dumps(document.value)
            == self.consolidated.text(self.path, document.name)
            is not None
            for document in stored
        )

    @property
    def groups_without_entry(self) -> list[Pair]:
        """The groups above that have no entry, the highest first: zarr-python looks for them, and else opens nothing."""
        return [
            Pair(path, self.hierarchy.node_if_loaded(path), self.consolidated, self.hierarchy)
            for path in reversed(list(all_above(self.path)))
            if path != "/" and path not in self.consolidated
        ]

    def pointer(self, name: str) -> str:
        """Return the pointer of an entry in the consolidated document."""
        return self.consolidated.pointer(self.path, name)


@dataclass(frozen=True, slots=True)
class Difference:
    """A place where two documents differ; a missing value is `ABSENT`."""

    pointer: str
    stored: Any
    consolidated: Any


def differences(document: Document, entry: Any) -> list[Difference]:
    """Return where a stored document and its consolidated copy differ in meaning.

    Parameters
    ----------
    document : Document
        The stored document, which must be an object.
    entry
        The consolidated copy; None where there is none, which equals empty attributes.
    """
    stored = document.value
    if not document.problems and isinstance(entry, dict):
        # Nearly all entries are identical, which orjson finds out in a microsecond.
        options = orjson.OPT_SORT_KEYS
        without = {key: value for key, value in entry.items() if key != "consolidated_metadata"}
        bare = stored
        if "consolidated_metadata" in stored:
            bare = {key: value for key, value in stored.items() if key != "consolidated_metadata"}
        if _dumps(bare, options) == _dumps(without, options) is not None:
            return []
    if entry is None:
        entry = {}
    v3 = document.name == "zarr.json"
    if not isinstance(entry, dict):
        return [Difference("", stored, entry)]
    of_array = document.name in ("zarr.json", ".zarray")
    exact = re.compile(r"(?!)") if document.name == ".zattrs" else _INTEGERS
    ours, theirs = _normal(stored, v3), _normal(entry, v3)
    differ = of_array and ours.get("fill_value") != theirs.get("fill_value")
    if differ and _same_fill(ours, theirs, v3):
        theirs["fill_value"] = ours["fill_value"]
    return list(_differ(ours, theirs, "", exact))


def _same_fill(ours: dict[str, Any], theirs: dict[str, Any], v3: bool) -> bool:
    """Whether two spellings of a fill value are the same to the data type: zarr-python writes what it has read."""
    member = "data_type" if v3 else "dtype"
    if any("fill_value" not in one or member not in one for one in (ours, theirs)):
        return False
    if any(_named(one["fill_value"]) != one["fill_value"] for one in (ours, theirs)):
        return False  # a bare token of Zarr v2, which is a fact of its own (JSON-003)
    kind = parse_v3(ours[member]) if v3 else parse_v2(ours[member])
    one, other = (
        decode_storage_fill(_rounded(each["fill_value"], kind), kind, 3 if v3 else 2)
        for each in (ours, theirs)
    )
    return one.value is not None and other.value is not None and same_value(one, other)


def _rounded(given: Any, kind: DataType) -> Any:
    """Spell numbers beyond the largest float of a type as the infinities that they are rounded to."""
    if kind.numpy is None or kind.numpy.kind not in "fc":
        return given
    if isinstance(given, list):
        return [_rounded(part, kind) for part in given]
    if type(given) not in (int, float):
        return given
    try:
        real = np.real(as_type(given, kind.numpy))
    except OverflowError:  # an integer beyond all floats
        return _named(math.inf if given > 0 else -math.inf)
    return _named(float(real)) if np.isinf(real) else given


def _dumps(value: Any, options: int = 0) -> bytes | None:
    try:
        text = orjson.dumps(value, option=options)
    except TypeError:  # an integer beyond 64 bits
        return None
    # orjson writes infinity as null, and 1e400 is infinity
    return None if b"null" in text and has_infinity(value) else text


def _normal(document: dict[str, Any], v3: bool) -> dict[str, Any]:
    normal = {key: value for key, value in document.items() if key != "consolidated_metadata"}
    if not v3:
        return normal
    normal.setdefault("attributes", {})
    normal.setdefault("storage_transformers", [])
    if "fill_value" in normal:
        normal["fill_value"] = _named(normal["fill_value"])
    names = normal.get("dimension_names")
    if isinstance(names, list) and names and all(name is None for name in names):
        del normal["dimension_names"]  # which says as much
    result = _extensions(normal)
    if result.get("data_type") in _ONE_BYTE and isinstance(result.get("codecs"), list):
        result["codecs"] = [_without_endian(codec) for codec in result["codecs"]]
    return result


def _named(value: Any) -> Any:
    """Spell NaN and infinities as strings, as ``fill_value`` does."""
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return [_named(item) for item in value] if isinstance(value, list) else value


def _extensions(holder: dict[str, Any]) -> dict[str, Any]:
    """Write all extensions in one form: a name, or an object with a configuration that is not empty."""
    result = dict(holder)
    for key in _EXTENSION_MEMBERS:
        if key in result:
            result[key] = _extension(result[key])
    for key in _EXTENSION_LISTS:
        if isinstance(result.get(key), list):
            result[key] = [_extension(item) for item in result[key]]
    return result


def _without_endian(codec: Any) -> Any:
    """Leave out the order of bytes of types that have one byte."""
    if not isinstance(codec, dict) or not isinstance(codec.get("configuration"), dict):
        return codec
    configuration = dict(codec["configuration"])
    if codec.get("name") == "bytes":
        configuration.pop("endian", None)
        return _extension({**codec, "configuration": configuration})
    if isinstance(configuration.get("codecs"), list):  # within shards
        configuration["codecs"] = [_without_endian(one) for one in configuration["codecs"]]
    return {**codec, "configuration": configuration}


def _extension(value: Any) -> Any:
    if not isinstance(value, dict) or "name" not in value:
        return value
    if value.get("must_understand") is True:  # as it is where nothing is said
        value = {key: item for key, item in value.items() if key != "must_understand"}
    configuration = value.get("configuration")
    if isinstance(configuration, dict):
        name = value["name"]
        usual = _DEFAULTS.get(name, {}) if isinstance(name, str) else {}
        idle = name == "blosc" and configuration.get("shuffle") == "noshuffle"
        configuration = {
            key: item
            for key, item in configuration.items()
            if not (key in usual and item == usual[key] and type(item) is type(usual[key]))
            and not (idle and key == "typesize")
        }
        value = {**value, "configuration": configuration}
    settled = "configuration" not in value or configuration == {}  # null is no configuration
    if set(value) <= {"name", "configuration"} and settled:
        return value["name"]
    if isinstance(configuration, dict):
        return {**value, "configuration": _extensions(configuration)}
    return value


def _differ(stored: Any, entry: Any, pointer: str, exact: re.Pattern[str]) -> Iterator[Difference]:
    """Yield where two values differ; at pointers that match a pattern also 3.0 from 3."""
    if isinstance(stored, dict) and isinstance(entry, dict):
        for key in (*stored, *(key for key in entry if key not in stored)):
            yield from _differ(
                stored.get(key, ABSENT), entry.get(key, ABSENT), pointers.join(pointer, key), exact
            )
    elif isinstance(stored, list) and isinstance(entry, list) and len(stored) == len(entry):
        for i, (a, b) in enumerate(zip(stored, entry, strict=True)):
            yield from _differ(a, b, pointers.join(pointer, i), exact)
    elif not _same(stored, entry) or (type(stored) is not type(entry) and exact.match(pointer)):
        yield Difference(pointer, stored, entry)


def _same(a: Any, b: Any) -> bool:
    if isinstance(a, bool) or isinstance(b, bool):  # True == 1 in Python, not in JSON
        return a is b
    if isinstance(a, float) and isinstance(b, float) and math.isnan(a):
        return math.isnan(b)
    return bool(a == b)
