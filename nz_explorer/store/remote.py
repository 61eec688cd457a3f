"""Stores that are asked over an event loop: object stores, HTTP, and any zarr ``Store``.

The requests run on zarr's own loop. Asynchronous stores bind their connections to the first
loop that uses them, and zarr reads the chunks of the same store there.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import random
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from nz_explorer.store.cancellation import Cancellation
from nz_explorer.store.errors import Cancelled, ReadError
from nz_explorer.store.reader import MAX_DOCUMENT_BYTES, Listing, Reader, check_key

if TYPE_CHECKING:
    from zarr.abc.store import Store

T = TypeVar("T")

CONCURRENCY = 96
"""Requests under way at once; object stores serve hundreds, one browser tab should not."""
TIMEOUT_SECONDS = 30.0
ATTEMPTS = 4
FIRST_PAUSE_SECONDS = 0.1


def classify(key: str, error: BaseException) -> tuple[ReadError, bool]:
    """Say what a store's exception means, and whether trying again may help.

    Every library has its own exceptions, often without a common base or a status; the names
    and texts they use for the same few faults are what they share.
    """
    status = getattr(error, "status", None) or getattr(error, "status_code", None)
    text = f"{type(error).__name__} {error}".lower()
    detail = " ".join(str(error).split())[:300] or type(error).__name__
    if isinstance(error, TimeoutError) or "timeout" in text or "timed out" in text:
        return ReadError(key, "timeout", f"no answer within {TIMEOUT_SECONDS:g} s"), True
    denied = ("permission", "forbidden", "accessdenied", "access denied", "unauthenticated", "403")
    if status in (401, 403) or isinstance(error, PermissionError) or any(w in text for w in denied):
        return ReadError(key, "denied", f"access denied ({detail})"), False
    transient = ("500", "502", "503", "504", "429", "slowdown", "slow down", "internal server")
    if (isinstance(status, int) and (status >= 500 or status == 429)) or any(
        word in text for word in transient
    ):
        return ReadError(key, "server", detail), True
    if isinstance(error, ConnectionError) or any(
        word in text for word in ("connect", "reset", "disconnected", "closed", "payload")
    ):
        return ReadError(key, "connection", detail), True
    return ReadError(key, "os", detail), False


class RemoteReader(Reader):
    """Reads any zarr store, many requests side by side, with time limits and retries."""

    def __init__(
        self,
        store: Store,
        label: str,
        kind: str,
        *,
        prefix: str = "",
        listable: bool = True,
        local: bool = False,
        url: str | None = None,
        owns_store: bool = True,
    ) -> None:
        super().__init__(label, kind, prefix=prefix.strip("/"), listable=listable, url=url)
        self.local = local
        self.object_storage = not local
        self._store = store
        self._owns_store = owns_store
        self._slots = asyncio.Semaphore(CONCURRENCY)  # binds to the loop at its first use

    @property
    def owns_store(self) -> bool:
        """Whether the store was opened here, and not by the user."""
        return self._owns_store

    def open_zarr_store(self) -> Store:
        """Open the store for zarr, read-only."""
        return self._store

    def close(self) -> None:
        """Close the store, unless the user brought it."""
        if self._owns_store:
            self._store.close()

    def get_many(
        self, keys: Sequence[str], cancel: Cancellation | None = None
    ) -> list[bytes | ReadError | None]:
        """Return the bytes of each key; see `Reader.get_many`."""
        if cancel is not None:
            cancel.check()
        return self._batch([self._get(key) for key in keys], cancel)

    def list_many(
        self, prefixes: Sequence[str], cancel: Cancellation | None = None, limit: int | None = None
    ) -> list[Listing | ReadError]:
        """Return the names below each prefix; see `Reader.list_many`."""
        if cancel is not None:
            cancel.check()
        if not self.listable:
            return [
                ReadError(prefix, "os", f"a store over {self.kind} cannot be listed")
                for prefix in prefixes
            ]
        return self._batch([self._list(prefix, limit) for prefix in prefixes], cancel)

    def _batch(
        self, coroutines: list[Coroutine[Any, Any, T]], cancel: Cancellation | None
    ) -> list[T]:
        from zarr.core.sync import _get_loop

        if not coroutines:
            return []
        self.counters.round_trips += 1

        async def gather() -> list[T]:
            return await asyncio.gather(*coroutines)

        future = asyncio.run_coroutine_threadsafe(gather(), _get_loop())
        forget = cancel.on_cancel(future.cancel) if cancel is not None else lambda: None
        try:
            return future.result()
        except concurrent.futures.CancelledError as error:
            raise Cancelled from error
        finally:
            forget()

    async def _attempts(self, key: str, ask: Callable[[], Awaitable[T]]) -> T | ReadError:
        async with self._slots:
            for attempt in range(1, ATTEMPTS + 1):
                self.counters.requests += 1
                try:
                    async with asyncio.timeout(TIMEOUT_SECONDS):
                        return await ask()
                except FileNotFoundError:
                    raise
                except Exception as error:  # noqa: BLE001 - a store may raise anything; it becomes a state
                    failure, again = classify(key, error)
                    if not again or attempt == ATTEMPTS:
                        return failure
                self.counters.retries += 1
                # Doubled each time and spread, so that many requests do not come back together.
                await asyncio.sleep(FIRST_PAUSE_SECONDS * 2**attempt * (0.5 + random.random()))  # noqa: S311
        raise AssertionError("unreachable")

    def _full(self, key: str) -> str:
        return "/".join(part for part in (self.prefix, key) if part)

    async def _get(self, key: str) -> bytes | ReadError | None:
        from zarr.core.buffer import default_buffer_prototype

        try:
            check_key(key)
            answer = await self._attempts(
                key, lambda: self._store.get(self._full(key), default_buffer_prototype())
            )
        except ReadError as error:
            return error
        except FileNotFoundError:
            return None
        if answer is None or isinstance(answer, ReadError):
            return answer
        data = answer.to_bytes()
        self.counters.bytes += len(data)
        if len(data) > MAX_DOCUMENT_BYTES:
            return ReadError(
                key, "too large", f"{len(data)} bytes are more than a document may have"
            )
        return data

    async def _list(self, prefix: str, limit: int | None) -> Listing | ReadError:
        async def names() -> Listing:
            found: set[str] = set()
            level = self._store.list_dir(self._full(prefix))
            async with contextlib.aclosing(level) as entries:  # type: ignore[type-var]
                async for entry in entries:
                    if limit is not None and len(found) >= limit:
                        return Listing(tuple(sorted(found)), complete=False)
                    if name := entry.rstrip("/").rsplit("/", 1)[-1]:
                        found.add(name)
            return Listing(tuple(sorted(found)))

        try:
            if prefix:
                check_key(prefix)
            return await self._attempts(prefix, names)
        except ReadError as error:
            return error
        except FileNotFoundError:
            return Listing(())
