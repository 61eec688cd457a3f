"""Which chunks a store holds, as far as a bounded listing shows: no chunk is asked for, and no value is read."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from nz_explorer.model import Array
from nz_explorer.store import Cancellation, ReadError
from nz_explorer.store.reader import Listing
from nz_explorer.store.remote.loop import wait_for
from nz_explorer.values.reading.chunk_grid import ChunkGrid, Coordinates
from nz_explorer.values.reading.opening import OpenArray

MOST_NAMES, MOST_NAMES_AFAR = 100_000, 1_999
"""Names that are looked at; afar those of two pages of an object store, one after the other."""
MOST_FOLDERS = 5_000
"""Folders of a local store that are listed; most have one for each index along each axis but the last."""
MOST_SIZES = 32
"""Chunks whose size is asked for."""

_NUMBERS = re.compile(r"\d+([ .~].*)?")
"""Names of chunks elsewhere, of copies such as ``0 (1)``, and of what an interrupted write left behind."""

Places = np.ndarray[Any, np.dtype[np.int64]]
Part = tuple[int, int]


@dataclass(frozen=True)
class Presence:
    """The objects below an array that are named like chunks.

    Parameters
    ----------
    places
        Coordinates of the objects that hold chunks (of shards where it is sharded), a row for each, sorted.
    outside
        Names, relative to the array, of chunks that the shape has no place for; of a folder of them
        only its name.
    complete
        False where there may be more: the listing was stopped at its limit.
    misnamed
        Names, relative to the array, of what lies in the folder of the chunks under names that have too few or
        too many indices, or another separator.
    """

    places: Places
    outside: tuple[str, ...] = ()
    complete: bool = True
    misnamed: tuple[str, ...] = ()
    strays: tuple[str, ...] = ()

    @cached_property
    def stored(self) -> tuple[Coordinates, ...]:
        """The same coordinates as tuples."""
        return tuple(map(tuple, self.places.tolist()))


def listed(
    array: Array,
    opened: ChunkGrid,
    *,
    parts: Mapping[int, Part] | None = None,
    most_folders: int | None = MOST_FOLDERS,
    most_names: int | None = None,
    cancel: Cancellation | None = None,
) -> Presence | None:
    """Return which chunks the store holds: of an object store in one listing by prefix, of others folder by folder.

    Parameters
    ----------
    array
        The array.
    opened
        The same, opened.
    parts
        By axis which objects are looked for, as the first and the one after the last; all by default.
    most_folders, most_names
        How much is listed at most, and how many names are looked at: by default `MOST_NAMES`, and
        `MOST_NAMES_AFAR` where listing costs requests.
    cancel
        Looked at before each listing.

    Returns
    -------
    Presence or None
        With what was found until then where there is more; None where the store cannot be listed.
    """
    reader = array.hierarchy.reader
    spelling = _Spelling.of(opened)
    if not reader.listable or spelling is None:
        return None
    if most_names is None:
        most_names = MOST_NAMES if reader.local else MOST_NAMES_AFAR
    found = _Found(spelling, opened.object_grid, parts or {})
    base = array.path.strip("/")
    start, before = found.start()
    if reader.lists_below:
        prefix = "/".join(part for part in (base, start) if part)
        try:
            below_it = reader.list_below(prefix, cancel, limit=most_names + 1)
        except ReadError:
            return None
        found.complete = below_it.complete
        for key in below_it.names:
            found.add_key("/".join(part for part in (start, key) if part))
        return found.presence()
    names = folders = 0
    stack: list[tuple[str, Coordinates]] = [(start, before)]
    while stack:
        if (most_folders is not None and folders >= most_folders) or names > most_names:
            found.complete = False
            break
        # the folders of a level that are next to each other at once, the first of them first
        batch = [stack.pop() for _ in range(min(len(stack), 64))]
        folders += len(batch)
        keys = ["/".join(part for part in (base, folder) if part) for folder, _ in batch]
        # one too many, so that what is cut short is known
        listings = reader.list_many(keys, cancel, limit=max(1, most_names - names + 1))
        below: list[tuple[str, Coordinates]] = []
        for (folder, place), listing in zip(batch, listings, strict=True):
            if isinstance(listing, ReadError):
                return None
            found.complete &= listing.complete
            names += len(listing.names)
            below += found.add_level(folder, place, listing)
        stack += below[::-1]
        if not found.complete:
            break
    return found.presence()


class _Found:
    """The chunks that were found so far."""

    def __init__(self, spelling: _Spelling, counts: Coordinates, parts: Mapping[int, Part]) -> None:
        self.spelling = spelling
        self.counts = counts
        self.rank = len(counts)
        self.parts = parts
        self.complete = True
        self.stored: list[Coordinates] = []
        self.outside: dict[str, None] = {}
        self.misnamed: dict[str, None] = {}
        self.strays: dict[str, None] = {}

    def start(self) -> tuple[str, Coordinates]:
        """Return the deepest folder that everything wanted is in, and the indices that it stands for."""
        folder, before = self.spelling.folder, []
        if self.spelling.separator == "/":
            for axis in range(self.rank - 1):
                first, end = self.parts.get(axis, (0, self.counts[axis] + 1))
                if end - first != 1:
                    break
                before.append(first)
                folder = f"{folder}/{first}" if folder else str(first)
        return folder, tuple(before)

    def add_level(
        self, folder: str, before: Coordinates, listing: Listing
    ) -> Iterator[tuple[str, Coordinates]]:
        """Take the names in a folder, and yield those of its folders that are wanted."""
        spelling, rank, at = self.spelling, self.rank, len(before)
        dotted = spelling.separator == "."
        for name in listing.names:
            indices = spelling.indices(name)
            if indices is None or (len(indices) != rank if dotted else len(indices) != 1):
                if folder:
                    odd = self.misnamed if _NUMBERS.fullmatch(name) else self.strays
                    odd[f"{folder}/{name}"] = None
                continue
            place = before + indices
            # a folder is no chunk, and a file is no folder of chunks
            if name in (listing.folders if len(place) == rank else listing.files):
                if not folder:
                    self.misnamed[name] = None
                else:  # the name of a chunk, were it not a folder: it is written as one
                    slash = "/" if name in listing.folders else ""
                    self.misnamed[f"{folder}/{name}{slash}"] = None
                continue
            if any(i >= n for i, n in zip(place, self.counts, strict=False)):
                self.outside[f"{folder}/{name}" if folder else name] = None
            elif not self._wanted(place, at):
                continue
            elif len(place) == rank:
                self.stored.append(place)
            else:
                yield f"{folder}/{name}" if folder else name, place

    def add_key(self, key: str) -> None:
        """Take a key below the array."""
        spelling = self.spelling
        if spelling.folder:
            folder, _, key = key.partition("/")
            if folder != spelling.folder:
                return
        indices = spelling.indices(key)
        if indices is None:
            folder, slash, _ = key.partition("/")
            if slash and spelling.separator == "/" and folder.isdecimal():
                self.strays[key] = None
            return
        for axis, (i, n) in enumerate(zip(indices, self.counts, strict=False)):
            if i >= n:
                parts = key.split(spelling.separator)
                shown = key if spelling.separator == "." else "/".join(parts[: axis + 1])
                self.outside["/".join(p for p in (spelling.folder, shown) if p)] = None
                return
        if len(indices) != self.rank:
            self.misnamed["/".join(p for p in (spelling.folder, key) if p)] = None
        elif self._wanted(indices, 0):
            self.stored.append(indices)

    def _wanted(self, place: Coordinates, at: int) -> bool:
        for axis in range(at, len(place)):
            part = self.parts.get(axis)
            if part is not None and not part[0] <= place[axis] < part[1]:
                return False
        return True

    def presence(self) -> Presence:
        """Return what was found."""
        self.stored.sort()
        places = np.array(self.stored, np.int64).reshape(len(self.stored), self.rank)
        return Presence(
            places,
            tuple(sorted(self.outside)),
            self.complete,
            tuple(sorted(self.misnamed)),
            tuple(sorted(self.strays)),
        )


@dataclass(frozen=True, slots=True)
class _Spelling:
    """How the keys of chunks are made of their coordinates."""

    folder: str
    prefix: str
    separator: str

    @classmethod
    def of(cls, opened: ChunkGrid) -> _Spelling | None:
        """Return it for an array, None for a scalar, and where it is not known."""
        if not opened.shape:
            return None
        key = opened.zarr.metadata.encode_chunk_key((0,) * len(opened.shape))
        zeros = len(opened.shape)
        for start in ("", "c/", "c."):
            for separator in ("/", "."):
                if key == start + separator.join(["0"] * zeros):
                    folder = start.rstrip("/") if start.endswith("/") else ""
                    return cls(folder, start if start == "c." else "", separator)
        return None

    def indices(self, name: str) -> Coordinates | None:
        """Return the indices that a name, or a key below the folder, stands for; None where it is no chunk's."""
        if self.prefix:
            if not name.startswith(self.prefix):
                return None
            name = name.removeprefix(self.prefix)
        found = []
        for part in name.split(self.separator):
            if not (part.isdecimal() and part.isascii()) or (part[0] == "0" and part != "0"):
                return None
            found.append(int(part))
        return tuple(found)


