"""Every type, format and spelling of ``_FillValue``: the mask is what NumPy computes by itself."""

import base64
import itertools
import json
import struct

import numpy as np
import pytest
import zarr
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from nz_explorer.model import open_store
from nz_explorer.model.data_type import NZ_TYPES
from nz_explorer.plots import make
from nz_explorer.store.local.contained_store import ContainedStore
from nz_explorer.values.masks.cell_states import FILL
from nz_explorer.values.masks.masked import masked
from nz_explorer.values.whole_arrays.scan import scan_array
from nz_explorer.values.window import read_window

SPELLINGS = {
    "bool": ["none", "literal"],
    "int": ["none", "literal", "lowest", "highest"],
    "float": [
        "none",
        "literal",
        "base64",
        "hex",
        "NaN",
        "Infinity",
        "-Infinity",
        "highest",
        "smallest",
    ],
    "complex": ["none", "pair", "NaN pair", "hex pair", "Infinity pair", "highest pair"],
}


def kind_of(dtype):
    return {"b": "bool", "i": "int", "u": "int", "f": "float", "c": "complex"}[dtype.kind]


def bits(value):
    """Big-endian hexadecimal, as Zarr v3 spells floats."""
    return "0x" + np.asarray(value).astype(value.dtype.newbyteorder(">")).tobytes().hex()


def spelled(spelling, dtype, value):
    """JSON for a fill value, and the value that it means."""
    if spelling == "lowest":
        value = dtype.type(np.iinfo(dtype).min)
    elif spelling == "highest":
        value = dtype.type((np.iinfo if dtype.kind in "iu" else np.finfo)(dtype).max)
    elif spelling == "smallest":
        value = -np.finfo(dtype).smallest_subnormal
    if spelling in ("NaN", "Infinity", "-Infinity"):
        return spelling, dtype.type(spelling.replace("Infinity", "inf"))
    if spelling == "base64":  # xarray packs a double
        return base64.b64encode(struct.pack("<d", float(value))).decode(), value
    if spelling == "hex":
        return bits(value), value
    if dtype.kind != "c":
        return value.item(), value
    if spelling == "NaN pair":
        return ["NaN", float(value.imag)], dtype.type(complex(np.nan, value.imag))
    if spelling == "Infinity pair":
        return ["-Infinity", "Infinity"], dtype.type(complex(-np.inf, np.inf))
    if spelling == "highest pair":
        most = float(np.finfo(dtype).max)
        return [most, -most], dtype.type(complex(most, -most))
    if spelling == "hex pair":
        return [bits(value.real), bits(value.imag)], value
    return [float(value.real), float(value.imag)], value


def equal(values, fill):
    """Compare without the code under test: by bytes, with all NaN and both zeros alike."""

    def plain(part):
        part = np.where(part == 0, np.zeros((), part.dtype), part)
        return np.where(np.isnan(part), np.full((), np.nan, part.dtype), part)

    if values.dtype.kind == "c":
        return equal(values.real, fill.real) & equal(values.imag, fill.imag)
    if values.dtype.kind == "f":
        values, fill = plain(values), plain(np.asarray(fill))
    width = values.dtype.itemsize
    one = np.asarray(fill).tobytes()
    raw = np.ascontiguousarray(values).tobytes()
    found = [raw[at : at + width] == one for at in range(0, len(raw), width)]
    return np.array(found, bool).reshape(values.shape)


def finite(dtype):
    if dtype.kind not in "fc":
        return None
    width = dtype.itemsize * 8 // (2 if dtype.kind == "c" else 1)
    numbers = st.floats(width=width, allow_nan=False, allow_infinity=False)
    return numbers if dtype.kind == "f" else st.builds(complex, numbers, numbers)


CASES = [(name, spelling) for name in NZ_TYPES for spelling in SPELLINGS[kind_of(np.dtype(name))]]


