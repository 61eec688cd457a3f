"""Other readers, tried in a process of their own: what they say, and however it ends."""

from __future__ import annotations

import os
import sys
import threading
import time
from pathlib import Path

import pytest
import zarr

from nz_explorer.model import open_store
from nz_explorer.readers import READERS, Failure, explain, trial, try_reader
from nz_explorer.rules.check import check
from nz_explorer.rules.engine import Evaluation
from nz_explorer.store import Cancellation


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


def test_there_are_four() -> None:
    assert READERS == ("zarr-python", "xarray", "netCDF-C", "plain NZ")
