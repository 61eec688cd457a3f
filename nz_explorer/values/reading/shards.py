"""The shards of an array: how many chunks each has, and its index, which locates them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numcodecs.checksum32 import CRC32C  # type: ignore[import-untyped]
from zarr.abc.store import RangeByteRequest, SuffixByteRequest
from zarr.buffer import default_buffer_prototype
from zarr.codecs import ShardingCodec

from nz_explorer.store import zarr_internals
from nz_explorer.store.zarr_internals import ArraySpec
from nz_explorer.values.reading import size_limits
from nz_explorer.values.reading.size_limits import SizeLimitExceeded


def shard_counts(codec: ShardingCodec, spec: ArraySpec) -> tuple[int, ...]:
    """Return how many chunks a shard has along each axis.

    Parameters
    ----------
    codec
        That of the shards.
    spec
        What a shard is, decoded.
    """
    return tuple(s // max(1, c) for s, c in zip(spec.shape, codec.chunk_shape, strict=True))


def check_shard(codec: ShardingCodec, spec: ArraySpec) -> None:
    """Refuse a shard whose index takes too much memory.

    Parameters
    ----------
    codec
        That of the shards.
    spec
        What a shard is, decoded.

    Raises
    ------
    SizeLimitExceeded
        If it has more chunks than `size_limits.MOST_INNER_CHUNKS`.
    """
    number = math.prod(shard_counts(codec, spec))
    if number > size_limits.MOST_INNER_CHUNKS:
        raise SizeLimitExceeded(
            f"a shard has {number:,} chunks, more than the limit of {size_limits.MOST_INNER_CHUNKS:,}"
        )


async def shard_index(
    codec: Any, spec: ArraySpec, place: Any
) -> np.ndarray[Any, np.dtype[np.uint64]] | None:
    """Return the index of a shard, None where there is no shard.

    For each chunk that the shard has room for, it has the place of its first byte and the number of its bytes; both
    are `NOT_WRITTEN` where there is none.

    Parameters
    ----------
    codec
        That of the shards.
    spec
        What a shard is, decoded.
    place
        The object of the store that would hold it.

    Raises
    ------
    SizeLimitExceeded
        If it is too large.
    ValueError
        If it is there, and where it ends is not known.
    """
    check_shard(codec, spec)
    counts = shard_counts(codec, spec)
    plain = _is_plain(codec)
    try:
        size = 16 * math.prod(counts) + 4 if plain else zarr_internals.index_size(codec, counts)
    except Exception as error:  # codecs raise what they like
        if await place.get(default_buffer_prototype(), RangeByteRequest(0, 1)) is None:
            return None  # what is not there is not at fault
        if not isinstance(error, NotImplementedError):
            raise
        raise ValueError("the index of its shard is compressed, so its size is not known") from None
    at_start = getattr(codec.index_location, "value", codec.index_location) == "start"
    part = RangeByteRequest(0, size) if at_start else SuffixByteRequest(size)
    data = await place.get(default_buffer_prototype(), part)
    if data is None:
        return None
    if plain and len(data) == size:
        return np.frombuffer(CRC32C().decode(data.to_bytes()), "<u8").reshape(*counts, 2)
    index = np.asarray(await zarr_internals.decoded_index(codec, data, counts))
    return index.reshape(*counts, 2)


def _is_plain(codec: Any) -> bool:
    """Return whether indices are coded as they nearly always are: little-endian, with a checksum.

    zarr makes a pipeline for each one, which takes longer than everything else that is done to it.
    """
    if [type(one).__name__ for one in codec.index_codecs] != ["BytesCodec", "Crc32cCodec"]:
        return False
    endian = codec.index_codecs[0].endian
    return str(getattr(endian, "value", endian)) == "little"
