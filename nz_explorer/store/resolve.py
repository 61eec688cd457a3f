"""From what a user has in hand to a reader of its bytes."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit
from urllib.request import url2pathname

from nz_explorer.store.datasets.readers import MAGIC, file_reader, is_xarray, xarray_reader
from nz_explorer.store.errors import SourceError
from nz_explorer.store.local.above import hint, nearby
from nz_explorer.store.local.folder_reader import FolderReader
from nz_explorer.store.local.zip_reader import ZipReader
from nz_explorer.store.reader import Reader
from nz_explorer.store.references.readers import is_reference, is_virtual, reference_reader
from nz_explorer.store.remote.icechunk_reader import (
    VERSIONS,
    IcechunkReader,
    is_repository,
    open_repository,
)
from nz_explorer.store.remote.object_store import open_object_store
from nz_explorer.store.remote.remote_reader import RemoteReader
from nz_explorer.store.remote.retry import RetryLimits
from nz_explorer.text.file_kinds import START, kind_of
from nz_explorer.text.phrases import article

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
FSSPEC_PACKAGES = {"S3": "s3fs", "Google Cloud Storage": "gcsfs"}

# What fsspec's S3 calls its options, and what obstore calls them.
S3_OPTIONS = {
    "anon": "skip_signature",
    "key": "access_key_id",
    "secret": "secret_access_key",
    "token": "session_token",
    "endpoint_url": "endpoint",
    "region_name": "region",
}
S3_NAMES = {
    "skip_signature": "anonymous",
    "region": "region",
    "virtual_hosted_style_request": "virtual_hosted",
}

DOCUMENTS = ("zarr.json", ".zgroup", ".zarray", ".zattrs", ".zmetadata")
"""Whoever names one of these means what it is the document of."""


def resolve(source: Any, *, storage_options: Mapping[str, Any] | None = None) -> Reader:
    """Return a reader for a source.

    Parameters
    ----------
    source
        A path, ``file://`` URL, zip file, ``http(s)://``, ``s3://``, ``gs://`` or ``az://`` URL, an
        NCZarr URL (``…#mode=nczarr,file``), a zarr ``Store``, ``Group`` or ``Array``, an fsspec mapping, an
        Icechunk repository (``{"branch": "dev"}``, ``{"tag": …}`` or ``{"snapshot": …}`` in the storage options name a
        version of it, and that a bucket holds one) or session, references as kerchunk and VirtualiZarr write them (JSON, a folder of Parquet files,
        ``reference://`` with the options of fsspec, a dict, a virtual dataset), or an xarray object: the Zarr store that it was opened from, else itself as NZ would store
        it, and so netCDF and HDF5 files.
    storage_options : mapping, optional
        For remote sources, with the names of fsspec or of obstore. ``{"timeout": 30}`` is how many seconds are waited
        until an answer begins (while it arrives with 16 KiB per second it may take longer), ``{"max_wait": 45}`` how
        many are lost on answers that do not come, all taken together, ``{"deadline": 60}`` how many a picture, a check
        or a single answer takes at most. Of a folder ``{"follow_links": True}`` follows
        symbolic links that lead out of it. References read files beside them; ``{"targets": ["s3://bucket/"]}`` names others.

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
    return _from_object(source, dict(storage_options or {}))


def _from_text(source: str, options: dict[str, Any]) -> Reader:
    if not source.strip():
        raise SourceError("the source is empty: give a path or a URL")
    location, modes = without_fragment(source)[0], url_modes(source)
    # Windows drive letters look like schemes of one letter.
    scheme = match[1].lower() if (match := re.match(r"([A-Za-z][\w+.-]+)://", location)) else ""
    if scheme == "file":
        parts = urlsplit(location)
        location = url2pathname(
            unquote(parts.path) if parts.netloc in ("", "localhost") else location
        )
        scheme = ""
    if is_reference(location, scheme, options):
        given = options.get("fo") or location.removeprefix("reference://")
        return reference_reader(given, source, options, _opened)
    if _is_icechunk(location, scheme, options):
        return IcechunkReader(open_repository(location, source, options), source, options)
    if not scheme:
        follow_links = bool(options.get("follow_links"))
        path = Path(location).expanduser()
        if "zip" in modes and path.is_dir():
            raise SourceError(
                f"{source}: mode zip is for zip files, and {path} is a folder; use file"
            )
        if "file" in modes and path.is_file():
            raise SourceError(f"{source}: mode file is for folders, and {path} is a file; use zip")
        return _from_path(path, source, follow_links=follow_links)
    if (scheme in ("http", "https") and "s3" in modes) or _names_amazon(location, scheme):
        location, options = _s3(location, options)
        scheme = "s3"
    if scheme not in KINDS:
        raise SourceError(
            f"{source}: the scheme {scheme!r} is not known; use a path, file, http, https, s3, gs or az"
        )
    address, mark, query = location.partition("?")
    parent, _, name = address.rpartition("/")
    if name in DOCUMENTS:
        location = source = f"{parent}{mark}{query}"
    return _from_url(location, scheme, source, options)


def _is_icechunk(location: str, scheme: str, options: Mapping[str, Any]) -> bool:
    """Whether a path is that of a repository, or the options say that an address is."""
    if scheme:
        return any(name in options for name in VERSIONS)
    return is_repository(Path(location).expanduser())


def url_modes(source: str) -> tuple[str, ...]:
    """Return the words of the mode of an NCZarr URL: ``nczarr`` and ``file`` of ``file:///d#mode=nczarr,file``.

    ``#nczarr,file``, by which netCDF-C 4.10 finds nothing, is understood, too, and so are several ``key=value`` pairs
    joined by ``&``.
    """
    words: list[str] = []
    for pair in without_fragment(source)[1].split("&"):
        key, equals, value = pair.partition("=")
        if not equals or key.lower() == "mode":
            given = value if equals else key
            words.extend(word.strip().lower() for word in given.split(",") if word.strip())
    return tuple(dict.fromkeys(words))


def without_fragment(source: str) -> tuple[str, str]:
    """Return an address without what follows its ``#``, and that; the name of a folder is no address.

    Parameters
    ----------
    source : str
        The address.
    """
    location, mark, fragment = source.partition("#")
    if not mark or Path(source).expanduser().exists():  # a folder may have # in its name
        return source, ""
    return location, fragment


def _from_path(path: Path, label: str, *, follow_links: bool = False) -> Reader:
    where = label if path.is_absolute() else f"{label} in {Path.cwd()}"
    path = path.absolute()
    try:
        if path.is_dir():
            return FolderReader(path, label=label, follow_links=follow_links)
        if path.is_file():
            if path.name in DOCUMENTS:
                return FolderReader(path.parent, label=str(path.parent), follow_links=follow_links)
            with path.open("rb") as file:
                start = file.read(START)
            if start[:4] in MAGIC:
                return file_reader(path, label)
            if start[:2] == b"PK" or path.suffix.lower() == ".zip":
                return ZipReader(path, label=label)
            if inside := hint(path):
                raise SourceError(f"{label} is a file, and no Zarr hierarchy{inside}")
            kind = kind_of(start)
            if kind is not None:
                raise SourceError(f"{label} is {kind.name}, and no Zarr hierarchy; {kind.cure}")
            raise SourceError(
                f"{label} is a file, but neither a folder nor a zip file with a Zarr hierarchy, nor netCDF or HDF5"
            )
    except PermissionError as error:
        raise SourceError(f"{label} may not be read: {error.strerror}") from error
    except (OSError, ValueError) as error:
        raise SourceError(f"{label} could not be opened: {error}") from error
    raise SourceError(f"there is nothing at {where}{nearby(path)}")


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
    kind, given = KINDS[scheme], dict(options)
    listable = kind != "HTTP"
    if url.split("?", 1)[0].rstrip("/").lower().endswith(".zip"):
        raise SourceError(
            f"{label}: a zip file can only be read from a local folder; download it first"
        )
    options = {**options, **dict(options.get("client_kwargs") or {})}
    options.pop("client_kwargs", None)
    client = dict(options.pop("client_options", None) or {})
    limits = _limits(label, options, client)
    if kind == "S3":
        options = {
            S3_OPTIONS.get(key, key.lower().removeprefix("aws_")): value
            for key, value in options.items()
        }
    endpoint = options.get("endpoint") or _from_environment(kind)
    if kind == "HTTP":
        store = _http(url, label, options, client)
    elif kind == "S3" and endpoint and not _AMAZON.fullmatch(urlsplit(str(endpoint)).netloc):
        store = _s3_elsewhere(url, str(endpoint), label, options, client)
    else:
        if kind == "S3":
            options.setdefault("region", os.environ.get("AWS_REGION", "us-east-1"))
        opened = open_object_store(url, label, {**options, "client_options": client})
        store = opened or _fsspec(url, kind, label, given)
    reader = RemoteReader(store, label, kind, listable=listable, url=url)
    reader.limits = limits
    return reader


def _limits(label: str, options: dict[str, Any], client: dict[str, Any]) -> RetryLimits:
    """Take out of the options how long a store is waited for."""
    limits: list[float | None] = []
    for value in (
        options.pop("timeout", client.pop("timeout", None)),
        options.pop("max_wait", None),
        options.pop("deadline", None),
    ):
        try:
            limits.append(None if value is None else float(str(value).removesuffix("s")))
        except ValueError as error:
            raise SourceError(
                f"{label} could not be opened: {value!r} is not a number of seconds"
            ) from error
    return RetryLimits(*limits)


def _from_environment(kind: str) -> str | None:
    names = ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "AWS_ENDPOINT") if kind == "S3" else ()
    return next((os.environ[name] for name in names if os.environ.get(name)), None)


def _http_options(label: str, options: dict[str, Any], client: dict[str, Any]) -> dict[str, Any]:
    """Take out of options and client options what is about HTTP, with the names of obstore and of fsspec."""
    headers = {
        **(client.pop("default_headers", None) or {}),
        **(options.pop("headers", None) or {}),
    }
    if agent := client.pop("user_agent", None):
        headers["User-Agent"] = agent
    trusting = client.pop("allow_invalid_certificates", False)
    for ignored in ("allow_http", "connect_timeout"):
        client.pop(ignored, None)
    found = {
        "headers": headers,
        "verify": options.pop("verify", True) is not False and str(trusting).lower() != "true",
        "proxy": client.pop("proxy_url", None),
    }
    if client:
        raise SourceError(
            f"{label} could not be opened: the client option {next(iter(client))!r} is not known"
        )
    return found


def _http(url: str, label: str, options: dict[str, Any], client: dict[str, Any]) -> Any:
    http = _http_options(label, options, client)
    if options:
        raise SourceError(
            f"{label} could not be opened: the option {next(iter(options))!r} is not known"
        )
    try:
        from nz_explorer.store.remote.http_store import HttpStore
    except ImportError as error:
        raise SourceError(_needs(label, "HTTP", "aiohttp")) from error
    return HttpStore(url, **http)


def _s3_elsewhere(
    url: str, endpoint: str, label: str, options: dict[str, Any], client: dict[str, Any]
) -> Any:
    """Open a bucket of a service that is not Amazon's; its answers are not trusted to be small."""
    http = _http_options(label, options, client)
    given = {
        name: options.pop(option)
        for option, name in S3_NAMES.items()
        if options.get(option) is not None
    }
    keys = [
        options.pop(name, None) for name in ("access_key_id", "secret_access_key", "session_token")
    ]
    if keys[0] and keys[1]:
        given["credentials"] = tuple(keys)
    options.pop("endpoint", None)
    if unknown := [name for name, value in options.items() if value is not None]:
        raise SourceError(f"{label} could not be opened: the option {unknown[0]!r} is not known")
    try:
        import botocore.auth  # noqa: F401

        from nz_explorer.store.remote.s3_store import S3Store
    except ImportError as error:
        raise SourceError(_needs(label, "S3", "aiohttp and botocore")) from error
    given.setdefault("region", os.environ.get("AWS_REGION", "us-east-1"))
    parts = urlsplit(url)
    return S3Store(endpoint, parts.netloc, parts.path.strip("/"), **given, **http)


def _needs(label: str, kind: str, packages: str) -> str:
    return (
        f"{label}: reading from {kind} needs {packages}; "
        'install it with: pip install "nz_explorer[remote]"'
    )


def _fsspec(url: str, kind: str, label: str, options: dict[str, Any]) -> Any:
    try:
        from zarr.storage import FsspecStore

        return FsspecStore.from_url(url, storage_options=options, read_only=True)
    except ImportError as error:
        package = FSSPEC_PACKAGES.get(kind, "the fsspec package for it")
        raise SourceError(_needs(label, kind, f"obstore (or fsspec with {package})")) from error
    except (ValueError, TypeError, OSError) as error:
        raise SourceError(f"{label} could not be opened: {error}") from error


def _opened(place: str, options: Mapping[str, Any]) -> Reader:
    return resolve(place, storage_options=options)


def _from_object(source: Any, options: dict[str, Any]) -> Reader:
    import zarr
    from zarr.abc.store import Store
    from zarr.storage import StorePath

    if isinstance(source, (zarr.Group, zarr.Array)):
        return _from_store(source.store_path.store, source.store_path.path)
    if isinstance(source, StorePath):
        return _from_store(source.store, source.path)
    if isinstance(source, Store):
        return _from_store(source, "")
    if hasattr(source, "readonly_session"):  # an Icechunk repository
        return IcechunkReader(source, "Icechunk", options)
    if isinstance(getattr(source, "store", None), Store):  # an Icechunk session
        return _from_store(source.store, "")
    if hasattr(source, "fs") and hasattr(source, "root"):  # an fsspec mapping
        return _from_mapping(source)
    if isinstance(source, dict) and "refs" in source:
        return reference_reader(source, "references", options, _opened)
    if isinstance(source, dict):
        from zarr.storage import MemoryStore

        return _from_store(MemoryStore(_as_buffers(source)), "")
    if is_virtual(source):
        references = source.vz.to_kerchunk(format="dict")
        mine = {"remote_protocol": ["file", *KINDS], **options}
        return reference_reader(references, "VirtualiZarr dataset", mine, _opened)
    if is_xarray(source):
        origin = source.encoding.get("source")
        if isinstance(origin, str) and not _is_changed(source):
            with contextlib.suppress(SourceError):  # it may have been opened from anything
                return _from_text(origin, {})
        return xarray_reader(source)
    raise SourceError(
        f"{article(f'{type(source).__module__}.{type(source).__qualname__}'.removeprefix('builtins.'))} is not a source: "
        "give a path, a URL, a zarr store, group or array, an xarray object, or an fsspec mapping"
    )


def _is_changed(source: Any) -> bool:
    """Whether an xarray object may be no longer what was opened; what is in memory may have been written to."""
    if hasattr(source, "subtree"):
        return any(_is_changed(node.to_dataset(inherit=False)) for node in source.subtree)
    if hasattr(source, "variables"):
        variables = list(source.variables.values())
    else:
        variables = [source.variable, *(one.variable for one in source.coords.values())]
    return not all(map(_is_as_opened, variables))


def _is_as_opened(variable: Any) -> bool:
    """Whether the values of a variable still come from where it was opened, whole and in their order."""
    data = variable._data  # noqa: SLF001  # the public ways read it
    if not variable.encoding:  # which no computed variable has
        return False
    if type(data).__name__ == "PandasIndexingAdapter":  # an index, which nobody can write to
        return True
    if hasattr(data, "dask"):
        return str(data.name).startswith("open_dataset-")
    while (inner := getattr(data, "array", None)) is not None:
        parts = getattr(getattr(data, "key", None), "tuple", ())
        ordered = all(isinstance(part, slice) and part.step in (None, 1) for part in parts)
        if not ordered or inner.shape != data.shape:
            return False
        data = inner
    return type(data).__name__.endswith("ArrayWrapper")


def _as_buffers(documents: Mapping[str, Any]) -> dict[str, Any]:
    from zarr.abc.buffer import Buffer
    from zarr.buffer import default_buffer_prototype

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

    from nz_explorer.store import zarr_internals

    if isinstance(store, LocalStore):
        folder = store.root / prefix if prefix else store.root
        if not folder.is_dir():
            raise SourceError(f"there is nothing at {folder}")
        return FolderReader(folder.absolute())
    if isinstance(store, ZipStore) and not prefix and not zarr_internals.is_open(store):
        return ZipReader(Path(store.path))
    if isinstance(store, ZipStore) and store.read_only:
        return ZipReader(Path(store.path), prefix=prefix)
    label, kind = str(store), f"zarr {type(store).__name__}"
    session = getattr(store, "session", None)
    if kind == "zarr IcechunkStore" and session is not None:  # whose text does not identify it
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
