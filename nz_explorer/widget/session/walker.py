"""The walk through a hierarchy that evaluates the rules in the background; never more than one at a time."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from nz_explorer.engine.evaluation import Evaluation
from nz_explorer.store import Cancellation, ReadError, SourceError
from nz_explorer.widget import protocol

EVENT_SECONDS = 0.25
"""Pause between two progress events; more would only keep the browser busy."""

DOING = {
    "nodes": "reading metadata",
    "coordinates": "reading coordinates",
    "listings": "looking inside arrays",
    "entries": "comparing consolidated metadata",
}

logger = logging.getLogger(__name__)


class _Walk:
    """A walk of the hierarchy.

    Parameters
    ----------
    until_closed : bool
        Whether only the end of the session stops it: someone waits for all that it finds.
    """

    def __init__(self, *, until_closed: bool = False) -> None:
        self.until_closed = until_closed
        self.cancel = Cancellation()
        self.ended = False


class Walker:
    """Walks a hierarchy, stops, and makes way for those who read the store again.

    Parameters
    ----------
    base : Evaluation
        The hierarchy as it is stored.
    shown : callable
        Returns what is shown of it, of which the progress counts the nodes.
    notify : callable
        Called now and then, and at the end: there is something new to show.
    ended : callable
        Called at the end of a walk for whose results nobody waited.
    """

    def __init__(
        self,
        base: Evaluation,
        *,
        shown: Callable[[], Evaluation],
        notify: Callable[[], None],
        ended: Callable[[], None],
    ) -> None:
        self._base = base
        self._shown = shown
        self._notify = notify
        self._ended = ended
        self._walk: _Walk | None = None
        """The last one; there is never more than one under way."""
        self._rereading = 0
        """How many are reading the store again; nobody walks it then."""
        self._wanted = False
        """Whether someone has wanted it to be walked meanwhile."""
        self._walking = threading.Condition()
        """Of these three."""
        self._last_sent = 0.0
        self._closed = False
        self.progress = protocol.Progress(
            "walk", base.hierarchy.loaded, base.hierarchy.nodes_total, ""
        )

    def start(self) -> None:
        """Begin, or go on, to walk the hierarchy and evaluate rules in the background."""
        with self._walking:
            if self._closed or self._walks:
                return
            if self._rereading:
                self._wanted = True
                return
            walk = self._walk = _Walk()
            threading.Thread(
                target=self._run, args=(walk,), name="nz-explorer-walk", daemon=True
            ).start()

    @property
    def _walks(self) -> bool:
        """Whether a walk is under way."""
        return self._walk is not None and not self._walk.ended

    def stop(self) -> bool:
        """Stop walking; what was found stays. Return False where someone waits for the end of it."""
        walk = self._walk
        if walk is None:
            return True
        if not walk.until_closed or self._closed:
            walk.cancel.cancel()
        return walk.cancel.cancelled

    def wait(self, seconds: float | None = None) -> bool:
        """Wait for the walk to end; return whether it did."""
        with self._walking:
            return self._walking.wait_for(lambda: not self._walks, seconds)

    def close(self) -> None:
        """Stop for good."""
        self._closed = True
        self.stop()
        with self._walking:
            self._walking.notify_all()

    @contextmanager
    def reading_again(self) -> Iterator[None]:
        """Have nobody walk while the store is read again; who was about it goes on afterwards."""
        with self._walking:
            self._rereading += 1
            self._wanted |= self._walks
        self.stop()
        self.wait()
        try:
            yield
        finally:
            with self._walking:
                self._rereading -= 1
                wanted = self._wanted and not self._rereading
                if wanted:
                    self._wanted = False
                self._walking.notify_all()
            if wanted:
                self.start()

    def set_wanted(self, wanted: bool) -> None:
        """Say whether the hierarchy is to be walked once the store has been read again."""
        self._wanted = wanted

    def walk_all(self) -> None:
        """Walk on this thread, and stop only with the session."""
        with self._walking:
            self._walking.wait_for(lambda: self._closed or not (self._walks or self._rereading))
            if self._closed:
                return
            walk = self._walk = _Walk(until_closed=True)
        self._run(walk)

    def _run(self, walk: _Walk) -> None:
        try:
            self._visit(walk)
        finally:
            with self._walking:
                walk.ended = True
                self._walking.notify_all()

    def _visit(self, walk: _Walk) -> None:
        cancel = walk.cancel
        try:
            self._base.run(cancel, self._on_progress)
        except (ReadError, SourceError) as error:
            self._set_progress("failed", str(error))
        except Exception as error:  # the header shows it, the log has the traceback
            logger.exception("the walk failed")
            self._set_progress("failed", f"{type(error).__name__}: {error}")
        else:
            if cancel.cancelled:
                self._set_progress("cancelled", "stopped")
            elif self._base.out_of_time:
                seconds = self._base.budget.seconds(self._base.hierarchy, self._base.values)
                self._set_progress("cancelled", f"stopped after {seconds:g} s, the time limit")
            else:
                left = "; consolidated metadata not compared" if self._base.not_compared else ""
                self._set_progress("done", f"everything was read{left}")
        if not walk.until_closed:
            self._ended()
        self._notify()

    def _on_progress(self, what: str, done: int, total: int | None) -> None:
        counters = self._shown().hierarchy.reader.counters
        self.progress = protocol.Progress(
            "walk" if what == "nodes" else "values",
            done if what == "nodes" else self.progress.nodes,
            total if what == "nodes" else self.progress.total,
            DOING.get(what, what)
            + ("" if what == "nodes" or total is None else f" ({done} of {total})"),
            counters.requests,
            counters.bytes,
        )
        now = time.monotonic()
        if now - self._last_sent >= EVENT_SECONDS:
            self._last_sent = now
            self._notify()

    def sent(self, result: Any) -> None:
        """Notify again where a walk has ended or begun while its progress was on its way, which would be the last word.

        Parameters
        ----------
        result : object
            What was sent; without a `protocol.Progress` it is passed over.
        """
        progress = getattr(result, "progress", None)
        if isinstance(progress, protocol.Progress) and progress.phase != self.progress.phase:
            self._notify()

    def _set_progress(self, phase: Any, message: str) -> None:
        counters = self._shown().hierarchy.reader.counters
        nodes = self.nodes()
        total = nodes if phase == "done" else self.progress.total
        self.progress = protocol.Progress(
            phase, nodes, total, message, counters.requests, counters.bytes
        )

    def nodes(self) -> int:
        """Return how many nodes are known of what is shown."""
        shown = self._shown()
        return max(shown.hierarchy.loaded, sum(shown.nodes.values()))
