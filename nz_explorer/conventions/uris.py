"""What a URI looks like (RFC 3986)."""

from __future__ import annotations

import os
from urllib.parse import unquote, urlsplit

from rfc3986_validator import validate_rfc3986  # type: ignore[import-untyped, unused-ignore]


def is_uri(text: str) -> bool:
    """Whether a text is a URI; relative references have no scheme, and are none."""
    # the expression of the library ends in $, before which it allows a line break
    return not text.endswith("\n") and validate_rfc3986(text, rule="URI") is not None


def is_address(uri: str, source: str) -> bool:
    """Whether a URI is the address of a store; that of a folder may be written in two ways.

    Parameters
    ----------
    uri : str
        The URI.
    source : str
        Where the store is.
    """
    if uri.startswith("file:") and is_uri(uri) and "://" not in source:
        uri, source = unquote(urlsplit(uri).path), os.path.abspath(source)  # noqa: PTH100  # nothing is resolved
    return uri.rstrip("/") == source.rstrip("/")
