"""A zarr store that asks again where it failed for a moment, for the chunks that zarr reads."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import TYPE_CHECKING, Any, TypeVar

from zarr.storage import WrapperStore

from nz_explorer.store.patience import persevere

if TYPE_CHECKING:
    from zarr.abc.store import ByteRequest, Store
    from zarr.core.buffer import Buffer, BufferPrototype

T = TypeVar("T")

CHUNK_TIMEOUT_SECONDS = 60.0
"""Chunks are larger than documents."""
CONCURRENCY = 64
"""Chunks that are asked for at once."""


class PatientStore(WrapperStore[Any]):
    """Reads another store with as much patience as documents are read with.

    What fails for good is raised as `ReadError`.
    """

    def __init__(self, store: Store) -> None:
        super().__init__(store)
        self._slots = asyncio.Semaphore(CONCURRENCY)  # binds to the loop at its first use

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._store,)

    async def get(
        self, key: str, prototype: BufferPrototype, byte_range: ByteRequest | None = None
    ) -> Buffer | None:
        """Return the value of a key, or a part of it; None where there is none."""
        return await self._ask(key, lambda: self._store.get(key, prototype, byte_range))

    async def get_partial_values(
        self,
        prototype: BufferPrototype,
        key_ranges: Iterable[tuple[str, ByteRequest | None]],
    ) -> list[Buffer | None]:
        """Return parts of the values of some keys."""
        wanted = list(key_ranges)
        gets = (self.get(key, prototype, part) for key, part in wanted)
        return list(await asyncio.gather(*gets))

    async def getsize(self, key: str) -> int:
        """Return the size of a chunk without reading it, where the store can tell."""
        size: int = await self._store.getsize(key)
        return size

    async def exists(self, key: str) -> bool:
        """Return whether there is a key."""
        return bool(await self._ask(key, lambda: self._store.exists(key)))

    async def _ask(self, key: str, ask: Callable[[], Awaitable[T]]) -> T | None:
        async with self._slots:
            try:
                return await persevere(key, ask, seconds=CHUNK_TIMEOUT_SECONDS)
            except FileNotFoundError:
                return None
