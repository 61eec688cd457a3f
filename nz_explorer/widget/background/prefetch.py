"""Reads ahead what a slider will show next, while nothing else is asked for."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from nz_explorer.model import Array
from nz_explorer.store import Cancellation, Cancelled
from nz_explorer.store.cancellation import hand_over
from nz_explorer.widget import protocol

if TYPE_CHECKING:
    from nz_explorer.plots import QuickLook

IDLE_SECONDS = 0.25
"""How long nothing is asked for before reading ahead begins."""

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
        self._before: protocol.PictureParams | None = None
        self._moved: dict[str, str] = {}

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
        wanted = self._wanted(params, look)
        with self._lock:
            self._before = params
            if self._cancel is not None:
                self._cancel.cancel()
            # what does not fit the budget is not read unasked
            facts = look.read
            if not wanted or facts is None or not facts.complete or params.everything:
                return
            self._cancel = Cancellation()
            hand_over(self._pool, self._read, array, params, wanted, self._cancel)

    def _wanted(self, params: protocol.PictureParams, look: QuickLook) -> list[dict[str, int]]:
        """Return the indices to read, the one in the direction of the last move first."""
        before, at = self._before, {slider.dimension: slider for slider in look.sliders}
        forward = 1
        if before is not None and before.path == params.path:
            moved = [n for n in at if before.index.get(n, 0) != params.index.get(n, 0)]
            if len(moved) == 1:
                self._moved = {params.path: moved[0]}
                forward = 1 if params.index.get(moved[0], 0) > before.index.get(moved[0], 0) else -1
        slider = at.get(self._moved.get(params.path, ""))
        if slider is None:
            return []
        steps = (slider.index + forward, slider.index - forward)
        return [
            {**params.index, slider.dimension: index}
            for index in steps
            if 0 <= index < slider.length
        ]

    def _read(
        self,
        array: Array,
        params: protocol.PictureParams,
        wanted: list[dict[str, int]],
        cancel: Cancellation,
    ) -> None:
        idle = threading.Event()
        forget = cancel.on_cancel(idle.set)
        try:
            if idle.wait(IDLE_SECONDS):
                return
            for index in wanted:
                self._quicklook(
                    array,
                    index,
                    width=params.width,
                    height=params.height,
                    window=params.window,
                    x=params.x,
                    y=params.y,
                    kind=params.kind,
                    part=params.part,
                    reduce=params.reduce,
                    against=params.against,
                    cancel=cancel,
                )
        except Cancelled:
            return
        except Exception:  # nobody asked for it; whoever does hears of it
            logger.exception("reading ahead failed")
        finally:
            forget()

    def stop(self) -> None:
        """Make way for what is asked for."""
        with self._lock:
            if self._cancel is not None:
                self._cancel.cancel()

    def close(self) -> None:
        """Stop for good."""
        self.stop()
        self._pool.shutdown(wait=False, cancel_futures=True)
