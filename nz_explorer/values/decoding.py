"""Stored chunks, decoded by the codecs of zarr without what it does around them.

A selection of zarr makes an array, decodes every chunk of it on a thread of its own, copies it there,
and puts the fill value where there was no chunk, so that nobody can tell the two apart. Here each
chunk is fetched and decoded by itself, on the thread that asks, and what is absent is said to be so.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Coroutine, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import numpy as np

from nz_explorer.store import Cancellation, ReadError
from nz_explorer.store import loop as loop_of_zarr
from nz_explorer.values import bombs
from nz_explorer.values.opening import ChunkGrid, Coordinates

if TYPE_CHECKING:
    from zarr.core.array_spec import ArraySpec
    from zarr.core.buffer import Buffer, BufferPrototype

T = TypeVar("T")
FaultKind = Literal["store", "size", "codec"]


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a chunk cannot be read.

    Parameters
    ----------
    kind
        ``store`` where it could not be fetched, ``size`` where it has not as many bytes as its
        codecs always make, ``codec`` where it cannot be decoded.
    text
        What the store or the codec said.
    """

    kind: FaultKind
    text: str


Decoded = np.ndarray[Any, Any] | Fault | None
"""Values; why there are none; None where the store has no such chunk."""
Stored = dict[Coordinates, "Buffer | Fault | None"]

_GAPS = 1.5
"""How many times as many bytes as are wanted are read at once, rather than piece by piece."""


class _AtOnce(ThreadPoolExecutor):
    """Runs on the thread that asks: stores and codecs hand everything to another, and wait for it."""

    def submit(self, call: Callable[..., T], /, *arguments: Any, **options: Any) -> Future[T]:
        future: Future[T] = Future()
        try:
            future.set_result(call(*arguments, **options))
        except Exception as error:  # noqa: BLE001  # raised again where the result is asked for
            future.set_exception(error)
        return future


def wait_for(work: Coroutine[Any, Any, T], *, local: bool, cancel: Cancellation | None = None) -> T:
    """Return what a coroutine of zarr gives.

    Parameters
    ----------
    work
        The coroutine.
    local
        Whether the store answers at once. A remote one has connections that belong to zarr's own
        event loop.
    cancel
        Withdraws what is under way there.
    """
    if not local or asyncio._get_running_loop() is not None:  # noqa: SLF001  # the same without raising
        return loop_of_zarr.wait_for(work, cancel)
    loop = asyncio.new_event_loop()
    loop.set_default_executor(_AtOnce(1))
    try:
        return loop.run_until_complete(work)
    finally:
        loop.close()


def decode(
    grid: ChunkGrid, chunks: Sequence[Coordinates], cancel: Cancellation | None = None
) -> dict[Coordinates, Decoded]:
    """Fetch and decode chunks of an array.

    Parameters
    ----------
    grid
        The array.
    chunks
        Coordinates of chunks; of inner chunks where it is sharded.
    cancel
        Withdraws the requests that are under way.

    Returns
    -------
    dict
        Of every chunk the values, as they were decoded, inside the array's shape. Nothing is raised
        for one that cannot be read.
    """
    return wait_for(_decode(_Codecs(grid), chunks), local=grid.local, cancel=cancel)


def is_stored(grid: ChunkGrid, chunk: Coordinates) -> bool:
    """Tell whether the store holds a chunk.

    Raises
    ------
    Exception
        Whatever the store raises where it cannot tell, and a codec for the index of a shard.
    """
    return wait_for(_is_stored(_Codecs(grid), chunk), local=grid.local)


def are_stored(
    grid: ChunkGrid, chunks: Sequence[Coordinates], cancel: Cancellation | None = None
) -> list[bool]:
    """Tell of each chunk whether the store holds it, asking for all of them at once.

    Raises
    ------
    Cancelled
        If it was cancelled.
    Exception
        As of `is_stored`, for the first of those that the store cannot tell.
    """
    return wait_for(_are_stored(_Codecs(grid), chunks), local=grid.local, cancel=cancel)


