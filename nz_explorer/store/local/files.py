"""Files of a folder: read as far as links allow, and up to a size limit."""

from __future__ import annotations

import errno
import os
from pathlib import Path

from nz_explorer.store.errors import TooLarge
from nz_explorer.store.local.links import Links

_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
# A pipe is not waited for.
_FLAGS = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)
FIRST_READ = 65536
"""Bytes that are asked for before the size is: metadata documents are small, so this is one system call."""


class Files:
    """Reads the files of a folder.

    Parameters
    ----------
    folder : Path
        The root of the store.
    follow_links : bool
        Whether symbolic links are followed out of the folder.
    """

    def __init__(self, folder: Path, *, follow_links: bool = False) -> None:
        self.base = str(folder)
        self.links = None if follow_links else Links(self.base)

    def read(self, key: str, max_bytes: int) -> bytes:
        """Return all bytes of a file.

        Parameters
        ----------
        key : str
            Path of the file below the root, with ``/`` between its parts.
        max_bytes : int
            The most that it may hold.

        Raises
        ------
        TooLarge
            If there are more than `max_bytes`.
        ReadError
            If a link leads out of the folder.
        OSError
            If there is no such file, or it cannot be read.
        """
        descriptor = self._open(key)
        try:
            data = os.read(descriptor, min(FIRST_READ, max_bytes + 1))
            if len(data) < FIRST_READ and len(data) <= max_bytes:
                return data
            size = os.fstat(descriptor).st_size
            if size > max_bytes:
                raise TooLarge(key, max_bytes, size)
            # All of it at once, so that hundreds of megabytes need not be put together from parts.
            os.lseek(descriptor, 0, os.SEEK_SET)
            return _read_up_to(descriptor, key, max(size, FIRST_READ), max_bytes)
        finally:
            os.close(descriptor)

    def read_part(self, key: str, start: int, stop: int | None, max_bytes: int) -> bytes:
        """Return a part of a file; as `read` otherwise.

        Parameters
        ----------
        key : str
            The file.
        start : int
            Its first byte; counted from the end where it is negative.
        stop : int or None
            The byte behind its last one, None for the end of the file. A file may end before.
        max_bytes : int
            The most that the part may hold.

        Raises
        ------
        TooLarge
            If the part has more than `max_bytes`.
        """
        descriptor = self._open(key)
        try:
            size = os.fstat(descriptor).st_size
            first = max(0, size + start) if start < 0 else start
            last = size if stop is None else min(stop, size)
            if last - first > max_bytes:
                raise TooLarge(key, max_bytes, last - first)
            os.lseek(descriptor, first, os.SEEK_SET)
            parts, left = [], last - first
            while left > 0 and (data := os.read(descriptor, left)):
                parts.append(data)
                left -= len(data)
            return b"".join(parts)
        finally:
            os.close(descriptor)

    def size(self, key: str) -> int:
        """Return the size of a file; raises as `read` does."""
        descriptor = self._open(key)
        try:
            return os.fstat(descriptor).st_size
        finally:
            os.close(descriptor)

    def is_file(self, key: str) -> bool:
        """Return whether there is such a file.

        Raises
        ------
        ReadError
            If a link leads out of the folder, whatever is there.
        """
        if self.links is not None:
            self.links.check(key)
        return Path(f"{self.base}/{key}").is_file()

    def _open(self, key: str) -> int:
        path = f"{self.base}/{key}"
        if self.links is None:
            return os.open(path, _FLAGS)
        self.links.check_folder(key)
        if not _NO_LINK:
            self.links.check_one(key, key)
        try:
            return os.open(path, _FLAGS | _NO_LINK)
        except OSError as error:
            if error.errno != errno.ELOOP:
                raise
        self.links.check_one(key, key)
        return os.open(path, _FLAGS)


def _read_up_to(descriptor: int, key: str, size: int, max_bytes: int) -> bytes:
    """Read to the end of a file; it may have grown since its size was asked for."""
    parts: list[bytes] = []
    much = 0
    while data := os.read(descriptor, min(max(size - much, FIRST_READ), max_bytes + 1 - much)):
        parts.append(data)
        much += len(data)
        if much > max_bytes:
            raise TooLarge(key, max_bytes)
    return b"".join(parts)
