"""Histograms that can be put together: of chunks to those of whole arrays."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

MOST_BINS = 128
_LEAST_EXPONENT = -2000
_NARROWEST = -1000
_BLOCK = 2**15
"""Values worked on at once: what is made on the way then stays in the processor's cache."""
_COUNTED = 2**18
"""Values counted at once: enough to be worth a table of all pairs."""


@dataclass(frozen=True, slots=True, eq=False)
class Histogram:
    """How often values fall between neighbouring edges; the fields are those of the protocol.

    Parameters
    ----------
    edges
        float64, one more than `counts`.
    counts
        float64.
    of
        What was counted.
    """

    edges: np.ndarray[Any, np.dtype[np.float64]]
    counts: np.ndarray[Any, np.dtype[np.float64]]
    of: str = "the points shown"


@dataclass(frozen=True, slots=True, eq=False)
class BinaryHistogram:
    """Counts in bins whose width is a power of two and whose edges are multiples of it.

    The bins of a wider range are unions of those of a narrower one, so that histograms of parts
    add up, in any order, to exactly the histogram of the whole, without a look at its range first.

    Parameters
    ----------
    exponent
        The width of a bin is two to the power of it.
    first
        Number of the first bin; it begins at ``first * 2**exponent``.
    counts
        Values in each bin.
    """

    exponent: int
    first: int
    counts: np.ndarray[Any, np.dtype[np.int64]]

    @classmethod
    def of(cls, values: np.ndarray[Any, Any], low: Any, high: Any) -> BinaryHistogram:
        """Count finite values, which lie between `low` and `high`; integers have whole bins.

        Parameters
        ----------
        values
            Numbers of shape (n,), without NaN and infinities.
        low, high
            The lowest and the highest of them.
        """
        whole = values.dtype.kind in "iu"
        exponent = bin_exponent(low, high, whole=whole)
        first = _bin(low, exponent)
        size = _bin(high, exponent) - first + 1
        if size == 1:
            return cls(exponent, first, np.array([values.size], np.int64))
        counts = np.zeros(size, np.int64)
        numbers = np.empty(min(values.size, _COUNTED), np.uint8)
        number = _number_integers if whole else _number_floats
        for start in range(0, values.size, _COUNTED):
            part = values[start : start + _COUNTED]
            number(part, exponent, first, numbers[: part.size])
            counts += _counted(numbers[: part.size])[:size]
        return cls(exponent, first, counts)

    def widened(self, exponent: int) -> BinaryHistogram:
        """Return the same counts in wider bins."""
        shift = exponent - self.exponent
        if shift <= 0:
            return self
        first = self.first >> shift
        numbers = [((self.first + i) >> shift) - first for i in range(len(self.counts))]
        counts = np.zeros(numbers[-1] + 1, np.int64)
        np.add.at(counts, numbers, self.counts)
        return BinaryHistogram(exponent, first, counts)

    def joined(self, other: BinaryHistogram, exponent: int) -> BinaryHistogram:
        """Return the counts of both, in bins of a width that has room for both.

        Parameters
        ----------
        other
            Another one.
        exponent
            Of the width of the bins of the result, a power of two; no less than that of either.
        """
        one, two = self.widened(exponent), other.widened(exponent)
        first = min(one.first, two.first)
        last = max(one.first + len(one.counts), two.first + len(two.counts))
        counts = np.zeros(last - first, np.int64)
        for part in (one, two):
            counts[part.first - first : part.first - first + len(part.counts)] += part.counts
        return BinaryHistogram(exponent, first, counts)

    def plain(self, of: str) -> Histogram:
        """Return it with its edges as numbers."""
        if self.exponent < _NARROWEST:  # of zeros only: a bar without width is none
            return self.widened(_NARROWEST).plain(of)
        # the last edge may lie beyond what a float can hold
        numbers = (np.longdouble(self.first + i) for i in range(len(self.counts) + 1))
        largest = np.finfo(np.float64).max
        edges = [
            float(np.clip(np.ldexp(number, self.exponent), -largest, largest)) for number in numbers
        ]
        return Histogram(np.array(edges), self.counts.astype(np.float64), of)


