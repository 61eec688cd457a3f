"""A zarr store of a folder: with the limits on sizes and links that `FolderReader` has."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from zarr.buffer import default_buffer_prototype
from zarr.storage import LocalStore

from nz_explorer.store.byte_ranges import bounds
from nz_explorer.store.errors import ReadError
from nz_explorer.store.local.files import Files
from nz_explorer.store.reader import MAX_OBJECT_BYTES, is_safe

T = TypeVar("T")
_ABSENT = (FileNotFoundError, IsADirectoryError, NotADirectoryError)


class ContainedStore(LocalStore):
    """Reads a folder as zarr asks for it, no more at once than `max_bytes`, and follows links according to `Links`.

    Parameters
    ----------
    root : Path or str
        The folder.
    read_only : bool
        Must be True: for writing, the folder itself is opened.
    follow_links : bool
        Whether symbolic links are followed out of the folder.
    """

    def __init__(
        self, root: Path | str, *, read_only: bool = True, follow_links: bool = False
    ) -> None:
        if not read_only:
            raise ValueError("this store is for reading; to write, open the folder itself")
        super().__init__(root, read_only=True)
        self.max_bytes = MAX_OBJECT_BYTES
        self._files = Files(self.root, follow_links=follow_links)

    def get_sync(self, key: str, *, prototype: Any = None, byte_range: Any = None) -> Any:
        """Return the value of a key, or a part of it; None where there is none.

        Parameters
        ----------
        key : str
            Key in the store, such as ``temperature/zarr.json``.
        prototype : object, optional
            Makes the buffer.
        byte_range : object, optional
            Which bytes; all by default.
        """
        make = (prototype or default_buffer_prototype()).buffer.from_bytes
        try:
            return make(self._read(key, byte_range))
        except _ABSENT:
            return None

    async def get(self, key: str, prototype: Any = None, byte_range: Any = None) -> Any:
        """Return the value of a key, or a part of it; None where there is none."""
        return await asyncio.to_thread(
            self.get_sync, key, prototype=prototype, byte_range=byte_range
        )

    async def get_partial_values(self, prototype: Any, key_ranges: Iterable[Any]) -> Any:
        """Return parts of the values of some keys."""
        wanted = list(key_ranges)
        return list(await asyncio.gather(*(self.get(key, prototype, part) for key, part in wanted)))

    async def exists(self, key: str) -> bool:
        """Return whether there is a key; raises `ReadError` where a link leads out of the store."""
        _refuse_unsafe(key)
        return await asyncio.to_thread(self._files.is_file, key)

    async def getsize(self, key: str) -> int:
        """Return the size of a value, in bytes."""
        _refuse_unsafe(key)
        return await asyncio.to_thread(self._files.size, key)

    async def list(self) -> AsyncIterator[str]:
        """Yield all keys; folders and files elsewhere are left out."""
        async for key in self.list_prefix(""):
            yield key

    async def list_prefix(self, prefix: str) -> AsyncIterator[str]:
        """Yield the keys below a folder; folders and files elsewhere are left out."""
        folders = [prefix.strip("/")]
        while folders:
            folder = folders.pop()
            for name, is_folder in await asyncio.to_thread(self._entries, folder):
                key = f"{folder}/{name}" if folder else name
                if is_folder:
                    folders.append(key)
                else:
                    yield key

    async def list_dir(self, prefix: str) -> AsyncIterator[str]:
        """Yield the names in a folder; raises `ReadError` where a link leads out of the store."""
        folder = prefix.strip("/")
        for name in await asyncio.to_thread(self._names, folder):
            yield name

    def _read(self, key: str, part: Any) -> bytes:
        _refuse_unsafe(key)
        if part is None:
            return self._files.read(key, self.max_bytes)
        return self._files.read_part(key, *bounds(part), self.max_bytes)

    def _names(self, folder: str) -> Iterable[str]:
        return self._listed(folder, os.listdir)

    def _entries(self, folder: str) -> Iterable[tuple[str, bool]]:
        """Return the names in a folder that are not elsewhere, and whether they are folders."""
        found = []
        for entry in self._listed(folder, lambda place: tuple(os.scandir(place))):
            key = f"{folder}/{entry.name}" if folder else entry.name
            if self._files.links is not None and entry.is_symlink():
                try:
                    self._files.links.check(key, file=not entry.is_dir())
                except ReadError:
                    continue
            if entry.is_dir() or entry.is_file():
                found.append((entry.name, entry.is_dir()))
        return found

    def _listed(self, folder: str, ask: Callable[[str], Sequence[T]]) -> Sequence[T]:
        if folder:
            _refuse_unsafe(folder)
        if self._files.links is not None and folder:
            self._files.links.check(folder, file=False)
        try:
            return ask(f"{self._files.base}/{folder}" if folder else self._files.base)
        except (FileNotFoundError, NotADirectoryError):
            return []


def _refuse_unsafe(key: str) -> None:
    if not is_safe(key):
        raise ReadError(key, "unsafe key", "the key could lead out of the store")
