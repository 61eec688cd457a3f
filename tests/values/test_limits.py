"""What takes more than a limit is not read, says so, and no more than the limit is ever in memory."""

from __future__ import annotations

import asyncio
import contextvars
import json
import pickle
import re
import subprocess
import sys
import threading
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zarr

import nz_explorer as nz
from nz_explorer.model import open_store
from nz_explorer.plots import figure, make
from nz_explorer.values import open_array
from nz_explorer.values.coordinates.monotonicity import NO_LIMIT, check_monotonic
from nz_explorer.values.masks.fill_interpretations import readings
from nz_explorer.values.masks.masked import masked
from nz_explorer.values.reading import size_limits, unpacking
from nz_explorer.values.reading.opening import UnsupportedArray
from nz_explorer.values.reading.size_limits import SizeLimitExceeded
from nz_explorer.values.to_xarray import LeftOut, to_xarray
from tests.hostile.cases import ARRAY, COORDINATE, GROUP, Memory

LITTLE = {"name": "bytes", "configuration": {"endian": "little"}}
GZIP = {"name": "gzip", "configuration": {"level": 1}}
MIB = 2**20


def array(shape: list[int], chunk: list[int], codecs: list[Any], **members: Any) -> dict[str, Any]:
    grid = {"name": "regular", "configuration": {"chunk_shape": chunk}}
    document = {**ARRAY, "shape": shape, "chunk_grid": grid, "codecs": codecs, "attributes": {}}
    return {**document, "dimension_names": None, "fill_value": 0, **members}


def group(**arrays: Any) -> Memory:
    """Return a store with some documents, and chunks."""
    store = {"zarr.json": GROUP, **{key.replace("__", "/"): one for key, one in arrays.items()}}
    return Memory(
        {k: v if isinstance(v, bytes) else json.dumps(v).encode() for k, v in store.items()}
    )


def stored(document: dict[str, Any], chunks: dict[str, bytes]) -> Memory:
    return group(**{"a/zarr.json": document, **{f"a/{key}": data for key, data in chunks.items()}})