class _Codecs:
    """The codecs of an array, and where its chunks are."""

    def __init__(self, grid: ChunkGrid) -> None:
        from zarr.core.array_spec import ArrayConfig, ArraySpec
        from zarr.core.buffer import default_buffer_prototype
        from zarr.core.codec_pipeline import BatchedCodecPipeline

        self.grid = grid
        self.prototype: BufferPrototype = default_buffer_prototype()
        metadata = grid.zarr.metadata
        order = metadata.order if metadata.zarr_format == 2 else "C"
        config = ArrayConfig.from_dict({"order": order})
        self.spec = ArraySpec(
            grid.object_shape, metadata.dtype, metadata.fill_value, config, self.prototype
        )
        pipeline: Any = grid.zarr._async_array.codec_pipeline  # noqa: SLF001  # not public before 3.1
        self.shards: Any = None
        # a pipeline that was put in the place of zarr's only does selections
        self.each = isinstance(pipeline, BatchedCodecPipeline)
        if grid.shard_shape is not None:
            # where something is done to shards as a whole, whole they must be decoded
            self.each = self.each and pipeline.supports_partial_decode
        self.pipeline = pipeline
        if grid.shard_shape is not None and self.each:
            self.shards = pipeline.array_bytes_codec
            self.shard_counts = tuple(
                s // c for s, c in zip(self.spec.shape, self.shards.chunk_shape, strict=True)
            )

    def place(self, chunk: Coordinates) -> Any:
        """Return the object that holds a chunk, as zarr asks for it."""
        key = self.grid.zarr.metadata.encode_chunk_key(self.grid.stored_in(chunk))
        return self.grid.zarr.store_path / key

    # Zarr has no other way to look into a shard.

    async def index(self, chunk: Coordinates) -> Any:
        """Return the index of the shard that holds a chunk, None where there is no shard."""
        return await self.shards._load_shard_index_maybe(self.place(chunk), self.shard_counts)  # noqa: SLF001

    @property
    def inside(self) -> tuple[Any, ArraySpec]:
        """The codecs of what is decoded at once, and its shape."""
        if self.shards is None:
            return self.pipeline, self.spec
        return self.shards.codec_pipeline, self.shards._get_chunk_spec(self.spec)  # noqa: SLF001

    def fixed_size(self) -> int | None:
        """Return how many bytes every chunk has, None where that depends on its values."""
        dtype = self.grid.zarr.dtype
        if dtype.hasobject or dtype.kind == "T":
            return None
        size = math.prod(self.grid.chunk_shape) * dtype.itemsize
        metadata: Any = self.grid.zarr.metadata
        if metadata.zarr_format == 2:
            return None if metadata.compressor or metadata.filters else size
        pipeline, spec = self.inside
        # those of numcodecs do not say it
        if not all(getattr(codec, "is_fixed_size", False) for codec in pipeline):
            return None
        fixed: int = pipeline.compute_encoded_size(size, spec)
        return fixed


async def _is_stored(codecs: _Codecs, chunk: Coordinates) -> bool:
    if codecs.shards is None:
        found: bool = await codecs.place(chunk).exists()
        return found
    index = await codecs.index(chunk)
    return index is not None and index.get_chunk_slice(chunk) is not None


async def _are_stored(codecs: _Codecs, chunks: Sequence[Coordinates]) -> list[bool]:
    if len(chunks) == 1:
        return [await _is_stored(codecs, chunks[0])]
    if codecs.shards is None:
        found = await _all_of([codecs.place(chunk).exists() for chunk in chunks])
        return [bool(one) for one in found]
    # the index of a shard tells of all chunks in it
    first = {codecs.grid.stored_in(chunk): chunk for chunk in reversed(chunks)}
    indices = await _all_of([codecs.index(chunk) for chunk in first.values()])
    index = dict(zip(first, indices, strict=True))
    inside = ((chunk, index[codecs.grid.stored_in(chunk)]) for chunk in chunks)
    return [i is not None and i.get_chunk_slice(chunk) is not None for chunk, i in inside]


async def _all_of(work: Sequence[Coroutine[Any, Any, Any]]) -> list[Any]:
    """Return all results; where some fail the first of those in their order is raised, not the first in time."""
    found = await asyncio.gather(*work, return_exceptions=True)
    for one in found:
        if isinstance(one, BaseException):
            raise one
    return list(found)


async def _decode(codecs: _Codecs, chunks: Sequence[Coordinates]) -> dict[Coordinates, Decoded]:
    if not codecs.each:
        return {chunk: await _selected(codecs, chunk) for chunk in chunks}
    stored = await (_plain if codecs.shards is None else _inner)(codecs, chunks)
    found: dict[Coordinates, Decoded] = {}
    wanted: dict[Coordinates, Buffer] = {}
    size = codecs.fixed_size()
    for chunk, item in stored.items():
        if item is None or isinstance(item, Fault):
            found[chunk] = item
        elif size is not None and len(item) != size:
            text = f"it has {len(item):,} bytes, and its codecs always make {size:,}"
            found[chunk] = Fault("size", text)
        else:
            wanted[chunk] = item
    try:
        found.update(await _values(codecs, wanted))
    except Exception:  # noqa: BLE001  # one of them is at fault: find out which
        for chunk, item in wanted.items():
            try:
                found.update(await _values(codecs, {chunk: item}))
            except Exception as error:  # noqa: BLE001  # codecs raise what they like
                found[chunk] = Fault("codec", error_text(error))
    return found


