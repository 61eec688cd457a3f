"""Writes documents into a local folder."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import stat
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from nz_explorer.store.writing.journal import (
    COMMAND,
    DONE,
    JOURNAL,
    MANIFEST,
    SCHEMA,
    STAGING,
    changed_meanwhile,
    checked,
    digest,
    foreign,
    is_object,
    may_have_been,
    reason,
    strange,
    why_no_document,
)
from nz_explorer.store.writing.writer import Edit, Interrupted, Recovery, WriteError, Writer

if sys.platform != "win32":
    import fcntl

_VERSION = re.compile(r"(0|[1-9][0-9]{0,8})\.(before|after)")


class FolderWriter(Writer):
    """Writes into a local folder.

    Parameters
    ----------
    folder : Path
        The root of the store. Nothing outside is written, also not through symbolic links.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._root = os.path.realpath(folder)

    def pending(self) -> bool:
        """Whether there is a journal."""
        return any(os.path.lexists(self.folder / name) for name in (STAGING, JOURNAL, DONE))

    def write(self, edits: Sequence[Edit]) -> None:
        """Write a bundle of documents; see `Writer.write`."""
        wanted = checked(edits)
        if not wanted:
            return
        with self._alone():
            if self.pending():
                raise Interrupted(
                    f"an earlier fix of {self.folder} was interrupted: nothing was written; run {COMMAND} first"
                )
            for edit in wanted:
                self._check(edit)
            made = self._missing_folders(wanted)
            self._stage(wanted, made)
            self._replace_all(wanted, made)

    def recover(self) -> Recovery | None:
        """Restore, or complete, what was interrupted; see `Writer.recover`."""
        with self._alone():
            try:
                return self._recover()
            except OSError as error:
                raise WriteError(
                    f"an earlier fix was interrupted, and the store could not be restored ({reason(error)});"
                    f" both versions are in {self.folder / JOURNAL}",
                    "mixed",
                ) from error

    # --- the steps --------------------------------------------------------------------------

    def _check(self, edit: Edit) -> None:
        """Refuse what could not be written, before anything is."""
        target = self._target(edit.key)
        try:
            if self._read(target) != edit.before:
                raise changed_meanwhile(edit.key)
            place = target if edit.before is not None else target.parent
            while not os.path.lexists(place):
                place = place.parent
            folder = place if place.is_dir() else place.parent
            for part in {place, folder}:
                # Renaming would replace a read-only file; whoever made it read-only did so on purpose.
                if not os.access(part, os.W_OK):
                    raise WriteError(f"{part} is read-only: nothing was written")
        except OSError as error:
            raise WriteError(f"{edit.key}: {reason(error)}; nothing was written") from error

    def _missing_folders(self, edits: Sequence[Edit]) -> list[str]:
        """Return the folders that new documents need, outer ones first."""
        found: dict[str, None] = {}
        for edit in edits:
            parts = edit.key.split("/")[:-1]
            for depth in range(1, len(parts) + 1):
                name = "/".join(parts[:depth])
                if edit.after is not None and not (self.folder / name).is_dir():
                    found[name] = None
        return list(found)

    def _stage(self, edits: Sequence[Edit], made: Sequence[str]) -> None:
        """Collect all versions in the journal: what can fail for want of space fails here."""
        staging = self.folder / STAGING
        try:
            staging.mkdir(mode=0o700)
            for number, edit in enumerate(edits):
                like = self._target(edit.key)
                for data, name in ((edit.before, "before"), (edit.after, "after")):
                    if data is not None:
                        _write_new(staging / f"{number}.{name}", data, like)
            manifest = {
                "schema": SCHEMA,
                "started": datetime.now(UTC).isoformat(timespec="seconds"),
                "made": list(made),
                "documents": [
                    {"key": e.key, "before": digest(e.before), "after": digest(e.after)}
                    for e in edits
                ],
            }
            _write_new(staging / MANIFEST, json.dumps(manifest, indent=2).encode())
            _sync_folder(staging)
            staging.rename(self.folder / JOURNAL)
            _sync_folder(self.folder)
        except BaseException as error:
            with contextlib.suppress(OSError, WriteError):  # rubbish, which the next call clears up
                self._discard(STAGING)
            if isinstance(error, OSError):
                raise WriteError(
                    f"the new documents could not be written ({reason(error)}): the store is as it was"
                ) from error
            raise

    def _replace_all(self, edits: Sequence[Edit], made: Sequence[str]) -> None:
        done = 0
        try:
            for name in made:
                (self.folder / name).mkdir()
            for number, edit in enumerate(edits):
                done = number
                self._replace(number, edit)
        except BaseException as error:
            try:
                self._restore(edits[: done + 1], made)
            except OSError as second:
                raise WriteError(
                    f"{edits[done].key} could not be written ({reason(error)}), nor could the store be restored"
                    f" ({reason(second)}): both versions are kept in {self.folder / JOURNAL}; run {COMMAND}",
                    "mixed",
                ) from second
            if isinstance(error, OSError):
                raise WriteError(
                    f"{edits[done].key} could not be written ({reason(error)}): the store is as it was"
                ) from error
            raise
        self._finish(DONE)

    def _replace(self, number: int, edit: Edit) -> None:
        target = self._target(edit.key)
        if self._read(target) != edit.before:
            raise changed_meanwhile(edit.key)
        if edit.after is None:
            target.unlink()
        else:
            (self.folder / JOURNAL / f"{number}.after").replace(target)
        _sync_folder(target.parent)

    def _restore(self, edits: Sequence[Edit], made: Sequence[str]) -> None:
        """Put back the versions before. The journal has them, so this takes no space."""
        for number, edit in enumerate(edits):
            target = self._target(edit.key)
            now = self._read(target)
            if now == edit.after:
                self._put_back(number, target, edit.before is not None)
            elif now != edit.before and edit is not edits[-1]:  # the last one was not written
                raise OSError(f"{edit.key} was changed by someone else meanwhile")
        self._remove_folders(made)
        self._finish(STAGING)

    def _put_back(self, number: int, target: Path, existed: bool) -> None:
        if existed:
            (self.folder / JOURNAL / f"{number}.before").replace(target)
        else:
            target.unlink()
        _sync_folder(target.parent)

    def _remove_folders(self, made: Sequence[str]) -> None:
        for name in reversed(made):
            # An empty folder is no part of a hierarchy, and one with something new in it is not ours.
            with contextlib.suppress(OSError):
                self._target(f"{name}/x").parent.rmdir()

    def _finish(self, name: str) -> None:
        """Record the outcome in the journal's name, and clean up."""
        (self.folder / JOURNAL).rename(self.folder / name)
        _sync_folder(self.folder)
        with contextlib.suppress(OSError, WriteError):  # the next call clears up
            self._discard(name)

    def _discard(self, name: str) -> None:
        """Remove a journal, if it has nothing in it that is not of one."""
        folder = self.folder / name
        for file in sorted(_files(folder), key=lambda name: name == MANIFEST):
            (folder / file).unlink()
        folder.rmdir()

    def _recover(self) -> Recovery | None:
        journal, done = self.folder / JOURNAL, self.folder / DONE
        documents, made = self._manifest(journal)
        keys = tuple(document.key for document in documents)
        finished = tuple(document.key for document in self._manifest(done)[0])
        found = None
        if os.path.lexists(self.folder / STAGING):  # of which anything may be missing
            self._discard(STAGING)
            found = Recovery("old")
        if os.path.lexists(done):
            self._discard(DONE)
            found = Recovery("new", finished)
        if not os.path.lexists(journal):
            return found
        targets = [self._target(key) for key in keys]
        current = [digest(self._read(target)) for target in targets]
        for number, (document, now) in enumerate(zip(documents, current, strict=True)):
            if now not in (document.before, document.after):
                raise foreign(document.key, str(journal))
            old = f"{number}.before"
            if now != document.before and document.before and not (journal / old).exists():
                raise strange(journal, f"it has no {old}")
        if all(now == one.after for one, now in zip(documents, current, strict=True)):
            self._finish(DONE)
            return Recovery("new", keys)
        for number, (document, now) in enumerate(zip(documents, current, strict=True)):
            if now != document.before:
                self._put_back(number, targets[number], document.before is not None)
        self._remove_folders(made)
        self._finish(STAGING)
        return Recovery("old", keys)

    def _manifest(self, journal: Path) -> tuple[list[_Document], list[str]]:
        """Return the documents of a journal, and the folders made for them; nothing where there is no journal.

        Raises
        ------
        WriteError
            If it is not as journals are.
        """
        if not os.path.lexists(journal):
            return [], []
        files = _files(journal)
        if MANIFEST not in files:
            if journal.name == JOURNAL:
                raise strange(journal, f"it has no {MANIFEST}")
            return [], []  # it was interrupted while it was being cleared away
        try:
            manifest = json.loads((journal / MANIFEST).read_bytes())
            if manifest["schema"] != SCHEMA:
                raise strange(journal, "it is of another version")
            documents = [
                _Document(d["key"], d["before"], d["after"]) for d in manifest["documents"]
            ]
            made = list(manifest["made"])
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise strange(journal, f"its {MANIFEST} cannot be read") from error
        for number, document in enumerate(documents):
            if why := why_no_document(document.key):
                raise strange(journal, f"{document.key!r} is no document: {why}")
            self._check_place(journal, document.key)
            self._check_versions(journal, files, number, document)
        for name in made:
            if not any(document.key.startswith(f"{name}/") for document in documents):
                raise strange(journal, f"no document needs the folder {name!r}")
        return documents, made

    def _check_place(self, journal: Path, key: str) -> None:
        """Refuse a document that is a link or lies below one: what it leads to may be no document."""
        place = f"{self._root.rstrip(os.sep)}/{key}"
        if os.path.realpath(place) != os.path.normpath(place):
            raise strange(journal, f"{key} is a symbolic link, or lies below one")

    @staticmethod
    def _check_versions(journal: Path, files: set[str], number: int, document: _Document) -> None:
        """Refuse versions of a document that do not match the manifest, or are not documents."""
        for wanted, when, fits in (
            (document.before, "before", may_have_been),
            (document.after, "after", is_object),
        ):
            name = f"{number}.{when}"
            if name not in files:
                continue  # it was renamed into its place
            data = (journal / name).read_bytes()
            if digest(data) != wanted:
                raise strange(journal, f"{name} does not match its {MANIFEST}")
            if not fits(data):
                raise strange(journal, f"{name} is no JSON object")

    # --- files ------------------------------------------------------------------------------

    def _target(self, key: str) -> Path:
        """Return the file of a key.

        Raises
        ------
        WriteError
            If a symbolic link leads out of the store.
        """
        path = os.path.realpath(f"{self._root}/{key}")
        if not path.startswith(self._root.rstrip(os.sep) + os.sep):
            raise WriteError(
                f"{key} is a symbolic link, or lies below one, that leads out of the store: nothing was written"
            )
        return Path(path)

    @staticmethod
    def _read(target: Path) -> bytes | None:
        try:
            return target.read_bytes()
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
            return None

    @contextlib.contextmanager
    def _alone(self) -> Iterator[None]:
        """Keep other processes out. The lock ends with the process, however that ends."""
        if sys.platform == "win32":
            yield
            return
        try:
            descriptor = os.open(self.folder, os.O_RDONLY | os.O_DIRECTORY)
        except OSError as error:
            raise WriteError(f"{self.folder} could not be opened: {reason(error)}") from error
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            os.close(descriptor)
            if isinstance(error, BlockingIOError):
                raise Interrupted(
                    f"another fix of {self.folder} is under way: nothing was written"
                ) from error
            raise WriteError(
                f"{self.folder} could not be locked ({reason(error)}): nothing was written"
            ) from error
        try:
            yield
        finally:
            os.close(descriptor)


