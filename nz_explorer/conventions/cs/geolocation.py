"""CS: the arrays that hold where each element is, for grids whose axes do not say it."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import Any

from nz_explorer.conventions.cs.references import _reference
from nz_explorer.documents.json_text import json_text
from nz_explorer.engine.findings import Fail, RuleOutput
from nz_explorer.model.dialects.cs import CoordinateSystem, Crs
from nz_explorer.model.dialects.ref import Reference, resolve

KINDS = ("geodetic", "planar")
"""The systems in which positions may be given, each as x and y."""

DIRECTIONS = ("x", "y")


def geolocation(system: CoordinateSystem) -> RuleOutput:
    """Judge whether geolocation arrays are there, and as long as the dimensions of their reference system."""
    for i, crs in enumerate(system.crs):
        given = crs.given.get("geolocation") if isinstance(crs.given, Mapping) else None
        if given is None:
            continue
        if (why := _malformed(given)) is not None:
            yield Fail(_at(system, i, crs), why, rule="CS-GEO-001")
            continue
        for kind, direction in product(KINDS, DIRECTIONS):
            if kind in given:
                at = _at(system, i, crs, kind, direction)
                reference = resolve(given[kind][direction], crs.home)
                yield from _reference(crs.home, reference, at)
                yield from _shape(system, crs, reference, at)


def _at(system: CoordinateSystem, i: int, crs: Crs, *members: str) -> str:
    """Return where something of a geolocation object is; the entry that leads there, if that is another node."""
    if crs.home is system.array:
        return crs.pointer("geolocation", *members)
    return system.array.attribute_pointer("cs", "crs", i)


def _malformed(given: Any) -> str | None:
    """Return why an object gives no positions, None where it may."""
    if not isinstance(given, Mapping):
        return (
            f"geolocation must be an object of the geolocation convention, got {json_text(given)}"
        )
    if not any(kind in given for kind in KINDS):
        return f"geolocation must have geodetic, planar or both, got {json_text(given)}"
    for kind in KINDS:
        pair = given.get(kind)
        if kind not in given:
            continue
        if not isinstance(pair, Mapping):
            return f"{kind} must be an object with references x and y, got {json_text(pair)}"
        missing = [direction for direction in DIRECTIONS if direction not in pair]
        if missing:
            return f"{kind} has no {' and no '.join(missing)}: both name an array, x that of longitudes or eastings"
    return None


def _shape(system: CoordinateSystem, crs: Crs, reference: Reference, at: str) -> RuleOutput:
    found = next((held for t in reference.targets if (held := t.array) is not None), None)
    expected = [
        length
        for axis, length in zip(system.dimensions, system.array.shape or (), strict=False)
        if axis is not None and any(axis is one for one in crs.axes)
    ]
    if not reference.targets or len(expected) < len(crs.axes):
        return  # reported by _reference, or by CS-ARR-004
    if found is None:
        what = f"{reference.targets[0]} is not an array"
    elif found.shape is None or list(found.shape) == expected:
        return
    else:
        what = f"{found.path} has shape {list(found.shape)}"
    yield Fail(
        at,
        f"{what}; the positions of this array need the shape {expected}",
        related=tuple(target.node.path for target in reference.targets[:1]),
        rule="CS-GEO-001",
    )