async def _values(
    codecs: _Codecs, stored: Mapping[Coordinates, Buffer]
) -> dict[Coordinates, Decoded]:
    pipeline, spec = codecs.inside
    dtype = codecs.grid.zarr.dtype
    for item in stored.values():
        await bombs.refuse(pipeline, spec, dtype.itemsize, item)
    decoded = await pipeline.decode([(item, spec) for item in stored.values()])
    return {
        chunk: _clipped(codecs.grid, chunk, item.as_numpy_array()).astype(dtype, copy=False)
        for chunk, item in zip(stored, decoded, strict=True)
    }


def _clipped(
    grid: ChunkGrid, chunk: Coordinates, values: np.ndarray[Any, Any]
) -> np.ndarray[Any, Any]:
    return values[tuple(slice(part.stop - part.start) for part in grid.region(chunk))]


async def _selected(codecs: _Codecs, chunk: Coordinates) -> Decoded:
    grid = codecs.grid
    try:
        if not await codecs.place(chunk).exists():
            return None
        selected = await grid.zarr._async_array.getitem(grid.region(chunk))  # noqa: SLF001
        return np.asarray(selected)
    except Exception as error:  # noqa: BLE001  # codecs raise what they like
        return _fault(error)


async def _plain(codecs: _Codecs, chunks: Sequence[Coordinates]) -> Stored:
    """Fetch chunks that are objects of their own."""
    work = (codecs.place(chunk).get(codecs.prototype) for chunk in chunks)
    given = await asyncio.gather(*work, return_exceptions=True)
    return {
        chunk: Fault("store", error_text(item)) if isinstance(item, BaseException) else item
        for chunk, item in zip(chunks, given, strict=True)
    }


async def _inner(codecs: _Codecs, chunks: Sequence[Coordinates]) -> Stored:
    """Fetch chunks that are inside of shards."""
    shards: dict[Coordinates, list[Coordinates]] = {}
    for chunk in chunks:
        shards.setdefault(codecs.grid.stored_in(chunk), []).append(chunk)
    work = (_of_shard(codecs, inside) for inside in shards.values())
    parts = await asyncio.gather(*work, return_exceptions=True)
    found: Stored = {}
    for inside, part in zip(shards.values(), parts, strict=True):
        if isinstance(part, BaseException):
            found.update(dict.fromkeys(inside, _fault(part)))
        else:
            found.update(part)
    return found


async def _of_shard(codecs: _Codecs, chunks: Sequence[Coordinates]) -> Stored:
    index = await codecs.index(chunks[0])
    found: Stored = dict.fromkeys(chunks)
    if index is None:
        return found
    spans = {c: part for c in chunks if (part := index.get_chunk_slice(c)) is not None}
    if not spans:
        return found
    place = codecs.place(chunks[0])
    first = min(start for start, _ in spans.values())
    last = max(stop for _, stop in spans.values())
    if last - first <= _GAPS * sum(stop - start for start, stop in spans.values()):
        data = await _range(codecs, place, first, last)
        return found | {c: data[a - first : b - first] for c, (a, b) in spans.items()}
    parts = await asyncio.gather(
        *(_range(codecs, place, *span) for span in spans.values()), return_exceptions=True
    )
    return found | {
        c: _fault(part) if isinstance(part, BaseException) else part
        for c, part in zip(spans, parts, strict=True)
    }


async def _range(codecs: _Codecs, place: Any, start: int, stop: int) -> Buffer:
    from zarr.abc.store import RangeByteRequest

    data: Buffer | None = await place.get(codecs.prototype, RangeByteRequest(start, stop))
    if data is None or len(data) < stop - start:
        raise ValueError(f"the shard ends before byte {stop:,}, up to which its index says it goes")
    return data


def _fault(error: BaseException) -> Fault:
    return Fault("store" if isinstance(error, OSError | ReadError) else "codec", error_text(error))


def error_text(error: BaseException) -> str:
    """Return what an exception of a store or a codec says, in a line."""
    text = " ".join(str(error).split())[:400]
    if isinstance(error, ReadError):  # a sentence already
        return text
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
