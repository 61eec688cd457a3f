"""A zarr store around any other: no read takes more than its size limit, no listing has no end."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING, Any

from zarr.abc.store import Store
from zarr.buffer import default_buffer_prototype
from zarr.storage import WrapperStore

from nz_explorer.store.byte_ranges import bounds
from nz_explorer.store.errors import ReadError, TooLarge
from nz_explorer.store.read_only_store import BoundedStore
from nz_explorer.store.reader import MAX_NAMES, MAX_OBJECT_BYTES
from nz_explorer.store.remote.retry import progress

if TYPE_CHECKING:
    from zarr.abc.buffer import Buffer, BufferPrototype
    from zarr.abc.store import ByteRequest

MAX_NAMES_LENGTH = 256 * 1024 * 1024
"""Characters of the names of a listing, taken together."""
MAX_NAME = 4096
"""Characters of a name, or of a key; no file system and no object store takes that many."""
_PIECE = 1024 * 1024


async def guarded_get(
    store: Store, key: str, prototype: BufferPrototype, part: ByteRequest | None, max_bytes: int
) -> Buffer | None:
    """Return the value of a key of any zarr store, or a part of it; None where there is none.

    Stores over HTTP and S3 are cut at the limit while they send. Object stores give the size before they send.
    Of any other store the limit is looked at afterwards, unless it was asked for a part of known length.

    Parameters
    ----------
    store : Store
        The store.
    key : str
        Key in the store, such as ``temperature/zarr.json``.
    prototype : BufferPrototype
        Makes the buffer.
    part : ByteRequest or None
        Which bytes; all by default.
    max_bytes : int
        The most bytes that are returned.

    Raises
    ------
    TooLarge
        If there is more than `max_bytes`.
    """
    start, stop = bounds(part)
    most = stop - start if stop is not None else -start if start < 0 else None
    if most is not None and most > max_bytes:
        raise TooLarge(key, max_bytes, most)
    if isinstance(store, BoundedStore):
        data = await store.read(key, start, stop, max_bytes)
        return None if data is None else prototype.buffer.from_bytes(data)
    if most is None and reports_progress(store):
        return await _from_obstore(store, key, prototype, start, max_bytes)
    found = await store.get(key, prototype, part)
    if found is not None and len(found) > max_bytes:
        raise TooLarge(key, max_bytes, len(found))
    return found


def reports_progress(store: Store) -> bool:
    """Whether bytes of a store are seen while they arrive, so that a slow answer is no missing one."""
    return isinstance(store, BoundedStore) or type(store).__name__ == "ObjectStore"


async def _from_obstore(
    store: Any, key: str, prototype: BufferPrototype, start: int, max_bytes: int
) -> Buffer | None:
    import obstore

    try:
        options: Any = {"range": {"offset": start}} if start else {}
        response = await obstore.get_async(store.store, key, options=options)
        first, last = response.range
        if last - first > max_bytes:
            raise TooLarge(key, max_bytes, last - first)
        parts: list[bytes] = []
        much = 0
        async for piece in response.stream(min_chunk_size=_PIECE):
            parts.append(bytes(piece))
            much += len(piece)
            progress(len(piece))
            if much > max_bytes:
                raise TooLarge(key, max_bytes)
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
        return None
    return prototype.buffer.from_bytes(b"".join(parts))


async def bounded_names(prefix: str, names: AsyncIterator[str]) -> AsyncGenerator[str, None]:
    """Pass on the names of a listing.

    Parameters
    ----------
    prefix : str
        What is listed, for the message.
    names : async iterator of str
        The names, as the store sends them.

    Raises
    ------
    ReadError
        If they do not end, or one of them is longer than any name can be.
    """
    seen = length = 0
    # An iterator of Icechunk's cannot be closed.
    close: Any = contextlib.aclosing if hasattr(names, "aclose") else contextlib.nullcontext
    async with close(names):
        async for name in names:
            seen += 1
            length += len(name)
            if seen > MAX_NAMES or length > MAX_NAMES_LENGTH:
                detail = f"the listing is too long; {seen:,} names of it were read"
                raise ReadError(prefix, "too large", detail)
            if len(name) > MAX_NAME:
                detail = f"the listing has a name of {len(name):,} characters"
                raise ReadError(prefix, "too large", detail)
            yield name


class LimitedStore(WrapperStore[Any]):
    """Reads another store, no more at once than `max_bytes`."""

    def __init__(self, store: Store) -> None:
        super().__init__(store)
        self.max_bytes = MAX_OBJECT_BYTES

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (type(self), self._store, self.max_bytes)

    async def get(
        self, key: str, prototype: BufferPrototype, byte_range: ByteRequest | None = None
    ) -> Buffer | None:
        """Return the value of a key, or a part of it; None where there is none."""
        return await guarded_get(self._store, key, prototype, byte_range, self.max_bytes)

    async def get_partial_values(
        self,
        prototype: BufferPrototype,
        key_ranges: Iterable[tuple[str, ByteRequest | None]],
    ) -> list[Buffer | None]:
        """Return parts of the values of some keys."""
        gets = (self.get(key, prototype, part) for key, part in key_ranges)
        return list(await asyncio.gather(*gets))

    async def getsize(self, key: str) -> int:
        """Return the size of a value without reading it, where the store can give it.

        Raises
        ------
        FileNotFoundError
            If there is no such key.
        """
        if type(self._store).getsize is Store.getsize:  # which reads the value
            found = await self.get(key, default_buffer_prototype())
            if found is None:
                raise FileNotFoundError(key)
            return len(found)
        size: int = await self._store.getsize(key)
        return size

    def list(self) -> AsyncIterator[str]:
        """Yield all keys."""
        return self._bounded("", self._store.list)

    def list_prefix(self, prefix: str) -> AsyncIterator[str]:
        """Yield the keys that begin with a prefix."""
        return self._bounded(prefix, partial(self._store.list_prefix, prefix))

    def list_dir(self, prefix: str) -> AsyncIterator[str]:
        """Yield the names directly below a prefix."""
        return self._bounded(prefix, partial(self._store.list_dir, prefix))

    def _bounded(self, prefix: str, ask: Callable[[], AsyncIterator[str]]) -> AsyncIterator[str]:
        return bounded_names(prefix, ask())


def _again(kind: type[LimitedStore], store: Store, max_bytes: int) -> LimitedStore:
    made = kind(store)
    made.max_bytes = max_bytes
    return made
