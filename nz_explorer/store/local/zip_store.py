"""A zarr store of a zip file: with the limits on sizes that `ZipReader` has."""

from __future__ import annotations

import asyncio
import zipfile
from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nz_explorer.store.byte_ranges import bounds
from nz_explorer.store.local.zip_members import open_archive, read_member
from nz_explorer.store.read_only_store import ReadOnlyStore
from nz_explorer.store.reader import MAX_OBJECT_BYTES

if TYPE_CHECKING:
    from zarr.abc.buffer import Buffer, BufferPrototype
    from zarr.abc.store import ByteRequest


class BoundedZipStore(ReadOnlyStore):
    """Reads a zip file as zarr asks for it, and unpacks no more at once than `max_bytes`.

    Parameters
    ----------
    path : Path or str
        The file.
    archive : zipfile.ZipFile, optional
        The same file, open already: reading the directory of a large one takes seconds.

    Raises
    ------
    OSError, zipfile.BadZipFile
        If the file cannot be opened.
    """

    supports_listing = True

    def __init__(self, path: Path | str, archive: zipfile.ZipFile | None = None) -> None:
        super().__init__()
        self.path = Path(path)
        self.max_bytes = MAX_OBJECT_BYTES
        self._archive = archive or open_archive(self.path)[0]

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_archive": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._archive = open_archive(self.path)[0]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, BoundedZipStore) and self.path == other.path

    def __hash__(self) -> int:
        return hash(self.path)

    def __str__(self) -> str:
        return f"zip://{self.path}"

    async def get(
        self, key: str, prototype: BufferPrototype, byte_range: ByteRequest | None = None
    ) -> Buffer | None:
        """Return the value of a key, or a part of it; None where there is none."""
        try:
            info = self._archive.getinfo(key)
        except KeyError:
            return None
        start, stop = bounds(byte_range)
        data = await asyncio.to_thread(
            read_member, self._archive, info, key, self.max_bytes, start=start, stop=stop
        )
        return prototype.buffer.from_bytes(data)

    async def exists(self, key: str) -> bool:
        """Return whether there is a key."""
        try:
            self._archive.getinfo(key)
        except KeyError:
            return False
        return True

    async def getsize(self, key: str) -> int:
        """Return the size of a value as the archive states it, in bytes.

        Raises
        ------
        FileNotFoundError
            If there is no such key.
        """
        try:
            return self._archive.getinfo(key).file_size
        except KeyError as error:
            raise FileNotFoundError(key) from error

    async def list(self) -> AsyncIterator[str]:
        """Yield all keys."""
        for key in self._archive.namelist():
            yield key

    async def list_prefix(self, prefix: str) -> AsyncIterator[str]:
        """Yield the keys that begin with a prefix."""
        for key in self._archive.namelist():
            if key.startswith(prefix):
                yield key

    async def list_dir(self, prefix: str) -> AsyncIterator[str]:
        """Yield the names directly below a prefix."""
        stem = f"{prefix.rstrip('/')}/" if prefix.strip("/") else ""
        below = (key[len(stem) :] for key in self._archive.namelist() if key.startswith(stem))
        for name in dict.fromkeys(rest.partition("/")[0] for rest in below):
            if name:
                yield name
