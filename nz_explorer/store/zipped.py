"""Stores in a zip file."""

from __future__ import annotations

import lzma
import struct
import weakref
import zipfile
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from nz_explorer.store.cancellation import Cancellation
from nz_explorer.store.errors import ReadError, SourceError
from nz_explorer.store.reader import MAX_DOCUMENT_BYTES, Listing, Reader, check_key, is_safe

if TYPE_CHECKING:
    from zarr.abc.store import Store

_BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    EOFError,
    NotImplementedError,
    RuntimeError,
    ValueError,
)
"""What Python raises for an archive that is damaged, or made to look like one."""
ROOT_DOCUMENTS = ("zarr.json", ".zgroup", ".zarray", ".zmetadata", ".nczarr", ".zattrs")


class ZipReader(Reader):
    """Reads a zip file, from its single top folder where the root has no document of its own.

    Raises
    ------
    SourceError
        If the file is no zip file, or a broken one.
    """

    def __init__(self, file: Path, *, label: str | None = None) -> None:
        try:
            self._zip = zipfile.ZipFile(file)
        except _BROKEN as error:
            raise SourceError(f"{file} is not a readable zip file: {error}") from error
        except OSError as error:
            raise SourceError(f"could not open {file}: {error.strerror or error}") from error
        # Also for a reader that nobody closes: the file must not outlive it.
        self._finalizer = weakref.finalize(self, self._zip.close)
        self.file = file
        # Names that would lead out of a folder are no keys. Those with a backslash are listed, to be told of, and not read.
        names = [
            name
            for name in self._zip.namelist()
            if is_safe(name.removesuffix("/").replace("\\", "_"))
        ]
        super().__init__(
            label or str(file), "zip file", prefix=_top_folder(names), url=file.as_uri()
        )
        self._levels = _levels(names)

    def get_many(
        self, keys: Sequence[str], cancel: Cancellation | None = None
    ) -> list[bytes | ReadError | None]:
        """Return the bytes of each key; see `Reader.get_many`."""
        self.counters.round_trips += 1
        answers: list[bytes | ReadError | None] = []
        for key in keys:
            if cancel is not None:
                cancel.check()
            self.counters.requests += 1
            answers.append(self._read(key))
        return answers

    def _read(self, key: str) -> bytes | ReadError | None:
        try:
            check_key(key)
            info = self._zip.getinfo(f"{self.prefix}/{key}" if self.prefix else key)
        except ReadError as error:
            return error
        except KeyError:
            return None
        if info.file_size > MAX_DOCUMENT_BYTES:
            return ReadError(key, "too large", f"it would unpack to {info.file_size} bytes")
        try:
            # `read(n)` stops at n bytes even where the archive lies about the size.
            with self._zip.open(info) as member:
                data = member.read(MAX_DOCUMENT_BYTES)
        except _BROKEN as error:
            return ReadError(key, "corrupt", f"the zip file is damaged here: {error}")
        except OSError as error:
            return ReadError(key, "os", error.strerror or str(error))
        self.counters.bytes += len(data)
        return data

    def list_many(
        self, prefixes: Sequence[str], cancel: Cancellation | None = None, limit: int | None = None
    ) -> list[Listing | ReadError]:
        """Return the names below each prefix; see `Reader.list_many`."""
        self.counters.round_trips += 1
        answers: list[Listing | ReadError] = []
        for prefix in prefixes:
            if cancel is not None:
                cancel.check()
            self.counters.requests += 1
            where = "/".join(part for part in (self.prefix, prefix) if part)
            names = sorted(self._levels.get(where, ()))
            complete = limit is None or len(names) <= limit
            answers.append(Listing(tuple(names if complete else names[:limit]), complete))
        return answers

    def open_zarr_store(self) -> Store:
        """Open the store for zarr, read-only."""
        from zarr.core.sync import sync
        from zarr.storage import ZipStore

        # One that was not opened fails at its first read.
        return sync(ZipStore.open(self.file, mode="r", read_only=True))

    def close(self) -> None:
        """Close the file."""
        super().close()
        self._finalizer()


def _top_folder(names: list[str]) -> str:
    tops = {name.split("/", 1)[0] for name in names if not name.startswith("__MACOSX/")}
    if len(tops) != 1:
        return ""
    (top,) = tops
    return top if not set(ROOT_DOCUMENTS) & tops else ""


def _levels(names: list[str]) -> dict[str, set[str]]:
    levels: dict[str, set[str]] = {}
    for name in names:
        parts = name.rstrip("/").split("/")
        for depth in range(len(parts), 0, -1):
            level = levels.setdefault("/".join(parts[: depth - 1]), set())
            if parts[depth - 1] in level:
                break
            level.add(parts[depth - 1])
    return levels
