"""Symbolic links in a folder: followed inside it, not out of it, and not in circles."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable

from nz_explorer.store.errors import ReadError

MOST_ENTRIES = 1_000_000


class Links:
    """Knows which folders of a store lie in it.

    Parameters
    ----------
    root : str
        The folder of the store. It may be a link itself.
    """

    def __init__(self, root: str) -> None:
        self._root = root
        self._real: str | None = None
        self._inside = {""}
        self._listed: set[str] = set()
        self._odd: set[str] = set()

    def listed(self, prefix: str, odd: Iterable[str]) -> None:
        """Note what a listing has shown, so that it need not be asked for again.

        Parameters
        ----------
        prefix : str
            The folder that was listed.
        odd : iterable of str
            Names in it that are neither files nor folders, such as links.
        """
        self._odd.update(f"{prefix}/{name}" if prefix else name for name in odd)
        self._listed.add(prefix)

    def check(self, key: str, *, file: bool = True) -> None:
        """Refuse a key on whose way a link leaves the store, or leads back to a folder above.

        Parameters
        ----------
        key : str
            The key, or a prefix.
        file : bool
            Whether its last part is no folder, so that nothing lies below it.

        Raises
        ------
        ReadError
            If one does, or if there is something like a pipe, which would be waited for.
        """
        folder = key.rpartition("/")[0] if file else key
        if folder not in self._inside:
            self._check_folder(key, folder)
        if file:
            self.check_one(key, key)

    def check_folder(self, key: str) -> None:
        """Refuse a key in a folder that `check` would refuse; the last part is not looked at."""
        folder = key.rpartition("/")[0]
        if folder not in self._inside:
            self._check_folder(key, folder)

    def _check_folder(self, key: str, folder: str) -> None:
        above = folder.rpartition("/")[0]
        if above not in self._inside:
            self._check_folder(key, above)
        if above not in self._listed or folder in self._odd:
            self.check_one(key, folder)
        self._inside.add(folder)

    def check_one(self, key: str, part: str) -> None:
        """Look at one file or folder by itself; see `check`.

        Parameters
        ----------
        key : str
            The key that is read, for the message.
        part : str
            The file or folder, as a path below the root.

        Raises
        ------
        ReadError
            If it is neither a file nor a folder, or a link that is not followed.
        """
        place = f"{self._root}/{part}"
        try:
            mode = os.lstat(place).st_mode
        except OSError:
            return  # whoever reads it will see
        if stat.S_ISREG(mode) or stat.S_ISDIR(mode):
            return
        if not stat.S_ISLNK(mode):
            raise ReadError(key, "os", f"{part} is neither a file nor a folder")
        if self._real is None:
            self._real = os.path.realpath(self._root)
        real = os.path.realpath(place)
        if real != self._real and not real.startswith(self._real + os.sep):
            detail = f"{part} is a symbolic link that leaves the store, which is not followed"
            raise ReadError(key, "link", detail)
        above = part.split("/")[:-1]
        folders = {
            os.path.realpath("/".join((self._root, *above[:i]))) for i in range(len(above) + 1)
        }
        if real in folders:
            detail = f"{part} is a symbolic link to a folder above it, which is not followed"
            raise ReadError(key, "link", detail)


def refuse_outside(root: str, most: int = MOST_ENTRIES) -> None:
    """Refuse a folder in which a link leads elsewhere, before it is given to a reader that follows all of them.

    Parameters
    ----------
    root : str
        The folder.
    most : int
        Files and folders that are looked at.

    Raises
    ------
    ReadError
        If there is such a link, something like a pipe, or more than can be looked at.
    """
    links = Links(root)
    left = most
    folders = [""]
    while folders:
        folder = folders.pop()
        with os.scandir(f"{root}/{folder}") as entries:
            for entry in entries:
                left -= 1
                key = f"{folder}/{entry.name}" if folder else entry.name
                if left < 0:
                    detail = f"it has more than {most:,} files and folders, too many to look for links that leave it"
                    raise ReadError("", "link", detail)
                if entry.is_dir(follow_symlinks=False):
                    folders.append(key)
                elif not entry.is_file(follow_symlinks=False):
                    links.check_one(key, key)
