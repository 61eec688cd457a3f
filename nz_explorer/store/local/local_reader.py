"""What readers of the local file system share: they read one key after the other, with nothing to wait for."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import TypeVar

from nz_explorer.store.cancellation import Cancellation
from nz_explorer.store.errors import ReadError
from nz_explorer.store.reader import MAX_DOCUMENT_BYTES, Listing, Reader, check_key, is_safe

Answer = TypeVar("Answer")
Limit = TypeVar("Limit")

READ_AT_ONCE = 64
"""Keys that are read before it is asked again whether someone has cancelled."""


class LocalReader(Reader):
    """Reads without an event loop: that alone costs ten times the reads."""

    def get_many(
        self,
        keys: Sequence[str],
        cancel: Cancellation | None = None,
        *,
        max_bytes: int | None = None,
    ) -> list[bytes | ReadError | None]:
        """Return the bytes of each key; see `Reader.get_many`."""
        limit = MAX_DOCUMENT_BYTES if max_bytes is None else max_bytes
        answers: list[bytes | ReadError | None]
        answers = self._each(keys, self._read, limit, None, cancel)
        self.counters.bytes += sum(len(one) for one in answers if isinstance(one, bytes))
        return answers

    def list_many(
        self, prefixes: Sequence[str], cancel: Cancellation | None = None, limit: int | None = None
    ) -> list[Listing | ReadError]:
        """Return the names below each prefix; see `Reader.list_many`."""
        return self._each(prefixes, self._list, limit, Listing(()), cancel)

    @abstractmethod
    def _read(self, key: str, limit: int) -> bytes:
        """Return the bytes of a safe key, no more than a limit; an `OSError` or `ReadError` says why not."""

    @abstractmethod
    def _list(self, prefix: str, limit: int | None) -> Listing:
        """Return the names below a safe prefix, no more than a limit; an `OSError` or `ReadError` says why not."""

    def _each(
        self,
        wanted: Sequence[str],
        read: Callable[[str, Limit], Answer],
        limit: Limit,
        nothing: Answer,
        cancel: Cancellation | None,
    ) -> list[Answer | ReadError]:
        counters = self.counters
        answers: list[Answer | ReadError] = []
        counters.round_trips += 1
        for begin in range(0, len(wanted), READ_AT_ONCE):
            if cancel is not None:
                cancel.check()
            some = wanted[begin : begin + READ_AT_ONCE]
            counters.requests += len(some)
            safe = is_safe("/".join(some))  # as nearly always: then all are
            for key in some:
                try:
                    if not safe and (key or nothing is None):  # the root has a list
                        check_key(key)
                    answers.append(read(key, limit))
                except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
                    answers.append(nothing)
                except OSError as error:
                    reason = "denied" if isinstance(error, PermissionError) else "os"
                    answers.append(ReadError(key, reason, error.strerror or str(error)))
                except ReadError as error:
                    answers.append(error)
        return answers
