"""Requests, and how many of them wait for one another: counted by the server, so they are exact."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import nz_explorer as nz
from nz_explorer.conventions import evaluate
from nz_explorer.model import open_store
from nz_explorer.store import Cancellation, Cancelled, resolve
from nz_explorer.widget.session import Session
from tests.conftest import S3, HttpServer
from tests.network import Network
from tests.remote.stores import without_consolidated

Serve = Callable[..., HttpServer]

PAUSE = 0.2
"""Seconds without a request after which a client has sent what it sends at once, also on a busy machine."""
LEVEL = ["analysis", "forecast", "ocean", "stations"]


def slow(network: Network) -> Network:
    network.forget()
    network.quiet = PAUSE
    return network


# --- the first level ----------------------------------------------------------------------------


def test_a_consolidated_store_shows_its_first_level_after_one_round_trip(
    sample_store: Path, http_server: Serve, s3: S3
) -> None:
    served = http_server(sample_store, quiet=PAUSE)
    assert [node.name for node in open_store(served.url).children("/")] == LEVEL
    assert served.network.round_trips == 1
    url = s3.upload(sample_store, prefix="consolidated.zarr")
    network = slow(s3.network)
    hierarchy = open_store(url, storage_options=s3.options)
    assert [node.name for node in hierarchy.children("/")] == LEVEL
    assert network.round_trips == 1


def test_one_that_is_not_consolidated_after_three(sample_copy: Path, s3: S3) -> None:
    url = s3.upload(without_consolidated(sample_copy), prefix="plain.zarr")
    network = slow(s3.network)
    hierarchy = open_store(url, storage_options=s3.options)
    assert [node.name for node in hierarchy.children("/")] == LEVEL
    assert network.round_trips == 3
    assert network.repeated == {}


def test_one_that_netcdf_c_has_noted_after_two_without_listing(
    tmp_path: Path, http_server: Serve
) -> None:
    notes = {"_nczarr_group": {"dimensions": {"x": 2}, "arrays": ["a", "b"], "groups": ["g"]}}
    array = {
        "zarr_format": 2, "shape": [2], "chunks": [2], "dtype": "<f4", "order": "C",
        "compressor": None, "fill_value": 0, "filters": None,
    }  # fmt: skip
    documents = {".zgroup": {"zarr_format": 2}, ".zattrs": notes, "g/.zgroup": {"zarr_format": 2}}
    documents |= {f"{name}/.zarray": array for name in "ab"}
    for key, document in documents.items():
        (tmp_path / key).parent.mkdir(exist_ok=True)
        (tmp_path / key).write_text(json.dumps(document), "utf-8")
    served = http_server(tmp_path, quiet=PAUSE)
    assert [node.name for node in open_store(served.url).children("/")] == ["a", "b", "g"]
    assert served.network.round_trips <= 3
    assert served.network.repeated == {}


@pytest.mark.parametrize(("place", "round_trips"), [("", 3), ("a/", 4), ("a/b/", 5)])
def test_folders_that_are_no_nodes_are_looked_into_side_by_side(
    sample_copy: Path, s3: S3, place: str, round_trips: int
) -> None:
    """Three for a folder with files: its documents, the other ones and its names, what these names may be."""
    without_consolidated(sample_copy)
    for number in range(5):
        (sample_copy / f"notes-{number}" / place).mkdir(parents=True)
        (sample_copy / f"notes-{number}" / place / "readme.txt").write_text("no node")
    url = s3.upload(sample_copy, prefix=f"notes-{round_trips}.zarr")
    network = slow(s3.network)
    hierarchy = open_store(url, storage_options=s3.options)
    network.forget()
    assert [node.name for node in hierarchy.children("/")] == LEVEL
    assert network.round_trips == 1 + round_trips
    assert network.repeated == {}


def test_a_group_without_a_document_is_found_after_as_few(sample_copy: Path, s3: S3) -> None:
    without_consolidated(sample_copy)
    (sample_copy / "forecast" / "zarr.json").unlink()
    url = s3.upload(sample_copy, prefix="missing.zarr")
    network = slow(s3.network)
    hierarchy = open_store(url, storage_options=s3.options)
    assert [node.name for node in hierarchy.children("/")] == LEVEL
    assert hierarchy["/forecast"].state == "missing"
    assert network.round_trips == 5


def test_every_further_level_takes_two(sample_copy: Path, s3: S3) -> None:
    url = s3.upload(without_consolidated(sample_copy), prefix="deep.zarr")
    hierarchy = open_store(url, storage_options=s3.options)
    hierarchy.children("/")
    network = slow(s3.network)
    assert len(hierarchy.children("/forecast")) > 5
    assert network.round_trips == 2
    assert hierarchy.children("/forecast")
    assert network.round_trips == 2
    assert network.repeated == {}


# --- once is enough -----------------------------------------------------------------------------


@pytest.mark.parametrize("consolidated", [True, False])
def test_a_check_asks_for_no_document_twice(sample_copy: Path, s3: S3, consolidated: bool) -> None:
    store = sample_copy if consolidated else without_consolidated(sample_copy)
    url = s3.upload(store, prefix=f"once-{consolidated}.zarr")
    s3.network.forget()
    report = nz.check(url, storage_options=s3.options, progress=False)
    assert report.complete
    documents = {path for path in s3.network.repeated if "/." in path or "zarr.json" in path}
    assert documents == set()


def test_what_two_want_at_the_same_time_is_asked_once(
    sample_store: Path, http_server: Serve
) -> None:
    served = http_server(sample_store, quiet=PAUSE)
    reader = resolve(served.url)
    answers: list[Any] = []
    threads = [
        threading.Thread(target=lambda: answers.extend(reader.get_many(["zarr.json", "none"])))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [(sample_store / "zarr.json").read_bytes(), None] * 8
    assert sorted(served.network.requests) == ["GET /none", "GET /zarr.json"]


def test_many_are_asked_for_side_by_side(sample_store: Path, http_server: Serve) -> None:
    served = http_server(sample_store, quiet=PAUSE)
    reader = resolve(served.url)
    keys = [f"none-{number}" for number in range(60)]
    assert reader.get_many(keys) == [None] * 60
    assert served.network.round_trips == 1
    assert reader.counters.round_trips == 1
    assert reader.counters.requests == 60


# --- no longer wanted ---------------------------------------------------------------------------


def test_one_who_loses_interest_does_not_take_the_answer_from_another(
    sample_store: Path, http_server: Serve
) -> None:
    served = http_server(sample_store, quiet=PAUSE)
    reader, cancel = resolve(served.url), Cancellation()
    answers: list[Any] = []
    other = threading.Thread(target=lambda: answers.append(reader.get("zarr.json")))
    other.start()
    while not served.network.requests:
        other.join(0.01)
    timer = threading.Timer(PAUSE / 5, cancel.cancel)
    timer.start()
    with pytest.raises(Cancelled):
        reader.get("zarr.json", cancel)
    other.join()
    assert answers == [(sample_store / "zarr.json").read_bytes()]
    assert served.network.requests == ["GET /zarr.json"]


def test_a_picture_that_is_no_longer_wanted_asks_for_no_more_chunks(
    tmp_path: Path, http_server: Serve
) -> None:
    import zarr

    store = tmp_path / "wide.zarr"
    array = zarr.create_array(store, shape=(4000, 4000), chunks=(100, 100), dtype="u1")
    array[:] = 7
    served = http_server(store, latency=0.05)
    answers: list[dict[str, Any]] = []
    answered = threading.Event()

    def take(message: dict[str, Any], _buffers: Any) -> None:
        if message["kind"] == "reply":
            answers.append(message)
            answered.set()

    session = Session(evaluate(open_store(served.url)), take, budget=64 << 20)
    try:
        params = {"path": "/", "index": {}, "width": 800, "height": 500}
        session.receive({"kind": "request", "id": 1, "method": "picture", "params": params})
        while len(served.network.requests) < 40:
            assert not answered.wait(0.01)
        session.receive({"kind": "cancel", "id": 1})
        assert answered.wait(60)
        assert answers[0]["error"]["code"] == "cancelled"
        # Of the 1600 chunks no more come than could be under way.
        asked = -1
        while asked != len(served.network.requests):
            asked = len(served.network.requests)
            threading.Event().wait(4 * served.network.latency)
        assert asked < 400
    finally:
        session.close()
