"""Whole-array statistics are what NumPy says, in whatever pieces they are found."""

import itertools
import math
import pickle
import threading
from types import SimpleNamespace

import numcodecs
import numpy as np
import pytest
import zarr
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import nz_explorer as nz
import nz_explorer.values.whole_arrays.scan as scanning
from nz_explorer.model.data_type import NZ_TYPES
from nz_explorer.store import Cancellation
from nz_explorer.values.reading import unpacking
from nz_explorer.values.reading.opening import UnsupportedArray
from nz_explorer.values.whole_arrays.histograms import MOST_BINS, BinaryHistogram, bin_exponent
from nz_explorer.values.whole_arrays.scan import scan_array

SMALLEST = 1e-150
"""Of less the squares are no float64, neither here nor in NumPy."""
NUMBERS = [name for name in NZ_TYPES if not name.startswith("complex")]


def numpy_says(values, fill):
    """The same by plain NumPy."""
    missing = np.isnan(values) if np.isnan(fill) else values == fill
    special = ~np.isfinite(values) & ~missing
    return values[~missing & ~special], missing, special


def agree(found, values, fill, absent=0):
    valid, missing, _ = numpy_says(values, fill)
    with np.errstate(invalid="ignore"):
        states = {
            "value": valid.size,
            "fill": int(missing.sum()),
            "nan": int((np.isnan(values) & ~missing).sum()),
            "inf": int(((values == np.inf) & ~missing).sum()),
            "neg_inf": int(((values == -np.inf) & ~missing).sum()),
            "absent": absent,
        }
    got = {k: v for k, v in found.states.items() if k != "storage_fill"}
    assert got == {k: v for k, v in states.items() if v}
    assert found.count == valid.size
    if not valid.size:
        assert (found.minimum, found.mean, found.histogram) == (None, None, None)
        return
    assert (found.minimum, found.maximum) == (valid.min().item(), valid.max().item())
    wide = valid.astype(np.longdouble)
    assert math.isclose(
        found.mean, float(wide.mean()), rel_tol=1e-12, abs_tol=1e-12 * float(abs(wide).max())
    )
    largest = max(float(abs(wide).max()), SMALLEST)
    assert math.isclose(found.std, float(wide.std()), rel_tol=1e-9, abs_tol=1e-9 * largest)
    edges, counts = found.histogram.edges, found.histogram.counts
    assert counts.sum() == valid.size
    assert len(counts) <= MOST_BINS
    assert edges[0] <= valid.min()
    assert edges[-1] > valid.max() or valid.dtype.itemsize == 8
    if valid.dtype.itemsize < 8:  # float64 is exact for these
        want = [((valid >= low) & (valid < high)).sum() for low, high in itertools.pairwise(edges)]
        assert counts.tolist() == want


@pytest.mark.parametrize("name", NUMBERS)
def test_the_thirteen_types(any_store, name):
    rng = np.random.default_rng(7)
    if name == "bool":
        values, fill = rng.random((13, 17)) > 0.3, False
    elif name.startswith("float"):
        values = (rng.normal(size=(13, 17)) * 100).astype(name)
        values[3, 4], values[5, 6], values[7, 8:11] = np.nan, np.inf, -np.inf
        values[0, :5] = fill = 1024.0
    else:
        info = np.iinfo(name)
        values = rng.integers(info.min, info.max, (13, 17), name, endpoint=True)
        values[0, :5] = fill = info.max
    any_store.array("a", values, chunks=(4, 5), attributes={"_FillValue": np.asarray(fill).item()})
    found = scan_array(any_store["a"])
    assert (found.phase, found.chunks_done, found.chunks_total) == ("done", 16, 16)
    agree(found, values, fill)
    counts = dict(
        zip(map(tuple, found.chunks["chunk"].tolist()), found.chunks["count"], strict=True)
    )
    part = values[4:8, 10:15]
    assert counts[1, 2] == numpy_says(part, fill)[0].size