@pytest.mark.parametrize("zarr_format", [2, 3])
@pytest.mark.parametrize(("name", "spelling"), CASES)
@settings(deadline=None, max_examples=3, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_the_mask_is_what_numpy_computes(tmp_path_factory, zarr_format, name, spelling, data):
    dtype = np.dtype(name)
    shape = data.draw(hnp.array_shapes(min_dims=1, max_dims=2, max_side=7))
    values = data.draw(hnp.arrays(dtype, shape))
    given_, fill = spelled(
        spelling,
        dtype,
        dtype.type(data.draw(st.sampled_from(values[np.isfinite(values)].tolist() or [1]))),
    )
    for at in data.draw(st.sets(st.integers(0, values.size - 1), max_size=4)):
        values.reshape(-1)[at] = fill
    folder = tmp_path_factory.mktemp("mask")
    # of version 2, the storage fill value is the _FillValue where there is no other
    bare = {"fill_value": None} if (zarr_format, spelling) == (2, "none") else {}
    array = zarr.create_array(
        folder,
        data=values,
        **bare,
        chunks=tuple(max(1, size // 2) for size in shape),
        zarr_format=zarr_format,
        compressors=None,
        config={"write_empty_chunks": True},
    )
    array.attrs.update({} if spelling == "none" else {"_FillValue": given_})
    expected = np.zeros(shape, bool) if spelling == "none" else equal(values, fill)
    node = open_store(folder)["/"]
    np.testing.assert_array_equal(np.ma.getmaskarray(masked(node)), expected)
    window = read_window(node, tuple(range(len(shape))), {}, shape)
    np.testing.assert_array_equal(window.states == FILL, expected)
    assert scan_array(node).states.get("fill", 0) == expected.sum()


# --- sizes that nothing may go through --------------------------------------------------------


def test_a_million_million_elements_with_three_chunks(tmp_path):
    array = zarr.create_array(
        tmp_path / "a.zarr", shape=(10**6, 10**6), chunks=(1000, 1000), dtype="f8", fill_value=0.0
    )
    for corner in (0, 500_000, 999_000):
        array[corner : corner + 1000, corner : corner + 1000] = 5.0
    look = make(open_store(tmp_path / "a.zarr"), "/", {})
    assert look.read.decoded_bytes <= 64 * 2**20
    assert look.read.complete
    # a person sees the data
    assert "only 3 of 1,000,000 chunks are in the store (c/0/0, c/500/500" in look.read.note
    assert "at c/500/500" in look.read.note
    assert {one.state for one in look.states} == {"value"}
    assert look.low == look.high == 5.0
    assert (look.x.start, look.x.length) == (500_000, 10**6)
    with_surroundings = make(open_store(tmp_path / "a.zarr"), "/", {}, budget=80 * 10**6)
    assert {one.state for one in with_surroundings.states} == {"value", "absent"}
    # unless they say where to look
    whole = make(open_store(tmp_path / "a.zarr"), "/", window={"dim_0": [0, 10**6]})
    assert "only 3" not in whole.read.note
    zoomed = make(
        open_store(tmp_path / "a.zarr"),
        "/",
        window={"dim_0": [500_000, 502_000], "dim_1": [500_000, 502_000]},
    )
    counts = {one.state: one.count for one in zoomed.states}
    assert set(counts) == {"value", "absent"}
    assert zoomed.read.chunks_total == 4


def test_an_array_of_a_million_chunks_is_not_listed(tmp_path, monkeypatch):
    array = zarr.create_array(
        tmp_path / "a.zarr", shape=(10**6,), chunks=(1,), dtype="f4", fill_value=0.0
    )
    array[500_000] = 5.0
    asked = itertools.count()
    get = ContainedStore.get

    def counted(*arguments, **options):
        next(asked)
        return get(*arguments, **options)

    def listed(*arguments, **options):
        raise AssertionError("the store was listed")

    monkeypatch.setattr(ContainedStore, "get", counted)
    for method in ("list", "list_prefix", "list_dir"):
        monkeypatch.setattr(ContainedStore, method, listed)
    look = make(open_store(tmp_path / "a.zarr"), "/", width=300, budget=4 * 1000)
    assert look.read.decoded_bytes <= 4000
    assert 0 < next(asked) <= 1001
    assert json.dumps(look.read.note)


@pytest.mark.parametrize("kind", ["memory", "shards", "v2", "dots"])
def test_the_few_steps_of_a_long_series_that_are_there(tmp_path, kind):
    options = {"chunks": (1, 20, 20)}
    if kind == "shards":
        options = {"chunks": (1, 10, 10), "shards": (1, 20, 20)}
    if kind == "v2":
        options["zarr_format"] = 2
    if kind == "dots":
        options["chunk_key_encoding"] = {"name": "default", "separator": "."}
    store = zarr.storage.MemoryStore() if kind == "memory" else tmp_path / "a.zarr"
    array = zarr.create_array(store, shape=(100_000, 20, 20), dtype="f4", **options)
    array[700] = array[90_000] = 3.0
    look = make(open_store(store), "/")
    assert {one.state for one in look.states} == {"value"}
    assert look.sliders[0].index == 700
    wanted = "only 8 of 400,000" if kind == "shards" else "only 2 of 100,000"
    assert f"{wanted} chunks" in look.read.note
    # who asks for a step gets that step
    assert {one.state for one in make(open_store(store), "/", {"dim_0": 0}).states} == {"absent"}


def test_the_first_slice_shown_has_data_where_the_shard_has_most_others(tmp_path):
    array = zarr.create_array(
        tmp_path / "a.zarr",
        shape=(40, 20, 20),
        chunks=(1, 10, 10),
        shards=(20, 20, 20),
        dtype="f4",
        fill_value=0.0,
    )
    array[13] = 3.0
    look = make(open_store(tmp_path / "a.zarr"), "/")
    assert look.sliders[0].index == 13
    assert {one.state for one in look.states} == {"value"}
    assert "only 4 of 160 chunks are in the store: shown is" in look.read.note


def test_the_few_chunks_that_are_there_of_a_store_of_objects(tmp_path, s3):
    array = zarr.create_array(
        tmp_path / "a.zarr", shape=(10**6, 10**6), chunks=(1000, 1000), dtype="f8", fill_value=0.0
    )
    for corner in (0, 500_000, 999_000):
        array[corner : corner + 1000, corner : corner + 1000] = 5.0
    url = s3.upload(tmp_path / "a.zarr", prefix="sparse.zarr")
    hierarchy = open_store(url, storage_options=s3.options)
    before = hierarchy.reader.counters.requests
    look = make(hierarchy, "/", {})
    assert {one.state for one in look.states} == {"value"}
    assert "only 3 of 1,000,000 chunks are in the store" in look.read.note
    assert look.read.decoded_bytes <= 64 * 2**20
    assert hierarchy.reader.counters.requests - before < 40
