"""The one way in which the rest of the package asks a store for bytes and names.

A reader is synchronous at its face and asks for many things at once: a local one answers directly,
without an event loop; a remote one runs the requests of a batch side by side (see `remote`).
"""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from nz_explorer.store.cancellation import Cancellation
from nz_explorer.store.errors import ReadError

if TYPE_CHECKING:
    from zarr.abc.store import Store
    from zarr.storage import StorePath

MAX_DOCUMENT_BYTES = 512 * 1024 * 1024
"""A metadata document larger than this is refused; consolidated roots of 200 MiB exist."""


@dataclass
class Counters:
    """What a reader has asked of its store so far."""

    requests: int = 0
    bytes: int = 0
    round_trips: int = 0
    """Batches: requests that had to wait for one another."""
    retries: int = 0


@dataclass(frozen=True, slots=True)
class Listing:
    """The names directly below a prefix."""

    names: tuple[str, ...]
    complete: bool = True
    """False where listing stopped at the limit."""


_UNSAFE = frozenset(("", ".", ".."))


def check_key(key: str) -> None:
    """Raise `ReadError` for a key that could lead out of the store.

    Keys come from names inside consolidated metadata too, and so from strangers.
    """
    if not is_safe(key):
        raise ReadError(
            key, "unsafe key", "the key has an empty, '.', '..' or otherwise unsafe part"
        )


def is_safe(key: str) -> bool:
    """Return whether a key cannot lead out of the store."""
    return "\x00" not in key and "\\" not in key and _UNSAFE.isdisjoint(key.split("/"))


class Reader(ABC):
    """Bytes and names of one store, below one prefix.

    Attributes
    ----------
    label : str
        The source as the user knows it.
    kind : str
        The kind of store in words: ``folder``, ``zip file``, ``HTTP``, ``S3``, …
    listable : bool
        Whether the store can say which keys it holds.
    local : bool
        Whether a request costs next to nothing.
    prefix : str
        Path of the root inside `zarr_store`, without slashes at its ends.
    object_storage : bool
        Whether the store is served over a network by key.
    """

    local = True
    object_storage = False

    def __init__(
        self,
        label: str,
        kind: str,
        *,
        prefix: str = "",
        listable: bool = True,
        url: str | None = None,
    ) -> None:
        self.label = label
        self.kind = kind
        self.prefix = prefix
        self.listable = listable
        self.url = url
        self.counters = Counters()
        self._zarr_store: Store | None = None
        self._zarr_lock = threading.Lock()

    @abstractmethod
    def get_many(
        self, keys: Sequence[str], cancel: Cancellation | None = None
    ) -> list[bytes | ReadError | None]:
        """Return the bytes of each key, None where there is nothing, or why it failed."""

    @abstractmethod
    def list_many(
        self, prefixes: Sequence[str], cancel: Cancellation | None = None, limit: int | None = None
    ) -> list[Listing | ReadError]:
        """Return the names directly below each prefix, or why that failed."""

    def look_many(
        self,
        keys: Sequence[str],
        prefixes: Sequence[str],
        cancel: Cancellation | None = None,
        limit: int | None = None,
    ) -> tuple[list[bytes | ReadError | None], list[Listing | ReadError]]:
        """Return what `get_many` gives for some keys and `list_many` for some prefixes, both at once."""
        return self.get_many(keys, cancel), self.list_many(prefixes, cancel, limit)

    @abstractmethod
    def open_zarr_store(self) -> Store:
        """Open the store for zarr, read-only."""

    def get(self, key: str, cancel: Cancellation | None = None) -> bytes | None:
        """Return the bytes of a key, None where there is nothing.

        Raises
        ------
        ReadError
            If the store fails.
        """
        (answer,) = self.get_many([key], cancel)
        if isinstance(answer, ReadError):
            raise answer
        return answer

    def list_level(
        self, prefix: str, cancel: Cancellation | None = None, limit: int | None = None
    ) -> Listing:
        """Return the names directly below a prefix.

        Raises
        ------
        ReadError
            If the store fails, or cannot be listed.
        """
        (answer,) = self.list_many([prefix], cancel, limit)
        if isinstance(answer, ReadError):
            raise answer
        return answer

    def zarr_store(self) -> Store:
        """Return the store as zarr sees it, opened once."""
        with self._zarr_lock:
            if self._zarr_store is None:
                self._zarr_store = self.open_zarr_store()
            return self._zarr_store

    def zarr_path(self, path: str) -> StorePath:
        """Return where a node stands in `zarr_store`.

        Parameters
        ----------
        path : str
            Absolute path of the node, such as ``/forecast/temp``.
        """
        from zarr.storage import StorePath

        parts = [part for part in (self.prefix, path.strip("/")) if part]
        return StorePath(self.zarr_store(), "/".join(parts))

    def close(self) -> None:
        """Let go of files and connections."""
        with self._zarr_lock:
            if self._zarr_store is not None:
                self._zarr_store.close()
                self._zarr_store = None
