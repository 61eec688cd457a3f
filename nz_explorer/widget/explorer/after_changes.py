"""What is done a moment after an explorer has changed: not for each place that a slider passes."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import traitlets

_Observed = TypeVar("_Observed", bound=traitlets.HasTraits)


def after_changes(
    explorer: _Observed, traits: Sequence[str], seconds: float, act: Callable[[_Observed], None]
) -> None:
    """Call a function in a thread of its own, once traits have not changed for a while.

    Parameters
    ----------
    explorer
        Whose traits they are; it is not kept alive.
    traits : sequence of str
        Their names.
    seconds : float
        How long they have to be as they are.
    act
        What is called with the explorer.
    """
    reference = weakref.ref(explorer)
    timer: threading.Timer | None = None

    def run() -> None:
        found = reference()
        if found is not None:
            act(found)

    def changed(_: Any) -> None:
        nonlocal timer
        if timer is not None:
            timer.cancel()
        timer = threading.Timer(seconds, run)
        timer.daemon = True
        timer.start()

    explorer.observe(changed, list(traits))