@settings(deadline=None, max_examples=60, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_any_array(tmp_path_factory, data):
    import zarr

    dtype = np.dtype(data.draw(st.sampled_from(["f4", "f8", "i8", "u8", "i2", "u1"])))
    elements = st.floats(-1e150, 1e150) | st.sampled_from([math.nan, math.inf, -math.inf])
    values = data.draw(
        hnp.arrays(dtype, st.integers(1, 60), elements=elements if dtype == "f8" else None)
    )
    chunk = data.draw(st.integers(1, len(values)))
    fill = data.draw(st.sampled_from(values.tolist()))
    folder = tmp_path_factory.mktemp("any")
    array = zarr.create_array(
        folder, data=values, chunks=(chunk,), compressors=None, config={"write_empty_chunks": True}
    )
    text = {math.inf: "Infinity", -math.inf: "-Infinity"}.get(fill, fill)
    array.attrs["_FillValue"] = "NaN" if math.isnan(fill) else text
    found = nz.scan(folder)
    agree(found, values, dtype.type(fill))


@settings(deadline=None)
@given(
    values=hnp.arrays("f8", st.integers(1, 40), elements=st.floats(-1e300, 1e300)),
    cut=st.integers(1, 39),
)
def test_histograms_of_parts_add_up_to_that_of_the_whole(values, cut):
    def of(part):
        return BinaryHistogram.of(part, part.min().item(), part.max().item())

    whole = of(values)
    assert len(whole.counts) <= MOST_BINS
    if cut < len(values):
        one, two = of(values[:cut]), of(values[cut:])
        exponent = bin_exponent(values.min().item(), values.max().item(), whole=False)
        for joined in (one.joined(two, exponent), two.joined(one, exponent)):
            assert (joined.exponent, joined.first) == (whole.exponent, whole.first)
            np.testing.assert_array_equal(joined.counts, whole.counts)


def test_complex_numbers_times_and_texts(store):
    store.array("c", np.array([3 + 4j, complex(np.nan, 1), -9]), attributes={"_FillValue": [-9, 0]})
    found = scan_array(store["c"])
    assert (found.count, found.minimum, found.states) == (1, 5.0, {"value": 1, "fill": 1, "nan": 1})
    store.array("t", np.array(["2001-01-01", "NaT", "2003-01-01"], "M8[D]"))
    found = scan_array(store["t"])
    assert (found.minimum, found.maximum) == (
        np.datetime64("2001-01-01"),
        np.datetime64("2003-01-01"),
    )
    assert (found.mean, found.states["nan"]) == (None, 1)
    texts = store.array("s", shape=(3,), dtype="string")
    texts[:] = np.array(["a", "n/a", "b"], dtype=object)
    texts.attrs["_FillValue"] = "n/a"
    found = scan_array(store["s"])
    assert (found.count, found.states) == (0, {"value": 2, "fill": 1})


@pytest.mark.parametrize("away", [0, 15, 17, 10**6])
def test_the_spread_of_values_far_from_zero(store, away):
    values = away + np.random.default_rng(0).random(100_000)
    store.array("a", values, chunks=(30_000,))
    found = scan_array(store["a"])
    assert math.isclose(found.std, float((values - away).std()), rel_tol=1e-9)
    assert math.isclose(found.mean, float(values.mean()), rel_tol=1e-14)


def test_the_mean_of_the_largest_numbers(store):
    store.array("a", np.linspace(1e308, 1.2e308, 50), chunks=(50,))
    assert math.isclose(scan_array(store["a"]).mean, 1.1e308)


def test_absent_and_unreadable_chunks(any_store):
    values = np.arange(1.0, 101).reshape(10, 10)
    array = any_store.array("a", values, chunks=(1, 1))
    any_store.chunk("a", 4, 4).write_bytes(b"?")
    any_store.chunk("a", 5, 5).unlink()
    found = scan_array(any_store["a"])
    assert found.states == {"value": 98, "absent": 1, "unreadable": 1}
    assert found.errors[0].chunk in ("a/c/4/4", "a/4.4")
    assert math.isclose(found.mean, (values.sum() - 45 - 56) / 98)
    state = {tuple(row["chunk"]): row["state"] for row in found.chunks}
    assert (state[4, 4], state[5, 5], state[0, 0]) == (6, 5, 0)
    assert array.nchunks == found.chunks_total == 100


def test_scalars_empty_and_sharded_arrays(store):
    store.array("s", np.array(3.5))
    assert (scan_array(store["s"]).count, scan_array(store["s"]).maximum) == (1, 3.5)
    store.array("e", shape=(0, 3), dtype="f4", chunks=(1, 3))
    assert (scan_array(store["e"]).phase, scan_array(store["e"]).count) == ("done", 0)
    values = np.random.default_rng(1).normal(size=(37, 23))
    store.array("h", values, shards=(16, 10), chunks=(4, 5))
    found = scan_array(store["h"])
    assert found.phase == "done"
    agree(found, values, 1e30)


def test_any_byte_but_0_is_true(any_store):
    any_store.array("b", np.array([True, True, False, True]), chunks=(4,), compressors=None)
    any_store.chunk("b", 0).write_bytes(bytes([2, 1, 0, 255]))
    found = scan_array(any_store["b"])
    assert (found.minimum, found.maximum, found.mean) == (0, 1, 0.75)


@pytest.mark.parametrize("shards", [None, (8, 10)])
def test_what_was_not_written_is_known_without_asking(any_store, monkeypatch, shards):
    if shards and any_store.zarr_format == 2:
        pytest.skip("no shards")
    any_store.array("a", shape=(37, 43), dtype="f4", chunks=(4, 5), shards=shards, fill_value=0.0)
    array = zarr.open_array(any_store.folder / "a")
    array[9:13, 20:31] = np.random.default_rng(3).normal(size=(4, 11))
    array[36, 42] = 5
    asked = []
    read = scanning.read_together
    monkeypatch.setattr(scanning, "read_together", lambda g, c, x: asked.extend(c) or read(g, c, x))
    found = scan_array(any_store["a"])
    assert 0 < len(asked) < found.chunks_total / 2
    monkeypatch.setattr(scanning, "LISTED_FROM", found.chunks_total + 1)
    every = scan_array(any_store["a"])
    assert (found.states, found.mean, found.std) == (every.states, every.mean, every.std)
    assert found.states["absent"] > 0
    assert repr(found.chunks.tolist()) == repr(every.chunks.tolist())  # NaN is as NaN


def test_cancelled_and_gone_on_with(store):
    values = np.random.default_rng(2).normal(size=3000)
    store.array("a", values, chunks=(1,), compressors=None)
    array, cancel = store["a"], Cancellation()

    def stop(found):
        if found.phase == "running":
            cancel.cancel()

    import nz_explorer.values.whole_arrays.scan as module

    module_seconds, module._PROGRESS_SECONDS = module._PROGRESS_SECONDS, 0
    try:
        part = scan_array(array, cancel=cancel, progress=stop, threads=2)
    finally:
        module._PROGRESS_SECONDS = module_seconds
    assert part.phase == "cancelled"
    assert 0 < part.chunks_done < 3000
    assert part.count == part.chunks_done == len(part.chunks)
    done = scan_array(array, resume=part)
    once = scan_array(array)
    assert (done.phase, done.chunks_done) == ("done", 3000)
    assert (done.mean, done.std) == (once.mean, once.std)
    np.testing.assert_array_equal(done.histogram.counts, once.histogram.counts)
    np.testing.assert_array_equal(done.chunks, once.chunks)
    assert part.chunks_done < 3000  # what was returned before has not changed


def test_a_group_and_what_cannot_be_read(store):
    store.array("a", np.arange(4.0))
    store.array("b", np.arange(5))
    store.edit("b", codecs=[{"name": "rot13"}])
    assert set(nz.scan(store.folder)) == {"/a"}
    assert nz.scan(store.group["a"]).maximum == 3
    with pytest.raises(UnsupportedArray):
        nz.scan(store["b"])


def test_a_scan_does_not_depend_on_threads(store):
    values = np.random.default_rng(5).normal(size=(50, 60)).astype("f4")
    store.array("a", values, chunks=(7, 9))
    one, many = (scan_array(store["a"], threads=n) for n in (1, 7))
    assert (one.mean, one.std) == (many.mean, many.std)
    np.testing.assert_array_equal(one.chunks, many.chunks)


def test_a_cluster_finds_the_same(store):
    distributed = pytest.importorskip("distributed")
    values = np.random.default_rng(5).normal(size=(50, 60)).astype("f4")
    values[3, 4] = np.nan
    store.array("a", values, chunks=(7, 9), attributes={"_FillValue": "NaN"})
    here = scan_array(store["a"])
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=False, dashboard_address=":0"
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        there = nz.scan(store["a"], client)
        cancel = Cancellation()
        cancel.cancel()
        assert nz.scan(store["a"], client, cancel=cancel).chunks_done == 0
    assert (here.mean, here.std, here.states) == (there.mean, there.std, there.states)
    np.testing.assert_array_equal(here.histogram.counts, there.histogram.counts)
    np.testing.assert_array_equal(here.chunks, there.chunks)


def test_what_is_sent_to_a_cluster_can_be_sent(any_store):
    import nz_explorer.values.whole_arrays.scan as module
    from nz_explorer.values.reading.opening import open_for_reading

    any_store.array("a", np.arange(6.0), chunks=(4,), attributes={"_FillValue": 2.0})
    opened = open_for_reading(any_store["a"])
    task = module.Task(opened.plain, opened.array.fill, opened.array.storage_fill, True)
    sent = pickle.loads(pickle.dumps(task))
    found = module._scan_batch(sent, [(0,), (1,)])
    found = pickle.loads(pickle.dumps(found))
    assert (found.count, found.maximum, found.states[1]) == (5, 5.0, 1)


def test_telling_the_progress_takes_little_of_the_time(store, monkeypatch):
    """By a clock that only goes on as batches are read, and as someone is told."""
    now, told, lock = [0.0], [], threading.Lock()

    def passes(seconds):
        with lock:
            now[0] += seconds

    def batch(task, chunks):
        passes(0.02)
        return scan_batch(task, chunks)

    def tell(found):
        passes(1.0)
        told.append(found)

    scan_batch = scanning._scan_batch
    monkeypatch.setattr(scanning, "_scan_batch", batch)
    monkeypatch.setattr(scanning, "_MOST_IN_BATCH", 1)
    monkeypatch.setattr(scanning, "time", SimpleNamespace(monotonic=lambda: now[0]))
    store.array("a", np.arange(3000.0), chunks=(1,))
    found = scan_array(store["a"], progress=tell, threads=1)
    running = [one for one in told if one.phase == "running"]
    assert 1 <= len(running) <= 4  # 60 seconds of work
    assert {one.chunks for one in running} == {None}  # they take longer the more there are
    assert len(found.chunks) == 3000


def test_what_is_unpacked_into_the_same_memory_again_is_unpacked_as_always(tmp_path, monkeypatch):
    """Chunks of one frame of zstd of every length, of two frames, cut short and of another length."""
    values = np.random.default_rng(0).integers(0, 9, 40_000).astype("i4")
    array = zarr.create_array(tmp_path, shape=values.shape, chunks=(900,), dtype="i4", fill_value=0)
    array[:] = values
    codec = numcodecs.Zstd()
    first, second = values[900:1350].tobytes(), values[1350:1800].tobytes()
    whole = values[:900].tobytes()
    for number, packed in enumerate(
        [
            codec.encode(first) + codec.encode(second),
            codec.encode(whole)[:-9],
            codec.encode(whole + b"1234"),
            codec.encode(whole[:-4]),
            codec.encode(whole) + b"rest",
        ],
        start=1,
    ):
        (tmp_path / "c" / str(3 * number)).write_bytes(packed)
    monkeypatch.setattr(scanning, "_MOST_IN_BATCH", 4)
    again = []
    unpack = unpacking.unpack_again
    monkeypatch.setattr(
        unpacking, "unpack_again", lambda *given: again.append(unpack(*given)) or again[-1]
    )
    found = scan_array(nz.open_store(tmp_path).root, threads=1)
    assert sum(made is not None for made in again) >= 35
    assert len({id(made.base) for made in again if made is not None}) < 12
    monkeypatch.setattr(unpacking, "unpack_again", lambda *_: None)
    as_always = scan_array(nz.open_store(tmp_path).root, threads=1)
    assert as_always.states["unreadable"] > 0
    for part in ("count", "minimum", "maximum", "mean", "std", "states", "errors", "faults"):
        assert getattr(found, part) == getattr(as_always, part), part
    assert found.chunks.tobytes() == as_always.chunks.tobytes()
    np.testing.assert_array_equal(found.histogram.counts, as_always.histogram.counts)


def test_a_path_in_place_of_a_client_is_told(tmp_path):
    zarr.open_group(tmp_path, mode="w")
    with pytest.raises(TypeError, match=r"client is '/a', .* open_store"):
        nz.scan(tmp_path, "/a")
