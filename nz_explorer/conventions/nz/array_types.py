"""NZ: types, codecs and packing that every reader copes with (NZ-1.0, Array Data Types; Codecs)."""

from __future__ import annotations

import heapq
import math
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from nz_explorer.conventions.times_as_numbers import REFUSED, TIMES, as_numbers, in_multiples
from nz_explorer.conventions.zarr3.arrays import all_codecs, chunk_of_scalar
from nz_explorer.conventions.zarr3.registered_extensions import CODECS
from nz_explorer.conventions.zarr_versions import in_versions
from nz_explorer.documents.json_text import json_text
from nz_explorer.engine.findings import Fail, Undecided
from nz_explorer.engine.fixes import Draft, remove
from nz_explorer.engine.registry import rule
from nz_explorer.model import Array, codec_name, configuration_of
from nz_explorer.model.attribute_types import PACKING
from nz_explorer.text.phrases import plural

if TYPE_CHECKING:
    from nz_explorer.engine.totals import Totals
    from nz_explorer.model import Node

STRING_KINDS = ("fixed_length_utf32", "null_terminated_bytes", "fixed_length_ascii")
BASELINE = frozenset({"bytes", "zstd", "sharding_indexed", "vlen-utf8"})
"""What NZ recommends, and the codec without which there is no array of strings."""
COMMON = BASELINE | {"gzip", "blosc"}
"""Those that NZ lists as broadly supported, and the codec of strings."""
IN_ZARR_PYTHON = frozenset({"transpose", "crc32c", "vlen-bytes"})
"""Others that come with zarr-python."""
SINCE_ZARR_3_2 = frozenset({"scale_offset"})
"""Others that come with zarr-python since version 3.2."""
LOSSY = frozenset({"bitround", "cast_value", "quantize", "zfp", "fixedscaleoffset", "astype"})
SCALING = frozenset({"scale_offset", "numcodecs.fixedscaleoffset"})
MOST_CHUNKS = 10_000
MOST_CHUNKS_TOGETHER = 100_000
TINY_CHUNK = 1_000
"""Bytes of a chunk that hardly ever pay for looking it up."""
MOST_NAMED = 10


def _names(array: Array) -> list[str]:
    """Names of the codecs, of the outermost chain only: what is inside of a shard is the shard's."""
    return [name for codec in array.codecs if (name := codec_name(codec)) is not None]


_RAW_BITS = re.compile(r"r\d+")
_REFUSED = {
    "zarr-python": "raises ValueError: No Zarr data type found, unless a package registers the type",
    "xarray": "cannot open the group",
}
"""What happens (up to zarr 3.4) with types that NumPy has nothing like, with raw bits, and with newer names of complex numbers."""


_STRUCT = in_versions("before 3.2", "raises ValueError: No Zarr data type found")


@rule("NZ-TYPE-001", on="array", formats=(3,), needs=("data type",))
def core_type(array: Array) -> Iterator[Fail]:
    """Note a type that readers need not know. float16 has a rule of its own, strings another."""
    kind = array.data_type
    if kind.nz or not kind.known or kind.name == "float16" or is_text(array):
        return
    hint = "; netCDF stores times as numbers with units" if kind.kind in TIMES else ""
    # complex64 and complex128 of the core are among the 13; zarr-python does not know their newer names
    refused = kind.numpy is None or kind.kind == "complex" or _RAW_BITS.fullmatch(kind.name)
    readers = _REFUSED if refused else None
    if readers is None and kind.name == "struct":
        readers = _STRUCT
    if in_multiples(kind):
        readers = REFUSED
    yield Fail(
        "/data_type",
        f"data type {kind.text} is not one of the 13 types that every NZ reader must decode{hint}",
        impact="blocks" if readers else None,
        readers=readers or (None if kind.kind in TIMES else {}),
        fix=as_numbers if kind.kind in TIMES else None,
    )


def is_text(array: Array) -> bool:
    """Whether the values of an array are texts.

    Parameters
    ----------
    array : Array
        Of any format.
    """
    return array.data_type.kind == "string" or array.data_type.name in STRING_KINDS


@rule("NZ-TYPE-002", on="array", formats=(3,), needs=("data type",))
def string_type(array: Array) -> Iterator[Fail]:
    """Require the data type string for text."""
    kind = array.data_type
    if kind.known and is_text(array) and kind.name != "string":
        yield Fail(
            "/data_type", f'this array stores strings as {kind.text}; NZ recommends "string"'
        )


