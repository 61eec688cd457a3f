"""Z3: chains of codecs, extensions, and what is discouraged in the documents of Zarr v3."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeGuard

from nz_explorer.model import pointers
from nz_explorer.model.json_text import json_text
from nz_explorer.rules.findings import Fail, Undecided
from nz_explorer.rules.fixes import Draft, Operation, add, remove, replace
from nz_explorer.rules.registered import CHUNK_GRIDS, CODECS, EXTENSION_NAME, Codec
from nz_explorer.rules.registry import rule
from nz_explorer.rules.zarr_v3 import V3, is_integer, set_to, shown
from nz_explorer.rules.zarr_v3_arrays import ARRAY_MEMBERS, GROUP_MEMBERS, all_codecs, codec_name

if TYPE_CHECKING:
    from nz_explorer.model import Array, Group, Node

V2_MEMBERS = ("dtype", "chunks", "compressor", "filters", "order")
POINTS = ("data_type", "chunk_grid", "chunk_key_encoding")
ORDER = ("array to array", "array to bytes", "bytes to bytes")
VARIABLE_SIZE = frozenset({"zstd", "gzip", "blosc", "vlen-utf8", "vlen-bytes", "zfp", "packbits"})


@rule("Z3-DOC-005", on="node", formats=V3)
def discouraged_escape(node: Node) -> Iterator[Fail]:
    """Warn of members that readers may skip: the way out is not meant for new data."""
    known = ARRAY_MEMBERS if node.kind == "array" else GROUP_MEMBERS
    for member, value in node.metadata.items():
        if member == "consolidated_metadata":
            continue  # on an array: Z3-CM-003
        if (
            member not in known
            and isinstance(value, dict)
            and value.get("must_understand") is False
        ):
            yield Fail(
                pointers.join("", member),
                f"member {json_text(member)} relies on must_understand: false, which is discouraged",
            )


@rule("Z3-DOC-007", on="array", formats=V3)
def v2_members(array: Array) -> Iterator[Fail]:
    """Note names of members that belong to Zarr v2. That they are unknown is Z3-DOC-004."""
    found = [member for member in V2_MEMBERS if member in array.metadata]
    if found:
        yield Fail(
            f"/{found[0]}",
            f"zarr.json uses Zarr v2 member names ({', '.join(found)})",
            fix=lambda _node: Draft("suggest", note="write the members of Zarr v3 in their place"),
        )


@rule("Z3-GRID-004", on="array", formats=V3, needs=("chunk shape",))
def grid_known(array: Array) -> Iterator[Fail]:
    """Want a chunk grid that readers can look up."""
    grid = array.metadata.get("chunk_grid")
    if not isinstance(grid, dict):
        return
    name = grid.get("name")
    if not isinstance(name, str) or (name not in CHUNK_GRIDS and "://" not in name):
        yield Fail("/chunk_grid/name", f"chunk grid {shown(name)} is not registered")


@rule("Z3-KEY-002", on="array", formats=V3)
def default_keys(array: Array) -> Iterator[Fail]:
    """Warn of the names of chunks that converted data keep."""
    given = array.metadata.get("chunk_key_encoding")
    if (given.get("name") if isinstance(given, dict) else given) == "v2":
        yield Fail(
            "/chunk_key_encoding",
            "the v2 chunk key encoding is meant for converted data only",
        )


@rule("Z3-DT-003", on="array", formats=V3)
def no_must_understand(array: Array) -> Iterator[Fail]:
    """Fail on must_understand in extensions that nobody can do without."""
    for point in POINTS:
        given = array.metadata.get(point)
        if isinstance(given, dict) and "must_understand" in given:
            pointer = f"/{point}/must_understand"
            yield Fail(
                pointer,
                f"must_understand is not allowed in {point}",
                fix=lambda _node, pointer=pointer: Draft("safe", (remove(pointer),)),  # type: ignore[misc]  # bound now
            )


@rule("Z3-FV-006", on="array", formats=V3, needs=("data type",))
def fill_raw(array: Array) -> Iterator[Fail]:
    """Want a byte for each eight bits of a raw type."""
    if array.data_type.kind != "raw" or array.data_type.status != "core":
        return
    given, size = array.metadata.get("fill_value", []), array.data_type.itemsize
    if "fill_value" not in array.metadata or given is None:
        return  # Z3-DOC-003, Z3-FV-001
    sound = (
        isinstance(given, list)
        and len(given) == size
        and all(is_integer(byte) and 0 <= byte <= 255 for byte in given)
    )
    if not sound:
        yield Fail(
            "/fill_value",
            f"fill_value of {array.data_type.text} must be {size} integers from 0 to 255, got {shown(given)}",
        )


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
    """Want one codec that turns values into bytes, no more and no less."""
    for pointer, chain in _chains(array):
        kinds = _kinds(chain)
        if kinds is None:
            yield Undecided("dependency: Z3-CODEC-012")
            continue
        count = kinds.count(ORDER[1])
        if count != 1:
            yield Fail(
                pointer,
                f"the chain needs exactly one codec that makes bytes of the array, found {count}",
                fix=_insert_bytes(pointer, kinds) if count == 0 else None,
            )


def _insert_bytes(pointer: str, kinds: list[str]) -> Callable[[Node], Draft]:
    at = kinds.count(ORDER[0])
    operation = add(f"{pointer}/{at}", {"name": "bytes", "configuration": {"endian": "little"}})
    return lambda _node: Draft("suggest", (operation,), "if this is how the chunks were written")


@rule("Z3-CODEC-003", on="array", formats=V3, needs=("codecs",))
def codec_order(array: Array) -> Iterator[Fail | Undecided]:
    """Want codecs on arrays first, then the one that makes bytes, then those on bytes."""
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
                    f"{first} ({a}) stands before {second} ({b})",
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
    """Want to know which end of a number comes first. Of a shard's index it is always needed."""
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
                fix=_little(pointer),
            )


