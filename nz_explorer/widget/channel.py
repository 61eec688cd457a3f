"""The channel between an explorer and its pages: what some hosts do with it does not suit an explorer."""

from __future__ import annotations

import inspect
import logging
import threading
import weakref
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

from comm import DummyComm
from ipywidgets.widgets import widget as ipywidgets

if TYPE_CHECKING:
    from nz_explorer.widget.explorer.synced_widget import SyncedWidget

CHECKED_IPYKERNEL = ((7, 4), (8, 0))
"""Versions of ipykernel whose way to choose a subshell is known: from the first, below the second."""

logger = logging.getLogger(__name__)


def prepare(explorer: SyncedWidget) -> None:
    """Prepare the channel that an explorer has just opened."""
    comm = explorer.comm
    if isinstance(comm, DummyComm):
        _keep_weakly(explorer)
    elif type(comm).__module__.startswith("marimo."):
        _release_with(comm, explorer)
    elif hasattr(comm, "_reply_subshell_for"):
        answer_where_asked(comm)
        _answer_beside_cells(comm)


def _keep_weakly(explorer: SyncedWidget) -> None:
    """Let an explorer go with its last reference where there is no page that could show it."""
    reference = weakref.WeakMethod(explorer._handle_msg)  # noqa: SLF001

    def handle(message: Any) -> None:
        method = reference()
        if method is not None:
            method(message)

    explorer.comm.on_msg(handle)
    ipywidgets._instances.pop(explorer.model_id, None)  # noqa: SLF001


def _release_with(comm: Any, explorer: SyncedWidget) -> None:
    """Release an explorer when marimo closes its channel, as it does when the cell is run again."""
    close, reference = comm.close, weakref.ref(explorer)

    def closed(*arguments: Any, **options: Any) -> None:
        close(*arguments, **options)
        widget = reference()
        if widget is not None:
            widget.release()

    comm.close = closed


def answer_where_asked(comm: Any) -> None:
    """Have what comes from a page handled on the subshell that the page names.

    ipykernel 7.4 hands it to the subshell from which the kernel has last spoken: one that may be gone with
    its page, or the main shell that is busy with a cell. Other versions do not, or may do something else.
    """
    trouble = routing_trouble(comm)
    if trouble is None:
        comm._reply_subshell_for = lambda _, asked: asked  # noqa: SLF001
    else:
        _warn_once(trouble)


def _answer_beside_cells(comm: Any) -> None:
    """Have nobody think that a cell has ended when a message was handled on a subshell while one runs.

    Comms have IPython say before and after each message that code is executed. What hears that, as the inline backend
    of matplotlib, shows and closes the figures on which the cell is still at work: they are lost, or shown empty.
    """
    handle = comm.handle_msg

    def handled(message: Any) -> None:
        callback = getattr(comm, "_msg_callback", None)
        if callback is None or threading.current_thread() is threading.main_thread():
            handle(message)
        else:
            callback(message)

    comm.handle_msg = handled


def routing_trouble(comm: Any) -> str | None:
    """Return why it is left to ipykernel on which subshell messages are handled; None where it is not."""
    installed = ipykernel_version()
    first, below = CHECKED_IPYKERNEL
    if not first <= installed < below:
        return (
            f"ipykernel {'.'.join(map(str, installed))} chooses subshells in a way that nz_explorer does not know "
            f"(it knows {'.'.join(map(str, first))} up to {'.'.join(map(str, below))})"
        )
    taken = list(inspect.signature(comm._reply_subshell_for).parameters)  # noqa: SLF001
    if taken != ["data", "default"]:
        return f"ipykernel's _reply_subshell_for takes {', '.join(taken)} instead of data, default"
    return None


def ipykernel_version() -> tuple[int, ...]:
    """Return the major and minor version of ipykernel; nothing where it is not installed."""
    try:
        parts = version("ipykernel").split(".")[:2]
    except PackageNotFoundError:
        return ()
    return tuple(int(part) for part in parts if part.isdecimal())


@cache
def _warn_once(trouble: str) -> None:
    logger.warning("%s: explorers may not answer while a cell runs", trouble)
