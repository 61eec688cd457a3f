"""From what a user has in hand to a reader of its bytes."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit
from urllib.request import url2pathname

from nz_explorer.store.errors import SourceError
from nz_explorer.store.folder import FolderReader
from nz_explorer.store.reader import Reader
from nz_explorer.store.remote import RemoteReader
from nz_explorer.store.zipped import ZipReader

KINDS = {
    "http": "HTTP",
    "https": "HTTP",
    "s3": "S3",
    "s3a": "S3",
    "gs": "Google Cloud Storage",
    "gcs": "Google Cloud Storage",
    "az": "Azure Blob Storage",
    "abfs": "Azure Blob Storage",
    "abfss": "Azure Blob Storage",
}
FSSPEC_PACKAGES = {"HTTP": "aiohttp", "S3": "s3fs", "Google Cloud Storage": "gcsfs"}

# What fsspec's S3 calls its options, and what obstore calls them.
S3_OPTIONS = {
    "anon": "skip_signature",
    "key": "access_key_id",
    "secret": "secret_access_key",
    "token": "session_token",
    "endpoint_url": "endpoint",
    "region_name": "region",
}


def resolve(source: Any, *, storage_options: Mapping[str, Any] | None = None) -> Reader:
    """Return a reader for a source.

    Parameters
    ----------
    source
        A path, ``file://`` URL, zip file, ``http(s)://``, ``s3://``, ``gs://`` or ``az://`` URL, an
        NCZarr URL (``…#mode=nczarr,file``), a zarr ``Store``, ``Group`` or ``Array``, an fsspec mapping, an
        Icechunk session, or an xarray object that was opened from Zarr.
    storage_options : mapping, optional
        For remote sources, with the names of fsspec or of obstore. Of a folder ``{"follow_links": True}``
        follows symbolic links that lead out of it.

    Raises
    ------
    SourceError
        If there is nothing at the source, or it is nothing that can be read.
    """
    if isinstance(source, Reader):
        return source
    if isinstance(source, os.PathLike):
        source = os.fspath(source)
    if isinstance(source, bytes):
        source = os.fsdecode(source)
    if isinstance(source, str):
        return _from_text(source, dict(storage_options or {}))
    return _from_object(source)


def _from_text(source: str, options: dict[str, Any]) -> Reader:
    if not source.strip():
        raise SourceError("the source is empty: give a path or a URL")
    location, modes = _without_fragment(source)[0], url_modes(source)
    # Windows drive letters look like schemes of one letter.
    scheme = match[1].lower() if (match := re.match(r"([A-Za-z][\w+.-]+)://", location)) else ""
    if scheme == "file":
        parts = urlsplit(location)
        location = url2pathname(
            unquote(parts.path) if parts.netloc in ("", "localhost") else location
        )
        scheme = ""
    if not scheme:
        follow_links = bool(options.get("follow_links"))
        return _from_path(Path(location).expanduser(), source, follow_links=follow_links)
    if (scheme in ("http", "https") and "s3" in modes) or _names_amazon(location, scheme):
        location, options = _s3(location, options)
        scheme = "s3"
    if scheme not in KINDS:
        raise SourceError(
            f"{source}: the scheme {scheme!r} is not known; use a path, file, http, https, s3, gs or az"
        )
    return _from_url(location, scheme, source, options)


def url_modes(source: str) -> tuple[str, ...]:
    """Return the words of the mode of an NCZarr URL: ``nczarr`` and ``file`` of ``file:///d#mode=nczarr,file``.

    netCDF-C also accepts ``#nczarr,file`` and several ``key=value`` pairs joined by ``&``.
    """
    words: list[str] = []
    for pair in _without_fragment(source)[1].split("&"):
        key, equals, value = pair.partition("=")
        if not equals or key == "mode":
            given = value if equals else key
            words.extend(word.strip().lower() for word in given.split(",") if word.strip())
    return tuple(dict.fromkeys(words))


def _without_fragment(source: str) -> tuple[str, str]:
    location, mark, fragment = source.partition("#")
    if not mark or Path(source).expanduser().exists():  # a folder may have # in its name
        return source, ""
    return location, fragment


def _from_path(path: Path, label: str, *, follow_links: bool = False) -> Reader:
    path = path.absolute()
    try:
        if path.is_dir():
            return FolderReader(path, label=label, follow_links=follow_links)
        if path.is_file():
            if path.name in ("zarr.json", ".zgroup", ".zarray", ".zattrs", ".zmetadata"):
                return FolderReader(path.parent, label=str(path.parent), follow_links=follow_links)
            with path.open("rb") as file:
                start = file.read(4)
            if start[:2] == b"PK" or path.suffix.lower() == ".zip":
                return ZipReader(path, label=label)
            raise SourceError(
                f"{label} is a file, but neither a folder nor a zip file with a Zarr hierarchy"
            )
    except PermissionError as error:
        raise SourceError(f"{label} may not be read: {error.strerror}") from error
    except (OSError, ValueError) as error:
        raise SourceError(f"{label} could not be opened: {error}") from error
    raise SourceError(f"there is nothing at {label}")


_AMAZON = re.compile(r"(?:(?P<bucket>[^/]+)\.)?s3(?:[.-](?P<region>[a-z0-9-]+))?\.amazonaws\.com")


def _names_amazon(location: str, scheme: str) -> bool:
    """Whether an ``s3://`` URL names a host of Amazon's where others name the bucket, as netCDF-C allows."""
    return scheme == "s3" and _AMAZON.fullmatch(urlsplit(location).netloc) is not None


def _s3(url: str, options: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return a URL with the host of an S3 service as one with the bucket, and options with the host."""
    parts = urlsplit(url)
    path = parts.path.strip("/")
    host = _AMAZON.fullmatch(parts.netloc)
    if host is None:
        return f"s3://{path}", {"endpoint": f"{parts.scheme}://{parts.netloc}", **options}
    if host["region"]:
        options = {"region": host["region"], **options}
    return f"s3://{host['bucket']}/{path}" if host["bucket"] else f"s3://{path}", options


def _from_url(url: str, scheme: str, label: str, options: dict[str, Any]) -> Reader:
    kind = KINDS[scheme]
    listable = kind != "HTTP"
    if url.split("?", 1)[0].rstrip("/").lower().endswith(".zip"):
        raise SourceError(
            f"{label}: a zip file can only be read from a local folder; download it first"
        )
    store = _obstore(url, kind, label, options) or _fsspec(url, kind, label, options)
    return RemoteReader(store, label, kind, listable=listable, url=url)


def _obstore(url: str, kind: str, label: str, options: dict[str, Any]) -> Any:
    try:
        import obstore.store
        from zarr.storage import ObjectStore
    except ImportError:
        return None
    options = dict(options)
    options.update(options.pop("client_kwargs", None) or {})
    client = dict(options.pop("client_options", None) or {})
    if kind == "S3":
        options = {S3_OPTIONS.get(key, key): value for key, value in options.items()}
        options.setdefault("region", os.environ.get("AWS_REGION", "us-east-1"))
    endpoint = options.get("endpoint") or os.environ.get("AWS_ENDPOINT_URL") or url
    if str(endpoint).startswith("http://"):
        client.setdefault("allow_http", True)
    from_url: Any = obstore.store.from_url  # its overloads know the options of each service
    try:
        # The reader repeats what failed for a moment; two layers would multiply the waiting.
        store = from_url(
            url,
            client_options={"timeout": "60s", "connect_timeout": "10s", **client},
            retry_config={"max_retries": 0},
            **options,
        )
    except (ValueError, TypeError, obstore.exceptions.BaseError) as error:
        raise SourceError(f"{label} could not be opened: {' '.join(str(error).split())}") from error
    return ObjectStore(store, read_only=True)


def _fsspec(url: str, kind: str, label: str, options: dict[str, Any]) -> Any:
    try:
        from zarr.storage import FsspecStore

        return FsspecStore.from_url(url, storage_options=options, read_only=True)
    except ImportError as error:
        package = FSSPEC_PACKAGES.get(kind, "the fsspec package for it")
        raise SourceError(
            f"{label}: reading from {kind} needs obstore (or fsspec with {package}); "
            'install it with: pip install "nz_explorer[remote]"'
        ) from error
    except (ValueError, TypeError, OSError) as error:
        raise SourceError(f"{label} could not be opened: {error}") from error


def _from_object(source: Any) -> Reader:
    import zarr
    from zarr.abc.store import Store
    from zarr.storage import StorePath

    if isinstance(source, (zarr.Group, zarr.Array)):
        return _from_store(source.store_path.store, source.store_path.path)
    if isinstance(source, StorePath):
        return _from_store(source.store, source.path)
    if isinstance(source, Store):
        return _from_store(source, "")
    if isinstance(getattr(source, "store", None), Store):  # an Icechunk session
        return _from_store(source.store, "")
    if hasattr(source, "fs") and hasattr(source, "root"):  # an fsspec mapping
        return _from_mapping(source)
    if isinstance(source, dict):
        from zarr.storage import MemoryStore

        return _from_store(MemoryStore(_as_buffers(source)), "")
    origin = getattr(source, "encoding", {}).get("source") if hasattr(source, "encoding") else None
    if isinstance(origin, str):  # an xarray object
        return _from_text(origin, {})
    raise SourceError(
        f"a {type(source).__module__}.{type(source).__qualname__} is not a source: give a path, a URL, "
        "a zarr store, group or array, or an fsspec mapping"
    )


def _as_buffers(documents: Mapping[str, Any]) -> dict[str, Any]:
    from zarr.core.buffer import Buffer, default_buffer_prototype

    make = default_buffer_prototype().buffer.from_bytes
    return {
        key: value if isinstance(value, Buffer) else make(bytes(value))
        for key, value in documents.items()
    }


def _from_mapping(mapping: Any) -> Reader:
    from zarr.storage import FsspecStore

    protocol = mapping.fs.protocol
    name = protocol if isinstance(protocol, str) else protocol[0]
    if name in ("file", "local"):
        return _from_path(Path(mapping.root), str(mapping.root))
    store = FsspecStore.from_mapper(mapping, read_only=True)
    kind = KINDS.get(name, name)
    return RemoteReader(
        store, f"{name}://{mapping.root}", kind, listable=kind != "HTTP", local=name == "memory"
    )


def _from_store(store: Any, prefix: str) -> Reader:
    from zarr.storage import LocalStore, MemoryStore, ZipStore

    if isinstance(store, LocalStore):
        folder = store.root / prefix if prefix else store.root
        if not folder.is_dir():
            raise SourceError(f"there is nothing at {folder}")
        return FolderReader(folder.absolute())
    if isinstance(store, ZipStore) and not prefix and not getattr(store, "_is_open", False):
        return ZipReader(Path(store.path))
    label, kind = str(store), f"zarr {type(store).__name__}"
    session = getattr(store, "session", None)
    if kind == "zarr IcechunkStore" and session is not None:  # which does not say what it is
        label, kind = f"Icechunk {session.branch or 'snapshot'} {session.snapshot_id}", "Icechunk"
    return RemoteReader(
        store,
        label + (f"/{prefix}" if prefix else ""),
        kind,
        prefix=prefix,
        listable=bool(store.supports_listing),
        local=isinstance(store, (MemoryStore, ZipStore)),
        owns_store=False,
    )
