"""The attributes of a ``zarr.json``, split off the rest of its text, which most documents of a store share."""

from __future__ import annotations

import msgspec

_KEY = b'"attributes"'
MOST_BYTES = 64 * 1024
"""Documents above it are decoded as a whole."""
MOST_ATTRIBUTES = 2000
"""Bytes of attributes above which they are, too. In fewer nothing nests too deep for a decoder."""


class _Holder(msgspec.Struct):
    attributes: msgspec.Raw


_HOLDER = msgspec.json.Decoder(_Holder)


def split(raw: bytes) -> tuple[bytes, bytes] | None:
    """Return the text around the attributes, with a zero byte in their place, and their own text.

    Parameters
    ----------
    raw : bytes
        The text of a ``zarr.json``.

    Returns
    -------
    tuple of bytes or None
        None where they are not found at one look. Where they are, the text is that around, with these in the place of
        the zero byte, which no JSON text holds; whether they are what they seem is found out by `Outline.of`.
    """
    at = raw.find(_KEY)
    if at < 0 or len(raw) > MOST_BYTES:
        return None
    try:
        inside = bytes(_HOLDER.decode(raw).attributes)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    begin = raw.find(b"{", at + len(_KEY))
    end = begin + len(inside)
    if len(inside) > MOST_ATTRIBUTES or raw[begin:end] != inside:
        return None
    return raw[:begin] + b"\0" + raw[end:], inside