@rule("NZ-TYPE-003", on="array", formats=(3,), needs=("data type",))
def half_precision(array: Array) -> Iterator[Fail]:
    """Note the one type that Zarr's core has and NZ has not."""
    if array.data_type.name == "float16":
        yield Fail("/data_type", "float16 is a core type of Zarr, but not one of the types of NZ")


@rule("NZ-SCAL-004", on="array", formats=(3,), needs=("shape", "chunk shape"))
def scalar_chunk(array: Array) -> Iterator[Fail]:
    """Require the chunk of a scalar to be a scalar."""
    given = configuration_of(array.metadata.get("chunk_grid")).get("chunk_shape")
    if array.ndim == 0 and given:
        yield Fail(
            "/chunk_grid/configuration/chunk_shape",
            f"the chunk_shape of a scalar must be [], got {json_text(given)}",
            fix=chunk_of_scalar(array),
        )


@rule("NZ-CODEC-001", on="array", formats=(3,), needs=("codecs",))
def baseline(array: Array) -> Iterator[Fail]:
    """Note codecs outside those that NZ recommends."""
    others = [name for name in _names(array) if name not in BASELINE]
    if others:
        yield Fail(
            "/codecs",
            f"this array uses {', '.join(others)}; NZ recommends bytes and zstd, and sharding_indexed for many chunks",
        )


@rule("NZ-CODEC-002", on="array", formats=(3,), needs=("codecs",))
def broadly_supported(array: Array) -> Iterator[Fail]:
    """Note a codec that many programs lack. One that nobody has registered is Z3-CODEC-012."""
    for pointer, codec in all_codecs(array.codecs, "/codecs"):
        name = codec_name(codec)
        # inside of a shard, those of Zarr itself, such as crc32c of its index
        own = IN_ZARR_PYTHON if pointer.count("/") > 2 else ()
        if name in CODECS and name not in COMMON and name not in own and not _is_lossy(name):
            yield Fail(
                pointer,
                f"codec {name} is not one of those that NZ lists as broadly supported",
                readers=_readers(name),
            )


def _readers(name: str) -> dict[str, str] | None:
    """Return what readers do with a codec; None where they do what the rule says."""
    if name in IN_ZARR_PYTHON:
        return {}
    if name not in SINCE_ZARR_3_2:
        return None
    return {
        **in_versions("before 3.2", "raises an error that names the codec"),
        "GDAL": "says Unsupported codec, and opens no such array (2026)",
    }


def _is_lossy(name: str) -> bool:
    return name.rpartition(".")[2] in LOSSY


@rule("NZ-CODEC-004", on="array", formats=(3,), needs=("codecs",))
def lossless(array: Array) -> Iterator[Fail]:
    """Note a codec that may change the values."""
    for pointer, codec in all_codecs(array.codecs, "/codecs"):
        name = codec_name(codec)
        if name is not None and _is_lossy(name):
            own = name in _OF_NUMCODECS
            yield Fail(
                pointer,
                f"the codec {name} may change values: what is read is not exactly what was written",
                impact="advice" if own else None,
                readers={} if own else _WITHOUT_CAST_VALUE if name == "cast_value" else None,
            )


_WITHOUT_CAST_VALUE = {
    "zarr-python": "raises UnknownCodecError; since 3.2 ImportError, unless the package cast-value-rs is installed",
    "xarray": "cannot open the group",
}
_OF_NUMCODECS = frozenset(
    f"numcodecs.{n}" for n in ("astype", "bitround", "fixedscaleoffset", "quantize")
)
"""Those that zarr-python, which installs numcodecs, always has."""


@rule("NZ-CODEC-003", on="array", formats=(3,), needs=("shape", "chunk shape", "codecs"))
def few_objects(array: Array) -> Iterator[Fail]:
    """Note an array that may be spread over very many objects."""
    count = array.separate_chunks
    if count > MOST_CHUNKS:
        yield Fail(
            "/chunk_grid/configuration/chunk_shape",
            f"this array has {count:,} chunks, each a separate object; consider sharding_indexed",
        )


