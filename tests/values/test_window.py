import math
import time

import numpy as np
import pytest
import zarr
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nz_explorer.model import open_store
from nz_explorer.model.data_type import NZ_TYPES
from nz_explorer.store import Cancellation, Cancelled
from nz_explorer.store.cancellation import hand_over
from nz_explorer.values.masks.cell_states import (
    ABSENT,
    FILL,
    INF,
    NAN,
    NEG_INF,
    STORAGE_FILL,
    UNREAD,
    UNREADABLE,
    VALUE,
)
from nz_explorer.values.masks.masked import masked
from nz_explorer.values.points import MOST_CHUNKS
from nz_explorer.values.reading import chunks, size_limits
from nz_explorer.values.reading.chunk_cache import ChunkCache
from nz_explorer.values.reading.opening import UnsupportedArray, open_for_reading
from nz_explorer.values.whole_arrays.scan import scan_array
from nz_explorer.values.window import native, read_window

NAN_VALUE = float("nan")


def sample(name):
    """Values of a type, its JSON fill value, and by plain numpy which of them are missing."""
    if name == "bool":
        values = np.array([True, False, False, True] * 6)
        return values, False, ~values
    if name.startswith("complex"):
        values = (np.arange(24) - 3 + 2j).astype(name)
        values[[4, 9]] = complex(-999, NAN_VALUE)
        values[5] = complex(-999, 1)
        missing = (values.real == -999) & np.isnan(values.imag)
        return values, [-999.0, "NaN"], missing
    if name.startswith("float"):
        values = np.linspace(-5, 5, 24).astype(name)
        values[[4, 9]] = NAN_VALUE
        values[5] = 1e20
        return values, 1e20, values == np.dtype(name).type(1e20)
    info = np.iinfo(name)
    values = np.arange(24).astype(name)
    values[[4, 9]] = info.max
    return values, int(info.max), values == info.max


@pytest.mark.parametrize("name", NZ_TYPES)
def test_the_mask_of_the_thirteen_types_is_what_numpy_says(any_store, name):
    values, fill, missing = sample(name)
    values, missing = values.reshape(4, 6), missing.reshape(4, 6)
    any_store.array("a", values, chunks=(3, 4), attributes={"_FillValue": fill})
    array = any_store["a"]
    found = masked(array)
    np.testing.assert_array_equal(found.data, values)
    np.testing.assert_array_equal(np.ma.getmaskarray(found), missing)
    window = read_window(array, (0, 1), {}, (10, 10))
    np.testing.assert_array_equal(window.values, values)
    np.testing.assert_array_equal(window.states == FILL, missing)
    assert missing.any()


@pytest.mark.parametrize("order", ["<", ">"])
def test_byte_order_of_version_2(store_v2, order):
    values = np.array([1.5, -999, 2.5]).astype(f"{order}f4")
    store_v2.array("a", values, fill_value=-999)
    window = read_window(store_v2["a"], (0,), {}, (10,))
    assert window.values.dtype == np.float32
    assert window.values.tolist() == [1.5, -999, 2.5]
    # To xarray the fill_value is missing as well, to the convention _FillValue alone.
    assert window.states.tolist() == [VALUE, VALUE, VALUE]
    assert window.storage_states.tolist() == [VALUE, STORAGE_FILL, VALUE]


def test_nan_as_fill_value_masks_every_nan(store):
    values = np.array([0x7FC00000, 0x7FC00001, 0xFFC00000, 0x3F800000], "u4").view("f4")
    store.array("a", values, attributes={"_FillValue": "NaN"})
    assert read_window(store["a"], (0,), {}, (9,)).states.tolist() == [FILL, FILL, FILL, VALUE]


def test_states_of_odd_values(store):
    values = np.array([1, NAN_VALUE, math.inf, -math.inf, -9, 0.0])
    store.array("a", values, fill_value=0.0, attributes={"_FillValue": -9.0})
    window = read_window(store["a"], (0,), {}, (9,))
    assert window.states.tolist() == [VALUE, NAN, INF, NEG_INF, FILL, VALUE]
    assert window.storage_states.tolist() == [0, 2, 3, 4, 0, 7]


