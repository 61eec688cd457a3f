"""Statistics of single chunks, and how those of many are joined into those of an array."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np

from nz_explorer.model.fill_values import FillValue, matches
from nz_explorer.values.masks.cell_states import (
    ABSENT,
    CODES,
    FILL,
    INF,
    INVALID,
    MISSING_VALUE,
    NAN,
    NEG_INF,
    STORAGE_FILL,
    UNREADABLE,
    VALUE,
    classify,
    within,
)
from nz_explorer.values.reading.chunk import Chunk, FaultKind
from nz_explorer.values.reading.chunk_grid import ChunkGrid, Coordinates
from nz_explorer.values.whole_arrays.histograms import BinaryHistogram, Histogram, bin_exponent
from nz_explorer.values.window import ChunkError, chunk_error, native

Phase = Literal["done", "cancelled", "running"]
Numbers = np.ndarray[Any, Any]
_ROWS, _ROW = 24, 2**13
"""Values summed up at once, which the caches hold. Rows of that length are too short for the threads of BLAS to be called,
which would conflict with ours."""

_NEAR_ZERO = 16
"""How many ranges values may be away from 0 and yet be summed up as they are, which saves a quarter of the time."""
_LARGE = 1e100
"""Numbers whose squares, added up, are far from the end of float64."""

_MOST_ERRORS = 20
_MOST_WRAPPED = 2
"""Bytes of integers that are likely to be too few for what is packed into them."""
_NEAR = 20
"""Values within this part of the range of a type are near its end."""


@dataclass(frozen=True, slots=True)
class Ends:
    """How many packed integers lie within a twentieth of the ends of their type, and how they meet there.

    Parameters
    ----------
    low, high
        Values near the least and near the greatest that the type holds.
    meetings
        Pairs of neighbours of which one is near the one end and one near the other.
    """

    low: int = 0
    high: int = 0
    meetings: int = 0

    def __add__(self, other: Ends) -> Ends:
        return Ends(self.low + other.low, self.high + other.high, self.meetings + other.meetings)


@dataclass(frozen=True, slots=True, eq=False)
class ArrayScan:
    """What going through the values of an array has found.

    Parameters
    ----------
    path
        Of the array.
    phase
        ``done``; ``cancelled``, and then this can be gone on with; ``running`` in progress.
    chunks_done, chunks_total
        How far it is.
    count
        Valid values: neither missing nor NaN nor infinite nor outside of CF's valid range, and in a chunk that is
        there.
    minimum, maximum
        Of the valid values; of complex numbers, of their magnitudes. None where there are none.
    mean, std
        Of the valid values; None where there are none, or for times.
    states
        How many elements are in each cell state, by name. ``storage_fill`` counts another way to
        look at elements that are counted already.
    histogram
        Of the valid values; None where there are none, or none was asked for.
    chunks
        A record for each chunk: ``chunk`` (coordinates), ``count``, ``minimum``, ``maximum``,
        ``mean``, ``std``, ``state`` (0; 5 where it is absent, 6 where it is unreadable). None where
        there are too many, and while it is running.
    errors
        The first chunks that could not be read.
    faults
        How many chunks could not be read for each kind of reason; see `Fault`.
    ends
        Of packed integers of one or two bytes: what lies at the ends of their type.
    seconds
        How long it took.
    found
        What it takes to go on.
    """

    path: str
    phase: Phase
    chunks_done: int
    chunks_total: int
    count: int
    minimum: Any
    maximum: Any
    mean: float | None
    std: float | None
    states: dict[str, int]
    histogram: Histogram | None
    chunks: np.ndarray[Any, Any] | None
    errors: tuple[ChunkError, ...]
    faults: dict[FaultKind, int]
    ends: Ends
    seconds: float
    found: Found = field(repr=False)


@dataclass(frozen=True, slots=True, eq=False)
class Task:
    """All that is needed to look at chunks, and can be sent to another process."""

    grid: ChunkGrid
    fill: FillValue | None
    storage_fill: FillValue | None
    histogram: bool
    packed: bool = False
    """Whether attributes unpack the values."""
    meant: np.dtype[Any] | None = None
    """The type that integers are meant to have, where it is not their own."""
    valid: tuple[float | None, float | None] = (None, None)
    """The range outside which values do not count; None where it has no end."""
    marks: tuple[FillValue, ...] = ()
    """Those of CF's ``missing_value``."""


