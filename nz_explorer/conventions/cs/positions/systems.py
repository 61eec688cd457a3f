"""CS: which coordinates a reference system has by what identifies it, and whether those are the coordinates of its axes or positions."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from itertools import product
from typing import Any

from nz_explorer.conventions.cs.declared import SYSTEMS
from nz_explorer.conventions.cs.forms import identifier
from nz_explorer.documents.json_text import json_text
from nz_explorer.documents.pointers import join
from nz_explorer.engine.findings import Fail, RuleOutput
from nz_explorer.model.dialects import crs as known_crs
from nz_explorer.model.dialects.cs import Crs
from nz_explorer.text.units import known_unit

KINDS = ("geodetic", "planar")
"""The systems in which positions may be given, each as x and y."""


HELD = {"geodetic": "longitudes and latitudes", "planar": "eastings and northings"}
"""What positions in each of them are."""

_ELSE = re.compile(r"\s*(VERT|VERTICAL|TIME)CRS\s*[\[(]", re.IGNORECASE)
_NO_POSITIONS = {
    "VERT": "heights",
    "VERTICAL": "heights",
    "VerticalCRS": "heights",
    "TIME": "times",
    "TemporalCRS": "times",
}
"""What systems have coordinates of that give no position on the Earth, by how text and PROJJSON name them."""

_OF_LETTERS = {"XY": "positions", "X": "positions", "Y": "positions", "Z": "heights", "T": "times"}
"""What axes have coordinates of, by their abbreviations; those of compound systems are left out."""


def systems_of_positions(at: str, given: Mapping[str, Any]) -> RuleOutput:
    """Judge the systems that positions are in.

    Parameters
    ----------
    at : str
        RFC 6901 pointer to the object of the geolocation convention.
    given : mapping
        The object.
    """
    for kind, name in product(KINDS, SYSTEMS):
        if name in given.get(kind, {}):
            system, place = given[kind][name], join(at, kind, name)
            yield from identifier(place, system, name)
            found = _held(system) if isinstance(system, Mapping) else None
            if found is not None and found != HELD[kind]:
                yield Fail(
                    place,
                    f"{name} of {kind} is a system of {found}, {json_text(system)}, and {kind} positions are {HELD[kind]}",
                    rule="CS-GEO-001",
                )
    for kind in KINDS:
        codes = [(name, _code(given.get(kind, {}).get(name))) for name in SYSTEMS]
        named = {code for _, code in codes}
        if None not in named and len(named) > 1 and not named <= known_crs.LON_LAT:
            both = " and ".join(f"{name} is {code}" for name, code in codes)
            yield Fail(
                join(at, kind, SYSTEMS[-1]),
                f"{both}, and both are the system of the {kind} positions: crs in the table of the text, id in its examples",
                severity="warning",
                rule="CS-GEO-001",
            )


def _code(system: Any) -> str | None:
    """Return the code of a system, None where it has none."""
    code = system.get("proj:code") if isinstance(system, Mapping) else None
    return code.strip().upper() if isinstance(code, str) else None


def _held(system: Mapping[str, Any]) -> str | None:
    """Return what a system has coordinates of, None where that is not known."""
    if (kind := known_crs.kind_of_system(system)) is not None:
        return HELD[kind]
    text, parts = system.get("proj:wkt2"), system.get("proj:projjson")
    if isinstance(parts, Mapping):
        named = parts.get("type")
    else:
        named = found[1].upper() if isinstance(text, str) and (found := _ELSE.match(text)) else None
    return _NO_POSITIONS.get(named) if isinstance(named, str) else None


def unlike_axes(pointer: str, given: Any, letters: Collection[str]) -> RuleOutput:
    """Doubt the id of a reference system that is known to be one of other coordinates than its axes have.

    Parameters
    ----------
    pointer : str
        RFC 6901 pointer to the identifier.
    given : object
        The identifier as the document has it.
    letters : collection of str
        The abbreviations of the axes.
    """
    own = _OF_LETTERS.get("".join(sorted(letters)))
    if own is None or not isinstance(given, Mapping):
        return
    found = _held(given)
    if own == "heights" and found in HELD.values():
        # well-known text may be of a local system, or of three axes; the codes that are known are those of maps
        found = _held({"proj:code": given.get("proj:code")})
    if found is not None and found != own and not (own == "positions" and found in HELD.values()):
        yield Fail(
            pointer,
            f"the id is that of a system of {found}, {json_text(given)}, and the axes are those of {own}",
            severity="warning",
            rule="CS-ID-004",
        )


def unlike_units(pointer: str, given: Any, systems: Iterable[Crs]) -> RuleOutput:
    """Doubt an id of longitudes and latitudes whose X and Y are in metres, and the code of a map in metres where they are in degrees.

    Parameters
    ----------
    pointer : str
        RFC 6901 pointer to the identifier.
    given : object
        The identifier as the document has it.
    systems : iterable of Crs
        The reference systems that it identifies.
    """
    systems = list(systems)
    # where arrays hold positions, it may be the system of these: it goes before theirs by the text
    located = any(isinstance(one.given, Mapping) and "geolocation" in one.given for one in systems)
    if located or not isinstance(given, Mapping):
        return
    plane = (axis for one in systems for axis in one.axes if axis.abbreviation in ("X", "Y"))
    units = {known_unit(one.unit) for axis in plane for one in axis.sets}
    code = given.get("proj:code")
    in_metres = isinstance(code, str) and known_crs.is_in_metres(code.strip().upper())
    geodetic = known_crs.kind_of_system(given) == "geodetic" and not _is_geocentric(given)
    if units and units <= {"m", "km"} and geodetic:
        held, used = "longitudes and latitudes", " and ".join(sorted(map(str, units)))
    elif units == {"degree"} and in_metres:  # well-known text may have scan angles of satellites
        held, used = "eastings and northings in metres", "degrees"
    else:
        return
    yield Fail(
        pointer,
        f"the id is that of a system of {held}, {json_text(given)}, and X and Y are in {used}",
        severity="warning",
        rule="CS-ID-004",
    )


_OF_IMAGES = re.compile(r"(?:row|column)(?:Positive|Negative)|display(?:Right|Left|Up|Down)")
"""Directions along the rows and columns of an image, and on a screen."""
_NOT_ON_EARTH = ("1", "pixel", "pixels", "px")
"""Units in which elements are counted."""


def is_of_image(crs: Crs) -> bool:
    """Whether X and Y are those of an image that lies nowhere on the Earth, of which there is no code, by directions or units.

    Parameters
    ----------
    crs : Crs
        A reference system.
    """
    sets = [one for axis in crs.axes if axis.abbreviation in ("X", "Y") for one in axis.sets]
    return bool(sets) and all(
        _OF_IMAGES.fullmatch(str(one.direction))
        or one.unit in _NOT_ON_EARTH
        or known_unit(one.unit) in ("nm", "um")
        for one in sets
    )


def _is_geocentric(given: Mapping[str, Any]) -> bool:
    """Whether a geodetic system has X, Y and Z in metres from the centre of the Earth."""
    text, parts = given.get("proj:wkt2"), given.get("proj:projjson")
    if isinstance(parts, Mapping):
        its = parts.get("coordinate_system")
        return isinstance(its, Mapping) and its.get("subtype") == "Cartesian"
    return isinstance(text, str) and "cs[cartesian" in text.lower().replace(" ", "")
