"""Where changed documents go: several at once, all of them or none.

One document is replaced in one step (a renamed file, a single put). For a bundle of them there is a journal,
which holds every version before and after and is there as long as the bundle is not complete. A process that
is killed in the middle leaves the journal behind, and `Writer.recover` takes it from there: where all documents
are the new ones it only clears up, else it puts the old ones back.

In a folder the journal is a folder of its own inside the store, which moves with the store and is on the same file
system, so that documents can be renamed into place. Its name tells how far it got:

==================================  ===================================================================
``.nz-explorer-journal.staging``    both versions are being collected; no document has been touched
``.nz-explorer-journal``            documents are being replaced
``.nz-explorer-journal.done``       all are replaced; what is left is rubbish
==================================  ===================================================================

In an object store it is one object, ``.nz-explorer-journal``. Neither is a Zarr key: no reader takes a name
without a metadata document below it for a node.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import json
import os
import shutil
import sys
import uuid
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from nz_explorer.store.errors import ReadError
from nz_explorer.store.folder import FolderReader
from nz_explorer.store.overlay import OverlayReader
from nz_explorer.store.patience import classify, persevere
from nz_explorer.store.reader import Reader, check_key
from nz_explorer.store.remote import RemoteReader
from nz_explorer.store.zipped import ZipReader

if TYPE_CHECKING:
    from zarr.abc.store import Store

if sys.platform != "win32":
    import fcntl

T = TypeVar("T")
State = Literal["old", "new", "mixed"]

JOURNAL = ".nz-explorer-journal"
STAGING = f"{JOURNAL}.staging"
DONE = f"{JOURNAL}.done"
MANIFEST = "manifest.json"
SCHEMA = "nz-explorer/journal/1"
COMMAND = "nz-explorer fix --recover"


@dataclass(frozen=True, slots=True)
class Edit:
    """A document before and after; None where there is none."""

    key: str
    before: bytes | None
    after: bytes | None


class WriteError(Exception):
    """Documents were not written.

    Parameters
    ----------
    message : str
        Why, and what the store holds now, in one or two sentences.
    state : {"old", "mixed"}
        ``old``: the store is as it was; ``mixed``: it could not be restored, and the journal is kept.
    """

    def __init__(self, message: str, state: State = "old") -> None:
        super().__init__(message)
        self.state = state


class Interrupted(WriteError):
    """An earlier bundle was interrupted, or is being written by someone else."""


@dataclass(frozen=True, slots=True)
class Recovery:
    """What became of a bundle that was interrupted.

    Attributes
    ----------
    state : {"old", "new"}
        Which documents the store holds now.
    keys : tuple of str
        The documents of the bundle.
    """

    state: State
    keys: tuple[str, ...] = ()

    @property
    def message(self) -> str:
        """What happened, in a sentence."""
        if self.state == "new":
            return "an earlier fix was interrupted after it had written everything: the store is the new one"
        if not self.keys:
            return "an earlier fix was interrupted before it changed anything: the store is the old one"
        return "an earlier fix was interrupted while it was writing: the store was put back to the old one"


class Writer(ABC):
    """Writes documents into one store."""

    needs_consent = False
    """Whether a journal may belong to someone who is writing right now, which only a person can tell."""

    @abstractmethod
    def pending(self) -> bool:
        """Whether there is a journal."""

    @abstractmethod
    def recover(self) -> Recovery | None:
        """Restore, or complete, what was interrupted; None where nothing was.

        Raises
        ------
        WriteError
            If it cannot be.
        """

    @abstractmethod
    def write(self, edits: Sequence[Edit]) -> None:
        """Write a bundle of documents: all of them or none.

        Raises
        ------
        Interrupted
            If there is a journal; see `recover`.
        WriteError
            If they were not written.
        """


def writer_for(reader: Reader) -> Writer:
    """Return what writes to the store that a reader reads.

    Raises
    ------
    WriteError
        If that store cannot be written to.
    """
    if isinstance(reader, OverlayReader):
        return writer_for(reader.base)
    if isinstance(reader, FolderReader):
        return FolderWriter(reader.folder)
    if isinstance(reader, ZipReader) or reader.kind == "zarr ZipStore":
        raise WriteError(
            f"{reader.label} is a zip file, in which nothing can be replaced: unpack it, fix the folder, and pack it again"
        )
    if reader.kind == "HTTP":
        raise WriteError(f"{reader.label} is served over HTTP, which can only be read")
    if isinstance(reader, RemoteReader):
        return StoreWriter(_writable(reader), reader.prefix, reader.label)
    raise WriteError(f"a {reader.kind} cannot be written to")


def _writable(reader: RemoteReader) -> Store:
    store = reader.store
    if reader.owns_store:  # opened here, read-only, from a URL
        try:
            store = store.with_read_only(False)
        except (AttributeError, NotImplementedError) as error:
            raise WriteError(
                f"{reader.label} cannot be opened for writing with this version of zarr; 3.1 can"
            ) from error
    if store.read_only:
        raise WriteError(f"{reader.label} was opened read-only: open the store for writing")
    if not (store.supports_writes and store.supports_deletes):
        raise WriteError(f"{reader.label} cannot be written to")
    return store


def _checked(edits: Sequence[Edit]) -> list[Edit]:
    for edit in edits:
        try:
            check_key(edit.key)
        except ReadError as error:
            raise WriteError(
                f"{edit.key!r} is no key of a document: {error.detail}; nothing was written"
            ) from error
        if edit.key.split("/")[0].startswith(JOURNAL):
            raise WriteError(f"{edit.key} belongs to the journal; nothing was written")
    if len({edit.key for edit in edits}) != len(edits):
        raise WriteError("a document is in the bundle twice; nothing was written")
    return [edit for edit in edits if edit.before != edit.after]


def _changed(key: str) -> WriteError:
    return WriteError(
        f"{key} has been changed by someone else since it was read: the store is as it was, read it again"
    )


def _foreign(key: str, where: str) -> WriteError:
    return WriteError(
        f"an earlier fix was interrupted, and {key} has been changed by someone else since: nothing was touched;"
        f" the versions before and after are in {where}",
        "mixed",
    )


def _why(error: BaseException) -> str:
    if isinstance(error, OSError) and error.strerror:
        return error.strerror.lower()
    return " ".join(str(error).split()) or type(error).__name__


def _digest(data: bytes | None) -> str | None:
    return None if data is None else hashlib.sha256(data).hexdigest()


# --- folders --------------------------------------------------------------------------------------


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
        wanted = _checked(edits)
        if not wanted:
            return
        with self._alone():
            if self.pending():
                raise Interrupted(
                    f"an earlier fix of {self.folder} was interrupted: run {COMMAND} first"
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
                    f"an earlier fix was interrupted, and the store could not be restored ({_why(error)});"
                    f" both versions are in {self.folder / JOURNAL}",
                    "mixed",
                ) from error

    # --- the steps --------------------------------------------------------------------------

    def _check(self, edit: Edit) -> None:
        """Refuse what could not be written, before anything is."""
        target = self._target(edit.key)
        try:
            if self._read(target) != edit.before:
                raise _changed(edit.key)
            place = target if edit.before is not None else target.parent
            while not os.path.lexists(place):
                place = place.parent
            folder = place if place.is_dir() else place.parent
            for part in {place, folder}:
                # Renaming would replace a read-only file; whoever made it read-only does not want that.
                if not os.access(part, os.W_OK):
                    raise WriteError(f"{part} is read-only: nothing was written")
        except OSError as error:
            raise WriteError(f"{edit.key}: {_why(error)}; nothing was written") from error

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
                    {"key": e.key, "before": _digest(e.before), "after": _digest(e.after)}
                    for e in edits
                ],
            }
            _write_new(staging / MANIFEST, json.dumps(manifest, indent=2).encode())
            _sync_folder(staging)
            staging.rename(self.folder / JOURNAL)
            _sync_folder(self.folder)
        except BaseException as error:
            with contextlib.suppress(OSError):  # rubbish, which the next call clears up
                self._discard(STAGING)
            if isinstance(error, OSError):
                raise WriteError(
                    f"the new documents could not be written ({_why(error)}): the store is as it was"
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
                    f"{edits[done].key} could not be written ({_why(error)}), nor could the store be restored"
                    f" ({_why(second)}): both versions are kept in {self.folder / JOURNAL}; run {COMMAND}",
                    "mixed",
                ) from second
            if isinstance(error, OSError):
                raise WriteError(
                    f"{edits[done].key} could not be written ({_why(error)}): the store is as it was"
                ) from error
            raise
        self._finish(DONE)

    def _replace(self, number: int, edit: Edit) -> None:
        target = self._target(edit.key)
        if self._read(target) != edit.before:
            raise _changed(edit.key)
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
        """Say how it ended, by the journal's name, and clear up."""
        (self.folder / JOURNAL).rename(self.folder / name)
        _sync_folder(self.folder)
        with contextlib.suppress(OSError):  # the next call clears up
            self._discard(name)

    def _discard(self, name: str) -> None:
        """Remove a journal; what is a link or has folders in it was not made here."""
        folder = self.folder / name
        if folder.is_symlink():
            raise OSError(f"{folder} is a symbolic link")
        for file in sorted(os.listdir(folder), key=lambda name: name == MANIFEST):
            (folder / file).unlink()
        folder.rmdir()

    def _recover(self) -> Recovery | None:
        journal = self.folder / JOURNAL
        found = None
        if os.path.lexists(self.folder / STAGING):  # of which anything may be missing
            self._discard(STAGING)
            found = Recovery("old")
        if os.path.lexists(self.folder / DONE):
            keys = tuple(key for key, _, _ in self._manifest(self.folder / DONE)[0])
            self._discard(DONE)
            found = Recovery("new", keys)
        if not os.path.lexists(journal):
            return found
        documents, made = self._manifest(journal)
        targets = [self._target(key) for key, _, _ in documents]
        current = [_digest(self._read(target)) for target in targets]
        for (key, before, after), now in zip(documents, current, strict=True):
            if now not in (before, after):
                raise _foreign(key, str(journal))
        keys = tuple(key for key, _, _ in documents)
        if all(now == after for (_, _, after), now in zip(documents, current, strict=True)):
            self._finish(DONE)
            return Recovery("new", keys)
        for number, ((_, before, _), now) in enumerate(zip(documents, current, strict=True)):
            if now != before:
                self._put_back(number, targets[number], before is not None)
        self._remove_folders(made)
        self._finish(STAGING)
        return Recovery("old", keys)

    def _manifest(
        self, journal: Path
    ) -> tuple[list[tuple[str, str | None, str | None]], list[str]]:
        """Return key, digest before and digest after of each document, and the folders made for them."""
        if journal.is_symlink():
            raise OSError(f"{journal} is a symbolic link")
        try:
            manifest = json.loads((journal / MANIFEST).read_bytes())
            documents = [(d["key"], d["before"], d["after"]) for d in manifest["documents"]]
            made = [str(name) for name in manifest["made"]]
            for key in (*(key for key, _, _ in documents), *made):
                check_key(key)
        except FileNotFoundError:
            if journal.name == JOURNAL:
                raise
            return [], []  # it was interrupted while it was being cleared away
        except (ValueError, KeyError, TypeError, AttributeError, ReadError) as error:
            raise OSError(f"{journal / MANIFEST} is damaged") from error
        return documents, made

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
            raise WriteError(f"{self.folder} could not be opened: {_why(error)}") from error
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            os.close(descriptor)
            if isinstance(error, BlockingIOError):
                raise Interrupted(
                    f"another fix of {self.folder} is under way: nothing was written"
                ) from error
            raise WriteError(
                f"{self.folder} could not be locked ({_why(error)}): nothing was written"
            ) from error
        try:
            yield
        finally:
            os.close(descriptor)


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


