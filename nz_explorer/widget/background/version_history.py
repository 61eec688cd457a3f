"""The history of a repository: its versions, as far as they were read, and the search for the one that brought a finding."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import islice

from nz_explorer.model import Hierarchy
from nz_explorer.report.bisection import Bisection, bisect_versions, most_checks
from nz_explorer.store import Cancellation, Cancelled, ReadError, SourceError
from nz_explorer.store.remote.icechunk_reader import (
    IcechunkReader,
    Version,
    history,
    newest_versions,
    reason,
)

PAGE = 20
"""Versions that are shown at first, and that each asking for more adds."""
HISTORY = "History …"
"""Offered beside the versions: shows them with what their commits say."""

logger = logging.getLogger(__name__)


@dataclass
class Search:
    """A search for the version that brought a finding.

    Attributes
    ----------
    rule, path : str
        Of the finding.
    doing : str
        What is being done, in words; empty once it is over.
    found : Bisection or None
        What was found.
    problem : str
        Why nothing was.
    cancel : Cancellation
        Ends it.
    """

    rule: str
    path: str
    doing: str = "reading the history"
    found: Bisection | None = None
    problem: str = ""
    cancel: Cancellation = field(default_factory=Cancellation)


class VersionHistory:
    """The versions that led to the one that is shown; at most one search at a time.

    Parameters
    ----------
    reader : IcechunkReader
        The repository.
    notify : callable
        Called when there is something new to show.
    """

    def __init__(self, reader: IcechunkReader, notify: Callable[[], None]) -> None:
        self.reader = reader
        self._notify = notify
        self._lock = threading.Lock()
        self._most = PAGE
        self._read: tuple[str, list[Version]] = ("", [])
        self.search: Search | None = None
        self.problem = ""
        """Why the version that was asked for last is not shown."""
        self.thread: threading.Thread | None = None

    def versions(self) -> tuple[list[Version], bool]:
        """Return the newest versions, the newest first, and whether there are more."""
        snapshot = self.reader.snapshot
        known, read = self._read
        if known != snapshot or len(read) <= self._most:
            some = newest_versions(self.reader.repository, {"snapshot": snapshot})
            read = [*islice(some, self._most + 1)]
            self._read = snapshot, read
        return read[: self._most], len(read) > self._most

    def show_more(self) -> None:
        """Show so many more versions."""
        self._most += PAGE
        self._notify()

    def start(self, rule: str, path: str) -> None:
        """Search for the version that brought a finding, instead of what is being searched for.

        Parameters
        ----------
        rule, path : str
            Of the finding.
        """
        self.stop()
        search = Search(rule, path)
        with self._lock:
            self.search = search
            self.thread = threading.Thread(
                target=self._run, args=(search,), name="nz-explorer-bisect", daemon=True
            )
            self.thread.start()

    def stop(self) -> None:
        """End what is being searched for, without waiting for it."""
        if self.search is not None:
            self.search.cancel.cancel()

    close = stop

    def _run(self, search: Search) -> None:
        repository = self.reader.repository
        try:
            versions = history(repository, {"snapshot": self.reader.snapshot})
            most = most_checks(len(versions))

            def progress(number: int, version: Version) -> None:
                search.doing = (
                    f"check {number} of at most {most}: {version.snapshot}, {version.message}"
                )
                self._notify()

            search.found = bisect_versions(
                repository,
                versions,
                search.rule,
                path=search.path,
                cancel=search.cancel,
                progress=progress,
            )
        except Cancelled:
            search.problem = "stopped"
        except (SourceError, ReadError) as error:
            search.problem = str(error)
        except Exception as error:  # those of Icechunk have no common public type
            logger.exception("the search for a version failed")
            search.problem = reason(error)
        finally:
            search.doing = ""
            self._notify()


def history_of(hierarchy: Hierarchy, notify: Callable[[], None]) -> VersionHistory | None:
    """Return the history of a store, None where it has none.

    Parameters
    ----------
    hierarchy : Hierarchy
        The store.
    notify : callable
        See `VersionHistory`.
    """
    reader = hierarchy.reader
    return VersionHistory(reader, notify) if isinstance(reader, IcechunkReader) else None
