"""Waiting for zarr's event loop, on which all requests run."""

from __future__ import annotations

import asyncio
import concurrent.futures
from collections.abc import Coroutine
from typing import Any, TypeVar

from nz_explorer.store.cancellation import Cancellation
from nz_explorer.store.errors import Cancelled

T = TypeVar("T")


def wait_for(work: Coroutine[Any, Any, T], cancel: Cancellation | None = None) -> T:
    """Run a coroutine on zarr's event loop and return what it gives.

    Parameters
    ----------
    work : coroutine
        What is run.
    cancel : Cancellation, optional
        Ends it early.

    Raises
    ------
    Cancelled
        As soon as it is cancelled; so are the requests that it makes.
    """
    from nz_explorer.store.zarr_internals import event_loop

    future = asyncio.run_coroutine_threadsafe(work, event_loop())
    forget = cancel.on_cancel(future.cancel) if cancel is not None else lambda: None
    try:
        return future.result()
    except concurrent.futures.CancelledError as error:
        raise Cancelled from error
    except KeyboardInterrupt:  # a cell or a command is interrupted
        future.cancel()
        raise
    finally:
        forget()
