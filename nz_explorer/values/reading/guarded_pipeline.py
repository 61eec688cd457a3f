"""The one way in which chunks are decoded: by the codecs of zarr, each within its limits.

Whoever reads values – pictures, checks, statistics, ``ex.array``, ``to_xarray`` – reads them through a
`GuardedPipeline`, which applies the limits of `nz_explorer.values.reading.size_limits` to each codec.
"""

from __future__ import annotations

import asyncio
import math
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
import zarr
from zarr.abc.buffer import Buffer, BufferPrototype
from zarr.abc.codec import ArrayArrayCodec, ArrayBytesCodec, BytesBytesCodec, Codec
from zarr.abc.store import RangeByteRequest
from zarr.buffer import default_buffer_prototype
from zarr.codecs import ShardingCodec
from zarr.storage import StorePath

from nz_explorer.store import zarr_internals
from nz_explorer.store.zarr_internals import ArrayConfig, ArraySpec, BatchedCodecPipeline, V2Codec
from nz_explorer.values.reading import size_limits, unpacking
from nz_explorer.values.reading.shards import check_shard, shard_counts
from nz_explorer.values.reading.size_limits import SizeLimitExceeded, bytes_text

Coordinates = tuple[int, ...]

__all__ = ["ArraySpec", "Buffer"]  # the rest is used as an attribute of the module

# --- decoding ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Stages:
    """What is done to a chunk to decode it, with the most bytes that may come of each step."""

    spec: ArraySpec
    """Of the chunk, decoded."""
    decoded: int
    exact: int | None
    """How many bytes the chunk must have as it is stored; None where that depends on its values."""
    packed: int
    """The most bytes that the chunk may have as it is stored."""
    bytes_bytes: tuple[tuple[Any, ArraySpec, int], ...]
    array_bytes: Any
    array_bytes_spec: ArraySpec
    array_bytes_limit: int
    array_array: tuple[tuple[Any, ArraySpec, int], ...]


