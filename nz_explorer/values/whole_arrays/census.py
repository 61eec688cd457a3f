"""How many chunks of an array were written, and where: from listings and the indices of shards, no value is read."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from nz_explorer.model import Array
from nz_explorer.model.fill_values import value_text
from nz_explorer.store import Cancellation, Cancelled
from nz_explorer.text.phrases import noun, plural
from nz_explorer.values.masks.masked import hides
from nz_explorer.values.reading.chunk_presence import Places, listed
from nz_explorer.values.reading.decoding import are_stored, error_text, reads_indices
from nz_explorer.values.reading.opening import OpenArray, open_for_reading
from nz_explorer.values.reading.size_limits import bytes_text
from nz_explorer.values.reading.written_chunks import shard_contents, sorted_places
from nz_explorer.values.whole_arrays.arrays_below import node_of, of_each

Progress = Callable[[int, int], object]

MOST_REQUESTS_AFAR = 10_000
"""Requests that a census of an array in a remote store makes, unless more are allowed."""
_MOST_RANGES = 5
_MOST_CHUNKS = 10_000_000


@dataclass(frozen=True, slots=True)
class Gap:
    """A run of indices along a dimension for which no chunk at all was written.

    Parameters
    ----------
    dimension
        Name of the dimension.
    axis
        Its number.
    start, stop
        The first index, and the one after the last.
    """

    dimension: str
    axis: int
    start: int
    stop: int


@dataclass(frozen=True, slots=True, eq=False)
class Census:
    """Which chunks of an array were written.

    Parameters
    ----------
    path
        Of the array.
    total, written
        Chunks that its shape has, inner chunks where it is sharded, and those of them that exist; `written` is
        None where that is not known.
    shards, shards_written
        The same of the shards; None where there are none.
    places
        Coordinates of the written chunks in the grid of chunks, a row for each, sorted.
    grid
        Number of chunks along each axis.
    gaps
        Along which parts of which dimensions there is no chunk at all.
    outside
        Keys that are named like chunks, and that the shape has no place for.
    reads_as
        What a chunk that was not written reads as.
    hidden
        Whether that is what the array calls missing.
    unreadable
        Keys of shards whose index cannot be read, each with the reason; their chunks count as written.
    overlapping
        Keys of shards in which inner chunks share a part of their bytes.
    problem
        Why it is not known what was written, or not all of it; empty where it is.
    requests, bytes
        What it cost.
    seconds
        How long it took.
    """

    path: str
    total: int
    written: int | None
    shards: int | None
    shards_written: int | None
    places: Places
    grid: tuple[int, ...]
    gaps: tuple[Gap, ...]
    outside: tuple[str, ...]
    reads_as: str
    hidden: bool
    unreadable: tuple[tuple[str, str], ...] = ()
    overlapping: tuple[str, ...] = ()
    problem: str = ""
    requests: int = 0
    bytes: int = 0
    seconds: float = 0.0

    @property
    def complete(self) -> bool:
        """Whether it is known of every chunk."""
        return not self.problem

    @property
    def absent(self) -> int | None:
        """How many chunks were not written."""
        return None if self.written is None else self.total - self.written

    def sentences(self) -> Iterator[str]:
        """Yield what was found, each in a sentence."""
        if self.written is None:
            yield f"It is not known which chunks of {self.path} were written: {self.problem}."
            return
        least = "" if self.complete else "at least "
        yield f"{least}{self.written:,} of {plural(self.total, 'chunk')} {noun(self.written, 'is')} written"
        if self.shards is not None and self.shards_written is not None:
            yield f"in {self.shards_written:,} of {plural(self.shards, 'shard')}"
        if self.problem:
            yield self.problem
        if self.absent and self.complete:
            yield _absence_text(self)
        yield from gap_texts(self)
        if self.outside:
            some = ", ".join(self.outside[:3]) + (" …" if len(self.outside) > 3 else "")
            yield f"{plural(len(self.outside), 'key')} outside the shape: {some}"
        for key, why in self.unreadable[:3]:
            yield f"the index of shard {key} cannot be read: {why}"

    def to_dict(self) -> dict[str, Any]:
        """Return what was found as JSON has it, without the places of single chunks."""
        return {
            "path": self.path,
            "chunks": self.total,
            "written": self.written,
            "absent": self.absent,
            "shards": self.shards,
            "shards_written": self.shards_written,
            "grid": list(self.grid),
            "gaps": [
                {"dimension": gap.dimension, "start": gap.start, "stop": gap.stop}
                for gap in self.gaps
            ],
            "outside": list(self.outside),
            "absent_reads_as": self.reads_as,
            "absent_is_missing": self.hidden,
            "unreadable": dict(self.unreadable),
            "complete": self.complete,
            "problem": self.problem or None,
            "requests": self.requests,
            "bytes": self.bytes,
            "seconds": round(self.seconds, 3),
        }


def _absence_text(found: Census) -> str:
    """Return what the chunks that were not written read as, in a sentence."""
    what = "they read" if (found.absent or 0) > 1 else "it reads"
    said = "which is missing" if found.hidden else "which is not missing but a value"
    number = found.absent or 0
    return f"{number:,} {noun(number, 'is')} not: {what} as {found.reads_as}, {said}"


def gap_texts(found: Census) -> Iterator[str]:
    """Yield for each dimension which part of it has no chunk at all."""
    if not found.written:
        return
    for dimension in dict.fromkeys(gap.dimension for gap in found.gaps):
        gaps = [gap for gap in found.gaps if gap.dimension == dimension]
        parts = [
            f"{gap.start:,}" if gap.stop - gap.start == 1 else f"{gap.start:,}-{gap.stop - 1:,}"
            for gap in gaps[:_MOST_RANGES]
        ]
        more = f" and {len(gaps) - _MOST_RANGES} more runs" if len(gaps) > _MOST_RANGES else ""
        yield f"nothing is written for {dimension} {', '.join(parts)}{more}"


def census(
    target: Any,
    *,
    most_requests: int | None = None,
    progress: Progress | None = None,
    cancel: Cancellation | None = None,
) -> Census | dict[str, Census]:
    """Find out which chunks of an array were written, or of all arrays of a group or a store.

    Only names are listed and indices of shards read: an object store is listed once, by prefix, and a range of
    bytes is read of each shard, many at a time.

    Parameters
    ----------
    target
        An array or a group of a hierarchy, or whatever `open_store` takes, such as a path or a
        zarr array.
    most_requests
        The most requests for an array; by default no limit for a local store, and `MOST_REQUESTS_AFAR` otherwise.
    progress
        Called with the number of shards looked at and their total, also before the first one.
    cancel
        Looked at between requests.

    Returns
    -------
    Census or dict of str to Census
        For an array; for a group by path, without the arrays that zarr cannot read.

    Raises
    ------
    UnsupportedArray
        If `target` is an array that zarr cannot read.
    SourceError
        If there is no Zarr hierarchy.
    Cancelled
        If it was cancelled.
    """
    node = node_of(target)
    work = partial(census_of, most_requests=most_requests, progress=progress, cancel=cancel)
    return work(node) if isinstance(node, Array) else of_each(node, work)


def census_of(
    array: Array,
    *,
    most_requests: int | None = None,
    progress: Progress | None = None,
    cancel: Cancellation | None = None,
) -> Census:
    """Find out which chunks of one array were written; see `census`.

    Parameters
    ----------
    array
        The array.
    most_requests, progress, cancel
        As of `census`.

    Raises
    ------
    UnsupportedArray
        If zarr cannot read it.
    Cancelled
        If it was cancelled.
    """
    return _Taker(array, most_requests, progress, cancel).take()


class _Taker:
    """Takes the census of an array."""

    def __init__(
        self,
        array: Array,
        most_requests: int | None,
        progress: Progress | None,
        cancel: Cancellation | None,
    ) -> None:
        self.array = array
        self.opened: OpenArray = open_for_reading(array)
        if most_requests is None and not self.opened.local:
            most_requests = MOST_REQUESTS_AFAR
        self.most = most_requests
        self.progress = progress
        self.cancel = cancel
        self.problem = ""
        self.outside: tuple[str, ...] = ()
        self.unreadable: list[tuple[str, str]] = []
        self.overlapping: list[str] = []
        self.requests = self.read = 0
        self.shards: int | None = None

    def take(self) -> Census:
        """Return what was written."""
        opened, began = self.opened, time.monotonic()
        objects = self._objects()
        chunks: Places | None = objects
        sharded = opened.shard_shape is not None
        if objects is not None and sharded:
            self.shards = len(objects)
            chunks = self._inside(objects)
        known = chunks is not None
        places = np.empty((0, len(opened.shape)), np.int64) if chunks is None else chunks
        return Census(
            path=self.array.path,
            total=math.prod(opened.grid),
            written=len(places) if known else None,
            shards=math.prod(opened.object_grid) if sharded else None,
            shards_written=self.shards,
            places=places,
            grid=opened.grid,
            gaps=tuple(self._gaps(places)) if known and not self.problem else (),
            outside=self.outside,
            reads_as=value_text(opened.storage_default),
            hidden=any(
                hides(one, self.array, opened.storage_default)
                for one in (self.array.fill, *self.array.missing_values)
            ),
            unreadable=tuple(self.unreadable),
            overlapping=tuple(self.overlapping),
            problem=self.problem,
            requests=self.requests,
            bytes=self.read,
            seconds=time.monotonic() - began,
        )

    def _objects(self) -> Places | None:
        """Return which chunks, or shards, the store holds: from a listing, else by asking for each."""
        array, opened = self.array, self.opened
        counters = array.hierarchy.reader.counters
        before = counters.requests
        presence = listed(
            array, opened, most_folders=self.most, most_names=_MOST_CHUNKS, cancel=self.cancel
        )
        self.requests += counters.requests - before
        if presence is not None:
            self.outside = presence.outside
            if not presence.complete:
                self.problem = "the listing was stopped at its limit"
            return presence.places
        number = math.prod(opened.object_grid)
        if self.most is not None and number > self.most:
            self.problem = (
                f"the store cannot be listed, and asking for each takes {number:,} requests, "
                f"more than {self.most:,}"
            )
            return None
        if number > _MOST_CHUNKS:
            self.problem = f"there are {number:,} chunks to ask for, more than {_MOST_CHUNKS:,}"
            return None
        every = np.argwhere(np.ones(opened.object_grid, np.bool_)).astype(np.int64)
        if opened.shard_shape is not None and reads_indices(opened):
            return every  # the index is asked for anyway
        return self._asked(every)

    def _asked(self, every: Places) -> Places | None:
        keep: list[bool] = []
        for start in range(0, len(every), 256):
            if self.progress is not None:
                self.progress(start, len(every))
            places = every[start : start + 256].tolist()
            batch = [self.opened.first_chunk(tuple(place)) for place in places]
            try:
                keep += are_stored(self.opened, batch, self.cancel)
            except Cancelled:
                raise
            except Exception as error:  # noqa: BLE001  # stores raise what they like
                self.problem = f"the store does not answer: {error_text(error)}"
                return None
            self.requests += len(batch)
        return every[keep]

    def _inside(self, shards: Places) -> Places | None:
        """Return the inner chunks of shards."""
        opened = self.opened
        if not reads_indices(opened):
            self.problem = (
                "something is done to each shard as a whole, so that its index cannot be read alone"
            )
            return None
        inner = opened.most_inside
        size = 16 * inner + 4
        if self.most is not None and len(shards) > self.most:
            self.problem = (
                f"the indices of {len(shards):,} shards take as many requests and "
                f"{bytes_text(size * len(shards))}; at most {self.most:,} requests are made"
            )
            shards = shards[: self.most]
        if inner * len(shards) > _MOST_CHUNKS:
            most = max(1, _MOST_CHUNKS // inner)
            self.problem = f"only {most:,} of {len(shards):,} shards were looked into: they have {inner:,} chunks each"
            shards = shards[:most]
        parts = [np.empty((0, len(opened.shape)), np.int64)]
        if self.progress is not None:
            self.progress(0, len(shards))
        stored = 0
        for number, found in enumerate(
            shard_contents(opened, list(map(tuple, shards.tolist())), self.cancel), 1
        ):
            parts.append(found.chunks)
            stored += found.stored
            if found.stored:
                self.read += 16 * math.prod(opened.counts_inside(found.shard)) + 4
            if found.fault is not None:
                self.unreadable.append((opened.object_key(found.shard), found.fault.text))
            if found.overlap:
                self.overlapping.append(opened.object_key(found.shard))
            if self.progress is not None and number % 64 == 0:
                self.progress(number, len(shards))
        self.requests += len(shards)
        if not self.problem:
            self.shards = stored
        return sorted_places(np.concatenate(parts))

    def _gaps(self, places: Places) -> Iterator[Gap]:
        """Yield along which parts of the dimensions nothing was written."""
        opened = self.opened
        if not len(places):
            return
        for axis, (count, length) in enumerate(zip(opened.grid, opened.shape, strict=True)):
            empty = np.bincount(places[:, axis], minlength=count)[:count] == 0
            edges = np.flatnonzero(np.diff(empty.astype(np.int8), prepend=0, append=0))
            for first, end in edges.reshape(-1, 2).tolist():
                name = self.array.dimension_label(axis)
                last = min(opened.begin(axis, end), length)
                yield Gap(name, axis, opened.begin(axis, first), last)
