"""How requests are answered: each method by one function."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from nz_explorer.store import Cancellation
from nz_explorer.widget import protocol
from nz_explorer.widget.session_view import SessionView

T = TypeVar("T")

Buffers = Sequence[bytes | memoryview]
Answer = tuple[protocol.Message, Buffers]

AnswerTo = Callable[[SessionView, Any, Cancellation], Answer]
F = TypeVar("F", bound=AnswerTo)

ANSWERS: dict[str, AnswerTo] = {}
"""By method. The session itself answers what is about it alone."""

MAX_PAGE = 1000


def answers(method: str) -> Callable[[F], F]:
    """Register the function that answers a method.

    It is given the open hierarchy, the method's parameters (see `protocol.PARAMS`) and a cancellation, and
    returns the result (`protocol.RESULTS`) with its buffers.

    Parameters
    ----------
    method : str
        Of the protocol.
    """

    def register(function: F) -> F:
        ANSWERS[method] = function
        return function

    return register


class BadRequest(Exception):
    """A message that does not follow the protocol."""


def page_of(items: Sequence[T], offset: int, limit: int) -> Sequence[T]:
    """Return a page of a list.

    Parameters
    ----------
    items : sequence
        The whole list.
    offset, limit : int
        Where the page begins, and how many it has at most.

    Raises
    ------
    BadRequest
        If there is no such page.
    """
    if offset < 0 or limit < 1:
        raise BadRequest("offset must not be negative and limit must be at least 1")
    return items[offset : offset + min(limit, MAX_PAGE)]
