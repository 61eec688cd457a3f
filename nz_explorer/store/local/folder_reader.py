"""Stores in a local folder."""

from __future__ import annotations

import os
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from nz_explorer.store.local.files import Files
from nz_explorer.store.local.local_reader import LocalReader
from nz_explorer.store.reader import Listing, Packaging, check_key

if TYPE_CHECKING:
    from zarr.abc.store import Store


class FolderReader(LocalReader):
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
        self.follow_links = follow_links
        self._files = Files(folder, follow_links=follow_links)
        self._links = self._files.links

    def renew(self) -> int:
        """Begin a generation; see `Reader.renew`."""
        self._files = Files(self.folder, follow_links=self.follow_links)
        self._links = self._files.links  # a folder may be a link by now
        return super().renew()

    @property
    def packaging(self) -> Packaging:
        """Whether the folder is called like a zip file."""
        return Packaging(folder_called_zip=self.folder.suffix.lower() == ".zip")

    def _read(self, key: str, limit: int) -> bytes:
        check_key(key)
        return self._files.read(key, limit)

    def _list(self, prefix: str, limit: int | None) -> Listing:
        if prefix:
            check_key(prefix)
            if self._links is not None:
                self._links.check(prefix, file=False)
        where = f"{self._base}/{prefix}" if prefix else self._base
        with os.scandir(where) as entries:
            found = list(islice(entries, limit))
            complete = limit is None or len(found) < limit or next(entries, None) is None
        if self._links is not None and complete:
            self._links.listed(prefix, [entry.name for entry in found if entry.is_symlink()])
        # What is a link is looked at when it is read.
        files = frozenset([e.name for e in found if e.is_file(follow_symlinks=False)])
        folders = (
            frozenset([e.name for e in found if e.is_dir(follow_symlinks=False)])
            if len(files) < len(found)
            else frozenset()
        )
        return Listing(tuple(sorted([entry.name for entry in found])), complete, files, folders)

    def open_zarr_store(self) -> Store:
        """Open the store for zarr, read-only."""
        from nz_explorer.store.local.contained_store import ContainedStore

        return ContainedStore(self.folder, follow_links=self.follow_links)