class GuardedPipeline(BatchedCodecPipeline):
    """The codecs of an array, each with the most bytes that it may make of a chunk."""

    @classmethod
    def from_codecs(cls, codecs: Iterable[Codec], *, batch_size: int | None = None) -> Self:
        """Return the pipeline of codecs that zarr has found in order; those of shards get one of their own.

        Parameters
        ----------
        codecs
            In the order in which they encode.
        batch_size
            How many chunks zarr hands over at once; zarr's own setting by default.
        """
        given = [_guarded(codec) for codec in codecs]
        (array_bytes,) = (codec for codec in given if isinstance(codec, ArrayBytesCodec))
        return cls(
            array_array_codecs=tuple(c for c in given if isinstance(c, ArrayArrayCodec)),
            array_bytes_codec=array_bytes,
            bytes_bytes_codecs=tuple(c for c in given if isinstance(c, BytesBytesCodec)),
            batch_size=batch_size or zarr.config.get("codec_pipeline.batch_size"),
        )

    def stages(self, spec: ArraySpec) -> _Stages:
        """Return what is done to a chunk.

        Parameters
        ----------
        spec
            The chunk, decoded. The last one is remembered: an array has one of it.
        """
        known: _Stages | None = self.__dict__.get("_known_stages")
        if known is None or known.spec is not spec:
            known = self._stages(spec)
            object.__setattr__(self, "_known_stages", known)
        return known

    def _stages(self, spec: ArraySpec) -> _Stages:
        size = decoded = chunk_bytes(spec)
        exact: int | None = None if _varies(spec) else size
        array_array, at = [], spec
        for codec in self.array_array_codecs:
            # what it makes is the chunk, or what the one before it takes
            array_array.append((codec, at, max(size_limits.stage_limit(exact, size), size)))
            exact = _encoded_size(codec, exact, at)
            at = codec.resolve_metadata(at)
            size = max(size, chunk_bytes(at))
        inner, inner_limit = at, size_limits.stage_limit(exact, size)
        exact = self._serialized_size(exact, at)
        at = self.array_bytes_codec.resolve_metadata(at)
        bytes_bytes, limit = [], self._serialized_limit(exact, size, inner)
        for packer in self.bytes_bytes_codecs:
            bytes_bytes.append((packer, at, limit))
            exact = _encoded_size(packer, exact, at)
            limit = size_limits.packed_limit(limit) if exact is None else exact + size_limits.SLACK
            at = packer.resolve_metadata(at)
        return _Stages(
            spec=spec,
            decoded=decoded,
            exact=exact,
            packed=limit,
            bytes_bytes=tuple(bytes_bytes[::-1]),
            array_bytes=self.array_bytes_codec,
            array_bytes_spec=inner,
            array_bytes_limit=inner_limit,
            array_array=tuple(array_array[::-1]),
        )

    def _serialized_size(self, size: int | None, spec: ArraySpec) -> int | None:
        """Return how many bytes the innermost bytes of a chunk are, None where that depends on the values."""
        codec: Any = self.array_bytes_codec
        if isinstance(codec, V2Codec):
            return None if codec.compressor or codec.filters else size
        return _encoded_size(codec, size, spec)

    def _serialized_limit(self, exact: int | None, size: int, spec: ArraySpec) -> int:
        """Return the most bytes that the innermost bytes of a chunk may be."""
        codec: Any = self.array_bytes_codec
        if isinstance(codec, ShardingCodec):
            counts = shard_counts(codec, spec)
            one = codec.codec_pipeline.stages(zarr_internals.inner_spec(codec, spec)).packed  # type: ignore[attr-defined]
            return int(math.prod(counts) * (one + 16) + size_limits.SLACK)
        if not isinstance(codec, V2Codec) or exact is not None:
            return size_limits.stage_limit(exact, size)
        plain = not codec.filters and not _varies(spec)
        limit = size_limits.stage_limit(size if plain else None, size)
        return limit if codec.compressor is None else size_limits.packed_limit(limit)

    async def decode_batch(
        self, chunk_bytes_and_specs: Iterable[tuple[Buffer | None, ArraySpec]]
    ) -> list[Any]:
        """Decode chunks.

        Raises
        ------
        SizeLimitExceeded
            If a chunk, or what a codec makes of it, takes more than its limit.
        Exception
            Whatever a codec raises for what it cannot decode.
        """
        found: list[Any] = []
        for data, spec in chunk_bytes_and_specs:
            if data is None:
                found.append(None)
                continue
            stages = self.stages(spec)
            async with size_limits.decoding_memory.reserved(stages.decoded):
                found.append(await _decoded(stages, data))
        return found

    async def read_batch(self, batch_info: Any, out: Any, drop_axes: Any = ()) -> Any:
        """Fetch and decode the chunks of a selection; no more at the same time than there is memory set aside for.

        Parameters
        ----------
        batch_info
            As zarr gives it: for each chunk where it is, what it is and which part of it is wanted.
        out
            Where decoded values are put.
        drop_axes
            Axes that the selection does not keep.
        """
        batch = list(batch_info)
        specs = [spec for _, spec, *_ in batch]
        if not self.supports_partial_decode:
            await _refuse_large(batch)
        # Of a shard only some chunks may be wanted.
        need = sum(
            min(chunk_bytes(spec), _selected(part, spec) * spec_itemsize(spec))
            if self.supports_partial_decode
            else chunk_bytes(spec)
            for spec, (_, _, part, *_) in zip(specs, batch, strict=True)
        )
        async with size_limits.decoding_memory.reserved(need):
            return await super().read_batch(batch, out, drop_axes)


async def _refuse_large(batch: list[Any]) -> None:
    """Refuse chunks that are too large before they are fetched; what is not stored costs nothing.

    Raises
    ------
    SizeLimitExceeded
        If there is one.
    """
    for place, spec, *_ in batch:
        size = chunk_bytes(spec)
        large = size > size_limits.MOST_CHUNK_BYTES and isinstance(place, StorePath)
        if large and await place.exists():
            size_limits.check_chunk(size)


class GuardedShardingCodec(ShardingCodec):
    """The codec of shards, whose chunks are decoded within the limits."""

    @property
    def codec_pipeline(self) -> GuardedPipeline:
        """The codecs of the chunks in a shard."""
        known: GuardedPipeline | None = self.__dict__.get("_guarded_pipeline")
        if known is None:
            known = GuardedPipeline.from_codecs(self.codecs)
            object.__setattr__(self, "_guarded_pipeline", known)
        return known


def _guarded(codec: Any) -> Any:
    if isinstance(codec, ShardingCodec) and not isinstance(codec, GuardedShardingCodec):
        return GuardedShardingCodec(
            chunk_shape=codec.chunk_shape,
            codecs=codec.codecs,
            index_codecs=codec.index_codecs,
            index_location=codec.index_location,
        )
    return codec


