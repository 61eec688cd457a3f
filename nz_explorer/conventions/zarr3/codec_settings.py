"""Z3: the settings of codecs."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import jsonpointer

from nz_explorer.conventions.zarr3.arrays import all_codecs
from nz_explorer.conventions.zarr3.nodes import (
    TYPE_ERROR,
    V3,
    VALUE_ERROR,
    is_integer,
    may_be_ignored,
    shown,
)
from nz_explorer.conventions.zarr3.registered_extensions import CODECS, Codec
from nz_explorer.conventions.zarr3.representations import representations
from nz_explorer.conventions.zarr_versions import in_versions
from nz_explorer.documents import pointers
from nz_explorer.documents.json_text import json_text
from nz_explorer.engine.findings import Fail
from nz_explorer.engine.fixes import Draft, Operation, add, remove, replace
from nz_explorer.engine.registry import rule
from nz_explorer.model import Array, codec_name

if TYPE_CHECKING:
    import numpy as np

    from nz_explorer.engine.findings import FixMaker
    from nz_explorer.model import Node
    from nz_explorer.model.data_type import DataType


def configured(array: Array, name: str) -> Iterator[tuple[str, dict[str, Any], Any]]:
    """Yield pointer, configuration and the codec for all codecs of a name; wrong forms are Z3-EXT-002.

    Parameters
    ----------
    array : Array
        The array.
    name : str
        Name of a codec.
    """
    for pointer, codec in all_codecs(array.codecs, "/codecs"):
        named = not isinstance(codec, dict) or "name" in codec  # else Z3-CODEC-012
        if named and codec_name(codec) == name:
            configuration = codec.get("configuration", {}) if isinstance(codec, dict) else {}
            if isinstance(configuration, dict):
                yield pointer, configuration, codec


@rule("Z3-CODEC-004", on="array", formats=V3, needs=("codecs", "data type"))
def byte_order(array: Array) -> Iterator[Fail]:
    """Require a byte order, which the index of a shard always needs."""
    for pointer, configuration, codec in configured(array, "bytes"):
        endian, of_index = configuration.get("endian"), "/index_codecs/" in pointer
        if endian in ("little", "big"):
            continue
        # what a codec before it has made of the elements, such as cast_value
        given = representations(array).get(pointer)
        data_type = None if given is None else given.data_type
        if "endian" not in configuration and not of_index and not _has_ends(data_type):
            continue
        of = "the index" if of_index or data_type is None else data_type.text
        # older records without one are little-endian, of which readers should warn
        taken = data_type is not None and data_type.name == "structured"
        legacy = taken and "endian" not in configuration
        yield Fail(
            f"{pointer}/configuration/endian",
            f'the bytes codec needs endian, "little" or "big", for {of}, got '
            + ("nothing" if "endian" not in configuration else shown(endian))
            + (", which for this older type is little" if legacy else ""),
            severity="warning" if legacy else None,
            **_end(
                configuration,
                taken=of_index or (data_type is not None and data_type.kind == "struct"),
            ),
            fix=_with_end(pointer, codec),
        )


def _end(configuration: Mapping[str, Any], *, taken: bool) -> dict[str, Any]:
    """Return what readers do where the end is not one that there is, or not given.

    Of records and of the index of a shard zarr-python takes that of the machine then, as it does of all before 3.3.
    """
    if "endian" not in configuration:
        return {"readers": {}} if taken else {}
    return {"impact": "blocks", "readers": VALUE_ERROR}


def _has_ends(data_type: DataType | None) -> bool:
    """Whether elements are of several bytes that can be in two orders; not where the type is not known."""
    if data_type is None or data_type.kind in ("bytes", "raw"):
        return False
    if data_type.kind == "struct" and data_type.numpy is not None:
        return _has_long_fields(data_type.numpy)
    # real and imaginary, each of which has ends of its own
    parts = 2 if data_type.kind == "complex" else 1
    return data_type.itemsize not in (None, parts)


def _has_long_fields(dtype: np.dtype[Any]) -> bool:
    """Whether a record has a field of several bytes, be it in another record."""
    if dtype.fields is None:
        return dtype.base.itemsize > 1 and dtype.base.kind != "V"
    return any(_has_long_fields(field[0]) for field in dtype.fields.values())


def _with_end(pointer: str, codec: Any) -> Callable[[Node], Draft]:
    """Return the fix that says the byte order: that which stands beside the name, where it has no place."""
    beside = codec.get("endian") if isinstance(codec, dict) else None
    value = {"name": "bytes", "configuration": {"endian": "big" if beside == "big" else "little"}}
    return lambda _node: Draft(
        "suggest", (replace(pointer, value),), "if that is the byte order of the chunks"
    )


# --- codecs whose chunks say themselves how they were compressed ---------------------------------

ANY = "the chunks say themselves how they were compressed: to read them, any value does"
LEVELS = {"gzip": (0, 9, 5), "zstd": (-131072, 22, 0)}
"""The lowest and the highest level of a codec, and the usual one."""
SELF_DESCRIBING = frozenset({*LEVELS, "blosc"})
SHUFFLES = ("noshuffle", "shuffle", "bitshuffle")
COMPRESSORS = ("lz4", "lz4hc", "blosclz", "snappy", "zlib", "zstd")


def _whole(given: Any, low: int, high: int, usual: int) -> int:
    """Return the whole number within limits that is meant, else the usual one."""
    try:
        number = float(given)
    except (TypeError, ValueError, OverflowError):
        return usual
    if isinstance(given, bool) or not math.isfinite(number):
        return usual
    return int(min(max(round(number), low), high))


def settings_of(node: Node, name: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return all settings of a codec whose chunks say themselves how they were compressed.

    Parameters
    ----------
    node : Node
        The array.
    name : str
        One of `SELF_DESCRIBING`.
    given : mapping
        Its configuration, of which is taken what is meant.
    """
    if name in LEVELS:
        settings: dict[str, Any] = {"level": _whole(given.get("level"), *LEVELS[name])}
        if name == "zstd":
            settings["checksum"] = given.get("checksum") is True
        return settings
    size = node.data_type.itemsize if isinstance(node, Array) else None
    cname, shuffle = given.get("cname"), given.get("shuffle")
    cname = cname.lower() if isinstance(cname, str) else cname
    if is_integer(shuffle) and 0 <= shuffle < len(SHUFFLES):  # as Zarr v2 writes it
        shuffle = SHUFFLES[shuffle]
    shuffle = shuffle.lower() if isinstance(shuffle, str) else shuffle
    return {
        "cname": cname if cname in COMPRESSORS else "zstd",
        "clevel": _whole(given.get("clevel"), 0, 9, 5),
        # which needs no typesize
        "shuffle": shuffle if shuffle in SHUFFLES else SHUFFLES[0],
        "typesize": size or 1,
        "blocksize": _whole(given.get("blocksize"), 0, 2**31 - 1, 0),
    }


