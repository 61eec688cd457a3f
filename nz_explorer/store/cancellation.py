"""A token that says whether an answer is still wanted."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import TypeVar

from nz_explorer.store.errors import Cancelled

T = TypeVar("T")


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
        """Raise `Cancelled` if the answer is no longer wanted."""
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


def hand_over(pool: Executor, call: Callable[..., T], *arguments: object) -> Future[T]:
    """Have a pool do some work.

    Raises
    ------
    Cancelled
        If the pool was shut down, or Python is about to end: nobody waits for the work any more.
    """
    try:
        return pool.submit(call, *arguments)
    except RuntimeError as error:
        raise Cancelled from error
