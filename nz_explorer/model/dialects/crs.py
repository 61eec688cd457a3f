"""Coordinate reference systems as far as metadata go: which axes are spatial, which system is named.

No projection is computed here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal

from nz_explorer.model.array import Array
from nz_explorer.model.named_array import named_array
from nz_explorer.model.node import Node
from nz_explorer.text.units import known_unit

if TYPE_CHECKING:
    from nz_explorer.store import Cancellation

Kind = Literal["geodetic", "planar"]
GDAL_MEMBERS = ("url", "wkt", "projjson")
"""Members of GDAL's attribute ``_CRS``, the one that goes first."""
PROJ_ATTRIBUTES = ("proj:code", "proj:wkt2", "proj:projjson")
"""Attributes of the proj: convention."""
WKT_ATTRIBUTES = ("crs_wkt", "spatial_ref")
"""Attributes of a CF grid mapping that hold well-known text."""
X_NAMES = frozenset(
    ("x", "lon", "longitude", "easting", "projection_x_coordinate", "xc", "nx", "xdim")
)
Y_NAMES = frozenset(
    ("y", "lat", "latitude", "northing", "projection_y_coordinate", "yc", "ny", "ydim")
)
"""Names of dimensions that run east and north, in lower case; XDim and YDim are those of HDF-EOS."""
MERCATOR = 20037508.342789244
"""How far the square map of the world goes along X and Y that is EPSG:3857, in metres."""
DEGREE = MERCATOR / 180
"""How long a degree is along the equator, in metres."""

LON_LAT = frozenset({"EPSG:4326", "OGC:CRS84", "OGC:84"})
"""One system, but for the order of axes, which arrays name."""
GEOGRAPHIC = LON_LAT | {"EPSG:4258", "EPSG:4269", "EPSG:4283", "EPSG:4617"}
"""Codes of systems in degrees that data are usually in."""

_ZONE = re.compile(
    r"EPSG:(?:32[67](?:0[1-9]|[1-5][0-9]|60)|258(?:2[89]|3[0-8])|269(?:0[1-9]|1[0-9]|2[0-3]))"
)
"""Zones of UTM, of WGS 84, ETRS89 and NAD83."""
_CODE = re.compile(r"^\s*(?:\[?\s*)([A-Za-z]+):([A-Za-z0-9.]+)\s*\]?\s*$")
_URN = re.compile(r"urn:(?:x-)?ogc:def:crs:([A-Za-z]+):[^:]*:([A-Za-z0-9.]+)$")
_URL = re.compile(r"^https?://[^/]+/def/crs/([A-Za-z]+)/[^/]+/([A-Za-z0-9.]+)/?$")
_EPSG_URL = re.compile(r"^https?://(?:epsg\.io|spatialreference\.org/ref/epsg)/(\d+)/?$")
_WKT_ID = re.compile(
    r'(?:ID|AUTHORITY)\s*\[\s*"([^"]+)"\s*,\s*"?([A-Za-z0-9.]+)"?[^\[\]]*\]\s*\]?\s*$'
)


def spatial_axes(array: Array) -> tuple[int, int] | None:
    """Return the axes of an array that run north and east, None where dimension names do not identify them."""
    names = [_stem(name) for name in _names(array)]
    y, x = (
        next((i for known in sets for i, name in enumerate(names) if name in known), None)
        for sets in ((Y_NAMES, _ROWS), (X_NAMES, _COLUMNS))
    )
    return None if y is None or x is None else (y, x)


_COLUMNS = frozenset(("col", "cols", "column", "columns"))
_ROWS = frozenset(("row", "rows"))
"""What dimensions are called whose coordinates, if there are any, count cells."""


def _stem(dimension: str | None) -> str:
    """Return the name of a dimension without what others put around it, in lower case.

    GeoZarr's slash says that a group above has the dimension, and HDF-EOS names the grid, as in ``XDim:MOD_Grid``.
    """
    return (dimension or "").lower().removeprefix("/").partition(":")[0]


@lru_cache(maxsize=256)  # of each array of each level, and there are few names
def runs_east(dimension: str | None) -> bool:
    """Whether a dimension is by its name that of x.

    Parameters
    ----------
    dimension : str or None
        A dimension name.
    """
    return _stem(dimension) in X_NAMES | _COLUMNS


@lru_cache(maxsize=256)
def runs_north(dimension: str | None) -> bool:
    """Whether a dimension is by its name that of y, whichever way that runs.

    Parameters
    ----------
    dimension : str or None
        A dimension name.
    """
    return _stem(dimension) in Y_NAMES | _ROWS


