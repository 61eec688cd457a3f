"""The files that references lead to: which of them are read, and how.

References may come from anyone, and may name any file and any address. Read is only what lies where the references
themselves lie – in their folder, or on their host or in their bucket – and what the user has named.
"""

from __future__ import annotations

import asyncio
import os
import posixpath
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit, urlunsplit
from urllib.request import url2pathname

from nz_explorer.store.errors import ReadError
from nz_explorer.store.local.files import Files
from nz_explorer.store.reader import is_safe
from nz_explorer.store.references.reference_set import Target

if TYPE_CHECKING:
    from zarr.abc.store import Store

_LOCAL = ("", "file", "local")


@dataclass
class Targets:
    """Reads parts of the files that references lead to.

    Parameters
    ----------
    base : str
        The folder or URL that the references lie in; "" where they are in memory.
    open_store : callable
        Opens what is below a URL.
    allowed : sequence of str
        Other folders and URLs, files in which may be read.
    protocols : sequence of str
        Of URLs and files (``file``), all of which may be read.
    """

    base: str
    open_store: Callable[[str], Store]
    allowed: Sequence[str] = ()
    protocols: Sequence[str] = ()
    _stores: dict[str, Store] = field(default_factory=dict)

    @property
    def are_local(self) -> bool:
        """Whether all that may be read is on this machine."""
        places = (self.base, *self.allowed, *(f"{one}://" for one in self.protocols))
        return all(_scheme(one) in _LOCAL for one in places)

    def place(self, url: str) -> str:
        """Return the path or URL of a target; a relative one is below the folder of the references."""
        scheme = _scheme(url)
        if scheme:
            return _path_of(url) if scheme in _LOCAL else url
        if _scheme(self.base) and not os.path.isabs(url):  # noqa: PTH117  # as text
            return f"{self.base.rstrip('/')}/{url}"
        return os.path.abspath(os.path.join(self.base or os.getcwd(), url))  # noqa: PTH100, PTH109, PTH118  # as text

    def refusal(self, url: str) -> str:
        """Return why a target is not read, "" if it is."""
        place = self.place(url)
        scheme = _scheme(place)
        if scheme in self.protocols or (not scheme and "file" in self.protocols):
            return ""
        if scheme:
            parts = urlsplit(place)
            safe = bool(parts.netloc) and is_safe(unquote(parts.path).strip("/"))
            inside = safe and any(
                _is_below(place, one) for one in (_origin(self.base), *self.allowed)
            )
            folder = urlunsplit((scheme, parts.netloc, posixpath.dirname(parts.path), "", ""))
        else:
            real = os.path.realpath(place)
            folders = [one for one in (self.base, *self.allowed) if one and not _scheme(one)]
            folders += [_path_of(one) for one in self.allowed if _scheme(one) in ("file", "local")]
            inside = any(_contains(one, real) for one in folders)
            folder = os.path.dirname(place)  # noqa: PTH120
        if inside:
            return ""
        return (
            f"it is in {place}, and references read only files beside them; if you trust them, open them with "
            f'storage_options={{"targets": ["{folder}"]}}'
        )

    def is_missing(self, url: str) -> bool:
        """Return whether a local target is known not to be there."""
        place = self.place(url)
        return not _scheme(place) and not self.refusal(url) and not Path(place).is_file()

    async def read(self, key: str, target: Target, max_bytes: int) -> bytes:
        """Return the bytes of a target.

        Parameters
        ----------
        key : str
            What they are the bytes of.
        target : Target
            Where they are.
        max_bytes : int
            The most that is read.

        Raises
        ------
        ReadError
            If it is not read, not there, or shorter than the reference says.
        """
        if refusal := self.refusal(target.url):
            raise ReadError(key, "target", refusal)
        place = self.place(target.url)
        data = (
            await self._remote(place, target, max_bytes)
            if _scheme(place)
            else await asyncio.to_thread(self._local, place, target, max_bytes)
        )
        if data is None:
            raise ReadError(key, "target", f"it is in {place}, which is not there")
        if target.length is not None and len(data) < target.length:
            detail = f"{place} ends before byte {target.start + target.length:,}, up to which it should go"
            raise ReadError(key, "target", detail)
        return data

    def _local(self, place: str, target: Target, max_bytes: int) -> bytes | None:
        real = Path(os.path.realpath(place))
        files = Files(real.parent)
        try:
            if target.length is None:
                return files.read(real.name, max_bytes)
            stop = target.start + target.length
            return files.read_part(real.name, target.start, stop, max_bytes)
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
            return None

    async def _remote(self, place: str, target: Target, max_bytes: int) -> bytes | None:
        from zarr.abc.store import RangeByteRequest
        from zarr.buffer import default_buffer_prototype

        from nz_explorer.store.remote.limited_store import guarded_get

        parts = urlsplit(place)
        root = urlunsplit((parts.scheme, parts.netloc, "", parts.query, ""))
        if root not in self._stores:
            self._stores[root] = self.open_store(root)
        part = (
            None
            if target.length is None
            else RangeByteRequest(target.start, target.start + target.length)
        )
        path = unquote(parts.path) if parts.scheme in ("http", "https") else parts.path
        prototype = default_buffer_prototype()
        found = await guarded_get(self._stores[root], path.strip("/"), prototype, part, max_bytes)
        return None if found is None else found.to_bytes()

    def close(self) -> None:
        """Close connections."""
        for store in self._stores.values():
            store.close()
        self._stores.clear()


def _scheme(url: str) -> str:
    match = re.match(r"([A-Za-z][\w+.-]+)://", url)  # of one letter they are drives of Windows
    return match[1].lower() if match else ""


def _path_of(url: str) -> str:
    return url2pathname(unquote(urlsplit(url).path))


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}" if _scheme(url) else ""


def _is_below(url: str, root: str) -> bool:
    """Whether a URL is a root or below it."""
    root = root.rstrip("/")
    return bool(_scheme(root)) and (url == root or url.startswith(f"{root}/"))


def _contains(folder: str, real: str) -> bool:
    root = os.path.realpath(os.path.expanduser(folder))  # noqa: PTH111
    return real == root or real.startswith(root.rstrip(os.sep) + os.sep)
