"""Closes the sessions of explorers that nobody has any more, on a thread that holds nothing else.

The garbage collector runs on whatever thread allocates next, in the middle of what that thread does. Were a
session closed there, it could wait for a lock whose owner waits for one that this thread holds: for good.
"""

from __future__ import annotations

import atexit
import logging
import threading
import weakref
from functools import cache
from queue import SimpleQueue
from typing import Any

from nz_explorer.widget.session.session import Session

logger = logging.getLogger(__name__)

_open: weakref.WeakSet[Session] = weakref.WeakSet()
_unused: SimpleQueue[Session] = SimpleQueue()
"""Of all queues of the standard library the one into which the collector may put something at any moment."""


def close_with(owner: object, session: Session) -> weakref.finalize[Any, Any]:
    """Have a session closed soon after the last reference to its owner is gone, or at the end of the interpreter.

    Parameters
    ----------
    owner : object
        What uses the session; it is not kept alive.
    session : Session
        The session.

    Returns
    -------
    weakref.finalize
        Detach it where the session is closed otherwise.
    """
    _start()
    _open.add(session)
    end = weakref.finalize(owner, close_soon, session)
    end.atexit = False
    return end


def close_soon(session: Session) -> None:
    """Have a session closed by the thread that does so; never waits, and holds no lock."""
    _unused.put(session)


@cache
def _start() -> None:
    atexit.register(_close_open)
    threading.Thread(target=_close_unused, name="nz-explorer-close", daemon=True).start()


def _close_unused() -> None:
    while True:
        try:
            _unused.get().close()
        except Exception:  # the others are closed all the same, the log has the traceback
            logger.exception("closing a session failed")


def _close_open() -> None:
    for session in list(_open):
        session.close()
