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
    from nz_explorer.values.cache import ChunkCache
    from nz_explorer.values.contents import Absence
    from nz_explorer.values.coordinates import Monotonicity

AT_ONCE = 64
"""Threads that wait for answers; as many requests for chunks as are made at once."""
MOST_AHEAD = 256
"""Coordinates that may be read before the first of them is judged."""


@dataclass(frozen=True, slots=True)
class Found:
    """What the rules on values are told of a coordinate or a scalar.

    Attributes
    ----------
    absence : Absence or None
        Which of its chunks are not stored; None where no rule asks for that.
    monotonic : Monotonicity or None
        What its values say; None for a scalar.
    """

    absence: Absence | None
    monotonic: Monotonicity | None


class Allowance:
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

    def reserve(self, need: int) -> int:
        """Set bytes aside, after those that are being read have ended if there may not be enough before.

        Parameters
        ----------
        need : int
            The most that may be decoded.

        Returns
        -------
        int
            What may be decoded: `need`, what is left if that is less, -1 where nothing is left.
        """
        with self._changed:
            # what they do not use is for those that come after them, as if they were read one by one
            self._changed.wait_for(
                lambda: not self._reserved or (self._left() >= need and self._left() > 0)
            )
            if self._left() <= 0:
                return -1
            granted = min(need, self._left())
            self._reserved += granted
            return granted

    def settle(self, granted: int, used: int) -> None:
        """Say what was decoded of what had been reserved."""
        with self._changed:
            self._reserved -= granted
            self._used += used
            self._changed.notify_all()

    def use(self, used: int) -> None:
        """Note that bytes were decoded; less than none where they need not have been."""
        self.settle(0, used)

    def copy(self) -> Allowance:
        """Return one of which as much was used."""
        twin = Allowance(self._most)
        twin._used = self._used  # of the same class
        return twin


def read(
    array: Array,
    allowance: Allowance,
    *,
    chunks: bool,
    cache: ChunkCache | None,
    cancel: Cancellation | None,
) -> Found | None:
    """Read a coordinate, or ask whether a scalar is stored.

    Parameters
    ----------
    array : Array
        The coordinate or scalar.
    allowance : Allowance
        What may be decoded.
    chunks : bool
        Whether to find out which chunks are stored.
    cache : ChunkCache, optional
        Where decoded chunks are looked for, and kept.
    cancel : Cancellation, optional
        Stops it.

    Returns
    -------
    Found or None
        None where nothing is left of the allowance.

    Raises
    ------
    Cancelled
        If it was cancelled.
    """
    from nz_explorer.values.contents import absence

    granted = allowance.reserve(_need(array))
    if granted < 0:
        return None
    used = 0
    try:
        missing = absence(array, cancel) if chunks else None
        monotonic = _values(array, granted, cache, cancel)
        used = 0 if monotonic is None else monotonic.bytes_read
    finally:
        allowance.settle(granted, used)
    return Found(missing, monotonic)


def read_many(
    arrays: Iterable[Array],
    allowance: Allowance,
    *,
    chunks: Callable[[Array], bool],
    cache: ChunkCache | None,
    cancel: Cancellation | None,
) -> Generator[tuple[Array, Found | None], None, None]:
    """Read many coordinates side by side; see `read`.

    Yields
    ------
    tuple of Array and Found or None
        Each array with what `read` would return, in their order, whenever which answer came.
    """
    stop = Cancellation()
    forget = None if cancel is None else cancel.on_cancel(stop.cancel)
    pool = ThreadPoolExecutor(AT_ONCE, "nz-coordinates")
    under_way: deque[_UnderWay] = deque()
    try:
        for array in arrays:
            under_way.append(_UnderWay(array, allowance, pool, chunks(array), cache, stop))
            stop.check()
            while under_way and (len(under_way) > MOST_AHEAD or under_way[0].done):
                yield _first(under_way)
        while under_way:
            yield _first(under_way)
    finally:
        # also where a cell or a command is interrupted: nobody wants the others any more
        stop.cancel()
        if forget is not None:
            forget()
        pool.shutdown(wait=False, cancel_futures=True)
        for one in under_way:
            one.give_back()


def _first(under_way: deque[_UnderWay]) -> tuple[Array, Found | None]:
    # it stays there if waiting for it fails, so that it is given back
    found = under_way[0].found()
    return under_way.popleft().array, found


class _UnderWay:
    """A coordinate that is being read."""

    def __init__(
        self,
        array: Array,
        allowance: Allowance,
        pool: ThreadPoolExecutor,
        chunks: bool,
        cache: ChunkCache | None,
        cancel: Cancellation,
    ) -> None:
        from nz_explorer.values.contents import absence

        self.array = array
        self._allowance = allowance
        self._granted = allowance.reserve(_need(array))
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

    def found(self) -> Found | None:
        """Wait for what is found; None where nothing might be read."""
        if self._values is None:
            return None
        missing = None if self._absence is None else self._absence.result()
        return Found(missing, self._values.result())

    def _settle(self, values: Future[Monotonicity | None]) -> None:
        # as soon as it ends, not when it is its turn to be judged: others may wait for what it leaves
        self._allowance.settle(self._granted, _bytes_read(values))

    def give_back(self) -> None:
        """Have what was decoded count as not decoded: nobody will hear of it, and it may be read again."""
        if self._values is not None:
            self._values.add_done_callback(lambda values: self._allowance.use(-_bytes_read(values)))


def _bytes_read(values: Future[Monotonicity | None]) -> int:
    if values.cancelled() or values.exception() is not None:
        return 0
    monotonic = values.result()
    return 0 if monotonic is None else monotonic.bytes_read


def _need(array: Array) -> int:
    from nz_explorer.values.coordinates import most_bytes

    return most_bytes(array) if array.shape != () else 0


def _values(
    array: Array, budget: int, cache: ChunkCache | None, cancel: Cancellation | None
) -> Monotonicity | None:
    from nz_explorer.values.coordinates import check_monotonic

    if array.shape == ():
        return None
    return check_monotonic(array, budget=budget, cancel=cancel, cache=cache)
