"""Inner chunks that do not divide their shard: the index of a shard tells what they are."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest
import zarr
from numcodecs.checksum32 import CRC32C  # type: ignore[import-untyped]

import nz_explorer as nz
from nz_explorer.conventions import evaluate
from nz_explorer.editing.trial_edits.what_if import WhatIf
from nz_explorer.values.reading import inner_chunks
from tests.versions import not_with_the_oldest


def sharded(
    folder: Path, location: Literal["start", "end"], said: list[int], *, shuffled: bool = False
) -> None:
    """Write shards of 6 by 4 with chunks of 2 by 4, and say something else of them."""
    group = zarr.create_group(folder)
    shards: Any = {"shape": (6, 4), "index_location": location}
    group.create_array("a", data=np.arange(48.0).reshape(12, 4), shards=shards, chunks=(2, 4))
    document = folder / "a" / "zarr.json"
    metadata: dict[str, Any] = json.loads(document.read_text())
    configuration = metadata["codecs"][0]["configuration"]
    assert configuration["index_location"] == location
    configuration["chunk_shape"] = said
    if shuffled:
        configuration["index_codecs"] = configuration["index_codecs"][:1]
    document.write_text(json.dumps(metadata))


@not_with_the_oldest
@pytest.mark.parametrize("location", ["start", "end"])
def test_the_shape_is_worked_out_from_the_index(
    tmp_path: Path, location: Literal["start", "end"]
) -> None:
    sharded(tmp_path, location, [4, 4])
    evaluation = evaluate(nz.open_store(tmp_path, mode="r+"), values="coordinates")
    evaluation.run()
    (finding,) = [one for one in evaluation.findings() if one.rule == "Z3-CODEC-008"]
    assert finding.fix is not None
    assert "it has 3 inner chunks, each of shape [2, 4]" in (finding.fix.note or "")
    what_if = WhatIf(evaluation)
    what_if.apply(finding)
    nz.apply(what_if).write()
    assert np.array_equal(zarr.open_array(tmp_path / "a")[:], np.arange(48.0).reshape(12, 4))
    assert not {"Z3-CHUNK-003", "Z3-CODEC-008"} & {
        one.rule for one in nz.check(tmp_path, values="all", progress=False).findings
    }


@pytest.mark.parametrize(
    ("said", "shuffled"),
    [([4, 3], False), ([4, 4], True), ([4], False)],
    ids=["along two dimensions", "without a checksum", "of another rank"],
)
def test_what_the_index_does_not_tell_is_not_guessed(
    tmp_path: Path, said: list[int], shuffled: bool
) -> None:
    sharded(tmp_path, "end", said, shuffled=shuffled)
    found = nz.check(tmp_path, values="all", progress=False).findings
    fixes = [one.fix for one in found if one.rule == "Z3-CODEC-008"]
    assert fixes
    assert not any(fix is not None and fix.patch for fix in fixes)


@not_with_the_oldest
def test_a_shard_is_read_once_and_of_a_few_arrays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sharded(tmp_path, "end", [4, 4])
    report = nz.check(tmp_path, progress=False)
    (finding,) = [one for one in report.findings if one.rule == "Z3-CODEC-008"]
    assert finding.fix is not None
    (tmp_path / "a" / "c" / "0" / "0").unlink()
    (tmp_path / "a" / "c" / "1" / "0").unlink()
    assert finding.fix.patch  # as it was found before
    monkeypatch.setattr(inner_chunks, "MOST_ARRAYS", 0)
    (finding,) = [
        one for one in nz.check(tmp_path, progress=False).findings if one.rule == "Z3-CODEC-008"
    ]
    assert finding.fix is not None
    assert not finding.fix.patch


@not_with_the_oldest
def test_an_index_that_refers_to_no_place_is_told_in_words(tmp_path: Path) -> None:
    sharded(tmp_path, "start", [2, 4])
    shard = tmp_path / "a" / "c" / "0" / "0"
    stored = shard.read_bytes()
    index = np.frombuffer(stored[:48], "<u8").copy()
    index[2] = 2**64 - 1  # and not how many bytes: so it is not that there is none
    shard.write_bytes(bytes(CRC32C().encode(index.tobytes())) + stored[52:])
    report = nz.check(tmp_path, values="all", progress=False)
    (finding,) = [one for one in report.findings if one.rule == "Z3-CHUNK-003"]
    assert "the shard ends before byte 18,446,744,073,709,551,6" in finding.message


@not_with_the_oldest
def test_shards_that_are_not_there_do_not_fail_to_decode(tmp_path: Path) -> None:
    sharded(tmp_path, "end", [2, 4])
    document = tmp_path / "a" / "zarr.json"
    metadata = json.loads(document.read_text())
    metadata["codecs"][0]["configuration"]["index_codecs"] = []
    document.write_text(json.dumps(metadata))
    for there in (True, False):
        report = nz.check(tmp_path, values="all", progress=False)
        assert ("Z3-CHUNK-003" in {one.rule for one in report.findings}) is there
        shutil.rmtree(tmp_path / "a" / "c", ignore_errors=True)


def test_a_folder_in_the_place_of_a_chunk_is_written_as_one(tmp_path: Path) -> None:
    group = zarr.create_group(tmp_path)
    group.create_array("a", shape=(4,), chunks=(4,), dtype="u1")
    (tmp_path / "a" / "c" / "0").mkdir(parents=True)
    (tmp_path / "a" / "c" / "0" / "0").write_bytes(b"\1\2\3\4")
    report = nz.check(tmp_path, values="all", progress=False)
    (finding,) = [one for one in report.findings if one.rule == "Z3-CHUNK-005"]
    assert '"c/0/" in the array\'s folder is no chunk' in finding.message
