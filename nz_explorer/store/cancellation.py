"""A token that shows whether a request was cancelled."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

from nz_explorer.store.errors import Cancelled, TimeLimitExceeded

T = TypeVar("T")

_under_way: ContextVar[Cancellation | None] = ContextVar("under_way", default=None)


class Cancellation:
    """Passed down with a request; any thread may cancel it, work in progress looks at it."""

    def __init__(self) -> None:
        self._event = threading.Event()
        self._lock = threading.Lock()
        self._callbacks: list[Callable[[], object]] = []

    @property
    def cancelled(self) -> bool:
        """Whether ``cancel`` has been called."""
        return self._event.is_set()

    def cancel(self) -> None:
        """Withdraw the request; calling it again does nothing."""
        with self._lock:
            if self._event.is_set():
                return
            self._event.set()
            callbacks, self._callbacks = self._callbacks, []
        for callback in callbacks:
            callback()

    def check(self) -> None:
        """Raise `Cancelled` if the answer is no longer wanted.

        Raises
        ------
        Cancelled
            If `cancel` has been called.
        """
        if self._event.is_set():
            raise Cancelled

    def on_cancel(self, callback: Callable[[], object]) -> Callable[[], None]:
        """Call back when cancelled (at once if that has happened).

        Returns
        -------
        callable
            Forgets the callback again.
        """
        with self._lock:
            if not self._event.is_set():
                self._callbacks.append(callback)
                return lambda: self._forget(callback)
        callback()
        return lambda: None

    def _forget(self, callback: Callable[[], object]) -> None:
        with self._lock:
            if callback in self._callbacks:
                self._callbacks.remove(callback)


@contextmanager
def cancelled_by(cancel: Cancellation) -> Iterator[None]:
    """Have `check_cancelled` look at a token, in what is done in this context.

    Parameters
    ----------
    cancel : Cancellation
        The token.
    """
    before = _under_way.set(cancel)
    try:
        yield
    finally:
        _under_way.reset(before)


def check_cancelled() -> None:
    """Raise `Cancelled` if the work that this is a part of is no longer wanted; see `cancelled_by`.

    For long work that is handed no token, such as a rule.

    Raises
    ------
    Cancelled
        If it was cancelled.
    """
    cancel = _under_way.get()
    if cancel is not None:
        cancel.check()


@contextmanager
def time_limit(seconds: float | None, cancel: Cancellation | None = None) -> Iterator[Cancellation]:
    """Give what is done in this context an end, however slowly a store answers.

    Parameters
    ----------
    seconds : float or None
        How long it may take; None for as long as it takes.
    cancel : Cancellation, optional
        Ends it earlier.

    Yields
    ------
    Cancellation
        To be passed down; cancelled at the end of the time, and with `cancel`.

    Raises
    ------
    TimeLimitExceeded
        If it was cancelled at the end of the time.
    Cancelled
        If it was cancelled before.
    """
    limited = Cancellation()
    forget: Callable[[], object] = lambda: None  # noqa: E731
    if cancel is not None:
        forget = cancel.on_cancel(limited.cancel)
    if seconds is None:
        try:
            yield limited
        finally:
            forget()
        return
    ended = threading.Event()

    def end() -> None:
        ended.set()
        limited.cancel()

    timer = threading.Timer(seconds, end)
    timer.daemon = True
    timer.start()
    try:
        yield limited
    except Cancelled as error:
        if ended.is_set() and not (cancel is not None and cancel.cancelled):
            raise TimeLimitExceeded(seconds) from error
        raise
    finally:
        timer.cancel()
        forget()


def hand_over(pool: Executor, call: Callable[..., T], *arguments: object) -> Future[T]:
    """Have a pool do some work.

    Parameters
    ----------
    pool : Executor
        Does the work.
    call : callable
        The work.
    *arguments : object
        What it is called with.

    Raises
    ------
    Cancelled
        If the pool was shut down, or Python is about to end: nobody waits for the work any more.
    """
    try:
        return pool.submit(call, *arguments)
    except RuntimeError as error:
        raise Cancelled from error
