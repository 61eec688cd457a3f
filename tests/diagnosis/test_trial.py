"""Other readers, tried in a process of their own: what they say, and however it ends."""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from importlib.util import find_spec
from pathlib import Path

import pytest
import zarr

from nz_explorer.diagnosis import (
    READERS,
    Failure,
    FirstValue,
    Trial,
    explain,
    first_values,
    trial,
    try_reader,
)
from nz_explorer.diagnosis.probes.answers import Asked
from nz_explorer.diagnosis.probes.with_netcdf import address_of
from nz_explorer.editing.trial_edits.what_if import WhatIf
from nz_explorer.engine.evaluation import Evaluation
from nz_explorer.model import open_store
from nz_explorer.report.check import check
from nz_explorer.store import Cancellation
from tests.corpus.cases import contents, write
from tests.versions import not_with_the_oldest


def pretend(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, body: str) -> None:
    """Let a reader do this, after it has begun with /a."""
    script = tmp_path / "reader.py"
    begin = 'import json, os, sys, time\njson.load(sys.stdin)\nprint(json.dumps({"at": "/a"}), flush=True)\n'
    script.write_text(begin + body)
    monkeypatch.setattr(trial, "COMMAND", [sys.executable, str(script)])


@pytest.fixture(scope="module")
def broken(broken_store: Path) -> Evaluation:
    return check(broken_store, progress=False).evaluation


@pytest.mark.parametrize("reader", ["zarr-python", "plain NZ"])
def test_a_healthy_store_is_read(sample_store: Path, reader: str) -> None:
    hierarchy = open_store(sample_store)
    found = try_reader(reader, hierarchy)
    assert (found.state, found.failures) == ("reads", [])
    assert found.version
    assert found.read >= len(list(hierarchy.walk()))


@pytest.mark.parametrize(("dtype", "fill"), [("float32", -9999.9), ("int16", -1.0)])
def test_a_plain_nz_reader_rounds_the_fill_value(tmp_path: Path, dtype: str, fill: float) -> None:
    root = zarr.create_group(tmp_path / "s.zarr", attributes={"conventions": "NZ-1.0"})
    array = root.create_array("a", shape=(2,), dtype=dtype, dimension_names=["x"], fill_value=0)
    array.attrs["_FillValue"] = fill
    array[:] = fill
    hierarchy = open_store(tmp_path / "s.zarr")
    found = try_reader("plain NZ", hierarchy)
    assert (found.state, found.values["/a"].shown) == ("reads", "missing")


def test_failures_lead_to_their_rules(broken: Evaluation) -> None:
    found = try_reader("zarr-python", broken.hierarchy)
    assert found.state == "fails"
    causes = {
        failure.path: [finding.rule for finding in explain(failure, "zarr-python", broken)]
        for failure in found.failures
    }
    assert causes["/analysis/snow"] == ["Z3-CODEC-012"]
    assert causes["/analysis/soil"] == ["Z3-SHAPE-001"]
    assert causes["/stations/radiation"] == ["JSON-002"]
    assert causes["/forecast/albedo"] == ["Z3-DIM-001"]


@not_with_the_oldest
def test_an_error_that_is_only_called_error_is_attributed_as_it_was_predicted(
    tmp_path: Path,
) -> None:
    root = zarr.create_group(tmp_path / "s.zarr")
    array = root.create_array("a", shape=(2,), dtype="f4", dimension_names=["x"])
    array.attrs["_FillValue"] = "NaN"
    evaluation = check(tmp_path / "s.zarr", progress=False).evaluation
    (failure,) = try_reader("xarray", evaluation.hierarchy).failures
    assert failure.message == "Error: Incorrect padding"
    assert [finding.rule for finding in explain(failure, "xarray", evaluation)] == ["NZ-FILL-006"]


@not_with_the_oldest
def test_the_array_that_keeps_xarray_from_a_group_is_found(broken: Evaluation) -> None:
    (failure,) = (
        f for f in try_reader("xarray", broken.hierarchy, below="/ocean").failures if f.path != "/"
    )
    assert failure.path == "/ocean"
    assert explain(failure, "xarray", broken)[0].rule in ("NZ-FILL-005", "NZ-FILL-006")


def test_what_no_rule_explains_is_not_explained(broken: Evaluation) -> None:
    failure = Failure("/ocean/rlat", "OSError: the disk is on fire")
    assert explain(failure, "zarr-python", broken) == []


