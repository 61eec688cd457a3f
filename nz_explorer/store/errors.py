"""What can go wrong between a source and its bytes."""

from __future__ import annotations


class SourceError(Exception):
    """A source cannot be read at all; the text is one sentence for the user."""


class ReadError(Exception):
    """One request failed.

    Parameters
    ----------
    key : str
        The key or prefix that was asked for.
    reason : str
        ``denied``, ``timeout``, ``server``, ``connection``, ``unsafe key``, ``too large``,
        ``corrupt``, ``link`` or ``os``.
    detail : str
        What the store said, in words.
    """

    def __init__(self, key: str, reason: str, detail: str) -> None:
        super().__init__(f"could not read {key or 'the root'}: {detail}")
        self.key = key
        self.reason = reason
        self.detail = detail


class Cancelled(Exception):
    """The user no longer wants the answer."""
