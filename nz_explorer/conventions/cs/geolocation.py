"""CS: the arrays that hold where each element is, for grids whose axes do not say it."""

from __future__ import annotations

from collections.abc import Mapping

from nz_explorer.conventions.cs.references import _reference
from nz_explorer.documents.json_text import json_text
from nz_explorer.engine.findings import Fail, RuleOutput
from nz_explorer.model.dialects.cs import CoordinateSystem, Crs
from nz_explorer.model.dialects.ref import Reference, resolve

KINDS = ("geodetic", "planar")
"""The systems in which positions may be given, each as x and y."""


def geolocation(system: CoordinateSystem) -> RuleOutput:
    """Judge whether geolocation arrays are there, and as long as the dimensions of their reference system."""
    array = system.array
    for i, crs in enumerate(system.crs):
        given = crs.given.get("geolocation") if isinstance(crs.given, Mapping) else None
        if given is not None and not isinstance(given, Mapping):
            yield Fail(
                crs.pointer("geolocation")
                if crs.home is array
                else array.attribute_pointer("cs", "crs", i),
                f"geolocation must be an object of the geolocation convention, got {json_text(given)}",
                rule="CS-GEO-001",
            )
        for kind in KINDS:
            pair = given.get(kind) if isinstance(given, Mapping) else None
            for direction in ("x", "y"):
                if not isinstance(pair, Mapping) or direction not in pair:
                    continue
                own = crs.home is array
                at = (
                    crs.pointer("geolocation", kind, direction)
                    if own
                    else array.attribute_pointer("cs", "crs", i)
                )
                reference = resolve(pair[direction], crs.home)
                yield from _reference(crs.home, reference, at)
                yield from _shape(system, crs, reference, at)


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
