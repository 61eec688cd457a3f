"""The one way in which the rest of the package asks a store for bytes and names.

A reader is synchronous at its face and asks for many things at once: a local one answers directly,
without an event loop; a remote one runs the requests of a batch side by side (see `remote`).
"""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING

from nz_explorer.store.cancellation import Cancellation
from nz_explorer.store.errors import ReadError
from nz_explorer.store.generation import Generations

if TYPE_CHECKING:
    from zarr.abc.store import Store
    from zarr.storage import StorePath

MAX_DOCUMENT_BYTES = 256 * 1024 * 1024
"""A metadata document larger than this is refused; consolidated roots of 200 MiB exist."""
MAX_OBJECT_BYTES = 2 * 1024**3
"""What zarr reads at once is refused above this, where no other limit is given: a chunk, or a whole shard."""
MAX_NAMES = 2_000_000
"""Names that a listing may have."""
MOST_ODD_NAMES = 100
"""Names that are no keys, as examples."""


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
    files: frozenset[str] = frozenset()
    """Those of the names below which nothing can be, if the store shows it."""
    folders: frozenset[str] = frozenset()
    """Those of the names that are folders and nothing else, if the store shows it."""


@dataclass(frozen=True, slots=True)
class Packaging:
    """How a store is packed, as far as readers may mind.

    Attributes
    ----------
    top_folder : str
        The one folder of a zip file that everything is in, found because the root has no document of its own.
    repeated : dict of str to int
        Names of a zip file that occur more than once, and how often.
    odd_names : tuple of str
        Names of a zip file, or keys of references, that begin with a slash, or have parts that are empty, ``.`` or ``..``: they are nobody's keys.
    holding_names : tuple of str
        Names of a zip file that hold something, and are those of folders, too.
    lies_in : str
        What the source is part of, as the end of a sentence; empty where it is part of no hierarchy.
    group_above : str
        The folder that holds this one, where it is a group: the source may be part of what was meant.
    folder_called_zip : bool
        Whether it is a folder whose name is that of a zip file.
    missing_targets : tuple of str
        Local files that references lead to and that are not there.
    """

    top_folder: str = ""
    repeated: Mapping[str, int] = field(default_factory=dict)
    odd_names: tuple[str, ...] = ()
    holding_names: tuple[str, ...] = ()
    lies_in: str = ""
    group_above: str = ""
    folder_called_zip: bool = False
    missing_targets: tuple[str, ...] = ()


def check_key(key: str) -> None:
    """Raise `ReadError` for a key that could lead out of the store.

    Keys come from names inside consolidated metadata too, and so from strangers.

    Raises
    ------
    ReadError
        If one of its parts is empty, ``.``, ``..``, or has a backslash or NUL.
    """
    if not is_safe(key):
        raise ReadError(
            key, "unsafe key", "the key has an empty, '.', '..' or otherwise unsafe part"
        )


def is_safe(key: str) -> bool:
    """Return whether a key cannot lead out of the store."""
    bounded = f"/{key}/"  # of many keys that are joined, searches are faster than to split them
    return not (
        "//" in bounded or "/./" in bounded or "/../" in bounded or "\\" in key or "\x00" in key
    )


def is_key(name: str) -> bool:
    """Return whether a name in a packed store is a key, or a folder of keys, apart from backslashes in it."""
    return is_safe(name.removesuffix("/").replace("\\", "_"))


def odd_names(names: Iterable[str]) -> tuple[str, ...]:
    """Return the first names that are no keys, because they begin with a slash, or have parts that are empty, ``.`` or ``..``."""
    return tuple(islice((name for name in names if not is_key(name)), MOST_ODD_NAMES))


def with_limit(store: Store, max_bytes: int) -> Store:
    """Return the same guarded store, files and connections included, with another limit for each read.

    Parameters
    ----------
    store : Store
        A store of this package, which has a limit.
    max_bytes : int
        The most bytes that one read may take.
    """
    other = object.__new__(type(store))
    other.__dict__.update(store.__dict__, max_bytes=max_bytes)
    return other


