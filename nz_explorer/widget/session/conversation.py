"""Requests in, replies and events out, nothing that waits in between.

Messages may arrive on any thread (JupyterLab sends them over subshells). They are only taken in there; a pool
of workers computes the answers and sends them.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import msgspec
from traitlets import TraitError

from nz_explorer.editing.trial_edits.edited_documents import CannotEdit
from nz_explorer.model import NodeNotFound
from nz_explorer.store import Cancellation, Cancelled, ReadError, SourceError
from nz_explorer.store.cancellation import time_limit
from nz_explorer.store.errors import TimeLimitExceeded
from nz_explorer.store.writing import WriteError
from nz_explorer.text.printable import all_encodable
from nz_explorer.widget import panels, protocol
from nz_explorer.widget.requests.answer import Answer, BadRequest, Buffers
from nz_explorer.widget.search import BadQuery
from nz_explorer.widget.text import on_screen

Send = Callable[[dict[str, Any], Buffers], None]

AT_ONCE = ("set", "lost")
"""Methods that are answered in the order in which they come, on the thread on which the host sets traits."""
ACTING = (*AT_ONCE, "act", "animate", "export", "retry", "scan", "walk")
"""Methods that do something, once."""
WORKERS = 4

REFUSED = (
    msgspec.ValidationError,
    UnicodeError,
    BadRequest,
    BadQuery,
    panels.CannotDo,
    CannotEdit,
    WriteError,
    TraitError,
)
"""What a request may be refused with: a mistake of whoever asks."""

logger = logging.getLogger(__name__)


class Conversation:
    """Takes requests, has them answered, and sends the answers.

    Parameters
    ----------
    send : callable
        Takes a message and its buffers to the browser; called from any thread.
    compute : callable
        Returns the answer to a method with its parameters.
    make_way : callable
        Called when a picture is asked for: what was done ahead of requests makes way.
    sent : callable
        Called with each answer once it is sent; what has happened meanwhile was perhaps told before it.
    seconds : callable
        Returns how long the answer to a method may take, None for as long as it takes.
    """

    def __init__(
        self,
        send: Send,
        compute: Callable[[str, Any, Cancellation], Answer],
        make_way: Callable[[], None],
        sent: Callable[[Any], None],
        *,
        seconds: Callable[[str], float | None],
    ) -> None:
        self._send = send
        self._compute = compute
        self._make_way = make_way
        self._seconds = seconds
        self._sent = sent
        self.pool = ThreadPoolExecutor(WORKERS, thread_name_prefix="nz-explorer")
        self._lock = threading.Lock()
        self._waiting: dict[int, Cancellation] = {}
        self._picture: tuple[dict[str, Any], Cancellation] | None = None
        self.closed = False

    def receive(self, content: Any) -> None:
        """Take in a message; the answer comes later, from a worker."""
        try:
            if isinstance(content, Mapping) and content.get("kind") == "cancel":
                cancelled = msgspec.convert(dict(content), protocol.Cancel)
                with self._lock:
                    waiting = self._waiting.pop(cancelled.id, None)
                if waiting is not None:
                    waiting.cancel()
                return
            request = msgspec.convert(content, protocol.Request)
        except (msgspec.ValidationError, UnicodeError) as error:
            number = content.get("id") if isinstance(content, Mapping) else None
            if isinstance(number, int):
                self._fail(number, "bad_request", str(error))
            else:
                logger.warning("a message that is no request was ignored: %s", error)
            return
        cancel = Cancellation()
        with self._lock:
            if self.closed:
                return
            self._waiting[request.id] = cancel
            # The value at a pin, a picture of one cell, is asked for beside the one on the screen.
            if request.method == "picture" and request.params.get("width") != 1:
                self._make_way()
                # Two views, or two tabs, that show the same do not take it from each other.
                shows = {name: request.params.get(name) for name in ("path", "index")}
                if self._picture is not None and self._picture[0] != shows:
                    self._picture[1].cancel()
                self._picture = shows, cancel
            if request.method not in AT_ONCE:
                self.pool.submit(self._answer, request, cancel)
                return
        self._answer(request, cancel)

    def _answer(self, request: protocol.Request, cancel: Cancellation) -> None:
        try:
            cancel.check()
            kind = protocol.PARAMS[request.method]
            params = msgspec.convert(request.params, kind)
            with time_limit(self._seconds(request.method), cancel) as limited:
                with self._lock:
                    self._waiting[request.id] = limited
                result, buffers = self._compute(request.method, params, limited)
                limited.check()
            self.send(protocol.Reply(id=request.id, ok=True, result=result), buffers)
            self._sent(result)
        except Cancelled:
            self._fail(request.id, "cancelled", "no longer wanted")
        except NodeNotFound as error:
            self._fail(request.id, "not_found", str(error))
        except REFUSED as error:
            self._fail(request.id, "bad_request", str(error))
        except (ReadError, SourceError, OSError, TimeLimitExceeded) as error:
            self._fail(request.id, "unreadable", str(error), retry=True)
        except Exception as error:  # the user sees it, the log has the traceback
            logger.exception("request %s failed", request.method)
            text = f"{type(error).__name__}: {error}"
            self._fail(
                request.id, "internal", f"this is a mistake in nz_explorer: {text}", retry=True
            )
        finally:
            with self._lock:
                self._waiting.pop(request.id, None)

    def _fail(self, number: int, why: Any, message: str, *, retry: bool = False) -> None:
        failure = protocol.Failure(why, on_screen(message), retry)
        self.send(protocol.Reply(id=number, ok=False, error=failure))

    def send(self, message: protocol.Message, buffers: Buffers = ()) -> None:
        """Send a message, unless the conversation is over.

        Parameters
        ----------
        message : protocol.Message
            Its texts may hold what no message can carry.
        buffers : sequence of bytes
            Numbers that it refers to.
        """
        if self.closed:
            return
        content = msgspec.to_builtins(message)
        try:
            msgspec.json.encode(content)
        except UnicodeEncodeError:  # what no message can carry, from the documents of a stranger
            content = all_encodable(content)
        self._send(content, buffers)

    def submit(self, work: Callable[[], None]) -> None:
        """Have a worker do something, unless the conversation is over."""
        with self._lock:
            if not self.closed:
                self.pool.submit(work)

    def number_of(self, cancel: Cancellation) -> int | None:
        """Return the number of the request that is cancelled so; None where it was answered."""
        with self._lock:
            return next((n for n, one in self._waiting.items() if one is cancel), None)

    def lost(self, numbers: Sequence[int]) -> list[int]:
        """Return which of these requests are not being worked on."""
        with self._lock:
            return [number for number in numbers if number not in self._waiting]

    def close(self) -> None:
        """Cancel what is asked for; nothing is sent any more."""
        with self._lock:
            self.closed = True
            waiting = list(self._waiting.values())
        for cancel in waiting:
            cancel.cancel()
        self.pool.shutdown(wait=False, cancel_futures=True)
