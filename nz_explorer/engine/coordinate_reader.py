"""Values of coordinates, read for the rules on them: side by side over a network, one by one where that is as fast.

How much may be read is one number for all of them. What a coordinate may need is set aside before it is read, and those
that may not have enough wait for the ones before them; so what is found does not depend on who is answered first.
"""

from __future__ import annotations

import sys
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING

from nz_explorer.store import Cancellation

if TYPE_CHECKING:
    from nz_explorer.model import Array
    from nz_explorer.values.contents import Absence
    from nz_explorer.values.coordinates.monotonicity import Monotonicity
    from nz_explorer.values.reading.chunk_cache import ChunkCache

AT_ONCE = 64
"""Threads that wait for answers; as many requests for chunks as are made at once."""
MOST_AHEAD = 256
"""Coordinates that may be read before the first of them is judged."""


@dataclass(frozen=True, slots=True)
class CoordinateFacts:
    """What the rules on values know of a coordinate or a scalar.

    Attributes
    ----------
    absence : Absence or None
        Which of its chunks are not stored; None where no rule asks for that.
    monotonic : Monotonicity or None
        The result of its values; None for a scalar.
    """

    absence: Absence | None
    monotonic: Monotonicity | None


class ByteBudget:
    """Bytes of values that may be decoded.

    Safe to use from several threads.

    Parameters
    ----------
    most : int or None
        How many in all; None for no limit.
    """

    def __init__(self, most: int | None) -> None:
        self._most = most
        self._used = 0
        self._reserved = 0
        self._changed = threading.Condition()

    @property
    def left(self) -> int:
        """How many more may be decoded."""
        with self._changed:
            return self._left()

    def _left(self) -> int:
        return sys.maxsize if self._most is None else self._most - self._used - self._reserved

    def reserve(self, need: int, cancel: Cancellation | None = None) -> int:
        """Set bytes aside, after those that are being read have ended if there may not be enough before.

        Parameters
        ----------
        need : int
            The most that may be decoded.
        cancel : Cancellation, optional
            Ends the waiting.

        Returns
        -------
        int
            What may be decoded: `need`, what is left if that is less, -1 where nothing is left.

        Raises
        ------
        Cancelled
            If it was cancelled; nothing is set aside then.
        """
        if cancel is None:
            return self._reserve(need, None)
        forget = cancel.on_cancel(self._wake)
        try:
            return self._reserve(need, cancel)
        finally:
            forget()

    def _reserve(self, need: int, cancel: Cancellation | None) -> int:
        with self._changed:
            # what they do not use is for those that come after them, as if they were read one by one
            self._changed.wait_for(
                lambda: (
                    not self._reserved
                    or (self._left() >= need and self._left() > 0)
                    or (cancel is not None and cancel.cancelled)
                )
            )
            if cancel is not None:
                cancel.check()
            if self._left() <= 0:
                return -1
            granted = min(need, self._left())
            self._reserved += granted
            return granted

    def _wake(self) -> None:
        with self._changed:
            self._changed.notify_all()

    def settle(self, granted: int, used: int) -> None:
        """Report how much of a reservation was decoded, and release the rest.

        Parameters
        ----------
        granted : int
            Bytes that had been reserved.
        used : int
            Bytes that were decoded.
        """
        with self._changed:
            self._reserved -= granted
            self._used += used
            self._changed.notify_all()

    def use(self, used: int) -> None:
        """Note that bytes were decoded; less than none where they need not have been."""
        self.settle(0, used)

    def copy(self) -> ByteBudget:
        """Return one of which as much was used."""
        twin = ByteBudget(self._most)
        twin._used = self._used  # of the same class
        return twin


def read(
    array: Array,
    byte_budget: ByteBudget,
    *,
    chunks: bool,
    cache: ChunkCache | None,
    cancel: Cancellation | None,
) -> CoordinateFacts | None:
    """Read a coordinate, or ask whether a scalar is stored.

    Parameters
    ----------
    array : Array
        The coordinate or scalar.
    byte_budget : ByteBudget
        What may be decoded.
    chunks : bool
        Whether to find out which chunks are stored.
    cache : ChunkCache, optional
        Where decoded chunks are looked for, and kept.
    cancel : Cancellation, optional
        Stops it.

    Returns
    -------
    CoordinateFacts or None
        None where nothing is left of the allowance.

    Raises
    ------
    Cancelled
        If it was cancelled.
    """
    from nz_explorer.values.contents import absence

    granted = byte_budget.reserve(_need(array), cancel)
    if granted < 0:
        return None
    used = 0
    try:
        missing = absence(array, cancel) if chunks else None
        monotonic = _values(array, granted, cache, cancel)
        used = 0 if monotonic is None else monotonic.bytes_read
    finally:
        byte_budget.settle(granted, used)
    return CoordinateFacts(missing, monotonic)


