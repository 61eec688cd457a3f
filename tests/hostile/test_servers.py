"""Servers that send too much, too slowly, or lead elsewhere: each is a state of a node, and nothing grows."""

from __future__ import annotations

import asyncio
import json
import queue
import time
import zlib
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any, Protocol

import pytest

import nz_explorer as nz
from nz_explorer.conventions import evaluate
from nz_explorer.engine.evaluation import Budget
from nz_explorer.model import open_store
from nz_explorer.plots import make
from nz_explorer.store import ReadError, TooLarge, resolve
from nz_explorer.store.remote import http_store as http
from nz_explorer.store.remote import limited_store, remote_reader, retry
from nz_explorer.store.remote.http_answers import refuse_redirect
from nz_explorer.store.remote.loop import wait_for
from nz_explorer.values.masks.cell_states import UNREADABLE
from nz_explorer.widget.session import session as session_module
from nz_explorer.widget.session.session import Session
from tests.hostile.cases import ARRAY
from tests.hostile.servers import (
    MEBIBYTE,
    Answer,
    Attacker,
    attack,
    body,
    endless,
    promised,
    redirect,
    slowly,
)
from tests.hostile.test_size_limits import gzip_bomb, peak

GROUP = json.dumps({"zarr_format": 3, "node_type": "group"}).encode()
PLAIN = json.dumps({**ARRAY, "attributes": {}}).encode()
NAMES = ("a", "b")
DOCUMENTS = {
    "zarr.json": json.dumps({
        "zarr_format": 3, "node_type": "group", "consolidated_metadata": {
            "kind": "inline", "must_understand": False,
            "metadata": {name: json.loads(PLAIN) for name in NAMES},
        },
    }).encode(),
    **{f"{name}/zarr.json": PLAIN for name in NAMES},
}  # fmt: skip
"""A group of two arrays; over HTTP only its consolidated metadata say which."""
LIMIT = MEBIBYTE


class Attack(Protocol):
    def __call__(self, answers: dict[str, Answer]) -> Attacker: ...


@pytest.fixture
def attacked(monkeypatch: pytest.MonkeyPatch) -> Iterator[Attack]:
    """Serve a store with some answers replaced; documents may have 1 MiB here."""
    monkeypatch.setattr(remote_reader, "MAX_DOCUMENT_BYTES", LIMIT)
    monkeypatch.setattr(retry, "FIRST_PAUSE_SECONDS", 0.001)
    with ExitStack() as running:
        yield lambda answers: running.enter_context(attack(DOCUMENTS, answers))


def chunk_of(url: str, limit: int, **options: Any) -> Any:
    """Return what zarr gets for a chunk of /a."""
    from zarr.core.buffer import default_buffer_prototype

    reader = resolve(url, storage_options=options)
    place = reader.zarr_path("/a", max_bytes=limit) / "c/0/0"
    return wait_for(place.get(default_buffer_prototype()))


TOO_MUCH: dict[str, Answer] = {
    "a length of 2^62": promised(2**62),
    "a length beyond 64 bits": promised(2**70),
    "no length": endless(),
    "in chunks": endless(chunked=True),
    "in chunks, with another length": endless(chunked=True, Content_Length=10),
    "gzip that unpacks to 256 MiB": body(gzip_bomb(), Content_Encoding="gzip"),
    "deflate that unpacks to 128 MiB": body(zlib.compress(bytes(2**27)), Content_Encoding="deflate"),
}  # fmt: skip


@pytest.mark.parametrize("kind", TOO_MUCH)
def test_a_body_is_cut_at_its_limit(attacked: Attack, kind: str) -> None:
    server = attacked({"a/zarr.json": TOO_MUCH[kind], "c/0/0": TOO_MUCH[kind]})
    before = peak()
    (answer,) = resolve(server.url).get_many(["a/zarr.json"])
    assert isinstance(answer, ReadError)
    odd = kind in ("a length beyond 64 bits", "in chunks, with another length")
    assert isinstance(answer, TooLarge) or odd, answer
    with pytest.raises(ReadError) as caught:
        chunk_of(server.url, 24)
    if isinstance(caught.value, TooLarge):
        assert (caught.value.key, caught.value.limit) == ("a/c/0/0", 24)
    assert peak() - before < 32 * MEBIBYTE
    # What is not read is not sent, but for what fits into the buffers of two sockets.
    assert server.sent < 48 * MEBIBYTE


@pytest.mark.parametrize("status", [404, 403, 400, 500])
def test_the_page_of_an_error_is_not_read(attacked: Attack, status: int) -> None:
    server = attacked({"a/zarr.json": endless(status), "c/0/0": endless(status, chunked=True)})
    before = peak()
    (answer,) = resolve(server.url).get_many(["a/zarr.json"])
    assert answer is None if status == 404 else isinstance(answer, ReadError)
    if status == 404:
        assert chunk_of(server.url, 24) is None
    else:
        with pytest.raises(ReadError, match="denied" if status == 403 else str(status)):
            chunk_of(server.url, 24)
    assert peak() - before < 32 * MEBIBYTE


