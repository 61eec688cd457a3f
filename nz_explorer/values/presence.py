"""Which chunks a store holds, as far as a bounded listing tells."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from nz_explorer.model import Array
from nz_explorer.store import Cancellation, ReadError
from nz_explorer.store.loop import wait_for
from nz_explorer.values.opening import Coordinates, OpenArray

MOST_FOLDERS = 500
"""Folders that are listed; most stores have one for each index along each axis but the last."""
MOST_NAMES = 20_000
MOST_SIZES = 32
"""Chunks whose size is asked for."""


@dataclass(frozen=True, slots=True)
class Presence:
    """The objects below an array that are named like chunks.

    Parameters
    ----------
    stored
        Coordinates of the objects that hold chunks (of shards where it is sharded), sorted.
    outside
        Names, relative to the array, of chunks that the shape has no place for; of a folder of them
        only its name.
    """

    stored: tuple[Coordinates, ...]
    outside: tuple[str, ...]


def listed(
    array: Array,
    opened: OpenArray,
    *,
    most_folders: int = MOST_FOLDERS,
    most_names: int = MOST_NAMES,
    cancel: Cancellation | None = None,
) -> Presence | None:
    """Return which chunks the store holds.

    Parameters
    ----------
    array
        The array.
    opened
        The same, opened.
    most_folders, most_names
        How much is listed at most, and how many names are looked at.
    cancel
        Looked at before each listing.

    Returns
    -------
    Presence or None
        None where the store cannot be listed, or has more than that.
    """
    reader = array.hierarchy.reader
    spelling = _Spelling.of(opened)
    if not reader.listable or spelling is None:
        return None
    counts = opened.object_grid
    base = array.path.strip("/")
    stored: list[Coordinates] = []
    outside: list[str] = []
    level: list[tuple[str, Coordinates]] = [(spelling.folder, ())]
    folders = names = 0
    while level:
        folders += len(level)
        if folders > most_folders:
            return None
        keys = ["/".join(part for part in (base, folder) if part) for folder, _ in level]
        # one too many, so that what is cut short is known
        found = reader.list_many(keys, cancel, limit=most_names - names + 1)
        below: list[tuple[str, Coordinates]] = []
        for (folder, before), listing in zip(level, found, strict=True):
            if isinstance(listing, ReadError) or not listing.complete:
                return None
            names += len(listing.names)
            for name in listing.names:
                place = spelling.place(name, before, len(counts))
                if place is None:
                    continue
                path = "/".join(part for part in (folder, name) if part)
                if any(i >= n for i, n in zip(place, counts, strict=False)):
                    outside.append(path)
                elif len(place) == len(counts):
                    stored.append(place)
                else:
                    below.append((path, place))
        if names > most_names:
            return None
        level = below
    return Presence(tuple(sorted(stored)), tuple(outside))


@dataclass(frozen=True, slots=True)
class _Spelling:
    """How the keys of chunks are made of their coordinates."""

    folder: str
    prefix: str
    separator: str

    @classmethod
    def of(cls, opened: OpenArray) -> _Spelling | None:
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

    def place(self, name: str, before: Coordinates, rank: int) -> Coordinates | None:
        """Return the coordinates, or the first of them, that a name stands for."""
        if not name.startswith(self.prefix):
            return None
        parts = name.removeprefix(self.prefix).split(".") if self.separator == "." else [name]
        if not all(part.isascii() and part.isdecimal() for part in parts):
            return None
        if any(part != str(int(part)) for part in parts):
            return None
        place = (*before, *map(int, parts))
        return None if self.separator == "." and len(place) != rank else place


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
        None where there are no chunks, or the store does not tell.
    """
    if not presence.stored:
        return None
    chosen = presence.stored[:: -(-len(presence.stored) // most)]

    async def ask() -> list[int]:
        keys = map(opened.object_key, chosen)
        return await asyncio.gather(*(opened.zarr.store.getsize(key) for key in keys))

    try:
        return StoredSize(sum(wait_for(ask(), cancel)), len(chosen))
    except (OSError, NotImplementedError):
        return None  # a chunk has gone meanwhile, or may not be asked for