# --- what a picture needs to know ----------------------------------------------------------------


def known_presence(
    opened: OpenArray, parts: Mapping[int, Part], cancel: Cancellation | None = None
) -> Presence | None:
    """Return which objects are stored in a part of an array; what was listed whole is remembered.

    Parameters
    ----------
    opened
        The array.
    parts
        By axis which objects are looked for, as the first and the one after the last.
    cancel
        Looked at before each listing.

    Returns
    -------
    Presence or None
        None where a bounded listing is not enough.
    """
    whole = whole_presence(opened, cancel) if opened.local else opened.known.get("presence")
    if whole is not None and whole.complete:
        return whole
    found = listed(opened.array, opened, parts=parts, cancel=cancel)
    return found if found is not None and found.complete else None


def whole_presence(opened: OpenArray, cancel: Cancellation | None = None) -> Presence | None:
    """Return which objects are stored for an array, as far as a bounded listing shows; asked once.

    Parameters
    ----------
    opened
        The array.
    cancel
        Looked at before each listing.
    """
    if "presence" not in opened.known:
        opened.known["presence"] = listed(opened.array, opened, cancel=cancel)
    found: Presence | None = opened.known["presence"]
    return found


@dataclass(frozen=True, slots=True)
class StoredSize:
    """How many bytes some of the stored chunks take; of all of them where there are few.

    Parameters
    ----------
    total
        Bytes of the chunks that were asked for.
    asked
        How many those are.
    """

    total: int
    asked: int


def stored_size(
    opened: OpenArray,
    presence: Presence,
    *,
    most: int = MOST_SIZES,
    cancel: Cancellation | None = None,
) -> StoredSize | None:
    """Return what stored chunks take in the store.

    Parameters
    ----------
    opened
        The array.
    presence
        Its chunks.
    most
        Chunks that are asked for; of more than that, some are taken at even distances.
    cancel
        Stops asking.

    Returns
    -------
    StoredSize or None
        None where there are no chunks, or the store cannot list them.
    """
    if not len(presence.places):
        return None
    chosen = presence.places[:: -(-len(presence.places) // most)].tolist()

    async def ask() -> list[int]:
        keys = [opened.object_key(tuple(place)) for place in chosen]
        return await asyncio.gather(*(opened.zarr.store.getsize(key) for key in keys))

    try:
        return StoredSize(sum(wait_for(ask(), cancel)), len(chosen))
    except (OSError, NotImplementedError):
        return None  # a chunk has gone meanwhile, or may not be asked for