@dataclass(slots=True, eq=False)
class Found:
    """Statistics of some chunks, which can be joined to those of others."""

    batches: int = 0
    chunks: int = 0
    count: int = 0
    minimum: Any = None
    maximum: Any = None
    mean: float = 0.0
    squares: float = 0.0
    """Sum of squared differences from the mean."""
    whole: bool = False
    states: dict[int, int] = field(default_factory=dict)
    histogram: BinaryHistogram | None = None
    errors: list[ChunkError] = field(default_factory=list)
    faults: Counter[FaultKind] = field(default_factory=Counter)
    ends: Ends = Ends()
    rows: list[tuple[Any, ...]] = field(default_factory=list)
    timed: np.dtype[Any] | None = None
    """The type of times, whose ticks the numbers are."""

    def copy(self) -> Found:
        """Return a copy that joining others to this does not change."""
        values = {name: getattr(self, name) for name in self.__slots__}
        for name in ("states", "errors", "faults", "rows"):
            values[name] = values[name].copy()
        return Found(**values)

    def add(self, other: Found, *, rows: bool) -> None:
        """Join what was found in a batch.

        Parameters
        ----------
        other
            The statistics of the batch.
        rows
            Whether the records of single chunks are kept.
        """
        self.join(other)
        self.batches += other.batches
        if rows:
            self.rows.extend(other.rows)

    def join(self, other: Found) -> None:
        """Join the statistics of other chunks, but not their records."""
        self.chunks += other.chunks
        for code, number in other.states.items():
            self.states[code] = self.states.get(code, 0) + number
        self.errors.extend(other.errors[: max(0, _MOST_ERRORS - len(self.errors))])
        self.faults.update(other.faults)
        self.ends += other.ends
        self.timed = self.timed or other.timed
        if not other.count:
            return
        # Chan, Golub and LeVeque (1979): neither large sums nor cancellation
        count, apart = self.count + other.count, other.mean - self.mean
        self.squares += other.squares + apart * apart * self.count * (other.count / count)
        self.mean += apart * (other.count / count)
        self.count, self.whole = count, other.whole
        if self.minimum is None:
            self.minimum, self.maximum = other.minimum, other.maximum
            self.histogram = other.histogram
            return
        self.minimum = min(self.minimum, other.minimum)
        self.maximum = max(self.maximum, other.maximum)
        if self.histogram is not None and other.histogram is not None:
            exponent = bin_exponent(self.minimum, self.maximum, whole=self.whole)
            self.histogram = self.histogram.joined(other.histogram, exponent)

    def row(self, coordinates: Coordinates) -> tuple[Any, ...]:
        """Return the record of a single chunk."""
        state = next((code for code in (ABSENT, UNREADABLE) if self.states.get(code)), VALUE)
        if not self.count:
            return (coordinates, 0, np.nan, np.nan, np.nan, np.nan, state)
        std = math.sqrt(self.squares / self.count)
        return (coordinates, self.count, self.minimum, self.maximum, self.mean, std, state)

    def result(
        self, path: str, phase: Phase, total: int, seconds: float, *, rows: bool
    ) -> ArrayScan:
        """Return a copy for users; what is found later does not change it.

        Parameters
        ----------
        path
            Of the array.
        phase
            How the scan ended, or that it goes on.
        total
            How many chunks the array has.
        seconds
            How long it took.
        rows
            Whether it has a record of each chunk.
        """
        number = self.count and self.timed is None
        records = None
        if rows:
            rank = len(self.rows[0][0]) if self.rows else 0
            records = np.array(self.rows, _row_type(rank)) if rank or self.rows else None
        return ArrayScan(
            path=path,
            phase=phase,
            chunks_done=self.chunks,
            chunks_total=total,
            count=self.count,
            minimum=self._value(self.minimum),
            maximum=self._value(self.maximum),
            mean=self.mean if number else None,
            std=math.sqrt(self.squares / self.count) if number else None,
            states={name: self.states[c] for name, c in CODES.items() if self.states.get(c)},
            histogram=None if self.histogram is None else self.histogram.plain("the whole array"),
            chunks=records,
            errors=tuple(self.errors),
            faults=dict(self.faults),
            ends=self.ends,
            seconds=seconds,
            found=self.copy() if phase == "cancelled" else self,
        )

    def _value(self, number: Any) -> Any:
        if number is None or self.timed is None:
            return number
        return np.int64(number).view(self.timed)


