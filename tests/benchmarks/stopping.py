"""How long it takes from the word to the end when long work is stopped: a row of ``python -m tests.benchmarks``."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path

import numpy as np
import zarr

from nz_explorer.conventions import evaluate
from nz_explorer.model import Array, Hierarchy, open_store
from nz_explorer.plots import make
from nz_explorer.store import Cancellation, Cancelled
from nz_explorer.values.whole_arrays.census import census_of
from nz_explorer.values.whole_arrays.scan import scan_array
from tests.benchmarks.large import siblings, tree, write
from tests.benchmarks.results import Result, alone

MOMENTS = (0.01, 0.05, 0.2, 0.5, 1.0)
"""Seconds after the beginning at which it is stopped, unless it has ended by then."""


def _many_chunks(store: Path) -> Path:
    """Write 40 000 chunks of a few bytes, without zarr, which would take a minute."""
    array = zarr.create_array(
        store, shape=(400, 400), chunks=(2, 2), dtype="u1", compressors=None
    )  # fmt: skip
    for y in range(200):
        (store / f"c/{y}").mkdir(parents=True)
        for x in range(200):
            (store / f"c/{y}/{x}").write_bytes(np.ones(4, array.dtype).tobytes())
    return store


def _stopped(prepared: Callable[[], Callable[[Cancellation], object]], moment: float) -> float:
    """Begin and stop at a moment; return how long it went on after that, 0 where it had ended."""
    work = prepared()  # the store is opened before
    cancel, stopped_at = Cancellation(), []

    def stop() -> None:
        stopped_at.append(time.perf_counter())
        cancel.cancel()

    timer = threading.Timer(moment, stop)
    timer.start()
    with suppress(Cancelled):
        work(cancel)
    end = time.perf_counter()
    timer.cancel()
    timer.join()
    return max(0.0, end - stopped_at[0]) if stopped_at else 0.0


def _walk(hierarchy: Hierarchy, cancel: Cancellation) -> None:
    for _ in hierarchy.walk(cancel=cancel):
        pass


def stopping(root: Path) -> list[Result]:
    """Stop each kind of long work at several moments; the longest that one went on after that."""
    nodes = write(root / "stopped nodes.zarr", tree(100, 50))
    entries = write(
        root / "stopped entries.zarr", siblings(50_000), consolidated=True, stored=False
    )
    chunks = _many_chunks(root / "stopped chunks.zarr")

    def array() -> Array:
        found = open_store(chunks).root
        assert isinstance(found, Array)
        return found

    export = {"width": 4096, "height": 4096, "thin": False, "everything": True}
    works: dict[str, Callable[[], Callable[[Cancellation], object]]] = {
        "walk": lambda: partial(_walk, open_store(nodes)),
        "check": lambda: evaluate(open_store(nodes)).run,
        "check of consolidated nodes": lambda: evaluate(open_store(entries)).run,
        "check of all values": lambda: evaluate(open_store(chunks), values="all").run,
        "scan": lambda: lambda cancel: scan_array(array(), cancel=cancel),
        "census": lambda: lambda cancel: census_of(array(), cancel=cancel),
        "read of all chunks for an export": lambda: (
            lambda cancel: make(open_store(chunks), "/", cancel=cancel, **export)
        ),
    }
    rows = []
    for name, work in works.items():
        seconds = max(_stopped(work, moment) for moment in MOMENTS)
        rows.append(alone(f"stop a {name}", seconds, "<= 0.3 s", seconds <= 0.3))
    return rows
