"""Everything that is used of zarr-python and has no public name.

zarr-python can change all of this in any release: it is here and nowhere else, so that a release that does is dealt
with in one file. Its oldest and its newest release are tested.
"""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import Iterable, Mapping
from typing import Any

from zarr.codecs._v2 import V2Codec
from zarr.core.array_spec import ArrayConfig, ArraySpec
from zarr.core.codec_pipeline import BatchedCodecPipeline
from zarr.core.metadata import ArrayV2Metadata, ArrayV3Metadata
from zarr.core.sync import _get_loop

__all__ = ["ArrayConfig", "ArraySpec", "BatchedCodecPipeline", "V2Codec"]  # and what is below


def event_loop() -> asyncio.AbstractEventLoop:
    """Return the event loop on which zarr asks stores; it runs in a thread of its own."""
    return _get_loop()


def is_open(store: Any) -> bool:
    """Return whether a store has been opened: the file of one that has not may not be there yet."""
    return bool(store._is_open)  # noqa: SLF001


def metadata_error(metadata: Mapping[str, Any], zarr_format: int) -> Exception | None:
    """Return what is raised when zarr takes in the metadata of an array; None where it accepts them.

    Parameters
    ----------
    metadata : mapping
        The document of the array.
    zarr_format : int
        2 or 3.
    """
    parser = ArrayV2Metadata if zarr_format == 2 else ArrayV3Metadata
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            parser.from_dict(dict(metadata))
    except Exception as error:  # noqa: BLE001  # any may come of JSON that is wrong
        return error
    return None


def codec_pipeline(array: Any) -> Any:
    """Return what encodes and decodes the chunks of an array."""
    return array._async_array.codec_pipeline  # noqa: SLF001


def stock_codecs(array: Any) -> list[Any]:
    """Return the codecs of an array in the order in which they encode, as zarr found them."""
    stock = codec_pipeline(array)
    if isinstance(stock, Iterable):
        return list(stock)
    metadata = array.metadata  # another package put its pipeline in the place of zarr's
    if metadata.zarr_format == 2:
        return [V2Codec(filters=metadata.filters, compressor=metadata.compressor)]
    return list(metadata.codecs)


def decode_with(array: Any, pipeline: BatchedCodecPipeline) -> None:
    """Have the chunks of an array decoded by another pipeline.

    Parameters
    ----------
    array : zarr.Array
        The array.
    pipeline : BatchedCodecPipeline
        Its codecs.
    """
    object.__setattr__(array._async_array, "codec_pipeline", pipeline)  # noqa: SLF001


def read_from(array: Any, path: Any) -> None:
    """Have an array read from another store, which has the same in it.

    Parameters
    ----------
    array : zarr.Array
        The array.
    path : StorePath
        Where it is in the other store.
    """
    object.__setattr__(array._async_array, "store_path", path)  # noqa: SLF001


async def selected(array: Any, region: tuple[slice, ...]) -> Any:
    """Return a selection of an array, on the event loop that asks.

    Parameters
    ----------
    array : zarr.Array
        The array.
    region : tuple of slice
        A slice for each axis.
    """
    return await array._async_array.getitem(region)  # noqa: SLF001


def inner_spec(codec: Any, spec: ArraySpec) -> ArraySpec:
    """Return what a chunk of a shard is.

    Parameters
    ----------
    codec : ShardingCodec
        That of the shards.
    spec : ArraySpec
        What a shard is, decoded.
    """
    found: ArraySpec = codec._get_chunk_spec(spec)  # noqa: SLF001
    return found


def index_size(codec: Any, counts: tuple[int, ...]) -> int:
    """Return how many bytes the index of a shard has.

    Parameters
    ----------
    codec : ShardingCodec
        That of the shards.
    counts : tuple of int
        How many chunks a shard has along each axis.
    """
    return int(codec._shard_index_size(counts))  # noqa: SLF001


async def decoded_index(codec: Any, data: Any, counts: tuple[int, ...]) -> Any:
    """Return the index of a shard as numbers: for each chunk its first byte, and how many bytes it has.

    Parameters
    ----------
    codec : ShardingCodec
        That of the shards.
    data : Buffer
        The bytes of the index.
    counts : tuple of int
        How many chunks a shard has along each axis.
    """
    index = await codec._decode_shard_index(data, counts)  # noqa: SLF001
    return index.offsets_and_lengths