def _is_bytes(array: Array, pointer: str) -> bool:
    """Whether the elements have no ends to begin with."""
    return "/index_codecs/" not in pointer and array.data_type.kind in ("bytes", "raw")


def _little(pointer: str) -> Callable[[Node], Draft]:
    value = {"name": "bytes", "configuration": {"endian": "little"}}
    return lambda _node: Draft("suggest", (replace(pointer, value),), "if the chunks are so")


@rule("Z3-CODEC-005", on="array", formats=V3, needs=("codecs",))
def gzip_level(array: Array) -> Iterator[Fail]:
    """Want a level that gzip has."""
    for pointer, configuration, _ in _configured(array, "gzip"):
        level = configuration.get("level")
        if not is_integer(level) or not 0 <= level <= 9:
            got = shown(level) if "level" in configuration else "nothing"
            yield Fail(
                f"{pointer}/configuration/level",
                f"the level of gzip must be an integer from 0 to 9, got {got}",
            )


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
    """Want settings that Blosc has."""
    for pointer, configuration, _ in _configured(array, "blosc"):
        base = f"{pointer}/configuration"
        for member, (wanted, is_sound) in BLOSC.items():
            value = configuration.get(member)
            if member in configuration and is_sound(value):
                continue
            number = value if member == "shuffle" and is_integer(value) else -1
            got = shown(value) if member in configuration else "nothing"
            yield Fail(
                f"{base}/{member}",
                f"{member} of blosc must be {wanted}, got {got}",
                fix=set_to(f"{base}/{member}", SHUFFLES[number]) if 0 <= number <= 2 else None,
            )
        size = configuration.get("typesize")
        needed = configuration.get("shuffle") in SHUFFLES[1:]
        if ("typesize" in configuration or needed) and not (is_integer(size) and size > 0):
            got = shown(size) if "typesize" in configuration else "nothing"
            yield Fail(
                f"{base}/typesize", f"typesize of blosc must be an integer above 0, got {got}"
            )


@rule("Z3-CODEC-007", on="array", formats=V3, needs=("shape", "codecs"))
def transpose_order(array: Array) -> Iterator[Fail]:
    """Want each axis once."""
    for pointer, configuration, _ in _configured(array, "transpose"):
        order = configuration.get("order")
        if not _is_order(order, array.ndim):
            got = shown(order) if "order" in configuration else "nothing"
            yield Fail(
                f"{pointer}/configuration/order",
                f"the order of transpose must list the axes 0 to n-1 once each, got {got}",
            )


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
    """Want chunks that fit into their shard, chains for them and an index of fixed size."""
    grid = array.metadata.get("chunk_grid")
    outer = None
    if isinstance(grid, dict) and grid.get("name") == "regular":
        outer = grid["configuration"]["chunk_shape"]
    around = _shapes_around(array.codecs, "/codecs", outer)
    for pointer, configuration, _ in _configured(array, "sharding_indexed"):
        base = f"{pointer}/configuration"
        yield from _inner_shape(base, configuration, around.get(pointer), array.ndim)
        for member in ("codecs", "index_codecs"):
            if not isinstance(configuration.get(member), list) or not configuration[member]:
                yield Fail(f"{base}/{member}", f"sharding: {member} must be a list of codecs")
            elif member == "index_codecs":
                varying = [
                    n for c in configuration[member] if (n := codec_name(c)) in VARIABLE_SIZE
                ]
                if varying:
                    yield Fail(
                        f"{base}/{member}",
                        f"sharding: the index must have a fixed size, and {varying[0]} gives it another one each time",
                    )
        if configuration.get("index_location", "end") not in ("start", "end"):
            yield Fail(
                f"{base}/index_location",
                f'sharding: index_location must be "start" or "end", got {shown(configuration["index_location"])}',
            )


