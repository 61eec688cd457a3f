"""What a URI looks like (RFC 3986)."""

from __future__ import annotations

from rfc3986_validator import validate_rfc3986  # type: ignore[import-untyped, unused-ignore]


def is_uri(text: str) -> bool:
    """Whether a text is a URI; relative references have no scheme, and are none."""
    # the expression of the library ends in $, before which it allows a line break
    return not text.endswith("\n") and validate_rfc3986(text, rule="URI") is not None