async def _decoded(stages: _Stages, data: Any) -> Any:
    """Return a chunk, decoded."""
    size_limits.check_chunk(stages.decoded)
    if len(data) > stages.packed:
        raise SizeLimitExceeded(
            f"the chunk has {bytes_text(len(data))} as it is stored, more than the limit of "
            f"{bytes_text(stages.packed)} for what decodes to {bytes_text(stages.decoded)}"
        )
    for codec, spec, limit in stages.bytes_bytes:
        data = await _unpacked(codec, spec, limit, data)
    codec, spec, limit = stages.array_bytes, stages.array_bytes_spec, stages.array_bytes_limit
    count = math.prod(spec.shape)
    if isinstance(codec, ShardingCodec):
        check_shard(codec, spec)
    elif isinstance(codec, V2Codec):
        codec = _guarded_v2(codec, count, stages.decoded, varies=_varies(spec))
    else:
        unpacking.check_elements(_own(codec), _head(data, codec), count, limit)
    (data,) = await codec.decode([(data, spec)])
    for codec, spec, limit in stages.array_array:
        unpacking.check_elements(_own(codec), None, math.prod(spec.shape), limit)
        (data,) = await codec.decode([(data, spec)])
    _check_texts(data, spec_dtype(stages.spec))
    return data


def _check_texts(data: Any, dtype: np.dtype[Any]) -> None:
    """Refuse texts of UTF-32 with numbers that are no characters: Python fails at them later, anywhere.

    Raises
    ------
    ValueError
        If there are some.
    """
    if dtype.kind != "U" and not dtype.names:
        return
    values = data if isinstance(data, np.ndarray) else data.as_numpy_array()
    for name in dtype.names or ():
        _check_texts(values[name], dtype[name])
    if dtype.kind != "U" or not values.dtype.itemsize:
        return
    whole = np.ascontiguousarray(values).reshape(-1)
    points = whole.view(np.dtype("u4").newbyteorder(whole.dtype.byteorder))
    if points.size and (most := int(points.max())) > sys.maxunicode:
        raise ValueError(f"there is no character with the number {most}")


async def _unpacked(codec: Any, spec: ArraySpec, limit: int, data: Any) -> Any:
    """Return what a codec makes of bytes, if it is no more than a limit."""
    name = unpacking.codec_name(codec)
    if any(packer in name for packer in ("gzip", "zlib", "bz2", "lzma")):
        made = await asyncio.to_thread(unpacking.unpack, _own(codec), data.to_bytes(), limit)
        return spec.prototype.buffer.from_bytes(made or b"")
    if any(packer in name for packer in ("blosc", "lz4", "zstd")):
        packed = _as_bytes(data.as_numpy_array())
        size = unpacking.stated_size(codec, packed, limit)
        unpacking.check_size(size, limit)
        if (made := unpacking.unpack_again(codec, packed, size)) is not None:
            return spec.prototype.buffer.from_array_like(made)
    (data,) = await codec.decode([(data, spec)])
    unpacking.check_size(len(data), limit)
    return data


def _own(codec: Any) -> Any:
    """Return the codec of numcodecs that is inside of one of Zarr v3; the codec itself where there is none."""
    return getattr(codec, "_codec", codec)


def _head(data: Any, codec: Any) -> bytes:
    whole = unpacking.codec_name(_own(codec)) in ("json", "msgpack")
    return (data if whole else data[: unpacking.HEAD]).to_bytes()  # type: ignore[no-any-return]


@dataclass(frozen=True, eq=False)
class _GuardedNumcodec:
    """A compressor or a filter of Zarr v2 with the most bytes that it may make."""

    codec: Any
    count: int
    limit: int

    @property
    def codec_id(self) -> str:
        """What numcodecs calls it: newer zarr looks for pickle by it."""
        return str(self.codec.codec_id)

    def decode(self, data: Any, out: Any = None) -> Any:
        """Return what the codec makes."""
        name = unpacking.codec_name(self.codec)
        if name == "pickle":  # refused before an array is opened; here once more
            raise ValueError("the codec pickle is refused: it could run any code")
        packed = _as_bytes(data)
        made: Any = None
        if any(packer in name for packer in ("gzip", "zlib", "bz2", "lzma")):
            made = unpacking.unpack(self.codec, packed.tobytes(), self.limit)
        if made is None:
            unpacking.check_size(unpacking.stated_size(self.codec, packed, self.limit), self.limit)
            unpacking.check_elements(self.codec, packed, self.count, self.limit)
            made = self.codec.decode(data)
        unpacking.check_size(_as_bytes(made).nbytes, self.limit)
        return made


def _as_bytes(data: Any) -> memoryview:
    """Return bytes, or elements, as bytes; none of elements that are Python objects."""
    if not isinstance(data, np.ndarray):
        return memoryview(data).cast("B")
    if data.dtype.hasobject:
        return memoryview(b"")
    return memoryview(np.ascontiguousarray(data).reshape(-1).view(np.uint8).data)