def _shapes_around(chain: list[Any], pointer: str, shape: Any) -> dict[str, Any]:
    """Return the shape that each shard gets to divide, by its pointer: transposed, or a chunk of another shard."""
    found: dict[str, Any] = {}
    for i, codec in enumerate(chain):
        configuration = codec.get("configuration") if isinstance(codec, dict) else None
        if not isinstance(configuration, dict):
            continue
        if codec_name(codec) == "transpose":
            order = configuration.get("order")
            shape = (
                [shape[n] for n in order]
                if _is_shape(shape) and _is_order(order, len(shape))
                else None
            )
        elif codec_name(codec) == "sharding_indexed":
            found[f"{pointer}/{i}"] = shape
            inner = configuration.get("codecs")
            if isinstance(inner, list):
                base = f"{pointer}/{i}/configuration/codecs"
                found |= _shapes_around(inner, base, configuration.get("chunk_shape"))
    return found


def _inner_shape(
    base: str, configuration: dict[str, Any], outer: Any, rank: int | None
) -> Iterator[Fail]:
    inner = configuration.get("chunk_shape")
    pointer = f"{base}/chunk_shape"
    if not _is_shape(inner):
        got = shown(inner) if "chunk_shape" in configuration else "nothing"
        yield Fail(pointer, f"sharding: chunk_shape must be a list of positive integers, got {got}")
    elif rank is not None and len(inner) != rank:
        yield Fail(pointer, f"sharding: chunk_shape has {len(inner)} entries for {rank} dimensions")
    elif _is_shape(outer) and len(outer) == len(inner):
        odd = next((i for i, (o, n) in enumerate(zip(outer, inner, strict=True)) if o % n), None)
        if odd is not None:
            yield Fail(
                pointer,
                f"sharding: chunks of {inner[odd]} do not divide a shard of {outer[odd]} along dimension {odd}",
            )


@rule("Z3-CODEC-009", on="array", formats=V3, needs=("codecs",))
def index_protected(array: Array) -> Iterator[Fail]:
    """Want a checksum on the index, without which a damaged shard is read as other data."""
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
    """Want configurations that the register of codecs allows."""
    for name, known in CODECS.items():
        if name not in OWN_RULES:
            for pointer, configuration, _ in _configured(array, name):
                yield from _against_register(name, known, pointer, configuration)


def _against_register(
    name: str, known: Codec, pointer: str, configuration: Mapping[str, Any]
) -> Iterator[Fail]:
    if known.members is None:
        return
    for member in known.required:
        if member not in configuration:
            yield Fail(f"{pointer}/configuration/{member}", f"{name} needs {member}")
    for member, value in configuration.items():
        at = pointers.join(f"{pointer}/configuration", member)
        wanted = known.members.get(member)
        if wanted is None:
            yield Fail(at, f"{name} has no setting {json_text(member)}")
        elif not wanted.allows(value):
            yield Fail(at, f"{member} of {name} must be {wanted.text}, got {shown(value)}")


@rule("Z3-CODEC-013", on="array", formats=V3, needs=("codecs",))
def needs_newer_reader(array: Array) -> Iterator[Fail]:
    """Note spellings that came with Zarr 3.1."""
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
            )


@rule("Z3-ST-001", on="array", formats=V3)
def transformers(array: Array) -> Iterator[Fail]:
    """Want a list, empty in nearly all data."""
    given = array.metadata.get("storage_transformers", [])
    pointer = "/storage_transformers"
    if not isinstance(given, list):
        yield Fail(
            pointer,
            f"storage_transformers must be a list, got {shown(given)}",
            fix=set_to(pointer, []) if given is None else None,
        )
        return
    for i, entry in enumerate(given):
        if codec_name(entry) is None:
            yield Fail(
                f"{pointer}/{i}",
                f"storage transformer {i} must be an extension, got {shown(entry)}",
            )


def _extensions(array: Array) -> Iterator[tuple[str, Any]]:
    """Yield everything that is written as an extension, with its pointer."""
    for point in POINTS:
        if point in array.metadata:
            yield f"/{point}", array.metadata[point]
    yield from all_codecs(array.codecs, "/codecs")
    transformers = array.metadata.get("storage_transformers")
    if isinstance(transformers, list):
        yield from ((f"/storage_transformers/{i}", entry) for i, entry in enumerate(transformers))


