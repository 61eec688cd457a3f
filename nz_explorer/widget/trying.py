"""Letting other readers open the store, in the background, one after the other."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from nz_explorer.model import Hierarchy
from nz_explorer.readers import READERS, Trial, try_reader
from nz_explorer.store import Cancellation

logger = logging.getLogger(__name__)


class Trials:
    """What readers make of the store; at most one is tried at a time.

    Parameters
    ----------
    hierarchy : Hierarchy
        The store.
    tell : callable
        Called when there is something new to show.
    """

    def __init__(self, hierarchy: Hierarchy, tell: Callable[[], None]) -> None:
        self._hierarchy = hierarchy
        self._tell = tell
        self._lock = threading.Lock()
        self._cancel = Cancellation()
        self.thread: threading.Thread | None = None
        self.path = "/"
        """The node that was looked at, with all below it."""
        self.done: list[Trial] = []
        self.trying: str | None = None
        """The reader that is at it."""

    def start(self, path: str) -> None:
        """Try all readers at a node and below it, instead of what is being tried."""
        self.stop()
        with self._lock:
            self.path, self.done, self._cancel = path, [], Cancellation()
            self.thread = threading.Thread(
                target=self._run, args=(path, self._cancel), name="nz-explorer-readers", daemon=True
            )
            self.trying = READERS[0]
            self.thread.start()

    def stop(self) -> None:
        """End what is being tried."""
        with self._lock:
            thread = self.thread
            self._cancel.cancel()
        if thread is not None:
            thread.join()

    def close(self) -> None:
        """End what is being tried, without waiting for it."""
        self._cancel.cancel()

    def _run(self, path: str, cancel: Cancellation) -> None:
        try:
            for reader in READERS:
                self.trying = reader
                self._tell()
                self.done = [
                    *self.done,
                    try_reader(reader, self._hierarchy, below=path, cancel=cancel),
                ]
                if cancel.cancelled:
                    break
        except Exception:  # the panel shows what there is, the log has the traceback
            logger.exception("trying readers failed")
        finally:
            self.trying = None
            self._tell()
