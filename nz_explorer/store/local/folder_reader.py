"""Stores in a local folder."""

from __future__ import annotations

import os
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from nz_explorer.store.local.above import hint, node_above
from nz_explorer.store.local.files import Files
from nz_explorer.store.local.local_reader import LocalReader
from nz_explorer.store.reader import Listing, Packaging

if TYPE_CHECKING:
    from zarr.abc.store import Store


FEW = 4
"""Files of a folder without folders up to which its listing is kept for others that hold the same."""
MOST_KEPT = 1000


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
        self._of_files: dict[tuple[str, ...], Listing] = {}

    def renew(self) -> int:
        """Begin a generation; see `Reader.renew`."""
        self._files = Files(self.folder, follow_links=self.follow_links)
        self._links = self._files.links  # a folder may be a link by now
        self.__dict__.pop("packaging", None)
        return super().renew()

    @cached_property
    def packaging(self) -> Packaging:
        """Whether the folder is called like a zip file, and lies in a group; looked at once in a generation."""
        above = node_above(self.folder)
        group = above is not None and above.kind == "group" and above.folder == self.folder.parent
        return Packaging(
            lies_in=hint(self.folder),
            group_above=str(self.folder.parent) if group else "",
            folder_called_zip=self.folder.suffix.lower() == ".zip",
        )

    def _read(self, key: str, limit: int) -> bytes:
        return self._files.read(key, limit)

    def _list(self, prefix: str, limit: int | None) -> Listing:
        """Return the names below a prefix; see `LocalReader`. Folders that hold the same share what is said of them."""
        if prefix and self._links is not None:
            self._links.check(prefix, file=False)
        where = f"{self._base}/{prefix}" if prefix else self._base
        with os.scandir(where) as entries:
            found = list(islice(entries, limit))
            complete = limit is None or len(found) < limit or next(entries, None) is None
        if complete and len(found) == 1 and found[0].is_file(follow_symlinks=False):
            # as in the folder of an array without chunks
            names: tuple[str, ...] = (found[0].name,)
            return self._of_files.get(names) or self._files_alone(names)
        # What is a link is looked at when it is read.
        kinds = [(e.name, e.is_file(follow_symlinks=False)) for e in found]
        if len(kinds) <= FEW and complete and all(is_file for _, is_file in kinds):
            # nothing lies below, and no link is among them
            names = tuple(sorted([name for name, _ in kinds]))
            return self._of_files.get(names) or self._files_alone(names)
        if self._links is not None and complete:
            self._links.listed(prefix, [entry.name for entry in found if entry.is_symlink()])
        files = frozenset([name for name, is_file in kinds if is_file])
        folders = (
            frozenset([e.name for e in found if e.is_dir(follow_symlinks=False)])
            if len(files) < len(found)
            else frozenset()
        )
        return Listing(tuple(sorted([entry.name for entry in found])), complete, files, folders)

    def _files_alone(self, names: tuple[str, ...]) -> Listing:
        """Return the listing of a folder that holds some files and nothing else."""
        listing = Listing(names, files=frozenset(names))
        if len(self._of_files) < MOST_KEPT:
            self._of_files[names] = listing
        return listing

    def open_zarr_store(self) -> Store:
        """Open the store for zarr, read-only."""
        from nz_explorer.store.local.contained_store import ContainedStore

        return ContainedStore(self.folder, follow_links=self.follow_links)
