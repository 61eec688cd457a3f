"""Stores that fail: what could not be read is said, and can be read again; the rest goes on."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import numpy as np
import pytest
import zarr

import nz_explorer as nz
from nz_explorer.conventions import evaluate, registry
from nz_explorer.model import Hierarchy, NodeNotFound, open_store
from nz_explorer.store import ReadError, SourceError, resolve
from nz_explorer.store.remote import remote_reader, retry, retrying_store
from tests.conftest import S3, HttpServer
from tests.network import Fault, some
from tests.remote.stores import fails_sometimes, many_nodes, without_consolidated

Serve = Callable[..., HttpServer]


@pytest.fixture(autouse=True)
def hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ask again as often as always, only sooner."""
    monkeypatch.setattr(retry, "FIRST_PAUSE_SECONDS", 0.001)


@pytest.fixture
def short_of_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait for answers no longer than a test likes to."""
    monkeypatch.setattr(retry, "TIMEOUT_SECONDS", 1.0)
    monkeypatch.setattr(retrying_store, "CHUNK_TIMEOUT_SECONDS", 0.3)
    monkeypatch.setattr(retry, "EXHAUSTED_TIMEOUT_SECONDS", 0.1)


@pytest.fixture(scope="module")
def plain(sample_store: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample dataset without consolidated metadata. Read only."""
    target = tmp_path_factory.mktemp("plain") / "plain.zarr"
    return without_consolidated(Path(shutil.copytree(sample_store, target)))


@pytest.fixture
def served(plain: Path, s3: S3) -> tuple[S3, Callable[[], Hierarchy]]:
    """The same on S3, and a function that opens it."""
    url = s3.upload(plain, prefix="faults.zarr")
    return s3, lambda: open_store(url, storage_options=s3.options)


def at(*ends: str, fault: Fault) -> Callable[[str], Fault | None]:
    return lambda path: fault if path.endswith(ends) else None


FAULTS: dict[str, tuple[Fault, str]] = {
    "busy": (503, "503 Service Unavailable"),
    "broken": (500, "500 Internal Server Error"),
    "denied": (403, "access denied"),
    "reset": ("reset", "onnect"),
    "silent": ("hang", "no answer in time"),
    "cut off": ("truncate", "payload"),
}


@pytest.mark.parametrize("kind", FAULTS)
def test_a_node_that_cannot_be_read_says_why_and_the_rest_goes_on(
    served: tuple[S3, Callable[[], Hierarchy]], kind: str, request: pytest.FixtureRequest
) -> None:
    s3, opened = served
    fault, words = FAULTS[kind]
    if fault == "hang":
        request.getfixturevalue("short_of_time")
    s3.network.fault = at("/ocean/salinity/zarr.json", fault=fault)
    hierarchy = opened()
    report = nz.check(hierarchy, progress=False)
    node = hierarchy["/ocean/salinity"]
    assert node.state == "unreadable"
    assert words in (node.problem or "")
    assert report.nodes["unreadable"] == 1
    assert report.nodes["arrays"] > 30
    # What was not seen is said, and nothing is claimed.
    assert not report.complete
    assert report.conforms == {"NZ-1.0": None, "Zarr v3": None}
    reasons = [e.reason for e in report.not_evaluated if e.path == "/ocean/salinity"]
    assert any(words in reason for reason in reasons)
    # It works again as soon as the store does.
    s3.network.fault = lambda path: None
    assert hierarchy.refresh("/ocean/salinity").state == "ok"
    report = nz.check(hierarchy, progress=False)
    assert report.complete
    assert report.conforms == {"NZ-1.0": True, "Zarr v3": True}


def test_the_format_of_a_root_that_cannot_be_read_is_open(
    served: tuple[S3, Callable[[], Hierarchy]],
) -> None:
    s3, opened = served
    s3.network.fault = at("/faults.zarr/zarr.json", fault=503)
    hierarchy = opened()
    assert (hierarchy.root.state, hierarchy.zarr_format) == ("unreadable", None)
    s3.network.fault = lambda path: None
    hierarchy.refresh("/")
    assert (hierarchy.root.state, hierarchy.zarr_format) == ("ok", 3)


