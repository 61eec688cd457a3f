"""Edits as a file: JSON objects with a document and a patch on it, as the fixes of a report have them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from nz_explorer.engine.fixes import Change, Fix


def edits_of(text: str | bytes) -> Iterator[Fix]:
    """Yield the edits that a text has.

    Parameters
    ----------
    text : str or bytes
        A JSON object with ``document`` (a key of the store), ``patch`` (RFC 6902) and, if more changes belong to it,
        ``also``; or a list of such objects.

    Raises
    ------
    ValueError
        If it is something else.
    """
    found = json.loads(text)
    for one in found if isinstance(found, list) else [found]:
        first, *others = _changes(one)
        yield Fix("suggest", first.document, first.patch, None, tuple(others))


def _changes(one: Any) -> Iterator[Change]:
    wanted = isinstance(one, dict) and isinstance(one.get("document"), str)
    patch = one.get("patch") if wanted else None
    if not isinstance(patch, list) or not all(
        isinstance(step, dict) and "op" in step for step in patch
    ):
        raise ValueError(
            'edits are objects with "document" and "patch", a list of RFC 6902 operations'
        )
    yield Change(one["document"], tuple(patch))
    for other in one.get("also", ()):
        yield from _changes(other)
