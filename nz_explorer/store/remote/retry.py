"""Asking a store again where it failed for a moment, and giving up in time.

Documents and chunks are asked for in the same way: what passes is not shown to anyone.
"""

from __future__ import annotations

import asyncio
import random
import re
import threading
import time
from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from http import HTTPStatus
from typing import TypeVar

from nz_explorer.store.errors import ReadError

T = TypeVar("T")

TIMEOUT_SECONDS = 30.0
ATTEMPTS = 6
"""Of a store that fails every tenth time one request in a million fails for good."""
REPEAT_WITHIN = 1.5
"""How many times the time for an answer is waited in all: after two without any it is enough."""
FIRST_PAUSE_SECONDS = 0.05
MIN_RATE = 16 * 1024
"""Bytes per second that an answer must arrive with, to be waited for any longer than until it must have begun …"""
LONGEST_SECONDS = 900.0
"""… and the most that it may take, however large it is."""
FAILURES = 32
"""After so many requests that failed one after the other …"""
LOST_SECONDS = 45.0
"""… or after so long a time of waiting for answers that did not come …"""
EXHAUSTED_TIMEOUT_SECONDS = 3.0
"""… the next ones are made once and not waited for any longer, until there are answers again."""
LAST_SECONDS = 15.0
"""After so much more waiting in vain a store is not asked at all …"""
REST_SECONDS = 10.0
"""… until this time has passed."""
ANSWERS_IN_A_ROW = 100
"""Answers after which it is forgotten that some did not come."""

_STATUS = re.compile(r"(?:^|\bstatus(?: code)?:? )([1-5]\d\d)\b")
_PHRASES = {status.value: status.phrase for status in HTTPStatus if status >= 400}
_NOISE = re.compile(
    r"^Generic \w+ error: |Error performing .*? in [\d.]+\S+ - | ssl:\w+(?= \[)|[:\s]+$"
)
_DENIED = ("permission", "forbidden", "accessdenied", "access denied", "unauthenticated")
_BUSY = ("slowdown", "slow down", "internal server", "service unavailable")
_BROKEN = ("connect", "reset", "closed", "payload", "sending request", "body error", "incomplete")


def classify(key: str, error: BaseException) -> tuple[ReadError, bool]:
    """Return what a store's exception means, and whether a retry may help.

    Every library has its own exceptions, often without a common base or a status; the names
    and texts they use for the same few faults are what they share.

    Parameters
    ----------
    key : str
        What was asked for.
    error : BaseException
        What the store raised.
    """
    if isinstance(error, ReadError):  # from a `RetryingStore`, which has tried enough
        return error, False
    # obstore adds how its client was configured, which names every fault there is
    said = " ".join(str(error).partition("Debug source:")[0].split())
    text = f"{type(error).__name__} {said}".lower()
    given = getattr(error, "status", None) or getattr(error, "status_code", None)
    found = _STATUS.search(said)
    status = given if isinstance(given, int) else int(found[1]) if found else None
    detail = _NOISE.sub("", said)[:300] or type(error).__name__
    if status in _PHRASES:
        detail = f"the server answered {status} {_PHRASES[status]}"

    def has(*words: str) -> bool:
        return any(word in text for word in words)

    if status in (401, 403) or isinstance(error, PermissionError) or has(*_DENIED):
        return ReadError(key, "denied", f"access denied ({detail})"), False
    if isinstance(error, TimeoutError) or has("timeout", "timed out"):
        return ReadError(key, "timeout", "no answer in time" + (f" ({said})" if said else "")), True
    if (status is not None and (status >= 500 or status == 429)) or has(*_BUSY):
        return ReadError(key, "server", detail), True
    if isinstance(error, ConnectionError) or (status is None and has(*_BROKEN)):
        return ReadError(key, "connection", detail), True
    return ReadError(key, "os", detail), False