def test_a_group_that_cannot_be_listed_says_so(
    served: tuple[S3, Callable[[], Hierarchy]],
) -> None:
    s3, opened = served

    def fault(_path: str) -> Fault | None:
        asked = s3.network.requests[-1]
        its_own = asked.endswith(("%2Focean%2F", "/ocean/"))
        # nor all keys at once
        return 403 if "list-type" in asked and (its_own or "delimiter" not in asked) else None

    s3.network.fault = fault
    hierarchy = opened()
    report = nz.check(hierarchy, progress=False)
    assert "access denied" in (hierarchy["/ocean"].listing_problem or "")  # type: ignore[attr-defined]
    assert not report.complete
    assert report.conforms["NZ-1.0"] is None
    assert any("access denied" in e.reason for e in report.not_evaluated if e.path == "/ocean")
    s3.network.fault = lambda path: None
    hierarchy.refresh("/ocean")
    assert nz.check(hierarchy, progress=False).complete


def test_a_chunk_that_cannot_be_read_is_no_number(
    served: tuple[S3, Callable[[], Hierarchy]],
) -> None:
    from nz_explorer.plots import make
    from nz_explorer.values.masks.cell_states import UNREADABLE

    s3, opened = served
    s3.network.fault = at("/ocean/sea_surface_temperature/c/0/0/0", fault=503)
    look = make(opened(), "/ocean/sea_surface_temperature", {"time": 0})
    assert look.read is not None
    assert look.cell_states is not None
    assert (look.cell_states == UNREADABLE).all()
    assert "503 Service Unavailable" in look.errors[0].message


def test_what_passes_is_not_noticed(served: tuple[S3, Callable[[], Hierarchy]]) -> None:
    s3, opened = served
    expected = [finding.to_dict() for finding in nz.check(opened(), progress=False).findings]
    s3.network.fault = some(0.1, 7, 503, 500, "reset", "truncate", 429)
    hierarchy = opened()
    report = nz.check(hierarchy, progress=False)
    assert hierarchy.reader.counters.retries > 5
    assert report.complete
    assert [finding.to_dict() for finding in report.findings] == expected


@pytest.mark.parametrize("fault", [503, 403, "reset", "hang"])
def test_a_root_that_cannot_be_read_is_one_sentence(
    plain: Path, http_server: Serve, fault: Fault, request: pytest.FixtureRequest
) -> None:
    if fault == "hang":
        request.getfixturevalue("short_of_time")
    served = http_server(plain, fault=lambda path: fault)
    hierarchy = open_store(served.url)
    assert hierarchy.root.state == "unreadable"
    with pytest.raises(SourceError, match=r"could not read zarr\.json: ") as caught:
        nz.check(served.url, progress=False)
    assert "\n" not in str(caught.value)
    served.network.fault = lambda path: None
    assert hierarchy.refresh("/").state == "ok"


def test_a_refresh_that_fails_takes_nothing_away(sample_copy: Path) -> None:
    hierarchy = open_store(sample_copy)
    before = [node.path for node in hierarchy.walk()]
    moved = sample_copy.rename(sample_copy.with_name("elsewhere.zarr"))
    with pytest.raises(SourceError):
        hierarchy.refresh("/")
    assert [node.path for node in hierarchy.walk()] == before
    moved.rename(sample_copy)
    hierarchy.refresh("/")
    assert [node.path for node in hierarchy.walk()] == before