def _guarded_v2(codec: Any, count: int, decoded: int, *, varies: bool) -> Any:
    filters = codec.filters or ()
    exact = None if varies else decoded
    loose, tight = size_limits.stage_limit(None, decoded), size_limits.stage_limit(exact, decoded)
    # Only the last to be undone is known to make the chunk.
    guarded = [
        _GuardedNumcodec(one, count, loose if number else tight)
        for number, one in enumerate(filters)
    ]
    packer = codec.compressor
    if packer is not None:
        packer = _GuardedNumcodec(packer, count, loose if filters else tight)
    return replace(codec, filters=tuple(guarded) or None, compressor=packer)


# --- what chunks are ---------------------------------------------------------------------------


def along_axes(
    selection: Any, shape: Sequence[int], chunks: Sequence[int]
) -> Iterator[tuple[int, int]]:
    """Yield for each axis how many elements are selected, and how many chunks zarr goes through for them.

    Parameters
    ----------
    selection
        As zarr takes it: of integers, slices, arrays and an ellipsis.
    shape
        Of the array.
    chunks
        The shape of its chunks.
    """
    parts = list(selection) if isinstance(selection, tuple) else [selection]
    gaps = [i for i, part in enumerate(parts) if part is Ellipsis]
    at = gaps[0] if gaps else len(parts)
    missing = len(shape) - len(parts) + len(gaps)
    parts[at : at + len(gaps)] = [slice(None)] * max(0, missing)
    for part, length, chunk in zip(parts, shape, chunks, strict=False):
        if isinstance(part, slice):
            taken = range(*part.indices(length))
            # zarr goes through all chunks in between, also where steps skip them
            ends = (min(taken[0], taken[-1]), max(taken[0], taken[-1])) if taken else (0, -1)
            yield len(taken), ends[1] // max(1, chunk) - ends[0] // max(1, chunk) + 1
        elif np.ndim(part) == 0:
            yield 1, 1
        else:
            flags = np.asarray(part)
            count = int(np.count_nonzero(flags)) if flags.dtype == np.bool_ else flags.size
            yield count, min(count, -(-length // max(1, chunk)))


def spec_dtype(spec: ArraySpec) -> np.dtype[Any]:
    """Return the numpy type of the elements of a chunk, which zarr 3.0 has and later ones wrap."""
    dtype: Any = spec.dtype
    return dtype if isinstance(dtype, np.dtype) else dtype.to_native_dtype()


def spec_itemsize(spec: ArraySpec) -> int:
    """Return the bytes of an element of a chunk; a guess where elements vary."""
    return size_limits.decoded_bytes((), None if _varies(spec) else spec_dtype(spec).itemsize)


def chunk_bytes(spec: ArraySpec) -> int:
    """Return how many bytes a decoded chunk has; a guess where elements vary."""
    return math.prod(spec.shape) * spec_itemsize(spec)


def _varies(spec: ArraySpec) -> bool:
    dtype = spec_dtype(spec)
    return dtype.hasobject or dtype.kind == "T"


def _encoded_size(codec: Any, size: int | None, spec: ArraySpec) -> int | None:
    """Return how many bytes a codec makes of so many, None where that depends on the values."""
    if size is None or not getattr(codec, "is_fixed_size", False):
        return None  # codecs of numcodecs do not state their size
    try:
        encoded: int = codec.compute_encoded_size(size, spec)
    except NotImplementedError:  # zstd of zarr 3.0 claims a fixed size
        return None
    return encoded


def _selected(part: Any, spec: ArraySpec) -> int:
    if not isinstance(part, tuple) or len(part) != len(spec.shape):
        return math.prod(spec.shape)
    return math.prod(count for count, _ in along_axes(part, spec.shape, spec.shape))


# --- chunks one by one -------------------------------------------------------------------------


def prototype() -> BufferPrototype:
    """Return what zarr puts bytes into."""
    return default_buffer_prototype()


def guarded_pipeline(array: Any) -> GuardedPipeline:
    """Return the codecs of an array that `open_array` gave."""
    pipeline: GuardedPipeline = zarr_internals.codec_pipeline(array)
    return pipeline


def stored_spec(array: Any, shape: tuple[int, ...]) -> ArraySpec:
    """Return what an object of the store is, decoded: a chunk, or a shard.

    Parameters
    ----------
    array
        An array of zarr.
    shape
        Of its chunks or shards.
    """
    metadata: Any = array.metadata
    order: Any = metadata.order if metadata.zarr_format == 2 else "C"
    config = ArrayConfig.from_dict({"order": order})
    return ArraySpec(shape, metadata.dtype, metadata.fill_value, config, prototype())


async def get_range(place: Any, start: int, stop: int) -> Buffer | None:
    """Return some bytes of an object of the store, None where there is none.

    Parameters
    ----------
    place
        The object.
    start, stop
        The first byte and the one after the last.
    """
    data: Buffer | None = await place.get(prototype(), RangeByteRequest(start, stop))
    return data
