"""Members of a zip file: unpacked up to a size limit, also where the archive states another size."""

from __future__ import annotations

import bz2
import copy
import lzma
import stat
import struct
import weakref
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any

from nz_explorer.store.errors import ReadError, TooLarge

BROKEN = (
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
_OVERWRITTEN = ("Bad magic number", "differ", "Overlapped", "Truncated file header")
"""What Python says of a member in whose place is something else."""
_PIECE = 2**16
_STEP = 2**20
_MOST_DICTIONARY = 2**28
"""Bytes that unpacking LZMA may need; the most that is in use is 64 MiB."""
_STOPPED_BY_US = (zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)


def open_archive(file: Path) -> tuple[zipfile.ZipFile, Callable[[], object]]:
    """Open a zip file, from which any number of threads may read at the same time.

    Parameters
    ----------
    file : Path
        The file.

    Returns
    -------
    tuple
        The archive, and what closes it; it is closed with the last that uses it, too.

    Raises
    ------
    OSError
        If the file cannot be opened.
    Exception
        One of `BROKEN`, if it is no zip file, or a damaged one.
    """
    opened = file.open("rb")
    try:
        archive = zipfile.ZipFile(opened)
    except BaseException:
        opened.close()
        raise
    return archive, weakref.finalize(archive, opened.close)


def read_member(
    archive: zipfile.ZipFile,
    info: zipfile.ZipInfo,
    key: str,
    max_bytes: int,
    *,
    start: int = 0,
    stop: int | None = None,
) -> bytes:
    """Return what a member unpacks to, or a part of it.

    Parameters
    ----------
    archive, info
        The archive, and the member of it.
    key : str
        What was asked for.
    max_bytes : int
        The most that may be returned.
    start : int
        The first byte; counted from the end where it is negative.
    stop : int, optional
        The byte behind the last one; the end by default, which may come before.

    Raises
    ------
    TooLarge
        If there is more, or the archive declares more; unpacking ends at the limit.
    ReadError
        If the member is damaged, or a symbolic link.
    """
    if stat.S_ISLNK(info.external_attr >> 16):
        raise ReadError(key, "link", "it is a symbolic link in a zip file, which is not followed")
    first = max(0, info.file_size + start) if start < 0 else start
    last = info.file_size if stop is None else min(stop, info.file_size)
    if last - first > max_bytes:
        raise TooLarge(key, max_bytes, last - first)
    whole = stop is None and not start
    parts: list[bytes] = []
    at = much = 0
    try:
        for piece in _pieces(archive, info):
            data = piece if whole else piece[max(0, first - at) : max(0, last - at)]
            parts.append(data)
            at += len(piece)
            much += len(data)
            if much > max_bytes:
                raise TooLarge(key, max_bytes)
            if not whole and at >= last:
                break
    except BROKEN as error:
        why = f"the zip file is damaged here: {error}"
        if any(text in str(error) for text in _OVERWRITTEN):
            why += "; it may have been written twice at once, as by tasks of Dask: write a folder, and zip that"
        raise ReadError(key, "corrupt", why) from error
    except MemoryError as error:
        detail = "unpacking it takes more memory than there is"
        raise ReadError(key, "corrupt", detail) from error
    except OSError as error:
        raise ReadError(key, "os", error.strerror or str(error)) from error
    return b"".join(parts)


def _pieces(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Iterator[bytes]:
    if info.compress_type in _STOPPED_BY_US:
        yield from _stopped(archive, info)
        return
    opened: Any = archive.open(info)  # whose type does not know `read1`
    with opened as member:
        # It stops at the declared end of the member, and reports a wrong checksum.
        while data := member.read1(_STEP):
            yield data


def _stopped(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Iterator[bytes]:
    """Unpack with a method that Python's `zipfile` does not stop: 4 KiB of bzip2 can make gigabytes."""
    packed = copy.copy(info)
    packed.compress_type, packed.file_size = zipfile.ZIP_STORED, info.compress_size
    packed.CRC = None  # type: ignore[assignment]  # that of what it unpacks to is checked here
    left, checksum = info.file_size, 0
    with archive.open(packed) as member:
        unpacker: Any = bz2.BZ2Decompressor()
        if info.compress_type == zipfile.ZIP_LZMA:
            unpacker = _lzma(member)
        while left > 0 and not unpacker.eof:
            more = member.read(_PIECE) if unpacker.needs_input else b""
            if unpacker.needs_input and not more:
                break
            data = unpacker.decompress(more, min(_STEP, left))
            left -= len(data)
            checksum = zlib.crc32(data, checksum)
            yield data
    if checksum != info.CRC:
        raise zipfile.BadZipFile("a checksum is false")


def _lzma(member: IO[bytes]) -> lzma.LZMADecompressor:
    """Return the decompressor of a member, which its first bytes determine (APPNOTE 5.8.8)."""
    _, size, first, dictionary = struct.unpack("<HHBI", member.read(9))
    if size != 5 or dictionary > _MOST_DICTIONARY:
        raise zipfile.BadZipFile(f"its dictionary of {dictionary:,} bytes is too large")
    rest, literal = divmod(first, 9)
    bits, position = divmod(rest, 5)[::-1]
    options = {"lc": literal, "lp": bits, "pb": position, "dict_size": max(4096, dictionary)}
    return lzma.LZMADecompressor(lzma.FORMAT_RAW, filters=[{"id": lzma.FILTER_LZMA1, **options}])
