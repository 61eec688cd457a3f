"""Writes documents into a zarr store."""

from __future__ import annotations

import base64
import contextlib
import json
import uuid
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, TypeVar

from nz_explorer.store.errors import ReadError
from nz_explorer.store.remote.loop import wait_for
from nz_explorer.store.remote.retry import classify, retry_async
from nz_explorer.store.writing.journal import (
    COMMAND,
    JOURNAL,
    SCHEMA,
    changed_meanwhile,
    checked,
    foreign,
    is_object,
    may_have_been,
    reason,
    strange,
    why_no_document,
)
from nz_explorer.store.writing.writer import Edit, Interrupted, Recovery, WriteError, Writer

if TYPE_CHECKING:
    from zarr.abc.store import Store


T = TypeVar("T")


class StoreWriter(Writer):
    """Writes into a zarr store, one put for each document.

    An object store knows no locks: whether the owner of a journal is still at work is not known.

    Parameters
    ----------
    store : Store
        A store that may be written to.
    prefix : str
        Path of the root in it.
    label : str
        The source as the user knows it.
    """

    def __init__(self, store: Store, prefix: str, label: str) -> None:
        self._store = store
        self._prefix = prefix
        self._label = label

    def pending(self) -> bool:
        """Whether there is a journal."""
        return self._get(JOURNAL) is not None

    def write(self, edits: Sequence[Edit]) -> None:
        """Write a bundle of documents; see `Writer.write`."""
        wanted = checked(edits)
        if not wanted:
            return
        try:
            if self.pending():
                raise Interrupted(
                    f"an earlier fix of {self._label} was interrupted, or is under way: nothing was written;"
                    f" if no one else is writing, run {COMMAND} first"
                )
            for edit in wanted:
                if self._get(edit.key) != edit.before:
                    raise changed_meanwhile(edit.key)
            self._begin(wanted)
        except ReadError as error:
            raise WriteError(f"{error.detail}: nothing was written") from error
        self._put_all(wanted)

    def recover(self) -> Recovery | None:
        """Restore, or complete, what was interrupted; see `Writer.recover`."""
        try:
            raw = self._get(JOURNAL)
            if raw is None:
                return None
            edits = _documents(raw)
            current = [self._get(edit.key) for edit in edits]
            for edit, now in zip(edits, current, strict=True):
                if now not in (edit.before, edit.after):
                    raise foreign(edit.key, f"the object {JOURNAL}")
            keys = tuple(edit.key for edit in edits)
            if all(now == edit.after for edit, now in zip(edits, current, strict=True)):
                self._put(JOURNAL, None)
                return Recovery("new", keys)
            for edit in edits:
                self._put(edit.key, edit.before)
            self._put(JOURNAL, None)
        except ReadError as error:
            raise WriteError(
                f"an earlier fix was interrupted, and the store could not be restored ({error.detail})",
                "mixed",
            ) from error
        return Recovery("old", keys)

    # --- the steps --------------------------------------------------------------------------

    def _begin(self, edits: Sequence[Edit]) -> None:
        """Put the journal, unless someone else has been faster."""
        from zarr.buffer import default_buffer_prototype

        journal = json.dumps(
            {
                "schema": SCHEMA,
                "id": uuid.uuid4().hex,
                "started": datetime.now(UTC).isoformat(timespec="seconds"),
                "documents": [
                    {"key": e.key, "before": _encoded(e.before), "after": _encoded(e.after)}
                    for e in edits
                ],
            },
            indent=1,
        ).encode()
        buffer = default_buffer_prototype().buffer.from_bytes(journal)
        self._ask(JOURNAL, lambda: self._store.set_if_not_exists(self._full(JOURNAL), buffer))
        if self._get(JOURNAL) != journal:
            raise Interrupted(f"another fix of {self._label} is under way: nothing was written")

    def _put_all(self, edits: Sequence[Edit]) -> None:
        done: list[Edit] = []
        try:
            for edit in edits:
                done.append(edit)
                self._replace(edit)
        except BaseException as error:
            key = done[-1].key
            try:
                self._restore(done)
            except ReadError as second:
                raise WriteError(
                    f"{key} could not be written ({reason(error)}), nor could the store be restored ({second.detail}):"
                    f" both versions are kept in the object {JOURNAL}; run {COMMAND}",
                    "mixed",
                ) from second
            if isinstance(error, ReadError):
                raise WriteError(
                    f"{key} could not be written ({error.detail}): the store is as it was"
                ) from error
            raise
        with contextlib.suppress(ReadError):  # all is written; the next call clears up
            self._put(JOURNAL, None)

    def _replace(self, edit: Edit) -> None:
        if self._get(edit.key) != edit.before:
            raise changed_meanwhile(edit.key)
        self._put(edit.key, edit.after)

    def _restore(self, edits: Sequence[Edit]) -> None:
        for edit in edits:
            now = self._get(edit.key)
            # Also the last one, which failed: after a lost connection it is not known whether it arrived.
            if now == edit.after:
                self._put(edit.key, edit.before)
            elif now != edit.before and edit is not edits[-1]:
                raise ReadError(edit.key, "os", f"{edit.key} was changed by someone else meanwhile")
        self._put(JOURNAL, None)

    # --- requests ---------------------------------------------------------------------------

    def _full(self, key: str) -> str:
        return "/".join(part for part in (self._prefix, key) if part)

    def _get(self, key: str) -> bytes | None:
        from zarr.buffer import default_buffer_prototype

        try:
            found = self._ask(
                key, lambda: self._store.get(self._full(key), default_buffer_prototype())
            )
        except FileNotFoundError:
            return None
        return None if found is None else found.to_bytes()

    def _put(self, key: str, data: bytes | None) -> None:
        from zarr.buffer import default_buffer_prototype

        try:
            if data is None:
                self._ask(key, lambda: self._store.delete(self._full(key)))
            else:
                buffer = default_buffer_prototype().buffer.from_bytes(data)
                self._ask(key, lambda: self._store.set(self._full(key), buffer))
        except FileNotFoundError as error:
            if data is not None:  # such as a bucket that is gone; what is deleted may be
                raise classify(key, error)[0] from error

    def _ask(self, key: str, request: Callable[[], Awaitable[T]]) -> T:
        """Make a request, again where it failed for a moment: a put has the same effect twice."""
        return wait_for(retry_async(key, request))


def _encoded(data: bytes | None) -> str | None:
    return None if data is None else base64.b64encode(data).decode()


def _documents(raw: bytes) -> list[Edit]:
    """Return the documents of a journal.

    Raises
    ------
    WriteError
        If it is not as journals are.
    """
    journal = f"the object {JOURNAL}"

    def decoded(text: Any) -> bytes | None:
        return None if text is None else base64.b64decode(text, validate=True)

    try:
        manifest = json.loads(raw)
        if manifest["schema"] != SCHEMA:
            raise strange(journal, "it is of another version")
        edits = [
            Edit(d["key"], decoded(d["before"]), decoded(d["after"])) for d in manifest["documents"]
        ]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise strange(journal, "it cannot be read") from error
    for edit in edits:
        if why := why_no_document(edit.key):
            raise strange(journal, f"{edit.key!r} is no document: {why}")
        if edit.before is not None and not may_have_been(edit.before):
            raise strange(journal, f"{edit.key} before is no JSON object")
        if edit.after is not None and not is_object(edit.after):
            raise strange(journal, f"{edit.key} after is no JSON object")
    return edits
