"""Repositories of Icechunk: one of their versions is read, by branch, tag or snapshot."""

from __future__ import annotations

from collections.abc import Mapping
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
    """

    snapshot: str
    message: str
    written: datetime


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

    Raises
    ------
    SourceError
        If there is no such version.
    """

    def __init__(self, repository: Repository, label: str, options: Mapping[str, Any]) -> None:
        self.repository = repository
        self._version = version_of(options)
        session = self._session(label)
        kind, name = self._version
        known = "" if kind == "snapshot" else f"{name} "
        super().__init__(
            session.store,
            f"{label} {known}{session.snapshot_id}",
            "Icechunk",
            local=False,
            owns_store=False,
        )
        self.object_storage = False  # what a snapshot holds is listed in it

    def _session(self, label: str) -> Any:
        kind, name = self._version
        given: dict[str, Any] = {"snapshot_id" if kind == "snapshot" else kind: name}
        try:
            return self.repository.readonly_session(**given)
        except Exception as error:  # those of Icechunk have no common public type
            said = " ".join(str(error).split())[:300]
            raise SourceError(f"{label} has no {kind} {name!r}: {said}") from error

    def renew(self) -> int:
        """Begin a generation with the newest snapshot; see `Reader.renew`."""
        self._store = self._session(self.label).store
        return super().renew()


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
    kind, name = version_of(options)
    given: dict[str, Any] = {"snapshot_id" if kind == "snapshot" else kind: name}
    newest_first = repository.ancestry(**given)
    found = [Version(one.id, one.message, one.written_at) for one in newest_first]
    return found[::-1]


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
        said = " ".join(str(error).split())[:300]
        raise SourceError(f"{label} could not be opened with Icechunk: {said}") from error


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
        region=one("region", "region_name"),
        endpoint_url=endpoint,
        allow_http=str(endpoint or "").startswith("http://"),
        force_path_style=endpoint is not None,
        access_key_id=key,
        secret_access_key=one("secret", "secret_access_key"),
        session_token=one("token", "session_token"),
        anonymous=anonymous or None,
        from_env=True if key is None and not anonymous else None,
    )
