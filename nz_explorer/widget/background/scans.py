"""Going through all values of arrays in the background, for the browser."""

from __future__ import annotations

import logging
import math
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from nz_explorer.model import Array
from nz_explorer.store import Cancellation
from nz_explorer.values.cf_decoding import packing, time_labels
from nz_explorer.values.reading.opening import UnsupportedArray, open_for_reading
from nz_explorer.values.whole_arrays.chunk_statistics import ArrayScan, by_state
from nz_explorer.values.whole_arrays.scan import scan_array
from nz_explorer.widget import protocol
from nz_explorer.widget.picture_messages import finite, histogram_message
from nz_explorer.widget.text import counted, number

EVENT_SECONDS = 0.25

SendScan = Callable[[Array, protocol.ScanResult, list[bytes]], None]
Key = tuple[int, str]
"""Generation and path of an array: what was found about it before it was read again, or edited, does not count."""

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class _Scan:
    found: ArrayScan | None = None
    cancel: Cancellation = field(default_factory=Cancellation)
    thread: threading.Thread | None = None
    problem: str | None = None


class Scans:
    """The scans of a session, at most one of an array at a time.

    Parameters
    ----------
    notify : callable
        Sends how far one is, unasked.
    """

    def __init__(self, notify: SendScan) -> None:
        self._notify = notify
        self._lock = threading.RLock()
        self._scans: dict[Key, _Scan] = {}

    def start(self, array: Array) -> None:
        """Begin, or go on with what was cancelled; a scan that is done begins anew."""
        with self._lock:
            known = self._scans.get(_key(array))
            if known is not None and known.thread is not None and known.thread.is_alive():
                return
            before = None if known is None else known.found
            resume = before if before is not None and before.phase == "cancelled" else None
            scan = self._scans[_key(array)] = _Scan(found=resume)
            scan.thread = threading.Thread(
                target=self._run, args=(array, scan, resume), name="nz-explorer-scan", daemon=True
            )
            scan.thread.start()

    def cancel(self, array: Array) -> None:
        """Stop one; what was found stays, and can be gone on with."""
        with self._lock:
            known = self._scans.get(_key(array))
        if known is not None:
            known.cancel.cancel()
            if known.thread is not None:
                known.thread.join()

    def close(self) -> None:
        """Stop all."""
        with self._lock:
            scans = list(self._scans.values())
        for scan in scans:
            scan.cancel.cancel()

    def forget(self, path: str) -> None:
        """Forget what was found about an array, or about all below a group."""
        below = path.rstrip("/") + "/"
        with self._lock:
            gone = [key for key in self._scans if key[1] == path or key[1].startswith(below)]
            scans = [self._scans.pop(key) for key in gone]
        for scan in scans:
            scan.cancel.cancel()

    def status(self, array: Array) -> tuple[protocol.ScanResult, list[bytes]]:
        """Return how far one is, and what it would take where it has not been begun."""
        with self._lock:
            known = self._scans.get(_key(array))
        return _not_begun(array) if known is None else _result(array, known)

    def extremes(self, array: Array) -> tuple[float, float] | None:
        """Return the lowest and the highest value of all; None where not all were gone through."""
        with self._lock:
            known = self._scans.get(_key(array))
        found = None if known is None else known.found
        if found is None or found.phase != "done":
            return None
        low, high = _number(found.minimum), _number(found.maximum)
        return None if low is None or high is None else (low, high)

    def finish(self, array: Array, budget: int) -> bool:
        """Go through an array now if that takes no more than some bytes; return whether all of it is known.

        Parameters
        ----------
        array
            The array.
        budget
            The most decoded bytes.
        """
        status, _ = self.status(array)
        if status.phase == "none" and status.whole_bytes <= budget:
            self.start(array)
            thread = self._scans[_key(array)].thread
            if thread is not None:
                thread.join()
        return self.extremes(array) is not None

    def _run(self, array: Array, scan: _Scan, resume: ArrayScan | None) -> None:
        last_sent = 0.0

        def progress(found: ArrayScan) -> None:
            nonlocal last_sent
            scan.found = found
            if found.phase == "running" and time.monotonic() - last_sent >= EVENT_SECONDS:
                last_sent = time.monotonic()
                self._notify(array, *_result(array, scan))

        try:
            scan.found = scan_array(array, progress=progress, cancel=scan.cancel, resume=resume)
        except UnsupportedArray as error:
            scan.problem = str(error)
        except Exception as error:  # the panel shows it, the log has the traceback
            logger.exception("the scan of %s failed", array.path)
            scan.problem = f"{type(error).__name__}: {error}"
        self._notify(array, *_result(array, scan))


def _key(array: Array) -> Key:
    return array.generation, array.path


def _not_begun(array: Array) -> tuple[protocol.ScanResult, list[bytes]]:
    try:
        opened = open_for_reading(array)
    except UnsupportedArray as error:
        return protocol.ScanResult(array.path, "failed", 0, 0, str(error)), []
    chunks = math.prod(opened.grid)
    return protocol.ScanResult(
        array.path, "none", 0, chunks, "not begun", chunks * opened.chunk_bytes
    ), []


def _result(array: Array, scan: _Scan) -> tuple[protocol.ScanResult, list[bytes]]:
    found = scan.found
    path = array.path
    if scan.problem is not None:
        return protocol.ScanResult(path, "failed", 0, 0, scan.problem), []
    if found is None:
        return protocol.ScanResult(path, "running", 0, 0, "beginning"), []
    histogram, buffers = histogram_message(found.histogram)
    # a scan that goes on still holds what was found before it was cancelled
    going = scan.thread is not None and scan.thread.is_alive() and not scan.cancel.cancelled
    phase: Any = "running" if going and found.phase == "cancelled" else found.phase
    return (
        protocol.ScanResult(
            path=path,
            phase=phase,
            chunks_done=found.chunks_done,
            chunks_total=found.chunks_total,
            message=_trouble(found),
            count=found.count,
            minimum=_number(found.minimum),
            maximum=_number(found.maximum),
            mean=finite(found.mean),
            std=finite(found.std),
            dates=_dates(array, found),
            states=[protocol.StateCount(*one) for one in by_state(found.states)],  # type: ignore[arg-type]
            histogram=histogram,
            errors=[protocol.ChunkError(e.chunk, e.message) for e in found.errors],
            seconds=found.seconds,
        ),
        buffers,
    )


def _dates(array: Array, found: ArrayScan) -> list[str]:
    """Return the minimum, the maximum and the mean of times as dates, and the standard deviation as a length of time."""
    if found.minimum is None or packing(array) is not None:
        return []
    ends = [found.minimum, found.maximum]
    if found.mean is not None and array.data_type.kind != "datetime":
        ends.append(found.mean)
    dates = time_labels(np.asarray(ends), array.attributes) or []
    if len(dates) == 3 and found.std is not None:
        dates.append(f"{found.std:.6g} {array.attributes['units'].split()[0]}")
    return dates


def _trouble(found: ArrayScan) -> str:
    """Return what the numbers do not show."""
    count = sum(found.faults.values())
    if not count:
        return ""
    of = f"{number(found.chunks_done)} of {counted(found.chunks_total, 'chunk')}"
    return f"{of}, {counted(count, 'chunk')} could not be read"


def _number(value: Any) -> float | None:
    """JSON and the browser have no times; their ticks are shown."""
    return (
        finite(float(value.astype("i8") if hasattr(value, "astype") else value))
        if value is not None
        else None
    )
