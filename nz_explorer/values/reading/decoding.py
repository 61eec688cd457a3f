"""Stored chunks, decoded by the codecs of zarr without what it does around them.

A selection of zarr makes an array, decodes every chunk of it on a thread of its own, copies it there,
and puts the fill value where there was no chunk, so that the two look the same. Here each chunk
is fetched and decoded by itself, on the thread that asks, and an absent chunk is reported as absent.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Coroutine, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from nz_explorer.store import Cancellation, ReadError
from nz_explorer.store.remote import loop as loop_of_zarr
from nz_explorer.values.reading import size_limits
from nz_explorer.values.reading.chunk_grid import ChunkGrid, Coordinates
from nz_explorer.values.reading.size_limits import SizeLimitExceeded, bytes_text

if TYPE_CHECKING:
    from nz_explorer.values.reading.guarded_pipeline import ArraySpec, Buffer, GuardedPipeline
from nz_explorer.values.reading.chunk import NOT_WRITTEN, Fault, FaultKind

T = TypeVar("T")
Decoded = np.ndarray[Any, Any] | Fault | None
"""Values; why there are none; None where the store has no such chunk."""
Stored = dict[Coordinates, "Buffer | Fault | None"]
Index = np.ndarray[Any, np.dtype[np.uint64]]
"""Of a shard; see `shards.shard_index`."""
_GAP = 128 * 1024
"""Bytes between chunks of a shard that are read with them: less than what would arrive while another request begins."""
_TOGETHER = 16 * 1024 * 1024
"""Bytes of a shard that are read in one request at most, unless a single chunk has more."""


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
    """Return whether the store holds a chunk.

    Parameters
    ----------
    grid
        The array.
    chunk
        Coordinates of the chunk; of an inner chunk where the array is sharded.

    Raises
    ------
    Exception
        Whatever the store raises where it cannot answer, and a codec for the index of a shard.
    """
    return wait_for(_is_stored(_Codecs(grid), chunk), local=grid.local)


def are_stored(
    grid: ChunkGrid, chunks: Sequence[Coordinates], cancel: Cancellation | None = None
) -> list[bool]:
    """Return for each chunk whether the store holds it, asking for all of them at once.

    Parameters
    ----------
    grid
        The array.
    chunks
        Coordinates of chunks.
    cancel
        Withdraws the requests that are under way.

    Returns
    -------
    list of bool
        In the order of `chunks`.

    Raises
    ------
    Cancelled
        If it was cancelled.
    Exception
        As of `is_stored`, for the first chunk for which the store cannot answer.
    """
    return wait_for(_are_stored(_Codecs(grid), chunks), local=grid.local, cancel=cancel)


def shard_indices(
    grid: ChunkGrid, shards: Sequence[Coordinates], cancel: Cancellation | None = None
) -> list[Index | Fault | None]:
    """Return the indices of shards, which list the chunks in them; no chunk is read.

    Parameters
    ----------
    grid
        The array. Its shards must be read chunk by chunk, see `reads_indices`.
    shards
        Coordinates of shards, in the grid of shards.
    cancel
        Withdraws the requests that are under way.

    Returns
    -------
    list
        For each shard its index, as `shards.shard_index` has it; None where there is no
        shard, and why it cannot be read.

    Raises
    ------
    ValueError
        If the array has no such shards.
    Cancelled
        If it was cancelled.
    """
    codecs = _Codecs(grid)
    if grid.shard_shape is None or not codecs.each:
        raise ValueError("the array has no shards that are read chunk by chunk")

    async def read() -> list[Any]:
        work = [codecs.index(shard) for shard in shards]
        return await asyncio.gather(*work, return_exceptions=True)

    found = wait_for(read(), local=grid.local, cancel=cancel)
    for one in found:
        if isinstance(one, asyncio.CancelledError):
            raise one
    return [_fault(one) if isinstance(one, BaseException) else one for one in found]


def reads_indices(grid: ChunkGrid) -> bool:
    """Return whether an array has shards whose indices can be read without their chunks."""
    return grid.shard_shape is not None and _Codecs(grid).each


class _Codecs:
    """The codecs of an array, and where its chunks are."""

    def __init__(self, grid: ChunkGrid) -> None:
        from nz_explorer.store import zarr_internals
        from nz_explorer.values.reading import guarded_pipeline, shards

        self.grid = grid
        self.zarr = zarr_internals
        self.guarded = guarded_pipeline
        self.sharding = shards
        self.spec = guarded_pipeline.stored_spec(grid.zarr, grid.object_shape)
        self.pipeline: GuardedPipeline = guarded_pipeline.guarded_pipeline(grid.zarr)
        # where something is done to shards as a whole, whole they must be decoded
        self.each = grid.shard_shape is None or self.pipeline.supports_partial_decode
        self.shards: Any = None
        if grid.shard_shape is not None and self.each:
            self.shards = self.pipeline.array_bytes_codec

    def place(self, chunk: Coordinates) -> Any:
        """Return the object that holds a chunk, as zarr asks for it."""
        key = self.grid.zarr.metadata.encode_chunk_key(self.grid.stored_in(chunk))
        return self.grid.zarr.store_path / key

    async def index(self, shard: Coordinates) -> Index | None:
        """Return the index of a shard, None where there is no such shard."""
        spec, place = self.spec, self.place(self.grid.first_chunk(shard))
        if self.grid.shard_edges is not None:
            inside = zip(self.grid.counts_inside(shard), self.grid.chunk_shape, strict=True)
            shape = tuple(count * size for count, size in inside)
            spec = self.guarded.stored_spec(self.grid.zarr, shape)
        return await self.sharding.shard_index(self.shards, spec, place)

    def span(self, index: Index | None, chunk: Coordinates) -> tuple[int, int] | None:
        """Return which bytes of its shard a chunk has, None where it was not written."""
        if index is None:
            return None
        first = self.grid.first_chunk(self.grid.stored_in(chunk))
        at = tuple(i - begin for i, begin in zip(chunk, first, strict=True))
        start, length = index[at].tolist()
        if start == length == NOT_WRITTEN:
            return None
        return start, start + length

    @property
    def inside(self) -> tuple[GuardedPipeline, ArraySpec]:
        """The codecs of what is decoded at once, and its shape."""
        if self.shards is None:
            return self.pipeline, self.spec
        return self.shards.codec_pipeline, self.zarr.inner_spec(self.shards, self.spec)

    def spec_of(self, chunk: Coordinates) -> ArraySpec:
        """Return what a chunk is, decoded; in a rectilinear grid each has its own shape."""
        if self.grid.edges is None:
            return self.inside[1]
        return self.guarded.stored_spec(self.grid.zarr, self.grid.stored_shape(chunk))

    def fixed_size(self, chunk: Coordinates) -> int | None:
        """Return how many bytes a chunk has, None where that depends on its values."""
        exact: int | None = self.inside[0].stages(self.spec_of(chunk)).exact
        return exact


async def _is_stored(codecs: _Codecs, chunk: Coordinates) -> bool:
    if codecs.shards is None:
        found: bool = await codecs.place(chunk).exists()
        return found
    index = await codecs.index(codecs.grid.stored_in(chunk))
    return codecs.span(index, chunk) is not None


async def _are_stored(codecs: _Codecs, chunks: Sequence[Coordinates]) -> list[bool]:
    if len(chunks) == 1:
        return [await _is_stored(codecs, chunks[0])]
    if codecs.shards is None:
        found = await _all_of([codecs.place(chunk).exists() for chunk in chunks])
        return [bool(one) for one in found]
    # the index of a shard lists all chunks in it
    shards = list(dict.fromkeys(map(codecs.grid.stored_in, chunks)))
    indices = await _all_of([codecs.index(shard) for shard in shards])
    index = dict(zip(shards, indices, strict=True))
    inside = ((chunk, index[codecs.grid.stored_in(chunk)]) for chunk in chunks)
    return [codecs.span(i, chunk) is not None for chunk, i in inside]


async def _all_of(work: Sequence[Coroutine[Any, Any, Any]]) -> list[Any]:
    """Return all results; where some fail the first of those in their order is raised, not the first in time."""
    found = await asyncio.gather(*work, return_exceptions=True)
    for one in found:
        if isinstance(one, BaseException):
            raise one
    return list(found)


async def _decode(codecs: _Codecs, chunks: Sequence[Coordinates]) -> dict[Coordinates, Decoded]:
    size = codecs.guarded.chunk_bytes(codecs.inside[1])
    try:
        size_limits.check_chunk(size)
    except SizeLimitExceeded as error:
        return {chunk: await _too_large(codecs, chunk, error) for chunk in chunks}
    async with size_limits.decoding_memory.reserved(size * len(chunks)):
        if not codecs.each:
            return {chunk: await _selected(codecs, chunk) for chunk in chunks}
        return await _decode_each(codecs, chunks)


async def _too_large(codecs: _Codecs, chunk: Coordinates, error: SizeLimitExceeded) -> Decoded:
    """Return that a chunk is not read, if there is one."""
    try:
        return _fault(error) if await _is_stored(codecs, chunk) else None
    except Exception as other:  # noqa: BLE001  # stores raise what they like
        return _fault(other)


async def _decode_each(
    codecs: _Codecs, chunks: Sequence[Coordinates]
) -> dict[Coordinates, Decoded]:
    stored = await (_plain if codecs.shards is None else _inner)(codecs, chunks)
    found: dict[Coordinates, Decoded] = {}
    wanted: dict[Coordinates, Buffer] = {}
    alike = codecs.grid.edges is None and stored
    same = codecs.fixed_size(next(iter(stored))) if alike else None
    for chunk, item in stored.items():
        size = same if alike else codecs.fixed_size(chunk)
        if isinstance(item, Fault) and item.kind == "limit" and size is not None:
            text = f"its codecs always make {size:,} bytes, and it has more: {item.text}"
            found[chunk] = Fault("size", text)
        elif item is None or isinstance(item, Fault):
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
                found[chunk] = _fault(error, "codec")
    return found


async def _values(
    codecs: _Codecs, stored: Mapping[Coordinates, Buffer]
) -> dict[Coordinates, Decoded]:
    pipeline, spec = codecs.inside
    dtype = codecs.grid.zarr.dtype
    regular = codecs.grid.edges is None
    decoded = await pipeline.decode(
        [(item, spec if regular else codecs.spec_of(chunk)) for chunk, item in stored.items()]
    )
    return {
        chunk: _clipped(codecs.grid, chunk, item.as_numpy_array()).astype(dtype, copy=False)  # type: ignore[union-attr]
        for chunk, item in zip(stored, decoded, strict=True)
    }


def _clipped(
    grid: ChunkGrid, chunk: Coordinates, values: np.ndarray[Any, Any]
) -> np.ndarray[Any, Any]:
    # with an ellipsis a scalar stays an array, too
    inside: tuple[Any, ...] = tuple(slice(part.stop - part.start) for part in grid.region(chunk))
    return values[(*inside, ...)]


async def _selected(codecs: _Codecs, chunk: Coordinates) -> Decoded:
    grid = codecs.grid
    try:
        if not await codecs.place(chunk).exists():
            return None
        selected = np.asarray(await codecs.zarr.selected(grid.zarr, grid.region(chunk)))
    except Exception as error:  # noqa: BLE001  # codecs raise what they like
        return _fault(error)
    return selected


async def _plain(codecs: _Codecs, chunks: Sequence[Coordinates]) -> Stored:
    """Fetch chunks that are objects of their own."""
    prototype = codecs.guarded.prototype()
    work = (codecs.place(chunk).get(prototype) for chunk in chunks)
    given = await asyncio.gather(*work, return_exceptions=True)
    return {
        chunk: _fault(item, "store") if isinstance(item, BaseException) else item
        for chunk, item in zip(chunks, given, strict=True)
    }


async def _inner(codecs: _Codecs, chunks: Sequence[Coordinates]) -> Stored:
    """Fetch chunks that are inside of shards."""
    shards: dict[Coordinates, list[Coordinates]] = {}
    for chunk in chunks:
        shards.setdefault(codecs.grid.stored_in(chunk), []).append(chunk)
    work = (_of_shard(codecs, shard, inside) for shard, inside in shards.items())
    parts = await asyncio.gather(*work, return_exceptions=True)
    found: Stored = {}
    for inside, part in zip(shards.values(), parts, strict=True):
        if isinstance(part, BaseException):
            found.update(dict.fromkeys(inside, _fault(part)))
        else:
            found.update(part)
    return found


async def _of_shard(codecs: _Codecs, shard: Coordinates, chunks: Sequence[Coordinates]) -> Stored:
    index = await codecs.index(shard)
    found: Stored = dict.fromkeys(chunks)
    if index is None:
        return found
    spans = {c: part for c in chunks if (part := codecs.span(index, c)) is not None}
    if not spans:
        return found
    pipeline, spec = codecs.inside
    most = pipeline.stages(spec).packed
    place = codecs.place(chunks[0])
    for chunk, (start, stop) in list(spans.items()):
        if stop - start > most:
            found[chunk] = await _beyond_limit(codecs, place, (start, stop), most)
            del spans[chunk]
    if not spans:
        return found
    parts = await asyncio.gather(*(_run(codecs, place, run) for run in _runs(spans)))
    return found | {chunk: item for part in parts for chunk, item in part.items()}


async def _beyond_limit(codecs: _Codecs, place: Any, span: tuple[int, int], most: int) -> Fault:
    """Return why a chunk with so many bytes in its shard is not read: mostly the shard does not have them."""
    start, stop = span
    what = f"the chunk has {bytes_text(stop - start)} in its shard"
    limit = Fault("limit", f"{what}, more than the limit of {bytes_text(most)}")
    try:
        await _range(codecs, place, stop - 1, stop)
    except (ValueError, OverflowError) as error:
        return _fault(error)
    except Exception:  # noqa: BLE001  # stores raise what they like; the limit holds all the same
        return limit
    return limit


Spans = dict[Coordinates, tuple[int, int]]


def _runs(spans: Spans) -> list[Spans]:
    """Split parts of a shard into runs without large gaps.

    Shards are written in Morton order, so that neighbours in a slice lie in many short runs.
    """
    runs: list[Spans] = []
    first = end = 0
    for chunk, (start, stop) in sorted(spans.items(), key=lambda item: item[1]):
        if runs and start - end <= _GAP and max(end, stop) - first <= _TOGETHER:
            runs[-1][chunk] = start, stop
            end = max(end, stop)
        else:
            runs.append({chunk: (start, stop)})
            first, end = start, stop
    return runs


async def _run(codecs: _Codecs, place: Any, run: Spans) -> Stored:
    """Fetch chunks of a shard in one request; one by one where that fails, so that one spoils no others."""
    first, last = min(start for start, _ in run.values()), max(stop for _, stop in run.values())
    try:
        data = await _range(codecs, place, first, last)
    except Exception as error:  # noqa: BLE001  # stores raise what they like
        if len(run) == 1 or (isinstance(error, ReadError) and error.reason != "too large"):
            return dict.fromkeys(run, _fault(error))
        alone = await asyncio.gather(*(_run(codecs, place, {c: span}) for c, span in run.items()))
        return {chunk: item for part in alone for chunk, item in part.items()}
    return {chunk: data[start - first : stop - first] for chunk, (start, stop) in run.items()}


async def _range(codecs: _Codecs, place: Any, start: int, stop: int) -> Buffer:
    data: Buffer | None = None
    if stop <= sys.maxsize:  # more than stores count to
        data = await codecs.guarded.get_range(place, start, stop)
    if data is None or len(data) < stop - start:
        raise ValueError(f"the shard ends before byte {stop:,}, which its index refers to")
    return data


def _fault(error: BaseException, kind: FaultKind | None = None) -> Fault:
    """Return why a chunk cannot be read; by default it is the store's doing if the error is one of a store."""
    reason = error.reason if isinstance(error, ReadError) else ""
    if isinstance(error, SizeLimitExceeded) or reason == "too large":
        kind = "limit"
    elif reason == "corrupt":  # what is stored is damaged, and will be the next time, too
        kind = "codec"
    elif kind is None or isinstance(error, ImportError):  # a codec that is not here is no damage
        kind = "store" if isinstance(error, OSError | ReadError | ImportError) else "codec"
    return Fault(kind, error_text(error))


def error_text(error: BaseException) -> str:
    """Return the message of an exception of a store or a codec in one line."""
    text = " ".join(str(error).split())[:400]
    if isinstance(error, ReadError | SizeLimitExceeded):  # a sentence already
        return text
    kind = type(error)
    # such as binascii.Error, whose name alone says nothing
    name = (
        f"{kind.__module__}.{kind.__name__}"
        if kind.__name__ in ("Error", "error")
        else kind.__name__
    )
    return f"{name}: {text}" if text else name
