"""Inner chunks of shards: those that lie near each other arrive in one request, and one spoils no others."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import zarr

from nz_explorer.model import Array, open_store
from nz_explorer.values.masks.cell_states import UNREADABLE
from nz_explorer.values.window import Window, read_window
from tests.conftest import HttpServer
from tests.hostile.test_size_limits import checksum

Serve = Callable[..., HttpServer]


@pytest.fixture
def sharded(tmp_path: Path) -> Path:
    """Eight maps in four shards of 8 × 8 × 8 chunks, in Morton order as zarr writes them."""
    array = zarr.create_group(tmp_path / "s").create_array(
        "t", shape=(8, 512, 512), shards=(8, 256, 256), chunks=(1, 32, 32), dtype="i4"
    )
    array[:] = np.arange(8 * 512 * 512, dtype="i4").reshape(8, 512, 512)
    return tmp_path / "s"


def slice_of(source: object) -> Window:
    array = open_store(source).get("/t")
    assert isinstance(array, Array)
    return read_window(array, (1, 2), {0: 3}, (512, 512), budget=None)


def test_a_slice_takes_few_requests_for_each_shard(sharded: Path, http_server: Serve) -> None:
    served = http_server(sharded)
    look = slice_of(served.url)
    np.testing.assert_array_equal(
        look.values, np.arange(3 * 512 * 512, 4 * 512 * 512).reshape(512, 512)
    )
    parts = [request.rpartition("bytes=")[2] for request in served.network.requests]
    ends = [part.split("-") for part in parts if part[:1].isdigit()]
    assert len(ends) <= 4 * 5
    asked = sum(int(last) - int(first) + 1 for first, last in ends)
    assert asked <= 4 * look.facts.decoded_bytes


def test_a_chunk_beyond_the_end_of_its_shard_spoils_no_others(sharded: Path) -> None:
    shard = sharded / "t" / "c" / "0" / "0" / "0"
    data = bytearray(shard.read_bytes())
    index = np.frombuffer(data[-(8 * 8 * 8 * 16 + 4) : -4], "<u8").reshape(8, 8, 8, 2).copy()
    index[3, 7, 7, 0] = len(data) - 10  # just behind the others, and not there
    data[-(8 * 8 * 8 * 16 + 4) : -4] = index.tobytes()
    data[-4:] = checksum(index.tobytes())
    shard.write_bytes(bytes(data))
    unreadable = slice_of(sharded).states == UNREADABLE
    assert unreadable[224:256, 224:256].all()
    assert unreadable.sum() == 32 * 32
