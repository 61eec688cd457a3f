"""What the zarr stores of this package have in common: nothing is written through them."""

from __future__ import annotations

import asyncio
from abc import abstractmethod
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from zarr.abc.store import Store

from nz_explorer.store.byte_ranges import bounds
from nz_explorer.store.reader import MAX_OBJECT_BYTES

if TYPE_CHECKING:
    from zarr.abc.buffer import Buffer, BufferPrototype
    from zarr.abc.store import ByteRequest


class ReadOnlyStore(Store):
    """A store that can only be read."""

    supports_writes = False
    supports_deletes = False
    supports_partial_writes = False  # abstract in zarr 3.1.0, and always false in later ones

    def __init__(self) -> None:
        super().__init__(read_only=True)

    async def get_partial_values(
        self,
        prototype: BufferPrototype,
        key_ranges: Iterable[tuple[str, ByteRequest | None]],
    ) -> list[Buffer | None]:
        """Return parts of the values of some keys."""
        gets = (self.get(key, prototype, part) for key, part in key_ranges)
        return list(await asyncio.gather(*gets))

    async def set(self, key: str, value: Buffer) -> None:
        """Refuse to write.

        Raises
        ------
        NotImplementedError
            Always.
        """
        raise NotImplementedError

    async def set_partial_values(self, key_start_values: Iterable[Any]) -> None:
        """Refuse to write; zarr 3.1.0 wants every store to have this.

        Parameters
        ----------
        key_start_values : iterable
            What would be written, and where.

        Raises
        ------
        NotImplementedError
            Always.
        """
        raise NotImplementedError

    async def delete(self, key: str) -> None:
        """Refuse to delete.

        Raises
        ------
        NotImplementedError
            Always.
        """
        raise NotImplementedError


class BoundedStore(ReadOnlyStore):
    """One that stops reading at a limit."""

    async def get(
        self, key: str, prototype: BufferPrototype, byte_range: ByteRequest | None = None
    ) -> Buffer | None:
        """Return the value of a key, or a part of it; None where there is none."""
        data = await self.read(key, *bounds(byte_range), MAX_OBJECT_BYTES)
        return None if data is None else prototype.buffer.from_bytes(data)

    @abstractmethod
    async def read(self, key: str, start: int, stop: int | None, max_bytes: int) -> bytes | None:
        """Return the bytes of a key, None where there is none.

        Parameters
        ----------
        key : str
            The key.
        start : int
            The first byte; counted from the end where it is negative.
        stop : int or None
            The byte behind the last one, None for the end.
        max_bytes : int
            The most that is read.

        Raises
        ------
        TooLarge
            If there is more.
        """