@rule("Z3-EXT-001", on="array", formats=V3)
def extension_names(array: Array) -> Iterator[Fail]:
    """Want names of the agreed form. A URI was allowed once."""
    for pointer, given in _extensions(array):
        name = codec_name(given)
        if name is None or EXTENSION_NAME.fullmatch(name):
            continue
        if pointer == "/data_type" and (array.data_type.status == "core" or "://" not in name):
            continue  # one that is not registered is Z3-DT-002
        at = f"{pointer}/name" if isinstance(given, dict) else pointer
        yield Fail(
            at,
            f"{json_text(name)} is not a valid extension name",
            severity="warning" if "://" in name else None,
        )


@rule("Z3-EXT-002", on="array", formats=V3)
def extension_configurations(array: Array) -> Iterator[Fail]:
    """Want an object where there is a configuration. Of a data type this is Z3-DT-001."""
    for pointer, given in _extensions(array):
        if not isinstance(given, dict) or pointer == "/data_type" or _has_own_rule(pointer, given):
            continue
        configuration = given.get("configuration", {})
        if not isinstance(configuration, dict):
            at = f"{pointer}/configuration"
            yield Fail(
                at,
                f"configuration of {codec_name(given) or 'an extension'} must be an object, got {shown(configuration)}",
                fix=set_to(at, {}) if configuration is None else None,
            )


def _has_own_rule(pointer: str, given: dict[str, Any]) -> bool:
    return pointer == "/chunk_grid" and given.get("name") == "regular"


# --- consolidated metadata -----------------------------------------------------------------------


@rule("Z3-CM-001", on="group", formats=V3, reads="rare")
def consolidated_form(group: Group) -> Iterator[Fail]:
    """Want the one form that readers have agreed on."""
    if "consolidated_metadata" not in group.metadata:
        return
    held = group.metadata["consolidated_metadata"]
    base = "/consolidated_metadata"
    if not isinstance(held, Mapping):
        yield Fail(
            base,
            f"consolidated_metadata: must be an object, got {shown(held)}",
            fix=(lambda _node: Draft("safe", (remove(base),))) if held is None else None,
        )
        return
    if held.get("must_understand") is not False:
        yield Fail(
            f"{base}/must_understand",
            "consolidated_metadata: must_understand must be false, or readers that do not know it refuse the group",
            fix=lambda _node: Draft("safe", (add(f"{base}/must_understand", False),)),
        )
    if held.get("kind") != "inline":
        yield Fail(
            f"{base}/kind",
            f'consolidated_metadata: kind must be "inline", got {shown(held.get("kind"))}',
        )
    if not isinstance(held.get("metadata"), Mapping):
        yield Fail(f"{base}/metadata", "consolidated_metadata: metadata must be an object")


@rule("Z3-CM-003", on="array", formats=V3, reads="rare")
def consolidated_on_array(array: Array) -> Iterator[Fail]:
    """Fail on consolidated metadata of something that holds no nodes."""
    if "consolidated_metadata" in array.metadata:
        yield Fail(
            "/consolidated_metadata",
            "consolidated_metadata is for groups",
            fix=lambda _node: Draft("safe", (remove("/consolidated_metadata"),)),
        )


@rule("Z3-CM-002", on="root", formats=V3)
def consolidated_entries(node: Node) -> Iterator[Fail]:
    """Want entries that are nodes, with keys that are paths, and parents that have entries."""
    consolidated = node.hierarchy.consolidated
    if consolidated is None:
        return
    found = list(consolidated.rejected.items())
    for path, key in consolidated.keys("zarr.json"):
        if path == "/":
            continue
        above = path.rpartition("/")[0]
        odd = _odd_key(key)
        if odd is not None:
            found.append((key, odd))
        elif above and above not in consolidated:
            found.append((key, f"its group {above} has no entry"))
        elif (why := consolidated.why_no_node(path)) is not None:
            found.append((key, f"it is no node ({why})"))
    for key, why in found:
        yield Fail(
            pointers.join(consolidated.base, key),
            f"consolidated entry {json_text(key)}: {why}",
            fix=_again,
        )


def _odd_key(key: str) -> str | None:
    if key.startswith("/") or key.endswith("/"):
        return "its key begins or ends with a slash"
    if key == "zarr.json" or key.endswith("/zarr.json"):
        return "its key is that of a document, not the path of a node"
    return None


def _again(_node: Node) -> Draft:
    return Draft("suggest", note="write the consolidated metadata anew")
