"""Reference systems that are described in words of their own: well-known text and PROJJSON, as proj: has them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from nz_explorer.documents.json_text import json_text
from nz_explorer.model.dialects import crs
from nz_explorer.text.phrases import plural

_WKT2 = re.compile(r"\s*(?:[A-Za-z]*CRS|COORDINATEMETADATA)\s*[\[(]", re.IGNORECASE)
_WKT1 = re.compile(
    r"\s*(?:GEOGCS|PROJCS|GEOCCS|VERT_CS|COMPD_CS|LOCAL_CS|FITTED_CS)\s*[\[(]", re.IGNORECASE
)
"""How well-known text begins; the words of both versions differ."""
_OF_PROJJSON = ("crs", "source_crs")
"""One of these each object of PROJJSON that stands alone has, if it has no name."""
_QUOTED = re.compile(r'"[^"]*"')
"""A text within well-known text; a quotation mark in it is doubled, which makes two of them."""
_BRACKETS = {"]": "[", ")": "("}


def not_a_system(given: Mapping[str, Any]) -> str | None:
    """Return why well-known text or PROJJSON is none, as far as its beginning shows, which zarr-cm does not look at.

    Parameters
    ----------
    given : mapping
        Attributes, with those of proj:.
    """
    wkt2, projjson = given.get("proj:wkt2"), given.get("proj:projjson")
    if isinstance(wkt2, str) and not _WKT2.match(wkt2):
        version = " is of version 1 and" if _WKT1.match(wkt2) else ""
        return f"'proj:wkt2'{version} must be well-known text, version 2, such as GEOGCRS[…], got {json_text(wkt2)}"
    named = isinstance(projjson, dict) and isinstance(projjson.get("name"), str)
    if isinstance(projjson, dict) and not (named or any(one in projjson for one in _OF_PROJJSON)):
        return f"'proj:projjson' must be an object of PROJJSON, which has a name, got {json_text(projjson)}"
    if isinstance(wkt2, str) and (cut := _cut_off(wkt2)) is not None:
        return f"'proj:wkt2' must be well-known text, version 2, in which each bracket is closed: {cut}"
    kind = projjson.get("type", "CRS") if isinstance(projjson, dict) else "CRS"
    if not isinstance(kind, str) or not (kind.endswith("CRS") or kind == "CoordinateMetadata"):
        return f"'proj:projjson' must be a reference system, with a type such as GeographicCRS, got the type {json_text(kind)}"
    return None


def meant_by(given: Any) -> tuple[str, Any] | None:
    """Return the attribute that a description belongs in, and what is to stand there; None where it is none.

    Parameters
    ----------
    given
        What stands in one of the attributes.
    """
    if isinstance(given, str):
        given = crs.projjson_in(given) or given
    name = "proj:wkt2" if isinstance(given, str) else "proj:projjson"
    known = isinstance(given, dict | str) and bool(given) and not_a_system({name: given}) is None
    return (name, given) if known else None


def _cut_off(wkt: str) -> str | None:
    """Return why brackets or quotation marks of well-known text are not in pairs, None where they are."""
    bare = _QUOTED.sub("", wkt)
    if '"' in bare:
        return "one quotation mark has no other"
    open_: list[str] = []
    for sign in bare:
        if sign in "[(":
            open_.append(sign)
        elif sign in _BRACKETS and (not open_ or open_.pop() != _BRACKETS[sign]):
            return f"one {sign} closes no bracket"
    return (
        f"{plural(len(open_), 'bracket')} at its end {'is' if len(open_) == 1 else 'are'} not"
        if open_
        else None
    )