class RetryLimits:
    """How long one store may take: for one answer, and for all answers that do not come together.

    Parameters
    ----------
    seconds : float, optional
        Until which an answer must begin; `TIMEOUT_SECONDS` by default. While it arrives with at least
        `MIN_RATE` bytes per second it may take longer.
    in_all : float, optional
        How long may be waited for answers that do not come, all requests taken together; `LOST_SECONDS` by default.
    deadline : float, optional
        How long whatever someone waits for may take, and so each answer, however fast it arrives.
    """

    def __init__(
        self,
        seconds: float | None = None,
        in_all: float | None = None,
        deadline: float | None = None,
    ) -> None:
        self.seconds = seconds
        self.in_all = in_all
        self.deadline = deadline
        self._lock = threading.Lock()
        self._failures = 0
        self._lost = 0.0
        self._lost_until = 0.0
        self._answers = 0

    @property
    def exhausted(self) -> bool:
        """Whether so much failed that requests are made once, and not waited for any longer."""
        return self._failures >= FAILURES or self._lost >= self._most

    @property
    def _most(self) -> float:
        return LOST_SECONDS if self.in_all is None else self.in_all

    def check(self, key: str) -> None:
        """Raise `ReadError` where the store has kept everyone waiting for so long that it is not asked for a moment.

        Raises
        ------
        ReadError
            If the store is given a rest.
        """
        if self._lost >= self._most + LAST_SECONDS:
            left = self._lost_until + REST_SECONDS - time.monotonic()
            if left > 0:
                detail = f"the store kept us waiting for {self._lost:.0f} s in all; it is asked again in {left:.0f} s"
                raise ReadError(key, "timeout", detail)

    def failed(self, reason: str, began: float) -> None:
        """Note a request that failed, and how long it was waited for.

        Parameters
        ----------
        reason : str
            The `ReadError.reason` of the failure.
        began : float
            When it was made, in seconds of `time.monotonic`.
        """
        now = time.monotonic()
        with self._lock:
            self._failures += reason in ("timeout", "server", "connection")
            if reason == "timeout":
                # Of requests side by side the time counts once.
                self._lost += max(0.0, now - max(began, self._lost_until))
                self._lost_until = now
                self._answers = 0

    def answered(self) -> None:
        """Note an answer; after many in a row what was lost is forgotten."""
        self._failures = 0
        if self._lost:
            with self._lock:
                self._answers += 1
                if self._answers >= ANSWERS_IN_A_ROW:
                    self._lost = 0.0


class _UnderWay:
    """The request that is being made."""

    timeout: asyncio.Timeout

    def __init__(self, seconds: float, longest: float) -> None:
        self.began = self.last = time.monotonic()
        self.until = self.began + seconds
        self.end = self.began + longest
        self.bytes = 0


_under_way: ContextVar[_UnderWay | None] = ContextVar("request_under_way", default=None)


def progress(count: int) -> None:
    """Note bytes that have arrived: the request that is under way gets time for as many more."""
    request = _under_way.get()
    if request is not None:
        request.bytes += count
        request.last = time.monotonic()
        request.until = min(request.until + count / MIN_RATE, max(request.end, request.until))
        if not request.timeout.expired():
            left = request.until - request.last
            request.timeout.reschedule(asyncio.get_running_loop().time() + left)


async def retry_async(
    key: str,
    ask: Callable[[], Awaitable[T]],
    *,
    limits: RetryLimits | None = None,
    seconds: float | None = None,
    asked: Callable[[bool], object] = lambda _again: None,
) -> T:
    """Ask, and again where that failed for a moment.

    Parameters
    ----------
    key : str
        What is asked for.
    ask : callable
        Makes the request. It calls `progress` while an answer arrives.
    limits : RetryLimits, optional
        Of the store.
    seconds : float, optional
        Until which an answer must begin, where `limits` does not say.
    asked : callable
        Told of every request, and whether it is one more for the same.

    Raises
    ------
    ReadError
        If the store goes on to fail.
    FileNotFoundError
        If it says so.
    """
    limits = limits or RetryLimits()
    limits.check(key)
    if limits.seconds is not None:
        seconds = limits.seconds
    elif seconds is None:
        seconds = TIMEOUT_SECONDS
    most, longest = ATTEMPTS, LONGEST_SECONDS
    if limits.deadline is not None:
        seconds, longest = min(seconds, limits.deadline), min(longest, limits.deadline)
    if limits.exhausted:
        seconds, most = min(seconds, EXHAUSTED_TIMEOUT_SECONDS), 1
        longest = TIMEOUT_SECONDS
    began = time.monotonic()
    for attempt in range(1, most + 1):
        asked(attempt > 1)
        try:
            answer = await _ask_once(key, ask, seconds, longest)
        except FileNotFoundError:
            limits.answered()
            raise
        except Exception as error:  # a store may raise anything
            failure, again = classify(key, error)
            waited = time.monotonic() - began
            if not again or attempt == most or waited >= REPEAT_WITHIN * seconds:
                limits.failed(failure.reason, began)
                raise failure from error
        else:
            limits.answered()
            return answer
        # Doubled each time and spread, so that many requests do not come back together.
        await asyncio.sleep(FIRST_PAUSE_SECONDS * 2**attempt * (0.5 + random.random()))  # noqa: S311
    raise AssertionError("unreachable")


async def _ask_once(key: str, ask: Callable[[], Awaitable[T]], seconds: float, longest: float) -> T:
    request = _UnderWay(seconds, longest)
    try:
        async with asyncio.timeout(seconds) as request.timeout:
            before = _under_way.set(request)
            try:
                return await ask()
            finally:
                _under_way.reset(before)
    except TimeoutError as error:
        # Where nothing comes any more another connection may do better; what trickles goes on to.
        if request.bytes and time.monotonic() - request.last < seconds / 2:
            waited = time.monotonic() - request.began
            detail = f"it arrives too slowly: {request.bytes:,} bytes in {waited:.0f} s"
            raise ReadError(key, "timeout", detail) from error
        raise
