"""A copy of a store with its edits, for readers in other processes: links to what is as it was, files for what is not."""

from __future__ import annotations

import os
import tempfile
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from urllib.parse import urlsplit
from urllib.request import url2pathname

from nz_explorer.store import Reader
from nz_explorer.store.local.links import refuse_outside
from nz_explorer.store.local.zip_members import read_member
from nz_explorer.store.overlay import OverlayReader
from nz_explorer.store.reader import MAX_OBJECT_BYTES, check_key

MOST_BYTES = 512 * 1024**2
"""Of a zip file that is unpacked."""


class NotCopied(ValueError):
    """A store with edits that other processes cannot be shown."""


@contextmanager
def edited_copy(reader: Reader) -> Iterator[Path | None]:
    """Give a folder that is the store with its edits, and is removed afterwards; None where nothing is edited.

    The store itself is never written. Of a folder everything that is not edited is a symbolic link to it.

    Parameters
    ----------
    reader : Reader
        The store, with edits if it is an `OverlayReader`.

    Raises
    ------
    NotCopied
        If there are edits of a store that is no local folder or zip file.
    ReadError
        If a link of the folder leads out of it, which readers would follow.
    """
    edits = reader.overridden if isinstance(reader, OverlayReader) else {}
    if not edits:
        yield None
        return
    place = _place(reader)
    if place is None:
        raise NotCopied(
            "edits of a store on a server, or in memory, cannot be shown to other processes"
        )
    with tempfile.TemporaryDirectory(
        prefix="nz-explorer-edited-", ignore_cleanup_errors=True
    ) as folder:
        copy = Path(folder, "store")
        if place.is_dir():
            if not reader.follow_links:
                refuse_outside(str(place))
            link(place, copy, edits)
        else:
            _unpack(place, reader.prefix, copy)
            _write(copy, edits)
        yield copy


def _place(reader: Reader) -> Path | None:
    if reader.url is None:
        return None
    parts = urlsplit(reader.url)
    path = Path(url2pathname(parts.path))
    return path if parts.scheme == "file" and path.exists() else None


def link(original: Path, copy: Path, edits: Mapping[str, bytes | None]) -> None:
    """Make a folder with links to what is in another one, and files for what is edited.

    Parameters
    ----------
    original : Path
        The folder.
    copy : Path
        The folder to make.
    edits : mapping of str to bytes or None
        What keys hold instead; None for those that are removed.
    """
    copy.mkdir()
    here: dict[str, bytes | None] = {}
    below: dict[str, dict[str, bytes | None]] = {}
    for key, data in edits.items():
        check_key(key)
        name, slash, rest = key.partition("/")
        if slash:
            below.setdefault(name, {})[rest] = data
        else:
            here[name] = data
    if original.is_dir():
        for entry in os.scandir(original):
            if entry.name not in here and not (entry.name in below and entry.is_dir()):
                (copy / entry.name).symlink_to(Path(entry.path).absolute())
    for name, data in here.items():
        if data is not None:
            (copy / name).write_bytes(data)
    for name, inner in below.items():
        if not (copy / name).exists():  # a file in the way stays in the way
            link(original / name, copy / name, inner)


def _unpack(archive: Path, prefix: str, copy: Path) -> None:
    stem = f"{prefix.strip('/')}/" if prefix.strip("/") else ""
    with zipfile.ZipFile(archive) as opened:
        members = [info for info in opened.infolist() if not info.is_dir()]
        if sum(info.file_size for info in members) > MOST_BYTES:
            raise NotCopied(f"the zip file unpacks to more than {MOST_BYTES:,} bytes")
        left = MOST_BYTES
        for info in members:
            if not info.filename.startswith(stem):
                continue
            key = info.filename[len(stem) :]
            check_key(key)
            data = read_member(opened, info, key, min(left, MAX_OBJECT_BYTES))
            left -= len(data)
            _put(copy, key, data)


def _write(copy: Path, edits: Mapping[str, bytes | None]) -> None:
    for key, data in edits.items():
        check_key(key)
        if data is not None:
            _put(copy, key, data)
        elif (copy / PurePosixPath(key)).is_file():
            (copy / PurePosixPath(key)).unlink()


def _put(copy: Path, key: str, data: bytes) -> None:
    file = copy / PurePosixPath(key)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(data)
