"""Asking a store again where it failed for a moment, and giving up in time.

Documents and chunks are asked for in the same way: what passes is not shown to anyone.
"""

from __future__ import annotations

import asyncio
import random
import re
import time
from collections.abc import Awaitable, Callable
from http import HTTPStatus
from typing import TypeVar

from nz_explorer.store.errors import ReadError

T = TypeVar("T")

TIMEOUT_SECONDS = 30.0
ATTEMPTS = 6
"""Of a store that fails every tenth time one request in a million fails for good."""
PATIENCE = 1.5
"""How many times the time for an answer is waited in all: after two without any it is enough."""
FIRST_PAUSE_SECONDS = 0.05

_STATUS = re.compile(r"(?:^|\bstatus(?: code)?:? )([1-5]\d\d)\b")
_PHRASES = {status.value: status.phrase for status in HTTPStatus if status >= 400}
_NOISE = re.compile(r"^Generic \w+ error: |Error performing .*? in [\d.]+\S+ - |[:\s]+$")
_DENIED = ("permission", "forbidden", "accessdenied", "access denied", "unauthenticated")
_BUSY = ("slowdown", "slow down", "internal server", "service unavailable")
_BROKEN = ("connect", "reset", "closed", "payload", "sending request", "body error", "incomplete")


def classify(key: str, error: BaseException) -> tuple[ReadError, bool]:
    """Say what a store's exception means, and whether trying again may help.

    Every library has its own exceptions, often without a common base or a status; the names
    and texts they use for the same few faults are what they share.
    """
    if isinstance(error, ReadError):  # from a `PatientStore`, which has tried enough
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


async def persevere(
    key: str,
    ask: Callable[[], Awaitable[T]],
    *,
    seconds: float | None = None,
    attempts: int | None = None,
    asked: Callable[[bool], object] = lambda _again: None,
) -> T:
    """Ask, and again where that failed for a moment.

    Parameters
    ----------
    key : str
        What is asked for.
    ask : callable
        Makes the request.
    seconds : float, optional
        Until which an answer must be there.
    attempts : int, optional
        How often to ask at most.
    asked : callable
        Told of every request, and whether it is one more for the same.

    Raises
    ------
    ReadError
        If the store goes on to fail.
    FileNotFoundError
        If it says so.
    """
    seconds = TIMEOUT_SECONDS if seconds is None else seconds
    began = time.monotonic()
    most = ATTEMPTS if attempts is None else attempts
    for attempt in range(1, most + 1):
        asked(attempt > 1)
        try:
            async with asyncio.timeout(seconds):
                return await ask()
        except FileNotFoundError:
            raise
        except Exception as error:  # a store may raise anything
            failure, again = classify(key, error)
            waited = time.monotonic() - began
            if not again or attempt == most or waited >= PATIENCE * seconds:
                raise failure from error
        # Doubled each time and spread, so that many requests do not come back together.
        await asyncio.sleep(FIRST_PAUSE_SECONDS * 2**attempt * (0.5 + random.random()))  # noqa: S311
    raise AssertionError("unreachable")
