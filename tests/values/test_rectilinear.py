"""Chunks that differ in length: recognised, read, drawn – as zarr 3.4 writes them, and as the specification allows."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from tempfile import TemporaryDirectory
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
from nz_explorer.values.coordinates.monotonicity import check_monotonic
from nz_explorer.values.masks.cell_states import ABSENT, UNREADABLE
from nz_explorer.values.whole_arrays.census import census_of
from nz_explorer.values.whole_arrays.scan import scan_array
from nz_explorer.values.window import read_window

BYTES = {"name": "bytes", "configuration": {"endian": "little"}}
WRITTEN = Path(__file__).parents[1] / "data" / "rectilinear.zip"
"""By zarr 3.4.2; see the README beside it."""
BLOCKS = np.full((30, 20), -1, "i2")
BLOCKS[:7, :9], BLOCKS[20:, 6:] = (
    np.arange(600).reshape(30, 20)[part] for part in (np.s_[:7, :9], np.s_[20:, 6:])
)
"""What zarr reads of the array blocks, whose shards differ in length."""
MONTHS = np.arange(900, dtype="f4").reshape(90, 10)


def grid(shapes: list[Any]) -> dict[str, Any]:
    return {"name": "rectilinear", "configuration": {"kind": "inline", "chunk_shapes": shapes}}


def write(
    folder: Path,
    name: str,
    data: np.ndarray[Any, Any],
    shapes: list[Any],
    *,
    inner: tuple[int, ...] | None = None,
    shard_codecs: tuple[Any, ...] = (),
) -> Array:
    """Write an array, each chunk as long as the grid says; with the length of inner chunks they are shards."""
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
        "codecs": [BYTES],
        "dimension_names": [name] if data.ndim == 1 else [f"d{i}" for i in range(data.ndim)],
    }
    if inner is not None:
        codecs = {"codecs": [BYTES], "index_codecs": [BYTES, {"name": "crc32c"}]}
        sharding = {"chunk_shape": [*inner], **codecs}
        document["codecs"] = [
            {"name": "sharding_indexed", "configuration": sharding},
            *shard_codecs,
        ]
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
        file.write_bytes(whole.tobytes() if inner is None else _as_shard(document, whole))
    found = open_store(folder)[f"/{name}"]
    assert isinstance(found, Array)
    return found


def _as_shard(document: dict[str, Any], values: np.ndarray[Any, Any]) -> bytes:
    """Return the bytes of a shard, as zarr writes the only one of an array of its own."""
    regular = {"name": "regular", "configuration": {"chunk_shape": [*values.shape]}}
    alone = {**document, "shape": [*values.shape], "chunk_grid": regular}
    with TemporaryDirectory() as folder:
        (Path(folder) / "zarr.json").write_text(json.dumps(alone))
        made: Any = zarr.open_array(folder)
        made[...] = values
        (file,) = (file for file in Path(folder, "c").rglob("*") if file.is_file())
        return file.read_bytes()


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


def check_any_window(made: Array, data: np.ndarray[Any, Any], random: np.random.Generator) -> None:
    """Compare a plane of an array, drawn by chance, with what was written."""
    axes = tuple(range(data.ndim))[-2:]
    index = {axis: int(random.integers(n)) for axis, n in enumerate(data.shape) if axis not in axes}
    window = read_window(made, axes, index, [int(random.integers(1, 31)) for _ in axes])
    where = [np.asarray([index[axis]]) for axis in index]
    where += [part.indices for part in window.axes]
    assert np.array_equal(window.values, data[np.ix_(*where)].reshape(window.values.shape))


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
    check_any_window(made, data, random)
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


# --- with shards ---------------------------------------------------------------------------------


def test_shards_that_zarr_3_4_has_written() -> None:
    assert open_array(array("/sharded"))[...].tolist() == list(range(20))
    blocks = array("/blocks")
    assert (blocks.chunk_shape, blocks.chunk_edges) == ((2, 2), ((8, 12, 10), (6, 14)))
    assert np.array_equal(open_array(blocks)[...], BLOCKS)
    assert np.array_equal(open_array(blocks)[5:25:3, 7], BLOCKS[5:25:3, 7])
    found = census_of(blocks)
    # inner chunks of the two parts that were written
    assert (found.total, found.written) == (150, 4 * 5 + 5 * 7)
    assert (found.shards, found.shards_written) == (6, 3)
    assert found.bytes == sum(16 * n + 4 for n in (4 * 3, 4 * 7, 5 * 7))
    scan = scan_array(blocks)
    assert (scan.chunks_done, scan.minimum, scan.maximum) == (150, -1, 599)
    written = [*BLOCKS[:8, :10].ravel(), *BLOCKS[20:, 6:].ravel()]
    assert scan.mean == pytest.approx(np.mean(written))
    absent = read_window(blocks, (0, 1), {}, (30, 20)).states == ABSENT
    assert absent.sum() == 600 - 4 * (4 * 5 + 5 * 7)
    assert np.array_equal(census_of(array("/sharded")).places.ravel(), range(10))


def test_every_way_to_the_values_of_shards_gives_the_same() -> None:
    ex = nz.explore(WRITTEN, path="/blocks")
    assert np.array_equal(ex.values(whole=True), BLOCKS)
    assert np.array_equal(ex.to_xarray().values, BLOCKS)
    assert ex.to_xarray().encoding["preferred_chunks"] == {"row": 2, "column": 2}
    ex.pins = [{"column": 8}]
    assert np.array_equal(ex.series("row")[0], BLOCKS[:, 8])
    ex.close()
    found = nz.check(WRITTEN, conventions="zarr3").findings
    assert {f.rule for f in found} == {"Z3-GRID-007"}


@pytest.mark.filterwarnings("ignore:Combining a .sharding_indexed. codec")
@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_any_lengths_of_shards(tmp_path: Path, seed: int, whole: bool) -> None:
    """With a codec behind that of the shards, each is decoded as a whole."""
    random = np.random.default_rng(seed)
    inner = tuple(random.integers(1, 5, size=random.integers(1, 4)).tolist())
    shapes = [(size * random.integers(1, 5, size=random.integers(1, 4))).tolist() for size in inner]
    # the array may end within the last shard
    shape = tuple(sum(along) - int(random.integers(0, along[-1])) for along in shapes)
    data = random.integers(1, 99, size=shape).astype("i2")
    codecs = ({"name": "crc32c"},) if whole else ()
    made = write(tmp_path, "a", data, shapes, inner=inner, shard_codecs=codecs)
    assert np.array_equal(open_array(made)[...], data)
    check_any_window(made, data, random)
    scan = scan_array(made)
    assert (scan.minimum, scan.mean) == (data.min(), pytest.approx(data.mean()))


def test_one_shard_is_absent_and_one_is_cut(tmp_path: Path) -> None:
    made = write(tmp_path, "a", np.arange(1, 13, dtype="i4"), [[2, 6, 4]], inner=(2,))
    (tmp_path / "a" / "c" / "0").unlink()
    cut = tmp_path / "a" / "c" / "1"
    cut.write_bytes(cut.read_bytes()[:-1])
    window = read_window(made, (0,), {}, (12,))
    assert window.states.tolist() == [ABSENT] * 2 + [UNREADABLE] * 6 + [0] * 4
    assert window.values[8:].tolist() == [9, 10, 11, 12]


def test_shards_that_are_not_divided_are_refused(tmp_path: Path) -> None:
    data = np.zeros(9, "i4")
    made = write(tmp_path, "a", data, [[4, 5]])
    document = json.loads((tmp_path / "a" / "zarr.json").read_text())
    sharding = {"chunk_shape": [2], "codecs": [BYTES], "index_codecs": [BYTES, {"name": "crc32c"}]}
    document["codecs"] = [{"name": "sharding_indexed", "configuration": sharding}]
    (tmp_path / "a" / "zarr.json").write_text(json.dumps(document))
    made = array("/a", tmp_path)
    with pytest.raises(UnsupportedArray, match="has shards of 5, which its inner chunks of 2"):
        open_array(made)
    told = [f.message for f in nz.check(tmp_path).findings if f.rule == "Z3-CODEC-008"]
    assert told == ["sharding: chunks of 2 do not divide every shard along dimension 0"]


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