def test_it_is_a_state_of_a_node_and_of_a_cell(attacked: Attack) -> None:
    server = attacked({"zarr.json": promised(2**62)})
    root = open_store(server.url).root
    assert (root.state, "size limit" in (root.problem or "")) == ("unreadable", True)
    server = attacked({"c/0/0": promised(2**62)})
    look = make(open_store(server.url), "/a", {})
    assert "size limit" in look.errors[0].message
    assert look.cell_states is not None
    assert (look.cell_states[:2, :3] == UNREADABLE).all()
    report = nz.check(server.url, progress=False, values="all")
    assert report.nodes["arrays"] == 2


def test_a_part_is_no_longer_than_asked_for(attacked: Attack) -> None:
    from zarr.abc.store import RangeByteRequest, SuffixByteRequest
    from zarr.core.buffer import default_buffer_prototype

    server = attacked({"c/0/0": endless(206), "c/0/1": endless(200)})
    store = resolve(server.url).zarr_store(max_bytes=1000)
    for key in ("a/c/0/0", "a/c/0/1"):
        for part in (RangeByteRequest(0, 10), SuffixByteRequest(10)):
            with pytest.raises(TooLarge):
                wait_for(store.get(key, default_buffer_prototype(), part))
    with pytest.raises(TooLarge):  # nothing need be asked for to know
        wait_for(store.get("none", default_buffer_prototype(), RangeByteRequest(0, 2000)))
    assert not any("none" in path for _, path, _ in server.requests)


def test_a_packed_document_is_read(attacked: Attack) -> None:
    packed = zlib.compress(PLAIN, wbits=31)
    server = attacked({
        "a/zarr.json": body(packed, Content_Encoding="gzip"),
        "b/zarr.json": body(packed[:-9], Content_Encoding="gzip"),
        "c/zarr.json": body(packed, Content_Encoding="br"),
    })  # fmt: skip
    good, cut, unknown = resolve(server.url).get_many([f"{n}/zarr.json" for n in "abc"])
    assert good == PLAIN
    assert isinstance(cut, ReadError)
    assert "ends too early" in cut.detail
    assert isinstance(unknown, ReadError)
    assert "'br'" in unknown.detail


# --- time ---------------------------------------------------------------------------------------


def test_what_trickles_ends_and_says_so(attacked: Attack) -> None:
    trickle = slowly(bytes(10_000), 1, 0.02)
    options = {"timeout": 0.5, "max_wait": 1.0}
    server = attacked({"zarr.json": trickle})
    root = open_store(server.url, storage_options=options).root
    assert "arrives too slowly" in (root.problem or "")
    asked = [path for _, path, _ in server.requests if path == "/zarr.json"]
    assert len(asked) == 1  # it would trickle again
    server = attacked({"c/0/0": trickle})
    report = nz.check(server.url, storage_options=options, progress=False, values="all")
    assert report.nodes["arrays"] == 2
    look = make(open_store(server.url, storage_options=options), "/a", {})
    assert "arrives too slowly" in look.errors[0].message


