"""Stores that are asked over an event loop: object stores, HTTP, and any zarr ``Store``.

The requests run on zarr's own loop. Asynchronous stores bind their connections to the first
loop that uses them, and zarr reads the chunks of the same store there.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import (
    AsyncIterator,
    Awaitable,
    Callable,
    Collection,
    Coroutine,
    Hashable,
    Iterator,
    Sequence,
)
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from nz_explorer.store.cancellation import Cancellation
from nz_explorer.store.errors import ReadError
from nz_explorer.store.reader import MAX_DOCUMENT_BYTES, Listing, Reader, check_key
from nz_explorer.store.remote.loop import wait_for
from nz_explorer.store.remote.read_ahead import NOT_KNOWN, ReadAhead
from nz_explorer.store.remote.retry import RetryLimits, retry_async

if TYPE_CHECKING:
    from zarr.abc.store import Store

T = TypeVar("T")

CONCURRENCY = 256
"""Requests under way at once. Object stores serve thousands a second, …"""
HTTP_CONCURRENCY = 128
"""… any other server need not."""
LISTED_AHEAD = 1000
"""Keys that come in one answer of an object store."""
READ_AHEAD = 2000
"""Documents that are asked for before they are needed; they stay in memory until then."""


class _UnderWay:
    """A request that is being made, and how many wait for it."""

    def __init__(self, work: Coroutine[Any, Any, Any]) -> None:
        self.task = asyncio.ensure_future(work)
        self.wanted = 0


class RemoteReader(Reader):
    """Reads any zarr store, many requests side by side, with limits on time and size, and retries.

    Attributes
    ----------
    limits : RetryLimits
        How long the store is waited for, for documents and chunks together.
    """

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
        self.lists_below = listable
        self._store = store
        self._owns_store = owns_store
        # It binds to the loop at its first use.
        self._slots = asyncio.Semaphore(HTTP_CONCURRENCY if kind == "HTTP" else CONCURRENCY)
        self._under_way: dict[Hashable, _UnderWay] = {}
        self.limits = RetryLimits()
        self._ahead: ReadAhead | None = None

    @property
    def deadline(self) -> float | None:
        """How many seconds whatever someone waits for may take, where the user says."""
        return self.limits.deadline

    @property
    def owns_store(self) -> bool:
        """Whether the store was opened here, and not by the user."""
        return self._owns_store

    @property
    def store(self) -> Store:
        """The store as it was given."""
        return self._store

    def open_zarr_store(self) -> Store:
        """Return the store for zarr, which retries reads of chunks like those of documents."""
        from nz_explorer.store.remote.limited_store import LimitedStore
        from nz_explorer.store.remote.retrying_store import RetryingStore

        if self.local:
            return LimitedStore(self._store)
        return RetryingStore(self._store, self.limits)

    def close(self) -> None:
        """Close the store, unless the user brought it."""
        if self._owns_store:
            self._store.close()

    def get_many(
        self,
        keys: Sequence[str],
        cancel: Cancellation | None = None,
        *,
        max_bytes: int | None = None,
    ) -> list[bytes | ReadError | None]:
        """Return the bytes of each key; see `Reader.get_many`."""
        limit = MAX_DOCUMENT_BYTES if max_bytes is None else max_bytes
        if cancel is not None:
            cancel.check()
        answers: list[bytes | ReadError | None] = self._batch(
            [("get", key, limit) for key in keys], cancel
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

    def list_below(
        self, prefix: str, cancel: Cancellation | None = None, limit: int | None = None
    ) -> Listing:
        """Return the keys below a prefix; see `Reader.list_below`.

        Raises
        ------
        ReadError
            If the store fails, or cannot be listed.
        """
        if cancel is not None:
            cancel.check()
        if not self.listable:
            raise ReadError(prefix, "os", f"a store over {self.kind} cannot be listed")
        found: Listing | ReadError = self._batch([("list below", prefix, limit)], cancel)[0]
        if isinstance(found, ReadError):
            raise found
        return found

    def get_and_list(
        self,
        keys: Sequence[str],
        prefixes: Sequence[str],
        cancel: Cancellation | None = None,
        limit: int | None = None,
    ) -> tuple[list[bytes | ReadError | None], list[Listing | ReadError]]:
        """Return bytes and names after one round trip; see `Reader.get_and_list`."""
        if cancel is not None:
            cancel.check()
        if not self.listable:
            return super().get_and_list(keys, prefixes, cancel, limit)
        gets = [("get", key, MAX_DOCUMENT_BYTES) for key in keys]
        lists = [("list", prefix, limit) for prefix in prefixes]
        found = self._batch([*gets, *lists], cancel)
        return found[: len(gets)], found[len(gets) :]

    @contextlib.contextmanager
    def reading_ahead(
        self, keys: Sequence[str], names: Collection[str], cancel: Cancellation | None = None
    ) -> Iterator[None]:
        """Have documents and listings ready that are needed one after the other; see `Reader.reading_ahead`."""
        if self.local or self._ahead is not None:
            yield
            return
        generation = self.generation
        listing: list[tuple[Any, ...]] = [("list below", "", LISTED_AHEAD)] if self.listable else []
        wanted = [*listing, *(("get", key, MAX_DOCUMENT_BYTES) for key in keys[:READ_AHEAD])]
        answers = dict(zip(wanted, self._batch(wanted, cancel), strict=True))
        found = answers.pop(listing[0]) if listing else None
        everything = found if isinstance(found, Listing) and found.complete else None
        if everything is not None and not keys:
            held = [
                key for key in everything.names if "/" in key and key.rpartition("/")[2] in names
            ]
            wanted = [("get", key, MAX_DOCUMENT_BYTES) for key in held[:READ_AHEAD]]
            answers = dict(zip(wanted, self._batch(wanted, cancel), strict=True))
        self._ahead = ReadAhead(generation, answers, everything)
        try:
            yield
        finally:
            self._ahead = None

    def _batch(self, wanted: Sequence[tuple[Any, ...]], cancel: Cancellation | None) -> list[Any]:
        generation, ahead = self.generation, self._ahead
        answers = [NOT_KNOWN if ahead is None else ahead.answer(generation, one) for one in wanted]
        left = [one for one, answer in zip(wanted, answers, strict=True) if answer is NOT_KNOWN]
        if not left:
            return answers
        self.counters.round_trips += 1
        asked = iter(wait_for(self._gather(generation, left), cancel))
        return [next(asked) if answer is NOT_KNOWN else answer for answer in answers]

    async def _gather(self, generation: int, wanted: Sequence[tuple[Any, ...]]) -> list[Any]:
        """Make requests side by side; one that is under way already is waited for, and not made again.

        One of an earlier generation may have been answered before the store was changed, and is not waited for. When nobody waits for a request any more, because all who did have been cancelled, it is cancelled too.
        """
        joined: list[_UnderWay] = []
        for what in wanted:
            request = self._under_way.get((generation, what))
            if request is None:
                ask: Callable[..., Coroutine[Any, Any, Any]] = {
                    "get": self._get,
                    "list": self._list,
                    "list below": self._list_below,
                }[what[0]]
                request = self._under_way[generation, what] = _UnderWay(ask(*what[1:]))
                request.task.add_done_callback(partial(self._ended, (generation, what)))
            request.wanted += 1
            joined.append(request)
        try:
            return list(await asyncio.gather(*(asyncio.shield(one.task) for one in joined)))
        finally:
            for what, request in zip(wanted, joined, strict=True):
                request.wanted -= 1
                if not request.wanted and not request.task.done():
                    self._ended((generation, what), request.task)
                    request.task.cancel()

    def _ended(self, what: Hashable, task: asyncio.Task[Any]) -> None:
        request = self._under_way.get(what)
        if request is not None and request.task is task:
            del self._under_way[what]

    async def _ask(self, key: str, ask: Callable[[], Awaitable[T]]) -> T:
        async with self._slots:
            return await retry_async(key, ask, limits=self.limits, asked=self._count)

    def _count(self, again: bool) -> None:
        self.counters.requests += 1
        self.counters.retries += again

    def _full(self, key: str) -> str:
        return "/".join(part for part in (self.prefix, key) if part)

    async def _get(self, key: str, max_bytes: int) -> bytes | ReadError | None:
        from zarr.buffer import default_buffer_prototype

        from nz_explorer.store.remote.limited_store import guarded_get

        prototype = default_buffer_prototype()
        full = self._full(key)
        try:
            check_key(key)
            answer = await self._ask(
                key, lambda: guarded_get(self._store, full, prototype, None, max_bytes)
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
        return data

    async def _list(self, prefix: str, limit: int | None) -> Listing | ReadError:
        full = self._full(prefix)
        return await self._names(
            prefix, limit, lambda: self._store.list_dir(full), lambda key: key.rsplit("/", 1)[-1]
        )

    async def _list_below(self, prefix: str, limit: int | None) -> Listing | ReadError:
        full = self._full(prefix)
        stem = f"{full}/" if full else ""
        # a store may take a prefix for the beginning of a name: "a" of "ab/zarr.json"
        return await self._names(
            prefix,
            limit,
            lambda: self._store.list_prefix(stem),
            lambda key: key.removeprefix(stem) if key.startswith(stem) else "",
        )

    async def _names(
        self,
        prefix: str,
        limit: int | None,
        ask: Callable[[], AsyncIterator[str]],
        name_of: Callable[[str], str],
    ) -> Listing | ReadError:
        from nz_explorer.store.remote.limited_store import bounded_names

        async def names() -> Listing:
            found: set[str] = set()
            async with contextlib.aclosing(bounded_names(prefix, ask())) as entries:
                async for entry in entries:
                    if limit is not None and len(found) >= limit:
                        return Listing(tuple(sorted(found)), complete=False)
                    if name := name_of(entry.rstrip("/")):
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