def read_many(
    arrays: Iterable[Array],
    byte_budget: ByteBudget,
    *,
    chunks: Callable[[Array], bool],
    cache: ChunkCache | None,
    cancel: Cancellation | None,
) -> Generator[tuple[Array, CoordinateFacts | None], None, None]:
    """Read many coordinates side by side; see `read`.

    Parameters
    ----------
    arrays : iterable of Array
        The coordinates and scalars.
    byte_budget : ByteBudget
        How much may be decoded, for all of them together.
    chunks : callable
        Whether the chunks of an array are looked for in the store.
    cache : ChunkCache or None
        Decoded chunks, shared with whoever else reads them.
    cancel : Cancellation or None
        Ends it early.

    Yields
    ------
    tuple of Array and CoordinateFacts or None
        Each array with what `read` would return, in their order, whenever which answer came.
    """
    stop = Cancellation()
    forget = None if cancel is None else cancel.on_cancel(stop.cancel)
    pool = ThreadPoolExecutor(AT_ONCE, "nz-coordinates")
    under_way: deque[_UnderWay] = deque()
    try:
        for array in arrays:
            under_way.append(_UnderWay(array, byte_budget, pool, chunks(array), cache, stop))
            stop.check()
            while under_way and (len(under_way) > MOST_AHEAD or under_way[0].done):
                yield _first(under_way)
        while under_way:
            yield _first(under_way)
    finally:
        # also where a cell or a command is interrupted: the others are no longer needed
        stop.cancel()
        if forget is not None:
            forget()
        pool.shutdown(wait=False, cancel_futures=True)
        for one in under_way:
            one.give_back()


def _first(under_way: deque[_UnderWay]) -> tuple[Array, CoordinateFacts | None]:
    # it stays there if waiting for it fails, so that it is given back
    found = under_way[0].found()
    return under_way.popleft().array, found


class _UnderWay:
    """A coordinate that is being read."""

    def __init__(
        self,
        array: Array,
        byte_budget: ByteBudget,
        pool: ThreadPoolExecutor,
        chunks: bool,
        cache: ChunkCache | None,
        cancel: Cancellation,
    ) -> None:
        from nz_explorer.values.contents import absence

        self.array = array
        self._byte_budget = byte_budget
        self._granted = byte_budget.reserve(_need(array), cancel)
        self._absence: Future[Absence] | None = None
        self._values: Future[Monotonicity | None] | None = None
        if self._granted < 0:
            return
        # which chunks there are and what they hold: nothing of the one is needed for the other
        if chunks:
            self._absence = pool.submit(absence, array, cancel)
        self._values = pool.submit(_values, array, self._granted, cache, cancel)
        self._values.add_done_callback(self._settle)

    @property
    def done(self) -> bool:
        """Whether there is nothing to wait for."""
        return all(one is None or one.done() for one in (self._absence, self._values))

    def found(self) -> CoordinateFacts | None:
        """Wait for what is found; None where nothing might be read."""
        if self._values is None:
            return None
        missing = None if self._absence is None else self._absence.result()
        return CoordinateFacts(missing, self._values.result())

    def _settle(self, values: Future[Monotonicity | None]) -> None:
        # as soon as it ends, not when it is its turn to be judged: others may wait for what it leaves
        self._byte_budget.settle(self._granted, _bytes_read(values))

    def give_back(self) -> None:
        """Have what was decoded count as not decoded: nobody will hear of it, and it may be read again."""
        if self._values is not None:
            self._values.add_done_callback(
                lambda values: self._byte_budget.use(-_bytes_read(values))
            )


def _bytes_read(values: Future[Monotonicity | None]) -> int:
    if values.cancelled() or values.exception() is not None:
        return 0
    monotonic = values.result()
    return 0 if monotonic is None else monotonic.bytes_read


def _need(array: Array) -> int:
    from nz_explorer.values.coordinates.monotonicity import most_bytes

    return most_bytes(array) if array.shape != () else 0


def _values(
    array: Array, budget: int, cache: ChunkCache | None, cancel: Cancellation | None
) -> Monotonicity | None:
    from nz_explorer.values.coordinates.monotonicity import check_monotonic

    if array.shape == ():
        return None
    return check_monotonic(array, budget=budget, cancel=cancel, cache=cache)
