"""Z3: members and extensions that readers may not understand, or that belong to Zarr v2."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from nz_explorer.conventions.zarr3.arrays import (
    ARRAY_MEMBERS,
    GROUP_MEMBERS,
    V2_MEMBERS,
)
from nz_explorer.conventions.zarr3.nodes import V3, is_integer, shown
from nz_explorer.conventions.zarr3.registered_extensions import (
    CHUNK_GRIDS,
    URI_NAME,
)
from nz_explorer.conventions.zarr3.representations import outer_shape, shapes_around
from nz_explorer.conventions.zarr_versions import in_versions
from nz_explorer.documents import pointers
from nz_explorer.documents.json_text import json_text
from nz_explorer.engine.findings import Fail
from nz_explorer.engine.fixes import Draft, add, remove
from nz_explorer.engine.registry import rule
from nz_explorer.model import codec_name, configuration_of
from nz_explorer.model.data_type import parse_v2
from nz_explorer.text.phrases import plural

if TYPE_CHECKING:
    from nz_explorer.model import Array, Node


POINTS = ("data_type", "chunk_grid", "chunk_key_encoding")


_NOT_IN_GROUPS = in_versions(
    "before 3.4.1",
    "raises TypeError: GroupMetadata.__init__() got an unexpected keyword argument, in spite of must_understand",
)


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
                impact="blocks" if node.kind == "group" else None,
                readers=_NOT_IN_GROUPS if node.kind == "group" else None,
            )


@rule("Z3-DOC-007", on="array", formats=V3)
def v2_members(array: Array) -> Iterator[Fail]:
    """Note names of members that belong to Zarr v2. That they are unknown is Z3-DOC-004."""
    found = [member for member in V2_MEMBERS if member in array.metadata]
    if found:
        yield Fail(
            f"/{found[0]}",
            f"zarr.json uses Zarr v2 member names ({', '.join(found)})",
            fix=_in_words_of_v3,
        )


def _in_words_of_v3(node: Node) -> Draft:
    """Return the fix that says what is left of a document of Zarr v2 in the words of Zarr v3, as far as they are sure."""
    given = node.metadata
    said: dict[str, Any] = {}
    data_type = parse_v2(given.get("dtype"))
    if data_type.status == "core":
        said["data_type"] = data_type.name
    if isinstance(chunks := given.get("chunks"), list):
        said["chunk_grid"] = {"name": "regular", "configuration": {"chunk_shape": chunks}}
    if (separator := given.get("dimension_separator")) in (".", "/"):
        said["chunk_key_encoding"] = {"name": "v2", "configuration": {"separator": separator}}
    if "compressor" in given and not given["compressor"] and not given.get("filters"):
        order = "big" if str(given.get("dtype")).startswith(">") else "little"
        said["codecs"] = [{"name": "bytes", "configuration": {"endian": order}}]
    added = tuple(add(f"/{member}", value) for member, value in said.items() if member not in given)
    removed = tuple(remove(f"/{member}") for member in V2_MEMBERS if member in given)
    return Draft(
        "suggest", (*added, *removed), "what Zarr v2 said is then said in the words of Zarr v3"
    )


@rule("Z3-GRID-004", on="array", formats=V3, needs=("chunk shape",))
def grid_known(array: Array) -> Iterator[Fail]:
    """Require a chunk grid that readers can look up."""
    grid = array.metadata.get("chunk_grid")
    if not isinstance(grid, dict):
        return
    if "name" not in grid:
        yield Fail("/chunk_grid/name", 'chunk_grid has no name, such as "regular"')
        return
    name = grid["name"]
    if not isinstance(name, str) or not (name in CHUNK_GRIDS or URI_NAME.fullmatch(name)):
        what = (
            "chunk_grid has no name"
            if name is None
            else f"chunk grid {shown(name)} is not registered"
        )
        yield Fail("/chunk_grid/name", what)


@rule("Z3-KEY-002", on="array", formats=V3)
def default_keys(array: Array) -> Iterator[Fail]:
    """Warn of the names of chunks that converted data keep."""
    given = array.metadata.get("chunk_key_encoding")
    # blocks of N5 have these keys, whoever writes them
    of_n5 = any(codec_name(codec) == "n5_default" for codec in array.codecs)
    if codec_name(given) == "v2" and not of_n5:
        yield Fail(
            "/chunk_key_encoding",
            "the chunk key encoding v2 is meant only for data converted from Zarr v2",
        )


def _divides(inner: Any, outer: list[int]) -> bool:
    """Whether inner chunks fill a shard, each given by its lengths."""
    return (
        isinstance(inner, list)
        and len(inner) == len(outer)
        and all(is_integer(n) and n > 0 and not o % n for o, n in zip(outer, inner, strict=True))
    )


@rule("Z3-CODEC-008", on="array", formats=V3, needs=("shape", "chunk shape", "codecs"))
def shards_of_a_transposed_chunk(array: Array) -> Iterator[Fail]:
    """Note shards that fit the transposed chunk, as they should, and not the chunk as it is in the grid."""
    chunk = outer_shape(array)
    around = shapes_around(array)
    for i, codec in enumerate(array.codecs):
        transposed = around.get(f"/codecs/{i}")
        if transposed in (None, chunk) or codec_name(codec) != "sharding_indexed":
            continue
        if sorted(transposed) != sorted(chunk):
            continue  # reshaped, by a codec that zarr-python up to 3.4 does not have
        inner = configuration_of(codec).get("chunk_shape")
        if _divides(inner, transposed) and not _divides(inner, chunk):
            yield Fail(
                f"/codecs/{i}/configuration/chunk_shape",
                f"sharding: chunks of {shown(inner)} divide the transposed {shown(transposed)}, as the text asks;"
                f" zarr-python up to 3.4 compares them with {shown(chunk)}",
                severity="info",
            )


_NO_TYPE = {
    "zarr-python": "raises ValueError: Invalid data_type",
    "xarray": "cannot open the group",
}


@rule("Z3-DT-003", on="array", formats=V3)
def no_must_understand(array: Array) -> Iterator[Fail]:
    """Fail on must_understand in extensions that nobody can do without."""
    for point in POINTS:
        given = array.metadata.get(point)
        if not isinstance(given, dict) or "must_understand" not in given:
            continue
        pointer, refused = f"/{point}/must_understand", point == "data_type"
        # true is what every extension means that says nothing; zarr-python takes no type with either
        if given["must_understand"] is not True or (refused and array.data_type.status != "core"):
            legal = given["must_understand"] is True
            yield Fail(
                pointer,
                f"must_understand: true in {point} is valid and means nothing; zarr-python does not open the array"
                if legal
                else f"must_understand: {shown(given['must_understand'])} is not supported in {point}",
                severity="info" if legal else None,
                impact="blocks" if refused else None,
                readers=_NO_TYPE if refused else None,
                fix=lambda _node, pointer=pointer: Draft("safe", (remove(pointer),)),  # type: ignore[misc]  # bound now
            )


@rule("Z3-FV-006", on="array", formats=V3, needs=("data type",))
def fill_raw(array: Array) -> Iterator[Fail]:
    """Require one byte for each eight bits of a raw type."""
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
            f"fill_value of {array.data_type.text} must be {plural(size or 0, 'integer')} from 0 to 255, got {shown(given)}",
        )
