"""Chunks that differ in length: recognised, read, drawn – as zarr 3.4 writes them, and as the specification allows."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zarr
from packaging.version import Version

import nz_explorer as nz
from nz_explorer.model import Array, open_store
from nz_explorer.model.chunk_edges import MOST_EDGES, edges_of
from nz_explorer.plots import figure, make
from nz_explorer.values import UnsupportedArray, open_array
from nz_explorer.values.census import census_of
from nz_explorer.values.coordinates.monotonicity import check_monotonic
from nz_explorer.values.masks.cell_states import ABSENT, UNREADABLE
from nz_explorer.values.scan import scan_array
from nz_explorer.values.window import read_window

WRITTEN = Path(__file__).parents[1] / "data" / "rectilinear.zip"
"""By zarr 3.4.2; see the README beside it."""
MONTHS = np.arange(900, dtype="f4").reshape(90, 10)


def grid(shapes: list[Any]) -> dict[str, Any]:
    return {"name": "rectilinear", "configuration": {"kind": "inline", "chunk_shapes": shapes}}


def write(folder: Path, name: str, data: np.ndarray[Any, Any], shapes: list[Any]) -> Array:
    """Write an array with the codec bytes alone, each chunk as long as the grid says."""
    place = folder / name
    place.mkdir(parents=True)
    (folder / "zarr.json").write_text('{"zarr_format": 3, "node_type": "group"}')
    document = {
        "zarr_format": 3,
        "node_type": "array",
        "shape": list(data.shape),
        "data_type": data.dtype.name,
        "chunk_grid": grid(shapes),
        "chunk_key_encoding": {"name": "default"},
        "fill_value": 0,
        "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}],
        "dimension_names": [name] if data.ndim == 1 else [f"d{i}" for i in range(data.ndim)],
    }
    (place / "zarr.json").write_text(json.dumps(document))
    edges = edges_of(document["chunk_grid"], data.shape)
    assert edges is not None
    begins = [[0, *itertools.accumulate(along)] for along in edges]
    for chunk in itertools.product(*(range(len(along)) for along in edges)):
        whole = np.zeros([along[i] for along, i in zip(edges, chunk, strict=True)], data.dtype)
        part = data[tuple(slice(b[i], b[i + 1]) for b, i in zip(begins, chunk, strict=True))]
        whole[tuple(slice(n) for n in part.shape)] = part
        file = place.joinpath("c", *map(str, chunk))
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(whole.tobytes())
    found = open_store(folder)[f"/{name}"]
    assert isinstance(found, Array)
    return found


def array(path: str, source: Any = WRITTEN) -> Array:
    found = open_store(source)[path]
    assert isinstance(found, Array)
    return found


@pytest.mark.parametrize(
    ("shapes", "lengths"),
    [
        (4, (4, 4)),
        ([1, 2, 3], (1, 2, 3)),
        ([[4, 2]], (4, 4)),
        ([[1, 3], 3], (1, 1, 1, 3)),
        ([4, 4, 4], (4, 4)),
        ([3, 2], None),
        ([0, 6], None),
        ([[3, 2, 1]], None),
        (True, None),
        ([6.0], None),
        ([[1, 10**12]], None),
    ],
)
def test_the_lengths_of_the_specification(shapes: Any, lengths: Any) -> None:
    assert edges_of(grid([shapes]), (6,)) == (None if lengths is None else (lengths,))
    assert MOST_EDGES < 10**12


def test_what_zarr_3_4_has_written() -> None:
    months = array("/months")
    assert months.chunk_edges == ((31, 28, 31), (4, 6))
    assert np.array_equal(open_array(months)[...], MONTHS)
    assert np.array_equal(open_array(array("/runs"))[...], [*range(12), *[0] * 8])
    found = census_of(array("/runs"))
    assert (found.written, found.total) == (3, 5)
    assert [(gap.start, gap.stop) for gap in found.gaps] == [(15, 20)]
    with pytest.raises(UnsupportedArray, match="shards of different sizes"):
        open_array(array("/sharded"))


@pytest.mark.parametrize(
    "selection",
    [
        np.s_[30:33, 0],
        np.s_[5],
        np.s_[-1, -1],
        np.s_[::17, ::-1],
        np.s_[..., 3],
        np.s_[0:0],
        np.s_[58:60, 3:5],
    ],
)
def test_a_selection_is_that_of_numpy(selection: Any) -> None:
    assert np.array_equal(open_array(array("/months"))[selection], MONTHS[selection])


def test_a_selection_by_axis() -> None:
    rows, columns = [0, 89, 31, 30], [9, 0, 4]
    found = open_array(array("/months")).oindex[rows, columns]
    assert np.array_equal(found, MONTHS[np.ix_(rows, columns)])
    with pytest.raises(NotImplementedError, match="differ in length"):
        open_array(array("/months")).vindex[[0, 1], [0, 1]]


def test_every_way_to_the_values_gives_the_same() -> None:
    ex = nz.explore(WRITTEN, path="/months")
    assert np.array_equal(ex.values(whole=True), MONTHS)
    assert np.array_equal(ex.to_xarray().values, MONTHS)
    assert ex.to_xarray().encoding["preferred_chunks"] == {"time": (31, 28, 31), "x": (4, 6)}
    ex.pins = [{"x": 3}]
    assert np.array_equal(ex.series("time")[0], MONTHS[:, 3])
    ex.view = {"reduce": {"x": "mean"}}
    assert np.allclose(ex.values(whole=True), MONTHS.mean(axis=1))
    ex.close()
    scan = scan_array(array("/months"))
    assert (scan.chunks_done, scan.minimum, scan.maximum) == (6, 0, 899)
    assert scan.mean == pytest.approx(MONTHS.mean())
    look = make(open_store(WRITTEN), "/months")
    assert figure(look).axes
    assert look.x is not None
    assert look.y is not None
    assert (look.y.chunk, look.x.chunk) == ([31, 59], [4])


@pytest.mark.parametrize("points", [(90, 10), (30, 5), (7, 3), (1, 1)])
def test_a_window_at_fewer_points(points: tuple[int, int]) -> None:
    window = read_window(array("/months"), (0, 1), {}, points)
    rows, columns = (part.indices for part in window.axes)
    assert np.array_equal(window.values, MONTHS[np.ix_(rows, columns)])


@pytest.mark.parametrize("seed", range(12))
def test_any_lengths_over_several_dimensions(tmp_path: Path, seed: int) -> None:
    random = np.random.default_rng(seed)
    shape = tuple(random.integers(1, 30, size=random.integers(1, 4)).tolist())
    shapes: list[Any] = []
    for length in shape:
        along: list[Any] = []
        reached = 0
        while reached < length + random.integers(0, 4):
            size, times = random.integers(1, 9), random.integers(1, 3)
            along.append(int(size) if times == 1 else [int(size), int(times)])
            reached += size * times
        shapes.append(along if random.random() < 0.8 else int(random.integers(1, 9)))
    data = random.integers(-99, 99, size=shape).astype("i2")
    made = write(tmp_path, "a", data, shapes)
    assert np.array_equal(open_array(made)[...], data)
    axes = tuple(range(len(shape)))[-2:]
    index = {axis: int(random.integers(n)) for axis, n in enumerate(shape) if axis not in axes}
    window = read_window(made, axes, index, [int(random.integers(1, 31)) for _ in axes])
    where = [np.asarray([index[axis]]) for axis in index]
    where += [part.indices for part in window.axes]
    assert np.array_equal(window.values, data[np.ix_(*where)].reshape(window.values.shape))
    assert scan_array(made).minimum == data.min()


def test_one_chunk_is_absent_and_one_is_cut(tmp_path: Path) -> None:
    made = write(tmp_path, "a", np.arange(1, 11, dtype="i4"), [[2, 5, 3]])
    (tmp_path / "a" / "c" / "0").unlink()
    cut = tmp_path / "a" / "c" / "1"
    cut.write_bytes(cut.read_bytes()[:-4])
    window = read_window(made, (0,), {}, (10,))
    assert window.states.tolist() == [ABSENT] * 2 + [UNREADABLE] * 5 + [0] * 3
    assert window.values[7:].tolist() == [8, 9, 10]
    assert window.errors[0].chunk == "a/c/1"
    assert "16 bytes, and its codecs always make 20" in window.errors[0].message


def test_a_coordinate_is_checked_chunk_by_chunk(tmp_path: Path) -> None:
    rising = np.arange(40, dtype="f8")
    assert check_monotonic(
        write(tmp_path / "1", "x", rising, [[7, [11, 3]]]), budget=1 << 20
    ).strict
    rising[20] = 3
    found = check_monotonic(write(tmp_path / "2", "x", rising, [[7, [11, 3]]]), budget=1 << 20)
    assert (found.result, found.index) == ("not", 20)


@pytest.mark.skipif(Version(zarr.__version__) < Version("3.4"), reason="zarr cannot write them")
def test_zarr_itself_writes_and_reads_the_same(tmp_path: Path) -> None:
    with zarr.config.set({"array.rectilinear_chunks": True}):
        group = zarr.open_group(tmp_path / "a.zarr")
        made: Any = group.create_array(
            "a", shape=(20, 9), chunks=[[5, 5, 5, 3, 2], [4, 5]], dtype="i4"
        )
        made[...] = np.arange(180).reshape(20, 9)
        theirs = made[...]
    assert np.array_equal(open_array(array("/a", tmp_path / "a.zarr"))[...], theirs)
