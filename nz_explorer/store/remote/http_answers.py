"""Answers over HTTP: read piece by piece up to a size limit, and redirects that are refused."""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import socket
import zlib
from typing import Any
from urllib.parse import urlsplit

import aiohttp

from nz_explorer.store.errors import ReadError, TooLarge
from nz_explorer.store.remote.retry import progress

_SHORT = 64 * 1024
DRAIN_SECONDS = 1.0


class StatusError(OSError):
    """An answer with a status that is no success.

    Parameters
    ----------
    status : int
        The status.
    text : str
        The server's message.
    """

    def __init__(self, status: int, text: str) -> None:
        super().__init__(f"{status} {text}".strip())
        self.status = status


async def drain(answer: aiohttp.ClientResponse) -> None:
    """Read the short page of an error, so that its connection can be used again."""
    if answer.content_length is not None and answer.content_length <= _SHORT:
        with contextlib.suppress(aiohttp.ClientError, TimeoutError):
            async with asyncio.timeout(DRAIN_SECONDS):
                await answer.read()


async def read_answer(answer: aiohttp.ClientResponse, key: str, max_bytes: int) -> bytes:
    """Return the body of an answer, unpacked where it is packed.

    Parameters
    ----------
    answer : aiohttp.ClientResponse
        The answer, of which nothing was read yet.
    key : str
        What was asked for, for messages.
    max_bytes : int
        The most bytes that it may have, unpacked.

    Raises
    ------
    TooLarge
        If its size, declared or actual, packed or unpacked, exceeds the limit.
    ReadError
        If it is packed in a way that is not known, or is damaged.
    """
    packed = answer.headers.get("Content-Encoding", "identity").strip().lower()
    if packed in ("gzip", "x-gzip", "deflate"):
        unpack = zlib.decompressobj(zlib.MAX_WBITS | 32)
    elif packed in ("identity", ""):
        unpack = None
    else:
        raise ReadError(
            key, "os", f"the server sends it with the encoding {packed[:40]!r}, not known"
        )
    length = answer.content_length
    if length is not None and length > max_bytes:
        raise TooLarge(key, max_bytes, None if unpack else length)
    parts: list[bytes] = []
    much = 0
    async for piece in answer.content.iter_any():
        progress(len(piece))
        left = piece
        while left:
            data = left if unpack is None else _unpacked(unpack, left, key, max_bytes + 1 - much)
            parts.append(data)
            much += len(data)
            if much > max_bytes:
                raise TooLarge(key, max_bytes)
            left = b"" if unpack is None else unpack.unconsumed_tail
    if unpack is not None and not unpack.eof:
        raise ReadError(key, "corrupt", f"what the server packed with {packed} ends too early")
    return b"".join(parts)


def _unpacked(unpack: Any, data: bytes, key: str, most: int) -> bytes:
    try:
        unpacked: bytes = unpack.decompress(data, most)
    except zlib.error as error:
        detail = f"what the server packed cannot be unpacked: {error}"
        raise ReadError(key, "corrupt", detail) from error
    return unpacked


async def refuse_redirect(key: str, origin: str, target: str) -> None:
    """Refuse a redirect that leads where only this machine gets.

    Parameters
    ----------
    key : str
        What was asked for, for the message.
    origin : str
        The URL that was asked.
    target : str
        The URL that it redirects to.

    Raises
    ------
    ReadError
        If the target is no HTTP, leads from HTTPS to HTTP, or from a public address to one that is not.
    """
    here, there = urlsplit(origin), urlsplit(target)
    shown = target[:200]
    if there.scheme not in ("http", "https") or not there.hostname:
        raise ReadError(key, "redirect", f"the server redirects to {shown}, which is not followed")
    if here.scheme == "https" and there.scheme == "http":
        detail = f"the server redirects from HTTPS to HTTP ({shown}), which is not followed"
        raise ReadError(key, "redirect", detail)
    if here.hostname == there.hostname:
        return
    if await _is_public(here.hostname or "") and not await _is_public(there.hostname):
        detail = f"the server redirects to an address inside ({shown}), which is not followed"
        raise ReadError(key, "redirect", detail)


async def _is_public(host: str) -> bool:
    """Whether all addresses of a host can be reached from anywhere."""
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    addresses = [ipaddress.ip_address(str(entry[4][0]).partition("%")[0]) for entry in found]
    return all(address.is_global for address in addresses)
