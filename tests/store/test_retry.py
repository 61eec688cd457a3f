"""How often a store is asked again, and when it is enough."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from types import SimpleNamespace
from typing import Any

import pytest
from zarr.storage import MemoryStore, WrapperStore

from nz_explorer.store import ReadError
from nz_explorer.store.remote import retry, retrying_store
from nz_explorer.store.remote.remote_reader import RemoteReader
from nz_explorer.store.remote.retry import ATTEMPTS, REPEAT_WITHIN, RetryLimits, retry_async
from nz_explorer.store.remote.retrying_store import RetryingStore


class Clock:
    """A store that fails each time after so many seconds, of a clock that nothing else moves."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, seconds: float, *answers: Any) -> None:
        self.asked: list[bool] = []
        self.now = 0.0
        self.seconds = seconds
        self.answers = list(answers)
        monkeypatch.setattr(retry, "FIRST_PAUSE_SECONDS", 0.0)
        monkeypatch.setattr(retry, "time", SimpleNamespace(monotonic=lambda: self.now))

    async def ask(self) -> Any:
        self.now += self.seconds
        answer = self.answers.pop(0) if self.answers else ConnectionResetError("reset")
        if isinstance(answer, Exception):
            raise answer
        return answer

    def retry_async(self, **options: Any) -> Any:
        return asyncio.run(retry_async("k", self.ask, asked=self.asked.append, **options))


@pytest.mark.parametrize(
    ("seconds", "asked"),
    [
        (0.0, ATTEMPTS),  # the number of attempts ends it
        (10 * REPEAT_WITHIN / 2 - 0.01, 3),
        (10 * REPEAT_WITHIN / 2, 2),  # exactly as long as is waited in all
        (10 * REPEAT_WITHIN - 0.01, 2),
        (10 * REPEAT_WITHIN, 1),
        (1000.0, 1),
    ],
)
def test_no_longer_is_waited_in_all_than_the_patience_lasts(
    monkeypatch: pytest.MonkeyPatch, seconds: float, asked: int
) -> None:
    clock = Clock(monkeypatch, seconds)
    with pytest.raises(ReadError) as caught:
        clock.retry_async(seconds=10)
    assert caught.value.reason == "connection"
    assert clock.asked == [number > 0 for number in range(asked)]


def test_the_usual_time_limit_is_one_that_can_be_set(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch, 3.0)
    monkeypatch.setattr(retry, "TIMEOUT_SECONDS", 2.0)
    with pytest.raises(ReadError):
        clock.retry_async()
    assert len(clock.asked) == 1


@pytest.mark.parametrize("attempts", [1, 2])
def test_no_more_is_asked_than_attempts(monkeypatch: pytest.MonkeyPatch, attempts: int) -> None:
    clock = Clock(monkeypatch, 0.0)
    monkeypatch.setattr(retry, "ATTEMPTS", attempts)
    with pytest.raises(ReadError):
        clock.retry_async()
    assert len(clock.asked) == attempts


def test_an_answer_is_taken_after_some_failures(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch, 1.0, TimeoutError(), OSError("503 Service Unavailable"), b"x")
    assert clock.retry_async(seconds=10) == b"x"
    assert clock.asked == [False, True, True]


