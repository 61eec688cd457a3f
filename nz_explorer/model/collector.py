"""Python's garbage collector, told to look less often while many nodes are made.

It looks through all young objects each time 700 more were made, and through all others whenever their number
has grown by a quarter. Nodes live on, so on a large store that is a third of the time. It is never switched
off: what others leave behind meanwhile is still collected.
"""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager

SELDOM = (100_000, 50, 1000)

_lock = threading.Lock()
_before: list[tuple[int, int, int]] = []
"""What each of those who are inside has found; the first of them is what to go back to."""


@contextmanager
def seldom_collected() -> Iterator[None]:
    """Collect seldom inside of the block, in all threads; as before after the last such block has ended."""
    with _lock:
        _before.append(gc.get_threshold())
        gc.set_threshold(*SELDOM)
    try:
        yield
    finally:
        with _lock:
            found = _before.pop()
            if not _before:
                gc.set_threshold(*found)