def test_absent_is_not_fill(any_store):
    array = any_store.array("a", shape=(6,), dtype="i4", chunks=(2,), fill_value=-9)
    array.attrs["_FillValue"] = -9
    array[0:2] = [1, -9]
    array[4:6] = [-8, -8]
    window = read_window(any_store["a"], (0,), {}, (9,))
    assert window.states.tolist() == [VALUE, FILL, ABSENT, ABSENT, VALUE, VALUE]
    assert window.values.tolist() == [1, -9, -9, -9, -8, -8]
    assert window.facts.decoded_bytes == 2 * 8
    # a chunk that was written although it holds nothing but the fill value is not absent
    any_store.array("b", np.full(4, -9, "i4"), fill_value=-9, config={"write_empty_chunks": True})
    assert (read_window(any_store["b"], (0,), {}, (9,)).states != ABSENT).all()


def test_one_corrupt_chunk_among_many(any_store):
    values = np.arange(100.0).reshape(10, 10)
    any_store.array("a", values, chunks=(2, 2))
    bad = any_store.chunk("a", 2, 3)
    bad.write_bytes(bad.read_bytes()[:5])
    window = read_window(any_store["a"], (0, 1), {}, (10, 10))
    broken = np.zeros((10, 10), bool)
    broken[4:6, 6:8] = True
    np.testing.assert_array_equal(window.states == UNREADABLE, broken)
    np.testing.assert_array_equal(window.values[~broken], values[~broken])
    (error,) = window.errors
    assert error.chunk in ("a/c/2/3", "a/2.3")
    assert error.message
    assert window.facts.complete


def test_an_unreadable_chunk_is_asked_for_again(store):
    store.array("a", np.arange(4.0), chunks=(2,))
    file = store.chunk("a", 1)
    whole = file.read_bytes()
    array, cache = store["a"], ChunkCache()
    file.write_bytes(b"")
    assert (read_window(array, (0,), {}, (9,), cache=cache).states == UNREADABLE).sum() == 2
    file.write_bytes(whole)
    window = read_window(array, (0,), {}, (9,), cache=cache)
    assert window.values.tolist() == [0, 1, 2, 3]
    assert window.facts.decoded_bytes == 16  # the good chunk was kept


def test_a_corrupt_shard_and_a_corrupt_chunk_in_a_shard(store):
    values = np.arange(64, dtype="i4").reshape(8, 8)
    store.array("a", values, shards=(4, 8), chunks=(2, 4))
    array = store["a"]
    np.testing.assert_array_equal(read_window(array, (0, 1), {}, (8, 8)).values, values)
    store.chunk("a", 1, 0).write_bytes(b"nothing")
    window = read_window(array, (0, 1), {}, (8, 8))
    assert (window.states[:4] == VALUE).all()
    assert (window.states[4:] == UNREADABLE).all()
    file = store.chunk("a", 0, 0)
    raw = bytearray(file.read_bytes())
    raw[0:8] = b"\0" * 8  # the first inner chunk; the index at the end is whole
    file.write_bytes(raw)
    states = read_window(array, (0, 1), {}, (8, 8)).states
    assert (states[:2, :4] == UNREADABLE).all()
    assert (states[:4, 4:] == VALUE).all()


def test_axes_in_any_order_and_indices_beyond_the_ends(store):
    values = np.arange(2 * 3 * 4).reshape(2, 3, 4)
    store.array("a", values, chunks=(1, 2, 3))
    array = store["a"]
    np.testing.assert_array_equal(
        read_window(array, (2, 0), {1: -1}, (9, 9)).values, values[:, -1].T
    )
    np.testing.assert_array_equal(read_window(array, (1, 2), {0: 99}, (9, 9)).values, values[1])
    np.testing.assert_array_equal(
        read_window(array, (2, 0, 1), {}, (9, 9, 9)).values, values.transpose(2, 0, 1)
    )


