"""What a URI looks like (RFC 3986)."""

from __future__ import annotations

import os
from urllib.parse import unquote, urlsplit

from rfc3986_validator import validate_rfc3986  # type: ignore[import-untyped, unused-ignore]


def is_uri(text: str) -> bool:
    """Whether a text is a URI; relative references have no scheme, and are none."""
    # the expression of the library ends in $, before which it allows a line break
    return not text.endswith("\n") and validate_rfc3986(text, rule="URI") is not None


def path_within(uri: str, source: str) -> str | None:
    """Return the path in a store that a URI is the address of, "/" of the store itself; None of what is elsewhere.

    Parameters
    ----------
    uri : str
        The URI; that of a folder may be written in two ways.
    source : str
        Where the store is.
    """
    if uri.startswith("file:") and is_uri(uri) and "://" not in source:
        uri, source = unquote(urlsplit(uri).path), os.path.abspath(source)  # noqa: PTH100  # nothing is resolved
    uri, source = uri.rstrip("/"), source.rstrip("/")
    return uri.removeprefix(source) or "/" if f"{uri}/".startswith(f"{source}/") else None