def _row_type(rank: int) -> np.dtype[Any]:
    numbers = [(name, "f8") for name in ("minimum", "maximum", "mean", "std")]
    return np.dtype([("chunk", "i8", (rank,)), ("count", "i8"), *numbers, ("state", "u1")])


def scan_chunk(task: Task, coordinates: Coordinates, chunk: Chunk) -> Found:
    """Return the statistics of a single chunk.

    Parameters
    ----------
    task
        The array, its fill values, and whether a histogram is wanted.
    coordinates
        Of the chunk in the grid.
    chunk
        As it was read.
    """
    found = Found(chunks=1)
    if chunk.values is None:
        region = task.grid.region(coordinates)
        size = math.prod(part.stop - part.start for part in region)
        found.states[UNREADABLE] = size
        error = chunk_error(task.grid, coordinates, chunk)
        found.errors.append(error)
        found.faults[error.fault] += 1
        return found
    if chunk.state == "absent":
        found.states[ABSENT] = chunk.values.size
        return found
    shaped = chunk.values.astype(native(chunk.values.dtype), copy=False)
    if task.meant is not None:
        shaped = shaped.view(task.meant)
    values = shaped.ravel("K")  # in the order of the memory, which is a view
    if values.dtype.kind not in "biuf":
        return _scan_others(task, values, found)
    if values.dtype.kind == "b":
        values = (values.view(np.uint8) != 0).view(np.uint8)  # any other byte is true to readers
        fill, storage = (_as_number(f) for f in (task.fill, task.storage_fill))
    else:
        fill, storage = (_meant(one, task.meant) for one in (task.fill, task.storage_fill))
    low, high = values.min(), values.max()  # NaN where there is one
    odd = values.dtype.kind == "f" and not (np.isfinite(low) and np.isfinite(high))
    found.states[STORAGE_FILL] = _count_fill(values, storage, low, high, odd=odd)
    filled = _where_fill(values, fill, low, high, odd=odd)
    if odd or filled is not None:
        filled = np.zeros(values.shape, np.bool_) if filled is None else filled
        good = ~filled
        if odd:
            good &= np.isfinite(values)
            special = values[~good & ~filled]
            found.states[NAN] = int(np.isnan(special).sum())
            found.states[INF] = int((special == np.inf).sum())
            found.states[NEG_INF] = int((special == -np.inf).sum())
        found.states[FILL] = int(np.count_nonzero(filled))
        values = values[good]
        if values.size:
            low, high = values.min(), values.max()
    values, low, high = _valid(task, values, low, high, found)
    _summarise(found, values, low, high, histogram=task.histogram)
    if task.packed and shaped.dtype.kind in "iu" and shaped.dtype.itemsize <= _MOST_WRAPPED:
        found.ends = _ends(shaped, fill, low, high)
    return found


def _valid(
    task: Task, values: Numbers, low: Any, high: Any, found: Found
) -> tuple[Numbers, Any, Any]:
    """Return the values that CF does not mask, and the lowest and the highest of them; the others are counted."""
    for mark in task.marks:
        marked = _where_fill(values, _meant(mark, task.meant), low, high, odd=False)
        if marked is not None:
            found.states[MISSING_VALUE] = found.states.get(MISSING_VALUE, 0) + int(marked.sum())
            values = values[~marked]
            low, high = (values.min(), values.max()) if values.size else (low, high)
    least, most = task.valid
    if values.size and ((least is not None and low < least) or (most is not None and high > most)):
        inside = within(values, least, most)
        found.states[INVALID] = values.size - int(np.count_nonzero(inside))
        values = values[inside]
        low, high = (values.min(), values.max()) if values.size else (low, high)
    return values, low, high


def _ends(values: Numbers, fill: FillValue | None, low: Any, high: Any) -> Ends:
    """Return which values of a chunk lie at the ends of their type; `low` and `high` are theirs, without missing ones."""
    limits = np.iinfo(values.dtype)
    margin = (int(limits.max) - int(limits.min)) // _NEAR
    lower, upper = int(limits.min) + margin, int(limits.max) - margin
    if low > lower or high < upper:
        return Ends()
    good = np.True_ if fill is None or not fill.usable else ~matches(values, fill)
    at_low, at_high = (values <= lower) & good, (values >= upper) & good
    meetings = 0
    for axis in range(values.ndim):
        before, after = (
            (slice(None),) * axis + (part,) for part in (slice(None, -1), slice(1, None))
        )
        for one, other in ((at_low, at_high), (at_high, at_low)):
            meetings += int(np.count_nonzero(one[before] & other[after]))
    return Ends(int(np.count_nonzero(at_low)), int(np.count_nonzero(at_high)), meetings)