def test_scalars_and_empty_arrays(any_store):
    any_store.array("s", np.array(-9.0), attributes={"_FillValue": -9.0})
    window = read_window(any_store["s"], (), {}, ())
    assert window.values.shape == ()
    assert window.states == FILL
    any_store.array("e", shape=(0, 3), dtype="f4", chunks=(1, 3))
    assert read_window(any_store["e"], (0, 1), {}, (5, 5)).values.shape == (0, 3)


def test_what_is_left_out_of_a_listed_array_is_not_called_absent(tmp_path):
    values = np.arange(1, 246, dtype="f4").reshape(7, 5, 7)
    zarr.create_array(tmp_path / "a", data=values, chunks=(5, 1, 1), compressors=None)
    array = open_store(tmp_path / "a")["/"]
    window = read_window(array, (0, 1, 2), {}, (2, 5, 4), budget=20)
    assert window.states.ravel().tolist() == [UNREAD, VALUE]
    assert not window.facts.complete


@settings(
    deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_any_window_is_what_numpy_selects(tmp_path_factory, data):
    shape = data.draw(st.lists(st.integers(1, 13), min_size=1, max_size=3))
    chunks = [data.draw(st.integers(1, size)) for size in shape]
    axes = data.draw(st.permutations(range(len(shape))))[: data.draw(st.integers(0, len(shape)))]
    most = [data.draw(st.integers(1, 15)) for _ in axes]
    index = {axis: data.draw(st.integers(0, size - 1)) for axis, size in enumerate(shape)}
    budget = data.draw(st.none() | st.integers(0, 2000))
    folder = tmp_path_factory.mktemp("any")
    values = np.arange(1, math.prod(shape) + 1, dtype="f4").reshape(shape)
    zarr.create_array(folder, data=values, chunks=tuple(chunks), compressors=None)
    window = read_window(open_store(folder)["/"], axes, index, most, budget=budget)
    assert [part.size for part in window.axes] == list(window.values.shape)
    if budget is not None:
        assert window.facts.decoded_bytes <= budget
    for part, limit in zip(window.axes, most, strict=True):
        assert part.size <= limit
        assert part.start + part.step * (part.size - 1) < part.length
    selection = [index[axis] for axis in range(len(shape))]
    for part in window.axes:
        selection[part.axis] = slice(part.start, None, part.step)
    expected = values[tuple(selection)]
    expected = expected.transpose(np.argsort(np.argsort(axes))) if axes else expected
    read = window.states != UNREAD
    np.testing.assert_array_equal(window.values[read], expected[read])
    assert window.facts.complete == bool(read.all())
    grid = math.prod(-(-size // chunk) for size, chunk in zip(shape, chunks, strict=True))
    if budget is None or budget >= 4 * math.prod(chunks) * grid:
        assert read.all()


def test_tiles_where_the_budget_is_short(store):
    values = np.ones((60, 60), "f4")
    store.array("a", values, chunks=(10, 10))
    window = read_window(store["a"], (0, 1), {}, (60, 60), budget=9 * 400)
    assert window.facts.decoded_bytes == 9 * 400
    assert window.facts.chunks_read == 9
    assert not window.facts.complete
    assert (window.states == VALUE).sum() == 900
    # spread over the whole picture
    rows = np.flatnonzero((window.states == VALUE).any(axis=1)) // 10
    assert np.unique(rows).tolist() == [1, 3, 5]
    assert "9 of 36 chunks looked at" in window.facts.note


def test_what_was_written_is_listed_and_nothing_else_is_asked_for(store):
    array = store.array("a", shape=(400, 400), dtype="f4", chunks=(4, 4), fill_value=0.0)
    array[40:80, 8:12] = array[396:, 396:] = 3.0
    window = read_window(store["a"], (0, 1), {}, (400, 400))
    wanted = np.full((400, 400), ABSENT)
    wanted[40:80, 8:12] = wanted[396:, 396:] = VALUE
    assert np.array_equal(window.states, wanted)
    assert np.array_equal(window.values, array[:])
    assert "all 10,000 chunks looked at" in window.facts.note
    assert "9,989 of them not in the store" in window.facts.note
    # of what was written and there is no room for, nobody is told that it is absent
    window = read_window(store["a"], (0, 1), {}, (400, 400), budget=4 * 64)
    assert set(np.unique(window.states)) == {ABSENT, UNREAD, VALUE}
    assert not window.facts.complete
    assert (window.states[wanted == ABSENT] == ABSENT).all()


def test_inner_chunks_that_were_not_written_are_known_from_the_indices(store):
    array = store.array(
        "a", shape=(20, 80, 80), dtype="f4", chunks=(1, 4, 4), shards=(10, 80, 80), fill_value=-1.0
    )
    array[7, 40:44, 40:44] = 3.0
    window = read_window(store["a"], (1, 2), {0: 7}, (80, 80))
    assert (window.states == VALUE).sum() == 16
    assert np.array_equal(window.values, array[7])
    assert "399 of them not in the store" in window.facts.note


def test_asking_again_fills_the_picture(store):
    store.array("a", np.ones((60, 60), "f4"), chunks=(10, 10))
    array, cache = store["a"], ChunkCache()
    shares = []
    for _ in range(4):
        window = read_window(array, (0, 1), {}, (60, 60), budget=9 * 400, cache=cache)
        assert window.facts.decoded_bytes <= 9 * 400
        shares.append(int((window.states == VALUE).sum()))
    assert shares == [900, 1800, 2700, 3600]
    assert window.facts.complete
    # what is in memory is shown even where nothing may be read
    cache.forget("/")
    read_window(array, (0, 1), {}, (60, 60), budget=9 * 400, cache=cache)
    window = read_window(array, (0, 1), {}, (60, 60), budget=0, cache=cache)
    assert (window.states == VALUE).sum() == 900


def test_points_where_tiles_would_leave_nearly_nothing(store):
    store.array("a", shape=(10**6, 10**6), dtype="f8", chunks=(1000, 1000), fill_value=-1.0)
    window = read_window(store["a"], (0, 1), {}, (500, 800))
    # that nothing was written shows in a listing, and every point is known
    assert window.values.shape == (500, 800)
    assert (window.values == -1).all()
    assert window.facts.complete
    assert (window.states == ABSENT).all()
    assert "none of them in the store" in window.facts.note
    array = store["a"]
    array.hierarchy.reader.listable = False
    window = read_window(array, (0, 1), {}, (500, 800))
    assert window.values.shape == (2, 4)
    assert window.facts.complete
    assert (window.states == ABSENT).all()


@pytest.mark.parametrize(
    ("budget", "shape", "filled"),
    [(8, (4, 72), 4 * 72), (5, (2, 72), 2 * 72), (3, (3, 72), 3 * 36)],
)
def test_a_section_across_flat_chunks_leaves_out_levels_not_latitudes(store, budget, shape, filled):
    store.array("a", np.ones((12, 72), "i4"), chunks=(1, 36))
    window = read_window(store["a"], (0, 1), {}, (100, 100), budget=budget * 36 * 4)
    assert window.values.shape == shape
    assert np.count_nonzero(window.states == VALUE) == filled


def test_an_array_of_a_million_million_elements(store):
    array = store.array("a", shape=(10**12,), dtype="f8", chunks=(10**6,), fill_value=0.0)
    for start in (0, 62_499_000_000, 10**12 - 10**6):
        array[start : start + 10**6] = 7.0
    started = time.process_time()
    window = read_window(store["a"], (0,), {}, (1600,))
    assert time.process_time() - started < 5
    assert window.facts.decoded_bytes <= 64 * 2**20
    assert window.facts.whole_bytes == 8 * 10**12
    assert window.facts.complete
    part = {0: (0, 2 * 10**6)}
    window = read_window(store["a"], (0,), {}, (1600,), parts=part)
    assert set(window.states.tolist()) == {ABSENT, VALUE}
    assert window.values.max() == 7


def test_one_chunk_larger_than_the_budget_is_not_read(store):
    store.array("a", np.ones(1000), chunks=(1000,))
    window = read_window(store["a"], (0,), {}, (100,), budget=7999)
    assert (window.states == UNREAD).all()
    assert window.facts.decoded_bytes == 0
    assert (read_window(store["a"], (0,), {}, (100,), budget=8000).states == VALUE).all()


def test_the_next_slice_of_kept_chunks_reads_nothing(store, monkeypatch):
    values = np.arange(4 * 6 * 8).reshape(4, 6, 8)
    store.array("a", values, chunks=(4, 3, 4))
    array, cache = store["a"], ChunkCache()
    read_window(array, (1, 2), {0: 0}, (9, 9), cache=cache)
    monkeypatch.setattr(chunks, "decode", lambda *_: 1 / 0)
    window = read_window(array, (1, 2), {0: 3}, (9, 9), cache=cache, budget=0)
    np.testing.assert_array_equal(window.values, values[3])
    assert window.facts.decoded_bytes == 0
    assert "all 4 chunks taken from memory, nothing read" in window.facts.note


def test_refreshed_arrays_are_read_again(store):
    written = store.array("a", np.zeros(4) + 1)
    hierarchy, cache = store.open(), ChunkCache()
    assert read_window(hierarchy["/a"], (0,), {}, (9,), cache=cache).values.max() == 1
    written[:] = 2
    assert read_window(hierarchy["/a"], (0,), {}, (9,), cache=cache).values.max() == 1
    cache.forget("/a")
    assert read_window(hierarchy["/a"], (0,), {}, (9,), cache=cache).values.max() == 2
    written[:] = 3
    hierarchy.refresh("/a")
    assert read_window(hierarchy["/a"], (0,), {}, (9,), cache=cache).values.max() == 3


def test_the_cache_keeps_to_its_limit(store):
    store.array("a", np.arange(1000.0), chunks=(100,))
    cache = ChunkCache(limit=3 * (800 + 256))
    read_window(store["a"], (0,), {}, (2000,), cache=cache)
    assert 0 < cache.used <= cache.limit
    cache.forget("/")
    assert cache.used == 0


def test_cancelled_before_and_during(store):
    store.array("a", np.arange(64.0), chunks=(4,))
    cancel = Cancellation()
    cancel.cancel()
    with pytest.raises(Cancelled):
        read_window(store["a"], (0,), {}, (99,), cancel=cancel)
    cancel = Cancellation()
    store.array("b", np.zeros((40, 200_000)) + 1, chunks=(1, 200_000))
    done = []

    def progress(count, total):
        done.append((count, total))
        cancel.cancel()

    with pytest.raises(Cancelled):
        read_window(store["b"], (0, 1), {}, (99, 99), cancel=cancel, progress=progress)
    assert 1 <= len(done) < 40
    assert done[0][1] == 40


@pytest.mark.parametrize("dtype", [">M8[s]", ">m8[ms]", ">f4", ">U3", ">c16", "S3", "O", "b", "T"])
def test_values_have_the_byte_order_of_the_machine(dtype):
    given = np.dtypes.StringDType() if dtype == "T" else np.dtype(dtype)
    found = native(given)
    assert found.kind == given.kind
    assert found.isnative
    assert found.itemsize == given.itemsize


def test_a_slice_without_a_budget_is_measured_before_it_is_read(store, monkeypatch):
    store.array("a", np.ones((2, 3)), chunks=(1, 3))
    monkeypatch.setattr(size_limits, "most_selected_bytes", lambda: 3 * 48)
    assert read_window(store["a"], (0, 1), {}, (9, 9), budget=None).facts.complete
    monkeypatch.setattr(size_limits, "most_selected_bytes", lambda: 3 * 48 - 1)
    with pytest.raises(size_limits.SizeLimitExceeded, match="takes 3 times as much"):
        read_window(store["a"], (0, 1), {}, (9, 9), budget=None)
    assert read_window(store["a"], (0, 1), {}, (9, 9)).facts.complete


@pytest.mark.parametrize("end", range(3, 10))
def test_a_part_that_ends_inside_of_a_chunk(store, end):
    store.array("a", np.arange(20.0), chunks=(10,))
    assert read_window(store["a"], (0,), {}, (99,), parts={0: (2, end)}).values.tolist() == list(range(2, end))  # fmt: skip


class AtTheLook(Cancellation):
    """Is cancelled when it is looked at for the n-th time."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.looks_left = number

    def check(self) -> None:
        self.looks_left -= 1
        if self.looks_left == 0:
            self.cancel()
        super().check()


@pytest.mark.parametrize("look", [1, 2, 11, 21])
@pytest.mark.parametrize("cached", [False, True])
@pytest.mark.parametrize("shards", [None, (10, 1000)])
def test_nothing_is_read_where_it_is_cancelled_while_many_chunks_are_arranged(
    look, cached, shards, store, monkeypatch
):
    """It takes seconds to arrange a million; that is looked at every so often."""
    store.array("a", shape=(20, 1000), dtype="i1", chunks=(1, 1), shards=shards, fill_value=0)
    monkeypatch.setattr(chunks, "BETWEEN_LOOKS", 1000)
    monkeypatch.setattr(chunks, "decode", lambda *_: pytest.fail("a chunk was read"))
    opened = open_for_reading(store["a"])
    cache = ChunkCache(10**6) if cached else None
    cancel = AtTheLook(look)
    wanted = [(i, j) for i in range(20) for j in range(1000)]
    with pytest.raises(Cancelled):
        chunks.read_chunks(opened, wanted, cache=cache, cancel=cancel)


def test_boxes_have_every_chunk_once_and_none_spans_shards(store):
    store.array("a", shape=(60, 90), dtype="f8", chunks=(2, 3), shards=(12, 15), fill_value=0.0)
    store.array("b", shape=(60, 90), dtype="f8", chunks=(2, 3), fill_value=0.0)
    rest = [(i, j) for i in range(30) for j in range(30) if (i * j) % 7]
    for name, together in (("a", 30), ("b", chunks._MOST_TOGETHER)):
        opened = open_for_reading(store[name])
        tasks = chunks._nearest_first(chunks._tasks(opened, rest, None))
        boxes = [[tuple(chunk) for chunk in task.tolist()] for task in tasks]
        assert sorted(chunk for box in boxes for chunk in box) == rest
        assert max(map(len, boxes)) <= together
        if name == "a":
            assert all(len({opened.stored_in(chunk) for chunk in box}) == 1 for box in boxes)
        away = [abs(np.mean(box, axis=0) - 14.5).max() for box in boxes]
        assert away[0] < away[-1]
    assert chunks._tasks(opened, [], None) == []


def test_few_of_many_reads_are_lined_up_when_it_is_cancelled(store, monkeypatch):
    store.array("a", np.ones((500, 200_000)), chunks=(1, 200_000))
    cancel, lined_up = Cancellation(), []

    def count(*given):
        lined_up.append(given)
        return hand_over(*given)

    monkeypatch.setattr(chunks, "hand_over", count)
    with pytest.raises(Cancelled):
        read_window(
            store["a"], (0, 1), {}, (999, 99), cancel=cancel, progress=lambda *_: cancel.cancel()
        )
    assert len(lined_up) < 100


# --- what zarr-python refuses, and what nobody should read -----------------------------------


def test_documents_that_zarr_refuses_for_nothing(store):
    values = np.arange(4, dtype="i2")
    store.array("a", values)
    store.edit("a", dimension_names=["x", "y", 3], attributes=[], nonsense=1)
    assert read_window(store["a"], (0,), {}, (9,)).values.tolist() == [0, 1, 2, 3]
    store.edit("a", fill_value=None)
    assert read_window(store["a"], (0,), {}, (9,)).values.tolist() == [0, 1, 2, 3]
    store.edit("a", fill_value="nothing", extra={"must_understand": False, "name": "x"})
    assert read_window(store["a"], (0,), {}, (9,)).values.tolist() == [0, 1, 2, 3]


def test_raw_bits_are_read(store):
    store.array("a", np.frombuffer(b"\1\2\3\4", "<u2"))
    store.edit("a", data_type="r16", fill_value=[0, 0])
    window = read_window(store["a"], (0,), {}, (9,))
    assert window.values.tobytes() == b"\1\2\3\4"


def test_spellings_of_version_2(store_v2):
    store_v2.array("a", np.arange(4, dtype="u1"), fill_value=9)
    for dtype in ("<u1", "=u1", "|u1"):
        store_v2.edit("a", dtype=dtype, filters=[], fill_value=[9])
        assert read_window(store_v2["a"], (0,), {}, (9,)).values.tolist() == [0, 1, 2, 3]
    store_v2.array("c", np.array([b"a", b"\0", b"c"], "S1"), fill_value=b"\0")
    store_v2.edit("c", dtype=">S1")
    window = read_window(store_v2["c"], (0,), {}, (9,))
    assert window.values.tolist() == [b"a", b"", b"c"]
    assert window.storage_states.tolist() == [VALUE, STORAGE_FILL, VALUE]


def test_null_as_fill_value_of_version_2(store_v2):
    store_v2.array("a", shape=(4,), dtype="f4", chunks=(2,), fill_value=None)[2:] = 5
    window = read_window(store_v2["a"], (0,), {}, (9,))
    assert window.states.tolist() == [ABSENT, ABSENT, VALUE, VALUE]


@pytest.mark.parametrize(
    ("members", "word"),
    [
        ({"data_type": "int7"}, "data type"),
        ({"data_type": {"name": 3}}, "malformed"),
        ({"data_type": ...}, "data_type is missing"),
        ({"data_type": "bfloat16"}, "zarr cannot read"),
        ({"codecs": [{"name": "rot13"}]}, '"rot13" is not available'),
        ({"codecs": "bytes"}, r'zarr cannot read /a: codecs is "bytes", not a list$'),
        ({"codecs": None}, "codecs is null, not a list$"),
        ({"codecs": []}, "codecs is an empty list: nothing turns values into bytes$"),
        ({"codecs": [None]}, "codecs has null, neither a name nor an object$"),
        (
            {"codecs": [{"name": "bytes", "configuration": None}]},
            'the configuration of the codec "bytes" is null, not an object$',
        ),
        (
            {"codecs": [{"name": "bytes"}, {"name": "gzip", "configuration": {"level": "a"}}]},
            # of zarr before 3.4, and since
            r"(something in the metadata is a string, not a number|'level': expected int, got 'a'\.)$",
        ),
        ({"chunk_key_encoding": None}, "chunk_key_encoding is null, neither a name nor an object$"),
        ({"codecs": [{"name": "numcodecs.zfpy", "configuration": {}}]}, '"zfpy" is not available'),
        ({"shape": None}, "shape"),
        ({"shape": ["x"]}, "shape"),
        ({"chunk_grid": {"name": "hexagonal"}}, "chunk grid"),
        ({"chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [0]}}}, "length 0"),
        ({"storage_transformers": [{"name": "x"}]}, "storage transformers"),
        ({"offset": {"name": "x"}}, "extension offset"),
    ],
)
@pytest.mark.filterwarnings("ignore:Numcodecs codecs are not in the Zarr version 3 specification")
def test_what_cannot_be_read_says_why(store, members, word):
    store.array("a", np.arange(4))
    store.edit("a", **members)
    with pytest.raises(UnsupportedArray, match=word) as caught:
        read_window(store["a"], (0,), {}, (9,))
    assert "Traceback" not in str(caught.value)


@pytest.mark.parametrize("where", ["filters", "compressor"])
def test_pickles_are_not_opened(store_v2, where):
    store_v2.array("a", np.arange(4))
    store_v2.edit("a", **{where: [{"id": "pickle"}] if where == "filters" else {"id": "pickle"}})
    with pytest.raises(UnsupportedArray, match="could run any code"):
        open_for_reading(store_v2["a"])


def test_an_absent_chunk_in_a_shard_is_absent(store):
    values = np.zeros((8, 8), "f4")
    values[:4, :4], values[4:, 4:] = 1, 2
    store.array("a", values, chunks=(4, 4), shards=(8, 8), attributes={"_FillValue": 0.0})
    window = read_window(store["a"], (0, 1), {}, (8, 8))
    assert (window.states[:4, 4:] == ABSENT).all()
    assert (window.states[4:, 4:] == VALUE).all()
    assert scan_array(store["a"]).states == {"value": 32, "absent": 32}


@pytest.mark.parametrize("side", [100, 1000])
def test_of_many_small_chunks_no_more_than_some_are_asked_for(store, side: int) -> None:
    array = store.array("a", shape=(2 * side, 2 * side), dtype="u1", chunks=(2, 2), fill_value=0)
    array[0, 0] = array[-2:, -2:] = 7
    found = read_window(store["a"], (0, 1), {}, (500, 400))
    assert found.facts.chunks_total == side**2
    assert found.facts.chunks_read >= side**2 - 2
    assert f"{side**2 - 2:,} of them not in the store" in found.facts.note or side > 100
    unlisted = store["a"]
    unlisted.hierarchy.reader.listable = False
    found = read_window(unlisted, (0, 1), {}, (500, 400))
    assert min(side**2, MOST_CHUNKS * 0.9) <= found.facts.chunks_read <= MOST_CHUNKS
    assert found.facts.complete
    assert found.facts.decimated == (side > 100)


def test_what_a_window_cost_is_said_in_a_sentence(store):
    """What stands below a picture: how much was looked at, what is not there, and how much is left out."""
    store.array("one", np.arange(4.0), chunks=(4,))
    store.array("none", shape=(4,), dtype="f8", chunks=(4,))
    store.array("empty", shape=(4,), dtype="f8", chunks=(2,))
    store.array("some", shape=(6,), dtype="f8", chunks=(2,))[:2] = 7
    store.array("all", np.arange(12.0).reshape(3, 4) + 1, chunks=(3, 2))
    store.array("many", np.ones((60, 60), "f4"), chunks=(10, 10))

    def note(name, axes=(0,), most=(99,), **options):
        return read_window(store[name], axes, {}, most, **options).facts.note

    assert note("one") == "its one chunk looked at, 32 bytes decoded"
    assert note("none") == "its one chunk looked at, 0 bytes decoded; not in the store"
    assert note("empty") == "all 2 chunks looked at, 0 bytes decoded; none of them in the store"
    assert note("some") == "all 3 chunks looked at, 16 bytes decoded; 2 of them not in the store"
    both = {"axes": (0, 1), "most": (99, 99)}
    assert note("all", **both) == "all 2 chunks looked at, 96 bytes decoded"
    sparse = "all 2 chunks looked at, 96 bytes decoded; one element in {} shown"
    assert note("all", (0, 1), (2, 99)) == sparse.format("2 × 1")
    assert note("all", (0, 1), (99, 2)) == sparse.format("1 × 2")
    cache = ChunkCache()
    array = store["many"]
    notes = [
        read_window(array, (0, 1), {}, (60, 60), budget=9 * 400, cache=cache).facts.note
        for _ in range(5)
    ]
    assert notes == [
        "9 of 36 chunks looked at, 3.52 KiB decoded; the whole slice takes 14.1 KiB",
        "18 of 36 chunks looked at, 9 of them from memory, 3.52 KiB decoded; the whole slice takes 14.1 KiB",
        "27 of 36 chunks looked at, 18 of them from memory, 3.52 KiB decoded; the whole slice takes 14.1 KiB",
        "all 36 chunks looked at, 27 of them from memory, 3.52 KiB decoded",
        "all 36 chunks taken from memory, nothing read",
    ]


def test_no_more_than_some_unreadable_chunks_are_named(store):
    store.array("a", np.arange(30.0), chunks=(1,))
    for number in range(25):
        store.chunk("a", number).write_bytes(b"")
    window = read_window(store["a"], (0,), {}, (99,))
    assert [error.chunk for error in window.errors] == [f"a/c/{number}" for number in range(20)]
    assert (window.states == UNREADABLE).sum() == 25
