"""Which commit of an Icechunk repository brought a finding."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from nz_explorer.model import open_store
from nz_explorer.report.check import check
from nz_explorer.store import Cancellation, SourceError
from nz_explorer.store.remote.icechunk_reader import IcechunkReader, Version, history
from nz_explorer.store.resolve import resolve

if TYPE_CHECKING:
    from icechunk import Repository


@dataclass(frozen=True)
class Bisection:
    """What was found.

    Attributes
    ----------
    first : Version or None
        The oldest version with the finding; None where the newest has none.
    message : str
        What the finding says there.
    before : Version or None
        The version before it, which has no such finding.
    versions : int
        How many there are.
    checks : int
        How many were checked.
    """

    first: Version | None
    message: str
    before: Version | None
    versions: int
    checks: int


def bisect(
    source: Any,
    rule: str,
    *,
    path: str | None = None,
    storage_options: Mapping[str, Any] | None = None,
) -> Bisection:
    """Search the history of an Icechunk repository for the commit that brought a finding.

    A finding that came, went and came again is found at one of the commits that brought it. No more than
    log₂(n) + 1 of n versions are checked, rounded up.

    Parameters
    ----------
    source
        A path, URL or repository.
    rule : str
        Its rule.
    path : str, optional
        Its node; any by default.
    storage_options : mapping, optional
        With the branch, tag or snapshot whose history is searched; see `resolve`.

    Raises
    ------
    SourceError
        If it is no Icechunk repository.
    """
    options = dict(storage_options or {})
    reader = resolve(source, storage_options=options)
    if not isinstance(reader, IcechunkReader):
        reader.close()
        raise SourceError(f"{reader.label} has no history: it is no Icechunk repository")
    versions = history(reader.repository, options)
    return bisect_versions(reader.repository, versions, rule, path=path)


def bisect_versions(
    repository: Repository,
    versions: Sequence[Version],
    rule: str,
    *,
    path: str | None = None,
    cancel: Cancellation | None = None,
    progress: Callable[[int, Version], object] | None = None,
) -> Bisection:
    """Search versions for the one that brought a finding; see `bisect`.

    Parameters
    ----------
    repository : Repository
        What they are versions of.
    versions : sequence of Version
        The oldest first.
    rule : str
        Of the finding.
    path : str, optional
        Its node; any by default.
    cancel : Cancellation, optional
        Looked at before each check.
    progress : callable, optional
        Called before each check with its number, and what is checked.

    Raises
    ------
    Cancelled
        If it was cancelled.
    """
    checks = 0

    def found_in(version: Version) -> str | None:
        nonlocal checks
        if cancel is not None:
            cancel.check()
        checks += 1
        if progress is not None:
            progress(checks, version)
        try:
            opened = open_store(repository, storage_options={"snapshot": version.snapshot})
        except SourceError:
            return None  # nothing in it yet, as in the first snapshot of each repository
        with closing(opened) as store:
            report = check(store, select=[rule], progress=False)
            own = (f for f in report.findings if f.rule == rule and path in (None, f.path))
            return next((f"{f.path}: {f.message}" for f in own), None)

    message = found_in(versions[-1])
    if message is None:
        return Bisection(None, "", None, len(versions), checks)
    good, bad = -1, len(versions) - 1
    while bad - good > 1:
        middle = (good + bad) // 2
        said = found_in(versions[middle])
        if said is None:
            good = middle
        else:
            bad, message = middle, said
    before = versions[good] if good >= 0 else None
    return Bisection(versions[bad], message, before, len(versions), checks)


def most_checks(versions: int) -> int:
    """Return how many of so many versions are checked at most."""
    return (versions - 1).bit_length() + 1
