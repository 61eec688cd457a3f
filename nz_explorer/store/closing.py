"""Closes what belongs to objects that nobody has any more, on a thread that holds nothing else.

The garbage collector runs on whatever thread allocates next, in the middle of what that thread does. Were something
closed there, it could wait for a lock whose owner waits for one that this thread holds: for good.
"""

from __future__ import annotations

import atexit
import logging
import threading
import weakref
from collections.abc import Callable
from functools import cache
from queue import SimpleQueue
from typing import Any

logger = logging.getLogger(__name__)

Close = Callable[[], object]

_ends: set[weakref.finalize[[Close], Any]] = set()
_waiting: SimpleQueue[Close] = SimpleQueue()
"""Of all queues of the standard library the one into which the collector may put something at any moment."""


def close_with(owner: object, close: Close) -> weakref.finalize[[Close], Any]:
    """Have something closed soon after the last reference to its owner is gone, or at the end of the interpreter.

    Parameters
    ----------
    owner : object
        What uses it; it is not kept alive.
    close : callable
        Closes it; may wait, and must not refer to the owner.

    Returns
    -------
    weakref.finalize
        Detach it where it is closed otherwise; `close_now` closes it.
    """
    _start()
    _ends.difference_update([end for end in list(_ends) if not end.alive])
    end = weakref.finalize(owner, close_soon, close)
    end.atexit = False
    _ends.add(end)
    return end


def close_soon(close: Close) -> None:
    """Have something closed by the thread that does so; never waits, and holds no lock.

    Parameters
    ----------
    close : callable
        Closes it.
    """
    _waiting.put(close)


def close_now(end: weakref.finalize[[Close], Any]) -> None:
    """Close something on this thread, once, and wait for it.

    Parameters
    ----------
    end : weakref.finalize
        What `close_with` returned.
    """
    if found := end.detach():
        _close(found[2][0])


@cache
def _start() -> None:
    atexit.register(_close_all)
    threading.Thread(target=_close_waiting, name="nz-explorer-close", daemon=True).start()


def _close_waiting() -> None:
    while True:
        _close(_waiting.get())


def _close_all() -> None:
    for end in list(_ends):
        close_now(end)


def _close(close: Close) -> None:
    try:
        close()
    except Exception:  # the others are closed all the same, the log has the traceback
        logger.exception("closing failed")
