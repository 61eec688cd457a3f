"""Stores in a local folder, read without an event loop: that alone costs ten times the reads."""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from nz_explorer.store.cancellation import Cancellation
from nz_explorer.store.errors import ReadError
from nz_explorer.store.local.files import Files
from nz_explorer.store.reader import MAX_DOCUMENT_BYTES, Listing, Packaging, Reader, check_key

if TYPE_CHECKING:
    from zarr.abc.store import Store


def _os_error(key: str, error: OSError) -> ReadError:
    reason = "denied" if isinstance(error, PermissionError) else "os"
    return ReadError(key, reason, error.strerror or str(error))


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

    def get_many(
        self,
        keys: Sequence[str],
        cancel: Cancellation | None = None,
        *,
        max_bytes: int | None = None,
    ) -> list[bytes | ReadError | None]:
        """Return the bytes of each key; see `Reader.get_many`.

        Parameters
        ----------
        keys : sequence of str
            What to read.
        cancel : Cancellation, optional
            Ends it early.
        max_bytes : int, optional
            The most bytes that each key may hold; `MAX_DOCUMENT_BYTES` by default.
        """
        limit = MAX_DOCUMENT_BYTES if max_bytes is None else max_bytes
        counters = self.counters
        counters.round_trips += 1
        answers: list[bytes | ReadError | None] = []
        for key in keys:
            if cancel is not None:
                cancel.check()
            counters.requests += 1
            try:
                check_key(key)
                answer = self._files.read(key, limit)
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

    def list_many(
        self, prefixes: Sequence[str], cancel: Cancellation | None = None, limit: int | None = None
    ) -> list[Listing | ReadError]:
        """Return the names below each prefix; see `Reader.list_many`.

        Parameters
        ----------
        prefixes : sequence of str
            Paths of the folders, without slashes at their ends.
        cancel : Cancellation, optional
            Ends it early.
        limit : int, optional
            The most names that are returned for each of them; all by default.
        """
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
        # What is a link is looked at when it is read.
        files = frozenset([e.name for e in found if e.is_file(follow_symlinks=False)])
        return Listing(tuple(sorted([entry.name for entry in found])), complete, files)

    def open_zarr_store(self) -> Store:
        """Open the store for zarr, read-only."""
        from nz_explorer.store.local.contained_store import ContainedStore

        return ContainedStore(self.folder, follow_links=self.follow_links)
