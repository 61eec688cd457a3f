"""Stores in a local folder, read without an event loop: that alone costs ten times the reads."""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from nz_explorer.store.cancellation import Cancellation
from nz_explorer.store.errors import ReadError
from nz_explorer.store.reader import MAX_DOCUMENT_BYTES, Listing, Reader, check_key

if TYPE_CHECKING:
    from zarr.abc.store import Store


def _os_error(key: str, error: OSError) -> ReadError:
    reason = "denied" if isinstance(error, PermissionError) else "os"
    return ReadError(key, reason, error.strerror or str(error))


class FolderReader(Reader):
    """Reads a folder of the local file system."""

    def __init__(self, folder: Path, *, label: str | None = None) -> None:
        super().__init__(label or str(folder), "folder", url=folder.as_uri())
        self.folder = folder
        self._base = str(folder)

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
        # One read of a guessed size: metadata documents are small, so this is one system call.
        descriptor = os.open(f"{self._base}/{key}", os.O_RDONLY | getattr(os, "O_BINARY", 0))
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
        if limit is None:
            return Listing(tuple(sorted(os.listdir(where))))
        with os.scandir(where) as entries:
            names = [entry.name for entry in islice(entries, limit)]
            complete = len(names) < limit or next(entries, None) is None
        return Listing(tuple(sorted(names)), complete)

    def open_zarr_store(self) -> Store:
        """Open the store for zarr, read-only."""
        from zarr.storage import LocalStore

        return LocalStore(self.folder, read_only=True)
