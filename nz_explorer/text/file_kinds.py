"""What a file is, told by how it begins, where something else was expected."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FileKind:
    """A kind of file that turns up in the place of another.

    Parameters
    ----------
    name
        With its article, such as ``a tar archive``.
    cure
        What to do about it, in a clause.
    """

    name: str
    cure: str


_GET_IT_AGAIN = "get the file again, and look at what the server answers"
_PAGE = FileKind("a web page", _GET_IT_AGAIN)
_GZIP = FileKind(
    "compressed with gzip",
    "unpack it with gunzip; on object storage it may also be served with Content-Encoding: gzip",
)
_HEADS: tuple[tuple[bytes, FileKind], ...] = (
    (
        b"version https://git-lfs",
        FileKind("a pointer of Git LFS", "fetch the content that it points to: git lfs pull"),
    ),
    (b"<!DOCTYPE", _PAGE),
    (b"<!doctype", _PAGE),
    (b"<html", _PAGE),
    (b"<?xml", FileKind("an XML document, such as an object store's error", _GET_IT_AGAIN)),
    (b"\x1f\x8b", _GZIP),
    (b"\x28\xb5\x2f\xfd", FileKind("compressed with zstd", "unpack it with unzstd")),
    (b"PK\x03\x04", FileKind("a zip file", "unzip it")),
    (
        b"PAR1",
        FileKind("a Parquet file", "kerchunk's references are a folder of them with a .zmetadata"),
    ),
    (b"GRIB", FileKind("a GRIB file", "open it with xarray and cfgrib, and explore that Dataset")),
    (
        b"II*\x00",
        FileKind("a TIFF file", "open it with xarray and rioxarray, and explore that Dataset"),
    ),
    (
        b"MM\x00*",
        FileKind("a TIFF file", "open it with xarray and rioxarray, and explore that Dataset"),
    ),
    (
        b"\x80\x04\x95",
        FileKind("a Python pickle", "nothing is read from it: it may run any program"),
    ),
)
_TAR = FileKind("a tar archive", "unpack it with tar -xf")
START = 512
"""The bytes at the start of a file that `kind_of` looks at."""


def kind_of(start: bytes) -> FileKind | None:
    """Return what a file is that begins like this; None for what is not known.

    Parameters
    ----------
    start
        The first bytes, `START` of them or more if there are.
    """
    for head, kind in _HEADS:
        if start.startswith(head):
            return kind
    return _TAR if start[257:262] == b"ustar" else None
