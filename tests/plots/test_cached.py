"""Sliders say which of their indices need no further reading."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import zarr

from nz_explorer.model import Array, open_store
from nz_explorer.plots import make
from nz_explorer.plots.cached import with_cached
from nz_explorer.values.reading.chunk_cache import ChunkCache


def test_the_runs_of_chunks_that_were_read(tmp_path: Path) -> None:
    root = zarr.open_group(tmp_path / "a.zarr", mode="w")
    array = root.create_array(
        "a",
        shape=(10, 4, 20, 30),
        chunks=(3, 1, 10, 30),
        dtype="f4",
        dimension_names=["time", "level", "y", "x"],
    )
    array[:] = np.arange(array.size).reshape(array.shape)
    hierarchy = open_store(tmp_path / "a.zarr")
    node = hierarchy["/a"]
    assert isinstance(node, Array)
    cache = ChunkCache()

    def cached(window: dict[str, list[int]] | None = None, **index: int) -> list[object]:
        look = make(hierarchy, node, index, cache=cache, window=window)
        return [slider.cached for slider in with_cached(look, node, cache).sliders]

    assert cached() == [((0, 3),), ((0, 1),)]
    assert cached(time=4, level=0) == [((0, 6),), ((0, 1),)]
    assert cached(time=9, level=2) == [((9, 10),), ((2, 3),)]
    # Of the upper half more is there than of all.
    assert cached({"y": [0, 5]}, time=7, level=2) == [((6, 10),), ((2, 3),)]
    assert cached(time=9, level=2) == [((9, 10),), ((2, 3),)]