_BEGINS = re.compile(
    r"\s*(\w+\s*[\[(]|https?:|urn:|\+|[\w-]+:\w+\s*$|\{|(WGS84|WGS72|NAD27|NAD83)\s*$)",
    re.IGNORECASE,
)
"""The names are those that GDAL knows without an authority."""
_OF_PROJJSON = ("name", "crs", "source_crs")
"""One of these each object of PROJJSON that stands alone has: its name, or what it is bound to or observed in."""


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
            return _by_number(match[1].upper(), match[2].upper())
    match = _EPSG_URL.match(given)
    return None if match is None else f"EPSG:{match[1]}"


_OF_NUMBERS = ("EPSG", "ESRI")
"""Authorities whose codes are whole numbers, which PROJ and GDAL take with a fraction of 0 as well."""


def _by_number(authority: str, code: str) -> str | None:
    """Return a code in full; None of an authority whose codes are numbers where it is none, as in EPSG:None."""
    if authority not in _OF_NUMBERS:
        return f"{authority}:{code}"
    number = re.fullmatch(r"(\d+)(?:\.0*)?", code)
    return None if number is None else f"{authority}:{number[1]}"


def without_number(text: str) -> str | None:
    """Return the authority of a code that is to be a number and does not begin like one, such as EPSG:None; else None.

    Parameters
    ----------
    text : str
        What may be a code.
    """
    authority, colon, rest = text.strip().partition(":")
    is_none = bool(colon) and authority.upper() in _OF_NUMBERS and not rest.strip()[:1].isdecimal()
    return authority.upper() if is_none else None


def names_a_system(text: str) -> bool:
    """Whether a text may be what GDAL makes a reference system of: well-known text, a code, an address or a string of PROJ.

    Parameters
    ----------
    text : str
        The text, which is not parsed.
    """
    return code(text) is not None or (
        _BEGINS.match(text) is not None and without_number(text) is None
    )


def is_projjson(given: Mapping[str, Any]) -> bool:
    """Whether an object may be PROJJSON, which tells its type and, but where it is bound to another one, its name.

    Parameters
    ----------
    given : mapping
        The object, which is not read further.
    """
    return isinstance(given.get("type"), str) and any(one in given for one in _OF_PROJJSON)


def projjson_in(text: str) -> dict[str, Any] | None:
    """Return the object of PROJJSON that is in a text, as pyproj's ``to_json`` returns it; None where there is none.

    Parameters
    ----------
    text : str
        The text.
    """
    try:
        found = json.loads(text) if text.lstrip().startswith("{") else None
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) and is_projjson(found) else None


def _names(array: Array) -> tuple[str | None, ...]:
    """Return the names of the dimensions; none where the shape is unreadable, as nothing says how many there are."""
    return () if array.shape is None else array.dimension_names or ()


def map_in_metres(code: str | None) -> tuple[tuple[float, float], tuple[float, float]] | None:
    """Return from where to where the map of EPSG:3857, or of a zone of UTM, goes along X, its first axis, and along Y; None of another system.

    Parameters
    ----------
    code : str or None
        That of a reference system.

    Notes
    -----
    Zones are used beside their six degrees as well, for a whole country, and those of the north south of the equator, as
    Landsat has them.
    """
    if code == "EPSG:3857":
        return (-MERCATOR, MERCATOR), (-MERCATOR, MERCATOR)
    if code is None or _ZONE.fullmatch(code) is None:
        return None
    return (-5e5, 1.5e6), (0.0, 2e7) if code.startswith("EPSG:327") else (-1e7, 1e7)


_GEODETIC = re.compile(r"\s*GEO(?:D|DETIC|G|GRAPHIC)CRS\s*[\[(]", re.IGNORECASE)
_PLANAR = re.compile(r"\s*(?:PROJ|PROJECTED|DERIVEDPROJ|ENG|ENGINEERING)CRS\s*[\[(]", re.IGNORECASE)
_DERIVED = re.compile(r"\bDERIVINGCONVERSION\s*[\[(]", re.IGNORECASE)
_OF_TYPE: dict[str, Kind] = {
    "GeographicCRS": "geodetic",
    "GeodeticCRS": "geodetic",
    "ProjectedCRS": "planar",
    "DerivedProjectedCRS": "planar",
    "EngineeringCRS": "planar",
}
_USUAL_PLANAR = re.compile(
    rf"{_ZONE.pattern}|EPSG:(?:3857|3395|3035|3411|3412|3413|3031|5070|6931|6932|6933|27700|2154)"
)
"""Codes of systems of eastings and northings that data are often in: zones of UTM, Mercator, LAEA Europe, the polar ones and EASE-Grid, in metres."""


