"""Which chunks were written: from names and indices of shards, on every kind of store, and no value read."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
import zarr
from click.testing import CliRunner

import nz_explorer as nz
from nz_explorer.cli.main import main
from nz_explorer.store import Cancellation, Cancelled
from nz_explorer.values.whole_arrays.census import Census

LAYOUTS = {
    "v3": {"chunks": (5, 4)},
    "v3 dots": {"chunks": (5, 4), "chunk_key_encoding": {"name": "default", "separator": "."}},
    "v2": {"chunks": (5, 4), "zarr_format": 2},
    "v2 slashes": {
        "chunks": (5, 4),
        "zarr_format": 2,
        "chunk_key_encoding": {"name": "v2", "separator": "/"},
    },
    "shards": {"chunks": (5, 4), "shards": (10, 12)},
}


def write(store: object, layout: str = "v3") -> None:
    """Write 20 × 18 in chunks of 5 × 4: two of the 4 × 5 chunks."""
    options = dict(LAYOUTS[layout])
    if options.get("zarr_format") != 2:
        options["dimension_names"] = ("time", "x")
    array = zarr.create_array(store, shape=(20, 18), dtype="f4", fill_value=0.0, **options)
    array[7, 1] = array[12, 17] = 3.0


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("kind", ["folder", "zip", "memory"])
def test_what_was_written(tmp_path: Path, layout: str, kind: str) -> None:
    store = zarr.storage.MemoryStore() if kind == "memory" else tmp_path / "a.zarr"
    write(store, layout)
    if kind == "zip":
        store = shutil.make_archive(str(tmp_path / "b"), "zip", tmp_path / "a.zarr")
    found = nz.census(store)
    assert isinstance(found, Census)
    assert (found.total, found.written, found.absent) == (20, 2, 18)
    assert found.places.tolist() == [[1, 0], [2, 4]]
    assert found.complete
    assert (found.shards, found.shards_written) == ((4, 2) if layout == "shards" else (None, None))
    time = "dim_0" if "v2" in layout else "time"
    assert [(gap.start, gap.stop) for gap in found.gaps if gap.dimension == time] == [
        (0, 5),
        (15, 20),
    ]
    assert f"nothing is written for {time} 0-4, 15-19" in list(found.sentences())
    assert "18 are not: they read as 0.0, which is not missing but a value" in list(
        found.sentences()
    )


def test_what_absent_chunks_mean_is_said(tmp_path: Path) -> None:
    array = zarr.create_array(tmp_path / "a", shape=(8,), chunks=(4,), dtype="f4", fill_value=-1.0)
    array.attrs["_FillValue"] = -1.0
    array[:4] = 3.0
    found = nz.census(tmp_path / "a")
    assert found.hidden
    assert "1 is not: it reads as -1.0, which is missing" in list(found.sentences())


def test_a_group_has_one_for_each_array(tmp_path: Path) -> None:
    group = zarr.create_group(tmp_path / "g")
    group.create_array("a", shape=(4,), chunks=(2,), dtype="i4")[:2] = 1
    group.create_array("b/c", shape=(), dtype="i4")[...] = 1
    group.create_array("d", shape=(0, 3), chunks=(1, 3), dtype="i4")
    found = nz.census(tmp_path / "g")
    assert {path: (one.written, one.total) for path, one in found.items()} == {
        "/a": (1, 2),
        "/b/c": (1, 1),
        "/d": (0, 0),
    }


def test_a_shard_whose_index_cannot_be_read_is_named(tmp_path: Path) -> None:
    write(tmp_path / "a", "shards")
    broken = tmp_path / "a" / "c" / "0" / "0"
    broken.write_bytes(b"x" * 20)
    found = nz.census(tmp_path / "a")
    ((key, _why),) = found.unreadable
    assert key == "c/0/0"
    assert found.written == 6 + 1  # there may be values in all of its chunks


def test_keys_outside_the_shape_are_named(tmp_path: Path) -> None:
    write(tmp_path / "a")
    shutil.copytree(tmp_path / "a" / "c" / "1", tmp_path / "a" / "c" / "9")
    found = nz.census(tmp_path / "a")
    assert found.outside == ("c/9",)
    assert found.written == 2


def test_an_object_store_is_listed_once(tmp_path: Path, s3) -> None:
    write(tmp_path / "a")
    hierarchy = nz.open_store(
        s3.upload(tmp_path / "a", prefix="census.zarr"), storage_options=s3.options
    )
    array = hierarchy.root
    before = hierarchy.reader.counters.requests
    found = nz.census(array)
    assert (found.written, found.requests) == (2, 1)
    assert hierarchy.reader.counters.requests - before == 1


def test_of_shards_afar_only_the_indices_are_read(tmp_path: Path, s3) -> None:
    write(tmp_path / "a", "shards")
    hierarchy = nz.open_store(
        s3.upload(tmp_path / "a", prefix="census-shards.zarr"), storage_options=s3.options
    )
    told: list[tuple[int, int]] = []
    found = nz.census(hierarchy.root, progress=lambda *done: told.append(done))
    assert (found.written, found.requests) == (2, 3)
    assert found.bytes == 2 * (6 * 16 + 4)
    assert told[0] == (0, 2)
    few = nz.census(hierarchy.root, most_requests=1)
    assert not few.complete
    assert "the indices of 2 shards take as many requests" in few.problem
    assert few.written == 1


def test_where_nothing_can_be_listed_it_is_asked(tmp_path: Path, http_server) -> None:
    write(tmp_path / "a")
    found = nz.census(http_server(tmp_path / "a").url)
    assert (found.written, found.requests) == (2, 20)
    unknown = nz.census(http_server(tmp_path / "a").url, most_requests=5)
    assert unknown.written is None
    assert "asking for each takes 20 requests, more than 5" in unknown.problem


def test_it_can_be_stopped(tmp_path: Path) -> None:
    write(tmp_path / "a", "shards")
    cancel = Cancellation()
    cancel.cancel()
    with pytest.raises(Cancelled):
        nz.census(tmp_path / "a", cancel=cancel)


def test_the_command_says_it_as_text_and_as_json(tmp_path: Path) -> None:
    group = zarr.create_group(tmp_path / "g")
    group.create_array("a", shape=(4,), chunks=(2,), dtype="i4", fill_value=-1)[:2] = 1
    ran = CliRunner().invoke(main, ["census", str(tmp_path / "g")])
    assert ran.output.splitlines() == [
        "/a: 1 of 2 chunks is written",
        "  1 is not: it reads as -1, which is not missing but a value",
        "  nothing is written for dim_0 2-3",
    ]
    ran = CliRunner().invoke(main, ["census", str(tmp_path / "g"), "a", "--format", "json"])
    found = json.loads(ran.output)
    assert (found["written"], found["absent"], found["complete"]) == (1, 1, True)
    assert found["gaps"] == [{"dimension": "dim_0", "start": 2, "stop": 4}]
    assert CliRunner().invoke(main, ["census", str(tmp_path / "none")]).exit_code == 2


def test_no_value_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "a", "shards")
    from nz_explorer.values.reading import decoding

    monkeypatch.setattr(decoding, "decode", None)
    assert nz.census(tmp_path / "a").written == 2
    assert np.array_equal(nz.census(tmp_path / "a").places, [[1, 0], [2, 4]])
