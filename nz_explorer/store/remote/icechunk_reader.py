"""Repositories of Icechunk: one of their versions is read, by branch, tag or snapshot."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from nz_explorer.store.errors import SourceError
from nz_explorer.store.remote.remote_reader import RemoteReader

if TYPE_CHECKING:
    from icechunk import Repository

VERSIONS = ("branch", "tag", "snapshot")
"""Options that name a version; at most one of them is given."""
MOST_NAMES = 200
"""Branches and tags that are offered to choose from."""
_AUTHORS = ("author", "author_name", "user", "committer")
"""What programs call the author among the properties of a commit; Icechunk itself notes none."""


@dataclass(frozen=True)
class Version:
    """A snapshot of a repository.

    Attributes
    ----------
    snapshot : str
        Its id.
    message : str
        What its author said of it.
    written : datetime
        When it was committed.
    author : str
        Who committed it, where the commit says; else empty.
    """

    snapshot: str
    message: str
    written: datetime
    author: str = ""


class IcechunkReader(RemoteReader):
    """Reads a version of a repository; of a branch, its newest snapshot, again when the store is opened again.

    Parameters
    ----------
    repository : Repository
        The repository.
    label : str
        The source as the user knows it.
    options : mapping
        One of `VERSIONS`, or none for the branch main.

    Attributes
    ----------
    version : tuple of str
        One of `VERSIONS`, and its name; another one is shown once the store is read again.
    snapshot : str
        The id of the snapshot that is read.

    Raises
    ------
    SourceError
        If there is no such version.
    """

    given_as = "the store of a session of icechunk"

    def __init__(self, repository: Repository, label: str, options: Mapping[str, Any]) -> None:
        self.repository = repository
        self.origin = label
        self.version = version_of(options)
        session = self._session()
        super().__init__(session.store, "", "Icechunk", local=False, owns_store=False)
        self._show(session)
        self.object_storage = False  # what a snapshot holds is listed in it

    def _session(self) -> Any:
        kind, name = self.version
        given: dict[str, Any] = {"snapshot_id" if kind == "snapshot" else kind: name}
        try:
            return self.repository.readonly_session(**given)
        except Exception as error:  # those of Icechunk have no common public type
            raise SourceError(f"{self.origin} has no {kind} {name!r}: {reason(error)}") from error

    def _show(self, session: Any) -> None:
        kind, name = self.version
        self._store, self.snapshot = session.store, str(session.snapshot_id)
        known = "" if kind == "snapshot" else f"{name} "
        self.label = f"{self.origin} {known}{self.snapshot}"
        self._offered: tuple[str, ...] | None = None

    def renew(self) -> int:
        """Begin a generation with the newest snapshot; see `Reader.renew`."""
        self._show(self._session())
        return super().renew()

    @property
    def names(self) -> tuple[str, ...]:
        """What can be chosen: branches and tags, such as ``branch main``, and the snapshot that is shown by its id."""
        if self._offered is None:
            found = [f"branch {name}" for name in sorted(self.repository.list_branches())]
            found += [f"tag {name}" for name in sorted(self.repository.list_tags())]
            shown = " ".join(self.version)
            self._offered = tuple(dict.fromkeys((*found[:MOST_NAMES], shown)))
        return self._offered


def version_of(options: Mapping[str, Any]) -> tuple[str, str]:
    """Return which version options name.

    Parameters
    ----------
    options : mapping
        Storage options.

    Raises
    ------
    SourceError
        If they name several, or have another option.
    """
    given = [(kind, str(options[kind])) for kind in VERSIONS if options.get(kind)]
    if len(given) > 1:
        raise SourceError("give one of branch, tag and snapshot, not several")
    return given[0] if given else ("branch", "main")


def reason(error: Exception) -> str:
    """Return what an error of Icechunk says, without where in Icechunk it arose.

    Parameters
    ----------
    error : Exception
        Of Icechunk.
    """
    said = " ".join(str(error).split()).removeprefix("x ").partition(" |")[0]
    return said[:300] or type(error).__name__


def is_repository(path: Path) -> bool:
    """Return whether a folder is a repository."""
    return (path / "snapshots").is_dir() and any((path / one).exists() for one in ("refs", "repo"))


def history(repository: Repository, options: Mapping[str, Any]) -> list[Version]:
    """Return the snapshots that led to a version, the oldest first.

    Parameters
    ----------
    repository : Repository
        The repository.
    options : mapping
        As of `IcechunkReader`.
    """
    return [*newest_versions(repository, options)][::-1]


def newest_versions(repository: Repository, options: Mapping[str, Any]) -> Iterator[Version]:
    """Yield the snapshots that led to a version, the newest first, as they are read.

    Parameters
    ----------
    repository : Repository
        The repository.
    options : mapping
        As of `IcechunkReader`.
    """
    kind, name = version_of(options)
    given: dict[str, Any] = {"snapshot_id" if kind == "snapshot" else kind: name}
    yield from map(_version, repository.ancestry(**given))


def _version(one: Any) -> Version:
    noted = one.metadata or {}
    author = next((str(noted[name]) for name in _AUTHORS if noted.get(name)), "")
    return Version(one.id, one.message, one.written_at, author)


def open_repository(location: str, label: str, options: Mapping[str, Any]) -> Repository:
    """Open a repository in a folder or a bucket.

    Parameters
    ----------
    location : str
        A path or an ``s3://`` URL.
    label : str
        The source as the user knows it.
    options : mapping
        Of S3, with the names of fsspec or of obstore.

    Raises
    ------
    SourceError
        If there is none, or Icechunk is not installed.
    """
    try:
        import icechunk
    except ImportError as error:
        raise SourceError(
            f'{label} is an Icechunk repository; install what reads it with: pip install "nz_explorer[icechunk]"'
        ) from error
    if "://" in location:
        storage = _s3(icechunk, location, {k: v for k, v in options.items() if k not in VERSIONS})
    else:
        # It prints a warning about concurrent commits; nothing is committed here.
        icechunk.set_logs_filter("error")
        storage = icechunk.local_filesystem_storage(str(Path(location).expanduser().absolute()))
        icechunk.set_logs_filter(None)
    try:
        return icechunk.Repository.open(storage)
    except Exception as error:  # those of Icechunk have no common public type
        raise SourceError(f"{label} could not be opened with Icechunk: {reason(error)}") from error


def _s3(icechunk: Any, location: str, options: Mapping[str, Any]) -> Any:
    parts = urlsplit(location)
    if parts.scheme != "s3":
        raise SourceError(f"{location}: repositories are opened by a path or s3://")
    given = {**options, **dict(options.get("client_kwargs") or {})}

    def one(*names: str) -> Any:
        return next((given[name] for name in names if given.get(name) is not None), None)

    endpoint = one("endpoint_url", "endpoint")
    key = one("key", "access_key_id")
    anonymous = bool(one("anon", "skip_signature"))
    return icechunk.s3_storage(
        bucket=parts.netloc,
        prefix=parts.path.strip("/") or None,
        # without one, Amazon's library asks a service of its machines, and says at length that there is none
        region=one("region", "region_name")
        or (os.environ.get("AWS_REGION", "us-east-1") if endpoint or key else None),
        endpoint_url=endpoint,
        allow_http=str(endpoint or "").startswith("http://"),
        force_path_style=endpoint is not None,
        access_key_id=key,
        secret_access_key=one("secret", "secret_access_key"),
        session_token=one("token", "session_token"),
        anonymous=anonymous or None,
        from_env=True if key is None and not anonymous else None,
    )