def test_netcdf_c_reads_what_netcdf_c_wrote(tmp_path: Path) -> None:
    netcdf = pytest.importorskip("netCDF4")
    place = tmp_path / "written"
    try:
        dataset = netcdf.Dataset(f"file://{place}#mode=nczarr,file", "w")
    except OSError as error:
        pytest.skip(f"this netCDF-C has no Zarr: {error}")
    dataset.createDimension("x", 3)
    dataset.createVariable("x", "f4", ("x",))[:] = [1, 2, 3]
    dataset.close()
    found = try_reader("netCDF-C", open_store(place))
    assert found.state == "reads", found


def test_a_crash_is_told_with_the_node(
    sample_store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pretend(monkeypatch, tmp_path, "os.kill(os.getpid(), 11)")
    found = try_reader("xarray", open_store(sample_store))
    assert (found.state, found.at) == ("crashed", "/a")
    assert "SIGSEGV" in found.message


@pytest.mark.parametrize("body", ["print('no json')", "print('[1]')"])
def test_nonsense_is_a_crash(
    sample_store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, body: str
) -> None:
    pretend(monkeypatch, tmp_path, body)
    assert try_reader("xarray", open_store(sample_store)).state == "crashed"


def test_a_hang_is_ended_with_all_it_started(
    sample_store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    child = tmp_path / "child"
    body = (
        "import subprocess\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        f"open({str(child)!r}, 'w').write(str(child.pid))\n"
        "time.sleep(600)"
    )
    pretend(monkeypatch, tmp_path, body)
    began = time.monotonic()
    found = try_reader("xarray", open_store(sample_store), seconds=5)
    assert (found.state, found.at) == ("timed out", "/a")
    assert time.monotonic() - began < 30
    pid = int(child.read_text())
    for _ in range(200):
        if (
            not Path(f"/proc/{pid}").exists()
            or "Z" in Path(f"/proc/{pid}/stat").read_text().split()[2]
        ):
            break
        time.sleep(0.05)
    else:
        os.kill(pid, 9)
        pytest.fail("what it started goes on")


def test_it_can_be_stopped(
    sample_store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pretend(monkeypatch, tmp_path, "time.sleep(600)")
    cancel = Cancellation()
    timer = threading.Timer(0.5, cancel.cancel)
    timer.start()
    assert try_reader("xarray", open_store(sample_store), cancel=cancel).state == "cancelled"


def test_secrets_of_the_environment_stay_here(
    sample_store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "hush")
    monkeypatch.setenv("MY_TOKEN", "hush")
    kept = tmp_path / "environment"
    pretend(
        monkeypatch, tmp_path, f"open({str(kept)!r}, 'w').write(repr([dict(os.environ), sys.argv]))"
    )
    try_reader("xarray", open_store(sample_store))
    assert "hush" not in kept.read_text()
    assert str(sample_store) not in kept.read_text()


def test_what_another_process_cannot_open_is_not_tried() -> None:
    store = zarr.storage.MemoryStore()
    zarr.open_group(store, mode="w", zarr_format=3)
    found = try_reader("xarray", open_store(store))
    assert found.state == "not tried"
    assert "credentials" in found.message


def test_a_reader_that_is_not_there_says_so(
    sample_store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pretend(monkeypatch, tmp_path, 'print(json.dumps({"missing": "netCDF4"}))')
    assert try_reader("netCDF-C", open_store(sample_store)).state == "not installed"


def test_the_readers_that_are_tried() -> None:
    assert READERS == (
        "zarr-python", "xarray", "xarray DataTree", "netCDF-C", "plain NZ", "tensorstore", "GDAL", "zarrita",
    )  # fmt: skip


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A store of v3 whose second chunk cannot be decoded."""
    documents = contents({"base": "plain"})
    array = json.loads(documents["x/zarr.json"])
    array["chunk_grid"]["configuration"]["chunk_shape"] = [2]
    return write(
        {
            **documents,
            "x/zarr.json": json.dumps(array).encode(),
            "x/c/0": bytes(8),
            "x/c/1": bytes(3),
        },
        tmp_path / "small",
    )


@pytest.mark.skipif(find_spec("tensorstore") is None, reason="tensorstore is not installed")
def test_tensorstore_reads_what_is_whole_and_no_chunk_that_is_cut_off(
    small: Path, tmp_path: Path
) -> None:
    whole = write(contents({"base": "plain"}), tmp_path / "whole")
    assert try_reader("tensorstore", open_store(whole)).state == "reads"
    (failure,) = try_reader("tensorstore", open_store(small)).failures
    assert failure.path == "/x"


@pytest.mark.parametrize("reader", ["zarr-python", "xarray", "plain NZ"])
def test_the_last_chunk_is_decoded_too(small: Path, reader: str) -> None:
    evaluation = check(small, values="all", progress=False).evaluation
    found = try_reader(reader, evaluation.hierarchy)
    (failure,) = [f for f in found.failures if f.path == "/x"] or found.failures
    assert failure.kind
    assert explain(failure, reader, evaluation)[0].rule in ("Z3-CHUNK-002", "Z3-CHUNK-003")


@pytest.mark.parametrize("reader", ["zarr-python", "xarray", "xarray DataTree", "plain NZ"])
@pytest.mark.parametrize("zarr_format", [2, 3])
def test_a_healthy_zip_file_is_read(tmp_path: Path, reader: str, zarr_format: int) -> None:
    with zarr.storage.ZipStore(tmp_path / "a.zip", mode="w") as store:
        array = zarr.create_array(
            store, name="x", shape=4, dtype="i4", zarr_format=zarr_format,
            **({"dimension_names": ["x"]} if zarr_format == 3 else {"attributes": {"_ARRAY_DIMENSIONS": ["x"]}}),
        )  # fmt: skip
        array[:] = [1, 2, 3, 4]
    found = try_reader(reader, open_store(tmp_path / "a.zip"))
    assert (found.state, found.failures) == ("reads", [])
    if reader != "xarray DataTree":
        shown = "1.0" if (reader, zarr_format) == ("xarray", 2) else "1"  # which masks fill_value
        assert found.values["/x"] == FirstValue("1", shown)


def test_the_mode_of_the_address_is_that_of_netcdf_c(tmp_path: Path) -> None:
    asked = Asked("/data/a", [], [], modes=["nczarr", "file"])
    assert address_of(asked) == "file:///data/a#mode=nczarr,file"
    assert address_of(Asked("/data/a", [], [])) == "file:///data/a#mode=zarr,file"
    assert address_of(Asked("https://h/a", [], [])) == "https://h/a#mode=zarr,s3"
    (tmp_path / "a.zip").write_bytes(b"")
    assert address_of(Asked(str(tmp_path / "a.zip"), [], [])).endswith("a.zip#mode=zarr,zip")


def test_a_build_that_reads_no_v3_says_so(small: Path) -> None:
    pytest.importorskip("netCDF4")
    found = try_reader("netCDF-C", open_store(small))
    assert found.state in ("not tried", "reads", "fails")
    if found.state == "not tried":
        assert "reads no Zarr v3" in found.message
        assert found.failures == []


def test_readers_run_on_edits(tmp_path: Path) -> None:
    documents = contents({"base": "plain"})
    array = json.loads(documents["a/zarr.json"])
    array["shape"] = [2, 4]
    store = write({**documents, "a/zarr.json": json.dumps(array).encode()}, tmp_path / "store")
    before = {p: p.read_bytes() for p in store.rglob("*") if p.is_file()}
    what_if = WhatIf(check(store, progress=False).evaluation)
    assert try_reader("xarray", what_if.hierarchy).state == "fails"
    what_if.apply(next(f for f in what_if.evaluation.findings() if f.rule == "NZ-DIM-010"))
    assert try_reader("xarray", what_if.hierarchy).state == "reads"
    assert {p: p.read_bytes() for p in store.rglob("*") if p.is_file()} == before


def test_edits_do_not_open_links_that_lead_out(tmp_path: Path) -> None:
    store = write(contents({"base": "plain"}), tmp_path / "store")
    (tmp_path / "secret").write_text("hush")
    (store / "x" / "leak").symlink_to(tmp_path / "secret")
    what_if = WhatIf(check(store, progress=False).evaluation)
    what_if.set("/a", "/attributes/units", "K")
    found = try_reader("zarr-python", what_if.hierarchy)
    assert found.state == "not tried"
    assert "link" in found.message


def test_first_values_are_compared() -> None:
    def trial(reader: str, raw: str, shown: str) -> Trial:
        return Trial(reader, "reads", values={"/a": FirstValue(raw, shown)})

    agreeing = [trial("zarr-python", "0.1", "0.1"), trial("zarrita", "0.10000000149011612", "0.1")]
    assert [row.disagreement for row in first_values.rows(agreeing)] == [""]
    (row,) = first_values.rows([*agreeing, trial("netCDF-C", "3", "3")])
    assert (
        row.disagreement == "the first stored value is 0.1 to zarr-python, zarrita, 3 to netCDF-C"
    )
    (row,) = first_values.rows([trial("xarray", "0", "NaN"), trial("plain NZ", "0", "0")])
    assert row.disagreement == "xarray shows 0 as missing, NZ-1.0 reads it as 0"
    packed = [trial("xarray", "10", "273.16"), trial("plain NZ", "10", "10")]
    assert [row.disagreement for row in first_values.rows(packed)] == [""]