def _set(pointer: str, name: str, member: str) -> FixMaker:
    """Return the fix that gives a codec a setting that it can have; all of them where it has none."""

    def fix(node: Node) -> Draft:
        codec = jsonpointer.resolve_pointer(node.metadata, pointer, None)
        given = codec.get("configuration") if isinstance(codec, dict) else None
        beside = codec if isinstance(codec, dict) else {}  # where Zarr v2 has them
        settings = settings_of(node, name, given or beside)
        kept = {part: value for part, value in beside.items() if part not in settings}
        operation = (
            add(f"{pointer}/configuration/{member}", settings[member])
            if given is not None
            else add(f"{pointer}/configuration", settings)
            if kept and kept == codec
            else replace(pointer, {"name": name, **kept, "configuration": settings})
        )
        return Draft("safe", (operation,), ANY)

    return fix


@rule("Z3-CODEC-005", on="array", formats=V3, needs=("codecs",))
def gzip_level(array: Array) -> Iterator[Fail]:
    """Require a level that gzip supports."""
    for pointer, configuration, codec in configured(array, "gzip"):
        level = configuration.get("level")
        if not is_integer(level) or not 0 <= level <= 9:
            got = shown(level) if "level" in configuration else "nothing"
            yield Fail(
                f"{pointer}/configuration/level",
                f"the level of gzip must be an integer from 0 to 9, got {got}",
                # where a configuration has none, zarr-python takes 5
                readers=_minding(codec, "level" in configuration, level),
                fix=_set(pointer, "gzip", "level"),
            )


_BOOLEAN = in_versions("since 3.4", "raises TypeError")
"""What becomes of true and false where an integer should be; before they are 1 and 0."""
_NO_CONFIGURATION = {
    "zarr-python": "raises ValueError: Named configuration does not have a 'configuration' key",
    "xarray": "cannot open the group",
}


def _minding(codec: Any, minds: bool, value: Any) -> dict[str, str] | None:
    """Return the readers of a case: those of the rule where they mind, and zarr-python where nothing is configured."""
    if "configuration" not in codec:
        return _NO_CONFIGURATION
    return _BOOLEAN if isinstance(value, bool) else None if minds else {}


BLOSC: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "cname": ("lz4, lz4hc, blosclz, snappy, zlib or zstd", lambda v: v in COMPRESSORS),
    "clevel": ("an integer from 0 to 9", lambda v: is_integer(v) and 0 <= v <= 9),
    "shuffle": ("noshuffle, shuffle or bitshuffle", lambda v: v in SHUFFLES),
    "blocksize": ("an integer of 0 or more", lambda v: is_integer(v) and v >= 0),
}


