"""Z3: chains of codecs, their order and their configurations."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeGuard

import jsonpointer

from nz_explorer.conventions.zarr3.arrays import all_codecs
from nz_explorer.conventions.zarr3.nodes import V3, is_integer, set_to, shown
from nz_explorer.conventions.zarr3.registered_extensions import (
    CODECS,
    Codec,
)
from nz_explorer.documents import pointers
from nz_explorer.documents.json_text import json_text
from nz_explorer.engine.findings import Fail, Undecided
from nz_explorer.engine.fixes import Draft, Operation, add, remove, replace
from nz_explorer.engine.registry import rule
from nz_explorer.model import Array, codec_name
from nz_explorer.model.chunk_edges import runs_of, shapes_of
from nz_explorer.text.phrases import plural

if TYPE_CHECKING:
    from nz_explorer.engine.findings import FixMaker
    from nz_explorer.model import Node


ORDER = ("array to array", "array to bytes", "bytes to bytes")
VARIABLE_SIZE = frozenset({"zstd", "gzip", "blosc", "vlen-utf8", "vlen-bytes", "zfp", "packbits"})


def _kinds(codecs: list[Any]) -> list[str] | None:
    """Return what each codec of a chain turns into what; None where one is not known."""
    kinds: list[str] = []
    for codec in codecs:
        known = CODECS.get(codec_name(codec) or "")
        if known is None:
            return None
        kinds.append(known.kind)
    return kinds


def _chains(array: Array) -> Iterator[tuple[str, list[Any]]]:
    """Yield the chain of an array and those of its shards, each with its pointer; an empty one is Z3-CODEC-008."""
    yield "/codecs", array.codecs
    for pointer, codec in all_codecs(array.codecs, "/codecs"):
        configuration = codec.get("configuration") if isinstance(codec, dict) else None
        if codec_name(codec) == "sharding_indexed" and isinstance(configuration, dict):
            for member in ("codecs", "index_codecs"):
                chain = configuration.get(member)
                if isinstance(chain, list) and chain:
                    yield f"{pointer}/configuration/{member}", chain


@rule("Z3-CODEC-002", on="array", formats=V3, needs=("codecs",))
def one_serializer(array: Array) -> Iterator[Fail | Undecided]:
    """Require exactly one array-to-bytes codec."""
    for pointer, chain in _chains(array):
        kinds = _kinds(chain)
        if kinds is None:
            yield Undecided("dependency: Z3-CODEC-012")
            continue
        count = kinds.count(ORDER[1])
        if count != 1:
            yield Fail(
                pointer,
                f'codecs must contain exactly one codec that turns the array into bytes, such as "bytes"; found {count}',
                fix=_insert_bytes(pointer, kinds) if count == 0 else None,
            )


def _insert_bytes(pointer: str, kinds: list[str]) -> Callable[[Node], Draft]:
    at = kinds.count(ORDER[0])
    operation = add(f"{pointer}/{at}", {"name": "bytes", "configuration": {"endian": "little"}})
    return lambda _node: Draft("suggest", (operation,), "if this is how the chunks were written")


@rule("Z3-CODEC-003", on="array", formats=V3, needs=("codecs",))
def codec_order(array: Array) -> Iterator[Fail | Undecided]:
    """Require array-to-array codecs first, then the array-to-bytes codec, then bytes-to-bytes codecs."""
    for pointer, chain in _chains(array):
        kinds = _kinds(chain)
        if kinds is None:
            yield Undecided("dependency: Z3-CODEC-012")
            continue
        for i, (a, b) in enumerate(pairwise(kinds)):
            if ORDER.index(a) > ORDER.index(b):
                first, second = codec_name(chain[i]), codec_name(chain[i + 1])
                yield Fail(
                    f"{pointer}/{i + 1}",
                    f"codec {first} ({a}) comes before {second} ({b})",
                    fix=_sorted_chain(pointer),
                )
                break


def _sorted_chain(pointer: str) -> Callable[[Node], Draft | None]:
    def fix(node: Node) -> Draft | None:
        import jsonpointer

        chain = jsonpointer.resolve_pointer(node.metadata, pointer, None)
        kinds = _kinds(chain) if isinstance(chain, list) else None
        if kinds is None:
            return None
        order = sorted(range(len(chain)), key=lambda i: ORDER.index(kinds[i]))
        return Draft("unsafe", (replace(pointer, [chain[i] for i in order]),))

    return fix


def _configured(array: Array, name: str) -> Iterator[tuple[str, dict[str, Any], Any]]:
    """Yield pointer, configuration and the codec for all codecs of a name; wrong forms are Z3-EXT-002."""
    for pointer, codec in all_codecs(array.codecs, "/codecs"):
        if codec_name(codec) == name:
            configuration = codec.get("configuration", {}) if isinstance(codec, dict) else {}
            if isinstance(configuration, dict):
                yield pointer, configuration, codec


@rule("Z3-CODEC-004", on="array", formats=V3, needs=("codecs", "data type"))
def byte_order(array: Array) -> Iterator[Fail]:
    """Require a byte order, which the index of a shard always needs."""
    for pointer, configuration, _ in _configured(array, "bytes"):
        endian = configuration.get("endian")
        size = 8 if "/index_codecs/" in pointer else array.data_type.itemsize
        if "endian" not in configuration and (
            size is None or size == 1 or _is_bytes(array, pointer)
        ):
            continue
        if endian not in ("little", "big"):
            of = "the index" if "/index_codecs/" in pointer else array.data_type.text
            yield Fail(
                f"{pointer}/configuration/endian",
                f'the bytes codec needs endian, "little" or "big", for {of}, got '
                + ("nothing" if "endian" not in configuration else shown(endian)),
                **_end(configuration),
                fix=_little(pointer),
            )


def _end(configuration: Mapping[str, Any]) -> dict[str, Any]:
    """Return what readers do where the end is not one that there is; where it is not given they take little."""
    if "endian" not in configuration:
        return {}
    does = {
        "zarr-python": "raises ValueError: Value must be one of ['big', 'little']",
        "xarray": "cannot open the group",
    }
    return {"impact": "blocks", "readers": does}


def _is_bytes(array: Array, pointer: str) -> bool:
    """Whether the elements have no ends to begin with."""
    return "/index_codecs/" not in pointer and array.data_type.kind in ("bytes", "raw")


def _little(pointer: str) -> Callable[[Node], Draft]:
    value = {"name": "bytes", "configuration": {"endian": "little"}}
    return lambda _node: Draft(
        "suggest", (replace(pointer, value),), "if that is the byte order of the chunks"
    )


@rule("Z3-CODEC-005", on="array", formats=V3, needs=("codecs",))
def gzip_level(array: Array) -> Iterator[Fail]:
    """Require a level that gzip supports."""
    for pointer, configuration, codec in _configured(array, "gzip"):
        level = configuration.get("level")
        if not is_integer(level) or not 0 <= level <= 9:
            got = shown(level) if "level" in configuration else "nothing"
            yield Fail(
                f"{pointer}/configuration/level",
                f"the level of gzip must be an integer from 0 to 9, got {got}",
                # where a configuration has none, zarr-python takes 5
                readers=_minding(codec, "level" in configuration and not isinstance(level, bool)),
            )


def _minding(codec: Any, minds: bool) -> dict[str, str] | None:
    """Return the readers of a case: those of the rule where they mind, and zarr-python where nothing is configured."""
    return _NO_CONFIGURATION if "configuration" not in codec else None if minds else {}


SHUFFLES = ("noshuffle", "shuffle", "bitshuffle")
BLOSC: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "cname": (
        "lz4, lz4hc, blosclz, snappy, zlib or zstd",
        lambda v: v in ("lz4", "lz4hc", "blosclz", "snappy", "zlib", "zstd"),
    ),
    "clevel": ("an integer from 0 to 9", lambda v: is_integer(v) and 0 <= v <= 9),
    "shuffle": ("noshuffle, shuffle or bitshuffle", lambda v: v in SHUFFLES),
    "blocksize": ("an integer of 0 or more", lambda v: is_integer(v) and v >= 0),
}


@rule("Z3-CODEC-006", on="array", formats=V3, needs=("codecs",))
def blosc_configuration(array: Array) -> Iterator[Fail]:
    """Require settings that Blosc supports."""
    for pointer, configuration, codec in _configured(array, "blosc"):
        base = f"{pointer}/configuration"
        for member, (wanted, is_sound) in BLOSC.items():
            value = configuration.get(member)
            if member in configuration and is_sound(value):
                continue
            number = value if member == "shuffle" and is_integer(value) else -1
            tolerated = member in ("clevel", "blocksize") and isinstance(value, int)
            got = shown(value) if member in configuration else "nothing"
            yield Fail(
                f"{base}/{member}",
                f"{member} of blosc must be {wanted}, got {got}",
                readers=_minding(codec, member in configuration and not tolerated),
                fix=set_to(f"{base}/{member}", SHUFFLES[number]) if 0 <= number <= 2 else None,
            )
        size = configuration.get("typesize")
        needed = configuration.get("shuffle") in SHUFFLES[1:]
        if ("typesize" in configuration or needed) and not (is_integer(size) and size > 0):
            got = shown(size) if "typesize" in configuration else "nothing"
            yield Fail(
                f"{base}/typesize",
                f"typesize of blosc must be an integer above 0, got {got}",
                readers={} if size is None else None,
            )


@rule("Z3-CODEC-007", on="array", formats=V3, needs=("shape", "codecs"))
def transpose_order(array: Array) -> Iterator[Fail]:
    """Require each axis once."""
    for pointer, configuration, _ in _configured(array, "transpose"):
        order = configuration.get("order")
        if not _is_order(order, _rank(array, pointer)):
            got = shown(order) if "order" in configuration else "nothing"
            yield Fail(
                f"{pointer}/configuration/order",
                f"the order of transpose must list each axis from 0 to n-1 once, got {got}",
                fix=_order_in_full(f"{pointer}/configuration/order", order, _rank(array, pointer)),
            )


def _order_in_full(pointer: str, order: Any, rank: int | None) -> FixMaker | None:
    """Return the fix that writes out C and F, which drafts of the specification had."""
    if order not in ("C", "F") or rank is None:
        return None
    axes = list(range(rank))[:: 1 if order == "C" else -1]
    return lambda _node: Draft("suggest", (replace(pointer, axes),))


def _rank(array: Array, pointer: str) -> int | None:
    """Return the rank of what a codec gets: the index of a shard has one dimension more, offset and length."""
    of_index = "/index_codecs/" in pointer
    return array.ndim + 1 if of_index and array.ndim is not None else array.ndim


def _is_order(order: Any, rank: int | None) -> TypeGuard[list[int]]:
    """Whether something lists each axis once."""
    return (
        isinstance(order, list)
        and len(order) == rank
        and all(map(is_integer, order))
        and sorted(order) == list(range(len(order)))
    )


def _is_shape(shape: Any) -> TypeGuard[list[int]]:
    return isinstance(shape, list) and all(is_integer(n) and n > 0 for n in shape)


@rule("Z3-CODEC-008", on="array", formats=V3, needs=("shape", "chunk shape", "codecs"))
def sharding(array: Array) -> Iterator[Fail]:
    """Require chunks that fit into their shard, chains for them and an index of fixed size."""
    around = shapes_around(array.codecs, "/codecs", outer_shape(array))
    for pointer, configuration, _ in _configured(array, "sharding_indexed"):
        base = f"{pointer}/configuration"
        regular = shapes_of(array.metadata.get("chunk_grid")) is None or "/codecs/" in pointer[1:]
        outer, rank = around.get(pointer), _rank(array, pointer)
        yield from _inner_shape(base, configuration, outer, rank, regular=regular)
        for member in ("codecs", "index_codecs"):
            if not isinstance(configuration.get(member), list) or not configuration[member]:
                yield Fail(
                    f"{base}/{member}",
                    f"sharding: {member} must be a list with at least one codec",
                    readers=None if member in configuration else {},
                )
            elif member == "index_codecs":
                varying = [
                    n for c in configuration[member] if (n := codec_name(c)) in VARIABLE_SIZE
                ]
                if varying:
                    yield Fail(
                        f"{base}/{member}",
                        f"sharding: the index must have a fixed size, but with {varying[0]} its size varies",
                    )
        if configuration.get("index_location", "end") not in ("start", "end"):
            yield Fail(
                f"{base}/index_location",
                f'sharding: index_location must be "start" or "end", got {shown(configuration["index_location"])}',
            )


def outer_shape(array: Array) -> Any:
    """Return the shape of what a key holds; where it differs in length what divides each length, None where unknown."""
    grid = array.metadata.get("chunk_grid")
    if isinstance(grid, dict) and grid.get("name") == "regular":
        return grid["configuration"]["chunk_shape"]
    given = shapes_of(grid)
    if not isinstance(given, list) or len(given) != array.ndim:
        return None
    runs = [runs_of(one, length) for one, length in zip(given, array.shape or (), strict=True)]
    return [0 if one is None else math.gcd(*(size for size, _ in one)) for one in runs]


def shapes_around(chain: list[Any], pointer: str, shape: Any) -> dict[str, Any]:
    """Return the shape that each shard gets to divide, by its pointer: transposed, or a chunk of another shard.

    Parameters
    ----------
    chain, pointer, shape
        The codecs as they are stored, the pointer of their list, and the shape of the chunk that the first is given.
    """
    found: dict[str, Any] = {}
    for i, codec in enumerate(chain):
        configuration = codec.get("configuration") if isinstance(codec, dict) else None
        if not isinstance(configuration, dict):
            continue
        if codec_name(codec) == "transpose":
            order: Any = configuration.get("order")
            fits = _is_shape(shape) and _is_order(order, len(shape))
            shape = [shape[n] for n in order] if fits else None
        elif codec_name(codec) == "sharding_indexed":
            found[f"{pointer}/{i}"] = shape
            inner = configuration.get("codecs")
            if isinstance(inner, list):
                base = f"{pointer}/{i}/configuration/codecs"
                found |= shapes_around(inner, base, configuration.get("chunk_shape"))
    return found


INNER = "no shard that was looked at tells the shape of its chunks: take it from the program that wrote them"
_OUTER = "/codecs/0/configuration/chunk_shape"


def _as_indexed(pointer: str) -> FixMaker:
    """Return the fix that takes the shape from the index of a shard, which is looked at once."""

    def fix(node: Node) -> Draft:
        from nz_explorer.values.contents import look_at_shard

        looks = look_at_shard(node) if isinstance(node, Array) and pointer == _OUTER else None
        if looks is None:
            return Draft("suggest", note=INNER)
        inner = looks.codec[0]["configuration"]["chunk_shape"]
        note = f"{looks.text}, if it is right along the other dimensions"
        return Draft("suggest", (replace(pointer, inner),), note)

    return fix


def _inner_shape(
    base: str, configuration: dict[str, Any], outer: Any, rank: int | None, *, regular: bool
) -> Iterator[Fail]:
    inner = configuration.get("chunk_shape")
    pointer = f"{base}/chunk_shape"
    if not _is_shape(inner):
        got = shown(inner) if "chunk_shape" in configuration else "nothing"
        yield Fail(pointer, f"sharding: chunk_shape must be a list of positive integers, got {got}")
    elif rank is not None and len(inner) != rank:
        yield Fail(
            pointer,
            f"sharding: chunk_shape has {plural(len(inner), 'entry')} for {plural(rank, 'dimension')}",
        )
    elif _is_shape(outer) and len(outer) == len(inner):
        odd = next((i for i, (o, n) in enumerate(zip(outer, inner, strict=True)) if o % n), None)
        if odd is not None:
            which = f"a shard of {outer[odd]}" if regular else "every shard"
            yield Fail(
                pointer,
                f"sharding: chunks of {inner[odd]} do not divide {which} along dimension {odd}",
                fix=_as_indexed(pointer),
            )


@rule("Z3-CODEC-009", on="array", formats=V3, needs=("codecs",))
def index_protected(array: Array) -> Iterator[Fail]:
    """Require a checksum on the index, without which a damaged shard is read as other data."""
    for pointer, configuration, _ in _configured(array, "sharding_indexed"):
        chain = configuration.get("index_codecs")
        if isinstance(chain, list) and chain and "crc32c" not in map(codec_name, chain):
            yield Fail(
                f"{pointer}/configuration/index_codecs",
                "the shard index is not protected by crc32c",
            )


@rule("Z3-CODEC-010", on="array", formats=V3, needs=("codecs",))
def checksum_configuration(array: Array) -> Iterator[Fail]:
    """Note settings of a codec that has none."""
    for pointer, configuration, _ in _configured(array, "crc32c"):
        if configuration:
            yield Fail(
                f"{pointer}/configuration",
                f"crc32c takes no configuration, got {shown(configuration)}",
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
            for pointer, configuration, codec in _configured(array, name):
                bare = "configuration" not in codec
                yield from _against_register(name, known, pointer, configuration, bare=bare)


_NO_CONFIGURATION = {
    "zarr-python": "raises ValueError: Named configuration does not have a 'configuration' key",
    "xarray": "cannot open the group",
}


def _usual_settings(pointer: str) -> FixMaker:
    settings = {"level": 0, "checksum": False}

    def fix(node: Node) -> Draft:
        codec = jsonpointer.resolve_pointer(node.metadata, pointer, None)
        operation = (
            replace(pointer, {"name": codec, "configuration": settings})
            if isinstance(codec, str)
            else add(f"{pointer}/configuration", settings)
        )
        return Draft("safe", (operation,), "to read it, any level does")

    return fix


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
                fix=_usual_settings(pointer) if name == "zstd" and bare else None,
            )
    for member, value in configuration.items():
        at = pointers.join(f"{pointer}/configuration", member)
        wanted = known.members.get(member)
        if wanted is None:
            yield Fail(at, f"codec {name} has no setting {json_text(member)}")
        elif not wanted.allows(value):
            yield Fail(at, f"{member} of {name} must be {wanted.text}, got {shown(value)}")


@rule("Z3-CODEC-013", on="array", formats=V3, needs=("codecs",))
def needs_newer_reader(array: Array) -> Iterator[Fail]:
    """Note spellings that came with Zarr 3.1."""
    keys = array.metadata.get("chunk_key_encoding")
    if keys in ("default", "v2"):  # another name is Z3-KEY-001
        yield Fail(
            "/chunk_key_encoding",
            f"the short form {json_text(keys)} needs a reader of Zarr 3.1",
            fix=set_to("/chunk_key_encoding", {"name": keys}),
        )
    for pointer, codec in all_codecs(array.codecs, "/codecs"):
        if isinstance(codec, str):
            yield Fail(
                pointer,
                f"the short form {json_text(codec)} needs a reader of Zarr 3.1",
                fix=set_to(pointer, {"name": codec}),
            )
        elif isinstance(codec, dict) and "must_understand" in codec:
            yield Fail(
                f"{pointer}/must_understand",
                "must_understand in a codec needs a reader of Zarr 3.1",
                readers={},
            )
