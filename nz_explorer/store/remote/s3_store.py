"""A zarr store in S3 at an endpoint of the user's: read over HTTP with the limits of `HttpStore`."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote_plus
from xml.etree import ElementTree as ET

from nz_explorer.store.errors import ReadError
from nz_explorer.store.remote.http_answers import StatusError, read_answer
from nz_explorer.store.remote.http_store import HttpStore
from nz_explorer.store.remote.object_store import open_object_store

if TYPE_CHECKING:
    import aiohttp
    from botocore.credentials import Credentials
    from zarr.abc.store import Store

MAX_PAGE_BYTES = 16 * 1024 * 1024
"""A page of a listing: a thousand names of a thousand characters are less."""
MOST_EMPTY_PAGES = 100
"""Pages in a row without a name that belongs to the listing."""
MAX_ERROR_BYTES = 64 * 1024


class S3Store(HttpStore):
    """Reads a bucket, or what is below a prefix in it.

    Parameters
    ----------
    endpoint : str
        URL of the service.
    bucket, prefix : str
        Where the store is.
    region : str
        For the signatures.
    credentials : tuple, optional
        Access key, secret key, and session token or None; those of the environment, as botocore finds them, by default.
    anonymous : bool
        Whether requests are not signed.
    virtual_hosted : bool
        Whether the host of the endpoint already names the bucket.
    **options
        As of `HttpStore`.
    """

    supports_listing = True

    def __init__(
        self,
        endpoint: str,
        bucket: str,
        prefix: str = "",
        *,
        region: str = "us-east-1",
        credentials: tuple[str, str, str | None] | None = None,
        anonymous: bool = False,
        virtual_hosted: bool = False,
        **options: Any,
    ) -> None:
        root = endpoint.rstrip("/") + ("" if virtual_hosted else f"/{quote(bucket)}")
        self._endpoint, self._bucket, self._virtual_hosted = endpoint, bucket, virtual_hosted
        self._root = root
        self._prefix = prefix.strip("/")
        super().__init__(f"{root}/{quote(self._prefix)}" if self._prefix else root, **options)
        self._region = region
        self._given = credentials
        self._anonymous = anonymous
        self._credentials: Credentials | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "_credentials": None}

    def with_read_only(self, read_only: bool = False) -> Store:
        """Return this store, or one of obstore that can be written to.

        Raises
        ------
        NotImplementedError
            If it is to be written to and obstore is not installed.
        """
        if read_only:
            return self
        key, secret, token = self._given or (None, None, None)
        options = {
            "endpoint": self._endpoint,
            "region": self._region,
            "access_key_id": key,
            "secret_access_key": secret,
            "session_token": token,
            "skip_signature": self._anonymous or None,
            "virtual_hosted_style_request": self._virtual_hosted or None,
        }
        given = {name: value for name, value in options.items() if value is not None}
        url = f"s3://{self._bucket}/{self._prefix}"
        store = open_object_store(url, url, {**given, "client_options": self.client_options})
        if store is None:
            raise NotImplementedError("writing to S3 needs obstore")
        writable: Store = store.with_read_only(False)
        return writable

    async def list_dir(self, prefix: str) -> AsyncIterator[str]:
        """Yield the names directly below a prefix."""
        async for name in self._listing(prefix, "/"):
            yield name

    async def list_prefix(self, prefix: str) -> AsyncIterator[str]:
        """Yield the keys below a prefix."""
        stem = f"{prefix.rstrip('/')}/" if prefix else ""
        async for name in self._listing(prefix, ""):
            yield stem + name

    async def list(self) -> AsyncIterator[str]:
        """Yield all keys."""
        async for name in self._listing("", ""):
            yield name

    async def headers_for(
        self, method: str, url: str, headers: Mapping[str, str]
    ) -> dict[str, str]:
        """Return the headers of a request, with its signature."""
        sent = await super().headers_for(method, url, headers)
        if self._anonymous:
            return sent
        from botocore.auth import S3SigV4Auth
        from botocore.awsrequest import AWSRequest

        if self._credentials is None:
            self._credentials = await asyncio.to_thread(_find_credentials, self._given)
        request = AWSRequest(method, url, headers=sent)
        S3SigV4Auth(self._credentials, "s3", self._region).add_auth(request)
        return dict(request.headers.items())

    async def refused(self, answer: aiohttp.ClientResponse) -> BaseException:
        """Return the exception for an answer that is no success, with the code that S3 gives."""
        said = answer.reason or ""
        with contextlib.suppress(ReadError, ET.ParseError):
            page = ET.fromstring(await read_answer(answer, "", MAX_ERROR_BYTES))  # noqa: S314  # of limited size
            said = f"{said} {page.findtext('Code') or ''}"
        return StatusError(answer.status, said[:100])

    async def _listing(self, prefix: str, delimiter: str) -> AsyncIterator[str]:
        """Yield names relative to a prefix, page by page."""
        stem = "/".join(part for part in (self._prefix, prefix.strip("/")) if part)
        stem = f"{stem}/" if stem else ""
        token = ""
        empty = 0
        while True:
            query = {
                "delimiter": delimiter,
                "encoding-type": "url",
                "list-type": "2",
                "prefix": stem,
            }
            if token:
                query["continuation-token"] = token
            page = await self._page(prefix, query)
            for name in _names(page):
                if name.startswith(stem) and (rest := name[len(stem) :].rstrip("/")):
                    yield rest
                    empty = 0
            following = _text(page, "NextContinuationToken")
            if _text(page, "IsTruncated").strip().lower() != "true" or not following:
                return
            empty += 1
            if following == token or empty > MOST_EMPTY_PAGES:
                detail = (
                    "the listing does not go on: the server repeats a page, or gives empty ones"
                )
                raise ReadError(prefix, "os", detail)
            token = following

    async def _page(self, prefix: str, query: Mapping[str, str]) -> ET.Element:
        words = "&".join(
            f"{name}={quote(text, safe='~')}" for name, text in sorted(query.items()) if text
        )
        async with self._answer("GET", prefix, f"{self._root}/?{words}") as answer:
            if answer is None:
                raise FileNotFoundError(prefix)
            body = await read_answer(answer, prefix, MAX_PAGE_BYTES)
        if b"<!DOCTYPE" in body or b"<!ENTITY" in body:
            raise ReadError(prefix, "os", "the listing has a document type, which is not read")
        try:
            return ET.fromstring(body)  # noqa: S314  # of limited size, and without entities
        except ET.ParseError as error:
            raise ReadError(prefix, "os", f"the listing is no XML: {error}") from error


def _names(page: ET.Element) -> list[str]:
    """Return the keys and the common prefixes of a page."""
    found = []
    for element in page:
        kind = element.tag.rpartition("}")[2]
        if kind in ("Contents", "CommonPrefixes"):
            name = _text(element, "Key" if kind == "Contents" else "Prefix")
            found.append(name)
    if _text(page, "EncodingType") == "url":
        return [unquote_plus(name, errors="surrogateescape") for name in found]
    return found


def _text(element: ET.Element, name: str) -> str:
    """Return the text of a member, whatever its namespace."""
    found = element.find(f"{{*}}{name}")
    return "" if found is None else found.text or ""


def _find_credentials(given: tuple[str, str, str | None] | None) -> Any:
    from botocore.credentials import Credentials
    from botocore.session import Session

    if given is not None:
        return Credentials(*given)
    found = Session().get_credentials()
    if found is None:
        raise PermissionError(
            'there are no credentials; storage_options={"anon": True} reads a public bucket'
        )
    return found