@pytest.mark.parametrize("error", [PermissionError("403"), FileNotFoundError("k")])
def test_what_does_not_pass_is_asked_once(
    monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    clock = Clock(monkeypatch, 0.0, error)
    with pytest.raises(FileNotFoundError if error.args == ("k",) else ReadError):
        clock.retry_async()
    assert clock.asked == [False]


# --- a store that does not answer -----------------------------------------------------------------


class Silent(WrapperStore[Any]):
    """Never answers, and counts those who ask."""

    def __init__(self) -> None:
        super().__init__(MemoryStore())
        self.asked = 0

    async def get(self, *arguments: Any, **options: Any) -> Any:
        self.asked += 1
        await asyncio.Event().wait()

    async def exists(self, key: str) -> bool:
        self.asked += 1
        await asyncio.Event().wait()
        return True

    async def list_dir(self, prefix: str) -> Any:  # type: ignore[override]
        self.asked += 1
        await asyncio.Event().wait()
        yield ""


@pytest.fixture
def silent(monkeypatch: pytest.MonkeyPatch) -> Silent:
    monkeypatch.setattr(retry, "FIRST_PAUSE_SECONDS", 0.0)
    return Silent()


CHUNKS: dict[str, Callable[[RetryingStore], Awaitable[Any]]] = {
    "a chunk": lambda store: store.get("c/0", None),  # type: ignore[arg-type]
    "parts": lambda store: store.get_partial_values(None, [("c/0", None)]),  # type: ignore[arg-type]
    "whether there is one": lambda store: store.exists("c/0"),
}


@pytest.mark.parametrize("what", CHUNKS)
def test_a_chunk_is_waited_for_as_long_as_chunks_are(
    silent: Silent, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    monkeypatch.setattr(retry, "TIMEOUT_SECONDS", None)  # that of documents
    monkeypatch.setattr(retrying_store, "CHUNK_TIMEOUT_SECONDS", 0.05)
    with pytest.raises(ReadError) as caught:
        asyncio.run(CHUNKS[what](RetryingStore(silent)))  # type: ignore[arg-type]
    assert caught.value.reason == "timeout"
    assert 1 <= silent.asked <= 2  # on a busy machine the first wait may have used up the patience


def test_a_document_and_a_listing_are_waited_for_as_long_as_documents_are(
    silent: Silent, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retry, "TIMEOUT_SECONDS", 0.05)
    reader = RemoteReader(silent, "silent", "test")
    (answer,), (listing,) = reader.get_and_list(["zarr.json"], [""])
    for one in (answer, listing):
        assert isinstance(one, ReadError)
        assert one.reason == "timeout"
    assert 2 <= silent.asked <= 4
    assert reader.counters.requests == silent.asked
    assert reader.counters.retries == silent.asked - 2


def test_a_store_that_has_failed_often_is_asked_once_and_for_less_long(
    silent: Silent, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retry, "TIMEOUT_SECONDS", 60)
    monkeypatch.setattr(retry, "EXHAUSTED_TIMEOUT_SECONDS", 0.05)
    monkeypatch.setattr(retry, "FAILURES", 0)
    reader = RemoteReader(silent, "silent", "test")
    (answer,) = reader.get_many(["zarr.json"])
    assert isinstance(answer, ReadError)
    assert silent.asked == 1


# --- what an answer means, and one that trickles --------------------------------------------------


@pytest.mark.parametrize(
    ("status", "kind", "again"),
    [
        (401, "denied", False),
        (403, "denied", False),
        (400, "os", False),
        (404, "os", False),
        (428, "os", False),
        (429, "server", True),
        (431, "os", False),
        (499, "os", False),
        (500, "server", True),
        (503, "server", True),
    ],
)
def test_what_a_status_means(status: int, kind: str, again: bool) -> None:
    class Answered(Exception):
        def __init__(self) -> None:
            self.status = status

    found, passes = retry.classify("k", Answered())
    assert (found.reason, passes) == (kind, again)


@pytest.mark.parametrize(
    ("error", "reason", "detail", "again"),
    [
        (OSError("status: 503"), "server", "the server answered 503 Service Unavailable", True),
        (OSError("status code 403"), "denied", "access denied (the server answered 403 Forbidden)", False),
        (OSError("took 1503 steps"), "os", "took 1503 steps", False),
        (OSError("a 600 here"), "os", "a 600 here", False),
        (OSError("status: 299"), "os", "status: 299", False),
        (PermissionError(13, "no"), "denied", "access denied ([Errno 13] no)", False),
        (RuntimeError("AccessDenied"), "denied", "access denied (AccessDenied)", False),
        (TimeoutError(), "timeout", "no answer in time", True),
        (RuntimeError("read timed out"), "timeout", "no answer in time (read timed out)", True),
        (RuntimeError("SlowDown"), "server", "SlowDown", True),
        (ConnectionResetError(), "connection", "ConnectionResetError", True),
        (RuntimeError("error sending request"), "connection", "error sending request", True),
        (RuntimeError("404 connection page"), "os", "the server answered 404 Not Found", False),
        (RuntimeError("Generic S3 error: x: "), "os", "x", False),
        (RuntimeError("it is so Debug source: timeout"), "os", "it is so", False),
        (RuntimeError("x" * 1000), "os", "x" * 300, False),
        (ReadError("j", "timeout", "as it was"), "timeout", "as it was", False),
    ],
)  # fmt: skip
def test_what_an_error_means(error: Exception, reason: str, detail: str, again: bool) -> None:
    found, passes = retry.classify("k", error)
    assert (found.reason, found.detail, passes) == (reason, detail, again)


def test_bytes_that_arrive_give_a_request_more_time_but_not_for_ever() -> None:
    async def until() -> list[float]:
        request = retry._under_way.get()
        assert request is not None
        began = request.timeout.when() or 0
        found = []
        for seconds in (5, 1000):
            retry.progress(seconds * 16 * 1024)
            found.append((request.timeout.when() or 0) - began)
        return found

    assert asyncio.run(retry._ask_once("k", until, 10, 100)) == pytest.approx([5, 90], abs=1)
    retry.progress(1)  # of no request


def test_what_trickles_is_told_from_what_has_stopped() -> None:
    async def trickle() -> None:
        while True:
            retry.progress(1)
            await asyncio.sleep(0)

    async def stop() -> None:
        retry.progress(1)
        await asyncio.sleep(60)

    with pytest.raises(ReadError, match="too slowly"):
        asyncio.run(retry._ask_once("k", trickle, 0.1, 0.1))
    with pytest.raises(TimeoutError):
        asyncio.run(retry._ask_once("k", stop, 0.1, 0.1))


# --- when it is enough ----------------------------------------------------------------------------


def test_pauses_double_and_are_spread(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many requests that failed together must not come back together, nor at once."""
    pauses: list[float] = []

    async def sleep(seconds: float) -> None:
        pauses.append(seconds)

    clock = Clock(monkeypatch, 0.0)
    monkeypatch.setattr(retry, "FIRST_PAUSE_SECONDS", 1.0)
    monkeypatch.setattr(retry.asyncio, "sleep", sleep)
    for chance, first in ((0.0, 1.0), (0.5, 2.0), (1.0, 3.0)):
        pauses.clear()
        monkeypatch.setattr(retry.random, "random", lambda chance=chance: chance)
        with pytest.raises(ReadError):
            clock.retry_async(seconds=10)
        assert pauses == [first * 2**number for number in range(ATTEMPTS - 1)]


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time, which nothing else moves."""
    time = [100.0]
    monkeypatch.setattr(retry, "time", SimpleNamespace(monotonic=lambda: time[0]))
    return time


def lose(limits: RetryLimits, now: list[float], seconds: float) -> None:
    """Wait in vain."""
    now[0] += seconds
    limits.failed("timeout", now[0] - seconds)


def test_time_that_several_requests_waited_in_counts_once(now: list[float]) -> None:
    enough, almost = RetryLimits(in_all=15), RetryLimits(in_all=15.5)
    for limits in (enough, almost):
        now[0] = 110.0
        limits.failed("timeout", 100.0)
        limits.failed("timeout", 105.0)
        assert not limits.exhausted
        now[0] = 115.0
        limits.failed("timeout", 101.0)
    assert enough.exhausted
    assert not almost.exhausted


@pytest.mark.parametrize("reason", ["timeout", "server", "connection"])
def test_after_many_failures_in_a_row_it_is_enough(now: list[float], reason: str) -> None:
    limits = RetryLimits()
    for _ in range(retry.FAILURES - 1):
        limits.failed(reason, now[0])
    limits.failed("os", now[0])  # the store has answered
    limits.failed("denied", now[0])
    assert not limits.exhausted
    for _ in range(2):
        limits.failed(reason, now[0])
        assert limits.exhausted
    limits.answered()
    assert not limits.exhausted


def test_what_was_lost_is_forgotten_after_answers_in_a_row(now: list[float]) -> None:
    limits = RetryLimits(in_all=5)
    lose(limits, now, 6.0)
    for _ in range(2):
        for _ in range(retry.ANSWERS_IN_A_ROW - 1):
            limits.answered()
        assert limits.exhausted
        lose(limits, now, 1.0)  # one more that did not come
    for _ in range(retry.ANSWERS_IN_A_ROW):
        assert limits.exhausted
        limits.answered()
    assert not limits.exhausted


def test_a_store_that_never_answers_is_given_a_rest(now: list[float]) -> None:
    limits = RetryLimits(in_all=5)
    limits.check("k")
    lose(limits, now, 5 + retry.LAST_SECONDS - 0.5)
    limits.check("k")
    lose(limits, now, 0.5)
    for later, left in ((0.0, 10), (6.0, 4), (9.0, 1)):
        now[0] = 100 + 5 + retry.LAST_SECONDS + later
        with pytest.raises(ReadError, match=f"for {5 + retry.LAST_SECONDS:.0f} s in all") as caught:
            limits.check("k")
        assert caught.value.reason == "timeout"
        assert f"asked again in {left} s" in str(caught.value)
    now[0] += 1.0
    limits.check("k")
    lose(limits, now, 1.0)
    with pytest.raises(ReadError):
        limits.check("k")


@pytest.mark.parametrize(("seconds", "expected"), [(60.0, 3.0), (2.0, 2.0)])
def test_an_exhausted_store_is_asked_once_and_not_waited_for_any_longer(
    monkeypatch: pytest.MonkeyPatch, seconds: float, expected: float
) -> None:
    limits = RetryLimits(seconds, in_all=0.0)
    given: list[tuple[float, float]] = []

    async def once(_key: str, _ask: Any, seconds: float, longest: float) -> Any:
        given.append((seconds, longest))
        raise TimeoutError

    monkeypatch.setattr(retry, "_ask_once", once)
    with pytest.raises(ReadError):
        asyncio.run(retry_async("k", lambda: None, limits=limits))  # type: ignore[arg-type,return-value]
    assert given == [(expected, retry.TIMEOUT_SECONDS)]
