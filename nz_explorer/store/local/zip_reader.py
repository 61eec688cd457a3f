"""Stores in a zip file."""

from __future__ import annotations

import zipfile
from collections import Counter
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from nz_explorer.store.errors import SourceError
from nz_explorer.store.local.local_reader import LocalReader
from nz_explorer.store.local.zip_members import BROKEN, open_archive, read_member
from nz_explorer.store.reader import MOST_ODD_NAMES, Listing, Packaging, is_key, odd_names

if TYPE_CHECKING:
    from zarr.abc.store import Store

_LEFT_BY_MACOS = frozenset(("__MACOSX", ".DS_Store"))
ROOT_DOCUMENTS = ("zarr.json", ".zgroup", ".zarray", ".zmetadata", ".nczarr", ".zattrs")


class ZipReader(LocalReader):
    """Reads a zip file, from its single top folder where the root has no document of its own.

    Raises
    ------
    SourceError
        If the file is no zip file, or a broken one.
    """

    def __init__(self, file: Path, *, label: str | None = None, prefix: str | None = None) -> None:
        self.file = file
        self._finds_prefix = prefix is None
        self._zip, self._close = _open(file)
        names = _keys_in(self._zip)
        self._odd = odd_names(self._zip.namelist())
        super().__init__(
            label or str(file),
            "zip file",
            prefix=_top_folder(names) if prefix is None else prefix.strip("/"),
            url=file.absolute().as_uri(),
        )
        self._take(names)

    def _take(self, names: list[str]) -> None:
        self._levels = _levels(names)
        self._repeated = _repeated(names)
        holding = [name for name in names if name in self._levels]
        self._holding = tuple(islice(holding, MOST_ODD_NAMES))

    def renew(self) -> int:
        """Open the file again, which may have been replaced by now; see `Reader.renew`."""
        found, close = _open(self.file)
        names = _keys_in(found)
        self._odd = odd_names(found.namelist())
        # Whoever is reading from the one before goes on; it is closed with the last of them.
        if self._finds_prefix:
            self.prefix = _top_folder(names)
        self._zip, self._close = found, close
        self._take(names)
        return super().renew()

    @property
    def packaging(self) -> Packaging:
        """Whether all is in one top folder, and which names occur more than once, are no keys, or are folders, too."""
        top = self.prefix if self._finds_prefix else ""
        return Packaging(
            top, repeated=self._repeated, odd_names=self._odd, holding_names=self._holding
        )

    def _read(self, key: str, limit: int) -> bytes:
        archive = self._zip
        try:
            info = archive.getinfo(f"{self.prefix}/{key}" if self.prefix else key)
        except KeyError as error:
            raise FileNotFoundError(key) from error
        return read_member(archive, info, key, limit)

    def _list(self, prefix: str, limit: int | None) -> Listing:
        where = "/".join(part for part in (self.prefix, prefix) if part)
        names = sorted(self._levels.get(where, ()))
        complete = limit is None or len(names) <= limit
        names = names if complete else names[:limit]
        stem = f"{where}/" if where else ""
        stored = frozenset(name for name in names if stem + name in self._zip.NameToInfo)
        holding = frozenset(name for name in names if stem + name in self._levels)
        # what is neither is a folder without anything in it; what is both may hold nodes
        return Listing(
            tuple(names), complete, files=stored - holding, folders=frozenset(names) - stored
        )

    def open_zarr_store(self) -> Store:
        """Open the store for zarr, read-only."""
        from nz_explorer.store.local.zip_store import BoundedZipStore

        return BoundedZipStore(self.file, self._zip)

    def close(self) -> None:
        """Close the file."""
        super().close()
        self._close()


def _open(file: Path) -> tuple[zipfile.ZipFile, Callable[[], object]]:
    try:
        return open_archive(file)
    except BROKEN as error:
        raise SourceError(f"{file} is not a readable zip file: {_why(file, error)}") from error
    except OSError as error:
        raise SourceError(f"could not open {file}: {error.strerror or error}") from error


def _why(file: Path, error: Exception) -> str:
    with file.open("rb") as opened:
        beginning = opened.read(4)
    if not beginning:
        return "it is empty"
    if beginning != b"PK\x03\x04" or "not a zip" not in str(error):
        return str(error)
    return (
        "its end is missing, with the directory of what is in it: it was not closed, as a ZipStore must be, or copied only"
        f" in part; zip -FF {file.name} --out repaired.zip saves what is there"
    )


def _keys_in(archive: zipfile.ZipFile) -> list[str]:
    """Return the names that are keys: none that would lead out of a folder.

    Those with a backslash are listed, so that they are reported, but not read.
    """
    return [name for name in archive.namelist() if is_key(name)]


def _repeated(names: list[str]) -> dict[str, int]:
    if len(set(names)) == len(names):
        return {}
    return {name: number for name, number in Counter(names).items() if number > 1}


def _top_folder(names: list[str]) -> str:
    tops = {name.split("/", 1)[0] for name in names} - _LEFT_BY_MACOS
    if len(tops) != 1:
        return ""
    (top,) = tops
    return top if top not in {*ROOT_DOCUMENTS, *names} else ""


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