@rule("Z3-CODEC-006", on="array", formats=V3, needs=("codecs",))
def blosc_configuration(array: Array) -> Iterator[Fail]:
    """Require settings that Blosc supports."""
    for pointer, configuration, codec in configured(array, "blosc"):
        base = f"{pointer}/configuration"
        for member, (wanted, is_sound) in BLOSC.items():
            value = configuration.get(member)
            if member in configuration and is_sound(value):
                continue
            tolerated = (
                value is None
                if member == "shuffle"
                else member != "cname" and isinstance(value, int)
            )
            got = shown(value) if member in configuration else "nothing"
            yield Fail(
                f"{base}/{member}",
                f"{member} of blosc must be {wanted}, got {got}",
                readers=_minding(codec, member in configuration and not tolerated, value),
                fix=_set(pointer, "blosc", member),
            )
        size = configuration.get("typesize")
        needed = configuration.get("shuffle") in SHUFFLES[1:]
        ignored = configuration.get("shuffle") == SHUFFLES[0]
        if ("typesize" in configuration or needed) and not (is_integer(size) and size > 0):
            got = shown(size) if "typesize" in configuration else "nothing"
            harmless = size is None
            yield Fail(
                f"{base}/typesize",
                f"typesize of blosc must be an integer above 0, got {got}"
                + ("; with noshuffle the specification ignores it" if ignored else ""),
                # what the text ignores breaks nothing, though zarr-python refuses it
                severity=None if not ignored else "info" if harmless else "warning",
                readers={} if harmless else _BOOLEAN if size is True else None,
                fix=_set(pointer, "blosc", "typesize"),
            )


# --- other codecs --------------------------------------------------------------------------------


@rule("Z3-CODEC-010", on="array", formats=V3, needs=("codecs",))
def checksum_configuration(array: Array) -> Iterator[Fail]:
    """Fail on settings of a codec that has none: readers that do not know them must not open the array."""
    for pointer, configuration, _ in configured(array, "crc32c"):
        if configuration:
            skipped = all(map(may_be_ignored, configuration.values()))
            yield Fail(
                f"{pointer}/configuration",
                f"crc32c takes no configuration, got {shown(configuration)}"
                + (", which readers may ignore" if skipped else ""),
                severity="info" if skipped else None,
                readers={},
                fix=_without_configuration(pointer),
            )


def _without_configuration(pointer: str) -> Callable[[Node], Draft]:
    operations: tuple[Operation, ...] = (remove(f"{pointer}/configuration"),)
    return lambda _node: Draft("safe", operations)


OWN_RULES = frozenset({"bytes", "gzip", "blosc", "transpose", "sharding_indexed", "crc32c"})
"""Codecs whose configuration has rules of its own."""


@rule("Z3-CODEC-011", on="array", formats=V3, needs=("codecs",))
def codec_configuration(array: Array) -> Iterator[Fail]:
    """Require configurations that the registry of codecs allows."""
    for name, known in CODECS.items():
        if name not in OWN_RULES:
            for pointer, configuration, codec in configured(array, name):
                bare = "configuration" not in codec
                yield from _against_register(name, known, pointer, configuration, bare=bare)


def _against_register(
    name: str, known: Codec, pointer: str, configuration: Mapping[str, Any], *, bare: bool
) -> Iterator[Fail]:
    if known.members is None:
        return
    for member in known.required:
        if member not in configuration:
            # zarr-python has a default for the settings of zstd, but wants to see that there are some
            does: dict[str, str] | None = None
            if name == "zstd":
                does = _NO_CONFIGURATION if bare else {}
            yield Fail(
                f"{pointer}/configuration/{member}",
                f"codec {name} needs {member}",
                readers=does,
                impact="blocks" if does else None,
                fix=_set(pointer, name, member) if name == "zstd" else None,
            )
    for member, value in configuration.items():
        at = pointers.join(f"{pointer}/configuration", member)
        wanted = known.members.get(member)
        if wanted is None:
            yield Fail(
                at,
                f"codec {name} has no setting {json_text(member)}",
                fix=_without(at, certain=name == "zstd"),
            )
        elif not wanted.allows(value):
            # a level that is too low is the lowest for zarr-python
            level = name == "zstd" and member == "level"
            taken = _BOOLEAN if level and isinstance(value, bool) else None
            if level and is_integer(value) and value <= 1:
                taken = {}
            yield Fail(
                at,
                f"{member} of {name} must be {wanted.text}, got {shown(value)}",
                readers=taken,
                fix=_set(pointer, name, member) if name == "zstd" else None,
            )
        elif name == "zstd" and type(value) is float:
            yield Fail(
                at,
                f"{member} of zstd is {shown(value)}; the text of its registration asks for an integer, its schema for a number,"
                " and zarr-python takes integers only",
                severity="warning",
                impact="blocks",
                readers=TYPE_ERROR,
                fix=_set(pointer, name, member),
            )


def _without(pointer: str, *, certain: bool) -> FixMaker:
    note = ANY if certain else "if the chunks do not depend on it"
    return lambda _node: Draft("safe" if certain else "suggest", (remove(pointer),), note)