# --- zarr stores ----------------------------------------------------------------------------------


class StoreWriter(Writer):
    """Writes into a zarr store, one put for each document.

    An object store knows no locks: whether the owner of a journal is still at work is not known, so clearing up
    after it takes a person's consent.

    Parameters
    ----------
    store : Store
        A store that may be written to.
    prefix : str
        Path of the root in it.
    label : str
        The source as the user knows it.
    """

    needs_consent = True

    def __init__(self, store: Store, prefix: str, label: str) -> None:
        self._store = store
        self._prefix = prefix
        self._label = label

    def pending(self) -> bool:
        """Whether there is a journal."""
        return self._get(JOURNAL) is not None

    def write(self, edits: Sequence[Edit]) -> None:
        """Write a bundle of documents; see `Writer.write`."""
        wanted = _checked(edits)
        if not wanted:
            return
        try:
            if self.pending():
                raise Interrupted(
                    f"an earlier fix of {self._label} was interrupted, or is under way: nothing was written;"
                    f" if no one else is writing, run {COMMAND} first"
                )
            for edit in wanted:
                if self._get(edit.key) != edit.before:
                    raise _changed(edit.key)
            self._begin(wanted)
        except ReadError as error:
            raise WriteError(f"{error.detail}: nothing was written") from error
        self._put_all(wanted)

    def recover(self) -> Recovery | None:
        """Restore, or complete, what was interrupted; see `Writer.recover`."""
        try:
            raw = self._get(JOURNAL)
            if raw is None:
                return None
            edits = _documents(raw)
            current = [self._get(edit.key) for edit in edits]
            for edit, now in zip(edits, current, strict=True):
                if now not in (edit.before, edit.after):
                    raise _foreign(edit.key, f"the object {JOURNAL}")
            keys = tuple(edit.key for edit in edits)
            if all(now == edit.after for edit, now in zip(edits, current, strict=True)):
                self._put(JOURNAL, None)
                return Recovery("new", keys)
            for edit in edits:
                self._put(edit.key, edit.before)
            self._put(JOURNAL, None)
        except ReadError as error:
            raise WriteError(
                f"an earlier fix was interrupted, and the store could not be restored ({error.detail})",
                "mixed",
            ) from error
        return Recovery("old", keys)

    # --- the steps --------------------------------------------------------------------------

    def _begin(self, edits: Sequence[Edit]) -> None:
        """Put the journal, unless someone else has been faster."""
        from zarr.core.buffer import default_buffer_prototype

        journal = json.dumps(
            {
                "schema": SCHEMA,
                "id": uuid.uuid4().hex,
                "started": datetime.now(UTC).isoformat(timespec="seconds"),
                "documents": [
                    {"key": e.key, "before": _encoded(e.before), "after": _encoded(e.after)}
                    for e in edits
                ],
            },
            indent=1,
        ).encode()
        buffer = default_buffer_prototype().buffer.from_bytes(journal)
        self._ask(JOURNAL, lambda: self._store.set_if_not_exists(self._full(JOURNAL), buffer))
        if self._get(JOURNAL) != journal:
            raise Interrupted(f"another fix of {self._label} is under way: nothing was written")

    def _put_all(self, edits: Sequence[Edit]) -> None:
        done: list[Edit] = []
        try:
            for edit in edits:
                done.append(edit)
                self._replace(edit)
        except BaseException as error:
            key = done[-1].key
            try:
                self._restore(done)
            except ReadError as second:
                raise WriteError(
                    f"{key} could not be written ({_why(error)}), nor could the store be restored ({second.detail}):"
                    f" both versions are kept in the object {JOURNAL}; run {COMMAND}",
                    "mixed",
                ) from second
            if isinstance(error, ReadError):
                raise WriteError(
                    f"{key} could not be written ({error.detail}): the store is as it was"
                ) from error
            raise
        with contextlib.suppress(ReadError):  # all is written; the next call clears up
            self._put(JOURNAL, None)

    def _replace(self, edit: Edit) -> None:
        if self._get(edit.key) != edit.before:
            raise _changed(edit.key)
        self._put(edit.key, edit.after)

    def _restore(self, edits: Sequence[Edit]) -> None:
        for edit in edits:
            now = self._get(edit.key)
            # Also the last one, which failed: after a lost connection it is not known whether it arrived.
            if now == edit.after:
                self._put(edit.key, edit.before)
            elif now != edit.before and edit is not edits[-1]:
                raise ReadError(edit.key, "os", f"{edit.key} was changed by someone else meanwhile")
        self._put(JOURNAL, None)

    # --- requests ---------------------------------------------------------------------------

    def _full(self, key: str) -> str:
        return "/".join(part for part in (self._prefix, key) if part)

    def _get(self, key: str) -> bytes | None:
        from zarr.core.buffer import default_buffer_prototype

        try:
            found = self._ask(
                key, lambda: self._store.get(self._full(key), default_buffer_prototype())
            )
        except FileNotFoundError:
            return None
        return None if found is None else found.to_bytes()

    def _put(self, key: str, data: bytes | None) -> None:
        from zarr.core.buffer import default_buffer_prototype

        try:
            if data is None:
                self._ask(key, lambda: self._store.delete(self._full(key)))
            else:
                buffer = default_buffer_prototype().buffer.from_bytes(data)
                self._ask(key, lambda: self._store.set(self._full(key), buffer))
        except FileNotFoundError as error:
            if data is not None:  # such as a bucket that is gone; what is deleted may be
                raise classify(key, error)[0] from error

    def _ask(self, key: str, request: Callable[[], Awaitable[T]]) -> T:
        """Make a request, again where it failed for a moment: a put has the same effect twice."""
        from zarr.core.sync import sync

        return sync(persevere(key, request))


def _encoded(data: bytes | None) -> str | None:
    return None if data is None else base64.b64encode(data).decode()


def _documents(raw: bytes) -> list[Edit]:
    """Return the documents of a journal."""

    def decoded(text: Any) -> bytes | None:
        return None if text is None else base64.b64decode(text, validate=True)

    try:
        edits = [
            Edit(d["key"], decoded(d["before"]), decoded(d["after"]))
            for d in json.loads(raw)["documents"]
        ]
    except (ValueError, KeyError, TypeError) as error:
        raise WriteError(f"the object {JOURNAL} is damaged: it was left alone", "mixed") from error
    for edit in edits:
        check_key(edit.key)
    return edits
