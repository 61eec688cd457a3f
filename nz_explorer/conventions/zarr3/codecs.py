"""Z3: chains of codecs, their order, and shards."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import jsonpointer

from nz_explorer.conventions.zarr3.arrays import all_codecs
from nz_explorer.conventions.zarr3.codec_packages import (
    NOT_WITH_ZARR,
    SETTINGS_UNKNOWN,
    WITH_SETTINGS,
    WRAPPED,
    is_a_guess,
    meant_in_v3,
    what_it_needs,
)
from nz_explorer.conventions.zarr3.codec_settings import configured
from nz_explorer.conventions.zarr3.nodes import UNREAD, V3, refusal, set_to, shown
from nz_explorer.conventions.zarr3.registered_extensions import CODECS, URI_NAME
from nz_explorer.conventions.zarr3.representations import (
    is_order,
    is_shape,
    representations,
    shapes_around,
)
from nz_explorer.conventions.zarr_versions import in_versions
from nz_explorer.documents.json_text import json_text
from nz_explorer.engine.findings import Fail, Undecided
from nz_explorer.engine.fixes import Draft, add, replace
from nz_explorer.engine.registry import rule
from nz_explorer.model import Array, codec_name, configuration_of
from nz_explorer.model.chunk_edges import shapes_of
from nz_explorer.text.phrases import plural

if TYPE_CHECKING:
    from nz_explorer.engine.findings import FixMaker
    from nz_explorer.model import Node


ORDER = ("array to array", "array to bytes", "bytes to bytes")
VARIABLE_SIZE = frozenset(
    {"zstd", "gzip", "blosc", "vlen-utf8", "vlen-bytes", "zfp", "sharding_indexed"}
)
"""Codecs whose output varies in size; what sharding writes lacks the inner chunks that are empty."""
_INDEX_UNREAD = {
    "zarr-python": "raises ValueError when it opens the array; before 3.4.1 NotImplementedError when it reads a shard",
    "xarray": "cannot open the group; with zarr-python before 3.4.1 raises NotImplementedError when values are loaded",
}
"""What becomes of an index whose size cannot be told."""
_INDEX_IN_SHARDS = in_versions("since 3.4.1", "raises ValueError")


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
        configuration = configuration_of(codec)
        if codec_name(codec) == "sharding_indexed":
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


@rule("Z3-CODEC-007", on="array", formats=V3, needs=("shape", "codecs"))
def transpose_order(array: Array) -> Iterator[Fail]:
    """Require each axis once."""
    for pointer, configuration, _ in configured(array, "transpose"):
        order, rank = configuration.get("order"), _rank(array, pointer)
        if not is_order(order, rank):
            got = shown(order) if "order" in configuration else "nothing"
            yield Fail(
                f"{pointer}/configuration/order",
                f"the order of transpose must list each axis from 0 to n − 1 once, got {got}",
                readers={}
                if _is_order_to_python(order, rank)
                else _INDEX_IN_VAIN
                if _INDEX in pointer and isinstance(order, list) and is_order(order, len(order))
                else None,
                fix=_order_in_full(f"{pointer}/configuration/order", order, rank),
            )


def _order_in_full(pointer: str, order: Any, rank: int | None) -> FixMaker | None:
    """Return the fix that writes out C and F, which drafts of the specification had."""
    if order not in ("C", "F") or rank is None:
        return None
    axes = list(range(rank))[:: 1 if order == "C" else -1]
    return lambda _node: Draft("suggest", (replace(pointer, axes),))


_INDEX = "/configuration/index_codecs/"
_INDEX_IN_VAIN = {
    "zarr-python": "opens the array, and raises an error when it reads a shard",
    "xarray": "opens the group, and raises an error when values are loaded",
}
"""What becomes of an index whose axes are those of another array."""


def _rank(array: Array, pointer: str) -> int | None:
    """Return the rank of what a codec gets: the index of a shard has one dimension more, offset and length."""
    shard, of_index, _ = pointer.rpartition(_INDEX)
    given = representations(array).get(shard if of_index else pointer)
    rank = array.ndim if given is None else given.rank
    return rank + 1 if of_index and rank is not None else rank


def _is_order_to_python(order: Any, rank: int | None) -> bool:
    """Whether it lists each axis once where false and true are 0 and 1."""
    if not isinstance(order, list):
        return False
    return is_order([int(axis) if isinstance(axis, bool) else axis for axis in order], rank)


@rule("Z3-CODEC-008", on="array", formats=V3, needs=("shape", "chunk shape", "codecs"))
def sharding(array: Array) -> Iterator[Fail]:
    """Require chunks that fit into their shard, chains for them and an index of fixed size."""
    around = shapes_around(array)
    for pointer, configuration, _ in configured(array, "sharding_indexed"):
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
                        readers=_INDEX_IN_SHARDS
                        if varying[0] == "sharding_indexed"
                        else _INDEX_UNREAD,
                    )
        if configuration.get("index_location", "end") not in ("start", "end"):
            yield Fail(
                f"{base}/index_location",
                f'sharding: index_location must be "start" or "end", got {shown(configuration["index_location"])}',
            )


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
    if not is_shape(inner):
        got = shown(inner) if "chunk_shape" in configuration else "nothing"
        whole = isinstance(inner, list) and all(isinstance(n, int) and n >= 0 for n in inner)
        yield Fail(
            pointer,
            f"sharding: chunk_shape must be a list of positive integers, got {got}",
            readers=UNREAD if whole else None,  # one of them is 0
        )
    elif rank is not None and len(inner) != rank:
        yield Fail(
            pointer,
            f"sharding: chunk_shape has {plural(len(inner), 'entry')} for {plural(rank, 'dimension')}",
        )
    elif is_shape(outer) and len(outer) == len(inner):
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
    """Require a checksum on the index, without which a damaged shard is read as other data; note the less usual byte order."""
    for pointer, configuration, _ in configured(array, "sharding_indexed"):
        chain = configuration.get("index_codecs")
        if isinstance(chain, list) and chain and "crc32c" not in map(codec_name, chain):
            yield Fail(
                f"{pointer}/configuration/index_codecs",
                "the shard index is not protected by crc32c: damage to it goes unnoticed, and zarrita up to May 2026 reads other bytes for the data",
            )
        for number, codec in enumerate(chain if isinstance(chain, list) else ()):
            if configuration_of(codec).get("endian") == "big":
                yield Fail(
                    f"{pointer}/configuration/index_codecs/{number}/configuration/endian",
                    "the shard index is big-endian, and little-endian is recommended; every reader decodes both",
                    severity="info",
                    readers={},
                )


def _in_full(pointer: str, name: str) -> FixMaker:
    plain = name.removeprefix("numcodecs.")
    if plain == name or plain not in WRAPPED:
        return set_to(pointer, {"name": name})
    if plain in WITH_SETTINGS:
        return lambda _node: Draft("suggest", note=SETTINGS_UNKNOWN)
    # numcodecs wants a configuration, be it empty
    return set_to(
        pointer, {"name": name, "configuration": {}}, "suggest", "if no setting was chosen"
    )


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
                fix=_in_full(pointer, codec),
            )
        elif isinstance(codec, dict) and "must_understand" in codec:
            odd = not isinstance(codec["must_understand"], bool)
            yield Fail(
                f"{pointer}/must_understand",
                "must_understand in a codec needs a reader of Zarr 3.1"
                + (f"; it is true or false, got {shown(codec['must_understand'])}" if odd else ""),
                severity="warning" if odd else None,
                readers={},
            )


_WITHOUT_PACKAGE = {
    "zarr-python": "raises UnknownCodecError when it reads the array, unless that package is installed",
    "xarray": "opens the group, and raises UnknownCodecError when it reads the array",
}
"""What happens with codecs of numcodecs that need another package."""
_WITHOUT_CONFIGURATION = {
    "zarr-python": "raises ValueError: Named configuration does not have a 'configuration' key",
    "xarray": "cannot open the group",
}
"""What happens with codecs of numcodecs that have none; an empty one will do."""


def _numcodecs(name: str) -> str:
    """Return what decodes a codec of numcodecs."""
    plain = name.removeprefix("numcodecs.")
    if plain in NOT_WITH_ZARR:
        return f"the Python package numcodecs together with {plain} ({what_it_needs(plain)})"
    return "the Python package numcodecs"


@rule("Z3-CODEC-012", on="array", formats=V3, needs=("codecs",))
def codec_known(array: Array) -> Iterator[Fail]:
    """Require codecs that others can look up."""
    for pointer, codec in all_codecs(array.codecs, "/codecs"):
        name = codec.get("name") if isinstance(codec, dict) else codec
        if isinstance(name, str) and (name in CODECS or URI_NAME.fullmatch(name)):
            continue
        wrapped = isinstance(name, str) and name.removeprefix("numcodecs.") in WRAPPED
        if wrapped and str(name).startswith("numcodecs."):
            bare = not isinstance(codec, dict) or "configuration" not in codec
            extra = str(name).removeprefix("numcodecs.") in NOT_WITH_ZARR
            yield Fail(
                pointer,
                f"codec {shown(name)} is not registered; decoding needs {_numcodecs(str(name))}, so GDAL, zarrita"
                " and others may not read it",
                impact="blocks" if extra else None,
                readers=_WITHOUT_PACKAGE if extra else {},
            )
            if bare and isinstance(codec, dict):  # a name alone is Z3-CODEC-013
                yield Fail(
                    f"{pointer}/configuration",
                    f"codec {shown(name)} has no configuration, and numcodecs wants one, be it empty",
                    readers=_WITHOUT_CONFIGURATION,
                    fix=_configure(pointer, str(name)),
                )
            continue
        right = meant_in_v3(name) if isinstance(name, str) else None
        if right is not None:
            yield Fail(
                pointer,
                f"codec {shown(name)} is not registered; "
                + (
                    f"did you mean {json_text(right)}?"
                    if is_a_guess(str(name))
                    else f"it is called {json_text(right)}"
                ),
                # zarr-python knows the codec by this name, too, and does not read it by it
                readers=refusal(array, "ValueError: Expected 'bytes'")
                if name == "endian"
                else None,
                fix=_call_it(pointer, right),
            )
            continue
        if not isinstance(name, str):
            of_v2 = isinstance(codec, dict) and "name" not in codec and "id" in codec
            form = ': {"id": …} is the form of Zarr v2, v3 has {"name": …, "configuration": {…}}'
            yield Fail(
                pointer,
                f"a codec must have a name, got {shown(codec)}{form if of_v2 else ''}",
                readers=refusal(
                    array,
                    "ValueError"
                    if isinstance(codec, dict) and "name" not in codec
                    else "TypeError",
                ),
            )
            continue
        ignorable = isinstance(codec, dict) and codec.get("must_understand") is False
        yield Fail(
            pointer,
            f"codec {shown(name)} is not registered; "
            + (
                "with must_understand: false readers may leave it out, but zarr-python does not"
                if ignorable
                else f"decoding needs {what_it_needs(name)}"
            ),
            severity="warning" if ignorable else None,
        )


def _configure(pointer: str, name: str) -> FixMaker:
    if name.removeprefix("numcodecs.") in WITH_SETTINGS:
        return lambda _node: Draft("suggest", note=SETTINGS_UNKNOWN)
    operation = add(f"{pointer}/configuration", {})
    return lambda _node: Draft("suggest", (operation,), "if no setting was chosen")


def _call_it(pointer: str, right: str) -> FixMaker:
    def fix(node: Node) -> Draft:
        codec = jsonpointer.resolve_pointer(node.metadata, pointer, None)
        at = f"{pointer}/name" if isinstance(codec, dict) else pointer
        return Draft("suggest", (replace(at, right),))

    return fix