@dataclass(frozen=True, slots=True)
class _Document:
    """A document of a journal, with the SHA-256 of its versions; None where there is none."""

    key: str
    before: str | None
    after: str | None


def _files(journal: Path) -> set[str]:
    """Return the names of the files of a journal.

    Raises
    ------
    WriteError
        If there is anything that no journal has.
    """
    if not stat.S_ISDIR(journal.lstat().st_mode):
        raise strange(journal, "it is a symbolic link, or no folder")
    names = set(os.listdir(journal))
    for name in names:
        found = (journal / name).lstat()
        if not stat.S_ISREG(found.st_mode) or found.st_nlink > 1:
            raise strange(journal, f"{name} is a link, or no file")
        if name != MANIFEST and not _VERSION.fullmatch(name):
            raise strange(journal, f"{name} is no part of a journal")
    return names


def _write_new(file: Path, data: bytes, like: Path | None = None) -> None:
    """Write a new file through to the disk, with the mode and owner of another one."""
    descriptor = os.open(
        file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666
    )
    with os.fdopen(descriptor, "wb") as stream:
        stream.write(data)
        stream.flush()
        os.fsync(stream.fileno())
    if like is None or not like.exists():
        return
    shutil.copymode(like, file)
    if sys.platform != "win32":
        was, now = like.stat(), file.stat()
        if (was.st_uid, was.st_gid) != (now.st_uid, now.st_gid):
            with contextlib.suppress(PermissionError):  # only root may give files away
                os.chown(file, was.st_uid, was.st_gid)


def _sync_folder(folder: Path) -> None:
    """Write the names in a folder through to the disk."""
    if sys.platform == "win32":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
