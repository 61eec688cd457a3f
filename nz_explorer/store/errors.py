"""What can go wrong between a source and its bytes."""

from __future__ import annotations


class SourceError(Exception):
    """A source cannot be read at all; the text is one sentence for the user."""

    def _render_traceback_(self) -> list[str]:
        """Return what IPython shows: the sentence, which would stand below a page of our own code."""
        return [f"{type(self).__name__}: {self}"]


class ReadError(Exception):
    """One request failed.

    Parameters
    ----------
    key : str
        The key or prefix that was asked for.
    reason : str
        ``denied``, ``timeout``, ``server``, ``connection``, ``redirect``, ``unsafe key``, ``too large``,
        ``corrupt``, ``link`` or ``os``.
    detail : str
        The message of the store.
    """

    def __init__(self, key: str, reason: str, detail: str) -> None:
        super().__init__(f"could not read {key or 'the root'}: {detail}")
        self.key = key
        self.reason = reason
        self.detail = detail

    def __reduce__(self) -> tuple[object, ...]:
        return ReadError, (self.key, self.reason, self.detail)

    def remembered(self) -> ReadError:
        """Return it without the frames that it came through, which would be kept in memory with it."""
        self.__cause__ = self.__context__ = None
        return self.with_traceback(None)


class TooLarge(ReadError):
    """What a key holds is more than its reader may take; no more than the limit was read.

    Parameters
    ----------
    key : str
        The key or prefix that was asked for.
    limit : int
        The most that may be read, in bytes.
    size : int, optional
        How many bytes there are, if the store states it.
    """

    def __init__(self, key: str, limit: int, size: int | None = None) -> None:
        detail = (
            f"it is larger than the size limit of {limit:,} bytes"
            if size is None
            else f"its {size:,} bytes are more than the size limit of {limit:,} bytes"
        )
        super().__init__(key, "too large", detail)
        self.limit = limit
        self.size = size

    def __reduce__(self) -> tuple[object, ...]:
        return TooLarge, (self.key, self.limit, self.size)


class TimeLimitExceeded(Exception):
    """What someone waits for took too long: it was ended, and what had arrived by then is kept.

    Parameters
    ----------
    seconds : float
        How long it might take.
    """

    def __init__(self, seconds: float) -> None:
        super().__init__(
            f"it was not done within the time limit of {seconds:g} s: the store answers too slowly"
        )
        self.seconds = seconds

    def __reduce__(self) -> tuple[object, ...]:
        return TimeLimitExceeded, (self.seconds,)


class Cancelled(Exception):
    """The user no longer needs the answer."""
