"""All values are read where they are wanted: here, or on a cluster, with the same result."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import distributed
import numpy as np
import pytest
import zarr
from click.testing import CliRunner
from numcodecs.checksum32 import CRC32C  # type: ignore[import-untyped]

import nz_explorer as nz
from nz_explorer.cli import main
from nz_explorer.engine.evaluation import Budget
from nz_explorer.store.local.contained_store import ContainedStore
from tests.versions import SINCE_3_4

OPTIONS: Any = {"progress": False, "select": ["Z3-CHUNK", "NZ-FILL-008", "NZ-COORD"]}


@pytest.fixture
def damaged(tmp_path: Path) -> Path:
    """A store of a hundred chunks, one of them damaged, and a coordinate longer than a budget."""
    folder = tmp_path / "damaged.zarr"
    group = zarr.open_group(folder, mode="w", attributes={"conventions": "NZ-1.0"})
    values = np.arange(10_000, dtype="f4").reshape(100, 100)
    array = group.create_array(
        "a",
        data=values,
        chunks=(10, 10),
        dimension_names=("t", "x"),
        attributes={"_FillValue": -9.0},
    )
    assert array.nchunks == 100
    (folder / "a" / "c" / "3" / "4").write_bytes(b"no zstd")
    times = group.create_array(
        "t", shape=(100,), dtype="i4", chunks=(10,), dimension_names=("t",), compressors=None
    )
    times[:] = [*range(90), 0, *range(91, 100)]
    return folder


def told(report: nz.Report) -> list[tuple[str, str, str]]:
    return [(f.rule, f.path, f.message) for f in report.findings]


def test_one_damaged_chunk_among_a_hundred(damaged: Path) -> None:
    report = nz.check(damaged, values="all", **OPTIONS)
    found = {rule: message for rule, path, message in told(report) if path == "/a"}
    assert set(found) == {"Z3-CHUNK-003"}
    assert "1 of 100 chunks does not decode; chunk a/c/3/4" in found["Z3-CHUNK-003"]
    assert [e.reason.split(":")[0] for e in report.not_evaluated if e.rule == "NZ-FILL-008"] == [
        "unreadable"
    ]


@pytest.mark.parametrize(("values", "reads"), [("none", 0), ("coordinates", 10), ("all", 110)])
def test_only_what_is_wanted_is_read(
    damaged: Path, values: Any, reads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys: set[str] = set()
    get = ContainedStore.get_sync

    def counted(store: Any, key: str, *arguments: Any, **options: Any) -> Any:
        keys.add(key)
        return get(store, key, *arguments, **options)

    monkeypatch.setattr(ContainedStore, "get_sync", counted)
    report = nz.check(damaged, values=values, **OPTIONS)
    assert len({key for key in keys if "/c/" in key}) == reads
    left_out = {entry.rule for entry in report.not_evaluated if entry.reason == "cost"}
    assert ("Z3-CHUNK-003" in left_out) is (values != "all")
    assert ("NZ-COORD-002" in left_out) is (values == "none")


def test_a_budget_leaves_out_what_it_has_no_room_for(damaged: Path) -> None:
    def break_at_90(**options: Any) -> bool:
        report = nz.check(damaged, **OPTIONS, **options)
        return any(rule == "NZ-COORD-002" for rule, _, _ in told(report))

    assert not break_at_90(budget=Budget(max_bytes=200))
    assert break_at_90(values="all")
    report = nz.check(damaged, values="all", budget=Budget(max_bytes=1000), **OPTIONS)
    assert ("/a", "budget") in {(e.path, e.reason) for e in report.not_evaluated}


@pytest.fixture
def cluster() -> Iterator[Any]:
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=False, dashboard_address=":0"
    ) as found:
        yield found


def test_a_cluster_finds_the_same(
    damaged: Path, cluster: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent = []
    submit = distributed.Client.submit

    def counted(*arguments: Any, **options: Any) -> Any:
        sent.append(arguments)
        return submit(*arguments, **options)

    monkeypatch.setattr(distributed.Client, "submit", counted)
    words = ["check", str(damaged), "--values", "all", "--format", "json", "--select", "Z3-CHUNK"]
    here = CliRunner().invoke(main, words)
    assert not sent
    there = CliRunner().invoke(main, [*words, "--scheduler", cluster.scheduler_address])
    assert sent
    assert here.exit_code == there.exit_code == 1, there.output
    assert json.loads(here.stdout) == json.loads(there.stdout)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--scheduler", "tcp://127.0.0.1:9"], "--values all"),
        (["--scheduler", "tcp://127.0.0.1:9", "--values", "all"], "no scheduler at"),
    ],
)
def test_what_is_wrong_with_the_call(
    damaged: Path, words: list[str], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nz_explorer.cli.commands.check.CONNECT_SECONDS", 1)
    found = CliRunner().invoke(main, ["check", str(damaged), *words])
    assert found.exit_code == 2
    assert message in found.stderr
    assert "Traceback" not in found.stderr


@pytest.mark.parametrize(
    ("size", "said"),
    [
        (400, "it is not compressed"),
        (320, "have to be stored whole"),
        (800, "the data type may be another one"),
        (401, "RuntimeError"),
    ],
)
def test_the_size_of_a_chunk_tells_what_it_may_be(tmp_path: Path, size: int, said: str) -> None:
    """Chunks of 100 floats, the last of which has 80 inside of the array, that do not unpack."""
    group = zarr.open_group(tmp_path / "store.zarr", mode="w")
    group.create_array("a", shape=(280,), chunks=(100,), dtype="f4", dimension_names=("x",))
    chunk = tmp_path / "store.zarr" / "a" / "c" / "2"
    chunk.parent.mkdir()
    chunk.write_bytes(b"\x07" * size)
    found = nz.check(tmp_path / "store.zarr", values="all", **OPTIONS).findings
    (message,) = [one.message for one in found if one.rule in ("Z3-CHUNK-002", "Z3-CHUNK-003")]
    assert said in message


INDEX: Any = {"name": "bytes", "configuration": {"endian": "little"}}
ZSTD: Any = {"name": "zstd", "configuration": {"level": 0, "checksum": False}}


@pytest.mark.filterwarnings("ignore:Combining a `sharding_indexed` codec")
@pytest.mark.parametrize(
    ("wrong", "after", "said"),
    [
        ({"index_location": "start"}, [], "at its end, with a checksum"),
        ({"index_codecs": [INDEX]}, [], "at its end, with a checksum"),
        ({}, [ZSTD], "nothing was done to the shard as a whole"),
    ],
)
def test_the_index_of_a_shard_tells_where_it_is(
    tmp_path: Path, wrong: Any, after: Any, said: str
) -> None:
    folder = tmp_path / "store.zarr"
    group = zarr.open_group(folder, mode="w", attributes={"conventions": "NZ-1.0"})
    values = np.arange(24, dtype="f4").reshape(4, 6)
    group.create_array("a", data=values, chunks=(2, 3), shards=(4, 6), dimension_names=("y", "x"))
    path = folder / "a" / "zarr.json"
    document = json.loads(path.read_text())
    document["codecs"][0]["configuration"] |= wrong
    document["codecs"] += after
    path.write_text(json.dumps(document))
    report = nz.check(folder, values="all", **OPTIONS)
    (found,) = [one for one in report.findings if one.rule == "Z3-CHUNK-003"]
    assert said in found.message
    assert found.fix is not None
    nz.apply([found.fix], nz.open_store(folder, mode="r+")).write()
    np.testing.assert_array_equal(zarr.open_array(folder / "a", mode="r")[:], values)


def test_a_shard_that_was_cut_short(tmp_path: Path) -> None:
    group = zarr.open_group(tmp_path / "store.zarr", mode="w")
    array = group.create_array("a", shape=(8,), chunks=(2,), shards=(8,), dtype="f4")
    array[:] = np.arange(8)
    shard = tmp_path / "store.zarr" / "a" / "c" / "0"
    index = np.frombuffer(shard.read_bytes()[-68:-4], "<u8").copy()
    index[1] = 2**40
    whole = shard.read_bytes()
    shard.write_bytes(whole[:-68] + bytes(CRC32C().encode(index.tobytes())))
    (found,) = [
        one
        for one in nz.check(tmp_path / "store.zarr", values="all", **OPTIONS).findings
        if one.rule == "Z3-CHUNK-003"
    ]
    assert "1 of 4 chunks does not decode" in found.message
    assert "the shard ends before byte" in found.message


@pytest.mark.parametrize("zarr_format", [2, 3])
@pytest.mark.parametrize("packed", [True, False])
@pytest.mark.parametrize("said", [(2, 2), (8, 8), (4, 8)])
def test_the_number_of_chunks_tells_their_shape(
    tmp_path: Path, said: tuple[int, int], packed: bool, zarr_format: Any
) -> None:
    folder = tmp_path / "store.zarr"
    group = zarr.open_group(folder, mode="w", zarr_format=zarr_format)
    options: Any = {} if packed else {"compressors": None}
    values = np.arange(56, dtype="f4").reshape(8, 7)
    group.create_array("a", data=values, chunks=(4, 4), **options)
    path = folder / "a" / ("zarr.json" if zarr_format == 3 else ".zarray")
    document = json.loads(path.read_text())
    if zarr_format == 3:
        document["chunk_grid"]["configuration"]["chunk_shape"] = said
    else:
        document["chunks"] = said
    path.write_text(json.dumps(document))
    found = nz.check(folder, values="all", progress=False).findings
    rules = ("Z3-CHUNK-002", "Z3-CHUNK-003", "Z2-CHUNK-003", "Z2-CHUNK-004")
    fixes = [one.fix for one in found if one.rule in rules and one.fix is not None]
    nz.apply(fixes[:1], nz.open_store(folder, mode="r+")).write()
    np.testing.assert_array_equal(zarr.open_array(folder / "a", mode="r")[:], values)


@pytest.mark.skipif(SINCE_3_4, reason="zarr opens no array with such an index")
@pytest.mark.parametrize("written", [False, True])
def test_shards_whose_index_would_be_compressed(tmp_path: Path, written: bool) -> None:
    """Only those that are there do not decode."""
    folder = tmp_path / "shards.zarr"
    array = zarr.create_array(
        folder, shape=(4,), shards=(4,), chunks=(2,), dtype="i4", dimension_names=["x"]
    )
    if written:
        array[:] = [1, 2, 3, 4]
    document = folder / "zarr.json"
    metadata = json.loads(document.read_text("utf-8"))
    configuration = metadata["codecs"][0]["configuration"]
    configuration["index_codecs"].append({"name": "gzip", "configuration": {"level": 5}})
    document.write_text(json.dumps(metadata), "utf-8")
    report = nz.check(folder, values="all", select=["Z3-CODEC-008", "Z3-CHUNK"], progress=False)
    rules = {finding.rule for finding in report.findings}
    assert rules == {"Z3-CODEC-008", "Z3-CHUNK-003" if written else "Z3-CHUNK-004"}


def test_bounds_of_many_chunks_are_left_until_all_values_are_asked_for(tmp_path: Path) -> None:
    root = zarr.open_group(tmp_path, mode="w")
    lat = np.linspace(-60.0, 60.0, 300)
    bounds = np.stack([lat - 0.2, lat + 0.2], axis=1)[::-1]
    root.create_array("lat", data=lat, dimension_names=["lat"], attributes={"bounds": "lat_bnds"})
    many = root.create_array(
        "lat_bnds", shape=(300, 2), chunks=(1, 2), dtype="f8", dimension_names=["lat", "nv"]
    )
    many[:] = bounds
    report = nz.check(tmp_path, select=["CF-COORD-005"], progress=False)
    assert not report.findings
    assert [(one.path, one.reason) for one in report.not_evaluated] == [("/lat", "budget")]
    found = nz.check(tmp_path, select=["CF-COORD-005"], values="all", progress=False).findings
    assert [one.path for one in found] == ["/lat_bnds"]


@pytest.mark.parametrize("shape", [(), (2, 2)])
def test_what_a_listing_leaves_to_the_chunks_is_decided_once_they_are_read(
    tmp_path: Path, shape: tuple[int, ...]
) -> None:
    """Of folders of chunks, and of the chunk of a scalar, nobody is told to read all values when that was done."""
    array = zarr.open_group(tmp_path, mode="w", zarr_format=2).create_array(
        "a",
        shape=shape,
        chunks=shape,
        dtype="i4",
        fill_value=None,
        chunk_key_encoding={"name": "v2", "separator": "/"},
    )
    array[...] = 1
    left_out = {
        values: nz.check(tmp_path, progress=False, select=["Z2-CHUNK-002"], values=values)
        for values in ("coordinates", "all")
    }
    assert {(e.rule, e.reason) for e in left_out["coordinates"].not_evaluated} == {
        ("Z2-CHUNK-002", "cost")
    }
    assert left_out["all"].not_evaluated == []
    assert left_out["all"].evaluation.not_evaluated_total == 0


@pytest.mark.parametrize(
    ("attributes", "said"),
    [({}, "which xarray takes for missing"), ({"_FillValue": 42}, "which is _FillValue")],
)
def test_what_was_never_written_is_called_by_what_marks_it(
    attributes: dict[str, Any], said: str, tmp_path: Path
) -> None:
    group = zarr.open_group(tmp_path, mode="w", zarr_format=2)
    names = {"_ARRAY_DIMENSIONS": ["x"], **attributes}
    array = group.create_array(
        "v", shape=(4,), chunks=(2,), dtype="i4", fill_value=42, attributes=names
    )
    array[:2] = 1
    report = nz.check(tmp_path, progress=False, values="all", select=["Z2-CHUNK-005"])
    (finding,) = report.findings
    start = f"1 of 2 chunks is not written: it reads as 42, {said};"
    assert finding.message.startswith(start)


@pytest.mark.parametrize("damaged_chunks", [1, 2])
@pytest.mark.parametrize("zarr_format", [2, 3])
def test_nobody_is_told_to_delete_chunks_where_none_decodes(
    tmp_path: Path, zarr_format: Any, damaged_chunks: int
) -> None:
    group = zarr.open_group(tmp_path, mode="w", zarr_format=zarr_format)
    array = group.create_array("a", data=np.arange(8, dtype="f4"), chunks=(4,))
    for number in range(damaged_chunks):
        key = f"c/{number}" if zarr_format == 3 else str(number)
        (tmp_path / "a" / key).write_bytes(b"nothing that decodes")
    assert array.nchunks == 2
    found = nz.check(tmp_path, values="all", progress=False).findings
    (note,) = [one.fix.note for one in found if "CHUNK-00" in one.rule and one.fix is not None]
    assert ("or delete" in str(note)) is (damaged_chunks == 1)
    assert ("no chunk decodes" in str(note)) is (damaged_chunks == 2)


@pytest.mark.parametrize(
    ("zarr_format", "fill", "attributes", "shown"),
    [
        (3, 0, {}, "0.0"),
        (3, -9, {"missing_value": -9.0}, "NaN"),
        (2, 0, {}, "NaN"),
        (2, None, {}, "0.0"),
        (2, None, {"_FillValue": 0.0}, "NaN"),
    ],
)
def test_what_xarray_shows_of_a_coordinate_that_was_not_written(
    tmp_path: Path, zarr_format: Any, fill: Any, attributes: dict[str, Any], shown: str
) -> None:
    """Without a mark for missing values, what is read is shown."""
    folder = tmp_path / "store.zarr"
    group = zarr.open_group(folder, mode="w", zarr_format=zarr_format)
    for name, dimensions in (("lat", ["lat"]), ("latitude", ["lat", "x"])):
        group.create_array(
            name,
            shape=(4,) * len(dimensions),
            dtype="f8",
            fill_value=fill,
            dimension_names=dimensions if zarr_format == 3 else None,
            attributes={
                "units": "degrees_north",
                **({"_ARRAY_DIMENSIONS": dimensions} if zarr_format == 2 else {}),
                **attributes,
            },
        )
    report = nz.check(folder, values="all", progress=False, select=["NZ-COORD-008", "CF-COORD-004"])
    found = {f.rule: f.readers["xarray"] for f in report.findings}
    empty = "shows a coordinate of NaN; maps are empty"
    assert found == {
        "NZ-COORD-008": f"shows {shown} in place of positions",
        "CF-COORD-004": empty if shown == "NaN" else f"shows {shown} in place of positions",
    }


@pytest.mark.parametrize(("chunks", "others"), [([0], {}), ([], {"zarr-python", "xarray"})])
def test_netcdf_c_returns_base64_where_chunks_of_byte_strings_are_missing(
    tmp_path: Path, chunks: list[int], others: Any
) -> None:
    """As netCDF-C 4.10.1 does; others return what it stands for."""
    group = zarr.open_group(tmp_path, mode="w", zarr_format=2)
    array = group.create_array("a", shape=(4,), chunks=(2,), dtype="S4", fill_value=b"--")
    for start in chunks:
        array[start : start + 2] = b"abcd"
    (found,) = nz.check(tmp_path, values="all", progress=False, select=["Z2-CHUNK-005"]).findings
    given = array.metadata.to_dict()["fill_value"]
    assert found.readers["netCDF-C"] == f'returns the text "{given}" there, which is base64 (4.10)'
    assert found.readers.keys() == {"netCDF-C", *others}
