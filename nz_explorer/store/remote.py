"""Stores that are asked over an event loop: object stores, HTTP, and any zarr ``Store``.

The requests run on zarr's own loop. Asynchronous stores bind their connections to the first
loop that uses them, and zarr reads the chunks of the same store there.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Coroutine, Hashable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from nz_explorer.store.cancellation import Cancellation
from nz_explorer.store.errors import ReadError
from nz_explorer.store.loop import wait_for
from nz_explorer.store.patience import persevere
from nz_explorer.store.reader import MAX_DOCUMENT_BYTES, Listing, Reader, check_key

if TYPE_CHECKING:
    from zarr.abc.store import Store

T = TypeVar("T")

CONCURRENCY = 192
"""Requests under way at once. Object stores serve thousands a second, …"""
HTTP_CONCURRENCY = 96
"""… any other server need not."""
FAILURES = 32
"""After so many requests that failed one after the other …"""
IMPATIENT_SECONDS = 3.0
"""… the next ones are made once and not waited for any longer, until there is an answer again."""


class _UnderWay:
    """A request that is being made, and how many wait for it."""

    def __init__(self, work: Coroutine[Any, Any, Any]) -> None:
        self.task = asyncio.ensure_future(work)
        self.wanted = 0


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
        # It binds to the loop at its first use.
        self._slots = asyncio.Semaphore(HTTP_CONCURRENCY if kind == "HTTP" else CONCURRENCY)
        self._under_way: dict[Hashable, _UnderWay] = {}
        self._failures = 0

    @property
    def owns_store(self) -> bool:
        """Whether the store was opened here, and not by the user."""
        return self._owns_store

    @property
    def store(self) -> Store:
        """The store as it was given."""
        return self._store

    def open_zarr_store(self) -> Store:
        """Return the store for zarr, which reads chunks as patiently as documents are read."""
        from nz_explorer.store.patient_store import PatientStore

        return self._store if self.local else PatientStore(self._store)

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
        answers: list[bytes | ReadError | None] = self._batch(
            [("get", key) for key in keys], cancel
        )
        return answers

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
        wanted = [("list", prefix, limit) for prefix in prefixes]
        listings: list[Listing | ReadError] = self._batch(wanted, cancel)
        return listings

    def look_many(
        self,
        keys: Sequence[str],
        prefixes: Sequence[str],
        cancel: Cancellation | None = None,
        limit: int | None = None,
    ) -> tuple[list[bytes | ReadError | None], list[Listing | ReadError]]:
        """Return bytes and names after one round trip; see `Reader.look_many`."""
        if cancel is not None:
            cancel.check()
        if not self.listable:
            return super().look_many(keys, prefixes, cancel, limit)
        gets = [("get", key) for key in keys]
        lists = [("list", prefix, limit) for prefix in prefixes]
        found = self._batch([*gets, *lists], cancel)
        return found[: len(gets)], found[len(gets) :]

    def _batch(self, wanted: Sequence[tuple[Any, ...]], cancel: Cancellation | None) -> list[Any]:
        if not wanted:
            return []
        self.counters.round_trips += 1
        return wait_for(self._gather(wanted), cancel)

    async def _gather(self, wanted: Sequence[tuple[Any, ...]]) -> list[Any]:
        """Make requests side by side; one that is under way already is waited for, and not made again.

        When nobody waits for a request any more, because all who did have been cancelled, it is cancelled too.
        """
        joined: list[_UnderWay] = []
        for what in wanted:
            request = self._under_way.get(what)
            if request is None:
                ask: Callable[..., Coroutine[Any, Any, Any]] = (
                    self._get if what[0] == "get" else self._list
                )
                request = self._under_way[what] = _UnderWay(ask(*what[1:]))
                request.task.add_done_callback(partial(self._ended, what))
            request.wanted += 1
            joined.append(request)
        try:
            return list(await asyncio.gather(*(asyncio.shield(one.task) for one in joined)))
        finally:
            for what, request in zip(wanted, joined, strict=True):
                request.wanted -= 1
                if not request.wanted and not request.task.done():
                    self._ended(what, request.task)
                    request.task.cancel()

    def _ended(self, what: Hashable, task: asyncio.Task[Any]) -> None:
        request = self._under_way.get(what)
        if request is not None and request.task is task:
            del self._under_way[what]

    async def _ask(self, key: str, ask: Callable[[], Awaitable[T]]) -> T:
        async with self._slots:
            patient = self._failures < FAILURES
            try:
                answer = await persevere(
                    key,
                    ask,
                    seconds=None if patient else IMPATIENT_SECONDS,
                    attempts=None if patient else 1,
                    asked=self._count,
                )
            except ReadError as error:
                self._failures += error.reason in ("timeout", "server", "connection")
                raise
            self._failures = 0
            return answer

    def _count(self, again: bool) -> None:
        self.counters.requests += 1
        self.counters.retries += again

    def _full(self, key: str) -> str:
        return "/".join(part for part in (self.prefix, key) if part)

    async def _get(self, key: str) -> bytes | ReadError | None:
        from zarr.core.buffer import default_buffer_prototype

        try:
            check_key(key)
            answer = await self._ask(
                key, lambda: self._store.get(self._full(key), default_buffer_prototype())
            )
        except ReadError as error:
            # Icechunk takes only the keys of Zarr v3 for keys.
            return None if "invalid zarr key" in error.detail else error
        except FileNotFoundError:
            return None
        if answer is None:
            return None
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
            # An iterator of Icechunk's cannot be closed.
            close: Any = contextlib.aclosing if hasattr(level, "aclose") else contextlib.nullcontext
            async with close(level) as entries:
                async for entry in entries:
                    if limit is not None and len(found) >= limit:
                        return Listing(tuple(sorted(found)), complete=False)
                    if name := entry.rstrip("/").rsplit("/", 1)[-1]:
                        found.add(name)
            return Listing(tuple(sorted(found)))

        try:
            if prefix:
                check_key(prefix)
            return await self._ask(prefix, names)
        except ReadError as error:
            return error
        except FileNotFoundError:
            return Listing(())
