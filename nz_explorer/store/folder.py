"""Stores in a local folder, read without an event loop: that alone costs ten times the reads."""

from __future__ import annotations

import errno
import os
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from nz_explorer.store.cancellation import Cancellation
from nz_explorer.store.errors import ReadError
from nz_explorer.store.links import Links
from nz_explorer.store.reader import MAX_DOCUMENT_BYTES, Listing, Reader, check_key

if TYPE_CHECKING:
    from zarr.abc.store import Store


def _os_error(key: str, error: OSError) -> ReadError:
    reason = "denied" if isinstance(error, PermissionError) else "os"
    return ReadError(key, reason, error.strerror or str(error))


_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
# A pipe is not waited for.
_FLAGS = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)


class FolderReader(Reader):
    """Reads a folder of the local file system.

    Parameters
    ----------
    folder : Path
        The root of the store.
    label : str, optional
        The source as the user knows it.
    follow_links : bool
        Whether symbolic links are followed out of the store.
    """

    def __init__(
        self, folder: Path, *, label: str | None = None, follow_links: bool = False
    ) -> None:
        super().__init__(label or str(folder), "folder", url=folder.as_uri())
        self.folder = folder
        self._base = str(folder)
        self._links = None if follow_links else Links(self._base)

    def get_many(
        self, keys: Sequence[str], cancel: Cancellation | None = None
    ) -> list[bytes | ReadError | None]:
        """Return the bytes of each key; see `Reader.get_many`."""
        counters = self.counters
        counters.round_trips += 1
        answers: list[bytes | ReadError | None] = []
        for key in keys:
            if cancel is not None:
                cancel.check()
            counters.requests += 1
            try:
                answer = self._read(key)
            except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
                answers.append(None)
            except OSError as error:
                answers.append(_os_error(key, error))
            except ReadError as error:
                answers.append(error)
            else:
                counters.bytes += len(answer)
                answers.append(answer)
        return answers

    def _read(self, key: str) -> bytes:
        check_key(key)
        if self._links is not None:
            self._links.check_folder(key)
        descriptor = self._open(key)
        # One read of a guessed size: metadata documents are small, so this is one system call.
        try:
            data = os.read(descriptor, 16384)
            if len(data) < 16384:
                return data
            size = os.fstat(descriptor).st_size
            if size > MAX_DOCUMENT_BYTES:
                raise ReadError(key, "too large", f"{size} bytes are more than a document may have")
            # All of it at once, so that hundreds of megabytes need not be put together from parts.
            os.lseek(descriptor, 0, os.SEEK_SET)
            parts: list[bytes] = []
            while data := os.read(descriptor, max(size, 16384)):
                parts.append(data)
            return b"".join(parts)
        finally:
            os.close(descriptor)

    def _open(self, key: str) -> int:
        path = f"{self._base}/{key}"
        if self._links is not None and not hasattr(os, "O_NOFOLLOW"):
            self._links.check_one(key, key)
        try:
            return os.open(path, _FLAGS | (_NO_LINK if self._links is not None else 0))
        except OSError as error:
            if error.errno != errno.ELOOP or self._links is None:
                raise
        self._links.check_one(key, key)
        return os.open(path, _FLAGS)

    def list_many(
        self, prefixes: Sequence[str], cancel: Cancellation | None = None, limit: int | None = None
    ) -> list[Listing | ReadError]:
        """Return the names below each prefix; see `Reader.list_many`."""
        counters = self.counters
        counters.round_trips += 1
        answers: list[Listing | ReadError] = []
        for prefix in prefixes:
            if cancel is not None:
                cancel.check()
            counters.requests += 1
            try:
                if prefix:
                    check_key(prefix)
                    if self._links is not None:
                        self._links.check(prefix, file=False)
                answers.append(self._list(prefix, limit))
            except (FileNotFoundError, NotADirectoryError):
                answers.append(Listing(()))
            except OSError as error:
                answers.append(_os_error(prefix, error))
            except ReadError as error:
                answers.append(error)
        return answers

    def _list(self, prefix: str, limit: int | None) -> Listing:
        where = f"{self._base}/{prefix}" if prefix else self._base
        with os.scandir(where) as entries:
            found = list(islice(entries, limit))
            complete = limit is None or len(found) < limit or next(entries, None) is None
        if self._links is not None and complete:
            self._links.listed(prefix, [entry.name for entry in found if entry.is_symlink()])
        return Listing(tuple(sorted([entry.name for entry in found])), complete)

    def open_zarr_store(self) -> Store:
        """Open the store for zarr, read-only."""
        if self._links is None:
            from zarr.storage import LocalStore

            return LocalStore(self.folder, read_only=True)
        from nz_explorer.store.contained_store import ContainedStore

        return ContainedStore(self.folder, read_only=True)
