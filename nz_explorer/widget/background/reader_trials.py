"""Letting other readers open the store, in the background, one after the other."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from nz_explorer.diagnosis import READERS, Trial, try_reader
from nz_explorer.model import Hierarchy
from nz_explorer.store import Cancellation

logger = logging.getLogger(__name__)


class Trials:
    """What readers make of the store; at most one is tried at a time.

    Parameters
    ----------
    hierarchy : Hierarchy
        The store.
    notify : callable
        Called when there is something new to show.
    """

    def __init__(self, hierarchy: Hierarchy, notify: Callable[[], None]) -> None:
        self._hierarchy = hierarchy
        self._notify = notify
        self._lock = threading.Lock()
        self._cancel = Cancellation()
        self.thread: threading.Thread | None = None
        self.path = "/"
        """The node that was looked at, with all below it."""
        self.done: list[Trial] = []
        self.trying: str | None = None
        """The reader that is at it."""
        self.steps = 0
        """How many edits the store had."""

    def start(self, path: str, edited: Hierarchy | None = None, steps: int = 0) -> None:
        """Try all readers at a node and below it, instead of what is being tried.

        Parameters
        ----------
        path : str
            The node.
        edited : Hierarchy, optional
            The store with edits, which are tried in a temporary copy; the store as it is by default.
        steps : int
            How many edits there are.
        """
        self.stop()
        hierarchy = edited or self._hierarchy
        with self._lock:
            self.path, self.done, self._cancel = path, [], Cancellation()
            self.steps = steps
            self.thread = threading.Thread(
                target=self._run,
                args=(path, hierarchy, self._cancel),
                name="nz-explorer-readers",
                daemon=True,
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

    def forget(self) -> None:
        """Forget what readers made of the store: it was read again, and may be another one."""
        with self._lock:
            self._cancel.cancel()
            self._cancel = Cancellation()
            self.done, self.trying = [], None

    def close(self) -> None:
        """End what is being tried, without waiting for it."""
        self._cancel.cancel()

    def _run(self, path: str, hierarchy: Hierarchy, cancel: Cancellation) -> None:
        try:
            for reader in READERS:
                self._note(cancel, reader)
                trial = try_reader(reader, hierarchy, below=path, cancel=cancel)
                self._note(cancel, reader, trial)
                if cancel.cancelled:
                    break
        except Exception:  # the panel shows what there is, the log has the traceback
            logger.exception("trying readers failed")
        finally:
            self._note(cancel, None)

    def _note(self, cancel: Cancellation, trying: str | None, *found: Trial) -> None:
        """Say how far it is, unless it has been forgotten."""
        with self._lock:
            if self._cancel is not cancel:
                return
            self.trying = trying
            self.done = [*self.done, *found]
        self._notify()
