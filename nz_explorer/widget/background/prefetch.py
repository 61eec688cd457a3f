"""Reads ahead what a slider will show next: while nothing else is asked for, and of what is played the next pictures."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from nz_explorer.model import Array
from nz_explorer.store import Cancellation, Cancelled
from nz_explorer.store.cancellation import hand_over
from nz_explorer.widget import protocol

if TYPE_CHECKING:
    from nz_explorer.plots import QuickLook
    from nz_explorer.plots.picture import Slider

IDLE_SECONDS = 0.25
"""How long nothing is asked for before reading ahead begins."""

AHEAD = 6
"""So many steps in front of what is shown are read while a slider goes on in equal steps."""
TOGETHER = 4
"""As many pictures of them are read at a time."""

logger = logging.getLogger(__name__)


class Prefetch:
    """Remembers which slider was moved last, and reads its next and its previous index.

    Parameters
    ----------
    quicklook : callable
        Reads a picture into the cache.
    """

    def __init__(self, quicklook: Callable[..., QuickLook]) -> None:
        self._quicklook = quicklook
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="nz-explorer-ahead")
        self._lock = threading.Lock()
        self._cancel: Cancellation | None = None
        self._before: tuple[str, dict[str, int]] = ("", {})
        """The array that was shown last, and where."""
        self._moved: dict[str, str] = {}
        self._together = ThreadPoolExecutor(TOGETHER, thread_name_prefix="nz-explorer-ahead")
        self._step = 0
        """By how much the slider was moved last."""
        self._run: Cancellation | None = None
        """While a slider goes on in equal steps: ends reading in front of it."""
        self._asked: set[int] = set()

    def shown(self, array: Array, params: protocol.PictureParams, look: QuickLook) -> None:
        """Take notice of a picture that was made; `Cancelled` is raised once this was closed.

        Parameters
        ----------
        array : Array
            The array that is shown.
        params : protocol.PictureParams
            The request for the picture, which shows the direction of the last move.
        look : QuickLook
            The picture.
        """
        with self._lock:
            slider, again = self._moved_slider(params.path, look)
            if self._cancel is not None:
                self._cancel.cancel()
            # what does not fit the budget is not read unasked
            facts = look.read
            if slider is None or facts is None or not facts.complete or params.everything:
                self._end_run()
            elif again and not look.derived and not look.overview:
                self._follow(array, params, slider)
            else:
                self._end_run()
                way = self._step or 1
                wanted = [
                    slider.index + (1 if way > 0 else -1),
                    slider.index - (1 if way > 0 else -1),
                ]
                self._cancel = Cancellation()
                hand_over(
                    self._pool,
                    self._read,
                    array,
                    params,
                    self._at(params, slider, wanted),
                    self._cancel,
                )

    def _moved_slider(self, path: str, look: QuickLook) -> tuple[Slider | None, bool]:
        """Return the slider that was moved last, and whether it went on by the same step."""
        at = {slider.dimension: slider for slider in look.sliders}
        shown, before = self._before
        self._before = path, {name: slider.index for name, slider in at.items()}
        again = False
        if shown == path:
            steps = {n: one.index - before[n] for n, one in at.items() if n in before}
            moved = [name for name, step in steps.items() if step]
            if len(moved) == 1:
                again = steps[moved[0]] == self._step and self._moved == {path: moved[0]}
                self._moved, self._step = {path: moved[0]}, steps[moved[0]]
        return at.get(self._moved.get(path, "")), again

    def _follow(self, array: Array, params: protocol.PictureParams, slider: Slider) -> None:
        """Read in front of a slider that goes on and on; the very next picture is asked for by the page."""
        if self._run is None:
            self._run = Cancellation()
        steps = (slider.index + self._step * nth for nth in range(2, AHEAD + 1))
        for at in self._at(params, slider, steps):
            index = at[slider.dimension]
            kept = any(first <= index < end for first, end in slider.cached)
            if not kept and index not in self._asked:
                self._asked.add(index)
                hand_over(self._together, self._read, array, params, [at], self._run, False)

    def _end_run(self) -> None:
        if self._run is not None:
            self._run.cancel()
        self._run = None
        self._asked.clear()

    def _at(
        self, params: protocol.PictureParams, slider: Slider, wanted: Iterable[int]
    ) -> list[dict[str, int]]:
        return [
            {**params.index, slider.dimension: index}
            for index in wanted
            if 0 <= index < slider.length
        ]

    def _read(
        self,
        array: Array,
        params: protocol.PictureParams,
        wanted: list[dict[str, int]],
        cancel: Cancellation,
        wait: bool = True,
    ) -> None:
        idle = threading.Event()
        forget = cancel.on_cancel(idle.set)
        try:
            if wait and idle.wait(IDLE_SECONDS):
                return
            for index in wanted:
                self._quicklook(
                    array,
                    index,
                    width=params.width,
                    height=params.height,
                    cancel=cancel,
                    **params.choices,
                )
        except Cancelled:
            return
        except Exception:  # nobody asked for it; whoever does hears of it
            logger.exception("reading ahead failed")
        finally:
            forget()

    def make_way(self) -> None:
        """Stop what was to be done while nothing else is asked for."""
        with self._lock:
            if self._cancel is not None:
                self._cancel.cancel()

    def stop(self) -> None:
        """Stop reading: what was read may be another picture by now."""
        self.make_way()
        with self._lock:
            self._end_run()

    def close(self) -> None:
        """Stop for good."""
        self.stop()
        for pool in (self._pool, self._together):
            pool.shutdown(wait=False, cancel_futures=True)
