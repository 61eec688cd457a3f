"""A zarr store over HTTP whose answers are read piece by piece, each up to a size limit.

Clients that collect an answer for themselves take as much memory as its server likes; some also collect the
page of an error, or make room for as many bytes as a header promises.
"""

from __future__ import annotations

import asyncio
import contextlib
import urllib.request
import weakref
from collections.abc import AsyncIterator, Mapping
from functools import partial
from typing import Any
from urllib.parse import quote, urlsplit, urlunsplit

import aiohttp
from yarl import URL

from nz_explorer.store.closing import close_now, close_with
from nz_explorer.store.errors import ReadError
from nz_explorer.store.read_only_store import BoundedStore
from nz_explorer.store.remote.http_answers import (
    DRAIN_SECONDS,
    StatusError,
    drain,
    read_answer,
    refuse_redirect,
)

CONNECT_SECONDS = 10.0
CONNECTIONS = 256
MOST_REDIRECTS = 5
_PIECE = 256 * 1024
_REDIRECTS = (301, 302, 303, 307, 308)


class HttpStore(BoundedStore):
    """Reads what is below a URL.

    Parameters
    ----------
    url : str
        Where the store is; its query is sent with every request.
    headers : mapping, optional
        Sent with every request, though not to another host.
    verify : bool
        Whether certificates are checked.
    proxy : str, optional
        The proxy; that of the environment by default.
    """

    supports_listing = False

    def __init__(
        self,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        verify: bool = True,
        proxy: str | None = None,
    ) -> None:
        super().__init__()
        self.url = url
        self._own_headers = dict(headers or {})
        self._verify = verify
        self._proxy = proxy
        self._session: aiohttp.ClientSession | None = None
        self._finalizer: weakref.finalize[..., Any] | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_session": None, "_finalizer": None}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, HttpStore) and type(self) is type(other) and self.url == other.url

    def __hash__(self) -> int:
        return hash(self.url)

    def __str__(self) -> str:
        return self.url

    # --- what zarr asks for ------------------------------------------------------------------

    async def exists(self, key: str) -> bool:
        """Return whether there is a key."""
        async with self._answer("HEAD", key, self.address(key)) as answer:
            return answer is not None

    async def getsize(self, key: str) -> int:
        """Return the size of a value, in bytes.

        Raises
        ------
        FileNotFoundError
            If there is no such key.
        NotImplementedError
            If the server does not state sizes.
        """
        async with self._answer("HEAD", key, self.address(key)) as answer:
            if answer is None:
                raise FileNotFoundError(key)
            if answer.content_length is None:
                raise NotImplementedError("the server does not give sizes")
            return answer.content_length

    def list(self) -> AsyncIterator[str]:
        """Refuse: HTTP has no listings.

        Raises
        ------
        NotImplementedError
            Always.
        """
        raise NotImplementedError

    def list_prefix(self, prefix: str) -> AsyncIterator[str]:
        """Refuse: HTTP has no listings.

        Raises
        ------
        NotImplementedError
            Always.
        """
        raise NotImplementedError

    def list_dir(self, prefix: str) -> AsyncIterator[str]:
        """Refuse: HTTP has no listings.

        Raises
        ------
        NotImplementedError
            Always.
        """
        raise NotImplementedError

    @property
    def client_options(self) -> dict[str, Any]:
        """What obstore calls the options of this store."""
        options: dict[str, Any] = {"allow_http": self.url.startswith("http://")}
        if self._own_headers:
            options["default_headers"] = self._own_headers
        if not self._verify:
            options["allow_invalid_certificates"] = True
        if self._proxy:
            options["proxy_url"] = self._proxy
        return options

    def close(self) -> None:
        """Close the connections."""
        super().close()
        if self._finalizer is not None:
            close_now(self._finalizer)
        self._session = self._finalizer = None

    # --- reading -----------------------------------------------------------------------------

    async def read(self, key: str, start: int, stop: int | None, max_bytes: int) -> bytes | None:
        """Return the bytes of a key, None where there is none.

        Raises
        ------
        TooLarge
            If there is more.
        StatusError, OSError, aiohttp.ClientError
            If the server fails.
        """
        if stop is not None and stop <= start >= 0:
            return b""
        headers = {}
        if start or stop is not None:
            last = "" if stop is None else stop - 1
            headers["Range"] = f"bytes={start}" if start < 0 else f"bytes={start}-{last}"
        async with self._answer("GET", key, self.address(key), headers) as answer:
            if answer is None:
                return None
            if answer.status == 416:  # it ends before
                return b""
            if not headers:
                return await read_answer(answer, key, max_bytes)
            if answer.status == 206:
                asked = stop - start if stop is not None else -start if start < 0 else max_bytes
                return await read_answer(answer, key, min(max_bytes, asked))
            # The server does not know parts: it sends all.
            data = await read_answer(answer, key, max_bytes)
            return data[start:stop]

    def address(self, key: str) -> str:
        """Return the URL of a key."""
        parts = urlsplit(self.url)
        path = f"{parts.path.rstrip('/')}/{_quoted(key)}"
        return urlunsplit((parts.scheme, parts.netloc, path, parts.query, ""))

    async def headers_for(
        self, method: str, url: str, headers: Mapping[str, str]
    ) -> dict[str, str]:
        """Return the headers of a request, including those that identify the user.

        Parameters
        ----------
        method : str
            HTTP method.
        url : str
            What is asked for.
        headers : mapping
            Those that are sent already.
        """
        return {**self._own_headers, **headers}

    async def refused(self, answer: aiohttp.ClientResponse) -> BaseException:
        """Return the exception for an answer that is neither a success nor 404."""
        return StatusError(answer.status, (answer.reason or "")[:100])

    @contextlib.asynccontextmanager
    async def _answer(
        self, method: str, key: str, url: str, headers: Mapping[str, str] | None = None
    ) -> AsyncIterator[aiohttp.ClientResponse | None]:
        """Make a request and follow where it leads; None where there is nothing.

        The body is not read: not before who asks does so, and of an error hardly any.
        """
        session = self._opened()
        # Bodies are measured as they arrive, so servers are not asked to pack them.
        plain = {"Accept-Encoding": "identity", **(headers or {})}
        sent = await self.headers_for(method, url, plain)
        for _ in range(MOST_REDIRECTS + 1):
            try:
                answer = await session.request(
                    method,
                    URL(url, encoded=True),
                    headers=sent,
                    allow_redirects=False,
                    proxy=self._proxy or _proxy_for(url),
                    ssl=self._verify,
                )
            except aiohttp.ClientResponseError as error:  # its status is aiohttp's own
                said = " ".join(error.message.split())[:200]
                detail = f"the server's response is not valid HTTP: {said}"
                raise ReadError(key, "os", detail) from error
            try:
                if answer.status not in _REDIRECTS or "Location" not in answer.headers:
                    if answer.status == 404:
                        await drain(answer)
                        yield None
                    elif answer.status >= 300 and answer.status != 416:
                        raise await self.refused(answer)
                    else:
                        yield answer
                    return
                target = str(URL(url, encoded=True).join(URL(answer.headers["Location"])))
                await drain(answer)
            finally:
                answer.close()  # does nothing to a connection whose answer was read to its end
            await refuse_redirect(key, url, target)
            if URL(url).origin() != URL(target).origin():
                sent = plain
            url = target
        detail = f"the server redirects more than {MOST_REDIRECTS} times"
        raise ReadError(key, "redirect", detail)

    def _opened(self) -> aiohttp.ClientSession:
        if self._session is None or self._session.closed:
            connector = aiohttp.TCPConnector(limit=CONNECTIONS)
            timeout = aiohttp.ClientTimeout(total=None, sock_connect=CONNECT_SECONDS)
            self._session = aiohttp.ClientSession(
                connector=connector,
                timeout=timeout,
                auto_decompress=False,
                cookie_jar=aiohttp.DummyCookieJar(),
                read_bufsize=_PIECE,
            )
            loop = asyncio.get_running_loop()
            self._finalizer = close_with(self, partial(_close, loop, self._session))
        return self._session


def _quoted(key: str) -> str:
    return quote(key, safe="/~", errors="surrogateescape")


def _proxy_for(url: str) -> str | None:
    parts = urlsplit(url)
    proxy = urllib.request.getproxies().get(parts.scheme)
    if proxy is None or urllib.request.proxy_bypass(parts.hostname or ""):
        return None
    return proxy


def _close(loop: asyncio.AbstractEventLoop, session: aiohttp.ClientSession) -> None:
    """Close a session from any thread, also when its loop has ended."""
    if asyncio._get_running_loop() is loop:  # noqa: SLF001  # the same without raising
        closing.add(task := loop.create_task(session.close()))
        task.add_done_callback(closing.discard)
        return
    work = session.close()
    if loop.is_running():
        with contextlib.suppress(TimeoutError):
            asyncio.run_coroutine_threadsafe(work, loop).result(DRAIN_SECONDS)
        return
    with contextlib.suppress(RuntimeError):  # what it holds belongs to a loop that is closed
        asyncio.run(work)


closing: set[asyncio.Task[None]] = set()
"""Sessions that are being closed: the loop itself keeps no task."""