class Reader(ABC):
    """Bytes and names of one store, below one prefix.

    Attributes
    ----------
    label : str
        The source as the user knows it.
    kind : str
        The kind of store in words: ``folder``, ``zip file``, ``HTTP``, ``S3``, …
    listable : bool
        Whether the store can list its keys.
    local : bool
        Whether a request costs next to nothing.
    prefix : str
        Path of the root inside `zarr_store`, without slashes at its ends.
    object_storage : bool
        Whether the store is served over a network by key.
    unwritten : bool
        Whether nothing is stored as Zarr: documents and chunks are made from another form when they are asked for.
    follow_links : bool
        Whether symbolic links are followed out of a folder.
    lists_below : bool
        Whether all keys below a prefix come in one listing, see `list_below`.
    given_as : str
        What Python programs open it with, where it is not Zarr's keys and documents that are stored; else empty.
    generations : Generations
        Which state of the store is read, and what that was read before still counts.
    """

    local = True
    object_storage = False
    unwritten = False
    follow_links = False
    lists_below = False
    given_as = ""

    @property
    def deadline(self) -> float | None:
        """How many seconds whatever someone waits for may take, where the user says; see `resolve`."""
        return None

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
        self.generations = Generations()
        self._zarr_store: Store | None = None
        self._zarr_lock = threading.Lock()

    def target_of(self, key: str) -> tuple[str, str] | None:
        """Return where the bytes of a key are, if that is in another file, and why they are not read or "".

        Parameters
        ----------
        key : str
            Key in the store, such as ``temperature/0.0``.
        """
        return None

    @property
    def packaging(self) -> Packaging:
        """How the store is packed."""
        return Packaging()

    @abstractmethod
    def get_many(
        self,
        keys: Sequence[str],
        cancel: Cancellation | None = None,
        *,
        max_bytes: int | None = None,
    ) -> list[bytes | ReadError | None]:
        """Return the bytes of each key, None where there is nothing, or why it failed.

        Parameters
        ----------
        keys : sequence of str
            What to read.
        cancel : Cancellation, optional
            Ends it early.
        max_bytes : int, optional
            The most that each key may hold; `MAX_DOCUMENT_BYTES` by default. Of one that holds more the answer
            is `TooLarge`, and no more than the limit is read.
        """

    @abstractmethod
    def list_many(
        self, prefixes: Sequence[str], cancel: Cancellation | None = None, limit: int | None = None
    ) -> list[Listing | ReadError]:
        """Return the names directly below each prefix, or why that failed.

        Parameters
        ----------
        prefixes : sequence of str
            Paths of the folders, without slashes at their ends.
        cancel : Cancellation, optional
            Ends it early.
        limit : int, optional
            The most names that are returned for each of them; all by default.
        """

    def get_and_list(
        self,
        keys: Sequence[str],
        prefixes: Sequence[str],
        cancel: Cancellation | None = None,
        limit: int | None = None,
    ) -> tuple[list[bytes | ReadError | None], list[Listing | ReadError]]:
        """Return what `get_many` gives for some keys and `list_many` for some prefixes, both at once.

        Parameters
        ----------
        keys : sequence of str
            What to read.
        prefixes : sequence of str
            Paths of the folders, without slashes at their ends.
        cancel : Cancellation, optional
            Ends it early.
        limit : int, optional
            The most names that are returned for each of them; all by default.
        """
        return self.get_many(keys, cancel), self.list_many(prefixes, cancel, limit)

    def reading_ahead(
        self, keys: Sequence[str], names: Collection[str], cancel: Cancellation | None = None
    ) -> AbstractContextManager[None]:
        """Have documents and listings ready that are needed one after the other, where a request takes time.

        Parameters
        ----------
        keys : sequence of str
            Keys of the documents, as far as they are known.
        names : collection of str
            Names of documents, which are looked for if no keys are known and all keys of the store come in one
            listing.
        cancel : Cancellation, optional
            Ends it early.
        """
        return nullcontext()

    @abstractmethod
    def open_zarr_store(self) -> Store:
        """Open the store for zarr, read-only."""

    def get(
        self, key: str, cancel: Cancellation | None = None, *, max_bytes: int | None = None
    ) -> bytes | None:
        """Return the bytes of a key, None where there is nothing.

        Parameters
        ----------
        key : str
            Key in the store, such as ``temperature/zarr.json``.
        cancel : Cancellation, optional
            Ends it early.
        max_bytes : int, optional
            The most bytes that it may hold; `MAX_DOCUMENT_BYTES` by default.

        Raises
        ------
        TooLarge
            If it holds more than `max_bytes`; see `get_many`.
        ReadError
            If the store fails.
        """
        (answer,) = self.get_many([key], cancel, max_bytes=max_bytes)
        if isinstance(answer, ReadError):
            raise answer
        return answer

    def list_level(
        self, prefix: str, cancel: Cancellation | None = None, limit: int | None = None
    ) -> Listing:
        """Return the names directly below a prefix.

        Parameters
        ----------
        prefix : str
            Path of the folder, without slashes at its ends.
        cancel : Cancellation, optional
            Ends it early.
        limit : int, optional
            The most names that are returned; all by default.

        Raises
        ------
        ReadError
            If the store fails, or cannot be listed.
        """
        (answer,) = self.list_many([prefix], cancel, limit)
        if isinstance(answer, ReadError):
            raise answer
        return answer

    def list_below(
        self, prefix: str, cancel: Cancellation | None = None, limit: int | None = None
    ) -> Listing:
        """Return the keys below a prefix, at any depth and relative to it, in one listing.

        Parameters
        ----------
        prefix : str
            Path of the folder, without slashes at its ends.
        cancel : Cancellation, optional
            Ends it early.
        limit : int, optional
            The most keys that are returned; all by default.

        Raises
        ------
        ReadError
            If the store fails, or cannot be listed in this way.
        """
        raise ReadError(prefix, "os", f"a {self.kind} is listed folder by folder")

    @property
    def generation(self) -> int:
        """The generation of what is read from now on."""
        return self.generations.now

    def renew(self) -> int:
        """Begin a generation: what is asked for from now on is answered by the store, not by what is known of it.

        Returns
        -------
        int
            The generation.

        Raises
        ------
        SourceError
            If the store cannot be opened any more; what is open stays so.
        """
        with self._zarr_lock:
            self._zarr_store = None  # arrays that were opened with it keep it
        return self.generations.begin()

    def zarr_store(self, *, max_bytes: int | None = None) -> Store:
        """Return the store as zarr sees it, opened once.

        Parameters
        ----------
        max_bytes : int, optional
            The most that one read of zarr may take; `MAX_OBJECT_BYTES` by default. A read of more raises
            `TooLarge`, whoever makes it.
        """
        with self._zarr_lock:
            if self._zarr_store is None:
                self._zarr_store = self.open_zarr_store()
            store = self._zarr_store
        return store if max_bytes is None else with_limit(store, max_bytes)

    def zarr_path(self, path: str, *, max_bytes: int | None = None) -> StorePath:
        """Return the path of a node in `zarr_store`.

        Parameters
        ----------
        path : str
            Absolute path of the node, such as ``/forecast/temp``.
        max_bytes : int, optional
            As of `zarr_store`.
        """
        from zarr.storage import StorePath

        parts = [part for part in (self.prefix, path.strip("/")) if part]
        return StorePath(self.zarr_store(max_bytes=max_bytes), "/".join(parts))

    def close(self) -> None:
        """Let go of files and connections."""
        with self._zarr_lock:
            if self._zarr_store is not None:
                self._zarr_store.close()
                self._zarr_store = None
