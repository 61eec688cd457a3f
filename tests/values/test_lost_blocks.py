"""Blocks that were lost within chunks are told from gaps that the source has."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zarr

from nz_explorer.model import Array, open_store
from nz_explorer.values.contents import contents
from nz_explorer.values.masks.lost_blocks import LostBlock

FULL = np.arange(1.0, 20 * 24 + 1).reshape(20, 24)


def _written(folder: Path, values: Any, zarr_format: Any = 3, **options: Any) -> Array:
    values = np.asarray(values)
    options.setdefault("chunks", (5, 8))
    made = zarr.create_array(
        folder / "store",
        name="a",
        shape=values.shape,
        dtype=values.dtype,
        zarr_format=zarr_format,
        **options,
    )
    made[...] = values
    array = open_store(folder / "store")["/a"]
    assert isinstance(array, Array)
    return array


def _without(*parts: tuple[slice, slice], value: float = np.nan) -> np.ndarray[Any, Any]:
    values = FULL.copy()
    for part in parts:
        values[part] = value
    return values


@pytest.mark.parametrize("zarr_format", [2, 3])
@pytest.mark.parametrize("value", [0.0, np.nan])
def test_a_block_from_edge_to_edge_of_one_chunk(
    tmp_path: Path, zarr_format: int, value: float
) -> None:
    values = _without((slice(6, 8), slice(8, 16)), value=value)
    array = _written(tmp_path, values, zarr_format, fill_value=value)
    found = contents(array).lost
    assert found is not None
    assert (found.chunks, found.alone) == (1, True)
    key = "a/c/1/1" if zarr_format == 3 else "a/1.1"
    assert found.first == LostBlock(key, 0, 6, 8)


def test_blocks_of_several_chunks_are_counted(tmp_path: Path) -> None:
    values = _without((slice(6, 8), slice(8, 16)), (slice(10, 11), slice(0, 8)))
    found = contents(_written(tmp_path, values, fill_value=np.nan)).lost
    assert found is not None
    assert found.chunks == 2


def test_other_steps_are_missing_in_most_chunks(tmp_path: Path) -> None:
    steps = [(row, column) for row in (0, 5, 10, 15) for column in (0, 8, 16)]
    parts = [
        (slice(row + n % 3, row + 1 + n % 3), slice(column, column + 8))
        for n, (row, column) in enumerate(steps)
    ]
    found = contents(_written(tmp_path, _without(*parts), fill_value=np.nan)).lost
    assert found is not None
    assert (found.first, found.chunks, found.alone) == (LostBlock("a/c/0/0", 0, 0, 1), 12, False)
    parts[4] = (slice(6, 7), slice(8, 15))  # a part of a step, as at the edge of a swath
    parts[3] = (slice(6, 7), slice(1, 8))
    parts[1] = (slice(1, 2), slice(9, 16))
    one = _written(tmp_path / "partly", _without(*parts), fill_value=np.nan)
    assert contents(one).lost is None


def test_a_chunk_at_the_edge_of_the_array_has_fewer_values(tmp_path: Path) -> None:
    values = _without((slice(16, 18), slice(16, 24)))
    found = contents(_written(tmp_path, values, chunks=(8, 8), fill_value=np.nan)).lost
    assert found is not None
    assert (found.first.start, found.first.stop) == (16, 18)


@pytest.mark.parametrize(
    "parts",
    [
        pytest.param([(slice(6, 8), slice(None))], id="the same hours everywhere"),
        pytest.param([(slice(6, 8), slice(8, 15))], id="not to the edge"),
        pytest.param([(slice(5, 10), slice(8, 16))], id="the whole chunk"),
        pytest.param(
            [(slice(6, 8), slice(8, 16)), (slice(0, 1), slice(0, 1))], id="gaps elsewhere"
        ),
        pytest.param(
            [(slice(i, i + 1), slice(0, 8)) for i in (0, 5, 10, 15)]
            + [(slice(i, i + 1), slice(8, 16)) for i in (0, 5, 10)],
            id="in most chunks",
        ),
    ],
)
def test_other_gaps_may_be_meant(tmp_path: Path, parts: list[tuple[slice, slice]]) -> None:
    assert contents(_written(tmp_path, _without(*parts), fill_value=np.nan)).lost is None


def test_a_day_that_is_missing_in_chunks_of_whole_maps_may_be_meant(tmp_path: Path) -> None:
    values = _without((slice(6, 8), slice(None)))
    assert contents(_written(tmp_path, values, chunks=(5, 24), fill_value=np.nan)).lost is None


def test_zeros_among_values_around_zero_may_be_meant(tmp_path: Path) -> None:
    values = np.where(_without((slice(6, 8), slice(8, 16)), value=0) == 0, 0, np.sin(FULL))
    assert contents(_written(tmp_path, values, fill_value=0.0)).lost is None
