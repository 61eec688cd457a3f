"""Whether values are strictly monotonic, which makes an array a dimension coordinate.

Read chunk by chunk with the last value carried over, up to a budget.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

import numpy as np

from nz_explorer.model import Array
from nz_explorer.model.fill_values import FillValue, matches, value_text
from nz_explorer.model.signedness import with_meant_sign
from nz_explorer.store import Cancellation
from nz_explorer.text.phrases import plural
from nz_explorer.values.coordinates.spacing import Jump, Spacing, python_value
from nz_explorer.values.reading.chunk import Chunk, FaultKind
from nz_explorer.values.reading.chunk_cache import MEBIBYTE, ChunkCache
from nz_explorer.values.reading.chunks import read_chunks
from nz_explorer.values.reading.decoding import error_text, is_stored
from nz_explorer.values.reading.opening import (
    OpenArray,
    UnsupportedArray,
    bytes_of,
    open_for_reading,
)
from nz_explorer.values.reading.size_limits import MOST_UNASKED_CHUNKS, bytes_text

OrderResult = Literal[
    "increasing",
    "decreasing",
    "not",
    "missing",
    "unordered",
    "trivial",
    "unreadable",
    "budget",
]

UNORDERED = {
    "bool": "bools",
    "complex": "complex numbers",
    "struct": "records",
    "raw": "raw bytes",
    "bytes": "byte strings",
}
"""Kinds of data types whose values have no order, and what to call the values."""
_MOST_AHEAD = 64
_BYTES_AHEAD = 2 * MEBIBYTE
"""Over a network so much is asked for at first: a request costs more than what it may bring in vain."""
NO_LIMIT = sys.maxsize
MOST_COMPARED = 65_536
"""Values among which one that stands twice is looked for."""
_FLIPPED: dict[OrderResult, OrderResult] = {"increasing": "decreasing", "decreasing": "increasing"}


class Repeated(NamedTuple):
    """A value that stands twice: where again, where before, what it is, and whether the next value stands twice, too."""

    at: int
    before: int
    value: Any
    series: bool = False


@dataclass(frozen=True, slots=True)
class Monotonicity:
    """The answer to whether an array is strictly monotonic.

    Parameters
    ----------
    result
        ``increasing``, ``decreasing``; ``not``; ``missing`` (a missing value in it); ``unordered``
        (the type has no order); ``trivial`` (fewer than two values); ``unreadable``; ``budget``
        (not decided with what may be read).
    index
        Where it breaks: of the second of two neighbours, or of the missing value.
    before, after
        The two neighbours, as Python values; of a missing value only `after`.
    first, last
        The ends, where they were read.
    missing_count
        How many missing values; None where not all values were read.
    step
        The spacing where it is regular.
    spread
        By how much the widest spacing of numbers is wider than the narrowest, as a part of the mean of the two; where all
        values were read.
    note
        The answer in a sentence.
    bytes_read
        Bytes decoded to find out.
    hidden
        How many values xarray takes for missing although they are not; see `Array.xarray_fill`. Only where
        all values were read.
    repeated
        Where it is not monotonic: index and value of the first number that stood before, and the index at which;
        None where none of the first `MOST_COMPARED` did, or not with what may be read.
    jump
        The widest step of numbers; where all values were read.
    fault
        What a chunk that is unreadable suffers from; None where no chunk is.
    """

    result: OrderResult
    index: int | None = None
    before: Any = None
    after: Any = None
    first: Any = None
    last: Any = None
    missing_count: int | None = None
    step: Any = None
    spread: float | None = None
    note: str = ""
    bytes_read: int = 0
    hidden: int = 0
    repeated: Repeated | None = None
    jump: Jump | None = None
    fault: FaultKind | None = None

    @property
    def strict(self) -> bool | None:
        """Whether it is strictly monotonic; None where that is not known."""
        if self.result in ("increasing", "decreasing", "trivial"):
            return True
        return False if self.result in ("not", "missing") else None


def check_monotonic(
    array: Array,
    *,
    budget: int,
    cancel: Cancellation | None = None,
    cache: ChunkCache | None = None,
) -> Monotonicity:
    """Return whether the values of an array are strictly monotonic.

    Parameters
    ----------
    array
        An array of one dimension.
    budget
        The most bytes to decode, and then no more than `MOST_UNASKED_CHUNKS` chunks; `NO_LIMIT` for
        no limit of either.
    cancel
        Looked at between chunks.
    cache
        Where decoded chunks are looked for, and kept; and the answer, where values have decided it.

    Returns
    -------
    Monotonicity
        It stops at the first violation. Nothing is raised for data that cannot be read.

    Raises
    ------
    Cancelled
        If it was cancelled.

    Notes
    -----
    Source: NZ-1.0, Dimension Coordinate Array ("strictly monotonic").
    See https://github.com/zarr-conventions/nz/blob/v1/README.md.
    Neighbours are compared with ``<`` and ``>``; differences would wrap around or overflow. Integers have the sign that
    ``_Unsigned`` says, as readers show them.
    """
    if array.ndim != 1:
        what = "an unusable shape" if array.ndim is None else plural(array.ndim, "dimension")
        return Monotonicity("unreadable", note=f"it has {what}, not one")
    kind = array.data_type.kind
    length = (array.shape or (0,))[0]
    if length == 0:
        return Monotonicity("trivial", missing_count=0, note="length 0: direction undefined")
    if kind in UNORDERED and length > 1:
        return Monotonicity("unordered", note=f"{UNORDERED[kind]} have no order")
    try:
        opened = open_for_reading(array, cache)
    except UnsupportedArray as error:
        return Monotonicity("unreadable", note=str(error))
    known: Monotonicity | None = opened.known.get("monotonicity")
    if known is None:
        known = _Check(opened, budget, cancel, cache).run()
        if known.strict is not None:
            opened.known["monotonicity"] = replace(known, bytes_read=0)
    return known


def most_bytes(array: Array) -> int:
    """Return the most bytes that `check_monotonic` may decode of an array, without opening it."""
    if array.ndim != 1 or array.shape is None:
        return 0
    if array.chunk_shape is None:
        return bytes_of(array.shape, array) if array.chunk_edges is not None else 0
    size = max(1, array.chunk_shape[0])
    return -(-array.shape[0] // size) * bytes_of((size,), array)


class _Check:
    """One pass over the chunks."""

    def __init__(
        self,
        opened: OpenArray,
        budget: int,
        cancel: Cancellation | None,
        cache: ChunkCache | None,
    ) -> None:
        self.opened = opened
        self.budget = budget
        self.cancel = cancel
        self.cache = cache
        self.length = opened.shape[0]
        self.bytes_read = 0
        self.direction: OrderResult | None = None
        self.previous: np.ndarray[Any, Any] | None = None
        self.first: Any = None
        self.spacing = Spacing()
        array = opened.array
        self.other_fill = array.xarray_fill if array.xarray_fill is not array.nz_fill else None
        self.hidden = 0
        self.seen: list[tuple[int, np.ndarray[Any, Any]]] = []
        """Where values among which one may stand twice begin, and those values."""

    def run(self) -> Monotonicity:
        count, number, ahead = self.opened.grid[0], 0, self._at_first()
        most = count if self.budget >= NO_LIMIT else min(count, MOST_UNASKED_CHUNKS)
        while number < most:
            if self.cancel is not None:
                self.cancel.check()
            answer, read = self._batch(range(number, min(number + ahead, most)))
            if answer is not None:
                repeated = self._repeated(answer) if answer.result == "not" else None
                return replace(
                    answer, first=self.first, bytes_read=self.bytes_read, repeated=repeated
                )
            # more at once the longer it goes well: most coordinates have one chunk, some thousands
            number, ahead = number + read, min(2 * ahead, _MOST_AHEAD)
        if most < count:
            note = (
                f"it has {plural(count, 'chunk')}, more than the limit of {most:,} for a coordinate"
            )
            return Monotonicity("budget", note=note, first=self.first, bytes_read=self.bytes_read)
        return self._all_read()

    def _at_first(self) -> int:
        """How many chunks to read before the first is looked at."""
        if self.opened.array.hierarchy.reader.local:
            return 1
        return max(1, min(_MOST_AHEAD, _BYTES_AHEAD // max(1, self.opened.chunk_bytes)))

    def _batch(self, numbers: range) -> tuple[Monotonicity | None, int]:
        """Look at some chunks; return what speaks against it, and how many were looked at."""
        fresh = {number for number in numbers if not self._kept(number)}
        room = (self.budget - self.bytes_read) // self.opened.chunk_bytes
        affordable = [n for n in numbers if n not in fresh or sum(m <= n for m in fresh) <= room]
        if len(affordable) < len(numbers):
            numbers = range(numbers.start, numbers.start + len(affordable))
        quick = self.opened.array.hierarchy.reader.local and self.opened.grid[0] <= _MOST_AHEAD
        asked = fresh.intersection(numbers) if quick else set()
        for number in sorted(asked) or ([] if numbers else [numbers.start]):
            # to know that a chunk was never written takes no reading
            answer = self._if_absent(number, self.opened.begin(0, number))
            if answer is not None:
                return answer, 0
        if not numbers:
            need = bytes_text(self.opened.chunk_bytes * self.opened.grid[0])
            note = f"reading it takes {need}, more than {bytes_text(self.budget)}"
            return Monotonicity("budget", note=note), 0
        wanted = [(number,) for number in numbers]
        chunks = read_chunks(self.opened, wanted, cache=self.cache, cancel=self.cancel)
        answer = None
        for number in numbers:
            chunk = chunks[number,]
            if number in fresh and chunk.state == "present":
                self.bytes_read += self.opened.chunk_bytes
            answer = answer or self._chunk(number, chunk)
            self._remember(number, chunk)
        return answer, 0 if answer else len(numbers)

    def _remember(self, number: int, chunk: Chunk) -> None:
        start = self.opened.begin(0, number)
        if start < MOST_COMPARED and chunk.state == "present" and chunk.values is not None:
            self.seen.append((start, chunk.values[: MOST_COMPARED - start]))

    def _repeated(self, found: Monotonicity) -> Repeated | None:
        """Return the first value that stood before, reading on where that takes it."""
        if found.index is not None and found.before == found.after:
            return Repeated(found.index, found.index - 1, found.after)
        if self.opened.array.data_type.kind not in ("int", "uint", "float") or not self.seen:
            return None
        begin = self.opened.number(0, self.seen[-1][0]) + 1
        end = self.opened.across(0, 0, min(self.length, MOST_COMPARED))
        room = max(0, self.budget - self.bytes_read) // self.opened.chunk_bytes
        more = range(begin, min(end, begin + room, MOST_UNASKED_CHUNKS))
        wanted = [(number,) for number in more]
        chunks = read_chunks(self.opened, wanted, cache=self.cache, cancel=self.cancel)
        for number in more:
            self._remember(number, chunks[number,])
            self.bytes_read += self.opened.chunk_bytes
        values = np.concatenate([values for _, values in self.seen])
        places = np.concatenate([start + np.arange(len(values)) for start, values in self.seen])
        there = ~_missing(values, self.opened.array.fill)
        values, places = with_meant_sign(self.opened.array, values[there]), places[there]
        _, first, where = np.unique(values, return_index=True, return_inverse=True)
        again = np.flatnonzero(first[where] != np.arange(len(values)))
        if not len(again):
            return None
        index = int(again[0])
        before = int(first[where[index]])
        series = values[before + 1 : before + 2].tolist() == values[index + 1 : index + 2].tolist()
        return Repeated(int(places[index]), int(places[before]), values[index].item(), series)

    def _kept(self, number: int) -> bool:
        return self.cache is not None and self.cache.holds(self.opened.version, (number,))

    def _chunk(self, number: int, chunk: Chunk) -> Monotonicity | None:
        """Look at a chunk; None where nothing speaks against it."""
        start = self.opened.begin(0, number)
        if chunk.values is None:
            note = f"chunk {number} cannot be read: {chunk.error}"
            fault = None if chunk.fault is None else chunk.fault.kind
            return Monotonicity("unreadable", start, note=note, fault=fault)
        absent = chunk.state == "absent"
        # one value repeated, which may take any memory as an array
        if absent and len(chunk.values) > 1:
            return self._absent(start, start + len(chunk.values))
        return self._values(start, np.ascontiguousarray(chunk.values))

    def _if_absent(self, number: int, start: int) -> Monotonicity | None:
        try:
            absent = not is_stored(self.opened, (number,))
        except Exception as error:  # noqa: BLE001  # stores raise what they like
            return Monotonicity(
                "unreadable", start, note=f"chunk {number} cannot be asked for: {error_text(error)}"
            )
        stop = min(self.opened.begin(0, number + 1), self.length)
        return self._absent(start, stop) if absent and stop - start > 1 else None

    def _absent(self, start: int, stop: int) -> Monotonicity:
        default = self.opened.storage_default
        value = (
            python_value(np.asarray(default)) if not isinstance(default, str | bytes) else default
        )
        shown = value_text(default)
        what = f"elements {start} to {stop - 1} were never written and all read as {shown}"
        missing = _missing(np.asarray(default).reshape(1), self.opened.array.nz_fill).any()
        if missing:
            return Monotonicity("missing", start, after=value, note=f"{what}, which is missing")
        return Monotonicity("not", start + 1, value, value, note=what)

    def _values(self, start: int, values: np.ndarray[Any, Any]) -> Monotonicity | None:
        missing = _missing(values, self.opened.array.nz_fill)
        if self.other_fill is not None:
            self.hidden += int((_missing(values, self.other_fill) & ~missing).sum())
        values = with_meant_sign(self.opened.array, values)
        if start == 0:
            self.first = python_value(values[:1])
        if self.length == 1:
            return Monotonicity(
                "trivial",
                last=self.first,
                missing_count=int(missing.sum()),
                note="length 1: direction undefined",
                hidden=self.hidden,
            )
        carried = 0 if self.previous is None else 1
        joined = values if self.previous is None else np.concatenate([self.previous, values])
        violation = self._violation(joined)
        broken = None if violation is None else start + violation - carried
        if missing.any() and (broken is None or start + int(missing.argmax()) <= broken):
            index = start + int(missing.argmax())
            value = python_value(values[index - start : index - start + 1])
            note = f"value[{index}] = {_shown(value)} is missing"
            return Monotonicity("missing", index, after=value, note=note)
        if violation is not None and broken is not None:
            before, after = (python_value(joined[i : i + 1]) for i in (violation - 1, violation))
            return Monotonicity("not", broken, before, after, note=self._why(broken, before, after))
        self.spacing.add(joined, start - carried)
        self.previous = values[-1:].copy()
        return None

    def _violation(self, values: np.ndarray[Any, Any]) -> int | None:
        """Return the index of the first value that does not go on, and settle the direction."""
        if len(values) < 2:
            return None
        before, after = values[:-1], values[1:]
        if self.direction is None:
            if bool(before[0] < after[0]):
                self.direction = "increasing"
            elif bool(before[0] > after[0]):
                self.direction = "decreasing"
            else:
                return 1
        good = before < after if self.direction == "increasing" else before > after
        good = np.asarray(good, np.bool_)
        return None if good.all() else int(good.argmin()) + 1

    def _why(self, index: int, before: Any, after: Any) -> str:
        pair = f"value[{index}] = {_shown(after)} after value[{index - 1}] = {_shown(before)}"
        if self.direction is None:
            return f"{pair} neither increases nor decreases"
        return f"{pair} does not go on {self.direction}"

    def _all_read(self) -> Monotonicity:
        scale = self.opened.array.attributes.get("scale_factor")
        packed = isinstance(scale, int | float) and not isinstance(scale, bool)
        last = None if self.previous is None else python_value(self.previous)
        result: OrderResult = self.direction or "trivial"
        note = f"{plural(self.length, 'value')}, strictly {result}"
        if self.opened.array.data_type.kind == "string":
            note += " by code point (NZ-1.0 defines no order of strings)"
        if packed and scale == 0:
            result, note = "not", "its scale_factor is 0, which makes all values equal"
        elif packed and scale is not None and scale < 0:
            result = _FLIPPED.get(result, result)
            note += f"; its negative scale_factor makes the unpacked values {result}"
        return Monotonicity(
            result,
            first=self.first,
            last=last,
            missing_count=0,
            step=self.spacing.step(self.first, last, self.length),
            spread=self.spacing.spread(self.length),
            jump=self.spacing.jump,
            note=note,
            bytes_read=self.bytes_read,
            hidden=self.hidden,
        )


def _missing(
    values: np.ndarray[Any, Any], fill: FillValue | None
) -> np.ndarray[Any, np.dtype[np.bool_]]:
    if values.dtype.kind in "fc":
        missing = np.isnan(values)
    elif values.dtype.kind in "mM":
        missing = np.isnat(values)
    else:
        missing = np.zeros(values.shape, np.bool_)
    if fill is not None and fill.usable:
        missing = missing | matches(values, fill)
    return np.asarray(missing, np.bool_)


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else value_text(value)