def _scan_others(task: Task, values: Numbers, found: Found) -> Found:
    """Look at values that are no plain numbers: complex numbers, times, texts."""
    states, storage = classify(values, task.fill, task.storage_fill)
    for code in (FILL, NAN, INF, NEG_INF):
        found.states[code] = int(np.count_nonzero(states == code))
    found.states[STORAGE_FILL] = int(np.count_nonzero(storage == STORAGE_FILL))
    if values.dtype.kind not in "cmM":
        found.states[VALUE] = int(np.count_nonzero(states == VALUE))
        return found
    values = values[states == VALUE]
    if values.dtype.kind == "c":
        with np.errstate(over="ignore"):  # of two huge parts the magnitude is the largest number
            magnitudes = np.abs(values)
        values = np.minimum(magnitudes, np.finfo(magnitudes.dtype).max)
    else:
        found.timed = values.dtype
        values = values.view(np.int64)
    if values.size:
        _summarise(found, values, values.min(), values.max(), histogram=task.histogram)
    return found


def _summarise(found: Found, values: Numbers, low: Any, high: Any, *, histogram: bool) -> None:
    found.states[VALUE] = found.count = values.size
    if not values.size:
        return
    found.minimum, found.maximum = low.item(), high.item()
    found.whole = values.dtype.kind in "iu"
    if histogram:
        found.histogram = BinaryHistogram.of(values, found.minimum, found.maximum)
    # Around the middle of the range, unless 0 is so near to it that no more than a few digits cancel.
    middle = found.minimum / 2 + found.maximum / 2
    away = max(-found.minimum, found.maximum)
    if away < _LARGE and abs(middle) <= _NEAR_ZERO * (found.maximum - found.minimum):
        middle = 0.0
    total, squares = _moments(values, middle)
    found.mean = middle + total / values.size
    found.squares = max(0.0, squares - total * (total / values.size))


def _moments(values: Numbers, middle: float) -> tuple[float, float]:
    """Return the sums of the differences from a number, and of their squares."""
    rows = min(_ROWS, -(-values.size // _ROW))
    apart = np.empty((rows, _ROW))
    flat, across, along = apart.reshape(-1), apart[:, None, :], apart[:, :, None]
    starts = range(0, values.size, flat.size)
    sums, squares = np.empty((len(starts), rows)), np.empty((len(starts), rows, 1, 1))
    with np.errstate(over="ignore", invalid="ignore"):  # squares beyond float64 are infinite
        for i, start in enumerate(starts):
            block = values[start : start + flat.size]
            part = flat[: block.size]
            np.copyto(part, block, casting="unsafe")
            if middle:
                np.subtract(part, middle, out=part)
            flat[block.size :] = 0.0
            # faster than a product with ones, and than np.sum
            np.einsum("ij->i", apart, out=sums[i])
            np.matmul(across, along, out=squares[i])
        return float(sums.sum()), float(squares.sum())


def _meant(fill: FillValue | None, meant: np.dtype[Any] | None) -> FillValue | None:
    """Return a fill value with the sign that values are meant to have."""
    if fill is None or meant is None or not fill.usable:
        return fill
    found: FillValue = replace(fill, value=fill.value.view(meant))
    return found


def _as_number(fill: FillValue | None) -> FillValue | None:
    """Return the fill value of bools for bools seen as numbers."""
    if fill is None or not fill.usable:
        return None
    return FillValue(np.uint8(fill.value), fill.dialect, (), fill.given, fill.text)


def _where_fill(
    values: Numbers, fill: FillValue | None, low: Any, high: Any, *, odd: bool
) -> np.ndarray[Any, np.dtype[np.bool_]] | None:
    """Return where values equal a fill value, None where none does."""
    if fill is None or not fill.usable or not (odd or low <= fill.value <= high):
        return None
    found = matches(values, fill)
    return found if found.any() else None


def _count_fill(values: Numbers, fill: FillValue | None, low: Any, high: Any, *, odd: bool) -> int:
    found = _where_fill(values, fill, low, high, odd=odd)
    return 0 if found is None else int(np.count_nonzero(found))


def by_state(found: Mapping[str, int]) -> Iterator[tuple[str, int, int]]:
    """Yield names, codes and counts of the states that occur."""
    yield from ((name, CODES[name], count) for name, count in found.items() if count)
