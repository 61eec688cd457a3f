"""What a URI looks like (RFC 3986)."""

from __future__ import annotations

import re

_URI = re.compile(
    r"[A-Za-z][A-Za-z0-9+.-]*:(?:[A-Za-z0-9._~:/?#\[\]@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*"
)


def is_uri(text: str) -> bool:
    """Whether a text has a scheme, and only characters that a URI may have; relative references have none."""
    return _URI.fullmatch(text) is not None