def test_all_that_trickles_is_not_waited_for_one_by_one(
    attacked: Attack, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a hundred answers that do not come only the first few are waited for."""
    monkeypatch.setattr(retry, "EXHAUSTED_TIMEOUT_SECONDS", 0.1)
    monkeypatch.setattr(retry, "LAST_SECONDS", 0.2)
    monkeypatch.setattr(retry, "REST_SECONDS", 60.0)
    server = attacked({"/x": slowly(bytes(10_000), 1, 0.01)})
    reader = resolve(server.url, storage_options={"timeout": 0.3, "max_wait": 0.5})
    answers = [reader.get_many(["x"])[0] for _ in range(100)]
    assert all(isinstance(answer, ReadError) for answer in answers)
    assert len(server.requests) < 15
    assert "kept us waiting" in str(answers[-1])
    # Chunks and documents are parts of one store.
    with pytest.raises(ReadError, match="kept us waiting"):
        wait_for(reader.zarr_store().exists("a/zarr.json"))
    # Asked again it may take its time: the answer is there, but this machine may be busy.
    monkeypatch.setattr(retry, "REST_SECONDS", 0.0)
    monkeypatch.setattr(retry, "EXHAUSTED_TIMEOUT_SECONDS", 30.0)
    reader.limits.seconds = 30.0
    assert reader.get("a/zarr.json") == PLAIN


FAST_ENOUGH = slowly(bytes(1_000_000), 4_000, 0.05)
"""80 kB/s, faster than what counts as a trickle, for 12 s."""


def test_a_check_ends_at_its_deadline_however_the_server_answers(attacked: Attack) -> None:
    server = attacked({"a/zarr.json": FAST_ENOUGH})
    began = time.monotonic()
    report = nz.check(server.url, progress=False, budget=Budget(max_seconds=0.4))
    assert time.monotonic() - began < 10
    assert not report.complete
    assert report.conforms["NZ-1.0"] is not True
    reasons = {one.rule: one.reason for one in report.not_evaluated}
    assert reasons["NZ-CONS-002"] == "time limit"
    assert report.evaluation.out_of_time


def test_a_check_that_ran_out_of_time_can_be_taken_up_again(attacked: Attack) -> None:
    answers: dict[str, Answer] = {"a/zarr.json": FAST_ENOUGH}
    server = attacked(answers)
    evaluation = evaluate(open_store(server.url), values="none", budget=Budget(max_seconds=0.4))
    evaluation.run()
    assert evaluation.out_of_time
    answers.clear()
    evaluation.budget = Budget()
    evaluation.run()
    assert evaluation.complete
    assert not evaluation.out_of_time
    assert "time limit" not in {one.reason for one in evaluation.not_evaluated()}


def test_a_deadline_of_the_store_ends_each_answer_and_what_waits_for_it(attacked: Attack) -> None:
    options = {"deadline": 0.4}
    root = open_store(attacked({"zarr.json": FAST_ENOUGH}).url, storage_options=options).root
    assert "arrives too slowly" in (root.problem or "")
    server = attacked({"a/zarr.json": FAST_ENOUGH})
    report = nz.check(server.url, storage_options=options, progress=False)
    assert not report.complete
    assert {"unreadable", "time limit"} & {one.reason.split(":")[0] for one in report.not_evaluated}


def test_what_is_shown_ends_at_its_deadline_and_says_so(
    attacked: Attack, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session_module, "ANSWER_SECONDS", 2)
    server = attacked({"a/c/0/0": slowly(bytes(24), 1, 0.5)})
    arrived: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()

    def take(message: dict[str, Any], _: Any) -> None:
        if message["kind"] == "reply":
            arrived.put(message)

    session = Session(evaluate(open_store(server.url)), take, budget=MEBIBYTE)
    try:
        answers = []
        for number, path in enumerate(("/a", "/b")):
            params = {"path": path}
            request = {"kind": "request", "id": number, "method": "picture", "params": params}
            session.receive(request)
            answers.append(arrived.get(timeout=20))
    finally:
        session.close()
    assert answers[0]["error"]["code"] == "unreadable"
    assert answers[0]["error"]["retry"]
    assert "time limit of 2 s" in answers[0]["error"]["message"]
    assert answers[1]["ok"]


def test_what_is_slow_and_goes_on_is_read(attacked: Attack) -> None:
    document = PLAIN + b" " * 100_000
    server = attacked({"a/zarr.json": slowly(document, 5_000, 0.05)})  # 100 kB/s
    options = {"timeout": 0.3, "max_wait": 1.0}
    assert resolve(server.url, storage_options=options).get("a/zarr.json") == document


def test_limits_of_time_are_numbers() -> None:
    from nz_explorer.store import SourceError

    with pytest.raises(SourceError, match="'soon' is not a number of seconds"):
        resolve("http://127.0.0.1:1", storage_options={"timeout": "soon"})
    with pytest.raises(SourceError, match="'colour' is not known"):
        resolve("http://127.0.0.1:1", storage_options={"colour": "red"})


# --- redirects ----------------------------------------------------------------------------------


def test_redirects_are_followed_as_far_as_they_may(attacked: Attack) -> None:
    secret = {"headers": {"Authorization": "Bearer secret"}}
    other = attacked({})
    server = attacked({
        "moved/zarr.json": redirect("/a/zarr.json"),
        "elsewhere/zarr.json": redirect(f"{other.url}/a/zarr.json", 308),
        "file/zarr.json": redirect("file:///etc/passwd"),
        "round/zarr.json": redirect("/round/zarr.json"),
    })  # fmt: skip
    reader = resolve(server.url, storage_options=secret)
    keys = [f"{name}/zarr.json" for name in ("moved", "elsewhere", "file", "round")]
    moved, elsewhere, file, around = reader.get_many(keys)
    assert moved == elsewhere == PLAIN
    assert isinstance(file, ReadError)
    assert "file:///etc/passwd, which is not followed" in file.detail
    assert isinstance(around, ReadError)
    assert "redirects more than" in around.detail
    # Who asks is told to the host that was named, and to no other.
    assert all("Authorization" in headers for _, _, headers in server.requests)
    assert other.requests
    assert not any("Authorization" in headers for _, _, headers in other.requests)


@pytest.mark.parametrize(
    ("origin", "target", "words"),
    [
        ("https://93.184.216.34/s", "http://93.184.216.34/s", "from HTTPS to HTTP"),
        ("http://93.184.216.34/s", "http://127.0.0.1:8888/api", "an address inside"),
        ("http://93.184.216.34/s", "http://169.254.169.254/latest", "an address inside"),
        ("http://93.184.216.34/s", "http://[::1]/", "an address inside"),
        ("http://93.184.216.34/s", "http://localhost/", "an address inside"),
        ("http://93.184.216.34/s", "ftp://93.184.216.34/", "which is not followed"),
        ("http://93.184.216.34/s", "http:///x", "which is not followed"),
        ("http://93.184.216.34/s", "http://93.184.216.35/s", None),
        ("http://127.0.0.1:1/s", "http://localhost:2/s", None),
    ],
)
def test_redirects_that_lead_inside_are_refused(
    origin: str, target: str, words: str | None
) -> None:
    if words is None:
        asyncio.run(refuse_redirect("key", origin, target))
        return
    with pytest.raises(ReadError, match=words):
        asyncio.run(refuse_redirect("key", origin, target))


# --- S3 -----------------------------------------------------------------------------------------


def page(names: list[str], token: str = "") -> bytes:
    """Return a page of a listing."""
    keys = "".join(
        f"<CommonPrefixes><Prefix>s/g/{name}/</Prefix></CommonPrefixes>" for name in names
    )
    more = f"<IsTruncated>true</IsTruncated><NextContinuationToken>{token}</NextContinuationToken>"
    head = '<?xml version="1.0"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">'
    return f"{head}{more if token else ''}{keys}</ListBucketResult>".encode()


def endless_pages(to: Any) -> None:
    number = len(to.server.attacker.requests)
    names = [f"n{number}-{i}" for i in range(1000)]
    body(page(names, f"t{number}"))(to)


LISTINGS: dict[str, tuple[Answer, str]] = {
    "pages without end": (endless_pages, "5,001 names of it were read"),
    "the same page again": (body(page(["x"], "again")), "repeats a page"),
    "empty pages without end": (
        lambda to: body(page([], f"t{len(to.server.attacker.requests)}"))(to),
        "or gives empty ones",
    ),
    "a page without end": (endless(), "larger than the size limit"),
    "a page of 2^62 bytes": (promised(2**62), "more than the size limit"),
    "a name of a megabyte": (body(page(["x" * MEBIBYTE])), "a name of 1,048,576 characters"),
    "entities": (body(b'<!DOCTYPE x [<!ENTITY a "b">]><x>&a;</x>'), "document type"),
    "no XML": (body(b"<html>"), "no XML"),
    "an error without end": (endless(500), "500"),
}


@pytest.mark.parametrize("kind", LISTINGS)
def test_listings_are_bounded(attacked: Attack, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limited_store, "MAX_NAMES", 5_000)
    answer, words = LISTINGS[kind]
    server = attacked({"/bucket/": answer})
    before = peak()
    reader = resolve("s3://bucket/s", storage_options={"endpoint_url": server.url, "anon": True})
    (listing,) = reader.list_many(["g"])
    assert isinstance(listing, ReadError)
    assert words in listing.detail

    async def names() -> list[str]:
        return [name async for name in reader.zarr_store().list_dir("g")]

    with pytest.raises(ReadError):
        wait_for(names())
    assert peak() - before < 64 * MEBIBYTE


@pytest.mark.parametrize("kind", TOO_MUCH)
def test_s3_is_cut_at_the_limit_too(attacked: Attack, kind: str) -> None:
    server = attacked({"a/zarr.json": TOO_MUCH[kind], "c/0/0": TOO_MUCH[kind]})
    options = {"endpoint_url": server.url, "key": "k", "secret": "s"}
    before = peak()
    (answer,) = resolve("s3://bucket/s", storage_options=options).get_many(["a/zarr.json"])
    assert isinstance(answer, ReadError)
    with pytest.raises(ReadError):
        chunk_of("s3://bucket/s", 24, **options)
    assert peak() - before < 32 * MEBIBYTE
    signed = [headers.get("Authorization", "") for _, _, headers in server.requests]
    assert all(text.startswith("AWS4-HMAC-SHA256 Credential=k/") for text in signed)


def test_connections_are_used_again(attacked: Attack) -> None:
    """Also after pages of errors, of which a store over HTTP gives many."""
    server = attacked({})
    reader = resolve(server.url)
    for number in range(20):
        assert reader.get(f"none{number}/zarr.json") is None
        assert reader.get("a/zarr.json") == PLAIN
    store: Any = reader.store
    connector = store._session.connector
    assert sum(map(len, connector._conns.values())) == 1
    assert isinstance(store, http.HttpStore)