def chunk_lengths(array: Array) -> str:
    """Return the pointer to the lengths of an array's chunks.

    Parameters
    ----------
    array : Array
        Of any format.
    """
    if array.zarr_format == 2:
        return array.pointer("chunks")
    return array.pointer("chunk_grid", "configuration", "chunk_shape")


def chunk_bytes(array: Array) -> int:
    """Return how many bytes a chunk takes decoded, of elements without a length as if each had one byte.

    Parameters
    ----------
    array : Array
        Of any format; 1 where its chunks are not known.
    """
    return math.prod(array.chunk_shape or ()) * (array.data_type.itemsize or 1)


@rule("NZ-CODEC-005", on="array", formats=(2,), needs=("shape", "chunk shape"))
def no_tiny_chunks(array: Array) -> Iterator[Fail]:
    """Note an array in very many chunks of next to nothing; in Zarr v3, shards are advised for all that are many."""
    count = array.separate_chunks
    if count <= MOST_CHUNKS or array.chunk_shape is None:
        return
    size = chunk_bytes(array)
    if size <= TINY_CHUNK:
        yield Fail(
            chunk_lengths(array),
            f"this array has {count:,} chunks of {plural(size, 'byte')} each: opening it with Dask, and reading it, take"
            " long for little",
            fix=_in_larger_chunks,
        )


def _in_larger_chunks(node: Node) -> Draft:
    return Draft("suggest", note=f"write {node.path} again in chunks of 1 to 100 megabytes")


@rule("NZ-CODEC-003", on="totals", formats=(3,))
def few_objects_together(totals: Totals) -> Iterator[Fail | Undecided]:
    """Note arrays that are spread over very many objects together, besides those that are on their own."""
    counts = {path: n for path, n in totals.separate_chunks.items() if 1 < n <= MOST_CHUNKS}
    total = sum(counts.values())
    if total > MOST_CHUNKS_TOGETHER:
        most = heapq.nsmallest(MOST_NAMED, counts, key=lambda path: (-counts[path], path))
        so_far = " visited so far" if totals.unfinished else ""
        yield Fail(
            "",
            f"{len(counts):,} arrays{so_far}, none of them with more than {MOST_CHUNKS:,} chunks, have {total:,} together,"
            " each a separate object; consider sharding_indexed",
            related=tuple(most),
        )
    elif totals.unfinished:
        yield Undecided(totals.unfinished)


def _packed(array: Array) -> list[str]:
    return [name for name in PACKING if name in array.attributes]


def _is_packed(array: Array) -> bool:
    return any(name in array.attributes for name in PACKING)


def _scale_codec(array: Array) -> str | None:
    return next((name for name in _names(array) if name in SCALING), None)


@rule(
    "NZ-PACK-001",
    on="array",
    formats=(3,),
    needs=("attributes", "codecs"),
    when=_is_packed,
)
def packed_by_codec(array: Array) -> Iterator[Fail]:
    """Note packing that readers have to know of, where a codec would do it unseen."""
    if _scale_codec(array) is None:
        yield Fail(
            array.attribute_pointer(_packed(array)[0]),
            f"this array is packed by {' and '.join(_packed(array))}; NZ prefers the codec scale_offset where it is available",
        )


@rule(
    "NZ-PACK-002",
    on="array",
    formats=(3,),
    needs=("attributes", "codecs"),
    when=_is_packed,
)
def packed_once(array: Array) -> Iterator[Fail]:
    """Fail where both the codec and the attributes scale."""
    codec = _scale_codec(array)
    if codec is not None:
        yield Fail(
            array.attribute_pointer(_packed(array)[0]),
            f"this array has {' and '.join(_packed(array))} and the codec {codec}: values may be scaled twice",
            fix=_scaled_by_the_codec,
        )


def _scaled_by_the_codec(node: Node) -> Draft:
    given = [name for name in PACKING if name in node.attributes]
    return Draft(
        "suggest",
        tuple(remove(node.attribute_pointer(name)) for name in given),
        "where what the codec returns are the values that are meant",
    )


@rule("NZ-FILL-011", on="array", needs=("attributes",), when=_is_packed)
def fill_of_packed(array: Array) -> Iterator[Fail]:
    """Note that the missing value is compared before values are unpacked."""
    if "_FillValue" in array.attributes:
        yield Fail(
            array.attribute_pointer("_FillValue"),
            "_FillValue applies to the packed values, before scale_factor and add_offset",
        )