def bomb(size: int) -> bytes:
    packer = zlib.compressobj(1, wbits=31)
    return b"".join([*(packer.compress(bytes(MIB)) for _ in range(size // MIB)), packer.flush()])


# --- one way to read, for all ------------------------------------------------------------------


def readers(store: Memory) -> dict[str, Callable[[], Any]]:
    """Return all that reads values in this process."""
    hierarchy = open_store(store)
    node = hierarchy.get("/a")
    return {
        "ex.array": lambda: open_array(node)[...],
        "ex.array.oindex": lambda: open_array(node).oindex[...],
        "masked": lambda: masked(node),
        "to_xarray": lambda: to_xarray(node).load(),
        "to_xarray of the group": lambda: to_xarray(hierarchy.root).load(),
    }


ATTACKS = {
    "a gzip bomb": (array([6], [6], [LITTLE, GZIP]), bomb(512 * MIB), "would unpack to"),
    "texts": (
        array([6], [6], [{"name": "vlen-utf8"}], data_type="string", fill_value=""),
        (2**32 - 1).to_bytes(4, "little") + bytes(64),
        "4,294,967,295 elements, where 6 are expected",
    ),
    "a long chunk": (array([6], [6], [LITTLE]), bytes(2 * MIB), "1,048,600 bytes|more than the limit of 1 MiB|always make 24"),
    "a large chunk": (array([2**29], [2**29], [LITTLE, GZIP]), bomb(MIB), "more than the limit of 1 GiB for a chunk"),
    "a bomb in a shard": (
        array([6], [6], [{"name": "sharding_indexed", "configuration": {
            "chunk_shape": [3], "codecs": [LITTLE, GZIP], "index_codecs": [LITTLE], "index_location": "start"}}]),
        b"".join(n.to_bytes(8, "little") for n in (32, len(bomb(64 * MIB)), 2**64 - 1, 2**64 - 1)) + bomb(64 * MIB),
        "would unpack to",
    ),
}  # fmt: skip


@pytest.mark.parametrize("attack", ATTACKS)
def test_all_readers_refuse_the_same(attack: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(size_limits, "most_selected_bytes", lambda: 2**40)
    document, chunk, said = ATTACKS[attack]
    store = stored(document, {"c/0": chunk})
    for name, read in readers(store).items():
        if attack == "a large chunk" and name != "ex.array":
            continue  # each takes the memory of the result
        if attack == "texts" and name == "to_xarray of the group":
            with pytest.warns(LeftOut, match=said):
                read()
            continue
        with pytest.raises(Exception, match=said) as raised:
            read()
        assert not isinstance(raised.value, KeyError | MemoryError), name
    look = make(open_store(store), "/a", {})
    scan = nz.scan(open_store(store).get("/a"))
    if attack != "a large chunk":  # which no picture has the budget for
        assert re.search(said, look.errors[0].message)
    assert re.search(said, scan.errors[0].message)
    assert readings(open_store(store).get("/a"), {}, (8, 8)).xarray.values is None


def test_a_chunk_above_a_limit_is_undecided_and_no_finding() -> None:
    store = stored(array([6], [6], [LITTLE, GZIP]), {"c/0": bomb(4 * MIB)})
    report = nz.check(store, values="all", progress=False).to_dict()
    assert not [one for one in report["findings"] if one["rule"] == "Z3-CHUNK-003"]
    assert "would unpack to" in json.dumps(report)


def test_uncompressed_chunks_that_are_far_too_long_have_the_wrong_size() -> None:
    store = stored(array([6], [6], [LITTLE]), {"c/0": bytes(8 * MIB)})
    found = nz.check(store, values="all", progress=False)
    assert "Z3-CHUNK-002" in {one.rule for one in found.findings}


ATTACK_ON_MEMORY = """
import resource, sys, warnings
from pathlib import Path
warnings.simplefilter("ignore")
import nz_explorer as nz
from nz_explorer.model import open_store
from nz_explorer.values import open_array
from nz_explorer.values.to_xarray import to_xarray
store = Path(sys.argv[1])
nz.check(store, values="all", progress=False)  # all that is imported
now = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (now + 2**29, now + 2**29))
store = Path(sys.argv[2])
nz.check(store, values="all", progress=False)
found = nz.scan(open_store(store).get("/a"))
print(found.errors[0].message)
"""


def test_a_chunk_of_gigabytes_takes_no_memory(tmp_path: Path) -> None:
    """6 MB of gzip that metadata say are 6 GiB; with all values read, in half a GiB."""
    for name, number, chunk in (("good", 6, zlib.compress(bytes(24), wbits=31)), ("bad", 3 * 2**29, bomb(2**30))):  # fmt: skip
        document = array([number], [number], [LITTLE, GZIP])
        for key, data in stored(document, {"c/0": chunk}).data.items():
            (tmp_path / name / key).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name / key).write_bytes(data)
    command = [
        sys.executable,
        "-c",
        ATTACK_ON_MEMORY,
        str(tmp_path / "good"),
        str(tmp_path / "bad"),
    ]
    code = ATTACK_ON_MEMORY.replace(
        "print(found.errors[0].message)", "print((found.errors or [None])[0])"
    )
    command[2] = code
    done = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)
    assert done.returncode == 0, done.stderr
    assert "the chunk has 6 GiB decoded, more than the limit of 1 GiB for a chunk" in done.stdout


@pytest.mark.parametrize(
    "document",
    [
        array([6], [6], [LITTLE], data_type={"name": "fixed_length_utf32", "configuration": {"length_bytes": 2**30}}),
        array([2**22], [2**22], [{"name": "sharding_indexed", "configuration": {
            "chunk_shape": [1], "codecs": [LITTLE], "index_codecs": [LITTLE]}}]),
        array([6], [10**30], [LITTLE]),
    ],
)  # fmt: skip
def test_what_no_memory_holds_is_not_opened(document: dict[str, Any]) -> None:
    node = open_store(stored(document, {})).get("/a")
    with pytest.raises(UnsupportedArray, match=r"more than the limit of|more .* than can be read"):
        open_array(node)
    assert make(open_store(stored(document, {})), "/a", {}).message


# --- exact limits ------------------------------------------------------------------------------


def test_limits_are_the_most_that_is_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    size_limits.check_chunk(size_limits.MOST_CHUNK_BYTES)
    with pytest.raises(SizeLimitExceeded, match="1 GiB"):
        size_limits.check_chunk(size_limits.MOST_CHUNK_BYTES + 1)
    size_limits.check_unasked(size_limits.MOST_UNASKED_CHUNKS, 1)
    size_limits.check_unasked(1, size_limits.MOST_UNASKED_BYTES)
    with pytest.raises(SizeLimitExceeded, match="10,001 chunks, more than the limit of 10,000"):
        size_limits.check_unasked(size_limits.MOST_UNASKED_CHUNKS + 1, 1)
    with pytest.raises(SizeLimitExceeded, match="256 MiB"):
        size_limits.check_unasked(1, size_limits.MOST_UNASKED_BYTES + 1)
    monkeypatch.setattr(size_limits, "most_selected_bytes", lambda: 1000)
    size_limits.check_selection(1000, size_limits.MOST_SELECTED_CHUNKS)
    with pytest.raises(SizeLimitExceeded, match="1001 bytes, more than the limit of 1000 bytes"):
        size_limits.check_selection(1001, 1)
    with pytest.raises(SizeLimitExceeded, match="200,001 chunks, more than the limit of 200,000"):
        size_limits.check_selection(1000, size_limits.MOST_SELECTED_CHUNKS + 1)
    assert size_limits.stage_limit(24, 24) == 24 + size_limits.SLACK
    assert size_limits.stage_limit(None, 24) == size_limits.LEAST_STAGE_BYTES
    assert (
        size_limits.stage_limit(None, size_limits.LEAST_STAGE_BYTES) == size_limits.MOST_CHUNK_BYTES
    )
    assert (
        size_limits.stage_limit(None, size_limits.MOST_CHUNK_BYTES)
        == size_limits.MOST_CHUNK_BYTES + size_limits.SLACK
    )


@pytest.mark.parametrize("more", [0, 1])
def test_a_codec_may_make_as_much_as_its_limit(more: int) -> None:
    from numcodecs import BZ2, LZMA, GZip, Zlib

    for codec in (GZip(), Zlib(), BZ2(), LZMA()):
        packed = bytes(codec.encode(bytes(1000 + more)))
        if more:
            with pytest.raises(
                unpacking.UnpackedSizeExceeded,
                match="1,001 bytes or more, where 1,000 are the limit",
            ):
                unpacking.unpack(codec, packed, 1000)
        else:
            assert unpacking.unpack(codec, packed, 1000) == bytes(1000)
    size = 24 + size_limits.SLACK + more
    store = stored(array([6], [6], [LITTLE, GZIP]), {"c/0": zlib.compress(bytes(size), wbits=31)})
    with pytest.raises(
        UnpackedSizeExceeded if more else ValueError, match="unpack to" if more else "."
    ):
        open_array(open_store(store).get("/a"))[...]


UnpackedSizeExceeded = unpacking.UnpackedSizeExceeded


@pytest.mark.parametrize(
    ("selection", "size", "chunks"),
    [
        (slice(None), 100 * 10, 10),
        (slice(10, 20), 10 * 10, 1),
        (slice(9, 11), 2 * 10, 2),
        (slice(0, 100, 50), 2 * 10, 6),
        (5, 10, 1),
        ((..., 3), 100, 10),
        ((slice(0, 0), slice(None)), 0, 0),
    ],
)
def test_a_selection_is_measured_before_it_is_read(
    selection: Any, size: int, chunks: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = open_array(
        open_store(stored(array([100, 10], [10, 10], [LITTLE], data_type="uint8"), {})).get("/a")
    )
    monkeypatch.setattr(size_limits, "most_selected_bytes", lambda: size)
    monkeypatch.setattr(size_limits, "MOST_SELECTED_CHUNKS", chunks)
    expected = np.zeros((100, 10), "u1")[selection]
    np.testing.assert_array_equal(found[selection], expected)
    np.testing.assert_array_equal(found.oindex[selection], expected)
    for name, value in (
        ("most_selected_bytes", lambda: size - 1),
        ("MOST_SELECTED_CHUNKS", chunks - 1),
    ):
        with monkeypatch.context() as patch:
            patch.setattr(size_limits, name, value)
            for read in (found, found.oindex):
                with pytest.raises(SizeLimitExceeded, match="the selection"):
                    read[selection]


def test_whole_blocks_are_measured_too(monkeypatch: pytest.MonkeyPatch) -> None:
    found = open_array(open_store(stored(array([100], [10], [LITTLE]), {})).get("/a"))
    monkeypatch.setattr(size_limits, "MOST_SELECTED_CHUNKS", 2)
    assert found.blocks[1:3].shape == (20,)
    with pytest.raises(SizeLimitExceeded, match="3 chunks"):
        found.blocks[1:4]


def test_the_guard_goes_along_to_another_process() -> None:
    store = stored(array([6], [6], [LITTLE, GZIP]), {"c/0": bomb(4 * MIB)})
    again = pickle.loads(pickle.dumps(open_array(open_store(store).get("/a"))))
    assert isinstance(again, zarr.Array)
    with pytest.raises(UnpackedSizeExceeded):
        again[...]


# --- what is read although nobody asked --------------------------------------------------------


def many_chunks(number: int) -> Memory:
    x = {
        **COORDINATE,
        "shape": [12 * number],
        "codecs": [LITTLE],
        "data_type": "int32",
        "fill_value": 0,
    }
    x["chunk_grid"] = {"name": "regular", "configuration": {"chunk_shape": [12]}}
    chunks = {
        f"x/c/{i}": np.arange(12 * i, 12 * i + 12, dtype="i4").tobytes() for i in range(number)
    }
    a = array([12 * number], [12 * number], [LITTLE], dimension_names=["x"])
    return group(**{"a/zarr.json": a, "x/zarr.json": x, **chunks})


@pytest.mark.parametrize("more", [0, 1])
def test_a_coordinate_of_too_many_chunks_is_left_out(
    more: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    from nz_explorer.values.coordinates import monotonicity

    monkeypatch.setattr(size_limits, "MOST_UNASKED_CHUNKS", 3)
    monkeypatch.setattr(monotonicity, "MOST_UNASKED_CHUNKS", 3)
    hierarchy = open_store(many_chunks(3 + more))
    found = check_monotonic(hierarchy.get("/x"), budget=2**20)
    assert found.result == ("budget" if more else "increasing")
    assert check_monotonic(hierarchy.get("/x"), budget=NO_LIMIT).result == "increasing"
    beside = readings(hierarchy.get("/a"), {}, (8, 8))
    assert beside.xarray.problem == ""
    itself = readings(hierarchy.get("/x"), {}, (8, 8))
    assert ("is not asked" in itself.xarray.problem) == bool(more)
    if more:
        with pytest.warns(
            LeftOut, match="/x is left out: it has 4 chunks, more than the limit of 3"
        ):
            assert "x" not in to_xarray(hierarchy.root).variables
        assert to_xarray(hierarchy.get("/x")).size == 48  # which was asked for
    else:
        assert "x" in to_xarray(hierarchy.root).indexes


def test_an_absent_coordinate_of_any_length_is_not_made_room_for() -> None:
    store = group(**{"x/zarr.json": {**COORDINATE, "shape": [2**44], "chunk_grid": {
        "name": "regular", "configuration": {"chunk_shape": [2**44]}}}})  # fmt: skip
    assert check_monotonic(open_store(store).get("/x"), budget=NO_LIMIT).strict is not True


# --- memory that is shared ---------------------------------------------------------------------


def test_chunks_wait_for_memory_whatever_loop_they_are_on() -> None:
    memory = size_limits.DecodingMemory(100)
    held, most, lock = [0], [0], threading.Lock()

    async def one(need: int) -> None:
        async with memory.reserved(need), memory.reserved(need):  # the inner one holds nothing
            with lock:
                held[0] += min(need, 100)
                most[0] = max(most[0], held[0])
            await asyncio.sleep(0)
            with lock:
                held[0] -= min(need, 100)

    async def several() -> None:
        await asyncio.gather(*(one(need) for need in (60, 60, 40, 500, 30, 30, 30, 30)))

    threads = [threading.Thread(target=asyncio.run, args=(several(),)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert (held[0], memory._free, len(memory._waiting)) == (0, 100, 0)
    assert 60 <= most[0] <= 100


def test_who_is_cancelled_while_waiting_gives_nothing_up() -> None:
    memory = size_limits.DecodingMemory(100)

    async def hold(need: int) -> None:
        async with memory.reserved(need):
            pass

    async def scene() -> None:
        async with memory.reserved(80):
            # each in a context of its own, in which nothing is held
            context = contextvars.Context()
            waits = asyncio.create_task(hold(50), context=context)
            await asyncio.sleep(0)
            assert len(memory._waiting) == 1
            waits.cancel()
            await asyncio.gather(waits, return_exceptions=True)
            assert not memory._waiting
        await hold(100)

    asyncio.run(scene())
    assert memory._free == 100


# --- what fuzzing has found --------------------------------------------------------------------

UTF32 = {"name": "fixed_length_utf32", "configuration": {"length_bytes": 8}}


@pytest.mark.parametrize("number", [0x110000, 2**31 - 1, 2**32 - 1])
def test_texts_with_numbers_that_are_no_characters_are_unreadable(number: int) -> None:
    document = array([6], [6], [LITTLE], data_type=UTF32, fill_value="")
    store = stored(document, {"c/0": number.to_bytes(4, "little") * 12})
    look = make(open_store(store), "/a", {})
    assert "there is no character with the number" in look.errors[0].message
    figure(look)
    with pytest.raises(ValueError, match="no character"):
        open_array(open_store(store).get("/a"))[...]
    good = stored(document, {"c/0": (0x10FFFF).to_bytes(4, "little") * 12})
    assert open_array(open_store(good).get("/a"))[0] == "\U0010ffff" * 2


def test_a_scalar_of_text_is_read() -> None:
    document = array([], [], [LITTLE], data_type=UTF32, fill_value="")
    store = stored(document, {"c": "ab".encode("utf-32-le")})
    assert "ab" in str(make(open_store(store), "/a", {}).text)


HUGE = 10**400


@pytest.mark.parametrize(
    "attributes",
    [
        {"valid_range": [-HUGE, HUGE]},
        {"valid_min": HUGE},
        {"scale_factor": HUGE, "add_offset": -HUGE},
        {"flag_values": [HUGE, 1], "flag_meanings": "a b"},
    ],
)
def test_attributes_beyond_float64_are_no_overflow(attributes: dict[str, Any]) -> None:
    document = array([6], [6], [LITTLE], data_type="int32", attributes=attributes)
    store = stored(document, {"c/0": np.arange(6, dtype="i4").tobytes()})
    look = make(open_store(store), "/a", {})
    assert look.values is not None
    figure(look)


def test_strides_over_a_million_chunks_are_not_given_to_xarray() -> None:
    document = array([2**40], [1], [LITTLE])
    found = readings(open_store(stored(document, {})).get("/a"), {}, (8, 8))
    assert found.xarray.problem == "reading so much takes too long"
