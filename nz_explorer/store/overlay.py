"""A store as it would be with some documents changed, without changing them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from nz_explorer.store.cancellation import Cancellation
from nz_explorer.store.errors import ReadError
from nz_explorer.store.reader import Listing, Packaging, Reader, check_key

if TYPE_CHECKING:
    from zarr.abc.store import Store


class OverlayReader(Reader):
    """Reads another reader, except for some keys that are overridden or removed in memory.

    Everything else passes through, also values: `zarr_store` is that of the other reader.

    Parameters
    ----------
    base : Reader
        What is read. Closing the overlay leaves it open.
    """

    def __init__(self, base: Reader) -> None:
        super().__init__(
            base.label, base.kind, prefix=base.prefix, listable=base.listable, url=base.url
        )
        self.base = base
        self.local = base.local
        self.object_storage = base.object_storage
        self.unwritten = base.unwritten
        self.follow_links = base.follow_links
        self.lists_below = base.lists_below
        self.counters = base.counters
        self._documents: dict[str, bytes | None] = {}

    @property
    def deadline(self) -> float | None:
        """How many seconds whatever someone waits for may take, where the user says."""
        return self.base.deadline

    def target_of(self, key: str) -> tuple[str, str] | None:
        """Return where the bytes of a key are; see `Reader.target_of`."""
        return self.base.target_of(key)

    @property
    def packaging(self) -> Packaging:
        """How the store below is packed."""
        return self.base.packaging

    @property
    def overridden(self) -> Mapping[str, bytes | None]:
        """The keys that differ, with their bytes; None for what is removed."""
        return dict(self._documents)

    def override(self, key: str, data: bytes | None) -> None:
        """Give a key other bytes, or remove it (None).

        Parameters
        ----------
        key : str
            Key in the store, such as ``temperature/zarr.json``.
        data : bytes or None
            The bytes; None removes the key.

        Raises
        ------
        ReadError
            If the key could lead out of the store.
        """
        check_key(key)
        # A new dictionary each time: readers on other threads see the old one or the new one.
        self._documents = {**self._documents, key: data}
        self.generations.begin()

    def restore(self, key: str) -> None:
        """Let a key pass through again."""
        self._documents = {k: v for k, v in self._documents.items() if k != key}
        self.generations.begin()

    def renew(self) -> int:
        """Begin a generation of what is below, and of this; see `Reader.renew`."""
        self.base.renew()
        return super().renew()

    def get_many(
        self,
        keys: Sequence[str],
        cancel: Cancellation | None = None,
        *,
        max_bytes: int | None = None,
    ) -> list[bytes | ReadError | None]:
        """Return the bytes of each key; see `Reader.get_many`."""
        documents = self._documents
        below = [key for key in keys if key not in documents]
        answers = iter(self.base.get_many(below, cancel, max_bytes=max_bytes) if below else ())
        return [documents[key] if key in documents else next(answers) for key in keys]

    def list_many(
        self, prefixes: Sequence[str], cancel: Cancellation | None = None, limit: int | None = None
    ) -> list[Listing | ReadError]:
        """Return the names below each prefix; see `Reader.list_many`.

        A folder whose last document is removed is still listed, as a local folder is.
        """
        answers = self.base.list_many(prefixes, cancel, limit)
        documents = self._documents
        return [
            answer if isinstance(answer, ReadError) else _with(answer, prefix, documents)
            for prefix, answer in zip(prefixes, answers, strict=True)
        ]

    def list_below(
        self, prefix: str, cancel: Cancellation | None = None, limit: int | None = None
    ) -> Listing:
        """Return the keys below a prefix; see `Reader.list_below`."""
        found = self.base.list_below(prefix, cancel, limit)
        stem = f"{prefix}/" if prefix else ""
        keys = set(found.names)
        for key, data in self._documents.items():
            if key.startswith(stem):
                (keys.discard if data is None else keys.add)(key[len(stem) :])
        return Listing(tuple(sorted(keys)), found.complete)

    def open_zarr_store(self) -> Store:
        """Return the store of the reader below, which values are read from."""
        return self.base.zarr_store()

    def zarr_store(self, *, max_bytes: int | None = None) -> Store:
        """Return the store of the reader below, as it is by now."""
        return self.base.zarr_store(max_bytes=max_bytes)

    def close(self) -> None:
        """Let go of nothing: the store belongs to the reader below."""


def _with(listing: Listing, prefix: str, documents: Mapping[str, bytes | None]) -> Listing:
    stem = f"{prefix}/" if prefix else ""
    names, files, folders = set(listing.names), set(listing.files), set(listing.folders)
    shows_kinds = bool(files or folders)
    for key, data in documents.items():
        if not key.startswith(stem):
            continue
        name, below, _ = key[len(stem) :].partition("/")
        if data is not None:
            if shows_kinds and name not in names:
                (folders if below else files).add(name)
            names.add(name)
        elif not below:
            names.discard(name)
    return Listing(
        tuple(sorted(names)), listing.complete, frozenset(files & names), frozenset(folders & names)
    )
