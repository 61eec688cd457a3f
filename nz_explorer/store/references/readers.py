"""Readers of references: JSON, a folder of Parquet files, what fsspec and VirtualiZarr hold in memory."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cached_property, partial
from itertools import islice
from pathlib import Path
from typing import Any

from nz_explorer.store.errors import ReadError, SourceError
from nz_explorer.store.local.folder_reader import FolderReader
from nz_explorer.store.reader import MAX_DOCUMENT_BYTES, Packaging, Reader, odd_names
from nz_explorer.store.references.reference_set import (
    DOCUMENTS,
    JsonReferences,
    ParquetReferences,
    ReferenceSet,
    Target,
)
from nz_explorer.store.references.reference_store import ReferenceStore
from nz_explorer.store.references.targets import Targets
from nz_explorer.store.remote.remote_reader import RemoteReader

OPTIONS = {
    "fo",
    "targets",
    "remote_protocol",
    "remote_options",
    "target_options",
    "target_protocol",
}
"""Those of fsspec, and `targets`: folders and URLs in which files may be read."""

Open = Callable[[str, Mapping[str, Any]], Reader]
"""Opens a path or URL with storage options."""


_LOOKED_AT = 10_000
"""Keys of which it is asked whether the files that they lead to are there."""


class ReferenceReader(RemoteReader):
    """Reads what references lead to.

    Parameters
    ----------
    make : callable
        Reads the references, again when the store is opened again.
    targets : Targets
        The files that they lead to.
    label : str
        The source as the user knows it.

    Attributes
    ----------
    again : dict or None
        What another process opens them with, as JSON has it; None where that takes options that may be secret.
    """

    again: dict[str, Any] | None = None
    given_as = (
        'fsspec\'s file system "reference", which finds the chunks in the files that they lead to'
    )

    def __init__(self, make: Callable[[], ReferenceSet], targets: Targets, label: str) -> None:
        kind = "references" if targets.base else "references in memory"
        self._references = make()
        store = ReferenceStore(self._references, targets)
        super().__init__(store, label, kind, local=targets.are_local)
        self.object_storage = False  # documents are in the references
        self._make = make
        self._targets = targets

    def renew(self) -> int:
        """Read the references again; see `Reader.renew`."""
        self._references = self._make()
        self.__dict__.pop("packaging", None)
        self._store = ReferenceStore(self._references, self._targets)
        return super().renew()

    @cached_property
    def packaging(self) -> Packaging:
        """Which keys are none, and which local files are not there that the first keys lead to."""
        urls: dict[str, None] = {}
        for key in islice(self._references.below(""), _LOOKED_AT):
            with suppress(ReadError):  # what is no reference is told where it is read
                found = self._references.find(key)
                if isinstance(found, Target):
                    urls[found.url] = None
        gone = [self._targets.place(url) for url in urls if self._targets.is_missing(url)]
        return Packaging(
            odd_names=odd_names(self._references.spelled_out()), missing_targets=tuple(gone)
        )

    def target_of(self, key: str) -> tuple[str, str] | None:
        """Return where the bytes of a key are, and why they are not read; None if there is no such key."""
        found = self._references.find(key)
        if not isinstance(found, Target):
            return None if found is None else (f"in the references, {len(found):,} bytes", "")
        if refusal := self._targets.refusal(found.url):
            return str(found), refusal
        return str(found), "the file is not there" if self._targets.is_missing(found.url) else ""


def is_reference(location: str, scheme: str, options: Mapping[str, Any]) -> bool:
    """Whether a path or URL is that of references.

    Parameters
    ----------
    location : str
        Path or URL.
    scheme : str
        Of the URL, "" for a path.
    options : mapping
        Storage options: ``fo`` of fsspec names the references.
    """
    if scheme == "reference" or "fo" in options:
        return True
    name = location.rstrip("/").rpartition("/")[2]
    if scheme:
        return name.lower().endswith((".json", ".parq", ".parquet")) and name not in DOCUMENTS
    path = Path(location).expanduser()
    if path.is_dir():
        return _is_parquet_folder(path)
    return path.is_file() and path.suffix.lower() == ".json" and path.name not in DOCUMENTS


def is_virtual(source: Any) -> bool:
    """Whether something is a dataset of VirtualiZarr, whose variables lead to chunks in files."""
    return hasattr(source, "vz") and any(
        type(variable._data).__module__.startswith("virtualizarr.")  # noqa: SLF001  # no public name loads nothing
        for variable in source.variables.values()
    )


def _is_parquet_folder(path: Path) -> bool:
    """Whether a folder holds references in Parquet files."""
    document = path / ".zmetadata"
    if not document.is_file() or any((path / name).exists() for name in DOCUMENTS[:3]):
        return False
    with document.open("rb") as file:
        start, size = file.read(200), document.stat().st_size
        file.seek(max(0, size - 200))
        return b'"record_size"' in start + file.read(200)


def reference_reader(
    source: str | Mapping[str, Any], label: str, options: Mapping[str, Any], open_source: Open
) -> Reader:
    """Return a reader of references.

    Parameters
    ----------
    source : str or mapping
        A JSON file or a folder of Parquet files, as a path or URL, or references themselves.
    label : str
        The source as the user knows it.
    options : mapping
        See `OPTIONS`.
    open_source : callable
        Opens a path or URL with storage options.

    Raises
    ------
    SourceError
        If there is nothing, or it holds no references.
    """
    if unknown := sorted(set(options) - OPTIONS):
        raise SourceError(f"{label}: references have no option {unknown[0]!r}")
    own = dict(options.get("target_options") or {})
    base, make = (
        _from_place(source, label, own, open_source)
        if isinstance(source, str)
        else ("", partial(JsonReferences, source, label))
    )
    remote = dict(options.get("remote_options") or {}) or own
    allowed = options.get("targets") or ()
    protocols = options.get("remote_protocol") or ()

    def open_store(url: str) -> Any:
        return open_source(url, remote).store  # type: ignore[attr-defined]  # a URL has one

    targets = Targets(
        base,
        open_store,
        [allowed] if isinstance(allowed, str) else [*map(str, allowed)],
        [protocols] if isinstance(protocols, str) else [*map(str, protocols)],
    )
    reader = ReferenceReader(make, targets, label)
    if not own and not remote:
        shared = {name: options[name] for name in ("targets", "remote_protocol") if name in options}
        again = {"source": source, "options": shared, "network": not targets.are_local}
        with suppress(TypeError, ValueError):  # references in memory may hold bytes
            json.dumps(again)
            reader.again = again
    return reader


def _from_place(
    source: str, label: str, options: dict[str, Any], open_source: Open
) -> tuple[str, Callable[[], ReferenceSet]]:
    """Return the folder that references lie in, and what reads them."""
    if "://" in source:
        folder, _, name = source.rstrip("/").rpartition("/")
        if name.lower().endswith(".json"):
            beside = open_source(folder, options)
            return folder, lambda: JsonReferences(_content(beside, name, label), label)
        parquet = open_source(source, options)
        return folder, lambda: ParquetReferences(parquet.get, label)
    path = Path(source).expanduser().absolute()
    if path.is_dir():
        return str(path.parent), lambda: ParquetReferences(FolderReader(path).get, label)
    if not path.is_file():
        raise SourceError(f"there is nothing at {label}")
    beside = FolderReader(path.parent)
    return str(path.parent), lambda: JsonReferences(_content(beside, path.name, label), label)


def _content(beside: Reader, name: str, label: str) -> bytes:
    try:
        content = beside.get(name, max_bytes=MAX_DOCUMENT_BYTES)
    except ReadError as error:
        raise SourceError(f"{label} could not be read: {error.detail}") from error
    if content is None:
        raise SourceError(f"there is nothing at {label}")
    return content
