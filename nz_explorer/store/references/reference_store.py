"""References as a zarr store."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Iterator
from itertools import islice

from nz_explorer.store.errors import TooLarge
from nz_explorer.store.read_only_store import BoundedStore
from nz_explorer.store.reader import MAX_NAMES, MAX_OBJECT_BYTES
from nz_explorer.store.references.reference_set import ParquetReferences, ReferenceSet, Target
from nz_explorer.store.references.targets import Targets


class ReferenceStore(BoundedStore):
    """Reads the parts of files that references lead to.

    Parameters
    ----------
    references : ReferenceSet
        What each key stands for.
    targets : Targets
        Reads it.
    """

    supports_listing = True

    def __init__(self, references: ReferenceSet, targets: Targets) -> None:
        super().__init__()
        self.references = references
        self.targets = targets

    async def find(self, key: str) -> bytes | Target | None:
        """Return the bytes of a key or where they are; None where there is no such key."""
        if isinstance(self.references, ParquetReferences):  # which may have to read a file first
            return await asyncio.to_thread(self.references.find, key)
        return self.references.find(key)

    async def read(self, key: str, start: int, stop: int | None, max_bytes: int) -> bytes | None:
        """Return the bytes of a key, None where there is none; see `BoundedStore.read`."""
        found = await self.find(key)
        if found is None:
            return None
        if isinstance(found, bytes):
            part = found[start:stop]
            if len(part) > max_bytes:
                raise TooLarge(key, max_bytes, len(part))
            return part
        if found.length is None:
            return (await self.targets.read(key, found, max_bytes))[start:stop]
        first, last, _ = slice(start, stop).indices(found.length)
        wanted = Target(found.url, found.start + first, max(0, last - first))
        if (wanted.length or 0) > max_bytes:
            raise TooLarge(key, max_bytes, wanted.length)
        return await self.targets.read(key, wanted, max_bytes)

    async def exists(self, key: str) -> bool:
        """Return whether there is a key; what it leads to is not looked at."""
        return await self.find(key) is not None

    async def getsize(self, key: str) -> int:
        """Return the size of a value, without reading it where the reference gives it.

        Raises
        ------
        FileNotFoundError
            If there is no such key.
        """
        found = await self.find(key)
        if isinstance(found, Target) and found.length is not None:
            return found.length
        data = await self.read(key, 0, None, MAX_OBJECT_BYTES)
        if data is None:
            raise FileNotFoundError(key)
        return len(data)

    async def list(self) -> AsyncIterator[str]:
        """Yield all keys."""
        for key in await self._few(self.references.below("")):
            yield key

    async def list_prefix(self, prefix: str) -> AsyncIterator[str]:
        """Yield all keys that begin with a prefix."""
        for key in await self._few(self.references.below(prefix)):
            yield key

    async def list_dir(self, prefix: str) -> AsyncIterator[str]:
        """Yield the names directly below a prefix."""
        for name in await self._few(self.references.names(prefix.strip("/"))):
            yield name

    async def _few(self, names: Iterator[str]) -> Iterable[str]:
        """Return names; those of Parquet files, which are read for it, no more than a listing may have."""
        if isinstance(self.references, ParquetReferences):
            return await asyncio.to_thread(lambda: [*islice(names, MAX_NAMES + 1)])
        return names

    def close(self) -> None:
        """Close connections."""
        super().close()
        self.targets.close()

    def __eq__(self, other: object) -> bool:
        return self is other

    def __hash__(self) -> int:
        return id(self)

    def __str__(self) -> str:
        return "references"