def test_a_store_that_dies_is_not_waited_for_node_by_node(
    plain: Path, http_server: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    served = http_server(plain)
    reader = resolve(served.url)
    assert reader.get("zarr.json")
    served.network.fault = lambda path: 503
    answers = reader.get_many([f"none/{number}" for number in range(1000)])
    assert all(isinstance(answer, ReadError) for answer in answers)
    # Those that were under way were asked for again, the others once.
    most = (remote_reader.HTTP_CONCURRENCY + retry.FAILURES) * retry.ATTEMPTS + 1000
    assert len(served.network.requests) < most
    served.network.fault = lambda path: None
    assert reader.get("zarr.json")


def test_a_narrow_network_only_takes_longer(sample_store: Path, http_server: Serve) -> None:
    served = http_server(sample_store, bandwidth=400_000)
    assert nz.check(served.url, progress=False).complete


def test_a_slow_and_narrow_s3_says_what_a_folder_says(plain: Path, s3: S3) -> None:
    url = s3.upload(plain, prefix="narrow.zarr")
    s3.network.latency, s3.network.bandwidth = 0.1, 200_000
    found = nz.check(url, storage_options=s3.options, progress=False)
    assert found.complete
    here = nz.check(plain, progress=False)
    assert {f.rule for f in here.findings} <= {f.rule for f in found.findings}
    assert found.nodes == here.nodes


# --- a store that fails every tenth time -------------------------------------------------------


def test_ten_thousand_nodes_with_a_tenth_of_the_requests_failing() -> None:
    documents = many_nodes(groups=100, arrays=99)
    reports = []
    for share in (0, 0.1):
        hierarchy = open_store(fails_sometimes(documents, share=share, seed=1))
        # What lies inside of arrays is not looked at: that is one more request for each.
        reports.append(
            nz.check(hierarchy, progress=False, values="none", ignore=registry().ids_on("inside"))
        )
        assert reports[-1].complete
        assert sum(reports[-1].nodes.values()) == 1 + 100 * 100
    well, ill = ([finding.to_dict() for finding in report.findings] for report in reports)
    assert len(well) > 100
    assert ill == well
    assert hierarchy.reader.counters.retries > 500


# --- a store that changes while it is read ------------------------------------------------------


def test_a_store_that_changes_while_it_is_read(sample_copy: Path) -> None:
    without_consolidated(sample_copy)
    hierarchy = open_store(sample_copy)
    evaluation = evaluate(hierarchy, values="none")
    walk = hierarchy.walk()
    assert next(walk).path == "/"
    next(walk)
    document = sample_copy / "ocean" / "depth" / "zarr.json"
    text = document.read_text("utf-8")
    document.write_text(text[:40], "utf-8")  # someone is writing it
    shutil.rmtree(sample_copy / "stations")
    states = {node.path: node.state for node in walk}
    assert states["/ocean/depth"] == "malformed"
    assert states["/stations"] == "ok"
    assert not any(path.startswith("/stations/") for path in states)
    document.write_text(text, "utf-8")
    assert hierarchy.refresh("/ocean/depth").state == "ok"
    with pytest.raises(NodeNotFound):
        hierarchy.refresh("/stations")
    assert "stations" not in (hierarchy.root.child_names or ())  # type: ignore[attr-defined]
    evaluation.run()
    assert evaluation.complete


def test_reading_and_refreshing_at_the_same_time(sample_copy: Path) -> None:
    without_consolidated(sample_copy)
    hierarchy = open_store(sample_copy)
    stop = threading.Event()
    errors: list[BaseException] = []

    def refresh() -> None:
        try:
            while not stop.is_set():
                hierarchy.refresh("/ocean")
                hierarchy.refresh("/")
        except BaseException as error:  # noqa: BLE001  # whatever it is, the test is to fail with it
            errors.append(error)

    thread = threading.Thread(target=refresh)
    thread.start()
    try:
        for _ in range(30):
            assert len(list(hierarchy.walk())) > 40
    finally:
        stop.set()
        thread.join()
    assert errors == []


@pytest.mark.filterwarnings("ignore:Consolidated metadata")
@pytest.mark.parametrize("zarr_format", [2, 3])
def test_a_server_that_denies_what_does_not_exist_is_read_and_named(
    zarr_format: Literal[2, 3], tmp_path: Path, http_server: Serve
) -> None:
    group = zarr.create_group(tmp_path / "a.zarr", zarr_format=zarr_format)
    group.create_array("t", data=np.array([1.0, 2.0]))
    zarr.consolidate_metadata(group.store)

    def fault(path: str) -> Fault | None:
        return None if (tmp_path / path.lstrip("/")).is_file() else 403

    server = http_server(tmp_path, fault=fault)
    source = f"{server.url}/a.zarr"
    report = nz.check(source, progress=False)
    assert report.nodes["arrays"] == 1
    (found,) = [finding for finding in report.findings if finding.rule == "TREE-017"]
    assert "listing" in (found.fix.note or "")
    assert set(found.info.affects) == {"zarr-python", "xarray"}
    with pytest.raises(Exception, match="403"):
        zarr.open_group(source)
    server.network.fault = lambda path: None
    assert not [f for f in nz.check(source, progress=False).findings if f.rule == "TREE-017"]


def test_an_address_may_be_that_of_a_document(sample_store: Path, http_server: Serve) -> None:
    server = http_server(sample_store.parent)
    assert nz.open_store(f"{server.url}/{sample_store.name}/zarr.json").source.endswith(
        sample_store.name
    )
