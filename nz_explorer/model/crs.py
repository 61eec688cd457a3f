"""Coordinate reference systems as far as metadata tell: which axes are spatial, which system is named.

No projection is computed here.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nz_explorer.model.node import Array

GDAL_MEMBERS = ("url", "wkt", "projjson")
"""Members of GDAL's attribute ``_CRS``, the one that goes first."""
WKT_ATTRIBUTES = ("crs_wkt", "spatial_ref")
"""Attributes of a CF grid mapping that hold well-known text."""
X_NAMES = frozenset(("x", "lon", "longitude", "easting", "projection_x_coordinate", "xc", "nx"))
Y_NAMES = frozenset(("y", "lat", "latitude", "northing", "projection_y_coordinate", "yc", "ny"))
"""Names of dimensions that run east and north, in lower case."""

_CODE = re.compile(r"^\s*(?:\[?\s*)([A-Za-z]+):([A-Za-z0-9.]+)\s*\]?\s*$")
_URN = re.compile(r"urn:(?:x-)?ogc:def:crs:([A-Za-z]+):[^:]*:([A-Za-z0-9.]+)$")
_URL = re.compile(r"^https?://[^/]+/def/crs/([A-Za-z]+)/[^/]+/([A-Za-z0-9.]+)/?$")
_EPSG_URL = re.compile(r"^https?://(?:epsg\.io|spatialreference\.org/ref/epsg)/(\d+)/?$")
_WKT_ID = re.compile(
    r'(?:ID|AUTHORITY)\s*\[\s*"([^"]+)"\s*,\s*"?([A-Za-z0-9.]+)"?[^\[\]]*\]\s*\]?\s*$'
)


def spatial_axes(array: Array) -> tuple[int, int] | None:
    """Return the axes of an array that run north and east, None where its dimensions' names do not tell."""
    names = [name.lower() if name else "" for name in array.dimension_names or ()]
    y = next((i for i, name in enumerate(names) if name in Y_NAMES), None)
    x = next((i for i, name in enumerate(names) if name in X_NAMES), None)
    return None if y is None or x is None else (y, x)


def code(given: Any) -> str | None:
    """Return the code of a reference system, such as ``EPSG:4326``; None where it names none.

    Parameters
    ----------
    given
        A code, a URL or URN of OGC, well-known text, or PROJJSON.
    """
    if isinstance(given, dict):
        identifier = given.get("id")
        if isinstance(identifier, dict) and {"authority", "code"} <= identifier.keys():
            return f"{identifier['authority']}:{identifier['code']}".upper()
        return None
    if not isinstance(given, str):
        return None
    for pattern in (_CODE, _URN, _URL, _WKT_ID):
        if (match := pattern.search(given)) is not None:
            return f"{match[1]}:{match[2]}".upper()
    match = _EPSG_URL.match(given)
    return None if match is None else f"EPSG:{match[1]}"
