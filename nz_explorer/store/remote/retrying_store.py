"""A zarr store that asks again where it failed for a moment, for the chunks that zarr reads."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

from nz_explorer.store.remote.limited_store import LimitedStore, bounded_names, reports_progress
from nz_explorer.store.remote.retry import RetryLimits, retry_async

if TYPE_CHECKING:
    from zarr.abc.buffer import Buffer, BufferPrototype
    from zarr.abc.store import ByteRequest, Store

T = TypeVar("T")

CHUNK_TIMEOUT_SECONDS = 60.0
"""Chunks are larger than documents, and most stores do not report how much of one has arrived."""
CONCURRENCY = 64
"""Chunks that are asked for at once."""


class RetryingStore(LimitedStore):
    """Reads another store with the same retries and time limits as documents; each read is at most `max_bytes`.

    What fails for good is raised as `ReadError`.

    Parameters
    ----------
    store : Store
        The other store.
    limits : RetryLimits, optional
        How long it is waited for, shared with whoever else reads it.
    """

    def __init__(self, store: Store, limits: RetryLimits | None = None) -> None:
        super().__init__(store)
        self._limits = limits or RetryLimits()
        self._slots = asyncio.Semaphore(CONCURRENCY)  # binds to the loop at its first use

    async def get(
        self, key: str, prototype: BufferPrototype, byte_range: ByteRequest | None = None
    ) -> Buffer | None:
        """Return the value of a key, or a part of it; None where there is none."""
        return await self._ask(
            key, lambda: super(RetryingStore, self).get(key, prototype, byte_range)
        )

    async def getsize(self, key: str) -> int:
        """Return the size of a chunk without reading it, where the store can give it.

        Raises
        ------
        FileNotFoundError
            If there is no such key.
        """
        size = await self._ask(key, lambda: super(RetryingStore, self).getsize(key))
        if size is None:
            raise FileNotFoundError(key)
        return size

    async def exists(self, key: str) -> bool:
        """Return whether there is a key."""
        return bool(await self._ask(key, lambda: self._store.exists(key)))

    async def _bounded(
        self, prefix: str, ask: Callable[[], AsyncIterator[str]]
    ) -> AsyncIterator[str]:
        async def names() -> Sequence[str]:
            return [name async for name in bounded_names(prefix, ask())]

        for name in await self._ask(prefix, names) or ():
            yield name

    async def _ask(self, key: str, ask: Callable[[], Awaitable[T]]) -> T | None:
        seconds = None if reports_progress(self._store) else CHUNK_TIMEOUT_SECONDS
        async with self._slots:
            try:
                return await retry_async(key, ask, limits=self._limits, seconds=seconds)
            except FileNotFoundError:
                return None