def bin_exponent(low: Any, high: Any, *, whole: bool) -> int:
    """Return the exponent of the narrowest bins that are few enough for a range.

    It only grows as the range grows. Bins are no narrower than what 24 bits can number, which
    float32 counts exactly; those of integers no narrower than 1.

    Parameters
    ----------
    low, high
        The lowest and the highest value.
    whole
        Whether the values are integers.
    """
    if whole:
        exponent = max(0, (int(high) - int(low)).bit_length() - 8)
    else:
        largest = max(abs(low), abs(high))
        if largest == 0:
            return _LEAST_EXPONENT
        span = high / 2 - low / 2
        exponent = math.frexp(largest)[1] - 23
        if span > 0:
            exponent = max(exponent, math.frexp(span)[1] + 1 - 9)
    while _bin(high, exponent) - _bin(low, exponent) >= MOST_BINS:
        exponent += 1
    return exponent


def _bin(value: Any, exponent: int) -> int:
    if isinstance(value, int):
        return value >> exponent
    scaled = math.ldexp(value, -exponent)
    # what is too small to be scaled is still below zero
    return -1 if value < 0 and scaled == 0 else math.floor(scaled)


def _counted(numbers: np.ndarray[Any, np.dtype[np.uint8]]) -> np.ndarray[Any, np.dtype[np.intp]]:
    """Count how often each number occurs."""
    if numbers.size < _COUNTED:
        return np.bincount(numbers, minlength=256)
    # two at a time, which takes half as long; the cast lets other threads run, bincount does not
    pairs = np.bincount(numbers.view(np.uint16).astype(np.intp), minlength=256 * 256)
    table = pairs.reshape(256, 256)
    return np.asarray(table.sum(axis=0) + table.sum(axis=1))


def _number_integers(
    values: np.ndarray[Any, Any],
    exponent: int,
    first: int,
    numbers: np.ndarray[Any, np.dtype[np.uint8]],
) -> None:
    """Write the number of the bin of each integer, counted from the first; a byte has room for them."""
    shift, offset = values.dtype.type(exponent), np.uint8(first & 0xFF)
    shifted = np.empty(min(values.size, _BLOCK), values.dtype)
    for start in range(0, values.size, _BLOCK):
        block = values[start : start + _BLOCK]
        into = numbers[start : start + _BLOCK]
        np.right_shift(block, shift, out=shifted[: block.size])
        # the lowest byte will do: the difference is right whatever was lost
        np.copyto(into, shifted[: block.size], casting="unsafe")
        np.subtract(into, offset, out=into)


def _number_floats(
    values: np.ndarray[Any, Any],
    exponent: int,
    first: int,
    numbers: np.ndarray[Any, np.dtype[np.uint8]],
) -> None:
    """Write the number of the bin of each float, counted from the first."""
    wide = values.dtype.itemsize == 8 or abs(exponent) > 100
    scaled = np.empty(min(values.size, _BLOCK), np.float64 if wide else np.float32)
    # what is too small to be scaled is still below zero; a negative exponent makes numbers larger
    below = first < 0 and exponent > 0
    for start in range(0, values.size, _BLOCK):
        block = values[start : start + _BLOCK]
        part = scaled[: block.size]
        if abs(exponent) > 1000:
            np.ldexp(block, -exponent, out=part)
        else:
            np.multiply(block, part.dtype.type(math.ldexp(1.0, -exponent)), out=part)
        np.floor(part, out=part)
        if below:
            part[(part == 0) & (block < 0)] = -1
        # numbers below 2**24, so that nothing is lost
        np.subtract(part, part.dtype.type(first), out=part)
        np.copyto(numbers[start : start + _BLOCK], part, casting="unsafe")