def kind_of_system(given: Mapping[str, Any]) -> Kind | None:
    """Return whether a system is one of longitudes and latitudes or of eastings and northings; None where that is not known.

    That is told by the type in its description, and of codes by those that data are often in. Derived geographic
    systems, such as rotated poles, are neither.

    Parameters
    ----------
    given : Mapping
        Attributes of proj:.
    """
    code, text, parts = (given.get(f"proj:{name}") for name in ("code", "wkt2", "projjson"))
    if isinstance(parts, Mapping) and isinstance(parts.get("type"), str):
        return _OF_TYPE.get(parts["type"])
    if isinstance(text, str):
        if _PLANAR.match(text):
            return "planar"
        return "geodetic" if _GEODETIC.match(text) and not _DERIVED.search(text) else None
    if isinstance(code, str):
        known = code.strip().upper()
        if known in GEOGRAPHIC:
            return "geodetic"
        return "planar" if is_in_metres(known) else None
    return None


def is_in_metres(code: str) -> bool:
    """Whether a code is one of those that data are often in and that have eastings and northings in metres.

    Parameters
    ----------
    code : str
        That of a reference system.
    """
    return _USUAL_PLANAR.fullmatch(code) is not None


_GEOSTATIONARY = re.compile(r'METHOD\s*[\[(]\s*"Geostationary', re.IGNORECASE)
_UNIT = re.compile(r'\bLENGTHUNIT\s*[\[(]\s*"([^"]*)"', re.IGNORECASE)


def is_geostationary(given: Mapping[str, Any]) -> bool:
    """Whether a system is that of a satellite which stays over one place, in metres, as well-known text or PROJJSON describes it.

    Scan angles are lengths in units of the height of the satellite, and some systems have such a unit.

    Parameters
    ----------
    given : Mapping
        Attributes of proj:.
    """
    text, parts = given.get("proj:wkt2"), given.get("proj:projjson")
    if isinstance(text, str):
        units = _UNIT.findall(text)[-1:]  # that of the axes, which come last
        in_metres = all(known_unit(unit.lower()) == "m" for unit in units)
        return _GEOSTATIONARY.search(text) is not None and in_metres
    step: Any = parts
    for name in ("conversion", "method", "name"):
        step = step.get(name) if isinstance(step, Mapping) else None
    if not isinstance(parts, Mapping) or not isinstance(step, str):
        return False
    system = parts.get("coordinate_system")
    axes = system.get("axis") if isinstance(system, Mapping) else None
    usual = all(
        isinstance(axis, Mapping) and axis.get("unit", "metre") == "metre"
        for axis in (axes if isinstance(axes, list) else ())
    )
    return step.startswith("Geostationary") and usual


def grid_mappings(array: Array, cancel: Cancellation | None) -> Iterator[Node]:
    """Yield the array that holds the grid mapping, of this group, one above or at a path, then the array itself.

    Parameters
    ----------
    array : Array
        Whose grid mapping it is.
    cancel : Cancellation, optional
        Stops reading metadata.
    """
    given = array.attributes.get("grid_mapping")
    name = re.split(r"[:\s]", given.strip())[0] if isinstance(given, str) else ""
    mapping = named_array(array, name, cancel) if name else None
    yield from (array,) if mapping is None else (mapping, array)


def described_code(node: Node) -> str | None:
    """Return the code of the reference system that the attributes of a node name, None where they do not."""
    attributes = node.attributes
    own = attributes.get("_CRS")
    found = [*codes(attributes, (*PROJ_ATTRIBUTES, *WKT_ATTRIBUTES))]
    found += codes(own, GDAL_MEMBERS) if isinstance(own, Mapping) else []
    return next((named for _, named in found), None)


def codes(
    attributes: Mapping[str, Any], names: Iterable[str] = PROJ_ATTRIBUTES
) -> Iterator[tuple[str, str]]:
    """Yield the attributes that name a reference system with a code, each with that.

    Parameters
    ----------
    attributes : Mapping
        Those of a node, or what stands for them.
    names : iterable of str
        The attributes that are looked at, in this order.
    """
    for name in names:
        if (named := code(attributes.get(name))) is not None:
            yield name, named
